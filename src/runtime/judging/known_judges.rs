//! The judges that can be asked: those of the settings, and those that are discovered.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc, time::Duration};

use trajview_judge::{
    discover::{self, DiscoveredJudge, JudgeEnvironment},
    judge_key::JudgeKey,
    settings::{JudgeConfig, JudgeKind},
};
use trajview_run::judging::{JudgeEntry, JudgeOrigin, ListedModel, ModelList};

/// The judges of a settings file.
pub trait JudgeSettings: Send + Sync {
    /// Reads the judges of the file, and sentences about unusable ones. The error is a sentence.
    fn read_judges(&self) -> Result<(Vec<JudgeConfig>, Vec<String>), String>;

    /// Adds a judge and changes nothing else; returns the path of the file. The error is a sentence.
    fn add_judge(&self, judge: &JudgeConfig) -> Result<PathBuf, String>;
}

/// A settings file that can be read again and added to.
#[derive(Clone)]
pub struct JudgeSettingsFile(pub Arc<dyn JudgeSettings>);

impl fmt::Debug for JudgeSettingsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a settings file")
    }
}

impl PartialEq for JudgeSettingsFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The longest time that servers on this machine may take to answer.
const SERVER_TIMEOUT: Duration = Duration::from_millis(800);

/// The judges that are known at the moment.
#[derive(Debug, Clone, Default)]
pub struct KnownJudges {
    pub environment: JudgeEnvironment,
    pub file: Option<JudgeSettingsFile>,
    written: Vec<JudgeConfig>,
    found: Vec<DiscoveredJudge>,
    /// The models that a judge's server listed, by the name of the judge.
    listed: BTreeMap<String, Result<Vec<ListedModel>, String>>,
}

impl KnownJudges {
    pub(crate) fn set_configured(&mut self, judges: &[JudgeConfig]) {
        self.written = judges.to_vec();
    }

    /// Reads the settings again and looks for keys and programs; sends no request. Returns a sentence about the settings if
    /// something is wrong with them: the known judges stay.
    pub fn refresh(&mut self) -> Option<String> {
        let read = self.file.as_ref().map(|file| file.0.read_judges());
        let problem = match read {
            None => None,
            Some(Err(why)) => Some(why),
            Some(Ok((judges, problems))) => {
                self.written = judges;
                problems.into_iter().next()
            }
        };
        self.found.retain(|it| it.origin == JudgeOrigin::Server);
        let mut found = discover::judges_with_keys(&self.environment);
        found.append(&mut self.found);
        found.extend(discover::judges_on_path(&self.environment));
        self.found = found;
        problem
    }

    /// Finds the servers that answer on this machine. Takes a moment.
    pub(crate) fn find_servers(environment: &JudgeEnvironment) -> Vec<DiscoveredJudge> {
        discover::local_judges(environment, SERVER_TIMEOUT)
    }

    /// Replaces the known servers.
    pub(crate) fn set_servers(&mut self, servers: Vec<DiscoveredJudge>) {
        self.found.retain(|it| it.origin != JudgeOrigin::Server);
        let is_program = |it: &DiscoveredJudge| matches!(it.origin, JudgeOrigin::Program(_));
        let at = self.found.iter().position(is_program).unwrap_or(self.found.len());
        self.found.splice(at..at, servers);
    }

    pub(crate) fn set_models(&mut self, judge: &str, models: Result<Vec<ListedModel>, String>) {
        self.listed.insert(judge.to_owned(), models);
    }

    /// Returns the list for the screen: judges of the settings first, and no name twice.
    pub fn all_entries(&self) -> Vec<JudgeEntry> {
        let written = self.written.iter().map(|it| self.entry_of_settings(it));
        written.chain(self.found_and_unnamed().map(|it| self.entry_of_found(it))).collect()
    }

    /// Returns the discovered judges whose name is not in the settings.
    fn found_and_unnamed(&self) -> impl Iterator<Item = &DiscoveredJudge> {
        let is_written =
            |it: &DiscoveredJudge| self.written.iter().any(|one| one.name == it.settings.name);
        self.found.iter().filter(move |it| !is_written(it))
    }

    /// Returns the settings of a judge with this model. The error is a sentence.
    pub(crate) fn settings_for(&self, judge: &str, model: &str) -> Result<JudgeConfig, String> {
        if let Some(written) = self.written.iter().find(|it| it.name == judge) {
            let takes_one = written.kind != JudgeKind::Command
                || written.command.iter().any(|word| word.contains("{model}"));
            if written.model != model && !model.is_empty() && !takes_one {
                return Err(format!("the command of judge {judge} has no {{model}} to put one in"));
            }
            return Ok(JudgeConfig { model: model.to_owned(), ..written.clone() });
        }
        let found = self.found_and_unnamed().find(|it| it.settings.name == judge);
        let found = found.ok_or_else(|| format!("no judge is called {judge}"))?;
        Ok(found.with_model(model, self.listed_models(judge)))
    }

