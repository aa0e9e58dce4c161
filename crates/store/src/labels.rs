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
    SourceBytes, rubric,
    rubric::labels_file::{self, LabelsToAdd},
};
use trajview_run::rubric::{Label, LabelFile, VerdictId};

use super::{
    atomic_file::{self, require_folder},
    digest::sha256,
    entries::{entries_of, is_plain_file, name_of},
    write::WriteError,
};

/// The folder of a bundle's labels.
const LABELS_FOLDER: &str = "labels";

/// The labels of one rater as they were when the file was last read.
#[derive(Debug, Clone)]
pub struct LabelBook {
    path: PathBuf,
    labels: LabelFile,
}

/// The most characters of a name that are used for the name of its file.
const MOST_OF_A_NAME: usize = 60;

impl LabelBook {
    /// Opens the file of this rater in the bundle in this folder; nothing is written yet.
    ///
    /// It is the one whose `annotator` is this name, else a new one: two names that differ never share a file. The
    /// error, a sentence, is of a blank name, of a place that is no folder, and of a file that cannot be read.
    pub fn open(bundle: &Path, annotator: &str) -> Result<Self, WriteError> {
        let annotator = annotator.trim();
        let folder = bundle.join(LABELS_FOLDER);
        if annotator.is_empty() {
            return Err(WriteError::Taken {
                path: folder,
                why: "the name of the annotator is blank".into(),
            });
        }
        require_folder(&folder)?;
        let path = match file_of_annotator(&folder, annotator) {
            Some(path) => path,
            None => free_path(&folder, annotator)?,
        };
        let mut book = Self { path, labels: LabelFile::default() };
        let before = book.read_file()?;
        book.labels = book.parse_labels(annotator, before.as_deref());
        if let Some(before) = before {
            // A file that could not be written later is reported before anything is labelled.
            book.new_content(Some(&before), annotator, LabelsToAdd::default())?;
        }
        Ok(book)
    }

    /// Returns the labels as last read or written, [`LabelFile::annotator`] included.
    pub fn labels(&self) -> &LabelFile {
        &self.labels
    }

    /// Returns the path of the labels, which need not exist yet.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a label, or replaces the one of the same component, judgement and commit; the file is saved before this
    /// returns. The error is a sentence; after it the file is as before.
    #[cfg(test)]
    pub fn put_label(&mut self, label: Label) -> Result<(), WriteError> {
        self.put_labels(&[label])
    }

    /// Writes a label, where the file still has the label of the item that the rater saw (`seen`). Where another
    /// program of the same rater has changed it meanwhile, nothing is written and the changed label is returned: the
    /// first label wins.
    pub fn put_unless_changed(
        &mut self,
        label: Label,
        seen: Option<&Label>,
    ) -> Result<Option<Label>, WriteError> {
        let without_time = |label: &Label| Label { at: None, ..label.clone() };
        self.change_file(|existing| {
            let there = existing.last_of_same_item(&label).filter(|there| Some(*there) != seen);
            // The label itself is there where it was written and the program did not hear of it.
            let is_other = |there: &&Label| without_time(there) != without_time(&label);
            match there.filter(is_other) {
                Some(stands) => LabelChange::KeepExisting(stands.clone()),
                None => LabelChange::Put(vec![label]),
            }
        })
    }

    /// Writes what was put down and not committed, in the place of what was proposed of the item before; one without an
    /// answer takes that away.
    pub fn write_proposal(&mut self, proposal: Label) -> Result<(), WriteError> {
        self.change_file(|_| LabelChange::Propose(proposal)).map(|_| ())
    }

    /// Writes which verdicts were on screen.
    pub fn write_seen(&mut self, verdicts: Vec<VerdictId>) -> Result<(), WriteError> {
        self.change_file(|_| LabelChange::See(verdicts)).map(|_| ())
    }

    /// Writes labels, all of them or, after a failure, none. What was labelled with the verdict in sight never becomes
    /// blind again.
    pub fn put_labels(&mut self, labels: &[Label]) -> Result<(), WriteError> {
        self.change_file(|_| LabelChange::Put(labels.to_vec())).map(|_| ())
    }

