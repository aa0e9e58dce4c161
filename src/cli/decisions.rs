//! `trajview decisions`: the decisions of a project over a run, what retrieval gives for a text, how good it is where the
//! right decision is known, and Continuity's result files as tables.

mod continuity_results;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use trajview_analysis as analysis;
use trajview_metrics::decisions::{
    DecisionStore, DecisionVerdict, decision_verdicts,
    ranking::DecisionIndex,
    retrieval_key,
    retrieval_quality::RetrievalQuality,
    step_decisions::{AppliedDecision, StepDecisions},
};
use trajview_run::{Run, rubric::Evidence};
use trajview_store as store;
use trajview_store::{Archive, decisions as files};

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Json, Out, OutputTable, TableColumn, print_note, record},
    run_args, suggestions,
};

/// Decisions that applied to each step, and whether the agent saw them
///
/// Without --decisions the run's own decisions.json. With --ask or --gold no run is needed. Retrieval is Continuity's: BM25
/// over question, answer and tags; --keyed uses only the key of the text (quoted strings, paths, capitalised words).
#[derive(Debug, clap::Args)]
pub struct DecisionsArgs {
    /// A log, a run bundle, or one of Continuity's result files (action-alignment.json, recall-over-time.json, inter-judge*.json)
    #[arg(value_name = "RUN", value_parser = run_args::recording_parser(), required_unless_present_any = ["ask", "gold"])]
    run: Option<PathBuf>,
    /// The decisions: a JSON file in Continuity's form; code-links.json beside it is read too
    #[arg(long, alias = "store", value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Retrieve decisions for this text
    #[arg(long, value_name = "TEXT", requires = "decisions", conflicts_with_all = ["run", "gold"])]
    ask: Option<String>,
    /// Prompts with their correct decision: a JSON list of {prompt, gold}
    #[arg(long, value_name = "FILE", requires = "decisions", conflicts_with = "run")]
    gold: Option<PathBuf>,
    /// Use only the key of a text
    #[arg(long)]
    keyed: bool,
    /// Extract decisions from the requests of the run, conservatively, and print them as a file to edit
    #[arg(long, alias = "draw", requires = "run", conflicts_with_all = ["decisions", "ask", "gold", "csv", "md"])]
    extract: bool,
    /// Write them into this new file instead of printing them
    #[arg(long, value_name = "FILE", requires = "extract", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Print JSON (schema trajview.decisions/1)
    #[arg(long, conflicts_with_all = ["csv", "md"])]
    json: bool,
    /// Print a row for each step and decision as CSV
    #[arg(long, conflicts_with = "md")]
    csv: bool,
    /// Print the tables as Markdown
    #[arg(long)]
    md: bool,
}

pub fn run(args: &DecisionsArgs, out: &mut Out) -> CommandResult {
    if args.md {
        out.set_markdown();
    }
    if let (Some(text), Some(store)) = (&args.ask, &args.decisions) {
        let store = read_store(store)?;
        print_retrieval(&store, text, args, out)?;
        return Ok(Exit::Fine);
    }
    if let (Some(path), Some(store)) = (&args.gold, &args.decisions) {
        let store = read_store(store)?;
        print_retrieval_quality(&store, path, args, out)?;
        return Ok(Exit::Fine);
    }
    let Some(path) = &args.run else { return Err(CommandFailure::wrong_arguments("name a run")) };
    if let Some(results) = continuity_results::read_results(path) {
        results.print_results(args, out)?;
        return Ok(Exit::Fine);
    }
    decisions_of_run(path, args, out)
}

/// Opens the named store, else the run's own; prints on standard error what could not be read of it.
pub(crate) fn open_store(
    path: Option<&Path>,
    archive: &Archive,
) -> Result<DecisionStore, CommandFailure> {
    let run_store = || archive.bundle().and_then(files::bundle_store).ok_or_else(no_store_failure);
    let store = match path {
        Some(path) => return read_store(path),
        None => run_store()?.map_err(CommandFailure::cannot_understand)?,
    };
    store.warnings.iter().for_each(|what| print_note(what));
    Ok(store)
}

