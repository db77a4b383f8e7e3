//! Attaching in the middle of real streams: no gap and no repeat, at every possible cut.
//!
//! The streams were recorded from the real 0.159.1 server (`tests/fixtures/streams`). They run
//! through the real machine, with deltas split anywhere (also inside a grapheme), one or many
//! attachers, a GUI that keeps up and one that does not, and a subscription that begins in the
//! middle. What an attacher holds, its snapshot continued by the events after it, must equal what
//! one holds who was there all along, and so must every text it shows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rejoin::base::{ItemId, Now, OpId, Stamp, ThreadId, TurnId, UnixMs};
use rejoin::contract::{Envelope, Event, Request, Target};
use rejoin::live::{BlockBody, KeptText, LiveThread};
use rejoin::protocol::request::ThreadResumeParams;
use rejoin::protocol::{ClientRequest, ServerNotification, ThreadItem};
use rejoin::worker::machine::{Machine, Output, TransportEvent};
use serde_json::{Value, json};

const STAMP: Stamp = Stamp { owner: 1, connection: 1 };

/// A recorded stream: the answer to `thread/start`, then what the server sent by itself.
struct Stream {
    name: &'static str,
    session: Value,
    messages: Vec<Value>,
}

const STREAMS: [(&str, &str); 6] = [
    ("command-output", include_str!("../fixtures/streams/command-output.jsonl")),
    ("failed-turn", include_str!("../fixtures/streams/failed-turn.jsonl")),
    ("graphemes", include_str!("../fixtures/streams/graphemes.jsonl")),
    ("interrupted", include_str!("../fixtures/streams/interrupted.jsonl")),
    ("patch-approved", include_str!("../fixtures/streams/patch-approved.jsonl")),
    ("reasoning-message-command", include_str!("../fixtures/streams/reasoning-message-command.jsonl")),
];

fn streams() -> Vec<Stream> {
    STREAMS.iter().map(|(name, text)| stream(name, text)).collect()
}

fn stream(name: &'static str, text: &str) -> Stream {
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a recorded line is JSON"));
    let session = lines.next().expect("a stream begins with its thread")["result"].clone();
    let messages = lines.filter(|message| message.get("method").is_some()).collect();
    Stream { name, session, messages }
}

/// The real machine with one joined thread.
struct Server {
    machine: Machine,
    now: Now,
    thread: ThreadId,
    ops: u64,
}

impl Server {
    fn join(session: &Value) -> Self {
        let thread = ThreadId::from(session["thread"]["id"].as_str().expect("a thread has an id"));
        let machine = Machine::new(STAMP, Box::new(|| 0.5));
        let mut server = Self { machine, now: Now::default(), thread, ops: 0 };
        server.gui(Request::Connect { target: Target::Demo { scenario: String::new() } });
        server.transport(TransportEvent::Opened { pid: None });
        server.outputs();
        server.message(&json!({"id": 1, "result": {"userAgent": "rejoin/0.159.1 (test)"}}));
        let thread_id = server.thread.clone();
        let call = ClientRequest::ThreadResume(ThreadResumeParams { thread_id, exclude_turns: true });
        server.gui(Request::Call { op: OpId(0), call });
        let sent = server.outputs();
        let Some(Output::ToServer(resume)) = sent.last() else { panic!("{sent:?}") };
        let id = serde_json::from_str::<Value>(resume).expect("a request is JSON")["id"].clone();
        server.message(&json!({"id": id, "result": session}));
        server.events();
        server
    }

    fn gui(&mut self, body: Request) {
        self.machine.handle_gui(self.now, Envelope { seq: 0, stamp: Some(STAMP), body });
    }

    fn transport(&mut self, event: TransportEvent) {
        self.now.unix_ms = UnixMs(self.now.unix_ms.0 + 1);
        self.machine.handle_transport(self.now, event);
    }

    fn message(&mut self, message: &Value) {
        self.transport(TransportEvent::Message(message.to_string()));
    }

    fn outputs(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.machine.poll_output()).collect()
    }

    fn events(&mut self) -> Vec<Event> {
        self.outputs();
        std::iter::from_fn(|| self.machine.poll_event()).map(|(_, event)| event).collect()
    }

    fn attach(&mut self) -> OpId {
        self.ops += 1;
        self.gui(Request::Attach { op: OpId(self.ops), thread: self.thread.clone() });
        OpId(self.ops)
    }
}

/// One window: what it knows of the thread, by the contract's events alone.
struct Attacher {
    op: OpId,
    snapshot: String,
    live: Option<LiveThread>,
    seq: u64,
}

impl Attacher {
    fn new(op: OpId) -> Self {
        Self { op, snapshot: String::new(), live: None, seq: 0 }
    }

