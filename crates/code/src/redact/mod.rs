//! Removes secrets from texts: keys, passwords, e-mail addresses, home folders and given names.
//!
//! [`Redactor::redact_text`] is the one entry: every form for other readers (a report, ATIF, a table) sends all of its
//! recorded text through it. A secret is replaced by `[redacted: kind #n]`, a home folder by `~`; the same secret has the
//! same number everywhere in one export, and nothing of it, not even its length, is kept. Every finding is listed with
//! its place and context, so that a person can review it ([`Redactor::findings`]).
//!
//! It errs on the side of removing too much. The rules of a kind are in `secret_shapes` (well-known keys),
//! `assigned_secrets` (values assigned to a password), `settings_files` (settings, YAML, tables, `.netrc`),
//! `command_passwords` (passwords in command lines), `url_logins` (addresses), `prose` (sentences and SQL),
//! `seed_phrases` (of wallets) and `random_words` (words that look random); `pattern_prefilter` finds in one pass the
//! patterns that a text may contain, `readable_view` gives a text as a reader sees it. A secret that was found once is
//! found everywhere after it, without its context too, and where only its beginning is left because a title was cut:
//! [`Redactor::learn_text`] reads the whole texts first. This module knows no files and no formats; it changes no text of
//! the recording itself.

mod assigned_secrets;
mod command_passwords;
mod known_secrets;
mod pattern_prefilter;
#[cfg(test)]
mod planted_secrets;
mod prose;
mod random_words;
mod readable_view;
mod secret_kinds;
mod secret_shapes;
mod seed_phrases;
mod settings_files;
#[cfg(test)]
mod tests;
mod tokens;
mod url_logins;

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    hash::{BuildHasher, RandomState},
    ops::Range,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use regex::Regex;
use serde::Serialize;
use serde_json::{Map, Value};

pub use secret_kinds::SecretKind;
pub use tokens::{TokenKey, TokenKeys, below_home, key_names};

use known_secrets::KnownSecrets;
use pattern_prefilter::PossiblePatterns;
use readable_view::ReadableView;
use secret_kinds::SecretMatch;

/// The options of a user.
#[derive(Debug, Clone, Default)]
pub struct RedactOptions {
    /// Words to take out, each as a whole word, in upper or lower case.
    pub names: Vec<String>,
    /// Words that are the recording's own, such as commits of turns and ids of calls: they look random and are no secrets.
    /// A known key is taken out all the same.
    pub own_words: Vec<String>,
    /// The keys for tokens in identities (ids of runs, tasks and agents); without them identities get numbers, as every
    /// text.
    pub keys: Option<TokenKeys>,
}

/// One thing that was found in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedactFinding {
    /// The place in the recording, in words.
    pub place: String,
    pub kind: &'static str,
    /// The number of the secret, from 1; the same one has the same number.
    pub number: usize,
    /// The text before and after it, redacted.
    pub context: String,
    /// Number of occurrences.
    pub times: usize,
}

/// The reason for leaving out bytes that are no text.
pub const BINARY: &str = "binary, so it could not be checked; left out";

/// The reason for leaving out a text that is not UTF-8.
pub const NOT_TEXT: &str = "not UTF-8, so it could not be checked; left out";

/// The key of what an agent made up, keys and all.
const RECORDED: &str = "arguments";

/// Fields of our own documents that say which run, task or agent something is of. Two that differ must not become one.
const IDENTITIES: [&str; 6] =
    ["transcript_id", "source_uri", "task_id", "agent_id", "session_id", "trajectory_id"];

/// Taking one thing out may bring another to light, so often at most.
const MOST_ROUNDS: usize = 12;

/// Returns the place of a text for a person; called only where it is needed.
type PlaceFn<'a> = &'a dyn Fn() -> String;

/// Takes secrets out of texts, and remembers which.
#[derive(Debug)]
pub struct Redactor {
    names: Option<Regex>,
    own_words: HashSet<String>,
    keys: Option<TokenKeys>,
    is_on: bool,
    state: Mutex<RedactorState>,
    /// Hashes by which texts are remembered; their keys are random, so that no recording can aim at them.
    hashes: [RandomState; 2],
}

