//! The published tree as plain data, for the headless driver.

use super::ROOT;
use accesskit::{Action, Node, NodeId, Toggled};
use std::collections::{BTreeMap, BTreeSet};

/// Logical pixels of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// One node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatNode {
    /// The control's key, or `#` and a number for text and other parts without one.
    pub id: String,
    /// AccessKit's role in lowerCamelCase: `button`, `listItem`, `textInput`.
    pub role: String,
    pub name: String,
    pub value: String,
    pub description: String,
    /// Those that hold, of: busy, checked, collapsed, disabled, expanded, focused, modal, offscreen, selected,
    /// unchecked.
    pub states: Vec<&'static str>,
    pub bounds: Option<Bounds>,
    /// Ids, in reading order.
    pub children: Vec<String>,
    /// Of: click, focus, setValue.
    pub actions: Vec<&'static str>,
}

pub(super) fn flatten(nodes: &BTreeMap<u64, Node>, offscreen: &BTreeSet<u64>, focus: NodeId) -> Vec<FlatNode> {
    let mut flat = Vec::with_capacity(nodes.len());
    let mut open = vec![ROOT];
    while let Some(id) = open.pop() {
        let Some(node) = nodes.get(&id.0) else { continue };
        open.extend(node.children().iter().rev());
        let children = node.children().iter().filter_map(|id| nodes.get(&id.0).map(|node| name_of(*id, node)));
        flat.push(FlatNode {
            id: name_of(id, node),
            role: camel(&format!("{:?}", node.role())),
            name: node.label().unwrap_or_default().to_owned(),
            value: node.value().unwrap_or_default().to_owned(),
            description: node.description().unwrap_or_default().to_owned(),
            states: states(node, id == focus, offscreen.contains(&id.0)),
            bounds: node.bounds().map(|b| Bounds { x: b.x0, y: b.y0, width: b.width(), height: b.height() }),
            children: children.collect(),
            actions: actions(node),
        });
    }
    flat
}

fn name_of(id: NodeId, node: &Node) -> String {
    match node.author_id() {
        Some(key) => key.to_owned(),
        None if id == ROOT => "window".to_owned(),
        None => format!("#{:016x}", id.0),
    }
}

fn camel(pascal: &str) -> String {
    let mut chars = pascal.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn states(node: &Node, focused: bool, offscreen: bool) -> Vec<&'static str> {
    [
        (node.is_busy(), "busy"),
        (node.toggled() == Some(Toggled::True), "checked"),
        (node.is_expanded() == Some(false), "collapsed"),
        (node.is_disabled(), "disabled"),
        (node.is_expanded() == Some(true), "expanded"),
        (focused, "focused"),
        (node.is_modal(), "modal"),
        (offscreen, "offscreen"),
        (node.is_selected() == Some(true), "selected"),
        (node.toggled() == Some(Toggled::False), "unchecked"),
    ]
    .into_iter()
    .filter_map(|(holds, state)| holds.then_some(state))
    .collect()
}

fn actions(node: &Node) -> Vec<&'static str> {
    [(Action::Click, "click"), (Action::Focus, "focus"), (Action::SetValue, "setValue")]
        .into_iter()
        .filter_map(|(action, name)| node.supports_action(action).then_some(name))
        .collect()
}
