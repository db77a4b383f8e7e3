//! Model, approval policy and sandbox of a thread's next turn.

use serde::{Deserialize, Serialize};

use super::JsonText;

/// `AskForApproval`: when the server asks before it acts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ApprovalPolicy {
    /// `untrusted`, `on-request`, `never`.
    Named(String),
    /// `{granular: {..}}`, shown as "custom rules".
    Granular(JsonText),
}

/// `SandboxPolicy`: what commands may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SandboxPolicy {
    DangerFullAccess,
    ReadOnly {
        #[serde(default)]
        network_access: bool,
    },
    WorkspaceWrite {
        #[serde(default)]
        network_access: bool,
        #[serde(default)]
        writable_roots: Vec<String>,
        #[serde(default)]
        exclude_slash_tmp: bool,
        #[serde(default)]
        exclude_tmpdir_env_var: bool,
    },
    ExternalSandbox,
    #[serde(other)]
    Unknown,
}

/// `SandboxMode`: the sandbox as `thread/start` and `thread/fork` take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    ReadOnly,
    WorkspaceWrite,
    DangerFullAccess,
}

/// A model of the server's catalog (`Model`); ids are never hard-coded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    pub id: String,
    pub model: String,
    pub display_name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub hidden: bool,
    #[serde(default)]
    pub is_default: bool,
    #[serde(default)]
    pub default_reasoning_effort: String,
    #[serde(default)]
    pub supported_reasoning_efforts: Vec<ReasoningEffortOption>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReasoningEffortOption {
    pub reasoning_effort: String,
    #[serde(default)]
    pub description: String,
}

/// `ThreadTokenUsage`: of the whole thread, and of its last request to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    pub total: TokenCount,
    pub last: TokenCount,
    /// Tokens.
    #[serde(default)]
    pub model_context_window: Option<i64>,
}

/// `TokenUsageBreakdown`, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenCount {
    pub total_tokens: i64,
    pub input_tokens: i64,
    #[serde(default)]
    pub cached_input_tokens: i64,
    pub output_tokens: i64,
    #[serde(default)]
    pub reasoning_output_tokens: i64,
}
