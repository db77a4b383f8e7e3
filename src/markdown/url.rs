//! Link targets: only schemes that cannot run anything, and never in disguise.

use std::sync::Arc;

use super::untrusted;

/// A checked link target: `http`, `https` or `mailto`, shown in full before it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SafeUrl(Arc<str>);

impl SafeUrl {
    /// Checks a target. `None` for any other scheme, relative targets, control and bidi characters.
    pub fn parse(target: &str) -> Option<Self> {
        let target = target.trim();
        if target.chars().any(untrusted::is_hidden) {
            return None;
        }
        let url = url::Url::parse(target).ok()?;
        let allowed = match url.scheme() {
            "http" | "https" => url.host_str().is_some(),
            "mailto" => true,
            _ => false,
        };
        allowed.then(|| Self(url.as_str().into()))
    }

    /// The whole target: host in ASCII (punycode), so that look-alikes show.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_targets_pass_and_disguises_show() {
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "file:///etc/passwd",
            "ms-msdt:/id x",
            "data:text/html,x",
            "/relative",
            "https://exa\u{202e}mple.org",
            "http://a\u{0}b",
            "https:",
        ] {
            assert_eq!(SafeUrl::parse(bad), None, "{bad:?}");
        }
        assert_eq!(SafeUrl::parse(" https://example.org/a ").unwrap().as_str(), "https://example.org/a");
        assert_eq!(SafeUrl::parse("mailto:a@example.org").unwrap().as_str(), "mailto:a@example.org");
        assert_eq!(SafeUrl::parse("https://аpple.com").unwrap().as_str(), "https://xn--pple-43d.com/");
    }
}
