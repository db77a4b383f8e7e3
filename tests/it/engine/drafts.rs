//! Drafts across connections: frozen whole, restored by the user alone, never over text (DESIGN 4).

use rejoin::contract::{Event, FailureKind};
use rejoin::engine::view::ConversationKey;
use rejoin::engine::{Intent, OFFLINE};

use super::fake::{Fake, failure, profile};

const TEXT: &str = "  first\r\nsecond \u{202e}\u{0}\n\n";

/// Lost with a draft of `a`, connected again, nothing selected.
fn back_with_a_draft() -> (Fake, u64) {
    let mut fake = Fake::joined();
    fake.type_text(TEXT);
    fake.lose();
    fake.come_back();
    let id = fake.engine.drafts()[0].id;
    (fake, id)
}

#[test]
fn restore_needs_confirm_selection_and_its_own_press_in_either_order_and_sends_nothing() {
    for select_first in [true, false] {
        let (mut fake, id) = back_with_a_draft();
        let calls = fake.operations.len();
        assert!(fake.engine.restore_refused().unwrap().contains("Confirm connection"));
        fake.user(Intent::RestoreDraft(id));
        if select_first {
            fake.user(Intent::Open("b".into()));
            fake.serve();
            fake.user(Intent::RestoreDraft(id));
            assert_eq!(fake.composer(), "", "not confirmed");
            fake.user(Intent::ConfirmConnection);
        } else {
            fake.user(Intent::ConfirmConnection);
            fake.user(Intent::RestoreDraft(id));
            assert!(fake.engine.restore_refused().unwrap().contains("Choose the conversation"));
            fake.user(Intent::Open("b".into()));
            fake.serve();
        }
        assert_eq!(fake.engine.drafts().len(), 1, "nothing is restored by itself");
        assert_eq!(fake.composer(), "");
        fake.focus.clear();
        fake.user(Intent::RestoreDraft(id));
        assert_eq!(fake.composer(), TEXT);
        assert_eq!(fake.replaced.last().unwrap().1, TEXT);
        assert_eq!(fake.focus, [rejoin::engine::input::Focus::Composer]);
        assert!(fake.engine.drafts().is_empty(), "it is consumed");
        assert_eq!(fake.operations.len(), calls, "nothing was selected, joined or sent");
    }
}

#[test]
fn a_composer_with_text_is_never_overwritten_by_a_draft() {
    let (mut fake, id) = back_with_a_draft();
    fake.user(Intent::ConfirmConnection);
    fake.user(Intent::Open("a".into()));
    fake.serve();
    fake.type_text("new");
    fake.user(Intent::RestoreDraft(id));
    assert_eq!((fake.composer().as_str(), fake.engine.drafts().len()), ("new", 1));
    assert!(fake.engine.restore_refused().unwrap().contains("not empty"));
}

#[test]
fn confirmation_is_of_one_connection_and_shows_what_differs() {
    let (mut fake, id) = back_with_a_draft();
    let comparison = fake.engine.comparison().unwrap();
    assert_eq!((comparison.old.len(), comparison.confirmed), (1, false));
    assert!(comparison.differences.is_empty(), "{comparison:?}");
    fake.user(Intent::ConfirmConnection);
    assert!(fake.engine.comparison().unwrap().confirmed);
    fake.lose();
    let comparison = fake.engine.comparison().unwrap();
    assert!(comparison.new.is_none() && !comparison.confirmed);
    fake.user(Intent::ConfirmConnection);
    assert!(!fake.engine.comparison().unwrap().confirmed, "there is nothing to confirm");
    fake.user(Intent::Connect(profile("other")));
    fake.come_back();
    let comparison = fake.engine.comparison().unwrap();
    assert!(!comparison.confirmed);
    assert_eq!(comparison.differences, ["Another profile: it was demo, it is other."]);
    fake.user(Intent::Open("a".into()));
    fake.serve();
    fake.user(Intent::RestoreDraft(id));
    assert_eq!(fake.composer(), "");
}

#[test]
fn drafts_stay_as_they_are_through_attempts_and_episodes_and_a_later_loss_only_adds() {
    let mut fake = Fake::joined();
    fake.type_text(TEXT);
    fake.user(Intent::Open("b".into()));
    fake.type_text("for b");
    fake.user(Intent::SetModel { model: Some("m9".into()), effort: Some("high".into()) });
    fake.user(Intent::Composing { conversation: ConversationKey::Thread("b".into()), preedit: Some("にほ".into()) });
    fake.lose();
    let first = fake.engine.drafts().to_vec();
    assert_eq!(first.len(), 2);
    assert_eq!((first[0].title.as_str(), first[0].text.as_str()), ("about a", TEXT));
    assert_eq!((first[1].model.as_deref(), first[1].effort.as_deref()), (Some("m9"), Some("high")));
    assert_eq!(first[1].preedit.as_deref(), Some("にほ"));
    for _ in 0..4 {
        fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
        fake.user(Intent::TryNow);
        assert_eq!(fake.engine.drafts(), first);
    }
    fake.come_back();
    fake.user(Intent::Open("a".into()));
    fake.serve();
    fake.type_text("later");
    fake.lose();
    assert_eq!(&fake.engine.drafts()[..2], first);
    assert_eq!(fake.engine.drafts()[2].text, "later");
}

#[test]
fn typing_through_failed_attempts_is_one_draft_of_the_next_connection() {
    let mut fake = Fake::joined();
    fake.lose();
    for text in ["o", "on", "one"] {
        fake.user(Intent::Edit { conversation: OFFLINE, text: text.into() });
        fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
        fake.user(Intent::TryNow);
        assert_eq!(fake.engine.composer_text(&OFFLINE), text, "an attempt takes nothing away from the composer");
    }
    fake.come_back();
    let drafts: Vec<_> = fake.engine.drafts().iter().map(|draft| draft.text.as_str()).collect();
    assert_eq!(drafts, ["one"]);
    assert_eq!(fake.replaced.last(), Some(&(OFFLINE, String::new())));
}

#[test]
fn a_draft_and_an_uncertain_operation_with_the_same_text_know_of_each_other() {
    let mut fake = Fake::joined();
    fake.type_text("twice");
    fake.user(Intent::Send);
    fake.type_text("twice");
    fake.lose();
    let draft = fake.engine.drafts()[0].clone();
    assert!(fake.engine.draft_twin(&draft));
    let review = fake.engine.other_reviews().remove(0);
    assert!(review.evidence.unwrap().contains("draft with the same text"));
    fake.user(Intent::DiscardDraft(draft.id));
    assert_eq!(fake.engine.other_reviews()[0].evidence, None);
}

#[test]
fn an_uncertain_message_is_settled_by_its_id_in_the_next_connections_history_and_never_sent_again() {
    for found in [true, false] {
        let mut fake = Fake::joined();
        fake.type_text("maybe");
        fake.user(Intent::Send);
        fake.lose();
        fake.come_back();
        fake.user(Intent::Open("a".into()));
        fake.serve();
        fake.join("a");
        if found {
            fake.start_turn("a", "t1");
            let item = serde_json::json!({"type": "userMessage", "id": "u", "clientId": "client-1", "content": []});
            fake.complete("a", "t1", item);
            assert!(fake.engine.other_reviews().is_empty());
            assert_eq!(fake.heard("it was accepted"), 1);
        } else {
            let review = fake.engine.other_reviews().remove(0);
            assert!(review.evidence.unwrap().starts_with("Not in history as of"));
        }
        assert_eq!(fake.sent("turn/start"), 1);
    }
}
