//! The files that changed in each turn, and the tree after any turn.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use crate::{EditKind, RepoPath, StepId, Warning, worded_enum::worded};
use trajview_code::patch::PatchHunk;

use super::BlobId;

/// The files of a run over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    pub from: FilesSource,
    /// Files known to have existed before the first turn.
    pub base: SourceTree,
    /// One entry a turn, in order.
    pub turns: Vec<TurnFiles>,
    /// Contradictions in the recording about the files.
    pub warnings: Vec<Warning>,
}

worded! {
    display_text;
    /// The source of our knowledge about the files.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum FilesSource {
        /// One commit a turn in the bundle's repository.
        Commits = "commits",
        #[default]
        RecordedEdits = "recorded edits",
        /// Recorded edits, corrected at each recorded snapshot.
        Snapshots = "recorded edits and snapshots",
        /// Recorded edits, corrected by a harness' own comparison of the trees.
        Comparisons = "recorded edits and the harness' comparison of the trees",
    }
}

/// The changes of one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnFiles {
    /// The changes between the tree before and the tree after, sorted by path; one entry a file.
    pub changes: Vec<FileChange>,
    /// The changes of single steps, in playing order, as far as recorded edits show them.
    pub steps: Vec<(StepId, Vec<FileChange>)>,
    /// Nothing in the recording says what the files were after this turn; the tree is still that of the last turn of
    /// which something does.
    pub is_unknown: bool,
}

/// One file, from one version to another.
#[derive(Debug, Clone, PartialEq)]
pub struct FileChange {
    pub path: RepoPath,
    /// The old path of a rename.
    pub from: Option<RepoPath>,
    pub kind: EditKind,
    pub version: ChangeVersion,
    pub origin: ChangeOrigin,
}

/// The known part of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangeVersion {
    /// Both sides; None on the side where there is no file.
    Whole { old: Option<TreeFile>, new: Option<TreeFile> },
    /// The file before is not in the recording, but all that changed is: these hunks. Empty where the file only moved.
    Hunks(Vec<PatchHunk>),
    /// Only a part of what changed is in the recording: these hunks. Empty where the log says that the file changed, not how.
    Part(Vec<PatchHunk>),
    /// The log states that the file is no text, and does not contain it.
    Binary,
}

worded! {
    /// The author of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ChangeOrigin {
        /// The log records an edit that explains it.
        Recorded = "recorded",
        /// The log records edits of this file, and they do not explain all of it.
        Partly = "partly",
        /// Changed outside recorded edits: by a shell command, by a person, by a hook.
        Outside = "outside",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeFile {
    pub content: FileContent,
    pub mode: FileMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileContent {
    Known(BlobId),
    /// The recording shows parts of the file, or only that it exists.
    NotRecorded,
}

worded! {
    octal;
    /// The mode of a file, as in a git tree.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum FileMode {
        #[default]
        Regular = "100644",
        Executable = "100755",
        Link = "120000",
        /// A commit of another repository; has no content here.
        Submodule = "160000",
    }
}

/// The files at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceTree {
    pub files: BTreeMap<RepoPath, TreeFile>,
}

impl ChangeOrigin {
    /// Returns the words on screen; empty for what needs none.
    pub const fn display_text(self) -> &'static str {
        match self {
            Self::Recorded => "",
            Self::Partly => "partly changed outside recorded edits",
            Self::Outside => "changed outside recorded edits",
        }
    }
}

impl FileChange {
    pub fn file_before(&self) -> Option<TreeFile> {
        match self.version {
            ChangeVersion::Whole { old, .. } => old,
            ChangeVersion::Hunks(_) | ChangeVersion::Part(_) | ChangeVersion::Binary => None,
        }
    }

    pub fn file_after(&self) -> Option<TreeFile> {
        match self.version {
            ChangeVersion::Whole { new, .. } => new,
            ChangeVersion::Hunks(_) | ChangeVersion::Part(_) | ChangeVersion::Binary => None,
        }
    }
}

