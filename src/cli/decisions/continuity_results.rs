//! Continuity's result files as tables: alignment of actions by condition, recall over sessions, agreement of two judges.

use std::{collections::BTreeMap, io, path::Path};

use serde::Serialize;
use serde_json::Value;

use crate::cli::output::{Out, OutputTable, share_cell};
use trajview_formats::JsonFields;
use trajview_formats::not_finite;
use trajview_run::format_number;
use trajview_study::{
    BootstrapPlan,
    agreement::{Coefficient, RatingScale, Ratings},
    paired::compare_pairs,
};
use trajview_tui::widgets::sparkline::bars_text;

use super::DecisionsArgs;

/// The contents of a result file.
#[derive(Serialize)]
pub struct ContinuityResults {
    schema: &'static str,
    kind: &'static str,
    /// A row a condition: scores of proposed actions, 1 to 10, or of recalled answers, 0 to 1.
    conditions: Vec<ConditionRow>,
    /// Pairs of conditions over the same actions or questions.
    tests: Vec<ConditionTestRow>,
    /// Mean recall by session: condition, session, mean.
    sessions: Vec<SessionRecallRow>,
    judges: Option<JudgeAgreementRow>,
    /// Values that were left out of the numbers, and other rules by which a number of the file can be reproduced.
    notes: Vec<String>,
    /// Values that the file gives and that its own rows do not come to.
    does_not_add_up: Vec<String>,
}

#[derive(Serialize)]
struct ConditionRow {
    condition: String,
    /// Scores, without the judge's answers that could not be read.
    n: usize,
    /// Answers of the judge that could not be read; the file has a score of 0 there.
    failed: usize,
    /// The mean; for recall the mean of the means of its sessions.
    mean: Option<f64>,
    /// The mean that the file has.
    recorded_mean: Option<f64>,
    median: Option<f64>,
    /// For recall: the slope of the session means by session.
    drift: Option<f64>,
    recorded_drift: Option<f64>,
}

#[derive(Serialize)]
struct ConditionTestRow {
    a: String,
    b: String,
    n: usize,
    mean_gap: Option<f64>,
    /// Wilcoxon's signed-rank test, two-sided.
    p: Option<f64>,
    /// The method of p: `exact`, or `normal approximation`.
    p_by: Option<&'static str>,
    /// The mean gap over the standard deviation (n - 1) of the gaps.
    cohen_d: Option<f64>,
}

/// Agreement of two judges.
#[derive(Serialize)]
struct JudgeAgreementRow {
    a: String,
    b: String,
    /// Pairs with two scores.
    n: usize,
    /// Pairs in which an answer could not be read.
    failed: usize,
    mean_a: Option<f64>,
    mean_b: Option<f64>,
    exact: Option<f64>,
    within_1: Option<f64>,
    /// Kappa on the scale from 1 to 10.
    kappa_linear: Option<f64>,
    /// Kappa on the levels that occur, each one step from the next.
    kappa_linear_of_levels: Option<f64>,
    kappa_quadratic: Option<f64>,
    spearman: Option<f64>,
}

#[derive(Serialize)]
struct SessionRecallRow {
    condition: String,
    session: i64,
    mean: Option<f64>,
}

/// Bytes of a result file that are read.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a result file. None if the file is something else.
pub fn read_results(path: &Path) -> Option<ContinuityResults> {
    let meta = std::fs::metadata(path).ok().filter(|it| it.is_file() && it.len() <= MOST_BYTES)?;
    let is_json = path.extension().is_some_and(|end| end == "json");
    if !is_json || meta.len() == 0 {
        return None;
    }
    let (document, _) = not_finite::read_json::<Value>(&std::fs::read(path).ok()?).ok()?;
    results_of(&document)
}

