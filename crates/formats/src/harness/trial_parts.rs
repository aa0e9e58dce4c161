//! A run made of the files of a trial: logs that are read by their own formats, and texts as they are (output of the agent
//! and of the verifier, exceptions, panes).

use trajview_run::{
    RecordPlace, Role, Run, SourceId, SourceRecord, Step, StepKind, StepText, Turn, Warning,
    first_line_label,
};

use crate::{
    PieceExecutor, SourceBytes,
    format::file_name,
    format_for_head,
    nested_logs::{head_of, move_places},
};

/// The most bytes of the end of a text that are shown.
const TAIL_BYTES: usize = 64 << 10;

/// The parts of a trial that were read so far.
pub(super) struct TrialParts<'a> {
    sources: &'a [SourceBytes<'a>],
    executor: &'a dyn PieceExecutor,
    /// Who reads each source.
    read_by: Vec<&'static str>,
    pub run: Run,
}

impl<'a> TrialParts<'a> {
    pub fn new(
        format: &'static str,
        sources: &'a [SourceBytes<'a>],
        executor: &'a dyn PieceExecutor,
    ) -> Self {
        let mut run = Run::default();
        run.origin.format = format;
        Self { sources, executor, read_by: vec![format; sources.len()], run }
    }

    /// Returns the positions of the sources below a folder (`agent/`).
    pub fn sources_below(&self, folder: &str) -> Vec<usize> {
        let is_below = |at: &usize| self.sources[*at].name.starts_with(folder);
        (1..self.sources.len()).filter(is_below).collect()
    }

    /// Adds the turns of the log among these sources, if one is a log by its content: `trajectory.json`, else the
    /// largest. Returns whether there was one; adds a warning for one that cannot be read.
    pub fn add_log(&mut self, among: &[usize]) -> bool {
        let log_format = |at: usize| {
            let format = format_for_head(&head_of(self.sources[at]))?;
            format.capabilities().is_log().then_some((at, format))
        };
        let mut logs: Vec<_> = among.iter().filter_map(|at| log_format(*at)).collect();
        logs.sort_by_key(|(at, _)| {
            let source = &self.sources[*at];
            let is_trajectory = file_name(source.name) == "trajectory.json";
            (!is_trajectory, std::cmp::Reverse(source.bytes.len()))
        });
        for (at, format) in logs {
            match format.index_run_with(&[self.sources[at]], self.executor) {
                Ok(mut log) => {
                    move_places(&mut log, &[SourceId(at as u32)]);
                    self.read_by[at] = format.name();
                    self.append_run(log);
                    return true;
                }
                Err(why) => {
                    let place = self.sources[at].name.to_owned();
                    self.run.warnings.push(Warning { place, what: why.to_string() });
                }
            }
        }
        false
    }

    fn append_run(&mut self, log: Run) {
        let (first_turn, first_agent) = (self.run.turns.len(), self.run.subagents.len());
        let move_steps = |steps: &mut [Step]| {
            for step in steps {
                step.subagent = step.subagent.map(|agent| agent + first_agent);
            }
        };
        for mut turn in log.turns {
            turn.checkpoint = None;
            move_steps(&mut turn.steps);
            self.run.turns.push(turn);
        }
        for mut agent in log.subagents {
            move_steps(&mut agent.steps);
            if let Some(parent) = &mut agent.parent {
                parent.turn += first_turn;
                parent.subagent = parent.subagent.map(|outer| outer + first_agent);
            }
            self.run.subagents.push(agent);
        }
        let run = &mut self.run;
        run.warnings.extend(log.warnings);
        run.started_at = run.started_at.or(log.started_at);
        run.ended_at = log.ended_at.or(run.ended_at);
        run.model = run.model.take().or(log.model);
        if run.agent.name.is_empty() {
            run.agent = log.agent;
        }
        run.origin.root = run.origin.root.take().or(log.origin.root);
    }

    /// Adds a turn with the texts among these sources, the end of each; none where there is no text.
    pub fn add_texts(&mut self, title: &str, among: &[usize]) {
        let steps = self.text_steps(among);
        if !steps.is_empty() {
            let title = first_line_label(title);
            self.run.turns.push(Turn { title, steps, ..Turn::default() });
        }
    }

    /// Works as [`TrialParts::add_texts`], in the last turn where there is one.
    pub fn add_texts_to_last(&mut self, title: &str, among: &[usize]) {
        let steps = self.text_steps(among);
        match self.run.turns.last_mut() {
            Some(turn) => turn.steps.extend(steps),
            None => self.add_texts(title, among),
        }
    }

    fn text_steps(&self, among: &[usize]) -> Vec<Step> {
        let text = |at: &usize| text_step(&self.sources[*at], SourceId(*at as u32));
        among.iter().filter_map(text).collect()
    }

    /// Returns the run; its sources name who reads them.
    pub fn finish(mut self) -> Run {
        let named = self.sources.iter().zip(&self.read_by);
        let source = |(source, format): (&SourceBytes<'_>, &&'static str)| SourceRecord {
            name: source.name.to_owned(),
            format,
        };
        self.run.origin.sources = named.map(source).collect();
        self.run
    }
}

/// Returns a message with the end of a text; None where the text is blank, and for what is no text.
fn text_step(source: &SourceBytes<'_>, id: SourceId) -> Option<Step> {
    let bytes = source.bytes;
    let mut start = bytes.len().saturating_sub(TAIL_BYTES);
    if start > 0 {
        start += memchr::memchr(b'\n', &bytes[start..]).map_or(0, |end| end + 1);
    }
    let end = &bytes[start..];
    if end.trim_ascii().is_empty() || memchr::memchr(0, end).is_some() {
        return None;
    }
    let line = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count() as u32;
    let place =
        RecordPlace { source: id, line, part: 0, start: start as u64, len: end.len() as u64 };
    let text = String::from_utf8_lossy(end);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    Some(Step {
        kind: StepKind::Message,
        role: Role::System,
        label: first_line_label(&format!("{}: {last}", source.name)),
        place,
        is_error: file_name(source.name) == "exception.txt",
        ..Step::default()
    })
}

/// Returns a record as the text of a step; bytes that are no UTF-8 are replaced.
pub(super) fn read_text(record: &[u8]) -> StepText {
    StepText { text: String::from_utf8_lossy(record).into_owned(), ..StepText::default() }
}
