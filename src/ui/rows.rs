//! What the rows of the history need beyond the engine's values: parsed Markdown, kept per row, and the parts that a
//! long message is shown in.
//!
//! The list lays out whole rows, so a long message is several of them, its parts. While it grows, only parts that change
//! have a new revision, and only those in sight are built: a delta costs what it is long.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::view::{Row, RowBody};
use crate::live::{BlockBody, KeptText};
use crate::markdown::{self, Block, Stream};
use crate::protocol::ThreadItem;

/// Rows whose parsed text is kept; the window shows a few dozen at a time.
const KEPT: usize = 400;
/// Bytes of a text that is shown in one part, whatever is in it.
const SHORT: usize = 8 << 10;
/// A part ends with the block that makes it this long.
const PART_BLOCKS: usize = 24;
const PART_BYTES: usize = 4 << 10;
/// Bits of a list's row key for the part; the engine's row key stands above them.
const PART_BITS: u32 = 16;

/// A part of a row, as the list knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    /// Index among the rows of the history.
    pub row: usize,
    /// From 0; only long messages have more than one.
    pub part: usize,
    /// How many parts the row has.
    pub of: usize,
}

/// The list's key of a part of a row.
pub fn part_key(row: u64, part: usize) -> u64 {
    row << PART_BITS | part as u64
}

/// The row whose part has this key.
pub fn row_of(key: u64) -> u64 {
    key >> PART_BITS
}

/// Parsed messages by row key. A row's text is read once, a growing one only where it grew.
#[derive(Debug, Default)]
pub struct Parsed {
    rows: RefCell<BTreeMap<u64, Entry>>,
}

#[derive(Debug, Default)]
struct Entry {
    rev: u32,
    text: Text,
    parts: Vec<Cut>,
}

#[derive(Debug, Default)]
enum Text {
    /// Read again when it comes back.
    #[default]
    Forgotten,
    Whole(Vec<Arc<Block>>),
    Growing {
        stream: Stream,
        /// What stands below the stream's blocks: what is not kept, and the end.
        tail: Vec<Arc<Block>>,
    },
}

/// Where a part ends (a block's index) and the row's revision when it last changed.
#[derive(Debug, Clone, Copy)]
struct Cut {
    end: usize,
    rev: u32,
}

