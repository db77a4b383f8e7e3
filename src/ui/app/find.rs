//! Finding in the loaded part of the open conversation (DESIGN 9).

use iced::{Task, window};

use crate::ui::Message;
use crate::ui::page::Page;
use crate::ui::view::{find, history, row};
use crate::ui::widget;
use crate::ui::window::Find;

use super::App;

impl App {
    /// Ctrl+F: the bar is there and its field has the focus.
    pub(super) fn open_find(&mut self, id: window::Id) -> Task<Message> {
        let open = self.conversation().is_some();
        let Some(window) = self.windows.get_mut(&id).filter(|_| open) else { return Task::none() };
        window.page = Page::Chat;
        window.picking = false;
        window.find.get_or_insert_default();
        widget::focus(find::FIELD)
    }

    /// Another query: shows its newest match.
    pub(super) fn find(&mut self, id: window::Id, query: String) -> Task<Message> {
        let matches = self.matches(&query);
        let Some(find) = self.windows.get_mut(&id).and_then(|window| window.find.as_mut()) else {
            return Task::none();
        };
        let at = matches.last().copied();
        *find = Find { query, matches, at };
        at.map_or_else(Task::none, |at| widget::reveal(history::LIST, at))
    }

    /// The next or previous match, round the ends; says which. Rows that came meanwhile count.
    pub(super) fn step_find(&mut self, id: window::Id, next: bool) -> Task<Message> {
        let query = self.windows.get(&id).and_then(|window| window.find.as_ref()).map(|find| find.query.clone());
        let Some(query) = query else { return self.open_find(id) };
        let matches = self.matches(&query);
        let Some(find) = self.windows.get_mut(&id).and_then(|window| window.find.as_mut()) else {
            return Task::none();
        };
        find.matches = matches;
        let count = find.matches.len();
        let here = find.at.and_then(|at| find.matches.iter().position(|row| *row == at));
        let to = match (here, next) {
            (Some(here), true) => (here + 1) % count.max(1),
            (Some(here), false) => (here + count - 1) % count.max(1),
            (None, _) => count.saturating_sub(1),
        };
        find.at = find.matches.get(to).copied();
        let (at, words) = (find.at, find::count(find));
        self.bridge.announce(false, words);
        at.map_or_else(Task::none, |at| widget::reveal(history::LIST, at))
    }

    /// Esc: the bar goes, the row that was found has the focus.
    pub(super) fn close_find(&mut self, id: window::Id) -> Task<Message> {
        let Some(found) = self.windows.get_mut(&id).and_then(|window| window.find.take()) else { return Task::none() };
        let shown = found.at.map_or_else(Task::none, |at| widget::reveal(history::LIST, at));
        Task::batch([shown, widget::focus(history::LIST)])
    }

    fn matches(&self, query: &str) -> Vec<u64> {
        let query = query.to_lowercase();
        let Some(open) = self.conversation().filter(|_| !query.is_empty()) else { return Vec::new() };
        let has = |text: &str| text.to_lowercase().contains(&query);
        let parts = self.shown.parts.iter().zip(&self.shown.row_keys);
        parts
            .filter(|(part, _)| has(&row::found_in(&self.parsed, &open.history.rows[part.row], **part)))
            .map(|(_, row)| row.key)
            .collect()
    }
}
