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
    Exit, Failure,
    json::{EditRow, JudgedRow, Show, StepRow, Teller, TurnRow},
    measuring::Measuring,
    pricing::Pricing,
    process::{ScoreRow, SignalRow},
    recorded::RecordedRow,
    redaction::Redacting,
    score::{Each, Measured, faithful, point::AtPoint, skipped},
};
use trajview_code::redact::{Finding, Kind, Redactor};
use trajview_formats as formats;
use trajview_metrics::{
    cost::{Prices, RunCost},
    numbers::Values,
    process::Report,
};
use trajview_run::{
    Run,
    flags::Flagging,
    rubric::{Confidence, Judge, Judgement, Rubric, Unit, Verdict},
};
use trajview_store as store;
use trajview_store::{
    Opened, ReuseReader, Scorer, Siblings,
    dataset::{RunRows, Table, WaitingRows, point_numbers},
    export::message_count,
};

/// What runs are read with, and what is wanted of them.
pub struct With<'a> {
    tables: Vec<Table>,
    each: Each,
    measuring: &'a Measuring,
    scorers: Mutex<Kept>,
    prices: Arc<Prices>,
    siblings: Siblings,
    redacting: Redacting,
    taken_out: Mutex<BTreeMap<String, TakenOut>>,
}

/// What was taken out of the texts of runs.
#[derive(Debug, Default)]
pub struct TakenOut {
    pub findings: Vec<Finding>,
    /// How many different secrets of each kind, counted in each run.
    pub counts: BTreeMap<Kind, usize>,
}

/// What measures code, and how many runs it has seen.
struct Kept {
    scorers: Arc<Scorers>,
    runs: usize,
}

/// They remember every content that they have seen.
struct Scorers {
    scorer: Scorer,
    reader: Arc<ReuseReader>,
}

impl Scorers {
    fn new(measuring: &Measuring) -> Result<Self, Failure> {
        let (scorer, reader) = measuring.scorers()?;
        Ok(Self { scorer, reader })
    }
}

/// So many runs are measured by what remembers their contents, then it begins anew: memory does not grow with the runs.
const RUNS_REMEMBERED: usize = 1000;

impl<'a> With<'a> {
    /// By the options of the command line.
    ///
    /// # Errors
    ///
    /// Where the rules or the prices cannot be read.
    pub fn new(
        tables: &[Table],
        each: Each,
        measuring: &'a Measuring,
        pricing: &Pricing,
        redacting: &Redacting,
    ) -> Result<Self, Failure> {
        let scorers = Arc::new(Scorers::new(measuring)?);
        Ok(Self {
            tables: tables.to_vec(),
            each,
            measuring,
            scorers: Mutex::new(Kept { scorers, runs: 0 }),
            prices: pricing.prices()?,
            siblings: Siblings::default(),
            redacting: redacting.clone(),
            taken_out: Mutex::default(),
        })
    }

    /// What was taken out so far, in the order of the paths.
    pub fn taken_out(&self) -> TakenOut {
        let mut all = TakenOut::default();
        let by_path = std::mem::take(&mut *self.by_path());
        for of_run in by_path.into_values() {
            all.findings.extend(of_run.findings);
            for (kind, count) in of_run.counts {
                *all.counts.entry(kind).or_default() += count;
            }
        }
        all
    }

    fn by_path(&self) -> MutexGuard<'_, BTreeMap<String, TakenOut>> {
        self.taken_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows of a run at a path, without its secrets, all of which the redactor has learnt: a secret that one row has whole is
    /// known where another has a part.
    fn packed(&self, redactor: &Redactor, path: &str, rows: WaitingRows) -> RunRows {
        let place = |table: Table| format!("{path}, {}", table.word());
        let mut packed: Option<RunRows> = None;
        rows.each(|table, row| {
            let row = redactor.learnt_json(&place(table), row);
            // What rows are sorted by is what stands in them.
            let of_row = |key: &str| row[key].as_str();
            let made = packed.get_or_insert_with(|| {
                RunRows::new(of_row("task_id"), of_row("source_uri").unwrap_or(path))
            });
            made.push(table, &row);
        });
        // Where they are not listed they are only counted: there may be many runs.
        let is_listed = self.redacting.is_list();
        let findings = if is_listed { redactor.findings() } else { vec![] };
        let counts = redactor.counts();
        if !counts.is_empty() {
            self.by_path().insert(path.to_owned(), TakenOut { findings, counts });
        }
        packed.unwrap_or_else(|| RunRows::new(None, path))
    }

    /// What measures the next run.
    fn scorers(&self) -> Arc<Scorers> {
        let mut kept = self.scorers.lock().unwrap_or_else(PoisonError::into_inner);
        kept.runs += 1;
        if kept.runs > RUNS_REMEMBERED {
            kept.runs = 0;
            // It was there before; where it cannot be had again the one that is there goes on.
            kept.scorers = Scorers::new(self.measuring).map_or(kept.scorers.clone(), Arc::new);
        }
        kept.scorers.clone()
    }

