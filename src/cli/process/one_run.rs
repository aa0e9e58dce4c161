//! The process of one run: the rows of the JSON, each with its table; and the parts of them that `score`, `show` and
//! `export` have. Absent values are null, never 0.

use std::{collections::BTreeMap, io};

use crate::cli::output::{Json, Out, OutputTable, TableColumn, record};
use trajview_metrics::process::{
    CheckedState, DisciplineScores, Pillar, PillarWeights, ProcessReport, RigorProfile,
    checked_states::CheckRun,
    pillars::PillarScore,
    report::{CycleReport, ShownStepNumbers},
};
use trajview_run::format_number;

use super::{ProcessArgs, ProcessedRun};

/// Makes the document of one run.
pub(crate) fn process_document(worked: &ProcessedRun, weights: &PillarWeights) -> Json {
    let ProcessedRun { path, run, report, .. } = worked;
    let names = &report.names;
    record! {
        schema: "trajview.process/1",
        run: run.id,
        path: path,
        format: run.origin.format,
        task: run.task_key(),
        agent: run.agent_key(),
        // The folder that the agent left, where the code of a RigorBench result was read from there.
        working_copy: worked.working_copy,
        // Both profiles, the paper's first.
        profiles: Json::list(RigorProfile::ALL, |profile| {
            profile_row(report.in_profile(profile), weights, names)
        }),
        signals: signal_rows(report),
        recoveries: Json::list(&report.cycles, |cycle| recovery_row(cycle, names)),
        // Results of build and test for each moment, where commands were run on request.
        states: Json::list(&report.states, |state| state_row(state, names)),
        // The longest plan, and the step at which each item was done.
        plan: Json::list(&report.plan, |(item, done)| {
            record! { item: item, done: done.map(|step| names.step_label(step)) }
        }),
        lints: report.lints,
    }
}

pub(crate) fn print_process(process: &Json, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    for profile in process.rows("profiles") {
        print_pillars(profile, is_markdown, out)?;
        out.print_line("")?;
    }
    print_disagreements(process, out)?;
    let signals = process.rows("signals");
    print_section("signals", signals, out)?;
    signal_table(signals).write_table(is_markdown, out)?;
    for (field, title, table) in [
        ("recoveries", "failures and recoveries", recovery_table as fn(&[Json]) -> OutputTable),
        ("states", "states built and tested on request", state_table),
        ("plan", "plan", plan_table),
    ] {
        let rows = process.rows(field);
        if !rows.is_empty() {
            print_section(title, rows, out)?;
            table(rows).write_table(is_markdown, out)?;
        }
    }
    let lints = process.rows("lints");
    if !lints.is_empty() {
        print_section("implausible recording", lints, out)?;
    }
    lints
        .iter()
        .try_for_each(|it| out.print_sentence(&format!("{}: {}", it.cell("id"), it.cell("what"))))
}

fn print_section(name: &str, rows: &[Json], out: &mut Out) -> io::Result<()> {
    out.print_line("")?;
    out.print_sentence(&format!("{name} ({})", rows.len()))
}

/// Makes the row of a profile; its score, 0 to 1, is the weighted mean of the pillars that have a value, and
/// `weight_used` the sum of the weights that it could use.
fn profile_row(
    discipline: &DisciplineScores,
    weights: &PillarWeights,
    names: &ShownStepNumbers,
) -> Json {
    record! {
        profile: discipline.profile.word(),
        rigor_score: discipline.composite_score(weights),
        weight_used: discipline.weight_used(),
        pillars: Json::list(&discipline.pillars, |scored| pillar_row(scored, weights, names)),
        not_recorded: discipline.not_recorded(),
    }
}

fn pillar_row(scored: &PillarScore, weights: &PillarWeights, names: &ShownStepNumbers) -> Json {
    record! {
        id: scored.pillar.word(),
        name: scored.pillar.name(),
        weight: weights.weight_of(scored.pillar),
        // 0 to 1.
        value: scored.value,
        // True if the value means "nothing was measured".
        is_default: scored.is_default,
        parts: scored.parts,
        counted: Json::list(&scored.counted, |counted| {
            let steps = counted.steps.iter().map(|step| names.step_label(*step));
            record! {
                what: counted.what,
                count: counted.count,
                steps: steps.collect::<Vec<_>>(),
            }
        }),
        // The point in which the two profiles disagree.
        disagreement: scored.pillar.profile_difference(),
    }
}

