//! What `process` prints of one run.

use std::io;

use crate::cli::output::{Out, Table, share};
use trajview_run::figures;

use super::{
    Args, Process,
    document::{CheckRow, ProfileRow, StateRow, said},
};

pub fn print(process: &Process, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    for profile in &process.profiles {
        pillars(profile, is_markdown, out)?;
        out.line("")?;
    }
    disagreements(process, out)?;
    section("signals", process.signals.len(), out)?;
    signal_table(process).write(is_markdown, out)?;
    if !process.recoveries.is_empty() {
        section("failures and recoveries", process.recoveries.len(), out)?;
        let mut table = Table::new(&[
            "failed at",
            ">attempts",
            ">strategies",
            ">tokens wasted",
            "recovered at",
        ]);
        for row in &process.recoveries {
            let recovered = row.recovered.clone().unwrap_or_else(|| "not in this turn".into());
            table.row(vec![
                row.failed.clone(),
                row.attempts.to_string(),
                row.strategies.to_string(),
                row.tokens_wasted.map_or_else(|| "-".into(), figures::count),
                recovered,
            ]);
        }
        table.write(is_markdown, out)?;
    }
    states(&process.states, is_markdown, out)?;
    if !process.plan.is_empty() {
        section("plan", process.plan.len(), out)?;
        let mut table = Table::new(&["planned", "done at"]);
        for row in &process.plan {
            table.row(vec![row.item.clone(), row.done.clone().unwrap_or_else(|| "-".into())]);
        }
        table.write(is_markdown, out)?;
    }
    if !process.lints.is_empty() {
        section("the recording cannot be what it says", process.lints.len(), out)?;
        process
            .lints
            .iter()
            .try_for_each(|lint| out.sentence(&format!("{}: {}", lint.id, lint.what)))?;
    }
    Ok(())
}

fn states(rows: &[StateRow], is_markdown: bool, out: &mut Out) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    section("states built and tested on request", rows.len(), out)?;
    let mut table = Table::new(&["after", "build", ">seconds", "test", ">seconds", "commit"]);
    for row in rows {
        let check = |check: &Option<CheckRow>| match check {
            None => ["-".to_owned(), "-".to_owned()],
            Some(check) => {
                let code = check.exit_code.filter(|code| *code != 0);
                let code = code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
                let seconds = check.seconds.map_or_else(|| "-".into(), figures::tenths);
                [format!("{}{code}", check.outcome), seconds]
            }
        };
        let ([build, build_seconds], [test, test_seconds]) = (check(&row.build), check(&row.test));
        table.row(vec![
            row.step.clone().unwrap_or_else(|| format!("turn {}", row.turn)),
            build,
            build_seconds,
            test,
            test_seconds,
            row.commit.as_deref().map_or("-", |commit| commit.get(..8).unwrap_or(commit)).into(),
        ]);
    }
    table.write(is_markdown, out)
}

fn section(name: &str, count: usize, out: &mut Out) -> io::Result<()> {
    out.line("")?;
    out.sentence(&format!("{name} ({count})"))
}

fn pillars(profile: &ProfileRow, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.sentence(&said(profile.profile, profile.rigor_score, profile.weight_used))?;
    let mut table = Table::new(&["pillar", ">weight", ">value", "counted", "parts"]);
    for row in &profile.pillars {
        let star = if row.is_default { "*" } else { "" };
        let counted = row.counted.iter().map(|it| format!("{} {}", it.count, it.what));
        let parts = row.parts.iter().map(|part| format!("{} {}", part.id, share(part.value)));
        table.row(vec![
            format!("{} ({})", row.name, row.id.to_uppercase()),
            figures::percent(row.weight),
            share(row.value) + star,
            counted.collect::<Vec<_>>().join(", "),
            parts.collect::<Vec<_>>().join(", "),
        ]);
    }
    table.write(is_markdown, out)?;
    if !profile.not_recorded.is_empty() {
        out.sentence(&format!("not recorded: {}", profile.not_recorded.join(", ")))?;
    }
    if profile.pillars.iter().any(|row| row.is_default) {
        out.sentence("* the scorer's value where it counted nothing")?;
    }
    Ok(())
}

/// One line for each pillar in which the profiles come to something else.
fn disagreements(process: &Process, out: &mut Out) -> io::Result<()> {
    let [paper, shipped] = process.profiles.as_slice() else { return Ok(()) };
    let differ: Vec<_> = paper
        .pillars
        .iter()
        .zip(&shipped.pillars)
        .filter(|(a, b)| a.value != b.value)
        .map(|(a, _)| a)
        .collect();
    if !differ.is_empty() {
        out.sentence("where paper and scorer disagree")?;
    }
    differ.iter().try_for_each(|row| {
        out.sentence(&format!("  {}: {}", row.id.to_uppercase(), row.disagreement))
    })
}

fn signal_table(process: &Process) -> Table {
    let mut table = Table::new(&["step", "signal", "why"]);
    for signal in &process.signals {
        let step = match signal.step == signal.until {
            true => signal.step.clone(),
            false => format!("{} to {}", signal.step, signal.until),
        };
        table.row(vec![step, signal.kind.to_owned(), signal.why.clone()]);
    }
    table
}

pub fn signals(process: &Process, args: &Args, out: &mut Out) -> io::Result<()> {
    if args.json {
        return out.json_list("trajview.signals/1", ("signals", &process.signals));
    }
    if args.csv {
        return out.csv("step until kind path why", &process.signals);
    }
    signal_table(process).write(args.forms.md, out)
}
