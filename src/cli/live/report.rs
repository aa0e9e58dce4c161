//! The output of `trajview live`: progress on standard error, the result on standard output.

use crate::cli::{
    output::{Out, record, safe_line},
    run_args,
};
use trajview_live::{
    LiveRunEnd, RunHalt, RunJob, command_line::shell_words, journal, plan::DrivingPlan,
    prepare::absolute_path, start_files::PATCH_FILE,
};
use trajview_run::{
    TurnState,
    live::{LiveEvent, WaitReason},
};
use trajview_store::start_files;

/// Recorded files between two progress lines.
const FILES_A_LINE: usize = 10_000;

/// Tells events as they come.
#[derive(Debug, Default)]
pub struct LiveReporter {
    requests: usize,
    denied: usize,
}

impl LiveReporter {
    pub(crate) fn print_event(&mut self, event: &LiveEvent) {
        if let Some(line) = self.event_line(event) {
            eprintln!("{}", safe_line(&line));
        }
    }

    fn event_line(&mut self, event: &LiveEvent) -> Option<String> {
        Some(match event {
            LiveEvent::Opened(plan) => {
                self.requests = plan.requests.len();
                let goes_on = match plan.done {
                    0 => String::new(),
                    done => format!(", {} done before", run_args::turns_text(done)),
                };
                format!(
                    "{}, {}{goes_on}: {} (works in {})",
                    plan.agent,
                    run_args::count_with_noun(self.requests, "request"),
                    plan.out,
                    plan.workspace
                )
            }
            LiveEvent::ReadingFiles { files } if files.is_multiple_of(FILES_A_LINE) => {
                format!("  recording the files: {files} so far")
            }
            LiveEvent::TurnEnded(ended) => {
                let mut parts = vec![];
                if let Some(why) = &ended.why {
                    parts.push(format!("{}: {why}", state_text(ended.state)));
                }
                parts.push(run_args::count_with_noun(ended.changed.len(), "file"));
                parts.extend(
                    (ended.left_running > 0)
                        .then(|| format!("{} left running, killed", ended.left_running)),
                );
                parts.extend(
                    ended
                        .tokens
                        .input
                        .zip(ended.tokens.output)
                        .map(|(input, output)| format!("{input} tokens in, {output} out")),
                );
                parts.extend(ended.total.cost_usd.map(|cost| format!("{cost:.4} USD so far")));
                parts.extend((ended.helper_calls > 0).then(|| {
                    let cost = ended.helper_cost_usd.map(|cost| format!(", {cost:.4} USD"));
                    let calls = run_args::count_with_noun(ended.helper_calls, "call");
                    format!("layers: {calls} of the helper{}", cost.unwrap_or_default())
                }));
                let denied = std::mem::take(&mut self.denied);
                parts.extend((denied > 0).then(|| format!("{denied} denied")));
                format!("turn {} of {}: {}", ended.turn, self.requests, parts.join(", "))
            }
            LiveEvent::Denied(what) => {
                self.denied += 1;
                format!("  not allowed: {what}")
            }
            LiveEvent::Tested { checkpoint, passed, total, seconds } => {
                format!(
                    "  checkpoint {checkpoint}: {passed} of {total} tests pass ({seconds:.1} s)"
                )
            }
            LiveEvent::TurnRepeated { turn, why } => format!("  turn {turn} is repeated: {why}"),
            LiveEvent::Preparing(sentence) | LiveEvent::Warned(sentence) => format!("  {sentence}"),
            LiveEvent::Skipped { request } => format!("  skipped: {request}"),
            LiveEvent::Typed { turn, request } => {
                format!("  turn {turn} is not in the script (typed): {request}")
            }
            LiveEvent::Queued(request) => format!("  next request: {request}"),
            LiveEvent::Redo { turn: None } => "  the last turn is kept".into(),
            LiveEvent::Redo { turn: Some(turn) } => format!("  turn {turn} will be repeated"),
            LiveEvent::Edited { turn } => format!("  the request of turn {turn} was edited"),
            LiveEvent::Waits { turn, why, .. } => match why {
                WaitReason::Failed(why) => format!("turn {turn} waits: {why}"),
                WaitReason::Prompt => format!("turn {turn} waits for your input"),
                WaitReason::Paused | WaitReason::StepByStep => format!("turn {turn} waits"),
            },
            LiveEvent::TurnBegan { .. }
            | LiveEvent::Started { .. }
            | LiveEvent::Terminal(_)
            | LiveEvent::AgentLine(_)
            | LiveEvent::LogGrew
            | LiveEvent::ReadingFiles { .. }
            | LiveEvent::Used { .. } => return None,
        })
    }
}

const fn state_text(state: TurnState) -> &'static str {
    if state.is_counted() { "failed, kept" } else { "does not count" }
}

