//! What can go wrong between us and a judge's program or server, and what is then to be done.

use std::{fmt, time::Duration};

/// Why a request got no reply. Shown, each is a sentence without the judge's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Too many requests (429), or the server has too much to do (503, 529).
    Limited { after: Option<Duration>, said: String },
    /// The server failed (5xx).
    Failed { status: u16, said: String },
    /// The server does not want this request (4xx).
    Refused { status: u16, said: String },
    /// No connection.
    Unreachable(String),
    /// The reply ended before it was complete.
    Cut(String),
    /// Nothing came in time.
    Late(String),
    /// What came is no reply of the protocol.
    Garbage(String),
    /// The program cannot be run, or failed.
    Program(String),
    /// The next request could cost more than is allowed.
    Dear(String),
    /// We were told to stop.
    Stopped,
}

impl Fault {
    /// Whether the same request may go better a moment later.
    pub const fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Limited { .. } | Self::Failed { .. } | Self::Unreachable(_) | Self::Cut(_)
        )
    }

    /// Whether no other component would fare better: asking on is a waste.
    pub const fn ends_all(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 401..=404),
            Self::Unreachable(_) | Self::Dear(_) | Self::Stopped => true,
            _ => false,
        }
    }

    /// How long to wait before attempt number `attempt` (counts from 1), where the server did not say.
    pub fn pause(&self, attempt: u32, first: Duration) -> Duration {
        const LONGEST: Duration = Duration::from_secs(300);
        let doubled = first.saturating_mul(1 << attempt.saturating_sub(1).min(10));
        match self {
            Self::Limited { after: Some(after), .. } => (*after).max(first).min(LONGEST),
            _ => doubled.min(LONGEST),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |f: &mut fmt::Formatter<'_>, what: &str, said: &str| match said {
            "" => f.write_str(what),
            said => write!(f, "{what}: {said}"),
        };
        match self {
            Self::Limited { said, .. } => with(f, "the server asks to wait", said),
            Self::Failed { status, said } => {
                with(f, &format!("the server failed ({status})"), said)
            }
            Self::Refused { status, said } => {
                with(f, &format!("the server refuses the request ({status})"), said)
            }
            Self::Unreachable(why) => write!(f, "cannot reach the server: {why}"),
            Self::Cut(why) => write!(f, "the reply was cut short: {why}"),
            Self::Late(why) | Self::Program(why) | Self::Dear(why) => f.write_str(why),
            Self::Garbage(why) => write!(f, "the reply makes no sense: {why}"),
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
        let failed = Fault::Failed { status: 500, said: String::new() };
        let limited = |after| Fault::Limited { after: Some(after), said: String::new() };

        let pauses: Vec<u64> =
            [1, 2, 3, 99].map(|n| failed.pause(n, first).as_secs_f64() as u64).to_vec();
        assert_eq!(pauses, [0, 1, 2, 300]);
        assert_eq!(limited(Duration::from_secs(7)).pause(1, first), Duration::from_secs(7));
        assert_eq!(limited(Duration::from_secs(9_000)).pause(1, first), Duration::from_secs(300));
    }

    #[test]
    fn each_is_a_sentence() {
        let failed = Fault::Failed { status: 502, said: "bad gateway".into() };
        assert_eq!(failed.to_string(), "the server failed (502): bad gateway");
        let limited = Fault::Limited { after: None, said: String::new() };
        assert_eq!(limited.to_string(), "the server asks to wait");
    }
}
