//! A committed item.

use iced::widget::column;

use super::super::kit;
use super::super::markdown::{self, Look};
use super::{says, says_with_copy, tool};
use crate::engine::view::{OpState, Row, RowBody};
use crate::live::BlockBody;
use crate::markdown::untrusted;
use crate::protocol::item::{UserInput, WebSearchAction};
use crate::protocol::{ThreadItem, TurnStatus};
use crate::ui::font;
use crate::ui::rows::{Parsed, Part};
use crate::ui::widget::Element;
use crate::ui::window::Window;
use crate::ui::{App, Message};

/// The row of an item.
pub fn view<'a>(
    app: &'a App,
    look: Look<'a>,
    window: &'a Window,
    row: &'a Row,
    item: &'a ThreadItem,
) -> Element<'a, Message> {
    match item {
        ThreadItem::UserMessage { content, .. } => says("You", true, row.at, user(look, content)),
        ThreadItem::AgentMessage { text, .. } => {
            says_with_copy(look, "Codex", row.at, text, markdown::view(&app.parsed().part(row, look.part), look))
        }
        ThreadItem::Plan { .. } => {
            says("Plan", false, row.at, markdown::view(&app.parsed().part(row, look.part), look))
        }
        ThreadItem::Reasoning { summary, content, .. } => {
            let parts: Vec<String> = summary.iter().chain(content).cloned().collect();
            tool::reasoning(look, window, &parts, false)
        }
        ThreadItem::CommandExecution { .. } => tool::command(look, window, item),
        ThreadItem::FileChange { changes, status, .. } => {
            tool::changes(look, window, changes, tool::status_words(*status))
        }
        ThreadItem::McpToolCall { .. } | ThreadItem::DynamicToolCall { .. } => tool::call(look, window, item),
        ThreadItem::CollabAgentToolCall { tool, status, receiver_thread_ids, prompt, .. } => {
            let to = if receiver_thread_ids.is_empty() {
                String::new()
            } else {
                format!(" to {}", receiver_thread_ids.join(", "))
            };
            tool::fact(look, "Agent", &format!("{tool}{to}"), tool::status_words(*status), prompt.as_deref())
        }
        ThreadItem::SubAgentActivity { agent_path, kind, .. } => tool::fact(look, "Sub-agent", agent_path, kind, None),
        ThreadItem::WebSearch { query, action, .. } => {
            tool::fact(look, "Web search", &search(query, action.as_ref()), "", None)
        }
        ThreadItem::ImageView { path, .. } => {
            tool::fact(look, "Image viewed", path, "on the server; not fetched", None)
        }
        ThreadItem::ImageGeneration { status, revised_prompt, saved_path, .. } => tool::fact(
            look,
            "Image generated",
            saved_path.as_deref().unwrap_or("no path given"),
            status,
            revised_prompt.as_deref(),
        ),
        ThreadItem::Sleep { duration_ms, .. } => tool::fact(look, "Waited", &tool::duration(*duration_ms), "", None),
        ThreadItem::EnteredReviewMode { review, .. } => tool::fact(look, "Review began", review, "", None),
        ThreadItem::ExitedReviewMode { review, .. } => {
            says("Review", false, row.at, markdown::view(&app.parsed().whole(row, review), look))
        }
        ThreadItem::ContextCompaction { .. } => {
            tool::fact(look, "Context compacted", "Earlier messages were summarised for the model", "", None)
        }
        ThreadItem::HookPrompt { fragments, .. } => {
            let text = fragments.iter().map(|fragment| fragment.text.as_str()).collect::<Vec<_>>().join("\n");
            tool::fact(look, "Added by a hook", "", "", Some(&text))
        }
        ThreadItem::FunctionCallOutput { name, output, .. } => {
            tool::fact(look, "Tool output", name, "", Some(output.as_str()))
        }
        ThreadItem::Unknown(unknown) => {
            tool::fact(look, "Not shown", &unknown.kind, "this version does not know this kind of item", None)
        }
    }
}

/// The text of a message and what came with it.
fn user<'a>(look: Look<'a>, content: &'a [UserInput]) -> Element<'a, Message> {
    let mut lines = column![].spacing(2);
    for part in content {
        lines = lines.push(match part {
            UserInput::Text { text } => {
                kit::plain_text(untrusted::prose(text).into_owned(), font::BODY.scaled(look.scale))
            }
            UserInput::Image { url, .. } => {
                kit::small(format!("Image: {}", untrusted::one_line(url.as_deref().unwrap_or("stored by the server"))))
                    .into()
            }
            UserInput::LocalImage { path } => kit::small(format!("Image: {}", untrusted::one_line(path))).into(),
            UserInput::Audio { .. } => kit::small("Audio").into(),
            UserInput::LocalAudio { path } => kit::small(format!("Audio: {}", untrusted::one_line(path))).into(),
            UserInput::Skill { name, .. } => kit::small(format!("Skill: {}", untrusted::one_line(name))).into(),
            UserInput::Mention { name, .. } => kit::small(format!("Mention: {}", untrusted::one_line(name))).into(),
            UserInput::Unknown(_) => kit::small("A part that this version does not know").into(),
        });
    }
    lines.into()
}

