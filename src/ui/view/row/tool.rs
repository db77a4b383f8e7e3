//! Rows of what Codex does: reasoning, commands, file changes, tool calls and plain facts.

use iced::widget::{column, container, row, text};
use iced::{Alignment, Length, Padding};

use super::super::kit::{self, GAP};
use super::super::markdown::{Look, cut_lines};
use crate::live::KeptText;
use crate::markdown::untrusted;
use crate::protocol::ThreadItem;
use crate::protocol::item::{CommandSource, FileUpdateChange, ItemStatus, PatchChangeKind, ToolContent};
use crate::ui::Message;
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::theme::style;
use crate::ui::widget::{self, Element};
use crate::ui::window::Window;

/// Last lines of a command's output that show without a press.
const TAIL_LINES: usize = 8;
/// Lines of each file's diff that show without a press.
const FOLDED_DIFF: usize = 24;
/// Lines of an unfolded output that are drawn; Copy has them all.
const UNFOLDED_LINES: usize = 400;

/// The status of an item in words.
pub fn status_words(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::InProgress => "running",
        ItemStatus::Completed => "done",
        ItemStatus::Failed => "failed",
        ItemStatus::Declined => "declined",
        ItemStatus::Interrupted => "interrupted",
        ItemStatus::Unknown => "in a state this version does not know",
    }
}

/// A duration in the shortest words.
pub fn duration(ms: i64) -> String {
    match ms {
        i64::MIN..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// The edge of a card's body on the side of a quiet button, which brings 6 px of its own.
const BESIDE_BUTTON: f32 = 6.0;

/// A card with a head line and, below a rule, a body that is [`inside`] or brings its own distance from the edge.
fn card<'a>(head: impl Into<Element<'a, Message>>, body: Option<Element<'a, Message>>) -> Element<'a, Message> {
    let mut content = column![container(head).padding([6, 12])];
    if let Some(body) = body {
        content = content.push(kit::line()).push(container(body).width(Length::Fill).style(style::code));
    }
    kit::full(content).style(style::card).clip(true).into()
}

/// With the usual distance from a card's edge.
fn inside<'a>(body: impl Into<Element<'a, Message>>) -> Element<'a, Message> {
    container(body).width(Length::Fill).padding([8, 12]).into()
}

fn fold<'a>(look: Look<'a>, unfolded: bool, label: String, hidden: &str) -> Element<'a, Message> {
    let words = if unfolded { "Show less".to_owned() } else { hidden.to_owned() };
    kit::press_with(format!("row-{}-fold", look.key), label, kit::words(font::SMALL, words))
        .look(widget::Look::Flat)
        .low()
        .expanded(unfolded)
        .on_press(Message::Local(look.window, Local::Fold(look.key)))
        .into()
}

fn copy<'a>(look: Look<'a>, what: &str, text: &str) -> Element<'a, Message> {
    super::copy_button(look, what, text.to_owned())
}

/// Reasoning: folded to its first line when done.
pub fn reasoning<'a>(look: Look<'a>, window: &'a Window, parts: &[String], live: bool) -> Element<'a, Message> {
    let text = untrusted::prose(&parts.join("\n\n")).replace("**", "");
    let unfolded = live || window.unfolded.contains(&look.key);
    let title = if live { "Thinking" } else { "Reasoning" };
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    let folds = !live && text.trim() != first.trim();
    let mut head =
        row![kit::words(font::SMALL_STRONG, title).style(style::dim)].spacing(GAP).align_y(Alignment::Center);
    if folds {
        head = head.push(fold(look, unfolded, "Reasoning, whole text".to_owned(), "Show all"));
    }
    let shown = if unfolded || !folds { text } else { first };
    let mut content = column![head].spacing(2);
    if !shown.trim().is_empty() {
        content = content.push(kit::plain_text(shown, font::SMALL.scaled(look.scale)));
    }
    content.into()
}

/// A finished command: what ran, where, how it ended, its last lines.
pub fn command<'a>(look: Look<'a>, window: &'a Window, item: &'a ThreadItem) -> Element<'a, Message> {
    let ThreadItem::CommandExecution {
        command, cwd, status, source, aggregated_output, exit_code, duration_ms, ..
    } = item
    else {
        return kit::small("Working").into();
    };
    let mut end = match exit_code {
        Some(code) => format!("exit {code}"),
        None => status_words(*status).to_owned(),
    };
    if let Some(ms) = duration_ms {
        end.push_str(" \u{b7} ");
        end.push_str(&duration(*ms));
    }
    let output = aggregated_output.as_deref().map(untrusted::terminal).unwrap_or_default();
    let body = (!output.trim().is_empty())
        .then(|| tail(look, window, &output, aggregated_output.as_deref().unwrap_or_default()));
    card(command_head(look, command, cwd, *source, end), body)
}

