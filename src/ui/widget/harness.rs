//! A window without a window for the tests of this module: one view, one state, the real event loop's order.

use super::*;
use crate::a11y::{Action, ActionData, ActionRequest, FlatNode, NodeId};
use accesskit::{TreeId, TreeUpdate};
use iced::advanced::{clipboard, mouse, renderer::Headless};
use iced::keyboard::{self, Key as KeyName, Modifiers, key::Named};
use iced::{Event, Font, Pixels, Point, Size, window};
use iced_runtime::{UserInterface, user_interface};
use std::sync::{Arc, Mutex};

struct Watcher;

impl accesskit_consumer::TreeChangeHandler for Watcher {
    fn node_added(&mut self, _: &accesskit_consumer::NodeRef<'_>) {}
    fn node_updated(&mut self, _: &accesskit_consumer::NodeRef<'_>, _: &accesskit_consumer::NodeRef<'_>) {}
    fn focus_moved(
        &mut self,
        _: Option<&accesskit_consumer::NodeRef<'_>>,
        _: Option<&accesskit_consumer::NodeRef<'_>>,
    ) {
    }
    fn node_removed(&mut self, _: &accesskit_consumer::NodeRef<'_>) {}
}

pub(super) struct Window<S, M> {
    pub state: S,
    view: for<'a> fn(&'a S) -> Element<'a, M>,
    update: fn(&mut S, M),
    pub log: Vec<M>,
    pub bridge: Bridge,
    updates: Arc<Mutex<Vec<TreeUpdate>>>,
    tree: Option<accesskit_consumer::Tree>,
    renderer: Renderer,
    cache: Option<user_interface::Cache>,
    cursor: mouse::Cursor,
    size: Size,
}

impl<S, M: Clone + 'static> Window<S, M> {
    /// Opens it with an assistive technology attached; every tree update is checked by AccessKit's own consumer.
    pub(super) fn open(state: S, view: for<'a> fn(&'a S) -> Element<'a, M>, update: fn(&mut S, M)) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers");
        let made = runtime.block_on(Renderer::new(Font::DEFAULT, Pixels(14.0), Some("tiny-skia")));
        let bridge = Bridge::new();
        let updates = Arc::new(Mutex::new(Vec::new()));
        let sink = updates.clone();
        bridge.connect(Box::new(move |update| sink.lock().unwrap().push(update)), Box::new(|_| {}));
        bridge.activate();
        let mut window = Self {
            state,
            view,
            update,
            log: Vec::new(),
            bridge,
            updates,
            tree: None,
            renderer: made.expect("tiny-skia needs no device"),
            cache: Some(user_interface::Cache::new()),
            cursor: mouse::Cursor::Unavailable,
            size: Size::new(400.0, 600.0),
        };
        window.redraw();
        window
    }

    fn run(&mut self, event: Event) -> bool {
        let view = root((self.view)(&self.state), &self.bridge);
        let cache = self.cache.take().unwrap_or_default();
        let mut ui = UserInterface::build(view, self.size, cache, &mut self.renderer);
        let mut messages = Vec::new();
        let (_, status) = ui.update(&[event], self.cursor, &mut self.renderer, &mut clipboard::Null, &mut messages);
        self.cache = Some(ui.into_cache());
        for message in messages {
            self.log.push(message.clone());
            (self.update)(&mut self.state, message);
        }
        status.contains(&iced::event::Status::Captured)
    }

    pub(super) fn redraw(&mut self) {
        for _ in 0..3 {
            self.run(Event::Window(window::Event::RedrawRequested(std::time::Instant::now())));
        }
        for update in self.updates.lock().unwrap().drain(..) {
            match &mut self.tree {
                Some(tree) => tree.update_and_process_changes(update, &mut Watcher),
                None => self.tree = Some(accesskit_consumer::Tree::new(update, true)),
            }
        }
    }

    /// True when some control took it.
    pub(super) fn event(&mut self, event: Event) -> bool {
        let taken = self.run(event);
        self.redraw();
        taken
    }

    pub(super) fn press(&mut self, key: Named, modifiers: Modifiers, repeat: bool) -> bool {
        let key = KeyName::Named(key);
        self.event(Event::Keyboard(keyboard::Event::KeyPressed {
            key: key.clone(),
            modified_key: key,
            physical_key: keyboard::key::Physical::Unidentified(keyboard::key::NativeCode::Unidentified),
            location: keyboard::Location::Standard,
            modifiers,
            text: None,
            repeat,
        }))
    }

    pub(super) fn key(&mut self, key: Named) -> bool {
        self.press(key, Modifiers::empty(), false)
    }

    pub(super) fn wheel(&mut self, y: f32) {
        self.cursor = mouse::Cursor::Available(Point::new(100.0, 100.0));
        self.event(Event::Mouse(mouse::Event::WheelScrolled { delta: mouse::ScrollDelta::Pixels { x: 0.0, y } }));
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.size = size;
        self.redraw();
    }

    pub(super) fn nodes(&self) -> Vec<FlatNode> {
        self.bridge.snapshot()
    }

    pub(super) fn node(&self, id: &str) -> FlatNode {
        self.nodes().into_iter().find(|node| node.id == id).unwrap_or_else(|| panic!("no node {id}"))
    }

    pub(super) fn y(&self, id: &str) -> f64 {
        self.node(id).bounds.expect("every node has bounds").y
    }

    pub(super) fn focused(&self) -> String {
        let nodes = self.nodes();
        nodes.into_iter().find(|node| node.states.contains(&"focused")).map(|node| node.id).unwrap_or_default()
    }

    pub(super) fn assist(&mut self, target: NodeId, action: Action, value: Option<&str>) {
        let data = value.map(|value| ActionData::Value(value.into()));
        self.bridge.request(ActionRequest { action, target_tree: TreeId::ROOT, target_node: target, data });
        self.redraw();
    }
}

