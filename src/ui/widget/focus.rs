//! Operations that find, move and restore keyboard focus.

use crate::a11y::{Access, Action, ActionRequest, Key, PaneMarker, TrapMarker};
use iced::advanced::widget::operation::scrollable::AbsoluteOffset;
use iced::advanced::widget::operation::{Focusable, Operation, Scrollable};
use iced::advanced::widget::{self, Id};
use iced::{Rectangle, Vector};
use std::any::Any;

/// Distance kept between a revealed control and the edge of what scrolls.
const MARGIN: f32 = 8.0;

/// The focus of one of our own controls; `visible` only when the keyboard (or the program) moved it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Focus {
    #[default]
    None,
    /// By the pointer: no ring.
    Quiet,
    Visible,
}

impl Focus {
    pub(super) fn is_visible(self) -> bool {
        self == Self::Visible
    }
}

impl Focusable for Focus {
    fn is_focused(&self) -> bool {
        *self != Self::None
    }

    fn focus(&mut self) {
        *self = Self::Visible;
    }

    fn unfocus(&mut self) {
        *self = Self::None;
    }
}

/// Moves keyboard focus to the control of this key and scrolls it into view. Nothing happens (and focus stays) when
/// there is no such control or it is disabled.
pub fn focus<M: Send + 'static>(key: impl Into<Key>) -> iced::Task<M> {
    operate(Finder { key: key.into(), scan: Scan::default() })
}

/// Runs an operation and draws its effect: iced does not redraw after an operation of a task by itself.
pub(super) fn operate<M: Send + 'static>(operation: impl Operation<()> + 'static) -> iced::Task<M> {
    use iced_runtime::{Action, task, window};
    iced::advanced::widget::operate(operation).discard().chain(task::effect(Action::Window(window::Action::RedrawAll)))
}

struct Finder {
    key: Key,
    scan: Scan,
}

impl<T: 'static> Operation<T> for Finder {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation<T>)) {
        let mut scan = std::mem::take(&mut self.scan);
        Operation::<()>::traverse(&mut scan, &mut |scan| operate(&mut widget::operation::black_box(scan)));
        self.scan = scan;
    }

    fn scrollable(&mut self, id: Option<&Id>, b: Rectangle, c: Rectangle, by: Vector, s: &mut dyn Scrollable) {
        self.scan.scrollable(id, b, c, by, s);
    }

    fn focusable(&mut self, id: Option<&Id>, bounds: Rectangle, state: &mut dyn Focusable) {
        self.scan.focusable(id, bounds, state);
    }

    fn custom(&mut self, id: Option<&Id>, bounds: Rectangle, state: &mut dyn Any) {
        self.scan.custom(id, bounds, state);
    }

    fn finish(&self) -> widget::operation::Outcome<T> {
        match self.scan.find(&self.key.id()) {
            Some(target) => {
                widget::operation::Outcome::Chain(Box::new(Erased(Apply::new(target, self.scan.reveal(target)))))
            }
            None => widget::operation::Outcome::None,
        }
    }
}

/// [`Apply`] as an operation of any output.
struct Erased(Apply);

impl<T> Operation<T> for Erased {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation<T>)) {
        operate(self);
    }

    fn scrollable(&mut self, id: Option<&Id>, b: Rectangle, c: Rectangle, by: Vector, s: &mut dyn Scrollable) {
        self.0.scrollable(id, b, c, by, s);
    }

    fn focusable(&mut self, id: Option<&Id>, bounds: Rectangle, state: &mut dyn Focusable) {
        self.0.focusable(id, bounds, state);
    }
}

/// One control that can have focus.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub id: Option<Id>,
    pub bounds: Rectangle,
    pub focused: bool,
    /// How many modal layers it is inside of.
    pub trap: usize,
    pub pane: Option<Key>,
    /// The scrollables around it, outermost first: ordinal and visible bounds.
    scrolls: Vec<(usize, Rectangle)>,
}

/// Pass one: what can have focus, in reading order.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub items: Vec<Item>,
    scrolls: Vec<(usize, Rectangle)>,
    translation: Vector,
    entered: Option<(usize, Rectangle, Vector)>,
    seen: usize,
    trap: usize,
    /// The modal layers there are, whether or not something in them can have focus.
    pub deepest: usize,
    next_trap: bool,
    next_pane: Option<Key>,
    pane: Option<Key>,
}

impl Scan {
    pub(super) fn focused(&self) -> Option<usize> {
        self.items.iter().position(|item| item.focused)
    }

    pub(super) fn find(&self, id: &Id) -> Option<usize> {
        self.items.iter().position(|item| item.id.as_ref() == Some(id))
    }

    /// How far each scrollable around the item must scroll to show it.
    pub(super) fn reveal(&self, target: usize) -> Vec<(usize, Vector)> {
        let Some(item) = self.items.get(target) else { return Vec::new() };
        let mut bounds = item.bounds;
        let mut moves = Vec::new();
        for (ordinal, view) in item.scrolls.iter().rev() {
            let by = Vector::new(
                distance(bounds.x, bounds.width, view.x, view.width),
                distance(bounds.y, bounds.height, view.y, view.height),
            );
            if by != Vector::ZERO {
                moves.push((*ordinal, by));
                bounds = bounds - by;
            }
        }
        moves
    }
}

