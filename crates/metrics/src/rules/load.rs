//! Loads rules, one document at a time, so that a broken one does not affect the others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ast_grep_config::{GlobalRules, RuleConfig, Severity, from_str, from_yaml_string};
use ast_grep_core::Matcher;
use ast_grep_language::SupportLang;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{
    direct::DirectRule,
    scan::{RuleTexts, ScanRule},
};
use trajview_assets::RULES;
use trajview_code::tree::Grammar;

/// A rule that could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleProblem {
    /// The file of the rule.
    pub file: String,
    /// The id of the rule, or `rule 3` where it has none.
    pub rule: String,
    /// Its first line, counted from 1.
    pub line: usize,
    pub what: String,
}

/// One YAML document.
pub(crate) struct RuleDocument<'a> {
    file: &'a str,
    /// Its number among the documents of the file, counted from 1.
    number: usize,
    /// Its first line, counted from 1.
    line: usize,
    /// The number of lines of the file before the text.
    before: usize,
    text: String,
    /// The document as JSON, where the build has made it.
    json: Option<&'static str>,
}

/// The fewest documents for each thread.
const ALONE: usize = 8;

/// The fields that are checked before the library reads the rest.
#[derive(Deserialize)]
struct RuleHead {
    id: Option<String>,
    language: Option<String>,
}

/// Returns the rules that run, in their order, and the problems of those that do not.
pub(crate) fn load_all(
    documents: &[RuleDocument<'_>],
) -> (Vec<(Grammar, ScanRule)>, Vec<RuleProblem>) {
    let (mut rules, mut problems) = (vec![], vec![]);
    let loaded = documents.par_iter().with_min_len(ALONE).map(load_document);
    for loaded in loaded.collect::<Vec<_>>() {
        match loaded {
            Ok(Some(rule)) => rules.push(rule),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    (rules, problems)
}

/// Returns a hash of the content of the rules, in hex.
pub(crate) fn rules_fingerprint(documents: &[RuleDocument<'_>]) -> String {
    let counts = |line: &&str| {
        let line = line.trim();
        let is_about = ["severity:", "message:", "weight:"].iter().any(|key| line.starts_with(key));
        !line.is_empty() && !line.starts_with('#') && !is_about
    };
    let fields = |document: &RuleDocument<'_>| {
        let lines: Vec<&str> = document.text.lines().filter(counts).map(str::trim_end).collect();
        lines.join("\n")
    };
    let mut all: Vec<String> = documents.iter().map(fields).collect();
    all.sort_unstable();
    let hash = Sha256::digest(all.join("\n---\n"));
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the documents of the built-in rules, with the JSON that the build has made of them.
pub(crate) fn built_in_documents() -> Vec<RuleDocument<'static>> {
    let mut all = vec![];
    for file in RULES {
        let documents = split_documents(file.name, file.text);
        for (document, json) in documents.into_iter().zip(file.documents) {
            all.push(RuleDocument { json: Some(json), ..document });
        }
    }
    all
}

/// Returns the documents between lines of `---`, without empty ones.
pub(crate) fn split_documents<'a>(file: &'a str, text: &str) -> Vec<RuleDocument<'a>> {
    let mut pieces: Vec<(usize, Vec<&str>)> = vec![(1, vec![])];
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_end() == "---" {
            pieces.push((number + 1, vec![]));
        } else if let Some((_, lines)) = pieces.last_mut() {
            lines.push(line);
        }
    }
    let says = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    pieces.retain(|(_, lines)| lines.iter().any(says));
    let document = |(number, (line, lines)): (usize, (usize, Vec<&str>))| {
        let first = lines.iter().position(says).unwrap_or(0);
        let text = lines.join("\n") + "\n";
        RuleDocument { file, number, line: line + first, before: line - 1, text, json: None }
    };
    (1..).zip(pieces).map(document).collect()
}

/// Loads a rule; None for one that is switched off.
fn load_document(document: &RuleDocument<'_>) -> Result<Option<(Grammar, ScanRule)>, RuleProblem> {
    match load_plain(document) {
        Some(loaded) => Ok(Some(loaded)),
        None => load_by_library(document),
    }
}

/// The keys of a rule that can be read without the library.
const PLAIN_KEYS: [&str; 8] =
    ["id", "language", "severity", "message", "note", "metadata", "rule", "constraints"];

