//! The renderer-neutral block model.

use std::borrow::Borrow;

use super::SafeUrl;

/// A block of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    Paragraph(Vec<Inline>),
    Heading {
        /// 1 to 6.
        level: u8,
        content: Vec<Inline>,
    },
    Code {
        /// The first word of the info string; empty if none.
        language: String,
        text: String,
    },
    Quote(Vec<Block>),
    List {
        /// The first number of an ordered list.
        start: Option<usize>,
        items: Vec<ListItem>,
    },
    Table {
        head: Vec<Vec<Inline>>,
        rows: Vec<Vec<Vec<Inline>>>,
    },
    Rule,
    /// Text that was not read as Markdown (too deep, too large).
    Plain(String),
}

impl Block {
    /// Bytes of its text: what drawing it costs.
    pub fn text_len(&self) -> usize {
        let inlines = |content: &[Inline]| content.iter().map(|inline| inline.text.len()).sum::<usize>();
        let blocks = |blocks: &[Self]| blocks.iter().map(Self::text_len).sum::<usize>();
        match self {
            Self::Paragraph(content) | Self::Heading { content, .. } => inlines(content),
            Self::Code { text, .. } | Self::Plain(text) => text.len(),
            Self::Quote(content) => blocks(content),
            Self::List { items, .. } => items.iter().map(|item| blocks(&item.blocks)).sum(),
            Self::Table { head, rows } => head.iter().chain(rows.iter().flatten()).map(|cell| inlines(cell)).sum(),
            Self::Rule => 0,
        }
    }

    /// Whether the two are pieces of one long list or one long plain text.
    pub fn goes_on(&self, next: &Self) -> bool {
        match (self, next) {
            (Self::Plain(_), Self::Plain(_)) => true,
            (Self::List { start: None, .. }, Self::List { start, .. }) => start.is_none(),
            (Self::List { start: Some(first), items }, Self::List { start, .. }) => {
                *start == first.checked_add(items.len())
            }
            _ => false,
        }
    }
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListItem {
    /// A task list's mark.
    pub checked: Option<bool>,
    pub blocks: Vec<Block>,
}

/// A run of text with one style.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inline {
    pub text: String,
    pub bold: bool,
    pub italic: bool,
    pub strike: bool,
    pub code: bool,
    /// The checked target; a link with a refused target is plain text followed by its target.
    pub link: Option<SafeUrl>,
}

impl Inline {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Whether two runs differ in text only.
    pub(super) fn same_style(&self, other: &Self) -> bool {
        (self.bold, self.italic, self.strike, self.code) == (other.bold, other.italic, other.strike, other.code)
            && self.link == other.link
    }
}

/// The text of blocks for a screen reader, an announcement, Find.
pub fn plain_text(blocks: &[impl Borrow<Block>]) -> String {
    let mut out = String::new();
    write_blocks(blocks, &mut out);
    out.truncate(out.trim_end().len());
    out
}

fn write_blocks(blocks: &[impl Borrow<Block>], out: &mut String) {
    for block in blocks {
        match block.borrow() {
            Block::Paragraph(content) | Block::Heading { content, .. } => write_inlines(content, out),
            Block::Code { text, .. } | Block::Plain(text) => out.push_str(text.trim_end_matches('\n')),
            Block::Quote(blocks) => {
                write_blocks(blocks, out);
                continue;
            }
            Block::List { start, items } => {
                write_list(*start, items, out);
                continue;
            }
            Block::Table { head, rows } => {
                for row in std::iter::once(head).chain(rows) {
                    for (index, cell) in row.iter().enumerate() {
                        if index > 0 {
                            out.push('\t');
                        }
                        write_inlines(cell, out);
                    }
                    out.push('\n');
                }
                continue;
            }
            Block::Rule => out.push_str("---"),
        }
        out.push('\n');
    }
}

fn write_list(start: Option<usize>, items: &[ListItem], out: &mut String) {
    for (index, item) in items.iter().enumerate() {
        match (item.checked, start) {
            (Some(true), _) => out.push_str("[x] "),
            (Some(false), _) => out.push_str("[ ] "),
            (None, Some(first)) => out.push_str(&format!("{}. ", first.saturating_add(index))),
            (None, None) => out.push_str("• "),
        }
        write_blocks(&item.blocks, out);
        if item.blocks.is_empty() {
            out.push('\n');
        }
    }
}

fn write_inlines(content: &[Inline], out: &mut String) {
    for inline in content {
        out.push_str(&inline.text);
    }
}
