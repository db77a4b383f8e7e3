//! The coordinator alone: counts, delays, deadlines, rechecks.

use super::*;
use crate::contract::FailureKind;

fn snapshot(revision: u64) -> Snapshot {
    Snapshot { revision, root: Some("/srv".into()) }
}

fn cause() -> Failure {
    Failure { kind: FailureKind::ConnectionLost, detail: String::new(), stderr: Vec::new() }
}

fn at(ms: u64) -> Instant {
    Instant(Duration::from_millis(ms))
}

fn link(number: u64) -> (BridgeId, Stamp) {
    (BridgeId(number), Stamp { owner: number, connection: number })
}

fn begin(now: Instant) -> Recovery {
    let mut recovery = Recovery::default();
    assert_eq!(recovery.lost(now, link(1), snapshot(1), cause(), 0.5), Step::Start { attempt: 1 });
    let (bridge, stamp) = link(2);
    recovery.started(now, bridge, stamp);
    recovery
}

#[test]
fn five_attempts_wait_0_1_2_4_8_seconds_with_a_fifth_of_jitter_and_no_sixth_follows() {
    for (jitter, factor) in [(0.0, 0.8), (0.5, 1.0), (1.0, 1.2)] {
        let mut now = at(1_000);
        let mut recovery = begin(now);
        for (attempt, delay) in [(2_u8, 1_000.0), (3, 2_000.0), (4, 4_000.0), (5, 8_000.0)] {
            let made = link(u64::from(attempt));
            let due = now + Duration::from_millis(1).mul_f64(delay * factor);
            assert_eq!(recovery.lost(now, made, snapshot(1), cause(), jitter), Step::Wait { attempt, at: due });
            assert_eq!(recovery.poll_timeout(), Some(due));
            now = due;
            assert_eq!(recovery.due(now, &snapshot(1)), Step::Start { attempt });
            let (bridge, stamp) = link(u64::from(attempt) + 1);
            recovery.started(now, bridge, stamp);
        }
        let step = recovery.lost(now, link(6), snapshot(1), cause(), jitter);
        assert_eq!(step, Step::GiveUp { cause: cause(), why: GaveUp::Attempts });
        assert!(!recovery.is_active() && recovery.poll_timeout().is_none());
    }
}

#[test]
fn many_signals_of_one_loss_and_of_old_bridges_are_one_episode() {
    let mut recovery = begin(at(0));
    for number in [1, 1, 7] {
        assert_eq!(recovery.lost(at(1), link(number), snapshot(1), cause(), 0.5), Step::Nothing);
    }
    assert_eq!((recovery.begun(), recovery.late(), recovery.attempt()), (1, 3, Some(1)));
    recovery.lost(at(2), link(2), snapshot(1), cause(), 0.5);
    assert_eq!(recovery.lost(at(2), link(2), snapshot(1), cause(), 0.5), Step::Nothing, "the same link again");
    assert_eq!((recovery.begun(), recovery.late()), (1, 4));
}

#[test]
fn a_server_that_accepts_and_closes_cannot_loop_and_a_healthy_period_starts_the_count_anew() {
    let mut recovery = begin(at(0));
    recovery.account_read(at(100));
    assert_eq!(recovery.poll_timeout(), Some(at(30_100)));
    let step = recovery.lost(at(30_000), link(2), snapshot(1), cause(), 0.5);
    assert_eq!(step, Step::Wait { attempt: 2, at: at(31_000) }, "29.9 s are not healthy");
    assert_eq!(recovery.due(at(31_000), &snapshot(1)), Step::Start { attempt: 2 });
    let (bridge, stamp) = link(3);
    recovery.started(at(31_000), bridge, stamp);
    recovery.account_read(at(31_000));
    assert_eq!(recovery.due(at(61_000), &snapshot(1)), Step::Nothing);
    assert!(!recovery.is_active(), "30 s are");
    assert_eq!(recovery.lost(at(61_001), link(3), snapshot(1), cause(), 0.5), Step::Start { attempt: 1 });
    assert_eq!(recovery.begun(), 2);
}

#[test]
fn an_attempt_has_45_s_and_an_episode_5_min_and_time_asleep_counts_to_neither() {
    let mut recovery = begin(at(0));
    assert_eq!(recovery.poll_timeout(), Some(at(45_000)));
    recovery.slept(Duration::from_secs(8 * 3600));
    let slept = 8 * 3600 * 1000;
    assert_eq!(recovery.poll_timeout(), Some(at(slept + 45_000)));
    assert!(!recovery.is_overdue(at(slept + 44_999)) && recovery.is_overdue(at(slept + 45_000)));
    // Connected for a while, lost again near the end of the five minutes.
    recovery.account_read(at(slept + 280_000));
    let step = recovery.lost(at(slept + 299_500), link(2), snapshot(1), cause(), 0.5);
    assert_eq!(step, Step::Wait { attempt: 2, at: at(slept + 300_500) });
    assert_eq!(recovery.poll_timeout(), Some(at(slept + 300_000)));
    let step = recovery.due(at(slept + 300_000), &snapshot(1));
    assert_eq!(step, Step::GiveUp { cause: cause(), why: GaveUp::Time });
}

#[test]
fn every_continuation_rechecks_episode_bridge_stamp_revision_and_root() {
    let (bridge, stamp) = link(2);
    let own = Ticket { episode: 1, bridge, stamp };
    let late = [
        None,
        Some(Ticket { episode: 2, ..own }),
        Some(Ticket { bridge: BridgeId(1), ..own }),
        Some(Ticket { stamp: Stamp { owner: 1, connection: 1 }, ..own }),
    ];
    let mut recovery = begin(at(0));
    for ticket in late {
        assert_eq!(recovery.recheck(ticket, &snapshot(1)), Err(Step::Nothing), "{ticket:?}");
    }
    assert_eq!(recovery.late(), 4);
    assert_eq!(recovery.recheck(Some(own), &snapshot(1)), Ok(()));
    for other in [snapshot(2), Snapshot { revision: 1, root: None }] {
        let mut recovery = begin(at(0));
        assert_eq!(recovery.recheck(Some(own), &other), Err(Step::Changed));
        assert!(!recovery.is_active());
        let mut recovery = begin(at(0));
        assert_eq!(recovery.lost(at(1), link(2), other.clone(), cause(), 0.5), Step::Changed);
        let mut recovery = begin(at(0));
        recovery.lost(at(1), link(2), snapshot(1), cause(), 0.5);
        assert_eq!(recovery.due(at(60_000), &other), Step::Changed);
    }
}

#[test]
fn try_now_skips_the_wait_of_the_same_episode_and_cancel_ends_it() {
    let mut recovery = begin(at(0));
    assert_eq!(recovery.try_now(at(1), &snapshot(1)), Step::Nothing, "an attempt is under way");
    recovery.lost(at(1), link(2), snapshot(1), cause(), 0.5);
    assert_eq!(recovery.try_now(at(2), &snapshot(1)), Step::Start { attempt: 2 });
    assert_eq!(recovery.begun(), 1);
    assert_eq!(recovery.cancel(), Step::GiveUp { cause: cause(), why: GaveUp::Cancelled });
    assert_eq!(recovery.cancel(), Step::Nothing);
}
