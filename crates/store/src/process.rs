//! What the process of a run is told from: every step's texts are read once, and what became of its files.

pub mod copy;
mod kept;
mod names;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use trajview_code::tree::{self, Grammar};
use trajview_formats::rigorbench::scores::{self, Score};
use trajview_metrics::{
    lifeline::{self, FileFacts, SymbolLife, is_test},
    process::{
        Action, Assertions, CodeFacts, History, LostUse, NamesOfStep, Observed, Processed, Report,
        StepFacts, Undone, assertions, judged,
    },
};
use trajview_run::{
    RepoPath, Run, StepId, StepKind,
    files::{BlobId, Content, Timeline, Tree},
};

use super::{Archive, checks, memory_events};
use names::Names;

/// Bytes of test files that are read; what is more is left out.
const MOST_TESTS: usize = 64 << 20;

/// How a run was worked on.
pub fn report(archive: &Archive, run: &Run) -> Report {
    Report::of(run, &observed(archive, run))
}

/// The numbers of how a run was worked on, those of its memory among them.
pub fn processed(archive: &Archive, run: &Run) -> Processed {
    processed_of(archive, run, &report(archive, run))
}

/// As [`processed`], of the report that is there already.
pub fn processed_of(archive: &Archive, run: &Run, report: &Report) -> Processed {
    if run.is_rubric_tree_alone() {
        return Processed::default(); // nobody was at work
    }
    let course = memory_events::course(archive, run, run.end());
    let course = course.as_ref().map(|(course, _)| course);
    Processed {
        memory_events: course.map(|course| course.events.len()),
        stale_rate: course.and_then(|course| course.when_given().rate()),
        ..report.numbers()
    }
}

/// What the process of a run is told from. Without files (a log that tells of none, a repository that cannot be read)
/// the steps alone.
pub fn observed(archive: &Archive, run: &Run) -> Observed {
    let timeline = archive.timeline(run).ok();
    let timeline = timeline.as_deref().filter(|it| has_files(it));
    let ids = run.numbered_steps();
    let is_cut = |(id, _): &(StepId, usize)| {
        run.step(*id).is_some_and(|step| step.kind == StepKind::Compaction)
    };
    let of_files = timeline.map(|it| kept::of_files(archive, run, it, ids.iter().any(is_cut)));
    let of_files = of_files.unwrap_or_default();
    let names = Names::of(of_files.defined);
    let facts = |(id, number): &(StepId, usize)| {
        let step = run.step(*id)?;
        let text = archive.step_text(run, *id);
        Some((StepFacts::of(run, *id, *number, step, &text), names.of_step(&text)))
    };
    let (steps, in_steps): (Vec<StepFacts>, Vec<NamesOfStep>) =
        ids.par_iter().filter_map(facts).unzip();
    let requests: Vec<String> =
        (0..run.turns.len()).into_par_iter().map(|turn| archive.request_alone(run, turn)).collect();
    let copy = archive.working_copy();
    let steps = match copy {
        Some(copy) => steps.into_iter().map(|step| with_plan_of(copy, step)).collect(),
        None => steps,
    };
    let history = History {
        undone: timeline.map(undone).unwrap_or_default(),
        lost_uses: of_files.lost_uses,
        first_files: timeline.map(first_files).unwrap_or_default(),
        names: names.uses(&steps, in_steps, &requests),
    };
    Observed {
        steps,
        task: run.task.iter().map(task_words).collect(),
        requests,
        opinions: judged::opinions(&archive.rubric().process),
        code: copy.map(copy::code).or(of_files.code),
        history,
        states: timeline.map(|it| checks::states(archive, run, it)).unwrap_or_default(),
    }
}

fn task_words(task: &trajview_run::Task) -> String {
    format!("{} {}", task.id, task.title.as_deref().unwrap_or_default())
}

/// A step that writes a plan whose text the recording does not have, with the text that the working copy has.
fn with_plan_of(copy: &Path, step: StepFacts) -> StepFacts {
    let is_missing = step.plan_text.is_none() && step.does(Action::PlanCreated);
    let text =
        is_missing.then(|| step.edits.iter().find_map(|path| copy::text(copy, path))).flatten();
    StepFacts { plan_text: text.or(step.plan_text), ..step }
}

