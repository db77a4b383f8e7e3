//! The composer: always there, always says what Send does or why it cannot.

use iced::keyboard::{Key, key::Named};
use iced::widget::{column, row};
use iced::{Alignment, Length};

use super::kit::{self, GAP, INSET, TIGHT};
use crate::engine::Intent;
use crate::engine::view::{Composer, Connection, Conversation, ConversationKey, Membership, Running, SendState};
use crate::markdown::untrusted;
use crate::protocol::account::{RateLimitWindow, RateLimits};
use crate::protocol::notification::PlanStepStatus;
use crate::settings::SendKey;
use crate::ui::message::Local;
use crate::ui::theme::style;
use crate::ui::widget::{self, Element, Look};
use crate::ui::window::{Editor, Window};
use crate::ui::{App, Message};

/// The text field's id and fixed name.
pub const FIELD: &str = "composer";
/// The fixed name.
pub const NAME: &str = "Message";

/// The composer of a conversation, or the one that is not connected.
pub fn view<'a>(
    app: &'a App,
    id: iced::window::Id,
    window: &'a Window,
    key: &ConversationKey,
    composer: &'a Composer,
    conversation: Option<&'a Conversation>,
) -> Element<'a, Message> {
    let editor = window.editors.get(key);
    // Every part keeps its place, so that the field keeps its focus.
    let next_turn = conversation.map_or_else(nothing, |open| super::next_turn::view(app, id, window, open));
    let hidden = hidden_marks(&composer.text).map_or_else(nothing, |words| kit::small(words).style(style::warn).into());
    let field = field(app, id, editor, composer, window.is_low());
    let foot = foot(id, composer, conversation, app, window.is_narrow());
    let gap = if window.is_low() { TIGHT } else { GAP };
    let content = column![next_turn, field, hidden, foot].spacing(gap);
    kit::pane("pane-composer", "Composer", kit::full(content).padding([gap, INSET]).style(style::panel))
}

/// Keeps the place of a part: a column leaves out what has a fixed size of zero, and the parts behind it would lose
/// focus and scroll.
fn nothing<'a>() -> Element<'a, Message> {
    iced::widget::Space::new().into()
}

fn field<'a>(
    app: &'a App,
    id: iced::window::Id,
    editor: Option<&'a Editor>,
    composer: &'a Composer,
    low: bool,
) -> Element<'a, Message> {
    let Some(editor) = editor else { return kit::small(composer.placeholder.as_str()).into() };
    let send = matches!(composer.send, SendState::Start | SendState::Steer).then_some(Message::Do(id, Intent::Send));
    let enter_sends = app.settings().send_key == SendKey::Enter;
    widget::editor(FIELD, NAME, &editor.content, move |action| Message::Local(id, Local::Compose(action)))
        .lines(if low { 1 } else { 2 }, if low { 2 } else { 8 })
        .placeholder(composer.placeholder.as_str())
        .on_value(move |text| Message::Local(id, Local::ComposeText(text)))
        .on_composing(move |composing| Message::Local(id, Local::Composing(composing)))
        .on_key(move |press| {
            let enter = press.key == Key::Named(Named::Enter);
            let sends = press.modifiers.command() || (enter_sends && !press.modifiers.shift());
            // A press that cannot send does nothing: it neither sends nor starts a line.
            (enter && sends).then(|| send.clone().unwrap_or(Message::Done))
        })
        .into()
}

/// Control and bidi characters are sent as typed; they show beside the text.
fn hidden_marks(text: &str) -> Option<String> {
    let mut marks: Vec<String> = text
        .chars()
        .filter(|c| untrusted::is_hidden(*c) && *c != '\r')
        .map(|c| format!("U+{:04X}", u32::from(c)))
        .collect();
    marks.sort();
    marks.dedup();
    (!marks.is_empty()).then(|| format!("The text contains characters that do not show: {}", marks.join(", ")))
}

