//! The run whose judgement is checked, with its rubric files.

use std::path::{Path, PathBuf};

use crate::cli::{CommandFailure, output::print_warnings, score::faithfulness};
use trajview_analysis as analysis;
use trajview_metrics::lifeline::judged_after;
use trajview_run::rubric::{Component, Judgement, LabelFile, LabelUnit, Rubric};
use trajview_store as store;
use trajview_store::OpenedRecording;

pub struct AuditedRun {
    pub path: PathBuf,
    pub opened: OpenedRecording,
    pub rubric: Rubric,
    /// The name of the tree, where the recording is a graded rubric tree alone.
    tree_name: Option<String>,
    chosen: Option<usize>,
}

impl AuditedRun {
    pub fn open(path: &Path) -> Result<Self, CommandFailure> {
        let opened = store::open(path)?;
        let rubric = opened.archive.read_rubric();
        let tree_name = analysis::study::name_of_tree_alone(path, &opened.run);
        Ok(Self { path: path.to_owned(), opened, rubric, tree_name, chosen: None })
    }

    /// Settles which judgement is checked.
    pub(crate) fn choose_judgement(&mut self, word: Option<&str>) -> Result<(), CommandFailure> {
        self.chosen = match word {
            Some(_) => faithfulness::choose_judgement(&mut self.rubric, word)?,
            None => self
                .rubric
                .judgement_to_show()
                .and_then(|it| faithfulness::judgement_index(&self.rubric, it)),
        };
        self.judgement().map(|_| ())
    }

    /// Returns the unit to audit: where components are meant, a graded rubric tree alone has its leaves.
    pub(crate) fn unit_for(&self, unit: LabelUnit) -> LabelUnit {
        match unit {
            LabelUnit::Component if self.opened.run.is_rubric_tree_alone() => LabelUnit::Leaf,
            unit => unit,
        }
    }

    /// Prints warnings about the rubric files that could not be used.
    pub(crate) fn print_warnings(&self) {
        print_warnings(&self.rubric.warnings);
    }

    pub fn judgement(&self) -> Result<&Judgement, CommandFailure> {
        let chosen = self.chosen.and_then(|at| self.rubric.judgements.get(at));
        chosen.ok_or_else(|| {
            let shown = self.path.display();
            let why = match self.opened.run.is_rubric_tree_alone() {
                true => format!(
                    "{shown}: a graded rubric tree has no judgement of components; --unit leaf audits its leaves"
                ),
                false => format!(
                    "{shown}: no judgement to check; `trajview judge {shown} --judge NAME` makes one"
                ),
            };
            CommandFailure::cannot_understand(why)
        })
    }

    /// Returns the folder that labels are written to.
    pub(crate) fn label_folder(&self) -> Result<PathBuf, CommandFailure> {
        self.opened.archive.label_folder().map(Path::to_owned).ok_or_else(|| {
            let shown = self.path.display();
            let why = format!(
                "{shown} is not a run bundle, so labels cannot be saved; make one: `trajview import {shown} --out DIR`"
            );
            CommandFailure::wrong_arguments(why)
        })
    }

    /// Returns the run's name in tables of labels: the one in its judgements, as `trajview agree` uses it; of a graded rubric
    /// tree alone the name of the tree.
    pub fn run_name(&self) -> &str {
        let judged = self.rubric.judgements.iter().find_map(|it| it.run.as_deref());
        judged.or(self.tree_name.as_deref()).unwrap_or(&self.opened.run.id)
    }

    /// Returns whether a table means this run by `name`.
    pub fn is_called(&self, name: &str) -> bool {
        let folder = trajview_store::disk::canonical_path(&self.path).ok();
        let folder = folder.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        [self.run_name(), &self.opened.run.id].contains(&name) || folder == Some(name)
    }

    pub fn component(&self, id: &str) -> Option<&Component> {
        self.rubric.checklist.as_ref()?.components.iter().find(|it| it.id == id)
    }

    /// Returns the component's name. Empty if no checklist has the component.
    pub fn component_name(&self, id: &str) -> &str {
        self.component(id).map_or("", |component| &component.name)
    }

    /// Returns the labels of this annotator. None if they have no file.
    pub fn labels_of(&self, annotator: &str) -> Option<&LabelFile> {
        self.rubric.labels.iter().find(|labels| labels.annotator == annotator)
    }

    /// Returns the number of turns after which the code was judged.
    pub fn turns_done(&self, judgement: &Judgement) -> Result<usize, CommandFailure> {
        judged_after(&self.opened.run, judgement).ok_or_else(|| {
            let why = format!(
                "{}: refers to a turn or commit that this run does not have",
                judgement.file
            );
            CommandFailure::cannot_understand(why)
        })
    }
}
