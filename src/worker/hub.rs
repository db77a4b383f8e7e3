//! The hub: one live state for each subscribed thread of the connection, attached or not.
//!
//! It accumulates whether or not somebody looks, so that attaching is one snapshot and a sequence
//! number: the live events from there on continue it exactly. There is no lock and no queue in
//! between: [`Hub::attach`] reads the state and its number under one `&mut self`, so no event can
//! fall between them, and an event gets its number in the same call chain that applies it.
//!
//! Subscriptions follow the server's own: the responses of `thread/start` and `thread/resume` begin
//! one, `thread/unsubscribe`, `thread/closed` and `thread/deleted` end it. A second resume does not
//! begin again (FACTS 6.6).

use std::collections::{BTreeMap, VecDeque};

use crate::base::{ThreadId, UnixMs, limit};
use crate::live::{Change, LiveThread};
use crate::protocol::ServerNotification;

/// See the module.
#[derive(Debug, Default)]
pub struct Hub {
    threads: BTreeMap<ThreadId, Subscribed>,
    /// Events of threads whose subscription is not answered yet. The known servers send none
    /// (FACTS 6.2); losing one would be a gap.
    early: VecDeque<(UnixMs, ServerNotification)>,
}

#[derive(Debug)]
struct Subscribed {
    live: LiveThread,
    /// The number of the last event; counts from 1 without gaps while attached.
    seq: u64,
    attached: bool,
}

/// Where an event went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routed {
    /// Applied, and the GUI follows this thread: pass the event on.
    Attached,
    /// Applied; nobody looks.
    Unattended { turn_ended: bool },
    /// Kept until the subscription is answered.
    Early,
    /// Not ours: the thread is not subscribed.
    Dropped,
}

/// The live state of a thread at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The state includes the events up to this one and none after it.
    pub seq: u64,
    /// The [`LiveThread`] as JSON.
    pub json: String,
}

impl Hub {
    /// A subscription begins; what came early is applied. One that is there goes on as it is.
    pub fn subscribe(&mut self, thread: &ThreadId) {
        if self.threads.contains_key(thread) {
            return;
        }
        let mut subscribed = Subscribed { live: LiveThread::new(thread.clone()), seq: 0, attached: false };
        self.early.retain(|(at, event)| {
            let theirs = event.thread_id() == Some(thread);
            if theirs {
                subscribed.live.apply(*at, event);
            }
            !theirs
        });
        self.threads.insert(thread.clone(), subscribed);
    }

    /// A subscription ends; its live state is forgotten.
    pub fn unsubscribe(&mut self, thread: &ThreadId) {
        self.threads.remove(thread);
    }

    /// Whether events of the thread reach this connection.
    pub fn is_subscribed(&self, thread: &ThreadId) -> bool {
        self.threads.contains_key(thread)
    }

    /// No subscription is being asked for any more: what came early belongs to nobody.
    pub fn forget_early(&mut self) {
        self.early.clear();
    }

    /// Applies an event that belongs to a thread. `expecting`: a `thread/start` or `thread/resume` is
    /// not answered yet.
    pub fn apply(&mut self, at: UnixMs, event: &ServerNotification, expecting: bool) -> Routed {
        let Some(subscribed) = event.thread_id().and_then(|thread| self.threads.get_mut(thread)) else {
            if !expecting {
                return Routed::Dropped;
            }
            // The newest stay: text without its beginning is an honest late block, a hole in it is not.
            if self.early.len() == limit::EARLY_EVENTS {
                self.early.pop_front();
            }
            self.early.push_back((at, event.clone()));
            return Routed::Early;
        };
        let change = subscribed.live.apply(at, event);
        if subscribed.attached {
            Routed::Attached
        } else {
            Routed::Unattended { turn_ended: matches!(change, Change::TurnEnded { .. }) }
        }
    }

    /// The number for an event that [`Hub::apply`] just routed to the GUI. Not called when the event
    /// was merged into one that still waits: that one has its number already.
    pub fn next_seq(&mut self, thread: &ThreadId) -> u64 {
        let Some(subscribed) = self.threads.get_mut(thread) else { return 0 };
        subscribed.seq += 1;
        subscribed.seq
    }

    /// Attaches the GUI: the state so far, and every later event is routed to it. `None` if the thread
    /// is not subscribed. Attaching again is allowed and gives a fresh snapshot.
    pub fn attach(&mut self, thread: &ThreadId) -> Option<Snapshot> {
        let subscribed = self.threads.get_mut(thread)?;
        let json = serde_json::to_string(&subscribed.live).expect("live state has string keys only");
        subscribed.attached = true;
        Some(Snapshot { seq: subscribed.seq, json })
    }

