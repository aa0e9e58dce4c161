//! What the diff and the files show of the place that is looked at: a change, since when, or a whole file and who
//! wrote it; and the jumps from there.

use std::{cmp::Ordering, sync::Arc};

use crate::{
    session::{
        Session,
        arrangement::Arrangement,
        digest::Lines,
        files::{
            DiffKey, Scope, Span,
            blame::{Blamed, FileAt},
            compared::Compared,
        },
    },
    views::{
        file_tree::Row,
        replay::{
            Message, Replay, base,
            diff::{self, Follows, ROOM_FOR_COLUMNS, View},
            files,
            spot::Spot,
            steps::{self, Item},
        },
    },
    widgets::layout::{Layout, Panel},
};
use trajview_run::{
    StepId,
    files::{Change, Moment, blame::LineOrigin},
};

/// Moves over the steps that edit files, through all turns.
#[derive(Debug, Clone, PartialEq)]
pub enum Edits {
    Next(usize),
    Previous(usize),
}

/// Places kept to come back to; the oldest is forgotten.
const MOST_DEPARTURES: usize = 100;

impl Replay {
    pub(crate) fn update_base(&mut self, session: &mut Session, message: &base::Message) {
        self.bases.update(message, &session.run, session.turn);
        self.diff.follows = Follows::Turn;
        self.diff.view = View::Change;
        let words = self.bases.words(&session.run, session.turn);
        session.notice = Some(match message {
            base::Message::Next => format!("changes {words}"),
            base::Message::MarkHere => {
                format!("turn {} is marked: changes since its end; b for others", session.turn + 1)
            }
        });
    }

    pub(crate) fn update_diff(
        &mut self,
        session: &mut Session,
        message: diff::Message,
        layout: &Layout,
    ) {
        match message {
            diff::Message::Switch => self.switch_follows(session),
            diff::Message::Arrange => self.arrange(session, layout),
            diff::Message::SwitchView => self.switch_view(session),
            diff::Message::Enter => self.enter(session),
            diff::Message::Back => self.go_back(session),
            diff::Message::NextHunk(_) | diff::Message::PreviousHunk(_)
                if self.file_at(session).is_some() =>
            {
                self.go_to_other_writer(session, &message, layout);
            }
            message => self.diff.update(message),
        }
    }

    fn switch_follows(&mut self, session: &mut Session) {
        self.diff.view = View::Change;
        self.diff.update(diff::Message::Switch);
        let is_turn = !matches!(self.scope(session), Scope::Step(_));
        if self.diff.follows == Follows::Step && is_turn {
            let words = "the selected step records no edit: this is the whole turn";
            session.notice = Some(words.into());
        }
    }

    fn arrange(&mut self, session: &mut Session, layout: &Layout) {
        let width = layout.wide_diff().room(Panel::Diff).width + 2;
        if width < ROOM_FOR_COLUMNS {
            self.diff.arrangement = Arrangement::Unified;
            session.notice = Some(format!(
                "side by side needs {ROOM_FOR_COLUMNS} columns, the diff has {width}; m gives it the screen"
            ));
            return;
        }
        self.diff.update(diff::Message::Arrange);
    }

    /// How the diff is drawn: as asked for, where there is room.
    pub fn arrangement(&self, layout: &Layout) -> Arrangement {
        let has_room = layout.room(Panel::Diff).width + 2 >= ROOM_FOR_COLUMNS;
        if has_room { self.diff.arrangement } else { Arrangement::Unified }
    }

    /// The file that is shown whole, and when.
    pub fn file_at(&self, session: &Session) -> Option<FileAt> {
        match &self.diff.view {
            View::Change => None,
            View::File(path) => {
                Some(FileAt { moment: self.moment_of_files(session), path: path.clone() })
            }
        }
    }

    /// The moment that is looked at: after the selected step where steps were moved last, else after the turn.
    pub fn moment(&self, session: &Session) -> Moment {
        let step = self.steps.selected().and_then(Item::step);
        match step.filter(|_| self.diff.follows == Follows::Step) {
            Some(step) if self.number_of(step) < self.steps.count() => {
                Moment { turns: session.turn, step: Some(step) }
            }
            _ => Moment::after(session.turn + 1),
        }
    }

    /// The moment after which the files are as they are at [`Self::moment`]: that of the last edit, since between two edits
    /// nothing needs to be read again.
    pub(super) fn moment_of_files(&self, session: &Session) -> Moment {
        let moment = self.moment(session);
        let (Some(step), Some(timeline)) = (moment.step, session.timeline.ready()) else {
            return moment;
        };
        let edits = timeline.turns.get(step.turn).map_or(&[][..], |turn| &turn.steps);
        let here = self.steps.position_of(step);
        let done = edits.partition_point(|(edit, _)| self.steps.position_of(*edit) <= here);
        let last = done.checked_sub(1).and_then(|at| edits.get(at));
        Moment { step: last.map(|(edit, _)| *edit), ..moment }
    }

