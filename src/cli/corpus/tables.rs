//! A corpus for people, and for spreadsheets.

use std::io;

use crate::{
    cli::output::{Out, Table, csv_row, plain},
    metrics::{
        Better, Number,
        numbers::{CORPUS, Style, ranked},
    },
};

use super::document::{
    Block, CoefficientRow, CorrelationRow, Document, PairedRow, PerTaskRow, RunRow, Slopes,
};

pub fn print(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let show = |out: &mut Out, title: &str, table: &Table| {
        out.line(title)?;
        out.line("")?;
        if is_markdown {
            table.markdown(out)?
        } else {
            table.print(out)?
        };
        out.line("")
    };
    let (a, b) = (&document.conditions.a, &document.conditions.b);
    show(out, &counted(document), &run_table(document))?;
    if document.paired.is_empty() {
        out.line(&format!("no task of one agent was run under both conditions, {a} and {b}"))?;
    } else {
        show(out, &format!("{a} less {b}, task by task"), &paired_table(document))?;
        show(out, &format!("{a} | {b} | gap"), &task_table(document))?;
    }
    if document.trends.iter().any(|row| row.runs > 0) {
        let title = "from checkpoint to checkpoint: rises where the last measured is above the first; slope a checkpoint by least squares, mean over runs [95 % BCa]";
        show(out, title, &trend_table(document))?;
    }
    adjusted(document).map_or(Ok(()), |line| out.line(&line))?;
    let correlations = document.correlations.iter().filter(|row| row.n > 0);
    correlations.map(correlation).try_for_each(|line| out.line(&line))?;
    notes(document).iter().try_for_each(|line| out.line(line))
}

fn counted(document: &Document) -> String {
    let runs = document.runs.len();
    let noun = if runs == 1 { "run" } else { "runs" };
    let (name, formulas, rules) = (&document.profile, document.formulas, document.rules.count);
    let what = match document.comparable {
        true => format!("profile {name}"),
        false => format!("{name} · verbosity not comparable with {formulas}"),
    };
    format!("{runs} {noun} · {what} · {rules} rules")
}

fn run_table(document: &Document) -> Table {
    let heads = ["task", "agent", "condition"].map(String::from).into_iter();
    let heads = heads.chain(CORPUS.iter().map(|number| format!(">{}", number.id())));
    let mut table = Table::headed(heads.chain(["run".to_owned()]).collect());
    let mut rows: Vec<&RunRow> = document.runs.iter().collect();
    rows.sort_by_key(|row| (&row.task, &row.agent, &row.condition)); // stable: by path within
    for run in rows {
        let names = [&run.task, &run.agent, &run.condition].map(words).into_iter();
        let numbers = CORPUS.iter().map(|number| number_cell(run, *number));
        table.row(names.chain(numbers).chain([run.path.clone()]).collect());
    }
    table
}

fn number_cell(run: &RunRow, number: Number) -> String {
    let tests = run.tests.as_ref().filter(|_| number == Number::Tests);
    if let Some(tests) = tests {
        return format!("{}/{}", tests.strict.passed, tests.strict.total);
    }
    let is_marked = number == Number::Turns && !run.turn_states.is_empty();
    words(&run.value(number).map(|value| number.written(value, Style::Digits(3))))
        + if is_marked { "*" } else { "" }
}

fn paired_table(document: &Document) -> Table {
    let heads = [
        "agent",
        "metric",
        ">n",
        ">wins",
        ">ties",
        ">losses",
        "mean gap",
        ">W",
        ">p",
        ">p Holm",
        "Cohen's d",
        "test",
    ];
    let mut table = Table::new(&heads);
    for row in &document.paired {
        let test = row.wilcoxon.as_ref();
        let why = row.not_defined.get("wilcoxon").map(|why| (*why).to_owned());
        table.row(vec![
            agent_of(row),
            row.metric.into(),
            row.n.to_string(),
            wins(row.better, '↑', row.wins),
            row.ties.to_string(),
            wins(row.better, '↓', row.losses),
            with_interval(row.mean_gap, row.ci95),
            words(&test.map(|test| test.w.to_string())),
            words(&test.map(|test| p_value(test.p))),
            words(&test.and_then(|test| test.p_holm).map(p_value)),
            with_interval(row.cohen_d, row.cohen_d_ci95),
            words(&test.map(|test| test.test.clone()).or(why)),
        ]);
    }
    table
}

