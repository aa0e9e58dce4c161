//! The scores of a run's files at one moment.

use std::fmt;

use super::{
    file_measure::SkipReason,
    snapshot::{QualityDetail, QualitySnapshot},
};
use trajview_run::RepoPath;

/// The numbers of a snapshot, and the files that are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredSnapshot {
    pub snapshot: QualitySnapshot,
    /// The callables, clones and matches behind the numbers.
    pub detail: QualityDetail,
    /// Files that would count, but whose content is not recorded; the numbers are those of the other files.
    pub not_recorded: Vec<RepoPath>,
    /// True where nothing in the recording tells the files at this moment.
    pub are_files_unknown: bool,
}

/// The reason why a moment has no numbers. Without any file the formulas would give 0, the best value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnmeasuredReason {
    /// Nothing in the recording tells the files.
    FilesUnknown,
    /// There is no file of a language that the profile measures.
    NoFiles,
    /// The recording has the content of none of this many files.
    NotRecorded { files: usize },
    /// None of this many files could be measured; the first of them, and the reason.
    LeftOut { files: usize, path: String, why: SkipReason },
}

impl fmt::Display for UnmeasuredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FilesUnknown => f.write_str("no file contents are recorded"),
            Self::NoFiles => f.write_str("no file of a language that is measured"),
            Self::NotRecorded { files: 1 } => {
                f.write_str("the content of the one file is not recorded")
            }
            Self::NotRecorded { files } => {
                write!(f, "the content of none of the {files} files is recorded")
            }
            Self::LeftOut { files: 1, path, why } => write!(f, "{path}: {}", why.why()),
            Self::LeftOut { files, path, why } => {
                write!(f, "none of {files} files could be measured; {path}: {}", why.why())
            }
        }
    }
}

impl ScoredSnapshot {
    /// Returns why there are no numbers; None where at least one file was measured.
    pub fn unmeasured_reason(&self) -> Option<UnmeasuredReason> {
        if self.are_files_unknown {
            return Some(UnmeasuredReason::FilesUnknown);
        }
        if self.snapshot.files > 0 {
            return None;
        }
        let files = self.snapshot.skipped.len() + self.not_recorded.len();
        Some(match self.snapshot.skipped.first() {
            Some(first) => {
                UnmeasuredReason::LeftOut { files, path: first.path.clone(), why: first.why }
            }
            None if files > 0 => UnmeasuredReason::NotRecorded { files },
            None => UnmeasuredReason::NoFiles,
        })
    }

    pub fn is_measured(&self) -> bool {
        self.unmeasured_reason().is_none()
    }

    /// Returns the numbers, or the reason why there are none.
    pub fn into_measured(self) -> Result<QualitySnapshot, UnmeasuredReason> {
        match self.unmeasured_reason() {
            None => Ok(self.snapshot),
            Some(why) => Err(why),
        }
    }

    /// Returns the numbers; None where no file was measured.
    pub fn measured_snapshot(&self) -> Option<&QualitySnapshot> {
        self.is_measured().then_some(&self.snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::SkippedFile;

    fn scored_of(
        files: u32,
        skipped: &[(&str, SkipReason)],
        not_recorded: &[&str],
    ) -> ScoredSnapshot {
        let skipped =
            skipped.iter().map(|(path, why)| SkippedFile { path: (*path).into(), why: *why });
        let paths = not_recorded.iter().filter_map(|path| RepoPath::new(path));
        ScoredSnapshot {
            snapshot: QualitySnapshot {
                files,
                skipped: skipped.collect(),
                ..QualitySnapshot::default()
            },
            detail: QualityDetail::default(),
            not_recorded: paths.collect(),
            are_files_unknown: false,
        }
    }

    #[test]
    fn a_moment_of_which_no_file_was_measured_has_no_numbers_and_says_why() {
        let broken = [("a.py", SkipReason::SyntaxError)];
        let causes = [
            scored_of(0, &[], &[]),
            scored_of(0, &broken, &[]),
            scored_of(0, &broken, &["b.py", "c.py"]),
            scored_of(0, &[], &["b.py", "c.py"]),
            ScoredSnapshot { are_files_unknown: true, ..scored_of(3, &[], &[]) },
        ];

        let reasons = causes.map(|scored| {
            assert_eq!(scored.measured_snapshot(), None);
            scored.unmeasured_reason().map(|why| why.to_string()).unwrap_or_default()
        });

        assert_eq!(
            reasons,
            [
                "no file of a language that is measured",
                "a.py: syntax error",
                "none of 3 files could be measured; a.py: syntax error",
                "the content of none of the 2 files is recorded",
                "no file contents are recorded",
            ]
        );
    }

    #[test]
    fn files_that_were_measured_and_have_no_callable_score_0() {
        let scored = scored_of(1, &[("a.py", SkipReason::SyntaxError)], &["b.py"]);

        assert_eq!(
            scored.measured_snapshot().map(|it| (it.erosion, it.verbosity)),
            Some((0.0, 0.0))
        );
    }
}
