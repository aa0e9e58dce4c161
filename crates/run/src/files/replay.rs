//! Puts files together from recorded edits.
//!
//! A [`Replayer`] has the tree as far as it is known and carries out one recorded edit after the other. Where the log
//! itself shows that a file had changed in between (Claude Code records the whole file before each edit), the
//! difference is a change of its own, [`ChangeOrigin::Outside`]. Where the file before is not known, the recorded hunks
//! are kept ([`ChangeVersion::Hunks`], [`ChangeVersion::Part`]) and the file counts as not recorded from there on,
//! until an edit or a snapshot has all of it.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use memchr::memmem;

use crate::{Edit, EditKind, RepoPath, shrink_list};
use trajview_code::{
    patch::{self, LineKind, PatchHunk, PatchLine},
    utf8,
};

use super::{
    Blob, BlobId, Blobs, ChangeOrigin, ChangeVersion, FileChange, FileContent, FileMode,
    MemoryBlobs, RecordedChange, RecordedEdit, Replacement, SourceTree, TreeFile, blob::EditSide,
};

/// The tree while edits are carried out.
pub struct Replayer<'a> {
    /// The files now, as far as they are known.
    pub tree: SourceTree,
    /// Files that must have existed from the start, as later edits show.
    pub base: SourceTree,
    base_completeness: BaseCompleteness,
    /// Paths of which we know a history; all others may have existed all along.
    seen: BTreeSet<RepoPath>,
    reader: &'a dyn Blobs,
    made_blobs: &'a mut MemoryBlobs,
    /// The files before each change of the tree, in order; None where nothing will be undone.
    undo: Option<Vec<(RepoPath, Option<TreeFile>)>>,
}

/// The meaning of a file's absence from the starting tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseCompleteness {
    /// The tree lists every file: a commit.
    Complete,
    /// The tree lists the files that we happen to know.
    Partial,
}

impl<'a> Replayer<'a> {
    /// Starts from `tree`, whose contents come from `reader`; `made_blobs` receives the contents that edits produce.
    pub fn new(
        tree: SourceTree,
        before_us: BaseCompleteness,
        reader: &'a dyn Blobs,
        made_blobs: &'a mut MemoryBlobs,
    ) -> Self {
        let (base, seen) = (SourceTree::default(), BTreeSet::new());
        Self { tree, base, base_completeness: before_us, seen, reader, made_blobs, undo: None }
    }

    /// Remembers what edits do to the tree, for [`Replayer::undo_edits`].
    pub fn with_undo(self) -> Self {
        Self { undo: Some(vec![]), ..self }
    }

    /// Brings back the tree as it was before the edits since the last call. Costs what they did, not what there is.
    pub fn undo_edits(&mut self) {
        let undo = self.undo.as_mut().map(std::mem::take).unwrap_or_default();
        for (path, before) in undo.into_iter().rev() {
            match before {
                Some(file) => self.tree.files.insert(path, file),
                None => self.tree.files.remove(&path),
            };
        }
        self.seen.clear();
    }

    /// Puts a file where an edit did, or takes it away; what was there before.
    fn set_file(&mut self, path: &RepoPath, file: Option<TreeFile>) -> Option<TreeFile> {
        let before = match file {
            Some(file) => self.tree.files.insert(path.clone(), file),
            None => self.tree.files.remove(path),
        };
        if let Some(undo) = &mut self.undo {
            undo.push((path.clone(), before));
        }
        before
    }

    /// Carries out one edit. More than one change where the log shows that the file had changed before it;
    /// none for a path outside the workspace. `written` is the id of the file that it writes, where that is known.
    pub fn apply_edit(
        &mut self,
        edit: &Edit,
        body: &RecordedEdit,
        written: Option<BlobId>,
    ) -> Vec<FileChange> {
        let Some(path) = edit.path.repo_path() else { return vec![] };
        let source = edit.from.as_ref().and_then(|from| from.repo_path()).unwrap_or(path);
        let mut changes = vec![];
        changes.extend(
            body.before.as_deref().and_then(|before| self.change_before_edit(edit, source, before)),
        );
        let old_file = self.tree.files.get(source).copied();
        let is_asked = matches!(body.change, RecordedChange::Replace(_) | RecordedChange::Patch(_));
        let known_blob = old_file.filter(|_| is_asked).and_then(|file| self.blob_of_file(file));
        let change = match edit_outcome(&body.change, known_blob.as_deref().and_then(utf8_text)) {
            EditOutcome::Gone => self.delete_file(source, old_file),
            EditOutcome::Text(text) => {
                let is_written = matches!(body.change, RecordedChange::Write(_));
                let place_in_edit = is_written.then_some((edit, EditSide::After));
                let bytes = text.as_bytes();
                let id = written.filter(|_| is_written).unwrap_or_else(|| BlobId::for_bytes(bytes));
                self.write_text(path, source, old_file, (id, bytes, place_in_edit))
            }
            EditOutcome::Unclear(version) if edit.kind == EditKind::Delete => {
                self.delete_file(source, old_file).map(|change| FileChange { version, ..change })
            }
            EditOutcome::Unclear(version) => self.write_unclear(path, source, edit.kind, version),
        };
        changes.extend(change);
        for change in &changes {
            self.seen.insert(change.path.clone());
            self.seen.extend(change.from.clone());
        }
        changes
    }

