//! The find bar above the history.

use iced::widget::{column, container, row};
use iced::{Alignment, Length};

use super::kit::{self, GAP, INSET, TIGHT};
use crate::ui::Message;
use crate::ui::message::Local;
use crate::ui::theme::style;
use crate::ui::widget::{self, Element, Look};
use crate::ui::window::Find;

/// The field's id.
pub const FIELD: &str = "find-field";

/// The bar; it says that only what is loaded is searched.
pub fn view<'a>(id: iced::window::Id, find: &'a Find, wide: bool) -> Element<'a, Message> {
    let some = !find.matches.is_empty();
    let step = |next| some.then_some(Message::Local(id, Local::FindStep(next)));
    let field = widget::text_field(FIELD, "Find in the loaded part", find.query.as_str(), move |query| {
        Message::Local(id, Local::Find(query))
    })
    .role(widget::Role::SearchInput)
    .placeholder("Find in the loaded part")
    .on_step(move |down| Message::Local(id, Local::FindStep(down)))
    .on_submit(Message::Local(id, Local::FindStep(true)))
    .on_submit_back(Message::Local(id, Local::FindStep(false)))
    .width(Length::Fill);
    let words = count(find);
    let previous = kit::button("find-previous", "Previous", Look::Flat, step(false)).shortcut("Shift+F3");
    let next = kit::button("find-next", "Next", Look::Flat, step(true)).shortcut("F3");
    let close = kit::flat("find-close", "Close", Message::Local(id, Local::FindClose));
    let said = kit::status("find-count", words.clone(), kit::small(words));
    let steps = row![Element::from(previous), Element::from(next)].spacing(TIGHT).align_y(Alignment::Center);
    let field = container(Element::from(field)).max_width(240);
    let content: Element<'a, Message> = if wide {
        row![field, steps, said, kit::grow(), close].spacing(GAP).align_y(Alignment::Center).into()
    } else {
        // Closing stays in the corner; the count stands before what it counts for.
        column![
            row![field.max_width(f32::INFINITY), close].spacing(GAP).align_y(Alignment::Center),
            row![said, kit::grow(), steps].spacing(GAP).align_y(Alignment::Center),
        ]
        .spacing(2)
        .into()
    };
    let bar = kit::full(content).padding([4.0, INSET]).style(style::panel);
    kit::group("find", "Find", column![bar, kit::line()])
}

/// "2 of 5 in the loaded part".
pub fn count(find: &Find) -> String {
    let at = find.at.and_then(|at| find.matches.iter().position(|row| *row == at));
    match (find.query.is_empty(), at) {
        (true, _) => String::new(),
        (false, Some(at)) => format!("{} of {} in the loaded part", at + 1, find.matches.len()),
        (false, None) => "Not in the loaded part".to_owned(),
    }
}
