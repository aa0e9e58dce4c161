//! The files of a SlopCodeBench run: those of one problem, and those of the run directory around it.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;

use trajview_formats as formats;
use trajview_formats::{
    RecordingShape,
    slopcodebench_layout::{self, checkpoint_number},
};
use trajview_run::RepoPath;

use super::{
    disk,
    entries::{self, entries_of, is_folder, is_plain_file, name_of},
    error::OpenError,
    file_bytes::{self, FileAccess, FileBytes, ReadAllowance},
    path_bytes,
    recording_files::{self, FoundFile, FoundRecording},
};

/// The most bytes of all packed folders of a problem, and the most files in one; the rest is left out.
const MOST_UNPACKED: u64 = 64 << 20;
const MOST_PACKED_FILES: usize = 4_000;

/// Returns whether a folder is a problem of a run.
pub fn is_problem(folder: &Path) -> bool {
    is_problem_with(&entries_of(folder))
}

/// Works as [`is_problem`], for a folder with these entries.
pub(crate) fn is_problem_with(entries: &[PathBuf]) -> bool {
    let mut names = vec![];
    for path in entries {
        let name = name_of(path);
        if checkpoint_number(name).is_some() && is_folder(path) {
            names.extend(
                entries_of(path).iter().map(|member| format!("{name}/{}", name_of(member))),
            );
        }
        names.push(name.to_owned());
    }
    slopcodebench_layout::is_problem(names.iter().map(String::as_str))
}

/// Returns the checkpoints of a problem in the order of their numbers.
pub(crate) fn checkpoint_folders(problem: &Path) -> Vec<PathBuf> {
    let mut checkpoints: Vec<PathBuf> = entries_of(problem);
    checkpoints.retain(|path| checkpoint_number(name_of(path)).is_some() && is_folder(path));
    checkpoints.sort_by_key(|path| checkpoint_number(name_of(path)));
    checkpoints
}

/// Returns the files of a problem, named from the run directory on.
pub(crate) fn find_problem_files(
    problem: &Path,
    access: FileAccess,
) -> Result<FoundRecording, OpenError> {
    let cannot_understand =
        || OpenError::Understand { path: problem.into(), why: "no format of that name".into() };
    let format =
        formats::format_with_shape(RecordingShape::Snapshots).ok_or_else(cannot_understand)?;
    let main = with_folder_name(problem).map_err(|why| OpenError::Read {
        path: problem.into(),
        why: file_bytes::error_reason(&why),
    })?;
    let folder = main.parent().unwrap_or(Path::new("")).to_owned();
    let mut reader = ProblemReader {
        problem: name_of(&main).to_owned(),
        access,
        files: vec![],
        allowance: ReadAllowance::default(),
        unpack_left: MOST_UNPACKED,
    };
    if is_run_folder(&folder) {
        for name in slopcodebench_layout::RUN_FILES {
            reader.take_file(&folder.join(name), name.to_owned());
        }
    }
    for name in slopcodebench_layout::PROBLEM_FILES {
        reader.take_problem_file(&main.join(name), name);
    }
    for checkpoint in checkpoint_folders(&main) {
        reader.read_checkpoint(&checkpoint);
    }
    Ok(FoundRecording { format, files: reader.files, folder, main })
}

/// Gives `.` and `..`, which have no name of their own, the name of their folder.
fn with_folder_name(folder: &Path) -> std::io::Result<PathBuf> {
    match folder.file_name() {
        Some(_) => Ok(folder.to_owned()),
        None => fs::canonicalize(folder),
    }
}

/// Returns whether a folder is the run directory of the problems in it.
fn is_run_folder(folder: &Path) -> bool {
    let has_file = |name: &str| is_plain_file(&folder.join(name));
    slopcodebench_layout::RUN_MARKS.into_iter().any(has_file) || {
        let config = folder.join(slopcodebench_layout::CONFIG);
        let head = || path_bytes::read_head(&config).map(|(head, _)| head).unwrap_or_default();
        is_plain_file(&config) && slopcodebench_layout::is_run_config(&head())
    }
}

struct ProblemReader {
    problem: String,
    access: FileAccess,
    files: Vec<FoundFile>,
    allowance: ReadAllowance,
    /// The number of bytes that may still be unpacked of packed folders.
    unpack_left: u64,
}

impl ProblemReader {
    fn take_file(&mut self, path: &Path, name: String) {
        if is_plain_file(path) {
            self.files.extend(recording_files::read_member(
                path,
                name,
                self.access,
                &mut self.allowance,
            ));
        }
    }

    fn take_problem_file(&mut self, path: &Path, name: &str) {
        self.take_file(path, format!("{}/{name}", self.problem));
    }

