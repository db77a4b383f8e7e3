//! The connection page: the Codex that was found, saved profiles, a form for local and remote.

use std::path::PathBuf;

use iced::widget::{column, container, row, scrollable};
use iced::{Alignment, Length};

use crate::settings::{Connection, Profile, endpoint};
use crate::ui::message::{ConnectForm, Field, Local};
use crate::ui::page::Page;
use crate::ui::theme::style;
use crate::ui::view::kit::{self, GAP, INSET};
use crate::ui::widget::{self, Element, Look};
use crate::ui::window::Window;
use crate::ui::{App, Message, font};

/// What is typed on the page.
#[derive(Debug, Clone, Default)]
pub struct Form {
    pub remote: bool,
    pub name: String,
    pub program: String,
    pub directory: String,
    pub url: String,
    pub token_file: String,
    pub ca_file: String,
    /// Why the form cannot be used, after a press.
    pub error: Option<String>,
}

impl Form {
    /// Fills the form from a profile.
    pub fn load(&mut self, profile: &Profile) {
        let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        *self = Self { name: profile.name.clone(), ..Self::default() };
        match &profile.connection {
            Connection::Local { codex, cwd } => {
                self.program = text(codex);
                self.directory = text(cwd);
            }
            Connection::Remote { url, token_file, ca_file } => {
                self.remote = true;
                self.url.clone_from(url);
                self.token_file = text(token_file);
                self.ca_file = text(ca_file);
            }
        }
    }

    /// The form as a profile.
    ///
    /// # Errors
    /// What is wrong, in words that name the field.
    pub fn profile(&self) -> Result<Profile, String> {
        let path = |text: &str| (!text.trim().is_empty()).then(|| PathBuf::from(text.trim()));
        let connection = if self.remote {
            endpoint(&self.url).map_err(|why| format!("Address: {why}"))?;
            Connection::Remote {
                url: self.url.trim().to_owned(),
                token_file: path(&self.token_file),
                ca_file: path(&self.ca_file),
            }
        } else {
            Connection::Local { codex: path(&self.program), cwd: path(&self.directory) }
        };
        let name = match (self.name.trim(), self.remote) {
            ("", true) => {
                endpoint(&self.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
            }
            ("", false) => "Local Codex".to_owned(),
            (name, _) => name.to_owned(),
        };
        Ok(Profile::new(name, connection))
    }

    /// Applies an edit; `None` if the press is not an edit of the form.
    pub fn edit(&mut self, change: &ConnectForm) -> Option<()> {
        let (slot, text) = match change {
            ConnectForm::Remote(remote) => {
                self.remote = *remote;
                return Some(());
            }
            ConnectForm::Browsed(field, path) => {
                let Some(path) = path else { return Some(()) };
                (self.slot(*field), path.display().to_string())
            }
            ConnectForm::Name(text) => (&mut self.name, text.clone()),
            ConnectForm::Program(text) => (&mut self.program, text.clone()),
            ConnectForm::Directory(text) => (&mut self.directory, text.clone()),
            ConnectForm::Url(text) => (&mut self.url, text.clone()),
            ConnectForm::TokenFile(text) => (&mut self.token_file, text.clone()),
            ConnectForm::CaFile(text) => (&mut self.ca_file, text.clone()),
            _ => return None,
        };
        *slot = text;
        self.error = None;
        Some(())
    }

    fn slot(&mut self, field: Field) -> &mut String {
        match field {
            Field::Program => &mut self.program,
            Field::Directory => &mut self.directory,
            Field::TokenFile => &mut self.token_file,
            Field::CaFile => &mut self.ca_file,
        }
    }
}

/// The page.
pub fn view<'a>(app: &'a App, id: iced::window::Id, window: &'a Window) -> Element<'a, Message> {
    let mut content = column![head(app, id)].spacing(20).padding(20).max_width(640);
    content = content.push(quick(app, id));
    if !app.profiles().list.is_empty() {
        content = content.push(saved(app, id));
    }
    content = content.push(form(id, &window.connect));
    kit::pane(
        "pane-connect",
        "Connection",
        container(scrollable(container(content).center_x(Length::Fill))).height(Length::Fill).style(style::ground),
    )
}

fn press(id: iced::window::Id, form: ConnectForm) -> Message {
    Message::Local(id, Local::Connect(form))
}

fn head<'a>(app: &'a App, id: iced::window::Id) -> Element<'a, Message> {
    let mut line = row![kit::heading("connect-heading", 1, "Connect to Codex"), kit::grow()]
        .spacing(GAP)
        .align_y(Alignment::Center);
    if app.engine().banner().profile.is_some() {
        line = line.push(kit::plain("connect-back", "Back to the chat", Message::Local(id, Local::Go(Page::Chat))));
    } else {
        line = line.push(kit::flat("connect-settings", "Settings", Message::Local(id, Local::Go(Page::Settings))));
    }
    let promise = "When the connection dies, nothing you typed is lost and nothing is sent twice.";
    column![line, kit::small(promise)].spacing(4).into()
}

