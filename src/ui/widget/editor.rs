//! The composer's editor: several lines, grows with its text, and screen readers can follow the caret.

use super::field::{composing, set_value};
use super::focus::Probe;
use super::paint::focus_ring;
use super::{Element, Renderer};
use crate::a11y::{Access, Action, Caret, Key, Node, Role, describe, text_runs};
use crate::ui::theme::Theme;
use iced::advanced::text::highlighter::PlainText;
use iced::advanced::text::{LineHeight, Wrapping};
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, renderer};
use iced::keyboard::{Key as KeyName, key::Named};
use iced::widget::text_editor::{Action as Edit, Binding, Content, KeyPress, Motion, TextEditor};
use iced::{Event, Length, Padding, Pixels, Rectangle, Size, window};
use std::rc::Rc;

/// Text size and line height of the editor.
const TEXT: f32 = 15.0;
const LINE: f32 = 22.0;
const PADDING: Padding = Padding { top: 8.0, right: 12.0, bottom: 8.0, left: 12.0 };

type KeyHook<'a, M> = dyn Fn(&KeyPress) -> Option<M> + 'a;

/// See [`editor`].
pub struct Editor<'a, M> {
    key: Key,
    node: Node,
    content: &'a Content<Renderer>,
    inner: TextEditor<'a, PlainText, M, Theme, Renderer>,
    on_key: Option<Rc<KeyHook<'a, M>>>,
    on_value: Option<Box<dyn Fn(String) -> M + 'a>>,
    on_composing: Option<Box<dyn Fn(bool) -> M + 'a>>,
    enabled: bool,
}

/// Several lines of text, two to eight lines high. Tab leaves it; Escape is left to the page.
pub fn editor<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    content: &'a Content<Renderer>,
    on_action: impl Fn(Edit) -> M + 'a,
) -> Editor<'a, M> {
    let key = key.into();
    let mut node = Node::new(Role::MultilineTextInput);
    node.set_label(label.into());
    let inner = TextEditor::new(content)
        .id(key.id())
        .size(TEXT)
        .line_height(LineHeight::Absolute(Pixels(LINE)))
        .padding(PADDING)
        .wrapping(Wrapping::WordOrGlyph)
        .on_action(on_action);
    let editor = Editor { key, node, content, inner, on_key: None, on_value: None, on_composing: None, enabled: true };
    editor.lines(2, 8)
}

impl<'a, M: Clone + 'a> Editor<'a, M> {
    /// Least and greatest height in lines.
    pub fn lines(mut self, least: u16, most: u16) -> Self {
        let height = |lines: u16| f32::from(lines) * LINE + PADDING.top + PADDING.bottom;
        self.inner = self.inner.min_height(height(least)).max_height(height(most));
        self
    }

    pub fn placeholder(mut self, text: &'a str) -> Self {
        self.node.set_placeholder(text);
        self.inner = self.inner.placeholder(text);
        self
    }

    /// Keys first offered to the caller (Ctrl+Enter, Enter): a message instead of the edit. Never asked while an
    /// input method composes, nor for another control's keys.
    pub fn on_key(mut self, hook: impl Fn(&KeyPress) -> Option<M> + 'a) -> Self {
        self.on_key = Some(Rc::new(hook));
        self
    }

    /// An assistive technology (dictation) replaced the whole text.
    pub fn on_value(mut self, message: impl Fn(String) -> M + 'a) -> Self {
        self.on_value = Some(Box::new(message));
        self
    }

    /// An input method began (`true`) or ended composing here.
    pub fn on_composing(mut self, message: impl Fn(bool) -> M + 'a) -> Self {
        self.on_composing = Some(Box::new(message));
        self
    }

    pub fn description(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.node(|node| node.set_description(text))
    }

    /// `false`: readable, but no longer a Tab stop and without edits.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Any other property of the accessibility node.
    pub fn node(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(&mut self.node);
        self
    }

    fn widget(&self) -> &(dyn Widget<M, Theme, Renderer> + 'a) {
        &self.inner
    }

    fn widget_mut(&mut self) -> &mut (dyn Widget<M, Theme, Renderer> + 'a) {
        &mut self.inner
    }

    fn describe(&self, access: &mut Access) {
        access.leaf = true;
        access.node = self.node.clone();
        let text = self.content.text();
        let cursor = self.content.cursor();
        let caret = |p: iced::widget::text_editor::Position| Caret { line: p.line, byte: p.column };
        let focus = caret(cursor.position);
        let (runs, selection) = text_runs(&self.key, &text, cursor.selection.map_or(focus, caret), focus);
        access.extra = runs;
        access.node.set_text_selection(selection);
        access.node.set_value(text);
        if !self.enabled {
            access.node.set_disabled();
            return;
        }
        access.node.add_action(Action::Focus);
        if self.on_value.is_some() {
            access.node.add_action(Action::SetValue);
        }
    }
}

