//! `rejoin drive`: the real program without a display, driven by one JSON command a line (DESIGN 12).
//!
//! [`driver`] runs an iced `Program` as iced's own shell does: same boot, updates, views, subscriptions and tasks, but
//! with a window that exists only as pixels. [`session`] reads commands and writes one answer line each. `acceptance`
//! uses the same driver with the virtual [`clock`].

mod accessible;
pub mod clock;
pub mod command;
pub mod driver;
pub mod key;
pub mod session;
pub mod tree;
mod window;
mod work;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use iced_program::Program;

use crate::ui::VirtualTime;

pub use accessible::start;
pub use clock::{Clock, RealClock, VirtualClock};
pub use driver::{Driver, Options, Shot};
pub use session::Session;
pub use tree::Tree;

/// Drives `program` from standard input to standard output until `quit`, the end of input or the program's own exit.
///
/// `state` answers `{"state":true}`; `time` is the program's, if it is virtual. Fonts must be installed before (`ui::font::install_bundled_only`).
pub fn run<P>(
    program: P,
    options: Options,
    clock: Box<dyn Clock>,
    tree: impl Tree + 'static,
    state: impl Fn(&P::State) -> serde_json::Value + 'static,
    time: Option<VirtualTime>,
) -> ExitCode
where
    P: Program + 'static,
{
    let driver = match Driver::new(program, options, clock) {
        Ok(driver) => driver,
        Err(error) => {
            eprintln!("rejoin drive: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (sender, lines) = mpsc::channel();
    let main = std::thread::current();
    std::thread::spawn(move || {
        read_lines(std::io::stdin().lock(), |line| {
            let open = sender.send(line).is_ok();
            main.unpark();
            open
        });
        drop(sender);
        main.unpark();
    });
    let mut session = Session::new(driver, Box::new(tree), Box::new(state), time);
    match session.serve(&lines, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our answers is gone; nobody is left to tell.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Hands every line to `each` until the end of input or until `each` returns false. A line that is not UTF-8 arrives
/// with replacement characters and fails as JSON does.
fn read_lines(mut input: impl BufRead, mut each: impl FnMut(String) -> bool) {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if !each(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()) {
            return;
        }
        line.clear();
    }
}

/// Writes one answer line and flushes it.
fn answer(output: &mut dyn Write, value: &serde_json::Value) -> std::io::Result<()> {
    writeln!(output, "{value}")?;
    output.flush()
}
