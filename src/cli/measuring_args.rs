//! The options by which a command measures code: formulas, rules, and the cache.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use trajview_analysis::scores::Scorers;
use trajview_metrics::{
    quality::{QualityProfile, Ruler},
    rules::RuleSet,
};
use trajview_store as store;
use trajview_store::DiskCache;

use super::CommandFailure;

#[derive(Debug, Default, clap::Args)]
pub struct MeasuringArgs {
    /// Profile of the formulas
    #[arg(long, value_parser = super::view::profile_parser(), default_value_t = QualityProfile::default())]
    profile: QualityProfile,
    /// Rules in ast-grep's YAML, instead of the built-in ones; `none` for no rules
    #[arg(long, value_name = "FILE_OR_DIR")]
    rules: Option<PathBuf>,
    /// Do not use the cache of measures
    #[arg(long)]
    no_cache: bool,
}

impl MeasuringArgs {
    /// Returns these options as words of a command line.
    pub(crate) fn to_arguments(&self) -> Vec<String> {
        let mut words = vec!["--profile".to_owned(), self.profile.to_string()];
        if let Some(rules) = &self.rules {
            words.extend(["--rules".to_owned(), rules.display().to_string()]);
        }
        words.extend(self.no_cache.then(|| "--no-cache".to_owned()));
        words
    }

    pub(crate) fn open_scorers(&self) -> Result<Scorers, CommandFailure> {
        let ruler = Ruler::new(self.profile, read_rules(self.rules.as_deref())?);
        Ok(Scorers::new(ruler, open_cache(!self.no_cache)))
    }
}

/// Opens the cache of measures, unless it is not wanted. One that cannot be opened costs time and nothing else.
pub(crate) fn open_cache(is_wanted: bool) -> Option<Arc<DiskCache>> {
    let path = DiskCache::default_path().filter(|_| is_wanted)?;
    DiskCache::open(&path).map_err(|why| super::output::print_note(&why)).map(Arc::new).ok()
}

/// Returns `profile scb-paper · 137 rules, FILE`, or what the rules are where they are not the profile's.
pub(crate) fn ruler_text(ruler: &Ruler) -> String {
    let (name, rules) = (ruler.display_name(), ruler.rules());
    let what = match ruler.is_comparable() {
        true => format!("profile {name}"),
        false => format!("{name} · not comparable with {}", ruler.profile()),
    };
    format!("{what} · {} rules, {}", rules.rule_count(), rules.source())
}

/// Reads the rules of a file or folder, none, or the built-in ones. Unusable rules are reported on standard error.
pub fn read_rules(path: Option<&Path>) -> Result<RuleSet, CommandFailure> {
    let Some(path) = path else { return Ok(RuleSet::built_in()) };
    if path == Path::new("none") {
        return Ok(RuleSet::none());
    }
    let rules = store::rule_files::read_rules(path).map_err(CommandFailure::cannot_read)?;
    rules.problems().iter().for_each(|problem| super::output::print_note(&problem.to_string()));
    if rules.rule_count() == 0 {
        let why = format!("{}: no usable rule", path.display());
        return Err(CommandFailure::cannot_understand(why));
    }
    Ok(rules)
}
