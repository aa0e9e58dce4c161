//! Computes a snapshot's numbers from the measures of its files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    file_measure::{FileMeasure, SkipReason, SourceSpan},
    profile::QualityProfile,
};

/// A file of a snapshot: its path and its measures.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotFile<'a> {
    /// Relative to the snapshot, with `/`.
    pub path: &'a str,
    pub measure: &'a FileMeasure,
}

/// The numbers of a snapshot. Shares and Gini are 0-1; a lower one is better.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QualitySnapshot {
    /// The number of files that count, without the skipped ones.
    pub files: u32,
    pub skipped: Vec<SkippedFile>,
    #[serde(flatten)]
    pub totals: QualityTotals,
    /// Share of the mass that lies in callables with more than 10 paths; 0 without mass.
    pub erosion: f64,
    /// Share of lines that are clones, rule hits or wrappers; 0 without lines. The profile decides which lines are
    /// counted.
    pub verbosity: f64,
    /// The Gini coefficient of the callables' mass: 0 for an even spread, near 1 if one callable has all.
    pub gini: f64,
    /// The same sums for each language, by the name of its grammar.
    pub by_language: BTreeMap<String, QualityTotals>,
}

/// Sums over files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QualityTotals {
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
pub struct SkippedFile {
    pub path: String,
    pub why: SkipReason,
}

/// The callables, clones and matches behind the numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QualityDetail {
    /// Sorted by path, start and name.
    pub callables: Vec<CallableAt>,
    /// Groups of equal pieces, each sorted by path and start; the groups by their first piece.
    pub clones: Vec<CloneGroup>,
    /// Sorted by path, start and rule.
    pub hits: Vec<HitAt>,
    /// Sorted by path and start.
    pub wrappers: Vec<CodePlace>,
    /// Sorted paths of files that would count but are in no number, because their content is not known.
    pub left_out: Vec<String>,
}

/// A callable of a snapshot, with its path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallableAt {
    pub path: String,
    pub name: String,
    #[serde(flatten)]
    pub span: SourceSpan,
    pub cc: u32,
    pub sloc: u32,
    pub mass: f64,
}

/// Pieces of a snapshot with the same hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneGroup {
    pub hash: u128,
    pub places: Vec<CodePlace>,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodePlace {
    pub path: String,
    #[serde(flatten)]
    pub span: SourceSpan,
}

/// A match of a rule, with its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitAt {
    pub rule: String,
    pub path: String,
    #[serde(flatten)]
    pub span: SourceSpan,
}

/// Returns the numbers of a snapshot; the order of its files does not matter.
pub fn combine_files(files: &[SnapshotFile<'_>], profile: QualityProfile) -> QualitySnapshot {
    combine_with_detail(files, profile).0
}

/// Returns the numbers together with the detail behind them.
pub fn combine_with_detail(
    files: &[SnapshotFile<'_>],
    profile: QualityProfile,
) -> (QualitySnapshot, QualityDetail) {
    super::snapshot_sum::SnapshotSum::new(files, profile).into_numbers()
}
