//! The acceptance run: what it holds every picture to, and that it goes red when it should.
//!
//! The WCAG 2.2 criteria that are claimed, and what checks each. "Run" is `rejoin acceptance`, which `.ci/run` runs
//! whole with `--check`: its rules ([`rejoin::acceptance::inspect`]) hold for every case, and the tests below break
//! each of them once. What changes on purpose is blessed by a person who looks at the report.
//!
//! | criterion | checked by |
//! |---|---|
//! | 1.3.1 info and relationships | run: the committed tree of every case (roles, names, headings, lists); `golden_tree` |
//! | 1.4.1 use of colour | run: the words of every state are in the tree; high contrast and the palettes of Windows draw all kinds of notice in one colour |
//! | 1.4.3 contrast | run: every text's contrast, from its pixels; `ui::theme::contrast` computes every pair of tokens |
//! | 1.4.4 resize text | run: cases `@200` |
//! | 1.4.10 reflow | run: every scenario 320 px wide, nothing beyond the window's side |
//! | 1.4.11 non-text contrast | `ui::theme::contrast`; run: a control that draws nothing is found |
//! | 1.4.12 text spacing | run: no text has more words than room, at 100 and 200 percent |
//! | 1.4.13 content on hover or focus | nothing opens by hover; run: an open list (`settings-theme`) is in the tree and closes with Esc (`ui::widget::select`) |
//! | 2.1.1 keyboard | run: scenarios have no step but keys; every control is reached by Tab or lies in a list with arrow keys |
//! | 2.1.2 no keyboard trap | run: Tab comes round in every case |
//! | 2.4.3 focus order | run: Tab follows the reading order |
//! | 2.4.7 focus visible | run: the pictures of focused controls; `ui::widget::harness` |
//! | 2.4.11 focus not obscured | run: `list-long`, `items-middle`, `older`; `ui::widget::history` scrolls the focus into sight |
//! | 2.5.8 target size | run: no target is smaller than 24 px |
//! | 3.3.1 error identification | run: `connect-remote` names the field and the fault |
//! | 4.1.2 name, role, value | run: everything that can be acted on has them; `golden_tree` |
//! | 4.1.3 status messages | run: the committed announcements of every case |

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rejoin::a11y::{Bounds, FlatNode};
use rejoin::acceptance::inspect::{self, Sight, Stop};
use rejoin::acceptance::report::{Outcome, Report};
use rejoin::acceptance::{compare, picture};
use rejoin::drive::Shot;

/// A case that needs no server.
const CASE: &str = "first-start.light.480x900";

/// Runs `rejoin acceptance` in a directory.
fn run(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rejoin"));
    command.arg("acceptance").args(args).current_dir(dir).output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A directory whose `screenshots/` holds the case as it is now.
fn committed() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["--case", CASE, "--out", "screenshots"]);
    assert!(output.status.success(), "{}", printed(&output));
    dir
}

fn file(dir: &Path, end: &str) -> PathBuf {
    dir.join("screenshots").join(format!("{CASE}.{end}"))
}

#[test]
fn a_run_leaves_picture_tree_and_list_and_equals_itself() {
    let dir = committed();
    let list = std::fs::read_to_string(dir.path().join("screenshots/cases.txt")).unwrap();
    assert_eq!(list, format!("pass {CASE}\n"));
    assert!(!dir.path().join("screenshots/report.html").exists(), "what is committed holds no report");
    let output = run(dir.path(), &["--check", "--case", CASE]);
    assert!(output.status.success(), "{}", printed(&output));
    assert!(printed(&output).contains("1 of 1 cases hold"), "{}", printed(&output));
    let report = std::fs::read_to_string(dir.path().join("target/acceptance/report.html")).unwrap();
    assert!(report.contains("<h1>All 1 cases hold</h1>"), "{report}");
}

