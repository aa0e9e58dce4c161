//! Prepares a job from a request: its components, criteria, decisions or parts, its files, its prompt.

use std::{path::Path, sync::Arc};

use trajview_analysis as analysis;
use trajview_metrics::{
    decisions::{Decision, DecisionStore},
    process::JudgedPart,
};
use trajview_run::{
    Run,
    flags::Flagging,
    judging::JudgingScale,
    model_vendor::shared_vendor,
    rubric::{Checklist, Codebook, Judge, JudgeTest, LabelUnit, Rubric},
};
use trajview_store as store;
use trajview_store::OpenedRecording;

use super::{
    criteria::{Criteria, CriteriaGroup},
    document::JudgingSubject,
    item::JudgeItem,
    judge_key::JudgeKey,
    judging::JudgingJob,
    pillar_parts::PartQuestion,
    prompt::{self, JudgePrompt},
    scale,
    settings::JudgeConfig,
    snapshot::CodeSnapshot,
    unchanged_flags::{self, CarriedFlags},
};

/// The kind of items to judge.
#[derive(Debug, Clone, Default)]
pub enum JobItems {
    /// The components of the checklist.
    #[default]
    Components,
    /// Places that meet one of these.
    Places(Arc<Criteria>),
    /// The decisions of this store.
    Decisions(Arc<DecisionStore>),
    /// The parts of process pillars that ask for a judge.
    Process,
}

/// A request for a judging.
#[derive(Debug, Clone)]
pub struct JobRequest {
    pub settings: JudgeConfig,
    pub prompt: JudgePrompt,
    pub about: JobItems,
    /// The codebook for components; None for the one in `components.json`.
    pub codebook: Option<Arc<Codebook>>,
    /// Ids of components, of groups of criteria, of decisions or of parts; None for all, of decisions for those that applied
    /// to a step before the turn and that nothing has taken the place of.
    pub components: Option<Vec<String>>,
    /// Turns done.
    pub turn: usize,
    /// Looks for one conversation; None for the judge's own number.
    pub budget: Option<u32>,
    /// Number of repeats, at least 1.
    pub repeats: usize,
    pub variant: QuestionVariant,
}

/// How the question differs from the usual one, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuestionVariant {
    /// The number of a rewording of the built-in prompt; counts from 1. None for the prompt as it is.
    pub rewording: Option<usize>,
    /// True if the judge is to state a confidence after its level.
    pub asks_confidence: bool,
    /// What the judgement tests its judge for; None for a judgement of the run.
    pub test: Option<JudgeTest>,
}

/// The reason why a request cannot be met; a sentence.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("nothing to judge before the first turn; choose a turn from 1")]
    TooEarly,
    #[error("components.json {0}; it lists what to judge")]
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
    #[error(
        "only the built-in prompt for components on the levels 0 to 4 has rewordings, {} of them",
        prompt::REWORDINGS
    )]
    NoRewording,
    #[error("judge {judge}: {why}")]
    NoKey { judge: String, why: String },
}

impl JobError {
    /// Returns whether it says that this state has no items to judge; another state may have some.
    pub(crate) const fn has_nothing(&self) -> bool {
        matches!(self, Self::NoDecisions(_) | Self::NoPart { .. })
    }
}

impl JudgingJob {
    /// Prepares everything but the key; see [`Self::with_key`]. `opened` is the bundle in this folder.
    pub fn prepare(
        request: JobRequest,
        bundle: &Path,
        opened: &OpenedRecording,
    ) -> Result<Self, JobError> {
        if request.turn == 0 {
            return Err(JobError::TooEarly);
        }
        let requested = request.components.as_deref();
        let rubric = || store::rubric::read_beside(bundle);
        let of_file = || rubric().codebook.map(|book| Arc::new(*book));
        let book = matches!(request.about, JobItems::Components)
            .then(|| request.codebook.clone().or_else(of_file))
            .flatten();
        let items = match &request.about {
            JobItems::Components => component_items(rubric(), requested, book.as_ref())?,
            JobItems::Places(all) => group_items(all, requested)?,
            JobItems::Decisions(store) => decision_items(store, opened, requested, request.turn)?,
            JobItems::Process => part_items(opened, requested, request.turn)?,
        };
        let criteria = match request.about {
            JobItems::Places(all) => Some(all),
            JobItems::Components | JobItems::Decisions(_) | JobItems::Process => None,
        };
        let scale = items.first().map_or(JudgingScale::Levels, JudgeItem::scale);
        let own_book = book.as_ref().filter(|_| request.prompt.is_built_in());
        let prompt = question_prompt(request.prompt, &request.variant, scale, own_book)?;
        let snapshot = CodeSnapshot::after_turns(&opened.run, &opened.archive, request.turn)
            .map_err(JobError::NoFiles)?;
        let subject = JudgingSubject {
            test: request.variant.test,
            ..judging_subject(&opened.run, request.turn, &items, &request.settings)
        };
        let job = Self {
            budget: request.budget.unwrap_or(request.settings.budget),
            settings: Arc::new(request.settings),
            key: JudgeKey::default(),
            prompt: Arc::new(prompt),
            snapshot,
            subject,
            items,
            criteria,
            carried: CarriedFlags::default(),
            repeats: request.repeats.max(1),
        };
        if job.criteria.is_none() {
            return Ok(job);
        }
        let carried =
            job.find_carried_flags(&rubric().flaggings, opened).map_err(JobError::NoFiles)?;
        Ok(Self { carried, ..job })
    }

