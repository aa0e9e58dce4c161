//! The limits of a gate: a highest value, or how much a number may rise.

use trajview_metrics::{Number, numbers::NumberStyle};

use crate::cli::output::Json;

/// The option of each number that can have a limit. All of them are better when lower.
#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// With --against: the limit of erosion. With a sign how much it may rise (`+0.02`), or by how much it must fall
    /// (`-0.01`); without one the highest value (`0.4`)
    #[arg(long, value_name = "LIMIT", requires = "against", allow_negative_numbers = true, value_parser = parse_share_limit)]
    max_erosion: Option<LimitAmount>,
    /// The same for verbosity
    #[arg(long, value_name = "LIMIT", requires = "against", allow_negative_numbers = true, value_parser = parse_share_limit)]
    max_verbosity: Option<LimitAmount>,
    /// The same for the cyclomatic complexity of the callable with most: `+0`, or `20`
    #[arg(long, value_name = "LIMIT", requires = "against", allow_negative_numbers = true, value_parser = parse_count_limit)]
    max_cc: Option<LimitAmount>,
    /// The same for the number of callables with a complexity above 10
    #[arg(long, value_name = "LIMIT", requires = "against", allow_negative_numbers = true, value_parser = parse_count_limit)]
    max_high_cc: Option<LimitAmount>,
    /// The same for the number of source lines in clones
    #[arg(long, value_name = "LIMIT", requires = "against", allow_negative_numbers = true, value_parser = parse_count_limit)]
    max_clone_lines: Option<LimitAmount>,
}

impl LimitArgs {
    /// Returns the limits that are named, in the order of the numbers.
    pub(super) fn named_limits(&self) -> Vec<GateLimit> {
        let Self { max_erosion, max_verbosity, max_cc, max_high_cc, max_clone_lines } = self;
        let all = [
            (Number::Erosion, max_erosion),
            (Number::Verbosity, max_verbosity),
            (Number::MaxCc, max_cc),
            (Number::HighCc, max_high_cc),
            (Number::CloneLines, max_clone_lines),
        ];
        let named = all.into_iter().filter_map(|(number, amount)| Some((number, (*amount)?)));
        named.map(|(number, amount)| GateLimit { number, amount }).collect()
    }
}

/// How much a number may rise, or the highest value that it may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LimitAmount {
    Rise(f64),
    Highest(f64),
}

/// The limit of a number.
#[derive(Debug, Clone, Copy)]
pub struct GateLimit {
    pub(super) number: Number,
    pub(super) amount: LimitAmount,
}

/// The result of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GateVerdict {
    Passed,
    Exceeded,
    Undecided,
}

impl GateVerdict {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Exceeded => "exceeded",
            Self::Undecided => "undecided",
        }
    }
}

/// The digits of shares in the tables.
pub(super) const FEWEST_DIGITS: usize = 4;
/// The digits where fewer show no difference.
pub(super) const MOST_DIGITS: usize = 9;

/// What rounding may add to a difference of two shares.
const ROUNDING: f64 = 1e-9;

impl GateLimit {
    /// Returns whether the value is within the limit; undecided where a value is missing.
    pub(super) fn verdict(self, before: Option<f64>, after: Option<f64>) -> GateVerdict {
        let above = match self.amount {
            LimitAmount::Rise(rise) => {
                before.zip(after).map(|(before, after)| after - before - rise)
            }
            LimitAmount::Highest(highest) => after.map(|after| after - highest),
        };
        match above {
            None => GateVerdict::Undecided,
            Some(above) if above > ROUNDING => GateVerdict::Exceeded,
            Some(_) => GateVerdict::Passed,
        }
    }

    /// Returns the limit with so many digits; one of a rise has a sign.
    pub(super) fn text(self, digits: usize) -> String {
        match self.amount {
            LimitAmount::Rise(rise) => {
                let words = self.number.format_change(rise, NumberStyle::Digits(digits));
                words.unwrap_or_else(|| "+".to_owned() + &self.value_text(0.0, digits))
            }
            LimitAmount::Highest(highest) => self.value_text(highest, digits),
        }
    }

    /// Returns a value of the limited number with so many digits.
    pub(super) fn value_text(self, value: f64, digits: usize) -> String {
        self.number.format_value(value, NumberStyle::Digits(digits))
    }

    /// Returns a difference of two values with its sign and so many digits; without a sign where it is zero.
    pub(super) fn difference_text(self, difference: f64, digits: usize) -> String {
        let words = self.number.format_change(difference, NumberStyle::Digits(digits));
        words.unwrap_or_else(|| self.value_text(0.0, digits))
    }