    fn wants(&self, tables: &[Table]) -> bool {
        self.tables.iter().any(|table| tables.contains(table))
    }
}

/// What of a run could not be read.
pub struct Unread {
    /// A sentence with the path.
    pub why: String,
    /// How a command ends that reads this run alone; None where only a part could not be read.
    pub exit: Option<Exit>,
}

/// The rows of a run, and what of it could not be read, if anything.
pub fn of_run(path: &Path, with: &With<'_>) -> (RunRows, Option<Unread>) {
    let made = catch_unwind(AssertUnwindSafe(|| match store::open_among(path, &with.siblings) {
        Ok(opened) => of_opened(path, &opened, with),
        Err(why) => unread(path, None, why.into(), with),
    }));
    made.unwrap_or_else(|_| {
        let why = "internal error in trajview; please report it";
        let why = format!("{}: {why}", path.display());
        unread(path, None, Failure::not_understood(why), with)
    })
}

/// A run of which nothing but this is known.
fn unread(path: &Path, run: Option<&Run>, why: Failure, with: &With) -> (RunRows, Option<Unread>) {
    let name = path.display().to_string();
    let task = run.and_then(|run| run.task.as_ref()).map(|task| task.id.clone());
    let row = json!({
        "transcript_id": run.map_or(&name, |run| &run.id),
        "source_uri": name,
        "task_id": task,
        "run": { "format": run.map(|run| run.origin.format) },
        "read_error": why.sentence,
    });
    let redactor = with.redacting.redactor(run);
    redactor.learn_json(&row);
    let mut rows = WaitingRows::default();
    rows.push(Table::Runs, &row);
    let rows = with.packed(&redactor, &name, rows);
    (rows, Some(Unread { why: why.sentence, exit: Some(why.exit) }))
}

fn of_opened(path: &Path, opened: &Opened, with: &With<'_>) -> (RunRows, Option<Unread>) {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let timeline = match archive.timeline(run) {
        Ok(timeline) => timeline,
        Err(why) => return unread(path, Some(run), Failure::unread(why), with),
    };
    let cost = RunCost::of(run, &with.prices);
    let teller = Teller { run, archive, timeline: &timeline, path, cost: &cost };
    let mut rubric = store::rubric::read(path);
    let chosen = faithful::choose(&mut rubric, None).ok().flatten();
    let mut rows = Rows::new(run, path, with);
    let mut problem = None;
    if with.wants(&[Table::Points]) {
        problem = rows.points(path, opened, (&rubric, chosen)).err();
    }
    let is_worked = !run.is_rubric_tree_alone() && with.wants(&[Table::Runs, Table::Signals]);
    let report = is_worked.then(|| store::report(archive, run));
    if with.wants(&[Table::Runs, Table::Turns, Table::Edits, Table::Flags, Table::Texts]) {
        let chosen = chosen.and_then(|at| rubric.judgements.get(at));
        let mut shown = teller.show(JudgedRow::of(run, &rubric, chosen));
        let turns = std::mem::take(&mut shown.turns);
        if let Some(recorded) = shown.recorded.take() {
            rows.recorded_flags(&recorded);
        }
        rows.run(run, &shown, report.as_ref(), problem.as_deref());
        turns.into_iter().for_each(|turn| rows.turn(turn));
    }
    if with.wants(&[Table::Steps, Table::Edits, Table::Texts]) {
        for turn in 0..run.turns.len() {
            rows.steps(turn + 1, teller.step_rows(turn), None);
        }
    }
    rubric.flaggings.iter().for_each(|it| rows.flags(it));
    rows.verdicts(&rubric);
    rows.labels(&rubric);
    report.iter().for_each(|report| rows.signals(report));
    let unread = problem.map(|why| Unread { why: format!("{}: {why}", rows.path), exit: None });
    if with.redacting.is_off() {
        return (rows.packed, unread);
    }
    (with.packed(&rows.redactor, &rows.path, rows.waiting), unread)
}

/// The rows on their way into their tables.
struct Rows<'a> {
    /// Those that are written when the secrets of all are known.
    waiting: WaitingRows,
    redactor: Redactor,
    /// The others, where nothing is taken out.
    packed: RunRows,
    with: &'a With<'a>,
    id: &'a str,
    path: String,
    task: Option<&'a str>,
    /// Whether its format says which files were changed.
    tells_edits: bool,
}

