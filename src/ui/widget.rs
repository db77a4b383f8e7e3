//! Controls that everybody can use, on stock iced: keyboard, visible focus, names, states and actions for assistive
//! technology (DESIGN 11).
//!
//! Every control takes a [`Key`]: stable over frames and unique in the window. [`root()`] wraps the whole view. Keep
//! the shape of the tree constant (`stack![page, maybe_dialog]`), or iced drops focus, scrolling and selection.

mod accessible;
mod choice;
mod editor;
mod elide;
mod field;
mod focus;
mod history;
mod paint;
mod press;
mod root;
mod select;
mod selectable;

#[cfg(test)]
mod harness;

pub use crate::a11y::{Bridge, Key, Live, Role};
pub use accessible::{Accessible, accessible, dialog, group, heading, live, pane};
pub use choice::{radio, toggle};
pub use editor::{Editor, editor};
pub use elide::{OneLine, one_line};
pub use field::{TextField, text_field};
pub use focus::focus;
pub use history::{EDGE, Edge, History, HistoryView, RowKey, history_list, jump_to_end, reveal, scroll_to};
pub use press::{Look, Pressable, button, pressable};
pub use root::root;
pub use select::{Select, select};
pub use selectable::{Span, plain, rich};

use crate::ui::theme::Theme;

pub type Renderer = iced::Renderer;
pub type Element<'a, M> = iced::Element<'a, M, Theme, Renderer>;

/// Height of one line of text in controls, in logical pixels (whole, so that nothing is drawn between pixels).
pub const LINE: f32 = 20.0;
/// Size of text in controls.
pub const SIZE: f32 = 14.0;
/// Least height of a control.
pub const CONTROL: f32 = 32.0;
/// Least height of a pointer target inside a line (WCAG 2.5.8).
pub const TARGET: f32 = 24.0;

/// Text of a control, on whole pixels.
pub(crate) fn caption<'a>(text: impl iced::widget::text::IntoFragment<'a>) -> iced::widget::Text<'a, Theme, Renderer> {
    iced::widget::Text::new(text).size(SIZE).line_height(iced::Pixels(LINE))
}
