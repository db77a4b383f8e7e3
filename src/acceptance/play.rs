//! Plays one case: starts the program without a display, presses the keys, keeps what is to be seen and heard.

use std::path::Path;

use serde_json::{Value, json};

use super::inspect::{self, Sight, Stop};
use super::matrix::{Case, Look};
use super::record::{self, Record};
use super::scenario::{Boot, Step};
use crate::a11y::{Bridge, FlatNode};
use crate::drive::{Driver, Options, Session, Shot, VirtualClock};
use crate::settings::Theme;
use crate::{cli, ui};

/// How much virtual time a state may take to come, and what it moves by meanwhile; milliseconds.
const PATIENCE: u64 = 300_000;
const STEP: u64 = 50;
/// Characters of the screen in the words about a case that is stuck.
const TOLD: usize = 600;
/// The most stops of the Tab key in a window.
const STOPS: usize = 120;

/// What a case shows, says and lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub shot: Shot,
    pub record: Record,
    /// What must hold and does not ([`inspect`]).
    pub findings: Vec<String>,
}

/// A case that did not get to its moment: what was waited for, and what was there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stuck(String);

/// Plays a case; `settings` is a folder for it alone.
///
/// # Errors
/// When the program does not start or a step does not lead where it should.
pub fn play(case: &Case, settings: &Path) -> Result<Played, Stuck> {
    prepare(case, settings)?;
    let bridge = Bridge::new();
    let (theme, palette) = match case.look {
        Look::Theme(theme) => (theme, None),
        Look::Palette(_, palette) => (Theme::System, Some(palette)),
    };
    let target = match case.scenario.boot {
        Boot::Nothing | Boot::Saved(_) => None,
        Boot::Demo(scenario) => Some(cli::Target::Demo(scenario.to_owned())),
        Boot::Codex(program) => Some(cli::Target::Codex(Some(program.into()))),
        Boot::Server { url, token_file } => {
            Some(cli::Target::Server { url: url.to_owned(), token_file: token_file.map(Into::into), ca_file: None })
        }
    };
    let start = cli::Start { target, cwd: None, theme: Some(theme), settings: Some(settings.to_owned()) };
    let size = case.window();
    let time = ui::VirtualTime::new();
    let program = ui::program(ui::Options {
        start,
        size: Some(size),
        bridge: bridge.clone(),
        hermetic: true,
        palette,
        time: Some(time.clone()),
    });
    let options = Options { size, ..Options::default() };
    let driver =
        Driver::new(program, options, Box::new(VirtualClock::new())).map_err(|error| Stuck(error.to_string()))?;
    let session = Session::new(driver, Box::new(bridge.clone()), Box::new(ui::App::facts_for_drive), Some(time));
    let mut stage = Stage { session, bridge };
    for step in case.scenario.way.iter().copied().flatten() {
        stage.step(*step)?;
    }
    let shot = stage.session.pixels().ok_or_else(|| Stuck("there is no window".to_owned()))?;
    let tree = stage.bridge.snapshot();
    let announcements = stage.announcements()?;
    let scale = f64::from(case.zoom) / 100.0;
    let contrast = if case.look.is_high_contrast() { inspect::TEXT_HIGH } else { inspect::TEXT };
    let mut findings = inspect::findings(Sight { tree: &tree, shot: &shot, scale, contrast });
    let stops = stage.stops()?;
    findings.extend(inspect::unreached(&tree, &stops));
    let (tab_order, wrong) = inspect::tab_order(stops);
    findings.extend(wrong);
    let record = Record { tab_order, announcements, tree: record::lines(&tree) };
    Ok(Played { shot, record, findings })
}

/// Writes the settings that the case begins with.
fn prepare(case: &Case, settings: &Path) -> Result<(), Stuck> {
    let failed = |error: std::io::Error| Stuck(format!("the settings could not be written: {error}"));
    std::fs::create_dir_all(settings).map_err(failed)?;
    if case.zoom != 100 {
        std::fs::write(settings.join("settings.toml"), format!("zoom = {}\n", case.zoom)).map_err(failed)?;
    }
    if let Boot::Saved(profiles) = case.scenario.boot {
        std::fs::write(settings.join("profiles.toml"), profiles).map_err(failed)?;
    }
    Ok(())
}

