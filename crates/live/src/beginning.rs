//! What a run begins with, before its first request: the files that it is given, and the commands that prepare them.
//!
//! The files are copied into the workspace and are the first commit of the bundle; what each command changed is a commit
//! after it. None of these commits is a turn: who reads the bundle takes the last of them for the state before turn 1.

use std::fs;

use trajview_store::{
    beginning::{Beginning, LeftOut},
    workspace::{Note, Onlooker},
    write::{self, WriteError},
};

use super::{
    base::{Base, PATCH, SetupRow},
    checks::{self, Ended, Limits},
    event::Event,
    journal::{self, Entry},
    recorder::{Parts, Recorder},
    run::Halt,
    setup::StartOptions,
};

/// Paths that are named of what a command changed.
const MOST_CHANGED: usize = 200;

/// What is kept of each end of a command's output (bytes).
const MOST_OUTPUT: usize = 32 << 10;

impl Recorder<'_> {
    /// Lays the files into the workspace and runs the commands, as far as that was not done before.
    pub fn begin_files(&mut self) -> Result<(), Halt> {
        let start = self.setup.folders.start.clone();
        if start.is_nothing() {
            return Ok(());
        }
        if self.progress.base.is_none() {
            self.take_files(&start)?;
        }
        let rows = self.progress.base.iter().flat_map(|base| &base.setup);
        let done = rows.filter(|row| row.is_fine).count();
        for command in start.setup.iter().skip(done) {
            self.set_up(command)?;
        }
        Ok(())
    }

    fn take_files(&mut self, start: &StartOptions) -> Result<(), Halt> {
        let workspace = self.stage.workspace();
        for entry in fs::read_dir(&workspace).into_iter().flatten().flatten() {
            // What an interrupted beginning left; what cannot be removed is in the way and says so.
            let path = entry.path();
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
        let mut source = None;
        if let Some(from) = &start.from {
            let hidden = self.never_copied();
            let beginning = Beginning::find(from).map_err(Halt::NotReady)?;
            let mut told = |files| self.told(&Event::Recording { files });
            let copied = beginning.copy(&workspace, start.with_history, &hidden, &mut told);
            source = Some(copied.map_err(Halt::NotReady)?);
        }
        let title = match &source {
            Some(source) => {
                let revision = source.revision.as_deref().unwrap_or("a folder");
                format!("before turn 1: {revision}")
            }
            None => "before turn 1: nothing".to_owned(),
        };
        let (commit, covered) = self.commit_files(None, &title)?;
        let not_recorded = self.history.unrecorded(&workspace);
        let base = Base { commit, source, not_recorded, covered, setup: vec![] };
        let sentence = self.stage.secrets.hide(&said(&base));
        self.record(&Entry::FilesTaken(Box::new(base)))?;
        self.write_manifest()?;
        self.told(&Event::Beginning(sentence));
        Ok(())
    }

    /// Folders that no workspace gets, wherever they lie: this run, and where its agent lives.
    fn never_copied(&self) -> Vec<std::path::PathBuf> {
        let all = [self.bundle.as_path(), self.stage.root()];
        all.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
    }

    /// The error is a halt: the first request is never asked where a command failed.
    fn set_up(&mut self, command: &str) -> Result<(), Halt> {
        let shown = self.stage.secrets.hide(command);
        self.told(&Event::Beginning(format!("setup: {shown}")));
        let limits = Limits { seconds: self.setup.limits.timeouts.turn, stop: &self.control.stop };
        let workspace = self.stage.workspace();
        let said = checks::said(command, &workspace, &self.stage, &self.guard.confinement, &limits);
        super::process::sweep(&self.stage.id);
        let said = said.map_err(|why| Halt::NotReady(format!("setup: {shown}: {why}")))?;
        let (exit, is_fine) = match said.ended {
            Ended::Itself(ending) => (ending.words(), ending.code == Some(0)),
            Ended::TimedOut => (format!("not over within {} s", limits.seconds), false),
            Ended::Stopped => return Err(Halt::Stopped),
        };
        let output = self.stage.secrets.hide(&ends_of(&said.output));
        let (mut commit, mut changed) = (None, vec![]);
        if is_fine {
            let before = self.progress.commit().map(str::to_owned);
            let (made, _) = self.commit_files(before.as_deref(), &format!("setup: {shown}"))?;
            changed = self.history.changed(before.as_deref(), &made, MOST_CHANGED);
            commit = Some(made);
        }
        let last = output.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let row = SetupRow {
            command: shown.clone(),
            exit: exit.clone(),
            is_fine,
            seconds: said.seconds,
            output,
            commit,
            changed,
        };
        let sentence = row.said();
        self.record(&Entry::SetUp(Box::new(row)))?;
        self.write_manifest()?;
        self.told(&Event::Beginning(sentence));
        if is_fine {
            return Ok(());
        }
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        Err(Halt::NotReady(format!("setup: {shown}: {exit}{last}")))
    }

    fn commit_files(
        &mut self,
        before: Option<&str>,
        title: &str,
    ) -> Result<(String, Vec<String>), Halt> {
        let trailers = [("Agent", self.setup.agent.clone())];
        let title = self.stage.secrets.hide(title.lines().next().unwrap_or_default());
        let note = Note { title: &title, trailers: &trailers, at: journal::time(&journal::now()) };
        let Parts { stage, history, tell, .. } = self.parts();
        let onlooker = Onlooker {
            cover: &|bytes| stage.secrets.cover(bytes),
            count: &mut |files| tell(&Event::Recording { files }),
        };
        let taken = history.take(&stage.workspace(), before, &note, onlooker)?;
        for (path, why) in &taken.left_out {
            self.warn(&format!("before turn 1: not recorded: {path}: {why}"))?;
        }
        Ok((taken.commit, taken.covered))
    }

    /// Writes what the turns that count have changed, as a patch for the files that the run began with.
    pub fn write_patch(&mut self) -> Result<(), WriteError> {
        let Some(base) = &self.progress.base else { return Ok(()) };
        let last = self.progress.done.last().and_then(|done| done.row.commit.as_deref());
        let patch = match last {
            Some(last) => self.history.patch_between(Some(base.last_commit()), last)?,
            None => vec![],
        };
        write::replace(&self.bundle.join(PATCH), &patch)
    }
}

