//! Kinds of conversations by their history (DESIGN 5 "by kind"), each told in words.

use super::{FetchError, History};
use crate::base::ThreadId;
use crate::protocol::Thread;
use crate::protocol::request::{ItemsListResponse, TurnsListResponse};
use crate::protocol::thread::HistoryMode;

/// The conversation on the server, as far as its history depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) id: ThreadId,
    pub(super) legacy: bool,
    pub(super) ephemeral: bool,
    /// Its description says that something was written: a preview, or it is a fork.
    pub(super) written: bool,
}

impl Subject {
    pub(super) fn of(thread: &Thread) -> Self {
        Self {
            id: thread.id.clone(),
            legacy: thread.history_mode == HistoryMode::Legacy,
            ephemeral: thread.ephemeral,
            written: !thread.preview.is_empty() || thread.forked_from_id.is_some(),
        }
    }
}

/// What the newest read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Pages, or an error that says nothing about the kind.
    Pages,
    /// Turns, but no pages of items.
    Legacy,
    Ephemeral,
    NotPersisted,
    Gone,
}

impl Found {
    /// Reads the answers: -32601 means "not for this thread" (FACTS S3, 5.5).
    pub(super) fn from_answers(
        turns: Option<&Result<TurnsListResponse, FetchError>>,
        items: Option<&Result<ItemsListResponse, FetchError>>,
    ) -> Self {
        let not_for_this = |error: &FetchError| matches!(error, FetchError::Rejected { code: -32601, .. });
        match turns {
            Some(Err(error)) if not_for_this(error) => Self::NotPersisted,
            Some(Err(FetchError::Rejected { code: -32600, message })) => {
                if message.contains("ephemeral") {
                    Self::Ephemeral
                } else if ["thread not loaded", "thread not found", "no rollout found"]
                    .iter()
                    .any(|words| message.contains(words))
                {
                    Self::Gone
                } else {
                    Self::Pages
                }
            }
            Some(Ok(page)) => match items {
                Some(Err(error)) if not_for_this(error) && page.data.is_empty() => Self::NotPersisted,
                Some(Err(error)) if not_for_this(error) => Self::Legacy,
                Some(_) | None => Self::Pages,
            },
            Some(Err(_)) | None => Self::Pages,
        }
    }
}

impl History {
    pub(super) fn is_legacy(&self) -> bool {
        self.subject.as_ref().is_some_and(|subject| subject.legacy)
    }

    pub(super) fn set_legacy(&mut self) {
        if let Some(subject) = &mut self.subject {
            subject.legacy = true;
        }
    }

    /// The kind as a sentence, when it needs saying.
    pub(super) fn kind_words(&self) -> Option<&'static str> {
        let subject = self.subject.as_ref()?;
        let empty = self.turns.is_empty() && self.tail.is_empty() && self.echoes.is_empty();
        if subject.ephemeral || self.found == Some(Found::Ephemeral) {
            return Some("This conversation keeps no history.");
        }
        match self.found? {
            Found::Gone => Some("This conversation no longer exists on the server."),
            Found::NotPersisted if empty => Some("No messages yet."),
            Found::Pages if empty && subject.written => Some("Not indexed yet; Join builds the index."),
            Found::Pages if empty => Some("No messages yet."),
            Found::Pages | Found::Legacy if subject.legacy => {
                Some("An old conversation: commands are not part of its history.")
            }
            Found::Pages | Found::Legacy | Found::NotPersisted | Found::Ephemeral => None,
        }
    }
}
