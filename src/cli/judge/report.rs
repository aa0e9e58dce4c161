//! What `trajview judge` says: progress on standard error, the outcome on standard output.

use serde::Serialize;

use crate::cli::{
    at,
    output::{Out, plain},
};
use trajview_judge::{
    document::{Document, FlagRow, Given, GivenRow, Judge},
    each::{LeftOut, News, States},
    plan::Plan,
    run::{Ended, Event, Job},
    scale::Scale,
};
use trajview_run::{
    flags::{Counts, per_thousand},
    rubric::{CANNOT_TELL, COMPONENTS, Levels, SEVERE},
};

use super::panel::Asked;

const EACH: &str = "trajview.judge-each/1";
const PANEL: &str = "trajview.judge-panel/1";

#[derive(Serialize)]
struct JudgingSummary<'a> {
    schema: &'static str,
    rubric: &'static str,
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
    /// 0..4 over components with a score; null where there is none, and where no components are judged.
    mcf: Option<f64>,
    scores: Vec<Score>,
    /// Not judged, or worth asking again.
    missing: Vec<String>,
    created_at: &'a str,
    /// Null where none were asked for.
    flags: Option<Flags<'a>>,
}

/// A count of flags is not a score.
#[derive(Serialize)]
struct Flags<'a> {
    count: usize,
    verbosity: usize,
    erosion: usize,
    /// Those whose lines did not change since an earlier state.
    carried: usize,
    lines_of_code: Option<u64>,
    per_1000_lines: Option<f64>,
    /// Groups without an answer.
    unanswered: Vec<&'a str>,
    flags: &'a [FlagRow],
}

#[derive(Serialize)]
struct Score {
    component: String,
    score: Option<u8>,
    label: Option<String>,
    /// By a codebook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<GivenRow>,
}

fn told(job: &Job) -> JudgingSummary<'_> {
    JudgingSummary {
        schema: "trajview.judge/1",
        rubric: job.scale().recorded(),
        run: &job.subject.run,
        commit: job.subject.commit.as_deref(),
        turn: job.subject.turn,
        judge: job.judge(),
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

/// Several states of a run.
#[derive(Serialize)]
struct Each<'a> {
    schema: &'static str,
    states: &'a [JudgingSummary<'a>],
    /// Those that have nothing to judge.
    left_out: Vec<Left<'a>>,
}

#[derive(Serialize)]
struct Left<'a> {
    /// Turns done.
    turn: usize,
    why: &'a str,
}

fn each<'a>(states: &'a [JudgingSummary<'a>], left_out: &'a [LeftOut]) -> Each<'a> {
    let left = |it: &'a LeftOut| Left { turn: it.turn, why: &it.why };
    Each { schema: EACH, states, left_out: left_out.iter().map(left).collect() }
}

/// On standard error.
pub fn left_out(left_out: &LeftOut) {
    say(&left_out_words(left_out));
}

fn left_out_words(left_out: &LeftOut) -> String {
    format!("turn {} is left out: {}", left_out.turn, left_out.why)
}

