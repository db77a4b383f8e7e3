//! The sentences of DESIGN 5 against a small server, and random interleavings against its list.

mod echoes;
mod joined;
mod property;
mod reading;

use super::*;
use crate::base::ThreadId;
use crate::protocol::item::UserInput;
use crate::protocol::request::{ItemEntry, ItemsListResponse, RequestedItemsView, SortDirection, TurnsListResponse};
use crate::protocol::thread::{HistoryMode, ItemsView};
use crate::protocol::{ServerNotification, ThreadItem, ThreadStatus, Turn as Described, TurnStatus};

/// A turn as the server stores it.
#[derive(Debug, Clone)]
struct StoredTurn {
    id: String,
    status: TurnStatus,
    ended: bool,
    items: Vec<ThreadItem>,
}

/// Answers reads as the real servers do (FACTS 5): opaque cursors, clamped pages, real order.
#[derive(Debug, Clone, Default)]
struct Server {
    turns: Vec<StoredTurn>,
    legacy: bool,
    reads: usize,
}

type Answer = Result<ClientResponse, FetchError>;

fn refused(code: i64, message: &str) -> FetchError {
    FetchError::Rejected { code, message: message.to_owned() }
}

impl Server {
    /// `turns` completed turns of `items` items each.
    fn with(turns: usize, items: usize) -> Self {
        let turns = (0..turns).map(|turn| {
            let id = format!("t{turn}");
            let items = (0..items).map(|item| message(&format!("{id}.{item}"), item == 0, "words")).collect();
            StoredTurn { id, status: TurnStatus::Completed, ended: true, items }
        });
        Self { turns: turns.collect(), ..Self::default() }
    }

    fn answer(&mut self, request: &ClientRequest) -> Answer {
        self.reads += 1;
        match request {
            ClientRequest::TurnsList(params) => {
                let full = params.items_view == RequestedItemsView::Full;
                let all: Vec<Described> = self.turns.iter().map(|turn| turn.described(full, self.legacy)).collect();
                let limit = params.limit.unwrap_or(25) as usize;
                let (data, next_cursor, backwards_cursor) =
                    page(&all, "turns", params.cursor.as_deref(), params.sort_direction, limit)?;
                Ok(ClientResponse::TurnsList(TurnsListResponse { data, next_cursor, backwards_cursor }))
            }
            ClientRequest::ItemsList(_) if self.legacy => {
                Err(refused(-32601, "thread/items/list is not supported yet"))
            }
            ClientRequest::ItemsList(params) => {
                let turns =
                    self.turns.iter().filter(|turn| params.turn_id.as_ref().is_none_or(|id| turn.id == id.as_str()));
                let all: Vec<ItemEntry> = turns
                    .flat_map(|turn| {
                        turn.items.iter().map(|item| ItemEntry {
                            turn_id: turn.id.as_str().into(),
                            item: item.clone(),
                            started_at_ms: None,
                            completed_at_ms: None,
                        })
                    })
                    .collect();
                let scope = params.turn_id.as_ref().map_or("items".to_owned(), |turn| format!("items of {turn}"));
                let limit = params.limit.unwrap_or(25) as usize;
                let (data, next_cursor, backwards_cursor) =
                    page(&all, &scope, params.cursor.as_deref(), params.sort_direction, limit)?;
                Ok(ClientResponse::ItemsList(ItemsListResponse { data, next_cursor, backwards_cursor }))
            }
            other => panic!("not a read of history: {other:?}"),
        }
    }

    /// All item ids in the server's order.
    fn ids(&self) -> Vec<String> {
        self.turns.iter().flat_map(|turn| turn.items.iter().map(|item| item.id().to_string())).collect()
    }
}

