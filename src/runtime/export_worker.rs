//! Writes runs elsewhere: plans an export of the form, and runs its command line in a process of its own.
//!
//! A recording is never changed: a place inside a run or a trial, and a file that was or may have been read, are refused.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::figure_needs;
use trajview_judge::stop_flag::StopFlag;
use trajview_run::format_number;
use trajview_store::dataset::{DataTable, choose_columns};
use trajview_tui::{
    session::{
        export_job::{ExportJob, ExportTarget},
        jobs::{JobPlan, JobRefusal},
        question::Question,
    },
    shell::jobs::export_form,
};

/// Exports that run; copies share them.
#[derive(Clone, Default)]
pub(crate) struct ExportWorker {
    newest: Arc<Mutex<StopFlag>>,
    running: Arc<AtomicUsize>,
    stop: StopFlag,
    /// The program that is run; None where nothing may be written.
    pub(super) program: Option<PathBuf>,
    /// The settings file that it reads; None for none.
    pub(super) settings: Option<PathBuf>,
}

/// The longest time that an export may take to end when the program ends.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// The time between two looks at the process.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The number of bytes of the process' errors that are read.
const MAX_ERROR_BYTES: u64 = 64 * 1024;

/// The files that make a folder a recording: of a run bundle, and of a trial.
const RECORDS: [&str; 3] = ["run.json", "result.json", "results.json"];

/// The ends of the names of files that are read beside a log.
const RECORDED_KINDS: [&str; 3] = ["json", "jsonl", "cast"];

/// The number of proposed names that are tried.
const MAX_NAMES: usize = 1000;

/// Returns what an export would do. Nothing is written.
pub(crate) fn plan_export(job: &ExportJob) -> Result<JobPlan, JobRefusal> {
    let job = &figure_needs::complete_figure(job)?;
    let out = output_place(job);
    check_place(job, &out).map_err(|why| JobRefusal::for_field(export_form::FILE, why))?;
    if is_taken(job, &out) && !job.overwrites {
        let why = format!("{} is there already: overwrite it, or type another name", out.display());
        return Err(JobRefusal::for_field(export_form::EXISTING, why));
    }
    check_columns(job).map_err(|why| JobRefusal::for_field(export_form::COLUMNS, why))?;
    let mut plan = JobPlan::default();
    plan.add_row(export_form::COMMAND_ROW, export_form::command_line(job, &out));
    plan.add_row("", "y copies the command line for a shell; the recording is only read");
    plan.proposed = vec![(export_form::FILE, out.display().to_string())];
    let moments = job.moment_pair.clone();
    plan.proposed.extend(moments.map(|moments| (export_form::MOMENT_PAIR, moments)));
    Ok(plan)
}

/// Fails, with a sentence, where a typed name is not a column of the chosen tables.
fn check_columns(job: &ExportJob) -> Result<(), String> {
    let Some(columns) = &job.columns else { return Ok(()) };
    let tables: Vec<DataTable> =
        job.tables.iter().filter_map(|table| DataTable::by_word(table)).collect();
    let names: Vec<&str> = columns.split(',').map(str::trim).collect();
    choose_columns(&tables, &names).map(drop)
}

/// Returns the file or folder of an export: the typed one, else the first proposed name that is free.
fn output_place(job: &ExportJob) -> PathBuf {
    let free = || (1..MAX_NAMES).map(|number| job.proposed_name(number)).find(|it| !it.exists());
    job.out.clone().or_else(free).unwrap_or_else(|| job.proposed_name(MAX_NAMES))
}

/// Returns whether there is something at the place that would be overwritten.
fn is_taken(job: &ExportJob, out: &Path) -> bool {
    match job.format.target {
        ExportTarget::Tables => fs::read_dir(out).is_ok_and(|mut files| files.next().is_some()),
        ExportTarget::File | ExportTarget::Figure | ExportTarget::Frames | ExportTarget::Output => {
            out.symlink_metadata().is_ok()
        }
    }
}