fn results_of(document: &Value) -> Option<ContinuityResults> {
    if let Some(pairs) = document.list("pairs") {
        return Some(judge_results(document, pairs));
    }
    let rows = document.list("results");
    if let Some(rows) = rows.filter(|rows| rows.iter().any(|row| row.get("judgeScore").is_some())) {
        return Some(alignment_results(document, rows));
    }
    let conditions = document.list("conditions")?;
    conditions
        .iter()
        .any(|it| it.get("perQuestion").is_some())
        .then(|| recall_results(document, conditions))
}

fn text_field(value: &Value, key: &str) -> String {
    value.text(key).unwrap_or_default().to_owned()
}

fn number_field(value: &Value, key: &str) -> Option<f64> {
    value.float(key).filter(|it| it.is_finite())
}

/// Reads a judge's score on the scale from 1 to 10. An unreadable answer is recorded as 0, which is no score.
fn level_field(value: &Value, key: &str) -> Option<f64> {
    number_field(value, key).filter(|it| (1.0..=10.0).contains(it))
}

/// By condition: scores by the id of the scored action or question.
type ScoresByCondition = BTreeMap<String, BTreeMap<String, f64>>;

/// Keeps a score under an id; a further one of that id, under the next number.
fn add_score(scores: &mut BTreeMap<String, f64>, id: &str, score: f64) {
    let numbered = (2..).map(|number| format!("{id} ({number})"));
    let free = std::iter::once(id.to_owned()).chain(numbered).find(|id| !scores.contains_key(id));
    scores.extend(free.map(|id| (id, score)));
}

fn mean_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0usize), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}

fn condition_tests(scores: &ScoresByCondition) -> Vec<ConditionTestRow> {
    let names: Vec<&String> = scores.keys().collect();
    let mut found = vec![];
    for (at, a) in names.iter().enumerate() {
        for b in &names[at + 1..] {
            let both: Vec<(f64, f64)> = scores[*a]
                .iter()
                .filter_map(|(id, score)| Some((*score, *scores[*b].get(id)?)))
                .collect();
            let plan = BootstrapPlan { resamples: 0, ..BootstrapPlan::default() };
            let test = compare_pairs(&both, &plan);
            found.push(ConditionTestRow {
                a: (*a).clone(),
                b: (*b).clone(),
                n: both.len(),
                mean_gap: mean_of(both.iter().map(|(a, b)| a - b)),
                p: test.wilcoxon.as_ref().ok().map(|it| it.p),
                p_by: test.wilcoxon.as_ref().ok().map(|it| it.method.name()),
                cohen_d: test.cohen_d.value.ok(),
            });
        }
    }
    found
}

fn alignment_results(document: &Value, rows: &[Value]) -> ContinuityResults {
    /// The scores of a condition as they are written down, with those of answers that could not be read.
    #[derive(Default)]
    struct ConditionScores {
        values: Vec<f64>,
        scores: BTreeMap<String, f64>,
    }
    let mut by_condition: BTreeMap<String, ConditionScores> = BTreeMap::new();
    for row in rows {
        let of_condition = by_condition.entry(text_field(row, "condition")).or_default();
        of_condition.values.extend(number_field(row, "judgeScore"));
        if let Some(score) = level_field(row, "judgeScore") {
            add_score(&mut of_condition.scores, &text_field(row, "actionId"), score);
        }
    }
    let stated: BTreeMap<String, &Value> = entries_by_key(document, "summaries", "condition");
    let planned = number_field(document, "actionsPerCondition");
    let mut check = StatedValueCheck::default();
    let mut conditions = vec![];
    for (condition, of_condition) in &by_condition {
        let scores: Vec<f64> = of_condition.scores.values().copied().collect();
        let stated = stated.get(condition).copied();
        if let Some(stated) = stated {
            check.check_summary(
                condition,
                stated,
                &of_condition.values,
                &scores,
                &SUMMARY_OF_ACTIONS,
            );
        }
        if let Some(planned) = planned {
            check.check_count(condition, "actionsPerCondition", planned, of_condition.values.len());
        }
        let failed = of_condition.values.len() - scores.len();
        if failed > 0 {
            check.notes.push(format!(
                "{condition}: {failed} of {} answers of the judge are unreadable and excluded",
                of_condition.values.len()
            ));
        }
        conditions.push(ConditionRow {
            condition: condition.clone(),
            n: scores.len(),
            failed,
            mean: mean_of(scores.iter().copied()),
            recorded_mean: stated.and_then(|it| number_field(it, "meanScore")),
            median: median_of(&scores),
            drift: None,
            recorded_drift: None,
        });
    }
    let scores: ScoresByCondition =
        by_condition.into_iter().map(|(name, of_condition)| (name, of_condition.scores)).collect();
    ContinuityResults::new("alignment of actions, 1 to 10", conditions, &scores, check)
}