fn read_store(path: &Path) -> Result<DecisionStore, CommandFailure> {
    if !path.exists() {
        return Err(suggestions::missing_path(path));
    }
    let store = files::read_store(path).map_err(CommandFailure::cannot_understand)?;
    store.warnings.iter().for_each(|what| print_note(what));
    Ok(store)
}

fn no_store_failure() -> CommandFailure {
    CommandFailure::wrong_arguments(
        "the run has no decisions.json; name one with --decisions, or extract one with --extract",
    )
}

fn print_retrieval(
    store: &DecisionStore,
    text: &str,
    args: &DecisionsArgs,
    out: &mut Out,
) -> std::io::Result<()> {
    let key = if args.keyed { retrieval_key::key_of_text(text) } else { text.to_owned() };
    let index = DecisionIndex::new(store);
    let matches = Json::list(index.find_decisions(&key), |found| {
        record! { id: found.decision.id, score: found.score, status: found.decision.status }
    });
    let document = record! {
        schema: "trajview.decisions/1",
        // The text of the query: the key, or the whole text.
        key: key,
        matches: matches,
    };
    let matches = document.rows("matches");
    if args.json {
        return out.print_json(&document);
    }
    if args.csv {
        return out.print_csv("id score status", matches);
    }
    out.print_line(&format!("query: {key}"))?;
    let columns: [TableColumn<'_, Json>; 3] = [
        ("decision", &|it| it.cell("id")),
        (">score", &|it| it.share_cell("score")),
        ("status", &|it| it.cell("status")),
    ];
    OutputTable::from_rows(&columns, matches).write_table(args.md, out)
}

/// A prompt and the decision that it was made from.
#[derive(Deserialize)]
struct GoldPrompt {
    #[serde(alias = "question")]
    prompt: String,
    #[serde(alias = "decisionId")]
    gold: String,
}

fn print_retrieval_quality(
    store: &DecisionStore,
    path: &Path,
    args: &DecisionsArgs,
    out: &mut Out,
) -> Result<(), CommandFailure> {
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|why| CommandFailure::unreadable(path, &why))?;
    let gold: Vec<GoldPrompt> = serde_json::from_str(&text).map_err(|why| {
        CommandFailure::cannot_understand(format!(
            "{shown}: expected a list of {{prompt, gold}}: {why}"
        ))
    })?;
    let index = DecisionIndex::new(store);
    let rank = |text: &str, gold: &str| {
        let found = index.find_decisions(text);
        found.iter().position(|found| found.decision.id == gold).map(|at| at + 1)
    };
    let prompts = gold.iter().map(|GoldPrompt { prompt, gold }| {
        let key = retrieval_key::key_of_text(prompt);
        record! {
            prompt: prompt,
            gold: gold,
            key: key,
            // Rank of the gold decision, from 1. Null if it was not found.
            rank_full: rank(prompt, gold),
            rank_keyed: rank(&key, gold),
        }
    });
    let prompts: Vec<Json> = prompts.collect();
    let quality = |field: &str| {
        let ranks = prompts.iter().map(|row| row.number(field).map(|rank| rank as usize));
        RetrievalQuality::from_ranks(&ranks.collect::<Vec<_>>())
    };
    let document = record! {
        schema: "trajview.decisions/1",
        full: quality("rank_full"),
        keyed: quality("rank_keyed"),
        prompts: prompts,
    };
    if args.json {
        return Ok(out.print_json(&document)?);
    }
    if args.csv {
        return Ok(out.print_csv("gold rank_full rank_keyed key prompt", &prompts)?);
    }
    let columns: [TableColumn<'_, (&str, &Json)>; 7] = [
        ("query", &|(name, _)| (*name).to_owned()),
        (">n", &|(_, it)| it.cell("n")),
        (">MRR", &|(_, it)| it.share_cell("mrr")),
        (">hit@1", &|(_, it)| it.share_cell("hit1")),
        (">hit@3", &|(_, it)| it.share_cell("hit3")),
        (">hit@5", &|(_, it)| it.share_cell("hit5")),
        (">P@5", &|(_, it)| it.share_cell("p5")),
    ];
    let rows = [("the whole prompt", document.field("full")), ("its key", document.field("keyed"))];
    Ok(OutputTable::from_rows(&columns, &rows).write_table(args.md, out)?)
}

