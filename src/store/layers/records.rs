//! What layers of project state said and knew over a run, read from `layers/<name>/` of its bundle.
//!
//! The repositories are somebody else's words: they are read by [`Repo`], within its bounds and those of this file.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use crate::{
    layers::{
        check,
        record::{Entry, Record},
        stack::Said,
    },
    run::{
        RepoPath, Run,
        files::{BlobId, Blobs, Timeline},
    },
    store::{Archive, disk, repo::Repo, repo::history::Told},
};

/// Layers of one run that are read.
const MOST_LAYERS: usize = 32;

/// Files of one state that are read.
const MOST_FILES: usize = 50_000;

/// Bytes of all states of one layer that are kept; each content once.
const MOST_BYTES: usize = 64 << 20;

/// What a layer said before the turn, in the folder of its commit.
pub const BRIEF: &str = "brief.json";

/// The same as the agent read it.
pub const BRIEF_TEXT: &str = "brief.md";

impl Archive {
    /// The layers of the run, by the names of their folders; empty where none is recorded.
    pub fn layers(&self, run: &Run) -> Vec<Record> {
        let Some(bundle) = self.bundle() else { return vec![] };
        let folders = disk::listed(&bundle.join("layers")).into_iter().filter(|it| it.is_dir());
        let timeline = self.timeline(run).ok();
        let read = |folder: std::path::PathBuf| {
            let mut record = read(&folder);
            if let Some(timeline) = &timeline {
                self.with_blobs(run, |blobs| hold_against(&mut record, timeline, blobs)).ok();
            }
            record
        };
        folders.take(MOST_LAYERS).map(read).collect()
    }
}

/// One layer. What cannot be read is a warning in the record.
pub fn read(folder: &Path) -> Record {
    let name = disk::name_of(folder).to_owned();
    let repo = match Repo::open(folder) {
        Ok(repo) => repo,
        Err(why) => {
            return Record { layer: name, warnings: vec![why], ..Record::default() };
        }
    };
    let mut commits = repo.commits();
    commits.reverse();
    let mut reader = Reader { repo: &repo, texts: HashMap::new(), bytes: 0, warnings: vec![] };
    let mut turns: Vec<Entry> = commits.iter().filter_map(|it| reader.entry(it)).collect();
    // A turn that was done again has its last commit.
    turns.reverse();
    let mut seen = BTreeSet::new();
    turns.retain(|entry| seen.insert(entry.turn));
    turns.sort_by_key(|entry| entry.turn);
    let said = turns.iter().find_map(|entry| entry.said.as_ref());
    let layer = said.map(|said| said.layer.clone()).filter(|it| !it.is_empty()).unwrap_or(name);
    Record { layer, turns, warnings: reader.warnings }
}

struct Reader<'r> {
    repo: &'r Repo,
    texts: HashMap<BlobId, Arc<str>>,
    bytes: usize,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// None for a commit that is of no turn.
    fn entry(&mut self, told: &Told) -> Option<Entry> {
        let turn = told.message.trim().strip_prefix("turn ")?;
        let turn: usize = turn.split_whitespace().next()?.parse().ok().filter(|turn| *turn > 0)?;
        let mut state = BTreeMap::new();
        let mut folders = vec![(told.tree, String::new())];
        while let Some((tree, above)) = folders.pop() {
            for (name, id, is_folder) in self.repo.names_in(tree) {
                let path = if above.is_empty() { name } else { format!("{above}/{name}") };
                let Some(path) = RepoPath::new(&path).map(|path| path.as_str().to_owned()) else {
                    continue;
                };
                if is_folder {
                    folders.push((id, path));
                } else if state.len() < MOST_FILES
                    && let Some(text) = self.text(id)
                {
                    state.insert(path, text);
                }
            }
        }
        state.remove(BRIEF_TEXT);
        let said = state.remove(BRIEF).and_then(|text| match serde_json::from_str::<Said>(&text) {
            Ok(said) => Some(said),
            Err(why) => {
                self.warnings.push(format!("turn {turn}: {BRIEF}: {why}"));
                None
            }
        });
        Some(Entry { turn, said, state, ..Entry::default() })
    }

    fn text(&mut self, id: BlobId) -> Option<Arc<str>> {
        if let Some(known) = self.texts.get(&id) {
            return Some(known.clone());
        }
        let bytes = self.repo.blob(id).ok()?;
        self.bytes += bytes.len();
        if self.bytes > MOST_BYTES {
            let what = format!("more than {} MiB of state; the rest is left out", MOST_BYTES >> 20);
            if !self.warnings.contains(&what) {
                self.warnings.push(what);
            }
            return None;
        }
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        self.texts.insert(id, text.clone());
        Some(text)
    }
}

/// Holds what was said against the files: which of those forecast were changed, and what was not so.
fn hold_against(record: &mut Record, timeline: &Timeline, blobs: &(dyn Blobs + Sync)) {
    for entry in &mut record.turns {
        let Some(files) = timeline.turns.get(entry.turn - 1) else { continue };
        entry.touched = (!files.is_untold)
            .then(|| files.changes.iter().map(|change| change.path.as_str().to_owned()).collect());
        let Some(said) = &entry.said else { continue };
        let tree = timeline.tree_after(entry.turn - 1);
        let text = |path: &str| {
            let file = tree.files.get(&RepoPath::new(path)?)?;
            let bytes = blobs.blob(file.blob()?).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let sentences = said.brief.sentences.iter().enumerate();
        entry.contradicted =
            sentences.filter_map(|(at, it)| Some((at, check::contradiction(it, &text)?))).collect();
    }
}
