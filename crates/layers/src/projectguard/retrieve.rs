//! Which files a request is about, by the structure alone: names and words that it shares with paths, symbols and what they
//! say of themselves, what was changed last, and what the files found so use of others.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use trajview_run::RepoPath;

use super::{
    structure::{Known, Structure},
    words,
};

/// A file that a request may be about.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevant {
    pub path: RepoPath,
    pub score: f64,
    /// Indices of the skeleton's symbols that are worth to be told, the most telling first.
    pub symbols: Vec<usize>,
}

/// What a request is about, the most likely first in each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Files that share names or words with the request.
    pub about: Vec<Relevant>,
    /// Files that those use, with the symbols that they use.
    pub shared: Vec<Relevant>,
    /// Files that the last turns changed, where nothing shares a word.
    pub recent: Vec<Relevant>,
}

/// How much a shared word counts, by where it stands; and the whole name of a symbol or file.
const IN_PATH: f64 = 3.0;
const IN_NAME: f64 = 2.0;
const IN_ABOUT: f64 = 1.0;
const SYMBOL_NAMED: f64 = 8.0;
const FILE_NAMED: f64 = 20.0;

/// What counts of a file's symbols beside the best one.
const OTHERS: f64 = 0.25;

/// Of a file that the turn before changed, where it shares a word as well; half of that a turn earlier, and so on.
const RECENT: f64 = 1.0;

/// Turns over which a change is recent.
const TURNS: usize = 3;

/// Files of each kind, at most.
const MOST: usize = 4;
const MOST_SHARED: usize = 8;

/// A file counts where it has this part of the best score.
const LEAST: f64 = 0.3;

/// What a request is about. `turn` is its own.
pub fn find(structure: &Structure, request: &str, turn: usize) -> Found {
    let (words, names) = (words::of(request), words::names(request));
    let having = words.iter().flat_map(|word| structure.with_word(word));
    let named = names.iter().flat_map(|name| structure.users().defining(name));
    let mut candidates: BTreeSet<&RepoPath> = having.chain(named).collect();
    let is_named = |path: &RepoPath| names.iter().any(|name| names_file(name, path));
    if names.iter().any(|name| name.contains(['.', '/'])) {
        candidates.extend(structure.files().map(|(path, _)| path).filter(|path| is_named(path)));
    }
    let asked = Asked { structure, words: &words, names: &names };
    let mut about: Vec<Relevant> = candidates
        .into_iter()
        .filter_map(|path| {
            let (score, symbols) = asked.score(path, structure.file(path)?);
            let named = if is_named(path) { FILE_NAMED } else { 0.0 };
            let score = score + named + recency(structure, path, turn);
            Some(Relevant { path: path.clone(), score, symbols })
        })
        .collect();
    keep_best(&mut about, MOST);
    let recent = if about.is_empty() { recent(structure, turn) } else { vec![] };
    let seeds = if about.is_empty() { &recent } else { &about };
    let shared = shared(structure, seeds);
    Found { about, shared, recent }
}

impl Found {
    /// What it is about; where nothing shares a word, what was changed last.
    pub fn seeds(&self) -> &[Relevant] {
        if self.about.is_empty() { &self.recent } else { &self.about }
    }
}

impl Relevant {
    /// Whether it has at least half the score of the first.
    pub fn is_likely(&self, first: &Self) -> bool {
        self.score * 2.0 >= first.score
    }
}

struct Asked<'a> {
    structure: &'a Structure,
    words: &'a BTreeSet<String>,
    names: &'a BTreeSet<&'a str>,
}

impl Asked<'_> {
    /// How much a file shares with the request, and its symbols: those that share words with it, what those use in the file,
    /// what other files use.
    fn score(&self, path: &RepoPath, known: &Known) -> (f64, Vec<usize>) {
        let in_path = self.sum(&known.words) * IN_PATH;
        let mut symbols: Vec<(usize, f64, usize)> = vec![];
        for (at, (symbol, words)) in known.skeleton.symbols.iter().zip(&known.symbols).enumerate() {
            let is_named =
                self.names.contains(symbol.simple()) || self.names.contains(symbol.name.as_str());
            let about: f64 = words.about.difference(&words.name).map(|it| self.weight(it)).sum();
            let named = if is_named { SYMBOL_NAMED } else { 0.0 };
            let score = self.sum(&words.name) * IN_NAME + about * IN_ABOUT + named;
            symbols.push((at, score, self.structure.users().of(path, &symbol.name).count()));
        }
        let best = symbols.iter().map(|it| it.1).fold(0.0, f64::max);
        let others = symbols.iter().map(|it| it.1).sum::<f64>() - best;
        let mut asked: Vec<&(usize, f64, usize)> = symbols.iter().filter(|it| it.1 > 0.0).collect();
        asked.sort_by(|a, b| descending(a.1, b.1).then(b.2.cmp(&a.2)).then(a.0.cmp(&b.0)));
        let mut order: Vec<usize> = asked.iter().map(|it| it.0).collect();
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

    fn sum(&self, words: &BTreeSet<String>) -> f64 {
        words.iter().map(|word| self.weight(word)).sum()
    }

    fn weight(&self, word: &str) -> f64 {
        if self.words.contains(word) { self.structure.weight(word) } else { 0.0 }
    }
}

