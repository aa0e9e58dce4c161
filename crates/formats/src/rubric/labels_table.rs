//! Labels as a table (CSV, RFC 4180), for labelling elsewhere and for pooling raters: what [`write_table()`] writes,
//! [`read_table`] reads back as it was.
//!
//! Read strictly: a row that is not understood is reported with its line, and the caller should then use none. A label made
//! of empty cells alone has no content; such rows of a sheet that was not filled in are counted and left out.

mod cells;

use std::collections::BTreeMap;

use trajview_run::rubric::{CANNOT_TELL, Confidence, Label, LabelUnit, ScoreScale, score_text};

pub use crate::csv::csv_line;
pub use cells::{find_divider, split_rows};

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
const UNREAD_COLUMNS: [&str; 2] = ["number", "name"];

/// One label, with the rater and the run that the row names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelsTableRow {
    /// The line on which the row begins; counts from 1.
    pub line: usize,
    pub run: Option<String>,
    pub annotator: Option<String>,
    pub label: Label,
}

/// A table, as far as it was understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelsTable {
    pub rows: Vec<LabelsTableRow>,
    /// Rows that name a component and say nothing of it.
    pub unfilled: usize,
    /// Heads of columns that are not read.
    pub strange: Vec<String>,
    /// Sentences with their lines, all there are; [`Self::rows`] are those that were understood.
    pub wrong: Vec<String>,
}

