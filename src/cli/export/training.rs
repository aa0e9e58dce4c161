//! Training sets: a line for each run or turn, or for each pair of runs of a task, chosen by the recorded outcome.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::builder::TypedValueParser;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cli::{
    CommandFailure, CommandResult, Exit, output::Out, output::print_note, redaction::RedactingArgs,
    run_args,
};
use trajview_code::redact::{RedactFinding, Redactor, SecretKind};
use trajview_run::{Outcome, Run, trial::TrialValues};
use trajview_store as store;
use trajview_store::{
    OpenedRecording, Siblings,
    export::{self, Conversation, ConversationGaps},
};

use super::ExportArgs;

/// The training sets, and which runs are in them.
#[derive(Debug, clap::Args)]
pub(super) struct TrainingArgs {
    /// Conversations for supervised fine-tuning: a line of JSON for each run with this outcome, as TRL and OpenAI read it
    #[arg(long, conflicts_with_all = ["dpo", "atif", "messages", "otlp", "parquet", "csv", "jsonl"])]
    pub(super) sft: bool,
    /// Preferences for DPO: a line for each pair of runs of one task with different outcomes (prompt, chosen, rejected)
    #[arg(long, conflicts_with_all = ["atif", "messages", "otlp", "parquet", "csv", "jsonl"])]
    pub(super) dpo: bool,
    /// Only runs with these recorded outcomes; default: passed for --sft; passed, partial and failed for --dpo
    #[arg(long, value_name = "OUTCOME,...", value_delimiter = ',', value_parser = outcome_parser())]
    outcome: Vec<Outcome>,
    /// With --sft: a line for each turn of the agent, with everything before it
    #[arg(long, requires = "sft")]
    per_turn: bool,
}

fn outcome_parser() -> impl TypedValueParser<Value = Outcome> {
    run_args::word_parser(Outcome::ALL.map(Outcome::word), Outcome::by_word)
}

impl TrainingArgs {
    /// Returns whether a training set is wanted.
    pub(super) const fn is_wanted(&self) -> bool {
        self.sft || self.dpo
    }

    /// Returns whether options for training sets were named.
    pub(super) fn has_options(&self) -> bool {
        !self.outcome.is_empty() || self.per_turn
    }

    fn outcomes(&self) -> &[Outcome] {
        match (self.outcome.as_slice(), self.dpo) {
            ([], false) => &[Outcome::Passed],
            ([], true) => &[Outcome::Passed, Outcome::Partial, Outcome::Failed],
            (named, _) => named,
        }
    }
}

/// A run of a training set, as the file beside it names it.
#[derive(Serialize)]
struct RunProvenance {
    run: String,
    transcript_id: String,
    task: Option<String>,
    attempt: Option<u32>,
    outcome: Option<Outcome>,
    reward: Option<f64>,
    reward_name: Option<String>,
    /// The file of the harness that states the outcome.
    outcome_from: Option<String>,
    agent: String,
    model: Option<String>,
    format: &'static str,
    #[serde(flatten)]
    gaps: ConversationGaps,
}

/// The runs that are in no line, by the reason.
#[derive(Default)]
struct LeftOut(BTreeMap<String, usize>);

impl LeftOut {
    fn count(&mut self, reason: impl Into<String>) {
        *self.0.entry(reason.into()).or_default() += 1;
    }
}

/// The lines and their provenance, as they are written.
struct TrainingWriter<'a> {
    redacting: RedactingArgs,
    out: &'a mut Out,
    lines: Option<BufWriter<File>>,
    provenance: Option<BufWriter<File>>,
    path: Option<&'a Path>,
    written: usize,
    findings: Vec<RedactFinding>,
    counts: BTreeMap<SecretKind, usize>,
}

