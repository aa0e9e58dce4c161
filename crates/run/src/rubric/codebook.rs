//! The meaning of each level of a scale, for raters and for judges.
//!
//! The built-in words are those of the judge's prompts, read out of them ([`Criterion::from_prompt`]), so that there is one
//! text. A codebook of a person's own takes their place in the prompt (`Codebook::in_prompt`); by the SHA-256 of the
//! prompt a judgement tells whether its judge was given the same text ([`Codebook::compare_with_prompt`]).

use std::{collections::BTreeMap, sync::OnceLock};

use sha2::{Digest, Sha256};

use super::{
    criterion_scores::{OverallRule, ScoredBy},
    unit::{LabelUnit, ScoreScale, score_text},
};

/// The prompt for components.
pub const COMPONENTS_PROMPT: &str = trajview_assets::COMPONENTS_PROMPT;

/// The prompt for decisions.
pub const DECISIONS_PROMPT: &str = trajview_assets::DECISIONS_PROMPT;

/// The prompt for components that are scored by a codebook on scales of its own; its levels are filled in.
pub const CODEBOOK_PROMPT: &str = trajview_assets::CODEBOOK_PROMPT;

/// The value of [`Codebook::origin`] for the built-in words.
pub const BUILT_IN: &str = "built in";

/// The headings of a prompt above its levels.
const HEADINGS: [&str; 2] = ["# Levels", "# Verdicts"];

/// The criteria and levels that raters use.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Codebook {
    /// One at least in a codebook that was read; each with an id where there are several.
    pub criteria: Vec<Criterion>,
    /// The rule for several criteria on one scale; None where there is none, and no score of all.
    pub overall: Option<OverallRule>,
    /// The source of the codebook: a file, or [`BUILT_IN`].
    pub origin: String,
}

/// A criterion by which an item is labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// The id in labels; None for the only criterion.
    pub id: Option<String>,
    /// The name; may be empty.
    pub name: String,
    pub scale: ScoreScale,
    /// The levels from the lowest.
    pub levels: Vec<ScaleLevel>,
    /// The rule for scores between levels; may be empty.
    pub rule: String,
}

/// One level.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleLevel {
    pub score: f64,
    /// Empty where it has none.
    pub name: String,
    /// The meaning of the level; may be empty.
    pub means: String,
    pub examples: Vec<String>,
}

/// The comparison of a judge's prompt with the text of the raters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptMatch {
    Same,
    /// Another prompt.
    Another,
    /// The prompt of the judge is not recorded.
    NotRecorded,
}

impl PromptMatch {
    /// Returns `quick-reader had the same text`, or that the judge had another prompt or that it is not recorded.
    pub fn sentence_for(self, judge: &str) -> String {
        match self {
            Self::Same => format!("{judge} had the same text"),
            Self::Another => format!("{judge} had another prompt"),
            Self::NotRecorded => format!("not recorded whether {judge} had this text"),
        }
    }
}

