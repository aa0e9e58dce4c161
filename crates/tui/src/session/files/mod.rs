//! The files of the run at a moment, and how they differ between two: what changed, line by line, with colours, and who
//! wrote which line. What is known is kept; the least recently used is given up first.

use std::sync::Arc;

use trajview_run::{
    EditKind, RepoPath, Run, StepId,
    files::{ChangeOrigin, ChangeVersion, FileChange, FileDiff, RunMoment, Timeline},
};

use super::{
    Session,
    cache::LruCache,
    effect::Effect,
    pending::{CachedAnswers, Pending},
    question::{Answer, Question},
    request::{RequestId, RequestIds, Sentence},
};

pub mod blame;
pub mod coloured_texts;
pub mod colours;
pub mod compared_file;

use blame::{BlameCache, FileAt};
use colours::ColourCache;
use compared_file::ComparedFile;

/// The scope of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffScope {
    /// Everything a turn did; counts from 0.
    Turn(usize),
    /// The changes of one step.
    Step(StepId),
    /// Everything between the moment when `done` turns were done and the end of a turn.
    Since { done: usize, turn: usize },
    /// The files as they are at a moment, whatever changed.
    At(RunMoment),
}

impl DiffScope {
    /// Returns the turn after which the right side of the comparison is; None where there is no such turn.
    pub(crate) const fn turn_after(self) -> Option<usize> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::At(moment) => moment.ended_turn(),
            Self::Since { done, turn } if done <= turn => Some(turn),
            Self::Since { .. } | Self::Step(_) => None,
        }
    }
}

/// Names one comparison.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiffKey {
    pub scope: DiffScope,
    pub path: RepoPath,
}

/// Two moments, both counted in turns done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TurnSpan {
    pub before: usize,
    pub after: usize,
}

impl TurnSpan {
    /// Returns the moments that a scope lies between; None where it is about one turn or step.
    pub(crate) const fn for_scope(scope: DiffScope) -> Option<Self> {
        match scope {
            DiffScope::Since { done, turn } => Some(Self { before: done, after: turn + 1 }),
            DiffScope::Turn(_) | DiffScope::Step(_) | DiffScope::At(_) => None,
        }
    }
}

/// More comparisons than are ever wanted at once.
const MAX_COMPARED: usize = 128;

/// More spans than a user switches between.
const MAX_SPANS: usize = 64;

#[derive(Debug)]
pub struct FileCache {
    compared: LruCache<DiffKey, Result<Arc<ComparedFile>, Sentence>>,
    comparing: Pending<DiffKey>,
    changes: CachedAnswers<TurnSpan, Vec<FileChange>>,
    pub blame: BlameCache,
    pub colours: ColourCache,
}

impl Default for FileCache {
    fn default() -> Self {
        Self {
            compared: LruCache::with_limit(MAX_COMPARED),
            comparing: Pending::default(),
            changes: CachedAnswers::with_limit(MAX_SPANS),
            blame: BlameCache::default(),
            colours: ColourCache::default(),
        }
    }
}

impl FileCache {
    /// Returns the comparison; None while it is not known.
    pub(crate) fn compared_file(
        &self,
        key: &DiffKey,
    ) -> Option<&Result<Arc<ComparedFile>, Sentence>> {
        self.compared.get(key)
    }

    pub fn has_compared(&self, key: &DiffKey) -> bool {
        self.compared.contains_key(key)
    }

    /// Returns whether no comparison is in progress.
    pub const fn is_free(&self) -> bool {
        self.comparing.is_free()
    }

    /// Compares a change line by line, with so many lines of context; what was being compared is no longer waited for.
    pub(crate) fn ask_diff(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        (key, change): (DiffKey, FileChange),
        context: usize,
    ) -> Effect {
        let question = Question::Diff { run: run.clone(), change, context };
        self.comparing.ask_question(numbers, key, question)
    }

    /// Asks for a file at a moment, as if all of it was new, if it is not known yet.
    fn ask_whole(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        timeline: &Timeline,
        key: DiffKey,
    ) -> Option<Effect> {
        let DiffScope::At(moment) = key.scope else { return None };
        if self.has_compared(&key) || !self.is_free() {
            return None;
        }
        let tree = timeline.tree_at(run, moment);
        let Some(file) = tree.files.get(&key.path).copied() else {
            let why = format!("no such file {}", moment_text(run, moment));
            self.store_compared(key, Ok(FileDiff::NotRecorded(why)));
            return None;
        };
        let change = FileChange {
            path: key.path.clone(),
            from: None,
            kind: EditKind::Create,
            version: ChangeVersion::Whole { old: None, new: Some(file) },
            origin: ChangeOrigin::Recorded,
        };
        Some(self.ask_diff(numbers, run, (key, change), 0))
    }

