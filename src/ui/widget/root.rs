//! The outermost widget: Tab order, panes, modal focus, input method guard, and the accessibility tree.

use super::focus::{Apply, Item, Perform, Scan, Within};
use super::{Element, Renderer};
use crate::a11y::{Bridge, Collector, Key};
use crate::ui::theme::Theme;
use iced::advanced::input_method;
use iced::advanced::widget::{Id, Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, overlay, renderer};
use iced::keyboard::{self, Key as KeyName, key::Named};
use iced::window::RedrawRequest;
use iced::{Event, Length, Rectangle, Size, Vector, window};
use std::collections::BTreeMap;
use std::time::Instant;

/// Wraps the whole view of the window. Tab and Shift+Tab go round all controls in reading order (inside the top-most
/// modal only), F6 and Shift+F6 round the panes, and while a text is being composed by an input method no key acts.
/// With `still` nothing moves by itself: carets, the only things that do, do not blink.
pub fn root<'a, M: 'a>(content: impl Into<Element<'a, M>>, bridge: &Bridge, still: bool) -> Element<'a, M> {
    Element::new(Root { content: content.into(), bridge: bridge.clone(), still })
}

struct Root<'a, M> {
    content: Element<'a, M>,
    bridge: Bridge,
    still: bool,
}

#[derive(Default)]
struct State {
    /// Modal layers of the last frame, and what had focus before each opened.
    traps: Vec<Option<Id>>,
    /// Where focus was last: the place to go on from when the control vanished or was disabled.
    last: Option<(Option<Id>, usize)>,
    panes: BTreeMap<Key, Id>,
    composing: bool,
    /// The first frame's time: where time stays for what is in a still window.
    begun: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Back,
}

impl State {
    /// Remembers what has focus.
    fn note(&mut self, index: usize, item: &Item) {
        self.last = Some((item.id.clone(), index));
        if let (Some(pane), Some(id)) = (&item.pane, &item.id) {
            self.panes.insert(pane.clone(), id.clone());
        }
    }

    /// The item that Tab goes to.
    fn next(&self, scan: &Scan, direction: Direction) -> Option<usize> {
        let ring: Vec<usize> = (0..scan.items.len()).filter(|i| scan.items[*i].trap == scan.deepest).collect();
        let count = ring.len();
        if count == 0 {
            return None;
        }
        if let Some(at) = ring.iter().position(|i| scan.items[*i].focused) {
            let by = if direction == Direction::Forward { 1 } else { count - 1 };
            return Some(ring[(at + by) % count]);
        }
        // Focus was lost with its control: go on from its place instead of from the top.
        let place = self.last.as_ref().map(|(id, index)| id.as_ref().and_then(|id| scan.find(id)).unwrap_or(*index));
        match (place, direction) {
            (None, Direction::Forward) => ring.first().copied(),
            (None, Direction::Back) => ring.last().copied(),
            (Some(place), Direction::Forward) => ring.iter().copied().find(|i| *i >= place).or(ring.first().copied()),
            (Some(place), Direction::Back) => ring.iter().copied().rfind(|i| *i < place).or(ring.last().copied()),
        }
    }

    /// The item that F6 goes to: the next pane's remembered control, else its first.
    fn next_pane(&self, scan: &Scan, direction: Direction) -> Option<usize> {
        let mut panes: Vec<&Key> = Vec::new();
        for pane in scan.items.iter().filter(|item| item.trap == scan.deepest).filter_map(|item| item.pane.as_ref()) {
            if !panes.contains(&pane) {
                panes.push(pane);
            }
        }
        let count = panes.len();
        if count == 0 {
            return None;
        }
        let current = scan.focused().and_then(|i| scan.items[i].pane.as_ref());
        let at = current.and_then(|current| panes.iter().position(|pane| *pane == current));
        let to = match (at, direction) {
            (Some(at), Direction::Forward) => (at + 1) % count,
            (Some(at), Direction::Back) => (at + count - 1) % count,
            (None, Direction::Forward) => 0,
            (None, Direction::Back) => count - 1,
        };
        let inside = |i: &usize| scan.items[*i].pane.as_ref() == Some(panes[to]) && scan.items[*i].trap == scan.deepest;
        let remembered = self.panes.get(panes[to]).and_then(|id| scan.find(id)).filter(inside);
        remembered.or_else(|| (0..scan.items.len()).find(inside))
    }

