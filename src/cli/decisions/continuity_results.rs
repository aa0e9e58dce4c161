//! Continuity's result files as tables: alignment of actions by condition, recall over sessions, agreement of two judges.

use std::{
    collections::{BTreeMap, BTreeSet},
    io, iter,
    path::Path,
};

use serde_json::Value;

use crate::cli::output::{Json, Out, OutputTable, TableColumn, cell_or_dash, record, share_cell};
use trajview_formats::JsonFields;
use trajview_formats::not_finite;
use trajview_study::{
    BootstrapPlan,
    agreement::{Coefficient, RatingScale, Ratings},
    paired::compare_pairs,
};
use trajview_tui::widgets::sparkline::bars_text;

use super::DecisionsArgs;

/// The contents of a result file.
#[derive(Default)]
pub struct ContinuityResults {
    kind: &'static str,
    /// A row a condition: scores of proposed actions, 1 to 10, or of recalled answers, 0 to 1.
    conditions: Vec<Json>,
    scores: ScoresByCondition,
    /// Mean recall by session.
    sessions: Vec<Json>,
    judges: Option<Json>,
    check: StatedValueCheck,
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

/// Makes a row for each pair of conditions over the same actions or questions.
fn condition_tests(scores: &ScoresByCondition) -> Vec<Json> {
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
            let wilcoxon = test.wilcoxon.as_ref().ok();
            found.push(record! {
                a: a,
                b: b,
                n: both.len(),
                mean_gap: mean_of(both.iter().map(|(a, b)| a - b)),
                // Wilcoxon's signed-rank test, two-sided, and its method: `exact`, or `normal approximation`.
                p: wilcoxon.map(|it| it.p),
                p_by: wilcoxon.map(|it| it.method.name()),
                // The mean gap over the standard deviation (n - 1) of the gaps.
                cohen_d: test.cohen_d.value.ok(),
            });
        }
    }
    found
}

/// A number as it is computed from the rows of the file, and as the file has it.
type OwnAndRecorded = [Option<f64>; 2];

/// Makes the row of a condition. `scores` are without the judge's answers that could not be read, which are `failed`. For
/// recall the mean is that of the means of its sessions, and the drift the slope of these by session.
fn condition_row(
    condition: &str,
    scores: &[f64],
    failed: usize,
    [mean, recorded_mean]: OwnAndRecorded,
    [drift, recorded_drift]: OwnAndRecorded,
) -> Json {
    record! {
        condition: condition,
        n: scores.len(),
        failed: failed,
        mean: mean,
        recorded_mean: recorded_mean,
        median: median_of(scores),
        drift: drift,
        recorded_drift: recorded_drift,
    }
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
        let mean = mean_of(scores.iter().copied());
        let recorded_mean = stated.and_then(|it| number_field(it, "meanScore"));
        let mean = [mean, recorded_mean];
        conditions.push(condition_row(condition, &scores, failed, mean, [None, None]));
    }
    let scores =
        by_condition.into_iter().map(|(name, of_condition)| (name, of_condition.scores)).collect();
    let kind = "alignment of actions, 1 to 10";
    ContinuityResults { kind, conditions, scores, check, ..ContinuityResults::default() }
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
        let scores: Vec<f64> = by_session.values().flatten().copied().collect();
        let (mean, drift) = (mean_of(means.iter().copied()), slope_of(&means));
        check.check_value(&name, "a mean", condition.get("meanAcrossSessions"), &[mean]);
        let stated_drift = condition.get("driftSlope").filter(|_| drift.is_some());
        check.check_value(&name, "a drift", stated_drift, &[drift]);
        let mean = [mean, number_field(condition, "meanAcrossSessions")];
        let drift = [drift, number_field(condition, "driftSlope")];
        conditions.push(condition_row(&name, &scores, 0, mean, drift));
        sessions.extend(by_session.iter().map(|(session, scores)| {
            let mean = mean_of(scores.iter().copied());
            record! { condition: name, session: session, mean: mean }
        }));
    }
    let kind = "recall over sessions, 0 to 1";
    ContinuityResults { kind, conditions, scores, sessions, judges: None, check }
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
            let [stated, first] = [value, *first].map(four_digit_text);
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

