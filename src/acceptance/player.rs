//! The processes that play the cases: names go in, one line of JSON for each comes out.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::matrix::{self, Case};
use super::report::Outcome;
use super::{compare, picture, play};
use crate::ui;

/// A case that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(400);
/// Lines of a dead player's last words that are told.
const LAST_WORDS: usize = 12;

/// What the interface font lacks, for the texts of the demo.
const FONTS: [&[u8]; 2] = [
    include_bytes!("../../tests/fonts/NotoSansJP-subset.ttf"),
    include_bytes!("../../tests/fonts/NotoEmoji-subset.ttf"),
];

/// A player's answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// What does not hold.
    reasons: Vec<String>,
}

/// Plays the cases named on standard input and leaves their files in `out`.
pub(super) fn serve(out: &Path) -> ExitCode {
    ui::font::install_bundled_only(&FONTS);
    let cases = matrix::cases();
    for name in std::io::stdin().lock().lines().map_while(Result::ok) {
        let reasons = match cases.iter().find(|case| case.to_string() == name) {
            Some(case) => one(case, out),
            None => vec!["there is no such case".to_owned()],
        };
        let Ok(line) = serde_json::to_string(&Answer { reasons }) else { return ExitCode::FAILURE };
        let mut output = std::io::stdout().lock();
        if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn one(case: &Case, out: &Path) -> Vec<String> {
    // Named in the settings page, so always the same, and below the player's own folder.
    let settings = Path::new("rejoin");
    if let Err(error) = std::fs::remove_dir_all(settings)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return vec![format!("the settings of the case before could not be removed: {error}")];
    }
    match play::play(case, settings) {
        Err(stuck) => vec![stuck.to_string()],
        Ok(played) => {
            let mut reasons = played.findings;
            reasons.extend(keep(&played.shot, &played.record, out, &case.to_string()).err());
            reasons
        }
    }
}

fn keep(shot: &crate::drive::Shot, record: &super::record::Record, out: &Path, case: &str) -> Result<(), String> {
    let (png, json) = compare::files(out, case);
    let picture = picture::encode(shot).map_err(|error| error.to_string())?;
    let record = record.write().map_err(|error| error.to_string())?;
    let write =
        |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()));
    write(&png, &picture)?;
    write(&json, record.as_bytes())
}

/// Plays all cases by as many processes as there are processors; `each` sees every outcome with the number of those
/// that are done. In the order of the cases.
pub(super) fn play_all(out: &Path, cases: &[Case], each: impl FnMut(usize, Outcome) -> Outcome + Send) -> Vec<Outcome> {
    let players = std::thread::available_parallelism().map_or(1, usize::from).min(cases.len());
    let (next, done) = (Mutex::new(0..cases.len()), Mutex::new((each, Vec::new())));
    std::thread::scope(|scope| {
        for _ in 0..players {
            scope.spawn(|| {
                let mut player = None;
                loop {
                    let Some(index) = lock(&next).next() else { return };
                    let begin = Instant::now();
                    let reasons = ask(&mut player, out, &cases[index].to_string());
                    let millis = begin.elapsed().as_millis();
                    let outcome = Outcome::played(&cases[index], reasons, millis);
                    let (each, all) = &mut *lock(&done);
                    let outcome = each(all.len() + 1, outcome);
                    all.push((index, outcome));
                }
            });
        }
    });
    let (_, mut all) = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic elsewhere leaves the state whole.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Has one case played; a player that ends or hangs over it is replaced at the next.
fn ask(player: &mut Option<Player>, out: &Path, case: &str) -> Vec<String> {
    let mut living = match player.take().map_or_else(|| Player::start(out), Ok) {
        Ok(living) => living,
        Err(error) => return vec![format!("no process could be started to play it: {error}")],
    };
    match living.play(case) {
        Ok(answer) => {
            *player = Some(living);
            answer.reasons
        }
        Err(why) => vec![format!("{why}{}", living.last_words())],
    }
}

/// A child that plays cases.
struct Player {
    child: Child,
    names: ChildStdin,
    answers: Receiver<String>,
    /// Its working directory: settings and log.
    home: tempfile::TempDir,
}

impl Player {
    fn start(out: &Path) -> std::io::Result<Self> {
        let home = tempfile::tempdir()?;
        let log = std::fs::File::create(home.path().join("log"))?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["acceptance", "--play", "--out"])
            .arg(out)
            .current_dir(home.path())
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()?;
        let missing = || std::io::Error::other("its pipes are missing");
        let names = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, names, answers, home })
    }

    fn play(&mut self, case: &str) -> Result<Answer, String> {
        let sent = writeln!(self.names, "{case}").and_then(|()| self.names.flush());
        sent.map_err(|error| format!("the program that plays it is gone: {error}"))?;
        let line = self.answers.recv_timeout(PATIENCE).map_err(|error| match error {
            std::sync::mpsc::RecvTimeoutError::Timeout => format!("no result after {} s", PATIENCE.as_secs()),
            std::sync::mpsc::RecvTimeoutError::Disconnected => "the program ended over it".to_owned(),
        })?;
        serde_json::from_str(&line).map_err(|error| format!("its result cannot be read: {error}"))
    }

    /// The end of its log.
    fn last_words(&self) -> String {
        let log = std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST_WORDS)..];
        if last.is_empty() { String::new() } else { format!("; it said: {}", last.join(" / ")) }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // One that waits for the next name has nothing to lose; its own children end with it.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