impl StoredTurn {
    fn described(&self, full: bool, legacy: bool) -> Described {
        let mut items = self.items.clone();
        if legacy {
            items.retain(|item| !matches!(item, ThreadItem::CommandExecution { .. }));
            for (index, item) in items.iter_mut().enumerate() {
                *item = message(&format!("item-{}.{}", self.id, index + 1), index == 0, "words");
            }
        }
        if !full {
            let last = items.iter().rposition(|item| matches!(item, ThreadItem::AgentMessage { .. }));
            let index = std::cell::Cell::new(0);
            items.retain(|item| {
                let at = index.replace(index.get() + 1);
                (at == 0 && matches!(item, ThreadItem::UserMessage { .. })) || Some(at) == last
            });
        }
        Described {
            id: self.id.as_str().into(),
            items,
            items_view: if full { ItemsView::Full } else { ItemsView::Summary },
            status: self.status,
            error: None,
            started_at: Some(1),
            completed_at: self.ended.then_some(2),
            duration_ms: None,
        }
    }
}

/// A page: cursors say an index, and whether the anchor itself is part of what they continue with.
#[expect(clippy::type_complexity, reason = "a test's page: data, next, backwards")]
fn page<T: Clone>(
    all: &[T],
    scope: &str,
    cursor: Option<&str>,
    direction: SortDirection,
    limit: usize,
) -> Result<(Vec<T>, Option<String>, Option<String>), FetchError> {
    let anchor = cursor.map(|cursor| {
        let rest = cursor.strip_prefix(scope).and_then(|rest| rest.strip_prefix(':'));
        let (index, inclusive) = rest.and_then(|rest| rest.split_once(':')).ok_or(refused(-32600, "invalid cursor"))?;
        Ok::<_, FetchError>((index.parse::<usize>().expect("our own cursor"), inclusive == "true"))
    });
    let anchor = anchor.transpose()?;
    let indices: Vec<usize> = match direction {
        SortDirection::Desc => {
            let end = anchor.map_or(all.len(), |(at, inclusive)| if inclusive { at + 1 } else { at });
            (0..end).rev().collect()
        }
        SortDirection::Asc => {
            let from = anchor.map_or(0, |(at, inclusive)| if inclusive { at } else { at + 1 });
            (from..all.len()).collect()
        }
    };
    let taken: Vec<usize> = indices.iter().copied().take(limit).collect();
    let next = (taken.len() < indices.len()).then(|| format!("{scope}:{}:false", taken[taken.len() - 1]));
    let back = taken.first().map(|first| format!("{scope}:{first}:true"));
    Ok((taken.into_iter().map(|at| all[at].clone()).collect(), next, back))
}

fn message(id: &str, user: bool, text: &str) -> ThreadItem {
    if user {
        let content = vec![UserInput::Text { text: text.to_owned() }];
        ThreadItem::UserMessage { id: id.into(), client_id: None, content }
    } else {
        ThreadItem::AgentMessage { id: id.into(), text: text.to_owned(), phase: None }
    }
}

fn sent(id: &str, client_id: &str, text: &str) -> ThreadItem {
    let content = vec![UserInput::Text { text: text.to_owned() }];
    ThreadItem::UserMessage { id: id.into(), client_id: Some(client_id.to_owned()), content }
}

fn thread() -> Thread {
    Thread {
        id: "T".into(),
        preview: "words".to_owned(),
        name: None,
        ephemeral: false,
        history_mode: HistoryMode::Paginated,
        model_provider: String::new(),
        model: None,
        created_at: 0,
        updated_at: 0,
        recency_at: None,
        status: ThreadStatus::Idle,
        cwd: String::new(),
        cli_version: String::new(),
        source: crate::protocol::thread::SessionSource::default(),
        forked_from_id: None,
        parent_thread_id: None,
    }
}

fn at(ms: i64) -> Now {
    Now { unix_ms: UnixMs(ms), ..Now::default() }
}

/// Answers everything that is asked, until nothing more is.
fn answer_all(history: &mut History, server: &mut Server) {
    while let Some(fetch) = history.poll_fetch() {
        history.fetched(fetch.id, server.answer(&fetch.request), at(1));
    }
}