fn recall_results(document: &Value, list: &[Value]) -> ContinuityResults {
    let mut scores = ScoresByCondition::new();
    let mut sessions = vec![];
    let mut conditions = vec![];
    let mut check = StatedValueCheck::default();
    for condition in list {
        let name = text_field(condition, "condition");
        let mut by_session: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for row in condition.elements_of("perQuestion") {
            let session = row.integer("sessionIdx").unwrap_or_default();
            if let Some(score) = number_field(row, "score") {
                by_session.entry(session).or_default().push(score);
                let id = format!("{session}/{}", text_field(row, "questionId"));
                add_score(scores.entry(name.clone()).or_default(), &id, score);
            }
        }
        for stated in condition.elements_of("sessionSummaries") {
            let session = stated.integer("sessionIdx").unwrap_or_default();
            let own = by_session.get(&session).map_or(&[][..], Vec::as_slice);
            if let Some(summary) = stated.get("summary") {
                let called = format!("{name}, session {session}");
                check.check_summary(&called, summary, own, own, &SUMMARY_OF_ANSWERS);
            }
        }
        let is_summarised = condition.list("sessionSummaries").is_some();
        if let (Some(planned), true) = (number_field(document, "sessions"), is_summarised) {
            check.check_count(&name, "sessions", planned, by_session.len());
        }
        let means: Vec<f64> =
            by_session.values().filter_map(|own| mean_of(own.iter().copied())).collect();
        let row = ConditionRow {
            n: by_session.values().map(Vec::len).sum(),
            failed: 0,
            mean: mean_of(means.iter().copied()),
            recorded_mean: number_field(condition, "meanAcrossSessions"),
            median: median_of(&by_session.values().flatten().copied().collect::<Vec<_>>()),
            drift: slope_of(&means),
            recorded_drift: number_field(condition, "driftSlope"),
            condition: name.clone(),
        };
        check.check_value(&name, "a mean", condition.get("meanAcrossSessions"), &[row.mean]);
        check.check_value(
            &name,
            "a drift",
            condition.get("driftSlope").filter(|_| row.drift.is_some()),
            &[row.drift],
        );
        conditions.push(row);
        sessions.extend(by_session.into_iter().map(|(session, scores)| SessionRecallRow {
            condition: name.clone(),
            session,
            mean: mean_of(scores.into_iter()),
        }));
    }
    ContinuityResults {
        sessions,
        ..ContinuityResults::new("recall over sessions, 0 to 1", conditions, &scores, check)
    }
}

/// Returns the entries of a list of a document, by what they have under a key.
fn entries_by_key<'v>(document: &'v Value, list: &str, key: &str) -> BTreeMap<String, &'v Value> {
    let entries = document.elements_of(list).iter();
    entries.map(|entry| (text_field(entry, key), entry)).collect()
}

/// Returns the median. None without values.
fn median_of(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[middle - 1] + upper) / 2.0 })
}