    /// The GUI no longer follows the thread; the hub goes on accumulating.
    pub fn detach(&mut self, thread: &ThreadId) {
        if let Some(subscribed) = self.threads.get_mut(thread) {
            subscribed.attached = false;
        }
    }

    /// The GUI fell behind: it must attach again to what it follows.
    pub fn detach_all(&mut self) {
        self.threads.values_mut().for_each(|subscribed| subscribed.attached = false);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn delta(thread: &str, text: &str) -> ServerNotification {
        let params = json!({"threadId": thread, "turnId": "u", "itemId": "i", "delta": text});
        serde_json::from_value(json!({"method": "item/agentMessage/delta", "params": params})).unwrap()
    }

    fn completed(thread: &str) -> ServerNotification {
        let params = json!({"threadId": thread, "turn": {"id": "u", "status": "completed"}});
        serde_json::from_value(json!({"method": "turn/completed", "params": params})).unwrap()
    }

    fn live(snapshot: &Snapshot) -> LiveThread {
        serde_json::from_str(&snapshot.json).unwrap()
    }

    #[test]
    fn a_snapshot_has_everything_up_to_its_number_and_numbers_go_on_from_there() {
        let (mut hub, thread) = (Hub::default(), ThreadId::from("t"));
        hub.subscribe(&thread);
        assert_eq!(hub.apply(UnixMs(1), &delta("t", "a"), false), Routed::Unattended { turn_ended: false });
        let snapshot = hub.attach(&thread).unwrap();
        assert_eq!(snapshot.seq, 0);
        assert_eq!(hub.apply(UnixMs(2), &delta("t", "b"), false), Routed::Attached);
        assert_eq!((hub.next_seq(&thread), hub.next_seq(&thread)), (1, 2));
        let mut continued = live(&snapshot);
        continued.apply(UnixMs(2), &delta("t", "b"));
        assert_eq!(live(&hub.attach(&thread).unwrap()), continued);
    }

    #[test]
    fn leaving_keeps_accumulating_and_tells_of_the_turns_end() {
        let (mut hub, thread) = (Hub::default(), ThreadId::from("t"));
        hub.subscribe(&thread);
        hub.attach(&thread);
        hub.detach(&thread);
        hub.apply(UnixMs(1), &delta("t", "while away"), false);
        assert_eq!(live(&hub.attach(&thread).unwrap()).blocks.len(), 1);
        hub.detach_all();
        assert_eq!(hub.apply(UnixMs(2), &completed("t"), false), Routed::Unattended { turn_ended: true });
        assert_eq!(hub.apply(UnixMs(3), &completed("t"), false), Routed::Unattended { turn_ended: false });
    }

    #[test]
    fn early_events_are_kept_only_while_a_subscription_is_asked_for_and_bounded() {
        let (mut hub, thread) = (Hub::default(), ThreadId::from("t"));
        assert_eq!(hub.apply(UnixMs(1), &delta("t", "x"), false), Routed::Dropped);
        for text in ["first"].into_iter().chain(std::iter::repeat_n("x", limit::EARLY_EVENTS)) {
            assert_eq!(hub.apply(UnixMs(1), &delta("t", text), true), Routed::Early);
        }
        hub.subscribe(&thread);
        let live_of = live(&hub.attach(&thread).unwrap());
        assert_eq!(live_of.blocks[0].len(), limit::EARLY_EVENTS, "the oldest went first");
        hub.apply(UnixMs(1), &delta("other", "x"), true);
        hub.forget_early();
        hub.subscribe(&"other".into());
        assert!(live(&hub.attach(&"other".into()).unwrap()).blocks.is_empty());
    }

    #[test]
    fn a_second_subscription_does_not_begin_again_and_an_ended_one_is_forgotten() {
        let (mut hub, thread) = (Hub::default(), ThreadId::from("t"));
        hub.subscribe(&thread);
        hub.apply(UnixMs(1), &delta("t", "x"), false);
        hub.subscribe(&thread);
        assert_eq!(live(&hub.attach(&thread).unwrap()).blocks.len(), 1);
        hub.unsubscribe(&thread);
        assert!(!hub.is_subscribed(&thread) && hub.attach(&thread).is_none());
        assert_eq!(hub.apply(UnixMs(1), &delta("t", "y"), false), Routed::Dropped);
    }
}
