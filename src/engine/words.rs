//! Every sentence of the engine: what happened, what is safe, what to do. The window only draws them.

mod failure;
mod item;

pub use failure::{FailureWords, failure};
pub use item::{completed, turn_ended};

use super::GaveUp;
use super::input::Profile;
use super::view::{Connection, Origin, SignIn};
use crate::base::redact::redact;
use crate::base::{Instant, limit};
use crate::contract::Target;
use crate::protocol::{RpcError, ServerRequest};

/// A connection state as it is shown: the exact words of DESIGN 3, never colour alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateWords {
    pub title: &'static str,
    /// One line.
    pub meaning: String,
    /// The name of an icon.
    pub icon: &'static str,
    pub buttons: &'static [Button],
}

/// What a state offers. The labels are fixed names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    Connect,
    ChooseProfile,
    /// `Intent::CancelConnecting`.
    Cancel,
    /// Skips the wait before the next attempt.
    TryNow,
    NewConversation,
    Reconnect,
    /// Reconnect after the token file was looked at.
    CheckTokenAndReconnect,
    /// Shows the profile.
    Review,
    /// Reads the open conversation again.
    Refresh,
}

impl Button {
    /// The button's name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Connect => "Connect",
            Self::ChooseProfile => "Choose profile",
            Self::Cancel => "Cancel",
            Self::TryNow => "Try now",
            Self::NewConversation => "New conversation",
            Self::Reconnect => "Reconnect",
            Self::CheckTokenAndReconnect => "Check token file and Reconnect",
            Self::Review => "Review",
            Self::Refresh => "Refresh",
        }
    }
}

/// The words of a state.
pub fn state(connection: &Connection, profile: Option<&Profile>) -> StateWords {
    let (title, meaning, icon, buttons): (_, _, _, &[Button]) = match connection {
        Connection::NotConnected => (
            "Not connected",
            "Nothing is running. What you type is kept.".to_owned(),
            "offline",
            &[Button::Connect, Button::ChooseProfile],
        ),
        Connection::Connecting => {
            ("Connecting", format!("Connecting to {}.", place(profile)), "connecting", &[Button::Cancel])
        }
        Connection::Synchronizing { .. } => (
            "Synchronizing history",
            "Connected. Reading the list; nothing is changed by it.".to_owned(),
            "sync",
            &[Button::Cancel],
        ),
        Connection::AwaitingSelection { .. } => (
            "Awaiting conversation selection",
            "Choose a conversation or start a new one.".to_owned(),
            "list",
            &[Button::NewConversation],
        ),
        Connection::Ready { .. } => ("Ready", format!("Connected to {}.", place(profile)), "ready", &[]),
        Connection::HistoryRefresh { why, .. } => {
            ("History refresh required", why.clone(), "warning", &[Button::Refresh])
        }
        Connection::Reconnecting { failure: cause, next, .. } => {
            let waits: &[Button] = if next.is_some() { &[Button::TryNow, Button::Cancel] } else { &[Button::Cancel] };
            ("Reconnecting", failure(cause, profile).while_reconnecting(), "connecting", waits)
        }
        Connection::ManualReconnect { failure: cause, gave_up } => (
            "Manual reconnect required",
            match gave_up {
                Some(why) => format!("{} {}", given_up(*why), failure(cause, profile).line()),
                None => failure(cause, profile).line(),
            },
            "warning",
            &[Button::Reconnect, Button::ChooseProfile],
        ),
        Connection::SignInRequired { cause: SignIn::Token(cause) } => (
            "Sign-in required",
            failure(cause, profile).line(),
            "key",
            &[Button::CheckTokenAndReconnect, Button::ChooseProfile],
        ),
        Connection::SignInRequired { cause: SignIn::Account(_) } => (
            "Sign-in required",
            "The server has no account. Conversations can be read; to send, run `codex login`, then Reconnect."
                .to_owned(),
            "key",
            &[Button::Reconnect, Button::ChooseProfile],
        ),
        Connection::ConfirmationRequired { failure: cause } => (
            "Connection/profile confirmation required",
            failure(cause, profile).line(),
            "shield",
            &[Button::Review, Button::Connect],
        ),
    };
    StateWords { title, meaning, icon, buttons }
}