/// Loads a rule without anything unusual, which the library would accept as it is (it compiles every regular
/// expression). None where that is not certain; the library is used then, and its message becomes that of the problem.
fn load_plain(document: &RuleDocument<'_>) -> Option<(Grammar, ScanRule)> {
    let text = &document.text;
    let fields: Map<String, Value> = match document.json {
        Some(json) => serde_json::from_str(json).ok()?,
        None => from_str(text).ok()?,
    };
    if fields.keys().any(|key| !PLAIN_KEYS.contains(&key.as_str())) {
        return None;
    }
    let string = |key: &str| match fields.get(key) {
        None => Some(None),
        Some(word) => Some(Some(word.as_str()?.to_owned())),
    };
    let language: SupportLang = string("language")??.parse().ok()?;
    let grammar = grammar_of(language).filter(|grammar| grammar.is_compiled_in())?;
    let severity = match string("severity")?.as_deref() {
        None | Some("hint") => Severity::Hint,
        Some("info") => Severity::Info,
        Some("warning") => Severity::Warning,
        Some("error") => Severity::Error,
        Some(_) => return None,
    };
    let metadata = match fields.get("metadata") {
        None => Value::Null,
        Some(metadata) => Value::Object(metadata.as_object()?.clone()),
    };
    let constraints = match fields.get("constraints") {
        None => None,
        Some(constraints) => Some(constraints.as_object()?),
    };
    let direct = DirectRule::from_plain(language, fields.get("rule")?, constraints)?;
    let (message, note) = (string("message")?.unwrap_or_default(), string("note")?);
    let id = string("id")??;
    let fields = RuleTexts { severity, message, note, metadata };
    let kinds = direct.matched_kinds()?;
    Some((grammar, ScanRule::from_direct((id, language), fields, (direct, kinds), text.clone())))
}

/// Loads a rule with the library; None for one that is switched off.
fn load_by_library(
    document: &RuleDocument<'_>,
) -> Result<Option<(Grammar, ScanRule)>, RuleProblem> {
    // Blank lines take the place of those before it, so that the library's line numbers are those of the file.
    let text = "\n".repeat(document.before) + &document.text;
    let head: RuleHead = from_str(&text).map_err(|error| document.new_problem(None, error))?;
    let id = head.id.clone().unwrap_or_else(|| format!("rule {}", document.number));
    let problem = |what: String| document.new_problem(Some(&id), what);
    let language = head.language.ok_or_else(|| problem("has no `language`".into()))?;
    let grammar = grammar_by_name(&language).map_err(problem)?;
    // A rule for a grammar that is not compiled in would panic in there; those are gone, but it is not our code.
    let loaded = catch_unwind(AssertUnwindSafe(|| library_config(&text)));
    let config =
        loaded.unwrap_or_else(|_| Err("the rule library gave up on it".into())).map_err(problem)?;
    if matches!(config.severity, Severity::Off) {
        return Ok(None);
    }
    check_supported(&config).map_err(problem)?;
    Ok(Some((grammar, ScanRule::of_library(id, config))))
}

/// Returns the library's rule for a document.
///
/// # Errors
///
/// Returns the library's error message.
pub(crate) fn library_config(text: &str) -> Result<RuleConfig<SupportLang>, String> {
    let mut rules = from_yaml_string::<SupportLang>(text, &GlobalRules::default())
        .map_err(|error| error_chain(&error))?;
    rules.pop().ok_or_else(|| "is empty".into())
}

/// Rejects features that the library accepts but this program does not support.
fn check_supported(config: &RuleConfig<SupportLang>) -> Result<(), String> {
    if config.files.is_some() || config.ignores.is_some() {
        return Err(
            "`files` and `ignores` are not known here: a file is measured by what is in it".into(),
        );
    }
    if config.matcher.potential_kinds().is_none() {
        return Err("could match any node; add a `kind` or a `pattern`".into());
    }
    Ok(())
}

/// Returns the grammar of a rule's `language`, by any name that ast-grep has for it.
fn grammar_by_name(language: &str) -> Result<Grammar, String> {
    let known: Option<SupportLang> = language.parse().ok();
    let grammar = known
        .and_then(grammar_of)
        .ok_or_else(|| format!("no grammar for language `{language}`"))?;
    let is_compiled_in = grammar.is_compiled_in();
    is_compiled_in
        .then_some(grammar)
        .ok_or_else(|| format!("`{language}` is not compiled into this build"))
}

