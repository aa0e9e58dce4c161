//! Building and testing the files of a recorded run's moments, one after the other: each result is kept as soon as it is there,
//! and what has one is not run again.

use std::path::{Path, PathBuf};

use trajview_judge::stop::Stop;
use trajview_metrics::process::states::{Check, CheckKind, CheckOutcome, Moment, known};
use trajview_run::files::Timeline;
use trajview_store as store;
use trajview_store::{checks, write::WriteError};

use super::{
    checks::{Ended, Limits, Said},
    recheck,
};

/// What is run on the files of which moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// For `sh -c`, in the folder of the files.
    pub commands: Vec<(CheckKind, String)>,
    pub each: checks::Each,
    /// A command is ended after so many.
    pub seconds: f64,
    /// Whether what has a result is run again.
    pub again: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    pub ran: usize,
    /// Results that were there already.
    pub known: usize,
    /// Where those that were run are kept; None where none was.
    pub place: Option<PathBuf>,
    pub is_stopped: bool,
}

impl Done {
    /// `3 run and kept in PLACE, 2 there already`
    pub fn words(&self) -> String {
        let place = self.place.as_ref().map(|it| format!(" in {}", it.display()));
        let place = place.unwrap_or_default();
        format!("{} run and kept{place}, {} there already", self.ran, self.known)
    }
}

/// Why not all of it could be done; a sentence.
#[derive(Debug, thiserror::Error)]
pub enum CannotCheck {
    /// The files of the run are not known.
    #[error("{0}")]
    Files(String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A result, as it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Told<'a> {
    Ran(&'a Check),
    /// It was there already.
    Known(&'a Check),
}

/// Runs what has no result yet and tells of each result, in order.
pub fn run(
    recording: &Path,
    opened: &store::Opened,
    wanted: &Wanted,
    stop: &Stop,
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<Done, CannotCheck> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let timeline = archive.timeline(run).map_err(CannotCheck::Files)?;
    let moments = checks::moments(run, &timeline, wanted.each);
    if moments.is_empty() {
        let why = "no turn changes files that are recorded, so there is nothing to run on";
        return Err(CannotCheck::Files(why.into()));
    }
    let (mut all, _) = checks::kept(archive);
    let before = all.len();
    let work = Work { recording, opened, timeline: &timeline, seconds: wanted.seconds, stop };
    let mut done = Done::default();
    for moment in &moments {
        for (kind, command) in &wanted.commands {
            // What was run a moment ago is not run again for other moments with the same files.
            let there = if wanted.again { &all[before..] } else { &all[..] };
            if let Some(check) = known(there, *kind, command, &moment.tree) {
                done.known += 1;
                tell(Told::Known(check));
                continue;
            }
            let Some(check) = work.check(moment, *kind, command) else {
                return Ok(Done { is_stopped: true, ..done });
            };
            done.place = Some(checks::keep(archive, &check)?);
            done.ran += 1;
            tell(Told::Ran(&check));
            all.push(check);
        }
    }
    Ok(done)
}

/// What every run of a command needs.
struct Work<'a> {
    recording: &'a Path,
    opened: &'a store::Opened,
    timeline: &'a Timeline,
    seconds: f64,
    stop: &'a Stop,
}

impl Work<'_> {
    /// `12.7`; None at the end of a turn.
    fn step(&self, moment: &Moment) -> Option<String> {
        let step = moment.step?;
        let mut numbered = self.opened.run.numbered_steps().into_iter();
        let (_, number) = numbered.find(|(id, _)| *id == step)?;
        Some(format!("{}.{number}", moment.turn + 1))
    }

    /// None where it was stopped.
    fn check(&self, moment: &Moment, kind: CheckKind, command: &str) -> Option<Check> {
        if self.stop.is_set() {
            return None;
        }
        let tree = self.timeline.tree_at(&self.opened.run, moment.files());
        let limits = Limits { seconds: self.seconds, stop: self.stop };
        let ran = recheck::run_on(self.recording, self.opened, &tree, command, &limits);
        let mut check = Check {
            kind,
            command: command.to_owned(),
            tree: moment.tree.clone(),
            commit: moment.commit.clone(),
            turn: moment.turn + 1,
            step: self.step(moment),
            outcome: CheckOutcome::NotRun,
            exit_code: None,
            seconds: None,
            at: Some(jiff::Timestamp::now().to_string()),
            output: String::new(),
        };
        let Said { output, ended, seconds } = match ran {
            Ok(said) => said,
            Err(why) => {
                check.output = why;
                return Some(check);
            }
        };
        check.output = tail(&output);
        check.seconds = Some((seconds * 1e3).round() / 1e3);
        check.outcome = match ended {
            Ended::Stopped => return None,
            Ended::TimedOut => CheckOutcome::TimedOut,
            Ended::Itself(ending) => {
                check.exit_code = ending.code;
                if ending.code == Some(0) { CheckOutcome::Fine } else { CheckOutcome::Failed }
            }
        };
        Some(check)
    }
}

/// Lines and characters of the output that are kept.
const LAST_LINES: usize = 20;
const LAST_CHARACTERS: usize = 4_000;

/// The last lines of an output.
fn tail(output: &[u8]) -> String {
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

        let kept = tail(long.as_bytes());

        assert_eq!(kept.lines().count(), LAST_LINES);
        assert!(kept.ends_with("line 99999"));
        assert_eq!(tail("é".repeat(50_000).as_bytes()).chars().count(), LAST_CHARACTERS);
        assert_eq!(tail(b""), "");
    }
}