/// Returns the least-squares slope over the indices of the values; None for fewer than two.
fn slope_of(values: &[f64]) -> Option<f64> {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let center = mean_of(values.iter().copied()).filter(|_| values.len() > 1)?;
    let steps =
        || values.iter().enumerate().map(|(at, value)| (at as f64 - middle, value - center));
    let squares: f64 = steps().map(|(x, _)| x * x).sum();
    Some(steps().map(|(x, y)| x * y).sum::<f64>() / squares)
}

/// The keys of a summary in a file for mean, median, least, most, count, and the share of 0.7 and more, each with its
/// words.
type SummaryKeys = [(&'static str, &'static str); 6];
const SUMMARY_OF_ACTIONS: SummaryKeys = [
    ("meanScore", "a mean"),
    ("medianScore", "a median"),
    ("minScore", "a lowest score"),
    ("maxScore", "a highest score"),
    ("count", "a count"),
    ("", ""),
];
const SUMMARY_OF_ANSWERS: SummaryKeys = [
    ("mean", "a mean"),
    ("median", "a median"),
    ("min", "a lowest score"),
    ("max", "a highest score"),
    ("count", "a count"),
    ("fractionAbove070", "a share of 0.7 and more"),
];

fn summary_of(values: &[f64]) -> [Option<f64>; 6] {
    let above = values.iter().filter(|it| **it >= 0.7).count();
    let share = (!values.is_empty()).then(|| above as f64 / values.len() as f64);
    [
        mean_of(values.iter().copied()),
        median_of(values),
        values.iter().copied().reduce(f64::min),
        values.iter().copied().reduce(f64::max),
        Some(values.len() as f64),
        share,
    ]
}

/// Compares the values that a file states with those computed from its own rows.
#[derive(Default)]
struct StatedValueCheck {
    notes: Vec<String>,
    does_not_add_up: Vec<String>,
}

/// Half a unit of the second digit: results may be rounded to two.
const ROUNDED: f64 = 0.0051;

/// Returns the most by which a value may have been rounded: by the digits that it has, if they are more than two.
fn rounding_of(value: &Value) -> f64 {
    const MOST_DIGITS: usize = 6;
    let written = value.to_string();
    let digits = written.split_once('.').map_or(0, |(_, digits)| digits.len().min(MOST_DIGITS));
    if digits <= 2 { ROUNDED } else { 0.51 * 10f64.powi(-(digits as i32)) }
}

impl StatedValueCheck {
    /// Checks a value of the file. Any of `ours` is right. Nothing is checked without a value.
    fn check_value(
        &mut self,
        subject: &str,
        what: &str,
        stated: Option<&Value>,
        ours: &[Option<f64>],
    ) {
        let Some(value) = stated.and_then(Value::as_f64) else { return };
        let near = |own: &f64| stated.is_some_and(|it| (own - value).abs() <= rounding_of(it));
        let Some(first) = ours.iter().flatten().next() else { return };
        if !ours.iter().flatten().any(near) {
            let [stated, first] = [value, *first].map(value_text);
            self.does_not_add_up
                .push(format!("{subject}: the file states {what} {stated}, its rows give {first}"));
        }
    }

    fn check_count(&mut self, subject: &str, key: &str, stated: f64, ours: usize) {
        if stated != ours as f64 {
            self.does_not_add_up
                .push(format!("{subject}: {key} is {stated}, its rows give {ours}"));
        }
    }

    /// Checks a summary of the file. If the summary counts unreadable answers as scores of 0, its numbers are compared
    /// with those of `all`.
    fn check_summary(
        &mut self,
        subject: &str,
        stated: &Value,
        all: &[f64],
        scores: &[f64],
        keys: &SummaryKeys,
    ) {
        let (with, without) = (summary_of(all), summary_of(scores));
        for (((key, what), with), without) in keys.iter().zip(with).zip(without) {
            let stated_value = stated.get(*key);
            self.check_value(subject, what, stated_value, &[without, with]);
            let takes_all =
                || stated_value.and_then(Value::as_f64).is_some_and(|it| Some(it) != without);
            if *key == keys[0].0 && with != without && takes_all() {
                let [given, without] =
                    [stated_value.and_then(Value::as_f64), without].map(value_cell);
                self.notes.push(format!(
                    "{subject}: the file's mean {given} counts unreadable answers as 0; without them it is {without}"
                ));
            }
        }
    }
}

