//! `initialize`: what every connection declares, and what the server says about itself.
//!
//! Not in the table of [`super::request`]: it is the one request that no user act and no engine asks for.

use serde::{Deserialize, Serialize};

/// The method's name.
pub const METHOD: &str = "initialize";
/// The notification that follows the response; it has no parameters.
pub const INITIALIZED: &str = "initialized";

/// `InitializeParams`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    pub client_info: ClientInfo,
    pub capabilities: Capabilities,
}

/// `ClientInfo`; `name` becomes the originator of the threads started here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientInfo {
    /// A legal HTTP header value (FACTS 1.5).
    pub name: String,
    pub title: String,
    pub version: String,
}

/// `InitializeCapabilities`, what Rejoin declares of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Always `true`: without it the server removes `additionalPermissions` from what the user
    /// approves, silently (FACTS 18.1).
    pub experimental_api: bool,
}

impl InitializeParams {
    /// As this client declares itself on every connection.
    pub fn rejoin() -> Self {
        Self {
            client_info: ClientInfo {
                name: "rejoin".into(),
                title: "Rejoin".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            capabilities: Capabilities { experimental_api: true },
        }
    }
}

/// `InitializeResponse`. The server's version is only in the user agent (FACTS 1.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResponse {
    pub user_agent: String,
    /// A path on the *server*.
    pub codex_home: String,
    /// `unix` or `windows`: decides separator and case rules of the server's paths.
    pub platform_family: String,
    pub platform_os: String,
}

impl InitializeResponse {
    /// The server's version, the word after `<client name>/` in the user agent; `None` if there is none.
    pub fn version(&self) -> Option<&str> {
        let (_, rest) = self.user_agent.split_once('/')?;
        rest.split(' ').next().filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_user_agent_and_never_guessed() {
        let agent = |text: &str| InitializeResponse {
            user_agent: text.into(),
            codex_home: String::new(),
            platform_family: String::new(),
            platform_os: String::new(),
        };
        let real = agent("rejoin/0.159.1 (Debian 12.0.0; x86_64) xterm (rejoin; 0.1.0)");
        assert_eq!(real.version(), Some("0.159.1"));
        for odd in ["", "rejoin", "rejoin/", "rejoin/ x", "rejoin/unknown (x)"] {
            assert_eq!(agent(odd).version(), None, "{odd}");
        }
    }
}
