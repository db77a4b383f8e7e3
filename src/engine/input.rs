//! What goes into the engine and what comes out of it.

use crate::base::{BridgeId, OpId, RequestId, Stamp, ThreadId, TurnId};
use crate::contract::{Event, Failure, Request, Target};
use crate::protocol::{Answer, settings::ApprovalPolicy, settings::SandboxMode};

use super::view::ConversationKey;

/// Something happened.
#[expect(clippy::large_enum_variant, reason = "nearly all inputs are worker events; each is moved once")]
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A line of a worker.
    Worker { bridge: BridgeId, stamp: Option<Stamp>, event: Event },
    /// A worker process ended or broke the contract; nothing more comes from this bridge.
    WorkerGone { bridge: BridgeId, failure: Failure },
    /// The user (keyboard, mouse, screen reader, `drive`) wants something.
    User(Intent),
}

/// What the user can want. None of these is ever produced by the engine itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// Connects to a profile: ends what is there first.
    Connect(Profile),
    Disconnect,
    /// Connects again to the same profile (Reconnect, Restart).
    Reconnect,
    /// Skips the wait before the next attempt of recovery.
    TryNow,
    /// Ends recovery, or an attempt to connect.
    CancelConnecting,
    /// The profile in use was saved otherwise, disabled or deleted.
    ProfileEdited,
    /// The list of conversations.
    Search(String),
    SetFilter(Filter),
    LoadMoreThreads,
    RefreshThreads,
    /// Reads only.
    Open(ThreadId),
    OpenById(String),
    /// A conversation that began here (`ConversationKey::Local`), started or not.
    OpenLocal(u64),
    /// A local conversation; `thread/start` goes out with the first Send.
    New {
        cwd: Option<String>,
    },
    /// Back to the list in one-pane layout; unsubscribes when nothing runs.
    Leave,
    /// `thread/resume`.
    Join,
    Refresh,
    LoadOlder,
    LoadNewer,
    /// Loads (or continues loading) all items of a turn.
    ExpandTurn(TurnId),
    CollapseTurn(TurnId),
    /// The viewport shows these rows (by `Row::key`), for eviction; `at_end`: it follows the tail.
    Viewing {
        first: u64,
        last: u64,
        at_end: bool,
    },
    /// A lost text (`RowBody::Lost`) that the user no longer wants, by `Row::key`.
    DismissLost(u64),
    /// The whole text of a conversation's composer after an edit.
    Edit {
        conversation: ConversationKey,
        text: String,
    },
    /// What an input method composes and has not committed; `None` or empty: nothing.
    Composing {
        conversation: ConversationKey,
        preedit: Option<String>,
    },
    /// Sends the composer's text: `turn/start`, `turn/steer` while a turn runs, or first `thread/start`.
    Send,
    /// `turn/interrupt`.
    Interrupt,
    SetCwd(String),
    SetModel {
        model: Option<String>,
        effort: Option<String>,
    },
    SetApproval(Option<ApprovalPolicy>),
    SetSandbox(Option<SandboxMode>),
    Answer {
        request: RequestId,
        answer: Answer,
    },
    /// Review of an operation: removes it from view.
    DismissOperation(OpId),
    /// Puts its text into the composer of its conversation, if that is empty; refused otherwise.
    EditOperation(OpId),
    /// The user looked at old and new connection side by side and says that drafts may be restored here.
    ConfirmConnection,
    /// Copies a draft into the open conversation's empty composer and consumes it; sends nothing.
    RestoreDraft(u64),
    /// Frozen text that the user no longer wants (asked once by the window).
    DiscardDraft(u64),
}

/// A saved or given way to connect. The engine never reads the files it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    pub target: Target,
    /// The directory of new conversations, on the server; `None`: the server's own directory.
    pub cwd: Option<String>,
}

impl Profile {
    /// Remote connections are labelled Preview and offer Reconnect instead of Restart.
    pub fn is_remote(&self) -> bool {
        matches!(self.target, Target::WebSocket { .. })
    }

    /// The demo is always labelled.
    pub fn is_demo(&self) -> bool {
        matches!(self.target, Target::Demo { .. })
    }
}

/// Which conversations the list shows; always visible to the user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    pub archived: bool,
    /// Also sub-agents and other non-interactive sources.
    pub all_sources: bool,
}

/// What the shell around the engine has to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Start a worker process for this bridge.
    StartWorker { bridge: BridgeId },
    /// Write a request to a bridge. `dispatched` of the ledger is marked when this is returned.
    Send { bridge: BridgeId, stamp: Stamp, request: Request },
    /// Close a bridge's pipe; its process ends by itself.
    StopWorker { bridge: BridgeId },
    /// Say something to a screen reader, once.
    Announce { assertive: bool, text: String },
    /// Move the keyboard focus.
    Focus(Focus),
    /// The composer's text was replaced by a user act (cleared by Send, Edit into composer).
    ComposerReplaced { conversation: ConversationKey, text: String },
}

/// Where the focus goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Composer,
    History,
    Picker,
}