fn print_pillars(profile: &Json, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let joined = |rows: &[Json], part: fn(&Json) -> String| {
        rows.iter().map(part).collect::<Vec<_>>().join(", ")
    };
    let columns: [TableColumn<'_, Json>; 5] = [
        ("pillar", &|it| format!("{} ({})", it.cell("name"), it.cell("id").to_uppercase())),
        (">weight", &|it| format_number::whole_percent(it.number("weight").unwrap_or_default())),
        (">value", &|it| it.share_cell("value") + if it.flag("is_default") { "*" } else { "" }),
        ("counted", &|it| {
            joined(it.rows("counted"), |it| format!("{} {}", it.cell("count"), it.cell("what")))
        }),
        ("parts", &|it| {
            joined(it.rows("parts"), |it| format!("{} {}", it.cell("id"), it.share_cell("value")))
        }),
    ];
    let pillars = profile.rows("pillars");
    out.print_sentence(&rigor_score_text(profile))?;
    OutputTable::from_rows(&columns, pillars).write_table(is_markdown, out)?;
    if !profile.rows("not_recorded").is_empty() {
        let names = joined(profile.rows("not_recorded"), Json::csv_cell);
        out.print_sentence(&format!("not recorded: {names}"))?;
    }
    if pillars.iter().any(|row| row.flag("is_default")) {
        out.print_sentence("* the scorer's default value (no events)")?;
    }
    Ok(())
}

/// Returns `rigor-paper: RigorScore 0.672, over 90 % of the weights` of a row with a profile's score.
pub(crate) fn rigor_score_text(row: &Json) -> String {
    let weight = format_number::whole_percent(row.number("weight_used").unwrap_or_default());
    let (profile, score) = (row.cell("profile"), row.share_cell("rigor_score"));
    format!("{profile}: RigorScore {score}, from pillars worth {weight} of the weight")
}

/// Prints one line for each pillar on which the profiles disagree.
fn print_disagreements(process: &Json, out: &mut Out) -> io::Result<()> {
    let [paper, shipped] = process.rows("profiles") else { return Ok(()) };
    let both = paper.rows("pillars").iter().zip(shipped.rows("pillars"));
    let differ: Vec<_> = both.filter(|(a, b)| a.field("value") != b.field("value")).collect();
    if !differ.is_empty() {
        out.print_sentence("where paper and scorer disagree")?;
    }
    differ.iter().try_for_each(|(row, _)| {
        let pillar = row.cell("id").to_uppercase();
        out.print_sentence(&format!("  {pillar}: {}", row.cell("disagreement")))
    })
}

/// Makes the rows of all signals, in playing order; a step is `12.7`, the seventh step of turn 12.
pub(crate) fn signal_rows(report: &ProcessReport) -> Vec<Json> {
    let signals = report.signals.iter().map(|signal| {
        record! {
            kind: signal.kind.words(),
            step: report.names.step_label(signal.step),
            until: report.names.step_label(signal.until),
            why: signal.why,
            path: signal.path,
        }
    });
    signals.collect()
}

fn signal_table(rows: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 3] = [
        ("step", &|it| match it.field("step") == it.field("until") {
            true => it.cell("step"),
            false => format!("{} to {}", it.cell("step"), it.cell("until")),
        }),
        ("signal", &|it| it.cell("kind")),
        ("why", &|it| it.cell("why")),
    ];
    OutputTable::from_rows(&columns, rows)
}

pub(crate) fn print_signals(process: &Json, args: &ProcessArgs, out: &mut Out) -> io::Result<()> {
    let signals = process.rows("signals");
    if args.json {
        return out.print_json_list("trajview.signals/1", ("signals", signals));
    }
    if args.csv {
        return out.print_csv("step until kind path why", signals);
    }
    signal_table(signals).write_table(args.forms.md, out)
}

fn recovery_row(cycle: &CycleReport, names: &ShownStepNumbers) -> Json {
    record! {
        failed: names.step_label(cycle.failed),
        attempts: cycle.attempts,
        // Attempts that did something else than those before.
        strategies: cycle.strategies,
        // Null if it was not recovered before the turn ended.
        recovered: cycle.recovered.map(|step| names.step_label(step)),
        // Tokens of the failed attempts. Null if tokens are not recorded.
        tokens_wasted: cycle.tokens_wasted,
    }
}

