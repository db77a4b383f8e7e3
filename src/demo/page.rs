//! Lists in pages, with the cursors of the real server (FACTS 3.4, 5).

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Refusal;
use super::world::{Thread, ThreadKind, View};

/// Parameters that every list has.
struct Paging {
    limit: usize,
    descending: bool,
}

impl Paging {
    fn read(params: &Value, default_limit: usize, descending: bool) -> Result<Self, Refusal> {
        let limit = match params.get("limit") {
            None | Some(Value::Null) => default_limit,
            Some(limit) => {
                let limit = limit.as_u64().ok_or_else(|| Refusal::invalid("Invalid request: invalid value: limit"))?;
                usize::try_from(limit).unwrap_or(usize::MAX).clamp(1, 100)
            }
        };
        let descending = match params["sortDirection"].as_str() {
            None => descending,
            Some(direction) => direction == "desc",
        };
        Ok(Self { limit, descending })
    }
}

/// Where a page begins: positions count from 1 in the order of the history.
struct Anchor {
    position: usize,
    inclusive: bool,
}

/// Positions of one page of `1..=length` among those that `shown` admits, and whether there are more.
fn select(
    length: usize,
    anchor: Option<&Anchor>,
    paging: &Paging,
    shown: impl Fn(usize) -> bool,
) -> (Vec<usize>, bool) {
    let after = |position: usize| match anchor {
        None => true,
        Some(anchor) if position == anchor.position => anchor.inclusive,
        Some(anchor) => (position < anchor.position) == paging.descending,
    };
    let positions: Box<dyn Iterator<Item = usize>> =
        if paging.descending { Box::new((1..=length).rev()) } else { Box::new(1..=length) };
    let mut positions: Vec<usize> =
        positions.filter(|position| after(*position) && shown(*position)).take(paging.limit + 1).collect();
    let more = positions.len() > paging.limit;
    positions.truncate(paging.limit);
    (positions, more)
}

fn bad_cursor(cursor: &str) -> Refusal {
    Refusal::invalid(format!("invalid cursor: {cursor}"))
}

const TURNS: &str = "turns";
const ITEMS: &str = "itemsByCreatedAtOrdinal";

fn cursor(thread: &Thread, kind: &str, position: usize, inclusive: bool) -> String {
    if thread.kind == ThreadKind::Legacy {
        return json!({ "turnId": thread.turns[position - 1].id, "includeAnchor": inclusive }).to_string();
    }
    json!({
        "requestedThreadId": thread.id, "rolloutOrdinal": position, "includeAnchor": inclusive,
        "scope": { "kind": kind },
    })
    .to_string()
}

fn anchor(thread: &Thread, kind: &str, params: &Value) -> Result<Option<Anchor>, Refusal> {
    let text = match &params["cursor"] {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        other => return item_anchor(thread, other, params).map(Some),
    };
    let cursor: Value = serde_json::from_str(text).map_err(|_| bad_cursor(text))?;
    let inclusive = cursor["includeAnchor"].as_bool().ok_or_else(|| bad_cursor(text))?;
    let position = if thread.kind == ThreadKind::Legacy {
        thread.turns.iter().position(|turn| cursor["turnId"] == turn.id).map(|index| index + 1)
    } else if cursor["requestedThreadId"] == thread.id && cursor["scope"]["kind"] == kind {
        cursor["rolloutOrdinal"].as_u64().and_then(|ordinal| usize::try_from(ordinal).ok())
    } else {
        None
    };
    position.map(|position| Some(Anchor { position, inclusive })).ok_or_else(|| bad_cursor(text))
}

fn item_anchor(thread: &Thread, cursor: &Value, params: &Value) -> Result<Anchor, Refusal> {
    let Some(turn) = params["turnId"].as_str() else {
        return Err(Refusal { code: -32602, message: "turnId is required when cursor is an item anchor".into() });
    };
    let is_it =
        |entry: &super::world::Entry| entry.item["id"] == cursor["itemId"] && thread.turns[entry.turn].id == turn;
    let position = thread.entries.iter().position(is_it).map(|index| index + 1);
    position.map(|position| Anchor { position, inclusive: false }).ok_or_else(|| Refusal {
        code: -32602,
        message: "cursor.itemId does not identify an item in the requested history scope".into(),
    })
}

fn page(thread: &Thread, kind: &str, positions: &[usize], more: bool, data: Vec<Value>) -> Value {
    let next = positions.last().filter(|_| more).map(|position| cursor(thread, kind, *position, false));
    let back = positions.first().map(|position| cursor(thread, kind, *position, true));
    json!({ "data": data, "nextCursor": next, "backwardsCursor": back })
}

