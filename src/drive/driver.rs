//! Runs an iced `Program` without a display, as iced's shell does.
//!
//! Differences from a real window, all on purpose: every event and every message is followed by a view and a frame of
//! its own, so a state shown for one frame is seen by [`Driver::on_frame`]; frames carry the instant of the [`Clock`];
//! pixels come from the software renderer.
//!
//! A task is counted from its start to its end, and every future of the program, subscriptions included, while it has
//! something to do. [`Driver::settle`] waits until neither is left, but not longer than its limit: a task that itself
//! waits for a timer or a person is left running, and that is reported.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use iced::advanced::{clipboard, mouse};
use iced::theme::{Base, Mode};
use iced::{Event, Point, Size, window};
use iced_core::renderer::{Headless, Style};
use iced_program::Program;
use iced_program::futures::futures::StreamExt as _;
use iced_program::futures::futures::channel::mpsc;
use iced_program::futures::{Executor, Runtime, subscription};
use iced_runtime::core::widget::operation::Outcome;
use iced_runtime::user_interface::{self, UserInterface};
use iced_runtime::{Action, system, task};

use super::clock::{Clock, NotVirtual};
use super::work::{Counting, Work};

/// Frames drawn in a row for widgets that ask for the next one; an animation goes on with the next command.
const FRAMES: usize = 8;

/// How the window begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Logical pixels of the first window; the program's wish is ignored, as a user's resize would.
    pub size: Size,
    /// Physical pixels per logical pixel.
    pub scale: f32,
    /// What the system's theme is said to be.
    pub system: Mode,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: Size::new(480.0, 900.0), scale: 1.0, system: Mode::Light }
    }
}

/// Why a driver cannot start.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The async runtime did not start.
    #[error("the async runtime did not start: {0}")]
    Executor(std::io::Error),
    /// The program's renderer has no software backend.
    #[error("the software renderer did not start")]
    Renderer,
}

/// A picture: RGBA, 8 bits a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shot {
    /// The pixels, row by row.
    pub rgba: Vec<u8>,
    /// Width and height in physical pixels.
    pub size: Size<u32>,
}

impl Shot {
    /// Writes a PNG.
    ///
    /// # Errors
    /// What the writer or the encoder says.
    pub fn write_png(&self, output: impl std::io::Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(output, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        writer.finish()
    }
}

#[derive(Default)]
struct Clipboard(Option<String>);

impl clipboard::Clipboard for Clipboard {
    fn read(&self, _kind: clipboard::Kind) -> Option<String> {
        self.0.clone()
    }

    fn write(&mut self, _kind: clipboard::Kind, contents: String) {
        self.0 = Some(contents);
    }
}

/// Wakes the thread that runs the program.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A task that runs; dropping it says that it is over.
struct Running(Arc<AtomicUsize>, Thread);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
        self.1.unpark();
    }
}

/// A window that exists as a layout.
pub(super) struct Pane {
    pub(super) id: window::Id,
    /// Logical pixels.
    pub(super) size: Size,
    pub(super) mode: window::Mode,
    cache: user_interface::Cache,
}

type Sender<P> = mpsc::UnboundedSender<Action<<P as Program>::Message>>;

/// A running program.
pub struct Driver<P: Program + 'static> {
    pub(super) program: P,
    pub(super) state: P::State,
    runtime: Runtime<Counting<P::Executor>, Sender<P>, Action<P::Message>>,
    arriving: mpsc::UnboundedReceiver<Action<P::Message>>,
    queue: VecDeque<Action<P::Message>>,
    renderer: P::Renderer,
    /// Open windows, oldest first; commands go to the last.
    pub(super) panes: Vec<Pane>,
    pub(super) options: Options,
    clock: Box<dyn Clock>,
    cursor: mouse::Cursor,
    clipboard: Clipboard,
    tasks: Arc<AtomicUsize>,
    work: Arc<Work>,
    redraw: window::RedrawRequest,
    composing: bool,
    exited: bool,
    on_frame: Option<Box<dyn FnMut()>>,
}

