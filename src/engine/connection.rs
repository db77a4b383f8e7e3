//! The connection: beginning, ending, and which state of DESIGN 3 follows.

use super::conversation::Conv;
use super::input::{Output, Profile};
use super::owner::{Call, Fingerprint, Owner};
use super::view::{AccountView, Connection, ConversationKey, Notice, SignIn};
use super::{Engine, Intent, failure, threads, words};
use crate::base::{BridgeId, Stamp, ThreadId, limit};
use crate::contract::{CallOutcome, Event, Failure, FailureKind, Request, ServerInfo};
use crate::protocol::request::{AccountReadParams, ModelListParams};
use crate::protocol::rpc::{OVERLOADED, RpcError};
use crate::protocol::{ClientRequest, ClientResponse};

/// Whether a failure could be recovered from by itself (DESIGN 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Eligible for automatic recovery: the seam where an episode begins.
    Loss,
    /// Waits for the user.
    Terminal(Terminal),
}

/// The state that a terminal failure leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    NotConnected,
    Manual,
    SignIn,
    Confirmation,
}

/// Sorts a failure by the table of DESIGN 3.
pub fn classify(failure: &Failure) -> Verdict {
    match &failure.kind {
        FailureKind::ProcessExited { .. }
        | FailureKind::ConnectionLost
        | FailureKind::ConnectTimeout
        | FailureKind::Silent
        | FailureKind::HttpStatus { status: 408 | 429 | 502 | 503 | 504 }
        | FailureKind::Closed { code: 1001 | 1006 | 1011 | 1012 | 1013, .. }
        | FailureKind::Overloaded { .. }
        | FailureKind::Worker { .. } => Verdict::Loss,
        FailureKind::HttpStatus { status: 401 } => Verdict::Terminal(Terminal::SignIn),
        FailureKind::Tls { .. } | FailureKind::AccountChanged | FailureKind::ProfileChanged => {
            Verdict::Terminal(Terminal::Confirmation)
        }
        FailureKind::Disconnected => Verdict::Terminal(Terminal::NotConnected),
        FailureKind::ProgramMissing { .. }
        | FailureKind::ProgramNotExecutable { .. }
        | FailureKind::DirectoryMissing { .. }
        | FailureKind::HostNotFound { .. }
        | FailureKind::HttpStatus { .. }
        | FailureKind::Closed { .. }
        | FailureKind::BadUrl { .. }
        | FailureKind::TokenFile { .. }
        | FailureKind::CaFile { .. }
        | FailureKind::NotAnAppServer { .. }
        | FailureKind::MessageTooLarge
        | FailureKind::Refused { .. } => Verdict::Terminal(Terminal::Manual),
    }
}

/// An error to a request that every connection begins with: -32001 is transient, every other one is final.
fn refused(method: &str, error: &RpcError) -> Failure {
    let method = method.to_owned();
    let overloaded = error.code == OVERLOADED;
    let kind = if overloaded { FailureKind::Overloaded { method } } else { FailureKind::Refused { method } };
    failure(kind, &error.message)
}

pub(super) fn profile_changed() -> Failure {
    failure(FailureKind::ProfileChanged, "")
}

/// The most pages of the model catalog that are read.
const MODELS: usize = 200;
/// The most notices that are kept.
const NOTICES: usize = 20;

impl Engine {
    pub(super) fn connect(&mut self, profile: Profile) {
        self.recovery.stop();
        self.end_owner();
        if self.profile.as_ref() != Some(&profile) {
            self.revision += 1;
        }
        self.profile = Some(profile);
        self.open_bridge();
        self.enter(Connection::Connecting);
    }

    /// A new generation on a new worker; a dead one is never used again.
    pub(super) fn open_bridge(&mut self) {
        let Some(target) = self.profile.as_ref().map(|profile| profile.target.clone()) else { return };
        let stamp = self.partition.begin();
        self.bridges += 1;
        let bridge = BridgeId(self.bridges);
        self.owner = Owner::begin(bridge, stamp, self.now.instant + limit::ATTEMPT_TIMEOUT, self.snapshot());
        self.out(Output::StartWorker { bridge });
        self.write(Request::Connect { target });
    }

    pub(super) fn disconnect(&mut self) {
        self.recovery.stop();
        self.end_owner();
        self.enter(Connection::NotConnected);
    }

    /// Reconnect and Restart. After recovery was given up, or where a connection could not be made, a new episode.
    pub(super) fn reconnect(&mut self) {
        if let Connection::ManualReconnect { failure, .. } = &self.connection {
            let failure = failure.clone();
            let step = self.recovery.begin(self.now.instant, self.snapshot(), failure);
            return self.recover(step);
        }
        if let Some(profile) = self.profile.clone() {
            self.connect(profile);
        }
    }