impl Codebook {
    /// Returns the words that apply where a user wrote no others.
    pub fn built_in(unit: LabelUnit) -> &'static Self {
        static ALL: OnceLock<BTreeMap<LabelUnit, Codebook>> = OnceLock::new();
        static NONE: Codebook = Codebook { criteria: vec![], overall: None, origin: String::new() };
        let all = ALL.get_or_init(|| {
            LabelUnit::ALL.into_iter().map(|it| (it, Self::for_unit(it))).collect()
        });
        all.get(&unit).unwrap_or(&NONE)
    }

    fn for_unit(unit: LabelUnit) -> Self {
        let prompt = PromptEdition::ReasonFirst.built_in_prompt(unit);
        let of_prompt = prompt.and_then(|text| Criterion::from_prompt(text, unit));
        let criterion = of_prompt.unwrap_or_else(|| Criterion::from_level_names(unit));
        Self { criteria: vec![criterion], overall: None, origin: BUILT_IN.into() }
    }

    /// Returns the criterion of that id; without one the only one there is.
    pub fn criterion_by_id(&self, id: Option<&str>) -> Option<&Criterion> {
        match id {
            Some(id) => self.criteria.iter().find(|it| it.id.as_deref() == Some(id)),
            None => self.criteria.first(),
        }
    }

    /// Returns whether it requires one score on the unit's own scale and no more.
    pub fn is_on_own_scale(&self, unit: LabelUnit) -> bool {
        matches!(self.criteria.as_slice(), [only] if only.scale == unit.default_scale())
    }

    /// Returns the criteria and their scales, in order.
    pub fn scored_by(&self) -> Vec<ScoredBy> {
        let by = |it: &Criterion| ScoredBy { criterion: it.id.clone(), scale: it.scale };
        self.criteria.iter().map(by).collect()
    }

    /// Returns the prompt of a judge for a unit where a user wrote no other; None where the prompt has no place for a
    /// codebook.
    pub fn judge_prompt(&self, unit: LabelUnit) -> Option<String> {
        self.prompt_of_edition(unit, PromptEdition::ReasonFirst)
    }

    fn prompt_of_edition(&self, unit: LabelUnit, edition: PromptEdition) -> Option<String> {
        if unit == LabelUnit::Component && !self.criteria.is_empty() && !self.is_on_own_scale(unit)
        {
            return self.prompt_with_scales(edition);
        }
        self.prompt_with_levels(edition.built_in_prompt(unit)?, unit)
    }

    /// Returns the prompt for scales with the text for each criterion and an example of the answer.
    fn prompt_with_scales(&self, edition: PromptEdition) -> Option<String> {
        let prompt = match edition {
            PromptEdition::ReasonFirst => CODEBOOK_PROMPT,
            PromptEdition::LevelFirst => trajview_assets::EARLIER_CODEBOOK_PROMPT,
        };
        let (start, end) = levels_range(prompt)?;
        let levels_text = match self.criteria.as_slice() {
            [only] if only.id.is_none() => {
                format!("Give exactly one score, {}:\n\n{}", only.scale_text(), only.levels_list())
            }
            several => {
                let criterion_text = |it: &Criterion| {
                    let id = it.id.as_deref().unwrap_or_default();
                    let name =
                        if it.name.is_empty() { String::new() } else { format!(": {}", it.name) };
                    format!(
                        "## {id}{name}\n\nOne score, {}:\n\n{}",
                        it.scale_text(),
                        it.levels_list()
                    )
                };
                let each = several.iter().map(criterion_text).collect::<Vec<_>>().join("\n");
                format!(
                    "Give one score for each of these criteria, on the scale of each:\n\n{each}"
                )
            }
        };
        let example = match edition {
            PromptEdition::ReasonFirst => self.example_answer(),
            PromptEdition::LevelFirst => format!(
                "{{{}, \"rationale\": \"two to five sentences\", \"evidence\": [{{\"path\": \"src/model.py\", \
                 \"start\": 10, \"end\": 42}}]}}",
                self.example_scores()
            ),
        };
        let rest = prompt[end..].replace("{answer}", &example);
        Some(format!("{}\n{levels_text}\n{rest}", &prompt[..start]))
    }

    /// Returns an answer as a judge may give it that scores by these criteria, in JSON.
    pub fn example_answer(&self) -> String {
        format!(
            "{{\"evidence\": [{{\"path\": \"src/model.py\", \"start\": 10, \"end\": 42, \
             \"quote\": \"weights = softmax(scores)\"}}], \"rationale\": \"two to five sentences\", {}}}",
            self.example_scores()
        )
    }

    /// Returns the key and the value of the scores in an example.
    fn example_scores(&self) -> String {
        let middle = |it: &Criterion| match it.scale {
            ScoreScale::Levels { low, high } => {
                score_text(f64::from(low) + f64::from((high - low) / 2))
            }
            ScoreScale::Share => "0.5".to_owned(),
        };
        match self.criteria.as_slice() {
            [only] if only.id.is_none() => format!("\"score\": {}", middle(only)),
            several => {
                let score_of = |it: &Criterion| {
                    format!("{:?}: {}", it.id.as_deref().unwrap_or_default(), middle(it))
                };
                let each = several.iter().map(score_of).collect::<Vec<_>>().join(", ");
                format!("\"scores\": {{{each}}}")
            }
        }
    }

    /// Returns a prompt with these levels in the place of its own; None where it has none, and where they are of another scale
    /// than the one a judge answers on.
    pub fn prompt_with_levels(&self, prompt: &str, unit: LabelUnit) -> Option<String> {
        let [criterion] = self.criteria.as_slice() else { return None };
        let (start, end) = levels_range(prompt)?;
        if criterion.scale != unit.default_scale() {
            return None;
        }
        if Criterion::from_prompt(prompt, unit).as_ref() == Some(criterion) {
            return Some(prompt.to_owned());
        }
        let mut text = prompt[..start].to_owned();
        text.push_str("\nGive exactly one:\n\n");
        for level in &criterion.levels {
            text.push_str(&format!("- {}\n", level.prompt_line(unit)));
            level.examples.iter().for_each(|it| text.push_str(&format!("  Example: {it}\n")));
        }
        if !criterion.rule.is_empty() {
            text.push_str(&format!("\n{}\n", criterion.rule));
        }
        text.push('\n');
        text.push_str(&prompt[end..]);
        Some(text)
    }

    /// Compares the prompts that this text makes, in both editions, with the recorded SHA-256 of a prompt, which may be
    /// cut to 8 digits or more.
    pub fn compare_with_prompt(&self, prompt_sha256: Option<&str>, unit: LabelUnit) -> PromptMatch {
        let Some(prompt_sha256) = prompt_sha256 else { return PromptMatch::NotRecorded };
        // What is recorded may be cut short.
        let is_of = |edition: PromptEdition| {
            let text = self.prompt_of_edition(unit, edition);
            let sha = text.map(|text| sha256_hex(text.as_bytes()));
            sha.is_some_and(|sha| prompt_sha256.len() >= 8 && sha.starts_with(prompt_sha256))
        };
        let is_same = is_of(PromptEdition::ReasonFirst) || is_of(PromptEdition::LevelFirst);
        if is_same { PromptMatch::Same } else { PromptMatch::Another }
    }
}

