//! How values are written: a number has one form, and each place one style of it.

use trajview_run::figures;

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// 0 to 1, of which small differences count.
    FineShare,
    /// 0 to 1.
    Share,
    /// 0 to 1, as so many of a hundred.
    Percent,
    /// A judge's: 0 to 4.
    Score,
    /// With one digit after the point.
    Tenths,
    /// Whole.
    Count,
    /// Whole and large: thousands and millions in short.
    Amount,
    /// US dollars.
    Dollars,
    Seconds,
    /// Anything from a test or an estimate.
    Statistic,
}

/// How much room there is, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// For people: `0.445`, `4,420,014`.
    Full,
    /// The same for a narrow column: `4.4M`.
    Short,
    /// Shares and scores with so many digits, nothing apart: for tables that are read on.
    Digits(usize),
}

impl Form {
    /// Whether values lie between 0 and 1.
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

    pub fn written(self, value: f64, style: Style) -> String {
        match style {
            Style::Full => self.full(value),
            Style::Short => self.short(value),
            Style::Digits(digits) => self.with_digits(value, digits),
        }
    }

    fn full(self, value: f64) -> String {
        match self {
            Self::FineShare | Self::Share | Self::Score | Self::Statistic => figures::share(value),
            Self::Percent => figures::percent(value),
            Self::Tenths => figures::tenths(value),
            // The mean of counts is no count.
            Self::Count if value.fract() != 0.0 => figures::tenths(value),
            Self::Count | Self::Amount => figures::count(value.round() as u64),
            Self::Dollars => figures::dollars(value),
            Self::Seconds => figures::duration(value),
        }
    }

    fn short(self, value: f64) -> String {
        match self {
            Self::Amount => figures::short(value.round() as u64),
            Self::FineShare
            | Self::Share
            | Self::Percent
            | Self::Score
            | Self::Tenths
            | Self::Count
            | Self::Dollars
            | Self::Seconds
            | Self::Statistic => self.full(value),
        }
    }

    fn with_digits(self, value: f64, digits: usize) -> String {
        match self {
            Self::FineShare | Self::Share | Self::Percent | Self::Score | Self::Statistic => {
                figures::with_decimals(value, digits)
            }
            Self::Tenths => figures::with_decimals(value, 1),
            Self::Count | Self::Amount => (value + 0.0).to_string(),
            Self::Dollars => figures::with_decimals(value, 2),
            Self::Seconds => figures::duration(value),
        }
    }
}
