//! The files of the run at a moment, and how they differ between two: what changed, line by line, with colours, and who
//! wrote which line. What is known is kept; the least recently used is given up first.

use std::sync::Arc;

use trajview_run::{
    EditKind, RepoPath, Run, StepId,
    files::{Change, FileDiff, Moment, Origin, Timeline, Version},
};

use super::{
    Session,
    ask::{Answers, Pending},
    cache::Cache,
    effect::Effect,
    question::{Answer, Question},
    request::{Numbers, Request, Sentence},
};

pub mod blame;
pub mod colours;
pub mod compared;
pub mod texts;

use blame::{Blame, FileAt};
use colours::Colours;
use compared::Compared;

/// Whose change a comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everything a turn did; counts from 0.
    Turn(usize),
    /// What one step did.
    Step(StepId),
    /// Everything between the moment when `done` turns were done and the end of a turn.
    Since { done: usize, turn: usize },
    /// The files as they are at a moment, whatever changed.
    At(Moment),
}

impl Scope {
    /// The turn after which the lines on the right of the comparison stand; None where they stand after none.
    pub const fn turn_after(self) -> Option<usize> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::At(moment) => moment.turn(),
            Self::Since { done, turn } if done <= turn => Some(turn),
            Self::Since { .. } | Self::Step(_) => None,
        }
    }
}

/// Names one comparison.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiffKey {
    pub scope: Scope,
    pub path: RepoPath,
}

/// Two moments, both counted in turns done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub before: usize,
    pub after: usize,
}

impl Span {
    /// The moments that a scope lies between, where it is about more than one turn or step.
    pub const fn of(scope: Scope) -> Option<Self> {
        match scope {
            Scope::Since { done, turn } => Some(Self { before: done, after: turn + 1 }),
            Scope::Turn(_) | Scope::Step(_) | Scope::At(_) => None,
        }
    }
}

/// More comparisons than are ever wanted at once.
const KEPT: usize = 128;

/// More spans than anybody goes to and fro between.
const KEPT_SPANS: usize = 64;

#[derive(Debug)]
pub struct Files {
    compared: Cache<DiffKey, Result<Arc<Compared>, Sentence>>,
    comparing: Pending<DiffKey>,
    changes: Answers<Span, Vec<Change>>,
    pub blame: Blame,
    pub colours: Colours,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            compared: Cache::of(KEPT),
            comparing: Pending::default(),
            changes: Answers::of(KEPT_SPANS),
            blame: Blame::default(),
            colours: Colours::default(),
        }
    }
}

impl Files {
    /// None while it is not known.
    pub fn compared(&self, key: &DiffKey) -> Option<&Result<Arc<Compared>, Sentence>> {
        self.compared.get(key)
    }

    pub fn has(&self, key: &DiffKey) -> bool {
        self.compared.has(key)
    }

    /// Whether nothing is being compared.
    pub const fn is_free(&self) -> bool {
        self.comparing.is_free()
    }