    /// Writes a discovered judge into the settings file; returns a sentence. The error is one too.
    pub(crate) fn keep_found(&self, judge: &str, model: &str) -> Result<String, String> {
        if self.written.iter().any(|it| it.name == judge) {
            return Err(format!("judge {judge} is already in the settings"));
        }
        let file = self.file.as_ref().ok_or(NO_FILE)?;
        let found = self.found_and_unnamed().find(|it| it.settings.name == judge);
        let found = found.ok_or_else(|| format!("no judge is called {judge}"))?;
        let path = file.0.add_judge(&found.settings_to_save(model, self.listed_models(judge)))?;
        Ok(format!("judge {judge} saved: [judges.{judge}] in {}", path.display()))
    }

    /// Asks a judge's server for its models, with its key if needed, for [`Self::set_models`].
    pub(crate) fn ask_for_models(&self, judge: &str) -> Result<Vec<ListedModel>, String> {
        let settings = self.settings_for(judge, "")?;
        let variable = |name: &str| self.variable(name);
        let key = JudgeKey::in_variable_of(settings.key_env.as_deref(), &variable)?;
        discover::list_models(&settings, &key)
    }

    /// Returns a variable of the given environment, or else of this process.
    pub fn variable(&self, name: &str) -> Option<String> {
        let given = self.environment.variable(name).map(str::to_owned);
        given.or_else(|| std::env::var(name).ok())
    }

    fn listed_models(&self, judge: &str) -> &[ListedModel] {
        self.listed.get(judge).and_then(|it| it.as_ref().ok()).map_or(&[], Vec::as_slice)
    }

    fn entry_of_settings(&self, settings: &JudgeConfig) -> JudgeEntry {
        JudgeEntry { origin: JudgeOrigin::Settings, ..self.base_entry(settings) }
    }

    fn entry_of_found(&self, found: &DiscoveredJudge) -> JudgeEntry {
        let entry = JudgeEntry { origin: found.origin.clone(), ..self.base_entry(&found.settings) };
        match found.origin {
            JudgeOrigin::Server => JudgeEntry {
                model: found.models.first().map(|it| it.id.clone()).unwrap_or_default(),
                models: ModelList::Listed(found.models.clone()),
                ..entry
            },
            JudgeOrigin::Settings | JudgeOrigin::Key(_) | JudgeOrigin::Program(_) => entry,
        }
    }

    fn base_entry(&self, settings: &JudgeConfig) -> JudgeEntry {
        let is_program = settings.kind == JudgeKind::Command;
        let models = match self.listed.get(&settings.name) {
            _ if is_program => ModelList::NoList,
            None => ModelList::NotRequested,
            Some(Ok(listed)) => ModelList::Listed(listed.clone()),
            Some(Err(why)) => ModelList::Failed(why.clone()),
        };
        let cost = settings.cost;
        JudgeEntry {
            name: settings.name.clone(),
            kind: settings.kind.word().to_owned(),
            model: settings.model.clone(),
            budget: settings.budget,
            place: settings.program_or_address().to_owned(),
            price: cost.price_input.zip(cost.price_output).map(|(sent, received)| [sent, received]),
            models,
            origin: JudgeOrigin::Settings,
        }
    }
}

const NO_FILE: &str = "no settings file: name one with trajview --config FILE";

#[cfg(test)]
mod tests {
    use super::*;

    fn environment_with(name: &str) -> JudgeEnvironment {
        JudgeEnvironment::with_variables([(name.to_owned(), "sk-secret-0".to_owned())])
    }

    #[test]
    fn a_judge_of_the_settings_comes_first_and_hides_a_found_one_of_its_name() {
        let names = |known: &KnownJudges| {
            known.all_entries().into_iter().map(|it| it.name).collect::<Vec<_>>()
        };
        let mut known = KnownJudges {
            environment: environment_with("OPENAI_API_KEY"),
            ..KnownJudges::default()
        };
        known.refresh();
        assert_eq!(names(&known), ["openai"]);

        known.set_configured(&[
            JudgeConfig::new("mine", JudgeKind::Chat),
            JudgeConfig::new("openai", JudgeKind::Chat),
        ]);
        known.refresh();
        assert_eq!(names(&known), ["mine", "openai"]);
        assert_eq!(known.settings_for("openai", "m").map(|it| it.kind), Ok(JudgeKind::Chat));
        assert!(!format!("{known:?}").contains("secret"));
    }

    #[test]
    fn a_price_that_a_server_lists_counts_for_the_model_that_is_chosen() {
        let mut known = KnownJudges {
            environment: environment_with("OPENROUTER_API_KEY"),
            ..KnownJudges::default()
        };
        known.refresh();
        let model = |id: &str, price| ListedModel { id: id.into(), price };
        known.set_models("openrouter", Ok(vec![model("a", Some([1.0, 2.0])), model("b", None)]));

        let price = |model| known.settings_for("openrouter", model).map(|it| it.cost.price_output);
        assert_eq!(price("a"), Ok(Some(2.0)));
        assert_eq!(price("b"), Ok(None));
        assert_eq!(known.keep_found("openrouter", "a"), Err(NO_FILE.into()));
    }
}
