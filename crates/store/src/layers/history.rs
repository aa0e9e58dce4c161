//! What layers knew and said in a run, as a bundle keeps it: `layers/<name>/` is a bare git repository with one commit a
//! turn, called `turn N`. Its tree has the files of the layer's state after the turn, and what the layer said before it
//! (`brief.json`, `brief.md`) and while it was under way (`given.jsonl`); each of these is left out where it said nothing.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use git2::Oid;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use trajview_layers::{
    Spec, Spent, State,
    stack::{Given, Said},
};
use trajview_run::{
    RepoPath, Time,
    files::{BlobId, Blobs},
};

use super::super::{
    bare::{Bare, FOLDER, Note, Objects, REFERENCE},
    disk,
    objects::{Kind, id_of},
    repo::Repo,
    write::WriteError,
};

/// The version of `brief.json`.
pub const SCHEMA: &str = "trajview.brief/1";

/// Files of a commit that are no state.
const BRIEF: &str = "brief.json";
const BRIEF_TEXT: &str = "brief.md";
const GIVEN: &str = "given.jsonl";

/// Commits of one layer that are read.
const MOST_COMMITS: usize = 20_000;

/// Layers of one bundle that are read.
const MOST_LAYERS: usize = 64;

/// Files of state that a commit may have.
const MOST_FILES: usize = 100_000;

/// One turn of a layer, as it is written.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    pub spec: &'a Spec,
    /// Counts from 1.
    pub turn: usize,
    /// The project's commit before the turn; None where there was none.
    pub commit: Option<&'a str>,
    /// After the turn.
    pub state: &'a State,
    /// Before the turn; None where it said nothing.
    pub said: Option<&'a Said>,
    /// While the turn was under way.
    pub given: &'a [Given],
    /// What taking in the turn cost.
    pub after: Spent,
    pub at: Time,
}

/// `brief.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Document {
    schema: String,
    turn: usize,
    commit: Option<String>,
    /// What taking in the turn cost.
    after: Spent,
    #[serde(flatten)]
    said: Said,
}

/// The record of one layer, open to be read.
#[derive(Debug)]
pub struct LayerHistory {
    /// With its parts, as it was asked for.
    pub name: String,
    /// By turn.
    pub turns: Vec<LayerTurn>,
    repo: Repo,
}

/// What a layer knew and said in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerTurn {
    /// Counts from 1.
    pub turn: usize,
    /// The project's commit before the turn; None where there was none, or it is not told.
    pub commit: Option<String>,
    /// None where it said nothing, or where what it said cannot be read.
    pub said: Option<Said>,
    pub given: Vec<Given>,
    /// What taking in the turn cost; None where it is not told.
    pub after: Option<Spent>,
    /// The files of its state after the turn.
    pub state: BTreeMap<String, BlobId>,
}

/// What a file of a layer's state said from a turn on; None where it is gone.
pub type Version = (usize, Option<String>);

/// Where the record of a layer is in a bundle.
pub fn folder(bundle: &Path, spec: &Spec) -> PathBuf {
    bundle.join("layers").join(spec.folder())
}

/// Adds a turn. Later turns that are recorded already, and this one, are no longer on the branch. A file of the state whose
/// path leaves its folder is an error.
pub fn append(bundle: &Path, entry: &Entry<'_>) -> Result<(), WriteError> {
    let path = folder(bundle, entry.spec);
    let bare = match path.join("HEAD").is_file() {
        true => Bare::open(&path)?,
        false => Bare::create(&path)?,
    };
    bare.unlock();
    let files = files_of(entry).map_err(|why| WriteError::new(&path, why))?;
    let odb = bare.repo.odb().map_err(|why| bare.failed(&why))?;
    let mut objects = bare.objects(&odb);
    let mut written = || -> Result<Oid, git2::Error> {
        let tree = folder_of(&mut objects, &files)?;
        let trailers = [
            ("Layer", entry.spec.to_string()),
            ("Project", entry.commit.unwrap_or_default().to_owned()),
        ];
        let title = format!("turn {}", entry.turn);
        let note = Note { title: &title, trailers: &trailers, at: entry.at };
        objects.commit(tree, before(&bare, entry.turn)?, &note)
    };
    let commit = written().map_err(|why| bare.failed(&why))?;
    bare.finish(objects, commit)
}

