//! Which runs a command takes of those that were named: all of them, or one shard of several.

use std::path::{Path, PathBuf};

use crate::store::{
    self,
    dataset::{Shard, id_of},
};

/// One machine's share of the work.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Sharding {
    /// Only the runs of shard I of N: by a hash of each run's path below the folder that was named, so that shards never
    /// overlap, together are all runs, and stay the same when other runs come
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl Sharding {
    /// Which shard it is; the whole where none was named.
    pub fn shard(self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Whether a shard was named.
    pub const fn is_asked(self) -> bool {
        self.shard.is_some()
    }

    /// The recordings of this shard below the paths, a folder standing for all below it, in order, each once.
    pub fn runs(self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let named = paths.iter().flat_map(|path| {
            let runs = runs_at(path).into_iter();
            runs.filter(|run| self.shard().takes(&id_of(run, path)))
        });
        let mut runs: Vec<PathBuf> = named.collect();
        runs.sort();
        runs.dedup();
        runs
    }
}

/// A folder stands for all runs below it.
pub fn runs_at(path: &Path) -> Vec<PathBuf> {
    let runs = if store::holds_runs(path) { store::runs_below(path) } else { vec![] };
    if runs.is_empty() { vec![path.to_owned()] } else { runs }
}
