//! What waits to go out: to the server and to the GUI, each in order.
//!
//! Consecutive deltas of one stream merge while they wait, so a GUI that cannot keep up gets fewer
//! and longer ones. Beyond `limit::WAITING_EVENTS` or `limit::WAITING_BYTES` the live events and
//! broadcasts that wait are dropped, and one `Lagged` says so: the state itself is in the hub and
//! in the server's lists, to be attached to and read again. Nothing else is ever dropped.

use std::collections::VecDeque;

use crate::base::{OpId, RequestId, ThreadId, limit};
use crate::contract::{Event, Target};
use crate::protocol::ServerNotification;

/// What waits for the server's side.
#[derive(Debug)]
pub(super) enum ToServer {
    Open(Target),
    /// A request with our id.
    Call {
        id: u64,
        text: String,
    },
    /// An answer of the user: it counts as sent when it is taken out.
    Answer {
        op: OpId,
        request: RequestId,
        text: String,
    },
    /// What the machine says for itself: handshake, probes, refusals.
    Own(String),
    Ping,
    Close,
    Exit,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub server: VecDeque<ToServer>,
    gui: VecDeque<Waiting>,
    /// Of the droppable events that wait.
    events: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    event: Event,
    /// `Some(size)`: can be had again.
    droppable: Option<usize>,
}

impl Outbox {
    /// The next event for the GUI.
    pub fn next_event(&mut self) -> Option<Event> {
        let waiting = self.gui.pop_front()?;
        if let Some(size) = waiting.droppable {
            self.events -= 1;
            self.bytes -= size;
        }
        Some(waiting.event)
    }

    /// How many events wait for the GUI.
    pub fn waiting(&self) -> usize {
        self.gui.len()
    }

    /// Queues an event that must arrive.
    pub fn event(&mut self, event: Event) {
        self.gui.push_back(Waiting { event, droppable: None });
    }

    /// Queues a live event or a broadcast. `false`: the GUI is too far behind; the caller detaches and
    /// calls [`Outbox::lag`].
    #[must_use]
    pub fn droppable_event(&mut self, event: Event, size: usize) -> bool {
        if self.events >= limit::WAITING_EVENTS || (self.events > 0 && self.bytes + size > limit::WAITING_BYTES) {
            return false;
        }
        self.events += 1;
        self.bytes += size;
        self.gui.push_back(Waiting { event, droppable: Some(size) });
        true
    }

    /// Drops what can be had again, `more` events that were not queued included, and says so.
    pub fn lag(&mut self, more: u64) {
        let before = self.gui.len();
        self.gui.retain(|waiting| waiting.droppable.is_none());
        let missed = (before - self.gui.len()) as u64 + more;
        (self.events, self.bytes) = (0, 0);
        self.event(Event::Lagged { missed });
    }

    /// Merges a delta into the event that was queued last, if that is of the same stream.
    pub fn merge(&mut self, thread: &ThreadId, event: &ServerNotification) -> bool {
        let Some(Waiting { event: Event::Live { thread: last, event: waiting, .. }, droppable: Some(size) }) =
            self.gui.back_mut()
        else {
            return false;
        };
        if last != thread || self.bytes > limit::WAITING_BYTES {
            return false;
        }
        let Some((text, delta)) = same_stream(waiting, event) else { return false };
        if text.len() + delta.len() > limit::MERGED_DELTA {
            return false;
        }
        text.push_str(delta);
        *size += delta.len();
        self.bytes += delta.len();
        true
    }
}

/// The texts of two deltas of one stream.
fn same_stream<'a>(
    waiting: &'a mut ServerNotification,
    event: &'a ServerNotification,
) -> Option<(&'a mut String, &'a str)> {
    use ServerNotification as N;
    match (waiting, event) {
        (
            N::AgentMessageDelta { turn_id, item_id, delta, .. },
            N::AgentMessageDelta { turn_id: turn, item_id: item, delta: more, .. },
        )
        | (
            N::PlanDelta { turn_id, item_id, delta, .. },
            N::PlanDelta { turn_id: turn, item_id: item, delta: more, .. },
        )
        | (
            N::CommandOutputDelta { turn_id, item_id, delta, .. },
            N::CommandOutputDelta { turn_id: turn, item_id: item, delta: more, .. },
        ) => (turn_id == turn && item_id == item).then_some((delta, more)),
        (
            N::ReasoningSummaryDelta { turn_id, item_id, summary_index: index, delta, .. },
            N::ReasoningSummaryDelta { turn_id: turn, item_id: item, summary_index: at, delta: more, .. },
        )
        | (
            N::ReasoningTextDelta { turn_id, item_id, content_index: index, delta, .. },
            N::ReasoningTextDelta { turn_id: turn, item_id: item, content_index: at, delta: more, .. },
        ) => (turn_id == turn && item_id == item && index == at).then_some((delta, more)),
        _ => None,
    }
}
