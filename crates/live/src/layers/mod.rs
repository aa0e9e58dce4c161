//! Layers of project state in a live run: what stands between the script and the agent.
//!
//! Before each request every layer is asked, in order; it may put words before the request, or have the agent begin a
//! new session, and says why. While the agent works some of them answer what it asks for, and speak where a call touches files
//! ([`channel`]). After the turn each takes it in, and its state becomes a commit of its own in the bundle
//! (`history`). The layers themselves are in [`trajview_layers`]; here are those that need a disk or a process: `notes` and
//! `command`. A layer that fails is told, and the run goes on without it.

pub mod channel;
mod command;
mod files;
mod notes;
mod stack;

pub use command::Command;
pub use files::LayerFiles;
pub use stack::{Dressed, Parts as StackParts, Request, Stack, TakenIn};

use std::path::PathBuf;

use serde::Serialize;

use trajview_judge::{
    helper::{Budget, ModelHelper},
    secret::Secret,
    stop::Stop,
};
use trajview_layers as layers;
use trajview_layers::{Helper, Layer, NoHelper, Options, Spec, spec::COMMAND};
use trajview_metrics::decisions;

use super::{
    drivers::Driver,
    setup::{NOTES, Setup},
};

/// Makes layers of a run, at its beginning and where one has to begin anew.
#[derive(Debug, Clone, Default)]
pub struct Maker {
    /// The file of `notes`.
    pub notes: Option<PathBuf>,
    /// Where a command runs; None for where trajview runs.
    pub folder: Option<PathBuf>,
    /// What the agent works on.
    pub workspace: PathBuf,
    pub decisions: decisions::Store,
}

impl Maker {
    pub fn new(setup: &Setup, workspace: PathBuf, decisions: decisions::Store) -> Self {
        let (notes, folder) = (setup.layers.notes.clone(), setup.layers.folder.clone());
        Self { notes, folder, workspace, decisions }
    }

    /// The error is a sentence.
    pub fn make(&self, spec: &Spec) -> Result<Box<dyn Layer>, String> {
        match spec.name.as_str() {
            NOTES => {
                let path = self.notes.clone().ok_or("layer notes needs --notes FILE")?;
                Ok(Box::new(notes::Notes::new(path)))
            }
            COMMAND => {
                let workspace = Some(self.workspace.clone());
                Ok(Box::new(Command::new(spec, self.folder.clone(), workspace)?))
            }
            _ => layers::of(spec, &Options { decisions: self.decisions.clone() }),
        }
    }
}

/// A layer of a run that is only talked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    pub name: String,
    /// How its words reach the agent.
    pub ways: Vec<&'static str>,
    /// What it lacks here, and what it does without; sentences.
    pub lacks: Vec<String>,
}

impl Planned {
    /// What the person should know before the agent works; sentences.
    pub fn remarks(self) -> Vec<String> {
        let name = self.name;
        self.lacks.into_iter().map(|lack| format!("layer {name}: {lack}")).collect()
    }
}

/// The helper model of a run; one that is never there where none is asked for. The error is a sentence.
pub fn helper_of(
    setup: &Setup,
    files: &LayerFiles,
    stop: &Stop,
) -> Result<Box<dyn Helper + Send>, String> {
    let Some(options) = &setup.layers.helper else { return Ok(Box::new(NoHelper)) };
    let missing = || {
        let name = &options.name;
        format!("no judge {name} in the settings file; the helper model is one of [judges.NAME]")
    };
    let settings = files.helper.as_ref().ok_or_else(missing)?;
    let variable = |name: &str| std::env::var(name).ok();
    let key = Secret::in_variable_of(settings.key_env.as_deref(), &variable)
        .map_err(|why| format!("helper {}: {why}", options.name))?;
    let budget = Budget { calls: options.calls, usd: options.usd };
    Ok(Box::new(ModelHelper::new(settings, &key, budget, stop.clone())?))
}

/// What the layers of a run are. The error is a sentence: one of them cannot be made.
pub fn planned(setup: &Setup, driver: &dyn Driver) -> Result<Vec<Planned>, String> {
    let maker = Maker::new(setup, PathBuf::new(), decisions::Store::default());
    let mut all: Vec<Planned> = vec![];
    for spec in setup.layers.specs() {
        let name = spec.to_string();
        if all.iter().any(|it| it.name == name) {
            return Err(format!("layer {name} is asked for twice"));
        }
        let layer = maker.make(&spec)?;
        let (offers, takes) = (layer.offers(), driver.takes());
        let (mut ways, mut lacks) = (vec!["with each request"], vec![]);
        let beside = [
            (offers.search, takes.search, "as the answer of the tool search_project_state"),
            (offers.calls, takes.calls, "with calls that touch files, by hooks"),
        ];
        for (_, is_taken, way) in beside.into_iter().filter(|way| way.0) {
            match is_taken {
                true => ways.push(way),
                false => lacks.push(format!(
                    "its words cannot come {way}: agent {} offers no way for it",
                    driver.name()
                )),
            }
        }
        let has_helper = setup.layers.helper.is_some();
        let without = layer.without_helper().filter(|_| !has_helper);
        lacks.extend(without.map(|what| format!("without a helper model (--helper): {what}")));
        all.push(Planned { name, ways, lacks });
    }
    Ok(all)
}
