//! The labels of one human rater, in `labels/` of a bundle: a file each, replaced whole in one step.
//!
//! Every change reads the file again under a lock of the folder, puts the labels in and renames the new content over
//! the old one. Whenever the program ends there is a readable file, and two programs that label at once lose nothing.
//! The files of other raters are looked at for their names only. Nothing outside the bundle is written, no link is
//! followed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use trajview_formats::{
    Source, rubric,
    rubric::labels_file::{self, New},
};
use trajview_run::rubric::{Label, Labels, VerdictId};

use super::{
    digest::sha256,
    entries::{entries_of, is_plain_file, name_of},
    replaced::{self, is_ours},
    write::WriteError,
};

/// The folder of a bundle's labels.
const FOLDER: &str = "labels";

/// The labels of one rater as they were when the file was last read.
#[derive(Debug, Clone)]
pub struct LabelBook {
    path: PathBuf,
    labels: Labels,
}

/// Of a name, as much as goes into the name of its file (characters).
const MOST_OF_A_NAME: usize = 60;

impl LabelBook {
    /// The file of this rater in the bundle in this folder; nothing is written yet.
    ///
    /// It is the one whose `annotator` is this name, else a new one: two names that differ never share a file. The
    /// error, a sentence, is of a blank name, of a place that is no folder, and of a file that cannot be read.
    pub fn open(bundle: &Path, annotator: &str) -> Result<Self, WriteError> {
        let annotator = annotator.trim();
        let folder = bundle.join(FOLDER);
        if annotator.is_empty() {
            return Err(WriteError::Taken {
                path: folder,
                why: "the name of the annotator is blank".into(),
            });
        }
        is_ours(&folder)?;
        let path = match known_file(&folder, annotator) {
            Some(path) => path,
            None => free_name(&folder, annotator)?,
        };
        let mut book = Self { path, labels: Labels::default() };
        let before = book.read()?;
        book.labels = book.understood(annotator, before.as_deref());
        if let Some(before) = before {
            // What could not be written to later is told before anything is labelled.
            book.with(Some(&before), annotator, New::default())?;
        }
        Ok(book)
    }

    /// As last read or written, [`Labels::annotator`] included.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Where the labels are, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a label in the place of the one of the same component, judgement and commit, or adds it; the file is saved
    /// before this returns. The error is a sentence; what was there before is there then.
    #[cfg(test)]
    pub fn put(&mut self, label: Label) -> Result<(), WriteError> {
        self.put_all(&[label])
    }

    /// Writes a label, where the file says of the thing what the rater saw of it (`seen`). Where another program that
    /// labels as this rater has said something else meanwhile, nothing is written and that label is given back: the first
    /// label stands.
    pub fn put_if_as_seen(
        &mut self,
        label: Label,
        seen: Option<&Label>,
    ) -> Result<Option<Label>, WriteError> {
        let without_time = |label: &Label| Label { at: None, ..label.clone() };
        self.change(|known| {
            let there = known.about(&label).filter(|there| Some(*there) != seen);
            // The label itself is there where it was written and the program did not hear of it.
            let is_other = |there: &&Label| without_time(there) != without_time(&label);
            match there.filter(is_other) {
                Some(stands) => Change::Stands(stands.clone()),
                None => Change::Put(vec![label]),
            }
        })
    }

    /// Writes what was put down and not committed, in the place of what was proposed of the item before; one without an
    /// answer takes that away.
    pub fn propose(&mut self, proposal: Label) -> Result<(), WriteError> {
        self.change(|_| Change::Propose(proposal)).map(|_| ())
    }

    /// Writes which verdicts were on screen.
    pub fn see(&mut self, verdicts: Vec<VerdictId>) -> Result<(), WriteError> {
        self.change(|_| Change::See(verdicts)).map(|_| ())
    }

    /// Writes labels, all of them or, after a failure, none. What was labelled with the verdict in sight never becomes
    /// blind again.
    pub fn put_all(&mut self, labels: &[Label]) -> Result<(), WriteError> {
        self.change(|_| Change::Put(labels.to_vec())).map(|_| ())
    }

