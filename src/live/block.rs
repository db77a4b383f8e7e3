//! Unfinished blocks: what an item has shown so far before it completes.

use serde::{Deserialize, Serialize};

use super::KeptText;
use super::text::floor_boundary;
use crate::base::{ItemId, TurnId, limit};
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

    /// Bytes of text that are kept.
    pub fn len(&self) -> usize {
        self.body.len()
    }

    /// Whether nothing was shown yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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

/// One step of growth, whatever notification it came by.
pub(super) enum Growth<'a> {
    AgentMessage(&'a str),
    Plan(&'a str),
    Summary(usize, &'a str),
    Content(usize, &'a str),
    CommandOutput(&'a str),
    FileChange(&'a [FileUpdateChange]),
    McpProgress(&'a str),
}

impl BlockBody {
    /// The body of an item as it started; text that was already there is kept.
    pub(super) fn of(item: &ThreadItem) -> Self {
        match item {
            ThreadItem::AgentMessage { text, .. } => Self::AgentMessage(text.as_str().into()),
            ThreadItem::Plan { text, .. } => Self::Plan(text.as_str().into()),
            ThreadItem::Reasoning { summary, content, .. } => {
                let mut body = Self::empty_reasoning();
                for (index, part) in summary.iter().enumerate() {
                    body.grow(&Growth::Summary(index, part));
                }
                for (index, part) in content.iter().enumerate() {
                    body.grow(&Growth::Content(index, part));
                }
                body
            }
            ThreadItem::CommandExecution { aggregated_output, .. } => {
                Self::CommandOutput(aggregated_output.as_deref().unwrap_or_default().into())
            }
            ThreadItem::FileChange { changes, .. } => Self::FileChange(kept_changes(changes)),
            ThreadItem::McpToolCall { .. } => Self::McpProgress(Vec::new()),
            ThreadItem::UserMessage { .. }
            | ThreadItem::HookPrompt { .. }
            | ThreadItem::FunctionCallOutput { .. }
            | ThreadItem::DynamicToolCall { .. }
            | ThreadItem::CollabAgentToolCall { .. }
            | ThreadItem::SubAgentActivity { .. }
            | ThreadItem::WebSearch { .. }
            | ThreadItem::ImageView { .. }
            | ThreadItem::Sleep { .. }
            | ThreadItem::ImageGeneration { .. }
            | ThreadItem::EnteredReviewMode { .. }
            | ThreadItem::ExitedReviewMode { .. }
            | ThreadItem::ContextCompaction { .. }
            | ThreadItem::Unknown(_) => Self::Opaque,
        }
    }

    /// Grows by one delta; `false` if the delta is of another kind than the block. A block whose kind
    /// was not known takes the kind of the delta.
    pub(super) fn grow(&mut self, growth: &Growth<'_>) -> bool {
        if matches!(self, Self::Opaque) {
            *self = Self::empty(growth);
        }
        match (self, growth) {
            (Self::AgentMessage(text), Growth::AgentMessage(delta))
            | (Self::Plan(text), Growth::Plan(delta))
            | (Self::CommandOutput(text), Growth::CommandOutput(delta)) => text.push(delta),
            (Self::Reasoning { summary, .. }, Growth::Summary(index, delta)) => push_part(summary, *index, delta),
            (Self::Reasoning { content, .. }, Growth::Content(index, delta)) => push_part(content, *index, delta),
            (Self::FileChange(kept), Growth::FileChange(changes)) => *kept = kept_changes(changes),
            (Self::McpProgress(messages), Growth::McpProgress(message)) => {
                if messages.len() == limit::MCP_PROGRESS {
                    messages.remove(0);
                }
                messages.push(cut(message, limit::BLOCK_TEXT / limit::MCP_PROGRESS));
            }
            (_, _) => return false,
        }
        true
    }

    /// The empty body for deltas of an item whose start was not seen.
    pub(super) fn empty(growth: &Growth<'_>) -> Self {
        match growth {
            Growth::AgentMessage(_) => Self::AgentMessage(KeptText::default()),
            Growth::Plan(_) => Self::Plan(KeptText::default()),
            Growth::Summary(..) | Growth::Content(..) => Self::empty_reasoning(),
            Growth::CommandOutput(_) => Self::CommandOutput(KeptText::default()),
            Growth::FileChange(_) => Self::FileChange(Vec::new()),
            Growth::McpProgress(_) => Self::McpProgress(Vec::new()),
        }
    }

    fn empty_reasoning() -> Self {
        Self::Reasoning { summary: Vec::new(), content: Vec::new() }
    }

    /// Bytes of text that are kept. Costs the number of parts, not the text.
    pub fn len(&self) -> usize {
        match self {
            Self::AgentMessage(text) | Self::Plan(text) | Self::CommandOutput(text) => text.len(),
            Self::Reasoning { summary, content } => summary.iter().chain(content).map(KeptText::len).sum(),
            Self::FileChange(changes) => changes.iter().map(|change| change.path.len() + change.diff.len()).sum(),
            Self::McpProgress(messages) => messages.iter().map(String::len).sum(),
            Self::Opaque => 0,
        }
    }

    /// Whether nothing was shown yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives up the middle of long text because other blocks need the room.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        match self {
            Self::AgentMessage(text) | Self::Plan(text) | Self::CommandOutput(text) => text.shrink_to(bytes),
            Self::Reasoning { summary, content } => {
                let parts = (summary.len() + content.len()).max(1);
                summary.iter_mut().chain(content).for_each(|text| text.shrink_to(bytes / parts));
            }
            Self::FileChange(changes) => cut_changes(changes, bytes),
            Self::McpProgress(messages) => {
                let keep = messages.iter().rev().scan(0, |sum, message| {
                    *sum += message.len();
                    (*sum <= bytes).then_some(())
                });
                messages.drain(..messages.len() - keep.count());
            }
            Self::Opaque => {}
        }
    }
}

fn push_part(parts: &mut Vec<KeptText>, index: usize, delta: &str) {
    let index = index.min(limit::REASONING_PARTS - 1);
    if parts.len() <= index {
        parts.resize(index + 1, KeptText::default());
    }
    parts[index].push(delta);
    // One block's limit holds for all its parts together; the earlier ones give way.
    while parts.iter().map(KeptText::len).sum::<usize>() > limit::BLOCK_TEXT {
        let Some(longest) = parts.iter_mut().max_by_key(|part| part.len()) else { return };
        longest.shrink_to(longest.len() / 2);
    }
}

fn kept_changes(changes: &[FileUpdateChange]) -> Vec<FileUpdateChange> {
    let mut kept = changes.to_vec();
    cut_changes(&mut kept, limit::BLOCK_TEXT);
    kept
}

/// Cuts diffs from the end of the list so that all together fit; a cut is said where it is.
fn cut_changes(changes: &mut [FileUpdateChange], bytes: usize) {
    let mut room = bytes;
    for change in changes {
        if change.diff.len() > room {
            change.diff = cut(&change.diff, room);
            room = 0;
        } else {
            room -= change.diff.len();
        }
    }
}

/// The beginning of a text with a line that says how much is missing, or all of it.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let kept = floor_boundary(text, bytes);
    format!("{}\n[{} bytes are not kept here]", &text[..kept], text.len() - kept)
}