fn value_text(value: f64) -> String {
    // Differences of numbers that begin alike are seen in more digits.
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn value_cell(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), value_text)
}

/// Returns the scores of two judges: the keys of a pair that end with `_score`, in the order of their names.
fn judge_results(document: &Value, pairs: &[Value]) -> ContinuityResults {
    let names = pairs.iter().find_map(|pair| {
        let keys = pair.as_object()?.keys();
        let names: Vec<String> =
            keys.filter_map(|key| Some(key.strip_suffix("_score")?.to_owned())).collect();
        <[String; 2]>::try_from(names).ok()
    });
    let mut check = StatedValueCheck::default();
    if let Some(n) = number_field(document, "n") {
        check.check_count("pairs", "n", n, pairs.len());
    }
    let judges = names.map(|names| {
        let [a, b] = names.each_ref().map(|name| format!("{name}_score"));
        let both = pairs.iter().filter_map(|it| Some((level_field(it, &a)?, level_field(it, &b)?)));
        let both: Vec<(f64, f64)> = both.collect();
        // As the script of the benchmark counts: only the second judge's answers have to be readable.
        let readable = |(a, b): (&str, &str)| -> Vec<(f64, f64)> {
            pairs
                .iter()
                .filter_map(|it| Some((number_field(it, a)?, level_field(it, b)?)))
                .collect()
        };
        let has_both_scores =
            |pair: &&Value| number_field(pair, &a).is_some() && number_field(pair, &b).is_some();
        let failed = pairs.iter().filter(has_both_scores).count() - both.len();
        for (name, key) in names.iter().zip([&a, &b]) {
            let failed = pairs
                .iter()
                .filter(|it| number_field(it, key).is_some() && level_field(it, key).is_none())
                .count();
            if failed > 0 {
                check.notes.push(format!(
                    "{name}: {failed} of {} answers are unreadable and excluded",
                    pairs.len()
                ));
            }
        }
        let agreed = JudgeAgreementRow { failed, ..JudgeAgreementRow::new(&names, &both) };
        if let Some(stats) = document.get("stats") {
            let swapped = |(a, b): &(f64, f64)| (*b, *a);
            let of_b = readable((&b, &a)).iter().map(swapped).collect();
            let others =
                [readable((&a, &b)), of_b].map(|it: Vec<_>| JudgeAgreementRow::new(&names, &it));
            check.check_agreement(stats, &agreed, &others);
        }
        agreed
    });
    ContinuityResults {
        judges,
        ..ContinuityResults::new(
            "agreement of two judges",
            vec![],
            &ScoresByCondition::new(),
            check,
        )
    }
}