/// Makes the row of a verdict of a judge on whether the code keeps a decision.
fn verdict_row(verdict: &DecisionVerdict) -> Json {
    record! {
        id: verdict.decision,
        // Null if the judge cannot tell.
        kept: verdict.is_kept,
        judge: verdict.judge,
        // The state that was judged, in turns done.
        after_turn: verdict.turns_done,
        commit: verdict.commit,
        rationale: verdict.rationale,
        evidence: Json::list(&verdict.evidence, |it| {
            let (start, end) = it.lines.unzip();
            record! { path: it.path, start: start, end: end }
        }),
        file: verdict.file,
    }
}

/// Returns `t1.1 broken, says quick-reader after turn 12: ... (src/a.py:3-9)`.
fn verdict_line(verdict: &DecisionVerdict) -> String {
    let place = |it: &Evidence| match it.lines {
        Some((start, end)) => format!("{}:{start}-{end}", it.path),
        None => it.path.clone(),
    };
    let places: Vec<String> = verdict.evidence.iter().map(place).collect();
    let lines = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
    let DecisionVerdict { decision, judge, turns_done, rationale, .. } = verdict;
    let kept_word = decision_verdicts::verdict_word(verdict.is_kept);
    format!("{decision} {kept_word}, by {judge} after turn {turns_done}: {rationale}{lines}")
}

/// Makes the row of a decision that applied to a step, with the verdict on it after the step.
fn applied_row(applied: &AppliedDecision, verdict: Option<&DecisionVerdict>) -> Json {
    record! {
        id: applied.decision,
        // `file`: its files or links name the file; `words`: found by the text of the call.
        by: applied.match_kind,
        score: applied.score,
        is_past: applied.is_past,
        // True if something before the step shows the decision to the agent, with the first such turn, from 1.
        shown: applied.shown_in_turn.is_some(),
        shown_at: applied.shown_in_turn.map(|turn| turn + 1),
        // True if a judge found that later code keeps it. Null if nobody judged it after this step, or the judge
        // cannot tell.
        kept: verdict.and_then(|it| it.is_kept),
        // The judge, and the turn after which the state was judged.
        judge: verdict.map(|it| &it.judge),
        judged_after: verdict.map(|it| it.turns_done),
    }
}

/// Returns `kept`, `broken`, `cannot tell`; `-` where nobody judged it.
fn kept_cell(applied: &Json) -> String {
    let is_kept = match applied.field("kept") {
        Json::Flag(is_kept) => Some(*is_kept),
        _ => None,
    };
    let judged = applied.number("judged_after").map(|_| is_kept);
    judged.map_or("-", decision_verdicts::verdict_word).into()
}