    /// The connection ended or was not made.
    pub(super) fn end(&mut self, failure: Failure) {
        let link = self.owner.link();
        // Only what was a connection can be lost; one that could not be made is told at once.
        let was_there = self.owner.account.fingerprint.is_some() || self.recovery.is_active();
        let applied = self.owner.snapshot.clone();
        let changed = applied.as_ref().is_some_and(|applied| *applied != self.snapshot());
        self.end_owner();
        let next = match classify(&failure) {
            Verdict::Loss if changed => {
                self.recovery.stop();
                Connection::ConfirmationRequired { failure: profile_changed() }
            }
            Verdict::Loss if was_there => {
                let Some(link) = link else { return };
                let jitter = (self.config.jitter)();
                let step = self.recovery.lost(self.now.instant, link, self.snapshot(), failure, jitter);
                return self.recover(step);
            }
            Verdict::Loss | Verdict::Terminal(Terminal::Manual) => {
                Connection::ManualReconnect { failure, gave_up: None }
            }
            Verdict::Terminal(Terminal::SignIn) => Connection::SignInRequired { cause: SignIn::Token(failure) },
            Verdict::Terminal(Terminal::Confirmation) => Connection::ConfirmationRequired { failure },
            Verdict::Terminal(Terminal::NotConnected) => Connection::NotConnected,
        };
        self.recovery.stop();
        self.enter(next);
    }

    /// One step: nothing of the old owner is reachable afterwards but drafts and the ledger.
    pub(super) fn end_owner(&mut self) {
        let Some((bridge, _)) = self.owner.link() else { return };
        self.write(Request::Disconnect);
        self.out(Output::StopWorker { bridge });
        let origin = self.origin();
        self.partition.end();
        self.confirmed = None;
        self.ledger.lost(words::LOST_UNKNOWN, words::LOST_NOT_SENT);
        let owner = std::mem::take(&mut self.owner);
        for (key, conv) in owner.conversations {
            self.freeze(key, conv, origin.clone());
        }
        self.guard = super::announce::Guard::default();
        self.picker_changed = true;
    }

    /// Enters a state, with one announcement if its words change.
    pub(super) fn enter(&mut self, next: Connection) {
        let before = words::state(&self.connection, self.profile.as_ref()).title;
        let after = words::state(&next, self.profile.as_ref());
        let changed = before != after.title;
        let urgent = words::is_urgent(&next);
        self.connection = next;
        if changed {
            self.announce(urgent, format!("{}. {}", after.title, after.meaning));
        }
    }

    /// The state that follows from what is known of a live connection.
    pub(super) fn settle_connection(&mut self) {
        let Some(server) = self.owner.server.clone() else { return };
        let account_read = self.owner.account.fingerprint.is_some();
        let next = if self.owner.account.sign_in_needed {
            Connection::SignInRequired { cause: SignIn::Account(server) }
        } else if !account_read || !self.owner.threads.is_settled() {
            Connection::Synchronizing { server }
        } else if let Some(open) = &self.owner.open {
            match self.owner.conversations.get(open) {
                Some(conv) if conv.history.is_none() && conv.failed.is_none() => Connection::Synchronizing { server },
                Some(conv) => match conv.out_of_date() {
                    Some(why) => Connection::HistoryRefresh { server, why: why.to_owned() },
                    None => Connection::Ready { server },
                },
                None => Connection::Synchronizing { server },
            }
        } else {
            Connection::AwaitingSelection { server }
        };
        if next != self.connection {
            self.enter(next);
        }
    }

    /// Whether an event counts: of the current worker and of the current generation.
    pub(super) fn admits(&mut self, bridge: BridgeId, stamp: Option<Stamp>, event: &Event) -> bool {
        if self.owner.bridge() != Some(bridge) {
            self.stale += 1;
            return false;
        }
        match stamp {
            Some(stamp) => self.partition.admits(stamp),
            // Only the handshake has no stamp, and the link does it.
            None => {
                if !matches!(event, Event::Hello { .. }) {
                    self.stale += 1;
                }
                false
            }
        }
    }

    pub(super) fn connected(&mut self, server: ServerInfo) {
        if !self.goes_on() {
            return;
        }
        self.owner.server = Some(server);
        self.freeze_offline();
        self.read_account();
        self.call(ClientRequest::ModelList(ModelListParams::default()), Call::Models);
        self.read_threads();
    }

    pub(super) fn read_account(&mut self) {
        self.call(ClientRequest::AccountRead(AccountReadParams::default()), Call::Account);
    }

