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
/// The request is there and its buttons take a press.
const ARMED: &[Step] = &[Advance(400)];
/// One more page at the older edge.
const OLDER: &[Step] = &[Key("Home"), Press("Load older"), Advance(200)];
const UNSENT: &[Step] =
    &[Go("Message"), Type("Please also run it 200 times on Windows and tell me the seed when it fails.")];
/// The unsteady server ends 20 s after its first list; the first attempt to connect again follows at once.
const LOST: &[Step] = &[Advance(20_500), Until("Unsent text kept"), Until("Awaiting conversation selection")];
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
        sizes: Sizes::Usual,
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
        sizes: Sizes::Usual,
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
        "the steps of one turn are shown",
        "long-history",
        Sizes::Usual,
        &[
            LIST,
            READ,
            &[
                Key("Home"),
                Times(2, "Down"),
                Press("Show the steps of this turn"),
                Until("Hide the steps of this turn"),
            ],
            &[Advance(100), Key("Home")],
        ],
    ),
    demo(
        "older",
        "the edge of what is loaded",
        "long-history",
        Sizes::Usual,
        &[LIST, READ, &[Key("Home"), Until("Load older")]],
    ),
    demo(
        "evicted",
        "1,000 items are kept around the view: the newest were put aside",
        "long-history",
        Sizes::Usual,
        &[
            LIST,
            READ,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            OLDER,
            &[Key("Ctrl+End"), Until("Load newer")],
        ],
    ),
    demo(
        "markdown",
        "everything that a message may contain, its beginning",
        "markdown",
        Sizes::Usual,
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
    demo("joined", "joined and idle", "default", Sizes::Usual, &[LIST, UPLOAD, JOIN]),
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
    demo(
        "interrupted",
        "a turn that was stopped",
        "default",
        Sizes::Usual,
        &[
            LIST,
            &[
                Key("Ctrl+N"),
                Type("HANG"),
                Key("Ctrl+Enter"),
                Advance(3_000),
                Key("Ctrl+."),
                Until("This turn was interrupted"),
            ],
        ],
    ),
    demo(
        "draining",
        "a server that takes no new turns",
        "draining",
        Sizes::Usual,
        &[LIST, UPLOAD, JOIN, &[Type("And now?"), Key("Ctrl+Enter"), Until("shutting down")]],
    ),
    demo(
        "streaming",
        "a turn runs: reasoning is done, a command writes its output",
        "streaming",
        Sizes::Telling,
        &[LIST, READ, JOIN, &[Advance(12_000), Until("test part::")]],
    ),
    demo(
        "late",
        "joined in the middle of a message: its beginning arrives when it is complete",
        "streaming",
        Sizes::Usual,
        &[LIST, READ, &[Advance(30_000)], JOIN, &[Advance(1_000), Until("The beginning arrives")]],
    ),
    demo(
        "back",
        "left in the middle of the turn and come back: nothing is missing",
        "streaming",
        Sizes::Usual,
        &[LIST, READ, JOIN, &[Advance(8_000), Key("Ctrl+K"), Advance(10_000), Key("Enter"), Until("Codex")]],
    ),
    demo(
        "steer",
        "a message sent into the running turn",
        "streaming",
        Sizes::Usual,
        &[LIST, READ, JOIN, &[Type("Only the worker, please."), Key("Ctrl+Enter"), Advance(500)]],
    ),
    // What the server asks.
    demo(
        "card-command",
        "the server asks to run a command",
        "approvals",
        Sizes::Everything,
        &[
            LIST,
            &[Key("Ctrl+K"), Type("A command"), Key("Enter"), Until("Viewing history only")],
            JOIN,
            &[Until("Run this command?")],
            ARMED,
        ],
    ),
    demo(
        "card-patch",
        "the server asks to change a file",
        "approvals",
        Sizes::Large,
        &[
            LIST,
            &[Key("Ctrl+K"), Type("A patch"), Key("Enter"), Until("Viewing history only")],
            JOIN,
            &[Until("Apply this change?")],
            ARMED,
        ],
    ),
    demo(
        "card-question",
        "a question that this version does not show",
        "approvals",
        Sizes::Usual,
        &[
            LIST,
            &[Key("Ctrl+K"), Type("A question"), Key("Enter"), Until("Viewing history only")],
            JOIN,
            &[Until("cannot show")],
            ARMED,
        ],
    ),
    demo(
        "elsewhere-open",
        "a request is open elsewhere",
        "approvals",
        Sizes::Usual,
        &[LIST, &[Advance(3_000)], READ, &[Until("A request is open elsewhere")]],
    ),
    // When there is no connection.
    Scenario {
        name: "missing-program",
        about: "the Codex program is not there",
        boot: Boot::Codex("/opt/codex/bin/codex"),
        way: &[&[Until("/opt/codex/bin/codex was not found")]],
        sizes: Sizes::Usual,
    },
    Scenario {
        name: "wrong-token",
        about: "the server refuses the token",
        boot: Boot::Server { url: "wss://build.example:4500/", token_file: Some("/home/demo/token") },
        way: &[&[Until("did not accept the token")]],
        sizes: Sizes::Usual,
    },
    Scenario {
        name: "tls",
        about: "nobody vouches for the server's certificate",
        boot: Boot::Server { url: "wss://build.example:4500/", token_file: None },
        way: &[&[Until("could not be verified")]],
        sizes: Sizes::Usual,
    },
    demo(
        "not-connected",
        "the user ended the connection",
        "default",
        Sizes::Usual,
        &[LIST, &[Press("Menu"), Press("Disconnect"), Until("Not connected")]],
    ),
    demo(
        "read-failed",
        "the server does not answer a read",
        "silent",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+K"), Key("Enter"), Advance(30_500)]],
    ),
    demo("sign-in", "the server has no account", "sign-in", Sizes::Usual, &[&[Until("Sign-in required")]]),
    demo(
        "no-app-server",
        "what answers is no app-server",
        "garbage",
        Sizes::Usual,
        &[&[Until("Manual reconnect required")]],
    ),
    demo(
        "reconnecting",
        "waiting for attempt 4 of 5",
        "unsteady",
        Sizes::Telling,
        &[LIST, &[Key("Ctrl+N")], UNSENT, &[Until("attempt 4 of 5, next in 4 s")]],
    ),
    demo(
        "gave-up",
        "five attempts failed",
        "unsteady",
        Sizes::Usual,
        &[LIST, &[Key("Ctrl+N")], UNSENT, &[Until("Manual reconnect required")]],
    ),
    demo(
        "draft-quarantined",
        "what was typed is kept aside",
        "unsteady",
        Sizes::Everything,
        &[LIST, UPLOAD, UNSENT, LOST],
    ),
    demo(
        "draft-confirmed",
        "the connection is confirmed",
        "unsteady",
        Sizes::Usual,
        &[LIST, UPLOAD, UNSENT, LOST, UPLOAD, &[Press("Confirm connection"), Until("Connection confirmed")]],
    ),
    demo(
        "draft-restored",
        "the draft is in the composer again; nothing was sent",
        "unsteady",
        Sizes::Large,
        &[
            LIST,
            UPLOAD,
            UNSENT,
            LOST,
            UPLOAD,
            &[
                Press("Confirm connection"),
                Until("Connection confirmed"),
                Press("Restore draft"),
                Gone("Unsent text kept"),
            ],
        ],
    ),
    demo(
        "draft-discard",
        "discarding asks once",
        "unsteady",
        Sizes::Usual,
        &[LIST, UPLOAD, UNSENT, LOST, UPLOAD, &[Press("Discard draft"), Until("Discard this text?")]],
    ),
    demo(
        "outcome-unknown",
        "it is not known whether the message was sent",
        "exit-at-turn",
        Sizes::Large,
        &[
            LIST,
            UPLOAD,
            JOIN,
            &[Type("Use a barrier instead of the sleep."), Key("Ctrl+Enter"), Until("Not known whether")],
        ],
    ),
];
