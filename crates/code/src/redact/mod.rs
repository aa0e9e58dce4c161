//! Taking out what must not leave: keys, passwords, e-mail addresses, home folders and names given.
//!
//! [`Redactor::text`] is the one entry: every form that is written for somebody else (a report, ATIF, a table) sends all of
//! its recorded text through it. What is found is replaced by `[redacted: kind #n]`, a home folder by `~`; the same secret has
//! the same number everywhere in one export, and nothing of it, not even its length, is kept. What was found is listed with
//! its place and context, so that a person can review it ([`Redactor::findings`]).
//!
//! It errs on the side of taking out too much. The rules of a kind are in `shapes` (well-known keys), `assigned` (what is
//! assigned to a password), `lines` (settings, YAML, tables, `.netrc`), `commands` (passwords in command lines), `logins` (addresses), `prose`
//! (sentences and SQL), `phrases` (of wallets) and `random` (words that look drawn at random); `suspects` tells in one pass which
//! patterns a text calls for, `view` gives a text as a reader takes it. What was found once is found everywhere after
//! it, without its context too, and where only its beginning is left because a title was cut: [`Redactor::learn`] reads the
//! whole texts first. This module knows no files and no formats; it changes no text that the recording itself has.

mod assigned;
mod commands;
mod kinds;
mod known;
mod lines;
mod logins;
mod phrases;
#[cfg(test)]
mod planted;
mod prose;
mod random;
mod shapes;
mod suspects;
#[cfg(test)]
mod tests;
mod tokens;
mod view;

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

pub use kinds::Kind;
pub use tokens::{TokenKey, TokenKeys, below_home, key_names};

use kinds::Match;
use known::Known;
use suspects::Suspects;
use view::View;

/// What the user chose.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Words to take out, each as a whole word, in upper or lower case.
    pub names: Vec<String>,
    /// Words that are the recording's own, such as commits of turns and ids of calls: they look random and are no secrets.
    /// A known key is taken out all the same.
    pub own_words: Vec<String>,
    /// What the tokens in identities are made with (ids of runs, tasks and agents); without it they have numbers, as every text.
    pub keys: Option<TokenKeys>,
}

/// One thing that was found in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where in the recording, in words.
    pub place: String,
    pub kind: &'static str,
    /// Of the secret, from 1; the same one has the same number.
    pub number: usize,
    /// The text before and after it, redacted.
    pub context: String,
    /// How often it is there.
    pub times: usize,
}

/// Why bytes are left out that are no text.
pub const BINARY: &str = "binary, so it could not be checked; left out";

/// Why a text is left out that is not UTF-8.
pub const NOT_TEXT: &str = "not UTF-8, so it could not be checked; left out";

/// The key of what an agent made up, keys and all.
const RECORDED: &str = "arguments";

/// Fields of our own documents that say which run, task or agent something is of. Two that differ must not become one.
const IDENTITIES: [&str; 6] =
    ["transcript_id", "source_uri", "task_id", "agent_id", "session_id", "trajectory_id"];

/// Taking one thing out may bring another to light, so often at most.
const MOST_ROUNDS: usize = 12;

/// Says where a text stands, if that is asked.
type Place<'a> = &'a dyn Fn() -> String;

/// Takes secrets out of texts, and remembers which.
#[derive(Debug)]
pub struct Redactor {
    names: Option<Regex>,
    own_words: HashSet<String>,
    keys: Option<TokenKeys>,
    is_on: bool,
    state: Mutex<State>,
    /// What texts are remembered by; nobody who writes a recording knows its keys.
    hashes: [RandomState; 2],
}

#[derive(Debug, Default)]
struct State {
    known: Known,
    /// By place, then number.
    findings: Vec<Finding>,
    by_place: BTreeMap<(String, usize), usize>,
    /// Texts in which nothing is secret by its looks: only what was found elsewhere is looked for in them again.
    harmless: HashSet<[u64; 2]>,
}

