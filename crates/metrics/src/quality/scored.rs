//! The files of a run at one moment, scored.

use std::fmt;

use super::{
    file::Skip,
    snapshot::{Detail, Snapshot},
};
use trajview_run::RepoPath;

/// A snapshot's numbers, and what they leave out.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub snapshot: Snapshot,
    /// What the numbers are made of.
    pub detail: Detail,
    /// Files that would count, whose content the recording does not have: the numbers are those of the others.
    pub not_recorded: Vec<RepoPath>,
    /// Nothing in the recording says what the files were at this moment.
    pub is_untold: bool,
}

/// Why a moment has no numbers. Its formulas would give 0, the best there is, of no file at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmeasured {
    /// Nothing in the recording says what the files were.
    FilesUnknown,
    /// There is no file of a language that the profile measures.
    NoFiles,
    /// The recording has the content of none of so many files.
    NotRecorded { files: usize },
    /// Not one of so many files could be measured; the first of them, and why.
    LeftOut { files: usize, path: String, why: Skip },
}

impl fmt::Display for Unmeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FilesUnknown => f.write_str("nothing recorded says what the files were"),
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

impl Scored {
    /// Why there are no numbers; None where at least one file was measured.
    pub fn unmeasured(&self) -> Option<Unmeasured> {
        if self.is_untold {
            return Some(Unmeasured::FilesUnknown);
        }
        if self.snapshot.files > 0 {
            return None;
        }
        let files = self.snapshot.skipped.len() + self.not_recorded.len();
        Some(match self.snapshot.skipped.first() {
            Some(first) => Unmeasured::LeftOut { files, path: first.path.clone(), why: first.why },
            None if files > 0 => Unmeasured::NotRecorded { files },
            None => Unmeasured::NoFiles,
        })
    }

    pub fn is_measured(&self) -> bool {
        self.unmeasured().is_none()
    }

    /// The numbers, or why there are none.
    pub fn measured(self) -> Result<Snapshot, Unmeasured> {
        match self.unmeasured() {
            None => Ok(self.snapshot),
            Some(why) => Err(why),
        }
    }

    /// None where no file was measured.
    pub fn code(&self) -> Option<&Snapshot> {
        self.is_measured().then_some(&self.snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::Skipped;

    fn of(files: u32, skipped: &[(&str, Skip)], not_recorded: &[&str]) -> Scored {
        let skipped = skipped.iter().map(|(path, why)| Skipped { path: (*path).into(), why: *why });
        let paths = not_recorded.iter().filter_map(|path| RepoPath::new(path));
        Scored {
            snapshot: Snapshot { files, skipped: skipped.collect(), ..Snapshot::default() },
            detail: Detail::default(),
            not_recorded: paths.collect(),
            is_untold: false,
        }
    }

    #[test]
    fn a_moment_of_which_no_file_was_measured_has_no_numbers_and_says_why() {
        let broken = [("a.py", Skip::SyntaxError)];
        let causes = [
            of(0, &[], &[]),
            of(0, &broken, &[]),
            of(0, &broken, &["b.py", "c.py"]),
            of(0, &[], &["b.py", "c.py"]),
            Scored { is_untold: true, ..of(3, &[], &[]) },
        ];

        let said = causes.map(|scored| {
            assert_eq!(scored.code(), None);
            scored.unmeasured().map(|why| why.to_string()).unwrap_or_default()
        });

        assert_eq!(
            said,
            [
                "no file of a language that is measured",
                "a.py: syntax error",
                "none of 3 files could be measured; a.py: syntax error",
                "the content of none of the 2 files is recorded",
                "nothing recorded says what the files were",
            ]
        );
    }

    #[test]
    fn files_that_were_measured_and_have_no_callable_score_0() {
        let scored = of(1, &[("a.py", Skip::SyntaxError)], &["b.py"]);

        assert_eq!(scored.code().map(|it| (it.erosion, it.verbosity)), Some((0.0, 0.0)));
    }
}
