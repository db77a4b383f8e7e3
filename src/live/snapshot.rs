//! Putting a snapshot of a live thread together from the parts that crossed the contract.
//!
//! Both ends are the same build: a snapshot of another length, order or shape is a fault, never guessed at.

use super::LiveThread;
use crate::base::ThreadId;

/// One snapshot on its way (`SnapshotBegin`, `SnapshotPart`*, `SnapshotEnd`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembler {
    thread: ThreadId,
    seq: u64,
    bytes: usize,
    text: String,
}

/// Why a snapshot could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fewer or more bytes than announced.
    #[error("the snapshot has {got} bytes, {announced} were announced")]
    Length { announced: usize, got: usize },
    /// Not the JSON text of a live thread.
    #[error("the snapshot cannot be read: {0}")]
    Malformed(#[source] serde_json::Error),
    /// The snapshot of another thread.
    #[error("the snapshot is of thread {0}")]
    OtherThread(ThreadId),
}

impl Assembler {
    /// `SnapshotBegin`: live events continue after `seq`.
    pub fn begin(thread: ThreadId, seq: u64, bytes: usize) -> Self {
        Self { thread, seq, bytes, text: String::new() }
    }

    /// `SnapshotPart`. Refused as soon as there are more bytes than announced.
    pub fn part(&mut self, text: &str) -> Result<(), Error> {
        let got = self.text.len().saturating_add(text.len());
        if got > self.bytes {
            return Err(Error::Length { announced: self.bytes, got });
        }
        self.text.push_str(text);
        Ok(())
    }

    /// `SnapshotEnd`: the live thread and the sequence number it stands for.
    pub fn end(self) -> Result<(LiveThread, u64), Error> {
        if self.text.len() != self.bytes {
            return Err(Error::Length { announced: self.bytes, got: self.text.len() });
        }
        let live: LiveThread = serde_json::from_str(&self.text).map_err(Error::Malformed)?;
        if live.thread != self.thread {
            return Err(Error::OtherThread(live.thread));
        }
        Ok((live, self.seq))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole_and_wrong_lengths_are_faults() {
        let text = serde_json::to_string(&LiveThread::new("t".into())).unwrap();
        let mut whole = Assembler::begin("t".into(), 7, text.len());
        whole.part(&text[..10]).unwrap();
        whole.part(&text[10..]).unwrap();
        let (live, seq) = whole.clone().end().unwrap();
        assert_eq!((live.thread.as_str(), seq), ("t", 7));
        assert!(matches!(whole.part("x"), Err(Error::Length { .. })));

        let mut short = Assembler::begin("t".into(), 7, text.len());
        short.part(&text[..10]).unwrap();
        assert!(matches!(short.end(), Err(Error::Length { got: 10, .. })));

        let mut other = Assembler::begin("u".into(), 7, text.len());
        other.part(&text).unwrap();
        assert!(matches!(other.end(), Err(Error::OtherThread(_))));
    }
}
