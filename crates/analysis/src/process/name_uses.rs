//! The uses of the code's names in the texts of a run, by which a name that a compaction lost is detected.

use std::collections::{BTreeSet, HashMap};

use trajview_metrics::process::{NameUses, NamesOfStep, StepFacts};
use trajview_run::StepText;

/// The names that a run with a compaction is followed by: functions, classes and methods of the code outside tests at
/// the end. None of a run without one.
#[derive(Default)]
pub struct DefinedNames {
    defined: Vec<(String, String)>,
    by_name: HashMap<String, usize>,
}

/// The least letters of a name; a shorter one has too many other meanings.
const LEAST_LETTERS: usize = 4;

impl DefinedNames {
    /// Makes the names from definitions: names with their files.
    pub(crate) fn from_definitions(defined: Vec<(String, String)>) -> Self {
        let mut names = Self::default();
        for (name, path) in defined {
            let is_special = name.starts_with("__") && name.ends_with("__");
            if name.len() < LEAST_LETTERS || is_special || names.by_name.contains_key(&name) {
                continue;
            }
            names.by_name.insert(name.clone(), names.defined.len());
            names.defined.push((name, path));
        }
        names
    }

    /// Returns the names in a text, each once.
    fn in_text(&self, text: &str) -> Vec<usize> {
        if self.defined.is_empty() {
            return vec![];
        }
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let found: BTreeSet<usize> =
            words.filter_map(|word| self.by_name.get(word)).copied().collect();
        found.into_iter().collect()
    }

    /// Returns the names that the call of a step uses, and those that its text and result show.
    pub(crate) fn names_of_step(&self, text: &StepText) -> NamesOfStep {
        let call = text.arguments.as_deref().unwrap_or_default();
        let mut seen = self.in_text(&text.text);
        seen.extend(self.in_text(text.result.as_deref().unwrap_or_default()));
        NamesOfStep { used: self.in_text(call), seen }
    }

    pub(crate) fn name_uses(
        &self,
        steps: &[StepFacts],
        in_steps: Vec<NamesOfStep>,
        requests: &[String],
    ) -> NameUses {
        if self.defined.is_empty() {
            return NameUses::default();
        }
        NameUses {
            defined: self.defined.clone(),
            steps: steps.iter().map(|step| step.id).zip(in_steps).collect(),
            requests: requests.iter().map(|request| self.in_text(request)).collect(),
        }
    }
}
