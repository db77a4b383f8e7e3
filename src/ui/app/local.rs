//! What concerns one window: pages, editors, dialogs, forms, settings.

use iced::widget::text_editor;
use iced::{Task, clipboard, window};

use crate::engine::view::ConversationKey;
use crate::engine::{Input, Intent};
use crate::markdown::SafeUrl;
use crate::settings::{Profiles, Settings, WindowSize, codex};
use crate::ui::Message;
use crate::ui::message::{ConnectForm, Field, Local, SettingsChange};
use crate::ui::page::Page;
use crate::ui::rows::row_of;
use crate::ui::view::history;
use crate::ui::widget::{self, HistoryView};
use crate::ui::window::{Dialog, Notice, Viewing, Window};

use super::App;
use super::boot::path;
use super::profile::{demo, local};

impl App {
    pub(super) fn local(&mut self, id: window::Id, message: Local) -> Task<Message> {
        let key = self.composer_key().clone();
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        match message {
            Local::Go(page) => return self.go(id, page),
            Local::Back => return self.back(id),
            Local::Compose(action) => return self.compose(id, &key, action),
            Local::ComposeText(text) => {
                window.editors.entry(key.clone()).or_default().content = text_editor::Content::with_text(&text);
                return self.step(Input::User(Intent::Edit { conversation: key, text }));
            }
            Local::Composing(composing) => window.editors.entry(key).or_default().composing = composing,
            Local::Search(text) => {
                return self.search(id, text);
            }
            Local::SearchSubmit => return self.search_submit(id),
            Local::ShowPicker => {
                return self.choose(id);
            }
            Local::PickerStep(down) => return self.step_choice(id, down),
            Local::PickerType(text) => return self.type_in_picker(id, &text),
            Local::PickerOpen(key) => return self.open_row(id, key),
            Local::Find(query) => return self.find(id, query),
            Local::FindStep(next) => return self.step_find(id, next),
            Local::FindClose => return self.close_find(id),
            Local::Fold(key) => {
                if !window.unfolded.remove(&key) {
                    window.unfolded.insert(key);
                }
                self.refresh_rows();
            }
            Local::JumpToLatest => {
                window.viewing.at_end = true;
                return widget::jump_to_end(history::LIST);
            }
            Local::Viewing(HistoryView { first, last, at_end, active, focused }) => {
                window.viewing = Viewing { last, at_end, active, focused };
                return self.step(Input::User(Intent::Viewing { first: row_of(first), last: row_of(last), at_end }));
            }
            Local::Copy(text) => {
                self.bridge.announce(false, "Copied");
                return clipboard::write(text);
            }
            Local::CopyRow(key) => return self.copy_row(key),
            Local::AskLink(url) => window.dialog = SafeUrl::parse(&url).map(Dialog::Link),
            Local::OpenLink(url) => {
                window.dialog = None;
                if let Err(error) = open::that_detached(url.as_str()) {
                    window.notice = Some(Notice { text: format!("The link could not be opened: {error}") });
                }
            }
            Local::Answer(request, answer) => return self.step(Input::User(Intent::Answer { request, answer })),
            Local::AskDiscard(draft) => window.dialog = Some(Dialog::Discard(draft)),
            Local::AskClose => return self.close_requested(id),
            Local::QuitNow => return self.quit(id),
            Local::Connect(form) => return self.connect_form(id, form),
            Local::ToggleDetails => window.details = !window.details,
            Local::DismissNotice => {
                window.notice = None;
                if let Some(newest) = self.engine.banner().notices.last() {
                    window.notices_seen = newest.at;
                }
                self.settings_notes.clear();
            }
            Local::OpenMenu(menu) => window.menu = if window.menu == Some(menu) { None } else { Some(menu) },
            Local::Settings(change) => return self.change_settings(id, change),
            Local::Notice(notice) => window.notice = Some(notice),
        }
        Task::none()
    }

    fn go(&mut self, id: window::Id, page: Page) -> Task<Message> {
        if page == Page::Connect {
            self.found = codex::find();
        }
        let codex = self.settings.codex.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        if let Some(window) = self.windows.get_mut(&id) {
            window.page = page;
            window.menu = None;
            window.codex = codex;
        }
        Task::none()
    }

    /// Closes the top-most thing; never stops a turn.
    pub(super) fn back(&mut self, id: window::Id) -> Task<Message> {
        let has_profile = self.engine.banner().profile.is_some();
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        if window.dialog.take().is_some() || window.menu.take().is_some() {
            return Task::none();
        }
        if window.page != Page::Chat {
            window.page = if has_profile { Page::Chat } else { Page::Connect };
            return Task::none();
        }
        if window.find.is_some() {
            return self.close_find(id);
        }
        self.leave_picker(id)
    }