impl TreeFile {
    pub const fn with_blob(blob: BlobId) -> Self {
        Self { content: FileContent::Known(blob), mode: FileMode::Regular }
    }

    pub const fn blob_id(self) -> Option<BlobId> {
        match self.content {
            FileContent::Known(blob) => Some(blob),
            FileContent::NotRecorded => None,
        }
    }
}

/// Returns what a change leaves of a file, given what it was before; None where it is deleted.
fn file_after(change: &FileChange, before: Option<TreeFile>) -> Option<TreeFile> {
    match (&change.version, change.kind) {
        (_, EditKind::Delete) => None,
        (ChangeVersion::Whole { new, .. }, _) => *new,
        (ChangeVersion::Hunks(_) | ChangeVersion::Part(_) | ChangeVersion::Binary, _) => {
            let mode = before.map_or(FileMode::Regular, |file| file.mode);
            Some(TreeFile { content: FileContent::NotRecorded, mode })
        }
    }
}

impl SourceTree {
    /// Carries out one change.
    pub fn apply_change(&mut self, change: &FileChange) {
        let old_path = change.from.as_ref().unwrap_or(&change.path);
        let before = self.files.remove(old_path);
        let after = file_after(change, before);
        if let Some(file) = after {
            self.files.insert(change.path.clone(), file);
        }
    }

    /// Carries out changes, one after the other. Many changes in the order of their paths, none of which moves a file, are
    /// merged with the tree in one pass.
    pub fn apply_changes(&mut self, changes: &[FileChange]) {
        let is_large = changes.len() > 256 && changes.len() > self.files.len() / 8;
        let is_sorted = || changes.is_sorted_by(|a, b| a.path < b.path);
        if !is_large || changes.iter().any(|change| change.from.is_some()) || !is_sorted() {
            changes.iter().for_each(|change| self.apply_change(change));
            return;
        }
        let mut old_files = std::mem::take(&mut self.files).into_iter().peekable();
        let mut files = Vec::with_capacity(changes.len());
        for change in changes {
            while let Some(file) = old_files.next_if(|(path, _)| *path < change.path) {
                files.push(file);
            }
            let before = old_files.next_if(|(path, _)| *path == change.path);
            let after = file_after(change, before.as_ref().map(|(_, file)| *file));
            files.extend(after.map(|file| match before {
                Some((path, _)) => (path, file),
                None => (change.path.clone(), file),
            }));
        }
        files.extend(old_files);
        self.files = files.into_iter().collect();
    }

    /// Returns the changes that turn `self` into `later`, sorted by path; [`super::renames`] pairs the renames among
    /// them.
    pub fn changes_to(&self, later: &Self, origin: ChangeOrigin) -> Vec<FileChange> {
        let mut changes = vec![];
        for (path, old) in &self.files {
            match later.files.get(path) {
                Some(new) if new == old => {}
                Some(new) => changes.push(whole_change(
                    path,
                    EditKind::Modify,
                    Some(*old),
                    Some(*new),
                    origin,
                )),
                None => {
                    changes.push(whole_change(path, EditKind::Delete, Some(*old), None, origin))
                }
            }
        }
        for (path, new) in later.files.iter().filter(|(path, _)| !self.files.contains_key(*path)) {
            changes.push(whole_change(path, EditKind::Create, None, Some(*new), origin));
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }
}

fn whole_change(
    path: &RepoPath,
    kind: EditKind,
    old: Option<TreeFile>,
    new: Option<TreeFile>,
    origin: ChangeOrigin,
) -> FileChange {
    FileChange {
        path: path.clone(),
        from: None,
        kind,
        version: ChangeVersion::Whole { old, new },
        origin,
    }
}

impl Timeline {
    /// Shows the tree at each of these moments (turns done), the earliest first and each once, and whether nothing in
    /// the recording says what the files were then.
    pub fn visit_turn_ends(
        &self,
        moments: &[usize],
        mut look: impl FnMut(usize, &SourceTree, bool),
    ) {
        let mut tree = self.base.clone();
        let last = moments.iter().copied().max().unwrap_or_default();
        let moments: HashSet<usize> = moments.iter().copied().collect();
        for done in 0..=last {
            let turn = done.checked_sub(1).and_then(|turn| self.turns.get(turn));
            if let Some(turn) = turn {
                tree.apply_changes(&turn.changes);
            }
            if moments.contains(&done) {
                look(done, &tree, turn.is_some_and(|turn| turn.is_unknown));
            }
        }
    }

