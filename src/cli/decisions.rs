//! `trajview decisions`: the decisions of a project over a run, what retrieval gives for a text, how good it is where the
//! right decision is known, and Continuity's result files as tables.

mod continuity_results;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use trajview_analysis as analysis;
use trajview_metrics::decisions::{
    DecisionStore, DecisionVerdict, decision_verdicts,
    ranking::DecisionIndex,
    retrieval_key,
    retrieval_quality::RetrievalQuality,
    step_decisions::{self, AppliedDecision},
};
use trajview_run::{Run, format_number, rubric::Evidence};
use trajview_store as store;
use trajview_store::{Archive, decisions as files};

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, OutputTable, print_note, share_cell},
    run_args,
};

/// Decisions that applied to each step of a run, and whether the agent had seen them; retrieval for a text
///
/// Without --store the run's own decisions.json. With --ask or --gold no run is needed. Retrieval is Continuity's: BM25
/// over question, answer and tags; --keyed uses only the key of the text (quoted strings, paths, capitalised words).
#[derive(Debug, clap::Args)]
pub struct DecisionsArgs {
    /// A log, a run bundle, or one of Continuity's result files (action-alignment.json, recall-over-time.json, inter-judge*.json)
    #[arg(value_name = "RUN", value_parser = run_args::recording_parser(), required_unless_present_any = ["ask", "gold"])]
    run: Option<PathBuf>,
    /// The decisions: a JSON file in Continuity's form; code-links.json beside it is read too
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Retrieve decisions for this text
    #[arg(long, value_name = "TEXT", requires = "store", conflicts_with_all = ["run", "gold"])]
    ask: Option<String>,
    /// Prompts with their correct decision: a JSON list of {prompt, gold}
    #[arg(long, value_name = "FILE", requires = "store", conflicts_with = "run")]
    gold: Option<PathBuf>,
    /// Use only the key of a text
    #[arg(long)]
    keyed: bool,
    /// Extract decisions from the requests of the run, conservatively, and print them as a file to edit
    #[arg(long, requires = "run", conflicts_with_all = ["store", "ask", "gold", "csv", "md"])]
    draw: bool,
    /// Write them into this new file instead of printing them
    #[arg(long, value_name = "FILE", requires = "draw", conflicts_with = "json")]
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
    if let (Some(text), Some(store)) = (&args.ask, &args.store) {
        let store = read_store(store)?;
        print_retrieval(&store, text, args, out)?;
        return Ok(Exit::Fine);
    }
    if let (Some(path), Some(store)) = (&args.gold, &args.store) {
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
        return Err(CommandFailure::cannot_read(format!(
            "cannot read {}: no such file",
            path.display()
        )));
    }
    let store = files::read_store(path).map_err(CommandFailure::cannot_understand)?;
    store.warnings.iter().for_each(|what| print_note(what));
    Ok(store)
}

fn no_store_failure() -> CommandFailure {
    CommandFailure::wrong_arguments(
        "the run has no decisions.json; name one with --store, or extract one with --draw",
    )
}

/// The matches that retrieval finds for a text (JSON).
#[derive(Serialize)]
struct RetrievalDocument<'s> {
    schema: &'static str,
    /// The text of the query: the key, or the whole text.
    key: String,
    matches: Vec<MatchRow<'s>>,
}

#[derive(Serialize)]
struct MatchRow<'s> {
    id: &'s str,
    score: f64,
    status: Option<&'s str>,
}

fn print_retrieval(
    store: &DecisionStore,
    text: &str,
    args: &DecisionsArgs,
    out: &mut Out,
) -> std::io::Result<()> {
    let key = if args.keyed { retrieval_key::key_of_text(text) } else { text.to_owned() };
    let index = DecisionIndex::new(store);
    let matches: Vec<MatchRow<'_>> = index
        .find_decisions(&key)
        .into_iter()
        .map(|found| MatchRow {
            id: &found.decision.id,
            score: found.score,
            status: found.decision.status.as_deref(),
        })
        .collect();
    if args.json {
        return out.print_json(&RetrievalDocument { schema: "trajview.decisions/1", key, matches });
    }
    if args.csv {
        return out.print_csv("id score status", &matches);
    }
    out.print_line(&format!("query: {key}"))?;
    let mut table = OutputTable::new(&["decision", ">score", "status"]);
    for row in &matches {
        let status = row.status.unwrap_or("-").to_owned();
        table.add_row(vec![row.id.to_owned(), format_number::three_decimals(row.score), status]);
    }
    table.write_table(args.md, out)
}

/// A prompt and the decision that it was made from.
#[derive(Deserialize)]
struct GoldPrompt {
    #[serde(alias = "question")]
    prompt: String,
    #[serde(alias = "decisionId")]
    gold: String,
}

#[derive(Serialize)]
struct RetrievalQualityDocument {
    schema: &'static str,
    full: RetrievalQuality,
    keyed: RetrievalQuality,
    prompts: Vec<PromptRow>,
}

#[derive(Serialize)]
struct PromptRow {
    prompt: String,
    gold: String,
    key: String,
    /// Rank of the gold decision, from 1. Null if it was not found.
    rank_full: Option<usize>,
    rank_keyed: Option<usize>,
}

