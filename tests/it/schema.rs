//! The contract with the app-server: what the manifest says, what the schemas of the real servers
//! say, and what this client writes and reads are the same.
//!
//! The servers speak their experimental surface with us, so that is what is checked; the standard
//! one is compared with it. `REJOIN_BLESS=1` rewrites the committed lists after a look at them.

mod difference;
mod negative;
mod sent;

use std::collections::{BTreeMap, BTreeSet};

use rejoin::protocol::{Method, ServerNotification, ThreadItem, server_request};
use serde_json::Value;

use crate::kit::codex::{self, NEWEST, REGRESSION, TARGET};
use crate::kit::sample::{Sampler, Size};
use crate::kit::schema::{Schemas, Surface, manifest};
use crate::kit::{blessed, thread_item_samples};

/// Server requests with a card and an answer.
const ANSWERED: [&str; 2] = ["item/commandExecution/requestApproval", "item/fileChange/requestApproval"];

#[test]
fn the_manifest_lists_exactly_what_the_code_uses() {
    let manifest = manifest();
    assert_eq!([&*manifest.regression, &*manifest.target, &*manifest.newest], [REGRESSION, TARGET, NEWEST]);

    let requests: BTreeSet<_> = manifest.requests.keys().map(String::as_str).collect();
    assert_eq!(requests, Method::ALL.iter().map(|method| method.name()).collect());

    let notifications: Vec<_> = manifest.notifications.iter().map(String::as_str).collect();
    assert_eq!(notifications, ServerNotification::NAMES);

    let with_answer = |wanted: bool| -> BTreeSet<&str> {
        let all = manifest.server_requests.iter();
        all.filter(|(_, used)| used.answer.is_some() == wanted).map(|(name, _)| name.as_str()).collect()
    };
    assert_eq!(with_answer(true), ANSWERED.into());
    assert_eq!(with_answer(false), server_request::OTHER_METHODS.iter().copied().collect());
}

#[test]
fn the_manifest_pins_every_tested_package_of_both_platforms() {
    let pinned: BTreeMap<_, _> = manifest().packages.into_iter().map(|pin| (pin.package.clone(), pin)).collect();
    for version in codex::VERSIONS {
        for platform in ["", "-linux-x64", "-win32-x64"] {
            let pin = &pinned[&format!("@openai/codex@{version}{platform}")];
            assert!(pin.integrity.starts_with("sha512-") && pin.integrity.len() == 95, "{pin:?}");
            assert!(pin.sha256.len() == 64 && pin.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()), "{pin:?}");
        }
    }
    assert_eq!(pinned.len(), 9);
}

#[test]
fn every_version_has_everything_that_is_used_on_both_surfaces() {
    for codex in codex::installed() {
        for surface in [Surface::Standard, Surface::Experimental] {
            let schemas = Schemas::of(&codex, surface);
            let at = format!("{} {surface:?}", codex.version);
            let manifest = manifest();
            let mut missing = Vec::new();
            let mut see = |union: &str, method: &str| {
                if schemas.message(union, method).is_none() {
                    missing.push(method.to_owned());
                }
            };
            see("ClientRequest", "initialize");
            manifest.requests.keys().for_each(|method| see("ClientRequest", method));
            manifest.notifications.iter().for_each(|method| see("ServerNotification", method));
            manifest.server_requests.keys().for_each(|method| see("ServerRequest", method));
            // Known and without a card: an experimental request that 0.171.0 no longer has.
            let has_time = surface == Surface::Experimental && codex.version != NEWEST;
            let known: &[&str] = if has_time { &[] } else { &["currentTime/read"] };
            assert_eq!(missing, known, "{at}");
            let responses = manifest.requests.values().map(|used| used.response.as_str());
            let answers = manifest.server_requests.values().filter_map(|used| used.answer.as_deref());
            for name in responses.chain(answers) {
                assert!(schemas.definitions().contains_key(name), "{at}: {name}");
            }
        }
    }
}

