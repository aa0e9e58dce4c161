//! A recorded run as a sequence of inputs for layers: the moment before each request, then the finished turn.
//!
//! [`RunFeed::next_moment`] and [`RunFeed::finish_turn`] are called in turn until there is no moment any more. The
//! project is updated from turn to turn by the changes; the facts of code are those of the run's lifelines, each
//! content read once. Turns that do not count (cut, failed, skipped) have no moment: their changes of files come with
//! the next turn that counts.

use std::sync::{Arc, PoisonError, RwLock};

use rayon::prelude::*;

use trajview_layers::{
    ContextUse, LayerProject, ProjectChange, RequestMoment, StepAuthor, StepSeen, TurnDone,
    project::{ChangeKind, ProjectTexts},
};
use trajview_metrics::{
    lifeline::{self, FactsByContent},
    process::action,
};
use trajview_run::{
    EditKind, EditPath, RepoPath, Role, Run, StepId, StepKind,
    files::{self, SourceTree, Timeline, TreeFile},
};
use trajview_store::{Archive, OpenedRecording};

use crate::lifelines;

/// The most bytes of a step's text or of its result that a layer gets.
const MOST_WORDS: usize = 256 << 10;

/// The most bytes of a file that a layer gets as text.
const MOST_TEXT: usize = 1 << 20;

/// A recorded run that is fed to a layer.
pub struct RunFeed {
    opened: OpenedRecording,
    timeline: Arc<Timeline>,
    facts: FactsByContent,
    texts: Arc<RunTexts>,
    project: LayerProject,
    requests: Vec<String>,
    steps: Vec<StepSeen>,
    changes: Vec<ProjectChange>,
    /// The changes of the turns since then that do not count.
    pending: Vec<ProjectChange>,
    /// The turn that comes next, counted from 0.
    next: usize,
}

impl RunFeed {
    /// Reads the requests and the facts of the run's code. The error is a sentence.
    pub fn new(opened: &OpenedRecording) -> Result<Self, String> {
        let (run, archive) = (&opened.run, &opened.archive);
        let timeline = archive.timeline(run)?;
        let facts = lifelines::code_facts(archive, run, &|_, _| true)?;
        let turns = (0..run.turns.len()).into_par_iter();
        let requests = turns.map(|turn| archive.request_text(run, turn)).collect();
        let files = RwLock::new(timeline.base.clone());
        let texts = RunTexts { run: run.clone(), archive: archive.clone(), files };
        let mut feed = Self {
            opened: opened.clone(),
            texts: Arc::new(texts),
            project: LayerProject::default(),
            requests,
            steps: vec![],
            changes: vec![],
            pending: vec![],
            next: 0,
            facts,
            timeline,
        };
        feed.project.read_from(feed.texts.clone());
        feed.project.commit.clone_from(&run.origin.start_commit);
        let base: Vec<(RepoPath, TreeFile)> =
            feed.timeline.base.files.iter().map(|(path, file)| (path.clone(), *file)).collect();
        base.into_iter().for_each(|(path, file)| feed.set_file(path, file));
        Ok(feed)
    }

    /// Applies the turns that do not count, and returns the moment before the next request; None after the last.
    pub fn next_moment(&mut self) -> Option<RequestMoment<'_>> {
        while self.opened.run.turns.get(self.next).is_some_and(|turn| !turn.is_counted()) {
            let changes = self.apply_turn(self.next);
            self.pending.extend(changes);
            self.next += 1;
        }
        Some(RequestMoment {
            turn: self.next + 1,
            request: self.requests.get(self.next)?,
            earlier: &self.requests[..self.next],
            project: &self.project,
            context: context_before(&self.opened.run, self.next),
        })
    }

    /// Applies the turn of the last moment; None after the last turn.
    pub fn finish_turn(&mut self) -> Option<TurnDone<'_>> {
        let turn = self.next;
        if turn >= self.requests.len() {
            return None;
        }
        self.changes = std::mem::take(&mut self.pending);
        let changes = self.apply_turn(turn);
        self.changes.extend(changes);
        self.steps = seen_steps(&self.opened, turn);
        self.next += 1;
        Some(TurnDone {
            turn: turn + 1,
            request: &self.requests[turn],
            steps: &self.steps,
            project: &self.project,
            changes: &self.changes,
        })
    }

    /// Returns the files as they are where the feed is.
    pub const fn project(&self) -> &LayerProject {
        &self.project
    }

    /// Returns how full the agent's context is at the current moment.
    pub fn context(&self) -> ContextUse {
        context_before(&self.opened.run, self.next)
    }

    /// Applies the changes of a turn to the project, and returns them.
    fn apply_turn(&mut self, turn: usize) -> Vec<ProjectChange> {
        let timeline = self.timeline.clone();
        let Some(files) = timeline.turns.get(turn) else { return vec![] };
        for change in &files.changes {
            let left = change.from.as_ref().unwrap_or(&change.path);
            let mut tree = self.texts.files.write().unwrap_or_else(PoisonError::into_inner);
            tree.apply_change(change);
            let after = tree.files.get(&change.path).copied();
            drop(tree);
            self.project.remove_file(left);
            match after {
                Some(file) => self.set_file(change.path.clone(), file),
                None => self.project.remove_file(&change.path),
            }
        }
        let commit = self.opened.run.turns.get(turn).and_then(|turn| turn.commit.as_deref());
        if let Some(commit) = commit {
            self.project.commit = Some(commit.to_owned());
        }
        files.changes.iter().map(layer_change).collect()
    }

    fn set_file(&mut self, path: RepoPath, file: TreeFile) {
        let content = lifeline::facts_key(&path, file);
        let facts = content.and_then(|content| self.facts.get(&content).cloned());
        self.project.set_file(path, facts);
    }
}

