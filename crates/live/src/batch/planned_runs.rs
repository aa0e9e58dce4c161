//! The runs of a plan: one for each combination. The id of a run depends only on its content, so that a changed plan adds
//! runs and repeats none.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::json;

use trajview_layers::LayerSpec;
use trajview_run::{batch::PlanCombination, condition::Condition};
use trajview_store::{dataset::Shard, sha256};

use super::{
    super::prepare::{UnusableInput, read_bytes, script_and_condition},
    batch_plan::{AgentRow, BatchPlan, FailureRule, LoadedPlan, PlanExclusion, ScriptRow},
};

/// A run of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRun {
    pub id: String,
    /// The name of its folder: the combination in words, and the id.
    pub name: String,
    /// The bundle.
    pub bundle: PathBuf,
    pub combination: PlanCombination,
    /// The number of requests.
    pub requests: usize,
    /// The options that start it.
    begin: Vec<String>,
    /// The options that are repeated when it is resumed: they may have changed in the plan by then.
    again: Vec<String>,
    /// Arguments for the agent, passed on unchanged.
    args: Vec<String>,
    /// True if it has a checklist (`components.json`), by which it can be judged.
    pub has_components: bool,
}

/// The number of characters of an id in a folder name.
const SHOWN_ID_CHARS: usize = 10;

impl PlannedRun {
    /// Returns the arguments of `trajview` that start the run, or resume it.
    pub fn command_arguments(&self, goes_on: bool) -> Vec<String> {
        let mut words = vec!["live".to_owned()];
        if goes_on {
            words.push("--resume".into());
        } else {
            words.extend(self.begin.iter().cloned());
        }
        words.extend(["--out".into(), self.bundle.display().to_string(), "--headless".into()]);
        words.extend(self.again.iter().cloned());
        if !goes_on && !self.args.is_empty() {
            words.push("--".into());
            words.extend(self.args.iter().cloned());
        }
        words
    }
}

/// Returns all runs of a plan, in the order in which they are made: every combination once before any is repeated. `config`
/// is the settings file for the runs.
pub fn planned_runs(
    read: &LoadedPlan,
    config: Option<&str>,
) -> Result<Vec<PlannedRun>, UnusableInput> {
    let mut all = vec![];
    let scripts = hash_scripts(&read.plan)?;
    for repeat in 1..=read.plan.repeats {
        for (script, known) in &scripts {
            for (agent, row) in &read.plan.agents {
                for model in read.plan.models_of(row) {
                    for layers in &read.plan.layers {
                        for condition in &read.plan.conditions {
                            let wanted = RunCombination {
                                script,
                                known: &known[condition.word()],
                                agent,
                                row,
                                model: model.as_deref(),
                                layers,
                                condition: *condition,
                                repeat,
                            };
                            if !read.plan.exclude.iter().any(|it| wanted.is_excluded_by(it)) {
                                all.push(wanted.planned_run(read, config)?);
                            }
                        }
                    }
                }
            }
        }
    }
    if all.is_empty() {
        let why = format!("{}: everything is excluded", read.path.display());
        return Err(UnusableInput::Misread(why));
    }
    let mut names: Vec<&str> = all.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let why = format!("{}: {} is in the plan twice", read.path.display(), twice[0]);
        return Err(UnusableInput::Misread(why));
    }
    Ok(all)
}

/// Keeps the runs of one shard.
pub fn runs_of_shard(entries: Vec<PlannedRun>, shard: Shard) -> Vec<PlannedRun> {
    entries.into_iter().filter(|entry| shard.contains_id(&entry.id)).collect()
}