/// Returns a number with up to four decimals, without zeros at the end.
fn four_digit_text(value: f64) -> String {
    // Differences of numbers that begin alike are seen in more digits.
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn value_cell(value: Option<f64>) -> String {
    cell_or_dash(value.map(four_digit_text))
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
        let agreed = agreement_row(&names, &both, failed);
        if let Some(stats) = document.get("stats") {
            let swapped = |(a, b): &(f64, f64)| (*b, *a);
            let of_b = readable((&b, &a)).iter().map(swapped).collect();
            let others = [readable((&a, &b)), of_b].map(|it: Vec<_>| agreement_row(&names, &it, 0));
            check.check_agreement(stats, &agreed, &others);
        }
        agreed
    });
    let kind = "agreement of two judges";
    ContinuityResults { kind, judges, check, ..ContinuityResults::default() }
}

impl StatedValueCheck {
    /// Checks the file's statistics of two judges; `others` are the numbers with unreadable answers of one of them.
    fn check_agreement(&mut self, stats: &Value, ours: &Json, others: &[Json; 2]) {
        let [mean_a, mean_b] = ["a", "b"].map(|judge| format!("{}_mean", ours.cell(judge)));
        // The key in the file, what it is, and our field of it.
        let values = [
            ("n", "a count of pairs", "n"),
            (&mean_a, "a mean", "mean_a"),
            (&mean_b, "a mean", "mean_b"),
            ("spearman_rho", "a rank correlation", "spearman"),
            ("cohens_kappa_linear", "a linear kappa", "kappa_linear"),
            ("cohens_kappa_quadratic", "a quadratic kappa", "kappa_quadratic"),
        ];
        let is_of = |stated: Option<&Value>, own: Option<f64>| {
            let value = stated.and_then(Value::as_f64);
            value.zip(own).zip(stated).is_some_and(|((a, b), it)| (a - b).abs() <= rounding_of(it))
        };
        let of_levels = |it: &Json| it.number("kappa_linear_of_levels");
        for (key, what, field) in values {
            let stated = stats.get(key);
            let all = || [ours].into_iter().chain(others);
            let own = ours.number(field);
            let mut right: Vec<Option<f64>> = all().map(|it| it.number(field)).collect();
            if key == "cohens_kappa_linear" {
                right.extend(all().map(of_levels));
            }
            self.check_value(key, what, stated, &right);
            if is_of(stated, own) || !right.iter().any(|own| is_of(stated, *own)) {
                continue;
            }
            let [stated, own] = [stated.and_then(Value::as_f64), own].map(value_cell);
            let is_of_levels = key == "cohens_kappa_linear"
                && all().any(|it| is_of(stats.get(key), of_levels(it)));
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

/// Makes the row of two judges' agreement over the pairs with two scores, on the scale of 1 to 10, or on the observed levels
/// where they lie outside of it; `failed` are the pairs in which an answer could not be read.
fn agreement_row(names: &[String; 2], scores: &[(f64, f64)], failed: usize) -> Json {
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
    record! {
        a: names[0],
        b: names[1],
        n: scores.len(),
        failed: failed,
        mean_a: mean_of(scores.iter().map(|(a, _)| *a)),
        mean_b: mean_of(scores.iter().map(|(_, b)| *b)),
        exact: value(Coefficient::Exact),
        within_1: value(Coefficient::Within1),
        // Kappa on the scale from 1 to 10, and on the levels that occur, each one step from the next.
        kappa_linear: value(Coefficient::KappaLinear),
        kappa_linear_of_levels: of_levels(Coefficient::KappaLinear),
        kappa_quadratic: value(Coefficient::KappaQuadratic),
        spearman: value(Coefficient::Spearman),
    }
}

fn agreement_table(judges: &Json) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 9] = [
        ("judges", &|it| format!("{} and {}", it.cell("a"), it.cell("b"))),
        (">n", &|it| it.thousands_cell("n")),
        (">mean of the first", &|it| it.share_cell("mean_a")),
        (">of the second", &|it| it.share_cell("mean_b")),
        (">exact", &|it| it.share_cell("exact")),
        (">within 1", &|it| it.share_cell("within_1")),
        (">kappa (linear)", &|it| it.share_cell("kappa_linear")),
        (">kappa (quadratic)", &|it| it.share_cell("kappa_quadratic")),
        (">Spearman", &|it| it.share_cell("spearman")),
    ];
    OutputTable::from_rows(&columns, [judges])
}

fn test_table(tests: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 7] = [
        ("a", &|it| it.cell("a")),
        ("b", &|it| it.cell("b")),
        (">n", &|it| it.cell("n")),
        (">mean gap", &|it| it.share_cell("mean_gap")),
        (">Cohen's d", &|it| it.share_cell("cohen_d")),
        (">p (Wilcoxon)", &|it| it.share_cell("p")),
        ("p by", &|it| it.cell("p_by")),
    ];
    OutputTable::from_rows(&columns, tests)
}

