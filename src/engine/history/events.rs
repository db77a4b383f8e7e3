//! Live events: snapshots, blocks, completed items and ends of turns become rows.

use super::row::Held;
use super::sync::{Buffer, Sync, Waiting};
use super::turn::{Arrived, End, SlotId, Turn};
use super::{History, Side};
use crate::base::{Now, TurnId, UnixMs};
use crate::engine::view::Running;
use crate::live::{Block, Change, EndedTurn, Entry, LiveThread, RunningTurn};
use crate::protocol::{ThreadItem, TurnStatus};

/// Over a block that its turn left unfinished.
pub(super) const LOST: &str = "Lost text: not stored by Codex.";

const OVERFLOW: &str = "More arrived while joining than is kept. \
     Nothing of it was applied; what is shown may be out of date.";

/// Text may grow by so much before the window's limit is looked at again.
const EVICT_STEP: usize = 64 << 10;

impl History {
    pub(super) fn on_snapshot(&mut self, live: &LiveThread, now: Now) {
        match &mut self.sync {
            Sync::Off => self.apply_snapshot(live, now.unix_ms),
            Sync::Buffering(buffer) => buffer.replace(live),
            Sync::Overflowed => {}
        }
    }

    pub(super) fn on_event(&mut self, live: &LiveThread, change: &Change, now: Now) {
        match &mut self.sync {
            Sync::Off => {}
            Sync::Buffering(buffer) => {
                if !buffer.push(live, change, now.unix_ms) {
                    self.sync = Sync::Overflowed;
                    self.stale = Some(OVERFLOW.to_owned());
                }
                return;
            }
            Sync::Overflowed => return,
        }
        if !self.knows_running(live.running.as_ref()) {
            // Any event of a turn can be the first word that it runs.
            self.set_running(live.running.as_ref());
        }
        match change {
            Change::Nothing => {}
            Change::TurnStarted(turn) => self.turn_started(turn),
            Change::TurnEnded { turn, dangling } => self.turn_ended(turn, dangling, now.unix_ms),
            Change::BlockChanged(turn, item) => {
                let block = live.blocks.iter().rev().find(|block| block.item == *item && block.turn == *turn);
                if let Some(block) = block {
                    self.put_block(block, now.unix_ms);
                }
            }
            Change::Completed(entry) => self.put_entry(entry.clone()),
            Change::TurnChanged => self.set_running(live.running.as_ref()),
        }
    }

    /// The newest pages are merged: what waited is applied.
    pub(super) fn flush(&mut self, now: UnixMs) {
        if !matches!(self.sync, Sync::Buffering(_)) {
            return;
        }
        let Sync::Buffering(buffer) = std::mem::take(&mut self.sync) else { return };
        let Buffer { snapshot, events, blocks, running, .. } = *buffer;
        if let Some(live) = snapshot {
            self.apply_snapshot(&live, now);
        }
        for event in events {
            match event {
                Waiting::TurnStarted(turn) => self.turn_started(&turn),
                Waiting::TurnEnded { turn, dangling } => self.turn_ended(&turn, &dangling, now),
                Waiting::Block(turn, item, at) => {
                    if let Some(block) = blocks.get(&(turn, item)) {
                        self.put_block(block, at);
                    }
                }
                Waiting::Completed(entry) => self.put_entry(entry),
            }
        }
        self.set_running(running.as_ref());
    }

    /// Replaces all live parts by what the snapshot says.
    fn apply_snapshot(&mut self, live: &LiveThread, now: UnixMs) {
        // Ended turns before the last known one may have left the window: they stay away.
        let known = live.ended.iter().rposition(|ended| self.turn(&ended.id).is_some());
        for (index, ended) in live.ended.iter().enumerate() {
            if self.turn(&ended.id).is_some() || known.is_none_or(|known| index > known) {
                self.live_turn(&ended.id);
                self.snapshot_entries(live, &ended.id);
                self.turn_ended(ended, &[], now);
            }
        }
        self.running = None;
        if let Some(running) = &live.running {
            self.set_running(Some(running));
            self.snapshot_entries(live, &running.id);
        }
        for turn in self.turns.iter_mut().chain(&mut self.tail) {
            let gone = turn.slots.iter().filter_map(|(id, slot)| match id {
                SlotId::Item(item)
                    if slot.held == Held::Open
                        && !live.blocks.iter().any(|block| block.turn == turn.id && block.item == *item) =>
                {
                    Some(item.clone())
                }
                SlotId::Item(_) | SlotId::Lost(_) => None,
            });
            let gone: Vec<_> = gone.collect();
            if !gone.is_empty() {
                turn.lose(LOST, Some(&gone));
            }
        }
        for block in &live.blocks {
            self.put_block(block, now);
        }
        self.changed();
        self.evict();
    }

