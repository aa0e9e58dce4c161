//! Labels as a table (CSV, RFC 4180), for labelling elsewhere and for pooling raters: what [`write()`] writes, [`read`]
//! reads back as it was.
//!
//! Read strictly: a row that is not understood is told with its line, and the caller is to use none then. A label made
//! of empty cells alone says nothing; such rows of a sheet that was not filled in are counted and left out.

mod cells;

use std::collections::BTreeMap;

use trajview_run::rubric::{CANNOT_TELL, Confidence, Label, Scale, Unit, written};

pub use crate::csv::row;
pub use cells::{divider, rows};

/// The columns that are written, in this order, and read, in any. `component` and `score` must be there.
pub const COLUMNS: [&str; 17] = [
    "run",
    "component",
    "commit",
    "turn",
    "judgement",
    "annotator",
    "score",
    "blind",
    "reason",
    "note",
    "at",
    "unit",
    "criterion",
    "scale",
    "cannot_tell",
    "confidence",
    "seen",
];

/// Columns that sheets of ours have for a person to read.
const FOR_PEOPLE: [&str; 2] = ["number", "name"];

/// One label, and whose and of which run it says it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// On which it begins; counts from 1.
    pub line: usize,
    pub run: Option<String>,
    pub annotator: Option<String>,
    pub label: Label,
}

/// A table, as far as it was understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub rows: Vec<Row>,
    /// Rows that name a component and say nothing of it.
    pub unfilled: usize,
    /// Heads of columns that are not read.
    pub strange: Vec<String>,
    /// Sentences with their lines, all there are; [`Self::rows`] are those that were understood.
    pub wrong: Vec<String>,
}

/// A table of these labels, with its head; lines end as RFC 4180 has it. The cell of `seen` is a list in JSON, the unit of
/// a component is left empty.
pub fn write<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, &'a Label)>) -> String {
    let mut text = row(COLUMNS.map(String::from));
    for (run, annotator, label) in rows {
        let words = |words: &Option<String>| words.clone().unwrap_or_default();
        text.push_str(&row([
            run.to_owned(),
            label.component.clone(),
            words(&label.commit),
            label.turn.map(|turn| turn.to_string()).unwrap_or_default(),
            words(&label.judgement),
            annotator.to_owned(),
            label.score.map(written).unwrap_or_default(),
            label.blind.map(|blind| blind.to_string()).unwrap_or_default(),
            words(&label.reason),
            words(&label.note),
            words(&label.at),
            if label.unit == Unit::default() { String::new() } else { label.unit.word().into() },
            words(&label.criterion),
            words(&label.scale),
            if label.cannot_tell { true.to_string() } else { String::new() },
            label.confidence.map(|it| it.word().to_owned()).unwrap_or_default(),
            label
                .seen
                .as_ref()
                .map(|files| serde_json::json!(files).to_string())
                .unwrap_or_default(),
        ]));
    }
    text
}

/// Whatever the text. What is wrong stands in [`Table::wrong`], so that a caller can add to it what it finds.
pub fn read(text: &str) -> Table {
    let (lines, mut wrong) = cells::rows(text);
    let mut lines = lines.into_iter();
    let nothing = |why: String, mut wrong: Vec<String>| {
        wrong.insert(0, why);
        Table { wrong, ..Table::default() }
    };
    let Some(head) = lines.next() else { return nothing("holds no table".into(), wrong) };
    let (columns, strange) = match columns(&head.cells) {
        Ok(found) => found,
        Err(why) => return nothing(why, wrong),
    };
    let mut table = Table { strange, ..Table::default() };
    for line in lines {
        let told = |what: String| format!("line {}: {what}", line.line);
        if line.cells.len() > head.cells.len() {
            let (has, heads) = (line.cells.len(), head.cells.len());
            wrong.push(told(format!("has {has} cells, and the head has {heads}")));
            continue;
        }
        let cell = |name: &str| {
            let cell = columns.get(name).and_then(|at| line.cells.get(*at));
            cell.map(String::as_str).filter(|cell| !cell.is_empty())
        };
        match label(&cell) {
            Ok(label) if says_nothing(&label) => table.unfilled += 1,
            Ok(label) => table.rows.push(Row {
                line: line.line,
                run: cell("run").map(trimmed),
                annotator: cell("annotator").map(trimmed),
                label,
            }),
            Err(what) => wrong.extend(what.into_iter().map(told)),
        }
    }
    Table { wrong, ..table }
}

fn trimmed(words: &str) -> String {
    words.trim().to_owned()
}

