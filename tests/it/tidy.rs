//! The rules of the house that a compiler does not check. Each failure names file, line and rule.
//!
//! The tables below are the architecture of `src/lib.rs` in a form that can fail. A module that
//! does not exist yet costs nothing; a module that is in no table fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rejoin::contract;

/// Top-level modules and those they may use.
const EDGES: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("protocol", &["base"]),
    ("markdown", &["base"]),
    ("paths", &["base"]),
    ("contract", &["base", "protocol"]),
    ("live", &["base", "protocol"]),
    ("engine", &["base", "protocol", "markdown", "paths", "contract", "live"]),
    ("settings", &["base"]),
    ("demo", &["base", "protocol"]),
    ("worker", &["base", "protocol", "contract", "live", "demo"]),
    ("link", &["base", "contract"]),
    ("cli", &["settings"]),
    ("doctor", &["base", "contract", "settings", "cli", "worker"]),
    ("a11y", &["base"]),
    ("ui", &["base", "protocol", "markdown", "paths", "contract", "live", "engine", "settings", "link", "cli", "a11y"]),
    ("drive", &["base", "contract", "engine", "settings", "link", "cli", "a11y", "ui"]),
    ("acceptance", &["base", "contract", "engine", "settings", "link", "cli", "a11y", "ui", "drive"]),
];

/// Modules that do no I/O, read no clock and roll no dice.
const PURE: &[&str] = &["base", "protocol", "contract", "live", "markdown", "paths", "engine"];
const EFFECTS: &[&str] = &[
    "tokio",
    "iced",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "fastrand",
    "Instant::now",
    "SystemTime::now",
];

/// The one place that asks the operating system for the time; the pure modules are given it.
const CLOCK: &str = "src/base/time.rs";

/// Where widgets and renderers are made; everything else uses iced's public face.
const ADVANCED: &[&str] = &["src/ui/widget", "src/ui/font", "src/a11y", "src/drive"];
/// Who may write to standard output. The worker's is the contract, the demo's the protocol.
const STDOUT: &[&str] = &["src/cli", "src/doctor", "src/drive", "src/acceptance", "src/worker", "src/demo"];

const TOP_LEVEL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "src",
    "assets",
    "themes",
    "tests",
    "screenshots",
    // cargo's, and ignored
    "target",
];

const LINES: usize = 700;

/// A Rust file: its path from the repository's root with `/`, and its text.
#[derive(Clone)]
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The top-level module a file below `src` belongs to; `None` for the crate roots and tests.
    fn module(&self) -> Option<&str> {
        let name = self.path.strip_prefix("src/")?.split('/').next()?.trim_end_matches(".rs");
        (!["lib", "main"].contains(&name)).then_some(name)
    }

    /// How many modules deep the file is below the crate.
    fn depth(&self) -> usize {
        self.path.split('/').count() - 1
    }

    fn below(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.strip_prefix(place).is_some_and(|rest| rest.starts_with(['/', '.'])))
    }

    /// The shipped lines with their numbers: no comments, and not the unit tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.path.ends_with("/tests.rs");
        let end = if tests { Some(0) } else { self.text.find("\n#[cfg(test)]\nmod ") };
        self.text[..end.unwrap_or(self.text.len())]
            .lines()
            .enumerate()
            .map(|(at, line)| (at + 1, line.split(" // ").next().unwrap_or_default().trim()))
            .filter(|(_, line)| !line.starts_with("//"))
    }
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let mut wrong = Vec::new();
    for source in sources("src") {
        let Some(module) = source.module() else { continue };
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: the module {module} is in no table of tests/it/tidy.rs", source.path));
            continue;
        };
        for (line, used) in used_modules(&source) {
            if used != module && is_module(&used) && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}:{line}: {module} must not use {used}", source.path));
            }
        }
    }
    none(&wrong);
}

#[test]
fn edges_are_found_in_every_form_of_use() {
    let source = Source {
        path: "src/engine/input.rs".into(),
        text: "//! x\nuse crate::base::Stamp;\nuse crate::{\n    live::Block,\n    worker::{run, ui},\n};\n\
               // crate::demo\nlet x = crate::link::start();\nuse super::super::drive::Drive;\nuse super::view;\n\
               pub(crate) fn f() {}\n#[cfg(test)]\nmod tests { use crate::a11y; }\n"
            .into(),
    };
    let used: Vec<_> = used_modules(&source).into_iter().map(|(_, used)| used).collect();
    assert_eq!(used, ["base", "link", "live", "worker", "drive"]);
}

