//! The window around the viewport: which rows there are, and what is evicted beyond its limits.

use std::sync::Arc;

use super::row::{Cell, Held, Slot};
use super::turn::{End, Expansion, SlotId, Turn};
use super::{History, Side, order};
use crate::base::{ItemId, TurnId, UnixMs, limit};
use crate::engine::view::{Row, RowBody};
use crate::protocol::TurnStatus;

const ELSEWHERE: &str = "Interrupted, or running elsewhere.";

/// Completed items of turns below the window's edge that stay, so that none falls between a page
/// that is on its way and the event that it does not contain yet.
const TAIL_ITEMS: usize = 500;

/// What is on screen, by row keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Viewport {
    /// Follows the tail.
    Tail,
    Rows {
        first: u64,
        last: u64,
    },
}

/// How often something left the window at each end. A page that was asked for before does not
/// join what is left of it, nor does it know what was heard live meanwhile and let go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cuts {
    pub(super) above: u64,
    pub(super) below: u64,
}

/// One item of the window for the eviction: its turn's index, its row key, its text's bytes.
struct Counted {
    turn: usize,
    key: u64,
    bytes: usize,
    /// Not evictable from above: an unfinished block.
    open: bool,
    /// Part of a turn of which nothing but the summary is here.
    summary: bool,
}

impl History {
    /// Rows must be built anew.
    pub(super) fn changed(&mut self) {
        self.dirty = true;
    }

    /// Lets go of the built row of a block, so that its text can grow in place.
    pub(super) fn release(&mut self, turn: &TurnId, item: &ItemId) {
        if self.dirty {
            return;
        }
        let Some(pos) = self.slot(turn, item).map(|slot| slot.pos) else { return };
        if pos >= self.rows.len() {
            return;
        }
        self.touched.insert((turn.clone(), item.clone()));
        // While nobody holds the view of before, the text is then ours alone.
        if let Some(rows) = Arc::get_mut(&mut self.rows) {
            rows[pos].body = Arc::clone(&self.blank);
        }
    }

    fn slot(&self, turn: &TurnId, item: &ItemId) -> Option<&Slot> {
        self.turn(turn)?.slots.get(&SlotId::Item(item.clone()))
    }

    /// The rows as they are now; the same allocation while nothing changed.
    pub(super) fn current_rows(&mut self) -> Arc<Vec<Row>> {
        if std::mem::take(&mut self.dirty) {
            self.touched.clear();
            self.build();
        } else if !self.touched.is_empty() {
            let touched = std::mem::take(&mut self.touched);
            let mut rows = std::mem::take(&mut self.rows);
            let written = Arc::make_mut(&mut rows);
            for (turn, item) in touched {
                if let Some(slot) = self.slot(&turn, &item)
                    && let Some(row) = written.get_mut(slot.pos)
                {
                    *row = slot.cell.row(Some(&turn), slot.at);
                }
            }
            self.rows = rows;
        }
        Arc::clone(&self.rows)
    }

    fn build(&mut self) {
        self.grown = 0;
        let mut rows = Vec::with_capacity(self.rows.len() + 8);
        let older = self.older();
        let body = RowBody::Edge { older: true, evicted: self.evicted_older };
        build_edge(&mut rows, &mut self.edge_older, older.then_some(body), &mut self.keys);
        rows.extend(self.kept.iter().map(|slot| slot.cell.row(None, slot.at)));
        self.items = 0;
        let mut echoes: Vec<_> = self.echoes.iter().collect();
        let last = self.turns.len().saturating_sub(1);
        for (index, turn) in self.turns.iter_mut().enumerate() {
            let newest = index == last && !self.gap;
            self.items += build_turn(turn, newest, &mut rows, &mut self.keys);
            echoes.retain(|echo| {
                let here = echo.after.as_ref() == Some(&turn.id) && !(self.gap && index == last);
                if here {
                    rows.push(echo.cell.row(None, Some(echo.at)));
                }
                !here
            });
        }
        let body = RowBody::Edge { older: false, evicted: self.evicted_newer };
        build_edge(&mut rows, &mut self.edge_newer, self.gap.then_some(body), &mut self.keys);
        rows.extend(echoes.iter().map(|echo| echo.cell.row(None, Some(echo.at))));
        for turn in &mut self.tail {
            for slot in turn.slots.values_mut() {
                slot.pos = usize::MAX;
            }
        }
        self.rows = Arc::new(rows);
    }

