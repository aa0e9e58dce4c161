//! Layers of project state in a live run: they stand between the script and the agent.
//!
//! Before each request every layer is asked, in order; it may put text before the request, or have the agent begin a new
//! session, and says why. While the agent works some layers answer its searches, and comment on calls that touch files
//! ([`question_channel`]). After the turn each layer processes it, and its state becomes a commit of its own in the bundle
//! (`history`). The layers themselves are in [`trajview_layers`]; here are those that need a disk or a process: `notes` and
//! `command`. The failure of a layer is reported, and the run goes on without it.

mod command_layer;
mod layer_stack;
mod notes_layer;
pub mod question_channel;

pub use command_layer::CommandLayer;
pub(crate) use layer_stack::{LayerStack, LayerUpdates, PreparedRequest};

use std::{path::PathBuf, sync::Arc};

use serde::Serialize;

use trajview_judge::{
    helper::{HelperBudget, ModelHelper},
    judge_key::JudgeKey,
    settings::JudgeConfig,
    stop_flag::StopFlag,
};
use trajview_layers as layers;
use trajview_layers::{HelperModel, Layer, LayerSetup, LayerSpec, NoHelper, spec::COMMAND};
use trajview_metrics::decisions;

use super::{
    drivers::Driver,
    setup::{NOTES, RunSetup},
};

/// Files and settings for layers besides the setup.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerFiles {
    /// Files that the bundle gets, by their names: the store of decisions.
    pub store: Vec<(&'static str, Vec<u8>)>,
    /// The settings of the helper model.
    pub helper: Option<Arc<JudgeConfig>>,
}

/// Creates the layers of a run, at its beginning and when one has to start anew.
#[derive(Debug, Clone, Default)]
pub struct LayerMaker {
    /// The file of `notes`.
    pub notes: Option<PathBuf>,
    /// The folder in which a command runs; None for trajview's own.
    pub folder: Option<PathBuf>,
    /// The folder that the agent works on.
    pub workspace: PathBuf,
    pub decisions: decisions::DecisionStore,
}

impl LayerMaker {
    pub fn new(setup: &RunSetup, workspace: PathBuf, decisions: decisions::DecisionStore) -> Self {
        let (notes, folder) = (setup.layers.notes.clone(), setup.layers.folder.clone());
        Self { notes, folder, workspace, decisions }
    }

    /// Creates a layer, one of this crate or of the layers crate. The error is a sentence.
    pub fn make_layer(&self, spec: &LayerSpec) -> Result<Box<dyn Layer>, String> {
        match spec.name.as_str() {
            NOTES => {
                let path = self.notes.clone().ok_or("layer notes needs --notes FILE")?;
                Ok(Box::new(notes_layer::NotesLayer::new(path)))
            }
            COMMAND => {
                let workspace = Some(self.workspace.clone());
                Ok(Box::new(CommandLayer::new(spec, self.folder.clone(), workspace)?))
            }
            _ => layers::make_layer(spec, &LayerSetup { decisions: self.decisions.clone() }),
        }
    }
}

/// A layer as it is listed in a plan; nothing is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedLayer {
    pub name: String,
    /// The ways in which its text reaches the agent.
    pub ways: Vec<&'static str>,
    /// Parts that are missing here, and features that the layer does without; sentences.
    pub lacks: Vec<String>,
}

impl PlannedLayer {
    /// Returns warnings for the person before the agent works; sentences.
    pub(crate) fn remark_sentences(self) -> Vec<String> {
        let name = self.name;
        self.lacks.into_iter().map(|lack| format!("layer {name}: {lack}")).collect()
    }
}

/// Returns the helper model of a run; one that is never available when none is set up. The error is a sentence.
pub(crate) fn helper_model(
    setup: &RunSetup,
    files: &LayerFiles,
    stop: &StopFlag,
) -> Result<Box<dyn HelperModel + Send>, String> {
    let Some(options) = &setup.layers.helper else { return Ok(Box::new(NoHelper)) };
    let missing = || {
        let name = &options.name;
        format!("no judge {name} in the settings file; the helper model is one of [judges.NAME]")
    };
    let settings = files.helper.as_ref().ok_or_else(missing)?;
    let variable = |name: &str| std::env::var(name).ok();
    let key = JudgeKey::in_variable_of(settings.key_env.as_deref(), &variable)
        .map_err(|why| format!("helper {}: {why}", options.name))?;
    let budget = HelperBudget { calls: options.calls, usd: options.usd };
    Ok(Box::new(ModelHelper::new(settings, &key, budget, stop.clone())?))
}

/// Lists the layers of a run. The error is a sentence: one of them cannot be created.
pub(crate) fn planned_layers(
    setup: &RunSetup,
    driver: &Driver,
) -> Result<Vec<PlannedLayer>, String> {
    let maker = LayerMaker::new(setup, PathBuf::new(), decisions::DecisionStore::default());
    let mut all: Vec<PlannedLayer> = vec![];
    for spec in setup.layers.all_specs() {
        let name = spec.to_string();
        if all.iter().any(|it| it.name == name) {
            return Err(format!("layer {name} is given twice"));
        }
        let layer = maker.make_layer(&spec)?;
        let (offers, takes) = (layer.delivery_offers(), driver.supported_offers);
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
                    driver.name
                )),
            }
        }
        let has_helper = setup.layers.helper.is_some();
        let without = layer.without_helper().filter(|_| !has_helper);
        lacks.extend(without.map(|what| format!("without a helper model (--helper): {what}")));
        all.push(PlannedLayer { name, ways, lacks });
    }
    Ok(all)
}
