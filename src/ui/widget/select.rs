//! A combo box: shows the choice, opens a list of options below (or above) it.
//!
//! Focus stays on the box while the list is open; the active option is its active descendant.

use super::focus::Focus;
use super::paint::{fill, focus_ring};
use super::{CONTROL, Element, LINE, Renderer, SIZE};
use crate::a11y::{Access, Action, ActionRequest, Key, Node, Rect, Role, describe};
use crate::ui::icons;
use crate::ui::theme::Theme;
use iced::advanced::text::{self, Renderer as _, Wrapping};
use iced::advanced::widget::{Operation, Tree, operation::Focusable, tree};
use iced::advanced::{Clipboard, Layout, Overlay, Renderer as _, Shell, Widget, layout, mouse, overlay, renderer};
use iced::keyboard::{self, Key as KeyName, key::Named};
use iced::{Border, Color, Event, Font, Length, Pixels, Point, Rectangle, Size, Vector, alignment, window};

/// Options in sight at once; more scroll.
const SHOWN: usize = 8;
/// Space for the mark and the arrow.
const MARK: f32 = 28.0;

/// See [`select`].
pub struct Select<'a, M> {
    key: Key,
    node: Node,
    options: Vec<String>,
    chosen: Option<usize>,
    unchosen: &'static str,
    on_select: Option<Box<dyn Fn(usize) -> M + 'a>>,
    width: Length,
}

/// One of `options`, `chosen` by index; the message gets the new index. Opens with a press, Enter, Space or Alt+Down;
/// arrows, Home, End and typed letters move; Enter chooses; Escape, Tab and a press elsewhere close it unchanged.
pub fn select<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    options: Vec<String>,
    chosen: Option<usize>,
    on_select: impl Fn(usize) -> M + 'a,
) -> Select<'a, M> {
    let mut node = Node::new(Role::ComboBox);
    node.set_label(label.into());
    let chosen = chosen.filter(|chosen| *chosen < options.len());
    Select {
        key: key.into(),
        node,
        options,
        chosen,
        unchosen: "",
        on_select: Some(Box::new(on_select)),
        width: Length::Fill,
    }
}

impl<'a, M: Clone + 'a> Select<'a, M> {
    /// `false`: dim and skipped by Tab; say why with [`Select::description`].
    pub fn enabled(mut self, enabled: bool) -> Self {
        if !enabled {
            self.on_select = None;
        }
        self
    }

    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.node.set_description(text.into());
        self
    }

    /// What the box says while nothing is chosen.
    pub fn unchosen(mut self, words: &'static str) -> Self {
        self.unchosen = words;
        self
    }

    fn value(&self) -> &str {
        self.chosen.map_or(self.unchosen, |chosen| &self.options[chosen])
    }

    pub fn width(mut self, width: impl Into<Length>) -> Self {
        self.width = width.into();
        self
    }

    fn choose(&self, index: usize, shell: &mut Shell<'_, M>) {
        if let Some(message) = self.on_select.as_ref().filter(|_| index < self.options.len()) {
            shell.publish(message(index));
        }
    }
}

/// The open list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    active: usize,
    /// First option in sight.
    top: usize,
}

impl Open {
    fn at(active: usize) -> Self {
        Self { active, top: active.saturating_sub(SHOWN - 1) }
    }

    fn go(&mut self, active: usize) {
        self.active = active;
        self.top = self.top.clamp((active + 1).saturating_sub(SHOWN), active);
    }
}

#[derive(Default)]
struct State {
    access: Access,
    focus: Focus,
    open: Option<Open>,
    /// Where the list was drawn, relative to the box.
    list: Rectangle,
}

