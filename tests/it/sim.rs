//! Seeded simulation: the shipped engine and worker against a model server, a user and virtual time.
//!
//! One seed is one run. A failure names its seed; `REJOIN_SEED=N` runs that one alone and
//! `REJOIN_SEEDS=N` so many. Every fault and every state must occur often, else the test is red.

mod server;
mod world;

use std::collections::BTreeMap;

use world::{Coverage, World};

/// Seeds of a plain run.
const SEEDS: u64 = 20_000;
/// Acts of one run.
const STEPS: usize = 120;
/// Each fault and state occurs at least so often in [`SEEDS`] seeds.
const LEAST: usize = 100;

const COVERED: [&str; 30] = [
    "cut",
    "half-open",
    "kill worker",
    "kill server before applying",
    "kill server after applying",
    "drain",
    "overload",
    "refuse connections",
    "terminal refusal",
    "profile edit",
    "account change",
    "sleep",
    "attach again",
    "close code",
    "late signal",
    "try now",
    "cancel",
    "restored",
    "sent",
    "uncertain message in review",
    "Not connected",
    "Connecting",
    "Reconnecting",
    "Synchronizing history",
    "Awaiting conversation selection",
    "History refresh required",
    "Ready",
    "Manual reconnect required",
    "Sign-in required",
    "Connection/profile confirmation required",
];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run(seeds: impl Iterator<Item = u64>) -> Coverage {
    let mut coverage = Coverage::new();
    for seed in seeds {
        let mut world = World::new(seed);
        world.run(STEPS);
        for (what, times) in world.coverage {
            *coverage.entry(what).or_default() += times;
        }
    }
    coverage
}

#[test]
fn no_order_of_faults_loses_a_text_repeats_a_message_or_acts_for_the_user() {
    if let Some(seed) = number("REJOIN_SEED") {
        run(std::iter::once(seed));
        return;
    }
    let seeds = number("REJOIN_SEEDS").unwrap_or(SEEDS);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let parts: Vec<_> = (0..threads)
        .map(|part| std::thread::spawn(move || run((part..seeds).step_by(usize::try_from(threads).expect("few")))))
        .collect();
    let mut coverage: BTreeMap<&str, usize> = COVERED.iter().map(|what| (*what, 0)).collect();
    for part in parts {
        for (what, times) in part.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)) {
            *coverage.entry(what).or_default() += times;
        }
    }
    println!("{seeds} seeds: {coverage:#?}");
    if seeds >= SEEDS {
        let rare: Vec<_> = COVERED.iter().filter(|what| coverage[**what] < LEAST).collect();
        assert!(rare.is_empty(), "too rare: {rare:?} in {coverage:?}");
    }
}
