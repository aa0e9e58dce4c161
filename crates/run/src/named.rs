//! How a user names a judge or a judgement: the one rule that every command has.
//!
//! A judge is named by its name, a judgement by its file (`judgements/a.json`, `a.json` or `a`). The beginning is enough
//! where only one begins so, capital letters aside; judges come before judgements. Where several begin so, none is taken
//! and the sentence lists them.

use std::fmt;

use super::{
    coverage,
    rubric::{Judgement, Rubric},
};

/// What a user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A judge by its whole name.
    Judge(String),
    /// A judgement by its id ([`id_of`]).
    Judgement(String),
}

/// Why a word names nothing. Shown, it is a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotNamed {
    Nothing { word: String, judges: Vec<String>, judgements: Vec<String> },
    Several { word: String, are: Vec<String> },
}

/// Why a name is none of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    None,
    /// Positions of those that begin so.
    Several(Vec<usize>),
}

/// Position of the one that is called so: by its whole name, else by how only one begins, capital letters aside.
pub fn by_name(word: &str, names: &[&str]) -> Result<usize, Miss> {
    let word = word.trim();
    if let Some(at) = names.iter().position(|name| *name == word) {
        return Ok(at);
    }
    let lower = word.to_lowercase();
    let begins = |at: &usize| names[*at].to_lowercase().starts_with(&lower);
    let found: Vec<usize> = (0..names.len()).filter(begins).collect();
    match found.as_slice() {
        _ if word.is_empty() => Err(Miss::None),
        [] => Err(Miss::None),
        [only] => Ok(*only),
        _ => Err(Miss::Several(found)),
    }
}

/// The name of a judgement's file without folder and ending.
pub fn id_of(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".json").unwrap_or(name)
}

impl Named {
    /// What the word names in these runs.
    pub fn of(word: &str, rubrics: &[&Rubric]) -> Result<Self, NotNamed> {
        let all = || rubrics.iter().flat_map(|rubric| &rubric.judgements);
        let judges = distinct(all().map(|it| it.judge.name.as_str()));
        let ids = distinct(all().map(|it| id_of(&it.file)));
        let word = word.trim();
        let is_file = word.ends_with(".json") || word.contains('/');
        if judges.contains(&word) {
            return Ok(Self::Judge(word.to_owned()));
        }
        // A path is the one in the bundle or one from elsewhere, whose last part may be called as one of ours.
        if all().any(|it| it.file == word) || !word.contains('/') && ids.contains(&id_of(word)) {
            return Ok(Self::Judgement(id_of(word).to_owned()));
        }
        let several = |names: &[&str], found: Vec<usize>| NotNamed::Several {
            word: word.to_owned(),
            are: found.into_iter().filter_map(|at| Some((*names.get(at)?).to_owned())).collect(),
        };
        match by_name(word, if is_file { &[] } else { &judges }) {
            Ok(at) => return Ok(Self::Judge(judges[at].to_owned())),
            Err(Miss::Several(found)) => return Err(several(&judges, found)),
            Err(Miss::None) => {}
        }
        match by_name(if is_file { "" } else { word }, &ids) {
            Ok(at) => Ok(Self::Judgement(ids[at].to_owned())),
            Err(Miss::Several(found)) => Err(several(&ids, found)),
            Err(Miss::None) => {
                let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
                let (judges, judgements) = (owned(judges), owned(ids));
                Err(NotNamed::Nothing { word: word.to_owned(), judges, judgements })
            }
        }
    }

    /// The judgement that is meant in one run; None where it has none such. Of a judge it is the last made of the latest
    /// state: of those that cover the checklist, else of those with a score, else of all.
    pub fn in_run(&self, rubric: &Rubric) -> Option<usize> {
        let ours = || rubric.judgements.iter().filter(|it| self.is(it));
        let scored = || ours().filter(|it| it.verdicts.iter().any(|it| it.score.is_some()));
        let found = coverage::last_of(ours().filter(|it| rubric.covers(it)));
        let found = found.or_else(|| coverage::last_of(scored()));
        let found = found.or_else(|| coverage::last_of(ours()))?;
        rubric.judgements.iter().position(|it| std::ptr::eq(it, found))
    }

