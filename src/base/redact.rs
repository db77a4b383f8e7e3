//! The one redactor for logs and diagnostics: bearer tokens, API keys and user names in URLs.

/// Replaces what looks like a credential by `[redacted]`. Idempotent; never lengthens a clean text.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut hide_next = false;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let space = &piece[word.len()..];
        let lower = word.to_ascii_lowercase();
        if hide_next && !word.is_empty() {
            out.push_str("[redacted]");
            hide_next = false;
        } else if let Some((scheme, rest)) = word.split_once("://")
            && let Some((user, host)) = rest.split_once('@')
            && !user.contains('/')
        {
            out.push_str(scheme);
            out.push_str("://[redacted]@");
            out.push_str(host);
        } else if looks_secret(&lower) {
            out.push_str("[redacted]");
        } else {
            hide_next = lower.ends_with("bearer");
            out.push_str(word);
        }
        out.push_str(space);
    }
    out
}

fn looks_secret(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    ["sk-", "sess-", "eyj"].iter().any(|prefix| word.starts_with(prefix) && word.len() >= 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_hidden_and_the_rest_stays() {
        assert_eq!(redact("Authorization: Bearer abc def"), "Authorization: Bearer [redacted] def");
        assert_eq!(redact("wss://me:pw@host/x ok"), "wss://[redacted]@host/x ok");
        assert_eq!(redact("key sk-0123456789abcdef0123 end"), "key [redacted] end");
        assert_eq!(redact("plain text\n stays"), "plain text\n stays");
    }
}