/// Puts the record of a layer into one pack. Nothing is recorded afterwards.
pub fn pack(bundle: &Path, spec: &Spec) -> Result<(), WriteError> {
    let path = folder(bundle, spec);
    if path.join("HEAD").is_file() { Bare::open(&path)?.pack() } else { Ok(()) }
}

/// The last commit of a turn before this one.
fn before(bare: &Bare, turn: usize) -> Result<Option<Oid>, git2::Error> {
    let Ok(mut id) = bare.repo.refname_to_id(REFERENCE) else { return Ok(None) };
    loop {
        let commit = bare.repo.find_commit(id)?;
        if turn_of(commit.message().unwrap_or_default()).is_some_and(|it| it < turn) {
            return Ok(Some(id));
        }
        match commit.parent_id(0) {
            Ok(parent) => id = parent,
            Err(_) => return Ok(None),
        }
    }
}

/// All files of a commit, by path.
fn files_of(entry: &Entry<'_>) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for (path, text) in entry.state {
        let is_plain = RepoPath::new(path).is_some_and(|it| it.as_str() == path);
        if !is_plain || path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(format!("{path} is no path of a file of a layer's state"));
        }
        files.insert(path.clone(), text.clone().into_bytes());
    }
    let no_json = |why: serde_json::Error| why.to_string();
    if let Some(said) = entry.said {
        let document = Document {
            schema: SCHEMA.into(),
            turn: entry.turn,
            commit: entry.commit.map(str::to_owned),
            after: entry.after,
            said: said.clone(),
        };
        let mut json = serde_json::to_vec_pretty(&document).map_err(no_json)?;
        json.push(b'\n');
        files.insert(BRIEF.into(), json);
        files.insert(BRIEF_TEXT.into(), format!("{}\n", said.brief.text()).into_bytes());
    }
    if !entry.given.is_empty() {
        let lines: Result<Vec<String>, _> = entry.given.iter().map(serde_json::to_string).collect();
        files
            .insert(GIVEN.into(), format!("{}\n", lines.map_err(no_json)?.join("\n")).into_bytes());
    }
    Ok(files)
}

/// The tree of files whose paths are those below it.
fn folder_of(
    objects: &mut Objects<'_>,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Oid, git2::Error> {
    let mut below: BTreeMap<&str, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    let mut rows = vec![];
    for (path, content) in files {
        match path.split_once('/') {
            None => {
                let id = objects.put(Kind::Blob, content)?;
                rows.push((path.as_bytes().to_vec(), id, 0o100644));
            }
            Some((folder, rest)) => {
                below.entry(folder).or_default().insert(rest.to_owned(), content.clone());
            }
        }
    }
    for (name, files) in below {
        if rows.iter().any(|row| row.0 == name.as_bytes()) {
            return Err(git2::Error::from_str(&format!("{name} is a file and a folder")));
        }
        rows.push((name.as_bytes().to_vec(), folder_of(objects, &files)?, FOLDER));
    }
    objects.tree(rows)
}

/// The turn of a commit's message.
fn turn_of(message: &str) -> Option<usize> {
    message.lines().next()?.strip_prefix("turn ")?.trim().parse().ok()
}

/// What follows a word of a commit's message.
fn trailer<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let of_line = |line: &'m str| line.strip_prefix(name)?.strip_prefix(':').map(str::trim);
    message.lines().rev().find_map(of_line).filter(|value| !value.is_empty())
}

/// The records of a bundle's layers, by the names of their folders. What cannot be read is left out.
pub fn read(bundle: &Path) -> Vec<LayerHistory> {
    let folders = disk::listed(&bundle.join("layers")).into_iter().take(MOST_LAYERS);
    folders.filter_map(|path| LayerHistory::open(&path)).collect()
}

