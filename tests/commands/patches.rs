//! What `git apply` makes of the patches we write.

#![cfg(unix)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Output},
};

use proptest::{
    prelude::*,
    test_runner::{TestError, TestRunner},
};
use tempfile::TempDir;
use trajview::{
    code::git_patch::{FileSides, SideContent, write_patch},
    run::files::BlobId,
};

/// A file of a tree, with its mode.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    mode: &'static str,
    bytes: Vec<u8>,
}

type Tree = BTreeMap<&'static str, File>;

/// A tree before, a tree after, and which new path was renamed from which old one.
#[derive(Debug, Clone)]
struct Case {
    old: Tree,
    new: Tree,
    renames: Vec<(&'static str, &'static str)>,
}

/// Names git writes as they are, names it quotes, and names that end early for a careless reader.
const PATHS: [&str; 12] = [
    "plain.txt",
    "src/deep/er/file.py",
    "with space",
    " b/leading and trailing ",
    "tab\there",
    "new\nline",
    "quo\"te",
    "back\\slash",
    "naïve/日本 語.txt",
    "\u{7f}\u{1}\u{1b}[31m",
    "a b/x a b/x",
    "-dash",
];

const RENAMED: [&str; 4] = ["moved/x", "moved/sp ace", "moved/é\t", "moved"];

fn run_git(folder: &Path, args: &[&str]) -> io::Result<Output> {
    Command::new("git")
        .args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .output()
}

/// Runs git; what it said, where it refused.
fn git_does(folder: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let output = run_git(folder, args).unwrap();
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn write_tree(folder: &Path, tree: &Tree) {
    for (path, file) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if file.mode == "120000" {
            symlink(str::from_utf8(&file.bytes).unwrap(), path).unwrap();
            continue;
        }
        fs::write(&path, &file.bytes).unwrap();
        let permissions = if file.mode == "100755" { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(permissions)).unwrap();
    }
}

/// Every file under `folder`, except git's own.
fn read_tree(folder: &Path, below: &str, found: &mut BTreeMap<String, File>) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        let kind = entry.file_type().unwrap();
        if path == ".git" || path == "the.patch" {
            continue;
        }
        if kind.is_dir() {
            read_tree(folder, &path, found);
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap().into_os_string();
            let bytes = target.into_string().unwrap().into_bytes();
            found.insert(path, File { mode: "120000", bytes });
        } else {
            let executable = entry.metadata().unwrap().permissions().mode() & 0o100 != 0;
            let mode = if executable { "100755" } else { "100644" };
            found.insert(path, File { mode, bytes: fs::read(entry.path()).unwrap() });
        }
    }
}

fn owned_files(tree: &Tree) -> BTreeMap<String, File> {
    tree.iter().map(|(path, file)| ((*path).to_owned(), file.clone())).collect()
}

/// The patch from the tree before to the tree after.
fn patch_of(case: &Case) -> Vec<u8> {
    let id = |file: &File| BlobId::for_bytes(&file.bytes).to_string();
    let blobs: BTreeMap<Vec<u8>, String> = case
        .old
        .values()
        .chain(case.new.values())
        .map(|file| (file.bytes.clone(), id(file)))
        .collect();
    let side = |tree: &'_ Tree, path| -> Option<(&'static str, Vec<u8>)> {
        tree.get(path).map(|file| (file.mode, file.bytes.clone()))
    };
    let mut rows = vec![];
    let moved_away: BTreeSet<_> = case.renames.iter().map(|(from, _)| *from).collect();
    let moved_here: BTreeMap<_, _> = case.renames.iter().map(|(from, to)| (*to, *from)).collect();
    let paths: BTreeSet<_> = case.old.keys().chain(case.new.keys()).copied().collect();
    for path in paths {
        let from = moved_here.get(path).copied();
        let old = match from {
            Some(from) => side(&case.old, from),
            None if moved_away.contains(path) => None,
            None => side(&case.old, path),
        };
        rows.push((path, from, old, side(&case.new, path)));
    }
    let files: Vec<FileSides<'_>> = rows
        .iter()
        .map(|(path, from, old, new)| FileSides {
            path,
            from: *from,
            old: old.as_ref().map(|(mode, bytes)| SideContent { mode, blob: &blobs[bytes], bytes }),
            new: new.as_ref().map(|(mode, bytes)| SideContent { mode, blob: &blobs[bytes], bytes }),
        })
        .collect();
    write_patch(&files)
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<&[u8]> = vec![
        b"a",
        b"b",
        b"c",
        b"",
        b"crlf\r",
        b"lone\rreturn",
        b"caf\xe9",
        b"\xff\xfe",
        "日本".as_bytes(),
        b"-- a/x",
        b"++ b/y",
        b"\\ No newline at end of file",
        b"@@ -1 +1 @@",
        b"diff --git a/x b/x",
        b"  trailing  ",
        b"\x1b[31m",
    ];
    let lines = prop::collection::vec(prop::sample::select(lines), 1..25);
    (lines, any::<bool>()).prop_map(|(lines, end)| {
        let mut text = lines.join(&b'\n');
        text.extend(end.then_some(b'\n'));
        text
    })
}

