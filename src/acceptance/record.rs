//! What a case leaves behind beside its picture: tree, Tab order and announcements, as a file that reads line by line.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::a11y::FlatNode;

/// Everything a screen reader and the Tab key find, in words and places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Role and name of every stop of the Tab key, from the first in the window.
    pub tab_order: Vec<String>,
    /// What was said, in order; `!` before what interrupts.
    pub announcements: Vec<String>,
    /// The nodes, parents before children, one a line: see [`line`].
    pub tree: Vec<String>,
}

/// A node as one line: as many `- ` as it is deep, role, name, value, description, states, place and size. The
/// place is in logical pixels, rounded to tenths.
pub fn line(node: &FlatNode, depth: usize) -> String {
    let mut line = format!("{:1$}{2}", "", depth * 2, node.role);
    for (sign, words) in [(" ", &node.name), (" = ", &node.value), (" ; ", &node.description)] {
        if !words.is_empty() {
            let _ = write!(line, "{sign}{words:?}");
        }
    }
    if !node.states.is_empty() {
        let _ = write!(line, " [{}]", node.states.join(", "));
    }
    if let Some(place) = node.bounds {
        let tenth = |pixels: f64| (pixels * 10.0).round() / 10.0 + 0.0;
        let [x, y, width, height] = [place.x, place.y, place.width, place.height].map(tenth);
        let _ = write!(line, " {x},{y} {width}x{height}");
    }
    line
}

/// The nodes of a tree as lines, in reading order.
pub fn lines(tree: &[FlatNode]) -> Vec<String> {
    super::inspect::with_depth(tree).map(|(node, depth)| line(node, depth)).collect()
}

impl Record {
    /// The file's text.
    ///
    /// # Errors
    /// None in practice: there are only words in it.
    pub fn write(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Reads the file's text.
    ///
    /// # Errors
    /// When it is no such file.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The parts by name, for a comparison.
    pub fn parts(&self) -> [(&'static str, &[String]); 3] {
        [("Tab order", &self.tab_order), ("announcements", &self.announcements), ("tree", &self.tree)]
    }
}
