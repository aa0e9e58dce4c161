//! Which files a request is about, by the structure alone: names and words that it shares with paths, symbols and what they
//! say of themselves, what was changed last, and what the files found so use of others.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use trajview_run::RepoPath;

use super::{
    structure::{CodeStructure, KnownFile},
    words,
};

/// A file that a request may be about.
#[derive(Debug, Clone, PartialEq)]
pub struct RelevantFile {
    pub path: RepoPath,
    pub score: f64,
    /// The indices of the skeleton's most informative symbols, the most informative first.
    pub symbols: Vec<usize>,
}

/// The files that a request is about, the most likely first in each list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RelevantFiles {
    /// Files that share names or words with the request.
    pub about: Vec<RelevantFile>,
    /// Files that those use, with the symbols that they use.
    pub shared: Vec<RelevantFile>,
    /// Files that the last turns changed, where nothing shares a word.
    pub recent: Vec<RelevantFile>,
}

/// The weights of a shared word by its place, and of the whole name of a symbol or file.
const IN_PATH: f64 = 3.0;
const IN_NAME: f64 = 2.0;
const IN_ABOUT: f64 = 1.0;
const SYMBOL_NAMED: f64 = 8.0;
const FILE_NAMED: f64 = 20.0;

/// The weight of a file's symbols beside the best one.
const OTHERS: f64 = 0.25;

/// The weight of a change in the turn before, for a file that shares a word as well; half of it a turn earlier, and
/// so on.
const RECENT: f64 = 1.0;

/// Turns over which a change is recent.
const RECENT_TURNS: usize = 3;

/// Files of each kind, at most.
const MAX_FILES: usize = 4;
const MAX_SHARED_FILES: usize = 8;

/// A file counts where it has this part of the best score.
const MIN_SCORE_SHARE: f64 = 0.3;

/// Finds the files that a request is about; `turn` is the turn of the request.
pub(crate) fn find_relevant(
    structure: &CodeStructure,
    request: &str,
    turn: usize,
) -> RelevantFiles {
    let (words, names) = (words::distinct_words(request), words::names_in_text(request));
    let having = words.iter().flat_map(|word| structure.with_word(word));
    let named = names.iter().flat_map(|name| structure.users().files_defining(name));
    let mut candidates: BTreeSet<&RepoPath> = having.chain(named).collect();
    let is_named = |path: &RepoPath| names.iter().any(|name| names_file(name, path));
    if names.iter().any(|name| name.contains(['.', '/'])) {
        candidates
            .extend(structure.known_files().map(|(path, _)| path).filter(|path| is_named(path)));
    }
    let scored_request = ScoredRequest { structure, words: &words, names: &names };
    let mut about: Vec<RelevantFile> = candidates
        .into_iter()
        .filter_map(|path| {
            let (score, symbols) = scored_request.score_file(path, structure.known_file(path)?);
            let named = if is_named(path) { FILE_NAMED } else { 0.0 };
            let score = score + named + change_recency(structure, path, turn);
            Some(RelevantFile { path: path.clone(), score, symbols })
        })
        .collect();
    keep_best(&mut about, MAX_FILES);
    let recent = if about.is_empty() { recent_files(structure, turn) } else { vec![] };
    let seeds = if about.is_empty() { &recent } else { &about };
    let shared = used_files(structure, seeds);
    RelevantFiles { about, shared, recent }
}

impl RelevantFiles {
    /// Returns the files that share words with the request; where there are none, the files that were changed last.
    pub(crate) fn seed_files(&self) -> &[RelevantFile] {
        if self.about.is_empty() { &self.recent } else { &self.about }
    }
}

impl RelevantFile {
    /// Returns whether the file has at least half the score of the first.
    pub(crate) fn is_likely(&self, first: &Self) -> bool {
        self.score * 2.0 >= first.score
    }
}

struct ScoredRequest<'a> {
    structure: &'a CodeStructure,
    words: &'a BTreeSet<String>,
    names: &'a BTreeSet<&'a str>,
}

impl ScoredRequest<'_> {
    /// Returns the score of a file for the request, and its symbols: those that share words with it, those that they
    /// use in the file, and those that other files use.
    fn score_file(&self, path: &RepoPath, known: &KnownFile) -> (f64, Vec<usize>) {
        let in_path = self.sum_weights(&known.words) * IN_PATH;
        let mut symbols: Vec<(usize, f64, usize)> = vec![];
        for (at, (symbol, words)) in known.skeleton.symbols.iter().zip(&known.symbols).enumerate() {
            let is_named = self.names.contains(symbol.simple_name())
                || self.names.contains(symbol.name.as_str());
            let about: f64 =
                words.about.difference(&words.name).map(|it| self.word_weight(it)).sum();
            let named = if is_named { SYMBOL_NAMED } else { 0.0 };
            let score = self.sum_weights(&words.name) * IN_NAME + about * IN_ABOUT + named;
            symbols.push((at, score, self.structure.users().users_of(path, &symbol.name).count()));
        }
        let best = symbols.iter().map(|it| it.1).fold(0.0, f64::max);
        let others = symbols.iter().map(|it| it.1).sum::<f64>() - best;
        let mut matching: Vec<&(usize, f64, usize)> =
            symbols.iter().filter(|it| it.1 > 0.0).collect();
        matching
            .sort_by(|a, b| compare_descending(a.1, b.1).then(b.2.cmp(&a.2)).then(a.0.cmp(&b.0)));
        let mut order: Vec<usize> = matching.iter().map(|it| it.0).collect();
        let helpers: Vec<usize> =
            order.iter().flat_map(|at| &known.skeleton.symbols[*at].uses).copied().collect();
        let mut used: Vec<&(usize, f64, usize)> = symbols.iter().filter(|it| it.2 > 0).collect();
        used.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)));
        for at in helpers.into_iter().chain(used.into_iter().map(|it| it.0)) {
            if !order.contains(&at) {
                order.push(at);
            }
        }
        (in_path + best + others * OTHERS, order)
    }

    fn sum_weights(&self, words: &BTreeSet<String>) -> f64 {
        words.iter().map(|word| self.word_weight(word)).sum()
    }

    fn word_weight(&self, word: &str) -> f64 {
        if self.words.contains(word) { self.structure.word_weight(word) } else { 0.0 }
    }
}

