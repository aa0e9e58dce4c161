//! The parts of a file that count as eroded or verbose, with their places: callables of high complexity, matches of
//! rules, pieces of clone groups.

use std::collections::{BTreeMap, HashMap};

use trajview_metrics::{
    quality::{HIGH_CC, QualityDetail, SourceSpan},
    rules::RuleSet,
};
use trajview_run::RepoPath;

/// The marks of every file, each list in the order of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeMarks {
    by_path: HashMap<String, Vec<CodeMark>>,
    /// The messages of the rules that matched.
    rules: BTreeMap<String, RuleWords>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CodeMark {
    pub span: SourceSpan,
    pub what: MarkKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MarkKind {
    Callable {
        name: String,
        cc: u32,
        sloc: u32,
        mass: f64,
    },
    /// A rule by its id.
    Rule(String),
    Clone {
        /// The places of the other pieces.
        others: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleWords {
    pub message: String,
    pub category: Option<String>,
    pub why: Option<String>,
}

impl CodeMarks {
    pub(crate) fn from_detail(detail: &QualityDetail, rules: &RuleSet) -> Self {
        let mut marks = Self::default();
        for callable in detail.callables.iter().filter(|it| it.cc > HIGH_CC) {
            let (name, cc, sloc) = (callable.name.clone(), callable.cc, callable.sloc);
            let what = MarkKind::Callable { name, cc, sloc, mass: callable.mass };
            marks.add_mark(&callable.path, callable.span, what);
        }
        for hit in &detail.hits {
            marks.add_mark(&hit.path, hit.span, MarkKind::Rule(hit.rule.clone()));
            if !marks.rules.contains_key(&hit.rule)
                && let Some(facts) = rules.find_rule(&hit.rule)
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
                marks.add_mark(&place.path, place.span, MarkKind::Clone { others });
            }
        }
        marks.by_path.values_mut().for_each(|marks| marks.sort_by_key(|mark| mark.span));
        marks
    }

    fn add_mark(&mut self, path: &str, span: SourceSpan, what: MarkKind) {
        self.by_path.entry(path.to_owned()).or_default().push(CodeMark { span, what });
    }

    pub(crate) fn marks_in_file(&self, path: &RepoPath) -> &[CodeMark] {
        self.by_path.get(path.as_str()).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn rule_words(&self, rule: &str) -> Option<&RuleWords> {
        self.rules.get(rule)
    }
}
