//! Text fields: iced's text input with a name, a value for assistive technology, and our focus ring.

use super::focus::Probe;
use super::paint::focus_ring;
use super::{Element, LINE, Renderer, SIZE};
use crate::a11y::{Access, Action, ActionData, Key, Node, Role, describe};
use crate::ui::theme::Theme;
use iced::advanced::input_method;
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, renderer};
use iced::keyboard::{self, Key as KeyName, key::Named};
use iced::widget::TextInput;
use iced::{Event, Length, Rectangle, Size, window};
use std::rc::Rc;

/// See [`text_field`].
pub struct TextField<'a, M> {
    key: Key,
    value: String,
    placeholder: String,
    node: Node,
    on_input: Option<Rc<dyn Fn(String) -> M + 'a>>,
    on_submit: Option<M>,
    on_submit_back: Option<M>,
    on_step: Option<Box<dyn Fn(bool) -> M + 'a>>,
    secure: bool,
    width: Length,
}

/// One line of text. `label` is its name for assistive technology; show it on the screen too. Escape is left to the
/// page.
pub fn text_field<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    value: impl Into<String>,
    on_input: impl Fn(String) -> M + 'a,
) -> TextField<'a, M> {
    let mut node = Node::new(Role::TextInput);
    node.set_label(label.into());
    TextField {
        key: key.into(),
        value: value.into(),
        placeholder: String::new(),
        node,
        on_input: Some(Rc::new(on_input)),
        on_submit: None,
        on_submit_back: None,
        on_step: None,
        secure: false,
        width: Length::Fill,
    }
}

impl<'a, M: Clone + 'a> TextField<'a, M> {
    /// Another role (`Role::SearchInput`, `Role::UrlInput`, `Role::NumberInput`).
    pub fn role(self, role: Role) -> Self {
        self.node(|node| node.set_role(role))
    }

    /// Shown while it is empty; never the only label.
    pub fn placeholder(mut self, text: impl Into<String>) -> Self {
        self.placeholder = text.into();
        let text = self.placeholder.clone();
        self.node(|node| node.set_placeholder(text))
    }

    /// Enter.
    pub fn on_submit(mut self, message: M) -> Self {
        self.on_submit = Some(message);
        self
    }

    /// Shift+Enter; the same as Enter otherwise.
    pub fn on_submit_back(mut self, message: M) -> Self {
        self.on_submit_back = Some(message);
        self
    }

    /// Down (`true`) and Up: moves the choice in a list beside the field, which keeps the focus.
    pub fn on_step(mut self, message: impl Fn(bool) -> M + 'a) -> Self {
        self.on_step = Some(Box::new(message));
        self
    }

    /// `false`: readable, but no Tab stop and without input; say why with [`TextField::description`].
    pub fn enabled(mut self, enabled: bool) -> Self {
        if !enabled {
            self.on_input = None;
        }
        self
    }

    /// Read after the name: a hint, or what is wrong with the value.
    pub fn description(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.node(|node| node.set_description(text))
    }

    /// The value is not acceptable; say why with [`TextField::description`] and on the screen.
    pub fn invalid(self, invalid: bool) -> Self {
        self.node(|node| {
            if invalid {
                node.set_invalid(accesskit::Invalid::True);
            }
        })
    }

    /// Shown as dots, and not given to assistive technology.
    pub fn secure(mut self, secure: bool) -> Self {
        self.secure = secure;
        match secure {
            true => self.role(Role::PasswordInput),
            false => self,
        }
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
}

impl<'a, M: Clone + 'a> From<TextField<'a, M>> for Element<'a, M> {
    fn from(field: TextField<'a, M>) -> Self {
        let on_input = field.on_input.clone().map(|on_input| move |value| on_input(value));
        let input = TextInput::new(&field.placeholder, &field.value)
            .id(field.key.id())
            .size(SIZE)
            .line_height(iced::Pixels(LINE))
            .padding([6, 10])
            .width(field.width)
            .secure(field.secure)
            .on_input_maybe(on_input)
            .on_submit_maybe(field.on_submit.clone());
        Self::new(Field { field, input })
    }
}

/// The widget made of a [`TextField`].
struct Field<'a, M> {
    field: TextField<'a, M>,
    input: TextInput<'a, M, Theme, Renderer>,
}

impl<'a, M: Clone + 'a> Field<'a, M> {
    fn inner(&self) -> &(dyn Widget<M, Theme, Renderer> + 'a) {
        &self.input
    }

    fn inner_mut(&mut self) -> &mut (dyn Widget<M, Theme, Renderer> + 'a) {
        &mut self.input
    }
}

#[derive(Default)]
struct State {
    access: Access,
    focused: bool,
}