impl<'a, M: Clone + 'a> Select<'a, M> {
    fn key_pressed(&self, state: &mut State, key: &KeyName, alt: bool, shell: &mut Shell<'_, M>) -> bool {
        let last = self.options.len().saturating_sub(1);
        let Some(open) = &mut state.open else {
            let opens = match key {
                KeyName::Named(Named::Enter | Named::Space | Named::ArrowDown | Named::ArrowUp) => true,
                KeyName::Character(_) if !alt => true,
                _ => false,
            };
            if opens && !self.options.is_empty() {
                state.open = Some(Open::at(self.chosen.unwrap_or(0)));
                if let (KeyName::Character(_), Some(open)) = (key, &mut state.open) {
                    self.type_ahead(open, key);
                }
            }
            return opens;
        };
        match key {
            KeyName::Named(Named::ArrowUp) if alt => state.open = None,
            KeyName::Named(Named::ArrowDown) => open.go((open.active + 1).min(last)),
            KeyName::Named(Named::ArrowUp) => open.go(open.active.saturating_sub(1)),
            KeyName::Named(Named::PageDown) => open.go((open.active + SHOWN).min(last)),
            KeyName::Named(Named::PageUp) => open.go(open.active.saturating_sub(SHOWN)),
            KeyName::Named(Named::Home) => open.go(0),
            KeyName::Named(Named::End) => open.go(last),
            KeyName::Named(Named::Enter | Named::Space) => {
                let active = open.active;
                state.open = None;
                self.choose(active, shell);
            }
            KeyName::Named(Named::Escape) => state.open = None,
            KeyName::Named(Named::Tab) => {
                state.open = None;
                return false;
            }
            KeyName::Character(_) => self.type_ahead(open, key),
            _ => return false,
        }
        true
    }

    /// The next option (after the active one, round) that begins with the letter.
    fn type_ahead(&self, open: &mut Open, key: &KeyName) {
        let KeyName::Character(typed) = key else { return };
        let typed = typed.to_lowercase();
        let count = self.options.len();
        let mut after = (1..=count).map(|by| (open.active + by) % count);
        if let Some(found) = after.find(|i| self.options[*i].to_lowercase().starts_with(&typed)) {
            open.go(found);
        }
    }

    fn answer(&self, state: &mut State, shell: &mut Shell<'_, M>) {
        while let Some(ActionRequest { action, target_node, .. }) = state.access.pending.pop_front() {
            let option = (0..self.options.len()).find(|i| self.key.part(i).node() == target_node);
            match (action, option) {
                (Action::Click, Some(option)) => {
                    state.open = None;
                    self.choose(option, shell);
                }
                (Action::Click | Action::Expand, None) if self.on_select.is_some() && !self.options.is_empty() => {
                    state.open = match state.open {
                        None => Some(Open::at(self.chosen.unwrap_or(0))),
                        Some(_) => None,
                    };
                }
                (Action::Collapse, None) => state.open = None,
                _ => {}
            }
            shell.request_redraw();
        }
    }

    /// `list`: where the open list is drawn.
    fn describe(&self, open: Option<Open>, list: Rectangle, access: &mut Access) {
        access.leaf = true;
        access.node = self.node.clone();
        access.node.set_expanded(open.is_some());
        access.node.set_value(self.value());
        if self.on_select.is_none() {
            access.node.set_disabled();
            return;
        }
        access.node.add_action(Action::Click);
        access.node.add_action(Action::Focus);
        let Some(open) = open else { return };
        access.node.set_size_of_set(self.options.len());
        access.node.set_active_descendant(self.key.part(open.active).node());
        access.extra = (0..self.options.len())
            .map(|index| {
                let key = self.key.part(index);
                let mut node = Node::new(Role::ListBoxOption);
                node.set_label(self.options[index].as_str());
                node.set_author_id(key.as_str());
                node.set_position_in_set(index);
                node.set_selected(index == open.active);
                node.add_action(Action::Click);
                let row = index.checked_sub(open.top).filter(|row| *row < SHOWN);
                node.set_bounds(match row {
                    Some(row) => place(list, list.y + row as f32 * CONTROL, CONTROL),
                    // Scrolled out of sight.
                    None => place(list, list.y, 0.0),
                });
                (key.node(), node)
            })
            .collect();
    }
}

