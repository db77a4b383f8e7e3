//! Pages become turns and items of the window.

use std::collections::{BTreeMap, BTreeSet};

use super::kind::Found;
use super::order::{self, Side};
use super::reads::Newest;
use super::sync::Sync;
use super::turn::{End, Expansion, Turn};
use super::window::entry_time;
use super::{FetchError, History};
use crate::base::{Now, TurnId, UnixMs, limit};
use crate::protocol::request::{ItemEntry, ItemsListResponse, TurnsListResponse};
use crate::protocol::thread::ItemsView;
use crate::protocol::{ThreadItem, Turn as Described};

impl History {
    /// Both newest pages were answered.
    pub(super) fn merge_newest(&mut self, newest: Newest, now: Now) {
        let Newest { turns, items } = newest;
        match Found::from_answers(turns.as_ref(), items.as_ref()) {
            Found::Pages => {}
            Found::Legacy => {
                // Only whole turns can be read here: ask once more, for their items.
                self.set_legacy();
                self.plan_newest();
                return;
            }
            found @ (Found::Ephemeral | Found::NotPersisted | Found::Gone) => {
                self.found = Some(found);
                self.from_nothing = found != Found::Gone;
                self.settled(now);
                return;
            }
        }
        let turns = split(turns);
        let items = split(items);
        let failed = turns.1.or(items.1);
        let read_all = failed.is_none();
        if turns.0.is_some() || items.0.is_some() {
            self.found = Some(Found::Pages);
            self.merge_newest_turns(turns.0, items.0);
        }
        if read_all {
            self.settled(now);
        } else {
            let why = failed.map(|error| error.words()).unwrap_or_default();
            self.stale = Some(format!("It could not be read: {why}. What is shown may be out of date."));
        }
        self.evict_first(Some(Side::Before));
    }

    /// The newest read is complete.
    fn settled(&mut self, now: Now) {
        // After an overflow only Refresh makes the window whole again.
        if !matches!(self.sync, Sync::Overflowed) {
            self.stale = None;
        }
        self.as_of = Some(now.unix_ms);
        self.flush(now.unix_ms);
        self.changed();
    }

    fn merge_newest_turns(&mut self, turns: Option<TurnsListResponse>, items: Option<ItemsListResponse>) {
        let none = TurnsListResponse { data: Vec::new(), next_cursor: None, backwards_cursor: None };
        let mut page = turns.unwrap_or(none);
        page.data.reverse();
        let written = self.subject.as_ref().is_some_and(|subject| subject.written);
        self.from_nothing = page.data.is_empty() && !written;
        let mut ids: Vec<TurnId> = page.data.iter().map(|turn| turn.id.clone()).collect();
        let items_whole = items.as_ref().is_some_and(|items| items.next_cursor.is_none());
        let groups = by_turn(items.map(|items| items.data).unwrap_or_default());
        let group_ids: Vec<TurnId> = groups.iter().map(|(turn, _)| turn.clone()).collect();
        // Turns that only the page of items names are older, or newer than the page of turns.
        order::insert(&mut ids, &group_ids, Side::Before);
        let hidden = self.gap;
        self.arrange_newest(&ids);
        let described: Vec<TurnId> = page.data.iter().map(|turn| turn.id.clone()).collect();
        self.marks.read_desc(&described, page.next_cursor.as_ref(), page.backwards_cursor.as_ref());
        for turn in page.data {
            self.describe(turn);
        }
        self.fill_newest(groups, &ids, items_whole);
        if hidden {
            // Last: what was heard below the edge is newer than the page.
            self.close_gap();
        }
        self.changed();
    }

    /// Puts the turns into the page's order. Without a turn in common there would be a hole: then
    /// the window begins anew at the newest page.
    fn arrange_newest(&mut self, ids: &[TurnId]) {
        let have: Vec<TurnId> = self.turns.iter().map(|turn| turn.id.clone()).collect();
        let joins = !self.gap && order::overlap(&have, ids);
        let was_cut = self.turns.last().filter(|turn| turn.bottom == End::Cut).map(|turn| turn.id.clone());
        if self.gap {
            if let Some(turn) = self.turns.last_mut().filter(|turn| was_cut.as_ref() == Some(&turn.id)) {
                turn.drop_paged();
                turn.bottom = End::Complete;
                turn.top = End::Missing;
            }
            if self.is_legacy() {
                // Its rows come from live events or from the page, never both.
                self.close_gap();
            }
            self.gap = false;
            // The window goes to the newest page: the old place must not evict it again.
            self.viewport = super::window::Viewport::Tail;
        }
        let all: Vec<TurnId> = self.turns.iter().map(|turn| turn.id.clone()).collect();
        let mut old: BTreeMap<TurnId, Turn> =
            std::mem::take(&mut self.turns).into_iter().map(|turn| (turn.id.clone(), turn)).collect();
        let order = if joins || have.is_empty() {
            order::merge(&all, ids, Side::After)
        } else {
            self.marks = order::Marks::default();
            self.evicted_older = 0;
            // A turn that began after the page was made, or runs, stands below it.
            let after = all.iter().rposition(|id| ids.contains(id));
            let newer = all
                .iter()
                .enumerate()
                .filter(|(at, id)| !ids.contains(id) && (after.is_some_and(|after| *at > after) || old[*id].runs()));
            let newer: Vec<TurnId> = newer.map(|(_, id)| id.clone()).collect();
            ids.iter().cloned().chain(newer).collect()
        };
        for id in order {
            let turn = old.remove(&id).unwrap_or_else(|| Turn::new(id, End::Missing));
            self.turns.push(turn);
        }
        for turn in old.into_values() {
            self.keep_lost(turn);
        }
    }

