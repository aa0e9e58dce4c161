//! The files of a SlopCodeBench run: those of one problem, and those of the run directory around it.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;

use trajview_formats as formats;
use trajview_formats::{
    Shape,
    slopcodebench_layout::{self, checkpoint_number},
};
use trajview_run::RepoPath;

use super::{
    bytes::{self, Access, Allowance, Bytes},
    disk,
    entries::{self, entries_of, is_folder, is_plain_file, name_of},
    error::OpenError,
    find::{self, Found, FoundFile},
    reading,
};

/// Files of the run directory that tell of its problems.
const OF_RUN: [&str; 6] = [
    "provenance.txt",
    "config.yaml",
    "problem_catalog.json",
    "result.json",
    "checkpoint_results.jsonl",
    "results.jsonl",
];

const OF_PROBLEM: [&str; 2] = ["problem.yaml", "run_info.yaml"];

const OF_CHECKPOINT: [&str; 10] = [
    "prompt.txt",
    "inference_result.json",
    "diff.json",
    "evaluation.json",
    "evaluation/report.json",
    "quality_analysis/overall_quality.json",
    "quality_analysis/files.jsonl",
    "quality_analysis/symbols.jsonl",
    "quality_analysis/ast_grep.jsonl",
    "rubric.jsonl",
];

/// Of the packed folders of logs: more bytes in all of a problem, or files in one, than this are left out.
const MOST_UNPACKED: u64 = 64 << 20;
const MOST_PACKED_FILES: usize = 4_000;

/// Whether a folder is a problem of a run.
pub fn is_problem(folder: &Path) -> bool {
    let mut names = vec![];
    for path in entries_of(folder) {
        let name = name_of(&path);
        if checkpoint_number(name).is_some() && is_folder(&path) {
            names.extend(
                entries_of(&path).iter().map(|member| format!("{name}/{}", name_of(member))),
            );
        }
        names.push(name.to_owned());
    }
    slopcodebench_layout::is_problem(names.iter().map(String::as_str))
}

/// The checkpoints of a problem in the order of their numbers.
pub fn checkpoints(problem: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = entries_of(problem);
    found.retain(|path| checkpoint_number(name_of(path)).is_some() && is_folder(path));
    found.sort_by_key(|path| checkpoint_number(name_of(path)));
    found
}

/// The files of a problem, named from the run directory on.
pub fn find(problem: &Path, access: Access) -> Result<Found, OpenError> {
    let cannot_understand =
        || OpenError::Understand { path: problem.into(), why: "no format of that name".into() };
    let format = formats::of_shape(Shape::Snapshots).ok_or_else(cannot_understand)?;
    let main = with_a_name(problem)
        .map_err(|why| OpenError::Read { path: problem.into(), why: bytes::reason(&why) })?;
    let folder = main.parent().unwrap_or(Path::new("")).to_owned();
    let mut reader = Reader {
        problem: name_of(&main).to_owned(),
        access,
        files: vec![],
        allowance: Allowance::default(),
        unpack_left: MOST_UNPACKED,
    };
    if is_run(&folder) {
        for name in OF_RUN {
            reader.take(&folder.join(name), name.to_owned());
        }
    }
    for name in OF_PROBLEM {
        reader.take_of_problem(&main.join(name), name);
    }
    for checkpoint in checkpoints(&main) {
        reader.checkpoint(&checkpoint);
    }
    Ok(Found { format, files: reader.files, folder, main })
}

/// `.` and `..` are folders without a name of their own.
fn with_a_name(folder: &Path) -> std::io::Result<PathBuf> {
    match folder.file_name() {
        Some(_) => Ok(folder.to_owned()),
        None => fs::canonicalize(folder),
    }
}

/// Whether a folder is the run directory of the problems in it.
fn is_run(folder: &Path) -> bool {
    let config = folder.join("config.yaml");
    let has_agent = || {
        let text = reading::read_head(&config).map(|(head, _)| head).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().any(|line| line.starts_with("agent:"))
    };
    is_plain_file(&folder.join("problem_catalog.json"))
        || is_plain_file(&folder.join("checkpoint_results.jsonl"))
        || (is_plain_file(&config) && has_agent())
}

