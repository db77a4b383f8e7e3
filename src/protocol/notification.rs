//! Notifications of the app-server that mean something to Rejoin; the rest are counted by name.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::account::RateLimits;
use super::item::FileUpdateChange;
use super::json::object;
use super::settings::TokenUsage;
use super::thread::TurnError;
use super::{Thread, ThreadItem, ThreadStatus, Turn};
use crate::base::{ItemId, RequestId, ThreadId, TurnId};

macro_rules! notifications {
    ($( $variant:ident = $name:literal { $( $(#[$meta:meta])* $field:ident : $ty:ty ),* $(,)? }; )*) => {
        /// A notification (`ServerNotification`), named as in the protocol.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", content = "params", rename_all_fields = "camelCase")]
        pub enum ServerNotification {
            $( #[serde(rename = $name)] $variant { $( $(#[$meta])* $field: $ty ),* }, )*
        }

        impl ServerNotification {
            /// The names of all notifications that are read.
            pub const NAMES: &[&str] = &[ $( $name ),* ];
        }
    };
}

notifications! {
    Error = "error" { thread_id: ThreadId, turn_id: TurnId, error: TurnError, will_retry: bool };
    ThreadStarted = "thread/started" { thread: Thread };
    ThreadStatusChanged = "thread/status/changed" { thread_id: ThreadId, status: ThreadStatus };
    ThreadArchived = "thread/archived" { thread_id: ThreadId };
    ThreadUnarchived = "thread/unarchived" { thread_id: ThreadId };
    ThreadDeleted = "thread/deleted" { thread_id: ThreadId };
    ThreadClosed = "thread/closed" { thread_id: ThreadId };
    ThreadReverted = "thread/reverted" { thread_id: ThreadId };
    ThreadNameUpdated = "thread/name/updated" { thread_id: ThreadId, #[serde(default)] thread_name: Option<String> };
    TokenUsageUpdated = "thread/tokenUsage/updated" { thread_id: ThreadId, turn_id: TurnId, token_usage: TokenUsage };
    TurnStarted = "turn/started" { thread_id: ThreadId, turn: Turn };
    TurnCompleted = "turn/completed" { thread_id: ThreadId, turn: Turn };
    TurnDiffUpdated = "turn/diff/updated" { thread_id: ThreadId, turn_id: TurnId, diff: String };
    TurnPlanUpdated = "turn/plan/updated" {
        thread_id: ThreadId, turn_id: TurnId, #[serde(default)] explanation: Option<String>, plan: Vec<PlanStep>,
    };
    ItemStarted = "item/started" {
        thread_id: ThreadId, turn_id: TurnId, item: ThreadItem, #[serde(default)] started_at_ms: Option<i64>,
    };
    ItemCompleted = "item/completed" {
        thread_id: ThreadId, turn_id: TurnId, item: ThreadItem, #[serde(default)] completed_at_ms: Option<i64>,
    };
    AgentMessageDelta = "item/agentMessage/delta" { thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, delta: String };
    PlanDelta = "item/plan/delta" { thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, delta: String };
    CommandOutputDelta = "item/commandExecution/outputDelta" {
        thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, delta: String,
    };
    TerminalInteraction = "item/commandExecution/terminalInteraction" {
        thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, process_id: String, stdin: String,
    };
    PatchUpdated = "item/fileChange/patchUpdated" {
        thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, changes: Vec<FileUpdateChange>,
    };
    McpProgress = "item/mcpToolCall/progress" { thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, message: String };
    ReasoningSummaryDelta = "item/reasoning/summaryTextDelta" {
        thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, summary_index: usize, delta: String,
    };
    ReasoningSummaryPartAdded = "item/reasoning/summaryPartAdded" {
        thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, summary_index: usize,
    };
    ReasoningTextDelta = "item/reasoning/textDelta" {
        thread_id: ThreadId, turn_id: TurnId, item_id: ItemId, content_index: usize, delta: String,
    };
    RequestResolved = "serverRequest/resolved" { thread_id: ThreadId, request_id: RequestId };
    ModelRerouted = "model/rerouted" { thread_id: ThreadId, turn_id: TurnId, from_model: String, to_model: String };
    Warning = "warning" { message: String, #[serde(default)] thread_id: Option<ThreadId> };
    GuardianWarning = "guardianWarning" { message: String, thread_id: ThreadId };
    ConfigWarning = "configWarning" {
        summary: String, #[serde(default)] details: Option<String>, #[serde(default)] path: Option<String>,
    };
    DeprecationNotice = "deprecationNotice" { summary: String, #[serde(default)] details: Option<String> };
    AccountUpdated = "account/updated" { #[serde(default)] auth_mode: Option<String>, #[serde(default)] plan_type: Option<String> };
    RateLimitsUpdated = "account/rateLimits/updated" { rate_limits: RateLimits };
    McpServerStatusUpdated = "mcpServer/startupStatus/updated" {
        name: String, status: String, #[serde(default)] error: Option<String>, #[serde(default)] thread_id: Option<ThreadId>,
    };
}

/// A step of `turn/plan/updated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    pub step: String,
    pub status: PlanStepStatus,
}

/// `TurnPlanStepStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PlanStepStatus {
    Pending,
    InProgress,
    Completed,
    #[serde(other)]
    Unknown,
}

/// What came of reading a notification.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "matched at once; a box would be an allocation a message")]
pub enum Parsed {
    Known(ServerNotification),
    /// A method that is not read: for the log and a counter, never for the transcript.
    Unknown,
    /// A known method in an unexpected shape: for the log and a counter as well.
    Malformed(serde_json::Error),
}

impl ServerNotification {
    /// Reads a notification.
    pub fn parse(method: &str, params: Option<&RawValue>) -> Parsed {
        if !Self::NAMES.contains(&method) {
            return Parsed::Unknown;
        }
        if let Err(error) = object::<IgnoredAny>(params.map_or("null", RawValue::get)) {
            return Parsed::Malformed(error);
        }
        #[derive(Serialize)]
        struct Tagged<'a> {
            method: &'a str,
            params: Option<&'a RawValue>,
        }
        let text = serde_json::to_string(&Tagged { method, params });
        match text.and_then(|text| serde_json::from_str(&text)) {
            Ok(known) => Parsed::Known(known),
            Err(error) => Parsed::Malformed(error),
        }
    }

    /// The thread a subscriber's event belongs to; `None` for what every connection hears.
    pub fn thread_id(&self) -> Option<&ThreadId> {
        match self {
            Self::Error { thread_id, .. }
            | Self::TokenUsageUpdated { thread_id, .. }
            | Self::TurnStarted { thread_id, .. }
            | Self::TurnCompleted { thread_id, .. }
            | Self::TurnDiffUpdated { thread_id, .. }
            | Self::TurnPlanUpdated { thread_id, .. }
            | Self::ItemStarted { thread_id, .. }
            | Self::ItemCompleted { thread_id, .. }
            | Self::AgentMessageDelta { thread_id, .. }
            | Self::PlanDelta { thread_id, .. }
            | Self::CommandOutputDelta { thread_id, .. }
            | Self::TerminalInteraction { thread_id, .. }
            | Self::PatchUpdated { thread_id, .. }
            | Self::McpProgress { thread_id, .. }
            | Self::ReasoningSummaryDelta { thread_id, .. }
            | Self::ReasoningSummaryPartAdded { thread_id, .. }
            | Self::ReasoningTextDelta { thread_id, .. }
            | Self::RequestResolved { thread_id, .. }
            | Self::ModelRerouted { thread_id, .. }
            | Self::GuardianWarning { thread_id, .. } => Some(thread_id),
            Self::ThreadStarted { .. }
            | Self::ThreadStatusChanged { .. }
            | Self::ThreadArchived { .. }
            | Self::ThreadUnarchived { .. }
            | Self::ThreadDeleted { .. }
            | Self::ThreadClosed { .. }
            | Self::ThreadReverted { .. }
            | Self::ThreadNameUpdated { .. }
            | Self::Warning { .. }
            | Self::ConfigWarning { .. }
            | Self::DeprecationNotice { .. }
            | Self::AccountUpdated { .. }
            | Self::RateLimitsUpdated { .. }
            | Self::McpServerStatusUpdated { .. } => None,
        }
    }
}
