//! The output of `trajview judge`: progress on standard error, the result on standard output.

use crate::cli::{
    output::{Json, Out, record, safe_line},
    run_args,
};
use trajview_judge::{
    document::{ComponentScore, FlagRow, JudgementDocument},
    judge_states::{JudgedStates, StateEvent, StateWithoutItems},
    judging::{JudgingFiles, JudgingJob},
    plan::JudgingEstimate,
};
use trajview_run::{
    flags::{FlagCounts, per_thousand},
    judging::{JudgeAnswer, JudgeEvent, JudgingScale},
    rubric::{CANNOT_TELL, COMPONENT_LEVELS, RubricLevels, SEVERE},
};

use super::panel::JudgeResult;

const EACH_SCHEMA: &str = "trajview.judge-each/1";
const PANEL_SCHEMA: &str = "trajview.judge-panel/1";

/// Returns the JSON of the summary of a state. `plan` is that of a dry run, `spent_usd` is null without prices, and
/// `finished` is true if everything requested is judged.
fn summary_record(
    job: &JudgingJob,
    plan: Option<&JudgingEstimate>,
    ended: Option<&JudgingFiles>,
) -> Json {
    let files: Vec<Json> =
        ended.iter().flat_map(|it| &it.files).map(|(path, it)| file_row(path, it)).collect();
    let is_finished = |file: &Json| *file.field("finished") == Json::Flag(true);
    record! {
        schema: "trajview.judge/1",
        rubric: job.scale().rubric_name(),
        run: job.subject.run,
        commit: job.subject.commit,
        turn: job.subject.turn,
        judge: job.document_judge(),
        plan: plan.map(|plan| plan_record(job, plan)),
        files: files,
        spent_usd: ended.and_then(|it| it.spent),
        finished: ended.is_some_and(|it| it.halted.is_none()) && files.iter().all(is_finished),
    }
}

/// Returns the JSON of a plan; `max_cost_usd` is null without prices.
fn plan_record(job: &JudgingJob, plan: &JudgingEstimate) -> Json {
    record! {
        place: plan.place,
        components: job.subject.components,
        repeats: job.repeats,
        max_requests: plan.requests,
        max_input_tokens: plan.input_tokens,
        max_output_tokens: plan.output_tokens,
        max_cost_usd: plan.cost,
        system: plan.system,
        first_question: plan.question,
    }
}

/// Returns the JSON of a file: `mcf` is 0..4 over components with a score, null if there is none and where no
/// components are judged; `missing` are not judged, or worth asking again; `flags` is null if none were requested.
fn file_row(path: &std::path::Path, document: &JudgementDocument) -> Json {
    let scores = || document.component_scores();
    record! {
        file: path.display().to_string(),
        repeat: document.repeat.number,
        finished: document.is_finished(),
        mcf: document.mean_fidelity(),
        scores: document.flags().map_or_else(|| Json::list(scores(), score_row), |_| Json::List(vec![])),
        missing: document.unanswered_ids(),
        created_at: document.created_at,
        flags: document.flags().map(|rows| flags_record(document, rows)),
    }
}

/// Returns the JSON of flags, whose count is not a score. `carried` are flags whose lines did not change since an
/// earlier state, and `unanswered` groups without an answer.
fn flags_record(document: &JudgementDocument, rows: &[FlagRow]) -> Json {
    let FlagCounts { all, verbosity, erosion, carried } = FlagRow::count_flags(rows);
    let lines = document.lines_of_code;
    record! {
        count: all,
        verbosity: verbosity,
        erosion: erosion,
        carried: carried,
        lines_of_code: lines,
        per_1000_lines: lines.and_then(|lines| per_thousand(all, lines)),
        unanswered: document.unanswered_ids(),
        flags: rows,
    }
}

/// Returns the JSON of a score: `criteria` are scores by the criteria of a codebook; `unlooked` is there where the
/// judge opened nothing.
fn score_row(
    ComponentScore { component, score, label, criteria, is_unlooked }: ComponentScore,
) -> Json {
    record! {
        component: component,
        score: score,
        label: label,
        ..is_unlooked.then(|| record! { unlooked: is_unlooked }),
        ..(!criteria.is_empty()).then(|| record! { criteria: criteria }),
    }
}

/// Returns `codex-p12 after turn 12 (commit 0123456789ab)`.
fn subject_text(job: &JudgingJob) -> String {
    let commit = job.subject.commit.as_deref().and_then(|commit| commit.get(..12));
    let commit = commit.map_or_else(String::new, |commit| format!(" (commit {commit})"));
    format!("{} after turn {}{commit}", job.subject.run, job.subject.turn)
}

