//! One seed, one run: the shipped engine and worker machines, a model server, a user, virtual time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use rejoin::base::{BridgeId, Instant, Now, Stamp, UnixMs, limit};
use rejoin::contract::{Envelope, Event, Failure, FailureKind, Target};
use rejoin::engine::input::Profile;
use rejoin::engine::view::{Connection, ConversationKey, Membership, OpState, SendState};
use rejoin::engine::{Config, Engine, Input, Intent, OFFLINE, Output, words};
use rejoin::worker::machine::{self, Machine, TransportEvent};

use super::server::Server;

/// How often each fault and each state occurred.
pub type Coverage = BTreeMap<&'static str, usize>;

struct Link {
    bridge: BridgeId,
    stamp: Stamp,
    machine: Machine,
    /// Its transport is there and speaks.
    open: bool,
    /// What it said and the window has not read.
    events: VecDeque<(Option<Stamp>, Event)>,
}

pub struct World {
    seed: u64,
    random: fastrand::Rng,
    now: Now,
    engine: Engine,
    link: Option<Link>,
    /// Events of ended workers that arrive late.
    late: Vec<(BridgeId, Option<Stamp>, Event)>,
    server: Server,
    /// What happens to the next transports: how they fail.
    refuse: VecDeque<FailureKind>,
    /// The peer says nothing any more.
    mute: bool,
    words: usize,
    typed: BTreeSet<String>,
    keys: BTreeSet<ConversationKey>,
    presses: usize,
    joins: usize,
    opened: bool,
    starts: usize,
    /// When the latest connection was proven, for the count of attempts.
    proven: Option<Instant>,
    last_state: &'static str,
    pub coverage: Coverage,
}

fn lost(kind: FailureKind) -> Failure {
    Failure { kind, detail: String::new(), stderr: Vec::new() }
}

impl World {
    pub fn new(seed: u64) -> Self {
        let mut ids = 0;
        let mut dice = fastrand::Rng::with_seed(seed ^ 0x5eed);
        let config = Config {
            new_id: Box::new(move || {
                ids += 1;
                format!("c{ids}")
            }),
            time_text: Box::new(|at| at.0.to_string()),
            jitter: Box::new(move || dice.f64()),
        };
        let now = Now { instant: Instant(Duration::from_secs(1)), unix_ms: UnixMs(1_000) };
        Self {
            seed,
            random: fastrand::Rng::with_seed(seed),
            now,
            engine: Engine::new(config, now),
            link: None,
            late: Vec::new(),
            server: Server::default(),
            refuse: VecDeque::new(),
            mute: false,
            words: 0,
            typed: BTreeSet::new(),
            keys: BTreeSet::from([OFFLINE]),
            presses: 0,
            joins: 0,
            opened: false,
            starts: 0,
            proven: None,
            last_state: "",
            coverage: Coverage::new(),
        }
    }