/// Returns whether a word of a request names a file: by its path, the end of it, or its name.
fn names_file(name: &str, path: &RepoPath) -> bool {
    let has_suffix = name.contains('.') || name.contains('/');
    has_suffix && (path.as_str() == name || path.as_str().ends_with(&format!("/{name}")))
}

fn change_recency(structure: &CodeStructure, path: &RepoPath, turn: usize) -> f64 {
    let age = structure.last_changed(path).map(|changed| turn.saturating_sub(changed).max(1));
    age.filter(|age| *age <= RECENT_TURNS).map_or(0.0, |age| RECENT / age as f64)
}

/// Returns the files that the last turns changed.
fn recent_files(structure: &CodeStructure, turn: usize) -> Vec<RelevantFile> {
    let recent_file = |(path, known): (&RepoPath, &KnownFile)| {
        let score = change_recency(structure, path, turn);
        let is_used = |at: &usize| {
            let symbol = &known.skeleton.symbols[*at];
            structure.users().users_of(path, &symbol.name).next().is_some()
        };
        let symbols = (0..known.skeleton.symbols.len()).filter(is_used).collect();
        (score > 0.0).then(|| RelevantFile { path: path.clone(), score, symbols })
    };
    let mut found: Vec<RelevantFile> = structure.known_files().filter_map(recent_file).collect();
    keep_best(&mut found, MAX_FILES);
    found
}

/// Returns what these files use of others: the more files share a name, the higher its score.
fn used_files(structure: &CodeStructure, seeds: &[RelevantFile]) -> Vec<RelevantFile> {
    let mut found: BTreeMap<&RepoPath, BTreeMap<usize, f64>> = BTreeMap::new();
    for seed in seeds {
        for place in structure.users().used_by(&seed.path) {
            if seeds.iter().any(|seed| seed.path == place.path) {
                continue;
            }
            let symbols = structure.known_file(&place.path).map(|it| it.skeleton.symbols.iter());
            let at = symbols.and_then(|mut all| all.position(|it| *it.name == *place.name));
            let Some(at) = at else { continue };
            let users = structure.users().users_of(&place.path, &place.name).count();
            *found.entry(&place.path).or_default().entry(at).or_default() +=
                seed.score * (1.0 + users as f64).ln();
        }
    }
    let mut shared: Vec<RelevantFile> = found
        .into_iter()
        .map(|(path, symbols)| {
            let score = symbols.values().copied().fold(0.0, f64::max);
            let mut order: Vec<(usize, f64)> = symbols.into_iter().collect();
            order.sort_by(|a, b| compare_descending(a.1, b.1).then(a.0.cmp(&b.0)));
            let symbols = order.into_iter().map(|(at, _)| at).collect();
            RelevantFile { path: path.clone(), score, symbols }
        })
        .collect();
    shared.sort_by(|a, b| compare_descending(a.score, b.score).then(a.path.cmp(&b.path)));
    shared.truncate(MAX_SHARED_FILES);
    shared
}

fn keep_best(found: &mut Vec<RelevantFile>, most: usize) {
    found.sort_by(|a, b| compare_descending(a.score, b.score).then(a.path.cmp(&b.path)));
    let best = found.first().map_or(0.0, |first| first.score);
    found.retain(|it| it.score > 0.0 && it.score >= best * MIN_SCORE_SHARE);
    found.truncate(most);
}

fn compare_descending(a: f64, b: f64) -> Ordering {
    b.total_cmp(&a)
}

#[cfg(test)]
mod tests {
    use super::{super::structure::tests::*, *};

    const FILES: [(&str, &str); 4] = [
        ("p/schedule.py", "class CosineSchedule:\n    def snr(self, t): pass\n"),
        (
            "p/train.py",
            "from p.schedule import CosineSchedule\ndef train_step(x):\n    return CosineSchedule()\n",
        ),
        (
            "p/sampler.py",
            "from p.schedule import CosineSchedule\ndef sample():\n    return CosineSchedule()\n",
        ),
        ("p/pdb.py", "def write_pdb(path): pass\n"),
    ];

    fn found_paths(request: &str) -> (Vec<String>, Vec<String>) {
        let mut structure = CodeStructure::default();
        structure.read_project(&python_project(&FILES));
        let found = find_relevant(&structure, request, 3);
        let paths = |all: &[RelevantFile]| all.iter().map(|it| it.path.to_string()).collect();
        (paths(&found.about), paths(&found.shared))
    }

    #[test]
    fn a_request_is_about_what_shares_its_words_and_about_what_that_uses() {
        let strings = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();

        assert_eq!(
            found_paths("Training is too slow"),
            (strings(&["p/train.py"]), strings(&["p/schedule.py"]))
        );
        assert_eq!(found_paths("Change write_pdb.").0, strings(&["p/pdb.py"]));
        assert_eq!(found_paths("Look at pdb.py").0, strings(&["p/pdb.py"]));
        assert_eq!(found_paths("Thanks, fine!"), (vec![], vec![]));
    }
}
