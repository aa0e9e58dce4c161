//! What becomes of files and names: edits undone, names that nobody uses any more, names lost at a compaction, files that no
//! request named.

use std::collections::{HashMap, HashSet};

use crate::process::{
    observed::{Observed, StepFacts},
    paths,
    plan::telling_words,
};
use trajview_run::StepKind;

use super::{Kind, Signal, over};

pub fn find(observed: &Observed, found: &mut Vec<Signal>) {
    undone(observed, found);
    lost_uses(observed, found);
    context_lost(observed, found);
    unrequested(observed, found);
}

/// The last step of a turn that edits the file, else the last that changes any, else the turn's last.
fn step_of(observed: &Observed, turn: usize, path: &str) -> Option<usize> {
    let own = || (0..observed.steps.len()).rev().filter(|at| observed.steps[*at].id.turn == turn);
    let edits = |step: &StepFacts| step.edits.iter().any(|edited| edited == path);
    own()
        .find(|at| edits(&observed.steps[*at]))
        .or_else(|| own().find(|at| observed.steps[*at].edits_files()))
        .or_else(|| own().next())
}

fn about(mut signal: Signal, path: &str) -> Signal {
    signal.path = Some(path.to_owned());
    signal
}

/// What was asked for is not told: a request that names the file, or that asks to put something back.
fn undone(observed: &Observed, found: &mut Vec<Signal>) {
    for undone in &observed.history.undone {
        let request = request_of(observed, undone.undone);
        let asks = ["revert", "undo", "put back", "restore", "roll back", "remove", "delete"];
        let name = file_name(&undone.path);
        if asks.iter().any(|word| request.contains(word)) || request.contains(&name) {
            continue;
        }
        let Some(at) = step_of(observed, undone.undone, &undone.path) else { continue };
        let why = format!("{} is again what it was before turn {}", undone.path, undone.edited + 1);
        found.push(about(over(observed, Kind::Undone, (at, at), why), &undone.path));
    }
}

/// Words of a request that asks for something to go.
const REMOVES: [&str; 6] = ["remove", "delete", "drop", "replace", "rename", "dead"];

/// Whoever names the definition in the turn's request, or asks for its file to go, knows what becomes of it. What lies in a
/// definition that is lost is not told by itself.
fn lost_uses(observed: &Observed, found: &mut Vec<Signal>) {
    for lost in &observed.history.lost_uses {
        let request = request_of(observed, lost.turn);
        let simple = lost.name.rsplit('.').next().unwrap_or(&lost.name).to_lowercase();
        let removes = REMOVES.iter().any(|word| has_word(&request, word));
        let names_file =
            request.contains(&file_name(&lost.path)) || has_word(&request, &stem(&lost.path));
        let owner = lost.name.rsplit_once('.').map(|(owner, _)| owner);
        let is_in_owner = owner.is_some_and(|owner| {
            let all = observed.history.lost_uses.iter();
            all.clone().any(|it| it.turn == lost.turn && it.path == lost.path && it.name == owner)
        });
        if has_word(&request, &simple) || (removes && names_file) || is_in_owner {
            continue;
        }
        let user = lost.users.first().map_or(lost.path.as_str(), String::as_str);
        let Some(at) = step_of(observed, lost.turn, user) else { continue };
        let why = match lost.is_gone {
            true => format!("{} ({}) is gone; {user} used it", lost.name, lost.path),
            false => {
                format!("nothing uses {} ({}) any more; {user} did until now", lost.name, lost.path)
            }
        };
        found.push(about(over(observed, Kind::UseLost, (at, at), why), &lost.path));
    }
}

/// Files of code and names that the agent worked with before a compaction and that neither the summary nor anything later
/// names any more, while the work goes on. A test that passes need not be looked at again.
fn context_lost(observed: &Observed, found: &mut Vec<Signal>) {
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
        found.push(over(observed, Kind::ContextLost, (cut, cut), why));
    }
}

/// Files that were read or edited twice or more before the compaction, in alphabetical order.
fn lost_files(observed: &Observed, cut: usize) -> Vec<&str> {
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
        .filter(|(path, times)| *times > 1 && !later.contains(path) && !paths::is_test(path))
        .map(|(path, _)| path)
        .filter(|path| !summary.contains(&file_name(path)) && !summary.contains(&stem(path)))
        .collect();
    lost.sort_unstable();
    lost
}

/// Calls and requests that use a name before it counts as worked with: to write it is one, to call it another.
const WORKED_WITH: usize = 3;

