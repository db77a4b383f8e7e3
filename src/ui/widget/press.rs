//! Buttons, links, rows and tabs: one widget, several looks.

use super::focus::Focus;
use super::paint::{dashes, fill, focus_ring};
use super::{CONTROL, Element, Renderer, TARGET, caption};
use crate::a11y::{Access, Action, Key, Node, Role, describe};
use crate::ui::theme::Theme;
use iced::advanced::widget::{Operation, Tree, operation::Focusable, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, overlay, renderer};
use iced::keyboard::{self, Key as KeyName, key::Named};
use iced::{Alignment, Border, Color, Event, Length, Padding, Rectangle, Size, Vector, touch, window};

/// How a pressable is drawn. Selected and disabled are told by an edge or dashes too, never by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The one thing to do here.
    Primary,
    Secondary,
    /// Words only, until pointed at.
    Flat,
    /// In a line of text: underlined, 24 px high.
    Link,
    /// Destroys or takes back.
    Danger,
    /// A full-width row; selected rows have an edge.
    Row,
    /// One of several pages; the selected one is underlined.
    Tab,
}

/// See [`pressable`].
pub struct Pressable<'a, M> {
    key: Key,
    node: Node,
    content: Element<'a, M>,
    on_press: Option<M>,
    armed: bool,
    selected: bool,
    look: Look,
    padding: Option<Padding>,
    least: f32,
    width: Length,
}

/// A control that does one thing when pressed. `label` is its accessible name; the content's text is not read again.
/// Without [`Pressable::on_press`] it is disabled: dashed, dim, skipped by Tab.
pub fn pressable<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    role: Role,
    label: impl Into<String>,
    content: impl Into<Element<'a, M>>,
) -> Pressable<'a, M> {
    let mut node = Node::new(role);
    node.set_label(label.into());
    Pressable {
        key: key.into(),
        node,
        content: content.into(),
        on_press: None,
        armed: true,
        selected: false,
        look: Look::Secondary,
        padding: None,
        least: CONTROL,
        width: Length::Shrink,
    }
}

/// A button with its label as text.
pub fn button<'a, M: Clone + 'a>(key: impl Into<Key>, label: impl Into<String>) -> Pressable<'a, M> {
    let label = label.into();
    pressable(key, Role::Button, label.clone(), caption(label))
}

impl<'a, M: Clone + 'a> Pressable<'a, M> {
    pub fn on_press(self, message: M) -> Self {
        self.on_press_maybe(Some(message))
    }

    /// `None`: disabled; say why with [`Pressable::description`].
    pub fn on_press_maybe(mut self, message: Option<M>) -> Self {
        self.on_press = message;
        self
    }

    pub fn look(mut self, look: Look) -> Self {
        self.look = look;
        self
    }

    /// `false`: drawn and focusable, but a press does nothing yet (a card that just appeared under the pointer).
    pub fn armed(mut self, armed: bool) -> Self {
        self.armed = armed;
        self
    }

    /// Read after the name: what happens, or why it is disabled.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.node.set_description(text.into());
        self
    }

    /// The current row, page or choice.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self.node.set_selected(selected);
        self
    }

    /// It shows and hides something, which is shown now.
    pub fn expanded(mut self, expanded: bool) -> Self {
        self.node.set_expanded(expanded);
        self
    }

    /// The key that does the same, as on the screen: `Ctrl+Enter`. The key itself is the application's.
    pub fn shortcut(mut self, keys: impl Into<String>) -> Self {
        self.node.set_keyboard_shortcut(keys.into());
        self
    }

    /// As low as a target may be (24 px): a quiet button in a line of small text.
    pub fn low(mut self) -> Self {
        self.least = TARGET;
        self.padding([2, 6])
    }

    pub fn padding(mut self, padding: impl Into<Padding>) -> Self {
        self.padding = Some(padding.into());
        self
    }

    pub fn width(mut self, width: impl Into<Length>) -> Self {
        self.width = width.into();
        self
    }

    /// Any other property of the accessibility node.
    pub fn node(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(&mut self.node);
        self
    }

    fn live(&self) -> Option<&M> {
        self.on_press.as_ref().filter(|_| self.armed)
    }

    fn insets(&self) -> Padding {
        self.padding.unwrap_or(match self.look {
            Look::Link => Padding::from([2, 2]),
            Look::Row => Padding::from([8, 12]),
            Look::Primary | Look::Secondary | Look::Flat | Look::Danger | Look::Tab => Padding::from([6, 12]),
        })
    }
}

