//! Points in time as recordings tell them.

use std::fmt;

/// Milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// Reads RFC 3339; a time without a zone is taken as UTC. None for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
            return Some(Self(stamp.as_millisecond()));
        }
        let naive = text.parse::<jiff::civil::DateTime>().ok()?;
        let stamp = naive.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Self(stamp.timestamp().as_millisecond()))
    }

    /// Returns `2026-11-21 20:51` in UTC.
    pub fn minute_text(self) -> String {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => stamp.strftime("%Y-%m-%d %H:%M").to_string(),
            Err(_) => self.to_string(),
        }
    }

    /// Returns `20:51:03` in UTC.
    pub fn clock_text(self) -> String {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => stamp.strftime("%H:%M:%S").to_string(),
            Err(_) => self.to_string(),
        }
    }

    /// Returns seconds from `earlier` to here; None where the clock went backwards.
    pub fn seconds_since(self, earlier: Self) -> Option<f64> {
        let millis = self.0.checked_sub(earlier.0)?;
        (millis >= 0).then_some(millis as f64 / 1000.0)
    }
}

impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl fmt::Display for Time {
    /// Writes RFC 3339 in UTC, with milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => write!(f, "{stamp:.3}"),
            Err(_) => write!(f, "{} ms", self.0), // beyond the year 9999: a broken clock, still told
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back_as_written() {
        let time = Time::parse("2026-01-01T00:00:03.250Z").unwrap();
        assert_eq!(time.to_string(), "2026-01-01T00:00:03.250Z");
        assert_eq!(Time::parse("2026-01-01T01:00:03.25+01:00"), Some(time));
        assert_eq!(Time::parse("2026-01-01T00:00:03.25"), Some(time));
        assert_eq!(Time::parse("yesterday"), None);
    }

    #[test]
    fn a_time_out_of_range_is_not_a_panic() {
        assert_eq!(Time(i64::MAX).to_string(), format!("{} ms", i64::MAX));
        assert_eq!(Time(i64::MIN).seconds_since(Time(1)), None);
    }
}
