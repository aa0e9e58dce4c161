//! The division of all runs between several machines.
//!
//! A run belongs to a shard by the SHA-256 of its id, which here is the run's path below the folder that was named:
//! every machine knows it without opening a recording of another shard, and it is the same wherever the folder lies.
//! The id that a recording gives itself is known only after reading, and several runs may share it.

use std::{fmt, path::Path, str::FromStr};

use sha2::{Digest, Sha256};

/// One of several equal parts of all runs: `2/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Counts from 1.
    pub number: u32,
    /// The number of shards.
    pub count: u32,
}

impl Shard {
    /// All runs.
    pub const ALL_RUNS: Self = Self { number: 1, count: 1 };

    /// Returns whether it takes the run of that id.
    pub fn contains_id(self, id: &str) -> bool {
        let digest = Sha256::digest(id.as_bytes());
        let first = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        first % u64::from(self.count) == u64::from(self.number - 1)
    }
}

/// Returns the id of a run by which it belongs to a shard: its path below the folder that was named, else the name of
/// its file; `/` between parts on every system.
pub fn shard_id(run: &Path, named: &Path) -> String {
    let below = run.strip_prefix(named).ok().filter(|below| !below.as_os_str().is_empty());
    let below = below.or(run.file_name().map(Path::new)).unwrap_or(run);
    let parts = below.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let parsed = words.split_once('/').and_then(|(number, of)| {
            let (number, of): (u32, u32) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Self { number, count: of })
        });
        parsed.ok_or_else(|| "expected a shard of several, as 1/4: counts from 1, up to 4/4".into())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_belongs_to_exactly_one_shard() {
        for id in ["a", "tasks/7/run.jsonl", "ü", ""] {
            for of in 1..=9 {
                let takes =
                    (1..=of).filter(|number| Shard { number: *number, count: of }.contains_id(id));
                assert_eq!(takes.count(), 1, "{id} of {of}");
            }
        }
    }

    #[test]
    fn the_shard_of_an_id_never_changes() {
        let of =
            |id: &str| (1..=4).find(|number| Shard { number: *number, count: 4 }.contains_id(id));

        assert_eq!(["a", "b", "c", "d"].map(of), [Some(3), Some(3), Some(3), Some(2)]);
    }

    #[test]
    fn shards_count_from_one() {
        assert_eq!("2/4".parse(), Ok(Shard { number: 2, count: 4 }));
        for wrong in ["0/4", "5/4", "1/0", "1", "a/b", "-1/4", "1/4/2", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_id_of_a_run_is_its_path_below_the_folder_that_was_named() {
        assert_eq!(shard_id(Path::new("runs/a/b.jsonl"), Path::new("runs")), "a/b.jsonl");
        assert_eq!(shard_id(Path::new("/x/runs/a/b.jsonl"), Path::new("/x/runs/")), "a/b.jsonl");
        assert_eq!(shard_id(Path::new("runs/b.jsonl"), Path::new("runs/b.jsonl")), "b.jsonl");
    }
}
