//! Computes the price of a response: its tokens at the rates of a row.

use trajview_run::Tokens;

use super::{
    price_reasons::{CostNotes, NoPriceReason},
    price_table::{PriceRow, TokenRates},
};

/// Tokens a rate is for.
const MILLION: f64 = 1_000_000.0;

/// Returns the price of these tokens in US dollars, and the assumptions behind it. Each token counts once: cached
/// input and what was written to the cache are parts of the input, reasoning is a part of the output.
///
/// # Errors
///
/// Returns the reason where the tokens cannot be priced. `is_one_request` is false for a sum over several requests.
pub(crate) fn price_tokens(
    row: &PriceRow,
    tokens: Tokens,
    is_one_request: bool,
) -> Result<(f64, CostNotes), NoPriceReason> {
    let input = tokens.input.ok_or(NoPriceReason::NoInput)?;
    let output = tokens.output.ok_or(NoPriceReason::NoOutput)?;
    let rates = rates_for_request(row, input, is_one_request)?;
    let no_rate = |kind| NoPriceReason::NoRate { model: row.model.as_str().into(), kind };
    let cached = tokens.cached_input.unwrap_or(0).min(input);
    let written = tokens.cache_write.unwrap_or(0).min(input - cached);
    let for_an_hour = tokens.cache_write_1h.unwrap_or(0).min(written);
    let parts = [
        (input - cached - written, Some(rates.input), "input"),
        (cached, rates.cached_input, "cached input"),
        (written - for_an_hour, rates.cache_write, "cache writes"),
        (for_an_hour, rates.cache_write_1h, "cache writes of one hour"),
        (output, Some(rates.output), "output"),
    ];
    let mut usd = 0.0;
    for (count, rate, kind) in parts.into_iter().filter(|(count, ..)| *count > 0) {
        usd += count as f64 * rate.ok_or_else(|| no_rate(kind))? / MILLION;
    }
    let notes = CostNotes {
        no_cached_input: tokens.cached_input.is_none() && rates.cached_input.is_some() && input > 0,
        no_cache_write: tokens.cache_write.is_none() && rates.cache_write.is_some() && input > 0,
        no_cache_time: written > 0
            && tokens.cache_write_1h.is_none()
            && rates.cache_write_1h.is_some(),
    };
    Ok((usd, notes))
}

/// Returns the rates for a request with `input` input tokens.
fn rates_for_request(
    row: &PriceRow,
    input: u64,
    is_one_request: bool,
) -> Result<TokenRates, NoPriceReason> {
    let Some(above) = row.above.filter(|above| input > above.input_tokens) else {
        return Ok(row.usd_per_million);
    };
    let (model, limit) = (row.model.as_str().into(), above.input_tokens);
    if !is_one_request {
        return Err(NoPriceReason::OfSeveralRequests { model, above: limit });
    }
    above.usd_per_million.ok_or(NoPriceReason::NoPriceAbove { model, above: limit })
}
