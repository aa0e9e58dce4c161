//! Puts files together from recorded edits.
//!
//! A [`Replayer`] holds the tree as far as it is known and carries out one recorded edit after the other. Where the
//! log itself shows that a file had become something else in between (Claude Code records the whole file before
//! each edit), the difference is a change of its own, [`Origin::Outside`]. Where the file before is not known, the
//! recorded hunks are kept ([`Version::Hunks`], [`Version::Part`]) and the file counts as not recorded from there on, until an edit
//! or a snapshot tells all of it.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use memchr::memmem;

use crate::{Edit, EditKind, RepoPath, fitted};
use trajview_code::{
    patch::{self, LineKind, PatchHunk, PatchLine},
    utf8,
};

use super::{
    Blob, BlobId, Blobs, Change, Content, FileMode, MemoryBlobs, Origin, RecordedChange,
    RecordedEdit, Replacement, Tree, TreeFile, Version, blob::Side,
};

/// The tree while edits are carried out.
pub struct Replayer<'a> {
    /// The files now, as far as they are known.
    pub tree: Tree,
    /// Files that must have been there from the start, found out on the way.
    pub base: Tree,
    before_us: Before,
    /// Paths of which we know a history; all others may have existed all along.
    seen: BTreeSet<RepoPath>,
    reader: &'a dyn Blobs,
    made: &'a mut MemoryBlobs,
    /// What stood where the tree was changed, in order; None where nothing is to be taken back.
    undo: Option<Vec<(RepoPath, Option<TreeFile>)>>,
}

/// What the starting tree tells of files it does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// It lists every file: a commit.
    Complete,
    /// It lists what we happen to know.
    Partial,
}

impl<'a> Replayer<'a> {
    /// `reader` is asked for contents of `tree`, `made` keeps those that edits bring about.
    pub fn new(
        tree: Tree,
        before_us: Before,
        reader: &'a dyn Blobs,
        made: &'a mut MemoryBlobs,
    ) -> Self {
        let (base, seen) = (Tree::default(), BTreeSet::new());
        Self { tree, base, before_us, seen, reader, made, undo: None }
    }

    /// Remembers what edits do to the tree, for [`Replayer::take_back`].
    pub fn on_trial(self) -> Self {
        Self { undo: Some(vec![]), ..self }
    }

