//! The report: one page that says at the top what does not hold, and shows it before, after and as a difference.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::compare::{self, Compared};
use super::matrix::Case;
use super::picture;

/// What came of one case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The case's name.
    pub case: String,
    /// What its scenario shows.
    pub about: String,
    /// Why it does not hold; nothing: it does.
    pub reasons: Vec<String>,
    /// How long it took.
    pub millis: u128,
    /// What the comparison found, if there was one.
    pub compared: Compared,
}

impl Outcome {
    /// A case that was played, with what does not hold of it.
    pub fn played(case: &Case, reasons: Vec<String>, millis: u128) -> Self {
        let (case, about) = (case.to_string(), case.scenario.about.to_owned());
        Self { case, about, reasons, millis, ..Self::default() }
    }

    /// A committed case that is none any more.
    pub fn surplus(case: String) -> Self {
        let reasons = vec!["it is committed and no such case exists".to_owned()];
        Self { case, about: "no case".to_owned(), reasons, ..Self::default() }
    }

    /// Whether it holds.
    pub fn is_good(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Compares the case's files in the two folders.
    pub fn compare(&mut self, before: &Path, after: &Path) {
        self.compared = compare::compare(before, after, &self.case);
        self.reasons.extend(self.compared.reasons.iter().cloned());
    }

    /// `pass NAME` or `FAIL NAME`, with a line end.
    pub fn line(&self) -> String {
        format!("{} {}\n", if self.is_good() { "pass" } else { "FAIL" }, self.case)
    }
}

/// A run, to be written as a page.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    pub outcomes: &'a [Outcome],
    /// It was compared with what is committed.
    pub compared: bool,
    pub took: Duration,
}

