//! Which runs stand against which: the same task, the same agent, two conditions. The one rule of the commands and of
//! the table of runs.

mod groups;

use std::collections::{BTreeMap, BTreeSet};

use trajview_run::{Card, Run, values::worded};

pub use groups::{Group, PairRow, groups, rows};

/// What a run is paired by. Runs without one of the three are in no pair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Key {
    pub agent: Option<String>,
    pub task: Option<String>,
    pub condition: Option<String>,
}

/// What a run says of itself that it can be paired by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    pub key: Key,
    pub model: Option<String>,
}

impl Identity {
    pub fn of_run(run: &Run) -> Self {
        let (agent, task) = (run.agent_key(), run.task_key());
        let key = Key { agent, task, condition: run.condition.clone() };
        Self { key, model: run.model.clone() }
    }

    /// Of what is known of a run so far.
    pub fn of_card(card: &Card) -> Self {
        let agent = card.identity.agent_key.clone().or_else(|| card.identity.agent.clone());
        let task = card.identity.task_key.clone().or_else(|| card.identity.task.clone());
        let key = Key { agent, task, condition: card.identity.condition.clone() };
        Self { key, model: card.identity.model.clone() }
    }
}

/// What each of the runs is paired by: an agent that was run with several models is several agents, `codex (gpt-5.5)`.
pub fn keys(runs: &[Identity]) -> Vec<Key> {
    let mut models: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Identity { key, model } in runs {
        if let (Some(agent), Some(model)) = (&key.agent, model) {
            models.entry(agent).or_default().insert(model);
        }
    }
    let has_several = |agent: &String| models.get(agent.as_str()).is_some_and(|all| all.len() > 1);
    let key = |Identity { key, model }: &Identity| {
        let agent = key.agent.as_ref().map(|agent| match has_several(agent) {
            true => format!("{agent} ({})", model.as_deref().unwrap_or("model not recorded")),
            false => agent.clone(),
        });
        Key { agent, ..key.clone() }
    };
    runs.iter().map(key).collect()
}

/// The two conditions that are compared: gaps are `a` less `b`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Conditions {
    pub a: String,
    pub b: String,
}

impl Default for Conditions {
    /// SLUMP's: single-shot less emergent, so that a positive gap is a loss.
    fn default() -> Self {
        Self { a: "single-shot".into(), b: "emergent".into() }
    }
}

impl Conditions {
    /// `single-shot,emergent`; None where it is not two different words.
    pub fn parse(words: &str) -> Option<Self> {
        let (a, b) = words.split_once(',')?;
        let (a, b) = (a.trim(), b.trim());
        let is_pair = !a.is_empty() && !b.is_empty() && a != b && !b.contains(',');
        is_pair.then(|| Self { a: a.into(), b: b.into() })
    }
}

/// One task of one agent under both conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub agent: String,
    pub task: String,
    /// Numbers of the runs under each condition, at least one each; repeats are averaged by who compares.
    pub a: Vec<usize>,
    pub b: Vec<usize>,
}

/// What came of pairing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairing {
    /// By agent, then task.
    pub pairs: Vec<Pair>,
    /// Runs in no pair, by number, with why.
    pub alone: Vec<(usize, Alone)>,
}

worded! {
    why;
    /// Why a run is in no pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Alone {
        NoTask = "no task recorded",
        NoAgent = "no agent recorded",
        NoCondition = "no condition recorded",
        /// Its condition is neither of the two.
        OtherCondition = "another condition",
        /// Nothing was run under the other condition.
        NoCounterpart = "no run of the same task and agent under the other condition",
    }
}