/// Fails, with a sentence, where nothing may be written to this place or nothing can be.
fn check_place(job: &ExportJob, out: &Path) -> Result<(), String> {
    let name = out.display();
    let whole = std::path::absolute(out).map_err(|why| format!("cannot use {name}: {why}"))?;
    let there = whole.ancestors().find_map(|it| it.canonicalize().ok()).unwrap_or_default();
    // Of a run inside an archive the archive is the file that was read.
    let existing_part = |run: &PathBuf| run.ancestors().find_map(|it| it.canonicalize().ok());
    let read: Vec<PathBuf> = job.runs.iter().filter_map(existing_part).collect();
    let is_recording = |folder: &&Path| {
        let is_run = job.runs.iter().any(|run| run.canonicalize().is_ok_and(|run| run == **folder));
        folder.is_dir() && (is_run || RECORDS.iter().any(|name| folder.join(name).is_file()))
    };
    if let Some(folder) = there.ancestors().find(is_recording) {
        let folder = folder.display();
        return Err(format!("{name} is inside the recording {folder}; choose another folder"));
    }
    if whole.exists()
        && there.is_file()
        && read.iter().any(|run| *run == there || is_beside_log(&there, run))
    {
        return Err(format!("{name} is a part of what is read; choose another file"));
    }
    if job.format.target == ExportTarget::Tables {
        return if whole.exists() && !whole.is_dir() {
            Err(format!("{name} is a file, and tables need a folder"))
        } else {
            Ok(())
        };
    }
    if whole.is_dir() {
        return Err(format!("{name} is a folder; type the name of a file"));
    }
    match whole.parent() {
        Some(folder) if !folder.is_dir() => Err(format!("there is no folder {}", folder.display())),
        _ => Ok(()),
    }
}

/// Returns whether a file may have been read together with a log: it is in its folder and of a kind that logs have.
fn is_beside_log(file: &Path, log: &Path) -> bool {
    let is_of_kind = |it: &std::ffi::OsStr| RECORDED_KINDS.iter().any(|kind| it == *kind);
    log.is_file() && file.parent() == log.parent() && file.extension().is_some_and(is_of_kind)
}

impl ExportWorker {
    /// Returns a copy for the worker of a question; an export that starts has a stop flag of its own.
    pub(crate) fn for_question(&self, question: Option<&Question>) -> Self {
        let stop = StopFlag::default();
        if let Some(Question::Export { .. }) = question {
            *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
            self.running.fetch_add(1, Ordering::SeqCst);
        }
        Self { stop, ..self.clone() }
    }

