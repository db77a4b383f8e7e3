//! The state shared by the UI thread, the platform adapter's threads and the driver.

use super::snapshot::{self, FlatNode};
use super::{ROOT, derived};
use accesskit::{ActionRequest, Live, Node, NodeId, Role, TreeId, TreeInfo, TreeUpdate};
use iced::futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Announcements remembered for [`Bridge::announcements`]; beyond it the oldest are forgotten.
const REMEMBERED: usize = 512;
/// Announcement nodes that stay in the tree, so that a slow client can still read a new one.
const SHOWN: usize = 8;

/// Something said to the user of a screen reader, in the order of saying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// Counts up from 1; a gap means that [`Bridge::announcements`] forgot older ones.
    pub number: u64,
    /// Interrupts what is being read (loss, input needed).
    pub assertive: bool,
    pub text: String,
}

/// The message of [`Bridge::wakes`]: an assistive technology asked for something; any redraw answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wake;

type UpdateSink = Box<dyn FnMut(TreeUpdate) + Send>;
type FocusSink = Box<dyn FnMut(bool) + Send>;

/// A handle; clones share everything. Cheap to clone.
#[derive(Clone, Default)]
pub struct Bridge(Arc<Shared>);

#[derive(Default)]
struct Shared {
    assistive: AtomicBool,
    observed: AtomicBool,
    full: AtomicBool,
    state: Mutex<State>,
    sinks: Mutex<Sinks>,
}

struct State {
    title: String,
    scale: f32,
    zoom: f32,
    requests: VecDeque<ActionRequest>,
    nodes: BTreeMap<u64, Node>,
    offscreen: BTreeSet<u64>,
    focus: NodeId,
    announcements: VecDeque<Announcement>,
    said: u64,
    waker: Option<UnboundedSender<Wake>>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            title: String::new(),
            scale: 1.0,
            zoom: 1.0,
            requests: VecDeque::new(),
            nodes: BTreeMap::new(),
            offscreen: BTreeSet::new(),
            focus: ROOT,
            announcements: VecDeque::new(),
            said: 0,
            waker: None,
        }
    }
}

#[derive(Default)]
struct Sinks {
    update: Option<UpdateSink>,
    focus: Option<FocusSink>,
}