#[derive(Debug, Default)]
struct RedactorState {
    known: KnownSecrets,
    /// Index into the findings by place and number.
    findings: Vec<RedactFinding>,
    by_place: BTreeMap<(String, usize), usize>,
    /// Texts in which nothing is secret by its looks: only what was found elsewhere is looked for in them again.
    harmless: HashSet<[u64; 2]>,
}

impl Redactor {
    pub fn new(options: &RedactOptions) -> Self {
        let names: Vec<String> = options
            .names
            .iter()
            .map(|name| name.trim())
            .filter(|name| !name.is_empty())
            .map(regex::escape)
            .collect();
        // Letters and digits go on a word; `_` and `-` divide words.
        let pattern = format!(
            r"(?i)(?:^|[^\p{{L}}\p{{N}}])(?P<s>{})(?:$|[^\p{{L}}\p{{N}}])",
            names.join("|")
        );
        Self {
            // Escaped words are a well-formed pattern.
            names: (!names.is_empty()).then(|| Regex::new(&pattern)).and_then(Result::ok),
            own_words: options.own_words.iter().map(|hash| hash.to_ascii_lowercase()).collect(),
            keys: options.keys.clone(),
            is_on: true,
            state: Mutex::default(),
            hashes: Default::default(),
        }
    }

    /// Returns one that leaves every text as it is.
    pub fn disabled() -> Self {
        Self { is_on: false, ..Self::new(&RedactOptions::default()) }
    }

    /// Remembers what is secret in a text, without listing it: where a part of it is shown elsewhere, it is known.
    pub(crate) fn learn_text(&self, text: &str) {
        if self.is_on {
            self.replace_secrets(None, text);
        }
    }

    /// Remembers what is secret in a document: keys and values.
    pub fn learn_json(&self, value: &Value) {
        if !self.is_on {
            return;
        }
        match value {
            Value::String(text) => self.learn_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.learn_json(item)),
            Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                self.learn_text(key);
                match value {
                    Value::String(text) if assigned_secrets::is_secret_of(key, text) => {
                        self.redact_whole(None, key, text);
                    }
                    value => self.learn_json(value),
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Returns the text without its secrets. `place` names the text's place for a person.
    pub(crate) fn redact_text<'t>(&self, place: &str, text: &'t str) -> Cow<'t, str> {
        if !self.is_on {
            return Cow::Borrowed(text);
        }
        self.replace_secrets(Some(&|| place.to_owned()), text)
    }

    /// Returns a document without its secrets. A value under a key such as `password` is one. The keys are ours, but
    /// for those below `arguments`, which are recorded.
    pub fn redact_json(&self, place: &str, value: Value) -> Value {
        if !self.is_on {
            return value;
        }
        self.learn_json(&value);
        self.redact_learnt_json(place, value)
    }

    /// Returns a document without its secrets, whose secrets are learnt already ([`Self::learn_json`]).
    pub fn redact_learnt_json(&self, place: &str, value: Value) -> Value {
        match self.is_on {
            true => self.redact_value(&mut vec![place.to_owned()], value, false),
            false => value,
        }
    }

    /// Returns an identity without its secrets, each of which has a token: what differs still does, and what is the same is the same in every
    /// run. What is taken out of it depends on itself and on the texts of its run alone.
    pub fn redact_identity(&self, place: &str, text: &str) -> String {
        match (self.is_on, &self.keys) {
            (false, _) => text.to_owned(),
            (true, None) => self.redact_text(place, text).into_owned(),
            (true, Some(keys)) => self.with_tokens(&|| place.to_owned(), text, keys),
        }
    }

    fn with_tokens(&self, place: PlaceFn<'_>, text: &str, keys: &TokenKeys) -> String {
        let mut state = self.lock_state();
        let mut done = text.to_owned();
        // What looks like a replacement already could be equal to one.
        let mut matches = match MARKER.is_match(text) {
            true => vec![SecretMatch { range: 0..text.len(), kind: SecretKind::Unchecked }],
            false => self.found_in_identity(&state, text),
        };
        for _ in 0..MOST_ROUNDS {
            if matches.is_empty() {
                return done;
            }
            let key = keys.load_key();
            let mut token = |known: &mut KnownSecrets, kind: SecretKind, value: &str| {
                (
                    known.number_alone(kind, value),
                    tokens::replacement_text(kind, &key.token_of(value)),
                )
            };
            done = state.take_out(Some(place), &done, merge_matches(matches), &mut token);
            matches = self.found_in_identity(&state, &done);
        }
        tokens::replacement_text(SecretKind::Unchecked, &keys.load_key().token_of(text))
    }

