//! How often agents and models are asked: a turn is begun no sooner than a rate allows, and nobody is asked for a while after
//! a turn that was refused for being asked too often.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use trajview_run::batch::Combination;

use super::plan::Plan;

/// Agents and models, and when each may be asked again.
#[derive(Debug, Default)]
pub struct Rates {
    lanes: BTreeMap<String, Lane>,
    backoff: Duration,
}

#[derive(Debug, Default)]
struct Lane {
    /// Between two turns.
    apart: Option<Duration>,
    /// No turn is begun before.
    next: Option<Instant>,
    /// Turns refused one after the other.
    refused: u32,
}

/// No pause is longer.
const LONGEST: Duration = Duration::from_secs(30 * 60);

impl Rates {
    pub fn of(plan: &Plan) -> Self {
        let lane = |rate: f64| Lane {
            apart: Duration::try_from_secs_f64(60.0 / rate).ok(),
            ..Lane::default()
        };
        let agents = plan
            .agents
            .iter()
            .filter_map(|(name, row)| Some((agent(name), lane(row.turns_per_minute?))));
        let models = plan.rates.iter().map(|(name, rate)| (model(name), lane(*rate)));
        let backoff = Duration::try_from_secs_f64(plan.failures.backoff).unwrap_or(LONGEST);
        Self { lanes: agents.chain(models).collect(), backoff }
    }

    /// Whether the turns of a run are begun one by one, because there is a rate for them.
    pub fn holds(&self, of: &Combination) -> bool {
        names(of).any(|name| self.lanes.get(&name).is_some_and(|lane| lane.apart.is_some()))
    }

    /// How long no turn may be begun; None where one may be.
    pub fn wait(&self, of: &Combination, now: Instant) -> Option<Duration> {
        let next = names(of).filter_map(|name| self.lanes.get(&name)?.next).max()?;
        next.checked_duration_since(now).filter(|left| !left.is_zero())
    }

    /// A turn is begun.
    pub fn begin(&mut self, of: &Combination, now: Instant) {
        for name in names(of) {
            if let Some(lane) = self.lanes.get_mut(&name)
                && let Some(apart) = lane.apart
            {
                lane.next = Some(now + apart);
            }
        }
    }

    /// A turn was refused for being asked too often. Gives how long its agent and model are left alone.
    pub fn refused(&mut self, of: &Combination, now: Instant) -> Duration {
        let mut longest = Duration::ZERO;
        for name in lane_names(of) {
            let lane = self.lanes.entry(name).or_default();
            let pause = self.backoff.saturating_mul(1 << lane.refused.min(16)).min(LONGEST);
            lane.refused = lane.refused.saturating_add(1);
            lane.next = lane.next.max(Some(now + pause));
            longest = longest.max(pause);
        }
        longest
    }

    /// A turn was done.
    pub fn answered(&mut self, of: &Combination) {
        for name in lane_names(of) {
            if let Some(lane) = self.lanes.get_mut(&name) {
                lane.refused = 0;
            }
        }
    }
}

fn agent(name: &str) -> String {
    format!("agent {name}")
}

fn model(name: &str) -> String {
    format!("model {name}")
}

fn names(of: &Combination) -> impl Iterator<Item = String> + '_ {
    std::iter::once(agent(&of.agent)).chain(of.model.as_deref().map(model))
}

/// Whom a refusal is about: the model, or an agent whose model is not named.
fn lane_names(of: &Combination) -> impl Iterator<Item = String> + '_ {
    let model = of.model.as_deref().map(model);
    std::iter::once(model.unwrap_or_else(|| agent(&of.agent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(agent: &str, model: Option<&str>) -> Combination {
        Combination {
            agent: agent.into(),
            model: model.map(str::to_owned),
            ..Combination::default()
        }
    }

    fn rates(more: &str) -> Rates {
        let plan = format!("[scripts.a]\nfile = \"a\"\n[agents.codex]\n{more}");
        Rates::of(&Plan::of(&plan).unwrap())
    }

    #[test]
    fn turns_are_apart_for_an_agent_and_for_a_model_whatever_agent_asks_it() {
        let mut rates = rates("turns_per_minute = 6\n[rates]\nbig = 2\n");
        let (now, codex) = (Instant::now(), run("codex", Some("big")));
        assert!(rates.holds(&codex) && !rates.holds(&run("claude", None)));
        assert_eq!(rates.wait(&codex, now), None);

        rates.begin(&codex, now);

        assert_eq!(rates.wait(&run("codex", None), now), Some(Duration::from_secs(10)));
        assert_eq!(rates.wait(&run("claude", Some("big")), now), Some(Duration::from_secs(30)));
        assert_eq!(rates.wait(&run("claude", None), now), None);
        assert_eq!(rates.wait(&codex, now + Duration::from_secs(30)), None);
    }

    #[test]
    fn who_is_refused_is_left_alone_twice_as_long_each_time() {
        let mut rates = rates("[failures]\nbackoff = 3\n");
        let (now, codex) = (Instant::now(), run("codex", Some("big")));

        let pauses = [(); 3].map(|()| rates.refused(&codex, now).as_secs());

        assert_eq!(pauses, [3, 6, 12]);
        assert_eq!(rates.wait(&run("other", Some("big")), now), Some(Duration::from_secs(12)));
        assert_eq!(rates.wait(&run("codex", Some("small")), now), None);
        rates.answered(&codex);
        assert_eq!(rates.refused(&codex, now).as_secs(), 3);
    }
}