fn recovery_table(rows: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 5] = [
        ("failed at", &|it| it.cell("failed")),
        (">attempts", &|it| it.cell("attempts")),
        (">strategies", &|it| it.cell("strategies")),
        (">tokens wasted", &|it| it.thousands_cell("tokens_wasted")),
        ("recovered at", &|it| it.cell_or("recovered", "not in this turn")),
    ];
    OutputTable::from_rows(&columns, rows)
}

/// Makes the row of the files after a turn, which counts from 1, or after a step within one.
fn state_row(state: &CheckedState, names: &ShownStepNumbers) -> Json {
    let check = |check: &CheckRun| {
        record! {
            command: check.command,
            // `ok`, `failed`, `timed out` or `could not be run`.
            outcome: check.outcome.word(),
            exit_code: check.exit_code,
            seconds: check.seconds,
            at: check.at,
            // The last lines.
            output: check.output,
        }
    };
    record! {
        turn: state.turn + 1,
        // `12.7`; null at the end of the turn.
        step: state.step.map(|step| names.step_label(step)),
        commit: state.commit,
        // Null if it was not run.
        build: state.build.as_ref().map(check),
        test: state.test.as_ref().map(check),
    }
}

fn state_table(rows: &[Json]) -> OutputTable {
    let outcome = |check: &Json| {
        let code = check.number("exit_code").filter(|code| *code != 0.0);
        let code = code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
        check.cell("outcome") + &code
    };
    let seconds = |check: &Json| {
        check.number("seconds").map_or_else(|| "-".into(), format_number::one_decimal)
    };
    let columns: [TableColumn<'_, Json>; 6] = [
        ("after", &|it| it.cell_or("step", &format!("turn {}", it.cell("turn")))),
        ("build", &|it| outcome(it.field("build"))),
        (">seconds", &|it| seconds(it.field("build"))),
        ("test", &|it| outcome(it.field("test"))),
        (">seconds", &|it| seconds(it.field("test"))),
        ("commit", &|it| {
            let commit = it.cell("commit");
            commit.get(..8).unwrap_or(&commit).into()
        }),
    ];
    OutputTable::from_rows(&columns, rows)
}

fn plan_table(rows: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 2] =
        [("planned", &|it| it.cell("item")), ("done at", &|it| it.cell("done"))];
    OutputTable::from_rows(&columns, rows)
}

/// Makes the process of a run in the output of `score`: by the paper's formulas.
pub(crate) fn process_score_row(report: &ProcessReport) -> Json {
    let discipline = &report.paper;
    let counted = discipline.pillars.iter().flat_map(|scored| &scored.counted);
    record! {
        profile: discipline.profile.word(),
        pillars: pillar_values(discipline),
        rigor_score: discipline.rigor_score(),
        weight_used: discipline.weight_used(),
        counted: counted.map(|it| (it.what, it.count)).collect::<BTreeMap<_, _>>(),
        not_recorded: discipline.not_recorded(),
        signals: report.signals.len(),
    }
}

fn pillar_values(discipline: &DisciplineScores) -> BTreeMap<&'static str, Option<f64>> {
    Pillar::ALL.iter().map(|it| (it.word(), discipline.pillar_value(*it))).collect()
}

/// The columns of a run in the CSV.
pub(crate) const CSV_COLUMNS: &str = "run path task agent profile rigor_score weight_used pf=pillars.pf vc=pillars.vc re=pillars.re aq=pillars.aq ati=pillars.ati tad=pillars.tad ee=pillars.ee signals lints";

/// Makes the row of a run among several, and in the CSV.
pub(crate) fn run_row(worked: &ProcessedRun, args: &ProcessArgs) -> Json {
    let discipline = worked.report.in_profile(args.profile);
    record! {
        run: worked.run.id,
        path: worked.path,
        task: worked.run.task_key(),
        agent: worked.run.agent_key(),
        profile: args.profile.word(),
        rigor_score: discipline.composite_score(&args.pillar_weights()),
        weight_used: discipline.weight_used(),
        pillars: pillar_values(discipline),
        signals: worked.report.signals.len(),
        lints: worked.report.lints.len(),
    }
}
