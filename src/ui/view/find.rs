//! The find bar above the history.

use iced::Alignment;
use iced::widget::row;

use super::kit::{self, GAP, INSET};
use crate::ui::Message;
use crate::ui::message::Local;
use crate::ui::theme::style;
use crate::ui::widget::{self, Element, Look};
use crate::ui::window::Find;

/// The field's id.
pub const FIELD: &str = "find-field";

/// The bar; it says that only what is loaded is searched.
pub fn view<'a>(id: iced::window::Id, find: &'a Find) -> Element<'a, Message> {
    let some = !find.matches.is_empty();
    let step = |next| some.then_some(Message::Local(id, Local::FindStep(next)));
    let field = widget::text_field(FIELD, "Find in the loaded part", find.query.as_str(), move |query| {
        Message::Local(id, Local::Find(query))
    })
    .role(widget::Role::SearchInput)
    .placeholder("Find in the loaded part")
    .on_step(move |down| Message::Local(id, Local::FindStep(down)))
    .on_submit(Message::Local(id, Local::FindStep(true)))
    .width(200);
    let words = count(find);
    let controls: [Element<'a, Message>; 5] = [
        field.into(),
        kit::button("find-previous", "Previous", Look::Flat, step(false)).shortcut("Shift+F3").into(),
        kit::button("find-next", "Next", Look::Flat, step(true)).shortcut("F3").into(),
        kit::flat("find-close", "Close", Message::Local(id, Local::FindClose)),
        kit::status("find-count", words.clone(), kit::small(words)),
    ];
    let line = row(controls).spacing(GAP).align_y(Alignment::Center).wrap();
    kit::group("find", "Find", kit::full(line).padding([4.0, INSET]).style(style::panel))
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