struct Stage<P: iced::Program + 'static> {
    session: Session<P>,
    bridge: Bridge,
}

impl<P: iced::Program + 'static> Stage<P> {
    fn tell(&mut self, command: &Value) -> Result<Value, Stuck> {
        let (answer, _) = self.session.line(&command.to_string());
        match answer.get("error") {
            None => Ok(answer),
            Some(error) => {
                let error = error.as_str().unwrap_or_default();
                Err(Stuck(format!("{command}: {error}; on screen: {}", self.texts())))
            }
        }
    }

    fn step(&mut self, step: Step) -> Result<(), Stuck> {
        let command = match step {
            Step::Key(chord) => json!({ "key": chord }),
            Step::Times(count, chord) => {
                return (0..count).try_for_each(|_| self.step(Step::Key(chord)));
            }
            Step::Type(text) => json!({ "type": text }),
            Step::Until(text) => return self.wait(&json!({ "wait": { "text": text } })),
            Step::Named(name) => return self.wait(&json!({ "wait": { "name": name } })),
            Step::Gone(text) => return self.wait(&json!({ "wait": { "text": text, "gone": true } })),
            Step::Advance(ms) => json!({ "advance": ms }),
            Step::Go(name) => return self.go(name),
            Step::Press(name) => {
                self.go(name)?;
                json!({ "key": "Enter" })
            }
        };
        self.tell(&command).map(drop)
    }

    /// Moves time in small steps until it holds.
    fn wait(&mut self, wanted: &Value) -> Result<(), Stuck> {
        for _ in 0..PATIENCE / STEP {
            let (answer, _) = self.session.line(&wanted.to_string());
            if answer.get("error").is_none() {
                return Ok(());
            }
            self.tell(&json!({ "advance": STEP }))?;
        }
        self.tell(wanted).map(drop)
    }

    /// Tab until the control of this name has the focus.
    fn go(&mut self, name: &str) -> Result<(), Stuck> {
        for _ in 0..STOPS {
            self.tell(&json!({ "key": "Tab" }))?;
            if self.focused().is_some_and(|node| node.name == name) {
                return Ok(());
            }
        }
        Err(Stuck(format!("Tab does not reach \"{name}\"; on screen: {}", self.texts())))
    }

    /// One round of the Tab key.
    fn stops(&mut self) -> Result<Vec<Stop>, Stuck> {
        let mut stops: Vec<Stop> = Vec::new();
        for _ in 0..STOPS {
            self.tell(&json!({ "key": "Tab" }))?;
            let Some(node) = self.focused() else { break };
            let tree = self.bridge.snapshot();
            let place = |id: &str| tree.iter().position(|node| node.id == id);
            let onward = stops.last().is_some_and(|last| place(&last.id) < place(&node.id));
            if stops.first().is_some_and(|first| first.id == node.id) {
                stops[0].onward = onward;
                return Ok(stops);
            }
            let called = inspect::called(&node);
            stops.push(Stop { id: node.id, called, onward });
        }
        if stops.is_empty() { Ok(stops) } else { Err(Stuck("Tab does not come round".to_owned())) }
    }

    fn announcements(&mut self) -> Result<Vec<String>, Stuck> {
        let said = self.tell(&json!({ "announcements": true }))?;
        let said = said["announcements"].as_array().cloned().unwrap_or_default();
        let line = |one: &Value| {
            let sign = if one["assertive"] == true { "! " } else { "" };
            format!("{sign}{}", one["text"].as_str().unwrap_or_default())
        };
        Ok(said.iter().map(line).collect())
    }

    fn focused(&self) -> Option<FlatNode> {
        // Without a focus the window itself has it.
        self.bridge.snapshot().into_iter().skip(1).find(|node| node.states.contains(&"focused"))
    }

    /// The beginning of what can be read.
    fn texts(&self) -> String {
        let nodes = self.bridge.snapshot().into_iter();
        let texts: Vec<_> = nodes.flat_map(|node| [node.name, node.value]).filter(|text| !text.is_empty()).collect();
        texts.join(" | ").chars().take(TOLD).collect()
    }
}
