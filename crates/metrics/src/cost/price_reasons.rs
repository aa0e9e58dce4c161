//! The reasons why tokens have no price, and the assumptions behind a price.

use super::day::Day;

/// The reason why tokens are not priced. Such tokens are kept apart and never count as 0 dollars.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoPriceReason {
    /// The recording names no model.
    NoModel,
    /// The recording names several models, but not which of them used these tokens.
    WhichModel,
    NoPrice {
        model: Box<str>,
    },
    NoPriceThen {
        model: Box<str>,
        day: Day,
    },
    /// The price has changed, and the recording does not state the time.
    NoTime {
        model: Box<str>,
    },
    /// The row has no price of this kind of token.
    NoRate {
        model: Box<str>,
        kind: &'static str,
    },
    /// A request of more input tokens than these has another price, which is not known.
    NoPriceAbove {
        model: Box<str>,
        above: u64,
    },
    /// A sum over several requests: how many tokens each of them read is not recorded, and the price depends on it.
    OfSeveralRequests {
        model: Box<str>,
        above: u64,
    },
    NoInput,
    NoOutput,
}

impl NoPriceReason {
    /// Returns the model whose price is missing, where a row in the table would give it one.
    pub(crate) fn model_without_price(&self) -> Option<&str> {
        match self {
            Self::NoPrice { model }
            | Self::NoPriceThen { model, .. }
            | Self::NoRate { model, .. }
            | Self::NoPriceAbove { model, .. } => Some(model),
            Self::NoModel
            | Self::WhichModel
            | Self::NoTime { .. }
            | Self::OfSeveralRequests { .. }
            | Self::NoInput
            | Self::NoOutput => None,
        }
    }

    /// Returns a sentence in lower case, without a full stop.
    pub fn reason_sentence(&self) -> String {
        match self {
            Self::NoModel => "the recording names no model".into(),
            Self::WhichModel => {
                "the recording names several models and not which of them used these tokens".into()
            }
            Self::NoPrice { model } => format!("no price for {model}"),
            Self::NoPriceThen { model, day } => format!("no price for {model} on {day}"),
            Self::NoTime { model } => {
                format!("the price of {model} has changed, and the time is not recorded")
            }
            Self::NoRate { model, kind } => format!("no price for {kind} of {model}"),
            Self::NoPriceAbove { model, above } => {
                format!("no price for requests of {model} that read more than {above} tokens")
            }
            Self::OfSeveralRequests { model, above } => format!(
                "requests of {model} that read more than {above} tokens have another price, and only the sum of several \
                 requests is recorded"
            ),
            Self::NoInput => "how many tokens were read is not recorded".into(),
            Self::NoOutput => "how many tokens were written is not recorded".into(),
        }
    }
}

/// Assumptions for values that the recording lacks; each makes the computed cost less exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostNotes {
    /// The cached part of the input is not recorded: all input is priced as not cached.
    pub no_cached_input: bool,
    /// The tokens written to the cache are not recorded: they are priced as plain input.
    pub no_cache_write: bool,
    /// The lifetime of the cache is not recorded: the vendor's default lifetime is assumed.
    pub no_cache_time: bool,
}

impl CostNotes {
    /// Returns the assumptions of both.
    pub(crate) fn merged_with(self, other: Self) -> Self {
        Self {
            no_cached_input: self.no_cached_input || other.no_cached_input,
            no_cache_write: self.no_cache_write || other.no_cache_write,
            no_cache_time: self.no_cache_time || other.no_cache_time,
        }
    }

    /// Returns sentences in lower case, without a full stop.
    pub fn note_sentences(self) -> Vec<&'static str> {
        let all = [
            (
                self.no_cached_input,
                "how much of the input was cached is not recorded: all of it is priced as not cached, which is too much",
            ),
            (
                self.no_cache_write,
                "what was written to the cache is not recorded: it is priced as plain input, which is too little",
            ),
            (
                self.no_cache_time,
                "for how long the cache is kept is not recorded: priced as if for the vendor's usual time, which may be too little",
            ),
        ];
        all.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect()
    }
}
