//! Every rule of the live state, one test a rule.

use serde_json::json;

use super::*;
use crate::base::ThreadId;
use crate::protocol::TurnStatus;

const AT: UnixMs = UnixMs(1_000);

fn event(method: &str, params: serde_json::Value) -> ServerNotification {
    serde_json::from_value(json!({"method": method, "params": params})).unwrap()
}

fn started(thread: &str, turn: &str) -> ServerNotification {
    event("turn/started", json!({"threadId": thread, "turn": {"id": turn, "status": "inProgress"}}))
}

fn completed(thread: &str, turn: &str, status: &str) -> ServerNotification {
    let said = json!({"type": "agentMessage", "id": "final", "text": "summary"});
    event("turn/completed", json!({"threadId": thread, "turn": {"id": turn, "status": status, "items": [said]}}))
}

fn status(thread: &str, kind: &str) -> ServerNotification {
    event("thread/status/changed", json!({"threadId": thread, "status": {"type": kind}}))
}

fn delta(turn: &str, item: &str, text: &str) -> ServerNotification {
    event("item/agentMessage/delta", json!({"threadId": "t", "turnId": turn, "itemId": item, "delta": text}))
}

fn item(kind: &str, turn: &str, item: serde_json::Value) -> ServerNotification {
    event(&format!("item/{kind}"), json!({"threadId": "t", "turnId": turn, "item": item}))
}

fn message(id: &str, text: &str) -> serde_json::Value {
    json!({"type": "agentMessage", "id": id, "text": text})
}

fn live() -> LiveThread {
    LiveThread::new("t".into())
}

fn text(live: &LiveThread, turn: &str, item: &str) -> String {
    match &live.block(&turn.into(), &item.into()).unwrap().body {
        BlockBody::AgentMessage(text) | BlockBody::Plan(text) | BlockBody::CommandOutput(text) => text.text(),
        other => panic!("{other:?}"),
    }
}

/// All orders of `items`.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for index in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(index);
        for mut tail in permutations(&rest) {
            tail.insert(0, first);
            all.push(tail);
        }
    }
    all
}

#[test]
fn in_every_order_with_one_duplicate_a_turn_runs_at_most_once_and_only_its_own_id_ends_it() {
    const RESPONSE: usize = 0;
    const STARTED: usize = 1;
    const COMPLETED: usize = 4;
    let tellings = [
        None, // the response of turn/start
        Some(started("t", "u")),
        Some(status("t", "active")),
        Some(status("t", "idle")),
        Some(completed("t", "u", "completed")),
    ];
    let elsewhere =
        [started("other", "u"), completed("other", "u", "completed"), completed("t", "before", "completed")];
    let mut orders = 0;
    for duplicate in 0..tellings.len() {
        for order in permutations(&[0, 1, 2, 3, 4, duplicate]) {
            orders += 1;
            let mut live = live();
            let (mut starts, mut ends) = (0, 0);
            for (step, &telling) in order.iter().enumerate() {
                let change = match &tellings[telling] {
                    None => live.turn_known_running(AT, &"u".into()),
                    Some(event) => live.apply(AT, event),
                };
                starts += usize::from(matches!(change, Change::TurnStarted(_)));
                ends += usize::from(matches!(change, Change::TurnEnded { .. }));
                for event in &elsewhere {
                    live.apply(AT, event);
                }
                let so_far = &order[..=step];
                let ended = so_far.contains(&COMPLETED);
                let runs = !ended && (so_far.contains(&RESPONSE) || so_far.contains(&STARTED));
                assert_eq!(live.running.is_some(), runs, "{so_far:?}");
                assert_eq!(live.has_ended(&"u".into()), ended, "{so_far:?}");
            }
            assert!(starts <= 1 && ends == 1, "{order:?}: {starts} starts, {ends} ends");
            assert!(live.entries.is_empty(), "the items of turn/completed are never the item list");
        }
    }
    assert_eq!(orders, 5 * 720);
}

#[test]
fn a_later_turn_overtakes_and_the_earlier_one_only_ends_by_its_own_id() {
    let mut live = live();
    live.apply(AT, &started("t", "a"));
    live.apply(AT, &delta("a", "m", "left"));
    assert_eq!(live.turn_known_running(AT, &"b".into()), Change::TurnStarted("b".into()));
    assert_eq!(live.apply(AT, &started("t", "a")), Change::Nothing, "an overtaken turn does not come back");
    let Change::TurnEnded { turn, dangling } = live.apply(AT, &completed("t", "a", "interrupted")) else { panic!() };
    assert_eq!((turn.status, dangling.len()), (TurnStatus::Interrupted, 1));
    assert_eq!(live.running.as_ref().unwrap().id, "b".into());
    assert!(live.blocks.is_empty() && live.entries.is_empty(), "unfinished text is never stored as finished");
}

