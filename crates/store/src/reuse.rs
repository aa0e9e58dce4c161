//! Dependency integration over a run or of a folder: each content is read once, whatever turns it stands in.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;

use trajview_metrics::{
    quality::Parsed,
    reuse::{self, Facts, File, Form, Reuse},
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Blobs, Tree},
};

use super::{
    Archive, Cache,
    kept_facts::KeptFacts,
    score::{ALONE, GoesOn, at_once, is_plain},
};

/// Remembers what was read of contents for as long as it lives; with a [`Cache`] for longer. Shared between threads.
#[derive(Debug, Default)]
pub struct ReuseReader {
    known: Mutex<HashMap<Content, Arc<Facts>>>,
    cache: Option<Arc<Cache>>,
}

/// What the facts of a file depend on.
type Content = (BlobId, Form);

/// The files of one moment that are looked at; None where the recording has no content.
type Files = Vec<(RepoPath, Option<Content>)>;

impl ReuseReader {
    /// One whose facts are kept between starts, where there is a cache.
    pub fn kept_in(cache: Option<Arc<Cache>>) -> Self {
        Self { cache, ..Self::default() }
    }

    fn kept(&self) -> Option<KeptFacts<'_>> {
        let cache = self.cache.as_deref()?;
        Some(KeptFacts::of(cache, "facts for DIR", reuse::FACTS_VERSION))
    }

    fn remember(&self, facts: impl IntoIterator<Item = (Content, Arc<Facts>)>) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(facts);
    }

    /// Keeps what was read, but what another build would read otherwise.
    fn keep(&self, read: &[(Content, Arc<Facts>)]) {
        let Some(kept) = self.kept() else { return };
        let lasting = read.iter().filter(|(_, facts)| facts.are_lasting());
        kept.put(lasting.map(|((blob, form), facts)| (*blob, form.name(), &**facts)));
    }

    /// Takes what was kept of these contents; gives those of which nothing was.
    fn recall(&self, contents: Vec<Content>) -> Vec<Content> {
        let Some(kept) = self.kept().filter(|_| !contents.is_empty()) else { return contents };
        let named = contents.iter().map(|(blob, form)| (*blob, form.name()));
        let mut found: HashMap<usize, Facts> = kept.get(named);
        let mut missing = vec![];
        for (at, content) in contents.into_iter().enumerate() {
            match found.remove(&at) {
                Some(facts) => self.remember([(content, Arc::new(facts))]),
                None => missing.push(content),
            }
        }
        missing
    }

    /// Makes sure of the facts of all these contents. The error is a sentence.
    fn read_all<'a>(
        &self,
        files: impl IntoIterator<Item = &'a Files>,
        blobs: &(dyn Blobs + Sync),
    ) -> Result<(), String> {
        let contents: HashSet<Content> =
            files.into_iter().flatten().filter_map(|(_, content)| *content).collect();
        let missing: Vec<Content> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            contents.into_iter().filter(|content| !known.contains_key(content)).collect()
        };
        let missing = self.recall(missing);
        let read = missing.into_par_iter().with_min_len(ALONE).map(|(blob, form)| {
            Ok(((blob, form), Arc::new(reuse::read(form, &blobs.blob(blob)?))))
        });
        let read: Vec<(Content, Arc<Facts>)> = read.collect::<Result<_, String>>()?;
        self.keep(&read);
        self.remember(read);
        Ok(())
    }

    fn link(&self, files: &Files) -> Reuse {
        let facts: Vec<Option<Arc<Facts>>> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            files.iter().map(|(_, content)| known.get(content.as_ref()?).cloned()).collect()
        };
        let named = files.iter().zip(&facts);
        let named = named
            .map(|((path, _), facts)| File { path: path.as_str(), facts: facts.as_deref() })
            .collect::<Vec<_>>();
        reuse::link(&named)
    }

    /// Takes the facts of a content out of what was read to measure it.
    pub(super) fn see(&self, blob: BlobId, path: &str, parsed: Parsed<'_>) {
        let Some(form) = Form::of(path) else { return };
        if let Some(facts) = reuse::read_parsed(form, parsed) {
            let read = [((blob, form), Arc::new(facts))];
            self.keep(&read);
            self.remember(read);
        }
    }

    /// DIR of some files, whatever else they are; the error is a sentence.
    pub(super) fn of_files<'a>(
        &self,
        files: impl Iterator<Item = (&'a RepoPath, BlobId)>,
        blobs: &(dyn Blobs + Sync),
    ) -> Result<Reuse, String> {
        let taken = files.filter(|(path, _)| reuse::takes(path.as_str()));
        let named = taken.filter_map(|(path, blob)| {
            Some((path.clone(), Some((blob, Form::of(path.as_str())?))))
        });
        let files: Files = named.collect();
        self.read_all([&files], blobs)?;
        Ok(self.link(&files))
    }
}