    fn is(&self, judgement: &Judgement) -> bool {
        match self {
            Self::Judge(name) => judgement.judge.name == *name,
            Self::Judgement(id) => id_of(&judgement.file) == id,
        }
    }
}

/// In their order, blank ones left out.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = vec![];
    for name in names.filter(|name| !name.is_empty()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

impl fmt::Display for NotNamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Several { word, are } => {
                write!(f, "{word:?} begins several: {}; write more of the name", are.join(", "))
            }
            Self::Nothing { word, judges, judgements } => {
                write!(f, "no judge and no judgement is called {word:?}; ")?;
                match (judges.is_empty(), judgements.is_empty()) {
                    (_, true) => f.write_str("there are no judgements"),
                    (true, false) => write!(f, "judgements: {}", judgements.join(", ")),
                    (false, false) => write!(
                        f,
                        "judges: {}; judgements: {}",
                        judges.join(", "),
                        judgements.join(", ")
                    ),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::{Judge, Verdict};

    fn judgement(name: &str, file: &str, score: Option<u8>) -> Judgement {
        let verdict = Verdict { component: "C1".into(), score, ..Verdict::default() };
        Judgement {
            file: format!("judgements/{file}.json"),
            judge: Judge { name: name.into(), ..Judge::default() },
            verdicts: vec![verdict],
            ..Judgement::default()
        }
    }

    fn rubric() -> Rubric {
        let judgements = vec![
            judgement("quick reader (made up)", "first", Some(1)),
            judgement("gpt-5", "gpt-5-2026-1", Some(2)),
            judgement("gpt-5", "gpt-5-2026-2", None),
            judgement("gpt-6", "human-final", Some(3)),
        ];
        Rubric { judgements, ..Rubric::default() }
    }

    fn named(word: &str) -> Result<Option<usize>, String> {
        let rubric = rubric();
        Named::of(word, &[&rubric]).map(|it| it.in_run(&rubric)).map_err(|why| why.to_string())
    }

    #[test]
    fn a_judge_or_a_judgement_is_named_whole_or_by_a_beginning_that_only_one_has() {
        let rows = [
            ("quick reader (made up)", 0),
            ("QUICK", 0),
            ("gpt-5", 1),
            ("gpt-6", 3),
            ("human", 3),
            ("judgements/gpt-5-2026-2.json", 2),
            ("gpt-5-2026-2.json", 2),
            ("gpt-5-2026-2", 2),
        ];
        assert!(named("/elsewhere/human-final.json").is_err());
        for (word, at) in rows {
            assert_eq!(named(word), Ok(Some(at)), "{word}");
        }
    }

    #[test]
    fn what_several_begin_with_and_what_nothing_is_called_lists_what_there_is() {
        assert_eq!(
            named("gpt").unwrap_err(),
            "\"gpt\" begins several: gpt-5, gpt-6; write more of the name"
        );
        let ids = "gpt-5-2026-1, gpt-5-2026-2";
        assert_eq!(
            named("gpt-5-20").unwrap_err(),
            format!("\"gpt-5-20\" begins several: {ids}; write more of the name")
        );
        assert_eq!(
            named("opus").unwrap_err(),
            format!(
                "no judge and no judgement is called \"opus\"; judges: quick reader (made up), gpt-5, gpt-6; \
                 judgements: first, {ids}, human-final"
            )
        );
        assert!(named("").unwrap_err().starts_with("no judge and no judgement is called"));
        let none = Named::of("a", &[&Rubric::default()]).unwrap_err().to_string();
        assert_eq!(none, "no judge and no judgement is called \"a\"; there are no judgements");
    }
}