    /// Takes a recorded snapshot for the truth; what it differs by was changed outside recorded edits.
    pub fn accept_snapshot(&mut self, snapshot: &SourceTree) -> Vec<FileChange> {
        let mut changes = self.tree.changes_to(snapshot, ChangeOrigin::Outside);
        if self.base_completeness == BaseCompleteness::Partial {
            // A file that the log never touched may have been there all along.
            changes.retain(|change| {
                change.kind != EditKind::Create || self.seen.contains(&change.path)
            });
            let untouched = |(path, _): &(&RepoPath, &TreeFile)| {
                !self.seen.contains(*path) && !self.tree.files.contains_key(*path)
            };
            let there_all_along = snapshot.files.iter().filter(untouched);
            self.base.files.extend(there_all_along.map(|(path, file)| (path.clone(), *file)));
        }
        self.tree = snapshot.clone();
        self.base_completeness = BaseCompleteness::Complete;
        changes
    }

    /// Takes `target` for the truth, as far as it differs; what is not in the tree may still have been there.
    pub fn accept_tree(&mut self, target: SourceTree) -> Vec<FileChange> {
        let changes = self.tree.changes_to(&target, ChangeOrigin::Outside);
        self.seen.extend(changes.iter().map(|change| change.path.clone()));
        self.tree = target;
        changes
    }

    /// Returns the file at `path` with this content, which is kept among the made blobs; the tree is not changed.
    pub fn file_with_text(&mut self, path: &RepoPath, text: &str) -> TreeFile {
        let mode = mode_of(self.tree.files.get(path).copied());
        TreeFile { content: FileContent::Known(self.made_blobs.insert(text.as_bytes())), mode }
    }

    /// Returns the text of a file as it is now; None where there is none, or not known, or no text.
    pub fn text_at(&self, path: &RepoPath) -> Option<String> {
        let blob = self.tree.files.get(path).and_then(|file| self.blob_of_file(*file))?;
        utf8_text(&blob).map(str::to_owned)
    }

    /// Returns the change between the known file and the file that the log shows before an edit; None where they are equal.
    fn change_before_edit(
        &mut self,
        edit: &Edit,
        path: &RepoPath,
        before: &str,
    ) -> Option<FileChange> {
        let now = self.tree.files.get(path).copied();
        let known_blob = now.and_then(|file| self.blob_of_file(file));
        if known_blob.is_some_and(|blob| is_read_as(&blob, before)) {
            return None;
        }
        let file = TreeFile {
            content: FileContent::Known(self.made_blobs.insert_after(
                now.and_then(TreeFile::blob_id),
                before.as_bytes(),
                Some((edit, EditSide::Before)),
            )),
            mode: mode_of(now),
        };
        let is_news = self.seen.contains(path)
            || now.is_some()
            || self.base_completeness == BaseCompleteness::Complete;
        self.set_file(path, Some(file));
        if !is_news {
            self.base.files.insert(path.clone(), file);
            return None;
        }
        let kind = if now.is_some() { EditKind::Modify } else { EditKind::Create };
        let version = match now {
            // What we had was not known: there is nothing to compare with.
            Some(old) if old.blob_id().is_none() => return None,
            old => ChangeVersion::Whole { old, new: Some(file) },
        };
        Some(FileChange {
            path: path.clone(),
            from: None,
            kind,
            version,
            origin: ChangeOrigin::Outside,
        })
    }

    /// Deletes a file, and returns the change.
    fn delete_file(&mut self, path: &RepoPath, old_file: Option<TreeFile>) -> Option<FileChange> {
        self.set_file(path, None);
        let version = match old_file {
            Some(old) if old.blob_id().is_some() => {
                ChangeVersion::Whole { old: Some(old), new: None }
            }
            _ => ChangeVersion::Part(vec![]),
        };
        let kind = EditKind::Delete;
        Some(FileChange {
            path: path.clone(),
            from: None,
            kind,
            version,
            origin: ChangeOrigin::Recorded,
        })
    }