/// A message's own text.
#[derive(Clone, Copy)]
enum Source<'a> {
    Whole(&'a str),
    Growing(&'a KeptText),
}

impl Parsed {
    /// The revisions of a row's parts, at least one.
    pub fn parts(&self, row: &Row) -> Vec<u32> {
        match source(row) {
            Some(source) if source.len() > SHORT => {
                let mut rows = self.rows.borrow_mut();
                let entry = rows.entry(row.key).or_default();
                if entry.rev != row.rev || entry.parts.is_empty() {
                    entry.read(row.rev, source);
                    forget(&mut rows, row.key);
                }
                rows[&row.key].parts.iter().map(|cut| cut.rev).collect()
            }
            _ => vec![row.rev],
        }
    }

    /// The blocks of a part of a message.
    pub fn part(&self, row: &Row, part: Part) -> Vec<Arc<Block>> {
        let Some(source) = source(row) else { return Vec::new() };
        let mut rows = self.rows.borrow_mut();
        let entry = rows.entry(row.key).or_default();
        if entry.rev != row.rev || matches!(entry.text, Text::Forgotten) {
            entry.read(row.rev, source);
        }
        let blocks = if part.of <= 1 { entry.blocks(0, usize::MAX) } else { entry.part(part.part) };
        forget(&mut rows, row.key);
        blocks
    }

    /// The last block of the part before, if there is one.
    pub fn before(&self, row: &Row, part: Part) -> Option<Arc<Block>> {
        let before = part.part.checked_sub(1)?;
        self.part(row, Part { part: before, ..part }).pop()
    }

    /// The blocks of a committed text that is no message.
    pub fn whole(&self, row: &Row, text: &str) -> Vec<Arc<Block>> {
        let mut rows = self.rows.borrow_mut();
        let entry = rows.entry(row.key).or_default();
        if entry.rev != row.rev || !matches!(entry.text, Text::Whole(_)) {
            entry.read(row.rev, Source::Whole(text));
        }
        let blocks = entry.blocks(0, usize::MAX);
        forget(&mut rows, row.key);
        blocks
    }

    /// Keeps nothing of rows that are no longer there.
    pub fn retain(&self, rows: &[Row]) {
        let mut kept = self.rows.borrow_mut();
        if kept.len() > rows.len() {
            let keys: std::collections::BTreeSet<u64> = rows.iter().map(|row| row.key).collect();
            kept.retain(|key, _| keys.contains(key));
        }
    }
}

impl Entry {
    fn read(&mut self, rev: u32, source: Source<'_>) {
        self.rev = rev;
        let settled = match source {
            Source::Whole(text) => {
                self.text = Text::Whole(markdown::parse(text).into_iter().map(Arc::new).collect());
                0
            }
            Source::Growing(text) => self.grow(text),
        };
        // A part changes while its end may.
        let known = self.parts.iter().take_while(|cut| cut.end <= settled).count();
        self.parts.truncate(known);
        let begin = self.parts.last().map_or(0, |cut| cut.end);
        let (mut end, mut blocks, mut bytes) = (begin, 0, 0);
        for block in self.blocks(begin, usize::MAX) {
            (end, blocks, bytes) = (end + 1, blocks + 1, bytes + block.text_len());
            if blocks >= PART_BLOCKS || bytes >= PART_BYTES {
                self.parts.push(Cut { end, rev });
                (blocks, bytes) = (0, 0);
            }
        }
        if blocks > 0 || self.parts.is_empty() {
            self.parts.push(Cut { end, rev });
        }
    }

    /// Reads what the text grew by; how many blocks were there before for good.
    fn grow(&mut self, text: &KeptText) -> usize {
        let goes_on = match &self.text {
            Text::Growing { stream, .. } => stream.len() <= text.head.len() && text.head.is_char_boundary(stream.len()),
            Text::Forgotten | Text::Whole(_) => false,
        };
        if !goes_on {
            self.text = Text::Growing { stream: Stream::default(), tail: Vec::new() };
            self.parts.clear();
        }
        let Text::Growing { stream, tail } = &mut self.text else { return 0 };
        let settled = stream.settled();
        if stream.len() < text.head.len() {
            stream.push(&text.head[stream.len()..]);
        }
        if text.dropped > 0 {
            let note = format!("({} bytes are not kept while this block runs)", text.dropped);
            *tail = vec![Arc::new(Block::Plain(note))];
            tail.extend(markdown::plain(&text.tail).into_iter().map(Arc::new));
        }
        settled
    }

    fn blocks(&self, begin: usize, end: usize) -> Vec<Arc<Block>> {
        let count = end.saturating_sub(begin);
        match &self.text {
            Text::Forgotten => Vec::new(),
            Text::Whole(blocks) => blocks.iter().skip(begin).take(count).cloned().collect(),
            Text::Growing { stream, tail } => stream.blocks().chain(tail).skip(begin).take(count).cloned().collect(),
        }
    }

    fn part(&self, part: usize) -> Vec<Arc<Block>> {
        let begin = part.checked_sub(1).and_then(|before| self.parts.get(before)).map_or(0, |cut| cut.end);
        self.parts.get(part).map_or_else(Vec::new, |cut| self.blocks(begin, cut.end))
    }
}

impl Source<'_> {
    fn len(self) -> usize {
        match self {
            Self::Whole(text) => text.len(),
            Self::Growing(text) => text.len(),
        }
    }
}

/// The text of a row that is shown in parts when it is long.
fn source(row: &Row) -> Option<Source<'_>> {
    match row.body.as_ref() {
        RowBody::Item(ThreadItem::AgentMessage { text, .. } | ThreadItem::Plan { text, .. }) => {
            Some(Source::Whole(text))
        }
        RowBody::Unfinished { body: BlockBody::AgentMessage(text) | BlockBody::Plan(text), .. } => {
            Some(Source::Growing(text))
        }
        _ => None,
    }
}