#[derive(Default)]
struct State {
    focus: Focus,
    pressed: bool,
    hovered: bool,
    access: Access,
}

struct Paint {
    fill: Color,
    text: Color,
    edge: Color,
}

fn paint(look: Look, state: &State, enabled: bool, selected: bool, theme: &Theme) -> Paint {
    let t = theme.tokens();
    let none = Color::TRANSPARENT;
    if !enabled {
        return Paint { fill: none, text: t.dim, edge: none };
    }
    let pointed = state.hovered || state.pressed;
    match look {
        Look::Primary => Paint { fill: t.accent, text: t.accent_text, edge: if pointed { t.text } else { t.accent } },
        Look::Secondary => Paint { fill: if pointed { t.panel } else { t.card }, text: t.text, edge: t.part },
        Look::Danger => Paint { fill: if pointed { t.bad_bg } else { t.card }, text: t.bad, edge: t.bad },
        Look::Flat => Paint {
            fill: if pointed { t.panel } else { none },
            text: t.accent,
            edge: if pointed { t.part } else { none },
        },
        Look::Link => Paint { fill: none, text: t.link, edge: none },
        Look::Row => Paint { fill: if selected || pointed { t.card } else { none }, text: t.text, edge: none },
        Look::Tab => Paint { fill: if pointed { t.panel } else { none }, text: t.text, edge: none },
    }
}

impl<'a, M: Clone + 'a> Widget<M, Theme, Renderer> for Pressable<'a, M> {
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
        if self.on_press.is_none() {
            let state = tree.state.downcast_mut::<State>();
            state.focus = Focus::None;
            state.pressed = false;
        }
        tree.diff_children(std::slice::from_ref(&self.content));
    }

    fn size(&self) -> Size<Length> {
        Size::new(self.width, Length::Shrink)
    }

    fn layout(&mut self, tree: &mut Tree, renderer: &Renderer, limits: &layout::Limits) -> layout::Node {
        let least = if self.look == Look::Link { TARGET } else { self.least };
        let across = if self.look == Look::Row { Alignment::Start } else { Alignment::Center };
        let limits = limits.min_height(least).min_width(TARGET);
        layout::positioned(
            &limits,
            self.width,
            Length::Shrink,
            self.insets(),
            |limits| self.content.as_widget_mut().layout(&mut tree.children[0], renderer, &limits.loose()),
            |content, size| content.align(across, Alignment::Center, size),
        )
    }

    fn operate(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer, operation: &mut dyn Operation) {
        let Tree { state, children, .. } = tree;
        let State { focus, access, .. } = state.downcast_mut();
        let enabled = self.on_press.is_some();
        describe(operation, &self.key, layout.bounds(), access, |access| {
            access.leaf = true;
            access.node = self.node.clone();
            match enabled {
                true => {
                    access.node.add_action(Action::Click);
                    access.node.add_action(Action::Focus);
                }
                false => access.node.set_disabled(),
            }
            if enabled && !self.armed {
                access.node.set_busy();
            }
        });
        operation.traverse(&mut |operation| {
            if enabled {
                operation.focusable(Some(&self.key.id()), layout.bounds(), focus);
            }
            for content in layout.children().take(1) {
                self.content.as_widget_mut().operate(&mut children[0], content, renderer, operation);
            }
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
        for inner in layout.children().take(1) {
            let content = &mut tree.children[0];
            self.content.as_widget_mut().update(content, event, inner, cursor, renderer, clipboard, shell, viewport);
        }
        let state = tree.state.downcast_mut::<State>();
        while let Some(request) = state.access.pending.pop_front() {
            if request.action == Action::Click
                && let Some(message) = self.live()
            {
                shell.publish(message.clone());
            }
        }
        let over = cursor.is_over(layout.bounds());
        if matches!(event, Event::Window(window::Event::RedrawRequested(_))) {
            state.hovered = over;
        } else if state.hovered != over {
            shell.request_redraw();
        }
        if shell.is_event_captured() || self.on_press.is_none() {
            return;
        }
        self.press(state, event, over, shell);
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        _: &renderer::Style,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        let state = tree.state.downcast_ref::<State>();
        let bounds = layout.bounds();
        let enabled = self.live().is_some();
        let paint = paint(self.look, state, enabled, self.selected, theme);
        let metric = theme.metric();
        let radius = if matches!(self.look, Look::Row | Look::Tab) { 0.0 } else { metric.radius };
        let border = Border { color: paint.edge, width: metric.border_width, radius: radius.into() };
        fill(renderer, bounds, paint.fill, border);
        let framed = !matches!(self.look, Look::Row | Look::Tab | Look::Link);
        if !enabled && framed {
            dashes(renderer, bounds, theme.tokens().part, metric.border_width);
        }
        if self.selected {
            let thick = 3.0;
            let mark = match self.look {
                Look::Tab => Rectangle { y: bounds.y + bounds.height - thick, height: thick, ..bounds },
                _ => Rectangle { width: thick, ..bounds },
            };
            fill(renderer, mark, theme.tokens().accent, Border::default());
        }
        for inner in layout.children().take(1) {
            let style = renderer::Style { text_color: paint.text };
            self.content.as_widget().draw(&tree.children[0], renderer, theme, &style, inner, cursor, viewport);
            if enabled && (self.look == Look::Link || (self.look == Look::Flat && theme.is_high_contrast())) {
                let under = inner.bounds();
                let under = Rectangle { y: under.y + under.height - 2.0, height: 1.0, ..under };
                fill(renderer, under, paint.text, Border::default());
            }
        }
        if state.focus.is_visible() {
            focus_ring(renderer, theme, bounds);
        }
    }

    fn mouse_interaction(
        &self,
        _: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        _: &Rectangle,
        _: &Renderer,
    ) -> mouse::Interaction {
        match cursor.is_over(layout.bounds()) {
            true if self.live().is_some() => mouse::Interaction::Pointer,
            _ => mouse::Interaction::None,
        }
    }

    fn overlay<'b>(
        &'b mut self,
        tree: &'b mut Tree,
        layout: Layout<'b>,
        renderer: &Renderer,
        viewport: &Rectangle,
        translation: Vector,
    ) -> Option<overlay::Element<'b, M, Theme, Renderer>> {
        let inner = layout.children().next()?;
        self.content.as_widget_mut().overlay(&mut tree.children[0], inner, renderer, viewport, translation)
    }
}