    pub fn run(&mut self, steps: usize) {
        self.connect();
        for _ in 0..steps {
            self.step();
            self.check();
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.coverage.entry(what).or_default() += 1;
    }

    fn connect(&mut self) {
        self.starts = 0;
        self.opened = false;
        let target = Target::WebSocket { url: "ws://127.0.0.1:1".into(), token_file: None, ca_file: None };
        self.user(Intent::Connect(Profile { name: "sim".into(), target, cwd: Some("/srv".into()) }));
    }

    fn user(&mut self, intent: Intent) {
        self.input(Input::User(intent));
    }

    fn input(&mut self, input: Input) {
        self.engine.handle_input(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.engine.poll_output() {
            match output {
                Output::StartWorker { bridge } => {
                    assert!(self.link.is_none(), "seed {}: two workers at once", self.seed);
                    let stamp = self.engine.stamp().expect("a worker has a generation");
                    let machine = Machine::new(stamp, Box::new(|| 0.5));
                    self.link = Some(Link { bridge, stamp, machine, open: false, events: VecDeque::new() });
                    self.starts += 1;
                }
                Output::Send { bridge, stamp, request } => {
                    if let Some(link) = self.link.as_mut().filter(|link| link.bridge == bridge) {
                        link.machine.handle_gui(self.now, Envelope { seq: 0, stamp: Some(stamp), body: request });
                        self.pump();
                    }
                }
                Output::StopWorker { bridge } => {
                    if let Some(link) = self.link.take_if(|link| link.bridge == bridge) {
                        self.late.extend(link.events.into_iter().map(|(stamp, event)| (bridge, stamp, event)));
                    }
                }
                Output::Announce { .. } | Output::Focus(_) | Output::ComposerReplaced { .. } => {}
            }
        }
    }

    /// The worker's outputs reach the server, its events wait for the window.
    fn pump(&mut self) {
        let Some(link) = &mut self.link else { return };
        loop {
            while let Some(event) = link.machine.poll_event() {
                link.events.push_back(event);
            }
            let Some(output) = link.machine.poll_output() else { break };
            match output {
                machine::Output::OpenTransport(_) => {
                    let event = match self.refuse.pop_front() {
                        Some(kind) => TransportEvent::Closed(lost(kind)),
                        None => {
                            self.server.connect();
                            self.mute = false;
                            link.open = true;
                            TransportEvent::Opened { pid: None }
                        }
                    };
                    link.machine.handle_transport(self.now, event);
                }
                machine::Output::ToServer(text) if link.open && !self.mute => self.server.receive(&text),
                machine::Output::CloseTransport | machine::Output::Exit => link.open = false,
                machine::Output::ToServer(_) | machine::Output::Ping => {}
            }
        }
    }

    fn step(&mut self) {
        match self.random.u8(0..56) {
            0..=7 => self.serve(),
            8..=15 => self.deliver(),
            16 | 17 => self.write(),
            18 | 19 => {
                self.presses += 1;
                self.user(Intent::Send);
            }
            20 | 21 => {
                self.opened = true;
                let id = self.random.choice(["a", "b"]).expect("two").into();
                self.user(Intent::Open(id));
            }
            22 => {
                self.joins += 1;
                self.user(Intent::Join);
            }
            23 => self.draft(),
            24 => self.review(),
            25 | 26 => self.wait(),
            27..=29 => self.fault(),
            30 => self.late_signal(),
            31..=52 => self.purposeful(),
            54 if self.random.u8(0..6) == 0 => self.user(Intent::Disconnect),
            53 if self.last_state == "Reconnecting" => {
                let now = self.random.bool();
                self.count(if now { "try now" } else { "cancel" });
                self.user(if now { Intent::TryNow } else { Intent::CancelConnecting });
            }
            _ => self.recover(),
        }
        if let Some(open) = self.engine.conversation() {
            self.keys.insert(open.key);
        }
    }

    /// A user who wants to get on: selects, joins, writes, sends, restores, and lets the others work.
    fn purposeful(&mut self) {
        self.serve();
        self.deliver();
        let Some(open) = self.engine.conversation() else {
            if self.last_state == "Awaiting conversation selection" {
                self.opened = true;
                self.user(Intent::Open("a".into()));
            }
            return;
        };
        match (open.membership, open.composer.send) {
            (Membership::ReadOnly { .. }, _) => {
                self.joins += 1;
                self.user(Intent::Join);
            }
            (_, SendState::Start | SendState::Steer) => {
                self.presses += 1;
                self.count("sent");
                for _ in 0..self.random.usize(1..3) {
                    self.user(Intent::Send);
                }
            }
            _ if !self.engine.drafts().is_empty() && self.engine.restore_refused().is_none() => self.draft(),
            _ if !self.engine.drafts().is_empty() && self.random.bool() => self.user(Intent::ConfirmConnection),
            _ => self.write(),
        }
    }

    /// The user acts where the screen waits for one.
    fn recover(&mut self) {
        match self.last_state {
            "Manual reconnect required" => {
                self.starts = 0;
                self.user(Intent::Reconnect);
            }
            "Connection/profile confirmation required" | "Sign-in required" | "Not connected" => self.connect(),
            _ => self.deliver(),
        }
    }

    fn serve(&mut self) {
        for _ in 0..self.random.usize(1..6) {
            if self.mute || self.server.waits() == 0 || !self.link.as_ref().is_some_and(|link| link.open) {
                return;
            }
            let at = self.random.usize(0..self.server.waits());
            for text in self.server.answer(at) {
                self.transport(TransportEvent::Message(text));
            }
        }
    }

    fn transport(&mut self, event: TransportEvent) {
        if let Some(link) = &mut self.link {
            link.machine.handle_transport(self.now, event);
        }
        self.pump();
    }

    /// The window reads some of what its worker said.
    fn deliver(&mut self) {
        for _ in 0..self.random.usize(1..12) {
            let Some(link) = &mut self.link else { return };
            let (bridge, Some((stamp, event))) = (link.bridge, link.events.pop_front()) else { return };
            if self.random.u8(0..16) == 0 {
                self.late.push((bridge, stamp, event.clone()));
            }
            self.input(Input::Worker { bridge, stamp, event });
        }
    }

    fn late_signal(&mut self) {
        let current = self.link.as_ref().map(|link| link.bridge);
        let Some(at) = self.late.iter().position(|(bridge, ..)| Some(*bridge) != current) else { return };
        let (bridge, stamp, event) = self.late.remove(at);
        self.count("late signal");
        let (before, state) = (self.engine.stale_dropped(), self.state());
        self.input(Input::WorkerGone { bridge, failure: lost(FailureKind::ConnectionLost) });
        self.input(Input::Worker { bridge, stamp, event });
        assert_eq!(self.engine.stale_dropped(), before + 1, "seed {}: a dead worker's line counted", self.seed);
        assert_eq!(self.state(), state, "seed {}: a dead worker changed the state", self.seed);
    }

    fn state(&self) -> &'static str {
        let banner = self.engine.banner();
        words::state(banner.connection, banner.profile).title
    }

    fn fault(&mut self) {
        let dice = self.random.u8(0..14);
        let name = match dice {
            0 => "cut",
            1 => "half-open",
            2 => "kill worker",
            3 => "kill server before applying",
            4 => "kill server after applying",
            5 => "drain",
            6 => "overload",
            7 => "refuse connections",
            8 => "terminal refusal",
            9 => "profile edit",
            10 => "account change",
            11 => "sleep",
            12 => "attach again",
            _ => "close code",
        };
        let here = self.link.as_ref().is_some_and(|link| link.open);
        if !here && !(7..=11).contains(&dice) {
            return;
        }
        self.count(name);
        match dice {
            0 => self.close(FailureKind::ConnectionLost),
            1 => self.mute = true,
            2 => {
                let bridge = self.link.as_ref().map(|link| link.bridge).expect("a link");
                self.input(Input::WorkerGone { bridge, failure: lost(FailureKind::Worker { why: "killed".into() }) });
            }
            3 => self.close(FailureKind::Closed { code: 1006, reason: String::new() }),
            4 => {
                // Executed, and nobody hears of it.
                while self.server.waits() > 0 {
                    self.server.answer(0);
                }
                self.close(FailureKind::ConnectionLost);
            }
            5 => self.server.draining = true,
            6 => self.server.overloaded = true,
            7 => {
                let kinds = [
                    FailureKind::ConnectionLost,
                    FailureKind::ConnectTimeout,
                    FailureKind::HttpStatus { status: 503 },
                    FailureKind::HttpStatus { status: 429 },
                ];
                let many = self.random.usize(1..8);
                self.refuse.extend((0..many).map(|at| kinds[at % kinds.len()].clone()));
                self.close(FailureKind::ConnectionLost);
            }
            8 => {
                let kinds = [
                    FailureKind::HttpStatus { status: 401 },
                    FailureKind::HttpStatus { status: 403 },
                    FailureKind::Tls { why: "expired".into() },
                ];
                self.refuse.push_back(self.random.choice(kinds).expect("three"));
                self.close(FailureKind::ConnectionLost);
            }
            9 => self.user(Intent::ProfileEdited),
            10 => {
                self.server.account += 1;
                if here {
                    let text = r#"{"method":"account/updated","params":{"authMode":"chatgpt"}}"#;
                    self.transport(TransportEvent::Message(text.to_owned()));
                }
            }
            11 => {
                let night = Duration::from_secs(8 * 3600);
                self.now.unix_ms.0 += 8 * 3600 * 1_000;
                if self.random.bool() {
                    self.now.instant = self.now.instant + night;
                }
                self.timeout();
            }
            12 => {
                if let Some(link) = &mut self.link {
                    link.events.push_back((Some(link.stamp), Event::Lagged { missed: 1 }));
                }
            }
            _ => self.close(FailureKind::Closed { code: 1012, reason: "restart".into() }),
        }
    }

    fn close(&mut self, kind: FailureKind) {
        if self.link.as_ref().is_some_and(|link| link.open) {
            if let Some(link) = &mut self.link {
                link.open = false;
            }
            self.transport(TransportEvent::Closed(lost(kind)));
        }
    }

    /// Time passes, to the next deadline at most.
    fn wait(&mut self) {
        let worker = self.link.as_ref().and_then(|link| link.machine.poll_timeout());
        let due = [self.engine.poll_timeout(), worker].into_iter().flatten().min();
        let step = Duration::from_millis(self.random.u64(1..40_000));
        let end = due.map_or(self.now.instant + step, |due| due.min(self.now.instant + step)).max(self.now.instant);
        let passed = end.since(self.now.instant);
        self.now.instant = end;
        self.now.unix_ms.0 += i64::try_from(passed.as_millis()).expect("small");
        self.timeout();
    }

    fn timeout(&mut self) {
        if let Some(link) = &mut self.link {
            link.machine.handle_timeout(self.now);
        }
        self.pump();
        self.engine.handle_timeout(self.now);
        self.drain();
    }

    fn open_key(&mut self) -> ConversationKey {
        self.engine.conversation().map_or(OFFLINE, |open| open.key)
    }

    fn write(&mut self) {
        let conversation = self.open_key();
        if self.engine.composer_text(&conversation).is_empty() {
            self.words += 1;
            let text = format!("word-{}\u{202e}\n", self.words);
            self.typed.insert(text.clone());
            self.user(Intent::Edit { conversation, text });
        }
    }

    fn draft(&mut self) {
        let drafts = self.engine.drafts().to_vec();
        let Some(draft) = self.random.choice(drafts) else { return };
        match self.random.u8(0..4) {
            0 => self.user(Intent::ConfirmConnection),
            1 => {
                self.user(Intent::DiscardDraft(draft.id));
                self.typed.remove(&draft.text);
            }
            _ => {
                let before = self.engine.drafts().len();
                let may = self.engine.comparison().is_some_and(|comparison| comparison.confirmed);
                self.user(Intent::RestoreDraft(draft.id));
                let restored = self.engine.drafts().len() < before;
                assert!(may || !restored, "seed {}: restored before Confirm", self.seed);
                if restored {
                    self.count("restored");
                    let key = self.open_key();
                    assert_eq!(self.engine.composer_text(&key), draft.text, "seed {}", self.seed);
                }
            }
        }
    }

    fn review(&mut self) {
        let reviews = self.reviews();
        let Some(review) = self.random.choice(reviews) else { return };
        if self.random.bool() {
            return self.user(Intent::EditOperation(review.op));
        }
        self.user(Intent::DismissOperation(review.op));
        if let Some(text) = review.text {
            self.typed.remove(&text);
        }
    }

    fn reviews(&mut self) -> Vec<rejoin::engine::view::Review> {
        let mut reviews = self.engine.other_reviews();
        reviews.extend(self.engine.conversation().into_iter().flat_map(|open| open.reviews));
        reviews
    }

    /// What must hold after every step.
    fn check(&mut self) {
        let seed = self.seed;
        let state = self.state();
        if state != self.last_state {
            self.last_state = state;
            self.count(state);
        }
        // Attempts: five, unless the connection was healthy for 30 s in between or the user asked again.
        let searching = matches!(self.engine.banner().connection, Connection::Reconnecting { .. });
        let connected = matches!(
            self.engine.banner().connection,
            Connection::Ready { .. } | Connection::HistoryRefresh { .. } | Connection::AwaitingSelection { .. }
        );
        match (connected, self.proven) {
            (true, None) => self.proven = Some(self.now.instant),
            (true, Some(since)) if self.now.instant.since(since) >= limit::HEALTHY => self.starts = 0,
            (false, _) => self.proven = None,
            (true, Some(_)) => {}
        }
        assert!(self.starts <= 6, "seed {seed}: {} workers for one episode", self.starts);
        if !searching && !connected && !["Connecting", "Synchronizing history"].contains(&state) {
            assert!(self.link.is_none() || state == "Sign-in required", "seed {seed}: {state} with a worker");
        }
        assert!(!connected || self.link.is_some(), "seed {seed}: {state} without a worker");
        // Nothing by itself.
        assert!(self.opened || self.engine.conversation().is_none(), "seed {seed}: selected by itself");
        assert!(self.server.resumed <= self.joins, "seed {seed}: joined by itself");
        let sent: usize = self.server.received.values().sum();
        assert!(sent <= self.presses, "seed {seed}: {sent} messages of {} presses", self.presses);
        assert!(self.server.received.values().all(|times| *times == 1), "seed {seed}: a message went out twice");
        // Only what this connection said is in the list.
        let connection = format!("@{}", self.server.connection);
        if connected {
            for row in &self.engine.picker().rows {
                assert!(row.title.ends_with(&connection), "seed {seed}: {} is of an older connection", row.title);
            }
        }
        self.check_texts();
    }

    /// Every typed text is in exactly one place, or was accepted, or is under way on this connection.
    fn check_texts(&mut self) {
        let seed = self.seed;
        let keys: Vec<_> = self.keys.iter().cloned().collect();
        let mut places: Vec<String> = keys.iter().map(|key| self.engine.composer_text(key).to_owned()).collect();
        places.extend(self.engine.drafts().iter().map(|draft| draft.text.clone()));
        let reviews = self.reviews();
        if reviews.iter().any(|review| review.text.is_some() && matches!(review.state, OpState::OutcomeUnknown(_))) {
            self.count("uncertain message in review");
        }
        places.extend(reviews.into_iter().filter_map(|review| review.text));
        let alive = self.link.is_some();
        for text in &self.typed {
            let found = places.iter().filter(|place| *place == text).count();
            assert!(found <= 1, "seed {seed}: {text:?} is in {found} places");
            let accepted = self.server.accepted.iter().any(|(.., sent)| sent == text);
            assert!(found == 1 || accepted || alive, "seed {seed}: {text:?} is nowhere");
        }
    }
}
