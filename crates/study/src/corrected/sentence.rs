//! The sentence about a corrected mean that a paper can print.

use std::fmt::Write as _;

use trajview_run::rubric::{Judgement, PooledSources};

use super::estimator::CorrectedMean;

/// The mean of components, with its scale.
pub(crate) const MCF_WITH_SCALE: &str = "mean component fidelity (MCF, 0 to 4)";

/// What a sentence names beside the numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SentenceFacts {
    /// The mean, with its scale: `mean component fidelity (MCF, 0 to 4)`.
    pub mean: String,
    /// The place of the mean: `codex-p12 after turn 56`, `12 runs of fidelity`.
    pub place: String,
    /// The items, in the plural.
    pub items: &'static str,
    /// The judge with its model, or the judges that are pooled: `the judge quick-reader (gpt-5-mini)`.
    pub judge: String,
    pub raters: usize,
    /// The number of runs, where the mean is about runs like these.
    pub runs: Option<usize>,
    /// Strata matter: some were labelled more than others.
    pub is_stratified: bool,
    /// The seed of the queue.
    pub seed: u64,
    /// False for a rater who has items to label: the sentence then has nothing that reveals the judge's levels.
    pub names_judged_mean: bool,
}

/// Returns `the judge quick-reader (gpt-5-mini)`, or `judges pooled as mean of 2: gpt, opus`.
pub(crate) fn judge_text(judgement: &Judgement) -> String {
    if let Some(pooled) = &judgement.pooled {
        return format!("judges pooled as {}", PooledSources::summary_text(pooled));
    }
    let judge = &judgement.judge;
    let model = judge.model.as_ref().filter(|model| **model != judge.name);
    let model = model.map(|model| format!(" ({model})")).unwrap_or_default();
    format!("the judge {}{model}", judge.name)
}

impl CorrectedMean {
    /// Returns one sentence with the method, the judge, the labels and how they were drawn, and the interval.
    pub(crate) fn paper_sentence(&self, facts: &SentenceFacts) -> String {
        let Self { value, interval, labels, items, .. } = self;
        let mut text = format!(
            "The {} of {} is {value:.2} (95 % confidence interval {:.2} to {:.2}): scores of {items} {} by {}",
            facts.mean, facts.place, interval.low, interval.high, facts.items, facts.judge
        );
        let raters = if facts.raters == 1 { "one rater" } else { "several raters" };
        let drawn = match (labels == items, facts.is_stratified) {
            (true, _) => format!("blind labels of all {items} by {raters}"),
            (false, true) => format!(
                "{labels} blind labels by {raters}, drawn at random within strata (seed {})",
                facts.seed
            ),
            (false, false) => {
                format!("{labels} blind labels by {raters}, drawn at random (seed {})", facts.seed)
            }
        };
        let _ = write!(
            text,
            " were corrected with {drawn} by prediction-powered inference (PPI++, Angelopoulos et al. 2023)"
        );
        if let Some(runs) = facts.runs {
            let _ = write!(text, ", with the {runs} runs as clusters");
        }
        if facts.names_judged_mean {
            let _ = match self.lambda > 0.0 {
                _ if labels == items => {
                    write!(text, "; the uncorrected mean of the judge is {:.2}", self.judged)
                }
                true => write!(
                    text,
                    "; the labels count as {:.0} labels without a judge, and the uncorrected mean of the judge is {:.2}",
                    self.worth, self.judged
                ),
                false => write!(
                    text,
                    "; the judge added nothing, so this is the mean of the labels, and the uncorrected mean of the judge is {:.2}",
                    self.judged
                ),
            };
        }
        text + "."
    }

    /// Returns `2.94 ±0.13`.
    pub fn short_text(&self) -> String {
        format!("{:.2} ±{:.2}", self.value, self.half_width())
    }

    /// Returns half the width of the interval, of the side that extends more.
    pub fn half_width(&self) -> f64 {
        (self.value - self.interval.low).max(self.interval.high - self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Interval;
    use trajview_run::rubric::Judge;

    fn mean() -> CorrectedMean {
        CorrectedMean {
            judged: 3.13,
            value: 2.94,
            standard_error: 0.06,
            interval: Interval { low: 2.81, high: 3.07 },
            lambda: 0.8,
            labels: 42,
            items: 120,
            worth: 118.2,
        }
    }

    fn facts() -> SentenceFacts {
        SentenceFacts {
            mean: "mean component fidelity (MCF, 0 to 4)".into(),
            place: "codex-p12 after turn 56".into(),
            items: "components",
            judge: "the judge quick-reader".into(),
            raters: 1,
            seed: 1,
            names_judged_mean: true,
            ..SentenceFacts::default()
        }
    }

    #[test]
    fn a_sentence_has_the_judge_the_labels_and_what_they_are_worth() {
        let text = mean().paper_sentence(&facts());

        assert_eq!(
            text,
            "The mean component fidelity (MCF, 0 to 4) of codex-p12 after turn 56 is 2.94 (95 % confidence interval \
             2.81 to 3.07): scores of 120 components by the judge quick-reader were corrected with 42 blind labels by \
             one rater, drawn at random (seed 1) by prediction-powered inference (PPI++, Angelopoulos et al. 2023); the \
             labels count as 118 labels without a judge, and the uncorrected mean of the judge is 3.13."
        );
        assert_eq!(mean().short_text(), "2.94 ±0.13");
    }

    #[test]
    fn a_sentence_for_a_rater_who_has_items_to_label_has_nothing_of_the_judge() {
        let text = mean().paper_sentence(&SentenceFacts { names_judged_mean: false, ..facts() });

        assert!(!text.contains("3.13") && !text.contains("118"), "{text}");
    }

    #[test]
    fn a_judge_without_weight_is_named_as_such() {
        let text = CorrectedMean { lambda: 0.0, ..mean() }.paper_sentence(&facts());

        assert!(text.contains("the judge added nothing"), "{text}");
    }

    #[test]
    fn a_judge_is_named_with_its_model_where_that_is_another_word() {
        let text = |name: &str, model: &str| {
            let judge = Judge { name: name.into(), model: Some(model.into()), ..Judge::default() };
            judge_text(&Judgement { judge, ..Judgement::default() })
        };

        assert_eq!(text("quick", "gpt-5-mini"), "the judge quick (gpt-5-mini)");
        assert_eq!(text("gpt-5-mini", "gpt-5-mini"), "the judge gpt-5-mini");
    }
}
