//! How values are written: a number has one form, and each place one style of it.

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
    /// For people: `0.4453`, `1450`.
    Plain,
    /// The same with thousands apart: `1,450`, `4.43 M`.
    Grouped,
    /// For a narrow column: `0.445`, `2.1k`, `1h05m`.
    Short,
    /// Shares and scores with so many digits: for tables that are read on.
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
            Style::Plain => self.plain(value),
            Style::Grouped => self.grouped(value),
            Style::Short => self.short(value),
            Style::Digits(digits) => self.with_digits(value, digits),
        }
    }

    fn plain(self, value: f64) -> String {
        match self {
            Self::FineShare => format!("{value:.4}"),
            Self::Share | Self::Score | Self::Statistic => format!("{value:.3}"),
            Self::Percent => format!("{:.0} %", value * 100.0),
            Self::Tenths => format!("{value:.1}"),
            Self::Count | Self::Amount => format!("{value:.0}"),
            Self::Dollars => format!("${value:.2}"),
            Self::Seconds => duration(value),
        }
    }

    fn grouped(self, value: f64) -> String {
        match self {
            Self::Count | Self::Amount => grouped(value),
            Self::FineShare
            | Self::Share
            | Self::Percent
            | Self::Score
            | Self::Tenths
            | Self::Dollars
            | Self::Seconds
            | Self::Statistic => self.plain(value),
        }
    }

    fn short(self, value: f64) -> String {
        match self {
            Self::FineShare | Self::Share | Self::Statistic => format!("{value:.3}"),
            Self::Percent => format!("{:.0}%", value * 100.0),
            Self::Score => format!("{value:.2}"),
            Self::Tenths => format!("{value:.1}"),
            // The mean of counts is no count.
            Self::Count => format!("{value:.*}", usize::from(value.fract() != 0.0)),
            Self::Amount => amount(value.round() as u64),
            Self::Dollars => format!("${value:.2}"),
            Self::Seconds => duration(value),
        }
    }

    fn with_digits(self, value: f64, digits: usize) -> String {
        match self {
            Self::FineShare | Self::Share | Self::Percent | Self::Score | Self::Statistic => {
                format!("{value:.digits$}")
            }
            Self::Tenths => format!("{value:.1}"),
            Self::Count | Self::Amount => value.to_string(),
            Self::Dollars => format!("{value:.2}"),
            Self::Seconds => duration(value),
        }
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

/// `812`, `2.1k`, `34M`
pub fn amount(count: u64) -> String {
    const POWERS: &[&str] = &["", "k", "M", "G", "T"];
    let (mut rest, mut power) = (count as f64, 0);
    while rest >= 999.5 && power + 1 < POWERS.len() {
        rest /= 1000.0;
        power += 1;
    }
    let digits = usize::from(power > 0 && rest < 9.95);
    format!("{rest:.digits$}{}", POWERS[power])
}

/// `42s`, `14m08s`, `1h05m`
fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3600, whole % 3600 / 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}
