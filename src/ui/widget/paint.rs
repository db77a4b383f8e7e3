//! What controls draw: the focus ring and the dashed edge of what cannot be pressed.

use super::Renderer;
use crate::ui::theme::Theme;
use iced::advanced::Renderer as _;
use iced::advanced::renderer::Quad;
use iced::{Background, Border, Color, Rectangle};

/// Length of a dash and of the gap after it.
const DASH: f32 = 3.0;

pub(super) fn fill(renderer: &mut Renderer, bounds: Rectangle, color: Color, border: Border) {
    renderer.fill_quad(Quad { bounds, border, ..Quad::default() }, Background::Color(color));
}

/// Two-tone and inside the bounds: no scrollable clips it, and one of the tones contrasts with any fill.
pub(super) fn focus_ring(renderer: &mut Renderer, theme: &Theme, bounds: Rectangle) {
    let (tokens, metric) = (theme.tokens(), theme.metric());
    let ring = |color, width, radius: f32| Border { color, width, radius: radius.max(0.0).into() };
    let outer = ring(tokens.focus, metric.focus_width, metric.radius);
    fill(renderer, bounds, Color::TRANSPARENT, outer);
    let inner = ring(tokens.focus_gap, 1.0, metric.radius - metric.focus_width);
    fill(renderer, bounds.shrink(metric.focus_width), Color::TRANSPARENT, inner);
}

/// A dashed rectangle: the edge of a control that does nothing now, told apart without colour.
pub(super) fn dashes(renderer: &mut Renderer, bounds: Rectangle, color: Color, width: f32) {
    let width = width.max(1.0);
    let mut dash = |x, y, width, height| {
        fill(renderer, Rectangle { x, y, width, height }, color, Border::default());
    };
    let (right, bottom) = (bounds.x + bounds.width, bounds.y + bounds.height);
    let mut x = bounds.x + DASH;
    while x < right - DASH {
        let length = DASH.min(right - DASH - x);
        dash(x, bounds.y, length, width);
        dash(x, bottom - width, length, width);
        x += 2.0 * DASH;
    }
    let mut y = bounds.y + DASH;
    while y < bottom - DASH {
        let length = DASH.min(bottom - DASH - y);
        dash(bounds.x, y, width, length);
        dash(right - width, y, width, length);
        y += 2.0 * DASH;
    }
}
