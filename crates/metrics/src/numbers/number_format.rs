//! Formats values: a number has one form, and each place that shows it one style.

use trajview_run::format_number;

/// The form of a number's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberForm {
    /// 0 to 1, of which small differences count.
    FineShare,
    /// 0 to 1.
    Share,
    /// 0 to 1, written as a percentage.
    Percent,
    /// A judge's score: 0 to 4.
    Score,
    /// A number with one digit after the point.
    Tenths,
    /// A whole number.
    Count,
    /// A large whole number; thousands and millions are abbreviated.
    Amount,
    /// US dollars.
    Dollars,
    Seconds,
    /// Anything from a test or an estimate.
    Statistic,
}

/// The style of a place: its room and its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberStyle {
    /// For people: `0.445`, `4,420,014`.
    Full,
    /// The same for a narrow column: `4.4M`.
    Short,
    /// Shares and scores with this many digits, without separators: for tables that programs read.
    Digits(usize),
}

impl NumberForm {
    /// Returns whether values are between 0 and 1.
    pub const fn is_share(self) -> bool {
        match self {
            Self::FineShare | Self::Share | Self::Percent => true,
            Self::Score
            | Self::Tenths
            | Self::Count
            | Self::Amount
            | Self::Dollars
            | Self::Seconds
            | Self::Statistic => false,
        }
    }

    /// Returns a value as text, in a style.
    pub fn format_value(self, value: f64, style: NumberStyle) -> String {
        match style {
            NumberStyle::Full => self.full_text(value),
            NumberStyle::Short => self.short_text(value),
            NumberStyle::Digits(digits) => self.with_digits(value, digits),
        }
    }

    fn full_text(self, value: f64) -> String {
        match self {
            Self::FineShare | Self::Share | Self::Score | Self::Statistic => {
                format_number::three_decimals(value)
            }
            Self::Percent => format_number::whole_percent(value),
            Self::Tenths => format_number::one_decimal(value),
            // The mean of counts is no count.
            Self::Count if value.fract() != 0.0 => format_number::one_decimal(value),
            Self::Count | Self::Amount => format_number::with_thousands(value.round() as u64),
            Self::Dollars => format_number::dollars_text(value),
            Self::Seconds => format_number::duration_text(value),
        }
    }

    /// Returns an amount in short form, such as `4.4M`; any other value as [`Self::full_text`] does.
    fn short_text(self, value: f64) -> String {
        match self {
            Self::Amount => format_number::short_count(value.round() as u64),
            Self::FineShare
            | Self::Share
            | Self::Percent
            | Self::Score
            | Self::Tenths
            | Self::Count
            | Self::Dollars
            | Self::Seconds
            | Self::Statistic => self.full_text(value),
        }
    }

    fn with_digits(self, value: f64, digits: usize) -> String {
        match self {
            Self::FineShare | Self::Share | Self::Percent | Self::Score | Self::Statistic => {
                format_number::with_decimals(value, digits)
            }
            Self::Tenths => format_number::with_decimals(value, 1),
            Self::Count | Self::Amount => (value + 0.0).to_string(),
            Self::Dollars => format_number::with_decimals(value, 2),
            Self::Seconds => format_number::duration_text(value),
        }
    }
}
