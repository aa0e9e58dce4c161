//! Dependency integration (DIR) over a run or of a folder: each content is read once, in however many turns it occurs.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;

use trajview_metrics::{
    quality::ParsedFile,
    reuse::{self, ReaderKind, Reuse, ReuseFacts, ReuseFile},
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Blobs, SourceTree},
};
use trajview_store::{Archive, DiskCache};

use super::{
    fact_cache::FactCache,
    scorer::{LEAST_PER_THREAD, ProgressCheck, is_regular_file, moments_at_once},
};

/// A reader that remembers the facts of contents for as long as it lives; with a [`DiskCache`] for longer. Shared
/// between threads.
#[derive(Debug, Default)]
pub struct ReuseReader {
    facts: Mutex<HashMap<ReuseContent, Arc<ReuseFacts>>>,
    cache: Option<Arc<DiskCache>>,
}

/// The input of a file's facts.
type ReuseContent = (BlobId, ReaderKind);

/// The files of one moment that are looked at; None where the recording has no content.
type ReuseFiles = Vec<(RepoPath, Option<ReuseContent>)>;

impl ReuseReader {
    /// Makes a reader whose facts are kept between starts, where there is a cache.
    pub fn with_cache(cache: Option<Arc<DiskCache>>) -> Self {
        Self { cache, ..Self::default() }
    }

    fn fact_cache(&self) -> Option<FactCache<'_>> {
        let cache = self.cache.as_deref()?;
        Some(FactCache::new(cache, "facts for DIR", reuse::FACTS_VERSION))
    }

    fn remember_facts(&self, facts: impl IntoIterator<Item = (ReuseContent, Arc<ReuseFacts>)>) {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).extend(facts);
    }

    /// Keeps what was read, but what another build would read otherwise.
    fn store_facts(&self, read: &[(ReuseContent, Arc<ReuseFacts>)]) {
        let Some(cache) = self.fact_cache() else { return };
        let lasting = read.iter().filter(|(_, facts)| facts.are_lasting());
        cache.put(lasting.map(|((blob, form), facts)| (*blob, form.name(), &**facts)));
    }

    /// Loads the cached facts of these contents; returns the contents without any.
    fn load_facts(&self, contents: Vec<ReuseContent>) -> Vec<ReuseContent> {
        let Some(cache) = self.fact_cache().filter(|_| !contents.is_empty()) else {
            return contents;
        };
        let named = contents.iter().map(|(blob, form)| (*blob, form.name()));
        let mut facts_by_position: HashMap<usize, ReuseFacts> = cache.get(named);
        let mut missing = vec![];
        for (at, content) in contents.into_iter().enumerate() {
            match facts_by_position.remove(&at) {
                Some(facts) => self.remember_facts([(content, Arc::new(facts))]),
                None => missing.push(content),
            }
        }
        missing
    }

    /// Makes sure of the facts of all these contents. The error is a sentence.
    fn read_all<'a>(
        &self,
        files: impl IntoIterator<Item = &'a ReuseFiles>,
        blobs: &(dyn Blobs + Sync),
    ) -> Result<(), String> {
        let contents: HashSet<ReuseContent> =
            files.into_iter().flatten().filter_map(|(_, content)| *content).collect();
        let missing: Vec<ReuseContent> = {
            let facts_here = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
            contents.into_iter().filter(|content| !facts_here.contains_key(content)).collect()
        };
        let missing = self.load_facts(missing);
        let read = missing.into_par_iter().with_min_len(LEAST_PER_THREAD).map(|(blob, form)| {
            Ok(((blob, form), Arc::new(reuse::read_facts(form, &blobs.read_blob(blob)?))))
        });
        let read: Vec<(ReuseContent, Arc<ReuseFacts>)> = read.collect::<Result<_, String>>()?;
        self.store_facts(&read);
        self.remember_facts(read);
        Ok(())
    }

    fn link_files(&self, files: &ReuseFiles) -> Reuse {
        let facts: Vec<Option<Arc<ReuseFacts>>> = {
            let facts_here = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
            files.iter().map(|(_, content)| facts_here.get(content.as_ref()?).cloned()).collect()
        };
        let named = files.iter().zip(&facts);
        let named = named
            .map(|((path, _), facts)| ReuseFile { path: path.as_str(), facts: facts.as_deref() })
            .collect::<Vec<_>>();
        reuse::link_files(&named)
    }

    /// Reads the facts of a content from its parsed form, which was made to measure it.
    pub(crate) fn take_parsed(&self, blob: BlobId, path: &str, parsed: ParsedFile<'_>) {
        let Some(form) = ReaderKind::for_path(path) else { return };
        if let Some(facts) = reuse::read_parsed(form, parsed) {
            let read = [((blob, form), Arc::new(facts))];
            self.store_facts(&read);
            self.remember_facts(read);
        }
    }

    /// Returns DIR of some files; the error is a sentence.
    pub(crate) fn reuse_of_files<'a>(
        &self,
        files: impl Iterator<Item = (&'a RepoPath, BlobId)>,
        blobs: &(dyn Blobs + Sync),
    ) -> Result<Reuse, String> {
        let taken = files.filter(|(path, _)| reuse::takes_path(path.as_str()));
        let named = taken.filter_map(|(path, blob)| {
            Some((path.clone(), Some((blob, ReaderKind::for_path(path.as_str())?))))
        });
        let files: ReuseFiles = named.collect();
        self.read_all([&files], blobs)?;
        Ok(self.link_files(&files))
    }
}

