//! What a judging costs, and the bound it must not cross.
//!
//! The bound holds before money is spent: a request is made only if the longest reply to it would still fit. How many
//! tokens a text has is the server's to know; one for every two bytes is more than any of them counts for code.

use std::sync::{Arc, Mutex, PoisonError};

use super::{conversation::Usage, fault::Fault, settings::Cost};

/// Bytes of a text that make one token, at the least.
const BYTES_A_TOKEN: u64 = 2;

/// Money, shared between the threads that judge.
#[derive(Debug)]
pub struct CostBudget {
    cost: Cost,
    held: Mutex<Held>,
    /// What several judges may cost together.
    common: Option<Arc<Common>>,
}

/// Money of several judges, each with prices of its own.
#[derive(Debug)]
pub struct Common {
    /// US dollars.
    most: f64,
    held: Mutex<Held>,
}

impl Common {
    pub fn new(most: f64) -> Self {
        Self { most, held: Mutex::default() }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Held {
    spent: f64,
    /// For requests under way, at their dearest.
    set_aside: f64,
}

/// Set aside for one request until what it cost is known.
#[derive(Debug)]
#[must_use]
pub struct SetAside<'a> {
    cost_budget: &'a CostBudget,
    dearest: f64,
}

/// More tokens than a text has.
pub const fn most_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_A_TOKEN)
}

/// US dollars for so many tokens; None without prices.
pub fn price(cost: Cost, input: u64, output: u64) -> Option<f64> {
    let millions = |tokens: u64| tokens as f64 / 1e6;
    Some(millions(input) * cost.price_input? + millions(output) * cost.price_output?)
}

impl CostBudget {
    pub fn new(cost: Cost) -> Self {
        Self { cost, held: Mutex::default(), common: None }
    }

    /// One that takes no more than what all judges together may cost.
    pub fn within(self, common: Arc<Common>) -> Self {
        Self { common: Some(common), ..self }
    }

    /// Before a request of so many bytes, whose reply has at most so many tokens.
    pub fn set_aside(&self, bytes: usize, most_output: u32) -> Result<SetAside<'_>, Fault> {
        let dearest = price(self.cost, most_tokens(bytes), most_output.into()).unwrap_or_default();
        take(&self.held, self.cost.most, dearest, "the cost bound")?;
        if let Some(common) = &self.common {
            let taken =
                take(&common.held, Some(common.most), dearest, "the cost bound of all judges");
            taken.inspect_err(|_| locked(&self.held).set_aside -= dearest)?;
        }
        Ok(SetAside { cost_budget: self, dearest })
    }

    /// US dollars so far; None without prices.
    pub fn spent(&self) -> Option<f64> {
        price(self.cost, 0, 0)?;
        Some(locked(&self.held).spent)
    }
}

/// Sets so much aside, where it fits into what may be spent.
fn take(held: &Mutex<Held>, most: Option<f64>, dearest: f64, bound: &str) -> Result<(), Fault> {
    let mut held = locked(held);
    if let Some(most) = most
        && held.spent + held.set_aside + dearest > most
    {
        return Err(Fault::Dear(format!(
            "{bound} of {most:.2} USD: {:.4} USD are spent, and the next request could cost {dearest:.4}",
            held.spent
        )));
    }
    held.set_aside += dearest;
    Ok(())
}

fn locked(held: &Mutex<Held>) -> std::sync::MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CostBudget {
    fn all(&self) -> impl Iterator<Item = &Mutex<Held>> {
        [&self.held].into_iter().chain(self.common.iter().map(|common| &common.held))
    }
}

impl SetAside<'_> {
    /// What was used; a server that does not tell is taken to have used everything.
    pub fn pay(self, usage: Usage) {
        let told = usage.input.zip(usage.output);
        let cost = told.and_then(|(input, output)| price(self.cost_budget.cost, input, output));
        for held in self.cost_budget.all() {
            locked(held).spent += cost.unwrap_or(self.dearest);
        }
    }
}

impl Drop for SetAside<'_> {
    fn drop(&mut self) {
        for held in self.cost_budget.all() {
            locked(held).set_aside -= self.dearest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost_budget(most: f64) -> CostBudget {
        CostBudget::new(Cost { price_input: Some(1.0), price_output: Some(10.0), most: Some(most) })
    }

    #[test]
    fn a_request_that_could_cross_the_bound_is_not_made() {
        // 1 MB is half a million tokens: 0.5 USD; 10,000 tokens of reply: 0.1 USD.
        let cost_budget = cost_budget(1.0);
        let first = cost_budget.set_aside(1_000_000, 10_000).unwrap();
        assert!(cost_budget.set_aside(1_000_000, 10_000).is_err(), "both at once could cost 1.2");

        first.pay(Usage { input: Some(100_000), output: Some(1_000) });

        assert!((cost_budget.spent().unwrap() - 0.11).abs() < 1e-9);
        let second = cost_budget.set_aside(1_000_000, 10_000).unwrap();
        second.pay(Usage::default());
        assert!((cost_budget.spent().unwrap() - 0.71).abs() < 1e-9, "nothing told: the dearest");
        assert_eq!(
            cost_budget.set_aside(1_000_000, 10_000).unwrap_err().to_string(),
            "the cost bound of 1.00 USD: 0.7100 USD are spent, and the next request could cost 0.6000"
        );
    }

    #[test]
    fn several_judges_share_one_bound_whatever_each_costs() {
        let common = Arc::new(Common::new(1.0));
        let judge = |most| cost_budget(most).within(common.clone());
        let (cheap, dear) = (judge(5.0), judge(0.1));
        let first = cheap.set_aside(1_000_000, 10_000).unwrap();

        let why = cheap.set_aside(1_000_000, 10_000).unwrap_err().to_string();
        assert!(why.starts_with("the cost bound of all judges of 1.00 USD"), "{why}");
        let why = dear.set_aside(1_000_000, 10_000).unwrap_err().to_string();
        assert!(why.starts_with("the cost bound of 0.10 USD"), "{why}");
        drop(first);
        assert!(cheap.set_aside(1_000_000, 10_000).is_ok());
        assert_eq!(dear.spent(), Some(0.0));
    }

    #[test]
    fn a_request_that_failed_costs_nothing_and_without_prices_nothing_is_known() {
        let cost_budget = cost_budget(1.0);
        drop(cost_budget.set_aside(1_000_000, 10_000).unwrap());
        assert_eq!(cost_budget.spent(), Some(0.0));
        assert!(cost_budget.set_aside(1_000_000, 10_000).is_ok());

        let free = CostBudget::new(Cost::default());
        free.set_aside(usize::MAX, u32::MAX).unwrap().pay(Usage::default());
        assert_eq!(free.spent(), None);
    }
}
