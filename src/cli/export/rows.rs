//! The rows of one run: the JSON that the commands print of it, taken apart into tables.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::{
    CommandFailure, Exit,
    measuring_args::MeasuringArgs,
    output::Json,
    pricing::PricingArgs,
    process::{process_score_row, signal_rows},
    redaction::RedactingArgs,
    score::{ScoreEach, ScoredMoments, document_point::DocumentPoint, faithfulness, skipped_files},
    show_json::{
        EditRow, ShowBuilder, ShowDocument, ShowStepRow, ShowTurnRow, faithfulness_record,
    },
};
use trajview_analysis as analysis;
use trajview_analysis::scores::Scorers;
use trajview_code::redact::{RedactFinding, Redactor, SecretKind};
use trajview_formats as formats;
use trajview_metrics::{
    cost::{Prices, RunCost},
    numbers::{Number, NumberInput, NumberValues},
    process::{ProcessNumbers, ProcessReport},
};
use trajview_run::{
    Run,
    flags::Flagging,
    rubric::{Confidence, Judge, Judgement, LabelUnit, Rubric, Verdict},
    trial::TrialValues,
};
use trajview_store as store;
use trajview_store::{
    OpenedRecording, Siblings,
    dataset::{DataTable, RunRows, WaitingRows, table_numbers},
    export::message_count,
};

/// The tools and options that runs are exported with.
pub struct ExportContext<'a> {
    tables: Vec<DataTable>,
    each: ScoreEach,
    measuring: &'a MeasuringArgs,
    scorers: Mutex<UsedScorers>,
    prices: Arc<Prices>,
    siblings: Siblings,
    redacting: RedactingArgs,
    taken_out: Mutex<BTreeMap<String, RedactedSecrets>>,
}

/// The secrets that were taken out of the texts of runs.
#[derive(Debug, Default)]
pub struct RedactedSecrets {
    pub findings: Vec<RedactFinding>,
    /// The number of different secrets of each kind, counted in each run.
    pub counts: BTreeMap<SecretKind, usize>,
}

/// The current scorers, and the number of runs they have scored.
struct UsedScorers {
    scorers: Arc<Scorers>,
    runs: usize,
}

/// The number of runs after which new scorers are made, so that memory does not grow with the runs.
const RUNS_REMEMBERED: usize = 1000;

impl<'a> ExportContext<'a> {
    /// Makes a context from the options of the command line.
    ///
    /// # Errors
    ///
    /// If the rules or the prices cannot be read.
    pub fn new(
        tables: &[DataTable],
        each: ScoreEach,
        measuring: &'a MeasuringArgs,
        pricing: &PricingArgs,
        redacting: &RedactingArgs,
    ) -> Result<Self, CommandFailure> {
        let scorers = Arc::new(measuring.open_scorers()?);
        Ok(Self {
            tables: tables.to_vec(),
            each,
            measuring,
            scorers: Mutex::new(UsedScorers { scorers, runs: 0 }),
            prices: pricing.read_prices()?,
            siblings: Siblings::default(),
            redacting: redacting.clone(),
            taken_out: Mutex::default(),
        })
    }

    /// Returns what was taken out so far, in the order of the paths, and clears it.
    pub(crate) fn take_redacted(&self) -> RedactedSecrets {
        let mut all = RedactedSecrets::default();
        let by_path = std::mem::take(&mut *self.lock_redacted());
        for of_run in by_path.into_values() {
            all.findings.extend(of_run.findings);
            for (kind, count) in of_run.counts {
                *all.counts.entry(kind).or_default() += count;
            }
        }
        all
    }

    fn lock_redacted(&self) -> MutexGuard<'_, BTreeMap<String, RedactedSecrets>> {
        self.taken_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Packs the rows of a run at a path, without its secrets. The redactor has learnt all of them: a secret that is
    /// complete in one row is found where another row has a part of it.
    fn packed_rows(&self, redactor: &Redactor, path: &str, rows: WaitingRows) -> RunRows {
        let place = |table: DataTable| format!("{path}, {}", table.word());
        let mut packed: Option<RunRows> = None;
        rows.for_each_row(|table, row| {
            let row = redactor.redact_learnt_json(&place(table), row);
            // Rows are sorted by values in the rows themselves.
            let of_row = |key: &str| row[key].as_str();
            let made = packed.get_or_insert_with(|| {
                RunRows::new(of_row("task_id"), of_row("source_uri").unwrap_or(path))
            });
            made.push(table, &row);
        });
        // Where they are not listed they are only counted: there may be many runs.
        let is_listed = self.redacting.is_list();
        let findings = if is_listed { redactor.findings() } else { vec![] };
        let counts = redactor.counts_by_kind();
        if !counts.is_empty() {
            self.lock_redacted().insert(path.to_owned(), RedactedSecrets { findings, counts });
        }
        packed.unwrap_or_else(|| RunRows::new(None, path))
    }

