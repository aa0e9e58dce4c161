//! `trajview decisions`: the decisions of a project over a run, what retrieval gives for a text, how good it is where the
//! right decision is known, and Continuity's result files as tables.

mod results;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use trajview_metrics::decisions::{
    Kept, Store, kept, key,
    lane::{self, Applied},
    measure::Retrieval,
    rank::Index,
};
use trajview_run::{Run, figures, rubric::Evidence};
use trajview_store as store;
use trajview_store::{Archive, decisions as files};

use super::{
    Exit, Failure, Outcome, at,
    output::{Out, Table, share, tell},
};

/// Decisions that applied to each step of a run, and whether the agent had been shown them; what retrieval gives for a text
///
/// Without --store the run's own decisions.json. With --ask or --gold no run is needed. Retrieval is Continuity's: BM25 over
/// question, answer and tags; --keyed asks with the key of the text (quoted strings, paths, capitalised words) alone.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A log, a run bundle, or one of Continuity's result files (action-alignment.json, recall-over-time.json, inter-judge*.json)
    #[arg(value_name = "RUN", value_parser = at::recording(), required_unless_present_any = ["ask", "gold"])]
    run: Option<PathBuf>,
    /// The decisions: a JSON file in Continuity's shape; code-links.json beside it counts
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// What retrieval gives for this text
    #[arg(long, value_name = "TEXT", requires = "store", conflicts_with_all = ["run", "gold"])]
    ask: Option<String>,
    /// Prompts with the decision that each is made from: a JSON list of {prompt, gold}
    #[arg(long, value_name = "FILE", requires = "store", conflicts_with = "run")]
    gold: Option<PathBuf>,
    /// Ask with the key of a text instead of all of it
    #[arg(long)]
    keyed: bool,
    /// Draw decisions from the requests of the run, conservatively, and print them as a store that can be edited
    #[arg(long, requires = "run", conflicts_with_all = ["store", "ask", "gold", "csv", "md"])]
    draw: bool,
    /// Write them into this new file in the place of printing them
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

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    if args.md {
        out.write_markdown();
    }
    if let (Some(text), Some(store)) = (&args.ask, &args.store) {
        let store = named(store)?;
        asked(&store, text, args, out)?;
        return Ok(Exit::Fine);
    }
    if let (Some(path), Some(store)) = (&args.gold, &args.store) {
        let store = named(store)?;
        measured(&store, path, args, out)?;
        return Ok(Exit::Fine);
    }
    let Some(path) = &args.run else { return Err(Failure::wrong("name a run")) };
    if let Some(results) = results::read(path) {
        results.print(args, out)?;
        return Ok(Exit::Fine);
    }
    over_a_run(path, args, out)
}

/// The store that is named, else the run's own; what could not be read of it goes to standard error.
pub fn store_of(path: Option<&Path>, archive: &Archive) -> Result<Store, Failure> {
    let own = || archive.bundle().and_then(files::of_bundle).ok_or_else(no_store);
    let store = match path {
        Some(path) => return named(path),
        None => own()?.map_err(Failure::not_understood)?,
    };
    store.warnings.iter().for_each(|what| tell(what));
    Ok(store)
}

fn named(path: &Path) -> Result<Store, Failure> {
    if !path.exists() {
        return Err(Failure::unread(format!("cannot read {}: no such file", path.display())));
    }
    let store = files::read(path).map_err(Failure::not_understood)?;
    store.warnings.iter().for_each(|what| tell(what));
    Ok(store)
}

fn no_store() -> Failure {
    Failure::wrong("the run has no decisions.json; name one with --store, or draw one with --draw")
}

/// What retrieval gives for a text.
#[derive(Serialize)]
struct Asked<'s> {
    schema: &'static str,
    /// What was asked with: the key, or the whole text.
    key: String,
    matches: Vec<MatchRow<'s>>,
}

#[derive(Serialize)]
struct MatchRow<'s> {
    id: &'s str,
    score: f64,
    status: Option<&'s str>,
}

fn asked(store: &Store, text: &str, args: &Args, out: &mut Out) -> std::io::Result<()> {
    let key = if args.keyed { key::of(text) } else { text.to_owned() };
    let index = Index::of(store);
    let matches: Vec<MatchRow<'_>> = index
        .find(&key)
        .into_iter()
        .map(|found| MatchRow {
            id: &found.decision.id,
            score: found.score,
            status: found.decision.status.as_deref(),
        })
        .collect();
    if args.json {
        return out.json(&Asked { schema: "trajview.decisions/1", key, matches });
    }
    if args.csv {
        return out.csv("id score status", &matches);
    }
    out.line(&format!("asked with: {key}"))?;
    let mut table = Table::new(&["decision", ">score", "status"]);
    for row in &matches {
        let status = row.status.unwrap_or("-").to_owned();
        table.row(vec![row.id.to_owned(), figures::share(row.score), status]);
    }
    table.write(args.md, out)
}

