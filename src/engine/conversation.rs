//! Conversations: opening (reads only), joining (`thread/resume`, by the user alone), leaving (DESIGN 5).

use super::history::History;
use super::input::{Focus, Output};
use super::ledger::{Entry, Progress};
use super::owner::Call;
use super::settings::Settings;
use super::view::{ConversationKey, OpKind, OpState};
use super::{Engine, threads, words};
use crate::base::{OpId, ThreadId, TurnId};
use crate::contract::{CallOutcome, Request};
use crate::live::LiveThread;
use crate::protocol::request::{ThreadReadParams, ThreadUnsubscribeParams};
use crate::protocol::{ClientRequest, ClientResponse, ServerNotification, Thread, ThreadStatus};

/// One conversation of this connection.
#[derive(Debug)]
pub(super) struct Conv {
    /// `None`: local until its first Send, or an id whose thread was not read yet.
    pub thread: Option<Thread>,
    /// `None` while nothing of it is shown.
    pub history: Option<History>,
    pub member: Member,
    pub composer: String,
    /// What an input method is composing beside it.
    pub preedit: Option<String>,
    /// The first text sent from here, for the title.
    pub(super) opening: Option<String>,
    pub settings: Settings,
    /// Something that happened and needs one sentence.
    pub note: Option<String>,
    /// `thread/read` failed, in words.
    pub failed: Option<String>,
    /// It no longer exists on the server.
    pub gone: bool,
    /// The turn that Interrupt was sent for: a second one hangs (FACTS S4).
    pub interrupted: Option<TurnId>,
}

/// How this connection relates to it.
#[derive(Debug)]
pub(super) enum Member {
    New,
    ReadOnly,
    Joining,
    JoinFailed(String),
    Joined(Feed),
}

/// What of a joined conversation reaches this window.
#[derive(Debug)]
pub(super) enum Feed {
    /// Not open: the worker's hub accumulates.
    Away {
        running: bool,
    },
    /// A snapshot is on its way, for this request.
    Attaching(OpId),
    Attached {
        live: Box<LiveThread>,
        seq: u64,
    },
}

impl Conv {
    /// Why only Refresh, answers and Interrupt are allowed: what is shown may not be what the server has.
    pub(super) fn out_of_date(&self) -> Option<&str> {
        let history = self.history.as_ref().and_then(History::out_of_date);
        if self.gone { None } else { history.or(self.failed.as_deref()) }
    }

    fn new(thread: Option<Thread>, member: Member, settings: Settings) -> Self {
        Self {
            thread,
            history: None,
            member,
            composer: String::new(),
            preedit: None,
            opening: None,
            settings,
            note: None,
            failed: None,
            gone: false,
            interrupted: None,
        }
    }

    pub(super) fn title(&self) -> String {
        let known = self.thread.as_ref().map(threads::title).filter(|title| title != words::UNTITLED);
        // A thread that was started here has no preview until the list is read again.
        let title = known.or_else(|| self.opening.as_deref().and_then(threads::first_line));
        title.unwrap_or_else(|| words::UNTITLED.to_owned())
    }

    pub(super) fn live(&self) -> Option<&LiveThread> {
        match &self.member {
            Member::Joined(Feed::Attached { live, .. }) => Some(live),
            Member::New | Member::ReadOnly | Member::Joining | Member::JoinFailed(_) | Member::Joined(_) => None,
        }
    }

    /// A turn of a joined conversation runs, as far as is known without the history.
    pub(super) fn is_running(&self) -> bool {
        match &self.member {
            Member::Joined(Feed::Away { running }) => *running,
            Member::Joined(Feed::Attached { live, .. }) => live.running.is_some(),
            Member::New | Member::ReadOnly | Member::Joining | Member::JoinFailed(_) => false,
            Member::Joined(Feed::Attaching(_)) => self.is_active(),
        }
    }

    /// The server says "active": possibly in use.
    pub(super) fn is_active(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| matches!(thread.status, ThreadStatus::Active { .. }))
    }

    /// The turn that a steer or an interrupt is for.
    pub(super) fn running_turn(&mut self) -> Option<TurnId> {
        if let Some(running) = self.live().and_then(|live| live.running.as_ref()) {
            return Some(running.id.clone());
        }
        if !matches!(self.member, Member::Joined(_)) {
            return None;
        }
        self.history.as_mut().and_then(|history| history.view().running).map(|running| running.turn)
    }
}

