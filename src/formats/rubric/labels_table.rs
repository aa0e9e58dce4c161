//! Labels as a table (CSV, RFC 4180), for labelling elsewhere and for pooling raters: what [`write()`] writes, [`read`]
//! reads back as it was.
//!
//! Read strictly: a row that is not understood is told with its line, and the caller is to use none then. A label made
//! of empty cells alone says nothing; such rows of a sheet that was not filled in are counted and left out.

mod cells;

use std::collections::BTreeMap;

use crate::run::rubric::{FULL, LEVELS, Label};

pub use crate::formats::csv::row;
pub use cells::{divider, rows};

/// The columns that are written, in this order, and read, in any. `component` and `score` must be there.
pub const COLUMNS: [&str; 11] = [
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
];

/// Columns that sheets of ours have for a person to read.
const FOR_PEOPLE: [&str; 2] = ["number", "name"];

/// One label, and whose and of which run it says it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// On which it begins; counts from 1.
    pub line: usize,
    pub run: Option<String>,
    pub annotator: Option<String>,
    pub label: Label,
}

/// A table, as far as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    pub rows: Vec<Row>,
    /// Rows that name a component and say nothing of it.
    pub unfilled: usize,
    /// Heads of columns that are not read.
    pub strange: Vec<String>,
    /// Sentences with their lines, all there are; [`Self::rows`] are those that were understood.
    pub wrong: Vec<String>,
}

/// A table of these labels, with its head; lines end as RFC 4180 has it.
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
            label.score.map(|score| score.to_string()).unwrap_or_default(),
            label.blind.map(|blind| blind.to_string()).unwrap_or_default(),
            words(&label.reason),
            words(&label.note),
            words(&label.at),
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
        commit: label.commit.clone(),
        turn: label.turn,
        judgement: label.judgement.clone(),
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
    let mut understood = |what: Option<String>| wrong.extend(what);
    let score = cell("score")
        .map(|words| score(words).ok_or_else(|| format!("{words:?} is no score from 0 to {FULL}")));
    let turn = cell("turn").map(|words| {
        let turn = words.trim().parse().ok().filter(|turn| *turn > 0);
        turn.ok_or_else(|| format!("{words:?} is no turn; turns count from 1"))
    });
    let blind = cell("blind").map(|words| {
        flag(words).ok_or_else(|| format!("blind is {words:?}; it is true, false or empty"))
    });
    let (score, turn, blind) = (score.transpose(), turn.transpose(), blind.transpose());
    understood(score.as_ref().err().cloned());
    understood(turn.as_ref().err().cloned());
    understood(blind.as_ref().err().cloned());
    match (component, score, turn, blind) {
        (Some(component), Ok(score), Ok(turn), Ok(blind)) => Ok(Label {
            component,
            commit: cell("commit").map(trimmed),
            turn,
            judgement: cell("judgement").map(trimmed),
            score,
            blind,
            reason: cell("reason").map(str::to_owned),
            note: cell("note").map(str::to_owned),
            at: cell("at").map(str::to_owned),
        }),
        _ => Err(wrong),
    }
}

/// A level's number or name.
fn score(words: &str) -> Option<u8> {
    let words = words.trim();
    let named = LEVELS.iter().position(|level| level.eq_ignore_ascii_case(words));
    let score = named.and_then(|level| u8::try_from(level).ok()).or_else(|| words.parse().ok());
    score.filter(|score| *score <= FULL)
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