    /// Reads the file under the lock of the folder and writes the change; returns the label that wins instead.
    fn change_file(
        &mut self,
        change: impl FnOnce(&LabelFile) -> LabelChange,
    ) -> Result<Option<Label>, WriteError> {
        let folder = self.path.parent().map(Path::to_owned).unwrap_or_default();
        let lock = atomic_file::lock_folder(&folder)?;
        let before = self.read_file()?;
        let annotator = self.labels.annotator.clone();
        let before_change = self.parse_labels(&annotator, before.as_deref());
        let (mut labels, mut proposals, mut seen) = (vec![], vec![], vec![]);
        match change(&before_change) {
            LabelChange::Put(all) => labels = all,
            LabelChange::Propose(proposal) => proposals.push(proposal),
            LabelChange::See(verdicts) => seen = verdicts,
            LabelChange::KeepExisting(label) => {
                self.labels = before_change;
                return Ok(Some(label));
            }
        }
        let labels: Vec<Label> =
            labels.into_iter().map(|it| never_blind_again(&before_change, it)).collect();
        let new = LabelsToAdd { labels: &labels, proposals: &proposals, seen: &seen };
        let content = self.new_content(before.as_deref(), &annotator, new)?;
        atomic_file::replace_file(&self.path, &content)?;
        drop(lock);
        self.labels = self.parse_labels(&annotator, Some(&content));
        Ok(None)
    }

    /// Returns None where there is no file yet.
    fn read_file(&self) -> Result<Option<Vec<u8>>, WriteError> {
        atomic_file::read_file(&self.path)
    }

    fn new_content(
        &self,
        before: Option<&[u8]>,
        annotator: &str,
        new: LabelsToAdd<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        labels_file::add_labels(before, annotator, new)
            .map_err(|why| WriteError::Taken { path: self.path.clone(), why })
    }

    fn parse_labels(&self, annotator: &str, content: Option<&[u8]>) -> LabelFile {
        let name = format!("{LABELS_FOLDER}/{}", name_of(&self.path));
        let read = content.and_then(|bytes| {
            rubric::read_rubric(&[SourceBytes { name: &name, bytes }]).labels.into_iter().next()
        });
        LabelFile { file: name, annotator: annotator.to_owned(), ..read.unwrap_or_default() }
    }
}

/// The change of a file of labels, chosen once its content is known.
enum LabelChange {
    Put(Vec<Label>),
    Propose(Label),
    See(Vec<VerdictId>),
    /// Writes nothing, since this label wins.
    KeepExisting(Label),
}

/// Keeps a label from becoming blind again: once a rater saw the verdict, a later label of the same item is not blind.
/// The verdicts seen before an earlier label were seen before a later one.
fn never_blind_again(existing: &LabelFile, label: Label) -> Label {
    let Some(before) = existing.last_of_same_item(&label) else { return label };
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

/// Returns the file whose annotator is this rater.
fn file_of_annotator(folder: &Path, annotator: &str) -> Option<PathBuf> {
    let files = entries_of(folder).into_iter();
    files
        .filter(|path| name_of(path).ends_with(".json") && is_plain_file(path))
        .find(|path| annotator_of(path).as_deref() == Some(annotator))
}

fn annotator_of(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|meta| meta.len() <= rubric::MAX_BYTES);
    let bytes = fs::read(path).ok().filter(|_| is_small)?;
    let name = format!("{LABELS_FOLDER}/{}", name_of(path));
    labels_file::annotator_of_file(&SourceBytes { name: &name, bytes: &bytes })
}

/// Returns a path that is not used: the annotator's own name where it is safe, else one with a hash.
fn free_path(folder: &Path, annotator: &str) -> Result<PathBuf, WriteError> {
    let harmless = safe_name(annotator);
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

/// Returns a safe file name: letters, digits, `-` and `_`; everything else becomes `_`. Names that some systems reserve
/// get an end.
pub fn safe_name(name: &str) -> String {
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
