//! What is measured of a run: the numbers of some moments, whose formulas gave them, and what moved them between two.

use crate::session::marks::Marks;
use trajview_metrics::{
    quality::{Change, Detail, Scored, Snapshot, Unmeasured, changes, not_compared},
    rules::Rules,
};
use trajview_run::files::Moment;

/// Two moments.
pub type Span = (Moment, Moment);

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Or why there are none.
    pub snapshot: Result<Snapshot, Unmeasured>,
    /// Files that would count and whose content is not recorded.
    pub not_recorded: usize,
}

/// Whose formulas and which rules gave the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulerName {
    /// The profile, or the rules where they are not the profile's.
    pub name: String,
    /// Whether numbers that rules move may be set beside those of the profile's reference.
    pub is_comparable: bool,
    /// How many rules.
    pub rules: usize,
    /// Where they come from.
    pub source: String,
}

impl RulerName {
    /// `profile scb-paper`, or `trajview rules, scb-paper formulas, not comparable`.
    pub fn said(&self) -> String {
        match self.is_comparable {
            true => format!("profile {}", self.name),
            false => format!("{}, not comparable", self.name),
        }
    }

    /// Its name as it is told from what measures now: with its rules, where the names are the same.
    pub fn beside(&self, now: Option<&Self>) -> String {
        match now.is_some_and(|now| now.name == self.name) {
            true => format!("{}, {} rules of {}", self.name, self.rules, self.source),
            false => self.name.clone(),
        }
    }
}

/// Some moments, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub ruler: RulerName,
    pub moments: Vec<(Moment, Measured)>,
}

/// What is different between two moments, and what can be said of the lines at the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The largest first.
    pub changes: Vec<Change>,
    /// Paths of files of which nothing can be said, as they could not be measured at one of the moments.
    pub not_compared: Vec<String>,
    /// Of the files after the second moment.
    pub marks: Marks,
}

impl Moved {
    /// Both moments scored with these rules.
    pub fn between(before: &Detail, after: &Detail, rules: &Rules) -> Self {
        let not_compared = not_compared(before, after).into_iter().map(str::to_owned).collect();
        Self { changes: changes(before, after), not_compared, marks: Marks::of(after, rules) }
    }
}

impl Measured {
    pub fn of(scored: &Scored) -> Self {
        Self { snapshot: scored.clone().measured(), not_recorded: scored.not_recorded.len() }
    }
}
