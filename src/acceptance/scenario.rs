//! The scenarios as data: how the program starts, the keys pressed, and the moment that is kept.
//!
//! Everything is done by keyboard. [`Step::Press`] walks there with Tab, so a control that Tab does not reach fails
//! its scenario.

mod list;

use super::matrix::Sizes;
pub use list::SCENARIOS;

/// One state of the program, and the way to it.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// The first part of its cases' names.
    pub name: &'static str,
    /// One line for the report: what is to be seen.
    pub about: &'static str,
    /// How the program starts.
    pub boot: Boot,
    /// Parts of the way, one after the other; scenarios share them.
    pub way: &'static [&'static [Step]],
    /// In which windows it is looked at.
    pub sizes: Sizes,
}

/// How the program starts.
#[derive(Debug, Clone, Copy)]
pub enum Boot {
    /// As a first start does: the connection page.
    Nothing,
    /// The same, with these saved connections (the content of `profiles.toml`).
    Saved(&'static str),
    /// Connected to a scenario of the built-in demo.
    Demo(&'static str),
    /// Told to start this Codex, which is not there.
    Codex(&'static str),
    /// Told to connect to a server: with a token, which it refuses, or with a certificate nobody vouches for.
    Server { url: &'static str, token_file: Option<&'static str> },
}

/// One thing that a person does, or waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A key or chord.
    Key(&'static str),
    /// The same key so many times.
    Times(usize, &'static str),
    /// Text, key by key.
    Type(&'static str),
    /// Tab until the control of this name has the focus, then Enter.
    Press(&'static str),
    /// Tab until the control of this name has the focus.
    Go(&'static str),
    /// Until a node says this.
    Until(&'static str),
    /// Until a node has exactly this name.
    Named(&'static str),
    /// Until no node says this.
    Gone(&'static str),
    /// Time passes, in milliseconds.
    Advance(u64),
}
