//! Markdown that grows: blocks that can no longer change are kept, only the live tail is read again.

use std::sync::Arc;

use super::parse::{parse, parse_tail};
use super::{Block, untrusted};

/// Bytes of a live tail that are read as Markdown at every delta; beyond, it grows as plain text
/// until it settles, so that a delta costs what it is long.
const MAX_TAIL: usize = 8 << 10;

/// A growing message.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    settled: Vec<Arc<Block>>,
    tail: String,
    tail_blocks: Vec<Arc<Block>>,
    length: usize,
}

impl Stream {
    /// Appends a delta.
    pub fn push(&mut self, delta: &str) {
        self.length += delta.len();
        self.tail.push_str(delta);
        if self.tail.len() > MAX_TAIL {
            self.grow_plain(delta);
            return;
        }
        if delta.contains('\n') {
            self.settle();
        }
        self.tail_blocks = parse(&self.tail).into_iter().map(Arc::new).collect();
    }

    /// Keeps every block of the complete lines but the last one: the next line can still change that.
    fn settle(&mut self) {
        let end = self.tail.rfind('\n').map_or(0, |at| at + 1);
        let complete = &self.tail[..end];
        let (blocks, begin) = parse_tail(complete);
        // `parse_tail` counts in cleaned text; only where that is the same text can a part settle.
        let clean = matches!(untrusted::prose(complete), std::borrow::Cow::Borrowed(_));
        if clean && begin > 0 && blocks.len() > 1 {
            let last = blocks.len() - 1;
            self.settled.extend(blocks.into_iter().take(last).map(Arc::new));
            self.tail.drain(..begin);
        }
    }

    /// Everything so far, whole: what `parse` would give, as far as it is settled.
    pub fn blocks(&self) -> impl Iterator<Item = &Arc<Block>> {
        self.settled.iter().chain(&self.tail_blocks)
    }

    /// Bytes pushed so far.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn grow_plain(&mut self, delta: &str) {
        // A long tail settles at a blank line, else it goes on as plain text.
        if let Some(cut) = self.tail.rfind("\n\n")
            && !self.tail.trim_start().starts_with("```")
        {
            let done: String = self.tail.drain(..cut + 2).collect();
            self.settled.extend(parse(&done).into_iter().map(Arc::new));
            self.tail_blocks = parse(&self.tail).into_iter().map(Arc::new).collect();
            return;
        }
        match self.tail_blocks.as_mut_slice() {
            [last] if matches!(**last, Block::Plain(_)) => {
                if let Block::Plain(text) = Arc::make_mut(last) {
                    text.push_str(&untrusted::prose(delta));
                }
            }
            _ => self.tail_blocks = vec![Arc::new(Block::Plain(untrusted::prose(&self.tail).into_owned()))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain_text;
    use super::*;

    fn whole(stream: &Stream) -> Vec<Block> {
        stream.blocks().map(|block| (**block).clone()).collect()
    }

    #[test]
    fn any_split_gives_the_blocks_of_the_whole() {
        let source = "# Title\n\nOne *two*\nthree\n\n- a\n- b\n\n  more\n\n```rust\nfn x() {}\n\nlet y;\n```\n\n> quote\n\n|a|b|\n|-|-|\n|1|2|\n\nend 日本語 🎉";
        for step in [1, 2, 3, 7, 50] {
            let mut stream = Stream::default();
            let chars: Vec<char> = source.chars().collect();
            for piece in chars.chunks(step) {
                stream.push(&piece.iter().collect::<String>());
            }
            assert_eq!(whole(&stream), parse(source), "step {step}");
        }
    }

    #[test]
    fn a_long_tail_keeps_all_text() {
        let mut stream = Stream::default();
        for index in 0..4_000 {
            stream.push(&format!("word{index} "));
        }
        let text = plain_text(&whole(&stream));
        assert!((0..4_000).all(|index| text.contains(&format!("word{index} ")) || index == 3_999), "{}", text.len());
    }
}
