//! What the screen is told of a judging: what happens, in its own words, and how it ended.

use std::path::{Path, PathBuf};

use trajview_judge as judge;
use trajview_judge::{
    component::Look,
    document::{Document, FlagRow},
    each::{LeftOut, States},
    fault::Fault,
    run::{Ended, Halt, Job},
    scale::Scale,
};
use trajview_run::{figures, flags::Counts, rubric};
use trajview_tui::session::judging::{File, Given, How, News, Outcome};

/// Nothing here holds a key.
pub fn news(turn: usize, event: &judge::run::Event) -> News {
    use judge::run::Event as Told;
    match event.clone() {
        Told::Opened { path, repeat, done, total } => {
            News::File(File { name: name_of(&path), turn, repeat: repeat.number, done, total })
        }
        Told::Began { component } => News::Began { component },
        Told::Replied { component, words, tokens, spent } => {
            News::Replied { component, words, tokens, spent }
        }
        Told::Looked { component, look } => {
            let is_refused = look.is_refused;
            News::Looked { component, look: shown(look), is_refused }
        }
        Told::Waits { component, why, pause } => {
            News::Waits { component, why, seconds: pause.as_secs_f64() }
        }
        Told::Ended { component, score, label, flags, error, done, .. } => {
            let given = score.map(Given::Level).or(flags.map(Given::Flags));
            let given = given.or(label.map(|label| match label.as_str() {
                rubric::CANNOT_TELL => Given::CannotTell,
                _ => Given::Scores(label),
            }));
            News::Ended { component, given, error, done }
        }
    }
}

fn shown(look: Look) -> rubric::Look {
    rubric::Look {
        tool: look.tool,
        arguments: match look.arguments {
            serde_json::Value::String(words) => words,
            other => other.to_string(),
        },
        bytes: Some(look.bytes as u64),
        sha256: Some(look.sha256),
        excerpt: Some(look.excerpt),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Of all states that were begun, in order.
pub fn outcome(States { judged: states, left_out }: &States) -> Outcome {
    let Some((job, last)) = states.last() else {
        return outcome_with(states, How::Failed, "nothing was judged".into());
    };
    let (how, words) = match &last.halted {
        None => finished(states, left_out),
        Some(halt) => halted(states, job, halt),
    };
    outcome_with(states, how, words)
}

/// Of several judges together: the worst of them says how it ended, and each has its words.
pub fn of_panel(outcomes: Vec<(String, Outcome)>) -> Outcome {
    let rank = |how: How| match how {
        How::Finished => 0,
        How::Stopped => 1,
        How::Failed => 2,
    };
    let how = outcomes.iter().map(|(_, it)| it.how).max_by_key(|how| rank(*how));
    let words = outcomes.iter().map(|(judge, it)| format!("{judge}: {}", it.words));
    Outcome {
        how: how.unwrap_or(How::Failed),
        words: words.collect::<Vec<_>>().join("; "),
        spent: outcomes.iter().filter_map(|(_, it)| it.spent).reduce(|sum, spent| sum + spent),
        files: outcomes.into_iter().flat_map(|(_, it)| it.files).collect(),
    }
}

/// As [`outcome`], where a state could not be begun.
pub fn failed(states: &States, why: String) -> Outcome {
    outcome_with(&states.judged, How::Failed, why)
}

fn outcome_with(states: &[(Job, Ended)], how: How, words: String) -> Outcome {
    let file = |(path, document): &(PathBuf, Document)| (name_of(path), summary(document));
    Outcome {
        how,
        words,
        files: files(states).map(file).collect(),
        spent: states.last().and_then(|(_, ended)| ended.spent),
    }
}

fn files(states: &[(Job, Ended)]) -> impl Iterator<Item = &(PathBuf, Document)> {
    states.iter().flat_map(|(_, ended)| &ended.files)
}

/// What is kept, and how to go on.
fn kept(states: &[(Job, Ended)]) -> String {
    let judged: usize = files(states).map(|(_, it)| it.entries().len()).sum();
    match files(states).last() {
        Some((path, _)) if judged > 0 => {
            format!("{judged} judged are kept, the last in {}; R goes on", name_of(path))
        }
        _ => "nothing was judged yet".into(),
    }
}

fn halted(states: &[(Job, Ended)], job: &Job, halt: &Halt) -> (How, String) {
    let (kept, judge) = (kept(states), &job.settings.name);
    match halt {
        Halt::Stopped => (How::Stopped, format!("stopped; {kept}")),
        Halt::Fault(fault @ Fault::Dear(_)) => {
            (How::Failed, format!("judge {judge} stops at {fault}; {kept}"))
        }
        Halt::Fault(fault) => (How::Failed, format!("judge {judge}: {fault}; {kept}")),
        Halt::Write(why) => (How::Failed, format!("{why}; {kept}")),
        Halt::NothingToResume => (
            How::Failed,
            format!(
                "no judging after turn {} by {judge}, with this prompt, these looks and {}s, to go on with; n and enter \
                 begin one",
                job.subject.turn,
                job.scale().noun()
            ),
        ),
    }
}

fn finished(states: &[(Job, Ended)], left_out: &[LeftOut]) -> (How, String) {
    let all: usize = files(states).map(|(_, it)| it.components.len()).sum();
    let without: usize = files(states).map(|(_, it)| it.unanswered().len()).sum();
    let is_whole = files(states).all(|(_, it)| it.is_finished());
    let mut words = format!("{} judged", all - without);
    if without > 0 {
        let nothing = match states.first().map(|(job, _)| job.scale()) {
            Some(Scale::Flags) => "an answer",
            Some(Scale::Levels | Scale::Decisions | Scale::Process | Scale::Codebook) | None => {
                "a verdict"
            }
        };
        words.push_str(&format!(", {without} without {nothing}"));
    }
    if !left_out.is_empty() {
        let turns: Vec<String> = left_out.iter().map(|it| it.turn.to_string()).collect();
        words.push_str(&format!(", nothing to judge after turn {}", turns.join(", ")));
    }
    // Flags that are carried on are in several files; a sum would count them again.
    let mut files = files(states);
    if let (Some((_, document)), None) = (files.next(), files.next())
        && let Some(rows) = document.flags()
    {
        words.push_str(&format!(", {}", flagged(FlagRow::counts(rows))));
    }
    match is_whole {
        true => (How::Finished, words),
        false => (How::Failed, format!("{words}; R asks again")),
    }
}

/// `12 flags (4 carried)`
fn flagged(Counts { all, carried, .. }: Counts) -> String {
    let all = if all == 1 { "1 flag".into() } else { format!("{all} flags") };
    if carried == 0 { all } else { format!("{all} ({carried} carried)") }
}

/// `22 of 24, mean 2.86`
fn summary(document: &Document) -> String {
    if let Some(rows) = document.flags() {
        return flagged(FlagRow::counts(rows));
    }
    let given = document.given();
    let scores: Vec<u8> = given.iter().filter_map(|it| it.score).collect();
    let answered = given.iter().filter(|it| it.label.is_some()).count();
    let words = format!("{answered} of {}", document.components.len());
    if document.levels().in_words || scores.is_empty() {
        return words;
    }
    let sum: u32 = scores.iter().map(|score| u32::from(*score)).sum();
    format!("{words}, mean {}", figures::share(f64::from(sum) / scores.len() as f64))
}
