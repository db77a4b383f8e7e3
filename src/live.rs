//! The live state of one subscribed thread: the running turn, its completed items and its
//! unfinished blocks. One machine, used by the worker's hub (which snapshots it) and by the GUI
//! (which continues it): a snapshot at any cut plus the events after it equals the whole.

mod apply;
mod block;
mod text;

pub use block::{Block, BlockBody};
pub use text::KeptText;

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
    /// Turns that ended while subscribed, newest last; their ids never run again.
    pub ended: Vec<EndedTurn>,
    /// Completed items of the running turn and of turns that ended here, in completion order; bounded.
    pub entries: Vec<Entry>,
    /// Unfinished blocks of the running turn in order of first appearance.
    pub blocks: Vec<Block>,
    pub token_usage: Option<TokenUsage>,
    /// Completed item keys, so that late deltas never reopen a block.
    completed: BTreeSet<(TurnId, ItemId)>,
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
