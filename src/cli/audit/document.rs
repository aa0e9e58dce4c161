//! The printed document, with the fields of its JSON (schema `trajview.audit/1`).

use serde::{Serialize, Serializer};
use serde_json::Number;

use crate::cli::CommandFailure;
use trajview_run::{
    model_vendor::shared_vendor,
    rubric::{CANNOT_TELL, Confidence, Judgement, JudgementLabel, LabelUnit, score_text},
};
use trajview_study::{corrected::judgement_queue::JudgementQueue, queue::QueuePlan};

use super::{
    absences::{self, AbsenceRow},
    audited_run::AuditedRun,
    correction::CorrectionRow,
};

#[derive(Debug, Serialize)]
pub struct AuditDocument {
    pub schema: &'static str,
    pub run: String,
    pub judgement: AuditedJudgementRow,
    /// Null if the queue was not requested.
    pub queue: Option<AuditQueueRow>,
    /// Rows by component, in the order of the judgement. Null if they were not requested.
    pub absences: Option<Vec<AbsenceRow>>,
}

#[derive(Debug, Serialize)]
pub struct AuditedJudgementRow {
    pub file: String,
    pub judge: String,
    pub kind: String,
    pub model: Option<String>,
    /// The vendor of both the judge's model and a model of the agent. Null if there is none, or it is not known.
    pub shared_vendor: Option<&'static str>,
    pub commit: Option<String>,
    /// Turns done.
    pub turn: usize,
}

#[derive(Debug, Serialize)]
pub struct AuditQueueRow {
    pub annotator: String,
    pub seed: u64,
    /// Null for all.
    pub size: Option<usize>,
    /// True if only labels count that are recorded as blind.
    pub blind_only: bool,
    /// The number of items that have a label with a score.
    pub labelled: usize,
    /// The number of those whose score is the verdict's.
    pub same: usize,
    /// The mean of the judge, corrected by this annotator's labels. Null for other things than components.
    pub correction: Option<CorrectionRow>,
    pub items: Vec<AuditItemRow>,
}

#[derive(Debug, Serialize)]
pub struct AuditItemRow {
    /// The position in the queue; counts from 1.
    pub number: usize,
    pub component: String,
    pub unit: &'static str,
    /// The criterion, where an item is judged by several.
    pub criterion: Option<String>,
    /// Empty if nothing names it.
    pub name: String,
    pub label: Option<LabelRow>,
    /// Null until it is labelled.
    pub verdict: Option<AuditScoreRow>,
}

#[derive(Debug, Serialize)]
pub struct LabelRow {
    /// Null if it was taken back.
    pub score: Option<Number>,
    pub label: Option<&'static str>,
    pub cannot_tell: bool,
    pub confidence: Option<&'static str>,
    pub blind: Option<bool>,
    pub reason: Option<String>,
    pub note: Option<String>,
    pub at: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct AuditScoreRow {
    #[serde(serialize_with = "serialize_whole")]
    pub score: f64,
    pub label: Option<&'static str>,
}

impl AuditScoreRow {
    pub(crate) fn of_component(score: u8) -> Self {
        Self::of_unit(score.into(), LabelUnit::Component)
    }

    pub(crate) fn of_unit(score: f64, unit: LabelUnit) -> Self {
        let is_level = unit.default_scale().contains_score(score);
        let name = unit.rubric_levels().names.get(score as usize).filter(|_| is_level);
        Self { score, label: name.copied() }
    }
}

/// Serializes a whole number without a point.
fn serialize_whole<S: Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    score_number(*score).serialize(serializer)
}

impl LabelRow {
    /// Returns the answer in a cell; a dash where it was taken back.
    pub fn score_cell(&self) -> String {
        match (&self.score, self.cannot_tell) {
            (Some(score), _) => score.to_string(),
            (None, true) => CANNOT_TELL.to_owned(),
            (None, false) => "-".to_owned(),
        }
    }

    pub fn new(label: JudgementLabel<'_>) -> Self {
        let names = label.label.unit.rubric_levels().names;
        let named = label.score().filter(|_| label.label.scale.is_none());
        Self {
            score: label.score().and_then(score_number),
            label: named.and_then(|score| names.get(score as usize).copied()),
            cannot_tell: label.label.cannot_tell,
            confidence: label.label.confidence.map(Confidence::word),
            blind: label.is_blind(),
            reason: label.reason().map(str::to_owned),
            note: label.note().map(str::to_owned),
            at: label.label.at.clone(),
        }
    }
}

