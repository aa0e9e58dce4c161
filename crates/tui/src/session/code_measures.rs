//! What is measured of a run: the numbers of some moments, whose formulas gave them, and what moved them between two.

use crate::session::code_marks::CodeMarks;
use trajview_metrics::{
    quality::{
        QualityChange, QualityDetail, QualitySnapshot, ScoredSnapshot, UnmeasuredReason,
        not_compared, quality_changes,
    },
    rules::RuleSet,
};
use trajview_run::files::RunMoment;

/// Two moments.
pub type MomentSpan = (RunMoment, RunMoment);

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredMoment {
    /// The snapshot, or the reason why there is none.
    pub snapshot: Result<QualitySnapshot, UnmeasuredReason>,
    /// Files that would count and whose content is not recorded.
    pub not_recorded: usize,
}

/// The formulas and rules that gave the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulerName {
    /// The profile, or the rules where they are not the profile's.
    pub name: String,
    /// True where numbers that depend on rules may be compared with those of the profile's reference.
    pub is_comparable: bool,
    /// The number of rules.
    pub rules: usize,
    /// The source of the rules.
    pub source: String,
}

impl RulerName {
    /// Returns `profile scb-paper`, or `trajview rules, scb-paper formulas, not comparable with the paper`.
    pub fn display_text(&self) -> String {
        match self.is_comparable {
            true => format!("profile {}", self.name),
            false => format!("{}, not comparable with the paper", self.name),
        }
    }

    /// Returns the name, with the rules where the current ruler has the same name.
    pub(crate) fn name_beside(&self, now: Option<&Self>) -> String {
        match now.is_some_and(|now| now.name == self.name) {
            true => format!("{}, {} rules of {}", self.name, self.rules, self.source),
            false => self.name.clone(),
        }
    }
}

/// Several measured moments.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredMoments {
    pub ruler: RulerName,
    pub moments: Vec<(RunMoment, MeasuredMoment)>,
}

/// The difference between two moments, and the marks of the lines at the second.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedScores {
    /// The largest first.
    pub changes: Vec<QualityChange>,
    /// The paths of files that could not be measured at one of the moments.
    pub not_compared: Vec<String>,
    /// The marks of the files after the second moment.
    pub marks: CodeMarks,
}

impl MovedScores {
    /// Compares two moments that were scored with these rules.
    pub fn between_details(before: &QualityDetail, after: &QualityDetail, rules: &RuleSet) -> Self {
        let not_compared = not_compared(before, after).into_iter().map(str::to_owned).collect();
        Self {
            changes: quality_changes(before, after),
            not_compared,
            marks: CodeMarks::from_detail(after, rules),
        }
    }
}

impl MeasuredMoment {
    pub fn from_scored(scored: &ScoredSnapshot) -> Self {
        Self { snapshot: scored.clone().into_measured(), not_recorded: scored.not_recorded.len() }
    }
}
