//! Continuity's result files as tables: alignment of actions by condition, recall over sessions, agreement of two judges.

use std::{collections::BTreeMap, io, path::Path};

use serde::Serialize;
use serde_json::Value;

use crate::cli::output::{Out, Table, share};
use trajview_formats::not_finite;
use trajview_run::figures;
use trajview_study::{
    Plan,
    agreement::{Coefficient, Ratings, Scale},
    paired::paired,
};
use trajview_tui::widgets::spark::bars;

use super::Args;

/// What a result file says.
#[derive(Serialize)]
pub struct Results {
    schema: &'static str,
    kind: &'static str,
    /// A row a condition: scores of proposed actions, 1 to 10, or of recalled answers, 0 to 1.
    conditions: Vec<Condition>,
    /// Pairs of conditions over the same actions or questions.
    tests: Vec<Test>,
    /// Mean recall by session: condition, session, mean.
    sessions: Vec<Session>,
    judges: Option<Agreed>,
    /// What was left out of the numbers, and by which other rule a number of the file comes out.
    notes: Vec<String>,
    /// Values that the file gives and that its own rows do not come to.
    does_not_add_up: Vec<String>,
}

#[derive(Serialize)]
struct Condition {
    condition: String,
    /// Scores, without the judge's answers that could not be read.
    n: usize,
    /// Answers of the judge that could not be read; the file has a score of 0 there.
    failed: usize,
    /// Of recall the mean of the means of its sessions.
    mean: Option<f64>,
    /// As the file has it.
    recorded_mean: Option<f64>,
    median: Option<f64>,
    /// Of recall: how much the mean of a session changes by session.
    drift: Option<f64>,
    recorded_drift: Option<f64>,
}

#[derive(Serialize)]
struct Test {
    a: String,
    b: String,
    n: usize,
    mean_gap: Option<f64>,
    /// Wilcoxon's signed-rank test, two-sided.
    p: Option<f64>,
    /// How its p was got: `exact`, or `normal approximation`.
    p_by: Option<&'static str>,
    /// The mean gap over the standard deviation (n - 1) of the gaps.
    cohen_d: Option<f64>,
}

/// How far two judges agree.
#[derive(Serialize)]
struct Agreed {
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
    /// On the scale from 1 to 10.
    kappa_linear: Option<f64>,
    /// On the levels that occur, each one step from the next.
    kappa_linear_of_levels: Option<f64>,
    kappa_quadratic: Option<f64>,
    spearman: Option<f64>,
}

#[derive(Serialize)]
struct Session {
    condition: String,
    session: i64,
    mean: Option<f64>,
}

/// Bytes of a result file that are read.
const MOST_BYTES: u64 = 64 << 20;

/// None for what is no result file.
pub fn read(path: &Path) -> Option<Results> {
    let meta = std::fs::metadata(path).ok().filter(|it| it.is_file() && it.len() <= MOST_BYTES)?;
    let is_json = path.extension().is_some_and(|end| end == "json");
    if !is_json || meta.len() == 0 {
        return None;
    }
    let (document, _) = not_finite::read::<Value>(&std::fs::read(path).ok()?).ok()?;
    of(&document)
}

fn of(document: &Value) -> Option<Results> {
    if let Some(pairs) = document.get("pairs").and_then(Value::as_array) {
        return Some(judges(document, pairs));
    }
    let rows = document.get("results").and_then(Value::as_array);
    if let Some(rows) = rows.filter(|rows| rows.iter().any(|row| row.get("judgeScore").is_some())) {
        return Some(alignment(document, rows));
    }
    let conditions = document.get("conditions").and_then(Value::as_array)?;
    conditions
        .iter()
        .any(|it| it.get("perQuestion").is_some())
        .then(|| recall(document, conditions))
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key)?.as_f64().filter(|it| it.is_finite())
}

/// A score that a judge gave on the scale of 1 to 10. An answer that cannot be read is written down as 0, which is none.
fn level(value: &Value, key: &str) -> Option<f64> {
    number(value, key).filter(|it| (1.0..=10.0).contains(it))
}