/// Of one state, or of several in order.
pub fn plan(
    (jobs, left_out): (&[Job], &[LeftOut]),
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let plans: Vec<(&Job, Plan)> = jobs.iter().map(|job| (job, Plan::of(job))).collect();
    if json {
        let told = |(job, plan)| JudgingSummary { plan: Some(planned(job, plan)), ..told(job) };
        let mut states: Vec<JudgingSummary<'_>> =
            plans.iter().map(|(job, plan)| told((job, plan))).collect();
        return match (states.len(), left_out) {
            (1, []) => out.json(&states.remove(0)),
            _ => out.json(&each(&states, left_out)),
        };
    }
    let Some((job, plan)) = plans.first() else { return Ok(()) };
    let sum = |of: fn(&Plan) -> u64| plans.iter().map(|(_, plan)| of(plan)).sum::<u64>();
    let costs: Option<f64> = plans.iter().map(|(_, plan)| plan.cost).sum();
    // The bound of the settings holds for all states together.
    let cost = costs.map(|cost| cost.min(job.settings.cost.most.unwrap_or(f64::INFINITY)));
    let model = if job.settings.model.is_empty() { "as it likes" } else { &job.settings.model };
    out.line("Nothing is asked. This would be:")?;
    out.line(&format!(
        "  judge       {} ({}, model {model})",
        job.settings.name,
        job.settings.kind.word()
    ))?;
    out.line(&format!("  asked at    {}", plan.place))?;
    for (place, (job, _)) in plans.iter().enumerate() {
        let head = if place == 0 { "judged" } else { "" };
        out.line(&format!("  {head:<10}  {}", subject(job)))?;
    }
    for (place, left_out) in left_out.iter().enumerate() {
        let head = if place == 0 { "left out" } else { "" };
        out.line(&format!("  {head:<10}  turn {}: {}", left_out.turn, left_out.why))?;
    }
    let heads = match job.scale() {
        Scale::Levels | Scale::Codebook => "components",
        Scale::Flags => "groups",
        Scale::Decisions => "decisions",
        Scale::Process => "parts",
    };
    out.line(&format!("  {heads:<10}  {}", job.subject.components.join(", ")))?;
    if let Some(criteria) = &job.criteria {
        let sha256 = &criteria.sha256[..12];
        out.line(&format!("  criteria    {} (sha256 {sha256})", criteria.origin))?;
    }
    out.line(&format!("  repeats     {}", job.repeats))?;
    out.line(&format!(
        "  prompt      {} (sha256 {})",
        job.prompt.origin,
        &job.prompt.sha256[..12]
    ))?;
    out.line(&format!("  looks       {} for each {} at most", job.budget, job.scale().noun()))?;
    out.line(&format!("  requests    {} at most, retries aside", sum(|plan| plan.requests)))?;
    out.line(&format!(
        "  tokens      {} in, {} out at most; usually far fewer",
        sum(|plan| plan.input_tokens),
        sum(|plan| plan.output_tokens)
    ))?;
    out.line(&match cost {
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

fn planned<'a>(job: &'a Job, plan: &'a Plan) -> Planned<'a> {
    Planned {
        place: &plan.place,
        components: &job.subject.components,
        repeats: job.repeats,
        max_requests: plan.requests,
        max_input_tokens: plan.input_tokens,
        max_output_tokens: plan.output_tokens,
        max_cost_usd: plan.cost,
        system: &plan.system,
        first_question: &plan.question,
    }
}

pub fn beginning(job: &Job) {
    say(&format!("judge {} on {}", job.settings.name, subject(job)));
}

fn say(words: &str) {
    eprintln!("{}", plain(words));
}

/// One line for what a person waits for.
pub fn event(scale: Scale, event: &Event) {
    if let Some(line) = event_line(scale, event) {
        say(&line);
    }
}

fn event_line(scale: Scale, event: &Event) -> Option<String> {
    Some(match event {
        Event::Opened { path, repeat, done, total } => {
            let of = if repeat.of > 1 {
                format!(", {} of {}", repeat.number, repeat.of)
            } else {
                String::new()
            };
            let before = if *done > 0 { format!(", {done} judged before") } else { String::new() };
            let all = at::counted(*total, scale.noun());
            format!("{}{of}: {all}{before}", path.display())
        }
        Event::Ended { component, score, label, flags, error, done, total } => {
            let width = total.to_string().len();
            let is_worded = scale.levels().is_some_and(|levels| levels.in_words);
            let score =
                score.filter(|_| !is_worded).map_or_else(String::new, |it| format!("{it} "));
            let verdict = match (label, flags, error) {
                (Some(label), ..) => format!("{score}{label}"),
                (_, Some(Counts { all, carried: 0, .. }), _) => at::counted(*all, "flag"),
                (_, Some(Counts { all, carried, .. }), _) => {
                    format!("{} ({carried} carried)", at::counted(*all, "flag"))
                }
                (.., Some(why)) => format!("no verdict: {why}"),
                (.., None) => "no verdict".to_owned(),
            };
            format!("{done:>width$}/{total} {component}: {verdict}")
        }
        Event::Waits { component, why, pause } => {
            format!("{component} waits {} s: {why}", pause.as_secs_f64())
        }
        Event::Began { .. } | Event::Looked { .. } | Event::Replied { .. } => return None,
    })
}

pub fn ended(job: &Job, ended: &Ended, json: bool, out: &mut Out) -> std::io::Result<()> {
    if json {
        return out.json(&told_end(job, ended));
    }
    for (path, document) in &ended.files {
        out.line(&format!("{}: {}", path.display(), summary(document)))?;
    }
    spent(ended, out)
}

/// As [`ended`], for several states of one run.
pub fn each_ended(states: &States, json: bool, out: &mut Out) -> std::io::Result<()> {
    if json {
        let judged: Vec<JudgingSummary<'_>> =
            states.judged.iter().map(|(job, ended)| told_end(job, ended)).collect();
        return out.json(&each(&judged, &states.left_out));
    }
    for (job, ended) in &states.judged {
        for (path, document) in &ended.files {
            let (turn, file) = (job.subject.turn, path.display());
            out.line(&format!("after turn {turn}, {file}: {}", summary(document)))?;
        }
    }
    states.left_out.iter().try_for_each(|it| out.line(&left_out_words(it)))?;
    states.judged.last().map_or(Ok(()), |(_, ended)| spent(ended, out))
}

/// What several judges did.
#[derive(Serialize)]
struct Panel<'a> {
    schema: &'static str,
    /// Of all judges, one after the other.
    states: Vec<JudgingSummary<'a>>,
    left_out: Vec<Left<'a>>,
    failed: Vec<FailedJudge<'a>>,
    /// US dollars of all together; null where one of them has no prices.
    spent_usd: Option<f64>,
}

#[derive(Serialize)]
struct FailedJudge<'a> {
    judge: &'a str,
    why: String,
}

/// On standard error, with the name of the judge.
pub fn of_panel(judge: &str, news: News<'_>) {
    match news {
        News::Begins(job) => beginning(job),
        News::Event(job, news) => {
            if let Some(line) = event_line(job.scale(), news) {
                say(&format!("{judge}: {line}"));
            }
        }
        News::LeftOut(left_out) => say(&format!("{judge}: {}", left_out_words(left_out))),
    }
}

pub fn panel_plan(jobs: &[Vec<Job>], left_out: &[LeftOut], out: &mut Out) -> std::io::Result<()> {
    let plans: Vec<(&Job, Plan)> = jobs.iter().flatten().map(|job| (job, Plan::of(job))).collect();
    let summary = |(job, plan)| JudgingSummary { plan: Some(planned(job, plan)), ..told(job) };
    let states: Vec<JudgingSummary<'_>> =
        plans.iter().map(|(job, it)| summary((job, it))).collect();
    let left_out = left_out.iter().map(|it| Left { turn: it.turn, why: &it.why }).collect();
    out.json(&Panel { schema: PANEL, states, left_out, failed: vec![], spent_usd: None })
}

/// As [`each_ended`], for several judges.
pub fn panel_ended(asked: &[Asked], json: bool, out: &mut Out) -> std::io::Result<()> {
    let states = || asked.iter().flat_map(|it| &it.states.judged);
    let spent: Option<f64> = asked.iter().map(|it| it.spent).sum();
    if json {
        let left_out = asked.iter().flat_map(|it| &it.states.left_out);
        let failed = |it: &'_ Asked| it.failed.as_ref().map(ToString::to_string);
        return out.json(&Panel {
            schema: PANEL,
            states: states().map(|(job, ended)| told_end(job, ended)).collect(),
            left_out: left_out.map(|it| Left { turn: it.turn, why: &it.why }).collect(),
            failed: asked
                .iter()
                .filter_map(|it| Some(FailedJudge { judge: &it.judge, why: failed(it)? }))
                .collect(),
            spent_usd: spent,
        });
    }
    for (job, ended) in states() {
        for (path, document) in &ended.files {
            let (judge, turn) = (&job.settings.name, job.subject.turn);
            let (file, summary) = (path.display(), summary(document));
            out.line(&format!("{judge} after turn {turn}, {file}: {summary}"))?;
        }
    }
    match spent {
        Some(spent) => out.line(&format!("{spent:.4} USD spent by all together")),
        None => Ok(()),
    }
}

fn spent(ended: &Ended, out: &mut Out) -> std::io::Result<()> {
    match ended.spent {
        Some(spent) => out.line(&format!("{spent:.4} USD spent")),
        None => Ok(()),
    }
}

fn told_end<'a>(job: &'a Job, ended: &'a Ended) -> JudgingSummary<'a> {
    let files: Vec<File<'a>> = ended.files.iter().map(|(path, it)| file(path, it)).collect();
    let finished = ended.halted.is_none() && files.iter().all(|file| file.finished);
    JudgingSummary { files, spent_usd: ended.spent, finished, ..told(job) }
}

fn file<'a>(path: &std::path::Path, document: &'a Document) -> File<'a> {
    File {
        file: path.display().to_string(),
        repeat: document.repeat.number,
        finished: document.is_finished(),
        mcf: mean(document),
        scores: match document.flags() {
            None => document.given().into_iter().map(score_of).collect(),
            Some(_) => vec![],
        },
        missing: document.missing(),
        created_at: &document.created_at,
        flags: document.flags().map(|rows| flags(document, rows)),
    }
}

