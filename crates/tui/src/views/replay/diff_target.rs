//! Chooses the content of the diff and of the files: a change and its base, or a whole file with its writers; and makes
//! the jumps from there.

use std::{cmp::Ordering, sync::Arc};

use crate::{
    session::{
        Session,
        arrangement::Arrangement,
        context::KeyContext,
        files::{
            DiffKey, DiffScope, TurnSpan,
            blame::{BlamedFile, FileAt},
            compared_file::ComparedFile,
        },
        turn_counts::LineTotals,
    },
    views::{
        file_tree::FileTreeRow,
        replay::{
            ReplayView,
            bookmark::Bookmark,
            diff::{self, DiffContent, DiffFollows, ROOM_FOR_COLUMNS},
            diff_base, files,
        },
    },
    widgets::{
        layout::{PanelNeeds, ReplayPanel, ScreenLayout},
        scroll::Motion,
    },
};
use trajview_run::{
    StepId,
    files::{FileChange, FileDiff, RunMoment, blame::LineOrigin},
};

/// Moves over the steps that edit files, through all turns.
#[derive(Debug, Clone, PartialEq)]
pub enum EditMotion {
    Next(usize),
    Previous(usize),
}

/// Places kept to come back to; the oldest is forgotten.
const MAX_JUMP_ORIGINS: usize = 100;

impl ReplayView {
    pub(crate) fn update_base(&mut self, session: &mut Session, message: &diff_base::BaseMessage) {
        self.bases.update(message, &session.run, session.turn);
        self.diff.follows = DiffFollows::Turn;
        self.diff.view = DiffContent::Change;
        let words = self.bases.base_text(&session.run, session.turn);
        session.notice = Some(match message {
            diff_base::BaseMessage::Next => format!("changes {words}"),
            diff_base::BaseMessage::MarkHere => {
                let base = session.keys.key_text(KeyContext::Replay, "diff-base");
                format!(
                    "turn {} is marked: changes since its end; {base} for others",
                    session.turn + 1
                )
            }
        });
    }

    pub(crate) fn update_diff(
        &mut self,
        session: &mut Session,
        message: diff::DiffMessage,
        layout: &ScreenLayout,
    ) {
        match message {
            diff::DiffMessage::Switch => self.switch_follows(session),
            diff::DiffMessage::Arrange => self.switch_arrangement(session, layout),
            diff::DiffMessage::SwitchView => self.switch_view(session),
            diff::DiffMessage::Enter => self.act_on_cursor_row(session),
            diff::DiffMessage::NextHunk(_) | diff::DiffMessage::PreviousHunk(_)
                if self.shown_file(session).is_some() =>
            {
                self.go_to_other_writer(session, &message);
            }
            message => self.diff.update(message),
        }
    }

    fn switch_follows(&mut self, session: &mut Session) {
        self.diff.view = DiffContent::Change;
        self.diff.update(diff::DiffMessage::Switch);
        let is_turn = !matches!(self.diff_scope(session), DiffScope::Step(_));
        if self.diff.follows == DiffFollows::Step && is_turn {
            let words = "the selected step has no recorded edit: showing the whole turn";
            session.notice = Some(words.into());
        }
    }

    fn switch_arrangement(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let width = layout.with_wide_diff().inner_size(ReplayPanel::Diff).width + 2;
        if width < ROOM_FOR_COLUMNS {
            self.diff.arrangement = Arrangement::Unified;
            let key = session.keys.key_text(KeyContext::Replay, "maximize");
            session.notice = Some(format!(
                "side by side needs {ROOM_FOR_COLUMNS} columns, the diff has {width}; {key} maximizes it"
            ));
            return;
        }
        self.diff.update(diff::DiffMessage::Arrange);
    }

    /// Returns the arrangement of the diff: the chosen one, where it fits.
    pub(crate) fn effective_arrangement(&self, layout: &ScreenLayout) -> Arrangement {
        let has_room = layout.inner_size(ReplayPanel::Diff).width + 2 >= ROOM_FOR_COLUMNS;
        if has_room { self.diff.arrangement } else { Arrangement::Unified }
    }

    /// Returns the file that is shown whole, and its moment.
    pub(crate) fn shown_file(&self, session: &Session) -> Option<FileAt> {
        match &self.diff.view {
            DiffContent::Change => None,
            DiffContent::File(path) => {
                Some(FileAt { moment: self.moment_of_last_edit(session), path: path.clone() })
            }
        }
    }