/// Returns DIR of the files after `done` turns; None where the recording does not have them. The error is a sentence.
pub fn reuse_at(archive: &Archive, run: &Run, done: usize) -> Result<Option<Reuse>, String> {
    let reader = ReuseReader::with_cache(archive.cache().cloned());
    let mut all = link_moments(archive, run, &[done], &reader, &|_, _| true, &|_, reuse| reuse)?;
    Ok(all.pop().flatten())
}

/// Returns DIR of the files at each of these moments, counted in turns done, and of each only what `reduce` makes of the
/// moment and its DIR; None where the recording does not have the files. `keep_going` gets how many of how many moments
/// are linked. The error is a sentence.
pub(crate) fn link_moments<T: Send + Clone>(
    archive: &Archive,
    run: &Run,
    moments: &[usize],
    reader: &ReuseReader,
    keep_going: &ProgressCheck<'_>,
    reduce: &(impl Fn(usize, Reuse) -> T + Sync),
) -> Result<Vec<Option<T>>, String> {
    let timeline = archive.timeline(run)?;
    let mut all = vec![];
    let linked_moments = AtomicUsize::new(0);
    for some in moments.chunks(moments_at_once(&timeline)) {
        let mut wanted: BTreeMap<usize, Option<ReuseFiles>> = BTreeMap::new();
        timeline.visit_turn_ends(some, |done, tree, is_untold| {
            wanted.insert(done, (!is_untold).then(|| reuse_files(tree)));
        });
        archive.with_blobs(run, |blobs| reader.read_all(wanted.values().flatten(), blobs))??;
        let link = |(done, files): (usize, Option<ReuseFiles>)| {
            let reuse = files.map(|files| reduce(done, reader.link_files(&files)));
            let linked = linked_moments.fetch_add(1, Ordering::Relaxed) + 1;
            keep_going(linked, moments.len()).then_some((done, reuse)).ok_or("stopped")
        };
        let linked: BTreeMap<usize, Option<T>> =
            wanted.into_par_iter().map(link).collect::<Result<_, _>>()?;
        all.extend(some.iter().filter_map(|done| linked.get(done).cloned()));
    }
    Ok(all)
}

fn reuse_files(tree: &SourceTree) -> ReuseFiles {
    let taken = tree
        .files
        .iter()
        .filter(|(path, file)| is_regular_file(**file) && reuse::takes_path(path.as_str()));
    taken
        .filter_map(|(path, file)| {
            let form = ReaderKind::for_path(path.as_str())?;
            Some((path.clone(), file.blob_id().map(|blob| (blob, form))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use trajview_store as store;

    /// Contents that must not be requested, since their facts are cached.
    struct NoBlobs;

    impl Blobs for NoBlobs {
        fn read_blob(&self, id: BlobId) -> Result<trajview_run::files::Blob, String> {
            Err(format!("asked for {id}"))
        }
    }

    fn read_reuse(
        run: &store::OpenedRecording,
        cache: &Path,
        blobs: Option<&(dyn Blobs + Sync)>,
    ) -> Reuse {
        let cache = DiskCache::open(&cache.join("measures.sqlite")).unwrap();
        let reader = ReuseReader::with_cache(Some(Arc::new(cache)));
        let tree = run.archive.timeline(&run.run).unwrap().tree_after(run.run.end_in_turns());
        let files = reuse_files(&tree);
        match blobs {
            Some(blobs) => reader.read_all([&files], blobs).unwrap(),
            None => run
                .archive
                .with_blobs(&run.run, |blobs| reader.read_all([&files], blobs))
                .unwrap()
                .unwrap(),
        }
        reader.link_files(&files)
    }

    #[test]
    fn what_was_read_for_dir_is_not_read_again_by_the_next_program() {
        let folder = tempfile::tempdir().unwrap();
        for sample in ["codex-p12", "claude-code", "slopcodebench"] {
            let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
            let Ok(opened) = store::open(&path) else { continue };

            let first = read_reuse(&opened, folder.path(), None);
            let second = read_reuse(&opened, folder.path(), Some(&NoBlobs));

            assert_eq!(first, second);
        }
    }
}
