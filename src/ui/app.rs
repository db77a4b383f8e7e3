//! The state of the program and the one place where messages change it.

mod boot;
mod choose;
mod find;
mod jump;
mod local;
mod profile;
mod shown;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use iced::widget::text_editor::{Action, Motion as Caret};
use iced::{Subscription, Task, event, keyboard, window};

use crate::a11y::Bridge;
use crate::base::{Now, OpId, RequestId, Stamp, ThreadId};
use crate::contract::Event;
use crate::engine::input::Focus;
use crate::engine::view::{Composer, Connection, Conversation, ConversationKey, Picker, Review};
use crate::engine::{Engine, Input, Intent, Output};
use crate::link::LinkEvent;
use crate::settings::{Motion, Profiles, Settings, Store, codex};

use super::clock::Clock;
use super::effect::{self, Links};
use super::page::Page;
use super::rows::{Parsed, Part};
use super::shortcut::Shortcut;
use super::system::System;
use super::theme::Theme;
use super::view::{composer, history, picker};
use super::widget::{self, RowKey};
use super::window::{Choosing, Dialog, Viewing, Window};
use super::{Message, page, view};

pub use boot::Options;
use jump::Stop;

/// The program.
pub struct App {
    engine: Engine,
    clock: Clock,
    now: Now,
    links: Links,
    bridge: Bridge,
    windows: BTreeMap<window::Id, Window>,
    store: Option<Store>,
    settings: Settings,
    profiles: Profiles,
    /// Words about files that could not be read or saved.
    settings_notes: Vec<String>,
    found: Vec<codex::Found>,
    theme: Theme,
    /// The platform's contrast and motion.
    system: System,
    /// Nothing of the machine is asked for (`drive`).
    hermetic: bool,
    theme_override: Option<crate::settings::Theme>,
    mode: iced::theme::Mode,
    parsed: Parsed,
    shown: shown::Shown,
    /// When each open card was first drawn, for arming.
    cards: BTreeMap<RequestId, crate::base::Instant>,
    default_cwd: Option<String>,
    alarm: u64,
    worker_pid: Option<u32>,
    /// The generation whose composers the editors hold.
    stamp: Option<Stamp>,
}

impl App {
    /// One message changes the state; what the engine asks for becomes a task.
    pub fn update(&mut self, message: Message) -> Task<Message> {
        self.now = self.clock.now();
        let task = self.on(message);
        if let Some(time) = self.clock.as_virtual() {
            time.publish(self.engine.poll_timeout(), self.links.open());
        }
        task
    }

    fn on(&mut self, message: Message) -> Task<Message> {
        match message {
            Message::LinkReady(bridge, sender) => {
                self.links.ready(bridge, sender);
                Task::none()
            }
            Message::Link(bridge, event) => {
                let input = match Arc::unwrap_or_clone(event) {
                    LinkEvent::Event { event: Event::Quiet { .. }, .. } => {
                        self.links.quiet(bridge);
                        return Task::none();
                    }
                    LinkEvent::Event { stamp, event } => {
                        if let Event::Hello { pid, .. } = event {
                            self.worker_pid = Some(pid);
                        }
                        Input::Worker { bridge, stamp, event }
                    }
                    LinkEvent::Gone(failure) => {
                        self.links.stop(bridge);
                        Input::WorkerGone { bridge, failure }
                    }
                };
                self.step(input)
            }
            Message::Elapsed => {
                self.links.advance();
                self.engine.handle_timeout(self.now);
                self.drain()
            }
            Message::Due => {
                self.engine.handle_timeout(self.now);
                self.drain()
            }
            Message::Do(id, intent) => self.intent(id, intent),
            Message::Local(id, local) => self.local(id, local),
            Message::Shortcut(id, shortcut) => self.shortcut(id, shortcut),
            Message::SystemTheme(mode) => {
                self.mode = mode;
                self.reread_system();
                self.retheme();
                Task::none()
            }
            Message::Focused => {
                self.reread_system();
                Task::none()
            }
            Message::Opened(id) => self.opened(id),
            Message::CloseRequested(id) => self.close_requested(id),
            Message::Closed(id) => {
                self.windows.remove(&id);
                if self.windows.is_empty() { iced::exit() } else { Task::none() }
            }
            Message::Resized(id, size) => {
                if let Some(window) = self.windows.get_mut(&id) {
                    window.size = size;
                }
                Task::none()
            }
            Message::Tick | Message::Wake | Message::Done => Task::none(),
        }
    }