/// Returns warnings about a plan before its runs are made; sentences.
pub fn plan_remarks(plan: &BatchPlan) -> Vec<String> {
    let mut drivers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, row) in &plan.agents {
        drivers.entry(row.driver.as_deref().unwrap_or(name)).or_default().push(name);
    }
    let same = drivers.into_iter().filter(|(_, agents)| agents.len() > 1);
    same.map(|(driver, agents)| {
        format!(
            "{} are all recorded as {driver}: if their models are the same, `trajview corpus` treats their runs as repeats of one agent",
            agents.join(" and ")
        )
    })
    .collect()
}

/// The part of a script that the id of a run depends on, and its number of requests.
struct HashedScript<'a> {
    row: &'a ScriptRow,
    sha256: String,
    specification: Option<String>,
    requests: usize,
}

type ScriptByCondition<'a> = BTreeMap<&'static str, HashedScript<'a>>;

fn hash_scripts(plan: &BatchPlan) -> Result<Vec<(&String, ScriptByCondition<'_>)>, UnusableInput> {
    let mut all = vec![];
    for (name, row) in &plan.scripts {
        let script = sha256(&read_bytes(&row.file)?);
        let mut by_condition = ScriptByCondition::new();
        for condition in &plan.conditions {
            let given = row.specification.as_deref();
            let given = given.filter(|_| *condition == Condition::SingleShot);
            let (asked, _) = script_and_condition(Some(&row.file), given, Some(*condition))?;
            let specification = given.map(read_bytes).transpose()?.map(|bytes| sha256(&bytes));
            let requests = asked.requests.len();
            let known = HashedScript { row, sha256: script.clone(), specification, requests };
            by_condition.insert(condition.word(), known);
        }
        all.push((name, by_condition));
    }
    Ok(all)
}

/// One combination of the plan, from which one run is made.
struct RunCombination<'a> {
    script: &'a str,
    known: &'a HashedScript<'a>,
    agent: &'a str,
    row: &'a AgentRow,
    model: Option<&'a str>,
    layers: &'a [String],
    condition: Condition,
    repeat: u32,
}