impl Archive {
    /// What reads files for DIR, and keeps their facts where the archive keeps what costs much.
    pub fn reuse_reader(&self) -> ReuseReader {
        ReuseReader::kept_in(self.cache().cloned())
    }

    /// DIR of the files at each of these moments, counted in turns done; None where nothing in the recording says what
    /// the files were. The error is a sentence.
    pub fn reuse(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<Reuse>>, String> {
        self.reuse_each(run, moments, reader, &|_, _| true, &|reuse| reuse)
    }

    /// As [`Self::reuse`], and of each moment only what `kept` makes of it. `goes_on` hears how many of how many moments
    /// are linked.
    pub fn reuse_each<T: Send + Clone>(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
        goes_on: &GoesOn<'_>,
        kept: &(impl Fn(Reuse) -> T + Sync),
    ) -> Result<Vec<Option<T>>, String> {
        let timeline = self.timeline(run)?;
        let mut all = vec![];
        let linked_moments = AtomicUsize::new(0);
        for some in moments.chunks(at_once(&timeline)) {
            let mut wanted: BTreeMap<usize, Option<Files>> = BTreeMap::new();
            timeline.visit(some, |done, tree, is_untold| {
                wanted.insert(done, (!is_untold).then(|| files_of(tree)));
            });
            self.with_blobs(run, |blobs| reader.read_all(wanted.values().flatten(), blobs))??;
            let link = |(done, files): (usize, Option<Files>)| {
                let reuse = files.map(|files| kept(reader.link(&files)));
                let linked = linked_moments.fetch_add(1, Ordering::Relaxed) + 1;
                goes_on(linked, moments.len()).then_some((done, reuse)).ok_or("stopped")
            };
            let linked: BTreeMap<usize, Option<T>> =
                wanted.into_par_iter().map(link).collect::<Result<_, _>>()?;
            all.extend(some.iter().filter_map(|done| linked.get(done).cloned()));
        }
        Ok(all)
    }
}

fn files_of(tree: &Tree) -> Files {
    let taken =
        tree.files.iter().filter(|(path, file)| is_plain(**file) && reuse::takes(path.as_str()));
    taken
        .filter_map(|(path, file)| {
            let form = Form::of(path.as_str())?;
            Some((path.clone(), file.blob().map(|blob| (blob, form))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate as store;

    /// Asked for what was kept.
    struct Nothing;

    impl Blobs for Nothing {
        fn blob(&self, id: BlobId) -> Result<trajview_run::files::Blob, String> {
            Err(format!("asked for {id}"))
        }
    }

    fn read(run: &store::Opened, cache: &Path, blobs: Option<&(dyn Blobs + Sync)>) -> Reuse {
        let cache = Cache::open(&cache.join("measures.sqlite")).unwrap();
        let reader = ReuseReader::kept_in(Some(Arc::new(cache)));
        let tree = run.archive.timeline(&run.run).unwrap().tree_after(run.run.end());
        let files = files_of(&tree);
        match blobs {
            Some(blobs) => reader.read_all([&files], blobs).unwrap(),
            None => run
                .archive
                .with_blobs(&run.run, |blobs| reader.read_all([&files], blobs))
                .unwrap()
                .unwrap(),
        }
        reader.link(&files)
    }

    #[test]
    fn what_was_read_for_dir_is_not_read_again_by_the_next_program() {
        let folder = tempfile::tempdir().unwrap();
        for sample in ["codex-p12", "claude-code", "slopcodebench"] {
            let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
            let Ok(opened) = store::open(&path) else { continue };

            let first = read(&opened, folder.path(), None);
            let second = read(&opened, folder.path(), Some(&Nothing));

            assert_eq!(first, second);
        }
    }
}