    /// A modal appeared: where to move focus. A modal went: where it was before. `None`: leave it.
    fn sync_traps(&mut self, scan: &Scan) -> Option<usize> {
        let mut target = None;
        while self.traps.len() < scan.deepest {
            self.traps.push(scan.focused().and_then(|i| scan.items[i].id.clone()));
            let inside = scan.focused().is_some_and(|i| scan.items[i].trap == scan.deepest);
            if !inside {
                target = scan.items.iter().position(|item| item.trap == scan.deepest);
            }
        }
        let mut closed = None;
        while self.traps.len() > scan.deepest {
            closed = self.traps.pop();
        }
        // A program that already moved focus itself (to the composer, say) is not overruled.
        let placed = scan.focused().is_some();
        closed.flatten().filter(|_| !placed).and_then(|id| scan.find(&id)).or(target)
    }
}

impl<M> Root<'_, M> {
    /// Runs an operation over the view and its overlays.
    fn run(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer, operation: &mut dyn Operation) {
        self.content.as_widget_mut().operate(&mut tree.children[0], layout, renderer, operation);
        let bounds = layout.bounds();
        let overlay =
            self.content.as_widget_mut().overlay(&mut tree.children[0], layout, renderer, &bounds, Vector::ZERO);
        if let Some(mut overlay) = overlay.map(overlay::Nested::new) {
            let node = overlay.layout(renderer, bounds.size());
            overlay.operate(Layout::new(&node), renderer, operation);
        }
    }

    fn scan(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer) -> Scan {
        let mut scan = Scan::default();
        self.run(tree, layout, renderer, &mut scan);
        if let Some(index) = scan.focused() {
            tree.state.downcast_mut::<State>().note(index, &scan.items[index]);
        }
        scan
    }

    fn apply(&mut self, target: usize, scan: &Scan, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer) {
        let mut apply = Apply::new(target, scan.reveal(target));
        self.run(tree, layout, renderer, &mut apply);
        tree.state.downcast_mut::<State>().note(target, &scan.items[target]);
    }

    /// Moves focus for a key; false when there is nowhere to go.
    fn step(&mut self, key: Named, direction: Direction, tree: &mut Tree, layout: Layout<'_>, r: &Renderer) -> bool {
        let scan = self.scan(tree, layout, r);
        let state = tree.state.downcast_ref::<State>();
        let target = match key {
            Named::F6 => state.next_pane(&scan, direction),
            _ => state.next(&scan, direction),
        };
        if let Some(target) = target {
            self.apply(target, &scan, tree, layout, r);
        }
        target.is_some()
    }

    /// Performs what assistive technologies asked for since the last frame.
    fn answer(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer) -> bool {
        let requests = self.bridge.take_requests();
        let any = !requests.is_empty();
        for request in requests {
            let within = Within::new(&request);
            self.run(tree, layout, renderer, &mut Perform::new(request));
            if let Some(mut within) = within {
                self.run(tree, layout, renderer, &mut within);
                let scan = self.scan(tree, layout, renderer);
                if let Some(target) = within.found.filter(|i| scan.items[*i].trap == scan.deepest) {
                    self.apply(target, &scan, tree, layout, renderer);
                }
            }
        }
        any
    }

    fn publish(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer) {
        let (title, scale) = self.bridge.title_and_scale();
        let mut collector = Collector::new(title, layout.bounds(), scale);
        self.run(tree, layout, renderer, &mut collector);
        let tree = collector.finish_tree();
        self.bridge.publish(tree.nodes, tree.offscreen, tree.focus);
    }

    /// A caret is shown in the half second after the last edit: in a still window that lasts for ever.
    fn hold_time(&self, event: &Event, state: &mut State) -> Event {
        match event {
            Event::Window(window::Event::RedrawRequested(now)) => {
                let begun = *state.begun.get_or_insert(*now);
                Event::Window(window::Event::RedrawRequested(if self.still { begun } else { *now }))
            }
            event => event.clone(),
        }
    }

    fn observe(&self, event: &Event, state: &mut State) {
        match event {
            Event::Window(window::Event::Focused) => self.bridge.set_window_focus(true),
            Event::Window(window::Event::Unfocused) => {
                state.composing = false;
                self.bridge.set_window_focus(false);
            }
            Event::Window(window::Event::Rescaled(scale)) => self.bridge.set_scale(*scale),
            Event::InputMethod(input_method::Event::Preedit(text, _)) => state.composing = !text.is_empty(),
            Event::InputMethod(input_method::Event::Commit(_) | input_method::Event::Closed) => state.composing = false,
            _ => {}
        }
    }
}

