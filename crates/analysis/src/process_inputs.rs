//! The material by which a judge scores the parts of a run's process: the plan, the commits, the requirements.

use trajview_metrics::process::{JudgedPart, StepAction, StepFacts};
use trajview_run::{Run, StepId, rubric::Component};
use trajview_store::Archive;

use super::process;

/// The most characters of a plan, of the requirements, and of one command line or request.
const MOST_CHARS: usize = 20_000;
const MOST_CHARS_EACH: usize = 1_000;

/// The most files of one commit that are named.
const MOST_FILES: usize = 30;

/// Returns the material of each part up to the end of a turn, counted in turns done; a part of which the run has
/// nothing is left out.
pub fn part_materials(archive: &Archive, run: &Run, done: usize) -> Vec<(JudgedPart, String)> {
    let observed = process::observe_run(archive, run);
    let steps: Vec<&StepFacts> = observed.steps.iter().filter(|step| step.id.turn < done).collect();
    let of = |part: JudgedPart| match part {
        JudgedPart::Plan => plan_text(archive, run, &steps),
        JudgedPart::Commits => commits_text(archive, run, &steps),
        JudgedPart::Requirements => {
            let checklist = archive.read_rubric().checklist.map(|list| list.components);
            let components = checklist.unwrap_or_default();
            requirements_text(&components, observed.requests.get(..done).unwrap_or_default())
        }
    };
    JudgedPart::ALL.into_iter().filter_map(|part| Some((part, of(part)?))).collect()
}

/// Returns the text of the step with the longest plan, the first of equals.
fn plan_text(archive: &Archive, run: &Run, steps: &[&StepFacts]) -> Option<String> {
    let longest = steps.iter().map(|step| step.plan.len()).max().filter(|len| *len > 0)?;
    let step = steps.iter().find(|step| step.plan.len() == longest)?;
    Some(cut_text(step_line(archive, run, step.id).trim(), MOST_CHARS))
        .filter(|text| !text.is_empty())
}

/// Returns the text of the step: a call's arguments, else its message.
fn step_line(archive: &Archive, run: &Run, step: StepId) -> String {
    let text = archive.step_text(run, step);
    text.arguments.unwrap_or(text.text)
}

/// Returns each successful commit's command, and the files edited since the commit before; None where there is none.
/// Leaves out the commits after [`MOST_CHARS`] bytes of text.
fn commits_text(archive: &Archive, run: &Run, steps: &[&StepFacts]) -> Option<String> {
    let mut edited: Vec<&str> = vec![];
    let mut text = String::new();
    let mut number = 0;
    for step in steps {
        for path in &step.edits {
            if !edited.contains(&path.as_str()) {
                edited.push(path);
            }
        }
        if !step.has_action(StepAction::Committed) || step.failed || text.len() > MOST_CHARS {
            continue;
        }
        number += 1;
        let command = cut_text(step_line(archive, run, step.id).trim(), MOST_CHARS_EACH);
        let files = match edited.len() {
            0 => "none recorded".to_owned(),
            count if count > MOST_FILES => {
                format!("{} and {} more", edited[..MOST_FILES].join(", "), count - MOST_FILES)
            }
            _ => edited.join(", "),
        };
        let (turn, at) = (step.id.turn + 1, step.number);
        text.push_str(&format!(
            "Commit {number} (step {turn}.{at})\n{command}\nEdited since the last: {files}\n\n"
        ));
        edited.clear();
    }
    (number > 0).then(|| text.trim_end().to_owned())
}

/// Returns the components of the checklist, else the requests.
fn requirements_text(components: &[Component], requests: &[String]) -> Option<String> {
    let lines: Vec<String> = match components {
        [] => requests
            .iter()
            .zip(1..)
            .filter(|(request, _)| !request.trim().is_empty())
            .map(|(request, turn)| {
                format!("Turn {turn}: {}", cut_text(request.trim(), MOST_CHARS_EACH))
            })
            .collect(),
        all => {
            let one = |it: &Component| {
                format!("- {} {}: {}", it.id, it.name, cut_text(it.intent.trim(), MOST_CHARS_EACH))
            };
            all.iter().map(one).collect()
        }
    };
    (!lines.is_empty()).then(|| cut_text(&lines.join("\n"), MOST_CHARS))
}

fn cut_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} (cut)", &text[..end]),
        None => text.to_owned(),
    }
}