#[test]
fn a_completed_item_beats_its_deltas_and_late_deltas_never_reopen_it() {
    let mut live = live();
    live.apply(AT, &item("started", "u", message("m", "")));
    live.apply(AT, &delta("u", "m", "wrong"));
    let Change::Completed(entry) = live.apply(AT, &item("completed", "u", message("m", "right"))) else { panic!() };
    assert!(matches!(&entry.item, ThreadItem::AgentMessage { text, .. } if text == "right"));
    for late in
        [delta("u", "m", "late"), item("started", "u", message("m", "")), item("completed", "u", message("m", "x"))]
    {
        assert_eq!(live.apply(AT, &late), Change::Nothing);
    }
    assert_eq!((live.blocks.len(), live.entries.as_slice()), (0, &[entry][..]));
}

#[test]
fn nothing_late_reopens_a_turn_that_ended() {
    let mut live = live();
    live.apply(AT, &started("t", "u"));
    live.apply(AT, &completed("t", "u", "completed"));
    let after = live.clone();
    for late in [
        started("t", "u"),
        delta("u", "m", "late"),
        item("started", "u", message("m", "")),
        event("turn/plan/updated", json!({"threadId": "t", "turnId": "u", "plan": []})),
        event("turn/diff/updated", json!({"threadId": "t", "turnId": "u", "diff": "d"})),
        completed("t", "u", "failed"),
    ] {
        assert_eq!(live.apply(AT, &late), Change::Nothing, "{late:?}");
    }
    assert_eq!(live, after);
    assert_eq!(live.turn_known_running(AT, &"u".into()), Change::Nothing);
}

#[test]
fn an_item_that_completes_after_its_turn_is_still_an_entry() {
    let mut live = live();
    live.apply(AT, &completed("t", "u", "completed"));
    assert!(matches!(live.apply(AT, &item("completed", "u", message("m", "x"))), Change::Completed(_)));
    assert_eq!((live.entries.len(), &live.running), (1, &None));
}

