//! Applying one notification.
//!
//! The current turn is (thread, turn): the response of `turn/start`, `turn/started`, items and
//! `turn/completed` may come in any order, twice, late, or for another thread. A turn that ended
//! never runs again, and only its own id ends it. A completed item beats its deltas.

use super::block::{Growth, cut};
use super::{Block, BlockBody, Change, EndedTurn, Entry, LiveThread, RunningTurn};
use crate::base::{ItemId, TurnId, UnixMs, limit};
use crate::protocol::item::{ToolContent, UserInput};
use crate::protocol::{ServerNotification, ThreadItem, Turn};

impl LiveThread {
    /// Applies one notification. What is for another thread, late or known already changes nothing.
    /// `at` is when the worker read it. A delta costs O(delta).
    pub fn apply(&mut self, at: UnixMs, event: &ServerNotification) -> Change {
        if event.thread_id() != Some(&self.thread) {
            return Change::Nothing;
        }
        match event {
            ServerNotification::TurnStarted { turn, .. } => self.turn_known_running(at, &turn.id),
            ServerNotification::TurnCompleted { turn, .. } => self.turn_completed(at, turn),
            ServerNotification::ItemStarted { turn_id, item, .. } => self.item_started(at, turn_id, item),
            ServerNotification::ItemCompleted { turn_id, item, completed_at_ms, .. } => {
                self.item_completed(at, turn_id, item, completed_at_ms.map_or(at, UnixMs))
            }
            ServerNotification::TokenUsageUpdated { token_usage, .. } => {
                self.token_usage = Some(token_usage.clone());
                Change::TurnChanged
            }
            ServerNotification::TurnPlanUpdated { turn_id, explanation, plan, .. } => {
                self.change_turn(at, turn_id, |turn| {
                    turn.plan = plan.iter().take(limit::PLAN_STEPS).cloned().collect();
                    turn.plan_explanation.clone_from(explanation);
                })
            }
            ServerNotification::TurnDiffUpdated { turn_id, diff, .. } => {
                self.change_turn(at, turn_id, |turn| turn.diff = Some(cut(diff, limit::BLOCK_TEXT)))
            }
            ServerNotification::Error { turn_id, error, will_retry, .. } if *will_retry => {
                self.change_turn(at, turn_id, |turn| turn.retrying = Some(error.clone()))
            }
            other => match growth(other) {
                Some((turn, item, growth)) => self.delta(at, turn, item, &growth),
                None => Change::Nothing,
            },
        }
    }

    /// A turn is known to run: from `turn/started` or from the response of `turn/start`. Changes
    /// nothing if it ended, runs already, or was overtaken by a later turn.
    pub fn turn_known_running(&mut self, at: UnixMs, turn: &TurnId) -> Change {
        if self.has_ended(turn) || self.is_running(turn) || self.overtaken.contains(turn) {
            return Change::Nothing;
        }
        let running = RunningTurn {
            id: turn.clone(),
            since: at,
            plan: Vec::new(),
            plan_explanation: None,
            diff: None,
            retrying: None,
        };
        if let Some(before) = self.running.replace(running) {
            if self.overtaken.len() == limit::ENDED_TURNS {
                self.overtaken.remove(0);
            }
            self.overtaken.push(before.id);
        }
        Change::TurnStarted(turn.clone())
    }

    fn is_running(&self, turn: &TurnId) -> bool {
        self.running.as_ref().is_some_and(|running| running.id == *turn)
    }

    /// An event of a turn proves that it runs, unless it ended or another turn is known to run.
    fn seen(&mut self, at: UnixMs, turn: &TurnId) {
        match &mut self.running {
            Some(running) if running.id == *turn => running.retrying = None,
            Some(_) => {}
            None => {
                self.turn_known_running(at, turn);
            }
        }
    }

    fn turn_completed(&mut self, at: UnixMs, turn: &Turn) -> Change {
        if self.has_ended(&turn.id) {
            return Change::Nothing;
        }
        if self.is_running(&turn.id) {
            self.running = None;
        }
        self.overtaken.retain(|id| *id != turn.id);
        let ended = EndedTurn { id: turn.id.clone(), status: turn.status, error: turn.error.clone(), at };
        self.ended.push(ended.clone());
        if self.ended.len() > limit::ENDED_TURNS {
            self.ended.remove(0);
        }
        let dangling: Vec<Block> = self.blocks.extract_if(.., |block| block.turn == turn.id).collect();
        self.blocks_text -= dangling.iter().map(Block::len).sum::<usize>();
        self.prune();
        Change::TurnEnded { turn: ended, dangling }
    }

