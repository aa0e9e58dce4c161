//! Makes a run bundle from any recording that trajview reads.
//!
//! The agent's logs are kept byte for byte below `session/`; the files over time become `workspace.git`, one commit a
//! turn. Where the recording shows no content at all there is no repository, and the bundle shows the files as the
//! log does. A bundle is kept as it is. The recording itself is only read.

use std::{collections::BTreeMap, fs, io, path::Path};

use git2::{
    Commit, Index, IndexEntry, IndexTime, Oid, Repository, RepositoryInitOptions, Signature,
};
use serde::Serialize;
use serde_json::{Map, Value};

use trajview_formats as formats;
use trajview_formats::RecordingShape;
use trajview_run::{
    Checkpoint, EditKind, RepoPath, Run, Time,
    files::{FileMode, FilesSource, SourceTree, Timeline, TreeFile},
    run_file::{self, RunFile, RunFileAgent, RunFileCheckpoint, RunFileTask, RunFileTurn},
};

use super::{
    Archive, OpenError, containers, disk, file_bytes, pack_writer,
    recording_files::{self, FoundFile, FoundRecording},
    remote::{self, FetchAmount},
    write::{FolderDraft, WriteError},
};

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSummary {
    pub turns: usize,
    /// The number of commits; 0 where the bundle has no repository.
    pub commits: usize,
    /// The number of files below `session/`.
    pub logs: usize,
    /// Sentences about what could not be taken over.
    pub warnings: Vec<String>,
}

/// The reason why an import failed; it leaves no files.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The author and committer of every commit: a neutral one, so that the same recording gives the same commits.
const AUTHOR: (&str, &str) = ("trajview import", "import@trajview.invalid");

/// The files that a bundle may have beside its logs and its repository, section by section of its description.
const BUNDLE_FILES: [&str; 12] = [
    "grade.json",
    "pb_result.json",
    "grader_output.json",
    "rubric.json",
    "script.json",
    "components.json",
    "exposure.json",
    "tests.jsonl",
    "checks.jsonl",
    "decisions.json",
    "memory.jsonl",
    "live.jsonl",
];

const BUNDLE_FOLDERS: [&str; 4] = ["session", "judgements", "crash-tests", "labels"];

/// The parts of a repository that are content; hooks and the like are left out.
const REPO_PARTS: [&str; 6] = ["HEAD", "config", "packed-refs", "refs", "objects", "shallow"];

/// The most files of a bundle that are copied; [`MOST_DEEP`] is the greatest depth of their folders.
const MOST_FILES: usize = 200_000;
const MOST_DEEP: usize = 16;

/// Makes a bundle at `out`, which must not exist or be an empty folder, from the recording at `source`.
pub fn import_bundle(source: &Path, out: &Path) -> Result<ImportSummary, ImportError> {
    let recording = recording_files::find_recording(source, file_bytes::FileAccess::InMemory)?;
    let opened = super::open(source)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    refuse_inside(&recording, out)?;
    if run.is_rubric_tree_alone() {
        let why =
            "is a graded rubric tree without turns, so it needs no bundle: `trajview FILE --view audit` labels its leaves"
                .into();
        return Err(OpenError::Understand { path: source.into(), why }.into());
    }
    if recording.format.trial_record_rank(disk::name_of(&recording.main)).is_some() {
        let why =
            "is the record of a trial without a log: a bundle keeps a session, and there is none. Read the record where it is: `trajview FILE` opens it with the texts beside it, `trajview show --json FILE` prints its result"
                .into();
        return Err(OpenError::Understand { path: source.into(), why }.into());
    }
    let draft = FolderDraft::for_target(out)?;
    let imported = if formats::shape_by_name(run.origin.format) == Some(RecordingShape::Bundle) {
        copy_bundle(&recording, run, archive, &draft)?
    } else {
        make_bundle(&recording, run, archive, &draft)?
    };
    draft.publish()?;
    Ok(imported)
}

