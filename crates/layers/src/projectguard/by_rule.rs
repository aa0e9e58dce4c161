//! A brief without a model: of the structure what the request is about and what that uses, of the records those that share
//! names and words with it, within a budget.

use std::collections::{BTreeSet, HashMap};

use crate::{Moment, Origin, Sentence};
use trajview_run::RepoPath;

use super::{
    records::{Record, Records, on_one_line},
    retrieve::{Found, Relevant},
    structure::{Structure, file_of},
    words,
};

/// Tokens of a brief, estimated as a quarter of its characters.
pub const BUDGET: usize = 700;

/// Characters that a token is taken to have.
pub const CHARS: usize = 4;

/// What the structure may take of the budget where records stand beside it.
pub const FOR_STRUCTURE: usize = BUDGET * 2 / 3;

/// Symbols of a file that are told: with their signatures, and in all.
const SIGNED: usize = 4;
const SYMBOLS: usize = 8;

/// Records, at most, and what they must share with a request.
const RECORDS: usize = 6;
const LEAST: f64 = 0.4;

/// Characters of an earlier request.
const REQUEST: usize = 300;

/// Collects sentences until the budget is used up.
#[derive(Debug, Default)]
pub struct Lines {
    pub sentences: Vec<Sentence>,
    chars: usize,
}

impl Lines {
    /// Whether there was room for it.
    fn add(&mut self, sentence: Sentence, most: usize) -> bool {
        let length = sentence.text.chars().count() + 1;
        let fits = self.chars + length <= most * CHARS;
        if fits {
            self.chars += length;
            self.sentences.push(sentence);
        }
        fits
    }

    /// A heading with as many of these as there is room for; nothing where there is room for none.
    fn section(&mut self, heading: &str, sentences: Vec<Sentence>, most: usize) {
        let mut all = sentences.into_iter();
        let Some(first) = all.next() else { return };
        let (kept, chars) = (self.sentences.len(), self.chars);
        if !(self.add(Sentence::heading(heading), most) && self.add(first, most)) {
            self.sentences.truncate(kept);
            self.chars = chars;
            return;
        }
        for sentence in all {
            self.add(sentence, most);
        }
    }
}

/// What the structure has for a request, in so many tokens.
pub fn structural(lines: &mut Lines, structure: &Structure, found: &Found, most: usize) {
    let of = |all: &[Relevant]| {
        all.iter().filter_map(|it| file(structure, it)).collect::<Vec<Sentence>>()
    };
    let mut section = |heading, sentences| lines.section(heading, sentences, most);
    section("Files that share names or words with this request:", of(&found.about));
    section("No file shares a word with this request. Changed last:", of(&found.recent));
    let advice = compatibly(structure, found.seeds());
    section("Before you change them:", advice.into_iter().collect());
    section("They use this; use it too rather than writing it anew:", of(&found.shared));
}

/// `- p/a.py (what it is about): f(x), g(y), h [used by p/b.py]`
fn file(structure: &Structure, relevant: &Relevant) -> Option<Sentence> {
    let known = structure.file(&relevant.path)?;
    let symbols = relevant.symbols.iter().take(SYMBOLS);
    let mut from = vec![Origin::Record(file_of(&relevant.path))];
    let mut told: Vec<String> = vec![];
    for (number, at) in symbols.enumerate() {
        let symbol = known.skeleton.symbols.get(*at)?;
        let owner = symbol.name.rsplit_once('.').map(|(owner, _)| format!("{owner}."));
        told.push(match number < SIGNED {
            true => format!("{}{}", owner.unwrap_or_default(), symbol.signature),
            false => symbol.name.clone(),
        });
        let (start, end) = symbol.lines;
        from.push(Origin::Lines { path: relevant.path.to_string(), start, end });
    }
    let about = Some(&known.skeleton.about).filter(|about| !about.is_empty());
    let about = about.map(|about| format!(" ({})", about.trim_end_matches('.')));
    let told = if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) };
    let text = format!("- {}{}{told}", relevant.path, about.unwrap_or_default());
    Some(Sentence::new(text, from))
}

