//! What each level of a scale means: what raters go by, and what a judge is told.
//!
//! The built-in words are those of the judge's prompts, read out of them ([`Criterion::of_prompt`]), so that there is one
//! text. A codebook of a person's own takes their place in the prompt (`Codebook::in_prompt`); by the SHA-256 of the
//! prompt a judgement tells whether its judge was given the same text ([`Codebook::given_to`]).

use std::{collections::BTreeMap, sync::OnceLock};

use sha2::{Digest, Sha256};

use super::{
    given::{Overall, ScoredBy},
    unit::{Scale, Unit, written},
};

/// The prompt for components.
pub const COMPONENTS_PROMPT: &str = trajview_assets::COMPONENTS_PROMPT;

/// The prompt for decisions.
pub const DECISIONS_PROMPT: &str = trajview_assets::DECISIONS_PROMPT;

/// The prompt for components that are scored by a codebook on scales of its own; its levels are filled in.
pub const CODEBOOK_PROMPT: &str = trajview_assets::CODEBOOK_PROMPT;

/// Where the words are that [`Codebook::origin`] names.
pub const BUILT_IN: &str = "built in";

/// The headings of a prompt below which its levels stand.
const HEADINGS: [&str; 2] = ["# Levels", "# Verdicts"];

/// What raters go by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Codebook {
    /// One at least in a codebook that was read; each with an id where there are several.
    pub criteria: Vec<Criterion>,
    /// What several criteria on one scale make together; None where nothing says it, and there is no score of all.
    pub overall: Option<Overall>,
    /// Where it is written: a file, or [`BUILT_IN`].
    pub origin: String,
}

/// What an item is labelled by.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// As labels name it; None where it is the only one.
    pub id: Option<String>,
    /// Empty where nothing is said.
    pub name: String,
    pub scale: Scale,
    /// From the lowest.
    pub levels: Vec<Level>,
    /// What holds between levels; empty where nothing is said.
    pub rule: String,
}

/// One level.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    pub score: f64,
    /// Empty where it has none.
    pub name: String,
    /// Empty where nothing is said.
    pub means: String,
    pub examples: Vec<String>,
}

/// Whether a judge was given the text that raters go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenTo {
    Same,
    /// Another prompt.
    Another,
    /// Nothing says which prompt it was given.
    NotRecorded,
}

impl GivenTo {
    /// `quick-reader was given the same text`
    pub fn said_of(self, judge: &str) -> String {
        match self {
            Self::Same => format!("{judge} was given the same text"),
            Self::Another => format!("{judge} was given another prompt"),
            Self::NotRecorded => format!("not recorded whether {judge} was given this text"),
        }
    }
}

