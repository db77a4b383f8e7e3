//! Every limit by name, with its unit and reason (DESIGN 13).

use std::time::Duration;

/// A line of the GUI-worker contract; a fault limit, never reached by design.
pub const CONTRACT_LINE: usize = 8 << 20;
/// A part of a snapshot that crosses the contract.
pub const CONTRACT_PART: usize = 1 << 20;
/// One message from the app-server; beyond it the connection ends with a typed loss.
pub const SERVER_MESSAGE: usize = 256 << 20;
/// One message to the app-server; the server cuts the TCP connection at 16 MiB (FACTS 9.5).
pub const CLIENT_MESSAGE: usize = 15 << 20;
/// A history page as it crosses the contract; a larger one is asked again at half the item limit.
pub const PAGE_BYTES: usize = 6 << 20;
/// Text of one item that is drawn; more is cut with a word and whole on Copy.
pub const ITEM_TEXT: usize = 1 << 20;
/// Unfinished text of one block; head and tail are kept.
pub const BLOCK_TEXT: usize = 4 << 20;
/// Unfinished text of all blocks of a thread.
pub const BLOCKS_TEXT: usize = 16 << 20;
/// Items of the history window.
pub const WINDOW_ITEMS: usize = 1_000;
/// Rendered text of the history window.
pub const WINDOW_BYTES: usize = 16 << 20;
/// Turns of the first read (`thread/turns/list`, summary, newest first).
pub const FIRST_TURNS: u32 = 50;
/// Items of the first read and of every further page (`thread/items/list`).
pub const PAGE_ITEMS: u32 = 100;
/// Events buffered between Join and the merged history, after merging consecutive deltas of one item.
pub const SYNC_EVENTS: usize = 1_024;
/// Bytes buffered between Join and the merged history.
pub const SYNC_BYTES: usize = 8 << 20;
/// Requests in flight to the server.
pub const IN_FLIGHT: usize = 16;
/// Server requests waiting for the user.
pub const OPEN_CARDS: usize = 64;
/// Rows of the picker; more come by Load more.
pub const PICKER_ROWS: usize = 1_000;
/// Threads of one page of the picker (`thread/list`).
pub const PICKER_PAGE: u32 = 50;
/// Entries of the operation ledger; when full, new mutations are refused with the reason.
pub const LEDGER: usize = 256;
/// Recovery drafts; when full, new mutations are refused with the reason.
pub const DRAFTS: usize = 64;
/// Steps of a plan.
pub const PLAN_STEPS: usize = 200;
/// A bearer token file.
pub const TOKEN_FILE: u64 = 16 << 10;
/// Time a button of a card is visible before it can be pressed.
pub const ARMING: Duration = Duration::from_millis(300);
/// Time for a read request.
pub const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for `thread/resume`.
pub const RESUME_TIMEOUT: Duration = Duration::from_secs(60);
/// Time for a mutation.
pub const MUTATION_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for `turn/interrupt`.
pub const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for worker, transport, initialize and the first account/read together.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(45);
/// Silence after which the peer is probed.
pub const SILENCE: Duration = Duration::from_secs(30);
/// Time for one probe; two unanswered ones are a loss.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Delays before the retries of a read after -32001, before jitter.
pub const OVERLOAD_DELAYS: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_millis(1_000)];
/// TCP, proxy, TLS and WebSocket handshake together.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// One of several addresses of a host, so that a dead IPv6 route leaves time for IPv4.
pub const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);
/// Time an owned server or worker has to end by itself after its stdin was closed.
pub const CHILD_GRACE: Duration = Duration::from_secs(2);
/// Time a worker has for its own [`CHILD_GRACE`] after its pipe was closed, before it is killed.
pub const WORKER_GRACE: Duration = Duration::from_secs(3);
/// Time for Hello and for its answer.
pub const CONTRACT_HANDSHAKE: Duration = Duration::from_secs(10);
/// Lines of a server's stderr that are kept for Details.
pub const STDERR_LINES: usize = 20;
/// One kept line of stderr; the rest of it is dropped.
pub const STDERR_LINE: usize = 4 << 10;
/// Lines on a server's stdout before the first JSON object that are taken for a banner.
pub const BANNER_LINES: usize = 20;
/// Time from the first line of such a banner to the first JSON object.
pub const BANNER_TIME: Duration = Duration::from_secs(15);
/// Messages from the server that wait for the worker's machine.
pub const TRANSPORT_IN: usize = 256;
/// Messages to the server that wait for the transport; a peer that reads none of them is lost.
pub const TRANSPORT_OUT: usize = 256;
/// Contract messages that wait for their reader, in each direction.
pub const CONTRACT_QUEUE: usize = 64;
/// Text that is written to the worker's stdout at once.
pub const CONTRACT_BATCH: usize = 64 << 10;
/// A file of certificates.
pub const CA_FILE: u64 = 4 << 20;
/// The answer of a proxy to CONNECT.
pub const PROXY_ANSWER: usize = 16 << 10;
/// Technical text of one failure (a server's or the operating system's words).
pub const DETAIL: usize = 2 << 10;