    /// Finds the secrets in an identity. The run's own words are treated like any others: they differ from run to run, and a value must become the same in all.
    fn found_in_identity(&self, state: &RedactorState, text: &str) -> Vec<SecretMatch> {
        let mut matches = self.find_by_looks(text, &HashSet::new());
        for (piece, _) in pieces_between_markers(text) {
            matches
                .extend(shift_matches(state.known.find_known(&text[piece.clone()], false), &piece));
        }
        matches
    }

    /// Returns the findings in the order in which they were made.
    pub fn findings(&self) -> Vec<RedactFinding> {
        self.lock_state().findings.clone()
    }

    /// Returns the number of different secrets of each kind.
    pub fn counts_by_kind(&self) -> BTreeMap<SecretKind, usize> {
        let mut counts = BTreeMap::new();
        let state = self.lock_state();
        let listed: HashSet<usize> = state.findings.iter().map(|it| it.number).collect();
        for (kind, number) in state.known.kinds_and_numbers() {
            if listed.contains(&number) {
                *counts.entry(kind).or_default() += 1;
            }
        }
        counts
    }

    fn lock_state(&self) -> MutexGuard<'_, RedactorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `path` leads to the value, in words for a person.
    fn redact_value(&self, path: &mut Vec<String>, value: Value, is_recorded: bool) -> Value {
        match value {
            Value::String(text) => {
                Value::String(self.replace_secrets(Some(&|| place_of(path)), &text).into_owned())
            }
            Value::Array(items) => {
                let name = path.pop().unwrap_or_default();
                let walked = items.into_iter().zip(1..).map(|(item, number)| {
                    path.push(item_name(&name, number, &item));
                    let walked = self.redact_value(path, item, is_recorded);
                    path.pop();
                    walked
                });
                let walked = walked.collect();
                path.push(name);
                walked
            }
            Value::Object(fields) => {
                let mut redacted = Map::new();
                for (key, value) in fields {
                    let shown = if is_recorded {
                        self.replace_secrets(Some(&|| place_of(path)), &key).into_owned()
                    } else {
                        key.clone()
                    };
                    path.push(shown.clone());
                    let value = match value {
                        Value::String(text)
                            if !is_recorded && IDENTITIES.contains(&key.as_str()) =>
                        {
                            Value::String(self.redact_identity(&place_of(path), &text))
                        }
                        Value::String(text) if assigned_secrets::is_secret_of(&key, &text) => {
                            self.redact_whole(Some(&|| place_of(path)), &key, &text)
                        }
                        value => self.redact_value(path, value, is_recorded || key == RECORDED),
                    };
                    path.pop();
                    redacted.insert(shown, value);
                }
                Value::Object(redacted)
            }
            value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
        }
    }

    /// Redacts a text that is one secret as a whole.
    fn redact_whole(&self, place: Option<PlaceFn<'_>>, key: &str, text: &str) -> Value {
        let inner = self.replace_secrets(None, text);
        if is_marker(&inner) {
            return Value::String(self.replace_secrets(place, text).into_owned());
        }
        let mut state = self.lock_state();
        let kind = assigned_secrets::kind_of(key);
        let number = state.known.number_of(kind, text);
        let marker = marker_text(kind, number);
        if let Some(place) = place {
            let context = format!("{key}: {marker}");
            state.list_finding(&place(), kind, number, context);
        }
        Value::String(marker)
    }

