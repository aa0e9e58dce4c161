//! Boxes over the panels: the keys, the facts about the run or the row of the table, its warnings.

pub use crate::shell::message::overlay::{OverlayKind, OverlayMessage, OverlaySearchMessage};
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::{
    session::{context::KeyContext, table_protocol::agent_text},
    views::{
        compare::{self, ComparisonView},
        live::{self, LiveView},
        replay,
        table::{RunTableView, run_facts},
    },
    widgets::{fact_rows::FactRow, layout::ScreenLayout, scroll::Motion},
};
use trajview_run::{
    Run,
    checkpoint_record::{PassCount, TestGroup},
    format_number,
    pictures::raster::DecodedImage,
};

use super::{help, keys::UserKeys, open_run::OpenRun};

#[derive(Debug, Clone, PartialEq)]
pub struct Overlay {
    pub kind: OverlayKind,
    /// The first visible row.
    pub top: usize,
    pub search: OverlaySearch,
    /// The images of a box of images; in it [`Self::top`] is the index of the visible one.
    pub images: Arc<Vec<DecodedImage>>,
    /// The context of keys when the box was opened.
    place: KeyContext,
    /// The rows of a box that are fixed when it is opened.
    fixed_rows: Vec<FactRow>,
}

/// The text that the visible rows must have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OverlaySearch {
    /// Empty shows every row.
    pub text: String,
    pub is_typing: bool,
}