    /// Returns the tree after `turns` turns: 0 is before the first turn, `self.turns.len()` the end.
    pub fn tree_after(&self, turns: usize) -> SourceTree {
        let mut tree = self.base.clone();
        for turn in self.turns.iter().take(turns) {
            tree.apply_changes(&turn.changes);
        }
        tree
    }

    /// Returns the changes between two moments, both counted in turns done. Between neighbours this is the turn's own
    /// list; further apart the trees are compared, and a file changed only outside recorded edits stays marked so;
    /// renames are then still a deleted and a created file.
    pub fn changes_between(&self, before: usize, after: usize) -> Vec<FileChange> {
        if before + 1 == after
            && let Some(turn) = self.turns.get(before)
        {
            return turn.changes.clone();
        }
        let (old, new) = (self.tree_after(before), self.tree_after(after));
        let span = before.min(after)..before.max(after);
        let origins = self.origins_within(span.clone());
        let mut changes = old.changes_to(&new, ChangeOrigin::Recorded);
        changes.extend(self.unseen_changes(&old, &new, span));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        for change in &mut changes {
            change.origin = origins.get(&change.path).copied().unwrap_or(ChangeOrigin::Recorded);
        }
        changes
    }

    /// Returns the origin of each file that these turns changed; more than one origin is [`ChangeOrigin::Partly`].
    fn origins_within(&self, span: Range<usize>) -> HashMap<&RepoPath, ChangeOrigin> {
        let turns = self.turns.get(span).unwrap_or_default();
        let mut origins = HashMap::new();
        for change in turns.iter().flat_map(|turn| &turn.changes) {
            let origin = origins.entry(&change.path).or_insert(change.origin);
            if *origin != change.origin {
                *origin = ChangeOrigin::Partly;
            }
        }
        origins
    }

    /// Returns files that changed and whose contents the recording has at neither moment: the trees look alike.
    fn unseen_changes(
        &self,
        old: &SourceTree,
        new: &SourceTree,
        span: Range<usize>,
    ) -> Vec<FileChange> {
        let turns = self.turns.get(span).unwrap_or_default();
        let mut unseen: BTreeMap<&RepoPath, Vec<&FileChange>> = BTreeMap::new();
        for change in turns.iter().flat_map(|turn| &turn.changes) {
            let sides = (old.files.get(&change.path), new.files.get(&change.path));
            if let (Some(old), Some(new)) = sides
                && old == new
                && old.content == FileContent::NotRecorded
            {
                unseen.entry(&change.path).or_default().push(change);
            }
        }
        let one = |(path, changes): (&RepoPath, Vec<&FileChange>)| match changes.as_slice() {
            [only] => (*only).clone(),
            _ => whole_change(
                path,
                EditKind::Modify,
                old.files.get(path).copied(),
                new.files.get(path).copied(),
                ChangeOrigin::Recorded,
            ),
        };
        unseen.into_iter().map(one).collect()
    }

