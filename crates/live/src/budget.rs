//! Limits that stop a run before its next request. The usage of a turn is known when it is over.

use trajview_run::live::RunTotal;

use super::setup::RunBudget;

impl RunBudget {
    /// Returns the limits in the words of a person.
    pub(crate) fn limit_texts(self) -> Vec<String> {
        let limits = [
            self.tokens.map(|tokens| format!("{tokens} tokens")),
            self.usd.map(|usd| format!("${usd}")),
            self.minutes.map(|minutes| format!("{minutes} minutes")),
            self.turns.map(|turns| format!("{turns} turns")),
        ];
        limits.into_iter().flatten().collect()
    }

    /// Returns why the next request is not sent; a sentence. None when it may be.
    pub(crate) fn refusal_reason(&self, total: &RunTotal) -> Option<String> {
        let tokens = total.tokens.recorded_sum().unwrap_or(0);
        let minutes = total.seconds / 60.0;
        if let Some(most) = self.turns.filter(|most| total.turns >= *most) {
            return Some(format!("{most} turns are done, which is the limit"));
        }
        if let Some(most) = self.tokens.filter(|most| tokens >= *most) {
            return Some(format!("{tokens} tokens are used; the limit is {most}"));
        }
        if let (Some(most), Some(cost)) = (self.usd, total.cost_usd)
            && cost >= most
        {
            return Some(format!("{cost:.2} USD are spent; the limit is {most:.2}"));
        }
        if let Some(most) = self.minutes.filter(|most| minutes >= *most) {
            return Some(format!("{minutes:.1} minutes are used; the limit is {most:.1}"));
        }
        None
    }

    /// Returns a limit that cannot be enforced, because the agent does not report the usage; a sentence.
    pub(crate) fn unknown_usage(&self, total: &RunTotal) -> Option<&'static str> {
        if total.turns == 0 {
            return None;
        }
        if self.tokens.is_some() && total.tokens.input.or(total.tokens.output).is_none() {
            return Some("the agent does not report its tokens: the token limit has no effect");
        }
        if self.usd.is_some() && total.cost_usd.is_none() {
            return Some("the agent does not report its cost: the limit in USD has no effect");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::Tokens;

    #[test]
    fn a_limit_that_is_reached_is_told() {
        let tokens = Tokens { input: Some(90), output: Some(10), ..Tokens::default() };
        let total = RunTotal { turns: 2, tokens, cost_usd: Some(0.5), seconds: 120.0 };
        let budget = RunBudget { tokens: Some(100), ..RunBudget::default() };
        assert_eq!(
            budget.refusal_reason(&total).as_deref(),
            Some("100 tokens are used; the limit is 100")
        );
        assert_eq!(RunBudget { tokens: Some(101), ..budget }.refusal_reason(&total), None);
        assert!(
            RunBudget { usd: Some(0.5), ..RunBudget::default() }.refusal_reason(&total).is_some()
        );
        assert!(
            RunBudget { minutes: Some(2.0), ..RunBudget::default() }
                .refusal_reason(&total)
                .is_some()
        );
        assert!(
            RunBudget { turns: Some(2), ..RunBudget::default() }.refusal_reason(&total).is_some()
        );
        let silent = RunTotal { tokens: Tokens::default(), cost_usd: None, ..total };
        assert!(budget.unknown_usage(&silent).is_some() && budget.unknown_usage(&total).is_none());
    }
}
