//! The plan of a batch: a TOML file that names scripts, agents, models, conditions, layers and repeats, and how far all of it
//! goes. It is read strictly: an unknown name is a mistake, because a run that was made under a wrong plan is lost work.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::super::{
    prepare::{self, Unusable, absolute},
    script::Condition,
    setup::Permissions,
};

/// The file, as it is written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The folder of the runs, from the plan's folder; `NAME.runs` beside `NAME.toml` if left out.
    out: Option<PathBuf>,
    /// How many runs are made at once, unless the command says.
    pub jobs: Option<usize>,
    /// How often each combination is run.
    #[serde(default = "once")]
    pub repeats: u32,
    /// Both, if left out.
    #[serde(default = "both")]
    pub conditions: Vec<Condition>,
    /// Of agents that name none of their own; empty: what each agent would choose itself.
    #[serde(default)]
    pub models: Vec<String>,
    /// Stacks of layers; one without any, if left out.
    #[serde(default = "no_layers")]
    pub layers: Vec<Vec<String>>,
    /// Options of `trajview live` for every run, as they are.
    #[serde(default)]
    pub options: Vec<String>,
    pub scripts: BTreeMap<String, ScriptRow>,
    pub agents: BTreeMap<String, AgentRow>,
    /// How often a model is asked, whatever agent asks it.
    #[serde(default)]
    pub rates: BTreeMap<String, f64>,
    /// Combinations that are not run.
    #[serde(default)]
    pub exclude: Vec<Exclusion>,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub failures: Failures,
    #[serde(default)]
    pub after: After,
}

/// A script, and what goes with it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptRow {
    pub file: PathBuf,
    /// The one request of single-shot runs.
    pub specification: Option<PathBuf>,
    pub components: Option<PathBuf>,
    /// Options of `trajview live` for the runs of this script, as they are.
    #[serde(default)]
    pub options: Vec<String>,
}

/// An agent, and how it is driven.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentRow {
    /// The name of its driver; that of the table if left out.
    pub driver: Option<String>,
    pub models: Option<Vec<String>>,
    pub program: Option<PathBuf>,
    pub base_url: Option<String>,
    pub key_env: Option<String>,
    pub pass: Vec<String>,
    pub permissions: Option<Permissions>,
    /// Options of `trajview live` for the runs of this agent, as they are.
    pub options: Vec<String>,
    /// Handed to the agent as they are.
    pub args: Vec<String>,
    /// How many turns are begun each minute, all runs of this agent together.
    pub turns_per_minute: Option<f64>,
}

/// What is not run: all combinations for which everything that is named here holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exclusion {
    pub script: Option<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    pub condition: Option<Condition>,
    pub layers: Option<Vec<String>>,
    pub repeat: Option<u32>,
}

/// How far all runs together go, and each of them.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Input and output, turns that do not count included.
    pub tokens: Option<u64>,
    /// US dollars, as the agents report them.
    pub usd: Option<f64>,
    /// Of the agents' working time.
    pub minutes: Option<f64>,
    pub run: RunLimits,
}

/// How far a run goes: the limits of `trajview live`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunLimits {
    pub tokens: Option<u64>,
    pub usd: Option<f64>,
    pub minutes: Option<f64>,
    pub turns: Option<usize>,
    /// Seconds.
    pub timeout_turn: Option<f64>,
    pub timeout_idle: Option<f64>,
}

/// What is done about a turn that failed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Failures {
    pub rule: Rule,
    /// How often a failed turn is made again.
    pub retries: usize,
    /// Seconds that an agent or model is left alone after a turn that was refused for being asked too often; doubled with
    /// each such turn.
    pub backoff: f64,
}

/// What becomes of a run when a turn has failed as often as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The run is taken out of the folder of runs.
    #[default]
    LeaveOut,
    /// What the turn left stands, and the next request follows.
    Keep,
    /// Everything stops: no run is begun any more.
    Stop,
}

impl Default for Failures {
    fn default() -> Self {
        Self { rule: Rule::default(), retries: 2, backoff: 30.0 }
    }
}

/// What is done with a run that is over.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct After {
    /// Run on a copy of the code at each checkpoint, while the run is made.
    pub test: Option<String>,
    /// Whether the code is scored at each checkpoint.
    pub score: bool,
    pub judge: Option<JudgeRow>,
}

/// A judge of the settings file that is asked about each run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeRow {
    pub name: String,
    /// What it may cost in US dollars, all runs together.
    pub usd: Option<f64>,
    /// Whether it is asked at the end of each checkpoint and not only at the end of the run.
    #[serde(default)]
    pub each_checkpoint: bool,
    /// Options of `trajview judge`, as they are.
    #[serde(default)]
    pub options: Vec<String>,
}

const fn once() -> u32 {
    1
}

fn both() -> Vec<Condition> {
    vec![Condition::Emergent, Condition::SingleShot]
}

fn no_layers() -> Vec<Vec<String>> {
    vec![vec![]]
}

/// A plan that can be carried out: paths are whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPlan {
    pub plan: Plan,
    pub path: PathBuf,
    /// The folder of the plan: relative paths begin there, and so do the programs.
    pub folder: PathBuf,
    /// The folder of the runs.
    pub out: PathBuf,
}