    /// Brings back the tree as it was before the edits since the last call. Costs what they did, not what there is.
    pub fn take_back(&mut self) {
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
    fn set(&mut self, path: &RepoPath, file: Option<TreeFile>) -> Option<TreeFile> {
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
    pub fn edit(
        &mut self,
        edit: &Edit,
        body: &RecordedEdit,
        written: Option<BlobId>,
    ) -> Vec<Change> {
        let Some(path) = edit.path.inside() else { return vec![] };
        let source = edit.from.as_ref().and_then(|from| from.inside()).unwrap_or(path);
        let mut changes = vec![];
        changes.extend(body.before.as_deref().and_then(|before| self.meet(edit, source, before)));
        let found = self.tree.files.get(source).copied();
        let is_asked = matches!(body.change, RecordedChange::Replace(_) | RecordedChange::Patch(_));
        let known = found.filter(|_| is_asked).and_then(|file| self.blob_of(file));
        let change = match outcome(&body.change, known.as_deref().and_then(text)) {
            Outcome::Gone => self.leave(source, found),
            Outcome::Text(text) => {
                let is_written = matches!(body.change, RecordedChange::Write(_));
                let stands = is_written.then_some((edit, Side::After));
                let bytes = text.as_bytes();
                let id = written.filter(|_| is_written).unwrap_or_else(|| BlobId::of(bytes));
                self.become_text(path, source, found, (id, bytes, stands))
            }
            Outcome::Unclear(version) if edit.kind == EditKind::Delete => {
                self.leave(source, found).map(|change| Change { version, ..change })
            }
            Outcome::Unclear(version) => self.become_unclear(path, source, edit.kind, version),
        };
        changes.extend(change);
        for change in &changes {
            self.seen.insert(change.path.clone());
            self.seen.extend(change.from.clone());
        }
        changes
    }

    /// Takes a recorded snapshot for the truth; what it differs by was changed outside recorded edits.
    pub fn arrive_at(&mut self, snapshot: &Tree) -> Vec<Change> {
        let mut changes = self.tree.changes_to(snapshot, Origin::Outside);
        if self.before_us == Before::Partial {
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
        self.before_us = Before::Complete;
        changes
    }

    /// Takes `target` for the truth, as far as it differs; what is not in the tree may still have been there.
    pub fn correct(&mut self, target: Tree) -> Vec<Change> {
        let changes = self.tree.changes_to(&target, Origin::Outside);
        self.seen.extend(changes.iter().map(|change| change.path.clone()));
        self.tree = target;
        changes
    }

    /// The file at `path`, were that its content.
    pub fn file_of(&mut self, path: &RepoPath, text: &str) -> TreeFile {
        let mode = mode_of(self.tree.files.get(path).copied());
        TreeFile { content: Content::Known(self.made.put(text.as_bytes())), mode }
    }

    /// The text of a file as it is now; None where there is none, or not known, or no text.
    pub fn text_at(&self, path: &RepoPath) -> Option<String> {
        let blob = self.tree.files.get(path).and_then(|file| self.blob_of(*file))?;
        text(&blob).map(str::to_owned)
    }

    /// The log shows the whole file before an edit: a change of its own where that is news.
    fn meet(&mut self, edit: &Edit, path: &RepoPath, before: &str) -> Option<Change> {
        let now = self.tree.files.get(path).copied();
        let known = now.and_then(|file| self.blob_of(file));
        if known.is_some_and(|known| is_read_as(&known, before)) {
            return None;
        }
        let file = TreeFile {
            content: Content::Known(self.made.put_after(
                now.and_then(TreeFile::blob),
                before.as_bytes(),
                Some((edit, Side::Before)),
            )),
            mode: mode_of(now),
        };
        let is_news =
            self.seen.contains(path) || now.is_some() || self.before_us == Before::Complete;
        self.set(path, Some(file));
        if !is_news {
            self.base.files.insert(path.clone(), file);
            return None;
        }
        let kind = if now.is_some() { EditKind::Modify } else { EditKind::Create };
        let version = match now {
            // What we had was not known: there is nothing to compare with.
            Some(old) if old.blob().is_none() => return None,
            old => Version::Whole { old, new: Some(file) },
        };
        Some(Change { path: path.clone(), from: None, kind, version, origin: Origin::Outside })
    }

    fn leave(&mut self, path: &RepoPath, found: Option<TreeFile>) -> Option<Change> {
        self.set(path, None);
        let version = match found {
            Some(old) if old.blob().is_some() => Version::Whole { old: Some(old), new: None },
            _ => Version::Part(vec![]),
        };
        let kind = EditKind::Delete;
        Some(Change { path: path.clone(), from: None, kind, version, origin: Origin::Recorded })
    }

    fn become_text(
        &mut self,
        path: &RepoPath,
        source: &RepoPath,
        found: Option<TreeFile>,
        (id, bytes, stands): (BlobId, &[u8], Option<(&Edit, Side)>),
    ) -> Option<Change> {
        let before = found.and_then(TreeFile::blob);
        let file = TreeFile {
            content: Content::Known(self.made.put_named(id, before, bytes, stands)),
            mode: mode_of(found),
        };
        let is_rename = path != source;
        if found == Some(file) && !is_rename {
            return None;
        }
        if is_rename {
            self.set(source, None);
        }
        self.set(path, Some(file));
        let kind = match found {
            _ if is_rename => EditKind::Rename,
            Some(_) => EditKind::Modify,
            None => EditKind::Create,
        };
        let version = match found {
            // We know the outcome but not what it was made of.
            Some(old) if old.blob().is_none() => Version::Whole { old: None, new: Some(file) },
            old => Version::Whole { old, new: Some(file) },
        };
        Some(Change {
            path: path.clone(),
            from: is_rename.then(|| source.clone()),
            kind,
            version,
            origin: Origin::Recorded,
        })
    }

    fn become_unclear(
        &mut self,
        path: &RepoPath,
        source: &RepoPath,
        told: EditKind,
        version: Version,
    ) -> Option<Change> {
        let old = self.set(source, None);
        let file = TreeFile { content: Content::NotRecorded, mode: mode_of(old) };
        let is_new = told == EditKind::Create && old.is_none();
        let is_first_seen = old.is_none() && !self.seen.contains(source);
        if is_first_seen && !is_new && self.before_us == Before::Partial {
            self.base.files.insert(source.clone(), file);
        }
        self.set(path, Some(file));
        let is_rename = path != source;
        Some(Change {
            path: path.clone(),
            from: is_rename.then(|| source.clone()),
            kind: match () {
                () if is_rename => EditKind::Rename,
                () if is_new => EditKind::Create,
                () => EditKind::Modify,
            },
            version,
            origin: Origin::Recorded,
        })
    }

    fn blob_of(&self, file: TreeFile) -> Option<Blob> {
        let id = file.blob()?;
        self.made.get(id).or_else(|| self.reader.blob(id).ok())
    }
}

fn mode_of(file: Option<TreeFile>) -> FileMode {
    file.map_or(FileMode::Regular, |file| file.mode)
}

/// None for what is no text.
fn text(blob: &[u8]) -> Option<&str> {
    utf8::text(blob)
}

/// Whether an agent reads a content so. Agents read files with `\r\n` as `\n`, and record them so.
fn is_read_as(content: &[u8], told: &str) -> bool {
    content == told.as_bytes()
        || has_crlf(content) && text(content).is_some_and(|text| text.replace("\r\n", "\n") == told)
}

fn has_crlf(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\r\n").is_some()
}

/// What an edit makes of a file.
enum Outcome<'t> {
    Text(Cow<'t, str>),
    Gone,
    /// The edit cannot be carried out on what we know; its hunks are what the log shows of it.
    Unclear(Version),
}

fn outcome<'t>(change: &'t RecordedChange, before: Option<&str>) -> Outcome<'t> {
    match change {
        RecordedChange::Write(text) => Outcome::Text(text.into()),
        RecordedChange::Delete => Outcome::Gone,
        RecordedChange::NotRecorded => Outcome::Unclear(Version::Part(vec![])),
        RecordedChange::Binary => Outcome::Unclear(Version::Binary),
        RecordedChange::Replace(replacements) => {
            let text = replace_all(replacements, before);
            text.map_or_else(
                || Outcome::Unclear(shown_of(replacements)),
                |text| Outcome::Text(text.into()),
            )
        }
        RecordedChange::Patch(hunks) => {
            let text = before.and_then(|before| patch::apply(before, hunks).ok());
            text.map_or_else(
                || Outcome::Unclear(Version::Hunks(hunks.clone())),
                |text| Outcome::Text(text.into()),
            )
        }
    }
}

/// None where an old text is not there.
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
            let first = place_of(text.as_bytes(), old.as_bytes())?;
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

/// Where a text stands first. To be ready to find a long one takes longer than to find its beginning.
fn place_of(text: &[u8], wanted: &[u8]) -> Option<usize> {
    const BEGINNING: usize = 32;
    const TRIES: usize = 16;
    let Some(beginning) = wanted.get(..BEGINNING) else { return memmem::find(text, wanted) };
    let (finder, mut from) = (memmem::Finder::new(beginning), 0);
    for _ in 0..TRIES {
        let at = from + finder.find(&text[from..])?;
        if text[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
    // It begins as much else does.
    memmem::find(&text[from..], wanted).map(|at| from + at)
}

/// How often a text stands in a file that is not known, nobody can tell.
fn shown_of(replacements: &[Replacement]) -> Version {
    let hunks = hunks_of(replacements);
    match replacements.iter().any(|edit| edit.all) {
        true => Version::Part(hunks),
        false => Version::Hunks(hunks),
    }
}

fn hunks_of(replacements: &[Replacement]) -> Vec<PatchHunk> {
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

/// Several changes in a row as one change a file, sorted by path: what a turn did is what its steps did, less what
/// they took back.
pub fn net(changes: &[Change]) -> Vec<Change> {
    let mut entries = Entries::default();
    changes.iter().for_each(|change| entries.take(change));
    let mut net: Vec<Change> =
        fitted(entries.all.into_iter().filter_map(Entry::into_change).collect());
    net.sort_by(|a, b| a.path.cmp(&b.path));
    net
}

/// The files on their way through a turn, found by where they are.
#[derive(Default)]
struct Entries<'c> {
    all: Vec<Entry<'c>>,
    at: HashMap<Whereabouts<'c>, BTreeSet<usize>>,
}

/// Where a file is now, or where one that is gone was at the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Whereabouts<'c> {
    Now(&'c RepoPath),
    Gone(&'c RepoPath),
}

impl<'c> Entries<'c> {
    /// Adds a change to the first file that it goes on with, else to a new one.
    fn take(&mut self, change: &'c Change) {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let is_return = change.kind == EditKind::Create;
        let first = |place| self.at.get(&place).and_then(|all| all.first().copied());
        let known = first(Whereabouts::Now(before))
            .or_else(|| first(Whereabouts::Gone(&change.path)).filter(|_| is_return));
        let at = known.unwrap_or(self.all.len());
        match self.all.get_mut(at) {
            Some(entry) => {
                if let Some(all) = entry.whereabouts().and_then(|place| self.at.get_mut(&place)) {
                    all.remove(&at);
                }
                entry.go_on(change);
            }
            None => self.all.push(Entry::of(change)),
        }
        if let Some(place) = self.all[at].whereabouts() {
            self.at.entry(place).or_default().insert(at);
        }
    }
}

/// A file on its way through a turn.
struct Entry<'c> {
    /// Where it was at the start; None where it was not.
    start: Option<&'c RepoPath>,
    now: Option<&'c RepoPath>,
    old: Option<TreeFile>,
    new: Option<TreeFile>,
    /// What is shown where the whole of it is not known.
    hunks: Vec<PatchHunk>,
    /// Whether all of its changes are known by both sides.
    is_whole: bool,
    /// Whether one of its changes is not among the hunks.
    lacks_hunks: bool,
    /// Whether one of its changes is of a text, or not known to be of none.
    is_text: bool,
    origin: Origin,
}

impl<'c> Entry<'c> {
    fn of(change: &'c Change) -> Self {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let mut entry = Self {
            start: (change.kind != EditKind::Create).then_some(before),
            now: None,
            old: change.before(),
            new: None,
            hunks: vec![],
            is_whole: true,
            lacks_hunks: false,
            is_text: false,
            origin: change.origin,
        };
        entry.go_on(change);
        entry
    }

    fn go_on(&mut self, change: &'c Change) {
        self.now = (change.kind != EditKind::Delete).then_some(&change.path);
        self.new = change.after();
        match &change.version {
            Version::Hunks(hunks) | Version::Part(hunks) => {
                self.is_whole = false;
                self.hunks.extend(hunks.iter().cloned());
            }
            Version::Binary => self.is_whole = false,
            Version::Whole { .. } => {}
        }
        self.lacks_hunks |= matches!(change.version, Version::Part(_) | Version::Whole { .. });
        self.is_text |= change.version != Version::Binary;
        if self.origin != change.origin {
            self.origin = Origin::Partly;
        }
    }

    /// None for what came and went.
    fn whereabouts(&self) -> Option<Whereabouts<'c>> {
        self.now.map(Whereabouts::Now).or(self.start.map(Whereabouts::Gone))
    }

    fn into_change(self) -> Option<Change> {
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
            Version::Whole { old: self.old, new: self.new }
        } else if !self.is_text {
            Version::Binary
        } else if self.lacks_hunks {
            Version::Part(self.hunks)
        } else {
            Version::Hunks(self.hunks)
        };
        let (path, from) = (path.clone(), from.cloned());
        Some(Change { path, from, kind, version, origin: self.origin })
    }
}