impl<'a, M: Clone + 'a> Widget<M, Theme, Renderer> for Select<'a, M> {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::default())
    }

    fn diff(&self, tree: &mut Tree) {
        let state = tree.state.downcast_mut::<State>();
        if self.on_select.is_none() {
            state.focus = Focus::None;
            state.open = None;
        }
        let last = self.options.len().checked_sub(1);
        state.open = state.open.zip(last).map(|(open, last)| Open::at(open.active.min(last)));
    }

    fn size(&self) -> Size<Length> {
        Size::new(self.width, Length::Shrink)
    }

    fn layout(&mut self, _: &mut Tree, _: &Renderer, limits: &layout::Limits) -> layout::Node {
        let longest = self.options.iter().map(|option| option.chars().count()).max().unwrap_or(0) as f32;
        let wish = Size::new(longest * SIZE * 0.6 + 2.0 * MARK, CONTROL);
        layout::Node::new(limits.resolve(self.width, Length::Fixed(CONTROL), wish))
    }

    fn operate(&mut self, tree: &mut Tree, layout: Layout<'_>, _: &Renderer, operation: &mut dyn Operation) {
        let State { access, focus, open, list } = tree.state.downcast_mut();
        let bounds = layout.bounds();
        let list = *list + Vector::new(bounds.x, bounds.y);
        describe(operation, &self.key, bounds, access, |access| self.describe(*open, list, access));
        operation.traverse(&mut |operation| {
            if self.on_select.is_some() {
                operation.focusable(Some(&self.key.id()), layout.bounds(), focus);
            }
        });
    }

    fn update(
        &mut self,
        tree: &mut Tree,
        event: &Event,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        _: &Renderer,
        _: &mut dyn Clipboard,
        shell: &mut Shell<'_, M>,
        _: &Rectangle,
    ) {
        let state = tree.state.downcast_mut::<State>();
        self.answer(state, shell);
        if matches!(event, Event::Window(window::Event::RedrawRequested(_))) && !state.focus.is_focused() {
            state.open = None;
        }
        if shell.is_event_captured() || self.on_select.is_none() {
            return;
        }
        match event {
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)) => {
                if cursor.is_over(layout.bounds()) {
                    state.focus = Focus::Quiet;
                    state.open = match state.open {
                        None if !self.options.is_empty() => Some(Open::at(self.chosen.unwrap_or(0))),
                        _ => None,
                    };
                    shell.capture_event();
                    shell.request_redraw();
                } else if state.focus.is_focused() {
                    state.focus = Focus::None;
                    state.open = None;
                    shell.request_redraw();
                }
            }
            Event::Keyboard(keyboard::Event::KeyPressed { key, modifiers, .. })
                if state.focus.is_focused() && !modifiers.control() && !modifiers.logo() =>
            {
                if self.key_pressed(state, key, modifiers.alt(), shell) {
                    state.focus = Focus::Visible;
                    shell.capture_event();
                }
                shell.request_redraw();
            }
            _ => {}
        }
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        _: &renderer::Style,
        layout: Layout<'_>,
        _: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        let state = tree.state.downcast_ref::<State>();
        let (tokens, metric) = (theme.tokens(), theme.metric());
        let bounds = layout.bounds();
        let enabled = self.on_select.is_some();
        let edge = if enabled { tokens.part } else { Color::TRANSPARENT };
        fill(
            renderer,
            bounds,
            tokens.card,
            Border { color: edge, width: metric.border_width, radius: metric.radius.into() },
        );
        if !enabled {
            super::paint::dashes(renderer, bounds, tokens.part, metric.border_width);
        }
        let color = if enabled && self.chosen.is_some() { tokens.text } else { tokens.dim };
        let value = self.value();
        let inner = Rectangle { x: bounds.x + 10.0, width: (bounds.width - MARK - 10.0).max(0.0), ..bounds };
        write(renderer, value, inner, color, viewport);
        let arrow = Rectangle { x: bounds.x + bounds.width - MARK + 6.0, width: MARK - 6.0, ..bounds };
        sign(renderer, icons::CHEVRON_DOWN, arrow, color, viewport);
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
        match cursor.is_over(layout.bounds()) && self.on_select.is_some() {
            true => mouse::Interaction::Pointer,
            false => mouse::Interaction::None,
        }
    }

    fn overlay<'b>(
        &'b mut self,
        tree: &'b mut Tree,
        layout: Layout<'b>,
        _: &Renderer,
        _: &Rectangle,
        translation: Vector,
    ) -> Option<overlay::Element<'b, M, Theme, Renderer>> {
        let state = tree.state.downcast_mut::<State>();
        state.open?;
        let anchor = layout.bounds() + translation;
        Some(overlay::Element::new(Box::new(List { select: self, state, anchor })))
    }
}

impl<'a, M: Clone + 'a> From<Select<'a, M>> for Element<'a, M> {
    fn from(select: Select<'a, M>) -> Self {
        Self::new(select)
    }
}

fn place(list: Rectangle, top: f32, height: f32) -> Rect {
    let (x0, y0) = (f64::from(list.x), f64::from(top));
    Rect { x0, y0, x1: x0 + f64::from(list.width), y1: y0 + f64::from(height) }
}

/// One line of text, vertically centred.
fn write(renderer: &mut Renderer, content: &str, bounds: Rectangle, color: Color, clip: &Rectangle) {
    let font = renderer.default_font();
    write_in(renderer, content, font, bounds, color, clip);
}

/// A sign of the icon font.
fn sign(renderer: &mut Renderer, icon: char, bounds: Rectangle, color: Color, clip: &Rectangle) {
    write_in(renderer, icon.encode_utf8(&mut [0; 4]), Font::with_name(icons::FAMILY), bounds, color, clip);
}

fn write_in(renderer: &mut Renderer, content: &str, font: Font, bounds: Rectangle, color: Color, clip: &Rectangle) {
    let Some(clip) = bounds.intersection(clip) else { return };
    let text = text::Text {
        content: content.to_owned(),
        bounds: bounds.size(),
        size: Pixels(SIZE),
        line_height: text::LineHeight::Absolute(Pixels(LINE)),
        font,
        align_x: text::Alignment::Left,
        align_y: alignment::Vertical::Center,
        shaping: text::Shaping::Advanced,
        wrapping: Wrapping::None,
    };
    renderer.fill_text(text, Point::new(bounds.x, bounds.center_y().round()), color, clip);
}

