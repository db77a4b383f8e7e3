//! Requests of the server: the exact command or diff, and every answer as a button of its own.

use iced::Alignment;
use iced::widget::{column, row};

use super::kit::{self, GAP, INSET, TIGHT};
use super::markdown::Look as RowLook;
use crate::base::limit;
use crate::engine::Intent;
use crate::engine::view::{Card, CardState};
use crate::markdown::untrusted;
use crate::protocol::server_request::{CommandApproval, CommandApprovalKind, CommandDecision, FileChangeDecision};
use crate::protocol::{Answer, ServerRequest, ThreadItem};
use crate::ui::font;
use crate::ui::rows::Part;
use crate::ui::theme::style::{self, Kind};
use crate::ui::widget::{Element, Look};
use crate::ui::{App, Message};

/// A button of a card: its name, what it answers, what that means.
type Choice = (String, Answer, &'static str);

/// All open cards of a conversation.
pub fn view<'a>(app: &'a App, id: iced::window::Id, cards: &'a [Card]) -> Element<'a, Message> {
    column(cards.iter().map(|card| one(app, id, card))).spacing(GAP).into()
}

fn one<'a>(app: &'a App, id: iced::window::Id, card: &'a Card) -> Element<'a, Message> {
    let armed = app.card_age(&card.request) >= limit::ARMING && card.state == CardState::Open;
    let (title, body, answers): (&str, Element<'a, Message>, Vec<Choice>) = match &card.ask {
        ServerRequest::CommandApproval(ask) => (command_title(ask), command(ask), command_answers(ask)),
        ServerRequest::FileChangeApproval(ask) => {
            let mut lines = column![].spacing(TIGHT);
            if let Some(reason) = &ask.reason {
                lines = lines.push(kit::small(untrusted::marked(reason).into_owned()));
            }
            if let Some(root) = &ask.grant_root {
                lines = lines.push(kit::small(format!("Also asks to write below {}", untrusted::one_line(root))));
            }
            ("Apply this change?", lines.push(diffs(app, id, card.item.as_ref())).into(), file_answers())
        }
        ServerRequest::Other(other) => (
            "The server asks something that this version cannot show",
            kit::small(format!(
                "{}. It stays open. Stop ends the turn; another client can answer it.",
                untrusted::one_line(&other.method)
            ))
            .into(),
            Vec::new(),
        ),
    };
    let mut content = column![kit::words(font::STRONG, title).style(style::warn), body].spacing(GAP);
    match &card.state {
        CardState::Open => {}
        CardState::Answering => content = content.push(kit::small("Your answer was sent.")),
        CardState::Unknown(why) => content = content.push(kit::small(why.as_str()).style(style::bad)),
    }
    let mut actions: Vec<Element<'a, Message>> = Vec::new();
    for (index, (label, answer, note)) in answers.into_iter().enumerate() {
        let once =
            matches!(answer, Answer::Command(CommandDecision::Accept) | Answer::FileChange(FileChangeDecision::Accept));
        let look = if once { Look::Primary } else { Look::Secondary };
        let request = card.request.clone();
        let press = (card.state == CardState::Open).then_some(Message::Do(id, Intent::Answer { request, answer }));
        let button = kit::press_with(
            format!("card-{}-{index}", card.request),
            label.clone(),
            kit::words(if once { font::LABEL_STRONG } else { font::LABEL }, label),
        );
        actions.push(button.look(look).on_press_maybe(press).armed(armed).description(note).into());
    }
    if matches!(card.ask, ServerRequest::Other(_)) {
        actions.push(kit::plain(format!("card-{}-stop", card.request), "Stop", Message::Do(id, Intent::Interrupt)));
    }
    content = content.push(kit::buttons(actions));
    if !matches!(card.ask, ServerRequest::Other(_)) {
        content = content.push(kit::small("Cancel also stops the turn."));
    }
    let surface = kit::full(content).padding(INSET).style(style::notice(Kind::Warn));
    kit::group(format!("card-{}", card.request), title, surface)
}

/// What is asked for: a command, or input to one that runs already.
fn command_title(ask: &CommandApproval) -> &'static str {
    match ask.kind {
        CommandApprovalKind::Command => "Run this command?",
        CommandApprovalKind::WriteStdin => "Send this input to a running terminal?",
        CommandApprovalKind::Unknown => "Allow this? It is of a kind that this version does not know.",
    }
}