impl Engine {
    pub(super) fn open_thread(&mut self, id: ThreadId) {
        if self.owner.server.is_none() {
            return;
        }
        self.out(Output::Focus(Focus::History));
        let key = self.owner.key_of(&id);
        if self.owner.open.as_ref() == Some(&key) {
            return;
        }
        self.detach();
        let known = self.owner.threads.get(&id).cloned();
        let conv = self
            .owner
            .conversations
            .entry(key.clone())
            .or_insert_with(|| Conv::new(None, Member::ReadOnly, Settings::default()));
        conv.note = None;
        conv.failed = None;
        if let Some(thread) = known {
            conv.thread = Some(thread);
        }
        let joined = matches!(conv.member, Member::Joined(_));
        self.owner.open = Some(key.clone());
        if joined {
            // Still subscribed: a snapshot and fresh pages, no new Join.
            self.attach(&key);
            self.with_history(History::begin_sync);
        } else {
            self.show_history(&key);
        }
        let read = ThreadReadParams { thread_id: id, include_turns: false };
        self.call(ClientRequest::ThreadRead(read), Call::Read(key));
    }

    /// A conversation that began here: with its thread if it has one, else as it was left.
    pub(super) fn open_local(&mut self, local: u64) {
        let key = ConversationKey::Local(local);
        let Some(conv) = self.owner.conversations.get(&key) else { return };
        if let Some(thread) = &conv.thread {
            return self.open_thread(thread.id.clone());
        }
        if self.owner.open.as_ref() != Some(&key) {
            self.detach();
            self.owner.open = Some(key);
        }
        self.out(Output::Focus(Focus::Composer));
    }

    /// Begins the history of a thread that is known and shows none yet.
    fn show_history(&mut self, key: &ConversationKey) {
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        if let (None, Some(thread)) = (&conv.history, &conv.thread) {
            self.histories = self.histories.wrapping_add(1);
            conv.history = Some(History::open(thread, self.histories, self.now));
        }
    }

    pub(super) fn open_by_id(&mut self, text: &str) {
        match threads::pasted_id(text) {
            Some(id) => self.open_thread(id),
            None => {
                self.owner.threads.failed = Some(words::NOT_AN_ID.to_owned());
                self.announce(false, words::NOT_AN_ID);
            }
        }
    }

    /// A local conversation. Nothing is sent.
    pub(super) fn open_new(&mut self, cwd: Option<String>) {
        if self.owner.server.is_none() {
            return;
        }
        self.detach();
        self.locals += 1;
        let key = ConversationKey::Local(self.locals);
        let cwd = cwd.or_else(|| self.profile.as_ref().and_then(|profile| profile.cwd.clone()));
        let mut conv = Conv::new(None, Member::New, Settings::new(cwd));
        self.histories = self.histories.wrapping_add(1);
        conv.history = Some(History::local(self.histories));
        self.owner.conversations.insert(key.clone(), conv);
        self.owner.open = Some(key);
        self.out(Output::Focus(Focus::Composer));
    }

    pub(super) fn leave(&mut self) {
        self.detach();
        self.out(Output::Focus(Focus::Picker));
    }

    /// Closes the open conversation. Its composer stays; a running turn stays subscribed.
    fn detach(&mut self) {
        let Some(key) = self.owner.open.take() else { return };
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        let running = conv.is_running() || conv.is_active();
        match &mut conv.member {
            Member::Joined(feed) => {
                *feed = Feed::Away { running };
                let thread = conv.thread.as_ref().map(|thread| thread.id.clone());
                if let Some(thread) = thread {
                    self.write(Request::Detach { thread });
                }
                self.unsubscribe_if_done(&key);
            }
            Member::New | Member::Joining => {}
            Member::ReadOnly | Member::JoinFailed(_) => {
                conv.history = None;
                if conv.composer.is_empty() {
                    self.owner.conversations.remove(&key);
                }
            }
        }
    }

    /// Ends the subscription of a conversation that is not open and in which nothing of ours is under way.
    pub(super) fn unsubscribe_if_done(&mut self, key: &ConversationKey) {
        if self.owner.open.as_ref() == Some(key) {
            return;
        }
        let Some((_, stamp)) = self.owner.link() else { return };
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        let Some(thread) = conv.thread.as_ref().map(|thread| thread.id.clone()) else { return };
        let pending = [OpKind::Send, OpKind::Steer].into_iter().any(|kind| self.ledger.in_flight(stamp, key, kind));
        if !matches!(conv.member, Member::Joined(Feed::Away { running: false }))
            || pending
            || self.owner.requests.waits(&thread)
        {
            return;
        }
        conv.member = Member::ReadOnly;
        conv.history = None;
        self.call(ClientRequest::ThreadUnsubscribe(ThreadUnsubscribeParams { thread_id: thread }), Call::Unsubscribe);
    }