    fn read_checkpoint(&mut self, folder: &Path) {
        let checkpoint = name_of(folder);
        self.read_pass(folder, checkpoint);
        let after = folder.join(slopcodebench_layout::SECOND_PASS);
        if is_folder(&after) {
            let name = format!("{checkpoint}/{}", slopcodebench_layout::SECOND_PASS);
            self.mark_folder(&name);
            self.read_pass(&after, &name);
        }
    }

    /// Adds an empty entry for a folder that is no source.
    fn mark_folder(&mut self, name: &str) {
        let name = format!("{}/{name}", self.problem);
        self.files.push(FoundFile { name, bytes: FileBytes::InMemory(vec![]), problem: None });
    }

    /// Reads the files that one session on a checkpoint left in `folder`, which is `checkpoint` below the problem.
    fn read_pass(&mut self, folder: &Path, checkpoint: &str) {
        for name in slopcodebench_layout::CHECKPOINT_FILES {
            self.take_problem_file(&folder.join(name), &format!("{checkpoint}/{name}"));
        }
        if is_folder(&folder.join("snapshot")) {
            // Its files are read where they are wanted.
            self.mark_folder(&format!("{checkpoint}/snapshot"));
        }
        let (agent, packed) = (folder.join("agent"), folder.join("agent.tar.gz"));
        if is_folder(&agent) {
            let mut logs = vec![];
            entries::collect_files(&agent, 0, &mut logs);
            logs.retain(|path| formats::could_be_log(path));
            for path in logs {
                let below = path.strip_prefix(folder).unwrap_or(&path);
                let name = format!("{checkpoint}/{}", below.to_string_lossy().replace('\\', "/"));
                self.take_problem_file(&path, &name);
            }
        } else if is_plain_file(&packed) {
            let name = format!("{}/{checkpoint}/agent.tar.gz", self.problem);
            self.files.extend(unpack_folder(&packed, &name, &mut self.unpack_left));
        }
    }
}

/// Returns the logs in a packed folder, as far as it can be read; the folder itself where something is wrong with it.
/// Links in it, and names that lead out of it, are left out. Takes what it unpacks from `left`, the bytes that may
/// still be.
fn unpack_folder(path: &Path, name: &str, left: &mut u64) -> Vec<FoundFile> {
    let mut files = vec![];
    let problem = match disk::open_file(path) {
        Ok(file) => unpack_into(file, name, left, &mut files),
        Err(why) => Some(format!("cannot be read: {}", file_bytes::error_reason(&why))),
    };
    if problem.is_some() {
        files.push(FoundFile {
            name: name.to_owned(),
            bytes: FileBytes::InMemory(vec![]),
            problem,
        });
    }
    files
}

/// Unpacks the logs; returns the problem, in a sentence.
fn unpack_into(
    packed: impl Read,
    name: &str,
    left: &mut u64,
    files: &mut Vec<FoundFile>,
) -> Option<String> {
    // Headers and files that are skipped are unpacked too: the limit is on everything that comes out.
    let mut archive = tar::Archive::new(GzDecoder::new(packed).take(*left));
    let problem = unpack_logs(&mut archive, name, *left, files);
    *left = archive.into_inner().limit();
    let is_spent = *left == 0;
    let too_big = || {
        let most = MOST_UNPACKED >> 20;
        format!(
            "the packed folders of the problem unpack to more than {most} MiB; the rest is left out"
        )
    };
    if is_spent { Some(too_big()) } else { problem }
}

fn unpack_logs(
    archive: &mut tar::Archive<impl Read>,
    name: &str,
    limit: u64,
    files: &mut Vec<FoundFile>,
) -> Option<String> {
    let damaged = |why: std::io::Error| format!("the packed folder is damaged ({why})");
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(why) => return Some(damaged(why)),
    };
    for entry in entries.take(MOST_PACKED_FILES) {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(why) => return Some(damaged(why)),
        };
        let Some(member) = member_name(&entry) else { continue };
        let size = entry.size();
        if size >= limit {
            return Some(format!("{member} states {size} bytes; it and the rest are left out"));
        }
        let mut content = Vec::with_capacity(size as usize);
        match entry.read_to_end(&mut content) {
            Ok(read) if (read as u64) < size => {
                return Some(format!("{member} is cut off; it and the rest are left out"));
            }
            Ok(_) => {}
            Err(why) => return Some(damaged(why)),
        }
        let name = format!("{name}/{member}");
        files.push(FoundFile { name, bytes: FileBytes::InMemory(content), problem: None });
    }
    None
}

