//! `trajview show`: turns, requests, edits, tokens, warnings.

use trajview_analysis as analysis;
use trajview_formats as formats;
use trajview_metrics::{
    cost::{CostSum, RunCost},
    rubric_tree::TreeSummary,
};
use trajview_run::{Run, Time, Tokens, Turn, TurnState, format_number};
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit, RunArg, cost, harness_records,
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, cell_or_empty, record},
    process::{process_score_row, rigor_score_text, signal_rows},
    run_args,
    score::faithfulness,
    show_json::{
        EditRow, ShowBuilder, ShowDocument, ShowStepRow, ShowTurnDocument, ShowTurnRow,
        faithfulness_record, fidelity_line,
    },
};

/// Print the turns of a run: requests, edits, tokens, warnings
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    run: RunArg,
    /// One turn with its steps (counts from 1)
    #[arg(long, value_parser = run_args::parse_turn)]
    turn: Option<usize>,
    /// Print the steps of the turn as a table without texts: start, duration, wait, the tokens of the model call and
    /// their cost at list prices. The JSON always has them
    #[arg(long, requires = "turn")]
    times: bool,
    /// Also print the process: RigorBench's pillars and the signals; reads every step of the run
    #[arg(long)]
    process: bool,
    /// Judge whose scores count: the judge's name, or a judgement's file; a unique beginning is enough.
    /// `pooled:mean`, `pooled:median` or `pooled:majority` pools those of each state, with `:JUDGE` the repeats of one.
    /// Without it the last judgement of the latest state that has a score for every component
    #[arg(long, alias = "judgement", value_name = "NAME|FILE", conflicts_with = "turn")]
    judge: Option<String>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// Print JSON (schema trajview.show/1, with --turn trajview.show-turn/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print the table as Markdown
    #[arg(long)]
    md: bool,
}

pub fn run(args: &ShowArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    if args.md {
        out.set_markdown();
    }
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let prices = store::prices::current_prices();
    let (timeline, cost) =
        rayon::join(|| archive.timeline(run), || RunCost::new(run, &prices.prices));
    let timeline = timeline.map_err(CommandFailure::cannot_read)?;
    let teller =
        ShowBuilder { run, archive, timeline: &timeline, path: &args.run.path, cost: &cost };
    let is_worked = !run.has_no_log();
    let report = (args.process && is_worked).then(|| analysis::process_report(archive, run));
    let shown = match args.turn {
        Some(number) => {
            let at = run_args::turn_index(run, number)?;
            let mut shown = teller.show_turn_document(at);
            let here = |it: &Json| it.cell("step").split('.').next() == Some(&number.to_string());
            shown.signals =
                report.map(|report| signal_rows(&report).into_iter().filter(here).collect());
            match (args.json, args.times) {
                (true, _) => out.print_json(&shown)?,
                (_, true) => step_times_table(&shown.steps).write_table(args.md, out)?,
                _ => print_turn(&run.turns[at], &shown, out)?,
            }
            None
        }
        None => {
            let mut rubric = store::rubric::read_beside(&args.run.path);
            let chosen = faithfulness::choose_judgement(&mut rubric, args.judge.as_deref())?;
            let chosen = chosen.and_then(|at| rubric.judgements.get(at));
            let is_judgeable = rubric.checklist.is_some() || !rubric.judgements.is_empty();
            let mut shown = teller.show_document(faithfulness_record(run, &rubric, chosen));
            shown.process = report.map(|report| {
                let (process, signals) = (process_score_row(&report), signal_rows(&report));
                record! { process: process, signals: signals }
            });
            if args.json {
                out.print_json(&shown)?
            } else {
                print_run((run, &cost.total_sum()), &shown, is_judgeable, args.md, out)?
            }
            Some(shown)
        }
    };
    store::free_recording(opened, (timeline, cost, shown));
    Ok(Exit::Fine)
}