/// Returns the JSON of several states of a run.
fn each_document(states: Vec<Json>, left_out: &[StateWithoutItems]) -> Json {
    record! { schema: EACH_SCHEMA, states: states, left_out: Json::list(left_out, left_out_row) }
}

/// Returns the JSON of a state that has nothing to judge, in turns done.
fn left_out_row(it: &StateWithoutItems) -> Json {
    record! { turn: it.turn, why: it.why }
}

/// Prints a state that is left out on standard error.
pub(crate) fn print_left_out(left_out: &StateWithoutItems) {
    print_progress(&left_out_text(left_out));
}

fn left_out_text(left_out: &StateWithoutItems) -> String {
    format!("turn {} skipped: {}", left_out.turn, left_out.why)
}

/// Prints the plan of one state, or of several in order.
pub(crate) fn print_plan(
    (jobs, left_out): (&[JudgingJob], &[StateWithoutItems]),
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let plans: Vec<(&JudgingJob, JudgingEstimate)> =
        jobs.iter().map(|job| (job, JudgingEstimate::for_job(job))).collect();
    if json {
        let states: Vec<Json> =
            plans.iter().map(|(job, plan)| summary_record(job, Some(plan), None)).collect();
        return match (states.as_slice(), left_out) {
            ([state], []) => out.print_json(state),
            _ => out.print_json(&each_document(states, left_out)),
        };
    }
    let Some((job, plan)) = plans.first() else { return Ok(()) };
    let sum = |part_of: fn(&JudgingEstimate) -> u64| {
        plans.iter().map(|(_, plan)| part_of(plan)).sum::<u64>()
    };
    let costs: Option<f64> = plans.iter().map(|(_, plan)| plan.cost).sum();
    // The bound of the settings holds for all states together.
    let cost = costs.map(|cost| cost.min(job.settings.cost.most.unwrap_or(f64::INFINITY)));
    let model = if job.settings.model.is_empty() { "default model" } else { &job.settings.model };
    out.print_line("Nothing is sent. The request would be:")?;
    out.print_line(&format!(
        "  judge       {} ({}, model {model})",
        job.settings.name,
        job.settings.kind.word()
    ))?;
    out.print_line(&format!("  address     {}", plan.place))?;
    for (place, (job, _)) in plans.iter().enumerate() {
        let head = if place == 0 { "judged" } else { "" };
        out.print_line(&format!("  {head:<10}  {}", subject_text(job)))?;
    }
    for (place, left_out) in left_out.iter().enumerate() {
        let head = if place == 0 { "left out" } else { "" };
        out.print_line(&format!("  {head:<10}  turn {}: {}", left_out.turn, left_out.why))?;
    }
    let heads = match job.scale() {
        JudgingScale::Levels | JudgingScale::Codebook => "components",
        JudgingScale::Flags => "groups",
        JudgingScale::Decisions => "decisions",
        JudgingScale::Process => "parts",
    };
    out.print_line(&format!("  {heads:<10}  {}", job.subject.components.join(", ")))?;
    if let Some(criteria) = &job.criteria {
        let sha256 = &criteria.sha256[..12];
        out.print_line(&format!("  criteria    {} (sha256 {sha256})", criteria.origin))?;
    }
    out.print_line(&format!("  repeats     {}", job.repeats))?;
    out.print_line(&format!(
        "  prompt      {} (sha256 {})",
        job.prompt.origin,
        &job.prompt.sha256[..12]
    ))?;
    out.print_line(&format!("  tool calls  {} per {} (max)", job.budget, job.scale().noun()))?;
    out.print_line(&format!(
        "  requests    at most {}, without retries",
        sum(|plan| plan.requests)
    ))?;
    out.print_line(&format!(
        "  tokens      at most {} in, {} out; usually far fewer",
        sum(|plan| plan.input_tokens),
        sum(|plan| plan.output_tokens)
    ))?;
    out.print_line(&match cost {
        Some(cost) => format!("  cost        at most {cost:.2} USD"),
        None => {
            "  cost        unknown: the settings have no price_input and price_output".to_owned()
        }
    })?;
    out.print_line("")?;
    out.print_line("System prompt:")?;
    out.print_line("")?;
    plan.system.lines().try_for_each(|line| out.print_line(&format!("  {line}")))?;
    out.print_line("")?;
    out.print_line("First message:")?;
    out.print_line("")?;
    plan.question.lines().try_for_each(|line| out.print_line(&format!("  {line}")))
}

pub(crate) fn print_start(job: &JudgingJob) {
    print_progress(&format!("judge {} on {}", job.settings.name, subject_text(job)));
}

fn print_progress(words: &str) {
    eprintln!("{}", safe_line(words));
}

