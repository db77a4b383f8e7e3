//! Ten hostile inputs: what an untrusted model or file may contain.

use std::time::Duration;

use serde_json::json;

use super::beat::{Ask, Pace, Step};

/// Texts that must neither hang nor harm a client, with what each is about.
fn texts() -> Vec<(&'static str, String)> {
    vec![
        ("a line of 1 MB", "all work and no play ".repeat(50_000)),
        ("a code block of 50,000 lines", format!("```text\n{}```", "line after line\n".repeat(50_000))),
        ("quotes nested 10,000 deep", format!("{} deep", ">".repeat(10_000))),
        ("links that are none", "[run](javascript:alert(1)) and [open](file:///etc/passwd)".into()),
        ("a remote image", "![tracking](https://example.invalid/pixel.png)".into()),
        ("a clipboard escape", "before \u{1b}]52;c;cm0gLXJmIH4=\u{7} after".into()),
        ("NUL and other controls", "nul \0, bell \u{7}, backspace \u{8}, C1 \u{9b}31m, CR over\rwrite".into()),
        ("bidirectional text", "user \u{202e}drowssap\u{202c} and \u{2066}isolated\u{2069}".into()),
        ("what invalid UTF-8 becomes", "\u{FFFD}\u{FFFD} and \u{FFFE} and \u{10FFFF}".into()),
        ("raw HTML", "<script>alert(1)</script><img src=x onerror=alert(1)><b>bold</b>".into()),
    ]
}

/// All of them in one turn, each announced, and a command with a reversed name.
pub(super) fn steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for (about, text) in texts() {
        let pace = if text.len() > 10_000 { Pace::Characters(20_000) } else { Pace::Words(Duration::from_millis(5)) };
        steps.push(Step::Say { text: format!("Now {about}:\n\n{text}"), pace });
    }
    steps.push(Step::Shell {
        command: "rm \u{202e}fdp.txt\u{1b}[2K".into(),
        output: "\u{1b}[31mred\u{1b}[0m\r\nprogress 10%\rprogress 100%\n\u{1b}]0;title\u{7}\n".into(),
        exit: 1,
        pace: Pace::Whole,
        ask: Ask::Policy,
    });
    steps
}

/// A message of a bit more than one MB: forty of them are a page of 40 MB.
pub(super) fn large(index: usize) -> Step {
    Step::Say { text: format!("Part {index}. {}", "0123456789abcdef".repeat(66_000)), pace: Pace::Whole }
}

/// A request whose command is not what it seems.
pub(super) fn request() -> Step {
    Step::Shell {
        command: "cat \u{202e}txt.yek_ni_etirw\u{202c} | sh".into(),
        output: String::new(),
        exit: 0,
        pace: Pace::Whole,
        ask: Ask::Always,
    }
}

/// A tool whose arguments and result are hostile too.
pub(super) fn tool() -> Step {
    Step::Mcp {
        server: "evil",
        tool: "exfiltrate",
        arguments: json!({ "\u{202e}path": "../../../etc/shadow", "nul": "\0" }),
        progress: vec!["\u{1b}[2Jcleared"],
        result: "[click](javascript:alert(document.cookie))",
    }
}
