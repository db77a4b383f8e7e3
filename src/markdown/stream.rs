//! Markdown that grows: blocks that can no longer change are kept, only the live tail is read again.

use std::borrow::Cow;
use std::sync::Arc;

use super::parse::{parse, parse_before_last};
use super::{Block, piece, untrusted};

/// Bytes of a live tail that are read as Markdown at every delta. A longer one grows as what it began as (code, else
/// plain text) until its block ends, so that a delta costs what it is long.
const MAX_TAIL: usize = 8 << 10;

/// A growing message.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    settled: Vec<Arc<Block>>,
    /// Harmless text that is not settled; of long code the last line only.
    tail: String,
    tail_blocks: Vec<Arc<Block>>,
    long: Option<Long>,
    /// The last delta ended with a carriage return: the next one tells what it means.
    held: bool,
    length: usize,
}

/// What a long tail grows as.
#[derive(Debug, Clone)]
enum Long {
    Code {
        fence: Fence,
        /// Line ends that are shown once text follows them.
        ends: usize,
    },
    Plain,
}

/// What opened a block of code.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Stream {
    /// Appends a delta.
    pub fn push(&mut self, delta: &str) {
        self.length += delta.len();
        let whole =
            if std::mem::take(&mut self.held) { Cow::Owned(format!("\r{delta}")) } else { Cow::Borrowed(delta) };
        let text = whole.strip_suffix('\r').inspect(|_| self.held = true).unwrap_or(&whole);
        self.grow(&untrusted::prose(text));
    }

    /// The blocks of everything so far: what `parse` would give, except where a block is longer than what is read
    /// again at every delta.
    pub fn blocks(&self) -> impl Iterator<Item = &Arc<Block>> {
        self.settled.iter().chain(&self.tail_blocks)
    }

    /// How many of the blocks will never change.
    pub fn settled(&self) -> usize {
        self.settled.len()
    }

    /// Bytes pushed so far.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn grow(&mut self, text: &str) {
        match &mut self.long {
            None => {
                self.tail.push_str(text);
                if text.contains('\n') {
                    self.settle();
                }
                if self.tail.len() > MAX_TAIL { self.begin_long() } else { self.read() }
            }
            Some(Long::Code { .. }) => self.grow_code(text),
            Some(Long::Plain) => self.grow_plain(text),
        }
    }

    fn read(&mut self) {
        self.tail_blocks = parse(&self.tail).into_iter().map(Arc::new).collect();
    }

    /// Keeps every block of the complete lines but the last one: the next line can still change that.
    fn settle(&mut self) {
        let end = self.tail.rfind('\n').map_or(0, |at| at + 1);
        let (blocks, begin) = parse_before_last(&self.tail[..end]);
        if begin > 0 {
            self.settled.extend(blocks.into_iter().map(Arc::new));
            self.tail.drain(..begin);
        }
    }

    fn begin_long(&mut self) {
        if let Some((fence, language, rest)) = Fence::open(&self.tail) {
            let block = Block::Code { language: language.to_owned(), text: String::new() };
            let rest = rest.to_owned();
            self.tail_blocks = vec![Arc::new(block)];
            self.tail.clear();
            self.long = Some(Long::Code { fence, ends: 0 });
            return self.grow_code(&rest);
        }
        // A list, a quote: its parts are blocks of their own from here on.
        let cut = self.tail.rfind("\n\n").map(|at| at + 2).or_else(|| last_item(&self.tail));
        if let Some(cut) = cut {
            let done: String = self.tail.drain(..cut).collect();
            self.settled.extend(parse(&done).into_iter().map(Arc::new));
            if self.tail.len() <= MAX_TAIL {
                return self.read();
            }
        }
        self.long = Some(Long::Plain);
        self.grow_plain("");
    }

    /// Plain text until a blank line.
    fn grow_plain(&mut self, text: &str) {
        let seam = self.tail.floor_char_boundary(self.tail.len().saturating_sub(1));
        self.tail.push_str(text);
        let end = self.tail[seam..].find("\n\n").map(|at| seam + at);
        let text = std::mem::take(&mut self.tail);
        let mut plain = end.map_or(text.as_str(), |end| &text[..end]);
        let limit = if end.is_some() { 0 } else { 2 * piece::TEXT };
        while plain.len() > limit {
            let (piece, rest) = piece::first(plain);
            self.settled.push(Arc::new(Block::Plain(piece.to_owned())));
            plain = rest;
        }
        match end {
            None => {
                self.tail = plain.to_owned();
                self.tail_blocks = vec![Arc::new(Block::Plain(self.tail.clone()))];
            }
            Some(end) => {
                self.long = None;
                self.grow(&text[end + 2..]);
            }
        }
    }

    /// Code until its closing line.
    fn grow_code(&mut self, text: &str) {
        let (Some(Long::Code { fence, ends }), [block]) = (&mut self.long, self.tail_blocks.as_mut_slice()) else {
            return;
        };
        let Block::Code { text: code, .. } = Arc::make_mut(block) else { return };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            let shown = self.tail.len();
            self.tail.push_str(line);
            let Some(end) = line.strip_suffix('\n') else {
                show(code, ends, line);
                break;
            };
            if fence.closes(&self.tail) {
                code.truncate(code.len() - shown);
                code.truncate(code.trim_end_matches('\n').len());
                self.settled.append(&mut self.tail_blocks);
                self.long = None;
                self.tail.clear();
                return self.grow(&text[at..]);
            }
            self.tail.clear();
            show(code, ends, end);
            *ends += 1;
        }
    }
}

