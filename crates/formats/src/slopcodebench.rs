//! SlopCodeBench run directories: one problem is one run, each of its checkpoints one turn.
//!
//! The harness gives an agent a specification a checkpoint at a time, keeps what the agent printed, the workspace after
//! each, and what it measured of it. Three generations of it wrote nearly the same files ([`generation`]); any file may
//! be missing. Sources are named from the run directory on: `config.yaml`, `PROBLEM/checkpoint_2/agent/stdout.jsonl`.
//!
//! | file | becomes | read by |
//! |---|---|---|
//! | `agent/`, `agent.tar.gz` | the steps of the turn | [`logs`], with the formats of the logs; [`unclaimed_log`] |
//! | `prompt.txt` | the request, unless the log has it | here |
//! | `evaluation.json`, `evaluation/report.json` | [`checkpoint_record::RecordedTests`] | [`evaluation`], where strict, iso and core are defined |
//! | `diff.json` | [`checkpoint_record::RecordedChanges`], and files where there is no `snapshot/` | [`changes`] |
//! | `rubric.jsonl` | [`checkpoint_record::Flag`]s | [`rubric`] |
//! | `inference_result.json`, `quality_analysis/overall_quality.json`, a row of `checkpoint_results.jsonl`, `result.json` | [`checkpoint_record::RecordedMeasure`] values | [`values`] |
//! | `quality_analysis/{files,symbols,ast_grep}.jsonl` | [`checkpoint_record::MeasuredParts`] | [`quality`] |
//! | `after_skill/` with its `evaluation.json`, `quality_analysis/` | what was recorded of a second pass, the checkpoint's last turn | here |
//! | `config.yaml`, `problem.yaml`, `run_info.yaml`, `problem_catalog.json` | facts about the run | [`run_facts`], [`yaml_facts`], [`generation`] |
//!
//! Its times have no zone and are taken as UTC. `snapshot/` is no source: `store` reads it where files are put together.

mod changes;
mod evaluation;
mod generation;
pub mod layout;
mod logs;
mod quality;
mod rubric;
mod run_facts;
mod trial_result;
mod unclaimed_log;
mod values;
mod yaml_facts;

use trajview_run::{
    Checkpoint, CheckpointRecord, Edit, RecordPlace, Role, Run, RunOrigin, SourceId, SourceRecord,
    Step, StepKind, StepText, Time, Tokens, Turn, Warning, checkpoint_record, files::RecordedEdit,
    first_line_label,
};

use super::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, SourceBytes, json_object::JsonObject, not_finite, tape::JsonTape,
};

use generation::SlopGeneration;
use layout::{CheckpointFiles, RunLayout, checkpoint_number};
use yaml_facts::YamlFacts;

/// The key of `run_info.yaml` with the prompt of a second pass over each checkpoint.
const SKILL_PROMPT: &str = "post_checkpoint_skill.prompt";

pub struct SlopCodeBench;

impl Format for SlopCodeBench {
    fn name(&self) -> &'static str {
        "slopcodebench"
    }

    fn short_description(&self) -> &'static str {
        "SlopCodeBench run directory: logs, snapshots, tests and measurements by checkpoint"
    }

    fn sample_path(&self) -> &'static str {
        "slopcodebench"
    }

    /// A run is a folder, recognised by the names in it ([`layout::is_problem`]), never by one file.
    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Snapshots, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, _head: &FileHead<'_>) -> bool {
        false
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let layout = RunLayout::from_sources(sources);
        let mut reader = SlopReader::new(sources, &layout);
        for (at, source) in sources.iter().enumerate() {
            if let Some(count) = not_finite_results(source) {
                reader.add_warning(at, not_finite::warning_text(count));
            }
        }
        if layout.stages.is_empty() {
            return Err(NotUnderstood(reader.why_empty()));
        }
        reader.read_run_facts();
        for stage in &layout.stages {
            reader.read_checkpoint(stage, executor);
        }
        reader.finish_run();
        Ok(reader.run)
    }

    fn step_text(&self, record: &[u8], _step: &Step) -> StepText {
        let record = String::from_utf8_lossy(record);
        let tape = JsonTape::parse(&record);
        let failed = JsonObject::from_tape(&tape)
            .and_then(|result| Some(result.text("error_message")?.into_owned()));
        match failed {
            Some(text) => StepText { text, ..StepText::default() },
            None => StepText { text: record.into_owned(), ..StepText::default() },
        }
    }

    fn request_text(&self, record: &[u8]) -> String {
        String::from_utf8_lossy(record).into_owned()
    }

    fn failure_text(&self, record: &[u8]) -> String {
        evaluation::failure_text(&String::from_utf8_lossy(record))
    }

    /// Reads an edit from the harness' own comparison of the workspaces.
    fn recorded_edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        changes::edit_body(&String::from_utf8_lossy(record), edit)
    }
}

