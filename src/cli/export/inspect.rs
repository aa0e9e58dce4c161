//! Runs as logs of Inspect: a file, or a folder with a file for each task and model.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::NamedTempFile;

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note},
    redaction::RedactingArgs,
    run_args,
};
use trajview_code::redact::{RedactFinding, SecretKind};
use trajview_store as store;
use trajview_store::inspect_log::{InspectLogWriter, InspectSample, inspect_sample};

use super::ExportArgs;

/// The logs that are being written, by task and model.
type OpenLogs = BTreeMap<(String, String), InspectLogWriter<NamedTempFile>>;

/// The place that logs are written to.
enum LogTarget<'a> {
    /// One file, which takes the runs of one task and one model.
    File(&'a Path),
    Folder(&'a Path),
}

impl<'a> LogTarget<'a> {
    /// Returns the file for a name that ends with `.eval`, and a folder for every other.
    fn for_path(path: &'a Path) -> Self {
        let is_file = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("eval"));
        if is_file { Self::File(path) } else { Self::Folder(path) }
    }

    /// Returns the folder in which the files are made, which is created where it is missing.
    fn folder(&self) -> Result<&'a Path, CommandFailure> {
        let folder = match self {
            Self::File(path) => path.parent().filter(|it| !it.as_os_str().is_empty()),
            Self::Folder(path) => Some(*path),
        };
        let folder = folder.unwrap_or(Path::new("."));
        if let Self::Folder(path) = self {
            fs::create_dir_all(path).map_err(|why| CommandFailure::unwritable(path, &why))?;
        }
        Ok(folder)
    }
}

/// What was taken out of the runs so far.
#[derive(Default)]
struct Redacted {
    findings: Vec<RedactFinding>,
    counts: BTreeMap<SecretKind, usize>,
}

pub(crate) fn export_logs(args: &ExportArgs, out: &mut Out) -> CommandResult {
    let redacting = args.redacting_with_tokens()?;
    let target = args.out.as_deref().map(LogTarget::for_path);
    let target = match target {
        Some(target) => target,
        None if redacting.is_list() => LogTarget::Folder(Path::new(".")),
        None => {
            let why =
                "--inspect needs --out FILE.eval, or --out DIR for runs of several tasks or models";
            return Err(CommandFailure::wrong_arguments(why));
        }
    };
    let runs = args.sharding.runs_of_shard(&args.paths)?;
    let folder = if redacting.is_list() { None } else { Some(target.folder()?) };
    let mut logs = OpenLogs::new();
    let mut redacted = Redacted::default();
    let mut unread = vec![];
    for path in &runs {
        match redacted_sample(path, &redacting, &mut redacted) {
            Err(why) => {
                print_note(&why.sentence);
                unread.push(why);
            }
            Ok(sample) => add_sample(sample, folder, &target, &mut logs)?,
        }
    }
    let done = runs.len() - unread.len();
    let failed = unread.into_iter().max_by_key(|why| why.exit.code());
    if let Some(why) = failed.filter(|_| done == 0) {
        return Ok(why.exit); // its sentence is printed already
    }
    if redacting.is_list() {
        redacting.print_findings(&redacted.findings, out)?;
        return Ok(Exit::Fine);
    }
    redacting.print_counts(&redacted.counts);
    finish_logs(logs, &target, out)?;
    Ok(Exit::Fine)
}

/// Opens a run and makes its sample, without its secrets.
fn redacted_sample(
    path: &Path,
    redacting: &RedactingArgs,
    redacted: &mut Redacted,
) -> Result<InspectSample, CommandFailure> {
    let opened = store::open(path)?;
    let mut sample = inspect_sample(&opened.run, &opened.archive, redacting.is_off());
    let redactor = redacting.redactor_for_runs([&*opened.run]);
    let document = redactor.redact_json("", Value::Object(std::mem::take(&mut sample.document)));
    if let Value::Object(mut fields) = document {
        if let Some(run) = fields.get_mut("metadata").and_then(|it| it.get_mut("run")) {
            *run = redactor.redact_identity("run", &opened.run.id).into();
        }
        sample.document = fields;
    }
    sample.id = redactor.redact_identity("id", &sample.id);
    sample.task = redactor.redact_identity("task", &sample.task);
    redacted.findings.extend(redactor.findings());
    for (kind, count) in redactor.counts_by_kind() {
        *redacted.counts.entry(kind).or_default() += count;
    }
    for what in &sample.left_out {
        print_note(&format!("{}: not exported: {what}", path.display()));
    }
    Ok(sample)
}

/// Writes a sample into the log of its task and model. Nothing is written where only findings are listed.
fn add_sample(
    sample: InspectSample,
    folder: Option<&Path>,
    target: &LogTarget<'_>,
    logs: &mut OpenLogs,
) -> Result<(), CommandFailure> {
    let Some(folder) = folder else { return Ok(()) };
    let cannot = |why: io::Error| CommandFailure::unwritable(folder, &why);
    let key = (sample.task.clone(), sample.model.clone());
    if let (LogTarget::File(path), Some((task, model))) = (target, logs.keys().next())
        && (task, model) != (&key.0, &key.1)
    {
        let (path, stem) = (path.display(), path.with_extension(""));
        return Err(CommandFailure::wrong_arguments(format!(
            "{path}: a log has one task and one model; the runs are of {task} by {model} and of {} by {}: name a folder, \
             as --out {}",
            key.0,
            key.1,
            stem.display(),
        )));
    }
    let log = match logs.entry(key) {
        std::collections::btree_map::Entry::Occupied(log) => log.into_mut(),
        std::collections::btree_map::Entry::Vacant(place) => {
            let file = NamedTempFile::new_in(folder).map_err(cannot)?;
            let (task, model) = (place.key().0.clone(), place.key().1.clone());
            place.insert(InspectLogWriter::new(file, &task, &model))
        }
    };
    log.add_sample(sample).map_err(cannot)
}

/// Writes the ends of the logs and gives the files their names.
fn finish_logs(
    logs: OpenLogs,
    target: &LogTarget<'_>,
    out: &mut Out,
) -> Result<(), CommandFailure> {
    for log in logs.into_values() {
        let path: PathBuf = match target {
            LogTarget::File(path) => path.to_path_buf(),
            LogTarget::Folder(folder) => folder.join(log.file_name()),
        };
        let count = run_args::count_with_noun(log.sample_count(), "run");
        let cannot = |why: io::Error| CommandFailure::unwritable(&path, &why);
        let file = log.finish().map_err(cannot)?;
        let file = file.persist(&path).map_err(|why| cannot(why.error))?;
        set_usual_permissions(&file).map_err(cannot)?;
        out.print_line(&format!("{}: {count}", path.display()))?;
    }
    Ok(())
}

/// Makes the log as readable as other files of the user: a temporary file is for its user alone.
#[cfg(unix)]
fn set_usual_permissions(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_usual_permissions(_: &fs::File) -> io::Result<()> {
    Ok(())
}
