//! `rejoin demo-server` as a process, over both of its transports.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::kit::PATIENCE;

struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn start(arguments: &[&str]) -> Reaped {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rejoin"));
    command.arg("demo-server").args(arguments);
    Reaped(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"))
}

fn initialize() -> String {
    let client = json!({ "name": "test", "title": "Test", "version": "0.0.1" });
    json!({ "id": 1, "method": "initialize", "params": { "clientInfo": client } }).to_string()
}

#[test]
fn over_stdio_it_answers_in_lines_and_ends_with_its_input() {
    let mut server = start(&["--scenario", "empty"]);
    let mut stdin = server.0.stdin.take().expect("piped");
    writeln!(stdin, "no JSON\n{}", initialize()).expect("it reads");
    let mut lines = BufReader::new(server.0.stdout.take().expect("piped")).lines();
    let answer: Value = serde_json::from_str(&lines.next().expect("a line").expect("UTF-8")).expect("JSON");
    assert!(answer["result"]["userAgent"].as_str().is_some_and(|agent| agent.starts_with("rejoin-demo/0.159.1 ")));
    drop(stdin);
    assert_eq!(server.0.wait().expect("it ends").code(), Some(0));
    assert!(lines.next().is_none());
}

#[test]
fn an_unknown_scenario_is_said_and_ends_with_code_2() {
    let output = Command::new(env!("CARGO_BIN_EXE_rejoin")).args(["demo-server", "--scenario", "x"]).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no scenario \"x\""));
}

#[tokio::test]
async fn over_websocket_two_clients_share_one_server() {
    let mut server = start(&["--scenario", "empty", "--listen", "ws://127.0.0.1:0"]);
    let mut lines = BufReader::new(server.0.stderr.take().expect("piped")).lines();
    let url = lines.find_map(|line| Some(line.ok()?.split_once("listening on: ")?.1.to_owned())).expect("a URL");
    let mut clients = Vec::new();
    for _ in 0..2 {
        let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.expect("it accepts");
        socket.send(Message::text(initialize())).await.expect("it reads");
        let answer = socket.next().await.expect("an answer").expect("a message");
        assert!(answer.to_text().expect("text").contains("rejoin-demo"));
        clients.push(socket);
    }
    let start = json!({ "id": 2, "method": "thread/start", "params": {} }).to_string();
    clients[0].send(Message::text(start)).await.expect("it reads");
    let heard = tokio::time::timeout(PATIENCE, clients[1].next()).await.expect("in time");
    let heard = heard.expect("a message").expect("a message");
    assert!(heard.to_text().expect("text").contains("\"thread/started\""), "the other client hears of it");
}
