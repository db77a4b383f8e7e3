//! A seeded random walk: users, servers, losses and late lines in any order keep the promises of DESIGN 4.

use std::collections::{BTreeMap, BTreeSet};

use rejoin::base::{OpId, RequestId, Stamp, UnixMs};
use rejoin::contract::{CallOutcome, Event};
use rejoin::engine::view::ConversationKey;
use rejoin::engine::{Input, Intent, OFFLINE};
use rejoin::protocol::item::UserInput;
use rejoin::protocol::server_request::FileChangeDecision;
use rejoin::protocol::{Answer, ClientRequest, ClientResponse};
use serde_json::json;

use super::fake::{Fake, notification, ok, rejected, session, thread, turn_started};

struct Walk {
    fake: Fake,
    random: fastrand::Rng,
    seed: u64,
    words: usize,
    turns: usize,
    requests: i64,
    keys: BTreeSet<ConversationKey>,
    /// Texts that the user typed and did not throw away.
    texts: BTreeSet<String>,
    /// How often Send was pressed with a text in the composer.
    presses: BTreeMap<String, usize>,
    joins: usize,
    stops: usize,
    /// Answered already: repeated, late, or from an old connection.
    answered: Vec<(Stamp, OpId, ClientRequest)>,
    accepted: BTreeSet<String>,
}

fn text_of(call: &ClientRequest) -> Option<String> {
    let input = match call {
        ClientRequest::TurnStart(start) => &start.input,
        ClientRequest::TurnSteer(steer) => &steer.input,
        _ => return None,
    };
    match &input[0] {
        UserInput::Text { text } => Some(text.clone()),
        _ => None,
    }
}

fn client_id(call: &ClientRequest) -> Option<String> {
    match call {
        ClientRequest::TurnStart(start) => Some(start.client_user_message_id.clone()),
        ClientRequest::TurnSteer(steer) => Some(steer.client_user_message_id.clone()),
        _ => None,
    }
}

impl Walk {
    fn new(seed: u64) -> Self {
        Self {
            fake: Fake::connected(),
            random: fastrand::Rng::with_seed(seed),
            seed,
            words: 0,
            turns: 0,
            requests: 0,
            keys: BTreeSet::from([OFFLINE]),
            texts: BTreeSet::new(),
            presses: BTreeMap::new(),
            joins: 0,
            stops: 0,
            answered: Vec::new(),
            accepted: BTreeSet::new(),
        }
    }

    fn step(&mut self) {
        match self.random.u8(0..24) {
            0..=3 => self.write(),
            4 | 5 => self.press(),
            6 => self.fake.user(Intent::Open(self.random.choice(["a", "b"]).unwrap().into())),
            7 if self.random.bool() => self.fake.user(Intent::New { cwd: None }),
            7 => self.fake.user(Intent::Leave),
            8 | 9 => {
                self.joins += 1;
                self.fake.user(Intent::Join);
            }
            10 | 11 => self.fake.serve(),
            12..=14 => self.settle_one(),
            15 | 16 => self.server_works(),
            17 => self.late(),
            18 => self.ask(),
            19 => self.answer(),
            20 => self.review(),
            21 => {
                self.stops += 1;
                self.fake.user(Intent::Interrupt);
            }
            22 if self.random.u8(0..4) == 0 => self.lose(),
            22 => self.fake.event(Event::Lagged { missed: 1 }),
            _ => self.fake.tick(self.random.u64(0..1_500)),
        }
        if let Some(open) = self.fake.engine.conversation() {
            self.keys.insert(open.key);
        }
        self.check();
    }

    fn open_key(&mut self) -> ConversationKey {
        self.fake.engine.conversation().map_or(OFFLINE, |open| open.key)
    }

    /// Types something new into an empty composer, so that no text is overwritten by the user.
    fn write(&mut self) {
        let conversation = self.open_key();
        if self.fake.engine.composer_text(&conversation).is_empty() {
            self.words += 1;
            let text = format!("word-{}.", self.words);
            self.texts.insert(text.clone());
            self.fake.user(Intent::Edit { conversation, text });
        }
    }

    fn press(&mut self) {
        let key = self.open_key();
        let text = self.fake.engine.composer_text(&key).to_owned();
        *self.presses.entry(text).or_default() += 1;
        // A held key: everything after the first press must do nothing for that text.
        for _ in 0..self.random.usize(1..4) {
            self.fake.user(Intent::Send);
        }
    }

