//! Which files changed in which turn, and the tree after any turn.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use crate::{EditKind, RepoPath, StepId, Warning, values::worded};
use trajview_code::patch::PatchHunk;

use super::BlobId;

/// The files of a run over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    pub from: FilesFrom,
    /// Files known to have existed before the first turn.
    pub base: Tree,
    /// One entry a turn, in order.
    pub turns: Vec<TurnFiles>,
    /// Where what the recording says of the files contradicts itself.
    pub warnings: Vec<Warning>,
}

worded! {
    words;
    /// How we know what the files looked like.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum FilesFrom {
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

/// What one turn did to the files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnFiles {
    /// Between the tree before and the tree after, sorted by path; one entry a file.
    pub changes: Vec<Change>,
    /// What single steps did, in playing order, as far as their recorded edits tell.
    pub steps: Vec<(StepId, Vec<Change>)>,
    /// Nothing in the recording says what the files were after this turn; the tree is still that of the last turn of
    /// which something does.
    pub is_untold: bool,
}

/// One file, from one version to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub path: RepoPath,
    /// The old path of a rename.
    pub from: Option<RepoPath>,
    pub kind: EditKind,
    pub version: Version,
    pub origin: Origin,
}

/// What is known of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Version {
    /// Both sides; None on the side where there is no file.
    Whole { old: Option<TreeFile>, new: Option<TreeFile> },
    /// The file before is not in the recording, but all that changed is: these hunks. Empty where the file only moved.
    Hunks(Vec<PatchHunk>),
    /// Only a part of what changed is in the recording: these hunks. Empty where the log says that the file changed, not how.
    Part(Vec<PatchHunk>),
    /// The log says that the file is no text, and does not hold it.
    Binary,
}

worded! {
    /// Who made a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Origin {
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
    pub content: Content,
    pub mode: FileMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Known(BlobId),
    /// The recording shows parts of the file, or only that it exists.
    NotRecorded,
}

worded! {
    octal;
    /// As in a git tree.
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
pub struct Tree {
    pub files: BTreeMap<RepoPath, TreeFile>,
}

impl Origin {
    /// The words on screen; empty for what needs none.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Recorded => "",
            Self::Partly => "partly changed outside recorded edits",
            Self::Outside => "changed outside recorded edits",
        }
    }
}

impl Change {
    pub fn before(&self) -> Option<TreeFile> {
        match self.version {
            Version::Whole { old, .. } => old,
            Version::Hunks(_) | Version::Part(_) | Version::Binary => None,
        }
    }

    pub fn after(&self) -> Option<TreeFile> {
        match self.version {
            Version::Whole { new, .. } => new,
            Version::Hunks(_) | Version::Part(_) | Version::Binary => None,
        }
    }
}

impl TreeFile {
    pub const fn known(blob: BlobId) -> Self {
        Self { content: Content::Known(blob), mode: FileMode::Regular }
    }

    pub const fn blob(self) -> Option<BlobId> {
        match self.content {
            Content::Known(blob) => Some(blob),
            Content::NotRecorded => None,
        }
    }
}

impl Tree {
    /// Carries out one change.
    pub fn apply(&mut self, change: &Change) {
        let kept = change.from.as_ref().unwrap_or(&change.path);
        let before = self.files.remove(kept);
        let after = match (&change.version, change.kind) {
            (_, EditKind::Delete) => None,
            (Version::Whole { new, .. }, _) => *new,
            (Version::Hunks(_) | Version::Part(_) | Version::Binary, _) => {
                let mode = before.map_or(FileMode::Regular, |file| file.mode);
                Some(TreeFile { content: Content::NotRecorded, mode })
            }
        };
        if let Some(file) = after {
            self.files.insert(change.path.clone(), file);
        }
    }

    /// What turns `self` into `later`, sorted by path; [`super::renames`] finds the renames among it.
    pub fn changes_to(&self, later: &Self, origin: Origin) -> Vec<Change> {
        let mut changes = vec![];
        for (path, old) in &self.files {
            match later.files.get(path) {
                Some(new) if new == old => {}
                Some(new) => {
                    changes.push(whole(path, EditKind::Modify, Some(*old), Some(*new), origin))
                }
                None => changes.push(whole(path, EditKind::Delete, Some(*old), None, origin)),
            }
        }
        for (path, new) in later.files.iter().filter(|(path, _)| !self.files.contains_key(*path)) {
            changes.push(whole(path, EditKind::Create, None, Some(*new), origin));
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }
}

fn whole(
    path: &RepoPath,
    kind: EditKind,
    old: Option<TreeFile>,
    new: Option<TreeFile>,
    origin: Origin,
) -> Change {
    Change { path: path.clone(), from: None, kind, version: Version::Whole { old, new }, origin }
}

impl Timeline {
    /// Shows the tree at each of these moments (turns done), the earliest first and each once, and whether nothing in
    /// the recording says what the files were then.
    pub fn visit(&self, moments: &[usize], mut look: impl FnMut(usize, &Tree, bool)) {
        let mut tree = self.base.clone();
        let last = moments.iter().copied().max().unwrap_or_default();
        let moments: HashSet<usize> = moments.iter().copied().collect();
        for done in 0..=last {
            let turn = done.checked_sub(1).and_then(|turn| self.turns.get(turn));
            if let Some(turn) = turn {
                turn.changes.iter().for_each(|change| tree.apply(change));
            }
            if moments.contains(&done) {
                look(done, &tree, turn.is_some_and(|turn| turn.is_untold));
            }
        }
    }

