//! Proxies for `wss`: `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, and the CONNECT exchange.
//!
//! A proxy sees the name of the server and nothing else: TLS and the token are inside the tunnel.
//! Loopback is never proxied.

use std::net::IpAddr;

use base64::Engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

use crate::base::limit;
use crate::base::secret::Secret;
use crate::contract::{Failure, FailureKind};

use super::super::transport::failure;

/// What the environment says about proxies.
#[derive(Debug, Clone, Default)]
pub struct ProxySettings {
    /// `HTTPS_PROXY` or else `ALL_PROXY`; may hold credentials.
    pub https: Option<Secret>,
    /// `NO_PROXY`: hosts that are connected to directly.
    pub exempt: String,
}

/// A proxy to use.
#[derive(Debug, Clone)]
pub(super) struct Proxy {
    pub host: String,
    pub port: u16,
    authorization: Option<Secret>,
}

impl ProxySettings {
    /// Reads the variables, lower case first, as others do.
    pub fn from_environment() -> Self {
        let read =
            |names: &[&str]| names.iter().find_map(|name| std::env::var(name).ok().filter(|text| !text.is_empty()));
        Self {
            https: read(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]).map(Secret::new),
            exempt: read(&["no_proxy", "NO_PROXY"]).unwrap_or_default(),
        }
    }

    /// The proxy for a host, if any.
    pub(super) fn for_host(&self, host: &str, port: u16) -> Result<Option<Proxy>, Failure> {
        let Some(setting) = self.https.as_ref().filter(|_| !self.is_exempt(host, port)) else { return Ok(None) };
        let text = setting.expose();
        let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let refuse = || {
            let why = "the proxy in HTTPS_PROXY is none that works here; it must look like http://host:port";
            failure(FailureKind::BadUrl { why: why.to_owned() }, "")
        };
        let url = Url::parse(&text).map_err(|_| refuse())?;
        let (Some(host), Some(port), "http") = (url.host_str(), url.port_or_known_default(), url.scheme()) else {
            return Err(refuse());
        };
        let authorization = (!url.username().is_empty()).then(|| {
            let pair = format!("{}:{}", decode(url.username()), decode(url.password().unwrap_or_default()));
            Secret::new(base64::engine::general_purpose::STANDARD.encode(pair))
        });
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Some(Proxy { host, port, authorization }))
    }

    fn is_exempt(&self, host: &str, port: u16) -> bool {
        let host = host.to_ascii_lowercase();
        if host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()) {
            return true;
        }
        self.exempt.split([',', ' ']).map(|entry| entry.trim().to_ascii_lowercase()).any(|entry| {
            let entry = entry.strip_suffix(&format!(":{port}")).unwrap_or(&entry);
            let name = entry.trim_start_matches('*').trim_start_matches('.');
            let bare = name.trim_start_matches('[').trim_end_matches(']');
            entry == "*"
                || !bare.is_empty() && (host == bare || host.strip_suffix(bare).is_some_and(|rest| rest.ends_with('.')))
        })
    }
}

/// Asks a proxy for a tunnel to a server.
pub(super) async fn tunnel(stream: &mut TcpStream, proxy: &Proxy, host: &str, port: u16) -> Result<(), Failure> {
    let lost = |error: std::io::Error| failure(FailureKind::ConnectionLost, &format!("proxy {}: {error}", proxy.host));
    let authority = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let mut request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n");
    if let Some(authorization) = &proxy.authorization {
        request.push_str(&format!("Proxy-Authorization: Basic {}\r\n", authorization.expose()));
    }
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).await.map_err(lost)?;
    let mut answer = Vec::new();
    // Byte by byte: what follows the answer's end belongs to TLS.
    while !answer.ends_with(b"\r\n\r\n") {
        let byte = stream.read_u8().await.map_err(lost)?;
        answer.push(byte);
        if answer.len() > limit::PROXY_ANSWER {
            break;
        }
    }
    match status(&answer) {
        Some(200..=299) => Ok(()),
        Some(status) => {
            let detail = format!("the proxy {} refused the connection with HTTP {status}", proxy.host);
            Err(failure(FailureKind::HttpStatus { status }, &detail))
        }
        None => {
            let why = format!("the proxy {} does not answer as a proxy", proxy.host);
            Err(failure(FailureKind::NotAnAppServer { why }, ""))
        }
    }
}

fn status(answer: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(answer.split(|byte| *byte == b'\r').next()?).ok()?;
    let mut words = line.split(' ');
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}

/// Undoes percent encoding of user name and password.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(proxy: &str, exempt: &str) -> ProxySettings {
        ProxySettings { https: Some(Secret::new(proxy.to_owned())), exempt: exempt.to_owned() }
    }

    #[test]
    fn exempt_hosts_and_loopback_are_reached_directly() {
        let exempt = "example.org, .corp.test,10.0.0.7,host.test:8443";
        let rows = [
            ("example.org", 443, true),
            ("a.example.org", 443, true),
            ("notexample.org", 443, false),
            ("x.corp.test", 443, true),
            ("10.0.0.7", 443, true),
            ("10.0.0.8", 443, false),
            ("host.test", 8443, true),
            ("host.test", 443, false),
            ("127.0.0.1", 443, true),
            ("localhost", 443, true),
            ("::1", 443, true),
        ];
        for (host, port, expected) in rows {
            assert_eq!(settings("p:1", exempt).is_exempt(host, port), expected, "{host}:{port}");
        }
        assert!(settings("p:1", "*").is_exempt("anything", 1));
    }

    #[test]
    fn a_proxy_is_read_with_its_credentials_and_other_kinds_are_refused() {
        let proxy = settings("http://me:p%40ss@proxy.test:3128", "").for_host("far.test", 443).unwrap().unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.test", 3128));
        assert_eq!(proxy.authorization.as_ref().map(Secret::expose), Some("bWU6cEBzcw=="));
        assert!(!format!("{proxy:?}").contains("bWU6"));
        assert_eq!(settings("[::1]:3128", "").for_host("far.test", 443).unwrap().unwrap().host, "::1");
        let refused = settings("socks5://me:canary@p:1", "").for_host("far.test", 443).unwrap_err();
        assert!(!format!("{refused:?}").contains("canary"));
    }
}
