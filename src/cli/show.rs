//! `trajview show`: turns, requests, edits, tokens, warnings.

use trajview_formats as formats;
use trajview_metrics::{cost::RunCost, rubric_tree::Summary};
use trajview_run::{Run, Time, Tokens, Turn, TurnState, figures};
use trajview_store as store;

use super::{
    Exit, Failure, Outcome, RunArg, at,
    json::{EditRow, JudgedRow, ProcessFacts, Show, ShowTurn, StepRow, Teller, TurnRow},
    output::{Column, Out, Table, cell, dash},
    process::{ScoreRow, SignalRow},
    recorded,
    score::faithful,
};

/// Print the turns of a run: requests, edits, tokens, warnings
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// One turn with its steps (counts from 1)
    #[arg(long)]
    turn: Option<usize>,
    /// The steps of the turn in a table instead, without their words: when each began, how long it took and waited, the
    /// tokens of its model call and what they cost at list prices. The JSON has them without it
    #[arg(long, requires = "turn")]
    times: bool,
    /// How it was worked on too: RigorBench's pillars and the signals; reads every step of the run
    #[arg(long)]
    process: bool,
    /// Whose scores count: the judge's name, or a judgement's file; the beginning is enough where only one begins so.
    /// `pooled:mean`, `pooled:median` or `pooled:majority` pools those of each state, with `:JUDGE` the repeats of one.
    /// Without it the last judgement of the latest state that has a score for every component
    #[arg(long, visible_alias = "judgement", value_name = "NAME|FILE", conflicts_with = "turn")]
    judge: Option<String>,
    /// Print JSON (schema trajview.show/1, with --turn trajview.show-turn/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print the table as Markdown
    #[arg(long)]
    md: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    if args.md {
        out.write_markdown();
    }
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let prices = store::prices::held();
    let (timeline, cost) =
        rayon::join(|| archive.timeline(run), || RunCost::of(run, &prices.prices));
    let timeline = timeline.map_err(Failure::unread)?;
    let teller = Teller { run, archive, timeline: &timeline, path: &args.run.path, cost: &cost };
    let is_worked = !run.is_rubric_tree_alone();
    let report = (args.process && is_worked).then(|| store::report(archive, run));
    let shown = match args.turn {
        Some(number) => {
            let at = at::turn_index(run, number)?;
            let mut shown = teller.show_turn(at);
            let here = |it: &SignalRow| it.step.split('.').next() == Some(&number.to_string());
            shown.signals =
                report.map(|report| SignalRow::all(&report).into_iter().filter(here).collect());
            match (args.json, args.times) {
                (true, _) => out.json(&shown)?,
                (_, true) => times(&shown.steps).write(args.md, out)?,
                _ => print_turn(&run.turns[at], &shown, out)?,
            }
            None
        }
        None => {
            let mut rubric = store::rubric::read(&args.run.path);
            let chosen = faithful::choose(&mut rubric, args.judge.as_deref())?;
            let chosen = chosen.and_then(|at| rubric.judgements.get(at));
            let is_judgeable = rubric.checklist.is_some() || !rubric.judgements.is_empty();
            let mut shown = teller.show(JudgedRow::of(run, &rubric, chosen));
            shown.process = report.map(|report| ProcessFacts {
                process: ScoreRow::of(&report),
                signals: SignalRow::all(&report),
            });
            if args.json {
                out.json(&shown)?
            } else {
                print_run(run, &shown, is_judgeable, args.md, out)?
            }
            Some(shown)
        }
    };
    store::let_go(opened, (timeline, cost, shown));
    Ok(Exit::Fine)
}

