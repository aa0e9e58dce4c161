//! A snapshot's numbers out of its files' measures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    file::{FileMeasure, Skip, Span},
    profile::Profile,
};

/// A file of a snapshot: where it lies and what was measured on it.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Relative to the snapshot, with `/`.
    pub path: &'a str,
    pub measure: &'a FileMeasure,
}

/// The numbers of a snapshot. Shares and Gini are 0-1; a lower one is better.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// Files that count, without the skipped.
    pub files: u32,
    pub skipped: Vec<Skipped>,
    #[serde(flatten)]
    pub totals: Totals,
    /// Share of the mass that lies in callables with more than 10 paths; 0 without mass.
    pub erosion: f64,
    /// Share of lines that are clones, rule hits or wrappers; 0 without lines. Of which lines depends on the profile.
    pub verbosity: f64,
    /// How unevenly the mass is spread over the callables: 0 evenly, towards 1 all in one.
    pub gini: f64,
    /// The same sums for each language, by the name of its grammar.
    pub by_language: BTreeMap<String, Totals>,
}

/// Sums over files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    pub lines: u64,
    pub loc: u64,
    pub sloc: u64,
    pub callables: u64,
    /// Callables with more than 10 paths.
    pub high_cc: u64,
    /// 0 without callables.
    pub max_cc: u32,
    /// 0 without callables.
    pub mean_cc: f64,
    pub mass: f64,
    /// The mass of callables with more than 10 paths.
    pub high_mass: f64,
    /// Source lines that lie in a clone.
    pub clone_lines: u64,
    /// Source lines that lie in a match of a rule.
    pub rule_lines: u64,
    /// Source lines that lie in a trivial wrapper; 0 outside the `scb-check` profiles.
    pub wrapper_lines: u64,
    /// Source lines that lie in any of the three.
    pub flagged_lines: u64,
}

/// A file that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub path: String,
    pub why: Skip,
}

/// What the numbers are made of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Detail {
    /// By path, then start, then name.
    pub callables: Vec<CallableAt>,
    /// Groups of equal pieces, each by path, then start; the groups by their first.
    pub clones: Vec<CloneGroup>,
    /// By path, then start, then rule.
    pub hits: Vec<HitAt>,
    /// By path, then start.
    pub wrappers: Vec<Place>,
    /// Paths of files that would count and are in no number, sorted: what is in them is not known.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallableAt {
    pub path: String,
    pub name: String,
    #[serde(flatten)]
    pub span: Span,
    pub cc: u32,
    pub sloc: u32,
    pub mass: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneGroup {
    pub hash: u128,
    pub places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub path: String,
    #[serde(flatten)]
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitAt {
    pub rule: String,
    pub path: String,
    #[serde(flatten)]
    pub span: Span,
}

/// The numbers of a snapshot, whatever the order of its files.
pub fn combine(files: &[File<'_>], profile: Profile) -> Snapshot {
    combine_with_detail(files, profile).0
}

/// The same with what they are made of.
pub fn combine_with_detail(files: &[File<'_>], profile: Profile) -> (Snapshot, Detail) {
    super::sum::Sum::of(files, profile).finish()
}
