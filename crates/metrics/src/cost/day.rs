//! Days, on which prices change.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use trajview_run::Time;

/// A day in UTC, written `2026-11-25`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(jiff::civil::Date);

impl Day {
    /// Returns the day of a time, in UTC.
    pub(crate) fn from_time(time: Time) -> Option<Self> {
        let stamp = jiff::Timestamp::from_millisecond(time.0).ok()?;
        Some(Self(stamp.to_zoned(jiff::tz::TimeZone::UTC).date()))
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for Day {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        let words = String::deserialize(from)?;
        let day = words.parse().map_err(|_| {
            serde::de::Error::custom(format!("expected a day such as 2026-11-25, found {words:?}"))
        })?;
        Ok(Self(day))
    }
}