/// Tasks that a side wins; where neither way is better, those in which it is higher or lower.
fn wins(better: Better, arrow: char, count: usize) -> String {
    match better {
        Better::Neither => format!("{arrow}{count}"),
        Better::Lower | Better::Higher => count.to_string(),
    }
}

fn trend_table(document: &Document) -> Table {
    let heads = [
        "metric",
        "agent",
        ">runs",
        ">rise",
        ">share",
        ">level",
        ">fall",
        "slope",
        ">left out",
        ">unmeasured",
    ];
    let mut table = Table::new(&heads);
    for row in &document.trends {
        let slope = words(&row.slope.map(|slope| format!("{slope:+.4}")));
        let interval = row.slope_ci95.map(|[low, high]| format!(" [{low:+.4}, {high:+.4}]"));
        table.row(vec![
            row.metric.into(),
            row.agent.clone().unwrap_or_else(|| "all runs".into()),
            row.runs.to_string(),
            row.rises.to_string(),
            words(&row.share_rising.map(|share| format!("{:.1} %", share * 100.0))),
            row.level.to_string(),
            row.falls.to_string(),
            slope + &interval.unwrap_or_default(),
            row.left_out.to_string(),
            row.unmeasured_checkpoints.to_string(),
        ]);
    }
    table
}

/// A row a trend; empty cells are not defined.
pub fn trends_csv(document: &Document, out: &mut Out) -> io::Result<()> {
    let heads = [
        "metric",
        "agent",
        "runs",
        "rises",
        "level",
        "falls",
        "share_rising",
        "rising_slopes",
        "slope",
        "slope_ci95_low",
        "slope_ci95_high",
        "left_out",
        "unmeasured_checkpoints",
    ];
    out.raw(csv_row(heads.map(String::from)).as_bytes())?;
    document.trends.iter().try_for_each(|row| {
        let [low, high] = ends(row.slope_ci95);
        let cells = [
            row.metric.to_owned(),
            cell(row.agent.as_ref()),
            row.runs.to_string(),
            row.rises.to_string(),
            row.level.to_string(),
            row.falls.to_string(),
            cell(row.share_rising),
            row.rising_slopes.to_string(),
            cell(row.slope),
            low,
            high,
            row.left_out.to_string(),
            row.unmeasured_checkpoints.to_string(),
        ];
        out.raw(csv_row(cells).as_bytes())
    })
}

fn agent_of(row: &PairedRow) -> String {
    row.agent.clone().unwrap_or_else(|| "all agents".into())
}

/// What the adjusted p-values are adjusted for, of every agent.
fn adjusted(document: &Document) -> Option<String> {
    let families = document.paired.iter().filter_map(|row| {
        let how = row.wilcoxon.as_ref()?.adjusted.as_ref()?;
        Some(format!("{how} of {}", agent_of(row)))
    });
    let mut families: Vec<String> = families.collect();
    families.dedup();
    (!families.is_empty()).then(|| format!("p Holm: {}", families.join(", ")))
}

fn task_table(document: &Document) -> Table {
    let is_known =
        |it: &Number| document.per_task.iter().any(|row| row.metrics.contains_key(it.id()));
    let shown: Vec<Number> = ranked(|shown| shown.task).into_iter().filter(is_known).collect();
    let heads = shown.iter().map(|it| it.id().to_owned());
    let mut table =
        Table::headed(["task", "agent"].map(str::to_owned).into_iter().chain(heads).collect());
    for row in &document.per_task {
        let cells = shown.iter().map(|it| gap(row, *it));
        table.row([row.task.clone(), row.agent.clone()].into_iter().chain(cells).collect());
    }
    table
}

