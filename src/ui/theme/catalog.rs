//! How stock widgets look: one `Catalog` for each that the program uses.
//!
//! A class is a closure over the theme, so `.style(|theme| ..)` of the stock widgets works as with iced's own theme.

use iced::widget::{checkbox, container, rule, scrollable, text, text_editor, text_input};
use iced::{Border, Color, Shadow};

use super::{Theme, style};

macro_rules! catalog {
    ($module:ident, $default:expr) => {
        impl $module::Catalog for Theme {
            type Class<'a> = Box<dyn Fn(&Theme) -> $module::Style + 'a>;

            fn default<'a>() -> Self::Class<'a> {
                Box::new($default)
            }

            fn style(&self, class: &Self::Class<'_>) -> $module::Style {
                class(self)
            }
        }
    };
    ($module:ident by status, $default:expr) => {
        impl $module::Catalog for Theme {
            type Class<'a> = Box<dyn Fn(&Theme, $module::Status) -> $module::Style + 'a>;

            fn default<'a>() -> Self::Class<'a> {
                Box::new($default)
            }

            fn style(&self, class: &Self::Class<'_>, status: $module::Status) -> $module::Style {
                class(self, status)
            }
        }
    };
}

catalog!(text, |_| text::Style::default());
catalog!(container, |_| container::Style::default());
catalog!(rule, style::separator);
catalog!(scrollable by status, scroll_bars);
catalog!(text_input by status, input);
catalog!(text_editor by status, editor);
catalog!(checkbox by status, check);

impl iced_selection::text::Catalog for Theme {
    type Class<'a> = Box<dyn Fn(&Theme) -> iced_selection::text::Style + 'a>;

    fn default<'a>() -> Self::Class<'a> {
        Box::new(|theme| iced_selection::text::Style { color: None, selection: theme.tokens().selection })
    }

    fn style(&self, class: &Self::Class<'_>) -> iced_selection::text::Style {
        class(self)
    }
}

fn scroll_bars(theme: &Theme, status: scrollable::Status) -> scrollable::Style {
    let tokens = theme.tokens();
    let (horizontal, vertical) = match status {
        scrollable::Status::Active { .. } => (false, false),
        scrollable::Status::Hovered { is_horizontal_scrollbar_hovered, is_vertical_scrollbar_hovered, .. } => {
            (is_horizontal_scrollbar_hovered, is_vertical_scrollbar_hovered)
        }
        scrollable::Status::Dragged { is_horizontal_scrollbar_dragged, is_vertical_scrollbar_dragged, .. } => {
            (is_horizontal_scrollbar_dragged, is_vertical_scrollbar_dragged)
        }
    };
    let rail = |touched: bool| scrollable::Rail {
        background: None,
        border: Border::default(),
        scroller: scrollable::Scroller {
            background: if touched { tokens.text } else { tokens.part }.into(),
            border: Border { radius: theme.metric().radius.min(3.0).into(), ..Border::default() },
        },
    };
    scrollable::Style {
        container: container::Style::default(),
        vertical_rail: rail(vertical),
        horizontal_rail: rail(horizontal),
        gap: None,
        auto_scroll: scrollable::AutoScroll {
            background: tokens.card.into(),
            border: style::edge(theme, tokens.part),
            shadow: Shadow::default(),
            icon: tokens.text,
        },
    }
}

fn input(theme: &Theme, status: text_input::Status) -> text_input::Style {
    let tokens = theme.tokens();
    let disabled = matches!(status, text_input::Status::Disabled);
    text_input::Style {
        background: if disabled { tokens.panel } else { tokens.card }.into(),
        border: field(theme, matches!(status, text_input::Status::Focused { .. })),
        icon: tokens.dim,
        placeholder: tokens.dim,
        value: if disabled { tokens.dim } else { tokens.text },
        selection: tokens.selection,
    }
}

fn editor(theme: &Theme, status: text_editor::Status) -> text_editor::Style {
    let tokens = theme.tokens();
    let disabled = matches!(status, text_editor::Status::Disabled);
    text_editor::Style {
        background: if disabled { tokens.panel } else { tokens.card }.into(),
        border: field(theme, matches!(status, text_editor::Status::Focused { .. })),
        placeholder: tokens.dim,
        value: if disabled { tokens.dim } else { tokens.text },
        selection: tokens.selection,
    }
}

/// The edge of a field: where it is, and whether keys go there.
fn field(theme: &Theme, focused: bool) -> Border {
    let (tokens, metric) = (theme.tokens(), theme.metric());
    let (color, width) = if focused { (tokens.focus, metric.focus_width) } else { (tokens.part, metric.border_width) };
    Border { color, width, radius: metric.radius.into() }
}

fn check(theme: &Theme, status: checkbox::Status) -> checkbox::Style {
    let tokens = theme.tokens();
    let (checked, disabled) = match status {
        checkbox::Status::Active { is_checked } | checkbox::Status::Hovered { is_checked } => (is_checked, false),
        checkbox::Status::Disabled { is_checked } => (is_checked, true),
    };
    let fill: Color = match (checked, disabled) {
        (true, false) => tokens.accent,
        (true, true) => tokens.part,
        (false, _) => tokens.card,
    };
    checkbox::Style {
        background: fill.into(),
        icon_color: if disabled { tokens.card } else { tokens.accent_text },
        border: Border {
            color: if checked { fill } else { tokens.part },
            width: theme.metric().border_width,
            radius: theme.metric().radius.min(4.0).into(),
        },
        text_color: Some(if disabled { tokens.dim } else { tokens.text }),
    }
}
