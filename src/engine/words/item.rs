//! What a screen reader hears of a completed item: one short sentence each.

use crate::live::EndedTurn;
use crate::protocol::item::ItemStatus;
use crate::protocol::{ThreadItem, TurnStatus};

/// Characters of a message that are read aloud.
const SPOKEN: usize = 200;

/// The announcement of an item that completed live.
pub fn completed(item: &ThreadItem) -> String {
    match item {
        ThreadItem::UserMessage { .. } => "Message received by the server".into(),
        ThreadItem::HookPrompt { .. } => "Hook prompt added".into(),
        ThreadItem::AgentMessage { text, .. } => format!("Codex: {}", spoken(text)),
        ThreadItem::FunctionCallOutput { name, .. } => format!("Output of {name} arrived"),
        ThreadItem::Plan { .. } => "Plan written".into(),
        ThreadItem::Reasoning { .. } => "Reasoning finished".into(),
        ThreadItem::CommandExecution { status, exit_code, .. } => match (status, exit_code) {
            (ItemStatus::Declined, _) => "Command declined".into(),
            (ItemStatus::Failed, Some(code)) => format!("Command failed, exit {code}"),
            (ItemStatus::Failed, None) => "Command failed".into(),
            (ItemStatus::Interrupted, _) => "Command interrupted".into(),
            (_, Some(code)) => format!("Command finished, exit {code}"),
            (_, None) => "Command finished".into(),
        },
        ThreadItem::FileChange { changes, status, .. } => match (status, changes.len()) {
            (ItemStatus::Declined, _) => "File changes declined".into(),
            (ItemStatus::Failed, _) => "File changes failed".into(),
            (_, 1) => "1 file changed".into(),
            (_, count) => format!("{count} files changed"),
        },
        ThreadItem::McpToolCall { tool, status, .. }
        | ThreadItem::DynamicToolCall { tool, status, .. }
        | ThreadItem::CollabAgentToolCall { tool, status, .. } => match status {
            ItemStatus::Failed => format!("Tool {tool} failed"),
            _ => format!("Tool {tool} finished"),
        },
        ThreadItem::SubAgentActivity { kind, .. } => format!("Sub-agent {kind}"),
        ThreadItem::WebSearch { query, .. } => format!("Web search finished: {}", spoken(query)),
        ThreadItem::ImageView { .. } => "Image viewed".into(),
        ThreadItem::Sleep { .. } => "Pause ended".into(),
        ThreadItem::ImageGeneration { .. } => "Image generated".into(),
        ThreadItem::EnteredReviewMode { .. } => "Review began".into(),
        ThreadItem::ExitedReviewMode { .. } => "Review ended".into(),
        ThreadItem::ContextCompaction { .. } => "Context compacted".into(),
        ThreadItem::Unknown(item) => format!("Item of type {} arrived", spoken(&item.kind)),
    }
}

/// The announcement of a turn's end, when it did not simply complete.
pub fn turn_ended(turn: &EndedTurn) -> Option<String> {
    match turn.status {
        TurnStatus::Completed | TurnStatus::InProgress | TurnStatus::Unknown => None,
        TurnStatus::Interrupted => Some("Turn interrupted".into()),
        TurnStatus::Failed => {
            let why = turn.error.as_ref().map_or("", |error| error.message.as_str());
            Some(format!("Turn failed. {}", spoken(why)).trim_end().to_owned())
        }
    }
}

fn spoken(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SPOKEN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
