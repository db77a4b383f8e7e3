//! Layout: from the anchor row down and up until the view and its surroundings are filled.

use super::state::{Ask, BAR, PARKED, Parked, Placed, State, Unfocus};
use super::{Built, History, HistoryView};
use crate::a11y::Access;
use crate::ui::widget::Renderer;
use iced::advanced::widget::Tree;
use iced::advanced::{Layout, layout};
use iced::{Point, Size};
use std::collections::{BTreeMap, VecDeque};

/// Rows are kept ready this far above and below the view, in pixels.
const OVERSCAN: f32 = 300.0;

/// Where to begin placing.
enum Start {
    /// The row's top at this place.
    Top(usize, f32),
    /// The row's bottom at this place.
    Bottom(usize, f32),
}

struct Row<'a, M> {
    y: f32,
    height: f32,
    built: Built<'a, M>,
    placed: Placed,
    tree: Tree,
}

/// What earlier layouts left over, by key.
struct Reuse<'a, M> {
    elements: BTreeMap<u64, Built<'a, M>>,
    placed: BTreeMap<u64, (Placed, Tree)>,
}

impl<'a, M: Clone + 'a> History<'a, M> {
    pub(super) fn place(&mut self, tree: &mut Tree, renderer: &Renderer, size: Size) -> layout::Node {
        let Tree { state, children, .. } = tree;
        let state = state.downcast_mut::<State>();
        let mut reuse = Reuse {
            elements: self.visible.drain(..).map(|built| (built.row.key, built)).collect(),
            placed: state.placed.drain(..).zip(children.drain(..)).map(|(p, t)| (p.row.key, (p, t))).collect(),
        };
        if state.width != size.width || state.epoch != self.epoch {
            state.forget_layout();
            // Same trees, but every row is measured again.
            for (placed, _) in reuse.placed.values_mut() {
                placed.node = layout::Node::new(Size::INFINITE);
            }
            (state.width, state.epoch) = (size.width, self.epoch);
        }
        state.viewport = size.height;
        state.built = 0;
        if self.rows.is_empty() {
            state.ask = None;
            state.anchor = None;
            state.view = None;
            return layout::Node::new(size);
        }
        let asked = state.ask.take();
        let start = self.start(state, asked, &reuse);
        let rows = self.fill(state, start, &mut reuse, renderer, size);
        self.settle(state, asked, &rows, size);
        for (_, (placed, tree)) in std::mem::take(&mut reuse.placed) {
            state.parked.push_back(Parked { placed, tree });
        }
        while state.parked.len() > PARKED {
            state.parked.pop_front();
        }
        let mut nodes = Vec::with_capacity(rows.len());
        for row in rows {
            nodes.push(row.placed.node.clone().move_to(Point::new(0.0, row.y)));
            state.placed.push(row.placed);
            children.push(row.tree);
            self.visible.push(row.built);
        }
        layout::Node::with_children(size, nodes)
    }

    fn start(&self, state: &mut State, asked: Option<Ask>, reuse: &Reuse<'a, M>) -> Start {
        let end = Start::Bottom(self.rows.len() - 1, state.viewport);
        let here = match state.anchor {
            Some((key, y)) => Some((state.find(self.rows, key).unwrap_or(state.index.min(self.rows.len() - 1)), y)),
            None => None,
        };
        let followed = if self.follow { end } else { Start::Top(0, 0.0) };
        let stay = match here {
            Some((index, y)) if !(state.at_end && self.follow) => Start::Top(index, y),
            _ => followed,
        };
        let (index, y) = here.unwrap_or((0, 0.0));
        match asked {
            None => stay,
            Some(Ask::End) => Start::Bottom(self.rows.len() - 1, state.viewport),
            Some(Ask::By(by)) => Start::Top(index, (y - by).round()),
            Some(Ask::Page(on)) => {
                let by = (state.viewport - 40.0).max(40.0).round();
                Start::Top(index, if on { y - by } else { y + by })
            }
            Some(Ask::Offset(offset)) => {
                let (index, y) = state.at_offset(self.rows, offset);
                Start::Top(index, y)
            }
            Some(Ask::Top(key)) => match state.find(self.rows, key) {
                Some(index) => {
                    state.active = Some(key);
                    Start::Top(index, 0.0)
                }
                None => stay,
            },
            Some(Ask::Reveal(key)) => match state.find(self.rows, key) {
                Some(to) => {
                    state.active = Some(key);
                    self.show(to, (index, y), state, reuse).unwrap_or(stay)
                }
                None => stay,
            },
            Some(Ask::Show(to)) => self.show(to, (index, y), state, reuse).unwrap_or(stay),
        }
    }

    /// The least move that shows a row; `None` when it is in sight already.
    fn show(&self, to: usize, here: (usize, f32), state: &State, reuse: &Reuse<'a, M>) -> Option<Start> {
        let (index, y) = here;
        let height = |i: usize| {
            let placed = reuse.placed.get(&self.rows[i].key).filter(|(placed, _)| placed.row == self.rows[i]);
            placed.map(|(placed, _)| self.outer(placed.node.size().height)).filter(|height| height.is_finite())
        };
        if to < index {
            return Some(Start::Top(to, 0.0));
        }
        let mut top = y;
        for i in index..to {
            match height(i) {
                Some(height) => top += height,
                None => return Some(Start::Bottom(to, state.viewport)),
            }
        }
        let Some(height) = height(to) else { return Some(Start::Bottom(to, state.viewport)) };
        if top < 0.0 || height > state.viewport {
            return (top != 0.0).then_some(Start::Top(to, 0.0));
        }
        (top + height > state.viewport).then_some(Start::Bottom(to, state.viewport))
    }

    /// Height with spacing, on whole pixels.
    fn outer(&self, height: f32) -> f32 {
        (height + self.spacing).ceil()
    }

    fn fill(
        &self,
        state: &mut State,
        start: Start,
        reuse: &mut Reuse<'a, M>,
        renderer: &Renderer,
        size: Size,
    ) -> VecDeque<Row<'a, M>> {
        let count = self.rows.len();
        let (first, mut top) = match start {
            Start::Top(index, y) => {
                let row = self.measure(index, state, reuse, renderer);
                (row, y)
            }
            Start::Bottom(index, y) => {
                let row = self.measure(index, state, reuse, renderer);
                let top = y - row.height;
                // A row taller than the view is read from its start, except at the very end.
                let top = if index + 1 < count { top.max(0.0) } else { top };
                (row, top)
            }
        };
        let (mut low, mut high) = (first.built.index, first.built.index + 1);
        let mut bottom = top + first.height;
        let mut rows = VecDeque::from([Row { y: top, ..first }]);
        while high < count && bottom < size.height + OVERSCAN {
            let row = self.measure(high, state, reuse, renderer);
            let y = bottom;
            bottom += row.height;
            rows.push_back(Row { y, ..row });
            high += 1;
        }
        let mut up = |rows: &mut VecDeque<Row<'a, M>>, top: &mut f32, state: &mut State, until: f32| {
            while low > 0 && *top > until {
                low -= 1;
                let row = self.measure(low, state, reuse, renderer);
                *top -= row.height;
                rows.push_front(Row { y: *top, ..row });
            }
            low
        };
        // No empty space below the last row, nor above the first.
        let gap = if high == count { (size.height - bottom).max(0.0) } else { 0.0 };
        let low = up(&mut rows, &mut top, state, -OVERSCAN - gap);
        let mut shift = gap;
        if low == 0 && top + shift > 0.0 {
            shift = -top;
        }
        for row in &mut rows {
            row.y += shift;
        }
        let mut bottom = bottom + shift;
        while high < count && bottom < size.height + OVERSCAN {
            let row = self.measure(high, state, reuse, renderer);
            let y = bottom;
            bottom += row.height;
            rows.push_back(Row { y, ..row });
            high += 1;
        }
        state.at_end = high == count && bottom <= size.height;
        state.older = low == 0;
        state.newer = high == count;
        park_outside(state, &mut rows, size.height);
        rows
    }

    /// Builds (or takes over) one row and lays it out when it is new.
    fn measure(&self, index: usize, state: &mut State, reuse: &mut Reuse<'a, M>, renderer: &Renderer) -> Row<'a, M> {
        let row = self.rows[index];
        let (built, fresh) = match reuse.elements.remove(&row.key) {
            Some(built) if built.row == row => (Built { index, ..built }, false),
            _ => {
                state.built += 1;
                (Built { index, row, element: (self.build)(index) }, true)
            }
        };
        let mut built = built;
        let mut parked = || {
            let at = state.parked.iter().position(|parked| parked.placed.row.key == row.key)?;
            state.parked.remove(at)
        };
        let (known, back) = match reuse.placed.remove(&row.key) {
            Some(known) => (Some(known), false),
            None => (parked().map(|parked| (parked.placed, parked.tree)), true),
        };
        let (mut tree, node, access) = match known {
            Some((placed, mut tree)) => {
                if fresh {
                    tree.diff(&built.element);
                }
                let valid = placed.row == row && placed.node.size().height.is_finite();
                (tree, valid.then_some(placed.node), placed.access)
            }
            None => (Tree::new(&built.element), None, Access::default()),
        };
        let limits = layout::Limits::new(Size::ZERO, Size::new((state.width - BAR).max(0.0), f32::INFINITY));
        let node = node.unwrap_or_else(|| built.element.as_widget_mut().layout(&mut tree, renderer, &limits));
        if back {
            // Focus does not come back from out of sight: it went elsewhere meanwhile.
            built.element.as_widget_mut().operate(&mut tree, Layout::new(&node), renderer, &mut Unfocus);
        }
        let height = self.outer(node.size().height);
        state.learn(row.key, height);
        Row { y: 0.0, height, built, placed: Placed { row, node, access }, tree }
    }

    /// The new anchor, what is in sight, and the active row where the wish moves it.
    fn settle(&self, state: &mut State, asked: Option<Ask>, rows: &VecDeque<Row<'a, M>>, size: Size) {
        let in_sight = |row: &&Row<'a, M>| row.y + row.height > 0.0 && row.y < size.height;
        let (Some(first), Some(last)) = (rows.iter().find(in_sight), rows.iter().rfind(in_sight)) else { return };
        state.anchor = Some((first.built.row.key, first.y));
        state.index = first.built.index;
        if let Some(Ask::Page(on)) = asked {
            let whole = |row: &&Row<'a, M>| row.y >= 0.0 && row.y + row.height <= size.height;
            let to = match on {
                true => rows.iter().rfind(whole).filter(|_| state.at_end || last.height < size.height).unwrap_or(last),
                false => rows.iter().find(whole).unwrap_or(first),
            };
            state.active = Some(to.built.row.key);
        }
        let (first, last) = (first.built.row.key, last.built.row.key);
        state.view = Some(HistoryView { first, last, at_end: state.at_end, active: state.active, focused: false });
    }
}

fn park_outside<M>(state: &mut State, rows: &mut VecDeque<Row<'_, M>>, height: f32) {
    let mut park = |row: Row<'_, M>| state.parked.push_back(Parked { placed: row.placed, tree: row.tree });
    while rows.len() > 1 && rows.front().is_some_and(|row| row.y + row.height < -OVERSCAN) {
        if let Some(row) = rows.pop_front() {
            park(row);
        }
    }
    while rows.len() > 1 && rows.back().is_some_and(|row| row.y > height + OVERSCAN) {
        if let Some(row) = rows.pop_back() {
            park(row);
        }
    }
}
