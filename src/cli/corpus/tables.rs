//! A corpus for people, and for spreadsheets.

use std::{collections::BTreeMap, io};

use crate::cli::{
    component_comparison,
    output::{FieldName, Json, Out, OutputTable, TableColumn, cell_or_dash, cell_or_empty},
    resampling::p_value,
    trial_columns::{column_head, columns_in_use, trial_cell},
};
use trajview_metrics::{
    Number,
    numbers::{self, CORPUS, NumberStyle, SLUMP, TASK_TABLE, TRENDS},
};
use trajview_run::trial::TrialColumn;
use trajview_study::{Interval, fairness::ConductDifference, outcomes::OutcomeCounts};

use super::{
    corrected_differences, cost_per_solved,
    document::{CorpusDocument, NumberBlock, UnfairPair, slope_name},
    outcomes::{outcome_notes, outcome_tables},
    run_facts::CorpusRunFacts,
};

pub(crate) fn print_corpus(
    document: &CorpusDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let show = |out: &mut Out, title: &str, table: &OutputTable| {
        show_table(title, table, is_markdown, out)
    };
    let json = &document.json;
    let (a, b) = (json.cell("conditions.a"), json.cell("conditions.b"));
    show(out, &count_line(document), &run_table(document))?;
    let outcomes = outcome_tables(json.field("outcomes"));
    outcomes.iter().try_for_each(|(title, table)| show(out, title, table))?;
    if json.rows("paired").is_empty() {
        out.print_sentence(&format!("no agent ran a task under both conditions, {a} and {b}"))?;
    } else {
        show(out, &format!("{a} minus {b}, by task"), &paired_table(json))?;
        if SLUMP.iter().any(|number| document.has_column(*number)) {
            let title = format!("{a}, {b} and their difference, means over tasks [95 % BCa]");
            show(out, &title, &sides_table(json, [&a, &b]))?;
            show(out, "each task, and its gap", &task_table(json, [&a, &b]))?;
        }
    }
    let components = json.rows("components");
    if !components.is_empty() {
        let title = format!("{a} and {b} component by component [95 % BCa over components]");
        show(out, &title, &component_comparison::means_table(components, [&a, &b]))?;
    }
    if !json.rows("corrected").is_empty() {
        let title = format!(
            "MCF corrected by blind labels: {a}, {b} and their difference, means over tasks [95 %, Student's, tasks as clusters]"
        );
        let table = corrected_differences::differences_table(json.rows("corrected"), [&a, &b]);
        show(out, &title, &table)?;
    }
    if components.iter().any(component_comparison::has_clusters) {
        let title = "the differences with tasks as clusters: resampling whole tasks [95 % BCa]; linear mixed model with an intercept a task (REML) [95 % Wald]";
        show(out, title, &component_comparison::clustered_table(components))?;
    }
    if !json.rows("gap_recovery").is_empty() {
        let title = "gap recovery: (treated - emergent) / (single-shot - emergent) [95 % BCa over tasks]: the mean of the tasks' ratios, and the ratio of the means over all tasks";
        show(out, title, &recovery_table(json))?;
    }
    if json.rows("trends").iter().any(|row| row.number("runs") > Some(0.0)) {
        let title = "from checkpoint to checkpoint: rises where the last measured is above the first; slope a checkpoint by least squares, mean over runs [95 % BCa]";
        show(out, title, &trend_table(json))?;
    }
    if let Some(table) =
        cost_per_solved::cost_per_solved_table(json.rows("cost_per_solved"), &document.runs)
    {
        let title = "cost of a solved checkpoint: all dollars divided by all checkpoints with only passed tests [95 % BCa over tasks]";
        show(out, title, &table)?;
    }
    adjustment_note(json).map_or(Ok(()), |line| out.print_sentence(&line))?;
    let correlations = json.rows("correlations").iter().filter(|row| row.number("n") > Some(0.0));
    correlations.map(correlation_text).try_for_each(|line| out.print_sentence(&line))?;
    corpus_notes(document).iter().try_for_each(|line| out.print_sentence(line))
}

