//! Starting: settings, profiles, the first window, the first connection.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iced::{Size, Task, window};

use crate::a11y::{self, Bridge};
use crate::cli;
use crate::engine::{Config, Engine, Intent};
use crate::settings::{Profiles, Settings, Store, codex};
use crate::ui::Message;
use crate::ui::clock::{self, Clock, VirtualTime};
use crate::ui::effect::Links;
use crate::ui::page::Page;
use crate::ui::rows::Parsed;
use crate::ui::system::System;
use crate::ui::theme::{Palette, Theme};
use crate::ui::window::Window;

use super::App;
use super::shown::Shown;

/// The size of a first window.
const FIRST_SIZE: Size = Size::new(1024.0, 760.0);
/// Narrower than this nothing is cut, lower than this the composer still shows.
const LEAST_SIZE: Size = Size::new(320.0, 400.0);

/// How the program starts.
#[derive(Debug, Clone)]
pub struct Options {
    pub start: cli::Start,
    /// The window's size instead of the remembered one (`drive --size`).
    pub size: Option<Size>,
    /// Shared with whoever reads the tree.
    pub bridge: Bridge,
    /// Nothing of this machine decides what is drawn: no remembered size, no search for Codex.
    pub hermetic: bool,
    /// The contrast palette that a hermetic program takes the platform to have.
    pub palette: Option<Palette>,
    /// Instead of real time; with the demo.
    pub time: Option<VirtualTime>,
}

/// UUIDs that count.
fn counted_ids() -> impl FnMut() -> String {
    let mut last = 0_u128;
    move || {
        last += 1;
        uuid::Builder::from_random_bytes(last.to_be_bytes()).into_uuid().to_string()
    }
}

impl App {
    /// The first state; the task opens the first window.
    pub fn boot(options: Options) -> (Self, Task<Message>) {
        let clock = Clock::new(options.time.clone());
        let mut notes = Vec::new();
        let store = match Store::open(options.start.settings.clone()) {
            Ok(store) => Some(store),
            Err(error) => {
                notes.push(error.to_string());
                None
            }
        };
        let settings: Settings = load(store.as_ref(), &mut notes);
        let profiles: Profiles = load(store.as_ref(), &mut notes);
        let config = match options.time {
            None => Config {
                new_id: Box::new(|| uuid::Uuid::new_v4().to_string()),
                time_text: Box::new(clock::time_of_day),
                jitter: Box::new(fastrand::f64),
            },
            // The same run has the same ids and waits.
            Some(_) => Config {
                new_id: Box::new(counted_ids()),
                time_text: Box::new(clock::time_of_day),
                jitter: Box::new(|| 0.5),
            },
        };
        let now = clock.now();
        let size = options.size.or(settings.window.map(|size| Size::new(size.width as f32, size.height as f32)));
        let mut app = Self {
            engine: Engine::new(config, now),
            clock,
            now,
            links: Links::new(options.time),
            bridge: options.bridge,
            windows: BTreeMap::new(),
            store,
            settings,
            profiles,
            settings_notes: notes,
            found: if options.hermetic { Vec::new() } else { codex::find() },
            theme: Theme::light(),
            system: if options.hermetic { System { palette: options.palette, still: false } } else { System::read() },
            hermetic: options.hermetic,
            theme_override: options.start.theme,
            mode: iced::theme::Mode::Light,
            parsed: Parsed::default(),
            shown: Shown::default(),
            cards: BTreeMap::new(),
            default_cwd: options.start.cwd.as_ref().map(|cwd| cwd.display().to_string()),
            alarm: 0,
            worker_pid: None,
            stamp: None,
        };
        app.retheme();
        let size = Size::new(
            size.unwrap_or(FIRST_SIZE).width.max(LEAST_SIZE.width),
            size.unwrap_or(FIRST_SIZE).height.max(LEAST_SIZE.height),
        );
        let (id, open) = window::open(window::Settings {
            size,
            min_size: Some(LEAST_SIZE),
            // The accessibility adapter must be attached before the window is seen.
            visible: false,
            exit_on_close_request: false,
            ..window::Settings::default()
        });
        let connect = app.first_profile(options.start.target);
        let page = if connect.is_some() { Page::Chat } else { Page::Connect };
        app.windows.insert(id, Window::new(page, size));
        app.refresh();
        let mut tasks = vec![open.map(Message::Opened), iced::system::theme().map(Message::SystemTheme)];
        if let Some(profile) = connect {
            tasks.push(app.intent(id, Intent::Connect(profile)));
        }
        (app, Task::batch(tasks))
    }

    /// The window is there and hidden: attach the adapter, then show it.
    pub(super) fn opened(&mut self, id: window::Id) -> Task<Message> {
        let bridge = self.bridge.clone();
        window::run(id, move |window| a11y::adapter::attach(&bridge, window))
            .map(|()| Message::Done)
            .chain(window::set_mode(id, window::Mode::Windowed))
    }

    /// The platform's settings may have changed while another window had the focus.
    pub(super) fn reread_system(&mut self) {
        if self.hermetic {
            return;
        }
        let system = System::read();
        if self.system != system {
            self.system = system;
            self.retheme();
        }
    }

    /// Chooses the theme anew.
    pub(super) fn retheme(&mut self) {
        use crate::settings::Theme as Wanted;
        use crate::ui::theme::Choice;
        let choice = match self.theme_override.unwrap_or(self.settings.theme) {
            Wanted::System => Choice::System,
            Wanted::Light => Choice::Light,
            Wanted::Dark => Choice::Dark,
            Wanted::HighContrast => Choice::HighContrast,
        };
        self.theme = choice.resolve(self.mode, self.system.palette.as_ref());
        self.shown.look = self.shown.look.wrapping_add(1);
        self.refresh_rows();
    }
}

fn load<D: crate::settings::Document>(store: Option<&Store>, notes: &mut Vec<String>) -> D {
    let Some(store) = store else { return D::default() };
    match store.load::<D>() {
        Ok(loaded) => {
            notes.extend(loaded.notices.iter().map(ToString::to_string));
            loaded.value
        }
        Err(error) => {
            notes.push(error.to_string());
            D::default()
        }
    }
}

/// A path typed by the user, if any.
pub(super) fn path(text: &str) -> Option<PathBuf> {
    (!text.trim().is_empty()).then(|| PathBuf::from(text.trim()))
}
