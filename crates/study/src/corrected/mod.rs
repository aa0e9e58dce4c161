//! Means of judged levels, corrected by blind labels of a part that was drawn with known probability.
//!
//! A judge scores every item, a person some of them. The judge's own mean has its bias, and its interval does not
//! contain it; the mean of the labels alone is unbiased and wide. Prediction-powered inference uses both: the judge's
//! mean over all items, plus the mean difference of label and judge where both are.
//!
//! - [`measure`] turns a level into the number whose mean is wanted: the level itself (MCF), or 0 and 1 (shares).
//! - [`drawn_labels`] decides whether labels were drawn with known probability, and which items they represent.
//! - [`estimator`] computes the mean, its interval and what the judge's scores are worth; [`difference`] the difference
//!   of two runs, or of two conditions over tasks.
//! - [`judgement_queue`] has the queue of a run with its labels, [`study_queue`] that of a study.
//! - [`plan`] says how many more labels an interval of some width needs, and of which strata.
//! - [`sentence`] writes a mean as a sentence for a paper.
//!
//! `tests/vectors/corrected.py` computes the same with `ppi-python` and `glide-py`.

pub mod difference;
pub mod drawn_labels;
pub mod estimator;
pub mod judgement_queue;
pub mod measure;
pub mod plan;
mod sentence;
mod strata;
pub(crate) mod student_quantile;
pub mod study_queue;
#[cfg(test)]
mod tests;
