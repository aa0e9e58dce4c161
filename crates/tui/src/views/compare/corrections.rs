//! The MCFs of the compared runs that blind labels correct, and their difference.

use trajview_study::{
    compare::{ComparedRun, Subtraction, run_letter},
    corrected::{
        estimator::{CorrectedMean, CorrectionRefusal},
        judgement_queue::{corrected_mcf, corrected_mcf_difference},
    },
};

use crate::session::corrected_mcf::ShownMeans;

use super::ComparisonView;

/// The corrected means of all runs.
#[derive(Debug, Default)]
pub struct ComparisonCorrections {
    pub means: ShownMeans,
    computed_for: Option<CorrectionsKey>,
    /// One a run; None without a judgement.
    runs: Vec<Option<Result<CorrectedMean, CorrectionRefusal>>>,
    /// That of the two runs that are compared; None where labels of one do not allow it.
    difference: Option<CorrectedMean>,
}

/// What corrections were computed of.
#[derive(Debug, PartialEq)]
struct CorrectionsKey {
    /// The file of the judgement of each run.
    runs: Vec<Option<String>>,
    by: Subtraction,
    is_compared: bool,
}

impl ComparisonView {
    pub(crate) fn show_means(&mut self, means: ShownMeans) {
        self.corrections.means = means;
        self.settle_corrections();
    }

    /// Returns whether the MCFs are shown as labels correct them.
    pub(crate) fn shows_corrected(&self) -> bool {
        self.corrections.means == ShownMeans::Corrected
    }

    /// Returns the corrected mean of a run.
    pub(crate) fn corrected_mean(&self, run: usize) -> Option<&CorrectedMean> {
        self.corrections.runs.get(run)?.as_ref()?.as_ref().ok()
    }

    /// Returns the corrected difference of the two compared runs.
    pub(crate) const fn corrected_difference(&self) -> Option<&CorrectedMean> {
        self.corrections.difference.as_ref()
    }

    /// Returns the corrected mean of a run with its interval and labels, or why there is none; None without a judgement.
    pub(crate) fn correction_text(&self, run: usize) -> Option<String> {
        Some(match self.corrections.runs.get(run)?.as_ref()? {
            Ok(mean) => mean.text_without_judge(),
            Err(why) => format!("not corrected: {why}"),
        })
    }

    /// Returns a sentence on the means that are shown.
    pub(crate) fn means_text(&self) -> String {
        if !self.shows_corrected() {
            return "MCF: means of the judges".into();
        }
        let [a, b] = self.pair;
        let runs = [a, b].into_iter().map(|run| {
            let text = self.correction_text(run).unwrap_or_else(|| "not judged".into());
            format!("{} {text}", run_letter(run))
        });
        let difference = self.corrected_difference().map(|mean| {
            format!("{} {}", self.subtraction().display_text(), mean.text_with_interval())
        });
        runs.chain(difference).collect::<Vec<_>>().join(" · ")
    }

    /// Forgets the corrections, since the runs were read again: their labels and levels may be others.
    pub(super) fn forget_corrections(&mut self) {
        self.corrections.computed_for = None;
    }

    /// Corrects the means again where they are shown and what they are of is another.
    pub(super) fn settle_corrections(&mut self) {
        if !self.shows_corrected() {
            return;
        }
        let of_run =
            self.all_parties().iter().map(|party| party.judgement().map(|it| it.file.clone()));
        let by = self.subtraction();
        let is_compared = self.not_compared().is_none();
        let key = CorrectionsKey { runs: of_run.collect(), by, is_compared };
        if self.corrections.computed_for.as_ref() == Some(&key) {
            return;
        }
        let parties = self.all_parties();
        let mean = |it: &ComparedRun| Some(corrected_mcf(&it.rubric, it.judgement()?));
        let judged = |run: usize| {
            let party = parties.get(run)?;
            Some((&party.rubric, party.judgement()?))
        };
        let both = judged(by.from).zip(judged(by.subtracted)).filter(|_| is_compared);
        let difference =
            both.and_then(|(first, second)| corrected_mcf_difference(first, second).ok());
        let runs = parties.iter().map(mean).collect();
        let corrections = &mut self.corrections;
        (corrections.runs, corrections.difference) = (runs, difference);
        corrections.computed_for = Some(key);
    }
}
