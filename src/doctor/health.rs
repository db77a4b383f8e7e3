//! The health endpoints of a running server (`--connect`).
//!
//! `GET /healthz` and `/readyz` need no token (FACTS 9.3), so none is sent. Plain TCP only: the
//! check of a `wss` server needs the worker's TLS and is said to be missing.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use url::Url;

use super::Finding;
use crate::settings::{self, Connection, Profile};

/// For each of connecting, writing and reading.
const WAIT: Duration = Duration::from_secs(5);
/// The status line is what counts.
const ANSWER_BYTES: u64 = 4096;

/// Asks the server of a remote profile.
pub(super) fn profile(profile: &Profile) -> Vec<Finding> {
    let about = format!("Profile \"{}\"", profile.name);
    let Connection::Remote { url, .. } = &profile.connection else { return Vec::new() };
    let Ok(url) = settings::endpoint(url) else { return Vec::new() };
    if url.scheme() == "wss" {
        let advice = "Connect to it in the window; it tells TLS, token and server apart.";
        return vec![Finding::warning(about, "the health of a wss server is not checked here", advice)];
    }
    ["/healthz", "/readyz"].map(|path| finding(&about, path, get(&url, path))).into()
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
fn get(url: &Url, path: &str) -> io::Result<u16> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let address = (host.trim_matches(['[', ']']), port)
        .to_socket_addrs()?
        .find(|address| address.ip().is_loopback())
        .ok_or_else(|| io::Error::other("the address does not lead to this machine"))?;
    let mut stream = TcpStream::connect_timeout(&address, WAIT)?;
    stream.set_read_timeout(Some(WAIT))?;
    stream.set_write_timeout(Some(WAIT))?;
    // In one piece: some servers judge a request by its first packet.
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
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
        let status = get(&url, "/healthz");
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