/// Whether entering a state interrupts a screen reader: losses and needed sign-ins do.
pub fn is_urgent(connection: &Connection) -> bool {
    match connection {
        Connection::Reconnecting { .. }
        | Connection::ManualReconnect { .. }
        | Connection::SignInRequired { .. }
        | Connection::ConfirmationRequired { .. } => true,
        Connection::NotConnected
        | Connection::Connecting
        | Connection::Synchronizing { .. }
        | Connection::AwaitingSelection { .. }
        | Connection::HistoryRefresh { .. }
        | Connection::Ready { .. } => false,
    }
}

/// Why recovery ended without a connection.
fn given_up(why: GaveUp) -> &'static str {
    match why {
        GaveUp::Attempts => "Five attempts to connect again failed.",
        GaveUp::Time => "Connecting again took more than five minutes.",
        GaveUp::Cancelled => "You cancelled connecting again.",
    }
}

/// "attempt 2 of 5, next in 3 s": beside the state, never in a live region.
pub fn progress(connection: &Connection, now: Instant) -> Option<String> {
    let Connection::Reconnecting { attempt, next, .. } = connection else { return None };
    let count = format!("attempt {attempt} of {}", limit::ATTEMPTS);
    Some(match next {
        None => count,
        Some(next) => format!("{count}, next in {} s", next.since(now).as_millis().div_ceil(1_000)),
    })
}

/// What differs between the connection of a draft and the one that is there.
pub fn differences(old: &Origin, new: &Origin) -> Vec<String> {
    let fields = [
        ("profile", &old.profile, &new.profile),
        ("endpoint", &old.endpoint, &new.endpoint),
        ("account", &old.account, &new.account),
        ("directory", &old.root, &new.root),
    ];
    let differing = fields.iter().filter(|(_, old, new)| old != new);
    differing.map(|(what, old, new)| format!("Another {what}: it was {old}, it is {new}.")).collect()
}

/// A profile and its endpoint, for the labels of what outlives a connection.
pub fn place(profile: Option<&Profile>) -> String {
    profile
        .map_or_else(|| "no profile".to_owned(), |profile| format!("{} ({})", profile.name, endpoint(&profile.target)))
}

/// Where a target is, without credentials.
pub fn endpoint(target: &Target) -> String {
    match target {
        Target::Stdio { program, .. } => program.display().to_string(),
        Target::WebSocket { url, .. } => redact(url),
        Target::Demo { scenario } => format!("demo, {scenario}"),
    }
}

/// The composer's name while nothing is connected (DESIGN 4).
pub const OFFLINE_PLACEHOLDER: &str = "Not connected; your text is kept above";
/// The composer's name otherwise.
pub const PLACEHOLDER: &str = "Message";
/// A title for a conversation that says nothing of itself.
pub const UNTITLED: &str = "New conversation";

pub const CANNOT_OFFLINE: &str = "Not connected. Your text is kept; connect to send it.";
pub const CANNOT_SIGN_IN: &str = "Sign in first: run `codex login`, then Reconnect. Your text is kept.";
pub const CANNOT_SYNC: &str = "The conversation is still being read.";
pub const CANNOT_NOTHING_OPEN: &str = "Choose a conversation first.";
pub const CANNOT_DRAINING: &str =
    "The server is shutting down and takes nothing new. Reading goes on; your text is kept for the next connection.";
pub const CANNOT_LEDGER: &str = "Too many operations wait for your review. Dismiss some, then send.";
pub const CANNOT_DRAFTS: &str = "Too many drafts are kept. Discard some, then send.";
pub const CANNOT_PENDING: &str = "Your last message has no answer yet.";
pub const CANNOT_OUT_OF_DATE: &str = "Refresh the history first.";
pub const CANNOT_JOIN_FIRST: &str = "Join to send.";
pub const CANNOT_JOINING: &str = "Joining. You can send when it is done.";
pub const CANNOT_RUNNING_UNKNOWN: &str = "Reading which turn runs.";
pub const CANNOT_EMPTY: &str = "Write a message first.";

