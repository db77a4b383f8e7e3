//! The worker process: transports, the machine between them and the GUI, and the shell that runs both.

pub mod hub;
pub mod machine;
pub mod process;
pub mod run;
pub mod stdio;
pub mod tls;
pub mod transport;
pub mod websocket;

/// `rejoin worker`.
pub fn run() -> std::process::ExitCode {
    if std::env::args().nth(2).as_deref() == Some(process::GUARD) {
        return process::guard(std::env::args().nth(3).as_deref());
    }
    std::process::ExitCode::FAILURE
}