    /// Evicts the end that is furthest from the viewport while the window is over its limits.
    pub(super) fn evict(&mut self) {
        self.evict_first(None);
    }

    /// Evicts as far as it can at one end before the other: what a newest page brings again above
    /// the window must not push out the newest.
    pub(super) fn evict_first(&mut self, end: Option<Side>) {
        self.grown = 0;
        let counted = self.counted();
        let mut bytes: usize = counted.iter().map(|item| item.bytes).sum();
        if counted.len() <= limit::WINDOW_ITEMS && bytes <= limit::WINDOW_BYTES {
            return;
        }
        let (mut seen_from, mut seen_to) = self.seen_range(&counted);
        // The two messages of a summary go together, so they are seen together.
        let pair = |a: &Counted, b: &Counted| a.summary && b.summary && a.turn == b.turn;
        if seen_from > 0 && pair(&counted[seen_from - 1], &counted[seen_from]) {
            seen_from -= 1;
        }
        if seen_to + 1 < counted.len() && pair(&counted[seen_to], &counted[seen_to + 1]) {
            seen_to += 1;
        }
        let (mut low, mut high) = (0, counted.len());
        while high - low > limit::WINDOW_ITEMS || bytes > limit::WINDOW_BYTES {
            let above = seen_from.saturating_sub(low);
            let below = high.saturating_sub(seen_to + 1);
            let furthest = end.map_or(above >= below, |end| end == Side::Before);
            if furthest && above > 0 && !counted[low].open {
                bytes -= counted[low].bytes;
                low += 1;
            } else if below > 0 {
                high -= 1;
                bytes -= counted[high].bytes;
            } else {
                break;
            }
        }
        if low > 0 && low < seen_from && pair(&counted[low - 1], &counted[low]) {
            low += 1;
        }
        if high < counted.len() && high > seen_to + 1 && pair(&counted[high - 1], &counted[high]) {
            high -= 1;
        }
        // From below first: indices of turns above stay valid.
        if high < counted.len() {
            self.drop_below(&counted[high - 1], counted.len() - high);
        }
        if low > 0 {
            self.drop_above(&counted[low], low);
        }
        let ids: Vec<TurnId> = self.turns.iter().map(|turn| turn.id.clone()).collect();
        self.marks.retain(&ids);
        self.changed();
    }

    /// Indices of the first and the last item on screen.
    fn seen_range(&mut self, counted: &[Counted]) -> (usize, usize) {
        let end = counted.len().saturating_sub(1);
        let Viewport::Rows { first, last } = self.viewport else { return (end, end) };
        // Rows that are no items (heads, edges) count as the item next to them.
        let row = |key: u64| self.rows.iter().position(|row| row.key == key);
        let item = |row: &Row| counted.iter().position(|item| item.key == row.key);
        let from = row(first).and_then(|at| self.rows[at..].iter().find_map(item));
        let to = row(last).and_then(|at| self.rows[..=at].iter().rev().find_map(item));
        match (from, to) {
            (Some(from), Some(to)) => (from.min(to), from.max(to)),
            (Some(at), None) | (None, Some(at)) => (at, at),
            (None, None) => (end, end),
        }
    }

    /// Items in the window.
    pub(super) fn count(&self) -> usize {
        self.counted().len()
    }

    fn counted(&self) -> Vec<Counted> {
        let mut counted = Vec::new();
        for (index, turn) in self.turns.iter().enumerate() {
            let mut count = |slot: &Slot, summary: bool| {
                counted.push(Counted {
                    turn: index,
                    key: slot.cell.key,
                    bytes: slot.bytes,
                    open: slot.held == Held::Open,
                    summary,
                });
            };
            if let Some(slot) = turn.shown_first() {
                count(slot, turn.order.is_empty());
            }
            for id in &turn.order {
                count(&turn.slots[id], false);
            }
            if let Some(slot) = turn.shown_last() {
                count(slot, turn.order.is_empty());
            }
        }
        counted
    }