/// `0.612 0.430 +0.182`
fn gap(row: &PerTaskRow, number: Number) -> String {
    let found = row.metrics.get(number.id());
    words(&found.map(|it| format!("{:.3} {:.3} {:+.3}", it.a, it.b, it.gap)))
}

fn words(words: &Option<String>) -> String {
    words.clone().unwrap_or_else(|| "-".into())
}

fn with_interval(value: Option<f64>, interval: Option<[f64; 2]>) -> String {
    let figure = |number: f64| {
        if number.abs() < 1000.0 { format!("{number:.3}") } else { format!("{number:.0}") }
    };
    match (value, interval) {
        (None, _) => "-".into(),
        (Some(value), None) => figure(value),
        (Some(value), Some([low, high])) => {
            format!("{} [{}, {}]", figure(value), figure(low), figure(high))
        }
    }
}

fn p_value(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

/// `tests and if50 over 80 runs: Pearson 0.41 (p 0.0002), Spearman 0.39 (p 0.0003)`
fn correlation(row: &CorrelationRow) -> String {
    let coefficient = |name: &str, key: &str, found: Option<CoefficientRow>| match found {
        Some(CoefficientRow { r, p: Some(p) }) => format!("{name} {r:.3} (p {})", p_value(p)),
        Some(CoefficientRow { r, p: None }) => format!("{name} {r:.3}"),
        None => format!("{name} not defined: {}", row.not_defined.get(key).unwrap_or(&"no pairs")),
    };
    let of = row.condition.as_ref().map(|condition| format!("{condition} ")).unwrap_or_default();
    let noun = if row.n == 1 { "run" } else { "runs" };
    let (pearson, spearman) = (
        coefficient("Pearson", "pearson", row.pearson),
        coefficient("Spearman", "spearman", row.spearman),
    );
    format!("{} and {} over {} {of}{noun}: {pearson}, {spearman}", row.x, row.y, row.n)
}

fn notes(document: &Document) -> Vec<String> {
    let alone = document.alone.iter().map(|it| format!("in no pair: {}: {}", it.place, it.what));
    let problems =
        document.problems.iter().map(|it| format!("left out: {}: {}", it.place, it.what));
    let told = |run: &RunRow| -> Vec<String> {
        let state = run.state.iter().filter(|state| *state != "finished");
        let told = state.chain(&run.turn_states);
        told.map(|words| format!("* {}: {words}", run.path)).collect()
    };
    document.runs.iter().flat_map(told).chain(alone).chain(problems).collect()
}

pub fn problems_to_standard_error(document: &Document) {
    for it in &document.problems {
        eprintln!("trajview: {}", plain(&format!("{}: {}", it.place, it.what)));
    }
}

/// A row a paired test; empty cells are not defined, and `why` says why.
pub fn paired_csv(document: &Document, out: &mut Out) -> io::Result<()> {
    let heads = [
        "agent",
        "pooled",
        "metric",
        "better",
        "a",
        "b",
        "n",
        "wins",
        "ties",
        "losses",
        "mean_gap",
        "ci95_low",
        "ci95_high",
        "w",
        "p",
        "p_holm",
        "adjusted",
        "test",
        "cohen_d",
        "cohen_d_ci95_low",
        "cohen_d_ci95_high",
        "why",
    ];
    out.raw(csv_row(heads.map(String::from)).as_bytes())?;
    document.paired.iter().try_for_each(|row| out.raw(csv_row(paired_cells(row)).as_bytes()))
}

fn paired_cells(row: &PairedRow) -> [String; 22] {
    let test = row.wilcoxon.as_ref();
    let [low, high] = ends(row.ci95);
    let [d_low, d_high] = ends(row.cohen_d_ci95);
    let why: Vec<String> =
        row.not_defined.iter().map(|(field, why)| format!("{field}: {why}")).collect();
    [
        cell(row.agent.as_ref()),
        row.pooled.to_string(),
        row.metric.to_owned(),
        row.better.word().to_owned(),
        row.a.clone(),
        row.b.clone(),
        row.n.to_string(),
        row.wins.to_string(),
        row.ties.to_string(),
        row.losses.to_string(),
        cell(row.mean_gap),
        low,
        high,
        cell(test.map(|test| test.w)),
        cell(test.map(|test| test.p)),
        cell(test.and_then(|test| test.p_holm)),
        cell(test.and_then(|test| test.adjusted.as_ref())),
        cell(test.map(|test| &test.test)),
        cell(row.cohen_d),
        d_low,
        d_high,
        why.join("; "),
    ]
}

fn cell<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn ends(interval: Option<[f64; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()))
}

