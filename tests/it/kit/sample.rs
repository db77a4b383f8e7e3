//! Instances made from a schema: the smallest, the largest, and every way to spoil one.

use serde_json::{Map, Value, json};

use super::schema::{Schemas, type_name};

/// Nesting beyond which only what is required is made (types may contain themselves).
const DEEP: usize = 14;

/// How much of a type is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// What is required; `null` and empty lists where allowed.
    Minimal,
    /// Every field; lists with one element of every kind.
    Maximal,
}

/// An instance that still knows what may be done to its parts.
#[derive(Debug, Clone)]
pub struct Node {
    pub kind: Kind,
    /// `null` would do as well.
    pub nullable: bool,
    /// Other kinds of this place that the schema allows.
    pub others: Vec<Node>,
}

#[derive(Debug, Clone)]
pub enum Kind {
    Object(Vec<Field>),
    /// Any names: a further one is data.
    Map(Vec<Field>),
    Array(Vec<Node>),
    /// One of a fixed list of words; the rest of the list.
    Word {
        word: Value,
        others: Vec<Value>,
    },
    /// Text, number, flag.
    Plain(Value),
    /// Whatever; also the place of a type that has a table of its own.
    Any(Value),
}

#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub required: bool,
    pub node: Node,
}

impl Node {
    /// The instance itself.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(fields) | Kind::Map(fields) => {
                fields.iter().map(|field| (field.name.clone(), field.node.value())).collect()
            }
            Kind::Array(items) => items.iter().map(Self::value).collect(),
            Kind::Word { word: value, .. } | Kind::Plain(value) | Kind::Any(value) => value.clone(),
        }
    }

    fn plain(value: Value) -> Self {
        Self { kind: Kind::Plain(value), nullable: false, others: Vec::new() }
    }
}

/// Makes instances of the types of one schema.
pub struct Sampler<'a> {
    schemas: &'a Schemas,
    size: Size,
    /// Types that are not looked into.
    opaque: &'a [&'a str],
}

impl<'a> Sampler<'a> {
    pub fn new(schemas: &'a Schemas, size: Size) -> Self {
        Self { schemas, size, opaque: &[] }
    }

