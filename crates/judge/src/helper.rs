//! A judge of the settings as the model that helps layers: it gets a text, within a budget of calls and dollars.

use std::{sync::Arc, time::Instant};

use trajview_layers::{HelperAnswer, HelperCost, HelperModel, HelperPrompt};

use super::{
    client::JudgeClient,
    conversation::{Conversation, ConversationEntry},
    cost::{self, CostBudget},
    fault::JudgeFault,
    judge_key::JudgeKey,
    settings::{JudgeConfig, JudgeCost},
    stop_flag::StopFlag,
};

/// A helper model that can be reached.
#[derive(Debug)]
pub struct ModelHelper {
    settings: Arc<JudgeConfig>,
    client: JudgeClient,
    costs: CostBudget,
    stop: StopFlag,
    /// Calls that may still be made; None for any number.
    calls: Option<usize>,
    /// True if the budget refused a request once.
    is_spent: bool,
}

/// The limits of a helper. None is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HelperBudget {
    pub calls: Option<usize>,
    /// US dollars; needs the prices of the settings.
    pub usd: Option<f64>,
}

impl ModelHelper {
    /// Makes a helper, without sending anything. The error is a sentence.
    pub fn new(
        settings: &Arc<JudgeConfig>,
        key: &JudgeKey,
        budget: HelperBudget,
        stop: StopFlag,
    ) -> Result<Self, String> {
        let sentence = |why: String| format!("helper {}: {why}", settings.name);
        if let Some(why) = settings.encryption_problem() {
            return Err(sentence(why));
        }
        let cost = JudgeCost { most: budget.usd.or(settings.cost.most), ..settings.cost };
        if cost.most.is_some() && cost::price_of(cost, 0, 0).is_none() {
            return Err(sentence("a limit in dollars needs price_input and price_output".into()));
        }
        Ok(Self {
            client: JudgeClient::new(settings, key).map_err(sentence)?,
            settings: Arc::clone(settings),
            costs: CostBudget::new(cost),
            stop,
            calls: budget.calls,
            is_spent: false,
        })
    }
}

impl HelperModel for ModelHelper {
    fn is_available(&self) -> bool {
        self.calls != Some(0) && !self.is_spent && !self.stop.is_set()
    }

    fn ask_model(&mut self, prompt: &HelperPrompt) -> Result<HelperAnswer, String> {
        let name = self.settings.name.clone();
        let conversation = Conversation {
            system: prompt.system.clone(),
            entries: vec![ConversationEntry::Sent(prompt.text.clone())],
            wants_text: true,
            ..Conversation::default()
        };
        let began = Instant::now();
        let mut attempts = 1;
        loop {
            if self.calls == Some(0) {
                return Err(format!("helper {name}: all calls of its budget are made"));
            }
            self.calls = self.calls.map(|calls| calls - 1);
            let most_tokens = self.settings.reply.max_tokens;
            match self.client.ask_and_pay(&conversation, &self.costs, most_tokens, &self.stop) {
                Ok(reply) => {
                    let (input_tokens, output_tokens) = (reply.usage.input, reply.usage.output);
                    let price = input_tokens.zip(output_tokens);
                    let spent = HelperCost {
                        calls: attempts as usize,
                        input_tokens,
                        output_tokens,
                        cost_usd: price.and_then(|(i, o)| cost::price_of(self.settings.cost, i, o)),
                        seconds: began.elapsed().as_secs_f64(),
                    };
                    return Ok(HelperAnswer { text: reply.text, spent });
                }
                Err(fault) if fault.may_pass() && attempts <= self.settings.retries => {
                    let pause = fault.pause_before(attempts, self.settings.backoff);
                    if !self.stop.wait_for(pause) {
                        return Err(format!("helper {name}: stopped"));
                    }
                    attempts += 1;
                }
                Err(fault) => {
                    self.is_spent |= matches!(fault, JudgeFault::TooExpensive(_));
                    return Err(format!("helper {name}: {fault}"));
                }
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::settings::JudgeKind;

    use super::*;

    /// Returns a helper that is a shell command.
    fn shell_helper(
        line: &str,
        cost: JudgeCost,
        budget: HelperBudget,
    ) -> Result<ModelHelper, String> {
        let command = ["sh", "-c", line].map(str::to_owned).to_vec();
        let settings = JudgeConfig { command, cost, ..JudgeConfig::new("h", JudgeKind::Command) };
        ModelHelper::new(&Arc::new(settings), &JudgeKey::default(), budget, StopFlag::default())
    }

    fn sample_prompt() -> HelperPrompt {
        HelperPrompt { purpose: "records", system: "Keep records.".into(), text: "Turn 1".into() }
    }

    #[test]
    fn it_is_asked_in_words_alone_until_its_calls_are_made() {
        let budget = HelperBudget { calls: Some(1), usd: None };
        let mut helper = shell_helper("cat", JudgeCost::default(), budget).unwrap();

        let answer = helper.ask_model(&sample_prompt()).unwrap();

        assert!(answer.text.starts_with("Keep records.") && answer.text.ends_with("Turn 1"));
        assert!(!answer.text.contains("verdict"), "{}", answer.text);
        assert_eq!((answer.spent.calls, answer.spent.cost_usd), (1, None));
        assert!(!helper.is_available());
        assert_eq!(
            helper.ask_model(&sample_prompt()).unwrap_err(),
            "helper h: all calls of its budget are made"
        );
    }

    #[test]
    fn what_would_be_too_dear_is_not_asked_and_it_is_available_no_more() {
        let cost =
            JudgeCost { price_input: Some(1_000.0), price_output: Some(1_000.0), most: None };
        let budget = HelperBudget { calls: None, usd: Some(0.01) };
        let mut helper = shell_helper("touch /never", cost, budget).unwrap();

        assert!(helper.is_available());
        assert!(
            helper.ask_model(&sample_prompt()).unwrap_err().contains("the cost bound of 0.01 USD")
        );
        assert!(!helper.is_available());
        let unpriced = self::shell_helper("cat", JudgeCost::default(), budget).unwrap_err();
        assert!(unpriced.contains("needs price_input and price_output"), "{unpriced}");
    }
}