    /// Returns the scorers for the next run.
    fn next_scorers(&self) -> Arc<Scorers> {
        let mut used = self.scorers.lock().unwrap_or_else(PoisonError::into_inner);
        used.runs += 1;
        if used.runs > RUNS_REMEMBERED {
            used.runs = 0;
            // The folder of the cache was usable before; if new scorers cannot be made, the old ones stay in use.
            used.scorers = self.measuring.open_scorers().map_or(used.scorers.clone(), Arc::new);
        }
        used.scorers.clone()
    }

    fn wants_any(&self, tables: &[DataTable]) -> bool {
        self.tables.iter().any(|table| tables.contains(table))
    }
}

/// The reason why a run could not be read.
pub struct UnreadRun {
    /// A sentence with the path.
    pub sentence: String,
    /// The exit code of a command that reads this run alone. None if only a part could not be read.
    pub exit: Option<Exit>,
}

/// Returns the rows of a run, and what of it could not be read, if anything.
pub(crate) fn rows_of_run(path: &Path, with: &ExportContext<'_>) -> (RunRows, Option<UnreadRun>) {
    let made = catch_unwind(AssertUnwindSafe(|| match store::open_among(path, &with.siblings) {
        Ok(opened) => rows_of_opened(path, &opened, with),
        Err(why) => rows_of_unread_run(path, None, why.into(), with),
    }));
    made.unwrap_or_else(|_| {
        let why = "internal error in trajview; please report it";
        let why = format!("{}: {why}", path.display());
        rows_of_unread_run(path, None, CommandFailure::cannot_understand(why), with)
    })
}

/// Returns a run of which nothing but this is known.
fn rows_of_unread_run(
    path: &Path,
    run: Option<&Run>,
    why: CommandFailure,
    with: &ExportContext,
) -> (RunRows, Option<UnreadRun>) {
    let name = path.display().to_string();
    let row = json!({
        "transcript_id": run.map_or(&name, |run| &run.id),
        "source_uri": name,
        "task_id": run.and_then(Run::task_key),
        "trial": run.and_then(|run| run.trial.as_deref()),
        "run": { "format": run.map(|run| run.origin.format) },
        "read_error": why.sentence,
    });
    let redactor = with.redacting.redactor_for_runs(run);
    redactor.learn_json(&row);
    let mut rows = WaitingRows::default();
    rows.push(DataTable::Runs, &row);
    let rows = with.packed_rows(&redactor, &name, rows);
    (rows, Some(UnreadRun { sentence: why.sentence, exit: Some(why.exit) }))
}

fn rows_of_opened(
    path: &Path,
    opened: &OpenedRecording,
    with: &ExportContext<'_>,
) -> (RunRows, Option<UnreadRun>) {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let timeline = match archive.timeline(run) {
        Ok(timeline) => timeline,
        Err(why) => {
            return rows_of_unread_run(path, Some(run), CommandFailure::cannot_read(why), with);
        }
    };
    let cost = RunCost::new(run, &with.prices);
    let teller = ShowBuilder { run, archive, timeline: &timeline, path, cost: &cost };
    let mut rubric = store::rubric::read_beside(path);
    let chosen = faithfulness::choose_judgement(&mut rubric, None).ok().flatten();
    let mut rows = RowBuilder::new(run, path, with);
    let mut problem = None;
    if with.wants_any(&[DataTable::Points]) {
        problem = rows.add_points(path, opened, (&rubric, chosen)).err();
    }
    let is_worked = !run.has_no_log() && with.wants_any(&[DataTable::Runs, DataTable::Signals]);
    let report = is_worked.then(|| analysis::process_report(archive, run));
    if with.wants_any(&[
        DataTable::Runs,
        DataTable::Turns,
        DataTable::Edits,
        DataTable::Flags,
        DataTable::Texts,
    ]) {
        let chosen = chosen.and_then(|at| rubric.judgements.get(at));
        let mut shown = teller.show_document(faithfulness_record(run, &rubric, chosen));
        let turns = std::mem::take(&mut shown.turns);
        if let Some(recorded) = shown.recorded.take() {
            rows.add_recorded_flags(&recorded);
        }
        let process = report.as_ref();
        let process = process.map(|it| (it, analysis::numbers_of_report(archive, run, it)));
        rows.add_run(run, &shown, process, problem.as_deref());
        turns.into_iter().for_each(|turn| rows.add_turn(turn));
    }
    if with.wants_any(&[DataTable::Steps, DataTable::Edits, DataTable::Texts]) {
        for turn in 0..run.turns.len() {
            rows.add_steps(turn + 1, teller.step_rows(turn), None);
        }
    }
    rubric.flaggings.iter().for_each(|it| rows.add_flags(it));
    rows.add_verdicts(&rubric);
    rows.add_labels(&rubric);
    report.iter().for_each(|report| rows.add_signals(report));
    let unread =
        problem.map(|why| UnreadRun { sentence: format!("{}: {why}", rows.path), exit: None });
    if with.redacting.is_off() {
        return (rows.packed, unread);
    }
    (with.packed_rows(&rows.redactor, &rows.path, rows.waiting), unread)
}