    /// The same, but parts of these types are made and never spoilt.
    pub fn around(self, opaque: &'a [&'a str]) -> Self {
        Self { opaque, ..self }
    }

    /// An instance of a schema.
    pub fn make(&self, schema: &Value) -> Node {
        self.at(schema, 0)
    }

    /// An instance of each branch of a tagged union, with its tag.
    pub fn variants(&self, name: &str) -> Vec<(String, Node)> {
        let branches = self.schemas.definition(name)["oneOf"].as_array().expect("a tagged union");
        let tag = |branch: &Value| branch["properties"]["type"]["enum"][0].as_str().expect("a tag").to_owned();
        branches.iter().map(|branch| (tag(branch), self.make(branch))).collect()
    }

    fn at(&self, schema: &Value, depth: usize) -> Node {
        let Value::Object(fields) = schema else {
            return Node { kind: Kind::Any(json!("anything")), nullable: true, others: Vec::new() };
        };
        if let Some(name) = fields.get("$ref").and_then(Value::as_str).and_then(type_name) {
            let node = self.at(self.schemas.definition(name), depth + 1);
            if self.opaque.contains(&name) {
                return Node { kind: Kind::Any(node.value()), nullable: node.nullable, others: Vec::new() };
            }
            return node;
        }
        if let Some(words) = fields.get("enum").and_then(Value::as_array) {
            let (word, others) = words.split_first().expect("a list of words has words");
            let kind = Kind::Word { word: word.clone(), others: others.to_vec() };
            return Node { kind, nullable: false, others: Vec::new() };
        }
        if let Some(word) = fields.get("const") {
            return Node { kind: Kind::Word { word: word.clone(), others: vec![] }, nullable: false, others: vec![] };
        }
        let union = ["oneOf", "anyOf"].into_iter().find_map(|name| fields.get(name)?.as_array());
        if let Some(branches) = union {
            return self.union(fields, branches, depth);
        }
        if let Some(parts) = fields.get("allOf").and_then(Value::as_array) {
            let own = fields.contains_key("properties").then(|| self.object(fields, depth));
            return parts.iter().map(|part| self.at(part, depth)).chain(own).reduce(merge).expect("parts");
        }
        let (kind, nullable) = match fields.get("type") {
            Some(Value::String(kind)) => (kind.as_str(), false),
            Some(Value::Array(kinds)) => {
                let kind = kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null");
                (kind, kinds.iter().any(|kind| kind == "null"))
            }
            _ if fields.contains_key("properties") => ("object", false),
            _ => return Node { kind: Kind::Any(json!("anything")), nullable: true, others: Vec::new() },
        };
        if nullable && (self.size == Size::Minimal || depth > DEEP) {
            return Node { nullable: true, ..Node::plain(Value::Null) };
        }
        Node { nullable, ..self.typed(kind, fields, depth) }
    }

    fn typed(&self, kind: &str, fields: &Map<String, Value>, depth: usize) -> Node {
        match kind {
            "object" => self.object(fields, depth),
            "array" => {
                let empty = self.size == Size::Minimal || depth > DEEP;
                let items = fields.get("items").filter(|_| !empty || fields.contains_key("minItems"));
                let item = items.map(|items| self.at(items, depth + 1));
                let all = item.into_iter().flat_map(|mut node| {
                    let others = std::mem::take(&mut node.others);
                    std::iter::once(node).chain(others)
                });
                Node { kind: Kind::Array(all.collect()), nullable: false, others: Vec::new() }
            }
            "integer" => Node::plain(fields.get("minimum").cloned().filter(|n| n != &json!(0.0)).unwrap_or(json!(1))),
            "number" => Node::plain(json!(1.5)),
            "boolean" => Node::plain(json!(true)),
            "null" => Node { nullable: true, ..Node::plain(Value::Null) },
            _ => Node::plain(json!("text")),
        }
    }

    fn object(&self, fields: &Map<String, Value>, depth: usize) -> Node {
        let required = |name: &str| {
            fields.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n == name))
        };
        let full = self.size == Size::Maximal && depth <= DEEP;
        let properties = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut made: Vec<Field> = properties
            .filter(|(name, _)| full || required(name))
            .map(|(name, schema)| Field {
                name: name.clone(),
                required: required(name),
                node: self.at(schema, depth + 1),
            })
            .collect();
        if let (true, Some(values @ (Value::Object(_) | Value::Bool(true)))) =
            (full, fields.get("additionalProperties"))
        {
            made.push(Field { name: "key".into(), required: false, node: self.at(values, depth + 1) });
        }
        let kind = if fields.contains_key("properties") { Kind::Object(made) } else { Kind::Map(made) };
        Node { kind, nullable: false, others: Vec::new() }
    }

    fn union(&self, fields: &Map<String, Value>, branches: &[Value], depth: usize) -> Node {
        let nullable = branches.iter().any(|branch| branch["type"] == "null");
        if nullable && (self.size == Size::Minimal || depth > DEEP) {
            return Node { nullable: true, ..Node::plain(Value::Null) };
        }
        let beside = fields.contains_key("properties").then(|| self.object(fields, depth));
        let mut made = branches.iter().filter(|branch| branch["type"] != "null").map(|branch| {
            let node = self.at(branch, depth + 1);
            beside.clone().map_or_else(|| node.clone(), |beside| merge(beside, node.clone()))
        });
        let mut first = made.next().expect("a union has branches");
        if self.size == Size::Maximal && depth <= DEEP {
            first.others.extend(made.flat_map(|mut node| {
                let others = std::mem::take(&mut node.others);
                std::iter::once(node).chain(others)
            }));
        }
        first.nullable |= nullable;
        first
    }
}

