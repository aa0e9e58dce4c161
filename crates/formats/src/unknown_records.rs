//! Counts the records of a log whose kind its reader does not know.
//!
//! A new version of a tool brings a few unknown records, which are shown as they are. A log most of whose records are
//! unknown was rather written by another tool that looks alike, or by a version that changed everything: a reader has to
//! warn of that, or the missing records look like an agent that did nothing.

use std::collections::BTreeMap;

use trajview_run::Warning;

/// Counts the records of one log.
#[derive(Debug, Default, Clone)]
pub struct UnknownRecords {
    records: usize,
    /// Records by the name of their kind, as it is shown.
    unknown: BTreeMap<Box<str>, usize>,
}

/// The number of kinds that a warning names.
const MAX_NAMED: usize = 4;

impl UnknownRecords {
    /// Counts a record; `unknown` is the name of its kind where nobody knows it.
    pub fn count_record(&mut self, unknown: Option<&str>) {
        self.records += 1;
        if let Some(kind) = unknown {
            self.count_unknown(kind);
        }
    }

    /// Counts as unknown a record that was counted as known before.
    pub fn count_unknown(&mut self, kind: &str) {
        *self.unknown.entry(kind.into()).or_default() += 1;
    }

    /// Returns a warning about the log `name`, where more than half of its records are unknown to `format`.
    pub fn mostly_unknown_warning(&self, name: &str, format: &str) -> Option<Warning> {
        let unknown: usize = self.unknown.values().sum();
        (unknown * 2 > self.records).then(|| {
            let share = (unknown * 100 + self.records / 2) / self.records;
            let what = format!(
                "{unknown} of {} records ({share} %) are of no kind known from {format}: {}; another tool may have written this log",
                self.records,
                self.frequent_kinds()
            );
            Warning { place: name.into(), what }
        })
    }

    /// Returns the most frequent kinds first.
    fn frequent_kinds(&self) -> String {
        let mut kinds: Vec<(&str, usize)> =
            self.unknown.iter().map(|(kind, count)| (&**kind, *count)).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut named: Vec<&str> = kinds.iter().take(MAX_NAMED).map(|(kind, _)| *kind).collect();
        if kinds.len() > MAX_NAMED {
            named.push("…");
        }
        named.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::UnknownRecords;

    fn counts_of(known: usize, unknown: &[&str]) -> UnknownRecords {
        let mut all = UnknownRecords::default();
        (0..known).for_each(|_| all.count_record(None));
        unknown.iter().for_each(|kind| all.count_record(Some(kind)));
        all
    }

    #[test]
    fn a_log_is_warned_of_when_more_than_half_of_its_records_are_unknown() {
        assert_eq!(counts_of(0, &[]).mostly_unknown_warning("a", "claude-code"), None);
        assert_eq!(counts_of(2, &["x", "y"]).mostly_unknown_warning("a", "claude-code"), None);

        let warning = counts_of(1, &["a", "b", "b", "c", "d", "e"])
            .mostly_unknown_warning("x.jsonl", "claude-code")
            .unwrap();

        assert_eq!(warning.place, "x.jsonl");
        assert_eq!(
            warning.what,
            "6 of 7 records (86 %) are of no kind known from claude-code: b, a, c, d, …; \
             another tool may have written this log"
        );
    }
}
