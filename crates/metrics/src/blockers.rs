//! Blockers: components of a checklist without which a faithful rest is worth less, such as a program that does not start.
//!
//! A blocker fails where its score is at most a threshold. Then the mean score (or the scores of the components that it
//! names) counts at most its cap, with its weight: of what lies above the cap so much is taken. Without a failing blocker the
//! capped mean is the mean. A blocker without a score fails nothing. Formula of ours; MCF itself stays as it is.

use serde::Serialize;

use trajview_run::rubric::{Blocker, Checklist, Component, Judgement};

/// The mean score with blockers taken into account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capped {
    /// 0 to 4, higher is better; at most MCF.
    pub mcf: f64,
    /// Those that fail, in the order of the checklist.
    pub by: Vec<Blocked>,
}

/// A blocker that fails.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blocked {
    pub component: String,
    pub score: f64,
    /// What scores count at most.
    pub cap: f64,
    /// 0 to 1.
    pub weight: f64,
    /// Ids of the components that are capped; empty where the mean is.
    pub of: Vec<String>,
}

impl Capped {
    /// None where the checklist has no blocker, or no component has a score.
    pub fn of(judgement: &Judgement, checklist: Option<&Checklist>) -> Option<Self> {
        let components = &checklist?.components;
        let blockers = || components.iter().filter_map(|it| Some((it, it.blocker.as_ref()?)));
        blockers().next()?;
        let score = |it: &Component| judgement.of(&it.id)?.value();
        let failing: Vec<(&Component, f64, &Blocker)> = blockers()
            .filter_map(|(it, blocker)| Some((it, score(it)?, blocker)))
            .filter(|(_, score, blocker)| *score <= blocker.at_most)
            .collect();
        let capped = |id: &str, score: f64| {
            let about = failing.iter().filter(|(.., it)| it.of.iter().any(|of| of == id));
            about.map(|(.., it)| capped_by(it, score)).fold(score, f64::min)
        };
        let scores: Vec<f64> =
            components.iter().filter_map(|it| Some(capped(&it.id, score(it)?))).collect();
        if scores.is_empty() {
            return None;
        }
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let whole = failing.iter().filter(|(.., it)| it.of.is_empty());
        let mcf = whole.map(|(.., it)| capped_by(it, mean)).fold(mean, f64::min);
        let by = failing.iter().map(|(component, score, it)| Blocked {
            component: component.id.clone(),
            score: *score,
            cap: it.caps,
            weight: it.weight,
            of: it.of.clone(),
        });
        Some(Self { mcf, by: by.collect() })
    }

    /// `C10 fails`, `nothing fails`
    pub fn words(&self) -> String {
        if self.by.is_empty() {
            return "no blocker fails".into();
        }
        let one = |it: &Blocked| {
            let whose = if it.of.is_empty() { "the mean".to_owned() } else { it.of.join(", ") };
            let weight =
                if it.weight < 1.0 { format!(", weight {}", it.weight) } else { String::new() };
            format!("{} fails with {}: {whose} at most {}{weight}", it.component, it.score, it.cap)
        };
        self.by.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

/// What a score counts where the blocker fails.
fn capped_by(blocker: &Blocker, score: f64) -> f64 {
    score - blocker.weight * (score - blocker.caps).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Verdict;

    fn capped(blockers: &[(&str, Blocker)], scores: &[(&str, u8)]) -> Option<Capped> {
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
        Capped::of(&Judgement { verdicts, ..Judgement::default() }, Some(&checklist))
    }

    fn blocker(caps: f64) -> Blocker {
        Blocker { at_most: 1.0, caps, of: vec![], weight: 1.0 }
    }

    #[test]
    fn a_blocker_that_fails_caps_the_mean_and_one_that_holds_does_not() {
        let fails = capped(&[("A", blocker(1.5))], &[("A", 1), ("B", 4), ("C", 4)]).unwrap();
        assert_eq!((fails.mcf, fails.by.len()), (1.5, 1));
        assert_eq!(fails.words(), "A fails with 1: the mean at most 1.5");

        let holds = capped(&[("A", blocker(1.5))], &[("A", 2), ("B", 4), ("C", 3)]).unwrap();
        assert_eq!((holds.mcf, holds.by.len()), (3.0, 0));
        assert_eq!(capped(&[], &[("A", 0)]), None);
    }

    #[test]
    fn a_weight_takes_a_part_and_named_components_are_capped_alone() {
        let half = Blocker { weight: 0.5, ..blocker(1.0) };
        assert_eq!(capped(&[("A", half)], &[("A", 1), ("B", 4), ("C", 4)]).unwrap().mcf, 2.0);

        let one = Blocker { of: vec!["C".into()], ..blocker(1.0) };
        assert_eq!(capped(&[("A", one)], &[("A", 1), ("B", 4), ("C", 4)]).unwrap().mcf, 2.0);
    }
}
