//! What must hold of every picture and its tree: nothing hides, nothing is cut, everything can be reached and read.
//!
//! The rules look at pixels where the promise is about pixels: a node that claims a place must have drawn something
//! there, and the contrast of a text is that of the colours that are really on the screen.

use std::collections::{BTreeMap, BTreeSet};

use crate::a11y::FlatNode;
use crate::drive::Shot;

/// The smallest side of what is pressed, logical pixels (WCAG 2.5.8).
const TARGET: f64 = 24.0;
/// Rounding of places to whole pixels.
const SLACK: f64 = 1.0;
/// Contrast of text in the themes that promise the ordinary, and in those that promise more.
pub const TEXT: f32 = 4.5;
/// See [`TEXT`].
pub const TEXT_HIGH: f32 = 7.0;
/// How the ids of what is always there begin: the field for text and the buttons below it.
const ALWAYS: &str = "composer";
/// What is drawn over something else on purpose, and goes away by itself when one reads on.
const FLOATS: &[&str] = &["history-jump"];

/// A picture with the tree that belongs to it.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// Parents before children, the window first.
    pub tree: &'a [FlatNode],
    /// The pixels.
    pub shot: &'a Shot,
    /// Pixels for each logical pixel.
    pub scale: f64,
    /// What text must have: [`TEXT`] or [`TEXT_HIGH`].
    pub contrast: f32,
}

/// Every node with the number of its ancestors; what has no place on the screen (announcements) is left out.
pub fn with_depth(tree: &[FlatNode]) -> impl Iterator<Item = (&FlatNode, usize)> {
    let mut depths: BTreeMap<&str, usize> = BTreeMap::new();
    for node in tree {
        let below = depths.get(node.id.as_str()).map_or(0, |depth| depth + 1);
        for child in &node.children {
            depths.insert(child, below);
        }
    }
    let placed = tree.iter().filter(|node| node.bounds.is_some());
    placed.map(move |node| (node, depths.get(node.id.as_str()).copied().unwrap_or(0)))
}

/// Everything that is wrong, in words that name the node.
pub fn findings(sight: Sight<'_>) -> Vec<String> {
    let seen = Seen::new(sight);
    let mut found = Vec::new();
    for node in &seen.nodes {
        found.extend(nameless(node));
        found.extend(seen.undrawn(node));
        found.extend(small(node));
        found.extend(seen.outside(node));
        if node.is_text {
            found.extend(seen.illegible(node));
            found.extend(seen.cut(node));
        }
    }
    found.extend(seen.overlaps());
    found.extend(seen.squeezed());
    found
}

/// A node that one sees, with its place clipped to the window.
struct Visible<'a> {
    node: &'a FlatNode,
    place: Place,
    /// It is the innermost that says these words.
    is_text: bool,
    /// It has words of its own.
    says: bool,
    ancestors: BTreeSet<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Place {
    fn of(node: &FlatNode) -> Option<Self> {
        let bounds = node.bounds?;
        Some(Self { left: bounds.x, top: bounds.y, right: bounds.x + bounds.width, bottom: bounds.y + bounds.height })
    }

    fn width(self) -> f64 {
        self.right - self.left
    }

    fn height(self) -> f64 {
        self.bottom - self.top
    }

    fn common(self, other: Self) -> Option<Self> {
        let common = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (common.width() > 0.0 && common.height() > 0.0).then_some(common)
    }

    fn inset(self, by: f64) -> Self {
        Self { left: self.left + by, top: self.top + by, right: self.right - by, bottom: self.bottom - by }
    }
}

struct Seen<'a> {
    sight: Sight<'a>,
    window: Place,
    nodes: Vec<Visible<'a>>,
}

fn has(node: &FlatNode, state: &str) -> bool {
    node.states.contains(&state)
}

/// `button "Join"`: how findings name a node.
pub fn called(node: &FlatNode) -> String {
    let words = if node.name.is_empty() { &node.value } else { &node.name };
    let short: String = words.chars().take(60).collect();
    format!("{} {short:?}", node.role)
}

