//! What each document may hold: one table a kind of object.

use crate::Source;
use trajview_run::{
    Time, Warning,
    rubric::{FULL, Unit},
};

use super::node::Node;

/// A field, what it holds, and whether it may be left out or null.
pub struct Field(&'static str, Kind, Need);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Must,
    May,
}

use Need::{May, Must};

enum Kind {
    /// The schema of the document, by name.
    Schema(&'static str),
    Text,
    /// Text that is not blank.
    Id,
    OneOf(&'static [&'static str]),
    /// RFC 3339.
    Time,
    /// A whole number from 0.
    Count,
    /// A whole number from 1.
    Ordinal,
    Number,
    Flag,
    Score,
    Texts,
    /// Whatever it is.
    Any,
    Object(&'static [Field]),
    Objects(&'static [Field]),
}

pub const COMPONENTS: &[Field] = &[
    Field("schema", Kind::Schema("trajview.components/1"), Must),
    Field("task", Kind::Text, May),
    Field("judge", Kind::Text, May),
    Field("components", Kind::Objects(COMPONENT), Must),
    Field("codebook", Kind::Object(CODEBOOK), May),
];

const CODEBOOK: &[Field] = &[
    Field("scale", Kind::Text, May),
    Field("rule", Kind::Text, May),
    Field("levels", Kind::Objects(CODEBOOK_LEVEL), May),
    Field("criteria", Kind::Objects(CODEBOOK_CRITERION), May),
    Field("overall", Kind::OneOf(&["mean", "lowest"]), May),
];

const CODEBOOK_CRITERION: &[Field] = &[
    Field("id", Kind::Id, Must),
    Field("name", Kind::Text, May),
    Field("scale", Kind::Text, May),
    Field("rule", Kind::Text, May),
    Field("levels", Kind::Objects(CODEBOOK_LEVEL), May),
];

const CODEBOOK_LEVEL: &[Field] = &[
    Field("score", Kind::Number, May),
    Field("name", Kind::Text, May),
    Field("means", Kind::Text, May),
    Field("examples", Kind::Texts, May),
];

const COMPONENT: &[Field] = &[
    Field("id", Kind::Id, Must),
    Field("name", Kind::Id, Must),
    Field("intent", Kind::Text, May),
    Field("formula", Kind::Text, May),
    Field("inputs", Kind::Text, May),
    Field("outputs", Kind::Text, May),
    Field("connects_to", Kind::Texts, May),
    Field("committed_at_turn", Kind::Ordinal, May),
    Field("blocker", Kind::Object(BLOCKER), May),
];

const BLOCKER: &[Field] = &[
    Field("at_most", Kind::Number, May),
    Field("caps", Kind::Number, May),
    Field("of", Kind::Texts, May),
    Field("weight", Kind::Number, May),
];

pub const EXPOSURE: &[Field] = &[
    Field("schema", Kind::Schema("trajview.exposure/1"), Must),
    Field("components", Kind::Objects(EXPOSED), Must),
];

const EXPOSED: &[Field] =
    &[Field("id", Kind::Id, Must), Field("by_turn", Kind::Objects(LEVEL), Must)];

const LEVEL: &[Field] = &[Field("turn", Kind::Ordinal, Must), Field("level", Kind::Score, Must)];

pub const JUDGEMENT: &[Field] = &[
    Field("schema", Kind::Schema("trajview.judgement/1"), Must),
    Field("judge", Kind::Object(JUDGE), Must),
    Field("run", Kind::Text, May),
    Field("commit", Kind::Text, May),
    Field("turn", Kind::Ordinal, May),
    Field("rubric", Kind::Text, May),
    Field("created_at", Kind::Time, May),
    Field("finished_at", Kind::Time, May),
    Field("components", Kind::Texts, May),
    Field("repeat", Kind::Object(REPEAT), May),
    Field("scores", Kind::Objects(VERDICT), Must),
];

pub const FLAGGING: &[Field] = &[
    Field("schema", Kind::Schema("trajview.judgement/1"), Must),
    Field("judge", Kind::Object(JUDGE), Must),
    Field("run", Kind::Text, May),
    Field("commit", Kind::Text, May),
    Field("turn", Kind::Ordinal, May),
    Field("rubric", Kind::Text, May),
    Field("created_at", Kind::Time, May),
    Field("finished_at", Kind::Time, May),
    Field("components", Kind::Texts, May),
    Field("repeat", Kind::Object(REPEAT), May),
    Field("scores", Kind::Objects(VERDICT), May),
    Field("groups", Kind::Objects(GROUP), May),
    Field("flags", Kind::Objects(FLAG), Must),
    Field("lines_of_code", Kind::Count, May),
];

const JUDGE: &[Field] = &[
    Field("name", Kind::Id, Must),
    Field("kind", Kind::OneOf(&["http", "command", "human", "imported"]), Must),
    Field("protocol", Kind::Text, May),
    Field("model", Kind::Text, May),
    Field("prompt_sha256", Kind::Text, May),
    Field("criteria_sha256", Kind::Text, May),
    Field("rules_sha256", Kind::Text, May),
    Field("budget", Kind::Count, May),
    Field("temperature", Kind::Number, May),
    Field("criteria", Kind::Objects(SCORED_BY), May),
    Field("overall", Kind::OneOf(&["mean", "lowest"]), May),
];

const SCORED_BY: &[Field] = &[Field("id", Kind::Id, May), Field("scale", Kind::Text, Must)];

const REPEAT: &[Field] = &[Field("number", Kind::Ordinal, Must), Field("of", Kind::Ordinal, May)];

const VERDICT: &[Field] = &[
    Field("component", Kind::Id, Must),
    Field("score", Kind::Score, May),
    Field("label", Kind::Text, May),
    Field("rationale", Kind::Text, May),
    Field("evidence", Kind::Objects(PLACE), May),
    Field("left_out", Kind::Any, May),
    Field("trace", Kind::Objects(LOOK), May),
    Field("requests", Kind::Any, May),
    Field("tokens", Kind::Count, May),
    Field("seconds", Kind::Number, May),
    Field("error", Kind::Text, May),
    Field("reason", Kind::Text, May),
    Field("fault", Kind::Flag, May),
    Field("about_sha256", Kind::Text, May),
    Field("criteria", Kind::Objects(GIVEN), May),
    Field("overall", Kind::Number, May),
];

const GIVEN: &[Field] = &[
    Field("id", Kind::Id, May),
    Field("score", Kind::Number, Must),
    Field("label", Kind::Text, May),
];

const GROUP: &[Field] = &[
    Field("group", Kind::Id, Must),
    Field("found", Kind::Count, May),
    Field("found_again", Kind::Count, May),
    Field("left_out", Kind::Any, May),
    Field("trace", Kind::Objects(LOOK), May),
    Field("requests", Kind::Any, May),
    Field("tokens", Kind::Count, May),
    Field("seconds", Kind::Number, May),
    Field("error", Kind::Text, May),
    Field("fault", Kind::Flag, May),
];

const PLACE: &[Field] = &[
    Field("path", Kind::Id, Must),
    Field("start", Kind::Ordinal, May),
    Field("end", Kind::Ordinal, May),
];

const FLAG: &[Field] = &[
    Field("criterion", Kind::Id, Must),
    Field("category", Kind::Text, May),
    Field("type", Kind::Text, May),
    Field("path", Kind::Id, Must),
    Field("start", Kind::Ordinal, May),
    Field("end", Kind::Ordinal, May),
    Field("confidence", Kind::Number, May),
    Field("explanation", Kind::Text, May),
    Field("carried_from", Kind::Text, May),
];

const LOOK: &[Field] = &[
    Field("tool", Kind::Text, Must),
    Field("arguments", Kind::Any, May),
    Field("bytes", Kind::Count, May),
    Field("sha256", Kind::Text, May),
    Field("excerpt", Kind::Text, May),
    Field("refused", Kind::Flag, May),
    Field("request", Kind::Ordinal, May),
];

pub const LABELS: &[Field] = &[
    Field("schema", Kind::Schema("trajview.labels/1"), Must),
    Field("annotator", Kind::Id, Must),
    Field("labels", Kind::Objects(LABEL), Must),
    Field("proposals", Kind::Objects(LABEL), May),
    Field("seen", Kind::Objects(SEEN), May),
];

pub const GOLD: &[Field] = &[
    Field("schema", Kind::Schema("trajview.gold/1"), Must),
    Field("gold", Kind::Objects(OUTCOME), Must),
];

const OUTCOME: &[Field] = &[
    Field("component", Kind::Id, Must),
    Field("unit", Kind::OneOf(UNITS), May),
    Field("criterion", Kind::Text, May),
    Field("commit", Kind::Text, May),
    Field("turn", Kind::Ordinal, May),
    // Held against its scale by whoever knows it.
    Field("score", Kind::Any, May),
    Field("scale", Kind::Text, May),
    Field("cannot_tell", Kind::Flag, May),
    Field("by", Kind::Text, May),
    Field("note", Kind::Text, May),
    Field("at", Kind::Time, May),
    Field("from", Kind::Objects(SOURCE), May),
];

const SOURCE: &[Field] = &[
    Field("annotator", Kind::Id, Must),
    Field("score", Kind::Any, May),
    Field("reason", Kind::Text, May),
    Field("note", Kind::Text, May),
];

const SEEN: &[Field] = &[
    Field("judgement", Kind::Text, Must),
    Field("unit", Kind::OneOf(UNITS), May),
    Field("criterion", Kind::Text, May),
    Field("items", Kind::Texts, Must),
];

const UNITS: &[&str] = &unit_words();

const fn unit_words() -> [&'static str; Unit::ALL.len()] {
    let mut words = [""; Unit::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Unit::ALL[at].word();
        at += 1;
    }
    words
}

const LABEL: &[Field] = &[
    Field("component", Kind::Id, Must),
    Field("unit", Kind::OneOf(UNITS), May),
    Field("criterion", Kind::Text, May),
    Field("judgement", Kind::Text, May),
    Field("commit", Kind::Text, May),
    Field("turn", Kind::Ordinal, May),
    // Held against its scale by whoever knows it.
    Field("score", Kind::Any, May),
    Field("scale", Kind::Text, May),
    Field("cannot_tell", Kind::Flag, May),
    Field("confidence", Kind::OneOf(&["low", "medium", "high"]), May),
    Field("blind", Kind::Flag, May),
    Field("seen", Kind::Texts, May),
    Field("reason", Kind::Text, May),
    Field("note", Kind::Text, May),
    Field("at", Kind::Time, May),
];

/// What is wrong with one file.
pub struct Mistakes<'a> {
    name: &'a str,
    bytes: &'a [u8],
    /// Line and sentence.
    all: Vec<(usize, String)>,
}

impl<'a> Mistakes<'a> {
    pub fn of(file: &Source<'a>) -> Self {
        Self { name: file.name, bytes: file.bytes, all: vec![] }
    }