pub const GONE: &str = "This conversation no longer exists on the server. Your text is kept.";
pub const CLOSED: &str = "The server closed this conversation. Nothing is lost; Join to go on.";
pub const ADDED: &str = "Added to the running turn.";
pub const ELSEWHERE: &str = "A request is open elsewhere; Join to see it.";
pub const NOT_RECEIVED: &str =
    "The server waits for an answer to a request that did not arrive here. Wait, or press Stop.";
pub const STOP_UNANSWERED: &str = "Stop was sent and has no answer yet. The end of the turn will settle it.";
pub const STOP_AGAIN: &str = "Stop was already requested for this turn.";
pub const NOTHING_TO_STOP: &str = "No turn runs here.";
pub const JOIN_TIMED_OUT: &str = "The server did not answer Join in time. What you read stays; try Join again.";
pub const DROPPED: &str =
    "Accepted, then dropped: the turn ended before Codex read your message. Your text is in review.";
pub const TEXT_IN_REVIEW: &str = "Your text is kept for review.";
pub const ACCEPTED_AFTER_ALL: &str = "A message whose fate was not known is in the history: it was accepted.";
pub const TYPED_OFFLINE: &str = "Typed while not connected";
pub const ACCOUNT_NONE: &str = "not known";
pub const CANNOT_CONFIRM: &str = "Not connected yet. The connection can be confirmed when it is there.";
pub const CONFIRM_FIRST: &str = "Confirm connection first.";
pub const SELECT_FIRST: &str = "Choose the conversation that the draft is for.";
pub const CONFIRMED: &str = "Connection confirmed. Drafts can be restored.";
pub const RESTORED: &str = "Draft restored to the composer. Nothing was sent.";
pub const MODEL_NOT_OFFERED: &str = "The draft's model is not offered here; the conversation's own is used.";
pub const TWIN_DRAFT: &str = "A draft with the same text is kept as well.";
pub const TWIN_OPERATION: &str = "A message with exactly this text may have been accepted already: see the review. Sending it again may run it twice.";
pub const JOIN_LATE: &str = "The server answered Join too late. Press Join again; nothing is repeated by it.";
pub const SNAPSHOT_FAULT: &str = "What runs now could not be read. Refresh shows what is finished.";
pub const LOST_UNKNOWN: &str =
    "The connection ended before the server answered. It may have been done; sending again may run it twice.";
pub const LOST_NOT_SENT: &str = "The connection ended before it was sent. Nothing of it went out.";
pub const TIMED_OUT: &str = "The server did not answer in time. It may have been done; sending again may run it twice.";
pub const UNREADABLE: &str =
    "The server's answer could not be read. It may have been done; sending again may run it twice.";
pub const STEER_UNSEEN: &str =
    "Accepted; its turn ended while you were elsewhere. Open the conversation to see whether it was read.";
pub const NOT_STARTED: &str = "Waiting for the conversation to start.";
pub const START_FAILED: &str = "The conversation was not started, so the message was not sent.";
pub const ANSWER_NOT_SENT: &str = "Your answer was not sent: the request is no longer open here.";
pub const ANSWER_LATE: &str = "The request is no longer open. Nothing was sent.";
pub const ANSWER_NOT_OFFERED: &str = "The server does not offer this decision. Nothing was sent.";
pub const RESOLVED_ELSEWHERE: &str = "A request was settled elsewhere.";
pub const COMPOSER_NOT_EMPTY: &str = "The composer is not empty. Nothing was replaced.";
pub const CARDS_FULL: &str = "More requests wait than can be shown. Answer some, then Join again.";
pub const NOT_AN_ID: &str = "This is not a conversation id. Paste the id, or the whole `codex resume` command.";

