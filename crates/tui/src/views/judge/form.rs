//! The form in which the user sets up a judging: its fields, and the judges to choose from.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    session::jobs::FormChoice,
    views::form::{FieldValue, FormField, FormPane},
};
use trajview_run::judging::{ItemName, JudgeEntry, JudgingScale};

pub(crate) const JUDGE: &str = "judge";
pub(crate) const BOUND: &str = "bound";
pub(crate) const MODEL: &str = "model";
pub(crate) const RUBRIC: &str = "rubric";
pub(crate) const COMPONENTS: &str = "components";
pub(crate) const STATE: &str = "state";
pub(crate) const CALLS: &str = "calls";
pub(crate) const REPEATS: &str = "repeats";
pub(crate) const PROMPT: &str = "prompt";
pub(crate) const CRITERIA: &str = "criteria";

/// Values of [`COMPONENTS`]. Units without scores in a judgement can only be all or marked ones.
pub(crate) const ALL: &str = "all";
/// The component that is selected in the scores.
pub(crate) const SELECTED: &str = "selected";
/// Components with a score of 0 or 1 in the shown judgement.
pub(crate) const SEVERE: &str = "severe";
/// Components without a score in the shown judgement.
pub(crate) const UNJUDGED: &str = "unjudged";
pub(crate) const MARKED: &str = "marked";

/// Values of [`STATE`]; a checkpoint has its position.
/// The state that the view shows: in the scores and the audit the judged one, elsewhere the playhead's.
pub(crate) const SHOWN: &str = "shown";
pub(crate) const PLAYHEAD: &str = "playhead";
pub(crate) const FINAL: &str = "final";
pub(crate) const EVERY_CHECKPOINT: &str = "every";

/// The most tool calls and repeats, as the command line has them.
const MAX_NUMBER: f64 = 1_000.0;

/// The form, and what its choices are made from.
#[derive(Debug)]
pub struct JudgeForm {
    /// The judges of the settings, then those that were discovered.
    pub judges: Arc<[JudgeEntry]>,
    /// Path of the settings; None where there is no place for them.
    pub settings: Option<String>,
    /// Names of the judges that work at the same time as the chosen one.
    pub panel: BTreeSet<String>,
    /// Ids of the items that are marked by hand.
    pub marked: BTreeSet<String>,
    pub pane: FormPane,
    /// The judge whose model and number of calls the form has.
    filled_for: String,
}

impl Default for JudgeForm {
    fn default() -> Self {
        let choices = |id, label| FormField::with_choices(id, label, vec![], 0);
        let text = |id, label, empty| FormField::with_text(id, label, "", empty);
        let scales = JudgingScale::NAMED.iter().map(|scale| {
            let (label, remark) = match scale {
                JudgingScale::Levels | JudgingScale::Codebook => {
                    ("levels (slump-5)", "of components")
                }
                JudgingScale::Flags => ("flags", "places, by criteria"),
                JudgingScale::Decisions => ("decisions", "kept or broken"),
                JudgingScale::Process => ("process", "0 to 3, parts of pillars"),
            };
            FormChoice::new(scale.word(), label).with_remark(remark)
        });
        let fields = vec![
            choices(JUDGE, "judge"),
            text(BOUND, "bound", "only their own limits").with_remark("USD in total"),
            text(MODEL, "model", "default model"),
            FormField::with_choices(RUBRIC, "rubric", scales.collect(), 0),
            choices(COMPONENTS, "components"),
            choices(STATE, "state"),
            FormField::with_amount(CALLS, "tool calls", (None, 1.0), "", "none"),
            FormField::with_amount(REPEATS, "repeats", (Some(1.0), 1.0), "", "1"),
            text(PROMPT, "prompt", "built in").rare(),
            text(CRITERIA, "criteria", "built in").rare(),
        ];
        Self {
            judges: Arc::new([]),
            settings: None,
            panel: BTreeSet::new(),
            marked: BTreeSet::new(),
            pane: FormPane::new("ask a judge", "send", fields),
            filled_for: String::new(),
        }
    }
}

impl JudgeForm {
    /// Returns the chosen judge; None where there is none.
    pub(crate) fn chosen_judge(&self) -> Option<&JudgeEntry> {
        let chosen = self.pane.chosen_id(JUDGE);
        self.judges.iter().find(|it| it.name == chosen).or_else(|| self.judges.first())
    }

    /// Takes the model and the number of calls of the chosen judge, where another one was chosen.
    pub(crate) fn fill_for_judge(&mut self) {
        let Some(judge) = self.chosen_judge().cloned() else { return };
        let is_other = std::mem::replace(&mut self.filled_for, judge.name) != *self.chosen_name();
        if is_other {
            self.pane.fill_field(CALLS, &judge.budget.to_string());
        }
        if is_other || self.pane.typed_text(MODEL).is_none() && !self.pane.is_typing() {
            self.pane.fill_field(MODEL, &judge.model);
        }
    }

    fn chosen_name(&self) -> &str {
        self.chosen_judge().map_or("", |it| &it.name)
    }

    /// Returns the chosen model; empty where none is chosen.
    pub(crate) fn chosen_model(&self) -> &str {
        self.pane.typed_text(MODEL).unwrap_or_default()
    }

    pub(crate) fn scale(&self) -> JudgingScale {
        let chosen = self.pane.chosen_id(RUBRIC);
        JudgingScale::NAMED.into_iter().find(|it| it.word() == chosen).unwrap_or_default()
    }

    pub(crate) fn call_budget(&self) -> u32 {
        self.pane.typed_amount(CALLS).unwrap_or_default().min(MAX_NUMBER) as u32
    }

    /// Returns the number of judgings; at least 1.
    pub(crate) fn repeats(&self) -> usize {
        self.pane.typed_amount(REPEATS).unwrap_or(1.0).min(MAX_NUMBER) as usize
    }

    /// Returns the judges of the panel without the chosen one, in the order of the list.
    pub(crate) fn panel_judges(&self) -> Vec<&JudgeEntry> {
        let chosen = self.chosen_name();
        let is_other = |it: &&JudgeEntry| self.panel.contains(&it.name) && it.name != chosen;
        self.judges.iter().filter(is_other).collect()
    }

    /// Takes the chosen judge into the panel, or out of it.
    pub(crate) fn toggle_panel_judge(&mut self) {
        let name = self.chosen_name().to_owned();
        let was_in = self.panel.remove(&name);
        self.panel.extend((!was_in && !name.is_empty()).then_some(name));
    }

    /// Takes the marks that the user set or removed.
    pub(crate) fn take_marks(&mut self) {
        for (item, is_marked) in self.pane.marks() {
            self.marked.remove(item);
            self.marked.extend(is_marked.then(|| item.to_owned()));
        }
    }

    /// Lists the items to mark by hand.
    pub(crate) fn list_marks(&mut self, items: Vec<ItemName>) {
        let marked = &self.marked;
        self.pane.set_marks(items.into_iter().map(|it| FieldValue::Mark {
            is_marked: marked.contains(&it.id),
            item: it.id,
            name: it.name,
        }));
    }

    /// Returns the name of the units that the rubric scores.
    pub(crate) fn units_label(&self) -> &'static str {
        match self.scale() {
            JudgingScale::Levels | JudgingScale::Codebook => "components",
            JudgingScale::Flags => "groups",
            JudgingScale::Decisions => "decisions",
            JudgingScale::Process => "parts",
        }
    }
}
