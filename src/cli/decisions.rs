//! `trajview decisions`: the decisions of a project over a run, what retrieval gives for a text, how good it is where the
//! right decision is known, and Continuity's result files as tables.

mod results;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    metrics::decisions::{
        Decision, Store, drawn, key,
        lane::{self, Applied},
        measure::Retrieval,
        rank::Index,
    },
    run::figures,
    store::{self, decisions as files},
};

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
    if let Some(text) = &args.ask {
        let store = store_of(args.store.as_deref(), None)?;
        asked(&store, text, args, out)?;
        return Ok(Exit::Fine);
    }
    if let Some(path) = &args.gold {
        let store = store_of(args.store.as_deref(), None)?;
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

fn store_of(path: Option<&Path>, bundle: Option<&Path>) -> Result<Store, Failure> {
    let store = match (path, bundle) {
        (Some(path), _) if !path.exists() => {
            return Err(Failure::unread(format!("cannot read {}: no such file", path.display())));
        }
        (Some(path), _) => files::read(path).map_err(Failure::not_understood)?,
        (None, Some(bundle)) => match files::of_bundle(bundle) {
            Some(store) => store.map_err(Failure::not_understood)?,
            None => return Err(no_store()),
        },
        (None, None) => return Err(no_store()),
    };
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
    /// Decisions that took each other's place, the first of each chain first.
    chains: Vec<Vec<String>>,
    steps: Vec<StepRow>,
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
    /// Whether later code broke it: asks for a judge.
    kept: Option<bool>,
}

impl AppliedRow {
    fn of(applied: &Applied) -> Self {
        Self {
            id: applied.decision.clone(),
            by: applied.by,
            score: applied.score,
            is_past: applied.is_past,
            shown: applied.shown.is_some(),
            shown_at: applied.shown.map(|turn| turn + 1),
            kept: None,
        }
    }
}

fn over_a_run(path: &Path, args: &Args, out: &mut Out) -> Outcome {
    let opened = store::open(path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    if args.draw {
        let requests: Vec<String> =
            (0..run.turns.len()).map(|turn| archive.request_alone(run, turn)).collect();
        let drawn: Vec<Decision> = drawn::of(&requests);
        out.json(&drawn)?;
        return Ok(Exit::Fine);
    }
    let store = store_of(args.store.as_deref(), archive.bundle())?;
    let over = files::lane(archive, run, &store);
    let step = |row: &lane::Row| StepRow {
        step: format!("{}.{}", row.step.turn + 1, row.number),
        paths: row.paths.clone(),
        decisions: row.applied.iter().map(AppliedRow::of).collect(),
    };
    let lane = Document {
        schema: "trajview.decisions/1",
        run: run.id.clone(),
        path: path.display().to_string(),
        decisions: over.decisions,
        chains: over.chains,
        steps: over.rows.iter().map(step).collect(),
    };
    if args.json {
        out.json(&lane)?;
    } else if args.csv {
        out.csv("step id by score is_past shown shown_at kept", flat(&lane))?;
    } else {
        print(&lane, args.md, out)?;
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
    let mut table = Table::new(&["step", "file", "decision", "by", "shown"]);
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
            ]);
        }
    }
    table.write(is_markdown, out)?;
    for chain in &lane.chains {
        out.line(&format!("superseded in turn: {}", chain.join(" -> ")))?;
    }
    let applied = || lane.steps.iter().flat_map(|row| &row.decisions);
    let shown = applied().filter(|it| it.shown).count();
    out.line(&format!(
        "{} decisions, {} steps to which one applied, {shown} of {} shown before",
        lane.decisions,
        lane.steps.len(),
        applied().count()
    ))
}
