//! The parts of pillars that no recording contains and that a judge can rate, and the judges' opinions on them.

use trajview_run::{
    rubric::{Judgement, PROCESS_LEVELS},
    worded_enum::worded,
};

worded! {
    id;
    /// A part that needs a judge (RigorBench, section 4.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum JudgedPart {
        /// The quality of the plan, a part of planning fidelity.
        Plan = "DQ",
        /// The coherence of commits, a part of atomic transitions.
        Commits = "CH",
        /// Requirements with a test, a part of verification coverage.
        Requirements = "RT",
    }
}

impl JudgedPart {
    /// Returns the title of the question.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Plan => "how fine the plan is",
            Self::Commits => "whether commits are units",
            Self::Requirements => "whether what was required has a test",
        }
    }
}

/// The opinion of a judge on a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeOpinion {
    pub part: JudgedPart,
    /// 0 to the highest level of [`PROCESS_LEVELS`].
    pub level: u8,
    pub judge: String,
    /// The judged state, as the number of turns done; None where the judgement has none.
    pub turn: Option<usize>,
}

impl JudgeOpinion {
    /// Returns the level as a share, 0 to 1.
    pub(crate) fn level_share(&self) -> f64 {
        f64::from(self.level) / f64::from(PROCESS_LEVELS.highest_score())
    }

    /// Returns text such as `judged 2 of 3 (fair) by quick-reader after turn 12`.
    pub(crate) fn opinion_text(&self) -> String {
        let name = PROCESS_LEVELS.name(self.level).unwrap_or_default();
        let at = self.turn.map_or_else(String::new, |turn| format!(" after turn {turn}"));
        let judge = if self.judge.is_empty() { "a judge" } else { &self.judge };
        format!(
            "judged {} of {} ({name}) by {judge}{at}",
            self.level,
            PROCESS_LEVELS.highest_score()
        )
    }
}

/// Returns the opinion that counts for each part: the last one on the latest judged state. `judgements` are those of
/// the rubric [`PROCESS_LEVELS`], the oldest first.
pub fn latest_opinions(judgements: &[Judgement]) -> Vec<JudgeOpinion> {
    let latest_opinion = |part: JudgedPart| {
        let opinion_in = |judgement: &Judgement| {
            let level = judgement.verdict_on(part.id())?.score?;
            let judge = judgement.judge.name.clone();
            Some(JudgeOpinion { part, level, judge, turn: judgement.turn })
        };
        // Among equals the last one counts.
        judgements.iter().filter_map(opinion_in).max_by_key(|opinion| opinion.turn)
    };
    JudgedPart::ALL.into_iter().filter_map(latest_opinion).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{Judge, Verdict};

    fn process_judgement(judge: &str, turn: usize, scores: &[(&str, Option<u8>)]) -> Judgement {
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
            process_judgement("a", 9, &[("DQ", Some(3)), ("CH", Some(1))]),
            process_judgement("b", 4, &[("DQ", Some(0)), ("RT", None)]),
            process_judgement("c", 9, &[("DQ", Some(2)), ("CH", None), ("other", Some(1))]),
        ];

        let latest = latest_opinions(&judgements);

        let opinions: Vec<String> =
            latest.iter().map(|it| format!("{} {}", it.part.id(), it.opinion_text())).collect();
        assert_eq!(
            opinions,
            [
                "DQ judged 2 of 3 (fair) by c after turn 9",
                "CH judged 1 of 3 (poor) by a after turn 9"
            ]
        );
        assert_eq!(latest[0].level_share(), 2.0 / 3.0);
    }
}
