//! A running app-server over WebSocket: one JSON object a text message (FACTS 9).
//!
//! No Origin header (the server refuses it), no redirects, the token only in the handshake and only
//! to the host of the URL. Frames may be far over the usual 16 MiB (FACTS S8).

mod endpoint;
mod proxy;

pub use endpoint::Endpoint;
pub use proxy::ProxySettings;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::base::limit;
use crate::base::secret::Secret;
use crate::contract::{Failure, FailureKind};

use super::tls;
use super::transport::{Command, Inbox, Outbox, Settings, TransportEvent, failure};
use endpoint::{Place, Security};

/// What a stream to the server can do, whether it is encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

type Socket = WebSocketStream<Box<dyn Stream>>;

/// Runs one connection to its end and says why it ended.
pub(super) async fn run(endpoint: Endpoint, settings: &Settings, mut inbox: Inbox, outbox: &Outbox) -> Failure {
    let (socket, token) = {
        let mut connect = pin!(tokio::time::timeout(settings.connect_timeout, connect(endpoint, settings)));
        loop {
            tokio::select! {
                connected = &mut connect => match connected {
                    Ok(Ok(connected)) => break connected,
                    Ok(Err(failure)) => return failure,
                    Err(_) => return failure(FailureKind::ConnectTimeout, ""),
                },
                command = inbox.commands.recv() => match command {
                    // Nothing is sent before `Opened`.
                    Some(Command::Message(_) | Command::Ping) => {}
                    None => return failure(FailureKind::Disconnected, ""),
                },
            }
        }
    };
    outbox.send(TransportEvent::Opened { pid: None }).await;
    without_token(pump(socket, inbox, settings, outbox).await, token.as_ref())
}

/// A server may repeat the token in what it says; we do not.
fn without_token(mut failure: Failure, token: Option<&Secret>) -> Failure {
    if let Some(token) = token {
        failure.detail = failure.detail.replace(token.expose(), "[redacted]");
        if let FailureKind::Closed { reason, .. } = &mut failure.kind {
            *reason = reason.replace(token.expose(), "[redacted]");
        }
    }
    failure
}

async fn connect(endpoint: Endpoint, settings: &Settings) -> Result<(Socket, Option<Secret>), Failure> {
    let place = endpoint::parse(&endpoint.url)?;
    let security = place.security;
    // Files block, and reading the platform's roots takes a while.
    let prepared = tokio::task::spawn_blocking(move || {
        let token = endpoint.token_file.as_deref().map(endpoint::read_token).transpose()?;
        let tls = match security {
            Security::Tls => Some(tls::config(endpoint.ca_file.as_deref())?),
            Security::Loopback => None,
        };
        Ok((token, tls))
    });
    let (token, tls) = prepared.await.map_err(|error| {
        failure(FailureKind::Worker { why: "it stopped while connecting".into() }, &error.to_string())
    })??;
    let stream: Box<dyn Stream> = match tls {
        Some(config) => {
            let stream = reach(&place, settings).await?;
            Box::new(tls::connect(config, &place.host, stream).await?)
        }
        None => Box::new(dial(&place.host, place.port, place.security).await?),
    };
    match shake_hands(&place, token.as_ref(), stream, settings.message_limit).await {
        Ok(socket) => Ok((socket, token)),
        Err(failure) => Err(without_token(failure, token.as_ref())),
    }
}

/// A stream to the server, through a proxy if the environment names one.
async fn reach(place: &Place, settings: &Settings) -> Result<TcpStream, Failure> {
    match settings.proxy.for_host(&place.host, place.port)? {
        None => dial(&place.host, place.port, place.security).await,
        Some(proxy) => {
            let mut stream = dial(&proxy.host, proxy.port, Security::Tls).await?;
            proxy::tunnel(&mut stream, &proxy, &place.host, place.port).await?;
            Ok(stream)
        }
    }
}

