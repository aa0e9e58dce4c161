//! The plan of a batch: a TOML file that names scripts, agents, models, conditions, layers, repeats and limits. It is read
//! strictly: an unknown name is an error, because a run that was made under a wrong plan is lost work.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use trajview_run::condition::Condition;

use super::super::{
    prepare::{self, UnusableInput, absolute_path},
    setup::Permissions,
};

/// The content of the plan file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchPlan {
    /// The folder of the runs, from the plan's folder; `NAME.runs` beside `NAME.toml` if left out.
    out: Option<PathBuf>,
    /// The number of runs at the same time, unless the command names one.
    pub jobs: Option<usize>,
    /// The number of runs of each combination.
    #[serde(default = "default_repeats")]
    pub repeats: u32,
    /// Both conditions when left out.
    #[serde(default = "both_conditions")]
    pub conditions: Vec<Condition>,
    /// Models of agents that name none; empty: each agent chooses itself.
    #[serde(default)]
    pub models: Vec<String>,
    /// Stacks of layers; one stack without any layer when left out.
    #[serde(default = "no_layers")]
    pub layers: Vec<Vec<String>>,
    /// Options of `trajview live` for every run, passed on unchanged.
    #[serde(default)]
    pub options: Vec<String>,
    pub scripts: BTreeMap<String, ScriptRow>,
    pub agents: BTreeMap<String, AgentRow>,
    /// Requests a minute for each model, over all agents.
    #[serde(default)]
    pub rates: BTreeMap<String, f64>,
    /// Combinations that are not run.
    #[serde(default)]
    pub exclude: Vec<PlanExclusion>,
    #[serde(default)]
    pub limits: BatchLimits,
    #[serde(default)]
    pub failures: FailurePolicy,
    #[serde(default)]
    pub after: AfterRun,
}

/// A script and its files.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptRow {
    pub file: PathBuf,
    /// The one request of single-shot runs.
    pub specification: Option<PathBuf>,
    pub components: Option<PathBuf>,
    /// Options of `trajview live` for the runs of this script, passed on unchanged.
    #[serde(default)]
    pub options: Vec<String>,
}

/// An agent and its options.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentRow {
    /// The name of its driver; the table's own name when left out.
    pub driver: Option<String>,
    pub models: Option<Vec<String>>,
    pub program: Option<PathBuf>,
    pub base_url: Option<String>,
    pub key_env: Option<String>,
    pub pass: Vec<String>,
    pub permissions: Option<Permissions>,
    /// Options of `trajview live` for the runs of this agent, passed on unchanged.
    pub options: Vec<String>,
    /// Arguments for the agent, passed on unchanged.
    pub args: Vec<String>,
    /// Turns begun each minute, over all runs of this agent.
    pub turns_per_minute: Option<f64>,
}

/// Combinations that are not run: those that match everything named here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanExclusion {
    pub script: Option<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    pub condition: Option<Condition>,
    pub layers: Option<Vec<String>>,
    pub repeat: Option<u32>,
}

/// Limits of all runs together and of each run.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BatchLimits {
    /// Input and output, turns that do not count included.
    pub tokens: Option<u64>,
    /// US dollars, as the agents report them.
    pub usd: Option<f64>,
    /// Minutes of the agents' working time.
    pub minutes: Option<f64>,
    pub run: RunLimits,
}

/// Limits of one run, as the options of `trajview live`.
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

/// The handling of failed turns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FailurePolicy {
    pub rule: FailureRule,
    /// The number of repeats of a failed turn.
    pub retries: usize,
    /// Seconds without a request to an agent or model after a turn was refused by a rate limit; doubled with each such
    /// turn.
    pub backoff: f64,
}

/// The consequence for a run whose turn has failed as often as allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureRule {
    /// The run is moved out of the folder of runs.
    #[default]
    LeaveOut,
    /// The turn counts, and the next request follows.
    Keep,
    /// No further run is begun.
    Stop,
}

impl Default for FailurePolicy {
    fn default() -> Self {
        Self { rule: FailureRule::default(), retries: 2, backoff: 30.0 }
    }
}

