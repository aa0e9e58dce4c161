use std::path::PathBuf;

use git2::DiffOptions;

use super::*;
use crate::objects::tests::HandMadePack;

fn sample_repositories() -> Vec<PathBuf> {
    let samples = Path::new(trajview_testing::project()).join("sample-runs");
    let bundles = ["codex-p12", "codex-p12-single-shot"];
    bundles.map(|bundle| samples.join(bundle).join("workspace.git")).to_vec()
}

/// Returns the commits from the last back to the first.
fn commits_of(git: &Repository) -> Vec<String> {
    let mut walk = git.revwalk().unwrap();
    walk.push_ref("refs/heads/main").unwrap();
    walk.map(|id| id.unwrap().to_string()).collect()
}

/// Returns `kind old → new mode id` of every change, by libgit2.
fn changes_by_git(git: &Repository, old: Option<&str>, new: &str) -> Vec<String> {
    let tree = |id: &str| git.find_commit(Oid::from_str(id).unwrap()).unwrap().tree().unwrap();
    let mut options = DiffOptions::new();
    options.include_typechange(true).ignore_submodules(false);
    let old = old.map(tree);
    let mut diff =
        git.diff_tree_to_tree(old.as_ref(), Some(&tree(new)), Some(&mut options)).unwrap();
    let mut similar = DiffFindOptions::new();
    diff.find_similar(Some(similar.renames(true).rename_limit(400))).unwrap();
    let name = |file: git2::DiffFile<'_>| file.path().unwrap().to_str().unwrap().to_owned();
    let mut all: Vec<(String, String)> = diff
        .deltas()
        .map(|delta| {
            let (old, new) = (name(delta.old_file()), name(delta.new_file()));
            let id = delta.new_file().id();
            match delta.status() {
                Delta::Added => (new.clone(), format!("create {new} {id}")),
                Delta::Deleted => (old.clone(), format!("delete {old}")),
                Delta::Renamed => (new.clone(), format!("rename {old} → {new} {id}")),
                _ => (new.clone(), format!("modify {new} {id}")),
            }
        })
        .collect();
    all.sort();
    all.into_iter().map(|(_, words)| words).collect()
}

fn changes_by_repo(repo: &Repo, old: Option<&str>, new: &str) -> Vec<String> {
    let changes = repo.changes_between(old, new, &mut CommitComparisons::default()).unwrap();
    let words = |change: &FileChange| {
        let id = change.file_after().and_then(|file| file.blob_id());
        let id = id.map(|id| format!(" {id}")).unwrap_or_default();
        let from = change.from.as_ref().map(|from| format!("{from} → ")).unwrap_or_default();
        format!("{} {from}{}{id}", change.kind.word(), change.path)
    };
    changes.iter().map(words).collect()
}

#[test]
fn the_changes_of_every_sample_are_those_that_libgit2_tells() {
    let mut renames = 0;
    for path in sample_repositories() {
        let (repo, git) = (Repo::open(&path).unwrap(), Repository::open_bare(&path).unwrap());
        let commits = commits_of(&git);
        for (at, commit) in commits.iter().enumerate() {
            for old in [commits.get(at + 1), commits.get(at + 7), None] {
                let old = old.map(String::as_str);
                let theirs = changes_by_git(&git, old, commit);
                assert_eq!(changes_by_repo(&repo, old, commit), theirs);
                renames += theirs.iter().filter(|words| words.starts_with("rename")).count();
            }
        }
    }
    assert!(renames > 0);
}