    /// Drops everything above `first`, the first item that stays.
    fn drop_above(&mut self, first: &Counted, dropped: usize) {
        self.evicted_older += dropped;
        self.cuts.above += 1;
        for turn in self.turns.drain(..first.turn) {
            self.kept.extend(turn.slots.into_values().filter(|slot| matches!(slot.held, Held::Lost { .. })));
        }
        let Some(turn) = self.turns.first_mut() else { return };
        let place = turn.order.iter().position(|id| turn.slots[id].cell.key == first.key).unwrap_or(0);
        let is_stand_in = turn.shown_first().is_some_and(|slot| slot.cell.key == first.key);
        if is_stand_in || (place == 0 && turn.shown_first().is_none()) {
            return;
        }
        turn.top = End::Cut;
        for id in turn.order.drain(..place).collect::<Vec<_>>() {
            if let Some(slot) = turn.slots.remove(&id)
                && matches!(slot.held, Held::Lost { .. })
            {
                self.kept.push(slot);
            }
        }
        turn.forget_order();
    }

    /// Drops everything below `last`, the last item that stays. What is not stored stays in the tail.
    fn drop_below(&mut self, last: &Counted, dropped: usize) {
        self.evicted_newer += dropped;
        self.cuts.below += 1;
        let mut below: Vec<Turn> = self.turns.drain(last.turn + 1..).collect();
        if let Some(turn) = self.turns.last_mut() {
            let place = turn.order.iter().position(|id| turn.slots[id].cell.key == last.key);
            let is_stand_in = turn.shown_first().is_some_and(|slot| slot.cell.key == last.key);
            let from = if is_stand_in { 0 } else { place.map_or(turn.order.len(), |place| place + 1) };
            let cut: Vec<SlotId> = turn.order.drain(from..).collect();
            if !cut.is_empty() {
                // Nothing but its summary stays: then its head says so.
                turn.bottom = if is_stand_in { End::Missing } else { End::Cut };
                let mut rest = Turn::new(turn.id.clone(), End::Complete);
                rest.top = End::Missing;
                (rest.status, rest.error, rest.began) = (turn.status, turn.error.clone(), turn.began);
                (rest.ended, rest.ended_live) = (turn.ended, turn.ended_live);
                rest.order.clone_from(&cut);
                rest.slots = cut.iter().filter_map(|id| turn.slots.remove_entry(id)).collect();
                turn.forget_order();
                below.insert(0, rest);
            }
        }
        self.gap = true;
        for turn in below.into_iter().rev() {
            self.hide(turn);
        }
    }

    /// Keeps what no page can bring again of a turn that left the window below.
    fn hide(&mut self, mut turn: Turn) {
        let before = turn.order.len();
        turn.retain(|_, slot| slot.held != Held::Done);
        if turn.order.len() < before || turn.bottom == End::Missing {
            (turn.top, turn.bottom) = (End::Missing, End::Complete);
        }
        (turn.first, turn.last, turn.expanded) = (None, None, false);
        if let Some(known) = self.tail.iter_mut().find(|known| known.id == turn.id) {
            turn.order.append(&mut known.order);
            known.order = turn.order;
            known.slots.append(&mut turn.slots);
            known.top = End::Missing;
        } else if !turn.order.is_empty() || self.running.as_ref().is_some_and(|running| running.turn == turn.id) {
            self.tail.insert(0, turn);
        }
    }

    /// Below the edge only what cannot be read again has to stay.
    pub(super) fn trim_tail(&mut self) {
        let mut items: usize = self.tail.iter().map(|turn| turn.order.len()).sum();
        if items <= TAIL_ITEMS {
            return;
        }
        for turn in &mut self.tail {
            let before = turn.order.len();
            turn.retain(|_, slot| slot.held != Held::Done);
            if turn.order.len() < before {
                turn.top = End::Missing;
                self.cuts.below += 1;
            }
            items -= before - turn.order.len();
            if items <= TAIL_ITEMS / 2 {
                break;
            }
        }
    }

