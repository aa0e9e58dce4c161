//! Signals about files and names: edits undone, names that lost their last use, names lost at a compaction, files that
//! no request named.

use std::collections::{HashMap, HashSet};

use crate::process::{
    paths,
    plan::distinctive_words,
    step_facts::{ObservedRun, StepFacts},
};
use trajview_run::StepKind;

use super::{ProcessSignal, SignalKind, signal_over};

/// Adds the signals about files and names.
pub(crate) fn find_change_signals(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    undone_edits(observed, signals);
    lost_uses(observed, signals);
    context_lost(observed, signals);
    unrequested_files(observed, signals);
}

/// Returns the last step of a turn that edits the file, else the last that changes any file, else the turn's last
/// step.
fn step_editing(observed: &ObservedRun, turn: usize, path: &str) -> Option<usize> {
    let steps_of_turn =
        || (0..observed.steps.len()).rev().filter(|at| observed.steps[*at].id.turn == turn);
    let edits = |step: &StepFacts| step.edits.iter().any(|edited| edited == path);
    steps_of_turn()
        .find(|at| edits(&observed.steps[*at]))
        .or_else(|| steps_of_turn().find(|at| observed.steps[*at].edits_files()))
        .or_else(|| steps_of_turn().next())
}

fn with_path(mut signal: ProcessSignal, path: &str) -> ProcessSignal {
    signal.path = Some(path.to_owned());
    signal
}

/// Finds undone edits, without requested ones: the request names the file, or asks to undo something.
fn undone_edits(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    for undone in &observed.history.undone {
        let request = request_of(observed, undone.undone);
        let asks = ["revert", "undo", "put back", "restore", "roll back", "remove", "delete"];
        let name = file_name(&undone.path);
        if asks.iter().any(|word| request.contains(word)) || request.contains(&name) {
            continue;
        }
        let Some(at) = step_editing(observed, undone.undone, &undone.path) else { continue };
        let why = format!("{} is the same as before turn {}", undone.path, undone.edited + 1);
        signals.push(with_path(
            signal_over(observed, SignalKind::Undone, (at, at), why),
            &undone.path,
        ));
    }
}

/// Words of a request to remove something.
const REMOVES: [&str; 6] = ["remove", "delete", "drop", "replace", "rename", "dead"];

/// Finds definitions that lost their last use, without requested ones: the turn's request names the definition or asks
/// to remove its file. A definition inside a lost one is not reported separately.
fn lost_uses(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    for lost in &observed.history.lost_uses {
        let request = request_of(observed, lost.turn);
        let simple = lost.name.rsplit('.').next().unwrap_or(&lost.name).to_lowercase();
        let removes = REMOVES.iter().any(|word| has_word(&request, word));
        let names_file =
            request.contains(&file_name(&lost.path)) || has_word(&request, &file_stem(&lost.path));
        let owner = lost.name.rsplit_once('.').map(|(owner, _)| owner);
        let is_in_owner = owner.is_some_and(|owner| {
            let all = observed.history.lost_uses.iter();
            all.clone().any(|it| it.turn == lost.turn && it.path == lost.path && it.name == owner)
        });
        if has_word(&request, &simple) || (removes && names_file) || is_in_owner {
            continue;
        }
        let user = lost.users.first().map_or(lost.path.as_str(), String::as_str);
        let Some(at) = step_editing(observed, lost.turn, user) else { continue };
        let why = match lost.is_gone {
            true => format!("{} ({}) is gone; {user} used it", lost.name, lost.path),
            false => {
                format!("nothing uses {} ({}) any more; {user} did until now", lost.name, lost.path)
            }
        };
        signals
            .push(with_path(signal_over(observed, SignalKind::UseLost, (at, at), why), &lost.path));
    }
}