    /// Replaces secrets until none is found: the removal of one may reveal another.
    fn replace_secrets<'t>(&self, place: Option<PlaceFn<'_>>, text: &'t str) -> Cow<'t, str> {
        let mut state = self.lock_state();
        let name = [self.hashes[0].hash_one(text), self.hashes[1].hash_one(text)];
        let is_harmless = state.harmless.contains(&name);
        if is_harmless && (state.known.is_empty() || known_matches(&state.known, text).is_empty()) {
            return Cow::Borrowed(text);
        }
        let mut done = Cow::Borrowed(text);
        for round in 0..MOST_ROUNDS {
            let mut matches = self.find_by_looks(&done, &self.own_words);
            if round == 0 && matches.is_empty() {
                state.harmless.insert(name);
            }
            matches.extend(known_matches(&state.known, &done));
            if matches.is_empty() {
                return done;
            }
            let merged = merge_matches(matches);
            let mut numbered = |known: &mut KnownSecrets, kind: SecretKind, value: &str| {
                let number = known.number_of(kind, value);
                (number, marker_text(kind, number))
            };
            done = Cow::Owned(state.take_out(place, &done, merged, &mut numbered));
        }
        let number = state.known.number_of(SecretKind::Unchecked, text);
        let marker = marker_text(SecretKind::Unchecked, number);
        if let Some(place) = place {
            state.list_finding(&place(), SecretKind::Unchecked, number, marker.clone());
        }
        Cow::Owned(marker)
    }

    /// Returns the secrets that are recognised by their looks, known or not. Existing replacements are not searched.
    fn find_by_looks(&self, text: &str, own_words: &HashSet<String>) -> Vec<SecretMatch> {
        let find = |words: &str| {
            let mut matches = matches_by_looks(words, own_words);
            if let Some(view) = ReadableView::plain_letters(words) {
                matches.extend(view.original_matches(matches_by_looks(view.text(), own_words)));
            }
            let named = self.names.iter().flat_map(|names| names.captures_iter(words));
            let named = named.filter_map(|it| it.name("s"));
            matches
                .extend(named.map(|it| SecretMatch { range: it.range(), kind: SecretKind::Name }));
            matches
        };
        pieces_between_markers(text)
            .into_iter()
            .flat_map(|(piece, _)| shift_matches(find(&text[piece.clone()]), &piece))
            .collect()
    }
}

/// Returns the matches of every rule in a text without replacements.
fn matches_by_looks(words: &str, own_words: &HashSet<String>) -> Vec<SecretMatch> {
    let suspects = PossiblePatterns::in_text(words);
    let mut matches = secret_shapes::find_shapes(words, &suspects);
    matches.extend(assigned_secrets::find_assigned(words, &suspects));
    matches.extend(random_words::find_random(words, own_words));
    matches.extend(url_logins::find_logins(words));
    matches.extend(matches_by_form(words));
    // A file or a command within JSON has its lines as escapes, twice where the JSON is within another.
    if let Some(view) = ReadableView::without_escapes(words) {
        let inside = |words: &str| {
            let suspects = PossiblePatterns::in_text(words);
            let mut all_matches = secret_shapes::find_shapes(words, &suspects);
            all_matches.extend(assigned_secrets::find_assigned(words, &suspects));
            all_matches.extend(matches_by_form(words));
            all_matches
        };
        let mut inner = inside(view.text());
        if let Some(again) = ReadableView::without_escapes(view.text()) {
            inner.extend(again.original_matches(inside(again.text())));
        }
        matches.extend(view.original_matches(inner));
    }
    matches
}

/// Returns the matches of the rules for lines, commands and sentences.
fn matches_by_form(words: &str) -> Vec<SecretMatch> {
    let mut matches = command_passwords::find_in_commands(words);
    if settings_files::may_have(words) {
        matches.extend(settings_files::find_in_lines(words));
    }
    matches.extend(prose::find_in_prose(words));
    matches.extend(seed_phrases::find_phrases(words));
    matches
}

/// Returns the known secrets in the text.
fn known_matches(known: &KnownSecrets, text: &str) -> Vec<SecretMatch> {
    let mut matches = vec![];
    for (piece, is_last) in pieces_between_markers(text) {
        matches.extend(shift_matches(known.find_known(&text[piece.clone()], is_last), &piece));
    }
    matches
}

/// Returns the matches of a piece as those of the whole text.
fn shift_matches(
    matches: Vec<SecretMatch>,
    piece: &Range<usize>,
) -> impl Iterator<Item = SecretMatch> + use<> {
    let start = piece.start;
    let matches = matches.into_iter().filter(|it| !it.range.is_empty());
    matches.map(move |it| SecretMatch {
        range: it.range.start + start..it.range.end + start,
        kind: it.kind,
    })
}

