//! The connection banner: state, endpoint, account, what can be done.

use iced::widget::{column, row};
use iced::{Alignment, Length};

use super::kit::{self, GAP, INSET};
use crate::engine::view::{AccountView, Connection, Conversation, Membership};
use crate::engine::words::{self, Button};
use crate::engine::{Intent, input::Profile};
use crate::protocol::Account;
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::page::Page;
use crate::ui::theme::style::{self, Kind};
use crate::ui::widget::{Element, Look};
use crate::ui::window::Window;
use crate::ui::{App, Message, clock};

/// Words of at most so many bytes leave room for a button in a narrow window.
const SHORT: usize = 48;

/// How a state looks beside its words and icon.
fn kind(connection: &Connection) -> Kind {
    match connection {
        Connection::Ready { .. } | Connection::AwaitingSelection { .. } => Kind::Ok,
        Connection::NotConnected | Connection::Connecting | Connection::Synchronizing { .. } => Kind::Plain,
        Connection::HistoryRefresh { .. }
        | Connection::Reconnecting { .. }
        | Connection::SignInRequired { .. }
        | Connection::ConfirmationRequired { .. } => Kind::Warn,
        Connection::ManualReconnect { .. } => Kind::Bad,
    }
}

/// The banner across the window.
pub fn view<'a>(app: &'a App, id: iced::window::Id, window: &'a Window) -> Element<'a, Message> {
    let banner = app.engine().banner();
    let state = words::state(banner.connection, banner.profile);
    let kind = kind(banner.connection);
    let details = window.details;
    let icon = kit::words(font::ICON, kit::icon(state.icon)).style(style::ink(kind));
    let mut title = row![kit::words(font::STRONG, state.title).style(style::ink(kind))].spacing(GAP);
    // Beside the state and outside of what is announced: a countdown is read when one looks for it.
    if let Some(progress) = words::progress(banner.connection, app.now().instant) {
        title = title.push(kit::body(progress));
    }
    if let Some(note) = app.conversation().and_then(reading_note) {
        title = title.push(kit::body(note));
    }
    let mut lines =
        column![title.wrap().vertical_spacing(0), kit::small(state.meaning.clone())].spacing(2).width(Length::Fill);
    if let Some(account) = account(banner.account) {
        lines = lines.push(kit::small(account));
    }
    if let Some(detail) = detail(banner.connection).filter(|_| details) {
        lines = lines.push(kit::words(font::CODE, detail));
    }
    let mut actions: Vec<Element<'a, Message>> = state
        .buttons
        .iter()
        // The list, or the empty place for a conversation, stands right below with one of its own.
        .filter(|button| **button != Button::NewConversation)
        .filter_map(|button| action(*button, id, banner.profile).map(|message| (button, message)))
        .map(|(button, message)| {
            let look = if state.buttons.first() == Some(button) { Look::Secondary } else { Look::Flat };
            kit::button(format!("banner-{}", button.label()), button.label(), look, Some(message)).into()
        })
        .collect();
    if detail(banner.connection).is_some() {
        actions.push(
            kit::button("banner-details", "Details", Look::Flat, Some(Message::Local(id, Local::ToggleDetails)))
                .expanded(details)
                .into(),
        );
    }
    // A history that is out of date says so with a Refresh of its own.
    if app.conversation().is_some_and(|c| {
        matches!(c.membership, Membership::ReadOnly { .. } | Membership::JoinFailed { .. }) && c.history.stale.is_none()
    }) {
        actions.push(kit::plain("banner-refresh", "Refresh", Message::Do(id, Intent::Refresh)));
    }
    // Words in a narrow window want its whole width.
    let short = state.meaning.len() < SHORT && actions.len() < 2;
    let beside = window.is_wide() || (short && !window.is_narrow());
    let actions = (!actions.is_empty()).then(|| kit::buttons(actions));
    let content: Element<'a, Message> = match (actions, beside) {
        (Some(actions), true) => {
            row![row![icon, lines].spacing(GAP), actions].spacing(INSET).align_y(Alignment::Start).into()
        }
        (Some(actions), false) => column![row![icon, lines].spacing(GAP), actions].spacing(GAP).into(),
        (None, _) => row![icon, lines].spacing(GAP).into(),
    };
    let surface = kit::full(content).padding([8.0, INSET]).style(style::banner(kind));
    kit::status(
        "connection-banner",
        state.title,
        column![surface, iced::widget::rule::horizontal(1).style(style::banner_line(kind))],
    )
}

/// "viewing history only, as of 14:03".
fn reading_note(conversation: &Conversation) -> Option<String> {
    match &conversation.membership {
        Membership::ReadOnly { as_of: Some(at) } => {
            Some(format!("Viewing history only, as of {}", clock::time_of_day(*at)))
        }
        Membership::JoinFailed { as_of: Some(at), .. } => {
            Some(format!("Join failed; viewing history only, as of {}", clock::time_of_day(*at)))
        }
        Membership::Joining => Some("Joining".to_owned()),
        Membership::ReadOnly { as_of: None }
        | Membership::JoinFailed { as_of: None, .. }
        | Membership::New
        | Membership::Joined => None,
    }
}

fn account(account: &AccountView) -> Option<String> {
    match account {
        AccountView::Unknown | AccountView::NotNeeded => None,
        AccountView::NotSignedIn => Some("Not signed in".to_owned()),
        AccountView::SignedIn(Account::Chatgpt { email: Some(email), plan_type }) => Some(match plan_type {
            Some(plan) => format!("Signed in as {email} ({plan})"),
            None => format!("Signed in as {email}"),
        }),
        AccountView::SignedIn(Account::ApiKey) => Some("Signed in with an API key; account not identified".to_owned()),
        AccountView::SignedIn(_) => Some("Signed in; account not identified".to_owned()),
    }
}

/// Technical text, on demand only.
fn detail(connection: &Connection) -> Option<String> {
    let failure = match connection {
        Connection::Reconnecting { failure, .. }
        | Connection::ManualReconnect { failure, .. }
        | Connection::ConfirmationRequired { failure } => failure,
        Connection::SignInRequired { cause: crate::engine::view::SignIn::Token(failure) } => failure,
        _ => return None,
    };
    let mut lines = Vec::new();
    if !failure.detail.is_empty() {
        lines.push(failure.detail.clone());
    }
    lines.extend(failure.stderr.iter().cloned());
    (!lines.is_empty()).then(|| crate::markdown::untrusted::terminal(&lines.join("\n")))
}

fn action(button: Button, id: iced::window::Id, profile: Option<&Profile>) -> Option<Message> {
    Some(match button {
        Button::Connect => match profile {
            Some(profile) => Message::Do(id, Intent::Connect(profile.clone())),
            None => Message::Local(id, Local::Go(Page::Connect)),
        },
        Button::ChooseProfile | Button::Review => Message::Local(id, Local::Go(Page::Connect)),
        Button::Cancel => Message::Do(id, Intent::CancelConnecting),
        Button::TryNow => Message::Do(id, Intent::TryNow),
        Button::NewConversation => Message::Do(id, Intent::New { cwd: None }),
        Button::Refresh => Message::Do(id, Intent::Refresh),
        Button::Reconnect | Button::CheckTokenAndReconnect => {
            profile?;
            Message::Do(id, Intent::Reconnect)
        }
    })
}
