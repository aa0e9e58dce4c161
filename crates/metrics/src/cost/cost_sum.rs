//! The cost of several responses together.

use std::collections::BTreeMap;

use trajview_run::{Tokens, format_number};

use super::{
    charge::Charge,
    price_reasons::{CostNotes, NoPriceReason},
};

/// The tokens of several responses, and their cost as far as they have a price.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostSum {
    /// The number of responses; several that are recorded only as one sum count once.
    pub responses: usize,
    pub tokens: Tokens,
    /// The cost in US dollars of the responses that have a price; None where none has.
    pub at_least_usd: Option<f64>,
    /// The number of tokens without a price, keyed by the reason.
    pub not_priced: BTreeMap<NoPriceReason, u64>,
    pub notes: CostNotes,
}

impl CostSum {
    pub fn from_charges<'a>(charges: impl IntoIterator<Item = &'a Charge>) -> Self {
        let mut sum = Self::default();
        charges.into_iter().for_each(|charge| sum.add_charge(charge));
        sum
    }

    pub(crate) fn add_charge(&mut self, charge: &Charge) {
        self.responses += 1;
        self.tokens = self.tokens + charge.tokens;
        match &charge.priced {
            Ok(priced) => {
                self.at_least_usd = Some(self.at_least_usd.unwrap_or(0.0) + priced.usd);
                self.notes = self.notes.merged_with(priced.notes);
            }
            Err(why) => {
                let tokens = charge.tokens.recorded_sum().unwrap_or(0);
                let before = self.not_priced.entry(why.clone()).or_default();
                *before = before.saturating_add(tokens);
            }
        }
    }

    /// Adds another sum to this one.
    pub fn merge(&mut self, other: &Self) {
        self.responses += other.responses;
        self.tokens = self.tokens + other.tokens;
        self.at_least_usd = match (self.at_least_usd, other.at_least_usd) {
            (Some(usd), Some(more)) => Some(usd + more),
            (usd, more) => usd.or(more),
        };
        for (why, tokens) in &other.not_priced {
            let before = self.not_priced.entry(why.clone()).or_default();
            *before = before.saturating_add(*tokens);
        }
        self.notes = self.notes.merged_with(other.notes);
    }

    /// Returns the cost in US dollars of all responses; None where one has no price, and where there are no responses.
    pub fn usd(&self) -> Option<f64> {
        self.at_least_usd.filter(|_| self.not_priced.is_empty())
    }

    /// Returns the cost as text: `$0.0042`; `≥ $0.0800` where some tokens have no price, `not priced` where none has;
    /// None where there are no tokens.
    pub fn usd_text(&self) -> Option<String> {
        let usd = self.at_least_usd.map(format_number::dollars_text);
        match usd {
            Some(usd) if self.not_priced.is_empty() => Some(usd),
            Some(usd) => Some(format!("≥ {usd}")),
            None => (!self.not_priced.is_empty()).then(|| "not priced".into()),
        }
    }

    /// Returns the models for which the table has no price, at that time or at all.
    pub fn models_without_price(&self) -> Vec<String> {
        let mut models: Vec<String> = self
            .not_priced
            .keys()
            .filter_map(NoPriceReason::model_without_price)
            .map(str::to_owned)
            .collect();
        models.dedup();
        models
    }

    /// Returns the number of tokens without a price.
    pub fn not_priced_tokens(&self) -> u64 {
        self.not_priced.values().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }
}
