//! Named looks: the surfaces and text colours that pages use, instead of colours.
//!
//! `container(content).style(style::card)`, `text("..").style(style::dim)`.

use iced::widget::{container, rule, text};
use iced::{Background, Border, Color};

use super::Theme;

/// What a banner or a notice says, apart from its words and icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A fact.
    Plain,
    /// Something went well.
    Ok,
    /// Something needs attention.
    Warn,
    /// Something failed, or is not known.
    Bad,
}

impl Kind {
    /// The colour of the banner's icon and bold words.
    pub fn ink(self, theme: &Theme) -> Color {
        let tokens = theme.tokens();
        match self {
            Self::Plain => tokens.text,
            Self::Ok => tokens.ok,
            Self::Warn => tokens.warn,
            Self::Bad => tokens.bad,
        }
    }

    /// What the banner is drawn on.
    pub fn fill(self, theme: &Theme) -> Color {
        let tokens = theme.tokens();
        match self {
            Self::Plain | Self::Ok => tokens.panel,
            Self::Warn => tokens.warn_bg,
            Self::Bad => tokens.bad_bg,
        }
    }

    /// The colour of the banner's edge.
    pub fn line(self, theme: &Theme) -> Color {
        let tokens = theme.tokens();
        match self {
            Self::Plain | Self::Ok => tokens.line,
            Self::Warn => tokens.warn_line,
            Self::Bad => tokens.bad,
        }
    }
}

/// An edge as wide and round as the theme says.
pub fn edge(theme: &Theme, color: Color) -> Border {
    Border { color, width: theme.metric().border_width, radius: theme.metric().radius.into() }
}

fn surface(theme: &Theme, fill: Color, border: Border) -> container::Style {
    container::Style {
        text_color: Some(theme.tokens().text),
        background: Some(Background::Color(fill)),
        border,
        ..container::Style::default()
    }
}

/// The window's ground.
pub fn ground(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().background, Border::default())
}

/// A bar, the picker, the composer's surroundings: no edge of its own, a [`separator`] stands beside it.
pub fn panel(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().panel, Border::default())
}

/// A quiet card.
pub fn card(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().card, edge(theme, theme.tokens().line))
}

/// A floating layer: a dialog, a menu, the picker over the page.
pub fn layer(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().card, edge(theme, theme.tokens().part))
}

/// A banner across the window: no edge of its own, a rule of [`Kind::line`] stands below it.
pub fn banner(kind: Kind) -> impl Fn(&Theme) -> container::Style + Copy {
    move |theme| surface(theme, kind.fill(theme), Border::default())
}

/// The line below a banner.
pub fn banner_line(kind: Kind) -> impl Fn(&Theme) -> rule::Style + Copy {
    move |theme| line(kind.line(theme))
}

/// A card that says something: the kept draft, an unknown outcome, a request.
pub fn notice(kind: Kind) -> impl Fn(&Theme) -> container::Style + Copy {
    move |theme| {
        let fill = if kind == Kind::Bad { theme.tokens().bad_bg } else { theme.tokens().card };
        surface(theme, fill, edge(theme, kind.line(theme)))
    }
}

/// Code, commands and their output.
pub fn code(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().code, edge(theme, theme.tokens().line))
}

/// A short word with an edge: a state, a badge.
pub fn tag(theme: &Theme) -> container::Style {
    let border = Border { radius: theme.metric().radius.min(4.0).into(), ..edge(theme, theme.tokens().part) };
    container::Style { text_color: Some(theme.tokens().dim), border, ..container::Style::default() }
}

/// The bar at the left of a quotation; fill a container of 3 px with it.
pub fn quote(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().part, Border::default())
}

/// The bar at the left of text kept from before a loss; fill a container of 3 px with it.
pub fn hole(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().warn_line, Border::default())
}

/// A field drawn by us around a stock input: its edge shows where it is.
pub fn field(theme: &Theme) -> container::Style {
    surface(theme, theme.tokens().card, edge(theme, theme.tokens().part))
}

/// A row of a list to choose from: the open one is a card with an edge, the active one has a frame.
pub fn choice(theme: &Theme, open: bool, active: bool) -> container::Style {
    let tokens = theme.tokens();
    let border = Border {
        color: if active { tokens.accent } else { Color::TRANSPARENT },
        width: 2.0,
        radius: theme.metric().radius.into(),
    };
    container::Style {
        background: open.then(|| tokens.card.into()),
        text_color: Some(if open { tokens.accent } else { tokens.text }),
        border,
        ..container::Style::default()
    }
}

/// What darkens the page behind a dialog; in high contrast the page stays as it is and the dialog has an edge.
pub fn scrim(theme: &Theme) -> container::Style {
    let alpha = if theme.is_high_contrast() { 0.0 } else { 0.4 };
    container::Style {
        background: Some(Background::Color(Color { a: alpha, ..Color::BLACK })),
        ..container::Style::default()
    }
}

/// The default rule: separates, means nothing.
pub fn separator(theme: &Theme) -> rule::Style {
    line(theme.tokens().line)
}

fn line(color: Color) -> rule::Style {
    rule::Style { color, radius: 0.0.into(), fill_mode: rule::FillMode::Full, snap: true }
}

macro_rules! ink {
    ($($(#[$doc:meta])* $name:ident: $token:ident;)*) => {
        $($(#[$doc])* pub fn $name(theme: &Theme) -> text::Style {
            text::Style { color: Some(theme.tokens().$token) }
        })*
    };
}

ink! {
    /// Ordinary text, where the surroundings have another colour.
    plain: text;
    /// Secondary text.
    dim: dim;
    /// The accent: the user's own name, a flat button.
    accent: accent;
    /// Text on the accent.
    on_accent: accent_text;
    /// A warning's words and icon.
    warn: warn;
    /// A failure's words and icon.
    bad: bad;
    /// A success's words and icon.
    ok: ok;
    /// A link; underline it too.
    link: link;
}

/// The words and icon of a banner.
pub fn ink(kind: Kind) -> impl Fn(&Theme) -> text::Style + Copy {
    move |theme| text::Style { color: Some(kind.ink(theme)) }
}