/// A prompt and the decision that it was made from.
#[derive(Deserialize)]
struct Gold {
    #[serde(alias = "question")]
    prompt: String,
    #[serde(alias = "decisionId")]
    gold: String,
}

#[derive(Serialize)]
struct Measured {
    schema: &'static str,
    full: Retrieval,
    keyed: Retrieval,
    prompts: Vec<PromptRow>,
}

#[derive(Serialize)]
struct PromptRow {
    prompt: String,
    gold: String,
    key: String,
    /// From 1; null where it was not found.
    rank_full: Option<usize>,
    rank_keyed: Option<usize>,
}

fn measured(store: &Store, path: &Path, args: &Args, out: &mut Out) -> Result<(), Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|why| Failure::unread(format!("cannot read {shown}: {why}")))?;
    let gold: Vec<Gold> = serde_json::from_str(&text).map_err(|why| {
        Failure::not_understood(format!("{shown}: expected a list of {{prompt, gold}}: {why}"))
    })?;
    let index = Index::of(store);
    let rank = |text: &str, gold: &str| {
        index.find(text).iter().position(|found| found.decision.id == gold).map(|at| at + 1)
    };
    let prompts: Vec<PromptRow> = gold
        .into_iter()
        .map(|Gold { prompt, gold }| {
            let key = key::of(&prompt);
            let (rank_full, rank_keyed) = (rank(&prompt, &gold), rank(&key, &gold));
            PromptRow { prompt, gold, key, rank_full, rank_keyed }
        })
        .collect();
    let of = |rank: fn(&PromptRow) -> Option<usize>| {
        Retrieval::of(&prompts.iter().map(rank).collect::<Vec<_>>())
    };
    let (full, keyed) = (of(|row| row.rank_full), of(|row| row.rank_keyed));
    let document = Measured { schema: "trajview.decisions/1", full, keyed, prompts };
    if args.json {
        return Ok(out.json(&document)?);
    }
    if args.csv {
        return Ok(out.csv("gold rank_full rank_keyed key prompt", &document.prompts)?);
    }
    let mut table = Table::new(&["asked with", ">n", ">MRR", ">hit@1", ">hit@3", ">hit@5", ">P@5"]);
    for (name, it) in [("the whole prompt", full), ("its key", keyed)] {
        let cells = [it.mrr, it.hit1, it.hit3, it.hit5, it.p5].map(share);
        table.row([vec![name.to_owned(), it.n.to_string()], cells.to_vec()].concat());
    }
    Ok(table.write(args.md, out)?)
}

/// The decisions over a run.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    run: String,
    path: String,
    decisions: usize,
    /// Where they are from.
    store: Option<String>,
    /// Decisions that took each other's place, the first of each chain first.
    chains: Vec<ChainRow>,
    /// What judges said of whether the code keeps them; of each decision one at most.
    verdicts: Vec<VerdictRow>,
    steps: Vec<StepRow>,
}

#[derive(Serialize)]
struct ChainRow {
    decisions: Vec<String>,
    /// The first step to which the newest applies; null where it applies to none.
    newest_applies_at: Option<String>,
}

#[derive(Serialize)]
struct VerdictRow {
    id: String,
    /// Null where the judge cannot tell.
    kept: Option<bool>,
    judge: String,
    /// The state that was judged, in turns done.
    after_turn: usize,
    commit: Option<String>,
    rationale: String,
    evidence: Vec<Lines>,
    file: String,
}

#[derive(Serialize)]
struct Lines {
    path: String,
    start: Option<usize>,
    end: Option<usize>,
}

impl VerdictRow {
    /// `t1.1 broken, says quick-reader after turn 12: ... (src/a.py:3-9)`
    fn words(&self) -> String {
        let place = |it: &Lines| match it.start.zip(it.end) {
            Some((start, end)) => format!("{}:{start}-{end}", it.path),
            None => it.path.clone(),
        };
        let places: Vec<String> = self.evidence.iter().map(place).collect();
        let lines =
            if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        let Self { id, judge, after_turn, rationale, .. } = self;
        let kept = kept::word(self.kept);
        format!("{id} {kept}, says {judge} after turn {after_turn}: {rationale}{lines}")
    }

    fn of(verdict: &Kept) -> Self {
        let lines = |it: &Evidence| Lines {
            path: it.path.clone(),
            start: it.lines.map(|(start, _)| start),
            end: it.lines.map(|(_, end)| end),
        };
        Self {
            id: verdict.decision.clone(),
            kept: verdict.kept,
            judge: verdict.judge.clone(),
            after_turn: verdict.done,
            commit: verdict.commit.clone(),
            rationale: verdict.rationale.clone(),
            evidence: verdict.evidence.iter().map(lines).collect(),
            file: verdict.file.clone(),
        }
    }
}

#[derive(Serialize)]
struct StepRow {
    /// `12.7`: the seventh step of turn 12.
    step: String,
    paths: Vec<String>,
    decisions: Vec<AppliedRow>,
}

