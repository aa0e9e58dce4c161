//! What is printed of a study, as JSON has it (schema `trajview.study/1`).

use serde::Serialize;
use serde_json::Number;

use trajview_run::Warning;
use trajview_study::{
    Coefficient, Estimate, Interval, Plan, Ratings, Scale, Undefined,
    items::AuditItem,
    raters::{Panel, Part, Rater, join},
    studied::{Progress, Studied, StudyItem},
};

use super::super::document::{Counting, LabelRow, number};

#[derive(Debug, Serialize)]
pub struct Document {
    schema: &'static str,
    pub study: StudyRow,
    pub runs: Vec<RunRow>,
    pub annotator: String,
    /// Null for one who labels nothing in this study.
    pub queue: Option<QueueRow>,
    /// By rater; of one who labels, their own alone.
    pub progress: Vec<ProgressRow>,
    /// Whether labels that are not recorded as blind count for nothing.
    pub blind_only: bool,
    /// Of every two, by each criterion and on each scale; of one who labels, with each judge alone.
    pub agreement: Vec<AgreementRow>,
    /// That what was settled is of disagreements alone; null where it is not, and for whoever may not know.
    pub gold_warning: Option<String>,
    /// What could not be used.
    pub problems: Vec<Warning>,
}

#[derive(Debug, Serialize)]
pub struct StudyRow {
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
pub struct RunRow {
    pub run: String,
    pub path: String,
    pub condition: Option<String>,
    /// In the sample.
    pub items: usize,
}

#[derive(Debug, Serialize)]
pub struct QueueRow {
    /// How many of the items are answered: with a score, or that it cannot be told.
    pub labelled: usize,
    /// Of these, how many have the score of the verdict.
    pub same: usize,
    pub items: Vec<ItemRow>,
}

#[derive(Debug, Serialize)]
pub struct ItemRow {
    /// In the queue of this rater; counts from 1.
    pub number: usize,
    pub run: String,
    /// Id of the thing.
    pub component: String,
    /// Where it is labelled by several.
    pub criterion: Option<String>,
    /// Empty where nothing names it.
    pub name: String,
    pub judgement: String,
    pub judge: String,
    pub commit: Option<String>,
    pub turn: Option<usize>,
    pub label: Option<LabelRow>,
    /// Null until it is labelled.
    pub verdict: Option<VerdictRow>,
}

/// The score of a judge.
#[derive(Debug, Serialize)]
pub struct VerdictRow {
    pub score: Number,
    pub label: Option<String>,
}

impl VerdictRow {
    fn of(score: f64, item: &AuditItem) -> Self {
        let name = item.unit.levels().names.get(score as usize);
        let own = name.filter(|_| score.fract() == 0.0).map(|name| (*name).to_owned());
        let label = match item.said.scale {
            None => own,
            Some(_) => item.said.label.clone(),
        };
        Self { score: number(score).unwrap_or_else(|| Number::from(0)), label }
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

/// How far two agree on what both scored.
#[derive(Debug, Serialize)]
pub struct AgreementRow {
    pub a: String,
    pub b: String,
    /// Null where there is one.
    pub criterion: Option<String>,
    pub scale: String,
    pub n: usize,
    /// Share of the same score; null where there is none.
    pub exact: Option<f64>,
    pub within_1: Option<f64>,
    /// Quadratic weights.
    pub kappa: Option<f64>,
    /// 95 % BCa.
    pub interval: Option<Interval>,
    /// Why the interval cannot be trusted; null where it can.
    pub warning: Option<String>,
    /// Why there is no kappa.
    pub not_defined: Option<Undefined>,
}

impl Document {
    pub fn of(studied: &Studied, who: &str, counting: Counting) -> Self {
        let sees_all = studied.design.may_see_all(who);
        let raters = if sees_all { studied.raters() } else { vec![who.to_owned()] };
        let queue = studied.design.has_rater(who).then(|| QueueRow::of(studied, who, counting));
        Self {
            schema: "trajview.study/1",
            study: StudyRow::of(studied),
            runs: runs(studied),
            annotator: who.to_owned(),
            queue,
            progress: raters.iter().map(|rater| ProgressRow::of(studied, rater)).collect(),
            blind_only: counting == Counting::Blind,
            agreement: agreement(studied, (!sees_all).then_some(who), counting),
            gold_warning: sees_all
                .then(|| studied.panel(None).disputed_alone())
                .flatten()
                .map(|it| it.to_string()),
            problems: studied.warnings.clone(),
        }
    }
}

impl StudyRow {
    fn of(studied: &Studied) -> Self {
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
            shared: design.division.shared(studied.items.len()),
        }
    }
}

fn runs(studied: &Studied) -> Vec<RunRow> {
    let items = |at: usize| studied.items.iter().filter(|item| item.run == at).count();
    let row = |(at, run): (usize, &trajview_study::studied::StudyRun)| RunRow {
        run: run.name.clone(),
        path: run.path.display().to_string(),
        condition: run.condition.clone(),
        items: items(at),
    };
    studied.runs.iter().enumerate().map(row).collect()
}

impl QueueRow {
    fn of(studied: &Studied, who: &str, counting: Counting) -> Self {
        let queue = studied.queue_of(who).into_iter();
        let items: Vec<ItemRow> = (1..)
            .zip(queue)
            .map(|(number, at)| ItemRow::of(studied, &studied.items[at], who, number))
            .collect();
        let counts = |it: &&ItemRow| it.label.as_ref().is_some_and(|it| counting.counts(it));
        let answered = items.iter().filter(|it| it.is_answered()).filter(counts);
        let is_same = |it: &&ItemRow| {
            let label = it.label.as_ref().and_then(|it| it.score.as_ref()?.as_f64());
            label.is_some() && label == it.verdict.as_ref().and_then(|it| it.score.as_f64())
        };
        Self { labelled: answered.clone().count(), same: answered.filter(is_same).count(), items }
    }
}

impl ItemRow {
    fn is_answered(&self) -> bool {
        self.label.as_ref().is_some_and(|it| it.score.is_some() || it.cannot_tell)
    }