impl<P: Program + 'static> Driver<P> {
    /// Boots the program; it has not settled yet. The calling thread must be the one that drives.
    ///
    /// # Errors
    /// When the async runtime or the software renderer cannot start.
    pub fn new(program: P, options: Options, clock: Box<dyn Clock>) -> Result<Self, DriverError> {
        let settings = program.settings();
        let executor = Counting::<P::Executor>::new().map_err(DriverError::Executor)?;
        let work = Arc::clone(&executor.work);
        let headless =
            <P::Renderer as Headless>::new(settings.default_font, settings.default_text_size, Some("tiny-skia"));
        let renderer = executor.block_on(headless).ok_or(DriverError::Renderer)?;
        let (sender, arriving) = mpsc::unbounded();
        let runtime = Runtime::new(executor, sender);
        let (state, task) = runtime.enter(|| program.boot());
        let first = program.window();
        let mut driver = Self {
            program,
            state,
            runtime,
            arriving,
            queue: VecDeque::new(),
            renderer,
            panes: Vec::new(),
            options,
            clock,
            cursor: mouse::Cursor::Unavailable,
            clipboard: Clipboard::default(),
            tasks: Arc::default(),
            work,
            redraw: window::RedrawRequest::Wait,
            composing: false,
            exited: false,
            on_frame: None,
        };
        for font in settings.fonts {
            super::window::load_font(font);
        }
        driver.spawn(task);
        driver.subscribe();
        if first.is_some() {
            driver.open(window::Id::unique());
        }
        Ok(driver)
    }

    /// Calls `hook` after every frame: the view was rebuilt and the tree collected.
    pub fn on_frame(&mut self, hook: impl FnMut() + 'static) {
        self.on_frame = Some(Box::new(hook));
    }

    /// The program's state.
    pub fn state(&self) -> &P::State {
        &self.state
    }

    /// True once the program asked to end.
    pub fn exited(&self) -> bool {
        self.exited
    }

    /// Tasks that run.
    pub fn busy(&self) -> usize {
        self.tasks.load(Ordering::SeqCst)
    }

    /// True when what has focus takes text from an input method.
    pub fn takes_ime(&self) -> bool {
        self.composing
    }

    /// The size of the window in the program's own pixels (its zoom applied); nothing without a window.
    pub fn layout_size(&self) -> Option<Size> {
        self.panes.last().map(|pane| super::window::layout_size(&self.program, &self.state, pane))
    }

    /// The clipboard's text.
    pub fn clipboard(&self) -> Option<&str> {
        self.clipboard.0.as_deref()
    }

    /// Replaces the clipboard's text.
    pub fn set_clipboard(&mut self, text: Option<String>) {
        self.clipboard.0 = text;
    }

    /// Moves virtual time and draws a frame.
    ///
    /// # Errors
    /// [`NotVirtual`] when real time runs; nothing happened.
    pub fn advance(&mut self, by: Duration) -> Result<(), NotVirtual> {
        self.clock.advance(by)?;
        self.frame();
        Ok(())
    }

    fn subscribe(&mut self) {
        let recipes = self
            .runtime
            .enter(|| subscription::into_recipes(self.program.subscription(&self.state).map(Action::Output)));
        self.runtime.track(recipes);
    }

    /// Starts a task: what it can do at once is queued at once, as iced's shell does it.
    fn spawn(&mut self, task: iced::Task<P::Message>) {
        let Some(mut stream) = task::into_stream(task) else { return };
        let mut context = Context::from_waker(Waker::noop());
        loop {
            match self.runtime.enter(|| stream.poll_next_unpin(&mut context)) {
                Poll::Ready(Some(action)) => self.queue.push_back(action),
                Poll::Ready(None) => return,
                Poll::Pending => break,
            }
        }
        self.tasks.fetch_add(1, Ordering::SeqCst);
        let running = Running(Arc::clone(&self.tasks), std::thread::current());
        let counted = stream.map(move |action| {
            let _counted_until_dropped = &running;
            action
        });
        self.runtime.run(counted.boxed());
    }

    fn message(&mut self, message: P::Message) {
        let task = self.runtime.enter(|| self.program.update(&mut self.state, message));
        self.subscribe();
        self.spawn(task);
    }

    /// Builds the view of a window and works on it.
    fn with_ui<R>(
        &mut self,
        index: usize,
        work: impl FnOnce(
            &mut UserInterface<'_, P::Message, P::Theme, P::Renderer>,
            &mut P::Renderer,
            mouse::Cursor,
            &mut Clipboard,
        ) -> R,
    ) -> R {
        let pane = &mut self.panes[index];
        let size = super::window::layout_size(&self.program, &self.state, pane);
        let cache = std::mem::take(&mut pane.cache);
        let view = self.program.view(&self.state, pane.id);
        let mut ui = UserInterface::build(view, size, cache, &mut self.renderer);
        let result = work(&mut ui, &mut self.renderer, self.cursor, &mut self.clipboard);
        pane.cache = ui.into_cache();
        result
    }

    /// Delivers events to the current window: widgets, then subscriptions, then messages, then a frame, one by one.
    pub fn events(&mut self, events: Vec<Event>) {
        for event in events {
            if let Event::Mouse(mouse::Event::CursorMoved { position }) = event {
                self.cursor = mouse::Cursor::Available(position);
            }
            let Some(index) = self.panes.len().checked_sub(1) else { return };
            let mut messages = Vec::new();
            let statuses = self.with_ui(index, |ui, renderer, cursor, clipboard| {
                ui.update(std::slice::from_ref(&event), cursor, renderer, clipboard, &mut messages).1
            });
            let status = statuses.first().copied().unwrap_or(iced::event::Status::Ignored);
            let window = self.panes[index].id;
            self.runtime.broadcast(subscription::Event::Interaction { window, event, status });
            for message in messages {
                self.message(message);
                self.frame();
            }
            self.frame();
        }
    }

    /// Moves the mouse to a point of the layout and clicks.
    pub fn click(&mut self, position: Point) {
        self.events(vec![
            Event::Mouse(mouse::Event::CursorMoved { position }),
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)),
            Event::Mouse(mouse::Event::ButtonReleased(mouse::Button::Left)),
        ]);
    }

    /// Draws a frame of every window, without pixels: the view is built, widgets hear of the frame, the tree is
    /// collected. Repeats while widgets change their layout or publish messages, three times at most, as iced does.
    pub fn frame(&mut self) {
        let event = Event::Window(window::Event::RedrawRequested(self.clock.now()));
        for index in 0..self.panes.len() {
            for _ in 0..3 {
                let mut messages = Vec::new();
                let state = self.with_ui(index, |ui, renderer, cursor, clipboard| {
                    ui.update(std::slice::from_ref(&event), cursor, renderer, clipboard, &mut messages).0
                });
                let again = !messages.is_empty() || state.has_layout_changed();
                if let user_interface::State::Updated { redraw_request, input_method, .. } = state {
                    self.redraw = redraw_request;
                    self.composing = input_method.is_enabled();
                }
                if let Some(hook) = &mut self.on_frame {
                    hook();
                }
                messages.into_iter().for_each(|message| self.message(message));
                if !again {
                    break;
                }
            }
            let window = self.panes[index].id;
            let status = iced::event::Status::Ignored;
            self.runtime.broadcast(subscription::Event::Interaction { window, event: event.clone(), status });
        }
    }

    /// Handles everything that has arrived; true when there was anything.
    fn drain(&mut self) -> bool {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut any = false;
        loop {
            let action = self.queue.pop_front().or_else(|| {
                match self.arriving.poll_next_unpin(&mut Context::from_waker(&waker)) {
                    Poll::Ready(action) => action,
                    Poll::Pending => None,
                }
            });
            let Some(action) = action else { return any };
            any = true;
            self.action(action);
        }
    }

    fn action(&mut self, action: Action<P::Message>) {
        use iced_runtime::clipboard::Action as Clip;
        match action {
            Action::Output(message) => {
                self.message(message);
                self.frame();
            }
            Action::Widget(operation) => self.operate(operation),
            Action::Clipboard(Clip::Write { contents, .. }) => self.clipboard.0 = Some(contents),
            Action::Clipboard(Clip::Read { channel, .. }) => super::window::reply(channel, self.clipboard.0.clone()),
            Action::Window(action) => self.window_action(action),
            Action::System(system::Action::GetTheme(channel)) => super::window::reply(channel, self.options.system),
            Action::System(system::Action::NotifyTheme(mode)) => self.set_system_theme(mode),
            // Dropping the channel ends the task without a message: there is no such thing to report here.
            Action::System(system::Action::GetInformation(_)) | Action::Image(_) => {}
            Action::LoadFont { bytes, channel } => {
                super::window::load_font(bytes);
                super::window::reply(channel, Ok(()));
            }
            Action::Reload => self.frame(),
            Action::Exit => self.exited = true,
        }
    }

    fn operate(&mut self, operation: Box<dyn iced_runtime::core::widget::Operation>) {
        let mut next = Some(operation);
        while let Some(mut operation) = next.take() {
            for index in 0..self.panes.len() {
                self.with_ui(index, |ui, renderer, _, _| ui.operate(renderer, operation.as_mut()));
            }
            if let Outcome::Chain(chained) = operation.finish() {
                next = Some(chained);
            }
        }
        self.frame();
    }

    /// Says that the system's theme changed.
    pub fn set_system_theme(&mut self, mode: Mode) {
        if self.options.system != mode {
            self.options.system = mode;
            self.runtime.broadcast(subscription::Event::SystemThemeChanged(mode));
        }
        self.frame();
    }

    /// Another size of the current window, logical pixels.
    pub fn resize(&mut self, size: Size) {
        let Some(pane) = self.panes.last_mut() else { return };
        pane.size = size;
        let size = super::window::layout_size(&self.program, &self.state, &self.panes[self.panes.len() - 1]);
        self.events(vec![Event::Window(window::Event::Resized(size))]);
    }

    pub(super) fn open(&mut self, id: window::Id) {
        let (size, mode) = (self.options.size, window::Mode::Windowed);
        self.panes.push(Pane { id, size, mode, cache: user_interface::Cache::default() });
        let size = super::window::layout_size(&self.program, &self.state, &self.panes[self.panes.len() - 1]);
        self.events(vec![
            Event::Window(window::Event::Opened { position: None, size }),
            Event::Window(window::Event::Rescaled(self.options.scale)),
            Event::Window(window::Event::Focused),
        ]);
    }

    pub(super) fn close(&mut self, id: window::Id) {
        let before = self.panes.len();
        self.panes.retain(|pane| pane.id != id);
        if self.panes.len() < before {
            let (event, status) = (Event::Window(window::Event::Closed), iced::event::Status::Ignored);
            self.runtime.broadcast(subscription::Event::Interaction { window: id, event, status });
        }
    }

    /// Runs until nothing is left to do and no widget wants another frame; false when `limit` came first.
    pub fn settle(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut frames = 0;
        loop {
            // In this order: whoever is done has sent its messages before.
            let done = self.work.is_done() && self.busy() == 0;
            let drained = self.drain();
            if self.exited {
                return true;
            }
            if done && !drained {
                if self.redraw != window::RedrawRequest::NextFrame || frames == FRAMES {
                    return true;
                }
                frames += 1;
                self.frame();
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            if !drained {
                std::thread::park_timeout(left);
            }
        }
    }

    /// Handles what arrives and frames that are due, or waits for either, `limit` at most.
    pub fn idle(&mut self, limit: Duration) {
        if self.drain() {
            return;
        }
        let due = match self.redraw {
            window::RedrawRequest::NextFrame => Some(Duration::from_millis(16)),
            window::RedrawRequest::At(at) => Some(at.saturating_duration_since(self.clock.now())),
            window::RedrawRequest::Wait => None,
        };
        match due.filter(|_| !self.clock.is_virtual()) {
            Some(due) if due.is_zero() => self.frame(),
            Some(due) => {
                std::thread::park_timeout(due.min(limit));
                if due <= limit {
                    self.frame();
                }
            }
            None => std::thread::park_timeout(limit),
        }
    }

    /// Physical pixels of the current window; nothing without a window.
    pub fn picture_size(&self) -> Option<Size<u32>> {
        let pixels = |side: f32| (side * self.options.scale).round().max(1.0) as u32;
        self.panes.last().map(|pane| Size::new(pixels(pane.size.width), pixels(pane.size.height)))
    }

    /// The current window as pixels; nothing without a window.
    pub fn shot(&mut self) -> Option<Shot> {
        self.frame();
        let index = self.panes.len().checked_sub(1)?;
        let pane = &self.panes[index];
        let theme = self.program.theme(&self.state, pane.id);
        let theme = theme.unwrap_or_else(|| <P::Theme as Base>::default(self.options.system));
        let style = self.program.style(&self.state, &theme);
        let size = self.picture_size()?;
        let scale = self.options.scale * self.program.scale_factor(&self.state, pane.id);
        let event = Event::Window(window::Event::RedrawRequested(self.clock.now()));
        // A fresh view knows no overlay until it hears an event; the frame above has handled its messages.
        let rgba = self.with_ui(index, |ui, renderer, cursor, clipboard| {
            ui.update(std::slice::from_ref(&event), cursor, renderer, clipboard, &mut Vec::new());
            ui.draw(renderer, &theme, &Style { text_color: style.text_color }, cursor);
            renderer.screenshot(size, scale, style.background_color)
        });
        Some(Shot { rgba, size })
    }
}