    /// Feeds the engine once and carries out what it wants.
    fn step(&mut self, input: Input) -> Task<Message> {
        self.engine.handle_input(self.now, input);
        self.drain()
    }

    fn drain(&mut self) -> Task<Message> {
        let mut tasks = Vec::new();
        while let Some(output) = self.engine.poll_output() {
            match output {
                Output::StartWorker { bridge } => {
                    if let Some(stamp) = self.engine.stamp() {
                        self.links.start(bridge, stamp);
                    }
                }
                Output::Send { bridge, stamp, request } => self.links.send(bridge, stamp, request),
                Output::StopWorker { bridge } => self.links.stop(bridge),
                Output::Announce { assertive, text } => self.bridge.announce(assertive, text),
                Output::Focus(Focus::Composer) => tasks.push(widget::focus(composer::FIELD)),
                Output::Focus(Focus::History) => tasks.push(widget::focus(history::LIST)),
                Output::Focus(Focus::Picker) => tasks.push(widget::focus(picker::SEARCH)),
                Output::ComposerReplaced { conversation, text } => self.replace_composers(&conversation, &text),
            }
        }
        self.refresh();
        tasks.push(self.open_answered());
        Task::batch(tasks)
    }

    fn replace_composers(&mut self, conversation: &ConversationKey, text: &str) {
        for window in self.windows.values_mut() {
            let editor = window.editors.entry(conversation.clone()).or_default();
            editor.content = iced::widget::text_editor::Content::with_text(text);
            // One goes on writing where the text ends.
            editor.content.perform(Action::Move(Caret::DocumentEnd));
        }
    }

    /// An intent, and what a window does beside it.
    fn intent(&mut self, id: window::Id, intent: Intent) -> Task<Message> {
        if let Some(window) = self.windows.get_mut(&id) {
            match &intent {
                Intent::Open(_) | Intent::OpenLocal(_) | Intent::OpenById(_) | Intent::New { .. } => {
                    window.picking = false;
                    window.choosing = Choosing::No;
                    window.find = None;
                    window.page = Page::Chat;
                    window.viewing = Viewing { last: 0, at_end: true, active: None, focused: false };
                    window.unfolded.clear();
                }
                Intent::Connect(_) | Intent::Reconnect => {
                    window.page = Page::Chat;
                    window.picking = true;
                    window.menu = None;
                }
                Intent::Disconnect => window.menu = None,
                Intent::Send => window.viewing.at_end = true,
                Intent::DiscardDraft(_) => window.dialog = None,
                // One pane: the composer that takes the text must be there to take the focus.
                Intent::RestoreDraft(_) => window.picking = false,
                _ => {}
            }
        }
        let intent = match intent {
            Intent::New { cwd: None } => Intent::New { cwd: self.default_cwd.clone() },
            intent => intent,
        };
        let jump = matches!(intent, Intent::Send);
        let task = self.step(Input::User(intent));
        if jump { Task::batch([task, widget::jump_to_end(history::LIST)]) } else { task }
    }

