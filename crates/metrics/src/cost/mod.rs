//! What a run costs at list prices: by step, turn, agent, model, and as a whole.
//!
//! A recording says how many tokens each response of the model took, and some say what it cost. The latter is *recorded*
//! ([`trajview_run::Turn::cost_usd`]). Here cost is *computed*, from tokens and a dated table of prices ([`Prices`]); the two
//! stand side by side and are never mixed. Tokens that have no price keep their reason ([`Why`]); a sum that has some of
//! them has no total, and is at least what the others cost.
//!
//! [`RunCost::of`] prices every response once, as a [`Charge`]; every sum is over these, so that those by step, by turn,
//! by agent and by model come to the same. To add a price, add a row to `assets/prices.json`.

mod charge;
mod charges;
pub mod day;
mod price;
pub mod prices;
mod spelling;
mod sum;
#[cfg(test)]
mod tests;
pub mod why;

pub use charge::{Charge, Priced};
pub use charges::{RunCost, Told};
pub use prices::Prices;
pub use sum::Sum;
pub use why::Why;