/// Two objects that describe one.
fn merge(left: Node, right: Node) -> Node {
    match (left.kind, right.kind) {
        (Kind::Object(mut fields), Kind::Object(more)) => {
            fields.extend(more);
            Node { kind: Kind::Object(fields), nullable: left.nullable && right.nullable, others: left.others }
        }
        (kind, _) => Node { kind, nullable: left.nullable, others: left.others },
    }
}

/// What was done to an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A required field taken out.
    Missing,
    /// `null` where the schema has no `null`.
    Null,
    /// A value of another JSON type.
    WrongType,
    /// A list in the place of an object.
    WrongShape,
    /// A word that is not in the list.
    UnknownWord,
    /// A field that nobody declared.
    ExtraField,
    /// Another word of the list: still valid.
    OtherWord,
    /// Another branch of the union: still valid.
    OtherBranch,
}

impl Change {
    /// The word of the committed table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Null => "null",
            Self::WrongType => "wrong-type",
            Self::WrongShape => "wrong-shape",
            Self::UnknownWord => "unknown-word",
            Self::ExtraField => "extra-field",
            Self::OtherWord => "other-word",
            Self::OtherBranch => "other-branch",
        }
    }
}

/// A changed instance.
#[derive(Debug, Clone)]
pub struct Changed {
    /// `thread.turns[].id`; empty for the whole.
    pub path: String,
    pub change: Change,
    pub value: Value,
}

/// Every single change of an instance.
pub fn changes(node: &Node) -> Vec<Changed> {
    let mut all = Vec::new();
    let whole = node.value();
    visit(node, &mut Vec::new(), &mut |pointer, change, new| {
        let mut value = whole.clone();
        match new {
            Some(new) => *value.pointer_mut(&pointer.join("")).expect("a path of this instance") = new,
            None => {
                let (last, parent) = pointer.split_last().expect("a field");
                let parent = value.pointer_mut(&parent.join("")).and_then(Value::as_object_mut).expect("an object");
                parent.remove(&last[1..]);
            }
        }
        all.push(Changed { path: readable(pointer), change, value });
    });
    all
}

fn readable(pointer: &[String]) -> String {
    let mut path = String::new();
    for part in pointer {
        let part = &part[1..];
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str("[]");
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
        }
    }
    path
}

type Report<'a> = dyn FnMut(&[String], Change, Option<Value>) + 'a;

fn visit(node: &Node, pointer: &mut Vec<String>, report: &mut Report<'_>) {
    for other in &node.others {
        report(pointer, Change::OtherBranch, Some(other.value()));
    }
    if !node.nullable {
        report(pointer, Change::Null, Some(Value::Null));
    }
    match &node.kind {
        Kind::Object(fields) | Kind::Map(fields) => {
            report(pointer, Change::WrongType, Some(json!(7)));
            report(pointer, Change::WrongShape, Some(json!([])));
            if matches!(node.kind, Kind::Object(_)) {
                let mut more = node.value();
                more["fieldOfTheFuture"] = json!({ "a": [1] });
                report(pointer, Change::ExtraField, Some(more));
            }
            for field in fields {
                pointer.push(format!("/{}", field.name));
                if field.required {
                    report(pointer, Change::Missing, None);
                }
                visit(&field.node, pointer, report);
                pointer.pop();
            }
        }
        Kind::Array(items) => {
            report(pointer, Change::WrongType, Some(json!(7)));
            for (index, item) in items.iter().enumerate() {
                pointer.push(format!("/{index}"));
                visit(item, pointer, report);
                pointer.pop();
            }
        }
        Kind::Word { others, .. } => {
            report(pointer, Change::WrongType, Some(json!(7)));
            report(pointer, Change::UnknownWord, Some(json!("wordOfTheFuture")));
            for word in others {
                report(pointer, Change::OtherWord, Some(word.clone()));
            }
        }
        Kind::Plain(value) => {
            let other = if value.is_string() { json!(7) } else { json!("seven") };
            report(pointer, Change::WrongType, Some(other));
        }
        Kind::Any(_) => {}
    }
}
