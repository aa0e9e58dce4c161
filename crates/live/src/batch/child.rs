//! A run, or what is done with one that is over, in a process of its own: whatever becomes of it, the batch goes on.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process::{ChildStdin, Command, ExitStatus, Stdio},
};

/// A child and what it says. Dropping it lets go of its standard input, at which a run stops.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    orders: Option<ChildStdin>,
    log: PathBuf,
    /// Where its own words begin in the log.
    from: u64,
}

/// Where a child's words and its output go.
#[derive(Debug)]
pub struct Files<'a> {
    /// Appended to.
    pub log: &'a Path,
    /// Made anew; None where the output is not wanted.
    pub output: Option<&'a Path>,
}

/// Bytes of a log that are looked at for the last words.
const LAST: u64 = 4_000;

impl Child {
    /// Starts this program again with these words. The error is a sentence.
    pub fn start(
        program: &Path,
        words: &[String],
        folder: &Path,
        files: &Files<'_>,
    ) -> Result<Self, String> {
        let said =
            |path: &Path, why: &std::io::Error| format!("cannot write {}: {why}", path.display());
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(files.log)
            .map_err(|why| said(files.log, &why))?;
        let from = log.seek(SeekFrom::End(0)).unwrap_or(0);
        let output = match files.output {
            None => Stdio::null(),
            Some(path) => File::create(path).map_err(|why| said(path, &why))?.into(),
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

    /// Says an order, such as [`super::super::control::ORDER_GO`]; one that has ended does not hear it.
    pub fn order(&mut self, word: &str) {
        if let Some(orders) = &mut self.orders {
            let _ = writeln!(orders, "{word}"); // it may be gone, which is seen when it is looked after
        }
    }

    /// Has a run stop at once.
    pub fn stop(&mut self) {
        self.orders = None;
    }

    /// As [`Self::stop`], for what takes no orders: it ends after what is under way, or at once.
    pub fn interrupt(&mut self) {
        self.stop();
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT); // it may be gone
        }
        #[cfg(not(unix))]
        let _ = self.process.kill();
    }

    /// How it ended; None while it works.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().ok().flatten()
    }

    /// The last line that it said.
    pub fn last_words(&self) -> Option<String> {
        let mut file = File::open(&self.log).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(self.from.max(length.saturating_sub(LAST)))).ok()?;
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(last.strip_prefix("trajview: ").unwrap_or(last).to_owned())
    }
}

/// How a child ended, in words.
pub fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "it was killed".into(),
    }
}

/// Where a folder of somebody's is put so that it is out of the way: its name, with a number where that is taken.
pub fn put_away(from: &Path, into: &Path) -> Result<PathBuf, String> {
    let said = |why: std::io::Error| format!("cannot move {}: {why}", from.display());
    fs::create_dir_all(into).map_err(said)?;
    let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names = std::iter::once(name.clone()).chain((2..).map(|count| format!("{name}.{count}")));
    let free = names.map(|name| into.join(name)).find(|path| fs::symlink_metadata(path).is_err());
    let to = free.ok_or_else(|| format!("cannot move {}: no name is free", from.display()))?;
    fs::rename(from, &to).map_err(said)?;
    Ok(to)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn start(folder: &Path, script: &str) -> Child {
        let (log, output) = (folder.join("log"), folder.join("output"));
        let files = Files { log: &log, output: Some(&output) };
        let words = ["-c".to_owned(), script.to_owned()];
        Child::start(Path::new("/bin/sh"), &words, folder, &files).unwrap()
    }

    fn wait(mut child: Child) -> (ExitStatus, Option<String>) {
        loop {
            if let Some(status) = child.ended() {
                return (status, child.last_words());
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_child_takes_orders_and_ends_when_nobody_gives_any() {
        let folder = tempfile::tempdir().unwrap();
        let mut child =
            start(folder.path(), "while read word; do echo heard $word; done; echo gone >&2");

        child.order("go");
        child.stop();
        let (status, words) = wait(child);

        assert_eq!((status.code(), words.as_deref()), (Some(0), Some("gone")));
        assert_eq!(fs::read_to_string(folder.path().join("output")).unwrap(), "heard go\n");
    }

    #[test]
    fn the_words_of_an_earlier_child_are_not_its_own() {
        let folder = tempfile::tempdir().unwrap();
        wait(start(folder.path(), "echo 'trajview: first' >&2; exit 3"));

        let (status, words) = wait(start(folder.path(), "kill -9 $$"));

        assert_eq!((ending(status), words), ("it was killed".into(), None));
    }

    #[test]
    fn what_is_put_away_takes_nobodys_place() {
        let folder = tempfile::tempdir().unwrap();
        let (from, into) = (folder.path().join("run"), folder.path().join("away"));
        for _ in 0..2 {
            fs::create_dir(&from).unwrap();
            put_away(&from, &into).unwrap();
        }
        assert!(into.join("run").is_dir() && into.join("run.2").is_dir() && !from.exists());
    }
}