    pub fn at(&mut self, node: &Node<'_>, what: String) {
        let before = &self.bytes[..node.offset(self.bytes).min(self.bytes.len())];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let path = if node.path.is_empty() { String::new() } else { format!("{}: ", node.path) };
        self.all.push((line, format!("{path}{what}")));
    }

    pub fn line(&mut self, line: usize, what: String) {
        self.all.push((line, what));
    }

    /// In the order of the lines, at most so many.
    pub fn finish(mut self, most: usize) -> Vec<Warning> {
        self.all.sort_by_key(|(line, _)| *line);
        let more = self.all.len().saturating_sub(most);
        self.all.truncate(most);
        let name = self.name;
        let warning = |(line, what)| Warning { place: format!("{name}:{line}"), what };
        let mut warnings: Vec<Warning> = self.all.into_iter().map(warning).collect();
        let rest = (more > 0)
            .then(|| Warning { place: name.into(), what: format!("and {more} mistakes more") });
        warnings.extend(rest);
        warnings
    }
}

/// How the name of a field begins that is for people to read, since JSON has no comments.
const COMMENT: &str = "//";

/// Holds an object against its table, and all that is in it.
pub fn hold(node: &Node<'_>, fields: &[Field], mistakes: &mut Mistakes<'_>) {
    let entries: Vec<_> =
        node.entries().into_iter().filter(|(name, _)| !name.starts_with(COMMENT)).collect();
    for (at, (name, value)) in entries.iter().enumerate() {
        if entries[..at].iter().any(|(before, _)| before == name) {
            mistakes.at(value, "is there twice".into());
        }
        match fields.iter().find(|Field(known, ..)| known == name) {
            None => {
                let known: Vec<&str> = fields.iter().map(|field| field.0).collect();
                mistakes.at(value, format!("no such field; known: {}", known.join(", ")));
            }
            Some(Field(_, _, May)) if value.is_null() => {}
            Some(Field(_, kind, _)) => hold_value(value, kind, mistakes),
        }
    }
    for Field(name, ..) in fields.iter().filter(|field| field.2 == Must) {
        if !entries.iter().any(|(found, _)| found == name) {
            mistakes.at(node, format!("has no field {name:?}"));
        }
    }
}

fn hold_value(value: &Node<'_>, kind: &Kind, mistakes: &mut Mistakes<'_>) {
    match kind {
        Kind::Object(fields) if value.is_object() => hold(value, fields, mistakes),
        Kind::Objects(fields) if value.is_list() => {
            for element in value.elements() {
                if element.is_object() {
                    hold(&element, fields, mistakes);
                } else {
                    mistakes.at(&element, format!("expected an object, found {}", element.shown()));
                }
            }
        }
        Kind::Texts if value.is_list() => {
            for element in value.elements().iter().filter(|it| it.text().is_none()) {
                mistakes.at(element, format!("expected text, found {}", element.shown()));
            }
        }
        kind if kind.allows(value) => {}
        kind => mistakes.at(value, format!("expected {}, found {}", kind.words(), value.shown())),
    }
}

impl Kind {
    /// Of what is no object and no list.
    fn allows(&self, value: &Node<'_>) -> bool {
        let text = || value.text();
        match self {
            Self::Schema(schema) => text().as_deref() == Some(*schema),
            Self::Text => text().is_some(),
            Self::Id => text().is_some_and(|text| !text.trim().is_empty()),
            Self::OneOf(words) => text().is_some_and(|text| words.contains(&text.as_str())),
            Self::Time => text().is_some_and(|text| Time::parse(&text).is_some()),
            Self::Count => value.count().is_some(),
            Self::Ordinal => value.count().is_some_and(|count| count > 0),
            Self::Number => value.value().is_number(),
            Self::Flag => value.value().is_boolean(),
            Self::Score => value.count().is_some_and(|score| score <= u64::from(FULL)),
            Self::Any => true,
            Self::Texts | Self::Object(_) | Self::Objects(_) => false,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Schema(schema) => format!("{schema:?}"),
            Self::Text => "text".into(),
            Self::Id => "text that is not blank".into(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Time => "a time as 2026-01-31T12:00:00Z".into(),
            Self::Count => "a whole number from 0".into(),
            Self::Ordinal => "a whole number from 1".into(),
            Self::Number => "a number".into(),
            Self::Flag => "true or false".into(),
            Self::Score => format!("a level from 0 to {FULL}"),
            Self::Any => "anything".into(),
            Self::Texts => "a list of texts".into(),
            Self::Object(_) => "an object".into(),
            Self::Objects(_) => "a list of objects".into(),
        }
    }
}
