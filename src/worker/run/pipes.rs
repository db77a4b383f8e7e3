//! The worker's stdin and stdout as bounded queues, each served by a thread of its own.
//!
//! Threads, because reading a pipe blocks on Windows as well as here, and because a GUI that stops
//! reading must stop nothing but the writing.

use std::io::{Read, Write};
use std::thread;

use tokio::sync::{mpsc, oneshot};

use crate::base::limit;
use crate::base::lines::{Line, Splitter};

/// Lines of the GUI; ends when the GUI closed the pipe.
pub type Inbound = mpsc::Receiver<Line>;

/// Where whole lines go.
#[derive(Debug)]
pub struct Outbound {
    /// Each text is one or more lines. It is closed when the GUI closed the pipe.
    pub batches: mpsc::Sender<String>,
    /// Comes when everything was written.
    pub written: oneshot::Receiver<()>,
}

/// Starts reading.
pub fn read_from(mut input: impl Read + Send + 'static) -> Inbound {
    let (sender, lines) = mpsc::channel(limit::CONTRACT_QUEUE);
    thread::spawn(move || {
        let mut splitter = Splitter::new(limit::CONTRACT_LINE);
        let mut chunk = vec![0; limit::CONTRACT_BATCH];
        loop {
            let count = match input.read(&mut chunk) {
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            let mut rest = &chunk[..count];
            while let Some(line) = splitter.feed(&mut rest) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
            // What follows the last line end was cut off by the GUI's death: no request.
            if count == 0 {
                return;
            }
        }
    });
    lines
}

/// Starts writing.
pub fn write_to(mut output: impl Write + Send + 'static) -> Outbound {
    let (batches, mut queue) = mpsc::channel::<String>(OUTBOUND_BATCHES);
    let (done, written) = oneshot::channel();
    thread::spawn(move || {
        while let Some(batch) = queue.blocking_recv() {
            if output.write_all(batch.as_bytes()).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        // Nobody may wait for it any more.
        done.send(()).ok();
    });
    Outbound { batches, written }
}

/// Few: what waits in the machine can still be merged, what waits here cannot.
const OUTBOUND_BATCHES: usize = 2;
