//! Joined: live rows, the sync buffer, ends of turns, lost text.

use super::*;
use crate::base::limit;
use crate::protocol::item::{CommandSource, ItemStatus};

#[test]
fn an_unfinished_block_becomes_its_item_in_its_row() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.start_turn("t1");
    joined.start("t1", message("a", false, ""));
    joined.delta("t1", "a", "he");
    let key = key_of(&mut joined.history, "~a");
    joined.delta("t1", "a", "llo");
    let view = joined.history.view();
    let row = view.rows.last().unwrap();
    let RowBody::Unfinished { body, late, .. } = &*row.body else { panic!() };
    assert_eq!((block_text(body).as_str(), *late, row.rev), ("hello", false, 2));
    joined.complete("t1", message("a", false, "hello!"));
    joined.delta("t1", "a", " late");
    let view = joined.history.view();
    let row = view.rows.last().unwrap();
    assert_eq!((row.key, row.rev), (key, 3));
    assert_eq!(*row.body, RowBody::Item(message("a", false, "hello!")));
    assert_eq!(view.running.unwrap().turn, "t1".into());
}

#[test]
fn a_view_of_before_is_not_changed_by_a_delta() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.start("t1", message("a", false, ""));
    joined.delta("t1", "a", "he");
    let before = joined.history.view();
    joined.delta("t1", "a", "llo");
    let after = joined.history.view();
    let text = |view: &HistoryView| match &*view.rows.last().unwrap().body {
        RowBody::Unfinished { body, .. } => block_text(body),
        other => panic!("{other:?}"),
    };
    assert_eq!((text(&before), text(&after)), ("he".to_owned(), "hello".to_owned()));
    // Unchanged rows share their bodies; without a change even the rows are the same.
    assert!(Arc::ptr_eq(&before.rows[0].body, &after.rows[0].body));
    assert!(Arc::ptr_eq(&after.rows, &joined.history.view().rows));
}

#[test]
fn deltas_grow_a_block_in_place_while_nobody_holds_a_view() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.start("t1", message("a", false, ""));
    joined.delta("t1", "a", &"x".repeat(1 << 16));
    let address = |joined: &mut Joined| Arc::as_ptr(&joined.history.view().rows.last().unwrap().body);
    let before = address(&mut joined);
    joined.delta("t1", "a", "y");
    assert_eq!(address(&mut joined), before);
}

#[test]
fn a_row_never_moves_while_its_turn_runs_and_stands_in_the_servers_order_afterwards() {
    let mut server = Server::with(0, 0);
    let mut joined = Joined::new(&mut server);
    // Its description has a preview, so that older history may only not be indexed yet.
    assert_eq!(joined.history.kind_note().as_deref(), Some("Not indexed yet; Join builds the index."));
    joined.start_turn("t0");
    joined.complete("t0", message("u", true, "go"));
    joined.start("t0", message("a", false, ""));
    joined.start("t0", message("b", false, ""));
    joined.complete("t0", message("b", false, "first stored"));
    assert_eq!(joined.rows(), ["^", "u", "~a", "b"]);
    joined.complete("t0", message("a", false, "second stored"));
    let items =
        vec![message("u", true, "go"), message("b", false, "first stored"), message("a", false, "second stored")];
    server.turns.push(StoredTurn { id: "t0".into(), status: TurnStatus::InProgress, ended: false, items });
    joined.history.refresh();
    answer_all(&mut joined.history, &mut server);
    assert_eq!(joined.rows(), ["u", "a", "b"]);
    joined.end_turn("t0", TurnStatus::Completed);
    assert_eq!(joined.rows(), ["u", "b", "a"]);
}

#[test]
fn what_dangles_when_its_turn_ends_stays_as_lost_text_until_dismissed() {
    let mut server = Server::with(1, 2);
    let mut joined = Joined::new(&mut server);
    joined.start_turn("t1");
    joined.complete("t1", message("u", true, "go"));
    joined.start("t1", message("a", false, ""));
    joined.delta("t1", "a", "half a sen");
    joined.start("t1", command("c", "sleep 9"));
    joined.end_turn("t1", TurnStatus::Interrupted);
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "u", "?half a sen", "?$ sleep 9\n", "!t1"]);
    server.turns.push(StoredTurn {
        id: "t1".into(),
        status: TurnStatus::Interrupted,
        ended: true,
        items: vec![message("u", true, "go")],
    });
    joined.history.refresh();
    answer_all(&mut joined.history, &mut server);
    let key = key_of(&mut joined.history, "?half a sen");
    joined.history.dismiss(key);
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "u", "?$ sleep 9\n", "!t1"]);
    assert_eq!(joined.history.view().running, None);
}

