//! Unfinished blocks: what an item has shown so far before it completes.

use serde::{Deserialize, Serialize};

use super::KeptText;
use crate::base::{ItemId, TurnId};
use crate::protocol::ThreadItem;
use crate::protocol::item::FileUpdateChange;

/// An item that started, or of which deltas arrived, and that did not complete yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    pub turn: TurnId,
    pub item: ItemId,
    /// From `item/started`; absent when we subscribed in the middle of it.
    pub started: Option<ThreadItem>,
    pub body: BlockBody,
}

impl Block {
    /// We subscribed in the middle: the beginning arrives when the block completes (FACTS S1).
    pub fn is_late(&self) -> bool {
        self.started.is_none()
    }
}

/// What has been shown so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BlockBody {
    AgentMessage(KeptText),
    Plan(KeptText),
    Reasoning {
        summary: Vec<KeptText>,
        content: Vec<KeptText>,
    },
    CommandOutput(KeptText),
    FileChange(Vec<FileUpdateChange>),
    McpProgress(Vec<String>),
    /// Started, and its kind has no deltas.
    Opaque,
}