/// The steps after a run has finished.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AfterRun {
    /// A test command, run on a copy of the code at each checkpoint while the run is made.
    pub test: Option<String>,
    /// True if the code is scored at each checkpoint.
    pub score: bool,
    pub judge: Option<JudgeFollowUp>,
}

/// A judge of the settings file that judges each run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeFollowUp {
    pub name: String,
    /// Cost limit in US dollars, all runs together.
    pub usd: Option<f64>,
    /// True if it judges the end of each checkpoint and not only the end of the run.
    #[serde(default)]
    pub each_checkpoint: bool,
    /// Options of `trajview judge`, passed on unchanged.
    #[serde(default)]
    pub options: Vec<String>,
}

const fn default_repeats() -> u32 {
    1
}

fn both_conditions() -> Vec<Condition> {
    vec![Condition::Emergent, Condition::SingleShot]
}

fn no_layers() -> Vec<Vec<String>> {
    vec![vec![]]
}

/// A plan whose paths are absolute and whose values were checked.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedPlan {
    pub plan: BatchPlan,
    pub path: PathBuf,
    /// The folder of the plan, where relative paths and the programs start.
    pub folder: PathBuf,
    /// The folder of the runs.
    pub out: PathBuf,
}

impl LoadedPlan {
    /// Reads and checks a plan; makes every path absolute from the plan's own folder.
    pub fn load(path: &Path) -> Result<Self, UnusableInput> {
        let text = prepare::read_text(path)?;
        let path = absolute_path(path);
        let shown = path.display();
        let mut plan = BatchPlan::parse(&text)
            .map_err(|why| UnusableInput::Misread(format!("{shown}{why}")))?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        plan.resolve_paths(&folder);
        plan.check_values().map_err(|why| UnusableInput::Misread(format!("{shown}: {why}")))?;
        let out = match &plan.out {
            Some(out) => folder.join(out),
            None => path.with_extension("runs"),
        };
        if out.file_name().is_none() {
            return Err(UnusableInput::Misread(format!(
                "{shown}: out: expected the name of a folder"
            )));
        }
        Ok(Self { plan, path, folder, out })
    }
}

impl BatchPlan {
    /// Parses a plan. The error begins with the line: `:12: what is wrong`.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|why| {
            let line = why.span().and_then(|span| text.get(..span.start));
            let line = line.map_or(1, |before| before.matches('\n').count() + 1);
            let words: Vec<&str> = why.message().lines().map(str::trim).collect();
            format!(":{line}: {}", words.join(", "))
        })
    }

    fn resolve_paths(&mut self, folder: &Path) {
        for script in self.scripts.values_mut() {
            script.file = folder.join(&script.file);
            for path in [&mut script.specification, &mut script.components].into_iter().flatten() {
                *path = folder.join(&*path);
            }
        }
    }

    /// Rejects values that parse and make no sense; the error is a sentence.
    fn check_values(&self) -> Result<(), String> {
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

    /// Returns the models of an agent; one None when the agent chooses itself.
    pub(crate) fn models_of(&self, agent: &AgentRow) -> Vec<Option<String>> {
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
        let plan = BatchPlan::parse(SMALL).unwrap();

        assert_eq!((plan.repeats, plan.conditions.len(), plan.layers.len()), (1, 2, 1));
        assert_eq!(plan.models_of(&plan.agents["codex"]), [None]);
        assert_eq!((plan.failures.rule, plan.failures.retries), (FailureRule::LeaveOut, 2));
        assert_eq!(plan.check_values(), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let unknown = BatchPlan::parse(&format!("{SMALL}colour = \"red\"\n")).unwrap_err();
        let torn = BatchPlan::parse("repeats = \n").unwrap_err();
        let wrong =
            BatchPlan::parse(&format!("repeats = 0\n{SMALL}")).unwrap().check_values().unwrap_err();
        let slow = format!("{SMALL}turns_per_minute = 0\n");

        assert!(unknown.starts_with(":4: unknown field `colour`"), "{unknown}");
        assert!(torn.starts_with(":1: "), "{torn}");
        assert_eq!(wrong, "repeats: expected one at least");
        assert_eq!(
            BatchPlan::parse(&slow).unwrap().check_values().unwrap_err(),
            "rate of codex: expected a number above 0"
        );
    }
}
