//! Rate limits of agents and models: a turn begins no sooner than its rate allows, and not for a while after a turn that
//! was refused by a rate limit.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use trajview_run::batch::PlanCombination;

use super::batch_plan::BatchPlan;

/// Rate limits by agent and model.
#[derive(Debug, Default)]
pub struct AskingRates {
    lanes: BTreeMap<String, RateLane>,
    backoff: Duration,
}

#[derive(Debug, Default)]
struct RateLane {
    /// The time between two turns.
    apart: Option<Duration>,
    /// The moment before which no turn begins.
    next: Option<Instant>,
    /// Turns refused in a row.
    refused: u32,
}

/// The longest pause after refused turns.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 60);

impl AskingRates {
    pub fn for_plan(plan: &BatchPlan) -> Self {
        let lane = |rate: f64| RateLane {
            apart: Duration::try_from_secs_f64(60.0 / rate).ok(),
            ..RateLane::default()
        };
        let agents = plan
            .agents
            .iter()
            .filter_map(|(name, row)| Some((agent_key(name), lane(row.turns_per_minute?))));
        let models = plan.rates.iter().map(|(name, rate)| (model_key(name), lane(*rate)));
        let backoff = Duration::try_from_secs_f64(plan.failures.backoff).unwrap_or(LONGEST_PAUSE);
        Self { lanes: agents.chain(models).collect(), backoff }
    }

    /// Returns whether the turns of a run are begun one by one, because its agent or model has a rate.
    pub(crate) fn is_limited(&self, of: &PlanCombination) -> bool {
        rate_keys(of).any(|name| self.lanes.get(&name).is_some_and(|lane| lane.apart.is_some()))
    }

    /// Returns how long the next turn has to wait; None when it may begin.
    pub(crate) fn time_to_wait(&self, of: &PlanCombination, now: Instant) -> Option<Duration> {
        let next = rate_keys(of).filter_map(|name| self.lanes.get(&name)?.next).max()?;
        next.checked_duration_since(now).filter(|left| !left.is_zero())
    }

    /// Records that a turn begins.
    pub(crate) fn record_turn_begun(&mut self, of: &PlanCombination, now: Instant) {
        for name in rate_keys(of) {
            if let Some(lane) = self.lanes.get_mut(&name)
                && let Some(apart) = lane.apart
            {
                lane.next = Some(now + apart);
            }
        }
    }

    /// Records that a turn was refused by a rate limit. Returns the pause for its agent and model.
    pub(crate) fn record_refusal(&mut self, of: &PlanCombination, now: Instant) -> Duration {
        let mut longest = Duration::ZERO;
        for name in refusal_keys(of) {
            let lane = self.lanes.entry(name).or_default();
            let pause = self.backoff.saturating_mul(1 << lane.refused.min(16)).min(LONGEST_PAUSE);
            lane.refused = lane.refused.saturating_add(1);
            lane.next = lane.next.max(Some(now + pause));
            longest = longest.max(pause);
        }
        longest
    }

    /// Records that a turn was done, which resets the pause.
    pub(crate) fn reset_refusals(&mut self, of: &PlanCombination) {
        for name in refusal_keys(of) {
            if let Some(lane) = self.lanes.get_mut(&name) {
                lane.refused = 0;
            }
        }
    }
}

fn agent_key(name: &str) -> String {
    format!("agent {name}")
}

fn model_key(name: &str) -> String {
    format!("model {name}")
}

fn rate_keys(of: &PlanCombination) -> impl Iterator<Item = String> + '_ {
    std::iter::once(agent_key(&of.agent)).chain(of.model.as_deref().map(model_key))
}

/// Returns the key that a refusal counts for: the model, or the agent when no model is named.
fn refusal_keys(of: &PlanCombination) -> impl Iterator<Item = String> + '_ {
    let model = of.model.as_deref().map(model_key);
    std::iter::once(model.unwrap_or_else(|| agent_key(&of.agent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combination(agent: &str, model: Option<&str>) -> PlanCombination {
        PlanCombination {
            agent: agent.into(),
            model: model.map(str::to_owned),
            ..PlanCombination::default()
        }
    }

    fn rates_of_plan(more: &str) -> AskingRates {
        let plan = format!("[scripts.a]\nfile = \"a\"\n[agents.codex]\n{more}");
        AskingRates::for_plan(&BatchPlan::parse(&plan).unwrap())
    }

    #[test]
    fn turns_are_apart_for_an_agent_and_for_a_model_whatever_agent_asks_it() {
        let mut rates = rates_of_plan("turns_per_minute = 6\n[rates]\nbig = 2\n");
        let (now, codex) = (Instant::now(), combination("codex", Some("big")));
        assert!(rates.is_limited(&codex) && !rates.is_limited(&combination("claude", None)));
        assert_eq!(rates.time_to_wait(&codex, now), None);

        rates.record_turn_begun(&codex, now);

        assert_eq!(
            rates.time_to_wait(&combination("codex", None), now),
            Some(Duration::from_secs(10))
        );
        assert_eq!(
            rates.time_to_wait(&combination("claude", Some("big")), now),
            Some(Duration::from_secs(30))
        );
        assert_eq!(rates.time_to_wait(&combination("claude", None), now), None);
        assert_eq!(rates.time_to_wait(&codex, now + Duration::from_secs(30)), None);
    }

    #[test]
    fn who_is_refused_is_left_alone_twice_as_long_each_time() {
        let mut rates = rates_of_plan("[failures]\nbackoff = 3\n");
        let (now, codex) = (Instant::now(), combination("codex", Some("big")));

        let pauses = [(); 3].map(|()| rates.record_refusal(&codex, now).as_secs());

        assert_eq!(pauses, [3, 6, 12]);
        assert_eq!(
            rates.time_to_wait(&combination("other", Some("big")), now),
            Some(Duration::from_secs(12))
        );
        assert_eq!(rates.time_to_wait(&combination("codex", Some("small")), now), None);
        rates.reset_refusals(&codex);
        assert_eq!(rates.record_refusal(&codex, now).as_secs(), 3);
    }
}