/// The one press that works: the Codex that was found, else the demo.
fn quick<'a>(app: &'a App, id: iced::window::Id) -> Element<'a, Message> {
    let content: Element<'a, Message> = match app.found_codex().first() {
        Some(found) => column![
            kit::words(font::STRONG, "Codex is installed here"),
            kit::small(format!("{} (found in {})", found.path, found.place)),
            kit::buttons([
                kit::primary("connect-found", "Connect to this Codex", Some(press(id, ConnectForm::UseFound(found.path.clone())))),
                kit::flat("connect-demo", "Try the demo", press(id, ConnectForm::Demo)),
            ]),
        ]
        .spacing(GAP)
        .into(),
        None => column![
            kit::words(font::STRONG, "No Codex was found on this computer"),
            kit::small("Install it with: npm install -g @openai/codex. Then come back here. Or look around in the demo: a scripted server inside Rejoin, nothing leaves this computer."),
            kit::buttons([
                kit::primary("connect-demo", "Try the demo", Some(press(id, ConnectForm::Demo))),
                kit::plain("connect-look-again", "Look again", Message::Local(id, Local::Go(Page::Connect))),
            ]),
        ]
        .spacing(GAP)
        .into(),
    };
    kit::full(content).padding(16).style(style::card).into()
}

fn saved<'a>(app: &'a App, id: iced::window::Id) -> Element<'a, Message> {
    let rows = app.profiles().list.iter().map(|profile| {
        let place = match &profile.connection {
            Connection::Local { codex, .. } => codex.as_ref().map_or_else(
                || "local \u{b7} the Codex that is found".to_owned(),
                |path| format!("local \u{b7} {}", path.display()),
            ),
            Connection::Remote { url, .. } => {
                format!("remote \u{b7} {} \u{b7} Preview", crate::base::redact::redact(url))
            }
        };
        let name = profile.name.clone();
        let use_it = kit::button(
            format!("profile-{name}-use"),
            "Connect",
            Look::Secondary,
            Some(press(id, ConnectForm::Use(name.clone()))),
        );
        let edit = kit::button(
            format!("profile-{name}-edit"),
            "Edit",
            Look::Flat,
            Some(press(id, ConnectForm::Edit(name.clone()))),
        );
        let forget = kit::button(
            format!("profile-{name}-forget"),
            "Remove",
            Look::Flat,
            Some(press(id, ConnectForm::Forget(name.clone()))),
        );
        let words = column![kit::words(font::STRONG, name.clone()), kit::small(place)].width(Length::Fill);
        let actions = kit::buttons([
            use_it.description(name.clone()).into(),
            edit.description(name.clone()).into(),
            forget.description(name.clone()).into(),
        ]);
        kit::full(column![words, actions].spacing(GAP)).padding(INSET).style(style::card).into()
    });
    column![kit::heading("connect-saved", 2, "Saved connections"), column(rows).spacing(GAP)].spacing(GAP).into()
}

