//! The scenarios by name: what is there when a client connects, and what the server does wrong.

use crate::base::Now;

use super::beat::{Ask, Step};
use super::world::{Thread, ThreadKind};
use super::{Machine, hostile, item, stories, words};

/// A named beginning.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    /// One line for a list.
    pub about: &'static str,
    pub(super) build: fn(&mut Machine, Now),
    pub(super) quirk: Quirk,
}

/// There is no scenario of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the demo has no scenario \"{0}\"; there are {names}", names = names())]
pub struct UnknownScenario(String);

/// What the server does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirk {
    None,
    /// The account must sign in.
    SignIn,
    ExitAtOnce,
    ExitMidTurn,
    /// The process ends before it answers `turn/start`.
    ExitAtTurn,
    /// The process ends some time after each first list.
    Unsteady,
    Garbage,
    /// Every method is refused once with -32001.
    Overloaded,
    Draining,
    /// No answer to anything after the first list.
    Silent,
    /// New threads are never stored.
    Ephemeral,
}

/// Every scenario, the default first.
pub fn scenarios() -> &'static [Scenario] {
    SCENARIOS
}

pub(super) fn find(name: &str) -> Result<&'static Scenario, UnknownScenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name).ok_or_else(|| UnknownScenario(name.to_owned()))
}

fn names() -> String {
    SCENARIOS.iter().map(|scenario| scenario.name).collect::<Vec<_>>().join(", ")
}

const fn plain(name: &'static str, about: &'static str, build: fn(&mut Machine, Now)) -> Scenario {
    Scenario { name, about, build, quirk: Quirk::None }
}

const fn faulty(name: &'static str, about: &'static str, quirk: Quirk) -> Scenario {
    Scenario { name, about, build: stories::default, quirk }
}

const SCENARIOS: &[Scenario] = &[
    plain("default", "a few conversations, one at work, one waiting for you", stories::default),
    plain("empty", "no conversations", |_, _| {}),
    plain("long-list", "1,200 conversations", |machine, now| list(machine, now, 1_200, 60_000)),
    plain("long-history", "a conversation of 5,000 items", long_history),
    plain("every-item", "one item of each type, and an unknown one", every_item),
    plain("markdown", "a message with everything that Markdown has", markdown),
    plain("hostile", "hostile text, commands, tools and a page of 40 MB", hostile_threads),
    plain("streaming", "a turn that streams for minutes", streaming),
    plain("approvals", "a command, a patch, a question and a form wait", approvals),
    plain("legacy", "a conversation in the old form", |machine, now| kind(machine, now, ThreadKind::Legacy)),
    Scenario {
        name: "ephemeral",
        about: "new conversations are not stored",
        build: ephemeral,
        quirk: Quirk::Ephemeral,
    },
    plain("unpersisted", "a conversation before its first turn", unpersisted),
    plain("not-indexed", "history that shows only after Join", |machine, now| {
        kind(machine, now, ThreadKind::NotIndexed);
    }),
    plain("elsewhere", "a turn that another process runs", |machine, now| kind(machine, now, ThreadKind::Elsewhere)),
    plain("s1", "attach in the middle of a message", streaming),
    plain("s2", "120 conversations within one second", |machine, now| list(machine, now, 120, 8)),
    plain("s3", "lists that are not supported yet, for three reasons", |machine, now| {
        kind(machine, now, ThreadKind::Legacy);
        unpersisted(machine, now);
        ephemeral(machine, now);
    }),
    plain("s4", "a turn that hangs until it is interrupted", hanging),
    plain("s5", "a turn that a second turn/start steers", streaming),
    plain("s6", "a turn whose messages tell their client ids", streaming),
    plain("s7", "requests that come again when you join", approvals),
    plain("s8", "a page of 40 MB", large_page),
    plain("s9", "two conversations with the same turn and item ids", fork),
    plain("s10", "items with made-up ids", |machine, now| kind(machine, now, ThreadKind::Legacy)),
    faulty("s11", "a server that is draining", Quirk::Draining),
    plain("s12", "a thread with another writer", |machine, now| kind(machine, now, ThreadKind::Elsewhere)),
    plain("s13", "a thread whose attachments are an empty list", stories::default),
    plain("s14", "a server that ignores malformed messages", stories::default),
    plain("s15", "pages that are empty until resumed", |machine, now| kind(machine, now, ThreadKind::NotIndexed)),
    faulty("sign-in", "the account must sign in first", Quirk::SignIn),
    faulty("exit-at-once", "the server ends at once", Quirk::ExitAtOnce),
    faulty("exit-mid-turn", "the server ends in the middle of your turn", Quirk::ExitMidTurn),
    faulty("exit-at-turn", "the server ends before it answers your message", Quirk::ExitAtTurn),
    faulty("unsteady", "the server ends 20 s after each first list", Quirk::Unsteady),
    faulty("garbage", "what answers is no app-server", Quirk::Garbage),
    faulty("overloaded", "every method is refused once", Quirk::Overloaded),
    faulty("draining", "no new turns are taken", Quirk::Draining),
    faulty("silent", "no answer after the first list", Quirk::Silent),
];