#[test]
fn a_check_goes_red_for_a_missing_picture_a_colour_a_pixel_and_a_name() {
    let dir = committed();
    let check = |what: &str, words: &str| {
        let output = run(dir.path(), &["--check", "--case", CASE]);
        assert_eq!(output.status.code(), Some(1), "{what}: {}", printed(&output));
        assert!(printed(&output).contains(words), "{what}: {}", printed(&output));
        std::fs::read_to_string(dir.path().join("target/acceptance/report.html")).unwrap()
    };
    let png = std::fs::read(file(dir.path(), "png")).unwrap();
    let json = std::fs::read_to_string(file(dir.path(), "json")).unwrap();

    std::fs::remove_file(file(dir.path(), "png")).unwrap();
    let report = check("a deleted picture", "the committed picture is missing");
    assert!(report.contains("There is none."));

    // A token of the theme was another one: everything in its colour differs.
    let mut old = picture::decode(&png).unwrap();
    let accent = old.rgba.as_chunks::<4>().0.iter().copied().find(|[r, _, b, _]| u16::from(*b) > u16::from(*r) + 100);
    let accent = accent.expect("the primary button is blue");
    for pixel in old.rgba.as_chunks_mut::<4>().0.iter_mut().filter(|pixel| **pixel == accent) {
        pixel[1] ^= 1;
    }
    std::fs::write(file(dir.path(), "png"), picture::encode(&old).unwrap()).unwrap();
    let report = check("a changed token", "pixels differ");
    assert!(report.contains("difference/first-start.light.480x900.png"));
    assert!(dir.path().join("target/acceptance/before").join(format!("{CASE}.png")).exists());

    // A button stood a pixel further: its pixels and its place in the tree.
    let mut old = picture::decode(&png).unwrap();
    let row = old.size.width as usize * 4;
    let rows = 230 * row..240 * row;
    old.rgba[rows].rotate_right(4);
    std::fs::write(file(dir.path(), "png"), picture::encode(&old).unwrap()).unwrap();
    check("a moved button", "pixels differ, from ");
    std::fs::write(file(dir.path(), "png"), &png).unwrap();
    let moved = json.replacen("button \\\"Try the demo\\\" 36,", "button \\\"Try the demo\\\" 37,", 1);
    assert_ne!(moved, json);
    std::fs::write(file(dir.path(), "json"), moved).unwrap();
    let report = check("a moved node", "the tree differs");
    assert!(report.contains("Words that differ"), "{report}");

    // A name that was there is gone.
    let named = json.replacen("button \\\"Settings\\\"", "button \\\"Settings of Rejoin\\\"", 2);
    assert_ne!(named, json);
    std::fs::write(file(dir.path(), "json"), named).unwrap();
    check("a dropped name", "the Tab order differs");
}

#[test]
fn every_state_of_the_connection_that_lasts_is_among_the_committed_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let trees = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let all: String = trees.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    // Connecting and Synchronizing history pass at once by virtual time.
    for title in [
        "Not connected",
        "Ready",
        "Reconnecting",
        "Awaiting conversation selection",
        "Manual reconnect required",
        "Sign-in required",
        "Connection/profile confirmation required",
    ] {
        assert!(all.contains(&format!("status \\\"{title}\\\"")), "no picture shows {title}");
    }
}

#[test]
fn words_that_fit_no_case_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["--case", "nothing*"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing*"));
}

// The rules, each broken once.

const WHITE: [u8; 4] = [255, 255, 255, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];

/// A window of 200 x 100 with one label and one button, both drawn.
struct Scene {
    tree: Vec<FlatNode>,
    shot: Shot,
}

fn node(id: &str, role: &str, name: &str, [x, y, width, height]: [f64; 4]) -> FlatNode {
    let pressed = role == "button";
    FlatNode {
        id: id.to_owned(),
        role: role.to_owned(),
        name: if role == "label" { String::new() } else { name.to_owned() },
        value: if role == "label" { name.to_owned() } else { String::new() },
        description: String::new(),
        states: Vec::new(),
        bounds: Some(Bounds { x, y, width, height }),
        children: Vec::new(),
        actions: if pressed { vec!["click", "focus"] } else { Vec::new() },
    }
}

impl Scene {
    fn new() -> Self {
        let mut window = node("window", "window", "", [0.0, 0.0, 200.0, 100.0]);
        window.children = vec!["l".to_owned(), "b".to_owned()];
        let label = node("l", "label", "Some words", [10.0, 10.0, 80.0, 18.0]);
        let button = node("b", "button", "Join", [10.0, 40.0, 60.0, 32.0]);
        let mut scene = Self {
            tree: vec![window, label, button],
            shot: Shot { rgba: WHITE.repeat(20_000), size: (200, 100).into() },
        };
        scene.letters([10, 10, 78, 18], BLACK);
        scene.letters([20, 48, 38, 14], BLACK);
        scene
    }

    /// Something like letters: vertical strokes.
    fn letters(&mut self, [x, y, width, height]: [usize; 4], colour: [u8; 4]) {
        for at in (x..x + width).step_by(4) {
            for line in y + 2..y + height - 2 {
                self.shot.rgba[(line * 200 + at) * 4..][..4].copy_from_slice(&colour);
            }
        }
    }

    fn findings(&self) -> Vec<String> {
        inspect::findings(Sight { tree: &self.tree, shot: &self.shot, scale: 1.0, contrast: inspect::TEXT })
    }

    /// Exactly one finding, with these words.
    fn finds(&self, words: &str) {
        let findings = self.findings();
        assert!(findings.len() == 1 && findings[0].contains(words), "{words}: {findings:?}");
    }
}

#[test]
fn a_scene_without_faults_has_no_findings() {
    assert_eq!(Scene::new().findings(), Vec::<String>::new());
}

