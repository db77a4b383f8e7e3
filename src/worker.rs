//! The worker process: transports, the machine between them and the GUI, and the shell that runs both.

mod core;
pub mod hub;
pub mod machine;
pub mod process;
pub mod run;
pub mod stdio;
pub mod tls;
pub mod transport;
pub mod websocket;

/// `rejoin worker`; with the guard's argument it is the guard of a child instead.
pub fn run() -> std::process::ExitCode {
    if std::env::args().nth(2).as_deref() == Some(process::GUARD) {
        return process::guard(std::env::args().nth(3).as_deref());
    }
    run::run(core::parts)
}
