//! The record of a layer in a bundle: `layers/<name>/` is a bare git repository with one commit a turn, called `turn
//! N`. Its tree has the files of the layer's state after the turn, its brief before the turn (`brief.json`, `brief.md`)
//! and its briefs during the turn (`given.jsonl`); each of these is left out where there is none.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use git2::Oid;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use trajview_layers::{
    HelperCost, LayerSpec, LayerState,
    stack::{DeliveredBrief, LayerBrief},
};
use trajview_run::{
    RepoPath, Time,
    files::{BlobId, Blobs},
};

use super::super::{
    bare_repo::{BRANCH_REF, BareRepo, CommitNote, FOLDER_MODE, NewObjects},
    disk,
    objects::{ObjectKind, parse_id},
    repo::Repo,
    write::WriteError,
};

/// The version of `brief.json`.
pub const SCHEMA: &str = "trajview.brief/1";

/// Files of a commit that are no state.
const BRIEF: &str = "brief.json";
const BRIEF_TEXT: &str = "brief.md";
const GIVEN: &str = "given.jsonl";

/// The most commits of one layer that are read.
const MOST_COMMITS: usize = 20_000;

/// The most layers of one bundle that are read.
const MOST_LAYERS: usize = 64;

/// The most files of state that a commit may have.
const MOST_FILES: usize = 100_000;

/// One turn of a layer, as it is written.
#[derive(Debug, Clone, Copy)]
pub struct LayerEntry<'a> {
    pub spec: &'a LayerSpec,
    /// Counts from 1.
    pub turn: usize,
    /// The project's commit before the turn; None where there was none.
    pub commit: Option<&'a str>,
    /// The state after the turn.
    pub state: &'a LayerState,
    /// The brief before the turn; None where there was none.
    pub layer_brief: Option<&'a LayerBrief>,
    /// The briefs during the turn.
    pub deliveries: &'a [DeliveredBrief],
    /// The cost of taking in the turn.
    pub after: HelperCost,
    pub at: Time,
}

/// `brief.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct BriefJson {
    schema: String,
    turn: usize,
    commit: Option<String>,
    /// The cost of taking in the turn.
    after: HelperCost,
    #[serde(flatten)]
    layer_brief: LayerBrief,
}

/// The record of one layer, open to be read.
#[derive(Debug)]
pub struct LayerHistory {
    /// The name of the layer with its parts, as the user wrote it.
    pub name: String,
    /// The turns, in order.
    pub turns: Vec<LayerTurn>,
    repo: Repo,
}

/// The state and the briefs of a layer in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerTurn {
    /// Counts from 1.
    pub turn: usize,
    /// The project's commit before the turn; None where there was none, or it is not recorded.
    pub commit: Option<String>,
    /// The brief; None where there was none, or it cannot be read.
    pub layer_brief: Option<LayerBrief>,
    pub deliveries: Vec<DeliveredBrief>,
    /// The cost of taking in the turn; None where it is not recorded.
    pub after: Option<HelperCost>,
    /// The files of its state after the turn.
    pub state: BTreeMap<String, BlobId>,
}

/// Returns the folder of a layer's record in a bundle.
pub(crate) fn layer_folder(bundle: &Path, spec: &LayerSpec) -> PathBuf {
    bundle.join("layers").join(spec.folder_name())
}

/// Adds a turn. Later turns that are recorded already, and this one, are no longer on the branch. A file of the state
/// whose path leaves its folder is an error.
pub fn append_turn(bundle: &Path, entry: &LayerEntry<'_>) -> Result<(), WriteError> {
    let path = layer_folder(bundle, entry.spec);
    let bare = match path.join("HEAD").is_file() {
        true => BareRepo::open(&path)?,
        false => BareRepo::create(&path)?,
    };
    bare.remove_locks();
    let files = entry_files(entry).map_err(|why| WriteError::new(&path, why))?;
    let odb = bare.repo.odb().map_err(|why| bare.write_error(&why))?;
    let mut objects = bare.new_objects(&odb);
    let mut written = || -> Result<Oid, git2::Error> {
        let tree = write_folder(&mut objects, &files)?;
        let trailers = [
            ("Layer", entry.spec.to_string()),
            ("Project", entry.commit.unwrap_or_default().to_owned()),
        ];
        let title = format!("turn {}", entry.turn);
        let note = CommitNote { title: &title, trailers: &trailers, at: entry.at };
        objects.add_commit(tree, commit_before(&bare, entry.turn)?, &note)
    };
    let commit = written().map_err(|why| bare.write_error(&why))?;
    bare.finish_commit(objects, commit)
}