    fn settle_one(&mut self) {
        if self.fake.open.is_empty() {
            return;
        }
        let at = self.random.usize(0..self.fake.open.len());
        let (op, call) = self.fake.open.remove(at);
        let outcome = match self.random.u8(0..6) {
            0 => rejected("no"),
            1 => CallOutcome::TimedOut,
            2 => CallOutcome::NotSent { reason: "too many".into() },
            3 => CallOutcome::Unreadable { reason: "odd".into() },
            _ => match self.success(&call) {
                Some(outcome) => outcome,
                None => return self.fake.open.insert(at, (op, call)),
            },
        };
        if call.method().name().starts_with("account") && !matches!(outcome, CallOutcome::Ok(_)) {
            return self.fake.open.insert(at, (op, call));
        }
        if let (CallOutcome::Ok(_), Some(text)) = (&outcome, text_of(&call)) {
            self.accepted.insert(text);
        }
        self.answered.push((self.fake.stamp, op, call));
        self.fake.settle(op, outcome);
    }

    fn success(&mut self, call: &ClientRequest) -> Option<CallOutcome> {
        self.turns += 1;
        Some(match call {
            ClientRequest::ThreadStart(_) => {
                ok(ClientResponse::ThreadStart(session(thread(&format!("new-{}", self.turns)))))
            }
            ClientRequest::ThreadResume(resume) => {
                ok(ClientResponse::ThreadResume(session(thread(resume.thread_id.as_str()))))
            }
            ClientRequest::TurnStart(_) => turn_started(&format!("t{}", self.turns)),
            ClientRequest::TurnSteer(steer) => {
                let answer = json!({"turnId": steer.expected_turn_id.as_str()});
                ok(ClientResponse::TurnSteer(serde_json::from_value(answer).unwrap()))
            }
            ClientRequest::TurnInterrupt(_) => ok(ClientResponse::TurnInterrupt(Default::default())),
            _ => return None,
        })
    }

    /// Turns begin and end; messages that went out appear as items.
    fn server_works(&mut self) {
        let Some(id) = self.random.choice(self.fake.hub.keys().cloned().collect::<Vec<_>>()) else { return };
        let id = id.as_str().to_owned();
        let running = self.fake.hub[&id.as_str().into()].0.running.as_ref().map(|turn| turn.id.as_str().to_owned());
        self.turns += 1;
        match (running, self.random.u8(0..3)) {
            (None, _) => self.fake.start_turn(&id, &format!("t{}", self.turns)),
            (Some(turn), 0) => self.fake.end_turn(&id, &turn, "completed"),
            (Some(turn), _) => {
                let sent: Vec<_> =
                    self.fake.operations.iter().filter(|call| client_id(call).is_some()).cloned().collect();
                if let Some(call) = self.random.choice(sent) {
                    self.accepted.extend(text_of(&call));
                    let item = json!({"type": "userMessage", "id": format!("u{}", self.turns),
                        "clientId": client_id(&call), "content": []});
                    self.fake.complete(&id, &turn, item);
                }
            }
        }
    }

    /// Duplicates, late responses, and lines of ended connections.
    fn late(&mut self) {
        let Some((stamp, op, call)) = self.random.choice(self.answered.clone()) else { return };
        let Some(outcome) = self.success(&call) else { return };
        let (bridge, now) = (self.fake.bridge, self.fake.stamp);
        let event =
            if self.random.bool() { Event::Called { op, outcome } } else { Event::LateResponse { op, outcome } };
        let old = stamp != now || self.fake.engine.stamp().is_none();
        if !old && matches!(event, Event::LateResponse { .. }) {
            self.accepted.extend(text_of(&call));
        }
        let dropped = self.fake.engine.stale_dropped();
        self.fake.input(Input::Worker { bridge, stamp: Some(stamp), event });
        assert_eq!(self.fake.engine.stale_dropped() - dropped, u64::from(old), "seed {}", self.seed);
        let poison = notification("thread/name/updated", json!({"threadId": "a", "threadName": "POISON"}));
        let old = Stamp { owner: stamp.owner.wrapping_sub(1), connection: stamp.connection.wrapping_sub(1) };
        self.fake.input(Input::Worker {
            bridge,
            stamp: Some(old),
            event: Event::Broadcast { at: UnixMs(0), event: poison },
        });
        assert!(self.fake.engine.picker().rows.iter().all(|row| row.title != "POISON"), "seed {}", self.seed);
    }

