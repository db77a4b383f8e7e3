//! `wss` against servers with certificates of a test authority, directly and through a proxy.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use futures_util::{SinkExt, StreamExt};
use rejoin::base::secret::Secret;
use rejoin::contract::{Failure, FailureKind, Target};
use rejoin::worker::transport::{self, Settings};
use rejoin::worker::websocket::ProxySettings;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::{closed, message, opened, settings};
use crate::kit::certificates::{Authority, Validity};
use crate::kit::websocket_server::{Socket, read_request, tcp, websocket};

struct Bench {
    authority: Authority,
    ca_file: PathBuf,
    _dir: tempfile::TempDir,
}

fn bench() -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let ca_file = dir.path().join("ca.pem");
    authority.write(&ca_file);
    Bench { authority, ca_file, _dir: dir }
}

async fn echo(mut socket: Socket) {
    while let Some(Ok(frame)) = socket.next().await {
        if frame.is_text() {
            socket.send(frame).await.unwrap();
        }
    }
}

impl Bench {
    async fn server(&self, host: &str, validity: Validity) -> SocketAddr {
        websocket(Some(self.authority.server(host, validity)), echo).await.0
    }
}

fn target(host: &str, port: u16, ca_file: Option<&Path>) -> Target {
    Target::WebSocket { url: format!("wss://{host}:{port}"), token_file: None, ca_file: ca_file.map(Path::to_owned) }
}

async fn end_of(target: Target) -> Failure {
    closed(&mut transport::open(target, settings())).await
}

async fn talks(target: Target, settings: Settings) {
    let mut transport = transport::open(target, settings);
    opened(&mut transport).await;
    let text = format!("{{\"t\":\"{}\"}}", "x".repeat(300_000));
    transport.send(text.clone()).unwrap();
    assert!(message(&mut transport).await == text);
    transport.close().await;
}

#[tokio::test]
async fn a_certificate_of_the_named_authority_is_accepted_by_name_and_by_address() {
    let bench = bench();
    for host in ["localhost", "127.0.0.1"] {
        let server = bench.server(host, Validity::Now).await;
        talks(target(host, server.port(), Some(&bench.ca_file)), settings()).await;
    }
}

#[tokio::test]
async fn each_tls_failure_is_told_in_its_own_words() {
    let bench = bench();
    let cases = [
        ("localhost", Validity::Past, Some(&bench.ca_file), "the server's certificate has expired"),
        (
            "localhost",
            Validity::Future,
            Some(&bench.ca_file),
            "the server's certificate is not valid yet; check this computer's clock",
        ),
        ("other.test", Validity::Now, Some(&bench.ca_file), "the server's certificate is not for localhost"),
    ];
    for (host, validity, ca_file, words) in cases {
        let server = bench.server(host, validity).await;
        let failure = end_of(target("localhost", server.port(), ca_file.map(PathBuf::as_path))).await;
        assert_eq!(failure.kind, FailureKind::Tls { why: words.to_owned() });
    }
    let stranger = self::bench();
    let server = bench.server("localhost", Validity::Now).await;
    let failure = end_of(target("localhost", server.port(), Some(&stranger.ca_file))).await;
    let why = "the server's certificate comes from an unknown issuer".to_owned();
    assert_eq!(failure.kind, FailureKind::Tls { why });
}