    /// Stores a comparison, or why there is none: for a file at a moment as its whole text, else as its changes.
    fn store_compared(&mut self, key: DiffKey, answer: Result<FileDiff, Sentence>) {
        let cut = if matches!(key.scope, DiffScope::At(_)) {
            ComparedFile::whole_file
        } else {
            ComparedFile::changes_only
        };
        self.compared.insert(key, answer.map(|diff| Arc::new(cut(diff))));
    }

    /// Returns the changes between two moments; None while they are not known.
    pub(crate) fn span_changes(
        &self,
        span: TurnSpan,
    ) -> Option<&Result<Vec<FileChange>, Sentence>> {
        self.changes.get(&span)
    }

    /// Takes an answer to a question of the files; returns any other.
    pub(super) fn take_answer(
        &mut self,
        request: RequestId,
        run: &Run,
        answer: Answer,
    ) -> Option<Answer> {
        match answer {
            Answer::Diff(diff) => {
                if let Some(key) = self.comparing.take_answered(request) {
                    self.store_compared(key, diff);
                }
            }
            Answer::ChangesBetween(changes) => {
                self.changes.take_answer(request, changes);
            }
            Answer::Blame(lines) => self.blame.take_answer(request, run, lines),
            Answer::Colours(colours) => self.colours.take_answer(request, colours),
            other => return Some(other),
        }
        None
    }

    /// Forgets what is no longer true after a run has grown: all from its first turn that is new, which counts from 0.
    pub(crate) fn forget_from(&mut self, first: usize) {
        self.comparing.stop_waiting();
        self.compared.retain(|key| key.last_turn() < first);
        self.colours.forget_colours(|key| key.last_turn() >= first);
        self.changes.forget_answers(|span| span.before.max(span.after) > first);
        self.blame.forget_files(|file| file.moment.last_turn() >= first);
    }
}

/// Returns the text for a moment: `after turn 12`, `after step 12.7`, `before the first turn`.
pub fn moment_text(run: &Run, moment: RunMoment) -> String {
    match (moment.step, moment.ended_turn()) {
        (Some(step), _) => {
            let number = run.step_numbers(step.turn).get(&step).copied();
            format!("after step {}.{}", step.turn + 1, number.unwrap_or(step.step + 1))
        }
        (None, Some(turn)) => format!("after turn {}", turn + 1),
        (None, None) => "before the first turn".into(),
    }
}

impl DiffKey {
    /// Returns the last turn that the comparison depends on, counted from 0.
    const fn last_turn(&self) -> usize {
        match self.scope {
            DiffScope::Turn(turn) => turn,
            DiffScope::At(moment) => moment.last_turn(),
            DiffScope::Since { done, turn } => {
                if done > turn + 1 {
                    done - 1
                } else {
                    turn
                }
            }
            DiffScope::Step(step) => step.turn,
        }
    }
}

impl Session {
    /// Returns the files that changed in a scope; none while that is not known.
    pub(crate) fn changes_of(&self, scope: DiffScope) -> &[FileChange] {
        let Some(timeline) = self.timeline.ready() else { return &[] };
        match scope {
            DiffScope::Turn(turn) => timeline.turns.get(turn).map_or(&[], |turn| &turn.changes),
            DiffScope::Step(step) => timeline.changes_of_step(step),
            DiffScope::Since { .. } => {
                TurnSpan::for_scope(scope).map_or(&[], |span| self.changes_between(span))
            }
            DiffScope::At(_) => &[],
        }
    }

    fn changes_between(&self, span: TurnSpan) -> &[FileChange] {
        let changes = self.files.span_changes(span).and_then(|changes| changes.as_ref().ok());
        changes.map_or(&[], Vec::as_slice)
    }

    /// Asks for the changes between two moments, where they are not known and no other question is in progress.
    pub(crate) fn ask_changes(
        &mut self,
        numbers: &mut RequestIds,
        span: TurnSpan,
    ) -> Option<Effect> {
        self.timeline.ready()?;
        let TurnSpan { before, after } = span;
        let question = || Question::ChangesBetween { run: self.run.clone(), before, after };
        self.files.changes.ask_once(numbers, span, question)
    }

    /// Asks for a file at a moment, as if all of it was new, if it is not known yet.
    pub(crate) fn ask_whole(&mut self, numbers: &mut RequestIds, key: DiffKey) -> Option<Effect> {
        let timeline = self.timeline.ready()?;
        self.files.ask_whole(numbers, &self.run, timeline, key)
    }