/// Returns how many values of a file of results are no numbers; None where all are, and for logs and the two files with
/// the texts of changes and of failed tests.
fn not_finite_results(source: &SourceBytes<'_>) -> Option<usize> {
    let has_texts = ["/diff.json", "/report.json"].iter().any(|end| source.name.ends_with(end));
    let is_log = source.name.contains("/agent/") || source.name.contains("/agent.tar.gz/");
    let is_json = [".json", ".jsonl"].iter().any(|end| source.name.ends_with(end));
    if !is_json || has_texts || is_log {
        return None;
    }
    let (_, count) = not_finite::with_nulls(std::str::from_utf8(source.bytes).ok()?)?;
    Some(count)
}

/// Puts a run together, a checkpoint at a time.
struct SlopReader<'a> {
    sources: &'a [SourceBytes<'a>],
    layout: &'a RunLayout<'a>,
    generation: Option<SlopGeneration>,
    config: YamlFacts,
    problem: YamlFacts,
    info: YamlFacts,
    flags: Vec<Option<Vec<checkpoint_record::Flag>>>,
    run: Run,
}

impl<'a> SlopReader<'a> {
    fn new(sources: &'a [SourceBytes<'a>], layout: &'a RunLayout<'a>) -> Self {
        let facts = |at: Option<usize>| {
            at.map(|at| YamlFacts::from_yaml(&String::from_utf8_lossy(sources[at].bytes)))
                .unwrap_or_default()
        };
        let marked = layout.marked.iter().map(|&at| sources[at].bytes);
        let generation = match layout.catalog {
            Some(_) => Some(SlopGeneration::G2),
            None => SlopGeneration::from_texts(marked),
        };
        let source = |source: &SourceBytes<'_>| SourceRecord {
            name: source.name.into(),
            format: "slopcodebench",
        };
        let run = Run {
            origin: RunOrigin {
                format: SlopCodeBench.name(),
                sources: sources.iter().map(source).collect(),
                ..RunOrigin::default()
            },
            ..Run::default()
        };
        Self {
            sources,
            layout,
            generation,
            config: facts(layout.config),
            problem: facts(layout.problem_facts),
            info: facts(layout.info),
            flags: vec![],
            run,
        }
    }

    fn source_text(&self, at: usize) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.sources[at].bytes)
    }

    fn add_warning(&mut self, at: usize, what: impl Into<String>) {
        self.run.warnings.push(Warning { place: self.sources[at].name.into(), what: what.into() });
    }

    fn why_empty(&self) -> String {
        let state = self.info.get("summary.state").map(|state| format!("; it ended as {state}"));
        format!("a problem of SlopCodeBench without a checkpoint{}", state.unwrap_or_default())
    }

    fn read_checkpoint(&mut self, stage: &CheckpointFiles, executor: &dyn PieceExecutor) {
        let logs::CheckpointPasses { first: told, second } = self.read_logs(stage, executor);
        if told.is_empty() {
            let what = "no log of the agent: the turn has no steps";
            let place = format!("{}{}", self.layout.folder_prefix(), stage.name);
            self.run.warnings.push(Warning { place, what: what.into() });
        }
        for inner in told.runs() {
            adopt_log_facts(&mut self.run, inner);
        }
        let index = self.run.turns.len();
        let mut turn = told.into_turn(index, &mut self.run.subagents);
        self.add_request(stage, &mut turn);
        let mut record =
            CheckpointRecord { state: self.checkpoint_state(stage), ..CheckpointRecord::default() };
        self.add_inference(stage, &mut turn, &mut record);
        self.add_measures(stage, &mut record);
        self.add_tests(stage, &mut record);
        self.add_changes(stage, &mut record);
        self.add_flags(stage);
        turn.checkpoint = Some(self.run.checkpoints.len());
        self.run.turns.push(turn);
        let after_skill = self.read_second_pass(stage, second).map(Box::new);
        self.run.checkpoints.push(Checkpoint {
            id: stage.name.clone(),
            label: None,
            last_turn: self.run.turns.len() - 1,
            recorded: Some(Box::new(record)),
            after_skill,
        });
    }

    /// Reads the logs of a checkpoint. The log of a second pass is among the checkpoint's own, else in the folder of its
    /// result.
    fn read_logs(
        &mut self,
        stage: &CheckpointFiles,
        executor: &dyn PieceExecutor,
    ) -> logs::CheckpointPasses {
        let prompt = self.info.get(SKILL_PROMPT).unwrap_or_default();
        let own = stage.after.as_ref().map_or(&[][..], |after| &after.logs);
        let second = logs::SecondPass { prompt, is_there: stage.after.is_some() && own.is_empty() };
        let warnings = &mut self.run.warnings;
        let mut passes = logs::read_passes(self.sources, &stage.logs, &second, executor, warnings);
        let mut read_by = passes.first.read_by.clone();
        if !own.is_empty() {
            let alone = logs::SecondPass { prompt: "", is_there: false };
            let second_facts =
                logs::read_passes(self.sources, own, &alone, executor, warnings).first;
            read_by.extend(&second_facts.read_by);
            passes.second = Some(second_facts)
                .filter(|second_facts| !second_facts.is_empty())
                .or(passes.second);
        }
        for (at, format) in read_by {
            self.run.origin.sources[at].format = format;
        }
        passes
    }

    /// Reads a second session that the harness started on the result of the checkpoint, as a turn of its own; returns the
    /// record of the state that it left, and None where there was none.
    fn read_second_pass(
        &mut self,
        stage: &CheckpointFiles,
        log_facts: Option<logs::LogFacts>,
    ) -> Option<CheckpointRecord> {
        let nothing = CheckpointFiles::default();
        let after = stage.after.as_deref();
        if after.is_none() && log_facts.is_none() {
            return None;
        }
        let place = format!("{}{}/after_skill", self.layout.folder_prefix(), stage.name);
        let mut warn = |what: &str| {
            self.run.warnings.push(Warning { place: place.clone(), what: what.into() });
        };
        if log_facts.is_none() {
            warn("no log of the second pass: its turn has no steps");
        }
        if !after.is_some_and(|after| after.has_snapshot) {
            warn(
                "no snapshot/ of the second pass: what its log does not tell of the files cannot be known",
            );
        }
        let after = after.unwrap_or(&nothing);
        let log_facts = log_facts.unwrap_or_default();
        for inner in log_facts.runs() {
            adopt_log_facts(&mut self.run, inner);
        }
        let mut turn = log_facts.into_turn(self.run.turns.len(), &mut self.run.subagents);
        self.add_request(after, &mut turn);
        if turn.title.is_empty() {
            turn.title = first_line_label(
                self.info.get(SKILL_PROMPT).unwrap_or("second pass (after_skill)"),
            );
        }
        let mut record = CheckpointRecord::default();
        self.add_inference(after, &mut turn, &mut record);
        self.add_measures(after, &mut record);
        self.add_tests(after, &mut record);
        turn.checkpoint = Some(self.run.checkpoints.len());
        self.run.turns.push(turn);
        Some(record)
    }

    /// Adds the request of a checkpoint to its turn. The log's own request wins, since the agent really received it. The
    /// heading of its specification names the turn, since the prompts of one run begin alike.
    fn add_request(&self, stage: &CheckpointFiles, turn: &mut Turn) {
        let Some(at) = stage.prompt else { return };
        let text = self.source_text(at);
        if turn.request.is_none() {
            let len = self.sources[at].bytes.len() as u64;
            turn.request =
                Some(RecordPlace { source: SourceId(at as u32), line: 1, part: 0, start: 0, len });
            turn.title = first_line_label(&text);
        }
        if let Some(heading) = first_heading(&text) {
            turn.title = first_line_label(heading);
        }
    }

    fn checkpoint_state(&self, stage: &CheckpointFiles) -> Option<Box<str>> {
        let row = self.results_row(stage).unwrap_or_default();
        let tape = JsonTape::parse(row);
        let state = JsonObject::from_tape(&tape).and_then(|row| row.text("state").map(Box::from));
        state
            .or_else(|| Some(self.info.get(&format!("summary.checkpoints.{}", stage.name))?.into()))
    }

    /// Returns the line of `checkpoint_results.jsonl` that is about this checkpoint.
    fn results_row(&self, stage: &CheckpointFiles) -> Option<&'a str> {
        let at = self.layout.rows?;
        let bytes = self.sources[at].bytes;
        let problem = self.run.task.as_ref().map(|task| task.id.as_str()).unwrap_or_default();
        for (_, line) in super::jsonl::lines_of_file(SourceId(at as u32), bytes) {
            let Ok(line) = std::str::from_utf8(line) else { continue };
            let tape = JsonTape::parse(line);
            let Some(row) = JsonObject::from_tape(&tape) else { continue };
            let is_ours = row
                .text("problem")
                .is_none_or(|name| name == problem || name == self.layout.problem);
            if is_ours && row.text("checkpoint").as_deref() == Some(&stage.name) {
                return Some(line);
            }
        }
        None
    }

    /// Adds cost, tokens and times as the harness counted them.
    fn add_inference(
        &mut self,
        stage: &CheckpointFiles,
        turn: &mut Turn,
        record: &mut CheckpointRecord,
    ) {
        let Some(at) = stage.inference else { return };
        let text = self.source_text(at);
        let Some(values) = values::values_of_object(self.sources[at].name, &text, self.generation)
        else {
            return self.add_warning(at, "is not a JSON object");
        };
        let tape = JsonTape::parse(&text);
        let object = JsonObject::from_tape(&tape).unwrap_or_default();
        let time = |key| object.text(key).and_then(|time| Time::parse(&time));
        turn.started_at = turn.started_at.or(time("started"));
        turn.ended_at = turn.ended_at.or(time("completed"));
        let number = |name: &str| {
            let found = values.iter().find(|recorded| &*recorded.name == name);
            found.and_then(|recorded| recorded.value.as_number())
        };
        if !turn.tokens.is_recorded() {
            turn.tokens = read_tokens(&number);
        }
        turn.cost_usd = turn.cost_usd.or_else(|| number("usage.cost"));
        if let Some(message) = object.text("error_message").filter(|text| !text.trim().is_empty()) {
            let len = self.sources[at].bytes.len() as u64;
            let place =
                RecordPlace { source: SourceId(at as u32), line: 1, part: 0, start: 0, len };
            turn.steps.push(Step {
                kind: StepKind::Message,
                role: Role::System,
                label: first_line_label(last_line(&message)),
                place,
                is_error: true,
                ..Step::default()
            });
        }
        record.values.extend(values);
    }

    fn add_measures(&mut self, stage: &CheckpointFiles, record: &mut CheckpointRecord) {
        if let (Some(text), Some(at)) = (self.results_row(stage), self.layout.rows) {
            let name = self.sources[at].name;
            record
                .values
                .extend(values::values_of_object(name, text, self.generation).unwrap_or_default());
        }
        if let Some(at) = stage.quality {
            match values::values_of_object(
                self.sources[at].name,
                &self.source_text(at),
                self.generation,
            ) {
                Some(values) => record.values.extend(values),
                None => self.add_warning(at, "is not a JSON object"),
            }
        }
        values::note_unreliable(&mut record.values, self.generation);
        let source = |at: usize| self.sources[at];
        let warnings = &mut self.run.warnings;
        record.measured = checkpoint_record::MeasuredParts {
            files: stage
                .files
                .map(|at| quality::measured_files(source(at), self.generation, warnings)),
            callables: stage.symbols.map(|at| quality::measured_callables(source(at), warnings)),
            hits: stage.hits.map(|at| quality::rule_hits(source(at), warnings)),
        };
    }

    fn add_tests(&mut self, stage: &CheckpointFiles, record: &mut CheckpointRecord) {
        let Some(at) = stage.evaluation else { return };
        match evaluation::read_tests(self.sources[at], self.generation) {
            Ok(mut tests) => {
                if let Some(report) = stage.report {
                    let id = SourceId(report as u32);
                    if let Err(what) = evaluation::add_report(&mut tests, self.sources[report], id)
                    {
                        self.add_warning(report, what);
                    }
                }
                record.tests = Some(tests);
            }
            Err(what) => self.add_warning(at, what),
        }
    }

    fn add_changes(&mut self, stage: &CheckpointFiles, record: &mut CheckpointRecord) {
        let Some(at) = stage.diff else {
            let what = "no diff.json: what the log does not tell of the files cannot be known";
            if !stage.has_snapshot {
                let place = format!("{}{}", self.layout.folder_prefix(), stage.name);
                self.run.warnings.push(Warning { place, what: what.into() });
            }
            return;
        };
        match changes::read_changes(self.sources[at], SourceId(at as u32), &mut self.run.warnings) {
            Ok(changes) => record.changes = Some(changes),
            Err(what) => self.add_warning(at, what),
        }
    }

    fn add_flags(&mut self, stage: &CheckpointFiles) {
        let flags = stage.rubric.map(|at| {
            rubric::read_flags(self.sources[at], SourceId(at as u32), &mut self.run.warnings)
        });
        self.flags.push(flags);
    }

    fn finish_run(&mut self) {
        let ids: Vec<&str> = self.layout.stages.iter().map(|stage| stage.name.as_str()).collect();
        rubric::resolve_carried_flags(&ids, &mut self.flags);
        for (checkpoint, flags) in self.run.checkpoints.iter_mut().zip(self.flags.drain(..)) {
            if let Some(record) = &mut checkpoint.recorded {
                record.flags = flags;
            }
        }
        self.warn_of_missing();
        self.read_trial();
        let run = &mut self.run;
        run.started_at =
            run.started_at.or_else(|| run.turns.iter().find_map(|turn| turn.started_at));
        run.ended_at =
            run.ended_at.or_else(|| run.turns.iter().rev().find_map(|turn| turn.ended_at));
    }

    /// Warns of checkpoints that are missing.
    fn warn_of_missing(&mut self) {
        let mut listed: Vec<String> =
            self.problem.keys_below("checkpoints").into_iter().map(str::to_owned).collect();
        let last = self.layout.stages.iter().map(|stage| stage.number).max().unwrap_or(0);
        // Numbers are a recording's words: no list as long as one says.
        let gaps = (1..last.min(1_000)).map(|number| format!("checkpoint_{number}"));
        listed.extend(gaps);
        listed.sort_by_key(|name| checkpoint_number(name));
        listed.dedup();
        let is_there = |name: &String| self.layout.stages.iter().any(|stage| stage.name == *name);
        let missing: Vec<String> = listed.into_iter().filter(|name| !is_there(name)).collect();
        if !missing.is_empty() {
            let place = self.layout.folder_prefix().trim_end_matches('/').to_owned();
            let what = format!("not recorded: {}", missing.join(", "));
            self.run.warnings.push(Warning { place, what });
        }
    }
}