    /// Distributes the newest items. Every turn behind the oldest of them is then complete.
    fn fill_newest(&mut self, groups: Vec<(TurnId, Vec<ItemEntry>)>, ids: &[TurnId], whole: bool) {
        let Some(oldest) = groups.first().map(|(turn, _)| turn.clone()) else { return };
        for (index, (id, entries)) in groups.into_iter().enumerate() {
            self.merge_items(&id, entries, Side::After, true);
            if let Some(turn) = self.turn_mut(&id) {
                turn.bottom = End::Complete;
                if index > 0 || whole {
                    turn.top = End::Complete;
                }
            }
        }
        let behind = ids.iter().skip_while(|id| **id != oldest).skip(1);
        for id in behind {
            if let Some(turn) = self.turn_mut(id) {
                (turn.top, turn.bottom) = (End::Complete, End::Complete);
            }
        }
    }

    /// Merges items of one turn; `newest`: the page reaches the turn's newest item, so that
    /// without a common item what was loaded before is dropped rather than leaving a hole.
    fn merge_items(&mut self, id: &TurnId, entries: Vec<ItemEntry>, side: Side, newest: bool) -> usize {
        let mut page = Vec::with_capacity(entries.len());
        for entry in entries {
            page.push(self.arrive(entry.item, entry_time(entry.completed_at_ms, entry.started_at_ms)));
        }
        let mut keys = std::mem::take(&mut self.keys);
        let added = self.turn_mut(id).map_or(0, |turn| {
            let ids: Vec<_> = page.iter().map(|arrived| arrived.item.id().clone()).collect();
            let mut side = side;
            if newest && !turn.stored.is_empty() && !order::overlap(&turn.stored, &ids) {
                turn.drop_paged();
                turn.top = End::Missing;
                // What is left was heard live, after the page was made.
                side = Side::Before;
            }
            turn.merge_page(page, side, false, &mut keys)
        });
        self.keys = keys;
        added
    }

    /// Takes what a page of turns says of one turn that the window has.
    fn describe(&mut self, described: Described) {
        let legacy = self.is_legacy();
        let Some(turn) = self.turn_mut(&described.id) else { return };
        turn.describe(&described);
        let Described { id, items, items_view, .. } = described;
        if legacy || items_view == ItemsView::Full {
            self.describe_whole(&id, items);
            return;
        }
        let messages: Vec<_> = items.into_iter().map(|item| self.arrive(item, None)).collect();
        let mut keys = std::mem::take(&mut self.keys);
        if let Some(turn) = self.turn_mut(&id) {
            turn.summarize(items_view, messages, &mut keys);
        }
        self.keys = keys;
    }

    /// A legacy turn with its items, unless its rows come from live events.
    fn describe_whole(&mut self, id: &TurnId, items: Vec<ThreadItem>) {
        let Some(turn) = self.turn_mut(id) else { return };
        let heard = turn.slots.values().any(|slot| slot.live);
        if heard && (turn.from_start || !turn.ended_live) {
            return;
        }
        if heard {
            // Heard from the middle only, and over: the page has more. Lost text stays.
            turn.retain(|_, slot| !(slot.live && slot.held == super::row::Held::Done));
        }
        (turn.top, turn.bottom) = (End::Complete, End::Complete);
        let at = turn.ended.or(turn.began);
        let entries = items.into_iter().map(|item| ItemEntry {
            turn_id: id.clone(),
            item,
            started_at_ms: None,
            completed_at_ms: at.map(|UnixMs(at)| at),
        });
        self.merge_items(id, entries.collect(), Side::After, false);
    }

