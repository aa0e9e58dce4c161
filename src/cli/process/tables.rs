//! The output of `process` for one run.

use std::io;

use crate::cli::output::{Out, OutputTable, share_cell};
use trajview_run::format_number;

use super::{
    ProcessArgs, ProcessDocument,
    document::{CheckRow, CheckedStateRow, ProcessProfileRow, rigor_score_text},
};

pub(crate) fn print_process(
    process: &ProcessDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    for profile in &process.profiles {
        print_pillars(profile, is_markdown, out)?;
        out.print_line("")?;
    }
    print_disagreements(process, out)?;
    print_section("signals", process.signals.len(), out)?;
    signal_table(process).write_table(is_markdown, out)?;
    if !process.recoveries.is_empty() {
        print_section("failures and recoveries", process.recoveries.len(), out)?;
        let mut table = OutputTable::new(&[
            "failed at",
            ">attempts",
            ">strategies",
            ">tokens wasted",
            "recovered at",
        ]);
        for row in &process.recoveries {
            let recovered = row.recovered.clone().unwrap_or_else(|| "not in this turn".into());
            table.add_row(vec![
                row.failed.clone(),
                row.attempts.to_string(),
                row.strategies.to_string(),
                row.tokens_wasted.map_or_else(|| "-".into(), format_number::with_thousands),
                recovered,
            ]);
        }
        table.write_table(is_markdown, out)?;
    }
    print_states(&process.states, is_markdown, out)?;
    if !process.plan.is_empty() {
        print_section("plan", process.plan.len(), out)?;
        let mut table = OutputTable::new(&["planned", "done at"]);
        for row in &process.plan {
            table.add_row(vec![row.item.clone(), row.done.clone().unwrap_or_else(|| "-".into())]);
        }
        table.write_table(is_markdown, out)?;
    }
    if !process.lints.is_empty() {
        print_section("implausible recording", process.lints.len(), out)?;
        process
            .lints
            .iter()
            .try_for_each(|lint| out.print_sentence(&format!("{}: {}", lint.id, lint.what)))?;
    }
    Ok(())
}

fn print_states(rows: &[CheckedStateRow], is_markdown: bool, out: &mut Out) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    print_section("states built and tested on request", rows.len(), out)?;
    let mut table = OutputTable::new(&["after", "build", ">seconds", "test", ">seconds", "commit"]);
    for row in rows {
        let check = |check: &Option<CheckRow>| match check {
            None => ["-".to_owned(), "-".to_owned()],
            Some(check) => {
                let code = check.exit_code.filter(|code| *code != 0);
                let code = code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
                let seconds = check.seconds.map_or_else(|| "-".into(), format_number::one_decimal);
                [format!("{}{code}", check.outcome), seconds]
            }
        };
        let ([build, build_seconds], [test, test_seconds]) = (check(&row.build), check(&row.test));
        table.add_row(vec![
            row.step.clone().unwrap_or_else(|| format!("turn {}", row.turn)),
            build,
            build_seconds,
            test,
            test_seconds,
            row.commit.as_deref().map_or("-", |commit| commit.get(..8).unwrap_or(commit)).into(),
        ]);
    }
    table.write_table(is_markdown, out)
}

fn print_section(name: &str, count: usize, out: &mut Out) -> io::Result<()> {
    out.print_line("")?;
    out.print_sentence(&format!("{name} ({count})"))
}

fn print_pillars(profile: &ProcessProfileRow, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.print_sentence(&rigor_score_text(
        profile.profile,
        profile.rigor_score,
        profile.weight_used,
    ))?;
    let mut table = OutputTable::new(&["pillar", ">weight", ">value", "counted", "parts"]);
    for row in &profile.pillars {
        let star = if row.is_default { "*" } else { "" };
        let counted = row.counted.iter().map(|it| format!("{} {}", it.count, it.what));
        let parts = row.parts.iter().map(|part| format!("{} {}", part.id, share_cell(part.value)));
        table.add_row(vec![
            format!("{} ({})", row.name, row.id.to_uppercase()),
            format_number::whole_percent(row.weight),
            share_cell(row.value) + star,
            counted.collect::<Vec<_>>().join(", "),
            parts.collect::<Vec<_>>().join(", "),
        ]);
    }
    table.write_table(is_markdown, out)?;
    if !profile.not_recorded.is_empty() {
        out.print_sentence(&format!("not recorded: {}", profile.not_recorded.join(", ")))?;
    }
    if profile.pillars.iter().any(|row| row.is_default) {
        out.print_sentence("* the scorer's default value (no events)")?;
    }
    Ok(())
}

/// Prints one line for each pillar on which the profiles disagree.
fn print_disagreements(process: &ProcessDocument, out: &mut Out) -> io::Result<()> {
    let [paper, shipped] = process.profiles.as_slice() else { return Ok(()) };
    let differ: Vec<_> = paper
        .pillars
        .iter()
        .zip(&shipped.pillars)
        .filter(|(a, b)| a.value != b.value)
        .map(|(a, _)| a)
        .collect();
    if !differ.is_empty() {
        out.print_sentence("where paper and scorer disagree")?;
    }
    differ.iter().try_for_each(|row| {
        out.print_sentence(&format!("  {}: {}", row.id.to_uppercase(), row.disagreement))
    })
}

fn signal_table(process: &ProcessDocument) -> OutputTable {
    let mut table = OutputTable::new(&["step", "signal", "why"]);
    for signal in &process.signals {
        let step = match signal.step == signal.until {
            true => signal.step.clone(),
            false => format!("{} to {}", signal.step, signal.until),
        };
        table.add_row(vec![step, signal.kind.to_owned(), signal.why.clone()]);
    }
    table
}

pub(crate) fn print_signals(
    process: &ProcessDocument,
    args: &ProcessArgs,
    out: &mut Out,
) -> io::Result<()> {
    if args.json {
        return out.print_json_list("trajview.signals/1", ("signals", &process.signals));
    }
    if args.csv {
        return out.print_csv("step until kind path why", &process.signals);
    }
    signal_table(process).write_table(args.forms.md, out)
}