struct Reader {
    problem: String,
    access: Access,
    files: Vec<FoundFile>,
    allowance: Allowance,
    /// Bytes that may still be unpacked of packed folders.
    unpack_left: u64,
}

impl Reader {
    fn take(&mut self, path: &Path, name: String) {
        if is_plain_file(path) {
            self.files.extend(find::read_member(path, name, self.access, &mut self.allowance));
        }
    }

    fn take_of_problem(&mut self, path: &Path, name: &str) {
        self.take(path, format!("{}/{name}", self.problem));
    }

    fn checkpoint(&mut self, folder: &Path) {
        let checkpoint = name_of(folder);
        self.pass(folder, checkpoint);
        let after = folder.join("after_skill");
        if is_folder(&after) {
            let name = format!("{checkpoint}/after_skill");
            self.mark(&name);
            self.pass(&after, &name);
        }
    }

    /// Says that a folder is there which is no source.
    fn mark(&mut self, name: &str) {
        let name = format!("{}/{name}", self.problem);
        self.files.push(FoundFile { name, bytes: Bytes::Held(vec![]), problem: None });
    }

    /// What one session on a checkpoint left in `folder`, which is `checkpoint` below the problem.
    fn pass(&mut self, folder: &Path, checkpoint: &str) {
        for name in OF_CHECKPOINT {
            self.take_of_problem(&folder.join(name), &format!("{checkpoint}/{name}"));
        }
        if is_folder(&folder.join("snapshot")) {
            // Its files are read where they are wanted.
            self.mark(&format!("{checkpoint}/snapshot"));
        }
        let (agent, packed) = (folder.join("agent"), folder.join("agent.tar.gz"));
        if is_folder(&agent) {
            let mut logs = vec![];
            entries::collect_files(&agent, 0, &mut logs);
            logs.retain(|path| entries::could_be_log(path));
            for path in logs {
                let below = path.strip_prefix(folder).unwrap_or(&path);
                let name = format!("{checkpoint}/{}", below.to_string_lossy().replace('\\', "/"));
                self.take_of_problem(&path, &name);
            }
        } else if is_plain_file(&packed) {
            let name = format!("{}/{checkpoint}/agent.tar.gz", self.problem);
            self.files.extend(unpack(&packed, &name, &mut self.unpack_left));
        }
    }
}

/// The logs in a packed folder, as far as it can be read; the folder itself where something is wrong with it. Links in
/// it, and names that lead out of it, are left out. Takes what it unpacks from `left`, the bytes that may still be.
fn unpack(path: &Path, name: &str, left: &mut u64) -> Vec<FoundFile> {
    let mut files = vec![];
    let problem = match disk::open(path) {
        Ok(file) => unpack_into(file, name, left, &mut files),
        Err(why) => Some(format!("cannot be read: {}", bytes::reason(&why))),
    };
    if problem.is_some() {
        files.push(FoundFile { name: name.to_owned(), bytes: Bytes::Held(vec![]), problem });
    }
    files
}

/// What is wrong with it, in a sentence.
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
        files.push(FoundFile { name, bytes: Bytes::Held(content), problem: None });
    }
    None
}