/// Forgets the oldest texts, never where their parts end.
fn forget(rows: &mut BTreeMap<u64, Entry>, keep: u64) {
    if rows.len() <= KEPT {
        return;
    }
    let read = |entry: &Entry| !matches!(entry.text, Text::Forgotten);
    let many = rows.values().filter(|entry| read(entry)).count().saturating_sub(KEPT);
    let oldest = rows.iter_mut().filter(|(key, entry)| **key != keep && read(entry)).take(many);
    oldest.for_each(|(_, entry)| entry.text = Text::Forgotten);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growing(key: u64, rev: u32, text: &str) -> Row {
        let mut kept = KeptText::default();
        kept.push(text);
        let body = BlockBody::AgentMessage(kept);
        let body = RowBody::Unfinished { item: "i".into(), started: None, body, late: false };
        Row { key, rev, turn: None, at: None, body: Arc::new(body) }
    }

    fn whole(key: u64, rev: u32, text: &str) -> Row {
        let item = serde_json::json!({"type": "agentMessage", "id": "i", "text": text});
        let item = serde_json::from_value(item).unwrap();
        Row { key, rev, turn: None, at: None, body: Arc::new(RowBody::Item(item)) }
    }

    fn all(parsed: &Parsed, row: &Row) -> Vec<Arc<Block>> {
        let of = parsed.parts(row).len();
        (0..of).flat_map(|part| parsed.part(row, Part { row: 0, part, of })).collect()
    }

    #[test]
    fn parts_together_are_the_message_and_only_those_that_grow_change() {
        let source: String = (0..400).map(|index| format!("Paragraph {index} of *many*.\n\n- a\n- b\n\n")).collect();
        let parsed = Parsed::default();
        let mut before = Vec::new();
        for (rev, end) in (0..source.len()).step_by(97).enumerate() {
            let row = growing(7, rev as u32, &source[..end]);
            let parts = parsed.parts(&row);
            let changed = before.iter().zip(&parts).filter(|(a, b)| a != b).count();
            assert!(changed <= 2 || before.len() <= 1, "{changed} of {} parts changed at {end}", parts.len());
            before = parts;
        }
        let row = growing(7, 9_999, &source);
        let expected: Vec<_> = markdown::parse(&source).into_iter().map(Arc::new).collect();
        assert_eq!(all(&parsed, &row), expected);
        let done = whole(7, 10_000, &source);
        assert_eq!(all(&parsed, &done), expected);
        assert!(parsed.parts(&done).len() > 20 && parsed.parts(&done).iter().all(|rev| *rev == 10_000));
    }

    #[test]
    fn a_usual_message_has_one_part() {
        let parsed = Parsed::default();
        let text = "line\n\n".repeat(200);
        assert_eq!(parsed.parts(&whole(1, 3, &text)), [3]);
        assert_eq!(all(&parsed, &whole(1, 3, &text)).len(), 200);
    }

    #[test]
    fn forgotten_texts_are_read_again_in_the_same_parts() {
        let parsed = Parsed::default();
        let text = |key: u64| format!("Message {key}\n\n{}", "some words\n\n".repeat(1_000));
        let rows: Vec<Row> = (0..KEPT as u64 + 50).map(|key| whole(key, 1, &text(key))).collect();
        let counts: Vec<usize> = rows.iter().map(|row| parsed.parts(row).len()).collect();
        assert!(parsed.rows.borrow().values().filter(|entry| !matches!(entry.text, Text::Forgotten)).count() <= KEPT);
        for (row, count) in rows.iter().zip(counts) {
            assert_eq!(parsed.parts(row).len(), count);
            assert_eq!(all(&parsed, row).len(), 1_001);
        }
        parsed.retain(&rows[..1]);
        assert_eq!(parsed.rows.borrow().len(), 1);
    }
}