impl StatedValueCheck {
    /// Checks the file's statistics of two judges; `others` are the numbers with unreadable answers of one of them.
    fn check_agreement(
        &mut self,
        stats: &Value,
        ours: &JudgeAgreementRow,
        others: &[JudgeAgreementRow; 2],
    ) {
        let [mean_a, mean_b] = [&ours.a, &ours.b].map(|name| format!("{name}_mean"));
        type StatedMeasure<'a> = (&'a str, &'a str, fn(&JudgeAgreementRow) -> Option<f64>);
        let values: [StatedMeasure<'_>; 6] = [
            ("n", "a count of pairs", |it| Some(it.n as f64)),
            (&mean_a, "a mean", |it| it.mean_a),
            (&mean_b, "a mean", |it| it.mean_b),
            ("spearman_rho", "a rank correlation", |it| it.spearman),
            ("cohens_kappa_linear", "a linear kappa", |it| it.kappa_linear),
            ("cohens_kappa_quadratic", "a quadratic kappa", |it| it.kappa_quadratic),
        ];
        let is_of = |stated: Option<&Value>, own: Option<f64>| {
            let value = stated.and_then(Value::as_f64);
            value.zip(own).zip(stated).is_some_and(|((a, b), it)| (a - b).abs() <= rounding_of(it))
        };
        for (key, what, value_of) in values {
            let stated = stats.get(key);
            let all = || [ours].into_iter().chain(others);
            let mut right: Vec<Option<f64>> = all().map(value_of).collect();
            if key == "cohens_kappa_linear" {
                right.extend(all().map(|it| it.kappa_linear_of_levels));
            }
            self.check_value(key, what, stated, &right);
            if is_of(stated, value_of(ours)) || !right.iter().any(|own| is_of(stated, *own)) {
                continue;
            }
            let [stated, own] = [stated.and_then(Value::as_f64), value_of(ours)].map(value_cell);
            let is_of_levels = key == "cohens_kappa_linear"
                && all().any(|it| is_of(stats.get(key), it.kappa_linear_of_levels));
            let how = match is_of_levels {
                true => {
                    "is over the levels that occur, each one step from the next; over 1 to 10 it is"
                }
                false => "includes unreadable answers; without them it is",
            };
            self.notes.push(format!("{key} of {stated} {how} {own}"));
        }
    }
}

impl JudgeAgreementRow {
    /// Computes agreement on the scale of 1 to 10, or on the observed levels where they lie outside of it.
    fn new(names: &[String; 2], scores: &[(f64, f64)]) -> Self {
        let all = || scores.iter().flat_map(|(a, b)| [*a, *b]);
        let is_on_ten = all().all(|it| it.fract() == 0.0 && (1.0..=10.0).contains(&it));
        let agreement_on = |scale: RatingScale| {
            Ratings::new(scale, scores)
                .agreement(&BootstrapPlan { resamples: 0, ..BootstrapPlan::default() })
        };
        let of_levels = RatingScale::from_scores(all()).ok().map(agreement_on);
        let on_ten = RatingScale::whole_numbers(1, 10).ok().filter(|_| is_on_ten).map(agreement_on);
        let agreement = on_ten.as_ref().or(of_levels.as_ref());
        let value = |coefficient: Coefficient| agreement?.value_for(coefficient).ok();
        let of_levels = |coefficient: Coefficient| of_levels.as_ref()?.value_for(coefficient).ok();
        Self {
            a: names[0].clone(),
            b: names[1].clone(),
            n: scores.len(),
            failed: 0,
            mean_a: mean_of(scores.iter().map(|(a, _)| *a)),
            mean_b: mean_of(scores.iter().map(|(_, b)| *b)),
            exact: value(Coefficient::Exact),
            within_1: value(Coefficient::Within1),
            kappa_linear: value(Coefficient::KappaLinear),
            kappa_linear_of_levels: of_levels(Coefficient::KappaLinear),
            kappa_quadratic: value(Coefficient::KappaQuadratic),
            spearman: value(Coefficient::Spearman),
        }
    }
}

impl JudgeAgreementRow {
    fn agreement_table(&self) -> OutputTable {
        let mut table = OutputTable::new(&[
            "judges",
            ">n",
            ">mean of the first",
            ">of the second",
            ">exact",
            ">within 1",
            ">kappa (linear)",
            ">kappa (quadratic)",
            ">Spearman",
        ]);
        let mut cells = vec![
            format!("{} and {}", self.a, self.b),
            format_number::with_thousands(self.n as u64),
        ];
        let of_both =
            [self.exact, self.within_1, self.kappa_linear, self.kappa_quadratic, self.spearman];
        cells.extend([self.mean_a, self.mean_b].into_iter().chain(of_both).map(share_cell));
        table.add_row(cells);
        table
    }
}

