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
mod picture;
pub mod session;
pub mod tree;
mod window;
mod work;

use std::io::{ErrorKind, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use iced_program::Program;

use crate::base::lines::{Line, Splitter};
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

/// Hands every line to `each` until the end of input or until `each` returns false. Of a line that is longer than
/// [`command::LINE`] only the head arrives, and is marked as cut.
fn read_lines(mut input: impl Read, mut each: impl FnMut(Line) -> bool) {
    let (mut splitter, mut buffer) = (Splitter::new(command::LINE), vec![0; 64 << 10]);
    loop {
        let mut rest = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => &buffer[..read],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        while let Some(line) = splitter.feed(&mut rest) {
            if !each(line) {
                return;
            }
        }
    }
    if let Some(line) = splitter.finish() {
        each(line);
    }
}

/// Writes one answer line and flushes it.
fn answer(output: &mut dyn Write, value: &serde_json::Value) -> std::io::Result<()> {
    writeln!(output, "{value}")?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        let longest = "a".repeat(command::LINE);
        let input = format!("{longest}\n{longest}b\r\n{{}}\nlast");
        let mut lines = Vec::new();
        read_lines(input.as_bytes(), |line| {
            lines.push(line);
            true
        });
        assert_eq!(lines[0], Line::Whole(longest.clone().into_bytes()));
        assert!(matches!(&lines[1], Line::Cut { head, .. } if head.len() == command::LINE));
        assert_eq!(lines[2..], [Line::Whole(b"{}".to_vec()), Line::Whole(b"last".to_vec())]);
    }
}