/// Makes a repository with a commit of each of these lists of files.
fn write_repository(
    folder: &Path,
    versions: &[Vec<(String, String)>],
) -> (Repository, Vec<String>) {
    let git = Repository::init_bare(folder).unwrap();
    let who = git2::Signature::new("a", "a@b.invalid", &git2::Time::new(0, 0)).unwrap();
    let mut commits = vec![];
    for files in versions {
        let mut index = git2::Index::new().unwrap();
        for (name, content) in files {
            let id = git.blob(content.as_bytes()).unwrap();
            let zero = git2::IndexTime::new(0, 0);
            let (mode, path) = (0o100644, name.clone().into_bytes());
            let entry = git2::IndexEntry {
                ctime: zero,
                mtime: zero,
                dev: 0,
                ino: 0,
                mode,
                uid: 0,
                gid: 0,
                file_size: 0,
                id,
                flags: 0,
                flags_extended: 0,
                path,
            };
            index.add(&entry).unwrap();
        }
        let tree = git.find_tree(index.write_tree_to(&git).unwrap()).unwrap();
        commits.push(git.commit(None, &who, &who, "x", &tree, &[]).unwrap().to_string());
    }
    (git, commits)
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(60))]
    #[test]
    fn whatever_two_trees_have_their_changes_are_those_that_libgit2_tells(
        old in any_files(),
        new in any_files(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (git, commits) = write_repository(folder.path(), &[old.clone(), new]);
        let repo = Repo::open(folder.path()).unwrap();
        let (first, second) = (commits[0].as_str(), commits[1].as_str());

        proptest::prop_assert_eq!(changes_by_repo(&repo, Some(first), second), changes_by_git(&git, Some(first), second));
        let names: std::collections::BTreeSet<String> = old.into_iter().map(|(name, _)| name).collect();
        let tree = repo.tree_of_commit(first).unwrap();
        let read: Vec<&str> = tree.files.keys().map(RepoPath::as_str).collect();
        proptest::prop_assert_eq!(read, names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Makes names that are folders in one tree and files in the other, with contents that are alike.
fn any_files() -> impl proptest::strategy::Strategy<Value = Vec<(String, String)>> {
    use proptest::{collection::vec, sample::select, strategy::Strategy};
    let place = select(vec!["a", "a.b", "a/b", "a/b/c", "a-b", "b", "b/a", "b/a.c", "c/d/e", "c0"]);
    let line = select(vec!["one\n", "two words\n", "three\n", "the fourth line\n"]);
    let file =
        (place, vec(line, 0..12)).prop_map(|(place, lines)| (place.to_owned(), lines.concat()));
    vec(file, 0..6).prop_map(|mut files| {
        files.sort();
        files.dedup_by(|a, b| a.0 == b.0 || a.0.starts_with(&format!("{}/", b.0)));
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let is_below =
            |name: &str| names.iter().any(|other| name.starts_with(&format!("{other}/")));
        files.retain(|(name, _)| !is_below(name));
        files
    })
}

/// Returns a tree with ten times the same tree, and so on: 10^levels files in one small object a level.
fn nested_tree(made: &mut HandMadePack, levels: u32, content: &str) -> BlobId {
    let leaf = made.add_blob(content.as_bytes());
    (0..levels).fold(leaf, |below, level| {
        let mode = if level == 0 { "100644" } else { "40000" };
        let entry = |name: u8| [format!("{mode} {name}\0").as_bytes(), &below.0].concat();
        let tree: Vec<u8> = (0..10).flat_map(entry).collect();
        made.add_object("tree", 2, &tree)
    })
}

#[test]
fn a_tree_of_a_hundred_million_files_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = HandMadePack::new();
    let small = nested_tree(&mut made, 2, "small");
    let big = nested_tree(&mut made, 8, "big");
    let commit = |made: &mut HandMadePack, tree: BlobId| {
        made.add_object("commit", 1, format!("tree {tree}\n\nx").as_bytes()).to_string()
    };
    let (small, big) = (commit(&mut made, small), commit(&mut made, big));
    made.write(folder.path());

    let repo = Repo::open(folder.path()).unwrap();

    assert_eq!(repo.tree_of_commit(&small).unwrap().files.len(), 100);
    let why = repo.tree_of_commit(&big).unwrap_err();
    assert_eq!(why, format!("commit {big} has more than 200000 files; its files are not read"));
    let why =
        repo.changes_between(Some(&small), &big, &mut CommitComparisons::default()).unwrap_err();
    assert!(why.ends_with("the run changes more than 500000 files; no more are read"), "{why}");
}
