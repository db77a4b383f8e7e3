//! Drafts across connections: frozen with their owner, restored by the user alone (DESIGN 4).

use super::conversation::Conv;
use super::input::{Focus, Output};
use super::ledger;
use super::view::{AccountView, Comparison, ConversationKey, Draft, OpState, Origin};
use super::{Engine, OFFLINE, words};
use crate::protocol::Account;

impl Engine {
    /// The composer of a conversation whose owner ended becomes a draft.
    pub(super) fn freeze(&mut self, key: ConversationKey, conv: Conv, origin: Origin) {
        let title = conv.title();
        let chosen = conv.settings.chosen;
        self.drafts.freeze(Draft {
            id: 0,
            text: conv.composer,
            conversation: key,
            title,
            connection: words::place(self.profile.as_ref()),
            origin,
            model: chosen.model,
            effort: chosen.effort,
            preedit: conv.preedit,
            at: self.now.unix_ms,
        });
    }

    /// What was typed while not connected becomes one more draft when the next generation begins.
    pub(super) fn freeze_offline(&mut self) {
        let text = std::mem::take(&mut self.offline);
        if text.is_empty() {
            return;
        }
        let origin = Origin { account: words::ACCOUNT_NONE.to_owned(), ..self.origin() };
        self.drafts.freeze(Draft {
            id: 0,
            text,
            conversation: OFFLINE,
            title: words::TYPED_OFFLINE.to_owned(),
            connection: words::place(self.profile.as_ref()),
            origin,
            model: None,
            effort: None,
            preedit: None,
            at: self.now.unix_ms,
        });
        self.out(Output::ComposerReplaced { conversation: OFFLINE, text: String::new() });
    }

    /// The connection as it is compared.
    pub(super) fn origin(&self) -> Origin {
        let account = match &self.owner.account.view {
            AccountView::Unknown => words::ACCOUNT_NONE.to_owned(),
            AccountView::NotNeeded => "no account needed".to_owned(),
            AccountView::NotSignedIn => "not signed in".to_owned(),
            AccountView::SignedIn(Account::Chatgpt { email: Some(email), .. }) => words::short(email),
            AccountView::SignedIn(_) => "account not identified".to_owned(),
        };
        let profile = self.profile.as_ref();
        Origin {
            profile: profile.map_or_else(|| "no profile".to_owned(), |profile| profile.name.clone()),
            endpoint: profile.map_or_else(String::new, |profile| words::endpoint(&profile.target)),
            account,
            root: profile
                .and_then(|profile| profile.cwd.clone())
                .unwrap_or_else(|| "the server's own directory".to_owned()),
        }
    }

    /// The account is known: old and new can be compared.
    fn is_comparable(&self) -> bool {
        self.owner.server.is_some() && self.owner.account.fingerprint.is_some()
    }

    fn is_confirmed(&self) -> bool {
        self.confirmed.is_some() && self.confirmed == self.partition.current()
    }

    /// Old and new connection side by side; `None` while no draft waits.
    pub fn comparison(&self) -> Option<Comparison> {
        let mut old: Vec<Origin> = self.drafts.all().iter().map(|draft| draft.origin.clone()).collect();
        old.sort();
        old.dedup();
        if old.is_empty() {
            return None;
        }
        let new = self.is_comparable().then(|| self.origin());
        let differences = new.iter().flat_map(|new| old.iter().flat_map(|old| words::differences(old, new)));
        let mut differences: Vec<String> = differences.collect();
        differences.sort();
        differences.dedup();
        Some(Comparison { old, differences, confirmed: self.is_confirmed(), new })
    }

    /// One press for the living connection; the next one asks again.
    pub(super) fn confirm_connection(&mut self) {
        if !self.is_comparable() {
            return self.announce(false, words::CANNOT_CONFIRM);
        }
        self.confirmed = self.partition.current();
        self.announce(false, self.restore_refused().unwrap_or(words::CONFIRMED));
    }

    /// Why a draft cannot be restored now: the connection is not confirmed, nothing is selected, or text is there.
    pub fn restore_refused(&self) -> Option<&'static str> {
        let open = self.owner.open.as_ref().and_then(|key| self.owner.conversations.get(key));
        match open {
            _ if !self.is_comparable() => Some(words::CANNOT_CONFIRM),
            _ if !self.is_confirmed() => Some(words::CONFIRM_FIRST),
            None => Some(words::SELECT_FIRST),
            Some(conv) if conv.gone => Some(words::GONE),
            Some(conv) if !conv.composer.is_empty() => Some(words::COMPOSER_NOT_EMPTY),
            Some(_) => None,
        }
    }

    /// Copies a draft into the open conversation's composer and consumes it. Sends nothing.
    pub(super) fn restore_draft(&mut self, id: u64) {
        if let Some(why) = self.restore_refused() {
            return self.announce(false, why);
        }
        let Some(draft) = self.drafts.get(id).cloned() else { return };
        let Some(key) = self.owner.open.clone() else { return };
        let offered = |model: &String| self.owner.models.iter().any(|known| known.model == *model);
        let model = draft.model.clone().filter(offered);
        let lost_model = draft.model.is_some() && model.is_none();
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        conv.composer.clone_from(&draft.text);
        if model.is_some() {
            conv.settings.chosen.effort.clone_from(&draft.effort);
            conv.settings.chosen.model = model;
        }
        if lost_model {
            conv.note = Some(words::MODEL_NOT_OFFERED.to_owned());
        }
        self.drafts.discard(id);
        self.out(Output::ComposerReplaced { conversation: key, text: draft.text });
        self.out(Output::Focus(Focus::Composer));
        self.announce(false, words::RESTORED);
    }

    /// The operation with the same text whose fate is not known: sending the draft may run it twice.
    pub fn draft_twin(&self, draft: &Draft) -> bool {
        self.ledger.iter().any(|entry| is_unknown(entry) && entry.text.as_deref() == Some(draft.text.as_str()))
    }

    /// A draft with the text of this operation waits as well.
    pub(super) fn has_twin(&self, entry: &ledger::Entry) -> bool {
        is_unknown(entry) && self.drafts.all().iter().any(|draft| entry.text.as_deref() == Some(draft.text.as_str()))
    }
}

fn is_unknown(entry: &ledger::Entry) -> bool {
    matches!(entry.state, OpState::OutcomeUnknown(_))
}
