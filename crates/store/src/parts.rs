//! What of a run the judged parts of its process are judged by: the plan, the commits, the requirements.

use trajview_metrics::process::{Action, JudgedPart, StepFacts};
use trajview_run::{Run, StepId, rubric::Component};

use super::Archive;

/// Characters of a plan, of the requirements, and of one command line or request.
const MOST: usize = 20_000;
const MOST_EACH: usize = 1_000;

/// Files of one commit that are named.
const MOST_FILES: usize = 30;

/// The material of each part up to the end of a turn, counted in turns done; a part of which the run has nothing is left out.
pub fn material(archive: &Archive, run: &Run, done: usize) -> Vec<(JudgedPart, String)> {
    let observed = super::process::observed(archive, run);
    let steps: Vec<&StepFacts> = observed.steps.iter().filter(|step| step.id.turn < done).collect();
    let of = |part: JudgedPart| match part {
        JudgedPart::Plan => plan(archive, run, &steps),
        JudgedPart::Commits => commits(archive, run, &steps),
        JudgedPart::Requirements => {
            let checklist = archive.rubric().checklist.map(|list| list.components);
            let components = checklist.unwrap_or_default();
            requirements(&components, observed.requests.get(..done).unwrap_or_default())
        }
    };
    JudgedPart::ALL.into_iter().filter_map(|part| Some((part, of(part)?))).collect()
}

/// The text of the step with the longest plan, the first of equals.
fn plan(archive: &Archive, run: &Run, steps: &[&StepFacts]) -> Option<String> {
    let longest = steps.iter().map(|step| step.plan.len()).max().filter(|len| *len > 0)?;
    let step = steps.iter().find(|step| step.plan.len() == longest)?;
    Some(cut(line(archive, run, step.id).trim(), MOST)).filter(|text| !text.is_empty())
}

/// What the step says: a call's arguments, else its text.
fn line(archive: &Archive, run: &Run, step: StepId) -> String {
    let text = archive.step_text(run, step);
    text.arguments.unwrap_or(text.text)
}

fn commits(archive: &Archive, run: &Run, steps: &[&StepFacts]) -> Option<String> {
    let mut edited: Vec<&str> = vec![];
    let mut told = String::new();
    let mut number = 0;
    for step in steps {
        for path in &step.edits {
            if !edited.contains(&path.as_str()) {
                edited.push(path);
            }
        }
        if !step.does(Action::Committed) || step.failed || told.len() > MOST {
            continue;
        }
        number += 1;
        let command = cut(line(archive, run, step.id).trim(), MOST_EACH);
        let files = match edited.len() {
            0 => "none recorded".to_owned(),
            count if count > MOST_FILES => {
                format!("{} and {} more", edited[..MOST_FILES].join(", "), count - MOST_FILES)
            }
            _ => edited.join(", "),
        };
        let (turn, at) = (step.id.turn + 1, step.number);
        told.push_str(&format!(
            "Commit {number} (step {turn}.{at})\n{command}\nEdited since the last: {files}\n\n"
        ));
        edited.clear();
    }
    (number > 0).then(|| told.trim_end().to_owned())
}

/// The components of the checklist, else the requests.
fn requirements(components: &[Component], requests: &[String]) -> Option<String> {
    let lines: Vec<String> = match components {
        [] => requests
            .iter()
            .zip(1..)
            .filter(|(request, _)| !request.trim().is_empty())
            .map(|(request, turn)| format!("Turn {turn}: {}", cut(request.trim(), MOST_EACH)))
            .collect(),
        all => {
            let one = |it: &Component| {
                format!("- {} {}: {}", it.id, it.name, cut(it.intent.trim(), MOST_EACH))
            };
            all.iter().map(one).collect()
        }
    };
    (!lines.is_empty()).then(|| cut(&lines.join("\n"), MOST))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} (cut)", &text[..end]),
        None => text.to_owned(),
    }
}
