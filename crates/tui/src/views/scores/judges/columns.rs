//! Which judgement stands in which column: those of one judge side by side, in them those of one prompt, of one turn,
//! and then the repeats.

use crate::{session::Session, views::scores::judges::Judges};
use trajview_run::rubric::Judgement;
use trajview_study::stability::{Setup, State};

use super::{Side, pair};

/// Digits of a prompt's hash that are shown.
const DIGITS: usize = 8;

/// One judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub file: String,
    pub setup: Setup,
    pub state: State,
    /// After which it judged; counts from 1.
    pub turn: Option<usize>,
    /// The beginning of the prompt's hash; empty where it is not recorded.
    pub prompt: String,
    /// Which of how many repeats; None where it is the only one.
    pub repeat: Option<(usize, usize)>,
}

impl Column {
    /// `alike` are the numbers of those that are repeats of this one, itself among them.
    fn of(judgement: &Judgement, number: usize, alike: &[usize]) -> Self {
        let (setup, state) = (Setup::of(judgement), State::of(judgement));
        let at = alike.iter().position(|other| *other == number).unwrap_or(0);
        let told = judgement.repeat.filter(|repeat| repeat.of > 1);
        let counted = (alike.len() > 1).then_some((at + 1, alike.len()));
        let prompt = setup.prompt_sha256.as_deref().unwrap_or_default();
        Self {
            file: judgement.file.clone(),
            turn: judgement.turn,
            prompt: prompt.chars().take(DIGITS).collect(),
            repeat: told.map(|repeat| (repeat.number, repeat.of)).or(counted),
            setup,
            state,
        }
    }

    /// `reader, prompt 3fa9c1b2, after turn 56, repeat 1 of 3`
    pub fn words(&self) -> String {
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

    /// Whether both are of one judge, so that they stand below one name.
    pub fn has_judge_of(&self, other: &Self) -> bool {
        (&self.setup.name, &self.setup.kind, &self.setup.model)
            == (&other.setup.name, &other.setup.kind, &other.setup.model)
    }
}

impl Judges {
    /// From left to right.
    pub fn judge_columns(&self, session: &Session) -> Vec<Column> {
        let judgements = session.rubric.known().map_or(&[][..], |rubric| &rubric.judgements);
        let who: Vec<(Setup, State)> =
            judgements.iter().map(|it| (Setup::of(it), State::of(it))).collect();
        let alike = |at: usize| -> Vec<usize> {
            (0..who.len()).filter(|other| who.get(*other) == who.get(at)).collect()
        };
        let numbered = judgements.iter().enumerate();
        let columns: Vec<Column> =
            numbered.map(|(at, judgement)| Column::of(judgement, at, &alike(at))).collect();
        let mut ordered = columns.clone();
        ordered.sort_by_cached_key(|column| {
            let judge = columns.iter().position(|other| other.has_judge_of(column));
            let setup = columns.iter().position(|other| other.setup == column.setup);
            (judge, setup, column.turn.unwrap_or(usize::MAX), column.repeat)
        });
        ordered
    }

    /// One of the two that are held against each other: the chosen one, else one of the pair that comes first.
    pub fn side_column(&self, session: &Session, side: Side) -> Option<Column> {
        let columns = self.judge_columns(session);
        let chosen = &self.chosen;
        let named = |file: &Option<String>| {
            columns.iter().find(|column| Some(&column.file) == file.as_ref()).cloned()
        };
        if let ([Some(a), Some(b)], true) = (chosen.each_ref().map(named), chosen[0] != chosen[1]) {
            return Some(if side == Side::First { a } else { b });
        }
        let [a, b] = pair::pairs(&columns).into_iter().next()?;
        Some(if side == Side::First { a } else { b })
    }

    /// Every two that are worth holding against each other, in the order in which they are offered.
    pub(super) fn pairs_of_columns(&self, session: &Session) -> Vec<[Column; 2]> {
        pair::pairs(&self.judge_columns(session))
    }

    pub fn judgement_of<'s>(&self, session: &'s Session, column: &Column) -> Option<&'s Judgement> {
        let rubric = session.rubric.known()?;
        rubric.judgements.iter().find(|it| it.file == column.file)
    }
}