fn is_pressed(node: &FlatNode) -> bool {
    node.actions.contains(&"click") && !has(node, "disabled")
}

fn nameless(seen: &Visible<'_>) -> Option<String> {
    let node = seen.node;
    let acts = !node.actions.is_empty();
    (acts && (node.name.trim().is_empty() || ["unknown", "genericContainer"].contains(&node.role.as_str())))
        .then(|| format!("{} can be acted on and has no name or role", called(node)))
}

fn small(seen: &Visible<'_>) -> Option<String> {
    let place = Place::of(seen.node)?;
    (is_pressed(seen.node) && (place.width() < TARGET || place.height() < TARGET))
        .then(|| format!("{} is {:.0}x{:.0}, smaller than 24", called(seen.node), place.width(), place.height()))
}

impl<'a> Seen<'a> {
    fn new(sight: Sight<'a>) -> Self {
        let by_id: BTreeMap<&str, &FlatNode> = sight.tree.iter().map(|node| (node.id.as_str(), node)).collect();
        let mut parents: BTreeMap<&str, &str> = BTreeMap::new();
        for node in sight.tree {
            for child in &node.children {
                parents.insert(child, &node.id);
            }
        }
        let window = sight.tree.first().and_then(Place::of).unwrap_or(Place {
            left: 0.0,
            top: 0.0,
            right: f64::from(sight.shot.size.width) / sight.scale,
            bottom: f64::from(sight.shot.size.height) / sight.scale,
        });
        // Options of an open list lie over everything, and are no part of their box in the drawing.
        let boxes = sight.tree.iter().filter(|node| node.role == "comboBox");
        let options: BTreeSet<&str> = boxes.flat_map(|node| &node.children).map(String::as_str).collect();
        let drawn = sight.tree.iter().filter(|node| options.contains(node.id.as_str()) && !has(node, "offscreen"));
        let popup = drawn.filter_map(Place::of).reduce(|a, b| Place {
            left: a.left.min(b.left),
            top: a.top.min(b.top),
            right: a.right.max(b.right),
            bottom: a.bottom.max(b.bottom),
        });
        let modal = sight.tree.iter().find(|node| has(node, "modal")).map(|node| node.id.as_str());
        let nodes = sight.tree.iter().skip(1).filter(|node| !has(node, "offscreen")).filter_map(|node| {
            let ancestors: BTreeSet<&str> =
                std::iter::successors(parents.get(node.id.as_str()), |id| parents.get(*id)).copied().collect();
            // What lies behind a dialog is not to be read now.
            if modal.is_some_and(|modal| modal != node.id && !ancestors.contains(modal)) {
                return None;
            }
            let option = options.contains(node.id.as_str());
            if !option && popup.is_some_and(|popup| Place::of(node).and_then(|place| place.common(popup)).is_some()) {
                return None;
            }
            // What a list has scrolled away is not to be seen.
            let clips = ancestors.iter().filter_map(|id| by_id.get(id)).filter(|node| node.role != "comboBox");
            let place =
                clips.filter_map(|node| Place::of(node)).try_fold(Place::of(node)?.common(window)?, Place::common)?;
            let inner = node.children.iter().filter_map(|id| by_id.get(id.as_str()));
            let says = |node: &FlatNode| !node.name.trim().is_empty() || !node.value.trim().is_empty();
            let words = node.role == "label" || is_pressed(node);
            let is_text = words && says(node) && !inner.clone().any(|child| child.role == "label" && says(child));
            Some(Visible { node, place, is_text, says: says(node), ancestors })
        });
        Self { sight, window, nodes: nodes.collect() }
    }

    /// The pixels of a place, row by row.
    fn pixels(&self, place: Place) -> impl Iterator<Item = [u8; 3]> {
        let (size, scale) = (self.sight.shot.size, self.sight.scale);
        let pixel = |logical: f64, most: u32| ((logical * scale).round().max(0.0) as u32).min(most);
        let (left, right) = (pixel(place.left, size.width), pixel(place.right, size.width));
        let (top, bottom) = (pixel(place.top, size.height), pixel(place.bottom, size.height));
        let rgba = &self.sight.shot.rgba;
        (top..bottom).flat_map(move |y| {
            let row = (y * size.width) as usize;
            let pixels = &rgba[(row + left as usize) * 4..(row + right.max(left) as usize) * 4];
            pixels.as_chunks::<4>().0.iter().map(|[r, g, b, _]| [*r, *g, *b])
        })
    }

