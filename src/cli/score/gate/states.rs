//! The two states of code that a gate compares, each measured.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use trajview_analysis::{
    Scorer,
    scores::{ReuseRequest, ScoreRequest, Scores},
};
use trajview_metrics::quality::ScoredSnapshot;
use trajview_run::{RepoPath, closest_word::closest_word, files::RunMoment};
use trajview_store as store;
use trajview_store::{
    OpenedRecording,
    code_repository::{CodeRepository, is_top_of_repository},
    disk, plain_folder,
};

use super::super::{
    super::{CommandFailure, run_args, suggestions},
    document::skipped_files,
    print_progress,
};

/// What is compared with an earlier state of itself.
pub(super) enum GateTarget {
    Repository {
        path: PathBuf,
        repository: CodeRepository,
    },
    /// A folder outside a repository; the earlier state is another one.
    Folder(PathBuf),
    Run {
        path: PathBuf,
        opened: Box<OpenedRecording>,
    },
}

/// A state of the code, with its numbers.
pub(super) struct MeasuredState {
    /// The words for it: a revision, a moment, `working folder`.
    pub name: String,
    pub commit: Option<String>,
    /// In a run: the turns done.
    pub turn: Option<usize>,
    /// In a working folder: the files that differ from the commit.
    pub changed: Option<usize>,
    pub scored: ScoredSnapshot,
    paths: BTreeSet<String>,
}

impl MeasuredState {
    /// Returns the files that would count and are in no number, with the reason.
    pub(super) fn left_out(&self) -> impl Iterator<Item = (&str, &'static str)> {
        skipped_files(&self.scored)
    }

    pub(super) fn has_file(&self, path: &str) -> bool {
        self.paths.contains(path)
    }
}

impl GateTarget {
    /// Finds what a path names: the top of a repository, a recorded run, or a folder of code.
    pub(super) fn find(path: &Path, revision: &str) -> Result<Self, CommandFailure> {
        if is_top_of_repository(path) {
            return Self::of_folder(path, revision);
        }
        match store::open(path) {
            Ok(opened) => Ok(Self::Run { path: path.to_owned(), opened: Box::new(opened) }),
            Err(why) if !disk::is_dir(path) => Err(why.into()),
            Err(_) => Self::of_folder(path, revision),
        }
    }

    /// Takes a folder for code.
    pub(super) fn of_folder(path: &Path, revision: &str) -> Result<Self, CommandFailure> {
        if !disk::is_dir(path) {
            return Err(suggestions::missing_path(path));
        }
        let found = CodeRepository::find(path).map_err(CommandFailure::cannot_read)?;
        match found {
            Some(repository) => Ok(Self::Repository { path: path.to_owned(), repository }),
            None if disk::is_dir(Path::new(revision)) => Ok(Self::Folder(path.to_owned())),
            None => Err(CommandFailure::wrong_arguments(format!(
                "{} is neither a recorded run nor in a git repository, and {revision} is not a folder; --against needs a revision, a \
                 moment or another folder",
                path.display()
            ))),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Repository { path, .. } | Self::Folder(path) | Self::Run { path, .. } => path,
        }
    }

    /// Returns the word in JSON.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Repository { .. } => "repository",
            Self::Folder(_) => "folder",
            Self::Run { .. } => "run",
        }
    }

    /// Measures the state before and the state after.
    pub(super) fn measure_states(
        &self,
        before: &str,
        after: Option<&str>,
        scorer: &Scorer,
    ) -> Result<(MeasuredState, MeasuredState), CommandFailure> {
        match self {
            Self::Repository { repository, .. } => {
                // Both are found before one is measured.
                let before_id = find_commit(self.path(), repository, before)?;
                let head = repository.is_bare().then_some("HEAD");
                let after = match after.or(head) {
                    Some(revision) => {
                        let id = find_commit(self.path(), repository, revision)?;
                        measure_commit(repository, revision, id, scorer)
                    }
                    None => measure_working_files(repository, scorer),
                };
                let before = measure_commit(repository, before, before_id, scorer);
                before.and_then(|before| Ok((before, after?))).map_err(CommandFailure::cannot_read)
            }
            Self::Folder(path) => {
                if after.is_some() {
                    return Err(CommandFailure::wrong_arguments(
                        "--at is for a repository or a run",
                    ));
                }
                let measured = measure_folder(Path::new(before), scorer)
                    .and_then(|before| Ok((before, measure_folder(path, scorer)?)));
                measured.map_err(CommandFailure::cannot_read)
            }
            Self::Run { path, opened } => {
                let words = [before, after.unwrap_or("final")];
                measure_moments(opened, words, scorer).map_err(|why| with_tree_hint(path, why))
            }
        }
    }
}

