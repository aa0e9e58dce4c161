//! Reading rules, one document at a time, so that a broken one spoils no other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ast_grep_config::{GlobalRules, RuleConfig, Severity, from_str, from_yaml_string};
use ast_grep_core::Matcher;
use ast_grep_language::SupportLang;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{
    direct::Direct,
    plain_yaml,
    scan::{Rule, Said},
};
use trajview_code::tree::Grammar;

/// A rule that could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file it stands in.
    pub file: String,
    /// Its id, or `rule 3` where it has none.
    pub rule: String,
    /// Where it begins, counted from 1.
    pub line: usize,
    pub what: String,
}

/// One YAML document.
struct Document<'a> {
    file: &'a str,
    /// Its place among the documents of the file, counted from 1.
    number: usize,
    /// Where it begins, counted from 1.
    line: usize,
    /// Lines of the file before the text.
    before: usize,
    text: String,
}

/// Fewer documents than twice this are not worth another thread.
const ALONE: usize = 8;

/// What is looked at before the rest is trusted to the library.
#[derive(Deserialize)]
struct Head {
    id: Option<String>,
    language: Option<String>,
}

/// The rules that run, in the order they stand, and those that do not.
pub fn all(files: &[(&str, &str)]) -> (Vec<(Grammar, Rule)>, Vec<Problem>) {
    let (mut rules, mut problems) = (vec![], vec![]);
    let documents = files.iter().flat_map(|(file, text)| documents(file, text));
    let documents: Vec<Document<'_>> = documents.collect();
    let loaded = documents.par_iter().with_min_len(ALONE).map(load);
    for loaded in loaded.collect::<Vec<_>>() {
        match loaded {
            Ok(Some(rule)) => rules.push(rule),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    (rules, problems)
}

/// A hash of what the rules say, in hex.
pub fn fingerprint(files: &[(&str, &str)]) -> String {
    let counts = |line: &&str| {
        let line = line.trim();
        let is_about = ["severity:", "message:", "weight:"].iter().any(|key| line.starts_with(key));
        !line.is_empty() && !line.starts_with('#') && !is_about
    };
    let said = |document: Document<'_>| {
        let lines: Vec<&str> = document.text.lines().filter(counts).map(str::trim_end).collect();
        lines.join("\n")
    };
    let all = files.iter().flat_map(|(file, text)| documents(file, text));
    let mut all: Vec<String> = all.map(said).collect();
    all.sort_unstable();
    let hash = Sha256::digest(all.join("\n---\n"));
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The documents between lines of `---`, without those that say nothing.
fn documents<'a>(file: &'a str, text: &str) -> Vec<Document<'a>> {
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
        Document { file, number, line: line + first, before: line - 1, text }
    };
    (1..).zip(pieces).map(document).collect()
}

/// None for a rule that is switched off.
fn load(document: &Document<'_>) -> Result<Option<(Grammar, Rule)>, Problem> {
    match plainly(&document.text) {
        Some(loaded) => Ok(Some(loaded)),
        None => by_library(document),
    }
}

/// What a rule may say to be read without the library.
const PLAIN_KEYS: [&str; 8] =
    ["id", "language", "severity", "message", "note", "metadata", "rule", "constraints"];

