//! What differs between the schemas of two versions, of everything that is used.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::kit::codex::{self, NEWEST, REGRESSION, TARGET};
use crate::kit::schema::{Schemas, Surface, manifest, manifest_path, type_name};
use crate::kit::{is_blessing, today};

/// `Type.field` or `Type 'word'` to how it is typed.
type Shape = BTreeMap<String, String>;

/// One side of a comparison.
type Side = (&'static str, Surface);

/// The compared pairs.
const PAIRS: [(Side, Side); 3] = [
    ((TARGET, Surface::Standard), (TARGET, Surface::Experimental)),
    ((REGRESSION, Surface::Experimental), (TARGET, Surface::Experimental)),
    ((TARGET, Surface::Experimental), (NEWEST, Surface::Experimental)),
];

#[test]
fn the_versions_differ_exactly_as_the_manifest_says() {
    let mut found = Vec::new();
    for (from, to) in PAIRS {
        let side = |(version, surface): (&'static str, Surface)| {
            let shape = shape(Schemas::of(&codex::codex(version)?, surface));
            Some((format!("{version} {}", format!("{surface:?}").to_lowercase()), shape))
        };
        let (Some((from, old)), Some((to, new))) = (side(from), side(to)) else { return };
        found.push((from, to, differences(&old, &new)));
    }
    if is_blessing() {
        return bless(&found);
    }
    let committed = manifest().differences;
    assert_eq!(committed.len(), found.len(), "the compared pairs");
    for (committed, (from, to, lines)) in committed.iter().zip(&found) {
        assert_eq!((&committed.from, &committed.to), (from, to));
        let new: Vec<_> = lines.iter().filter(|line| !committed.lines.contains(line)).collect();
        let gone: Vec<_> = committed.lines.iter().filter(|line| !lines.contains(line)).collect();
        assert!(new.is_empty() && gone.is_empty(), "{from} to {to}: new {new:#?}, gone {gone:#?}");
    }
}

fn bless(found: &[(String, String, Vec<String>)]) {
    let text = std::fs::read_to_string(manifest_path()).expect("the manifest");
    let mut manifest: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("the manifest");
    let differences = found
        .iter()
        .map(|(from, to, lines)| serde_json::json!({ "from": from, "to": to, "seen": today(), "lines": lines }));
    // Only this member is replaced, in the text, so that the order of the file stays.
    manifest.insert("differences".into(), differences.collect());
    let start = text.find("  \"differences\":").expect("the manifest ends with its differences");
    let member = serde_json::to_string_pretty(&serde_json::json!({ "differences": manifest["differences"] }));
    let member = member.expect("plain data");
    let text = format!("{}{}\n", &text[..start], member.trim_start_matches("{\n"));
    std::fs::write(manifest_path(), text).expect("the manifest can be written");
}

/// Everything that the used messages reach.
fn shape(schemas: &Schemas) -> Shape {
    let manifest = manifest();
    let mut shape = Shape::new();
    let mut roots = Vec::new();
    for (method, fields) in super::sent::fields() {
        let params = schemas.params("ClientRequest", &method).expect("a used request");
        let name = params["$ref"].as_str().and_then(type_name).expect("parameters have a named type");
        let definition = schemas.definition(name);
        // All fields are listed, so that a new one is seen; only those that are sent are followed.
        describe(name, definition, &mut shape);
        roots.extend(fields.iter().map(|field| &definition["properties"][field]));
    }
    let messages = [
        ("ServerNotification", manifest.notifications.iter().map(String::as_str).collect::<Vec<_>>()),
        ("ServerRequest", manifest.server_requests.keys().map(String::as_str).collect()),
    ];
    for (union, methods) in messages {
        for method in methods {
            if let Some(params) = schemas.params(union, method) {
                shape.insert(format!("{union} {method}"), String::new());
                roots.push(params);
            }
        }
    }
    let responses = manifest.requests.values().chain([&manifest.initialize]).map(|used| used.response.as_str());
    let answers = manifest.server_requests.values().filter_map(|used| used.answer.as_deref());
    let named: Vec<&str> = responses.chain(answers).collect();
    roots.extend(named.iter().map(|name| schemas.definition(name)));

    let mut names = schemas.reached(roots);
    names.extend(named.into_iter().map(str::to_owned));
    for name in names {
        describe(&name, schemas.definition(&name), &mut shape);
    }
    shape
}

fn describe(name: &str, schema: &Value, shape: &mut Shape) {
    let branches = ["oneOf", "anyOf"].into_iter().find_map(|union| schema[union].as_array());
    for branch in branches.into_iter().flatten() {
        match branch["properties"]["type"]["enum"][0].as_str() {
            Some(tag) => describe(&format!("{name}:{tag}"), branch, shape),
            None if branch["enum"].is_array() => describe(name, branch, shape),
            None => {
                shape.insert(format!("{name} | {}", render(branch)), String::new());
            }
        }
    }
    for word in schema["enum"].as_array().into_iter().flatten() {
        shape.insert(format!("{name} {word}"), String::new());
    }
    for (field, typed) in schema["properties"].as_object().into_iter().flatten() {
        shape.insert(format!("{name}.{field}{}", optional(schema, field)), render(typed));
    }
    if branches.is_none() && !schema["enum"].is_array() && !schema["properties"].is_object() {
        shape.insert(name.to_owned(), render(schema));
    }
}

fn optional(schema: &Value, field: &str) -> &'static str {
    let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
    if required { "" } else { "?" }
}

