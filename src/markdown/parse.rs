//! comrak's tree to blocks.

use std::borrow::Cow;

use comrak::nodes::{AstNode, ListType, NodeValue};
use comrak::{Arena, Options};

use super::block::ListItem;
use super::{Block, Inline, MAX_BYTES, MAX_CELLS, MAX_DEPTH, MAX_HTML, SafeUrl, piece, untrusted};

/// Reads a message. Total: any input gives blocks that contain all of its visible text. A long list or plain text comes
/// as several blocks.
pub fn parse(source: &str) -> Vec<Block> {
    let source = untrusted::prose(source);
    if source.len() > MAX_BYTES || is_too_deep(&source) {
        return as_plain(source);
    }
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, &source, &options());
    piece::cut(blocks(root, 0))
}

/// The blocks of `source` before its last one, and the byte at which that begins. `source` is harmless already.
pub(super) fn parse_before_last(source: &str) -> (Vec<Block>, usize) {
    if source.len() > MAX_BYTES || is_too_deep(source) {
        return (Vec::new(), 0);
    }
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, source, &options());
    let first_line = root.last_child().map_or(1, |last| last.data.borrow().sourcepos.start.line);
    let begin = source.split_inclusive('\n').take(first_line.saturating_sub(1)).map(str::len).sum();
    let before = root.children().take(root.children().count().saturating_sub(1));
    (piece::cut(before.filter_map(|child| block(child, 0)).collect()), begin)
}

/// Text that is not read as Markdown.
pub fn plain(source: &str) -> Vec<Block> {
    as_plain(untrusted::prose(source))
}

fn as_plain(source: Cow<'_, str>) -> Vec<Block> {
    if source.trim().is_empty() { Vec::new() } else { piece::cut(vec![Block::Plain(source.into_owned())]) }
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options
}

/// A line whose prefix opens more containers than are shown: such input is quadratic for any parser.
fn is_too_deep(source: &str) -> bool {
    source.lines().any(|line| {
        let markers = line
            .bytes()
            .take_while(|byte| matches!(byte, b'>' | b'-' | b'+' | b'*' | b' ' | b'\t' | b'.' | b')' | b'0'..=b'9'))
            .filter(|byte| matches!(byte, b'>' | b'-' | b'+' | b'*' | b'.' | b')'))
            .count();
        markers > MAX_DEPTH && line.bytes().any(|byte| byte == b'>' || byte == b' ') && !is_rule(line)
    })
}

fn is_rule(line: &str) -> bool {
    let mut marks = line.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let Some(first) = marks.next() else { return false };
    matches!(first, b'-' | b'*') && marks.all(|byte| byte == first) && !line.contains("- -")
}

fn blocks<'a>(node: &'a AstNode<'a>, depth: usize) -> Vec<Block> {
    node.children().filter_map(|child| block(child, depth)).collect()
}

fn block<'a>(node: &'a AstNode<'a>, depth: usize) -> Option<Block> {
    if depth > MAX_DEPTH {
        let text = flat_text(node);
        return (!text.is_empty()).then_some(Block::Plain(text));
    }
    Some(match &node.data.borrow().value {
        NodeValue::Paragraph => Block::Paragraph(inlines(node)),
        NodeValue::Heading(heading) => Block::Heading { level: heading.level, content: inlines(node) },
        NodeValue::CodeBlock(code) => Block::Code {
            language: code.info.split_whitespace().next().unwrap_or_default().to_owned(),
            text: code.literal.trim_end_matches('\n').to_owned(),
        },
        NodeValue::HtmlBlock(html) => Block::Paragraph(vec![html_text(&html.literal)]),
        NodeValue::BlockQuote => Block::Quote(blocks(node, depth + 1)),
        NodeValue::List(list) => Block::List {
            start: (list.list_type == ListType::Ordered).then_some(list.start),
            items: node.children().map(|item| list_item(item, depth + 1)).collect(),
        },
        NodeValue::ThematicBreak => Block::Rule,
        NodeValue::Table(_) => table(node),
        _ => {
            let text = flat_text(node);
            if text.is_empty() {
                return None;
            }
            Block::Paragraph(vec![Inline::text(text)])
        }
    })
}

fn list_item<'a>(node: &'a AstNode<'a>, depth: usize) -> ListItem {
    let checked = match &node.data.borrow().value {
        NodeValue::TaskItem(task) => Some(task.symbol.is_some()),
        _ => None,
    };
    ListItem { checked, blocks: blocks(node, depth) }
}

fn table<'a>(node: &'a AstNode<'a>) -> Block {
    let cells: usize = node.children().map(|row| row.children().count()).sum();
    if cells > MAX_CELLS {
        let rows = node.children().map(|row| row.children().map(flat_text).collect::<Vec<_>>().join("\t"));
        return Block::Plain(rows.collect::<Vec<_>>().join("\n"));
    }
    let mut rows = node.children().map(|row| row.children().map(inlines).collect::<Vec<_>>());
    Block::Table { head: rows.next().unwrap_or_default(), rows: rows.collect() }
}

/// All text below a node, without recursion.
fn flat_text<'a>(node: &'a AstNode<'a>) -> String {
    let mut out = String::new();
    for node in node.descendants() {
        match &node.data.borrow().value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&code.literal),
            NodeValue::CodeBlock(code) => out.push_str(&code.literal),
            NodeValue::HtmlInline(html) => out.push_str(html),
            NodeValue::HtmlBlock(html) => out.push_str(&html.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => out.push('\n'),
            NodeValue::Paragraph | NodeValue::Heading(_) if !out.is_empty() => out.push('\n'),
            _ => {}
        }
    }
    out
}

