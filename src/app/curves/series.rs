//! One row a curve: its name, where its values come from, how they are said.

use super::{Measured, judged, points::Point};
use crate::{
    app::replay::Replay,
    metrics::quality::Snapshot,
    run::{Tokens, recorded::Passed},
};

/// In the order in which they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Series {
    #[default]
    Erosion,
    Verbosity,
    Mass,
    Loc,
    Callables,
    HighCc,
    MaxCc,
    Churn,
    Tests,
    Tokens,
    Mcf,
    Rcr,
    Esr,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By us, with a profile.
    Computed,
    /// Counted by us in the recorded changes.
    Counted,
    /// Read from a file of the recording.
    Recorded,
    /// Of a judge's or an auditor's scores, from a file beside the recording.
    Judged,
}

/// What is known of a point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known {
    Value(f64),
    /// It is still to be measured.
    NotYet,
    /// A gap.
    NotRecorded,
}

impl Known {
    pub const fn of(measured: Option<&Measured>, value: Option<f64>) -> Self {
        match (measured, value) {
            (_, Some(value)) => Self::Value(value),
            (Some(_), None) => Self::NotRecorded,
            (None, None) => Self::NotYet,
        }
    }

    pub const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotYet | Self::NotRecorded => None,
        }
    }
}

impl Origin {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Counted => "counted",
            Self::Recorded => "recorded",
            Self::Judged => "judged",
        }
    }
}

impl Series {
    pub const ALL: [Self; 13] = [
        Self::Erosion,
        Self::Verbosity,
        Self::Mass,
        Self::Loc,
        Self::Callables,
        Self::HighCc,
        Self::MaxCc,
        Self::Churn,
        Self::Tests,
        Self::Tokens,
        Self::Mcf,
        Self::Rcr,
        Self::Esr,
    ];

    /// Those that a run has: the judged ones, the last three, only where it was judged or audited.
    pub fn listed(replay: &Replay) -> &'static [Self] {
        if replay.has_judged_curves() { &Self::ALL } else { &Self::ALL[..Self::Mcf as usize] }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Erosion => "erosion",
            Self::Verbosity => "verbosity",
            Self::Mass => "mass",
            Self::Loc => "lines of code",
            Self::Callables => "callables",
            Self::HighCc => "CC above 10",
            Self::MaxCc => "largest CC",
            Self::Churn => "lines changed",
            Self::Tests => "tests passed",
            Self::Tokens => "tokens",
            Self::Mcf => "MCF",
            Self::Rcr => "recoverable",
            Self::Esr => "explicit",
        }
    }

    pub const fn origin(self) -> Origin {
        match self {
            Self::Erosion
            | Self::Verbosity
            | Self::Mass
            | Self::Loc
            | Self::Callables
            | Self::HighCc
            | Self::MaxCc => Origin::Computed,
            Self::Churn => Origin::Counted,
            Self::Tests | Self::Tokens => Origin::Recorded,
            Self::Mcf | Self::Rcr | Self::Esr => Origin::Judged,
        }
    }

    /// The curve that is drawn on the same axis.
    pub const fn partner(self) -> Option<Self> {
        match self {
            Self::Erosion => Some(Self::Verbosity),
            Self::Verbosity => Some(Self::Erosion),
            Self::Rcr => Some(Self::Esr),
            Self::Esr => Some(Self::Rcr),
            _ => None,
        }
    }

    /// Whether values lie between 0 and 1.
    pub const fn is_share(self) -> bool {
        matches!(self, Self::Erosion | Self::Verbosity | Self::Tests | Self::Rcr | Self::Esr)
    }

    /// The name of the metric in recorded values, where a harness may record it too.
    pub const fn metric(self) -> Option<&'static str> {
        match self {
            Self::Erosion => Some("erosion"),
            Self::Verbosity => Some("verbosity"),
            Self::Mass => Some("mass"),
            Self::Loc => Some("loc"),
            Self::Callables => Some("callables"),
            Self::HighCc => Some("high_cc"),
            Self::MaxCc => Some("max_cc"),
            Self::Churn | Self::Tests | Self::Tokens | Self::Mcf | Self::Rcr | Self::Esr => None,
        }
    }

    /// None where it is not recorded or not known yet.
    pub fn value(self, replay: &Replay, point: &Point) -> Option<f64> {
        match self {
            Self::Erosion
            | Self::Verbosity
            | Self::Mass
            | Self::Loc
            | Self::Callables
            | Self::HighCc
            | Self::MaxCc => self.measured(replay.curves.scores.at(point.done)?),
            Self::Churn => churn(replay, point),
            Self::Tests => tests(replay, point)?.share(),
            Self::Tokens => tokens(replay, point),
            Self::Mcf => judged::mcf(replay, point),
            Self::Rcr => judged::exposed(replay, point).map(|at| at.rcr),
            Self::Esr => judged::exposed(replay, point).map(|at| at.esr),
        }
    }

    /// With the profile or the rules before, where values of them are still shown.
    pub fn value_before(self, replay: &Replay, point: &Point) -> Option<f64> {
        self.measured(replay.curves.scores.before.as_ref()?.at(point.done)?)
    }

    /// Of a measured moment; None for a number that is not measured.
    fn measured(self, measured: &Measured) -> Option<f64> {
        let snapshot: &Snapshot = measured.snapshot.as_ref().ok()?;
        let totals = &snapshot.totals;
        Some(match self {
            Self::Erosion => snapshot.erosion,
            Self::Verbosity => snapshot.verbosity,
            Self::Mass => totals.mass,
            Self::Loc => totals.loc as f64,
            Self::Callables => totals.callables as f64,
            Self::HighCc => totals.high_cc as f64,
            Self::MaxCc => f64::from(totals.max_cc),
            _ => return None,
        })
    }

    /// All values in the order of the points, with why there is none where there is none.
    pub fn known(self, replay: &Replay, points: &[Point]) -> Vec<Known> {
        let known = |point: &Point| match (self.origin(), self.value(replay, point)) {
            (Origin::Computed, value) => Known::of(replay.curves.scores.at(point.done), value),
            (_, Some(value)) => Known::Value(value),
            (_, None) => Known::NotRecorded,
        };
        points.iter().map(known).collect()
    }

    /// All values in the order of the points.
    pub fn values(self, replay: &Replay, points: &[Point]) -> Vec<Option<f64>> {
        points.iter().map(|point| self.value(replay, point)).collect()
    }

    /// The value at a point as people read it.
    pub fn said_at(self, replay: &Replay, point: &Point) -> Option<String> {
        match self {
            Self::Tests => {
                let Passed { passed, total } = tests(replay, point)?;
                Some(format!("{passed}/{total}"))
            }
            _ => self.value(replay, point).map(|value| self.said(value)),
        }
    }

    pub fn said(self, value: f64) -> String {
        match self {
            Self::Erosion | Self::Verbosity => format!("{value:.4}"),
            Self::Mcf => format!("{value:.3}"),
            Self::Tests | Self::Rcr | Self::Esr => format!("{:.0} %", value * 100.0),
            Self::Mass => format!("{value:.1}"),
            _ => grouped(value),
        }
    }

    /// With its sign; empty where nothing changed.
    pub fn change_said(self, by: f64) -> String {
        let words = match self {
            Self::Tests | Self::Rcr | Self::Esr => format!("{:.0} %", by.abs() * 100.0),
            _ => self.said(by.abs()),
        };
        let is_nothing = words == self.said(0.0);
        let sign = if by < 0.0 { '−' } else { '+' };
        if is_nothing { String::new() } else { format!("{sign}{words}") }
    }
}

