//! What the window shows: plain values, each sentence of which a test asserts.

use std::sync::Arc;

use crate::base::{Instant, ItemId, OpId, RequestId, ThreadId, TurnId, UnixMs};
use crate::contract::{Failure, ServerInfo};
use crate::live::BlockBody;
use crate::protocol::account::{Account, RateLimits};
use crate::protocol::notification::PlanStep;
use crate::protocol::settings::{ApprovalPolicy, Model, SandboxPolicy, TokenUsage};
use crate::protocol::thread::TurnError;
use crate::protocol::{ServerRequest, Thread, ThreadItem, ThreadStatus, TurnStatus};

use super::GaveUp;
use super::input::{Filter, Profile};

/// The connection, one state of the table in DESIGN 3.
#[derive(Debug, Clone, PartialEq)]
pub enum Connection {
    NotConnected,
    Connecting,
    /// Transport initialised; account and list are being read.
    Synchronizing {
        server: ServerInfo,
    },
    /// The list is there, nothing is selected.
    AwaitingSelection {
        server: ServerInfo,
    },
    /// A conversation of this generation is selected.
    Ready {
        server: ServerInfo,
    },
    /// The selected conversation could not be read, or more arrived while joining than is kept.
    HistoryRefresh {
        server: ServerInfo,
        /// What happened and what is safe.
        why: String,
    },
    /// An eligible loss; an episode of recovery runs and is not connected.
    Reconnecting {
        /// From 1 to `limit::ATTEMPTS`: under way, or the next one.
        attempt: u8,
        /// When the attempt begins; `None`: it is under way.
        next: Option<Instant>,
        failure: Failure,
    },
    ManualReconnect {
        failure: Failure,
        /// How recovery ended, if it was tried.
        gave_up: Option<GaveUp>,
    },
    /// 401 at the handshake, or `requiresOpenaiAuth` without an account.
    SignInRequired {
        cause: SignIn,
    },
    /// TLS or server identity failed.
    ConfirmationRequired {
        failure: Failure,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum SignIn {
    /// The server wants a bearer token and did not accept ours.
    Token(Failure),
    /// The server has no account; reading stays allowed.
    Account(ServerInfo),
}

/// Who the server says it is signed in as.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum AccountView {
    #[default]
    Unknown,
    NotNeeded,
    NotSignedIn,
    SignedIn(Account),
}

/// The banner's data beside the state.
#[derive(Debug, Clone, PartialEq)]
pub struct Banner<'a> {
    pub connection: &'a Connection,
    pub profile: Option<&'a Profile>,
    pub account: &'a AccountView,
    pub rate_limits: Option<&'a RateLimits>,
    /// Config warnings and the like, newest last, at most 20.
    pub notices: &'a [Notice],
}

/// A warning of the server, outside the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub at: UnixMs,
    pub text: String,
    pub details: Option<String>,
}

/// The list of conversations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picker {
    pub rows: Vec<PickerRow>,
    pub search: String,
    pub filter: Filter,
    pub loading: bool,
    /// More pages exist.
    pub more: bool,
    /// `limit::PICKER_ROWS` reached.
    pub full: bool,
    /// The last read failed, in words; rows stay.
    pub failed: Option<String>,
    pub selected: Option<ConversationKey>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PickerRow {
    pub key: ConversationKey,
    /// Name, else preview, else a neutral title.
    pub title: String,
    pub status: ThreadStatus,
    pub recency: Option<UnixMs>,
    pub archived: bool,
    /// Unsent text in its composer.
    pub draft: bool,
    /// An open card.
    pub needs_you: bool,
    /// A turn of a joined conversation runs.
    pub running: bool,
    pub cwd: String,
    pub source: Option<String>,
}

/// A conversation: of the server, or local until its first Send.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConversationKey {
    Thread(ThreadId),
    Local(u64),
}

/// The open conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    pub key: ConversationKey,
    pub title: String,
    pub thread: Option<Thread>,
    pub membership: Membership,
    /// What kind of history this is, as a sentence, when it needs saying (DESIGN 5 "by kind").
    pub kind_note: Option<String>,
    pub history: HistoryView,
    pub composer: Composer,
    /// Open cards of this conversation, oldest first.
    pub cards: Vec<Card>,
    /// Operations to review (rejected, outcome unknown, dropped), oldest first.
    pub reviews: Vec<Review>,
    pub token_usage: Option<TokenUsage>,
    /// Model, policy, sandbox, directory of the next turn.
    pub next_turn: NextTurn,
}

/// How this connection relates to the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Membership {
    /// Local, nothing sent yet.
    New,
    /// "Viewing history only, as of TIME".
    ReadOnly {
        as_of: Option<UnixMs>,
    },
    Joining,
    /// Join failed or timed out; why, in words.
    JoinFailed {
        as_of: Option<UnixMs>,
        why: String,
    },
    Joined,
}

