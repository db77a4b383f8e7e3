//! Text of servers, tools and terminals made harmless: what acts is removed or shown as a mark.

use std::borrow::Cow;

/// A character that a reader does not see but that changes what they see: C0 and C1 controls
/// (not tab and line feed), bidi controls, zero-width and tag characters, line separators, and private-use characters (our icon font
/// lives there: a server must not draw our signs).
pub fn is_hidden(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        c if c.is_control() => true,
        '\u{00ad}'
        | '\u{061c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

/// For commands, paths, titles and link targets: every hidden character as a visible mark, `<U+202E>`.
pub fn marked(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The same on one line: line feeds and tabs become spaces.
pub fn one_line(text: &str) -> String {
    marked(text).replace(['\n', '\t'], " ")
}

/// For prose: bidi and other controls are removed, line ends become LF. Nothing visible is lost.
pub fn prose(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// For terminal output: escape sequences (CSI, OSC, DCS and the like) and controls are removed,
/// text after a lone CR replaces its line as a terminal would, backspace takes back a character.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line = 0; // where the current line begins in `out`
    let mut column: Option<usize> = None; // byte at which a CR makes us overwrite
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => column = Some(line),
            '\n' => {
                out.push('\n');
                line = out.len();
                column = None;
            }
            '\u{8}' => {
                if column.is_none() && out.len() > line {
                    out.pop();
                }
            }
            '\t' => write(&mut out, &mut column, '\t'),
            c if is_hidden(c) => {}
            c => write(&mut out, &mut column, c),
        }
    }
    out
}

/// Writes at the column that a CR left, replacing one character for one.
fn write(out: &mut String, column: &mut Option<usize>, c: char) {
    match *column {
        Some(at) if at < out.len() => {
            // A progress line is short; the first character after CR drops the rest of the line at once.
            out.truncate(at);
            out.push(c);
            *column = None;
        }
        Some(_) | None => {
            out.push(c);
            *column = None;
        }
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.next() {
        Some('[') => skip_csi(chars),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(chars),
        Some(' '..='/') => {
            // An nF sequence: intermediates, then one final character.
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
        Some(_) | None => {}
    }
}

fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// OSC, DCS and friends end with BEL, ST or, unterminated, at the line's end: output after it stays.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(&c) = chars.peek() {
        if c == '\n' {
            return;
        }
        chars.next();
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_leave_no_trace_and_no_text_is_lost() {
        assert_eq!(terminal("\u{1b}[31mred\u{1b}[0m plain"), "red plain");
        assert_eq!(terminal("a\u{1b}]52;c;c2VjcmV0\u{7}b"), "ab");
        assert_eq!(terminal("a\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b"), "alinkb");
        assert_eq!(terminal("a\u{1b}]0;never ended\nnext"), "a\nnext");
        assert_eq!(terminal("x\u{0}y\u{202e}z\u{9b}1mw"), "xyzw");
        assert_eq!(terminal("\u{1b}(Bok\u{1b}"), "ok");
    }

    #[test]
    fn a_carriage_return_replaces_the_line_as_a_terminal_would() {
        assert_eq!(terminal("10%\r20%\r100%\ndone\r\nend"), "100%\ndone\nend");
        assert_eq!(terminal("kept\r"), "kept");
        assert_eq!(terminal("ab\u{8}c"), "ac");
    }

    #[test]
    fn hidden_characters_in_commands_are_marks() {
        assert_eq!(marked("rm \u{202e}txt.exe\u{7}"), "rm <U+202E>txt.exe<U+0007>");
        assert_eq!(one_line("a\nb\tc"), "a b c");
        assert_eq!(marked("plain"), "plain");
    }

    #[test]
    fn prose_keeps_every_visible_character() {
        assert_eq!(prose("a\r\nb\rc\u{202e}d\u{0}e"), "a\nb\ncde");
        assert_eq!(prose("日本語 🎉"), "日本語 🎉");
    }
}
