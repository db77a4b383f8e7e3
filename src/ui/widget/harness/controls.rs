//! Focus, keys, dialogs, panes and assistive technology on ordinary controls.

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
    let inside =
        column![button("yes", "Yes").on_press(Message::Close), button("no", "No").on_press(Message::Pressed("no")),];
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

#[test]
fn a_caret_asks_for_frames_to_blink_except_in_a_still_window() {
    for still in [false, true] {
        let mut w = window();
        w.still = still;
        w.key(Named::Tab);
        w.key(Named::Tab);
        assert_eq!(w.focused(), "field");
        w.redraw();
        assert_eq!(w.ticks, !still, "still: {still}");
        assert!(w.event(Event::Keyboard(keyboard::Event::KeyPressed {
            key: KeyName::Character("x".into()),
            modified_key: KeyName::Character("x".into()),
            physical_key: keyboard::key::Physical::Unidentified(keyboard::key::NativeCode::Unidentified),
            location: keyboard::Location::Standard,
            modifiers: Modifiers::empty(),
            text: Some("x".into()),
            repeat: false,
        })));
        assert_eq!(w.log, [Message::Typed("x".to_owned())], "typing goes on");
    }
}
