//! From a wish to a job: which components, criteria, decisions or parts, which files, which words.

use std::{path::Path, sync::Arc};

use trajview_metrics::{
    decisions::{Decision, Store},
    process::JudgedPart,
};
use trajview_run::{
    Run,
    flags::Flagging,
    rubric::{Checklist, Codebook, Rubric, Unit},
};
use trajview_store as store;
use trajview_store::Opened;

use super::{
    carry::{self, Carried},
    criteria::{Criteria, Group},
    document::Subject,
    item::Item,
    parts::Asked,
    prompt::Prompt,
    run::Job,
    scale::Scale,
    secret::Secret,
    settings::Settings,
    snapshot::Snapshot,
};

/// What is to be judged.
#[derive(Debug, Clone, Default)]
pub enum About {
    /// The components of the checklist.
    #[default]
    Components,
    /// Places that meet one of these.
    Places(Arc<Criteria>),
    /// The decisions of this store.
    Decisions(Arc<Store>),
    /// The parts of process pillars that ask for a judge.
    Process,
}

/// What somebody wants judged.
#[derive(Debug, Clone)]
pub struct JudgingRequest {
    pub settings: Settings,
    pub prompt: Prompt,
    pub about: About,
    /// What components are scored by; None for what `components.json` says.
    pub codebook: Option<Arc<Codebook>>,
    /// Ids of components, of groups of criteria, of decisions or of parts; None for all, of decisions for those that applied
    /// to a step before the turn and that nothing has taken the place of.
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
    #[error(
        "no decision in force applies to a step of the first {0} turns; --components names others"
    )]
    NoDecisions(usize),
    #[error("the store has no decision {id:?}; expected all, or ids such as {such}")]
    UnknownDecision { id: String, such: String },
    #[error("{id}: {why}")]
    NoPart { id: String, why: &'static str },
    #[error("{0}: no such part; expected DQ, CH or RT")]
    UnknownPart(String),
    #[error("{0}")]
    NoFiles(String),
    #[error("judge {judge}: {why}")]
    NoKey { judge: String, why: String },
}

impl JobError {
    /// Whether the state lacks what is asked about, which another state may have.
    pub const fn has_nothing(&self) -> bool {
        matches!(self, Self::NoDecisions(_) | Self::NoPart { .. })
    }
}

impl Job {
    /// Everything but the key; see [`Self::with_key`]. `opened` is the bundle in this folder.
    pub fn prepare(wish: JudgingRequest, bundle: &Path, opened: &Opened) -> Result<Self, JobError> {
        if wish.turn == 0 {
            return Err(JobError::TooEarly);
        }
        let wanted = wish.components.as_deref();
        let rubric = || store::rubric::read(bundle);
        let of_file = || rubric().codebook.map(|book| Arc::new(*book));
        let book = matches!(wish.about, About::Components)
            .then(|| wish.codebook.clone().or_else(of_file))
            .flatten();
        let items = match &wish.about {
            About::Components => components(rubric(), wanted, book.as_ref())?,
            About::Places(all) => groups(all, wanted)?,
            About::Decisions(store) => decisions(store, opened, wanted, wish.turn)?,
            About::Process => parts(opened, wanted, wish.turn)?,
        };
        let criteria = match wish.about {
            About::Places(all) => Some(all),
            About::Components | About::Decisions(_) | About::Process => None,
        };
        let scale = items.first().map_or(Scale::Levels, Item::scale);
        let own = book.as_ref().filter(|_| wish.prompt.is_built_in());
        let own = own.and_then(|book| Prompt::with_codebook(scale, book));
        let prompt = own.unwrap_or(wish.prompt);
        let snapshot =
            Snapshot::of(&opened.run, &opened.archive, wish.turn).map_err(JobError::NoFiles)?;
        let job = Self {
            budget: wish.budget.unwrap_or(wish.settings.budget),
            settings: Arc::new(wish.settings),
            key: Secret::default(),
            prompt: Arc::new(prompt),
            snapshot,
            subject: subject(&opened.run, wish.turn, &items),
            items,
            criteria,
            carried: Carried::default(),
            repeats: wish.repeats.max(1),
        };
        if job.criteria.is_none() {
            return Ok(job);
        }
        let carried = job.carried(&rubric().flaggings, opened).map_err(JobError::NoFiles)?;
        Ok(Self { carried, ..job })
    }