fn columns(heads: &[String]) -> Result<(BTreeMap<&'static str, usize>, Vec<String>), String> {
    let (mut found, mut strange) = (BTreeMap::new(), vec![]);
    for (at, head) in heads.iter().enumerate() {
        let head = head.trim();
        let is_it = |name: &&&str| name.eq_ignore_ascii_case(head);
        match COLUMNS.iter().find(is_it) {
            Some(name) if found.insert(*name, at).is_some() => {
                return Err(format!("line 1: two columns are called {name}"));
            }
            Some(_) => {}
            None if head.is_empty() || FOR_PEOPLE.iter().any(|it| is_it(&it)) => {}
            None => strange.push(head.to_owned()),
        }
    }
    let missing = ["component", "score"].into_iter().find(|name| !found.contains_key(name));
    match missing {
        Some(name) => Err(format!(
            "line 1: no column is called {name}; the first line names the columns, as component,score"
        )),
        None => Ok((found, strange)),
    }
}

fn says_nothing(label: &Label) -> bool {
    let nothing = Label {
        component: label.component.clone(),
        unit: label.unit,
        criterion: label.criterion.clone(),
        commit: label.commit.clone(),
        turn: label.turn,
        judgement: label.judgement.clone(),
        scale: label.scale.clone(),
        ..Label::default()
    };
    *label == nothing
}

fn label<'a>(cell: &impl Fn(&str) -> Option<&'a str>) -> Result<Label, Vec<String>> {
    let mut wrong = vec![];
    let component = cell("component").map(trimmed).filter(|it| !it.is_empty());
    if component.is_none() {
        wrong.push("names no component".to_owned());
    }
    let unit = understood(cell("unit"), unit, &mut wrong).unwrap_or_default();
    let scale = understood(cell("scale"), |it| Scale::read(it).map(|_| trimmed(it)), &mut wrong);
    let mut label = Label {
        component: component.unwrap_or_default(),
        unit,
        criterion: cell("criterion").map(trimmed),
        commit: cell("commit").map(trimmed),
        judgement: cell("judgement").map(trimmed),
        scale,
        reason: cell("reason").map(str::to_owned),
        note: cell("note").map(str::to_owned),
        at: cell("at").map(str::to_owned),
        ..Label::default()
    };
    let says_so = cell("score").is_some_and(|words| words.trim().eq_ignore_ascii_case(CANNOT_TELL));
    let score = cell("score").filter(|_| !says_so);
    label.score = understood(score, |words| score_of(words, &label), &mut wrong);
    label.turn = understood(cell("turn"), turn, &mut wrong);
    let flag_of = |name: &'static str| {
        move |words: &str| {
            flag(words).ok_or_else(|| format!("{name} is {words:?}; it is true, false or empty"))
        }
    };
    label.blind = understood(cell("blind"), flag_of("blind"), &mut wrong);
    let cannot = understood(cell("cannot_tell"), flag_of("cannot_tell"), &mut wrong);
    label.cannot_tell = says_so || cannot == Some(true);
    if label.cannot_tell && label.score.is_some() {
        wrong.push("has a score, and says that the rater cannot tell".to_owned());
    }
    label.confidence = understood(cell("confidence"), confidence, &mut wrong);
    label.seen = understood(cell("seen"), seen, &mut wrong);
    if wrong.is_empty() { Ok(label) } else { Err(wrong) }
}

/// What a cell says; what is wrong with it is added to the rest. None where the cell is empty or wrong.
fn understood<'a, T>(
    cell: Option<&'a str>,
    read: impl FnOnce(&'a str) -> Result<T, String>,
    wrong: &mut Vec<String>,
) -> Option<T> {
    cell.and_then(|words| read(words).map_err(|why| wrong.push(why)).ok())
}

fn unit(words: &str) -> Result<Unit, String> {
    let known = || Unit::ALL.map(Unit::word).join(", ");
    let unit = Unit::by_word(&words.trim().to_ascii_lowercase());
    unit.ok_or_else(|| format!("the unit {words:?} is none of {}", known()))
}

fn turn(words: &str) -> Result<usize, String> {
    let turn = words.trim().parse().ok().filter(|turn| *turn > 0);
    turn.ok_or_else(|| format!("{words:?} is no turn; turns count from 1"))
}

fn confidence(words: &str) -> Result<Confidence, String> {
    let confidence = Confidence::by_word(&words.trim().to_ascii_lowercase());
    confidence.ok_or_else(|| format!("confidence is {words:?}; it is low, medium, high or empty"))
}

fn seen(words: &str) -> Result<Vec<String>, String> {
    let list = serde_json::from_str(words);
    list.map_err(|_| format!("seen is {words:?}; it is a list of files in JSON, or empty"))
}

/// A level's number, or its name on the unit's own scale.
fn score_of(words: &str, label: &Label) -> Result<f64, String> {
    let (bare, scale) = (words.trim(), label.scale_of());
    let names = if label.scale.is_none() { label.unit.levels().names } else { &[] };
    let named = names.iter().position(|level| level.eq_ignore_ascii_case(bare));
    let score = named.map(|level| level as f64).or_else(|| bare.parse().ok());
    score.filter(|score| scale.holds(*score)).ok_or_else(|| {
        let (low, high) = scale.ends();
        format!("{words:?} is no score from {low} to {high}")
    })
}

/// `true`, `yes` or `1`, and their opposites; None for anything else.
pub fn flag(words: &str) -> Option<bool> {
    match words.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
