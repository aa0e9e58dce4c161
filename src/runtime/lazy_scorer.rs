//! The scorer of code: created when first needed, by the worker that needs it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use trajview_analysis::Scorer;
use trajview_metrics::{
    quality::{QualityProfile, Ruler},
    rules::RuleSet,
};
use trajview_store as store;
use trajview_store::DiskCache;
use trajview_tui::session::{code_measures::RulerName, jobs::MeasureSettings};

use super::ScreenOptions;

/// A scorer that is created when first needed.
#[derive(Debug, Default)]
pub struct LazyScorer {
    profile: QualityProfile,
    rules: Option<PathBuf>,
    caches: bool,
    made: OnceLock<Result<Scorer, String>>,
}

impl LazyScorer {
    pub fn from_options(options: &ScreenOptions) -> Self {
        Self {
            profile: options.config.profile,
            rules: options.config.rules.clone(),
            caches: options.caches,
            made: OnceLock::new(),
        }
    }

    /// Returns a scorer with the settings of the screen.
    pub(crate) fn with_measure(&self, measure: MeasureSettings) -> Self {
        let MeasureSettings { profile, rules, .. } = measure;
        Self { profile, rules, caches: self.caches, made: OnceLock::new() }
    }

    /// Returns another scorer with the same settings and its own memory.
    pub(crate) fn fresh_copy(&self) -> Self {
        Self {
            profile: self.profile,
            rules: self.rules.clone(),
            caches: self.caches,
            made: OnceLock::new(),
        }
    }

    /// Returns the scorer, created if needed. Optional parts that are missing cause only a notice. The error is a sentence.
    pub(crate) fn get_scorer(&self, say: &dyn Fn(String)) -> Result<&Scorer, String> {
        let made = self.made.get_or_init(|| {
            let ruler = self.make_ruler(say)?;
            Ok(Scorer::new(ruler, self.open_cache(say).map(Arc::new)))
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn make_ruler(&self, say: &dyn Fn(String)) -> Result<Ruler, String> {
        let rules = match &self.rules {
            None => RuleSet::built_in(),
            Some(path) => user_rules(path, say)?,
        };
        Ok(Ruler::new(self.profile, rules))
    }

    fn open_cache(&self, say: &dyn Fn(String)) -> Option<DiskCache> {
        let path = DiskCache::default_path().filter(|_| self.caches)?;
        DiskCache::open(&path).map_err(say).ok()
    }
}

fn user_rules(path: &Path, say: &dyn Fn(String)) -> Result<RuleSet, String> {
    let rules = store::rule_files::read_rules(path)?;
    if rules.rule_count() == 0 {
        return Err(format!("{}: no rule that can be used", path.display()));
    }
    if let Some(problem) = rules.problems().first() {
        let count = rules.problems().len();
        let what = format!("{}:{}: {}", problem.file, problem.line, problem.what);
        say(format!("{count} of the rules cannot be used; the first: {what}"));
    }
    Ok(rules)
}

pub(crate) fn ruler_name(ruler: &Ruler) -> RulerName {
    RulerName {
        name: ruler.display_name(),
        is_comparable: ruler.is_comparable(),
        rules: ruler.rules().rule_count(),
        source: ruler.rules().source().to_owned(),
    }
}
