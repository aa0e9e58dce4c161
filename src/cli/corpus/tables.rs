//! A corpus for people, and for spreadsheets.

use std::io;

use crate::cli::{
    component_comparison::{self, ComponentsRow},
    output::{Out, OutputTable, TableColumn, cell_or_dash, cell_or_empty},
    resampling::{p_value, with_interval},
};
use trajview_metrics::{
    BetterDirection, Number,
    numbers::{self, CORPUS, NumberStyle, SLUMP, TASK_TABLE, TRENDS},
};
use trajview_study::{Interval, Undefined, correlation::Correlation, fairness::ConductDifference};

use super::{
    cost_per_solved::{self, CostPerSolvedRow},
    document::{
        CorpusDocument, CorpusRunRow, CorrelationRow, NumberBlock, NumberSlopes, PairedTestRow,
        PerTaskRow, TaskRecoveryRow, TrendRow,
    },
};

pub(crate) fn print_corpus(
    document: &CorpusDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let show = |out: &mut Out, title: &str, table: &OutputTable| {
        out.print_sentence(title)?;
        out.print_line("")?;
        table.write_table(is_markdown, out)?;
        out.print_line("")
    };
    let (a, b) = (&document.conditions.a, &document.conditions.b);
    show(out, &count_line(document), &run_table(document))?;
    if document.paired.is_empty() {
        out.print_sentence(&format!(
            "no task of one agent was run under both conditions, {a} and {b}"
        ))?;
    } else {
        show(out, &format!("{a} less {b}, task by task"), &paired_table(document))?;
        show(
            out,
            &format!("{a}, {b} and their difference, means over tasks [95 % BCa]"),
            &sides_table(document),
        )?;
        show(out, &format!("{a} | {b} | gap"), &task_table(document))?;
    }
    if !document.components.is_empty() {
        let title = format!(
            "{a} (first) and {b} (second) component by component [95 % BCa over components]"
        );
        show(out, &title, &component_comparison::means_table(&document.components))?;
    }
    if document.components.iter().any(ComponentsRow::has_clusters) {
        let title = "the differences with tasks as clusters: tasks drawn whole [95 % BCa]; linear mixed model with an intercept a task (REML) [95 % Wald]";
        show(out, title, &component_comparison::clustered_table(&document.components))?;
    }
    if !document.gap_recovery.is_empty() {
        let title = "gap recovery: (treated - emergent) / (single-shot - emergent) [95 % BCa over tasks]: the mean of the tasks' ratios, and the ratio of the means over all tasks";
        show(out, title, &recovery_table(document))?;
    }
    if document.trends.iter().any(|row| row.runs > 0) {
        let title = "from checkpoint to checkpoint: rises where the last measured is above the first; slope a checkpoint by least squares, mean over runs [95 % BCa]";
        show(out, title, &trend_table(document))?;
    }
    if document.cost_per_solved.iter().any(CostPerSolvedRow::is_known) {
        let title = "a solved checkpoint costs: all dollars by all checkpoints of which every test passed [95 % BCa over tasks]";
        show(out, title, &cost_per_solved::cost_per_solved_table(&document.cost_per_solved))?;
    }
    adjustment_note(document).map_or(Ok(()), |line| out.print_sentence(&line))?;
    let correlations = document.correlations.iter().filter(|row| row.n > 0);
    correlations.map(correlation_text).try_for_each(|line| out.print_sentence(&line))?;
    corpus_notes(document).iter().try_for_each(|line| out.print_sentence(line))
}

fn count_line(document: &CorpusDocument) -> String {
    let runs = document.runs.len();
    let noun = if runs == 1 { "run" } else { "runs" };
    let (name, formulas, rules) =
        (&document.ruler.profile, document.ruler.formulas, document.rules.count);
    let what = match document.ruler.comparable {
        true => format!("profile {name}"),
        false => format!("{name} · verbosity not comparable with {formulas}"),
    };
    format!("{runs} {noun} · {what} · {rules} rules")
}

