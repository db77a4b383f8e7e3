//! Transports against real peers: one conformance suite over stdio and WebSocket, then what each alone can do.

mod conformance;
mod stdio;
mod tls;
mod websocket;

use std::time::Duration;

use rejoin::contract::{Failure, Target};
use rejoin::worker::transport::{self, Settings, Transport, TransportEvent};
use rejoin::worker::websocket::ProxySettings;

use crate::kit::PATIENCE;

/// Settings that depend on nothing around the test.
fn settings() -> Settings {
    Settings {
        guard: Some(env!("CARGO_BIN_EXE_rejoin").into()),
        proxy: ProxySettings::default(),
        connect_timeout: PATIENCE,
        child_grace: Duration::from_secs(2),
        message_limit: rejoin::base::limit::SERVER_MESSAGE,
    }
}

fn open(target: Target) -> Transport {
    transport::open(target, settings())
}

async fn next(transport: &mut Transport) -> TransportEvent {
    tokio::time::timeout(PATIENCE, transport.next()).await.expect("an event in time").expect("an event before the end")
}

async fn opened(transport: &mut Transport) -> Option<u32> {
    match next(transport).await {
        TransportEvent::Opened { pid } => pid,
        other => panic!("not opened: {other:?}"),
    }
}

async fn message(transport: &mut Transport) -> String {
    match next(transport).await {
        TransportEvent::Message(text) => text,
        TransportEvent::Closed(failure) => panic!("closed: {failure:?}"),
        other => panic!("no message: {other:?}"),
    }
}

/// The end, whatever came before it; nothing comes after it.
async fn closed(transport: &mut Transport) -> Failure {
    loop {
        if let TransportEvent::Closed(failure) = next(transport).await {
            let after = tokio::time::timeout(PATIENCE, transport.next()).await.expect("the end in time");
            assert_eq!(after, None);
            return failure;
        }
    }
}
