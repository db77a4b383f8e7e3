//! Lines of the contract: encode, decode, sequence.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Envelope;
use crate::base::{Stamp, limit};

/// Numbers and encodes the lines of one direction.
#[derive(Debug, Default)]
pub struct Encoder {
    seq: u64,
}

/// Checks and decodes the lines of one direction.
#[derive(Debug, Default)]
pub struct Decoder {
    seq: u64,
}

/// What a line was.
#[derive(Debug, PartialEq)]
pub enum Decoded<B> {
    /// A message; `missed` counts the messages lost before it.
    Message { envelope: Envelope<B>, missed: u64 },
    /// A line that is not an object: somebody printed something. Logged and skipped.
    Stray(String),
}

/// A broken line ends the worker: both ends are the same build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Longer than `limit::CONTRACT_LINE`.
    #[error("a line of {0} bytes is over the contract's limit")]
    TooLong(usize),
    /// An object that is no message of this contract.
    #[error("a line does not follow contract {version}: {0}", version = super::VERSION)]
    Malformed(#[source] serde_json::Error),
    /// A sequence number that went back.
    #[error("sequence number {got} after {last}")]
    OutOfOrder { last: u64, got: u64 },
}

impl Encoder {
    /// One line with its LF.
    pub fn encode<B: Serialize>(&mut self, stamp: Option<Stamp>, body: B) -> Result<String, Error> {
        let mut line = serde_json::to_string(&Envelope { seq: self.seq + 1, stamp, body }).map_err(Error::Malformed)?;
        line.push('\n');
        if line.len() > limit::CONTRACT_LINE {
            return Err(Error::TooLong(line.len()));
        }
        self.seq += 1;
        Ok(line)
    }
}

impl Decoder {
    /// Reads one line, with or without its line end.
    pub fn decode<B: DeserializeOwned>(&mut self, line: &str) -> Result<Decoded<B>, Error> {
        if line.len() > limit::CONTRACT_LINE {
            return Err(Error::TooLong(line.len()));
        }
        let line = line.trim_end_matches(['\n', '\r']);
        if !line.starts_with('{') {
            return Ok(Decoded::Stray(line.to_owned()));
        }
        let envelope: Envelope<B> = serde_json::from_str(line).map_err(Error::Malformed)?;
        if envelope.seq <= self.seq {
            return Err(Error::OutOfOrder { last: self.seq, got: envelope.seq });
        }
        let missed = envelope.seq - self.seq - 1;
        self.seq = envelope.seq;
        Ok(Decoded::Message { envelope, missed })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Event, Request};
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_in_order() {
        let (mut encoder, mut decoder) = (Encoder::default(), Decoder::default());
        let line = encoder.encode(None, Request::Disconnect).unwrap();
        assert_eq!(line, "{\"seq\":1,\"body\":\"disconnect\"}\n");
        let Decoded::Message { envelope, missed } = decoder.decode::<Request>(&line).unwrap() else { panic!() };
        assert_eq!((envelope.body, missed), (Request::Disconnect, 0));
    }

    #[test]
    fn a_gap_is_counted_a_step_back_is_an_error_and_stray_output_is_skipped() {
        let mut decoder = Decoder::default();
        let line = r#"{"seq":4,"body":{"lagged":{"missed":2}}}"#;
        let Decoded::Message { missed, .. } = decoder.decode::<Event>(line).unwrap() else { panic!() };
        assert_eq!(missed, 3);
        assert!(matches!(decoder.decode::<Event>(line), Err(Error::OutOfOrder { last: 4, got: 4 })));
        assert_eq!(decoder.decode::<Event>("hello\r\n").unwrap(), Decoded::Stray("hello".into()));
    }

    #[test]
    fn unknown_fields_are_refused() {
        let line = r#"{"seq":1,"body":{"lagged":{"missed":2,"why":"x"}}}"#;
        assert!(matches!(Decoder::default().decode::<Event>(line), Err(Error::Malformed(_))));
    }
}
