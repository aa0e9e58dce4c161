//! The scores of a run's snapshots: each content is measured once, in however many turns it occurs, and kept by its
//! name.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rayon::prelude::*;
use sha1::{Digest, Sha1};

use trajview_code::tree::Grammar;
use trajview_metrics::{
    quality::{self, FileMeasure, ParsedFile, QualityProfile, Ruler, ScoredSnapshot, SnapshotFile},
    reuse::{self, Reuse},
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Blobs, FileMode, RunMoment, SourceTree, Timeline, TreeFile},
};
use trajview_store::{Archive, DiskCache, plain_folder};

use super::{lifelines, reuse::ReuseReader, scores::ScoreRequest};

/// A scorer measures contents and remembers the measures for as long as it lives; with a [`DiskCache`] for longer.
/// Shared between threads.
#[derive(Debug)]
pub struct Scorer {
    ruler: Ruler,
    cache: Option<Arc<DiskCache>>,
    measured: Mutex<HashMap<MeasuredContent, Arc<FileMeasure>>>,
    gathered: Mutex<PendingMeasures>,
    /// The reader that also gets the parsed form of each content.
    reader: Option<Arc<ReuseReader>>,
}

/// The measures that wait to be written to the cache: keys and values.
#[derive(Debug, Default)]
struct PendingMeasures {
    values: Vec<(Vec<u8>, Vec<u8>)>,
    /// The number of active callers of [`Scorer::batch_cache_writes`]; without any, measures are written at once.
    callers: usize,
}

/// The input of a measure beside the ruler.
type MeasuredContent = (BlobId, Grammar);

/// A content and the path of one file that has it.
type NamedContent = (MeasuredContent, RepoPath);

/// The place of the contents to measure.
#[derive(Clone, Copy)]
struct ContentSource<'a> {
    blobs: &'a (dyn Blobs + Sync),
    /// The recording that keeps the definitions in what is parsed; None where they are not needed.
    defined_in: Option<&'a Archive>,
}

/// The files that count at one moment.
#[derive(Debug, Default)]
struct FilesToScore {
    files: Vec<(RepoPath, MeasuredContent)>,
    not_recorded: Vec<RepoPath>,
    is_unknown: bool,
}

/// A callback with the number of contents that are measured and the number of all; false stops the work.
pub type ProgressCheck<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// The number of contents read and measured between two looks at whether to go on; what is measured is kept that often
/// too.
const BATCH_CONTENTS: usize = 128;

/// The most measures of small runs that are written to the cache in one transaction: each costs several syncs of the
/// disk.
const MOST_PENDING: usize = 4_096;

/// The least items for each thread; fewer than twice this are not worth other threads: a table measures thousands of
/// runs with a few files each.
pub(crate) const LEAST_PER_THREAD: usize = 3;

impl Scorer {
    pub fn new(ruler: Ruler, cache: Option<Arc<DiskCache>>) -> Self {
        let (measured, gathered) = (Mutex::default(), Mutex::default());
        Self { ruler, cache, measured, gathered, reader: None }
    }

    /// Adds a reader that needs the same contents: it gets their parsed form and parses nothing again.
    #[must_use]
    pub(crate) fn with_reader(self, reader: Arc<ReuseReader>) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Returns the cache that keeps the measures between starts.
    pub fn cache(&self) -> Option<Arc<DiskCache>> {
        self.cache.clone()
    }

    pub fn ruler(&self) -> &Ruler {
        &self.ruler
    }

    /// Drops the measures in memory. It must not be called during a measurement, which would miss them.
    pub fn forget_measures(&self) {
        self.lock_measures().clear();
    }

    fn profile(&self) -> QualityProfile {
        self.ruler.profile()
    }

