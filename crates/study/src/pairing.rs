//! Which runs are compared: the same task, the same agent, two conditions. The commands and the table of runs share
//! this rule.

mod groups;

use std::collections::{BTreeMap, BTreeSet};

use trajview_run::{Run, RunCard, worded_enum::worded};

pub use groups::{AgentGroup, PairNumbers, agent_groups, pair_rows};

/// The key by which a run is paired. A run without agent, task or condition is in no pair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct PairingKey {
    pub agent: Option<String>,
    pub task: Option<String>,
    /// The benchmark that the task is from: the same id in two benchmarks is not the same task.
    pub task_set: Option<String>,
    pub condition: Option<String>,
}

/// The properties of a run that it can be paired by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunIdentity {
    pub key: PairingKey,
    pub model: Option<String>,
}

impl RunIdentity {
    pub fn for_run(run: &Run) -> Self {
        let (agent, task) = (run.agent_key(), run.task_key());
        let task_set = run.task.as_ref().and_then(|task| task.venue.clone());
        let key = PairingKey { agent, task, task_set, condition: run.condition.clone() };
        Self { key, model: run.model.clone() }
    }

    /// Reads the properties from a run's card, as far as they are known.
    pub fn for_card(card: &RunCard) -> Self {
        let agent = card.identity.agent_key.clone().or_else(|| card.identity.agent.clone());
        let task = card.identity.task_key.clone().or_else(|| card.identity.task.clone());
        let task_set = card.totals.task_set.clone();
        let key = PairingKey { agent, task, task_set, condition: card.identity.condition.clone() };
        Self { key, model: card.identity.model.clone() }
    }
}

/// Returns the key of each run. An agent that was run with several models counts as several agents, `codex
/// (gpt-5.5)`.
pub fn pairing_keys(runs: &[RunIdentity]) -> Vec<PairingKey> {
    let mut models: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for RunIdentity { key, model } in runs {
        if let (Some(agent), Some(model)) = (&key.agent, model) {
            models.entry(agent).or_default().insert(model);
        }
    }
    let has_several = |agent: &String| models.get(agent.as_str()).is_some_and(|all| all.len() > 1);
    let key = |RunIdentity { key, model }: &RunIdentity| {
        let agent = key.agent.as_ref().map(|agent| match has_several(agent) {
            true => format!("{agent} ({})", model.as_deref().unwrap_or("model not recorded")),
            false => agent.clone(),
        });
        PairingKey { agent, ..key.clone() }
    };
    runs.iter().map(key).collect()
}

/// The two conditions that are compared: gaps are `a` less `b`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ConditionPair {
    pub a: String,
    pub b: String,
}

impl Default for ConditionPair {
    /// Returns SLUMP's conditions: single-shot less emergent, so that a positive gap is a loss.
    fn default() -> Self {
        Self { a: "single-shot".into(), b: "emergent".into() }
    }
}

impl ConditionPair {
    /// Parses `single-shot,emergent`; None where it is not two different words.
    pub fn parse(words: &str) -> Option<Self> {
        let (a, b) = words.split_once(',')?;
        let (a, b) = (a.trim(), b.trim());
        let is_pair = !a.is_empty() && !b.is_empty() && a != b && !b.contains(',');
        is_pair.then(|| Self { a: a.into(), b: b.into() })
    }
}

/// A task of one agent under both conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPair {
    pub agent: String,
    pub task: String,
    /// Numbers of the runs under each condition, at least one each; repeats are averaged by who compares.
    pub a: Vec<usize>,
    pub b: Vec<usize>,
}

/// The result of pairing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunPairing {
    /// The pairs by agent, then task.
    pub pairs: Vec<RunPair>,
    /// Runs in no pair, by number, with why.
    pub unpaired: Vec<(usize, UnpairedReason)>,
}

worded! {
    why;
    /// The reason why a run is in no pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum UnpairedReason {
        NoTask = "no task recorded",
        NoAgent = "no agent recorded",
        NoCondition = "no condition recorded",
        /// Its condition is neither of the two.
        OtherCondition = "another condition",
        /// No run of the same task and agent has the other condition.
        NoCounterpart = "no run of the same task and agent under the other condition",
    }
}

/// Pairs runs by agent and task across two conditions; runs are named by their place in the list.
pub fn pair_runs(runs: &[PairingKey], conditions: &ConditionPair) -> RunPairing {
    let mut cells: BTreeMap<(&str, &str, Option<&str>), PairCell> = BTreeMap::new();
    let mut alone = vec![];
    for (at, run) in runs.iter().enumerate() {
        match pairing_place(run, conditions) {
            Ok((agent, task, side)) => {
                let cell = cells.entry((agent, task, run.task_set.as_deref())).or_default();
                match side {
                    ConditionSide::A => cell.a.push(at),
                    ConditionSide::B => cell.b.push(at),
                }
            }
            Err(why) => alone.push((at, why)),
        }
    }
    let mut pairs = vec![];
    for ((agent, task, _), PairCell { a, b }) in cells {
        if a.is_empty() || b.is_empty() {
            alone.extend(a.into_iter().chain(b).map(|at| (at, UnpairedReason::NoCounterpart)));
        } else {
            pairs.push(RunPair { agent: agent.into(), task: task.into(), a, b });
        }
    }
    alone.sort_by_key(|(at, _)| *at);
    RunPairing { pairs, unpaired: alone }
}