/// What a request of the server wants, in one sentence.
pub fn asked(ask: &ServerRequest) -> String {
    match ask {
        ServerRequest::CommandApproval(_) => "Codex asks to run a command.".to_owned(),
        ServerRequest::FileChangeApproval(_) => "Codex asks to change files.".to_owned(),
        ServerRequest::Other(other) => {
            format!("Codex waits for {}, which cannot be answered here yet. Wait, or press Stop.", short(&other.method))
        }
    }
}

/// A refused mutation: not executed.
pub fn rejected(error: &RpcError) -> String {
    if error.is_draining() {
        return "Not done: the server is shutting down. Reconnect later, then send again.".to_owned();
    }
    if error.code == crate::protocol::rpc::OVERLOADED {
        return "Not done: the server is overloaded. Nothing was executed; try again.".to_owned();
    }
    format!("The server refused it; nothing was executed. It said: {}", short(&error.message))
}

/// Nothing of an operation went out.
pub fn not_sent(reason: &str) -> String {
    format!("Not sent: {}. Nothing of it went out.", short(reason).trim_end_matches('.'))
}

/// A refused Join.
pub fn join_refused(error: &RpcError) -> String {
    let said = &error.message;
    if said.contains("already has an active writer") {
        "Another Codex process is writing to this conversation. You can read it here; Join when that process has ended."
            .to_owned()
    } else if said.contains("is archived") {
        "This conversation is archived. You can read it here; run `codex unarchive` with its id to go on with it."
            .to_owned()
    } else if said.starts_with("no rollout found") {
        GONE.to_owned()
    } else {
        rejected(error)
    }
}

/// A conversation could not be read.
pub fn read_refused(error: &RpcError) -> String {
    if error.message.starts_with("thread not loaded") {
        GONE.to_owned()
    } else if error.message.starts_with("invalid thread id") {
        NOT_AN_ID.to_owned()
    } else {
        format!(
            "The server did not let it be read. Nothing is changed; try Refresh. It said: {}",
            short(&error.message)
        )
    }
}

/// A read that has no answer.
pub fn read_failed(why: &str) -> String {
    format!("{why}. What is shown may be out of date; nothing is changed. Try again.")
}

/// The first line of a server's text, at most 300 characters (errors of 4 KB exist, FACTS 11).
pub fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(300) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

/// An operation's fate and what the history shows of it.
pub fn not_in_history(time: &str) -> String {
    format!("Not in history as of {time}. That alone proves nothing.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Failure, FailureKind, ServerInfo};

    #[test]
    fn every_state_has_its_exact_title_a_meaning_an_icon_and_a_way_on() {
        let server = ServerInfo { version: "0.159.1".into(), pid: None };
        let failure = Failure { kind: FailureKind::ConnectionLost, detail: String::new(), stderr: Vec::new() };
        let states = [
            (Connection::NotConnected, "Not connected"),
            (Connection::Connecting, "Connecting"),
            (Connection::Synchronizing { server: server.clone() }, "Synchronizing history"),
            (Connection::AwaitingSelection { server: server.clone() }, "Awaiting conversation selection"),
            (Connection::Ready { server: server.clone() }, "Ready"),
            (Connection::Reconnecting { attempt: 1, next: None, failure: failure.clone() }, "Reconnecting"),
            (Connection::ManualReconnect { failure: failure.clone(), gave_up: None }, "Manual reconnect required"),
            (Connection::SignInRequired { cause: SignIn::Token(failure.clone()) }, "Sign-in required"),
            (Connection::SignInRequired { cause: SignIn::Account(server) }, "Sign-in required"),
            (Connection::ConfirmationRequired { failure }, "Connection/profile confirmation required"),
        ];
        for (connection, title) in states {
            let words = state(&connection, None);
            assert_eq!(words.title, title);
            assert!(!words.meaning.is_empty() && !words.meaning.contains('\n') && !words.icon.is_empty());
            assert!(!words.buttons.is_empty() || title == "Ready");
        }
    }

    #[test]
    fn a_credential_in_a_url_is_not_a_label() {
        let target = Target::WebSocket { url: "wss://me:pw@host/x".into(), token_file: None, ca_file: None };
        assert!(!endpoint(&target).contains("pw"));
    }
}
