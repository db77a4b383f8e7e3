//! Saved connections: where a Codex runs and how to reach it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use url::{Host, Url};

use super::store::{Document, Notice, field};

/// All profiles, in the order the user sees them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profiles {
    /// Name of the profile that is offered first.
    pub selected: Option<String>,
    /// The profiles; names are unique, the first of two wins.
    pub list: Vec<Profile>,
    /// Entries this version does not understand; written back as they were.
    kept: Vec<Value>,
}

/// One saved connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Profile {
    /// Display name and identity.
    pub name: String,
    /// A disabled profile is shown and never connected.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// The file's revision when this profile last changed: two equal revisions are the same profile.
    /// Set by saving.
    #[serde(default)]
    pub revision: u64,
    /// Where it leads.
    #[serde(flatten)]
    pub connection: Connection,
    /// Keys of another version; written back as they were.
    #[serde(skip)]
    rest: Table,
}

/// Where a profile leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Connection {
    /// A `codex app-server` that Rejoin starts.
    Local {
        /// The program; absent: the one that is found.
        codex: Option<PathBuf>,
        /// Directory of new conversations.
        cwd: Option<PathBuf>,
    },
    /// A server that is already running.
    Remote {
        /// `wss://`, or `ws://` to this machine ([`endpoint`]).
        url: String,
        /// File with the bearer token. The content is read by the worker when it connects and stored nowhere.
        token_file: Option<PathBuf>,
        /// PEM certificates trusted in addition to the platform's.
        ca_file: Option<PathBuf>,
    },
}

impl Profile {
    /// A new, enabled profile.
    pub fn new(name: impl Into<String>, connection: Connection) -> Self {
        Self { name: name.into(), enabled: true, revision: 0, connection, rest: Table::new() }
    }
}

impl Profiles {
    /// The profile of that name.
    pub fn get(&self, name: &str) -> Option<&Profile> {
        self.list.iter().find(|profile| profile.name == name)
    }

    /// Adds a profile, or replaces the one with its name. Equal content keeps the revision.
    pub fn put(&mut self, profile: Profile) {
        match self.list.iter_mut().find(|old| old.name == profile.name) {
            Some(old) => *old = Profile { rest: std::mem::take(&mut old.rest), revision: old.revision, ..profile },
            None => self.list.push(profile),
        }
    }

    /// Removes the profile of that name, and the selection if it was selected.
    pub fn remove(&mut self, name: &str) {
        self.list.retain(|profile| profile.name != name);
        self.selected.take_if(|selected| selected == name);
    }
}

impl Document for Profiles {
    const FILE: &'static str = "profiles.toml";

    fn read(table: &Table, notices: &mut Vec<Notice>) -> Self {
        let mut profiles = Self { selected: field(table, Self::FILE, "selected", None, notices), ..Self::default() };
        for entry in field::<Vec<Value>>(table, Self::FILE, "profile", Vec::new(), notices) {
            match read_profile(&entry) {
                Some(profile) if profiles.get(&profile.name).is_none() => profiles.list.push(profile),
                Some(_) | None => {
                    let name = entry.get("name").and_then(Value::as_str).unwrap_or("without a name").to_owned();
                    notices.push(Notice::Profile { name });
                    profiles.kept.push(entry);
                }
            }
        }
        profiles
    }

    fn write(&mut self, before: &Self, table: &mut Table, revision: u64) -> Result<(), toml::ser::Error> {
        if self.selected != before.selected {
            match &self.selected {
                Some(name) => table.insert("selected".into(), Value::String(name.clone())),
                None => table.remove("selected"),
            };
        }
        for profile in &mut self.list {
            let unchanged = before.get(&profile.name).is_some_and(|old| old == profile);
            if !unchanged {
                profile.revision = revision;
            }
        }
        let mut entries = self.list.iter().map(write_profile).collect::<Result<Vec<_>, _>>()?;
        entries.extend(self.kept.iter().cloned());
        // A `profile` key that is no list belongs to another version; it stays until there is one of ours.
        if !entries.is_empty() || table.get("profile").is_some_and(Value::is_array) {
            table.insert("profile".into(), Value::Array(entries));
        }
        Ok(())
    }
}

/// Checks the address of a server.
///
/// # Errors
/// What is wrong with it, in words: `wss` goes anywhere, `ws` to this machine only (the token would
/// cross the network readable), and a token belongs in the token file, not in the address.
pub fn endpoint(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|_| "not an address; an example is wss://host.example:443".to_owned())?;
    let loopback = match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => return Err("the address names no host".into()),
    };
    match url.scheme() {
        "wss" => {}
        "ws" if loopback => {}
        "ws" => return Err("ws:// is for this machine only; use wss:// to another one".into()),
        other => return Err(format!("{other}:// is not a WebSocket; use wss://, or ws:// on this machine")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("user name and password do not belong in the address; use a token file".into());
    }
    if url.fragment().is_some() {
        return Err("the part after # does not belong in the address".into());
    }
    Ok(url)
}

fn enabled() -> bool {
    true
}

fn read_profile(entry: &Value) -> Option<Profile> {
    let mut profile: Profile = entry.clone().try_into().ok()?;
    let known = Table::try_from(&profile).ok()?;
    profile.rest = entry.as_table()?.clone();
    profile.rest.retain(|key, _| !known.contains_key(key));
    (!profile.name.trim().is_empty()).then_some(profile)
}

fn write_profile(profile: &Profile) -> Result<Value, toml::ser::Error> {
    let mut table = profile.rest.clone();
    table.extend(Table::try_from(profile)?);
    Ok(Value::Table(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_accepted_or_refused_in_words() {
        for good in
            ["wss://host.example", "wss://10.0.0.1:8443/x", "ws://127.0.0.1:4000", "ws://[::1]:1", "ws://localhost:2"]
        {
            assert!(endpoint(good).is_ok(), "{good}: {:?}", endpoint(good));
        }
        for (bad, word) in [
            ("", "not an address"),
            ("host.example", "not an address"),
            ("ws://host.example", "this machine only"),
            ("ws://127.0.0.1.host.example", "this machine only"),
            ("https://host.example", "not a WebSocket"),
            ("wss://me:secret@host.example", "token file"),
            ("wss://host.example/#x", "after #"),
        ] {
            assert!(endpoint(bad).unwrap_err().contains(word), "{bad}: {:?}", endpoint(bad));
        }
    }

    #[test]
    fn removing_the_selected_profile_clears_the_selection() {
        let mut profiles = Profiles { selected: Some("a".into()), ..Profiles::default() };
        profiles.put(Profile::new("a", Connection::Local { codex: None, cwd: None }));
        profiles.put(Profile::new("b", Connection::Local { codex: None, cwd: None }));
        profiles.remove("b");
        assert_eq!(profiles.selected.as_deref(), Some("a"));
        profiles.remove("a");
        assert_eq!((profiles.selected, profiles.list.len()), (None, 0));
    }
}
