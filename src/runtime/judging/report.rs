//! The outcome of a judging in sentences, for the screen.

use std::path::PathBuf;

use trajview_judge::{
    document::{FlagRow, JudgementDocument},
    fault::JudgeFault,
    judge_states::{JudgedStates, StateWithoutItems},
    judging::{JudgingFiles, JudgingHalt, JudgingJob},
};
use trajview_run::{
    flags::FlagCounts,
    format_number,
    judging::{JudgingEnd, JudgingOutcome, JudgingScale},
};
use trajview_store::disk::name_of;

/// Returns the outcome of all started states, in order.
pub(crate) fn report_outcome(
    JudgedStates { judged: states, left_out }: &JudgedStates,
) -> JudgingOutcome {
    let Some((job, last)) = states.last() else {
        return outcome_with(states, JudgingEnd::Failed, "no verdicts".into());
    };
    let (end, text) = match &last.halted {
        None => finished_text(states, left_out),
        Some(halt) => halted_text(states, job, halt),
    };
    outcome_with(states, end, text)
}

/// Returns the outcome of several judges: the worst one gives the result, and each has its sentence.
pub(crate) fn panel_outcome(outcomes: Vec<(String, JudgingOutcome)>) -> JudgingOutcome {
    let rank = |end: JudgingEnd| match end {
        JudgingEnd::Finished => 0,
        JudgingEnd::Stopped => 1,
        JudgingEnd::Failed => 2,
    };
    let end = outcomes.iter().map(|(_, it)| it.end).max_by_key(|end| rank(*end));
    let texts = outcomes.iter().map(|(judge, it)| format!("{judge}: {}", it.text));
    JudgingOutcome {
        end: end.unwrap_or(JudgingEnd::Failed),
        text: texts.collect::<Vec<_>>().join("; "),
        spent: outcomes.iter().filter_map(|(_, it)| it.spent).reduce(|sum, spent| sum + spent),
        files: outcomes.into_iter().flat_map(|(_, it)| it.files).collect(),
    }
}

/// Returns the outcome as [`report_outcome`] does, when a state could not be started.
pub(crate) fn failed_outcome(states: &JudgedStates, why: String) -> JudgingOutcome {
    outcome_with(&states.judged, JudgingEnd::Failed, why)
}

fn outcome_with(
    states: &[(JudgingJob, JudgingFiles)],
    end: JudgingEnd,
    text: String,
) -> JudgingOutcome {
    let file = |(path, document): &(PathBuf, JudgementDocument)| {
        (name_of(path).to_owned(), summary_text(document))
    };
    JudgingOutcome {
        end,
        text,
        files: judged_files(states).map(file).collect(),
        spent: states.last().and_then(|(_, ended)| ended.spent),
    }
}

fn judged_files(
    states: &[(JudgingJob, JudgingFiles)],
) -> impl Iterator<Item = &(PathBuf, JudgementDocument)> {
    states.iter().flat_map(|(_, ended)| &ended.files)
}

/// Returns how much is saved, and how to go on.
fn kept_text(states: &[(JudgingJob, JudgingFiles)]) -> String {
    let judged: usize = judged_files(states).map(|(_, it)| it.entries().len()).sum();
    match judged_files(states).last() {
        Some((path, _)) if judged > 0 => {
            format!("{judged} verdicts saved, the last in {}", name_of(path))
        }
        _ => "no verdicts yet".into(),
    }
}

fn halted_text(
    states: &[(JudgingJob, JudgingFiles)],
    job: &JudgingJob,
    halt: &JudgingHalt,
) -> (JudgingEnd, String) {
    let (kept, judge) = (kept_text(states), &job.settings.name);
    match halt {
        JudgingHalt::Stopped => (JudgingEnd::Stopped, format!("stopped; {kept}")),
        JudgingHalt::Fault(fault @ JudgeFault::TooExpensive(_)) => {
            (JudgingEnd::Failed, format!("judge {judge} stops at {fault}; {kept}"))
        }
        JudgingHalt::Fault(fault) => {
            (JudgingEnd::Failed, format!("judge {judge}: {fault}; {kept}"))
        }
        JudgingHalt::Write(why) => (JudgingEnd::Failed, format!("{why}; {kept}")),
        JudgingHalt::NothingToResume => (
            JudgingEnd::Failed,
            format!(
                "no judgement after turn {} by {judge} with this prompt, number of tool calls and {}s to resume; n and enter start one",
                job.subject.turn,
                job.scale().noun()
            ),
        ),
    }
}

fn finished_text(
    states: &[(JudgingJob, JudgingFiles)],
    left_out: &[StateWithoutItems],
) -> (JudgingEnd, String) {
    let all: usize = judged_files(states).map(|(_, it)| it.components.len()).sum();
    let without: usize = judged_files(states).map(|(_, it)| it.unanswered_ids().len()).sum();
    let is_whole = judged_files(states).all(|(_, it)| it.is_finished());
    let mut words = format!("{} judged", all - without);
    if without > 0 {
        let nothing = match states.first().map(|(job, _)| job.scale()) {
            Some(JudgingScale::Flags) => "an answer",
            Some(
                JudgingScale::Levels
                | JudgingScale::Decisions
                | JudgingScale::Process
                | JudgingScale::Codebook,
            )
            | None => "a verdict",
        };
        words.push_str(&format!(", {without} without {nothing}"));
    }
    if !left_out.is_empty() {
        let turns: Vec<String> = left_out.iter().map(|it| it.turn.to_string()).collect();
        words.push_str(&format!(", nothing to judge after turn {}", turns.join(", ")));
    }
    // Flags that are carried on are in several files; a sum would count them again.
    let mut files = judged_files(states);
    if let (Some((_, document)), None) = (files.next(), files.next())
        && let Some(rows) = document.flags()
    {
        words.push_str(&format!(", {}", flags_text(FlagRow::count_flags(rows))));
    }
    (if is_whole { JudgingEnd::Finished } else { JudgingEnd::Failed }, words)
}

/// Returns `12 flags (4 carried)`.
fn flags_text(FlagCounts { all, carried, .. }: FlagCounts) -> String {
    let all = if all == 1 { "1 flag".into() } else { format!("{all} flags") };
    if carried == 0 { all } else { format!("{all} ({carried} carried)") }
}

/// Returns `22 of 24, mean 2.86`.
fn summary_text(document: &JudgementDocument) -> String {
    if let Some(rows) = document.flags() {
        return flags_text(FlagRow::count_flags(rows));
    }
    let given = document.component_scores();
    let answered = given.iter().filter(|it| it.label.is_some()).count();
    let mut words = format!("{answered} of {}", document.components.len());
    if let Some(mean) = document.mean_fidelity() {
        words.push_str(&format!(", mean {}", format_number::three_decimals(mean)));
    }
    let unlooked = given.iter().filter(|it| it.is_unlooked && it.score.is_some()).count();
    if unlooked > 0 {
        words.push_str(&format!(", {unlooked} unlooked"));
    }
    words
}
