//! The MCF of a judgement that blind labels correct, and which of both the views show.
//!
//! The line and the sentence with the corrected mean leave out the judge's mean for whoever sits here and has items of this
//! judgement to label, as in `trajview audit`. The views of scores still show judged numbers, with other keys and by
//! themselves.

use trajview_run::rubric::{Judgement, Rubric};
use trajview_study::{
    corrected::{
        estimator::{CorrectedMean, CorrectionRefusal, corrected_mean},
        judgement_queue::{JudgementQueue, options_of_run},
        measure::Measure,
    },
    queue::QueuePlan,
};

/// Which means the scores, the comparison and the table of runs show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShownMeans {
    #[default]
    Judged,
    Corrected,
}

impl ShownMeans {
    pub(crate) const fn other_means(self) -> Self {
        match self {
            Self::Judged => Self::Corrected,
            Self::Corrected => Self::Judged,
        }
    }
}

/// The corrected MCF of a judgement, as far as this rater may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedMcf {
    pub(crate) mean: Result<CorrectedMean, CorrectionRefusal>,
    /// The sentence for a paper; None without a mean.
    pub(crate) sentence: Option<String>,
    /// The number of items that this rater has yet to label; 0 for somebody who does not label this judgement.
    open: usize,
}

impl CorrectedMcf {
    /// Corrects the mean of a judgement by the blind labels of all raters; `run` is its id and the judged state in turns
    /// done, and `open` the number of items that whoever sits here has yet to label.
    pub(crate) fn for_judgement(
        rubric: &Rubric,
        judgement: &Judgement,
        run: (&str, usize),
        open: usize,
    ) -> Self {
        let queue = JudgementQueue::for_all_raters(rubric, judgement, QueuePlan::default());
        let drawn = queue.drawn_labels();
        let mean = drawn.as_ref().map_err(Clone::clone).and_then(|drawn| {
            corrected_mean(&drawn.measured_by(Measure::Level), options_of_run(Measure::Level))
        });
        let both = drawn.as_ref().ok().zip(mean.as_ref().ok());
        let sentence = both
            .map(|(drawn, mean)| queue.paper_sentence((drawn, mean), judgement, run, open == 0));
        Self { mean, sentence, open }
    }

    /// Returns `judged 3.13 · corrected 2.94 [2.81, 3.07] · 42 labels · worth 118`, without the judge for a rater who has
    /// items to label; else the reason why there is no mean.
    pub(crate) fn summary_text(&self) -> String {
        match (&self.mean, self.open) {
            (Ok(mean), 0) => mean.summary_text(),
            (Ok(mean), open) => {
                format!("{} · judged: hidden, {open} to label", mean.text_without_judge())
            }
            (Err(why), _) => format!("not corrected: {why}"),
        }
    }
}

/// Returns the number of scored components without an answer by a rater who labels this judgement; 0 for anybody else.
/// `audits` says whether the rater has looked at the audit since the program started.
pub(super) fn open_count(
    rubric: &Rubric,
    judgement: &Judgement,
    (rater, audits): (Option<&str>, bool),
) -> usize {
    let Some(rater) = rater else { return 0 };
    let labels = rubric.labels.iter().find(|it| it.annotator == rater);
    let scored = judgement.verdicts.iter().filter(|it| it.score.is_some());
    let all = scored.clone().count();
    let is_labelled = |id: &str| {
        labels.and_then(|it| it.label_for(judgement, id)).is_some_and(|it| it.is_answered())
    };
    let open = scored.filter(|it| !is_labelled(&it.component)).count();
    if audits || open < all { open } else { 0 }
}