impl<'a> Rows<'a> {
    fn new(run: &'a Run, path: &Path, with: &'a With<'a>) -> Self {
        let redactor = with.redacting.redactor([run]);
        let (path, task) = (path.display().to_string(), run.task.as_ref());
        let task = task.map(|task| task.id.as_str());
        let packed = RunRows::new(task, &path);
        let tells_edits = formats::tells_edits(run);
        let (id, waiting) = (run.id.as_str(), WaitingRows::default());
        Self { with, waiting, redactor, packed, id, path, task, tells_edits }
    }

    /// Adds a row, with what all rows of the run have in common and more of its own.
    fn push(&mut self, table: Table, row: &impl Serialize, more: Value) {
        if !self.with.wants(&[table]) {
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
        match self.with.redacting.is_off() {
            true => self.packed.push(table, &row),
            false => {
                self.redactor.learn_json(&row);
                self.waiting.push(table, &row);
            }
        }
    }

    fn run(&mut self, run: &Run, shown: &Show, report: Option<&Report>, problem: Option<&str>) {
        let tokens = shown.totals.tokens;
        let total_tokens = tokens.input.zip(tokens.output).map(|(input, output)| input + output);
        let more = json!({
            "outcome": outcome(run, shown),
            "message_count": message_count(run),
            "total_tokens": total_tokens,
            "checkpoints": run.checkpoints.len(),
            "process": report.map(ScoreRow::of),
            "warnings_count": shown.warnings.len(),
            "read_error": problem,
        });
        self.push(Table::Runs, shown, more);
    }

    fn turn(&mut self, mut turn: TurnRow) {
        let none = self.tells_edits.then_some(0);
        let more = json!({
            "files": turn.files(none),
            "lines_added": turn.lines(|edit| edit.added, none),
            "lines_removed": turn.lines(|edit| edit.removed, none),
        });
        let edits = std::mem::take(&mut turn.edits);
        let request = turn.request.take();
        let added = std::mem::take(&mut turn.request_added);
        let number = turn.turn;
        self.push(Table::Turns, &turn, more);
        self.edits("turn", (number, None), &edits);
        self.text((number, None), "request", request.as_deref());
        for (text, at) in added.iter().zip(1..) {
            let row = json!({ "turn": number, "part": "request_added", "number": at });
            self.push(Table::Texts, &row, json!({ "text": text }));
        }
    }

    /// The steps of an agent in a turn, each followed by those of the sub-agent that it started.
    fn steps(&mut self, turn: usize, steps: Vec<StepRow>, agent: Option<(&str, &str)>) {
        for mut step in steps {
            let place = (turn, Some(step.step));
            let subagent = step.subagent.take();
            let edits = std::mem::take(&mut step.edits);
            let words = Some(std::mem::take(&mut step.text)).filter(|words| !words.is_empty());
            let arguments = step.tool.as_mut().and_then(|tool| tool.arguments.take());
            let result = step.result.as_mut().map(|result| std::mem::take(&mut result.text));
            let (id, name) = agent.unzip();
            let more = json!({ "turn": turn, "agent_id": id, "agent_name": name });
            self.push(Table::Steps, &step, more);
            self.edits("step", place, &edits);
            self.text(place, "text", words.as_deref());
            self.text(place, "arguments", arguments.as_deref());
            self.text(place, "result", result.as_deref());
            if let Some(agent) = subagent {
                self.steps(turn, agent.steps, Some((&agent.id, &agent.name)));
            }
        }
    }

    fn edits(&mut self, scope: &str, (turn, step): (usize, Option<usize>), edits: &[EditRow]) {
        for edit in edits {
            let more = json!({ "scope": scope, "turn": turn, "step": step });
            self.push(Table::Edits, edit, more);
        }
    }

    fn text(&mut self, (turn, step): (usize, Option<usize>), part: &str, text: Option<&str>) {
        if let Some(text) = text {
            let row = json!({ "turn": turn, "step": step, "part": part });
            self.push(Table::Texts, &row, json!({ "text": text }));
        }
    }

    /// None where the run has no such moments.
    fn points(
        &mut self,
        path: &Path,
        opened: &Opened,
        judged: (&Rubric, Option<usize>),
    ) -> Result<(), String> {
        let run = &*opened.run;
        if run.is_rubric_tree_alone() {
            return Ok(()); // there is no code to score
        }
        let with = self.with;
        let measured = Measured { each: with.each, with_detail: false };
        let scorers = with.scorers();
        let kept = (&scorers.scorer, &scorers.reader);
        let document = match measured.document(path, opened, judged, kept) {
            Ok(document) => document,
            Err(why) if why.exit == Exit::CannotUnderstand => return Ok(()),
            Err(why) => return Err(why.sentence),
        };
        let ruler = scorers.scorer.ruler();
        let numbers: Vec<_> = point_numbers().collect();
        for (facts, scored) in &document.points {
            let point = AtPoint::of(&document, facts, scored);
            let more = json!({
                "profile": ruler.name(),
                "rules": ruler.rules().source(),
                "skipped": skipped(scored).count(),
                "unmeasured": scored.unmeasured().map(|why| why.to_string()),
                "not_comparable": ruler.not_comparable(),
                "judge": point.judged.and_then(|row| row.judge.as_ref()),
                "numbers": Values::of(&numbers, |number| number.value(&point)),
            });
            self.push(Table::Points, facts, more);
        }
        Ok(())
    }

    /// Those that a benchmark's harness recorded.
    fn recorded_flags(&mut self, recorded: &RecordedRow) {
        for checkpoint in &recorded.by_checkpoint {
            for flag in checkpoint.flags.iter().flatten() {
                let more = json!({ "source": "recorded", "checkpoint": checkpoint.label });
                self.push(Table::Flags, flag, more);
            }
        }
    }

    fn flags(&mut self, flagging: &Flagging) {
        for flag in &flagging.flags {
            let mut more = judged_by(&flagging.file, &flagging.judge);
            more["source"] = "judge".into();
            more["judged_turn"] = flagging.turn.into();
            more["commit"] = flagging.commit.clone().into();
            more["created_at"] = flagging.created_at.clone().into();
            more["repeat"] = flagging.repeat.map(|it| it.number).into();
            self.push(Table::Flags, flag, more);
        }
    }

    fn verdicts(&mut self, rubric: &Rubric) {
        let all = [
            (Unit::Component, &rubric.judgements),
            (Unit::Decision, &rubric.decisions),
            (Unit::Process, &rubric.process),
        ];
        for (unit, judgements) in all {
            for judgement in judgements {
                for verdict in &judgement.verdicts {
                    self.verdict(unit, judgement, verdict);
                }
            }
        }
    }

    fn verdict(&mut self, unit: Unit, judgement: &Judgement, verdict: &Verdict) {
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
            "repeats": judgement.repeat.map(|it| it.of),
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
        let mut row = judged_by(&judgement.file, &judgement.judge);
        add_fields(&mut row, of_judgement);
        add_fields(&mut row, of_verdict);
        let scores = verdict.scores();
        if scores.is_empty() {
            self.push(Table::Verdicts, &row, json!({ "label": verdict.label }));
        }
        for scored in scores {
            let more = json!({
                "criterion": scored.criterion,
                "scale": scored.scale.map(|scale| scale.to_string()),
                "score": scored.score,
                "label": scored.name,
            });
            self.push(Table::Verdicts, &row, more);
        }
    }

    fn labels(&mut self, rubric: &Rubric) {
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
                let said = json!({
                    "scale": label.scale_of().to_string(),
                    "score": label.score,
                    "cannot_tell": label.cannot_tell,
                    "confidence": label.confidence.map(Confidence::word),
                    "blind": label.blind,
                    "seen": label.seen,
                    "reason": label.reason,
                    "note": label.note,
                    "at": label.at,
                });
                self.push(Table::Labels, &what, said);
            }
        }
    }

    fn signals(&mut self, report: &Report) {
        for signal in SignalRow::all(report) {
            let (turn, step) = turn_and_step(&signal.step);
            let (until_turn, until_step) = turn_and_step(&signal.until);
            let more = json!({
                "turn": turn,
                "step_number": step,
                "until_turn": until_turn,
                "until_step": until_step,
            });
            self.push(Table::Signals, &signal, more);
        }
    }
}

