//! The renderer-neutral block model.

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
pub fn plain_text(blocks: &[Block]) -> String {
    let mut out = String::new();
    write_blocks(blocks, &mut out);
    out.truncate(out.trim_end().len());
    out
}

fn write_blocks(blocks: &[Block], out: &mut String) {
    for block in blocks {
        match block {
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
