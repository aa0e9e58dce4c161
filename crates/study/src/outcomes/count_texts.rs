//! The counts of outcomes in words, for the heads of tables of runs.

use trajview_run::Outcome;

use super::OutcomeCounts;

impl OutcomeCounts {
    /// Returns each outcome's word with its number of trials, and `not recorded` last.
    pub fn named_counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let recorded = Outcome::ALL.map(|outcome| (outcome.word(), self.with_outcome(outcome)));
        recorded.into_iter().chain([("not recorded", self.not_recorded)])
    }

    /// Returns `3 passed · 4 failed · 1 not recorded`; None where no outcome is recorded.
    pub fn summary_text(&self) -> Option<String> {
        let counted = self.named_counts().filter(|(_, count)| *count > 0);
        let texts: Vec<String> = counted.map(|(word, count)| format!("{count} {word}")).collect();
        (self.all_trials() > self.not_recorded).then(|| texts.join(" · "))
    }
}

impl FromIterator<Option<Outcome>> for OutcomeCounts {
    fn from_iter<I: IntoIterator<Item = Option<Outcome>>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            counts.add_trial(outcome);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_name_what_is_there_and_runs_without_an_outcome() {
        let summary = |outcomes: &[Option<Outcome>]| {
            outcomes.iter().copied().collect::<OutcomeCounts>().summary_text()
        };

        let mixed = [Some(Outcome::Error), None, Some(Outcome::Passed), Some(Outcome::Passed)];
        assert_eq!(summary(&mixed).as_deref(), Some("2 passed · 1 error · 1 not recorded"));
        assert_eq!((summary(&[None, None]), summary(&[])), (None, None));
    }
}
