//! Who can be asked: the judges of the settings, and those that are found without any.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc, time::Duration};

use trajview_judge::{
    found::{self, Environment, Found, Model, Origin},
    secret::Secret,
    settings::{Kind, Settings},
};
use trajview_tui::session::judging::{self, Judge, Models};

/// The judges of a settings file.
pub trait JudgeSettings: Send + Sync {
    /// As they stand there now, and sentences about those that cannot be used. The error is a sentence.
    fn read(&self) -> Result<(Vec<Settings>, Vec<String>), String>;

    /// Adds a judge and leaves everything else as it stands; gives the file. The error is a sentence.
    fn keep(&self, judge: &Settings) -> Result<PathBuf, String>;
}

/// A settings file that can be read again and added to.
#[derive(Clone)]
pub struct SettingsFile(pub Arc<dyn JudgeSettings>);

impl fmt::Debug for SettingsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a settings file")
    }
}

impl PartialEq for SettingsFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// How long servers on this machine have to say that they are there.
const LIMIT: Duration = Duration::from_millis(800);

/// Everybody who is known at the moment.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub environment: Environment,
    pub file: Option<SettingsFile>,
    written: Vec<Settings>,
    found: Vec<Found>,
    /// By the name of a judge; what its server listed.
    listed: BTreeMap<String, Result<Vec<Model>, String>>,
}

impl Known {
    pub fn write_down(&mut self, judges: &[Settings]) {
        self.written = judges.to_vec();
    }

    /// Reads the settings again and looks at keys and programs; sends nothing. Gives a sentence about the settings, where
    /// something is wrong with them: those that were known stay.
    pub fn look(&mut self) -> Option<String> {
        let read = self.file.as_ref().map(|file| file.0.read());
        let problem = match read {
            None => None,
            Some(Err(why)) => Some(why),
            Some(Ok((judges, problems))) => {
                self.written = judges;
                problems.into_iter().next()
            }
        };
        self.found.retain(|it| it.origin == Origin::Server);
        let mut found = found::keys(&self.environment);
        found.append(&mut self.found);
        found.extend(found::programs(&self.environment));
        self.found = found;
        problem
    }

    /// The servers that answer on this machine. Takes a moment.
    pub fn servers(environment: &Environment) -> Vec<Found> {
        found::servers(environment, LIMIT)
    }

    /// From now on these servers are there, and no others.
    pub fn take_servers(&mut self, servers: Vec<Found>) {
        self.found.retain(|it| it.origin != Origin::Server);
        let is_program = |it: &Found| matches!(it.origin, Origin::Program(_));
        let at = self.found.iter().position(is_program).unwrap_or(self.found.len());
        self.found.splice(at..at, servers);
    }

    pub fn list(&mut self, judge: &str, models: Result<Vec<Model>, String>) {
        self.listed.insert(judge.to_owned(), models);
    }

    /// For the screen: those of the settings first, and no name twice.
    pub fn all(&self) -> Vec<Judge> {
        let written = self.written.iter().map(|it| self.of_settings(it));
        written.chain(self.offered().map(|it| self.of_found(it))).collect()
    }

    /// Those that are found and whose name is not in the settings.
    fn offered(&self) -> impl Iterator<Item = &Found> {
        let is_written = |it: &Found| self.written.iter().any(|one| one.name == it.settings.name);
        self.found.iter().filter(move |it| !is_written(it))
    }

    /// A judge with this model. The error is a sentence.
    pub fn settings(&self, judge: &str, model: &str) -> Result<Settings, String> {
        if let Some(written) = self.written.iter().find(|it| it.name == judge) {
            let takes_one = written.kind != Kind::Command
                || written.command.iter().any(|word| word.contains("{model}"));
            if written.model != model && !model.is_empty() && !takes_one {
                return Err(format!("the command of judge {judge} has no {{model}} to put one in"));
            }
            return Ok(Settings { model: model.to_owned(), ..written.clone() });
        }
        let found = self.offered().find(|it| it.settings.name == judge);
        let found = found.ok_or_else(|| format!("no judge is called {judge}"))?;
        Ok(found.with_model(model, self.models(judge)))
    }