/// Returns the path of a regular file below the packed folder, if it may be a log.
fn member_name(entry: &tar::Entry<'_, impl Read>) -> Option<String> {
    let path = entry.path().ok()?.to_string_lossy().replace('\\', "/");
    let path = RepoPath::new(&path).filter(|_| entry.header().entry_type().is_file())?;
    let path = path.as_str().strip_prefix("agent/").unwrap_or(path.as_str()).to_owned();
    formats::could_be_log(Path::new(&path)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    fn pack_tar(fill: impl FnOnce(&mut tar::Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(vec![], Compression::fast()));
        fill(&mut builder);
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn add_member(builder: &mut tar::Builder<GzEncoder<Vec<u8>>>, name: &str, content: &[u8]) {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        // The builder refuses a name that climbs out; a recording may have one all the same.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, content).unwrap();
    }

    fn unpack_names(bytes: &[u8], limit: u64) -> (Vec<String>, Option<String>) {
        let mut files = vec![];
        let problem = unpack_into(bytes, "agent.tar.gz", &mut { limit }, &mut files);
        (files.into_iter().map(|file| file.name).collect(), problem)
    }

    #[test]
    fn only_logs_below_the_packed_folder_are_unpacked() {
        let bytes = pack_tar(|builder| {
            add_member(builder, "agent/stdout.jsonl", b"{}");
            add_member(builder, "./workspace/a.jsonl", b"{}");
            add_member(builder, "agent/picture.png", b"x");
            add_member(builder, "../outside.jsonl", b"{}");
            add_member(builder, "/etc/absolute.jsonl", b"{}");
            let mut link = tar::Header::new_gnu();
            link.set_entry_type(tar::EntryType::Symlink);
            link.set_size(0);
            builder.append_link(&mut link, "agent/link.jsonl", "/etc/passwd").unwrap();
        });

        let names =
            vec!["agent.tar.gz/stdout.jsonl".into(), "agent.tar.gz/workspace/a.jsonl".into()];
        assert_eq!(unpack_names(&bytes, MOST_UNPACKED), (names, None));
    }

    #[test]
    fn a_bomb_goes_off_within_the_limit() {
        let bytes = pack_tar(|builder| {
            add_member(builder, "a.jsonl", b"{}");
            add_member(builder, "b.jsonl", &vec![b'x'; 4 << 20]);
        });

        let (names, problem) = unpack_names(&bytes, 1 << 20);

        assert_eq!(names, ["agent.tar.gz/a.jsonl"]);
        let expected = "b.jsonl states 4194304 bytes; it and the rest are left out";
        assert_eq!(problem.unwrap(), expected);
    }

    #[test]
    fn what_is_skipped_in_a_packed_folder_counts_for_those_after_it() {
        let bytes = pack_tar(|builder| add_member(builder, "picture.png", &vec![b'x'; 4 << 20]));
        let log = pack_tar(|builder| add_member(builder, "a.jsonl", b"{}"));
        let (mut left, mut files) = (6 << 20, vec![]);
        let mut problem = |bytes: &[u8]| unpack_into(bytes, "agent.tar.gz", &mut left, &mut files);

        assert_eq!([problem(&bytes), problem(&log)], [None, None]);
        let expected =
            "the packed folders of the problem unpack to more than 64 MiB; the rest is left out";
        assert_eq!(
            [problem(&bytes), problem(&log)],
            [Some(expected.into()), Some(expected.into())]
        );
        assert_eq!(files.len(), 1);
    }

    #[test]
    fn a_damaged_archive_keeps_what_could_be_read() {
        let bytes = pack_tar(|builder| {
            add_member(builder, "a.jsonl", b"{}");
            let noise = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8);
            add_member(builder, "b.jsonl", &noise.collect::<Vec<_>>());
        });

        let (names, problem) = unpack_names(&bytes[..bytes.len() / 2], MOST_UNPACKED);

        assert_eq!(names, ["agent.tar.gz/a.jsonl"]);
        assert!(problem.unwrap().starts_with("the packed folder is damaged ("));
        assert!(unpack_names(b"no archive", MOST_UNPACKED).1.is_some());
    }

    #[test]
    fn checkpoints_are_found_in_the_order_of_their_numbers() {
        let problem = tempfile::tempdir().unwrap();
        for name in ["checkpoint_10", "checkpoint_9", "checkpoint_x"] {
            fs::create_dir_all(problem.path().join(name).join("agent")).unwrap();
        }

        let folders = checkpoint_folders(problem.path());

        assert!(is_problem(problem.path()));
        assert_eq!(
            folders.iter().map(|path| name_of(path)).collect::<Vec<_>>(),
            ["checkpoint_9", "checkpoint_10"]
        );
    }
}
