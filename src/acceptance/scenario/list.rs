//! Every scenario, in the order of the report.

use super::super::matrix::Sizes;
use super::Step::{self, Advance, Go, Gone, Key, Named, Press, Times, Type, Until};
use super::{Boot, Scenario};

const LIST: &[Step] = &[Until("Awaiting conversation selection")];
/// The first conversation of the list, read.
const READ: &[Step] = &[Key("Ctrl+K"), Key("Enter"), Until("Viewing history only"), Gone("Reading the history")];
/// Joined; the composer has the focus.
const JOIN: &[Step] = &[Press("Join"), Named("Send")];
/// Reads the conversation that has a bit of everything.
const UPLOAD: &[Step] = &[
    Key("Ctrl+K"),
    Type("flaky upload"),
    Gone("Which CSV parser?"),
    Key("Enter"),
    Until("Viewing history only"),
    Gone("Reading the history"),
];
const UNSENT: &[Step] =
    &[Go("Message"), Type("Please also run it 200 times on Windows and tell me the seed when it fails.")];
/// The unsteady server is about to end.
const LIVED: &[Step] = &[Advance(19_000)];
/// It ends; the first attempt to connect again follows at once and succeeds.
const LOST: &[Step] = &[Advance(1_500), Until("Unsent text kept"), Until("Awaiting conversation selection")];
/// One more life of the unsteady server.
const LIFE: &[Step] = &[Advance(20_500)];

const fn demo(
    name: &'static str,
    about: &'static str,
    scenario: &'static str,
    sizes: Sizes,
    way: &'static [&'static [Step]],
) -> Scenario {
    Scenario { name, about, boot: Boot::Demo(scenario), way, sizes }
}

const PROFILES: &str = r#"
selected = "Build box"

[[profile]]
name = "Build box"
kind = "remote"
url = "wss://build.example:4500/"

[[profile]]
name = "This computer"
kind = "local"
codex = "/opt/codex/bin/codex"
"#;