/// Collects the rows of one run for their tables.
struct RowBuilder<'a> {
    /// Rows that wait until the secrets of all rows are known.
    waiting: WaitingRows,
    redactor: Redactor,
    /// The others, where nothing is taken out.
    packed: RunRows,
    context: &'a ExportContext<'a>,
    id: &'a str,
    path: String,
    task: Option<String>,
    /// True if the format records which files were changed.
    tells_edits: bool,
}

impl<'a> RowBuilder<'a> {
    fn new(run: &'a Run, path: &Path, with: &'a ExportContext<'a>) -> Self {
        let redactor = with.redacting.redactor_for_runs([run]);
        let (path, task) = (path.display().to_string(), run.task_key());
        let packed = RunRows::new(task.as_deref(), &path);
        let tells_edits = formats::records_all_edits(run);
        let (id, waiting) = (run.id.as_str(), WaitingRows::default());
        Self { context: with, waiting, redactor, packed, id, path, task, tells_edits }
    }

    /// Adds a row, with what all rows of the run have in common and more of its own.
    fn add_row(&mut self, table: DataTable, row: &impl Serialize, more: Value) {
        if !self.context.wants_any(&[table]) {
            return;
        }
        // What cannot be JSON does not come to be: all of it is printed as JSON.
        let mut row = serde_json::to_value(row).unwrap_or_default();
        let common = json!({
            "transcript_id": self.id,
            "source_uri": self.path,
            "task_id": self.task,
        });
        add_fields(&mut row, common);
        add_fields(&mut row, more);
        match self.context.redacting.is_off() {
            true => self.packed.push(table, &row),
            false => {
                self.redactor.learn_json(&row);
                self.waiting.push(table, &row);
            }
        }
    }

    fn add_run(
        &mut self,
        run: &Run,
        shown: &ShowDocument,
        process: Option<(&ProcessReport, ProcessNumbers)>,
        problem: Option<&str>,
    ) {
        let value = |number: Number| match number.row().input {
            NumberInput::Process(formula) => formula(&process.as_ref()?.1),
            _ => None,
        };
        let more = json!({
            "outcome": outcome_fields(run, shown),
            "message_count": message_count(run),
            "total_tokens": run.tokens().total(),
            "checkpoints": run.checkpoints.len(),
            "process": process.as_ref().map(|(report, _)| process_score_row(report)),
            "numbers": NumberValues::new(&table_numbers(DataTable::Runs), value),
            "warnings_count": shown.warnings.len(),
            "read_error": problem,
        });
        self.add_row(DataTable::Runs, shown, more);
    }

    fn add_turn(&mut self, mut turn: ShowTurnRow) {
        let none = self.tells_edits.then_some(0);
        let more = json!({
            "files": turn.file_count(none),
            "lines_added": turn.line_count(|edit| edit.added, none),
            "lines_removed": turn.line_count(|edit| edit.removed, none),
        });
        let edits = std::mem::take(&mut turn.edits);
        let request = turn.request.take();
        let added = std::mem::take(&mut turn.request_added);
        let number = turn.turn;
        self.add_row(DataTable::Turns, &turn, more);
        self.add_edits("turn", (number, None), &edits);
        self.add_text((number, None), "request", request.as_deref());
        for (text, at) in added.iter().zip(1..) {
            let row = json!({ "turn": number, "part": "request_added", "number": at });
            self.add_row(DataTable::Texts, &row, json!({ "text": text }));
        }
    }

