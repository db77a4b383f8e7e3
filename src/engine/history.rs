//! The history window of one conversation: pages, live events and echoes merged into rows.
//!
//! A sub-machine of the engine. It asks for pages through [`History::poll_fetch`] and is told
//! their fate through [`History::fetched`]; it never decides to read by itself except for the
//! first read, Refresh and Join's second read. Rows are keyed by (thread, turn, item).
//!
//! The window is one run of turns in the server's order (`turns`). Each turn says for itself which
//! of its items are loaded: all, the two messages of its summary ([`RowBody::TurnHead`] marks the
//! hole), or a run that was cut when the window was full (`RowBody::Edge` marks the end). Evicted
//! is what is furthest from the viewport; a viewport that follows the tail evicts the oldest.
//! Once newer rows were evicted, what happens live is kept below the edge (`tail`), not shown,
//! until Load newer reaches it or Refresh begins anew at the newest page.

mod echo;
mod events;
mod kind;
mod order;
mod pages;
mod reads;
mod row;
mod sync;
mod turn;
mod window;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::{ItemId, Now, OpId, TurnId, UnixMs};
use crate::live::{Change, LiveThread};
use crate::protocol::{ClientRequest, ClientResponse, Thread};

use super::view::{HistoryView, Loading, OpState, Row, RowBody, Running};
use echo::Echo;
use kind::{Found, Subject};
use order::{Marks, Side};
use reads::Reads;
use row::{Cell, Held, Keys, Slot};
use sync::Sync;
use turn::Turn;
use window::{Cuts, Viewport};

/// A page the history wants.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetch {
    /// Unique within this history.
    pub id: u64,
    pub request: ClientRequest,
}

/// Why a page did not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    /// The server's error.
    Rejected {
        code: i64,
        message: String,
    },
    TimedOut,
    /// The connection ended.
    Lost,
    Unreadable(String),
}

/// History of one conversation. See the module.
#[derive(Debug)]
pub struct History {
    /// `None`: a local conversation.
    subject: Option<Subject>,
    found: Option<Found>,
    /// Nothing is stored on the server yet: the first turn heard is the first there is.
    from_nothing: bool,
    /// The window, oldest first, without a hole between turns.
    turns: Vec<Turn>,
    /// Newer turns were evicted: `tail` is not shown.
    gap: bool,
    tail: Vec<Turn>,
    marks: Marks<TurnId>,
    /// Lost texts whose turns left the window.
    kept: Vec<Slot>,
    echoes: Vec<Echo>,
    /// Client ids of all user messages that were seen.
    seen: BTreeSet<String>,
    evidence: Vec<String>,
    running: Option<Running>,
    sync: Sync,
    reads: Reads,
    stale: Option<String>,
    page_failed: Option<String>,
    as_of: Option<UnixMs>,
    viewport: Viewport,
    cuts: Cuts,
    evicted_older: usize,
    evicted_newer: usize,
    keys: Keys,
    edge_older: Option<Cell>,
    edge_newer: Option<Cell>,
    rows: Arc<Vec<Row>>,
    items: usize,
    /// The rows must be built anew.
    dirty: bool,
    /// Blocks that changed in their built rows.
    touched: BTreeSet<(TurnId, ItemId)>,
    /// Bytes that blocks grew by since the limits were looked at.
    grown: usize,
    /// Stands in a built row while its text grows in place.
    blank: Arc<RowBody>,
}

impl History {
    /// A conversation that exists on the server: plans thread/turns/list (50, desc, summary; full for
    /// legacy) and thread/items/list (100, desc). `series` makes its row keys differ from those of every other history.
    pub fn open(thread: &Thread, series: u32, _now: Now) -> Self {
        let mut history = Self::local(series);
        history.subject = Some(Subject::of(thread));
        history.from_nothing = thread.ephemeral;
        history.plan_newest();
        history
    }