impl RedactorState {
    /// Replaces the matches; `written` returns the number of a value and its replacement.
    fn take_out(
        &mut self,
        place: Option<PlaceFn<'_>>,
        text: &str,
        matches: Vec<SecretMatch>,
        written: &mut dyn FnMut(&mut KnownSecrets, SecretKind, &str) -> (usize, String),
    ) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut done = 0;
        let mut listed = vec![];
        for SecretMatch { range, kind } in matches {
            redacted.push_str(&text[done..range.start]);
            let (number, shown) = written(&mut self.known, kind, &text[range.clone()]);
            let at = redacted.len();
            redacted.push_str(&shown);
            listed.push((at..redacted.len(), kind, number));
            done = range.end;
        }
        redacted.push_str(&text[done..]);
        for (range, kind, number) in listed {
            if let Some(place) = place {
                let context = context_around(&redacted, range);
                self.list_finding(&place(), kind, number, context);
            }
        }
        redacted
    }

    fn list_finding(&mut self, place: &str, kind: SecretKind, number: usize, context: String) {
        let key = (place.to_owned(), number);
        match self.by_place.get(&key) {
            Some(at) => self.findings[*at].times += 1,
            None => {
                self.by_place.insert(key, self.findings.len());
                let (place, kind) = (place.to_owned(), kind.word());
                self.findings.push(RedactFinding { place, kind, number, context, times: 1 });
            }
        }
    }
}

fn place_of(path: &[String]) -> String {
    let parts = path.iter().map(String::as_str).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" › ")
}

/// `turn 3` for what says that it is one; else by the name of the list.
fn item_name(list: &str, number: usize, item: &Value) -> String {
    let item_text =
        |(field, name): (&str, &str)| Some(format!("{name} {}", item.get(field)?.as_u64()?));
    let named =
        [("step", "step"), ("step_id", "step"), ("turn", "turn")].into_iter().find_map(item_text);
    named.unwrap_or_else(|| format!("{list} {number}").trim_start().to_owned())
}

/// Returns the replacement of a secret.
fn marker_text(kind: SecretKind, number: usize) -> String {
    match kind {
        SecretKind::HomeFolder => "~".into(),
        kind => format!("[redacted: {} #{number}]", kind.word()),
    }
}

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<String> =
        SecretKind::ALL.iter().map(|kind| regex::escape(kind.word())).collect();
    let pattern = format!(
        r"\[redacted: (?:{}) (?:#[0-9]{{1,9}}|{})\]|{}",
        words.join("|"),
        tokens::TOKEN,
        tokens::HOME
    );
    Regex::new(&pattern).expect("words of kinds are a pattern")
});

fn is_marker(text: &str) -> bool {
    MARKER.find(text).is_some_and(|it| it.range() == (0..text.len()))
}

/// Returns the pieces between replacements, each with whether it is the end of the text.
fn pieces_between_markers(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut done = 0;
    let mut all = vec![];
    for marker in MARKER.find_iter(text) {
        all.push((done..marker.start(), false));
        done = marker.end();
    }
    all.push((done..text.len(), true));
    all.retain(|(piece, _)| !piece.is_empty());
    all
}

/// Merges overlapping matches into one, of the most specific kind.
fn merge_matches(mut matches: Vec<SecretMatch>) -> Vec<SecretMatch> {
    matches.sort_by_key(|it| (it.range.start, std::cmp::Reverse(it.range.end), it.kind));
    let mut all: Vec<SecretMatch> = vec![];
    for next in matches {
        match all.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                let is_longer = next.range.end > last.range.end;
                last.range.end = last.range.end.max(next.range.end);
                let is_same = next.range == last.range;
                if next.kind < last.kind && (is_longer || is_same)
                    || last.kind == SecretKind::HomeFolder
                {
                    last.kind = next.kind;
                }
            }
            _ => all.push(next),
        }
    }
    all
}

/// Letters of a text beside a replacement.
const CONTEXT: usize = 32;

fn context_around(text: &str, range: Range<usize>) -> String {
    let before: Vec<char> = text[..range.start].chars().rev().take(CONTEXT).collect();
    let before: String = before.into_iter().rev().collect();
    let after: String = text[range.end..].chars().take(CONTEXT).collect();
    format!("{before}{}{after}", &text[range.clone()]).replace(['\n', '\r', '\t'], " ")
}