fn inlines<'a>(node: &'a AstNode<'a>) -> Vec<Inline> {
    let mut out = Vec::new();
    walk(node, &Inline::default(), 0, &mut out);
    out
}

fn walk<'a>(node: &'a AstNode<'a>, style: &Inline, depth: usize, out: &mut Vec<Inline>) {
    for child in node.children() {
        let mut run = Inline { text: String::new(), ..style.clone() };
        match &child.data.borrow().value {
            NodeValue::Text(text) => run.text = text.to_string(),
            NodeValue::Code(code) => {
                run.code = true;
                run.text.clone_from(&code.literal);
            }
            NodeValue::SoftBreak => run.text.push(' '),
            NodeValue::LineBreak => run.text.push('\n'),
            NodeValue::HtmlInline(html) => run.text = html_text(html).text,
            _ if depth > MAX_DEPTH => run.text = flat_text(child),
            value => {
                let target = enter(value, &mut run);
                walk(child, &run, depth + 1, out);
                if let Some(target) = target {
                    push(out, Inline { text: format!(" ({})", untrusted::one_line(&target)), ..style.clone() });
                }
                continue;
            }
        }
        push(out, run);
    }
}

/// Applies a container's style; a link whose target is refused returns the target, to be shown as text.
fn enter(value: &NodeValue, run: &mut Inline) -> Option<String> {
    match value {
        NodeValue::Strong => run.bold = true,
        NodeValue::Emph => run.italic = true,
        NodeValue::Strikethrough => run.strike = true,
        // An image is never fetched: its text is shown, its target is a link like any other.
        NodeValue::Link(link) | NodeValue::Image(link) => match SafeUrl::parse(&link.url) {
            Some(url) => run.link = Some(url),
            None if link.url.is_empty() => {}
            None => return Some(link.url.clone()),
        },
        _ => {}
    }
    None
}

fn push(out: &mut Vec<Inline>, run: Inline) {
    if run.text.is_empty() {
        return;
    }
    match out.last_mut() {
        Some(last) if last.same_style(&run) => last.text.push_str(&run.text),
        _ => out.push(run),
    }
}

/// The text of raw HTML; nothing of it is ever interpreted. Large fragments are shown as they are:
/// an HTML tree builder is quadratic in nesting.
fn html_text(html: &str) -> Inline {
    if html.len() > MAX_HTML {
        return Inline { text: html.trim_end().to_owned(), code: true, ..Inline::default() };
    }
    let text = ammonia::Builder::empty().clean_content_tags(std::collections::HashSet::new()).clean(html).to_string();
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&nbsp;", " ");
    Inline::text(text.replace("&amp;", "&").trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::super::plain_text;
    use super::*;

    fn paragraph(source: &str) -> Vec<Inline> {
        match parse(source).remove(0) {
            Block::Paragraph(content) => content,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_blocks_of_a_message() {
        let blocks = parse(
            "# Hi **x**\n\ntext `code`\n\n1. a\n2. b\n\n- [x] done\n\n> q\n\n```rs x\nfn x(){}\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n---",
        );
        let kinds: Vec<_> =
            blocks.iter().map(|b| format!("{b:?}").split([' ', '(']).next().unwrap().to_owned()).collect();
        assert_eq!(kinds, ["Heading", "Paragraph", "List", "List", "Quote", "Code", "Table", "Rule"]);
        assert_eq!(plain_text(&blocks), "Hi x\ntext code\n1. a\n2. b\n[x] done\nq\nfn x(){}\na\tb\n1\t2\n---");
    }

    #[test]
    fn a_refused_target_is_shown_as_text_and_images_are_links() {
        let bad = paragraph("[click](javascript:alert(1))");
        assert_eq!(bad, [Inline::text("click (javascript:alert(1))")]);
        let image = paragraph("![x](https://evil.example/?q=secret)");
        assert_eq!(image[0].link.as_ref().unwrap().as_str(), "https://evil.example/?q=secret");
    }

    #[test]
    fn raw_html_is_text() {
        assert_eq!(plain_text(&parse("a <b>bold</b> &amp; c")), "a bold & c");
        let script = plain_text(&parse("<script>alert('x')</script>\n"));
        assert!(script.contains("alert('x')"), "{script}");
        assert!(!script.contains("<script"), "{script}");
    }

    #[test]
    fn hostile_inputs_end_and_lose_no_text() {
        let n = 10_000;
        let inputs = [
            format!("{} deep", ">".repeat(n)),
            format!("{}deep", "> ".repeat(n)),
            format!("{}deep", "- ".repeat(n)),
            format!("{}deep", "[".repeat(n)),
            format!("{}deep{}", "*a **a ".repeat(n), "**".repeat(n)),
            format!("{}deep", "<div>".repeat(n)),
            format!("x{}deep", "`".repeat(n)),
            format!("|{}\n|{}\n|{}deep|", "a|".repeat(2_100), "-|".repeat(2_100), "b|".repeat(2_099)),
            format!("```\n{}deep", "line\n".repeat(50_000)),
            format!("{}deep", "a".repeat(1 << 20)),
            format!("{}deep{}", "_".repeat(n), "_".repeat(n)),
            format!("deep{}", "![a](".repeat(n)),
        ];
        for input in inputs {
            let text = plain_text(&parse(&input));
            assert!(text.contains("deep"), "{}: {}", &input[..20], &text[..text.len().min(80)]);
        }
    }

    #[test]
    fn indented_nesting_beyond_the_limit_becomes_plain_text() {
        let source: String = (0..60).map(|depth| format!("{}- level {depth}\n", "  ".repeat(depth))).collect();
        let text = plain_text(&parse(&source));
        assert!((0..60).all(|depth| text.contains(&format!("level {depth}"))), "{text}");
    }
}