    fn compose(&mut self, id: window::Id, key: &ConversationKey, action: text_editor::Action) -> Task<Message> {
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        let editor = window.editors.entry(key.clone()).or_default();
        let edits = action.is_edit();
        editor.content.perform(action);
        if !edits {
            return Task::none();
        }
        let text = editor.content.text();
        self.step(Input::User(Intent::Edit { conversation: key.clone(), text }))
    }

    fn connect_form(&mut self, id: window::Id, form: ConnectForm) -> Task<Message> {
        let Some(window) = self.windows.get_mut(&id) else { return Task::none() };
        if window.connect.edit(&form).is_some() {
            return Task::none();
        }
        match form {
            ConnectForm::Browse(field) => return browse(id, field),
            ConnectForm::Demo => return self.intent(id, Intent::Connect(demo(crate::cli::DEMO.to_owned()))),
            ConnectForm::UseFound(program) => {
                let profile = local("Local Codex", program.into(), self.default_cwd.clone());
                return self.intent(id, Intent::Connect(profile));
            }
            ConnectForm::Use(name) => {
                let saved = self.profiles.get(&name).cloned();
                if let Some(profile) = saved.and_then(|saved| self.saved_profile(&saved)) {
                    return self.intent(id, Intent::Connect(profile));
                }
                self.form_error(id);
            }
            ConnectForm::Edit(name) => {
                if let Some(profile) = self.profiles.get(&name).cloned() {
                    window.connect.load(&profile);
                }
            }
            ConnectForm::Forget(name) => return self.edit_profiles(id, |profiles| profiles.remove(&name)),
            ConnectForm::Save => match window.connect.profile() {
                Ok(profile) => return self.edit_profiles(id, |profiles| profiles.put(profile)),
                Err(why) => window.connect.error = Some(why),
            },
            ConnectForm::ConnectNow => match window.connect.profile() {
                Ok(profile) => {
                    if let Some(profile) = self.saved_profile(&profile) {
                        return self.intent(id, Intent::Connect(profile));
                    }
                    self.form_error(id);
                }
                Err(why) => window.connect.error = Some(why),
            },
            // The other variants are edits and were applied above.
            _ => {}
        }
        Task::none()
    }

    /// Shows the newest note beside the form.
    fn form_error(&mut self, id: window::Id) {
        let note = self.settings_notes.pop();
        if let Some(window) = self.windows.get_mut(&id) {
            window.connect.error = note;
        }
    }

    fn edit_profiles(&mut self, id: window::Id, change: impl FnOnce(&mut Profiles)) -> Task<Message> {
        let Some(store) = &self.store else {
            self.form_error(id);
            return Task::none();
        };
        let used = self.engine.banner().profile.map(|profile| profile.name.clone());
        let before = used.as_ref().and_then(|name| self.profiles.get(name).cloned());
        match store.edit(change) {
            Ok(loaded) => self.profiles = loaded.value,
            Err(error) => {
                if let Some(window) = self.windows.get_mut(&id) {
                    window.connect.error = Some(error.to_string());
                }
            }
        }
        let after = used.as_ref().and_then(|name| self.profiles.get(name).cloned());
        // Nothing may be connected by itself with settings that the user did not connect with.
        if before == after { Task::none() } else { self.step(Input::User(Intent::ProfileEdited)) }
    }

    fn change_settings(&mut self, id: window::Id, change: SettingsChange) -> Task<Message> {
        let typed = self.windows.get(&id).map(|window| window.codex.clone()).unwrap_or_default();
        match change {
            SettingsChange::Codex(path) => {
                if let Some(window) = self.windows.get_mut(&id) {
                    window.codex = path;
                }
            }
            SettingsChange::CodexDone => self.edit_settings(|settings| settings.codex = path(&typed)),
            SettingsChange::Theme(theme) => {
                self.theme_override = None;
                self.edit_settings(|settings| settings.theme = theme);
            }
            SettingsChange::Zoom(by) => return self.zoom_by(by),
            SettingsChange::TranscriptZoom(by) => {
                self.edit_settings(|settings| settings.transcript_zoom = zoomed(settings.transcript_zoom, by))
            }
            SettingsChange::SendKey(key) => self.edit_settings(|settings| settings.send_key = key),
            SettingsChange::Motion(motion) => self.edit_settings(|settings| settings.reduced_motion = motion),
        }
        Task::none()
    }

