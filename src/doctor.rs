//! `rejoin doctor`: what is installed, found and reachable, and what to do about it.
//!
//! Starts nothing but `codex --version`, changes nothing that lasts (it creates and removes one
//! empty file to see whether settings can be saved), contacts nobody unless `--connect` is given,
//! and never reads a token into its report. The same report goes to text and to `--json`.

mod health;
mod installed;
mod saved;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::cli;
use crate::settings::{Profiles, Settings, Store};

/// How good or bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    /// Works, or may not matter.
    Warning,
    /// Something the user needs does not work; the exit code is 1.
    Problem,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub level: Level,
    /// What was looked at: `Codex`, `Settings`, `Profile "work"`.
    pub about: String,
    /// What was found.
    pub found: String,
    /// What to do, unless all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// The report, in reading order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// This program's version.
    pub rejoin: &'static str,
    /// Operating system and processor.
    pub platform: String,
    pub findings: Vec<Finding>,
}

/// Looks and prints. The exit code is 1 if there is a problem.
pub fn run(options: &cli::Doctor) -> ExitCode {
    let report = examine(options);
    let mut out = io::stdout().lock();
    let printed = if options.json {
        serde_json::to_writer(&mut out, &report).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else {
        write!(out, "{report}")
    };
    match printed {
        Ok(()) if report.worst() < Level::Problem => ExitCode::SUCCESS,
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

/// Looks at everything.
pub fn examine(options: &cli::Doctor) -> Report {
    let mut findings = Vec::new();
    let mut settings = Settings::default();
    let mut profiles = Profiles::default();
    match Store::open(options.settings.clone()) {
        Ok(store) => {
            saved::folder(&store, &mut findings);
            settings = saved::file(&store, "Settings", &mut findings);
            profiles = saved::file(&store, "Profiles", &mut findings);
        }
        Err(error) => findings.push(Finding::problem("Settings", error, "Give a folder with --settings.")),
    }
    let mut all = installed::codex(options.codex.as_deref(), settings.codex.as_deref());
    all.append(&mut findings);
    for profile in &profiles.list {
        all.append(&mut saved::profile(profile));
        if options.connect && profile.enabled {
            all.extend(health::profile(profile));
        }
    }
    Report {
        rejoin: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        findings: all,
    }
}

impl Report {
    /// The worst level of all findings.
    pub fn worst(&self) -> Level {
        self.findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Ok)
    }
}

impl Finding {
    fn ok(about: impl Into<String>, found: impl fmt::Display) -> Self {
        Self { level: Level::Ok, about: about.into(), found: found.to_string(), advice: None }
    }

    fn warning(about: impl Into<String>, found: impl fmt::Display, advice: &str) -> Self {
        Self { level: Level::Warning, advice: Some(advice.into()), ..Self::ok(about, found) }
    }

    fn problem(about: impl Into<String>, found: impl fmt::Display, advice: &str) -> Self {
        Self { level: Level::Problem, advice: Some(advice.into()), ..Self::ok(about, found) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Rejoin {} on {}\n", self.rejoin, self.platform)?;
        for finding in &self.findings {
            let level = match finding.level {
                Level::Ok => "ok",
                Level::Warning => "warning",
                Level::Problem => "problem",
            };
            writeln!(f, "{level:8} {}: {}", finding.about, finding.found)?;
            if let Some(advice) = &finding.advice {
                writeln!(f, "{:8} -> {advice}", "")?;
            }
        }
        let summary = match self.worst() {
            Level::Ok => "All is well.",
            Level::Warning => "Usable; see the warnings.",
            Level::Problem => "Not everything works; see the problems.",
        };
        writeln!(f, "\n{summary}")
    }
}