/// By condition: what was scored, by its id.
type Scores = BTreeMap<String, BTreeMap<String, f64>>;

/// Keeps a score under an id; a further one of that id, under the next number.
fn keep(scores: &mut BTreeMap<String, f64>, id: &str, score: f64) {
    let numbered = (2..).map(|number| format!("{id} ({number})"));
    let free = std::iter::once(id.to_owned()).chain(numbered).find(|id| !scores.contains_key(id));
    scores.extend(free.map(|id| (id, score)));
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0usize), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}

fn tests(scores: &Scores) -> Vec<Test> {
    let names: Vec<&String> = scores.keys().collect();
    let mut found = vec![];
    for (at, a) in names.iter().enumerate() {
        for b in &names[at + 1..] {
            let both: Vec<(f64, f64)> = scores[*a]
                .iter()
                .filter_map(|(id, score)| Some((*score, *scores[*b].get(id)?)))
                .collect();
            let plan = Plan { resamples: 0, ..Plan::default() };
            let test = paired(&both, &plan);
            found.push(Test {
                a: (*a).clone(),
                b: (*b).clone(),
                n: both.len(),
                mean_gap: mean(both.iter().map(|(a, b)| a - b)),
                p: test.wilcoxon.as_ref().ok().map(|it| it.p),
                p_by: test.wilcoxon.as_ref().ok().map(|it| it.method.name()),
                cohen_d: test.cohen_d.value.ok(),
            });
        }
    }
    found
}

fn alignment(document: &Value, rows: &[Value]) -> Results {
    /// The scores of a condition as they are written down, with those of answers that could not be read.
    #[derive(Default)]
    struct Given {
        all: Vec<f64>,
        scores: BTreeMap<String, f64>,
    }
    let mut given: BTreeMap<String, Given> = BTreeMap::new();
    for row in rows {
        let own = given.entry(text(row, "condition")).or_default();
        own.all.extend(number(row, "judgeScore"));
        if let Some(score) = level(row, "judgeScore") {
            keep(&mut own.scores, &text(row, "actionId"), score);
        }
    }
    let stated: BTreeMap<String, &Value> = listed(document, "summaries", "condition");
    let planned = number(document, "actionsPerCondition");
    let mut check = Check::default();
    let mut conditions = vec![];
    for (condition, own) in &given {
        let scores: Vec<f64> = own.scores.values().copied().collect();
        let stated = stated.get(condition).copied();
        if let Some(stated) = stated {
            check.summary(condition, stated, &own.all, &scores, &SUMMARY_OF_ACTIONS);
        }
        if let Some(planned) = planned {
            check.count(condition, "actionsPerCondition", planned, own.all.len());
        }
        let failed = own.all.len() - scores.len();
        if failed > 0 {
            check.notes.push(format!(
                "{condition}: {failed} of {} answers of the judge could not be read, and are no scores",
                own.all.len()
            ));
        }
        conditions.push(Condition {
            condition: condition.clone(),
            n: scores.len(),
            failed,
            mean: mean(scores.iter().copied()),
            recorded_mean: stated.and_then(|it| number(it, "meanScore")),
            median: median(&scores),
            drift: None,
            recorded_drift: None,
        });
    }
    let scores: Scores = given.into_iter().map(|(name, own)| (name, own.scores)).collect();
    Results::of("alignment of actions, 1 to 10", conditions, &scores, check)
}