fn foot<'a>(
    id: iced::window::Id,
    composer: &'a Composer,
    conversation: Option<&'a Conversation>,
    app: &'a App,
    narrow: bool,
) -> Element<'a, Message> {
    let why = match &composer.send {
        SendState::Cannot(why) => why.as_str(),
        SendState::Steer => "Send adds to the running turn.",
        SendState::Start => "",
    };
    let mut words = column![].spacing(0).width(Length::Fill);
    if !why.is_empty() {
        words = words.push(kit::status("composer-why", why, kit::small(why)));
    }
    if let Some(progress) = conversation.and_then(|conversation| conversation.history.running.as_ref()) {
        for line in progress_lines(progress) {
            words = words.push(kit::small(line));
        }
    }
    if let Some(status) = conversation.and_then(|conversation| status_line(conversation, app)) {
        words = words.push(kit::small(status));
    }
    let mut actions: Vec<Element<'a, Message>> = Vec::new();
    let running = conversation.and_then(|conversation| conversation.history.running.as_ref());
    let joined = conversation.is_some_and(|conversation| conversation.membership == Membership::Joined);
    if let Some(running) = running.filter(|_| joined) {
        let press = (!running.interrupting).then_some(Message::Do(id, Intent::Interrupt));
        actions.push(
            kit::button("composer-stop", "Stop", Look::Secondary, press)
                .description("Stops the running turn. Text that is not complete yet is not stored by Codex.")
                .shortcut("Ctrl+.")
                .into(),
        );
    }
    match conversation.map(|conversation| &conversation.membership) {
        Some(Membership::ReadOnly { .. } | Membership::JoinFailed { .. }) => {
            let readable = !matches!(app.engine().banner().connection, Connection::HistoryRefresh { .. });
            let press = readable.then_some(Message::Do(id, Intent::Join));
            actions.push(kit::primary("composer-join", "Join", press));
        }
        Some(Membership::Joining) => actions.push(kit::primary("composer-join", "Join", None)),
        Some(Membership::New | Membership::Joined) | None => {
            let can = matches!(composer.send, SendState::Start | SendState::Steer);
            actions.push(
                kit::button("composer-send", "Send", Look::Primary, can.then_some(Message::Do(id, Intent::Send)))
                    .description(why)
                    .shortcut("Ctrl+Enter")
                    .into(),
            );
        }
    }
    if narrow {
        return column![words, kit::buttons(actions)].spacing(TIGHT).into();
    }
    row![words, row(actions).spacing(GAP)]
        .spacing(GAP)
        .align_y(Alignment::Center)
        .padding([0.0, 0.0])
        .height(Length::Shrink)
        .spacing(TIGHT * 2.0)
        .into()
}

/// What the running turn says of itself: that the server tries again, and where its plan is.
fn progress_lines(running: &Running) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = &running.retrying {
        lines.push(format!("The server tries again: {}", untrusted::one_line(&error.message)));
    }
    let at = running.plan.iter().position(|step| step.status == PlanStepStatus::InProgress);
    if let Some((at, step)) = at.and_then(|at| running.plan.get(at).map(|step| (at, step))) {
        lines.push(format!("Step {} of {}: {}", at + 1, running.plan.len(), untrusted::one_line(&step.step)));
    }
    lines
}

/// "5 h limit 40 % used", one for each window the server names.
fn limits(limits: &RateLimits) -> Vec<String> {
    let window = |window: &RateLimitWindow| match window.window_duration_mins {
        Some(minutes) if minutes >= 2_880 => format!("{} day limit {} % used", minutes / 1_440, window.used_percent),
        Some(minutes) if minutes >= 60 => format!("{} h limit {} % used", minutes / 60, window.used_percent),
        Some(minutes) => format!("{minutes} min limit {} % used", window.used_percent),
        None => format!("limit {} % used", window.used_percent),
    };
    limits.primary.iter().chain(&limits.secondary).map(window).collect()
}

/// "12,345 tokens used, 5 % of the context, 5 h limit 40 % used".
fn status_line(conversation: &Conversation, app: &App) -> Option<String> {
    let mut parts: Vec<String> = tokens(conversation).into_iter().collect();
    parts.extend(app.engine().banner().rate_limits.map(limits).unwrap_or_default());
    (!parts.is_empty()).then(|| parts.join(" \u{b7} "))
}

fn tokens(conversation: &Conversation) -> Option<String> {
    let usage = conversation.token_usage.as_ref()?;
    let total = thousands(usage.total.total_tokens);
    Some(match usage.model_context_window.filter(|window| *window > 0) {
        Some(window) => {
            let share = usage.last.total_tokens.saturating_mul(100) / window;
            format!("{total} tokens used \u{b7} {share} % of the context")
        }
        None => format!("{total} tokens used"),
    })
}

/// Digits in groups of three.
fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_name_their_window_and_their_use() {
        let window =
            |used_percent, minutes| RateLimitWindow { used_percent, window_duration_mins: minutes, resets_at: None };
        let both = RateLimits {
            limit_name: None,
            primary: Some(window(40, Some(300))),
            secondary: Some(window(7, Some(10_080))),
        };
        assert_eq!(limits(&both), ["5 h limit 40 % used", "7 day limit 7 % used"]);
        let bare = RateLimits { limit_name: None, primary: Some(window(3, None)), secondary: None };
        assert_eq!(limits(&bare), ["limit 3 % used"]);
    }

    #[test]
    fn numbers_are_grouped_and_hidden_characters_named() {
        assert_eq!([thousands(0), thousands(999), thousands(1_234_567)], ["0", "999", "1,234,567"]);
        assert_eq!(
            hidden_marks("a\u{202e}b\u{0}"),
            Some("The text contains characters that do not show: U+0000, U+202E".into())
        );
        assert_eq!(hidden_marks("a\tb\r\n"), None);
    }
}
