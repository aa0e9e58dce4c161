//! The columns beside the steps: when each began, how long it took, how long its agent waited, what its model call read and wrote,
//! and what that costs at list prices.

use trajview_run::{format_number, step_pace::StepPace};

/// The format of the start time of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeganFormat {
    /// Since the turn's request.
    SinceTurn,
    /// The time of day, in UTC.
    Clock,
}

impl BeganFormat {
    /// Returns the format that the key switches to: since the request, time of day, no columns.
    pub(crate) const fn next_format(shown: Option<Self>) -> Option<Self> {
        match shown {
            None => Some(Self::SinceTurn),
            Some(Self::SinceTurn) => Some(Self::Clock),
            Some(Self::Clock) => None,
        }
    }
}

/// One of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepColumn {
    Began(BeganFormat),
    Took,
    Waited,
    Tokens,
    /// Computed.
    Cost,
}

/// The cells that remain for a step beside the columns.
const MIN_STEP_CELLS: usize = 22;

impl StepColumn {
    /// Returns the columns that fit in `width` cells, in their order. Where it is narrow the start is left out first,
    /// since the order of the steps shows it, then the tokens, then the wait. The cost is left out where no step can
    /// have one.
    pub(crate) fn fitting_columns(began: BeganFormat, width: usize, has_cost: bool) -> Vec<Self> {
        let mut columns = vec![Self::Began(began), Self::Took, Self::Waited, Self::Tokens];
        columns.extend(has_cost.then_some(Self::Cost));
        let order = [Self::Began(began), Self::Tokens, Self::Waited, Self::Cost, Self::Took];
        for first_to_go in order {
            if Self::total_width(&columns) + MIN_STEP_CELLS <= width {
                break;
            }
            columns.retain(|column| *column != first_to_go);
        }
        columns
    }

    /// Returns the width in cells of the columns, a blank before each included.
    pub(crate) fn total_width(columns: &[Self]) -> usize {
        columns.iter().map(|column| column.column_width() + 1).sum()
    }

    /// Returns the width in cells of the values of a column.
    pub(crate) const fn column_width(self) -> usize {
        match self {
            Self::Began(_) => 8,
            Self::Took | Self::Waited => 7,
            Self::Tokens => 9,
            Self::Cost => 10,
        }
    }

    pub(crate) const fn column_head(self) -> &'static str {
        match self {
            Self::Began(BeganFormat::SinceTurn) => "began",
            Self::Began(BeganFormat::Clock) => "UTC",
            Self::Took => "took",
            Self::Waited => "wait",
            Self::Tokens => "in/out",
            Self::Cost => "$ computed",
        }
    }

    /// Returns `+2m 14s`, `0.4s`, `12s`, `34k/512`, `$0.0042`; `—` where it is not recorded. Tokens and their cost are
    /// at the first step of a model call, `↑` at the others, since the tokens are the same. `cost` returns the cost of
    /// the call of this step.
    pub fn cell_text(
        self,
        pace: &StepPace,
        at: usize,
        cost: impl Fn() -> Option<String>,
    ) -> String {
        let known = match self {
            Self::Began(BeganFormat::SinceTurn) => pace
                .since_turn_s
                .map(|seconds| format!("+{}", format_number::duration_with_tenths(seconds))),
            Self::Began(BeganFormat::Clock) => pace.began.map(|time| time.clock_text()),
            Self::Took => pace.took_s.map(format_number::duration_with_tenths),
            Self::Waited => pace.waited_s.map(format_number::duration_with_tenths),
            Self::Tokens | Self::Cost if pace.call.is_some_and(|call| call != at) => {
                Some("↑".into())
            }
            Self::Cost => cost(),
            Self::Tokens => {
                let of = |count: Option<u64>| {
                    count.map_or_else(
                        || format_number::MISSING_SIGN.into(),
                        format_number::short_count,
                    )
                };
                let is_known = pace.tokens.input.or(pace.tokens.output).is_some();
                is_known.then(|| format!("{}/{}", of(pace.tokens.input), of(pace.tokens.output)))
            }
        };
        known.unwrap_or_else(|| format_number::MISSING_SIGN.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Time, Tokens};

    #[test]
    fn the_narrower_the_panel_the_fewer_the_columns() {
        let heads = |width| -> Vec<_> {
            StepColumn::fitting_columns(BeganFormat::SinceTurn, width, true)
                .into_iter()
                .map(StepColumn::column_head)
                .collect()
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
        let columns = StepColumn::fitting_columns(BeganFormat::Clock, 80, true);
        let cell_texts = |pace: &StepPace, at| -> Vec<_> {
            columns.iter().map(|column| column.cell_text(pace, at, || None)).collect()
        };

        assert_eq!(cell_texts(&StepPace::default(), 0), ["—"; 5]);
        let pace = StepPace {
            began: Some(Time(3_661_000)),
            since_turn_s: Some(61.0),
            took_s: Some(0.42),
            waited_s: Some(134.0),
            call: Some(3),
            tokens: Tokens { input: Some(34_000), ..Tokens::default() },
        };
        assert_eq!(cell_texts(&pace, 3), ["01:01:01", "0.4s", "2m 14s", "34k/—", "—"]);
        assert_eq!(cell_texts(&pace, 4)[3..], ["↑"; 2]);
        assert_eq!(
            StepColumn::Began(BeganFormat::SinceTurn).cell_text(&pace, 3, || None),
            "+1m 01s"
        );
        assert_eq!(StepColumn::Cost.cell_text(&pace, 3, || Some("$0.0042".into())), "$0.0042");
    }
}