/// Prints the outcomes of trials and what was left out.
pub(crate) fn print_outcomes(
    document: &CorpusDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let tables = outcome_tables(document.json.field("outcomes"));
    if tables.is_empty() {
        out.print_sentence("no run has an outcome that a harness recorded")?;
    }
    for (title, table) in &tables {
        show_table(title, table, is_markdown, out)?;
    }
    let left_out = document.problems.iter();
    let left_out = left_out.map(|it| format!("left out: {}: {}", it.place, it.what));
    let notes = outcome_notes(document.json.field("outcomes")).into_iter().chain(left_out);
    notes.into_iter().try_for_each(|line| out.print_sentence(&line))
}

fn show_table(
    title: &str,
    table: &OutputTable,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    out.print_sentence(title)?;
    out.print_line("")?;
    table.write_table(is_markdown, out)?;
    out.print_line("")
}

/// Returns `8 runs · 3 passed · 5 failed · profile scb-paper · 41 rules`.
fn count_line(CorpusDocument { json: document, runs, .. }: &CorpusDocument) -> String {
    let counts: OutcomeCounts = runs.iter().map(|run| run.trial.outcome).collect();
    let counts = counts.summary_text().map(|it| format!(" · {it}")).unwrap_or_default();
    let runs = runs.len();
    let noun = if runs == 1 { "run" } else { "runs" };
    let name = document.cell("profile");
    let what = match document.field("comparable") {
        Json::Flag(true) => format!("profile {name}"),
        _ => format!("{name} · verbosity not comparable with {}", document.cell("formulas")),
    };
    format!("{runs} {noun}{counts} · {what} · {} rules", document.cell("rules.count"))
}

fn run_table(document: &CorpusDocument) -> OutputTable {
    let heads = ["task", "agent", "condition"].map(String::from).into_iter();
    let mut trial = columns_in_use(document.runs.iter().map(|run| &run.trial));
    let error = trial.iter().position(|it| *it == TrialColumn::Error).map(|at| trial.remove(at));
    let heads = heads.chain(trial.iter().map(|column| column_head(*column)));
    let mut shown = numbers::visible_numbers(CORPUS, |number| has_number(document, number));
    shown.retain(|number| document.has_column(*number));
    let heads = heads.chain(shown.iter().map(|number| format!(">{}", number.id())));
    let has_judge = document.runs.iter().any(|run| run.judged.judge.is_some());
    let last = if has_judge { &["judge", ">judged at turn", "run"][..] } else { &["run"][..] };
    let has_corrected = document.runs.iter().any(|run| matches!(run.judged.corrected, Some(Ok(_))));
    let corrected = if has_corrected { &["corrected mcf"][..] } else { &[] };
    let heads = heads.chain(corrected.iter().map(|it| (*it).to_owned()));
    let heads = heads.chain(error.map(column_head));
    let heads = heads.chain(last.iter().map(|it| (*it).to_owned()));
    let mut table = OutputTable::with_heads(heads.collect()).with_keys(3);
    let mut rows: Vec<&CorpusRunFacts> = document.runs.iter().collect();
    rows.sort_by_key(|row| {
        let key = &row.measured.key;
        (&key.task, &key.agent, &key.condition) // stable: by path within
    });
    for run in rows {
        let key = &run.measured.key;
        let names = [&key.task, &key.agent, &key.condition].map(|it| cell_or_dash(it.as_ref()));
        let trial = trial.iter().map(|column| trial_cell(&run.trial, *column));
        let names = names.into_iter().chain(trial);
        let numbers = shown.iter().map(|number| number_cell(run, *number));
        let judged = [cell_or_dash(run.judged.judge.as_ref()), cell_or_dash(run.judged.turn)];
        let judged = judged.into_iter().filter(|_| has_judge);
        let error = error.map(|column| trial_cell(&run.trial, column));
        let corrected = has_corrected.then(|| {
            let mean = run.judged.corrected.as_ref().and_then(|it| it.as_ref().ok());
            cell_or_dash(mean.map(|mean| mean.text_with_interval()))
        });
        let cells = names.chain(numbers).chain(corrected).chain(error).chain(judged);
        table.add_row(cells.chain([run.path.clone()]).collect());
    }
    table
}

/// Returns whether any run has the number.
fn has_number(document: &CorpusDocument, number: Number) -> bool {
    document.runs.iter().any(|run| run.measured.number_value(number).is_some())
}

