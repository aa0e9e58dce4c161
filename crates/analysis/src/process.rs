//! The facts from which the process of a run is computed: the texts of every step, read once, and the history of its
//! files.

mod copy_facts;
mod file_facts;
mod name_uses;
mod number_cache;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use rayon::prelude::*;

use trajview_code::tree::{self, Grammar};
use trajview_metrics::{
    lifeline::{self, FileFacts, SymbolLife, is_test},
    process::{
        AssertionCounts, CodeFacts, CodeHistory, LostUse, NamesOfStep, ObservedRun, ProcessNumbers,
        ProcessReport, StepAction, StepFacts, UndoneEdit, assertions, judged_parts,
    },
};
use trajview_run::{
    RepoPath, Run, StepId, StepKind,
    files::{BlobId, FileContent, SourceTree, Timeline},
};
use trajview_store::{Archive, checks, working_copy};

use super::{lifelines, memory};
use name_uses::DefinedNames;

/// The most bytes of test files that are read; what is more is left out.
const MOST_TESTS: usize = 64 << 20;

/// Returns the report of how a run was worked on.
pub fn process_report(archive: &Archive, run: &Run) -> ProcessReport {
    ProcessReport::new(run, &observe_run(archive, run))
}

/// Returns the numbers of how a run was worked on, those of its memory among them.
pub fn process_numbers(archive: &Archive, run: &Run) -> ProcessNumbers {
    number_cache::cached_numbers(archive, run, || {
        numbers_of_report(archive, run, &process_report(archive, run))
    })
}

/// Works as [`process_numbers`], of the report that is there already.
pub fn numbers_of_report(archive: &Archive, run: &Run, report: &ProcessReport) -> ProcessNumbers {
    if run.has_no_log() {
        return ProcessNumbers::default(); // no agent worked
    }
    let course = memory::memory_timeline(archive, run, run.end_in_turns());
    let course = course.as_ref().map(|(course, _)| course);
    ProcessNumbers {
        memory_events: course.map(|course| course.events.len()),
        stale_rate: course.and_then(|course| course.when_given().stale_rate()),
        ..report.process_numbers()
    }
}

/// Returns the facts from which the process of a run is computed. Without files (a log without any, a repository that
/// cannot be read) these are the steps alone.
pub fn observe_run(archive: &Archive, run: &Run) -> ObservedRun {
    let timeline = archive.timeline(run).ok();
    let timeline = timeline.as_deref().filter(|it| has_files(it));
    let ids = run.numbered_steps();
    let is_cut = |(id, _): &(StepId, usize)| {
        run.step(*id).is_some_and(|step| step.kind == StepKind::Compaction)
    };
    let of_files =
        timeline.map(|it| file_facts::file_facts(archive, run, it, ids.iter().any(is_cut)));
    let of_files = of_files.unwrap_or_default();
    let names = DefinedNames::from_definitions(of_files.defined);
    let facts = |(id, number): &(StepId, usize)| {
        let step = run.step(*id)?;
        let text = archive.step_text(run, *id);
        Some((StepFacts::new(run, *id, *number, step, &text), names.names_of_step(&text)))
    };
    let (steps, in_steps): (Vec<StepFacts>, Vec<NamesOfStep>) =
        ids.par_iter().filter_map(facts).unzip();
    let requests: Vec<String> =
        (0..run.turns.len()).into_par_iter().map(|turn| archive.request_text(run, turn)).collect();
    let copy = archive.working_copy();
    let steps = match copy {
        Some(copy) => steps.into_iter().map(|step| with_plan_from_copy(copy, step)).collect(),
        None => steps,
    };
    let history = CodeHistory {
        undone: timeline.map(undone_changes).unwrap_or_default(),
        lost_uses: of_files.lost_uses,
        first_files: timeline.map(first_files).unwrap_or_default(),
        names: names.name_uses(&steps, in_steps, &requests),
    };
    ObservedRun {
        steps,
        task: run.task.iter().map(task_text).collect(),
        requests,
        opinions: judged_parts::latest_opinions(&archive.read_rubric().process),
        code: copy.map(copy_facts::copy_code_facts).or(of_files.code),
        history,
        states: timeline.map(|it| checks::check_states(archive, run, it)).unwrap_or_default(),
    }
}

fn task_text(task: &trajview_run::Task) -> String {
    format!("{} {}", task.id, task.title.as_deref().unwrap_or_default())
}

/// Returns a step that writes a plan whose text the recording does not have, with the text that the working copy has.
fn with_plan_from_copy(copy: &Path, step: StepFacts) -> StepFacts {
    let is_missing = step.plan_text.is_none() && step.has_action(StepAction::PlanCreated);
    let text = is_missing
        .then(|| step.edits.iter().find_map(|path| working_copy::file_text(copy, path)))
        .flatten();
    StepFacts { plan_text: text.or(step.plan_text), ..step }
}

