//! Reading without joining: first read, kinds, paging, expansion, eviction.

use super::*;
use crate::base::limit;

#[test]
fn the_first_read_asks_for_fifty_summary_turns_and_a_hundred_items_newest_first() {
    let mut history = History::open(&thread(), 1, at(0));
    let asked: Vec<ClientRequest> = std::iter::from_fn(|| history.poll_fetch()).map(|fetch| fetch.request).collect();
    let [ClientRequest::TurnsList(turns), ClientRequest::ItemsList(items)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(
        (turns.limit, turns.sort_direction, turns.items_view),
        (Some(50), SortDirection::Desc, RequestedItemsView::Summary)
    );
    assert_eq!((items.limit, items.sort_direction, &items.turn_id), (Some(100), SortDirection::Desc, &None));
    assert_eq!(history.view().loading, Loading::First);
}

#[test]
fn loaded_turns_stand_whole_and_older_ones_as_their_summary() {
    let mut server = Server::with(30, 5);
    let mut history = opened(&mut server);
    let rows = rows(&mut history);
    assert_eq!(&rows[..4], ["t0.0", "+t0", "t0.4", "t1.0"]);
    // The oldest turn of the page of items may be cut by it: its head asks.
    assert_eq!(rows[30..36], ["+t10", "t10.0", "t10.1", "t10.2", "t10.3", "t10.4"]);
    assert_eq!(rows.last().map(String::as_str), Some("t29.4"));
    assert_eq!(history.as_of(), Some(UnixMs(1)));
    assert_eq!(history.kind_note(), None);
}

#[test]
fn load_older_brings_the_next_summary_turns_until_the_first() {
    let mut server = Server::with(120, 20);
    let mut history = opened(&mut server);
    assert_eq!(rows(&mut history)[..3], ["^", "t70.0", "+t70"]);
    assert!(history.view().older);
    history.load_older();
    history.load_older();
    assert_eq!(history.view().loading, Loading::Older);
    answer_all(&mut history, &mut server);
    assert_eq!(rows(&mut history)[..3], ["^", "t20.0", "+t20"]);
    assert_eq!(server.reads, 3);
    history.load_older();
    answer_all(&mut history, &mut server);
    assert_eq!(rows(&mut history)[..2], ["t0.0", "+t0"]);
    assert!(!history.view().older);
    history.load_older();
    assert_eq!(history.poll_fetch(), None);
}

#[test]
fn load_older_goes_on_inside_one_giant_turn() {
    let mut server = Server::with(1, 350);
    let mut history = opened(&mut server);
    assert_eq!(rows(&mut history)[..3], ["^", "t0.0", "+t0"]);
    for _ in 0..3 {
        history.load_older();
        answer_all(&mut history, &mut server);
    }
    let view = history.view();
    assert_eq!((view.items, view.older), (350, false));
    assert_eq!(rows(&mut history), server.ids());
}

#[test]
fn a_turn_expands_to_all_its_items_and_collapses_again() {
    let mut server = Server::with(30, 130);
    let mut history = opened(&mut server);
    let key = key_of(&mut history, "t3.0");
    history.expand(&"t3".into());
    history.expand(&"t3".into());
    answer_all(&mut history, &mut server);
    let all = rows(&mut history);
    let from = all.iter().position(|row| row == "+t3").unwrap();
    assert_eq!(all[from + 1..=from + 130], server.ids()[390..520]);
    assert_eq!(key_of(&mut history, "t3.0"), key);
    history.collapse(&"t3".into());
    let all = rows(&mut history);
    let from = all.iter().position(|row| row == "+t3").unwrap();
    assert_eq!(all[from - 1..=from + 1], ["t3.0", "+t3", "t3.129"]);
    assert_eq!(key_of(&mut history, "t3.0"), key);
}

#[test]
fn a_failed_expansion_says_why_at_its_turn() {
    let mut server = Server::with(30, 10);
    let mut history = opened(&mut server);
    history.expand(&"t0".into());
    let fetch = history.poll_fetch().unwrap();
    history.fetched(fetch.id, Err(FetchError::TimedOut), at(1));
    let view = history.view();
    let head = view.rows.iter().find(|row| short(row) == "+t0").unwrap();
    let RowBody::TurnHead { failed, loading, .. } = &*head.body else { panic!() };
    assert_eq!(failed.as_deref(), Some("Could not be loaded: the server did not answer in time. Try again."));
    assert!(!loading);
}

#[test]
fn a_repeated_cursor_is_an_error_in_words_and_not_a_loop() {
    let mut server = Server::with(120, 20);
    let mut history = opened(&mut server);
    history.load_older();
    let fetch = history.poll_fetch().unwrap();
    let ClientRequest::TurnsList(params) = &fetch.request else { panic!() };
    let Ok(ClientResponse::TurnsList(mut page)) = server.answer(&fetch.request) else { panic!() };
    page.next_cursor.clone_from(&params.cursor);
    let before = rows(&mut history);
    history.fetched(fetch.id, Ok(ClientResponse::TurnsList(page)), at(1));
    assert_eq!(history.poll_fetch(), None);
    assert_eq!(rows(&mut history), before);
    assert_eq!(
        history.view().stale.as_deref(),
        Some(
            "Older history could not be loaded: the server sent the same page mark twice. \
             What is shown stays as it is; try again."
        )
    );
}

#[test]
fn the_window_evicts_what_is_furthest_and_shows_its_edges() {
    let mut server = Server::with(80, 20);
    let mut history = opened(&mut server);
    for turn in (40..75).rev() {
        let first = key_of(&mut history, &format!("t{turn}.0"));
        history.viewing(first, first, false);
        history.expand(&format!("t{turn}").as_str().into());
        answer_all(&mut history, &mut server);
        assert!(history.view().items <= limit::WINDOW_ITEMS);
    }
    for turn in (30..40).rev() {
        let first = key_of(&mut history, &format!("t{turn}.0"));
        history.viewing(first, first, false);
        history.expand(&format!("t{turn}").as_str().into());
        answer_all(&mut history, &mut server);
    }
    for turn in (75..80).rev() {
        history.expand(&format!("t{turn}").as_str().into());
        answer_all(&mut history, &mut server);
    }
    history.load_older();
    answer_all(&mut history, &mut server);
    let view = history.view();
    assert!(view.items <= limit::WINDOW_ITEMS, "{}", view.items);
    assert!(view.newer);
    assert_eq!(rows(&mut history).last().map(String::as_str), Some("v"));
    let RowBody::Edge { evicted, .. } = *view.rows.last().unwrap().body else { panic!() };
    assert!(evicted > 0);
    // Back to the newest by Load newer alone.
    for _ in 0..20 {
        history.viewing(view.rows.last().unwrap().key, view.rows.last().unwrap().key, true);
        history.load_newer();
        answer_all(&mut history, &mut server);
    }
    assert!(!history.view().newer);
    assert_eq!(rows(&mut history).last().map(String::as_str), Some("t79.19"));
}

#[test]
fn sixteen_mebibytes_of_text_are_the_window_too() {
    let mut server = Server::with(1, 0);
    let text = "x".repeat(1 << 20);
    server.turns[0].items = (0..40).map(|item| message(&format!("t0.{item}"), item == 0, &text)).collect();
    let mut history = opened(&mut server);
    assert_eq!(history.view().items, 16);
    assert_eq!(rows(&mut history)[..2], ["^", "t0.24"]);
    let top = key_of(&mut history, "t0.24");
    history.viewing(top, top, false);
    history.load_older();
    answer_all(&mut history, &mut server);
    assert!(history.view().newer);
    assert!(rows(&mut history).contains(&"t0.23".to_owned()));
}

#[test]
fn a_failed_refresh_keeps_the_rows_and_says_that_they_may_be_out_of_date() {
    let mut server = Server::with(3, 3);
    let mut history = opened(&mut server);
    let before = rows(&mut history);
    history.refresh();
    while let Some(fetch) = history.poll_fetch() {
        history.fetched(fetch.id, Err(FetchError::Lost), at(9));
    }
    assert_eq!(rows(&mut history), before);
    assert_eq!(
        history.view().stale.as_deref(),
        Some("It could not be read: connection lost. What is shown may be out of date.")
    );
    assert_eq!(history.as_of(), Some(UnixMs(1)));
    history.refresh();
    answer_all(&mut history, &mut server);
    assert_eq!(history.view().stale, None);
}

#[test]
fn a_refresh_changes_no_row_that_did_not_change() {
    let mut server = Server::with(30, 5);
    let mut history = opened(&mut server);
    let before = history.view().rows;
    history.refresh();
    answer_all(&mut history, &mut server);
    assert_eq!(*history.view().rows, *before);
}

#[test]
fn the_answer_to_a_read_that_was_given_up_is_ignored() {
    let mut server = Server::with(3, 3);
    let mut history = History::open(&thread(), 1, at(0));
    let old = history.poll_fetch().unwrap();
    history.refresh();
    history.fetched(old.id, Err(FetchError::Lost), at(1));
    answer_all(&mut history, &mut server);
    assert_eq!(history.view().stale, None);
    assert_eq!(rows(&mut history), server.ids());
}

#[test]
fn every_kind_of_history_is_told_in_words() {
    let answers = |turns: Answer, items: Answer, thread: &Thread| {
        let mut history = History::open(thread, 1, at(0));
        while let Some(fetch) = history.poll_fetch() {
            let answer = if matches!(fetch.request, ClientRequest::TurnsList(_)) { &turns } else { &items };
            history.fetched(fetch.id, answer.clone(), at(1));
        }
        (history.kind_note(), history.view().stale)
    };
    let empty = || {
        let turns = TurnsListResponse { data: Vec::new(), next_cursor: None, backwards_cursor: None };
        let items = ItemsListResponse { data: Vec::new(), next_cursor: None, backwards_cursor: None };
        (Ok(ClientResponse::TurnsList(turns)), Ok(ClientResponse::ItemsList(items)))
    };
    let unsupported = || Err(refused(-32601, "thread/items/list is not supported yet"));
    let blank = Thread { preview: String::new(), ..thread() };
    let fork = Thread { forked_from_id: Some("S".into()), ..blank.clone() };
    let told = |note: &str| (Some(note.to_owned()), None);
    assert_eq!(answers(empty().0, empty().1, &blank), told("No messages yet."));
    assert_eq!(answers(empty().0, empty().1, &thread()), told("Not indexed yet; Join builds the index."));
    assert_eq!(answers(empty().0, empty().1, &fork), told("Not indexed yet; Join builds the index."));
    assert_eq!(
        answers(Err(refused(-32601, "list_turns is not supported yet")), unsupported(), &blank),
        told("No messages yet.")
    );
    assert_eq!(
        answers(Err(refused(-32600, "thread not loaded: T")), unsupported(), &thread()),
        told("This conversation no longer exists on the server.")
    );
    assert_eq!(
        answers(Err(refused(-32600, "ephemeral threads do not support thread/turns/list")), unsupported(), &thread()),
        told("This conversation keeps no history.")
    );
}

#[test]
fn an_ephemeral_conversation_is_never_read() {
    let mut history = History::open(&Thread { ephemeral: true, ..thread() }, 1, at(0));
    assert_eq!(history.poll_fetch(), None);
    assert_eq!(history.kind_note().as_deref(), Some("This conversation keeps no history."));
}

#[test]
fn a_legacy_conversation_is_read_by_whole_turns_without_commands() {
    let mut server = Server { legacy: true, ..Server::with(60, 2) };
    let mut history = History::open(&Thread { history_mode: HistoryMode::Legacy, ..thread() }, 1, at(0));
    answer_all(&mut history, &mut server);
    assert_eq!(server.reads, 1);
    assert_eq!(rows(&mut history)[..3], ["^", "item-t10.1", "item-t10.2"]);
    assert_eq!(history.kind_note().as_deref(), Some("An old conversation: commands are not part of its history."));
    history.load_older();
    answer_all(&mut history, &mut server);
    assert_eq!(rows(&mut history)[..2], ["item-t0.1", "item-t0.2"]);
    assert!(!history.view().older);
}

#[test]
fn a_conversation_that_refuses_item_pages_is_read_by_whole_turns() {
    let mut server = Server { legacy: true, ..Server::with(2, 2) };
    let mut history = opened(&mut server);
    assert_eq!(rows(&mut history), ["item-t0.1", "item-t0.2", "item-t1.1", "item-t1.2"]);
}

#[test]
fn a_last_turn_that_was_interrupted_without_an_end_may_run_elsewhere() {
    let mut server = Server::with(2, 2);
    for turn in &mut server.turns {
        (turn.status, turn.ended) = (TurnStatus::Interrupted, false);
    }
    let mut history = opened(&mut server);
    let view = history.view();
    let notes: Vec<_> = view
        .rows
        .iter()
        .filter_map(|row| match &*row.body {
            RowBody::TurnEnd { turn, note, .. } => Some((turn.to_string(), note.clone())),
            _ => None,
        })
        .collect();
    let elsewhere = Some("Interrupted, or running elsewhere.".to_owned());
    assert_eq!(notes, [("t0".to_owned(), None), ("t1".to_owned(), elsewhere)]);
}