#[test]
fn the_edges_have_no_cycle() {
    let mut done = BTreeSet::new();
    for (module, allowed) in EDGES {
        for below in *allowed {
            assert!(done.contains(below), "{module} uses {below}, which does not come before it");
        }
        done.insert(*module);
    }
}

#[test]
fn pure_modules_have_no_effects() {
    let mut wrong = Vec::new();
    for source in sources("src") {
        let Some(module) = source.module().filter(|module| PURE.contains(module)) else { continue };
        for (line, code) in source.code() {
            for effect in EFFECTS.iter().filter(|effect| has_path(code, effect)) {
                if source.path == CLOCK && effect.ends_with("::now") {
                    continue;
                }
                wrong.push(format!("{}:{line}: {module} is pure and must not use {effect}", source.path));
            }
            if module == "engine" && has_path(code, "serde_json") {
                wrong.push(format!("{}:{line}: the engine sees no JSON", source.path));
            }
        }
    }
    none(&wrong);
}

#[test]
fn only_widgets_fonts_and_adapters_use_iced_advanced() {
    let mut wrong = Vec::new();
    for source in sources("src").into_iter().filter(|source| !source.below(ADVANCED)) {
        let advanced = |code: &str| has_path(code, "iced::advanced") || has_path(code, "advanced::");
        wrong.extend(
            source
                .code()
                .filter(|(_, code)| advanced(code))
                .map(|(line, _)| format!("{}:{line}: iced::advanced belongs below {ADVANCED:?}", source.path)),
        );
    }
    none(&wrong);
}

#[test]
fn only_programs_that_speak_there_write_to_standard_output() {
    let mut wrong = Vec::new();
    for source in sources("src").into_iter().filter(|source| !source.below(STDOUT)) {
        let prints = |code: &str| ["println!", "print!", "stdout()"].iter().any(|word| has_path(code, word));
        wrong.extend(
            source
                .code()
                .filter(|(_, code)| prints(code))
                .map(|(line, _)| format!("{}:{line}: standard output belongs to {STDOUT:?}", source.path)),
        );
    }
    none(&wrong);
}

#[test]
fn every_file_begins_with_what_it_is_for_and_stays_readable() {
    let mut wrong = Vec::new();
    for source in [sources("src"), sources("tests"), sources("assets")].concat() {
        let lines = source.text.lines().count();
        if !source.text.starts_with("//! ") {
            wrong.push(format!("{}: begins without //!", source.path));
        }
        if lines > LINES {
            wrong.push(format!("{}: {lines} lines, more than {LINES}", source.path));
        }
        if source.path.ends_with("/mod.rs") {
            wrong.push(format!("{}: use foo.rs beside foo/ instead of mod.rs", source.path));
        }
    }
    none(&wrong);
}

#[test]
fn nothing_is_left_for_later() {
    // Put together here, so that this file does not find itself.
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("todo", "!("),
        concat!("unimple", "mented!("),
        concat!("dbg", "!("),
    ];
    let mut wrong = Vec::new();
    for source in [sources("src"), sources("tests"), sources("assets")].concat() {
        for (at, line) in source.text.lines().enumerate() {
            for word in words.iter().filter(|word| has_path(line, word)) {
                wrong.push(format!("{}:{}: {word}", source.path, at + 1));
            }
        }
    }
    none(&wrong);
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    let roots = [concat!("/wo", "rk/"), concat!("/fa", "rm/"), concat!("/ro", "ot/")];
    let hosts = [
        concat!("regis", "try."),
        concat!("index.", "crates"),
        concat!("static.", "crates"),
        concat!("regis", "try+http://"),
    ];
    let mut wrong = Vec::new();
    for path in files("") {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (at, line) in text.lines().enumerate() {
            let named = |word: &&&str, free: fn(char) -> bool, after: fn(char) -> bool| {
                line.match_indices(**word)
                    .any(|(start, _)| !line[..start].ends_with(free) && line[start + word.len()..].starts_with(after))
            };
            let path_like = |c: char| c.is_alphanumeric() || ".$}-_*".contains(c);
            let found = roots
                .iter()
                .find(|word| named(word, path_like, |_| true))
                .or_else(|| hosts.iter().find(|word| named(word, |_| false, |c| c.is_ascii_lowercase())));
            if let Some(word) = found {
                wrong.push(format!("{path}:{}: {word}", at + 1));
            }
        }
    }
    none(&wrong);
}