/// Refuses to write a bundle into the recording, which would change it.
fn refuse_inside(recording: &FoundRecording, out: &Path) -> Result<(), WriteError> {
    let parent = out.ancestors().skip(1).find(|path| !path.as_os_str().is_empty() && path.exists());
    let parent = fs::canonicalize(parent.unwrap_or(Path::new(".")));
    let own = match (recording.format.capabilities().shape, recording.files.first()) {
        (RecordingShape::Snapshots, _) => recording.main.clone(),
        (RecordingShape::Bundle, _) | (_, None) => recording.folder.clone(),
        (_, Some(main)) => {
            let name = main
                .name
                .trim_end_matches(".zstd")
                .trim_end_matches(".zst")
                .trim_end_matches(".jsonl");
            recording.folder.join(name)
        }
    };
    match (parent, fs::canonicalize(folder_or_here(&own))) {
        (Ok(parent), Ok(own)) if own.is_dir() && parent.starts_with(&own) => {
            let why = "is inside the recording, which is only read; name a folder elsewhere";
            Err(WriteError::Taken { path: out.to_owned(), why: why.into() })
        }
        _ => Ok(()),
    }
}

fn folder_or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

fn copy_bundle(
    recording: &FoundRecording,
    run: &Run,
    archive: &Archive,
    draft: &FolderDraft,
) -> Result<ImportSummary, ImportError> {
    let mut members = vec![];
    for name in BUNDLE_FILES {
        collect_members(&recording.folder, name, 0, &mut members);
    }
    for folder in BUNDLE_FOLDERS {
        collect_members(&recording.folder, folder, 0, &mut members);
    }
    let mut warnings = vec![];
    if archive.repo.is_some() {
        for part in REPO_PARTS {
            collect_members(&recording.folder, &format!("workspace.git/{part}"), 0, &mut members);
        }
        for folder in ["objects", "refs"] {
            // A repository without them is none, even where they are empty.
            let path = draft.folder().join("workspace.git").join(folder);
            fs::create_dir_all(&path)
                .map_err(|why| WriteError::new(&path, file_bytes::error_reason(&why)))?;
        }
    } else if disk::symlink_metadata(&recording.folder.join("workspace.git")).is_ok() {
        warnings.push("workspace.git cannot be read and is left out".to_owned());
    }
    // Last: a folder without it is not taken for a bundle.
    collect_members(&recording.folder, "run.json", 0, &mut members);
    let mut logs = 0;
    for name in &members {
        match read_inside(&recording.folder, name) {
            Ok(content) => {
                draft.write_file(name, &content)?;
                logs += usize::from(name.as_str().starts_with("session/"));
            }
            Err(why) => warnings.push(format!("{name} is left out: {why}")),
        }
    }
    let commits = archive.repo.as_ref().map_or(0, |repo| {
        run.turns
            .iter()
            .filter_map(|turn| turn.commit.as_ref())
            .filter(|id| repo.has_commit(id))
            .count()
    });
    Ok(ImportSummary { turns: run.turns.len(), commits, logs, warnings })
}

/// Collects the regular files at or below a name; links are not followed.
fn collect_members(root: &Path, name: &str, depth: usize, members: &mut Vec<RepoPath>) {
    let path = root.join(name);
    let Ok(meta) = disk::symlink_metadata(&path) else { return };
    if meta.is_file() && members.len() < MOST_FILES {
        members.extend(RepoPath::new(name));
    } else if meta.is_dir() && depth < MOST_DEEP {
        let entries = disk::list_folder(&path);
        remote::fetch_soon(&entries, FetchAmount::All);
        for child in entries.iter().map(|path| disk::name_of(path)).filter(|it| !it.is_empty()) {
            collect_members(root, &format!("{name}/{child}"), depth + 1, members);
        }
    }
}

/// Reads a regular file byte for byte, packed or not; a link may not lead out of `folder`.
fn read_inside(folder: &Path, name: &RepoPath) -> Result<Vec<u8>, String> {
    let path = folder.join(name.as_str());
    let read = || -> io::Result<Option<Vec<u8>>> {
        let root = disk::canonical_path(folder_or_here(folder))?;
        let is_inside = disk::canonical_path(&path)?.starts_with(root);
        let is_file = disk::symlink_metadata(&path)?.is_file();
        if is_inside && is_file { disk::read_file(&path).map(Some) } else { Ok(None) }
    };
    match read() {
        Ok(Some(content)) => Ok(content),
        Ok(None) => Err("it leads out of the recording".into()),
        Err(why) => Err(file_bytes::error_reason(&why)),
    }
}