    /// A page of turns beyond an edge.
    pub(super) fn turns_beyond(
        &mut self,
        side: Side,
        cursor: Option<&str>,
        mut page: TurnsListResponse,
        used: BTreeSet<String>,
    ) {
        if side == Side::Before {
            page.data.reverse();
        }
        let have: Vec<TurnId> = self.turns.iter().map(|turn| turn.id.clone()).collect();
        let known: BTreeSet<&TurnId> = have.iter().collect();
        let ids: Vec<TurnId> = page.data.iter().map(|turn| turn.id.clone()).collect();
        // Read from the newest, for want of a cursor: only what is above the window belongs to it.
        let from_newest = side == Side::Before && cursor.is_none();
        let above = ids.iter().position(|id| known.contains(id)).unwrap_or(if from_newest { 0 } else { ids.len() });
        let fitting = if from_newest { &ids[..above] } else { &ids[..] };
        let added = fitting.iter().filter(|id| !known.contains(id)).count();
        let joins = !from_newest || order::overlap(&have, &ids);
        if joins {
            self.add_turns(&have, fitting, side);
            let marked: Vec<TurnId> = if from_newest && fitting.is_empty() { ids.clone() } else { fitting.to_vec() };
            match side {
                Side::Before => {
                    self.marks.read_desc(&marked, page.next_cursor.as_ref(), page.backwards_cursor.as_ref());
                }
                Side::After => self.marks.read_asc(&marked, page.next_cursor.as_ref()),
            }
            for turn in page.data {
                self.describe(turn);
            }
        }
        match (side, page.next_cursor) {
            (Side::After, None) => self.close_gap(),
            (_, Some(next)) if added == 0 => {
                self.ask_turns(super::reads::Want::Turns { side, used }, Some(next), side);
            }
            (Side::Before | Side::After, _) => {}
        }
        if side == Side::Before {
            self.evicted_older = self.evicted_older.saturating_sub(added);
        }
        self.evict();
    }

    fn add_turns(&mut self, have: &[TurnId], ids: &[TurnId], side: Side) {
        let order = order::merge(have, ids, side);
        let mut old: BTreeMap<TurnId, Turn> =
            std::mem::take(&mut self.turns).into_iter().map(|turn| (turn.id.clone(), turn)).collect();
        self.turns =
            order.into_iter().map(|id| old.remove(&id).unwrap_or_else(|| Turn::new(id, End::Missing))).collect();
    }

    /// A page of items of one turn.
    pub(super) fn items_of(
        &mut self,
        id: &TurnId,
        side: Side,
        edge: bool,
        fresh: bool,
        mut page: ItemsListResponse,
        used: BTreeSet<String>,
    ) {
        if side == Side::Before {
            page.data.reverse();
        }
        let Some(turn) = self.turns.iter().position(|turn| turn.id == *id) else { return };
        // An edge page that starts at the newest items may not have reached ours yet.
        let mut ids: Vec<_> = page.data.iter().map(|entry| entry.item.id().clone()).collect();
        let cut_below = self.turns[turn].bottom == End::Cut;
        let reached = !(fresh && cut_below) || order::overlap(&self.turns[turn].stored, &ids);
        if fresh && cut_below {
            // What is below the window's edge stays there.
            let stored = &self.turns[turn].stored;
            let known = ids.iter().rposition(|id| stored.contains(id)).map_or(0, |at| at + 1);
            page.data.truncate(known);
            ids.truncate(known);
        }
        let mut added = 0;
        if reached {
            added = self.merge_items(id, page.data, side, fresh && !cut_below);
        }
        let next = page.next_cursor;
        let Some(turn) = self.turn_mut(id) else { return };
        if reached {
            match side {
                Side::Before => turn.marks.read_desc(&ids, next.as_ref(), page.backwards_cursor.as_ref()),
                Side::After => turn.marks.read_asc(&ids, next.as_ref()),
            }
        }
        if fresh && !cut_below {
            turn.bottom = End::Complete;
        }
        match side {
            Side::Before if next.is_none() => turn.top = End::Complete,
            Side::After if next.is_none() => turn.bottom = End::Complete,
            Side::Before | Side::After => {}
        }
        self.changed();
        self.evict();
        self.continue_items(id, side, edge, next, added, used);
    }

    /// An expansion goes on to the end of its turn or to the window's limit; an edge until there is something new.
    fn continue_items(
        &mut self,
        id: &TurnId,
        side: Side,
        edge: bool,
        next: Option<String>,
        added: usize,
        used: BTreeSet<String>,
    ) {
        if edge {
            match next {
                Some(next) if added == 0 => self.ask_items_of(id.clone(), side, true, Some(next), used),
                None if side == Side::After => self.ask_turns_beyond(Side::After, BTreeSet::new()),
                Some(_) | None => {}
            }
            return;
        }
        let full = self.count() >= limit::WINDOW_ITEMS;
        let Some(turn) = self.turn_mut(id) else { return };
        match next {
            Some(next) if !full || added == 0 => self.ask_items_of(id.clone(), side, false, Some(next), used),
            Some(_) | None => turn.expansion = Expansion::Idle,
        }
    }
}

/// Ascending items of a descending page, grouped by turn in order of first appearance.
fn by_turn(mut entries: Vec<ItemEntry>) -> Vec<(TurnId, Vec<ItemEntry>)> {
    entries.reverse();
    let mut groups: Vec<(TurnId, Vec<ItemEntry>)> = Vec::new();
    for entry in entries {
        match groups.iter_mut().rfind(|(turn, _)| *turn == entry.turn_id) {
            Some((_, group)) => group.push(entry),
            None => groups.push((entry.turn_id.clone(), vec![entry])),
        }
    }
    groups
}

/// A page that came, or why it did not.
fn split<T>(answer: Option<Result<T, FetchError>>) -> (Option<T>, Option<FetchError>) {
    match answer {
        Some(Ok(page)) => (Some(page), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    }
}
