//! `Thread`, `Turn` and their states.

use serde::{Deserialize, Serialize};

use super::{JsonText, ThreadItem};
use crate::base::{ThreadId, TurnId};

/// A conversation as the server describes it (`Thread`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    pub id: ThreadId,
    /// First text of the first user message; may be empty (first message an image, forks on 0.155.1/0.159.1).
    #[serde(default)]
    pub preview: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub ephemeral: bool,
    #[serde(default)]
    pub history_mode: HistoryMode,
    #[serde(default)]
    pub model_provider: String,
    #[serde(default)]
    pub model: Option<String>,
    /// Unix seconds.
    #[serde(default)]
    pub created_at: i64,
    /// Unix seconds.
    #[serde(default)]
    pub updated_at: i64,
    /// Unix seconds; the sort key of the picker.
    #[serde(default)]
    pub recency_at: Option<i64>,
    #[serde(default)]
    pub status: ThreadStatus,
    /// A path on the *server*; never opened locally.
    #[serde(default)]
    pub cwd: String,
    #[serde(default)]
    pub cli_version: String,
    #[serde(default)]
    pub source: SessionSource,
    #[serde(default)]
    pub forked_from_id: Option<ThreadId>,
    #[serde(default)]
    pub parent_thread_id: Option<ThreadId>,
}

/// `ThreadHistoryMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HistoryMode {
    /// Pages of items by real ids.
    Paginated,
    /// Old rollouts: whole turns with synthetic ids and without commands (FACTS 5.6).
    Legacy,
    /// Not said.
    #[default]
    #[serde(other)]
    Unknown,
}

/// `ThreadStatus`. `Active` means *possibly in use*, never more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadStatus {
    /// Not loaded in this server process.
    #[default]
    NotLoaded,
    Idle,
    SystemError,
    Active {
        #[serde(default)]
        active_flags: Vec<ActiveFlag>,
    },
    /// A word of a newer server.
    #[serde(other)]
    Unknown,
}

/// What an active thread waits for (`ThreadActiveFlag`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ActiveFlag {
    WaitingOnApproval,
    WaitingOnUserInput,
    #[serde(other)]
    Unknown,
}

/// Where a thread came from (`SessionSource`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SessionSource {
    /// `cli`, `vscode`, `exec`, `appServer`, `unknown`.
    Named(String),
    /// `{custom: ..}` or `{subAgent: ..}`.
    Other(JsonText),
}

impl Default for SessionSource {
    fn default() -> Self {
        Self::Named("unknown".into())
    }
}

/// A turn (`Turn`). Its `items` are never the item list (FACTS 3.9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    pub id: TurnId,
    #[serde(default)]
    pub items: Vec<ThreadItem>,
    #[serde(default)]
    pub items_view: ItemsView,
    pub status: TurnStatus,
    #[serde(default)]
    pub error: Option<TurnError>,
    /// Unix seconds.
    #[serde(default)]
    pub started_at: Option<i64>,
    /// Unix seconds; absent while running, and for a turn that another process may still run.
    #[serde(default)]
    pub completed_at: Option<i64>,
    /// Milliseconds.
    #[serde(default)]
    pub duration_ms: Option<i64>,
}

/// `TurnItemsView`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ItemsView {
    #[default]
    NotLoaded,
    Summary,
    Full,
    #[serde(other)]
    Unknown,
}

/// `TurnStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TurnStatus {
    Completed,
    Interrupted,
    Failed,
    InProgress,
    #[serde(other)]
    Unknown,
}

/// Why a turn failed (`TurnError`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_details: Option<String>,
    /// A word or an object; shown under Details only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codex_error_info: Option<JsonText>,
}
