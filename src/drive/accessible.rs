//! The real program under the driver: its tree is what the accessibility bridge publishes.

use std::process::ExitCode;

use accesskit::{Action, ActionData, ActionRequest, TreeId};
use iced::Size;

use crate::a11y::{Bridge, Key};
use crate::{cli, ui};

use super::tree::{Announcement, Bounds, Node, Tree};
use super::{Clock, Options, RealClock, VirtualClock};

impl Tree for Bridge {
    fn activate(&self) {
        self.observe();
    }

    fn snapshot(&self) -> Vec<Node> {
        let nodes = Bridge::snapshot(self).into_iter();
        nodes
            .map(|node| Node {
                id: node.id,
                role: node.role,
                name: node.name,
                value: node.value,
                description: node.description,
                states: node.states.into_iter().map(str::to_owned).collect(),
                bounds: node.bounds.map(|b| Bounds { x: b.x, y: b.y, width: b.width, height: b.height }),
                children: node.children,
                actions: node.actions,
            })
            .collect()
    }

    fn request(&self, id: &str, action: Action, data: Option<ActionData>) {
        let target_node = Key::from(id.to_owned()).node();
        Bridge::request(self, ActionRequest { action, target_tree: TreeId::ROOT, target_node, data });
    }

    fn announcements(&self) -> Vec<Announcement> {
        let said = Bridge::announcements(self).into_iter();
        said.map(|a| Announcement { number: a.number, assertive: a.assertive, text: a.text }).collect()
    }
}

/// `rejoin drive`.
pub fn start(options: cli::Drive) -> ExitCode {
    ui::font::install_bundled_only(&[]);
    let bridge = Bridge::new();
    let size = Size::new(options.size.0 as f32, options.size.1 as f32);
    let time = options.virtual_time.then(ui::VirtualTime::new);
    let clock: Box<dyn Clock> = match &time {
        Some(_) => Box::new(VirtualClock::new()),
        None => Box::new(RealClock::new()),
    };
    let program = ui::program(ui::Options {
        start: options.start,
        size: Some(size),
        bridge: bridge.clone(),
        hermetic: true,
        palette: None,
        time: time.clone(),
    });
    let driver = Options { size, scale: options.scale, ..Options::default() };
    super::run(program, driver, clock, bridge, ui::App::facts_for_drive, time)
}
