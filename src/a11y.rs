//! What assistive technology (and the headless driver) sees of the window.
//!
//! Widgets describe themselves to an operation with [`describe`]; `widget::root` collects the tree with [`Collector`]
//! once per frame while somebody looks, and hands it to the [`Bridge`], which sends only what changed to the platform
//! adapter. Stock iced 0.14 has no accessibility of its own; everything here uses its public operations.

pub mod adapter;
mod bridge;
mod collect;
mod snapshot;
mod text;

pub use accesskit::{Action, ActionData, ActionRequest, Live, Node, NodeId, Rect, Role, Toggled};
pub use bridge::{Announcement, Bridge, Wake};
pub use collect::Collector;
pub use snapshot::{Bounds, FlatNode};
pub use text::{Caret, text_runs};

use iced::Rectangle;
use iced::advanced::widget::{self, Operation};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The node of the window itself.
pub const ROOT: NodeId = NodeId(1);

/// The stable name of a control: the same in every frame and every run; the driver addresses controls by it and
/// Windows shows it as the automation id. Names are unique within the window.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Cow<'static, str>);

impl Key {
    /// The widget id iced's operations know the control by.
    pub fn id(&self) -> widget::Id {
        match &self.0 {
            Cow::Borrowed(name) => widget::Id::new(name),
            Cow::Owned(name) => widget::Id::from(name.clone()),
        }
    }

    /// The accessibility node of the control.
    pub fn node(&self) -> NodeId {
        derived(&("key", self.as_str()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of a part of this control.
    pub fn part(&self, part: impl std::fmt::Display) -> Self {
        Self(Cow::Owned(format!("{}/{part}", self.0)))
    }
}

impl From<&'static str> for Key {
    fn from(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }
}

impl From<String> for Key {
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

/// A node id computed from content, the same in every frame and run; never 0 or the window's 1.
pub(crate) fn derived(parts: &impl Hash) -> NodeId {
    // DefaultHasher::new() has fixed keys, unlike a RandomState.
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    parts.hash(&mut hasher);
    NodeId(hasher.finish() | 2)
}

/// A described node, kept in the widget's state so that requests of an assistive technology can wait in it.
#[derive(Debug)]
pub struct Access {
    pub id: NodeId,
    pub node: Node,
    /// The children's text is already in the name; it is not repeated as nodes of its own.
    pub leaf: bool,
    /// Nodes without a widget (the text runs of an editor); always children of this one. One without bounds has this
    /// one's.
    pub extra: Vec<(NodeId, Node)>,
    /// Requests for this node, answered by the widget in its next `update`.
    pub pending: VecDeque<ActionRequest>,
}

impl Default for Access {
    fn default() -> Self {
        Self { id: ROOT, node: Node::new(Role::Unknown), leaf: false, extra: Vec::new(), pending: VecDeque::new() }
    }
}

/// Asked by [`describe`]: only a [`Collector`] says yes, so the other operations do not pay for building nodes.
pub(crate) struct WantsNodes(pub bool);

/// Everything inside is a modal focus trap.
pub(crate) struct TrapMarker;

/// Everything inside belongs to the F6 pane of this name.
pub(crate) struct PaneMarker(pub Key);

/// Reports a widget's node to `operation`; `build` is called only when the tree is being collected. The widget must
/// call `operation.traverse` afterwards, even without children.
pub(crate) fn describe(
    operation: &mut dyn Operation,
    key: &Key,
    bounds: Rectangle,
    access: &mut Access,
    build: impl FnOnce(&mut Access),
) {
    let mut wants = WantsNodes(false);
    operation.custom(None, bounds, &mut wants);
    access.id = key.node();
    if wants.0 {
        access.extra.clear();
        build(access);
        access.node.set_author_id(key.as_str());
    }
    operation.custom(Some(&key.id()), bounds, access);
}