    fn lock_measures(&self) -> MutexGuard<'_, HashMap<MeasuredContent, Arc<FileMeasure>>> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the name of a measure in the cache: 20 bytes of the content's name, 20 of everything else.
    fn cache_key(&self, (blob, grammar): MeasuredContent) -> Vec<u8> {
        let ruler = Sha1::new()
            .chain_update(self.ruler.fingerprint())
            .chain_update([0])
            .chain_update(grammar.name())
            .finalize();
        [blob.0.as_slice(), ruler.as_slice()].concat()
    }

    /// Makes sure of the measures of all these contents. The error is a sentence.
    fn measure_all(
        &self,
        contents: Vec<NamedContent>,
        source: ContentSource<'_>,
        keep_going: &ProgressCheck<'_>,
    ) -> Result<(), String> {
        let total = contents.len();
        let missing = self.load_cached(contents);
        let mut done = total - missing.len();
        for batch in missing.chunks(BATCH_CONTENTS) {
            if !keep_going(done, total) {
                return Err("stopped".into());
            }
            let measure = |one: &NamedContent| self.measure_content(one, source);
            let measured: Result<Vec<_>, String> = if batch.len() < 2 * LEAST_PER_THREAD {
                batch.iter().map(measure).collect()
            } else {
                // A free thread takes the next content: the largest come first where their sizes are known.
                batch.iter().par_bridge().map(measure).collect()
            };
            let measured = measured?;
            self.store_measures(&measured);
            self.lock_measures().extend(measured);
            done += batch.len();
        }
        keep_going(total, total);
        Ok(())
    }