    fn ask(&mut self) {
        self.requests += 1;
        let params = json!({"threadId": "a", "turnId": format!("t{}", self.turns), "itemId": "i"});
        let ask = json!({"method": "item/fileChange/requestApproval", "params": params});
        let request = RequestId::Integer(self.requests);
        self.fake.event(Event::Asked { request, at: UnixMs(0), ask: serde_json::from_value(ask).unwrap() });
    }

    fn answer(&mut self) {
        if self.requests == 0 {
            return;
        }
        let request = RequestId::Integer(self.random.i64(1..=self.requests));
        for decision in [FileChangeDecision::Accept, FileChangeDecision::Decline] {
            self.fake.user(Intent::Answer { request: request.clone(), answer: Answer::FileChange(decision) });
        }
        if let Some((op, request)) = self.fake.answers.last().cloned() {
            self.fake.event(Event::Answered { op, request, sent: self.random.bool() });
        }
    }

    fn review(&mut self) {
        let mut reviews = self.fake.engine.other_reviews();
        reviews.extend(self.fake.engine.conversation().into_iter().flat_map(|open| open.reviews));
        if let Some(review) = self.random.choice(reviews) {
            if self.random.bool() {
                return self.fake.user(Intent::EditOperation(review.op));
            }
            self.fake.user(Intent::DismissOperation(review.op));
            if let Some(text) = review.text {
                self.texts.remove(&text);
            }
        } else if let Some(draft) = self.random.choice(self.fake.engine.drafts().to_vec()) {
            self.fake.user(Intent::DiscardDraft(draft.id));
            self.texts.remove(&draft.text);
        }
    }

    fn lose(&mut self) {
        match self.random.u8(0..3) {
            0 => self.fake.lose(),
            1 => self.fake.user(Intent::Disconnect),
            _ => {}
        }
        for (store, size) in self.fake.engine.owner_stores() {
            assert!(size == 0 || self.fake.engine.stamp().is_some(), "seed {}: {store} lives on", self.seed);
        }
        if self.random.bool() {
            self.write();
        }
        self.fake.connect();
    }

    fn check(&mut self) {
        let seed = self.seed;
        let mut places: Vec<String> =
            self.keys.iter().map(|key| self.fake.engine.composer_text(key).to_owned()).collect();
        places.extend(self.fake.engine.drafts().iter().map(|draft| draft.text.clone()));
        let mut reviews = self.fake.engine.other_reviews();
        reviews.extend(self.fake.engine.conversation().into_iter().flat_map(|open| open.reviews));
        places.extend(reviews.into_iter().filter_map(|review| review.text));
        let starting = self.fake.waits("thread/start");
        for text in &self.texts {
            let found = places.iter().filter(|place| *place == text).count();
            assert!(found <= 1, "seed {seed}: {text} is in {found} places");
            let on_the_wire = self.fake.open.iter().any(|(_, call)| text_of(call).as_ref() == Some(text));
            assert!(
                found == 1 || on_the_wire || starting || self.accepted.contains(text),
                "seed {seed}: {text} is nowhere"
            );
        }
        let mut sent: BTreeMap<String, usize> = BTreeMap::new();
        for text in self.fake.operations.iter().filter_map(text_of) {
            *sent.entry(text).or_default() += 1;
        }
        for (text, times) in sent {
            assert!(
                times <= self.presses.get(&text).copied().unwrap_or(0),
                "seed {seed}: {text} went out {times} times"
            );
        }
        let ids: Vec<_> = self.fake.operations.iter().filter_map(client_id).collect();
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "seed {seed}: a client id was used twice");
        assert!(self.fake.sent("thread/resume") <= self.joins, "seed {seed}");
        assert!(self.fake.sent("turn/interrupt") <= self.stops, "seed {seed}");
        let answered: Vec<_> = self.fake.answers.iter().map(|(_, request)| request).collect();
        assert_eq!(answered.len(), answered.iter().collect::<BTreeSet<_>>().len(), "seed {seed}: answered twice");
    }
}

#[test]
fn any_order_of_users_servers_and_losses_keeps_every_text_and_repeats_nothing() {
    let (mut sent, mut messages) = (0, 0);
    for seed in 0..300 {
        let mut walk = Walk::new(seed);
        for _ in 0..200 {
            walk.step();
        }
        sent += walk.fake.operations.len();
        messages += walk.fake.operations.iter().filter(|call| text_of(call).is_some()).count();
    }
    assert!(sent > 1_000 && messages > 100, "the walk must do something: {sent} operations, {messages} messages");
}
