//! A brief without a model: of the structure what the request is about and what that uses, of the records those that share
//! names and words with it, within a budget.

use std::collections::{BTreeSet, HashMap};

use crate::{BriefSentence, RequestMoment, SentenceOrigin};
use trajview_run::RepoPath;

use super::{
    records::{SemanticRecord, SemanticRecords, on_one_line},
    relevant_files::{RelevantFile, RelevantFiles},
    structure::{CodeStructure, state_file},
    words,
};

/// Tokens of a brief, estimated as a quarter of its characters.
pub const TOKEN_BUDGET: usize = 700;

/// Characters that a token is taken to have.
pub(crate) const CHARS_PER_TOKEN: usize = 4;

/// The budget of the structure where records are used too.
pub(crate) const STRUCTURE_BUDGET: usize = TOKEN_BUDGET * 2 / 3;

/// The number of symbols of a file: with their signatures, and in all.
const MAX_SIGNATURES: usize = 4;
const MAX_SYMBOLS: usize = 8;

/// Records, at most, and what they must share with a request.
const MAX_RECORDS: usize = 6;
const MIN_SHARED: f64 = 0.4;

/// Characters of an earlier request.
const MAX_REQUEST_CHARS: usize = 300;

/// Collects sentences until the budget is used up.
#[derive(Debug, Default)]
pub struct BriefLines {
    pub sentences: Vec<BriefSentence>,
    chars: usize,
}

impl BriefLines {
    /// Adds a sentence; returns false where there was no room for it.
    fn add_sentence(&mut self, sentence: BriefSentence, most: usize) -> bool {
        let length = sentence.text.chars().count() + 1;
        let fits = self.chars + length <= most * CHARS_PER_TOKEN;
        if fits {
            self.chars += length;
            self.sentences.push(sentence);
        }
        fits
    }

    /// Adds a heading with as many of the sentences as there is room for; adds nothing where there is room for none.
    fn add_section(&mut self, heading: &str, sentences: Vec<BriefSentence>, most: usize) {
        let mut all = sentences.into_iter();
        let Some(first) = all.next() else { return };
        let (kept, chars) = (self.sentences.len(), self.chars);
        if !(self.add_sentence(BriefSentence::heading(heading), most)
            && self.add_sentence(first, most))
        {
            self.sentences.truncate(kept);
            self.chars = chars;
            return;
        }
        for sentence in all {
            self.add_sentence(sentence, most);
        }
    }
}

/// Adds the relevant part of the structure, within a number of tokens.
pub(crate) fn add_structural(
    lines: &mut BriefLines,
    structure: &CodeStructure,
    found: &RelevantFiles,
    most: usize,
) {
    let sentences_for = |all: &[RelevantFile]| {
        all.iter().filter_map(|it| file_sentence(structure, it)).collect::<Vec<BriefSentence>>()
    };
    let mut section = |heading, sentences| lines.add_section(heading, sentences, most);
    section("Files that share names or words with this request:", sentences_for(&found.about));
    section("No file shares a word with this request. Changed last:", sentences_for(&found.recent));
    let advice = compatibility_advice(structure, found.seed_files());
    section("Before you change them:", advice.into_iter().collect());
    section("They use this; use it too rather than writing it anew:", sentences_for(&found.shared));
}

/// Returns `- p/a.py (what it is about): f(x), g(y), h [used by p/b.py]`; None for a file that is not known.
fn file_sentence(structure: &CodeStructure, relevant: &RelevantFile) -> Option<BriefSentence> {
    let known = structure.known_file(&relevant.path)?;
    let symbols = relevant.symbols.iter().take(MAX_SYMBOLS);
    let mut from = vec![SentenceOrigin::Record(state_file(&relevant.path))];
    let mut signatures: Vec<String> = vec![];
    for (number, at) in symbols.enumerate() {
        let symbol = known.skeleton.symbols.get(*at)?;
        let owner = symbol.name.rsplit_once('.').map(|(owner, _)| format!("{owner}."));
        signatures.push(match number < MAX_SIGNATURES {
            true => format!("{}{}", owner.unwrap_or_default(), symbol.signature),
            false => symbol.name.clone(),
        });
        let (start, end) = symbol.lines;
        from.push(SentenceOrigin::Lines { path: relevant.path.to_string(), start, end });
    }
    let about = Some(&known.skeleton.about).filter(|about| !about.is_empty());
    let about = about.map(|about| format!(" ({})", about.trim_end_matches('.')));
    let signatures =
        if signatures.is_empty() { String::new() } else { format!(": {}", signatures.join(", ")) };
    let text = format!("- {}{}{signatures}", relevant.path, about.unwrap_or_default());
    Some(BriefSentence::new(text, from))
}