/// A rule that says nothing unusual: the library, which makes every regular expression ready, would take it as it is. None
/// where that is not certain; it is asked then, and its words are those of the problem.
fn plainly(text: &str) -> Option<(Grammar, Rule)> {
    let said = plain_yaml::read(text).or_else(|| from_str::<Map<String, Value>>(text).ok())?;
    if said.keys().any(|key| !PLAIN_KEYS.contains(&key.as_str())) {
        return None;
    }
    let string = |key: &str| match said.get(key) {
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
    let metadata = match said.get("metadata") {
        None => Value::Null,
        Some(metadata) => Value::Object(metadata.as_object()?.clone()),
    };
    let constraints = match said.get("constraints") {
        None => None,
        Some(constraints) => Some(constraints.as_object()?),
    };
    let direct = Direct::read_plain(language, said.get("rule")?, constraints)?;
    let (message, note) = (string("message")?.unwrap_or_default(), string("note")?);
    let id = string("id")??;
    let said = Said { severity, message, note, metadata };
    let kinds = direct.kinds()?;
    Some((grammar, Rule::direct((id, language), said, (direct, kinds), text.to_owned())))
}

fn by_library(document: &Document<'_>) -> Result<Option<(Grammar, Rule)>, Problem> {
    // With the lines before it blank, so that the library counts as the file does.
    let text = "\n".repeat(document.before) + &document.text;
    let head: Head = from_str(&text).map_err(|error| document.problem(None, error))?;
    let id = head.id.clone().unwrap_or_else(|| format!("rule {}", document.number));
    let problem = |what: String| document.problem(Some(&id), what);
    let language = head.language.ok_or_else(|| problem("has no `language`".into()))?;
    let grammar = grammar(&language).map_err(problem)?;
    // A rule for a grammar that is not compiled in would panic in there; those are gone, but it is not our code.
    let loaded = catch_unwind(AssertUnwindSafe(|| config(&text)));
    let config =
        loaded.unwrap_or_else(|_| Err("the rule library gave up on it".into())).map_err(problem)?;
    if matches!(config.severity, Severity::Off) {
        return Ok(None);
    }
    check(&config).map_err(problem)?;
    Ok(Some((grammar, Rule::of_library(id, config))))
}

/// The library's rule of a document.
///
/// # Errors
///
/// What the library says against it.
pub fn config(text: &str) -> Result<RuleConfig<SupportLang>, String> {
    let mut rules = from_yaml_string::<SupportLang>(text, &GlobalRules::default())
        .map_err(|error| chain(&error))?;
    rules.pop().ok_or_else(|| "says nothing".into())
}

/// What the library would take but this program cannot do.
fn check(config: &RuleConfig<SupportLang>) -> Result<(), String> {
    if config.files.is_some() || config.ignores.is_some() {
        return Err(
            "`files` and `ignores` are not known here: a file is measured by what is in it".into(),
        );
    }
    if config.matcher.potential_kinds().is_none() {
        return Err("could match any node; give it a `kind` or a `pattern`".into());
    }
    Ok(())
}

/// The grammar of a rule's `language`, by any name ast-grep has for it.
fn grammar(language: &str) -> Result<Grammar, String> {
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

/// An error and what it comes from, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut words: Vec<String> = causes.map(|cause| cause.to_string().replace('\n', " ")).collect();
    words.dedup();
    words.join(": ")
}

impl Document<'_> {
    fn problem(&self, id: Option<&str>, what: impl ToString) -> Problem {
        let rule = id.map_or_else(|| format!("rule {}", self.number), str::to_owned);
        Problem { file: self.file.to_owned(), rule, line: self.line, what: what.to_string() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.rule, self.what)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;
    use crate::rules::BUILT_IN;

    const FORMS: (&str, &str) = ("forms.yml", include_str!("direct/forms.yml"));

    /// What is put into a document in the place of some of its characters.
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

    fn texts() -> Vec<(usize, String)> {
        let files = BUILT_IN.iter().copied().chain([FORMS]);
        let all = files.flat_map(|(file, text)| documents(file, text));
        all.map(|document| (document.before, document.text)).collect()
    }

    fn facts((grammar, rule): &(Grammar, Rule)) -> String {
        let mut kinds = rule.kinds().to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        format!("{grammar:?} {} {:?} {kinds:?}", rule.id, rule.said)
    }

    fn document(text: String) -> Document<'static> {
        Document { file: "a.yml", number: 1, line: 1, before: 0, text }
    }

    /// Says whether the rule needs no library to be loaded; if so, the library takes it, and as the same.
    fn is_plain(text: &str) -> bool {
        let Some(plain) = plainly(text) else { return false };
        let loaded = by_library(&document(text.to_owned())).unwrap().unwrap();
        assert_eq!(facts(&plain), facts(&loaded), "{text}");
        true
    }

    #[test]
    fn rules_that_are_loaded_without_the_library_are_those_that_it_loads() {
        let texts = texts();
        let plain = texts.iter().filter(|(_, text)| is_plain(text)).count();
        assert!(plain * 10 > texts.len() * 8, "{plain} of {}", texts.len());
    }

    /// Says whether the document is read without the YAML library; if so, that reads the same.
    fn is_plain_yaml(text: &str) -> bool {
        let Some(plain) = plain_yaml::read(text) else { return false };
        let read: Map<String, Value> = from_str(text).unwrap();
        assert_eq!(plain, read, "{text}");
        true
    }

    #[test]
    fn documents_that_are_read_without_the_yaml_library_are_those_that_it_reads() {
        let texts = texts();
        let plain = texts.iter().filter(|(_, text)| is_plain_yaml(text)).count();
        assert!(plain * 10 > texts.len() * 9, "{plain} of {}", texts.len());
    }

    #[test]
    fn a_problem_is_told_where_the_file_has_it() {
        let text = "# words\n---\nid: a\nlanguage: python\nseverity: info\nmessage: a\nrule:\n  regex: '('\n";
        let (rules, problems) = all(&[("a.yml", text)]);
        assert_eq!((rules.len(), problems.len()), (0, 1));
        assert_eq!((problems[0].line, problems[0].rule.as_str()), (3, "a"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_broken_rule_is_loaded_that_the_library_refuses(
            which in any::<Index>(), at in any::<Index>(), length in 0_usize..12, piece in any::<Index>(),
        ) {
            let texts = texts();
            let (_, text) = which.get(&texts);
            let chars: Vec<char> = text.chars().collect();
            let at = at.index(chars.len());
            let broken: String = chars[..at].iter().copied()
                .chain(piece.get(&PIECES).chars())
                .chain(chars[(at + length).min(chars.len())..].iter().copied())
                .collect();
            let _ = (is_plain_yaml(&broken), is_plain(&broken));
        }
    }
}