#[test]
fn text_kept_from_a_lost_connection_gives_way_to_its_item_only() {
    let mut server = Server::with(1, 2);
    let mut joined = Joined::new(&mut server);
    joined.start_turn("t1");
    joined.start("t1", message("a", false, ""));
    joined.delta("t1", "a", "the beginning ");
    joined.history.detached("Before the connection was lost.");
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "?the beginning "]);
    // A new subscription lacks the beginning: its block stands below the kept text.
    joined.live = LiveThread::new("T".into());
    joined.history.attached(&joined.live, at(4));
    joined.delta("t1", "a", "and the end");
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "?the beginning ", "~a"]);
    joined.complete("t1", message("a", false, "the beginning, more, and the end"));
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "a"]);
}

#[test]
fn leaving_and_coming_back_continues_a_block_in_its_row() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.start_turn("t1");
    joined.start("t1", message("a", false, ""));
    joined.delta("t1", "a", "one ");
    let key = key_of(&mut joined.history, "~a");
    joined.history.detached("left");
    joined.live.apply(
        UnixMs(5),
        &ServerNotification::AgentMessageDelta {
            thread_id: "T".into(),
            turn_id: "t1".into(),
            item_id: "a".into(),
            delta: "two".into(),
        },
    );
    joined.history.attached(&joined.live, at(5));
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "~a"]);
    assert_eq!(key_of(&mut joined.history, "~a"), key);
    assert_eq!(joined.history.view().running.unwrap().turn, "t1".into());
}

#[test]
fn joining_in_the_middle_shows_completed_items_and_a_late_block() {
    let mut server = Server::with(2, 2);
    (server.turns[1].status, server.turns[1].ended) = (TurnStatus::InProgress, false);
    let mut history = opened(&mut server);
    let mut live = LiveThread::new("T".into());
    history.begin_sync();
    history.attached(&live, at(2));
    let event = ServerNotification::AgentMessageDelta {
        thread_id: "T".into(),
        turn_id: "t1".into(),
        item_id: "x".into(),
        delta: "the end".into(),
    };
    let change = live.apply(UnixMs(2), &event);
    history.live(&live, &change, at(2));
    assert_eq!(rows(&mut history), server.ids(), "nothing is applied before the second read");
    answer_all(&mut history, &mut server);
    let view = history.view();
    assert_eq!(rows(&mut history), ["t0.0", "t0.1", "t1.0", "t1.1", "~x"]);
    assert!(matches!(&*view.rows.last().unwrap().body, RowBody::Unfinished { late: true, .. }));
    assert_eq!(view.running.map(|running| running.turn), Some("t1".into()));
}

#[test]
fn five_thousand_deltas_while_joining_are_a_few_events() {
    let mut server = Server::with(1, 2);
    let mut joined = Joined::new(&mut server);
    joined.history.begin_sync();
    for index in 0..5_000 {
        joined.delta("t1", "a", &format!("{index} "));
    }
    answer_all(&mut joined.history, &mut server);
    assert_eq!(joined.history.view().stale, None);
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "+t1", "~a"]);
}

#[test]
fn an_overflowing_sync_buffer_applies_nothing_and_asks_for_a_refresh() {
    let mut server = Server::with(1, 2);
    for too_much in [Overflow::Events, Overflow::Bytes] {
        let mut joined = Joined::new(&mut server);
        joined.history.begin_sync();
        match too_much {
            Overflow::Events => (0..=limit::SYNC_EVENTS).for_each(|index| {
                joined.complete("t1", message(&format!("i{index}"), false, "x"));
            }),
            Overflow::Bytes => (0..9).for_each(|index| {
                joined.complete("t1", message(&format!("i{index}"), false, &"x".repeat(1 << 20)));
            }),
        }
        answer_all(&mut joined.history, &mut server);
        assert_eq!(joined.rows(), ["t0.0", "t0.1"]);
        let stale = joined.history.view().stale.unwrap();
        assert!(stale.contains("Nothing of it was applied"), "{stale}");
        let mut now = server.clone();
        now.turns.push(StoredTurn {
            id: "t1".into(),
            status: TurnStatus::InProgress,
            ended: false,
            items: joined.live.entries.iter().map(|entry| entry.item.clone()).collect(),
        });
        joined.history.refresh();
        joined.history.attached(&joined.live, at(5));
        joined.delta("t1", "tail", "more");
        answer_all(&mut joined.history, &mut now);
        assert_eq!(joined.history.view().stale, None);
        assert_eq!(joined.rows().last().map(String::as_str), Some("~tail"));
    }
}

