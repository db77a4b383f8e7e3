//! The command line, as documented in the README.
//!
//! Parsing only: what a command does is its own module's. Conflicts are errors in words with exit
//! code 2, before anything starts.

#[cfg(windows)]
pub mod console;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand};

use crate::settings::{self, Theme};

/// The demo's scenario if none is named.
pub const DEMO: &str = "default";

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// The window.
    Window(Start),
    /// The second process; internal.
    Worker,
    /// The scripted app-server.
    DemoServer(DemoServer),
    /// The program without a display.
    Drive(Drive),
    /// Every state as a picture.
    Acceptance(Acceptance),
    /// What is installed and reachable.
    Doctor(Doctor),
}

/// How the window (or `drive`) starts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Start {
    /// Connects at once; absent: the connection page.
    pub target: Option<Target>,
    /// Directory of new conversations, before the profile's.
    pub cwd: Option<PathBuf>,
    /// For this run, before the setting.
    pub theme: Option<Theme>,
    /// The settings folder instead of the platform's.
    pub settings: Option<PathBuf>,
}

/// What to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A local Codex; `None`: the one in the settings, else the one that is found.
    Codex(Option<PathBuf>),
    /// A running server. The URL is well-formed.
    Server { url: String, token_file: Option<PathBuf>, ca_file: Option<PathBuf> },
    /// A saved profile, by name.
    Profile(String),
    /// The built-in demo, by scenario.
    Demo(String),
}

/// `rejoin demo-server`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct DemoServer {
    /// What the server plays
    #[arg(long, value_name = "NAME", default_value = DEMO)]
    pub scenario: String,
    /// Serve WebSocket on this loopback address (ws://127.0.0.1:PORT) instead of stdio
    #[arg(long, value_name = "URL", value_parser = listen)]
    pub listen: Option<SocketAddr>,
}

/// `rejoin drive`.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    pub start: Start,
    /// Width and height of the window in logical pixels.
    pub size: (u32, u32),
    /// Physical pixels per logical one.
    pub scale: f32,
    /// The worker's clock moves by `advance` only; with the demo.
    pub virtual_time: bool,
}

/// `rejoin acceptance`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Acceptance {
    /// Folder for pictures, trees and the report [default: target/acceptance]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Compare with screenshots/ of this directory; whatever differs or is missing fails
    #[arg(long)]
    pub check: bool,
    /// Only cases of that name; * stands for anything: 'reading.*', '*.dark.*'
    #[arg(long, value_name = "GLOB")]
    pub case: Option<String>,
    /// Play the cases named on standard input (internal)
    #[arg(long, hide = true, conflicts_with_all = ["check", "case"])]
    pub play: bool,
}

/// `rejoin doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Doctor {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Ask the servers of the profiles for their health too
    #[arg(long)]
    pub connect: bool,
    /// The Codex program to look at first
    #[arg(long, value_name = "PATH")]
    pub codex: Option<PathBuf>,
    /// Folder of settings and profiles, instead of the platform's
    #[arg(long, value_name = "DIR")]
    pub settings: Option<PathBuf>,
}

/// Reads the arguments, the program's name first.
///
/// # Errors
/// Help, version or a mistake: `clap`'s error, which prints itself and knows the exit code.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let line = Line::try_parse_from(args)?;
    Ok(match line.command {
        None => Command::Window(line.start.into()),
        Some(Sub::Worker) => Command::Worker,
        Some(Sub::DemoServer(demo)) => Command::DemoServer(demo),
        Some(Sub::Drive(drive)) => Command::Drive(Drive {
            start: drive.start.into(),
            size: drive.size,
            scale: drive.scale,
            virtual_time: drive.virtual_time,
        }),
        Some(Sub::Acceptance(acceptance)) => Command::Acceptance(acceptance),
        Some(Sub::Doctor(doctor)) => Command::Doctor(doctor),
    })
}