/// A command that runs: its text is unknown when we joined in the middle.
pub fn running_command<'a>(
    look: Look<'a>,
    window: &'a Window,
    started: Option<&'a ThreadItem>,
    output: &KeptText,
    late: bool,
) -> Element<'a, Message> {
    let head: Element<'a, Message> = match started {
        Some(ThreadItem::CommandExecution { command, cwd, source, .. }) => {
            command_head(look, command, cwd, *source, "running".to_owned())
        }
        _ => row![kit::body("A command"), kit::grow(), kit::tag("running")].align_y(Alignment::Center).into(),
    };
    let text = output.text();
    let clean = untrusted::terminal(&text);
    let mut body = column![].spacing(2);
    if late {
        body = body.push(inside(kit::small("The command and the beginning of its output arrive when it completes.")));
    }
    if !clean.trim().is_empty() {
        body = body.push(tail(look, window, &clean, &text));
    }
    let empty = clean.trim().is_empty() && !late;
    card(head, (!empty).then(|| body.into()))
}

fn command_head<'a>(
    look: Look<'a>,
    command: &str,
    cwd: &str,
    source: CommandSource,
    end: String,
) -> Element<'a, Message> {
    let mut facts = format!("in {}", untrusted::one_line(cwd));
    if source == CommandSource::UserShell {
        facts.push_str(" \u{b7} run by you, outside the sandbox");
    }
    let text = kit::words(font::CODE.scaled(look.scale), untrusted::marked(command).into_owned())
        .wrapping(text::Wrapping::WordOrGlyph)
        .width(Length::Fill);
    column![
        row![text, kit::tag(end)].spacing(GAP).align_y(Alignment::Start),
        kit::small(facts).wrapping(text::Wrapping::WordOrGlyph)
    ]
    .spacing(2)
    .into()
}

/// The last lines of an output, or, unfolded, its beginning up to a bound; with its own distance from the edge.
fn tail<'a>(look: Look<'a>, window: &'a Window, clean: &str, raw: &str) -> Element<'a, Message> {
    let clean = clean.trim_end_matches('\n');
    let lines = clean.lines().count();
    let unfolded = window.unfolded.contains(&look.key);
    let face = font::CODE.scaled(look.scale);
    let mut content = column![].spacing(4);
    if lines <= TAIL_LINES {
        // The button is higher than a line: with less above it both have the same middle.
        let button = container(copy(look, "output", raw)).padding([5.0, BESIDE_BUTTON]);
        return row![inside(kit::plain_text(clean.to_owned(), face)), button].into();
    }
    let actions = row![
        fold(look, unfolded, format!("Output, {lines} lines"), &format!("Show all {lines} lines")),
        kit::grow(),
        copy(look, "output", raw)
    ]
    .align_y(Alignment::Center);
    content = content.push(container(actions).padding(Padding::from([0.0, BESIDE_BUTTON])));
    let text = if unfolded {
        let (shown, hidden) = cut_lines(clean, UNFOLDED_LINES);
        let mut text = column![kit::plain_text(shown, face)].spacing(4);
        if hidden > 0 {
            text = text.push(kit::small(format!("{hidden} more lines; Copy has them all")));
        }
        text.into()
    } else {
        let start = clean
            .lines()
            .rev()
            .take(TAIL_LINES)
            .last()
            .map_or(0, |line| line.as_ptr() as usize - clean.as_ptr() as usize);
        kit::plain_text(clean[start..].to_owned(), face)
    };
    content.push(container(text).padding(Padding::from([0.0, 12.0]))).padding(Padding::ZERO.top(4.0).bottom(8.0)).into()
}

/// A patch: each file with its diff.
pub fn changes<'a>(
    look: Look<'a>,
    window: &'a Window,
    changes: &[FileUpdateChange],
    state: &'a str,
) -> Element<'a, Message> {
    let title = match changes.len() {
        1 => "File change".to_owned(),
        count => format!("{count} file changes"),
    };
    let all: String = changes.iter().map(|change| format!("{}\n{}\n", change.path, change.diff)).collect();
    let lines: usize = changes.iter().map(|change| change.diff.lines().count()).sum();
    let unfolded = window.unfolded.contains(&look.key);
    let head = row![kit::words(font::LABEL_STRONG, title), kit::grow(), copy(look, "diff", &all), kit::tag(state)]
        .spacing(GAP)
        .align_y(Alignment::Center);
    let limit = if unfolded { UNFOLDED_LINES } else { FOLDED_DIFF };
    let mut body = column![].spacing(GAP);
    for change in changes {
        body = body.push(diff(look, change, limit));
    }
    if lines > FOLDED_DIFF {
        body = body.push(fold(look, unfolded, format!("Diff, {lines} lines"), &format!("Show all {lines} lines")));
    }
    card(head, Some(inside(body)))
}

