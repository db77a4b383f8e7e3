//! A virtual list for long histories: only the rows in sight exist, and what is read never moves.
//!
//! The scroll position is a row and its place on the screen, so rows that come, grow or go elsewhere move nothing;
//! only a view that is at the end follows the end. A row is laid out once per (key, revision, width, epoch): raise the
//! revision when its content changes. One Tab stop: arrows, Page Up/Down, Home and End move the active row; Tab goes on
//! to the controls inside it. The picker uses the same widget with [`History::from_top`].

mod input;
mod operate;
mod place;
mod state;

pub use state::RowKey;

use super::paint::{fill, focus_ring};
use super::{Element, Renderer};
use crate::a11y::{Key, Role};
use crate::ui::theme::Theme;
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Renderer as _, Shell, Widget, layout, mouse, overlay, renderer};
use iced::{Border, Event, Length, Rectangle, Size, Vector};
use state::{Ask, State};

/// Free room for a row's frame on its left; the scroll bar's is on the other side.
pub const EDGE: f32 = 6.0;

/// Which end of the list came near.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Older,
    Newer,
}

/// What of the list is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryView {
    /// Keys of the first and last row in sight.
    pub first: u64,
    pub last: u64,
    /// The end is in sight and will be followed.
    pub at_end: bool,
    /// Key of the row that keys act on.
    pub active: Option<u64>,
    /// The list has the focus.
    pub focused: bool,
}

/// See [`history_list`].
pub struct History<'a, M> {
    key: Key,
    label: String,
    rows: &'a [RowKey],
    build: Box<dyn Fn(usize) -> Element<'a, M> + 'a>,
    row_label: Box<dyn Fn(usize) -> String + 'a>,
    row_selected: Option<Box<dyn Fn(usize) -> bool + 'a>>,
    on_edge: Option<Box<dyn Fn(Edge) -> M + 'a>>,
    on_view: Option<Box<dyn Fn(HistoryView) -> M + 'a>>,
    on_activate: Option<Box<dyn Fn(u64) -> M + 'a>>,
    on_copy: Option<Box<dyn Fn(u64) -> M + 'a>>,
    on_type: Option<Box<dyn Fn(String) -> M + 'a>>,
    roles: (Role, Role),
    epoch: u64,
    spacing: f32,
    follow: bool,
    click_activates: bool,
    /// The rows that exist now, parallel to the tree's children.
    visible: Vec<Built<'a, M>>,
}

struct Built<'a, M> {
    index: usize,
    row: RowKey,
    element: Element<'a, M>,
}

/// A list of `rows`, oldest first, built one by one with `build(index)`. Starts at its end.
pub fn history_list<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    rows: &'a [RowKey],
    build: impl Fn(usize) -> Element<'a, M> + 'a,
) -> History<'a, M> {
    History {
        key: key.into(),
        label: label.into(),
        rows,
        build: Box::new(build),
        row_label: Box::new(|_| String::new()),
        row_selected: None,
        on_edge: None,
        on_view: None,
        on_activate: None,
        on_copy: None,
        on_type: None,
        roles: (Role::Log, Role::Article),
        epoch: 0,
        spacing: 0.0,
        follow: true,
        click_activates: false,
        visible: Vec::new(),
    }
}

/// Shows the end of the list and follows it from then on.
pub fn jump_to_end<M: Send + 'static>(list: impl Into<Key>) -> iced::Task<M> {
    state::ask(list.into(), Ask::End)
}

/// Shows the row of this key at the top and makes it the active one; nothing when there is no such row.
pub fn scroll_to<M: Send + 'static>(list: impl Into<Key>, row: u64) -> iced::Task<M> {
    state::ask(list.into(), Ask::Top(row))
}

/// Shows the row of this key with the least move and makes it the active one; the focus stays where it is.
pub fn reveal<M: Send + 'static>(list: impl Into<Key>, row: u64) -> iced::Task<M> {
    state::ask(list.into(), Ask::Reveal(row))
}

impl<'a, M: Clone + 'a> History<'a, M> {
    /// The accessible name of a row (who and when, first words); its content is read after it.
    pub fn row_label(mut self, label: impl Fn(usize) -> String + 'a) -> Self {
        self.row_label = Box::new(label);
        self
    }

    /// Which row is the current one (pickers).
    pub fn row_selected(mut self, selected: impl Fn(usize) -> bool + 'a) -> Self {
        self.row_selected = Some(Box::new(selected));
        self
    }

    /// An end came near; once until the list changes.
    pub fn on_edge(mut self, message: impl Fn(Edge) -> M + 'a) -> Self {
        self.on_edge = Some(Box::new(message));
        self
    }

    /// What is in sight changed, or the active row.
    pub fn on_view(mut self, message: impl Fn(HistoryView) -> M + 'a) -> Self {
        self.on_view = Some(Box::new(message));
        self
    }

    /// Enter (or an assistive technology's click) on the active row, by its key.
    pub fn on_activate(mut self, message: impl Fn(u64) -> M + 'a) -> Self {
        self.on_activate = Some(Box::new(message));
        self
    }

    /// Ctrl+C on the active row, by its key, where no text is selected.
    pub fn on_copy(mut self, message: impl Fn(u64) -> M + 'a) -> Self {
        self.on_copy = Some(Box::new(message));
        self
    }

    /// Text typed while a row has the focus (pickers: it goes on in the search field).
    pub fn on_type(mut self, message: impl Fn(String) -> M + 'a) -> Self {
        self.on_type = Some(Box::new(message));
        self
    }

    /// A pointer click activates too (pickers).
    pub fn click_activates(mut self) -> Self {
        self.click_activates = true;
        self
    }

    /// Roles of the list and of its rows; a log of articles otherwise.
    pub fn roles(mut self, list: Role, row: Role) -> Self {
        self.roles = (list, row);
        self
    }

    /// Everything else that rows look like: text size, theme. A new epoch lays all rows out again, in place.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = epoch;
        self
    }

    /// Whole pixels between rows.
    pub fn spacing(mut self, spacing: u16) -> Self {
        self.spacing = f32::from(spacing);
        self
    }

    /// Starts at its top and does not follow its end (pickers).
    pub fn from_top(mut self) -> Self {
        self.follow = false;
        self
    }
}