#[derive(Serialize)]
struct AppliedRow {
    id: String,
    /// `file`: its files or links name the file; `words`: found by what the call says.
    by: &'static str,
    score: f64,
    is_past: bool,
    /// Whether something before the step shows it to the agent, and the turn that did first, from 1.
    shown: bool,
    shown_at: Option<usize>,
    /// Whether later code keeps it, as a judge said; null where nobody judged it after this step, or the judge cannot tell.
    kept: Option<bool>,
    /// Who said so, and of the state after which turn.
    judge: Option<String>,
    judged_after: Option<usize>,
}

impl AppliedRow {
    fn of(applied: &Applied, kept: Option<&Kept>) -> Self {
        Self {
            id: applied.decision.clone(),
            by: applied.by,
            score: applied.score,
            is_past: applied.is_past,
            shown: applied.shown.is_some(),
            shown_at: applied.shown.map(|turn| turn + 1),
            kept: kept.and_then(|it| it.kept),
            judge: kept.map(|it| it.judge.clone()),
            judged_after: kept.map(|it| it.done),
        }
    }

    /// `kept`, `broken`, `cannot tell`; `-` where nobody judged it.
    fn verdict(&self) -> &'static str {
        let judged = self.judged_after.map(|_| self.kept);
        judged.map_or("-", |kept| kept::word(kept))
    }
}

fn over_a_run(path: &Path, args: &Args, out: &mut Out) -> Outcome {
    let opened = store::open(path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    if args.draw {
        return draw(archive, run, args, out);
    }
    let store = store_of(args.store.as_deref(), archive)?;
    let over = files::lane(archive, run, &store);
    let applied = |row: &lane::Row| {
        let of = |it: &Applied| AppliedRow::of(it, over.kept(&it.decision, row.step));
        row.applied.iter().map(of).collect()
    };
    let step = |row: &lane::Row| StepRow {
        step: row.called(),
        paths: row.paths.clone(),
        decisions: applied(row),
    };
    let chain = |ids: &Vec<String>| ChainRow {
        newest_applies_at: ids.last().and_then(|id| over.first(id)).map(lane::Row::called),
        decisions: ids.clone(),
    };
    let lane = Document {
        schema: "trajview.decisions/1",
        run: run.id.clone(),
        path: path.display().to_string(),
        decisions: over.decisions,
        store: over.origin.as_deref().map(|path| path.display().to_string()),
        chains: over.chains.iter().map(chain).collect(),
        verdicts: over.verdicts.iter().map(VerdictRow::of).collect(),
        steps: over.rows.iter().map(step).collect(),
    };
    if args.json {
        out.json(&lane)?;
    } else if args.csv {
        out.csv("step id by score is_past shown shown_at kept judge judged_after", flat(&lane))?;
    } else {
        print(&lane, args.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Prints what the requests lay down, or writes it into a new file.
fn draw(archive: &Archive, run: &Run, args: &Args, out: &mut Out) -> Outcome {
    match &args.out {
        None => out.json(&files::drawn(archive, run))?,
        Some(path) => {
            let count = files::write_drawn(archive, run, path).map_err(Failure::wrong)?;
            out.line(&format!("{}: {}", path.display(), at::counted(count, "decision")))?;
        }
    }
    Ok(Exit::Fine)
}

/// A row for each step and decision.
fn flat(lane: &Document) -> Vec<serde_json::Value> {
    let rows = lane.steps.iter().flat_map(|row| row.decisions.iter().map(move |it| (row, it)));
    rows.map(|(row, applied)| {
        let mut value = serde_json::json!(applied);
        value["step"] = row.step.clone().into();
        value
    })
    .collect()
}

fn print(lane: &Document, is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut table = Table::new(&["step", "file", "decision", "by", "shown", "kept"]);
    for row in &lane.steps {
        for (at, applied) in row.decisions.iter().enumerate() {
            let first = |text: String| if at == 0 { text } else { String::new() };
            let file = row.paths.first().cloned().unwrap_or_default();
            let shown = match applied.shown_at {
                Some(turn) => format!("turn {turn}"),
                None => "not before".into(),
            };
            let past = if applied.is_past { " (past)" } else { "" };
            table.row(vec![
                first(row.step.clone()),
                first(file),
                format!("{}{past}", applied.id),
                applied.by.to_owned(),
                shown,
                applied.verdict().to_owned(),
            ]);
        }
    }
    table.write(is_markdown, out)?;
    for chain in &lane.chains {
        let at = match &chain.newest_applies_at {
            Some(step) => format!("the newest applies first at step {step}"),
            None => "the newest applies to no step".to_owned(),
        };
        out.line(&format!("superseded in turn: {}; {at}", chain.decisions.join(" -> ")))?;
    }
    lane.verdicts.iter().try_for_each(|it| out.line(&it.words()))?;
    let applied = || lane.steps.iter().flat_map(|row| &row.decisions);
    let shown = applied().filter(|it| it.shown).count();
    out.line(&format!(
        "{} decisions, {} steps to which one applied, {shown} of {} shown before",
        lane.decisions,
        lane.steps.len(),
        applied().count()
    ))
}
