//! The operation that turns the widget tree into accessibility nodes.

use super::{Access, ROOT, WantsNodes, derived};
use accesskit::{Affine, Node, NodeId, Rect, Role};
use iced::advanced::widget::Id;
use iced::advanced::widget::operation::{Focusable, Operation, Scrollable};
use iced::{Rectangle, Vector};
use std::any::Any;
use std::collections::BTreeSet;

struct Entry {
    id: NodeId,
    node: Node,
    children: Vec<NodeId>,
    leaf: bool,
}

/// Collects nodes in reading order. Bounds are in logical pixels of the window; the root carries the scale.
pub struct Collector {
    entries: Vec<Entry>,
    /// Indices of the open parents; the window is always open.
    open: Vec<usize>,
    /// The node whose `traverse` comes next.
    described: Option<usize>,
    view: View,
    scrolled: Option<View>,
    offscreen: BTreeSet<u64>,
    focus: NodeId,
}

/// Where the content of the innermost scrollable is, and what of it can be seen.
#[derive(Clone, Copy)]
struct View {
    translation: Vector,
    clip: Rectangle,
}

/// The finished tree: the window first.
pub struct Collected {
    pub nodes: Vec<(NodeId, Node)>,
    /// Nodes scrolled out of sight.
    pub offscreen: BTreeSet<u64>,
    pub focus: NodeId,
}

impl Collector {
    /// `name`: the window's title; `scale`: physical pixels per logical pixel.
    pub fn new(name: String, bounds: Rectangle, scale: f32) -> Self {
        let mut node = Node::new(Role::Window);
        node.set_label(name);
        node.set_bounds(rect(bounds));
        node.set_transform(Affine::scale(f64::from(scale)));
        Self {
            entries: vec![Entry { id: ROOT, node, children: Vec::new(), leaf: false }],
            open: vec![0],
            described: None,
            view: View { translation: Vector::ZERO, clip: bounds },
            scrolled: None,
            offscreen: BTreeSet::new(),
            focus: ROOT,
        }
    }

    pub fn finish_tree(self) -> Collected {
        let nodes = self.entries.into_iter().map(|mut entry| {
            entry.node.set_children(entry.children);
            (entry.id, entry.node)
        });
        Collected { nodes: nodes.collect(), offscreen: self.offscreen, focus: self.focus }
    }

    fn parent(&mut self) -> &mut Entry {
        let index = self.open.last().copied().unwrap_or(0);
        &mut self.entries[index]
    }

    fn push(&mut self, id: NodeId, mut node: Node, bounds: Rectangle, leaf: bool) -> usize {
        let seen = bounds + self.view.translation;
        node.set_bounds(rect(seen));
        if self.view.clip.intersection(&seen).is_none() {
            self.offscreen.insert(id.0);
        }
        self.parent().children.push(id);
        self.entries.push(Entry { id, node, children: Vec::new(), leaf });
        self.entries.len() - 1
    }
}

fn rect(b: Rectangle) -> Rect {
    Rect { x0: f64::from(b.x), y0: f64::from(b.y), x1: f64::from(b.x + b.width), y1: f64::from(b.y + b.height) }
}

fn rectangle(b: Rect) -> Rectangle {
    Rectangle { x: b.x0 as f32, y: b.y0 as f32, width: b.width() as f32, height: b.height() as f32 }
}

impl Operation for Collector {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        let described = self.described.take();
        self.open.extend(described);
        let outer = self.view;
        if let Some(view) = self.scrolled.take() {
            self.view = view;
        }
        operate(self);
        self.view = outer;
        if described.is_some() {
            self.open.pop();
        }
    }

    fn scrollable(&mut self, _: Option<&Id>, bounds: Rectangle, _: Rectangle, by: Vector, _: &mut dyn Scrollable) {
        let clip = self.view.clip.intersection(&(bounds + self.view.translation)).unwrap_or_default();
        self.scrolled = Some(View { translation: self.view.translation - by, clip });
    }

    fn focusable(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Focusable) {
        if state.is_focused() {
            self.focus = self.parent().id;
        }
    }

    fn text(&mut self, _: Option<&Id>, bounds: Rectangle, text: &str) {
        if text.trim().is_empty() || self.open.iter().any(|index| self.entries[*index].leaf) {
            return;
        }
        let parent = self.parent();
        let id = derived(&(parent.id.0, "text", parent.children.len()));
        let mut node = Node::new(Role::Label);
        node.set_value(text);
        self.push(id, node, bounds, true);
    }

    fn custom(&mut self, _: Option<&Id>, bounds: Rectangle, state: &mut dyn Any) {
        if let Some(wants) = state.downcast_mut::<WantsNodes>() {
            wants.0 = true;
        } else if let Some(access) = state.downcast_mut::<Access>() {
            let index = self.push(access.id, access.node.clone(), bounds, access.leaf);
            self.open.push(index);
            for (id, node) in &access.extra {
                let own = node.bounds().map(rectangle);
                self.push(*id, node.clone(), own.unwrap_or(bounds), true);
            }
            self.open.pop();
            self.described = Some(index);
        }
    }
}
