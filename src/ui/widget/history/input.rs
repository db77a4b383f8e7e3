//! Wheel, scroll bar, keys and clicks.

use super::state::{Ask, BAR, State};
use super::{Edge, History, HistoryView};
use crate::a11y::Action;
use crate::ui::widget::focus::Focus;
use iced::advanced::widget::operation::Focusable;
use iced::advanced::{Layout, Shell, mouse};
use iced::keyboard::{self, Key as KeyName, key::Named};
use iced::{Event, Rectangle, window};

/// Pixels per line of a mouse wheel, and per arrow key inside a row taller than the view.
const WHEEL: f32 = 60.0;

impl<'a, M: Clone + 'a> History<'a, M> {
    /// True while the scroll bar has the pointer: the rows must not see it.
    pub(super) fn scrollbar(
        &self,
        state: &mut State,
        event: &Event,
        bounds: Rectangle,
        cursor: mouse::Cursor,
        shell: &mut Shell<'_, M>,
    ) -> bool {
        match event {
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)) => {
                let rail = Rectangle { x: bounds.x + bounds.width - BAR, width: BAR, ..bounds };
                let (Some(at), Some(thumb)) = (cursor.position_over(rail), state.thumb(self.rows, bounds)) else {
                    return false;
                };
                if at.y < thumb.y {
                    state.ask(Ask::By(-state.viewport * 0.9));
                } else if at.y > thumb.y + thumb.height {
                    state.ask(Ask::By(state.viewport * 0.9));
                } else {
                    state.drag = Some(at.y - thumb.y);
                }
                shell.capture_event();
                true
            }
            Event::Mouse(mouse::Event::CursorMoved { position }) => {
                let (Some(grip), Some(thumb)) = (state.drag, state.thumb(self.rows, bounds)) else { return false };
                let room = (bounds.height - thumb.height).max(1.0);
                let part = ((position.y - grip - bounds.y) / room).clamp(0.0, 1.0);
                let (total, _) = state.extent(self.rows);
                state.ask(match part {
                    1.0 => Ask::End,
                    part => Ask::Offset(part * (total - bounds.height)),
                });
                shell.capture_event();
                true
            }
            Event::Mouse(mouse::Event::ButtonReleased(mouse::Button::Left)) => state.drag.take().is_some(),
            _ => false,
        }
    }

    pub(super) fn input(
        &self,
        state: &mut State,
        event: &Event,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        shell: &mut Shell<'_, M>,
    ) {
        let bounds = layout.bounds();
        self.answer(state, shell);
        if let Event::Window(window::Event::RedrawRequested(_)) = event {
            self.report(state, shell);
        }
        if let Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)) = event {
            self.click(state, layout, cursor, shell);
        }
        if shell.is_event_captured() {
            return;
        }
        match event {
            Event::Mouse(mouse::Event::WheelScrolled { delta }) if cursor.is_over(bounds) => {
                let by = match delta {
                    mouse::ScrollDelta::Lines { y, .. } => y * WHEEL,
                    mouse::ScrollDelta::Pixels { y, .. } => *y,
                };
                state.ask(Ask::By(-by));
                shell.capture_event();
            }
            Event::Keyboard(keyboard::Event::KeyPressed { key: KeyName::Named(key), modifiers, .. })
                if state.focus.is_focused() && modifiers.is_empty() && !self.rows.is_empty() =>
            {
                self.key_pressed(state, *key, layout, shell);
            }
            Event::Keyboard(keyboard::Event::KeyPressed { key, physical_key, modifiers, .. })
                if state.focus.is_focused()
                    && *modifiers == keyboard::Modifiers::COMMAND
                    && key.to_latin(*physical_key) == Some('c') =>
            {
                if let (Some(row), Some(message)) = (state.active, &self.on_copy) {
                    shell.publish(message(row));
                    shell.capture_event();
                }
            }
            Event::Keyboard(keyboard::Event::KeyPressed { key: KeyName::Character(_), modifiers, text, .. })
                if state.focus.is_focused() && (modifiers.is_empty() || modifiers.shift()) && !modifiers.command() =>
            {
                if let (Some(text), Some(message)) = (text, &self.on_type) {
                    shell.publish(message(text.to_string()));
                    shell.capture_event();
                }
            }
            _ => {}
        }
    }

    /// Requests of assistive technologies for rows. Focus itself was moved to the list by the root.
    fn answer(&self, state: &mut State, shell: &mut Shell<'_, M>) {
        for i in 0..state.placed.len() {
            let key = state.placed[i].row.key;
            while let Some(request) = state.placed[i].access.pending.pop_front() {
                match (request.action, &self.on_activate) {
                    (Action::Focus, _) => {
                        state.active = Some(key);
                        state.focus = Focus::Visible;
                        if let Some(index) = state.find(self.rows, key) {
                            state.ask(Ask::Show(index));
                        }
                    }
                    (Action::Click, Some(message)) => shell.publish(message(key)),
                    _ => {}
                }
            }
        }
    }

    /// Tells the page what is in sight and which end came near, when that changed.
    fn report(&self, state: &mut State, shell: &mut Shell<'_, M>) {
        let view =
            state.view.map(|view| HistoryView { active: state.active, focused: state.focus.is_focused(), ..view });
        if let (Some(view), Some(message)) = (view, &self.on_view)
            && state.sent_view != Some(view)
        {
            state.sent_view = Some(view);
            shell.publish(message(view));
        }
        let edge = match (state.older, state.newer) {
            (true, _) => Some((Edge::Older, self.rows.first())),
            (false, true) => Some((Edge::Newer, self.rows.last())),
            (false, false) => None,
        };
        if let (Some((edge, Some(row))), Some(message)) = (edge, &self.on_edge) {
            let now = Some((edge, self.rows.len(), row.key));
            if state.sent_edge != now {
                state.sent_edge = now;
                shell.publish(message(edge));
            }
        }
    }

    fn click(&self, state: &mut State, layout: Layout<'_>, cursor: mouse::Cursor, shell: &mut Shell<'_, M>) {
        let over = cursor.is_over(layout.bounds()) && state.drag.is_none();
        let mut rows = self.visible.iter().zip(layout.children());
        let hit = rows.find(|(_, layout)| over && cursor.is_over(layout.bounds())).map(|(row, _)| row.row.key);
        match hit {
            Some(key) => {
                state.active = Some(key);
                // A control inside that took the press has the focus now.
                state.focus = if shell.is_event_captured() { Focus::None } else { Focus::Quiet };
                if self.click_activates
                    && !shell.is_event_captured()
                    && let Some(message) = &self.on_activate
                {
                    shell.publish(message(key));
                    shell.capture_event();
                }
                shell.request_redraw();
            }
            None if state.focus.is_focused() && state.drag.is_none() => {
                state.focus = Focus::None;
                shell.request_redraw();
            }
            None => {}
        }
    }

    fn key_pressed(&self, state: &mut State, key: Named, layout: Layout<'_>, shell: &mut Shell<'_, M>) {
        let last = self.rows.len() - 1;
        let at = state.active.and_then(|key| self.rows.iter().position(|row| row.key == key)).unwrap_or(last);
        let view = layout.bounds();
        let place = self.visible.iter().zip(layout.children()).find(|(row, _)| row.index == at);
        let below = place.as_ref().map_or(0.0, |(_, l)| l.bounds().y + l.bounds().height - view.y - view.height);
        let above = place.as_ref().map_or(0.0, |(_, l)| view.y - l.bounds().y);
        let tall = place.as_ref().is_some_and(|(_, l)| l.bounds().height > view.height);
        let mut go = |to: usize| {
            state.active = Some(self.rows[to].key);
            state.ask(if to == last && self.follow { Ask::End } else { Ask::Show(to) });
        };
        match key {
            Named::ArrowDown if tall && below > 0.0 => state.ask(Ask::By(below.min(WHEEL))),
            Named::ArrowUp if tall && above > 0.0 => state.ask(Ask::By(-above.min(WHEEL))),
            Named::ArrowDown => go((at + 1).min(last)),
            Named::ArrowUp => go(at.saturating_sub(1)),
            Named::Home => go(0),
            Named::End => go(last),
            Named::PageDown => state.ask(Ask::Page(true)),
            Named::PageUp => state.ask(Ask::Page(false)),
            Named::Enter | Named::Space => match &self.on_activate {
                Some(message) => shell.publish(message(self.rows[at].key)),
                None => return,
            },
            _ => return,
        }
        state.focus = Focus::Visible;
        shell.capture_event();
        shell.request_redraw();
    }
}
