//! Dependency integration over a run or of a folder: each content is read once, whatever turns it stands in.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    io::Read,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use rayon::prelude::*;

use crate::{
    metrics::{
        quality::MAX_BYTES,
        reuse::{self, Facts, File, Form, Reuse},
    },
    run::{
        RepoPath, Run,
        files::{BlobId, Blobs, Tree},
    },
};

use super::{Archive, bytes, score::is_plain};

/// Remembers what was read of contents for as long as it lives. Shared between threads.
#[derive(Debug, Default)]
pub struct ReuseReader {
    known: Mutex<HashMap<Content, Arc<Facts>>>,
}

/// What the facts of a file depend on.
type Content = (BlobId, Form);

/// The files of one moment that are looked at; None where the recording has no content.
type Files = Vec<(RepoPath, Option<Content>)>;

/// Folders in folders are looked into this deep.
const MOST_DEEP: usize = 64;

impl ReuseReader {
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
        let read = missing.into_par_iter().map(|(blob, form)| {
            Ok(((blob, form), Arc::new(reuse::read(form, &blobs.blob(blob)?))))
        });
        let read: Vec<(Content, Arc<Facts>)> = read.collect::<Result<_, String>>()?;
        self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
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

    /// DIR of a plain folder. Links are not followed; a file that cannot be read is an error, in a sentence.
    pub fn of_folder(&self, folder: &Path) -> Result<Reuse, String> {
        let mut paths = vec![];
        collect(folder, "", 0, &mut paths)?;
        let read = |path: RepoPath| {
            let bytes = read_file(&folder.join(path.as_str()))
                .map_err(|why| format!("cannot read {path}: {}", bytes::reason(&why)))?;
            Ok((path, bytes))
        };
        let files: Vec<(RepoPath, Vec<u8>)> =
            paths.into_par_iter().map(read).collect::<Result<_, String>>()?;
        Ok(reuse::of(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))))
    }
}

impl Archive {
    /// DIR of the files at each of these moments, counted in turns done; None where nothing in the recording says what
    /// the files were. The error is a sentence.
    pub fn reuse(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<Reuse>>, String> {
        let timeline = self.timeline(run)?;
        let mut wanted: BTreeMap<usize, Option<Files>> = BTreeMap::new();
        let mut tree = timeline.base.clone();
        let last = moments.iter().copied().max().unwrap_or_default();
        for done in 0..=last {
            let turn = done.checked_sub(1).and_then(|turn| timeline.turns.get(turn));
            if let Some(turn) = turn {
                turn.changes.iter().for_each(|change| tree.apply(change));
            }
            if moments.contains(&done) {
                let is_told = !turn.is_some_and(|turn| turn.is_untold);
                wanted.insert(done, is_told.then(|| files_of(&tree)));
            }
        }
        self.with_blobs(run, |blobs| reader.read_all(wanted.values().flatten(), blobs))??;
        let link = |(done, files): (usize, Option<Files>)| (done, files.map(|it| reader.link(&it)));
        let linked: BTreeMap<usize, Option<Reuse>> = wanted.into_par_iter().map(link).collect();
        Ok(moments.iter().filter_map(|done| linked.get(done).cloned()).collect())
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

fn collect(
    folder: &Path,
    below: &str,
    depth: usize,
    paths: &mut Vec<RepoPath>,
) -> Result<(), String> {
    let told = |why: std::io::Error| {
        format!("cannot read {}: {}", folder.join(below).display(), bytes::reason(&why))
    };
    for entry in fs::read_dir(folder.join(below)).map_err(told)? {
        let entry = entry.map_err(told)?;
        let kind = entry.file_type().map_err(told)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = if below.is_empty() { name.to_string() } else { format!("{below}/{name}") };
        if kind.is_dir() && depth < MOST_DEEP && reuse::takes(&format!("{path}/a.py")) {
            collect(folder, &path, depth + 1, paths)?;
        } else if kind.is_file() && reuse::takes(&path) {
            paths.extend(RepoPath::new(&path));
        }
    }
    Ok(())
}

/// Of a file too big to count, as much as it takes to see that.
fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![];
    fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