fn command<'a>(ask: &'a CommandApproval) -> Element<'a, Message> {
    let mut lines = column![].spacing(TIGHT);
    if let Some(command) = &ask.command {
        let text = kit::words(font::CODE, untrusted::marked(command).into_owned())
            .wrapping(iced::widget::text::Wrapping::WordOrGlyph);
        lines = lines.push(kit::full(text).padding([8, 12]).style(style::code));
    }
    if let Some(network) = &ask.network_approval_context {
        lines = lines.push(kit::body(format!(
            "It wants to reach {} over {}",
            untrusted::one_line(&network.host),
            untrusted::one_line(&network.protocol)
        )));
    }
    if let Some(cwd) = &ask.cwd {
        lines = lines.push(kit::small(format!("in {}", untrusted::one_line(cwd))));
    }
    if let Some(reason) = &ask.reason {
        lines = lines.push(kit::small(format!("Reason given: {}", untrusted::marked(reason))));
    }
    if let Some(more) = &ask.additional_permissions {
        lines = lines.push(kit::body("It also asks for these permissions:").style(style::warn));
        lines = lines.push(
            kit::full(kit::words(font::CODE, untrusted::marked(more.as_str()).into_owned()))
                .padding([8, 12])
                .style(style::code),
        );
    }
    lines.into()
}

/// Every offered decision, plus Decline when it is missing (FACTS 12.1); those that last come last.
fn command_answers(ask: &CommandApproval) -> Vec<Choice> {
    let offered =
        ask.available_decisions.clone().unwrap_or_else(|| vec![CommandDecision::Accept, CommandDecision::Cancel]);
    let mut decisions: Vec<CommandDecision> =
        offered.iter().filter(|d| !matches!(d, CommandDecision::Unknown(_))).cloned().collect();
    if !decisions.contains(&CommandDecision::Decline) {
        decisions.push(CommandDecision::Decline);
    }
    // What holds for this once stands before what lasts, so that a narrow window shows both yes and no.
    decisions.sort_by_key(|decision| match decision {
        CommandDecision::Accept => 0,
        CommandDecision::Decline => 1,
        CommandDecision::Cancel => 2,
        _ => 3,
    });
    decisions
        .into_iter()
        .map(|decision| (decision_label(&decision), Answer::Command(decision.clone()), decision_note(&decision)))
        .collect()
}

fn decision_label(decision: &CommandDecision) -> String {
    match decision {
        CommandDecision::Accept => "Accept".to_owned(),
        CommandDecision::AcceptForSession => "Accept for this session".to_owned(),
        CommandDecision::AcceptWithExecpolicyAmendment { execpolicy_amendment } => {
            format!(
                "Accept, and always allow commands that begin with: {}",
                untrusted::one_line(&execpolicy_amendment.join(" "))
            )
        }
        CommandDecision::ApplyNetworkPolicyAmendment { network_policy_amendment: rule } => {
            format!("Always {} {}", untrusted::one_line(&rule.action), untrusted::one_line(&rule.host))
        }
        CommandDecision::Decline => "Decline".to_owned(),
        CommandDecision::Cancel => "Cancel".to_owned(),
        CommandDecision::Unknown(_) => "An answer this version does not know".to_owned(),
    }
}

fn decision_note(decision: &CommandDecision) -> &'static str {
    match decision {
        CommandDecision::Accept => "Runs it once",
        CommandDecision::AcceptForSession => "The same command is not asked again in this session",
        CommandDecision::AcceptWithExecpolicyAmendment { .. } | CommandDecision::ApplyNetworkPolicyAmendment { .. } => {
            "Changes a rule of the server"
        }
        CommandDecision::Decline => "The turn goes on without it",
        CommandDecision::Cancel => "Also stops the turn",
        CommandDecision::Unknown(_) => "",
    }
}

fn file_answers() -> Vec<Choice> {
    [
        ("Accept", FileChangeDecision::Accept, "Applies it once"),
        ("Decline", FileChangeDecision::Decline, "The turn goes on without it"),
        ("Cancel", FileChangeDecision::Cancel, "Also stops the turn"),
        (
            "Accept for this session",
            FileChangeDecision::AcceptForSession,
            "Changes like this are not asked again in this session",
        ),
    ]
    .map(|(label, decision, note)| (label.to_owned(), Answer::FileChange(decision), note))
    .into()
}

fn diffs<'a>(app: &'a App, id: iced::window::Id, item: Option<&'a ThreadItem>) -> Element<'a, Message> {
    let look = RowLook { theme: app.theme(), scale: app.transcript_scale(), window: id, key: 0, part: Part::default() };
    match item {
        Some(ThreadItem::FileChange { changes, .. }) => {
            let files = changes.iter().map(|change| super::row::diff(look, change, 60));
            kit::full(column(files).spacing(GAP)).padding([8, 12]).style(style::code).into()
        }
        Some(_) | None => {
            row![kit::small("The diff is not known here. Decline if you are not sure.").style(style::warn)]
                .align_y(Alignment::Center)
                .into()
        }
    }
}