fn number_cell(run: &CorpusRunFacts, number: Number) -> String {
    if let Some((_, tests)) = run.tests.as_ref().filter(|_| number == Number::Tests) {
        return format!("{}/{}", tests.strict.passed, tests.strict.total);
    }
    let is_marked = number == Number::Turns && !run.states.of_turns.is_empty();
    let value = run.measured.number_value(number);
    cell_or_dash(value.map(|value| number.format_value(value, NumberStyle::Digits(3))))
        + if is_marked { "*" } else { "" }
}

fn paired_table(document: &Json) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 12] = [
        ("agent", &agent_cell),
        ("metric", &|it| it.cell("metric")),
        (">n", &|it| it.cell("n")),
        (">wins", &|it| wins_cell(it, '↑', "wins")),
        (">ties", &|it| it.cell("ties")),
        (">losses", &|it| wins_cell(it, '↓', "losses")),
        ("mean gap", &|it| it.interval_cell("mean_gap", "ci95")),
        (">W", &|it| it.cell("wilcoxon.w")),
        (">p", &|it| it.p_cell("wilcoxon.p")),
        (">p Holm", &|it| it.p_cell("wilcoxon.p_holm")),
        ("Cohen's d", &|it| it.interval_cell("cohen_d", "cohen_d_ci95")),
        ("test", &|it| it.cell_or("wilcoxon.test", &it.cell("not_defined.wilcoxon?"))),
    ];
    OutputTable::from_rows(&columns, document.rows("paired")).with_keys(2)
}

/// Writes the number of tasks that a side wins; where neither direction is better, of those in which it is higher or
/// lower.
fn wins_cell(row: &Json, arrow: char, count: &str) -> String {
    let count = row.cell(count);
    if row.text("better") == Some("neither") { format!("{arrow}{count}") } else { count }
}

fn trend_table(document: &Json) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 10] = [
        ("metric", &|it| it.cell("metric")),
        ("agent", &|it| it.cell_or("agent", "all runs")),
        (">runs", &|it| it.cell("runs")),
        (">rise", &|it| it.cell("rises")),
        (">share", &|it| {
            let share = it.number("share_rising");
            cell_or_dash(share.map(|share| format!("{:.1} %", share * 100.0)))
        }),
        (">level", &|it| it.cell("level")),
        (">fall", &|it| it.cell("falls")),
        ("slope", &|it| {
            let ends = |Interval { low, high }| format!(" [{low:+.4}, {high:+.4}]");
            cell_or_dash(it.number("slope").map(|slope| format!("{slope:+.4}")))
                + &cell_or_empty(it.interval("slope_ci95").map(ends))
        }),
        (">left out", &|it| it.cell("left_out")),
        (">unmeasured", &|it| it.cell("unmeasured_checkpoints")),
    ];
    OutputTable::from_rows(&columns, document.rows("trends")).with_keys(2)
}

fn recovery_table(document: &Json) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 8] = [
        ("condition", &|it| it.cell("condition")),
        ("agent", &|it| it.cell("agent")),
        ("metric", &|it| it.cell("metric")),
        (">n", &|it| it.cell("n")),
        ("mean of ratios", &|it| it.interval_cell("mean", "ci95")),
        (">tasks", &|it| it.cell("ratio_of_means.n")),
        ("ratio of means", &|it| it.interval_cell("ratio_of_means.value", "ratio_of_means.ci95")),
        ("by task", &|it| {
            let share = |(task, share): &(FieldName, Json)| match share {
                Json::Number(share) => format!("{task} {share:.3}"),
                _ => format!("{task} no gap"),
            };
            it.fields("tasks").iter().map(share).collect::<Vec<_>>().join(", ")
        }),
    ];
    OutputTable::from_rows(&columns, document.rows("gap_recovery")).with_keys(3)
}

fn agent_cell(row: &Json) -> String {
    row.cell_or("agent", "all agents")
}

/// Names the family that the adjusted p-values of each agent are adjusted for; None without such p-values.
fn adjustment_note(document: &Json) -> Option<String> {
    let families = document.rows("paired").iter().filter_map(|row| {
        let how = row.text("wilcoxon.adjusted")?;
        let of_what = match document.text("family") {
            Some("metric") => row.cell("metric"),
            Some("all") => "the table".into(),
            _ => agent_cell(row),
        };
        Some(format!("{how} of {of_what}"))
    });
    let mut named: Vec<String> = vec![];
    for family in families {
        if !named.contains(&family) {
            named.push(family);
        }
    }
    let families = named;
    (!families.is_empty()).then(|| format!("p Holm: {}", families.join(", ")))
}

