//! Finds the files of one recording from a path.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use trajview_formats as formats;
use trajview_formats::{FileHead, Format, RecordingShape, could_be_log};

use super::{
    containers, disk,
    entries::{
        collect_files, companion_folder_of, entries_of, is_bundle, is_folder, is_log_file,
        is_plain_file, name_of,
    },
    error::OpenError,
    file_bytes::{self, FileAccess, FileBytes, ReadAllowance},
    path_bytes,
    remote::{self, FetchAmount},
    siblings::{self, Siblings},
    slopcodebench, terminal_recordings,
    walk::{is_work_folder, may_contain_runs, runs_below},
};

/// The files of one recording, and who reads them.
pub struct FoundRecording {
    pub format: &'static dyn Format,
    /// The main file first, then its companions in the order of their names.
    pub files: Vec<FoundFile>,
    /// The folder of the main file; the bundle itself.
    pub folder: PathBuf,
    /// The path of the main file.
    pub main: PathBuf,
}

pub struct FoundFile {
    /// The path relative to [`FoundRecording::folder`], `/` between parts.
    pub name: String,
    pub bytes: FileBytes,
    /// The reason why the file could not be read to its end.
    pub problem: Option<String>,
}

/// The most companion files of a run.
const MOST_COMPANIONS: usize = 4_000;

/// Finds the recording that a path names: a bundle, a log, or a folder with one of them.
pub(crate) fn find_recording(path: &Path, access: FileAccess) -> Result<FoundRecording, OpenError> {
    find_among(path, access, &Siblings::default())
}

/// Works as [`find_recording`], with a cache of the logs beside it.
pub(crate) fn find_among(
    path: &Path,
    access: FileAccess,
    siblings: &Siblings,
) -> Result<FoundRecording, OpenError> {
    if !may_contain_runs(path) {
        return find_file(path, access, siblings);
    }
    if is_bundle(path) {
        return find_file(&path.join("run.json"), access, siblings);
    }
    if slopcodebench::is_problem(path) {
        return slopcodebench::find_problem_files(path, access);
    }
    if is_work_folder(path) {
        let why =
            "the workspace of a live run, not its recording; name the bundle that the run writes";
        return Err(OpenError::Understand { path: path.into(), why: why.into() });
    }
    let runs = runs_below(path);
    match runs.as_slice() {
        [] => Err(OpenError::Understand {
            path: path.into(),
            why: "no recording below this folder; `trajview list formats` lists what can be read"
                .into(),
        }),
        [run] => find_among(run, access, siblings),
        [first, .., last] => Err(OpenError::Understand {
            path: path.into(),
            why: format!(
                "{} recordings {}; name one, from {} to {}",
                runs.len(),
                if disk::is_dir(path) { "below this folder" } else { "in this file" },
                first.display(),
                last.display()
            ),
        }),
    }
}

fn find_file(
    path: &Path,
    access: FileAccess,
    siblings: &Siblings,
) -> Result<FoundRecording, OpenError> {
    let mut allowance = ReadAllowance::default();
    let read = path_bytes::read_path(path, access, &mut allowance);
    let (bytes, problem) = read.map_err(|why| read_error(path, &why))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let name = name_of(path).to_owned();
    let main = FoundFile { name, bytes, problem };
    let format = containers::format_of_seen_log(path);
    let Some(format) = format.or_else(|| formats::format_for_head(&head_of(&main))) else {
        let why = main.problem.clone().unwrap_or_else(|| unclaimed_reason(&main));
        return Err(OpenError::Understand { path: path.into(), why });
    };
    let main = prepare_file(main, format);
    let files = if format.capabilities().shape == RecordingShape::Bundle {
        let mut files = vec![main];
        let bundle_parts = bundle_files(&folder, access, &mut allowance).into_iter();
        files.extend(bundle_parts.map(|file| match formats::format_for_head(&head_of(&file)) {
            Some(format) => prepare_file(file, format),
            None => file,
        }));
        files
    } else {
        let companions = companions_of(path, &main, format, siblings);
        let member = |path: &PathBuf| {
            let relative = path.strip_prefix(&folder).unwrap_or(path);
            let name = relative.to_string_lossy().replace('\\', "/");
            read_member(path, name, access, &mut allowance)
        };
        remote::fetch_soon(&companions, FetchAmount::All);
        let companions: Vec<FoundFile> = companions.iter().filter_map(member).collect();
        let mut files = vec![main];
        files.extend(companions);
        files
    };
    Ok(FoundRecording { format, files, folder, main: path.to_owned() })
}

/// Returns the file in the form that its format reads.
fn prepare_file(mut file: FoundFile, format: &dyn Format) -> FoundFile {
    let Some(prepare) = format.preparation_for(&head_of(&file)) else { return file };
    let (whole, problem) = file.bytes.read_all();
    if let Some(made) = prepare(&whole) {
        file.problem = file.problem.take().or(problem);
        file.bytes = FileBytes::InMemory(made);
    }
    file
}

fn unclaimed_reason(file: &FoundFile) -> String {
    let bytes: &[u8] = &file.bytes;
    if let Some(what) = formats::unsupported_file_hint(&head_of(file)) {
        return what.to_owned();
    }
    if bytes.trim_ascii().is_empty() {
        return "the file is empty".into();
    }
    let container =
        formats::container_kind(bytes).map(|what| format!(" ({what})")).unwrap_or_default();
    format!("not a recording we know{container}; `trajview list formats` lists those that we do")
}