/// `thread/turns/list`.
pub(super) fn turns(thread: &Thread, params: &Value) -> Result<Value, Refusal> {
    match thread.kind {
        ThreadKind::Ephemeral => {
            return Err(Refusal::invalid("ephemeral threads do not support thread/turns/list"));
        }
        _ if thread.turns.is_empty() => return Err(Refusal::unsupported("list_turns is not supported yet")),
        ThreadKind::NotIndexed if !thread.loaded => return Ok(empty()),
        ThreadKind::Paginated | ThreadKind::Legacy | ThreadKind::NotIndexed | ThreadKind::Elsewhere => {}
    }
    let view = match params["itemsView"].as_str() {
        Some("full") => View::Full,
        Some("notLoaded") => View::NotLoaded,
        _ => View::Summary,
    };
    let paging = Paging::read(params, 25, true)?;
    let anchor = anchor(thread, TURNS, params)?;
    let (positions, more) = select(thread.turns.len(), anchor.as_ref(), &paging, |_| true);
    let data = positions.iter().map(|position| thread.turn_json(position - 1, view)).collect();
    Ok(page(thread, TURNS, &positions, more, data))
}

/// `thread/items/list`.
pub(super) fn items(thread: Option<&Thread>, params: &Value) -> Result<Value, Refusal> {
    // The same words for the unknown, the ephemeral, the legacy and the unstored (FACTS S3).
    let unsupported = || Refusal::unsupported("thread/items/list is not supported yet");
    let thread = thread.ok_or_else(unsupported)?;
    match thread.kind {
        ThreadKind::Ephemeral | ThreadKind::Legacy => return Err(unsupported()),
        _ if thread.turns.is_empty() => return Err(unsupported()),
        ThreadKind::NotIndexed if !thread.loaded => return Ok(empty()),
        ThreadKind::Paginated | ThreadKind::NotIndexed | ThreadKind::Elsewhere => {}
    }
    let paging = Paging::read(params, 25, false)?;
    let anchor = anchor(thread, ITEMS, params)?;
    let turn = params["turnId"].as_str();
    let shown = |position: usize| turn.is_none_or(|turn| thread.turns[thread.entries[position - 1].turn].id == turn);
    let (positions, more) = select(thread.entries.len(), anchor.as_ref(), &paging, shown);
    let data = positions.iter().map(|position| {
        let entry = &thread.entries[position - 1];
        json!({
            "turnId": thread.turns[entry.turn].id, "item": entry.item, "startedAtMs": entry.started,
            "completedAtMs": entry.completed,
        })
    });
    Ok(page(thread, ITEMS, &positions, more, data.collect()))
}

/// The newest turn and item, for `thread/resume`.
pub(super) fn newest(thread: &Thread) -> (Option<String>, Option<String>) {
    if thread.kind == ThreadKind::Legacy || thread.kind == ThreadKind::Ephemeral {
        return (None, None);
    }
    let of = |kind, length: usize| (length > 0).then(|| cursor(thread, kind, length, true));
    (of(TURNS, thread.turns.len()), of(ITEMS, thread.entries.len()))
}

fn empty() -> Value {
    json!({ "data": [], "nextCursor": null, "backwardsCursor": null })
}

/// `thread/list`, by recency whatever is asked for.
pub(super) fn threads<'a>(all: impl Iterator<Item = &'a Thread>, params: &Value) -> Result<Value, Refusal> {
    let paging = Paging::read(params, 25, true)?;
    let mut threads: Vec<&Thread> = all.filter(|thread| is_wanted(thread, params)).collect();
    threads.sort_by(|a, b| (b.updated, &b.id).cmp(&(a.updated, &a.id)));
    if !paging.descending {
        threads.reverse();
    }
    if let Some(text) = params["cursor"].as_str() {
        let (at, id) = text.split_once('|').ok_or_else(|| bad_cursor(text))?;
        let at = at.parse::<Timestamp>().map_err(|_| bad_cursor(text))?.as_millisecond();
        threads.retain(|thread| match (thread.updated, thread.id.as_str()).cmp(&(at, id)) {
            std::cmp::Ordering::Less => paging.descending,
            std::cmp::Ordering::Greater => !paging.descending,
            std::cmp::Ordering::Equal => false,
        });
    }
    let more = threads.len() > paging.limit;
    threads.truncate(paging.limit);
    let next = threads.last().filter(|_| more).map(|thread| format!("{}|{}", time(thread.updated), thread.id));
    let back = threads.first().map(|thread| time(thread.updated));
    let data: Vec<_> = threads.iter().map(|thread| thread.json()).collect();
    Ok(json!({ "data": data, "nextCursor": next, "backwardsCursor": back }))
}

fn is_wanted(thread: &Thread, params: &Value) -> bool {
    let sources = params["sourceKinds"].as_array().filter(|kinds| !kinds.is_empty());
    let by_source = sources.map_or(thread.source != "exec", |kinds| kinds.iter().any(|kind| *kind == thread.source));
    let by_cwd = match &params["cwd"] {
        Value::Null => true,
        Value::Array(any) => any.iter().any(|cwd| *cwd == *thread.cwd),
        one => *one == *thread.cwd,
    };
    let by_text = params["searchTerm"].as_str().is_none_or(|term| {
        let term = term.to_lowercase();
        let name = thread.name.as_deref().unwrap_or_default();
        name.to_lowercase().contains(&term) || thread.preview().to_lowercase().contains(&term)
    });
    thread.is_listed()
        && thread.archived == params["archived"].as_bool().unwrap_or(false)
        && by_source
        && by_cwd
        && by_text
}

/// As in cursors: `2026-11-30T20:46:07.136Z`.
fn time(ms: i64) -> String {
    let at = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