fn recall(document: &Value, list: &[Value]) -> Results {
    let mut scores = Scores::new();
    let mut sessions = vec![];
    let mut conditions = vec![];
    let mut check = Check::default();
    for condition in list {
        let name = text(condition, "condition");
        let questions = condition.get("perQuestion").and_then(Value::as_array);
        let mut by_session: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for row in questions.into_iter().flatten() {
            let session = row.get("sessionIdx").and_then(Value::as_i64).unwrap_or_default();
            if let Some(score) = number(row, "score") {
                by_session.entry(session).or_default().push(score);
                let id = format!("{session}/{}", text(row, "questionId"));
                keep(scores.entry(name.clone()).or_default(), &id, score);
            }
        }
        let summaries = condition.get("sessionSummaries").and_then(Value::as_array);
        for stated in summaries.into_iter().flatten() {
            let session = stated.get("sessionIdx").and_then(Value::as_i64).unwrap_or_default();
            let own = by_session.get(&session).map_or(&[][..], Vec::as_slice);
            if let Some(summary) = stated.get("summary") {
                let called = format!("{name}, session {session}");
                check.summary(&called, summary, own, own, &SUMMARY_OF_ANSWERS);
            }
        }
        if let (Some(planned), true) = (number(document, "sessions"), summaries.is_some()) {
            check.count(&name, "sessions", planned, by_session.len());
        }
        let means: Vec<f64> =
            by_session.values().filter_map(|own| mean(own.iter().copied())).collect();
        let row = Condition {
            n: by_session.values().map(Vec::len).sum(),
            failed: 0,
            mean: mean(means.iter().copied()),
            recorded_mean: number(condition, "meanAcrossSessions"),
            median: median(&by_session.values().flatten().copied().collect::<Vec<_>>()),
            drift: slope(&means),
            recorded_drift: number(condition, "driftSlope"),
            condition: name.clone(),
        };
        check.value(&name, "a mean", condition.get("meanAcrossSessions"), &[row.mean]);
        check.value(
            &name,
            "a drift",
            condition.get("driftSlope").filter(|_| row.drift.is_some()),
            &[row.drift],
        );
        conditions.push(row);
        sessions.extend(by_session.into_iter().map(|(session, scores)| Session {
            condition: name.clone(),
            session,
            mean: mean(scores.into_iter()),
        }));
    }
    Results { sessions, ..Results::of("recall over sessions, 0 to 1", conditions, &scores, check) }
}

/// The entries of a list of a document, by what they have under a key.
fn listed<'v>(document: &'v Value, list: &str, key: &str) -> BTreeMap<String, &'v Value> {
    let entries = document.get(list).and_then(Value::as_array).into_iter().flatten();
    entries.map(|entry| (text(entry, key), entry)).collect()
}

/// None of nothing.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[middle - 1] + upper) / 2.0 })
}

/// By least squares over the numbers of the values; None of fewer than two.
fn slope(values: &[f64]) -> Option<f64> {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let center = mean(values.iter().copied()).filter(|_| values.len() > 1)?;
    let steps =
        || values.iter().enumerate().map(|(at, value)| (at as f64 - middle, value - center));
    let squares: f64 = steps().map(|(x, _)| x * x).sum();
    Some(steps().map(|(x, y)| x * y).sum::<f64>() / squares)
}

/// How a summary in a file calls the mean, the median, the least, the most, the count, and the share of 0.7 and more.
type Summary = [(&'static str, &'static str); 6];
const SUMMARY_OF_ACTIONS: Summary = [
    ("meanScore", "a mean"),
    ("medianScore", "a median"),
    ("minScore", "a lowest score"),
    ("maxScore", "a highest score"),
    ("count", "a count"),
    ("", ""),
];
const SUMMARY_OF_ANSWERS: Summary = [
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
        mean(values.iter().copied()),
        median(values),
        values.iter().copied().reduce(f64::min),
        values.iter().copied().reduce(f64::max),
        Some(values.len() as f64),
        share,
    ]
}

/// What a file states, against what its own rows come to.
#[derive(Default)]
struct Check {
    notes: Vec<String>,
    does_not_add_up: Vec<String>,
}

/// Half a unit of the second digit: results may be rounded to two.
const ROUNDED: f64 = 0.0051;

/// The most by which a value may have been rounded: by the digits that it has, if they are more than two.
fn rounding(value: &Value) -> f64 {
    const MOST_DIGITS: usize = 6;
    let written = value.to_string();
    let digits = written.split_once('.').map_or(0, |(_, digits)| digits.len().min(MOST_DIGITS));
    if digits <= 2 { ROUNDED } else { 0.51 * 10f64.powi(-(digits as i32)) }
}