impl<M> Widget<M, Theme, Renderer> for Root<'_, M> {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::default())
    }

    fn children(&self) -> Vec<Tree> {
        vec![Tree::new(&self.content)]
    }

    fn diff(&self, tree: &mut Tree) {
        tree.diff_children(std::slice::from_ref(&self.content));
    }

    fn size(&self) -> Size<Length> {
        self.content.as_widget().size()
    }

    fn size_hint(&self) -> Size<Length> {
        self.content.as_widget().size_hint()
    }

    fn layout(&mut self, tree: &mut Tree, renderer: &Renderer, limits: &layout::Limits) -> layout::Node {
        self.content.as_widget_mut().layout(&mut tree.children[0], renderer, limits)
    }

    fn operate(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer, operation: &mut dyn Operation) {
        self.content.as_widget_mut().operate(&mut tree.children[0], layout, renderer, operation);
    }

    fn update(
        &mut self,
        tree: &mut Tree,
        event: &Event,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        renderer: &Renderer,
        clipboard: &mut dyn Clipboard,
        shell: &mut Shell<'_, M>,
        viewport: &Rectangle,
    ) {
        self.observe(event, tree.state.downcast_mut());
        let redraw = matches!(event, Event::Window(window::Event::RedrawRequested(_)));
        if redraw && self.answer(tree, layout, renderer) {
            shell.request_redraw();
        }
        if let Event::Keyboard(keyboard::Event::KeyPressed { .. }) = event
            && tree.state.downcast_ref::<State>().composing
        {
            shell.capture_event();
            return;
        }
        let wanted = shell.redraw_request();
        let event = &self.hold_time(event, tree.state.downcast_mut());
        let content = &mut tree.children[0];
        self.content.as_widget_mut().update(content, event, layout, cursor, renderer, clipboard, shell, viewport);
        if self.still && redraw && matches!(shell.redraw_request(), RedrawRequest::At(_)) {
            Shell::replace_redraw_request(shell, wanted);
        }
        if let Event::Keyboard(keyboard::Event::KeyPressed {
            key: KeyName::Named(key @ (Named::Tab | Named::F6)),
            modifiers,
            ..
        }) = event
            && !shell.is_event_captured()
            && !modifiers.control()
            && !modifiers.alt()
            && !modifiers.logo()
        {
            let direction = if modifiers.shift() { Direction::Back } else { Direction::Forward };
            if self.step(*key, direction, tree, layout, renderer) {
                shell.capture_event();
                shell.invalidate_layout();
                shell.request_redraw();
            }
        }
        if redraw {
            let scan = self.scan(tree, layout, renderer);
            if let Some(target) = tree.state.downcast_mut::<State>().sync_traps(&scan) {
                self.apply(target, &scan, tree, layout, renderer);
                shell.invalidate_layout();
                shell.request_redraw();
            }
            if self.bridge.wanted() {
                self.publish(tree, layout, renderer);
            }
        }
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        style: &renderer::Style,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        self.content.as_widget().draw(&tree.children[0], renderer, theme, style, layout, cursor, viewport);
    }

    fn mouse_interaction(
        &self,
        tree: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
        renderer: &Renderer,
    ) -> mouse::Interaction {
        self.content.as_widget().mouse_interaction(&tree.children[0], layout, cursor, viewport, renderer)
    }

    fn overlay<'b>(
        &'b mut self,
        tree: &'b mut Tree,
        layout: Layout<'b>,
        renderer: &Renderer,
        viewport: &Rectangle,
        translation: Vector,
    ) -> Option<overlay::Element<'b, M, Theme, Renderer>> {
        self.content.as_widget_mut().overlay(&mut tree.children[0], layout, renderer, viewport, translation)
    }
}