    /// Returns the changes of one step, as far as its recorded edits show them.
    pub fn changes_of_step(&self, step: StepId) -> &[FileChange] {
        let turn = self.turns.get(step.turn);
        let step_changes = turn.and_then(|turn| turn.steps.iter().find(|(id, _)| *id == step));
        step_changes.map_or(&[], |(_, changes)| changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo_path(name: &str) -> RepoPath {
        RepoPath::new(name).expect("a path inside")
    }

    fn unknown_file() -> TreeFile {
        TreeFile { content: FileContent::NotRecorded, mode: FileMode::Regular }
    }

    /// Makes a timeline whose turns each change a file whose content the recording does not have.
    fn unknown_timeline(turns: &[&str]) -> Timeline {
        let change = |name: &&str| FileChange {
            path: repo_path(name),
            from: None,
            kind: EditKind::Modify,
            version: ChangeVersion::Hunks(vec![PatchHunk::default()]),
            origin: ChangeOrigin::Recorded,
        };
        let files = turns.iter().map(|name| (repo_path(name), unknown_file())).collect();
        let turns = turns
            .iter()
            .map(|name| TurnFiles { changes: vec![change(name)], ..TurnFiles::default() })
            .collect();
        Timeline { base: SourceTree { files }, turns, ..Timeline::default() }
    }

    #[test]
    fn many_changes_leave_the_same_tree_in_one_pass_as_one_by_one() {
        let change = |number: usize, version, kind| FileChange {
            path: repo_path(&format!("f{number:04}")),
            from: None,
            kind,
            version,
            origin: ChangeOrigin::Recorded,
        };
        let executable = TreeFile { mode: FileMode::Executable, ..unknown_file() };
        let whole = ChangeVersion::Whole { old: None, new: Some(executable) };
        let create = |number| change(number, whole.clone(), EditKind::Create);
        let mixed = |number: usize| match number % 4 {
            0 => create(number),
            1 => change(number, ChangeVersion::Part(vec![]), EditKind::Modify),
            2 => change(number, ChangeVersion::Binary, EditKind::Delete),
            _ => change(number, ChangeVersion::Hunks(vec![]), EditKind::Modify),
        };
        let deleted = |number| change(number, ChangeVersion::Binary, EditKind::Delete);
        let mut unsorted: Vec<FileChange> = (0..600).rev().map(create).collect();
        let mut moved: Vec<FileChange> = (300..900).map(mixed).collect();
        unsorted.extend((0..10).map(deleted));
        moved[0].from = Some(repo_path("f0700"));
        let turns: [Vec<FileChange>; 6] = [
            (0..1000).step_by(2).map(create).collect(),
            (100..900).map(mixed).collect(),
            unsorted,
            moved,
            (0..1200).map(deleted).collect(),
            (0..3).map(create).collect(),
        ];

        let (mut at_once, mut one_by_one) = (SourceTree::default(), SourceTree::default());
        for changes in &turns {
            at_once.apply_changes(changes);
            changes.iter().for_each(|change| one_by_one.apply_change(change));
            assert_eq!(at_once, one_by_one);
        }
        assert_eq!(at_once.files.len(), 3);
    }

    #[test]
    fn a_file_whose_content_is_never_recorded_is_listed_where_it_changed() {
        let changes = unknown_timeline(&["a", "b", "a"]).changes_between(0, 3);

        let named: Vec<_> = changes.iter().map(|change| (&change.path, &change.version)).collect();
        let both = ChangeVersion::Whole { old: Some(unknown_file()), new: Some(unknown_file()) };
        let once = ChangeVersion::Hunks(vec![PatchHunk::default()]);
        assert_eq!(named, [(&repo_path("a"), &both), (&repo_path("b"), &once)]);
    }

    /// A pass over all turns for each file took minutes for thousands of both.
    #[test]
    fn what_several_turns_changed_says_whether_all_of_it_was_recorded() {
        let mut timeline = unknown_timeline(&["a", "b", "a", "b", "c"]);
        for (turn, origin) in
            [(0, ChangeOrigin::Outside), (2, ChangeOrigin::Outside), (3, ChangeOrigin::Outside)]
        {
            timeline.turns[turn].changes[0].origin = origin;
        }

        let changes = timeline.changes_between(0, 5);

        let named: Vec<_> = changes.iter().map(|change| (&change.path, change.origin)).collect();
        let [a, b, c] = ["a", "b", "c"].map(repo_path);
        let expected =
            [(&a, ChangeOrigin::Outside), (&b, ChangeOrigin::Partly), (&c, ChangeOrigin::Recorded)];
        assert_eq!(named, expected);
    }
}
