//! The form in which the user sets up a judging.

use std::{collections::BTreeSet, sync::Arc};

use crate::widgets::pane::ListPane;
use trajview_run::{
    Run,
    judging::{JudgeEntry, JudgingScale},
};

/// The values that a user chooses before a judging.
#[derive(Debug)]
pub struct JudgeForm {
    /// The judges of the settings, then those that were discovered.
    pub judges: Arc<[JudgeEntry]>,
    /// Path of the settings; None where there is no place for them.
    pub settings: Option<String>,
    /// The position of the chosen judge.
    pub judge: usize,
    /// Names of the judges that work at the same time as the chosen one.
    pub panel: BTreeSet<String>,
    /// None for the judge's default.
    pub model: Option<String>,
    pub scale: JudgingScale,
    pub which: ComponentChoice,
    pub state: StateChoice,
    /// None for the judge's default.
    pub budget: Option<u32>,
    /// The number of judgings; at least 1.
    pub repeats: usize,
    pub custom: CustomValues,
    /// The field that is typed into.
    pub typing: Option<JudgeFormField>,
    /// The text before typing began.
    text_before: Option<String>,
    /// Ids of the items that are marked by hand.
    pub marked: BTreeSet<String>,
    /// The fields, then what can be marked.
    pub rows: ListPane,
}

/// The values that replace built-in ones.
#[derive(Debug, Clone, Default)]
pub struct CustomValues {
    pub prompt: CustomValue,
    /// The criteria for flags.
    pub criteria: CustomValue,
    /// The bound on the cost of all judges of a panel together.
    pub bound: CustomValue,
}

/// A file of the user, or a typed value, in the place of a built-in one.
#[derive(Debug, Clone, Default)]
pub struct CustomValue {
    pub is_wanted: bool,
    pub path: String,
}

/// The choice of components; of groups all or the marked ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComponentChoice {
    #[default]
    All,
    /// The component that is selected in the scores.
    Chosen,
    /// Components with a score of 0 or 1 in the shown judgement.
    Severe,
    /// Components without a score in the shown judgement.
    Unjudged,
    /// Components marked in the list.
    Marked,
}

/// The files of which moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateChoice {
    /// The one that the view shows: in the scores and the audit the judged one, elsewhere the playhead's.
    #[default]
    Shown,
    /// The state after the current turn, where the view shows another state.
    Playhead,
    Final,
    /// One judging for each.
    EveryCheckpoint,
    /// The end of a checkpoint, by its position.
    Checkpoint(usize),
}

/// The relation of the shown state to the playhead's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayheadState {
    Shown,
    Apart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeFormField {
    Judge,
    Model,
    Rubric,
    Components,
    State,
    Looks,
    Repeats,
    Prompt,
    /// Shown where flags are requested.
    Criteria,
    /// Shown where several judges are asked.
    Bound,
}

/// The most looks and repeats, as the command line has them.
const MAX_NUMBER: usize = 1_000;

impl Default for JudgeForm {
    fn default() -> Self {
        Self {
            judges: Arc::new([]),
            settings: None,
            judge: 0,
            panel: BTreeSet::new(),
            model: None,
            scale: JudgingScale::default(),
            which: ComponentChoice::default(),
            state: StateChoice::default(),
            budget: None,
            repeats: 1,
            custom: CustomValues::default(),
            typing: None,
            text_before: None,
            marked: BTreeSet::new(),
            rows: ListPane::default(),
        }
    }
}

impl ComponentChoice {
    const ALL: [Self; 5] = [Self::All, Self::Chosen, Self::Severe, Self::Unjudged, Self::Marked];

    /// The choices for units without a score in the shown judgement.
    const WITHOUT_SCORES: [Self; 2] = [Self::All, Self::Marked];

    const fn choices_for_scale(scale: JudgingScale) -> &'static [Self] {
        match scale {
            JudgingScale::Levels | JudgingScale::Codebook => &Self::ALL,
            JudgingScale::Flags | JudgingScale::Decisions | JudgingScale::Process => {
                &Self::WITHOUT_SCORES
            }
        }
    }
}

impl JudgeFormField {
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

