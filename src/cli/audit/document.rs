//! What is printed, as JSON has it (schema `trajview.audit/1`).

use serde::{Serialize, Serializer};
use serde_json::Number;

use crate::cli::Failure;
use trajview_run::rubric::{CANNOT_TELL, Confidence, Judgement, LabelOn, Unit, written};
use trajview_study::queue::{Plan, queue};

use super::{
    absences::{self, AbsenceRow},
    audited::Audited,
};

#[derive(Debug, Serialize)]
pub struct Document {
    pub schema: &'static str,
    pub run: String,
    pub judgement: JudgementRow,
    /// Null where the queue was not asked for.
    pub queue: Option<QueueRow>,
    /// By component, in the order of the judgement; null where they were not asked for.
    pub absences: Option<Vec<AbsenceRow>>,
}

#[derive(Debug, Serialize)]
pub struct JudgementRow {
    pub file: String,
    pub judge: String,
    pub kind: String,
    pub model: Option<String>,
    pub commit: Option<String>,
    /// Turns done.
    pub turn: usize,
}

#[derive(Debug, Serialize)]
pub struct QueueRow {
    pub annotator: String,
    pub seed: u64,
    /// Null for all.
    pub size: Option<usize>,
    /// Whether labels that are not recorded as blind count for nothing.
    pub blind_only: bool,
    /// How many of the items have a label with a score.
    pub labelled: usize,
    /// Of these, how many have the score of the verdict.
    pub same: usize,
    pub items: Vec<ItemRow>,
}

#[derive(Debug, Serialize)]
pub struct ItemRow {
    /// In the queue; counts from 1.
    pub number: usize,
    pub component: String,
    pub unit: &'static str,
    /// Where an item is judged by several.
    pub criterion: Option<String>,
    /// Empty where nothing names it.
    pub name: String,
    pub label: Option<LabelRow>,
    /// Null until it is labelled.
    pub verdict: Option<ScoreRow>,
}

#[derive(Debug, Serialize)]
pub struct LabelRow {
    /// Null where it was taken back.
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
pub struct ScoreRow {
    #[serde(serialize_with = "whole")]
    pub score: f64,
    pub label: Option<&'static str>,
}

impl ScoreRow {
    pub fn of(score: u8) -> Self {
        Self::of_unit(score.into(), Unit::Component)
    }

    pub fn of_unit(score: f64, unit: Unit) -> Self {
        let is_level = unit.scale().holds(score);
        let name = unit.levels().names.get(score as usize).filter(|_| is_level);
        Self { score, label: name.copied() }
    }
}

/// A whole number without a point.
fn whole<S: Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number(*score).serialize(serializer)
}

impl LabelRow {
    /// The answer in a cell; a dash where it was taken back.
    pub fn said(&self) -> String {
        match (&self.score, self.cannot_tell) {
            (Some(score), _) => score.to_string(),
            (None, true) => CANNOT_TELL.to_owned(),
            (None, false) => "-".to_owned(),
        }
    }

    pub fn of(label: LabelOn<'_>) -> Self {
        let names = label.given.unit.levels().names;
        let named = label.score().filter(|_| label.given.scale.is_none());
        Self {
            score: label.score().and_then(number),
            label: named.and_then(|score| names.get(score as usize).copied()),
            cannot_tell: label.given.cannot_tell,
            confidence: label.given.confidence.map(Confidence::word),
            blind: label.blind(),
            reason: label.reason().map(str::to_owned),
            note: label.note().map(str::to_owned),
            at: label.given.at.clone(),
        }
    }
}

/// A score as JSON has it: a whole number without a point.
pub fn number(score: f64) -> Option<Number> {
    written(score).parse().ok()
}

/// Which labels count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    Every,
    /// Those that are recorded as given before the verdict was seen.
    Blind,
}

impl Counting {
    pub const fn of(is_blind_only: bool) -> Self {
        if is_blind_only { Self::Blind } else { Self::Every }
    }

    pub fn counts(self, label: &LabelRow) -> bool {
        self == Self::Every || label.blind == Some(true)
    }
}

impl QueueRow {
    pub fn of((annotator, counting): (&str, Counting), plan: Plan, items: Vec<ItemRow>) -> Self {
        let answered = items.iter().filter_map(|it| Some((it.label.as_ref()?, it.verdict?)));
        let answered = answered.filter(|(label, _)| counting.counts(label));
        let (mut labelled, mut same) = (0, 0);
        for (label, verdict) in answered {
            labelled += 1;
            let score = label.score.as_ref().and_then(Number::as_f64);
            same += usize::from(score == Some(verdict.score));
        }
        let annotator = annotator.to_owned();
        let blind_only = counting == Counting::Blind;
        Self { annotator, seed: plan.seed, size: plan.size, blind_only, labelled, same, items }
    }
}

impl JudgementRow {
    fn of(audited: &Audited, judgement: &Judgement) -> Result<Self, Failure> {
        Ok(Self {
            file: judgement.file.clone(),
            judge: judgement.judge.name.clone(),
            kind: judgement.judge.kind.clone(),
            model: judgement.judge.model.clone(),
            commit: judgement.commit.clone(),
            turn: audited.done(judgement)?,
        })
    }
}

impl Document {
    fn of(audited: &Audited) -> Result<Self, Failure> {
        Ok(Self {
            schema: "trajview.audit/1",
            run: audited.run_name().to_owned(),
            judgement: JudgementRow::of(audited, audited.judgement()?)?,
            queue: None,
            absences: None,
        })
    }

    pub fn of_queue(
        audited: &Audited,
        plan: Plan,
        (annotator, counting): (&str, Counting),
    ) -> Result<Self, Failure> {
        let judgement = audited.judgement()?;
        let labels = audited.labels_of(annotator);
        let item = |(number, component): (usize, String)| {
            let label = labels.and_then(|labels| labels.on(judgement, &component));
            let is_labelled = label.is_some_and(|label| label.is_answered());
            let score = judgement.of(&component).and_then(|verdict| verdict.score);
            ItemRow {
                number,
                name: audited.name_of(&component).to_owned(),
                unit: Unit::Component.word(),
                criterion: None,
                component,
                label: label.map(LabelRow::of),
                verdict: score.filter(|_| is_labelled).map(ScoreRow::of),
            }
        };
        let drawn = queue(&[judgement], plan).into_iter().map(|item| item.component);
        let items: Vec<ItemRow> = (1..).zip(drawn).map(item).collect();
        let queue = QueueRow::of((annotator, counting), plan, items);
        Ok(Self { queue: Some(queue), ..Self::of(audited)? })
    }

    pub fn of_absences(audited: &Audited) -> Result<Self, Failure> {
        Ok(Self { absences: Some(absences::rows(audited)?), ..Self::of(audited)? })
    }
}
