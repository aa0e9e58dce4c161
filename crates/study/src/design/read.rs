//! `study.toml`, read whatever its bytes: what can be used is, and all that cannot is told at once, each with its line.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use trajview_formats::rubric::codebook;
use trajview_run::rubric::{Acts, Unit};

use super::{Adjudicates, Allocation, Design, Division, GOLD, Overlap, Stratum};

/// Larger files are no studies.
pub const MOST_BYTES: usize = 1 << 20;

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Counts from 1.
    pub line: usize,
    /// A sentence.
    pub what: String,
}

/// A field by its dotted name, and how its value is taken in; the error says what was expected.
struct Field(&'static str, fn(&mut Draft, &DeValue<'_>) -> Result<(), String>);

/// A study while it is read.
#[derive(Default)]
struct Draft {
    design: Design,
    is_divided: bool,
    overlap: Option<Overlap>,
    /// The line that it begins on, and what it says.
    codebook: Option<(usize, Map<String, Value>)>,
}

const FIELDS: &[Field] = &[
    Field("name", |it, to| put_some(&mut it.design.name, text(to, "the name of the study"))),
    Field("runs", |it, to| {
        put(&mut it.design.runs, texts(to, "paths of run bundles, such as [\"runs/*\"]"))
    }),
    Field("unit", |it, to| put(&mut it.design.unit, word(to, &Unit::ALL, Unit::word))),
    Field("rubric", |it, to| put_some(&mut it.design.rubric, text(to, "a file of components"))),
    Field("judges", |it, to| put(&mut it.design.judges, names(to, "judges"))),
    Field("raters", |it, to| put(&mut it.design.raters, names(to, "raters"))),
    Field("adjudicator", |it, to| {
        put_some(&mut it.design.adjudicator, name(to, "who settles differences"))
    }),
    Field("adjudicates", |it, to| {
        put(&mut it.design.adjudicates, word(to, &Adjudicates::ALL, Adjudicates::word))
    }),
    Field("labels", |it, to| put(&mut it.design.acts, word(to, &Acts::ALL, Acts::word))),
    Field("labels_folder", |it, to| put_some(&mut it.design.labels_folder, text(to, "a folder"))),
    Field("sample.size", |it, to| put_some(&mut it.design.sample.size, count(to, 1))),
    Field("sample.seed", |it, to| {
        put(&mut it.design.sample.seed, count(to, 0).map(|seed| seed as u64))
    }),
    Field("sample.strata", |it, to| put(&mut it.design.sample.strata, strata(to))),
    Field("sample.allocation", |it, to| {
        put(&mut it.design.sample.allocation, word(to, &Allocation::ALL, Allocation::word))
    }),
    Field("queue.divided", |it, to| put(&mut it.is_divided, flag(to))),
    Field("queue.overlap", |it, to| put_some(&mut it.overlap, overlap(to))),
];

/// Reads a study; what is wrong with it stands in the order of its lines, and the rest counts.
pub fn read(text: &str) -> (Design, Vec<Mistake>) {
    let mut reader = Reader { text, lines: BTreeMap::new(), mistakes: vec![] };
    if text.len() > MOST_BYTES {
        let what = format!("is larger than {} MB: no study", MOST_BYTES >> 20);
        return (Design::default(), vec![Mistake { line: 1, what }]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = reader.line_of(error.span().map_or(0, |span| span.start));
        reader.mistake(line, error.message().lines().next().unwrap_or_default());
    }
    let mut draft = Draft::default();
    reader.read_table("", table.get_ref(), &mut draft);
    let is_readable = reader.mistakes.is_empty();
    reader.check(&draft, is_readable);
    if draft.is_divided {
        draft.design.division = Division::Divided(draft.overlap.unwrap_or(Overlap::Count(0)));
    }
    if let Some((line, table)) = draft.codebook {
        let (book, wrong) = codebook::read(&table, draft.design.unit, "the study");
        draft.design.codebook = book;
        let told = wrong.into_iter().map(|it| Mistake { line, what: format!("codebook: {it}") });
        reader.mistakes.extend(told);
    }
    let mut mistakes = reader.mistakes;
    mistakes.sort_by_key(|it| it.line);
    (draft.design, mistakes)
}

struct Reader<'a> {
    text: &'a str,
    /// Where each field stands.
    lines: BTreeMap<String, usize>,
    mistakes: Vec<Mistake>,
}