fn code_facts(archive: &Archive, run: &Run, timeline: &Timeline) -> CodeFacts {
    let tree = timeline.tree_after(run.end());
    let mut left = MOST_TESTS;
    let mut tests: Vec<(RepoPath, Vec<u8>)> = vec![];
    let is_read = |path: &RepoPath| is_test(path) || assertions::is_paper_test(path);
    for (path, file) in tree.files.iter().filter(|(path, _)| is_read(path)) {
        let Ok(bytes) = archive.content(run, *file) else { continue };
        left = left.saturating_sub(bytes.len());
        if left > 0 {
            tests.push((path.clone(), bytes.to_vec()));
        }
    }
    let shipped = tests.iter().filter(|(path, _)| assertions::is_shipped_test(path));
    let read = |(path, text): &(RepoPath, Vec<u8>)| {
        let grammar = Grammar::of(path.as_str()).filter(|it| it.is_compiled_in());
        let tree = grammar.and_then(|grammar| Some((grammar, tree::parse(grammar, text)?)));
        let Some((grammar, tree)) = tree else { return Default::default() };
        let paper = match assertions::is_paper_test(path) {
            true => assertions::paper(grammar, text, &tree),
            false => Assertions::default(),
        };
        let facts = is_test(path).then(|| lifeline::facts_of(grammar, text, &tree));
        (paper, facts)
    };
    let (paper, facts): (Vec<Assertions>, Vec<Option<FileFacts>>) =
        tests.par_iter().map(read).unzip();
    let is_code = |(path, _): &(&RepoPath, _)| Grammar::of(path.as_str()).is_some();
    let code = || tree.files.iter().filter(is_code);
    let is_read = |path: &RepoPath| tests.iter().any(|(read, _)| read == path);
    let unread = code().filter(|(path, file)| {
        let is_missing = is_test(path) && assertions::is_paper_test(path) && !is_read(path);
        is_missing || (file.blob().is_some() && is_other_test(path))
    });
    let public = public_names(archive, run, &tree);
    let named: HashSet<&str> = facts.iter().flatten().flat_map(FileFacts::words).collect();
    // What imports all of a module can mean any name of it.
    let is_tested = |name: &&String| named.contains(name.as_str()) || named.contains("*");
    CodeFacts {
        shipped: assertions::sum(shipped.map(|(_, text)| assertions::shipped(text))),
        paper: assertions::sum(paper.into_iter()),
        tested: public.iter().filter(is_tested).count(),
        public: public.len(),
        files: code().filter(|(_, file)| file.blob().is_some()).count(),
        unread_tests: unread.count(),
    }
}

/// Whether a file has tests whose assertions nobody counts, as those of a language without a table for them.
fn is_other_test(path: &RepoPath) -> bool {
    Grammar::of(path.as_str()).is_some() && is_test(path) && !assertions::is_paper_test(path)
}

fn is_public(definition: &lifeline::Definition) -> bool {
    !definition.name.contains('.') && !definition.simple().starts_with('_')
}

/// Functions and classes at the top of the files of code, without private ones.
fn public_names(archive: &Archive, run: &Run, tree: &Tree) -> Vec<String> {
    let names = definitions(archive, run, tree, &is_public);
    names.into_iter().map(|(name, _)| name).collect()
}

/// The simple names of functions, classes and methods, each with its file.
fn definitions(
    archive: &Archive,
    run: &Run,
    tree: &Tree,
    is_wanted: &dyn Fn(&lifeline::Definition) -> bool,
) -> Vec<(String, String)> {
    let Ok(known) = archive.known_code(run, &|_, _| true) else { return vec![] };
    let mut names = vec![];
    for (path, file) in &tree.files {
        let content = Grammar::of(path.as_str()).zip(file.blob()).map(|(it, blob)| (blob, it));
        let Some(facts) = content.and_then(|content| known.get(&content)) else { continue };
        let is_code = |it: &&lifeline::Definition| it.kind != lifeline::Kind::Value;
        let found = facts.definitions.iter().filter(is_code).filter(|it| is_wanted(it));
        names.extend(found.map(|it| (it.simple().to_owned(), path.as_str().to_owned())));
    }
    names
}

