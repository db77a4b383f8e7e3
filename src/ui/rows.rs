//! What the rows of the history need beyond the engine's values: parsed Markdown, kept per row.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::view::Row;
use crate::live::KeptText;
use crate::markdown::{self, Block, Stream};

/// Rows whose parsed text is kept; the window shows a few dozen at a time.
const KEPT: usize = 400;

/// Parsed messages by row key. A row's text is read once, a growing one only where it grew.
#[derive(Debug, Default)]
pub struct Parsed {
    rows: RefCell<BTreeMap<u64, Entry>>,
}

#[derive(Debug)]
struct Entry {
    rev: u32,
    stream: Option<Stream>,
    blocks: Vec<Arc<Block>>,
}

impl Parsed {
    /// The blocks of a committed text.
    pub fn whole(&self, row: &Row, text: &str) -> Vec<Arc<Block>> {
        let mut rows = self.rows.borrow_mut();
        if let Some(entry) = rows.get(&row.key).filter(|entry| entry.rev == row.rev && entry.stream.is_none()) {
            return entry.blocks.clone();
        }
        trim(&mut rows, row.key);
        let blocks: Vec<_> = markdown::parse(text).into_iter().map(Arc::new).collect();
        rows.insert(row.key, Entry { rev: row.rev, stream: None, blocks: blocks.clone() });
        blocks
    }

    /// The blocks of a growing text.
    pub fn growing(&self, row: &Row, text: &KeptText) -> Vec<Arc<Block>> {
        let mut rows = self.rows.borrow_mut();
        trim(&mut rows, row.key);
        let entry = rows.entry(row.key).or_insert_with(|| Entry { rev: row.rev, stream: None, blocks: Vec::new() });
        let known = entry.stream.as_ref().map_or(0, Stream::len);
        let stream = match &mut entry.stream {
            Some(stream) if known <= text.head.len() && text.head.is_char_boundary(known) => stream,
            slot => slot.insert(Stream::default()),
        };
        let known = stream.len();
        if known < text.head.len() {
            stream.push(&text.head[known..]);
        }
        entry.rev = row.rev;
        let mut blocks: Vec<_> = stream.blocks().cloned().collect();
        if text.dropped > 0 {
            blocks.push(Arc::new(Block::Plain(format!("({} bytes are not kept while this block runs)", text.dropped))));
            blocks.push(Arc::new(Block::Plain(markdown::untrusted::prose(&text.tail).into_owned())));
        }
        blocks
    }
}

/// Forgets the oldest rows; they are read again when they come back.
fn trim(rows: &mut BTreeMap<u64, Entry>, keep: u64) {
    while rows.len() >= KEPT && !rows.contains_key(&keep) {
        rows.pop_first();
    }
}