/// Marks how far recorded edits (`told`, one a file) explain what a commit or snapshot shows (`seen`).
pub fn explain(seen: &mut [Change], told: &[Change]) {
    let told: HashMap<&RepoPath, &Change> = told.iter().rev().map(|it| (&it.path, it)).collect();
    for change in seen {
        change.origin = match told.get(&change.path) {
            None => Origin::Outside,
            Some(twin) if twin.kind == EditKind::Delete && change.kind == EditKind::Delete => {
                Origin::Recorded
            }
            Some(twin) => match (twin.after(), change.after()) {
                (Some(told), Some(seen)) if told.content == seen.content => twin.origin,
                _ => Origin::Partly,
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditPath, Place, files::BlobId};

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn edit(name: &str, from: Option<&str>) -> Edit {
        let inside = |name| EditPath::Inside(path(name));
        let kind = EditKind::Modify;
        Edit {
            path: inside(name),
            kind,
            from: from.map(inside),
            added: None,
            removed: None,
            place: Place::default(),
        }
    }

    fn body(change: RecordedChange) -> RecordedEdit {
        RecordedEdit { before: None, change }
    }

    fn replace(old: &str, new: &str) -> RecordedChange {
        RecordedChange::Replace(vec![Replacement { old: old.into(), new: new.into(), all: false }])
    }

    fn file(text: &str) -> TreeFile {
        TreeFile::known(BlobId::of(text.as_bytes()))
    }

    fn changed(name: &str, old: Option<&str>, new: Option<&str>, origin: Origin) -> Change {
        let kind = match (old, new) {
            (None, _) => EditKind::Create,
            (_, None) => EditKind::Delete,
            _ => EditKind::Modify,
        };
        let version = Version::Whole { old: old.map(file), new: new.map(file) };
        Change { path: path(name), from: None, kind, version, origin }
    }

    /// Replays on an empty tree of which we know nothing.
    fn replayed(edits: &[(Edit, RecordedEdit)]) -> (Vec<Change>, Tree, Tree) {
        let (empty, mut made) = (MemoryBlobs::default(), MemoryBlobs::default());
        let mut replayer = Replayer::new(Tree::default(), Before::Partial, &empty, &mut made);
        let changes =
            edits.iter().flat_map(|(edit, body)| replayer.edit(edit, body, None)).collect();
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
                proptest::prop_assert_eq!(place_of(&letters, wanted), found);
            }
        }
    }

    #[test]
    fn a_written_file_is_created_then_modified() {
        let write = |text: &str| body(RecordedChange::Write(text.into()));
        let (changes, _, tree) =
            replayed(&[(edit("a", None), write("one\n")), (edit("a", None), write("two\n"))]);

        let created = changed("a", None, Some("one\n"), Origin::Recorded);
        let modified = changed("a", Some("one\n"), Some("two\n"), Origin::Recorded);
        assert_eq!(changes, [created, modified]);
        assert_eq!(tree.files[&path("a")], file("two\n"));
    }

    /// It used to be a copy of the whole tree for each turn: minutes for thousands of turns and files.
    #[test]
    fn what_edits_did_on_trial_is_taken_back() {
        let (empty, mut made) = (MemoryBlobs::default(), MemoryBlobs::default());
        let mut before = Tree::default();
        before.files.extend(["a", "b", "c"].map(|name| (path(name), file("x = 1\n"))));
        let replayer = Replayer::new(before.clone(), Before::Complete, &empty, &mut made);
        let mut replayer = replayer.on_trial();
        let write = |text: &str| body(RecordedChange::Write(text.into()));
        let met = RecordedEdit { before: Some("x = 0\n".into()), change: replace("0", "2") };

        for (edit, body) in [
            (edit("a", None), write("one\n")),
            (edit("a", None), write("two\n")),
            (edit("new", Some("b")), write("x = 1\n")),
            (edit("c", None), body(RecordedChange::Delete)),
            (edit("c", None), body(RecordedChange::NotRecorded)),
            (edit("d", None), met),
        ] {
            replayer.edit(&edit, &body, None);
        }
        let tried = replayer.tree.clone();
        replayer.take_back();

        assert_ne!(tried, before);
        assert_eq!(replayer.tree, before);
    }

    #[test]
    fn a_part_of_what_changed_is_not_counted_as_all_of_it() {
        let counts = |edits: &[(Edit, RecordedEdit)]| {
            let (changes, ..) = replayed(edits);
            let net = net(&changes);
            assert_eq!(net.len(), 1);
            super::super::compare::line_counts(&net[0], &MemoryBlobs::default())
        };
        let untold = || (edit("a", None), body(RecordedChange::NotRecorded));
        let told = || (edit("a", None), body(replace("one\n", "two\n")));
        let moved = || (edit("a", Some("b")), body(RecordedChange::Patch(vec![])));
        let one = Some(patch::LineCounts { added: 1, removed: 1 });

        assert_eq!(counts(&[told()]), one);
        assert_eq!(counts(&[untold(), told()]), None);
        assert_eq!(counts(&[untold()]), None);
        assert_eq!(counts(&[moved()]), Some(patch::LineCounts::default()));
        let (changes, ..) = replayed(&[(edit("a", None), body(RecordedChange::Binary))]);
        assert_eq!(changes[0].version, Version::Binary);
    }

    #[test]
    fn a_file_whose_beginning_is_recorded_was_there_before_the_run() {
        let edited = RecordedEdit { before: Some("x = 1\n".into()), change: replace("1", "2") };
        let (changes, base, _) = replayed(&[(edit("a", None), edited)]);

        assert_eq!(changes, [changed("a", Some("x = 1\n"), Some("x = 2\n"), Origin::Recorded)]);
        assert_eq!(base.files[&path("a")], file("x = 1\n"));
    }

    #[test]
    fn a_file_that_became_something_else_in_between_was_changed_outside_recorded_edits() {
        let first = body(RecordedChange::Write("one\n".into()));
        let second =
            RecordedEdit { before: Some("sed was here\n".into()), change: replace("sed", "edit") };
        let (changes, ..) = replayed(&[(edit("a", None), first), (edit("a", None), second)]);

        assert_eq!(
            changes[1],
            changed("a", Some("one\n"), Some("sed was here\n"), Origin::Outside)
        );
        let (old, new) = (Some("sed was here\n"), Some("edit was here\n"));
        assert_eq!(changes[2], changed("a", old, new, Origin::Recorded));
    }

    #[test]
    fn an_edit_of_an_unknown_file_keeps_its_lines() {
        let (changes, base, tree) =
            replayed(&[(edit("a", None), body(replace("old line", "new line")))]);

        let Version::Hunks(hunks) = &changes[0].version else { panic!("{changes:?}") };
        let lines: Vec<_> =
            hunks[0].lines.iter().map(|line| (line.kind, line.text.as_str())).collect();
        assert_eq!(lines, [(LineKind::Removed, "old line"), (LineKind::Added, "new line")]);
        assert_eq!(base.files[&path("a")].content, Content::NotRecorded);
        assert_eq!(tree.files[&path("a")].content, Content::NotRecorded);
    }

    #[test]
    fn a_file_whose_content_was_never_recorded_is_created_all_the_same() {
        let create = Edit { kind: EditKind::Create, ..edit("a", None) };
        let (changes, base, tree) = replayed(&[(create, body(RecordedChange::NotRecorded))]);

        assert_eq!(changes[0].kind, EditKind::Create);
        assert_eq!(base, Tree::default());
        assert_eq!(tree.files[&path("a")].content, Content::NotRecorded);
    }

    #[test]
    fn line_ends_survive_an_edit_that_did_not_see_them() {
        let first = body(RecordedChange::Write("a\r\nb\r\n".into()));
        let second =
            RecordedEdit { before: Some("a\nb\n".into()), change: replace("a\nb", "a\nc") };
        let (changes, ..) = replayed(&[(edit("a", None), first), (edit("a", None), second)]);

        assert_eq!(
            changes[1..],
            [changed("a", Some("a\r\nb\r\n"), Some("a\r\nc\r\n"), Origin::Recorded)]
        );
    }

    /// Writes one file, then arrives at a snapshot that has another version of it and a second file.
    fn arrived(before_us: Before) -> (Vec<Change>, Tree) {
        let (empty, mut made) = (MemoryBlobs::default(), MemoryBlobs::default());
        let mut replayer = Replayer::new(Tree::default(), before_us, &empty, &mut made);
        replayer.edit(&edit("a", None), &body(RecordedChange::Write("one\n".into())), None);
        let files = [(path("a"), file("two\n")), (path("b"), file("new\n"))].into();
        (replayer.arrive_at(&Tree { files }), replayer.base)
    }

    #[test]
    fn a_snapshot_explains_what_the_log_did_not() {
        let a = changed("a", Some("one\n"), Some("two\n"), Origin::Outside);
        let b = changed("b", None, Some("new\n"), Origin::Outside);
        assert_eq!(arrived(Before::Complete), (vec![a, b], Tree::default()));
    }

    #[test]
    fn a_file_the_log_never_touched_may_have_been_there_all_along() {
        let a = changed("a", Some("one\n"), Some("two\n"), Origin::Outside);
        let base = Tree { files: [(path("b"), file("new\n"))].into() };
        assert_eq!(arrived(Before::Partial), (vec![a], base));
    }

    #[test]
    fn what_steps_take_back_is_no_change_of_the_turn() {
        let create = changed("a", None, Some("one\n"), Origin::Recorded);
        let delete = changed("a", Some("one\n"), None, Origin::Recorded);
        assert_eq!(net(&[create, delete.clone()]), []);

        let there_and_back = [delete, changed("a", None, Some("two\n"), Origin::Outside)];
        assert_eq!(
            net(&there_and_back),
            [changed("a", Some("one\n"), Some("two\n"), Origin::Partly)]
        );
    }

    /// As [`net`], looking through all files for each change.
    fn net_by_looking(changes: &[Change]) -> Vec<Change> {
        let mut entries: Vec<Entry<'_>> = vec![];
        for change in changes {
            let before = change.from.as_ref().unwrap_or(&change.path);
            let is_return = |entry: &Entry<'_>| {
                change.kind == EditKind::Create
                    && entry.now.is_none()
                    && entry.start == Some(&change.path)
            };
            let at = entries.iter().position(|entry| entry.now == Some(before));
            match at.or_else(|| entries.iter().position(is_return)) {
                Some(at) => entries[at].go_on(change),
                None => entries.push(Entry::of(change)),
            }
        }
        let mut net: Vec<Change> = entries.into_iter().filter_map(Entry::into_change).collect();
        net.sort_by(|a, b| a.path.cmp(&b.path));
        net
    }

    proptest::proptest! {
        /// To look through all of them for each change took minutes for a turn with 100,000 edits.
        #[test]
        fn whatever_a_turn_does_each_change_goes_on_with_the_first_file_that_is_where_it_begins(
            steps in proptest::collection::vec((0_usize..5, 0_usize..5, 0_usize..4, 0_usize..3), 0..40),
        ) {
            const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
            let kinds = [EditKind::Create, EditKind::Modify, EditKind::Delete, EditKind::Rename];
            let texts = [None, Some("1\n"), Some("2\n")];
            let change = |&(from, to, kind, text): &(usize, usize, usize, usize)| Change {
                kind: kinds[kind],
                from: (kinds[kind] == EditKind::Rename).then(|| path(NAMES[from])),
                ..changed(NAMES[to], texts[(text + 1) % 3], texts[text], Origin::Recorded)
            };
            let changes: Vec<Change> = steps.iter().map(change).collect();

            proptest::prop_assert_eq!(net(&changes), net_by_looking(&changes));
        }
    }

    #[test]
    fn renames_in_a_row_are_one_rename() {
        let renamed = |from: &str, to: &str| Change {
            from: Some(path(from)),
            kind: EditKind::Rename,
            ..changed(to, Some("x\n"), Some("x\n"), Origin::Recorded)
        };
        assert_eq!(net(&[renamed("a", "b"), renamed("b", "c")]), [renamed("a", "c")]);
        assert_eq!(net(&[renamed("a", "b"), renamed("b", "a")]), []);
    }

    #[test]
    fn a_commit_that_holds_more_than_the_log_tells_says_so() {
        let mut seen = [
            changed("edited", Some("1"), Some("2"), Origin::Recorded),
            changed("formatted", Some("1"), Some("3"), Origin::Recorded),
            changed("generated", None, Some("4"), Origin::Recorded),
        ];
        let told = [
            changed("edited", Some("1"), Some("2"), Origin::Recorded),
            changed("formatted", Some("1"), Some("2"), Origin::Recorded),
        ];

        explain(&mut seen, &told);

        let origins = seen.map(|change| change.origin);
        assert_eq!(origins, [Origin::Recorded, Origin::Partly, Origin::Outside]);
    }
}
