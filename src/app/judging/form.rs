//! What somebody wants judged, as it is put together field by field.

use std::{collections::BTreeSet, sync::Arc};

use super::asking::{Judge, Wish};
use crate::{
    app::{replay::Replay, scroll::Scroll},
    run::{Run, rubric::SEVERE},
};

/// What a user may choose before a judge is asked.
#[derive(Debug)]
pub struct Form {
    /// Those of the settings.
    pub judges: Arc<[Judge]>,
    /// Where the settings are read from; None where there is no place for them.
    pub settings: Option<String>,
    /// By position.
    pub judge: usize,
    pub which: Which,
    pub state: State,
    /// None for the judge's own number.
    pub budget: Option<u32>,
    /// At least 1.
    pub repeats: usize,
    pub has_own_prompt: bool,
    /// Path of a prompt of the user's own.
    pub path: String,
    /// Whether keys type the path.
    pub is_typing: bool,
    /// Ids of components marked by hand.
    pub marked: BTreeSet<String>,
    /// The fields, then the components to mark.
    pub rows: Scroll,
}

/// Which components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Which {
    #[default]
    All,
    /// The one that is looked at in the scores.
    Chosen,
    /// Those with a score of 0 or 1 in the judgement that is looked at.
    Severe,
    /// Those without a score in it.
    Unjudged,
    /// Those marked in the list.
    Marked,
}

/// The files of which moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// After the turn that is looked at.
    #[default]
    Playhead,
    Final,
    /// One judging for each.
    EveryCheckpoint,
    /// By position.
    Checkpoint(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Judge,
    Components,
    State,
    Looks,
    Repeats,
    Prompt,
}

/// The most looks and repeats, as the command line has them.
const MOST: usize = 1_000;

impl Default for Form {
    fn default() -> Self {
        Self {
            judges: Arc::new([]),
            settings: None,
            judge: 0,
            which: Which::default(),
            state: State::default(),
            budget: None,
            repeats: 1,
            has_own_prompt: false,
            path: String::new(),
            is_typing: false,
            marked: BTreeSet::new(),
            rows: Scroll::default(),
        }
    }
}

impl Which {
    const ALL: [Self; 5] = [Self::All, Self::Chosen, Self::Severe, Self::Unjudged, Self::Marked];
}

impl Field {
    pub const ALL: [Self; 6] =
        [Self::Judge, Self::Components, Self::State, Self::Looks, Self::Repeats, Self::Prompt];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Components => "components",
            Self::State => "state",
            Self::Looks => "looks",
            Self::Repeats => "repeats",
            Self::Prompt => "prompt",
        }
    }
}

impl State {
    /// Those a run has.
    fn all(run: &Run) -> Vec<Self> {
        let count = run.checkpoints.len();
        let every = (count > 0).then_some(Self::EveryCheckpoint);
        let each = (0..count).map(Self::Checkpoint);
        [Self::Playhead, Self::Final].into_iter().chain(every).chain(each).collect()
    }
}

impl Form {
    /// The judge that is chosen; None where the settings name none.
    pub fn judge(&self) -> Option<&Judge> {
        self.judges.get(self.judge)
    }

    pub fn budget(&self) -> u32 {
        self.budget.or_else(|| Some(self.judge()?.budget)).unwrap_or_default()
    }

    /// The field at the cursor; None among the components to mark.
    pub fn field(&self) -> Option<Field> {
        Field::ALL.get(self.rows.cursor).copied()
    }

    /// Changes the field at the cursor by so many values.
    pub(super) fn change(&mut self, by: isize, run: &Run) {
        match self.field() {
            Some(Field::Judge) if !self.judges.is_empty() => {
                self.judge = wrapped(self.judge, by, self.judges.len());
                self.budget = None;
            }
            Some(Field::Components) => {
                let at = Which::ALL.iter().position(|it| *it == self.which).unwrap_or_default();
                self.which = Which::ALL[wrapped(at, by, Which::ALL.len())];
            }
            Some(Field::State) => {
                let all = State::all(run);
                let at = all.iter().position(|it| *it == self.state).unwrap_or_default();
                self.state = all[wrapped(at, by, all.len())];
            }
            Some(Field::Looks) => {
                let looks = (self.budget() as usize).saturating_add_signed(by).min(MOST);
                self.budget = u32::try_from(looks).ok();
            }
            Some(Field::Repeats) => {
                self.repeats = self.repeats.saturating_add_signed(by).clamp(1, MOST);
            }
            Some(Field::Prompt) => {
                self.has_own_prompt = !self.has_own_prompt;
                self.is_typing = self.has_own_prompt;
            }
            Some(Field::Judge) | None => {}
        }
    }
}

fn wrapped(at: usize, by: isize, len: usize) -> usize {
    (at as isize + by).rem_euclid(len.max(1) as isize) as usize
}

impl Replay {
    /// Components of the checklist: id and name.
    pub fn judgeable(&self) -> Vec<(&str, &str)> {
        let checklist = self.scores.components.rubric().and_then(|it| it.checklist.as_ref());
        let all = checklist.into_iter().flat_map(|it| &it.components);
        all.map(|it| (it.id.as_str(), it.name.as_str())).collect()
    }

    /// Rows of the form: the fields, and the components where some are marked by hand.
    pub fn form_rows(&self) -> usize {
        let lists = self.judging.form.which == Which::Marked;
        Field::ALL.len() + if lists { self.judgeable().len() } else { 0 }
    }