    /// The window reaches the newest turn again: what was kept below its edge is shown.
    pub(super) fn close_gap(&mut self) {
        self.gap = false;
        self.evicted_newer = 0;
        for mut kept in std::mem::take(&mut self.tail) {
            let Some(at) = self.turns.iter().position(|turn| turn.id == kept.id) else {
                self.turns.push(kept);
                continue;
            };
            let turn = &mut self.turns[at];
            turn.status = kept.status.or(turn.status);
            turn.error = kept.error.take().or(turn.error.take());
            turn.ended = kept.ended.or(turn.ended);
            turn.ended_live |= kept.ended_live;
            turn.order = order::merge(&turn.order, &kept.order, order::Side::After);
            turn.stored = order::merge(&turn.stored, &kept.stored, order::Side::After);
            for (id, slot) in kept.slots {
                turn.slots.entry(id).or_insert(slot);
            }
            turn.drop_stand_ins();
            self.prefer_live(&kept.id);
        }
        self.changed();
    }

    /// Whether something older than the first row exists on the server.
    pub(super) fn older(&self) -> bool {
        self.turns.first().is_some_and(|turn| turn.top == End::Cut || !self.at_first_turn() || self.in_first_turn())
    }

    /// The first turn of the window is the first of the conversation.
    pub(super) fn at_first_turn(&self) -> bool {
        self.turns.first().is_none_or(|turn| self.marks.is_first(&turn.id))
    }

    /// The first turn is partly loaded, and its beginning is not.
    pub(super) fn in_first_turn(&self) -> bool {
        self.turns.first().is_some_and(|turn| turn.top == End::Missing && !turn.stored.is_empty() && !self.is_legacy())
    }
}

fn build_edge(rows: &mut Vec<Row>, cell: &mut Option<Cell>, body: Option<RowBody>, keys: &mut super::row::Keys) {
    match body {
        Some(body) => {
            Cell::keep(cell, keys, body);
            rows.extend(cell.as_ref().map(|cell| cell.row(None, None)));
        }
        None => *cell = None,
    }
}

/// Appends the rows of a turn; returns how many of them are items.
fn build_turn(turn: &mut Turn, newest: bool, rows: &mut Vec<Row>, keys: &mut super::row::Keys) -> usize {
    let id = turn.id.clone();
    let first = turn.shown_first().map(|slot| slot.cell.row(Some(&id), slot.at));
    let last = turn.shown_last().map(|slot| slot.cell.row(Some(&id), slot.at));
    let mut items = turn.order.len() + usize::from(first.is_some()) + usize::from(last.is_some());
    rows.extend(first);
    if turn.top == End::Missing || turn.expanded {
        let (loading, failed) = match &turn.expansion {
            Expansion::Idle => (false, None),
            Expansion::Busy => (true, None),
            Expansion::Failed(why) => (false, Some(why.clone())),
        };
        let status = turn.status.unwrap_or(TurnStatus::Unknown);
        let expanded = turn.expanded;
        Cell::keep(&mut turn.head, keys, RowBody::TurnHead { turn: id.clone(), status, expanded, loading, failed });
        rows.extend(turn.head.as_ref().map(|cell| cell.row(Some(&id), turn.began)));
    } else {
        turn.head = None;
    }
    for place in &turn.order {
        let Some(slot) = turn.slots.get_mut(place) else {
            items -= 1;
            continue;
        };
        slot.pos = rows.len();
        rows.push(slot.cell.row(Some(&id), slot.at));
    }
    rows.extend(last);
    match end_of(turn, newest) {
        Some(body) => {
            Cell::keep(&mut turn.end, keys, body);
            rows.extend(turn.end.as_ref().map(|cell| cell.row(Some(&id), turn.ended)));
        }
        None => turn.end = None,
    }
    items
}

/// How the turn ended, when it did not simply complete.
fn end_of(turn: &Turn, newest: bool) -> Option<RowBody> {
    let status = turn.status?;
    let note = match status {
        TurnStatus::Completed | TurnStatus::InProgress => return None,
        TurnStatus::Interrupted if newest && turn.ended.is_none() && !turn.ended_live => Some(ELSEWHERE.to_owned()),
        TurnStatus::Interrupted | TurnStatus::Failed | TurnStatus::Unknown => None,
    };
    (turn.bottom != End::Cut).then(|| RowBody::TurnEnd {
        turn: turn.id.clone(),
        status,
        error: turn.error.clone(),
        note,
    })
}

/// Milliseconds of a page's entry, the completion if it is known.
pub(super) fn entry_time(completed: Option<i64>, started: Option<i64>) -> Option<UnixMs> {
    completed.or(started).map(UnixMs)
}