/// A desktop chat client for the Codex app-server
#[derive(Debug, Parser)]
#[command(name = "rejoin", version, args_conflicts_with_subcommands = true)]
struct Line {
    #[command(flatten)]
    start: StartArgs,
    #[command(subcommand)]
    command: Option<Sub>,
}

#[derive(Debug, Subcommand)]
enum Sub {
    /// Talk to an app-server for the window (internal)
    Worker,
    /// Play a scripted app-server
    DemoServer(DemoServer),
    /// Run the program without a display: JSON commands in, JSON answers out
    Drive(DriveArgs),
    /// Make a picture of every state by keyboard alone, and compare with those that are committed
    Acceptance(Acceptance),
    /// Tell what is installed, found and reachable, and what to do
    Doctor(Doctor),
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").args(["codex", "ws", "profile", "demo"]))]
struct StartArgs {
    /// Start this Codex and connect
    #[arg(long, value_name = "PATH")]
    codex: Option<PathBuf>,
    /// Directory of new conversations (alone: connect to the Codex that is found)
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Connect to a running server: wss://HOST, or ws:// on this machine
    #[arg(long, value_name = "URL", value_parser = |url: &str| settings::endpoint(url).map(String::from))]
    ws: Option<String>,
    /// File with the bearer token for --ws
    #[arg(long, value_name = "FILE", requires = "ws", conflicts_with_all = ["codex", "profile", "demo"])]
    token_file: Option<PathBuf>,
    /// PEM file with certificates to trust for --ws, besides the platform's
    #[arg(long, value_name = "FILE", requires = "ws", conflicts_with_all = ["codex", "profile", "demo"])]
    ca_file: Option<PathBuf>,
    /// Connect to a saved profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Connect to the built-in demo
    #[arg(long, value_name = "SCENARIO", num_args = 0..=1, default_missing_value = DEMO)]
    demo: Option<String>,
    /// light, dark, high-contrast or system
    #[arg(long, value_name = "NAME")]
    theme: Option<Theme>,
    /// Folder of settings and profiles, instead of the platform's
    #[arg(long, value_name = "DIR")]
    settings: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct DriveArgs {
    #[command(flatten)]
    start: StartArgs,
    /// Size of the window in logical pixels
    #[arg(long, value_name = "WxH", default_value = "480x900", value_parser = size)]
    size: (u32, u32),
    /// Physical pixels per logical pixel, 0.5 to 4
    #[arg(long, value_name = "S", default_value = "1", value_parser = scale)]
    scale: f32,
    /// Time moves by the command "advance" only
    #[arg(long, requires = "demo")]
    virtual_time: bool,
}

impl From<StartArgs> for Start {
    fn from(args: StartArgs) -> Self {
        let StartArgs { codex, cwd, ws, token_file, ca_file, profile, demo, theme, settings } = args;
        // clap has made sure that at most one of them is there.
        let target = if let Some(url) = ws {
            Some(Target::Server { url, token_file, ca_file })
        } else if let Some(name) = profile {
            Some(Target::Profile(name))
        } else if let Some(scenario) = demo {
            Some(Target::Demo(scenario))
        } else if codex.is_some() || cwd.is_some() {
            Some(Target::Codex(codex))
        } else {
            None
        };
        Self { target, cwd, theme, settings }
    }
}

/// `480x900`.
///
/// # Errors
/// What a size looks like.
pub fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |side: &str| side.parse().ok().filter(|side| (100..=8192).contains(side));
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| "a size is WIDTHxHEIGHT, each 100 to 8192; an example is 480x900".into())
}

fn scale(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|scale| (0.5..=4.0).contains(scale)).ok_or_else(|| "a scale is 0.5 to 4".into())
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.strip_prefix("ws://")
        .and_then(|address| address.trim_end_matches('/').parse::<SocketAddr>().ok())
        .filter(|address| address.ip().is_loopback())
        .ok_or_else(|| "the demo listens on this machine only; an example is ws://127.0.0.1:4500".into())
}