impl ReadPlan {
    /// Reads a plan; every path in it is from the plan's own folder.
    pub fn read(path: &Path) -> Result<Self, Unusable> {
        let text = prepare::text_of(path)?;
        let path = absolute(path);
        let shown = path.display();
        let mut plan = Plan::of(&text).map_err(|why| Unusable::Misread(format!("{shown}{why}")))?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        plan.set_in(&folder);
        plan.check().map_err(|why| Unusable::Misread(format!("{shown}: {why}")))?;
        let out = match &plan.out {
            Some(out) => folder.join(out),
            None => path.with_extension("runs"),
        };
        if out.file_name().is_none() {
            return Err(Unusable::Misread(format!("{shown}: out: expected the name of a folder")));
        }
        Ok(Self { plan, path, folder, out })
    }
}

impl Plan {
    /// The error begins with the line: `:12: what is wrong`.
    pub fn of(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|why| {
            let line = why.span().and_then(|span| text.get(..span.start));
            let line = line.map_or(1, |before| before.matches('\n').count() + 1);
            let words: Vec<&str> = why.message().lines().map(str::trim).collect();
            format!(":{line}: {}", words.join(", "))
        })
    }

    fn set_in(&mut self, folder: &Path) {
        for script in self.scripts.values_mut() {
            script.file = folder.join(&script.file);
            for path in [&mut script.specification, &mut script.components].into_iter().flatten() {
                *path = folder.join(&*path);
            }
        }
    }

    /// What is written correctly and makes no sense; a sentence.
    fn check(&self) -> Result<(), String> {
        let nothing = [
            ("scripts", self.scripts.is_empty()),
            ("agents", self.agents.is_empty()),
            ("conditions", self.conditions.is_empty()),
            ("layers", self.layers.is_empty()),
            ("repeats", self.repeats == 0),
        ];
        if let Some((name, _)) = nothing.iter().find(|(_, is_empty)| *is_empty) {
            return Err(format!("{name}: expected one at least"));
        }
        let rates = self.agents.iter().filter_map(|(name, it)| Some((name, it.turns_per_minute?)));
        let rates = rates.chain(self.rates.iter().map(|(name, rate)| (name, *rate)));
        let limits = [
            ("limits.usd", self.limits.usd),
            ("limits.minutes", self.limits.minutes),
            ("limits.run.usd", self.limits.run.usd),
            ("limits.run.minutes", self.limits.run.minutes),
            ("limits.run.timeout_turn", self.limits.run.timeout_turn),
            ("limits.run.timeout_idle", self.limits.run.timeout_idle),
            ("failures.backoff", Some(self.failures.backoff)),
        ];
        let limits =
            limits.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?)));
        let mut numbers = rates.map(|(name, rate)| (format!("rate of {name}"), rate)).chain(limits);
        if let Some((name, _)) = numbers.find(|(_, it)| !(it.is_finite() && *it > 0.0)) {
            return Err(format!("{name}: expected a number above 0"));
        }
        let named = self.exclude.iter().filter_map(|it| it.script.as_ref());
        if let Some(name) = named.into_iter().find(|name| !self.scripts.contains_key(*name)) {
            return Err(format!("exclude: no script is called {name}"));
        }
        let named = self.exclude.iter().filter_map(|it| it.agent.as_ref());
        if let Some(name) = named.into_iter().find(|name| !self.agents.contains_key(*name)) {
            return Err(format!("exclude: no agent is called {name}"));
        }
        Ok(())
    }

    /// The models of an agent; one that is None where it chooses itself.
    pub fn models_of(&self, agent: &AgentRow) -> Vec<Option<String>> {
        let own = agent.models.as_ref().unwrap_or(&self.models);
        match own.is_empty() {
            true => vec![None],
            false => own.iter().cloned().map(Some).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "[scripts.a]\nfile = \"a.json\"\n[agents.codex]\n";

    #[test]
    fn a_small_plan_runs_both_conditions_once() {
        let plan = Plan::of(SMALL).unwrap();

        assert_eq!((plan.repeats, plan.conditions.len(), plan.layers.len()), (1, 2, 1));
        assert_eq!(plan.models_of(&plan.agents["codex"]), [None]);
        assert_eq!((plan.failures.rule, plan.failures.retries), (Rule::LeaveOut, 2));
        assert_eq!(plan.check(), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let unknown = Plan::of(&format!("{SMALL}colour = \"red\"\n")).unwrap_err();
        let torn = Plan::of("repeats = \n").unwrap_err();
        let wrong = Plan::of(&format!("repeats = 0\n{SMALL}")).unwrap().check().unwrap_err();
        let slow = format!("{SMALL}turns_per_minute = 0\n");

        assert!(unknown.starts_with(":4: unknown field `colour`"), "{unknown}");
        assert!(torn.starts_with(":1: "), "{torn}");
        assert_eq!(wrong, "repeats: expected one at least");
        assert_eq!(
            Plan::of(&slow).unwrap().check().unwrap_err(),
            "rate of codex: expected a number above 0"
        );
    }
}
