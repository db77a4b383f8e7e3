//! Local echoes become items by client id, in either order, in their row.

use super::*;
use crate::protocol::item::MessagePhase;

#[test]
fn an_echo_becomes_its_item_in_its_row() {
    let mut server = Server::with(1, 2);
    let mut joined = Joined::new(&mut server);
    joined.history.echo(OpId(7), "hello", "c1", at(3));
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "\"hello"]);
    let key = key_of(&mut joined.history, "\"hello");
    joined.start_turn("t1");
    joined.start("t1", sent("u", "c1", "hello"));
    joined.complete("t1", sent("u", "c1", "hello"));
    joined.complete("t1", message("a", false, "hi"));
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "u", "a"]);
    assert_eq!(key_of(&mut joined.history, "u"), key);
    assert_eq!(joined.history.take_evidence(), ["c1"]);
    assert_eq!(joined.history.take_evidence(), [""; 0]);
}

#[test]
fn an_item_that_came_before_its_echo_leaves_no_echo() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.complete("t1", sent("u", "c1", "hello"));
    joined.history.echo(OpId(7), "hello", "c1", at(3));
    assert!(!joined.rows().contains(&"\"hello".to_owned()));
    assert_eq!(joined.history.take_evidence(), ["c1"]);
}

#[test]
fn equal_text_never_replaces_an_echo() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.history.echo(OpId(7), "hello", "c1", at(3));
    joined.complete("t1", sent("u", "c2", "hello"));
    joined.complete("t1", message("u3", true, "hello"));
    assert!(joined.rows().contains(&"\"hello".to_owned()));
    assert_eq!(joined.history.take_evidence(), ["c2"]);
}

#[test]
fn a_confirmed_echo_stays_until_a_page_brings_its_item() {
    let mut server = Server::with(1, 2);
    let mut joined = Joined::new(&mut server);
    joined.history.echo(OpId(7), "hello", "c1", at(3));
    joined.history.set_op(OpId(7), OpState::Confirmed);
    let view = joined.history.view();
    let row = view.rows.last().unwrap();
    assert!(matches!(&*row.body, RowBody::Echo { state: OpState::Confirmed, .. }));
    assert_eq!(row.rev, 1);
    let items = vec![sent("u", "c1", "hello"), message("a", false, "hi")];
    server.turns.push(StoredTurn { id: "t1".into(), status: TurnStatus::Completed, ended: true, items });
    joined.history.refresh();
    answer_all(&mut joined.history, &mut server);
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "u", "a"]);
    assert_eq!(key_of(&mut joined.history, "u"), row.key);
}

#[test]
fn a_rejected_echo_stays_where_it_was_until_dismissed() {
    let mut joined = Joined::new(&mut Server::with(1, 2));
    joined.history.echo(OpId(7), "hello", "c1", at(3));
    joined.history.set_op(OpId(7), OpState::Rejected("no".into()));
    joined.start_turn("t1");
    let answer = ThreadItem::AgentMessage { id: "a".into(), text: "hi".into(), phase: Some(MessagePhase::FinalAnswer) };
    joined.complete("t1", answer);
    joined.end_turn("t1", TurnStatus::Completed);
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "\"hello", "a"]);
    joined.history.dismiss_echo(OpId(7));
    assert_eq!(joined.rows(), ["t0.0", "t0.1", "a"]);
}

#[test]
fn a_local_conversation_shows_its_echo_and_then_its_thread() {
    let mut history = History::local(1);
    assert_eq!(history.poll_fetch(), None);
    history.echo(OpId(1), "first", "c1", at(1));
    history.thread_changed(&Thread { preview: String::new(), ..thread() });
    history.begin_sync();
    let mut joined = Joined { live: LiveThread::new("T".into()), history };
    while let Some(fetch) = joined.history.poll_fetch() {
        joined.history.fetched(fetch.id, Err(refused(-32601, "list_turns is not supported yet")), at(1));
    }
    joined.start_turn("t0");
    joined.complete("t0", sent("u", "c1", "first"));
    assert_eq!(joined.rows(), ["u"]);
    assert_eq!(joined.history.view().stale, None);
}