/// Whether a word of a request names a file: by its path, the end of it, or its name.
fn names_file(name: &str, path: &RepoPath) -> bool {
    let has_suffix = name.contains('.') || name.contains('/');
    has_suffix && (path.as_str() == name || path.as_str().ends_with(&format!("/{name}")))
}

fn recency(structure: &Structure, path: &RepoPath, turn: usize) -> f64 {
    let age = structure.changed(path).map(|changed| turn.saturating_sub(changed).max(1));
    age.filter(|age| *age <= TURNS).map_or(0.0, |age| RECENT / age as f64)
}

/// The files that the last turns changed.
fn recent(structure: &Structure, turn: usize) -> Vec<Relevant> {
    let of = |(path, known): (&RepoPath, &Known)| {
        let score = recency(structure, path, turn);
        let is_used = |at: &usize| {
            let symbol = &known.skeleton.symbols[*at];
            structure.users().of(path, &symbol.name).next().is_some()
        };
        let symbols = (0..known.skeleton.symbols.len()).filter(is_used).collect();
        (score > 0.0).then(|| Relevant { path: path.clone(), score, symbols })
    };
    let mut found: Vec<Relevant> = structure.files().filter_map(of).collect();
    keep_best(&mut found, MOST);
    found
}

/// What these files use of others: the more files share a name, the more is lost where it is passed by.
fn shared(structure: &Structure, seeds: &[Relevant]) -> Vec<Relevant> {
    let mut found: BTreeMap<&RepoPath, BTreeMap<usize, f64>> = BTreeMap::new();
    for seed in seeds {
        for place in structure.users().used_by(&seed.path) {
            if seeds.iter().any(|seed| seed.path == place.path) {
                continue;
            }
            let symbols = structure.file(&place.path).map(|it| it.skeleton.symbols.iter());
            let at = symbols.and_then(|mut all| all.position(|it| *it.name == *place.name));
            let Some(at) = at else { continue };
            let users = structure.users().of(&place.path, &place.name).count();
            *found.entry(&place.path).or_default().entry(at).or_default() +=
                seed.score * (1.0 + users as f64).ln();
        }
    }
    let mut shared: Vec<Relevant> = found
        .into_iter()
        .map(|(path, symbols)| {
            let score = symbols.values().copied().fold(0.0, f64::max);
            let mut order: Vec<(usize, f64)> = symbols.into_iter().collect();
            order.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
            let symbols = order.into_iter().map(|(at, _)| at).collect();
            Relevant { path: path.clone(), score, symbols }
        })
        .collect();
    shared.sort_by(|a, b| descending(a.score, b.score).then(a.path.cmp(&b.path)));
    shared.truncate(MOST_SHARED);
    shared
}

fn keep_best(found: &mut Vec<Relevant>, most: usize) {
    found.sort_by(|a, b| descending(a.score, b.score).then(a.path.cmp(&b.path)));
    let best = found.first().map_or(0.0, |first| first.score);
    found.retain(|it| it.score > 0.0 && it.score >= best * LEAST);
    found.truncate(most);
}

fn descending(a: f64, b: f64) -> Ordering {
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

    fn found(request: &str) -> (Vec<String>, Vec<String>) {
        let mut structure = Structure::default();
        structure.begin(&project(&FILES));
        let found = find(&structure, request, 3);
        let paths = |all: &[Relevant]| all.iter().map(|it| it.path.to_string()).collect();
        (paths(&found.about), paths(&found.shared))
    }

    #[test]
    fn a_request_is_about_what_shares_its_words_and_about_what_that_uses() {
        let strings = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();

        assert_eq!(
            found("Training is too slow"),
            (strings(&["p/train.py"]), strings(&["p/schedule.py"]))
        );
        assert_eq!(found("Change write_pdb.").0, strings(&["p/pdb.py"]));
        assert_eq!(found("Look at pdb.py").0, strings(&["p/pdb.py"]));
        assert_eq!(found("Thanks, fine!"), (vec![], vec![]));
    }
}