    fn shortcut(&mut self, id: window::Id, shortcut: Shortcut) -> Task<Message> {
        let connected = self.is_connected();
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        let composing = self.shown.composer_key.as_ref().and_then(|key| window.editors.get(key));
        if composing.is_some_and(|editor| editor.composing) {
            return Task::none();
        }
        match shortcut {
            Shortcut::Escape => self.back(id),
            Shortcut::Keys => {
                window.menu = None;
                window.dialog = if window.dialog == Some(Dialog::Keys) { None } else { Some(Dialog::Keys) };
                Task::none()
            }
            Shortcut::Picker | Shortcut::OpenById if connected => {
                window.page = Page::Chat;
                self.choose(id)
            }
            Shortcut::New if connected => self.intent(id, Intent::New { cwd: None }),
            Shortcut::Picker | Shortcut::OpenById | Shortcut::New => {
                window.page = Page::Connect;
                Task::none()
            }
            Shortcut::Find => self.open_find(id),
            Shortcut::FindNext => self.step_find(id, true),
            Shortcut::FindPrevious => self.step_find(id, false),
            Shortcut::Settings => {
                window.page = Page::Settings;
                Task::none()
            }
            Shortcut::ZoomIn => self.zoom_by(10),
            Shortcut::ZoomOut => self.zoom_by(-10),
            Shortcut::ZoomReset => self.zoom_by(0),
            Shortcut::Stop => self.step(Input::User(Intent::Interrupt)),
            Shortcut::JumpToLatest => {
                window.viewing.at_end = true;
                widget::jump_to_end(history::LIST)
            }
            Shortcut::PreviousMessage => self.jump(id, Stop::Message, false),
            Shortcut::NextMessage => self.jump(id, Stop::Message, true),
            Shortcut::PreviousTurn => self.jump(id, Stop::Turn, false),
            Shortcut::NextTurn => self.jump(id, Stop::Turn, true),
            Shortcut::WhereAmI => {
                let words = self.where_am_i(id);
                self.bridge.announce(false, words);
                Task::none()
            }
        }
    }

    /// The window `id`.
    pub fn view(&self, id: window::Id) -> widget::Element<'_, Message> {
        let Some(window) = self.windows.get(&id) else { return iced::widget::space::horizontal().into() };
        let page = match window.page {
            Page::Connect => page::connect::view(self, id, window),
            Page::Chat => page::chat::view(self, id, window),
            Page::Settings => page::settings::view(self, id, window),
        };
        let ground = iced::widget::container(page)
            .width(iced::Length::Fill)
            .height(iced::Length::Fill)
            .style(super::theme::style::ground);
        // The tree keeps its shape, so that nothing loses focus or scroll when a dialog opens.
        let dialog = window.dialog.as_ref().map_or_else(
            || iced::widget::space::horizontal().into(),
            |dialog| view::dialog::view(id, dialog, self.settings.send_key),
        );
        widget::root(iced::widget::stack![ground, dialog], &self.bridge, self.is_still())
    }

    /// The window's title.
    pub fn title(&self, _: window::Id) -> String {
        self.conversation().map_or_else(
            || "Rejoin".to_owned(),
            |open| format!("{} \u{2013} Rejoin", crate::markdown::untrusted::one_line(&open.title)),
        )
    }

    /// What the program listens to.
    pub fn subscription(&self) -> Subscription<Message> {
        let mut all = vec![
            self.links.subscription(),
            self.bridge.wakes().map(|_| Message::Wake),
            window::close_requests().map(Message::CloseRequested),
            window::close_events().map(Message::Closed),
            window::resize_events().map(|(id, size)| Message::Resized(id, size)),
            iced::system::theme_changes().map(Message::SystemTheme),
            event::listen_with(heard),
        ];
        if let Some(time) = self.clock.as_virtual() {
            all.push(time.moves().map(|_| Message::Elapsed));
            return Subscription::batch(all);
        }
        if let Some(due) = self.engine.poll_timeout() {
            all.push(effect::alarm(self.alarm, due.since(self.now.instant)));
        }
        if matches!(self.engine.banner().connection, Connection::Reconnecting { next: Some(_), .. }) {
            all.push(iced::time::every(Duration::from_millis(500)).map(|_| Message::Tick));
        }
        if self.has_unarmed_cards() {
            all.push(iced::time::every(Duration::from_millis(100)).map(|_| Message::Tick));
        }
        Subscription::batch(all)
    }

    fn has_unarmed_cards(&self) -> bool {
        self.cards.values().any(|seen| self.now.instant.since(*seen) < crate::base::limit::ARMING)
    }

    /// What the shell shows for `drive`: facts that a test can hold against the screen.
    pub fn facts_for_drive(&self) -> serde_json::Value {
        let banner = self.engine.banner();
        serde_json::json!({
            "connection": crate::engine::words::state(banner.connection, banner.profile).title,
            "generation": self.engine.stamp().map(|stamp| stamp.connection),
            "stale_dropped": self.engine.stale_dropped(),
            "worker_pid": self.worker_pid.filter(|_| self.engine.bridge().is_some()),
            "server_pid": self.engine.server().and_then(|server| server.pid),
            "server_version": self.engine.server().map(|server| server.version.clone()),
            "conversation": self.conversation().and_then(|open| open.thread.as_ref()).map(|thread| thread.id.to_string()),
            "quiet": self.engine.is_quiet(),
        })
    }
}

