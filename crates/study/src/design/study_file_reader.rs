//! The reader of `study.toml` for any bytes: it uses all that is valid, and reports every mistake at once, each with
//! its line.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use trajview_formats::rubric::codebook;
use trajview_run::rubric::{LabelMode, LabelUnit};

use super::{
    AdjudicationScope, GOLD, LabelDivision, RaterOverlap, SampleAllocation, StratumKind,
    StudyDesign,
};

/// Larger files are no studies.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// A mistake in a study file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyFileMistake {
    /// The line, counted from 1.
    pub line: usize,
    /// A sentence.
    pub what: String,
}

/// A field by its dotted name, with the function that stores its value; the error names the expected form.
struct StudyField(&'static str, fn(&mut StudyDraft, &DeValue<'_>) -> Result<(), String>);

/// A study while it is read.
#[derive(Default)]
struct StudyDraft {
    design: StudyDesign,
    is_divided: bool,
    overlap: Option<RaterOverlap>,
    /// The line that the table begins on, and its entries.
    codebook: Option<(usize, Map<String, Value>)>,
}

const FIELDS: &[StudyField] = &[
    StudyField("name", |it, to| {
        set_option(&mut it.design.name, nonblank_text(to, "the name of the study"))
    }),
    StudyField("runs", |it, to| {
        set_value(
            &mut it.design.runs,
            nonblank_texts(to, "paths of run bundles, such as [\"runs/*\"]"),
        )
    }),
    StudyField("unit", |it, to| {
        set_value(&mut it.design.unit, word_value(to, &LabelUnit::ALL, LabelUnit::word))
    }),
    StudyField("rubric", |it, to| {
        set_option(&mut it.design.rubric, nonblank_text(to, "a file of components"))
    }),
    StudyField("judges", |it, to| set_value(&mut it.design.judges, distinct_names(to, "judges"))),
    StudyField("judge", |it, to| {
        set_option(&mut it.design.judge, nonblank_text(to, "the judge whose scores count"))
    }),
    StudyField("raters", |it, to| set_value(&mut it.design.raters, distinct_names(to, "raters"))),
    StudyField("adjudicator", |it, to| {
        set_option(&mut it.design.adjudicator, rater_name(to, "who adjudicates"))
    }),
    StudyField("adjudicates", |it, to| {
        set_value(
            &mut it.design.adjudicates,
            word_value(to, &AdjudicationScope::ALL, AdjudicationScope::word),
        )
    }),
    StudyField("labels", |it, to| {
        set_value(&mut it.design.acts, word_value(to, &LabelMode::ALL, LabelMode::word))
    }),
    StudyField("labels_folder", |it, to| {
        set_option(&mut it.design.labels_folder, nonblank_text(to, "a folder"))
    }),
    StudyField("sample.size", |it, to| set_option(&mut it.design.sample.size, whole_number(to, 1))),
    StudyField("sample.seed", |it, to| {
        set_value(&mut it.design.sample.seed, whole_number(to, 0).map(|seed| seed as u64))
    }),
    StudyField("sample.strata", |it, to| set_value(&mut it.design.sample.strata, strata_list(to))),
    StudyField("sample.allocation", |it, to| {
        set_value(
            &mut it.design.sample.allocation,
            word_value(to, &SampleAllocation::ALL, SampleAllocation::word),
        )
    }),
    StudyField("queue.divided", |it, to| set_value(&mut it.is_divided, boolean_value(to))),
    StudyField("queue.overlap", |it, to| set_option(&mut it.overlap, overlap_value(to))),
];

