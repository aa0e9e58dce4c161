//! How much of a log is of no kind that its reader knows.
//!
//! A new version of a tool brings a few unknown records, which are shown as they are. A log most of whose records are
//! unknown was rather written by another tool that looks alike, or by a version that changed everything: a reader has to
//! say that, or what is missing looks like an agent that did nothing.

use std::collections::BTreeMap;

use trajview_run::Warning;

/// Counts the records of one log.
#[derive(Debug, Default, Clone)]
pub struct Unknowns {
    records: usize,
    /// Records by the name of their kind, as it is shown.
    unknown: BTreeMap<Box<str>, usize>,
}

/// So many kinds are named.
const MOST_NAMED: usize = 4;

impl Unknowns {
    /// Counts a record; `unknown` is the name of its kind where nobody knows it.
    pub fn take(&mut self, unknown: Option<&str>) {
        self.records += 1;
        if let Some(kind) = unknown {
            self.mark(kind);
        }
    }

    /// Says of a record that was counted as known that nobody knows its kind.
    pub fn mark(&mut self, kind: &str) {
        *self.unknown.entry(kind.into()).or_default() += 1;
    }

    /// A warning about the log `name`, where more than half of its records are unknown to `format`.
    pub fn warning(&self, name: &str, format: &str) -> Option<Warning> {
        let unknown: usize = self.unknown.values().sum();
        (unknown * 2 > self.records).then(|| {
            let share = (unknown * 100 + self.records / 2) / self.records;
            let what = format!(
                "{unknown} of {} records ({share} %) are of no kind known from {format}: {}; another tool may have written this log",
                self.records,
                self.kinds()
            );
            Warning { place: name.into(), what }
        })
    }

    /// The most frequent kinds first.
    fn kinds(&self) -> String {
        let mut kinds: Vec<(&str, usize)> =
            self.unknown.iter().map(|(kind, count)| (&**kind, *count)).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut named: Vec<&str> = kinds.iter().take(MOST_NAMED).map(|(kind, _)| *kind).collect();
        if kinds.len() > MOST_NAMED {
            named.push("…");
        }
        named.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Unknowns;

    fn counted(known: usize, unknown: &[&str]) -> Unknowns {
        let mut all = Unknowns::default();
        (0..known).for_each(|_| all.take(None));
        unknown.iter().for_each(|kind| all.take(Some(kind)));
        all
    }

    #[test]
    fn a_log_is_warned_of_when_more_than_half_of_its_records_are_unknown() {
        assert_eq!(counted(0, &[]).warning("a", "claude-code"), None);
        assert_eq!(counted(2, &["x", "y"]).warning("a", "claude-code"), None);

        let warning =
            counted(1, &["a", "b", "b", "c", "d", "e"]).warning("x.jsonl", "claude-code").unwrap();

        assert_eq!(warning.place, "x.jsonl");
        assert_eq!(
            warning.what,
            "6 of 7 records (86 %) are of no kind known from claude-code: b, a, c, d, …; \
             another tool may have written this log"
        );
    }
}
