//! `ThreadItem` and its parts: everything that can stand in a turn.

use serde::{Deserialize, Serialize};

use super::JsonText;
use crate::base::ItemId;

/// One item of a turn (`ThreadItem`). A type this client does not know, or a known type in an
/// unexpected shape, is [`ThreadItem::Unknown`]: a plain row, never an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadItem {
    UserMessage {
        id: ItemId,
        /// The `clientUserMessageId` of the request that sent it: exact evidence of acceptance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_id: Option<String>,
        content: Vec<UserInput>,
    },
    HookPrompt {
        id: ItemId,
        fragments: Vec<HookPromptFragment>,
    },
    AgentMessage {
        id: ItemId,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<MessagePhase>,
    },
    FunctionCallOutput {
        id: ItemId,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        namespace: Option<String>,
        output: JsonText,
    },
    Plan {
        id: ItemId,
        text: String,
    },
    Reasoning {
        id: ItemId,
        #[serde(default)]
        summary: Vec<String>,
        #[serde(default)]
        content: Vec<String>,
    },
    CommandExecution {
        id: ItemId,
        command: String,
        /// A directory on the *server*.
        cwd: String,
        #[serde(default)]
        command_actions: Vec<CommandAction>,
        #[serde(default)]
        source: CommandSource,
        status: ItemStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process_id: Option<String>,
        /// Both streams, cut by the server (about 1 MiB live; 64 KiB stored on 0.171.0).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        aggregated_output: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i64>,
        /// Milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<i64>,
    },
    FileChange {
        id: ItemId,
        changes: Vec<FileUpdateChange>,
        status: ItemStatus,
    },
    McpToolCall {
        id: ItemId,
        server: String,
        tool: String,
        status: ItemStatus,
        #[serde(default)]
        arguments: JsonText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<McpToolCallResult>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<McpToolCallError>,
        /// Milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<i64>,
    },
    DynamicToolCall {
        id: ItemId,
        tool: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        namespace: Option<String>,
        status: ItemStatus,
        #[serde(default)]
        arguments: JsonText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content_items: Option<Vec<ToolContent>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        success: Option<bool>,
        /// Milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<i64>,
    },
    CollabAgentToolCall {
        id: ItemId,
        /// `spawnAgent`, `sendInput`, `wait`, ...: shown as the server writes it.
        tool: String,
        status: ItemStatus,
        sender_thread_id: String,
        #[serde(default)]
        receiver_thread_ids: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(default)]
        agents_states: JsonText,
    },
    SubAgentActivity {
        id: ItemId,
        agent_thread_id: String,
        agent_path: String,
        /// `started`, `interacted`, `interrupted`, `completed`.
        kind: String,
    },
    WebSearch {
        id: ItemId,
        query: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<WebSearchAction>,
    },
    ImageView {
        id: ItemId,
        /// A path on the *server*; never opened locally.
        path: String,
    },
    Sleep {
        id: ItemId,
        /// Milliseconds.
        duration_ms: i64,
    },
    ImageGeneration {
        id: ItemId,
        status: String,
        /// Base64 image data of the server; never decoded here, only its presence is shown.
        #[serde(default)]
        result: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revised_prompt: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        saved_path: Option<String>,
    },
    EnteredReviewMode {
        id: ItemId,
        review: String,
    },
    ExitedReviewMode {
        id: ItemId,
        review: String,
    },
    ContextCompaction {
        id: ItemId,
    },
    /// A type of a newer server, or one that could not be read.
    #[serde(untagged)]
    Unknown(UnknownItem),
}

impl ThreadItem {
    /// The item's id; unique only together with its thread and turn.
    pub fn id(&self) -> &ItemId {
        match self {
            Self::UserMessage { id, .. }
            | Self::HookPrompt { id, .. }
            | Self::AgentMessage { id, .. }
            | Self::FunctionCallOutput { id, .. }
            | Self::Plan { id, .. }
            | Self::Reasoning { id, .. }
            | Self::CommandExecution { id, .. }
            | Self::FileChange { id, .. }
            | Self::McpToolCall { id, .. }
            | Self::DynamicToolCall { id, .. }
            | Self::CollabAgentToolCall { id, .. }
            | Self::SubAgentActivity { id, .. }
            | Self::WebSearch { id, .. }
            | Self::ImageView { id, .. }
            | Self::Sleep { id, .. }
            | Self::ImageGeneration { id, .. }
            | Self::EnteredReviewMode { id, .. }
            | Self::ExitedReviewMode { id, .. }
            | Self::ContextCompaction { id }
            | Self::Unknown(UnknownItem { id, .. }) => id,
        }
    }
}