/// Parses a study. The mistakes are in the order of their lines; the valid rest is used.
pub fn parse_study_file(text: &str) -> (StudyDesign, Vec<StudyFileMistake>) {
    let mut reader = StudyReader { text, lines: BTreeMap::new(), mistakes: vec![] };
    if text.len() > MAX_FILE_BYTES {
        let what = format!("is larger than {} MB: no study", MAX_FILE_BYTES >> 20);
        return (StudyDesign::default(), vec![StudyFileMistake { line: 1, what }]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = reader.line_of(error.span().map_or(0, |span| span.start));
        reader.add_mistake(line, error.message().lines().next().unwrap_or_default());
    }
    let mut draft = StudyDraft::default();
    reader.read_table("", table.get_ref(), &mut draft);
    let is_readable = reader.mistakes.is_empty();
    reader.check_consistency(&draft, is_readable);
    if draft.is_divided {
        draft.design.division =
            LabelDivision::Divided(draft.overlap.unwrap_or(RaterOverlap::Count(0)));
    }
    if let Some((line, table)) = draft.codebook {
        let (book, wrong) = codebook::read_codebook(&table, draft.design.unit, "the study");
        draft.design.codebook = book;
        let mistakes =
            wrong.into_iter().map(|it| StudyFileMistake { line, what: format!("codebook: {it}") });
        reader.mistakes.extend(mistakes);
    }
    let mut mistakes = reader.mistakes;
    mistakes.sort_by_key(|it| it.line);
    (draft.design, mistakes)
}

struct StudyReader<'a> {
    text: &'a str,
    /// The line of each field.
    lines: BTreeMap<String, usize>,
    mistakes: Vec<StudyFileMistake>,
}

impl StudyReader<'_> {
    /// Returns the line of a byte offset, counted from 1.
    fn line_of(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn add_mistake(&mut self, line: usize, what: &str) {
        // A line that TOML cannot read leaves a value behind, about which there is nothing more to say.
        if !self.mistakes.iter().any(|it| it.line == line) {
            self.mistakes.push(StudyFileMistake { line, what: what.to_owned() });
        }
    }

    fn read_table(&mut self, above: &str, table: &DeTable<'_>, draft: &mut StudyDraft) {
        let mut entries: Vec<(&Spanned<_>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let line = self.line_of(name.span().start);
            let full = format!("{above}{}", name.get_ref());
            self.lines.insert(full.clone(), line);
            match value.get_ref() {
                DeValue::Table(inner) if full == "codebook" => {
                    draft.codebook = Some((line, table_to_json(inner)));
                }
                DeValue::Table(inner) if above.is_empty() && is_table(&full) => {
                    self.read_table(&format!("{full}."), inner, draft);
                }
                value => self.read_field(&full, value, line, draft),
            }
        }
    }

    fn read_field(&mut self, name: &str, value: &DeValue<'_>, line: usize, draft: &mut StudyDraft) {
        let Some(field) = FIELDS.iter().find(|field| field.0 == name) else {
            let what = match name {
                "codebook" => "codebook: expected a table, [codebook]".to_owned(),
                name if is_table(name) => format!("{name}: expected a table, [{name}]"),
                name => format!("no field is called {name}; known: {}", known_field_names()),
            };
            return self.add_mistake(line, &what);
        };
        if let Err(what) = field.1(draft, value) {
            self.add_mistake(line, &format!("{name}: {what}"));
        }
    }

    /// Checks fields against each other.
    fn check_consistency(&mut self, draft: &StudyDraft, is_readable: bool) {
        let design = &draft.design;
        let line = |reader: &Self, name: &str| reader.lines.get(name).copied().unwrap_or(1);
        if design.runs.is_empty() && (is_readable || !self.lines.contains_key("runs")) {
            let at = line(self, "runs");
            self.add_mistake(
                at,
                "runs: names no run; as runs = [\"runs/*\"], relative to this file",
            );
        }
        if draft.is_divided && design.raters.len() < 2 {
            let at = line(self, "queue.divided");
            self.add_mistake(
                at,
                "queue.divided: a queue is divided among two raters at least; raters names them",
            );
        }
        if draft.overlap.is_some() && !draft.is_divided {
            let at = line(self, "queue.overlap");
            self.add_mistake(
                at,
                "queue.overlap: only a divided queue overlaps; divided = true divides it",
            );
        }
        if let Some(most) = design.sample.size
            && let Some(RaterOverlap::Count(count)) = draft.overlap.filter(|_| draft.is_divided)
            && count > most
        {
            let at = line(self, "queue.overlap");
            self.add_mistake(
                at,
                &format!("queue.overlap: {count} is more than the sample of {most}"),
            );
        }
    }
}

fn is_table(name: &str) -> bool {
    matches!(name, "sample" | "queue")
}

