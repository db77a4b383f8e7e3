//! What both transports promise, proven by the same tests.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rejoin::contract::{FailureKind, Target};
use rejoin::worker::transport::{self, Settings, Stuck, Transport, TransportEvent};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;

use super::{closed, message, next, opened, settings};
use crate::kit::websocket_server::{Socket, websocket};
use crate::kit::{PATIENCE, script};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    WebSocket,
}

const BOTH: [Kind; 2] = [Kind::Stdio, Kind::WebSocket];

/// What a peer does.
#[derive(Debug, Clone, Copy)]
enum Behaviour {
    /// Sends every message back.
    Echo,
    /// After the first message: one with so many `x`.
    Large(usize),
    /// After the first message: so many numbered ones.
    Burst(usize),
    /// Ends after the first message.
    End,
    /// Reads nothing.
    Deaf,
}

/// A peer lives as long as this.
struct Bench {
    transport: Transport,
    _dir: TempDir,
}

async fn bench(kind: Kind, behaviour: Behaviour, settings: Settings) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let target = match kind {
        Kind::Stdio => {
            let body = match behaviour {
                Behaviour::Echo => "exec cat".to_owned(),
                Behaviour::Large(size) => format!(
                    "read -r line; printf '{{\"text\":\"'; head -c {size} /dev/zero | tr '\\0' x; printf '\"}}\\n'; cat >/dev/null"
                ),
                Behaviour::Burst(count) => {
                    format!("read -r line; seq 1 {count} | sed 's/.*/{{\"n\":&}}/'; cat >/dev/null")
                }
                Behaviour::End => "read -r line; exit 3".to_owned(),
                Behaviour::Deaf => "exec sleep 600".to_owned(),
            };
            Target::Stdio { program: script::codex(dir.path(), &body), cwd: Some(dir.path().to_owned()) }
        }
        Kind::WebSocket => {
            let (address, _) = websocket(None, move |socket| serve(socket, behaviour)).await;
            Target::WebSocket { url: format!("ws://{address}"), token_file: None, ca_file: None }
        }
    };
    Bench { transport: transport::open(target, settings), _dir: dir }
}

async fn serve(mut socket: Socket, behaviour: Behaviour) {
    if let Behaviour::Deaf = behaviour {
        tokio::time::sleep(Duration::from_secs(600)).await;
    }
    while let Some(Ok(frame)) = socket.next().await {
        let Message::Text(text) = frame else { continue };
        match behaviour {
            Behaviour::Echo => socket.send(Message::Text(text)).await.unwrap(),
            Behaviour::Large(size) => {
                // A client that refuses it goes away.
                socket.send(Message::text(format!("{{\"text\":\"{}\"}}", "x".repeat(size)))).await.ok();
            }
            Behaviour::Burst(count) => {
                for n in 1..=count {
                    socket.feed(Message::text(format!("{{\"n\":{n}}}"))).await.unwrap();
                }
                socket.flush().await.unwrap();
            }
            Behaviour::End => return,
            Behaviour::Deaf => unreachable!("it never reads"),
        }
    }
}

#[tokio::test]
async fn messages_of_every_size_arrive_whole_and_in_order() {
    for kind in BOTH {
        let Bench { mut transport, _dir } = bench(kind, Behaviour::Echo, settings()).await;
        let pid = opened(&mut transport).await;
        assert_eq!(pid.is_some(), kind == Kind::Stdio);
        let sizes = [0, 1, 100, 4_095, 4_096, 65_536, 1 << 20, 3, 2];
        let texts: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(n, size)| format!("{{\"n\":{n},\"t\":\"{}é\"}}", "y".repeat(*size)))
            .collect();
        for text in &texts {
            transport.send(text.clone()).unwrap();
            transport.ping().unwrap();
        }
        for text in &texts {
            assert!(message(&mut transport).await == *text, "{kind:?} changed a message");
        }
        tokio::time::timeout(PATIENCE, transport.close()).await.expect("closed in time");
        assert!(!pid.is_some_and(script::is_alive), "the child is gone when close returns");
    }
}

#[tokio::test]
async fn a_message_of_34_megabytes_arrives() {
    for kind in BOTH {
        let Bench { mut transport, _dir } = bench(kind, Behaviour::Large(34_000_000), settings()).await;
        opened(&mut transport).await;
        transport.send("{}".to_owned()).unwrap();
        assert_eq!(message(&mut transport).await.len(), 34_000_000 + 11, "{kind:?}");
        transport.close().await;
    }
}

#[tokio::test]
async fn a_message_over_the_limit_ends_the_connection_as_a_typed_loss() {
    for kind in BOTH {
        let settings = Settings { message_limit: 1 << 20, ..settings() };
        let Bench { mut transport, _dir } = bench(kind, Behaviour::Large(1 << 20), settings).await;
        opened(&mut transport).await;
        transport.send("{}".to_owned()).unwrap();
        assert_eq!(closed(&mut transport).await.kind, FailureKind::MessageTooLarge, "{kind:?}");
    }
}

#[tokio::test]
async fn a_slow_reader_loses_nothing_and_the_queue_stays_bounded() {
    const COUNT: usize = 30_000;
    for kind in BOTH {
        let Bench { mut transport, _dir } = bench(kind, Behaviour::Burst(COUNT), settings()).await;
        opened(&mut transport).await;
        transport.send("{}".to_owned()).unwrap();
        for n in 1..=COUNT {
            if n % 5_000 == 1 {
                // The peer is given every chance to run ahead.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert_eq!(message(&mut transport).await, format!("{{\"n\":{n}}}"), "{kind:?}");
        }
        transport.close().await;
    }
}

#[tokio::test]
async fn a_peer_that_ends_is_reported_once() {
    for kind in BOTH {
        let Bench { mut transport, _dir } = bench(kind, Behaviour::End, settings()).await;
        opened(&mut transport).await;
        transport.send("{}".to_owned()).unwrap();
        let failure = closed(&mut transport).await;
        match (kind, failure.kind) {
            (Kind::Stdio, FailureKind::ProcessExited { exit, before_ready, .. }) => {
                assert_eq!((exit.as_str(), before_ready), ("exit code 3", true));
            }
            (Kind::WebSocket, FailureKind::ConnectionLost) => {}
            (kind, other) => panic!("{kind:?}: {other:?}"),
        }
        // Nothing listens any more; sending is harmless.
        transport.send("{}".to_owned()).unwrap();
    }
}

#[tokio::test]
async fn a_peer_that_reads_nothing_is_noticed_and_can_be_left() {
    for kind in BOTH {
        let settings = Settings { child_grace: Duration::from_millis(100), ..settings() };
        let Bench { mut transport, _dir } = bench(kind, Behaviour::Deaf, settings).await;
        opened(&mut transport).await;
        let text = "z".repeat(1 << 20);
        let stuck = (0..10_000).any(|_| transport.send(text.clone()) == Err(Stuck));
        assert!(stuck, "{kind:?}");
        tokio::time::timeout(PATIENCE, transport.close()).await.expect("closed in time");
    }
}

#[tokio::test]
async fn closing_while_events_wait_returns() {
    for kind in BOTH {
        let Bench { mut transport, _dir } = bench(kind, Behaviour::Burst(5_000), settings()).await;
        opened(&mut transport).await;
        transport.send("{}".to_owned()).unwrap();
        assert!(matches!(next(&mut transport).await, TransportEvent::Message(_)));
        tokio::time::timeout(PATIENCE, transport.close()).await.expect("closed in time");
    }
}
