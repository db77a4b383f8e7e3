//! The settings page: what the user prefers, saved at once.

use iced::Length;
use iced::widget::{column, container, row, scrollable};

use crate::settings::{Motion, SendKey, Theme};
use crate::ui::message::{Local, SettingsChange};
use crate::ui::theme::style;
use crate::ui::view::kit::{self, GAP};
use crate::ui::widget::{self, Element};
use crate::ui::window::Window;
use crate::ui::{App, Message};

/// The page.
pub fn view<'a>(app: &'a App, id: iced::window::Id, window: &'a Window) -> Element<'a, Message> {
    let settings = app.settings();
    let change = move |change| Message::Local(id, Local::Settings(change));
    let themes = [
        (Theme::System, "As the system"),
        (Theme::Light, "Light"),
        (Theme::Dark, "Dark"),
        (Theme::HighContrast, "High contrast"),
    ];
    let motions = [(Motion::System, "As the system"), (Motion::On, "Reduced"), (Motion::Off, "Full")];
    let keys = [
        (SendKey::CtrlEnter, "Ctrl+Enter sends, Enter starts a line"),
        (SendKey::Enter, "Enter sends, Shift+Enter starts a line"),
    ];
    let zoom = |label: &'static str,
                key: &'static str,
                percent: u16,
                make: fn(i16) -> SettingsChange|
     -> Element<'a, Message> {
        row![
            kit::body(format!("{label}: {percent}\u{a0}%")).width(Length::Fill),
            kit::button(format!("{key}-out"), "Smaller", widget::Look::Secondary, Some(change(make(-10))))
                .description(label),
            kit::button(format!("{key}-in"), "Larger", widget::Look::Secondary, Some(change(make(10))))
                .description(label),
        ]
        .spacing(GAP)
        .align_y(iced::Alignment::Center)
        .into()
    };
    let content = column![
        row![
            kit::heading("settings-heading", 1, "Settings"),
            kit::grow(),
            kit::plain("settings-done", "Done", Message::Local(id, Local::Back))
        ]
        .align_y(iced::Alignment::Center),
        kit::select(
            "settings-theme",
            "Theme",
            themes.map(|(theme, words)| (theme, words.to_owned())),
            Some(settings.theme),
            move |theme| change(SettingsChange::Theme(theme)),
        ),
        zoom("Size of everything", "settings-zoom", settings.zoom, SettingsChange::Zoom),
        zoom(
            "Size of the conversation's text",
            "settings-transcript",
            settings.transcript_zoom,
            SettingsChange::TranscriptZoom
        ),
        kit::select(
            "settings-send",
            "Send key",
            keys.map(|(key, words)| (key, words.to_owned())),
            Some(settings.send_key),
            move |key| change(SettingsChange::SendKey(key)),
        ),
        kit::select(
            "settings-motion",
            "Motion",
            motions.map(|(motion, words)| (motion, words.to_owned())),
            Some(settings.reduced_motion),
            move |motion| change(SettingsChange::Motion(motion)),
        ),
        column![
            kit::small("Codex program (empty: the one that is found)"),
            row![
                Element::from(
                    widget::text_field(
                        "settings-codex",
                        "Codex program (empty: the one that is found)",
                        &window.codex,
                        move |path| { change(SettingsChange::Codex(path)) }
                    )
                    .on_submit(change(SettingsChange::CodexDone))
                ),
                kit::plain("settings-codex-save", "Save", change(SettingsChange::CodexDone)),
            ]
            .spacing(GAP)
            .align_y(iced::Alignment::Center),
        ]
        .spacing(2),
        kit::small(app.settings_place()),
    ]
    .spacing(16)
    .padding(20)
    .max_width(640);
    kit::pane(
        "pane-settings",
        "Settings",
        container(scrollable(container(content).center_x(Length::Fill))).height(Length::Fill).style(style::ground),
    )
}
