//! Cells (the identity of a row), slots (an item's place in a turn) and the size of their text.

use std::sync::Arc;

use crate::base::{ItemId, TurnId, UnixMs};
use crate::engine::view::{Row, RowBody};
use crate::live::{BlockBody, KeptText};
use crate::protocol::ThreadItem;
use crate::protocol::item::{FileUpdateChange, ToolContent, UserInput, WebSearchAction};

/// Bits of a row key that count the rows of one history; the series stands above them, in [`SERIES_BITS`].
const COUNT_BITS: u32 = 28;
/// Bits of a row key for the history. The upper 16 bits of a key stay free for the parts that a window shows a row in.
const SERIES_BITS: u32 = 20;

/// Mints row keys: none is used twice, neither in one history nor in the next one that the same list shows.
#[derive(Debug, Default)]
pub(super) struct Keys(u64);

impl Keys {
    pub(super) fn of(series: u32) -> Self {
        Self((u64::from(series) & ((1 << SERIES_BITS) - 1)) << COUNT_BITS)
    }

    pub(super) fn mint(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

/// The identity and the content of a row: immutable per (`key`, `rev`).
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) key: u64,
    pub(super) rev: u32,
    pub(super) body: Arc<RowBody>,
}

impl Cell {
    pub(super) fn new(keys: &mut Keys, body: RowBody) -> Self {
        Self { key: keys.mint(), rev: 0, body: Arc::new(body) }
    }

    /// Replaces the body; the revision rises exactly when it differs.
    pub(super) fn set(&mut self, body: RowBody) {
        if *self.body != body {
            self.body = Arc::new(body);
            self.rev += 1;
        }
    }

    pub(super) fn row(&self, turn: Option<&TurnId>, at: Option<UnixMs>) -> Row {
        Row { key: self.key, rev: self.rev, turn: turn.cloned(), at, body: Arc::clone(&self.body) }
    }

    /// Reuses `cell` for `body`, or makes it.
    pub(super) fn keep(cell: &mut Option<Self>, keys: &mut Keys, body: RowBody) {
        match cell {
            Some(cell) => cell.set(body),
            None => *cell = Some(Self::new(keys, body)),
        }
    }
}

/// How far the item of a slot has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    /// A completed item.
    Done,
    /// An unfinished block.
    Open,
    /// Text that will never be completed by what we hear, unless its item arrives after all.
    Lost { of: ItemId },
}

/// The place of an item, an unfinished block or a lost text in its turn.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) cell: Cell,
    pub(super) at: Option<UnixMs>,
    /// Bytes of text, for the window's limit.
    pub(super) bytes: usize,
    pub(super) held: Held,
    /// Heard live: not replaced by a page, whose copy may be shortened (FACTS 5.4).
    pub(super) live: bool,
    /// Index among the rows that were built last.
    pub(super) pos: usize,
}

impl Slot {
    pub(super) fn done(cell: Cell, bytes: usize, at: Option<UnixMs>, live: bool) -> Self {
        Self { cell, at, bytes, held: Held::Done, live, pos: usize::MAX }
    }
}

fn kept(text: &KeptText) -> usize {
    text.head.len() + text.tail.len()
}

fn patch(changes: &[FileUpdateChange]) -> usize {
    changes.iter().map(|change| change.path.len() + change.diff.len()).sum()
}