/// The editing keys: the caller's, then word deletion, then iced's.
fn bind<M>(press: KeyPress, hook: Option<&KeyHook<'_, M>>, selected: bool) -> Option<Binding<M>> {
    let focused = matches!(press.status, iced::widget::text_editor::Status::Focused { .. });
    if !focused || matches!(press.key, KeyName::Named(Named::Escape | Named::Tab)) {
        return None;
    }
    if let Some(message) = hook.and_then(|hook| hook(&press)) {
        return Some(Binding::Custom(message));
    }
    // Alt with these is the page's: it goes through the history.
    let moves =
        [Named::ArrowUp, Named::ArrowDown, Named::PageUp, Named::PageDown].map(KeyName::Named).contains(&press.key);
    if moves && press.modifiers.alt() {
        return None;
    }
    let word = |motion, delete| match selected {
        true => Binding::Backspace,
        false => Binding::Sequence(vec![Binding::Select(motion), delete]),
    };
    match press.key {
        KeyName::Named(Named::Backspace) if press.modifiers.jump() => Some(word(Motion::WordLeft, Binding::Backspace)),
        KeyName::Named(Named::Delete) if press.modifiers.jump() => Some(word(Motion::WordRight, Binding::Delete)),
        // A shortcut of the page is not text, even where the platform says which letter it would be.
        KeyName::Character(_) if press.modifiers.command() && !press.modifiers.alt() => {
            match press.key.to_latin(press.physical_key) {
                Some('a' | 'c' | 'v' | 'x') => Binding::from_key_press(press),
                _ => None,
            }
        }
        _ => Binding::from_key_press(press),
    }
}

#[derive(Default)]
struct State {
    access: Access,
    focused: bool,
    composing: bool,
}

impl<'a, M: Clone + 'a> Widget<M, Theme, Renderer> for Editor<'a, M> {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::default())
    }

    fn children(&self) -> Vec<Tree> {
        vec![Tree::new(self.widget())]
    }

    fn diff(&self, tree: &mut Tree) {
        tree.diff_children(&[self.widget()]);
    }

    fn size(&self) -> Size<Length> {
        self.widget().size()
    }

    fn layout(&mut self, tree: &mut Tree, renderer: &Renderer, limits: &layout::Limits) -> layout::Node {
        self.widget_mut().layout(&mut tree.children[0], renderer, limits)
    }

    fn operate(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer, operation: &mut dyn Operation) {
        let Tree { state, children, .. } = tree;
        let access = &mut state.downcast_mut::<State>().access;
        describe(operation, &self.key, layout.bounds(), access, |access| self.describe(access));
        let enabled = self.enabled;
        operation.traverse(&mut |operation| {
            if enabled {
                self.widget_mut().operate(&mut children[0], layout, renderer, operation);
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
        if self.enabled {
            let child = &mut tree.children[0];
            self.widget_mut().update(child, event, layout, cursor, renderer, clipboard, shell, viewport);
        }
        let Tree { state, children, .. } = tree;
        let state = state.downcast_mut::<State>();
        if let Some(value) = set_value(&mut state.access)
            && let Some(on_value) = self.on_value.as_ref().filter(|_| self.enabled)
        {
            shell.publish(on_value(value));
        }
        if matches!(event, Event::Window(window::Event::RedrawRequested(_))) {
            let mut probe = Probe::default();
            self.widget_mut().operate(&mut children[0], layout, renderer, &mut probe);
            state.focused = probe.0 && self.enabled;
        }
        // Losing focus or the window ends a composition without a word from the input method.
        let now = composing(event).map(|now| now && state.focused).unwrap_or(state.composing && state.focused);
        if now != state.composing {
            state.composing = now;
            if let Some(on_composing) = &self.on_composing {
                shell.publish(on_composing(now));
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
        self.widget().draw(&tree.children[0], renderer, theme, style, layout, cursor, viewport);
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
        self.widget().mouse_interaction(&tree.children[0], layout, cursor, viewport, renderer)
    }
}

impl<'a, M: Clone + 'a> From<Editor<'a, M>> for Element<'a, M> {
    fn from(mut editor: Editor<'a, M>) -> Self {
        let hook = editor.on_key.take();
        let selected = editor.content.selection().is_some();
        editor.inner = editor.inner.key_binding(move |press| bind(press, hook.as_deref(), selected));
        Self::new(editor)
    }
}