/// Converts a score to a JSON number: a whole number without a point.
pub(crate) fn score_number(score: f64) -> Option<Number> {
    score_text(score).parse().ok()
}

/// The labels that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedLabels {
    Every,
    /// Labels that are recorded as given before the verdict was seen.
    Blind,
}

impl CountedLabels {
    pub(crate) const fn from_blind_only(is_blind_only: bool) -> Self {
        if is_blind_only { Self::Blind } else { Self::Every }
    }

    pub fn counts(self, label: &LabelRow) -> bool {
        self == Self::Every || label.blind == Some(true)
    }
}

impl AuditQueueRow {
    pub fn new(
        (annotator, counting): (&str, CountedLabels),
        plan: QueuePlan,
        items: Vec<AuditItemRow>,
    ) -> Self {
        let answered = items.iter().filter_map(|it| Some((it.label.as_ref()?, it.verdict?)));
        let answered = answered.filter(|(label, _)| counting.counts(label));
        let (mut labelled, mut same) = (0, 0);
        for (label, verdict) in answered {
            labelled += 1;
            let score = label.score.as_ref().and_then(Number::as_f64);
            same += usize::from(score == Some(verdict.score));
        }
        let annotator = annotator.to_owned();
        let blind_only = counting == CountedLabels::Blind;
        let QueuePlan { seed, size } = plan;
        Self { annotator, seed, size, blind_only, labelled, same, correction: None, items }
    }
}

impl AuditedJudgementRow {
    fn new(audited: &AuditedRun, judgement: &Judgement) -> Result<Self, CommandFailure> {
        Ok(Self {
            file: judgement.file.clone(),
            judge: judgement.judge.name.clone(),
            kind: judgement.judge.kind.clone(),
            model: judgement.judge.model.clone(),
            shared_vendor: shared_vendor(&judgement.judge, &audited.opened.run),
            commit: judgement.commit.clone(),
            turn: audited.turns_done(judgement)?,
        })
    }
}

impl AuditDocument {
    fn for_run(audited: &AuditedRun) -> Result<Self, CommandFailure> {
        Ok(Self {
            schema: "trajview.audit/1",
            run: audited.run_name().to_owned(),
            judgement: AuditedJudgementRow::new(audited, audited.judgement()?)?,
            queue: None,
            absences: None,
        })
    }

    /// Returns the document of a rater's queue with the corrected mean. With the half width of an interval to reach,
    /// the items that narrow it come first.
    pub(crate) fn for_queue(
        audited: &AuditedRun,
        (plan, half_width): (QueuePlan, Option<f64>),
        (annotator, counting): (&str, CountedLabels),
    ) -> Result<Self, CommandFailure> {
        let judgement = audited.judgement()?;
        let labels = audited.labels_of(annotator);
        let drawn =
            JudgementQueue::new(&audited.rubric, (judgement, judgement), Some(annotator), plan);
        let run = (audited.run_name(), audited.turns_done(judgement)?);
        let (correction, more) = CorrectionRow::for_run(&drawn, judgement, run, half_width);
        let open = drawn.open_strata();
        let order =
            more.map_or_else(|| drawn.order.clone(), |it| it.order_queue(&drawn.order, &open));
        let item = |(number, component): (usize, String)| {
            let label = labels.and_then(|labels| labels.label_for(judgement, &component));
            let is_labelled = label.is_some_and(|label| label.is_answered());
            let score = judgement.verdict_on(&component).and_then(|verdict| verdict.score);
            AuditItemRow {
                number,
                name: audited.component_name(&component).to_owned(),
                unit: LabelUnit::Component.word(),
                criterion: None,
                component,
                label: label.map(LabelRow::new),
                verdict: score.filter(|_| is_labelled).map(AuditScoreRow::of_component),
            }
        };
        let components = order.into_iter().map(|at| drawn.components[at].to_owned());
        let items: Vec<AuditItemRow> = (1..).zip(components).map(item).collect();
        let queue = AuditQueueRow {
            correction: Some(correction),
            ..AuditQueueRow::new((annotator, counting), plan, items)
        };
        Ok(Self { queue: Some(queue), ..Self::for_run(audited)? })
    }

    pub(crate) fn with_absences(audited: &AuditedRun) -> Result<Self, CommandFailure> {
        Ok(Self { absences: Some(absences::absence_rows(audited)?), ..Self::for_run(audited)? })
    }
}
