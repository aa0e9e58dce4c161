//! The names by which a user selects a judge or a judgement: one rule for every command.
//!
//! A judge is named by its name, a judgement by its file (`judgements/a.json`, `a.json` or `a`). The beginning is enough
//! where only one begins so, capital letters aside; judges come before judgements. Where several begin so, none is taken
//! and the sentence lists them.

use std::fmt;

use super::{
    coverage,
    rubric::{Judgement, Rubric},
};

/// The judge or judgement that a user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeSelection {
    /// A judge by its whole name.
    Judge(String),
    /// A judgement by its id ([`judgement_id`]).
    Judgement(String),
}

/// The reason why a word names nothing. Shown, it is a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameError {
    Nothing { word: String, judges: Vec<String>, judgements: Vec<String> },
    Several { word: String, are: Vec<String> },
}

/// The reason why a name is not in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameMiss {
    None,
    /// Positions of those that begin so.
    Several(Vec<usize>),
}

/// Returns position of the one that is called so: by its whole name, else by how only one begins, capital letters aside.
pub fn position_by_name(word: &str, names: &[&str]) -> Result<usize, NameMiss> {
    let word = word.trim();
    if let Some(at) = names.iter().position(|name| *name == word) {
        return Ok(at);
    }
    let lower = word.to_lowercase();
    let begins = |at: &usize| names[*at].to_lowercase().starts_with(&lower);
    let positions: Vec<usize> = (0..names.len()).filter(begins).collect();
    match positions.as_slice() {
        _ if word.is_empty() => Err(NameMiss::None),
        [] => Err(NameMiss::None),
        [only] => Ok(*only),
        _ => Err(NameMiss::Several(positions)),
    }
}

/// Returns the name of a judgement's file without folder and ending.
pub(crate) fn judgement_id(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".json").unwrap_or(name)
}

impl Judgement {
    /// Returns whether this is the whole name of its judge, or the name of its file, with or without folder and ending.
    pub fn is_named(&self, word: &str) -> bool {
        self.judge.name == word || self.has_file_name(word)
    }

    /// Returns whether this is the name of its file, with or without folder and ending.
    pub(crate) fn has_file_name(&self, word: &str) -> bool {
        !self.file.is_empty() && judgement_id(&self.file) == judgement_id(word)
    }
}

impl JudgeSelection {
    /// Returns the judge or judgement of these runs that the word names.
    pub fn find_in(word: &str, rubrics: &[&Rubric]) -> Result<Self, NameError> {
        let all = || rubrics.iter().flat_map(|rubric| &rubric.judgements);
        let judges = distinct_names(all().map(|it| it.judge.name.as_str()));
        let ids = distinct_names(all().map(|it| judgement_id(&it.file)));
        let word = word.trim();
        let is_file = word.ends_with(".json") || word.contains('/');
        if judges.contains(&word) {
            return Ok(Self::Judge(word.to_owned()));
        }
        // A path is the one in the bundle or one from elsewhere, whose last part may be called as one of ours.
        if all().any(|it| it.file == word)
            || !word.contains('/') && ids.contains(&judgement_id(word))
        {
            return Ok(Self::Judgement(judgement_id(word).to_owned()));
        }
        let several = |names: &[&str], positions: Vec<usize>| NameError::Several {
            word: word.to_owned(),
            are: positions
                .into_iter()
                .filter_map(|at| Some((*names.get(at)?).to_owned()))
                .collect(),
        };
        match position_by_name(word, if is_file { &[] } else { &judges }) {
            Ok(at) => return Ok(Self::Judge(judges[at].to_owned())),
            Err(NameMiss::Several(positions)) => return Err(several(&judges, positions)),
            Err(NameMiss::None) => {}
        }
        match position_by_name(if is_file { "" } else { word }, &ids) {
            Ok(at) => Ok(Self::Judgement(ids[at].to_owned())),
            Err(NameMiss::Several(positions)) => Err(several(&ids, positions)),
            Err(NameMiss::None) => {
                let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
                let (judges, judgements) = (owned(judges), owned(ids));
                Err(NameError::Nothing { word: word.to_owned(), judges, judgements })
            }
        }
    }