pub(super) fn export_training_set(args: &ExportArgs, out: &mut Out) -> CommandResult {
    let training = &args.training;
    if training.dpo && args.sharding.is_named() {
        let why = "--dpo compares the runs of a task, which may be in different shards; leave out --shard";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let runs = args.sharding.runs_of_shard(&args.paths)?;
    let mut writer = TrainingWriter::open(args, out)?;
    let mut left_out = LeftOut::default();
    let mut chosen = vec![];
    let siblings = Siblings::default();
    let mut failed = None;
    for path in &runs {
        match store::open_among(path, &siblings) {
            Ok(opened) => {
                let outcome = TrialValues::for_run(&opened.run).outcome;
                match outcome {
                    None => left_out.count("no outcome was measured"),
                    Some(outcome) if !training.outcomes().contains(&outcome) => {
                        left_out.count(format!("outcome {}", outcome.word()));
                    }
                    Some(_) if training.sft => {
                        writer.add_conversations(path, &opened, training, &mut left_out)?;
                    }
                    Some(outcome) => chosen.push((opened.run.task_key(), path, outcome)),
                }
            }
            Err(why) => {
                let why = CommandFailure::from(why);
                print_note(&why.sentence);
                left_out.count("cannot be read");
                failed = Some(why.exit);
            }
        }
    }
    writer.add_pairs(&chosen, &siblings, &mut left_out)?;
    let unread = left_out.0.get("cannot be read").copied().unwrap_or_default();
    for (reason, count) in left_out.0 {
        print_note(&format!("left out: {}: {reason}", run_args::count_with_noun(count, "run")));
    }
    writer.finish(if training.dpo { "pair" } else { "conversation" })?;
    Ok(failed.filter(|_| unread == runs.len()).unwrap_or(Exit::Fine))
}

impl<'a> TrainingWriter<'a> {
    fn open(args: &'a ExportArgs, out: &'a mut Out) -> Result<Self, CommandFailure> {
        let redacting = args.redacting_with_tokens()?;
        let path = args.out.as_deref().filter(|_| !redacting.is_list());
        let create = |path: &Path| {
            let made = File::create(path);
            made.map(BufWriter::new).map_err(|why| CommandFailure::unwritable(path, &why))
        };
        let lines = path.map(create).transpose()?;
        let provenance = path.map(|path| create(&provenance_path(path))).transpose()?;
        let (findings, counts) = (vec![], BTreeMap::new());
        Ok(Self { redacting, out, lines, provenance, path, written: 0, findings, counts })
    }

    fn add_conversations(
        &mut self,
        path: &Path,
        opened: &OpenedRecording,
        training: &TrainingArgs,
        left_out: &mut LeftOut,
    ) -> Result<(), CommandFailure> {
        let conversation = export::to_conversation(&opened.run, &opened.archive);
        let Some(last) = conversation.turn_ends.last() else {
            left_out.count("the model did nothing");
            return Ok(());
        };
        let redactor = self.redacting.redactor_for_runs([&*opened.run]);
        let ends = if training.per_turn { conversation.turn_ends.as_slice() } else { &[*last] };
        let provenance = run_provenance(path, &opened.run, &conversation, &redactor);
        for (end, turn) in ends.iter().zip(1..) {
            let mut line = Map::new();
            line.insert("messages".into(), conversation.messages[..*end].into());
            line.extend(conversation.tools.clone().map(|tools| ("tools".to_owned(), tools)));
            let mut beside = json!(provenance);
            if training.per_turn {
                beside["turn"] = json!(turn);
            }
            self.add_line(&redactor, line.into(), beside)?;
        }
        self.take_findings(&redactor);
        Ok(())
    }

    fn add_pairs(
        &mut self,
        chosen: &[(Option<String>, &PathBuf, Outcome)],
        siblings: &Siblings,
        left_out: &mut LeftOut,
    ) -> Result<(), CommandFailure> {
        let mut tasks: BTreeMap<&str, Vec<(&PathBuf, Outcome)>> = BTreeMap::new();
        for (task, path, outcome) in chosen {
            match task {
                Some(task) => tasks.entry(task).or_default().push((path, *outcome)),
                None => left_out.count("the task is not known"),
            }
        }
        for runs in tasks.values() {
            let outcomes: Vec<Outcome> = runs.iter().map(|(_, outcome)| *outcome).collect();
            let pairs = export::preference_pairs(&outcomes);
            for _ in 2 * pairs.len()..runs.len() {
                left_out.count("no run of the task with another outcome");
            }
            for (better, worse) in pairs {
                let better = store::open_among(runs[better].0, siblings)
                    .map(|opened| (runs[better].0, opened))?;
                let worse = store::open_among(runs[worse].0, siblings)
                    .map(|opened| (runs[worse].0, opened))?;
                if let Some(reason) = self.add_pair(&better, &worse)? {
                    left_out.count(reason);
                    left_out.count(reason);
                }
            }
        }
        Ok(())
    }

    /// Writes a pair. Returns the reason where the two runs are none.
    fn add_pair(
        &mut self,
        (better_path, better): &(&PathBuf, OpenedRecording),
        (worse_path, worse): &(&PathBuf, OpenedRecording),
    ) -> Result<Option<&'static str>, CommandFailure> {
        let conversation =
            |opened: &OpenedRecording| export::to_conversation(&opened.run, &opened.archive);
        let (chosen, rejected) = (conversation(better), conversation(worse));
        if chosen.messages == rejected.messages {
            return Ok(Some("the other run of the pair has the same messages"));
        }
        let Some(prompt) = export::shared_prompt(&chosen.messages, &rejected.messages) else {
            return Ok(Some("the other run of the pair has another prompt"));
        };
        let redactor = self.redacting.redactor_for_runs([&*better.run, &*worse.run]);
        let mut line = json!({
            "prompt": chosen.messages[..prompt],
            "chosen": chosen.messages[prompt..],
            "rejected": rejected.messages[prompt..],
        });
        if let Some(tools) = chosen.tools.as_ref().filter(|_| chosen.tools == rejected.tools) {
            line["tools"] = tools.clone();
        }
        let beside = json!({
            "chosen": run_provenance(better_path, &better.run, &chosen, &redactor),
            "rejected": run_provenance(worse_path, &worse.run, &rejected, &redactor),
        });
        self.add_line(&redactor, line, beside)?;
        self.take_findings(&redactor);
        Ok(None)
    }

    fn add_line(
        &mut self,
        redactor: &Redactor,
        line: Value,
        beside: Value,
    ) -> Result<(), CommandFailure> {
        let line = redactor.redact_json("", line);
        self.written += 1;
        if self.redacting.is_list() {
            return Ok(());
        }
        let mut numbered = json!({ "line": self.written });
        if let (Value::Object(to), Value::Object(from)) = (&mut numbered, beside) {
            to.extend(from);
        }
        let (Some(lines), Some(provenance), Some(path)) =
            (&mut self.lines, &mut self.provenance, self.path)
        else {
            return Ok(self.out.print_json_line(&line)?);
        };
        writeln!(lines, "{line}").map_err(|why| CommandFailure::unwritable(path, &why))?;
        writeln!(provenance, "{numbered}")
            .map_err(|why| CommandFailure::unwritable(&provenance_path(path), &why))
    }

    fn take_findings(&mut self, redactor: &Redactor) {
        if self.redacting.is_list() {
            self.findings.extend(redactor.findings());
        }
        for (kind, count) in redactor.counts_by_kind() {
            *self.counts.entry(kind).or_default() += count;
        }
    }

    fn finish(mut self, noun: &str) -> Result<(), CommandFailure> {
        if self.redacting.is_list() {
            return Ok(self.redacting.print_findings(&self.findings, self.out)?);
        }
        self.redacting.print_counts(&self.counts);
        let (Some(lines), Some(provenance), Some(path)) =
            (&mut self.lines, &mut self.provenance, self.path)
        else {
            print_note("no provenance is written to standard output; name a file with --out FILE");
            return Ok(());
        };
        lines.flush().map_err(|why| CommandFailure::unwritable(path, &why))?;
        let beside = provenance_path(path);
        provenance.flush().map_err(|why| CommandFailure::unwritable(&beside, &why))?;
        let written = run_args::count_with_noun(self.written, noun);
        Ok(self.out.print_line(&format!("{}: {written}", path.display()))?)
    }
}

/// Returns `set.provenance.jsonl` for `set.jsonl`.
fn provenance_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{stem}.provenance.jsonl"))
}

fn run_provenance(
    path: &Path,
    run: &Run,
    conversation: &Conversation,
    redactor: &Redactor,
) -> RunProvenance {
    let values = TrialValues::for_run(run);
    let source = run.trial.as_deref().map(|trial| trial.source.to_string());
    let named = |place: &str, text: &str| redactor.redact_identity(place, text);
    RunProvenance {
        run: named("source_uri", &path.display().to_string()),
        transcript_id: named("transcript_id", &run.id),
        task: values.task.map(|task| named("task_id", &task)),
        attempt: values.attempt,
        outcome: values.outcome,
        reward: values.reward,
        reward_name: values.reward_name,
        outcome_from: source.filter(|source| !source.is_empty()),
        agent: run.agent.name.clone(),
        model: run.model.clone(),
        format: run.origin.format,
        gaps: conversation.gaps,
    }
}