    /// Returns the digits with which a value above the limit differs from it: four, or more where it is barely above.
    pub(super) fn digits(self, before: Option<f64>, after: Option<f64>) -> usize {
        if self.verdict(before, after) != GateVerdict::Exceeded {
            return FEWEST_DIGITS;
        }
        let (limit, compared) = match self.amount {
            LimitAmount::Rise(rise) => {
                (rise, after.zip(before).map(|(after, before)| after - before))
            }
            LimitAmount::Highest(highest) => (highest, after),
        };
        let differs = |digits: &usize| {
            compared
                .is_some_and(|it| self.value_text(it, *digits) != self.value_text(limit, *digits))
        };
        (FEWEST_DIGITS..MOST_DIGITS).find(differs).unwrap_or(MOST_DIGITS)
    }

    /// Returns a value of the number for JSON: counts are whole numbers.
    pub(super) fn json_value(self, value: f64) -> Json {
        let is_count = !self.number.is_share() && value.fract() == 0.0;
        if is_count { Json::new(&(value as i64)) } else { Json::new(&value) }
    }

    /// Returns the option that names the limit.
    pub(super) fn option(self) -> String {
        format!("--max-{}", if self.number == Number::MaxCc { "cc" } else { self.number.id() })
            .replace('_', "-")
    }

    /// Returns whether the number before counts.
    pub(super) const fn is_rise(self) -> bool {
        matches!(self.amount, LimitAmount::Rise(_))
    }

    pub(super) fn amount_json(self) -> (Json, Json) {
        match self.amount {
            LimitAmount::Rise(rise) => (self.json_value(rise), Json::Null),
            LimitAmount::Highest(highest) => (Json::Null, self.json_value(highest)),
        }
    }
}

fn parse_share_limit(words: &str) -> Result<LimitAmount, String> {
    let expected = "expected how much it may rise, as +0.02, or the highest value, as 0.4; shares go from 0 to 1";
    parse_limit(words, 1.0).ok_or_else(|| expected.into())
}

fn parse_count_limit(words: &str) -> Result<LimitAmount, String> {
    let expected = "expected by how many it may rise, as +2, or the highest value, as 20";
    parse_limit(words, f64::INFINITY).ok_or_else(|| expected.into())
}

/// Returns the amount: a signed one is a rise.
fn parse_limit(words: &str, most: f64) -> Option<LimitAmount> {
    let amount: f64 = words.parse().ok()?;
    let is_rise = words.starts_with(['+', '-']);
    let is_possible = amount.is_finite() && amount.abs() <= most;
    is_possible.then_some(if is_rise {
        LimitAmount::Rise(amount)
    } else {
        LimitAmount::Highest(amount)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_makes_a_rise_and_no_sign_the_highest_value() {
        for (words, amount) in [
            ("+0.02", Some(LimitAmount::Rise(0.02))),
            ("-0.1", Some(LimitAmount::Rise(-0.1))),
            ("+0", Some(LimitAmount::Rise(0.0))),
            ("0.4", Some(LimitAmount::Highest(0.4))),
            ("0", Some(LimitAmount::Highest(0.0))),
            ("2", None),
            ("+1.5", None),
            ("2 %", None),
            ("nan", None),
            ("", None),
        ] {
            assert_eq!(parse_share_limit(words).ok(), amount, "{words}");
        }
        assert_eq!(parse_count_limit("20"), Ok(LimitAmount::Highest(20.0)));
        assert!(parse_count_limit("inf").is_err());
    }

    #[test]
    fn a_limit_is_met_by_the_amount_itself_and_by_no_missing_value() {
        let limit = |amount| GateLimit { number: Number::Erosion, amount };
        let (rise, highest) = (limit(LimitAmount::Rise(0.02)), limit(LimitAmount::Highest(0.4)));

        assert_eq!(rise.verdict(Some(0.10), Some(0.12)), GateVerdict::Passed);
        assert_eq!(rise.verdict(Some(0.10), Some(0.1201)), GateVerdict::Exceeded);
        assert_eq!(rise.verdict(None, Some(0.0)), GateVerdict::Undecided);
        assert_eq!(highest.verdict(None, Some(0.4)), GateVerdict::Passed);
        assert_eq!(highest.verdict(Some(0.1), None), GateVerdict::Undecided);
        assert_eq!(
            limit(LimitAmount::Rise(-0.1)).verdict(Some(0.5), Some(0.45)),
            GateVerdict::Exceeded
        );
        assert_eq!((rise.text(4), highest.text(4)), ("+0.0200".into(), "0.4000".into()));
        let none = limit(LimitAmount::Rise(0.0));
        assert_eq!(
            (none.text(4), none.difference_text(0.000_01, 4)),
            ("+0.0000".into(), "0.0000".into())
        );
        assert_eq!(none.digits(Some(0.5), Some(0.500_01)), 5);
        assert_eq!(none.digits(Some(0.5), Some(0.5)), 4);
    }
}