    fn measure_content(
        &self,
        (content, path): &NamedContent,
        source: ContentSource<'_>,
    ) -> Result<(MeasuredContent, Arc<FileMeasure>), String> {
        let bytes = source.blobs.read_blob(content.0)?;
        let see = |parsed: ParsedFile<'_>| {
            self.reader.iter().for_each(|it| it.take_parsed(content.0, path.as_str(), parsed));
            // The definitions are those of the file as written.
            let is_as_written = parsed.text.as_bytes() == &*bytes;
            if let Some(archive) = source.defined_in.filter(|_| is_as_written) {
                lifelines::take_parsed(archive, content.0, path, parsed);
            }
        };
        let measure = quality::measure_and(path.as_str(), &bytes, &self.ruler, see);
        Ok((*content, Arc::new(measure)))
    }

    /// Returns the contents that are not measured in this process yet.
    fn unmeasured_contents(&self, contents: Vec<NamedContent>) -> Vec<NamedContent> {
        let measured = self.lock_measures();
        contents.into_iter().filter(|(content, _)| !measured.contains_key(content)).collect()
    }

    /// Loads the cached measures; returns the contents without any.
    fn load_cached(&self, contents: Vec<NamedContent>) -> Vec<NamedContent> {
        let unknown = self.unmeasured_contents(contents);
        let Some(cache) = &self.cache else { return unknown };
        let keys: Vec<Vec<u8>> =
            unknown.iter().map(|(content, _)| self.cache_key(*content)).collect();
        let values: Vec<(usize, Vec<u8>)> = cache.get(&keys).into_iter().collect();
        let mut found: HashMap<usize, FileMeasure> = values
            .into_par_iter()
            .with_min_len(LEAST_PER_THREAD)
            // What another version wrote and we cannot read is measured again.
            .filter_map(|(at, value)| Some((at, serde_json::from_slice(&value).ok()?)))
            .collect();
        // Not held while others work for us: they may be waiting for it in another question's name.
        let mut measured = self.lock_measures();
        let mut missing = vec![];
        for (at, (content, path)) in unknown.into_iter().enumerate() {
            match found.remove(&at) {
                Some(measure) => drop(measured.insert(content, Arc::new(measure))),
                None => missing.push((content, path)),
            }
        }
        missing
    }

    /// Writes measures to the cache. A cache that cannot be written costs time and nothing else.
    fn store_measures(&self, measured: &[(MeasuredContent, Arc<FileMeasure>)]) {
        let Some(cache) = &self.cache else { return };
        let keys: Vec<Vec<u8>> =
            measured.iter().map(|(content, _)| self.cache_key(*content)).collect();
        let values = keys
            .into_iter()
            .zip(measured)
            .filter_map(|(key, (_, measure))| Some((key, serde_json::to_vec(&**measure).ok()?)));
        let mut gathered = self.lock_pending();
        gathered.values.extend(values);
        if gathered.callers > 0 && gathered.values.len() < MOST_PENDING {
            return;
        }
        let values = std::mem::take(&mut gathered.values);
        if values.is_empty() {
            return;
        }
        drop(gathered); // other measuring threads do not wait for the disk
        let _ = cache.put(values);
    }

    /// Does `work`, which measures many runs, and writes their measures to the cache together instead of run by run.
    pub fn batch_cache_writes<T>(&self, work: impl FnOnce() -> T) -> T {
        self.lock_pending().callers += 1;
        let done = work();
        self.lock_pending().callers -= 1;
        self.store_measures(&[]);
        done
    }

    fn lock_pending(&self) -> MutexGuard<'_, PendingMeasures> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn combine_scores(&self, wanted: FilesToScore) -> ScoredSnapshot {
        let measured = self.lock_measures();
        let known = |(path, content): &(RepoPath, MeasuredContent)| {
            Some((path.to_string(), Arc::clone(measured.get(content)?)))
        };
        let files: Vec<(String, Arc<FileMeasure>)> =
            wanted.files.iter().filter_map(known).collect();
        drop(measured);
        let files: Vec<SnapshotFile<'_>> =
            files.iter().map(|(path, measure)| SnapshotFile { path, measure }).collect();
        let (snapshot, mut detail) = quality::combine_with_detail(&files, self.profile());
        detail.left_out.extend(wanted.not_recorded.iter().map(RepoPath::to_string));
        detail.left_out.sort_unstable();
        ScoredSnapshot {
            snapshot,
            detail,
            not_recorded: wanted.not_recorded,
            are_files_unknown: wanted.is_unknown,
        }
    }

    /// Returns the files of a tree that count.
    fn files_to_score(&self, tree: &SourceTree) -> FilesToScore {
        let mut wanted = FilesToScore::default();
        for (path, file) in &tree.files {
            if !is_regular_file(*file) || !self.profile().counts_file(path.as_str()) {
                continue;
            }
            let grammar = self.profile().grammar_of_file(path.as_str());
            match (file.blob_id(), grammar) {
                (Some(blob), Some(grammar)) => wanted.files.push((path.clone(), (blob, grammar))),
                _ => wanted.not_recorded.push(path.clone()),
            }
        }
        wanted
    }

    /// Scores a plain folder. Links are not followed; a file that cannot be read is an error, in a sentence.
    pub fn score_folder(&self, folder: &Path) -> Result<ScoredSnapshot, String> {
        let (_, wanted) = self.measure_folder(folder, &|path| self.profile().counts_file(path))?;
        Ok(self.combine_scores(wanted))
    }

    /// Scores the files of a tree, with the places behind the numbers. The error is a sentence.
    pub fn score_tree(
        &self,
        tree: &SourceTree,
        blobs: &(dyn Blobs + Sync),
    ) -> Result<ScoredSnapshot, String> {
        let wanted = self.files_to_score(tree);
        let source = ContentSource { blobs, defined_in: None };
        self.measure_all(unique_contents([&wanted]), source, &|_, _| true)?;
        Ok(self.combine_scores(wanted))
    }

    /// Scores a plain folder, with DIR.
    pub fn score_folder_with_reuse(
        &self,
        folder: &Path,
        reader: &ReuseReader,
    ) -> Result<(ScoredSnapshot, Reuse), String> {
        let takes = |path: &str| self.profile().counts_file(path) || reuse::takes_path(path);
        let (read, wanted) = self.measure_folder(folder, &takes)?;
        let files = read.paths.iter().map(|(path, blob)| (path, *blob));
        let (scored, reuse) = rayon::join(
            || self.combine_scores(wanted),
            || reader.reuse_of_files(files, &read.contents),
        );
        Ok((scored, reuse?))
    }

    /// Reads the files that one of those who want to know something of them takes, each once, and measures those that
    /// count.
    fn measure_folder(
        &self,
        folder: &Path,
        takes: &dyn Fn(&str) -> bool,
    ) -> Result<(ReadFolder, FilesToScore), String> {
        let paths = plain_folder::file_paths(folder, takes)?;
        let read = |path: &RepoPath| {
            let bytes = plain_folder::read_countable(folder, path)?;
            Ok((path.clone(), BlobId::for_bytes(&bytes), Arc::from(bytes)))
        };
        let files: Result<Vec<(_, _, Arc<[u8]>)>, String> = paths.par_iter().map(read).collect();
        let mut files = files?;
        // The largest first, so that no core is left alone with one at the end.
        files.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(bytes.len()));
        let mut wanted = FilesToScore::default();
        let mut read = ReadFolder { paths: vec![], contents: LoadedBlobs(HashMap::new()) };
        for (path, blob, bytes) in files {
            let grammar = self.profile().grammar_of_file(path.as_str());
            if let Some(grammar) = grammar.filter(|_| self.profile().counts_file(path.as_str())) {
                wanted.files.push((path.clone(), (blob, grammar)));
            }
            read.paths.push((path, blob));
            read.contents.0.insert(blob, bytes);
        }
        let source = ContentSource { blobs: &read.contents, defined_in: None };
        self.measure_all(unique_contents([&wanted]), source, &|_, _| true)?;
        Ok((read, wanted))
    }
}