fn print_retrieval_quality(
    store: &DecisionStore,
    path: &Path,
    args: &DecisionsArgs,
    out: &mut Out,
) -> Result<(), CommandFailure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|why| CommandFailure::cannot_read(format!("cannot read {shown}: {why}")))?;
    let gold: Vec<GoldPrompt> = serde_json::from_str(&text).map_err(|why| {
        CommandFailure::cannot_understand(format!(
            "{shown}: expected a list of {{prompt, gold}}: {why}"
        ))
    })?;
    let index = DecisionIndex::new(store);
    let rank = |text: &str, gold: &str| {
        index
            .find_decisions(text)
            .iter()
            .position(|found| found.decision.id == gold)
            .map(|at| at + 1)
    };
    let prompts: Vec<PromptRow> = gold
        .into_iter()
        .map(|GoldPrompt { prompt, gold }| {
            let key = retrieval_key::key_of_text(&prompt);
            let (rank_full, rank_keyed) = (rank(&prompt, &gold), rank(&key, &gold));
            PromptRow { prompt, gold, key, rank_full, rank_keyed }
        })
        .collect();
    let share_found = |rank: fn(&PromptRow) -> Option<usize>| {
        RetrievalQuality::from_ranks(&prompts.iter().map(rank).collect::<Vec<_>>())
    };
    let (full, keyed) = (share_found(|row| row.rank_full), share_found(|row| row.rank_keyed));
    let document =
        RetrievalQualityDocument { schema: "trajview.decisions/1", full, keyed, prompts };
    if args.json {
        return Ok(out.print_json(&document)?);
    }
    if args.csv {
        return Ok(out.print_csv("gold rank_full rank_keyed key prompt", &document.prompts)?);
    }
    let mut table =
        OutputTable::new(&["query", ">n", ">MRR", ">hit@1", ">hit@3", ">hit@5", ">P@5"]);
    for (name, it) in [("the whole prompt", full), ("its key", keyed)] {
        let cells = [it.mrr, it.hit1, it.hit3, it.hit5, it.p5].map(share_cell);
        table.add_row([vec![name.to_owned(), it.n.to_string()], cells.to_vec()].concat());
    }
    Ok(table.write_table(args.md, out)?)
}

/// The decisions over a run.
#[derive(Serialize)]
struct DecisionsDocument {
    schema: &'static str,
    run: String,
    path: String,
    decisions: usize,
    /// The source of the decisions.
    store: Option<String>,
    /// Decisions that took each other's place, the first of each chain first.
    chains: Vec<DecisionChainRow>,
    /// The verdicts of judges on whether the code keeps a decision; at most one for each decision.
    verdicts: Vec<DecisionVerdictRow>,
    steps: Vec<DecisionStepRow>,
}

#[derive(Serialize)]
struct DecisionChainRow {
    decisions: Vec<String>,
    /// The first step to which the newest applies. Null if it applies to none.
    newest_applies_at: Option<String>,
}

#[derive(Serialize)]
struct DecisionVerdictRow {
    id: String,
    /// Null if the judge cannot tell.
    kept: Option<bool>,
    judge: String,
    /// The state that was judged, in turns done.
    after_turn: usize,
    commit: Option<String>,
    rationale: String,
    evidence: Vec<EvidenceLines>,
    file: String,
}

#[derive(Serialize)]
struct EvidenceLines {
    path: String,
    start: Option<usize>,
    end: Option<usize>,
}

impl DecisionVerdictRow {
    /// Returns `t1.1 broken, says quick-reader after turn 12: ... (src/a.py:3-9)`.
    fn verdict_line(&self) -> String {
        let place = |it: &EvidenceLines| match it.start.zip(it.end) {
            Some((start, end)) => format!("{}:{start}-{end}", it.path),
            None => it.path.clone(),
        };
        let places: Vec<String> = self.evidence.iter().map(place).collect();
        let lines =
            if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        let Self { id, judge, after_turn, rationale, .. } = self;
        let kept_word = decision_verdicts::verdict_word(self.kept);
        format!("{id} {kept_word}, by {judge} after turn {after_turn}: {rationale}{lines}")
    }

    fn new(verdict: &DecisionVerdict) -> Self {
        let lines = |it: &Evidence| EvidenceLines {
            path: it.path.clone(),
            start: it.lines.map(|(start, _)| start),
            end: it.lines.map(|(_, end)| end),
        };
        Self {
            id: verdict.decision.clone(),
            kept: verdict.is_kept,
            judge: verdict.judge.clone(),
            after_turn: verdict.turns_done,
            commit: verdict.commit.clone(),
            rationale: verdict.rationale.clone(),
            evidence: verdict.evidence.iter().map(lines).collect(),
            file: verdict.file.clone(),
        }
    }
}

#[derive(Serialize)]
struct DecisionStepRow {
    /// `12.7`: the seventh step of turn 12.
    step: String,
    paths: Vec<String>,
    decisions: Vec<AppliedDecisionRow>,
}

