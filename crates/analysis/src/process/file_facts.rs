//! The facts of a run's files for its process: the costly part, for which every version of its code is parsed. It
//! depends on the files alone, and is kept between starts where there is a cache.

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use trajview_code::tree::Grammar;
use trajview_metrics::process::{CodeFacts, LostUse};
use trajview_run::{
    RepoPath, Run,
    files::{FileContent, Timeline, TreeFile},
};
use trajview_store::Archive;

use super::{super::lifelines, code_facts, definition_names, lost_uses};

/// The version of the facts. It is raised whenever the same files would give other facts than before.
const VERSION: u32 = 2;

/// The number of changes of files below which reading them again is quicker than keeping what they say.
const WORTH: usize = 64;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ProcessFileFacts {
    /// The facts of the code; None where the files are not known.
    pub code: Option<CodeFacts>,
    pub lost_uses: Vec<LostUse>,
    /// The definitions of the code outside tests at the end, each name with its file; empty where they were not
    /// requested.
    pub defined: Vec<(String, String)>,
}

/// Returns the facts of the files, from the archive's cache if they are there.
pub fn file_facts(
    archive: &Archive,
    run: &Run,
    timeline: &Timeline,
    wants_names: bool,
) -> ProcessFileFacts {
    let changes: usize = timeline.turns.iter().map(|turn| turn.changes.len()).sum();
    let cache = archive.cache().filter(|_| changes >= WORTH);
    let cache = cache.map(|cache| (cache, cache_key(timeline, wants_names)));
    if let Some((cache, key)) = &cache
        && let Some(value) = cache.get(std::slice::from_ref(key)).remove(&0)
        && let Ok(cached) = serde_json::from_slice(&value)
    {
        return cached;
    }
    let lost = lifelines::lost_symbols(archive, run);
    let is_whole = lost.is_ok();
    let names =
        || definition_names(archive, run, &timeline.tree_after(run.end_in_turns()), &|_| true);
    let found = ProcessFileFacts {
        code: Some(code_facts(archive, run, timeline)),
        lost_uses: lost_uses(lost.unwrap_or_default()),
        defined: if wants_names { names() } else { vec![] },
    };
    if let Some((cache, key)) = cache.filter(|_| is_whole)
        && let Ok(value) = serde_json::to_vec(&found)
    {
        cache.put_soon([(key, value)]);
    }
    found
}

/// Returns a key that changes with every file of every moment, with the languages of this build and with what reads
/// them.
fn cache_key(timeline: &Timeline, wants_names: bool) -> Vec<u8> {
    let mut key = Sha1::new().chain_update(format!("process {VERSION} {wants_names}"));
    for grammar in Grammar::ALL.into_iter().filter(|it| it.is_compiled_in()) {
        key.update(grammar.name());
        key.update([0]);
    }
    for (path, file) in &timeline.base.files {
        add_to_key(&mut key, path, Some(*file));
    }
    for turn in &timeline.turns {
        key.update(b"turn");
        for change in &turn.changes {
            key.update(change.kind.word());
            if let Some(from) = &change.from {
                add_to_key(&mut key, from, None);
            }
            add_to_key(&mut key, &change.path, change.file_after());
        }
    }
    [b"process".as_slice(), &key.finalize()].concat()
}

fn add_to_key(key: &mut Sha1, path: &RepoPath, file: Option<TreeFile>) {
    key.update(path.as_str());
    key.update([0]);
    match file.map(|file| (file.content, file.mode)) {
        Some((FileContent::Known(blob), mode)) => {
            key.update(blob.0);
            key.update(format!("{mode:?}"));
        }
        Some((FileContent::NotRecorded, _)) => key.update(b"?"),
        None => key.update(b"-"),
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use trajview_store as store;
    use trajview_store::DiskCache;

    #[test]
    fn what_was_kept_is_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskCache::open(&folder.path().join("measures.sqlite")).unwrap();
        let cache = Arc::new(cache);
        for sample in ["codex-p12", "codex-p12-single-shot"] {
            let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
            let open = || {
                let opened = store::open(&path).unwrap();
                opened.archive.set_cache(cache.clone());
                opened
            };
            let (first, second) = (open(), open());

            let read = crate::process::observe_run(&first.archive, &first.run);
            let from_cache = crate::process::observe_run(&second.archive, &second.run);

            assert_eq!(read, from_cache);
            let timeline = first.archive.timeline(&first.run).unwrap();
            let keys = [true, false].map(|wants_names| super::cache_key(&timeline, wants_names));
            let is_kept = !cache.get(&keys).is_empty();
            assert_eq!(is_kept, sample == "codex-p12", "what changes few files is read again");
        }
    }
}