fn said(base: &Base) -> String {
    let Some(source) = &base.source else { return "the workspace is empty".into() };
    let mut sentence = base.origin().unwrap_or_default();
    sentence += &format!(": {} files", source.files);
    let left_out = |what: &LeftOut, words: &str| match what.names.as_slice() {
        [] => String::new(),
        names => {
            const SHOWN: usize = 3;
            let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
            let more = if what.count > SHOWN { ", …" } else { "" };
            format!("; {} {words}: {shown}{more}", what.count)
        }
    };
    sentence += &left_out(&source.ignored, "ignored and not copied");
    sentence + &left_out(&base.not_recorded, "copied and not recorded, as .gitignore names them")
}

/// The beginning and the end of what is long.
fn ends_of(output: &[u8]) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.len() <= 2 * MOST_OUTPUT {
        return text(output);
    }
    let (first, last) = (&output[..MOST_OUTPUT], &output[output.len() - MOST_OUTPUT..]);
    let between = output.len() - 2 * MOST_OUTPUT;
    format!("{}\n… {between} bytes are left out …\n{}", text(first), text(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_both_its_ends() {
        assert_eq!(ends_of(b"short\xff"), "short\u{fffd}");
        let long = [b"first".to_vec(), vec![b'x'; 100 << 10], b"last".to_vec()].concat();

        let kept = ends_of(&long);

        assert!(kept.starts_with("firstx") && kept.ends_with("xlast"));
        assert!(kept.contains("\n… 36873 bytes are left out …\n"), "{}", kept.len());
    }
}
