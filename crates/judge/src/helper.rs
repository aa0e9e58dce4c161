//! A judge of the settings as the model that helps layers: asked with a text, within a budget of calls and dollars.

use std::{sync::Arc, time::Instant};

use trajview_layers::{Answer, Helper, Prompt, Spent};

use super::{
    client::Client,
    conversation::{Conversation, Entry},
    cost::{self, CostBudget},
    fault::Fault,
    secret::Secret,
    settings::{Cost, Settings},
    stop::Stop,
};

/// A helper model that can be reached.
#[derive(Debug)]
pub struct ModelHelper {
    settings: Arc<Settings>,
    client: Client,
    costs: CostBudget,
    stop: Stop,
    /// Calls that may still be made; None for any number.
    calls: Option<usize>,
    /// Whether it was too dear once.
    is_spent: bool,
}

/// How far a helper goes. None is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    pub calls: Option<usize>,
    /// US dollars; needs the prices of the settings.
    pub usd: Option<f64>,
}

impl ModelHelper {
    /// Nothing is sent yet. The error is a sentence.
    pub fn new(
        settings: &Arc<Settings>,
        key: &Secret,
        budget: Budget,
        stop: Stop,
    ) -> Result<Self, String> {
        let said = |why: String| format!("helper {}: {why}", settings.name);
        if let Some(why) = settings.refusal() {
            return Err(said(why));
        }
        let cost = Cost { most: budget.usd.or(settings.cost.most), ..settings.cost };
        if cost.most.is_some() && cost::price(cost, 0, 0).is_none() {
            return Err(said("a limit in dollars needs price_input and price_output".into()));
        }
        Ok(Self {
            client: Client::new(settings, key).map_err(said)?,
            settings: Arc::clone(settings),
            costs: CostBudget::new(cost),
            stop,
            calls: budget.calls,
            is_spent: false,
        })
    }

    /// One attempt, paid for whether or not it went well where the server may have worked for it.
    fn attempt(&self, conversation: &Conversation) -> Result<Answer, Fault> {
        let set_aside =
            self.costs.set_aside(conversation.bytes(), self.settings.reply.max_tokens)?;
        match self.client.ask(conversation, &self.stop) {
            Ok(reply) => {
                set_aside.pay(reply.usage);
                let (input, output) = (reply.usage.input, reply.usage.output);
                let price = input.zip(output);
                let spent = Spent {
                    calls: 1,
                    input_tokens: input,
                    output_tokens: output,
                    cost_usd: price.and_then(|(i, o)| cost::price(self.settings.cost, i, o)),
                    seconds: 0.0,
                };
                Ok(Answer { text: reply.text, spent })
            }
            Err(fault) => {
                if matches!(fault, Fault::Cut(_) | Fault::Late(_) | Fault::Garbage(_)) {
                    set_aside.pay(Default::default());
                }
                Err(fault)
            }
        }
    }
}

impl Helper for ModelHelper {
    fn is_available(&self) -> bool {
        self.calls != Some(0) && !self.is_spent && !self.stop.is_set()
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, String> {
        let name = self.settings.name.clone();
        let conversation = Conversation {
            system: prompt.system.clone(),
            entries: vec![Entry::Said(prompt.text.clone())],
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
            match self.attempt(&conversation) {
                Ok(mut answer) => {
                    answer.spent.calls = attempts as usize;
                    answer.spent.seconds = began.elapsed().as_secs_f64();
                    return Ok(answer);
                }
                Err(fault) if fault.may_pass() && attempts <= self.settings.retries => {
                    let pause = fault.pause(attempts, self.settings.backoff);
                    if !self.stop.wait(pause) {
                        return Err(format!("helper {name}: stopped"));
                    }
                    attempts += 1;
                }
                Err(fault) => {
                    self.is_spent |= matches!(fault, Fault::Dear(_));
                    return Err(format!("helper {name}: {fault}"));
                }
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::settings::Kind;

    use super::*;

    /// A helper that is a shell command.
    fn helper(line: &str, cost: Cost, budget: Budget) -> Result<ModelHelper, String> {
        let command = ["sh", "-c", line].map(str::to_owned).to_vec();
        let settings = Settings { command, cost, ..Settings::new("h", Kind::Command) };
        ModelHelper::new(&Arc::new(settings), &Secret::default(), budget, Stop::default())
    }

    fn prompt() -> Prompt {
        Prompt { purpose: "records", system: "Keep records.".into(), text: "Turn 1".into() }
    }

    #[test]
    fn it_is_asked_in_words_alone_until_its_calls_are_made() {
        let budget = Budget { calls: Some(1), usd: None };
        let mut helper = helper("cat", Cost::default(), budget).unwrap();

        let answer = helper.ask(&prompt()).unwrap();

        assert!(answer.text.starts_with("Keep records.") && answer.text.ends_with("Turn 1"));
        assert!(!answer.text.contains("verdict"), "{}", answer.text);
        assert_eq!((answer.spent.calls, answer.spent.cost_usd), (1, None));
        assert!(!helper.is_available());
        assert_eq!(
            helper.ask(&prompt()).unwrap_err(),
            "helper h: all calls of its budget are made"
        );
    }

    #[test]
    fn what_would_be_too_dear_is_not_asked_and_it_is_available_no_more() {
        let cost = Cost { price_input: Some(1_000.0), price_output: Some(1_000.0), most: None };
        let budget = Budget { calls: None, usd: Some(0.01) };
        let mut helper = helper("touch /never", cost, budget).unwrap();

        assert!(helper.is_available());
        assert!(helper.ask(&prompt()).unwrap_err().contains("the cost bound of 0.01 USD"));
        assert!(!helper.is_available());
        let unpriced = self::helper("cat", Cost::default(), budget).unwrap_err();
        assert!(unpriced.contains("needs price_input and price_output"), "{unpriced}");
    }
}