fn make_bundle(
    recording: &FoundRecording,
    run: &Run,
    archive: &Archive,
    draft: &FolderDraft,
) -> Result<ImportSummary, ImportError> {
    let mut warnings = vec![];
    let logs = copy_logs(recording, run, draft, &mut warnings)?;
    if run.checkpoints.iter().any(|checkpoint| checkpoint.recorded.is_some()) {
        warnings.push(
            "what the harness measured of each checkpoint is not taken over: a bundle has no place for it"
                .into(),
        );
    }
    let timeline = archive.timeline(run).map_err(WriteError::at_path(draft.folder()))?;
    let commits = if has_any_content(&timeline) {
        let path = draft.folder().join("workspace.git");
        let mut history = CommitHistory::new(run, archive, &timeline, &path);
        let commits =
            history.write_commits().map_err(|why| WriteError::new(&path, git_error_text(&why)))?;
        warnings.extend(history.left_out_sentences());
        commits
    } else {
        if timeline.turns.iter().any(|turn| !turn.changes.is_empty()) {
            warnings.push(
                "the recording has no content of any file; the bundle has no workspace.git".into(),
            );
        }
        vec![]
    };
    let main = main_log(recording);
    let lines = main.as_ref().map_or_else(Vec::new, |_| line_ranges(recording, run));
    let script = script_of(run, archive);
    let provenance = provenance_text(run, &timeline, &warnings, !commits.is_empty());
    let manifest = run_json(run, &commits, main.as_deref(), &lines, provenance);
    write_json(draft, "script.json", &script)?;
    // Last: a folder without it is not taken for a bundle.
    write_json(draft, "run.json", &manifest)?;
    Ok(ImportSummary { turns: run.turns.len(), commits: commits.len(), logs, warnings })
}

fn write_json(
    draft: &FolderDraft,
    name: &str,
    document: &impl Serialize,
) -> Result<(), WriteError> {
    let text = serde_json::to_string_pretty(document);
    let text = text.map_err(WriteError::at_path(Path::new(name)))?;
    let name = RepoPath::new(name).ok_or_else(|| WriteError::new(Path::new(name), "not a name"))?;
    draft.write_file(&name, format!("{text}\n").as_bytes())
}

fn copy_logs(
    recording: &FoundRecording,
    run: &Run,
    draft: &FolderDraft,
    warnings: &mut Vec<String>,
) -> Result<usize, ImportError> {
    let mut logs = 0;
    for (at, file) in recording.files.iter().enumerate() {
        if is_harness_file(recording, run, at) {
            continue;
        }
        // What was inside another file is what was unpacked; what lies above the log was found by the log's format.
        let is_read_already = is_member(recording, file)
            || file.name.contains(".tar.gz/")
            || file.name.starts_with(ABOVE);
        let name = RepoPath::new(&name_in_bundle(recording, file));
        let content = match &name {
            Some(_) if is_read_already => Ok(file.bytes.to_vec()),
            Some(name) => read_inside(&recording.folder, name),
            None => Err("not a name inside the recording".into()),
        };
        match (content, name.and_then(|name| RepoPath::new(&format!("session/{name}")))) {
            (Ok(content), Some(name)) => {
                draft.write_file(&name, &content)?;
                logs += 1;
            }
            (Err(why), _) if at == 0 && !is_link(recording) => {
                let path = recording.folder.join(&file.name);
                return Err(OpenError::Read { path, why }.into());
            }
            // The main log was named by the user, who may name a link.
            (Err(_), Some(name)) if at == 0 => {
                let path = recording.folder.join(&file.name);
                let content = fs::read(&path)
                    .map_err(|why| OpenError::Read { path, why: file_bytes::error_reason(&why) })?;
                draft.write_file(&name, &content)?;
                logs += 1;
            }
            (Err(why), _) => warnings.push(format!("{} is left out: {why}", file.name)),
            (Ok(_), None) => warnings.push(format!("{} is left out: not a name", file.name)),
        }
    }
    Ok(logs)
}

/// Returns whether a file belongs to a benchmark harness, and is no log of the agent.
fn is_harness_file(recording: &FoundRecording, run: &Run, file: usize) -> bool {
    let format = run.origin.sources.get(file).map(|source| source.format);
    recording.format.capabilities().shape == RecordingShape::Snapshots
        && format == Some(recording.format.name())
}

fn is_link(recording: &FoundRecording) -> bool {
    let path = recording.files.first().map(|main| recording.folder.join(&main.name));
    path.is_some_and(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()))
}

/// Returns the log of one turn, where each has its own.
fn turn_session<'a>(run: &'a Run, turn: &trajview_run::Turn) -> Option<&'a str> {
    let step = turn
        .steps
        .first()
        .filter(|_| formats::shape_by_name(run.origin.format) == Some(RecordingShape::Snapshots))?;
    let source = run.origin.sources.get(step.place.source.0 as usize)?;
    (source.format != run.origin.format).then_some(source.name.as_str())
}