impl Redactor {
    pub fn of(options: &Options) -> Self {
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

    /// One that leaves every text as it is.
    pub fn off() -> Self {
        Self { is_on: false, ..Self::of(&Options::default()) }
    }

    /// Remembers what is secret in a text, without listing it: where a part of it is shown elsewhere, it is known.
    pub fn learn(&self, text: &str) {
        if self.is_on {
            self.replaced(None, text);
        }
    }

    /// Remembers what is secret in a document: keys and values.
    pub fn learn_json(&self, value: &Value) {
        if !self.is_on {
            return;
        }
        match value {
            Value::String(text) => self.learn(text),
            Value::Array(items) => items.iter().for_each(|item| self.learn_json(item)),
            Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                self.learn(key);
                match value {
                    Value::String(text) if assigned::is_secret_of(key, text) => {
                        self.whole(None, key, text);
                    }
                    value => self.learn_json(value),
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text without its secrets. `place` says to a person where the text stands.
    pub fn text<'t>(&self, place: &str, text: &'t str) -> Cow<'t, str> {
        if !self.is_on {
            return Cow::Borrowed(text);
        }
        self.replaced(Some(&|| place.to_owned()), text)
    }

    /// The bytes as text without its secrets. What is no text cannot be checked and is refused: the error says why.
    pub fn bytes(&self, place: &str, bytes: &[u8]) -> Result<String, &'static str> {
        if bytes.contains(&0) {
            return Err(BINARY);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| NOT_TEXT);
        text.map(|text| self.text(place, text).into_owned())
    }

    /// A document without its secrets. What stands under a key such as `password` is one. The keys are ours, but for those
    /// below `arguments`, which are recorded.
    pub fn json(&self, place: &str, value: Value) -> Value {
        if !self.is_on {
            return value;
        }
        self.learn_json(&value);
        self.learnt_json(place, value)
    }

    /// The same, where what is secret in the document was learnt before ([`Self::learn_json`]).
    pub fn learnt_json(&self, place: &str, value: Value) -> Value {
        match self.is_on {
            true => self.walked(&mut vec![place.to_owned()], value, false),
            false => value,
        }
    }

    /// An identity without its secrets, each of which has a token: what differs still does, and what is the same is the same in every
    /// run. What is taken out of it depends on itself and on the texts of its run alone.
    pub fn identity(&self, place: &str, text: &str) -> String {
        match (self.is_on, &self.keys) {
            (false, _) => text.to_owned(),
            (true, None) => self.text(place, text).into_owned(),
            (true, Some(keys)) => self.with_tokens(&|| place.to_owned(), text, keys),
        }
    }

    fn with_tokens(&self, place: Place<'_>, text: &str, keys: &TokenKeys) -> String {
        let mut state = self.state();
        let mut done = text.to_owned();
        // What looks like a replacement already could be equal to one.
        let mut found = match MARKER.is_match(text) {
            true => vec![Match { range: 0..text.len(), kind: Kind::Unchecked }],
            false => self.found_in_identity(&state, text),
        };
        for _ in 0..MOST_ROUNDS {
            if found.is_empty() {
                return done;
            }
            let key = keys.key();
            let mut token = |known: &mut Known, kind: Kind, value: &str| {
                (known.number_alone(kind, value), tokens::written(kind, &key.token(value)))
            };
            done = state.without(Some(place), &done, merged(found), &mut token);
            found = self.found_in_identity(&state, &done);
        }
        tokens::written(Kind::Unchecked, &keys.key().token(text))
    }

    /// The run's own words are looked at as any: they are others in each run, and a value is to become the same in all.
    fn found_in_identity(&self, state: &State, text: &str) -> Vec<Match> {
        let mut found = self.telling(text, &HashSet::new());
        for (piece, _) in pieces(text) {
            found.extend(placed(state.known.found(&text[piece.clone()], false), &piece));
        }
        found
    }

    /// What was found, in the order in which it was.
    pub fn findings(&self) -> Vec<Finding> {
        self.state().findings.clone()
    }

    /// How many different secrets were found of each kind.
    pub fn counts(&self) -> BTreeMap<Kind, usize> {
        let mut counts = BTreeMap::new();
        let state = self.state();
        let listed: HashSet<usize> = state.findings.iter().map(|it| it.number).collect();
        for (kind, number) in state.known.numbered() {
            if listed.contains(&number) {
                *counts.entry(kind).or_default() += 1;
            }
        }
        counts
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `path` leads to the value, in words for a person.
    fn walked(&self, path: &mut Vec<String>, value: Value, is_recorded: bool) -> Value {
        match value {
            Value::String(text) => {
                Value::String(self.replaced(Some(&|| place_of(path)), &text).into_owned())
            }
            Value::Array(items) => {
                let name = path.pop().unwrap_or_default();
                let walked = items.into_iter().zip(1..).map(|(item, number)| {
                    path.push(item_name(&name, number, &item));
                    let walked = self.walked(path, item, is_recorded);
                    path.pop();
                    walked
                });
                let walked = walked.collect();
                path.push(name);
                walked
            }
            Value::Object(fields) => {
                let mut made = Map::new();
                for (key, value) in fields {
                    let shown = if is_recorded {
                        self.replaced(Some(&|| place_of(path)), &key).into_owned()
                    } else {
                        key.clone()
                    };
                    path.push(shown.clone());
                    let value = match value {
                        Value::String(text)
                            if !is_recorded && IDENTITIES.contains(&key.as_str()) =>
                        {
                            Value::String(self.identity(&place_of(path), &text))
                        }
                        Value::String(text) if assigned::is_secret_of(&key, &text) => {
                            self.whole(Some(&|| place_of(path)), &key, &text)
                        }
                        value => self.walked(path, value, is_recorded || key == RECORDED),
                    };
                    path.pop();
                    made.insert(shown, value);
                }
                Value::Object(made)
            }
            value @ (Value::Null | Value::Bool(_) | Value::Number(_)) => value,
        }
    }

    /// All of a text is one secret.
    fn whole(&self, place: Option<Place<'_>>, key: &str, text: &str) -> Value {
        let inner = self.replaced(None, text);
        if is_marker(&inner) {
            return Value::String(self.replaced(place, text).into_owned());
        }
        let mut state = self.state();
        let kind = assigned::kind_of(key);
        let number = state.known.number(kind, text);
        let marker = marker(kind, number);
        if let Some(place) = place {
            let context = format!("{key}: {marker}");
            state.list(&place(), kind, number, context);
        }
        Value::String(marker)
    }

    /// Again and again until nothing more is found: taking one thing out may bring another to light.
    fn replaced<'t>(&self, place: Option<Place<'_>>, text: &'t str) -> Cow<'t, str> {
        let mut state = self.state();
        let name = [self.hashes[0].hash_one(text), self.hashes[1].hash_one(text)];
        let is_harmless = state.harmless.contains(&name);
        if is_harmless && (state.known.is_empty() || known_in(&state.known, text).is_empty()) {
            return Cow::Borrowed(text);
        }
        let mut done = Cow::Borrowed(text);
        for round in 0..MOST_ROUNDS {
            let mut found = self.telling(&done, &self.own_words);
            if round == 0 && found.is_empty() {
                state.harmless.insert(name);
            }
            found.extend(known_in(&state.known, &done));
            if found.is_empty() {
                return done;
            }
            let found = merged(found);
            let mut numbered = |known: &mut Known, kind: Kind, value: &str| {
                let number = known.number(kind, value);
                (number, marker(kind, number))
            };
            done = Cow::Owned(state.without(place, &done, found, &mut numbered));
        }
        let number = state.known.number(Kind::Unchecked, text);
        let marker = marker(Kind::Unchecked, number);
        if let Some(place) = place {
            state.list(&place(), Kind::Unchecked, number, marker.clone());
        }
        Cow::Owned(marker)
    }

    /// What is secret by its looks, whatever was found before. Replacements that are there already are no text.
    fn telling(&self, text: &str, own_words: &HashSet<String>) -> Vec<Match> {
        let found = |words: &str| {
            let mut here = by_looks(words, own_words);
            if let Some(view) = View::plain(words) {
                here.extend(view.original(by_looks(view.text(), own_words)));
            }
            let named = self.names.iter().flat_map(|names| names.captures_iter(words));
            let named = named.filter_map(|it| it.name("s"));
            here.extend(named.map(|it| Match { range: it.range(), kind: Kind::Name }));
            here
        };
        pieces(text)
            .into_iter()
            .flat_map(|(piece, _)| placed(found(&text[piece.clone()]), &piece))
            .collect()
    }
}

/// What every rule finds in words without replacements.
fn by_looks(words: &str, own_words: &HashSet<String>) -> Vec<Match> {
    let suspects = Suspects::of(words);
    let mut found = shapes::found(words, &suspects);
    found.extend(assigned::found(words, &suspects));
    found.extend(random::found(words, own_words));
    found.extend(logins::found(words));
    found.extend(by_form(words));
    // A file or a command within JSON has its lines as escapes, twice where the JSON is within another.
    if let Some(view) = View::unescaped(words) {
        let inside = |words: &str| {
            let suspects = Suspects::of(words);
            let mut found = shapes::found(words, &suspects);
            found.extend(assigned::found(words, &suspects));
            found.extend(by_form(words));
            found
        };
        let mut inner = inside(view.text());
        if let Some(again) = View::unescaped(view.text()) {
            inner.extend(again.original(inside(again.text())));
        }
        found.extend(view.original(inner));
    }
    found
}

/// What the rules find that look at lines, commands and sentences.
fn by_form(words: &str) -> Vec<Match> {
    let mut found = commands::found(words);
    if lines::may_have(words) {
        found.extend(lines::found(words));
    }
    found.extend(prose::found(words));
    found.extend(phrases::found(words));
    found
}

/// What was found before and stands in the text.
fn known_in(known: &Known, text: &str) -> Vec<Match> {
    let mut found = vec![];
    for (piece, is_last) in pieces(text) {
        found.extend(placed(known.found(&text[piece.clone()], is_last), &piece));
    }
    found
}

/// The matches of a piece as those of the whole text.
fn placed(found: Vec<Match>, piece: &Range<usize>) -> impl Iterator<Item = Match> + use<> {
    let start = piece.start;
    let found = found.into_iter().filter(|it| !it.range.is_empty());
    found
        .map(move |it| Match { range: it.range.start + start..it.range.end + start, kind: it.kind })
}

impl State {
    /// `written` gives the number of a value, and what stands in its place.
    fn without(
        &mut self,
        place: Option<Place<'_>>,
        text: &str,
        found: Vec<Match>,
        written: &mut dyn FnMut(&mut Known, Kind, &str) -> (usize, String),
    ) -> String {
        let mut made = String::with_capacity(text.len());
        let mut done = 0;
        let mut listed = vec![];
        for Match { range, kind } in found {
            made.push_str(&text[done..range.start]);
            let (number, shown) = written(&mut self.known, kind, &text[range.clone()]);
            let at = made.len();
            made.push_str(&shown);
            listed.push((at..made.len(), kind, number));
            done = range.end;
        }
        made.push_str(&text[done..]);
        for (range, kind, number) in listed {
            if let Some(place) = place {
                let context = context(&made, range);
                self.list(&place(), kind, number, context);
            }
        }
        made
    }

    fn list(&mut self, place: &str, kind: Kind, number: usize, context: String) {
        let key = (place.to_owned(), number);
        match self.by_place.get(&key) {
            Some(at) => self.findings[*at].times += 1,
            None => {
                self.by_place.insert(key, self.findings.len());
                let (place, kind) = (place.to_owned(), kind.word());
                self.findings.push(Finding { place, kind, number, context, times: 1 });
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
    let said = |(field, name): (&str, &str)| Some(format!("{name} {}", item.get(field)?.as_u64()?));
    let named =
        [("step", "step"), ("step_id", "step"), ("turn", "turn")].into_iter().find_map(said);
    named.unwrap_or_else(|| format!("{list} {number}").trim_start().to_owned())
}

/// What stands in the place of a secret.
fn marker(kind: Kind, number: usize) -> String {
    match kind {
        Kind::HomeFolder => "~".into(),
        kind => format!("[redacted: {} #{number}]", kind.word()),
    }
}

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<String> = Kind::ALL.iter().map(|kind| regex::escape(kind.word())).collect();
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

/// What stands between replacements, and whether it is the end of the text.
fn pieces(text: &str) -> Vec<(Range<usize>, bool)> {
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

/// What overlaps is one; it is of the kind that says most.
fn merged(mut found: Vec<Match>) -> Vec<Match> {
    found.sort_by_key(|it| (it.range.start, std::cmp::Reverse(it.range.end), it.kind));
    let mut all: Vec<Match> = vec![];
    for next in found {
        match all.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                let is_longer = next.range.end > last.range.end;
                last.range.end = last.range.end.max(next.range.end);
                let is_same = next.range == last.range;
                if next.kind < last.kind && (is_longer || is_same) || last.kind == Kind::HomeFolder
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

fn context(text: &str, range: Range<usize>) -> String {
    let before: Vec<char> = text[..range.start].chars().rev().take(CONTEXT).collect();
    let before: String = before.into_iter().rev().collect();
    let after: String = text[range.end..].chars().take(CONTEXT).collect();
    format!("{before}{}{after}", &text[range.clone()]).replace(['\n', '\r', '\t'], " ")
}