impl Check {
    /// A value of the file; any of `ours` is right. Without one nothing is checked.
    fn value(&mut self, of: &str, what: &str, stated: Option<&Value>, ours: &[Option<f64>]) {
        let Some(value) = stated.and_then(Value::as_f64) else { return };
        let near = |own: &f64| stated.is_some_and(|it| (own - value).abs() <= rounding(it));
        let Some(first) = ours.iter().flatten().next() else { return };
        if !ours.iter().flatten().any(near) {
            let [stated, first] = [value, *first].map(digits);
            self.does_not_add_up
                .push(format!("{of}: the file says {what} of {stated}, its rows come to {first}"));
        }
    }

    fn count(&mut self, of: &str, key: &str, stated: f64, ours: usize) {
        if stated != ours as f64 {
            self.does_not_add_up.push(format!("{of}: {key} is {stated}, its rows come to {ours}"));
        }
    }

    /// A summary of the file. Where it takes answers that could not be read for scores of 0, its numbers are the ones of `all`.
    fn summary(&mut self, of: &str, stated: &Value, all: &[f64], scores: &[f64], keys: &Summary) {
        let (with, without) = (summary_of(all), summary_of(scores));
        for (((key, what), with), without) in keys.iter().zip(with).zip(without) {
            let given = stated.get(*key);
            self.value(of, what, given, &[without, with]);
            let takes_all = || given.and_then(Value::as_f64).is_some_and(|it| Some(it) != without);
            if *key == keys[0].0 && with != without && takes_all() {
                let [given, without] = [given.and_then(Value::as_f64), without].map(figure);
                self.notes.push(format!(
                    "{of}: the file's mean of {given} counts answers that could not be read as 0; without them it is {without}"
                ));
            }
        }
    }
}

fn digits(value: f64) -> String {
    // Differences of numbers that begin alike are seen in more digits.
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), digits)
}

/// The scores of two judges: the keys of a pair that end with `_score`, in the order of their names.
fn judges(document: &Value, pairs: &[Value]) -> Results {
    let names = pairs.iter().find_map(|pair| {
        let keys = pair.as_object()?.keys();
        let names: Vec<String> =
            keys.filter_map(|key| Some(key.strip_suffix("_score")?.to_owned())).collect();
        <[String; 2]>::try_from(names).ok()
    });
    let mut check = Check::default();
    if let Some(n) = number(document, "n") {
        check.count("pairs", "n", n, pairs.len());
    }
    let judges = names.map(|names| {
        let [a, b] = names.each_ref().map(|name| format!("{name}_score"));
        let both = pairs.iter().filter_map(|it| Some((level(it, &a)?, level(it, &b)?)));
        let both: Vec<(f64, f64)> = both.collect();
        // As the script of the benchmark counts: only the second judge's answers have to be readable.
        let readable = |(a, b): (&str, &str)| -> Vec<(f64, f64)> {
            pairs.iter().filter_map(|it| Some((number(it, a)?, level(it, b)?))).collect()
        };
        let given = |pair: &&Value| number(pair, &a).is_some() && number(pair, &b).is_some();
        let failed = pairs.iter().filter(given).count() - both.len();
        for (name, key) in names.iter().zip([&a, &b]) {
            let failed = pairs
                .iter()
                .filter(|it| number(it, key).is_some() && level(it, key).is_none())
                .count();
            if failed > 0 {
                check.notes.push(format!(
                    "{name}: {failed} of {} answers could not be read, and are no scores",
                    pairs.len()
                ));
            }
        }
        let agreed = Agreed { failed, ..Agreed::of(&names, &both) };
        if let Some(stats) = document.get("stats") {
            let swapped = |(a, b): &(f64, f64)| (*b, *a);
            let of_b = readable((&b, &a)).iter().map(swapped).collect();
            let others = [readable((&a, &b)), of_b].map(|it: Vec<_>| Agreed::of(&names, &it));
            check.agreement(stats, &agreed, &others);
        }
        agreed
    });
    Results { judges, ..Results::of("agreement of two judges", vec![], &Scores::new(), check) }
}