/// Returns the main log as `run.json` names it: below `session/`. None where every turn has its own.
fn main_log(recording: &FoundRecording) -> Option<String> {
    let main = recording
        .files
        .first()
        .filter(|_| recording.format.capabilities().shape != RecordingShape::Snapshots);
    main.map(|main| name_in_bundle(recording, main))
}

/// Returns whether a file was inside a container file.
fn is_member(recording: &FoundRecording, file: &FoundFile) -> bool {
    containers::place_inside(&recording.folder.join(&file.name)).is_some()
}

/// The folder above that of the log.
const ABOVE: &str = "../";

/// Returns the name of a file in the bundle. A member of a container is written as it was read, under a name that shows
/// its type; a file from a folder above the log is put beside it.
fn name_in_bundle(recording: &FoundRecording, file: &FoundFile) -> String {
    let has_end = trajview_formats::could_be_log(Path::new(&file.name));
    if is_member(recording, file) && !has_end {
        return format!("{}.json", file.name);
    }
    file.name.trim_start_matches(ABOVE).to_owned()
}

/// Returns the first and last line of each turn in the main log; empty where the turns do not follow one another in it.
fn line_ranges(recording: &FoundRecording, run: &Run) -> Vec<(u32, u32)> {
    let is_main = |source: u32| source == 0;
    let start = |turn: &trajview_run::Turn| {
        let request = turn.request.filter(|place| is_main(place.source.0));
        let first = turn.steps.iter().find(|step| is_main(step.place.source.0));
        request.map(|place| place.line).or(first.map(|step| step.place.line))
    };
    let Some(starts) = run.turns.iter().map(start).collect::<Option<Vec<u32>>>() else {
        return vec![];
    };
    if !starts.windows(2).all(|pair| pair[0] < pair[1]) {
        return vec![];
    }
    let whole = recording.files.first().map(|main| main.bytes.read_all().0).unwrap_or_default();
    let bytes = &*whole;
    let has_tail = bytes.last().is_some_and(|last| *last != b'\n');
    let count = memchr::memchr_iter(b'\n', bytes).count() + usize::from(has_tail);
    let last = u32::try_from(count).unwrap_or(u32::MAX);
    let firsts = std::iter::once(1).chain(starts.iter().copied().skip(1));
    let lasts = starts.iter().skip(1).map(|next| next - 1).chain([last]);
    firsts.zip(lasts).collect()
}

#[derive(Serialize)]
struct ScriptJson<'a> {
    schema: &'static str,
    task: Option<&'a str>,
    condition: Option<&'a str>,
    requests: Vec<ScriptRequest<'a>>,
}

#[derive(Serialize)]
struct ScriptRequest<'a> {
    turn: usize,
    text: String,
    checkpoint: Option<&'a str>,
}

fn script_of<'a>(run: &'a Run, archive: &Archive) -> ScriptJson<'a> {
    let request = |(at, turn): (usize, &'a trajview_run::Turn)| {
        turn.request.map(|_| ScriptRequest {
            turn: at + 1,
            text: archive.request_text(run, at),
            checkpoint: turn
                .checkpoint
                .and_then(|checkpoint| run.checkpoints.get(checkpoint))
                .map(|checkpoint| checkpoint.id.as_str()),
        })
    };
    ScriptJson {
        schema: "trajview.script/1",
        task: run.task.as_ref().map(|task| task.id.as_str()),
        condition: run.condition.as_deref(),
        requests: run.turns.iter().enumerate().filter_map(request).collect(),
    }
}

