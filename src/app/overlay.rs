//! What can lie over the panels: the keys, the facts about the run or the row of the table, its warnings.

use crate::run::{
    Run,
    recorded::{Passed, TestGroup},
};

use super::{
    collection::{Collection, facts},
    compare::{self, Comparison},
    keymap,
    layout::Layout,
    live::{self, Live},
    replay::Replay,
    scroll::Motion,
    shell::keys::Keys,
    wrap::wrap,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Help,
    Info,
    Warnings,
    /// The marks of the line at the cursor of the diff.
    Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlay {
    pub kind: Kind,
    /// First row shown.
    pub top: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Open(Kind),
    Close,
    Move(Motion),
}

/// A row in two columns; one of them may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub left: String,
    pub right: String,
    pub is_heading: bool,
}

/// What a box tells of.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Nothing,
    Run(&'a Replay),
    /// The run at the cursor of the table.
    Table(&'a Collection),
    Comparison(&'a Comparison),
    Live(&'a Live),
}

impl Overlay {
    pub const fn of(kind: Kind) -> Self {
        Self { kind, top: 0 }
    }

    /// Moves the window; it ends with the last row.
    pub fn go(&mut self, motion: Motion, rows: usize, height: usize) {
        self.top = motion.from(self.top, rows, height).min(rows.saturating_sub(height));
    }

    /// Cells of the left column.
    pub const fn left_width(self) -> usize {
        match self.kind {
            Kind::Help => 13,
            Kind::Info => 18,
            Kind::Warnings => 26,
            Kind::Why => 26,
        }
    }

    pub const fn title(self) -> &'static str {
        match self.kind {
            Kind::Help => "keys",
            Kind::Info => "this run",
            Kind::Warnings => "warnings",
            Kind::Why => "why this line is marked",
        }
    }

    /// Everything it says, cut to the width it has.
    pub fn rows(self, subject: Subject<'_>, keys: &Keys, layout: &Layout) -> Vec<Row> {
        let width = usize::from(layout.overlay().width).saturating_sub(self.left_width() + 4);
        let rows = match (self.kind, subject) {
            (Kind::Help, _) => help(keys),
            (Kind::Info, Subject::Run(replay)) => info(replay),
            (Kind::Warnings, Subject::Run(replay)) => warnings(replay),
            (Kind::Why, Subject::Run(replay)) => why(replay),
            (Kind::Info, Subject::Table(table)) => facts::of(table),
            (Kind::Warnings, Subject::Table(table)) => facts::warnings(table),
            (Kind::Info, Subject::Comparison(compared)) => compare::facts::of(compared),
            (Kind::Warnings, Subject::Comparison(compared)) => compare::facts::warnings(compared),
            (Kind::Info, Subject::Live(run)) => live::facts::of(run),
            (Kind::Warnings, Subject::Live(run)) => live::facts::warnings(run),
            (Kind::Why, Subject::Table(_) | Subject::Comparison(_) | Subject::Live(_))
            | (_, Subject::Nothing) => {
                vec![]
            }
        };
        rows.into_iter().flat_map(|row| row.wrapped(self.left_width(), width)).collect()
    }
}

impl Row {
    pub fn heading(left: &str) -> Self {
        Self { left: left.into(), right: String::new(), is_heading: true }
    }

    pub fn of(left: impl Into<String>, right: impl Into<String>) -> Self {
        Self { left: left.into(), right: right.into(), is_heading: false }
    }

    /// Several rows where the right column is too long for one. A left column that does not fit has its own row.
    fn wrapped(self, left_width: usize, width: usize) -> Vec<Self> {
        let is_long = self.left.chars().count() >= left_width && !self.right.is_empty();
        let (alone, mut left) =
            if is_long { (Some(self.left), String::new()) } else { (None, self.left) };
        let alone = alone.map(|left| Self::of(left, ""));
        let parts = wrap(&self.right, width);
        let rows = parts.into_iter().map(|range| Self {
            left: std::mem::take(&mut left),
            right: self.right[range].trim_end().to_owned(),
            is_heading: self.is_heading,
        });
        alone.into_iter().chain(rows.collect::<Vec<_>>()).collect()
    }
}

fn help(keys: &Keys) -> Vec<Row> {
    let mut rows = vec![];
    for context in keymap::Context::ALL {
        if !rows.is_empty() {
            rows.push(Row::of("", ""));
        }
        rows.push(Row::heading(context.title()));
        let bindings = keymap::bindings().filter(|binding| binding.context == context);
        rows.extend(bindings.map(|binding| Row::of(keys.shown(binding), binding.help)));
    }
    rows.push(Row::of("", ""));
    rows.push(Row::heading("signs"));
    rows.extend(SIGNS.iter().map(|(sign, meaning)| Row::of(*sign, *meaning)));
    rows
}

/// What the marks in the lists mean.
const SIGNS: &[(&str, &str)] = &[
    ("A M D R", "the file was created, changed, deleted, renamed"),
    (
        "+34 −8",
        "lines added and removed: by a turn, between before and after it; by a step, as its edit is recorded",
    ),
    ("✗2", "two things went wrong: an error, a failed tool, an exit code other than 0"),
    ("⟲", "the agent's context was summarised and cut"),
    ("⑂2", "two sub-agents were started"),
    ("◇", "changed outside recorded edits: by a shell command, a person, a hook"),
    ("◈", "partly changed outside recorded edits"),
    ("⋯ 23 lines", "so many unchanged lines are folded"),
    (
        "▲ CC 14",
        "beside a line: a callable begins here that has 14 paths; or, at the top of a hunk, goes on here",
    ),
    ("§ ≡", "beside a line: a match of a rule, a clone; W says why"),
    ("26.3", "beside a line of a file: turn 26, step 3 wrote it; · it was there before the run"),
];

fn info(replay: &Replay) -> Vec<Row> {
    let run = &replay.run;
    let mut rows = vec![];
    let mut say = |left: &str, right: Option<String>| {
        rows.extend(right.filter(|words| !words.is_empty()).map(|words| Row::of(left, words)));
    };
    say("title", Some(run.title.clone()));
    say(
        "task",
        run.task.as_ref().map(|task| {
            let parts = [Some(task.id.clone()), task.title.clone(), task.venue.clone()];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        }),
    );
    say("condition", run.condition.clone());
    say("agent", Some(agent(run)));
    say("model", run.model.clone());
    say("recorded", run.provenance.clone());
    say("state", run.record.state.clone());
    for told in run.state_sentences() {
        say("", Some(told));
    }
    for title in &run.record.skipped {
        say("", Some(format!("a request was skipped: {title}")));
    }
    for remark in &run.record.remarks {
        say("remark", Some(remark.clone()));
    }
    say("format", Some(run.format.to_owned()));
    say("id", Some(run.id.clone()));
    say("written by", run.harness.clone());
    say("worked in", run.root.clone());
    say("started", run.started_at.map(|time| time.to_string()));
    say("ended", run.ended_at.map(|time| time.to_string()));
    say("holds", Some(counts(replay)));
    say("tokens", tokens(run));
    say("recorded tests", recorded_tests(run));
    say("files known from", files_from(replay));
    let sources: Vec<_> = run.sources.iter().map(|source| source.name.as_str()).collect();
    say("read from", Some(sources.join(", ")));
    say(
        "warnings",
        Some(match replay.warnings().count() {
            0 => "none: everything in the recording was understood".to_owned(),
            count => format!("{count}, listed with e"),
        }),
    );
    rows
}

fn files_from(replay: &Replay) -> Option<String> {
    use super::ask::Loading;
    match &replay.timeline {
        Loading::Ready(timeline) => Some(timeline.from.words().to_owned()),
        Loading::Failed(why) => Some(format!("nothing: {why}")),
        Loading::Nothing | Loading::Waiting(_) => None,
    }
}

/// `codex 0.42.0`; the name alone where no version is recorded.
pub fn agent(run: &Run) -> String {
    match &run.agent.version {
        Some(version) => format!("{} {version}", run.agent.name),
        None => run.agent.name.clone(),
    }
}

fn counts(replay: &Replay) -> String {
    let run = &replay.run;
    let steps: usize = run.counted_moments().map(|done| run.steps_of_turn(done - 1).len()).sum();
    let errors: usize = replay.digests.iter().map(|digest| digest.errors).sum();
    let parts = [
        (run.counted_turns().count(), "turn"),
        (steps, "step"),
        (run.checkpoints.len(), "checkpoint"),
        (run.subagents.len(), "sub-agent"),
        (errors, "error"),
    ];
    parts.map(|(count, thing)| counted(count, thing)).join(" · ")
}

/// `1 turn`, `2 turns`.
fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

fn tokens(run: &Run) -> Option<String> {
    let tokens = run.tokens();
    let parts = [
        (tokens.input, "read"),
        (tokens.cached_input, "of them cached"),
        (tokens.output, "written"),
        (tokens.reasoning, "of them reasoning"),
    ];
    let said =
        parts.into_iter().filter_map(|(count, words)| Some(format!("{} {words}", grouped(count?))));
    Some(said.collect::<Vec<_>>().join(", ")).filter(|_| tokens.is_recorded())
}

/// `4,425,266`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let is_start = |at: usize| at > 0 && at % 3 == first;
    let pieces = digits.chars().enumerate();
    pieces.flat_map(|(at, digit)| is_start(at).then_some(',').into_iter().chain([digit])).collect()
}

fn why(replay: &Replay) -> Vec<Row> {
    let marks = replay.why();
    let said = |(mark, words): (String, String)| Row::of(mark, words);
    match (marks.is_empty(), replay.diff.line_number(), replay.curves.has_marks) {
        (false, ..) => marks.into_iter().map(said).collect(),
        (true, _, false) => vec![Row::of("", "marks are hidden; X shows them")],
        (true, None, _) => {
            vec![Row::of("", "the cursor of the diff is not at a line of the new text")]
        }
        (true, Some(line), _) => {
            let words = format!(
                "line {line} has no mark: it is in no callable with a complexity above 10, in no match of a rule and \
                 in no clone"
            );
            vec![Row::of("", words)]
        }
    }
}

fn warnings(replay: &Replay) -> Vec<Row> {
    let mut rows: Vec<Row> =
        replay.warnings().map(|warning| Row::of(&warning.place, &warning.what)).collect();
    if rows.is_empty() {
        rows.push(Row::heading("none: everything in the recording was understood"));
    }
    rows
}

/// What a harness' tests said, a checkpoint after the other.
fn recorded_tests(run: &Run) -> Option<String> {
    let share = |passed: Passed| format!("{}/{}", passed.passed, passed.total);
    let said = run.checkpoints.iter().filter_map(|checkpoint| {
        let tests = checkpoint.recorded.as_ref()?.tests.as_ref()?;
        if tests.infrastructure_failure {
            return Some(format!("{}: could not be run", checkpoint.id));
        }
        let core = tests.group(TestGroup::Core).map(|core| format!("core {}, ", share(core)));
        let (core, strict, iso) = (core.unwrap_or_default(), share(tests.strict), share(tests.iso));
        Some(format!("{}: {core}strict {strict}, iso {iso}", checkpoint.id))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}