#[test]
fn the_top_level_holds_what_a_newcomer_expects_and_no_more() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root()).expect("the repository can be listed") {
        let name = entry.expect("the repository can be listed").file_name().into_string().expect("names are text");
        if !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str()) {
            wrong.push(format!("{name}: put it below {TOP_LEVEL:?}"));
        }
    }
    none(&wrong);
}

#[test]
fn a_change_of_the_contract_is_noticed() {
    let mut hash = Fnv::default();
    for source in sources("src").iter().filter(|source| source.module() == Some("contract")) {
        hash.write(&source.path);
        // As rustfmt might have written it: neither spaces nor commas count.
        let code: String = source.code().map(|(_, code)| code).collect();
        hash.write(&code.replace([' ', ','], ""));
    }
    let now = format!("{} {:016x}", contract::VERSION, hash.0);
    let file = "tests/fixtures/contract.hash";
    let text = fs::read_to_string(root().join(file)).expect("the fixture is there");
    let kept = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    assert_eq!(
        kept, now,
        "\nThe worker contract changed. If a release has this version, raise contract::VERSION. \
         Update the goldens of the contract, then put this line into {file}:\n{now}\n"
    );
}

/// The top-level modules that shipped code names, by line: those behind `crate::`, then those in
/// `crate::{...}`, then those behind enough `super::`.
fn used_modules(source: &Source) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    let supers = "super::".repeat(source.depth());
    let lines: Vec<_> = source.code().collect();
    for (line, code) in &lines {
        used.extend(after(code, "crate::").map(|name| (*line, name)));
    }
    let all = lines.iter().map(|(_, code)| *code).collect::<Vec<_>>().join(" ");
    for (start, open) in all.match_indices("crate::{") {
        let (mut level, mut fresh) = (0, true);
        for (at, c) in all[start + open.len()..].char_indices() {
            match c {
                '{' => level += 1,
                '}' if level == 0 => break,
                '}' => level -= 1,
                ',' if level == 0 => fresh = true,
                c if fresh && level == 0 && (c.is_alphabetic() || c == '_') => {
                    used.push((0, word(&all[start + open.len() + at..])));
                    fresh = false;
                }
                _ => {}
            }
        }
    }
    for (line, code) in &lines {
        used.extend(after(code, &supers).map(|name| (*line, name)));
    }
    used
}

fn after(code: &str, prefix: &str) -> impl Iterator<Item = String> {
    code.match_indices(prefix)
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$'))
        .map(|(at, _)| word(&code[at + prefix.len()..]))
        .filter(|name| !name.is_empty())
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Whether `code` has `path` as a word of its own.
fn has_path(code: &str, path: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(path).any(|(at, _)| {
        let rest = &code[at + path.len()..];
        !code[..at].ends_with(inside) && (path.ends_with(|c: char| !inside(c)) || !rest.starts_with(inside))
    })
}

/// Items at the crate's root (there are none but modules) are no edges.
fn is_module(name: &str) -> bool {
    EDGES.iter().any(|(module, _)| *module == name)
}

fn sources(folder: &str) -> Vec<Source> {
    let rust = files(folder).into_iter().filter(|path| path.ends_with(".rs"));
    rust.map(|path| Source { text: fs::read_to_string(root().join(&path)).expect("sources are UTF-8"), path }).collect()
}

/// All files below a folder, sorted; what is git's or cargo's is left out.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(dir) = open.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for path in entries.map(|entry| entry.expect("folders can be listed").path()) {
            let name = path.file_name().unwrap_or_default();
            if name == ".git" || (name == "target" && dir == root()) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                let below = path.strip_prefix(root()).expect("it lies below the root");
                found.push(below.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).into()
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// FNV-1a with 64 bits: enough to notice a change.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn write(&mut self, text: &str) {
        for byte in text.bytes().chain([b'\n']) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