fn condition_table(conditions: &[Json]) -> OutputTable {
    let has_failed = conditions.iter().any(|row| row.count("failed") > 0);
    let has_drift = conditions.iter().any(|row| !row.field("drift").is_null());
    let columns: [(bool, TableColumn<'_, Json>); 8] = [
        (true, ("condition", &|it| it.cell("condition"))),
        (true, (">n", &|it| it.cell("n"))),
        (has_failed, (">not read", &|it| it.cell("failed"))),
        (true, (">mean", &|it| it.share_cell("mean"))),
        (true, (">as recorded", &|it| it.share_cell("recorded_mean"))),
        (true, (">median", &|it| it.share_cell("median"))),
        (has_drift, (">drift", &|it| value_cell(it.number("drift")))),
        (has_drift, (">as recorded", &|it| value_cell(it.number("recorded_drift")))),
    ];
    OutputTable::from_shown(columns, conditions)
}

impl ContinuityResults {
    fn to_json(&self) -> Json {
        record! {
            schema: "trajview.decision-results/1",
            kind: self.kind,
            conditions: self.conditions,
            tests: condition_tests(&self.scores),
            sessions: self.sessions,
            judges: self.judges,
            // Values that were left out of the numbers, and other rules by which a number of the file can be reproduced.
            notes: self.check.notes,
            // Values that the file gives and that its own rows do not come to.
            does_not_add_up: self.check.does_not_add_up,
        }
    }

    pub(crate) fn print_results(&self, args: &DecisionsArgs, out: &mut Out) -> io::Result<()> {
        let document = self.to_json();
        if args.json {
            return out.print_json(&document);
        }
        if args.csv {
            let heads = "condition n failed mean recorded_mean median drift recorded_drift";
            return out.print_csv(heads, &self.conditions);
        }
        out.print_line(self.kind)?;
        let mut tables = vec![];
        if !self.conditions.is_empty() {
            tables.push(condition_table(&self.conditions));
        }
        let tests = document.rows("tests");
        if !tests.is_empty() {
            tables.push(test_table(tests));
        }
        tables.extend(self.recall_table());
        tables.extend(self.judges.as_ref().map(agreement_table));
        tables.iter().try_for_each(|table| table.write_table(args.md, out))?;
        self.check.notes.iter().try_for_each(|it| out.print_line(it))?;
        let wrong = self.check.does_not_add_up.iter();
        wrong.map(|it| format!("inconsistent: {it}")).try_for_each(|it| out.print_line(&it))
    }

    /// Makes a table of recall by session, one column for each session, and as a curve on the scale from 0 to 1.
    fn recall_table(&self) -> Option<OutputTable> {
        let sessions = self.sessions.iter().filter_map(|it| Some(it.number("session")? as i64));
        let sessions: BTreeSet<i64> = sessions.collect();
        let heads = sessions.iter().map(|it| format!(">session {it}"));
        let heads = iter::once("condition".to_owned()).chain(heads).chain(["curve".to_owned()]);
        let mut table = OutputTable::with_heads(heads.collect());
        for condition in self.conditions.iter().map(|row| row.field("condition")) {
            let mean = |session: &i64| {
                let is_it = |it: &&Json| {
                    it.field("condition") == condition
                        && it.number("session") == Some(*session as f64)
                };
                self.sessions.iter().find(is_it)?.number("mean")
            };
            let means: Vec<Option<f64>> = sessions.iter().map(mean).collect();
            let cells = means.iter().copied().map(share_cell);
            let cells = iter::once(condition.csv_cell()).chain(cells);
            table.add_row(cells.chain([bars_text(&means, 1.0)]).collect());
        }
        (!sessions.is_empty()).then_some(table)
    }
}
