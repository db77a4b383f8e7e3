//! The JSON-RPC envelope: what one message from the server is. Unreadable messages are counted, never fatal.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::base::RequestId;

/// -32601.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// -32602.
pub const INVALID_PARAMS: i64 = -32602;
/// -32600; also the server's answer to an unknown method and to most application errors.
pub const INVALID_REQUEST: i64 = -32600;
/// -32001: refused for load, definitely not executed (FACTS 10).
pub const OVERLOADED: i64 = -32001;

/// `JSONRPCErrorError`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
}

impl RpcError {
    /// "Server is draining": the mutation was not executed (FACTS 9.6).
    pub fn is_draining(&self) -> bool {
        self.code == INVALID_REQUEST && self.message.starts_with("Server is draining")
    }

    /// The server does not know the method (FACTS S3).
    pub fn is_unknown_method(&self) -> bool {
        self.code == INVALID_REQUEST && self.message.starts_with("Invalid request: unknown variant")
    }
}

/// One message from the server, sorted but not yet read.
#[derive(Debug)]
pub enum Incoming<'a> {
    Response { id: u64, result: &'a RawValue },
    Error { id: u64, error: RpcError },
    Notification { method: String, params: Option<&'a RawValue> },
    Request { id: RequestId, method: String, params: Option<&'a RawValue> },
}

/// Why a message could not be sorted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Not a JSON object.
    #[error("the message is not a JSON object")]
    NotJson,
    /// A JSON object that is neither request, response, error nor notification.
    #[error("the message is no JSON-RPC message")]
    NoEnvelope,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<RequestId>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<RpcError>,
}

/// Sorts one message. Our own request ids are integers from 1; a response with another id is no envelope.
pub fn sort(message: &str) -> Result<Incoming<'_>, Unreadable> {
    let envelope: Envelope<'_> = serde_json::from_str(message).map_err(|_| Unreadable::NotJson)?;
    match envelope {
        Envelope { method: Some(method), id: Some(id), params, .. } => Ok(Incoming::Request { id, method, params }),
        Envelope { method: Some(method), id: None, params, .. } => Ok(Incoming::Notification { method, params }),
        Envelope { id: Some(RequestId::Integer(id)), error: Some(error), .. } => {
            Ok(Incoming::Error { id: u64::try_from(id).map_err(|_| Unreadable::NoEnvelope)?, error })
        }
        Envelope { id: Some(RequestId::Integer(id)), result: Some(result), .. } => {
            Ok(Incoming::Response { id: u64::try_from(id).map_err(|_| Unreadable::NoEnvelope)?, result })
        }
        Envelope { .. } => Err(Unreadable::NoEnvelope),
    }
}