    /// Compares a change line by line, with so many lines of context; what was being compared is no longer waited for.
    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        run: &Arc<Run>,
        (key, change): (DiffKey, Change),
        context: usize,
    ) -> Effect {
        let question = Question::Diff { run: run.clone(), change, context };
        self.comparing.ask(numbers, key, question)
    }

    /// Asks for a file at a moment, as if all of it was new, if it is not known yet.
    fn ask_whole(
        &mut self,
        numbers: &mut Numbers,
        run: &Arc<Run>,
        timeline: &Timeline,
        key: DiffKey,
    ) -> Option<Effect> {
        let Scope::At(moment) = key.scope else { return None };
        if self.has(&key) || !self.is_free() {
            return None;
        }
        let tree = timeline.tree_at(run, moment);
        let Some(file) = tree.files.get(&key.path).copied() else {
            let why = format!("there is no such file {}", said(run, moment));
            self.put(key, Ok(FileDiff::NotRecorded(why)));
            return None;
        };
        let change = Change {
            path: key.path.clone(),
            from: None,
            kind: EditKind::Create,
            version: Version::Whole { old: None, new: Some(file) },
            origin: Origin::Recorded,
        };
        Some(self.ask(numbers, run, (key, change), 0))
    }

    fn put(&mut self, key: DiffKey, answer: Result<FileDiff, Sentence>) {
        let cut = if matches!(key.scope, Scope::At(_)) { Compared::whole } else { Compared::of };
        self.compared.put(key, answer.map(|diff| Arc::new(cut(diff))));
    }

    /// What changed between two moments; None while it is not known.
    pub fn changes(&self, span: Span) -> Option<&Result<Vec<Change>, Sentence>> {
        self.changes.get(&span)
    }

    /// Takes an answer to what was asked here; gives back any other.
    pub(super) fn take(&mut self, request: Request, run: &Run, answer: Answer) -> Option<Answer> {
        match answer {
            Answer::Diff(diff) => {
                if let Some(key) = self.comparing.answered(request) {
                    self.put(key, diff);
                }
            }
            Answer::ChangesBetween(changes) => {
                self.changes.take(request, changes);
            }
            Answer::Blame(lines) => self.blame.take(request, run, lines),
            Answer::Colours(colours) => self.colours.take(request, colours),
            other => return Some(other),
        }
        None
    }

    /// Gives up what is no longer true after a run has grown: all from its first turn that is new, which counts from 0.
    pub fn forget_from(&mut self, first: usize) {
        self.comparing.forget();
        self.compared.retain(|key| key.last_turn() < first);
        self.colours.forget(|key| key.last_turn() >= first);
        self.changes.forget(|span| span.before.max(span.after) > first);
        self.blame.forget(|file| file.moment.last_turn() >= first);
    }
}

/// `after turn 12`, `after step 12.7`, `before the first turn`: for what is said of files at a moment.
pub fn said(run: &Run, moment: Moment) -> String {
    match (moment.step, moment.turn()) {
        (Some(step), _) => {
            let number = run.step_numbers(step.turn).get(&step).copied();
            format!("after step {}.{}", step.turn + 1, number.unwrap_or(step.step + 1))
        }
        (None, Some(turn)) => format!("after turn {}", turn + 1),
        (None, None) => "before the first turn".into(),
    }
}

impl DiffKey {
    /// The last turn that the comparison depends on, counts from 0.
    const fn last_turn(&self) -> usize {
        match self.scope {
            Scope::Turn(turn) => turn,
            Scope::At(moment) => moment.last_turn(),
            Scope::Since { done, turn } => {
                if done > turn + 1 {
                    done - 1
                } else {
                    turn
                }
            }
            Scope::Step(step) => step.turn,
        }
    }
}

impl Session {
    /// The files that changed; none while that is not known.
    pub fn changes_of(&self, scope: Scope) -> &[Change] {
        let Some(timeline) = self.timeline.ready() else { return &[] };
        match scope {
            Scope::Turn(turn) => timeline.turns.get(turn).map_or(&[], |turn| &turn.changes),
            Scope::Step(step) => timeline.changes_of(step),
            Scope::Since { .. } => Span::of(scope).map_or(&[], |span| self.changes_between(span)),
            Scope::At(_) => &[],
        }
    }

    fn changes_between(&self, span: Span) -> &[Change] {
        let changes = self.files.changes(span).and_then(|changes| changes.as_ref().ok());
        changes.map_or(&[], Vec::as_slice)
    }

    /// Asks what changed between two moments, where it is not known and nothing else is asked.
    pub fn ask_changes(&mut self, numbers: &mut Numbers, span: Span) -> Option<Effect> {
        self.timeline.ready()?;
        let Span { before, after } = span;
        let question = || Question::ChangesBetween { run: self.run.clone(), before, after };
        self.files.changes.ask(numbers, span, question)
    }

    /// Asks for a file at a moment, as if all of it was new, if it is not known yet.
    pub fn ask_whole(&mut self, numbers: &mut Numbers, key: DiffKey) -> Option<Effect> {
        let timeline = self.timeline.ready()?;
        self.files.ask_whole(numbers, &self.run, timeline, key)
    }

