//! What `trajview judge` says: progress on standard error, the outcome on standard output.

use serde::Serialize;

use crate::{
    cli::{
        at,
        output::{Out, plain},
    },
    judge::{
        document::{Document, Judge},
        plan::Plan,
        run::{Ended, Event, Job},
    },
    run::rubric::{LEVELS, SEVERE},
};

#[derive(Serialize)]
struct Told<'a> {
    schema: &'static str,
    run: &'a str,
    commit: Option<&'a str>,
    turn: usize,
    judge: Judge,
    /// What would be done; null unless asked for.
    plan: Option<Planned<'a>>,
    files: Vec<File<'a>>,
    /// US dollars; null without prices.
    spent_usd: Option<f64>,
    /// Whether everything that was asked for is judged.
    finished: bool,
}

#[derive(Serialize)]
struct Planned<'a> {
    place: &'a str,
    components: &'a [String],
    repeats: usize,
    max_requests: u64,
    max_input_tokens: u64,
    max_output_tokens: u64,
    /// Null without prices.
    max_cost_usd: Option<f64>,
    system: &'a str,
    first_question: &'a str,
}

#[derive(Serialize)]
struct File<'a> {
    file: String,
    repeat: usize,
    finished: bool,
    /// 0..4 over those with a score; null where there is none.
    mcf: Option<f64>,
    scores: Vec<Score>,
    /// Not judged, or worth asking again.
    missing: Vec<String>,
    created_at: &'a str,
}

#[derive(Serialize)]
struct Score {
    component: String,
    score: Option<u8>,
    label: Option<&'static str>,
}

fn label(score: u8) -> Option<&'static str> {
    LEVELS.get(usize::from(score)).copied()
}

fn told(job: &Job) -> Told<'_> {
    Told {
        schema: "trajview.judge/1",
        run: &job.subject.run,
        commit: job.subject.commit.as_deref(),
        turn: job.subject.turn,
        judge: Judge::of(&job.settings, &job.prompt, job.budget),
        plan: None,
        files: vec![],
        spent_usd: None,
        finished: false,
    }
}

/// `codex-p12 after turn 12 (commit 0123456789ab)`
fn subject(job: &Job) -> String {
    let commit = job.subject.commit.as_deref().and_then(|commit| commit.get(..12));
    let commit = commit.map_or_else(String::new, |commit| format!(" (commit {commit})"));
    format!("{} after turn {}{commit}", job.subject.run, job.subject.turn)
}

pub fn plan(job: &Job, json: bool, out: &mut Out) -> std::io::Result<()> {
    let plan = Plan::of(job);
    if json {
        let planned = Planned {
            place: &plan.place,
            components: &job.subject.components,
            repeats: job.repeats,
            max_requests: plan.requests,
            max_input_tokens: plan.input_tokens,
            max_output_tokens: plan.output_tokens,
            max_cost_usd: plan.cost,
            system: &plan.system,
            first_question: &plan.question,
        };
        return out.json(&Told { plan: Some(planned), ..told(job) });
    }
    let model = if job.settings.model.is_empty() { "as it likes" } else { &job.settings.model };
    out.line("Nothing is asked. This would be:")?;
    out.line(&format!(
        "  judge       {} ({}, model {model})",
        job.settings.name,
        job.settings.kind.word()
    ))?;
    out.line(&format!("  asked at    {}", plan.place))?;
    out.line(&format!("  judged      {}", subject(job)))?;
    out.line(&format!("  components  {}", job.subject.components.join(", ")))?;
    out.line(&format!("  repeats     {}", job.repeats))?;
    out.line(&format!(
        "  prompt      {} (sha256 {})",
        job.prompt.origin,
        &job.prompt.sha256[..12]
    ))?;
    out.line(&format!("  looks       {} for each component at most", job.budget))?;
    out.line(&format!("  requests    {} at most, retries aside", plan.requests))?;
    out.line(&format!(
        "  tokens      {} in, {} out at most; usually far fewer",
        plan.input_tokens, plan.output_tokens
    ))?;
    out.line(&match plan.cost {
        Some(cost) => format!("  cost        {cost:.2} USD at most"),
        None => {
            "  cost        not known: the settings name no price_input and price_output".to_owned()
        }
    })?;
    out.line("")?;
    out.line("Said once:")?;
    out.line("")?;
    plan.system.lines().try_for_each(|line| out.line(&format!("  {line}")))?;
    out.line("")?;
    out.line("Asked first:")?;
    out.line("")?;
    plan.question.lines().try_for_each(|line| out.line(&format!("  {line}")))
}

