//! Repositories in which tools keep the sessions that led to their commits: Entire's branch of checkpoints, git-ai's
//! notes. Each session is a run, linked to its commits.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use trajview_formats::{
    entire::{self, CheckpointMetadata},
    git_ai_notes::{self, NotedCommit, NotedSessions},
};
use trajview_run::files::{BlobId, Blobs};

use super::members::{JoinedCommits, MemberNames, Members};
use crate::{
    file_bytes,
    repo::{
        Repo,
        commit_log::{CommitInfo, children_first},
    },
};

/// The most checkpoints, and notes, that are listed.
const MOST_SESSIONS: usize = 50_000;

/// The most folders that checkpoints are fanned out over: one for each two hex digits.
const MOST_FANNED: usize = 256;

pub struct CommitSessions {
    repository: PathBuf,
    repo: Repo,
    names: MemberNames,
    stored: Vec<StoredSession>,
    /// The commits that name a checkpoint.
    checkpoints: OnceLock<HashMap<String, String>>,
}

enum StoredSession {
    /// The checkpoints of one session in the order in which they were made.
    Entire(Vec<EntireCheckpoint>),
    /// The document that `formats::git_ai` reads.
    GitAi(String),
}

struct EntireCheckpoint {
    id: String,
    created_at: String,
    log: BlobId,
}

impl CommitSessions {
    pub fn open(repository: &Path) -> Option<Self> {
        let repo = Repo::open(repository).ok()?;
        let (mut names, mut stored) = (MemberNames::default(), vec![]);
        for (session, checkpoints) in entire_sessions(&repo) {
            names.add_row(Some(&format!("entire-{session}.jsonl")));
            stored.push(StoredSession::Entire(checkpoints));
        }
        for (session, document) in git_ai_sessions(&repo).0 {
            names.add_row(Some(&format!("git-ai-{session}.json")));
            stored.push(StoredSession::GitAi(document.to_string()));
        }
        let repository = repository.to_owned();
        (!stored.is_empty()).then(|| Self {
            repository,
            repo,
            names,
            stored,
            checkpoints: OnceLock::new(),
        })
    }

    fn checkpoint_commit(&self, checkpoint: &str) -> Option<&str> {
        let all = self.checkpoints.get_or_init(|| {
            let commits = self.repo.branch_commits().into_iter();
            let named = commits.flat_map(|commit| {
                let ids: Vec<String> =
                    entire::checkpoints_in(&commit.message).map(str::to_owned).collect();
                ids.into_iter().map(move |id| (id, commit.id.to_string()))
            });
            named.collect()
        });
        all.get(checkpoint).map(String::as_str)
    }
}

impl Members for CommitSessions {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn joined_commits(&self, at: usize) -> Option<JoinedCommits> {
        let commits = match self.stored.get(at)? {
            StoredSession::GitAi(_) => vec![],
            StoredSession::Entire(checkpoints) => {
                let joined = checkpoints.iter().filter_map(|checkpoint| {
                    let commit = self.checkpoint_commit(&checkpoint.id)?;
                    let log = self.repo.read_blob(checkpoint.log).ok()?;
                    Some((log.len() as u64, commit.to_owned()))
                });
                joined.collect()
            }
        };
        Some(JoinedCommits { repository: self.repository.clone(), commits })
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        match self.stored.get(at) {
            Some(StoredSession::GitAi(text)) => Ok(file_bytes::read_within(text.as_bytes(), most)),
            Some(StoredSession::Entire(checkpoints)) => {
                let last = checkpoints.last().ok_or(io::ErrorKind::NotFound)?;
                let log = self.repo.read_blob(last.log).map_err(io::Error::other)?;
                Ok(file_bytes::read_within(&log[..], most))
            }
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Returns the sessions of Entire's branch, whose folders [`entire`] describes.
fn entire_sessions(repo: &Repo) -> BTreeMap<String, Vec<EntireCheckpoint>> {
    let mut sessions: BTreeMap<String, Vec<EntireCheckpoint>> = BTreeMap::new();
    let tip = entire::REFERENCES.iter().find_map(|name| repo.read_commit(repo.reference_id(name)?));
    let Some(tip) = tip else { return sessions };
    let folders_in = |tree| repo.names_in(tree).into_iter().filter(|(.., is_folder)| *is_folder);
    let mut count = 0;
    for (first, below, _) in folders_in(tip.tree).take(MOST_FANNED) {
        for (rest, folder, _) in folders_in(below) {
            // The same folder may be in many places: the number of places is limited.
            if count > MOST_SESSIONS {
                return sessions;
            }
            let id = format!("{first}{rest}");
            let numbered = folders_in(folder).map(|(_, id, _)| id);
            for part in [folder].into_iter().chain(numbered) {
                count += 1;
                if let Some((session, checkpoint)) = read_checkpoint(repo, &id, part) {
                    sessions.entry(session).or_default().push(checkpoint);
                }
            }
        }
    }
    for checkpoints in sessions.values_mut() {
        checkpoints.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    }
    sessions
}

fn read_checkpoint(repo: &Repo, id: &str, folder: BlobId) -> Option<(String, EntireCheckpoint)> {
    let files = repo.names_in(folder);
    let named = |name: &str| files.iter().find(|file| file.0 == name).map(|file| file.1);
    let log = named(entire::LOG)?;
    let metadata = named(entire::METADATA).and_then(|id| repo.read_blob(id).ok());
    let CheckpointMetadata { session_id, created_at } =
        metadata.map(|text| CheckpointMetadata::parse(&text)).unwrap_or_default();
    let session = session_id.unwrap_or_else(|| id.to_owned());
    Some((session, EntireCheckpoint { id: id.to_owned(), created_at, log }))
}

/// Returns the sessions of git-ai's notes, each as one document: its commits in their order, with the messages before
/// each.
fn git_ai_sessions(repo: &Repo) -> NotedSessions {
    let mut sessions = NotedSessions::default();
    let tip =
        git_ai_notes::REFERENCES.iter().find_map(|name| repo.read_commit(repo.reference_id(name)?));
    let Some(tip) = tip else { return sessions };
    let mut notes: HashMap<String, BlobId> = HashMap::new();
    let (mut folders, mut looked) = (vec![(String::new(), tip.tree)], 0);
    while let Some((above, tree)) = folders.pop().filter(|_| looked < MOST_SESSIONS) {
        looked += 1;
        for (name, id, is_folder) in repo.names_in(tree) {
            let name = format!("{above}{name}");
            match (is_folder, name.len()) {
                (true, ..=40) if folders.len() < MOST_SESSIONS => folders.push((name, id)),
                (false, 40) if notes.len() < MOST_SESSIONS => drop(notes.insert(name, id)),
                _ => {}
            }
        }
    }
    let mut commits: Vec<CommitInfo> = notes
        .keys()
        .filter_map(|id| repo.read_commit(crate::objects::parse_id(id.as_bytes())?))
        .collect();
    commits = children_first(commits);
    for commit in commits.iter().rev() {
        let note = notes.get(&commit.id.to_string()).and_then(|id| repo.read_blob(*id).ok());
        let Some(note) = note else { continue };
        let noted = NotedCommit {
            id: commit.id.to_string(),
            time: commit.time.map(|time| time.to_string()),
            message: &commit.message,
        };
        sessions.add_note(&noted, &String::from_utf8_lossy(&note));
    }
    sessions
}
