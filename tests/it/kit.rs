//! What the integration tests share: scripted peers, test certificates, and waiting for a condition.

pub mod certificates;
pub mod script;
pub mod websocket_server;

use std::time::{Duration, Instant};

/// Time for anything that must happen; a test that needs it has failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until a condition holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
