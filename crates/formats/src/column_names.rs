//! Names of the columns of a data set whose publisher used names of their own.

/// Columns by what they mean, as the settings name them; those that are read without being named are not in here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnNames {
    /// Columns with the id of a run.
    pub id: Vec<String>,
    /// A list of messages, or a text with one in it.
    pub messages: Vec<String>,
    /// The diff at the end of the run.
    pub patch: Vec<String>,
    /// Columns that say whether the run solved its task.
    pub solved: Vec<String>,
}

impl ColumnNames {
    /// Returns the published name of a column that the settings name; None where they do not.
    pub fn published_name(&self, name: &str) -> Option<&'static str> {
        let is_in = |all: &[String]| all.iter().any(|it| it == name);
        match () {
            () if is_in(&self.messages) => Some("messages"),
            () if is_in(&self.id) => Some("trajectory_id"),
            () if is_in(&self.patch) => Some("model_patch"),
            () if is_in(&self.solved) => Some("resolved"),
            () => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