/// See the module.
pub const SCENARIOS: &[Scenario] = &[
    // Connecting.
    Scenario {
        name: "first-start",
        about: "nothing is installed, nothing is saved: the demo is offered",
        boot: Boot::Nothing,
        way: &[&[Until("No Codex was found")]],
        sizes: Sizes::Telling,
    },
    Scenario {
        name: "connect-remote",
        about: "the form for a running server, with an address that is refused in words",
        boot: Boot::Nothing,
        way: &[&[
            Press("A running server (Preview)"),
            Go("Address, for example wss://host.example"),
            Type("ws://far.example"),
            Press("Connect"),
            Until("this machine only"),
        ]],
        sizes: Sizes::Usual,
    },
    Scenario {
        name: "connect-saved",
        about: "saved connections, local and remote",
        boot: Boot::Saved(PROFILES),
        way: &[&[Until("Build box")]],
        sizes: Sizes::Usual,
    },
    Scenario {
        name: "settings",
        about: "the settings page",
        boot: Boot::Nothing,
        way: &[&[Key("Ctrl+,"), Until("Saved in rejoin")]],
        sizes: Sizes::Telling,
    },
    Scenario {
        name: "settings-theme",
        about: "choosing a theme: the list is open",
        boot: Boot::Nothing,
        way: &[&[Key("Ctrl+,"), Until("Saved in rejoin"), Press("Theme"), Key("Down")]],
        sizes: Sizes::Usual,
    },
    Scenario {
        name: "keys",
        about: "every key",
        boot: Boot::Nothing,
        way: &[&[Key("F1"), Until("Next, previous control")]],
        sizes: Sizes::Usual,
    },
    // The list.
    demo("list", "connected, nothing is selected", "default", Sizes::Telling, &[LIST]),
    demo(
        "list-empty",
        "a server without conversations",
        "empty",
        Sizes::Usual,
        &[LIST, &[Until("No conversations yet")]],
    ),
    demo(
        "list-long",
        "1,200 conversations; the focus is on the fourth",
        "long-list",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+K"), Times(4, "Down")]],
    ),
    demo(
        "list-search",
        "typing filters",
        "default",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+K"), Type("retry"), Gone("Which CSV")]],
    ),
    demo(
        "list-nothing",
        "a search that finds nothing",
        "default",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+K"), Type("zzz"), Until("Nothing matches")]],
    ),
    demo("menu", "the menu", "default", Sizes::Usual, &[LIST, &[Press("Menu"), Until("Disconnect")]]),
    // Reading.
    demo("reading", "a conversation read, not joined", "default", Sizes::Telling, &[LIST, UPLOAD]),
    demo("reading-legacy", "the old form of a conversation", "legacy", Sizes::Usual, &[LIST, READ]),
    demo("reading-new", "a conversation before its first turn", "unpersisted", Sizes::Usual, &[LIST, READ]),
    demo(
        "reading-ephemeral",
        "a conversation that keeps no history",
        "ephemeral",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+N"), Type("hello"), Key("Ctrl+Enter")]],
    ),
    demo("reading-not-indexed", "history that shows only after Join", "not-indexed", Sizes::Usual, &[LIST, READ]),
    demo(
        "join-refused",
        "another process writes to the conversation",
        "elsewhere",
        Sizes::Usual,
        &[LIST, READ, &[Press("Join"), Until("Another Codex process is writing")]],
    ),
    demo(
        "find",
        "finding in what is loaded",
        "default",
        Sizes::Usual,
        &[LIST, UPLOAD, &[Key("Ctrl+F"), Type("sleep"), Until("3 of 3")]],
    ),
    demo(
        "turn-expanded",
        "the steps of one turn",
        "long-history",
        Sizes::Usual,
        &[LIST, READ, &[Times(12, "Alt+PageUp")]],
    ),
    demo(
        "older",
        "the edge of what is loaded",
        "long-history",
        Sizes::Usual,
        &[LIST, READ, &[Key("Home"), Until("Load older")]],
    ),
    demo(
        "markdown",
        "everything that a message may contain, its beginning",
        "markdown",
        Sizes::Telling,
        &[LIST, READ, &[Key("Home")]],
    ),
    demo("markdown-end", "everything that a message may contain, its end", "markdown", Sizes::Usual, &[LIST, READ]),
    demo(
        "link",
        "a link shows its real target before it is opened",
        "markdown",
        Sizes::Usual,
        &[LIST, READ, &[Press("link to the notes"), Until("https://example.com/notes")]],
    ),
    demo("items", "one item of each type, the first ones", "every-item", Sizes::Usual, &[LIST, READ, &[Key("Home")]]),
    demo(
        "items-middle",
        "one item of each type, those between",
        "every-item",
        Sizes::Usual,
        &[LIST, READ, &[Key("Home"), Key("PageDown")]],
    ),
    demo("items-end", "one item of each type, the last ones", "every-item", Sizes::Usual, &[LIST, READ]),
    // Taking part.
    demo("joined", "joined and idle", "default", Sizes::Telling, &[LIST, UPLOAD, JOIN]),
    demo(
        "next-turn",
        "model, reasoning, approval and sandbox of the next turn",
        "default",
        Sizes::Usual,
        &[LIST, UPLOAD, JOIN, &[Press("Change"), Until("Reasoning")]],
    ),
    demo(
        "new",
        "a new conversation before its first message",
        "default",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+N"), Until("New conversation")]],
    ),
    demo(
        "answer",
        "an answer with reasoning, a command and a table",
        "default",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+N"), Type("What is this?"), Key("Ctrl+Enter"), Advance(30_000), Gone("Stop")]],
    ),
    demo(
        "failed",
        "a turn that failed",
        "default",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+N"), Type("fail"), Key("Ctrl+Enter"), Advance(10_000), Until("This turn failed")]],
    ),
];

#[allow(unused)]
const KEEP: &[&[Step]] = &[LIVED, LOST, LIFE, UNSENT];