pub fn beginning(job: &Job) {
    say(&format!("judge {} on {}", job.settings.name, subject(job)));
}

fn say(words: &str) {
    eprintln!("{}", plain(words));
}

/// One line for what a person waits for.
pub fn event(event: &Event) {
    match event {
        Event::Opened { path, repeat, done, total } => {
            let of = if repeat.of > 1 {
                format!(", {} of {}", repeat.number, repeat.of)
            } else {
                String::new()
            };
            let before = if *done > 0 { format!(", {done} judged before") } else { String::new() };
            let components = at::counted(*total, "component");
            say(&format!("{}{of}: {components}{before}", path.display()));
        }
        Event::Ended { component, score, error, done, total } => {
            let width = total.to_string().len();
            let verdict = match (score, error) {
                (Some(score), _) => format!("{score} {}", label(*score).unwrap_or_default()),
                (None, Some(why)) => format!("no verdict: {why}"),
                (None, None) => "no verdict".to_owned(),
            };
            say(&format!("{done:>width$}/{total} {component}: {verdict}"));
        }
        Event::Waits { component, why, pause } => {
            say(&format!("{component} waits {} s: {why}", pause.as_secs_f64()));
        }
        Event::Began { .. } | Event::Looked { .. } | Event::Replied { .. } => {}
    }
}

pub fn ended(job: &Job, ended: &Ended, json: bool, out: &mut Out) -> std::io::Result<()> {
    if json {
        let file = |(path, document): &'_ (std::path::PathBuf, Document)| File {
            file: path.display().to_string(),
            repeat: document.repeat.number,
            finished: document.is_finished(),
            mcf: mean(document),
            scores: document.given().into_iter().map(score_of).collect(),
            missing: document.missing(),
            created_at: "",
        };
        let files: Vec<File<'_>> = ended
            .files
            .iter()
            .map(|entry| File { created_at: &entry.1.created_at, ..file(entry) })
            .collect();
        let finished = ended.halted.is_none() && files.iter().all(|file| file.finished);
        return out.json(&Told { files, spent_usd: ended.spent, finished, ..told(job) });
    }
    for (path, document) in &ended.files {
        out.line(&format!("{}: {}", path.display(), summary(document)))?;
    }
    match ended.spent {
        Some(spent) => out.line(&format!("{spent:.4} USD spent")),
        None => Ok(()),
    }
}

fn score_of((component, score): (String, Option<u8>)) -> Score {
    Score { component, score, label: score.and_then(label) }
}

/// `22 of 24 components judged, mean 2.86, 3 severe; without a verdict: C03, C09`
fn summary(document: &Document) -> String {
    let given = document.given();
    let scores: Vec<u8> = given.iter().filter_map(|(_, score)| *score).collect();
    let all = at::counted(document.components.len(), "component");
    let mut words = format!("{} of {all} judged", scores.len());
    if let Some(mean) = mean(document) {
        let severe = scores.iter().filter(|score| **score <= SEVERE).count();
        words.push_str(&format!(", mean {mean:.2}, {severe} severe"));
    }
    let lacks = |id: &&String| !given.iter().any(|(it, score)| it == *id && score.is_some());
    let without: Vec<&str> = document.components.iter().filter(lacks).map(String::as_str).collect();
    if !without.is_empty() {
        words.push_str(&format!("; without a verdict: {}", without.join(", ")));
    }
    words
}

/// Mean component fidelity, 0..4, over what has a score.
fn mean(document: &Document) -> Option<f64> {
    let scores: Vec<u8> = document.given().into_iter().filter_map(|(_, score)| score).collect();
    let sum: u32 = scores.iter().map(|score| u32::from(*score)).sum();
    (!scores.is_empty()).then(|| f64::from(sum) / scores.len() as f64)
}