/// Prints one line for each event that the user waits for.
pub(crate) fn print_event(scale: JudgingScale, event: &JudgeEvent) {
    if let Some(line) = event_line(scale, event) {
        print_progress(&line);
    }
}

fn event_line(scale: JudgingScale, event: &JudgeEvent) -> Option<String> {
    Some(match event {
        JudgeEvent::Opened(file) => {
            let repeat_text = if file.repeats > 1 {
                format!(", {} of {}", file.repeat, file.repeats)
            } else {
                String::new()
            };
            let before = if file.done > 0 {
                format!(", {} already judged", file.done)
            } else {
                String::new()
            };
            let all = run_args::count_with_noun(file.total, scale.noun());
            format!("{}{repeat_text}: {all}{before}", file.path.display())
        }
        JudgeEvent::Ended { component, answer, error, done, total } => {
            let width = total.to_string().len();
            let answer = match (answer, error) {
                (Some(answer), _) => answer_text(scale, answer),
                (None, Some(why)) => format!("no verdict: {why}"),
                (None, None) => "no verdict".to_owned(),
            };
            format!("{done:>width$}/{total} {component}: {answer}")
        }
        JudgeEvent::Waits { component, why, seconds } => {
            format!("{component} waits {seconds} s: {why}")
        }
        JudgeEvent::Began { .. } | JudgeEvent::CalledTool { .. } | JudgeEvent::Replied { .. } => {
            return None;
        }
    })
}

fn answer_text(scale: JudgingScale, answer: &JudgeAnswer) -> String {
    match answer {
        JudgeAnswer::Level { name, .. } if scale.rubric_levels().is_some_and(|it| it.in_words) => {
            name.clone()
        }
        JudgeAnswer::Level { level, name } => format!("{level} {name}"),
        JudgeAnswer::CannotTell => CANNOT_TELL.to_owned(),
        JudgeAnswer::Scores(text) => text.clone(),
        JudgeAnswer::Flags(FlagCounts { all, carried: 0, .. }) => {
            run_args::count_with_noun(*all, "flag")
        }
        JudgeAnswer::Flags(FlagCounts { all, carried, .. }) => {
            format!("{} ({carried} carried)", run_args::count_with_noun(*all, "flag"))
        }
    }
}

pub(crate) fn print_result(
    job: &JudgingJob,
    ended: &JudgingFiles,
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    if json {
        return out.print_json(&summary_record(job, None, Some(ended)));
    }
    for (path, document) in &ended.files {
        out.print_line(&format!("{}: {}", path.display(), document_summary(document)))?;
    }
    print_spent(ended, out)
}

/// Prints as [`print_result`] does, for several states of one run.
pub(crate) fn print_each_result(
    states: &JudgedStates,
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    if json {
        let judged = states.judged.iter();
        let judged = judged.map(|(job, ended)| summary_record(job, None, Some(ended))).collect();
        return out.print_json(&each_document(judged, &states.left_out));
    }
    for (job, ended) in &states.judged {
        for (path, document) in &ended.files {
            let (turn, file) = (job.subject.turn, path.display());
            out.print_line(&format!("after turn {turn}, {file}: {}", document_summary(document)))?;
        }
    }
    states.left_out.iter().try_for_each(|it| out.print_line(&left_out_text(it)))?;
    states.judged.last().map_or(Ok(()), |(_, ended)| print_spent(ended, out))
}

/// Prints progress on standard error, with the name of the judge.
pub(crate) fn print_panel_news(judge: &str, news: StateEvent<'_>) {
    match news {
        StateEvent::Begins(job) => print_start(job),
        StateEvent::Event(job, news) => {
            if let Some(line) = event_line(job.scale(), news) {
                print_progress(&format!("{judge}: {line}"));
            }
        }
        StateEvent::LeftOut(left_out) => {
            print_progress(&format!("{judge}: {}", left_out_text(left_out)))
        }
    }
}

pub(crate) fn print_panel_plan(
    jobs: &[Vec<JudgingJob>],
    left_out: &[StateWithoutItems],
    out: &mut Out,
) -> std::io::Result<()> {
    let plan = |job| summary_record(job, Some(&JudgingEstimate::for_job(job)), None);
    out.print_json(&record! {
        schema: PANEL_SCHEMA,
        states: Json::list(jobs.iter().flatten(), plan),
        left_out: Json::list(left_out, left_out_row),
        failed: Json::List(vec![]),
        spent_usd: Json::Null,
    })
}

