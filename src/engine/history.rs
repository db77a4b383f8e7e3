//! The history window of one conversation: pages, live events and echoes merged into rows.
//!
//! A sub-machine of the engine. It asks for pages through [`History::poll_fetch`] and is told
//! their fate through [`History::fetched`]; it never decides to read by itself except for the
//! first read, Refresh and Join's second read. Rows are keyed by (thread, turn, item).

use crate::base::{Now, OpId, TurnId};
use crate::live::{Change, LiveThread};
use crate::protocol::{ClientRequest, ClientResponse, Thread};

use super::view::{HistoryView, OpState};

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
pub struct History {}

#[expect(unused_variables, reason = "signatures first")]
impl History {
    /// A conversation that exists on the server: plans thread/turns/list (50, desc, summary; full for
    /// legacy) and thread/items/list (100, desc).
    pub fn open(thread: &Thread, now: Now) -> Self {
        unimplemented!()
    }
    /// A local conversation without a thread: empty, nothing to fetch.
    pub fn local() -> Self {
        unimplemented!()
    }
    /// thread/read or a notification brought a newer description (status, forkedFromId, preview).
    pub fn thread_changed(&mut self, thread: &Thread) {
        unimplemented!()
    }
    /// The next page to ask for, if any. Drained by the engine after every input.
    pub fn poll_fetch(&mut self) -> Option<Fetch> {
        unimplemented!()
    }
    /// The one answer to a fetch.
    pub fn fetched(&mut self, id: u64, result: Result<ClientResponse, FetchError>, now: Now) {
        unimplemented!()
    }
    /// Reads the newest pages again; rows stay meanwhile.
    pub fn refresh(&mut self) {
        unimplemented!()
    }
    pub fn load_older(&mut self) {
        unimplemented!()
    }
    pub fn load_newer(&mut self) {
        unimplemented!()
    }
    pub fn expand(&mut self, turn: &TurnId) {
        unimplemented!()
    }
    pub fn collapse(&mut self, turn: &TurnId) {
        unimplemented!()
    }
    /// Rows between these keys are on screen; `at_end`: the viewport follows the tail. For eviction.
    pub fn viewing(&mut self, first: u64, last: u64, at_end: bool) {
        unimplemented!()
    }
    /// Join was accepted: live events are buffered (limit::SYNC_*) until the newest pages were read
    /// again, then applied. Overflow: "History refresh required", nothing of the buffer applied.
    pub fn begin_sync(&mut self) {
        unimplemented!()
    }
    /// A snapshot arrived (first attach, re-attach after leaving, after Lagged): replaces all live parts.
    pub fn attached(&mut self, live: &LiveThread, now: Now) {
        unimplemented!()
    }
    /// One live event changed `live`.
    pub fn live(&mut self, live: &LiveThread, change: &Change, now: Now) {
        unimplemented!()
    }
    /// The connection ended or the conversation was left: unfinished blocks become Lost rows
    /// (kept text), nothing runs any more.
    pub fn detached(&mut self, note: &str) {
        unimplemented!()
    }
    /// The user sent something: an Echo row until the item with this client id appears.
    pub fn echo(&mut self, op: OpId, text: &str, client_id: &str, now: Now) {
        unimplemented!()
    }
    pub fn set_op(&mut self, op: OpId, state: OpState) {
        unimplemented!()
    }
    /// The client ids that appeared as items since the last call (evidence of acceptance).
    pub fn take_evidence(&mut self) -> Vec<String> {
        unimplemented!()
    }
    /// When the newest successful read was made.
    pub fn as_of(&self) -> Option<crate::base::UnixMs> {
        unimplemented!()
    }
    /// What kind of history this is, as a sentence, when it needs saying (DESIGN 5 "by kind").
    pub fn kind_note(&self) -> Option<String> {
        unimplemented!()
    }
    /// The view; cheap when nothing changed (rows are shared).
    pub fn view(&mut self) -> HistoryView {
        unimplemented!()
    }
}