    fn snapshot_entries(&mut self, live: &LiveThread, id: &TurnId) {
        let entries: Vec<&Entry> = live.entries.iter().filter(|entry| entry.turn == *id).collect();
        let whole = matches!(entries.first(), Some(Entry { item: ThreadItem::UserMessage { .. }, .. }));
        let page: Vec<Arrived> = entries.iter().map(|entry| self.arrive(entry.item.clone(), Some(entry.at))).collect();
        if page.is_empty() {
            return;
        }
        let is_new = self.turn(id).is_none_or(|turn| turn.stored.is_empty() && turn.status.is_none());
        self.prefer_live(id);
        let turn = self.live_turn(id);
        if is_new && whole {
            turn.top = End::Complete;
            turn.from_start = true;
        }
        let mut keys = std::mem::take(&mut self.keys);
        self.live_turn(id).merge_page(page, Side::After, true, &mut keys);
        self.keys = keys;
    }

    fn turn_started(&mut self, id: &TurnId) {
        let turn = self.live_turn(id);
        if turn.order.is_empty() && turn.first.is_none() {
            (turn.top, turn.from_start) = (End::Complete, true);
        }
        self.changed();
    }

    /// Whether `running` says nothing new of which turn runs and whether it retries.
    fn knows_running(&self, running: Option<&RunningTurn>) -> bool {
        match (&self.running, running) {
            (Some(mine), Some(running)) => {
                mine.turn == running.id && mine.retrying.is_some() == running.retrying.is_some()
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn set_running(&mut self, running: Option<&RunningTurn>) {
        self.running = running.and_then(|running| {
            let turn = self.live_turn(&running.id);
            // A completed turn never runs again.
            if turn.ended_live {
                return None;
            }
            turn.status = Some(TurnStatus::InProgress);
            turn.began = turn.began.or(Some(running.since));
            Some(Running {
                turn: running.id.clone(),
                since: running.since,
                plan: running.plan.clone(),
                plan_explanation: running.plan_explanation.clone(),
                retrying: running.retrying.clone(),
                interrupting: false,
            })
        });
        self.changed();
    }

    fn turn_ended(&mut self, ended: &EndedTurn, dangling: &[Block], now: UnixMs) {
        for block in dangling {
            self.put_block(block, now);
        }
        let turn = self.live_turn(&ended.id);
        turn.status = Some(ended.status);
        turn.error.clone_from(&ended.error);
        turn.ended = turn.ended.or(Some(ended.at));
        turn.ended_live = true;
        turn.lose(LOST, None);
        turn.settle();
        // A turn cut by the window's edge stands on both sides of it.
        for turn in self.turns.iter_mut().filter(|turn| turn.id == ended.id) {
            turn.status = Some(ended.status);
            turn.ended_live = true;
            turn.settle();
        }
        if self.running.as_ref().is_some_and(|running| running.turn == ended.id) {
            self.running = None;
        }
        self.changed();
        self.evict();
    }

    fn put_entry(&mut self, entry: Entry) {
        self.prefer_live(&entry.turn);
        let arrived = self.arrive(entry.item, Some(entry.at));
        let mut keys = std::mem::take(&mut self.keys);
        let turn = self.live_turn(&entry.turn);
        turn.complete(arrived, &mut keys);
        if !turn.runs() {
            turn.settle();
        }
        self.keys = keys;
        self.changed();
        self.trim_tail();
        self.evict();
    }

    fn put_block(&mut self, block: &Block, at: UnixMs) {
        self.prefer_live(&block.turn);
        self.release(&block.turn, &block.item);
        let echo = block.started.as_ref().and_then(|item| self.claim(item));
        let mut keys = std::mem::take(&mut self.keys);
        let turn = self.live_turn(&block.turn);
        let ended = turn.ended_live;
        let grown = turn.open(block, at, echo, &mut keys);
        if ended {
            turn.lose(LOST, Some(std::slice::from_ref(&block.item)));
        }
        self.keys = keys;
        match grown {
            Some(bytes) if !ended => {
                self.grown += bytes;
                if self.grown > EVICT_STEP {
                    self.evict();
                }
            }
            Some(_) | None => {
                self.changed();
                self.evict();
            }
        }
    }

    /// Rows of a legacy turn come either from pages or from live events, never both: their ids differ.
    pub(super) fn prefer_live(&mut self, id: &TurnId) {
        if !self.is_legacy() {
            return;
        }
        if let Some(turn) = self.turn_mut(id)
            && !turn.from_start
            && !turn.ended_live
            && turn.slots.values().any(|slot| !slot.live && slot.held == Held::Done)
        {
            turn.stand_in_first();
            turn.drop_paged();
            (turn.top, turn.bottom) = (End::Missing, End::Complete);
            self.changed();
        }
    }

    /// The turn that a live event is about; a new one stands last.
    fn live_turn(&mut self, id: &TurnId) -> &mut Turn {
        let hidden = self.gap;
        let turns = if hidden { &mut self.tail } else { &mut self.turns };
        let at = turns.iter().rposition(|turn| turn.id == *id);
        let at = at.unwrap_or_else(|| {
            let mut turn = Turn::new(id.clone(), End::Complete);
            turn.top = End::Missing;
            if turns.is_empty() && !hidden && self.from_nothing {
                // Nothing was there before it.
                self.marks.read_desc(std::slice::from_ref(id), None, None);
            }
            turns.push(turn);
            self.dirty = true;
            turns.len() - 1
        });
        &mut turns[at]
    }
}
