//! What the window reads: plain values of the current state.

use super::conversation::{Conv, Member};
use super::view::{
    Banner, Card, Composer, Conversation, ConversationKey, Draft, HistoryView, Loading, Membership, OpKind, OpState,
    Picker, PickerRow, Review, RowBody, SendState,
};
use super::{Engine, OFFLINE, ledger, threads, words};
use crate::base::{ItemId, RequestId, ThreadId};
use crate::contract::ServerInfo;
use crate::protocol::thread::ActiveFlag;
use crate::protocol::{ServerRequest, ThreadItem, ThreadStatus};

/// A conversation that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedsYou {
    /// `None`: the request names no conversation.
    pub thread: Option<ThreadId>,
    pub title: String,
    pub request: RequestId,
}

impl Engine {
    pub fn banner(&self) -> Banner<'_> {
        Banner {
            connection: &self.connection,
            profile: self.profile.as_ref(),
            account: &self.owner.account.view,
            rate_limits: self.owner.rate_limits.as_ref(),
            notices: &self.owner.notices,
        }
    }

    /// The server of the living connection.
    pub fn server(&self) -> Option<&ServerInfo> {
        self.owner.server.as_ref()
    }

    /// The frozen texts, oldest first.
    pub fn drafts(&self) -> &[Draft] {
        self.drafts.all()
    }

    /// The list; rebuilt only when something of it changed.
    pub fn picker(&mut self) -> &Picker {
        if std::mem::take(&mut self.picker_changed) {
            self.picker = self.build_picker();
        }
        &self.picker
    }

    fn build_picker(&self) -> Picker {
        let list = &self.owner.threads;
        let search = list.search.trim().to_lowercase();
        let listed = |conv: &Conv| conv.thread.as_ref().is_some_and(|thread| list.get(&thread.id).is_some());
        // What began here stays selectable, newest first, until the list shows it itself.
        let local = self.owner.conversations.iter().rev().filter(|(key, conv)| {
            matches!(key, ConversationKey::Local(_))
                && !list.filter.archived
                && !listed(conv)
                && conv.title().to_lowercase().contains(&search)
        });
        let mut rows: Vec<PickerRow> = local.map(|(key, conv)| self.local_row(key, conv)).collect();
        for thread in list.rows() {
            let key = self.owner.key_of(&thread.id);
            let conv = self.owner.conversations.get(&key);
            rows.push(PickerRow {
                title: threads::title(thread),
                status: thread.status.clone(),
                recency: Some(threads::recency(thread)),
                archived: list.filter.archived,
                draft: conv.is_some_and(|conv| !conv.composer.is_empty()),
                needs_you: self.owner.requests.waits(&thread.id),
                running: conv.is_some_and(Conv::is_running),
                cwd: thread.cwd.clone(),
                source: threads::source(thread),
                key,
            });
        }
        Picker {
            rows,
            search: list.search.clone(),
            filter: list.filter.clone(),
            loading: list.loading,
            more: list.more(),
            full: list.is_full(),
            failed: list.failed.clone(),
            selected: self.owner.open.clone(),
        }
    }

    fn local_row(&self, key: &ConversationKey, conv: &Conv) -> PickerRow {
        let thread = conv.thread.as_ref();
        PickerRow {
            key: key.clone(),
            title: conv.title(),
            status: thread.map_or(ThreadStatus::NotLoaded, |thread| thread.status.clone()),
            recency: thread.map(threads::recency),
            archived: false,
            draft: !conv.composer.is_empty(),
            needs_you: thread.is_some_and(|thread| self.owner.requests.waits(&thread.id)),
            running: conv.is_running(),
            cwd: conv.settings.cwd.clone().unwrap_or_default(),
            source: None,
        }
    }

    /// The open conversation. Rows are shared, not copied.
    pub fn conversation(&mut self) -> Option<Conversation> {
        let key = self.owner.open.clone()?;
        let send = self.send_state(&key);
        let reviews = self.reviews_where(|entry, current| current && entry.conversation == key);
        let conv = self.owner.conversations.get_mut(&key)?;
        let history = history_view(conv);
        let as_of = conv.history.as_ref().and_then(super::history::History::as_of);
        let membership = match &conv.member {
            Member::New => Membership::New,
            Member::ReadOnly => Membership::ReadOnly { as_of },
            Member::Joining => Membership::Joining,
            Member::JoinFailed(why) => Membership::JoinFailed { as_of, why: why.clone() },
            Member::Joined(_) => Membership::Joined,
        };
        let conv = self.owner.conversations.get(&key)?;
        let cards = self.cards_of(conv, &history);
        let kind_note = self.note(conv, cards.is_empty());
        Some(Conversation {
            title: conv.title(),
            thread: conv.thread.clone(),
            membership,
            kind_note,
            history,
            composer: Composer { text: conv.composer.clone(), send, placeholder: words::PLACEHOLDER.to_owned() },
            cards,
            reviews,
            token_usage: conv.live().and_then(|live| live.token_usage.clone()),
            next_turn: conv.settings.view(&self.owner.models),
            key,
        })
    }

    /// The composer while no conversation is open.
    pub fn offline_composer(&self) -> Composer {
        let reason = self.mutation_refused(1).unwrap_or(words::CANNOT_NOTHING_OPEN);
        Composer {
            text: self.composer_text(&OFFLINE).to_owned(),
            send: SendState::Cannot(reason.to_owned()),
            placeholder: words::OFFLINE_PLACEHOLDER.to_owned(),
        }
    }

    /// What needs saying of a conversation: what happened, what waits, what kind of history it is.
    fn note(&self, conv: &Conv, no_cards: bool) -> Option<String> {
        let waits = conv.thread.as_ref().is_some_and(|thread| match &thread.status {
            ThreadStatus::Active { active_flags } => active_flags
                .iter()
                .any(|flag| matches!(flag, ActiveFlag::WaitingOnApproval | ActiveFlag::WaitingOnUserInput)),
            ThreadStatus::NotLoaded | ThreadStatus::Idle | ThreadStatus::SystemError | ThreadStatus::Unknown => false,
        });
        let waits = match conv.member {
            _ if !waits || !no_cards => None,
            Member::Joined(_) => Some(words::NOT_RECEIVED.to_owned()),
            Member::New | Member::ReadOnly | Member::Joining | Member::JoinFailed(_) => {
                Some(words::ELSEWHERE.to_owned())
            }
        };
        let kind = conv.history.as_ref().and_then(super::history::History::kind_note);
        let said: Vec<String> = [conv.note.clone(), waits, kind].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    fn cards_of(&self, conv: &Conv, history: &HistoryView) -> Vec<Card> {
        let Some(thread) = &conv.thread else { return Vec::new() };
        let cards = self.owner.requests.cards().filter(|card| card.ask.thread_id() == Some(&thread.id));
        cards
            .map(|mut card| {
                card.item = match &card.ask {
                    ServerRequest::CommandApproval(ask) => item(conv, history, &ask.turn_id, &ask.item_id),
                    ServerRequest::FileChangeApproval(ask) => item(conv, history, &ask.turn_id, &ask.item_id),
                    ServerRequest::Other(_) => None,
                };
                card
            })
            .collect()
    }

    /// Open requests across all conversations, oldest first.
    pub fn needs_you(&self) -> Vec<NeedsYou> {
        let cards = self.owner.requests.cards();
        cards
            .map(|card| {
                let thread = card.ask.thread_id().cloned();
                let title =
                    thread.as_ref().map_or_else(|| words::asked(&card.ask), |thread| self.title_of_thread(thread));
                NeedsYou { thread, title, request: card.request }
            })
            .collect()
    }

    /// Operations to review that do not belong to the open conversation, old connections among them.
    pub fn other_reviews(&self) -> Vec<Review> {
        let open = self.owner.open.clone();
        self.reviews_where(|entry, current| !(current && Some(&entry.conversation) == open.as_ref()))
    }

    fn reviews_where(&self, keep: impl Fn(&ledger::Entry, bool) -> bool) -> Vec<Review> {
        let stamp = self.partition.current();
        self.ledger
            .iter()
            .filter(|entry| ledger::needs_review(entry) && keep(entry, Some(entry.stamp) == stamp))
            .map(|entry| Review {
                op: entry.op,
                what: entry.kind,
                place: entry.place.clone(),
                at: entry.at,
                state: entry.state.clone(),
                text: entry.text.clone(),
                evidence: self.evidence(entry),
            })
            .collect()
    }

    /// What the open history shows of an operation whose outcome is unknown.
    fn evidence(&self, entry: &ledger::Entry) -> Option<String> {
        let seen = self.seen(entry);
        let twin = self.has_twin(entry).then(|| words::TWIN_DRAFT.to_owned());
        let said: Vec<String> = [seen, twin].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    fn seen(&self, entry: &ledger::Entry) -> Option<String> {
        if !matches!(entry.state, OpState::OutcomeUnknown(_)) || !matches!(entry.kind, OpKind::Send | OpKind::Steer) {
            return None;
        }
        let conv = self.owner.conversations.get(self.owner.open.as_ref()?)?;
        if conv.thread.as_ref().map(|thread| &thread.id) != entry.thread.as_ref() {
            return None;
        }
        let as_of = conv.history.as_ref()?.as_of().filter(|as_of| *as_of > entry.at)?;
        Some(words::not_in_history(&(self.config.time_text)(as_of)))
    }

    /// Nothing of ours is under way: for the driver, which then looks at the window.
    pub fn is_quiet(&self) -> bool {
        self.outputs.is_empty()
            && self.owner.calls.is_empty()
            && self.owner.snapshots.is_empty()
            && (self.owner.link().is_none() || self.owner.server.is_some())
            && !self.recovery.is_searching()
            && self.guard.due().is_none()
            && !self.ledger.iter().any(|entry| entry.state == OpState::InFlight && entry.kind == OpKind::Answer)
    }

    /// Every store that belongs to one owner generation, with its size: all zero when none lives.
    pub fn owner_stores(&self) -> Vec<(&'static str, usize)> {
        self.owner.stores()
    }
}

/// The history as it is, or what stands in its place.
fn history_view(conv: &mut Conv) -> HistoryView {
    let mut view = match (&mut conv.history, &conv.failed) {
        (Some(history), _) => history.view(),
        (None, Some(why)) => HistoryView { stale: Some(why.clone()), ..HistoryView::default() },
        (None, None) => HistoryView { loading: Loading::First, ..HistoryView::default() },
    };
    if conv.history.is_some() && view.stale.is_none() {
        view.stale.clone_from(&conv.failed);
    }
    if let Some(running) = &mut view.running {
        running.interrupting = conv.interrupted.as_ref() == Some(&running.turn);
    }
    view
}

/// The item that a card asks about: as it runs, as it completed, or as the history shows it.
fn item(conv: &Conv, history: &HistoryView, turn: &crate::base::TurnId, id: &ItemId) -> Option<ThreadItem> {
    if let Some(live) = conv.live() {
        if let Some(block) = live.block(turn, id) {
            return block.started.clone();
        }
        if let Some(entry) = live.entries.iter().find(|entry| entry.turn == *turn && entry.item.id() == id) {
            return Some(entry.item.clone());
        }
    }
    history.rows.iter().filter(|row| row.turn.as_ref() == Some(turn)).find_map(|row| match &*row.body {
        RowBody::Item(item) if item.id() == id => Some(item.clone()),
        RowBody::Unfinished { item, started, .. } if item == id => started.clone(),
        _ => None,
    })
}
