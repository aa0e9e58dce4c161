//! Snapshots of a run, scored: each content is measured once, whatever turns it stands in, and kept by its name.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rayon::prelude::*;
use sha1::{Digest, Sha1};

use trajview_code::tree::Grammar;
use trajview_metrics::{
    quality::{self, File, FileMeasure, Parsed, Profile, Ruler, Scored},
    reuse::{self, Reuse},
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Blobs, FileMode, Moment, Timeline, Tree, TreeFile},
};

use super::{Archive, Cache, ReuseReader, folder};

/// Measures contents, and remembers them for as long as it lives; with a [`Cache`] for longer. Shared between threads.
#[derive(Debug)]
pub struct Scorer {
    ruler: Ruler,
    cache: Option<Arc<Cache>>,
    measured: Mutex<HashMap<Content, Arc<FileMeasure>>>,
    gathered: Mutex<Gathered>,
    /// Who is given what was read of each content.
    reader: Option<Arc<ReuseReader>>,
}

/// Measures on their way to the cache: keys and values.
#[derive(Debug, Default)]
struct Gathered {
    values: Vec<(Vec<u8>, Vec<u8>)>,
    /// So many callers of [`Scorer::gathering`] are at work; while there are none nothing is held back.
    callers: usize,
}

/// What a measure depends on beside the ruler.
type Content = (BlobId, Grammar);

/// A content and the path of one file that has it.
type Named = (Content, RepoPath);

/// The files that count at one moment.
#[derive(Debug, Default)]
struct Wanted {
    files: Vec<(RepoPath, Content)>,
    not_recorded: Vec<RepoPath>,
    is_untold: bool,
}

/// Told how many of how many contents are measured; false stops the work.
pub type GoesOn<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Contents read and measured between two looks at whether to go on; what is measured is kept that often too.
const BATCH: usize = 128;

/// So many measures of small runs are written to the cache in one transaction: each costs several syncs of the disk.
const GATHERED: usize = 512;

/// Fewer things than twice this are not worth other threads: a table measures thousands of runs with a few files each.
pub(super) const ALONE: usize = 3;

impl Scorer {
    pub fn new(ruler: Ruler, cache: Option<Arc<Cache>>) -> Self {
        let (measured, gathered) = (Mutex::default(), Mutex::default());
        Self { ruler, cache, measured, gathered, reader: None }
    }

    /// With a reader that will be asked for the same contents: it is given what is read of them, and reads no tree again.
    #[must_use]
    pub fn with_reader(self, reader: Arc<ReuseReader>) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Where its measures are kept between starts.
    pub fn cache(&self) -> Option<Arc<Cache>> {
        self.cache.clone()
    }

    pub fn ruler(&self) -> &Ruler {
        &self.ruler
    }

    /// Lets go of the measures in memory. To be called while nobody measures: what is under way would miss them.
    pub fn forget(&self) {
        self.held().clear();
    }

    fn profile(&self) -> Profile {
        self.ruler.profile()
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Content, Arc<FileMeasure>>> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of a measure in the cache: 20 bytes of the content's name, 20 of everything else.
    fn key(&self, (blob, grammar): Content) -> Vec<u8> {
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
        contents: Vec<Named>,
        blobs: &(dyn Blobs + Sync),
        goes_on: &GoesOn<'_>,
    ) -> Result<(), String> {
        let total = contents.len();
        let missing = self.recall(contents);
        let mut done = total - missing.len();
        for batch in missing.chunks(BATCH) {
            if !goes_on(done, total) {
                return Err("stopped".into());
            }
            let measure = |one: &Named| self.measure(one, blobs);
            let measured: Result<Vec<_>, String> = if batch.len() < 2 * ALONE {
                batch.iter().map(measure).collect()
            } else {
                // Whoever is free takes the next: the largest come first where that is known.
                batch.iter().par_bridge().map(measure).collect()
            };
            let measured = measured?;
            self.keep(&measured);
            self.held().extend(measured);
            done += batch.len();
        }
        goes_on(total, total);
        Ok(())
    }

    fn measure(
        &self,
        (content, path): &Named,
        blobs: &(dyn Blobs + Sync),
    ) -> Result<(Content, Arc<FileMeasure>), String> {
        let bytes = blobs.blob(content.0)?;
        let see = |parsed: Parsed<'_>| {
            self.reader.iter().for_each(|it| it.see(content.0, path.as_str(), parsed));
        };
        let measure = quality::measure_and(path.as_str(), &bytes, &self.ruler, see);
        Ok((*content, Arc::new(measure)))
    }