/// Returns the scores of the files at each requested moment, and of each only what `reduce` makes of it: what thousands of
/// moments are made of does not fit into memory. The error is a sentence.
pub(crate) fn score_moments<T: Send + Clone>(
    archive: &Archive,
    run: &Run,
    request: &ScoreRequest<'_>,
    scorer: &Scorer,
    keep_going: &ProgressCheck<'_>,
    reduce: &(impl Fn(ScoredSnapshot) -> T + Sync),
) -> Result<Vec<T>, String> {
    let timeline = archive.timeline(run)?;
    let mut all = vec![];
    archive.with_blobs(run, |blobs| {
        let mut measured = 0;
        let source = ContentSource { blobs, defined_in: request.for_process.then_some(archive) };
        for some in request.moments.chunks(moments_at_once(&timeline)) {
            let mut wanted: BTreeMap<RunMoment, FilesToScore> = BTreeMap::new();
            timeline.visit_moments(run, some, |moment, tree, is_unknown| {
                wanted.insert(moment, FilesToScore { is_unknown, ..scorer.files_to_score(tree) });
            });
            let contents = scorer.unmeasured_contents(unique_contents(wanted.values()));
            let (before, count) = (measured, contents.len());
            let keep_going = |done: usize, total: usize| keep_going(before + done, before + total);
            scorer.measure_all(contents, source, &keep_going)?;
            measured += count;
            let wanted: Vec<(RunMoment, FilesToScore)> = wanted.into_iter().collect();
            let scored: BTreeMap<RunMoment, T> = wanted
                .into_par_iter()
                .with_min_len(LEAST_PER_THREAD)
                .map(|(moment, wanted)| (moment, reduce(scorer.combine_scores(wanted))))
                .collect();
            all.extend(some.iter().filter_map(|moment| scored.get(moment).cloned()));
        }
        Ok::<(), String>(())
    })??;
    Ok(all)
}

/// The most files of all moments that are looked at together.
const MOST_FILES: usize = 500_000;

/// Returns how many moments of a run are looked at together: the files of all of them are in memory meanwhile.
pub(crate) fn moments_at_once(timeline: &Timeline) -> usize {
    let changes = timeline.turns.iter().map(|turn| turn.changes.len()).sum::<usize>();
    let most = timeline.base.files.len() + changes; // there are never more at once
    (MOST_FILES / most.max(1)).max(2)
}

