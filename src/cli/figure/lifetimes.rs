//! When the components of a run were first there, and when they were lost.

use std::path::Path;

use trajview_analysis::lifelines;
use trajview_metrics::lifeline::{self, Lifeline};
use trajview_run::rubric::Rubric;
use trajview_store::{self as store, OpenedRecording};

/// The components of one run.
pub struct ComponentLives {
    /// Turns of the run.
    pub turns: usize,
    pub components: Vec<ComponentLife>,
}

pub struct ComponentLife {
    /// The id, with the name where the checklist has one.
    pub name: String,
    /// The turn that first defined it; 0 is before the first turn. None where none of its symbols was ever defined.
    pub first: Option<usize>,
    /// The turn from which on it is lost.
    pub lost_at: Option<usize>,
}

/// Follows the components of a run. The error is a sentence.
pub(crate) fn component_lives(
    opened: &OpenedRecording,
    path: &Path,
) -> Result<ComponentLives, String> {
    let run = &*opened.run;
    let rubric = store::rubric::read_beside(path);
    let requests = lifeline::components_to_follow(run, &rubric, rubric.result_judgement());
    if requests.is_empty() {
        return Err("no component to follow: no components.json and no judgement".into());
    }
    let found = lifelines::component_lifelines(&opened.archive, run, &requests, &|_, _| true)?;
    let components = found.iter().map(|it| component_life(it, &rubric)).collect();
    Ok(ComponentLives { turns: run.end_in_turns(), components })
}

fn component_life(lifeline: &Lifeline, rubric: &Rubric) -> ComponentLife {
    let id = &lifeline.component;
    let listed = rubric.checklist.iter().flat_map(|checklist| &checklist.components);
    let name = listed.filter(|it| it.id == *id).map(|it| format!("{id} {}", it.name)).next();
    let first = lifeline.deciding_symbols().filter_map(|symbol| symbol.first).min();
    ComponentLife {
        name: name.unwrap_or_else(|| id.clone()),
        first,
        lost_at: lifeline.lost_at.filter(|_| first.is_some()),
    }
}

impl ComponentLives {
    /// Returns the components that were defined at some time.
    pub(crate) fn followed(&self) -> impl Iterator<Item = (usize, &ComponentLife)> {
        self.components.iter().filter_map(|it| Some((it.first?, it)))
    }
}