    /// Asks for a file at a moment; once its text is there for who wrote its lines and for its colours.
    pub fn ask_file(&mut self, numbers: &mut Numbers, key: DiffKey) -> Vec<Effect> {
        if !self.files.has(&key) {
            return self.ask_whole(numbers, key).into_iter().collect();
        }
        let mut effects = vec![];
        let Some(Ok(compared)) = self.files.compared(&key).cloned() else { return effects };
        if compared.text().is_none() {
            return effects; // what cannot be shown need not be blamed
        }
        if let Scope::At(moment) = key.scope {
            let file = FileAt { moment, path: key.path.clone() };
            effects.extend(self.files.blame.ask(numbers, &self.run, file));
        }
        effects.extend(self.files.colours.ask(numbers, key, &compared));
        effects
    }

    /// Takes the files of a run that has grown. What was worked out of turns that are not what they were is given up;
    /// whether there was any.
    pub fn renew_timeline(&mut self, timeline: Arc<Timeline>) -> bool {
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

    fn key(scope: Scope) -> DiffKey {
        DiffKey { scope, path: RepoPath::new("a.py").unwrap() }
    }

    fn change() -> Change {
        Change {
            path: RepoPath::new("a.py").unwrap(),
            from: None,
            kind: EditKind::Create,
            version: Version::Whole { old: None, new: None },
            origin: Origin::Recorded,
        }
    }

    fn text() -> FileDiff {
        let (diff, new) = (diff_text("", "one\n", 3), Some("one\n".into()));
        FileDiff::Text { diff, old: None, new }
    }

    /// Files that know the comparisons of these scopes.
    fn knowing(scopes: &[Scope]) -> Files {
        let (mut files, mut numbers, run) = (Files::default(), Numbers::default(), Arc::default());
        for scope in scopes {
            let asked = files.ask(&mut numbers, &run, (key(*scope), change()), 3);
            files.take(asked.request().unwrap(), &run, Answer::Diff(Ok(text())));
        }
        files
    }

    #[test]
    fn what_is_from_before_the_first_new_turn_stays_known() {
        let since = |done, turn| Scope::Since { done, turn };
        let scopes =
            [Scope::Turn(1), Scope::Turn(2), Scope::At(Moment::after(2)), since(0, 1), since(3, 1)];
        let mut files = knowing(&scopes);

        files.forget_from(2);

        let known = scopes.map(|scope| files.has(&key(scope)));
        assert_eq!(known, [true, false, true, true, false]);
    }

    #[test]
    fn a_file_after_a_turn_is_known_as_a_whole_and_a_change_as_its_hunks() {
        let files = knowing(&[Scope::At(Moment::after(2)), Scope::Turn(1)]);
        let is_whole =
            |scope| files.compared(&key(scope)).unwrap().as_ref().unwrap().is_whole_file();

        assert!(is_whole(Scope::At(Moment::after(2))) && !is_whole(Scope::Turn(1)));
    }

    #[test]
    fn an_answer_to_an_older_comparison_is_dropped() {
        let (mut files, mut numbers, run) = (Files::default(), Numbers::default(), Arc::default());
        let old = files.ask(&mut numbers, &run, (key(Scope::Turn(0)), change()), 3);
        files.ask(&mut numbers, &run, (key(Scope::Turn(1)), change()), 3);

        let left = files.take(old.request().unwrap(), &run, Answer::Diff(Ok(text())));

        assert_eq!(left, None);
        assert!(!files.has(&key(Scope::Turn(0))) && !files.has(&key(Scope::Turn(1))));
    }

    #[test]
    fn a_file_that_is_not_there_after_a_turn_is_known_not_to_be() {
        let (mut files, mut numbers) = (Files::default(), Numbers::default());
        let asked = files.ask_whole(
            &mut numbers,
            &Arc::default(),
            &Timeline::default(),
            key(Scope::At(Moment::after(5))),
        );

        assert_eq!(asked, None);
        let why = "there is no such file after turn 5".to_owned();
        let known = files.compared(&key(Scope::At(Moment::after(5)))).unwrap().as_ref().unwrap();
        assert_eq!(*known.diff, FileDiff::NotRecorded(why));
    }
}