impl RunCombination<'_> {
    fn is_excluded_by(&self, excluded: &PlanExclusion) -> bool {
        let PlanExclusion { script, agent, model, condition, layers, repeat } = excluded;
        script.as_deref().is_none_or(|it| it == self.script)
            && agent.as_deref().is_none_or(|it| it == self.agent)
            && model.as_deref().is_none_or(|it| Some(it) == self.model)
            && condition.is_none_or(|it| it == self.condition)
            && layers.as_ref().is_none_or(|it| it == self.layers)
            && repeat.is_none_or(|it| it == self.repeat)
    }

    fn driver(&self) -> &str {
        self.row.driver.as_deref().unwrap_or(self.agent)
    }

    /// Returns the id: a hash of everything that makes it another run. The address of the model, the program and the limits
    /// are left out: they may change while the run is made.
    fn run_id(&self, plan: &BatchPlan) -> String {
        let AgentRow { pass, permissions, options, args, .. } = self.row;
        let content = json!({
            "script": self.script,
            "script_sha256": self.known.sha256,
            "specification_sha256": self.known.specification,
            "agent": self.agent,
            "driver": self.driver(),
            "model": self.model,
            "pass": pass,
            "permissions": permissions,
            "options": [&plan.options, &self.known.row.options, options],
            "args": args,
            "layers": self.layers,
            "condition": self.condition,
            "repeat": self.repeat,
        });
        sha256(content.to_string().as_bytes())[..SHOWN_ID_CHARS].to_owned()
    }

    fn condition_name(&self) -> String {
        let word = self.condition.word().to_owned();
        self.layers.iter().fold(word, |named, layer| format!("{named}+{layer}"))
    }

    fn planned_run(
        &self,
        read: &LoadedPlan,
        config: Option<&str>,
    ) -> Result<PlannedRun, UnusableInput> {
        let misread = |why| UnusableInput::Misread(format!("{}: {why}", read.path.display()));
        for layer in self.layers {
            layer.parse::<LayerSpec>().map_err(|why| misread(format!("layers: {layer}: {why}")))?;
        }
        let id = self.run_id(&read.plan);
        let condition = self.condition_name();
        let parts = [Some(self.script), Some(self.agent), self.model, Some(&condition)];
        let parts: Vec<String> = parts.into_iter().flatten().map(plain_file_name).collect();
        let name = format!("{}-{}-{id}", parts.join("-"), self.repeat);
        Ok(PlannedRun {
            bundle: read.out.join(&name),
            name,
            requests: self.known.requests,
            begin: self.start_arguments(read),
            again: self.resume_arguments(read, config),
            args: self.row.args.clone(),
            has_components: self.known.row.components.is_some(),
            combination: PlanCombination {
                script: self.script.to_owned(),
                agent: self.agent.to_owned(),
                model: self.model.map(str::to_owned),
                condition,
                repeat: self.repeat,
            },
            id,
        })
    }

    fn start_arguments(&self, read: &LoadedPlan) -> Vec<String> {
        let script = self.known.row;
        let path = |path: &PathBuf| path.display().to_string();
        let mut words: Vec<String> = vec![];
        let mut say = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        say("--agent", Some(self.driver().to_owned()));
        say("--script", Some(path(&script.file)));
        say("--condition", Some(self.condition.word().to_owned()));
        let given = script.specification.as_ref();
        let given = given.filter(|_| self.condition == Condition::SingleShot);
        say("--specification", given.map(path));
        say("--components", script.components.as_ref().map(path));
        say("--model", self.model.map(str::to_owned));
        say("--permissions", self.row.permissions.map(|it| it.word().to_owned()));
        self.layers.iter().for_each(|layer| say("--layer", Some(layer.clone())));
        self.row.pass.iter().for_each(|name| say("--pass", Some(name.clone())));
        say("--test", read.plan.after.test.clone());
        // Runs that are begun later would not be hidden otherwise.
        say("--hide", Some(path(&read.out)));
        say("--hide", Some(path(&super::batch_folder(&read.out))));
        say("--hide", Some(path(&read.path)));
        words.extend(read.plan.options.iter().cloned());
        words.extend(script.options.iter().chain(&self.row.options).cloned());
        words
    }

    fn resume_arguments(&self, read: &LoadedPlan, config: Option<&str>) -> Vec<String> {
        let (limits, failures) = (&read.plan.limits.run, &read.plan.failures);
        let mut words: Vec<String> = vec![];
        let mut say = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        say("--program", self.row.program.as_ref().map(|it| it.display().to_string()));
        say("--base-url", self.row.base_url.clone());
        say("--key-env", self.row.key_env.clone());
        say("--budget-tokens", limits.tokens.map(|it| it.to_string()));
        say("--budget-usd", limits.usd.map(|it| it.to_string()));
        say("--budget-minutes", limits.minutes.map(|it| it.to_string()));
        say("--budget-turns", limits.turns.map(|it| it.to_string()));
        say("--timeout-turn", limits.timeout_turn.map(|it| it.to_string()));
        say("--timeout-idle", limits.timeout_idle.map(|it| it.to_string()));
        let (retries, rule) = match failures.rule {
            // A failed turn ends the run, which is resumed when its agent may be asked again.
            FailureRule::LeaveOut | FailureRule::Stop => (0, "stop"),
            FailureRule::Keep => (failures.retries, "keep"),
        };
        say("--retries", Some(retries.to_string()));
        say("--on-failure", Some(rule.to_owned()));
        say("--config", config.map(str::to_owned));
        words
    }
}

