//! How a command measures code: whose formulas, which rules, with or without what was measured before.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use trajview_metrics::{
    quality::{Profile, Ruler},
    rules::Rules,
};
use trajview_store as store;
use trajview_store::{Cache, ReuseReader, Scorer};

use super::Failure;

#[derive(Debug, clap::Args)]
pub struct Measuring {
    /// Whose formulas: scb-paper, scb-check-0.1.3, scb-check-0.2.0 or trajview
    #[arg(long, default_value_t = Profile::default())]
    profile: Profile,
    /// Rules in ast-grep's YAML, in the place of the built-in ones; `none` for no rules
    #[arg(long, value_name = "FILE_OR_DIR")]
    rules: Option<PathBuf>,
    /// Neither read nor write the cache of measures
    #[arg(long)]
    no_cache: bool,
}

impl Measuring {
    /// The same as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["--profile".to_owned(), self.profile.to_string()];
        if let Some(rules) = &self.rules {
            words.extend(["--rules".to_owned(), rules.display().to_string()]);
        }
        words.extend(self.no_cache.then(|| "--no-cache".to_owned()));
        words
    }

    pub fn scorer(&self) -> Result<Scorer, Failure> {
        let ruler = Ruler::new(self.profile, rules(self.rules.as_deref())?);
        Ok(Scorer::new(ruler, cache(!self.no_cache)))
    }

    /// With what reads the same files for DIR; both keep what they find in one cache.
    pub fn scorers(&self) -> Result<(Scorer, Arc<ReuseReader>), Failure> {
        let scorer = self.scorer()?;
        let reader = Arc::new(ReuseReader::kept_in(scorer.cache()));
        Ok((scorer.with_reader(Arc::clone(&reader)), reader))
    }
}

/// The cache of measures, unless it is not wanted. One that cannot be opened costs time and nothing else.
pub fn cache(is_wanted: bool) -> Option<Arc<Cache>> {
    let path = Cache::default_path().filter(|_| is_wanted)?;
    Cache::open(&path).map_err(|why| super::output::tell(&why)).map(Arc::new).ok()
}

/// `profile scb-paper · 137 rules, FILE`, or what the rules are where they are not the profile's.
pub fn said(ruler: &Ruler) -> String {
    let (name, rules) = (ruler.name(), ruler.rules());
    let what = match ruler.is_comparable() {
        true => format!("profile {name}"),
        false => format!("{name} · not comparable with {}", ruler.profile()),
    };
    format!("{what} · {} rules, {}", rules.count(), rules.source())
}

/// The rules of a file or folder, none, or the built-in ones. Those that cannot be used are told on standard error.
pub fn rules(path: Option<&Path>) -> Result<Rules, Failure> {
    let Some(path) = path else { return Ok(Rules::built_in()) };
    if path == Path::new("none") {
        return Ok(Rules::none());
    }
    let texts = store::rules::read(path).map_err(Failure::unread)?;
    let texts: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let rules = Rules::load(&path.display().to_string(), &texts);
    rules.problems().iter().for_each(|problem| super::output::tell(&problem.to_string()));
    if rules.count() == 0 {
        let why = format!("{}: no rule that can be used", path.display());
        return Err(Failure::not_understood(why));
    }
    Ok(rules)
}
