//! The counts of outcomes and pass rates in words, for the heads and the groups of tables of runs.

use trajview_run::Outcome;

use super::{ErrorRule, OutcomeCounts, PassRate};

impl OutcomeCounts {
    /// Returns each outcome's word with its number of trials, and `not recorded` last.
    pub(crate) fn named_counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let recorded = Outcome::ALL.map(|outcome| (outcome.word(), self.with_outcome(outcome)));
        recorded.into_iter().chain([("not recorded", self.not_recorded)])
    }

    /// Returns `3 passed · 4 failed · 1 not recorded`; None where no outcome is recorded.
    pub fn summary_text(&self) -> Option<String> {
        let counted = self.named_counts().filter(|(_, count)| *count > 0);
        let texts: Vec<String> = counted.map(|(word, count)| format!("{count} {word}")).collect();
        (self.all_trials() > self.not_recorded).then(|| texts.join(" · "))
    }

    /// Returns the pass rate by the default rule, with its 95 % interval; None where no trial counts.
    pub fn default_pass_rate(&self) -> Option<PassRate> {
        let rate = self.pass_rates(0.95)[ErrorRule::default() as usize];
        (rate.counted > 0).then_some(rate)
    }
}

impl PassRate {
    /// Returns `58 % [32–81 %], n 12`; empty where no trial counts.
    pub fn short_text(&self) -> String {
        let (Ok(rate), Ok(interval)) = (self.rate, self.interval) else { return String::new() };
        let [rate, low, high] =
            [rate, interval.low, interval.high].map(|share| format!("{:.0}", share * 100.0));
        format!("{rate} % [{low}–{high} %], n {}", self.counted)
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
    fn a_pass_rate_has_its_interval_and_its_trials_in_words() {
        let text = |outcomes: &[Option<Outcome>]| {
            let counts = outcomes.iter().copied().collect::<OutcomeCounts>();
            counts.default_pass_rate().map(|rate| rate.short_text())
        };
        let mixed = [
            Some(Outcome::Passed),
            Some(Outcome::Passed),
            Some(Outcome::Failed),
            Some(Outcome::Error),
            Some(Outcome::Unscored),
            None,
        ];

        // Wilson's interval of 2 of 4, as statsmodels has it: 0.150, 0.850.
        assert_eq!(text(&mixed).as_deref(), Some("50 % [15–85 %], n 4"));
        assert_eq!(text(&[None, Some(Outcome::Unscored)]), None);
    }

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