    /// Returns the judgement that is meant in one run; None where it has none such. Of a judge it is the last made of the latest
    /// state: of those that cover the checklist, else of those with a score, else of all.
    pub fn position_in_run(&self, rubric: &Rubric) -> Option<usize> {
        let ours = || rubric.judgements.iter().filter(|it| self.selects_judgement(it));
        let scored = || ours().filter(|it| it.verdicts.iter().any(|it| it.score.is_some()));
        let judgement = coverage::latest_judgement(ours().filter(|it| rubric.is_covered_by(it)));
        let judgement = judgement.or_else(|| coverage::latest_judgement(scored()));
        let judgement = judgement.or_else(|| coverage::latest_judgement(ours()))?;
        rubric.judgements.iter().position(|it| std::ptr::eq(it, judgement))
    }

    fn selects_judgement(&self, judgement: &Judgement) -> bool {
        match self {
            Self::Judge(name) => judgement.judge.name == *name,
            Self::Judgement(id) => judgement_id(&judgement.file) == id,
        }
    }
}

/// Returns the distinct names in their order, without blank ones.
fn distinct_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = vec![];
    for name in names.filter(|name| !name.is_empty()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Several { word, are } => {
                write!(f, "{word:?} matches several: {}; type more of the name", are.join(", "))
            }
            Self::Nothing { word, judges, judgements } => {
                write!(f, "no judge and no judgement is called {word:?}; ")?;
                match (judges.is_empty(), judgements.is_empty()) {
                    (_, true) => f.write_str("no judgements"),
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

    fn sample_judgement(name: &str, file: &str, score: Option<u8>) -> Judgement {
        let verdict = Verdict { component: "C1".into(), score, ..Verdict::default() };
        Judgement {
            file: format!("judgements/{file}.json"),
            judge: Judge { name: name.into(), ..Judge::default() },
            verdicts: vec![verdict],
            ..Judgement::default()
        }
    }

    fn sample_rubric() -> Rubric {
        let judgements = vec![
            sample_judgement("quick reader (made up)", "first", Some(1)),
            sample_judgement("gpt-5", "gpt-5-2026-1", Some(2)),
            sample_judgement("gpt-5", "gpt-5-2026-2", None),
            sample_judgement("gpt-6", "human-final", Some(3)),
        ];
        Rubric { judgements, ..Rubric::default() }
    }

    fn find_position(word: &str) -> Result<Option<usize>, String> {
        let rubric = sample_rubric();
        JudgeSelection::find_in(word, &[&rubric])
            .map(|it| it.position_in_run(&rubric))
            .map_err(|why| why.to_string())
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
        assert!(find_position("/elsewhere/human-final.json").is_err());
        for (word, at) in rows {
            assert_eq!(find_position(word), Ok(Some(at)), "{word}");
        }
    }

    #[test]
    fn what_several_begin_with_and_what_nothing_is_called_lists_what_there_is() {
        assert_eq!(
            find_position("gpt").unwrap_err(),
            "\"gpt\" matches several: gpt-5, gpt-6; type more of the name"
        );
        let ids = "gpt-5-2026-1, gpt-5-2026-2";
        assert_eq!(
            find_position("gpt-5-20").unwrap_err(),
            format!("\"gpt-5-20\" matches several: {ids}; type more of the name")
        );
        assert_eq!(
            find_position("opus").unwrap_err(),
            format!(
                "no judge and no judgement is called \"opus\"; judges: quick reader (made up), gpt-5, gpt-6; \
                 judgements: first, {ids}, human-final"
            )
        );
        assert!(find_position("").unwrap_err().starts_with("no judge and no judgement is called"));
        let none = JudgeSelection::find_in("a", &[&Rubric::default()]).unwrap_err().to_string();
        assert_eq!(none, "no judge and no judgement is called \"a\"; no judgements");
    }
}
