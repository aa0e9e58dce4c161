//! The parts of pillars that no recording gives and that a judge can be asked for, and what one said of them.

use trajview_run::{
    rubric::{Judgement, PROCESS},
    values::worded,
};

worded! {
    id;
    /// A part that asks for a judge (RigorBench, section 4.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum JudgedPart {
        /// How fine the plan is, of planning fidelity.
        Plan = "DQ",
        /// Whether commits are units, of atomic transitions.
        Commits = "CH",
        /// Requirements with a test, of verification coverage.
        Requirements = "RT",
    }
}

impl JudgedPart {
    /// What is judged of it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Plan => "how fine the plan is",
            Self::Commits => "whether commits are units",
            Self::Requirements => "whether what was required has a test",
        }
    }
}

/// What a judge said of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    pub part: JudgedPart,
    /// 0 to the highest level of [`PROCESS`].
    pub level: u8,
    pub judge: String,
    /// In turns done; None where the judgement does not say.
    pub turn: Option<usize>,
}

impl Opinion {
    /// 0 to 1.
    pub fn value(&self) -> f64 {
        f64::from(self.level) / f64::from(PROCESS.full())
    }

    /// `2 of 3 (fair) by quick-reader after turn 12`
    pub fn words(&self) -> String {
        let name = PROCESS.name(self.level).unwrap_or_default();
        let at = self.turn.map_or_else(String::new, |turn| format!(" after turn {turn}"));
        let judge = if self.judge.is_empty() { "a judge" } else { &self.judge };
        format!("judged {} of {} ({name}) by {judge}{at}", self.level, PROCESS.full())
    }
}

/// What counts of judgements of the rubric [`PROCESS`], which stand in the order of their making: of each part what was said
/// last of the latest state that was judged.
pub fn opinions(judgements: &[Judgement]) -> Vec<Opinion> {
    let said = |part: JudgedPart| {
        let of = |judgement: &Judgement| {
            let level = judgement.of(part.id())?.score?;
            let judge = judgement.judge.name.clone();
            Some(Opinion { part, level, judge, turn: judgement.turn })
        };
        // Of equals the last one.
        judgements.iter().filter_map(of).max_by_key(|opinion| opinion.turn)
    };
    JudgedPart::ALL.into_iter().filter_map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{Judge, Verdict};

    fn judgement(judge: &str, turn: usize, scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(part, score): &(&str, Option<u8>)| Verdict {
            component: (*part).into(),
            score: *score,
            ..Verdict::default()
        };
        Judgement {
            judge: Judge { name: judge.into(), ..Judge::default() },
            turn: Some(turn),
            verdicts: scores.iter().map(verdict).collect(),
            ..Judgement::default()
        }
    }

    #[test]
    fn the_latest_state_counts_and_of_one_state_what_was_said_last() {
        let judgements = [
            judgement("a", 9, &[("DQ", Some(3)), ("CH", Some(1))]),
            judgement("b", 4, &[("DQ", Some(0)), ("RT", None)]),
            judgement("c", 9, &[("DQ", Some(2)), ("CH", None), ("other", Some(1))]),
        ];

        let found = opinions(&judgements);

        let told: Vec<String> =
            found.iter().map(|it| format!("{} {}", it.part.id(), it.words())).collect();
        assert_eq!(
            told,
            [
                "DQ judged 2 of 3 (fair) by c after turn 9",
                "CH judged 1 of 3 (poor) by a after turn 9"
            ]
        );
        assert_eq!(found[0].value(), 2.0 / 3.0);
    }
}
