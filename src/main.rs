use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("worker") {
        return rejoin::worker::run();
    }
    ExitCode::SUCCESS
}
