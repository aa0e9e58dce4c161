//! The run whose judgement is checked, and everything beside it.

use std::path::{Path, PathBuf};

use crate::cli::{Failure, output::tell_warnings, score::faithful};
use trajview_metrics::lifeline::judged_after;
use trajview_run::rubric::{Component, Judgement, Labels, Rubric};
use trajview_store as store;
use trajview_store::Opened;

pub struct Audited {
    pub path: PathBuf,
    pub opened: Opened,
    pub rubric: Rubric,
    chosen: Option<usize>,
}

impl Audited {
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let opened = store::open(path)?;
        let rubric = store::rubric::read(path);
        Ok(Self { path: path.to_owned(), opened, rubric, chosen: None })
    }

    /// Settles which judgement is checked.
    pub fn choose(&mut self, wish: Option<&str>) -> Result<(), Failure> {
        self.chosen = match wish {
            Some(_) => faithful::choose(&mut self.rubric, wish)?,
            None => self.rubric.shown().and_then(|it| faithful::place_of(&self.rubric, it)),
        };
        self.judgement().map(|_| ())
    }

    /// What beside the run could not be used.
    pub fn tell_warnings(&self) {
        tell_warnings(&self.rubric.warnings);
    }

    pub fn judgement(&self) -> Result<&Judgement, Failure> {
        let chosen = self.chosen.and_then(|at| self.rubric.judgements.get(at));
        chosen.ok_or_else(|| {
            let shown = self.path.display();
            let why = format!(
                "{shown}: no judgement to check; `trajview judge {shown} --judge NAME` makes one"
            );
            Failure::not_understood(why)
        })
    }

    /// The folder that labels are written to.
    pub fn bundle(&self) -> Result<PathBuf, Failure> {
        store::rubric::bundle_of(&self.path).ok_or_else(|| {
            let shown = self.path.display();
            let why = format!(
                "{shown} is no run bundle, so there is no place for labels; `trajview import {shown} --out DIR` makes one"
            );
            Failure::wrong(why)
        })
    }

    /// What the run is called in tables of labels: as its judgements say, as `trajview agree` has it.
    pub fn run_name(&self) -> &str {
        let judged = self.rubric.judgements.iter().find_map(|it| it.run.as_deref());
        judged.unwrap_or(&self.opened.run.id)
    }

    /// Whether a table means this run.
    pub fn is_called(&self, name: &str) -> bool {
        let folder = trajview_store::disk::canonical(&self.path).ok();
        let folder = folder.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        [self.run_name(), &self.opened.run.id].contains(&name) || folder == Some(name)
    }

    pub fn component(&self, id: &str) -> Option<&Component> {
        self.rubric.checklist.as_ref()?.components.iter().find(|it| it.id == id)
    }

    /// Empty where no checklist has it.
    pub fn name_of(&self, id: &str) -> &str {
        self.component(id).map_or("", |component| &component.name)
    }

    /// What this annotator said; None where there is no file of theirs.
    pub fn labels_of(&self, annotator: &str) -> Option<&Labels> {
        self.rubric.labels.iter().find(|labels| labels.annotator == annotator)
    }

    /// After how many turns the code was judged.
    pub fn done(&self, judgement: &Judgement) -> Result<usize, Failure> {
        judged_after(&self.opened.run, judgement).ok_or_else(|| {
            let why =
                format!("{}: judges a turn or commit that this run does not have", judgement.file);
            Failure::not_understood(why)
        })
    }
}