/// Replaces the characters that may not stand in a folder name.
fn plain_file_name(word: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._+".contains(c) { c } else { '-' };
    word.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read_runs(place: &tempfile::TempDir, more: &str) -> Result<Vec<PlannedRun>, UnusableInput> {
        let at = |name: &str| place.path().join(name);
        let script = r#"{"task": "t", "requests": [{"text": "one"}, {"text": "two"}]}"#;
        fs::write(at("a.json"), script).unwrap();
        fs::write(at("b.json"), script).unwrap();
        fs::write(at("plan.toml"), more).unwrap();
        planned_runs(&LoadedPlan::load(&at("plan.toml")).unwrap(), None)
    }

    const PLAN: &str = "repeats = 2\nmodels = [\"x/1\", \"2\"]\n[scripts.a]\nfile = \"a.json\"\n[scripts.b]\n\
        file = \"b.json\"\n[agents.codex]\nmodels = [\"gpt\"]\n[agents.claude]\n";

    #[test]
    fn every_combination_is_a_run_of_its_own_and_repeats_come_last() {
        let place = tempfile::tempdir().unwrap();

        let all = read_runs(&place, PLAN).unwrap();

        assert_eq!(all.len(), 2 * 2 * (1 + 2) * 2);
        assert!(all[..12].iter().all(|entry| entry.combination.repeat == 1));
        assert!(all[0].name.starts_with("a-claude-x-1-emergent-1-"), "{}", all[0].name);
        assert_eq!((all[0].requests, all[1].requests), (2, 1));
    }

    #[test]
    fn a_plan_that_grows_keeps_the_ids_it_had() {
        let place = tempfile::tempdir().unwrap();
        let before: Vec<String> =
            read_runs(&place, PLAN).unwrap().into_iter().map(|it| it.id).collect();
        let grown = PLAN.replace("repeats = 2", "repeats = 3\nlayers = [[], [\"continuity\"]]");
        let grown = grown
            + "base_url = \"http://127.0.0.1:1\"\nturns_per_minute = 3\n[limits]\nusd = 3.0\n";

        let after: Vec<String> =
            read_runs(&place, &grown).unwrap().into_iter().map(|it| it.id).collect();

        assert!(before.iter().all(|id| after.contains(id)));
        assert_eq!(after.len(), before.len() * 3);
        fs::write(place.path().join("a.json"), r#"{"requests": [{"text": "other"}]}"#).unwrap();
        let other = planned_runs(&LoadedPlan::load(&place.path().join("plan.toml")).unwrap(), None);
        let kept = other.unwrap().iter().filter(|it| before.contains(&it.id)).count();
        assert_eq!(kept, before.len() / 2);
    }

    #[test]
    fn what_is_excluded_is_not_run_and_shards_are_all_runs_together() {
        let place = tempfile::tempdir().unwrap();
        let less = format!(
            "{PLAN}[[exclude]]\nagent = \"claude\"\nmodel = \"2\"\n[[exclude]]\nrepeat = 2\n"
        );

        let all = read_runs(&place, &less).unwrap();

        assert_eq!(all.len(), 2 * 2 * 2);
        let shard = |number| runs_of_shard(all.clone(), Shard { number, count: 2 }).len();
        assert_eq!(shard(1) + shard(2), all.len());
        let nothing = format!("{PLAN}[[exclude]]\nscript = \"a\"\n[[exclude]]\nscript = \"b\"\n");
        assert!(read_runs(&place, &nothing).is_err());
    }

    #[test]
    fn what_may_change_is_said_again_when_a_run_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let all = read_runs(&place, &format!("{PLAN}base_url = \"http://s\"\nargs = [\"-x\"]\n"))
            .unwrap();

        let (begins, goes_on) =
            (all[0].command_arguments(false).join(" "), all[0].command_arguments(true).join(" "));

        assert!(begins.starts_with("live --agent claude --script "), "{begins}");
        assert!(
            begins.ends_with("--base-url http://s --retries 0 --on-failure stop -- -x"),
            "{begins}"
        );
        assert!(goes_on.starts_with("live --resume --out "), "{goes_on}");
        assert!(
            goes_on.ends_with("--base-url http://s --retries 0 --on-failure stop"),
            "{goes_on}"
        );
    }
}
