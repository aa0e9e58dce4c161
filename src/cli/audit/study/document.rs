//! The printed document of a study, with the fields of its JSON (schema `trajview.study/1`).

use serde::Serialize;
use serde_json::Number;

use crate::cli::output::{Json, record};
use trajview_run::Warning;
use trajview_study::{
    BootstrapPlan, Coefficient, Estimate, RatingScale, Ratings, Undefined,
    audit_items::AuditItem,
    corrected::study_queue::StudyLabels,
    loaded_study::{LoadedStudy, RaterProgress, StudyItem},
    raters::{Rater, RaterPanel, ScorePart, join_scores},
};

use super::super::{
    correction::{CorrectionReader, CorrectionRow},
    document::{CountedLabels, LabelRow, score_number},
};

#[derive(Debug, Serialize)]
pub struct AuditStudyDocument {
    schema: &'static str,
    pub study: Json,
    pub runs: Vec<Json>,
    pub annotator: String,
    /// Null for one who labels nothing in this study.
    pub queue: Option<StudyQueueRow>,
    /// Progress by rater; for a rater of the study only their own.
    pub progress: Vec<Json>,
    /// The mean level of the judge, corrected by blind labels: of all raters, for a rater of the study their own.
    pub correction: CorrectionRow,
    /// True if only labels count that are recorded as blind.
    pub blind_only: bool,
    /// Agreement of every two raters, by each criterion and on each scale; for a rater of the study only theirs with
    /// each judge.
    pub agreement: Vec<Json>,
    /// A warning that gold labels exist for disagreements only. Null if that is not so, and for a rater who may not
    /// know.
    pub gold_warning: Option<String>,
    /// The inputs that could not be used.
    pub problems: Vec<Warning>,
}

#[derive(Debug, Serialize)]
pub struct StudyQueueRow {
    /// The number of answered items: with a score, or with "cannot tell".
    pub labelled: usize,
    /// The number of those whose score is the verdict's.
    pub same: usize,
    pub items: Vec<StudyItemRow>,
}

#[derive(Debug, Serialize)]
pub struct StudyItemRow {
    /// The position in the queue of this rater; counts from 1.
    pub number: usize,
    pub run: String,
    /// Id of the thing.
    pub component: String,
    /// The criterion, where an item is labelled by several.
    pub criterion: Option<String>,
    /// Empty if nothing names it.
    pub name: String,
    pub judgement: String,
    pub judge: String,
    pub commit: Option<String>,
    pub turn: Option<usize>,
    pub label: Option<LabelRow>,
    /// Null until it is labelled.
    pub verdict: Option<StudyVerdictRow>,
}

/// The score of a judge.
#[derive(Debug, Serialize)]
pub struct StudyVerdictRow {
    pub score: Number,
    pub label: Option<String>,
}

impl StudyVerdictRow {
    fn new(score: f64, item: &AuditItem) -> Self {
        let name = item.unit.rubric_levels().names.get(score as usize);
        let own_level = name.filter(|_| score.fract() == 0.0).map(|name| (*name).to_owned());
        let label = match item.verdict.scale {
            None => own_level,
            Some(_) => item.verdict.label.clone(),
        };
        Self { score: score_number(score).unwrap_or_else(|| Number::from(0)), label }
    }
}

impl AuditStudyDocument {
    pub fn new(
        studied: &LoadedStudy,
        who: &str,
        (counting, half_width): (CountedLabels, Option<f64>),
    ) -> Self {
        let sees_all = studied.design.may_see_all(who);
        let labels = StudyLabels::new(studied, (!sees_all).then_some(who));
        let is_open = |at: &usize| !studied.is_labelled(&studied.items[*at], who);
        let reader = match !sees_all && studied.queue_of(who).iter().any(is_open) {
            true => CorrectionReader::RaterWithOpenItems,
            false => CorrectionReader::SeesAll,
        };
        let (correction, plan) =
            CorrectionRow::for_study(&labels, (studied.design.unit, reader), half_width);
        let order = plan.map(|plan| labels.planned_queue(&plan, who));
        let order = order.unwrap_or_else(|| studied.queue_of(who));
        let raters = if sees_all { studied.rater_names() } else { vec![who.to_owned()] };
        let queue = studied
            .design
            .has_rater(who)
            .then(|| StudyQueueRow::new(studied, (who, &order), counting));
        Self {
            schema: "trajview.study/1",
            study: study_facts(studied),
            runs: study_run_rows(studied),
            annotator: who.to_owned(),
            queue,
            progress: raters.iter().map(|rater| progress_row(studied, rater)).collect(),
            correction,
            blind_only: counting == CountedLabels::Blind,
            agreement: agreement_rows(studied, (!sees_all).then_some(who), counting),
            gold_warning: sees_all
                .then(|| studied.rater_panel(None).gold_coverage())
                .flatten()
                .map(|it| it.to_string()),
            problems: studied.warnings.clone(),
        }
    }
}

/// Returns the JSON of a study: `items` are the things in the sample, `candidates` those that it was drawn from, and
/// `shared` those that more than one rater labels by design.
fn study_facts(studied: &LoadedStudy) -> Json {
    let design = &studied.design;
    let sample = &design.sample;
    record! {
        name: studied.name,
        unit: design.unit.word(),
        judges: design.judges,
        raters: design.raters,
        adjudicator: design.adjudicator,
        seed: sample.seed,
        items: studied.items.len(),
        candidates: studied.candidates,
        strata: Json::list(&sample.strata, |it| Json::new(it.word())),
        allocation: sample.allocation.word(),
        shared: design.division.shared_count(studied.items.len()),
    }
}