fn known_field_names() -> String {
    let names = FIELDS.iter().map(|field| field.0).chain(["codebook"]);
    names.collect::<Vec<_>>().join(", ")
}

/// Returns a table as the reader of codebooks takes it.
fn table_to_json(table: &DeTable<'_>) -> Map<String, Value> {
    let entry = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        (name.to_string(), value_to_json(value.get_ref()))
    };
    table.iter().map(entry).collect()
}

fn value_to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(value) => (*value).into(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Array(values) => {
            values.iter().map(|value| value_to_json(value.get_ref())).collect()
        }
        DeValue::Table(table) => table_to_json(table).into(),
        DeValue::Datetime(time) => time.to_string().into(),
    }
}

/// Keeps a value that could be read.
fn set_value<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = value)
}

fn set_option<T>(place: &mut Option<T>, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = Some(value))
}

/// Returns a text without blanks around it; an error where it is blank or no text. `what` says what is expected.
fn nonblank_text(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("expected {what}"))
}

fn nonblank_texts(value: &DeValue<'_>, what: &str) -> Result<Vec<String>, String> {
    let expected = || format!("expected {what}");
    let values = value.as_array().filter(|values| !values.is_empty()).ok_or_else(expected)?;
    values.iter().map(|value| nonblank_text(value.get_ref(), what)).collect()
}

/// Reads the name of a person.
fn rater_name(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let name = nonblank_text(value, what)?;
    match name.as_str() {
        GOLD => Err(format!("{GOLD} is the name of adjudicated outcomes; use another name")),
        _ => Ok(name),
    }
}

/// Returns the names in a list; an error, as a sentence, where one is there twice.
fn distinct_names(value: &DeValue<'_>, whose: &str) -> Result<Vec<String>, String> {
    let what = format!("a list of names of {whose}");
    let values = value.as_array().ok_or_else(|| format!("expected {what}"))?;
    let mut names: Vec<String> = vec![];
    for value in values.iter() {
        let name = rater_name(value.get_ref(), &what)?;
        if names.contains(&name) {
            return Err(format!("{name} is named twice"));
        }
        names.push(name);
    }
    Ok(names)
}

fn boolean_value(value: &DeValue<'_>) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "expected true or false".to_owned())
}

fn whole_number(value: &DeValue<'_>, least: usize) -> Result<usize, String> {
    let number = value
        .as_integer()
        .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
        .filter(|number| *number >= least);
    number.ok_or_else(|| format!("expected a whole number from {least}"))
}

fn overlap_value(value: &DeValue<'_>) -> Result<RaterOverlap, String> {
    if let DeValue::Float(number) = value {
        let share = number.as_str().parse().ok().filter(|share| (0.0..=1.0).contains(share));
        return share.map(RaterOverlap::Share).ok_or_else(|| OVERLAP.to_owned());
    }
    whole_number(value, 0).map(RaterOverlap::Count).map_err(|_| OVERLAP.to_owned())
}

const OVERLAP: &str = "expected how many things all raters label, or a share from 0.0 to 1.0";

fn strata_list(value: &DeValue<'_>) -> Result<Vec<StratumKind>, String> {
    let expected = || {
        format!("expected a list of any of {}", quoted_words(&StratumKind::ALL, StratumKind::word))
    };
    let values = value.as_array().ok_or_else(expected)?;
    let mut strata = vec![];
    for value in values.iter() {
        let found = value.get_ref().as_str().and_then(StratumKind::by_word).ok_or_else(expected)?;
        if strata.contains(&found) {
            return Err(format!("{} is named twice", found.word()));
        }
        strata.push(found);
    }
    Ok(strata)
}

/// Reads one of the values by its word.
fn word_value<T: Copy>(
    value: &DeValue<'_>,
    all: &[T],
    word_of: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().find(|it| value.as_str() == Some(word_of(**it)));
    found.copied().ok_or_else(|| format!("expected one of {}", quoted_words(all, word_of)))
}

fn quoted_words<T: Copy>(all: &[T], word_of: fn(T) -> &'static str) -> String {
    all.iter().map(|it| format!("\"{}\"", word_of(*it))).collect::<Vec<_>>().join(", ")
}