/// Tries every address of a host, in the resolver's order.
async fn dial(host: &str, port: u16, security: Security) -> Result<TcpStream, Failure> {
    let found = tokio::net::lookup_host((host, port)).await.map_err(|error| unresolved(&error, host))?;
    let addresses: Vec<SocketAddr> =
        found.filter(|address| security == Security::Tls || address.ip().is_loopback()).collect();
    let mut last = failure(FailureKind::HostNotFound { host: host.to_owned() }, "no usable address");
    for address in &addresses {
        let attempt = TcpStream::connect(address);
        let patience = if addresses.len() > 1 { limit::ADDRESS_TIMEOUT } else { Duration::MAX };
        match tokio::time::timeout(patience, attempt).await {
            Ok(Ok(stream)) => {
                // Small messages go out at once; without it they still go out.
                stream.set_nodelay(true).ok();
                return Ok(stream);
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::TimedOut => {
                last = failure(FailureKind::ConnectTimeout, &format!("{address}: {error}"));
            }
            Ok(Err(error)) => last = failure(FailureKind::ConnectionLost, &format!("{address}: {error}")),
            Err(_) => last = failure(FailureKind::ConnectTimeout, &format!("{address} did not answer")),
        }
    }
    Err(last)
}

/// A name server that cannot be asked may answer later; a name that does not exist will not.
fn unresolved(error: &io::Error, host: &str) -> Failure {
    const TRY_AGAIN_WINDOWS: i32 = 11002;
    let text = error.to_string();
    let later = error.raw_os_error() == Some(TRY_AGAIN_WINDOWS)
        || ["Temporary failure", "try again", "Try again"].iter().any(|words| text.contains(words));
    let kind = if later { FailureKind::ConnectionLost } else { FailureKind::HostNotFound { host: host.to_owned() } };
    failure(kind, &text)
}

async fn shake_hands(
    place: &Place,
    token: Option<&Secret>,
    stream: Box<dyn Stream>,
    message_limit: usize,
) -> Result<Socket, Failure> {
    let mut request = place.url.as_str().into_client_request().map_err(|error| {
        failure(FailureKind::BadUrl { why: "it cannot be put into a request".to_owned() }, &error.to_string())
    })?;
    if let Some(value) = token.and_then(endpoint::bearer) {
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    let config = WebSocketConfig::default().max_message_size(Some(message_limit)).max_frame_size(Some(message_limit));
    match client_async_with_config(request, stream, Some(config)).await {
        Ok((socket, _)) => Ok(socket),
        Err(error) => Err(refused(error, place)),
    }
}

/// Why the handshake failed.
fn refused(error: Error, place: &Place) -> Failure {
    let not_one = |why: &str| FailureKind::NotAnAppServer { why: format!("{}:{} {why}", place.host, place.port) };
    let (kind, detail) = match error {
        Error::Http(response) => {
            let status = response.status();
            let body = response.body().as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            let detail = format!("HTTP {status}\n{body}");
            let kind = if status.is_success() || status.is_informational() {
                not_one("is a web server without a WebSocket")
            } else {
                FailureKind::HttpStatus { status: status.as_u16() }
            };
            (kind, detail)
        }
        Error::Protocol(ProtocolError::HandshakeIncomplete) | Error::ConnectionClosed => {
            (FailureKind::ConnectionLost, "the server closed the connection during the handshake".to_owned())
        }
        Error::Io(error) => return tls::failed(&error, &place.host),
        Error::Protocol(
            ProtocolError::MissingUpgradeWebSocketHeader | ProtocolError::MissingConnectionUpgradeHeader,
        ) => (not_one("is a web server without a WebSocket"), String::new()),
        error => (not_one("does not speak WebSocket"), error.to_string()),
    };
    failure(kind, &detail)
}

async fn pump(socket: Socket, inbox: Inbox, settings: &Settings, outbox: &Outbox) -> Failure {
    let (sink, stream) = socket.split();
    let (inbox, overdue) = inbox.split(settings.child_grace);
    let mut write = pin!(write(sink, inbox));
    let mut read = pin!(read(stream, outbox));
    tokio::select! {
        end = &mut read => end,
        () = overdue => failure(FailureKind::Disconnected, ""),
        written = &mut write => {
            // Its close frame, if any, says more than our failed write.
            let end = tokio::time::timeout(settings.child_grace, read).await;
            match written {
                Written::Asked => failure(FailureKind::Disconnected, ""),
                Written::Broken(error) => end.unwrap_or_else(|_| ended(&error)),
            }
        }
    }
}

enum Written {
    Asked,
    Broken(Error),
}

async fn write(mut sink: SplitSink<Socket, Message>, mut inbox: mpsc::Receiver<Command>) -> Written {
    while let Some(command) = inbox.recv().await {
        let message = match command {
            Command::Message(text) => Message::text(text),
            Command::Ping => Message::Ping(Bytes::new()),
        };
        if let Err(error) = sink.send(message).await {
            return Written::Broken(error);
        }
    }
    // A peer that is gone needs no goodbye.
    tokio::time::timeout(limit::CHILD_GRACE, sink.close()).await.ok();
    Written::Asked
}

async fn read(mut stream: SplitStream<Socket>, outbox: &Outbox) -> Failure {
    loop {
        match stream.next().await {
            Some(Ok(Message::Text(text))) => {
                outbox.send(TransportEvent::Message(text.as_str().to_owned())).await;
            }
            Some(Ok(Message::Binary(_))) => outbox.send(TransportEvent::Ignored("binary message")).await,
            // Pings are answered by the library; pongs come in twos (FACTS 9.4) and unasked.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Ok(Message::Close(frame))) => {
                let (code, reason) = frame.map_or((NO_CODE, String::new()), |frame| {
                    (u16::from(frame.code), frame.reason.as_str().to_owned())
                });
                // One more read sends the answer to the close frame.
                tokio::time::timeout(limit::CHILD_GRACE, stream.next()).await.ok();
                let reason = failure(FailureKind::ConnectionLost, &reason).detail;
                return failure(FailureKind::Closed { code, reason }, "");
            }
            Some(Err(error)) => return ended(&error),
            None => return failure(FailureKind::ConnectionLost, "the connection ended"),
        }
    }
}

/// RFC 6455: no code was in the close frame.
const NO_CODE: u16 = 1005;
/// RFC 6455: the peer broke the protocol; what it sent was no UTF-8.
const PROTOCOL_ERROR: u16 = 1002;
const INVALID_TEXT: u16 = 1007;

fn ended(error: &Error) -> Failure {
    let kind = match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => FailureKind::MessageTooLarge,
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => FailureKind::ConnectionLost,
        Error::Protocol(_) | Error::AttackAttempt => {
            FailureKind::Closed { code: PROTOCOL_ERROR, reason: "the server broke the WebSocket protocol".to_owned() }
        }
        Error::Utf8(_) => {
            FailureKind::Closed { code: INVALID_TEXT, reason: "the server sent text that is no UTF-8".to_owned() }
        }
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::Capacity(_)
        | Error::WriteBufferFull(_)
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => FailureKind::ConnectionLost,
    };
    failure(kind, &error.to_string())
}
