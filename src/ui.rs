//! The window: one iced daemon, a function of the engine's state.
//!
//! [`app`] holds the state and turns messages into engine inputs, [`effect`] carries out what the
//! engine asks for, [`page`] are the pages, [`view`] the parts of the chat page. Everything is
//! keyed by window id, so that a second window can follow.

pub mod app;
mod clock;
mod effect;
pub mod font;
pub mod icons;
mod message;
mod page;
mod rows;
mod shortcut;
mod system;
pub mod theme;
mod view;
pub mod widget;
mod window;

pub use app::{App, Options};
pub use clock::VirtualTime;
pub use message::Message;

use std::process::ExitCode;

/// The program that the window and `drive` run.
pub fn program(options: Options) -> impl iced::Program<State = App, Message = Message, Theme = theme::Theme> {
    iced::daemon(move || App::boot(options.clone()), App::update, App::view)
        .title(App::title)
        .theme(|app: &App, _: iced::window::Id| Some(app.theme().clone()))
        .scale_factor(|app: &App, _: iced::window::Id| app.zoom())
        .subscription(App::subscription)
        .default_font(font::SANS)
}

/// Opens the window and returns when it is closed.
pub fn run(options: Options) -> ExitCode {
    font::install();
    let daemon = iced::daemon(move || App::boot(options.clone()), App::update, App::view)
        .title(App::title)
        .theme(|app: &App, _: iced::window::Id| Some(app.theme().clone()))
        .scale_factor(|app: &App, _: iced::window::Id| app.zoom())
        .subscription(App::subscription)
        .default_font(font::SANS);
    match daemon.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rejoin: the window could not be opened: {error}");
            ExitCode::FAILURE
        }
    }
}