/// What was in use and is not any more, by turn.
fn lost_uses(lost: Vec<SymbolLife>) -> Vec<LostUse> {
    let mut lost_uses: Vec<LostUse> = lost
        .into_iter()
        .filter_map(|life| {
            let turn = life.lost()?.checked_sub(1)?;
            // What was there before a turn only was never more than a draft.
            let place = life.place?;
            let mut users: Vec<String> =
                life.used_by.iter().map(|user| user.path.as_str().to_owned()).collect();
            users.dedup();
            Some(LostUse {
                name: place.name.to_string(),
                path: place.path.as_str().to_owned(),
                users,
                turn,
                is_gone: life.vanished.is_some(),
            })
        })
        .collect();
    lost_uses.sort_by(|a, b| {
        let key = |it: &LostUse| (it.turn, it.path.clone(), it.name.clone());
        key(a).cmp(&key(b))
    });
    lost_uses
}

fn first_files(timeline: &Timeline) -> Vec<String> {
    timeline.base.files.keys().map(|it| it.as_str().to_owned()).collect()
}

/// Whether anything is known of the files.
fn has_files(timeline: &Timeline) -> bool {
    !timeline.base.files.is_empty() || timeline.turns.iter().any(|turn| !turn.changes.is_empty())
}

/// Files whose content after a turn is one that they had two versions ago or more.
fn undone(timeline: &Timeline) -> Vec<Undone> {
    /// The turn that made a version; None before the first.
    type Versions = Vec<(Option<usize>, Option<BlobId>)>;
    let known = |content: Content| match content {
        Content::Known(blob) => Some(blob),
        Content::NotRecorded => None,
    };
    let mut versions: HashMap<&RepoPath, Versions> = HashMap::new();
    for (path, file) in &timeline.base.files {
        versions.entry(path).or_default().push((None, known(file.content)));
    }
    let mut found = vec![];
    for (turn, files) in timeline.turns.iter().enumerate() {
        for change in &files.changes {
            let Some(blob) = change.after().and_then(|file| known(file.content)) else {
                continue;
            };
            let before = versions.entry(&change.path).or_default();
            let again = before.iter().rposition(|(_, other)| *other == Some(blob));
            // The version after the one that is back is what is undone.
            if let Some((Some(edited), _)) = again.and_then(|at| before.get(at + 1)) {
                found.push(Undone {
                    path: change.path.as_str().to_owned(),
                    edited: *edited,
                    undone: turn,
                });
            }
            before.push((Some(turn), Some(blob)));
        }
    }
    found
}

/// Bytes of a score file that are read.
const MOST_SCORES: u64 = 16 << 20;

/// A file of scores and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreFile {
    pub path: PathBuf,
    pub scores: Vec<Score>,
}

/// RigorBench's score files that lie beside these runs, or in the folder above them; each once, by its path.
pub fn scores_beside(paths: &[PathBuf]) -> Vec<ScoreFile> {
    let folders: BTreeSet<&Path> =
        paths.iter().flat_map(|path| path.ancestors().skip(1).take(2)).collect();
    let is_score = |path: &PathBuf| {
        let name = super::disk::name_of(path);
        name.contains("_scores") && (name.ends_with(".yaml") || name.ends_with(".yml"))
    };
    let files = folders.iter().flat_map(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        super::disk::listed(folder).into_iter().filter(is_score)
    });
    files.filter_map(|path| score_file(&path)).collect()
}

/// None for what is no file of scores.
pub fn score_file(path: &Path) -> Option<ScoreFile> {
    let size = super::disk::metadata(path).ok().filter(|it| it.is_file())?.len();
    let text =
        (size <= MOST_SCORES).then(|| String::from_utf8(super::disk::read(path).ok()?).ok())??;
    Some(ScoreFile { path: path.to_owned(), scores: scores::read(&text)? })
}