/// Returns advice about the parts of these files that other files use.
fn compatibility_advice(
    structure: &CodeStructure,
    seeds: &[RelevantFile],
) -> Option<BriefSentence> {
    let mut users: BTreeSet<&RepoPath> = BTreeSet::new();
    let mut names = vec![];
    let mut from = vec![];
    for seed in seeds {
        let known = structure.known_file(&seed.path)?;
        for symbol in known.skeleton.top_symbols() {
            let symbol_users: Vec<&RepoPath> =
                structure.users().users_of(&seed.path, &symbol.name).collect();
            if !symbol_users.is_empty() {
                names.push(symbol.name.as_str());
                users.extend(symbol_users);
            }
        }
        from.push(SentenceOrigin::Record(state_file(&seed.path)));
    }
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(MAX_SYMBOLS);
    names.truncate(MAX_SYMBOLS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let users: Vec<&str> = users.into_iter().map(RepoPath::as_str).take(MAX_SYMBOLS).collect();
    let text = format!(
        "- {}{more} are used by {}: revise them compatibly, or change their users too.",
        names.join(", "),
        users.join(", ")
    );
    Some(BriefSentence::new(text, from))
}

/// Adds the records that share names and words with a request, the ones that share most first.
pub(crate) fn add_semantic(
    lines: &mut BriefLines,
    records: &SemanticRecords,
    request: &str,
    found: &RelevantFiles,
) {
    let sentence = |record: &SemanticRecord| {
        let turn = record.changed.last().copied().unwrap_or_default();
        let title = match record.title.is_empty() || record.body.starts_with(&record.title) {
            true => String::new(),
            false => format!("{}: ", record.title),
        };
        let text = format!("- {title}{} (turn {turn})", record.body);
        BriefSentence::new(
            text,
            [vec![SentenceOrigin::Record(record.file_name())], record.origins.clone()].concat(),
        )
    };
    let all = relevant_records(records, request, found);
    let sentences = all.into_iter().take(MAX_RECORDS).map(sentence).collect();
    lines.add_section("Laid down earlier, and not taken back:", sentences, TOKEN_BUDGET);
}

/// Returns the records that are still so and share words with a request, or touch a file that it is about; the most
/// telling first.
pub(crate) fn relevant_records<'r>(
    records: &'r SemanticRecords,
    request: &str,
    found: &RelevantFiles,
) -> Vec<&'r SemanticRecord> {
    let wanted = words::distinct_words(request);
    let all: Vec<(&SemanticRecord, BTreeSet<String>)> =
        records.active_records().map(|record| (record, record.distinct_words())).collect();
    let weight = |word: &String| {
        let having = all.iter().filter(|(_, words)| words.contains(word)).count();
        words::rarity_weight(having, all.len())
    };
    let weights: HashMap<&String, f64> = wanted.iter().map(|word| (word, weight(word))).collect();
    let paths: Vec<&str> = found.seed_files().iter().map(|it| it.path.as_str()).collect();
    let score = |(record, words): &(&'r SemanticRecord, BTreeSet<String>)| {
        let shared: f64 = words.iter().filter_map(|word| weights.get(word)).sum();
        let touches = records.touched_files(record).filter(|path| paths.contains(path)).count();
        (shared + touches as f64, *record)
    };
    let mut scored: Vec<(f64, &SemanticRecord)> = all.iter().map(score).collect();
    scored.retain(|(score, _)| *score > MIN_SHARED);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.changed.last().cmp(&a.1.changed.last())));
    scored.into_iter().map(|(_, record)| record).collect()
}

/// Adds the earlier requests that share words with this one, the ones that share most first.
pub(crate) fn add_earlier_requests(lines: &mut BriefLines, moment: &RequestMoment<'_>) {
    let wanted = words::distinct_words(moment.request);
    let shared = |request: &String| words::distinct_words(request).intersection(&wanted).count();
    let mut all: Vec<(usize, usize, &String)> =
        (1..).zip(moment.earlier).map(|(turn, text)| (shared(text), turn, text)).collect();
    all.retain(|(shared, ..)| *shared > 0);
    all.sort_by(|a, b| b.cmp(a));
    let sentence = |(_, turn, text): (usize, usize, &String)| {
        let text = format!("- (turn {turn}) {}", on_one_line(text, MAX_REQUEST_CHARS));
        BriefSentence::new(text, [SentenceOrigin::Request(turn)])
    };
    let sentences = all.into_iter().take(MAX_RECORDS).map(sentence).collect();
    lines.add_section("Earlier requests that share words with this one:", sentences, TOKEN_BUDGET);
}