impl<'a, M: Clone + 'a> Widget<M, Theme, Renderer> for Field<'a, M> {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::default())
    }

    fn children(&self) -> Vec<Tree> {
        vec![Tree::new(self.inner())]
    }

    fn diff(&self, tree: &mut Tree) {
        tree.diff_children(&[self.inner()]);
    }

    fn size(&self) -> Size<Length> {
        self.inner().size()
    }

    fn layout(&mut self, tree: &mut Tree, renderer: &Renderer, limits: &layout::Limits) -> layout::Node {
        self.inner_mut().layout(&mut tree.children[0], renderer, limits)
    }

    fn operate(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer, operation: &mut dyn Operation) {
        let Tree { state, children, .. } = tree;
        let access = &mut state.downcast_mut::<State>().access;
        let enabled = self.field.on_input.is_some();
        describe(operation, &self.field.key, layout.bounds(), access, |access| {
            access.leaf = true;
            access.node = self.field.node.clone();
            if !self.field.secure {
                access.node.set_value(self.field.value.as_str());
            }
            match enabled {
                true => {
                    access.node.add_action(Action::Focus);
                    access.node.add_action(Action::SetValue);
                }
                false => access.node.set_disabled(),
            }
        });
        operation.traverse(&mut |operation| {
            if enabled {
                self.inner_mut().operate(&mut children[0], layout, renderer, operation);
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
        let focused = tree.state.downcast_ref::<State>().focused;
        let step = step(event).filter(|_| focused);
        let back = self.field.on_submit_back.as_ref().filter(|_| focused && is_shift_enter(event));
        if let (Some(down), Some(message)) = (step, &self.field.on_step) {
            shell.publish(message(down));
            shell.capture_event();
        } else if let Some(message) = back {
            shell.publish(message.clone());
            shell.capture_event();
        } else if !is_for_the_page(event) {
            let child = &mut tree.children[0];
            self.inner_mut().update(child, event, layout, cursor, renderer, clipboard, shell, viewport);
        }
        let Tree { state, children, .. } = tree;
        let state = state.downcast_mut::<State>();
        if let Some(value) = set_value(&mut state.access)
            && let Some(on_input) = &self.field.on_input
        {
            shell.publish(on_input(value));
        }
        if matches!(event, Event::Window(window::Event::RedrawRequested(_))) {
            let mut probe = Probe::default();
            self.inner_mut().operate(&mut children[0], layout, renderer, &mut probe);
            state.focused = probe.0;
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
        self.inner().draw(&tree.children[0], renderer, theme, style, layout, cursor, viewport);
        if tree.state.downcast_ref::<State>().focused {
            focus_ring(renderer, theme, layout.bounds());
        }
    }

    fn mouse_interaction(
        &self,
        tree: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
        renderer: &Renderer,
    ) -> mouse::Interaction {
        self.inner().mouse_interaction(&tree.children[0], layout, cursor, viewport, renderer)
    }
}

/// Down is `true`, Up is `false`.
fn step(event: &Event) -> Option<bool> {
    let Event::Keyboard(keyboard::Event::KeyPressed { key: KeyName::Named(key), modifiers, .. }) = event else {
        return None;
    };
    match key {
        Named::ArrowDown if modifiers.is_empty() => Some(true),
        Named::ArrowUp if modifiers.is_empty() => Some(false),
        _ => None,
    }
}

fn is_shift_enter(event: &Event) -> bool {
    matches!(event, Event::Keyboard(keyboard::Event::KeyPressed { key: KeyName::Named(Named::Enter), modifiers, .. })
        if *modifiers == keyboard::Modifiers::SHIFT)
}

/// Keys a text field has no use for; iced's would swallow Escape to drop focus.
pub(super) fn is_for_the_page(event: &Event) -> bool {
    matches!(event, Event::Keyboard(keyboard::Event::KeyPressed { key: KeyName::Named(Named::Escape), .. }))
}

/// The last value an assistive technology set.
pub(super) fn set_value(access: &mut Access) -> Option<String> {
    let mut values = access.pending.drain(..).filter_map(|request| match (request.action, request.data) {
        (Action::SetValue | Action::ReplaceSelectedText, Some(ActionData::Value(value))) => Some(value.into_string()),
        _ => None,
    });
    values.next_back()
}

/// What an input method is doing, as the caller of an editor needs to know it.
pub(super) fn composing(event: &Event) -> Option<bool> {
    match event {
        Event::InputMethod(input_method::Event::Preedit(text, _)) => Some(!text.is_empty()),
        Event::InputMethod(input_method::Event::Commit(_) | input_method::Event::Closed) => Some(false),
        _ => None,
    }
}
