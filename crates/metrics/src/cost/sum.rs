//! What several responses cost together.

use std::collections::BTreeMap;

use trajview_run::{Tokens, figures};

use super::{
    charge::Charge,
    why::{Notes, Why},
};

/// Of several responses: their tokens, and what they cost as far as they have a price.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sum {
    /// How many responses, or sums of several that are recorded as one.
    pub responses: usize,
    pub tokens: Tokens,
    /// US dollars of those that have a price; None where none has.
    pub at_least_usd: Option<f64>,
    /// Tokens without a price, by why.
    pub not_priced: BTreeMap<Why, u64>,
    pub notes: Notes,
}

impl Sum {
    pub fn of<'a>(charges: impl IntoIterator<Item = &'a Charge>) -> Self {
        let mut sum = Self::default();
        charges.into_iter().for_each(|charge| sum.add(charge));
        sum
    }

    pub fn add(&mut self, charge: &Charge) {
        self.responses += 1;
        self.tokens = self.tokens + charge.tokens;
        match &charge.priced {
            Ok(priced) => {
                self.at_least_usd = Some(self.at_least_usd.unwrap_or(0.0) + priced.usd);
                self.notes = self.notes.and(priced.notes);
            }
            Err(why) => {
                let tokens = charge.tokens.total().unwrap_or(0);
                let before = self.not_priced.entry(why.clone()).or_default();
                *before = before.saturating_add(tokens);
            }
        }
    }

    /// Takes in what another sum is of.
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
        self.notes = self.notes.and(other.notes);
    }

    /// US dollars of all of them; None where one has no price, and where there is none.
    pub fn usd(&self) -> Option<f64> {
        self.at_least_usd.filter(|_| self.not_priced.is_empty())
    }

    /// `$0.0042`; `≥ $0.0800` where some tokens have no price, `not priced` where none has; None where there are no tokens.
    pub fn said(&self) -> Option<String> {
        let usd = self.at_least_usd.map(figures::dollars);
        match usd {
            Some(usd) if self.not_priced.is_empty() => Some(usd),
            Some(usd) => Some(format!("≥ {usd}")),
            None => (!self.not_priced.is_empty()).then(|| "not priced".into()),
        }
    }

    /// The models that the table has no price for, then or at all.
    pub fn models_without_price(&self) -> Vec<String> {
        let mut models: Vec<String> = self
            .not_priced
            .keys()
            .filter_map(Why::model_without_price)
            .map(str::to_owned)
            .collect();
        models.dedup();
        models
    }

    /// How many tokens have no price.
    pub fn not_priced_tokens(&self) -> u64 {
        self.not_priced.values().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }
}
