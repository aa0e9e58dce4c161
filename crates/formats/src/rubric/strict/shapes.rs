//! The fields of each document: one table per kind of object.

#[cfg(test)]
mod tests;

use crate::SourceBytes;
use trajview_run::{
    Time, Warning,
    rubric::{FULL_SCORE, LabelUnit},
};

use super::node::StrictNode;

/// A field, the shape of its value, and whether it may be missing or null.
pub struct FieldShape(&'static str, ValueShape, FieldNeed);

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldNeed {
    Must,
    May,
}

use FieldNeed::{May, Must};

enum ValueShape {
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
    /// Any value.
    Any,
    Object(&'static [FieldShape]),
    Objects(&'static [FieldShape]),
}

pub const COMPONENTS: &[FieldShape] = &[
    FieldShape("schema", ValueShape::Schema("trajview.components/1"), Must),
    FieldShape("task", ValueShape::Text, May),
    FieldShape("judge", ValueShape::Text, May),
    FieldShape("components", ValueShape::Objects(COMPONENT), Must),
    FieldShape("codebook", ValueShape::Object(CODEBOOK), May),
];

const CODEBOOK: &[FieldShape] = &[
    FieldShape("scale", ValueShape::Text, May),
    FieldShape("rule", ValueShape::Text, May),
    FieldShape("levels", ValueShape::Objects(CODEBOOK_LEVEL), May),
    FieldShape("criteria", ValueShape::Objects(CODEBOOK_CRITERION), May),
    FieldShape("overall", ValueShape::OneOf(&["mean", "lowest"]), May),
];

const CODEBOOK_CRITERION: &[FieldShape] = &[
    FieldShape("id", ValueShape::Id, Must),
    FieldShape("name", ValueShape::Text, May),
    FieldShape("scale", ValueShape::Text, May),
    FieldShape("rule", ValueShape::Text, May),
    FieldShape("levels", ValueShape::Objects(CODEBOOK_LEVEL), May),
];

const CODEBOOK_LEVEL: &[FieldShape] = &[
    FieldShape("score", ValueShape::Number, May),
    FieldShape("name", ValueShape::Text, May),
    FieldShape("means", ValueShape::Text, May),
    FieldShape("examples", ValueShape::Texts, May),
];

const COMPONENT: &[FieldShape] = &[
    FieldShape("id", ValueShape::Id, Must),
    FieldShape("name", ValueShape::Id, Must),
    FieldShape("intent", ValueShape::Text, May),
    FieldShape("formula", ValueShape::Text, May),
    FieldShape("inputs", ValueShape::Text, May),
    FieldShape("outputs", ValueShape::Text, May),
    FieldShape("connects_to", ValueShape::Texts, May),
    FieldShape("committed_at_turn", ValueShape::Ordinal, May),
    FieldShape("blocker", ValueShape::Object(BLOCKER), May),
];

const BLOCKER: &[FieldShape] = &[
    FieldShape("at_most", ValueShape::Number, May),
    FieldShape("caps", ValueShape::Number, May),
    FieldShape("of", ValueShape::Texts, May),
    FieldShape("weight", ValueShape::Number, May),
];

pub const EXPOSURE: &[FieldShape] = &[
    FieldShape("schema", ValueShape::Schema("trajview.exposure/1"), Must),
    FieldShape("components", ValueShape::Objects(EXPOSED), Must),
];

const EXPOSED: &[FieldShape] = &[
    FieldShape("id", ValueShape::Id, Must),
    FieldShape("by_turn", ValueShape::Objects(LEVEL), Must),
];

const LEVEL: &[FieldShape] =
    &[FieldShape("turn", ValueShape::Ordinal, Must), FieldShape("level", ValueShape::Score, Must)];

pub const JUDGEMENT: &[FieldShape] = &[
    FieldShape("schema", ValueShape::Schema("trajview.judgement/1"), Must),
    FieldShape("judge", ValueShape::Object(JUDGE), Must),
    FieldShape("shared_vendor", ValueShape::Text, May),
    FieldShape("run", ValueShape::Text, May),
    FieldShape("commit", ValueShape::Text, May),
    FieldShape("turn", ValueShape::Ordinal, May),
    FieldShape("rubric", ValueShape::Text, May),
    FieldShape("test", ValueShape::OneOf(&["rewording", "drift"]), May),
    FieldShape("batch_id", ValueShape::Text, May),
    FieldShape("created_at", ValueShape::Time, May),
    FieldShape("finished_at", ValueShape::Time, May),
    FieldShape("components", ValueShape::Texts, May),
    FieldShape("repeat", ValueShape::Object(REPEAT), May),
    FieldShape("scores", ValueShape::Objects(VERDICT), Must),
];

pub const FLAGGING: &[FieldShape] = &[
    FieldShape("schema", ValueShape::Schema("trajview.judgement/1"), Must),
    FieldShape("judge", ValueShape::Object(JUDGE), Must),
    FieldShape("shared_vendor", ValueShape::Text, May),
    FieldShape("run", ValueShape::Text, May),
    FieldShape("commit", ValueShape::Text, May),
    FieldShape("turn", ValueShape::Ordinal, May),
    FieldShape("rubric", ValueShape::Text, May),
    FieldShape("batch_id", ValueShape::Text, May),
    FieldShape("created_at", ValueShape::Time, May),
    FieldShape("finished_at", ValueShape::Time, May),
    FieldShape("components", ValueShape::Texts, May),
    FieldShape("repeat", ValueShape::Object(REPEAT), May),
    FieldShape("scores", ValueShape::Objects(VERDICT), May),
    FieldShape("groups", ValueShape::Objects(GROUP), May),
    FieldShape("flags", ValueShape::Objects(FLAG), Must),
    FieldShape("lines_of_code", ValueShape::Count, May),
];

const JUDGE: &[FieldShape] = &[
    FieldShape("name", ValueShape::Id, Must),
    FieldShape("kind", ValueShape::OneOf(&["http", "command", "human", "imported"]), Must),
    FieldShape("protocol", ValueShape::Text, May),
    FieldShape("model", ValueShape::Text, May),
    FieldShape("prompt_sha256", ValueShape::Text, May),
    FieldShape("reworded_from", ValueShape::Text, May),
    FieldShape("criteria_sha256", ValueShape::Text, May),
    FieldShape("rules_sha256", ValueShape::Text, May),
    FieldShape("budget", ValueShape::Count, May),
    FieldShape("temperature", ValueShape::Number, May),
    FieldShape("confidence_scale", ValueShape::Text, May),
    FieldShape("criteria", ValueShape::Objects(SCORED_BY), May),
    FieldShape("overall", ValueShape::OneOf(&["mean", "lowest"]), May),
];

const SCORED_BY: &[FieldShape] =
    &[FieldShape("id", ValueShape::Id, May), FieldShape("scale", ValueShape::Text, Must)];

const REPEAT: &[FieldShape] =
    &[FieldShape("number", ValueShape::Ordinal, Must), FieldShape("of", ValueShape::Ordinal, May)];

const VERDICT: &[FieldShape] = &[
    FieldShape("component", ValueShape::Id, Must),
    FieldShape("score", ValueShape::Score, May),
    FieldShape("label", ValueShape::Text, May),
    FieldShape("rationale", ValueShape::Text, May),
    FieldShape("evidence", ValueShape::Objects(PLACE), May),
    FieldShape("evidence_found", ValueShape::Count, May),
    FieldShape("evidence_given", ValueShape::Count, May),
    FieldShape("looks", ValueShape::Count, May),
    FieldShape("left_out", ValueShape::Any, May),
    FieldShape("trace", ValueShape::Objects(LOOK), May),
    FieldShape("requests", ValueShape::Any, May),
    FieldShape("tokens", ValueShape::Count, May),
    FieldShape("seconds", ValueShape::Number, May),
    FieldShape("error", ValueShape::Text, May),
    FieldShape("reason", ValueShape::Text, May),
    FieldShape("fault", ValueShape::Flag, May),
    FieldShape("about_sha256", ValueShape::Text, May),
    FieldShape("confidence", ValueShape::Number, May),
    FieldShape("criteria", ValueShape::Objects(GIVEN), May),
    FieldShape("overall", ValueShape::Number, May),
];

const GIVEN: &[FieldShape] = &[
    FieldShape("id", ValueShape::Id, May),
    FieldShape("score", ValueShape::Number, Must),
    FieldShape("label", ValueShape::Text, May),
];

const GROUP: &[FieldShape] = &[
    FieldShape("group", ValueShape::Id, Must),
    FieldShape("found", ValueShape::Count, May),
    FieldShape("found_again", ValueShape::Count, May),
    FieldShape("left_out", ValueShape::Any, May),
    FieldShape("trace", ValueShape::Objects(LOOK), May),
    FieldShape("requests", ValueShape::Any, May),
    FieldShape("tokens", ValueShape::Count, May),
    FieldShape("seconds", ValueShape::Number, May),
    FieldShape("error", ValueShape::Text, May),
    FieldShape("fault", ValueShape::Flag, May),
];

const PLACE: &[FieldShape] = &[
    FieldShape("path", ValueShape::Id, Must),
    FieldShape("start", ValueShape::Ordinal, May),
    FieldShape("end", ValueShape::Ordinal, May),
    FieldShape("quote", ValueShape::Text, May),
    FieldShape("quote_check", ValueShape::OneOf(&["found", "moved", "missing"]), May),
    FieldShape("quote_start", ValueShape::Ordinal, May),
    FieldShape("quote_end", ValueShape::Ordinal, May),
];

const FLAG: &[FieldShape] = &[
    FieldShape("criterion", ValueShape::Id, Must),
    FieldShape("category", ValueShape::Text, May),
    FieldShape("type", ValueShape::Text, May),
    FieldShape("path", ValueShape::Id, Must),
    FieldShape("start", ValueShape::Ordinal, May),
    FieldShape("end", ValueShape::Ordinal, May),
    FieldShape("confidence", ValueShape::Number, May),
    FieldShape("explanation", ValueShape::Text, May),
    FieldShape("carried_from", ValueShape::Text, May),
];

const LOOK: &[FieldShape] = &[
    FieldShape("tool", ValueShape::Text, Must),
    FieldShape("arguments", ValueShape::Any, May),
    FieldShape("bytes", ValueShape::Count, May),
    FieldShape("sha256", ValueShape::Text, May),
    FieldShape("excerpt", ValueShape::Text, May),
    FieldShape("refused", ValueShape::Flag, May),
    FieldShape("request", ValueShape::Ordinal, May),
];

pub const LABELS: &[FieldShape] = &[
    FieldShape("schema", ValueShape::Schema("trajview.labels/1"), Must),
    FieldShape("annotator", ValueShape::Id, Must),
    FieldShape("labels", ValueShape::Objects(LABEL), Must),
    FieldShape("proposals", ValueShape::Objects(LABEL), May),
    FieldShape("seen", ValueShape::Objects(SEEN), May),
];

pub const GOLD: &[FieldShape] = &[
    FieldShape("schema", ValueShape::Schema("trajview.gold/1"), Must),
    FieldShape("gold", ValueShape::Objects(OUTCOME), Must),
];

const OUTCOME: &[FieldShape] = &[
    FieldShape("component", ValueShape::Id, Must),
    FieldShape("unit", ValueShape::OneOf(UNITS), May),
    FieldShape("criterion", ValueShape::Text, May),
    FieldShape("commit", ValueShape::Text, May),
    FieldShape("turn", ValueShape::Ordinal, May),
    // Checked against its scale elsewhere.
    FieldShape("score", ValueShape::Any, May),
    FieldShape("scale", ValueShape::Text, May),
    FieldShape("cannot_tell", ValueShape::Flag, May),
    FieldShape("by", ValueShape::Text, May),
    FieldShape("note", ValueShape::Text, May),
    FieldShape("at", ValueShape::Time, May),
    FieldShape("from", ValueShape::Objects(SOURCE), May),
];

const SOURCE: &[FieldShape] = &[
    FieldShape("annotator", ValueShape::Id, Must),
    FieldShape("score", ValueShape::Any, May),
    FieldShape("reason", ValueShape::Text, May),
    FieldShape("note", ValueShape::Text, May),
];

const SEEN: &[FieldShape] = &[
    FieldShape("judgement", ValueShape::Text, Must),
    FieldShape("unit", ValueShape::OneOf(UNITS), May),
    FieldShape("criterion", ValueShape::Text, May),
    FieldShape("items", ValueShape::Texts, Must),
];

const UNITS: &[&str] = &unit_words();

const fn unit_words() -> [&'static str; LabelUnit::ALL.len()] {
    let mut words = [""; LabelUnit::ALL.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = LabelUnit::ALL[at].word();
        at += 1;
    }
    words
}

const LABEL: &[FieldShape] = &[
    FieldShape("component", ValueShape::Id, Must),
    FieldShape("unit", ValueShape::OneOf(UNITS), May),
    FieldShape("criterion", ValueShape::Text, May),
    FieldShape("judgement", ValueShape::Text, May),
    FieldShape("commit", ValueShape::Text, May),
    FieldShape("turn", ValueShape::Ordinal, May),
    // Checked against its scale elsewhere.
    FieldShape("score", ValueShape::Any, May),
    FieldShape("scale", ValueShape::Text, May),
    FieldShape("cannot_tell", ValueShape::Flag, May),
    FieldShape("confidence", ValueShape::OneOf(&["low", "medium", "high"]), May),
    FieldShape("blind", ValueShape::Flag, May),
    FieldShape("seen", ValueShape::Texts, May),
    FieldShape("reason", ValueShape::Text, May),
    FieldShape("note", ValueShape::Text, May),
    FieldShape("at", ValueShape::Time, May),
];

/// The mistakes in one file.
pub struct FileMistakes<'a> {
    name: &'a str,
    bytes: &'a [u8],
    /// Line and sentence.
    all: Vec<(usize, String)>,
}

impl<'a> FileMistakes<'a> {
    pub fn for_file(file: &SourceBytes<'a>) -> Self {
        Self { name: file.name, bytes: file.bytes, all: vec![] }
    }

    pub fn add_at_node(&mut self, node: &StrictNode<'_>, what: String) {
        let before = &self.bytes[..node.offset_in(self.bytes).min(self.bytes.len())];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let path = if node.path.is_empty() { String::new() } else { format!("{}: ", node.path) };
        self.all.push((line, format!("{path}{what}")));
    }

    pub fn add_at_line(&mut self, line: usize, what: String) {
        self.all.push((line, what));
    }

    /// Returns the mistakes in the order of their lines, at most so many.
    pub fn into_warnings(mut self, most: usize) -> Vec<Warning> {
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

/// The beginning of the name of a field for human readers, since JSON has no comments.
const COMMENT_PREFIX: &str = "//";

/// Checks an object against its table, and all values in it.
pub fn check_object(node: &StrictNode<'_>, fields: &[FieldShape], mistakes: &mut FileMistakes<'_>) {
    let entries: Vec<_> =
        node.entries().into_iter().filter(|(name, _)| !name.starts_with(COMMENT_PREFIX)).collect();
    for (at, (name, value)) in entries.iter().enumerate() {
        if entries[..at].iter().any(|(before, _)| before == name) {
            mistakes.add_at_node(value, "is there twice".into());
        }
        match fields.iter().find(|FieldShape(known, ..)| known == name) {
            None => {
                let known: Vec<&str> = fields.iter().map(|field| field.0).collect();
                mistakes.add_at_node(value, format!("no such field; known: {}", known.join(", ")));
            }
            Some(FieldShape(_, _, May)) if value.is_null() => {}
            Some(FieldShape(_, kind, _)) => check_value(value, kind, mistakes),
        }
    }
    for FieldShape(name, ..) in fields.iter().filter(|field| field.2 == Must) {
        if !entries.iter().any(|(found, _)| found == name) {
            mistakes.add_at_node(node, format!("has no field {name:?}"));
        }
    }
}

fn check_value(value: &StrictNode<'_>, kind: &ValueShape, mistakes: &mut FileMistakes<'_>) {
    match kind {
        ValueShape::Object(fields) if value.is_object() => check_object(value, fields, mistakes),
        ValueShape::Objects(fields) if value.is_list() => {
            for element in value.elements() {
                if element.is_object() {
                    check_object(&element, fields, mistakes);
                } else {
                    mistakes.add_at_node(
                        &element,
                        format!("expected an object, found {}", element.shortened_text()),
                    );
                }
            }
        }
        ValueShape::Texts if value.is_list() => {
            for element in value.elements().iter().filter(|it| it.text().is_none()) {
                mistakes.add_at_node(
                    element,
                    format!("expected text, found {}", element.shortened_text()),
                );
            }
        }
        kind if kind.allows(value) => {}
        kind => mistakes.add_at_node(
            value,
            format!("expected {}, found {}", kind.expected_text(), value.shortened_text()),
        ),
    }
}

impl ValueShape {
    /// Returns whether a value that is no object and no list has this shape.
    fn allows(&self, value: &StrictNode<'_>) -> bool {
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
            Self::Score => value.count().is_some_and(|score| score <= u64::from(FULL_SCORE)),
            Self::Any => true,
            Self::Texts | Self::Object(_) | Self::Objects(_) => false,
        }
    }

    fn expected_text(&self) -> String {
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
            Self::Score => format!("a level from 0 to {FULL_SCORE}"),
            Self::Any => "anything".into(),
            Self::Texts => "a list of texts".into(),
            Self::Object(_) => "an object".into(),
            Self::Objects(_) => "a list of objects".into(),
        }
    }
}