fn grammar_of(language: SupportLang) -> Option<Grammar> {
    match language {
        SupportLang::C => Some(Grammar::C),
        SupportLang::Cpp => Some(Grammar::Cpp),
        SupportLang::Go => Some(Grammar::Go),
        SupportLang::Java => Some(Grammar::Java),
        SupportLang::JavaScript => Some(Grammar::JavaScript),
        SupportLang::Python => Some(Grammar::Python),
        SupportLang::Rust => Some(Grammar::Rust),
        SupportLang::Tsx => Some(Grammar::Tsx),
        SupportLang::TypeScript => Some(Grammar::TypeScript),
        _ => None,
    }
}

/// Returns an error with its causes, in one line.
fn error_chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut words: Vec<String> = causes.map(|cause| cause.to_string().replace('\n', " ")).collect();
    words.dedup();
    words.join(": ")
}

impl RuleDocument<'_> {
    fn new_problem(&self, id: Option<&str>, what: impl ToString) -> RuleProblem {
        let rule = id.map_or_else(|| format!("rule {}", self.number), str::to_owned);
        RuleProblem { file: self.file.to_owned(), rule, line: self.line, what: what.to_string() }
    }
}

impl std::fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.rule, self.what)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;
    const FORMS: (&str, &str) = ("forms.yml", include_str!("direct/forms.yml"));

    /// Texts that replace some characters of a document.
    const PIECES: [&str; 31] = [
        "",
        "x",
        ": ",
        "0",
        "- ",
        "not:",
        "{",
        "\\d+",
        "(",
        "\n",
        "null",
        "~",
        " #",
        "  ",
        "\"",
        "'",
        "|\n",
        "- - a\n",
        "a: 1\n",
        "\n\n",
        "1.5",
        "\\x41",
        "]",
        ">",
        "&a ",
        "yes",
        "{a: b}",
        ", ",
        "[]",
        "kind: block\n",
        "severity: off\n",
    ];

    fn document_texts() -> Vec<String> {
        let all = built_in_documents().into_iter().chain(split_documents(FORMS.0, FORMS.1));
        all.map(|document| document.text).collect()
    }

    fn rule_line((grammar, rule): &(Grammar, ScanRule)) -> String {
        let mut kinds = rule.kinds().to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        format!("{grammar:?} {} {:?} {kinds:?}", rule.id, rule.texts)
    }

    fn document_of(text: String) -> RuleDocument<'static> {
        RuleDocument { file: "a.yml", number: 1, line: 1, before: 0, text, json: None }
    }

    /// Returns whether the rule loads without the library; if so, checks that the library loads the same rule.
    fn is_plain(text: &str) -> bool {
        let document = document_of(text.to_owned());
        let Some(plain) = load_plain(&document) else { return false };
        let loaded = load_by_library(&document).unwrap().unwrap();
        assert_eq!(rule_line(&plain), rule_line(&loaded), "{text}");
        true
    }

    #[test]
    fn rules_that_are_loaded_without_the_library_are_those_that_it_loads() {
        let texts = document_texts();
        let plain = texts.iter().filter(|text| is_plain(text)).count();
        assert!(plain * 10 > texts.len() * 8, "{plain} of {}", texts.len());
    }

    #[test]
    fn the_json_of_a_built_in_rule_is_what_the_library_reads() {
        let documents = built_in_documents();
        let lines = RULES.iter().flat_map(|file| file.text.lines());
        assert_eq!(documents.len(), lines.filter(|line| line.starts_with("id: ")).count());

        for RuleDocument { text, json, .. } in documents {
            let read: Map<String, Value> = from_str(&text).unwrap();
            assert_eq!(serde_json::from_str::<Map<String, Value>>(json.unwrap()).unwrap(), read);
        }
    }

    #[test]
    fn a_problem_is_told_where_the_file_has_it() {
        let text = "# words\n---\nid: a\nlanguage: python\nseverity: info\nmessage: a\nrule:\n  regex: '('\n";
        let (rules, problems) = load_all(&split_documents("a.yml", text));
        assert_eq!((rules.len(), problems.len()), (0, 1));
        assert_eq!((problems[0].line, problems[0].rule.as_str()), (3, "a"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_broken_rule_is_loaded_that_the_library_refuses(
            which in any::<Index>(), at in any::<Index>(), length in 0_usize..12, piece in any::<Index>(),
        ) {
            let texts = document_texts();
            let text = which.get(&texts);
            let chars: Vec<char> = text.chars().collect();
            let at = at.index(chars.len());
            let broken: String = chars[..at].iter().copied()
                .chain(piece.get(&PIECES).chars())
                .chain(chars[(at + length).min(chars.len())..].iter().copied())
                .collect();
            let _ = is_plain(&broken);
        }
    }
}