    /// Asks for a file at a moment; once its text is there for who wrote its lines and for its colours.
    pub(crate) fn ask_file(&mut self, numbers: &mut RequestIds, key: DiffKey) -> Vec<Effect> {
        if !self.files.has_compared(&key) {
            return self.ask_whole(numbers, key).into_iter().collect();
        }
        let mut effects = vec![];
        let Some(Ok(compared)) = self.files.compared_file(&key).cloned() else { return effects };
        if compared.text_diff().is_none() {
            return effects; // what cannot be shown need not be blamed
        }
        if let DiffScope::At(moment) = key.scope {
            let file = FileAt { moment, path: key.path.clone() };
            effects.extend(self.files.blame.ask_blame(numbers, &self.run, file));
        }
        effects.extend(self.files.colours.ask_colours(numbers, key, &compared));
        effects
    }

    /// Takes the files of a run that has grown. What was worked out of turns that are not what they were is given up;
    /// whether there was any.
    pub(crate) fn renew_timeline(&mut self, timeline: Arc<Timeline>) -> bool {
        self.timeline = super::Loading::Ready(timeline);
        let is_known = !self.growth.timeline.is_wanted;
        let first = if is_known { self.growth.first.take() } else { self.growth.first };
        let Some(first) = first else { return false };
        self.files.forget_from(first);
        self.scores.forget_after(first);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_code::diff::diff_text;

    fn key_for(scope: DiffScope) -> DiffKey {
        DiffKey { scope, path: RepoPath::new("a.py").unwrap() }
    }

    fn created_file() -> FileChange {
        FileChange {
            path: RepoPath::new("a.py").unwrap(),
            from: None,
            kind: EditKind::Create,
            version: ChangeVersion::Whole { old: None, new: None },
            origin: ChangeOrigin::Recorded,
        }
    }

    fn one_line_diff() -> FileDiff {
        let (diff, new) = (diff_text("", "one\n", 3), Some("one\n".into()));
        FileDiff::Text { diff, old: None, new }
    }

    /// Files that know the comparisons of these scopes.
    fn files_knowing(scopes: &[DiffScope]) -> FileCache {
        let (mut files, mut numbers, run) =
            (FileCache::default(), RequestIds::default(), Arc::default());
        for scope in scopes {
            let asked = files.ask_diff(&mut numbers, &run, (key_for(*scope), created_file()), 3);
            files.take_answer(asked.request_id().unwrap(), &run, Answer::Diff(Ok(one_line_diff())));
        }
        files
    }

    #[test]
    fn what_is_from_before_the_first_new_turn_stays_known() {
        let since = |done, turn| DiffScope::Since { done, turn };
        let scopes = [
            DiffScope::Turn(1),
            DiffScope::Turn(2),
            DiffScope::At(RunMoment::after_turns(2)),
            since(0, 1),
            since(3, 1),
        ];
        let mut files = files_knowing(&scopes);

        files.forget_from(2);

        let known = scopes.map(|scope| files.has_compared(&key_for(scope)));
        assert_eq!(known, [true, false, true, true, false]);
    }

    #[test]
    fn a_file_after_a_turn_is_known_as_a_whole_and_a_change_as_its_hunks() {
        let files = files_knowing(&[DiffScope::At(RunMoment::after_turns(2)), DiffScope::Turn(1)]);
        let is_whole =
            |scope| files.compared_file(&key_for(scope)).unwrap().as_ref().unwrap().is_whole_file();

        assert!(
            is_whole(DiffScope::At(RunMoment::after_turns(2))) && !is_whole(DiffScope::Turn(1))
        );
    }

    #[test]
    fn an_answer_to_an_older_comparison_is_dropped() {
        let (mut files, mut numbers, run) =
            (FileCache::default(), RequestIds::default(), Arc::default());
        let old =
            files.ask_diff(&mut numbers, &run, (key_for(DiffScope::Turn(0)), created_file()), 3);
        files.ask_diff(&mut numbers, &run, (key_for(DiffScope::Turn(1)), created_file()), 3);

        let left =
            files.take_answer(old.request_id().unwrap(), &run, Answer::Diff(Ok(one_line_diff())));

        assert_eq!(left, None);
        assert!(
            !files.has_compared(&key_for(DiffScope::Turn(0)))
                && !files.has_compared(&key_for(DiffScope::Turn(1)))
        );
    }

    #[test]
    fn a_file_that_is_not_there_after_a_turn_is_known_not_to_be() {
        let (mut files, mut numbers) = (FileCache::default(), RequestIds::default());
        let asked = files.ask_whole(
            &mut numbers,
            &Arc::default(),
            &Timeline::default(),
            key_for(DiffScope::At(RunMoment::after_turns(5))),
        );

        assert_eq!(asked, None);
        let why = "no such file after turn 5".to_owned();
        let known = files
            .compared_file(&key_for(DiffScope::At(RunMoment::after_turns(5))))
            .unwrap()
            .as_ref()
            .unwrap();
        assert_eq!(*known.diff, FileDiff::NotRecorded(why));
    }
}
