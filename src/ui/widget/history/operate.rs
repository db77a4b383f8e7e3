//! What the list tells operations: its node, the rows that exist, and only the active row's controls as Tab stops.

use super::History;
use super::state::{Asked, State};
use crate::a11y::{Access, Action, Node, describe};
use crate::ui::widget::Renderer;
use iced::Rectangle;
use iced::Vector;
use iced::advanced::Layout;
use iced::advanced::widget::operation::{Focusable, Operation, Scrollable, TextInput};
use iced::advanced::widget::{Id, Tree};
use std::any::Any;

/// Kept from the view's edge when the active row is taken as the place of focus.
const INSET: f32 = 8.0;

impl<'a, M: Clone + 'a> History<'a, M> {
    pub(super) fn describe(
        &mut self,
        tree: &mut Tree,
        layout: Layout<'_>,
        renderer: &Renderer,
        operation: &mut dyn Operation,
    ) {
        let Tree { state, children, .. } = tree;
        let state = state.downcast_mut::<State>();
        let bounds = layout.bounds();
        let mut asked = Asked(None);
        operation.custom(Some(&self.key.id()), bounds, &mut asked);
        if let Some(ask) = asked.0 {
            state.ask(ask);
        }
        let list_role = self.roles.0;
        describe(operation, &self.key, bounds, &mut Access::default(), |access| {
            access.node = Node::new(list_role);
            access.node.set_label(self.label.as_str());
            access.node.set_size_of_set(self.rows.len());
        });
        operation.scrollable(Some(&self.key.id()), bounds, bounds, Vector::ZERO, state);
        self.choose_active(state, layout);
        let id = self.key.id();
        operation.traverse(&mut |operation| {
            let State { placed, focus, active, .. } = &mut *state;
            let exists = placed.iter().any(|placed| Some(placed.row.key) == *active);
            // A list that waits for its first rows can have the focus already; an empty picker is no stop.
            if !exists && (self.follow || !placed.is_empty()) {
                operation.focusable(Some(&id), bounds.shrink(INSET), focus);
            }
            let rows = self.visible.iter_mut().zip(placed).zip(children.iter_mut()).zip(layout.children());
            for (((row, placed), tree), layout) in rows {
                let is_active = *active == Some(row.row.key);
                let key = self.key.part(row.row.key);
                describe(operation, &key, layout.bounds(), &mut placed.access, |access| {
                    access.node = Node::new(self.roles.1);
                    access.node.set_label((self.row_label)(row.index));
                    access.node.set_position_in_set(row.index);
                    access.node.add_action(Action::Focus);
                    if self.on_activate.is_some() {
                        access.node.add_action(Action::Click);
                    }
                    if let Some(selected) = &self.row_selected {
                        access.node.set_selected(selected(row.index));
                    }
                });
                operation.traverse(&mut |operation| {
                    let element = row.element.as_widget_mut();
                    if is_active {
                        // A row taller than the view is not scrolled to its start just to be focused.
                        let place = layout.bounds().intersection(&bounds.shrink(INSET)).unwrap_or(layout.bounds());
                        operation.focusable(Some(&id), place, focus);
                        element.operate(tree, layout, renderer, operation);
                    } else {
                        element.operate(tree, layout, renderer, &mut NoFocus(operation));
                    }
                });
            }
        });
    }

    /// Without focus the active row is one in sight: the last whole one at the end, else the first.
    fn choose_active(&self, state: &mut State, layout: Layout<'_>) {
        let bounds = layout.bounds();
        let rows = || self.visible.iter().zip(layout.children()).map(|(row, layout)| (row.row.key, layout.bounds()));
        let in_sight = |key: u64| rows().any(|(k, b)| k == key && b.intersects(&bounds));
        let inside = state.focus.is_focused();
        if inside || state.active.is_some_and(in_sight) {
            return;
        }
        let whole = |b: &Rectangle| b.y >= bounds.y && b.y + b.height <= bounds.y + bounds.height;
        let mut candidates = rows().filter(|(_, b)| whole(b)).map(|(key, _)| key);
        let chosen = if self.follow { candidates.next_back() } else { candidates.next() };
        state.active = chosen.or_else(|| rows().find(|(_, b)| b.intersects(&bounds)).map(|(key, _)| key));
    }
}

/// Hides a row's controls from Tab.
struct NoFocus<'o>(&'o mut dyn Operation);

impl Operation for NoFocus<'_> {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        self.0.traverse(&mut |operation| operate(&mut NoFocus(operation)));
    }

    fn container(&mut self, id: Option<&Id>, bounds: Rectangle) {
        self.0.container(id, bounds);
    }

    fn scrollable(&mut self, id: Option<&Id>, b: Rectangle, c: Rectangle, by: Vector, s: &mut dyn Scrollable) {
        self.0.scrollable(id, b, c, by, s);
    }

    fn focusable(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Focusable) {
        if state.is_focused() {
            state.unfocus();
        }
    }

    fn text_input(&mut self, id: Option<&Id>, bounds: Rectangle, state: &mut dyn TextInput) {
        self.0.text_input(id, bounds, state);
    }

    fn text(&mut self, id: Option<&Id>, bounds: Rectangle, text: &str) {
        self.0.text(id, bounds, text);
    }

    fn custom(&mut self, id: Option<&Id>, bounds: Rectangle, state: &mut dyn Any) {
        self.0.custom(id, bounds, state);
    }
}