/// One file's diff; added and removed lines differ by sign and colour.
pub fn diff<'a>(look: Look<'a>, change: &FileUpdateChange, limit: usize) -> Element<'a, Message> {
    let what = match &change.kind {
        PatchChangeKind::Add => "new file".to_owned(),
        PatchChangeKind::Delete => "deleted".to_owned(),
        PatchChangeKind::Update { move_path: Some(to) } => format!("moved to {}", untrusted::one_line(to)),
        PatchChangeKind::Update { move_path: None } => "changed".to_owned(),
        PatchChangeKind::Unknown => "changed in a way this version does not know".to_owned(),
    };
    let face = font::CODE.scaled(look.scale);
    let mut content = column![
        row![
            kit::words(font::CODE, untrusted::one_line(&change.path))
                .width(Length::Fill)
                .wrapping(text::Wrapping::WordOrGlyph),
            kit::small(what)
        ]
        .spacing(GAP)
    ];
    let added = matches!(change.kind, PatchChangeKind::Add);
    let text = untrusted::marked(&change.diff).into_owned();
    let (shown, hidden) = cut_lines(&text, limit);
    for line in shown.lines() {
        let ink = match line.as_bytes().first() {
            Some(b'+') => style::ok,
            Some(b'-') => style::bad,
            Some(b'@') => style::dim,
            _ if added => style::ok,
            _ => style::plain,
        };
        let sign = if added && !line.starts_with(['+', '-', '@']) { "+" } else { "" };
        content = content.push(kit::words(face, format!("{sign}{line}")).style(ink).wrapping(text::Wrapping::Glyph));
    }
    if hidden > 0 {
        content = content.push(kit::small(format!("{hidden} more lines")));
    }
    content.into()
}

/// A tool call with its arguments and result.
pub fn call<'a>(look: Look<'a>, window: &'a Window, item: &'a ThreadItem) -> Element<'a, Message> {
    let (name, status, arguments, result) = match item {
        ThreadItem::McpToolCall { server, tool, status, arguments, result, error, .. } => {
            let result = match (error, result) {
                (Some(error), _) => error.message.clone(),
                (None, Some(result)) => result.content.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("\n"),
                (None, None) => String::new(),
            };
            (format!("{server} \u{b7} {tool}"), *status, arguments, result)
        }
        ThreadItem::DynamicToolCall { tool, namespace, status, arguments, content_items, .. } => {
            let parts = content_items.iter().flatten().map(|part| match part {
                ToolContent::InputText { text } => text.clone(),
                ToolContent::InputImage { .. } => "(image)".to_owned(),
                ToolContent::InputAudio { .. } => "(audio)".to_owned(),
                ToolContent::Unknown => "(unknown content)".to_owned(),
            });
            let name = namespace.as_ref().map_or_else(|| tool.clone(), |space| format!("{space} \u{b7} {tool}"));
            (name, *status, arguments, parts.collect::<Vec<_>>().join("\n"))
        }
        _ => return kit::small("Working").into(),
    };
    let head = row![
        kit::words(font::LABEL_STRONG, "Tool call"),
        kit::words(font::LABEL, untrusted::one_line(&name)).width(Length::Fill),
        kit::tag(status_words(status))
    ]
    .spacing(GAP)
    .align_y(Alignment::Center);
    let mut text = untrusted::terminal(arguments.as_str());
    if !result.is_empty() {
        text.push_str("\n\n");
        text.push_str(&untrusted::terminal(&result));
    }
    card(head, (!text.trim().is_empty()).then(|| tail(look, window, &text, &text)))
}

/// A tool call that reports progress.
pub fn progress<'a>(look: Look<'a>, started: Option<&'a ThreadItem>, lines: &[String]) -> Element<'a, Message> {
    let name = match started {
        Some(ThreadItem::McpToolCall { server, tool, .. }) => format!("{server} \u{b7} {tool}"),
        _ => "A tool".to_owned(),
    };
    let head = row![kit::words(font::LABEL, untrusted::one_line(&name)).width(Length::Fill), kit::tag("running")]
        .spacing(GAP)
        .align_y(Alignment::Center);
    let text = untrusted::terminal(&lines.join("\n"));
    card(head, (!text.is_empty()).then(|| inside(kit::plain_text(text, font::CODE.scaled(look.scale)))))
}

/// A one-line fact, with optional text below.
pub fn fact<'a>(look: Look<'a>, name: &'a str, what: &str, note: &str, text: Option<&str>) -> Element<'a, Message> {
    let mut head = row![kit::words(font::SMALL_STRONG, name)].spacing(GAP).align_y(Alignment::Center);
    if !what.is_empty() {
        head = head.push(kit::words(font::SMALL, untrusted::one_line(what)));
    }
    if !note.is_empty() {
        head = head.push(kit::small(untrusted::one_line(note)));
    }
    let mut content = column![head.wrap()].spacing(2);
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let (shown, hidden) = cut_lines(&untrusted::terminal(text), 40);
        content = content.push(kit::plain_text(shown, font::SMALL.scaled(look.scale)));
        if hidden > 0 {
            content = content.push(kit::small(format!("{hidden} more lines")));
        }
    }
    content.into()
}
