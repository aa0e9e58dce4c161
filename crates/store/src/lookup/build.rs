//! Brings the index up to date: runs are read by several threads, one writes.
//!
//! A run whose files are as they were is passed over. Of a log that grew its index is read again, which is quick, and the
//! words of what is new.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant, UNIX_EPOCH},
};

use crossbeam_channel::{Receiver, Sender, bounded};

use trajview_formats::Shape;

use super::{
    super::{
        archive::Opened,
        bytes::Access,
        disk,
        executor::{cores, one_of_many, stand_back},
        find,
        heads::KnownHeads,
        open::{index as index_of, opened},
        siblings::Siblings,
        walk::walk_knowing,
    },
    gathered::Gathered,
    index::{Facts, Index, Part, Row, lock_of},
    parts::Parts,
    stamp::Stamp,
};

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Runs that were read, of those that are new or another than they were.
    pub runs: usize,
    pub of_runs: usize,
    /// Runs that were in the index as they are.
    pub passed_over: usize,
}

/// What came of bringing the index up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Built {
    Done(Progress),
    /// It was called off; what was written stays.
    Stopped(Progress),
    /// Another program is at it.
    Elsewhere,
}

/// What the one who writes is given.
enum Piece {
    Run { path: String, facts: Facts, kept: usize },
    Part { path: String, part: Part, words: String },
    End { path: String, stamp: Stamp },
}

/// Written together: as much as is soon read again where the program is killed, and not so little that writing is slow.
const TOGETHER: Duration = Duration::from_secs(3);
const TOGETHER_BYTES: usize = 24 << 20;

/// What was written is there for others when nothing more has come for so long.
const QUIET: Duration = Duration::from_millis(100);

/// Parts that wait to be written.
const WAITING: usize = 8;

/// Reads the runs below some paths into the index at `path`, until `goes_on` is false. The error is a sentence.
pub fn build(
    path: &Path,
    sources: &[PathBuf],
    goes_on: &(dyn Fn() -> bool + Sync),
    tell: &mut dyn FnMut(Progress),
) -> Result<Built, String> {
    let told =
        |why: rusqlite::Error| format!("the index {} cannot be written: {why}", path.display());
    let lock = lock_file(path)?;
    if lock.try_lock().is_err() {
        return Ok(Built::Elsewhere);
    }
    let index = Index::to_write(path)?;
    let siblings = Siblings::default();
    let rows = index.runs().map_err(told)?;
    let heads = KnownHeads::beside(path);
    let found = found(sources, &heads);
    heads.save();
    remove_gone(&index, &rows, sources, &found).map_err(told)?;
    let (fresh, stale) = parted(&rows, found, &siblings);
    let mut progress = Progress { runs: 0, of_runs: stale.len(), passed_over: fresh };
    tell(progress);
    let readers =
        Readers { stale: &stale, next: AtomicUsize::new(0), goes_on, siblings: &siblings, path };
    let (sender, pieces) = bounded(WAITING);
    let written = thread::scope(|scope| {
        for _ in 0..cores().min(stale.len()) {
            let (sender, readers) = (sender.clone(), &readers);
            scope.spawn(move || readers.read(&sender));
        }
        drop(sender);
        write(&index, &pieces, &mut || {
            progress.runs += 1;
            tell(progress);
        })
    });
    written.map_err(told)?;
    Ok(if goes_on() { Built::Done(progress) } else { Built::Stopped(progress) })
}

fn lock_file(path: &Path) -> Result<fs::File, String> {
    let lock = lock_of(path);
    let told = |why: std::io::Error| {
        format!(
            "the index {} cannot be used: {}",
            path.display(),
            super::super::bytes::reason(&why)
        )
    };
    if let Some(folder) = lock.parent() {
        fs::create_dir_all(folder).map_err(told)?;
    }
    fs::OpenOptions::new().create(true).truncate(false).write(true).open(&lock).map_err(told)
}

/// The runs below some paths with the time of their last change, the newest first.
pub fn found(sources: &[PathBuf], heads: &KnownHeads) -> Vec<(PathBuf, u64)> {
    let mut found = vec![];
    let mut seen = HashSet::new();
    for source in sources {
        let source = disk::absolute(source);
        walk_knowing(&source, Some(heads), &mut |run| {
            if seen.insert(run.clone()) {
                let written = written(&run);
                found.push((run, written));
            }
            true
        });
    }
    found.sort_by(|(path, time), (other, other_time)| {
        other_time.cmp(time).then_with(|| path.cmp(other))
    });
    found
}

/// When a run's file, or the file that holds it, was last written: seconds since 1970.
fn written(run: &Path) -> u64 {
    let meta = run.ancestors().find_map(|path| disk::metadata(path).ok());
    let time = meta.and_then(|meta| meta.modified);
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs())
}

