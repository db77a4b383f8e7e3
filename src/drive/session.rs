//! Commands in, answers out.
//!
//! A command is answered when its events were delivered, the view was rebuilt and no task is left. A task that lasts
//! longer than [`SETTLE`] is not waited for: the answer then says `"busy"` with the number of such tasks.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use accesskit::{Action, ActionData};
use iced::{Point, Size};
use iced_program::Program;
use serde_json::{Value, json};

use super::command::{self, Act, Command, Ime, Target, Wanted};
use super::driver::Driver;
use super::key::{self, Chord};
use super::picture;
use super::tree::{Bounds, Node, Tree};
use crate::base::lines::Line;
use crate::ui::VirtualTime;

/// The longest a command waits for tasks.
pub const SETTLE: Duration = Duration::from_secs(5);
/// By virtual time the same, for a machine that is busy: a picture must not depend on it.
const SETTLE_VIRTUAL: Duration = Duration::from_secs(60);
/// The most that virtual time moves at once.
const STEP: Duration = Duration::from_millis(100);
/// How long the program runs on its own before input is looked at again; input wakes it earlier.
const IDLE: Duration = Duration::from_millis(50);

/// The most physical pixels of a picture: 256 MiB of memory.
const PICTURE: u64 = 64 << 20;

/// What `wait` waits for, and whether some frame had it.
#[derive(Default)]
struct Watch {
    wanted: Option<Wanted>,
    seen: bool,
}

type StateOf<P> = Box<dyn Fn(&<P as Program>::State) -> Value>;

/// A driven program that answers commands.
pub struct Session<P: Program + 'static> {
    driver: Driver<P>,
    tree: Rc<dyn Tree>,
    state: StateOf<P>,
    watch: Rc<RefCell<Watch>>,
    /// The number of the last announcement that was answered.
    heard: u64,
    time: Option<VirtualTime>,
}