fn strings(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

fn length(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

/// Bytes of text of an unfinished block.
pub(super) fn block_bytes(body: &BlockBody) -> usize {
    match body {
        BlockBody::AgentMessage(text) | BlockBody::Plan(text) | BlockBody::CommandOutput(text) => kept(text),
        BlockBody::Reasoning { summary, content } => summary.iter().chain(content).map(kept).sum(),
        BlockBody::FileChange(changes) => patch(changes),
        BlockBody::McpProgress(messages) => strings(messages),
        BlockBody::Opaque => 0,
    }
}

/// Bytes of text of an item: the strings that a row can show.
pub(super) fn item_bytes(item: &ThreadItem) -> usize {
    match item {
        ThreadItem::UserMessage { content, .. } => content.iter().map(input_bytes).sum(),
        ThreadItem::HookPrompt { fragments, .. } => fragments.iter().map(|fragment| fragment.text.len()).sum(),
        ThreadItem::AgentMessage { text, .. } | ThreadItem::Plan { text, .. } => text.len(),
        ThreadItem::FunctionCallOutput { name, output, .. } => name.len() + output.as_str().len(),
        ThreadItem::Reasoning { summary, content, .. } => strings(summary) + strings(content),
        ThreadItem::CommandExecution { command, cwd, aggregated_output, .. } => {
            command.len() + cwd.len() + length(aggregated_output.as_ref())
        }
        ThreadItem::FileChange { changes, .. } => patch(changes),
        ThreadItem::McpToolCall { server, tool, arguments, result, error, .. } => {
            let result = result.as_ref().map_or(0, |result| {
                result.content.iter().map(|part| part.as_str().len()).sum::<usize>()
                    + result.structured_content.as_ref().map_or(0, |json| json.as_str().len())
            });
            let error = error.as_ref().map_or(0, |error| error.message.len());
            server.len() + tool.len() + arguments.as_str().len() + result + error
        }
        ThreadItem::DynamicToolCall { tool, arguments, content_items, .. } => {
            let content = content_items.iter().flatten().map(|part| match part {
                ToolContent::InputText { text } => text.len(),
                ToolContent::InputImage { image_url } => image_url.len(),
                ToolContent::InputAudio { audio_url } => audio_url.len(),
                ToolContent::Unknown => 0,
            });
            tool.len() + arguments.as_str().len() + content.sum::<usize>()
        }
        ThreadItem::CollabAgentToolCall { tool, prompt, agents_states, .. } => {
            tool.len() + length(prompt.as_ref()) + agents_states.as_str().len()
        }
        ThreadItem::SubAgentActivity { agent_path, kind, .. } => agent_path.len() + kind.len(),
        ThreadItem::WebSearch { query, action, .. } => query.len() + action.as_ref().map_or(0, search_bytes),
        ThreadItem::ImageView { path, .. } => path.len(),
        ThreadItem::ImageGeneration { result, revised_prompt, .. } => result.len() + length(revised_prompt.as_ref()),
        ThreadItem::EnteredReviewMode { review, .. } | ThreadItem::ExitedReviewMode { review, .. } => review.len(),
        ThreadItem::Sleep { .. } | ThreadItem::ContextCompaction { .. } | ThreadItem::Unknown(_) => 0,
    }
}

fn input_bytes(input: &UserInput) -> usize {
    match input {
        UserInput::Text { text } => text.len(),
        UserInput::Image { url, .. } => length(url.as_ref()),
        UserInput::Audio { url } => url.len(),
        UserInput::LocalImage { path } | UserInput::LocalAudio { path } => path.len(),
        UserInput::Skill { name, path } | UserInput::Mention { name, path } => name.len() + path.len(),
        UserInput::Unknown(json) => json.as_str().len(),
    }
}

fn search_bytes(action: &WebSearchAction) -> usize {
    match action {
        WebSearchAction::Search { query, queries } => length(query.as_ref()) + queries.as_deref().map_or(0, strings),
        WebSearchAction::OpenPage { url } => length(url.as_ref()),
        WebSearchAction::FindInPage { url, pattern } => length(url.as_ref()) + length(pattern.as_ref()),
        WebSearchAction::Other => 0,
    }
}

/// Whether `theirs`, which only grows, has more than `mine`: by lengths, without reading the text.
pub(super) fn grew(mine: &BlockBody, theirs: &BlockBody) -> bool {
    fn size(text: &KeptText) -> (usize, usize, usize) {
        (text.head.len(), text.dropped, text.tail.len())
    }
    match (mine, theirs) {
        (BlockBody::AgentMessage(mine), BlockBody::AgentMessage(theirs))
        | (BlockBody::Plan(mine), BlockBody::Plan(theirs))
        | (BlockBody::CommandOutput(mine), BlockBody::CommandOutput(theirs)) => size(mine) != size(theirs),
        (
            BlockBody::Reasoning { summary: my_summary, content: my_content },
            BlockBody::Reasoning { summary, content },
        ) => {
            !my_summary.iter().map(size).eq(summary.iter().map(size))
                || !my_content.iter().map(size).eq(content.iter().map(size))
        }
        (mine, theirs) => mine != theirs,
    }
}

/// Brings `mine` up to `theirs`, which grew at its end: costs what was added, not what is there.
pub(super) fn catch_up(mine: &mut BlockBody, theirs: &BlockBody) {
    match (mine, theirs) {
        (BlockBody::AgentMessage(mine), BlockBody::AgentMessage(theirs))
        | (BlockBody::Plan(mine), BlockBody::Plan(theirs))
        | (BlockBody::CommandOutput(mine), BlockBody::CommandOutput(theirs)) => extend_kept(mine, theirs),
        (
            BlockBody::Reasoning { summary: my_summary, content: my_content },
            BlockBody::Reasoning { summary, content },
        ) => {
            extend_all(my_summary, summary);
            extend_all(my_content, content);
        }
        (BlockBody::McpProgress(mine), BlockBody::McpProgress(theirs)) if mine.len() <= theirs.len() => {
            mine.extend_from_slice(&theirs[mine.len()..]);
        }
        (mine, theirs) => mine.clone_from(theirs),
    }
}

fn extend_all(mine: &mut Vec<KeptText>, theirs: &[KeptText]) {
    mine.truncate(theirs.len());
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        extend_kept(mine, theirs);
    }
    mine.extend_from_slice(&theirs[mine.len()..]);
}

fn extend_kept(mine: &mut KeptText, theirs: &KeptText) {
    extend_text(&mut mine.head, &theirs.head);
    if mine.dropped == theirs.dropped {
        extend_text(&mut mine.tail, &theirs.tail);
    } else {
        // The middle fell out: the tail is another one.
        mine.tail.clone_from(&theirs.tail);
    }
    mine.dropped = theirs.dropped;
}

fn extend_text(mine: &mut String, theirs: &str) {
    match theirs.get(mine.len()..) {
        Some(more) => mine.push_str(more),
        None => theirs.clone_into(mine),
    }
}

/// Whether `whole` contains everything of `part` from its beginning.
pub(super) fn covers(whole: &BlockBody, part: &BlockBody) -> bool {
    fn text(whole: &KeptText, part: &KeptText) -> bool {
        whole == part || (part.dropped == 0 && part.tail.is_empty() && whole.head.starts_with(&part.head))
    }
    fn texts(whole: &[KeptText], part: &[KeptText]) -> bool {
        part.len() <= whole.len() && whole.iter().zip(part).all(|(whole, part)| text(whole, part))
    }
    match (whole, part) {
        (BlockBody::AgentMessage(whole), BlockBody::AgentMessage(part))
        | (BlockBody::Plan(whole), BlockBody::Plan(part))
        | (BlockBody::CommandOutput(whole), BlockBody::CommandOutput(part)) => text(whole, part),
        (
            BlockBody::Reasoning { summary, content },
            BlockBody::Reasoning { summary: part_summary, content: part_content },
        ) => texts(summary, part_summary) && texts(content, part_content),
        (BlockBody::FileChange(_), BlockBody::FileChange(_)) => true,
        (BlockBody::McpProgress(whole), BlockBody::McpProgress(part)) => whole.starts_with(part),
        (_, part) => *part == BlockBody::Opaque,
    }
}