    fn find_carried_flags(
        &self,
        flaggings: &[Flagging],
        opened: &OpenedRecording,
    ) -> Result<CarriedFlags, String> {
        let group = |item: &JudgeItem| match item {
            JudgeItem::Component(_)
            | JudgeItem::CodebookComponent(..)
            | JudgeItem::Decision(_)
            | JudgeItem::Part(_) => None,
            JudgeItem::Group(group) => {
                let ids = group.criteria.iter().map(|it| it.id.clone()).collect();
                Some((group.id.clone(), ids))
            }
        };
        let groups: Vec<(String, Vec<String>)> = self.items.iter().filter_map(group).collect();
        let recording = (&opened.run, &*opened.archive);
        unchanged_flags::carried_flags(
            flaggings,
            &self.document_judge(),
            &groups,
            recording,
            self.subject.turn,
        )
    }

    /// Reads the key from the environment, where the judge needs one.
    pub fn with_key(self) -> Result<Self, JobError> {
        self.with_key_of(&|name| std::env::var(name).ok())
    }

    /// Reads the key from another environment, as [`Self::with_key`].
    pub fn with_key_of(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, JobError> {
        let key = JudgeKey::in_variable_of(self.settings.key_env.as_deref(), variable)
            .map_err(|why| JobError::NoKey { judge: self.settings.name.clone(), why })?;
        Ok(Self { key, ..self })
    }
}

fn judging_subject(
    run: &Run,
    turn: usize,
    items: &[JudgeItem],
    settings: &JudgeConfig,
) -> JudgingSubject {
    let model = Some(settings.model.clone()).filter(|model| !model.is_empty());
    let judge = Judge { model, ..Judge::default() };
    JudgingSubject {
        shared_vendor: shared_vendor(&judge, run),
        scale: items.first().map_or(JudgingScale::Levels, JudgeItem::scale),
        run: run.id.clone(),
        commit: run.turns.get(turn - 1).and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
        turn,
        components: items.iter().map(|item| item.id().to_owned()).collect(),
        test: None,
        batch_id: None,
    }
}

/// Returns the prompt of a question: that of the codebook where it makes one, else `prompt`; reworded and with a
/// request for a confidence, as the variant says. Fails where there is no such rewording.
fn question_prompt(
    prompt: JudgePrompt,
    variant: &QuestionVariant,
    scale: JudgingScale,
    book: Option<&Arc<Codebook>>,
) -> Result<JudgePrompt, JobError> {
    let is_built_in = prompt.is_built_in();
    let own_scales = book.filter(|_| scale == JudgingScale::Codebook);
    let example = match own_scales {
        Some(book) => book.example_answer(),
        None => scale::example_answer(scale).to_owned(),
    };
    let finished = |prompt: JudgePrompt| match variant.asks_confidence {
        true => prompt.with_confidence(&example),
        false => prompt,
    };
    let with_book = book.and_then(|book| JudgePrompt::with_codebook(scale, book));
    let base = finished(with_book.unwrap_or(prompt));
    let Some(number) = variant.rewording else { return Ok(base) };
    let is_reworded = is_built_in && scale == JudgingScale::Levels;
    let rewording = is_reworded
        .then(|| JudgePrompt::rewording(number, book.map(|book| &**book)))
        .flatten()
        .ok_or(JobError::NoRewording)?;
    let mut prompt = finished(rewording);
    prompt.reworded_from = Some(base.sha256);
    Ok(prompt)
}

/// Returns the requested components in the order of the checklist; scored by the codebook where it has other scales
/// than the rubric.
fn component_items(
    rubric: Rubric,
    requested: Option<&[String]>,
    book: Option<&Arc<Codebook>>,
) -> Result<Vec<JudgeItem>, JobError> {
    let book = book.filter(|book| !book.is_on_own_scale(LabelUnit::Component));
    let item = |component| match book {
        Some(book) => JudgeItem::CodebookComponent(component, book.clone()),
        None => JudgeItem::Component(component),
    };
    let Some(Checklist { components: all, .. }) =
        rubric.checklist.filter(|list| !list.components.is_empty())
    else {
        let warning = rubric.warnings.into_iter().find(|it| it.place == "components.json");
        let why = warning.map_or("is not there, or names no component".into(), |it| it.what);
        return Err(JobError::NoChecklist(why));
    };
    let all = all.into_iter();
    let Some(requested) = requested else { return Ok(all.map(item).collect()) };
    let is_known = |id: &&String| all.as_slice().iter().any(|component| component.id == **id);
    if let Some(unknown) = requested.iter().find(|id| !is_known(id)) {
        let such =
            all.as_slice().first().map_or_else(String::new, |component| component.id.clone());
        return Err(JobError::UnknownComponent { id: unknown.clone(), such });
    }
    let is_wanted = |item: &JudgeItem| requested.iter().any(|id| id == item.id());
    Ok(all.map(item).filter(is_wanted).collect())
}

/// Returns the requested groups of criteria, as [`component_items`].
fn group_items(all: &Criteria, requested: Option<&[String]>) -> Result<Vec<JudgeItem>, JobError> {
    let groups = || all.groups.iter();
    let is_known = |id: &&String| groups().any(|group| group.id == **id);
    if let Some(unknown) = requested.into_iter().flatten().find(|id| !is_known(id)) {
        let such = groups().map(|group| group.id.as_str()).collect::<Vec<_>>().join(", ");
        return Err(JobError::UnknownGroup { id: unknown.clone(), such });
    }
    let is_wanted =
        |group: &&CriteriaGroup| requested.is_none_or(|requested| requested.contains(&group.id));
    Ok(groups().filter(is_wanted).cloned().map(JudgeItem::Group).collect())
}

/// Returns the requested decisions in the order of the store.
fn decision_items(
    store: &DecisionStore,
    opened: &OpenedRecording,
    requested: Option<&[String]>,
    turn: usize,
) -> Result<Vec<JudgeItem>, JobError> {
    if let Some(unknown) =
        requested.into_iter().flatten().find(|id| store.find_decision(id).is_none())
    {
        let such = store.decisions.first().map_or_else(String::new, |it| it.id.clone());
        return Err(JobError::UnknownDecision { id: unknown.clone(), such });
    }
    let all = || store.decisions.iter();
    let item = |it: &Decision| JudgeItem::Decision(it.clone());
    if let Some(requested) = requested {
        return Ok(all().filter(|it| requested.contains(&it.id)).map(item).collect());
    }
    let lane = analysis::decisions::decision_lane(&opened.archive, &opened.run, store);
    let applied = lane.applied_by(turn);
    let is_meant = |it: &&Decision| !it.is_past() && applied.contains(&it.id.as_str());
    let items: Vec<JudgeItem> = all().filter(is_meant).map(item).collect();
    if items.is_empty() { Err(JobError::NoDecisions(turn)) } else { Ok(items) }
}

/// Returns the requested parts for which the run has material.
fn part_items(
    opened: &OpenedRecording,
    requested: Option<&[String]>,
    turn: usize,
) -> Result<Vec<JudgeItem>, JobError> {
    let materials = analysis::process_inputs::part_materials(&opened.archive, &opened.run, turn);
    let has = |id: &str| materials.iter().any(|(part, _)| part.id() == id);
    if let Some(id) = requested.into_iter().flatten().find(|id| !has(id)) {
        return Err(match JudgedPart::by_word(id) {
            Some(part) => JobError::NoPart { id: id.clone(), why: missing_part_reason(part) },
            None => JobError::UnknownPart(id.clone()),
        });
    }
    let is_wanted = |part: JudgedPart| {
        requested.is_none_or(|requested| requested.iter().any(|id| id == part.id()))
    };
    let items: Vec<JudgeItem> = materials
        .into_iter()
        .filter(|(part, _)| is_wanted(*part))
        .map(|(part, material)| JudgeItem::Part(PartQuestion { part, material }))
        .collect();
    match items.is_empty() {
        true => Err(JobError::NoPart { id: "DQ, CH, RT".into(), why: "the run has none of them" }),
        false => Ok(items),
    }
}

/// Returns the reason why a part cannot be judged.
const fn missing_part_reason(part: JudgedPart) -> &'static str {
    match part {
        JudgedPart::Plan => "the run has no plan to judge",
        JudgedPart::Commits => "the agent made no commit",
        JudgedPart::Requirements => "the run has no checklist and no requests",
    }
}