/// Puts fields into a row, in the place of those that are called the same.
fn add_fields(row: &mut Value, more: Value) {
    if let (Value::Object(fields), Value::Object(more)) = (row, more) {
        fields.extend(more);
    }
}

fn judged_by(file: &str, judge: &Judge) -> Value {
    json!({
        "judgement": file,
        "judge": judge.name,
        "judge_kind": judge.kind,
        "judge_model": judge.model,
        "prompt_sha256": judge.prompt_sha256,
    })
}

/// `12.7`
fn turn_and_step(called: &str) -> (Option<usize>, Option<usize>) {
    let (turn, step) = called.split_once('.').unwrap_or((called, ""));
    (turn.parse().ok(), step.parse().ok())
}

/// What the run came to, as far as somebody recorded it: the graded tree, else the tests of the last checkpoint.
fn outcome(run: &Run, shown: &Show) -> Value {
    let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
    let tests = tests.filter(|tests| !tests.infrastructure_failure).map(|tests| tests.strict);
    let graded = shown.rubric_tree.as_ref().and_then(|tree| tree.score);
    json!({
        "score": graded.or_else(|| tests.and_then(|tests| tests.share())),
        "success": tests.filter(|it| it.total > 0).map(|it| it.passed == it.total),
        "passed": tests.map(|it| it.passed),
        "total": tests.map(|it| it.total),
    })
}
