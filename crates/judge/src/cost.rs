//! The cost of a judging, and the bound on it.
//!
//! The bound applies before money is spent: a request is made only if the longest reply to it would still fit. Only the
//! server knows the tokens of a text; one for every two bytes is more than any server counts for code.

use std::sync::{Arc, Mutex, PoisonError};

use super::{conversation::ReplyUsage, fault::JudgeFault, settings::JudgeCost};

/// Bytes of a text that make one token, at the least.
const BYTES_A_TOKEN: u64 = 2;

/// Money, shared between the threads that judge.
#[derive(Debug)]
pub struct CostBudget {
    cost: JudgeCost,
    money: Mutex<MoneySpent>,
    /// The common bound of several judges.
    common: Option<Arc<CommonBudget>>,
}

/// Money of several judges, each with prices of its own.
#[derive(Debug)]
pub struct CommonBudget {
    /// US dollars.
    most: f64,
    money: Mutex<MoneySpent>,
}

impl CommonBudget {
    pub fn new(most: f64) -> Self {
        Self { most, money: Mutex::default() }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct MoneySpent {
    spent: f64,
    /// Money for requests under way, at their highest price.
    set_aside: f64,
}

/// Set aside for one request until what it cost is known.
#[derive(Debug)]
#[must_use]
pub struct SetAside<'a> {
    cost_budget: &'a CostBudget,
    dearest: f64,
}

/// Returns an upper bound on the tokens of a text.
pub const fn most_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_A_TOKEN)
}

/// Returns US dollars for so many tokens; None without prices.
pub fn price_of(cost: JudgeCost, input: u64, output: u64) -> Option<f64> {
    let millions = |tokens: u64| tokens as f64 / 1e6;
    Some(millions(input) * cost.price_input? + millions(output) * cost.price_output?)
}

impl CostBudget {
    pub fn new(cost: JudgeCost) -> Self {
        Self { cost, money: Mutex::default(), common: None }
    }

    /// Returns the budget, with the limit of what all judges together may cost.
    pub fn with_common_budget(self, common: Arc<CommonBudget>) -> Self {
        Self { common: Some(common), ..self }
    }

    /// Sets money aside for a request of so many bytes, whose reply has at most so many tokens.
    pub(crate) fn set_aside(
        &self,
        bytes: usize,
        most_output: u32,
    ) -> Result<SetAside<'_>, JudgeFault> {
        let dearest =
            price_of(self.cost, most_tokens(bytes), most_output.into()).unwrap_or_default();
        set_money_aside(&self.money, self.cost.most, dearest, "the cost bound")?;
        if let Some(common) = &self.common {
            let taken = set_money_aside(
                &common.money,
                Some(common.most),
                dearest,
                "the cost bound of all judges",
            );
            taken.inspect_err(|_| lock_spent(&self.money).set_aside -= dearest)?;
        }
        Ok(SetAside { cost_budget: self, dearest })
    }

    /// Returns US dollars so far; None without prices.
    pub fn spent_usd(&self) -> Option<f64> {
        price_of(self.cost, 0, 0)?;
        Some(lock_spent(&self.money).spent)
    }
}

/// Sets so much aside, where it fits into what may be spent.
fn set_money_aside(
    money: &Mutex<MoneySpent>,
    most: Option<f64>,
    dearest: f64,
    bound: &str,
) -> Result<(), JudgeFault> {
    let mut money = lock_spent(money);
    if let Some(most) = most
        && money.spent + money.set_aside + dearest > most
    {
        return Err(JudgeFault::TooExpensive(format!(
            "{bound} of {most:.2} USD: {:.4} USD are spent, and the next request could cost {dearest:.4}",
            money.spent
        )));
    }
    money.set_aside += dearest;
    Ok(())
}

fn lock_spent(money: &Mutex<MoneySpent>) -> std::sync::MutexGuard<'_, MoneySpent> {
    money.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CostBudget {
    fn budgets(&self) -> impl Iterator<Item = &Mutex<MoneySpent>> {
        [&self.money].into_iter().chain(self.common.iter().map(|common| &common.money))
    }
}

impl SetAside<'_> {
    /// Pays for the used tokens; a server that does not report them counts as having used everything.
    pub(crate) fn pay_for(self, usage: ReplyUsage) {
        let tokens = usage.input.zip(usage.output);
        let cost =
            tokens.and_then(|(input, output)| price_of(self.cost_budget.cost, input, output));
        for money in self.cost_budget.budgets() {
            lock_spent(money).spent += cost.unwrap_or(self.dearest);
        }
    }
}

impl Drop for SetAside<'_> {
    fn drop(&mut self) {
        for money in self.cost_budget.budgets() {
            lock_spent(money).set_aside -= self.dearest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost_budget(most: f64) -> CostBudget {
        CostBudget::new(JudgeCost {
            price_input: Some(1.0),
            price_output: Some(10.0),
            most: Some(most),
        })
    }

    #[test]
    fn a_request_that_could_cross_the_bound_is_not_made() {
        // 1 MB is half a million tokens: 0.5 USD; 10,000 tokens of reply: 0.1 USD.
        let cost_budget = cost_budget(1.0);
        let first = cost_budget.set_aside(1_000_000, 10_000).unwrap();
        assert!(cost_budget.set_aside(1_000_000, 10_000).is_err(), "both at once could cost 1.2");

        first.pay_for(ReplyUsage { input: Some(100_000), output: Some(1_000) });

        assert!((cost_budget.spent_usd().unwrap() - 0.11).abs() < 1e-9);
        let second = cost_budget.set_aside(1_000_000, 10_000).unwrap();
        second.pay_for(ReplyUsage::default());
        assert!(
            (cost_budget.spent_usd().unwrap() - 0.71).abs() < 1e-9,
            "nothing told: the dearest"
        );
        assert_eq!(
            cost_budget.set_aside(1_000_000, 10_000).unwrap_err().to_string(),
            "the cost bound of 1.00 USD: 0.7100 USD are spent, and the next request could cost 0.6000"
        );
    }

    #[test]
    fn several_judges_share_one_bound_whatever_each_costs() {
        let common = Arc::new(CommonBudget::new(1.0));
        let judge = |most| cost_budget(most).with_common_budget(common.clone());
        let (cheap, dear) = (judge(5.0), judge(0.1));
        let first = cheap.set_aside(1_000_000, 10_000).unwrap();

        let why = cheap.set_aside(1_000_000, 10_000).unwrap_err().to_string();
        assert!(why.starts_with("the cost bound of all judges of 1.00 USD"), "{why}");
        let why = dear.set_aside(1_000_000, 10_000).unwrap_err().to_string();
        assert!(why.starts_with("the cost bound of 0.10 USD"), "{why}");
        drop(first);
        assert!(cheap.set_aside(1_000_000, 10_000).is_ok());
        assert_eq!(dear.spent_usd(), Some(0.0));
    }

    #[test]
    fn a_request_that_failed_costs_nothing_and_without_prices_nothing_is_known() {
        let cost_budget = cost_budget(1.0);
        drop(cost_budget.set_aside(1_000_000, 10_000).unwrap());
        assert_eq!(cost_budget.spent_usd(), Some(0.0));
        assert!(cost_budget.set_aside(1_000_000, 10_000).is_ok());

        let free = CostBudget::new(JudgeCost::default());
        free.set_aside(usize::MAX, u32::MAX).unwrap().pay_for(ReplyUsage::default());
        assert_eq!(free.spent_usd(), None);
    }
}