    /// Returns the shown moment: after the selected step where steps were moved last, else after the turn.
    pub(crate) fn shown_moment(&self, session: &Session) -> RunMoment {
        let step = self.steps.chosen_step();
        match step.filter(|_| self.diff.follows == DiffFollows::Step) {
            Some(step) if self.number_in_turn(step) < self.steps.step_count() => {
                RunMoment { turns: session.turn, step: Some(step) }
            }
            _ => RunMoment::after_turns(session.turn + 1),
        }
    }

    /// Returns the moment of the last edit before [`Self::shown_moment`]: files are the same between two edits, so that
    /// nothing needs to be read again.
    pub(super) fn moment_of_last_edit(&self, session: &Session) -> RunMoment {
        let moment = self.shown_moment(session);
        let (Some(step), Some(timeline)) = (moment.step, session.timeline.ready()) else {
            return moment;
        };
        let edits = timeline.turns.get(step.turn).map_or(&[][..], |turn| &turn.steps);
        let here = self.steps.position_in_turn(step);
        let done = edits.partition_point(|(edit, _)| self.steps.position_in_turn(*edit) <= here);
        let last = done.checked_sub(1).and_then(|at| edits.get(at));
        RunMoment { step: last.map(|(edit, _)| *edit), ..moment }
    }

    /// Returns `after turn 26`, `after step 26.3`.
    pub fn moment_text(&self, session: &Session) -> String {
        match self.shown_moment(session) {
            RunMoment { step: Some(step), .. } => {
                format!("after step {}.{}", step.turn + 1, self.number_in_turn(step))
            }
            RunMoment { turns, step: None } => format!("after turn {turns}"),
        }
    }