fn run_table(document: &CorpusDocument) -> OutputTable {
    let heads = ["task", "agent", "condition"].map(String::from).into_iter();
    let shown = numbers::visible_numbers(CORPUS, |number| has_number(document, number));
    let heads = heads.chain(shown.iter().map(|number| format!(">{}", number.id())));
    let has_judge = document.runs.iter().any(|run| run.judging.judge.is_some());
    let last = if has_judge { &["judge", "run"][..] } else { &["run"][..] };
    let heads = heads.chain(last.iter().map(|it| (*it).to_owned()));
    let mut table = OutputTable::with_heads(heads.collect()).with_keys(3);
    let mut rows: Vec<&CorpusRunRow> = document.runs.iter().collect();
    rows.sort_by_key(|row| (&row.who.task, &row.who.agent, &row.who.condition)); // stable: by path within
    for run in rows {
        let names = [&run.who.task, &run.who.agent, &run.who.condition]
            .map(|it| cell_or_dash(it.as_ref()))
            .into_iter();
        let numbers = shown.iter().map(|number| number_cell(run, *number));
        let judge = has_judge.then(|| cell_or_dash(run.judging.judge.as_ref()));
        table.add_row(names.chain(numbers).chain(judge).chain([run.path.clone()]).collect());
    }
    table
}

/// Returns whether any run has the number.
fn has_number(document: &CorpusDocument, number: Number) -> bool {
    document.runs.iter().any(|run| run.number_value(number).is_some())
}

fn number_cell(run: &CorpusRunRow, number: Number) -> String {
    let tests = run.tests.as_ref().filter(|_| number == Number::Tests);
    if let Some(tests) = tests {
        return tests.passed_text();
    }
    let is_marked = number == Number::Turns && !run.state.turn_states.is_empty();
    cell_or_dash(
        run.number_value(number).map(|value| number.format_value(value, NumberStyle::Digits(3))),
    ) + if is_marked { "*" } else { "" }
}

fn paired_table(document: &CorpusDocument) -> OutputTable {
    let columns: [TableColumn<'_, PairedTestRow>; 12] = [
        ("agent", &|it| agent_cell(it)),
        ("metric", &|it| it.metric.into()),
        (">n", &|it| it.outcomes.n.to_string()),
        (">wins", &|it| wins_cell(it.better, '↑', it.outcomes.wins)),
        (">ties", &|it| it.outcomes.ties.to_string()),
        (">losses", &|it| wins_cell(it.better, '↓', it.outcomes.losses)),
        ("mean gap", &|it| with_interval(it.mean_gap, it.ci95)),
        (">W", &|it| cell_or_dash(it.wilcoxon.as_ref().map(|test| test.w))),
        (">p", &|it| cell_or_dash(it.wilcoxon.as_ref().map(|test| p_value(test.p)))),
        (">p Holm", &|it| {
            cell_or_dash(it.wilcoxon.as_ref().and_then(|test| test.p_holm).map(p_value))
        }),
        ("Cohen's d", &|it| with_interval(it.cohen_d, it.cohen_d_ci95)),
        ("test", &|it| {
            let why = it.not_defined.get("wilcoxon").map(Undefined::to_string);
            cell_or_dash(it.wilcoxon.as_ref().map(|test| test.test.clone()).or(why))
        }),
    ];
    OutputTable::from_rows(&columns, &document.paired).with_keys(2)
}

/// Writes the number of tasks that a side wins; where neither direction is better, of those in which it is higher or
/// lower.
fn wins_cell(better: BetterDirection, arrow: char, count: usize) -> String {
    match better {
        BetterDirection::Neither => format!("{arrow}{count}"),
        BetterDirection::Lower | BetterDirection::Higher => count.to_string(),
    }
}

