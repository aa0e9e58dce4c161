//! The state in which a table was left: its columns and their order. It is stored from one start of the program to the
//! next.

use crate::session::columns::{ColumnSet, RunTableColumn};

use super::order::ColumnSort;

/// The choices of the user in a table. None if the user chose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredChoice {
    pub set: Option<ColumnSet>,
    pub sort: Option<ColumnSort>,
}

/// The kind of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichTable {
    /// The sessions of this machine.
    Start,
    /// The runs that the user named.
    Runs,
}

/// The stored choices of both tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredTables {
    pub start: StoredChoice,
    pub runs: StoredChoice,
}

impl StoredTables {
    /// Reads what [`StoredChoice::choice_lines`] wrote: `start columns scores` and `runs sort -cost`.
    ///
    /// # Errors
    ///
    /// A sentence about the first line that is none of these.
    pub fn parse_lines(text: &str) -> Result<Self, String> {
        let mut tables = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |why: String| format!("line {number}: {why}");
            let mut words = line.split_whitespace();
            let table_choice = match words.next() {
                Some("start") => &mut tables.start,
                Some("runs") => &mut tables.runs,
                other => return Err(wrong(format!("no table {:?}", other.unwrap_or_default()))),
            };
            match (words.next(), words.next(), words.next()) {
                (Some("columns"), Some("sessions"), None) => {
                    table_choice.set = Some(ColumnSet::Sessions)
                }
                (Some("columns"), Some("scores"), None) => {
                    table_choice.set = Some(ColumnSet::Scores)
                }
                (Some("sort"), Some(sort), None) => {
                    table_choice.sort = Some(sort.parse().map_err(wrong)?)
                }
                _ => return Err(wrong("neither columns nor an order".into())),
            }
        }
        Ok(tables)
    }

    pub const fn table_choice(&self, which: WhichTable) -> StoredChoice {
        match which {
            WhichTable::Start => self.start,
            WhichTable::Runs => self.runs,
        }
    }
}

impl WhichTable {
    /// Returns the first word of its lines.
    pub(crate) const fn table_word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Runs => "runs",
        }
    }
}

impl StoredChoice {
    /// Returns the choices in the format that [`StoredTables::parse_lines`] reads.
    pub(crate) fn choice_lines(self, which: WhichTable) -> String {
        let word = which.table_word();
        let set = self.set.map(|set| match set {
            ColumnSet::Sessions => "sessions",
            ColumnSet::Scores => "scores",
        });
        let set = set.map(|set| format!("{word} columns {set}\n"));
        let sort = self.sort.map(|sort| format!("{word} sort {sort}\n"));
        [set, sort].into_iter().flatten().collect()
    }

    /// Returns the choice without a sort order by a column that the chosen columns do not include.
    pub(crate) fn without_hidden_sort(self) -> Self {
        let is_shown = |sort: &ColumnSort| {
            self.set.is_none_or(|set| RunTableColumn::in_set(set).contains(&sort.column))
        };
        Self { sort: self.sort.filter(is_shown), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        session::{effect::Effect, request::RequestIds},
        views::table::{RunTableView, TableMessage, TableOpening},
    };

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_says_where() {
        let sort = Some("-listcost".parse().unwrap());
        let tables = StoredTables {
            start: StoredChoice { set: Some(ColumnSet::Scores), sort },
            runs: StoredChoice { set: Some(ColumnSet::Sessions), sort: None },
        };
        let text = [
            tables.runs.choice_lines(WhichTable::Runs),
            tables.start.choice_lines(WhichTable::Start),
        ]
        .concat();
        assert_eq!(text, "runs columns sessions\nstart columns scores\nstart sort -listcost\n");
        assert_eq!(StoredTables::parse_lines(&text), Ok(tables));
        assert_eq!(StoredTables::parse_lines(""), Ok(StoredTables::default()));

        for (text, why) in [
            ("start columns scores\n\u{0}\u{1}", "line 2: no table \"\\0\\u{1}\""),
            ("runs columns all", "line 1: neither columns nor an order"),
            ("runs", "line 1: neither columns nor an order"),
        ] {
            assert_eq!(StoredTables::parse_lines(text), Err(why.into()));
        }
        assert!(StoredTables::parse_lines("runs sort nothing").unwrap_err().contains("no column"));
    }

    #[test]
    fn an_order_by_a_column_that_is_not_there_is_left_out() {
        let sort = Some("erosion".parse().unwrap());
        let fitted = |set| StoredChoice { set, sort }.without_hidden_sort().sort;
        assert_eq!(
            [fitted(Some(ColumnSet::Sessions)), fitted(Some(ColumnSet::Scores))],
            [None, sort]
        );
        assert_eq!(fitted(None), sort);
    }

    #[test]
    fn what_was_chosen_is_kept_once_and_comes_back_unless_an_order_is_named() {
        let choice =
            StoredChoice { set: Some(ColumnSet::Scores), sort: Some("-erosion".parse().unwrap()) };
        let opened = |opening| RunTableView::from_sources(vec![], opening);
        let mut table = opened(TableOpening { stored_choice: choice, ..TableOpening::default() });
        let mut numbers = RequestIds::default();
        let mut keeps = |table: &mut RunTableView| {
            let is_keeping = |effect: &Effect| matches!(effect, Effect::KeepTable(..));
            table.ask_missing(&mut numbers).into_iter().find(is_keeping)
        };
        assert_eq!((table.column_set(), keeps(&mut table)), (ColumnSet::Scores, None));

        table.update_table(TableMessage::SwitchSet);
        let lines = "runs columns sessions\nruns sort -erosion\n".to_owned();
        assert_eq!(keeps(&mut table), Some(Effect::KeepTable("runs", lines)));
        assert_eq!(keeps(&mut table), None);

        let sort = Some("cost".parse().unwrap());
        let named_table =
            opened(TableOpening { stored_choice: choice, sort, ..TableOpening::default() });
        assert_eq!((named_table.shape.sort, named_table.shape.set), (sort, None));
        assert!(!TableOpening { stored_choice: choice, ..TableOpening::default() }.needs_table());
    }
}