fn flags<'a>(document: &'a Document, rows: &'a [FlagRow]) -> Flags<'a> {
    let Counts { all, verbosity, erosion, carried } = FlagRow::counts(rows);
    let lines = document.lines_of_code;
    Flags {
        count: all,
        verbosity,
        erosion,
        carried,
        lines_of_code: lines,
        per_1000_lines: lines.and_then(|lines| per_thousand(all, lines)),
        unanswered: document.unanswered(),
        flags: rows,
    }
}

fn score_of(Given { component, score, label, criteria }: Given) -> Score {
    Score { component, score, label, criteria }
}

/// `22 of 24 components judged, mean 2.86, 3 severe; without a verdict: C03, C09`
fn summary(document: &Document) -> String {
    if let Some(rows) = document.flags() {
        return flagged(&flags(document, rows));
    }
    let given = document.given();
    let scores: Vec<u8> = given.iter().filter_map(|it| it.score).collect();
    let all = at::counted(document.components.len(), noun(document.levels()));
    let judged = given.iter().filter(|it| it.label.is_some());
    let mut words = format!("{} of {all} judged", judged.clone().count());
    if *document.levels() != COMPONENTS {
        let labels = judged.clone().filter_map(|it| it.label.as_deref());
        words.push_str(&tally(document.levels(), &labels.collect::<Vec<_>>()));
    }
    if let Some(mean) = mean(document) {
        let severe = scores.iter().filter(|score| **score <= SEVERE).count();
        words.push_str(&format!(", mean {mean:.2}, {severe} severe"));
    }
    let lacks = |id: &&String| !judged.clone().any(|it| it.component == **id);
    let without: Vec<&str> = document.components.iter().filter(lacks).map(String::as_str).collect();
    if !without.is_empty() {
        words.push_str(&format!(
            "; without a verdict: {}, which --resume asks for again",
            without.join(", ")
        ));
    }
    words
}