/// Finds files of code and names that the agent worked with before a compaction and that neither the summary nor any
/// later step names, while the work continues. A test that passes need not be looked at again.
fn context_lost(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let is_cut = |at: &usize| observed.steps[*at].kind == StepKind::Compaction;
    for cut in (0..observed.steps.len()).filter(is_cut) {
        let after = &observed.steps[cut..];
        if after.iter().filter(|step| step.prints.call.is_some()).count() < 3 {
            continue;
        }
        let files = lost_files(observed, cut);
        let names = lost_names(observed, cut);
        let names = names.iter().filter(|(_, path)| !files.contains(&path.as_str()));
        let names = names.map(|(name, path)| format!("{name} ({path})"));
        let lost: Vec<String> = files.iter().map(|it| (*it).to_owned()).chain(names).collect();
        if lost.is_empty() {
            continue;
        }
        let more = lost.len().saturating_sub(NAMED);
        let names = lost[..lost.len().min(NAMED)].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let why = format!(
            "worked with before, missing from the summary and from all that follows: {names}{more}"
        );
        signals.push(signal_over(observed, SignalKind::ContextLost, (cut, cut), why));
    }
}

/// Returns the files that were read or edited twice or more before the compaction and not after it, in alphabetical
/// order.
fn lost_files(observed: &ObservedRun, cut: usize) -> Vec<&str> {
    let (before, after) = observed.steps.split_at(cut);
    let later: HashSet<&str> = after
        .iter()
        .flat_map(|step| step.reads.iter().chain(&step.edits))
        .map(String::as_str)
        .collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    for path in before.iter().flat_map(|step| step.reads.iter().chain(&step.edits)) {
        *times.entry(path.as_str()).or_default() += 1;
    }
    let summary = &after[0].summary;
    let mut lost: Vec<&str> = times
        .into_iter()
        .filter(|(path, times)| *times > 1 && !later.contains(path) && !paths::is_test_path(path))
        .map(|(path, _)| path)
        .filter(|path| !summary.contains(&file_name(path)) && !summary.contains(&file_stem(path)))
        .collect();
    lost.sort_unstable();
    lost
}

/// The calls and requests that must use a name, so that it counts as worked with: writing it is one, calling it
/// another.
const WORKED_WITH: usize = 3;

/// Returns functions, classes and methods that calls and requests used before the compaction and that the code still
/// defines at the end, although no later request, message, call or response has their names.
fn lost_names(observed: &ObservedRun, cut: usize) -> Vec<&(String, String)> {
    let uses = &observed.history.names;
    let (before, after) = observed.steps.split_at(cut);
    let names_of = |step: &StepFacts| uses.steps.get(&step.id);
    let requests = uses.requests.iter().enumerate();
    let is_before = |turn: &usize| *turn <= observed.steps[cut].id.turn;
    let (earlier, later): (Vec<_>, Vec<_>) = requests.partition(|(turn, _)| is_before(turn));
    let mut times = vec![0; uses.defined.len()];
    let used = before.iter().filter_map(names_of).flat_map(|names| &names.used);
    for name in used.chain(earlier.into_iter().flat_map(|(_, names)| names)) {
        times[*name] += 1;
    }
    let seen =
        after.iter().filter_map(names_of).flat_map(|names| names.used.iter().chain(&names.seen));
    let seen: HashSet<&usize> =
        seen.chain(later.into_iter().flat_map(|(_, names)| names)).collect();
    let is_lost = |at: &usize| times[*at] >= WORKED_WITH && !seen.contains(at);
    (0..uses.defined.len()).filter(is_lost).map(|at| &uses.defined[at]).collect()
}

/// The most names in one line.
const NAMED: usize = 4;

