//! What the code of runs is scored with: made when it is first needed, on the worker that needs it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use trajview_metrics::{
    quality::{Profile, Ruler},
    rules::Rules,
};
use trajview_store as store;
use trajview_store::{Cache, Scorer};
use trajview_tui::session::{jobs::Measure, measured::RulerName};

use super::Options;

/// A scorer to be.
#[derive(Debug, Default)]
pub struct Scoring {
    profile: Profile,
    rules: Option<PathBuf>,
    caches: bool,
    made: OnceLock<Result<Scorer, String>>,
}

impl Scoring {
    pub fn of(options: &Options) -> Self {
        Self {
            profile: options.config.profile,
            rules: options.config.rules.clone(),
            caches: options.caches,
            made: OnceLock::new(),
        }
    }

    /// As somebody said on the screen.
    pub fn measuring(&self, measure: Measure) -> Self {
        let Measure { profile, rules, .. } = measure;
        Self { profile, rules, caches: self.caches, made: OnceLock::new() }
    }

    /// Another one that measures alike and has its own memory.
    pub fn another(&self) -> Self {
        Self {
            profile: self.profile,
            rules: self.rules.clone(),
            caches: self.caches,
            made: OnceLock::new(),
        }
    }

    /// What cannot be had and is not needed is only said. The error is a sentence.
    pub fn scorer(&self, say: &dyn Fn(String)) -> Result<&Scorer, String> {
        let made = self.made.get_or_init(|| {
            let ruler = self.ruler(say)?;
            Ok(Scorer::new(ruler, self.cache(say).map(Arc::new)))
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn ruler(&self, say: &dyn Fn(String)) -> Result<Ruler, String> {
        let rules = match &self.rules {
            None => Rules::built_in(),
            Some(path) => of_user(path, say)?,
        };
        Ok(Ruler::new(self.profile, rules))
    }

    fn cache(&self, say: &dyn Fn(String)) -> Option<Cache> {
        let path = Cache::default_path().filter(|_| self.caches)?;
        Cache::open(&path).map_err(say).ok()
    }
}

/// The rules in a file or folder; what cannot be used of them is among its problems. The error is a sentence.
pub fn rules_in(path: &Path) -> Result<Rules, String> {
    let texts = store::rules::read(path)?;
    let texts: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(Rules::load(&path.display().to_string(), &texts))
}

fn of_user(path: &Path, say: &dyn Fn(String)) -> Result<Rules, String> {
    let rules = rules_in(path)?;
    if rules.count() == 0 {
        return Err(format!("{}: no rule that can be used", path.display()));
    }
    if let Some(problem) = rules.problems().first() {
        let count = rules.problems().len();
        let what = format!("{}:{}: {}", problem.file, problem.line, problem.what);
        say(format!("{count} of the rules cannot be used; the first: {what}"));
    }
    Ok(rules)
}

pub fn name_of(ruler: &Ruler) -> RulerName {
    RulerName {
        name: ruler.name(),
        is_comparable: ruler.is_comparable(),
        rules: ruler.rules().count(),
        source: ruler.rules().source().to_owned(),
    }
}
