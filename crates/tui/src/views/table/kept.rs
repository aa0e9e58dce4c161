//! How a table was left: which columns and in which order. It is kept from one start of the program to the next.

use crate::session::columns::{Column, Set};

use super::order::Sort;

/// What somebody chose in a table; None where nobody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    pub set: Option<Set>,
    pub sort: Option<Sort>,
}

/// Which table it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The sessions of this machine.
    Start,
    /// Runs that somebody named.
    Runs,
}

/// What is kept of both tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeptTables {
    pub start: Kept,
    pub runs: Kept,
}

impl KeptTables {
    /// Reads what [`Kept::lines`] wrote: `start columns scores` and `runs sort -cost`.
    ///
    /// # Errors
    ///
    /// A sentence about the first line that is none of these.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut tables = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |why: String| format!("line {number}: {why}");
            let mut words = line.split_whitespace();
            let kept = match words.next() {
                Some("start") => &mut tables.start,
                Some("runs") => &mut tables.runs,
                other => return Err(wrong(format!("no table {:?}", other.unwrap_or_default()))),
            };
            match (words.next(), words.next(), words.next()) {
                (Some("columns"), Some("sessions"), None) => kept.set = Some(Set::Sessions),
                (Some("columns"), Some("scores"), None) => kept.set = Some(Set::Scores),
                (Some("sort"), Some(sort), None) => kept.sort = Some(sort.parse().map_err(wrong)?),
                _ => return Err(wrong("neither columns nor an order".into())),
            }
        }
        Ok(tables)
    }

    pub const fn of(&self, which: Which) -> Kept {
        match which {
            Which::Start => self.start,
            Which::Runs => self.runs,
        }
    }
}

impl Which {
    /// The first word of its lines.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Runs => "runs",
        }
    }
}

impl Kept {
    /// As [`KeptTables::read`] takes it.
    pub fn lines(self, which: Which) -> String {
        let word = which.word();
        let set = self.set.map(|set| match set {
            Set::Sessions => "sessions",
            Set::Scores => "scores",
        });
        let set = set.map(|set| format!("{word} columns {set}\n"));
        let sort = self.sort.map(|sort| format!("{word} sort {sort}\n"));
        [set, sort].into_iter().flatten().collect()
    }

    /// Without an order by a column that these columns are without.
    pub fn fitting(self) -> Self {
        let is_shown =
            |sort: &Sort| self.set.is_none_or(|set| Column::of(set).contains(&sort.column));
        Self { sort: self.sort.filter(is_shown), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        session::{effect::Effect, request::Numbers},
        views::table::{Collection, Message, Opening},
    };

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_says_where() {
        let sort = Some("-listcost".parse().unwrap());
        let tables = KeptTables {
            start: Kept { set: Some(Set::Scores), sort },
            runs: Kept { set: Some(Set::Sessions), sort: None },
        };
        let text = [tables.runs.lines(Which::Runs), tables.start.lines(Which::Start)].concat();
        assert_eq!(text, "runs columns sessions\nstart columns scores\nstart sort -listcost\n");
        assert_eq!(KeptTables::read(&text), Ok(tables));
        assert_eq!(KeptTables::read(""), Ok(KeptTables::default()));

        for (text, why) in [
            ("start columns scores\n\u{0}\u{1}", "line 2: no table \"\\0\\u{1}\""),
            ("runs columns all", "line 1: neither columns nor an order"),
            ("runs", "line 1: neither columns nor an order"),
        ] {
            assert_eq!(KeptTables::read(text), Err(why.into()));
        }
        assert!(KeptTables::read("runs sort nothing").unwrap_err().contains("no column"));
    }

    #[test]
    fn an_order_by_a_column_that_is_not_there_is_left_out() {
        let sort = Some("erosion".parse().unwrap());
        let fitted = |set| Kept { set, sort }.fitting().sort;
        assert_eq!([fitted(Some(Set::Sessions)), fitted(Some(Set::Scores))], [None, sort]);
        assert_eq!(fitted(None), sort);
    }

    #[test]
    fn what_was_chosen_is_kept_once_and_comes_back_unless_an_order_is_named() {
        let kept = Kept { set: Some(Set::Scores), sort: Some("-erosion".parse().unwrap()) };
        let opened = |opening| Collection::of(vec![], opening);
        let mut table = opened(Opening { kept, ..Opening::default() });
        let mut numbers = Numbers::default();
        let mut keeps = |table: &mut Collection| {
            let is_keeping = |effect: &Effect| matches!(effect, Effect::KeepTable(..));
            table.ask(&mut numbers, 10).into_iter().find(is_keeping)
        };
        assert_eq!((table.set(), keeps(&mut table)), (Set::Scores, None));

        table.update(Message::SwitchSet, 10);
        let lines = "runs columns sessions\nruns sort -erosion\n".to_owned();
        assert_eq!(keeps(&mut table), Some(Effect::KeepTable("runs", lines)));
        assert_eq!(keeps(&mut table), None);

        let sort = Some("cost".parse().unwrap());
        let named = opened(Opening { kept, sort, ..Opening::default() });
        assert_eq!((named.shape.sort, named.shape.set), (sort, None));
        assert!(!Opening { kept, ..Opening::default() }.is_asked_for());
    }
}