/// The editions of the built-in prompts. The levels are the same words in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptEdition {
    /// Evidence and rationale come before the level.
    ReasonFirst,
    /// The edition of before: the level comes first, and there are no quotes.
    LevelFirst,
}

impl PromptEdition {
    /// Returns the prompt with the levels of a unit.
    const fn built_in_prompt(self, unit: LabelUnit) -> Option<&'static str> {
        match (unit, self) {
            (LabelUnit::Component, Self::ReasonFirst) => Some(COMPONENTS_PROMPT),
            (LabelUnit::Component, Self::LevelFirst) => {
                Some(trajview_assets::EARLIER_COMPONENTS_PROMPT)
            }
            (LabelUnit::Decision, Self::ReasonFirst) => Some(DECISIONS_PROMPT),
            (LabelUnit::Decision, Self::LevelFirst) => {
                Some(trajview_assets::EARLIER_DECISIONS_PROMPT)
            }
            // The question of each part names its own levels; the others are no levels of a prompt of ours.
            (
                LabelUnit::Process | LabelUnit::Leaf | LabelUnit::Flag | LabelUnit::Signal,
                Self::ReasonFirst | Self::LevelFirst,
            ) => None,
        }
    }
}

fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the range from after the heading of the levels to the next heading.
fn levels_range(prompt: &str) -> Option<(usize, usize)> {
    let at = |line: &str| line.as_ptr() as usize - prompt.as_ptr() as usize;
    let mut lines = prompt.lines();
    let heading = lines.find(|line| HEADINGS.contains(&line.trim()))?;
    let start = (at(heading) + heading.len() + 1).min(prompt.len());
    let end = lines.find(|line| line.starts_with("# ")).map_or(prompt.len(), at);
    Some((start, end))
}

