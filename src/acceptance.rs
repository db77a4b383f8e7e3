//! `rejoin acceptance`: every state of the program as a picture, a tree and words, made by keyboard alone (DESIGN 12).
//!
//! [`scenario`] is the data, [`matrix`] says in which windows each is looked at, [`play`] makes one case, [`inspect`]
//! holds what must be true of every one of them, [`compare`] holds it against what is committed, [`report`] is read
//! by people. Nothing of this machine is in the result: bundled fonts, the demo, software pixels.
//!
//! The cases are played by child processes of this one, as many as there are processors: a case that hangs or panics
//! takes nothing with it.

pub mod compare;
pub mod inspect;
pub mod matrix;
pub mod picture;
mod play;
mod player;
pub mod record;
pub mod report;
pub mod scenario;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::cli;
use matrix::Case;
use report::{Outcome, Report};

/// What is committed.
pub const COMMITTED: &str = "screenshots";
/// Where a run goes that is not to be committed.
const OUT: &str = "target/acceptance";
/// The list of cases in a folder: one line a case, `pass` or `FAIL` before its name.
const LIST: &str = "cases.txt";

/// Runs the cases and says what came of them: 0 when all of them hold, 1 when one does not, 2 when the command line
/// fits no case or a folder cannot be used.
pub fn run(options: &cli::Acceptance) -> ExitCode {
    if options.play {
        return player::serve(options.out.as_deref().unwrap_or(Path::new(OUT)));
    }
    let cases = matrix::matching(options.case.as_deref());
    if cases.is_empty() {
        eprintln!("rejoin acceptance: no case is named like {}", options.case.as_deref().unwrap_or("that"));
        return ExitCode::from(2);
    }
    match all(options, &cases) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("rejoin acceptance: {error}");
            ExitCode::from(2)
        }
    }
}

/// A folder or file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct FolderError {
    path: String,
    error: std::io::Error,
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> FolderError {
    let path = path.display().to_string();
    |error| FolderError { path, error }
}

/// True when every case holds.
#[expect(clippy::print_stdout, reason = "its lines are what the command is for")]
fn all(options: &cli::Acceptance, cases: &[Case]) -> Result<bool, FolderError> {
    let begin = Instant::now();
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from(OUT));
    std::fs::create_dir_all(&out).map_err(at(&out))?;
    let out = std::path::absolute(&out).map_err(at(&out))?;
    let committed = std::path::absolute(COMMITTED).map_err(at(Path::new(COMMITTED)))?;
    let check = options.check && out != committed;
    let whole = options.case.is_none();
    if whole {
        forget_others(&out, cases)?;
    }
    let mut outcomes = player::play_all(&out, cases, |done, outcome| {
        let mut outcome = outcome;
        if check {
            outcome.compare(&committed, &out);
        }
        let word = if outcome.is_good() { "pass" } else { "FAIL" };
        println!("{done:>4}/{} {word} {} ({} ms)", cases.len(), outcome.case, outcome.millis);
        outcome.reasons.iter().for_each(|reason| println!("          {reason}"));
        outcome
    });
    if check && whole {
        outcomes.extend(surplus(&committed, cases).into_iter().map(Outcome::surplus));
    }
    let good = outcomes.iter().all(Outcome::is_good);
    let list: String = outcomes.iter().map(Outcome::line).collect();
    std::fs::write(out.join(LIST), list).map_err(at(&out))?;
    let took = begin.elapsed();
    let failed = outcomes.iter().filter(|outcome| !outcome.is_good()).count();
    println!("{} of {} cases hold, {:.1} s", outcomes.len() - failed, outcomes.len(), took.as_secs_f32());
    if out != committed {
        let report = Report { outcomes: &outcomes, compared: check, took };
        let page = report.write(&committed, &out).map_err(at(&out))?;
        println!("report: {}", page.display());
    }
    Ok(good)
}

/// Files of cases that are no more, by case.
fn surplus(folder: &Path, cases: &[Case]) -> BTreeSet<String> {
    let wanted: BTreeSet<String> = cases.iter().map(Case::to_string).collect();
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let case = |name: String| name.strip_suffix(".png").or_else(|| name.strip_suffix(".json")).map(str::to_owned);
    names.filter_map(case).filter(|case| !wanted.contains(case)).collect()
}

/// A folder that holds an earlier run is left with nothing but this one's cases.
fn forget_others(out: &Path, cases: &[Case]) -> Result<(), FolderError> {
    if !out.join(LIST).exists() {
        return Ok(());
    }
    for case in surplus(out, cases) {
        let (picture, record) = compare::files(out, &case);
        for file in [picture, record] {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(&file)(error)),
                Ok(()) | Err(_) => {}
            }
        }
    }
    Ok(())
}