#[test]
fn every_server_request_of_the_target_is_known_and_none_is_refused_as_unknown() {
    let Some(codex) = codex::codex(TARGET) else { return };
    let schemas = Schemas::of(&codex, Surface::Experimental);
    let branches = schemas.definition("ServerRequest")["oneOf"].as_array().expect("a union");
    let theirs: BTreeSet<_> =
        branches.iter().filter_map(|branch| branch["properties"]["method"]["enum"][0].as_str()).collect();
    assert_eq!(theirs, manifest().server_requests.keys().map(String::as_str).collect());
}

#[test]
fn the_committed_samples_are_what_the_target_schema_makes_of_every_item_type() {
    let Some(codex) = codex::codex(TARGET) else { return };
    let schemas = Schemas::of(&codex, Surface::Experimental);
    let mut made = Vec::new();
    for size in [Size::Minimal, Size::Maximal] {
        for (kind, node) in Sampler::new(schemas, size).variants("ThreadItem") {
            let value = node.value();
            schemas.check_type("ThreadItem").accepts_exactly(&value, &kind);
            made.push(value);
        }
    }
    made.sort_by_key(|item| item["type"].to_string());
    let lines: Vec<_> = made.iter().map(Value::to_string).collect();
    blessed("tests/fixtures/protocol/thread-items.jsonl", &lines);
}

#[test]
fn every_item_type_of_the_target_is_known_and_survives_the_round_trip() {
    let samples = thread_item_samples();
    assert_eq!(samples.len(), 19 * 2, "19 types, minimal and maximal");
    for sample in samples {
        let item: ThreadItem = serde_json::from_value(sample.clone()).expect("an item is always read");
        assert!(!matches!(item, ThreadItem::Unknown(_)), "{sample}");
        let written = serde_json::to_value(&item).expect("an item is written");
        assert_within(&written, &sample, &sample["type"].to_string());
        let again: ThreadItem = serde_json::from_value(written).expect("our own words are read");
        assert_eq!(again, item);
    }
}

#[test]
fn an_item_type_of_a_newer_server_is_a_plain_row_with_its_name() {
    for codex in codex::installed() {
        let schemas = Schemas::of(&codex, Surface::Experimental);
        for size in [Size::Minimal, Size::Maximal] {
            for (kind, node) in Sampler::new(schemas, size).variants("ThreadItem") {
                let item: ThreadItem = serde_json::from_value(node.value()).expect("an item is always read");
                match &item {
                    ThreadItem::Unknown(unknown) => {
                        assert_ne!(codex.version, TARGET, "{kind}");
                        assert_eq!(unknown.kind, kind);
                    }
                    known => assert_within(
                        &serde_json::to_value(known).expect("an item is written"),
                        &node.value(),
                        &format!("{} {kind}", codex.version),
                    ),
                }
                assert_eq!(item.id().as_str(), "text");
            }
        }
    }
}

/// Everything that was written must have been in what was read: no field is renamed, no word lost.
/// `null`, empty lists and our defaults may stand for what was absent.
fn assert_within(written: &Value, read: &Value, at: &str) {
    if let Some(reason) = not_within(written, read) {
        panic!("{at}: {reason}\nwritten {written}\nread    {read}");
    }
}

fn not_within(written: &Value, read: &Value) -> Option<String> {
    match (written, read) {
        (Value::Object(written), Value::Object(read)) => written.iter().find_map(|(name, value)| {
            let found = match read.get(name) {
                Some(read) => not_within(value, read),
                None if is_default(value) => None,
                None => Some("was not there".into()),
            };
            found.map(|reason| format!("{name}: {reason}"))
        }),
        (Value::Array(written), Value::Array(read)) if written.len() == read.len() => {
            written.iter().zip(read).find_map(|(written, read)| not_within(written, read))
        }
        _ if written == read => None,
        _ => Some(format!("{written} for {read}")),
    }
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Bool(flag) => !flag,
        Value::String(word) => ["", "agent", "command", "unknown", "notLoaded"].contains(&word.as_str()),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Object(fields) => fields.get("type").is_some_and(|kind| kind == "notLoaded"),
    }
}