mod controls {
    use super::*;
    use iced::widget::{column, stack};

    #[derive(Debug, Clone, PartialEq)]
    enum Message {
        Pressed(&'static str),
        Typed(String),
        Chosen(usize),
        Open,
        Close,
    }

    #[derive(Default)]
    struct State {
        value: String,
        open: bool,
        chosen: usize,
    }

    fn view(state: &State) -> Element<'_, Message> {
        let page = column![
            pane("bar", "Bar", button("a", "A").on_press(Message::Pressed("a"))),
            button("off", "Off"),
            text_field("field", "Field", state.value.clone(), Message::Typed),
            pane(
                "rest",
                "Rest",
                column![
                    toggle("wrap", "Wrap", false, |_| Message::Pressed("wrap")),
                    select(
                        "model",
                        "Model",
                        ["one", "two", "three"].map(String::from).to_vec(),
                        Some(state.chosen),
                        Message::Chosen
                    ),
                    button("more", "More").on_press(Message::Open),
                ]
            ),
        ];
        let inside = column![
            button("yes", "Yes").on_press(Message::Close),
            button("no", "No").on_press(Message::Pressed("no")),
        ];
        let over: Option<Element<'_, Message>> =
            state.open.then(|| dialog("dialog", "Sure?", inside).on_escape(Message::Close).into());
        stack![page].push(over).into()
    }

    fn update(state: &mut State, message: Message) {
        match message {
            Message::Typed(value) => state.value = value,
            Message::Chosen(chosen) => state.chosen = chosen,
            Message::Open => state.open = true,
            Message::Close => state.open = false,
            Message::Pressed(_) => {}
        }
    }

    fn window() -> Window<State, Message> {
        Window::open(State::default(), view, update)
    }

    #[test]
    fn tab_goes_round_in_reading_order_and_skips_what_is_disabled() {
        let mut w = window();
        assert_eq!(w.focused(), "window");
        let mut seen = Vec::new();
        for _ in 0..6 {
            w.key(Named::Tab);
            seen.push(w.focused());
        }
        assert_eq!(seen, ["a", "field", "wrap", "model", "more", "a"]);
        w.press(Named::Tab, Modifiers::SHIFT, false);
        assert_eq!(w.focused(), "more");
    }