    fn read(&mut self, event: &Event) {
        match event {
            Event::SnapshotBegin { op, seq, .. } if *op == self.op => self.seq = *seq,
            Event::SnapshotPart { op, text } if *op == self.op => self.snapshot.push_str(text),
            Event::SnapshotEnd { op } if *op == self.op => {
                self.live = Some(serde_json::from_str(&self.snapshot).expect("a whole snapshot"));
            }
            Event::Live { seq, at, event, .. } => {
                if let Some(live) = &mut self.live {
                    assert_eq!(*seq, self.seq + 1, "numbers go on without a gap");
                    self.seq = *seq;
                    live.apply(*at, event);
                }
            }
            _ => {}
        }
    }

    fn live(&self) -> &LiveThread {
        self.live.as_ref().expect("the snapshot was read")
    }
}

/// Every text that shows: of finished items and of unfinished blocks.
fn shown(live: &LiveThread) -> Vec<(TurnId, ItemId, String)> {
    let finished = live.entries.iter().map(|entry| {
        let text = match &entry.item {
            ThreadItem::AgentMessage { text, .. } => text.clone(),
            ThreadItem::Reasoning { summary, content, .. } => summary.concat() + &content.concat(),
            ThreadItem::CommandExecution { aggregated_output, .. } => aggregated_output.clone().unwrap_or_default(),
            other => format!("{other:?}"),
        };
        (entry.turn.clone(), entry.item.id().clone(), text)
    });
    let unfinished = live.blocks.iter().map(|block| {
        let text = match &block.body {
            BlockBody::AgentMessage(text) | BlockBody::Plan(text) | BlockBody::CommandOutput(text) => text.text(),
            BlockBody::Reasoning { summary, content } => summary.iter().chain(content).map(KeptText::text).collect(),
            other => format!("{other:?}"),
        };
        (block.turn.clone(), block.item.clone(), text)
    });
    finished.chain(unfinished).collect()
}

/// What the server has said of each unfinished item, added up here without any of the code under test.
#[derive(Default)]
struct Said(BTreeMap<String, String>);

impl Said {
    fn hear(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("item/completed") => {
                self.0.remove(params["item"]["id"].as_str().unwrap_or_default());
            }
            Some("turn/completed") => self.0.clear(),
            Some(_) => {
                if let (Some(item), Some(delta)) = (params["itemId"].as_str(), params["delta"].as_str()) {
                    self.0.entry(item.to_owned()).or_default().push_str(delta);
                }
            }
            None => {}
        }
    }

    fn check(&self, live: &LiveThread, context: &str) {
        for (item, said) in &self.0 {
            let shows = shown(live).into_iter().find(|(_, id, _)| id.as_str() == item);
            assert_eq!(shows.map(|(_, _, text)| text).as_ref(), Some(said), "{context}: {item}");
        }
    }
}

/// Splits the deltas of a message at any characters, also inside a grapheme.
fn split(message: &Value, mut next: impl FnMut() -> usize) -> Vec<Value> {
    let Some(delta) = message["params"]["delta"].as_str() else { return vec![message.clone()] };
    let characters: Vec<char> = delta.chars().collect();
    let mut rest = characters.as_slice();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (part, more) = rest.split_at(1 + next() % rest.len());
        let mut message = message.clone();
        message["params"]["delta"] = part.iter().collect::<String>().into();
        parts.push(message);
        rest = more;
    }
    parts
}

/// Runs `messages` with attachers at `cuts` (before the message of that index); `reads` says whether
/// the GUI takes its events after a message or lets them wait and merge. Returns the attachers, the
/// first of which was there from the beginning.
fn run(stream: &Stream, messages: &[Value], cuts: &[usize], mut reads: impl FnMut(usize) -> bool) -> Vec<Attacher> {
    let mut server = Server::join(&stream.session);
    let mut attachers = vec![Attacher::new(server.attach())];
    let mut said = Said::default();
    for index in 0..=messages.len() {
        for _ in cuts.iter().filter(|cut| **cut == index) {
            attachers.push(Attacher::new(server.attach()));
        }
        let last = index == messages.len();
        if !last {
            server.message(&messages[index]);
            said.hear(&messages[index]);
        }
        if last || reads(index) {
            for event in server.events() {
                attachers.iter_mut().for_each(|attacher| attacher.read(&event));
            }
            for (number, attacher) in attachers.iter().enumerate() {
                said.check(attacher.live(), &format!("{}, attacher {number} after message {index}", stream.name));
            }
        }
    }
    attachers
}

fn assert_all_equal(stream: &Stream, attachers: &[Attacher]) {
    let (first, others) = attachers.split_first().expect("one was there all along");
    for attacher in others {
        assert_eq!(attacher.live(), first.live(), "{}", stream.name);
        assert_eq!(shown(attacher.live()), shown(first.live()), "{}", stream.name);
        assert_eq!(attacher.seq, first.seq);
    }
}

