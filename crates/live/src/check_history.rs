//! Builds and tests the files at moments of a recorded run, one after the other: each result is stored at once, and a
//! moment with a result is not run again.

use std::path::{Path, PathBuf};

use trajview_judge::stop_flag::StopFlag;
use trajview_metrics::process::checked_states::{
    ChangedMoment, CheckKind, CheckOutcome, CheckRun, last_result,
};
use trajview_run::files::Timeline;
use trajview_store as store;
use trajview_store::{checks, write::WriteError};

use super::{
    checkpoint_tests::{CommandEnd, CommandLimits, CommandOutput},
    recheck,
};

/// The commands to run, and the moments.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckRequest {
    /// For `sh -c`, in the folder of the files.
    pub commands: Vec<(CheckKind, String)>,
    pub each: checks::CheckedMoments,
    /// The time limit of a command (seconds).
    pub seconds: f64,
    /// True if moments with a result are run again.
    pub again: bool,
}

/// The result of the checks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckSummary {
    pub ran: usize,
    /// Results that existed already.
    pub existing: usize,
    /// The place of the new results; None when there are none.
    pub place: Option<PathBuf>,
    pub is_stopped: bool,
}

impl CheckSummary {
    /// Returns a sentence: `3 run and kept in PLACE, 2 there already`.
    pub fn summary_text(&self) -> String {
        let place = self.place.as_ref().map(|it| format!(" in {}", it.display()));
        let place = place.unwrap_or_default();
        format!("{} run and saved{place}, {} already existed", self.ran, self.existing)
    }
}

/// The reason why not all checks could be made; a sentence.
#[derive(Debug, thiserror::Error)]
pub enum CannotCheck {
    /// The files of the run are not known.
    #[error("{0}")]
    Files(String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A result, as it is reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CheckReport<'a> {
    Ran(&'a CheckRun),
    /// The result existed already.
    Existing(&'a CheckRun),
}

/// Runs every check without a result and reports each result, in order.
pub fn run_checks(
    recording: &Path,
    opened: &store::OpenedRecording,
    request: &CheckRequest,
    stop: &StopFlag,
    emit: &mut dyn FnMut(CheckReport<'_>),
) -> Result<CheckSummary, CannotCheck> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let timeline = archive.timeline(run).map_err(CannotCheck::Files)?;
    let moments = checks::checked_moments(run, &timeline, request.each);
    if moments.is_empty() {
        let why = "no turn changes recorded files, so nothing to run";
        return Err(CannotCheck::Files(why.into()));
    }
    let (mut all, _) = checks::stored_checks(archive);
    let before = all.len();
    let work = CheckWork { recording, opened, timeline: &timeline, seconds: request.seconds, stop };
    let mut done = CheckSummary::default();
    for moment in &moments {
        for (kind, command) in &request.commands {
            // A command that was just run is not run again for other moments with the same files.
            let there = if request.again { &all[before..] } else { &all[..] };
            if let Some(check) = last_result(there, *kind, command, &moment.tree) {
                done.existing += 1;
                emit(CheckReport::Existing(check));
                continue;
            }
            let Some(check) = work.run_check(moment, *kind, command) else {
                return Ok(CheckSummary { is_stopped: true, ..done });
            };
            done.place = Some(checks::store_check(archive, &check)?);
            done.ran += 1;
            emit(CheckReport::Ran(&check));
            all.push(check);
        }
    }
    Ok(done)
}

/// The parts that every run of a command needs.
struct CheckWork<'a> {
    recording: &'a Path,
    opened: &'a store::OpenedRecording,
    timeline: &'a Timeline,
    seconds: f64,
    stop: &'a StopFlag,
}

impl CheckWork<'_> {
    /// Returns turn and step as `12.7`; None at the end of a turn.
    fn step_name(&self, moment: &ChangedMoment) -> Option<String> {
        let step = moment.step?;
        let mut numbered = self.opened.run.numbered_steps().into_iter();
        let (_, number) = numbered.find(|(id, _)| *id == step)?;
        Some(format!("{}.{number}", moment.turn + 1))
    }

    /// Runs one command; None when it was stopped.
    fn run_check(
        &self,
        moment: &ChangedMoment,
        kind: CheckKind,
        command: &str,
    ) -> Option<CheckRun> {
        if self.stop.is_set() {
            return None;
        }
        let tree = self.timeline.tree_at(&self.opened.run, moment.files_moment());
        let limits = CommandLimits { seconds: self.seconds, stop: self.stop };
        let ran = recheck::run_on_files(self.recording, self.opened, &tree, command, &limits);
        let mut check = CheckRun {
            kind,
            command: command.to_owned(),
            tree: moment.tree.clone(),
            commit: moment.commit.clone(),
            turn: moment.turn + 1,
            step: self.step_name(moment),
            outcome: CheckOutcome::NotRun,
            exit_code: None,
            seconds: None,
            at: Some(jiff::Timestamp::now().to_string()),
            output: String::new(),
        };
        let CommandOutput { output, ended, seconds } = match ran {
            Ok(ran) => ran,
            Err(why) => {
                check.output = why;
                return Some(check);
            }
        };
        check.output = last_output_lines(&output);
        check.seconds = Some((seconds * 1e3).round() / 1e3);
        check.outcome = match ended {
            CommandEnd::Stopped => return None,
            CommandEnd::TimedOut => CheckOutcome::TimedOut,
            CommandEnd::Itself(ending) => {
                check.exit_code = ending.code;
                if ending.code == Some(0) { CheckOutcome::Fine } else { CheckOutcome::Failed }
            }
        };
        Some(check)
    }
}

/// Lines and characters that are kept of the end of an output.
const LAST_LINES: usize = 20;
const LAST_CHARACTERS: usize = 4_000;

/// Returns the last lines of an output.
fn last_output_lines(output: &[u8]) -> String {
    // A character has four bytes at most.
    let from = output.len().saturating_sub(4 * LAST_CHARACTERS);
    let text = String::from_utf8_lossy(&output[from..]);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    let skipped = last.chars().count().saturating_sub(LAST_CHARACTERS);
    last.chars().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_an_output_are_kept() {
        let long: String = (0..100_000).map(|at| format!("line {at}\n")).collect();

        let kept = last_output_lines(long.as_bytes());

        assert_eq!(kept.lines().count(), LAST_LINES);
        assert!(kept.ends_with("line 99999"));
        assert_eq!(
            last_output_lines("é".repeat(50_000).as_bytes()).chars().count(),
            LAST_CHARACTERS
        );
        assert_eq!(last_output_lines(b""), "");
    }
}
