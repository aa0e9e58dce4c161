//! Faithfulness of code to the checklist it was asked for, after the SLUMP paper (arXiv 2603.17104): component scores
//! ([`Faithfulness`]), their combination with dependency integration ([`if50`]), what a condition loses
//! ([`slump`]) and what a treatment brings back ([`gap_recovery`]).
//!
//! A value that cannot be had is None and never 0: no verdict is not the verdict "absent".

use serde::Serialize;

use super::blockers::CappedMean;
use trajview_run::{
    coverage::Coverage,
    format_number::count_with_noun,
    rubric::{Checklist, FULL_SCORE, Judgement, LEVELS, SEVERE, Verdict, VerdictDoubt},
};

/// The scores of a judgement, summed up over the checklist.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Faithfulness {
    /// Components of the checklist; without a checklist those the judgement was asked about or names.
    pub components: usize,
    /// The number of components that have a score; MCF and the shares are taken over these.
    pub judged: usize,
    /// Components with each score, from 0; of pooled scores the levels nearest to them.
    pub by_score: [usize; LEVELS.len()],
    /// Ids of components without a verdict, in the order of the checklist.
    pub without_verdict: Vec<String>,
    /// Ids of components whose verdict has no score, with the reason, in the order of the judgement.
    pub without_score: Vec<UnscoredComponent>,
    /// Ids that verdicts name and the checklist lacks, in the order of the judgement; their scores do not count.
    pub without_component: Vec<String>,
    /// Ids of components whose verdict says why it gives no score, and that is no failure, in the order of the judgement.
    pub without_need: Vec<UnscoredComponent>,
    /// Ids of components whose level the judge gave without one look at the code; their levels do not count.
    pub unlooked: Vec<String>,
    /// Ids of components with a level above 0 that none of its quotes supports; their levels count.
    pub unsupported: Vec<String>,
    /// The mean score with blockers taken into account; None where the checklist has no blockers.
    pub capped: Option<CappedMean>,
    #[serde(skip)]
    sums: ScoreSums,
}

/// Sums from which the numbers are computed; pooled scores lie between levels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ScoreSums {
    scores: f64,
    severe: usize,
    full: usize,
}

/// A verdict that gives no score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnscoredComponent {
    pub component: String,
    /// The reason, in the words of the judge or of this program.
    pub why: String,
}

impl Faithfulness {
    /// Returns the numbers of a judgement. `checklist` is None where nothing says what the task consists of: then every
    /// verdict counts.
    pub fn from_judgement(judgement: &Judgement, checklist: Option<&Checklist>) -> Self {
        let components = Coverage::for_judgement(judgement, checklist).total;
        let capped = CappedMean::from_judgement(judgement, checklist);
        let mut all = Self { components, capped, ..Self::default() };
        if let Some(checklist) = checklist {
            let open =
                checklist.components.iter().filter(|it| judgement.verdict_on(&it.id).is_none());
            all.without_verdict = open.map(|component| component.id.clone()).collect();
        }
        for verdict in &judgement.verdicts {
            let is_known = checklist
                .is_none_or(|it| it.components.iter().any(|one| one.id == verdict.component));
            all.add_verdict(verdict, is_known);
        }
        all
    }

    /// Counts a verdict; one on a component that the checklist lacks is only listed.
    fn add_verdict(&mut self, verdict: &Verdict, is_known: bool) {
        if !is_known {
            self.without_component.push(verdict.component.clone());
            return;
        }
        if verdict.is_left_out {
            self.unlooked.push(verdict.component.clone());
            return;
        }
        if verdict.doubt() == Some(VerdictDoubt::Unsupported) {
            self.unsupported.push(verdict.component.clone());
        }
        let counter = verdict.score.and_then(|score| self.by_score.get_mut(usize::from(score)));
        match (counter.zip(verdict.score_value()), &verdict.reason) {
            (Some((counter, value)), _) => {
                *counter += 1;
                self.judged += 1;
                self.sums.scores += value;
                self.sums.severe += usize::from(value <= f64::from(SEVERE));
                self.sums.full += usize::from(value >= f64::from(FULL_SCORE));
            }
            (None, Some(reason)) => self.without_need.push(UnscoredComponent {
                component: verdict.component.clone(),
                why: reason.clone(),
            }),
            (None, None) => self.without_score.push(UnscoredComponent {
                component: verdict.component.clone(),
                why: verdict.error.clone().unwrap_or_else(|| "the judge gave no score".into()),
            }),
        }
    }

