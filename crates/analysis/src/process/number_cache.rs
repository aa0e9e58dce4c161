//! The process numbers of a recording, kept between starts by the content of its files.

use sha1::{Digest, Sha1};

use trajview_code::tree::Grammar;
use trajview_metrics::process::ProcessNumbers;
use trajview_run::{Run, files::BlobId};
use trajview_store::{Archive, build_id, checks};

use crate::fact_cache::FactCache;

/// The version of what is kept of a recording. The numbers themselves may differ between builds, which the digest tells apart.
const NUMBERS_VERSION: u32 = 3;

/// Returns the numbers of the cache, or else those that `compute` returns, which the cache keeps. Only for a recording whose
/// files alone decide the numbers: one with a repository, a bundle or results of checks is computed anew.
pub(super) fn cached_numbers(
    archive: &Archive,
    run: &Run,
    compute: impl FnOnce() -> ProcessNumbers,
) -> ProcessNumbers {
    let digest = || numbers_digest(archive, run);
    let Some((cache, digest)) = archive.cache().and_then(|cache| Some((cache, digest()?))) else {
        return compute();
    };
    let cache = FactCache::new(cache, "process numbers", NUMBERS_VERSION);
    let format = run.origin.format;
    cache.get(std::iter::once((digest, format))).remove(&0).unwrap_or_else(|| {
        let numbers = compute();
        cache.put([(digest, format, &numbers)]);
        numbers
    })
}

/// Returns a digest of all that the numbers depend on; None where that is more than the recording's own files.
fn numbers_digest(archive: &Archive, run: &Run) -> Option<BlobId> {
    let files = archive.content_digest()?;
    if !checks::stored_checks(archive).0.is_empty() {
        return None;
    }
    let grammars = Grammar::ALL.iter().filter(|it| it.is_compiled_in()).map(|it| it.name());
    let mut hash = Sha1::new_with_prefix(files);
    hash.update(build_id());
    for grammar in grammars {
        hash.update(grammar);
        hash.update([0]);
    }
    for source in &run.origin.sources {
        hash.update(&source.name);
        hash.update([0]);
    }
    // A harness' record beside the log says which task it is.
    hash.update(format!("{:?} {}", run.task, run.trial.is_some()));
    Some(BlobId(hash.finalize().into()))
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use trajview_store::{self as store, DiskCache};

    use crate::process_numbers;

    /// The cache must answer as the computation does, and not at all for another content, task or check.
    #[test]
    fn cached_numbers_are_the_computed_ones_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Arc::new(DiskCache::open(&folder.path().join("cache.sqlite")).unwrap());
        let logs = trajview_testing::project();
        let logs = std::path::Path::new(logs).join("sample-runs/logs");
        let mut cached_runs = 0;
        for path in store::runs_below(&logs) {
            let Ok(opened) = store::open(&path) else { continue };
            let computed = process_numbers(&opened.archive, &opened.run);
            let of_cache = || {
                let opened = store::open(&path).unwrap().with_cache(Some(Arc::clone(&cache)));
                process_numbers(&opened.archive, &opened.run)
            };
            assert_eq!(of_cache(), computed, "{}", path.display());
            assert_eq!(of_cache(), computed, "{}", path.display());
            cached_runs += usize::from(opened.archive.content_digest().is_some());
        }
        assert!(cached_runs > 20, "{cached_runs}");

        let path = folder.path().join("s.jsonl");
        let log = |request: &str| {
            format!(
                "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{{\"role\":\"user\",\"content\":\"{request}\"}}}}\n"
            )
        };
        let digest = |request: &str| {
            fs::write(&path, log(request)).unwrap();
            let opened = store::open(&path).unwrap();
            super::numbers_digest(&opened.archive, &opened.run).unwrap()
        };
        assert_eq!(digest("go"), digest("go"));
        assert_ne!(digest("go"), digest("no"));
    }
}