    fn write_text(
        &mut self,
        path: &RepoPath,
        source: &RepoPath,
        old_file: Option<TreeFile>,
        (id, bytes, place_in_edit): (BlobId, &[u8], Option<(&Edit, EditSide)>),
    ) -> Option<FileChange> {
        let before = old_file.and_then(TreeFile::blob_id);
        let file = TreeFile {
            content: FileContent::Known(self.made_blobs.insert_with_id(
                id,
                before,
                bytes,
                place_in_edit,
            )),
            mode: mode_of(old_file),
        };
        let is_rename = path != source;
        if old_file == Some(file) && !is_rename {
            return None;
        }
        if is_rename {
            self.set_file(source, None);
        }
        self.set_file(path, Some(file));
        let kind = match old_file {
            _ if is_rename => EditKind::Rename,
            Some(_) => EditKind::Modify,
            None => EditKind::Create,
        };
        let version = match old_file {
            // We know the outcome but not what it was made of.
            Some(old) if old.blob_id().is_none() => {
                ChangeVersion::Whole { old: None, new: Some(file) }
            }
            old => ChangeVersion::Whole { old, new: Some(file) },
        };
        Some(FileChange {
            path: path.clone(),
            from: is_rename.then(|| source.clone()),
            kind,
            version,
            origin: ChangeOrigin::Recorded,
        })
    }

    fn write_unclear(
        &mut self,
        path: &RepoPath,
        source: &RepoPath,
        recorded_kind: EditKind,
        version: ChangeVersion,
    ) -> Option<FileChange> {
        let old = self.set_file(source, None);
        let file = TreeFile { content: FileContent::NotRecorded, mode: mode_of(old) };
        let is_new = recorded_kind == EditKind::Create && old.is_none();
        let is_first_seen = old.is_none() && !self.seen.contains(source);
        if is_first_seen && !is_new && self.base_completeness == BaseCompleteness::Partial {
            self.base.files.insert(source.clone(), file);
        }
        self.set_file(path, Some(file));
        let is_rename = path != source;
        Some(FileChange {
            path: path.clone(),
            from: is_rename.then(|| source.clone()),
            kind: match () {
                () if is_rename => EditKind::Rename,
                () if is_new => EditKind::Create,
                () => EditKind::Modify,
            },
            version,
            origin: ChangeOrigin::Recorded,
        })
    }

    fn blob_of_file(&self, file: TreeFile) -> Option<Blob> {
        let id = file.blob_id()?;
        self.made_blobs.get(id).or_else(|| self.reader.read_blob(id).ok())
    }
}

fn mode_of(file: Option<TreeFile>) -> FileMode {
    file.map_or(FileMode::Regular, |file| file.mode)
}

/// Returns the bytes as text; None where they are no text.
fn utf8_text(blob: &[u8]) -> Option<&str> {
    utf8::as_text(blob)
}

/// Returns whether an agent reads a content as this text. Agents read files with `\r\n` as `\n`, and record them so.
fn is_read_as(content: &[u8], recorded_text: &str) -> bool {
    content == recorded_text.as_bytes()
        || has_crlf(content)
            && utf8_text(content).is_some_and(|text| text.replace("\r\n", "\n") == recorded_text)
}

fn has_crlf(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\r\n").is_some()
}

/// The result of an edit for a file.
enum EditOutcome<'t> {
    Text(Cow<'t, str>),
    Gone,
    /// The edit cannot be carried out on what we know; its hunks are what the log shows of it.
    Unclear(ChangeVersion),
}

fn edit_outcome<'t>(change: &'t RecordedChange, before: Option<&str>) -> EditOutcome<'t> {
    match change {
        RecordedChange::Write(text) => EditOutcome::Text(text.into()),
        RecordedChange::Delete => EditOutcome::Gone,
        RecordedChange::NotRecorded => EditOutcome::Unclear(ChangeVersion::Part(vec![])),
        RecordedChange::Binary => EditOutcome::Unclear(ChangeVersion::Binary),
        RecordedChange::Replace(replacements) => {
            let text = replace_all(replacements, before);
            text.map_or_else(
                || EditOutcome::Unclear(replaced_version(replacements)),
                |text| EditOutcome::Text(text.into()),
            )
        }
        RecordedChange::Patch(hunks) => {
            let text = before.and_then(|before| patch::apply_hunks(before, hunks).ok());
            text.map_or_else(
                || EditOutcome::Unclear(ChangeVersion::Hunks(hunks.clone())),
                |text| EditOutcome::Text(text.into()),
            )
        }
    }
}