/// Functions, classes and methods that calls and requests used before the compaction and that the code still defines at the
/// end, though no request, no message, no call and nothing that came back has their names any more.
fn lost_names(observed: &Observed, cut: usize) -> Vec<&(String, String)> {
    let uses = &observed.history.names;
    let (before, after) = observed.steps.split_at(cut);
    let of = |step: &StepFacts| uses.steps.get(&step.id);
    let requests = uses.requests.iter().enumerate();
    let is_before = |turn: &usize| *turn <= observed.steps[cut].id.turn;
    let (earlier, later): (Vec<_>, Vec<_>) = requests.partition(|(turn, _)| is_before(turn));
    let mut times = vec![0; uses.defined.len()];
    let used = before.iter().filter_map(of).flat_map(|names| &names.used);
    for name in used.chain(earlier.into_iter().flat_map(|(_, names)| names)) {
        times[*name] += 1;
    }
    let seen = after.iter().filter_map(of).flat_map(|names| names.used.iter().chain(&names.seen));
    let seen: HashSet<&usize> =
        seen.chain(later.into_iter().flat_map(|(_, names)| names)).collect();
    let is_lost = |at: &usize| times[*at] >= WORKED_WITH && !seen.contains(at);
    (0..uses.defined.len()).filter(is_lost).map(|at| &uses.defined[at]).collect()
}

/// Names that a line has room for.
const NAMED: usize = 4;

/// Where requests name files at all: a file that was there before the run, is changed, and is named by no request so far nor
/// read by the agent before. Each file is told once.
fn unrequested(observed: &Observed, found: &mut Vec<Signal>) {
    let names_files = |request: &String| telling_words(request).iter().any(|word| is_file(word));
    if !observed.requests.iter().any(names_files) {
        return;
    }
    let first: HashSet<&str> = observed.history.first_files.iter().map(String::as_str).collect();
    let (mut told, mut read) = (HashSet::new(), HashSet::new());
    let mut asked = String::new();
    let mut turn = None;
    for (at, step) in observed.steps.iter().enumerate() {
        if turn != Some(step.id.turn) {
            turn = Some(step.id.turn);
            asked.push_str(&request_of(observed, step.id.turn));
            asked.push('\n');
        }
        read.extend(step.reads.iter().map(String::as_str));
        for path in &step.edits {
            let is_named = asked.contains(&file_name(path)) || has_word(&asked, &stem(path));
            let is_new = first.contains(path.as_str()) && !read.contains(path.as_str());
            if is_new && !is_named && told.insert(path.as_str()) {
                let why = format!(
                    "{path} was there before the run; no request names it and no step read it"
                );
                found.push(about(over(observed, Kind::Unrequested, (at, at), why), path));
            }
        }
    }
}

fn request_of(observed: &Observed, turn: usize) -> String {
    observed.requests.get(turn).map(|request| request.to_lowercase()).unwrap_or_default()
}

fn file_name(path: &str) -> String {
    paths::name(path).to_lowercase()
}

fn stem(path: &str) -> String {
    paths::stem(path).to_lowercase()
}

/// Whether a text has the word, between characters that are no part of a name.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty() && text.split(|c| !is_part(c)).any(|other| other == word)
}

/// `train.py`, `src/app`
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
    use crate::process::{History, NameUses, NamesOfStep, observed::Prints};
    use trajview_run::StepId;

    /// A letter is a call that uses a name, `|` the compaction, `.` a call that uses none.
    fn lost(letters: &str) -> Vec<String> {
        let defined = ["a", "b"].map(|name| (name.to_owned(), format!("{name}.py"))).to_vec();
        let (mut steps, mut names) = (vec![], HashMap::new());
        for (step, letter) in letters.chars().enumerate() {
            let id = StepId { turn: 0, subagent: None, step };
            let kind = if letter == '|' { StepKind::Compaction } else { StepKind::Tool };
            let call = (letter != '|').then_some(step as u64);
            let prints = Prints { call, ..Prints::default() };
            steps.push(StepFacts { id, number: step + 1, kind, prints, ..StepFacts::default() });
            let used = defined.iter().position(|(name, _)| name.starts_with(letter));
            let used: Vec<usize> = used.into_iter().collect();
            names.insert(id, NamesOfStep { seen: used.clone(), used });
        }
        let names = NameUses { defined, steps: names, requests: vec![vec![]] };
        let history = History { names, ..History::default() };
        let mut found = vec![];
        context_lost(&Observed { steps, history, ..Observed::default() }, &mut found);
        found.into_iter().map(|it| it.why).collect()
    }

    #[test]
    fn a_name_that_was_worked_with_and_never_comes_again_is_lost_at_the_compaction() {
        let why =
            "worked with before, missing from the summary and from all that follows: a (a.py)";
        assert_eq!(lost("aabab|bb."), [why]);
        assert_eq!(lost("aabab|ab."), [""; 0]);
    }

    #[test]
    fn a_name_that_was_touched_twice_is_none_that_was_worked_with() {
        assert_eq!(lost("aabb|..."), [""; 0]);
        // And where nothing follows, nothing can be missing.
        assert_eq!(lost("aaab|.."), [""; 0]);
    }
}
