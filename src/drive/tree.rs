//! What the driver needs of the accessibility tree.

use accesskit::{Action, ActionData};

/// One node, as it is written to JSON.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Node {
    /// Stable over frames.
    pub id: String,
    /// AccessKit's role in lowerCamelCase.
    pub role: String,
    /// The accessible name.
    pub name: String,
    /// The value, empty when there is none.
    pub value: String,
    /// The description, left out when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What holds: `disabled`, `focused`, `checked`, `offscreen` and so on.
    pub states: Vec<String>,
    /// Logical pixels of the window; nothing for a node without a place.
    pub bounds: Option<Bounds>,
    /// Ids in reading order.
    pub children: Vec<String>,
    /// What a screen reader can ask of it: `click`, `focus`, `setValue`. Not written.
    #[serde(skip)]
    pub actions: Vec<&'static str>,
}

/// A rectangle in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Bounds {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Node {
    /// True when the node is in this state.
    pub fn is(&self, state: &str) -> bool {
        self.states.iter().any(|held| held == state)
    }
}

/// Something a screen reader was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// Counts up from 1.
    pub number: u64,
    /// Interrupts what is being read.
    pub assertive: bool,
    /// The words.
    pub text: String,
}

/// The accessibility tree of the window, as collected by the last frame.
pub trait Tree {
    /// From now on every frame collects the tree.
    fn activate(&self);
    /// The nodes, parents before children.
    fn snapshot(&self) -> Vec<Node>;
    /// Queues an action on a node as assistive technology would; the next frame performs it.
    fn request(&self, id: &str, action: Action, data: Option<ActionData>);
    /// What was announced so far, oldest first.
    fn announcements(&self) -> Vec<Announcement>;
}