    /// Those that are not measured in this program yet.
    fn unknown(&self, contents: Vec<Named>) -> Vec<Named> {
        let measured = self.held();
        contents.into_iter().filter(|(content, _)| !measured.contains_key(content)).collect()
    }

    /// Takes what is in the cache; gives what is not.
    fn recall(&self, contents: Vec<Named>) -> Vec<Named> {
        let unknown = self.unknown(contents);
        let Some(cache) = &self.cache else { return unknown };
        let keys: Vec<Vec<u8>> = unknown.iter().map(|(content, _)| self.key(*content)).collect();
        let values: Vec<(usize, Vec<u8>)> = cache.get(&keys).into_iter().collect();
        let mut found: HashMap<usize, FileMeasure> = values
            .into_par_iter()
            .with_min_len(ALONE)
            // What another version wrote and we cannot read is measured again.
            .filter_map(|(at, value)| Some((at, serde_json::from_slice(&value).ok()?)))
            .collect();
        // Not held while others work for us: they may be waiting for it in another question's name.
        let mut measured = self.held();
        let mut missing = vec![];
        for (at, (content, path)) in unknown.into_iter().enumerate() {
            match found.remove(&at) {
                Some(measure) => drop(measured.insert(content, Arc::new(measure))),
                None => missing.push((content, path)),
            }
        }
        missing
    }

    /// A cache that cannot be written costs time and nothing else.
    fn keep(&self, measured: &[(Content, Arc<FileMeasure>)]) {
        let Some(cache) = &self.cache else { return };
        let keys: Vec<Vec<u8>> = measured.iter().map(|(content, _)| self.key(*content)).collect();
        let values = keys
            .into_iter()
            .zip(measured)
            .filter_map(|(key, (_, measure))| Some((key, serde_json::to_vec(&**measure).ok()?)));
        let mut gathered = self.gathered();
        gathered.values.extend(values);
        if gathered.callers > 0 && gathered.values.len() < GATHERED {
            return;
        }
        let values = std::mem::take(&mut gathered.values);
        if values.is_empty() {
            return;
        }
        drop(gathered); // whoever measures meanwhile does not wait for the disk
        let _ = cache.put(values.iter().map(|(key, value)| (key.as_slice(), value.clone())));
    }

    /// Does `work`, which measures many runs, and writes their measures to the cache together instead of run by run.
    pub fn gathering<T>(&self, work: impl FnOnce() -> T) -> T {
        self.gathered().callers += 1;
        let done = work();
        self.gathered().callers -= 1;
        self.keep(&[]);
        done
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn combine(&self, wanted: Wanted) -> Scored {
        let measured = self.held();
        let known = |(path, content): &(RepoPath, Content)| {
            Some((path.to_string(), Arc::clone(measured.get(content)?)))
        };
        let files: Vec<(String, Arc<FileMeasure>)> =
            wanted.files.iter().filter_map(known).collect();
        drop(measured);
        let files: Vec<File<'_>> =
            files.iter().map(|(path, measure)| File { path, measure }).collect();
        let (snapshot, mut detail) = quality::combine_with_detail(&files, self.profile());
        detail.left_out.extend(wanted.not_recorded.iter().map(RepoPath::to_string));
        detail.left_out.sort_unstable();
        Scored { snapshot, detail, not_recorded: wanted.not_recorded, is_untold: wanted.is_untold }
    }

    /// The files of a tree that count.
    fn wanted(&self, tree: &Tree) -> Wanted {
        let mut wanted = Wanted::default();
        for (path, file) in &tree.files {
            if !is_plain(*file) || !self.profile().takes(path.as_str()) {
                continue;
            }
            let grammar = self.profile().grammar(path.as_str());
            match (file.blob(), grammar) {
                (Some(blob), Some(grammar)) => wanted.files.push((path.clone(), (blob, grammar))),
                _ => wanted.not_recorded.push(path.clone()),
            }
        }
        wanted
    }

    /// Scores a plain folder. Links are not followed; a file that cannot be read is an error, in a sentence.
    pub fn score_folder(&self, folder: &Path) -> Result<Scored, String> {
        let (_, wanted) = self.measure_folder(folder, &|path| self.profile().takes(path))?;
        Ok(self.combine(wanted))
    }

    /// The same, and DIR.
    pub fn score_folder_with_reuse(
        &self,
        folder: &Path,
        reader: &ReuseReader,
    ) -> Result<(Scored, Reuse), String> {
        let takes = |path: &str| self.profile().takes(path) || reuse::takes(path);
        let (read, wanted) = self.measure_folder(folder, &takes)?;
        let files = read.paths.iter().map(|(path, blob)| (path, *blob));
        let (scored, reuse) =
            rayon::join(|| self.combine(wanted), || reader.of_files(files, &read.contents));
        Ok((scored, reuse?))
    }

    /// Reads the files that one of those who want to know something of them takes, each once, and measures those that
    /// count.
    fn measure_folder(
        &self,
        folder: &Path,
        takes: &dyn Fn(&str) -> bool,
    ) -> Result<(ReadFolder, Wanted), String> {
        let paths = folder::paths(folder, takes)?;
        let read = |path: &RepoPath| {
            let bytes = folder::read(folder, path)?;
            Ok((path.clone(), BlobId::of(&bytes), Arc::from(bytes)))
        };
        let files: Result<Vec<(_, _, Arc<[u8]>)>, String> = paths.par_iter().map(read).collect();
        let mut files = files?;
        // The largest first, so that no core is left alone with one at the end.
        files.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(bytes.len()));
        let mut wanted = Wanted::default();
        let mut read = ReadFolder { paths: vec![], contents: Loaded(HashMap::new()) };
        for (path, blob, bytes) in files {
            let grammar = self.profile().grammar(path.as_str());
            if let Some(grammar) = grammar.filter(|_| self.profile().takes(path.as_str())) {
                wanted.files.push((path.clone(), (blob, grammar)));
            }
            read.paths.push((path, blob));
            read.contents.0.insert(blob, bytes);
        }
        self.measure_all(unique([&wanted]), &read.contents, &|_, _| true)?;
        Ok((read, wanted))
    }
}