    fn undrawn(&self, seen: &Visible<'_>) -> Option<String> {
        // Of what is scrolled half away, the empty half may be left.
        if Place::of(seen.node) != Some(seen.place) {
            return None;
        }
        let mut pixels = self.pixels(seen.place);
        let first = pixels.next()?;
        // A list without rows is a list all the same.
        let list = ["list", "log", "listBox"].contains(&seen.node.role.as_str());
        let empty = !list && seen.node.children.is_empty() && !seen.node.name.is_empty() || seen.is_text;
        (empty && pixels.all(|pixel| pixel == first))
            .then(|| format!("{} is in the tree and nothing is drawn at its place", called(seen.node)))
    }

    fn outside(&self, seen: &Visible<'_>) -> Option<String> {
        let place = Place::of(seen.node)?;
        let beyond = |outer: Place| place.left < outer.left - SLACK || place.right > outer.right + SLACK;
        if beyond(self.window) {
            return Some(format!("{} goes beyond the window's side", called(seen.node)));
        }
        let parent = self.sight.tree.iter().find(|node| node.children.contains(&seen.node.id))?;
        if parent.role == "comboBox" {
            return None;
        }
        beyond(Place::of(parent)?).then(|| format!("{} goes beyond the side of {}", called(seen.node), called(parent)))
    }

    /// The colour most of a place has, and the one that stands out most from it.
    fn colours(&self, place: Place) -> Option<([u8; 3], f32)> {
        let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        for pixel in self.pixels(place) {
            *counts.entry(pixel).or_default() += 1;
        }
        let ground = counts.iter().max_by_key(|(_, count)| **count).map(|(colour, _)| *colour)?;
        let best = counts.keys().map(|colour| ratio(*colour, ground)).fold(1.0, f32::max);
        Some((ground, best))
    }

    fn illegible(&self, seen: &Visible<'_>) -> Option<String> {
        if Place::of(seen.node) != Some(seen.place) {
            return None;
        }
        // The edge of a button is no text.
        let inside = if seen.node.role == "label" { seen.place } else { seen.place.inset(4.0) };
        if has(seen.node, "disabled") || self.is_in_disabled(seen) || inside.width() < 4.0 || inside.height() < 10.0 {
            return None;
        }
        let (_, best) = self.colours(inside)?;
        (best < self.sight.contrast).then(|| {
            format!("{} is drawn with a contrast of {best:.1}, less than {}", called(seen.node), self.sight.contrast)
        })
    }

    fn is_in_disabled(&self, seen: &Visible<'_>) -> bool {
        self.sight.tree.iter().any(|node| has(node, "disabled") && seen.ancestors.contains(node.id.as_str()))
    }

    /// A text whose letters go on where its place ends has too little room.
    fn cut(&self, seen: &Visible<'_>) -> Option<String> {
        let whole = Place::of(seen.node)?;
        if seen.node.role != "label" || whole.width() < 8.0 || whole != seen.place {
            return None;
        }
        let (ground, _) = self.colours(seen.place)?;
        let edge = 1.0 / self.sight.scale;
        let beside = Place { left: seen.place.right, right: seen.place.right + 4.0 * edge, ..seen.place };
        let below = Place { top: seen.place.bottom, bottom: seen.place.bottom + edge, ..seen.place };
        let goes_on = |place: Place| {
            let others = self.nodes.iter().filter(|other| other.says && other.node.id != seen.node.id);
            let mut others = others.filter(|other| !seen.ancestors.contains(other.node.id.as_str()));
            if others.any(|other| other.place.common(place).is_some()) {
                return false;
            }
            let strong = self.pixels(place).filter(|pixel| ratio(*pixel, ground) > 3.0).count();
            // A straight line is the edge of something.
            strong > 2 && strong * 10 < self.pixels(place).count() * 2
        };
        (goes_on(beside) || goes_on(below)).then(|| format!("{} has more words than room", called(seen.node)))
    }