impl ContinuityResults {
    fn new(
        kind: &'static str,
        conditions: Vec<ConditionRow>,
        scores: &ScoresByCondition,
        check: StatedValueCheck,
    ) -> Self {
        Self {
            schema: "trajview.decision-results/1",
            kind,
            notes: check.notes,
            does_not_add_up: check.does_not_add_up,
            tests: condition_tests(scores),
            conditions,
            sessions: vec![],
            judges: None,
        }
    }

    pub(crate) fn print_results(&self, args: &DecisionsArgs, out: &mut Out) -> io::Result<()> {
        if args.json {
            return out.print_json(self);
        }
        if args.csv {
            let heads = "condition n failed mean recorded_mean median drift recorded_drift";
            return out.print_csv(heads, &self.conditions);
        }
        out.print_line(self.kind)?;
        if !self.conditions.is_empty() {
            self.condition_table().write_table(args.md, out)?;
        }
        if !self.tests.is_empty() {
            let heads = ["a", "b", ">n", ">mean gap", ">Cohen's d", ">p (Wilcoxon)", "p by"];
            let mut table = OutputTable::new(&heads);
            for row in &self.tests {
                let by = row.p_by.unwrap_or("-").to_owned();
                let cells =
                    [share_cell(row.mean_gap), share_cell(row.cohen_d), share_cell(row.p), by];
                let names = vec![row.a.clone(), row.b.clone(), row.n.to_string()];
                table.add_row([names, cells.to_vec()].concat());
            }
            table.write_table(args.md, out)?;
        }
        self.print_recall_curve(args, out)?;
        if let Some(judges) = &self.judges {
            judges.agreement_table().write_table(args.md, out)?;
        }
        self.notes.iter().try_for_each(|it| out.print_line(it))?;
        self.does_not_add_up
            .iter()
            .try_for_each(|it| out.print_line(&format!("inconsistent: {it}")))
    }

    fn condition_table(&self) -> OutputTable {
        let has_failed = self.conditions.iter().any(|row| row.failed > 0);
        let has_drift = self.conditions.iter().any(|row| row.drift.is_some());
        let failed: &[&str] = if has_failed { &[">not read"] } else { &[] };
        let drift: &[&str] = if has_drift { &[">drift", ">as recorded"] } else { &[] };
        let heads = [&["condition", ">n"], failed, &[">mean", ">as recorded", ">median"], drift];
        let mut table = OutputTable::new(&heads.concat());
        for row in &self.conditions {
            let mut cells = vec![row.condition.clone(), row.n.to_string()];
            cells.extend(has_failed.then(|| row.failed.to_string()));
            cells.extend([row.mean, row.recorded_mean, row.median].map(share_cell));
            if has_drift {
                cells.extend([row.drift, row.recorded_drift].map(value_cell));
            }
            table.add_row(cells);
        }
        table
    }

    /// Prints recall by session, one column for each session, and as a curve on the scale from 0 to 1.
    fn print_recall_curve(&self, args: &DecisionsArgs, out: &mut Out) -> io::Result<()> {
        let mut sessions: Vec<i64> = self.sessions.iter().map(|it| it.session).collect();
        sessions.sort_unstable();
        sessions.dedup();
        if sessions.is_empty() {
            return Ok(());
        }
        let heads = sessions.iter().map(|it| format!(">session {it}"));
        let mut table = OutputTable::with_heads(
            ["condition".to_owned()].into_iter().chain(heads).chain(["curve".to_owned()]).collect(),
        );
        for condition in &self.conditions {
            let session_cell = |session: &i64| {
                let mut own = self.sessions.iter();
                let found =
                    own.find(|it| it.condition == condition.condition && it.session == *session);
                found.and_then(|it| it.mean)
            };
            let means: Vec<Option<f64>> = sessions.iter().map(session_cell).collect();
            let mut cells = vec![condition.condition.clone()];
            cells.extend(means.iter().map(|mean| share_cell(*mean)));
            cells.push(bars_text(&means, 1.0));
            table.add_row(cells);
        }
        table.write_table(args.md, out)
    }
}
