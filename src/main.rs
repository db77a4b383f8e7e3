//! The program: reads the command line and hands over; nothing else.
#![cfg_attr(windows, windows_subsystem = "windows")]

use std::process::ExitCode;

use rejoin::cli::{self, Command};

fn main() -> ExitCode {
    #[cfg(windows)]
    cli::console::attach();
    // Before the command line is read: the worker also guards processes, with arguments of its own.
    if std::env::args_os().nth(1).is_some_and(|command| command == "worker") {
        return rejoin::worker::run();
    }
    match cli::parse(std::env::args_os()) {
        Ok(Command::Window(start)) => window(start),
        Ok(Command::Worker) => rejoin::worker::run(),
        Ok(Command::DemoServer(demo)) => demo_server(demo),
        Ok(Command::Drive(options)) => drive(options),
        Ok(Command::Acceptance(options)) => acceptance(&options),
        Ok(Command::Doctor(options)) => rejoin::doctor::run(&options),
        Err(message) => {
            let code = u8::try_from(message.exit_code()).unwrap_or(2);
            // Nobody is left to tell when the terminal is gone.
            message.print().ok();
            ExitCode::from(code)
        }
    }
}

#[cfg(feature = "gui")]
fn window(start: cli::Start) -> ExitCode {
    rejoin::ui::run(rejoin::ui::Options {
        start,
        size: None,
        bridge: rejoin::a11y::Bridge::new(),
        hermetic: false,
        palette: None,
        time: None,
    })
}

#[cfg(not(feature = "gui"))]
fn window(_: cli::Start) -> ExitCode {
    absent("no window; doctor tells what is installed")
}

#[cfg(feature = "gui")]
fn drive(options: cli::Drive) -> ExitCode {
    rejoin::drive::start(options)
}

#[cfg(not(feature = "gui"))]
fn drive(_: cli::Drive) -> ExitCode {
    absent("no window to drive")
}

#[cfg(feature = "gui")]
fn acceptance(options: &cli::Acceptance) -> ExitCode {
    rejoin::acceptance::run(options)
}

#[cfg(not(feature = "gui"))]
fn acceptance(_: &cli::Acceptance) -> ExitCode {
    absent("no window to make pictures of")
}

fn demo_server(options: cli::DemoServer) -> ExitCode {
    rejoin::demo::serve(&options.scenario, options.listen)
}

/// A build without the feature `gui` says so in words.
#[cfg(not(feature = "gui"))]
fn absent(what: &str) -> ExitCode {
    eprintln!("rejoin: this build has {what}");
    ExitCode::from(2)
}
