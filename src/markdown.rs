//! Markdown of agents, and every other untrusted text, as plain values that a renderer can trust.
//!
//! comrak reads it, [`Block`] carries it: no HTML, no unchecked URL, no control character, bounded
//! nesting and tables. Whatever does not fit becomes plain text; text is never lost (DESIGN 10).

mod block;
mod parse;
mod piece;
mod stream;
pub mod untrusted;
mod url;

pub use block::{Block, Inline, plain_text};
pub use parse::{parse, plain};
pub use stream::Stream;
pub use url::SafeUrl;

/// Nesting beyond this depth is shown as plain text.
pub const MAX_DEPTH: usize = 32;
/// Cells of one table; a larger one is shown as plain text.
pub const MAX_CELLS: usize = 2_000;
/// Bytes of one message that are read as Markdown; a longer message is shown as plain text.
pub const MAX_BYTES: usize = 1 << 20;
/// Bytes of one raw HTML fragment that are reduced to its text; a larger one is shown as it is.
pub const MAX_HTML: usize = 4 << 10;
