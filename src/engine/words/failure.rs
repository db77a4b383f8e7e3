//! Why a connection could not be made or ended, in words that name the program, host or file.

use crate::contract::{Failure, FailureKind};
use crate::engine::input::Profile;

/// Three short sentences; technical text stays in `Failure::detail`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureWords {
    pub happened: String,
    pub safe: &'static str,
    pub todo: String,
}

impl FailureWords {
    /// One line while recovery is under way: nobody has to do anything.
    pub fn while_reconnecting(&self) -> String {
        format!("{} {} Nothing is sent by itself.", self.happened, self.safe)
    }

    /// One line for the banner.
    pub fn line(&self) -> String {
        format!("{} {} {}", self.happened, self.safe, self.todo)
    }
}

const KEPT: &str = "Your texts are kept.";
const NOTHING_SENT: &str = "Nothing was sent.";
const TURN_REMOTE: &str = "Your texts are kept; a running turn may go on there.";

/// The words of a failure.
pub fn failure(failure: &Failure, profile: Option<&Profile>) -> FailureWords {
    let remote = profile.is_some_and(Profile::is_remote);
    let kept = if remote { TURN_REMOTE } else { KEPT };
    let at = super::place(profile);
    let (happened, safe, todo): (String, _, String) = match &failure.kind {
        FailureKind::ProgramMissing { program } => (
            format!("{program} was not found."),
            NOTHING_SENT,
            "Install Codex or choose its path in the profile.".into(),
        ),
        FailureKind::ProgramNotExecutable { program } => (
            format!("{program} is there but may not be run."),
            NOTHING_SENT,
            "Choose the Codex program in the profile, or make the file executable.".into(),
        ),
        FailureKind::DirectoryMissing { directory } => (
            format!("The directory {directory} is not there."),
            NOTHING_SENT,
            "Choose another directory in the profile, then Reconnect.".into(),
        ),
        FailureKind::ProcessExited { program, exit, before_ready: true } => (
            format!("{program} ended before it was ready: {exit}."),
            NOTHING_SENT,
            if failure.detail.is_empty() && failure.stderr.is_empty() {
                "Check the program in the profile, then Reconnect.".into()
            } else {
                "See Details for what it printed, then Reconnect.".into()
            },
        ),
        FailureKind::ProcessExited { program, exit, before_ready: false } => (
            format!("{program} ended: {exit}."),
            "Your texts are kept; its running turn ended with it.",
            "Reconnect.".into(),
        ),
        FailureKind::ConnectionLost => (format!("The connection to {at} was lost."), kept, "Reconnect.".into()),
        FailureKind::ConnectTimeout => {
            (format!("{at} did not answer in time."), kept, "Check that it runs, then Reconnect.".into())
        }
        FailureKind::HostNotFound { host } => {
            (format!("The host {host} was not found."), NOTHING_SENT, "Check the address in the profile.".into())
        }
        FailureKind::HttpStatus { status } => http(*status, &at),
        FailureKind::Closed { code, reason } => {
            let why = if reason.is_empty() { String::new() } else { format!(": {}", super::short(reason)) };
            (format!("{at} closed the connection with code {code}{why}."), kept, "Reconnect.".into())
        }
        FailureKind::Tls { why } => (
            format!("The identity of {at} could not be verified: {why}."),
            NOTHING_SENT,
            "Check the address and the CA file in the profile. There is no way around it.".into(),
        ),
        FailureKind::BadUrl { why } => {
            (format!("The address cannot be used: {why}."), NOTHING_SENT, "Correct it in the profile.".into())
        }
        FailureKind::TokenFile { path, why } => (
            format!("The token file {path} cannot be used: {why}."),
            NOTHING_SENT,
            "Correct the file or the profile, then Reconnect.".into(),
        ),
        FailureKind::CaFile { path, why } => (
            format!("The CA file {path} cannot be used: {why}."),
            NOTHING_SENT,
            "Correct the file or the profile, then Reconnect.".into(),
        ),
        FailureKind::NotAnAppServer { why } => (
            format!("What answered at {at} is no Codex app-server: {why}."),
            NOTHING_SENT,
            "Check the path or address in the profile.".into(),
        ),
        FailureKind::MessageTooLarge => (
            format!("{at} sent a message over the size limit, so the connection was closed."),
            kept,
            "Reconnect and open a smaller part.".into(),
        ),
        FailureKind::Silent => (format!("{at} no longer answers."), kept, "Reconnect.".into()),
        FailureKind::Refused { method } => (
            format!("{at} refused {method}, which every connection begins with."),
            NOTHING_SENT,
            "See Details for its words, then Reconnect.".into(),
        ),
        FailureKind::Overloaded { method } => {
            (format!("{at} is overloaded and did not answer {method}."), kept, "Wait a moment, then Reconnect.".into())
        }
        FailureKind::ProfileChanged => (
            "The connection's settings changed, so it is not made again by itself.".into(),
            "Your texts are kept and were sent to nobody.",
            "Review the profile, then Connect.".into(),
        ),
        FailureKind::AccountChanged => (
            "The server's account changed, so this connection was ended.".into(),
            "Your texts are kept and were sent to nobody.",
            "Review the account, then Connect.".into(),
        ),
        FailureKind::Disconnected => ("You ended the connection.".into(), kept, "Reconnect when you like.".into()),
        FailureKind::Worker { why } => {
            (format!("Rejoin's connection process ended: {why}."), kept, "Reconnect starts a new one.".into())
        }
    };
    FailureWords { happened, safe, todo }
}

fn http(status: u16, at: &str) -> (String, &'static str, String) {
    match status {
        401 => {
            (format!("{at} did not accept the token."), NOTHING_SENT, "Check the token file, then Reconnect.".into())
        }
        403 => (
            format!("{at} does not allow this connection (403)."),
            NOTHING_SENT,
            "Ask who runs the server, or choose another profile.".into(),
        ),
        404 => {
            (format!("There is no app-server at {at} (404)."), NOTHING_SENT, "Check the address in the profile.".into())
        }
        _ => (
            format!("{at} answered with HTTP status {status}."),
            NOTHING_SENT,
            "Check the address, then Reconnect.".into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_the_program_the_host_and_the_file_and_keep_details_apart() {
        let cases = [
            (FailureKind::ProgramMissing { program: "/opt/codex".into() }, "/opt/codex"),
            (FailureKind::HostNotFound { host: "build.example".into() }, "build.example"),
            (FailureKind::TokenFile { path: "/home/u/token".into(), why: "it is empty".into() }, "/home/u/token"),
            (
                FailureKind::ProcessExited { program: "codex".into(), exit: "exit code 3".into(), before_ready: true },
                "exit code 3",
            ),
            (FailureKind::HttpStatus { status: 401 }, "token"),
            (FailureKind::HttpStatus { status: 403 }, "403"),
            (FailureKind::HttpStatus { status: 404 }, "404"),
        ];
        for (kind, named) in cases {
            let words = failure(&Failure { kind, detail: "os error 2".into(), stderr: Vec::new() }, None);
            assert!(words.line().contains(named), "{words:?}");
            assert!(!words.line().contains("os error 2"), "{words:?}");
        }
    }
}
