//! The criteria that flags are given by: one JSON file (schema `trajview.criteria/1`), known by the SHA-256 of its bytes.
//!
//! Criteria of one category are judged together: one conversation is about one [`CriteriaGroup`].

use serde::Deserialize;

use trajview_run::flags::{CRITERIA, FlagKind};
use trajview_store::sha256;

pub const SCHEMA: &str = "trajview.criteria/1";

/// Largest file of criteria (bytes).
pub const MOST_BYTES: usize = 1 << 20;

/// All criteria of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criteria {
    /// The groups in the order of the file.
    pub groups: Vec<CriteriaGroup>,
    /// Hex digits, over the file's bytes.
    pub sha256: String,
    /// The source: a path, or `built in`.
    pub origin: String,
}

/// The criteria of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriteriaGroup {
    /// The category.
    pub id: String,
    /// The criteria, at least one; ids are distinct in the whole file.
    pub criteria: Vec<FlagCriterion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FlagCriterion {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: FlagKind,
    pub category: String,
    pub look_for: String,
    /// An example of what is like it and all right.
    #[serde(default)]
    pub does_not_count: String,
}

#[derive(Deserialize)]
struct CriteriaFile {
    schema: String,
    criteria: Vec<FlagCriterion>,
}

impl Criteria {
    /// Returns the criteria of `assets/judge/flags.json`.
    pub fn built_in() -> Self {
        // A test reads the file: it has no error.
        Self::parse(CRITERIA.as_bytes(), "built in").unwrap_or_else(|_| Self {
            groups: vec![],
            sha256: sha256(CRITERIA.as_bytes()),
            origin: "built in".into(),
        })
    }

    /// Returns criteria of the user's own. The error is a sentence without the file's name.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self, String> {
        if bytes.len() > MOST_BYTES {
            return Err(format!("is longer than {} KB; not a file of criteria", MOST_BYTES >> 10));
        }
        let file: CriteriaFile =
            serde_json::from_slice(bytes).map_err(|why| format!("has no criteria: {why}"))?;
        if file.schema != SCHEMA {
            return Err(format!("has the schema {:?}; expected {SCHEMA:?}", file.schema));
        }
        let mut groups: Vec<CriteriaGroup> = vec![];
        for criterion in file.criteria {
            check_criterion(&criterion, &groups)?;
            match groups.iter_mut().find(|group| group.id == criterion.category) {
                Some(group) => group.criteria.push(criterion),
                None => groups.push(CriteriaGroup {
                    id: criterion.category.clone(),
                    criteria: vec![criterion],
                }),
            }
        }
        if groups.is_empty() {
            return Err("names no criterion".into());
        }
        Ok(Self { groups, sha256: sha256(bytes), origin: origin.to_owned() })
    }
}

fn check_criterion(criterion: &FlagCriterion, before: &[CriteriaGroup]) -> Result<(), String> {
    let FlagCriterion { id, category, look_for, .. } = criterion;
    if [id, category, look_for].iter().any(|text| text.trim().is_empty()) {
        return Err(format!(
            "has a criterion {id:?} without an id, a category or what to look for"
        ));
    }
    let mut earlier = before.iter().flat_map(|group| &group.criteria);
    match earlier.any(|other| other.id == *id) {
        true => Err(format!("has the criterion {id} twice")),
        false => Ok(()),
    }
}

impl CriteriaGroup {
    /// Returns a criterion by its id or its name, in whatever case.
    pub(crate) fn find_criterion(&self, word: &str) -> Option<&FlagCriterion> {
        let word = word.trim();
        let is_it = |it: &&FlagCriterion| {
            it.id.eq_ignore_ascii_case(word) || it.name.eq_ignore_ascii_case(word)
        };
        self.criteria.iter().find(is_it)
    }

    /// Returns the text for a prompt.
    pub fn prompt_text(&self) -> String {
        let one = |it: &FlagCriterion| {
            let but = match it.does_not_count.trim() {
                "" => String::new(),
                but => format!("\n  Does not count: {but}"),
            };
            format!("- {}: {}\n  Look for: {}{but}", it.id, it.name, it.look_for.trim())
        };
        self.criteria.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_criteria_are_a_score_and_a_few_in_groups() {
        let criteria = Criteria::parse(CRITERIA.as_bytes(), "built in").unwrap();

        let ids: Vec<(&str, usize)> =
            criteria.groups.iter().map(|it| (it.id.as_str(), it.criteria.len())).collect();
        assert_eq!(
            ids,
            [
                ("words", 5),
                ("needless", 4),
                ("caution", 4),
                ("leftovers", 4),
                ("duplication", 4),
                ("shape", 5)
            ]
        );
        assert_eq!(criteria, Criteria::built_in());
        let all = criteria.groups.iter().flat_map(|it| &it.criteria);
        assert!(all.clone().all(|it| !it.does_not_count.is_empty() && !it.name.is_empty()));
        assert_eq!(all.filter(|it| it.kind == FlagKind::Verbosity).count(), 13);
    }

    #[test]
    fn a_group_is_told_in_words() {
        let own = br#"{"schema": "trajview.criteria/1", "criteria": [
            {"id": "a", "name": "An A", "type": "erosion", "category": "x", "look_for": "As."}]}"#;

        let criteria = Criteria::parse(own, "mine.json").unwrap();

        assert_eq!(criteria.groups[0].prompt_text(), "- a: An A\n  Look for: As.");
        assert_eq!(criteria.groups[0].find_criterion(" an a ").unwrap().id, "a");
    }

    #[test]
    fn what_holds_no_criteria_is_told() {
        let wrong = |text: &str| Criteria::parse(text.as_bytes(), "x").unwrap_err();
        let one =
            r#"{"id": "a", "name": "A", "type": "erosion", "category": "x", "look_for": "As."}"#;
        let file = |criteria: &str| {
            format!(r#"{{"schema": "trajview.criteria/1", "criteria": [{criteria}]}}"#)
        };

        assert!(wrong("[]").starts_with("has no criteria: "));
        assert!(wrong(&file(&one.replace("erosion", "slop"))).contains("unknown variant `slop`"));
        assert_eq!(wrong(&file("")), "names no criterion");
        assert_eq!(wrong(&file(&format!("{one},{one}"))), "has the criterion a twice");
        assert_eq!(
            wrong(&file(one).replace("criteria/1", "criteria/2")),
            "has the schema \"trajview.criteria/2\"; expected \"trajview.criteria/1\""
        );
        assert!(wrong(&file(&one.replace("As.", " "))).contains("what to look for"));
    }
}