fn any_content() -> impl Strategy<Value = Vec<u8>> {
    let binary = prop::collection::vec(any::<u8>(), 0..300).prop_map(|mut bytes| {
        bytes.push(0);
        bytes
    });
    let late_nul = any_text().prop_map(|text| [vec![b'x'; 8100], vec![0], text].concat());
    prop_oneof![6 => any_text(), 2 => binary, 1 => Just(vec![]), 1 => late_nul]
}

fn any_file() -> impl Strategy<Value = File> {
    let plain = |mode| any_content().prop_map(move |bytes| File { mode, bytes });
    let link = prop::sample::select(vec!["plain.txt", "../out", "no where", "é"])
        .prop_map(|target| File { mode: "120000", bytes: target.into() });
    prop_oneof![6 => plain("100644"), 2 => plain("100755"), 1 => link]
}

/// What may become of a file.
#[derive(Debug, Clone)]
enum Fate {
    Kept,
    Replaced(File),
    Grown(Vec<u8>),
    ModeChanged,
    Deleted,
    Renamed(Vec<u8>),
}

fn any_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Kept),
        any_file().prop_map(Fate::Replaced),
        any_text().prop_map(Fate::Grown),
        Just(Fate::ModeChanged),
        Just(Fate::Deleted),
        Just(Fate::Renamed(vec![])),
        any_text().prop_map(Fate::Renamed),
    ]
}

fn any_case() -> impl Strategy<Value = Case> {
    let row = prop::option::weighted(
        0.6,
        (prop::option::weighted(0.8, any_file()), any_fate(), any_file()),
    );
    prop::collection::vec(row, PATHS.len()).prop_map(|rows| {
        let mut case = Case { old: Tree::new(), new: Tree::new(), renames: vec![] };
        for (path, row) in PATHS.into_iter().zip(rows) {
            match row {
                Some((Some(file), fate, _)) => meet_fate(&mut case, path, file, fate),
                Some((None, _, created)) => drop(case.new.insert(path, created)),
                None => {}
            }
        }
        case
    })
}

fn meet_fate(case: &mut Case, path: &'static str, file: File, fate: Fate) {
    case.old.insert(path, file.clone());
    let is_link = file.mode == "120000";
    let grown = |more: Vec<u8>| File { bytes: [file.bytes.clone(), more].concat(), ..file.clone() };
    match fate {
        Fate::Kept => drop(case.new.insert(path, file)),
        Fate::Replaced(other) => drop(case.new.insert(path, other)),
        Fate::Grown(more) if !is_link => drop(case.new.insert(path, grown(more))),
        Fate::ModeChanged if file.mode == "100644" => {
            case.new.insert(path, File { mode: "100755", ..file });
        }
        Fate::Renamed(more) if !is_link && case.renames.len() < 3 => {
            let to = RENAMED[case.renames.len()];
            case.renames.push((path, to));
            case.new.insert(to, grown(more));
        }
        Fate::Deleted | Fate::Grown(_) | Fate::ModeChanged | Fate::Renamed(_) => {}
    }
}

/// git 2.47 forgets the mode of a deleted file on its way back, with its own patches too.
fn without_modes(mut tree: BTreeMap<String, File>) -> BTreeMap<String, File> {
    tree.values_mut().for_each(|file| file.mode = "any");
    tree
}

/// Applies the patch forwards and backwards in a folder that is no repository.
fn apply_to_files(case: &Case, patch: &[u8]) -> Result<(), String> {
    let folder = TempDir::new().unwrap();
    write_tree(folder.path(), &case.old);
    fs::write(folder.path().join("the.patch"), patch).unwrap();
    let tree = || {
        let mut found = BTreeMap::new();
        read_tree(folder.path(), "", &mut found);
        found
    };
    git_does(folder.path(), &["apply", "--allow-empty", "--whitespace=nowarn", "the.patch"])?;
    assert_same("forwards", &tree(), &owned_files(&case.new))?;
    git_does(folder.path(), &["apply", "-R", "--allow-empty", "--whitespace=nowarn", "the.patch"])?;
    assert_same("backwards", &without_modes(tree()), &without_modes(owned_files(&case.old)))
}