#[test]
fn deltas_without_a_start_open_a_late_block_of_the_kind_of_their_method() {
    let at = json!({"threadId": "t", "turnId": "u", "itemId": "i"});
    let with = |more: serde_json::Value| {
        let mut params = at.clone();
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let change = json!({"path": "a", "kind": {"type": "add"}, "diff": "+x"});
    for (method, params, kind) in [
        ("item/agentMessage/delta", with(json!({"delta": "x"})), "AgentMessage"),
        ("item/plan/delta", with(json!({"delta": "x"})), "Plan"),
        ("item/commandExecution/outputDelta", with(json!({"delta": "x"})), "CommandOutput"),
        ("item/reasoning/summaryTextDelta", with(json!({"delta": "x", "summaryIndex": 1})), "Reasoning"),
        ("item/reasoning/summaryPartAdded", with(json!({"summaryIndex": 0})), "Reasoning"),
        ("item/reasoning/textDelta", with(json!({"delta": "x", "contentIndex": 0})), "Reasoning"),
        ("item/fileChange/patchUpdated", with(json!({"changes": [change]})), "FileChange"),
        ("item/mcpToolCall/progress", with(json!({"message": "x"})), "McpProgress"),
    ] {
        let mut live = live();
        assert_eq!(live.apply(AT, &event(method, params)), Change::BlockChanged("u".into(), "i".into()));
        let block = &live.blocks[0];
        assert!(block.is_late() && format!("{:?}", block.body).starts_with(kind), "{method}: {block:?}");
        assert_eq!(live.running.unwrap().id, "u".into(), "an item event proves that its turn runs");
    }
}

#[test]
fn a_start_that_comes_after_its_deltas_keeps_their_text() {
    let mut live = live();
    live.apply(AT, &delta("u", "m", "a"));
    live.apply(AT, &item("started", "u", message("m", "")));
    live.apply(AT, &delta("u", "m", "b"));
    assert!(!live.blocks[0].is_late());
    assert_eq!(text(&live, "u", "m"), "ab");
}

#[test]
fn a_delta_of_another_kind_does_not_change_a_block() {
    let mut live = live();
    live.apply(AT, &item("started", "u", message("m", "")));
    let wrong = json!({"threadId": "t", "turnId": "u", "itemId": "m", "delta": "x"});
    assert_eq!(live.apply(AT, &event("item/plan/delta", wrong)), Change::Nothing);
    assert_eq!(text(&live, "u", "m"), "");
}

#[test]
fn a_retry_note_is_shown_until_the_turn_goes_on() {
    let mut live = live();
    live.apply(AT, &started("t", "u"));
    let error = |retry: bool| {
        event("error", json!({"threadId": "t", "turnId": "u", "willRetry": retry, "error": {"message": "busy"}}))
    };
    assert_eq!(live.apply(AT, &error(true)), Change::TurnChanged);
    assert_eq!(live.running.as_ref().unwrap().retrying.as_ref().unwrap().message, "busy");
    live.apply(AT, &delta("u", "m", "x"));
    assert_eq!(live.running.as_ref().unwrap().retrying, None);
    assert_eq!(live.apply(AT, &error(false)), Change::Nothing, "its turn/completed says it");
}

#[test]
fn only_the_open_turns_and_the_last_ended_one_keep_entries() {
    let mut live = live();
    for turn in ["a", "b", "c"] {
        live.apply(AT, &started("t", turn));
        live.apply(AT, &item("completed", turn, message("m", turn)));
        live.apply(AT, &completed("t", turn, "completed"));
    }
    live.apply(AT, &item("completed", "d", message("m", "d")));
    let turns: Vec<_> = live.entries.iter().map(|entry| entry.turn.as_str()).collect();
    assert_eq!(turns, ["c", "d"]);
    assert_eq!(live.apply(AT, &item("completed", "a", message("m", "a"))), Change::Nothing, "keys stay longer");
}

#[test]
fn every_collection_is_bounded() {
    let mut live = live();
    for n in 0..limit::LIVE_ENTRIES + 10 {
        live.apply(AT, &item("completed", "u", message(&format!("e{n}"), "x")));
    }
    assert_eq!(live.entries.len(), limit::LIVE_ENTRIES);
    for n in 0..limit::LIVE_BLOCKS + 10 {
        live.apply(AT, &delta("u", &format!("b{n}"), "x"));
    }
    assert_eq!(live.blocks.len(), limit::LIVE_BLOCKS);
    let far = json!({"threadId": "t", "turnId": "u", "itemId": "b0", "summaryIndex": usize::MAX, "delta": "x"});
    live.blocks[0].body = BlockBody::Opaque;
    live.apply(AT, &event("item/reasoning/summaryTextDelta", far));
    let BlockBody::Reasoning { summary, .. } = &live.blocks[0].body else { panic!() };
    assert_eq!(summary.len(), limit::REASONING_PARTS);
    for n in 0..limit::ENDED_TURNS + 10 {
        live.apply(AT, &completed("t", &format!("u{n}"), "completed"));
    }
    assert_eq!(live.ended.len(), limit::ENDED_TURNS);
    let big = "x".repeat(limit::LIVE_ENTRIES_TEXT / 4);
    for n in 0..10 {
        live.apply(AT, &item("completed", "u", message(&format!("big{n}"), &big)));
    }
    assert_eq!(live.entries.len(), 4);
}

#[test]
fn blocks_together_keep_their_limit_and_the_one_that_grows_is_spared() {
    let mut live = live();
    let chunk = "y".repeat(1 << 20);
    for block in 0..8 {
        for _ in 0..4 {
            live.apply(AT, &delta("u", &format!("b{block}"), &chunk));
        }
    }
    let sum: usize = live.blocks.iter().map(Block::len).sum();
    assert!(sum <= limit::BLOCKS_TEXT && sum == live.blocks_text, "{sum}");
    assert_eq!(live.blocks[7].len(), limit::BLOCK_TEXT);
    assert!(live.blocks[0].len() <= limit::SHRUNK_BLOCK_TEXT);
}

#[test]
fn it_survives_being_written_and_read() {
    let mut live = live();
    live.apply(AT, &started("t", "a"));
    live.apply(AT, &item("completed", "a", message("m", "x\u{1}\"👩‍👧")));
    live.apply(AT, &completed("t", "a", "failed"));
    live.apply(AT, &started("t", "b"));
    live.apply(AT, &delta("b", "n", "more"));
    live.turn_known_running(AT, &"c".into());
    let read: LiveThread = serde_json::from_str(&serde_json::to_string(&live).unwrap()).unwrap();
    assert_eq!(read, live);
}

#[test]
fn events_of_other_threads_change_nothing() {
    let mut other = LiveThread::new(ThreadId::from("other"));
    assert_eq!(other.apply(AT, &delta("u", "m", "x")), Change::Nothing);
    assert_eq!(other, LiveThread::new("other".into()));
}

#[test]
fn a_delta_costs_its_own_length_not_the_texts() {
    // Work is measured, not time: the text moves only when a whole step of the tail falls out.
    let mut kept = super::super::KeptText::default();
    let mut trims = 0;
    let mut dropped = 0;
    for _ in 0..(4 * limit::BLOCK_TEXT / 64) {
        kept.push(&"z".repeat(64));
        trims += usize::from(kept.dropped != dropped);
        dropped = kept.dropped;
    }
    assert!((10..=14).contains(&trims), "{trims} moves for 16 MiB in {} deltas", 4 * limit::BLOCK_TEXT / 64);
}