/// Returns a table with a row for each task: of each number the value under both conditions, and the gap.
fn task_table(document: &Json, conditions: [&str; 2]) -> OutputTable {
    let rows = document.rows("per_task");
    let gap = |row: &Json, it: &Number| row.field(&format!("metrics.{}?", it.id())).clone();
    let is_known = |it: &Number| rows.iter().any(|row| !gap(row, it).is_null());
    let shown: Vec<Number> = TASK_TABLE.iter().copied().filter(is_known).collect();
    let [a, b] = conditions;
    let of_number = |it: &Number| [a, b, "gap"].map(|what| format!(">{} {what}", it.id()));
    let heads = ["task", "agent"].map(str::to_owned).into_iter();
    let heads = heads.chain(shown.iter().flat_map(of_number));
    let mut table = OutputTable::with_heads(heads.collect()).with_keys(2);
    for row in rows {
        let cells = |it: &Number| {
            let gap = gap(row, it);
            let side = |name| cell_or_dash(gap.number(name).map(|value| format!("{value:.3}")));
            let gap_cell = cell_or_dash(gap.number("gap").map(|gap| format!("{gap:+.3}")));
            [side("a"), side("b"), gap_cell]
        };
        let names = [row.cell("task"), row.cell("agent")];
        table.add_row(names.into_iter().chain(shown.iter().flat_map(cells)).collect());
    }
    table
}

/// Returns the table of SLUMP's numbers under each condition.
fn sides_table(document: &Json, [a, b]: [&str; 2]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 6] = [
        ("agent", &agent_cell),
        ("metric", &|it| it.cell("metric")),
        (">n", &|it| it.cell("n")),
        (a, &|it| it.interval_cell("mean_a.mean", "mean_a.ci95")),
        (b, &|it| it.interval_cell("mean_b.mean", "mean_b.ci95")),
        ("difference", &|it| it.interval_cell("mean_gap", "ci95")),
    ];
    let is_slump = |row: &&Json| SLUMP.iter().any(|it| row.text("metric") == Some(it.id()));
    OutputTable::from_rows(&columns, document.rows("paired").iter().filter(is_slump)).with_keys(2)
}

/// Returns `tests and if50 over 80 runs: Pearson 0.41 (p 0.0002), Spearman 0.39 (p 0.0003)`.
fn correlation_text(row: &Json) -> String {
    let coefficient = |name: &str, key: &str| {
        let found = row.field(key);
        match (found.number("r"), found.number("p")) {
            (Some(r), Some(p)) => format!("{name} {r:.3} (p {})", p_value(p)),
            (Some(r), None) => format!("{name} {r:.3}"),
            (None, _) => {
                format!("{name} not defined: {}", row.cell(&format!("not_defined.{key}?")))
            }
        }
    };
    let condition = row.text("condition").map(|it| format!("{it} ")).unwrap_or_default();
    let noun = if row.number("n") == Some(1.0) { "run" } else { "runs" };
    let (pearson, spearman) =
        (coefficient("Pearson", "pearson"), coefficient("Spearman", "spearman"));
    format!(
        "{} and {} over {} {condition}{noun}: {pearson}, {spearman}",
        row.cell("x"),
        row.cell("y"),
        row.cell("n")
    )
}

fn corpus_notes(document: &CorpusDocument) -> Vec<String> {
    let warnings = |name: &'static str, words: &'static str| {
        let rows = document.json.rows(name).iter();
        rows.map(move |it| format!("{words}: {}: {}", it.cell("where"), it.cell("what")))
    };
    let state_notes = |run: &CorpusRunFacts| -> Vec<String> {
        let state = run.states.of_run.iter().filter(|state| *state != "finished");
        let states = state.chain(&run.states.of_turns);
        states.map(|words| format!("* {}: {words}", run.path)).collect()
    };
    let unfair = document.unfair.iter().map(|UnfairPair { task, agent, differences }| {
        let differences: Vec<String> =
            differences.iter().map(ConductDifference::display_text).collect();
        format!(
            "{task}, {agent}: its runs differ in more than their condition: {}",
            differences.join("; ")
        )
    });
    let states = document.runs.iter().flat_map(state_notes);
    states
        .chain(outcome_notes(document.json.field("outcomes")))
        .chain(several_judgements_notes(document))
        .chain(unpaired_notes(document.json.rows("alone")))
        .chain(warnings("problems", "left out"))
        .chain(unfair)
        .collect()
}