/// A column of CSV: its head and what stands below it.
type Column = (String, Box<dyn Fn(&RunRow) -> String>);

/// A row a run; empty cells are not known.
pub fn csv(document: &Document, out: &mut Out) -> io::Result<()> {
    let columns = columns();
    let heads = columns.iter().map(|(head, _)| head.clone());
    out.raw(csv_row(heads).as_bytes())?;
    document
        .runs
        .iter()
        .try_for_each(|run| out.raw(csv_row(columns.iter().map(|(_, cell)| cell(run))).as_bytes()))
}

/// The numbers stand where the JSON has them.
fn columns() -> Vec<Column> {
    let numbers = |block: Block| block.numbers().into_iter().map(value_column).collect::<Vec<_>>();
    let blocks = [
        words_columns(IDENTITY),
        numbers(Block::Faithful),
        words_columns(JUDGED),
        numbers(Block::Code),
        words_columns(COUNTS),
        numbers(Block::Others),
        words_columns(REST),
        ranked(|shown| shown.trend).into_iter().map(slope_column).collect(),
    ];
    blocks.into_iter().flatten().collect()
}

fn value_column(number: Number) -> Column {
    (number.id().to_owned(), Box::new(move |run| cell(run.value(number))))
}

fn slope_column(number: Number) -> Column {
    let slope = move |run: &RunRow| cell(run.slopes.get(number));
    (Slopes::head(number), Box::new(slope))
}

/// A head and its cell.
type Words = (&'static str, fn(&RunRow) -> String);

fn words_columns(columns: &'static [Words]) -> Vec<Column> {
    columns.iter().map(|(head, cell)| ((*head).to_owned(), Box::new(cell) as Box<_>)).collect()
}

const IDENTITY: &[Words] = &[
    ("run", |run| run.run.clone()),
    ("path", |run| run.path.clone()),
    ("format", |run| run.format.to_owned()),
    ("task", |run| cell(run.task.as_ref())),
    ("agent", |run| cell(run.agent.as_ref())),
    ("model", |run| cell(run.model.as_ref())),
    ("condition", |run| cell(run.condition.as_ref())),
];

const JUDGED: &[Words] = &[
    ("judge", |run| cell(run.judge.as_ref())),
    ("judged", |run| cell(run.judged)),
    ("components", |run| cell(run.components)),
];

/// What a number of JSON with fields of its own comes to in cells.
const COUNTS: &[Words] = &[
    ("rigor_score", |_| String::new()),
    ("tests_passed", |run| cell(run.tests.as_ref().map(|tests| tests.strict.passed))),
    ("tests_total", |run| cell(run.tests.as_ref().map(|tests| tests.strict.total))),
    ("pass_rate", |run| cell(run.tests.as_ref().and_then(|tests| tests.pass_rate))),
    ("input_tokens", |run| cell(run.tokens.input)),
    ("cached_input_tokens", |run| cell(run.tokens.cached_input)),
    ("output_tokens", |run| cell(run.tokens.output)),
    ("reasoning_tokens", |run| cell(run.tokens.reasoning)),
];

const REST: &[Words] = &[
    ("turns", |run| cell(run.turns)),
    ("warnings", |run| run.warnings.to_string()),
    ("state", |run| cell(run.state.as_ref())),
    ("turn_states", |run| run.turn_states.join("; ")),
];