fn print_run(
    run: &Run,
    shown: &Show,
    is_judgeable: bool,
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    if !is_markdown {
        head(run, shown).iter().try_for_each(|line| out.line(line))?;
        out.line("")?;
    }
    if let Some(tree) = &shown.rubric_tree {
        out.line(&of_tree(tree))?;
        out.line("")?;
    }
    if run.turns.is_empty() && shown.rubric_tree.is_some() {
        recorded::print(run, is_markdown, out)?;
        return warnings(shown, out);
    }
    turns(run, &shown.turns).write(is_markdown, out)?;
    recorded::print(run, is_markdown, out)?;
    let totals = &shown.totals;
    out.line("")?;
    states(run, out)?;
    out.line(&format!(
        "{}, {} steps, {} tool calls, {} errors, {}, tokens in {} (cached {}) out {} (reasoning {})",
        at::turns(totals.turns.unwrap_or(0)) + &not_counted(totals.turns_not_counted.unwrap_or(0)),
        totals.steps.unwrap_or(0), // there are turns, so it is known
        totals.tool_calls.unwrap_or(0),
        totals.errors.unwrap_or(0),
        lines_of(shown),
        dash(totals.tokens.input),
        dash(totals.tokens.cached_input),
        dash(totals.tokens.output),
        dash(totals.tokens.reasoning),
    ))?;
    let cost = totals
        .cost_usd
        .map_or_else(|| "cost not recorded".into(), |cost| format!("cost {cost:.4} USD"));
    let seconds =
        totals.duration_s.map_or_else(|| "duration not recorded".into(), |s| format!("{s:.1} s"));
    let computed = &totals.computed.said;
    out.line(&format!("{cost}, {computed}, {seconds}, files from {}", shown.run.files_from))?;
    if let Some(without_price) = &totals.computed.without_price {
        out.line(without_price)?;
    }
    if is_judgeable {
        out.line(&shown.faithfulness.said())?;
    }
    if let Some(facts) = &shown.process {
        out.line(&facts.process.said())?;
        signals(&facts.signals, is_markdown, out)?;
    }
    warnings(shown, out)
}

fn signals(rows: &[SignalRow], is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    out.line(&format!("signals ({})", rows.len()))?;
    let columns: [Column<'_, SignalRow>; 3] = [
        ("step", &|it| it.step.clone()),
        ("signal", &|it| it.kind.into()),
        ("why", &|it| it.why.clone()),
    ];
    if rows.is_empty() { Ok(()) } else { Table::of(&columns, rows).write(is_markdown, out) }
}

/// What became of the turns that are not simply done, and of the requests that were not asked.
fn states(run: &Run, out: &mut Out) -> std::io::Result<()> {
    run.state_sentences().iter().try_for_each(|told| out.line(told))?;
    run.origin
        .record
        .skipped
        .iter()
        .try_for_each(|title| out.line(&format!("a request was skipped: {title}")))
}

/// Lines added and removed; what they are at least where not every change tells.
fn lines_of(shown: &Show) -> String {
    if let Some((added, removed)) = shown.totals.added.zip(shown.totals.removed) {
        return format!("+{added} −{removed} lines");
    }
    let edits = || {
        let counted = shown.turns.iter().filter(|turn| turn.counts);
        counted.flat_map(|turn| &turn.edits)
    };
    let added = EditRow::lines_at_least(edits(), |edit| edit.added);
    let removed = EditRow::lines_at_least(edits(), |edit| edit.removed);
    match added.zip(removed) {
        Some((added, removed)) => format!("lines at least +{added} −{removed}"),
        None if edits().next().is_some_and(|_| edits().all(EditRow::is_elsewhere)) => {
            "no file of the workspace changed".into()
        }
        None => "no lines recorded".into(),
    }
}

/// ` (1 more does not count)`
fn not_counted(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " (1 more does not count)".into(),
        count => format!(" ({count} more do not count)"),
    }
}

fn warnings(shown: &Show, out: &mut Out) -> std::io::Result<()> {
    let mut all = shown.warnings.iter();
    all.try_for_each(|it| out.line(&format!("warning: {}: {}", it.place, it.what)))
}

/// `rubric tree: score 0.6729, 27 leaves, 2 of them invalid; trajview score tells more`
fn of_tree(tree: &Summary) -> String {
    let score = tree.score.map_or_else(|| "not graded".into(), |score| format!("score {score:.4}"));
    let invalid = tree.invalid.filter(|count| *count > 0);
    let invalid = invalid.map(|count| format!(", {count} of them invalid")).unwrap_or_default();
    let leaves = if tree.leaves == 1 { "1 leaf".into() } else { format!("{} leaves", tree.leaves) };
    format!("rubric tree: {score}, {leaves}{invalid}; `trajview score` tells more")
}

fn head(run: &Run, shown: &Show) -> Vec<String> {
    let facts = &shown.run;
    let words =
        |parts: &[Option<&str>]| parts.iter().flatten().copied().collect::<Vec<_>>().join(" · ");
    let agent = facts.agent.agent.as_ref().map(|name| match &facts.agent.agent_version {
        Some(version) => format!("{name} {version}"),
        None => name.clone(),
    });
    let task = run.task.as_ref().map(|task| task.title.as_deref().unwrap_or(&task.id));
    let parts = [
        Some(facts.id.as_str()),
        facts.harness.as_deref(),
        task,
        facts.condition.as_deref(),
        agent.as_deref(),
        facts.agent.model.as_deref(),
    ];
    let mut lines = vec![words(&parts)];
    lines.extend(facts.provenance.as_ref().map(|provenance| format!("provenance: {provenance}")));
    lines.extend(facts.record.state.as_ref().map(|state| format!("state: {state}")));
    lines.extend(facts.record.start.iter().map(|sentence| format!("start: {sentence}")));
    lines.extend(facts.record.remarks.iter().map(|remark| format!("remark: {remark}")));
    if let (Some(start), Some(end)) = (&facts.started_at, &facts.ended_at) {
        lines.push(format!("{start} to {end}"));
    }
    lines
}

