//! Random interleavings of pages, live events, echoes and evictions against the server's list.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::base::limit;

#[derive(Debug, Clone)]
enum Step {
    Older,
    Newer,
    Refresh,
    Expand(usize),
    Collapse(usize),
    /// The viewport stands at this fraction of the rows, in percent; 100 follows the tail.
    Look(usize),
    /// The server makes the answers to what was asked so far; they are not there yet.
    Ask,
    /// One of the answers arrives.
    Arrive(usize),
    Echo,
    StartTurn,
    Delta,
    Complete,
    EndTurn,
    Rejoin,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Older),
        4 => Just(Step::Newer),
        1 => Just(Step::Refresh),
        6 => (0..60_usize).prop_map(Step::Expand),
        1 => (0..60_usize).prop_map(Step::Collapse),
        4 => (0..=100_usize).prop_map(Step::Look),
        8 => Just(Step::Ask),
        8 => (0..4_usize).prop_map(Step::Arrive),
        1 => Just(Step::Echo),
        2 => Just(Step::StartTurn),
        2 => Just(Step::Delta),
        4 => Just(Step::Complete),
        1 => Just(Step::EndTurn),
        1 => Just(Step::Rejoin),
    ]
}

/// The server, the joined window, and what was seen of its rows.
struct World {
    server: Server,
    joined: Joined,
    answers: Vec<(u64, Answer)>,
    running: Option<usize>,
    made: usize,
    echoes: Vec<String>,
    rows: BTreeMap<u64, (u32, Arc<RowBody>)>,
}

impl World {
    fn new(turns: usize, items: usize) -> Self {
        let mut server = Server::with(turns, items);
        let joined = Joined::new(&mut server);
        let (answers, echoes, rows) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { server, joined, answers, running: None, made: 0, echoes, rows }
    }

    fn ask(&mut self) {
        while let Some(fetch) = self.joined.history.poll_fetch() {
            self.answers.push((fetch.id, self.server.answer(&fetch.request)));
        }
    }

    fn arrive(&mut self, index: usize) {
        if !self.answers.is_empty() {
            let (id, answer) = self.answers.remove(index % self.answers.len());
            self.joined.history.fetched(id, answer, at(1));
        }
    }

    fn settle(&mut self) {
        loop {
            self.ask();
            if self.answers.is_empty() {
                break;
            }
            self.arrive(0);
        }
    }

