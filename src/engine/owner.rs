//! Everything that belongs to one owner generation, in one place, so that it can be dropped whole (DESIGN 1).

use std::collections::BTreeMap;

use super::conversation::Conv;
use super::recovery::{Snapshot, Ticket};
use super::requests::Requests;
use super::settings::Chosen;
use super::threads::Threads;
use super::view::{AccountView, ConversationKey, Notice};
use crate::base::{BridgeId, Instant, OpId, Stamp, ThreadId};
use crate::contract::ServerInfo;
use crate::live::snapshot::Assembler;
use crate::protocol::Account;
use crate::protocol::account::RateLimits;
use crate::protocol::settings::Model;

/// What a request on its way was for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    Account,
    Models,
    /// A page of the list, of the search with this number.
    Threads(u64),
    /// `thread/read` of a conversation.
    Read(ConversationKey),
    /// A page of its history.
    Page {
        conversation: ConversationKey,
        fetch: u64,
    },
    /// A snapshot of what runs.
    Attach(ConversationKey),
    Unsubscribe,
    /// In the ledger.
    Operation,
}

/// What the server said about who it is signed in as.
#[derive(Debug, Default)]
pub(super) struct AccountState {
    pub view: AccountView,
    /// Type and email of the first answer, within this connection.
    pub fingerprint: Option<Option<Fingerprint>>,
    pub sign_in_needed: bool,
}

/// What two answers are compared by; the plan is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    kind: &'static str,
    email: Option<String>,
}

impl Fingerprint {
    pub(super) fn of(account: &Account) -> Self {
        let (kind, email) = match account {
            Account::ApiKey => ("apiKey", None),
            Account::Chatgpt { email, .. } => ("chatgpt", email.clone()),
            Account::AmazonBedrock => ("amazonBedrock", None),
            Account::Unknown => ("unknown", None),
        };
        Self { kind, email }
    }
}

/// One owner generation. [`Default`] is: none lives.
#[derive(Debug, Default)]
pub(super) struct Owner {
    link: Option<(BridgeId, Stamp)>,
    /// The profile that it was begun with.
    pub snapshot: Option<Snapshot>,
    /// The attempt of recovery that began it.
    pub ticket: Option<Ticket>,
    pub server: Option<ServerInfo>,
    pub account: AccountState,
    pub rate_limits: Option<RateLimits>,
    pub notices: Vec<Notice>,
    pub models: Vec<Model>,
    pub threads: Threads,
    pub conversations: BTreeMap<ConversationKey, Conv>,
    pub open: Option<ConversationKey>,
    pub requests: Requests,
    pub calls: BTreeMap<OpId, Call>,
    pub snapshots: BTreeMap<OpId, Assembler>,
    /// The settings that went out with a `turn/start` on its way.
    pub sent_choices: BTreeMap<OpId, Chosen>,
    /// The server said "draining".
    pub draining: bool,
    /// The end of the attempt, until the first account/read.
    pub deadline: Option<Instant>,
}

impl Owner {
    /// A generation that begins with this worker.
    pub(super) fn begin(bridge: BridgeId, stamp: Stamp, deadline: Instant, snapshot: Snapshot) -> Self {
        Self { link: Some((bridge, stamp)), deadline: Some(deadline), snapshot: Some(snapshot), ..Self::default() }
    }

    pub(super) fn link(&self) -> Option<(BridgeId, Stamp)> {
        self.link
    }

    pub(super) fn bridge(&self) -> Option<BridgeId> {
        self.link.map(|(bridge, _)| bridge)
    }

    /// The conversation of a thread. A conversation that began here keeps its local key.
    pub(super) fn key_of(&self, thread: &ThreadId) -> ConversationKey {
        let has = |conv: &Conv| conv.thread.as_ref().is_some_and(|known| known.id == *thread);
        self.conversations
            .iter()
            .find(|(key, conv)| matches!(key, ConversationKey::Local(_)) && has(conv))
            .map_or_else(|| ConversationKey::Thread(thread.clone()), |(key, _)| key.clone())
    }

    /// Every owner-scoped store with its size. Exhaustive: a new field does not compile without a line here.
    pub(super) fn stores(&self) -> Vec<(&'static str, usize)> {
        let Self {
            link,
            snapshot,
            ticket,
            server,
            account,
            rate_limits,
            notices,
            models,
            threads,
            conversations,
            open,
            requests,
            calls,
            snapshots,
            sent_choices,
            draining,
            deadline,
        } = self;
        let AccountState { view, fingerprint, sign_in_needed } = account;
        vec![
            ("link", usize::from(link.is_some())),
            ("snapshot", usize::from(snapshot.is_some())),
            ("ticket", usize::from(ticket.is_some())),
            ("server", usize::from(server.is_some())),
            ("account", usize::from(*view != AccountView::Unknown)),
            ("fingerprint", usize::from(fingerprint.is_some())),
            ("sign-in", usize::from(*sign_in_needed)),
            ("rate limits", usize::from(rate_limits.is_some())),
            ("notices", notices.len()),
            ("models", models.len()),
            ("threads", threads.rows().len() + usize::from(threads.is_settled())),
            ("conversations", conversations.len()),
            ("open", usize::from(open.is_some())),
            ("requests", requests.len()),
            ("calls", calls.len()),
            ("snapshots", snapshots.len()),
            ("sent choices", sent_choices.len()),
            ("draining", usize::from(*draining)),
            ("deadline", usize::from(deadline.is_some())),
        ]
    }
}