impl Check {
    /// What a file says of two judges; `others` are the numbers with answers of one of them that could not be read.
    fn agreement(&mut self, stats: &Value, ours: &Agreed, others: &[Agreed; 2]) {
        let [mean_a, mean_b] = [&ours.a, &ours.b].map(|name| format!("{name}_mean"));
        type Stated<'a> = (&'a str, &'a str, fn(&Agreed) -> Option<f64>);
        let values: [Stated<'_>; 6] = [
            ("n", "a count of pairs", |it| Some(it.n as f64)),
            (&mean_a, "a mean", |it| it.mean_a),
            (&mean_b, "a mean", |it| it.mean_b),
            ("spearman_rho", "a rank correlation", |it| it.spearman),
            ("cohens_kappa_linear", "a linear kappa", |it| it.kappa_linear),
            ("cohens_kappa_quadratic", "a quadratic kappa", |it| it.kappa_quadratic),
        ];
        let is_of = |stated: Option<&Value>, own: Option<f64>| {
            let value = stated.and_then(Value::as_f64);
            value.zip(own).zip(stated).is_some_and(|((a, b), it)| (a - b).abs() <= rounding(it))
        };
        for (key, what, of) in values {
            let stated = stats.get(key);
            let all = || [ours].into_iter().chain(others);
            let mut right: Vec<Option<f64>> = all().map(of).collect();
            if key == "cohens_kappa_linear" {
                right.extend(all().map(|it| it.kappa_linear_of_levels));
            }
            self.value(key, what, stated, &right);
            if is_of(stated, of(ours)) || !right.iter().any(|own| is_of(stated, *own)) {
                continue;
            }
            let [stated, own] = [stated.and_then(Value::as_f64), of(ours)].map(figure);
            let is_of_levels = key == "cohens_kappa_linear"
                && all().any(|it| is_of(stats.get(key), it.kappa_linear_of_levels));
            let how = match is_of_levels {
                true => {
                    "is over the levels that occur, each one step from the next; over 1 to 10 it is"
                }
                false => "counts answers that could not be read; without them it is",
            };
            self.notes.push(format!("{key} of {stated} {how} {own}"));
        }
    }
}

impl Agreed {
    /// On the scale of 1 to 10, or of the levels that were given where they lie outside of it.
    fn of(names: &[String; 2], scores: &[(f64, f64)]) -> Self {
        let all = || scores.iter().flat_map(|(a, b)| [*a, *b]);
        let is_on_ten = all().all(|it| it.fract() == 0.0 && (1.0..=10.0).contains(&it));
        let agreement_on = |scale: Scale| {
            Ratings::new(scale, scores).agreement(&Plan { resamples: 0, ..Plan::default() })
        };
        let of_levels = Scale::observed(all()).ok().map(agreement_on);
        let on_ten = Scale::whole(1, 10).ok().filter(|_| is_on_ten).map(agreement_on);
        let agreement = on_ten.as_ref().or(of_levels.as_ref());
        let value = |coefficient: Coefficient| agreement?.value(coefficient).ok();
        let of_levels = |coefficient: Coefficient| of_levels.as_ref()?.value(coefficient).ok();
        Self {
            a: names[0].clone(),
            b: names[1].clone(),
            n: scores.len(),
            failed: 0,
            mean_a: mean(scores.iter().map(|(a, _)| *a)),
            mean_b: mean(scores.iter().map(|(_, b)| *b)),
            exact: value(Coefficient::Exact),
            within_1: value(Coefficient::Within1),
            kappa_linear: value(Coefficient::KappaLinear),
            kappa_linear_of_levels: of_levels(Coefficient::KappaLinear),
            kappa_quadratic: value(Coefficient::KappaQuadratic),
            spearman: value(Coefficient::Spearman),
        }
    }
}