    fn item_started(&mut self, at: UnixMs, turn: &TurnId, item: &ThreadItem) -> Change {
        if self.is_over(turn, item.id()) {
            return Change::Nothing;
        }
        self.seen(at, turn);
        let changed = Change::BlockChanged(turn.clone(), item.id().clone());
        if let Some(index) = self.position(turn, item.id()) {
            let block = &mut self.blocks[index];
            if block.started.as_ref() == Some(item) {
                return Change::Nothing;
            }
            block.started = Some(item.clone());
            return changed;
        }
        let body = BlockBody::of(item);
        if !self.open(Block { turn: turn.clone(), item: item.id().clone(), started: Some(item.clone()), body }) {
            return Change::Nothing;
        }
        changed
    }

    fn item_completed(&mut self, at: UnixMs, turn: &TurnId, item: &ThreadItem, completed: UnixMs) -> Change {
        if self.has_completed(turn, item.id()) {
            return Change::Nothing;
        }
        if !self.has_ended(turn) {
            self.seen(at, turn);
        }
        if let Some(index) = self.position(turn, item.id()) {
            self.blocks_text -= self.blocks.remove(index).len();
        }
        if self.completed.len() == limit::COMPLETED_KEYS {
            self.completed.pop_first();
        }
        self.completed.insert((turn.clone(), item.id().clone()));
        let entry = Entry { turn: turn.clone(), item: item.clone(), at: completed };
        self.entries_text += text_len(item);
        self.entries.push(entry.clone());
        self.prune();
        Change::Completed(entry)
    }

    fn delta(&mut self, at: UnixMs, turn: &TurnId, item: &ItemId, growth: &Growth<'_>) -> Change {
        if self.is_over(turn, item) {
            return Change::Nothing;
        }
        self.seen(at, turn);
        let index = match self.position(turn, item) {
            Some(index) => index,
            None => {
                let body = BlockBody::empty(growth);
                if !self.open(Block { turn: turn.clone(), item: item.clone(), started: None, body }) {
                    return Change::Nothing;
                }
                self.blocks.len() - 1
            }
        };
        let block = &mut self.blocks[index];
        let before = block.len();
        if !block.body.grow(growth) {
            return Change::Nothing;
        }
        self.blocks_text = self.blocks_text + block.len() - before;
        self.make_room(index);
        Change::BlockChanged(turn.clone(), item.clone())
    }

    /// Deltas of a completed item or of a turn that ended come too late.
    fn is_over(&self, turn: &TurnId, item: &ItemId) -> bool {
        self.has_ended(turn) || (!self.completed.is_empty() && self.has_completed(turn, item))
    }

    fn change_turn(&mut self, at: UnixMs, turn: &TurnId, change: impl FnOnce(&mut RunningTurn)) -> Change {
        if self.has_ended(turn) {
            return Change::Nothing;
        }
        self.seen(at, turn);
        match &mut self.running {
            Some(running) if running.id == *turn => {
                change(running);
                Change::TurnChanged
            }
            Some(_) | None => Change::Nothing,
        }
    }

    /// `false` beyond `limit::LIVE_BLOCKS`: such an item shows when it completes.
    fn open(&mut self, block: Block) -> bool {
        if self.blocks.len() == limit::LIVE_BLOCKS {
            return false;
        }
        self.blocks_text += block.len();
        self.blocks.push(block);
        self.make_room(self.blocks.len() - 1);
        true
    }

    /// Beyond `limit::BLOCKS_TEXT` the oldest long blocks give up their middle; never the one that grows.
    fn make_room(&mut self, growing: usize) {
        let mut index = 0;
        while self.blocks_text > limit::BLOCKS_TEXT && index < self.blocks.len() {
            if index != growing && self.blocks[index].len() > limit::SHRUNK_BLOCK_TEXT {
                let block = &mut self.blocks[index];
                self.blocks_text -= block.len();
                block.body.shrink_to(limit::SHRUNK_BLOCK_TEXT);
                self.blocks_text += block.len();
            }
            index += 1;
        }
    }

    /// Drops the entries of turns that are neither open nor the one that ended last, the keys of turns
    /// that are forgotten, and what is over the limits.
    fn prune(&mut self) {
        let Self { running, overtaken, ended, entries, completed, entries_text, .. } = self;
        let is_open =
            |turn: &TurnId| running.as_ref().is_some_and(|running| running.id == *turn) || overtaken.contains(turn);
        let keeps = |turn: &TurnId| is_open(turn) || ended.last().is_some_and(|last| last.id == *turn);
        if entries.iter().any(|entry| !keeps(&entry.turn)) {
            entries.retain(|entry| keeps(&entry.turn));
            *entries_text = entries.iter().map(|entry| text_len(&entry.item)).sum();
            completed.retain(|(turn, _)| is_open(turn) || ended.iter().any(|ended| ended.id == *turn));
        }
        let mut over = 0;
        while let Some(entry) = entries.get(over)
            && (entries.len() - over > limit::LIVE_ENTRIES || *entries_text > limit::LIVE_ENTRIES_TEXT)
        {
            *entries_text -= text_len(&entry.item);
            over += 1;
        }
        entries.drain(..over);
    }
}

