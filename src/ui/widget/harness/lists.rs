//! What the history list promises: nothing that is read moves, and only what is in sight exists.

use super::*;
use iced::widget::Space;
use std::cell::Cell;

#[derive(Debug, Clone, PartialEq)]
enum Message {
    Open(u64),
    View(HistoryView),
    Edge(Edge),
}

struct State {
    rows: Vec<RowKey>,
    tall: Option<u64>,
    built: Cell<usize>,
}

fn view(state: &State) -> Element<'_, Message> {
    history_list("list", "List", &state.rows, |i| {
        state.built.set(state.built.get() + 1);
        let row = state.rows[i];
        let height = if state.tall == Some(row.key) { 2000 } else { 30 + (row.key % 5) * 20 };
        Space::new().width(iced::Length::Fill).height(height as u32).into()
    })
    .row_label(|i| format!("Row {i}"))
    .on_activate(Message::Open)
    .on_view(Message::View)
    .on_edge(Message::Edge)
    .into()
}

fn window(rows: std::ops::Range<u64>) -> Window<State, Message> {
    let rows = rows.map(|key| RowKey { key, rev: 0 }).collect();
    Window::open(State { rows, tall: None, built: Cell::new(0) }, view, |_, _| {})
}

fn prepend(w: &mut Window<State, Message>, keys: std::ops::Range<u64>) {
    let mut rows: Vec<_> = keys.map(|key| RowKey { key, rev: 0 }).collect();
    rows.append(&mut w.state.rows);
    w.state.rows = rows;
    w.redraw();
}

fn places(w: &Window<State, Message>) -> Vec<(String, f64)> {
    let visible = |node: &FlatNode| node.role == "article" && !node.states.contains(&"offscreen");
    let nodes = w.nodes();
    nodes.iter().filter(|node| visible(node)).map(|node| (node.id.clone(), w.y(&node.id))).collect()
}

#[test]
fn only_the_rows_in_sight_and_around_are_built() {
    let w = window(1000..2000);
    let per_frame = w.state.built.get() / 3;
    assert!(per_frame < 40, "{per_frame} rows built per frame");
    assert!(places(&w).len() > 5);
}

#[test]
fn it_starts_at_its_end_and_follows_it() {
    let mut w = window(1000..1100);
    let bottom = |w: &Window<State, Message>, key: u64| {
        let bounds = w.node(&format!("list/{key}")).bounds.unwrap();
        bounds.y + bounds.height
    };
    assert_eq!(bottom(&w, 1099), 600.0);
    w.state.rows.push(RowKey { key: 1100, rev: 0 });
    w.redraw();
    assert_eq!(bottom(&w, 1100), 600.0);
}

#[test]
fn neither_prepending_nor_appending_moves_a_row_that_is_read() {
    let mut w = window(1000..1100);
    w.wheel(500.0);
    let before = places(&w);
    prepend(&mut w, 100..300);
    assert_eq!(places(&w), before);
    w.state.rows.push(RowKey { key: 5000, rev: 0 });
    w.redraw();
    assert_eq!(places(&w), before);
}

#[test]
fn a_row_that_grows_above_moves_nothing_in_sight() {
    let mut w = window(1000..1100);
    w.wheel(500.0);
    let before = places(&w);
    let first = w.state.rows.iter().position(|row| before[0].0 == format!("list/{}", row.key)).unwrap();
    w.state.rows[first - 1].rev = 1;
    w.state.tall = Some(w.state.rows[first - 1].key);
    w.redraw();
    assert_eq!(places(&w), before);
}

#[test]
fn resizing_keeps_the_first_row_where_it_is() {
    let mut w = window(1000..1100);
    w.wheel(500.0);
    let before = places(&w);
    w.resize(Size::new(320.0, 500.0));
    assert_eq!(places(&w)[0], before[0]);
}

#[test]
fn keys_move_the_active_row_and_enter_opens_it() {
    let mut w = window(1000..1100);
    w.key(Named::Tab);
    assert_eq!(w.focused(), "list/1099");
    w.key(Named::ArrowUp);
    assert_eq!(w.focused(), "list/1098");
    w.key(Named::Enter);
    assert!(w.log.contains(&Message::Open(1098)));
    w.key(Named::Home);
    assert_eq!((w.focused().as_str(), w.y("list/1000")), ("list/1000", 0.0));
    let (low, y) = places(&w).pop().expect("rows in sight");
    w.key(Named::PageDown);
    assert_eq!(w.y(&low), y - 560.0);
    w.key(Named::End);
    assert_eq!(w.focused(), "list/1099");
}

#[test]
fn a_row_taller_than_the_view_can_be_read_by_pages() {
    let mut w = window(1000..1003);
    w.state.tall = Some(1001);
    w.state.rows[1].rev = 1;
    w.redraw();
    w.key(Named::Tab);
    w.key(Named::Home);
    let mut last = w.y("list/1001");
    for _ in 0..3 {
        w.key(Named::PageDown);
        let now = w.y("list/1001");
        assert!(now < last && last - now <= 600.0, "from {last} to {now}");
        last = now;
    }
}

#[test]
fn the_page_is_told_what_is_in_sight_and_that_an_end_is_near() {
    let mut w = window(1000..1100);
    let seen = |w: &Window<State, Message>| {
        w.log.iter().rev().find_map(|m| if let Message::View(view) = m { Some(*view) } else { None }).unwrap()
    };
    assert!(seen(&w).at_end && seen(&w).last == 1099);
    w.wheel(100_000.0);
    assert_eq!((seen(&w).first, seen(&w).at_end), (1000, false));
    assert_eq!(w.log.iter().filter(|m| **m == Message::Edge(Edge::Older)).count(), 1);
}
