//! Continuity's result files as tables: alignment of actions by condition, recall over sessions, agreement of two judges.

use std::{collections::BTreeMap, io, path::Path};

use serde::Serialize;
use serde_json::Value;

use crate::{
    cli::output::{Out, Table, share},
    formats::not_finite,
    run::figures,
    study::{
        Plan,
        agreement::{Coefficient, Ratings, Scale},
        paired::paired,
    },
    widgets::spark::bars,
};

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
    /// Values that the file gives and that its own rows do not come to.
    does_not_add_up: Vec<String>,
}

#[derive(Serialize)]
struct Condition {
    condition: String,
    n: usize,
    mean: Option<f64>,
    /// As the file has it.
    recorded_mean: Option<f64>,
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
    n: usize,
    exact: Option<f64>,
    within_1: Option<f64>,
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
        return Some(judges(pairs));
    }
    let rows = document.get("results").and_then(Value::as_array);
    if let Some(rows) = rows.filter(|rows| rows.iter().any(|row| row.get("judgeScore").is_some())) {
        return Some(alignment(document, rows));
    }
    let conditions = document.get("conditions").and_then(Value::as_array)?;
    conditions.iter().any(|it| it.get("perQuestion").is_some()).then(|| recall(conditions))
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key)?.as_f64().filter(|it| it.is_finite())
}

/// By condition: what was scored, by its id.
type Scores = BTreeMap<String, BTreeMap<String, f64>>;

fn conditions(scores: &Scores, recorded: &dyn Fn(&str) -> Option<f64>) -> Vec<Condition> {
    let row = |(condition, scores): (&String, &BTreeMap<String, f64>)| Condition {
        n: scores.len(),
        mean: mean(scores.values().copied()),
        recorded_mean: recorded(condition),
        condition: condition.clone(),
    };
    scores.iter().map(row).collect()
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
    let mut scores = Scores::new();
    for row in rows {
        if let Some(score) = number(row, "judgeScore") {
            scores.entry(text(row, "condition")).or_default().insert(text(row, "actionId"), score);
        }
    }
    let summaries = document.get("summaries").and_then(Value::as_array);
    let recorded = |condition: &str| {
        let mut own = summaries?.iter().filter(|it| text(it, "condition") == condition);
        number(own.next()?, "meanScore")
    };
    Results::of("alignment of actions, 1 to 10", &scores, &recorded)
}

/// Half a unit of the second digit: results are rounded to two.
const ROUNDED: f64 = 0.0051;

fn differences(conditions: &[Condition]) -> Vec<String> {
    let differ = |it: &&Condition| {
        it.mean.zip(it.recorded_mean).is_some_and(|(ours, theirs)| (ours - theirs).abs() > ROUNDED)
    };
    let sentence = |it: &Condition| {
        let (ours, theirs) = (share(it.mean), share(it.recorded_mean));
        format!("{}: the file says a mean of {theirs}, its rows come to {ours}", it.condition)
    };
    conditions.iter().filter(differ).map(sentence).collect()
}

fn recall(list: &[Value]) -> Results {
    let mut scores = Scores::new();
    let mut sessions = vec![];
    let mut recorded = BTreeMap::new();
    for condition in list {
        let name = text(condition, "condition");
        recorded.insert(name.clone(), number(condition, "meanAcrossSessions"));
        let questions = condition.get("perQuestion").and_then(Value::as_array);
        let mut by_session: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for row in questions.into_iter().flatten() {
            let session = row.get("sessionIdx").and_then(Value::as_i64).unwrap_or_default();
            if let Some(score) = number(row, "score") {
                by_session.entry(session).or_default().push(score);
                let id = format!("{session}/{}", text(row, "questionId"));
                scores.entry(name.clone()).or_default().insert(id, score);
            }
        }
        sessions.extend(by_session.into_iter().map(|(session, scores)| Session {
            condition: name.clone(),
            session,
            mean: mean(scores.into_iter()),
        }));
    }
    let recorded = |name: &str| recorded.get(name).copied().flatten();
    Results { sessions, ..Results::of("recall over sessions, 0 to 1", &scores, &recorded) }
}

/// The scores of two judges: the keys of a pair that end with `_score`, in the order of their names.
fn judges(pairs: &[Value]) -> Results {
    let names = pairs.iter().find_map(|pair| {
        let keys = pair.as_object()?.keys();
        let names: Vec<String> =
            keys.filter_map(|key| Some(key.strip_suffix("_score")?.to_owned())).collect();
        (names.len() == 2).then_some(names)
    });
    let judges = names.map(|names| {
        let score = |pair: &Value, name: &str| number(pair, &format!("{name}_score"));
        let both =
            pairs.iter().filter_map(|it| Some((score(it, &names[0])?, score(it, &names[1])?)));
        Agreed::of(&names, &both.collect::<Vec<_>>())
    });
    Results { judges, ..Results::of("agreement of two judges", &Scores::new(), &|_| None) }
}

impl Agreed {
    /// On the scale of 1 to 10, or of the levels that were given where they lie outside of it.
    fn of(names: &[String], scores: &[(f64, f64)]) -> Self {
        let all = scores.iter().flat_map(|(a, b)| [*a, *b]);
        let is_on_ten = all.clone().all(|it| it.fract() == 0.0 && (1.0..=10.0).contains(&it));
        let scale = if is_on_ten { Scale::whole(1, 10) } else { Scale::observed(all) };
        let agreement = scale.ok().map(|scale| {
            Ratings::new(scale, scores).agreement(&Plan { resamples: 0, ..Plan::default() })
        });
        let value = |coefficient: Coefficient| {
            let estimates = &agreement.as_ref()?.estimates;
            estimates.iter().find(|(other, _)| *other == coefficient)?.1.value.ok()
        };
        Self {
            a: names[0].clone(),
            b: names[1].clone(),
            n: scores.len(),
            exact: value(Coefficient::Exact),
            within_1: value(Coefficient::Within1),
            kappa_quadratic: value(Coefficient::KappaQuadratic),
            spearman: value(Coefficient::Spearman),
        }
    }
}

impl Results {
    /// What scores by condition come to; `recorded` has the means that the file gives.
    fn of(kind: &'static str, scores: &Scores, recorded: &dyn Fn(&str) -> Option<f64>) -> Self {
        let conditions = conditions(scores, recorded);
        Self {
            schema: "trajview.decision-results/1",
            kind,
            does_not_add_up: differences(&conditions),
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
            return out.csv("condition n mean recorded_mean", &self.conditions);
        }
        out.line(self.kind)?;
        if !self.conditions.is_empty() {
            let mut table = Table::new(&["condition", ">n", ">mean", ">as recorded"]);
            for row in &self.conditions {
                let cells = [share(row.mean), share(row.recorded_mean)];
                table
                    .row([vec![row.condition.clone(), row.n.to_string()], cells.to_vec()].concat());
            }
            table.write(args.md, out)?;
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
            let mut table = Table::new(&[
                "judges",
                ">n",
                ">exact",
                ">within 1",
                ">kappa (quadratic)",
                ">Spearman",
            ]);
            table.row(vec![
                format!("{} and {}", judges.a, judges.b),
                figures::count(judges.n as u64),
                share(judges.exact),
                share(judges.within_1),
                share(judges.kappa_quadratic),
                share(judges.spearman),
            ]);
            table.write(args.md, out)?;
        }
        self.does_not_add_up.iter().try_for_each(|it| out.line(&format!("does not add up: {it}")))
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
