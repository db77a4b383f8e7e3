//! Going through the history by message and by turn, copying a row, and saying where the user is (DESIGN 11).

use iced::{Task, clipboard, window};

use crate::engine::view::{Membership, Row, RowBody};
use crate::live::BlockBody;
use crate::protocol::ThreadItem;
use crate::ui::page::Page;
use crate::ui::rows::{part_key, row_of};
use crate::ui::view::{history, row};
use crate::ui::{Message, clock, widget};

use super::App;

/// Characters of a row's name that "where am I" says.
const SAID: usize = 120;

/// Where a jump stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// What the user or Codex said.
    Message,
    /// The first row of a turn.
    Turn,
}

impl Stop {
    fn is_at(self, rows: &[Row], at: usize) -> bool {
        let row = &rows[at];
        match self {
            Self::Turn => row.turn.is_some() && (at == 0 || rows[at - 1].turn != row.turn),
            Self::Message => match row.body.as_ref() {
                RowBody::Item(item) => matches!(
                    item,
                    ThreadItem::UserMessage { .. } | ThreadItem::AgentMessage { .. } | ThreadItem::Plan { .. }
                ),
                RowBody::Unfinished { body, .. } | RowBody::Lost { body, .. } => {
                    matches!(body, BlockBody::AgentMessage(_) | BlockBody::Plan(_))
                }
                RowBody::Echo { .. } => true,
                RowBody::TurnHead { .. } | RowBody::TurnEnd { .. } | RowBody::Edge { .. } => false,
            },
        }
    }

    /// The next stop after (`on`) or before a row.
    fn next(self, rows: &[Row], from: usize, on: bool) -> Option<usize> {
        if on {
            (from + 1..rows.len()).find(|at| self.is_at(rows, *at))
        } else {
            (0..from.min(rows.len())).rfind(|at| self.is_at(rows, *at))
        }
    }
}

impl App {
    /// The next or previous stop is at the top and has the focus; where there is none, that is said.
    pub(super) fn jump(&mut self, id: window::Id, stop: Stop, on: bool) -> Task<Message> {
        let (Some(open), Some(window)) = (&self.shown.conversation, self.windows.get_mut(&id)) else {
            return Task::none();
        };
        let rows = &open.history.rows;
        let at = |key: u64| rows.iter().position(|row| row.key == row_of(key));
        let viewing = window.viewing;
        // From elsewhere, with the end in sight: what is in sight counts as read.
        let active = viewing.active.filter(|_| viewing.focused || !viewing.at_end).and_then(at);
        let from = active.or_else(|| at(viewing.last).map(|last| last + usize::from(!on))).unwrap_or(0);
        let Some(to) = stop.next(rows, from, on) else {
            let words = match (stop, on) {
                (Stop::Message, true) => "No later message is loaded",
                (Stop::Message, false) => "No earlier message is loaded",
                (Stop::Turn, true) => "No later turn is loaded",
                (Stop::Turn, false) => "No earlier turn is loaded",
            };
            self.bridge.announce(false, words);
            return Task::none();
        };
        window.page = Page::Chat;
        window.picking = false;
        Task::batch([widget::scroll_to(history::LIST, part_key(rows[to].key, 0)), widget::focus(history::LIST)])
    }

    /// Ctrl+C on a row.
    pub(super) fn copy_row(&mut self, key: u64) -> Task<Message> {
        let mut rows = self.conversation().into_iter().flat_map(|open| open.history.rows.iter());
        let Some(text) = rows.find(|row| row.key == key).map(row::said) else { return Task::none() };
        self.bridge.announce(false, "Copied");
        clipboard::write(text)
    }

    /// Connection, conversation, how it is held, and the row of the keys.
    pub(super) fn where_am_i(&self, id: window::Id) -> String {
        let banner = self.engine.banner();
        let state = crate::engine::words::state(banner.connection, banner.profile);
        let Some(open) = self.conversation() else { return format!("{}. No conversation is open.", state.title) };
        let held = match &open.membership {
            Membership::New => "new, nothing sent".to_owned(),
            Membership::ReadOnly { as_of: Some(at) } | Membership::JoinFailed { as_of: Some(at), .. } => {
                format!("viewing history only, as of {}", clock::time_of_day(*at))
            }
            Membership::ReadOnly { as_of: None } | Membership::JoinFailed { as_of: None, .. } => {
                "viewing history only".to_owned()
            }
            Membership::Joining => "joining".to_owned(),
            Membership::Joined => "joined".to_owned(),
        };
        let rows = &open.history.rows;
        let active = self.windows.get(&id).and_then(|window| window.viewing.active);
        let place = match active.and_then(|key| rows.iter().position(|row| row.key == row_of(key))) {
            Some(at) => {
                let name: String = row::name(&rows[at]).chars().take(SAID).collect();
                format!("Row {} of {} loaded: {name}", at + 1, rows.len())
            }
            None => format!("{} rows loaded", rows.len()),
        };
        format!("{}. Conversation {}, {held}. {place}.", state.title, open.title)
    }
}