/// The history window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryView {
    pub rows: Arc<Vec<Row>>,
    pub loading: Loading,
    /// Older items exist on the server (or were evicted here).
    pub older: bool,
    pub newer: bool,
    /// May be out of date; why, in words ("History refresh required").
    pub stale: Option<String>,
    /// Number of items in the window.
    pub items: usize,
    /// A turn runs: its id, when it began, plan, retry note.
    pub running: Option<Running>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loading {
    #[default]
    Idle,
    First,
    Older,
    Newer,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    pub turn: TurnId,
    pub since: UnixMs,
    pub plan: Vec<PlanStep>,
    pub plan_explanation: Option<String>,
    pub retrying: Option<TurnError>,
    /// Interrupt was pressed and is not settled.
    pub interrupting: bool,
}

/// One row of the history. Immutable per (`key`, `rev`).
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Stable for the life of the window: survives paging, completion (local echo to item, block to item).
    pub key: u64,
    /// Raised whenever the body changes.
    pub rev: u32,
    pub turn: Option<TurnId>,
    pub at: Option<UnixMs>,
    pub body: Arc<RowBody>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RowBody {
    /// A committed item.
    Item(ThreadItem),
    /// An unfinished block; `late`: "the beginning arrives when this block completes".
    Unfinished { item: ItemId, started: Option<ThreadItem>, body: BlockBody, late: bool },
    /// What the user sent, before the server shows it as an item.
    Echo { op: OpId, text: String, state: OpState },
    /// The frame of a turn in a summary: how many items are not shown, whether it can be expanded.
    TurnHead { turn: TurnId, status: TurnStatus, expanded: bool, loading: bool, failed: Option<String> },
    /// How a turn ended, when it did not simply complete.
    TurnEnd { turn: TurnId, status: TurnStatus, error: Option<TurnError>, note: Option<String> },
    /// Unfinished text that will never arrive, or was cut off: kept until dismissed.
    Lost { body: BlockBody, note: String },
    /// "older not loaded" / "newer not loaded" (`older`), with what was evicted here.
    Edge { older: bool, evicted: usize },
}

/// The text being written.
#[derive(Debug, Clone, PartialEq)]
pub struct Composer {
    pub text: String,
    /// What Send would do now.
    pub send: SendState,
    /// The composer takes text (always, except on a read-only placeholder).
    pub placeholder: String,
}

/// What Send does, or why it cannot ("why can't I send" is always said).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// Starts a turn.
    Start,
    /// Adds to the running turn.
    Steer,
    /// The reason, a sentence.
    Cannot(String),
}

/// The settings of the next turn and where each comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NextTurn {
    pub model: Option<String>,
    pub effort: Option<String>,
    pub approval: Option<ApprovalPolicy>,
    pub sandbox: Option<SandboxPolicy>,
    /// `None`: the server's own directory.
    pub cwd: Option<String>,
    /// The live catalog (hidden models left out); empty until read.
    pub models: Vec<Model>,
    /// Which of the four were chosen for the next turn only.
    pub chosen: bool,
}

/// An open request of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    pub request: RequestId,
    pub at: UnixMs,
    pub ask: ServerRequest,
    /// The item it asks about (the diff of a patch, the command), when known.
    pub item: Option<ThreadItem>,
    pub state: CardState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardState {
    Open,
    /// Answered, waiting for `serverRequest/resolved`.
    Answering,
    /// The answer's fate is unknown, in words.
    Unknown(String),
}

/// States of the operation ledger (DESIGN 4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpState {
    /// Dispatch never began; why.
    NotSent(String),
    InFlight,
    Confirmed,
    /// The server refused it; its words.
    Rejected(String),
    /// Why it is unknown.
    OutcomeUnknown(String),
    /// A steer whose turn ended before it was read: "accepted, then dropped".
    Dropped,
}

/// An operation that needs the user's eyes.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    pub op: OpId,
    pub what: OpKind,
    /// Where: the conversation's title and connection.
    pub place: String,
    pub at: UnixMs,
    pub state: OpState,
    /// The message's text, for Copy and Edit into composer.
    pub text: Option<String>,
    /// Evidence so far ("not in history as of 14:03").
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpKind {
    StartConversation,
    Join,
    Send,
    Steer,
    Interrupt,
    Answer,
}

/// Text frozen when a connection ended (DESIGN 4). In memory only.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub id: u64,
    pub text: String,
    pub conversation: ConversationKey,
    pub title: String,
    /// Profile name and endpoint of the old connection.
    pub connection: String,
    /// The old connection, for the comparison with a new one.
    pub origin: Origin,
    /// What was chosen for the next turn only.
    pub model: Option<String>,
    pub effort: Option<String>,
    /// What an input method was composing, beside the text.
    pub preedit: Option<String>,
    pub at: UnixMs,
}

/// A connection as it is compared before drafts are restored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub profile: String,
    pub endpoint: String,
    pub account: String,
    /// The directory of new conversations.
    pub root: String,
}

/// Old and new connection side by side, for Confirm connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Where the waiting drafts come from, each once.
    pub old: Vec<Origin>,
    /// `None`: nothing is connected.
    pub new: Option<Origin>,
    /// In words; empty: nothing that can be seen differs.
    pub differences: Vec<String>,
    pub confirmed: bool,
}