impl Agreed {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
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
        let mut cells = vec![format!("{} and {}", self.a, self.b), figures::count(self.n as u64)];
        let of_both =
            [self.exact, self.within_1, self.kappa_linear, self.kappa_quadratic, self.spearman];
        cells.extend([self.mean_a, self.mean_b].into_iter().chain(of_both).map(share));
        table.row(cells);
        table
    }
}

impl Results {
    fn of(kind: &'static str, conditions: Vec<Condition>, scores: &Scores, check: Check) -> Self {
        Self {
            schema: "trajview.decision-results/1",
            kind,
            notes: check.notes,
            does_not_add_up: check.does_not_add_up,
            tests: tests(scores),
            conditions,
            sessions: vec![],
            judges: None,
        }
    }

    pub fn print(&self, args: &Args, out: &mut Out) -> io::Result<()> {
        if args.json {
            return out.json(self);
        }
        if args.csv {
            let heads = "condition n failed mean recorded_mean median drift recorded_drift";
            return out.csv(heads, &self.conditions);
        }
        out.line(self.kind)?;
        if !self.conditions.is_empty() {
            self.of_conditions().write(args.md, out)?;
        }
        if !self.tests.is_empty() {
            let heads = ["a", "b", ">n", ">mean gap", ">Cohen's d", ">p (Wilcoxon)", "p by"];
            let mut table = Table::new(&heads);
            for row in &self.tests {
                let by = row.p_by.unwrap_or("-").to_owned();
                let cells = [share(row.mean_gap), share(row.cohen_d), share(row.p), by];
                let names = vec![row.a.clone(), row.b.clone(), row.n.to_string()];
                table.row([names, cells.to_vec()].concat());
            }
            table.write(args.md, out)?;
        }
        self.curve(args, out)?;
        if let Some(judges) = &self.judges {
            judges.table().write(args.md, out)?;
        }
        self.notes.iter().try_for_each(|it| out.line(it))?;
        self.does_not_add_up.iter().try_for_each(|it| out.line(&format!("does not add up: {it}")))
    }

    fn of_conditions(&self) -> Table {
        let has_failed = self.conditions.iter().any(|row| row.failed > 0);
        let has_drift = self.conditions.iter().any(|row| row.drift.is_some());
        let failed: &[&str] = if has_failed { &[">not read"] } else { &[] };
        let drift: &[&str] = if has_drift { &[">drift", ">as recorded"] } else { &[] };
        let heads = [&["condition", ">n"], failed, &[">mean", ">as recorded", ">median"], drift];
        let mut table = Table::new(&heads.concat());
        for row in &self.conditions {
            let mut cells = vec![row.condition.clone(), row.n.to_string()];
            cells.extend(has_failed.then(|| row.failed.to_string()));
            cells.extend([row.mean, row.recorded_mean, row.median].map(share));
            if has_drift {
                cells.extend([row.drift, row.recorded_drift].map(figure));
            }
            table.row(cells);
        }
        table
    }

    /// Recall by session, a column a session, and as a curve on the scale from 0 to 1.
    fn curve(&self, args: &Args, out: &mut Out) -> io::Result<()> {
        let mut sessions: Vec<i64> = self.sessions.iter().map(|it| it.session).collect();
        sessions.sort_unstable();
        sessions.dedup();
        if sessions.is_empty() {
            return Ok(());
        }
        let heads = sessions.iter().map(|it| format!(">session {it}"));
        let mut table = Table::headed(
            ["condition".to_owned()].into_iter().chain(heads).chain(["curve".to_owned()]).collect(),
        );
        for condition in &self.conditions {
            let of = |session: &i64| {
                let mut own = self.sessions.iter();
                let found =
                    own.find(|it| it.condition == condition.condition && it.session == *session);
                found.and_then(|it| it.mean)
            };
            let means: Vec<Option<f64>> = sessions.iter().map(of).collect();
            let mut cells = vec![condition.condition.clone()];
            cells.extend(means.iter().map(|mean| share(*mean)));
            cells.push(bars(&means, 1.0));
            table.row(cells);
        }
        table.write(args.md, out)
    }
}