    /// `account/read` answered. Another account than before ends the owner.
    pub(super) fn account_read(&mut self, outcome: CallOutcome) {
        let first = self.owner.account.fingerprint.is_none();
        let response = match outcome {
            CallOutcome::Ok(response) => *response,
            CallOutcome::Rejected(error) if first => return self.end(refused("account/read", &error)),
            CallOutcome::TimedOut if first => return self.end(failure(FailureKind::ConnectTimeout, "account/read")),
            CallOutcome::Unreadable { reason } if first => {
                return self
                    .end(failure(FailureKind::NotAnAppServer { why: "account/read was unreadable".into() }, &reason));
            }
            // Later reads settle only themselves; what is known stays.
            CallOutcome::Rejected(_)
            | CallOutcome::TimedOut
            | CallOutcome::Unreadable { .. }
            | CallOutcome::NotSent { .. }
            | CallOutcome::Lost => return,
        };
        let ClientResponse::AccountRead(read) = response else { return };
        let fingerprint = read.account.as_ref().map(Fingerprint::of);
        if self.owner.account.fingerprint.as_ref().is_some_and(|known| *known != fingerprint) {
            return self.end(failure(FailureKind::AccountChanged, ""));
        }
        if first && !self.goes_on() {
            return;
        }
        if first {
            self.recovery.account_read(self.now.instant);
        }
        self.owner.deadline = None;
        self.owner.account.fingerprint = Some(fingerprint);
        self.owner.account.sign_in_needed = read.requires_openai_auth && read.account.is_none();
        self.owner.account.view = match read.account {
            Some(account) => AccountView::SignedIn(account),
            None if read.requires_openai_auth => AccountView::NotSignedIn,
            None => AccountView::NotNeeded,
        };
    }

    /// A page of the catalog; hidden models are left out.
    pub(super) fn models_read(&mut self, outcome: CallOutcome) {
        let CallOutcome::Ok(response) = outcome else { return };
        let ClientResponse::ModelList(page) = *response else { return };
        self.owner.models.extend(page.data.into_iter().filter(|model| !model.hidden));
        self.owner.models.truncate(MODELS);
        if page.next_cursor.is_some() && self.owner.models.len() < MODELS {
            let next = ModelListParams { cursor: page.next_cursor, limit: None };
            self.call(ClientRequest::ModelList(next), Call::Models);
        }
    }

    pub(super) fn notice(&mut self, text: impl Into<String>, details: Option<String>) {
        let notices = &mut self.owner.notices;
        notices.push(Notice { at: self.now.unix_ms, text: text.into(), details });
        if notices.len() > NOTICES {
            notices.remove(0);
        }
    }

    // The list.

    pub(super) fn read_threads(&mut self) {
        let params = self.owner.threads.restart();
        let epoch = self.owner.threads.epoch();
        self.call(ClientRequest::ThreadList(params), Call::Threads(epoch));
    }

    /// The intents of the list; they do nothing without a connection.
    pub(super) fn list(&mut self, intent: Intent) {
        if self.owner.server.is_none() {
            return;
        }
        match intent {
            Intent::Search(text) => {
                if text != self.owner.threads.search {
                    self.owner.threads.search = text;
                    self.read_threads();
                }
            }
            Intent::SetFilter(filter) => {
                if filter != self.owner.threads.filter {
                    self.owner.threads.filter = filter;
                    self.read_threads();
                }
            }
            Intent::LoadMoreThreads => {
                let epoch = self.owner.threads.epoch();
                if let Some(params) = self.owner.threads.next_page() {
                    self.call(ClientRequest::ThreadList(params), Call::Threads(epoch));
                }
            }
            _ => self.read_threads(),
        }
    }

    pub(super) fn threads_read(&mut self, epoch: u64, outcome: CallOutcome) {
        let why = match outcome {
            CallOutcome::Ok(response) => match *response {
                ClientResponse::ThreadList(page) => return self.owner.threads.page(epoch, page),
                _ => "The list could not be read".to_owned(),
            },
            CallOutcome::Rejected(error) if !self.owner.threads.is_settled() => {
                return self.end(refused("thread/list", &error));
            }
            // A transient failure of a read inside an attempt begins the next one.
            CallOutcome::TimedOut if !self.owner.threads.is_settled() && self.recovery.is_active() => {
                return self.end(failure(FailureKind::ConnectTimeout, "thread/list"));
            }
            CallOutcome::Rejected(error) => words::short(&error.message),
            CallOutcome::TimedOut => "The server did not answer in time".to_owned(),
            CallOutcome::Lost => "The connection was lost".to_owned(),
            CallOutcome::NotSent { reason } | CallOutcome::Unreadable { reason } => words::short(&reason),
        };
        self.owner.threads.page_failed(epoch, words::read_failed(&why));
    }

    /// A label for what outlives the connection.
    pub(super) fn place_of(&self, conversation: &ConversationKey) -> String {
        let title = self.owner.conversations.get(conversation).map(Conv::title);
        format!("{}, {}", title.unwrap_or_else(|| words::UNTITLED.to_owned()), words::place(self.profile.as_ref()))
    }

    /// The title of a conversation, open or listed or neither.
    pub(super) fn title_of_thread(&self, thread: &ThreadId) -> String {
        let key = self.owner.key_of(thread);
        let known = self.owner.conversations.get(&key).map(Conv::title);
        known
            .or_else(|| self.owner.threads.get(thread).map(threads::title))
            .unwrap_or_else(|| words::UNTITLED.to_owned())
    }
}