    /// Returns the mean component fidelity: the mean score of the judged components, 0 to 4, higher is better; None
    /// without any.
    pub fn mcf(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.sums.scores / self.judged as f64)
    }

    /// Returns a sentence for each reason to doubt some of the levels, with the components; none where there is no doubt.
    pub fn doubt_notes(&self) -> Vec<String> {
        let note = |ids: &[String], what: &str| {
            (!ids.is_empty()).then(|| {
                format!("{} {what}: {}", count_with_noun(ids.len(), "level"), ids.join(", "))
            })
        };
        let unlooked = note(&self.unlooked, "unlooked (the judge opened nothing), not counted");
        let unsupported =
            note(&self.unsupported, "unsupported (no quote of it is in the code), counted");
        unlooked.into_iter().chain(unsupported).collect()
    }

    /// Returns the number of judged components with a score of at most [`SEVERE`].
    pub const fn severe_count(&self) -> usize {
        self.sums.severe
    }

    /// Returns the number of judged components with the highest score.
    pub const fn full_count(&self) -> usize {
        self.sums.full
    }

    /// Returns a count as a share of the judged components, 0 to 1; None without any.
    pub fn share_of_judged(&self, count: usize) -> Option<f64> {
        (self.judged > 0).then(|| count as f64 / self.judged as f64)
    }
}

/// Returns IF50 = 0.5 * MCF / 4 + 0.5 * DIR, 0 to 1, higher is better.
pub fn if50(mcf: f64, dir: f64) -> f64 {
    0.5 * mcf / f64::from(FULL_SCORE) + 0.5 * dir
}

/// Returns the loss of score in the emergent condition: single-shot minus emergent; positive is a loss.
pub fn slump(single_shot: f64, emergent: f64) -> f64 {
    single_shot - emergent
}

/// Returns the share of the gap that a treatment of the emergent condition closes: 1 closes it, less than 0 widens it.
/// None where there is no gap to close, that is where the single-shot score is not the higher one.
pub fn gap_recovery(treated: f64, emergent: f64, single_shot: f64) -> Option<f64> {
    let gap = slump(single_shot, emergent);
    (gap > 0.0).then(|| (treated - emergent) / gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Component;

    fn checklist_of(ids: &[&str]) -> Checklist {
        let component = |id: &&str| Component { id: (*id).into(), ..Component::default() };
        Checklist { task: None, judge: None, components: ids.iter().map(component).collect() }
    }

    fn judgement_of(scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(component, score): &(&str, Option<u8>)| Verdict {
            component: (*component).into(),
            score: *score,
            ..Verdict::default()
        };
        Judgement { verdicts: scores.iter().map(verdict).collect(), ..Judgement::default() }
    }

    #[test]
    fn the_four_published_scores_come_out_to_the_last_place() {
        let thousandths = [(2718, 149, 414), (3031, 303, 530), (3242, 148, 479), (3245, 289, 550)];
        for (mcf, dir, expected) in thousandths {
            let if50 = if50(f64::from(mcf) / 1000.0, f64::from(dir) / 1000.0);
            assert_eq!((if50 * 1000.0).round(), f64::from(expected), "{mcf} {dir}");
        }
    }

    #[test]
    fn every_component_is_counted_once_and_what_has_no_score_is_named() {
        let mut judged = judgement_of(&[
            ("C1", Some(4)),
            ("C2", Some(1)),
            ("C3", None),
            ("C9", Some(0)),
            ("C4", Some(2)),
        ]);
        judged.verdicts[2].error = Some("timed out".into());

        let all = Faithfulness::from_judgement(
            &judged,
            Some(&checklist_of(&["C1", "C2", "C3", "C4", "C5"])),
        );

        let timed_out = UnscoredComponent { component: "C3".into(), why: "timed out".into() };
        let expected = Faithfulness {
            components: 5,
            judged: 3,
            by_score: [0, 1, 1, 0, 1],
            without_verdict: vec!["C5".into()],
            without_score: vec![timed_out],
            without_component: vec!["C9".into()],
            sums: ScoreSums { scores: 7.0, severe: 1, full: 1 },
            ..Faithfulness::default()
        };
        assert_eq!(all, expected);
        assert_eq!((all.mcf(), all.severe_count(), all.full_count()), (Some(7.0 / 3.0), 1, 1));
        assert_eq!(all.share_of_judged(all.severe_count()), Some(1.0 / 3.0));
    }

    #[test]
    fn without_a_checklist_every_verdict_counts() {
        let all =
            Faithfulness::from_judgement(&judgement_of(&[("a", Some(3)), ("b", Some(4))]), None);

        assert_eq!((all.components, all.judged, all.mcf()), (2, 2, Some(3.5)));
    }

    #[test]
    fn nothing_judged_is_no_score_rather_than_zero() {
        let all = Faithfulness::from_judgement(
            &judgement_of(&[("C1", None)]),
            Some(&checklist_of(&["C1", "C2"])),
        );

        assert_eq!((all.judged, all.mcf(), all.share_of_judged(0)), (0, None, None));
        assert_eq!(all.without_score[0].why, "the judge gave no score");
    }

    #[test]
    fn a_gap_is_recovered_only_where_there_is_one() {
        assert_eq!(gap_recovery(0.5, 0.25, 0.75), Some(0.5));
        assert_eq!(gap_recovery(0.125, 0.25, 0.75), Some(-0.25));
        assert_eq!(gap_recovery(0.5, 0.5, 0.5), None);
        assert_eq!(gap_recovery(0.5, 0.75, 0.5), None);
        assert_eq!(slump(0.75, 0.5), 0.25);
    }
}