/// The most runs of one reason that are named.
const NAMED_UNPAIRED: usize = 20;

/// Lists the runs in no pair, and of many for the same reason their number.
fn unpaired_notes(rows: &[Json]) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<&Json>> = BTreeMap::new();
    for row in rows {
        reasons.entry(row.cell("what")).or_default().push(row);
    }
    let is_named = |row: &&Json| reasons[&row.cell("what")].len() <= NAMED_UNPAIRED;
    let named = rows.iter().filter(is_named);
    let named = named.map(|row| format!("in no pair: {}: {}", row.cell("where"), row.cell("what")));
    let many = reasons.iter().filter(|(_, rows)| rows.len() > NAMED_UNPAIRED);
    let many = many.map(|(why, rows)| format!("in no pair: {} runs: {why}", rows.len()));
    named.chain(many).collect()
}

/// Lists the runs that have several judgements of the whole checklist, none of them chosen by the user.
pub(crate) fn several_judgements_notes(document: &CorpusDocument) -> Vec<String> {
    let of_run = |run: &CorpusRunFacts| {
        let (judged, others) = (&run.judged, &run.judged.other_judgements);
        let judge = judged.judge.as_deref().filter(|_| !others.is_empty())?;
        let file = judged.file.as_deref().unwrap_or_default();
        let at = judged.judged_at.as_deref().map(|at| format!(", {at}")).unwrap_or_default();
        Some(format!(
            "{}: scores by {judge} ({file}{at}), the last judgement of the latest state; also available: {}; choose with --judge, or permanently with the setting `judge` or `judge` in components.json",
            run.path,
            others.join(", ")
        ))
    };
    document.runs.iter().filter_map(of_run).collect()
}

/// Returns the columns of the CSV of runs, for [`Out::print_csv`]; the numbers have the order of the JSON.
pub(crate) fn runs_csv_columns(document: &CorpusDocument) -> String {
    let shown_numbers = |block: NumberBlock| {
        numbers::visible_numbers(&block.numbers(), |it| has_number(document, it))
    };
    let numbers = |block: NumberBlock| {
        shown_numbers(block).into_iter().map(|it| it.id().to_owned()).collect()
    };
    let slopes = TRENDS.iter().copied().map(slope_name).collect();
    let [faithful, code, others, slopes] = [
        numbers(NumberBlock::Faithful),
        numbers(NumberBlock::Code),
        numbers(NumberBlock::Others),
        slopes,
    ]
    .map(|names: Vec<String>| names.join(" "));
    format!(
        "run path format task attempt outcome reward reward_name error agent model condition {faithful} judge judgement judged_turn judged_at judged components \
         corrected_mcf corrected_low corrected_high corrected_labels corrected_worth {code} \
         tests_passed=tests.strict.passed tests_total=tests.strict.total pass_rate=tests.pass_rate \
         input_tokens=tokens.input cached_input_tokens=tokens.cached_input output_tokens=tokens.output \
         reasoning_tokens=tokens.reasoning {others} seconds turns warnings state turn_states cost_computed_usd not_priced_tokens \
         solved_checkpoints {slopes}"
    )
}

/// The columns of the CSV of paired tests.
pub(crate) const PAIRED_CSV_COLUMNS: &str = "agent pooled metric better a b n wins ties losses mean_gap ci95_low=ci95.0 ci95_high=ci95.1 \
    w=wilcoxon.w p=wilcoxon.p p_holm=wilcoxon.p_holm adjusted=wilcoxon.adjusted test=wilcoxon.test cohen_d \
    cohen_d_ci95_low=cohen_d_ci95.0 cohen_d_ci95_high=cohen_d_ci95.1 why=not_defined \
    mean_a=mean_a.mean a_ci95_low=mean_a.ci95.0 a_ci95_high=mean_a.ci95.1 mean_b=mean_b.mean b_ci95_low=mean_b.ci95.0 \
    b_ci95_high=mean_b.ci95.1";

/// The columns of the CSV of trends.
pub(crate) const TREND_CSV_COLUMNS: &str = "metric agent runs rises level falls share_rising rising_slopes slope \
    slope_ci95_low=slope_ci95.0 slope_ci95_high=slope_ci95.1 left_out unmeasured_checkpoints";
