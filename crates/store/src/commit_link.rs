//! Links runs with the commits that contain the work of an agent, where these are in a repository beside the log: the
//! log names them, a store of sessions does, or the log was committed itself. The files after such a turn are those of
//! its commit.

use std::path::{Path, PathBuf};

use trajview_formats::HEAD_BYTES;
use trajview_run::{Run, Warning};

use super::{containers, entries, recording_files::FoundRecording, repo::Repo};

/// Opens the repository that has the commits of a run, and gives each turn the id of its commit.
pub(crate) fn link_commits(run: &mut Run, recording: &FoundRecording) -> Option<Repo> {
    if let Some(joined) =
        containers::place_inside(&recording.main).and_then(|place| place.joined_commits())
    {
        let repo = Repo::open(&joined.repository).ok()?;
        attach_commits(run, &joined.commits);
        return Some(repo);
    }
    let paths = recording.format.repository_paths();
    if paths.is_empty() {
        return None;
    }
    let places: Vec<PathBuf> =
        paths.iter().flat_map(|below| matching_folders(&recording.folder, below)).collect();
    let is_named = run.turns.iter().any(|turn| turn.commit.is_some());
    if !is_named {
        return places.iter().find_map(|place| {
            let repo = Repo::open(place).ok()?;
            let commits = commits_of_log(&repo, place, recording)?;
            attach_commits(run, &commits);
            Some(repo)
        });
    }
    for place in &places {
        let Ok(repo) = Repo::open(place) else { continue };
        if resolve_ids(run, &repo) {
            return Some(repo);
        }
    }
    run.origin.start_commit = None;
    run.turns.iter_mut().for_each(|turn| turn.commit = None);
    let place = recording.files.first().map(|file| file.name.clone()).unwrap_or_default();
    let what =
        "names commits that no repository beside it has; the files are those of the recorded edits";
    run.warnings.push(Warning { place, what: what.to_owned() });
    None
}

/// Returns the folders that a relative path names, in which a `*` is any one.
fn matching_folders(from: &Path, below: &str) -> Vec<PathBuf> {
    let folders = match below.split_once("/*") {
        Some((around, rest)) => {
            let each = entries::entries_of(&from.join(around)).into_iter();
            each.map(|folder| folder.join(rest.trim_start_matches('/'))).collect()
        }
        None => vec![from.join(below)],
    };
    folders.into_iter().filter(|folder| entries::is_folder(folder)).collect()
}

/// Writes out the ids that a log abbreviates; false where the repository has none of them.
fn resolve_ids(run: &mut Run, repo: &Repo) -> bool {
    let full_ids: Vec<Option<Box<str>>> =
        run.turns.iter().map(|turn| Some(repo.full_id(turn.commit.as_deref()?)?.into())).collect();
    if full_ids.iter().flatten().all(|id| !repo.has_commit(id)) {
        return false;
    }
    for (turn, full_ids) in run.turns.iter_mut().zip(full_ids) {
        turn.commit = full_ids;
    }
    let start = run.origin.start_commit.take();
    run.origin.start_commit = start.and_then(|start| repo.full_id(&start));
    true
}

/// Returns the commits that changed a log which lies in a worktree itself, with how many bytes of it each had; None
/// where none did.
fn commits_of_log(
    repo: &Repo,
    place: &Path,
    recording: &FoundRecording,
) -> Option<Vec<(u64, String)>> {
    let worktree = place.parent()?.canonicalize().ok()?;
    let main = recording.main.canonicalize().ok()?;
    let path = main.strip_prefix(&worktree).ok()?.to_str()?.replace('\\', "/");
    let mut commits = vec![];
    let mut last = None;
    for told in repo.branch_commits().into_iter().rev() {
        let Some((id, false)) = repo.entry_below(told.tree, &path) else { continue };
        if last.replace(id) == Some(id) {
            continue;
        }
        let Ok(text) = trajview_run::files::Blobs::read_blob(repo, id) else { continue };
        let head = trajview_formats::FileHead {
            name: entries::name_of(&main),
            bytes: &text[..text.len().min(HEAD_BYTES)],
            is_whole: text.len() <= HEAD_BYTES,
        };
        let made = recording.format.preparation_for(&head).and_then(|prepare| prepare(&text));
        let len = made.map_or(text.len(), |made| made.len());
        commits.push((len as u64, told.id.to_string()));
    }
    (!commits.is_empty()).then_some(commits)
}

/// Gives each commit to the last turn that had begun when it was made.
fn attach_commits(run: &mut Run, commits: &[(u64, String)]) {
    for (bytes, commit) in commits {
        let has_begun = |turn: &trajview_run::Turn| {
            turn.request.is_some_and(|place| place.source.0 == 0 && place.start < *bytes)
        };
        if let Some(turn) = run.turns.iter().rposition(has_begun) {
            run.turns[turn].commit = Some(commit.as_str().into());
        }
    }
}