/// The state of a layer after a turn, or after the last one before it that is recorded; None where none is.
pub fn state_at(bundle: &Path, spec: &Spec, turn: usize) -> Option<(usize, State)> {
    let history = LayerHistory::open(&folder(bundle, spec))?;
    let found = history.turns.iter().rev().find(|it| it.turn <= turn)?;
    Some((found.turn, history.state(found)))
}

/// The last turn of a layer that is recorded, with its state.
pub fn last(bundle: &Path, spec: &Spec) -> Option<(usize, State)> {
    state_at(bundle, spec, usize::MAX)
}

impl LayerHistory {
    fn open(path: &Path) -> Option<Self> {
        let repo = Repo::open(path).ok()?;
        let mut history = Self { name: String::new(), turns: vec![], repo };
        let mut next = history.repo.reference(REFERENCE);
        while let Some(id) = next.filter(|_| history.turns.len() < MOST_COMMITS) {
            let Some(told) = history.repo.told(id) else { break };
            if history.name.is_empty() {
                history.name = trailer(&told.message, "Layer").unwrap_or_default().to_owned();
            }
            if let Some(turn) = turn_of(&told.message) {
                history.turns.push(history.turn(turn, id, &told.message));
            }
            next = told.parents.first().copied();
        }
        history.turns.reverse();
        if history.name.is_empty() {
            history.name = disk::name_of(path).to_owned();
        }
        Some(history)
    }

    fn turn(&self, turn: usize, id: BlobId, message: &str) -> LayerTurn {
        let mut found = LayerTurn {
            turn,
            commit: trailer(message, "Project")
                .filter(|it| id_of(it.as_bytes()).is_some())
                .map(str::to_owned),
            ..LayerTurn::default()
        };
        let Ok(tree) = self.repo.tree(&id.to_string()) else { return found };
        for (path, file) in tree.files.into_iter().take(MOST_FILES) {
            let Some(blob) = file.blob() else { continue };
            match path.as_str() {
                BRIEF => {
                    let document = self.json::<Document>(blob);
                    found.after = document.as_ref().map(|it| it.after);
                    found.said = document.map(|it| it.said);
                }
                BRIEF_TEXT => {}
                GIVEN => {
                    let text = self.text(blob).unwrap_or_default();
                    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
                    found.given = lines.collect();
                }
                path => {
                    found.state.insert(path.to_owned(), blob);
                }
            }
        }
        found
    }

    fn json<T: DeserializeOwned>(&self, id: BlobId) -> Option<T> {
        serde_json::from_str(&self.text(id)?).ok()
    }

    /// A file of a state; None where it cannot be read. What is not UTF-8 in it is replaced.
    pub fn text(&self, id: BlobId) -> Option<String> {
        Some(String::from_utf8_lossy(&self.repo.blob(id).ok()?).into_owned())
    }

    /// The texts of a state; what cannot be read is left out.
    pub fn state(&self, turn: &LayerTurn) -> State {
        let file = |(path, id): (&String, &BlobId)| Some((path.clone(), self.text(*id)?));
        turn.state.iter().filter_map(file).collect()
    }

