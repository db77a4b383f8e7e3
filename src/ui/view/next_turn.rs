//! Model, reasoning, approval policy, sandbox and directory of the next turn, and where to change them.

use iced::Alignment;
use iced::widget::{column, row};

use super::kit::{self, GAP};
use crate::engine::Intent;
use crate::engine::view::{Conversation, ConversationKey, NextTurn};
use crate::markdown::untrusted;
use crate::protocol::settings::{ApprovalPolicy, SandboxMode, SandboxPolicy};
use crate::ui::message::{Local, Menu};
use crate::ui::widget::{self, Element, Look};
use crate::ui::window::Window;
use crate::ui::{App, Message, font};

/// The directory field's id.
pub const DIRECTORY: &str = "next-directory";

/// The line above the composer; a press opens the choices.
pub fn view<'a>(
    _app: &'a App,
    id: iced::window::Id,
    window: &'a Window,
    conversation: &'a Conversation,
) -> Element<'a, Message> {
    let next = &conversation.next_turn;
    let open = window.menu == Some(Menu::Model);
    let known = [
        next.model.clone(),
        next.effort.clone(),
        next.approval.as_ref().map(|policy| approval_words(policy).to_owned()),
        next.sandbox.as_ref().map(|policy| sandbox_words(policy).to_owned()),
        next.cwd.as_deref().map(untrusted::one_line),
    ];
    let local = matches!(conversation.key, ConversationKey::Local(_));
    let mut facts: Vec<String> = match &known {
        [None, None, None, None, None] if local => vec!["Model, policy and directory are the server's own".to_owned()],
        [None, None, None, None, None] => vec!["Model and policy are known after Join".to_owned()],
        _ => known.into_iter().flatten().collect(),
    };
    if local && next.cwd.is_none() && facts.len() > 1 {
        facts.push("the server's own directory".to_owned());
    }
    if next.chosen {
        facts.push("for the next turn only".to_owned());
    }
    let change = kit::button(
        "next-change",
        if open { "Done" } else { "Change" },
        Look::Flat,
        Some(Message::Local(id, Local::OpenMenu(Menu::Model))),
    )
    .expanded(open);
    let words = facts.join(" \u{b7} ");
    // In a low window one line, whole in the tree.
    let (words, change): (Element<'a, Message>, _) = if window.is_low() {
        (iced::widget::container(kit::one_line(font::SMALL, words)).width(iced::Length::Fill).into(), change.low())
    } else {
        let words = kit::small(words).width(iced::Length::Fill);
        (words.wrapping(iced::widget::text::Wrapping::WordOrGlyph).into(), change)
    };
    let line = row![words, Element::from(change)].spacing(GAP).align_y(Alignment::Center);
    if !open {
        return line.into();
    }
    column![line, choices(id, conversation, next)].spacing(GAP).into()
}

fn choices<'a>(id: iced::window::Id, conversation: &'a Conversation, next: &'a NextTurn) -> Element<'a, Message> {
    let efforts = next
        .models
        .iter()
        .find(|model| Some(&model.model) == next.model.as_ref())
        .map(|model| model.supported_reasoning_efforts.as_slice())
        .unwrap_or_default();
    let mut content = column![kit::select(
        "next-model",
        "Model",
        next.models.iter().map(|model| (model.model.clone(), untrusted::one_line(&model.display_name))),
        next.model.clone(),
        move |model| Message::Do(id, Intent::SetModel { model: Some(model), effort: None }),
    ),]
    .spacing(GAP);
    if !efforts.is_empty() {
        let model = next.model.clone();
        content = content.push(kit::select(
            "next-effort",
            "Reasoning",
            efforts
                .iter()
                .map(|effort| (effort.reasoning_effort.clone(), untrusted::one_line(&effort.reasoning_effort))),
            next.effort.clone(),
            move |effort| Message::Do(id, Intent::SetModel { model: model.clone(), effort: Some(effort) }),
        ));
    }
    let approvals = ["untrusted", "on-request", "never"];
    content = content.push(kit::select(
        "next-approval",
        "Approval",
        approvals.map(|name| (name.to_owned(), capital(named_policy_words(name)))),
        match &next.approval {
            Some(ApprovalPolicy::Named(name)) => Some(name.clone()),
            Some(ApprovalPolicy::Granular(_)) | None => None,
        },
        move |name| Message::Do(id, Intent::SetApproval(Some(ApprovalPolicy::Named(name)))),
    ));
    let sandboxes = [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite, SandboxMode::DangerFullAccess];
    content = content.push(kit::select(
        "next-sandbox",
        "Sandbox",
        sandboxes.map(|mode| (mode, mode_words(mode).to_owned())),
        next.sandbox.as_ref().and_then(mode_of),
        move |mode| Message::Do(id, Intent::SetSandbox(Some(mode))),
    ));
    if matches!(conversation.key, ConversationKey::Local(_)) {
        let cwd = next.cwd.as_deref().unwrap_or_default();
        content = content.push(widget::text_field(DIRECTORY, "Directory on the server", cwd, move |cwd| {
            Message::Do(id, Intent::SetCwd(cwd))
        }));
    }
    content.into()
}

/// As a choice of its own, not in the middle of a line.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// When the server asks, in words.
pub fn approval_words(policy: &ApprovalPolicy) -> &'static str {
    match policy {
        ApprovalPolicy::Named(name) => named_policy_words(name),
        ApprovalPolicy::Granular(_) => "asks by its own rules",
    }
}

fn named_policy_words(name: &str) -> &'static str {
    match name {
        "untrusted" => "asks before untrusted commands",
        "on-request" => "asks when the model requests it",
        "never" => "never asks",
        _ => "an approval policy this version does not know",
    }
}

/// What commands may touch, in words.
pub fn sandbox_words(policy: &SandboxPolicy) -> &'static str {
    match policy {
        SandboxPolicy::ReadOnly { network_access: false } => "read only",
        SandboxPolicy::ReadOnly { network_access: true } => "read only, with network",
        SandboxPolicy::WorkspaceWrite { network_access: false, .. } => "may write in the workspace",
        SandboxPolicy::WorkspaceWrite { network_access: true, .. } => "may write in the workspace, with network",
        SandboxPolicy::DangerFullAccess => "full access, no sandbox",
        SandboxPolicy::ExternalSandbox => "an external sandbox",
        SandboxPolicy::Unknown => "a sandbox this version does not know",
    }
}

fn mode_words(mode: SandboxMode) -> &'static str {
    match mode {
        SandboxMode::ReadOnly => "Read only",
        SandboxMode::WorkspaceWrite => "May write in the workspace",
        SandboxMode::DangerFullAccess => "Full access, no sandbox",
    }
}

fn mode_of(policy: &SandboxPolicy) -> Option<SandboxMode> {
    match policy {
        SandboxPolicy::ReadOnly { .. } => Some(SandboxMode::ReadOnly),
        SandboxPolicy::WorkspaceWrite { .. } => Some(SandboxMode::WorkspaceWrite),
        SandboxPolicy::DangerFullAccess => Some(SandboxMode::DangerFullAccess),
        SandboxPolicy::ExternalSandbox | SandboxPolicy::Unknown => None,
    }
}
