//! The chat page: banner, picker, history, cards, composer. One pane, or two when there is room.

use iced::widget::{column, container, row, scrollable};
use iced::{Alignment, Length};

use crate::engine::Intent;
use crate::engine::view::{Connection, Conversation};
use crate::markdown::untrusted;
use crate::ui::message::{Local, Menu};
use crate::ui::page::Page;
use crate::ui::shortcut::Shortcut;
use crate::ui::theme::Theme;
use crate::ui::theme::style::{self, Kind};
use crate::ui::view::kit::{self, GAP, INSET};
use crate::ui::view::{banner, card, composer, history, picker, review};
use crate::ui::widget::{self, Element, Look};
use crate::ui::window::Window;
use crate::ui::{App, Message, font};

/// Height of the news and of what needs eyes in a low window.
const LOW_NEWS: f32 = 88.0;
/// Width of the picker beside a conversation.
const PICKER: f32 = 288.0;

type Column<'a> = iced::widget::Column<'a, Message, Theme, widget::Renderer>;

/// The page.
pub fn view<'a>(app: &'a App, id: iced::window::Id, window: &'a Window) -> Element<'a, Message> {
    let wide = window.is_wide();
    let waiting = app.engine().needs_you().into_iter().filter(|waiting| !app.is_open(waiting.thread.as_ref()));
    let waiting = column(waiting.map(|waiting| needs_you(id, waiting)));
    let news = column![banner::view(app, id, window), notices(app, id, window), waiting];
    // In a low window the news scroll with what needs eyes, so that the composer keeps its height.
    let (news, low) = if window.is_low() { (column![], news) } else { (news, column![]) };
    let main: Element<'a, Message> = if wide {
        row![
            container(picker::view(app, id, window)).width(PICKER),
            iced::widget::rule::vertical(1),
            conversation(app, id, window, low)
        ]
        .into()
    } else if window.picking && app.is_connected() {
        column![low, picker::view(app, id, window)].into()
    } else {
        conversation(app, id, window, low)
    };
    // Each part has its place, also while it is empty: a part that comes must not take the focus of another.
    let menu = if window.menu == Some(Menu::Main) { column![menu(app, id), kit::line()] } else { column![] };
    column![bar(app, id, window, wide), kit::line(), menu, news, main].height(Length::Fill).into()
}

/// Title, where we are connected, the menu.
fn bar<'a>(app: &'a App, id: iced::window::Id, window: &'a Window, wide: bool) -> Element<'a, Message> {
    let title = app.conversation().map_or_else(|| "Rejoin".to_owned(), |open| untrusted::one_line(&open.title));
    let mut line = row![].spacing(GAP).align_y(Alignment::Center);
    if !wide && app.is_connected() {
        let (label, message) = if window.picking { ("Back", Local::Back) } else { ("List", Local::ShowPicker) };
        if !window.picking || app.conversation().is_some() {
            line = line.push(
                kit::button("bar-list", label, Look::Flat, Some(Message::Local(id, message)))
                    .description("Conversations"),
            );
        }
    }
    let words = kit::one_line(font::STRONG, title.clone());
    line = line.push(container(widget::heading("bar-title", 1, title, words)).width(Length::Fill));
    if let Some(profile) = app.engine().banner().profile.filter(|_| !window.is_narrow()) {
        let kind = match (profile.is_demo(), profile.is_remote()) {
            (true, _) => "demo".to_owned(),
            (_, true) => format!("remote \u{b7} {} \u{b7} Preview", untrusted::one_line(&profile.name)),
            (_, false) => "local".to_owned(),
        };
        line = line.push(kit::tag(kind));
    }
    let open = window.menu == Some(Menu::Main);
    line = line.push(
        kit::button("bar-menu", "Menu", Look::Flat, Some(Message::Local(id, Local::OpenMenu(Menu::Main))))
            .expanded(open),
    );
    kit::pane("pane-bar", "Window", kit::full(line).padding([6.0, INSET]).style(style::panel))
}

