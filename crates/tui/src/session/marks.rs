//! What of a file counts as eroded or verbose, and where it stands: callables of high complexity, matches of rules, pieces
//! of clone groups.

use std::collections::{BTreeMap, HashMap};

use trajview_metrics::{
    quality::{Detail, HIGH_CC, Span},
    rules::Rules,
};
use trajview_run::RepoPath;

/// The marks of every file, each list in the order of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    by_path: HashMap<String, Vec<Mark>>,
    /// What the rules that were hit say of themselves.
    rules: BTreeMap<String, RuleWords>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub span: Span,
    pub what: Sort,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Sort {
    Callable {
        name: String,
        cc: u32,
        sloc: u32,
        mass: f64,
    },
    /// By its id.
    Rule(String),
    Clone {
        /// Where the others lie.
        others: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleWords {
    pub message: String,
    pub category: Option<String>,
    pub why: Option<String>,
}

impl Marks {
    pub fn of(detail: &Detail, rules: &Rules) -> Self {
        let mut marks = Self::default();
        for callable in detail.callables.iter().filter(|it| it.cc > HIGH_CC) {
            let (name, cc, sloc) = (callable.name.clone(), callable.cc, callable.sloc);
            let what = Sort::Callable { name, cc, sloc, mass: callable.mass };
            marks.put(&callable.path, callable.span, what);
        }
        for hit in &detail.hits {
            marks.put(&hit.path, hit.span, Sort::Rule(hit.rule.clone()));
            if !marks.rules.contains_key(&hit.rule)
                && let Some(facts) = rules.find(&hit.rule)
            {
                let words = RuleWords {
                    message: facts.message.to_owned(),
                    category: facts.category,
                    why: facts.why.map(str::to_owned),
                };
                marks.rules.insert(hit.rule.clone(), words);
            }
        }
        for group in &detail.clones {
            for place in &group.places {
                let others = group.places.iter().filter(|other| *other != place);
                let others = others.map(|it| format!("{}:{}", it.path, it.span.start)).collect();
                marks.put(&place.path, place.span, Sort::Clone { others });
            }
        }
        marks.by_path.values_mut().for_each(|marks| marks.sort_by_key(|mark| mark.span));
        marks
    }

    fn put(&mut self, path: &str, span: Span, what: Sort) {
        self.by_path.entry(path.to_owned()).or_default().push(Mark { span, what });
    }

    pub fn of_file(&self, path: &RepoPath) -> &[Mark] {
        self.by_path.get(path.as_str()).map_or(&[], Vec::as_slice)
    }

    pub fn words_of(&self, rule: &str) -> Option<&RuleWords> {
        self.rules.get(rule)
    }
}
