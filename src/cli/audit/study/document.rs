//! The printed document of a study, with the fields of its JSON (schema `trajview.study/1`).

use serde::Serialize;
use serde_json::Number;

use trajview_run::Warning;
use trajview_study::{
    BootstrapPlan, Coefficient, Estimate, Interval, RatingScale, Ratings, Undefined,
    audit_items::AuditItem,
    loaded_study::{LoadedStudy, RaterProgress, StudyItem},
    raters::{Rater, RaterPanel, ScorePart, join_scores},
};

use super::super::document::{CountedLabels, LabelRow, score_number};

#[derive(Debug, Serialize)]
pub struct AuditStudyDocument {
    schema: &'static str,
    pub study: StudyFacts,
    pub runs: Vec<StudyRunRow>,
    pub annotator: String,
    /// Null for one who labels nothing in this study.
    pub queue: Option<StudyQueueRow>,
    /// Progress by rater; for a rater of the study only their own.
    pub progress: Vec<ProgressRow>,
    /// True if only labels count that are recorded as blind.
    pub blind_only: bool,
    /// Agreement of every two raters, by each criterion and on each scale; for a rater of the study only theirs with
    /// each judge.
    pub agreement: Vec<StudyAgreementRow>,
    /// A warning that gold labels exist for disagreements only. Null if that is not so, and for a rater who may not
    /// know.
    pub gold_warning: Option<String>,
    /// The inputs that could not be used.
    pub problems: Vec<Warning>,
}

#[derive(Debug, Serialize)]
pub struct StudyFacts {
    pub name: String,
    pub unit: &'static str,
    pub judges: Vec<String>,
    pub raters: Vec<String>,
    pub adjudicator: Option<String>,
    pub seed: u64,
    /// Things in the sample.
    pub items: usize,
    /// Things that it was drawn from.
    pub candidates: usize,
    pub strata: Vec<&'static str>,
    pub allocation: &'static str,
    /// Things that more than one rater labels by design.
    pub shared: usize,
}

