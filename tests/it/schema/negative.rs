//! Every way to spoil a message of the server, and what becomes of it here.
//!
//! Extra fields, unknown words and other branches change nothing or are carried as unknown. What
//! is missing, `null`, of another type or shape is either not read at all, or it refuses the
//! message (`Malformed`, `Unreadable`), or it makes an item a plain row. Which of the three is a
//! committed table, so that no field becomes load-bearing by accident.

use std::collections::{BTreeMap, BTreeSet};

use rejoin::protocol::{Method, ServerNotification, ServerRequest, Thread, ThreadItem, Turn};
use rejoin::protocol::{notification, server_request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::not_within;
use crate::kit::blessed;
use crate::kit::codex::{self, NEWEST, TARGET};
use crate::kit::sample::{Change, Node, Sampler, Size, changes};
use crate::kit::schema::{Schemas, Surface, manifest};

/// Parts with a table of their own; whole everywhere else.
const OWN_TABLE: &[&str] = &["ThreadItem", "Thread", "Turn"];

/// What became of a message.
#[derive(Debug)]
enum Read {
    /// Written again by us.
    Known(Value),
    PlainRow,
    Refused,
}

fn known<T: Serialize>(read: Result<T, serde_json::Error>) -> Read {
    read.map_or(Read::Refused, |value| Read::Known(serde_json::to_value(value).expect("what was read is written")))
}

fn typed<T: Serialize + DeserializeOwned>(value: &Value) -> Read {
    // From text, as on the wire.
    known(serde_json::from_str::<T>(&value.to_string()))
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a value is written")
}

fn response(method: Method, value: &Value) -> Read {
    match known(method.parse_response(&raw(value))) {
        Read::Known(mut response) => Read::Known(response["result"].take()),
        other => other,
    }
}

fn notification(method: &str, value: &Value) -> Read {
    match ServerNotification::parse(method, Some(&raw(value))) {
        notification::Parsed::Known(known) => {
            Read::Known(serde_json::to_value(known).expect("what was read is written")["params"].take())
        }
        notification::Parsed::Malformed(_) => Read::Refused,
        notification::Parsed::Unknown => panic!("{method} is read"),
    }
}

fn server_request(method: &str, value: &Value) -> Read {
    match ServerRequest::parse(method, Some(&raw(value))) {
        // What has no card carries only where it is.
        server_request::Parsed::Known(ServerRequest::Other(_)) => Read::Known(Value::Null),
        server_request::Parsed::Known(known) => {
            Read::Known(serde_json::to_value(known).expect("what was read is written")["params"].take())
        }
        server_request::Parsed::Malformed(_) => Read::Refused,
        server_request::Parsed::Unknown => panic!("{method} is known"),
    }
}

fn item(value: &Value) -> Read {
    match serde_json::from_str(&value.to_string()) {
        Ok(ThreadItem::Unknown(_)) => Read::PlainRow,
        other => known(other),
    }
}

/// Line of the table: the field, and the changes that it does not bear.
type Table = BTreeMap<String, BTreeSet<String>>;

/// Spoils one instance in every way; checks the rules and notes the rest. Returns how many ways there were.
fn spoil(name: &str, node: &Node, read: impl Fn(&Value) -> Read, table: &mut Table) -> usize {
    let Read::Known(unspoilt) = read(&node.value()) else { panic!("{name}: a valid one is read: {}", node.value()) };
    if !unspoilt.is_null() {
        assert_eq!(not_within(&unspoilt, &node.value()), None, "{name}: {unspoilt} of {}", node.value());
    }
    let all = changes(node);
    for changed in &all {
        let at = format!("{name} {} at {:?}", changed.change.word(), changed.path);
        let outcome = read(&changed.value);
        match (changed.change, &outcome) {
            // Unknown fields are ignored, or carried inside free-form JSON.
            (Change::ExtraField, Read::Known(written)) if written == &unspoilt => {}
            (Change::ExtraField | Change::OtherWord | Change::OtherBranch, Read::Known(written)) => {
                let reason = if written.is_null() { None } else { not_within(written, &changed.value) };
                assert_eq!(reason, None, "{at}: {written} of {}", changed.value);
            }
            (Change::UnknownWord, Read::Known(_)) => {}
            // The tag of an item is what makes it one.
            (Change::UnknownWord, Read::PlainRow) if changed.path == "type" => {}
            (Change::ExtraField | Change::OtherWord | Change::OtherBranch | Change::UnknownWord, spoilt) => {
                panic!("{at}: {spoilt:?} of {}", changed.value);
            }
            (Change::Missing | Change::Null | Change::WrongType | Change::WrongShape, Read::Known(_)) => {}
            (change, Read::PlainRow) => note(table, name, &changed.path, &format!("{} (plain row)", change.word())),
            (change, Read::Refused) => note(table, name, &changed.path, change.word()),
        }
    }
    all.len()
}

fn note(table: &mut Table, name: &str, path: &str, word: &str) {
    let path = if path.is_empty() { "the whole" } else { path };
    table.entry(format!("{name} | {path}")).or_default().insert(word.to_owned());
}

#[test]
fn what_spoils_a_message_of_the_server_is_exactly_the_committed_table() {
    let Some(codex) = codex::codex(TARGET) else { return };
    let schemas = Schemas::of(&codex, Surface::Experimental);
    let sampler = Sampler::new(schemas, Size::Maximal).around(OWN_TABLE);
    let mut table = Table::new();
    let mut ways = 0;
    for (name, read) in [("Thread", typed::<Thread> as fn(&Value) -> Read), ("Turn", typed::<Turn>)] {
        ways += spoil(name, &sampler.make(schemas.definition(name)), read, &mut table);
    }
    for (kind, node) in sampler.variants("ThreadItem") {
        ways += spoil(&format!("item {kind}"), &node, item, &mut table);
    }
    for method in Method::ALL {
        let node = sampler.make(schemas.definition(schemas.response_type(method.name())));
        ways += spoil(&format!("{} response", method.name()), &node, |value| response(*method, value), &mut table);
    }
    for method in ServerNotification::NAMES {
        let node = sampler.make(schemas.params("ServerNotification", method).expect("a used notification"));
        ways += spoil(method, &node, |value| notification(method, value), &mut table);
    }
    for method in manifest().server_requests.keys() {
        let node = sampler.make(schemas.params("ServerRequest", method).expect("a used request"));
        ways += spoil(method, &node, |value| server_request(method, value), &mut table);
    }
    assert!(ways > 2_000, "only {ways} ways were tried");
    let lines: Vec<_> = table
        .iter()
        .map(|(at, words)| format!("{at}: {}", words.iter().cloned().collect::<Vec<_>>().join(", ")))
        .collect();
    blessed("tests/fixtures/protocol/load-bearing.txt", &lines);
}

#[test]
fn a_message_that_is_no_object_is_refused() {
    for value in [Value::Null, serde_json::json!(7), serde_json::json!("text"), serde_json::json!([[]])] {
        for method in Method::ALL {
            assert!(matches!(response(*method, &value), Read::Refused), "{method:?} {value}");
        }
        for method in ServerNotification::NAMES {
            assert!(matches!(notification(method, &value), Read::Refused), "{method} {value}");
        }
        for method in ["item/commandExecution/requestApproval", "item/fileChange/requestApproval"] {
            assert!(matches!(server_request(method, &value), Read::Refused), "{method} {value}");
        }
    }
}

#[test]
fn the_smallest_valid_message_of_every_version_is_read() {
    for codex in codex::installed() {
        let schemas = Schemas::of(&codex, Surface::Experimental);
        for size in [Size::Minimal, Size::Maximal] {
            let sampler = Sampler::new(schemas, size);
            let check = |name: &str, schema: &Value, value: &Value, read: Read| {
                schemas.check(schema.clone()).accepts(value, &format!("{} {name}", codex.version));
                let Read::Known(written) = read else { panic!("{} {name}: {value}", codex.version) };
                if !written.is_null() && codex.version == TARGET {
                    assert_eq!(not_within(&written, value), None, "{name}: {written} of {value}");
                }
            };
            for method in Method::ALL {
                let schema = schemas.definition(schemas.response_type(method.name()));
                let value = sampler.make(schema).value();
                check(method.name(), schema, &value, response(*method, &value));
            }
            for method in ServerNotification::NAMES {
                let schema = schemas.params("ServerNotification", method).expect("a used notification");
                let value = sampler.make(schema).value();
                check(method, schema, &value, notification(method, &value));
            }
            for method in manifest().server_requests.keys() {
                let Some(schema) = schemas.params("ServerRequest", method) else {
                    assert_eq!((codex.version, method.as_str()), (NEWEST, "currentTime/read"));
                    continue;
                };
                let value = sampler.make(schema).value();
                check(method, schema, &value, server_request(method, &value));
            }
        }
    }
}