fn layer_change(change: &files::FileChange) -> ProjectChange {
    let kind = match (change.kind, &change.from) {
        (EditKind::Create, _) => ChangeKind::Added,
        (EditKind::Delete, _) => ChangeKind::Deleted,
        (EditKind::Rename, Some(from)) => ChangeKind::Renamed { from: from.clone() },
        (EditKind::Modify | EditKind::Rename, _) => ChangeKind::Changed,
    };
    ProjectChange { path: change.path.clone(), kind }
}

/// Returns how full the context is before a turn (counts from 0): the tokens that the last response before it read.
/// Unknown where the context was compacted since.
fn context_before(run: &Run, turn: usize) -> ContextUse {
    let before = run.turns.iter().take(turn).rev().flat_map(|turn| turn.steps.iter().rev());
    let mut used = None;
    for step in before {
        used = step.tokens.input;
        if used.is_some() || step.kind == StepKind::Compaction {
            break;
        }
    }
    ContextUse { used, window: run.agent.context_window }
}

/// Returns the steps of a turn, which counts from 0.
fn seen_steps(opened: &OpenedRecording, turn: usize) -> Vec<StepSeen> {
    let ids: Vec<(StepId, usize)> = opened.run.steps_of_turn(turn).into_iter().zip(1..).collect();
    let seen = |(id, number): &(StepId, usize)| {
        let step = opened.run.step(*id)?;
        let words = opened.archive.step_text(&opened.run, *id);
        let text = words.arguments.filter(|_| step.tool.is_some()).unwrap_or(words.text);
        let action = action::actions_of_step(step, &text);
        let root = opened.run.origin.root.as_deref();
        let edited = step.edits.iter().map(|edit| edit.path.clone());
        let read = action.reads.iter().map(|path| EditPath::from_recorded(path, root));
        let mut paths: Vec<String> = vec![];
        for path in edited.chain(read).filter_map(|path| Some(path.repo_path()?.to_string())) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        Some(StepSeen {
            number: *number,
            who: if step.role == Role::User { StepAuthor::Person } else { StepAuthor::Agent },
            text: truncate_text(text, MOST_WORDS),
            tool: step.tool.as_ref().map(|tool| tool.name.to_string()),
            result: truncate_text(words.result.unwrap_or_default(), MOST_WORDS),
            paths,
            edits: !step.edits.is_empty()
                || action.actions.iter().any(|action| action.edits_files()),
            failed: step.has_failed(),
        })
    };
    ids.par_iter().filter_map(seen).collect()
}

fn truncate_text(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// The texts of the files at the moment of the feed.
struct RunTexts {
    run: Arc<Run>,
    archive: Arc<Archive>,
    files: RwLock<SourceTree>,
}

impl ProjectTexts for RunTexts {
    fn read_text(&self, path: &RepoPath) -> Option<String> {
        let file = *self.files.read().unwrap_or_else(PoisonError::into_inner).files.get(path)?;
        let bytes = self.archive.file_content(&self.run, file).ok()?;
        if bytes.len() > MOST_TEXT {
            return None;
        }
        std::str::from_utf8(&bytes).ok().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn open_sample(sample: &str) -> OpenedRecording {
        let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
        trajview_store::open(&path).unwrap()
    }

    #[test]
    fn a_run_is_fed_turn_by_turn_and_its_project_is_kept_by_changes() {
        let opened = open_sample("codex-p12");
        let timeline = opened.archive.timeline(&opened.run).unwrap();
        let mut feed = RunFeed::new(&opened).unwrap();

        for turn in 1..=opened.run.turns.len() {
            let before = timeline.tree_after(turn - 1);
            let moment = feed.next_moment().unwrap();
            assert_eq!((moment.turn, moment.earlier.len()), (turn, turn - 1));
            assert!(moment.project.paths().eq(before.files.keys()));
            let done = feed.finish_turn().unwrap();
            assert_eq!(done.turn, turn);
            assert!(done.steps.iter().zip(1..).all(|(step, number)| step.number == number));
            assert!(done.project.paths().eq(timeline.tree_after(turn).files.keys()));
        }
        assert!(feed.next_moment().is_none() && feed.finish_turn().is_none());
    }

    #[test]
    fn a_moment_has_the_texts_of_its_time_and_how_full_the_context_is() {
        let opened = open_sample("codex-p12");
        let mut feed = RunFeed::new(&opened).unwrap();
        let losses = RepoPath::new("ppdiff/losses.py").unwrap();

        assert_eq!(feed.next_moment().unwrap().context.used, None);
        while feed.next_moment().unwrap().turn < 46 {
            feed.finish_turn();
        }
        let moment = feed.next_moment().unwrap();
        let (before, context) = (moment.project.file_text(&losses).unwrap(), moment.context);
        let done = feed.finish_turn().unwrap();
        let after = done.project.file_text(&losses).unwrap();

        assert!(before.contains("def snr_weight") && !after.contains("def snr_weight"));
        assert_eq!(context.window, Some(258_400));
        assert!(context.used.is_some_and(|used| used > 9_000));
        assert!(done.changes.iter().any(|it| it.path == losses && it.kind == ChangeKind::Changed));
        assert!(
            done.steps
                .iter()
                .any(|it| it.edits && it.paths.contains(&"ppdiff/losses.py".to_owned()))
        );
    }
}
