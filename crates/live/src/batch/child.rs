//! Runs one run, or one follow-up step, in a process of its own: the batch goes on whatever happens to that process.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process::{ChildStdin, Command, ExitStatus, Stdio},
};

/// A child process and its log. Dropping it closes its standard input, at which a run stops.
#[derive(Debug)]
pub struct BatchChild {
    process: std::process::Child,
    orders: Option<ChildStdin>,
    log: PathBuf,
    /// The offset in the log file where the lines of this child begin (bytes).
    from: u64,
}

/// The files that a child writes to.
#[derive(Debug)]
pub struct ChildFiles<'a> {
    /// Standard error, appended.
    pub log: &'a Path,
    /// Standard output, created anew; None when nobody needs it.
    pub output: Option<&'a Path>,
}

/// The number of bytes at the end of a log that are searched for its last line.
const TAIL_BYTES: u64 = 4_000;

impl BatchChild {
    /// Starts this program again with these arguments. The error is a sentence.
    pub fn start(
        program: &Path,
        words: &[String],
        folder: &Path,
        files: &ChildFiles<'_>,
    ) -> Result<Self, String> {
        let error_text =
            |path: &Path, why: &std::io::Error| format!("cannot write {}: {why}", path.display());
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(files.log)
            .map_err(|why| error_text(files.log, &why))?;
        let from = log.seek(SeekFrom::End(0)).unwrap_or(0);
        let output = match files.output {
            None => Stdio::null(),
            Some(path) => File::create(path).map_err(|why| error_text(path, &why))?.into(),
        };
        let mut process = Command::new(program)
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(log)
            .spawn()
            .map_err(|why| format!("cannot start {}: {why}", program.display()))?;
        let orders = process.stdin.take();
        Ok(Self { process, orders, log: files.log.to_owned(), from })
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends an order, such as [`super::super::control::ORDER_GO`]; nothing happens when the child has ended.
    pub(crate) fn send_order(&mut self, word: &str) {
        if let Some(orders) = &mut self.orders {
            let _ = writeln!(orders, "{word}"); // it may have ended, which the next poll shows
        }
    }

    /// Stops a run at once by closing its standard input.
    pub fn stop(&mut self) {
        self.orders = None;
    }

    /// Interrupts a child that takes no orders: it ends after the work under way, or at once.
    pub fn interrupt(&mut self) {
        self.stop();
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT); // it may be gone
        }
        #[cfg(not(unix))]
        let _ = self.process.kill();
    }

    /// Returns the exit status; None while it runs.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().ok().flatten()
    }

    /// Returns the last line of its log that is not empty.
    pub(crate) fn last_log_line(&self) -> Option<String> {
        let mut file = File::open(&self.log).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(self.from.max(length.saturating_sub(TAIL_BYTES)))).ok()?;
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(last.strip_prefix("trajview: ").unwrap_or(last).to_owned())
    }
}

/// Returns the exit status as text.
pub(crate) fn exit_text(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "it was killed".into(),
    }
}

/// Moves a folder into `into` and returns its new path: the same name, with a number when that name is taken.
pub(crate) fn move_aside(from: &Path, into: &Path) -> Result<PathBuf, String> {
    let error_text = |why: std::io::Error| format!("cannot move {}: {why}", from.display());
    fs::create_dir_all(into).map_err(error_text)?;
    let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names = std::iter::once(name.clone()).chain((2..).map(|count| format!("{name}.{count}")));
    let free = names.map(|name| into.join(name)).find(|path| fs::symlink_metadata(path).is_err());
    let to = free.ok_or_else(|| format!("cannot move {}: no name is free", from.display()))?;
    fs::rename(from, &to).map_err(error_text)?;
    Ok(to)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn start_shell(folder: &Path, script: &str) -> BatchChild {
        let (log, output) = (folder.join("log"), folder.join("output"));
        let files = ChildFiles { log: &log, output: Some(&output) };
        let words = ["-c".to_owned(), script.to_owned()];
        BatchChild::start(Path::new("/bin/sh"), &words, folder, &files).unwrap()
    }

    fn wait_for_end(mut child: BatchChild) -> (ExitStatus, Option<String>) {
        loop {
            if let Some(status) = child.exit_status() {
                return (status, child.last_log_line());
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_child_takes_orders_and_ends_when_nobody_gives_any() {
        let folder = tempfile::tempdir().unwrap();
        let mut child =
            start_shell(folder.path(), "while read word; do echo heard $word; done; echo gone >&2");

        child.send_order("go");
        child.stop();
        let (status, words) = wait_for_end(child);

        assert_eq!((status.code(), words.as_deref()), (Some(0), Some("gone")));
        assert_eq!(fs::read_to_string(folder.path().join("output")).unwrap(), "heard go\n");
    }

    #[test]
    fn the_words_of_an_earlier_child_are_not_its_own() {
        let folder = tempfile::tempdir().unwrap();
        wait_for_end(start_shell(folder.path(), "echo 'trajview: first' >&2; exit 3"));

        let (status, words) = wait_for_end(start_shell(folder.path(), "kill -9 $$"));

        assert_eq!((exit_text(status), words), ("it was killed".into(), None));
    }

    #[test]
    fn what_is_put_away_takes_nobodys_place() {
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("run"), folder.path().join("away"));
        for _ in 0..2 {
            fs::create_dir(&from).unwrap();
            move_aside(&from, &into).unwrap();
        }
        assert!(into.join("run").is_dir() && into.join("run.2").is_dir() && !from.exists());
    }
}