/// A turn without an edit has no files and no lines only where the format says which files a turn changed.
fn turns(run: &Run, rows: &[TurnRow]) -> Table {
    let none = formats::tells_edits(run).then_some(0);
    let columns: [Column<'_, TurnRow>; 12] = [
        (">turn", &|it| it.turn.to_string()),
        ("checkpoint", &|it| cell(it.checkpoint.as_ref())),
        (">steps", &|it| (it.work.step_count + it.work.subagent_steps).to_string()),
        (">tools", &|it| it.work.tool_calls.to_string()),
        (">errors", &|it| it.work.errors.to_string()),
        (">files", &|it| dash(it.files(none))),
        (">+", &|it| dash(it.lines(|edit| edit.added, none))),
        (">−", &|it| dash(it.lines(|edit| edit.removed, none))),
        (">in", &|it| dash(it.tokens.input)),
        (">out", &|it| dash(it.tokens.output)),
        ("", &|it| marks(it)),
        ("request", &|it| {
            let title = it.request.as_deref().map(trajview_run::label);
            title.map_or_else(|| "(no request recorded)".into(), |title| shortened(&title))
        }),
    ];
    Table::of(&columns, rows)
}

fn marks(turn: &TurnRow) -> String {
    let state = turn.record.state.map(TurnState::words).filter(|words| !words.is_empty());
    let marks = [("⟲", turn.context.compactions), ("⑂", turn.subagents)];
    let marks = marks.iter().filter(|(_, count)| *count > 0).map(|(mark, _)| *mark);
    state.into_iter().chain(marks).collect::<Vec<_>>().join(" ")
}

fn shortened(title: &str) -> String {
    trajview_tui::widgets::text::truncate(title, 72, "…").to_string()
}

fn print_turn(found: &Turn, shown: &ShowTurn, out: &mut Out) -> std::io::Result<()> {
    let turn = &shown.turn;
    let checkpoint =
        turn.checkpoint.as_ref().map(|id| format!(", checkpoint {id}")).unwrap_or_default();
    out.line(&format!("{}: turn {}{checkpoint}", shown.run.id, turn.turn))?;
    for line in turn.request.as_deref().unwrap_or("(no request recorded)").lines() {
        out.line(&format!("  > {line}"))?;
    }
    for line in
        turn.request_added.iter().flat_map(|added| [store::ADDED].into_iter().chain(added.lines()))
    {
        out.line(&format!("  > {line}"))?;
    }
    record_of(found, turn).iter().try_for_each(|line| out.line(&format!("  {line}")))?;
    print_edits(&turn.edits, "  ", out)?;
    print_steps(&shown.steps, 0, out)?;
    let Some(rows) = &shown.signals else { return Ok(()) };
    out.line("")?;
    signals(rows, false, out)
}

/// What the recorder says of the turn, a line each.
fn record_of(found: &Turn, turn: &TurnRow) -> Vec<String> {
    let record = &turn.record;
    let attempt = record.attempt.filter(|attempt| *attempt > 1);
    let mut lines: Vec<String> = found.state_sentence().into_iter().collect();
    lines.extend(attempt.map(|attempt| format!("attempt {attempt}")));
    lines.extend(record.exit.as_ref().map(|exit| format!("the agent ended with {exit}")));
    let used = [turn.tokens.input, turn.tokens.output].iter().any(Option::is_some);
    lines.extend(used.then(|| {
        format!("tokens in {} out {}", dash(turn.tokens.input), dash(turn.tokens.output))
    }));
    lines.extend(turn.cost.cost_usd.map(|cost| format!("cost {cost:.4} USD")));
    let computed = &turn.cost.computed;
    lines.extend(computed.cell.as_ref().map(|_| computed.said.clone()));
    let lists = [
        ("not allowed", &record.denied),
        ("reported", &record.troubles),
        ("written outside the workspace", &record.outside),
        ("not in the commit", &record.not_recorded),
    ];
    lines.extend(
        lists.iter().flat_map(|(what, list)| list.iter().map(move |it| format!("{what}: {it}"))),
    );
    lines
}

