//! `Thread`, `Turn` and their states.

use serde::{Deserialize, Deserializer, Serialize};

use super::json::lenient;
use super::{JsonText, ThreadItem};
use crate::base::{ThreadId, TurnId};

/// A conversation as the server describes it (`Thread`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    pub id: ThreadId,
    /// First text of the first user message; may be empty (first message an image, forks on 0.155.1/0.159.1).
    #[serde(default, deserialize_with = "lenient")]
    pub preview: String,
    #[serde(default, deserialize_with = "lenient")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub ephemeral: bool,
    #[serde(default, deserialize_with = "lenient")]
    pub history_mode: HistoryMode,
    #[serde(default, deserialize_with = "lenient")]
    pub model_provider: String,
    #[serde(default, deserialize_with = "lenient")]
    pub model: Option<String>,
    /// Unix seconds.
    #[serde(default, deserialize_with = "lenient")]
    pub created_at: i64,
    /// Unix seconds.
    #[serde(default, deserialize_with = "lenient")]
    pub updated_at: i64,
    /// Unix seconds; the sort key of the picker.
    #[serde(default, deserialize_with = "lenient")]
    pub recency_at: Option<i64>,
    #[serde(default, deserialize_with = "status")]
    pub status: ThreadStatus,
    /// A path on the *server*; never opened locally.
    #[serde(default, deserialize_with = "lenient")]
    pub cwd: String,
    #[serde(default, deserialize_with = "lenient")]
    pub cli_version: String,
    #[serde(default, deserialize_with = "lenient")]
    pub source: SessionSource,
    #[serde(default, deserialize_with = "lenient")]
    pub forked_from_id: Option<ThreadId>,
    #[serde(default, deserialize_with = "lenient")]
    pub parent_thread_id: Option<ThreadId>,
}

/// A state that cannot be read is not known: "not loaded" would claim what the server did not say.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ThreadStatus, D::Error> {
    let status: Option<ThreadStatus> = lenient(deserializer)?;
    Ok(status.unwrap_or(ThreadStatus::Unknown))
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
    #[serde(default, deserialize_with = "lenient")]
    pub items_view: ItemsView,
    pub status: TurnStatus,
    #[serde(default)]
    pub error: Option<TurnError>,
    /// Unix seconds.
    #[serde(default, deserialize_with = "lenient")]
    pub started_at: Option<i64>,
    /// Unix seconds; absent while running, and for a turn that another process may still run.
    #[serde(default, deserialize_with = "lenient")]
    pub completed_at: Option<i64>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::request::ThreadListResponse;

    #[test]
    fn an_odd_field_of_one_thread_leaves_a_plain_row_and_the_rest_of_the_page() {
        let fields = ["preview", "name", "ephemeral", "historyMode", "modelProvider", "model", "createdAt"];
        let more = ["updatedAt", "recencyAt", "status", "cwd", "cliVersion", "source", "forkedFromId"];
        for field in fields.into_iter().chain(more) {
            for odd in ["[[7]]", "null"] {
                let page = format!(r#"{{"data":[{{"id":"a","{field}":{odd}}},{{"id":"b","preview":"whole"}}]}}"#);
                let page: ThreadListResponse = serde_json::from_str(&page).expect(field);
                assert_eq!(page.data.len(), 2, "{field}");
                assert_eq!(page.data[0].id, ThreadId::from("a"), "{field}");
                assert_eq!(page.data[1].preview, "whole", "{field}");
            }
        }
    }

    #[test]
    fn a_state_that_cannot_be_read_is_unknown() {
        for odd in ["7", "null", r#"{"type":7}"#] {
            let thread: Thread = serde_json::from_str(&format!(r#"{{"id":"a","status":{odd}}}"#)).unwrap();
            assert_eq!(thread.status, ThreadStatus::Unknown, "{odd}");
        }
    }

    #[test]
    fn a_thread_without_an_id_is_refused() {
        assert!(serde_json::from_str::<Thread>(r#"{"preview":"p"}"#).is_err());
    }
}
