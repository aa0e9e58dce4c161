//! The columns of trials in the tables of commands.

use trajview_run::trial::{TrialColumn, TrialValues};

use super::output::cell_or_dash;

/// Returns the columns that one of the runs has a value for, but for the task, which tables of runs always have.
pub(crate) fn columns_in_use<'t>(
    trials: impl Iterator<Item = &'t TrialValues> + Clone,
) -> Vec<TrialColumn> {
    let is_known =
        |column: &TrialColumn| trials.clone().any(|trial| trial.cell_text(*column).is_some());
    let columns = TrialColumn::ALL.into_iter().filter(|column| *column != TrialColumn::Task);
    columns.filter(is_known).collect()
}

/// Returns the head of a column: numbers stand at the right.
pub(crate) fn column_head(column: TrialColumn) -> String {
    match column {
        TrialColumn::Attempt | TrialColumn::Reward => format!(">{}", column.word()),
        TrialColumn::Task | TrialColumn::Outcome | TrialColumn::RewardName | TrialColumn::Error => {
            column.word().to_owned()
        }
    }
}

pub(crate) fn trial_cell(trial: &TrialValues, column: TrialColumn) -> String {
    cell_or_dash(trial.cell_text(column))
}