#[derive(Serialize)]
struct AppliedDecisionRow {
    id: String,
    /// `file`: its files or links name the file; `words`: found by the text of the call.
    by: &'static str,
    score: f64,
    is_past: bool,
    /// True if something before the step shows the decision to the agent, with the first such turn, from 1.
    shown: bool,
    shown_at: Option<usize>,
    /// True if a judge found that later code keeps it. Null if nobody judged it after this step, or the judge
    /// cannot tell.
    kept: Option<bool>,
    /// The judge, and the turn after which the state was judged.
    judge: Option<String>,
    judged_after: Option<usize>,
}

impl AppliedDecisionRow {
    fn new(applied: &AppliedDecision, verdict: Option<&DecisionVerdict>) -> Self {
        Self {
            id: applied.decision.clone(),
            by: applied.match_kind,
            score: applied.score,
            is_past: applied.is_past,
            shown: applied.shown_in_turn.is_some(),
            shown_at: applied.shown_in_turn.map(|turn| turn + 1),
            kept: verdict.and_then(|it| it.is_kept),
            judge: verdict.map(|it| it.judge.clone()),
            judged_after: verdict.map(|it| it.turns_done),
        }
    }

    /// Returns `kept`, `broken`, `cannot tell`; `-` where nobody judged it.
    fn verdict_word(&self) -> &'static str {
        let judged = self.judged_after.map(|_| self.kept);
        judged.map_or("-", |kept| decision_verdicts::verdict_word(kept))
    }
}

fn decisions_of_run(path: &Path, args: &DecisionsArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    if args.draw {
        return draw_decisions(archive, run, args, out);
    }
    let store = open_store(args.store.as_deref(), archive)?;
    let over = analysis::decisions::decision_lane(archive, run, &store);
    let applied = |row: &step_decisions::StepDecisions| {
        let applied_row = |it: &AppliedDecision| {
            AppliedDecisionRow::new(it, over.verdict_after(&it.decision, row.step))
        };
        row.applied.iter().map(applied_row).collect()
    };
    let step = |row: &step_decisions::StepDecisions| DecisionStepRow {
        step: row.step_label(),
        paths: row.paths.clone(),
        decisions: applied(row),
    };
    let chain = |ids: &Vec<String>| DecisionChainRow {
        newest_applies_at: ids
            .last()
            .and_then(|id| over.first_row(id))
            .map(step_decisions::StepDecisions::step_label),
        decisions: ids.clone(),
    };
    let lane = DecisionsDocument {
        schema: "trajview.decisions/1",
        run: run.id.clone(),
        path: path.display().to_string(),
        decisions: over.decisions,
        store: over.origin.as_deref().map(|path| path.display().to_string()),
        chains: over.chains.iter().map(chain).collect(),
        verdicts: over.verdicts.iter().map(DecisionVerdictRow::new).collect(),
        steps: over.rows.iter().map(step).collect(),
    };
    if args.json {
        out.print_json(&lane)?;
    } else if args.csv {
        out.print_csv(
            "step id by score is_past shown shown_at kept judge judged_after",
            csv_values(&lane),
        )?;
    } else {
        print_decisions(&lane, args.md, out)?;
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

/// Returns a row for each step and decision.
fn csv_values(lane: &DecisionsDocument) -> Vec<serde_json::Value> {
    let rows = lane.steps.iter().flat_map(|row| row.decisions.iter().map(move |it| (row, it)));
    rows.map(|(row, applied)| {
        let mut value = serde_json::json!(applied);
        value["step"] = row.step.clone().into();
        value
    })
    .collect()
}

fn print_decisions(
    lane: &DecisionsDocument,
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let mut table = OutputTable::new(&["step", "file", "decision", "by", "shown", "kept"]);
    for row in &lane.steps {
        for (at, applied) in row.decisions.iter().enumerate() {
            let first = |text: String| if at == 0 { text } else { String::new() };
            let file = row.paths.first().cloned().unwrap_or_default();
            let shown = match applied.shown_at {
                Some(turn) => format!("turn {turn}"),
                None => "not before".into(),
            };
            let past = if applied.is_past { " (past)" } else { "" };
            table.add_row(vec![
                first(row.step.clone()),
                first(file),
                format!("{}{past}", applied.id),
                applied.by.to_owned(),
                shown,
                applied.verdict_word().to_owned(),
            ]);
        }
    }
    table.write_table(is_markdown, out)?;
    for chain in &lane.chains {
        let at = match &chain.newest_applies_at {
            Some(step) => format!("the newest applies first at step {step}"),
            None => "the newest applies to no step".to_owned(),
        };
        out.print_line(&format!("superseded in turn: {}; {at}", chain.decisions.join(" -> ")))?;
    }
    lane.verdicts.iter().try_for_each(|it| out.print_line(&it.verdict_line()))?;
    let applied = || lane.steps.iter().flat_map(|row| &row.decisions);
    let shown = applied().filter(|it| it.shown).count();
    out.print_line(&format!(
        "{} decisions, {} steps to which one applied, {shown} of {} shown before",
        lane.decisions,
        lane.steps.len(),
        applied().count()
    ))
}