    /// The tree after `turns` turns: 0 is before the first turn, `self.turns.len()` the end.
    pub fn tree_after(&self, turns: usize) -> Tree {
        let mut tree = self.base.clone();
        for change in self.turns.iter().take(turns).flat_map(|turn| &turn.changes) {
            tree.apply(change);
        }
        tree
    }

    /// What changed between two moments, both counted in turns done. Between neighbours this is the turn's own
    /// list; further apart the trees are compared, and a file changed only outside recorded edits stays marked so;
    /// renames are then still a deleted and a created file.
    pub fn changes_between(&self, before: usize, after: usize) -> Vec<Change> {
        if before + 1 == after
            && let Some(turn) = self.turns.get(before)
        {
            return turn.changes.clone();
        }
        let (old, new) = (self.tree_after(before), self.tree_after(after));
        let span = before.min(after)..before.max(after);
        let origins = self.origins_within(span.clone());
        let mut changes = old.changes_to(&new, Origin::Recorded);
        changes.extend(self.unseen_changes(&old, &new, span));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        for change in &mut changes {
            change.origin = origins.get(&change.path).copied().unwrap_or(Origin::Recorded);
        }
        changes
    }

    /// Who changed each file that these turns changed; more than one origin is [`Origin::Partly`].
    fn origins_within(&self, span: Range<usize>) -> HashMap<&RepoPath, Origin> {
        let turns = self.turns.get(span).unwrap_or_default();
        let mut origins = HashMap::new();
        for change in turns.iter().flat_map(|turn| &turn.changes) {
            let origin = origins.entry(&change.path).or_insert(change.origin);
            if *origin != change.origin {
                *origin = Origin::Partly;
            }
        }
        origins
    }

    /// Files that changed and whose contents the recording has at neither moment: the trees look alike.
    fn unseen_changes(&self, old: &Tree, new: &Tree, span: Range<usize>) -> Vec<Change> {
        let turns = self.turns.get(span).unwrap_or_default();
        let mut unseen: BTreeMap<&RepoPath, Vec<&Change>> = BTreeMap::new();
        for change in turns.iter().flat_map(|turn| &turn.changes) {
            let sides = (old.files.get(&change.path), new.files.get(&change.path));
            if let (Some(old), Some(new)) = sides
                && old == new
                && old.content == Content::NotRecorded
            {
                unseen.entry(&change.path).or_default().push(change);
            }
        }
        let one = |(path, changes): (&RepoPath, Vec<&Change>)| match changes.as_slice() {
            [only] => (*only).clone(),
            _ => whole(
                path,
                EditKind::Modify,
                old.files.get(path).copied(),
                new.files.get(path).copied(),
                Origin::Recorded,
            ),
        };
        unseen.into_iter().map(one).collect()
    }

    /// What one step changed, as far as its recorded edits tell.
    pub fn changes_of(&self, step: StepId) -> &[Change] {
        let turn = self.turns.get(step.turn);
        let found = turn.and_then(|turn| turn.steps.iter().find(|(id, _)| *id == step));
        found.map_or(&[], |(_, changes)| changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).expect("a path inside")
    }

    fn unknown() -> TreeFile {
        TreeFile { content: Content::NotRecorded, mode: FileMode::Regular }
    }

    /// Each turn changes a file whose content the recording does not have.
    fn timeline(turns: &[&str]) -> Timeline {
        let change = |name: &&str| Change {
            path: path(name),
            from: None,
            kind: EditKind::Modify,
            version: Version::Hunks(vec![PatchHunk::default()]),
            origin: Origin::Recorded,
        };
        let files = turns.iter().map(|name| (path(name), unknown())).collect();
        let turns = turns
            .iter()
            .map(|name| TurnFiles { changes: vec![change(name)], ..TurnFiles::default() })
            .collect();
        Timeline { base: Tree { files }, turns, ..Timeline::default() }
    }

    #[test]
    fn a_file_whose_content_is_never_recorded_is_listed_where_it_changed() {
        let changes = timeline(&["a", "b", "a"]).changes_between(0, 3);

        let named: Vec<_> = changes.iter().map(|change| (&change.path, &change.version)).collect();
        let both = Version::Whole { old: Some(unknown()), new: Some(unknown()) };
        let once = Version::Hunks(vec![PatchHunk::default()]);
        assert_eq!(named, [(&path("a"), &both), (&path("b"), &once)]);
    }

    /// To go through all turns for each file took minutes for thousands of both.
    #[test]
    fn what_several_turns_changed_says_whether_all_of_it_was_recorded() {
        let mut timeline = timeline(&["a", "b", "a", "b", "c"]);
        for (turn, origin) in [(0, Origin::Outside), (2, Origin::Outside), (3, Origin::Outside)] {
            timeline.turns[turn].changes[0].origin = origin;
        }

        let changes = timeline.changes_between(0, 5);

        let named: Vec<_> = changes.iter().map(|change| (&change.path, change.origin)).collect();
        let [a, b, c] = ["a", "b", "c"].map(path);
        let expected = [(&a, Origin::Outside), (&b, Origin::Partly), (&c, Origin::Recorded)];
        assert_eq!(named, expected);
    }
}
