//! The live state of one subscribed thread: the running turn, its completed items and its
//! unfinished blocks. One machine, used by the worker's hub (which snapshots it) and by the GUI
//! (which continues it): a snapshot at any cut plus the events after it equals the whole.
//!
//! It holds no history. A completed item is in `thread/items/list` before its notification reaches
//! a subscriber (FACTS 5.9), so whoever attaches reads the newest pages and needs from here only
//! what a page cannot have: the running turn, the turn that ended last, and unfinished blocks.
//! Everything older is pruned; ids of ended turns stay longer, so that nothing late revives them.

mod apply;
mod block;
pub mod snapshot;
mod text;

pub use block::{Block, BlockBody};
pub use text::KeptText;
pub(crate) use text::floor_boundary;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::base::{ItemId, ThreadId, TurnId, UnixMs};
use crate::protocol::notification::PlanStep;
use crate::protocol::settings::TokenUsage;
use crate::protocol::thread::TurnError;
use crate::protocol::{ThreadItem, TurnStatus};

/// Live state of one thread since its subscription began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveThread {
    pub thread: ThreadId,
    /// The turn that is known to run.
    pub running: Option<RunningTurn>,
    /// Turns that ended while subscribed, newest last; their ids never run again. At most
    /// `limit::ENDED_TURNS`.
    pub ended: Vec<EndedTurn>,
    /// Completed items of the running turn and of the one that ended last, in completion order. At
    /// most `limit::LIVE_ENTRIES` and about `limit::LIVE_ENTRIES_TEXT` bytes; the oldest go first.
    pub entries: Vec<Entry>,
    /// Unfinished blocks in order of first appearance. Of the running turn, unless an earlier turn's
    /// end is still to come.
    pub blocks: Vec<Block>,
    pub token_usage: Option<TokenUsage>,
    /// Completed item keys, so that late deltas never reopen a block.
    completed: BTreeSet<(TurnId, ItemId)>,
    /// Turns that were running when another one started; only their own end is still awaited.
    overtaken: Vec<TurnId>,
    /// Kept bytes of all blocks.
    blocks_text: usize,
    /// Text of all entries.
    entries_text: usize,
}

/// The turn that runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningTurn {
    pub id: TurnId,
    /// When we learned of it.
    pub since: UnixMs,
    pub plan: Vec<PlanStep>,
    pub plan_explanation: Option<String>,
    /// The turn's whole diff so far (`turn/diff/updated`).
    pub diff: Option<String>,
    /// A transient error with `willRetry` (shown while it retries).
    pub retrying: Option<TurnError>,
}

/// A turn that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndedTurn {
    pub id: TurnId,
    pub status: TurnStatus,
    pub error: Option<TurnError>,
    pub at: UnixMs,
}

/// A completed item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub turn: TurnId,
    pub item: ThreadItem,
    pub at: UnixMs,
}

/// What an event changed, for rows and announcements.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Nothing visible (duplicate, late, other thread).
    Nothing,
    TurnStarted(TurnId),
    /// The turn ended; the unfinished blocks it left are returned, never stored as finished.
    TurnEnded {
        turn: EndedTurn,
        dangling: Vec<Block>,
    },
    BlockChanged(TurnId, ItemId),
    Completed(Entry),
    /// Plan, diff, token use, retry note.
    TurnChanged,
}

impl LiveThread {
    /// A thread whose subscription begins now; nothing is known to run.
    pub fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            running: None,
            ended: Vec::new(),
            entries: Vec::new(),
            blocks: Vec::new(),
            token_usage: None,
            completed: BTreeSet::new(),
            overtaken: Vec::new(),
            blocks_text: 0,
            entries_text: 0,
        }
    }

    /// Whether this turn ended while subscribed.
    pub fn has_ended(&self, turn: &TurnId) -> bool {
        self.ended.iter().any(|ended| ended.id == *turn)
    }

    /// The unfinished block of an item.
    pub fn block(&self, turn: &TurnId, item: &ItemId) -> Option<&Block> {
        self.position(turn, item).map(|at| &self.blocks[at])
    }

    /// Whether an item completed here.
    pub fn has_completed(&self, turn: &TurnId, item: &ItemId) -> bool {
        self.completed.contains(&(turn.clone(), item.clone()))
    }

    /// Searched from the end: the block that grows is nearly always the newest.
    fn position(&self, turn: &TurnId, item: &ItemId) -> Option<usize> {
        self.blocks.iter().rposition(|block| block.item == *item && block.turn == *turn)
    }
}