impl Codebook {
    /// The words that hold where nobody wrote others.
    pub fn built_in(unit: Unit) -> &'static Self {
        static ALL: OnceLock<BTreeMap<Unit, Codebook>> = OnceLock::new();
        static NONE: Codebook = Codebook { criteria: vec![], overall: None, origin: String::new() };
        let all = ALL.get_or_init(|| Unit::ALL.into_iter().map(|it| (it, Self::of(it))).collect());
        all.get(&unit).unwrap_or(&NONE)
    }

    fn of(unit: Unit) -> Self {
        let of_prompt = prompt(unit).and_then(|text| Criterion::of_prompt(text, unit));
        let criterion = of_prompt.unwrap_or_else(|| Criterion::plain(unit));
        Self { criteria: vec![criterion], overall: None, origin: BUILT_IN.into() }
    }

    /// The criterion of that id; without one the only one there is.
    pub fn criterion(&self, id: Option<&str>) -> Option<&Criterion> {
        match id {
            Some(id) => self.criteria.iter().find(|it| it.id.as_deref() == Some(id)),
            None => self.criteria.first(),
        }
    }

    /// Whether one score on the unit's own scale is all that it asks for.
    pub fn is_on_own_scale(&self, unit: Unit) -> bool {
        matches!(self.criteria.as_slice(), [only] if only.scale == unit.scale())
    }

    /// What is scored by, in order.
    pub fn scored_by(&self) -> Vec<ScoredBy> {
        let by = |it: &Criterion| ScoredBy { criterion: it.id.clone(), scale: it.scale };
        self.criteria.iter().map(by).collect()
    }

    /// What a judge of a unit is told where nobody wrote other words; None where a codebook has no place in them.
    pub fn prompt(&self, unit: Unit) -> Option<String> {
        if unit == Unit::Component && !self.criteria.is_empty() && !self.is_on_own_scale(unit) {
            return self.scales_in_prompt(CODEBOOK_PROMPT);
        }
        self.in_prompt(prompt(unit)?, unit)
    }

    /// A prompt with what is said of each criterion and an example of the answer.
    fn scales_in_prompt(&self, prompt: &str) -> Option<String> {
        let (start, end) = levels_of(prompt)?;
        let said = match self.criteria.as_slice() {
            [only] if only.id.is_none() => {
                format!("Give exactly one score, {}:\n\n{}", only.numbers(), only.list())
            }
            several => {
                let of = |it: &Criterion| {
                    let id = it.id.as_deref().unwrap_or_default();
                    let name =
                        if it.name.is_empty() { String::new() } else { format!(": {}", it.name) };
                    format!("## {id}{name}\n\nOne score, {}:\n\n{}", it.numbers(), it.list())
                };
                let each = several.iter().map(of).collect::<Vec<_>>().join("\n");
                format!(
                    "Give one score for each of these criteria, on the scale of each:\n\n{each}"
                )
            }
        };
        let rest = prompt[end..].replace("{answer}", &self.example());
        Some(format!("{}\n{said}\n{rest}", &prompt[..start]))
    }

    /// An answer as a judge may give it that scores by these criteria, in JSON.
    pub fn example(&self) -> String {
        let middle = |it: &Criterion| match it.scale {
            Scale::Levels { low, high } => written(f64::from(low) + f64::from((high - low) / 2)),
            Scale::Share => "0.5".to_owned(),
        };
        let scores = match self.criteria.as_slice() {
            [only] if only.id.is_none() => format!("\"score\": {}", middle(only)),
            several => {
                let of = |it: &Criterion| {
                    format!("{:?}: {}", it.id.as_deref().unwrap_or_default(), middle(it))
                };
                let each = several.iter().map(of).collect::<Vec<_>>().join(", ");
                format!("\"scores\": {{{each}}}")
            }
        };
        format!(
            "{{{scores}, \"rationale\": \"two to five sentences\", \"evidence\": [{{\"path\": \"src/model.py\", \
             \"start\": 10, \"end\": 42}}]}}"
        )
    }

    /// A prompt with these levels in the place of its own; None where it has none, and where they are of another scale
    /// than the one a judge answers on.
    fn in_prompt(&self, prompt: &str, unit: Unit) -> Option<String> {
        let [criterion] = self.criteria.as_slice() else { return None };
        let (start, end) = levels_of(prompt)?;
        if criterion.scale != unit.scale() {
            return None;
        }
        if Criterion::of_prompt(prompt, unit).as_ref() == Some(criterion) {
            return Some(prompt.to_owned());
        }
        let mut text = prompt[..start].to_owned();
        text.push_str("\nGive exactly one:\n\n");
        for level in &criterion.levels {
            text.push_str(&format!("- {}\n", level.in_words(unit)));
            level.examples.iter().for_each(|it| text.push_str(&format!("  Example: {it}\n")));
        }
        if !criterion.rule.is_empty() {
            text.push_str(&format!("\n{}\n", criterion.rule));
        }
        text.push('\n');
        text.push_str(&prompt[end..]);
        Some(text)
    }

    /// Whether the judge whose prompt has this SHA-256 was given this text.
    pub fn given_to(&self, prompt_sha256: Option<&str>, unit: Unit) -> GivenTo {
        let Some(given) = prompt_sha256 else { return GivenTo::NotRecorded };
        let sha = self.prompt(unit).map(|text| sha256(text.as_bytes()));
        // What is recorded may be cut short.
        let is_same = sha.is_some_and(|sha| given.len() >= 8 && sha.starts_with(given));
        if is_same { GivenTo::Same } else { GivenTo::Another }
    }
}