fn menu<'a>(app: &'a App, id: iced::window::Id) -> Element<'a, Message> {
    let mut items: Vec<Element<'a, Message>> =
        vec![kit::plain("menu-connection", "Connection", Message::Local(id, Local::Go(Page::Connect)))];
    if app.is_connected() {
        let restart = if app.engine().banner().profile.is_some_and(|profile| profile.is_remote()) {
            "Reconnect"
        } else {
            "Restart"
        };
        items.push(kit::plain("menu-restart", restart, Message::Do(id, Intent::Reconnect)));
        items.push(kit::plain("menu-disconnect", "Disconnect", Message::Do(id, Intent::Disconnect)));
    }
    items.push(kit::plain("menu-settings", "Settings", Message::Local(id, Local::Go(Page::Settings))));
    items.push(kit::plain("menu-keys", "Keys (F1)", Message::Shortcut(id, Shortcut::Keys)));
    let facts = app.facts();
    kit::group(
        "menu",
        "Menu",
        kit::full(column![kit::buttons(items), kit::small(facts)].spacing(GAP)).padding(INSET).style(style::panel),
    )
}

/// The newest words of the window itself, of the settings and of the server, until they are dismissed.
fn notices<'a>(app: &'a App, id: iced::window::Id, window: &'a Window) -> Element<'a, Message> {
    let unseen = app.engine().banner().notices.iter().filter(|notice| notice.at > window.notices_seen);
    let server = unseen.clone().next_back().map(|notice| {
        let details = notice.details.iter().map(String::as_str);
        let words = std::iter::once(notice.text.as_str()).chain(details).map(untrusted::one_line);
        (words.collect::<Vec<_>>().join(" "), unseen.count())
    });
    let mut lines: Vec<String> = window.notice.iter().map(|notice| notice.text.clone()).collect();
    lines.extend(app.settings_notes().last().cloned());
    lines.extend(server.map(|(words, count)| match count {
        1 => format!("From the server: {words}"),
        count => format!("From the server: {words} ({} more before it)", count - 1),
    }));
    if lines.is_empty() {
        return column![].into();
    }
    let label = lines.join(" ");
    let words = column(lines.into_iter().map(|line| kit::small(line).into())).spacing(2).width(Length::Fill);
    let dismiss = kit::flat("notices-dismiss", "Dismiss", Message::Local(id, Local::DismissNotice));
    let line = row![words, dismiss].spacing(GAP).align_y(Alignment::Center);
    kit::status("notices", label, kit::full(line).padding([2.0, INSET]).style(style::banner(Kind::Plain)))
}

fn needs_you<'a>(id: iced::window::Id, waiting: crate::engine::NeedsYou) -> Element<'a, Message> {
    let words = format!("\u{201c}{}\u{201d} needs you", untrusted::one_line(&waiting.title));
    let mut line = row![kit::body(words).width(Length::Fill)].spacing(GAP).align_y(Alignment::Center);
    if let Some(thread) = waiting.thread {
        line = line.push(kit::plain(
            format!("needs-{}", waiting.request),
            "Open it",
            Message::Do(id, Intent::Open(thread)),
        ));
    }
    kit::full(line).padding([6.0, INSET]).style(style::banner(Kind::Warn)).into()
}

