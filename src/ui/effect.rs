//! Carrying out what the engine asks for: workers as subscriptions, requests, focus, announcements.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use iced::Subscription;
use iced::futures::{SinkExt, Stream, StreamExt};

use crate::base::{BridgeId, Stamp};
use crate::contract::Request;
use crate::contract::request::Clock;
use crate::link::{self, LinkSender};

use super::Message;

/// The workers of this window. Dropping a link's subscription ends its process.
#[derive(Debug, Default)]
pub struct Links {
    links: BTreeMap<BridgeId, Link>,
}

#[derive(Debug)]
struct Link {
    stamp: Stamp,
    /// `None` until the pipe is there.
    sender: Option<Arc<LinkSender>>,
    /// Requests made before that.
    waiting: VecDeque<(Stamp, Request)>,
}

impl Links {
    /// A worker is wanted.
    pub fn start(&mut self, bridge: BridgeId, stamp: Stamp) {
        self.links.insert(bridge, Link { stamp, sender: None, waiting: VecDeque::new() });
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
        match self.links.get_mut(&bridge) {
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
        Subscription::batch(
            self.links.iter().map(|(bridge, link)| {
                Subscription::run_with(Key { bridge: *bridge, stamp: link.stamp }, worker_events)
            }),
        )
    }
}

#[derive(Debug, Clone, Copy)]
struct Key {
    bridge: BridgeId,
    stamp: Stamp,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.bridge, self.stamp).hash(state);
    }
}

fn worker_events(key: &Key) -> impl Stream<Item = Message> + use<> {
    let Key { bridge, stamp } = *key;
    iced::stream::channel(64, async move |mut output| {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("rejoin"));
        let (sender, mut events) = link::start(bridge, stamp, program, Clock::Real);
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
pub fn alarm(serial: u64, after: std::time::Duration) -> Subscription<Message> {
    #[derive(Hash, Clone, Copy)]
    struct Deadline(u64, std::time::Duration);
    fn wait(deadline: &Deadline) -> impl Stream<Item = Message> + use<> {
        let after = deadline.1;
        iced::futures::stream::once(async move { tokio::time::sleep(after).await }).map(|()| Message::Due)
    }
    Subscription::run_with(Deadline(serial, after), wait)
}
