//! From a wish to a job: which components or criteria, which files, which words.

use std::{path::Path, sync::Arc};

use crate::{
    run::{
        Run,
        flags::Flagging,
        rubric::{Checklist, Rubric},
    },
    store::{self, Opened},
};

use super::{
    carry::{self, Carried},
    criteria::{Criteria, Group},
    document::Subject,
    item::Item,
    prompt::Prompt,
    run::Job,
    scale::Scale,
    secret::Secret,
    settings::Settings,
    snapshot::Snapshot,
};

/// What somebody wants judged.
#[derive(Debug, Clone)]
pub struct JudgingRequest {
    pub settings: Settings,
    pub prompt: Prompt,
    /// What flags are given by; None where components are to be judged.
    pub criteria: Option<Arc<Criteria>>,
    /// Ids of components, or of groups of criteria; None for all.
    pub components: Option<Vec<String>>,
    /// Turns done.
    pub turn: usize,
    /// Looks for one conversation; None for the judge's own number.
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
    #[error("the criteria have no group {id:?}; expected all, or some of {such}")]
    UnknownGroup { id: String, such: String },
    #[error("{0}")]
    NoFiles(String),
    #[error("judge {judge}: {why}")]
    NoKey { judge: String, why: String },
}

impl Job {
    /// Everything but the key; see [`Self::with_key`]. `opened` is the bundle in this folder.
    pub fn prepare(wish: JudgingRequest, bundle: &Path, opened: &Opened) -> Result<Self, JobError> {
        if wish.turn == 0 {
            return Err(JobError::TooEarly);
        }
        let rubric = store::rubric::read(bundle);
        let (items, flaggings) = match &wish.criteria {
            None => (components(rubric, wish.components.as_deref())?, vec![]),
            Some(all) => (groups(all, wish.components.as_deref())?, rubric.flaggings),
        };
        let snapshot =
            Snapshot::of(&opened.run, &opened.archive, wish.turn).map_err(JobError::NoFiles)?;
        let job = Self {
            budget: wish.budget.unwrap_or(wish.settings.budget),
            settings: Arc::new(wish.settings),
            key: Secret::default(),
            prompt: Arc::new(wish.prompt),
            snapshot,
            subject: subject(&opened.run, wish.turn, &items),
            items,
            criteria: wish.criteria,
            carried: Carried::default(),
            repeats: wish.repeats.max(1),
        };
        let carried = job.carried(&flaggings, opened).map_err(JobError::NoFiles)?;
        Ok(Self { carried, ..job })
    }

    fn carried(&self, flaggings: &[Flagging], opened: &Opened) -> Result<Carried, String> {
        let group = |item: &Item| match item {
            Item::Component(_) => None,
            Item::Group(group) => {
                let ids = group.criteria.iter().map(|it| it.id.clone()).collect();
                Some((group.id.clone(), ids))
            }
        };
        let groups: Vec<(String, Vec<String>)> = self.items.iter().filter_map(group).collect();
        let recording = (&opened.run, &*opened.archive);
        carry::carried(flaggings, &self.judge(), &groups, recording, self.subject.turn)
    }

    /// With the key out of the environment, where the judge needs one.
    pub fn with_key(self) -> Result<Self, JobError> {
        self.with_key_of(&|name| std::env::var(name).ok())
    }

    /// As [`Self::with_key`], out of another environment.
    pub fn with_key_of(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, JobError> {
        let key = Secret::in_variable_of(self.settings.key_env.as_deref(), variable)
            .map_err(|why| JobError::NoKey { judge: self.settings.name.clone(), why })?;
        Ok(Self { key, ..self })
    }
}

fn subject(run: &Run, turn: usize, items: &[Item]) -> Subject {
    Subject {
        scale: items.first().map_or(Scale::Levels, Item::scale),
        run: run.id.clone(),
        commit: run.turns.get(turn - 1).and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
        turn,
        components: items.iter().map(|item| item.id().to_owned()).collect(),
    }
}

/// Those asked for, in the order of the checklist.
fn components(rubric: Rubric, wanted: Option<&[String]>) -> Result<Vec<Item>, JobError> {
    let Some(Checklist { components: all, .. }) =
        rubric.checklist.filter(|list| !list.components.is_empty())
    else {
        let warning = rubric.warnings.into_iter().find(|it| it.place == "components.json");
        let why = warning.map_or("is not there, or names no component".into(), |it| it.what);
        return Err(JobError::NoChecklist(why));
    };
    let all = all.into_iter();
    let Some(wanted) = wanted else { return Ok(all.map(Item::Component).collect()) };
    let is_known = |id: &&String| all.as_slice().iter().any(|component| component.id == **id);
    if let Some(unknown) = wanted.iter().find(|id| !is_known(id)) {
        let such =
            all.as_slice().first().map_or_else(String::new, |component| component.id.clone());
        return Err(JobError::UnknownComponent { id: unknown.clone(), such });
    }
    let is_wanted = |item: &Item| wanted.iter().any(|id| id == item.id());
    Ok(all.map(Item::Component).filter(is_wanted).collect())
}

/// As [`components`], of the groups of criteria.
fn groups(all: &Criteria, wanted: Option<&[String]>) -> Result<Vec<Item>, JobError> {
    let groups = || all.groups.iter();
    let is_known = |id: &&String| groups().any(|group| group.id == **id);
    if let Some(unknown) = wanted.into_iter().flatten().find(|id| !is_known(id)) {
        let such = groups().map(|group| group.id.as_str()).collect::<Vec<_>>().join(", ");
        return Err(JobError::UnknownGroup { id: unknown.clone(), such });
    }
    let is_wanted = |group: &&Group| wanted.is_none_or(|wanted| wanted.contains(&group.id));
    Ok(groups().filter(is_wanted).cloned().map(Item::Group).collect())
}