fn trend_table(document: &CorpusDocument) -> OutputTable {
    let columns: [TableColumn<'_, TrendRow>; 10] = [
        ("metric", &|it| it.metric.into()),
        ("agent", &|it| it.agent.clone().unwrap_or_else(|| "all runs".into())),
        (">runs", &|it| it.runs.to_string()),
        (">rise", &|it| it.rises.to_string()),
        (">share", &|it| {
            cell_or_dash(it.share_rising.map(|share| format!("{:.1} %", share * 100.0)))
        }),
        (">level", &|it| it.level.to_string()),
        (">fall", &|it| it.falls.to_string()),
        ("slope", &|it| {
            let ends = |Interval { low, high }| format!(" [{low:+.4}, {high:+.4}]");
            cell_or_dash(it.slope.map(|slope| format!("{slope:+.4}")))
                + &cell_or_empty(it.slope_ci95.map(ends))
        }),
        (">left out", &|it| it.left_out.to_string()),
        (">unmeasured", &|it| it.unmeasured_checkpoints.to_string()),
    ];
    OutputTable::from_rows(&columns, &document.trends).with_keys(2)
}

fn recovery_table(document: &CorpusDocument) -> OutputTable {
    let columns: [TableColumn<'_, TaskRecoveryRow>; 8] = [
        ("condition", &|it| it.condition.clone()),
        ("agent", &|it| it.agent.clone()),
        ("metric", &|it| it.metric.into()),
        (">n", &|it| it.n.to_string()),
        ("mean of ratios", &|it| with_interval(it.mean, it.ci95)),
        (">tasks", &|it| it.ratio_of_means.n.to_string()),
        ("ratio of means", &|it| with_interval(it.ratio_of_means.value, it.ratio_of_means.ci95)),
        ("by task", &|it| {
            let share = |(task, share): (&String, &Option<f64>)| {
                format!("{task} {}", share.map_or_else(|| "no gap".into(), |it| format!("{it:.3}")))
            };
            it.tasks.iter().map(share).collect::<Vec<_>>().join(", ")
        }),
    ];
    OutputTable::from_rows(&columns, &document.gap_recovery).with_keys(3)
}

fn agent_cell(row: &PairedTestRow) -> String {
    row.agent.clone().unwrap_or_else(|| "all agents".into())
}

/// Names the family that the adjusted p-values of each agent are adjusted for; None without such p-values.
fn adjustment_note(document: &CorpusDocument) -> Option<String> {
    let families = document.paired.iter().filter_map(|row| {
        let how = row.wilcoxon.as_ref()?.adjusted.as_ref()?;
        Some(format!("{how} of {}", agent_cell(row)))
    });
    let mut families: Vec<String> = families.collect();
    families.dedup();
    (!families.is_empty()).then(|| format!("p Holm: {}", families.join(", ")))
}

fn task_table(document: &CorpusDocument) -> OutputTable {
    let is_known =
        |it: &Number| document.per_task.iter().any(|row| row.metrics.contains_key(it.id()));
    let shown: Vec<Number> = TASK_TABLE.iter().copied().filter(is_known).collect();
    let heads = shown.iter().map(|it| it.id().to_owned());
    let mut table = OutputTable::with_heads(
        ["task", "agent"].map(str::to_owned).into_iter().chain(heads).collect(),
    )
    .with_keys(2);
    for row in &document.per_task {
        let cells = shown.iter().map(|it| gap_cell(row, *it));
        table.add_row([row.task.clone(), row.agent.clone()].into_iter().chain(cells).collect());
    }
    table
}

/// Returns `0.612 0.430 +0.182`.
fn gap_cell(row: &PerTaskRow, number: Number) -> String {
    let found = row.metrics.get(number.id());
    cell_or_dash(found.map(|it| format!("{:.3} {:.3} {:+.3}", it.a, it.b, it.gap)))
}

/// SLUMP's numbers under each condition.
fn sides_table(document: &CorpusDocument) -> OutputTable {
    let columns: [TableColumn<'_, PairedTestRow>; 6] = [
        ("agent", &|it| agent_cell(it)),
        ("metric", &|it| it.metric.into()),
        (">n", &|it| it.outcomes.n.to_string()),
        ("first", &|it| with_interval(it.mean_a.mean, it.mean_a.ci95)),
        ("second", &|it| with_interval(it.mean_b.mean, it.mean_b.ci95)),
        ("difference", &|it| with_interval(it.mean_gap, it.ci95)),
    ];
    let is_told = |row: &&PairedTestRow| SLUMP.iter().any(|number| number.id() == row.metric);
    OutputTable::from_rows(&columns, document.paired.iter().filter(is_told)).with_keys(2)
}