fn run_json(
    run: &Run,
    commits: &[Oid],
    main: Option<&str>,
    lines: &[(u32, u32)],
    provenance: String,
) -> RunFile {
    let time = |time: Option<Time>| time.map(|time| time.to_string());
    let turn = |(at, turn): (usize, &trajview_run::Turn)| RunFileTurn {
        turn: at + 1,
        commit: commits.get(at).map(ToString::to_string),
        started_at: time(turn.started_at),
        ended_at: time(turn.ended_at),
        session: turn_session(run, turn).or(main).map(str::to_owned),
        first_line: lines.get(at).map(|(first, _)| *first),
        last_line: lines.get(at).map(|(_, last)| *last),
        layer: turn.layer.as_deref().map(Value::from),
        ..RunFileTurn::default()
    };
    let checkpoint = |checkpoint: &Checkpoint| RunFileCheckpoint {
        id: Some(checkpoint.id.clone()),
        turn: checkpoint.last_turn + 1,
        label: checkpoint.label.clone(),
    };
    let name = Some(run.agent.name.clone()).filter(|name| !name.is_empty());
    RunFile {
        schema: run_file::SCHEMA.into(),
        id: Some(run.id.clone()),
        title: Some(run.title.clone()),
        task: run.task.as_ref().map(|task| RunFileTask {
            id: Some(task.id.clone()),
            title: task.title.clone(),
            venue: task.venue.clone(),
        }),
        condition: run.condition.clone(),
        platform: name.clone(),
        agent: Some(RunFileAgent { name, version: run.agent.version.clone() }),
        model: run.model.clone(),
        provenance: Some(provenance),
        started_at: time(run.started_at),
        ended_at: time(run.ended_at),
        state: None,
        start: None,
        trial: run.trial.as_ref().and_then(|trial| serde_json::to_value(trial).ok()),
        languages: Value::Array(vec![]),
        checkpoints: run.checkpoints.iter().map(checkpoint).collect(),
        turns: run.turns.iter().enumerate().map(turn).collect(),
        rest: Map::new(),
    }
}

/// Returns one sentence on how the bundle was made.
fn provenance_text(
    run: &Run,
    timeline: &Timeline,
    warnings: &[String],
    has_commits: bool,
) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut parts =
        vec![format!("imported by trajview {version} from a {} log", run.origin.format)];
    parts.extend(has_commits.then(|| match timeline.from {
        FilesSource::Commits => "files taken from its commits".to_owned(),
        from => format!("files rebuilt from {}", from.display_text()),
    }));
    parts.extend(warnings.iter().cloned());
    parts.extend(run.origin.provenance.as_ref().map(|before| format!("before that: {before}")));
    parts.join("; ")
}

/// Returns whether any version of any file is in the recording.
fn has_any_content(timeline: &Timeline) -> bool {
    let base = timeline.base.files.values().copied();
    let later = timeline
        .turns
        .iter()
        .flat_map(|turn| &turn.changes)
        .filter_map(|change| change.file_after());
    base.chain(later).any(|file| file.blob_id().is_some())
}

/// The files over time, while they are written into a repository.
struct CommitHistory<'a> {
    run: &'a Run,
    archive: &'a Archive,
    timeline: &'a Timeline,
    path: &'a Path,
    /// The files that could not be committed, and why.
    left_out: BTreeMap<RepoPath, String>,
}

/// Returns the files of which some version is not in the recording, with the reason. They are in no commit: in some
/// commits only, they would look deleted.
fn not_recorded(timeline: &Timeline) -> BTreeMap<RepoPath, String> {
    let base = timeline.base.files.iter().filter(|(_, file)| file.blob_id().is_none());
    let changes = timeline.turns.iter().flat_map(|turn| &turn.changes);
    let unclear = changes.filter(|change| {
        change.kind != EditKind::Delete
            && change.file_after().is_none_or(|file| file.blob_id().is_none())
    });
    let paths = base.map(|(path, _)| path).chain(unclear.map(|change| &change.path));
    paths
        .map(|path| (path.clone(), "not all of its content is in the recording".to_owned()))
        .collect()
}

impl<'a> CommitHistory<'a> {
    fn new(run: &'a Run, archive: &'a Archive, timeline: &'a Timeline, path: &'a Path) -> Self {
        Self { run, archive, timeline, path, left_out: not_recorded(timeline) }
    }