/// Prints as [`print_each_result`] does, for several judges.
pub(crate) fn print_panel_result(
    results: &[JudgeResult],
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let states = || results.iter().flat_map(|it| &it.states.judged);
    let spent: Option<f64> = results.iter().map(|it| it.spent).sum();
    if json {
        let failed = results.iter().filter_map(|it| {
            let why = it.failed.as_ref()?.to_string();
            Some(record! { judge: it.judge, why: why })
        });
        return out.print_json(&record! {
            schema: PANEL_SCHEMA,
            // States of all judges, one after the other.
            states: Json::list(states(), |(job, ended)| summary_record(job, None, Some(ended))),
            left_out: Json::list(results.iter().flat_map(|it| &it.states.left_out), left_out_row),
            failed: failed.collect::<Vec<_>>(),
            // Null if one of them has no prices.
            spent_usd: spent,
        });
    }
    for (job, ended) in states() {
        for (path, document) in &ended.files {
            let (judge, turn) = (&job.settings.name, job.subject.turn);
            let (file, summary) = (path.display(), document_summary(document));
            out.print_line(&format!("{judge} after turn {turn}, {file}: {summary}"))?;
        }
    }
    match spent {
        Some(spent) => out.print_line(&format!("{spent:.4} USD in total")),
        None => Ok(()),
    }
}

fn print_spent(ended: &JudgingFiles, out: &mut Out) -> std::io::Result<()> {
    match ended.spent {
        Some(spent) => out.print_line(&format!("{spent:.4} USD spent")),
        None => Ok(()),
    }
}

/// Returns `22 of 24 components judged, mean 2.86, 3 severe; without a verdict: C03, C09`.
fn document_summary(document: &JudgementDocument) -> String {
    if let Some(rows) = document.flags() {
        return flags_text(document, rows);
    }
    let verdicts = document.component_scores();
    let counted = verdicts.iter().filter(|it| !it.is_unlooked);
    let scores: Vec<u8> = counted.filter_map(|it| it.score).collect();
    let all =
        run_args::count_with_noun(document.components.len(), level_noun(document.rubric_levels()));
    let judged = verdicts.iter().filter(|it| it.label.is_some());
    let mut words = format!("{} of {all} judged", judged.clone().count());
    if *document.rubric_levels() != COMPONENT_LEVELS {
        let labels = judged.clone().filter_map(|it| it.label.as_deref());
        words.push_str(&label_counts_text(document.rubric_levels(), &labels.collect::<Vec<_>>()));
    }
    if let Some(mean) = document.mean_fidelity() {
        let severe = scores.iter().filter(|score| **score <= SEVERE).count();
        words.push_str(&format!(", mean {mean:.2}, {severe} severe"));
    }
    let unlooked = verdicts.iter().filter(|it| it.is_unlooked && it.score.is_some());
    let unlooked: Vec<&str> = unlooked.map(|it| it.component.as_str()).collect();
    if !unlooked.is_empty() {
        words.push_str(&format!("; unlooked, not counted: {}", unlooked.join(", ")));
    }
    let lacks = |id: &&String| !judged.clone().any(|it| it.component == **id);
    let without: Vec<&str> = document.components.iter().filter(lacks).map(String::as_str).collect();
    if !without.is_empty() {
        words.push_str(&format!(
            "; without a verdict: {}; --resume requests them again",
            without.join(", ")
        ));
    }
    words
}

/// Returns the noun of the items that a document of these levels scores.
fn level_noun(levels: &RubricLevels) -> &'static str {
    let scale = JudgingScale::ALL.into_iter().find(|scale| scale.rubric_levels() == Some(levels));
    scale.map_or("component", JudgingScale::noun)
}

/// Returns `: 2 kept, 1 broken`, the highest level first.
fn label_counts_text(levels: &RubricLevels, labels: &[&str]) -> String {
    let names = levels.names.iter().rev().copied().chain([CANNOT_TELL]);
    let counted = names.filter_map(|name| {
        let count = labels.iter().filter(|label| **label == name).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    let counted = counted.collect::<Vec<_>>().join(", ");
    if counted.is_empty() { counted } else { format!(": {counted}") }
}

/// Returns `12 flags: 7 verbosity, 5 erosion; 4 carried; 3.10 for 1000 lines of code; without an answer: shape`.
fn flags_text(document: &JudgementDocument, rows: &[FlagRow]) -> String {
    let FlagCounts { all, verbosity, erosion, carried } = FlagRow::count_flags(rows);
    let share = document.lines_of_code.and_then(|lines| per_thousand(all, lines));
    let unanswered = document.unanswered_ids();
    let counted = run_args::count_with_noun(all, "flag");
    let mut words =
        format!("{counted}: {verbosity} verbosity, {erosion} erosion; {carried} carried");
    if let Some(share) = share {
        words.push_str(&format!("; {share:.2} per 1000 lines of code"));
    }
    if !unanswered.is_empty() {
        words.push_str(&format!("; without an answer: {}", unanswered.join(", ")));
    }
    words
}