/// The open list, above everything.
struct List<'a, 'b, M> {
    select: &'b Select<'a, M>,
    state: &'b mut State,
    anchor: Rectangle,
}

impl<M: Clone> List<'_, '_, M> {
    fn count(&self) -> usize {
        self.select.options.len().min(SHOWN)
    }

    /// The option under the pointer.
    fn hit(&self, bounds: Rectangle, cursor: mouse::Cursor) -> Option<usize> {
        let at = cursor.position_in(bounds)?;
        let index = self.state.open?.top + (at.y / CONTROL) as usize;
        (index < self.select.options.len()).then_some(index)
    }
}

impl<M: Clone> Overlay<M, Theme, Renderer> for List<'_, '_, M> {
    fn layout(&mut self, _: &Renderer, bounds: Size) -> layout::Node {
        let size = Size::new(self.anchor.width, self.count() as f32 * CONTROL);
        let below = self.anchor.y + self.anchor.height;
        let fits = below + size.height <= bounds.height || self.anchor.y < size.height;
        let y = if fits { below.min((bounds.height - size.height).max(0.0)) } else { self.anchor.y - size.height };
        self.state.list = Rectangle::new(Point::new(0.0, y - self.anchor.y), size);
        layout::Node::new(size).move_to(Point::new(self.anchor.x, y))
    }

    fn update(
        &mut self,
        event: &Event,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        _: &Renderer,
        _: &mut dyn Clipboard,
        shell: &mut Shell<'_, M>,
    ) {
        let bounds = layout.bounds();
        let hit = self.hit(bounds, cursor);
        match event {
            Event::Mouse(mouse::Event::CursorMoved { .. }) => {
                if let (Some(hit), Some(open)) = (hit, &mut self.state.open)
                    && open.active != hit
                {
                    open.active = hit;
                    shell.request_redraw();
                }
            }
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)) if cursor.is_over(bounds) => {
                shell.capture_event();
            }
            Event::Mouse(mouse::Event::ButtonReleased(mouse::Button::Left)) => {
                if let Some(hit) = hit {
                    self.state.open = None;
                    if let Some(message) = &self.select.on_select {
                        shell.publish(message(hit));
                    }
                    shell.capture_event();
                    shell.request_redraw();
                }
            }
            Event::Mouse(mouse::Event::WheelScrolled { delta }) if cursor.is_over(bounds) => {
                let lines = match delta {
                    mouse::ScrollDelta::Lines { y, .. } => *y,
                    mouse::ScrollDelta::Pixels { y, .. } => y / CONTROL,
                };
                if let Some(open) = &mut self.state.open {
                    let most = self.select.options.len().saturating_sub(SHOWN) as f32;
                    open.top = (open.top as f32 - lines).round().clamp(0.0, most) as usize;
                }
                shell.capture_event();
                shell.request_redraw();
            }
            _ => {}
        }
    }

    fn mouse_interaction(&self, layout: Layout<'_>, cursor: mouse::Cursor, _: &Renderer) -> mouse::Interaction {
        match cursor.is_over(layout.bounds()) {
            true => mouse::Interaction::Pointer,
            false => mouse::Interaction::None,
        }
    }

    fn draw(&self, renderer: &mut Renderer, theme: &Theme, _: &renderer::Style, layout: Layout<'_>, _: mouse::Cursor) {
        let Some(open) = self.state.open else { return };
        let (tokens, metric) = (theme.tokens(), theme.metric());
        let bounds = layout.bounds();
        renderer.with_layer(bounds, |renderer| {
            let edge = Border { color: tokens.part, width: metric.border_width.max(1.0), radius: 0.0.into() };
            fill(renderer, bounds, tokens.card, edge);
            for (place, index) in (open.top..self.select.options.len()).take(SHOWN).enumerate() {
                let row = Rectangle { y: bounds.y + place as f32 * CONTROL, height: CONTROL, ..bounds };
                let inner = Rectangle { x: row.x + MARK, width: (row.width - MARK - 8.0).max(0.0), ..row };
                write(renderer, &self.select.options[index], inner, tokens.text, &bounds);
                if self.select.chosen == Some(index) {
                    let mark = Rectangle { x: row.x + 9.0, width: MARK - 9.0, ..row };
                    sign(renderer, icons::CHECK, mark, tokens.text, &bounds);
                }
                if open.active == index {
                    focus_ring(renderer, theme, row);
                }
            }
        });
    }
}
