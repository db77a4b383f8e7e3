//! Every request Rejoin can send, its parameters, its response and its class.
//!
//! One table: a method that is not in it cannot be sent. The class decides retry (reads only, on
//! -32001) and whether the operation ledger takes part (everything else).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::account::AccountReadResponse;
use super::item::UserInput;
use super::settings::{ApprovalPolicy, Model, SandboxMode, SandboxPolicy};
use super::{Thread, ThreadItem, Turn};
use crate::base::limit;
use crate::base::{ThreadId, TurnId};

/// What may happen to a request whose fate is uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Repeated after -32001, at most three times.
    Read,
    /// Never repeated by itself.
    Operation,
}

macro_rules! requests {
    ($( $(#[$doc:meta])* $variant:ident = $name:literal, $params:ty => $response:ty, $class:ident, $timeout:expr; )*) => {
        /// A request to the app-server; serialises as `{"method":..,"params":..}`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", content = "params")]
        pub enum ClientRequest {
            $( $(#[$doc])* #[serde(rename = $name)] $variant($params), )*
        }

        /// The result of a [`ClientRequest`] of the same name.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method", content = "result")]
        pub enum ClientResponse {
            $( #[serde(rename = $name)] $variant($response), )*
        }

        /// The method of a request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Method { $( $variant, )* }

        impl Method {
            /// Every method, in the order of the table.
            pub const ALL: &[Method] = &[ $( Method::$variant, )* ];

            /// The protocol's name.
            pub fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// Whether it may be repeated.
            pub fn class(self) -> Class {
                match self { $( Self::$variant => Class::$class, )* }
            }

            /// How long the client waits for the answer.
            pub fn timeout(self) -> Duration {
                match self { $( Self::$variant => $timeout, )* }
            }

            /// Reads the `result` member of a response to this method; an error is an unreadable response.
            pub fn parse_response(self, result: &RawValue) -> Result<ClientResponse, serde_json::Error> {
                Ok(match self {
                    $( Self::$variant => ClientResponse::$variant(super::json::object(result.get())?), )*
                })
            }
        }

        impl ClientRequest {
            /// The method.
            pub fn method(&self) -> Method {
                match self { $( Self::$variant(_) => Method::$variant, )* }
            }
        }
    };
}

requests! {
    AccountRead = "account/read", AccountReadParams => AccountReadResponse, Read, limit::READ_TIMEOUT;
    ThreadList = "thread/list", ThreadListParams => ThreadListResponse, Read, limit::READ_TIMEOUT;
    ThreadRead = "thread/read", ThreadReadParams => ThreadReadResponse, Read, limit::READ_TIMEOUT;
    TurnsList = "thread/turns/list", TurnsListParams => TurnsListResponse, Read, limit::READ_TIMEOUT;
    ItemsList = "thread/items/list", ItemsListParams => ItemsListResponse, Read, limit::READ_TIMEOUT;
    ModelList = "model/list", ModelListParams => ModelListResponse, Read, limit::READ_TIMEOUT;
    ThreadStart = "thread/start", ThreadStartParams => SessionResponse, Operation, limit::MUTATION_TIMEOUT;
    ThreadResume = "thread/resume", ThreadResumeParams => SessionResponse, Operation, limit::RESUME_TIMEOUT;
    ThreadUnsubscribe = "thread/unsubscribe", ThreadUnsubscribeParams => ThreadUnsubscribeResponse, Operation, limit::MUTATION_TIMEOUT;
    TurnStart = "turn/start", TurnStartParams => TurnStartResponse, Operation, limit::MUTATION_TIMEOUT;
    TurnSteer = "turn/steer", TurnSteerParams => TurnSteerResponse, Operation, limit::MUTATION_TIMEOUT;
    TurnInterrupt = "turn/interrupt", TurnInterruptParams => EmptyResponse, Operation, limit::INTERRUPT_TIMEOUT;
}

/// `{}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EmptyResponse {}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountReadParams {
    /// Never `true`: Rejoin does not touch credentials.
    #[serde(default)]
    pub refresh_token: bool,
}

/// Sort direction of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SortDirection {
    Asc,
    Desc,
}

/// `thread/list`. `recency_at` is the one sort key that loses no thread at a page end (FACTS 3.4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadListParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    #[serde(default)]
    pub sort_key: ThreadSortKey,
    /// Always empty: all providers. Absent would mean the active one only.
    #[serde(default)]
    pub model_providers: Vec<String>,
    /// `cli`, `vscode`, `exec`, `appServer`, ...; empty is never sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_kinds: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_term: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// The sort key that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadSortKey {
    #[default]
    RecencyAt,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadListResponse {
    pub data: Vec<Thread>,
    #[serde(default)]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadReadParams {
    pub thread_id: ThreadId,
    /// Always `false`: history comes in pages.
    pub include_turns: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadReadResponse {
    pub thread: Thread,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnsListParams {
    pub thread_id: ThreadId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    pub sort_direction: SortDirection,
    /// `summary` for the frame of a history, `full` for legacy threads.
    pub items_view: RequestedItemsView,
}

/// `TurnItemsView` as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestedItemsView {
    Summary,
    Full,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnsListResponse {
    pub data: Vec<Turn>,
    #[serde(default)]
    pub next_cursor: Option<String>,
    #[serde(default)]
    pub backwards_cursor: Option<String>,
}

/// `thread/items/list`. Only string cursors are sent (0.155.1 knows no others).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemsListParams {
    pub thread_id: ThreadId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Always sent: the default differs from the other lists (FACTS 5.2).
    pub sort_direction: SortDirection,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemsListResponse {
    pub data: Vec<ItemEntry>,
    #[serde(default)]
    pub next_cursor: Option<String>,
    #[serde(default)]
    pub backwards_cursor: Option<String>,
}

/// `ThreadItemEntry`; 0.155.1 sends no times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemEntry {
    pub turn_id: TurnId,
    pub item: ThreadItem,
    /// Unix milliseconds.
    #[serde(default, deserialize_with = "super::json::lenient")]
    pub started_at_ms: Option<i64>,
    /// Unix milliseconds.
    #[serde(default, deserialize_with = "super::json::lenient")]
    pub completed_at_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelListParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelListResponse {
    pub data: Vec<Model>,
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// `thread/start`. What is `None` is inherited from the server's configuration.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadStartParams {
    /// A directory on the *server*; absent means the server's own directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<ApprovalPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxMode>,
}

/// `thread/resume` ("Join"), always without turns and without overrides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadResumeParams {
    pub thread_id: ThreadId,
    pub exclude_turns: bool,
}

/// The result of `thread/start` and `thread/resume`: the thread and what its next turn will use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionResponse {
    pub thread: Thread,
    pub model: String,
    #[serde(default)]
    pub model_provider: String,
    #[serde(default)]
    pub reasoning_effort: Option<String>,
    #[serde(default)]
    pub service_tier: Option<String>,
    pub cwd: String,
    pub approval_policy: ApprovalPolicy,
    pub sandbox: SandboxPolicy,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadUnsubscribeParams {
    pub thread_id: ThreadId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadUnsubscribeResponse {
    /// `unsubscribed`, `notSubscribed`, `notLoaded`.
    pub status: String,
}

/// `turn/start`. `client_user_message_id` is always sent and never reused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartParams {
    pub thread_id: ThreadId,
    pub input: Vec<UserInput>,
    pub client_user_message_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<ApprovalPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_policy: Option<SandboxPolicy>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnStartResponse {
    /// The new turn, or the one that was already running (FACTS S5).
    pub turn: Turn,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSteerParams {
    pub thread_id: ThreadId,
    pub expected_turn_id: TurnId,
    pub input: Vec<UserInput>,
    pub client_user_message_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSteerResponse {
    pub turn_id: TurnId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnInterruptParams {
    pub thread_id: ThreadId,
    pub turn_id: TurnId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_reads_are_repeated_after_overload() {
        let reads: Vec<_> = Method::ALL.iter().filter(|m| m.class() == Class::Read).map(|m| m.name()).collect();
        assert_eq!(
            reads,
            ["account/read", "thread/list", "thread/read", "thread/turns/list", "thread/items/list", "model/list"]
        );
    }

    #[test]
    fn a_request_is_written_as_the_wire_wants_it() {
        let request = ClientRequest::ThreadList(ThreadListParams { limit: Some(50), ..Default::default() });
        assert_eq!(
            serde_json::to_string(&request).unwrap(),
            r#"{"method":"thread/list","params":{"limit":50,"sortKey":"recency_at","modelProviders":[]}}"#
        );
    }
}