fn search(query: &str, action: Option<&WebSearchAction>) -> String {
    match action {
        Some(WebSearchAction::OpenPage { url: Some(url) }) => format!("opened {url}"),
        Some(WebSearchAction::FindInPage { url, pattern }) => {
            format!("looked for {} in {}", pattern.as_deref().unwrap_or("text"), url.as_deref().unwrap_or("a page"))
        }
        Some(WebSearchAction::Search { queries: Some(queries), .. }) if !queries.is_empty() => queries.join("; "),
        Some(WebSearchAction::Search { .. } | WebSearchAction::OpenPage { url: None } | WebSearchAction::Other)
        | None => query.to_owned(),
    }
}

/// The row's name for a screen reader: who, what, in plain text.
pub fn label(parsed: &Parsed, row: &Row, part: Part) -> String {
    let at = if part.of > 1 { format!(", part {} of {}", part.part + 1, part.of) } else { String::new() };
    match row.body.as_ref() {
        RowBody::Item(ThreadItem::AgentMessage { .. }) => {
            format!("Codex{at}: {}", crate::markdown::plain_text(&parsed.part(row, part)))
        }
        RowBody::Item(ThreadItem::Plan { .. }) => {
            format!("Plan{at}: {}", crate::markdown::plain_text(&parsed.part(row, part)))
        }
        _ => name(row) + &at,
    }
}

/// The name of a row: who and what.
pub fn name(row: &Row) -> String {
    match row.body.as_ref() {
        RowBody::Item(item) => item_label(item),
        RowBody::Unfinished { body, .. } => match body {
            BlockBody::AgentMessage(_) => "Codex is writing".to_owned(),
            BlockBody::Plan(_) => "Codex is planning".to_owned(),
            BlockBody::Reasoning { .. } => "Codex is thinking".to_owned(),
            BlockBody::CommandOutput(_) => "A command runs".to_owned(),
            BlockBody::FileChange(_) => "A file change is being written".to_owned(),
            BlockBody::McpProgress(_) => "A tool runs".to_owned(),
            BlockBody::Opaque => "Working".to_owned(),
        },
        RowBody::Echo { text, state, .. } => {
            let state = match state {
                OpState::InFlight => "sending",
                OpState::Confirmed => "sent",
                OpState::NotSent(_) => "not sent",
                OpState::Rejected(_) => "refused",
                OpState::OutcomeUnknown(_) => "not known whether this was sent",
                OpState::Dropped => "accepted, then dropped",
            };
            format!("You, {state}: {text}")
        }
        RowBody::TurnHead { .. } => "Steps of a turn, not shown".to_owned(),
        RowBody::TurnEnd { status, .. } => match status {
            TurnStatus::Failed => "Turn failed".to_owned(),
            TurnStatus::Interrupted => "Turn interrupted".to_owned(),
            TurnStatus::Completed | TurnStatus::InProgress | TurnStatus::Unknown => "End of turn".to_owned(),
        },
        RowBody::Lost { note, .. } => note.clone(),
        RowBody::Edge { older: true, .. } => "Older items are not loaded".to_owned(),
        RowBody::Edge { older: false, .. } => "Newer items are not loaded".to_owned(),
    }
}

fn item_label(item: &ThreadItem) -> String {
    match item {
        ThreadItem::UserMessage { content, .. } => {
            let text: Vec<&str> = content
                .iter()
                .filter_map(|part| match part {
                    UserInput::Text { text } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            format!("You: {}", text.join(" "))
        }
        ThreadItem::AgentMessage { text, .. } => {
            format!("Codex: {}", crate::markdown::plain_text(&crate::markdown::parse(text)))
        }
        ThreadItem::Plan { text, .. } => format!("Plan: {text}"),
        ThreadItem::Reasoning { .. } => "Reasoning".to_owned(),
        ThreadItem::CommandExecution { command, exit_code, status, .. } => {
            let command = untrusted::one_line(command);
            match exit_code {
                Some(code) => format!("Command {command}, exit {code}"),
                None => format!("Command {command}, {}", tool::status_words(*status)),
            }
        }
        ThreadItem::FileChange { changes, status, .. } => {
            let files: Vec<String> = changes.iter().map(|change| untrusted::one_line(&change.path)).collect();
            format!("File change, {}: {}", tool::status_words(*status), files.join(", "))
        }
        ThreadItem::McpToolCall { server, tool, status, .. } => {
            format!("Tool {server} {tool}, {}", tool::status_words(*status))
        }
        ThreadItem::DynamicToolCall { tool, status, .. } => format!("Tool {tool}, {}", tool::status_words(*status)),
        ThreadItem::CollabAgentToolCall { tool, .. } => format!("Agent {tool}"),
        ThreadItem::SubAgentActivity { agent_path, kind, .. } => format!("Sub-agent {agent_path}, {kind}"),
        ThreadItem::WebSearch { query, .. } => format!("Web search: {query}"),
        ThreadItem::ImageView { path, .. } => format!("Image viewed: {path}"),
        ThreadItem::ImageGeneration { .. } => "Image generated".to_owned(),
        ThreadItem::Sleep { duration_ms, .. } => format!("Waited {}", tool::duration(*duration_ms)),
        ThreadItem::EnteredReviewMode { .. } => "Review began".to_owned(),
        ThreadItem::ExitedReviewMode { .. } => "Review ended".to_owned(),
        ThreadItem::ContextCompaction { .. } => "Context compacted".to_owned(),
        ThreadItem::HookPrompt { .. } => "Added by a hook".to_owned(),
        ThreadItem::FunctionCallOutput { name, .. } => format!("Tool output of {name}"),
        ThreadItem::Unknown(unknown) => format!("An item of the kind {}, not shown", unknown.kind),
    }
}
