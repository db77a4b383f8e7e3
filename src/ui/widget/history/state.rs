//! Where the list is, what it remembers of its rows, and where the scroll bar's thumb belongs.

use super::HistoryView;
use crate::a11y::{Access, Key};
use crate::ui::widget::focus::{Focus, operate};
use iced::advanced::widget::operation::scrollable::{AbsoluteOffset, RelativeOffset};
use iced::advanced::widget::operation::{Focusable, Operation, Scrollable};
use iced::advanced::widget::{Id, Tree};
use iced::advanced::{Shell, layout};
use iced::{Event, Point, Rectangle, touch};
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};

/// Identity and revision of a row; a row with the same two never looks different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowKey {
    /// Stable and unique within the list.
    pub key: u64,
    /// Raised whenever the row's content changes.
    pub rev: u64,
}

/// Width kept free for the scroll bar.
pub(super) const BAR: f32 = 12.0;
/// Least height of the thumb.
const THUMB: f32 = 24.0;
/// Rows out of sight whose widget state (selection, expanded parts) is kept.
pub(super) const PARKED: usize = 200;
/// Height of a row nobody has seen yet, when none was seen.
const GUESS: f32 = 60.0;
/// A finger that moved less still taps.
const SLOP: f32 = 8.0;

/// A wish about the scroll position, granted by the next layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ask {
    /// Pixels towards the end.
    By(f32),
    /// Make the row of this index visible, moving as little as possible.
    Show(usize),
    /// The row of this key at the top, and active.
    Top(u64),
    /// The row of this key visible with the least move, and active.
    Reveal(u64),
    /// One page on (`true`) or back; the active row goes along.
    Page(bool),
    /// This many pixels before the view, by estimate (the scroll bar).
    Offset(f32),
    End,
}

/// How [`Ask`]s of tasks reach the widget.
pub(super) struct Asked(pub Option<Ask>);

pub(super) fn ask<M: Send + 'static>(list: Key, ask: Ask) -> iced::Task<M> {
    struct Deliver(Id, Ask);
    impl<T> Operation<T> for Deliver {
        fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation<T>)) {
            operate(self);
        }
        fn custom(&mut self, id: Option<&Id>, _: Rectangle, state: &mut dyn Any) {
            if id == Some(&self.0)
                && let Some(asked) = state.downcast_mut::<Asked>()
            {
                asked.0 = Some(self.1);
            }
        }
    }
    operate(Deliver(list.id(), ask))
}

/// A row that was placed by the last layout.
pub(super) struct Placed {
    pub row: RowKey,
    /// At the origin; moved when placed.
    pub node: layout::Node,
    pub access: Access,
}

/// A row out of sight.
pub(super) struct Parked {
    pub placed: Placed,
    pub tree: Tree,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Finger {
    id: touch::Finger,
    start: Point,
    last: f32,
    scrolling: bool,
}

pub(super) struct State {
    pub width: f32,
    pub epoch: u64,
    pub viewport: f32,
    /// The first row in sight and its whole-pixel place in the view.
    pub anchor: Option<(u64, f32)>,
    /// Last known index of the anchor; where to look when it vanished.
    pub index: usize,
    pub at_end: bool,
    pub placed: Vec<Placed>,
    pub parked: VecDeque<Parked>,
    heights: BTreeMap<u64, f32>,
    sum: f32,
    pub focus: Focus,
    pub active: Option<u64>,
    pub ask: Option<Ask>,
    pub older: bool,
    pub newer: bool,
    pub sent_edge: Option<(super::Edge, usize, u64)>,
    pub view: Option<HistoryView>,
    pub sent_view: Option<HistoryView>,
    /// Distance from the thumb's top to the pointer that drags it.
    pub drag: Option<f32>,
    pub finger: Option<Finger>,
    /// Rows built by the last layout.
    pub built: usize,
}

impl State {
    pub(super) fn new(follow: bool) -> Self {
        Self {
            width: 0.0,
            epoch: 0,
            viewport: 0.0,
            anchor: None,
            index: 0,
            at_end: follow,
            placed: Vec::new(),
            parked: VecDeque::new(),
            heights: BTreeMap::new(),
            sum: 0.0,
            focus: Focus::None,
            active: None,
            ask: None,
            older: false,
            newer: false,
            sent_edge: None,
            view: None,
            sent_view: None,
            drag: None,
            finger: None,
            built: 0,
        }
    }

    pub(super) fn has_ask(&self) -> bool {
        self.ask.is_some()
    }

    pub(super) fn shows_ring(&self, key: u64) -> bool {
        self.focus.is_visible() && self.active == Some(key)
    }

    /// Later wishes add up with earlier ones where they can.
    pub(super) fn ask(&mut self, ask: Ask) {
        self.ask = Some(match (self.ask, ask) {
            (Some(Ask::By(before)), Ask::By(more)) => Ask::By(before + more),
            (_, ask) => ask,
        });
    }

