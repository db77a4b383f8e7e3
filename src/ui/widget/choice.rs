//! Check boxes and radio buttons: pressable rows with a drawn mark.

use super::{Element, Look, Pressable, Renderer, caption, pressable};
use crate::a11y::{Key, Role, Toggled};
use crate::ui::icons;
use crate::ui::theme::Theme;
use iced::widget::{Container, Row, Text, container};
use iced::{Alignment, Border};

/// A check box with its label; pressing it asks for the opposite value.
pub fn toggle<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    on: bool,
    message: impl FnOnce(bool) -> M,
) -> Pressable<'a, M> {
    marked(key.into(), Role::CheckBox, label.into(), on).on_press(message(!on))
}

/// One of several radio buttons; put them into a [`super::group`] with a name.
pub fn radio<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    label: impl Into<String>,
    chosen: bool,
    message: M,
) -> Pressable<'a, M> {
    marked(key.into(), Role::RadioButton, label.into(), chosen).on_press(message)
}

fn marked<'a, M: Clone + 'a>(key: Key, role: Role, label: String, on: bool) -> Pressable<'a, M> {
    let round = role == Role::RadioButton;
    let sign: Element<'a, M> = match (on, round) {
        (true, true) => Container::new(Text::<Theme, Renderer>::new("")).width(8).height(8).style(dot).into(),
        (true, false) => Text::new(icons::CHECK.to_string())
            .font(iced::Font::with_name(icons::FAMILY))
            .size(16)
            .line_height(iced::Pixels(18.0))
            .into(),
        (false, _) => Text::new("").into(),
    };
    let mark = Container::new(sign).center(18).style(move |theme: &Theme| {
        let (tokens, metric) = (theme.tokens(), theme.metric());
        let radius = if round { 9.0 } else { metric.radius.min(4.0) };
        container::Style {
            background: Some(tokens.card.into()),
            border: Border { color: tokens.part, width: metric.border_width, radius: radius.into() },
            ..container::Style::default()
        }
    });
    let row = Row::new().push(mark).push(caption(label.clone())).spacing(8).align_y(Alignment::Center);
    pressable(key, role, label, row).look(Look::Row).padding([6, 4]).node(|node| {
        node.set_toggled(if on { Toggled::True } else { Toggled::False });
    })
}

fn dot(theme: &Theme) -> container::Style {
    container::Style {
        background: Some(theme.tokens().text.into()),
        border: Border { radius: 4.0.into(), ..Border::default() },
        ..container::Style::default()
    }
}