    /// What a file of the state said, from turn to turn: a row for each turn that changed it.
    pub fn record_history(&self, path: &str) -> Vec<Version> {
        let mut versions: Vec<(usize, Option<BlobId>)> = vec![];
        for turn in &self.turns {
            let now = turn.state.get(path).copied();
            if versions.last().map_or(now.is_some(), |(_, last)| *last != now) {
                versions.push((turn.turn, now));
            }
        }
        let text = |(turn, id): (usize, Option<BlobId>)| (turn, id.and_then(|id| self.text(id)));
        versions.into_iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use trajview_layers::{Brief, Origin, Sentence, stack::Delivery};

    use super::*;

    fn state(files: &[(&str, &str)]) -> State {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn spec() -> Spec {
        "projectguard:structural".parse().unwrap()
    }

    fn add(bundle: &Path, turn: usize, state: &State, said: Option<&Said>, given: &[Given]) {
        let spec = spec();
        let commit = "0123456789012345678901234567890123456789";
        append(
            bundle,
            &Entry {
                spec: &spec,
                turn,
                commit: (turn > 1).then_some(commit),
                state,
                said,
                given,
                after: Spent { calls: 1, ..Spent::default() },
                at: Time(1_000 * turn as i64),
            },
        )
        .unwrap();
    }

    #[test]
    fn a_layer_is_read_as_it_was_written_turn_by_turn() {
        let bundle = tempfile::tempdir().unwrap();
        let said = Said {
            layer: spec().to_string(),
            brief: Brief {
                sentences: vec![Sentence::new("a has f", [Origin::Record("records/a.md".into())])],
                restarts: Some("it is full".into()),
                ..Brief::default()
            },
            spent: Spent { calls: 2, cost_usd: Some(0.5), ..Spent::default() },
        };
        let given = Given { delivery: Delivery::Call, asked: "Edit".into(), ..Given::default() };
        let (one, two) = (
            state(&[("records/a.md", "old"), ("skeleton.txt", "s")]),
            state(&[("records/a.md", "new"), ("records/b/c.md", "c")]),
        );
        add(bundle.path(), 1, &one, None, &[]);
        add(bundle.path(), 2, &two, Some(&said), std::slice::from_ref(&given));

        let found = read(bundle.path());
        let [history] = found.as_slice() else { panic!("{found:?}") };

        assert_eq!(history.name, "projectguard:structural");
        assert_eq!((history.turns[0].said.clone(), history.turns[0].commit.clone()), (None, None));
        assert_eq!(history.turns[1].said.as_ref(), Some(&said));
        assert_eq!(history.turns[1].given, [given]);
        assert_eq!(history.turns[1].after.map(|it| it.calls), Some(1));
        assert!(history.turns[1].commit.is_some());
        assert_eq!(history.state(&history.turns[1]), two);
        assert_eq!(state_at(bundle.path(), &spec(), 1), Some((1, one)));
        let texts = history.record_history("records/a.md");
        assert_eq!(texts, [(1, Some("old".into())), (2, Some("new".into()))]);
        let gone = history.record_history("skeleton.txt");
        assert_eq!(gone, [(1, Some("s".into())), (2, None)]);
    }

    #[test]
    fn a_turn_that_is_done_again_takes_the_place_of_those_from_it_on() {
        let bundle = tempfile::tempdir().unwrap();
        for turn in 1..=3 {
            add(bundle.path(), turn, &state(&[("a", &turn.to_string())]), None, &[]);
        }

        add(bundle.path(), 2, &state(&[("a", "again")]), None, &[]);
        pack(bundle.path(), &spec()).unwrap();

        let history = &read(bundle.path())[0];
        assert_eq!(history.turns.iter().map(|it| it.turn).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(last(bundle.path(), &spec()), Some((2, state(&[("a", "again")]))));
    }

    #[test]
    fn a_state_that_leaves_its_folder_is_refused() {
        let bundle = tempfile::tempdir().unwrap();
        for path in ["../a", "/a", "a/../b", ".git/config", "a//b", ""] {
            let (spec, state) = (spec(), state(&[(path, "x")]));
            let entry = Entry {
                spec: &spec,
                turn: 1,
                commit: None,
                state: &state,
                said: None,
                given: &[],
                after: Spent::default(),
                at: Time(0),
            };
            assert!(append(bundle.path(), &entry).is_err(), "{path}");
        }
        assert_eq!(last(bundle.path(), &spec()), None);
    }

    #[test]
    fn whatever_lies_among_the_layers_is_no_trouble() {
        let bundle = tempfile::tempdir().unwrap();
        let layers = bundle.path().join("layers");
        std::fs::create_dir_all(layers.join("empty")).unwrap();
        std::fs::write(layers.join("file"), "x").unwrap();

        assert!(read(bundle.path()).iter().all(|it| it.turns.is_empty()));
        assert_eq!(read(&bundle.path().join("none")).len(), 0);
    }
}
