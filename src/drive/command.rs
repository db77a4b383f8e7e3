//! One line of input as a command. Unknown fields and commands, and two commands in one line, are errors.

use std::time::Duration;

use serde::Deserialize;

use super::key::Chord;
use super::tree::Node;

/// Bytes of one line of input; a longer one is answered with an error and skipped.
pub const LINE: usize = 1 << 20;
/// The longest that `wait` waits and that `advance` moves time at once.
pub const LONGEST: Duration = Duration::from_secs(86_400);
/// How long `wait` waits when the line does not say.
const WAIT: Duration = Duration::from_secs(5);
/// The widest and highest window.
const SIDE: u16 = 8_192;

/// A command.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Press and release a chord.
    Key(Chord),
    /// Type a text key by key.
    Type(String),
    /// Put a text into the clipboard and press Ctrl+V.
    Paste(String),
    /// An input method.
    Ime(Ime),
    /// Click a node with the mouse.
    Click(Target),
    /// Act on a node as a screen reader.
    Act(Target, Act),
    /// Wait for a node, or for its absence.
    Wait(Wanted, Duration),
    /// The accessibility tree.
    Tree,
    /// What was announced since the last time.
    Announcements,
    /// A picture into a file.
    Shot(String),
    /// Another window size, logical pixels.
    Resize(u16, u16),
    /// The clipboard's text.
    Clipboard,
    /// Move virtual time.
    Advance(Duration),
    /// The program's own state.
    State,
    /// End.
    Quit,
}

/// What an input method does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ime {
    /// Shows text that is not committed.
    Preedit(String),
    /// Commits text.
    Commit(String),
}

/// A node by role and exact name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// AccessKit's role in lowerCamelCase.
    pub role: String,
    /// The exact name.
    pub name: String,
}

impl Target {
    /// True for the node meant.
    pub fn matches(&self, node: &Node) -> bool {
        node.role == self.role && node.name == self.name
    }
}

/// What a screen reader asks of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// The default action.
    Click,
    /// Move focus there.
    Focus,
    /// Replace the value.
    SetValue(String),
}

/// What `wait` looks for: every given field must fit one node.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The role.
    pub role: Option<String>,
    /// The exact name.
    pub name: Option<String>,
    /// A part of the name or of the value.
    pub text: Option<String>,
    /// Wait until there is no such node.
    #[serde(default)]
    pub gone: bool,
}