fn print_run(
    (run, sum): (&Run, &CostSum),
    shown: &ShowDocument,
    is_judgeable: bool,
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    if !is_markdown {
        head_lines(run, shown).iter().try_for_each(|line| out.print_line(line))?;
        out.print_line("")?;
    }
    if let Some(tree) = &shown.rubric_tree {
        out.print_line(&rubric_tree_line(tree))?;
        out.print_line("")?;
    }
    if run.turns.is_empty() && shown.rubric_tree.is_some() {
        harness_records::print_checkpoints(run, is_markdown, out)?;
        return print_run_warnings(shown, out);
    }
    if run.has_no_log() {
        out.print_line(NO_LOG)?;
        return print_run_warnings(shown, out);
    }
    turn_table(run, &shown.turns).write_table(is_markdown, out)?;
    harness_records::print_checkpoints(run, is_markdown, out)?;
    let totals = &shown.totals;
    out.print_line("")?;
    print_states(run, out)?;
    out.print_line(&format!(
        "{}, {} steps, {} tool calls, {} errors, {}, tokens in {} (cached {}) out {} (reasoning {})",
        run_args::turns_text(totals.count("turns") as usize)
            + &not_counted_text(totals.count("turns_not_counted")),
        totals.count("steps"), // there are turns, so it is known
        totals.count("tool_calls"),
        totals.count("errors"),
        lines_text(shown),
        totals.cell("tokens.input"),
        totals.cell("tokens.cached_input"),
        totals.cell("tokens.output"),
        totals.cell("tokens.reasoning"),
    ))?;
    let or_not =
        |what: &str, value: Option<String>| value.unwrap_or_else(|| format!("{what} not recorded"));
    let cost = totals.number("cost_usd").map(|cost| format!("cost {cost:.4} USD"));
    let seconds = totals.number("duration_s").map(|seconds| format!("{seconds:.1} s"));
    out.print_line(&format!(
        "{}, {}, {}, files from {}",
        or_not("cost", cost),
        cost::computed_text(&cost::cost_record(sum, None)),
        or_not("duration", seconds),
        shown.run.cell("files_from")
    ))?;
    if let Some(without_price) = cost::without_price(sum) {
        out.print_line(&without_price)?;
    }
    if is_judgeable {
        out.print_line(&fidelity_line(&shown.faithfulness))?;
    }
    if let Some(facts) = &shown.process {
        out.print_line(&rigor_score_text(facts.field("process")))?;
        print_signals(facts.rows("signals"), is_markdown, out)?;
    }
    print_run_warnings(shown, out)
}

/// The result that a trial without a log has in place of turns.
const NO_LOG: &str = "no turns: this trial has no log that can be read";

fn print_signals(rows: &[Json], is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    out.print_line(&format!("signals ({})", rows.len()))?;
    let columns: [TableColumn<'_, Json>; 3] = [
        ("step", &|it| it.cell("step")),
        ("signal", &|it| it.cell("kind")),
        ("why", &|it| it.cell("why")),
    ];
    if rows.is_empty() {
        Ok(())
    } else {
        OutputTable::from_rows(&columns, rows).write_table(is_markdown, out)
    }
}

/// Prints the states of turns that are not simply done, and the skipped requests.
fn print_states(run: &Run, out: &mut Out) -> std::io::Result<()> {
    run.state_sentences().iter().try_for_each(|sentence| out.print_line(sentence))?;
    run.origin
        .record
        .skipped
        .iter()
        .try_for_each(|title| out.print_line(&format!("a request was skipped: {title}")))
}

/// Writes the numbers of lines added and removed; a lower bound where some changes have no count.
fn lines_text(shown: &ShowDocument) -> String {
    let total = |field: &str| shown.totals.field(field);
    if !total("added").is_null() && !total("removed").is_null() {
        return format!("+{} −{} lines", total("added").csv_cell(), total("removed").csv_cell());
    }
    let edits = || {
        let counted = shown.turns.iter().filter(|turn| turn.counts);
        counted.flat_map(|turn| &turn.edits)
    };
    let added = EditRow::sum_known_lines(edits(), |edit| edit.added);
    let removed = EditRow::sum_known_lines(edits(), |edit| edit.removed);
    match added.zip(removed) {
        Some((added, removed)) => format!("lines at least +{added} −{removed}"),
        None if edits().next().is_some_and(|_| edits().all(EditRow::is_outside_workspace)) => {
            "no file of the workspace changed".into()
        }
        None => "no lines recorded".into(),
    }
}

/// Returns ` (1 more does not count)`.
fn not_counted_text(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => " (1 more does not count)".into(),
        count => format!(" ({count} more do not count)"),
    }
}

fn print_run_warnings(shown: &ShowDocument, out: &mut Out) -> std::io::Result<()> {
    let mut all = shown.warnings.iter();
    all.try_for_each(|it| out.print_line(&format!("warning: {}: {}", it.place, it.what)))
}

/// Returns `rubric tree: score 0.6729, 27 leaves, 2 of them invalid; trajview score tells more`.
fn rubric_tree_line(tree: &TreeSummary) -> String {
    let score = tree.score.map_or_else(|| "not graded".into(), |score| format!("score {score:.4}"));
    let invalid = tree.invalid.filter(|count| *count > 0);
    let invalid = invalid.map(|count| format!(", {count} invalid")).unwrap_or_default();
    let leaves = if tree.leaves == 1 { "1 leaf".into() } else { format!("{} leaves", tree.leaves) };
    format!("rubric tree: {score}, {leaves}{invalid}; details: `trajview score`")
}