enum Overflow {
    Events,
    Bytes,
}

#[test]
fn a_failed_second_read_keeps_what_waits_and_refresh_applies_it() {
    let mut server = Server::with(1, 2);
    let mut joined = Joined::new(&mut server);
    joined.history.begin_sync();
    joined.complete("t1", message("a", true, "x"));
    while let Some(fetch) = joined.history.poll_fetch() {
        joined.history.fetched(fetch.id, Err(FetchError::TimedOut), at(4));
    }
    assert_eq!(joined.rows(), ["t0.0", "t0.1"]);
    assert!(joined.history.view().stale.is_some());
    joined.history.refresh();
    answer_all(&mut joined.history, &mut server);
    assert!(joined.rows().contains(&"a".to_owned()));
}

#[test]
fn rows_of_a_legacy_turn_come_from_pages_or_from_live_events_never_both() {
    let mut server = Server { legacy: true, ..Server::with(2, 2) };
    (server.turns[1].status, server.turns[1].ended) = (TurnStatus::InProgress, false);
    let mut joined = Joined::new(&mut server);
    assert_eq!(joined.rows(), ["item-t0.1", "item-t0.2", "item-t1.1", "item-t1.2"]);
    joined.complete("t1", message("real", false, "x"));
    assert_eq!(joined.rows(), ["item-t0.1", "item-t0.2", "item-t1.1", "+t1", "real"]);
    joined.end_turn("t1", TurnStatus::Completed);
    server.turns[1].items.push(message("real", false, "x"));
    (server.turns[1].status, server.turns[1].ended) = (TurnStatus::Completed, true);
    joined.history.refresh();
    answer_all(&mut joined.history, &mut server);
    assert_eq!(joined.rows(), ["item-t0.1", "item-t0.2", "item-t1.1", "item-t1.2", "item-t1.3"]);
    joined.start_turn("t2");
    joined.complete("t2", message("u2", true, "whole"));
    joined.end_turn("t2", TurnStatus::Completed);
    let items = vec![message("u2", true, "whole")];
    server.turns.push(StoredTurn { id: "t2".into(), status: TurnStatus::Completed, ended: true, items });
    joined.history.refresh();
    answer_all(&mut joined.history, &mut server);
    assert_eq!(joined.rows().last().map(String::as_str), Some("u2"));
}

/// turn/started, an item, turn/completed of one turn in any order, one of them twice, with late
/// and foreign events between: a completed turn never runs again and only its own id ends it.
#[test]
fn turn_events_in_every_order_with_one_duplicate_end_the_turn_once() {
    let events = ["started", "item", "completed", "other-completed"];
    let mut sequences: Vec<Vec<&str>> = vec![Vec::new()];
    for _ in 0..events.len() + 1 {
        sequences = sequences
            .iter()
            .flat_map(|sequence| events.iter().map(|event| [&sequence[..], &[*event]].concat()))
            .collect();
    }
    sequences.retain(|sequence| events.iter().all(|event| sequence.contains(event)));
    assert_eq!(sequences.len(), 240);
    for sequence in sequences {
        let mut joined = Joined::new(&mut Server::with(1, 2));
        let mut ended = false;
        for event in &sequence {
            match *event {
                "started" => joined.start_turn("t1"),
                "item" => joined.complete("t1", message("i", true, "x")),
                "completed" => joined.end_turn("t1", TurnStatus::Completed),
                _ => joined.end_turn("t9", TurnStatus::Completed),
            }
            ended |= *event == "completed";
            let running = joined.history.view().running.map(|running| running.turn);
            assert!(!ended || running != Some("t1".into()), "{sequence:?} at {event}");
        }
        assert_eq!(joined.history.view().running, None, "{sequence:?}");
        let items = joined.rows().iter().filter(|row| *row == "i").count();
        assert_eq!(items, 1, "{sequence:?}");
    }
}

fn command(id: &str, line: &str) -> ThreadItem {
    ThreadItem::CommandExecution {
        id: id.into(),
        command: line.to_owned(),
        cwd: "/".to_owned(),
        command_actions: Vec::new(),
        source: CommandSource::Agent,
        status: ItemStatus::InProgress,
        process_id: None,
        aggregated_output: None,
        exit_code: None,
        duration_ms: None,
    }
}