impl Wanted {
    /// True when the tree is as waited for.
    pub fn holds(&self, tree: &[Node]) -> bool {
        let fits = |node: &Node| {
            self.role.as_ref().is_none_or(|role| node.role == *role)
                && self.name.as_ref().is_none_or(|name| node.name == *name)
                && self.text.as_ref().is_none_or(|text| node.name.contains(text) || node.value.contains(text))
        };
        tree.iter().any(fits) != self.gone
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActFields {
    role: String,
    name: String,
    action: ActionName,
    value: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum ActionName {
    Click,
    Focus,
    SetValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: Option<String>,
    #[serde(rename = "type")]
    text: Option<String>,
    paste: Option<String>,
    ime: Option<Ime>,
    click: Option<Target>,
    act: Option<ActFields>,
    wait: Option<Wanted>,
    ms: Option<u64>,
    tree: Option<bool>,
    announcements: Option<bool>,
    shot: Option<String>,
    resize: Option<String>,
    clipboard: Option<bool>,
    advance: Option<u64>,
    state: Option<bool>,
    quit: Option<bool>,
}

impl Command {
    /// Reads a line.
    ///
    /// # Errors
    /// Words that say what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let line: Line = serde_json::from_str(line).map_err(|error| format!("not a command: {error}"))?;
        let flag = |name: &str, given: Option<bool>, command: Self| match given {
            None => Ok(None),
            Some(true) => Ok(Some(command)),
            Some(false) => Err(format!("\"{name}\" takes true")),
        };
        if line.ms.is_some() && line.wait.is_none() {
            return Err("\"ms\" belongs to \"wait\"".to_owned());
        }
        let ms = line.ms.map(|ms| span("ms", ms)).transpose()?.unwrap_or(WAIT);
        let commands = [
            line.key
                .map(|key| key.parse().map(Self::Key).map_err(|e: super::key::UnknownKey| e.to_string()))
                .transpose()?,
            line.text.map(Self::Type),
            line.paste.map(Self::Paste),
            line.ime.map(Self::Ime),
            line.click.map(Self::Click),
            line.act.map(act).transpose()?,
            line.wait.map(|wanted| wait(wanted, ms)).transpose()?,
            flag("tree", line.tree, Self::Tree)?,
            flag("announcements", line.announcements, Self::Announcements)?,
            line.shot.map(Self::Shot),
            line.resize.map(|size| parse_size(&size).map(|(w, h)| Self::Resize(w, h))).transpose()?,
            flag("clipboard", line.clipboard, Self::Clipboard)?,
            line.advance.map(|ms| span("advance", ms).map(Self::Advance)).transpose()?,
            flag("state", line.state, Self::State)?,
            flag("quit", line.quit, Self::Quit)?,
        ];
        let mut commands = commands.into_iter().flatten();
        match (commands.next(), commands.next()) {
            (Some(command), None) => Ok(command),
            (None, _) => Err("no command in this line".to_owned()),
            (Some(_), Some(_)) => Err("more than one command in this line".to_owned()),
        }
    }
}

fn span(name: &str, ms: u64) -> Result<Duration, String> {
    let span = Duration::from_millis(ms);
    (span <= LONGEST).then_some(span).ok_or_else(|| format!("\"{name}\" takes at most {} ms", LONGEST.as_millis()))
}

fn act(fields: ActFields) -> Result<Command, String> {
    let act = match (fields.action, fields.value) {
        (ActionName::Click, None) => Act::Click,
        (ActionName::Focus, None) => Act::Focus,
        (ActionName::SetValue, Some(value)) => Act::SetValue(value),
        (ActionName::SetValue, None) => return Err("setValue needs a \"value\"".to_owned()),
        (ActionName::Click | ActionName::Focus, Some(_)) => return Err("only setValue takes a \"value\"".to_owned()),
    };
    Ok(Command::Act(Target { role: fields.role, name: fields.name }, act))
}

fn wait(wanted: Wanted, ms: Duration) -> Result<Command, String> {
    if wanted.role.is_none() && wanted.name.is_none() && wanted.text.is_none() {
        return Err("\"wait\" needs a role, a name or a text".to_owned());
    }
    Ok(Command::Wait(wanted, ms))
}

/// `360x640` as width and height in logical pixels.
///
/// # Errors
/// Words that say what a size looks like.
pub fn parse_size(text: &str) -> Result<(u16, u16), String> {
    let side = |side: &str| side.parse::<u16>().ok().filter(|side| (1..=SIDE).contains(side));
    text.split_once('x')
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| format!("\"{text}\" is not a size; write 360x640, at most {SIDE} a side"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_design_is_read() {
        for line in [
            r#"{"key":"Ctrl+K"}"#,
            r#"{"type":"text"}"#,
            r#"{"paste":"text"}"#,
            r#"{"ime":{"preedit":"に"}}"#,
            r#"{"ime":{"commit":"日"}}"#,
            r#"{"click":{"role":"button","name":"Join"}}"#,
            r#"{"act":{"role":"textInput","name":"Message","action":"setValue","value":"x"}}"#,
            r#"{"act":{"role":"button","name":"Join","action":"focus"}}"#,
            r#"{"wait":{"role":"button","name":"Join","text":"J","gone":false},"ms":10}"#,
            r#"{"tree":true}"#,
            r#"{"announcements":true}"#,
            r#"{"shot":"a.png"}"#,
            r#"{"resize":"360x640"}"#,
            r#"{"clipboard":true}"#,
            r#"{"advance":250}"#,
            r#"{"state":true}"#,
            r#"{"quit":true}"#,
        ] {
            assert!(Command::parse(line).is_ok(), "{line}: {:?}", Command::parse(line));
        }
    }

    #[test]
    fn a_line_that_is_not_exactly_one_command_is_refused_and_says_why() {
        for (line, why) in [
            ("", "not a command"),
            ("[]", "not a command"),
            ("{}", "no command"),
            (r#"{"press":"a"}"#, "press"),
            (r#"{"key":"a","type":"b"}"#, "more than one"),
            (r#"{"key":"a","ms":5}"#, "ms"),
            (r#"{"key":"Ctrl+"}"#, "not a key"),
            (r#"{"tree":false}"#, "takes true"),
            (r#"{"wait":{}}"#, "needs"),
            (r#"{"wait":{"nam":"x"}}"#, "nam"),
            (r#"{"click":{"role":"button"}}"#, "name"),
            (r#"{"act":{"role":"a","name":"b","action":"setValue"}}"#, "value"),
            (r#"{"act":{"role":"a","name":"b","action":"scroll"}}"#, "scroll"),
            (r#"{"resize":"0x5"}"#, "not a size"),
            (r#"{"resize":"360x8193"}"#, "not a size"),
            (r#"{"advance":86400001}"#, "at most 86400000 ms"),
            (r#"{"advance":-1}"#, "not a command"),
            (r#"{"wait":{"text":"x"},"ms":18446744073709551615}"#, "at most 86400000 ms"),
            (r#"{"ime":{"preedit":"a","commit":"b"}}"#, "not a command"),
        ] {
            let error = Command::parse(line).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn wait_fits_one_node_in_every_given_field() {
        let node = |role: &str, name: &str, value: &str| Node {
            id: "1".into(),
            role: role.into(),
            name: name.into(),
            value: value.into(),
            description: String::new(),
            states: vec![],
            bounds: None,
            children: vec![],
            actions: vec![],
        };
        let tree = [node("button", "Join", ""), node("textInput", "Message", "hello")];
        let wanted = |role: Option<&str>, text: Option<&str>, gone| Wanted {
            role: role.map(Into::into),
            name: None,
            text: text.map(Into::into),
            gone,
        };
        assert!(wanted(None, Some("ell"), false).holds(&tree));
        assert!(wanted(Some("button"), Some("Joi"), false).holds(&tree));
        assert!(!wanted(Some("button"), Some("ell"), false).holds(&tree));
        assert!(wanted(Some("button"), Some("ell"), true).holds(&tree));
    }
}