impl Archive {
    /// The scores of the files at each of these moments. The error is a sentence.
    pub fn score(
        &self,
        run: &Run,
        moments: &[Moment],
        scorer: &Scorer,
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Scored>, String> {
        self.score_each(run, moments, scorer, goes_on, &|scored| scored)
    }

    /// As [`Self::score`], and of each moment only what `kept` makes of it: what thousands of moments are made of does
    /// not fit into memory.
    pub fn score_each<T: Send + Clone>(
        &self,
        run: &Run,
        moments: &[Moment],
        scorer: &Scorer,
        goes_on: &GoesOn<'_>,
        kept: &(impl Fn(Scored) -> T + Sync),
    ) -> Result<Vec<T>, String> {
        let timeline = self.timeline(run)?;
        let mut all = vec![];
        self.with_blobs(run, |blobs| {
            let mut measured = 0;
            for some in moments.chunks(at_once(&timeline)) {
                let mut wanted: BTreeMap<Moment, Wanted> = BTreeMap::new();
                timeline.visit_moments(run, some, |moment, tree, is_untold| {
                    wanted.insert(moment, Wanted { is_untold, ..scorer.wanted(tree) });
                });
                let contents = scorer.unknown(unique(wanted.values()));
                let (before, count) = (measured, contents.len());
                let goes_on = |done: usize, total: usize| goes_on(before + done, before + total);
                scorer.measure_all(contents, blobs, &goes_on)?;
                measured += count;
                let wanted: Vec<(Moment, Wanted)> = wanted.into_iter().collect();
                let scored: BTreeMap<Moment, T> = wanted
                    .into_par_iter()
                    .with_min_len(ALONE)
                    .map(|(moment, wanted)| (moment, kept(scorer.combine(wanted))))
                    .collect();
                all.extend(some.iter().filter_map(|moment| scored.get(moment).cloned()));
            }
            Ok::<(), String>(())
        })??;
        Ok(all)
    }
}

/// Files of all moments that are looked at together.
const MOST_FILES: usize = 500_000;

/// How many moments of a run are looked at together: the files of all of them are in memory meanwhile.
pub(super) fn at_once(timeline: &Timeline) -> usize {
    let changes = timeline.turns.iter().map(|turn| turn.changes.len()).sum::<usize>();
    let most = timeline.base.files.len() + changes; // there are never more at once
    (MOST_FILES / most.max(1)).max(2)
}

/// The files of a folder, and what is in them.
struct ReadFolder {
    paths: Vec<(RepoPath, BlobId)>,
    contents: Loaded,
}

/// Contents that were read already.
struct Loaded(HashMap<BlobId, Arc<[u8]>>);

impl Blobs for Loaded {
    fn blob(&self, id: BlobId) -> Result<Arc<[u8]>, String> {
        self.0.get(&id).cloned().ok_or_else(|| format!("content {id} was not read"))
    }
}

pub(super) const fn is_plain(file: TreeFile) -> bool {
    matches!(file.mode, FileMode::Regular | FileMode::Executable)
}

/// Each content once, in the order they first come.
fn unique<'a>(moments: impl IntoIterator<Item = &'a Wanted>) -> Vec<Named> {
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
    use crate as store;
    use trajview_metrics::rules::Rules;

    /// Contents that cannot be had: whoever asks for one is wrong.
    struct Nothing;

    impl Blobs for Nothing {
        fn blob(&self, id: BlobId) -> Result<Arc<[u8]>, String> {
            Err(format!("asked for {id}"))
        }
    }

    fn scorer(profile: Profile, cache: &Path) -> Scorer {
        let cache = Cache::open(&cache.join("measures.sqlite")).unwrap();
        Scorer::new(Ruler::new(profile, Rules::none()), Some(Arc::new(cache)))
    }

    fn contents(count: usize) -> (Vec<Named>, Loaded) {
        let path = RepoPath::new("a.py").unwrap();
        let bytes = |n: usize| format!("def f{n}(a):\n    return a\n").into_bytes();
        let all: Vec<Vec<u8>> = (0..count).map(bytes).collect();
        let named = |bytes: &Vec<u8>| ((BlobId::of(bytes), Grammar::Python), path.clone());
        let loaded = all.iter().map(|bytes| (BlobId::of(bytes), bytes.as_slice().into()));
        (all.iter().map(named).collect(), Loaded(loaded.collect()))
    }

    #[test]
    fn what_was_measured_is_not_read_again_by_the_next_program() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = contents(3);
        scorer(Profile::Trajview, folder.path())
            .measure_all(named.clone(), &blobs, &|_, _| true)
            .unwrap();

        let next = scorer(Profile::Trajview, folder.path());
        next.measure_all(named.clone(), &Nothing, &|_, _| true).unwrap();
        let other = scorer(Profile::ScbPaper, folder.path());

        assert_eq!(next.held().values().map(|measure| measure.callables.len()).sum::<usize>(), 3);
        assert!(
            other.measure_all(named, &Nothing, &|_, _| true).unwrap_err().starts_with("asked for")
        );
    }

    #[test]
    fn work_that_is_stopped_keeps_what_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = contents(2 * BATCH + 7);
        let asked = AtomicUsize::new(0);
        let once = |_: usize, _: usize| asked.fetch_add(1, Ordering::Relaxed) < 1;

        let stopped = scorer(Profile::Trajview, folder.path());
        assert_eq!(stopped.measure_all(named.clone(), &blobs, &once), Err("stopped".into()));

        let next = scorer(Profile::Trajview, folder.path());
        assert_eq!(next.recall(named).len(), BATCH + 7);
    }

    #[test]
    fn measures_of_many_small_runs_are_written_in_few_transactions() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = contents(GATHERED + 100);
        let scorer = scorer(Profile::Trajview, folder.path());
        let cache = scorer.cache.as_ref().unwrap();

        scorer.gathering(|| {
            for run in named.chunks(4) {
                scorer.measure_all(run.to_vec(), &blobs, &|_, _| true).unwrap();
            }
        });

        let keys: Vec<Vec<u8>> = named.iter().map(|(content, _)| scorer.key(*content)).collect();
        assert_eq!((cache.writes(), cache.get(&keys).len()), (2, named.len()));
    }

    #[test]
    fn a_value_that_cannot_be_read_is_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let (named, blobs) = contents(1);
        let scorer = scorer(Profile::Trajview, folder.path());
        let key = scorer.key(named[0].0);
        scorer.cache.as_ref().unwrap().put([(key.as_slice(), b"not a measure".to_vec())]).unwrap();

        scorer.measure_all(named, &blobs, &|_, _| true).unwrap();

        assert_eq!(scorer.held().values().next().unwrap().callables.len(), 1);
    }

    #[test]
    fn several_questions_at_once_do_not_wait_for_each_other() {
        let run = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        let folder = tempfile::tempdir().unwrap();
        let opened = store::open(&run).unwrap();
        let all: Vec<Moment> = (1..=56).map(Moment::after).collect();
        let score = |scorer: &Scorer, moments: &[Moment]| {
            opened.archive.score(&opened.run, moments, scorer, &|_, _| true).unwrap().len()
        };
        score(&scorer(Profile::Trajview, folder.path()), &all);

        for _ in 0..20 {
            let fresh = scorer(Profile::Trajview, folder.path());
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
        let scorer = Scorer::new(Ruler::new(Profile::Trajview, Rules::none()), None);

        let moments = [0, 56, 6, 0].map(Moment::after);
        let scored = opened.archive.score(&opened.run, &moments, &scorer, &|_, _| true).unwrap();

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
        let scorer = Scorer::new(Ruler::new(Profile::Trajview, Rules::none()), None);

        assert_eq!(scorer.score_folder(folder.path()).unwrap().snapshot.files, 1);
    }
}