/// Carries out replacements. None where an old text is missing.
fn replace_all(replacements: &[Replacement], before: Option<&str>) -> Option<String> {
    let creates = replacements.first().is_some_and(|first| first.old.is_empty());
    let mut text = Cow::Borrowed(if creates { before.unwrap_or_default() } else { before? });
    // The agent saw `\n` only; its edit is carried out in those terms and the line ends put back.
    let has_crlf =
        has_crlf(text.as_bytes()) && !replacements.iter().any(|edit| edit.old.contains('\r'));
    if has_crlf {
        text = text.replace("\r\n", "\n").into();
    }
    for Replacement { old, new, all } in replacements {
        text = if old.is_empty() {
            [new.as_str(), &*text].concat().into()
        } else {
            let first = find_first(text.as_bytes(), old.as_bytes())?;
            if *all {
                text.replace(old.as_str(), new).into()
            } else {
                [&text[..first], new.as_str(), &text[first + old.len()..]].concat().into()
            }
        };
    }
    Some(match has_crlf {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text.into_owned(),
    })
}

/// Returns the first place of a text. Preparing a search for a long text takes longer than finding its beginning.
fn find_first(text: &[u8], searched: &[u8]) -> Option<usize> {
    const BEGINNING: usize = 32;
    const TRIES: usize = 16;
    let Some(beginning) = searched.get(..BEGINNING) else { return memmem::find(text, searched) };
    let (finder, mut from) = (memmem::Finder::new(beginning), 0);
    for _ in 0..TRIES {
        let at = from + finder.find(&text[from..])?;
        if text[at..].starts_with(searched) {
            return Some(at);
        }
        from = at + 1;
    }
    // It begins as much else does.
    memmem::find(&text[from..], searched).map(|at| from + at)
}

/// Returns the hunks of replacements; a replacement of all occurrences is a part, since their number in an unknown file
/// is not known.
fn replaced_version(replacements: &[Replacement]) -> ChangeVersion {
    let hunks = replacement_hunks(replacements);
    match replacements.iter().any(|edit| edit.all) {
        true => ChangeVersion::Part(hunks),
        false => ChangeVersion::Hunks(hunks),
    }
}

fn replacement_hunks(replacements: &[Replacement]) -> Vec<PatchHunk> {
    let lines = |kind, text: &str| -> Vec<PatchLine> {
        text.lines().map(|line| PatchLine { kind, text: line.to_owned(), newline: true }).collect()
    };
    let hunk = |edit: &Replacement| {
        let lines =
            [lines(LineKind::Removed, &edit.old), lines(LineKind::Added, &edit.new)].concat();
        PatchHunk { lines, ..PatchHunk::default() }
    };
    replacements.iter().map(hunk).collect()
}

/// Returns several changes in a row as one change a file, sorted by path: what a turn did is what its steps did, less what
/// they took back.
pub fn net_changes(changes: &[FileChange]) -> Vec<FileChange> {
    let mut entries = NetEntries::default();
    changes.iter().for_each(|change| entries.add_change(change));
    let mut net: Vec<FileChange> =
        shrink_list(entries.all.into_iter().filter_map(NetEntry::into_change).collect());
    net.sort_by(|a, b| a.path.cmp(&b.path));
    net
}

/// The files on their way through a turn, found by where they are.
#[derive(Default)]
struct NetEntries<'c> {
    all: Vec<NetEntry<'c>>,
    at: HashMap<FileLocation<'c>, BTreeSet<usize>>,
}

/// The location of a file now, or the first location of a deleted one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FileLocation<'c> {
    Now(&'c RepoPath),
    Gone(&'c RepoPath),
}

impl<'c> NetEntries<'c> {
    /// Adds a change to the first file that it continues, else to a new one.
    fn add_change(&mut self, change: &'c FileChange) {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let is_return = change.kind == EditKind::Create;
        let first = |place| self.at.get(&place).and_then(|all| all.first().copied());
        let followed = first(FileLocation::Now(before))
            .or_else(|| first(FileLocation::Gone(&change.path)).filter(|_| is_return));
        let at = followed.unwrap_or(self.all.len());
        match self.all.get_mut(at) {
            Some(entry) => {
                if let Some(all) =
                    entry.current_location().and_then(|place| self.at.get_mut(&place))
                {
                    all.remove(&at);
                }
                entry.follow_change(change);
            }
            None => self.all.push(NetEntry::new(change)),
        }
        if let Some(place) = self.all[at].current_location() {
            self.at.entry(place).or_default().insert(at);
        }
    }
}

/// A file on its way through a turn.
struct NetEntry<'c> {
    /// The path at the start; None where the file did not exist.
    start: Option<&'c RepoPath>,
    now: Option<&'c RepoPath>,
    old: Option<TreeFile>,
    new: Option<TreeFile>,
    /// The hunks to show where the whole change is not known.
    hunks: Vec<PatchHunk>,
    /// True if both sides of all its changes are known.
    is_whole: bool,
    /// True if one of its changes is missing from the hunks.
    lacks_hunks: bool,
    /// True if one of its changes is of a text, or may be.
    is_text: bool,
    origin: ChangeOrigin,
}