/// A panic elsewhere must not take the screen reader away: the data behind these locks is always whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bridge {
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the tree up to date for [`Bridge::snapshot`] although no assistive technology is attached.
    pub fn observe(&self) {
        self.0.observed.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// The window's title; the name of the root node.
    pub fn set_title(&self, title: &str) {
        let mut state = lock(&self.0.state);
        if state.title != title {
            state.title = title.to_owned();
        }
    }

    /// Says `text` once, also when it equals the previous one: each announcement is a new node of the live region.
    /// Assertive interrupts; polite waits its turn.
    pub fn announce(&self, assertive: bool, text: impl Into<String>) {
        let mut state = lock(&self.0.state);
        state.said += 1;
        let number = state.said;
        state.announcements.push_back(Announcement { number, assertive, text: text.into() });
        while state.announcements.len() > REMEMBERED {
            state.announcements.pop_front();
        }
        drop(state);
        self.wake();
    }

    /// What was announced so far, oldest first (the newest 512).
    pub fn announcements(&self) -> Vec<Announcement> {
        lock(&self.0.state).announcements.iter().cloned().collect()
    }

    /// The tree as last published, the window first, parents before children. Empty before [`Bridge::observe`] (or an
    /// assistive technology) and the next frame.
    pub fn snapshot(&self) -> Vec<FlatNode> {
        let state = lock(&self.0.state);
        snapshot::flatten(&state.nodes, &state.offscreen, state.focus)
    }

    /// Queues an action on a node, as an assistive technology would; the next frame performs it.
    pub fn request(&self, request: ActionRequest) {
        lock(&self.0.state).requests.push_back(request);
        self.wake();
    }

    /// A message whenever the next frame has something to do for an assistive technology. Without this subscription
    /// its requests wait for the next redraw of another cause.
    pub fn wakes(&self) -> iced::Subscription<Wake> {
        iced::Subscription::run_with(self.clone(), Self::listen)
    }

    fn listen(&self) -> UnboundedReceiver<Wake> {
        let (sender, receiver) = unbounded();
        let mut state = lock(&self.0.state);
        if !state.requests.is_empty() || self.wanted() {
            send(&sender);
        }
        state.waker = Some(sender);
        receiver
    }

    fn wake(&self) {
        if let Some(sender) = &lock(&self.0.state).waker {
            send(sender);
        }
    }

    /// Whether somebody looks at the tree.
    pub(crate) fn wanted(&self) -> bool {
        self.0.assistive.load(Ordering::SeqCst) || self.0.observed.load(Ordering::SeqCst)
    }

    /// An assistive technology asked for the tree: the next publication is whole.
    pub(crate) fn activate(&self) {
        self.0.full.store(true, Ordering::SeqCst);
        self.0.assistive.store(true, Ordering::SeqCst);
        self.wake();
    }

    pub(crate) fn deactivate(&self) {
        self.0.assistive.store(false, Ordering::SeqCst);
    }

    /// Physical pixels per logical pixel of the window, from `window::scale_factor` once at the start; later changes
    /// are seen by `widget::root`.
    pub fn set_scale(&self, scale: f32) {
        lock(&self.0.state).scale = scale;
    }

    /// The application's own zoom (iced's `scale_factor`), on top of the window's scale; 1.0 at the start.
    pub fn set_zoom(&self, zoom: f32) {
        lock(&self.0.state).zoom = zoom;
    }

    pub(crate) fn set_window_focus(&self, focused: bool) {
        if let Some(sink) = &mut lock(&self.0.sinks).focus {
            sink(focused);
        }
    }

    pub(crate) fn connect(&self, update: UpdateSink, focus: FocusSink) {
        *lock(&self.0.sinks) = Sinks { update: Some(update), focus: Some(focus) };
    }

    pub(crate) fn take_requests(&self) -> VecDeque<ActionRequest> {
        std::mem::take(&mut lock(&self.0.state).requests)
    }

    pub(crate) fn title_and_scale(&self) -> (String, f32) {
        let state = lock(&self.0.state);
        (state.title.clone(), state.scale * state.zoom)
    }

    /// Compares with what was published before and sends the difference (everything after an activation).
    pub(crate) fn publish(&self, mut nodes: Vec<(NodeId, Node)>, offscreen: BTreeSet<u64>, focus: NodeId) {
        let mut state = lock(&self.0.state);
        let said: Vec<_> = state.announcements.iter().rev().take(SHOWN).rev().map(spoken).collect();
        if let Some((_, root)) = nodes.first_mut() {
            for (id, _) in &said {
                root.push_child(*id);
            }
        }
        nodes.extend(said);
        let full = self.0.full.swap(false, Ordering::SeqCst) || state.nodes.is_empty();
        let map: BTreeMap<u64, Node> = nodes.iter().map(|(id, node)| (id.0, node.clone())).collect();
        debug_assert_eq!(map.len(), nodes.len(), "two controls have the same key");
        let changed: Vec<_> = match full {
            true => nodes,
            false => nodes.into_iter().filter(|(id, node)| state.nodes.get(&id.0) != Some(node)).collect(),
        };
        let unchanged = !full && changed.is_empty() && state.focus == focus;
        state.nodes = map;
        state.offscreen = offscreen;
        state.focus = focus;
        drop(state);
        if unchanged {
            return;
        }
        let tree = full.then(|| {
            let mut info = TreeInfo::new(ROOT);
            info.toolkit_name = Some("iced".into());
            info
        });
        if let Some(sink) = &mut lock(&self.0.sinks).update {
            sink(TreeUpdate { nodes: changed, tree, tree_id: TreeId::ROOT, focus });
        }
    }
}

/// A closed receiver means that the window is gone and nobody is left to wake.
fn send(sender: &UnboundedSender<Wake>) {
    let _closed = sender.unbounded_send(Wake).is_err();
}

fn spoken(said: &Announcement) -> (NodeId, Node) {
    let mut node = Node::new(if said.assertive { Role::Alert } else { Role::Status });
    node.set_label(said.text.as_str());
    node.set_live(if said.assertive { Live::Assertive } else { Live::Polite });
    (derived(&("announcement", said.number)), node)
}

impl Hash for Bridge {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.0) as usize).hash(state);
    }
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge").field("wanted", &self.wanted()).finish_non_exhaustive()
    }
}
