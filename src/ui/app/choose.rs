//! Choosing a conversation: the search field, its active row, opening (DESIGN 11).

use std::hash::{DefaultHasher, Hash, Hasher};

use iced::{Task, window};

use crate::engine::view::{ConversationKey, PickerRow};
use crate::engine::{Input, Intent};
use crate::ui::Message;
use crate::ui::view::{history, picker};
use crate::ui::widget::{self, RowKey};
use crate::ui::window::{Choosing, Window};

use super::App;

impl App {
    /// Ctrl+K: the search field has the focus, the first row is the active one.
    pub(super) fn choose(&mut self, id: window::Id) -> Task<Message> {
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        window.picking = true;
        window.choosing = Choosing::First;
        // What is typed now is a new search.
        let cleared = if window.search.is_empty() { Task::none() } else { self.search(id, String::new()) };
        let first = self.shown.picker_keys.first().map(|row| row.key);
        let shown = first.map_or_else(Task::none, |first| widget::reveal(picker::LIST, first));
        Task::batch([cleared, widget::focus(picker::SEARCH), shown])
    }

    /// Another search; its first row becomes the active one.
    pub(super) fn search(&mut self, id: window::Id, text: String) -> Task<Message> {
        if let Some(window) = self.windows.get_mut(&id) {
            window.search.clone_from(&text);
            window.choosing = Choosing::First;
        }
        let searched = self.step(Input::User(Intent::Search(text)));
        let first = self.shown.picker_keys.first().map(|row| row.key);
        let shown = first.map_or_else(Task::none, |first| widget::reveal(picker::LIST, first));
        Task::batch([searched, shown])
    }

    /// Down or Up in the search field: the next row is the active one, and is said.
    pub(super) fn step_choice(&mut self, id: window::Id, down: bool) -> Task<Message> {
        let Some(window) = self.windows.get(&id) else { return Task::none() };
        let last = self.shown.picker_keys.len().saturating_sub(1);
        let to = match self.active_row(window) {
            Some(at) if down => (at + 1).min(last),
            Some(at) => at.saturating_sub(1),
            None => 0,
        };
        let (Some(key), Some(row)) = (self.shown.picker_keys.get(to), self.shown.picker.rows.get(to)) else {
            return Task::none();
        };
        let (key, label) = (key.key, picker::label(self, row));
        self.bridge.announce(false, label);
        if let Some(window) = self.windows.get_mut(&id) {
            window.choosing = Choosing::Row(key);
        }
        widget::reveal(picker::LIST, key)
    }

    /// Typing on a row goes on in the search field.
    pub(super) fn type_in_picker(&mut self, id: window::Id, text: &str) -> Task<Message> {
        let typed = self.windows.get(&id).map(|window| format!("{}{text}", window.search)).unwrap_or_default();
        let searched = self.search(id, typed);
        Task::batch([searched, widget::focus(picker::SEARCH)])
    }

    /// Enter in the search field: an id opens, else the active row.
    pub(super) fn search_submit(&mut self, id: window::Id) -> Task<Message> {
        let Some(window) = self.windows.get(&id) else { return Task::none() };
        if let Some(thread) = crate::engine::threads::id_in(&window.search) {
            let cleared = self.search(id, String::new());
            return Task::batch([cleared, self.intent(id, Intent::OpenById(thread.to_string()))]);
        }
        if self.shown.picker.loading && matches!(window.choosing, Choosing::First) {
            // The rows still are those of the search before.
            if let Some(window) = self.windows.get_mut(&id) {
                window.choosing = Choosing::Answer;
            }
            return Task::none();
        }
        let at = self.active_row(window).unwrap_or(0);
        match self.shown.picker_keys.get(at).map(|row| row.key) {
            Some(key) => self.open_row(id, key),
            None => Task::none(),
        }
    }

    /// The search is answered: whoever pressed Enter before gets its first row.
    pub(super) fn open_answered(&mut self) -> Task<Message> {
        if self.shown.picker.loading {
            return Task::none();
        }
        // What could not be read leaves the rows of another search there.
        let first = self.shown.picker_keys.first().filter(|_| self.shown.picker.failed.is_none()).map(|row| row.key);
        let waiting = |window: &&mut Window| window.choosing == Choosing::Answer;
        let waiting = self.windows.iter_mut().map(|(id, window)| (*id, window)).find(|(_, window)| waiting(window));
        let Some((id, window)) = waiting else { return Task::none() };
        window.choosing = Choosing::First;
        first.map_or_else(Task::none, |first| self.open_row(id, first))
    }

    /// Opens the row of this key.
    pub(super) fn open_row(&mut self, id: window::Id, key: u64) -> Task<Message> {
        let at = self.shown.picker_keys.iter().position(|row| row.key == key);
        match at.and_then(|at| self.shown.picker.rows.get(at)).map(|row| row.key.clone()) {
            Some(ConversationKey::Thread(thread)) => self.intent(id, Intent::Open(thread)),
            Some(ConversationKey::Local(number)) => self.intent(id, Intent::OpenLocal(number)),
            None => Task::none(),
        }
    }

    /// Esc: no search any more, and back to the open conversation.
    pub(super) fn leave_picker(&mut self, id: window::Id) -> Task<Message> {
        let open = self.conversation().is_some();
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        let chose = window.choosing != Choosing::No || window.picking;
        window.choosing = Choosing::No;
        let mut tasks = Vec::new();
        if !window.search.is_empty() {
            window.search.clear();
            tasks.push(self.step(Input::User(Intent::Search(String::new()))));
        }
        if let Some(window) = self.windows.get_mut(&id).filter(|_| open && chose) {
            window.picking = false;
            tasks.push(widget::focus(history::LIST));
        }
        Task::batch(tasks)
    }

    /// The row that Enter in the search field opens; none while nobody searches.
    pub fn active_row(&self, window: &Window) -> Option<usize> {
        let keys = &self.shown.picker_keys;
        match window.choosing {
            Choosing::No => None,
            Choosing::First | Choosing::Answer => Some(0),
            Choosing::Row(key) => Some(keys.iter().position(|row| row.key == key).unwrap_or(0)),
        }
        .filter(|at| *at < keys.len())
    }

    /// The rows' keys again, when the list or the minute is another: rows say how long ago.
    pub(super) fn refresh_picker(&mut self, changed: bool) {
        let minute = self.now.unix_ms.0 / 60_000;
        if !changed && self.shown.picker_minute == minute {
            return;
        }
        self.shown.picker_minute = minute;
        let keys = self
            .shown
            .picker
            .rows
            .iter()
            .map(|row| row_key(row, minute, self.shown.picker.selected.as_ref() == Some(&row.key)))
            .collect();
        self.shown.picker_keys = keys;
    }
}

fn row_key(row: &PickerRow, minute: i64, open: bool) -> RowKey {
    let hash = |text: &str| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    RowKey { key: hash(&picker::key_text(&row.key)), rev: hash(&format!("{row:?} {minute} {open}")) }
}