/// A schema in one line, without words for people and without defaults.
fn render(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(type_name) {
        return name.to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    for union in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[union].as_array() {
            return parts.iter().map(render).collect::<Vec<_>>().join(if union == "allOf" { " & " } else { " | " });
        }
    }
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return "any".to_owned(),
    };
    let one = |kind: &&str| match *kind {
        "array" => format!("[{}]", render(&schema["items"])),
        "object" if schema["properties"].is_object() => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields = fields.map(|(name, typed)| format!("{name}{}: {}", optional(schema, name), render(typed)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        "object" => format!("{{*: {}}}", render(&schema["additionalProperties"])),
        kind => kind.to_owned(),
    };
    types.iter().map(one).collect::<Vec<_>>().join(" | ")
}

fn differences(old: &Shape, new: &Shape) -> Vec<String> {
    let typed = |typed: &str| if typed.is_empty() { String::new() } else { format!(": {typed}") };
    let mut lines = Vec::new();
    for (path, was) in old {
        match new.get(path) {
            None => lines.push(format!("- {path}{}", typed(was))),
            Some(now) if now != was => lines.push(format!("~ {path}: {was} -> {now}")),
            Some(_) => {}
        }
    }
    lines.extend(
        new.iter().filter(|(path, _)| !old.contains_key(*path)).map(|(path, now)| format!("+ {path}{}", typed(now))),
    );
    lines
}

#[test]
fn a_difference_of_any_kind_is_found() {
    let shape_of = |schema: Value| {
        let mut shape = Shape::new();
        describe("T", &schema, &mut shape);
        shape
    };
    let old = shape_of(serde_json::json!({
        "properties": { "a": { "type": "string" }, "b": { "type": "integer" } }, "required": ["a"], "type": "object",
    }));
    let new = shape_of(serde_json::json!({
        "properties": { "a": { "type": ["string", "null"] }, "c": { "$ref": "#/definitions/U" } }, "required": ["a"],
        "type": "object",
    }));
    assert_eq!(differences(&old, &old), [""; 0]);
    assert_eq!(differences(&old, &new), ["~ T.a: string -> string | null", "- T.b?: integer", "+ T.c?: U"]);
    let word = |words: Value| shape_of(serde_json::json!({ "enum": words, "type": "string" }));
    assert_eq!(differences(&word(serde_json::json!(["x"])), &word(serde_json::json!(["x", "y"]))), ["+ T \"y\""]);
}