fn head_lines(run: &Run, shown: &ShowDocument) -> Vec<String> {
    let facts = &shown.run;
    let agent = facts.text("agent").map(|name| match facts.text("agent_version") {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    });
    let title = run.task.as_ref().and_then(|task| task.title.clone());
    let task = title.or_else(|| run.task_key());
    let parts = [
        facts.text("id"),
        facts.text("harness"),
        task.as_deref(),
        facts.text("condition"),
        agent.as_deref(),
        facts.text("model"),
    ];
    let record = &run.origin.record;
    let trial = run.trial.iter().flat_map(|trial| trial.named_facts());
    let mut lines = vec![parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")];
    lines.extend(trial.map(|(name, text)| format!("{name}: {text}")));
    lines.extend(facts.text("provenance").map(|provenance| format!("provenance: {provenance}")));
    lines.extend(record.state.as_ref().map(|state| format!("state: {state}")));
    lines.extend(record.start.iter().map(|sentence| format!("start: {sentence}")));
    lines.extend(record.remarks.iter().map(|remark| format!("remark: {remark}")));
    if let (Some(start), Some(end)) = (run.started_at, run.ended_at) {
        lines.push(format!("{start} to {end}"));
    }
    lines
}

/// Makes the table of turns. A turn without an edit has 0 files and lines only where the format records which files a
/// turn changed.
fn turn_table(run: &Run, rows: &[ShowTurnRow]) -> OutputTable {
    let none = formats::records_all_edits(run).then_some(0);
    let columns: [TableColumn<'_, ShowTurnRow>; 12] = [
        (">turn", &|it| it.turn.to_string()),
        ("checkpoint", &|it| cell_or_empty(it.checkpoint.as_ref())),
        (">steps", &|it| (it.step_count + it.subagent_steps).to_string()),
        (">tools", &|it| it.tool_calls.to_string()),
        (">errors", &|it| it.errors.to_string()),
        (">files", &|it| cell_or_dash(it.file_count(none))),
        (">+", &|it| cell_or_dash(it.line_count(|edit| edit.added, none))),
        (">−", &|it| cell_or_dash(it.line_count(|edit| edit.removed, none))),
        (">in", &|it| cell_or_dash(it.tokens.input)),
        (">out", &|it| cell_or_dash(it.tokens.output)),
        ("", &|it| turn_marks(it)),
        ("request", &|it| {
            let title = it.request.as_deref().map(trajview_run::first_line_label);
            title.map_or_else(|| "(no request recorded)".into(), |title| shortened_title(&title))
        }),
    ];
    OutputTable::from_rows(&columns, rows)
}

fn turn_marks(turn: &ShowTurnRow) -> String {
    let state = turn.record.state.map(TurnState::display_text).filter(|words| !words.is_empty());
    let marks = [("⟲", turn.compactions), ("⑂", turn.subagents)];
    let marks = marks.iter().filter(|(_, count)| *count > 0).map(|(mark, _)| *mark);
    state.into_iter().chain(marks).collect::<Vec<_>>().join(" ")
}

fn shortened_title(title: &str) -> String {
    trajview_tui::widgets::text::truncate(title, 72, "…").to_string()
}

fn print_turn(found: &Turn, shown: &ShowTurnDocument, out: &mut Out) -> std::io::Result<()> {
    let turn = &shown.turn;
    let checkpoint =
        turn.checkpoint.as_ref().map(|id| format!(", checkpoint {id}")).unwrap_or_default();
    out.print_line(&format!("{}: turn {}{checkpoint}", shown.run.cell("id"), turn.turn))?;
    for line in turn.request.as_deref().unwrap_or("(no request recorded)").lines() {
        out.print_line(&format!("  > {line}"))?;
    }
    for line in turn
        .request_added
        .iter()
        .flat_map(|added| [store::ADDED_HEADING].into_iter().chain(added.lines()))
    {
        out.print_line(&format!("  > {line}"))?;
    }
    record_lines(found, turn).iter().try_for_each(|line| out.print_line(&format!("  {line}")))?;
    print_edits(&turn.edits, "  ", out)?;
    print_steps(&shown.steps, 0, out)?;
    let Some(rows) = &shown.signals else { return Ok(()) };
    out.print_line("")?;
    print_signals(rows, false, out)
}

/// Lists the recorder's facts on the turn, a line each.
fn record_lines(found: &Turn, turn: &ShowTurnRow) -> Vec<String> {
    let record = &turn.record;
    let attempt = record.attempt.filter(|attempt| *attempt > 1);
    let mut lines: Vec<String> = found.state_sentence().into_iter().collect();
    lines.extend(attempt.map(|attempt| format!("attempt {attempt}")));
    lines.extend(record.exit.as_ref().map(|exit| format!("the agent ended with {exit}")));
    let used = [turn.tokens.input, turn.tokens.output].iter().any(Option::is_some);
    lines.extend(used.then(|| {
        format!(
            "tokens in {} out {}",
            cell_or_dash(turn.tokens.input),
            cell_or_dash(turn.tokens.output)
        )
    }));
    lines.extend(turn.cost_usd.map(|cost| format!("cost {cost:.4} USD")));
    let computed = &turn.computed;
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
        out.print_line(&format!("{indent}{} {from}{}  {lines}{origin}", edit.kind, edit.path))
    })
}

