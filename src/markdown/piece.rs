//! Long lists and long plain text as several blocks: what shows a message can then leave out what is out of sight.

use super::Block;

/// Bytes of plain text in one block.
pub(super) const TEXT: usize = 4 << 10;
/// Items of a list in one block.
const ITEMS: usize = 24;

/// Long top-level blocks as runs of short ones. Two lists, or two plain texts, that follow each other are one.
pub(super) fn cut(blocks: Vec<Block>) -> Vec<Block> {
    let mut out = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block {
            Block::List { start, items } if items.len() > ITEMS => {
                let mut items = items.into_iter();
                for run in 0.. {
                    let some: Vec<_> = items.by_ref().take(ITEMS).collect();
                    if some.is_empty() {
                        break;
                    }
                    out.push(Block::List { start: start.map(|first| first.saturating_add(run * ITEMS)), items: some });
                }
            }
            Block::Plain(text) if text.len() > TEXT => plain(&text, &mut out),
            block => out.push(block),
        }
    }
    out
}

/// Plain text as blocks of at most [`TEXT`] bytes.
fn plain(mut text: &str, out: &mut Vec<Block>) {
    while !text.is_empty() {
        let (piece, rest) = first(text);
        out.push(Block::Plain(piece.to_owned()));
        text = rest;
    }
}

/// The first piece and what follows: cut after a line (its end belongs to neither), else after a word, else anywhere.
pub(super) fn first(text: &str) -> (&str, &str) {
    if text.len() <= TEXT {
        return (text, "");
    }
    let piece = &text[..text.floor_char_boundary(TEXT)];
    if let Some(end) = piece.rfind('\n') {
        return (&text[..end], &text[end + 1..]);
    }
    let end = piece.rfind(' ').map_or(piece.len(), |space| space + 1);
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::super::{parse, plain_text};
    use super::*;

    #[test]
    fn a_long_list_counts_on_and_its_text_is_the_same() {
        let source: String = (7..107).map(|number| format!("{number}. item {number}\n")).collect();
        let blocks = parse(&source);
        let starts: Vec<_> = blocks.iter().map(|block| matches!(block, Block::List { start: Some(_), .. })).collect();
        assert_eq!(starts, [true; 5]);
        assert!(matches!(blocks[1], Block::List { start: Some(31), .. }), "{:?}", blocks[1]);
        assert_eq!(plain_text(&blocks), source.trim_end());
    }

    #[test]
    fn long_plain_text_is_cut_at_lines_then_words_then_anywhere() {
        let lines: String = (0..2_000).map(|number| format!("line {number}\n")).collect();
        let words = "word ".repeat(4_000);
        let other = "\u{e4}".repeat(9_000);
        for text in [lines.as_str(), &words, &other] {
            let blocks = cut(vec![Block::Plain(text.to_owned())]);
            assert!(blocks.len() > 2);
            let pieces: Vec<&str> = blocks
                .iter()
                .map(|block| match block {
                    Block::Plain(piece) => piece.as_str(),
                    other => panic!("{other:?}"),
                })
                .collect();
            assert!(pieces.iter().all(|piece| piece.len() <= TEXT));
            let glue = if text.contains('\n') { "\n" } else { "" };
            assert_eq!(pieces.join(glue).trim_end(), text.trim_end());
        }
    }
}
