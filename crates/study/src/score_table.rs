//! Scores in plain tables: CSV, and JSON of the same shape.
//!
//! A table has a row for each thing and a column for each rater. The columns `component` (or `id`, `item`), `run` and
//! `commit` identify the scored thing, `rubric` the rubric; without `component` the rows are numbered. Every other
//! column is a rater, named by its head, and one called `gold` has the outcomes of adjudication. With columns `rater`
//! (or `annotator`, as in `trajview audit --export`) and `score` a row is one score instead, and a column `blind`
//! marks the scores that were given before the verdict was seen. A score is a number or the name of a level of
//! SLUMP's rubric; an empty cell is no score.
//!
//! In JSON a table is an array of objects, alone or as `pairs`, or an object of columns: `{"a": [4, 3], "b": [4,
//! 2]}`.

mod csv;
mod table;
#[cfg(test)]
mod tests;

use super::raters::RaterPanel;

/// Reads the raters of a table. `name` is the file name for messages; `run` is the run where no column names one.
///
/// # Errors
///
/// Returns a sentence where the text is not a table or has no rater.
pub fn read_score_table(name: &str, text: &str, run: &str) -> Result<RaterPanel, String> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let table = if is_json { table::from_json(text)? } else { table::from_csv(text)? };
    let panel = table.rater_panel(name, run)?;
    let scores: usize = panel.raters.iter().map(|rater| rater.scores.len()).sum();
    match panel.problems.first() {
        Some(problem) if panel.problems.len() > scores => {
            let count = panel.problems.len();
            Err(format!(
                "not a score table: {count} of its cells are not numbers, such as {}",
                short_line(&problem.what)
            ))
        }
        _ => Ok(panel),
    }
}

/// The beginning of somebody else's words, in one line.
fn short_line(words: &str) -> String {
    const LONGEST: usize = 80;
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
