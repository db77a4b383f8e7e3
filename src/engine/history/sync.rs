//! Join's buffer: live events wait here until the newest pages were read again.

use std::collections::BTreeMap;

use super::row;
use crate::base::{ItemId, TurnId, UnixMs, limit};
use crate::live::{Block, Change, EndedTurn, Entry, LiveThread, RunningTurn};

/// Whether live events are applied at once.
#[derive(Debug, Default)]
pub(super) enum Sync {
    /// At once.
    #[default]
    Off,
    /// They wait.
    Buffering(Box<Buffer>),
    /// There were too many: none of them counts until Refresh was pressed.
    Overflowed,
}

/// A buffered event. The content of blocks is kept once, by item.
#[derive(Debug)]
pub(super) enum Waiting {
    TurnStarted(TurnId),
    TurnEnded { turn: EndedTurn, dangling: Vec<Block> },
    Block(TurnId, ItemId, UnixMs),
    Completed(Entry),
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// A snapshot that arrived meanwhile; the events come after it.
    pub(super) snapshot: Option<LiveThread>,
    pub(super) events: Vec<Waiting>,
    pub(super) blocks: BTreeMap<(TurnId, ItemId), Block>,
    /// Events before this buffer began were dropped: the next one brings the whole state.
    pub(super) needs_snapshot: bool,
    /// The newest word on the running turn.
    pub(super) running: Option<RunningTurn>,
    pub(super) bytes: usize,
}

impl Buffer {
    /// Takes an event; `false`: beyond `limit::SYNC_EVENTS` or `limit::SYNC_BYTES`.
    pub(super) fn push(&mut self, live: &LiveThread, change: &Change, at: UnixMs) -> bool {
        if std::mem::take(&mut self.needs_snapshot) {
            self.replace(live);
            return true;
        }
        let describes = matches!(change, Change::TurnStarted(_) | Change::TurnChanged | Change::TurnEnded { .. });
        if describes || self.running.is_none() {
            self.running.clone_from(&live.running);
        }
        match change {
            // Any event of a turn can be the first word that it runs.
            Change::Nothing | Change::TurnChanged => {}
            Change::TurnStarted(turn) => self.events.push(Waiting::TurnStarted(turn.clone())),
            Change::TurnEnded { turn, dangling } => {
                self.bytes += dangling.iter().map(|block| row::block_bytes(&block.body)).sum::<usize>();
                self.events.push(Waiting::TurnEnded { turn: turn.clone(), dangling: dangling.clone() });
            }
            Change::BlockChanged(turn, item) => self.push_block(live, turn, item, at),
            Change::Completed(entry) => {
                self.bytes += row::item_bytes(&entry.item);
                self.events.push(Waiting::Completed(entry.clone()));
            }
        }
        self.events.len() <= limit::SYNC_EVENTS && self.bytes <= limit::SYNC_BYTES
    }

    /// A snapshot makes everything before it needless.
    pub(super) fn replace(&mut self, live: &LiveThread) {
        *self = Self { snapshot: Some(live.clone()), running: live.running.clone(), ..Self::default() };
    }

    fn push_block(&mut self, live: &LiveThread, turn: &TurnId, item: &ItemId, at: UnixMs) {
        let Some(block) = live.blocks.iter().rev().find(|block| block.item == *item && block.turn == *turn) else {
            return;
        };
        let size = row::block_bytes(&block.body);
        let known = self.blocks.get_mut(&(turn.clone(), item.clone()));
        match known {
            Some(known) => {
                self.bytes += size.saturating_sub(row::block_bytes(&known.body));
                known.started.clone_from(&block.started);
                row::catch_up(&mut known.body, &block.body);
            }
            None => {
                self.bytes += size;
                self.blocks.insert((turn.clone(), item.clone()), block.clone());
            }
        }
        if !matches!(self.events.last(), Some(Waiting::Block(t, i, _)) if t == turn && i == item) {
            self.events.push(Waiting::Block(turn.clone(), item.clone(), at));
        }
    }
}