    /// Returns the changes that are marked in the tree: those of the step, where the tree is as the step left it.
    pub(crate) fn changes_in_tree<'s>(&self, session: &'s Session) -> &'s [FileChange] {
        match self.shown_moment(session).step {
            Some(step) => session.changes_of(DiffScope::Step(step)),
            None => self.listed_changes(session),
        }
    }

    /// Returns the writers of the lines of the shown file, if they are known.
    pub(crate) fn shown_blame<'s>(
        &self,
        session: &'s Session,
    ) -> Option<&'s Result<Arc<BlamedFile>, String>> {
        session.files.blame.blame_of(&self.shown_file(session)?)
    }

    /// Returns the key of the comparison in the diff panel.
    pub fn diff_key(&self, session: &Session) -> Option<DiffKey> {
        match self.shown_file(session) {
            Some(FileAt { moment, path }) => Some(DiffKey { scope: DiffScope::At(moment), path }),
            None => {
                let (_, change) = self.selected_change(session)?;
                Some(DiffKey { scope: self.diff_scope(session), path: change.path.clone() })
            }
        }
    }

    /// Returns the step whose text replaces the diff where no file changed, or where the change of the file is not recorded;
    /// None while that is not known yet.
    pub(crate) fn step_instead_of_diff(&self, session: &Session) -> Option<StepId> {
        let is_known = session.timeline.ready().is_some() && !self.changes_are_coming(session);
        let is_empty = self.diff_key(session).is_none() || self.lacks_change(session);
        self.steps.selected_item().filter(|_| is_known && is_empty)
    }

    /// Returns whether the change of the selected file is known not to be recorded.
    fn lacks_change(&self, session: &Session) -> bool {
        let compared = self.shown_comparison(session).and_then(|it| it.as_ref().ok());
        self.diff.view == DiffContent::Change
            && compared.is_some_and(|it| matches!(&*it.diff, FileDiff::NotRecorded(_)))
    }

    fn switch_view(&mut self, session: &mut Session) {
        let line = self.diff.line_number();
        self.diff.view = match self.diff.view {
            DiffContent::File(_) => DiffContent::Change,
            DiffContent::Change => match self.selected_change(session) {
                Some((_, change)) => DiffContent::File(change.path.clone()),
                None => {
                    session.notice = Some("no file is selected; t in the files lists all".into());
                    return;
                }
            },
        };
        if let Some(line) = line {
            self.diff.aim_at_new_line(line);
        }
    }

    fn act_on_cursor_row(&mut self, session: &mut Session) {
        if self.diff.view != DiffContent::Change {
            return self.go_to_writer(session);
        }
        let fold = self
            .diff
            .cursor_row()
            .zip(self.diff.current_comparison())
            .and_then(|(row, it)| it.gap_of(row));
        match fold {
            Some(_) => self.diff.update(diff::DiffMessage::Fold),
            None => self.focus = ReplayPanel::Steps,
        }
    }

    /// Goes to the next line that has another turn as writer than the line above it (in a run with one request another
    /// step), or to one before.
    fn go_to_other_writer(&mut self, session: &mut Session, message: &diff::DiffMessage) {
        let (Some(line), Some(Ok(blamed))) = (self.diff.line_number(), self.shown_blame(session))
        else {
            return;
        };
        let starts = blamed.first_lines_by_writer(&session.run);
        let wanted = match *message {
            diff::DiffMessage::NextHunk(count) => {
                starts.iter().filter(|start| **start > line).take(count).last()
            }
            diff::DiffMessage::PreviousHunk(count) => {
                let before = starts.partition_point(|start| *start < line);
                starts[..before].get(before.saturating_sub(count))
            }
            _ => None,
        };
        match wanted {
            Some(start) => {
                self.diff.go_to_line(*start);
            }
            None => {
                let writer = if session.run.turns.len() == 1 { "step" } else { "turn" };
                session.notice = Some(format!("no other {writer} wrote lines further that way"));
            }
        }
    }

    /// Goes to the turn and the step that wrote the line under the cursor.
    fn go_to_writer(&mut self, session: &mut Session) {
        let Some(number) = self.diff.line_number() else { return };
        let written = match self.shown_blame(session) {
            Some(Ok(blamed)) => blamed.lines.get(number - 1).copied(),
            Some(Err(why)) => {
                session.notice = Some(why.clone());
                return;
            }
            None => None,
        };
        let Some(written) = written else { return };
        let Some(turn) = written.turn else {
            let words = match written.origin {
                LineOrigin::NotRecorded => "the origin of this line is not recorded",
                _ => "this line is older than the run",
            };
            session.notice = Some(words.into());
            return;
        };
        let text = self
            .diff
            .cursor_row()
            .zip(self.diff.current_comparison())
            .and_then(|(row, it)| it.line_at(row));
        let text = text.map(|line| line.text.clone());
        self.remember_place(session);
        if let DiffContent::File(path) = std::mem::take(&mut self.diff.view) {
            self.files.select_path(path);
        }
        self.select_turn(session, turn);
        let place = match written.step {
            Some(step) => {
                self.select_step_id(step);
                format!("turn {}, step {} wrote it", turn + 1, self.number_in_turn(step))
            }
            None => format!("appeared in turn {}, outside recorded edits", turn + 1),
        };
        session.notice = Some(format!("{place}; backspace returns"));
        if let Some(text) = text {
            self.diff.aim_at_added(text);
        }
    }

    pub(super) fn select_step_id(&mut self, step: StepId) {
        self.steps.go_to_item(step);
        self.diff.follows = DiffFollows::Step;
    }

    /// Remembers this place to come back to.
    pub(crate) fn remember_place(&mut self, session: &mut Session) {
        if self.jump_origins.len() == MAX_JUMP_ORIGINS {
            self.jump_origins.remove(0);
        }
        self.jump_origins.push(Bookmark::for_place(self, session));
    }

    /// Goes back to the line where the last jump from a blamed line began; returns false if there was none.
    pub(super) fn return_from_jump(&mut self, session: &mut Session) -> bool {
        let origin = self.jump_origins.pop();
        origin.iter().for_each(|spot| spot.restore(self, session));
        origin.is_some()
    }

    /// Goes to another step that edits files; the diff then shows the change of that step.
    pub(crate) fn go_to_edit(&mut self, session: &mut Session, message: &EditMotion) {
        let Some(timeline) = session.timeline.ready() else { return };
        let order = session.run.steps_of_turn(session.turn);
        let place_of = |step: StepId| order.iter().position(|other| *other == step);
        let selected = self.steps.chosen_step().and_then(place_of);
        // An edit that is selected and not shown yet counts as one to come; so does the first of a turn.
        let next = match selected {
            Some(place) => place + usize::from(self.diff.follows == DiffFollows::Step),
            None => 0,
        };
        let is_before = |step: &StepId, end: usize| match step.turn.cmp(&session.turn) {
            Ordering::Less => true,
            Ordering::Equal => place_of(*step).is_some_and(|place| place < end),
            Ordering::Greater => false,
        };
        let edits: Vec<StepId> =
            timeline.turns.iter().flat_map(|turn| &turn.steps).map(|(step, _)| *step).collect();
        let wanted = match *message {
            EditMotion::Next(count) => {
                edits.partition_point(|step| is_before(step, next)) + count - 1
            }
            EditMotion::Previous(count) => {
                let before =
                    edits.partition_point(|step| is_before(step, selected.unwrap_or_default()));
                before.checked_sub(count).unwrap_or(edits.len())
            }
        };
        let Some(step) = edits.get(wanted).copied() else {
            session.notice = Some(match message {
                EditMotion::Next(_) => "no recorded edit after this one".into(),
                EditMotion::Previous(_) => "no recorded edit before this one".into(),
            });
            return;
        };
        self.select_turn(session, step.turn);
        self.select_step_id(step);
        self.diff.view = DiffContent::Change;
    }

    pub(crate) fn update_files(&mut self, session: &mut Session, message: files::FileListMessage) {
        match message {
            files::FileListMessage::SwitchTree => self.switch_tree(session),
            files::FileListMessage::Open => self.open_selected(session),
            files::FileListMessage::Next(count) => {
                self.move_over_files(session, Motion::Down(count), 1);
            }
            files::FileListMessage::Previous(count) => {
                self.move_over_files(session, Motion::Up(count), 1);
            }
        }
    }

    /// Selects another file of the list, which shows so many rows.
    pub(super) fn move_over_files(&mut self, session: &Session, motion: Motion, height: usize) {
        let changes = self.listed_changes(session);
        let here = self.file_index(session, self.diff_scope(session));
        let path = changes.get(motion.target_row(here, changes.len(), height)).map(|it| &it.path);
        if let Some(path) = path.cloned() {
            self.files.select_path(path);
            self.follow_selected_file(session);
        }
    }

    /// Returns the index of the file to show among those that changed: the one that was selected last, where it is
    /// among them, else the one with most changed lines that is not a test.
    pub(crate) fn file_index(&self, session: &Session, scope: DiffScope) -> usize {
        let wanted = self.files.wanted_index(session.changes_of(scope));
        wanted.unwrap_or_else(|| self.files.main_index(session, scope))
    }

    /// Shows the selected file where another file is shown whole.
    pub(crate) fn follow_selected_file(&mut self, session: &Session) {
        if let (DiffContent::File(_), Some((_, change))) =
            (&self.diff.view, self.selected_change(session))
        {
            self.diff.view = DiffContent::File(change.path.clone());
        }
    }

    fn switch_tree(&mut self, session: &mut Session) {
        self.focus = ReplayPanel::Files;
        self.tree.is_shown = !self.tree.is_shown;
        let timeline = session.timeline.ready().map(|timeline| &**timeline);
        self.tree.settle_tree(&session.run, self.moment_of_last_edit(session), timeline);
        let shown = self.diff_key(session).map(|key| key.path);
        if let Some(path) = shown.filter(|_| self.tree.is_shown) {
            self.tree.reveal_file(&path);
        }
    }

    /// Opens the diff of the selected file; of a file of the tree that does not change here, its text.
    fn open_selected(&mut self, session: &mut Session) {
        if !self.tree.is_shown {
            self.focus = ReplayPanel::Diff;
            return;
        }
        let path = match self.tree.selected_row() {
            None => return,
            Some(FileTreeRow::Folder { .. }) => return self.tree.toggle_folder(),
            Some(FileTreeRow::File { path, .. }) => path.clone(),
        };
        self.focus = ReplayPanel::Diff;
        let changes = self.changes_in_tree(session).iter().any(|change| change.path == path);
        self.diff.view =
            if changes { DiffContent::Change } else { DiffContent::File(path.clone()) };
        if changes {
            self.files.select_path(path);
        }
    }

    /// Returns rows of the list of files, or of the tree in its place.
    pub fn file_rows(&self, session: &Session) -> usize {
        if self.tree.is_shown {
            self.tree.tree_rows().len()
        } else {
            self.listed_changes(session).len()
        }
    }

    /// Returns the layout with a wide diff, where both sides of it are beside each other.
    pub(crate) fn fit_layout(&self, layout: ScreenLayout) -> ScreenLayout {
        match self.diff.arrangement {
            Arrangement::Columns => layout.with_wide_diff(),
            Arrangement::Unified => layout,
        }
    }

    /// Returns what the panels have to show; the request is measured elsewhere, since its rows depend on the width.
    pub(crate) fn panel_needs(&self, session: &Session) -> PanelNeeds<'static> {
        PanelNeeds {
            files: self.file_rows(session),
            has_files_open: self.tree.is_shown || self.focus == ReplayPanel::Files,
            steps: self.steps.row_count(),
            has_diff: self.step_instead_of_diff(session).is_none(),
            ..PanelNeeds::default()
        }
    }

    /// Returns the reason why the list of files is missing.
    pub(crate) fn changes_failed<'s>(&self, session: &'s Session) -> Option<&'s str> {
        let changes = session.files.span_changes(TurnSpan::for_scope(self.diff_scope(session))?)?;
        changes.as_ref().err().map(String::as_str)
    }

    /// Returns whether the list of files is still being computed.
    pub(crate) fn changes_are_coming(&self, session: &Session) -> bool {
        TurnSpan::for_scope(self.diff_scope(session))
            .is_some_and(|span| session.files.span_changes(span).is_none())
    }

    /// Returns the scope of the diff: the selected step if steps were moved last and it changed files, else the turn.
    pub(crate) fn diff_scope(&self, session: &Session) -> DiffScope {
        let step = self.steps.chosen_step();
        match (self.diff.follows, step) {
            (DiffFollows::Step, Some(step))
                if !session.changes_of(DiffScope::Step(step)).is_empty() =>
            {
                DiffScope::Step(step)
            }
            _ => self.bases.compared_scope(&session.run, session.turn),
        }
    }

    /// Returns the files that the list of files lists.
    pub fn listed_changes<'s>(&self, session: &'s Session) -> &'s [FileChange] {
        session.changes_of(self.diff_scope(session))
    }

    /// Returns the selected file, and which of [`Self::listed_changes`] it is.
    pub fn selected_change<'s>(&self, session: &'s Session) -> Option<(usize, &'s FileChange)> {
        let changes = self.listed_changes(session);
        let index = self.file_index(session, self.diff_scope(session));
        Some((index, changes.get(index)?))
    }

    /// Returns the lines added and removed in a file of the list, once they are counted; the recorded numbers where the
    /// recording has no contents to count.
    pub fn changed_lines(&self, session: &Session, change: &FileChange) -> Option<LineTotals> {
        let key = DiffKey { scope: self.diff_scope(session), path: change.path.clone() };
        match session.files.compared_file(&key) {
            Some(Ok(compared)) => compared.line_totals(),
            Some(Err(_)) => None,
            None => {
                self.counted_lines(session, change).or_else(|| self.recorded_lines(session, change))
            }
        }
    }

    /// Looks the change up by its path: a turn has one change a file, sorted by path.
    fn counted_lines(&self, session: &Session, change: &FileChange) -> Option<LineTotals> {
        let DiffScope::Turn(turn) = self.diff_scope(session) else { return None };
        let changes = self.listed_changes(session);
        let at = changes.binary_search_by(|other| other.path.cmp(&change.path)).ok()?;
        session.counts.ready()?.get(turn)?.get(at).copied().flatten().map(LineTotals::from)
    }

    fn recorded_lines(&self, session: &Session, change: &FileChange) -> Option<LineTotals> {
        session.counts.ready()?;
        let is_here = TurnSpan::for_scope(self.diff_scope(session)).is_none();
        session.turn_counts.get(session.turn).filter(|_| is_here)?.files.get(&change.path).copied()
    }

    /// Returns the comparison for the diff panel, if it has arrived.
    pub fn shown_comparison<'s>(
        &'s self,
        session: &'s Session,
    ) -> Option<&'s Result<Arc<ComparedFile>, String>> {
        self.diff.cut_comparison(&session.files, &self.diff_key(session)?)
    }

    /// Returns the selected step's number among the steps of the turn, counts from 1; 0 while none is chosen.
    pub fn step_number(&self) -> usize {
        self.steps.chosen_step().map_or(0, |step| self.number_in_turn(step))
    }

    pub fn step_count(&self) -> usize {
        self.steps.step_count()
    }

    /// Returns a step's number among the steps of its turn, sub-agents' included; counts from 1.
    pub(crate) fn number_in_turn(&self, step: StepId) -> usize {
        self.steps.position_in_turn(step).map_or(0, |position| position + 1)
    }

    pub(crate) fn toggle_marks(&mut self, session: &mut Session) {
        self.diff.has_marks = !self.diff.has_marks;
        let explain = session.keys.key_text(KeyContext::Replay, "explain-mark");
        let marks = session.keys.key_text(KeyContext::Replay, "line-marks");
        session.notice = Some(match self.diff.has_marks {
            true => format!(
                "marks beside the lines: ▲ complexity, § rules, ≡ clones, ◆ evidence, ⚑ flags; {explain} says why"
            ),
            false => format!("marks are hidden; {marks} shows them"),
        });
    }
}