/// Returns `tests and if50 over 80 runs: Pearson 0.41 (p 0.0002), Spearman 0.39 (p 0.0003)`.
fn correlation_text(row: &CorrelationRow) -> String {
    let coefficient = |name: &str, key: &str, found: Option<Correlation>| match found {
        Some(Correlation { r, p: Ok(p) }) => format!("{name} {r:.3} (p {})", p_value(p)),
        Some(Correlation { r, p: Err(_) }) => format!("{name} {r:.3}"),
        None => {
            let why = row.not_defined.get(key).unwrap_or(&Undefined::NoPairs);
            format!("{name} not defined: {why}")
        }
    };
    let condition_text =
        row.condition.as_ref().map(|condition| format!("{condition} ")).unwrap_or_default();
    let noun = if row.n == 1 { "run" } else { "runs" };
    let (pearson, spearman) = (
        coefficient("Pearson", "pearson", row.pearson),
        coefficient("Spearman", "spearman", row.spearman),
    );
    format!("{} and {} over {} {condition_text}{noun}: {pearson}, {spearman}", row.x, row.y, row.n)
}

fn corpus_notes(document: &CorpusDocument) -> Vec<String> {
    let alone =
        document.doubts.alone.iter().map(|it| format!("in no pair: {}: {}", it.place, it.what));
    let problems =
        document.doubts.problems.iter().map(|it| format!("left out: {}: {}", it.place, it.what));
    let state_notes = |run: &CorpusRunRow| -> Vec<String> {
        let state = run.state.state.iter().filter(|state| *state != "finished");
        let states = state.chain(&run.state.turn_states);
        states.map(|words| format!("* {}: {words}", run.path)).collect()
    };
    let unfair = document.doubts.unfair.iter().map(|it| {
        let differences: Vec<String> =
            it.differences.iter().map(ConductDifference::display_text).collect();
        let (task, agent) = (&it.task, &it.agent);
        format!(
            "{task}, {agent}: its runs differ in more than their condition: {}",
            differences.join("; ")
        )
    });
    let several = several_judgements_notes(document).into_iter();
    document
        .runs
        .iter()
        .flat_map(state_notes)
        .chain(several)
        .chain(alone)
        .chain(problems)
        .chain(unfair)
        .collect()
}

/// Lists the runs that have several judgements of the whole checklist, none of them chosen by the user.
pub(crate) fn several_judgements_notes(document: &CorpusDocument) -> Vec<String> {
    let of_run = |run: &CorpusRunRow| {
        let (judging, others) = (&run.judging, &run.judging.other_judgements);
        let judge = judging.judge.as_deref().filter(|_| !others.is_empty())?;
        let file = judging.judgement.as_deref().unwrap_or_default();
        let at = judging.judged_at.as_deref().map(|at| format!(", {at}")).unwrap_or_default();
        Some(format!(
            "{}: scores by {judge} ({file}{at}), the last judgement of the latest state; there are also {}; --judge chooses, `judge` in components.json for good",
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
    let slopes = TRENDS.iter().copied().map(NumberSlopes::column_name).collect();
    let [faithful, code, others, slopes] = [
        numbers(NumberBlock::Faithful),
        numbers(NumberBlock::Code),
        numbers(NumberBlock::Others),
        slopes,
    ]
    .map(|names: Vec<String>| names.join(" "));
    format!(
        "run path format task agent model condition {faithful} judge judgement judged_at judged components {code} \
         tests_passed=tests.strict.passed tests_total=tests.strict.total pass_rate=tests.pass_rate \
         input_tokens=tokens.input cached_input_tokens=tokens.cached_input output_tokens=tokens.output \
         reasoning_tokens=tokens.reasoning {others} turns warnings state turn_states cost_computed_usd not_priced_tokens \
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
