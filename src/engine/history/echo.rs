//! Local echoes: what the user sent, until the item with its client id is there. Never by equal text.

use super::History;
use super::row::{Cell, Slot};
use super::turn::Arrived;
use crate::base::{OpId, TurnId, UnixMs};
use crate::engine::view::{OpState, RowBody};
use crate::protocol::ThreadItem;

/// A message that was sent from here.
#[derive(Debug)]
pub(super) struct Echo {
    pub(super) op: OpId,
    client_id: String,
    text: String,
    pub(super) at: UnixMs,
    /// Stands below the turn that was the newest when it was sent.
    pub(super) after: Option<TurnId>,
    pub(super) cell: Cell,
}

impl History {
    pub(super) fn add_echo(&mut self, op: OpId, text: &str, client_id: &str, at: UnixMs) {
        if self.seen.contains(client_id) || self.echoes.iter().any(|echo| echo.client_id == client_id) {
            return;
        }
        let body = RowBody::Echo { op, text: text.to_owned(), state: OpState::InFlight };
        let newest = if self.gap { self.tail.last() } else { self.turns.last() };
        self.echoes.push(Echo {
            op,
            client_id: client_id.to_owned(),
            text: text.to_owned(),
            at,
            after: newest.map(|turn| turn.id.clone()),
            cell: Cell::new(&mut self.keys, body),
        });
        self.changed();
    }

    pub(super) fn set_echo(&mut self, op: OpId, state: &OpState) {
        for echo in self.echoes.iter_mut().filter(|echo| echo.op == op) {
            echo.cell.set(RowBody::Echo { op, text: echo.text.clone(), state: state.clone() });
            self.dirty = true;
        }
    }

    /// An item as a page or an event brought it, with the row of the echo that it replaces.
    pub(super) fn arrive(&mut self, item: ThreadItem, at: Option<UnixMs>) -> Arrived {
        let echo = self.claim(&item);
        Arrived { item, at, echo }
    }

    /// The row of the echo that `item` replaces; remembers the evidence.
    pub(super) fn claim(&mut self, item: &ThreadItem) -> Option<Cell> {
        let ThreadItem::UserMessage { client_id: Some(client_id), .. } = item else { return None };
        if self.seen.insert(client_id.clone()) {
            self.evidence.push(client_id.clone());
        }
        let at = self.echoes.iter().position(|echo| echo.client_id == *client_id)?;
        self.dirty = true;
        Some(self.echoes.remove(at).cell)
    }

    /// Removes a lost text that the user dismissed.
    pub(super) fn dismiss_lost(&mut self, key: u64) {
        let is_dismissed = |slot: &Slot| slot.cell.key == key && matches!(&*slot.cell.body, RowBody::Lost { .. });
        self.kept.retain(|slot| !is_dismissed(slot));
        for turn in self.turns.iter_mut().chain(&mut self.tail) {
            turn.slots.retain(|_, slot| !is_dismissed(slot));
            let slots = &turn.slots;
            turn.order.retain(|id| slots.contains_key(id));
        }
        self.changed();
    }
}