/// The runs of one task and agent under each condition.
#[derive(Default)]
struct PairCell {
    a: Vec<usize>,
    b: Vec<usize>,
}

enum ConditionSide {
    A,
    B,
}

fn pairing_place<'a>(
    run: &'a PairingKey,
    conditions: &ConditionPair,
) -> Result<(&'a str, &'a str, ConditionSide), UnpairedReason> {
    let known = |word: &'a Option<String>| word.as_deref().filter(|word| !word.is_empty());
    let task = known(&run.task).ok_or(UnpairedReason::NoTask)?;
    let agent = known(&run.agent).ok_or(UnpairedReason::NoAgent)?;
    let side = match known(&run.condition).ok_or(UnpairedReason::NoCondition)? {
        condition if condition == conditions.a => ConditionSide::A,
        condition if condition == conditions.b => ConditionSide::B,
        _ => return Err(UnpairedReason::OtherCondition),
    };
    Ok((agent, task, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing_key(agent: &str, task: &str, condition: &str) -> PairingKey {
        let known = |word: &str| Some(word.to_owned()).filter(|word| !word.is_empty());
        PairingKey {
            agent: known(agent),
            task: known(task),
            task_set: None,
            condition: known(condition),
        }
    }

    #[test]
    fn the_same_id_in_two_benchmarks_is_not_the_same_task() {
        let in_set = |set: &str, condition: &str| PairingKey {
            task_set: Some(set.into()),
            ..pairing_key("inspect", "1", condition)
        };
        let runs = [
            in_set("gsm8k", "single-shot"),
            in_set("ctf", "emergent"),
            in_set("ctf", "single-shot"),
        ];

        let pairing = pair_runs(&runs, &ConditionPair::default());

        let pair = RunPair { agent: "inspect".into(), task: "1".into(), a: vec![2], b: vec![1] };
        assert_eq!(pairing.pairs, [pair]);
        assert_eq!(pairing.unpaired, [(0, UnpairedReason::NoCounterpart)]);
    }

    #[test]
    fn runs_of_one_task_and_agent_stand_against_each_other_with_their_repeats() {
        let runs = [
            pairing_key("codex", "p2", "emergent"),
            pairing_key("codex", "p1", "single-shot"),
            pairing_key("codex", "p2", "single-shot"),
            pairing_key("claude", "p1", "emergent"),
            pairing_key("codex", "p2", "emergent"),
        ];

        let pairing = pair_runs(&runs, &ConditionPair::default());

        let pair = RunPair { agent: "codex".into(), task: "p2".into(), a: vec![2], b: vec![0, 4] };
        assert_eq!(pairing.pairs, [pair]);
        assert_eq!(
            pairing.unpaired,
            [(1, UnpairedReason::NoCounterpart), (3, UnpairedReason::NoCounterpart)]
        );
    }

    #[test]
    fn a_run_that_does_not_say_what_it_is_stays_alone() {
        let runs = [
            pairing_key("", "p", "emergent"),
            pairing_key("a", "", "emergent"),
            pairing_key("a", "p", ""),
            pairing_key("a", "p", "memory"),
        ];

        let alone = pair_runs(&runs, &ConditionPair::default()).unpaired;

        let expected = [
            UnpairedReason::NoAgent,
            UnpairedReason::NoTask,
            UnpairedReason::NoCondition,
            UnpairedReason::OtherCondition,
        ];
        assert_eq!(alone, Vec::from_iter((0..).zip(expected)));
    }

    #[test]
    fn an_agent_with_several_models_is_several_agents() {
        let with = |model: &str| RunIdentity {
            key: pairing_key("codex", "p", "emergent"),
            model: Some(model.to_owned()).filter(|model| !model.is_empty()),
        };
        let named = |runs: &[RunIdentity]| -> Vec<String> {
            pairing_keys(runs).into_iter().filter_map(|key| key.agent).collect()
        };

        assert_eq!(named(&[with("a"), with("a")]), ["codex", "codex"]);
        assert_eq!(
            named(&[with("a"), with("b"), with("")]),
            ["codex (a)", "codex (b)", "codex (model not recorded)"]
        );
    }

    #[test]
    fn a_run_and_its_row_in_the_table_are_paired_by_the_same() {
        let task = trajview_run::Task {
            id: "p12".into(),
            title: Some("Forward".into()),
            venue: Some("papers".into()),
        };
        let agent = trajview_run::Agent {
            name: "codex".into(),
            version: Some("0.169.0".into()),
            ..Default::default()
        };
        let run = Run { task: Some(task), agent, model: Some("m".into()), ..Run::default() };

        let identity = RunIdentity::for_run(&run);

        assert_eq!(identity, RunIdentity::for_card(&RunCard::for_run(&run)));
        let expected = PairingKey {
            agent: Some("codex".into()),
            task: Some("p12".into()),
            task_set: Some("papers".into()),
            condition: None,
        };
        assert_eq!(identity.key, expected);
    }

    #[test]
    fn conditions_are_two_different_words() {
        let both = ConditionPair { a: "memory".into(), b: "emergent".into() };
        assert_eq!(ConditionPair::parse("memory, emergent"), Some(both));
        assert!(
            ["", "a", "a,", ",b", "a,a", "a,b,c"]
                .iter()
                .all(|words| ConditionPair::parse(words).is_none())
        );
    }
}
