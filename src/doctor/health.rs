//! The health endpoints of a running server (`--connect`).
//!
//! `GET /healthz` and `/readyz` need no token (FACTS 9.3), so none is sent. TLS is the worker's: same
//! roots, same CA file, same words. Asked directly, without a proxy.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use rustls::{ClientConnection, StreamOwned};
use url::Url;

use super::Finding;
use crate::contract::{Failure, FailureKind};
use crate::settings::{self, Connection, Profile};
use crate::worker::tls;

/// For each of connecting, writing and reading.
const WAIT: Duration = Duration::from_secs(5);
/// The status line is what counts.
const ANSWER_BYTES: u64 = 4096;

/// Asks the server of a remote profile.
pub(super) fn profile(profile: &Profile) -> Vec<Finding> {
    let about = format!("Profile \"{}\"", profile.name);
    let Connection::Remote { url, ca_file, .. } = &profile.connection else { return Vec::new() };
    let Ok(url) = settings::endpoint(url) else { return Vec::new() };
    ["/healthz", "/readyz"].map(|path| finding(&about, path, get(&url, path, ca_file.as_deref()))).into()
}

fn finding(about: &str, path: &str, status: io::Result<u16>) -> Finding {
    match status {
        Ok(200) => Finding::ok(about, format!("{path} says 200")),
        Ok(status) => {
            let found = format!("{path} says {status}");
            Finding::problem(about, found, "Is it an app-server, and is it started and not draining?")
        }
        Err(error) => Finding::problem(about, format!("{path}: {error}"), "Start the server, or correct the address."),
    }
}

/// The HTTP status of one request.
fn get(url: &Url, path: &str, ca_file: Option<&Path>) -> io::Result<u16> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let secure = url.scheme() == "wss";
    let port = url.port_or_known_default().unwrap_or(if secure { 443 } else { 80 });
    let stream = connect(host, port, secure)?;
    if secure { status(secured(host, stream, ca_file)?, url, path) } else { status(stream, url, path) }
}

/// The first address that answers; without TLS only this machine is asked (DESIGN 7).
fn connect(host: &str, port: u16, secure: bool) -> io::Result<TcpStream> {
    let mut failed =
        io::Error::other(if secure { "the host has no address" } else { "the address does not lead to this machine" });
    for address in (host, port).to_socket_addrs()?.filter(|address| secure || address.ip().is_loopback()) {
        match TcpStream::connect_timeout(&address, WAIT) {
            Ok(stream) => {
                stream.set_read_timeout(Some(WAIT))?;
                stream.set_write_timeout(Some(WAIT))?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// The server must prove to be `host`; the handshake is done here, so that its failure has the worker's words.
fn secured(host: &str, mut stream: TcpStream, ca_file: Option<&Path>) -> io::Result<impl Read + Write> {
    let words = |failure: Failure| io::Error::other(worded(&failure.kind));
    let config = tls::config(ca_file).map_err(words)?;
    let name = tls::server_name(host).map_err(words)?;
    let mut connection = ClientConnection::new(config, name).map_err(io::Error::other)?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream).map_err(|error| words(tls::failed(&error, host)))?;
    }
    Ok(StreamOwned::new(connection, stream))
}

fn worded(kind: &FailureKind) -> String {
    match kind {
        FailureKind::Tls { why } => format!("TLS failed: {why}"),
        FailureKind::CaFile { path, why } => format!("the CA file {path} {why}"),
        _ => "the connection was lost".to_owned(),
    }
}

fn status(mut stream: impl Read + Write, url: &Url, path: &str) -> io::Result<u16> {
    // In one piece: some servers judge a request by its first packet.
    let authority = url.authority().rsplit('@').next().unwrap_or_default();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    stream.flush()?;
    let mut answer = Vec::new();
    let mut chunk = [0; 512];
    while !answer.contains(&b'\n') && (answer.len() as u64) < ANSWER_BYTES {
        match stream.read(&mut chunk)? {
            0 => break,
            n => answer.extend_from_slice(&chunk[..n]),
        }
    }
    String::from_utf8_lossy(&answer)
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .ok_or_else(|| io::Error::other("what answers there speaks no HTTP"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn answer(text: &'static str) -> io::Result<u16> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("ws://{}", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 256];
            let n = stream.read(&mut request).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            String::from_utf8_lossy(&request[..n]).into_owned()
        });
        let status = get(&url, "/healthz", None);
        assert!(server.join().unwrap().starts_with("GET /healthz HTTP/1.1\r\n"));
        status
    }

    #[test]
    fn the_status_is_read_and_what_is_no_http_is_an_error() {
        assert_eq!(answer("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap(), 200);
        assert_eq!(answer("HTTP/1.1 503 Service Unavailable\r\n\r\n").unwrap(), 503);
        assert!(answer("SSH-2.0-x\r\n").unwrap_err().to_string().contains("no HTTP"));
    }
}