/// Puts the record of a layer into one pack. Nothing is recorded afterwards.
pub fn pack_layer(bundle: &Path, spec: &LayerSpec) -> Result<(), WriteError> {
    let path = layer_folder(bundle, spec);
    if path.join("HEAD").is_file() { BareRepo::open(&path)?.pack_all() } else { Ok(()) }
}

/// Returns the last commit of a turn before this one.
fn commit_before(bare: &BareRepo, turn: usize) -> Result<Option<Oid>, git2::Error> {
    let Ok(mut id) = bare.repo.refname_to_id(BRANCH_REF) else { return Ok(None) };
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

/// Returns all files of a commit, by path.
fn entry_files(entry: &LayerEntry<'_>) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for (path, text) in entry.state {
        let is_plain = RepoPath::new(path).is_some_and(|it| it.as_str() == path);
        if !is_plain || path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(format!("{path} is not a file of a layer's state"));
        }
        files.insert(path.clone(), text.clone().into_bytes());
    }
    let no_json = |why: serde_json::Error| why.to_string();
    if let Some(layer_brief) = entry.layer_brief {
        let document = BriefJson {
            schema: SCHEMA.into(),
            turn: entry.turn,
            commit: entry.commit.map(str::to_owned),
            after: entry.after,
            layer_brief: layer_brief.clone(),
        };
        let mut json = serde_json::to_vec_pretty(&document).map_err(no_json)?;
        json.push(b'\n');
        files.insert(BRIEF.into(), json);
        files.insert(BRIEF_TEXT.into(), format!("{}\n", layer_brief.brief.text()).into_bytes());
    }
    if !entry.deliveries.is_empty() {
        let lines: Result<Vec<String>, _> =
            entry.deliveries.iter().map(serde_json::to_string).collect();
        files
            .insert(GIVEN.into(), format!("{}\n", lines.map_err(no_json)?.join("\n")).into_bytes());
    }
    Ok(files)
}

