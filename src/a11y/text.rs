//! The text of an editor, with its caret, as screen readers read it.

use super::{Key, derived};
use accesskit::{Node, NodeId, Role, TextPosition, TextSelection};
use unicode_segmentation::UnicodeSegmentation;

/// AccessKit counts the characters of a run in a byte; longer lines become several runs.
const RUN: usize = 200;

/// A place in a text: line, and byte within it (as iced's editor counts).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caret {
    pub line: usize,
    pub byte: usize,
}

struct Run<'a> {
    line: usize,
    /// Byte offset within the line.
    start: usize,
    text: &'a str,
}

/// One or more `TextRun` nodes per line, and the selection from `anchor` to `focus` (a caret when equal). Places
/// beyond the text are taken as its end.
pub fn text_runs(owner: &Key, text: &str, anchor: Caret, focus: Caret) -> (Vec<(NodeId, Node)>, TextSelection) {
    let runs = split(text);
    let id = |index: usize| derived(&(owner.as_str(), "run", index));
    let nodes = (0..runs.len()).map(|index| {
        let mut node = describe(runs[index].text);
        if index > 0 && runs[index - 1].line == runs[index].line {
            node.set_previous_on_line(id(index - 1));
        }
        if index + 1 < runs.len() && runs[index + 1].line == runs[index].line {
            node.set_next_on_line(id(index + 1));
        }
        (id(index), node)
    });
    let nodes = nodes.collect();
    let place = |caret: Caret| {
        let index = runs.iter().rposition(|run| (run.line, run.start) <= (caret.line, caret.byte)).unwrap_or(0);
        let run = &runs[index];
        let within = if run.line < caret.line { usize::MAX } else { caret.byte - run.start };
        let text = run.text.trim_end_matches(['\n', '\r']);
        let character_index = text.grapheme_indices(true).filter(|(byte, _)| *byte < within).count();
        TextPosition { node: id(index), character_index }
    };
    (nodes, TextSelection { anchor: place(anchor), focus: place(focus) })
}

fn split(text: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let after_last = (text.is_empty() || text.ends_with('\n')).then_some("");
    for (line, whole) in text.split_inclusive('\n').chain(after_last).enumerate() {
        let mut start = 0;
        let cuts = whole.grapheme_indices(true).map(|(byte, _)| byte).skip(RUN).step_by(RUN);
        for end in cuts.chain([whole.len()]) {
            runs.push(Run { line, start, text: &whole[start..end] });
            start = end;
        }
    }
    runs
}

fn describe(text: &str) -> Node {
    let mut node = Node::new(Role::TextRun);
    node.set_value(text);
    let mut lengths = Vec::new();
    for grapheme in text.graphemes(true) {
        match u8::try_from(grapheme.len()) {
            Ok(length) => lengths.push(length),
            // A pile of combining marks longer than a byte can count is read mark by mark.
            Err(_) => lengths.extend(grapheme.chars().map(|c| c.len_utf8() as u8)),
        }
    }
    node.set_character_lengths(lengths);
    let mut column = 0;
    let mut starts = Vec::new();
    for word in text.split_word_bounds() {
        if word.chars().any(char::is_alphanumeric)
            && let Ok(start) = u8::try_from(column)
        {
            starts.push(start);
        }
        column += word.graphemes(true).count();
    }
    node.set_word_starts(starts);
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_becomes_runs_joined_on_their_line_and_the_caret_is_in_the_right_one() {
        let text = format!("{}\nsecond", "x".repeat(450));
        let caret = Caret { line: 0, byte: 410 };
        let (runs, selection) = text_runs(&Key::from("e"), &text, caret, Caret { line: 1, byte: 3 });
        assert_eq!(runs.len(), 4);
        assert_eq!(selection.anchor.node, runs[2].0);
        assert_eq!(selection.anchor.character_index, 10);
        assert_eq!(selection.focus.node, runs[3].0);
        assert_eq!(selection.focus.character_index, 3);
        assert_eq!(runs[1].1.previous_on_line(), Some(runs[0].0));
        assert_eq!(runs[3].1.previous_on_line(), None);
    }

    #[test]
    fn an_empty_text_has_one_empty_run_for_the_caret() {
        let caret = Caret { line: 0, byte: 0 };
        let (runs, selection) = text_runs(&Key::from("e"), "", caret, caret);
        assert_eq!(runs.len(), 1);
        assert_eq!(selection.focus.character_index, 0);
    }
}