fn code_facts(archive: &Archive, run: &Run, timeline: &Timeline) -> CodeFacts {
    let tree = timeline.tree_after(run.end_in_turns());
    let mut left = MOST_TESTS;
    let mut tests: Vec<(RepoPath, Vec<u8>)> = vec![];
    let is_read = |path: &RepoPath| is_test(path) || assertions::is_paper_test(path);
    for (path, file) in tree.files.iter().filter(|(path, _)| is_read(path)) {
        let Ok(bytes) = archive.file_content(run, *file) else { continue };
        left = left.saturating_sub(bytes.len());
        if left > 0 {
            tests.push((path.clone(), bytes.to_vec()));
        }
    }
    let shipped = tests.iter().filter(|(path, _)| assertions::is_shipped_test(path));
    let read = |(path, text): &(RepoPath, Vec<u8>)| {
        let grammar = Grammar::for_path(path.as_str()).filter(|it| it.is_compiled_in());
        let tree = grammar.and_then(|grammar| Some((grammar, tree::parse_tree(grammar, text)?)));
        let Some((grammar, tree)) = tree else { return Default::default() };
        let paper = match assertions::is_paper_test(path) {
            true => assertions::count_as_paper(grammar, text, &tree),
            false => AssertionCounts::default(),
        };
        let facts = is_test(path).then(|| lifeline::facts_of_tree(grammar, text, &tree));
        (paper, facts)
    };
    let (paper, facts): (Vec<AssertionCounts>, Vec<Option<FileFacts>>) =
        tests.par_iter().map(read).unzip();
    let is_code = |(path, _): &(&RepoPath, _)| Grammar::for_path(path.as_str()).is_some();
    let code = || tree.files.iter().filter(is_code);
    let is_read = |path: &RepoPath| tests.iter().any(|(read, _)| read == path);
    let unread = code().filter(|(path, file)| {
        let is_missing = is_test(path) && assertions::is_paper_test(path) && !is_read(path);
        is_missing || (file.blob_id().is_some() && is_uncounted_test(path))
    });
    let public = public_names(archive, run, &tree);
    let named: HashSet<&str> =
        facts.iter().flatten().flat_map(FileFacts::mentioned_names).collect();
    // What imports all of a module can mean any name of it.
    let is_tested = |name: &&String| named.contains(name.as_str()) || named.contains("*");
    CodeFacts {
        shipped: assertions::sum_counts(shipped.map(|(_, text)| assertions::count_as_scorer(text))),
        paper: assertions::sum_counts(paper.into_iter()),
        tested: public.iter().filter(is_tested).count(),
        public: public.len(),
        files: code().filter(|(_, file)| file.blob_id().is_some()).count(),
        unread_tests: unread.count(),
    }
}

/// Returns whether a file has tests whose assertions are not counted, such as those of a language without a table for
/// them.
fn is_uncounted_test(path: &RepoPath) -> bool {
    Grammar::for_path(path.as_str()).is_some() && is_test(path) && !assertions::is_paper_test(path)
}

fn is_public(definition: &lifeline::CodeDefinition) -> bool {
    !definition.name.contains('.') && !definition.simple_name().starts_with('_')
}

/// Returns the functions and classes at the top level of the files of code, without private ones.
fn public_names(archive: &Archive, run: &Run, tree: &SourceTree) -> Vec<String> {
    let names = definition_names(archive, run, tree, &is_public);
    names.into_iter().map(|(name, _)| name).collect()
}

/// Returns the simple names of functions, classes and methods, each with its file.
fn definition_names(
    archive: &Archive,
    run: &Run,
    tree: &SourceTree,
    is_wanted: &dyn Fn(&lifeline::CodeDefinition) -> bool,
) -> Vec<(String, String)> {
    let Ok(facts) = lifelines::code_facts(archive, run, &|_, _| true) else { return vec![] };
    let mut names = vec![];
    for (path, file) in &tree.files {
        let content =
            Grammar::for_path(path.as_str()).zip(file.blob_id()).map(|(it, blob)| (blob, it));
        let Some(facts) = content.and_then(|content| facts.get(&content)) else { continue };
        let is_code = |it: &&lifeline::CodeDefinition| it.kind != lifeline::DefinitionKind::Value;
        let found = facts.definitions.iter().filter(is_code).filter(|it| is_wanted(it));
        names.extend(found.map(|it| (it.simple_name().to_owned(), path.as_str().to_owned())));
    }
    names
}

/// Returns the uses that were lost, by turn.
fn lost_uses(lost: Vec<SymbolLife>) -> Vec<LostUse> {
    let mut lost_uses: Vec<LostUse> = lost
        .into_iter()
        .filter_map(|life| {
            let turn = life.lost_turn()?.checked_sub(1)?;
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

/// Returns whether the timeline has any files.
fn has_files(timeline: &Timeline) -> bool {
    !timeline.base.files.is_empty() || timeline.turns.iter().any(|turn| !turn.changes.is_empty())
}

/// Returns the files whose content after a turn is the one of two or more versions before.
fn undone_changes(timeline: &Timeline) -> Vec<UndoneEdit> {
    /// The turn that made a version; None before the first.
    type Versions = Vec<(Option<usize>, Option<BlobId>)>;
    let known = |content: FileContent| match content {
        FileContent::Known(blob) => Some(blob),
        FileContent::NotRecorded => None,
    };
    let mut versions: HashMap<&RepoPath, Versions> = HashMap::new();
    for (path, file) in &timeline.base.files {
        versions.entry(path).or_default().push((None, known(file.content)));
    }
    let mut found = vec![];
    for (turn, files) in timeline.turns.iter().enumerate() {
        for change in &files.changes {
            let Some(blob) = change.file_after().and_then(|file| known(file.content)) else {
                continue;
            };
            let before = versions.entry(&change.path).or_default();
            let again = before.iter().rposition(|(_, other)| *other == Some(blob));
            // The version after the one that is back is what is undone.
            if let Some((Some(edited), _)) = again.and_then(|at| before.get(at + 1)) {
                found.push(UndoneEdit {
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