impl<'c> NetEntry<'c> {
    fn new(change: &'c FileChange) -> Self {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let mut entry = Self {
            start: (change.kind != EditKind::Create).then_some(before),
            now: None,
            old: change.file_before(),
            new: None,
            hunks: vec![],
            is_whole: true,
            lacks_hunks: false,
            is_text: false,
            origin: change.origin,
        };
        entry.follow_change(change);
        entry
    }

    fn follow_change(&mut self, change: &'c FileChange) {
        self.now = (change.kind != EditKind::Delete).then_some(&change.path);
        self.new = change.file_after();
        match &change.version {
            ChangeVersion::Hunks(hunks) | ChangeVersion::Part(hunks) => {
                self.is_whole = false;
                self.hunks.extend(hunks.iter().cloned());
            }
            ChangeVersion::Binary => self.is_whole = false,
            ChangeVersion::Whole { .. } => {}
        }
        self.lacks_hunks |=
            matches!(change.version, ChangeVersion::Part(_) | ChangeVersion::Whole { .. });
        self.is_text |= change.version != ChangeVersion::Binary;
        if self.origin != change.origin {
            self.origin = ChangeOrigin::Partly;
        }
    }

    /// Returns the location; None for a file that was created and deleted.
    fn current_location(&self) -> Option<FileLocation<'c>> {
        self.now.map(FileLocation::Now).or(self.start.map(FileLocation::Gone))
    }

    fn into_change(self) -> Option<FileChange> {
        let is_same = self.is_whole && self.start == self.now && self.old == self.new;
        let (path, from, kind) = match (self.start, self.now) {
            (None, None) => return None,
            _ if is_same => return None,
            (None, Some(path)) => (path, None, EditKind::Create),
            (Some(path), None) => (path, None, EditKind::Delete),
            (Some(start), Some(path)) if start == path => (path, None, EditKind::Modify),
            (Some(start), Some(path)) => (path, Some(start), EditKind::Rename),
        };
        let version = if self.is_whole {
            ChangeVersion::Whole { old: self.old, new: self.new }
        } else if !self.is_text {
            ChangeVersion::Binary
        } else if self.lacks_hunks {
            ChangeVersion::Part(self.hunks)
        } else {
            ChangeVersion::Hunks(self.hunks)
        };
        let (path, from) = (path.clone(), from.cloned());
        Some(FileChange { path, from, kind, version, origin: self.origin })
    }
}