impl Report<'_> {
    /// Writes `report.html` into `out`, with the committed pictures of failed cases below `before/` and the
    /// differences below `difference/`; the new pictures are in `out` already.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, committed: &Path, out: &Path) -> std::io::Result<PathBuf> {
        for folder in ["before", "difference"] {
            let folder = out.join(folder);
            if folder.exists() {
                std::fs::remove_dir_all(&folder)?;
            }
            std::fs::create_dir_all(folder)?;
        }
        for outcome in self.outcomes.iter().filter(|outcome| !outcome.is_good()) {
            let (before, _) = compare::files(committed, &outcome.case);
            if self.compared && before.exists() {
                std::fs::copy(before, compare::files(&out.join("before"), &outcome.case).0)?;
            }
            if let Some(difference) = &outcome.compared.difference {
                let file = picture::encode(&difference.picture).map_err(std::io::Error::other)?;
                std::fs::write(compare::files(&out.join("difference"), &outcome.case).0, file)?;
            }
        }
        let page = out.join("report.html");
        std::fs::write(&page, self.page(out))?;
        Ok(page)
    }

    /// The page; `out` tells which pictures are there.
    pub fn page(&self, out: &Path) -> String {
        let (good, bad): (Vec<_>, Vec<_>) = self.outcomes.iter().partition(|outcome| outcome.is_good());
        let verdict = match bad.len() {
            0 => format!("All {} cases hold", good.len()),
            failed => format!("{failed} of {} cases do not hold", self.outcomes.len()),
        };
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{verdict} \u{2013} Rejoin acceptance</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <h1>{verdict}</h1>\n<p>{}</p>\n",
            self.summary(good.len(), bad.len())
        );
        if !bad.is_empty() {
            page.push_str("<nav aria-label=\"What does not hold\">\n<ul>\n");
            for outcome in &bad {
                let case = escape(&outcome.case);
                let first = outcome.reasons.first().map_or("", String::as_str);
                let _ = writeln!(page, "<li><a href=\"#{case}\">{case}</a>: {}</li>", escape(&short(first)));
            }
            page.push_str("</ul>\n</nav>\n<h2>What does not hold</h2>\n");
            bad.iter().for_each(|outcome| self.failure(&mut page, out, outcome));
        }
        self.table(&mut page, &[bad.as_slice(), good.as_slice()].concat(), out);
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    fn summary(&self, good: usize, bad: usize) -> String {
        let against = if self.compared {
            "Compared with what is committed below <code>screenshots/</code>. If every change is wanted: \
             <code>rejoin acceptance --out screenshots</code>."
        } else {
            "Not compared with what is committed (<code>--check</code> does that)."
        };
        format!("{good} hold, {bad} do not; {:.0} seconds. {against}", self.took.as_secs_f32().ceil())
    }

    fn failure(&self, page: &mut String, out: &Path, outcome: &Outcome) {
        let case = escape(&outcome.case);
        let _ = write!(
            page,
            "<section aria-labelledby=\"{case}\">\n<h3 id=\"{case}\">{case}</h3>\n<p>{}</p>\n<ul>\n",
            escape(&outcome.about)
        );
        for reason in &outcome.reasons {
            let _ = writeln!(page, "<li>{}</li>", escape(reason));
        }
        page.push_str("</ul>\n<div class=\"pictures\">\n");
        let pictures = [("before", "Before", "as committed"), ("", "After", "now"), ("difference", "Difference", "")];
        for (folder, title, when) in pictures {
            let (file, _) = compare::files(&out.join(folder), &outcome.case);
            let place = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let alt = match folder {
                "difference" => format!("{}: pixels that differ, in pink", outcome.case),
                _ => format!("{}, {when}: {}", outcome.case, outcome.about),
            };
            let _ = if file.exists() {
                writeln!(
                    page,
                    "<figure><figcaption>{title}</figcaption><a href=\"{place}{case}.png\">\
                     <img src=\"{place}{case}.png\" alt=\"{}\" loading=\"lazy\"></a></figure>",
                    escape(&alt)
                )
            } else {
                writeln!(page, "<figure><figcaption>{title}</figcaption><p>There is none.</p></figure>")
            };
        }
        page.push_str("</div>\n");
        if !outcome.compared.lines.is_empty() {
            let lines = outcome.compared.lines.join("\n");
            let _ = writeln!(
                page,
                "<h4>Words that differ</h4>\n<pre tabindex=\"0\" aria-label=\"Words that differ in {case}\">{}</pre>",
                escape(&lines)
            );
        }
        page.push_str("</section>\n");
    }

    fn table(&self, page: &mut String, outcomes: &[&Outcome], out: &Path) {
        page.push_str(
            "<h2>Every case</h2>\n<table>\n<caption>Those that do not hold first</caption>\n<thead><tr>\
             <th scope=\"col\">Case</th><th scope=\"col\">Result</th><th scope=\"col\">What is to be seen</th>\
             <th scope=\"col\">Time</th></tr></thead>\n<tbody>\n",
        );
        for outcome in outcomes {
            let case = escape(&outcome.case);
            let name = if compare::files(out, &outcome.case).0.exists() {
                format!("<a href=\"{case}.png\">{case}</a>")
            } else {
                case
            };
            let (class, word) =
                if outcome.is_good() { ("good", "\u{2713} holds") } else { ("bad", "\u{2717} does not hold") };
            let _ = writeln!(
                page,
                "<tr><th scope=\"row\">{name}</th><td class=\"{class}\">{word}</td><td>{}</td><td>{} ms</td></tr>",
                escape(&outcome.about),
                outcome.millis
            );
        }
        page.push_str("</tbody>\n</table>\n");
    }
}

/// At most so many characters of a reason in the list at the top.
fn short(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((cut, _)) => format!("{}\u{2026}", &text[..cut]),
        None => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Contrast of its text is 7:1 or more in both halves.
const STYLE: &str = "\
:root { color-scheme: light dark; --ground: #fff; --text: #1b1b1b; --line: #767676; --link: #0b4da2; --good: #0f5223;
 --bad: #8f1414; --code: #f2f2f0; }
@media (prefers-color-scheme: dark) { :root { --ground: #17181a; --text: #ececec; --line: #8c8c8c; --link: #9cc3ff;
 --good: #8fdc9f; --bad: #ffb0a8; --code: #242527; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 100rem; margin: 0 auto; padding: 1rem; }
a { color: var(--link); }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
section { border-top: 2px solid var(--line); margin-top: 2rem; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; max-width: 100%; }
figcaption { font-weight: bold; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); }
pre { background: var(--code); padding: .75rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
th[scope=row] { font-weight: normal; overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: bold; }
td.good, td.bad { white-space: nowrap; }
";
