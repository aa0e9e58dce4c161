//! Scores in plain tables: CSV, and JSON of the same shape.
//!
//! A table has a row a thing and a column a rater. The columns `component` (or `id`, `item`), `run` and `commit` say
//! what is scored, `rubric` by what; without `component` the rows are numbered. Every other column is a rater, named by its
//! head, and one called `gold` is what adjudication settled. With columns `rater` (or `annotator`, as `trajview audit --export` has it) and `score` a row is one score
//! instead, and a column `blind` says which were given before the verdict was seen. A score is a number or the name of a level of SLUMP's rubric; an
//! empty cell is no score.
//!
//! In JSON a table is an array of objects, alone or as `pairs`, or an object of columns: `{"a": [4, 3], "b": [4, 2]}`.

mod csv;
mod table;
#[cfg(test)]
mod tests;

use super::raters::Panel;

/// The raters of a table. `name` is the file, for what is said of it; `run` stands in where no column names one.
///
/// # Errors
///
/// A sentence, where the text is no table or has no rater.
pub fn read(name: &str, text: &str, run: &str) -> Result<Panel, String> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let table = if is_json { table::from_json(text)? } else { table::from_csv(text)? };
    let panel = table.panel(name, run)?;
    let scores: usize = panel.raters.iter().map(|rater| rater.scores.len()).sum();
    match panel.problems.first() {
        Some(problem) if panel.problems.len() > scores => {
            let count = panel.problems.len();
            Err(format!("most of its cells are no scores ({count}), as {}", cut(&problem.what)))
        }
        _ => Ok(panel),
    }
}

/// The beginning of somebody else's words, in one line.
fn cut(words: &str) -> String {
    const LONGEST: usize = 80;
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
