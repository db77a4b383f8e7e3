//! The pure heart: one state machine for the whole window. No clock, randomness, files, tokio, iced or JSON.
//!
//! One shape: [`Engine::handle_input`] mutates once, then [`Engine::poll_output`] is drained to
//! empty; [`Engine::poll_timeout`] says when [`Engine::handle_timeout`] is due. The window is a
//! function of what the accessors return.
//!
//! What belongs to one connection lives in [`owner::Owner`] and is dropped whole when it ends;
//! beside it only drafts, the ledger and the text typed while not connected survive (DESIGN 1, 4).

mod announce;
mod composer;
mod connection;
mod conversation;
mod draft;
mod events;
pub mod history;
pub mod input;
mod join;
mod ledger;
mod live;
mod message;
mod owner;
mod quarantine;
mod recover;
mod recovery;
pub mod requests;
mod settings;
pub mod threads;
pub mod view;
mod window;
pub mod words;

pub use connection::{Terminal, Verdict, classify};
pub use input::{Input, Intent, Output};
pub use recovery::GaveUp;
pub use window::NeedsYou;

use std::collections::VecDeque;

use self::announce::Guard;
use self::draft::Drafts;
use self::input::Profile;
use self::ledger::Ledger;
use self::owner::{Call, Owner};
use self::recovery::Recovery;
use self::view::{Connection, ConversationKey, Picker};
use crate::base::stamp::Partition;
use crate::base::{BridgeId, Instant, Now, OpId, Stamp, UnixMs};
use crate::contract::{Failure, FailureKind, Request};
use crate::protocol::ClientRequest;

/// What the engine cannot make by itself.
pub struct Config {
    /// Fresh client message ids; never the same twice.
    pub new_id: Box<dyn FnMut() -> String + Send>,
    /// A time of day as the user reads it ("14:03"), in the user's time zone.
    pub time_text: Box<dyn Fn(UnixMs) -> String + Send>,
    /// Numbers from 0 to 1, for the delays of recovery.
    pub jitter: Box<dyn FnMut() -> f64 + Send>,
}

/// The state of the whole window. See the module.
pub struct Engine {
    config: Config,
    now: Now,
    outputs: VecDeque<Output>,
    partition: Partition,
    /// Events of bridges that are no longer the current one.
    stale: u64,
    bridges: u64,
    ops: u64,
    locals: u64,
    /// Histories begun: each has row keys of its own.
    histories: u32,
    profile: Option<Profile>,
    /// Raised by every change of the profile.
    revision: u64,
    connection: Connection,
    recovery: Recovery,
    ledger: Ledger,
    drafts: Drafts,
    /// The generation that the user confirmed for restoring drafts.
    confirmed: Option<Stamp>,
    /// What is typed while not connected.
    offline: String,
    guard: Guard,
    owner: Owner,
    picker: Picker,
    picker_changed: bool,
}

/// The composer that is shown while no conversation of a connection can be.
pub const OFFLINE: ConversationKey = ConversationKey::Local(0);

impl Engine {
    /// Nothing is connected and nothing runs.
    pub fn new(config: Config, now: Now) -> Self {
        Self {
            config,
            now,
            outputs: VecDeque::new(),
            partition: Partition::default(),
            stale: 0,
            bridges: 0,
            ops: 0,
            locals: 0,
            histories: 0,
            profile: None,
            revision: 0,
            connection: Connection::NotConnected,
            recovery: Recovery::default(),
            ledger: Ledger::default(),
            drafts: Drafts::default(),
            confirmed: None,
            offline: String::new(),
            guard: Guard::default(),
            owner: Owner::default(),
            picker: Picker::default(),
            picker_changed: true,
        }
    }

    /// Applies one input.
    pub fn handle_input(&mut self, now: Now, input: Input) {
        self.arrive(now);
        match input {
            Input::User(intent) => {
                self.picker_changed = true;
                self.user(intent);
            }
            Input::Worker { bridge, stamp, event } => {
                if self.admits(bridge, stamp, &event) {
                    self.event(event);
                }
            }
            Input::WorkerGone { bridge, failure } => {
                if self.owner.bridge() == Some(bridge) {
                    self.end(failure);
                }
            }
        }
        self.settle();
    }

    /// Does what is due at `now`.
    pub fn handle_timeout(&mut self, now: Now) {
        self.arrive(now);
        if self.owner.deadline.is_some_and(|deadline| deadline <= now.instant) || self.recovery.is_overdue(now.instant)
        {
            self.end(failure(FailureKind::ConnectTimeout, "no first account/read in time"));
        }
        self.recovery_due();
        if let Some(text) = self.guard.summary(now.instant) {
            self.announce(false, text);
        }
        self.settle();
    }