impl<'a, M: Clone + 'a> Pressable<'a, M> {
    /// Pointer, touch and keys. A held key presses once: repeats are ignored.
    fn press(&self, state: &mut State, event: &Event, over: bool, shell: &mut Shell<'_, M>) {
        let publish = |shell: &mut Shell<'_, M>| {
            if let Some(message) = self.live() {
                shell.publish(message.clone());
            }
        };
        match event {
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left))
            | Event::Touch(touch::Event::FingerPressed { .. }) => {
                if over {
                    state.focus = Focus::Quiet;
                    state.pressed = true;
                    shell.capture_event();
                    shell.request_redraw();
                } else if state.focus.is_focused() {
                    state.focus = Focus::None;
                    shell.request_redraw();
                }
            }
            Event::Mouse(mouse::Event::ButtonReleased(mouse::Button::Left))
            | Event::Touch(touch::Event::FingerLifted { .. })
                if state.pressed =>
            {
                state.pressed = false;
                shell.request_redraw();
                if over {
                    publish(shell);
                    shell.capture_event();
                }
            }
            Event::Touch(touch::Event::FingerLost { .. }) => state.pressed = false,
            Event::Keyboard(keyboard::Event::KeyPressed {
                key: KeyName::Named(Named::Enter | Named::Space),
                modifiers,
                repeat,
                ..
            }) if state.focus.is_focused() && modifiers.is_empty() => {
                state.focus = Focus::Visible;
                if !repeat {
                    publish(shell);
                }
                shell.capture_event();
                shell.request_redraw();
            }
            _ => {}
        }
    }
}

impl<'a, M: Clone + 'a> From<Pressable<'a, M>> for Element<'a, M> {
    fn from(pressable: Pressable<'a, M>) -> Self {
        Self::new(pressable)
    }
}