/// The item and the growth that a delta notification means.
fn growth(event: &ServerNotification) -> Option<(&TurnId, &ItemId, Growth<'_>)> {
    Some(match event {
        ServerNotification::AgentMessageDelta { turn_id, item_id, delta, .. } => {
            (turn_id, item_id, Growth::AgentMessage(delta))
        }
        ServerNotification::PlanDelta { turn_id, item_id, delta, .. } => (turn_id, item_id, Growth::Plan(delta)),
        ServerNotification::CommandOutputDelta { turn_id, item_id, delta, .. } => {
            (turn_id, item_id, Growth::CommandOutput(delta))
        }
        ServerNotification::PatchUpdated { turn_id, item_id, changes, .. } => {
            (turn_id, item_id, Growth::FileChange(changes))
        }
        ServerNotification::McpProgress { turn_id, item_id, message, .. } => {
            (turn_id, item_id, Growth::McpProgress(message))
        }
        ServerNotification::ReasoningSummaryDelta { turn_id, item_id, summary_index, delta, .. } => {
            (turn_id, item_id, Growth::Summary(*summary_index, delta))
        }
        ServerNotification::ReasoningSummaryPartAdded { turn_id, item_id, summary_index, .. } => {
            (turn_id, item_id, Growth::Summary(*summary_index, ""))
        }
        ServerNotification::ReasoningTextDelta { turn_id, item_id, content_index, delta, .. } => {
            (turn_id, item_id, Growth::Content(*content_index, delta))
        }
        _ => return None,
    })
}

/// Roughly the text of an item, in bytes: what bounds the entries. Not a rendered size.
fn text_len(item: &ThreadItem) -> usize {
    match item {
        ThreadItem::AgentMessage { text, .. } | ThreadItem::Plan { text, .. } => text.len(),
        ThreadItem::Reasoning { summary, content, .. } => summary.iter().chain(content).map(String::len).sum(),
        ThreadItem::CommandExecution { command, aggregated_output, .. } => {
            command.len() + aggregated_output.as_ref().map_or(0, String::len)
        }
        ThreadItem::FileChange { changes, .. } => changes.iter().map(|change| change.diff.len()).sum(),
        ThreadItem::McpToolCall { arguments, result, .. } => {
            let content = result.iter().flat_map(|result| result.content.iter().chain(&result.structured_content));
            arguments.as_str().len() + content.map(|json| json.as_str().len()).sum::<usize>()
        }
        ThreadItem::FunctionCallOutput { output, .. } => output.as_str().len(),
        ThreadItem::DynamicToolCall { arguments, content_items, .. } => {
            arguments.as_str().len() + content_items.iter().flatten().map(content_len).sum::<usize>()
        }
        ThreadItem::ImageGeneration { result, .. } => result.len(),
        ThreadItem::UserMessage { content, .. } => content.iter().map(input_len).sum(),
        ThreadItem::HookPrompt { fragments, .. } => fragments.iter().map(|fragment| fragment.text.len()).sum(),
        ThreadItem::CollabAgentToolCall { prompt, agents_states, .. } => {
            prompt.as_ref().map_or(0, String::len) + agents_states.as_str().len()
        }
        ThreadItem::EnteredReviewMode { review, .. } | ThreadItem::ExitedReviewMode { review, .. } => review.len(),
        ThreadItem::SubAgentActivity { .. }
        | ThreadItem::WebSearch { .. }
        | ThreadItem::ImageView { .. }
        | ThreadItem::Sleep { .. }
        | ThreadItem::ContextCompaction { .. }
        | ThreadItem::Unknown(_) => 0,
    }
}

fn input_len(input: &UserInput) -> usize {
    match input {
        UserInput::Text { text } => text.len(),
        UserInput::Image { url, .. } => url.as_ref().map_or(0, String::len),
        UserInput::Audio { url } => url.len(),
        UserInput::LocalImage { path }
        | UserInput::LocalAudio { path }
        | UserInput::Skill { path, .. }
        | UserInput::Mention { path, .. } => path.len(),
        UserInput::Unknown(json) => json.as_str().len(),
    }
}

fn content_len(content: &ToolContent) -> usize {
    match content {
        ToolContent::InputText { text } => text.len(),
        ToolContent::InputImage { image_url } => image_url.len(),
        ToolContent::InputAudio { audio_url } => audio_url.len(),
        ToolContent::Unknown => 0,
    }
}

#[cfg(test)]
mod tests;