impl<'a, M: Clone + 'a> Widget<M, Theme, Renderer> for History<'a, M> {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::new(self.follow))
    }

    fn diff(&self, _: &mut Tree) {
        // Rows are reconciled by key in `layout`, where they are built.
    }

    fn size(&self) -> Size<Length> {
        Size::new(Length::Fill, Length::Fill)
    }

    fn layout(&mut self, tree: &mut Tree, renderer: &Renderer, limits: &layout::Limits) -> layout::Node {
        self.place(tree, renderer, limits.max())
    }

    fn operate(&mut self, tree: &mut Tree, layout: Layout<'_>, renderer: &Renderer, operation: &mut dyn Operation) {
        self.describe(tree, layout, renderer, operation);
    }

    fn update(
        &mut self,
        tree: &mut Tree,
        event: &Event,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        renderer: &Renderer,
        clipboard: &mut dyn Clipboard,
        shell: &mut Shell<'_, M>,
        viewport: &Rectangle,
    ) {
        let bounds = layout.bounds();
        let state = tree.state.downcast_mut::<State>();
        let event = &state.touch(event, bounds, shell);
        let grabbed = self.scrollbar(state, event, bounds, cursor, shell);
        if !grabbed {
            let inner = if cursor.is_over(bounds) { cursor } else { mouse::Cursor::Unavailable };
            let clip = bounds.intersection(viewport).unwrap_or(bounds);
            for ((row, tree), layout) in self.visible.iter_mut().zip(&mut tree.children).zip(layout.children()) {
                row.element.as_widget_mut().update(tree, event, layout, inner, renderer, clipboard, shell, &clip);
            }
        }
        let state = tree.state.downcast_mut::<State>();
        self.input(state, event, layout, cursor, shell);
        if state.has_ask() {
            shell.invalidate_layout();
            shell.request_redraw();
        }
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        style: &renderer::Style,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        let bounds = layout.bounds();
        let Some(clip) = bounds.intersection(viewport) else { return };
        let state = tree.state.downcast_ref::<State>();
        renderer.with_layer(clip, |renderer| {
            for ((row, tree), layout) in self.visible.iter().zip(&tree.children).zip(layout.children()) {
                if !layout.bounds().intersects(&clip) {
                    continue;
                }
                row.element.as_widget().draw(tree, renderer, theme, style, layout, cursor, &clip);
                if state.shows_ring(row.row.key)
                    && let Some(ring) = layout.bounds().intersection(&bounds)
                {
                    let ring = Rectangle { x: ring.x + EDGE, width: ring.width - EDGE, ..ring };
                    focus_ring(renderer, theme, ring);
                }
            }
        });
        if let Some(thumb) = state.thumb(self.rows, bounds) {
            renderer.with_layer(clip, |renderer| {
                let radius = Border { radius: theme.metric().radius.min(4.0).into(), ..Border::default() };
                fill(renderer, thumb, theme.tokens().part, radius);
            });
        }
    }

    fn mouse_interaction(
        &self,
        tree: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
        renderer: &Renderer,
    ) -> mouse::Interaction {
        if !cursor.is_over(layout.bounds()) {
            return mouse::Interaction::None;
        }
        let rows = self.visible.iter().zip(&tree.children).zip(layout.children());
        rows.map(|((row, tree), layout)| {
            row.element.as_widget().mouse_interaction(tree, layout, cursor, viewport, renderer)
        })
        .max()
        .unwrap_or_default()
    }

    fn overlay<'b>(
        &'b mut self,
        tree: &'b mut Tree,
        layout: Layout<'b>,
        renderer: &Renderer,
        viewport: &Rectangle,
        translation: Vector,
    ) -> Option<overlay::Element<'b, M, Theme, Renderer>> {
        let rows = self.visible.iter_mut().zip(&mut tree.children).zip(layout.children());
        let overlays: Vec<_> = rows
            .filter_map(|((row, tree), layout)| {
                row.element.as_widget_mut().overlay(tree, layout, renderer, viewport, translation)
            })
            .collect();
        (!overlays.is_empty()).then(|| overlay::Group::with_children(overlays).overlay())
    }
}

impl<'a, M: Clone + 'a> From<History<'a, M>> for Element<'a, M> {
    fn from(history: History<'a, M>) -> Self {
        Self::new(history)
    }
}