/// Adds text to code, after the line ends that were held back.
fn show(code: &mut String, ends: &mut usize, text: &str) {
    if !text.is_empty() {
        code.extend(std::iter::repeat_n('\n', std::mem::take(ends)));
        code.push_str(text);
    }
}

/// Where the last item of a list begins that itself begins with the text.
fn last_item(text: &str) -> Option<usize> {
    let is_item = |line: &str| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let marker = if rest.len() == line.len() { ["- ", "* ", "+ "].as_slice() } else { &[". ", ") "] };
        marker.iter().any(|marker| rest.starts_with(marker))
    };
    if !is_item(text) {
        return None;
    }
    let mut ends = text.rmatch_indices('\n').map(|(at, _)| at + 1);
    ends.find(|begin| is_item(&text[*begin..]))
}

impl Fence {
    /// The fence, its language and what follows its line, when the text begins with a block of code.
    fn open(text: &str) -> Option<(Self, &str, &str)> {
        let (line, rest) = text.split_once('\n')?;
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        let opens = length >= 3 && !(mark == '`' && info.contains('`'));
        opens.then(|| (Self { mark, length }, info.split_whitespace().next().unwrap_or_default(), rest))
    }

    fn closes(self, line: &str) -> bool {
        let unindented = line.trim_start_matches(' ');
        let rest = unindented.trim_start_matches(self.mark);
        line.len() - unindented.len() <= 3 && unindented.len() - rest.len() >= self.length && rest.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain_text;
    use super::*;

    fn whole(stream: &Stream) -> Vec<Block> {
        stream.blocks().map(|block| (**block).clone()).collect()
    }

    fn pushed(source: &str, step: usize) -> Stream {
        let mut stream = Stream::default();
        let chars: Vec<char> = source.chars().collect();
        for piece in chars.chunks(step) {
            stream.push(&piece.iter().collect::<String>());
        }
        assert_eq!(stream.len(), source.len());
        stream
    }

    #[test]
    fn any_split_gives_the_blocks_of_the_whole() {
        let source = "# Title\r\n\r\nOne *two*\r\nthree\n\n- a\n- b\n\n  more\n\n```rust\nfn x() {}\n\nlet y;\n```\n\n> quote\u{202e}\n\n|a|b|\n|-|-|\n|1|2|\n\n<!-- x -->\n\nend 日本語 🎉";
        for step in [1, 2, 3, 7, 50, 10_000] {
            assert_eq!(whole(&pushed(source, step)), parse(source), "step {step}");
        }
    }

    #[test]
    fn long_code_is_code_from_beginning_to_end() {
        let lines: String = (0..3_000).map(|line| format!("  let line_{line} = \"``` is no end here\";\n\n")).collect();
        let source = format!("Before.\n\n````rust\n\n{lines}```\n``` x\n````  \nAfter *it*.");
        for step in [1, 13, 5_000, source.len()] {
            assert_eq!(whole(&pushed(&source, step)), parse(&source), "step {step}");
        }
        let open = &source[..source.find("````  ").unwrap()];
        for step in [1, 13, 5_000] {
            let mut expected = parse(open);
            assert_eq!(whole(&pushed(open, step)).pop(), expected.pop(), "step {step}: not closed yet");
        }
    }

    #[test]
    fn a_long_list_stays_a_list() {
        let source: String = (1..2_000).map(|item| format!("{item}. The item *{item}* of a long list\n")).collect();
        for step in [1, 40, 20_000] {
            let stream = pushed(&source, step);
            assert!(stream.blocks().all(|block| matches!(**block, Block::List { .. })), "step {step}");
            assert_eq!(plain_text(&whole(&stream)), plain_text(&parse(&source)), "step {step}");
        }
    }

    #[test]
    fn a_long_paragraph_keeps_all_text_and_what_follows_is_markdown_again() {
        let words: String = (0..4_000).map(|index| format!("word{index} ")).collect();
        let lines: String = (0..4_000).map(|index| format!("line{index}\n")).collect();
        for (text, step) in [(&words, 11), (&words, 50_000), (&lines, 11), (&lines, 50_000)] {
            let stream = pushed(&format!("{text}\n\n## Then\n\n- a"), step);
            let blocks = whole(&stream);
            assert!(matches!(blocks[blocks.len() - 2..], [Block::Heading { level: 2, .. }, Block::List { .. }]));
            assert!(stream.settled() > 4 || step > MAX_TAIL, "what grew is settled in pieces");
            let shown: String = plain_text(&blocks).split_whitespace().collect();
            let expected: String = format!("{text}Then\u{2022} a").split_whitespace().collect();
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn what_is_settled_stays() {
        let source = "One\n\n- a\n- b\n\n```\ncode\n```\n\nword ".to_owned() + &"word ".repeat(5_000) + "\n\nend";
        let mut stream = Stream::default();
        let mut before: Vec<Arc<Block>> = Vec::new();
        for c in source.chars() {
            stream.push(c.encode_utf8(&mut [0; 4]));
            let settled: Vec<_> = stream.blocks().take(stream.settled()).cloned().collect();
            assert!(before.iter().zip(&settled).all(|(a, b)| Arc::ptr_eq(a, b)) && before.len() <= settled.len());
            before = settled;
        }
    }
}