    fn carried(&self, flaggings: &[Flagging], opened: &Opened) -> Result<Carried, String> {
        let group = |item: &Item| match item {
            Item::Component(_) | Item::Rated(..) | Item::Decision(_) | Item::Part(_) => None,
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

/// Those asked for, in the order of the checklist; scored by the codebook where it has other scales than the rubric.
fn components(
    rubric: Rubric,
    wanted: Option<&[String]>,
    book: Option<&Arc<Codebook>>,
) -> Result<Vec<Item>, JobError> {
    let book = book.filter(|book| !book.is_on_own_scale(Unit::Component));
    let item = |component| match book {
        Some(book) => Item::Rated(component, book.clone()),
        None => Item::Component(component),
    };
    let Some(Checklist { components: all, .. }) =
        rubric.checklist.filter(|list| !list.components.is_empty())
    else {
        let warning = rubric.warnings.into_iter().find(|it| it.place == "components.json");
        let why = warning.map_or("is not there, or names no component".into(), |it| it.what);
        return Err(JobError::NoChecklist(why));
    };
    let all = all.into_iter();
    let Some(wanted) = wanted else { return Ok(all.map(item).collect()) };
    let is_known = |id: &&String| all.as_slice().iter().any(|component| component.id == **id);
    if let Some(unknown) = wanted.iter().find(|id| !is_known(id)) {
        let such =
            all.as_slice().first().map_or_else(String::new, |component| component.id.clone());
        return Err(JobError::UnknownComponent { id: unknown.clone(), such });
    }
    let is_wanted = |item: &Item| wanted.iter().any(|id| id == item.id());
    Ok(all.map(item).filter(is_wanted).collect())
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

/// Those asked for, in the order of the store.
fn decisions(
    store: &Store,
    opened: &Opened,
    wanted: Option<&[String]>,
    turn: usize,
) -> Result<Vec<Item>, JobError> {
    if let Some(unknown) = wanted.into_iter().flatten().find(|id| store.decision(id).is_none()) {
        let such = store.decisions.first().map_or_else(String::new, |it| it.id.clone());
        return Err(JobError::UnknownDecision { id: unknown.clone(), such });
    }
    let all = || store.decisions.iter();
    let item = |it: &Decision| Item::Decision(it.clone());
    if let Some(wanted) = wanted {
        return Ok(all().filter(|it| wanted.contains(&it.id)).map(item).collect());
    }
    let lane = store::decisions::lane(&opened.archive, &opened.run, store);
    let applied = lane.applied_by(turn);
    let is_meant = |it: &&Decision| !it.is_past() && applied.contains(&it.id.as_str());
    let items: Vec<Item> = all().filter(is_meant).map(item).collect();
    if items.is_empty() { Err(JobError::NoDecisions(turn)) } else { Ok(items) }
}

/// Those asked for of which the run has something that can be judged.
fn parts(opened: &Opened, wanted: Option<&[String]>, turn: usize) -> Result<Vec<Item>, JobError> {
    let known = store::parts::material(&opened.archive, &opened.run, turn);
    let has = |id: &str| known.iter().any(|(part, _)| part.id() == id);
    if let Some(id) = wanted.into_iter().flatten().find(|id| !has(id)) {
        return Err(match JudgedPart::by_word(id) {
            Some(part) => JobError::NoPart { id: id.clone(), why: lacks(part) },
            None => JobError::UnknownPart(id.clone()),
        });
    }
    let is_wanted =
        |part: JudgedPart| wanted.is_none_or(|wanted| wanted.iter().any(|id| id == part.id()));
    let items: Vec<Item> = known
        .into_iter()
        .filter(|(part, _)| is_wanted(*part))
        .map(|(part, material)| Item::Part(Asked { part, material }))
        .collect();
    match items.is_empty() {
        true => Err(JobError::NoPart { id: "DQ, CH, RT".into(), why: "the run has none of them" }),
        false => Ok(items),
    }
}

/// Why a part cannot be judged.
const fn lacks(part: JudgedPart) -> &'static str {
    match part {
        JudgedPart::Plan => "the run has no plan to judge",
        JudgedPart::Commits => "the agent made no commit",
        JudgedPart::Requirements => "the run has neither a checklist nor requests",
    }
}
