//! The values that arguments of commands may have, as far as the screen knows them.

use std::path::PathBuf;

use super::ValueKind;
use crate::{
    session::curve_values,
    shell::{App, glossary, open_run::OpenRun, screens::Screens},
    widgets::display_options::ThemeName,
};
use trajview_metrics::numbers::Number;
use trajview_run::{RepoPath, worded_enum::NamedValue};

/// A value with one line about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentValue {
    pub value: String,
    pub about: String,
}

/// Returns the values of a kind, in a useful order.
pub(crate) fn argument_values(kind: ValueKind, app: &App) -> Vec<ArgumentValue> {
    let open = app.screens.open_run();
    let pairs: Vec<(String, String)> = match kind {
        ValueKind::Component => open.map(components).unwrap_or_default(),
        ValueKind::Curve => {
            let numbers = open.map(curves).unwrap_or_default();
            numbers.iter().map(|it| (it.id().to_owned(), it.label().to_owned())).collect()
        }
        ValueKind::Numbers => {
            let pair = |it: &Number| (it.id().to_owned(), it.label().to_owned());
            Number::ALL.iter().map(pair).collect()
        }
        ValueKind::Moment => open.map(moments).unwrap_or_default(),
        ValueKind::RunPath => run_paths(app),
        ValueKind::File => {
            let files = app.screens.shown_run().map(files_of_turn).unwrap_or_default();
            files.iter().map(|path| (path.to_string(), "file of this turn".to_owned())).collect()
        }
        ValueKind::Theme => {
            let about = |theme: &ThemeName| match *theme == app.shell.looks.theme {
                true => "in use",
                false => "",
            };
            ThemeName::ALL.iter().map(|it| (it.word().to_owned(), about(it).to_owned())).collect()
        }
        ValueKind::HelpWord => {
            let words = glossary::words().into_iter();
            words.map(|word| (word.to_owned(), glossary::first_meaning(word))).collect()
        }
        ValueKind::Count | ValueKind::Width | ValueKind::Words => vec![],
    };
    pairs.into_iter().map(|(value, about)| ArgumentValue { value, about }).collect()
}

/// Returns the file of this path, or the first whose path ends with it.
pub(super) fn find_file<'a>(files: &'a [RepoPath], path: &str) -> Option<&'a RepoPath> {
    let end = format!("/{path}");
    let by_end = || files.iter().find(|file| file.as_str().ends_with(&end));
    files.iter().find(|file| file.as_str() == path).or_else(by_end)
}

/// Returns the ids and names of the components of a run.
pub(super) fn components(open: &OpenRun) -> Vec<(String, String)> {
    let rows = open.scores.components.component_rows(&open.session);
    let mut pairs: Vec<_> = rows.into_iter().map(|row| (row.id, row.name)).collect();
    pairs.sort();
    pairs
}

/// Returns the numbers that have a curve in a run.
pub(super) fn curves(open: &OpenRun) -> Vec<Number> {
    curve_values::listed_numbers(&open.session)
}

/// Returns the paths of the files that the file list shows.
pub(crate) fn files_of_turn(open: &OpenRun) -> Vec<RepoPath> {
    let changes = open.replay.listed_changes(&open.session);
    changes.iter().map(|change| change.path.clone()).collect()
}

/// Returns the checkpoints and the turns of a run, with their titles.
fn moments(open: &OpenRun) -> Vec<(String, String)> {
    let run = &open.session.run;
    let checkpoints = run
        .checkpoints
        .iter()
        .map(|it| (it.id.clone(), format!("checkpoint, ends with turn {}", it.last_turn + 1)));
    let turns = run.turns.iter().enumerate();
    let turns = turns.map(|(index, turn)| ((index + 1).to_string(), turn.title.to_string()));
    checkpoints.chain(turns).collect()
}

/// Returns the paths of the runs of the table, with their names.
fn run_paths(app: &App) -> Vec<(String, String)> {
    let table = app.screens.collection.as_ref();
    let rows = table.into_iter().flat_map(|table| &table.rows);
    rows.map(|row| (row.path.display().to_string(), row.name.clone())).collect()
}

/// Returns the path that a name of the table of runs stands for, else the text as a path.
pub(super) fn run_path(text: &str, app: &App) -> PathBuf {
    let table = app.screens.collection.as_ref();
    let mut rows = table.into_iter().flat_map(|table| &table.rows);
    rows.find(|row| row.name == text).map_or_else(|| PathBuf::from(text), |row| row.path.clone())
}

/// Returns the path of the run that the screen is about: the open one, the first of a comparison, the row at the cursor.
pub(super) fn run_at_hand(screens: &Screens) -> Option<PathBuf> {
    if let Some(table) = screens.shown_table() {
        return table.selected_run().map(|row| row.path.clone());
    }
    if let Some(compared) = screens.shown_comparison() {
        return compared.paths.first().cloned();
    }
    screens.open_run().map(|_| screens.source.clone())
}