    /// `thread/read` answered: it decides whether the conversation exists.
    pub(super) fn thread_read(&mut self, key: &ConversationKey, outcome: CallOutcome) {
        let why = match outcome {
            CallOutcome::Ok(response) => match *response {
                ClientResponse::ThreadRead(read) => return self.thread_known(key, &read.thread),
                _ => words::read_failed("The answer was not understood"),
            },
            CallOutcome::Rejected(error) => words::read_refused(&error),
            CallOutcome::TimedOut => words::read_failed("The server did not answer in time"),
            CallOutcome::Lost => words::read_failed("The connection was lost"),
            CallOutcome::NotSent { reason } | CallOutcome::Unreadable { reason } => {
                words::read_failed(&words::short(&reason))
            }
        };
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        conv.gone = why == words::GONE;
        conv.failed = Some(why.clone());
        self.announce(false, why);
    }

    fn thread_known(&mut self, key: &ConversationKey, thread: &Thread) {
        self.owner.threads.learn(thread);
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        conv.failed = None;
        conv.thread = Some(thread.clone());
        if let Some(history) = &mut conv.history {
            history.thread_changed(thread);
        } else if self.owner.open.as_ref() == Some(key) {
            self.show_history(key);
        }
    }

    pub(super) fn refresh(&mut self) {
        let Some(key) = self.owner.open.clone() else { return };
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        let id = match (&conv.thread, &key) {
            (Some(thread), _) => thread.id.clone(),
            (None, ConversationKey::Thread(id)) => id.clone(),
            (None, ConversationKey::Local(_)) => return,
        };
        conv.failed = None;
        let joined = matches!(conv.member, Member::Joined(_));
        self.with_history(History::refresh);
        if joined {
            // After an overflow only a snapshot tells what runs.
            self.attach(&key);
        }
        let read = ThreadReadParams { thread_id: id, include_turns: false };
        self.call(ClientRequest::ThreadRead(read), Call::Read(key));
    }

    pub(super) fn with_history(&mut self, act: impl FnOnce(&mut History)) {
        let open = self.owner.open.as_ref().and_then(|key| self.owner.conversations.get_mut(key));
        if let Some(history) = open.and_then(|conv| conv.history.as_mut()) {
            act(history);
        }
    }

    /// What every connection hears about a thread, for the conversations that are held.
    pub(super) fn thread_heard(&mut self, event: &ServerNotification) {
        let (thread, note) = match event {
            ServerNotification::ThreadStatusChanged { thread_id, .. }
            | ServerNotification::ThreadNameUpdated { thread_id, .. }
            | ServerNotification::ThreadReverted { thread_id } => (thread_id, None),
            ServerNotification::ThreadDeleted { thread_id } => (thread_id, Some(words::GONE)),
            ServerNotification::ThreadClosed { thread_id } => (thread_id, Some(words::CLOSED)),
            _ => return,
        };
        let key = self.owner.key_of(thread);
        let open = self.owner.open.as_ref() == Some(&key);
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        if let Some(known) = &mut conv.thread {
            match event {
                ServerNotification::ThreadStatusChanged { status, .. } => known.status = status.clone(),
                ServerNotification::ThreadNameUpdated { thread_name, .. } => known.name.clone_from(thread_name),
                _ => {}
            }
            if let Some(history) = &mut conv.history {
                history.thread_changed(known);
            }
        }
        conv.gone |= matches!(event, ServerNotification::ThreadDeleted { .. });
        if let Some(note) = note {
            conv.note = Some(note.to_owned());
            if matches!(conv.member, Member::Joined(_)) {
                conv.member = Member::ReadOnly;
                if let Some(history) = &mut conv.history {
                    history.detached(note);
                }
            }
            if open {
                self.announce(true, note);
            }
        } else if open && matches!(event, ServerNotification::ThreadReverted { .. }) {
            self.with_history(History::refresh);
        }
    }

    /// Records an operation as InFlight before anything of it is written. `None`: the ledger is full.
    pub(super) fn intend(
        &mut self,
        kind: OpKind,
        key: &ConversationKey,
        fill: impl FnOnce(&mut Entry),
    ) -> Option<OpId> {
        let (_, stamp) = self.owner.link()?;
        let op = self.next_op();
        let thread =
            self.owner.conversations.get(key).and_then(|conv| conv.thread.as_ref()).map(|thread| thread.id.clone());
        let mut entry = Entry {
            op,
            stamp,
            kind,
            conversation: key.clone(),
            thread,
            turn: None,
            request: None,
            place: self.place_of(key),
            at: self.now.unix_ms,
            state: OpState::InFlight,
            text: None,
            client_id: None,
            progress: Progress::Out,
        };
        fill(&mut entry);
        self.ledger.intend(entry).ok().map(|()| op)
    }
}
