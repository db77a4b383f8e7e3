//! Names, roles and live regions for parts that are not controls, and the markers of panes and dialogs.

use super::{Element, Renderer};
use crate::a11y::{Access, Action, Key, Live, Node, PaneMarker, Role, TrapMarker, describe};
use crate::ui::theme::Theme;
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, overlay, renderer};
use iced::keyboard::{self, Key as KeyName, key::Named};
use iced::{Event, Length, Rectangle, Size, Vector};

/// See [`accessible`].
pub struct Accessible<'a, M> {
    key: Key,
    node: Node,
    content: Element<'a, M>,
    leaf: bool,
    trap: bool,
    pane: bool,
    on_click: Option<M>,
    on_escape: Option<M>,
}

/// Gives any content a role and a name (`""`: no name). Its controls and texts become the node's children.
pub fn accessible<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    role: Role,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Accessible<'a, M> {
    let mut node = Node::new(role);
    let label = label.into();
    if !label.is_empty() {
        node.set_label(label);
    }
    Accessible {
        key: key.into(),
        node,
        content: content.into(),
        leaf: false,
        trap: false,
        pane: false,
        on_click: None,
        on_escape: None,
    }
}

/// A heading of level 1 to 6; its text is `label`, drawn by `content`.
pub fn heading<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    level: usize,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Accessible<'a, M> {
    accessible(key, Role::Heading, label, content).leaf().node(|node| node.set_level(level))
}

/// A named group of controls.
pub fn group<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Accessible<'a, M> {
    accessible(key, Role::Group, label, content)
}

/// A region that is read when its `label` changes: assertive as an alert, polite as a status. Keep it in the tree all
/// the time, and keep timers out of the label. For words that are not on the screen use `Bridge::announce`.
pub fn live<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    live: Live,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Accessible<'a, M> {
    let role = if live == Live::Assertive { Role::Alert } else { Role::Status };
    accessible(key, role, label, content).node(|node| node.set_live(live))
}

/// A pane of the window: F6 goes from pane to pane, to the control that had focus there last.
pub fn pane<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Accessible<'a, M> {
    let mut pane = accessible(key, Role::Region, label, content);
    pane.pane = true;
    pane
}

/// A modal dialog: focus moves in when it appears, Tab stays inside, focus goes back when it closes. Put it into an
/// always present `stack!`, inside `iced::widget::opaque` so that the pointer stays inside too.
pub fn dialog<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Accessible<'a, M> {
    accessible(key, Role::Dialog, label, content).trap()
}

impl<'a, M: Clone + 'a> Accessible<'a, M> {
    /// Any other property of the accessibility node.
    pub fn node(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(&mut self.node);
        self
    }

    /// The texts inside are already in the name and are not read again.
    pub fn leaf(mut self) -> Self {
        self.leaf = true;
        self
    }

    pub fn description(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.node(|node| node.set_description(text))
    }

    /// Everything inside is a modal focus trap.
    pub fn trap(mut self) -> Self {
        self.trap = true;
        self.node(Node::set_modal)
    }

    /// Escape that nothing inside took. Only sensible for layers on top: every mounted one hears the key.
    pub fn on_escape(mut self, message: M) -> Self {
        self.on_escape = Some(message);
        self
    }

    /// A click by an assistive technology (content that reacts to the pointer itself).
    pub fn on_click(mut self, message: M) -> Self {
        self.node.add_action(Action::Click);
        self.on_click = Some(message);
        self
    }
}

impl<'a, M: Clone + 'a> Widget<M, Theme, Renderer> for Accessible<'a, M> {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<Access>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(Access::default())
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
        let bounds = layout.bounds();
        let Tree { state, children, .. } = tree;
        if self.trap {
            operation.custom(None, bounds, &mut TrapMarker);
        }
        if self.pane {
            operation.custom(None, bounds, &mut PaneMarker(self.key.clone()));
        }
        describe(operation, &self.key, bounds, state.downcast_mut(), |access| {
            access.node = self.node.clone();
            access.leaf = self.leaf;
        });
        operation.traverse(&mut |operation| {
            self.content.as_widget_mut().operate(&mut children[0], layout, renderer, operation);
        });
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
        let content = &mut tree.children[0];
        self.content.as_widget_mut().update(content, event, layout, cursor, renderer, clipboard, shell, viewport);
        while let Some(request) = tree.state.downcast_mut::<Access>().pending.pop_front() {
            if request.action == Action::Click
                && let Some(message) = &self.on_click
            {
                shell.publish(message.clone());
            }
        }
        if let (Event::Keyboard(keyboard::Event::KeyPressed { key: KeyName::Named(Named::Escape), .. }), Some(message)) =
            (event, &self.on_escape)
            && !shell.is_event_captured()
        {
            shell.publish(message.clone());
            shell.capture_event();
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

impl<'a, M: Clone + 'a> From<Accessible<'a, M>> for Element<'a, M> {
    fn from(accessible: Accessible<'a, M>) -> Self {
        Self::new(accessible)
    }
}
