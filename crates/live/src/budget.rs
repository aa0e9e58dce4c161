//! Limits that stop a run before its next request. What a turn under way uses is known when it is over.

use super::{event::Total, setup::Budget};

impl Budget {
    /// Why the next request is not sent; a sentence. None where it may be.
    pub fn refuses(&self, total: &Total) -> Option<String> {
        let tokens =
            total.tokens.input.unwrap_or(0).saturating_add(total.tokens.output.unwrap_or(0));
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

    /// A limit that cannot hold, because the agent does not say what it would need; a sentence.
    pub fn blind(&self, total: &Total) -> Option<&'static str> {
        if total.turns == 0 {
            return None;
        }
        if self.tokens.is_some() && total.tokens.input.or(total.tokens.output).is_none() {
            return Some(
                "the agent does not say how many tokens it uses: the limit of tokens cannot hold",
            );
        }
        if self.usd.is_some() && total.cost_usd.is_none() {
            return Some("the agent does not say what it costs: the limit in USD cannot hold");
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
        let total = Total { turns: 2, tokens, cost_usd: Some(0.5), seconds: 120.0 };
        let budget = Budget { tokens: Some(100), ..Budget::default() };
        assert_eq!(
            budget.refuses(&total).as_deref(),
            Some("100 tokens are used; the limit is 100")
        );
        assert_eq!(Budget { tokens: Some(101), ..budget }.refuses(&total), None);
        assert!(Budget { usd: Some(0.5), ..Budget::default() }.refuses(&total).is_some());
        assert!(Budget { minutes: Some(2.0), ..Budget::default() }.refuses(&total).is_some());
        assert!(Budget { turns: Some(2), ..Budget::default() }.refuses(&total).is_some());
        let silent = Total { tokens: Tokens::default(), cost_usd: None, ..total };
        assert!(budget.blind(&silent).is_some() && budget.blind(&total).is_none());
    }
}
