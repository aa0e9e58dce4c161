//! What somebody wants judged, as it is put together field by field.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    session::judging::{Judge, Scale},
    widgets::scroll::Scroll,
};
use trajview_run::Run;

/// What a user may choose before a judge is asked.
#[derive(Debug)]
pub struct Form {
    /// Those of the settings, then those that are found.
    pub judges: Arc<[Judge]>,
    /// Where the settings are read from; None where there is no place for them.
    pub settings: Option<String>,
    /// By position.
    pub judge: usize,
    /// Names of judges that are asked at the same time as the chosen one.
    pub panel: BTreeSet<String>,
    /// None for the judge's own.
    pub model: Option<String>,
    pub scale: Scale,
    pub which: Which,
    pub state: State,
    /// None for the judge's own number.
    pub budget: Option<u32>,
    /// At least 1.
    pub repeats: usize,
    pub own: Owns,
    /// The field that is typed into.
    pub typing: Option<Field>,
    /// What stood there before.
    before: Option<String>,
    /// Ids of what is marked by hand.
    pub marked: BTreeSet<String>,
    /// The fields, then what can be marked.
    pub rows: Scroll,
}

/// What the user may put in the place of what is built in.
#[derive(Debug, Clone, Default)]
pub struct Owns {
    pub prompt: Own,
    /// What flags are given by.
    pub criteria: Own,
    /// What all of a panel may cost together.
    pub bound: Own,
}

/// A file of the user's own in the place of what is built in.
#[derive(Debug, Clone, Default)]
pub struct Own {
    pub is_wanted: bool,
    pub path: String,
}

/// Which components; of groups all or those that are marked.
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
    /// The one that the view shows: in the scores and the audit the judged one, elsewhere the playhead's.
    #[default]
    Shown,
    /// After the turn that is looked at, where the view shows another state.
    Playhead,
    Final,
    /// One judging for each.
    EveryCheckpoint,
    /// By position.
    Checkpoint(usize),
}

/// Whether the state that the view shows is the playhead's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Playhead {
    Shown,
    Apart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Judge,
    Model,
    Rubric,
    Components,
    State,
    Looks,
    Repeats,
    Prompt,
    /// Where flags are asked for.
    Criteria,
    /// Where several judges are asked.
    Bound,
}

/// The most looks and repeats, as the command line has them.
const MOST: usize = 1_000;

impl Default for Form {
    fn default() -> Self {
        Self {
            judges: Arc::new([]),
            settings: None,
            judge: 0,
            panel: BTreeSet::new(),
            model: None,
            scale: Scale::default(),
            which: Which::default(),
            state: State::default(),
            budget: None,
            repeats: 1,
            own: Owns::default(),
            typing: None,
            before: None,
            marked: BTreeSet::new(),
            rows: Scroll::default(),
        }
    }
}

impl Which {
    const ALL: [Self; 5] = [Self::All, Self::Chosen, Self::Severe, Self::Unjudged, Self::Marked];

    /// Of what has no score in the judgement that is looked at.
    const WITHOUT_SCORES: [Self; 2] = [Self::All, Self::Marked];

    const fn all(scale: Scale) -> &'static [Self] {
        match scale {
            Scale::Levels => &Self::ALL,
            Scale::Flags | Scale::Decisions | Scale::Process => &Self::WITHOUT_SCORES,
        }
    }
}

impl Field {
    const ALL: [Self; 10] = [
        Self::Judge,
        Self::Bound,
        Self::Model,
        Self::Rubric,
        Self::Components,
        Self::State,
        Self::Looks,
        Self::Repeats,
        Self::Prompt,
        Self::Criteria,
    ];

    pub const fn word(self, scale: Scale) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Model => "model",
            Self::Rubric => "rubric",
            Self::Components => match scale {
                Scale::Levels => "components",
                Scale::Flags => "groups",
                Scale::Decisions => "decisions",
                Scale::Process => "parts",
            },
            Self::State => "state",
            Self::Looks => "looks",
            Self::Repeats => "repeats",
            Self::Prompt => "prompt",
            Self::Criteria => "criteria",
            Self::Bound => "bound",
        }
    }
}

impl State {
    /// Those a run has; the playhead's where it is apart from what the view shows.
    fn all(run: &Run, playhead: Playhead) -> Vec<Self> {
        let count = run.checkpoints.len();
        let every = (count > 0).then_some(Self::EveryCheckpoint);
        let each = (0..count).map(Self::Checkpoint);
        let apart = (playhead == Playhead::Apart).then_some(Self::Playhead);
        [Self::Shown]
            .into_iter()
            .chain(apart)
            .chain([Self::Final])
            .chain(every)
            .chain(each)
            .collect()
    }
}

impl Form {
    /// Who is there now; what is chosen stays as far as it is there.
    pub fn take(&mut self, judges: Vec<Judge>) {
        let chosen = self.judge().map(|it| it.name.clone());
        self.judges = judges.into();
        let at = self.judges.iter().position(|it| Some(&it.name) == chosen.as_ref());
        if at.is_none() {
            self.choose_judge(0);
        }
        self.judge = at.unwrap_or_default();
    }

    fn choose_judge(&mut self, at: usize) {
        self.judge = at;
        (self.model, self.budget) = (None, None);
    }

    /// The model that is asked; empty where none is chosen.
    pub fn model(&self) -> &str {
        let own = || self.judge().map_or("", |it| &it.model);
        self.model.as_deref().map_or_else(own, str::trim)
    }