    pub(super) fn forget_layout(&mut self) {
        self.heights.clear();
        self.sum = 0.0;
        self.parked.clear();
    }

    pub(super) fn learn(&mut self, key: u64, height: f32) {
        self.sum += height - self.heights.insert(key, height).unwrap_or(0.0);
    }

    fn height(&self, row: &RowKey) -> f32 {
        self.heights.get(&row.key).copied().unwrap_or_else(|| self.average())
    }

    fn average(&self) -> f32 {
        if self.heights.is_empty() { GUESS } else { (self.sum / self.heights.len() as f32).round().max(1.0) }
    }

    pub(super) fn find(&self, rows: &[RowKey], key: u64) -> Option<usize> {
        match rows.get(self.index) {
            Some(row) if row.key == key => Some(self.index),
            _ => rows.iter().position(|row| row.key == key),
        }
    }

    /// The row (index) and its place when `offset` pixels of rows are before the view.
    pub(super) fn at_offset(&self, rows: &[RowKey], offset: f32) -> (usize, f32) {
        let mut before = 0.0;
        for (index, row) in rows.iter().enumerate() {
            let height = self.height(row);
            if before + height > offset {
                return (index, (before - offset).round());
            }
            before += height;
        }
        (rows.len().saturating_sub(1), 0.0)
    }

    /// Estimated pixels of all rows, and of those before the view.
    pub(super) fn extent(&self, rows: &[RowKey]) -> (f32, f32) {
        let total: f32 = rows.iter().map(|row| self.height(row)).sum();
        let anchor = self.anchor.and_then(|(key, y)| self.find(rows, key).map(|index| (index, y)));
        let before = anchor.map_or(0.0, |(index, y)| rows[..index].iter().map(|row| self.height(row)).sum::<f32>() - y);
        (total, before)
    }

    /// `None` when everything is in sight.
    pub(super) fn thumb(&self, rows: &[RowKey], bounds: Rectangle) -> Option<Rectangle> {
        let (total, before) = self.extent(rows);
        let hidden = total - bounds.height;
        if hidden < 1.0 {
            return None;
        }
        let height = (bounds.height * bounds.height / total).max(THUMB).min(bounds.height).round();
        let part = if self.at_end { 1.0 } else { (before / hidden).clamp(0.0, 1.0) };
        let y = (bounds.y + part * (bounds.height - height)).round();
        Some(Rectangle { x: bounds.x + bounds.width - BAR + 3.0, y, width: BAR - 6.0, height })
    }

    /// Scrolls with a finger. Once it scrolls, the rows see the finger as lost, so that it does not press anything.
    pub(super) fn touch<M>(&mut self, event: &Event, bounds: Rectangle, shell: &mut Shell<'_, M>) -> Event {
        let mut passed = event.clone();
        match *event {
            Event::Touch(touch::Event::FingerPressed { id, position }) if bounds.contains(position) => {
                self.finger = Some(Finger { id, start: position, last: position.y, scrolling: false });
            }
            Event::Touch(touch::Event::FingerMoved { id, position }) => {
                if let Some(finger) = self.finger.as_mut().filter(|finger| finger.id == id) {
                    if !finger.scrolling && (position.y - finger.start.y).abs() > SLOP {
                        finger.scrolling = true;
                        passed = Event::Touch(touch::Event::FingerLost { id, position });
                    }
                    let by = finger.last - position.y;
                    if finger.scrolling {
                        finger.last = position.y;
                        self.ask(Ask::By(by));
                        shell.capture_event();
                    }
                }
            }
            Event::Touch(touch::Event::FingerLifted { id, position } | touch::Event::FingerLost { id, position }) => {
                if let Some(finger) = self.finger.take_if(|finger| finger.id == id)
                    && finger.scrolling
                {
                    passed = Event::Touch(touch::Event::FingerLost { id, position });
                }
            }
            _ => {}
        }
        passed
    }
}

impl Scrollable for State {
    fn snap_to(&mut self, offset: RelativeOffset<Option<f32>>) {
        match offset.y {
            Some(y) if y >= 1.0 => self.ask(Ask::End),
            Some(_) => self.ask(Ask::Offset(0.0)),
            None => {}
        }
    }

    fn scroll_to(&mut self, offset: AbsoluteOffset<Option<f32>>) {
        if let Some(y) = offset.y {
            self.ask(Ask::Offset(y));
        }
    }

    fn scroll_by(&mut self, offset: AbsoluteOffset, _: Rectangle, _: Rectangle) {
        self.ask(Ask::By(offset.y));
    }
}

/// Takes focus from everything in a row.
pub(super) struct Unfocus;

impl Operation for Unfocus {
    fn traverse(&mut self, operate: &mut dyn FnMut(&mut dyn Operation)) {
        operate(self);
    }

    fn focusable(&mut self, _: Option<&Id>, _: Rectangle, state: &mut dyn Focusable) {
        state.unfocus();
    }
}
