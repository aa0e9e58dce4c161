//! What can lie over the panels: the keys, the facts about the run or the row of the table, its warnings.

pub use crate::shell::message::overlay::{Find, Kind, Message};
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::{
    session::{context::Context, runs::agent},
    views::{
        compare::{self, Comparison},
        live::{self, Live},
        replay,
        table::{Collection, facts},
    },
    widgets::{facts::Row, layout::Layout, scroll::Motion},
};
use trajview_run::{
    Run, figures,
    pictures::raster::Decoded,
    recorded::{Passed, TestGroup},
};

use super::{help, keys::Keys, open_run::OpenRun};

#[derive(Debug, Clone, PartialEq)]
pub struct Overlay {
    pub kind: Kind,
    /// First row shown.
    pub top: usize,
    pub search: Search,
    /// What a box of images shows; in it [`Self::top`] is the index of the one that is seen.
    pub images: Arc<Vec<Decoded>>,
    /// Where the keyboard was when the box was opened.
    place: Context,
}

/// What the rows shown are to hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// Empty shows every row.
    pub text: String,
    pub is_typing: bool,
}

/// What a box tells of.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Nothing,
    Run(&'a OpenRun),
    /// The run at the cursor of the table.
    Table(&'a Collection),
    Comparison(&'a Comparison),
    Live(&'a Live),
}

impl Overlay {
    pub fn of(kind: Kind, place: Context) -> Self {
        Self { kind, top: 0, search: Search::default(), images: Arc::default(), place }
    }

    /// A box with images, of which one is seen first.
    pub fn showing(images: Arc<Vec<Decoded>>, first: usize, place: Context) -> Self {
        let top = first.min(images.len().saturating_sub(1));
        Self { top, images, ..Self::of(Kind::Images, place) }
    }

    pub const fn context(&self) -> Context {
        match self.kind {
            Kind::Images => Context::Images,
            _ if self.search.is_typing => Context::OverlayFind,
            _ => Context::Overlay,
        }
    }

    /// Changes what is looked for, and goes to the first row that has it.
    pub fn find(&mut self, find: &Find) {
        let text = &mut self.search.text;
        match find {
            Find::Begin | Find::Accept => {}
            Find::Type(words) => text.push_str(words),
            Find::Erase => {
                text.pop();
            }
            Find::EraseAll | Find::Cancel => text.clear(),
        }
        self.search.is_typing = !matches!(find, Find::Accept | Find::Cancel);
        self.top = 0;
    }

    /// Moves the window; it ends with the last row.
    pub fn go(&mut self, motion: Motion, rows: usize, height: usize) {
        self.top = motion.from(self.top, rows, height).min(rows.saturating_sub(height));
    }

    /// Cells of the left column.
    pub const fn left_width(&self) -> usize {
        match self.kind {
            Kind::Help => 13,
            Kind::Info => 18,
            Kind::Warnings => 26,
            Kind::Why => 26,
            Kind::Images => 0,
        }
    }

    pub const fn title(&self) -> &'static str {
        match self.kind {
            Kind::Help => "keys",
            Kind::Info => "this run",
            Kind::Warnings => "warnings",
            Kind::Why => "why this line is marked",
            Kind::Images => "image",
        }
    }

    /// Where it stands: as high as all its rows need, so that it stays in place while words are typed.
    pub fn area(&self, subject: Subject<'_>, keys: &Keys, layout: &Layout) -> Rect {
        let columns = self.columns(layout);
        let rows = self.wrapped(self.all(subject, keys), layout).len();
        let one = layout.box_of(rows.div_ceil(columns));
        let width = (one.width * columns as u16).min(layout.whole.width);
        let x = layout.whole.x + (layout.whole.width - width) / 2;
        if columns == 1 { one } else { Rect { x, width, ..one } }
    }

    /// The keys are many: they stand in as many columns as a screen has room for.
    pub fn columns(&self, layout: &Layout) -> usize {
        let one = layout.overlay().width.max(1);
        match self.kind {
            Kind::Help => usize::from(layout.whole.width / one).max(1),
            Kind::Info | Kind::Warnings | Kind::Why | Kind::Images => 1,
        }
    }

    /// What it says, without what is not looked for, cut to the width it has.
    pub fn rows(&self, subject: Subject<'_>, keys: &Keys, layout: &Layout) -> Vec<Row> {
        self.wrapped(self.search.of(self.all(subject, keys)), layout)
    }

    fn wrapped(&self, rows: Vec<Row>, layout: &Layout) -> Vec<Row> {
        let width = usize::from(layout.overlay().width).saturating_sub(self.left_width() + 4);
        rows.into_iter().flat_map(|row| row.wrapped(self.left_width(), width)).collect()
    }

    fn all(&self, subject: Subject<'_>, keys: &Keys) -> Vec<Row> {
        match (self.kind, subject) {
            (Kind::Help, _) => help::rows(self.place, keys),
            (Kind::Info, Subject::Run(open)) => info(open),
            (Kind::Warnings, Subject::Run(open)) => warnings(open),
            (Kind::Why, Subject::Run(open)) => why(open),
            (Kind::Info, Subject::Table(table)) => facts::of(table),
            (Kind::Warnings, Subject::Table(table)) => facts::warnings(table),
            (Kind::Info, Subject::Comparison(compared)) => compare::facts::of(compared),
            (Kind::Warnings, Subject::Comparison(compared)) => compare::facts::warnings(compared),
            (Kind::Info, Subject::Live(run)) => live::facts::of(run),
            (Kind::Warnings, Subject::Live(run)) => live::facts::warnings(run),
            (Kind::Why, Subject::Table(_) | Subject::Comparison(_) | Subject::Live(_))
            | (Kind::Images, _)
            | (_, Subject::Nothing) => {
                vec![]
            }
        }
    }
}

impl Search {
    /// The rows that hold what is looked for, each part that has some below its heading.
    fn of(&self, rows: Vec<Row>) -> Vec<Row> {
        let words = self.text.trim();
        if words.is_empty() {
            return rows;
        }
        let (mut found, mut heading): (Vec<Row>, Option<Row>) = (vec![], None);
        let mut part = String::new();
        for row in rows {
            if row.is_heading {
                part.clone_from(&row.left);
                heading = Some(row);
            } else if row.holds(words, &part) {
                if let Some(heading) = heading.take() {
                    found.extend((!found.is_empty()).then(|| Row::of("", "")));
                    found.push(heading);
                }
                found.push(row);
            }
        }
        found
    }
}

fn info(open: &OpenRun) -> Vec<Row> {
    let run = &open.session.run;
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
    say("recorded", run.origin.provenance.clone());
    say("state", run.origin.record.state.clone());
    for told in run.state_sentences() {
        say("", Some(told));
    }
    for title in &run.origin.record.skipped {
        say("", Some(format!("a request was skipped: {title}")));
    }
    for remark in &run.origin.record.remarks {
        say("remark", Some(remark.clone()));
    }
    say("format", Some(run.origin.format.to_owned()));
    say("id", Some(run.id.clone()));
    say("written by", run.origin.harness.clone());
    say("worked in", run.origin.root.clone());
    say("started", run.started_at.map(|time| time.to_string()));
    say("ended", run.ended_at.map(|time| time.to_string()));
    say("holds", Some(counts(open)));
    say("tokens", tokens(run));
    say("recorded tests", recorded_tests(run));
    say("files known from", files_from(open));
    let sources: Vec<_> = run.origin.sources.iter().map(|source| source.name.as_str()).collect();
    say("read from", Some(sources.join(", ")));
    say(
        "warnings",
        Some(match open.session.warnings().count() {
            0 => "none: everything in the recording was understood".to_owned(),
            count => format!("{count}, listed with e"),
        }),
    );
    rows
}

fn files_from(open: &OpenRun) -> Option<String> {
    use crate::session::ask::Loading;
    match &open.session.timeline {
        Loading::Ready(timeline) => Some(timeline.from.words().to_owned()),
        Loading::Failed(why) => Some(format!("nothing: {why}")),
        Loading::Nothing | Loading::Waiting(_) => None,
    }
}

fn counts(open: &OpenRun) -> String {
    let run = &open.session.run;
    let steps: usize = run.counted_moments().map(|done| run.steps_of_turn(done - 1).len()).sum();
    let errors: usize = open.session.digests.iter().map(|digest| digest.errors).sum();
    let parts = [
        (run.counted_turns().count(), "turn"),
        (steps, "step"),
        (run.checkpoints.len(), "checkpoint"),
        (run.subagents.len(), "sub-agent"),
        (errors, "error"),
    ];
    parts.map(|(count, thing)| figures::counted(count, thing)).join(" · ")
}

fn tokens(run: &Run) -> Option<String> {
    let tokens = run.tokens();
    let parts = [
        (tokens.input, "read"),
        (tokens.cached_input, "of them cached"),
        (tokens.output, "written"),
        (tokens.reasoning, "of them reasoning"),
    ];
    let said = parts
        .into_iter()
        .filter_map(|(count, words)| Some(format!("{} {words}", figures::count(count?))));
    Some(said.collect::<Vec<_>>().join(", ")).filter(|_| tokens.is_recorded())
}

fn why(open: &OpenRun) -> Vec<Row> {
    let marks = replay::marks::why_marked(&open.replay, &open.session);
    let said = |(mark, words): (String, String)| Row::of(mark, words);
    match (marks.is_empty(), open.replay.diff.line_number(), open.replay.diff.has_marks) {
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

fn warnings(open: &OpenRun) -> Vec<Row> {
    let mut rows: Vec<Row> =
        open.session.warnings().map(|warning| Row::of(&warning.place, &warning.what)).collect();
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