/// Returns the files of a bundle, beside `run.json`, that its index is made from.
fn bundle_files(
    folder: &Path,
    access: FileAccess,
    allowance: &mut ReadAllowance,
) -> Vec<FoundFile> {
    let mut paths = vec![folder.join("script.json"), folder.join("tests.jsonl")];
    collect_files(&folder.join("session"), 0, &mut paths);
    let relative = |path: &Path| {
        let parts = path.strip_prefix(folder).unwrap_or(path).components();
        parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join("/")
    };
    let has_plain_twin = |path: &Path| {
        path.extension().is_some_and(|end| end == "zst") && disk::exists(&path.with_extension(""))
    };
    paths.retain(|path| is_plain_file(path) && !has_plain_twin(path));
    remote::fetch_soon(&paths, FetchAmount::All);
    paths.iter().filter_map(|path| read_member(path, relative(path), access, allowance)).collect()
}

/// Returns the files that a file names, those in folders that it names, and those that they name in turn.
fn named_parts(main_path: &Path, main: &FileHead<'_>, format: &'static dyn Format) -> Vec<PathBuf> {
    let folder = main_path.parent().unwrap_or(Path::new(""));
    let mut logs: Vec<PathBuf> = vec![];
    let mut wanted = format.part_paths(main);
    // A part may name the folder again that it is in.
    let mut seen: HashSet<String> = HashSet::new();
    let mut at = 0;
    while let Some(below) = wanted.get(at).cloned() {
        at += 1;
        if !seen.insert(below.clone()) {
            continue;
        }
        let is_around = below.ends_with("/*");
        let file = folder.join(&below);
        if !is_around && is_plain_file(&file) && logs.len() < MOST_COMPANIONS {
            logs.push(file);
            continue;
        }
        let folders = match below.strip_suffix("/*") {
            Some(around) => {
                entries_of(&folder.join(around)).into_iter().filter(|it| it != folder).collect()
            }
            None => vec![folder.join(below)],
        };
        for folder in folders.into_iter().filter(|folder| is_folder(folder)) {
            let files = entries_of(&folder).into_iter();
            let files = files.filter(|path| is_log_file(path)).take(MOST_COMPANIONS);
            for file in files.filter(|file| !is_around || is_part(file, main, format)) {
                if logs.len() < MOST_COMPANIONS
                    && let Ok((bytes, is_whole)) = path_bytes::read_head(&file)
                {
                    let head = FileHead { name: name_of(&file), bytes: &bytes, is_whole };
                    wanted.extend(
                        format.part_paths(&head).into_iter().filter(|more| !more.ends_with("/*")),
                    );
                }
                logs.push(file);
            }
        }
    }
    logs
}

/// Returns whether a file of a surrounding folder is a part of the run, by its own content.
fn is_part(file: &Path, main: &FileHead<'_>, format: &'static dyn Format) -> bool {
    could_be_log(file)
        && path_bytes::read_head(file).is_ok_and(|(bytes, is_whole)| {
            let head = FileHead { name: name_of(file), bytes: &bytes, is_whole };
            format.is_companion(main, &head)
        })
}

/// Returns the files near a log that its format recognises as parts of the same run: in its folder, and below the one
/// named after it.
fn companions_of(
    main_path: &Path,
    main: &FoundFile,
    format: &'static dyn Format,
    siblings: &Siblings,
) -> Vec<PathBuf> {
    let main_head = head_of(main);
    if containers::place_inside(main_path).is_some_and(|place| place.members.are_runs()) {
        return vec![];
    }
    let mut companions = vec![];
    collect_files(&companion_folder_of(main_path), 0, &mut companions);
    let named = siblings::companions_among(&companions, format)
        .parts_of(&format.names_in_parts(&main_head));
    let mut paths = siblings.companions_of(main_path, &main_head, format);
    paths.extend(named.into_iter().map(|at| companions[at].clone()));
    paths.extend(named_parts(main_path, &main_head, format));
    paths.truncate(MOST_COMPANIONS);
    paths
}

pub(crate) fn read_member(
    path: &Path,
    name: String,
    access: FileAccess,
    allowance: &mut ReadAllowance,
) -> Option<FoundFile> {
    match path_bytes::read_path(path, access, allowance) {
        Ok((bytes, problem)) => {
            let mut file = FoundFile { name, bytes, problem };
            terminal_recordings::prepare_recording(&mut file, allowance);
            Some(file)
        }
        Err(why) => {
            let problem = Some(format!("cannot be read: {}", file_bytes::error_reason(&why)));
            Some(FoundFile { name, bytes: FileBytes::InMemory(vec![]), problem })
        }
    }
}

fn head_of(file: &FoundFile) -> FileHead<'_> {
    let bytes = &file.bytes[..file.bytes.len().min(formats::HEAD_BYTES)];
    let name = file.name.rsplit('/').next().unwrap_or(&file.name);
    FileHead { name, bytes, is_whole: bytes.len() as u64 == file.bytes.file_size() }
}

fn read_error(path: &Path, why: &std::io::Error) -> OpenError {
    OpenError::Read { path: path.into(), why: file_bytes::error_reason(why) }
}
