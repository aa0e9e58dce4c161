//! Computes the cost of a run at list prices: by step, turn, agent and model, and in total.
//!
//! A recording says how many tokens each response of the model took, and some say what it cost. The latter is
//! *recorded* ([`trajview_run::Turn::cost_usd`]). Here cost is *computed*, from tokens and a dated table of prices
//! ([`Prices`]); the two are shown side by side and are never mixed. Tokens that have no price keep the reason
//! ([`NoPriceReason`]); a sum that includes such tokens has no total, only a lower bound.
//!
//! [`RunCost::new`] prices every response once, as a [`Charge`]; all sums are over these charges, so that the sums by
//! step, by turn, by agent and by model agree. To add a price, add a row to `assets/prices.json`.

mod charge;
mod cost_sum;
pub mod day;
mod model_names;
pub mod price_reasons;
pub mod price_table;
mod run_cost;
#[cfg(test)]
mod tests;
mod token_price;

pub use charge::{Charge, ResponsePrice};
pub use cost_sum::CostSum;
pub use price_reasons::NoPriceReason;
pub use price_table::Prices;
pub use run_cost::{RunCost, SeenResponses};