    fn of(studied: &Studied, item: &StudyItem, who: &str, number: usize) -> Self {
        let label = studied.label(item, who);
        let AuditItem { id, criterion, title, judgement, commit, turn, said, .. } = &item.item;
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
            label: label.map(LabelRow::of),
            verdict: verdict.map(|it| VerdictRow::of(it, &item.item)),
        }
    }
}

impl ProgressRow {
    fn of(studied: &Studied, rater: &str) -> Self {
        let by_run = studied.progress(rater);
        let Progress { done, all } = Progress::sum(by_run.values().copied());
        let row = |(at, progress): (&usize, &Progress)| RunProgressRow {
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

/// Of every two raters, or of one with each judge, part by part.
fn agreement(studied: &Studied, of: Option<&str>, counting: Counting) -> Vec<AgreementRow> {
    let panel = studied.panel(of);
    let panel = if counting == Counting::Blind { panel.blind_only() } else { panel };
    let of_part = |part: Part| agreement_of(&part, &panel.of_part(&part), of);
    panel.parts().into_iter().flat_map(of_part).collect()
}

fn agreement_of(part: &Part, panel: &Panel, of: Option<&str>) -> Vec<AgreementRow> {
    let Ok(scale) = part.levels(panel) else { return vec![] };
    let is_wanted =
        |rater: &Rater| rater.labels.as_ref().is_some_and(|it| Some(it.annotator.as_str()) == of);
    let pairs = panel.pairs_of_raters().into_iter();
    let raters = pairs.filter_map(|(a, b)| Some((panel.raters.get(a)?, panel.raters.get(b)?)));
    let wanted = raters.filter(|(a, b)| of.is_none() || is_wanted(a) || is_wanted(b));
    wanted.map(|(a, b)| AgreementRow::of(part, &scale, a, b)).filter(|row| row.n > 0).collect()
}

impl AgreementRow {
    fn of(part: &Part, scale: &Scale, a: &Rater, b: &Rater) -> Self {
        let scores: Vec<(f64, f64)> = join(a, b).pairs.iter().map(|it| (it.a, it.b)).collect();
        let ratings = Ratings::new(scale.clone(), &scores);
        let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic];
        let estimates = ratings.estimates(&wanted, &Plan::default());
        let of = |wanted| {
            let found = estimates.iter().find(|(it, _)| *it == wanted);
            found.map_or(Estimate::undefined(Undefined::NoPairs), |(_, estimate)| *estimate)
        };
        let kappa = of(Coefficient::KappaQuadratic);
        Self {
            a: a.name.clone(),
            b: b.name.clone(),
            criterion: part.criterion.clone(),
            scale: part.scale.to_string(),
            n: ratings.len(),
            exact: of(Coefficient::Exact).value.ok(),
            within_1: of(Coefficient::Within1).value.ok(),
            kappa: kappa.value.ok(),
            interval: kappa.interval.ok(),
            warning: kappa.interval.ok().and(ratings.table().doubt()).map(|it| it.to_string()),
            not_defined: kappa.value.err(),
        }
    }
}
