//! The faults between us and a judge's program or server, and their handling.

use std::{fmt, time::Duration};

/// The reason why a request got no reply. Shown, each is a sentence without the judge's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeFault {
    /// Too many requests (429), or the server has too much to do (503, 529).
    RateLimited { after: Option<Duration>, message: String },
    /// The server failed (5xx).
    Failed { status: u16, message: String },
    /// The server does not want this request (4xx).
    Refused { status: u16, message: String },
    /// No connection.
    Unreachable(String),
    /// The reply ended before it was complete.
    BrokenOff(String),
    /// No reply came in time.
    TimedOut(String),
    /// The reply does not follow the protocol.
    Malformed(String),
    /// The program cannot be run, or failed.
    Program(String),
    /// The next request could cost more than is allowed.
    TooExpensive(String),
    /// A person or a signal stopped the judging.
    Stopped,
}

impl JudgeFault {
    /// Returns whether the same request may succeed a moment later.
    pub(crate) const fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Failed { .. }
                | Self::Unreachable(_)
                | Self::BrokenOff(_)
        )
    }

    /// Returns whether every other component would fail too, so that further requests are a waste.
    pub(crate) const fn ends_all(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 401..=404),
            Self::Unreachable(_) | Self::TooExpensive(_) | Self::Stopped => true,
            _ => false,
        }
    }

    /// Returns the wait before attempt number `attempt` (counts from 1), where the server did not name one.
    pub(crate) fn pause_before(&self, attempt: u32, first: Duration) -> Duration {
        const LONGEST: Duration = Duration::from_secs(300);
        let doubled = first.saturating_mul(1 << attempt.saturating_sub(1).min(10));
        match self {
            Self::RateLimited { after: Some(after), .. } => (*after).max(first).min(LONGEST),
            _ => doubled.min(LONGEST),
        }
    }
}

impl fmt::Display for JudgeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |f: &mut fmt::Formatter<'_>, what: &str, message: &str| match message {
            "" => f.write_str(what),
            message => write!(f, "{what}: {message}"),
        };
        match self {
            Self::RateLimited { message, .. } => with(f, "the server requests a pause", message),
            Self::Failed { status, message } => {
                with(f, &format!("the server failed ({status})"), message)
            }
            Self::Refused { status, message } => {
                with(f, &format!("the server refuses the request ({status})"), message)
            }
            Self::Unreachable(why) => write!(f, "cannot reach the server: {why}"),
            Self::BrokenOff(why) => write!(f, "the reply was cut short: {why}"),
            Self::TimedOut(why) | Self::Program(why) | Self::TooExpensive(why) => f.write_str(why),
            Self::Malformed(why) => write!(f, "the reply makes no sense: {why}"),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_the_servers_word_counts() {
        let first = Duration::from_millis(500);
        let failed = JudgeFault::Failed { status: 500, message: String::new() };
        let limited =
            |after| JudgeFault::RateLimited { after: Some(after), message: String::new() };

        let pauses: Vec<u64> =
            [1, 2, 3, 99].map(|n| failed.pause_before(n, first).as_secs_f64() as u64).to_vec();
        assert_eq!(pauses, [0, 1, 2, 300]);
        assert_eq!(limited(Duration::from_secs(7)).pause_before(1, first), Duration::from_secs(7));
        assert_eq!(
            limited(Duration::from_secs(9_000)).pause_before(1, first),
            Duration::from_secs(300)
        );
    }

    #[test]
    fn each_is_a_sentence() {
        let failed = JudgeFault::Failed { status: 502, message: "bad gateway".into() };
        assert_eq!(failed.to_string(), "the server failed (502): bad gateway");
        let limited = JudgeFault::RateLimited { after: None, message: String::new() };
        assert_eq!(limited.to_string(), "the server requests a pause");
    }
}