    /// The listed model that stands so many after the one that is chosen.
    fn change_model(&mut self, by: isize) {
        let listed = self.judge().map_or(&[][..], |it| it.listed());
        let at = listed.iter().position(|it| it.id == self.model());
        let next = match at {
            Some(at) => wrapped(at, by, listed.len()),
            None if by < 0 => listed.len().saturating_sub(1),
            None => 0,
        };
        if let Some(model) = listed.get(next) {
            self.model = Some(model.id.clone());
        }
    }

    /// The judge that is chosen; None where there is none.
    pub fn judge(&self) -> Option<&Judge> {
        self.judges.get(self.judge)
    }

    pub fn budget(&self) -> u32 {
        self.budget.or_else(|| Some(self.judge()?.budget)).unwrap_or_default()
    }

    /// Those that count for what is asked for, from the top.
    pub fn fields(&self) -> Vec<Field> {
        let counts = |field: &Field| match field {
            Field::Criteria => self.scale == Scale::Flags,
            Field::Bound => !self.others().is_empty(),
            _ => true,
        };
        Field::ALL.into_iter().filter(counts).collect()
    }

    /// The judges that are asked beside the chosen one, in the order in which they are listed.
    pub fn others(&self) -> Vec<&Judge> {
        let chosen = self.judge().map(|it| &it.name);
        let is_other = |it: &&Judge| self.panel.contains(&it.name) && Some(&it.name) != chosen;
        self.judges.iter().filter(is_other).collect()
    }

    /// Takes the chosen judge into the panel, or out of it.
    pub(crate) fn mark_judge(&mut self) {
        let Some(name) = self.judge().map(|it| it.name.clone()) else { return };
        let was_in = self.panel.remove(&name);
        self.panel.extend((!was_in).then_some(name));
    }

    /// The field at the cursor; None among what can be marked.
    pub fn field(&self) -> Option<Field> {
        self.fields().get(self.rows.cursor).copied()
    }

    /// The file of a field that has one.
    pub const fn own(&self, field: Field) -> Option<&Own> {
        match field {
            Field::Prompt => Some(&self.own.prompt),
            Field::Criteria => Some(&self.own.criteria),
            Field::Bound => Some(&self.own.bound),
            _ => None,
        }
    }

    pub(crate) const fn own_mut(&mut self, field: Field) -> Option<&mut Own> {
        match field {
            Field::Prompt => Some(&mut self.own.prompt),
            Field::Criteria => Some(&mut self.own.criteria),
            Field::Bound => Some(&mut self.own.bound),
            _ => None,
        }
    }

    /// From now on keys type into this field, where it takes words.
    pub(crate) fn type_into(&mut self, field: Field) {
        if field == Field::Model {
            self.before.clone_from(&self.model);
            self.model = Some(self.model().to_owned());
            self.typing = Some(field);
        } else if let Some(own) = self.own_mut(field) {
            own.is_wanted = true;
            self.typing = Some(field);
        }
    }

    /// What is typed at the moment.
    pub fn line(&self) -> Option<&str> {
        match self.typing? {
            Field::Model => self.model.as_deref(),
            field => self.own(field).map(|own| own.path.as_str()),
        }
    }

    pub(crate) fn line_mut(&mut self) -> Option<&mut String> {
        match self.typing? {
            Field::Model => self.model.as_mut(),
            field => self.own_mut(field).map(|own| &mut own.path),
        }
    }

    /// Nothing is typed any more; what was typed stays where it is wanted.
    pub(crate) fn end_typing(&mut self, is_wanted: bool) {
        match self.typing.take() {
            Some(Field::Model) if !is_wanted => self.model = self.before.take(),
            Some(Field::Model) => {
                self.model.take_if(|words| words.trim().is_empty()).map_or((), drop)
            }
            Some(field) => {
                if let Some(own) = self.own_mut(field) {
                    own.is_wanted &= is_wanted && !own.path.trim().is_empty();
                }
            }
            None => {}
        }
    }

    fn change_scale(&mut self, by: isize) {
        let at = Scale::ALL.iter().position(|it| *it == self.scale).unwrap_or_default();
        self.scale = Scale::ALL[wrapped(at, by, Scale::ALL.len())];
        if !Which::all(self.scale).contains(&self.which) {
            self.which = Which::All;
        }
    }

    /// Changes the field at the cursor by so many values.
    pub fn change(&mut self, by: isize, run: &Run, playhead: Playhead) {
        match self.field() {
            Some(Field::Judge) if !self.judges.is_empty() => {
                self.choose_judge(wrapped(self.judge, by, self.judges.len()));
            }
            Some(Field::Model) => self.change_model(by),
            Some(Field::Rubric) => self.change_scale(by),
            Some(Field::Components) => {
                let all = Which::all(self.scale);
                let at = all.iter().position(|it| *it == self.which).unwrap_or_default();
                self.which = all[wrapped(at, by, all.len())];
            }
            Some(Field::State) => {
                let all = State::all(run, playhead);
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
            Some(field @ (Field::Prompt | Field::Criteria | Field::Bound)) => {
                match self.own_mut(field) {
                    Some(own) if own.is_wanted => own.is_wanted = false,
                    _ => self.type_into(field),
                }
            }
            Some(Field::Judge) | None => {}
        }
    }
}

fn wrapped(at: usize, by: isize, len: usize) -> usize {
    (at as isize + by).rem_euclid(len.max(1) as isize) as usize
}