/// Returns the steps with their times, tokens and computed cost, a sub-agent's below the one that started it.
fn step_times_table(steps: &[ShowStepRow]) -> OutputTable {
    let mut rows = vec![];
    add_in_order(steps, 0, &mut rows);
    let lapse_cell =
        |seconds: Option<f64>| cell_or_dash(seconds.map(format_number::duration_with_tenths));
    let tokens = |step: &ShowStepRow, count_of: fn(&Tokens) -> Option<u64>| match step.model_call {
        // The tokens are those of a step above.
        Some(call) if call != step.step => "↑".into(),
        _ => cell_or_dash(count_of(&step.tokens)),
    };
    let cost = |step: &ShowStepRow| match step.model_call {
        Some(call) if call != step.step => "↑".into(),
        _ => cell_or_dash(step.computed.cell.as_ref()),
    };
    let columns: [TableColumn<'_, (usize, &ShowStepRow)>; 9] = [
        (">step", &|(_, it)| it.step.to_string()),
        ("UTC", &|(_, it)| cell_or_dash(it.started_at.map(Time::clock_text))),
        (">began", &|(_, it)| {
            cell_or_dash(
                it.since_turn_s.map(|at| format!("+{}", format_number::duration_with_tenths(at))),
            )
        }),
        (">took", &|(_, it)| lapse_cell(it.took_s)),
        (">wait", &|(_, it)| lapse_cell(it.waited_s)),
        (">in", &|(_, it)| tokens(it, |tokens| tokens.input)),
        (">out", &|(_, it)| tokens(it, |tokens| tokens.output)),
        (">$ computed", &|(_, it)| cost(it)),
        ("what", &|(depth, it)| {
            let name = it.tool.as_ref().map_or(it.kind, |tool| tool.name.as_str());
            let failed = if it.is_error { " ✗" } else { "" };
            format!("{}{name}{failed} {}", "· ".repeat(*depth), shortened_title(&it.label))
        }),
    ];
    OutputTable::from_rows(&columns, &rows)
}

/// Adds the steps in the order of their numbers, each with how deep in sub-agents it is.
fn add_in_order<'s>(
    steps: &'s [ShowStepRow],
    depth: usize,
    rows: &mut Vec<(usize, &'s ShowStepRow)>,
) {
    for step in steps {
        rows.push((depth, step));
        if let Some(agent) = &step.subagent {
            add_in_order(&agent.steps, depth + 1, rows);
        }
    }
}

fn print_steps(steps: &[ShowStepRow], depth: usize, out: &mut Out) -> std::io::Result<()> {
    let indent = "  ".repeat(depth + 1);
    for step in steps {
        let name = step.tool.as_ref().map_or(step.kind, |tool| tool.name.as_str());
        let result = step.result.as_ref().map(|result| {
            let outcome = result.outcome.as_ref().map(|it| format!("{it}, ")).unwrap_or_default();
            format!("  [{outcome}{} bytes]", result.bytes)
        });
        let failed = if step.is_error { " ✗" } else { "" };
        out.print_line("")?;
        out.print_line(&format!(
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
                out.print_line(&format!("{indent}   {line}"))?;
            }
        }
        print_edits(&step.edits, &format!("{indent}   "), out)?;
        if let Some(agent) = &step.subagent {
            out.print_line(&format!("{indent}   sub-agent {} ({})", agent.name, agent.id))?;
            print_steps(&agent.steps, depth + 2, out)?;
        }
    }
    Ok(())
}
