//! A recorded run as layers are asked and told of it: the moment before each request, then the turn that is done.
//!
//! [`Feed::moment`] and [`Feed::go_on`] are called in turn until there is no moment any more. The project is kept from turn to
//! turn by what changed; the facts of code are those of the run's lifelines, each content read once. Turns that do not count
//! (cut, failed, skipped) are not asked for: what they did to the files comes with the next turn that counts.

use std::sync::{Arc, PoisonError, RwLock};

use rayon::prelude::*;

use crate::{Archive, Opened};
use trajview_layers::{
    Change, Context, Moment, Project, StepSeen, TurnDone, Who,
    project::{ChangeKind, Texts},
};
use trajview_metrics::{
    lifeline::{self, Known},
    process::action,
};
use trajview_run::{
    EditKind, EditPath, RepoPath, Role, Run, StepId, StepKind,
    files::{self, Timeline, Tree, TreeFile},
};

/// Bytes of a step's words or of its result that are handed on.
const MOST_WORDS: usize = 256 << 10;

/// Bytes of a file that are handed on as text.
const MOST_TEXT: usize = 1 << 20;

/// A recorded run on its way through a layer.
pub struct Feed {
    opened: Opened,
    timeline: Arc<Timeline>,
    known: Known,
    texts: Arc<RunTexts>,
    project: Project,
    requests: Vec<String>,
    steps: Vec<StepSeen>,
    changes: Vec<Change>,
    /// What turns that do not count did since.
    pending: Vec<Change>,
    /// The turn that comes next, counted from 0.
    next: usize,
}

impl Feed {
    /// Reads the requests and the facts of the run's code. The error is a sentence.
    pub fn new(opened: &Opened) -> Result<Self, String> {
        let (run, archive) = (&opened.run, &opened.archive);
        let timeline = archive.timeline(run)?;
        let known = archive.known_code(run, &|_, _| true)?;
        let turns = (0..run.turns.len()).into_par_iter();
        let requests = turns.map(|turn| archive.request_alone(run, turn)).collect();
        let files = RwLock::new(timeline.base.clone());
        let texts = RunTexts { run: run.clone(), archive: archive.clone(), files };
        let mut feed = Self {
            opened: opened.clone(),
            texts: Arc::new(texts),
            project: Project::default(),
            requests,
            steps: vec![],
            changes: vec![],
            pending: vec![],
            next: 0,
            known,
            timeline,
        };
        feed.project.read_from(feed.texts.clone());
        feed.project.commit.clone_from(&run.origin.start_commit);
        let base: Vec<(RepoPath, TreeFile)> =
            feed.timeline.base.files.iter().map(|(path, file)| (path.clone(), *file)).collect();
        base.into_iter().for_each(|(path, file)| feed.set(path, file));
        Ok(feed)
    }

    /// The moment before the next request that counts; None after the last.
    pub fn moment(&mut self) -> Option<Moment<'_>> {
        while self.opened.run.turns.get(self.next).is_some_and(|turn| !turn.counts()) {
            let changes = self.apply(self.next);
            self.pending.extend(changes);
            self.next += 1;
        }
        Some(Moment {
            turn: self.next + 1,
            request: self.requests.get(self.next)?,
            earlier: &self.requests[..self.next],
            project: &self.project,
            context: context(&self.opened.run, self.next),
        })
    }

    /// Carries out the turn of the last moment; None after the last turn.
    pub fn go_on(&mut self) -> Option<TurnDone<'_>> {
        let turn = self.next;
        if turn >= self.requests.len() {
            return None;
        }
        self.changes = std::mem::take(&mut self.pending);
        let changes = self.apply(turn);
        self.changes.extend(changes);
        self.steps = steps(&self.opened, turn);
        self.next += 1;
        Some(TurnDone {
            turn: turn + 1,
            request: &self.requests[turn],
            steps: &self.steps,
            project: &self.project,
            changes: &self.changes,
        })
    }

    /// The files as they are where the feed is.
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// How full the agent's context is where the feed is.
    pub fn context(&self) -> Context {
        context(&self.opened.run, self.next)
    }

    /// Takes the project through a turn.
    fn apply(&mut self, turn: usize) -> Vec<Change> {
        let timeline = self.timeline.clone();
        let Some(files) = timeline.turns.get(turn) else { return vec![] };
        for change in &files.changes {
            let left = change.from.as_ref().unwrap_or(&change.path);
            let mut tree = self.texts.files.write().unwrap_or_else(PoisonError::into_inner);
            tree.apply(change);
            let after = tree.files.get(&change.path).copied();
            drop(tree);
            self.project.remove(left);
            match after {
                Some(file) => self.set(change.path.clone(), file),
                None => self.project.remove(&change.path),
            }
        }
        let commit = self.opened.run.turns.get(turn).and_then(|turn| turn.commit.as_deref());
        if let Some(commit) = commit {
            self.project.commit = Some(commit.to_owned());
        }
        files.changes.iter().map(changed).collect()
    }

    fn set(&mut self, path: RepoPath, file: TreeFile) {
        let content = lifeline::content(&path, file);
        let facts = content.and_then(|content| self.known.get(&content).cloned());
        self.project.set(path, facts);
    }
}