fn decisions_of_run(path: &Path, args: &DecisionsArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    if args.extract {
        return draw_decisions(archive, run, args, out);
    }
    let store = open_store(args.decisions.as_deref(), archive)?;
    let over = analysis::decisions::decision_lane(archive, run, &store);
    let step_row = |row: &StepDecisions| {
        record! {
            // `12.7`: the seventh step of turn 12.
            step: row.step_label(),
            paths: row.paths,
            decisions: Json::list(&row.applied, |it| {
                applied_row(it, over.verdict_after(&it.decision, row.step))
            }),
        }
    };
    let chain_row = |ids: &Vec<String>| {
        let newest = ids.last().and_then(|id| over.first_row(id));
        record! {
            decisions: ids,
            // The first step to which the newest applies. Null if it applies to none.
            newest_applies_at: newest.map(StepDecisions::step_label),
        }
    };
    let lane = record! {
        schema: "trajview.decisions/1",
        run: run.id,
        path: path.display().to_string(),
        decisions: over.decisions,
        // The source of the decisions.
        store: over.origin.as_deref().map(|path| path.display().to_string()),
        // Decisions that took each other's place, the first of each chain first.
        chains: Json::list(&over.chains, chain_row),
        // The verdicts of judges on whether the code keeps a decision; at most one for each decision.
        verdicts: Json::list(&over.verdicts, verdict_row),
        steps: Json::list(&over.rows, step_row),
    };
    if args.json {
        out.print_json(&lane)?;
    } else if args.csv {
        out.print_csv(
            "step id by score is_past shown shown_at kept judge judged_after",
            step_decisions(&lane).map(|(_, step, it)| record! { step: step.field("step"), ..it }),
        )?;
    } else {
        print_decisions(&lane, &over.verdicts, args.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Prints what the requests lay down, or writes it into a new file.
fn draw_decisions(
    archive: &Archive,
    run: &Run,
    args: &DecisionsArgs,
    out: &mut Out,
) -> CommandResult {
    match &args.out {
        None => out.print_json(&analysis::decisions::request_decisions(archive, run))?,
        Some(path) => {
            let count = analysis::decisions::write_request_decisions(archive, run, path)
                .map_err(CommandFailure::wrong_arguments)?;
            out.print_line(&format!(
                "{}: {}",
                path.display(),
                run_args::count_with_noun(count, "decision")
            ))?;
        }
    }
    Ok(Exit::Fine)
}

/// Returns each decision that applied to a step: its position among those of the step (from 0), the step, the decision.
fn step_decisions(lane: &Json) -> impl Iterator<Item = (usize, &Json, &Json)> {
    let steps = lane.rows("steps").iter();
    steps.flat_map(|step| {
        let decisions = step.rows("decisions").iter().enumerate();
        decisions.map(move |(at, applied)| (at, step, applied))
    })
}

fn print_decisions(
    lane: &Json,
    verdicts: &[DecisionVerdict],
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let first = |at: &usize, text: String| if *at == 0 { text } else { String::new() };
    let columns: [TableColumn<'_, (usize, &Json, &Json)>; 6] = [
        ("step", &|(at, step, _)| first(at, step.cell("step"))),
        ("file", &|(at, step, _)| first(at, step.cell_or("paths.0", ""))),
        ("decision", &|(.., it)| it.cell("id") + if it.flag("is_past") { " (past)" } else { "" }),
        ("by", &|(.., it)| it.cell("by")),
        ("shown", &|(.., it)| match it.flag("shown") {
            true => format!("turn {}", it.cell("shown_at")),
            false => "not before".into(),
        }),
        ("kept", &|(.., it)| kept_cell(it)),
    ];
    let rows: Vec<_> = step_decisions(lane).collect();
    OutputTable::from_rows(&columns, &rows).write_table(is_markdown, out)?;
    for chain in lane.rows("chains") {
        let at = match chain.text("newest_applies_at") {
            Some(step) => format!("the newest applies first at step {step}"),
            None => "the newest applies to no step".to_owned(),
        };
        let ids: Vec<String> = chain.rows("decisions").iter().map(Json::csv_cell).collect();
        out.print_line(&format!("superseded in turn: {}; {at}", ids.join(" -> ")))?;
    }
    verdicts.iter().try_for_each(|it| out.print_line(&verdict_line(it)))?;
    let shown = rows.iter().filter(|(.., it)| it.flag("shown")).count();
    out.print_line(&format!(
        "{} decisions, {} steps to which one applied, {shown} of {} shown before",
        lane.cell("decisions"),
        lane.rows("steps").len(),
        rows.len()
    ))
}