#[test]
fn what_is_in_the_tree_and_not_drawn_is_found() {
    let mut scene = Scene::new();
    scene.letters([20, 48, 38, 14], WHITE);
    assert!(scene.findings().iter().any(|found| found.contains("nothing is drawn")), "{:?}", scene.findings());
}

#[test]
fn what_can_be_acted_on_needs_a_name_and_24_pixels() {
    let mut scene = Scene::new();
    scene.tree[2].name.clear();
    scene.finds("no name or role");
    let mut scene = Scene::new();
    scene.tree[2].bounds = Some(Bounds { x: 10.0, y: 42.0, width: 60.0, height: 23.0 });
    scene.finds("smaller than 24");
}

#[test]
fn pale_words_are_found_by_their_pixels() {
    let mut scene = Scene::new();
    scene.letters([10, 10, 78, 18], [150, 150, 150, 255]);
    scene.finds("contrast of");
}

#[test]
fn words_beyond_their_room_beyond_the_window_and_on_each_other_are_found() {
    let mut scene = Scene::new();
    scene.tree[1].bounds = Some(Bounds { x: 10.0, y: 10.0, width: 60.0, height: 18.0 });
    scene.finds("more words than room");
    let mut scene = Scene::new();
    scene.tree[1].bounds = Some(Bounds { x: 10.0, y: 10.0, width: 195.0, height: 18.0 });
    scene.finds("beyond the window's side");
    let mut scene = Scene::new();
    scene.tree[1].bounds = Some(Bounds { x: 10.0, y: 10.0, width: 80.0, height: 40.0 });
    scene.finds("lie on each other");
}

#[test]
fn a_composer_that_is_pushed_out_of_the_window_is_found() {
    let mut scene = Scene::new();
    let composer = node("composer", "multilineTextInput", "Message", [0.0, 80.0, 200.0, 30.0]);
    scene.tree[0].children.push("composer".to_owned());
    scene.tree.push(composer);
    assert!(scene.findings().iter().any(|found| found.contains("not wholly in the window")), "{:?}", scene.findings());
}

#[test]
fn what_a_list_scrolled_half_away_is_no_fault() {
    let mut scene = Scene::new();
    scene.tree[0].children = vec!["list".to_owned(), "b".to_owned()];
    let mut list = node("list", "log", "History", [0.0, 0.0, 200.0, 20.0]);
    list.children = vec!["l".to_owned()];
    scene.tree.insert(1, list);
    assert_eq!(scene.findings(), Vec::<String>::new());
}

#[test]
fn tab_goes_in_reading_order_from_the_first_and_reaches_everything() {
    let stop = |id: &str, onward| Stop { id: id.to_owned(), called: id.to_owned(), onward };
    let round = vec![stop("c", true), stop("a", false), stop("b", true)];
    assert_eq!(inspect::tab_order(round), (vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], None));
    let (_, wrong) = inspect::tab_order(vec![stop("a", false), stop("c", true), stop("b", false)]);
    assert_eq!(wrong.as_deref(), Some("Tab goes against the reading order to b"));

    let scene = Scene::new();
    assert_eq!(inspect::unreached(&scene.tree, &[stop("b", false)]), Vec::<String>::new());
    assert_eq!(inspect::unreached(&scene.tree, &[]), ["button \"Join\" is not reached by Tab"]);
}

#[test]
fn the_report_shows_failures_first_and_can_be_read_by_everybody() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = |case: &str, reasons: &[&str]| Outcome {
        case: case.to_owned(),
        about: "a <state> & more".to_owned(),
        reasons: reasons.iter().map(|&reason| reason.to_owned()).collect(),
        compared: compare::Compared { lines: vec!["- <b>".to_owned()], ..Default::default() },
        ..Outcome::default()
    };
    let outcomes = [outcome("good.light", &[]), outcome("bad.light", &["7 pixels differ"])];
    let report = Report { outcomes: &outcomes, compared: true, took: std::time::Duration::from_secs(3) };
    let page = report.page(dir.path());
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words} is missing:\n{page}"));
    assert!(place("<html lang=\"en\">") < place("<h1>1 of 2 cases do not hold</h1>"));
    assert!(place("<h1>") < place("<h2>What does not hold</h2>"));
    assert!(place("<h3 id=\"bad.light\">") < place("<h2>Every case</h2>"));
    assert!(place(">bad.light</th>") < place(">good.light</th>"), "failures come first");
    for needed in [
        "<caption>",
        "<th scope=\"col\">Case</th>",
        "<th scope=\"row\">",
        "aria-labelledby",
        "&lt;state&gt; &amp; more",
    ] {
        place(needed);
    }
    assert!(!page.contains("<state>") && !page.contains("<b>"));
    let images = page.matches("<img ").count();
    assert_eq!(images, page.matches(" alt=\"").count(), "every picture has a text");
}