/// What is kept of an item that this client cannot read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownItem {
    pub id: ItemId,
    /// The server's word for it.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A part of a user's message (`UserInput`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum UserInput {
    Text {
        text: String,
    },
    Image {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(default, rename = "fileId", skip_serializing_if = "Option::is_none")]
        file_id: Option<String>,
    },
    LocalImage {
        path: String,
    },
    Audio {
        url: String,
    },
    LocalAudio {
        path: String,
    },
    Skill {
        name: String,
        path: String,
    },
    Mention {
        name: String,
        path: String,
    },
    /// A kind of a newer server; kept as JSON text.
    #[serde(untagged)]
    Unknown(JsonText),
}

/// A part of what a hook of the server wrote into the conversation (`HookPromptFragment`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookPromptFragment {
    #[serde(default)]
    pub hook_run_id: String,
    pub text: String,
}

/// `MessagePhase`: whether an agent message is commentary or the final answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessagePhase {
    Commentary,
    FinalAnswer,
    #[serde(other)]
    Unknown,
}

/// The status words of commands, patches and tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ItemStatus {
    InProgress,
    Completed,
    Failed,
    Declined,
    Interrupted,
    #[serde(other)]
    Unknown,
}

/// Who asked for a command (`CommandExecutionSource`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandSource {
    #[default]
    Agent,
    UserShell,
    UnifiedExecStartup,
    UnifiedExecInteraction,
    #[serde(other)]
    Unknown,
}

/// What the server thinks a command does (`CommandAction`); shown, never trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum CommandAction {
    Read {
        command: String,
        name: String,
        path: String,
    },
    ListFiles {
        command: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    Search {
        command: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    #[serde(other)]
    Unknown,
}

/// One file of a patch (`FileUpdateChange`): its path on the *server* and a unified diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileUpdateChange {
    pub path: String,
    pub kind: PatchChangeKind,
    pub diff: String,
}

/// What a patch does to a file (`PatchChangeKind`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PatchChangeKind {
    Add,
    Delete,
    Update {
        /// The new path of a moved file, written `move_path` also on the wire.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        move_path: Option<String>,
    },
    #[serde(other)]
    Unknown,
}

/// What an MCP tool gave back (`McpToolCallResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpToolCallResult {
    #[serde(default)]
    pub content: Vec<JsonText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<JsonText>,
}

/// Why an MCP tool failed (`McpToolCallError`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpToolCallError {
    pub message: String,
}

/// Output of a dynamic tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolContent {
    InputText {
        text: String,
    },
    InputImage {
        image_url: String,
    },
    InputAudio {
        audio_url: String,
    },
    #[serde(other)]
    Unknown,
}

/// What a web search did (`WebSearchAction`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum WebSearchAction {
    Search {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queries: Option<Vec<String>>,
    },
    OpenPage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    FindInPage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_item_and_a_malformed_known_item_are_plain_rows() {
        for (json, kind) in [
            (r#"{"type":"holodeck","id":"i1","x":[1]}"#, "holodeck"),
            (r#"{"type":"agentMessage","id":"i1"}"#, "agentMessage"),
        ] {
            let item: ThreadItem = serde_json::from_str(json).unwrap();
            assert_eq!(item, ThreadItem::Unknown(UnknownItem { id: "i1".into(), kind: kind.into() }));
        }
    }

    #[test]
    fn a_known_item_survives_the_round_trip_and_ignores_unknown_fields() {
        let json = r#"{"type":"commandExecution","id":"c","command":"ls","commandActions":[{"type":"teleport"}],"cwd":"/x","status":"beamed","new":1}"#;
        let item: ThreadItem = serde_json::from_str(json).unwrap();
        let ThreadItem::CommandExecution { status, ref command_actions, .. } = item else { panic!("{item:?}") };
        assert_eq!(status, ItemStatus::Unknown);
        assert_eq!(command_actions, &[CommandAction::Unknown]);
        let again: ThreadItem = serde_json::from_str(&serde_json::to_string(&item).unwrap()).unwrap();
        assert_eq!(again, item);
    }
}