/// Writes the tree of the files whose paths are those below it.
fn write_folder(
    objects: &mut NewObjects<'_>,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Oid, git2::Error> {
    let mut below: BTreeMap<&str, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    let mut rows = vec![];
    for (path, content) in files {
        match path.split_once('/') {
            None => {
                let id = objects.add_object(ObjectKind::Blob, content)?;
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
        rows.push((name.as_bytes().to_vec(), write_folder(objects, &files)?, FOLDER_MODE));
    }
    objects.add_tree(rows)
}

/// Returns the turn of a commit's message.
fn turn_of(message: &str) -> Option<usize> {
    message.lines().next()?.strip_prefix("turn ")?.trim().parse().ok()
}

/// Returns the value of a trailer of a commit message.
fn trailer_value<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let of_line = |line: &'m str| line.strip_prefix(name)?.strip_prefix(':').map(str::trim);
    message.lines().rev().find_map(of_line).filter(|value| !value.is_empty())
}

/// Returns the records of a bundle's layers, by the names of their folders. What cannot be read is left out.
pub fn read_layers(bundle: &Path) -> Vec<LayerHistory> {
    let folders = disk::list_folder(&bundle.join("layers")).into_iter().take(MOST_LAYERS);
    folders.filter_map(|path| LayerHistory::open(&path)).collect()
}

/// Returns the state of a layer after a turn, or after the last one before it that is recorded; None where none is.
pub fn state_at(bundle: &Path, spec: &LayerSpec, turn: usize) -> Option<(usize, LayerState)> {
    let history = LayerHistory::open(&layer_folder(bundle, spec))?;
    let turn_layers = history.turns.iter().rev().find(|it| it.turn <= turn)?;
    Some((turn_layers.turn, history.state_of_turn(turn_layers)))
}

impl LayerHistory {
    fn open(path: &Path) -> Option<Self> {
        let repo = Repo::open(path).ok()?;
        let mut history = Self { name: String::new(), turns: vec![], repo };
        let mut next = history.repo.reference_id(BRANCH_REF);
        while let Some(id) = next.filter(|_| history.turns.len() < MOST_COMMITS) {
            let Some(commit) = history.repo.read_commit(id) else { break };
            if history.name.is_empty() {
                history.name =
                    trailer_value(&commit.message, "Layer").unwrap_or_default().to_owned();
            }
            if let Some(turn) = turn_of(&commit.message) {
                history.turns.push(history.read_turn(turn, id, &commit.message));
            }
            next = commit.parents.first().copied();
        }
        history.turns.reverse();
        if history.name.is_empty() {
            history.name = disk::name_of(path).to_owned();
        }
        Some(history)
    }

    fn read_turn(&self, turn: usize, id: BlobId, message: &str) -> LayerTurn {
        let mut layer_turn = LayerTurn {
            turn,
            commit: trailer_value(message, "Project")
                .filter(|it| parse_id(it.as_bytes()).is_some())
                .map(str::to_owned),
            ..LayerTurn::default()
        };
        let Ok(tree) = self.repo.tree_of_commit(&id.to_string()) else { return layer_turn };
        for (path, file) in tree.files.into_iter().take(MOST_FILES) {
            let Some(blob) = file.blob_id() else { continue };
            match path.as_str() {
                BRIEF => {
                    let document = self.read_json::<BriefJson>(blob);
                    layer_turn.after = document.as_ref().map(|it| it.after);
                    layer_turn.layer_brief = document.map(|it| it.layer_brief);
                }
                BRIEF_TEXT => {}
                GIVEN => {
                    let text = self.blob_text(blob).unwrap_or_default();
                    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
                    layer_turn.deliveries = lines.collect();
                }
                path => {
                    layer_turn.state.insert(path.to_owned(), blob);
                }
            }
        }
        layer_turn
    }

    fn read_json<T: DeserializeOwned>(&self, id: BlobId) -> Option<T> {
        serde_json::from_str(&self.blob_text(id)?).ok()
    }

    /// Returns a file of a state; None where it cannot be read. What is not UTF-8 in it is replaced.
    pub fn blob_text(&self, id: BlobId) -> Option<String> {
        Some(String::from_utf8_lossy(&self.repo.read_blob(id).ok()?).into_owned())
    }

    /// Returns the texts of a state; what cannot be read is left out.
    pub fn state_of_turn(&self, turn: &LayerTurn) -> LayerState {
        let file = |(path, id): (&String, &BlobId)| Some((path.clone(), self.blob_text(*id)?));
        turn.state.iter().filter_map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use trajview_layers::{Brief, BriefSentence, SentenceOrigin, stack::Delivery};

    use super::*;

    fn test_state(files: &[(&str, &str)]) -> LayerState {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn test_spec() -> LayerSpec {
        "projectguard:structural".parse().unwrap()
    }

    fn append_test_turn(
        bundle: &Path,
        turn: usize,
        state: &LayerState,
        layer_brief: Option<&LayerBrief>,
        deliveries: &[DeliveredBrief],
    ) {
        let spec = test_spec();
        let commit = "0123456789012345678901234567890123456789";
        append_turn(
            bundle,
            &LayerEntry {
                spec: &spec,
                turn,
                commit: (turn > 1).then_some(commit),
                state,
                layer_brief,
                deliveries,
                after: HelperCost { calls: 1, ..HelperCost::default() },
                at: Time(1_000 * turn as i64),
            },
        )
        .unwrap();
    }

    #[test]
    fn a_layer_is_read_as_it_was_written_turn_by_turn() {
        let bundle = tempfile::tempdir().unwrap();
        let brief = LayerBrief {
            layer: test_spec().to_string(),
            brief: Brief {
                sentences: vec![BriefSentence::new(
                    "a has f",
                    [SentenceOrigin::Record("records/a.md".into())],
                )],
                restarts: Some("it is full".into()),
                ..Brief::default()
            },
            spent: HelperCost { calls: 2, cost_usd: Some(0.5), ..HelperCost::default() },
        };
        let delivered = DeliveredBrief {
            delivery: Delivery::Call,
            asked: "Edit".into(),
            ..DeliveredBrief::default()
        };
        let (one, two) = (
            test_state(&[("records/a.md", "old"), ("skeleton.txt", "s")]),
            test_state(&[("records/a.md", "new"), ("records/b/c.md", "c")]),
        );
        append_test_turn(bundle.path(), 1, &one, None, &[]);
        append_test_turn(bundle.path(), 2, &two, Some(&brief), std::slice::from_ref(&delivered));

        let histories = read_layers(bundle.path());
        let [history] = histories.as_slice() else { panic!("{histories:?}") };

        assert_eq!(history.name, "projectguard:structural");
        assert_eq!(
            (history.turns[0].layer_brief.clone(), history.turns[0].commit.clone()),
            (None, None)
        );
        assert_eq!(history.turns[1].layer_brief.as_ref(), Some(&brief));
        assert_eq!(history.turns[1].deliveries, [delivered]);
        assert_eq!(history.turns[1].after.map(|it| it.calls), Some(1));
        assert!(history.turns[1].commit.is_some());
        assert_eq!(history.state_of_turn(&history.turns[1]), two);
        assert_eq!(state_at(bundle.path(), &test_spec(), 1), Some((1, one)));
    }

    #[test]
    fn a_turn_that_is_done_again_takes_the_place_of_those_from_it_on() {
        let bundle = tempfile::tempdir().unwrap();
        for turn in 1..=3 {
            append_test_turn(
                bundle.path(),
                turn,
                &test_state(&[("a", &turn.to_string())]),
                None,
                &[],
            );
        }

        append_test_turn(bundle.path(), 2, &test_state(&[("a", "again")]), None, &[]);
        pack_layer(bundle.path(), &test_spec()).unwrap();

        let history = &read_layers(bundle.path())[0];
        assert_eq!(history.turns.iter().map(|it| it.turn).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(
            state_at(bundle.path(), &test_spec(), usize::MAX),
            Some((2, test_state(&[("a", "again")])))
        );
    }

    #[test]
    fn a_state_that_leaves_its_folder_is_refused() {
        let bundle = tempfile::tempdir().unwrap();
        for path in ["../a", "/a", "a/../b", ".git/config", "a//b", ""] {
            let (spec, state) = (test_spec(), test_state(&[(path, "x")]));
            let entry = LayerEntry {
                spec: &spec,
                turn: 1,
                commit: None,
                state: &state,
                layer_brief: None,
                deliveries: &[],
                after: HelperCost::default(),
                at: Time(0),
            };
            assert!(append_turn(bundle.path(), &entry).is_err(), "{path}");
        }
        assert_eq!(state_at(bundle.path(), &test_spec(), usize::MAX), None);
    }

    #[test]
    fn whatever_lies_among_the_layers_is_no_trouble() {
        let bundle = tempfile::tempdir().unwrap();
        let layers = bundle.path().join("layers");
        std::fs::create_dir_all(layers.join("empty")).unwrap();
        std::fs::write(layers.join("file"), "x").unwrap();

        assert!(read_layers(bundle.path()).iter().all(|it| it.turns.is_empty()));
        assert_eq!(read_layers(&bundle.path().join("none")).len(), 0);
    }
}