    /// A local conversation without a thread: empty, nothing to fetch. `series` as in [`History::open`].
    pub fn local(series: u32) -> Self {
        Self {
            subject: None,
            found: None,
            from_nothing: true,
            turns: Vec::new(),
            gap: false,
            tail: Vec::new(),
            marks: Marks::default(),
            kept: Vec::new(),
            echoes: Vec::new(),
            seen: BTreeSet::new(),
            evidence: Vec::new(),
            running: None,
            sync: Sync::default(),
            reads: Reads::default(),
            stale: None,
            page_failed: None,
            as_of: None,
            viewport: Viewport::Tail,
            cuts: Cuts::default(),
            evicted_older: 0,
            evicted_newer: 0,
            keys: Keys::of(series),
            edge_older: None,
            edge_newer: None,
            rows: Arc::default(),
            items: 0,
            dirty: false,
            touched: BTreeSet::new(),
            grown: 0,
            blank: Arc::new(RowBody::Edge { older: false, evicted: 0 }),
        }
    }

    /// Why what is shown may be out of date until it is read again.
    pub fn out_of_date(&self) -> Option<&str> {
        self.stale.as_deref()
    }

    /// thread/read or a notification brought a newer description (status, forkedFromId, preview).
    /// A local history whose thread was started becomes that thread's; it has nothing to read yet.
    pub fn thread_changed(&mut self, thread: &Thread) {
        let legacy = self.is_legacy();
        let mut subject = Subject::of(thread);
        // What a read has shown is not forgotten when a description does not say it.
        subject.legacy |= legacy;
        self.subject = Some(subject);
    }

    /// The next page to ask for, if any. Drained by the engine after every input.
    pub fn poll_fetch(&mut self) -> Option<Fetch> {
        self.reads.pop()
    }

    /// The one answer to a fetch. An answer to a read that was given up is ignored.
    pub fn fetched(&mut self, id: u64, result: Result<ClientResponse, FetchError>, now: Now) {
        self.answered(id, result, now);
    }

    /// Reads the newest pages again; rows stay meanwhile. After newer rows were evicted the window
    /// begins anew at the newest page ("Jump to latest"). After an overflow of the sync buffer the
    /// engine calls [`History::attached`] as well.
    pub fn refresh(&mut self) {
        self.page_failed = None;
        self.plan_refresh();
    }

    /// What lies directly above the first row: the rest of a cut turn, else the next summary turns.
    pub fn load_older(&mut self) {
        self.plan_older();
    }

    /// What lies directly below the last row, after it was evicted.
    pub fn load_newer(&mut self) {
        self.plan_newer();
    }

    /// Loads a turn's items to its beginning or to the window's limit; again: goes on.
    pub fn expand(&mut self, turn: &TurnId) {
        self.plan_expand(turn);
    }

    /// Shows the summary again of a turn that was expanded.
    pub fn collapse(&mut self, turn: &TurnId) {
        let is_running = self.running.as_ref().is_some_and(|running| running.turn == *turn);
        if let Some(turn) = self.turns.iter_mut().find(|other| other.id == *turn)
            && turn.expanded
            && !is_running
        {
            turn.collapse();
            let id = turn.id.clone();
            self.reads.forget(|want| matches!(want, reads::Want::Items { turn, .. } if *turn == id));
            self.changed();
            // Its two messages can be more than was loaded of it.
            self.evict();
        }
    }

    /// Rows between these keys are on screen; `at_end`: the viewport follows the tail. For eviction.
    pub fn viewing(&mut self, first: u64, last: u64, at_end: bool) {
        self.viewport = if at_end && !self.gap { Viewport::Tail } else { Viewport::Rows { first, last } };
    }

    /// Join was accepted: live events are buffered (limit::SYNC_*) until the newest pages were read
    /// again, then applied. Overflow: "History refresh required", nothing of the buffer applied.
    pub fn begin_sync(&mut self) {
        self.plan_sync();
    }

