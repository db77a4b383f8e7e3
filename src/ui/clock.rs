//! The time the window lives by, and how it reads to the user.

mod virtual_time;

pub use virtual_time::VirtualTime;

use crate::base::time::Clock as RealClock;
use crate::base::{Now, UnixMs};

/// What the time is.
#[derive(Debug, Clone)]
pub enum Clock {
    Real(RealClock),
    Virtual(VirtualTime),
}

impl Clock {
    /// The given virtual time, or real time that starts counting.
    pub fn new(time: Option<VirtualTime>) -> Self {
        time.map_or_else(|| Self::Real(RealClock::new()), Self::Virtual)
    }

    /// Both clocks.
    pub fn now(&self) -> Now {
        match self {
            Self::Real(clock) => clock.now(),
            Self::Virtual(time) => time.now(),
        }
    }

    /// The virtual time, if it is that.
    pub fn as_virtual(&self) -> Option<&VirtualTime> {
        match self {
            Self::Real(_) => None,
            Self::Virtual(time) => Some(time),
        }
    }
}

/// Hours and minutes in the user's time zone, in UTC by virtual time: "14:03".
pub fn time_of_day(at: UnixMs) -> String {
    zoned(at).map_or_else(String::new, |at| at.strftime("%H:%M").to_string())
}

/// How long ago, in the shortest words: "now", "5 min ago", "3 h ago", "yesterday", "12 Nov".
pub fn ago(at: UnixMs, now: UnixMs) -> String {
    let minutes = now.0.saturating_sub(at.0) / 60_000;
    match minutes {
        i64::MIN..=0 => "now".to_owned(),
        1..=59 => format!("{minutes} min ago"),
        60..=1_439 => format!("{} h ago", minutes / 60),
        1_440..=2_879 => "yesterday".to_owned(),
        _ => zoned(at).map_or_else(String::new, |at| at.strftime("%-d %b %Y").to_string()),
    }
}

fn zoned(at: UnixMs) -> Option<jiff::ZonedDateTime> {
    let timestamp = jiff::Timestamp::from_millisecond(at.0).ok()?;
    let zone = if virtual_time::is_used() { jiff::tz::TimeZone::UTC } else { jiff::tz::TimeZone::system() };
    Some(timestamp.to_zoned_datetime(zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_people_say_them() {
        let now = UnixMs(1_796_070_382_000);
        let before = |minutes: i64| ago(UnixMs(now.0 - minutes * 60_000), now);
        assert_eq!(
            [before(0), before(-5), before(5), before(125), before(1_500)],
            ["now", "now", "5 min ago", "2 h ago", "yesterday"]
        );
        assert!(before(60 * 24 * 30).contains(' '));
    }
}
