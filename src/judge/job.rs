//! From a wish to a job: which components, which files, which words.

use std::{path::Path, sync::Arc};

use crate::{
    run::{
        Run,
        rubric::{Checklist, Component, Rubric},
    },
    store::{self, Opened},
};

use super::{
    document::Subject, prompt::Prompt, run::Job, secret::Secret, settings::Settings,
    snapshot::Snapshot,
};

/// What somebody wants judged.
#[derive(Debug, Clone)]
pub struct Wish {
    pub settings: Settings,
    pub prompt: Prompt,
    /// Ids; None for all.
    pub components: Option<Vec<String>>,
    /// Turns done.
    pub turn: usize,
    /// Looks for one component; None for the judge's own number.
    pub budget: Option<u32>,
    /// At least 1.
    pub repeats: usize,
}

/// Why a wish cannot be met; a sentence.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("before the first turn there is nothing to judge; name a turn from 1")]
    TooEarly,
    #[error("components.json {0}; it says what is to be judged")]
    NoChecklist(String),
    #[error("components.json has no {id:?}; expected all, or ids such as {such}")]
    UnknownComponent { id: String, such: String },
    #[error("{0}")]
    NoFiles(String),
    #[error("judge {judge}: {why}")]
    NoKey { judge: String, why: String },
}

impl Job {
    /// Everything but the key; see [`Self::with_key`]. `opened` is the bundle in this folder.
    pub fn prepare(wish: Wish, bundle: &Path, opened: &Opened) -> Result<Self, JobError> {
        if wish.turn == 0 {
            return Err(JobError::TooEarly);
        }
        let components = components(store::rubric::read(bundle), wish.components.as_deref())?;
        let snapshot =
            Snapshot::of(&opened.run, &opened.archive, wish.turn).map_err(JobError::NoFiles)?;
        Ok(Self {
            budget: wish.budget.unwrap_or(wish.settings.budget),
            settings: Arc::new(wish.settings),
            key: Secret::default(),
            prompt: Arc::new(wish.prompt),
            snapshot,
            subject: subject(&opened.run, wish.turn, &components),
            components,
            repeats: wish.repeats.max(1),
        })
    }

    /// With the key out of the environment, where the judge needs one.
    pub fn with_key(self) -> Result<Self, JobError> {
        let key = Secret::in_variable(self.settings.key_env.as_deref())
            .map_err(|why| JobError::NoKey { judge: self.settings.name.clone(), why })?;
        Ok(Self { key, ..self })
    }
}

fn subject(run: &Run, turn: usize, components: &[Component]) -> Subject {
    Subject {
        run: run.id.clone(),
        commit: run.turns.get(turn - 1).and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
        turn,
        components: components.iter().map(|component| component.id.clone()).collect(),
    }
}

/// Those asked for, in the order of the checklist.
fn components(rubric: Rubric, wanted: Option<&[String]>) -> Result<Vec<Component>, JobError> {
    let Some(Checklist { components: all, .. }) =
        rubric.checklist.filter(|list| !list.components.is_empty())
    else {
        let warning = rubric.warnings.into_iter().find(|it| it.place == "components.json");
        let why = warning.map_or("is not there, or names no component".into(), |it| it.what);
        return Err(JobError::NoChecklist(why));
    };
    let Some(wanted) = wanted else { return Ok(all) };
    let is_known = |id: &&String| all.iter().any(|component| component.id == **id);
    if let Some(unknown) = wanted.iter().find(|id| !is_known(id)) {
        let such = all.first().map_or_else(String::new, |component| component.id.clone());
        return Err(JobError::UnknownComponent { id: unknown.clone(), such });
    }
    Ok(all.into_iter().filter(|component| wanted.contains(&component.id)).collect())
}