impl Criterion {
    /// Returns the levels of a unit by their names alone.
    pub fn from_level_names(unit: LabelUnit) -> Self {
        let names = unit.rubric_levels().names.iter().enumerate();
        let level = |(at, name): (usize, &&str)| ScaleLevel {
            score: at as f64,
            name: (*name).to_owned(),
            means: String::new(),
            examples: vec![],
        };
        let levels = names.map(level).collect();
        Self {
            id: None,
            name: String::new(),
            scale: unit.default_scale(),
            levels,
            rule: String::new(),
        }
    }

    /// Reads the levels of a prompt: a list, `- 0 Absent: what it means`, and the text after it. None where it has no
    /// such list, or not every level is in it.
    pub(crate) fn from_prompt(prompt: &str, unit: LabelUnit) -> Option<Self> {
        let (start, end) = levels_range(prompt)?;
        let mut criterion = Self { levels: vec![], ..Self::from_level_names(unit) };
        let names = unit.rubric_levels().names;
        let (mut is_in_level, mut rule) = (false, vec![]);
        for line in prompt[start..end].lines() {
            let listed = line.strip_prefix("- ");
            let words = line.trim();
            if let Some((head, means)) = listed.and_then(|words| words.split_once(": ")) {
                let name = head.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
                let at = names.iter().position(|it| *it == name);
                is_in_level = at.is_some();
                criterion.levels.extend(at.map(|at| ScaleLevel {
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

    /// Returns `a whole number from 1 to 5`, as a prompt asks for a score.
    pub fn scale_text(&self) -> String {
        let (low, high) = self.scale.lowest_and_highest();
        match self.scale {
            ScoreScale::Levels { .. } => format!("a whole number from {low} to {high}"),
            ScoreScale::Share => format!("any number from {low} to {high}, such as 0.25"),
        }
    }

    /// Returns the levels that have words, one a line, and the rule.
    fn levels_list(&self) -> String {
        let mut text = String::new();
        for level in &self.levels {
            let head = format!("{} {}", score_text(level.score), level.name);
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

    /// Returns the name of a level; empty where it has none.
    pub fn level_name(&self, score: f64) -> &str {
        self.levels.iter().find(|level| level.score == score).map_or("", |level| &level.name)
    }

    /// Returns `2 Simplified`; the number alone where the level has no name.
    pub fn level_text(&self, score: f64) -> String {
        format!("{} {}", score_text(score), self.level_name(score)).trim_end().to_owned()
    }
}

impl ScaleLevel {
    /// Returns `2 Simplified: what it means`, as a prompt for a unit has it.
    fn prompt_line(&self, unit: LabelUnit) -> String {
        let head = match unit.rubric_levels().in_words {
            true => self.name.clone(),
            false => format!("{} {}", score_text(self.score), self.name),
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
        let criterion = &Codebook::built_in(LabelUnit::Component).criteria[0];

        let names: Vec<&str> = criterion.levels.iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names, LEVELS);
        let flat = COMPONENTS_PROMPT.split_whitespace().collect::<Vec<_>>().join(" ");
        for level in &criterion.levels {
            assert!(flat.contains(&level.prompt_line(LabelUnit::Component)), "{}", level.means);
            assert!(level.means.ends_with('.'), "{}", level.means);
        }
        assert!(criterion.rule.starts_with("Between two levels take the lower one"));
        assert!(flat.contains(&criterion.rule));
        let decided = &Codebook::built_in(LabelUnit::Decision).criteria[0];
        assert_eq!(decided.level_text(1.0), "1 kept");
        assert!(decided.levels[0].means.starts_with("somewhere the code does"));
        assert_eq!(Codebook::built_in(LabelUnit::Leaf).criteria[0].level_text(0.0), "0 not met");
    }

    #[test]
    fn the_built_in_words_leave_the_prompt_as_it_is() {
        let built_in = Codebook::built_in(LabelUnit::Component);
        let same = built_in.prompt_with_levels(COMPONENTS_PROMPT, LabelUnit::Component);
        assert_eq!(same.as_deref(), Some(COMPONENTS_PROMPT));
    }

    #[test]
    fn words_of_ones_own_take_their_place_and_are_read_back() {
        let mut user_book = Codebook::built_in(LabelUnit::Component).clone();
        user_book.criteria[0].levels[1].means = "The formula is another one.".into();
        user_book.criteria[0].levels[1].examples = vec!["a sum where a mean is asked for".into()];

        let prompt = user_book.prompt_with_levels(COMPONENTS_PROMPT, LabelUnit::Component).unwrap();

        assert!(prompt.contains("- 1 Wrong: The formula is another one.\n  Example: a sum"));
        assert!(prompt.contains("# Evidence") && prompt.contains("----- question -----"));
        assert!(!prompt.contains("another meaning of an input"));
        let other_scale = Criterion { scale: ScoreScale::Share, ..user_book.criteria[0].clone() };
        let other = Codebook { criteria: vec![other_scale], ..user_book };
        assert_eq!(other.prompt_with_levels(COMPONENTS_PROMPT, LabelUnit::Component), None);
    }

    #[test]
    fn a_codebook_with_scales_of_its_own_has_a_prompt_of_its_own_by_which_it_is_known() {
        let likert = ScoreScale::Levels { low: 1, high: 5 };
        let mut user_book = Codebook::built_in(LabelUnit::Component).clone();
        user_book.criteria[0] =
            Criterion { scale: likert, levels: vec![], ..user_book.criteria[0].clone() };
        let one = user_book.judge_prompt(LabelUnit::Component).unwrap();
        user_book.criteria[0].id = Some("right".into());
        let share = Criterion {
            id: Some("part".into()),
            name: "How much of it".into(),
            scale: ScoreScale::Share,
            ..user_book.criteria[0].clone()
        };
        user_book.criteria.push(share);

        let several = user_book.judge_prompt(LabelUnit::Component).unwrap();

        assert!(one.contains("Give exactly one score, a whole number from 1 to 5:"), "{one}");
        assert!(one.contains("\"two to five sentences\", \"score\": 3}"), "{one}");
        assert!(several.contains("## part: How much of it\n\nOne score, any number from 0 to 1"));
        assert!(several.contains("\"scores\": {\"right\": 3, \"part\": 0.5}}"), "{several}");
        let sha = sha256_hex(several.as_bytes());
        assert_eq!(
            user_book.compare_with_prompt(Some(&sha), LabelUnit::Component),
            PromptMatch::Same
        );
        let other = sha256_hex(one.as_bytes());
        assert_eq!(
            user_book.compare_with_prompt(Some(&other), LabelUnit::Component),
            PromptMatch::Another
        );
    }

    #[test]
    fn by_the_hash_of_its_prompt_a_judge_is_known_to_have_had_the_same_text() {
        let built_in = Codebook::built_in(LabelUnit::Component);
        let mut user_book = built_in.clone();
        user_book.criteria[0].rule = "Take the higher one.".into();
        let sha = sha256_hex(COMPONENTS_PROMPT.as_bytes());
        let match_of = |book: &Codebook, sha: Option<&str>| {
            book.compare_with_prompt(sha, LabelUnit::Component)
        };

        let of_before = sha256_hex(trajview_assets::EARLIER_COMPONENTS_PROMPT.as_bytes());
        let earlier = Some(of_before.as_str());
        assert_eq!(match_of(built_in, Some(&sha)), PromptMatch::Same);
        assert_eq!(match_of(built_in, earlier), PromptMatch::Same);
        assert_eq!(match_of(&user_book, Some(&sha)), PromptMatch::Another);
        assert_eq!(match_of(&user_book, earlier), PromptMatch::Another);
        let of_user = user_book.prompt_of_edition(LabelUnit::Component, PromptEdition::LevelFirst);
        let of_user = sha256_hex(of_user.unwrap().as_bytes());
        assert_eq!(match_of(&user_book, Some(&of_user)), PromptMatch::Same);
        assert_eq!(match_of(built_in, Some("")), PromptMatch::Another);
        assert_eq!(match_of(built_in, None), PromptMatch::NotRecorded);
        assert_eq!(
            Codebook::built_in(LabelUnit::Leaf).compare_with_prompt(Some(&sha), LabelUnit::Leaf),
            PromptMatch::Another
        );
    }
}