/// `12`, `4,425`, `4.43 M`
fn grouped(value: f64) -> String {
    match value {
        value if value >= 999_950.0 => format!("{:.2} M", value / 1_000_000.0),
        value if value >= 1000.0 => {
            let whole = value.round() as u64;
            format!("{},{:03}", whole / 1000, whole % 1000)
        }
        value => format!("{value:.0}"),
    }
}

/// Lines added and removed by the turns that lead to the point.
fn churn(replay: &Replay, point: &Point) -> Option<f64> {
    let of_turn = |turn: usize| match replay.lines_of_turn(turn) {
        Some(lines) => Some(lines.added + lines.removed),
        None => replay.left_all_alone(turn).then_some(0),
    };
    point.turns.clone().map(of_turn).sum::<Option<usize>>().map(|lines| lines as f64)
}

/// Of every test up to the checkpoint that ends at the point; none where the harness failed and not the code.
fn tests(replay: &Replay, point: &Point) -> Option<Passed> {
    let record = replay.run.record_at(point.done)?;
    let tests = record.tests.as_ref().filter(|tests| !tests.infrastructure_failure)?;
    Some(tests.strict).filter(|passed| passed.total > 0)
}

/// Read and written by the turns that lead to the point.
fn tokens(replay: &Replay, point: &Point) -> Option<f64> {
    let turns = replay.run.turns.get(point.turns.clone())?;
    let of_turn = |tokens: &Tokens| Some(tokens.input?.saturating_add(tokens.output?) as f64);
    turns.iter().map(|turn| of_turn(&turn.tokens)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_values() {
        for (at, series) in Series::ALL.into_iter().enumerate() {
            assert_eq!(series as usize, at);
        }
    }

    #[test]
    fn a_change_has_a_sign_and_none_where_there_is_none() {
        assert_eq!(Series::Erosion.change_said(0.0985), "+0.0985");
        assert_eq!(Series::Loc.change_said(-1200.0), "−1,200");
        assert_eq!(Series::MaxCc.change_said(0.0), "");
        assert_eq!(Series::Tokens.said(4_425_266.0), "4.43 M");
    }
}
