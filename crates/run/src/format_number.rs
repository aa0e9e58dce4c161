//! Formats numbers for people, everywhere: separators of thousands, decimals by what is counted, sizes, times, money.
//!
//! A place has room for all digits ([`with_thousands`]) or for three of them ([`short_count`]); nothing else differs by place.

/// The sign for a value that was not measured, not recorded or cannot be computed.
pub const MISSING_SIGN: &str = "—";

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Returns every digit: `812`, `40,791`, `4,420,014`.
pub fn with_thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns `1 step` or `2 steps`; the plural gets an `s`.
pub fn count_with_noun(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns the first digits of a large number: `812`, `2.1k`, `34M`.
pub fn short_count(count: u64) -> String {
    let (digits, power) = first_digits(count);
    format!("{digits}{power}")
}

/// Returns a size as `812 B`, `2.1 kB` or `34 MB`.
pub fn byte_size(count: u64) -> String {
    let (digits, power) = first_digits(count);
    format!("{digits} {power}B")
}

fn first_digits(count: u64) -> (String, &'static str) {
    const POWERS: &[&str] = &["", "k", "M", "G", "T"];
    let (mut rest, mut power) = (count as f64, 0);
    while rest >= 999.5 && power + 1 < POWERS.len() {
        rest /= 1000.0;
        power += 1;
    }
    let digits = usize::from(power > 0 && rest < 9.95);
    (format!("{rest:.digits$}"), POWERS[power])
}

/// Returns two units at most: `4s`, `2m 14s`, `1h 05m`, `104d 23h`. Less than nothing is nothing.
pub fn duration_text(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m {:02}s", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => format!("{}h {:02}m", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => format!("{}d {:02}h", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// Formats a duration with tenths of a second where it is short: `0.4s`, `9.9s`, `12s`, `2m 14s`.
pub fn duration_with_tenths(seconds: f64) -> String {
    if (0.0..9.95).contains(&seconds) { format!("{seconds:.1}s") } else { duration_text(seconds) }
}

/// Returns US dollars: `$1.50`, and of less than ten cents four decimals, `$0.0042`.
pub fn dollars_text(amount: f64) -> String {
    let cents = if amount.abs() >= 0.1 || amount == 0.0 { 2 } else { 4 };
    let whole_dollars = with_thousands(amount.abs().trunc() as u64);
    let written = format!("{:.cents$}", amount.abs());
    let (rounded, decimals) = written.split_once('.').unwrap_or((&written, "00"));
    // Rounding can carry: 999.999 is 1,000.00.
    let whole = rounded.parse().map_or(whole_dollars, with_thousands);
    format!("{}${whole}.{decimals}", if amount < 0.0 { "−" } else { "" })
}

/// Returns a share of 1, a mean score, a statistic: three decimals.
pub fn three_decimals(value: f64) -> String {
    with_decimals(value, 3).replace('-', "−")
}

/// Returns a difference with its sign and three decimals; one that rounds to nothing is `+0.000`.
pub fn signed_three_decimals(difference: f64) -> String {
    let words = three_decimals(difference);
    if words.starts_with('−') { words } else { format!("+{words}") }
}

/// Formats a number with so many decimals. A number that is rounded to zero has no sign.
pub fn with_decimals(value: f64, decimals: usize) -> String {
    let words = format!("{value:.decimals$}");
    match words.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => words,
    }
}

/// Formats the interval of a share or a statistic: `[0.632, 0.881]`.
pub fn interval_text(low: f64, high: f64) -> String {
    format!("[{}, {}]", three_decimals(low), three_decimals(high))
}

/// Returns a share of 1 as so many of a hundred: `8 %`.
pub fn whole_percent(share: f64) -> String {
    with_decimals(share * 100.0, 0) + " %"
}

/// Formats a share of 1 as a percentage with one decimal, for parts of a whole: `12.5 %`.
pub fn percent_with_tenth(share: f64) -> String {
    with_decimals(share * 100.0, 1) + " %"
}

/// Formats a number with one decimal and separators of thousands: `38.8`, `1,461.8`.
pub fn one_decimal(value: f64) -> String {
    let written = format!("{:.1}", value.abs());
    let (whole, decimal) = written.split_once('.').unwrap_or((&written, "0"));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), with_thousands);
    let is_zero = whole == "0" && decimal == "0";
    format!("{}{whole}.{decimal}", if value < 0.0 && !is_zero { "−" } else { "" })
}

/// Returns no more decimals than it needs: ticks of an axis. `0.5`, `0.05`, `1`.
pub fn trimmed_decimals(value: f64) -> String {
    let words = with_decimals(value, 3);
    words.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a weight of a user as it was written where that is short, else in four characters.
pub fn weight_text(weight: f64) -> String {
    let words = weight.to_string();
    match words.len() {
        ..5 => words,
        _ if weight < 9.995 => format!("{weight:.2}"),
        _ if weight < 9_999.5 => format!("{weight:.0}"),
        _ => format!("{weight:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let written = [0, 812, 1_000, 40_791, 4_420_014].map(with_thousands);
        assert_eq!(written, ["0", "812", "1,000", "40,791", "4,420,014"]);
        assert_eq!([38.84, 1_461.84, -2_000.0].map(one_decimal), ["38.8", "1,461.8", "−2,000.0"]);
    }

    #[test]
    fn two_digits_at_least_are_kept_of_a_large_number() {
        let written = [999, 1_000, 2_140, 34_000_000, 999_600].map(short_count);
        assert_eq!(written, ["999", "1.0k", "2.1k", "34M", "1.0M"]);
        assert_eq!([999, 2_140].map(byte_size), ["999 B", "2.1 kB"]);
    }

    #[test]
    fn times_have_two_units_at_most() {
        let written = [-1.0, 0.4, 59.6, 134.0, 3_900.0, 9_070_000.0].map(duration_text);
        assert_eq!(written, ["0s", "0s", "1m 00s", "2m 14s", "1h 05m", "104d 23h"]);
        assert_eq!(
            [0.0, 0.42, 9.94, 9.96, 134.0].map(duration_with_tenths),
            ["0.0s", "0.4s", "9.9s", "10s", "2m 14s"]
        );
    }

    #[test]
    fn a_tick_has_no_more_decimals_than_it_needs() {
        assert_eq!([0.5, 0.025, 1.0, 0.0].map(trimmed_decimals), ["0.5", "0.025", "1", "0"]);
        assert_eq!([3.0, 0.25, 1.0 / 3.0, 12_345.0].map(weight_text), ["3", "0.25", "0.33", "1e4"]);
    }

    #[test]
    fn small_sums_keep_their_digits() {
        let written = [0.0, 1.5, 0.0042, 999.999, -0.5].map(dollars_text);
        assert_eq!(written, ["$0.00", "$1.50", "$0.0042", "$1,000.00", "−$0.50"]);
    }
}
