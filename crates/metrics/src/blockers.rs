//! Blockers: components of a checklist without which a faithful rest is worth less, such as a program that does not start.
//!
//! A blocker fails where its score is at most a threshold. Then the mean score (or the scores of the components that
//! it names) is limited to the blocker's cap: the excess above the cap, times the blocker's weight, is subtracted.
//! Without a failing blocker the capped mean is the mean. A blocker without a score does not fail. The formula is
//! ours; MCF itself does not change.

use serde::Serialize;

use trajview_run::rubric::{Blocker, Checklist, Component, Judgement};

/// The mean score with blockers taken into account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CappedMean {
    /// 0 to 4, higher is better; at most MCF.
    pub mcf: f64,
    /// The blockers that fail, in the order of the checklist.
    pub by: Vec<FailedBlocker>,
}

/// A blocker that fails.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedBlocker {
    pub component: String,
    pub score: f64,
    /// The limit for the scores, 0 to 4.
    pub cap: f64,
    /// 0 to 1.
    pub weight: f64,
    /// Ids of the components that are capped; empty where the blocker caps the mean.
    pub of: Vec<String>,
}

impl CappedMean {
    /// Returns the mean score with the caps of the blockers that fail; None where the checklist has no blocker, or no
    /// component has a score.
    pub fn from_judgement(judgement: &Judgement, checklist: Option<&Checklist>) -> Option<Self> {
        let components = &checklist?.components;
        let blockers = || components.iter().filter_map(|it| Some((it, it.blocker.as_ref()?)));
        blockers().next()?;
        let score = |it: &Component| judgement.verdict_on(&it.id)?.counted_value();
        let failing: Vec<(&Component, f64, &Blocker)> = blockers()
            .filter_map(|(it, blocker)| Some((it, score(it)?, blocker)))
            .filter(|(_, score, blocker)| *score <= blocker.at_most)
            .collect();
        let capped = |id: &str, score: f64| {
            let about =
                failing.iter().filter(|(.., it)| it.capped_components.iter().any(|of| of == id));
            about.map(|(.., it)| capped_by(it, score)).fold(score, f64::min)
        };
        let scores: Vec<f64> =
            components.iter().filter_map(|it| Some(capped(&it.id, score(it)?))).collect();
        if scores.is_empty() {
            return None;
        }
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let whole = failing.iter().filter(|(.., it)| it.capped_components.is_empty());
        let mcf = whole.map(|(.., it)| capped_by(it, mean)).fold(mean, f64::min);
        let by = failing.iter().map(|(component, score, it)| FailedBlocker {
            component: component.id.clone(),
            score: *score,
            cap: it.caps,
            weight: it.weight,
            of: it.capped_components.clone(),
        });
        Some(Self { mcf, by: by.collect() })
    }

    /// Returns a line such as `no blocker fails`, or one part for each blocker that fails.
    pub fn summary_text(&self) -> String {
        if self.by.is_empty() {
            return "no blocker fails".into();
        }
        let one = |it: &FailedBlocker| {
            let whose = if it.of.is_empty() { "the mean".to_owned() } else { it.of.join(", ") };
            let weight =
                if it.weight < 1.0 { format!(", weight {}", it.weight) } else { String::new() };
            format!("{} fails with {}: {whose} at most {}{weight}", it.component, it.score, it.cap)
        };
        self.by.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

/// Returns the capped score for a blocker that fails.
fn capped_by(blocker: &Blocker, score: f64) -> f64 {
    score - blocker.weight * (score - blocker.caps).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Verdict;

    fn capped_mean(blockers: &[(&str, Blocker)], scores: &[(&str, u8)]) -> Option<CappedMean> {
        let component = |(id, _): &(&str, u8)| Component {
            id: (*id).into(),
            blocker: blockers.iter().find(|(of, _)| of == id).map(|(_, it)| it.clone()),
            ..Component::default()
        };
        let checklist = Checklist {
            components: scores.iter().map(component).collect(),
            ..Checklist::default()
        };
        let verdict = |(id, score): &(&str, u8)| Verdict {
            component: (*id).into(),
            score: Some(*score),
            ..Verdict::default()
        };
        let verdicts = scores.iter().map(verdict).collect();
        CappedMean::from_judgement(
            &Judgement { verdicts, ..Judgement::default() },
            Some(&checklist),
        )
    }

    fn blocker_with_cap(caps: f64) -> Blocker {
        Blocker { at_most: 1.0, caps, capped_components: vec![], weight: 1.0 }
    }

    #[test]
    fn a_blocker_that_fails_caps_the_mean_and_one_that_holds_does_not() {
        let fails =
            capped_mean(&[("A", blocker_with_cap(1.5))], &[("A", 1), ("B", 4), ("C", 4)]).unwrap();
        assert_eq!((fails.mcf, fails.by.len()), (1.5, 1));
        assert_eq!(fails.summary_text(), "A fails with 1: the mean at most 1.5");

        let holds =
            capped_mean(&[("A", blocker_with_cap(1.5))], &[("A", 2), ("B", 4), ("C", 3)]).unwrap();
        assert_eq!((holds.mcf, holds.by.len()), (3.0, 0));
        assert_eq!(capped_mean(&[], &[("A", 0)]), None);
    }

    #[test]
    fn a_weight_takes_a_part_and_named_components_are_capped_alone() {
        let half = Blocker { weight: 0.5, ..blocker_with_cap(1.0) };
        assert_eq!(capped_mean(&[("A", half)], &[("A", 1), ("B", 4), ("C", 4)]).unwrap().mcf, 2.0);

        let one = Blocker { capped_components: vec!["C".into()], ..blocker_with_cap(1.0) };
        assert_eq!(capped_mean(&[("A", one)], &[("A", 1), ("B", 4), ("C", 4)]).unwrap().mcf, 2.0);
    }
}