fn changed(change: &files::Change) -> Change {
    let kind = match (change.kind, &change.from) {
        (EditKind::Create, _) => ChangeKind::Added,
        (EditKind::Delete, _) => ChangeKind::Deleted,
        (EditKind::Rename, Some(from)) => ChangeKind::Renamed { from: from.clone() },
        (EditKind::Modify | EditKind::Rename, _) => ChangeKind::Changed,
    };
    Change { path: change.path.clone(), kind }
}

/// How full the context is before a turn (counts from 0): what the last response before it read. Not known where the context
/// was cut since.
fn context(run: &Run, turn: usize) -> Context {
    let before = run.turns.iter().take(turn).rev().flat_map(|turn| turn.steps.iter().rev());
    let mut used = None;
    for step in before {
        used = step.tokens.input;
        if used.is_some() || step.kind == StepKind::Compaction {
            break;
        }
    }
    Context { used, window: run.agent.context_window }
}

/// The steps of a turn (counts from 0).
fn steps(opened: &Opened, turn: usize) -> Vec<StepSeen> {
    let ids: Vec<(StepId, usize)> = opened.run.steps_of_turn(turn).into_iter().zip(1..).collect();
    let seen = |(id, number): &(StepId, usize)| {
        let step = opened.run.step(*id)?;
        let words = opened.archive.step_text(&opened.run, *id);
        let text = words.arguments.filter(|_| step.tool.is_some()).unwrap_or(words.text);
        let told = action::of(step, &text);
        let root = opened.run.origin.root.as_deref();
        let edited = step.edits.iter().map(|edit| edit.path.clone());
        let read = told.reads.iter().map(|path| EditPath::sort(path, root));
        let mut paths: Vec<String> = vec![];
        for path in edited.chain(read).filter_map(|path| Some(path.inside()?.to_string())) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        Some(StepSeen {
            number: *number,
            who: if step.role == Role::User { Who::Person } else { Who::Agent },
            text: within(text, MOST_WORDS),
            tool: step.tool.as_ref().map(|tool| tool.name.to_string()),
            result: within(words.result.unwrap_or_default(), MOST_WORDS),
            paths,
            edits: !step.edits.is_empty() || told.actions.iter().any(|action| action.edits()),
            failed: step.failed(),
        })
    };
    ids.par_iter().filter_map(seen).collect()
}

fn within(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// Texts of the files as they are at the moment of the feed.
struct RunTexts {
    run: Arc<Run>,
    archive: Arc<Archive>,
    files: RwLock<Tree>,
}

impl Texts for RunTexts {
    fn text(&self, path: &RepoPath) -> Option<String> {
        let file = *self.files.read().unwrap_or_else(PoisonError::into_inner).files.get(path)?;
        let bytes = self.archive.content(&self.run, file).ok()?;
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

    fn opened(sample: &str) -> Opened {
        let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
        crate::open(&path).unwrap()
    }

    #[test]
    fn a_run_is_fed_turn_by_turn_and_its_project_is_kept_by_changes() {
        let opened = opened("codex-p12");
        let timeline = opened.archive.timeline(&opened.run).unwrap();
        let mut feed = Feed::new(&opened).unwrap();

        for turn in 1..=opened.run.turns.len() {
            let before = timeline.tree_after(turn - 1);
            let moment = feed.moment().unwrap();
            assert_eq!((moment.turn, moment.earlier.len()), (turn, turn - 1));
            assert!(moment.project.paths().eq(before.files.keys()));
            let done = feed.go_on().unwrap();
            assert_eq!(done.turn, turn);
            assert!(done.steps.iter().zip(1..).all(|(step, number)| step.number == number));
            assert!(done.project.paths().eq(timeline.tree_after(turn).files.keys()));
        }
        assert!(feed.moment().is_none() && feed.go_on().is_none());
    }

    #[test]
    fn a_moment_has_the_texts_of_its_time_and_how_full_the_context_is() {
        let opened = opened("codex-p12");
        let mut feed = Feed::new(&opened).unwrap();
        let losses = RepoPath::new("ppdiff/losses.py").unwrap();

        assert_eq!(feed.moment().unwrap().context.used, None);
        while feed.moment().unwrap().turn < 46 {
            feed.go_on();
        }
        let moment = feed.moment().unwrap();
        let (before, context) = (moment.project.text(&losses).unwrap(), moment.context);
        let done = feed.go_on().unwrap();
        let after = done.project.text(&losses).unwrap();

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