    pub(crate) const fn field_label(self, scale: JudgingScale) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Model => "model",
            Self::Rubric => "rubric",
            Self::Components => match scale {
                JudgingScale::Levels | JudgingScale::Codebook => "components",
                JudgingScale::Flags => "groups",
                JudgingScale::Decisions => "decisions",
                JudgingScale::Process => "parts",
            },
            Self::State => "state",
            Self::Looks => "tool calls",
            Self::Repeats => "repeats",
            Self::Prompt => "prompt",
            Self::Criteria => "criteria",
            Self::Bound => "bound",
        }
    }
}

impl StateChoice {
    /// Returns the choices for a run; includes the playhead's state where the view shows another one.
    fn choices_for_run(run: &Run, playhead: PlayheadState) -> Vec<Self> {
        let count = run.checkpoints.len();
        let every = (count > 0).then_some(Self::EveryCheckpoint);
        let each = (0..count).map(Self::Checkpoint);
        let apart = (playhead == PlayheadState::Apart).then_some(Self::Playhead);
        [Self::Shown]
            .into_iter()
            .chain(apart)
            .chain([Self::Final])
            .chain(every)
            .chain(each)
            .collect()
    }
}

impl JudgeForm {
    /// Replaces the list of judges; the chosen judge is kept where it is still there.
    pub(crate) fn update_judges(&mut self, judges: Vec<JudgeEntry>) {
        let chosen = self.chosen_judge().map(|it| it.name.clone());
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

    /// Returns the chosen model; empty where none is chosen.
    pub(crate) fn chosen_model(&self) -> &str {
        let own = || self.chosen_judge().map_or("", |it| &it.model);
        self.model.as_deref().map_or_else(own, str::trim)
    }

    /// Chooses the listed model that is `by` places after the current one.
    fn change_model(&mut self, by: isize) {
        let listed = self.chosen_judge().map_or(&[][..], |it| it.listed_models());
        let at = listed.iter().position(|it| it.id == self.chosen_model());
        let next = match at {
            Some(at) => wrapping_index(at, by, listed.len()),
            None if by < 0 => listed.len().saturating_sub(1),
            None => 0,
        };
        if let Some(model) = listed.get(next) {
            self.model = Some(model.id.clone());
        }
    }

    /// Returns the chosen judge; None where there is none.
    pub(crate) fn chosen_judge(&self) -> Option<&JudgeEntry> {
        self.judges.get(self.judge)
    }

    pub(crate) fn look_budget(&self) -> u32 {
        self.budget.or_else(|| Some(self.chosen_judge()?.budget)).unwrap_or_default()
    }

    /// Returns the fields that apply to the request, from the top.
    pub(crate) fn visible_fields(&self) -> Vec<JudgeFormField> {
        let counts = |field: &JudgeFormField| match field {
            JudgeFormField::Criteria => self.scale == JudgingScale::Flags,
            JudgeFormField::Bound => !self.panel_judges().is_empty(),
            _ => true,
        };
        JudgeFormField::ALL.into_iter().filter(counts).collect()
    }

    /// Returns the other chosen judges, in the order of the list.
    pub(crate) fn panel_judges(&self) -> Vec<&JudgeEntry> {
        let chosen = self.chosen_judge().map(|it| &it.name);
        let is_other = |it: &&JudgeEntry| self.panel.contains(&it.name) && Some(&it.name) != chosen;
        self.judges.iter().filter(is_other).collect()
    }

    /// Takes the chosen judge into the panel, or out of it.
    pub(crate) fn toggle_panel_judge(&mut self) {
        let Some(name) = self.chosen_judge().map(|it| it.name.clone()) else { return };
        let was_in = self.panel.remove(&name);
        self.panel.extend((!was_in).then_some(name));
    }

    /// Returns the field at the cursor; None in the list of items to mark.
    pub(crate) fn cursor_field(&self) -> Option<JudgeFormField> {
        self.visible_fields().get(self.rows.cursor()).copied()
    }

    /// Returns the custom value of a field that has one.
    pub(crate) const fn custom_value(&self, field: JudgeFormField) -> Option<&CustomValue> {
        match field {
            JudgeFormField::Prompt => Some(&self.custom.prompt),
            JudgeFormField::Criteria => Some(&self.custom.criteria),
            JudgeFormField::Bound => Some(&self.custom.bound),
            _ => None,
        }
    }

    pub(crate) const fn custom_value_mut(
        &mut self,
        field: JudgeFormField,
    ) -> Option<&mut CustomValue> {
        match field {
            JudgeFormField::Prompt => Some(&mut self.custom.prompt),
            JudgeFormField::Criteria => Some(&mut self.custom.criteria),
            JudgeFormField::Bound => Some(&mut self.custom.bound),
            _ => None,
        }
    }

    /// Starts typing into this field, where it takes text.
    pub(crate) fn start_typing(&mut self, field: JudgeFormField) {
        if field == JudgeFormField::Model {
            self.text_before.clone_from(&self.model);
            self.model = Some(self.chosen_model().to_owned());
            self.typing = Some(field);
        } else if let Some(own) = self.custom_value_mut(field) {
            own.is_wanted = true;
            self.typing = Some(field);
        }
    }

    /// Returns the text that is being typed.
    pub(crate) fn typed_line(&self) -> Option<&str> {
        match self.typing? {
            JudgeFormField::Model => self.model.as_deref(),
            field => self.custom_value(field).map(|own| own.path.as_str()),
        }
    }

    pub(crate) fn typed_line_mut(&mut self) -> Option<&mut String> {
        match self.typing? {
            JudgeFormField::Model => self.model.as_mut(),
            field => self.custom_value_mut(field).map(|own| &mut own.path),
        }
    }

    /// Ends typing; the typed text is kept where `is_wanted`.
    pub(crate) fn end_typing(&mut self, is_wanted: bool) {
        match self.typing.take() {
            Some(JudgeFormField::Model) if !is_wanted => self.model = self.text_before.take(),
            Some(JudgeFormField::Model) => {
                self.model.take_if(|words| words.trim().is_empty()).map_or((), drop)
            }
            Some(field) => {
                if let Some(own) = self.custom_value_mut(field) {
                    own.is_wanted &= is_wanted && !own.path.trim().is_empty();
                }
            }
            None => {}
        }
    }

    fn change_scale(&mut self, by: isize) {
        let at = JudgingScale::NAMED.iter().position(|it| *it == self.scale).unwrap_or_default();
        self.scale = JudgingScale::NAMED[wrapping_index(at, by, JudgingScale::NAMED.len())];
        if !ComponentChoice::choices_for_scale(self.scale).contains(&self.which) {
            self.which = ComponentChoice::All;
        }
    }

    /// Changes the field at the cursor by this many values.
    pub(crate) fn change_field(&mut self, by: isize, run: &Run, playhead: PlayheadState) {
        match self.cursor_field() {
            Some(JudgeFormField::Judge) if !self.judges.is_empty() => {
                self.choose_judge(wrapping_index(self.judge, by, self.judges.len()));
            }
            Some(JudgeFormField::Model) => self.change_model(by),
            Some(JudgeFormField::Rubric) => self.change_scale(by),
            Some(JudgeFormField::Components) => {
                let all = ComponentChoice::choices_for_scale(self.scale);
                let at = all.iter().position(|it| *it == self.which).unwrap_or_default();
                self.which = all[wrapping_index(at, by, all.len())];
            }
            Some(JudgeFormField::State) => {
                let all = StateChoice::choices_for_run(run, playhead);
                let at = all.iter().position(|it| *it == self.state).unwrap_or_default();
                self.state = all[wrapping_index(at, by, all.len())];
            }
            Some(JudgeFormField::Looks) => {
                let looks = (self.look_budget() as usize).saturating_add_signed(by).min(MAX_NUMBER);
                self.budget = u32::try_from(looks).ok();
            }
            Some(JudgeFormField::Repeats) => {
                self.repeats = self.repeats.saturating_add_signed(by).clamp(1, MAX_NUMBER);
            }
            Some(
                field @ (JudgeFormField::Prompt | JudgeFormField::Criteria | JudgeFormField::Bound),
            ) => match self.custom_value_mut(field) {
                Some(own) if own.is_wanted => own.is_wanted = false,
                _ => self.start_typing(field),
            },
            Some(JudgeFormField::Judge) | None => {}
        }
    }
}

fn wrapping_index(at: usize, by: isize, len: usize) -> usize {
    (at as isize + by).rem_euclid(len.max(1) as isize) as usize
}
