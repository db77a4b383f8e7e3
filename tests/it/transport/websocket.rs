//! A socket's own ways to fail.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rejoin::contract::{Failure, FailureKind, Target};
use rejoin::worker::transport::{self, Settings, TransportEvent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::{closed, message, next, open, opened, settings};
use crate::kit::PATIENCE;
use crate::kit::websocket_server::{read_request, tcp, websocket};

fn target(address: SocketAddr) -> Target {
    Target::WebSocket { url: format!("ws://{address}"), token_file: None, ca_file: None }
}

fn with_token(address: SocketAddr, token_file: PathBuf) -> Target {
    Target::WebSocket { url: format!("ws://{address}"), token_file: Some(token_file), ca_file: None }
}

/// A server that answers every request with these bytes.
async fn answering(answer: &'static str) -> SocketAddr {
    tcp(move |mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.shutdown().await.ok();
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await
}

async fn end_of(address: SocketAddr) -> Failure {
    closed(&mut open(target(address))).await
}

#[tokio::test]
async fn http_statuses_are_told_apart_and_redirects_are_not_followed() {
    let cases = [
        ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 32\r\n\r\nmissing websocket bearer token\r\n", 401),
        ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", 403),
        ("HTTP/1.1 404 Not Found\r\n\r\n", 404),
        ("HTTP/1.1 301 Moved\r\nLocation: ws://127.0.0.1:1/\r\n\r\n", 301),
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", 503),
    ];
    for (answer, status) in cases {
        let failure = end_of(answering(answer).await).await;
        assert_eq!(failure.kind, FailureKind::HttpStatus { status }, "{failure:?}");
    }
}

#[tokio::test]
async fn other_servers_are_no_app_servers() {
    let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: nonsense\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{28}\r\n\r\n",
    ];
    for answer in answers {
        let address = answering(answer).await;
        let failure = end_of(address).await;
        let FailureKind::NotAnAppServer { why } = &failure.kind else { panic!("{answer}: {failure:?}") };
        assert!(why.contains(&address.to_string()), "{why}");
    }
}

#[tokio::test]
async fn a_refused_connection_and_an_end_during_the_handshake_are_losses() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let failure = end_of(free).await;
    assert_eq!(failure.kind, FailureKind::ConnectionLost);
    assert!(failure.detail.contains(&free.to_string()), "{failure:?}");

    let polite = tcp(|mut stream| async move {
        read_request(&mut stream).await;
    })
    .await;
    assert_eq!(end_of(polite).await.kind, FailureKind::ConnectionLost);

    let rude = tcp(|mut stream| async move {
        read_request(&mut stream).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    assert_eq!(end_of(rude).await.kind, FailureKind::ConnectionLost);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_a_timeout() {
    let silent = tcp(|mut stream| async move {
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    let settings = Settings { connect_timeout: Duration::from_millis(300), ..settings() };
    let failure = closed(&mut transport::open(target(silent), settings)).await;
    assert_eq!(failure.kind, FailureKind::ConnectTimeout);
}

#[tokio::test]
async fn closing_during_a_silent_handshake_returns_at_once() {
    let silent = tcp(|mut stream| async move {
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    tokio::time::timeout(PATIENCE / 2, open(target(silent)).close()).await.expect("closed in time");
}

#[tokio::test]
async fn close_codes_and_reasons_arrive() {
    for (code, reason) in [(1000, "done"), (1001, ""), (1008, "policy"), (1011, "it broke"), (4321, "own")] {
        let (address, _) = websocket(None, move |mut socket| async move {
            socket.close(Some(CloseFrame { code: CloseCode::from(code), reason: reason.into() })).await.ok();
            while let Some(Ok(_)) = socket.next().await {}
        })
        .await;
        assert_eq!(end_of(address).await.kind, FailureKind::Closed { code, reason: reason.to_owned() });
    }
    let (address, _) = websocket(None, |mut socket| async move {
        socket.close(None).await.ok();
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    assert_eq!(end_of(address).await.kind, FailureKind::Closed { code: 1005, reason: String::new() });
}

#[tokio::test]
async fn an_end_without_a_close_frame_is_a_loss_also_in_the_middle_of_a_frame() {
    let (address, _) = websocket(None, |mut socket| async move {
        socket.send(Message::text("{}")).await.unwrap();
    })
    .await;
    assert_eq!(end_of(address).await.kind, FailureKind::ConnectionLost);

    let cut = tcp(|mut stream| async move {
        let request = read_request(&mut stream).await;
        upgrade(&mut stream, &request).await;
        // The head of a text frame of 1,000 bytes, and only three of them.
        stream.write_all(&[0x81, 126, 0x03, 0xe8, b'{', b'"', b'a']).await.unwrap();
        stream.flush().await.unwrap();
    })
    .await;
    assert_eq!(end_of(cut).await.kind, FailureKind::ConnectionLost);

    let reset = tcp(|mut stream| async move {
        let request = read_request(&mut stream).await;
        upgrade(&mut stream, &request).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    assert_eq!(end_of(reset).await.kind, FailureKind::ConnectionLost);
}

#[tokio::test]
async fn a_broken_protocol_and_invalid_text_are_terminal_codes() {
    for (bytes, expected) in [(&[0xf1_u8, 0][..], 1002), (&[0x81, 1, 0xff], 1007)] {
        let address = tcp(move |mut stream| async move {
            let request = read_request(&mut stream).await;
            upgrade(&mut stream, &request).await;
            stream.write_all(bytes).await.unwrap();
            stream.read_to_end(&mut Vec::new()).await.ok();
        })
        .await;
        let failure = end_of(address).await;
        assert!(matches!(failure.kind, FailureKind::Closed { code, .. } if code == expected), "{failure:?}");
    }
}

async fn upgrade(stream: &mut tokio::net::TcpStream, request: &str) {
    let key =
        request.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).expect("the client sends a key");
    let accept = tokio_tungstenite::tungstenite::handshake::derive_accept_key(key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn fragments_are_joined_binary_is_counted_and_unasked_pongs_are_tolerated() {
    let (address, _) = websocket(None, |mut socket| async move {
        let frame = |text: &'static str, code, last| Message::Frame(Frame::message(text, OpCode::Data(code), last));
        socket.send(Message::Pong(Bytes::from_static(b"unasked"))).await.unwrap();
        socket.send(frame("{\"a\":", Data::Text, false)).await.unwrap();
        socket.send(Message::Ping(Bytes::new())).await.unwrap();
        socket.send(frame("1", Data::Continue, false)).await.unwrap();
        socket.send(frame("}", Data::Continue, true)).await.unwrap();
        socket.send(Message::binary(vec![1, 2, 3])).await.unwrap();
        socket.send(Message::text("{\"b\":2}")).await.unwrap();
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    let mut transport = open(target(address));
    assert_eq!(opened(&mut transport).await, None);
    assert_eq!(message(&mut transport).await, "{\"a\":1}");
    assert_eq!(next(&mut transport).await, TransportEvent::Ignored("binary message"));
    assert_eq!(message(&mut transport).await, "{\"b\":2}");
    transport.close().await;
}

#[tokio::test]
async fn a_ping_goes_out_on_demand_and_close_says_goodbye() {
    let (seen, mut frames) = mpsc::unbounded_channel();
    let (address, _) = websocket(None, move |mut socket| {
        let seen = seen.clone();
        async move {
            while let Some(Ok(frame)) = socket.next().await {
                seen.send(frame).unwrap();
            }
        }
    })
    .await;
    let mut transport = open(target(address));
    opened(&mut transport).await;
    transport.ping().unwrap();
    assert!(matches!(tokio::time::timeout(PATIENCE, frames.recv()).await, Ok(Some(Message::Ping(_)))));
    transport.close().await;
    assert!(matches!(tokio::time::timeout(PATIENCE, frames.recv()).await, Ok(Some(Message::Close(_)))));
}

#[tokio::test]
async fn the_handshake_has_the_token_and_no_origin() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    std::fs::write(&file, "  tok-canary-7\n").unwrap();
    let (address, headers) =
        websocket(None, |mut socket| async move { while let Some(Ok(_)) = socket.next().await {} }).await;
    let mut transport = open(with_token(address, file.clone()));
    opened(&mut transport).await;
    transport.close().await;
    let seen = std::mem::take(&mut *headers.lock().unwrap());
    assert!(seen.contains(&"authorization: Bearer tok-canary-7".to_owned()), "{seen:?}");
    assert!(!seen.iter().any(|line| line.starts_with("origin")), "{seen:?}");

    // The file is read again for each connection.
    std::fs::write(&file, "tok-canary-8").unwrap();
    let mut transport = open(with_token(address, file));
    opened(&mut transport).await;
    assert!(headers.lock().unwrap().contains(&"authorization: Bearer tok-canary-8".to_owned()));
    transport.close().await;
}

#[tokio::test]
async fn an_unusable_token_file_stops_before_any_connection() {
    let (address, headers) = websocket(None, |_| async {}).await;
    let missing = PathBuf::from("/nonexistent/token");
    let failure = closed(&mut open(with_token(address, missing.clone()))).await;
    let path = missing.display().to_string();
    assert_eq!(failure.kind, FailureKind::TokenFile { path, why: "does not exist".to_owned() });
    assert!(headers.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_server_that_repeats_the_token_does_not_get_it_into_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    std::fs::write(&file, "tok-canary-9").unwrap();
    let refusing = answering("HTTP/1.1 401 Unauthorized\r\nContent-Length: 22\r\n\r\nwrong: tok-canary-9 !!").await;
    let (closing, _) = websocket(None, |mut socket| async move {
        let frame = CloseFrame { code: CloseCode::Policy, reason: "tok-canary-9".into() };
        socket.close(Some(frame)).await.ok();
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    for address in [refusing, closing] {
        let failure = closed(&mut open(with_token(address, file.clone()))).await;
        let text = format!("{failure:?}");
        assert!(text.contains("[redacted]") && !text.contains("canary"), "{text}");
    }
}

#[tokio::test]
async fn plain_sockets_to_other_computers_are_refused() {
    for url in ["ws://192.0.2.1:1", "ws://example.org", "https://127.0.0.1", "nonsense"] {
        let target = Target::WebSocket { url: url.to_owned(), token_file: None, ca_file: None };
        let failure = closed(&mut open(target)).await;
        assert!(matches!(failure.kind, FailureKind::BadUrl { .. }), "{url}: {failure:?}");
    }
}

#[tokio::test]
async fn ipv6_loopback_is_reached_with_brackets_in_the_host_header() {
    let Ok(listener) = TcpListener::bind("[::1]:0").await else {
        // This machine has no IPv6; parsing is covered by a unit test.
        return;
    };
    let address = listener.local_addr().unwrap();
    let (seen, host) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        seen.send(read_request(&mut stream).await).unwrap();
    });
    let mut transport = open(target(address));
    closed(&mut transport).await;
    assert!(host.await.unwrap().contains(&format!("Host: {address}\r\n")));
}

#[tokio::test]
async fn a_half_open_connection_stays_open_until_somebody_decides() {
    let gate = Arc::new(tokio::sync::Notify::new());
    let hold = Arc::clone(&gate);
    let half_open = tcp(move |mut stream| {
        let hold = Arc::clone(&hold);
        async move {
            let request = read_request(&mut stream).await;
            upgrade(&mut stream, &request).await;
            // From here on it reads nothing and says nothing.
            hold.notified().await;
        }
    })
    .await;
    let mut transport = open(target(half_open));
    opened(&mut transport).await;
    transport.send("{}".to_owned()).unwrap();
    transport.ping().unwrap();
    let silence = tokio::time::timeout(Duration::from_millis(200), transport.next()).await;
    assert!(silence.is_err(), "{silence:?}");
    // Leaving does not depend on the peer.
    tokio::time::timeout(PATIENCE, transport.close()).await.expect("closed in time");
    gate.notify_waiters();
}