/// The files of a folder, and what is in them.
struct ReadFolder {
    paths: Vec<(RepoPath, BlobId)>,
    contents: LoadedBlobs,
}

/// The contents that were read already.
struct LoadedBlobs(HashMap<BlobId, Arc<[u8]>>);

impl Blobs for LoadedBlobs {
    fn read_blob(&self, id: BlobId) -> Result<Arc<[u8]>, String> {
        self.0.get(&id).cloned().ok_or_else(|| format!("content {id} was not read"))
    }
}

pub(crate) const fn is_regular_file(file: TreeFile) -> bool {
    matches!(file.mode, FileMode::Regular | FileMode::Executable)
}

/// Returns each content once, in the order of its first occurrence.
fn unique_contents<'a>(moments: impl IntoIterator<Item = &'a FilesToScore>) -> Vec<NamedContent> {
    let mut seen = HashSet::new();
    let files = moments.into_iter().flat_map(|moment| &moment.files);
    let first = files.filter(|(_, content)| seen.insert(*content));
    first.map(|(path, content)| (*content, path.clone())).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use std::fs;

    use super::*;
    use crate::scores::ReuseRequest;
    use trajview_metrics::rules::RuleSet;
    use trajview_store as store;

    /// Contents that must not be requested in a test.
    struct UnexpectedBlobs;

    impl Blobs for UnexpectedBlobs {
        fn read_blob(&self, id: BlobId) -> Result<Arc<[u8]>, String> {
            Err(format!("asked for {id}"))
        }
    }

    fn source_of(blobs: &(dyn Blobs + Sync)) -> ContentSource<'_> {
        ContentSource { blobs, defined_in: None }
    }

    fn scores_at(moments: &[RunMoment]) -> ScoreRequest<'_> {
        let reuse = ReuseRequest::Nowhere;
        ScoreRequest { moments, with_detail: true, reuse, for_process: false }
    }

    fn test_scorer(profile: QualityProfile, cache: &Path) -> Scorer {
        let cache = DiskCache::open(&cache.join("measures.sqlite")).unwrap();
        Scorer::new(Ruler::new(profile, RuleSet::none()), Some(Arc::new(cache)))
    }

    fn test_contents(count: usize) -> (Vec<NamedContent>, LoadedBlobs) {
        let path = RepoPath::new("a.py").unwrap();
        let bytes = |n: usize| format!("def f{n}(a):\n    return a\n").into_bytes();
        let all: Vec<Vec<u8>> = (0..count).map(bytes).collect();
        let named = |bytes: &Vec<u8>| ((BlobId::for_bytes(bytes), Grammar::Python), path.clone());
        let loaded = all.iter().map(|bytes| (BlobId::for_bytes(bytes), bytes.as_slice().into()));
        (all.iter().map(named).collect(), LoadedBlobs(loaded.collect()))
    }

    #[test]
    fn what_was_measured_is_not_read_again_by_the_next_program() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = test_contents(3);
        test_scorer(QualityProfile::Trajview, folder.path())
            .measure_all(named.clone(), source_of(&blobs), &|_, _| true)
            .unwrap();

        let next = test_scorer(QualityProfile::Trajview, folder.path());
        next.measure_all(named.clone(), source_of(&UnexpectedBlobs), &|_, _| true).unwrap();
        let other = test_scorer(QualityProfile::ScbPaper, folder.path());

        assert_eq!(
            next.lock_measures().values().map(|measure| measure.callables.len()).sum::<usize>(),
            3
        );
        assert!(
            other
                .measure_all(named, source_of(&UnexpectedBlobs), &|_, _| true)
                .unwrap_err()
                .starts_with("asked for")
        );
    }

    #[test]
    fn work_that_is_stopped_keeps_what_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = test_contents(2 * BATCH_CONTENTS + 7);
        let calls = AtomicUsize::new(0);
        let once = |_: usize, _: usize| calls.fetch_add(1, Ordering::Relaxed) < 1;

        let stopped = test_scorer(QualityProfile::Trajview, folder.path());
        assert_eq!(
            stopped.measure_all(named.clone(), source_of(&blobs), &once),
            Err("stopped".into())
        );

        let next = test_scorer(QualityProfile::Trajview, folder.path());
        assert_eq!(next.load_cached(named).len(), BATCH_CONTENTS + 7);
    }

    #[test]
    fn measures_of_many_small_runs_are_written_in_few_transactions() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = test_contents(MOST_PENDING + 100);
        let scorer = test_scorer(QualityProfile::Trajview, folder.path());
        let cache = scorer.cache.as_ref().unwrap();

        scorer.batch_cache_writes(|| {
            for run in named.chunks(4) {
                scorer.measure_all(run.to_vec(), source_of(&blobs), &|_, _| true).unwrap();
            }
        });

        let keys: Vec<Vec<u8>> =
            named.iter().map(|(content, _)| scorer.cache_key(*content)).collect();
        assert_eq!((cache.write_count(), cache.get(&keys).len()), (2, named.len()));
    }

    #[test]
    fn a_value_that_cannot_be_read_is_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = test_contents(1);
        let scorer = test_scorer(QualityProfile::Trajview, folder.path());
        let key = scorer.cache_key(named[0].0);
        scorer.cache.as_ref().unwrap().put([(key.as_slice(), b"not a measure".to_vec())]).unwrap();

        scorer.measure_all(named, source_of(&blobs), &|_, _| true).unwrap();

        assert_eq!(scorer.lock_measures().values().next().unwrap().callables.len(), 1);
    }

    #[test]
    fn several_questions_at_once_do_not_wait_for_each_other() {
        let run = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        let folder = tempfile::tempdir().unwrap();
        let opened = store::open(&run).unwrap();
        let all: Vec<RunMoment> = (1..=56).map(RunMoment::after_turns).collect();
        let score = |scorer: &Scorer, moments: &[RunMoment]| {
            score_moments(
                &opened.archive,
                &opened.run,
                &scores_at(moments),
                scorer,
                &|_, _| true,
                &|it| it,
            )
            .unwrap()
            .len()
        };
        score(&test_scorer(QualityProfile::Trajview, folder.path()), &all);

        for _ in 0..20 {
            let fresh = test_scorer(QualityProfile::Trajview, folder.path());
            std::thread::scope(|scope| {
                for moments in [&all[..], &all[..2], &all[30..34], &all[50..]] {
                    let (fresh, score) = (&fresh, &score);
                    scope.spawn(move || assert_eq!(score(fresh, moments), moments.len()));
                }
            });
        }
    }

    #[test]
    fn a_moment_before_the_first_turn_has_no_files() {
        let run = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        let opened = store::open(&run).unwrap();
        let scorer = Scorer::new(Ruler::new(QualityProfile::Trajview, RuleSet::none()), None);

        let moments = [0, 56, 6, 0].map(RunMoment::after_turns);
        let scored = score_moments(
            &opened.archive,
            &opened.run,
            &scores_at(&moments),
            &scorer,
            &|_, _| true,
            &|it| it,
        )
        .unwrap();

        let files: Vec<u32> = scored.iter().map(|scored| scored.snapshot.files).collect();
        assert_eq!(files, [0, 34, 8, 0]);
    }

    #[test]
    fn links_out_of_a_folder_are_not_followed() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("b.py"), "b = 1\n").unwrap();
        fs::write(folder.path().join("a.py"), "a = 1\n").unwrap();
        #[cfg(unix)]
        for (to, name) in [
            (other.path().to_owned(), "out"),
            (folder.path().to_owned(), "round"),
            (other.path().join("b.py"), "c.py"),
        ] {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        }
        let scorer = Scorer::new(Ruler::new(QualityProfile::Trajview, RuleSet::none()), None);

        assert_eq!(scorer.score_folder(folder.path()).unwrap().snapshot.files, 1);
    }
}
