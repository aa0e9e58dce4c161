//! Files of harnesses, the large ones of which are kept for a while: a report of a whole run lies beside thousands of logs,
//! and is read and parsed once for all of them.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use trajview_formats::harness::RecordFile;

use super::{
    disk,
    file_bytes::{FileAccess, ReadAllowance},
    path_bytes,
};

/// The size in bytes from which a file is kept: a smaller one is that of a single trial, and costs little.
const KEPT_FROM: u64 = 16 << 10;

/// The most bytes of all kept files together, and the most files.
const MOST_KEPT_BYTES: usize = 48 << 20;
const MOST_KEPT: usize = 64;

/// A file that was read.
struct KeptRecord {
    path: PathBuf,
    /// Time and size; the file is read again once they change.
    stamp: (SystemTime, u64),
    file: RecordFile,
}

/// The files that were read last, the latest last.
static KEPT_RECORDS: Mutex<Vec<Arc<KeptRecord>>> = Mutex::new(vec![]);

/// Returns a file by its name, no more than the first `most` bytes of it; None where it cannot be read.
pub(crate) fn read_record(path: &Path, name: &str, most: usize) -> Option<RecordFile> {
    let stamp = disk::metadata(path).ok().and_then(|meta| Some((meta.modified?, meta.len())));
    let Some(stamp) = stamp.filter(|(_, len)| *len >= KEPT_FROM) else {
        return Some(RecordFile::new(name, read_start(path, most)?));
    };
    // Locked while it is read: other threads wait for the same file, and would only read it too.
    let mut kept = KEPT_RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = kept.iter().position(|it| it.path == path) {
        let known = kept.remove(at);
        if known.stamp == stamp {
            let file = known.file.with_name(name);
            kept.push(known);
            return Some(file);
        }
    }
    let file = RecordFile::new(name, read_start(path, most)?);
    kept.push(Arc::new(KeptRecord { path: path.to_owned(), stamp, file: file.clone() }));
    let bytes =
        |kept: &[Arc<KeptRecord>]| -> usize { kept.iter().map(|it| it.file.bytes().len()).sum() };
    while kept.len() > MOST_KEPT || kept.len() > 1 && bytes(&kept) > MOST_KEPT_BYTES {
        kept.remove(0);
    }
    Some(file)
}

/// Returns the beginning of a file; None where it cannot be read.
pub(crate) fn read_start(path: &Path, most: usize) -> Option<Vec<u8>> {
    let (bytes, _) =
        path_bytes::read_path(path, FileAccess::OnDisk, &mut ReadAllowance::default()).ok()?;
    let (bytes, _) = bytes.read_all_within(&mut (most as u64));
    Some(bytes.into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use trajview_run::Outcome;

    use crate::open;

    fn log_of(id: &str) -> String {
        format!(
            "{{\"trajectory\": [{{\"action\": \"ls\", \"observation\": \"\", \"response\": \"r\", \"thought\": \"t\", \
             \"execution_time\": 0.1, \"state\": {{}}}}], \"info\": {{\"exit_status\": \"submitted\", \"submission\": \"{id}\"}}, \
             \"history\": [], \"environment\": \"swe_main\"}}"
        )
    }

    /// Where the second log is opened, the report on the disk says something else, and has the same size and time: what
    /// the first one read counts.
    #[test]
    fn a_report_beside_many_logs_is_read_once_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let ids = ["made__calc-1", "made__calc-2", "made__calc-3"];
        let logs = ids.map(|id| folder.path().join(format!("{id}/{id}.traj")));
        for (id, log) in ids.iter().zip(&logs) {
            fs::create_dir_all(log.parent().unwrap()).unwrap();
            fs::write(log, log_of(id)).unwrap();
        }
        let report = folder.path().join("results.json");
        let write = |resolved: &str, failed: &str| {
            let rest: Vec<String> = (0..2_000).map(|at| format!("\"other__x-{at}\"")).collect();
            let text = format!(
                "{{\"resolved_ids\": [{resolved}], \"unresolved_ids\": [{failed}], \"submitted_ids\": [{}]}}",
                rest.join(", ")
            );
            fs::write(&report, text).unwrap();
        };
        let quoted = ids.map(|id| format!("\"{id}\"")).join(", ");
        let outcome = |at: usize| open(&logs[at]).unwrap().run.trial.as_ref().unwrap().outcome;
        write(&quoted, "");
        let written = fs::metadata(&report).unwrap().modified().unwrap();
        assert_eq!(outcome(0), Some(Outcome::Passed));

        write("", &quoted);
        fs::File::options().write(true).open(&report).unwrap().set_modified(written).unwrap();
        assert_eq!(outcome(1), Some(Outcome::Passed));

        write("", &quoted);
        let later = written + std::time::Duration::from_secs(2);
        fs::File::options().write(true).open(&report).unwrap().set_modified(later).unwrap();
        assert_eq!(outcome(2), Some(Outcome::Failed));
    }
}