    /// Writes a judge that was found into the settings file; gives a sentence. The error is one too.
    pub fn keep(&self, judge: &str, model: &str) -> Result<String, String> {
        if self.written.iter().any(|it| it.name == judge) {
            return Err(format!("judge {judge} stands in the settings already"));
        }
        let file = self.file.as_ref().ok_or(NO_FILE)?;
        let found = self.offered().find(|it| it.settings.name == judge);
        let found = found.ok_or_else(|| format!("no judge is called {judge}"))?;
        let path = file.0.keep(&found.to_keep(model, self.models(judge)))?;
        Ok(format!("judge {judge} is kept: [judges.{judge}] in {}", path.display()))
    }

    /// What [`Self::list`] is to be told of a judge. Asks its server, with its key where it needs one.
    pub fn ask_for_models(&self, judge: &str) -> Result<Vec<Model>, String> {
        let settings = self.settings(judge, "")?;
        let variable = |name: &str| self.variable(name);
        let key = Secret::in_variable_of(settings.key_env.as_deref(), &variable)?;
        found::models(&settings, &key)
    }

    /// Of the environment that was given, else of this process.
    pub fn variable(&self, name: &str) -> Option<String> {
        let given = self.environment.variable(name).map(str::to_owned);
        given.or_else(|| std::env::var(name).ok())
    }

    fn models(&self, judge: &str) -> &[Model] {
        self.listed.get(judge).and_then(|it| it.as_ref().ok()).map_or(&[], Vec::as_slice)
    }

    fn of_settings(&self, settings: &Settings) -> Judge {
        Judge { origin: judging::Origin::Settings, ..self.shown(settings) }
    }

    fn of_found(&self, found: &Found) -> Judge {
        let judge = self.shown(&found.settings);
        match &found.origin {
            Origin::Key(variable) => {
                Judge { origin: judging::Origin::Key(variable.clone()), ..judge }
            }
            Origin::Program(_) => Judge { origin: judging::Origin::Program, ..judge },
            Origin::Server => Judge {
                origin: judging::Origin::Server,
                model: found.models.first().map(|it| it.id.clone()).unwrap_or_default(),
                models: Models::Known(found.models.iter().map(model).collect()),
                ..judge
            },
        }
    }

    fn shown(&self, settings: &Settings) -> Judge {
        let is_program = settings.kind == Kind::Command;
        let models = match self.listed.get(&settings.name) {
            _ if is_program => Models::NoList,
            None => Models::NotAsked,
            Some(Ok(listed)) => Models::Known(listed.iter().map(model).collect()),
            Some(Err(why)) => Models::Failed(why.clone()),
        };
        let cost = settings.cost;
        Judge {
            name: settings.name.clone(),
            kind: settings.kind.word().to_owned(),
            model: settings.model.clone(),
            budget: settings.budget,
            place: settings.place().to_owned(),
            price: cost.price_input.zip(cost.price_output).map(|(sent, said)| [sent, said]),
            models,
            origin: judging::Origin::Settings,
        }
    }
}

const NO_FILE: &str = "there is no settings file to keep it in: trajview --config FILE names one";

fn model(of: &Model) -> judging::Model {
    judging::Model { id: of.id.clone(), price: of.price }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Environment {
        Environment::of([(name.to_owned(), "sk-secret-0".to_owned())])
    }

    #[test]
    fn a_judge_of_the_settings_comes_first_and_hides_a_found_one_of_its_name() {
        let names = |known: &Known| known.all().into_iter().map(|it| it.name).collect::<Vec<_>>();
        let mut known = Known { environment: key("OPENAI_API_KEY"), ..Known::default() };
        known.look();
        assert_eq!(names(&known), ["openai"]);

        known.write_down(&[Settings::new("mine", Kind::Chat), Settings::new("openai", Kind::Chat)]);
        known.look();
        assert_eq!(names(&known), ["mine", "openai"]);
        assert_eq!(known.settings("openai", "m").map(|it| it.kind), Ok(Kind::Chat));
        assert!(!format!("{known:?}").contains("secret"));
    }

    #[test]
    fn a_price_that_a_server_lists_counts_for_the_model_that_is_chosen() {
        let mut known = Known { environment: key("OPENROUTER_API_KEY"), ..Known::default() };
        known.look();
        let model = |id: &str, price| Model { id: id.into(), price };
        known.list("openrouter", Ok(vec![model("a", Some([1.0, 2.0])), model("b", None)]));

        let price = |model| known.settings("openrouter", model).map(|it| it.cost.price_output);
        assert_eq!(price("a"), Ok(Some(2.0)));
        assert_eq!(price("b"), Ok(None));
        assert_eq!(known.keep("openrouter", "a"), Err(NO_FILE.into()));
    }
}
