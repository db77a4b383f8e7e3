//! A window without a window for the tests of this module: one view, one state, the real event loop's order.

mod controls;
mod lists;

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
    /// Carets do not blink.
    pub still: bool,
    /// A later frame was asked for by the last event.
    pub ticks: bool,
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
            still: false,
            ticks: false,
        };
        window.redraw();
        window
    }

    fn run(&mut self, event: Event) -> bool {
        let view = root((self.view)(&self.state), &self.bridge, self.still);
        let cache = self.cache.take().unwrap_or_default();
        let mut ui = UserInterface::build(view, self.size, cache, &mut self.renderer);
        let mut messages = Vec::new();
        let (state, status) = ui.update(&[event], self.cursor, &mut self.renderer, &mut clipboard::Null, &mut messages);
        self.cache = Some(ui.into_cache());
        let at = |request: &_| matches!(request, window::RedrawRequest::At(_));
        self.ticks = matches!(&state, user_interface::State::Updated { redraw_request, .. } if at(redraw_request));
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