    /// Zooms by percent; 0 resets.
    pub(super) fn zoom_by(&mut self, by: i16) -> Task<Message> {
        let before = self.zoom();
        self.edit_settings(|settings| settings.zoom = zoomed(settings.zoom, by));
        // No event tells: the same window now has room for less, or for more.
        let factor = before / self.zoom();
        for window in self.windows.values_mut() {
            window.size = iced::Size::new(window.size.width * factor, window.size.height * factor);
        }
        Task::none()
    }

    /// Saves one change; it holds for this run even where it cannot be saved.
    fn edit_settings(&mut self, change: impl Fn(&mut Settings)) {
        change(&mut self.settings);
        if let Some(store) = &self.store
            && let Err(error) = store.edit::<Settings>(&change)
        {
            self.settings_notes.push(error.to_string());
        }
        self.retheme();
    }

    /// One honest question if closing loses something.
    pub(super) fn close_requested(&mut self, id: window::Id) -> Task<Message> {
        let losses = self.losses();
        match self.windows.get_mut(&id) {
            Some(window) if !losses.is_empty() && window.dialog.is_none() => {
                window.dialog = Some(Dialog::Close(losses));
                Task::none()
            }
            Some(_) | None => self.quit(id),
        }
    }

    fn losses(&self) -> Vec<String> {
        let mut losses = Vec::new();
        let running = self.picker().rows.iter().filter(|row| row.running).count();
        let local = self.engine.banner().profile.is_some_and(|profile| !profile.is_remote());
        if running > 0 && local {
            losses.push("A turn is running. Closing ends it.".to_owned());
        }
        let unsent = self.picker().rows.iter().filter(|row| row.draft).count();
        if unsent > 0 || !self.composer().text.is_empty() || !self.engine.drafts().is_empty() {
            losses.push("Text that was not sent is kept in memory only. Closing loses it.".to_owned());
        }
        if !self.unsettled().is_empty() {
            losses.push("Operations wait for your review. Closing forgets them.".to_owned());
        }
        if self.picker().rows.iter().any(|row| row.needs_you) {
            losses.push("A request of the server waits for your answer.".to_owned());
        }
        losses
    }

    fn quit(&mut self, id: window::Id) -> Task<Message> {
        if let Some(Window { size, .. }) = self.windows.get(&id) {
            let size = WindowSize { width: size.width as u32, height: size.height as u32 };
            if let Some(store) = &self.store
                && let Err(error) = store.edit::<Settings>(|settings| settings.window = Some(size))
            {
                eprintln!("rejoin: the window's size was not saved: {error}");
            }
        }
        let disconnect = self.step(Input::User(Intent::Disconnect));
        Task::batch([disconnect, window::close(id)])
    }

    /// Where settings lie and what there is to say about them.
    pub fn settings_place(&self) -> String {
        let place =
            self.store.as_ref().map_or_else(String::new, |store| format!("Saved in {}. ", store.dir().display()));
        format!("{place}Drafts, history and tokens are never written to disk. {}", self.settings_notes.join(" "))
    }

    /// Facts about the program and the server, for the menu.
    pub fn facts(&self) -> String {
        let own = format!("Rejoin {}", env!("CARGO_PKG_VERSION"));
        match self.engine.server() {
            Some(server) => {
                let process = server.pid.map_or_else(String::new, |pid| format!(" \u{b7} process {pid}"));
                format!("{own} \u{b7} Codex {}{process}", crate::markdown::untrusted::one_line(&server.version))
            }
            None => own,
        }
    }
}

fn zoomed(percent: u16, by: i16) -> u16 {
    let next = if by == 0 { 100 } else { percent.saturating_add_signed(by) };
    next.clamp(*Settings::ZOOM.start(), *Settings::ZOOM.end())
}

/// The platform's file dialog; the typed path beside it is the keyboard alternative.
fn browse(id: window::Id, field: Field) -> Task<Message> {
    let dialog = window::run(id, move |window| {
        let dialog = rfd::AsyncFileDialog::new().set_parent(&window);
        match field {
            Field::Directory => futures_util::future::Either::Left(dialog.pick_folder()),
            Field::Program | Field::TokenFile | Field::CaFile => {
                futures_util::future::Either::Right(dialog.pick_file())
            }
        }
    });
    dialog.then(Task::future).map(move |picked| {
        let path = picked.map(|handle| handle.path().to_owned());
        Message::Local(id, Local::Connect(ConnectForm::Browsed(field, path)))
    })
}