    /// Adds the steps of an agent in a turn, each followed by those of the sub-agent that it started.
    fn add_steps(&mut self, turn: usize, steps: Vec<ShowStepRow>, agent: Option<(&str, &str)>) {
        for mut step in steps {
            let place = (turn, Some(step.step));
            let subagent = step.subagent.take();
            let edits = std::mem::take(&mut step.edits);
            let words = Some(std::mem::take(&mut step.text)).filter(|words| !words.is_empty());
            let arguments = step.tool.as_mut().and_then(|tool| tool.arguments.take());
            let result = step.result.as_mut().map(|result| std::mem::take(&mut result.text));
            let (id, name) = agent.unzip();
            let more = json!({ "turn": turn, "agent_id": id, "agent_name": name });
            self.add_row(DataTable::Steps, &step, more);
            self.add_edits("step", place, &edits);
            self.add_text(place, "text", words.as_deref());
            self.add_text(place, "arguments", arguments.as_deref());
            self.add_text(place, "result", result.as_deref());
            if let Some(agent) = subagent {
                self.add_steps(turn, agent.steps, Some((&agent.id, &agent.name)));
            }
        }
    }

    fn add_edits(&mut self, scope: &str, (turn, step): (usize, Option<usize>), edits: &[EditRow]) {
        for edit in edits {
            let more = json!({ "scope": scope, "turn": turn, "step": step });
            self.add_row(DataTable::Edits, edit, more);
        }
    }

    fn add_text(&mut self, (turn, step): (usize, Option<usize>), part: &str, text: Option<&str>) {
        if let Some(text) = text {
            let row = json!({ "turn": turn, "step": step, "part": part });
            self.add_row(DataTable::Texts, &row, json!({ "text": text }));
        }
    }

    /// Adds the points of a run. None if the run has no such moments.
    fn add_points(
        &mut self,
        path: &Path,
        opened: &OpenedRecording,
        judged: (&Rubric, Option<usize>),
    ) -> Result<(), String> {
        let run = &*opened.run;
        if run.has_no_log() {
            return Ok(()); // there is no code to score
        }
        let with = self.context;
        let measured = ScoredMoments { each: with.each, at: None, with_detail: false };
        let scorers = with.next_scorers();
        let document = match measured.points_document(path, opened, judged, &scorers) {
            Ok(document) => document,
            Err(why) if why.exit == Exit::CannotUnderstand => return Ok(()),
            Err(why) => return Err(why.sentence),
        };
        let ruler = scorers.scorer.ruler();
        let numbers = table_numbers(DataTable::Points);
        for (facts, scored) in &document.points {
            let point = DocumentPoint::new(&document, facts, scored);
            let more = json!({
                "profile": ruler.display_name(),
                "rules": ruler.rules().source(),
                "skipped": skipped_files(scored).count(),
                "unmeasured": scored.unmeasured_reason().map(|why| why.to_string()),
                "not_comparable": ruler.not_comparable(),
                "judge": point.judged.map(|row| row.json.field("judge")),
                "numbers": NumberValues::new(&numbers, |number| number.value_at(&point)),
            });
            self.add_row(DataTable::Points, facts, more);
        }
        Ok(())
    }

    /// Adds the flags that a benchmark's harness recorded.
    fn add_recorded_flags(&mut self, recorded: &Json) {
        for checkpoint in recorded.rows("by_checkpoint") {
            for flag in checkpoint.rows("flags") {
                let more = json!({ "source": "recorded", "checkpoint": checkpoint.text("label") });
                self.add_row(DataTable::Flags, flag, more);
            }
        }
    }

    fn add_flags(&mut self, flagging: &Flagging) {
        for flag in &flagging.flags {
            let mut more = judge_fields(&flagging.file, &flagging.judge);
            more["source"] = "judge".into();
            more["judged_turn"] = flagging.turn.into();
            more["commit"] = flagging.commit.clone().into();
            more["created_at"] = flagging.created_at.clone().into();
            more["repeat"] = flagging.repeat.map(|it| it.number).into();
            self.add_row(DataTable::Flags, flag, more);
        }
    }

    fn add_verdicts(&mut self, rubric: &Rubric) {
        let all = [
            (LabelUnit::Component, &rubric.judgements),
            (LabelUnit::Decision, &rubric.decisions),
            (LabelUnit::Process, &rubric.process),
        ];
        for (unit, judgements) in all {
            for judgement in judgements {
                for verdict in &judgement.verdicts {
                    self.add_verdict(unit, judgement, verdict);
                }
            }
        }
    }

