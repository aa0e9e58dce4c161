//! More than two runs as columns: the base first, then as many others as fit, each with its difference to the base.

use crate::widgets::scroll::Motion;
use trajview_study::compare::run_letter;

use super::ComparisonView;

/// The runs that have a column, and the numbers of those without one on either side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunColumns {
    pub(super) runs: Vec<usize>,
    before: usize,
    after: usize,
}

impl RunColumns {
    /// Returns `‹1 2›`: the runs without a column; empty where all have one.
    pub(super) fn hidden_text(&self) -> String {
        let before = if self.before > 0 { format!("‹{}", self.before) } else { String::new() };
        let after = if self.after > 0 { format!("{}›", self.after) } else { String::new() };
        [before, after].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl ComparisonView {
    /// Returns the runs that fit, where there is room for so many columns beside the base. Two runs always fit.
    pub(super) fn run_columns(&self, room: usize) -> RunColumns {
        let count = self.paths.len();
        if count <= 2 {
            return RunColumns { runs: (0..count).collect(), before: 0, after: 0 };
        }
        let others: Vec<usize> = (0..count).filter(|run| *run != self.base).collect();
        let room = room.clamp(1, others.len());
        let first = self.first_column.min(others.len() - room);
        let shown = others[first..first + room].iter().copied();
        let runs = [self.base].into_iter().chain(shown).collect();
        RunColumns { runs, before: first, after: others.len() - first - room }
    }

    /// Moves the columns of runs by one, however long the motion is in cells.
    pub(super) fn scroll_columns(&mut self, motion: Motion) {
        let others = self.paths.len().saturating_sub(1);
        let of_tables = others.saturating_sub(self.column_room.max(1));
        let last = of_tables.max(self.timelines.hidden_runs);
        let first = self.first_column.min(last);
        self.first_column = match motion {
            Motion::Up(_) => first.saturating_sub(1),
            Motion::Down(_) => (first + 1).min(last),
            _ => first,
        };
    }

    /// Returns the first run whose timeline is drawn where not all fit: that of the first shown column, and before any
    /// column was moved the first run.
    pub(super) fn first_shown_run(&self) -> usize {
        match self.first_column {
            0 => 0,
            first => first + usize::from(first >= self.base),
        }
    }

    /// Makes the next run the base of the differences.
    pub(super) fn next_base(&mut self) {
        if self.paths.len() < 3 {
            let by = self.subtraction().display_text();
            self.notice = Some(format!("two runs: the difference is {by}"));
            return;
        }
        self.base = (self.base + 1) % self.paths.len();
        self.first_column = 0;
        self.notice = Some(format!("differences are each run − {}", run_letter(self.base)));
        self.sort_again();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_stays_in_sight_while_the_other_columns_move() {
        let paths = ["a", "b", "c", "d", "e"].map(Into::into).to_vec();
        let mut view = ComparisonView { base: 2, ..ComparisonView::new(paths) };
        let columns = |view: &ComparisonView| {
            let columns = view.run_columns(2);
            (columns.runs.clone(), columns.hidden_text())
        };

        assert_eq!(columns(&view), (vec![2, 0, 1], "2›".into()));
        view.scroll_columns(Motion::Down(8));
        assert_eq!(columns(&view), (vec![2, 1, 3], "‹1 1›".into()));
        (0..9).for_each(|_| view.scroll_columns(Motion::Down(8)));
        assert_eq!(columns(&view), (vec![2, 3, 4], "‹2".into()));
    }

    #[test]
    fn columns_stop_where_all_fit_and_the_timelines_begin_with_the_first_of_them() {
        let paths = ["a", "b", "c", "d", "e"].map(Into::into).to_vec();
        let mut view = ComparisonView { base: 2, column_room: 2, ..ComparisonView::new(paths) };

        (0..9).for_each(|_| view.scroll_columns(Motion::Down(8)));
        assert_eq!((view.first_column, view.run_columns(2).runs), (2, vec![2, 3, 4]));
        assert_eq!(view.first_shown_run(), 3);
        view.scroll_columns(Motion::Up(8));
        assert_eq!((view.run_columns(2).runs, view.first_shown_run()), (vec![2, 1, 3], 1));
        view.scroll_columns(Motion::Up(8));
        assert_eq!(view.first_shown_run(), 0);
    }
}