/// Returns a row for each run, with the number of its items in the sample.
fn study_run_rows(studied: &LoadedStudy) -> Vec<Json> {
    let items = |at: usize| studied.items.iter().filter(|item| item.run == at).count();
    let runs = studied.runs.iter().enumerate();
    runs.map(|(at, run)| {
        record! {
            run: run.name,
            path: run.path.display().to_string(),
            condition: run.condition,
            items: items(at),
        }
    })
    .collect()
}

impl StudyQueueRow {
    fn new(studied: &LoadedStudy, (who, order): (&str, &[usize]), counting: CountedLabels) -> Self {
        let items: Vec<StudyItemRow> = (1..)
            .zip(order)
            .map(|(number, at)| StudyItemRow::new(studied, &studied.items[*at], who, number))
            .collect();
        let counts = |it: &&StudyItemRow| it.label.as_ref().is_some_and(|it| counting.counts(it));
        let answered = items.iter().filter(|it| it.is_answered()).filter(counts);
        let is_same = |it: &&StudyItemRow| {
            let label = it.label.as_ref().and_then(|it| it.score.as_ref()?.as_f64());
            label.is_some() && label == it.verdict.as_ref().and_then(|it| it.score.as_f64())
        };
        Self { labelled: answered.clone().count(), same: answered.filter(is_same).count(), items }
    }
}

impl StudyItemRow {
    fn is_answered(&self) -> bool {
        self.label.as_ref().is_some_and(|it| it.score.is_some() || it.cannot_tell)
    }

    fn new(studied: &LoadedStudy, item: &StudyItem, who: &str, number: usize) -> Self {
        let label = studied.label_by(item, who);
        let AuditItem { id, criterion, title, judgement, commit, turn, verdict: said, .. } =
            &item.item;
        let verdict = said.score.filter(|_| label.is_some_and(|it| it.is_answered()));
        Self {
            number,
            run: studied.run_of(item).map(|it| it.name.clone()).unwrap_or_default(),
            component: id.clone(),
            criterion: criterion.clone(),
            name: title.clone(),
            judgement: judgement.clone(),
            judge: studied.judge_of(item).to_owned(),
            commit: commit.clone(),
            turn: *turn,
            label: label.map(LabelRow::new),
            verdict: verdict.map(|it| StudyVerdictRow::new(it, &item.item)),
        }
    }
}

fn progress_row(studied: &LoadedStudy, rater: &str) -> Json {
    let by_run = studied.rater_progress(rater);
    let RaterProgress { done, all } = RaterProgress::sum_of(by_run.values().copied());
    record! {
        rater: rater,
        labelled: done,
        items: all,
        by_run: Json::list(&by_run, |(at, progress)| {
            record! {
                run: studied.runs.get(*at).map_or("", |it| &it.name),
                labelled: progress.done,
                items: progress.all,
            }
        }),
    }
}

/// Makes the rows of every two raters, or of one rater with each judge, part by part.
fn agreement_rows(
    studied: &LoadedStudy,
    annotator: Option<&str>,
    counting: CountedLabels,
) -> Vec<Json> {
    let panel = studied.rater_panel(annotator);
    let panel = if counting == CountedLabels::Blind { panel.blind_only() } else { panel };
    let of_part = |part: ScorePart| part_agreement_rows(&part, &panel.for_part(&part), annotator);
    panel.score_parts().into_iter().flat_map(of_part).collect()
}

fn part_agreement_rows(part: &ScorePart, panel: &RaterPanel, annotator: Option<&str>) -> Vec<Json> {
    let Ok(scale) = part.agreement_levels(panel) else { return vec![] };
    let is_wanted = |rater: &Rater| {
        rater.labels.as_ref().is_some_and(|it| Some(it.annotator.as_str()) == annotator)
    };
    let pairs = panel.pairs_of_raters().into_iter();
    let raters = pairs.filter_map(|(a, b)| Some((panel.raters.get(a)?, panel.raters.get(b)?)));
    let wanted = raters.filter(|(a, b)| annotator.is_none() || is_wanted(a) || is_wanted(b));
    wanted
        .map(|(a, b)| agreement_row(part, &scale, a, b))
        .filter(|row| row.count("n") > 0)
        .collect()
}

/// Returns the agreement of two raters on the items that both scored: `exact` is the share of the same score, `kappa`
/// has quadratic weights, and the `warning` is why its 95 % BCa interval cannot be trusted.
fn agreement_row(part: &ScorePart, scale: &RatingScale, a: &Rater, b: &Rater) -> Json {
    let scores: Vec<(f64, f64)> = join_scores(a, b).pairs.iter().map(|it| (it.a, it.b)).collect();
    let ratings = Ratings::new(scale.clone(), &scores);
    let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic];
    let estimates = ratings.estimate_coefficients(&wanted, &BootstrapPlan::default());
    let estimate_of = |wanted| {
        let found = estimates.iter().find(|(it, _)| *it == wanted);
        found.map_or(Estimate::undefined(Undefined::NoPairs), |(_, estimate)| *estimate)
    };
    let kappa = estimate_of(Coefficient::KappaQuadratic);
    let doubt = kappa.interval.ok().and(ratings.confusion_table().interval_doubt());
    record! {
        a: a.name,
        b: b.name,
        criterion: part.criterion,
        scale: part.scale.to_string(),
        n: ratings.len(),
        exact: estimate_of(Coefficient::Exact).value.ok(),
        within_1: estimate_of(Coefficient::Within1).value.ok(),
        kappa: kappa.value.ok(),
        interval: kappa.interval.ok(),
        warning: doubt.map(|it| it.to_string()),
        not_defined: kappa.value.err(),
    }
}