    /// A snapshot arrived (first attach, re-attach after leaving, after Lagged): replaces all live parts.
    pub fn attached(&mut self, live: &LiveThread, now: Now) {
        self.on_snapshot(live, now);
    }

    /// The newest turn, if the pages say that it runs: what nobody says again to who joins while it waits.
    pub fn runs_by_pages(&self) -> Option<TurnId> {
        let whole = matches!(self.sync, Sync::Off) && !self.gap;
        let newest = self.turns.iter().chain(&self.tail).last().filter(|_| whole)?;
        newest.runs().then(|| newest.id.clone())
    }

    /// One live event changed `live`.
    pub fn live(&mut self, live: &LiveThread, change: &Change, now: Now) {
        self.on_event(live, change, now);
    }

    /// The connection ended or the conversation was left: unfinished blocks become Lost rows
    /// (kept text), nothing runs any more.
    pub fn detached(&mut self, note: &str) {
        // What still waits was heard: its text is kept like the rest.
        self.flush(UnixMs::default());
        self.sync = Sync::Off;
        for turn in self.turns.iter_mut().chain(&mut self.tail) {
            turn.lose(note, None);
        }
        self.running = None;
        self.changed();
    }

    /// Removes a lost text that the user dismissed, by its row key.
    pub fn dismiss(&mut self, key: u64) {
        self.dismiss_lost(key);
    }

    /// The user sent something: an Echo row until the item with this client id appears.
    pub fn echo(&mut self, op: OpId, text: &str, client_id: &str, now: Now) {
        self.add_echo(op, text, client_id, now.unix_ms);
    }

    /// The ledger's word on an operation. A confirmed echo stays until its item is there.
    pub fn set_op(&mut self, op: OpId, state: OpState) {
        self.set_echo(op, &state);
    }

    /// Removes the echo of an operation that the user dismissed in the review.
    pub fn dismiss_echo(&mut self, op: OpId) {
        self.echoes.retain(|echo| echo.op != op);
        self.changed();
    }

    /// The client ids that appeared as items since the last call (evidence of acceptance).
    pub fn take_evidence(&mut self) -> Vec<String> {
        std::mem::take(&mut self.evidence)
    }

    /// When the newest successful read was made.
    pub fn as_of(&self) -> Option<UnixMs> {
        self.as_of
    }

    /// What kind of history this is, as a sentence, when it needs saying (DESIGN 5 "by kind").
    pub fn kind_note(&self) -> Option<String> {
        self.kind_words().map(str::to_owned)
    }

    /// The view; cheap when nothing changed (rows are shared).
    pub fn view(&mut self) -> HistoryView {
        let rows = self.current_rows();
        let loading = if self.reads.newest.is_some() && self.turns.is_empty() {
            Loading::First
        } else if self.reads.edge(Side::Before) {
            Loading::Older
        } else if self.reads.edge(Side::After) {
            Loading::Newer
        } else {
            Loading::Idle
        };
        HistoryView {
            rows,
            loading,
            older: self.older(),
            newer: self.gap,
            stale: self.stale.clone().or_else(|| self.page_failed.clone()),
            items: self.items,
            running: self.running.clone(),
        }
    }

    /// A turn as live events see it: below the edge if it is there.
    fn turn(&self, id: &TurnId) -> Option<&Turn> {
        self.tail.iter().rev().chain(self.turns.iter().rev()).find(|turn| turn.id == *id)
    }

    /// A turn of the window, for pages.
    fn turn_mut(&mut self, id: &TurnId) -> Option<&mut Turn> {
        self.turns.iter_mut().rfind(|turn| turn.id == *id)
    }

    /// A turn leaves the window: its lost texts do not.
    fn keep_lost(&mut self, turn: Turn) {
        self.kept.extend(turn.slots.into_values().filter(|slot| matches!(slot.held, Held::Lost { .. })));
    }
}