/// Prints the outcome on standard output.
pub(crate) fn print_result(
    job: &RunJob,
    ended: &LiveRunEnd,
    json: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let total = ended.total;
    if !json {
        if ended.halted.is_none() {
            out.print_line(&format!(
                "{}: {}, {:.1} s",
                job.bundle.display(),
                run_args::turns_text(total.turns),
                total.seconds
            ))?;
        }
        return if total.turns > 0 { print_patch(job, out) } else { Ok(()) };
    }
    let stopped = ended.halted.as_ref().map(|halt| match halt {
        RunHalt::Stopped => "asked to stop".to_owned(),
        RunHalt::Budget(why) => why.clone(),
        RunHalt::Failed { turn, why } => format!("turn {turn}: {why}"),
        RunHalt::NotReady(why) => why.clone(),
        RunHalt::Write(why) => why.to_string(),
    });
    let patch = Some(job.bundle.join(PATCH_FILE)).filter(|it| it.is_file());
    out.print_json(&record! {
        schema: "trajview.live/1",
        bundle: job.bundle.display().to_string(),
        agent: job.setup.agent,
        condition: job.setup.condition.word(),
        requests: ended.requests,
        turns: total.turns,
        tokens: total.tokens,
        cost_usd: total.cost_usd,
        // The agent's working time.
        seconds: total.seconds,
        finished: ended.halted.is_none(),
        stopped: stopped,
        // The patch for the files that the run began with. Null if it began with none.
        patch: patch.map(|it| it.display().to_string()),
    })
}

/// Prints the place of the patch for the files that the run began with, and how to apply it.
fn print_patch(job: &RunJob, out: &mut Out) -> std::io::Result<()> {
    let Some(base) = journal::read_journal(&job.bundle).and_then(|before| before.progress.base)
    else {
        return Ok(());
    };
    let path = absolute_path(&job.bundle.join(PATCH_FILE));
    let patch = std::fs::read(&path).unwrap_or_default();
    if patch.is_empty() {
        return out.print_line("patch: the agent changed no files");
    }
    let starts = |line: &&[u8]| line.starts_with(b"diff --git ");
    let files = patch.split(|byte| *byte == b'\n').filter(starts).count();
    out.print_line(&format!(
        "patch: {} ({})",
        path.display(),
        run_args::count_with_noun(files, "file")
    ))?;
    let path = path.to_string_lossy();
    let source = base.source.unwrap_or_default();
    match source.repository {
        Some(_) => {
            let place =
                start_files::folder_of(job.setup.folders.start.from.as_deref().unwrap_or("."));
            let place = absolute_path(&place).to_string_lossy().into_owned();
            out.print_line(&format!(
                "apply it: {}",
                shell_words(["git", "-C", place.as_str(), "apply", &*path])
            ))
        }
        None => out.print_line(&format!(
            "apply it in a copy of the folder: {}",
            shell_words(["git", "apply", &*path])
        )),
    }
}

pub(crate) fn print_plan(plan: &DrivingPlan, json: bool, out: &mut Out) -> std::io::Result<()> {
    if json {
        return out.print_json(&record! { schema: "trajview.live-plan/1", ..plan });
    }
    out.print_line(&format!("{}: {}", plan.agent, plan.about))?;
    out.print_line(&format!("works in  {}", plan.workspace))?;
    out.print_line(&format!("first     {}", shell_words(&plan.first.command)))?;
    out.print_line(&format!("          the request {}", plan.first.request))?;
    out.print_line(&format!("next      {}", shell_words(&plan.next.command)))?;
    out.print_line(&format!("          the request {}", plan.next.request))?;
    if let Some(export) = &plan.export {
        out.print_line(&format!("after     {}", shell_words(export)))?;
    }
    out.print_line(&format!("session   {}", plan.session))?;
    out.print_line(&format!("over      {}", plan.turn_ends))?;
    out.print_line(&format!("again     {}", plan.done_again))?;
    plan.logs.iter().try_for_each(|log| out.print_line(&format!("log       {log}")))?;
    plan.not_recorded.iter().try_for_each(|it| out.print_line(&format!("left out  {it}")))?;
    for layer in &plan.layers {
        out.print_line(&format!("layer     {}: its text {}", layer.name, layer.ways.join(", ")))?;
        layer.lacks.iter().try_for_each(|lack| out.print_line(&format!("          {lack}")))?;
    }
    for (name, value) in &plan.environment {
        out.print_line(&format!("env       {name}={value}"))?;
    }
    for file in &plan.files {
        out.print_line(&format!("file      {}", file.path))?;
        file.content.lines().try_for_each(|line| out.print_line(&format!("          {line}")))?;
    }
    Ok(())
}