    #[test]
    fn enter_and_space_press_once_and_a_held_key_does_nothing_more() {
        let mut w = window();
        w.key(Named::Tab);
        w.key(Named::Enter);
        w.press(Named::Enter, Modifiers::empty(), true);
        w.key(Named::Space);
        assert_eq!(w.log, [Message::Pressed("a"), Message::Pressed("a")]);
    }

    #[test]
    fn keys_of_an_input_method_composition_never_act() {
        use iced::advanced::input_method::Event as Ime;
        let mut w = window();
        w.key(Named::Tab);
        w.event(Event::InputMethod(Ime::Preedit("か".into(), None)));
        assert!(w.key(Named::Enter));
        w.key(Named::Tab);
        assert_eq!((w.focused().as_str(), w.log.len()), ("a", 0));
        w.event(Event::InputMethod(Ime::Commit("か".into())));
        w.key(Named::Enter);
        assert_eq!(w.log.len(), 1);
    }

    #[test]
    fn a_dialog_takes_focus_keeps_tab_inside_and_gives_focus_back() {
        let mut w = window();
        w.press(Named::Tab, Modifiers::SHIFT, false);
        w.key(Named::Enter);
        assert_eq!(w.focused(), "yes");
        w.key(Named::Tab);
        w.key(Named::Tab);
        assert_eq!(w.focused(), "yes");
        w.key(Named::Escape);
        assert_eq!(w.focused(), "more");
    }

    #[test]
    fn f6_goes_to_the_next_pane_and_comes_back_to_where_focus_was() {
        let mut w = window();
        w.key(Named::F6);
        assert_eq!(w.focused(), "a");
        w.key(Named::F6);
        assert_eq!(w.focused(), "wrap");
        w.key(Named::Tab);
        w.key(Named::F6);
        w.key(Named::F6);
        assert_eq!(w.focused(), "model");
    }

    #[test]
    fn an_assistive_technology_clicks_sets_values_and_moves_focus() {
        let mut w = window();
        w.assist(Key::from("a").node(), Action::Click, None);
        w.assist(Key::from("off").node(), Action::Click, None);
        w.assist(Key::from("field").node(), Action::SetValue, Some("hello"));
        w.assist(Key::from("field").node(), Action::Focus, None);
        assert_eq!(w.log, [Message::Pressed("a"), Message::Typed("hello".into())]);
        assert_eq!((w.focused().as_str(), w.node("field").value.as_str()), ("field", "hello"));
        assert!(w.node("off").states.contains(&"disabled"));
    }

    #[test]
    fn a_select_is_worked_by_keys_and_its_options_can_be_clicked() {
        let mut w = window();
        w.assist(Key::from("model").node(), Action::Focus, None);
        w.key(Named::ArrowDown);
        assert!(w.node("model").states.contains(&"expanded"));
        w.key(Named::End);
        w.key(Named::Enter);
        assert_eq!(w.log, [Message::Chosen(2)]);
        w.key(Named::ArrowDown);
        w.key(Named::Home);
        assert!(w.key(Named::Escape));
        assert_eq!((w.node("model").value.as_str(), w.focused().as_str()), ("three", "model"));
        w.key(Named::Enter);
        w.assist(Key::from("model").part(1).node(), Action::Click, None);
        assert_eq!(w.node("model").value, "two");
    }

    #[test]
    fn every_control_that_acts_has_a_name() {
        let mut w = window();
        w.state.open = true;
        w.redraw();
        for node in w.nodes().iter().filter(|node| !node.actions.is_empty()) {
            assert!(!node.name.is_empty(), "{} has no name", node.id);
        }
    }

    #[test]
    fn equal_announcements_are_two_nodes() {
        let mut w = window();
        w.bridge.announce(false, "same");
        w.bridge.announce(true, "same");
        w.redraw();
        let said = |w: &Window<State, Message>, role: &str| {
            w.nodes().iter().filter(|node| node.role == role && node.name == "same").count()
        };
        assert_eq!((said(&w, "status"), said(&w, "alert")), (1, 1));
        assert_eq!(w.bridge.announcements().len(), 2);
    }
}

mod lists {
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
}