/// Adds to a wrong moment of a folder how its code is compared.
fn with_tree_hint(path: &Path, why: CommandFailure) -> CommandFailure {
    if !disk::is_dir(path) || why.exit != super::Exit::WrongArguments {
        return why;
    }
    let path = path.display();
    let sentence =
        format!("{}; --tree {path} instead of {path} takes it for a folder of code", why.sentence);
    CommandFailure { sentence, ..why }
}

/// Returns the commit of a revision, or the failure with what was probably meant.
fn find_commit(
    path: &Path,
    repository: &CodeRepository,
    revision: &str,
) -> Result<String, CommandFailure> {
    if let Some(id) = repository.commit_of_revision(revision) {
        return Ok(id);
    }
    let mut sentence = format!("{}: the repository has no revision {revision}", path.display());
    let names = repository.reference_names();
    let of_remote = names
        .iter()
        .find(|name| name.split_once('/').is_some_and(|(_, branch)| branch == revision));
    let near = of_remote.map(String::as_str);
    let names = names.iter().map(String::as_str).chain(["HEAD"]);
    let near = near.or_else(|| closest_word(revision, names));
    if let Some(near) = near {
        sentence += &format!("; did you mean {near}?");
    } else if repository.is_shallow() {
        sentence +=
            "; it is a shallow clone: fetch more of the history, as `git fetch --unshallow` does";
    }
    Err(CommandFailure::wrong_arguments(sentence))
}

fn measure_commit(
    repository: &CodeRepository,
    revision: &str,
    id: String,
    scorer: &Scorer,
) -> Result<MeasuredState, String> {
    let tree = repository.files_of_commit(&id)?;
    Ok(MeasuredState {
        name: revision.to_owned(),
        commit: Some(id),
        turn: None,
        changed: None,
        scored: scorer.score_tree(&tree, repository)?,
        paths: tree.files.keys().map(RepoPath::to_string).collect(),
    })
}

fn measure_working_files(
    repository: &CodeRepository,
    scorer: &Scorer,
) -> Result<MeasuredState, String> {
    let profile = scorer.ruler().profile();
    let working = repository.working_files(&|path| profile.counts_file(path))?;
    Ok(MeasuredState {
        name: "working folder".into(),
        commit: working.head.clone(),
        turn: None,
        changed: Some(working.changed),
        scored: scorer.score_tree(&working.tree, &working)?,
        paths: working.tree.files.keys().map(RepoPath::to_string).collect(),
    })
}

fn measure_folder(folder: &Path, scorer: &Scorer) -> Result<MeasuredState, String> {
    let profile = scorer.ruler().profile();
    let paths = plain_folder::file_paths(folder, &|path| profile.counts_file(path))?;
    Ok(MeasuredState {
        name: folder.display().to_string(),
        commit: None,
        turn: None,
        changed: None,
        scored: scorer.score_folder(folder)?,
        paths: paths.iter().map(RepoPath::to_string).collect(),
    })
}

/// Returns the words for a moment: those of the command line, and what a number counts.
fn moment_name(words: &str, moment: RunMoment) -> String {
    match moment.step {
        Some(_) => format!("step {words}"),
        None if words.parse::<usize>().is_ok() => format!("turn {words}"),
        None => words.to_owned(),
    }
}

fn measure_moments(
    opened: &OpenedRecording,
    words: [&str; 2],
    scorer: &Scorer,
) -> Result<(MeasuredState, MeasuredState), CommandFailure> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let [before, after] = words.map(|words| run_args::parse_moment(run, words));
    let moments = [before?, after?];
    let reuse = ReuseRequest::Nowhere;
    let request = ScoreRequest { moments: &moments, with_detail: true, reuse, for_process: false };
    let scores = Scores::for_run(archive, run, &request, scorer, &print_progress);
    let code = scores.map_err(CommandFailure::cannot_read)?.code;
    let timeline = archive.timeline(run).map_err(CommandFailure::cannot_read)?;
    let state = |words: &str, moment: RunMoment, scored: ScoredSnapshot| {
        let mut paths = BTreeSet::new();
        timeline.visit_moments(run, &[moment], |_, tree, _| {
            paths.extend(tree.files.keys().map(RepoPath::to_string));
        });
        let turn = moment.ended_turn().and_then(|turn| run.turns.get(turn));
        MeasuredState {
            name: moment_name(words, moment),
            commit: turn.and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
            turn: Some(moment.turns + usize::from(moment.step.is_some())),
            changed: None,
            scored,
            paths,
        }
    };
    let mut states = words.into_iter().zip(moments).zip(code);
    let mut next = || states.next().map(|((words, moment), scored)| state(words, moment, scored));
    next().zip(next()).ok_or_else(|| {
        CommandFailure::cannot_read(format!("{}: the moments were not measured", run.id))
    })
}