    fn overlaps(&self) -> Vec<String> {
        let mut found = Vec::new();
        let texts: Vec<&Visible<'_>> = self.nodes.iter().filter(|seen| seen.is_text && !self.floats(seen)).collect();
        for (index, one) in texts.iter().enumerate() {
            for other in &texts[index + 1..] {
                if one.ancestors.contains(other.node.id.as_str()) || other.ancestors.contains(one.node.id.as_str()) {
                    continue;
                }
                let common = one.place.common(other.place);
                if common.is_some_and(|common| common.width() > SLACK && common.height() > SLACK) {
                    found.push(format!("{} and {} lie on each other", called(one.node), called(other.node)));
                }
            }
        }
        found
    }

    /// The composer keeps its place in every state: all of it is in the window.
    fn squeezed(&self) -> Vec<String> {
        let own = self.sight.tree.iter().filter(|node| node.id.starts_with(ALWAYS));
        let outside = own.filter(|node| Place::of(node).is_none_or(|place| place.common(self.window) != Some(place)));
        outside.map(|node| format!("{} is not wholly in the window", called(node))).collect()
    }

    fn floats(&self, seen: &Visible<'_>) -> bool {
        let above = |id: &str| FLOATS.contains(&id);
        above(&seen.node.id) || seen.ancestors.iter().any(|id| above(id))
    }
}

/// WCAG contrast of two colours, 1 to 21.
pub fn ratio(a: [u8; 3], b: [u8; 3]) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(colour: [u8; 3]) -> f32 {
    let [r, g, b] = colour.map(|part| {
        let part = f32::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The stops of the Tab key in the order they came, each with its place in the reading order of its moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The node's id.
    pub id: String,
    /// Role and name.
    pub called: String,
    /// Whether it comes later in the tree than the stop before it.
    pub onward: bool,
}

/// The stops from the first in the window, and what is wrong with their order: reading order means that one goes back
/// to the beginning exactly once in a round.
pub fn tab_order(mut stops: Vec<Stop>) -> (Vec<String>, Option<String>) {
    if let Some(first) = stops.iter().position(|stop| !stop.onward) {
        stops.rotate_left(first);
    }
    let back: Vec<&str> = stops.iter().skip(1).filter(|stop| !stop.onward).map(|stop| stop.called.as_str()).collect();
    let wrong = (!back.is_empty()).then(|| format!("Tab goes against the reading order to {}", back.join(", ")));
    (stops.into_iter().map(|stop| stop.called).collect(), wrong)
}

/// Controls that the Tab key does not reach. Inside of a list the arrow keys move: its rows and what is in them count
/// as reached when the list is.
pub fn unreached(tree: &[FlatNode], stops: &[Stop]) -> Vec<String> {
    let reached: BTreeSet<&str> = stops.iter().map(|stop| stop.id.as_str()).collect();
    let mut inside: BTreeSet<&str> = BTreeSet::new();
    let modal = tree.iter().find(|node| has(node, "modal")).map(|node| node.id.as_str());
    let mut dialog: BTreeSet<&str> = modal.into_iter().collect();
    for node in tree {
        let list = ["list", "log", "listBox", "comboBox"].contains(&node.role.as_str());
        if list || inside.contains(node.id.as_str()) {
            inside.extend(node.children.iter().map(String::as_str));
        }
        if dialog.contains(node.id.as_str()) {
            dialog.extend(node.children.iter().map(String::as_str));
        }
    }
    tree.iter()
        .filter(|node| is_pressed(node) || node.actions.contains(&"setValue") && !has(node, "disabled"))
        .filter(|node| modal.is_none() || dialog.contains(node.id.as_str()))
        .filter(|node| !reached.contains(node.id.as_str()) && !inside.contains(node.id.as_str()))
        .map(|node| format!("{} is not reached by Tab", called(node)))
        .collect()
}
