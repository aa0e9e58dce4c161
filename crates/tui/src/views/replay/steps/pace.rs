//! The columns beside the steps: when each began, how long it took, how long its agent waited, what its model call read and wrote,
//! and what that costs at list prices.

use trajview_run::{figures, pace::Pace};

/// In which words a step says when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Began {
    /// Since the turn's request.
    SinceTurn,
    /// By the clock, in UTC.
    Clock,
}

impl Began {
    /// What the key leads to next: since the request, by the clock, no columns.
    pub const fn after(shown: Option<Self>) -> Option<Self> {
        match shown {
            None => Some(Self::SinceTurn),
            Some(Self::SinceTurn) => Some(Self::Clock),
            Some(Self::Clock) => None,
        }
    }
}

/// One of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Began(Began),
    Took,
    Waited,
    Tokens,
    /// Computed.
    Cost,
}

/// Cells that the words of a step keep beside the columns.
const WORDS: usize = 22;

impl Column {
    /// The columns that there is room for in `width` cells, in their order. Where it is narrow the beginning goes first, which
    /// the order of the steps tells anyway, then the tokens, then the wait. The cost is left out where nothing can have one.
    pub fn fitting(began: Began, width: usize, has_cost: bool) -> Vec<Self> {
        let mut columns = vec![Self::Began(began), Self::Took, Self::Waited, Self::Tokens];
        columns.extend(has_cost.then_some(Self::Cost));
        let order = [Self::Began(began), Self::Tokens, Self::Waited, Self::Cost, Self::Took];
        for first_to_go in order {
            if Self::cells_of(&columns) + WORDS <= width {
                break;
            }
            columns.retain(|column| *column != first_to_go);
        }
        columns
    }

    /// Cells that columns take, a blank before each included.
    pub fn cells_of(columns: &[Self]) -> usize {
        columns.iter().map(|column| column.cells() + 1).sum()
    }

    pub const fn cells(self) -> usize {
        match self {
            Self::Began(_) => 8,
            Self::Took | Self::Waited => 7,
            Self::Tokens => 9,
            Self::Cost => 10,
        }
    }

    pub const fn head(self) -> &'static str {
        match self {
            Self::Began(Began::SinceTurn) => "began",
            Self::Began(Began::Clock) => "UTC",
            Self::Took => "took",
            Self::Waited => "wait",
            Self::Tokens => "in/out",
            Self::Cost => "$ computed",
        }
    }

    /// `+2m 14s`, `0.4s`, `12s`, `34k/512`, `$0.0042`; `—` where it is not recorded. Tokens and what they cost stand at the
    /// first step of a model call, `↑` at the others: they are the same tokens. `cost` says what the call of this step costs.
    pub fn said(self, pace: &Pace, at: usize, cost: impl Fn() -> Option<String>) -> String {
        let known = match self {
            Self::Began(Began::SinceTurn) => {
                pace.since_turn_s.map(|seconds| format!("+{}", figures::lapse(seconds)))
            }
            Self::Began(Began::Clock) => pace.began.map(|time| time.clock()),
            Self::Took => pace.took_s.map(figures::lapse),
            Self::Waited => pace.waited_s.map(figures::lapse),
            Self::Tokens | Self::Cost if pace.call.is_some_and(|call| call != at) => {
                Some("↑".into())
            }
            Self::Cost => cost(),
            Self::Tokens => {
                let of = |count: Option<u64>| count.map_or_else(|| "—".into(), figures::short);
                let is_known = pace.tokens.input.or(pace.tokens.output).is_some();
                is_known.then(|| format!("{}/{}", of(pace.tokens.input), of(pace.tokens.output)))
            }
        };
        known.unwrap_or_else(|| "—".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Time, Tokens};

    #[test]
    fn the_narrower_the_panel_the_fewer_the_columns() {
        let heads = |width| -> Vec<_> {
            Column::fitting(Began::SinceTurn, width, true).into_iter().map(Column::head).collect()
        };

        assert_eq!(heads(68), ["began", "took", "wait", "in/out", "$ computed"]);
        assert_eq!(heads(67), ["took", "wait", "in/out", "$ computed"]);
        assert_eq!(heads(49), ["took", "wait", "$ computed"]);
        assert_eq!(heads(41), ["took", "$ computed"]);
        assert_eq!(heads(30), ["took"]);
        assert_eq!(heads(20), [""; 0]);
    }

    #[test]
    fn what_is_not_recorded_is_a_dash_and_what_stands_above_points_there() {
        let columns = Column::fitting(Began::Clock, 80, true);
        let said = |pace: &Pace, at| -> Vec<_> {
            columns.iter().map(|column| column.said(pace, at, || None)).collect()
        };

        assert_eq!(said(&Pace::default(), 0), ["—"; 5]);
        let pace = Pace {
            began: Some(Time(3_661_000)),
            since_turn_s: Some(61.0),
            took_s: Some(0.42),
            waited_s: Some(134.0),
            call: Some(3),
            tokens: Tokens { input: Some(34_000), ..Tokens::default() },
        };
        assert_eq!(said(&pace, 3), ["01:01:01", "0.4s", "2m 14s", "34k/—", "—"]);
        assert_eq!(said(&pace, 4)[3..], ["↑"; 2]);
        assert_eq!(Column::Began(Began::SinceTurn).said(&pace, 3, || None), "+1m 01s");
        assert_eq!(Column::Cost.said(&pace, 3, || Some("$0.0042".into())), "$0.0042");
    }
}
