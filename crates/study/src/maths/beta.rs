//! The incomplete beta function, as far as Student's and Fisher's distributions need it.

use std::f64::consts::PI;

/// Terms of the continued fraction at most; it needs about the root of the degrees of freedom.
const MOST_TERMS: u32 = 20_000;

/// Quantiles of F are looked for up to the exponential of this.
const LARGEST_LOG: f64 = 600.0;

/// Halvings after which a logarithm up to [`LARGEST_LOG`] has all digits of a number.
const BISECTIONS: u32 = 64;

/// Computes the probability that Student's t with so many degrees of freedom (more than 0) is at least as far from 0 as
/// `t`, on either side.
pub fn student_two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let square = t * t;
    // Both shares are worked out, so that neither is a difference of near equals.
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square), square / (freedom + square))
}

/// Computes the probability that Student's t with so many degrees of freedom (more than 0) is at most `t`.
pub fn student_cdf(t: f64, freedom: f64) -> f64 {
    let tail = student_two_sided(t, freedom) / 2.0;
    if t < 0.0 { tail } else { 1.0 - tail }
}

/// Computes the value below which the share `p` (between 0 and 1) of Fisher's F lies, with degrees of freedom above 0
/// that need not be whole. The logarithm is found by bisection.
pub fn fisher_quantile(p: f64, numerator: f64, denominator: f64) -> f64 {
    let share_below = |log: f64| {
        let ratio = (numerator / denominator) * log.exp();
        let (below, above) = (1.0 / (1.0 + 1.0 / ratio), 1.0 / (1.0 + ratio));
        incomplete_beta(numerator / 2.0, denominator / 2.0, below, above)
    };
    let (mut low, mut high) = (-LARGEST_LOG, LARGEST_LOG);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if share_below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (0.5 * (low + high)).exp()
}

/// Computes the regularised incomplete beta function at `x`, where `y` is `1 - x`; 0 to 1.
fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * y.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    let value = if x < (a + 1.0) / (a + b + 2.0) {
        front / a / continued_fraction(a, b, x)
    } else {
        1.0 - front / b / continued_fraction(b, a, y)
    };
    value.clamp(0.0, 1.0)
}

/// Computes the denominators `1 + d1/(1 + d2/(1 + ...))` (DLMF 8.17.22), by Lentz' method.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let not_zero = |number: f64| if number == 0.0 { f64::MIN_POSITIVE } else { number };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for term in 1..=MOST_TERMS {
        let m = f64::from(term / 2);
        let coefficient = if term % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        c = not_zero(1.0 + coefficient / c);
        d = 1.0 / not_zero(1.0 + coefficient * d);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

/// Computes the logarithm of the gamma function for `x` above 0: Stirling's series, after stepping up to where it is
/// exact.
fn ln_gamma(x: f64) -> f64 {
    const SERIES: [f64; 6] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let (mut z, mut product) = (x, 1.0);
    while z < 15.0 {
        product *= z;
        z += 1.0;
    }
    let tail = SERIES.iter().rev().fold(0.0, |sum, term| sum / (z * z) + term) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + tail - product.ln()
}
