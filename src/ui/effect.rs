//! Carrying out what the engine asks for: workers as subscriptions, requests, focus, announcements.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use iced::Subscription;
use iced::futures::{SinkExt, Stream, StreamExt};

use crate::base::{BridgeId, Stamp};
use crate::contract::Request;
use crate::contract::request::Clock;
use crate::link::{self, LinkSender};

use super::Message;
use super::clock::VirtualTime;

/// The workers of this window. Dropping a link's subscription ends its process.
#[derive(Debug, Default)]
pub struct Links {
    links: BTreeMap<BridgeId, Link>,
    /// The workers live by it too.
    time: Option<VirtualTime>,
}

#[derive(Debug)]
struct Link {
    stamp: Stamp,
    /// `None` until the pipe is there.
    sender: Option<Arc<LinkSender>>,
    /// Requests made before that.
    waiting: VecDeque<(Stamp, Request)>,
    /// Requests that were made so far, and those answered with `Quiet` (virtual time only).
    asked: usize,
    quiet: usize,
    /// Virtual time of the worker.
    at: Duration,
}

impl Links {
    /// Workers that live by this time.
    pub fn new(time: Option<VirtualTime>) -> Self {
        Self { links: BTreeMap::new(), time }
    }

    /// A worker is wanted.
    pub fn start(&mut self, bridge: BridgeId, stamp: Stamp) {
        let (sender, waiting) = (None, VecDeque::new());
        self.links.insert(bridge, Link { stamp, sender, waiting, asked: 0, quiet: 0, at: Duration::ZERO });
        if let Some(time) = &self.time {
            // Each worker's clock begins at the beginning; its answer also tells that the worker is there.
            let elapsed = time.elapsed();
            self.move_to(bridge, elapsed);
        }
    }

    /// Virtual time has moved: the workers' clocks follow.
    pub fn advance(&mut self) {
        let Some(elapsed) = self.time.as_ref().map(VirtualTime::elapsed) else { return };
        for bridge in self.links.keys().copied().collect::<Vec<_>>() {
            self.move_to(bridge, elapsed);
        }
    }

    fn move_to(&mut self, bridge: BridgeId, elapsed: Duration) {
        let Some(link) = self.links.get_mut(&bridge) else { return };
        let ms = u64::try_from(elapsed.saturating_sub(link.at).as_millis()).unwrap_or(u64::MAX);
        link.at = elapsed;
        let stamp = link.stamp;
        self.send(bridge, stamp, Request::Advance { ms });
    }

    /// A worker has handled one more request and has nothing left to do but wait.
    pub fn quiet(&mut self, bridge: BridgeId) {
        if let Some(link) = self.links.get_mut(&bridge) {
            link.quiet += 1;
        }
    }

    /// Requests that are not answered with `Quiet` yet; zero by real time.
    pub fn open(&self) -> usize {
        let open = |link: &Link| link.asked.saturating_sub(link.quiet);
        if self.time.is_some() { self.links.values().map(open).sum() } else { 0 }
    }

    /// The pipe of a worker is there.
    pub fn ready(&mut self, bridge: BridgeId, sender: Arc<LinkSender>) {
        if let Some(link) = self.links.get_mut(&bridge) {
            for (stamp, request) in link.waiting.drain(..) {
                sender.send(stamp, request);
            }
            link.sender = Some(sender);
        }
    }

    /// Sends, or keeps until the pipe is there. A request to a stopped worker is dropped: the engine
    /// has settled it already.
    pub fn send(&mut self, bridge: BridgeId, stamp: Stamp, request: Request) {
        let mut link = self.links.get_mut(&bridge);
        if let Some(link) = &mut link {
            link.asked += 1;
        }
        match link {
            Some(Link { sender: Some(sender), .. }) => sender.send(stamp, request),
            Some(link) => link.waiting.push_back((stamp, request)),
            None => {}
        }
    }

    /// A worker is no longer wanted, or is gone.
    pub fn stop(&mut self, bridge: BridgeId) {
        self.links.remove(&bridge);
    }

    /// One subscription for each worker.
    pub fn subscription(&self) -> Subscription<Message> {
        Subscription::batch(self.links.iter().map(|(bridge, link)| {
            let clock = if self.time.is_some() { Clock::Virtual } else { Clock::Real };
            Subscription::run_with(Key { bridge: *bridge, stamp: link.stamp, clock }, worker_events)
        }))
    }
}

#[derive(Debug, Clone, Copy)]
struct Key {
    bridge: BridgeId,
    stamp: Stamp,
    clock: Clock,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.bridge, self.stamp).hash(state);
    }
}

fn worker_events(key: &Key) -> impl Stream<Item = Message> + use<> {
    let Key { bridge, stamp, clock } = *key;
    iced::stream::channel(64, async move |mut output| {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("rejoin"));
        let (sender, mut events) = link::start(bridge, stamp, program, clock);
        if output.send(Message::LinkReady(bridge, Arc::new(sender))).await.is_err() {
            return;
        }
        while let Some(event) = events.recv().await {
            if output.send(Message::Link(bridge, Arc::new(event))).await.is_err() {
                return;
            }
        }
        // The subscription lives until the engine drops the bridge.
        iced::futures::future::pending::<()>().await;
    })
}

/// Wakes the window at the engine's deadline, `after` from now; `serial` makes each deadline its own.
pub fn alarm(serial: u64, after: Duration) -> Subscription<Message> {
    #[derive(Hash, Clone, Copy)]
    struct Deadline(u64, Duration);
    fn wait(deadline: &Deadline) -> impl Stream<Item = Message> + use<> {
        let after = deadline.1;
        iced::futures::stream::once(async move { tokio::time::sleep(after).await }).map(|()| Message::Due)
    }
    Subscription::run_with(Deadline(serial, after), wait)
}