fn print_edits(edits: &[EditRow], indent: &str, out: &mut Out) -> std::io::Result<()> {
    edits.iter().try_for_each(|edit| {
        let from = edit.from.as_ref().map(|from| format!("{from} → ")).unwrap_or_default();
        let lines = match (edit.added, edit.removed) {
            (Some(added), Some(removed)) => format!("+{added} −{removed}"),
            _ => "(no lines to count)".to_owned(),
        };
        let origin =
            if edit.origin == "recorded" { String::new() } else { format!("  [{}]", edit.origin) };
        out.line(&format!("{indent}{} {from}{}  {lines}{origin}", edit.kind, edit.path))
    })
}

/// The steps with their times, tokens and computed cost, a sub-agent's below the one that started it.
fn times(steps: &[StepRow]) -> Table {
    let mut rows = vec![];
    put_in_order(steps, 0, &mut rows);
    let known = |seconds: Option<f64>| dash(seconds.map(figures::lapse));
    let tokens = |step: &StepRow, of: fn(&Tokens) -> Option<u64>| match step.pace.model_call {
        // The tokens are those of a step above.
        Some(call) if call != step.step => "↑".into(),
        _ => dash(of(&step.tokens)),
    };
    let cost = |step: &StepRow| match step.pace.model_call {
        Some(call) if call != step.step => "↑".into(),
        _ => dash(step.computed.cell.as_ref()),
    };
    let columns: [Column<'_, (usize, &StepRow)>; 9] = [
        (">step", &|(_, it)| it.step.to_string()),
        ("UTC", &|(_, it)| dash(it.times.started_at.map(Time::clock))),
        (">began", &|(_, it)| {
            dash(it.pace.since_turn_s.map(|at| format!("+{}", figures::lapse(at))))
        }),
        (">took", &|(_, it)| known(it.pace.took_s)),
        (">wait", &|(_, it)| known(it.pace.waited_s)),
        (">in", &|(_, it)| tokens(it, |tokens| tokens.input)),
        (">out", &|(_, it)| tokens(it, |tokens| tokens.output)),
        (">$ computed", &|(_, it)| cost(it)),
        ("what", &|(depth, it)| {
            let name = it.tool.as_ref().map_or(it.kind, |tool| tool.name.as_str());
            let failed = if it.is_error { " ✗" } else { "" };
            format!("{}{name}{failed} {}", "· ".repeat(*depth), shortened(&it.label))
        }),
    ];
    Table::of(&columns, &rows)
}

/// The steps in the order of their numbers, each with how deep in sub-agents it is.
fn put_in_order<'s>(steps: &'s [StepRow], depth: usize, rows: &mut Vec<(usize, &'s StepRow)>) {
    for step in steps {
        rows.push((depth, step));
        if let Some(agent) = &step.subagent {
            put_in_order(&agent.steps, depth + 1, rows);
        }
    }
}

fn print_steps(steps: &[StepRow], depth: usize, out: &mut Out) -> std::io::Result<()> {
    let indent = "  ".repeat(depth + 1);
    for step in steps {
        let name = step.tool.as_ref().map_or(step.kind, |tool| tool.name.as_str());
        let result = step.result.as_ref().map(|result| {
            let outcome = result.outcome.as_ref().map(|it| format!("{it}, ")).unwrap_or_default();
            format!("  [{outcome}{} bytes]", result.bytes)
        });
        let failed = if step.is_error { " ✗" } else { "" };
        out.line("")?;
        out.line(&format!(
            "{indent}{}. {name}{failed}: {}{}  {}:{}",
            step.step,
            step.label,
            result.unwrap_or_default(),
            step.place.file,
            step.place.line
        ))?;
        let body = step.tool.as_ref().and_then(|tool| tool.arguments.as_deref());
        for text in [
            Some(step.text.as_str()),
            body,
            step.result.as_ref().map(|result| result.text.as_str()),
        ] {
            for line in text.unwrap_or_default().lines() {
                out.line(&format!("{indent}   {line}"))?;
            }
        }
        print_edits(&step.edits, &format!("{indent}   "), out)?;
        if let Some(agent) = &step.subagent {
            out.line(&format!("{indent}   sub-agent {} ({})", agent.name, agent.id))?;
            print_steps(&agent.steps, depth + 2, out)?;
        }
    }
    Ok(())
}