fn opened(server: &mut Server) -> History {
    let mut history = History::open(&thread(), 1, at(0));
    answer_all(&mut history, server);
    history
}

/// Rows in short: an item's id, `~id` unfinished, `+n` head of turn n, `!n` its end, `^`/`v` edges, `"text` echo, `?text` lost.
fn short(row: &Row) -> String {
    match &*row.body {
        RowBody::Item(item) => item.id().to_string(),
        RowBody::Unfinished { item, .. } => format!("~{item}"),
        RowBody::Echo { text, .. } => format!("\"{text}"),
        RowBody::TurnHead { turn, .. } => format!("+{turn}"),
        RowBody::TurnEnd { turn, .. } => format!("!{turn}"),
        RowBody::Lost { body, .. } => format!("?{}", block_text(body)),
        RowBody::Edge { older: true, .. } => "^".to_owned(),
        RowBody::Edge { older: false, .. } => "v".to_owned(),
    }
}

fn block_text(body: &crate::live::BlockBody) -> String {
    match body {
        crate::live::BlockBody::AgentMessage(text) | crate::live::BlockBody::CommandOutput(text) => text.head.clone(),
        other => format!("{other:?}"),
    }
}

fn rows(history: &mut History) -> Vec<String> {
    history.view().rows.iter().map(short).collect()
}

fn key_of(history: &mut History, row: &str) -> u64 {
    let view = history.view();
    view.rows.iter().find(|candidate| short(candidate) == row).unwrap_or_else(|| panic!("no row {row}")).key
}

/// The engine's side of a joined conversation: one live thread and the history that follows it.
struct Joined {
    live: LiveThread,
    history: History,
}

impl Joined {
    /// Joined, with the second read answered.
    fn new(server: &mut Server) -> Self {
        let mut history = opened(server);
        let live = LiveThread::new(ThreadId::from("T"));
        history.begin_sync();
        history.attached(&live, at(2));
        answer_all(&mut history, server);
        Self { live, history }
    }

    fn event(&mut self, event: &ServerNotification) {
        let change = self.live.apply(UnixMs(3), event);
        self.history.live(&self.live, &change, at(3));
    }

    fn start_turn(&mut self, turn: &str) {
        self.event(&turn_started(turn));
    }

    fn start(&mut self, turn: &str, item: ThreadItem) {
        self.event(&ServerNotification::ItemStarted {
            thread_id: "T".into(),
            turn_id: turn.into(),
            item,
            started_at_ms: None,
        });
    }

    fn delta(&mut self, turn: &str, item: &str, delta: &str) {
        self.event(&ServerNotification::AgentMessageDelta {
            thread_id: "T".into(),
            turn_id: turn.into(),
            item_id: item.into(),
            delta: delta.to_owned(),
        });
    }

    fn complete(&mut self, turn: &str, item: ThreadItem) {
        self.event(&ServerNotification::ItemCompleted {
            thread_id: "T".into(),
            turn_id: turn.into(),
            item,
            completed_at_ms: None,
        });
    }

    fn end_turn(&mut self, turn: &str, status: TurnStatus) {
        self.event(&turn_completed(turn, status));
    }

    fn rows(&mut self) -> Vec<String> {
        rows(&mut self.history)
    }
}

fn bare_turn(turn: &str, status: TurnStatus) -> Described {
    Described {
        id: turn.into(),
        items: Vec::new(),
        items_view: ItemsView::NotLoaded,
        status,
        error: None,
        started_at: None,
        completed_at: None,
        duration_ms: None,
    }
}

fn turn_started(turn: &str) -> ServerNotification {
    ServerNotification::TurnStarted { thread_id: "T".into(), turn: bare_turn(turn, TurnStatus::InProgress) }
}

fn turn_completed(turn: &str, status: TurnStatus) -> ServerNotification {
    ServerNotification::TurnCompleted { thread_id: "T".into(), turn: bare_turn(turn, status) }
}