/// Finds changed files that existed before the run, that no request so far named and that the agent had not read.
/// Applies only where requests name files at all. Each file is reported once.
fn unrequested_files(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let names_files =
        |request: &String| distinctive_words(request).iter().any(|word| is_file(word));
    if !observed.requests.iter().any(names_files) {
        return;
    }
    let first: HashSet<&str> = observed.history.first_files.iter().map(String::as_str).collect();
    let (mut told, mut read) = (HashSet::new(), HashSet::new());
    let mut requested = String::new();
    let mut turn = None;
    for (at, step) in observed.steps.iter().enumerate() {
        if turn != Some(step.id.turn) {
            turn = Some(step.id.turn);
            requested.push_str(&request_of(observed, step.id.turn));
            requested.push('\n');
        }
        read.extend(step.reads.iter().map(String::as_str));
        for path in &step.edits {
            let is_named =
                requested.contains(&file_name(path)) || has_word(&requested, &file_stem(path));
            let is_new = first.contains(path.as_str()) && !read.contains(path.as_str());
            if is_new && !is_named && told.insert(path.as_str()) {
                let why = format!(
                    "{path} was there before the run; no request names it and no step read it"
                );
                signals.push(with_path(
                    signal_over(observed, SignalKind::Unrequested, (at, at), why),
                    path,
                ));
            }
        }
    }
}

fn request_of(observed: &ObservedRun, turn: usize) -> String {
    observed.requests.get(turn).map(|request| request.to_lowercase()).unwrap_or_default()
}

fn file_name(path: &str) -> String {
    paths::file_name(path).to_lowercase()
}

fn file_stem(path: &str) -> String {
    paths::file_stem(path).to_lowercase()
}

/// Returns whether a text has the word as a whole word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty() && text.split(|c| !is_part(c)).any(|other| other == word)
}

/// Returns whether a word looks like a path: `train.py`, `src/app`.
fn is_file(word: &str) -> bool {
    let suffix = word.rsplit_once('.').map(|(_, suffix)| suffix);
    word.contains('/')
        || suffix.is_some_and(|it| {
            (1..=4).contains(&it.len()) && it.bytes().all(|b| b.is_ascii_alphabetic())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{CodeHistory, NameUses, NamesOfStep, step_facts::StepFingerprints};
    use trajview_run::StepId;

    /// ` the compaction, `.` a call that uses none.|Returns the lost names in a run where a letter is a call that uses
    /// a name, `|` the compaction, `.` a call that uses none.|` the compaction, `.` a call that uses none.
    fn lost_names_in(letters: &str) -> Vec<String> {
        let defined = ["a", "b"].map(|name| (name.to_owned(), format!("{name}.py"))).to_vec();
        let (mut steps, mut names) = (vec![], HashMap::new());
        for (step, letter) in letters.chars().enumerate() {
            let id = StepId { turn: 0, subagent: None, step };
            let kind = if letter == '|' { StepKind::Compaction } else { StepKind::Tool };
            let call = (letter != '|').then_some(step as u64);
            let prints = StepFingerprints { call, ..StepFingerprints::default() };
            steps.push(StepFacts { id, number: step + 1, kind, prints, ..StepFacts::default() });
            let used = defined.iter().position(|(name, _)| name.starts_with(letter));
            let used: Vec<usize> = used.into_iter().collect();
            names.insert(id, NamesOfStep { seen: used.clone(), used });
        }
        let names = NameUses { defined, steps: names, requests: vec![vec![]] };
        let history = CodeHistory { names, ..CodeHistory::default() };
        let mut signals = vec![];
        context_lost(&ObservedRun { steps, history, ..ObservedRun::default() }, &mut signals);
        signals.into_iter().map(|it| it.why).collect()
    }

    #[test]
    fn a_name_that_was_worked_with_and_never_comes_again_is_lost_at_the_compaction() {
        let why =
            "worked with before, missing from the summary and from all that follows: a (a.py)";
        assert_eq!(lost_names_in("aabab|bb."), [why]);
        assert_eq!(lost_names_in("aabab|ab."), [""; 0]);
    }

    #[test]
    fn a_name_that_was_touched_twice_is_none_that_was_worked_with() {
        assert_eq!(lost_names_in("aabb|..."), [""; 0]);
        // Where nothing follows, nothing can be missing.
        assert_eq!(lost_names_in("aaab|.."), [""; 0]);
    }
}