    /// Reads the file under the lock of the folder, and writes what is to be put; gives the label that stands instead.
    fn change(
        &mut self,
        change: impl FnOnce(&Labels) -> Change,
    ) -> Result<Option<Label>, WriteError> {
        let folder = self.path.parent().map(Path::to_owned).unwrap_or_default();
        let lock = replaced::locked(&folder)?;
        let before = self.read()?;
        let annotator = self.labels.annotator.clone();
        let known = self.understood(&annotator, before.as_deref());
        let (mut labels, mut proposals, mut seen) = (vec![], vec![], vec![]);
        match change(&known) {
            Change::Put(all) => labels = all,
            Change::Propose(proposal) => proposals.push(proposal),
            Change::See(verdicts) => seen = verdicts,
            Change::Stands(label) => {
                self.labels = known;
                return Ok(Some(label));
            }
        }
        let labels: Vec<Label> =
            labels.into_iter().map(|it| never_blind_again(&known, it)).collect();
        let new = New { labels: &labels, proposals: &proposals, seen: &seen };
        let content = self.with(before.as_deref(), &annotator, new)?;
        replaced::replace(&self.path, &content)?;
        drop(lock);
        self.labels = self.understood(&annotator, Some(&content));
        Ok(None)
    }

    /// None where there is no file yet.
    fn read(&self) -> Result<Option<Vec<u8>>, WriteError> {
        replaced::read(&self.path)
    }

    fn with(
        &self,
        before: Option<&[u8]>,
        annotator: &str,
        new: New<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        labels_file::with(before, annotator, new)
            .map_err(|why| WriteError::Taken { path: self.path.clone(), why })
    }

    fn understood(&self, annotator: &str, content: Option<&[u8]>) -> Labels {
        let name = format!("{FOLDER}/{}", name_of(&self.path));
        let read = content.and_then(|bytes| {
            rubric::read(&[Source { name: &name, bytes }]).labels.into_iter().next()
        });
        Labels { file: name, annotator: annotator.to_owned(), ..read.unwrap_or_default() }
    }
}

/// What is to be done to a file of labels, once it is known what is in it.
enum Change {
    Put(Vec<Label>),
    Propose(Label),
    See(Vec<VerdictId>),
    /// Nothing, since this label stands.
    Stands(Label),
}

/// A label of what was labelled, or taken back, with the verdict in sight is not blind. What was seen before an earlier label
/// was seen before a later one.
fn never_blind_again(known: &Labels, label: Label) -> Label {
    let Some(before) = known.about(&label) else { return label };
    let file = label.judgement.as_deref().or(before.judgement.as_deref()).unwrap_or_default();
    let was_seen = before.blind_for(file) == Some(false);
    let blind = if was_seen { label.blind.map(|_| false) } else { label.blind };
    let seen = match (&before.seen, &label.seen) {
        (Some(earlier), Some(seen)) => {
            let more = earlier.iter().filter(|file| !seen.contains(file));
            Some(seen.iter().chain(more).cloned().collect())
        }
        (_, seen) => seen.clone(),
    };
    Label { blind, seen, ..label }
}

/// The file that says it is of this rater.
fn known_file(folder: &Path, annotator: &str) -> Option<PathBuf> {
    let files = entries_of(folder).into_iter();
    files
        .filter(|path| name_of(path).ends_with(".json") && is_plain_file(path))
        .find(|path| annotator_of(path).as_deref() == Some(annotator))
}

fn annotator_of(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|meta| meta.len() <= rubric::MOST_BYTES);
    let bytes = fs::read(path).ok().filter(|_| is_small)?;
    let name = format!("{FOLDER}/{}", name_of(path));
    labels_file::annotator(&Source { name: &name, bytes: &bytes })
}

/// A name that nobody has: the annotator's own where that is harmless, else with a hash of it.
fn free_name(folder: &Path, annotator: &str) -> Result<PathBuf, WriteError> {
    let harmless = harmless(annotator);
    let own = (harmless == annotator).then(|| format!("{harmless}.json"));
    let hash = sha256(annotator.as_bytes());
    let names = own.into_iter().chain([format!("{harmless}-{}.json", &hash[..16])]);
    let mut paths = names.map(|name| folder.join(name));
    // A file system that takes capitals for small letters has other raters' names here too.
    paths.find(|path| fs::symlink_metadata(path).is_err()).ok_or_else(|| WriteError::Taken {
        path: folder.join(format!("{harmless}-{hash}.json")),
        why: format!("is there already, and is not of annotator {annotator}"),
    })
}

/// Letters, digits, `-` and `_`; everything else becomes `_`. Names that some systems keep for themselves get an end.
pub fn harmless(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let kept = name.chars().map(|c| if is_kept(c) { c } else { '_' });
    let kept: String = kept.take(MOST_OF_A_NAME).collect();
    let small = kept.to_ascii_lowercase();
    let is_device = matches!(small.as_str(), "con" | "prn" | "aux" | "nul")
        || small.len() == 4 && (small.starts_with("com") || small.starts_with("lpt"));
    if is_device { format!("{kept}_") } else { kept }
}

#[cfg(test)]
mod tests;