/// The subject of a box.
#[derive(Debug, Clone, Copy)]
pub enum OverlaySubject<'a> {
    Nothing,
    Run(&'a OpenRun),
    /// The run at the cursor of the table.
    Table(&'a RunTableView),
    Comparison(&'a ComparisonView),
    Live(&'a LiveView),
}

impl Overlay {
    pub fn new(kind: OverlayKind, place: KeyContext) -> Self {
        Self {
            kind,
            top: 0,
            search: OverlaySearch::default(),
            images: Arc::default(),
            place,
            fixed_rows: vec![],
        }
    }

    /// Opens a box with these rows.
    pub(crate) fn with_rows(
        kind: OverlayKind,
        fixed_rows: Vec<FactRow>,
        place: KeyContext,
    ) -> Self {
        Self { fixed_rows, ..Self::new(kind, place) }
    }

    /// Opens a box with images, and shows the one at index `first`.
    pub(crate) fn with_images(
        images: Arc<Vec<DecodedImage>>,
        first: usize,
        place: KeyContext,
    ) -> Self {
        let top = first.min(images.len().saturating_sub(1));
        Self { top, images, ..Self::new(OverlayKind::Images, place) }
    }

    pub(crate) const fn key_context(&self) -> KeyContext {
        match self.kind {
            OverlayKind::Images => KeyContext::Images,
            _ if self.search.is_typing => KeyContext::OverlayFind,
            _ => KeyContext::Overlay,
        }
    }

    /// Changes the searched text, and goes to the first row that has it.
    pub(crate) fn update_search(&mut self, find: &OverlaySearchMessage) {
        let text = &mut self.search.text;
        match find {
            OverlaySearchMessage::Begin | OverlaySearchMessage::Accept => {}
            OverlaySearchMessage::Type(words) => text.push_str(words),
            OverlaySearchMessage::Erase => {
                text.pop();
            }
            OverlaySearchMessage::EraseAll | OverlaySearchMessage::Cancel => text.clear(),
        }
        self.search.is_typing =
            !matches!(find, OverlaySearchMessage::Accept | OverlaySearchMessage::Cancel);
        self.top = 0;
    }

    /// Moves the window; it ends with the last row.
    pub(crate) fn move_window(&mut self, motion: Motion, rows: usize, height: usize) {
        self.top = motion.target_row(self.top, rows, height).min(rows.saturating_sub(height));
    }

    /// Returns the width of the left column (cells).
    pub(crate) const fn left_width(&self) -> usize {
        match self.kind {
            OverlayKind::Help => 13,
            OverlayKind::Info => 18,
            OverlayKind::Warnings => 26,
            OverlayKind::Why => 26,
            OverlayKind::Word => 18,
            OverlayKind::Images => 0,
        }
    }

    pub(crate) const fn box_title(&self) -> &'static str {
        match self.kind {
            OverlayKind::Help => "keys",
            OverlayKind::Info => "this run",
            OverlayKind::Warnings => "warnings",
            OverlayKind::Why => "why this line is marked",
            OverlayKind::Images => "image",
            OverlayKind::Word => "help",
        }
    }

    /// Returns the area of the box: high enough for all its rows, so that it stays in place while text is typed.
    pub(crate) fn box_area(
        &self,
        subject: OverlaySubject<'_>,
        keys: &UserKeys,
        layout: &ScreenLayout,
    ) -> Rect {
        let columns = self.column_count(layout);
        let rows = self.wrap_rows(self.all_rows(subject, keys), layout).len();
        let one = layout.box_area(rows.div_ceil(columns));
        let width = (one.width * columns as u16).min(layout.whole.width);
        let x = layout.whole.x + (layout.whole.width - width) / 2;
        if columns == 1 { one } else { Rect { x, width, ..one } }
    }

    /// Returns the number of columns: the keys are many and use as many columns as the screen has room for.
    pub fn column_count(&self, layout: &ScreenLayout) -> usize {
        let one = layout.overlay_area().width.max(1);
        match self.kind {
            OverlayKind::Help => usize::from(layout.whole.width / one).max(1),
            OverlayKind::Info
            | OverlayKind::Warnings
            | OverlayKind::Why
            | OverlayKind::Images
            | OverlayKind::Word => 1,
        }
    }

    /// Returns the rows that match the search, wrapped to the width.
    pub(crate) fn visible_rows(
        &self,
        subject: OverlaySubject<'_>,
        keys: &UserKeys,
        layout: &ScreenLayout,
    ) -> Vec<FactRow> {
        self.wrap_rows(self.search.matching_rows(self.all_rows(subject, keys)), layout)
    }

    fn wrap_rows(&self, rows: Vec<FactRow>, layout: &ScreenLayout) -> Vec<FactRow> {
        let width = usize::from(layout.overlay_area().width).saturating_sub(self.left_width() + 4);
        rows.into_iter().flat_map(|row| row.wrap_to_rows(self.left_width(), width)).collect()
    }

    fn all_rows(&self, subject: OverlaySubject<'_>, keys: &UserKeys) -> Vec<FactRow> {
        match (self.kind, subject) {
            (OverlayKind::Word, _) => self.fixed_rows.clone(),
            (OverlayKind::Help, _) => help::help_rows(self.place, keys),
            (OverlayKind::Info, OverlaySubject::Run(open)) => run_facts(open),
            (OverlayKind::Warnings, OverlaySubject::Run(open)) => warning_rows(open),
            (OverlayKind::Why, OverlaySubject::Run(open)) => mark_reasons(open),
            (OverlayKind::Info, OverlaySubject::Table(table)) => run_facts::run_facts(table),
            (OverlayKind::Warnings, OverlaySubject::Table(table)) => run_facts::run_warnings(table),
            (OverlayKind::Info, OverlaySubject::Comparison(compared)) => {
                compare::run_facts::comparison_facts(compared)
            }
            (OverlayKind::Warnings, OverlaySubject::Comparison(compared)) => {
                compare::run_facts::warning_rows(compared)
            }
            (OverlayKind::Info, OverlaySubject::Live(run)) => live::live_facts::run_facts(run),
            (OverlayKind::Warnings, OverlaySubject::Live(run)) => {
                live::live_facts::warning_rows(run)
            }
            (
                OverlayKind::Why,
                OverlaySubject::Table(_) | OverlaySubject::Comparison(_) | OverlaySubject::Live(_),
            )
            | (OverlayKind::Images, _)
            | (_, OverlaySubject::Nothing) => {
                vec![]
            }
        }
    }
}

impl OverlaySearch {
    /// Returns the rows that have the searched text, each group below its heading.
    fn matching_rows(&self, rows: Vec<FactRow>) -> Vec<FactRow> {
        let words = self.text.trim();
        if words.is_empty() {
            return rows;
        }
        let (mut found, mut heading): (Vec<FactRow>, Option<FactRow>) = (vec![], None);
        let mut part = String::new();
        for row in rows {
            if row.is_heading {
                part.clone_from(&row.left);
                heading = Some(row);
            } else if row.matches_words(words, &part) {
                if let Some(heading) = heading.take() {
                    found.extend((!found.is_empty()).then(|| FactRow::new("", "")));
                    found.push(heading);
                }
                found.push(row);
            }
        }
        found
    }
}

fn run_facts(open: &OpenRun) -> Vec<FactRow> {
    let run = &open.session.run;
    let mut rows = vec![];
    let mut say = |left: &str, right: Option<String>| {
        rows.extend(right.filter(|words| !words.is_empty()).map(|words| FactRow::new(left, words)));
    };
    say("title", Some(run.title.clone()));
    say(
        "task",
        run.task_key().map(|key| {
            let task = run.task.as_ref();
            let title = task.and_then(|task| task.title.clone()).filter(|title| *title != key);
            let parts = [Some(key), title, task.and_then(|task| task.venue.clone())];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        }),
    );
    for (name, value) in run.trial.iter().flat_map(|trial| trial.named_facts()) {
        say(name, Some(value));
    }
    say("condition", run.condition.clone());
    say("agent", Some(agent_text(run)));
    say("model", run.model.clone());
    say("recorded", run.origin.provenance.clone());
    say("state", run.origin.record.state.clone());
    for sentence in run.state_sentences() {
        say("", Some(sentence));
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
    say("working directory", run.origin.root.clone());
    say("started", run.started_at.map(|time| time.to_string()));
    say("ended", run.ended_at.map(|time| time.to_string()));
    say("contents", Some(counts_text(open)));
    say("tokens", tokens_text(run));
    say("recorded tests", recorded_tests(run));
    say("file states from", files_source(open));
    let sources: Vec<_> = run.origin.sources.iter().map(|source| source.name.as_str()).collect();
    say("read from", Some(sources.join(", ")));
    say(
        "warnings",
        Some(match open.session.all_warnings().count() {
            0 => "none".to_owned(),
            count => format!("{count}, listed with e"),
        }),
    );
    rows
}

fn files_source(open: &OpenRun) -> Option<String> {
    use crate::session::pending::Loading;
    match &open.session.timeline {
        Loading::Ready(timeline) => Some(timeline.from.display_text().to_owned()),
        Loading::Failed(why) => Some(format!("nothing: {why}")),
        Loading::Nothing | Loading::Waiting(_) => None,
    }
}

fn counts_text(open: &OpenRun) -> String {
    let run = &open.session.run;
    let steps: usize = run.counted_moments().map(|done| run.steps_of_turn(done - 1).len()).sum();
    let errors: usize = open.session.turn_counts.iter().map(|digest| digest.errors).sum();
    let parts = [
        (run.counted_turns().count(), "turn"),
        (steps, "step"),
        (run.checkpoints.len(), "checkpoint"),
        (run.subagents.len(), "sub-agent"),
        (errors, "error"),
    ];
    parts.map(|(count, thing)| format_number::count_with_noun(count, thing)).join(" · ")
}

fn tokens_text(run: &Run) -> Option<String> {
    let tokens = run.tokens();
    let parts = [
        (tokens.input, "read"),
        (tokens.cached_input, "of them cached"),
        (tokens.output, "written"),
        (tokens.reasoning, "of them reasoning"),
    ];
    let texts = parts.into_iter().filter_map(|(count, words)| {
        Some(format!("{} {words}", format_number::with_thousands(count?)))
    });
    Some(texts.collect::<Vec<_>>().join(", ")).filter(|_| tokens.is_recorded())
}

fn mark_reasons(open: &OpenRun) -> Vec<FactRow> {
    let marks = replay::line_marks::mark_explanations(&open.replay, &open.session);
    let to_row = |(mark, words): (String, String)| FactRow::new(mark, words);
    match (marks.is_empty(), open.replay.diff.line_number(), open.replay.diff.has_marks) {
        (false, ..) => marks.into_iter().map(to_row).collect(),
        (true, _, false) => vec![FactRow::new("", "marks are hidden; | shows them")],
        (true, None, _) => {
            vec![FactRow::new("", "the cursor of the diff is not at a line of the new text")]
        }
        (true, Some(line), _) => {
            let words = format!(
                "line {line} has no mark: it is in no callable with a complexity above 10, in no match of a rule and \
                 in no clone"
            );
            vec![FactRow::new("", words)]
        }
    }
}

fn warning_rows(open: &OpenRun) -> Vec<FactRow> {
    let mut rows: Vec<FactRow> = open
        .session
        .all_warnings()
        .map(|warning| FactRow::new(&warning.place, &warning.what))
        .collect();
    if rows.is_empty() {
        rows.push(FactRow::heading("none"));
    }
    rows
}

/// Returns the test results of the benchmark's harness, one checkpoint after the other.
fn recorded_tests(run: &Run) -> Option<String> {
    let share = |passed: PassCount| format!("{}/{}", passed.passed, passed.total);
    let results = run.checkpoints.iter().filter_map(|checkpoint| {
        let tests = checkpoint.recorded.as_ref()?.tests.as_ref()?;
        if tests.infrastructure_failure {
            return Some(format!("{}: could not be run", checkpoint.id));
        }
        let core =
            tests.group_counts(TestGroup::Core).map(|core| format!("core {}, ", share(core)));
        let (core, strict, iso) = (core.unwrap_or_default(), share(tests.strict), share(tests.iso));
        Some(format!("{}: {core}strict {strict}, iso {iso}", checkpoint.id))
    });
    let results: Vec<String> = results.collect();
    (!results.is_empty()).then(|| results.join("; "))
}
