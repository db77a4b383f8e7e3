//! Requests of the server to the user: read exactly, answered at most once, never by default.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::JsonText;
use super::json::object;
use crate::base::{ItemId, ThreadId, TurnId};

/// A request of the server (`ServerRequest`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub enum ServerRequest {
    #[serde(rename = "item/commandExecution/requestApproval")]
    CommandApproval(CommandApproval),
    #[serde(rename = "item/fileChange/requestApproval")]
    FileChangeApproval(FileChangeApproval),
    /// A known request that has no card yet: stays pending, with Interrupt; never refused as unknown.
    #[serde(rename = "rejoin/pending")]
    Other(OtherRequest),
}

/// What is shown of a request without a card of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherRequest {
    /// The protocol's method name.
    pub method: String,
    pub thread_id: Option<ThreadId>,
    pub turn_id: Option<TurnId>,
}

/// `CommandExecutionRequestApprovalParams`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandApproval {
    pub thread_id: ThreadId,
    pub turn_id: TurnId,
    pub item_id: ItemId,
    /// What is asked for: a command, or input to one that runs already.
    #[serde(default)]
    pub kind: CommandApprovalKind,
    #[serde(default)]
    pub command: Option<String>,
    /// A directory on the server.
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
    /// Only present on a connection with `experimentalApi` (FACTS 18.1).
    #[serde(default)]
    pub additional_permissions: Option<JsonText>,
    #[serde(default)]
    pub network_approval_context: Option<NetworkApprovalContext>,
    #[serde(default)]
    pub available_decisions: Option<Vec<CommandDecision>>,
}

/// `CommandExecutionApprovalKind`. `humanCommand` of 0.171.0 needs a capability that is never declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandApprovalKind {
    #[default]
    Command,
    /// Input sent to a terminal that runs already; `command` is that of the terminal.
    WriteStdin,
    /// A word of a newer server.
    #[serde(other)]
    Unknown,
}

/// `NetworkApprovalContext`: the network access that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkApprovalContext {
    pub host: String,
    pub protocol: String,
}

/// `FileChangeRequestApprovalParams`; the diff is in the item of the same id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChangeApproval {
    pub thread_id: ThreadId,
    pub turn_id: TurnId,
    pub item_id: ItemId,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub grant_root: Option<String>,
}

/// `CommandExecutionApprovalDecision`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandDecision {
    Accept,
    AcceptForSession,
    AcceptWithExecpolicyAmendment {
        /// Commands that begin so are allowed from now on.
        execpolicy_amendment: Vec<String>,
    },
    ApplyNetworkPolicyAmendment {
        network_policy_amendment: NetworkPolicyAmendment,
    },
    Decline,
    /// Also stops the turn.
    Cancel,
    /// An offer of a newer server: shown as not supported, never sent.
    #[serde(untagged)]
    Unknown(JsonText),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkPolicyAmendment {
    /// `allow` or `deny`.
    pub action: String,
    pub host: String,
}

/// `FileChangeApprovalDecision`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileChangeDecision {
    Accept,
    AcceptForSession,
    Decline,
    Cancel,
}

/// The user's answer; serialises as the `result` of the server's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Command(CommandDecision),
    FileChange(FileChangeDecision),
}

impl Answer {
    /// The `result` member for the wire.
    pub fn result(&self) -> Result<Box<RawValue>, serde_json::Error> {
        #[derive(Serialize)]
        struct Decision<T> {
            decision: T,
        }
        match self {
            Self::Command(decision) => serde_json::value::to_raw_value(&Decision { decision }),
            Self::FileChange(decision) => serde_json::value::to_raw_value(&Decision { decision }),
        }
    }
}

/// Known methods without a card yet.
pub const OTHER_METHODS: &[&str] = &[
    "item/tool/requestUserInput",
    "mcpServer/elicitation/request",
    "item/permissions/requestApproval",
    "item/tool/call",
    "account/chatgptAuthTokens/refresh",
    "attestation/generate",
    "currentTime/read",
    "applyPatchApproval",
    "execCommandApproval",
];

/// What came of reading a server request.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "matched at once; a box would be an allocation a message")]
pub enum Parsed {
    Known(ServerRequest),
    /// Answered -32601, visibly.
    Unknown,
    /// A known method in an unexpected shape: answered -32602, visibly.
    Malformed(serde_json::Error),
}

impl ServerRequest {
    /// Reads a request by its exact method and shape.
    pub fn parse(method: &str, params: Option<&RawValue>) -> Parsed {
        let text = params.map_or("null", RawValue::get);
        let parsed = match method {
            "item/commandExecution/requestApproval" => object(text).map(Self::CommandApproval),
            "item/fileChange/requestApproval" => object(text).map(Self::FileChangeApproval),
            _ if OTHER_METHODS.contains(&method) => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Where {
                    thread_id: Option<ThreadId>,
                    conversation_id: Option<ThreadId>,
                    turn_id: Option<TurnId>,
                }
                serde_json::from_str(text).map(|at: Option<Where>| {
                    let at = at.unwrap_or(Where { thread_id: None, conversation_id: None, turn_id: None });
                    Self::Other(OtherRequest {
                        method: method.to_owned(),
                        thread_id: at.thread_id.or(at.conversation_id),
                        turn_id: at.turn_id,
                    })
                })
            }
            _ => return Parsed::Unknown,
        };
        parsed.map_or_else(Parsed::Malformed, Parsed::Known)
    }

    /// The conversation that waits, if the request names one.
    pub fn thread_id(&self) -> Option<&ThreadId> {
        match self {
            Self::CommandApproval(request) => Some(&request.thread_id),
            Self::FileChangeApproval(request) => Some(&request.thread_id),
            Self::Other(request) => request.thread_id.as_ref(),
        }
    }

    /// The turn that waits, if the request names one.
    pub fn turn_id(&self) -> Option<&TurnId> {
        match self {
            Self::CommandApproval(request) => Some(&request.turn_id),
            Self::FileChangeApproval(request) => Some(&request.turn_id),
            Self::Other(request) => request.turn_id.as_ref(),
        }
    }
}
