//! Orders the judgements into columns: those of one judge side by side, and within them those of one prompt, of one
//! turn, and then the repeats.

use crate::{session::Session, views::scores::judges::JudgesView};
use trajview_run::rubric::Judgement;
use trajview_study::stability::{JudgedCodeState, RepeatSetup};

use super::{JudgeSide, judgement_pair};

/// Digits of a prompt's hash that are shown.
const SHOWN_PROMPT_DIGITS: usize = 8;

/// One judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementColumn {
    pub file: String,
    pub setup: RepeatSetup,
    pub state: JudgedCodeState,
    /// The turn after which it judged. Counts from 1.
    pub turn: Option<usize>,
    /// The beginning of the prompt's hash. Empty if it is not recorded.
    pub prompt: String,
    /// Number of the repeat and number of repeats. None if there is only one.
    pub repeat: Option<(usize, usize)>,
}

impl JudgementColumn {
    /// Builds a column. `alike` has the numbers of the repeats of this judgement, including itself.
    fn for_judgement(judgement: &Judgement, number: usize, alike: &[usize]) -> Self {
        let (setup, state) =
            (RepeatSetup::for_judgement(judgement), JudgedCodeState::for_judgement(judgement));
        let at = alike.iter().position(|other| *other == number).unwrap_or(0);
        let recorded_repeat = judgement.repeat.filter(|repeat| repeat.total > 1);
        let counted = (alike.len() > 1).then_some((at + 1, alike.len()));
        let prompt = setup.prompt_sha256.as_deref().unwrap_or_default();
        Self {
            file: judgement.file.clone(),
            turn: judgement.turn,
            prompt: prompt.chars().take(SHOWN_PROMPT_DIGITS).collect(),
            repeat: recorded_repeat.map(|repeat| (repeat.number, repeat.total)).or(counted),
            setup,
            state,
        }
    }

    /// Returns `reader, prompt 3fa9c1b2, after turn 56, repeat 1 of 3`.
    pub(crate) fn column_words(&self) -> String {
        let model = self.setup.model.as_ref().filter(|model| **model != self.setup.name);
        let parts = [
            model.map(|model| format!(" ({model})")),
            (!self.prompt.is_empty()).then(|| format!(", prompt {}", self.prompt)),
            self.turn.map(|turn| format!(", after turn {turn}")),
            self.repeat.map(|(number, of)| format!(", repeat {number} of {of}")),
        ];
        let facts: String = parts.into_iter().flatten().collect();
        format!("{}{facts}", self.setup.name)
    }

    /// Returns true if both have the same judge, so that they share one heading.
    pub(crate) fn has_same_judge(&self, other: &Self) -> bool {
        (&self.setup.name, &self.setup.kind, &self.setup.model)
            == (&other.setup.name, &other.setup.kind, &other.setup.model)
    }
}

impl JudgesView {
    /// Returns the columns from left to right.
    pub fn judge_columns(&self, session: &Session) -> Vec<JudgementColumn> {
        let judgements = session.rubric.known_rubric().map_or(&[][..], |rubric| &rubric.judgements);
        let who: Vec<(RepeatSetup, JudgedCodeState)> = judgements
            .iter()
            .map(|it| (RepeatSetup::for_judgement(it), JudgedCodeState::for_judgement(it)))
            .collect();
        let alike = |at: usize| -> Vec<usize> {
            (0..who.len()).filter(|other| who.get(*other) == who.get(at)).collect()
        };
        let numbered = judgements.iter().enumerate();
        let columns: Vec<JudgementColumn> = numbered
            .map(|(at, judgement)| JudgementColumn::for_judgement(judgement, at, &alike(at)))
            .collect();
        let mut ordered = columns.clone();
        ordered.sort_by_cached_key(|column| {
            let judge = columns.iter().position(|other| other.has_same_judge(column));
            let setup = columns.iter().position(|other| other.setup == column.setup);
            (judge, setup, column.turn.unwrap_or(usize::MAX), column.repeat)
        });
        ordered
    }

    /// Returns one of the two compared judgements: the chosen one, or else the one of the first pair.
    pub fn side_column(&self, session: &Session, side: JudgeSide) -> Option<JudgementColumn> {
        let columns = self.judge_columns(session);
        let chosen = &self.chosen_files;
        let column_of_file = |file: &Option<String>| {
            columns.iter().find(|column| Some(&column.file) == file.as_ref()).cloned()
        };
        if let ([Some(a), Some(b)], true) =
            (chosen.each_ref().map(column_of_file), chosen[0] != chosen[1])
        {
            return Some(if side == JudgeSide::First { a } else { b });
        }
        let [a, b] = judgement_pair::comparable_pairs(&columns).into_iter().next()?;
        Some(if side == JudgeSide::First { a } else { b })
    }

    /// Returns every two that are worth holding against each other, in the order in which they are offered.
    pub(super) fn pairs_of_columns(&self, session: &Session) -> Vec<[JudgementColumn; 2]> {
        judgement_pair::comparable_pairs(&self.judge_columns(session))
    }

    pub(crate) fn column_judgement<'s>(
        &self,
        session: &'s Session,
        column: &JudgementColumn,
    ) -> Option<&'s Judgement> {
        let rubric = session.rubric.known_rubric()?;
        rubric.judgements.iter().find(|it| it.file == column.file)
    }
}