    /// When [`Engine::handle_timeout`] is due.
    pub fn poll_timeout(&self) -> Option<Instant> {
        [self.owner.deadline, self.recovery.poll_timeout(), self.guard.due()].into_iter().flatten().min()
    }

    /// The next thing to do; drained to empty after every input.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// What follows from any input: pages wanted, evidence seen, the state entered.
    fn settle(&mut self) {
        self.pump_pages();
        self.settle_evidence();
        self.settle_connection();
    }

    fn user(&mut self, intent: Intent) {
        match intent {
            Intent::Connect(profile) => self.connect(profile),
            Intent::Disconnect => self.disconnect(),
            Intent::Reconnect => self.reconnect(),
            Intent::TryNow => self.try_now(),
            Intent::CancelConnecting => self.cancel_connecting(),
            Intent::ProfileEdited => self.profile_edited(),
            Intent::Search(_) | Intent::SetFilter(_) | Intent::LoadMoreThreads | Intent::RefreshThreads => {
                self.list(intent);
            }
            Intent::Open(thread) => self.open_thread(thread),
            Intent::OpenById(text) => self.open_by_id(&text),
            Intent::OpenLocal(local) => self.open_local(local),
            Intent::New { cwd } => self.open_new(cwd),
            Intent::Leave => self.leave(),
            Intent::Join => self.join(),
            Intent::Refresh => self.refresh(),
            Intent::LoadOlder => self.with_history(history::History::load_older),
            Intent::LoadNewer => self.with_history(history::History::load_newer),
            Intent::ExpandTurn(turn) => self.with_history(|history| history.expand(&turn)),
            Intent::CollapseTurn(turn) => self.with_history(|history| history.collapse(&turn)),
            Intent::Viewing { first, last, at_end } => {
                self.with_history(|history| history.viewing(first, last, at_end))
            }
            Intent::DismissLost(row) => self.with_history(|history| history.dismiss(row)),
            Intent::Edit { conversation, text } => self.edit(&conversation, text),
            Intent::Composing { conversation, preedit } => {
                if let Some(conv) = self.owner.conversations.get_mut(&conversation) {
                    conv.preedit = preedit.filter(|preedit| !preedit.is_empty());
                }
            }
            Intent::Send => self.send(),
            Intent::Interrupt => self.interrupt(),
            Intent::SetCwd(_) | Intent::SetModel { .. } | Intent::SetApproval(_) | Intent::SetSandbox(_) => {
                self.choose(intent);
            }
            Intent::Answer { request, answer } => self.answer(request, answer),
            Intent::DismissOperation(op) => self.dismiss(op),
            Intent::EditOperation(op) => self.edit_operation(op),
            Intent::ConfirmConnection => self.confirm_connection(),
            Intent::RestoreDraft(id) => self.restore_draft(id),
            Intent::DiscardDraft(id) => self.drafts.discard(id),
        }
    }

    // What the machines in the submodules share.

    fn out(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    fn announce(&mut self, assertive: bool, text: impl Into<String>) {
        self.out(Output::Announce { assertive, text: text.into() });
    }

    fn next_op(&mut self) -> OpId {
        self.ops += 1;
        OpId(self.ops)
    }

    /// Writes a request to the current worker. Nothing is written without one.
    fn write(&mut self, request: Request) {
        if let Some((bridge, stamp)) = self.owner.link() {
            self.out(Output::Send { bridge, stamp, request });
        }
    }

    /// Sends a request to the server and remembers why.
    fn call(&mut self, call: ClientRequest, why: Call) -> OpId {
        let op = self.next_op();
        self.call_as(op, call, why);
        op
    }

    fn call_as(&mut self, op: OpId, call: ClientRequest, why: Call) {
        self.owner.calls.insert(op, why);
        self.write(Request::Call { op, call });
    }

    /// The generation that lives, if one does.
    pub fn stamp(&self) -> Option<Stamp> {
        self.partition.current()
    }

    /// How many events of ended generations and dead workers were dropped.
    pub fn stale_dropped(&self) -> u64 {
        self.partition.dropped() + self.stale + self.recovery.late()
    }

    /// How many recovery episodes this window has begun.
    pub fn episodes(&self) -> u64 {
        self.recovery.begun()
    }

    /// The worker that is in use.
    pub fn bridge(&self) -> Option<BridgeId> {
        self.owner.bridge()
    }
}

fn failure(kind: FailureKind, detail: &str) -> Failure {
    Failure { kind, detail: detail.to_owned(), stderr: Vec::new() }
}
