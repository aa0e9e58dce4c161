//! `--reword` and `--confidence`: the question in other words, and with one field more.

use trajview_judge::{job::QuestionVariant, prompt::REWORDINGS};
use trajview_run::{judging::JudgingScale, rubric::JudgeTest};

use super::{super::CommandFailure, JudgeArgs};

/// How the question differs from the usual one.
#[derive(Debug, clap::Args)]
pub struct VariantArgs {
    /// Ask each repeat in other words that mean the same (1 to 4 repeats), to see how far the level depends on the words.
    /// No number of the run includes these judgements; `agree --repeats` compares them with plain repeats
    #[arg(long, conflicts_with_all = ["prompt", "max_cost", "shard"])]
    reword: bool,
    /// Also request a confidence from 0 to 1, after the level. It makes another prompt, and so another judge; `agree
    /// --reliability` and `--abstain` use it
    #[arg(long)]
    confidence: bool,
}

impl VariantArgs {
    /// Returns the question in its own words.
    pub(crate) fn first_variant(&self) -> QuestionVariant {
        QuestionVariant { asks_confidence: self.confidence, ..QuestionVariant::default() }
    }

    /// Returns the variants of the question, one after the other, and how often each is asked.
    pub(crate) fn variants_and_repeats(&self, repeats: u16) -> (Vec<QuestionVariant>, usize) {
        let plain = self.first_variant();
        let repeats = usize::from(repeats);
        if !self.reword {
            return (vec![plain], repeats);
        }
        let reworded = |number| QuestionVariant {
            rewording: Some(number),
            test: Some(JudgeTest::Rewording),
            ..plain
        };
        ((1..=repeats).map(reworded).collect(), 1)
    }
}

/// Fails where the variants do not go with the other arguments.
pub(crate) fn check_variants(args: &JudgeArgs) -> Result<(), CommandFailure> {
    let VariantArgs { reword, confidence } = args.variants;
    let why = match () {
        () if confidence && args.rubric == JudgingScale::Flags => {
            "--confidence works only with levels and scores; each flag has a confidence already"
        }
        () if reword && args.rubric != JudgingScale::Levels => {
            "--reword works only with components; remove --rubric"
        }
        () if reword && args.judge.len() > 1 => "--reword works with one --judge",
        () if reword && usize::from(args.repeat) > REWORDINGS => {
            return Err(CommandFailure::wrong_arguments(format!(
                "--reword: there are {REWORDINGS} rewordings; use --repeat 1 to --repeat {REWORDINGS}"
            )));
        }
        () => return Ok(()),
    };
    Err(CommandFailure::wrong_arguments(why))
}
