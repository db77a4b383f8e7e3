//! The small vocabulary of the pages: texts, tags, icons, buttons, spaces on a 4 px grid.

use iced::widget::{container, row, text};
use iced::{Alignment, Length};

use crate::ui::Message;
use crate::ui::font::{self, TextStyle};
use crate::ui::icons;
use crate::ui::theme::{Theme, style};
use crate::ui::widget::{self, Element, Live, Look, Pressable, Role};

/// Half of the grid's usual gap.
pub const TIGHT: f32 = 4.0;
/// The usual gap.
pub const GAP: f32 = 8.0;
/// The usual inset of a surface.
pub const INSET: f32 = 12.0;

type Text<'a> = iced::widget::Text<'a, Theme, widget::Renderer>;

/// Text in one of the named styles.
pub fn words<'a>(face: TextStyle, content: impl text::IntoFragment<'a>) -> Text<'a> {
    face.text(content)
}

/// Ordinary text.
pub fn body<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    words(font::BODY, content)
}

/// Text on one line, cut with "…" where the room ends.
pub fn one_line(face: TextStyle, content: impl Into<String>) -> widget::OneLine {
    widget::one_line(content, face.size, face.line, face.font)
}

/// Secondary text.
pub fn small<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    words(font::SMALL, content).style(style::dim)
}

/// A heading that a screen reader can jump to.
pub fn heading<'a>(id: &'static str, level: usize, content: &'a str) -> Element<'a, Message> {
    let face = if level == 1 { font::TITLE } else { font::HEADING };
    widget::heading(id, level, content, words(face, content)).into()
}

/// Selectable text.
pub fn plain_text<'a>(content: impl Into<String>, face: TextStyle) -> Element<'a, Message> {
    widget::plain(content, face.size, face.line, face.font)
}

/// A region that is read politely when its label changes.
pub fn status<'a>(
    id: &'static str,
    label: impl Into<String>,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    widget::live(id, Live::Polite, label, content).into()
}

/// A region that is read at once when its label changes.
pub fn alert<'a>(
    id: &'static str,
    label: impl Into<String>,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    widget::live(id, Live::Assertive, label, content).into()
}

/// A named group of controls.
pub fn group<'a>(
    id: impl Into<String>,
    label: impl Into<String>,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    widget::group(id.into(), label, content).into()
}

/// A part that F6 goes to.
pub fn pane<'a>(
    id: &'static str,
    label: &'static str,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    widget::pane(id, label, content).into()
}

/// A labelled choice of one of several values; without one the server decides.
pub fn select<'a, T: PartialEq + Clone + 'a>(
    id: &'static str,
    label: &'static str,
    choices: impl IntoIterator<Item = (T, String)>,
    chosen: Option<T>,
    message: impl Fn(T) -> Message + 'a,
) -> Element<'a, Message> {
    let (values, names): (Vec<T>, Vec<String>) = choices.into_iter().unzip();
    let at = chosen.and_then(|chosen| values.iter().position(|value| *value == chosen));
    let control = widget::select(id, label, names, at, move |index| {
        values.get(index).map_or(Message::Done, |value| message(value.clone()))
    })
    .unchosen("The server's own");
    iced::widget::column![small(label), Element::from(control)].spacing(2).into()
}

/// A short word with an edge.
pub fn tag<'a>(content: impl text::IntoFragment<'a>) -> Element<'a, Message> {
    container(words(font::CAPTION, content).style(style::dim)).padding([2, 6]).style(style::tag).into()
}

/// The icon of a state, always beside a word.
pub fn icon(name: &str) -> String {
    let icon = match name {
        "ready" => icons::CHECK,
        "connecting" | "sync" => icons::REFRESH,
        "warning" => icons::WARNING,
        "key" => icons::KEY,
        "shield" => icons::SHIELD,
        "list" => icons::LIST,
        "offline" => icons::OFFLINE,
        _ => icons::INFO,
    };
    icon.to_string()
}

/// A button with a visible name.
pub fn button<'a>(id: impl Into<String>, label: &'a str, look: Look, press: Option<Message>) -> Pressable<'a, Message> {
    let face = if look == Look::Primary { font::LABEL_STRONG } else { font::LABEL };
    press_with(id, label, words(face, label)).look(look).on_press_maybe(press)
}

/// A button whose content is more than its name.
pub fn press_with<'a>(
    id: impl Into<String>,
    label: impl Into<String>,
    content: impl Into<Element<'a, Message>>,
) -> Pressable<'a, Message> {
    widget::pressable(id.into(), Role::Button, label, content)
}

/// An ordinary button.
pub fn plain<'a>(id: impl Into<String>, label: &'a str, press: Message) -> Element<'a, Message> {
    button(id, label, Look::Secondary, Some(press)).into()
}

/// A quiet button.
pub fn flat<'a>(id: impl Into<String>, label: &'a str, press: Message) -> Element<'a, Message> {
    button(id, label, Look::Flat, Some(press)).into()
}

/// The one main button of a place.
pub fn primary<'a>(id: impl Into<String>, label: &'a str, press: Option<Message>) -> Element<'a, Message> {
    button(id, label, Look::Primary, press).into()
}

/// Buttons that wrap when the window is narrow.
pub fn buttons<'a>(items: impl IntoIterator<Item = Element<'a, Message>>) -> Element<'a, Message> {
    row(items).spacing(GAP).align_y(Alignment::Center).wrap().vertical_spacing(GAP).into()
}

/// A thin line across.
pub fn line<'a>() -> Element<'a, Message> {
    iced::widget::rule::horizontal(1).into()
}

/// Takes the free width.
pub fn grow<'a>() -> Element<'a, Message> {
    iced::widget::space::horizontal().into()
}

/// Fills the width it is given.
pub fn full<'a>(
    content: impl Into<Element<'a, Message>>,
) -> iced::widget::Container<'a, Message, Theme, widget::Renderer> {
    container(content).width(Length::Fill)
}
