//! Ids, stamps, time, limits and secrets: what every other module may use, and nothing else.

pub mod id;
pub mod limit;
pub mod lines;
pub mod redact;
pub mod secret;
pub mod stamp;
pub mod time;

pub use id::{BridgeId, ItemId, OpId, RequestId, ThreadId, TurnId};
pub use stamp::Stamp;
pub use time::{Instant, Now, UnixMs};