/// Returns a table of these labels, with its head; lines end as RFC 4180 has it. The cell of `seen` is a list in JSON,
/// the unit of a component is left empty.
pub fn write_table<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, &'a Label)>) -> String {
    let mut text = csv_line(COLUMNS.map(String::from));
    for (run, annotator, label) in rows {
        let words = |words: &Option<String>| words.clone().unwrap_or_default();
        text.push_str(&csv_line([
            run.to_owned(),
            label.component.clone(),
            words(&label.commit),
            label.turn.map(|turn| turn.to_string()).unwrap_or_default(),
            words(&label.judgement),
            annotator.to_owned(),
            label.score.map(score_text).unwrap_or_default(),
            label.blind.map(|blind| blind.to_string()).unwrap_or_default(),
            words(&label.reason),
            words(&label.note),
            words(&label.at),
            if label.unit == LabelUnit::default() {
                String::new()
            } else {
                label.unit.word().into()
            },
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

/// Reads a table from any text. Mistakes are in [`LabelsTable::wrong`], so that a caller can add its own.
pub fn read_table(text: &str) -> LabelsTable {
    let (lines, mut wrong) = cells::split_rows(text);
    let mut lines = lines.into_iter();
    let nothing = |why: String, mut wrong: Vec<String>| {
        wrong.insert(0, why);
        LabelsTable { wrong, ..LabelsTable::default() }
    };
    let Some(head) = lines.next() else { return nothing("holds no table".into(), wrong) };
    let (columns, strange) = match columns_of_heads(&head.cells) {
        Ok(found) => found,
        Err(why) => return nothing(why, wrong),
    };
    let mut table = LabelsTable { strange, ..LabelsTable::default() };
    for line in lines {
        let with_line = |what: String| format!("line {}: {what}", line.line);
        if line.cells.len() > head.cells.len() {
            let (has, heads) = (line.cells.len(), head.cells.len());
            wrong.push(with_line(format!("has {has} cells, and the head has {heads}")));
            continue;
        }
        let cell = |name: &str| {
            let cell = columns.get(name).and_then(|at| line.cells.get(*at));
            cell.map(String::as_str).filter(|cell| !cell.is_empty())
        };
        match read_label(&cell) {
            Ok(label) if says_nothing(&label) => table.unfilled += 1,
            Ok(label) => table.rows.push(LabelsTableRow {
                line: line.line,
                run: cell("run").map(trimmed_text),
                annotator: cell("annotator").map(trimmed_text),
                label,
            }),
            Err(what) => wrong.extend(what.into_iter().map(with_line)),
        }
    }
    LabelsTable { wrong, ..table }
}

fn trimmed_text(words: &str) -> String {
    words.trim().to_owned()
}

fn columns_of_heads(
    heads: &[String],
) -> Result<(BTreeMap<&'static str, usize>, Vec<String>), String> {
    let (mut found, mut strange) = (BTreeMap::new(), vec![]);
    for (at, head) in heads.iter().enumerate() {
        let head = head.trim();
        let is_it = |name: &&&str| name.eq_ignore_ascii_case(head);
        match COLUMNS.iter().find(is_it) {
            Some(name) if found.insert(*name, at).is_some() => {
                return Err(format!("line 1: two columns are called {name}"));
            }
            Some(_) => {}
            None if head.is_empty() || UNREAD_COLUMNS.iter().any(|it| is_it(&it)) => {}
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

fn read_label<'a>(cell: &impl Fn(&str) -> Option<&'a str>) -> Result<Label, Vec<String>> {
    let mut wrong = vec![];
    let component = cell("component").map(trimmed_text).filter(|it| !it.is_empty());
    if component.is_none() {
        wrong.push("names no component".to_owned());
    }
    let unit = read_cell(cell("unit"), parse_unit, &mut wrong).unwrap_or_default();
    let scale =
        read_cell(cell("scale"), |it| ScoreScale::parse(it).map(|_| trimmed_text(it)), &mut wrong);
    let mut label = Label {
        component: component.unwrap_or_default(),
        unit,
        criterion: cell("criterion").map(trimmed_text),
        commit: cell("commit").map(trimmed_text),
        judgement: cell("judgement").map(trimmed_text),
        scale,
        reason: cell("reason").map(str::to_owned),
        note: cell("note").map(str::to_owned),
        at: cell("at").map(str::to_owned),
        ..Label::default()
    };
    let says_so = cell("score").is_some_and(|words| words.trim().eq_ignore_ascii_case(CANNOT_TELL));
    let score = cell("score").filter(|_| !says_so);
    label.score = read_cell(score, |words| parse_score(words, &label), &mut wrong);
    label.turn = read_cell(cell("turn"), parse_turn, &mut wrong);
    let flag_of = |name: &'static str| {
        move |words: &str| {
            parse_flag(words)
                .ok_or_else(|| format!("{name} is {words:?}; it is true, false or empty"))
        }
    };
    label.blind = read_cell(cell("blind"), flag_of("blind"), &mut wrong);
    let cannot = read_cell(cell("cannot_tell"), flag_of("cannot_tell"), &mut wrong);
    label.cannot_tell = says_so || cannot == Some(true);
    if label.cannot_tell && label.score.is_some() {
        wrong.push("has a score and is marked as cannot tell".to_owned());
    }
    label.confidence = read_cell(cell("confidence"), parse_confidence, &mut wrong);
    label.seen = read_cell(cell("seen"), parse_seen, &mut wrong);
    if wrong.is_empty() { Ok(label) } else { Err(wrong) }
}

/// Reads a cell; a mistake is added to the others. None where the cell is empty or wrong.
fn read_cell<'a, T>(
    cell: Option<&'a str>,
    read: impl FnOnce(&'a str) -> Result<T, String>,
    wrong: &mut Vec<String>,
) -> Option<T> {
    cell.and_then(|words| read(words).map_err(|why| wrong.push(why)).ok())
}

fn parse_unit(words: &str) -> Result<LabelUnit, String> {
    let known = || LabelUnit::ALL.map(LabelUnit::word).join(", ");
    let unit = LabelUnit::by_word(&words.trim().to_ascii_lowercase());
    unit.ok_or_else(|| format!("the unit {words:?} is none of {}", known()))
}

fn parse_turn(words: &str) -> Result<usize, String> {
    let turn = words.trim().parse().ok().filter(|turn| *turn > 0);
    turn.ok_or_else(|| format!("{words:?} is not a turn; turns count from 1"))
}

fn parse_confidence(words: &str) -> Result<Confidence, String> {
    let confidence = Confidence::by_word(&words.trim().to_ascii_lowercase());
    confidence.ok_or_else(|| format!("confidence is {words:?}; it is low, medium, high or empty"))
}

fn parse_seen(words: &str) -> Result<Vec<String>, String> {
    let list = serde_json::from_str(words);
    list.map_err(|_| format!("seen is {words:?}; it is a list of files in JSON, or empty"))
}

/// Returns a level's number, or its name on the unit's own scale.
fn parse_score(words: &str, label: &Label) -> Result<f64, String> {
    let (bare, scale) = (words.trim(), label.label_scale());
    let names = if label.scale.is_none() { label.unit.rubric_levels().names } else { &[] };
    let named = names.iter().position(|level| level.eq_ignore_ascii_case(bare));
    let score = named.map(|level| level as f64).or_else(|| bare.parse().ok());
    score.filter(|score| scale.contains_score(*score)).ok_or_else(|| {
        let (low, high) = scale.lowest_and_highest();
        format!("{words:?} is not a score from {low} to {high}")
    })
}

/// Parses `true`, `yes` or `1`, and their opposites; None for anything else.
pub fn parse_flag(words: &str) -> Option<bool> {
    match words.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