/// Where a regular file stands below the packed folder, if it may be a log.
fn member_name(entry: &tar::Entry<'_, impl Read>) -> Option<String> {
    let path = entry.path().ok()?.to_string_lossy().replace('\\', "/");
    let path = RepoPath::new(&path).filter(|_| entry.header().entry_type().is_file())?;
    let path = path.as_str().strip_prefix("agent/").unwrap_or(path.as_str()).to_owned();
    entries::could_be_log(Path::new(&path)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    fn packed(fill: impl FnOnce(&mut tar::Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(vec![], Compression::fast()));
        fill(&mut builder);
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn add(builder: &mut tar::Builder<GzEncoder<Vec<u8>>>, name: &str, content: &[u8]) {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        // The builder refuses a name that climbs out; a recording may have one all the same.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, content).unwrap();
    }

    fn unpacked(bytes: &[u8], limit: u64) -> (Vec<String>, Option<String>) {
        let mut files = vec![];
        let problem = unpack_into(bytes, "agent.tar.gz", &mut { limit }, &mut files);
        (files.into_iter().map(|file| file.name).collect(), problem)
    }

    #[test]
    fn only_logs_below_the_packed_folder_are_unpacked() {
        let bytes = packed(|builder| {
            add(builder, "agent/stdout.jsonl", b"{}");
            add(builder, "./workspace/a.jsonl", b"{}");
            add(builder, "agent/picture.png", b"x");
            add(builder, "../outside.jsonl", b"{}");
            add(builder, "/etc/absolute.jsonl", b"{}");
            let mut link = tar::Header::new_gnu();
            link.set_entry_type(tar::EntryType::Symlink);
            link.set_size(0);
            builder.append_link(&mut link, "agent/link.jsonl", "/etc/passwd").unwrap();
        });

        let names =
            vec!["agent.tar.gz/stdout.jsonl".into(), "agent.tar.gz/workspace/a.jsonl".into()];
        assert_eq!(unpacked(&bytes, MOST_UNPACKED), (names, None));
    }

    #[test]
    fn a_bomb_goes_off_within_the_limit() {
        let bytes = packed(|builder| {
            add(builder, "a.jsonl", b"{}");
            add(builder, "b.jsonl", &vec![b'x'; 4 << 20]);
        });

        let (names, problem) = unpacked(&bytes, 1 << 20);

        assert_eq!(names, ["agent.tar.gz/a.jsonl"]);
        let told = "b.jsonl states 4194304 bytes; it and the rest are left out";
        assert_eq!(problem.unwrap(), told);
    }

    #[test]
    fn what_is_skipped_in_a_packed_folder_counts_for_those_after_it() {
        let bytes = packed(|builder| add(builder, "picture.png", &vec![b'x'; 4 << 20]));
        let log = packed(|builder| add(builder, "a.jsonl", b"{}"));
        let (mut left, mut files) = (6 << 20, vec![]);
        let mut problem = |bytes: &[u8]| unpack_into(bytes, "agent.tar.gz", &mut left, &mut files);

        assert_eq!([problem(&bytes), problem(&log)], [None, None]);
        let told =
            "the packed folders of the problem unpack to more than 64 MiB; the rest is left out";
        assert_eq!([problem(&bytes), problem(&log)], [Some(told.into()), Some(told.into())]);
        assert_eq!(files.len(), 1);
    }

    #[test]
    fn a_damaged_archive_keeps_what_could_be_read() {
        let bytes = packed(|builder| {
            add(builder, "a.jsonl", b"{}");
            let noise = (0..60_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8);
            add(builder, "b.jsonl", &noise.collect::<Vec<_>>());
        });

        let (names, problem) = unpacked(&bytes[..bytes.len() / 2], MOST_UNPACKED);

        assert_eq!(names, ["agent.tar.gz/a.jsonl"]);
        assert!(problem.unwrap().starts_with("the packed folder is damaged ("));
        assert!(unpacked(b"no archive", MOST_UNPACKED).1.is_some());
    }

    #[test]
    fn checkpoints_are_found_in_the_order_of_their_numbers() {
        let problem = tempfile::tempdir().unwrap();
        for name in ["checkpoint_10", "checkpoint_9", "checkpoint_x"] {
            fs::create_dir_all(problem.path().join(name).join("agent")).unwrap();
        }

        let found = checkpoints(problem.path());

        assert!(is_problem(problem.path()));
        assert_eq!(
            found.iter().map(|path| name_of(path)).collect::<Vec<_>>(),
            ["checkpoint_9", "checkpoint_10"]
        );
    }
}
