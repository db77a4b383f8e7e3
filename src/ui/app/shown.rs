//! The engine's view values as of the last step: what the pages draw.

use crate::base::Instant;
use crate::engine::view::{Composer, Conversation, ConversationKey, Picker, Review, SendState};
use crate::ui::rows::{Part, part_key};
use crate::ui::widget::RowKey;
use crate::ui::window::Window;

use super::App;

/// Snapshots of the engine, refreshed after every step.
pub struct Shown {
    pub picker: Picker,
    /// Parallel to the picker's rows.
    pub picker_keys: Vec<RowKey>,
    /// Minutes since 1970 when the keys were made: rows tell how long ago.
    pub picker_minute: i64,
    pub conversation: Option<Conversation>,
    pub composer: Composer,
    pub composer_key: Option<ConversationKey>,
    pub other_reviews: Vec<Review>,
    pub row_keys: Vec<RowKey>,
    /// Parallel to the row keys.
    pub parts: Vec<Part>,
    /// Raised when every row must be built again (theme, text size).
    pub look: u64,
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            picker: Picker::default(),
            picker_keys: Vec::new(),
            picker_minute: 0,
            conversation: None,
            composer: Composer {
                text: String::new(),
                send: SendState::Cannot(String::new()),
                placeholder: String::new(),
            },
            composer_key: None,
            other_reviews: Vec::new(),
            row_keys: Vec::new(),
            parts: Vec::new(),
            look: 0,
        }
    }
}

impl App {
    /// Takes new snapshots, and gives every window an editor for the open conversation.
    pub(super) fn refresh(&mut self) {
        self.alarm += 1;
        if self.stamp != self.engine.stamp() {
            // Another owner: its conversations' editors hold nothing of this one.
            self.stamp = self.engine.stamp();
            for window in self.windows.values_mut() {
                window.editors.retain(|key, _| *key == crate::engine::OFFLINE);
                // The new list is not searched yet.
                window.search.clear();
            }
        }
        let picker = self.engine.picker();
        let changed = self.shown.picker != *picker;
        if changed {
            self.shown.picker = picker.clone();
        }
        self.refresh_picker(changed);
        self.shown.conversation = self.engine.conversation();
        self.shown.other_reviews = self.engine.other_reviews();
        let key = match &self.shown.conversation {
            Some(open) => {
                self.shown.composer = open.composer.clone();
                open.key.clone()
            }
            None => {
                self.shown.composer = self.engine.offline_composer();
                if self.is_connected() {
                    self.shown.composer.placeholder = "Message".to_owned();
                }
                crate::engine::OFFLINE
            }
        };
        for window in self.windows.values_mut() {
            if !window.editors.contains_key(&key) {
                let text = self.engine.composer_text(&key);
                window.editors.entry(key.clone()).or_default().content =
                    iced::widget::text_editor::Content::with_text(text);
            }
        }
        self.shown.composer_key = Some(key);
        self.refresh_cards();
        self.refresh_rows();
    }

    fn refresh_cards(&mut self) {
        let now: Instant = self.now.instant;
        let open: Vec<_> =
            self.shown.conversation.iter().flat_map(|open| &open.cards).map(|card| card.request.clone()).collect();
        self.cards.retain(|request, _| open.contains(request));
        for request in open {
            self.cards.entry(request).or_insert(now);
        }
    }

    /// The rows' keys, part by part, with what changes a row beside its own revision: folds, theme, text size.
    pub(super) fn refresh_rows(&mut self) {
        let unfolded = |key: u64| self.windows.values().any(|window: &Window| window.unfolded.contains(&key));
        self.shown.row_keys.clear();
        self.shown.parts.clear();
        let rows = self.shown.conversation.as_ref().map_or(&[][..], |open| open.history.rows.as_slice());
        self.parsed.retain(rows);
        for (index, row) in rows.iter().enumerate() {
            let unfolded = u64::from(unfolded(part_key(row.key, 0)));
            let revs = self.parsed.parts(row);
            for (part, rev) in revs.iter().enumerate() {
                self.shown.row_keys.push(RowKey { key: part_key(row.key, part), rev: u64::from(*rev) * 2 + unfolded });
                self.shown.parts.push(Part { row: index, part, of: revs.len() });
            }
        }
    }
}