impl Reader<'_> {
    /// Counts from 1.
    fn line_of(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn mistake(&mut self, line: usize, what: &str) {
        // A line that TOML cannot read leaves a value behind, about which there is nothing more to say.
        if !self.mistakes.iter().any(|it| it.line == line) {
            self.mistakes.push(Mistake { line, what: what.to_owned() });
        }
    }

    fn read_table(&mut self, above: &str, table: &DeTable<'_>, draft: &mut Draft) {
        let mut entries: Vec<(&Spanned<_>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let line = self.line_of(name.span().start);
            let full = format!("{above}{}", name.get_ref());
            self.lines.insert(full.clone(), line);
            match value.get_ref() {
                DeValue::Table(inner) if full == "codebook" => {
                    draft.codebook = Some((line, json_of(inner)));
                }
                DeValue::Table(inner) if above.is_empty() && is_table(&full) => {
                    self.read_table(&format!("{full}."), inner, draft);
                }
                value => self.read_field(&full, value, line, draft),
            }
        }
    }

    fn read_field(&mut self, name: &str, value: &DeValue<'_>, line: usize, draft: &mut Draft) {
        let Some(field) = FIELDS.iter().find(|field| field.0 == name) else {
            let what = match name {
                "codebook" => "codebook: expected a table, [codebook]".to_owned(),
                name if is_table(name) => format!("{name}: expected a table, [{name}]"),
                name => format!("no field is called {name}; known: {}", known()),
            };
            return self.mistake(line, &what);
        };
        if let Err(what) = field.1(draft, value) {
            self.mistake(line, &format!("{name}: {what}"));
        }
    }

    /// What is good alone and does not fit together.
    fn check(&mut self, draft: &Draft, is_readable: bool) {
        let design = &draft.design;
        let line = |reader: &Self, name: &str| reader.lines.get(name).copied().unwrap_or(1);
        if design.runs.is_empty() && (is_readable || !self.lines.contains_key("runs")) {
            let at = line(self, "runs");
            self.mistake(at, "runs: names no run; as runs = [\"runs/*\"], relative to this file");
        }
        if draft.is_divided && design.raters.len() < 2 {
            let at = line(self, "queue.divided");
            self.mistake(
                at,
                "queue.divided: a queue is divided among two raters at least; raters names them",
            );
        }
        if draft.overlap.is_some() && !draft.is_divided {
            let at = line(self, "queue.overlap");
            self.mistake(
                at,
                "queue.overlap: only a divided queue overlaps; divided = true divides it",
            );
        }
        if let Some(most) = design.sample.size
            && let Some(Overlap::Count(count)) = draft.overlap.filter(|_| draft.is_divided)
            && count > most
        {
            let at = line(self, "queue.overlap");
            self.mistake(at, &format!("queue.overlap: {count} is more than the sample of {most}"));
        }
    }
}

fn is_table(name: &str) -> bool {
    matches!(name, "sample" | "queue")
}

fn known() -> String {
    let names = FIELDS.iter().map(|field| field.0).chain(["codebook"]);
    names.collect::<Vec<_>>().join(", ")
}

/// A table as the reader of codebooks takes it.
fn json_of(table: &DeTable<'_>) -> Map<String, Value> {
    let entry = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        (name.to_string(), json(value.get_ref()))
    };
    table.iter().map(entry).collect()
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(value) => (*value).into(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Array(values) => values.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => json_of(table).into(),
        DeValue::Datetime(time) => time.to_string().into(),
    }
}

/// Keeps a value that could be read.
fn put<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = value)
}

fn put_some<T>(place: &mut Option<T>, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = Some(value))
}

/// A text that is not blank, without blanks around it.
fn text(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("expected {what}"))
}

fn texts(value: &DeValue<'_>, what: &str) -> Result<Vec<String>, String> {
    let expected = || format!("expected {what}");
    let values = value.as_array().filter(|values| !values.is_empty()).ok_or_else(expected)?;
    values.iter().map(|value| text(value.get_ref(), what)).collect()
}

/// Of a person.
fn name(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let name = text(value, what)?;
    match name.as_str() {
        GOLD => {
            Err(format!("{GOLD} is what the outcome of adjudication is called; take another name"))
        }
        _ => Ok(name),
    }
}

/// Distinct names.
fn names(value: &DeValue<'_>, of: &str) -> Result<Vec<String>, String> {
    let what = format!("a list of names of {of}");
    let values = value.as_array().ok_or_else(|| format!("expected {what}"))?;
    let mut names: Vec<String> = vec![];
    for value in values.iter() {
        let name = name(value.get_ref(), &what)?;
        if names.contains(&name) {
            return Err(format!("{name} is named twice"));
        }
        names.push(name);
    }
    Ok(names)
}

fn flag(value: &DeValue<'_>) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "expected true or false".to_owned())
}

fn count(value: &DeValue<'_>, least: usize) -> Result<usize, String> {
    let number = value
        .as_integer()
        .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
        .filter(|number| *number >= least);
    number.ok_or_else(|| format!("expected a whole number from {least}"))
}

fn overlap(value: &DeValue<'_>) -> Result<Overlap, String> {
    if let DeValue::Float(number) = value {
        let share = number.as_str().parse().ok().filter(|share| (0.0..=1.0).contains(share));
        return share.map(Overlap::Share).ok_or_else(|| OVERLAP.to_owned());
    }
    count(value, 0).map(Overlap::Count).map_err(|_| OVERLAP.to_owned())
}

const OVERLAP: &str = "expected how many things all raters label, or a share from 0.0 to 1.0";

fn strata(value: &DeValue<'_>) -> Result<Vec<Stratum>, String> {
    let expected = || format!("expected a list of any of {}", words(&Stratum::ALL, Stratum::word));
    let values = value.as_array().ok_or_else(expected)?;
    let mut strata = vec![];
    for value in values.iter() {
        let found = value.get_ref().as_str().and_then(Stratum::by_word).ok_or_else(expected)?;
        if strata.contains(&found) {
            return Err(format!("{} is named twice", found.word()));
        }
        strata.push(found);
    }
    Ok(strata)
}

/// One of the values, by its word.
fn word<T: Copy>(
    value: &DeValue<'_>,
    all: &[T],
    word_of: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().find(|it| value.as_str() == Some(word_of(**it)));
    found.copied().ok_or_else(|| format!("expected one of {}", words(all, word_of)))
}

fn words<T: Copy>(all: &[T], word_of: fn(T) -> &'static str) -> String {
    all.iter().map(|it| format!("\"{}\"", word_of(*it))).collect::<Vec<_>>().join(", ")
}
