//! Saved connections and command-line targets as the engine's profiles.

use std::path::{Path, PathBuf};

use crate::cli;
use crate::contract::Target;
use crate::engine::input::Profile;
use crate::settings::{self, Connection};

use super::App;

impl App {
    /// What the command line wants to connect to.
    pub(super) fn first_profile(&mut self, target: Option<cli::Target>) -> Option<Profile> {
        match target? {
            cli::Target::Codex(program) => {
                let Some(program) = program.or_else(|| self.codex()) else {
                    self.settings_notes.push("No Codex was found on this computer.".to_owned());
                    return None;
                };
                Some(local("Local Codex", program, self.default_cwd.clone()))
            }
            cli::Target::Server { url, token_file, ca_file } => {
                let name = url::Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
                Some(Profile {
                    name: name.unwrap_or_else(|| "Server".to_owned()),
                    target: Target::WebSocket { url, token_file, ca_file },
                    cwd: self.default_cwd.clone(),
                })
            }
            cli::Target::Profile(name) => {
                let saved = self.profiles.get(&name).cloned();
                if saved.is_none() {
                    self.settings_notes.push(format!("There is no saved connection named \u{201c}{name}\u{201d}."));
                }
                self.saved_profile(&saved?)
            }
            cli::Target::Demo(scenario) => Some(demo(scenario)),
        }
    }

    /// A saved connection; `None` if it needs a Codex and there is none, or it is disabled.
    pub(super) fn saved_profile(&mut self, profile: &settings::Profile) -> Option<Profile> {
        if !profile.enabled {
            self.settings_notes.push(format!("The connection \u{201c}{}\u{201d} is disabled.", profile.name));
            return None;
        }
        match &profile.connection {
            Connection::Local { codex, cwd } => {
                let Some(program) = codex.clone().or_else(|| self.codex()) else {
                    self.settings_notes.push("No Codex was found on this computer.".to_owned());
                    return None;
                };
                let cwd = cwd.as_ref().map(|cwd| cwd.display().to_string()).or_else(|| self.default_cwd.clone());
                Some(local(&profile.name, program, cwd))
            }
            Connection::Remote { url, token_file, ca_file } => Some(Profile {
                name: profile.name.clone(),
                target: Target::WebSocket {
                    url: url.clone(),
                    token_file: token_file.clone(),
                    ca_file: ca_file.clone(),
                },
                cwd: self.default_cwd.clone(),
            }),
        }
    }

    /// The Codex of the settings, else the one that is found.
    fn codex(&self) -> Option<PathBuf> {
        self.settings.codex.clone().or_else(|| self.found.first().map(|found| PathBuf::from(&found.path)))
    }
}

/// A Codex on this computer.
pub(super) fn local(name: &str, program: PathBuf, cwd: Option<String>) -> Profile {
    let start = cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_dir()).map(Path::to_owned);
    Profile { name: name.to_owned(), target: Target::Stdio { program, cwd: start }, cwd }
}

/// The built-in demo, labelled as such wherever a profile shows.
pub(super) fn demo(scenario: String) -> Profile {
    Profile { name: "Demo".to_owned(), target: Target::Demo { scenario }, cwd: None }
}
