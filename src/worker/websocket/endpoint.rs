//! What a WebSocket target says: which URLs are allowed, and the token from its file.

use std::io::Read;
use std::path::{Path, PathBuf};

use tokio_tungstenite::tungstenite::http::HeaderValue;
use url::{Host, Url};

use crate::base::limit;
use crate::base::secret::Secret;
use crate::contract::{Failure, FailureKind};

use super::super::tls::read_error_words;
use super::super::transport::failure;

/// `Target::WebSocket`, as the user gave it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub url: String,
    pub token_file: Option<PathBuf>,
    pub ca_file: Option<PathBuf>,
}

/// A URL that we connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// For the handshake; holds no credentials.
    pub url: String,
    /// A name, or an address without brackets.
    pub host: String,
    pub port: u16,
    pub security: Security,
}

/// How the stream is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    Tls,
    /// Plain; only loopback addresses are connected to, whatever the name resolves to.
    Loopback,
}

/// Checks a URL: `wss` anywhere, `ws` only to loopback, no credentials in it.
pub(super) fn parse(text: &str) -> Result<Place, Failure> {
    let refuse = |why: &str| Err(failure(FailureKind::BadUrl { why: why.to_owned() }, ""));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("it is no URL; it must look like wss://host:port or ws://127.0.0.1:port");
    };
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return match url.scheme() {
            "ws" | "wss" => refuse("it names no host"),
            _ => refuse("it must begin with wss:// or ws://"),
        };
    };
    let local = match &host {
        Host::Domain(name) => name.eq_ignore_ascii_case("localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    let security = match url.scheme() {
        "wss" => Security::Tls,
        "ws" if local => Security::Loopback,
        "ws" => return refuse("ws:// is allowed to this computer only, because it is not encrypted; use wss://"),
        "http" | "https" => return refuse("it must begin with wss:// (or ws:// to this computer), not with http"),
        _ => return refuse("it must begin with wss:// or ws://"),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it must hold no user name or password; put the token into a token file");
    }
    if url.fragment().is_some() {
        return refuse("it must not hold a # part");
    }
    if port == 0 {
        return refuse("port 0 cannot be connected to");
    }
    let host = match host {
        Host::Domain(name) => name.to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    };
    Ok(Place { url: url.to_string(), host, port, security })
}

/// Reads a bearer token. Blocks on the file. Nothing of its content is in an error.
pub(super) fn read_token(path: &Path) -> Result<Secret, Failure> {
    let refuse = |why: &str, detail: &str| {
        failure(FailureKind::TokenFile { path: path.display().to_string(), why: why.to_owned() }, detail)
    };
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(limit::TOKEN_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| refuse(read_error_words(&error), &error.to_string()))?;
    if bytes.len() as u64 > limit::TOKEN_FILE {
        return Err(refuse("is larger than 16 KiB", ""));
    }
    let Ok(text) = String::from_utf8(bytes) else { return Err(refuse("is no text", "")) };
    let token = text.trim_start_matches('\u{feff}').trim();
    if token.is_empty() {
        return Err(refuse("is empty", ""));
    }
    if token.contains(['\n', '\r']) {
        return Err(refuse("holds more than one line", ""));
    }
    let token = Secret::new(token.to_owned());
    if bearer(&token).is_none() {
        return Err(refuse("holds characters that no token has", ""));
    }
    Ok(token)
}

/// The value of the Authorization header; `None` if the token cannot be in one.
pub(super) fn bearer(token: &Secret) -> Option<HeaderValue> {
    if !token.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(url: &str) -> String {
        match parse(url) {
            Ok(place) => panic!("{url} was accepted: {place:?}"),
            Err(Failure { kind: FailureKind::BadUrl { why }, .. }) => why,
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn plain_sockets_are_for_loopback_only() {
        for url in ["ws://127.0.0.1:4500", "ws://127.9.9.9", "ws://[::1]:4500/x", "ws://LOCALHOST:1"] {
            assert_eq!(parse(url).map(|place| place.security), Ok(Security::Loopback), "{url}");
        }
        for url in
            ["ws://192.168.1.2:1", "ws://example.org", "ws://[fe80::1]", "ws://localhost.example.org", "ws://128.0.0.1"]
        {
            assert!(why(url).contains("this computer only"), "{url}");
        }
    }

    #[test]
    fn a_place_has_its_host_without_brackets_and_its_port() {
        let place = parse(" wss://[2001:DB8::1]/app?x=1 ").unwrap();
        assert_eq!((place.host.as_str(), place.port, place.security), ("2001:db8::1", 443, Security::Tls));
        assert_eq!(place.url, "wss://[2001:db8::1]/app?x=1");
    }

    #[test]
    fn other_urls_are_refused_in_words_that_repeat_no_secret() {
        assert!(why("https://host").contains("wss://"));
        assert!(why("file:///etc/passwd").contains("wss://"));
        assert!(why("nonsense").contains("no URL"));
        assert!(why("wss://host/#x").contains('#'));
        assert!(why("ws://127.0.0.1:0").contains("port 0"));
        assert!(!why("wss://me:canary@host").contains("canary"));
    }

    #[test]
    fn a_token_is_trimmed_and_everything_else_is_refused_without_its_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let read = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            read_token(&path)
        };
        assert_eq!(read(b" \n s3cret-value\r\n").unwrap().expose(), "s3cret-value");
        let large = vec![b'x'; 17 << 10];
        let cases: [(&[u8], &str); 6] = [
            (b" \n", "is empty"),
            (b"canary\ntwo", "holds more than one line"),
            (b"canary\x07", "holds characters that no token has"),
            ("canary-\u{e9}".as_bytes(), "holds characters that no token has"),
            (b"canary\xff", "is no text"),
            (&large, "is larger than 16 KiB"),
        ];
        for (content, expected) in cases {
            let failure = read(content).unwrap_err();
            assert!(!format!("{failure:?}").contains("canary"));
            let FailureKind::TokenFile { why, .. } = failure.kind else { panic!("{failure:?}") };
            assert_eq!(why, expected);
        }
        let missing = read_token(&dir.path().join("none")).unwrap_err();
        assert!(matches!(missing.kind, FailureKind::TokenFile { why, .. } if why == "does not exist"));
    }
}