    /// Writes one commit a turn, after one for the files from before the run where there are any.
    fn write_commits(&mut self) -> Result<Vec<Oid>, git2::Error> {
        let mut options = RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false).initial_head("main");
        super::repo::prepare_libgit2();
        let repo = Repository::init_opts(self.path, &options)?;
        remove_templates(self.path);
        let odb = repo.odb()?;
        let memory = odb.add_new_mempack_backend(1000)?;
        let mut index = Index::new()?;
        let mut tree = SourceTree::default();
        let mut seconds = self.run.started_at.map_or(0, |start| start.0.div_euclid(1000));
        let mut commits: Vec<Oid> = vec![];
        let mut parent = None;
        if !self.timeline.base.files.is_empty() {
            let paths: Vec<RepoPath> = self.timeline.base.files.keys().cloned().collect();
            tree = self.timeline.base.clone();
            self.stage_paths(&repo, &mut index, &tree, &paths)?;
            parent = Some(commit_index(&repo, &mut index, None, seconds, "before the run")?);
        }
        for (at, turn) in self.run.turns.iter().enumerate() {
            let changes = self.timeline.turns.get(at).map_or(&[][..], |turn| &turn.changes);
            tree.apply_changes(changes);
            let paths: Vec<RepoPath> = changes
                .iter()
                .flat_map(|change| change.from.iter().chain([&change.path]))
                .cloned()
                .collect();
            self.stage_paths(&repo, &mut index, &tree, &paths)?;
            if let Some(time) = turn.ended_at.or(turn.started_at) {
                seconds = time.0.div_euclid(1000);
            }
            let title: String = turn.title.chars().filter(|c| !c.is_control()).collect();
            let message = match title.as_str() {
                "" => format!("turn {}", at + 1),
                title => format!("turn {}: {title}", at + 1),
            };
            let id = commit_index(&repo, &mut index, parent, seconds, &message)?;
            commits.push(id);
            parent = Some(id);
        }
        let Some(last) = parent else { return Ok(commits) };
        // Objects were kept in memory so far; one pack on disk is smaller and is written at once.
        pack_writer::write_whole(&repo, last, &self.path.join("objects/pack"))?;
        memory.reset()?;
        repo.reference("refs/heads/main", last, true, "trajview import")?;
        Ok(commits)
    }

    /// Makes the index have these paths as the tree has them.
    fn stage_paths(
        &mut self,
        repo: &Repository,
        index: &mut Index,
        tree: &SourceTree,
        paths: &[RepoPath],
    ) -> Result<(), git2::Error> {
        for path in paths {
            if self.left_out.contains_key(path) {
                continue;
            }
            let name = Path::new(path.as_str());
            if index.get_path(name, 0).is_some() {
                index.remove(name, 0)?;
            }
            let Some(file) = tree.files.get(path) else { continue };
            let added = self.blob_of(repo, *file).and_then(|id| {
                index.add(&index_entry(path, file.mode, id)).map_err(|why| git_error_text(&why))
            });
            if let Err(why) = added {
                self.left_out.insert(path.clone(), why);
            }
        }
        Ok(())
    }

    fn blob_of(&self, repo: &Repository, file: TreeFile) -> Result<Oid, String> {
        let id = file.blob_id().ok_or("its content is not in the recording")?;
        if file.mode == FileMode::Submodule {
            return Oid::from_bytes(&id.0).map_err(|why| git_error_text(&why));
        }
        let content = self.archive.file_content(self.run, file)?;
        repo.blob(&content).map_err(|why| git_error_text(&why))
    }

    /// Returns a sentence a reason: which files are missing from the commits.
    fn left_out_sentences(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, why) in &self.left_out {
            by_reason.entry(why).or_default().push(path.as_str());
        }
        let sentence = |(why, paths): (&str, Vec<&str>)| {
            const NAMED: usize = 3;
            let mut named = paths.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            if paths.len() > NAMED {
                named += &format!(" and {} more", paths.len() - NAMED);
            }
            format!("not in the commits: {named} ({why})")
        };
        by_reason.into_iter().map(sentence).collect()
    }
}

fn index_entry(path: &RepoPath, mode: FileMode, id: Oid) -> IndexEntry {
    let mode = match mode {
        FileMode::Regular => 0o100644,
        FileMode::Executable => 0o100755,
        FileMode::Link => 0o120000,
        FileMode::Submodule => 0o160000,
    };
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_str().into(),
    }
}

fn commit_index(
    repo: &Repository,
    index: &mut Index,
    parent: Option<Oid>,
    seconds: i64,
    message: &str,
) -> Result<Oid, git2::Error> {
    let tree = repo.find_tree(index.write_tree_to(repo)?)?;
    let who = Signature::new(AUTHOR.0, AUTHOR.1, &git2::Time::new(seconds, 0))?;
    let parent = parent.map(|parent| repo.find_commit(parent)).transpose()?;
    let parents: Vec<&Commit<'_>> = parent.iter().collect();
    repo.commit(None, &who, &who, message, &tree, &parents)
}

/// Removes the files that git adds to a new repository for its user; they are no part of a recording.
fn remove_templates(path: &Path) {
    for folder in ["hooks", "info"] {
        let _ = fs::remove_dir_all(path.join(folder));
    }
    let _ = fs::remove_file(path.join("description"));
}

fn git_error_text(why: &git2::Error) -> String {
    why.message().trim_end_matches('.').to_owned()
}