impl<P: Program + 'static> Session<P> {
    /// Takes over a booted program and lets it settle; `time` is the program's, if it is virtual.
    pub fn new(mut driver: Driver<P>, tree: Box<dyn Tree>, state: StateOf<P>, time: Option<VirtualTime>) -> Self {
        let tree: Rc<dyn Tree> = Rc::from(tree);
        let watch = Rc::new(RefCell::new(Watch::default()));
        tree.activate();
        let (watched, seen) = (Rc::clone(&tree), Rc::clone(&watch));
        driver.on_frame(move || {
            let mut watch = seen.borrow_mut();
            if let Some(wanted) = &watch.wanted
                && !watch.seen
                && wanted.holds(&watched.snapshot())
            {
                watch.seen = true;
            }
        });
        driver.frame();
        let mut session = Self { driver, tree, state, watch, heard: 0, time };
        session.settle();
        session
    }

    /// The window as pixels, after a frame; nothing without a window.
    pub fn pixels(&mut self) -> Option<super::Shot> {
        self.driver.shot()
    }

    /// Answers lines until `quit`, the end of input, or the end of the program; between lines the program runs.
    ///
    /// # Errors
    /// When an answer cannot be written.
    pub fn serve(&mut self, lines: &Receiver<Line>, output: &mut dyn Write) -> std::io::Result<()> {
        loop {
            match lines.try_recv() {
                Ok(line) => {
                    let (value, quit) = match line {
                        // What is not UTF-8 fails as JSON does.
                        Line::Whole(bytes) => self.line(&String::from_utf8_lossy(&bytes)),
                        Line::Cut { .. } => {
                            (json!({ "error": format!("a line is at most {} bytes long", command::LINE) }), false)
                        }
                    };
                    super::answer(output, &value)?;
                    if quit {
                        return Ok(());
                    }
                }
                Err(TryRecvError::Empty) => self.driver.idle(IDLE),
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
            if self.driver.exited() {
                return Ok(());
            }
        }
    }

    /// Answers one line; true when it was `quit`.
    pub fn line(&mut self, line: &str) -> (Value, bool) {
        let command = Command::parse(line);
        let quit = command == Ok(Command::Quit);
        (command.and_then(|command| self.execute(command)).unwrap_or_else(|error| json!({ "error": error })), quit)
    }

    /// Executes a command; an error changed nothing.
    fn execute(&mut self, command: Command) -> Result<Value, String> {
        match command {
            Command::Key(chord) => self.driver.events(chord.events()),
            Command::Type(text) => {
                for c in text.replace("\r\n", "\n").chars() {
                    self.driver.events(Chord::typing(c).events());
                }
            }
            Command::Paste(text) => {
                let chord: Chord = "Ctrl+V".parse().map_err(|error: key::UnknownKey| error.to_string())?;
                self.driver.set_clipboard(Some(text));
                self.driver.events(chord.events());
            }
            Command::Ime(ime) => {
                if !self.driver.takes_ime() {
                    return Err("what has focus takes no text from an input method".to_owned());
                }
                self.driver.events(match ime {
                    Ime::Preedit(text) => key::preedit(&text),
                    Ime::Commit(text) => key::commit(&text),
                });
            }
            Command::Click(target) => self.click(&target)?,
            Command::Act(target, act) => self.act(&target, act)?,
            Command::Wait(wanted, ms) => return self.wait(wanted, ms),
            Command::Tree => {
                self.driver.frame();
                return Ok(json!({ "tree": self.tree.snapshot() }));
            }
            Command::Announcements => return Ok(self.announcements()),
            Command::Shot(path) => return self.shot(&path),
            Command::Resize(width, height) => self.driver.resize(Size::new(width.into(), height.into())),
            Command::Clipboard => return Ok(json!({ "clipboard": self.driver.clipboard() })),
            Command::Advance(by) => self.advance(by)?,
            Command::State => return Ok(json!({ "state": (self.state)(self.driver.state()) })),
            Command::Quit => return Ok(json!({ "ok": true })),
        }
        Ok(self.settled())
    }

    /// Runs until no task is left and, by virtual time, every worker is quiet; false when the limit came first.
    fn settle(&mut self) -> bool {
        let limit = if self.time.is_some() { SETTLE_VIRTUAL } else { SETTLE };
        let deadline = Instant::now() + limit;
        loop {
            let settled = self.driver.settle(limit);
            let Some(time) = self.time.as_ref().filter(|_| settled && !self.driver.exited()) else { return settled };
            let left = deadline.saturating_duration_since(Instant::now());
            if time.is_quiet() || left.is_zero() {
                return time.is_quiet();
            }
            self.driver.idle(left.min(IDLE));
        }
    }

    /// Moves virtual time from deadline to deadline, in steps short enough for everything that is worth a look.
    fn advance(&mut self, by: Duration) -> Result<(), String> {
        let Some(time) = self.time.clone() else {
            return self.driver.advance(by).map_err(|error| error.to_string());
        };
        let mut left = by;
        while !left.is_zero() {
            if !self.settle() {
                return Err("the program does not come to rest, so time was not moved on".to_owned());
            }
            let due = time.next_due().filter(|due| !due.is_zero()).unwrap_or(STEP);
            // Deadlines are finer than the clock: it goes to the first millisecond that is not before them.
            let due = Duration::from_millis(u64::try_from(due.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX));
            let step = due.min(STEP).min(left);
            left -= step;
            time.advance(step);
            self.driver.advance(step).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn settled(&mut self) -> Value {
        match self.settle() {
            true => json!({ "ok": true }),
            false => json!({ "ok": true, "busy": self.driver.busy() }),
        }
    }

    /// The enabled node meant; the first in reading order when several are.
    fn find(&self, target: &Target) -> Result<Node, String> {
        let mut named: Vec<Node> = self.tree.snapshot().into_iter().filter(|node| target.matches(node)).collect();
        let (role, name) = (&target.role, &target.name);
        match named.iter().position(|node| !node.is("disabled")) {
            Some(index) => Ok(named.swap_remove(index)),
            None if named.is_empty() => Err(format!("there is no {role} named \"{name}\"")),
            None => Err(format!("the {role} named \"{name}\" is disabled")),
        }
    }

    fn click(&mut self, target: &Target) -> Result<(), String> {
        let mut node = self.find(target)?;
        if self.centre(&node).is_none() {
            self.tree.request(&node.id, Action::ScrollIntoView, None);
            self.driver.frame();
            self.driver.frame();
            node = self.find(target)?;
        }
        let centre = self.centre(&node);
        let centre = centre.ok_or_else(|| format!("the {} named \"{}\" is out of sight", target.role, target.name))?;
        self.driver.click(centre);
        Ok(())
    }

    /// Where to click a node: its centre, if that is in sight.
    fn centre(&self, node: &Node) -> Option<Point> {
        let Bounds { x, y, width, height } = node.bounds.filter(|_| !node.is("offscreen"))?;
        let centre = Point::new((x + width / 2.0) as f32, (y + height / 2.0) as f32);
        let size = self.driver.layout_size()?;
        let inside = (0.0..size.width).contains(&centre.x) && (0.0..size.height).contains(&centre.y);
        inside.then_some(centre)
    }

    fn act(&mut self, target: &Target, act: Act) -> Result<(), String> {
        let node = self.find(target)?;
        let (name, action, data) = match act {
            Act::Click => ("click", Action::Click, None),
            Act::Focus => ("focus", Action::Focus, None),
            Act::SetValue(value) => ("setValue", Action::SetValue, Some(ActionData::Value(value.into()))),
        };
        if !node.actions.contains(&name) {
            return Err(format!("the {} named \"{}\" does not take {name}", target.role, target.name));
        }
        self.tree.request(&node.id, action, data);
        self.driver.frame();
        // The first frame performed the request, the second shows what came of it.
        self.driver.frame();
        Ok(())
    }

    fn wait(&mut self, wanted: Wanted, ms: Duration) -> Result<Value, String> {
        let deadline = Instant::now() + ms;
        *self.watch.borrow_mut() = Watch { wanted: Some(wanted.clone()), seen: false };
        self.driver.frame();
        let seen = loop {
            // Without real time there is nothing to wait for once everything is quiet.
            let quiet = self.time.is_some() && !self.watch.borrow().seen && self.settle();
            if self.watch.borrow().seen {
                break true;
            }
            if quiet {
                break false;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.driver.exited() {
                break false;
            }
            self.driver.idle(left.min(IDLE));
        };
        *self.watch.borrow_mut() = Watch::default();
        let what = if wanted.gone { "still there" } else { "not there" };
        match seen {
            true => Ok(json!({ "ok": true })),
            false if self.time.is_some() => Err(format!("{what}, and time stands: {}", describe(&wanted))),
            false => Err(format!("after {} ms {what}: {}", ms.as_millis(), describe(&wanted))),
        }
    }

    fn announcements(&mut self) -> Value {
        let fresh: Vec<_> = self.tree.announcements().into_iter().filter(|said| said.number > self.heard).collect();
        self.heard = fresh.last().map_or(self.heard, |said| said.number);
        let said = |said: &super::tree::Announcement| json!({ "text": said.text, "assertive": said.assertive });
        json!({ "announcements": fresh.iter().map(said).collect::<Vec<_>>() })
    }

    fn shot(&mut self, path: &str) -> Result<Value, String> {
        let size = self.driver.picture_size().ok_or("the program has no window")?;
        if u64::from(size.width) * u64::from(size.height) > PICTURE {
            return Err(format!("a picture of {} x {} pixels is too large", size.width, size.height));
        }
        let shot = self.driver.shot().ok_or("the program has no window")?;
        picture::save(&shot, Path::new(path))
            .map_err(|error| format!("the picture could not be written to {path}: {error}"))?;
        Ok(json!({ "shot": path, "width": shot.size.width, "height": shot.size.height }))
    }
}

fn describe(wanted: &Wanted) -> String {
    let part = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name} \"{value}\""));
    let parts = [part("role", &wanted.role), part("name", &wanted.name), part("text", &wanted.text)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
