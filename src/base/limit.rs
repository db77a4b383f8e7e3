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
/// A settings file; ours are a few KiB, a larger one is not ours.
pub const SETTINGS_FILE: u64 = 1 << 20;
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
/// Attempts of one recovery episode.
pub const ATTEMPTS: u8 = 5;
/// Delays before those attempts, before jitter.
pub const ATTEMPT_DELAYS: [Duration; ATTEMPTS as usize] =
    [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];
/// A recovery episode, waits included, time asleep not.
pub const EPISODE: Duration = Duration::from_secs(300);
/// Time after the first account/read without a loss, after which attempts count from the start again.
pub const HEALTHY: Duration = Duration::from_secs(30);
/// A jump of the clocks beyond this was sleep.
pub const SLEEP_JUMP: Duration = Duration::from_secs(5);
/// Silence after which the peer is probed.
pub const SILENCE: Duration = Duration::from_secs(30);
/// Time for one probe; two unanswered ones are a loss.
pub const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Delays before the retries of a read after -32001, before jitter.
pub const OVERLOAD_DELAYS: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_millis(1_000)];
/// Turns of a thread whose end is remembered, so that a late event cannot make them run again.
pub const ENDED_TURNS: usize = 64;
/// Completed items of a thread that the hub keeps; older ones are read as pages (FACTS 5.9).
pub const LIVE_ENTRIES: usize = 1_000;
/// Text of those items.
pub const LIVE_ENTRIES_TEXT: usize = 16 << 20;
/// Unfinished blocks of a thread; an item beyond them shows when it completes.
pub const LIVE_BLOCKS: usize = 256;
/// Completed item keys of a thread, against late deltas.
pub const COMPLETED_KEYS: usize = 16_384;
/// What stays of an unfinished block when `BLOCKS_TEXT` is reached and another block grows.
pub const SHRUNK_BLOCK_TEXT: usize = 64 << 10;
/// Parts of a reasoning item; text of later parts goes to the last one.
pub const REASONING_PARTS: usize = 1_024;
/// Progress messages of one MCP call; the newest stay.
pub const MCP_PROGRESS: usize = 200;
/// Events of threads whose `thread/start` or `thread/resume` is not answered yet.
pub const EARLY_EVENTS: usize = 1_024;
/// Calls that wait in the worker for one of the `IN_FLIGHT` places.
pub const WAITING_CALLS: usize = 256;
/// Timed-out calls whose late response is still recognised.
pub const TIMED_OUT_CALLS: usize = 256;
/// Live events and broadcasts that wait for a slow GUI; more is `Lagged`.
pub const WAITING_EVENTS: usize = 4_096;
/// Bytes of those events.
pub const WAITING_BYTES: usize = 8 << 20;
/// Everything else that waits for the GUI; a GUI that leaves so much unread ends the connection.
pub const WAITING_TOTAL: usize = 16_384;
/// A delta merged while it waits; the next one starts a new event.
pub const MERGED_DELTA: usize = 256 << 10;
/// Server messages up to this size cannot outgrow `CONTRACT_LINE` by being written again (absent fields are
/// written as null, at most 35 times the size of the smallest thread); larger ones are measured.
pub const MEASURED_FROM: usize = 128 << 10;
/// Names of ignored messages that are told apart; the rest is counted together.
pub const IGNORED_NAMES: usize = 64;
/// Shortest time between two `Ignored` events.
pub const IGNORED_EVERY: Duration = Duration::from_secs(1);
/// Refusals that wait for a server that does not read.
pub const WAITING_REFUSALS: usize = 1_024;
/// Part by which a delay varies, up and down.
pub const JITTER: f64 = 0.2;
/// Probes whose late answers are still recognised.
pub const REMEMBERED_PROBES: usize = 8;
/// The name of a refused server request as it is shown.
pub const REFUSED_NAME: usize = 200;
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
