//! The real app-servers: where they are, a home for one, and a bare stdio connection to it.
//!
//! They are looked for in `$REJOIN_CODEX_DIR/<version>/node_modules/.bin`, or in
//! `${XDG_CACHE_HOME:-~/.cache}/rejoin/npm` instead. A missing one skips the test loudly; with
//! `REJOIN_REQUIRE_CODEX=1` it fails it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rejoin::protocol::initialize::{self, InitializeParams};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::model::Model;

/// The regression version.
pub const REGRESSION: &str = "0.155.1";
/// The version the contract is written for.
pub const TARGET: &str = "0.159.1";
/// The newest version the suite passes with.
pub const NEWEST: &str = "0.171.0";
/// All of them, oldest first.
pub const VERSIONS: [&str; 3] = [REGRESSION, TARGET, NEWEST];

/// How long a real server may take for anything; generous, it is never waited out by a passing test.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An installed app-server.
#[derive(Debug, Clone)]
pub struct Codex {
    pub version: &'static str,
    /// The program, as npm links it (a script that starts the real one).
    pub path: PathBuf,
}

/// The app-server of this version, or `None` after a loud word.
pub fn codex(version: &'static str) -> Option<Codex> {
    let program = if cfg!(windows) { "codex.cmd" } else { "codex" };
    let dir = std::env::var_os("REJOIN_CODEX_DIR").map_or_else(|| cache_dir().join("npm"), PathBuf::from);
    let path = dir.join(version).join("node_modules").join(".bin").join(program);
    if path.exists() {
        return Some(Codex { version, path });
    }
    assert!(
        std::env::var_os("REJOIN_REQUIRE_CODEX").is_none_or(|value| value != "1"),
        "codex {version} is required and not at {}",
        path.display()
    );
    eprintln!("SKIPPED: codex {version} is not at {}", path.display());
    None
}

/// All installed app-servers, oldest first; a missing one is skipped loudly.
pub fn installed() -> Vec<Codex> {
    VERSIONS.into_iter().filter_map(codex).collect()
}

/// `${XDG_CACHE_HOME:-~/.cache}/rejoin`.
pub fn cache_dir() -> PathBuf {
    let home = || std::env::home_dir().expect("a home directory").join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("rejoin")
}

/// A fresh Codex home and an empty working directory beside it; both go when it is dropped.
pub struct Home {
    dir: TempDir,
}

impl Home {
    /// A home whose only model provider is the scripted model.
    pub fn new(model: &Model) -> Self {
        Self::with_features(model, &[])
    }

    /// The same with named server features switched on.
    pub fn with_features(model: &Model, features: &[&str]) -> Self {
        let home = Self { dir: TempDir::with_prefix("rejoin-home-").expect("a temporary directory") };
        fs::create_dir(home.codex_home()).expect("a fresh directory");
        fs::create_dir(home.work_dir()).expect("a fresh directory");
        let mut config = format!(
            "model = \"gpt-5.4\"\nmodel_provider = \"mock\"\n\n[model_providers.mock]\nname = \"mock\"\n\
             base_url = \"{}\"\nwire_api = \"responses\"\nrequires_openai_auth = false\nrequest_max_retries = 0\n\
             stream_max_retries = 0\nsupports_websockets = false\n\n[features]\n",
            model.base_url()
        );
        for feature in features {
            config.push_str(&format!("{feature} = true\n"));
        }
        fs::write(home.codex_home().join("config.toml"), config).expect("a fresh file");
        home
    }

    /// For the environment variable `CODEX_HOME`.
    pub fn codex_home(&self) -> PathBuf {
        self.dir.path().join("codex")
    }

    /// The directory to work in.
    pub fn work_dir(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// Both are below it.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// `codex` in this home and working directory, without credentials of the environment.
    pub fn command(&self, codex: &Codex) -> Command {
        let mut command = Command::new(&codex.path);
        command.current_dir(self.work_dir()).env("CODEX_HOME", self.codex_home());
        // No profile of the person who runs the tests is read by the shells of the commands.
        command.env("HOME", self.dir.path());
        for name in ["OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"] {
            command.env_remove(name);
        }
        command
    }
}

/// A bare connection to an app-server over stdio: lines out, lines in, nothing interpreted.
pub struct BareServer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    /// Every line both ways, in order of sending and receiving.
    pub traffic: Vec<Line>,
}

/// One line of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Client(String),
    Server(String),
}

impl BareServer {
    /// Starts `codex app-server` and sends nothing.
    pub fn start(home: &Home, codex: &Codex) -> Self {
        let mut command = home.command(codex);
        command.arg("app-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("an installed codex starts");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            // Ends with the pipe, or with the connection that nobody reads any more.
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).unwrap_or_default();
        });
        Self { stdin: child.stdin.take(), child, lines, next_id: 1, traffic: Vec::new() }
    }

    /// Sends one message as it is.
    pub fn send(&mut self, message: &Value) {
        let line = message.to_string();
        let stdin = self.stdin.as_mut().expect("stdin is open until drop");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the server reads");
        self.traffic.push(Line::Client(line));
    }

    /// The next message of the server.
    pub fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line of the server in time");
        let message = serde_json::from_str(&line).expect("the server writes JSON lines");
        self.traffic.push(Line::Server(line));
        message
    }

    /// Reads until a message for which `wanted` holds.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "{what} did not come");
            let message = self.next();
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Reads until this notification.
    pub fn wait_for(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method)
    }

    /// Sends a request and reads until its response or error, which is returned whole.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "id": id, "method": method, "params": params }));
        self.wait(method, |message| message["id"] == id && message.get("method").is_none())
    }

    /// Answers a request of the server.
    pub fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "id": request["id"], "result": result }));
    }

    /// Lists threads until this one is there: a server takes a moment to find what was on disk before it.
    pub fn wait_until_listed(&mut self, thread: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let params = json!({ "limit": 100, "sortKey": "recency_at", "modelProviders": [] });
            let answer = self.ask("thread/list", params);
            if answer["result"]["data"].as_array().is_some_and(|threads| threads.iter().any(|t| t["id"] == thread)) {
                return;
            }
            assert!(Instant::now() < deadline, "{thread} is not listed");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sends initialize and initialized.
    pub fn initialize(&mut self) {
        let params = serde_json::to_value(InitializeParams::rejoin()).expect("plain data");
        assert!(self.ask(initialize::METHOD, params)["result"].is_object(), "initialize succeeds");
        self.send(&json!({ "method": initialize::INITIALIZED }));
    }
}

impl Drop for BareServer {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The server ends by itself when its input does; the kill only follows one that hangs.
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline && self.child.try_wait().is_ok_and(|status| status.is_none()) {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}