    fn complete(&mut self) {
        let Some(turn) = self.running else { return };
        self.made += 1;
        let id = format!("n{}", self.made);
        let turn = &mut self.server.turns[turn];
        let item = if turn.items.is_empty() {
            sent(&id, self.echoes.last().map_or("none", String::as_str), "sent")
        } else {
            message(&id, false, "live")
        };
        turn.items.push(item.clone());
        let turn = turn.id.clone();
        self.joined.complete(&turn, item);
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Older => self.joined.history.load_older(),
            Step::Newer => self.joined.history.load_newer(),
            Step::Refresh => self.joined.history.refresh(),
            Step::Expand(turn) => self.joined.history.expand(&format!("t{turn}").as_str().into()),
            Step::Collapse(turn) => self.joined.history.collapse(&format!("t{turn}").as_str().into()),
            Step::Look(percent) => {
                let rows = self.joined.history.view().rows;
                if let Some(last) = rows.len().checked_sub(1) {
                    let key = rows[last * percent / 100].key;
                    self.joined.history.viewing(key, key, *percent == 100);
                }
            }
            Step::Ask => self.ask(),
            Step::Arrive(index) => self.arrive(*index),
            Step::Echo => {
                let client = format!("c{}", self.echoes.len());
                self.joined.history.echo(OpId(self.echoes.len() as u64), "sent", &client, at(3));
                self.echoes.push(client);
            }
            Step::StartTurn if self.running.is_none() => {
                let id = format!("t{}", self.server.turns.len());
                let turn =
                    StoredTurn { id: id.clone(), status: TurnStatus::InProgress, ended: false, items: Vec::new() };
                self.server.turns.push(turn);
                self.running = Some(self.server.turns.len() - 1);
                self.joined.start_turn(&id);
                self.complete();
            }
            Step::StartTurn => {}
            Step::Delta => {
                if let Some(turn) = self.running {
                    let turn = self.server.turns[turn].id.clone();
                    self.joined.delta(&turn, &format!("n{}", self.made + 1), "some text ");
                }
            }
            Step::Complete => self.complete(),
            Step::EndTurn => {
                // The block that was begun is completed first: nothing dangles here.
                self.complete();
                if let Some(turn) = self.running.take() {
                    let stored = &mut self.server.turns[turn];
                    (stored.status, stored.ended) = (TurnStatus::Completed, true);
                    let id = stored.id.clone();
                    self.joined.end_turn(&id, TurnStatus::Completed);
                }
            }
            Step::Rejoin => {
                self.joined.history.begin_sync();
                self.joined.history.attached(&self.joined.live, at(4));
            }
        }
    }

    /// What holds at every moment: no item twice, keys unique and stable, revisions monotonic,
    /// bodies immutable per (key, rev).
    fn check_rows(&mut self) {
        let view = self.joined.history.view();
        let mut keys = BTreeSet::new();
        let mut items = BTreeSet::new();
        for row in view.rows.iter() {
            assert!(keys.insert(row.key), "key {} twice: {}", row.key, short(row));
            if let RowBody::Item(item) = &*row.body {
                assert!(items.insert(item.id().clone()), "{} twice", item.id());
            }
            if let RowBody::Unfinished { item, .. } = &*row.body {
                assert!(items.insert(item.clone()), "{item} twice");
            }
            if let Some((rev, body)) = self.rows.insert(row.key, (row.rev, Arc::clone(&row.body))) {
                assert!(row.rev >= rev, "rev of {} fell", short(row));
                assert_eq!(row.rev == rev, *body == *row.body, "rev and body of {}", short(row));
            }
        }
    }

    /// What holds when nothing is on its way: the server's order, every hole marked, both ends told.
    fn check_rest(&mut self) {
        let view = self.joined.history.view();
        assert_eq!(view.stale, None);
        assert!(view.items <= limit::WINDOW_ITEMS, "{} items", view.items);
        let place: BTreeMap<String, usize> =
            self.server.ids().into_iter().enumerate().map(|(place, id)| (id, place)).collect();
        let mut before: Option<usize> = None;
        let mut marked = false;
        for row in view.rows.iter() {
            match &*row.body {
                RowBody::Item(item) => {
                    let at = place[item.id().as_str()];
                    match before {
                        Some(before) => {
                            assert!(at > before, "{} stands too late", item.id());
                            assert!(at == before + 1 || marked, "a hole before {} is not marked", item.id());
                        }
                        None => assert!(at == 0 || marked, "nothing says that {} is not the first", item.id()),
                    }
                    (before, marked) = (Some(at), false);
                }
                RowBody::TurnHead { .. } | RowBody::Edge { .. } => marked = true,
                _ => {}
            }
        }
        assert!(view.newer || before == place.len().checked_sub(1), "the newest item is missing");
        let shown: Vec<String> = view.rows.iter().map(short).collect();
        for (index, client) in self.echoes.iter().enumerate() {
            let accepted = self
                .server
                .turns
                .iter()
                .flat_map(|turn| &turn.items)
                .any(|item| matches!(item, ThreadItem::UserMessage { client_id: Some(id), .. } if id == client));
            let echoed =
                view.rows.iter().any(|row| matches!(&*row.body, RowBody::Echo { op, .. } if *op == OpId(index as u64)));
            assert!(accepted != echoed, "echo {client}: accepted {accepted}, shown {echoed} in {shown:?}");
        }
    }
}

/// The same cases each time; built with `REJOIN_CASES=N`, it walks N others.
fn config() -> ProptestConfig {
    let cases = option_env!("REJOIN_CASES").and_then(|cases| cases.parse().ok());
    let rng_seed = if cases.is_some() { RngSeed::Random } else { RngSeed::Fixed(5) };
    ProptestConfig { cases: cases.unwrap_or(48), rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_window_is_always_a_marked_part_of_the_servers_list(
        full in any::<bool>(),
        turns in 0..60_usize,
        items in 1..70_usize,
        steps in prop::collection::vec(step(), 1..90),
    ) {
        let mut world = World::new(turns, items);
        if full {
            // Begins with a full window, looked at from its top while a turn runs.
            world.take(&Step::StartTurn);
            world.take(&Step::Look(0));
            for turn in 0..turns {
                world.take(&Step::Expand(turn));
                world.settle();
            }
        }
        for (index, step) in steps.iter().enumerate() {
            world.take(step);
            world.check_rows();
            if index % 8 == 7 {
                world.settle();
                world.check_rows();
                world.check_rest_unless_running();
            }
        }
        world.take(&Step::EndTurn);
        world.settle();
        world.check_rows();
        world.check_rest();
        // Nothing is lost for good: Refresh leads back to the newest.
        world.take(&Step::Refresh);
        world.settle();
        world.check_rest();
        prop_assert!(!world.joined.history.view().newer);
    }
}

impl World {
    fn check_rest_unless_running(&mut self) {
        if self.running.is_none() {
            self.check_rest();
        }
    }
}