/// Takes out the runs below the sources that are gone.
fn remove_gone(
    index: &Index,
    rows: &[Row],
    sources: &[PathBuf],
    found: &[(PathBuf, u64)],
) -> rusqlite::Result<()> {
    let there: HashSet<&PathBuf> = found.iter().map(|(path, _)| path).collect();
    let sources: Vec<PathBuf> = sources.iter().map(|path| disk::absolute(path)).collect();
    let is_gone = |row: &&Row| {
        !there.contains(&row.path) && sources.iter().any(|source| row.path.starts_with(source))
    };
    let gone: Vec<&Row> = rows.iter().filter(is_gone).collect();
    if gone.is_empty() {
        return Ok(());
    }
    index.begin()?;
    gone.into_iter().try_for_each(|row| index.remove(row.id))?;
    index.commit()
}

/// How many of the runs are in the index as they are, and the others.
fn parted(
    rows: &[Row],
    found: Vec<(PathBuf, u64)>,
    siblings: &Siblings,
) -> (usize, Vec<(PathBuf, u64)>) {
    let known: HashMap<&PathBuf, &Row> = rows.iter().map(|row| (&row.path, row)).collect();
    let is_fresh = |path: &PathBuf| known.get(path).is_some_and(|row| row.is_now(siblings));
    let (fresh, stale): (Vec<_>, Vec<_>) = found.into_iter().partition(|(path, _)| is_fresh(path));
    (fresh.len(), stale)
}

/// Those who read runs.
struct Readers<'a> {
    stale: &'a [(PathBuf, u64)],
    next: AtomicUsize,
    goes_on: &'a (dyn Fn() -> bool + Sync),
    siblings: &'a Siblings,
    /// The index, of which each reads what is known.
    path: &'a Path,
}

impl Readers<'_> {
    fn read(&self, sender: &Sender<Piece>) {
        stand_back();
        let known = Index::existing(self.path);
        let mut gathered = Gathered::default();
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((path, written)) = self.stale.get(at) else { return };
            let left = self.stale.len() - at - 1;
            let mut read = || self.read_run(path, *written, known.as_ref(), &mut gathered, sender);
            if !(self.goes_on)() || one_of_many(left, &mut read).is_none() {
                return;
            }
        }
    }

    /// None where nobody wants more. What cannot be read is not in the index, and is looked through each time.
    fn read_run(
        &self,
        path: &Path,
        written: u64,
        known: Option<&Index>,
        gathered: &mut Gathered,
        sender: &Sender<Piece>,
    ) -> Option<()> {
        let Some(name) = path.to_str() else { return Some(()) };
        let Some((opened, stamp, shape)) = open(path, self.siblings) else { return Some(()) };
        let parts = Parts::of(&opened);
        let all: Vec<Part> = parts
            .all()
            .into_iter()
            .map(|moments| Part { print: parts.print(&moments), moments })
            .collect();
        let before = known.and_then(|known| known.known(name).ok());
        let kept = before.map_or(0, |(before, older)| {
            let only_grew = older.is_some_and(|older| stamp.only_grew_from(&older));
            let is_log = matches!(shape, Shape::Lines);
            if only_grew && is_log {
                all.iter().zip(&before).take_while(|(a, b)| a == b).count()
            } else {
                0
            }
        });
        let facts = Facts::of(&opened.run, &parts.moments, written);
        let path = name.to_owned();
        sender.send(Piece::Run { path: path.clone(), facts, kept }).ok()?;
        for part in all.into_iter().skip(kept) {
            if !(self.goes_on)() {
                return None;
            }
            let words = parts.words(&part.moments, gathered);
            sender.send(Piece::Part { path: path.clone(), part, words }).ok()?;
        }
        sender.send(Piece::End { path, stamp }).ok()
    }
}

/// Opens a run, with the stamp of its files from before they were read.
pub fn open(path: &Path, siblings: &Siblings) -> Option<(Opened, Stamp, Shape)> {
    let mut found = find::find_among(path, Access::Held, siblings).ok()?;
    let (stamp, shape) = (Stamp::of(&found), found.format.offers().shape);
    let run = index_of(&mut found).ok()?;
    Some((opened(run, found), stamp, shape))
}

/// Writes what comes, several pieces in a transaction.
fn write(index: &Index, pieces: &Receiver<Piece>, ended: &mut dyn FnMut()) -> rusqlite::Result<()> {
    stand_back();
    let mut runs: HashMap<String, i64> = HashMap::new();
    while let Ok(first) = pieces.recv() {
        index.begin()?;
        let began = Instant::now();
        let mut bytes = 0;
        let mut next = Some(first);
        while let Some(piece) = next {
            match piece {
                Piece::Run { path, facts, kept } => {
                    let id = index.begin_run(&path, &facts, kept)?;
                    runs.insert(path, id);
                }
                Piece::Part { path, part, words } => {
                    bytes += words.len();
                    if let Some(run) = runs.get(&path) {
                        index.add(*run, &part, &words)?;
                    }
                }
                Piece::End { path, stamp } => {
                    if let Some(run) = runs.remove(&path) {
                        index.end_run(run, &stamp)?;
                        ended();
                    }
                }
            }
            let is_enough = bytes > TOGETHER_BYTES || began.elapsed() > TOGETHER;
            // Whoever looks for something is not to wait while nothing comes.
            next = if is_enough { None } else { pieces.recv_timeout(QUIET).ok() };
        }
        index.commit()?;
    }
    Ok(())
}