/// Takes from the log the facts that the files of the harness leave out, and the agent's name.
fn adopt_log_facts(run: &mut Run, inner: &Run) {
    run.model = run.model.take().or_else(|| inner.model.clone());
    run.origin.root = run.origin.root.take().or_else(|| inner.origin.root.clone());
    run.agent.version = run.agent.version.take().or_else(|| inner.agent.version.clone());
    if !inner.agent.name.is_empty() {
        run.agent.name.clone_from(&inner.agent.name);
    }
}

/// Reads the tokens as the harness counted them: its `input` leaves out tokens that came from the cache.
fn read_tokens(number: &dyn Fn(&str) -> Option<f64>) -> Tokens {
    let count =
        |kind: &str| number(&format!("usage.net_tokens.{kind}")).map(|number| number as u64);
    let (read, write) = (count("cache_read"), count("cache_write"));
    let input = count("input")
        .map(|input| input.saturating_add(read.unwrap_or(0)).saturating_add(write.unwrap_or(0)));
    Tokens {
        input,
        cached_input: read,
        output: count("output"),
        reasoning: count("reasoning"),
        cache_write: write,
        cache_write_1h: None,
    }
}

/// Returns the words of the first heading of a Markdown text, code aside: `## Errors ##` is `Errors`.
fn first_heading(text: &str) -> Option<&str> {
    let mut fence = None;
    for line in text.lines() {
        let line = line.trim_end();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let begun = line.trim_start_matches(' ');
        let mark = ["```", "~~~"].into_iter().find(|mark| begun.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let words = begun.trim_start_matches('#');
        let level = begun.len() - words.len();
        let is_heading = (1..=6).contains(&level) && words.starts_with([' ', '\t']) && indent < 4;
        let words = words.trim_end_matches('#').trim();
        if fence.is_none() && is_heading && !words.is_empty() {
            return Some(words);
        }
    }
    None
}

/// Returns the last line that is not blank: a traceback names the error there.
fn last_line(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_heading_is_none_of_the_code_and_loses_its_marks() {
        let text = "Implement it.\n\n```sh\n# not this\n```\n#tag\n    # nor this\n## Part 2: errors ##\n# Later";
        assert_eq!(first_heading(text), Some("Part 2: errors"));
        assert_eq!(first_heading("Add `--top N`.\n#\n"), None);
    }
}
