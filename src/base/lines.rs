//! Splits a byte stream into lines of bounded length, in time linear in the bytes.
//!
//! The splitter does no I/O: whoever reads a pipe feeds it what arrived, however it was cut.

/// Collects the bytes of one unfinished line.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    partial: Vec<u8>,
    /// Bytes of the current line beyond `limit`.
    over: usize,
}

/// One line without its line end (LF or CRLF).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// All of it.
    Whole(Vec<u8>),
    /// Its first `limit` bytes; `dropped` more are gone.
    Cut { head: Vec<u8>, dropped: usize },
}

impl Splitter {
    /// A line keeps at most `limit` bytes, its line end not counted.
    pub fn new(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), over: 0 }
    }

    /// Takes bytes from the front of `input` until a line is complete or `input` is empty.
    pub fn feed(&mut self, input: &mut &[u8]) -> Option<Line> {
        let end = input.iter().position(|byte| *byte == b'\n');
        let (now, rest) = match end {
            Some(at) => (&input[..at], &input[at + 1..]),
            None => (*input, &input[input.len()..]),
        };
        // One byte of room for the CR of a CRLF that may still turn out to be a line end.
        let room = (self.limit + 1).saturating_sub(self.partial.len()).min(now.len());
        self.partial.extend_from_slice(&now[..room]);
        self.over += now.len() - room;
        *input = rest;
        end.map(|_| self.take())
    }

    /// The last line of a stream that did not end with a line end.
    pub fn finish(&mut self) -> Option<Line> {
        (!self.partial.is_empty()).then(|| self.take())
    }

    /// Bytes of the unfinished line that are kept.
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    /// Whether the unfinished line begins with these bytes.
    pub fn starts_with(&self, bytes: &[u8]) -> bool {
        self.partial.starts_with(bytes)
    }

    /// Whether the unfinished line is already over the limit.
    pub fn is_over(&self) -> bool {
        self.over > 0
    }

    fn take(&mut self) -> Line {
        let mut head = std::mem::take(&mut self.partial);
        let mut dropped = std::mem::take(&mut self.over);
        if dropped == 0 && head.last() == Some(&b'\r') {
            head.pop();
        }
        if head.len() > self.limit {
            dropped += head.len() - self.limit;
            head.truncate(self.limit);
        }
        if dropped == 0 { Line::Whole(head) } else { Line::Cut { head, dropped } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(limit: usize, chunks: &[&[u8]]) -> Vec<Line> {
        let mut splitter = Splitter::new(limit);
        let mut lines = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while let Some(line) = splitter.feed(&mut rest) {
                lines.push(line);
            }
        }
        lines.extend(splitter.finish());
        lines
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_do_not_depend_on_how_the_stream_was_cut() {
        let stream = b"{\"a\":1}\r\n\n{\"b\"}\nlast";
        let expected = vec![whole("{\"a\":1}"), whole(""), whole("{\"b\"}"), whole("last")];
        for cut in 0..stream.len() {
            assert_eq!(split(100, &[&stream[..cut], &stream[cut..]]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_over_the_limit_is_cut_and_the_next_one_is_whole() {
        let lines = split(4, &[b"abcd\r\nabc", b"defgh\nok\n"]);
        let cut = Line::Cut { head: b"abcd".to_vec(), dropped: 4 };
        assert_eq!(lines, vec![whole("abcd"), cut, whole("ok")]);
    }
}
