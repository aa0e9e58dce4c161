//! Records the files that a run starts with, and runs the commands that prepare them, before the first request.
//!
//! The files are copied into the workspace and are the first commit of the bundle; the changes of each command are a commit
//! after it. None of these commits is a turn: a reader of the bundle takes the last of them as the state before turn 1.

use std::fs;

use trajview_run::live::LiveEvent;
use trajview_store::{
    start_files::{LeftOutNames, StartSource},
    workspace::CommitNote,
    write::{self, WriteError},
};

use super::{
    checkpoint_tests::{self, CommandEnd, CommandLimits},
    journal::{self, JournalEntry},
    orphans,
    recorder::Recorder,
    run::RunHalt,
    setup::StartOptions,
    start_files::{PATCH_FILE, SetupRow, StartFiles},
};

/// The largest number of changed paths that are listed of a command.
const MAX_CHANGED_PATHS: usize = 200;

/// The largest part of the beginning and of the end of a command's output that is kept (bytes).
const MAX_END_BYTES: usize = 32 << 10;

impl Recorder<'_> {
    /// Copies the files into the workspace and runs the commands, except for those that were done before an interruption.
    pub(crate) fn record_start_files(&mut self) -> Result<(), RunHalt> {
        let start = self.setup.folders.start.clone();
        if start.is_nothing() {
            return Ok(());
        }
        if self.progress.base.is_none() {
            self.copy_start_files(&start)?;
        }
        let rows = self.progress.base.iter().flat_map(|base| &base.setup);
        let done = rows.filter(|row| row.is_fine).count();
        for command in start.setup.iter().skip(done) {
            self.run_setup_command(command)?;
        }
        Ok(())
    }

    fn copy_start_files(&mut self, start: &StartOptions) -> Result<(), RunHalt> {
        let workspace = self.run_folders.workspace();
        for entry in fs::read_dir(&workspace).into_iter().flatten().flatten() {
            // Files of an interrupted start; an entry that cannot be removed causes an error later.
            let path = entry.path();
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
        let mut source = None;
        if let Some(from) = &start.from {
            let hidden = self.folders_never_copied();
            let beginning = StartSource::find(from).map_err(RunHalt::NotReady)?;
            let mut on_progress = |files| self.emit_event(&LiveEvent::ReadingFiles { files });
            let copied =
                beginning.copy_files(&workspace, start.with_history, &hidden, &mut on_progress);
            source = Some(copied.map_err(RunHalt::NotReady)?);
        }
        let title = match &source {
            Some(source) => {
                let revision = source.revision.as_deref().unwrap_or("a folder");
                format!("before turn 1: {revision}")
            }
            None => "before turn 1: empty".to_owned(),
        };
        let (commit, covered) = self.commit_files(None, &title)?;
        let not_recorded = self.history.unrecorded_files(&workspace);
        let base = StartFiles { commit, source, not_recorded, covered, setup: vec![] };
        let sentence = self.run_folders.secrets.hide(&start_files_text(&base));
        self.record_entry(&JournalEntry::FilesTaken(Box::new(base)))?;
        self.write_manifest()?;
        self.emit_event(&LiveEvent::Preparing(sentence));
        Ok(())
    }

    /// Returns folders that are never copied: this bundle, and the folder where the agent lives.
    fn folders_never_copied(&self) -> Vec<std::path::PathBuf> {
        let all = [self.bundle.as_path(), self.run_folders.root()];
        all.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
    }

    /// Runs one command. The error is a halt: the first request is never sent after a command failed.
    fn run_setup_command(&mut self, command: &str) -> Result<(), RunHalt> {
        let shown = self.run_folders.secrets.hide(command);
        self.emit_event(&LiveEvent::Preparing(format!("setup: {shown}")));
        let limits =
            CommandLimits { seconds: self.setup.limits.timeouts.turn, stop: &self.control.stop };
        let workspace = self.run_folders.workspace();
        let ran = checkpoint_tests::run_command(
            command,
            &workspace,
            &self.run_folders,
            &self.guard.confinement,
            &limits,
        );
        orphans::kill_orphans(&self.run_folders.id);
        let ran = ran.map_err(|why| RunHalt::NotReady(format!("setup: {shown}: {why}")))?;
        let (exit, is_fine) = match ran.ended {
            CommandEnd::Itself(ending) => (ending.ending_text(), ending.code == Some(0)),
            CommandEnd::TimedOut => (format!("not over within {} s", limits.seconds), false),
            CommandEnd::Stopped => return Err(RunHalt::Stopped),
        };
        let output = self.run_folders.secrets.hide(&beginning_and_end(&ran.output));
        let (mut commit, mut changed) = (None, vec![]);
        if is_fine {
            let before = self.progress.last_commit().map(str::to_owned);
            let (made, _) = self.commit_files(before.as_deref(), &format!("setup: {shown}"))?;
            changed = self.history.changed_paths(before.as_deref(), &made, MAX_CHANGED_PATHS);
            commit = Some(made);
        }
        let last = output.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let row = SetupRow {
            command: shown.clone(),
            exit: exit.clone(),
            is_fine,
            seconds: ran.seconds,
            output,
            commit,
            changed,
        };
        let sentence = row.summary_text();
        self.record_entry(&JournalEntry::SetUp(Box::new(row)))?;
        self.write_manifest()?;
        self.emit_event(&LiveEvent::Preparing(sentence));
        if is_fine {
            return Ok(());
        }
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        Err(RunHalt::NotReady(format!("setup: {shown}: {exit}{last}")))
    }

    /// Records the workspace as a commit after `before`, with a warning for each file that is left out. Returns the commit, and
    /// the paths in which a secret was covered.
    fn commit_files(
        &mut self,
        before: Option<&str>,
        title: &str,
    ) -> Result<(String, Vec<String>), RunHalt> {
        let trailers = [("Agent", self.setup.agent.clone())];
        let title = self.run_folders.secrets.hide(title.lines().next().unwrap_or_default());
        let note = CommitNote {
            title: &title,
            trailers: &trailers,
            at: journal::parse_timestamp(&journal::timestamp_now()),
        };
        let taken = self.commit_workspace(before, &note)?;
        for (path, why) in &taken.left_out {
            self.record_warning(&format!("before turn 1: not recorded: {path}: {why}"))?;
        }
        Ok((taken.commit, taken.covered))
    }

    /// Writes the changes of all turns that count as a patch for the start files.
    pub fn write_patch(&mut self) -> Result<(), WriteError> {
        let Some(base) = &self.progress.base else { return Ok(()) };
        let last = self.progress.done.last().and_then(|done| done.row.commit.as_deref());
        let patch = match last {
            Some(last) => self.history.patch_between(Some(base.last_commit()), last)?,
            None => vec![],
        };
        write::replace_file(&self.bundle.join(PATCH_FILE), &patch)
    }
}

fn start_files_text(base: &StartFiles) -> String {
    let Some(source) = &base.source else { return "the workspace is empty".into() };
    let mut sentence = base.origin_text().unwrap_or_default();
    sentence += &format!(": {} files", source.files);
    let left_out = |what: &LeftOutNames, words: &str| match what.names.as_slice() {
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

/// Returns the output as text; of a long one the beginning and the end.
fn beginning_and_end(output: &[u8]) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.len() <= 2 * MAX_END_BYTES {
        return text(output);
    }
    let (first, last) = (&output[..MAX_END_BYTES], &output[output.len() - MAX_END_BYTES..]);
    let between = output.len() - 2 * MAX_END_BYTES;
    format!("{}\n… {between} bytes are left out …\n{}", text(first), text(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_both_its_ends() {
        assert_eq!(beginning_and_end(b"short\xff"), "short\u{fffd}");
        let long = [b"first".to_vec(), vec![b'x'; 100 << 10], b"last".to_vec()].concat();

        let kept = beginning_and_end(&long);

        assert!(kept.starts_with("firstx") && kept.ends_with("xlast"));
        assert!(kept.contains("\n… 36873 bytes are left out …\n"), "{}", kept.len());
    }
}
