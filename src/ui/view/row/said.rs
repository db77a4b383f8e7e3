//! A row's own words: what Ctrl+C copies and what Find looks through.

use crate::engine::view::{Row, RowBody};
use crate::live::{BlockBody, KeptText};
use crate::markdown;
use crate::protocol::ThreadItem;
use crate::protocol::item::{FileUpdateChange, UserInput};
use crate::ui::rows::{Parsed, Part};

use super::item::name;

/// The text of a row as it came, without who said it; its name where it has no text.
pub fn said(row: &Row) -> String {
    let text = match row.body.as_ref() {
        RowBody::Item(item) => of_item(item),
        RowBody::Unfinished { body, .. } | RowBody::Lost { body, .. } => Some(block(body)),
        RowBody::Echo { text, .. } => Some(text.clone()),
        RowBody::TurnEnd { error, .. } => error.as_ref().map(|error| format!("{}: {}", name(row), error.message)),
        RowBody::TurnHead { .. } | RowBody::Edge { .. } => None,
    };
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| name(row))
}

/// What Find looks through: the words on the screen, not their Markdown.
pub fn found_in(parsed: &Parsed, row: &Row, part: Part) -> String {
    match row.body.as_ref() {
        RowBody::Item(ThreadItem::AgentMessage { .. }) => markdown::plain_text(&parsed.part(row, part)),
        _ if part.of > 1 => markdown::plain_text(&parsed.part(row, part)),
        _ => said(row),
    }
}

/// All kept text of an unfinished block.
pub(super) fn block(body: &BlockBody) -> String {
    match body {
        BlockBody::AgentMessage(text) | BlockBody::Plan(text) | BlockBody::CommandOutput(text) => text.text(),
        BlockBody::Reasoning { summary, content } => {
            summary.iter().chain(content).map(KeptText::text).collect::<Vec<_>>().join("\n\n")
        }
        BlockBody::FileChange(changes) => diffs(changes),
        BlockBody::McpProgress(lines) => lines.join("\n"),
        BlockBody::Opaque => String::new(),
    }
}

fn diffs(changes: &[FileUpdateChange]) -> String {
    let files = changes.iter().map(|change| format!("{}\n{}", change.path, change.diff));
    files.collect::<Vec<_>>().join("\n")
}

fn of_item(item: &ThreadItem) -> Option<String> {
    Some(match item {
        ThreadItem::UserMessage { content, .. } => {
            let texts = content.iter().filter_map(|part| match part {
                UserInput::Text { text } => Some(text.as_str()),
                _ => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        ThreadItem::AgentMessage { text, .. } | ThreadItem::Plan { text, .. } => text.clone(),
        ThreadItem::ExitedReviewMode { review, .. } => review.clone(),
        ThreadItem::Reasoning { summary, content, .. } => {
            summary.iter().chain(content).map(String::as_str).collect::<Vec<_>>().join("\n\n")
        }
        ThreadItem::CommandExecution { command, aggregated_output, .. } => {
            [Some(command), aggregated_output.as_ref()].into_iter().flatten().cloned().collect::<Vec<_>>().join("\n")
        }
        ThreadItem::FileChange { changes, .. } => diffs(changes),
        _ => return None,
    })
}
