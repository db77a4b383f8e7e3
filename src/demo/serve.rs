//! `rejoin demo-server`: the demo over standard input and output, or over WebSocket, in real time.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::base::limit;
use crate::base::time::Clock;

use super::{Conn, FIRST, Machine, Output};

/// What a connection tells the loop.
enum Inbound {
    /// It is there, and this is where its messages go.
    Opened(Conn, mpsc::Sender<String>),
    Message(Conn, String),
    Closed(Conn),
}

/// Plays a scenario until standard input ends (or, listening, until the process is stopped).
pub fn serve(scenario: &str, listen: Option<SocketAddr>) -> ExitCode {
    let machine = match Machine::new(scenario) {
        Ok(machine) => machine,
        Err(unknown) => {
            eprintln!("rejoin: {unknown}");
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("rejoin: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(async {
        let (inbound, events) = mpsc::channel(limit::TRANSPORT_IN);
        match listen {
            None => {
                tokio::spawn(stdio(inbound));
            }
            Some(address) => match TcpListener::bind(address).await {
                Ok(listener) => {
                    let address = listener.local_addr().unwrap_or(address);
                    eprintln!("rejoin demo-server: {scenario}\n  listening on: ws://{address}");
                    tokio::spawn(accept(listener, inbound));
                }
                Err(error) => {
                    eprintln!("rejoin: cannot listen on {address}: {error}");
                    return 1;
                }
            },
        }
        run(machine, events, listen.is_none()).await
    });
    // A reader of standard input cannot be stopped; it must not keep the process.
    runtime.shutdown_background();
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The loop between the machine, its connections and the clock. Returns the exit code.
async fn run(mut machine: Machine, mut events: mpsc::Receiver<Inbound>, until_closed: bool) -> i32 {
    let clock = Clock::new();
    let mut connections: BTreeMap<Conn, mpsc::Sender<String>> = BTreeMap::new();
    loop {
        while let Some(output) = machine.poll_output() {
            match output {
                Output::Line { to, text } => {
                    let stuck = match connections.get(&to) {
                        Some(connection) => connection.send(text).await.is_err(),
                        None => false,
                    };
                    if stuck {
                        connections.remove(&to);
                        machine.disconnected(to);
                    }
                }
                Output::End { code } => {
                    // What was written before must arrive before the end.
                    drop(std::mem::take(&mut connections));
                    while let Ok(Some(_)) = tokio::time::timeout(Duration::from_millis(100), events.recv()).await {}
                    return code;
                }
            }
        }
        let due = machine.poll_timeout().map(|due| due.since(clock.now().instant));
        tokio::select! {
            event = events.recv() => match event {
                Some(Inbound::Opened(conn, sender)) => {
                    connections.insert(conn, sender);
                }
                Some(Inbound::Message(conn, text)) => machine.handle_message(clock.now(), conn, &text),
                Some(Inbound::Closed(conn)) => {
                    connections.remove(&conn);
                    machine.disconnected(conn);
                    if until_closed {
                        return 0;
                    }
                }
                None => return 0,
            },
            () = tokio::time::sleep(due.unwrap_or(Duration::MAX)), if due.is_some() => {
                machine.handle_timeout(clock.now());
            }
        }
    }
}

async fn stdio(inbound: mpsc::Sender<Inbound>) {
    let (sender, mut messages) = mpsc::channel::<String>(limit::TRANSPORT_OUT);
    let writer = tokio::spawn(async move {
        let mut stdout = tokio::io::stdout();
        while let Some(text) = messages.recv().await {
            let line = text + "\n";
            if stdout.write_all(line.as_bytes()).await.is_err() || stdout.flush().await.is_err() {
                return;
            }
        }
    });
    // The loop outlives its connections; if it is gone, so is the process.
    inbound.send(Inbound::Opened(FIRST, sender)).await.ok();
    let mut lines = BufReader::new(tokio::io::stdin()).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let text = String::from_utf8_lossy(&line).into_owned();
        if inbound.send(Inbound::Message(FIRST, text)).await.is_err() {
            break;
        }
    }
    inbound.send(Inbound::Closed(FIRST)).await.ok();
    writer.await.ok();
}

async fn accept(listener: TcpListener, inbound: mpsc::Sender<Inbound>) {
    let mut next = FIRST.0;
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        tokio::spawn(websocket(stream, Conn(next), inbound.clone()));
        next += 1;
    }
}

async fn websocket(stream: TcpStream, conn: Conn, inbound: mpsc::Sender<Inbound>) {
    let Ok(socket) = tokio_tungstenite::accept_async(stream).await else { return };
    let (mut write, mut read) = socket.split();
    let (sender, mut messages) = mpsc::channel::<String>(limit::TRANSPORT_OUT);
    let writer = tokio::spawn(async move {
        while let Some(text) = messages.recv().await {
            if write.send(Message::text(text)).await.is_err() {
                return;
            }
        }
    });
    inbound.send(Inbound::Opened(conn, sender)).await.ok();
    while let Some(Ok(message)) = read.next().await {
        // Binary frames are ignored silently (FACTS S14).
        if let Message::Text(text) = message
            && inbound.send(Inbound::Message(conn, text.to_string())).await.is_err()
        {
            break;
        }
    }
    inbound.send(Inbound::Closed(conn)).await.ok();
    writer.await.ok();
}