fn conversation<'a>(app: &'a App, id: iced::window::Id, window: &'a Window, news: Column<'a>) -> Element<'a, Message> {
    let attention = attention(app, id, window, app.conversation());
    let (middle, attention): (Element<'a, Message>, _) = match (app.conversation(), attention) {
        (Some(open), attention) => (history::view(app, id, window, open), attention),
        // What is kept has all the room; while nothing is connected, the banner says the rest.
        (None, Some(attention)) => {
            let then =
                app.is_connected().then(|| container(empty_words(app, id)).center_x(Length::Fill).padding(INSET));
            (scrollable(column![attention].push(then)).spacing(0).into(), None)
        }
        (None, None) => (container(empty_words(app, id)).center(Length::Fill).padding(INSET).into(), None),
    };
    let middle = kit::pane("pane-history", "Conversation", container(middle).width(Length::Fill).height(Length::Fill));
    // What needs eyes never squeezes the composer: it scrolls in at most half of the height.
    let limit = match (window.is_low(), app.conversation()) {
        (true, Some(_)) => LOW_NEWS,
        (true, None) => LOW_NEWS + 40.0,
        (false, _) => (window.size.height / 2.0 - 60.0).max(120.0),
    };
    let attention = match (attention, window.is_low()) {
        (None, false) => column![],
        (attention, _) => {
            let content = scrollable(column![].push(attention).push(news)).spacing(0);
            let label = if window.is_low() { "Requests, kept texts and connection" } else { "Requests and kept texts" };
            // The line shows where it is cut.
            column![kit::group("attention", label, container(content).max_height(limit)), kit::line()]
        }
    };
    let composer = composer::view(app, id, window, app.composer_key(), app.composer(), app.conversation());
    column![attention, middle, kit::line(), composer].width(Length::Fill).into()
}

/// Kept drafts, operations to review and open cards, most urgent last (nearest to the composer).
fn attention<'a>(
    app: &'a App,
    id: iced::window::Id,
    window: &Window,
    open: Option<&'a Conversation>,
) -> Option<Element<'a, Message>> {
    let drafts = app.engine().drafts();
    let others = app.other_reviews();
    let mut content = column![].spacing(GAP).padding(INSET);
    let mut any = false;
    if !drafts.is_empty() {
        any = true;
        content = content.push(review::drafts(app, id, window.is_narrow(), drafts));
    }
    if !others.is_empty() {
        any = true;
        content = content.push(review::operations(id, others));
    }
    if let Some(open) = open {
        if !open.reviews.is_empty() {
            any = true;
            content = content.push(review::operations(id, &open.reviews));
        }
        if !open.cards.is_empty() {
            any = true;
            content = content.push(card::view(app, id, &open.cards));
        }
        if let crate::engine::view::Membership::JoinFailed { why, .. } = &open.membership {
            any = true;
            content = content.push(
                kit::full(kit::alert("join-failed", why, kit::body(why.as_str())))
                    .padding([GAP, INSET])
                    .style(style::notice(Kind::Warn)),
            );
        }
    }
    any.then(|| content.into())
}

/// What to do while no conversation is open.
fn empty_words<'a>(app: &'a App, id: iced::window::Id) -> Element<'a, Message> {
    let connection = app.engine().banner().connection;
    let (title, words, action): (&str, &str, Option<Element<'a, Message>>) = match connection {
        Connection::AwaitingSelection { .. } | Connection::Ready { .. } | Connection::HistoryRefresh { .. } => (
            "Choose a conversation",
            "Opening one only reads it. Joining is a step of its own.",
            Some(kit::primary("empty-new", "New conversation", Some(Message::Do(id, Intent::New { cwd: None })))),
        ),
        Connection::Connecting | Connection::Synchronizing { .. } => ("One moment", "The server is being read.", None),
        Connection::Reconnecting { .. } => {
            ("Connecting again", "Your texts are kept. Nothing is sent by itself.", None)
        }
        Connection::NotConnected
        | Connection::ManualReconnect { .. }
        | Connection::SignInRequired { .. }
        | Connection::ConfirmationRequired { .. } => {
            ("Nothing is connected", "What you type below is kept until you connect again.", None)
        }
    };
    let mut content = column![kit::words(font::HEADING, title).center(), kit::small(words).center()]
        .spacing(GAP)
        .align_x(Alignment::Center);
    if let Some(action) = action {
        content = content.push(action);
    }
    content.into()
}