/// The paths that are not as wanted, where there are any.
fn assert_same(
    way: &str,
    found: &BTreeMap<String, File>,
    wanted: &BTreeMap<String, File>,
) -> Result<(), String> {
    let paths: BTreeSet<_> = found.keys().chain(wanted.keys()).collect();
    let shown = |file: Option<&File>| {
        file.map_or("nothing".into(), |file| format!("{} {}", file.mode, file.bytes.escape_ascii()))
    };
    let wrong: Vec<_> = paths
        .into_iter()
        .filter(|path| found.get(*path) != wanted.get(*path))
        .map(|path| {
            format!("{path:?}: {}, not {}", shown(found.get(path)), shown(wanted.get(path)))
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{way}: {}", wrong.join("\n"))) }
}

/// Applies the patch to a repository's index and files, which git then must see as one.
fn apply_to_index(repository: &Path, case: &Case, patch: &[u8]) -> Result<(), String> {
    for entry in fs::read_dir(repository).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            _ if entry.file_name() == ".git" => {}
            kind if kind.is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
            _ => fs::remove_file(entry.path()).unwrap(),
        }
    }
    write_tree(repository, &case.old);
    git_does(repository, &["add", "-A"])?;
    fs::write(repository.join(".git/the.patch"), patch).unwrap();
    git_does(
        repository,
        &["apply", "--index", "--allow-empty", "--whitespace=nowarn", ".git/the.patch"],
    )?;
    let mut found = BTreeMap::new();
    read_tree(repository, "", &mut found);
    assert_same("with the index", &found, &owned_files(&case.new))?;
    git_does(repository, &["diff", "--quiet"]).map(drop)
}

#[test]
#[ignore = "needs git"]
fn whatever_the_trees_git_turns_one_into_the_other_and_back() {
    let repository = TempDir::new().unwrap();
    git_does(repository.path(), &["init", "-q"]).unwrap();
    let config =
        ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() };

    let outcome = TestRunner::new(config).run(&any_case(), |case| {
        let patch = patch_of(&case);
        let applied = apply_to_files(&case, &patch)
            .and_then(|()| apply_to_index(repository.path(), &case, &patch));
        applied.map_err(|why| {
            TestCaseError::fail(format!("{why}\n{}", String::from_utf8_lossy(&patch)))
        })
    });

    if let Err(TestError::Fail(why, _) | TestError::Abort(why)) = outcome {
        panic!("{why}");
    }
}

fn text_file(text: &str) -> File {
    File { mode: "100644", bytes: text.into() }
}

#[test]
#[ignore = "needs git"]
fn git_writes_the_same_patch() {
    let kept = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
    let old = Tree::from([
        ("-dash", text_file("gone")),
        ("plain.txt", text_file("a\nb\n")),
        ("tab\there", text_file("")),
        ("with space", text_file(kept)),
    ]);
    let new = Tree::from([
        ("moved/é\t", text_file(kept)),
        ("naïve/日本 語.txt", text_file("x\r\n")),
        ("plain.txt", text_file("a\nB")),
        ("tab\there", File { mode: "100755", bytes: vec![] }),
    ]);
    let renames = vec![("with space", "moved/é\t")];
    let repository = TempDir::new().unwrap();
    git_does(repository.path(), &["init", "-q"]).unwrap();
    write_tree(repository.path(), &old);
    git_does(repository.path(), &["add", "-A"]).unwrap();
    let before = git_does(repository.path(), &["write-tree"]).unwrap();
    let before = str::from_utf8(&before).unwrap().trim();
    old.keys().for_each(|path| fs::remove_file(repository.path().join(path)).unwrap());
    write_tree(repository.path(), &new);
    git_does(repository.path(), &["add", "-A"]).unwrap();

    let ours = patch_of(&Case { old, new, renames });

    let diff = ["diff", "--cached", "--binary", "--full-index", "--find-renames", before];
    let theirs = git_does(repository.path(), &diff).unwrap();
    assert_eq!(String::from_utf8(ours).unwrap(), String::from_utf8(theirs).unwrap());
}

#[test]
#[ignore = "needs git"]
fn git_moves_a_submodule_to_another_commit() {
    let repository = TempDir::new().unwrap();
    let (old, new) = ("1".repeat(40), "2".repeat(40));
    let entry = format!("160000,{old},lib");
    git_does(repository.path(), &["init", "-q"]).unwrap();
    git_does(repository.path(), &["update-index", "--add", "--cacheinfo", &entry]).unwrap();
    let side = |blob| Some(SideContent { mode: "160000", blob, bytes: b"" });
    let change = FileSides { path: "lib", from: None, old: side(&old), new: side(&new) };

    fs::write(repository.path().join("the.patch"), write_patch(&[change])).unwrap();
    git_does(repository.path(), &["apply", "--cached", "the.patch"]).unwrap();

    let index = git_does(repository.path(), &["ls-files", "--stage"]).unwrap();
    assert_eq!(String::from_utf8(index).unwrap(), format!("160000 {new} 0\tlib\n"));
}

#[test]
#[ignore = "needs git"]
fn two_files_that_change_names_with_each_other_do() {
    let case = Case {
        old: Tree::from([("-dash", text_file("a\n")), ("moved", text_file("b\n"))]),
        new: Tree::from([("-dash", text_file("b\n")), ("moved", text_file("a\n"))]),
        renames: vec![("-dash", "moved"), ("moved", "-dash")],
    };

    apply_to_files(&case, &patch_of(&case)).unwrap();
}