/// What a document of these levels scores.
fn noun(levels: &Levels) -> &'static str {
    let scale = Scale::ALL.into_iter().find(|scale| scale.levels() == Some(levels));
    scale.map_or("component", Scale::noun)
}

/// `: 2 kept, 1 broken`, the highest level first.
fn tally(levels: &Levels, labels: &[&str]) -> String {
    let names = levels.names.iter().rev().copied().chain([CANNOT_TELL]);
    let counted = names.filter_map(|name| {
        let count = labels.iter().filter(|label| **label == name).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    let counted = counted.collect::<Vec<_>>().join(", ");
    if counted.is_empty() { counted } else { format!(": {counted}") }
}

/// `12 flags: 7 verbosity, 5 erosion; 4 carried; 3.10 for 1000 lines of code; without an answer: shape`
fn flagged(flags: &Flags<'_>) -> String {
    let Flags { count, verbosity, erosion, carried, per_1000_lines, unanswered, .. } = flags;
    let counted = at::counted(*count, "flag");
    let mut words =
        format!("{counted}: {verbosity} verbosity, {erosion} erosion; {carried} carried");
    if let Some(share) = per_1000_lines {
        words.push_str(&format!("; {share:.2} for 1000 lines of code"));
    }
    if !unanswered.is_empty() {
        words.push_str(&format!("; without an answer: {}", unanswered.join(", ")));
    }
    words
}

/// Mean component fidelity, 0..4, over what has a score.
fn mean(document: &Document) -> Option<f64> {
    if *document.levels() != COMPONENTS {
        return None;
    }
    let scores: Vec<u8> = document.given().into_iter().filter_map(|it| it.score).collect();
    let sum: u32 = scores.iter().map(|score| u32::from(*score)).sum();
    (!scores.is_empty()).then(|| f64::from(sum) / scores.len() as f64)
}