/// The built-in prompt in which the levels of a unit stand.
const fn prompt(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Component => Some(COMPONENTS_PROMPT),
        Unit::Decision => Some(DECISIONS_PROMPT),
        // The question of each part names its own levels; the others are no levels of a prompt of ours.
        Unit::Process | Unit::Leaf | Unit::Flag | Unit::Signal => None,
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// From behind the heading of the levels to the next heading.
fn levels_of(prompt: &str) -> Option<(usize, usize)> {
    let at = |line: &str| line.as_ptr() as usize - prompt.as_ptr() as usize;
    let mut lines = prompt.lines();
    let heading = lines.find(|line| HEADINGS.contains(&line.trim()))?;
    let start = (at(heading) + heading.len() + 1).min(prompt.len());
    let end = lines.find(|line| line.starts_with("# ")).map_or(prompt.len(), at);
    Some((start, end))
}

impl Criterion {
    /// The levels of a unit by their names alone.
    pub fn plain(unit: Unit) -> Self {
        let names = unit.levels().names.iter().enumerate();
        let level = |(at, name): (usize, &&str)| Level {
            score: at as f64,
            name: (*name).to_owned(),
            means: String::new(),
            examples: vec![],
        };
        let levels = names.map(level).collect();
        Self { id: None, name: String::new(), scale: unit.scale(), levels, rule: String::new() }
    }

    /// What a prompt says of the levels: a list, `- 0 Absent: what it means`, and what stands behind it. None where it has
    /// no such list, or not every level is in it.
    pub fn of_prompt(prompt: &str, unit: Unit) -> Option<Self> {
        let (start, end) = levels_of(prompt)?;
        let mut criterion = Self { levels: vec![], ..Self::plain(unit) };
        let names = unit.levels().names;
        let (mut is_in_level, mut rule) = (false, vec![]);
        for line in prompt[start..end].lines() {
            let listed = line.strip_prefix("- ");
            let words = line.trim();
            if let Some((head, means)) = listed.and_then(|words| words.split_once(": ")) {
                let name = head.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
                let at = names.iter().position(|it| *it == name);
                is_in_level = at.is_some();
                criterion.levels.extend(at.map(|at| Level {
                    score: at as f64,
                    name: name.to_owned(),
                    means: means.to_owned(),
                    examples: vec![],
                }));
            } else if words.is_empty() {
                is_in_level = false;
            } else if let Some(level) = criterion.levels.last_mut().filter(|_| is_in_level) {
                level.means = format!("{} {words}", level.means);
            } else if !criterion.levels.is_empty() && line.starts_with(words) {
                rule.push(words);
            }
        }
        criterion.rule = rule.join(" ");
        criterion.levels.sort_by(|a, b| a.score.total_cmp(&b.score));
        (criterion.levels.len() == names.len()).then_some(criterion)
    }

    /// `a whole number from 1 to 5`
    pub fn numbers(&self) -> String {
        let (low, high) = self.scale.ends();
        match self.scale {
            Scale::Levels { .. } => format!("a whole number from {low} to {high}"),
            Scale::Share => format!("any number from {low} to {high}, such as 0.25"),
        }
    }

    /// The levels that have words, one a line, and the rule.
    fn list(&self) -> String {
        let mut text = String::new();
        for level in &self.levels {
            let head = format!("{} {}", written(level.score), level.name);
            let means =
                if level.means.is_empty() { String::new() } else { format!(": {}", level.means) };
            text.push_str(&format!("- {}{means}\n", head.trim_end()));
            level.examples.iter().for_each(|it| text.push_str(&format!("  Example: {it}\n")));
        }
        if !self.rule.is_empty() {
            let space = if self.levels.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{space}{}\n", self.rule));
        }
        text
    }

    /// The name of a level; empty where it has none.
    pub fn level_name(&self, score: f64) -> &str {
        self.levels.iter().find(|level| level.score == score).map_or("", |level| &level.name)
    }

    /// `2 Simplified`
    pub fn said(&self, score: f64) -> String {
        format!("{} {}", written(score), self.level_name(score)).trim_end().to_owned()
    }
}

impl Level {
    /// `2 Simplified: what it means`, as a prompt for a unit has it.
    fn in_words(&self, unit: Unit) -> String {
        let head = match unit.levels().in_words {
            true => self.name.clone(),
            false => format!("{} {}", written(self.score), self.name),
        };
        format!("{}: {}", head.trim_end(), self.means)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::LEVELS;

    #[test]
    fn the_built_in_words_are_those_of_the_prompt() {
        let criterion = &Codebook::built_in(Unit::Component).criteria[0];

        let names: Vec<&str> = criterion.levels.iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names, LEVELS);
        let flat = COMPONENTS_PROMPT.split_whitespace().collect::<Vec<_>>().join(" ");
        for level in &criterion.levels {
            assert!(flat.contains(&level.in_words(Unit::Component)), "{}", level.means);
            assert!(level.means.ends_with('.'), "{}", level.means);
        }
        assert!(criterion.rule.starts_with("Between two levels take the lower one"));
        assert!(flat.contains(&criterion.rule));
        let decided = &Codebook::built_in(Unit::Decision).criteria[0];
        assert_eq!(decided.said(1.0), "1 kept");
        assert!(decided.levels[0].means.starts_with("somewhere the code does"));
        assert_eq!(Codebook::built_in(Unit::Leaf).criteria[0].said(0.0), "0 not met");
    }

    #[test]
    fn the_built_in_words_leave_the_prompt_as_it_is() {
        let built_in = Codebook::built_in(Unit::Component);
        let same = built_in.in_prompt(COMPONENTS_PROMPT, Unit::Component);
        assert_eq!(same.as_deref(), Some(COMPONENTS_PROMPT));
    }

    #[test]
    fn words_of_ones_own_take_their_place_and_are_read_back() {
        let mut own = Codebook::built_in(Unit::Component).clone();
        own.criteria[0].levels[1].means = "The formula is another one.".into();
        own.criteria[0].levels[1].examples = vec!["a sum where a mean is asked for".into()];

        let prompt = own.in_prompt(COMPONENTS_PROMPT, Unit::Component).unwrap();

        assert!(prompt.contains("- 1 Wrong: The formula is another one.\n  Example: a sum"));
        assert!(prompt.contains("# Evidence") && prompt.contains("----- question -----"));
        assert!(!prompt.contains("another meaning of an input"));
        let other_scale = Criterion { scale: Scale::Share, ..own.criteria[0].clone() };
        let other = Codebook { criteria: vec![other_scale], ..own };
        assert_eq!(other.in_prompt(COMPONENTS_PROMPT, Unit::Component), None);
    }

    #[test]
    fn a_codebook_with_scales_of_its_own_has_a_prompt_of_its_own_by_which_it_is_known() {
        let likert = Scale::Levels { low: 1, high: 5 };
        let mut own = Codebook::built_in(Unit::Component).clone();
        own.criteria[0] = Criterion { scale: likert, levels: vec![], ..own.criteria[0].clone() };
        let one = own.prompt(Unit::Component).unwrap();
        own.criteria[0].id = Some("right".into());
        let share = Criterion {
            id: Some("part".into()),
            name: "How much of it".into(),
            scale: Scale::Share,
            ..own.criteria[0].clone()
        };
        own.criteria.push(share);

        let several = own.prompt(Unit::Component).unwrap();

        assert!(one.contains("Give exactly one score, a whole number from 1 to 5:"), "{one}");
        assert!(one.contains("{\"score\": 3, \"rationale\""), "{one}");
        assert!(several.contains("## part: How much of it\n\nOne score, any number from 0 to 1"));
        assert!(several.contains("{\"scores\": {\"right\": 3, \"part\": 0.5}"), "{several}");
        let sha = sha256(several.as_bytes());
        assert_eq!(own.given_to(Some(&sha), Unit::Component), GivenTo::Same);
        let other = sha256(one.as_bytes());
        assert_eq!(own.given_to(Some(&other), Unit::Component), GivenTo::Another);
    }

    #[test]
    fn by_the_hash_of_its_prompt_a_judge_is_known_to_have_had_the_same_text() {
        let built_in = Codebook::built_in(Unit::Component);
        let mut own = built_in.clone();
        own.criteria[0].rule = "Take the higher one.".into();
        let sha = sha256(COMPONENTS_PROMPT.as_bytes());
        let given = |book: &Codebook, sha: Option<&str>| book.given_to(sha, Unit::Component);

        assert_eq!(given(built_in, Some(&sha)), GivenTo::Same);
        assert_eq!(given(&own, Some(&sha)), GivenTo::Another);
        assert_eq!(given(built_in, Some("")), GivenTo::Another);
        assert_eq!(given(built_in, None), GivenTo::NotRecorded);
        assert_eq!(
            Codebook::built_in(Unit::Leaf).given_to(Some(&sha), Unit::Leaf),
            GivenTo::Another
        );
    }
}