fn form<'a>(id: iced::window::Id, form: &'a Form) -> Element<'a, Message> {
    let kinds = row![
        widget::radio("connect-local", "On this computer", !form.remote, press(id, ConnectForm::Remote(false))),
        widget::radio(
            "connect-remote",
            "A running server (Preview)",
            form.remote,
            press(id, ConnectForm::Remote(true))
        ),
    ]
    .spacing(16)
    .wrap()
    .vertical_spacing(kit::TIGHT);
    let mut content = column![kit::heading("connect-new", 2, "Another connection"), kinds].spacing(INSET);
    content = content.push(text(id, "connect-name", "Name", &form.name, ConnectForm::Name));
    if form.remote {
        content = content
            .push(text(id, "connect-url", "Address, for example wss://host.example", &form.url, ConnectForm::Url))
            .push(path(
                id,
                "connect-token",
                "Bearer token file",
                &form.token_file,
                ConnectForm::TokenFile,
                Field::TokenFile,
            ))
            .push(path(
                id,
                "connect-ca",
                "Additional CA certificate file (PEM)",
                &form.ca_file,
                ConnectForm::CaFile,
                Field::CaFile,
            ))
            .push(kit::small("The token is read from the file when connecting and is stored nowhere else."));
    } else {
        content = content
            .push(path(
                id,
                "connect-program",
                "Codex program (empty: the one that is found)",
                &form.program,
                ConnectForm::Program,
                Field::Program,
            ))
            .push(path(
                id,
                "connect-directory",
                "Directory of new conversations",
                &form.directory,
                ConnectForm::Directory,
                Field::Directory,
            ));
    }
    if let Some(error) = &form.error {
        content = content.push(kit::alert("connect-error", error, kit::body(error.as_str()).style(style::bad)));
    }
    content = content.push(kit::buttons([
        kit::plain("connect-now", "Connect", press(id, ConnectForm::ConnectNow)),
        kit::plain("connect-save", "Save", press(id, ConnectForm::Save)),
    ]));
    content.into()
}

fn text<'a>(
    id: iced::window::Id,
    key: &'static str,
    label: &'static str,
    value: &'a str,
    make: fn(String) -> ConnectForm,
) -> Element<'a, Message> {
    column![
        kit::small(label),
        Element::from(widget::text_field(key, label, value, move |text| press(id, make(text))).placeholder(""))
    ]
    .spacing(2)
    .into()
}

fn path<'a>(
    id: iced::window::Id,
    key: &'static str,
    label: &'static str,
    value: &'a str,
    make: fn(String) -> ConnectForm,
    field: Field,
) -> Element<'a, Message> {
    let browse =
        kit::button(format!("{key}-browse"), "Browse", Look::Secondary, Some(press(id, ConnectForm::Browse(field))))
            .description(label);
    column![
        kit::small(label),
        row![
            Element::from(widget::text_field(key, label, value, move |text| press(id, make(text))).placeholder("")),
            Element::from(browse)
        ]
        .spacing(GAP)
        .align_y(Alignment::Center)
    ]
    .spacing(2)
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_becomes_a_profile_or_says_what_is_wrong() {
        let mut form = Form { remote: true, url: "ws://far.example".into(), ..Form::default() };
        assert!(form.profile().unwrap_err().starts_with("Address: "));
        form.edit(&ConnectForm::Url("wss://far.example/x".into())).unwrap();
        let profile = form.profile().unwrap();
        assert_eq!(profile.name, "far.example");
        let mut again = Form::default();
        again.load(&profile);
        assert_eq!((again.remote, again.url.as_str()), (true, "wss://far.example/x"));
    }
}