#[tokio::test]
async fn a_server_without_tls_is_told() {
    let bench = bench();
    let plain = tcp(|mut stream| async move {
        stream.read_u8().await.ok();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.ok();
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    let failure = end_of(target("localhost", plain.port(), Some(&bench.ca_file))).await;
    assert_eq!(failure.kind, FailureKind::Tls { why: "the server does not speak TLS there".to_owned() });
}

#[tokio::test]
async fn an_unusable_ca_file_is_named_with_its_reason() {
    let bench = bench();
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let cases = [
        (dir.path().join("none"), "does not exist"),
        (file("empty", ""), "holds no PEM certificate"),
        (file("text", "hello\n"), "holds no PEM certificate"),
        (file("cut", "-----BEGIN CERTIFICATE-----\nAAAA\n"), "is no valid PEM file"),
        (
            file("bad", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            "holds an unreadable certificate",
        ),
    ];
    let server = bench.server("localhost", Validity::Now).await;
    for (path, why) in cases {
        let failure = end_of(target("localhost", server.port(), Some(&path))).await;
        let path = path.display().to_string();
        assert_eq!(failure.kind, FailureKind::CaFile { path, why: why.to_owned() });
    }
}

/// A proxy that connects every name to `server` and tells what it was asked.
async fn proxy(server: SocketAddr, answer: &'static str) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let (asked, requests) = mpsc::unbounded_channel();
    let address = tcp(move |mut client| {
        let asked = asked.clone();
        async move {
            asked.send(read_request(&mut client).await).unwrap();
            client.write_all(answer.as_bytes()).await.unwrap();
            if answer.contains(" 200 ") {
                let mut server = TcpStream::connect(server).await.unwrap();
                copy_bidirectional(&mut client, &mut server).await.ok();
            }
        }
    })
    .await;
    (address, requests)
}

fn through(proxy: SocketAddr, exempt: &str) -> Settings {
    let https = Some(Secret::new(format!("http://me:proxy-canary@{proxy}")));
    Settings { proxy: ProxySettings { https, exempt: exempt.to_owned() }, ..settings() }
}

#[tokio::test]
async fn a_proxy_is_asked_for_a_tunnel_and_sees_no_token() {
    let bench = bench();
    let server = bench.server("far.test", Validity::Now).await;
    let (proxy, mut requests) = proxy(server, "HTTP/1.1 200 Connection established\r\n\r\n").await;
    let token_file = bench.ca_file.with_file_name("token");
    std::fs::write(&token_file, "token-canary").unwrap();
    let target = Target::WebSocket {
        url: "wss://far.test:8443".to_owned(),
        token_file: Some(token_file),
        ca_file: Some(bench.ca_file.clone()),
    };
    talks(target, through(proxy, "near.test")).await;
    let request = requests.recv().await.unwrap();
    assert!(request.starts_with("CONNECT far.test:8443 HTTP/1.1\r\nHost: far.test:8443\r\n"), "{request}");
    assert!(request.contains("Proxy-Authorization: Basic bWU6cHJveHktY2FuYXJ5\r\n"), "{request}");
    assert!(!request.contains("token-canary"));
}

#[tokio::test]
async fn a_proxy_that_refuses_is_told_apart_and_its_password_stays_secret() {
    let bench = bench();
    let server = bench.server("far.test", Validity::Now).await;
    let (refusing, _requests) = proxy(server, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await;
    let target = target("far.test", 443, Some(&bench.ca_file));
    let failure = closed(&mut transport::open(target.clone(), through(refusing, ""))).await;
    assert_eq!(failure.kind, FailureKind::HttpStatus { status: 407 });
    assert!(failure.detail.contains("proxy") && !failure.detail.contains("canary"), "{failure:?}");
    let (nonsense, _requests) = proxy(server, "220 smtp.test ESMTP\r\n\r\n").await;
    let failure = closed(&mut transport::open(target, through(nonsense, ""))).await;
    assert!(matches!(failure.kind, FailureKind::NotAnAppServer { .. }), "{failure:?}");
}

#[tokio::test]
async fn loopback_and_exempt_hosts_are_not_proxied() {
    let bench = bench();
    let server = bench.server("localhost", Validity::Now).await;
    let (proxy, mut requests) = proxy(server, "HTTP/1.1 200 OK\r\n\r\n").await;
    talks(target("localhost", server.port(), Some(&bench.ca_file)), through(proxy, "")).await;
    let failure =
        closed(&mut transport::open(target("far.invalid", 443, Some(&bench.ca_file)), through(proxy, "invalid"))).await;
    // Which of the two depends on whether there is a name server that says no.
    assert!(matches!(failure.kind, FailureKind::HostNotFound { .. } | FailureKind::ConnectionLost), "{failure:?}");
    assert!(requests.try_recv().is_err(), "the proxy was asked");
}