#[test]
fn the_recorded_streams_are_enough_and_name_no_machine() {
    let streams = streams();
    let events: usize = streams.iter().map(|stream| stream.messages.len()).sum();
    assert!(streams.len() >= 5 && events >= 500, "{} streams, {events} events", streams.len());
    for (name, text) in STREAMS {
        assert!(!text.contains("/tmp/") && !text.contains("/root"), "{name}");
    }
}

#[test]
fn an_attacher_at_every_cut_of_every_stream_holds_what_one_holds_who_was_there_all_along() {
    for stream in streams() {
        let messages = &stream.messages;
        for cut in 0..=messages.len() {
            assert_all_equal(&stream, &run(&stream, messages, &[cut], |_| true));
        }
    }
}

#[test]
fn splitting_inside_every_grapheme_changes_nothing() {
    let stream = streams().into_iter().find(|stream| stream.name == "graphemes").expect("recorded");
    let messages: Vec<Value> = stream.messages.iter().flat_map(|message| split(message, || 0)).collect();
    assert!(messages.len() > 2 * stream.messages.len());
    let cuts: Vec<usize> = (0..=messages.len()).step_by(messages.len() / 30).collect();
    let split_up = run(&stream, &messages, &cuts, |_| true);
    assert_all_equal(&stream, &split_up);
    let whole = run(&stream, &stream.messages, &[], |_| true);
    assert_eq!(shown(split_up[0].live()), shown(whole[0].live()));
}

#[test]
fn joining_in_the_middle_shows_exactly_the_rest_until_the_item_completes() {
    for stream in streams() {
        for begin in (0..stream.messages.len()).step_by(7) {
            let messages = &stream.messages[begin..];
            let attachers = run(&stream, messages, &[0, messages.len() / 2, messages.len()], |_| true);
            assert_all_equal(&stream, &attachers);
        }
    }
}

#[test]
fn coming_back_after_leaving_and_after_lagging_is_the_whole_again() {
    for stream in streams() {
        let uncut = run(&stream, &stream.messages, &[], |_| true);
        for leave in (0..stream.messages.len()).step_by(5) {
            let mut server = Server::join(&stream.session);
            server.attach();
            for (index, message) in stream.messages.iter().enumerate() {
                if index == leave {
                    server.gui(Request::Detach { thread: server.thread.clone() });
                }
                server.message(message);
            }
            server.events();
            let mut back = Attacher::new(server.attach());
            server.events().iter().for_each(|event| back.read(event));
            assert_eq!(back.live(), uncut[0].live(), "{} left at {leave}", stream.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn any_split_any_cuts_any_number_of_attachers_and_any_pace_leave_no_gap_and_no_repeat(
        which in 0..STREAMS.len(),
        splits in prop::collection::vec(0usize..40, 64),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        pace in prop::collection::vec(any::<bool>(), 64),
    ) {
        let stream = stream(STREAMS[which].0, STREAMS[which].1);
        let mut at = 0;
        let mut messages = Vec::new();
        for message in &stream.messages {
            messages.extend(split(message, || { at += 1; splits[at % splits.len()] }));
        }
        let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(messages.len() + 1)).collect();
        let attachers = run(&stream, &messages, &cuts, |index| pace[index % pace.len()]);
        assert_all_equal(&stream, &attachers);
    }
}

/// The hub numbers what it applies, so an event that a snapshot has already is not sent again.
#[test]
fn a_snapshot_that_crosses_waiting_events_does_not_repeat_them() {
    let stream = streams().into_iter().find(|stream| stream.name == "interrupted").expect("recorded");
    let every: Vec<usize> = (0..=stream.messages.len()).collect();
    // The GUI reads nothing until the end: all snapshots and merged events wait in one queue.
    let attachers = run(&stream, &stream.messages, &every, |_| false);
    assert_all_equal(&stream, &attachers);
    let turns = stream.messages.iter().filter(|message| message["method"] == "turn/completed").count();
    assert_eq!(attachers[0].live().ended.len(), turns);
}

/// The notifications of the streams are all read: what is not known would not be tested here.
#[test]
fn every_event_of_the_thread_is_known() {
    for stream in streams() {
        for message in &stream.messages {
            let method = message["method"].as_str().expect("has a method");
            let of_thread = method.starts_with("item/") || method.starts_with("turn/");
            if of_thread && message.get("id").is_none() {
                let event: Result<ServerNotification, _> = serde_json::from_value(message.clone());
                assert!(event.is_ok(), "{}: {method}: {event:?}", stream.name);
            }
        }
    }
}