/// Along one axis; a control longer than the view shows its start.
fn distance(start: f32, length: f32, view: f32, visible: f32) -> f32 {
    let margin = MARGIN.min((visible - length).max(0.0) / 2.0);
    if start - margin < view || length + 2.0 * margin > visible {
        start - margin - view
    } else {
        (start + length + margin - view - visible).max(0.0)
    }
}

impl Operation for Scan {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        let entered = self.entered.take();
        let (translation, pane) = (self.translation, self.pane.clone());
        let trap = std::mem::take(&mut self.next_trap);
        if let Some(pane) = self.next_pane.take() {
            self.pane = Some(pane);
        }
        if let Some((ordinal, view, by)) = entered {
            self.translation -= by;
            self.scrolls.push((ordinal, view));
        }
        self.trap += usize::from(trap);
        self.deepest = self.deepest.max(self.trap);
        operate(self);
        self.trap -= usize::from(trap);
        if entered.is_some() {
            self.scrolls.pop();
        }
        (self.translation, self.pane) = (translation, pane);
    }

    fn scrollable(&mut self, _: Option<&Id>, bounds: Rectangle, _: Rectangle, by: Vector, _: &mut dyn Scrollable) {
        self.entered = Some((self.seen, bounds + self.translation, by));
        self.seen += 1;
    }

    fn focusable(&mut self, id: Option<&Id>, bounds: Rectangle, state: &mut dyn Focusable) {
        self.items.push(Item {
            id: id.cloned(),
            bounds: bounds + self.translation,
            focused: state.is_focused(),
            trap: self.trap,
            pane: self.pane.clone(),
            scrolls: self.scrolls.clone(),
        });
    }

    fn custom(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Any) {
        if state.is::<TrapMarker>() {
            self.next_trap = true;
        } else if let Some(PaneMarker(pane)) = state.downcast_ref() {
            self.next_pane = Some(pane.clone());
        }
    }
}

/// Pass two: focus one item of the scan, take it from all others, scroll it into view.
pub(super) struct Apply {
    target: usize,
    moves: Vec<(usize, Vector)>,
    item: usize,
    scroll: usize,
}

impl Apply {
    pub(super) fn new(target: usize, moves: Vec<(usize, Vector)>) -> Self {
        Self { target, moves, item: 0, scroll: 0 }
    }
}

impl Operation for Apply {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        operate(self);
    }

    fn focusable(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Focusable) {
        if self.item == self.target {
            state.focus();
        } else if state.is_focused() {
            state.unfocus();
        }
        self.item += 1;
    }

    fn scrollable(&mut self, _: Option<&Id>, bounds: Rectangle, content: Rectangle, _: Vector, s: &mut dyn Scrollable) {
        if let Some((_, by)) = self.moves.iter().find(|(ordinal, _)| *ordinal == self.scroll) {
            s.scroll_by(AbsoluteOffset { x: by.x, y: by.y }, bounds, content);
        }
        self.scroll += 1;
    }
}

/// Hands a request of an assistive technology to the widget it is for.
pub(super) struct Perform {
    request: ActionRequest,
    inside: bool,
    entering: bool,
    pub done: bool,
}

impl Perform {
    pub(super) fn new(request: ActionRequest) -> Self {
        Self { request, inside: false, entering: false, done: false }
    }
}

impl Operation for Perform {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        let outside = self.inside;
        self.inside |= std::mem::take(&mut self.entering);
        operate(self);
        self.inside = outside;
    }

    fn custom(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Any) {
        if let Some(access) = state.downcast_mut::<Access>() {
            self.entering = access.id == self.request.target_node;
            if self.entering || access.extra.iter().any(|(id, _)| *id == self.request.target_node) {
                self.done = true;
                access.pending.push_back(self.request.clone());
            }
        }
    }
}

/// Finds the first focusable inside a node, for the Focus action.
#[derive(Default)]
pub(super) struct Within {
    node: Option<crate::a11y::NodeId>,
    inside: bool,
    entering: bool,
    count: usize,
    pub found: Option<usize>,
}

impl Within {
    pub(super) fn new(request: &ActionRequest) -> Option<Self> {
        (request.action == Action::Focus).then(|| Self { node: Some(request.target_node), ..Self::default() })
    }
}

impl Operation for Within {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        let outside = self.inside;
        self.inside |= std::mem::take(&mut self.entering);
        operate(self);
        self.inside = outside;
    }

    fn custom(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Any) {
        if let Some(access) = state.downcast_ref::<Access>() {
            self.entering = Some(access.id) == self.node;
        }
    }

    fn focusable(&mut self, _: Option<&Id>, _: Rectangle, _: &mut dyn Focusable) {
        if self.inside && self.found.is_none() {
            self.found = Some(self.count);
        }
        self.count += 1;
    }
}

/// Whether something inside has focus.
#[derive(Default)]
pub(super) struct Probe(pub bool);

impl Operation for Probe {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        operate(self);
    }

    fn focusable(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Focusable) {
        self.0 |= state.is_focused();
    }
}
