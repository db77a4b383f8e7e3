//! The Codex app-server protocol (JSON-RPC, schema of CLI 0.159.1): what Rejoin sends and reads.
//!
//! Reading is lenient: unknown fields are ignored, an unknown item becomes
//! [`item::ThreadItem::Unknown`], unknown enum words become `Unknown`. Writing is exact: what
//! is `None` is not written. Nothing here does I/O.

pub mod account;
pub mod initialize;
pub mod item;
pub mod json;
pub mod notification;
pub mod request;
pub mod rpc;
pub mod server_request;
pub mod settings;
pub mod thread;

pub use account::Account;
pub use item::ThreadItem;
pub use json::JsonText;
pub use notification::ServerNotification;
pub use request::{ClientRequest, ClientResponse, Method};
pub use rpc::RpcError;
pub use server_request::{Answer, ServerRequest};
pub use thread::{Thread, ThreadStatus, Turn, TurnStatus};