    /// `after turn 26`, `after step 26.3`.
    pub fn moment_said(&self, session: &Session) -> String {
        match self.moment(session) {
            Moment { step: Some(step), .. } => {
                format!("after step {}.{}", step.turn + 1, self.number_of(step))
            }
            Moment { turns, step: None } => format!("after turn {turns}"),
        }
    }

    /// The files of the tree that are marked as changed: by the step, where the tree is as the step left it.
    pub fn changes_in_tree<'s>(&self, session: &'s Session) -> &'s [Change] {
        match self.moment(session).step {
            Some(step) => session.changes_of(Scope::Step(step)),
            None => self.changes(session),
        }
    }

    /// Who wrote the lines of the file that is shown, if that is known.
    pub fn blamed<'s>(&self, session: &'s Session) -> Option<&'s Result<Arc<Blamed>, String>> {
        session.files.blame.of(&self.file_at(session)?)
    }

    /// What the diff panel shows.
    pub fn diff_key(&self, session: &Session) -> Option<DiffKey> {
        match self.file_at(session) {
            Some(FileAt { moment, path }) => Some(DiffKey { scope: Scope::At(moment), path }),
            None => {
                let (_, change) = self.change(session)?;
                Some(DiffKey { scope: self.scope(session), path: change.path.clone() })
            }
        }
    }

    /// What is read in the place of a diff where no file changed; None while that is not known yet.
    pub fn step_instead_of_diff(&self, session: &Session) -> Option<Item> {
        let is_known = session.timeline.ready().is_some() && !self.changes_are_coming(session);
        let is_empty = self.diff_key(session).is_none();
        self.steps.selected().filter(|_| is_known && is_empty)
    }

    fn switch_view(&mut self, session: &mut Session) {
        let line = self.diff.line_number();
        self.diff.view = match self.diff.view {
            View::File(_) => View::Change,
            View::Change => match self.change(session) {
                Some((_, change)) => View::File(change.path.clone()),
                None => {
                    session.notice = Some("no file is selected; t in the files lists all".into());
                    return;
                }
            },
        };
        if let Some(line) = line {
            self.diff.aim_at(line);
        }
    }

    fn enter(&mut self, session: &mut Session) {
        if self.diff.view != View::Change {
            return self.go_to_writer(session);
        }
        let fold = self.diff.row().zip(self.diff.current()).and_then(|(row, it)| it.gap_of(row));
        match fold {
            Some(_) => self.diff.update(diff::Message::Fold),
            None => self.focus = Panel::Steps,
        }
    }

    /// To the next line that another turn wrote than the line above it, in a run of one request another step; or to one before.
    fn go_to_other_writer(
        &mut self,
        session: &mut Session,
        message: &diff::Message,
        layout: &Layout,
    ) {
        let (Some(line), Some(Ok(blamed))) = (self.diff.line_number(), self.blamed(session)) else {
            return;
        };
        let starts = blamed.starts(&session.run);
        let wanted = match *message {
            diff::Message::NextHunk(count) => {
                starts.iter().filter(|start| **start > line).take(count).last()
            }
            diff::Message::PreviousHunk(count) => {
                let before = starts.partition_point(|start| *start < line);
                starts[..before].get(before.saturating_sub(count))
            }
            _ => None,
        };
        match wanted {
            Some(start) => {
                let (start, height) = (*start, usize::from(layout.room(Panel::Diff).height));
                self.diff.go_to_line(start, height);
            }
            None => {
                let writer = if session.run.turns.len() == 1 { "step" } else { "turn" };
                session.notice = Some(format!("no other {writer} wrote lines further that way"));
            }
        }
    }

    /// To the turn and the step that wrote the line under the cursor.
    fn go_to_writer(&mut self, session: &mut Session) {
        let Some(number) = self.diff.line_number() else { return };
        let written = match self.blamed(session) {
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
                LineOrigin::NotRecorded => "the recording does not tell who wrote this line",
                _ => "this line was there before the run",
            };
            session.notice = Some(words.into());
            return;
        };
        let text = self.diff.row().zip(self.diff.current()).and_then(|(row, it)| it.line(row));
        let text = text.map(|line| line.text.clone());
        self.leave(session);
        if let View::File(path) = std::mem::take(&mut self.diff.view) {
            self.files.want(path);
        }
        self.select_turn(session, turn);
        let place = match written.step {
            Some(step) => {
                self.select_step_id(step);
                format!("turn {}, step {} wrote it", turn + 1, self.number_of(step))
            }
            None => format!("it appeared in turn {}, outside recorded edits", turn + 1),
        };
        session.notice = Some(format!("{place}; backspace goes back"));
        if let Some(text) = text {
            self.diff.aim_at_added(text);
        }
    }

    pub(super) fn select_step_id(&mut self, step: StepId) {
        self.steps.go_to(Item::Step(step));
        self.diff.follows = Follows::Step;
    }

    /// Remembers this place to come back to.
    pub fn leave(&mut self, session: &mut Session) {
        if self.departures.len() == MOST_DEPARTURES {
            self.departures.remove(0);
        }
        self.departures.push(Spot::of(self, session));
    }

    /// Whether it is a wish to go back where there is nothing in this run to go back to.
    pub fn leads_out(&self, message: &Message) -> bool {
        match message {
            Message::Diff(diff::Message::Back) => self.departures.is_empty(),
            Message::Steps(steps::Message::Leave) => {
                self.steps.is_at_the_outside() && !self.came_from_the_audit()
            }
            _ => false,
        }
    }

    /// Whether the last jump that can be gone back from began in the audit.
    fn came_from_the_audit(&self) -> bool {
        self.departures.last().is_some_and(Spot::is_in_audit)
    }

    /// From the steps that the audit led to back to it, else out of a sub-agent.
    pub(crate) fn leave_steps(&mut self, session: &mut Session) {
        if self.steps.is_at_the_outside() && self.came_from_the_audit() {
            return self.go_back(session);
        }
        self.steps.update(steps::Message::Leave);
    }

    pub(super) fn go_back(&mut self, session: &mut Session) {
        match self.departures.pop() {
            Some(spot) => {
                spot.restore(self, session);
                self.bases.give_back(session.view);
            }
            None => session.notice = Some("no jump to go back from".into()),
        }
    }

    /// To another step that edits files; the diff then shows what that step did.
    pub(crate) fn go_to_edit(&mut self, session: &mut Session, message: &Edits) {
        let Some(timeline) = session.timeline.ready() else { return };
        let order = session.run.steps_of_turn(session.turn);
        let place_of = |step: StepId| order.iter().position(|other| *other == step);
        let selected = self.steps.selected().and_then(Item::step).and_then(place_of);
        // An edit that is selected and not shown yet counts as one to come; so does the first under the request.
        let next = match selected {
            Some(place) => place + usize::from(self.diff.follows == Follows::Step),
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
            Edits::Next(count) => edits.partition_point(|step| is_before(step, next)) + count - 1,
            Edits::Previous(count) => {
                let before =
                    edits.partition_point(|step| is_before(step, selected.unwrap_or_default()));
                before.checked_sub(count).unwrap_or(edits.len())
            }
        };
        let Some(step) = edits.get(wanted).copied() else {
            session.notice = Some(match message {
                Edits::Next(_) => "no recorded edit after this one".into(),
                Edits::Previous(_) => "no recorded edit before this one".into(),
            });
            return;
        };
        self.select_turn(session, step.turn);
        self.select_step_id(step);
        self.diff.view = View::Change;
    }

    pub(crate) fn update_files(&mut self, session: &mut Session, message: files::Message) {
        match message {
            files::Message::SwitchTree => self.switch_tree(session),
            files::Message::Open => self.open_selected(session),
            message => {
                let mut files = std::mem::take(&mut self.files);
                files.update(message, self.changes(session));
                self.files = files;
                self.keep_view(session);
            }
        }
    }

    /// A file that is shown whole gives way to the one that was selected.
    pub(crate) fn keep_view(&mut self, session: &mut Session) {
        if let (View::File(_), Some((_, change))) = (&self.diff.view, self.change(session)) {
            self.diff.view = View::File(change.path.clone());
        }
    }

    fn switch_tree(&mut self, session: &mut Session) {
        self.focus = Panel::Files;
        self.tree.is_shown = !self.tree.is_shown;
        let timeline = session.timeline.ready().map(|timeline| &**timeline);
        self.tree.settle(&session.run, self.moment_of_files(session), timeline);
        let shown = self.diff_key(session).map(|key| key.path);
        if let Some(path) = shown.filter(|_| self.tree.is_shown) {
            self.tree.reveal(&path);
        }
    }

    /// The diff of the selected file; of a file of the tree that does not change here, its text.
    fn open_selected(&mut self, session: &mut Session) {
        if !self.tree.is_shown {
            self.focus = Panel::Diff;
            return;
        }
        let path = match self.tree.selected() {
            None => return,
            Some(Row::Folder { .. }) => return self.tree.fold(),
            Some(Row::File { path, .. }) => path.clone(),
        };
        self.focus = Panel::Diff;
        let changes = self.changes_in_tree(session).iter().any(|change| change.path == path);
        self.diff.view = if changes { View::Change } else { View::File(path.clone()) };
        if changes {
            self.files.want(path);
        }
    }

    /// Rows of the list of files, or of the tree in its place.
    pub fn file_rows(&self, session: &Session) -> usize {
        if self.tree.is_shown { self.tree.rows().len() } else { self.changes(session).len() }
    }

    /// More room for what needs more than usual.
    pub fn make_room(&self, layout: Layout) -> Layout {
        let layout = match self.diff.arrangement {
            Arrangement::Columns => layout.wide_diff(),
            Arrangement::Unified => layout,
        };
        if self.tree.is_shown { layout.tall_files(self.tree.rows().len()) } else { layout }
    }

    /// Why nothing could be listed.
    pub fn changes_failed<'s>(&self, session: &'s Session) -> Option<&'s str> {
        let changes = session.files.changes(Span::of(self.scope(session))?)?;
        changes.as_ref().err().map(String::as_str)
    }

    /// Whether the list of files is still being worked out.
    pub fn changes_are_coming(&self, session: &Session) -> bool {
        Span::of(self.scope(session)).is_some_and(|span| session.files.changes(span).is_none())
    }

    /// Whose change the diff shows: the selected step's if steps were moved last and it changed files, else the turn's.
    pub fn scope(&self, session: &Session) -> Scope {
        let step = self.steps.selected().and_then(Item::step);
        match (self.diff.follows, step) {
            (Follows::Step, Some(step)) if !session.changes_of(Scope::Step(step)).is_empty() => {
                Scope::Step(step)
            }
            _ => self.bases.scope(&session.run, session.turn),
        }
    }

    /// The files that the list of files lists.
    pub fn changes<'s>(&self, session: &'s Session) -> &'s [Change] {
        session.changes_of(self.scope(session))
    }

    /// The selected file, and which of [`Self::changes`] it is.
    pub fn change<'s>(&self, session: &'s Session) -> Option<(usize, &'s Change)> {
        let changes = self.changes(session);
        let index = self.files.selected(changes);
        Some((index, changes.get(index)?))
    }

    /// Lines added and removed in a file of the list, once they are counted; as recorded where the recording has no
    /// contents to count.
    pub fn lines_of(&self, session: &Session, change: &Change) -> Option<Lines> {
        let key = DiffKey { scope: self.scope(session), path: change.path.clone() };
        match session.files.compared(&key) {
            Some(Ok(compared)) => compared.lines(),
            Some(Err(_)) => None,
            None => self.counted(session, change).or_else(|| self.recorded(session, change)),
        }
    }

    fn counted(&self, session: &Session, change: &Change) -> Option<Lines> {
        let Scope::Turn(turn) = self.scope(session) else { return None };
        let at = self.changes(session).iter().position(|other| other == change)?;
        session.counts.ready()?.get(turn)?.get(at).copied().flatten().map(Lines::from)
    }

    fn recorded(&self, session: &Session, change: &Change) -> Option<Lines> {
        session.counts.ready()?;
        let is_here = Span::of(self.scope(session)).is_none();
        session.digests.get(session.turn).filter(|_| is_here)?.files.get(&change.path).copied()
    }

    /// What the diff panel has to show, if it has arrived.
    pub fn compared<'s>(
        &'s self,
        session: &'s Session,
    ) -> Option<&'s Result<Arc<Compared>, String>> {
        self.diff.cut_of(&session.files, &self.diff_key(session)?)
    }

    /// The selected step's number among the steps of the turn, counts from 1; 0 while the request is selected.
    pub fn step_number(&self) -> usize {
        self.steps.selected().and_then(Item::step).map_or(0, |step| self.number_of(step))
    }

    pub fn step_count(&self) -> usize {
        self.steps.count()
    }

    /// A step's number among the steps of its turn, sub-agents' included; counts from 1.
    pub fn number_of(&self, step: StepId) -> usize {
        self.steps.position_of(step).map_or(0, |position| position + 1)
    }

    pub(crate) fn show_marks_or_not(&mut self, session: &mut Session) {
        self.diff.has_marks = !self.diff.has_marks;
        session.notice = Some(match self.diff.has_marks {
            true => {
                "marks beside the lines: ▲ complexity, § rules, ≡ clones, ◆ evidence, ⚑ flags; W says why"
                    .into()
            }
            false => "marks are hidden; X shows them".into(),
        });
    }
}