    /// What is wanted. The error is a sentence.
    pub fn judge_wish(&self) -> Result<Wish, String> {
        let form = &self.judging.form;
        let judge = form.judge().ok_or("the settings name no judge")?;
        if !self.is_whole {
            return Err("the recording is still being read".into());
        }
        let path = form.path.trim();
        if form.has_own_prompt && path.is_empty() {
            return Err("the path of the prompt is empty: space types it".into());
        }
        Ok(Wish {
            judge: judge.name.clone(),
            components: self.wanted_components()?,
            moments: self.moments()?,
            budget: form.budget(),
            repeats: form.repeats,
            prompt: form.has_own_prompt.then(|| path.to_owned()),
        })
    }

    fn moments(&self) -> Result<Vec<usize>, String> {
        let count = self.run.turns.len();
        if count == 0 {
            return Err("this run has no turns, so there is no state of code to judge".into());
        }
        let end = |at: usize| self.run.checkpoints.get(at).map(|it| it.last_turn + 1);
        Ok(match self.judging.form.state {
            State::Playhead => vec![self.turn + 1],
            State::Final => vec![count],
            State::Checkpoint(at) => vec![end(at).unwrap_or(count)],
            State::EveryCheckpoint => {
                let ends = (0..self.run.checkpoints.len()).filter_map(end);
                ends.collect::<BTreeSet<usize>>().into_iter().collect()
            }
        })
    }

    fn wanted_components(&self) -> Result<Option<Vec<String>>, String> {
        let parts = &self.scores.components;
        let score = |id: &str| parts.judgement().and_then(|it| it.of(id)?.score);
        let chosen = self.component_row().map(|row| row.id);
        let marked = &self.judging.form.marked;
        type Rule<'a> = &'a dyn Fn(&str) -> bool;
        let (rule, none): (Rule<'_>, &str) = match self.judging.form.which {
            Which::All => return Ok(None),
            Which::Chosen => {
                (&|id| chosen.as_deref() == Some(id), "no component is chosen in the scores (3w)")
            }
            Which::Severe if parts.judgement().is_none() => {
                return Err("nothing has judged this run yet".into());
            }
            Which::Severe => (
                &|id| score(id).is_some_and(|score| score <= SEVERE),
                "no component has a score of 0 or 1 in the judgement that is looked at",
            ),
            Which::Unjudged => (
                &|id| score(id).is_none(),
                "every component has a score in the judgement that is looked at",
            ),
            Which::Marked => {
                (&|id| marked.contains(id), "no component is marked: space marks one in the list")
            }
        };
        let all = self.judgeable().into_iter().map(|(id, _)| id);
        let wanted: Vec<String> = all.filter(|id| rule(id)).map(str::to_owned).collect();
        if wanted.is_empty() { Err(none.into()) } else { Ok(Some(wanted)) }
    }

    /// The value of a field, and a remark on it.
    pub fn field_said(&self, field: Field) -> (String, String) {
        let form = &self.judging.form;
        match field {
            Field::Judge => form.judge().map_or_else(
                || ("none".into(), String::new()),
                |it| {
                    let model = if it.model.is_empty() { "as it likes" } else { &it.model };
                    (it.name.clone(), format!("{}, {model}", it.kind))
                },
            ),
            Field::Components => self.components_said(),
            Field::State => self.state_said(),
            Field::Looks => (form.budget().to_string(), "for each component at most".into()),
            Field::Repeats => {
                let files = if form.repeats == 1 { "one file" } else { "one file each" };
                (form.repeats.to_string(), files.into())
            }
            Field::Prompt if form.has_own_prompt => (form.path.clone(), String::new()),
            Field::Prompt => ("built in".into(), String::new()),
        }
    }

    fn components_said(&self) -> (String, String) {
        let word = match self.judging.form.which {
            Which::All => "all",
            Which::Chosen => "the chosen one",
            Which::Severe => "scored 0 or 1",
            Which::Unjudged => "without a score",
            Which::Marked => "marked",
        };
        let remark = match (self.judging.form.which, self.wanted_components()) {
            (Which::All, _) => match self.judgeable().len() {
                0 => String::new(),
                count => count.to_string(),
            },
            (Which::Chosen, Ok(Some(ids))) => ids.concat(),
            (_, Ok(ids)) => {
                format!("{} of {}", ids.map_or(0, |it| it.len()), self.judgeable().len())
            }
            (_, Err(_)) => "none".into(),
        };
        (word.into(), remark)
    }

    fn state_said(&self) -> (String, String) {
        let checkpoints = &self.run.checkpoints;
        let after = |turn: usize| format!("after turn {turn}");
        match self.judging.form.state {
            State::Playhead => (format!("turn {}", self.turn + 1), "the playhead's".into()),
            State::Final => ("the end".into(), after(self.run.turns.len())),
            State::EveryCheckpoint => {
                let count = self.moments().map_or(0, |it| it.len());
                ("every checkpoint".into(), format!("{count} of them, one after the other"))
            }
            State::Checkpoint(at) => match checkpoints.get(at) {
                Some(it) => (format!("checkpoint {}", it.id), after(it.last_turn + 1)),
                None => ("the end".into(), String::new()),
            },
        }
    }
}