    fn add_verdict(&mut self, unit: LabelUnit, judgement: &Judgement, verdict: &Verdict) {
        let evidence = verdict.evidence.iter().map(
            |it| json!({ "path": it.path, "lines": it.lines.map(|(first, last)| [first, last]) }),
        );
        let of_judgement = json!({
            "rubric": judgement.rubric,
            "unit": unit.word(),
            "judged_turn": judgement.turn,
            "commit": judgement.commit,
            "created_at": judgement.created_at,
            "repeat": judgement.repeat.map(|it| it.number),
            "repeats": judgement.repeat.map(|it| it.total),
        });
        let of_verdict = json!({
            "item": verdict.component,
            "rationale": Some(&verdict.rationale).filter(|it| !it.is_empty()),
            "evidence": evidence.collect::<Vec<_>>(),
            "looks": verdict.trace.len(),
            "tokens": verdict.tokens,
            "seconds": verdict.seconds,
            "error": verdict.error,
            "reason": verdict.reason,
        });
        let mut row = judge_fields(&judgement.file, &judgement.judge);
        add_fields(&mut row, of_judgement);
        add_fields(&mut row, of_verdict);
        let scores = verdict.given_scores();
        if scores.is_empty() {
            self.add_row(DataTable::Verdicts, &row, json!({ "label": verdict.label }));
        }
        for scored in scores {
            let more = json!({
                "criterion": scored.criterion,
                "scale": scored.scale.map(|scale| scale.to_string()),
                "score": scored.score,
                "label": scored.name,
            });
            self.add_row(DataTable::Verdicts, &row, more);
        }
    }

    fn add_labels(&mut self, rubric: &Rubric) {
        for book in &rubric.labels {
            for (label, number) in book.labels.iter().zip(1..) {
                let what = json!({
                    "file": book.file,
                    "number": number,
                    "annotator": book.annotator,
                    "unit": label.unit.word(),
                    "item": label.component,
                    "criterion": label.criterion,
                    "judgement": label.judgement,
                    "judged_turn": label.turn,
                    "commit": label.commit,
                });
                let answer = json!({
                    "scale": label.label_scale().to_string(),
                    "score": label.score,
                    "cannot_tell": label.cannot_tell,
                    "confidence": label.confidence.map(Confidence::word),
                    "blind": label.blind,
                    "seen": label.seen,
                    "reason": label.reason,
                    "note": label.note,
                    "at": label.at,
                });
                self.add_row(DataTable::Labels, &what, answer);
            }
        }
    }

    fn add_signals(&mut self, report: &ProcessReport) {
        for signal in signal_rows(report) {
            let (turn, step) = parse_turn_and_step(&signal.cell("step"));
            let (until_turn, until_step) = parse_turn_and_step(&signal.cell("until"));
            let more = json!({
                "turn": turn,
                "step_number": step,
                "until_turn": until_turn,
                "until_step": until_step,
            });
            self.add_row(DataTable::Signals, &signal, more);
        }
    }
}

/// Puts fields into a row, in the place of those that are called the same.
fn add_fields(row: &mut Value, more: Value) {
    if let (Value::Object(fields), Value::Object(more)) = (row, more) {
        fields.extend(more);
    }
}

fn judge_fields(file: &str, judge: &Judge) -> Value {
    json!({
        "judgement": file,
        "judge": judge.name,
        "judge_kind": judge.kind,
        "judge_model": judge.model,
        "prompt_sha256": judge.prompt_sha256,
    })
}

/// Parses `12.7`.
fn parse_turn_and_step(called: &str) -> (Option<usize>, Option<usize>) {
    let (turn, step) = called.split_once('.').unwrap_or((called, ""));
    (turn.parse().ok(), step.parse().ok())
}

/// Makes the fields of the run's recorded outcome: the harness' result, else the graded tree, else the tests of the last
/// checkpoint.
fn outcome_fields(run: &Run, shown: &ShowDocument) -> Value {
    let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
    let tests = tests.filter(|tests| !tests.infrastructure_failure).map(|tests| tests.strict);
    let graded = shown.rubric_tree.as_ref().and_then(|tree| tree.score);
    let trial = TrialValues::for_run(run);
    let score = match trial.outcome {
        Some(_) => trial.reward,
        None => trial.reward.or(graded).or_else(|| tests.and_then(|tests| tests.passed_share())),
    };
    json!({
        "score": score,
        "success": trial.is_success(tests.map(|tests| (tests.passed, tests.total))),
        "passed": tests.map(|it| it.passed),
        "total": tests.map(|it| it.total),
    })
}