/// What others use of these files.
fn compatibly(structure: &Structure, seeds: &[Relevant]) -> Option<Sentence> {
    let mut users: BTreeSet<&RepoPath> = BTreeSet::new();
    let mut names = vec![];
    let mut from = vec![];
    for seed in seeds {
        let known = structure.file(&seed.path)?;
        for symbol in known.skeleton.tops() {
            let of: Vec<&RepoPath> = structure.users().of(&seed.path, &symbol.name).collect();
            if !of.is_empty() {
                names.push(symbol.name.as_str());
                users.extend(of);
            }
        }
        from.push(Origin::Record(file_of(&seed.path)));
    }
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(SYMBOLS);
    names.truncate(SYMBOLS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let users: Vec<&str> = users.into_iter().map(RepoPath::as_str).take(SYMBOLS).collect();
    let text = format!(
        "- {}{more} are used by {}: revise them compatibly, or change their users too.",
        names.join(", "),
        users.join(", ")
    );
    Some(Sentence::new(text, from))
}

/// The records that share names and words with a request, the most first.
pub fn semantic(lines: &mut Lines, records: &Records, request: &str, found: &Found) {
    let told = |record: &Record| {
        let turn = record.changed.last().copied().unwrap_or_default();
        let title = match record.title.is_empty() || record.body.starts_with(&record.title) {
            true => String::new(),
            false => format!("{}: ", record.title),
        };
        let text = format!("- {title}{} (turn {turn})", record.body);
        Sentence::new(text, [vec![Origin::Record(record.file())], record.origins.clone()].concat())
    };
    let all = relevant(records, request, found);
    let told = all.into_iter().take(RECORDS).map(told).collect();
    lines.section("Laid down earlier, and not taken back:", told, BUDGET);
}

/// Records that are still so and share words with a request, or touch a file that it is about; the most telling first.
pub fn relevant<'r>(records: &'r Records, request: &str, found: &Found) -> Vec<&'r Record> {
    let wanted = words::of(request);
    let all: Vec<(&Record, BTreeSet<String>)> =
        records.active().map(|record| (record, record.words())).collect();
    let weight = |word: &String| {
        let having = all.iter().filter(|(_, words)| words.contains(word)).count();
        words::weight(having, all.len())
    };
    let weights: HashMap<&String, f64> = wanted.iter().map(|word| (word, weight(word))).collect();
    let paths: Vec<&str> = found.seeds().iter().map(|it| it.path.as_str()).collect();
    let score = |(record, words): &(&'r Record, BTreeSet<String>)| {
        let shared: f64 = words.iter().filter_map(|word| weights.get(word)).sum();
        let touches = records.touches(record).filter(|path| paths.contains(path)).count();
        (shared + touches as f64, *record)
    };
    let mut scored: Vec<(f64, &Record)> = all.iter().map(score).collect();
    scored.retain(|(score, _)| *score > LEAST);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.changed.last().cmp(&a.1.changed.last())));
    scored.into_iter().map(|(_, record)| record).collect()
}

/// Earlier requests that share words with this one, the most first.
pub fn earlier(lines: &mut Lines, moment: &Moment<'_>) {
    let wanted = words::of(moment.request);
    let shared = |request: &String| words::of(request).intersection(&wanted).count();
    let mut all: Vec<(usize, usize, &String)> =
        (1..).zip(moment.earlier).map(|(turn, text)| (shared(text), turn, text)).collect();
    all.retain(|(shared, ..)| *shared > 0);
    all.sort_by(|a, b| b.cmp(a));
    let told = |(_, turn, text): (usize, usize, &String)| {
        let text = format!("- (turn {turn}) {}", on_one_line(text, REQUEST));
        Sentence::new(text, [Origin::Request(turn)])
    };
    let told = all.into_iter().take(RECORDS).map(told).collect();
    lines.section("Earlier requests that share words with this one:", told, BUDGET);
}
