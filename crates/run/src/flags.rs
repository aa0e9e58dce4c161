//! Places in the code that a judge with a rubric of criteria objected to, state by state: what `judgements/*.json` of the
//! rubric [`RUBRIC`] say.
//!
//! One place is a [`Flag`], the same as a benchmark records. A count of flags is not a score. A flag whose lines did not
//! change since an earlier state is carried on from there ([`Flag::carried_from`]).

use std::{collections::HashMap, sync::OnceLock};

use crate::worded_enum::worded;
use serde::Deserialize;

pub use super::checkpoint_record::Flag;
use super::rubric::{Judge, JudgeToolCall, RepeatNumber};

/// The name of this rubric in a judgement file.
pub const RUBRIC: &str = super::rubric::FLAG_LEVELS.rubric;

/// The built-in criteria (schema `trajview.criteria/1`).
pub const CRITERIA: &str = trajview_assets::FLAG_CRITERIA;

/// Returns the description of a built-in criterion and of what does not count; None for a user's criterion.
pub fn criterion_text(id: &str) -> Option<&'static (String, String)> {
    static ALL: OnceLock<HashMap<String, (String, String)>> = OnceLock::new();
    #[derive(Deserialize)]
    struct File {
        criteria: Vec<Criterion>,
    }
    #[derive(Deserialize)]
    struct Criterion {
        id: String,
        look_for: String,
        #[serde(default)]
        does_not_count: String,
    }
    let read = || {
        let file = serde_json::from_str::<File>(CRITERIA).ok();
        let all = file.into_iter().flat_map(|file| file.criteria);
        all.map(|it| (it.id, (it.look_for, it.does_not_count))).collect()
    };
    ALL.get_or_init(read).get(id)
}

worded! {
    /// The subject of a criterion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FlagKind {
        /// The code is longer than it need be.
        Verbosity = "verbosity",
        /// Its structure is wearing out.
        Erosion = "erosion",
    }
}

/// One judging of one state of the code by criteria: a file that is never written again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flagging {
    /// The file, as [`super::rubric::Judgement::file`].
    pub file: String,
    pub judge: Judge,
    /// Hex digits, over the file of the criteria.
    pub criteria_sha256: Option<String>,
    /// Id of the run, as the file names it.
    pub run: Option<String>,
    /// The commit that was judged (hex digits).
    pub commit: Option<String>,
    /// The turn after which it was judged; counts from 1.
    pub turn: Option<usize>,
    /// RFC 3339, as written.
    pub created_at: Option<String>,
    /// The repeat, as [`super::rubric::Judgement::repeat`].
    pub repeat: Option<RepeatNumber>,
    /// Lines of code that were judged, by the profile `trajview`.
    pub lines_of_code: Option<u64>,
    /// The groups in the order of the requests.
    pub groups: Vec<FlagGroup>,
    /// The flags in the order of the file.
    pub flags: Vec<Flag>,
}

/// The judging of one group of criteria.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlagGroup {
    pub id: String,
    pub trace: Vec<JudgeToolCall>,
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
    /// The reason for a missing answer.
    pub error: Option<String>,
    /// True if the error happened on the way to the judge.
    pub is_fault: bool,
}

impl Flagging {
    /// Returns whether the judging of a group is over, with whatever answer.
    pub fn has_judged(&self, group: &str) -> bool {
        self.groups.iter().any(|it| it.id == group && !it.is_fault)
    }
}

/// The number of flags, in all and by type. Not a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlagCounts {
    pub all: usize,
    pub verbosity: usize,
    pub erosion: usize,
    /// Flags whose lines did not change since they were found.
    pub carried: usize,
}

impl FlagCounts {
    pub fn from_flags<'f>(flags: impl IntoIterator<Item = &'f Flag>) -> Self {
        flags.into_iter().fold(Self::default(), |sum, flag| {
            let is = |kind: FlagKind| usize::from(flag.kind.as_deref() == Some(kind.word()));
            Self {
                all: sum.all + 1,
                verbosity: sum.verbosity + is(FlagKind::Verbosity),
                erosion: sum.erosion + is(FlagKind::Erosion),
                carried: sum.carried + usize::from(flag.carried_from.is_some()),
            }
        })
    }
}

/// Returns a count for 1000 lines; None without lines.
pub fn per_thousand(count: usize, lines: u64) -> Option<f64> {
    (lines > 0).then(|| 1e3 * count as f64 / lines as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_criterion_says_what_it_looks_for() {
        let (look_for, does_not_count) = criterion_text("restating-comment").unwrap();
        assert!(look_for.starts_with("A comment whose every word"));
        assert!(does_not_count.starts_with("A comment that names a unit"));
        assert_eq!(criterion_text("one of my own"), None);
    }

    #[test]
    fn flags_are_counted_by_type_and_by_lines() {
        let flag = |kind: &str, from: Option<&str>| Flag {
            kind: Some(kind.into()),
            carried_from: from.map(Into::into),
            ..Flag::default()
        };
        let flags = [flag("verbosity", None), flag("erosion", Some("c1")), Flag::default()];

        let counts = FlagCounts::from_flags(&flags);

        assert_eq!(counts, FlagCounts { all: 3, verbosity: 1, erosion: 1, carried: 1 });
        assert_eq!((per_thousand(3, 1500), per_thousand(3, 0)), (Some(2.0), None));
    }
}