/// A conversation of the past.
pub(super) struct Story {
    pub name: Option<&'static str>,
    pub cwd: &'static str,
    /// Since it began.
    pub minutes_ago: i64,
    pub turns: Vec<(&'static str, Vec<Step>)>,
}

impl Machine {
    /// Adds a conversation and returns its index.
    pub(super) fn tell_story(&mut self, now: Now, story: Story) -> usize {
        let at = now.unix_ms.0 - story.minutes_ago * 60_000;
        let mut thread = Thread::new(self.ids.uuid(), story.cwd, at);
        thread.name = story.name.map(str::to_owned);
        for (index, (input, steps)) in story.turns.iter().enumerate() {
            let later = i64::try_from(index).unwrap_or(0) * 45_000;
            thread.remember(&mut self.ids, at + later, input, steps);
        }
        self.threads.push(thread);
        self.threads.len() - 1
    }

    /// Lets a turn begin in it now.
    pub(super) fn set_going(&mut self, now: Now, thread: usize, input: &str, steps: Vec<Step>) {
        self.threads[thread].loaded = true;
        self.begin_turn(now, thread, steps);
        self.open_turn(now, thread, None, &item::typed(input));
    }
}

fn two_turns() -> Vec<(&'static str, Vec<Step>)> {
    vec![
        (
            "Which crates does the worker use?",
            vec![
                words::command("cargo tree --depth 1", "tokio v1\nrustls v0.23\nserde v1\n", Ask::Policy),
                words::say("Three that matter: **tokio**, **rustls** and **serde**."),
            ],
        ),
        ("And the engine?", vec![words::say("None of them: the engine is pure.")]),
    ]
}

fn kind(machine: &mut Machine, now: Now, kind: ThreadKind) {
    let story = Story { name: None, cwd: "/home/demo/rejoin", minutes_ago: 90, turns: two_turns() };
    let index = machine.tell_story(now, story);
    let thread = &mut machine.threads[index];
    thread.kind = kind;
    if kind == ThreadKind::Elsewhere
        && let Some(turn) = thread.turns.last_mut()
    {
        turn.status = "interrupted";
        turn.completed = None;
    }
}

/// `step` milliseconds from one to the next.
fn list(machine: &mut Machine, now: Now, count: i64, step: i64) {
    const TOPICS: [&str; 6] = [
        "Fix the flaky upload test",
        "Explain the borrow error in parse.rs",
        "Rename Session to Connection",
        "Why is the build slow?",
        "Draft the release notes",
        "Move the retry into one place",
    ];
    for (number, topic) in (0..count).zip(TOPICS.iter().cycle()) {
        let mut thread = Thread::new(machine.ids.uuid(), "/home/demo/rejoin", now.unix_ms.0 - 1_000 - number * step);
        let at = thread.created;
        thread.remember(&mut machine.ids, at, &format!("{topic} ({})", number + 1), &[]);
        thread.updated = at;
        thread.archived = step > 1_000 && number % 10 == 9;
        thread.source = if number % 7 == 3 { "cli" } else { "vscode" };
        machine.threads.push(thread);
    }
}

fn long_history(machine: &mut Machine, now: Now) {
    let begin = now.unix_ms.0 - 5_000 * 60_000;
    let mut thread = Thread::new(machine.ids.uuid(), "/home/demo/rejoin", begin);
    thread.name = Some("A very long conversation".to_owned());
    for turn in 0..1_250_i64 {
        let steps = [
            words::command(&format!("cargo test --lib part_{turn}"), "test result: ok. 4 passed\n", Ask::Policy),
            words::say(&format!("Part {turn} is **done**; four tests pass.")),
            words::say("Shall I go on with the next one?"),
        ];
        thread.remember(&mut machine.ids, begin + turn * 240_000, &format!("Go on with part {turn}"), &steps);
    }
    machine.threads.push(thread);
}

fn every_item(machine: &mut Machine, now: Now) {
    let samples = include_str!("../../assets/demo/items.jsonl").lines();
    let items = samples.filter_map(|line| serde_json::from_str(line).ok()).map(Step::Item).collect();
    let story = Story {
        name: Some("One of each"),
        cwd: "/home/demo/rejoin",
        minutes_ago: 20,
        turns: vec![("Show me everything there is", items)],
    };
    machine.tell_story(now, story);
}

fn markdown(machine: &mut Machine, now: Now) {
    let text = include_str!("../../assets/demo/markdown.md");
    let turns = vec![("Show me everything that a message may contain", vec![words::say(text)])];
    machine.tell_story(now, Story { name: Some("Markdown"), cwd: "/home/demo/rejoin", minutes_ago: 15, turns });
}

fn hostile_threads(machine: &mut Machine, now: Now) {
    let mut steps = hostile::steps();
    steps.push(hostile::tool());
    let turns = vec![("Show me \u{202e}tsrow eht\u{202c} you have \0", steps)];
    machine.tell_story(
        now,
        Story { name: Some("Hostile history \u{202e}gnp.exe"), cwd: "/tmp/\u{202e}x", minutes_ago: 30, turns },
    );
    large_page(machine, now);
    let stream =
        machine.tell_story(now, Story { name: Some("Hostile stream"), cwd: "/tmp", minutes_ago: 3, turns: vec![] });
    let mut steps = hostile::steps();
    steps.push(hostile::request());
    machine.set_going(now, stream, "Stream it", steps);
}

fn large_page(machine: &mut Machine, now: Now) {
    let steps = (1..=40).map(hostile::large).collect();
    let turns = vec![("Print everything", steps)];
    machine.tell_story(now, Story { name: Some("A page of 40 MB"), cwd: "/tmp", minutes_ago: 60, turns });
}

fn streaming(machine: &mut Machine, now: Now) {
    let story = Story { name: Some("At work"), cwd: "/home/demo/rejoin", minutes_ago: 5, turns: two_turns() };
    let index = machine.tell_story(now, story);
    machine.set_going(now, index, "Walk me through the whole design", stories::long_walk());
}

fn hanging(machine: &mut Machine, now: Now) {
    let story = Story { name: Some("Stuck"), cwd: "/home/demo/rejoin", minutes_ago: 5, turns: two_turns() };
    let index = machine.tell_story(now, story);
    machine.set_going(now, index, "Count to three", vec![Step::Hang("one two thr".into())]);
}

fn approvals(machine: &mut Machine, now: Now) {
    let asks = [
        ("A command", vec![words::command("cargo publish", "Uploading rejoin v0.1.0\n", Ask::Always)]),
        ("A patch", words::answer("patch", "/home/demo/rejoin")),
        ("A question", vec![Step::Question("Which name is better?".into())]),
        ("A form", vec![Step::Elicit("The tracker needs a title.".into())]),
    ];
    for (index, (name, mut steps)) in asks.into_iter().enumerate() {
        let minutes_ago = 10 + i64::try_from(index).unwrap_or(0);
        let story = Story { name: Some(name), cwd: "/home/demo/rejoin", minutes_ago, turns: two_turns() };
        let thread = machine.tell_story(now, story);
        steps.push(words::say("Thank you; that is all."));
        machine.set_going(now, thread, "Go on", steps);
    }
}

fn ephemeral(machine: &mut Machine, now: Now) {
    let story = Story { name: None, cwd: "/home/demo/rejoin", minutes_ago: 2, turns: two_turns() };
    let thread = machine.tell_story(now, story);
    machine.threads[thread].kind = ThreadKind::Ephemeral;
    machine.threads[thread].loaded = true;
}

fn unpersisted(machine: &mut Machine, now: Now) {
    let story = Story { name: None, cwd: "/home/demo/rejoin", minutes_ago: 1, turns: Vec::new() };
    let thread = machine.tell_story(now, story);
    machine.threads[thread].loaded = true;
}

/// A fork has the ids of its source (FACTS S9).
fn fork(machine: &mut Machine, now: Now) {
    let story = Story { name: Some("Source"), cwd: "/home/demo/rejoin", minutes_ago: 50, turns: two_turns() };
    let source = machine.tell_story(now, story);
    let copy = Story { name: Some("Fork"), cwd: "/home/demo/rejoin", minutes_ago: 40, turns: Vec::new() };
    let copy = machine.tell_story(now, copy);
    let (turns, entries) = (machine.threads[source].turns.clone(), machine.threads[source].entries.clone());
    (machine.threads[copy].turns, machine.threads[copy].entries) = (turns, entries);
    machine.threads[copy].forked_from = Some(machine.threads[source].id.clone());
}