    /// Stops the newest export.
    pub(crate) fn stop_newest(&self) {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).set();
    }

    /// Stops the running export and waits a moment for its end.
    pub(crate) fn end_all(&self) {
        self.stop_newest();
        let began = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && began.elapsed() < END_TIMEOUT {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Writes what the form describes. Returns a sentence; the error is one too.
    pub(crate) fn write_runs(&self, job: &ExportJob) -> Result<String, String> {
        let _running = RunningExport(&self.running);
        self.write_checked(job)
    }

    fn write_checked(&self, job: &ExportJob) -> Result<String, String> {
        plan_export(job).map_err(|refusal| refusal.why)?;
        let job = &figure_needs::complete_figure(job).map_err(|refusal| refusal.why)?;
        let out = output_place(job);
        let program = self
            .program
            .as_ref()
            .ok_or("nothing is written without a terminal; run the command in a shell")?;
        let mut command = Command::new(program);
        let settings = self.settings.as_deref().unwrap_or(Path::new(""));
        command
            .env("TRAJVIEW_CONFIG", settings)
            .args(job.arguments(&out))
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        if job.format.target != ExportTarget::Output {
            self.run_to_end(command.stdout(Stdio::null()))?;
        } else {
            let part = PathBuf::from(format!("{}.{}.part", out.display(), std::process::id()));
            let file = File::create_new(&part)
                .map_err(|why| format!("cannot write {}: {why}", part.display()))?;
            let written = self.run_to_end(command.stdout(file)).and_then(|()| {
                let placed = match job.overwrites {
                    true => fs::rename(&part, &out),
                    false => rename_to_new(&part, &out),
                };
                placed.map_err(|why| format!("cannot write {}: {why}", out.display()))
            });
            if written.is_err() {
                let _ = fs::remove_file(&part); // the error is what matters
            }
            written?;
        }
        Ok(format!("written: {}", summary_text(&out)))
    }

    /// Runs a command to its end. The error is the last line that it printed.
    fn run_to_end(&self, command: &mut Command) -> Result<(), String> {
        let mut child = command.spawn().map_err(|why| format!("cannot start: {why}"))?;
        let errors = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut bytes = vec![];
            if let Some(mut errors) = errors {
                let _ = errors.by_ref().take(MAX_ERROR_BYTES).read_to_end(&mut bytes);
                let _ = std::io::copy(&mut errors, &mut std::io::sink());
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let status = loop {
            if self.stop.is_set() {
                let _ = child.kill(); // it may have ended
                let _ = child.wait();
                return Err("export stopped".into());
            }
            match child.try_wait().map_err(|why| why.to_string())? {
                Some(status) => break status,
                None => thread::sleep(POLL_INTERVAL),
            }
        };
        let printed = reader.join().unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        Err(error_sentence(&printed).to_owned())
    }
}

/// Moves a file to a name that nothing has; fails where a file appeared meanwhile, which stays.
fn rename_to_new(part: &Path, out: &Path) -> std::io::Result<()> {
    fs::hard_link(part, out)?;
    fs::remove_file(part)
}

/// Returns the error among the lines that a command printed: the last one that is marked as such, else the last line.
fn error_sentence(printed: &str) -> &str {
    let mut lines = printed.lines().rev().filter(|line| !line.trim().is_empty());
    let marked =
        |line: &str| ["trajview: ", "error: "].into_iter().find(|mark| line.starts_with(mark));
    let last = lines.clone().next().unwrap_or("the export failed");
    match lines.find_map(|line| Some((line, marked(line)?))) {
        Some((line, mark)) => &line[mark.len()..],
        None => last,
    }
}

/// Counts down when an export ends for any reason.
struct RunningExport<'a>(&'a AtomicUsize);

impl Drop for RunningExport<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns `tables (10 files, 1.2 MB)`.
fn summary_text(out: &Path) -> String {
    let sizes: Vec<u64> = match fs::read_dir(out) {
        Ok(files) => files.flatten().filter_map(|it| Some(it.metadata().ok()?.len())).collect(),
        Err(_) => out.metadata().iter().map(fs::Metadata::len).collect(),
    };
    let bytes = format_number::byte_size(sizes.iter().sum());
    match out.is_dir() {
        true => format!(
            "{} ({}, {bytes})",
            out.display(),
            format_number::count_with_noun(sizes.len(), "file")
        ),
        false => format!("{} ({bytes})", out.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_tui::session::export_job::{EXPORT_FORMATS, EXPORT_TABLES};

    fn job(id: &str, run: &Path, out: Option<PathBuf>) -> ExportJob {
        ExportJob {
            runs: vec![run.to_owned()],
            format: EXPORT_FORMATS.iter().find(|it| it.id == id).unwrap(),
            tables: vec![],
            columns: None,
            moments: "final".into(),
            is_redacted: true,
            moment_pair: None,
            out,
            overwrites: false,
        }
    }

    #[test]
    fn a_typed_name_that_is_not_a_column_is_refused_at_its_field() {
        let folder = tempfile::tempdir().unwrap();
        let plan = |columns: &str| {
            let out = Some(folder.path().join("tables"));
            let job = ExportJob {
                columns: Some(columns.into()),
                ..job("csv", Path::new("a.jsonl"), out)
            };
            plan_export(&job)
        };

        let refusal = plan("task_id, erosoin").unwrap_err();

        assert_eq!(refusal.field, Some(export_form::COLUMNS));
        assert!(refusal.why.contains("did you mean erosion?"), "{}", refusal.why);
        assert!(
            plan("task_id, erosion").unwrap().rows[0].1.ends_with("--columns 'task_id, erosion'")
        );
    }

    #[test]
    fn an_existing_file_is_asked_about_and_no_part_of_a_recording_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (log, bundle) = (folder.path().join("log.jsonl"), folder.path().join("bundle"));
        let old = folder.path().join("old.csv");
        fs::create_dir(&bundle).unwrap();
        for path in [&log, &old, &bundle.join("run.json")] {
            fs::write(path, "{}").unwrap();
        }
        let refusal = |id: &str, out: &Path, overwrites| {
            let job = ExportJob { overwrites, ..job(id, &log, Some(out.to_owned())) };
            plan_export(&job).err().map(|it| it.field.unwrap_or_default())
        };

        assert_eq!(refusal("scores", &old, false), Some(export_form::EXISTING));
        assert_eq!(refusal("scores", &old, true), None);
        assert_eq!(refusal("scores", &log, true), Some(export_form::FILE), "the log is read");
        assert_eq!(refusal("html", &bundle.join("x.html"), true), Some(export_form::FILE));
        assert_eq!(refusal("csv", &bundle.join("a/b"), true), Some(export_form::FILE));
        assert_eq!(refusal("csv", &old, true), Some(export_form::FILE), "a file is no folder");
        assert_eq!(refusal("csv", folder.path(), false), Some(export_form::EXISTING));
        assert_eq!(refusal("html", folder.path(), true), Some(export_form::FILE));
        assert_eq!(refusal("html", &folder.path().join("no/x"), true), Some(export_form::FILE));
        assert_eq!(refusal("html", &folder.path().join("new.html"), false), None);
        let sidecar = folder.path().join("sidecar.json");
        fs::write(&sidecar, "{}").unwrap();
        assert_eq!(refusal("losses", &sidecar, true), Some(export_form::FILE), "read with the log");
    }

    #[test]
    fn a_figure_of_judgements_says_what_its_runs_lack() {
        let run = PathBuf::from("sample-runs/codex-p12");
        let other = PathBuf::from("sample-runs/codex-p12-single-shot");
        let log = PathBuf::from("sample-runs/logs/pi.jsonl");
        let plan = |id: &str, runs: &[&Path], moments: Option<&str>| {
            let runs = runs.iter().map(|run| (*run).to_owned()).collect();
            let moment_pair = moments.map(str::to_owned);
            let out = Some(PathBuf::from("a-figure.svg"));
            plan_export(&ExportJob { runs, moment_pair, ..job(id, &run, out) })
        };
        let why_not = |id: &str, runs: &[&Path], moments: Option<&str>| {
            plan(id, runs, moments).unwrap_err().why
        };

        let of_one = plan("figure-transitions", &[&run], None).unwrap();
        assert!(of_one.rows[0].1.contains(" --between 39 56 "), "{}", of_one.rows[0].1);
        assert!(of_one.proposed.contains(&(export_form::MOMENT_PAIR, "39 56".into())));
        let of_two = plan("figure-transitions", &[&run, &other], None).unwrap();
        assert!(!of_two.rows[0].1.contains("--between"), "{}", of_two.rows[0].1);
        assert!(plan("figure-agreement", &[&run], None).is_ok());
        let no_scores = why_not("figure-transitions", &[&log], None);
        assert!(no_scores.contains("no judgement of the whole checklist"), "{no_scores}");
        let one_state = why_not("figure-transitions", &[&other], None);
        assert!(one_state.contains("one state"), "{one_state}");
        let one_judged = why_not("figure-transitions", &[&run, &log], None);
        assert!(one_judged.contains("1 of 2 runs"), "{one_judged}");
        let one_word = plan("figure-transitions", &[&run], Some("final")).unwrap_err();
        assert_eq!(one_word.field, Some(export_form::MOMENT_PAIR));
        let alone = why_not("figure-agreement", &[&log], None);
        assert!(alone.contains("two judges or people"), "{alone}");
    }

    #[test]
    fn an_archive_a_trial_and_the_folder_of_a_run_are_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["run", "trial/agent", "job"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for name in ["runs.zip", "trial/results.json", "job/result.json"] {
            fs::write(path(name), "{}").unwrap();
        }
        let is_refused = |run: &str, out: &str| {
            let job = ExportJob { overwrites: true, ..job("html", &path(run), Some(path(out))) };
            plan_export(&job).is_err_and(|it| it.field == Some(export_form::FILE))
        };

        assert!(is_refused("runs.zip/a/log.jsonl", "runs.zip"), "the archive itself");
        assert!(is_refused("run", "run/report.html"), "a folder that is a run");
        assert!(is_refused("run", "trial/agent/report.html") && is_refused("run", "job/x.html"));
        assert!(!is_refused("runs.zip/a/log.jsonl", "report.html"));
    }

    #[test]
    fn a_file_that_appeared_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (part, out) = (folder.path().join("part"), folder.path().join("out"));
        fs::write(&part, "new").unwrap();
        fs::write(&out, "old").unwrap();

        assert!(rename_to_new(&part, &out).is_err());
        assert_eq!(fs::read_to_string(&out).unwrap(), "old");
        fs::remove_file(&out).unwrap();
        rename_to_new(&part, &out).unwrap();
        assert_eq!((fs::read_to_string(&out).unwrap().as_str(), part.exists()), ("new", false));
    }

    #[test]
    fn the_error_of_a_command_is_the_line_that_says_what_is_wrong() {
        assert_eq!(
            error_sentence("trajview: cannot read a: no such file\n"),
            "cannot read a: no such file"
        );
        let usage = "error: unexpected argument '--x' found\n\nUsage: trajview\n\nFor more, try '--help'.\n";
        assert_eq!(error_sentence(usage), "unexpected argument '--x' found");
        assert_eq!(error_sentence("killed\n"), "killed");
        assert_eq!(error_sentence(""), "the export failed");
    }

    #[test]
    fn the_tables_of_the_form_are_those_of_the_export() {
        let names = trajview_store::dataset::DataTable::ALL.map(|it| it.word());
        assert_eq!(EXPORT_TABLES.map(|(name, _)| name).as_slice(), names.as_slice());
    }
}