/// Marks how far recorded edits (`recorded`, one a file) explain the changes of a commit or snapshot (`seen`).
pub fn mark_origins(seen: &mut [FileChange], recorded: &[FileChange]) {
    let by_path: HashMap<&RepoPath, &FileChange> =
        recorded.iter().rev().map(|it| (&it.path, it)).collect();
    for change in seen {
        change.origin = match by_path.get(&change.path) {
            None => ChangeOrigin::Outside,
            Some(recorded)
                if recorded.kind == EditKind::Delete && change.kind == EditKind::Delete =>
            {
                ChangeOrigin::Recorded
            }
            Some(recorded) => match (recorded.file_after(), change.file_after()) {
                (Some(recorded_file), Some(seen)) if recorded_file.content == seen.content => {
                    recorded.origin
                }
                _ => ChangeOrigin::Partly,
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditPath, RecordPlace, files::BlobId};

    fn repo_path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn sample_edit(name: &str, from: Option<&str>) -> Edit {
        let inside = |name| EditPath::Inside(repo_path(name));
        let kind = EditKind::Modify;
        Edit {
            path: inside(name),
            kind,
            from: from.map(inside),
            added: None,
            removed: None,
            place: RecordPlace::default(),
        }
    }

    fn edit_body(change: RecordedChange) -> RecordedEdit {
        RecordedEdit { before: None, change }
    }

    fn replace_change(old: &str, new: &str) -> RecordedChange {
        RecordedChange::Replace(vec![Replacement { old: old.into(), new: new.into(), all: false }])
    }

    fn known_file(text: &str) -> TreeFile {
        TreeFile::with_blob(BlobId::for_bytes(text.as_bytes()))
    }

    fn changed_file(
        name: &str,
        old: Option<&str>,
        new: Option<&str>,
        origin: ChangeOrigin,
    ) -> FileChange {
        let kind = match (old, new) {
            (None, _) => EditKind::Create,
            (_, None) => EditKind::Delete,
            _ => EditKind::Modify,
        };
        let version = ChangeVersion::Whole { old: old.map(known_file), new: new.map(known_file) };
        FileChange { path: repo_path(name), from: None, kind, version, origin }
    }

    /// Replays on an empty tree of which we know nothing.
    fn replay_edits(edits: &[(Edit, RecordedEdit)]) -> (Vec<FileChange>, SourceTree, SourceTree) {
        let (empty, mut made_blobs) = (MemoryBlobs::default(), MemoryBlobs::default());
        let mut replayer = Replayer::new(
            SourceTree::default(),
            BaseCompleteness::Partial,
            &empty,
            &mut made_blobs,
        );
        let changes =
            edits.iter().flat_map(|(edit, body)| replayer.apply_edit(edit, body, None)).collect();
        (changes, replayer.base, replayer.tree)
    }

    proptest::proptest! {
        #[test]
        fn whatever_stands_in_a_text_is_found_where_it_stands_first(
            letters in proptest::collection::vec(0_u8..2, 0..400), from in 0_usize..400, len in 0_usize..90,
        ) {
            let wanted = letters.get(from..).unwrap_or_default();
            let wanted = &wanted[..len.min(wanted.len())];
            let otherwise = [wanted, &[3]].concat();
            for wanted in [wanted, &otherwise] {
                let found = (0..=letters.len()).find(|at| letters[*at..].starts_with(wanted));
                proptest::prop_assert_eq!(find_first(&letters, wanted), found);
            }
        }
    }

    #[test]
    fn a_written_file_is_created_then_modified() {
        let write = |text: &str| edit_body(RecordedChange::Write(text.into()));
        let (changes, _, tree) = replay_edits(&[
            (sample_edit("a", None), write("one\n")),
            (sample_edit("a", None), write("two\n")),
        ]);

        let created = changed_file("a", None, Some("one\n"), ChangeOrigin::Recorded);
        let modified = changed_file("a", Some("one\n"), Some("two\n"), ChangeOrigin::Recorded);
        assert_eq!(changes, [created, modified]);
        assert_eq!(tree.files[&repo_path("a")], known_file("two\n"));
    }

    /// A copy of the whole tree for each turn took minutes for thousands of turns and files.
    #[test]
    fn what_edits_did_on_trial_is_taken_back() {
        let (empty, mut made_blobs) = (MemoryBlobs::default(), MemoryBlobs::default());
        let mut before = SourceTree::default();
        before.files.extend(["a", "b", "c"].map(|name| (repo_path(name), known_file("x = 1\n"))));
        let replayer =
            Replayer::new(before.clone(), BaseCompleteness::Complete, &empty, &mut made_blobs);
        let mut replayer = replayer.with_undo();
        let write = |text: &str| edit_body(RecordedChange::Write(text.into()));
        let met = RecordedEdit { before: Some("x = 0\n".into()), change: replace_change("0", "2") };

        for (edit, body) in [
            (sample_edit("a", None), write("one\n")),
            (sample_edit("a", None), write("two\n")),
            (sample_edit("new", Some("b")), write("x = 1\n")),
            (sample_edit("c", None), edit_body(RecordedChange::Delete)),
            (sample_edit("c", None), edit_body(RecordedChange::NotRecorded)),
            (sample_edit("d", None), met),
        ] {
            replayer.apply_edit(&edit, &body, None);
        }
        let tried = replayer.tree.clone();
        replayer.undo_edits();

        assert_ne!(tried, before);
        assert_eq!(replayer.tree, before);
    }

    #[test]
    fn a_part_of_what_changed_is_not_counted_as_all_of_it() {
        let counts = |edits: &[(Edit, RecordedEdit)]| {
            let (changes, ..) = replay_edits(edits);
            let net = net_changes(&changes);
            assert_eq!(net.len(), 1);
            super::super::file_diff::line_counts(&net[0], &MemoryBlobs::default())
        };
        let untold = || (sample_edit("a", None), edit_body(RecordedChange::NotRecorded));
        let recorded_edit =
            || (sample_edit("a", None), edit_body(replace_change("one\n", "two\n")));
        let moved = || (sample_edit("a", Some("b")), edit_body(RecordedChange::Patch(vec![])));
        let one = Some(patch::LineCounts { added: 1, removed: 1 });

        assert_eq!(counts(&[recorded_edit()]), one);
        assert_eq!(counts(&[untold(), recorded_edit()]), None);
        assert_eq!(counts(&[untold()]), None);
        assert_eq!(counts(&[moved()]), Some(patch::LineCounts::default()));
        let (changes, ..) =
            replay_edits(&[(sample_edit("a", None), edit_body(RecordedChange::Binary))]);
        assert_eq!(changes[0].version, ChangeVersion::Binary);
    }

    #[test]
    fn a_file_whose_beginning_is_recorded_was_there_before_the_run() {
        let edited =
            RecordedEdit { before: Some("x = 1\n".into()), change: replace_change("1", "2") };
        let (changes, base, _) = replay_edits(&[(sample_edit("a", None), edited)]);

        assert_eq!(
            changes,
            [changed_file("a", Some("x = 1\n"), Some("x = 2\n"), ChangeOrigin::Recorded)]
        );
        assert_eq!(base.files[&repo_path("a")], known_file("x = 1\n"));
    }

    #[test]
    fn a_file_that_became_something_else_in_between_was_changed_outside_recorded_edits() {
        let first = edit_body(RecordedChange::Write("one\n".into()));
        let second = RecordedEdit {
            before: Some("sed was here\n".into()),
            change: replace_change("sed", "edit"),
        };
        let (changes, ..) =
            replay_edits(&[(sample_edit("a", None), first), (sample_edit("a", None), second)]);

        assert_eq!(
            changes[1],
            changed_file("a", Some("one\n"), Some("sed was here\n"), ChangeOrigin::Outside)
        );
        let (old, new) = (Some("sed was here\n"), Some("edit was here\n"));
        assert_eq!(changes[2], changed_file("a", old, new, ChangeOrigin::Recorded));
    }

    #[test]
    fn an_edit_of_an_unknown_file_keeps_its_lines() {
        let (changes, base, tree) = replay_edits(&[(
            sample_edit("a", None),
            edit_body(replace_change("old line", "new line")),
        )]);

        let ChangeVersion::Hunks(hunks) = &changes[0].version else { panic!("{changes:?}") };
        let lines: Vec<_> =
            hunks[0].lines.iter().map(|line| (line.kind, line.text.as_str())).collect();
        assert_eq!(lines, [(LineKind::Removed, "old line"), (LineKind::Added, "new line")]);
        assert_eq!(base.files[&repo_path("a")].content, FileContent::NotRecorded);
        assert_eq!(tree.files[&repo_path("a")].content, FileContent::NotRecorded);
    }

    #[test]
    fn a_file_whose_content_was_never_recorded_is_created_all_the_same() {
        let create = Edit { kind: EditKind::Create, ..sample_edit("a", None) };
        let (changes, base, tree) =
            replay_edits(&[(create, edit_body(RecordedChange::NotRecorded))]);

        assert_eq!(changes[0].kind, EditKind::Create);
        assert_eq!(base, SourceTree::default());
        assert_eq!(tree.files[&repo_path("a")].content, FileContent::NotRecorded);
    }

    #[test]
    fn line_ends_survive_an_edit_that_did_not_see_them() {
        let first = edit_body(RecordedChange::Write("a\r\nb\r\n".into()));
        let second =
            RecordedEdit { before: Some("a\nb\n".into()), change: replace_change("a\nb", "a\nc") };
        let (changes, ..) =
            replay_edits(&[(sample_edit("a", None), first), (sample_edit("a", None), second)]);

        assert_eq!(
            changes[1..],
            [changed_file("a", Some("a\r\nb\r\n"), Some("a\r\nc\r\n"), ChangeOrigin::Recorded)]
        );
    }

    /// Writes one file, then arrives at a snapshot that has another version of it and a second file.
    fn after_snapshot(before_us: BaseCompleteness) -> (Vec<FileChange>, SourceTree) {
        let (empty, mut made_blobs) = (MemoryBlobs::default(), MemoryBlobs::default());
        let mut replayer = Replayer::new(SourceTree::default(), before_us, &empty, &mut made_blobs);
        replayer.apply_edit(
            &sample_edit("a", None),
            &edit_body(RecordedChange::Write("one\n".into())),
            None,
        );
        let files =
            [(repo_path("a"), known_file("two\n")), (repo_path("b"), known_file("new\n"))].into();
        (replayer.accept_snapshot(&SourceTree { files }), replayer.base)
    }

    #[test]
    fn a_snapshot_explains_what_the_log_did_not() {
        let a = changed_file("a", Some("one\n"), Some("two\n"), ChangeOrigin::Outside);
        let b = changed_file("b", None, Some("new\n"), ChangeOrigin::Outside);
        assert_eq!(after_snapshot(BaseCompleteness::Complete), (vec![a, b], SourceTree::default()));
    }

    #[test]
    fn a_file_the_log_never_touched_may_have_been_there_all_along() {
        let a = changed_file("a", Some("one\n"), Some("two\n"), ChangeOrigin::Outside);
        let base = SourceTree { files: [(repo_path("b"), known_file("new\n"))].into() };
        assert_eq!(after_snapshot(BaseCompleteness::Partial), (vec![a], base));
    }

    #[test]
    fn what_steps_take_back_is_no_change_of_the_turn() {
        let create = changed_file("a", None, Some("one\n"), ChangeOrigin::Recorded);
        let delete = changed_file("a", Some("one\n"), None, ChangeOrigin::Recorded);
        assert_eq!(net_changes(&[create, delete.clone()]), []);

        let there_and_back =
            [delete, changed_file("a", None, Some("two\n"), ChangeOrigin::Outside)];
        assert_eq!(
            net_changes(&there_and_back),
            [changed_file("a", Some("one\n"), Some("two\n"), ChangeOrigin::Partly)]
        );
    }

    /// As [`net_changes`], looking through all files for each change.
    fn net_by_looking(changes: &[FileChange]) -> Vec<FileChange> {
        let mut entries: Vec<NetEntry<'_>> = vec![];
        for change in changes {
            let before = change.from.as_ref().unwrap_or(&change.path);
            let is_return = |entry: &NetEntry<'_>| {
                change.kind == EditKind::Create
                    && entry.now.is_none()
                    && entry.start == Some(&change.path)
            };
            let at = entries.iter().position(|entry| entry.now == Some(before));
            match at.or_else(|| entries.iter().position(is_return)) {
                Some(at) => entries[at].follow_change(change),
                None => entries.push(NetEntry::new(change)),
            }
        }
        let mut net: Vec<FileChange> =
            entries.into_iter().filter_map(NetEntry::into_change).collect();
        net.sort_by(|a, b| a.path.cmp(&b.path));
        net
    }

    proptest::proptest! {
        /// A search through all of them for each change took minutes for a turn with 100,000 edits.
        #[test]
        fn whatever_a_turn_does_each_change_goes_on_with_the_first_file_that_is_where_it_begins(
            steps in proptest::collection::vec((0_usize..5, 0_usize..5, 0_usize..4, 0_usize..3), 0..40),
        ) {
            const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
            let kinds = [EditKind::Create, EditKind::Modify, EditKind::Delete, EditKind::Rename];
            let texts = [None, Some("1\n"), Some("2\n")];
            let change = |&(from, to, kind, text): &(usize, usize, usize, usize)| FileChange {
                kind: kinds[kind],
                from: (kinds[kind] == EditKind::Rename).then(|| repo_path(NAMES[from])),
                ..changed_file(NAMES[to], texts[(text + 1) % 3], texts[text], ChangeOrigin::Recorded)
            };
            let changes: Vec<FileChange> = steps.iter().map(change).collect();

            proptest::prop_assert_eq!(net_changes(&changes), net_by_looking(&changes));
        }
    }

    #[test]
    fn renames_in_a_row_are_one_rename() {
        let renamed = |from: &str, to: &str| FileChange {
            from: Some(repo_path(from)),
            kind: EditKind::Rename,
            ..changed_file(to, Some("x\n"), Some("x\n"), ChangeOrigin::Recorded)
        };
        assert_eq!(net_changes(&[renamed("a", "b"), renamed("b", "c")]), [renamed("a", "c")]);
        assert_eq!(net_changes(&[renamed("a", "b"), renamed("b", "a")]), []);
    }

    #[test]
    fn a_commit_that_holds_more_than_the_log_tells_says_so() {
        let mut seen = [
            changed_file("edited", Some("1"), Some("2"), ChangeOrigin::Recorded),
            changed_file("formatted", Some("1"), Some("3"), ChangeOrigin::Recorded),
            changed_file("generated", None, Some("4"), ChangeOrigin::Recorded),
        ];
        let told = [
            changed_file("edited", Some("1"), Some("2"), ChangeOrigin::Recorded),
            changed_file("formatted", Some("1"), Some("2"), ChangeOrigin::Recorded),
        ];

        mark_origins(&mut seen, &told);

        let origins = seen.map(|change| change.origin);
        assert_eq!(origins, [ChangeOrigin::Recorded, ChangeOrigin::Partly, ChangeOrigin::Outside]);
    }
}