/// Keys that work everywhere, and the window's focus. What a widget took for itself stays its own, but for keys with Ctrl.
fn heard(event: iced::Event, status: event::Status, id: window::Id) -> Option<Message> {
    let event = match event {
        iced::Event::Keyboard(event) => event,
        iced::Event::Window(window::Event::Focused) => return Some(Message::Focused),
        // The first size at this zoom: what was asked for may not be what is there.
        iced::Event::Window(window::Event::Opened { size, .. }) => return Some(Message::Resized(id, size)),
        _ => return None,
    };
    let shortcut = Shortcut::of(&event)?;
    let taken = status == event::Status::Captured
        && matches!(event, keyboard::Event::KeyPressed { modifiers, .. } if modifiers.is_empty());
    (!taken || shortcut == Shortcut::Keys).then_some(Message::Shortcut(id, shortcut))
}

/// Accessors for the views.
impl App {
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn now(&self) -> Now {
        self.now
    }

    pub fn theme(&self) -> &Theme {
        &self.theme
    }

    /// The window's zoom as a factor.
    pub fn zoom(&self) -> f32 {
        f32::from(self.settings.zoom) / 100.0
    }

    /// The transcript's text size beside the zoom.
    pub fn transcript_scale(&self) -> f32 {
        f32::from(self.settings.transcript_zoom) / 100.0
    }

    /// Nothing moves, by the user's choice here or in the platform.
    fn is_still(&self) -> bool {
        match self.settings.reduced_motion {
            Motion::System => self.system.still,
            Motion::On => true,
            Motion::Off => false,
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Words about files that could not be read or saved.
    pub fn settings_notes(&self) -> &[String] {
        &self.settings_notes
    }

    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    pub fn found_codex(&self) -> &[codex::Found] {
        &self.found
    }

    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    pub fn picker(&self) -> &Picker {
        &self.shown.picker
    }

    pub fn picker_keys(&self) -> &[RowKey] {
        &self.shown.picker_keys
    }

    pub fn conversation(&self) -> Option<&Conversation> {
        self.shown.conversation.as_ref()
    }

    pub fn composer(&self) -> &Composer {
        &self.shown.composer
    }

    pub fn composer_key(&self) -> &ConversationKey {
        self.shown.composer_key.as_ref().unwrap_or(&crate::engine::OFFLINE)
    }

    pub fn other_reviews(&self) -> &[Review] {
        &self.shown.other_reviews
    }

    pub fn row_keys(&self) -> &[RowKey] {
        &self.shown.row_keys
    }

    /// What of the history the list shows at this place.
    pub fn part(&self, index: usize) -> Part {
        self.shown.parts[index]
    }

    /// Changes when every row must be built again (theme, text size).
    pub fn look_epoch(&self) -> u64 {
        self.shown.look
    }

    /// A row's name for a screen reader.
    pub fn row_label(&self, row: &crate::engine::view::Row, part: Part) -> String {
        view::row::label(&self.parsed, row, part)
    }

    /// How long a card has been on screen.
    pub fn card_age(&self, request: &RequestId) -> Duration {
        self.cards.get(request).map_or(Duration::ZERO, |seen| self.now.instant.since(*seen))
    }

    /// A server is connected.
    pub fn is_connected(&self) -> bool {
        self.engine.server().is_some()
    }

    /// Whether this thread is the open conversation.
    pub fn is_open(&self, thread: Option<&ThreadId>) -> bool {
        let open = self.conversation().and_then(|open| open.thread.as_ref()).map(|thread| &thread.id);
        thread.is_some() && open == thread
    }

    /// Operations the user must still look at before closing.
    fn unsettled(&self) -> Vec<OpId> {
        let own = self.conversation().into_iter().flat_map(|open| &open.reviews);
        own.chain(&self.shown.other_reviews).map(|review| review.op).collect()
    }
}