#[derive(Debug, Serialize)]
pub struct StudyRunRow {
    pub run: String,
    pub path: String,
    pub condition: Option<String>,
    /// The number of its items in the sample.
    pub items: usize,
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

#[derive(Debug, Serialize)]
pub struct ProgressRow {
    pub rater: String,
    pub labelled: usize,
    pub items: usize,
    pub by_run: Vec<RunProgressRow>,
}

#[derive(Debug, Serialize)]
pub struct RunProgressRow {
    pub run: String,
    pub labelled: usize,
    pub items: usize,
}

/// Agreement of two raters on the items that both scored.
#[derive(Debug, Serialize)]
pub struct StudyAgreementRow {
    pub a: String,
    pub b: String,
    /// Null if there is one.
    pub criterion: Option<String>,
    pub scale: String,
    pub n: usize,
    /// Share of the same score. Null if there is none.
    pub exact: Option<f64>,
    pub within_1: Option<f64>,
    /// Quadratic weights.
    pub kappa: Option<f64>,
    /// 95 % BCa.
    pub interval: Option<Interval>,
    /// The reason why the interval cannot be trusted. Null if it can.
    pub warning: Option<String>,
    /// The reason why there is no kappa.
    pub not_defined: Option<Undefined>,
}

impl AuditStudyDocument {
    pub fn new(studied: &LoadedStudy, who: &str, counting: CountedLabels) -> Self {
        let sees_all = studied.design.may_see_all(who);
        let raters = if sees_all { studied.rater_names() } else { vec![who.to_owned()] };
        let queue =
            studied.design.has_rater(who).then(|| StudyQueueRow::new(studied, who, counting));
        Self {
            schema: "trajview.study/1",
            study: StudyFacts::new(studied),
            runs: study_run_rows(studied),
            annotator: who.to_owned(),
            queue,
            progress: raters.iter().map(|rater| ProgressRow::new(studied, rater)).collect(),
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

impl StudyFacts {
    fn new(studied: &LoadedStudy) -> Self {
        let design = &studied.design;
        let sample = &design.sample;
        Self {
            name: studied.name.clone(),
            unit: design.unit.word(),
            judges: design.judges.clone(),
            raters: design.raters.clone(),
            adjudicator: design.adjudicator.clone(),
            seed: sample.seed,
            items: studied.items.len(),
            candidates: studied.candidates,
            strata: sample.strata.iter().map(|it| it.word()).collect(),
            allocation: sample.allocation.word(),
            shared: design.division.shared_count(studied.items.len()),
        }
    }
}

fn study_run_rows(studied: &LoadedStudy) -> Vec<StudyRunRow> {
    let items = |at: usize| studied.items.iter().filter(|item| item.run == at).count();
    let row = |(at, run): (usize, &trajview_study::loaded_study::StudyRun)| StudyRunRow {
        run: run.name.clone(),
        path: run.path.display().to_string(),
        condition: run.condition.clone(),
        items: items(at),
    };
    studied.runs.iter().enumerate().map(row).collect()
}

impl StudyQueueRow {
    fn new(studied: &LoadedStudy, who: &str, counting: CountedLabels) -> Self {
        let queue = studied.queue_of(who).into_iter();
        let items: Vec<StudyItemRow> = (1..)
            .zip(queue)
            .map(|(number, at)| StudyItemRow::new(studied, &studied.items[at], who, number))
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

impl ProgressRow {
    fn new(studied: &LoadedStudy, rater: &str) -> Self {
        let by_run = studied.rater_progress(rater);
        let RaterProgress { done, all } = RaterProgress::sum_of(by_run.values().copied());
        let row = |(at, progress): (&usize, &RaterProgress)| RunProgressRow {
            run: studied.runs.get(*at).map(|it| it.name.clone()).unwrap_or_default(),
            labelled: progress.done,
            items: progress.all,
        };
        Self {
            rater: rater.to_owned(),
            labelled: done,
            items: all,
            by_run: by_run.iter().map(row).collect(),
        }
    }
}

/// Makes the rows of every two raters, or of one rater with each judge, part by part.
fn agreement_rows(
    studied: &LoadedStudy,
    annotator: Option<&str>,
    counting: CountedLabels,
) -> Vec<StudyAgreementRow> {
    let panel = studied.rater_panel(annotator);
    let panel = if counting == CountedLabels::Blind { panel.blind_only() } else { panel };
    let of_part = |part: ScorePart| part_agreement_rows(&part, &panel.for_part(&part), annotator);
    panel.score_parts().into_iter().flat_map(of_part).collect()
}

fn part_agreement_rows(
    part: &ScorePart,
    panel: &RaterPanel,
    annotator: Option<&str>,
) -> Vec<StudyAgreementRow> {
    let Ok(scale) = part.agreement_levels(panel) else { return vec![] };
    let is_wanted = |rater: &Rater| {
        rater.labels.as_ref().is_some_and(|it| Some(it.annotator.as_str()) == annotator)
    };
    let pairs = panel.pairs_of_raters().into_iter();
    let raters = pairs.filter_map(|(a, b)| Some((panel.raters.get(a)?, panel.raters.get(b)?)));
    let wanted = raters.filter(|(a, b)| annotator.is_none() || is_wanted(a) || is_wanted(b));
    wanted
        .map(|(a, b)| StudyAgreementRow::new(part, &scale, a, b))
        .filter(|row| row.n > 0)
        .collect()
}

impl StudyAgreementRow {
    fn new(part: &ScorePart, scale: &RatingScale, a: &Rater, b: &Rater) -> Self {
        let scores: Vec<(f64, f64)> =
            join_scores(a, b).pairs.iter().map(|it| (it.a, it.b)).collect();
        let ratings = Ratings::new(scale.clone(), &scores);
        let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic];
        let estimates = ratings.estimate_coefficients(&wanted, &BootstrapPlan::default());
        let estimate_of = |wanted| {
            let found = estimates.iter().find(|(it, _)| *it == wanted);
            found.map_or(Estimate::undefined(Undefined::NoPairs), |(_, estimate)| *estimate)
        };
        let kappa = estimate_of(Coefficient::KappaQuadratic);
        Self {
            a: a.name.clone(),
            b: b.name.clone(),
            criterion: part.criterion.clone(),
            scale: part.scale.to_string(),
            n: ratings.len(),
            exact: estimate_of(Coefficient::Exact).value.ok(),
            within_1: estimate_of(Coefficient::Within1).value.ok(),
            kappa: kappa.value.ok(),
            interval: kappa.interval.ok(),
            warning: kappa
                .interval
                .ok()
                .and(ratings.confusion_table().interval_doubt())
                .map(|it| it.to_string()),
            not_defined: kappa.value.err(),
        }
    }
}