/// Pairs runs by agent and task across two conditions; runs are named by their place in the list.
pub fn pairing(runs: &[Key], conditions: &Conditions) -> Pairing {
    let mut cells: BTreeMap<(&str, &str), Cell> = BTreeMap::new();
    let mut alone = vec![];
    for (at, run) in runs.iter().enumerate() {
        match place(run, conditions) {
            Ok((agent, task, side)) => {
                let cell = cells.entry((agent, task)).or_default();
                match side {
                    Side::A => cell.a.push(at),
                    Side::B => cell.b.push(at),
                }
            }
            Err(why) => alone.push((at, why)),
        }
    }
    let mut pairs = vec![];
    for ((agent, task), Cell { a, b }) in cells {
        if a.is_empty() || b.is_empty() {
            alone.extend(a.into_iter().chain(b).map(|at| (at, Alone::NoCounterpart)));
        } else {
            pairs.push(Pair { agent: agent.into(), task: task.into(), a, b });
        }
    }
    alone.sort_by_key(|(at, _)| *at);
    Pairing { pairs, alone }
}

/// The runs of one task and agent under each condition.
#[derive(Default)]
struct Cell {
    a: Vec<usize>,
    b: Vec<usize>,
}

enum Side {
    A,
    B,
}

fn place<'a>(run: &'a Key, conditions: &Conditions) -> Result<(&'a str, &'a str, Side), Alone> {
    let known = |word: &'a Option<String>| word.as_deref().filter(|word| !word.is_empty());
    let task = known(&run.task).ok_or(Alone::NoTask)?;
    let agent = known(&run.agent).ok_or(Alone::NoAgent)?;
    let side = match known(&run.condition).ok_or(Alone::NoCondition)? {
        condition if condition == conditions.a => Side::A,
        condition if condition == conditions.b => Side::B,
        _ => return Err(Alone::OtherCondition),
    };
    Ok((agent, task, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(agent: &str, task: &str, condition: &str) -> Key {
        let known = |word: &str| Some(word.to_owned()).filter(|word| !word.is_empty());
        Key { agent: known(agent), task: known(task), condition: known(condition) }
    }

    #[test]
    fn runs_of_one_task_and_agent_stand_against_each_other_with_their_repeats() {
        let runs = [
            run("codex", "p2", "emergent"),
            run("codex", "p1", "single-shot"),
            run("codex", "p2", "single-shot"),
            run("claude", "p1", "emergent"),
            run("codex", "p2", "emergent"),
        ];

        let pairing = pairing(&runs, &Conditions::default());

        let pair = Pair { agent: "codex".into(), task: "p2".into(), a: vec![2], b: vec![0, 4] };
        assert_eq!(pairing.pairs, [pair]);
        assert_eq!(pairing.alone, [(1, Alone::NoCounterpart), (3, Alone::NoCounterpart)]);
    }

    #[test]
    fn a_run_that_does_not_say_what_it_is_stays_alone() {
        let runs = [
            run("", "p", "emergent"),
            run("a", "", "emergent"),
            run("a", "p", ""),
            run("a", "p", "memory"),
        ];

        let alone = pairing(&runs, &Conditions::default()).alone;

        let expected = [Alone::NoAgent, Alone::NoTask, Alone::NoCondition, Alone::OtherCondition];
        assert_eq!(alone, Vec::from_iter((0..).zip(expected)));
    }

    #[test]
    fn an_agent_with_several_models_is_several_agents() {
        let with = |model: &str| Identity {
            key: run("codex", "p", "emergent"),
            model: Some(model.to_owned()).filter(|model| !model.is_empty()),
        };
        let named = |runs: &[Identity]| -> Vec<String> {
            keys(runs).into_iter().filter_map(|key| key.agent).collect()
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
            ..Default::default()
        };
        let agent = trajview_run::Agent {
            name: "codex".into(),
            version: Some("0.169.0".into()),
            ..Default::default()
        };
        let run = Run { task: Some(task), agent, model: Some("m".into()), ..Run::default() };

        let identity = Identity::of_run(&run);

        assert_eq!(identity, Identity::of_card(&Card::of(&run)));
        let expected =
            Key { agent: Some("codex".into()), task: Some("p12".into()), condition: None };
        assert_eq!(identity.key, expected);
    }

    #[test]
    fn conditions_are_two_different_words() {
        let both = Conditions { a: "memory".into(), b: "emergent".into() };
        assert_eq!(Conditions::parse("memory, emergent"), Some(both));
        assert!(
            ["", "a", "a,", ",b", "a,a", "a,b,c"]
                .iter()
                .all(|words| Conditions::parse(words).is_none())
        );
    }
}
