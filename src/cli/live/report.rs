//! What `trajview live` says: progress on standard error, the outcome on standard output.

use serde::Serialize;

use crate::cli::{
    at,
    output::{Out, plain},
};
use trajview_live::{
    Ended, Event, Halt, Job, Why, base::PATCH, journal, manifest::State, plan::Plan,
    prepare::absolute,
};
use trajview_run::Tokens;
use trajview_store::beginning;

/// How often a line says how many files were recorded.
const COUNTED: usize = 10_000;

/// Tells events as they come.
#[derive(Debug, Default)]
pub struct Reporter {
    requests: usize,
    denied: usize,
}

impl Reporter {
    pub fn event(&mut self, event: &Event) {
        if let Some(line) = self.line(event) {
            eprintln!("{}", plain(&line));
        }
    }

    fn line(&mut self, event: &Event) -> Option<String> {
        Some(match event {
            Event::Opened { bundle, agent, version, requests, done, workspace, .. } => {
                self.requests = *requests;
                let version = version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
                let goes_on = match done {
                    0 => String::new(),
                    done => format!(", {} done before", at::turns(*done)),
                };
                format!(
                    "{agent}{version}, {}{goes_on}: {} (works in {})",
                    at::counted(*requests, "request"),
                    bundle.display(),
                    workspace.display()
                )
            }
            Event::Recording { files } if files.is_multiple_of(COUNTED) => {
                format!("  recording the files: {files} so far")
            }
            Event::TurnEnded { row, changed, total } => {
                let mut parts = vec![];
                if let Some(why) = &row.why {
                    parts.push(format!("{}: {why}", state(row.state)));
                }
                parts.push(at::counted(changed.len(), "file"));
                parts.extend(
                    (row.left_running > 0)
                        .then(|| format!("{} left running and ended", row.left_running)),
                );
                parts.extend(
                    row.reported
                        .tokens
                        .input
                        .zip(row.reported.tokens.output)
                        .map(|(input, output)| format!("{input} tokens in, {output} out")),
                );
                parts.extend(total.cost_usd.map(|cost| format!("{cost:.4} USD so far")));
                let layers = row.layer.as_ref().map(|layers| layers.spent());
                parts.extend(layers.filter(|it| it.calls > 0).map(|it| {
                    let cost = it.cost_usd.map(|cost| format!(", {cost:.4} USD"));
                    let calls = at::counted(it.calls, "call");
                    format!("layers: {calls} of the helper{}", cost.unwrap_or_default())
                }));
                let denied = std::mem::take(&mut self.denied);
                parts.extend((denied > 0).then(|| format!("{denied} denied")));
                format!("turn {} of {}: {}", row.turn, self.requests, parts.join(", "))
            }
            Event::Denied(what) => {
                self.denied += 1;
                format!("  not allowed: {what}")
            }
            Event::Tested { checkpoint, passed, total, seconds } => {
                format!(
                    "  checkpoint {checkpoint}: {passed} of {total} tests pass ({seconds:.1} s)"
                )
            }
            Event::Again { turn, why } => format!("  turn {turn} is done again: {why}"),
            Event::Beginning(sentence) | Event::Warned(sentence) => format!("  {sentence}"),
            Event::Skipped { request } => format!("  skipped: {request}"),
            Event::Typed { turn, request } => {
                format!("  turn {turn} is not in the script, a person typed it: {request}")
            }
            Event::Queued(request) => format!("  asked after this turn: {request}"),
            Event::Redo { turn: None } => "  the last turn stays as it is".into(),
            Event::Redo { turn: Some(turn) } => format!("  turn {turn} is to be done again"),
            Event::Edited { turn } => format!("  the request of turn {turn} was edited"),
            Event::Waits { turn, why, .. } => match why {
                Why::Failed(why) => format!("turn {turn} waits: {why}"),
                Why::Prompt => format!("turn {turn} waits for what you type"),
                Why::Paused | Why::StepByStep => format!("turn {turn} waits"),
            },
            Event::TurnBegan { .. }
            | Event::Started { .. }
            | Event::Terminal(_)
            | Event::Said(_)
            | Event::Grew
            | Event::Recording { .. }
            | Event::Used { .. } => return None,
        })
    }
}

const fn state(state: State) -> &'static str {
    match state {
        State::Kept => "failed, and stands",
        State::Begun | State::Done | State::Cut => "does not count",
    }
}

#[derive(Serialize)]
struct RunSummary<'a> {
    schema: &'static str,
    bundle: String,
    agent: &'a str,
    condition: &'static str,
    requests: usize,
    /// Turns that count.
    turns: usize,
    tokens: Tokens,
    cost_usd: Option<f64>,
    /// The agent's working time.
    seconds: f64,
    finished: bool,
    /// Null where every request was asked.
    stopped: Option<String>,
    /// The patch for the files that the run began with; null where it began with none.
    patch: Option<String>,
}

/// The outcome on standard output.
pub fn ended(job: &Job, ended: &Ended, json: bool, out: &mut Out) -> std::io::Result<()> {
    let total = ended.total;
    if !json {
        if ended.halted.is_none() {
            out.line(&format!(
                "{}: {}, {:.1} s",
                job.bundle.display(),
                at::turns(total.turns),
                total.seconds
            ))?;
        }
        return if total.turns > 0 { patch(job, out) } else { Ok(()) };
    }
    let stopped = ended.halted.as_ref().map(|halt| match halt {
        Halt::Stopped => "told to stop".to_owned(),
        Halt::Budget(why) => why.clone(),
        Halt::Failed { turn, why } => format!("turn {turn}: {why}"),
        Halt::NotReady(why) => why.clone(),
        Halt::Write(why) => why.to_string(),
    });
    out.json(&RunSummary {
        schema: "trajview.live/1",
        bundle: job.bundle.display().to_string(),
        agent: &job.setup.agent,
        condition: job.setup.condition.word(),
        requests: ended.requests,
        turns: total.turns,
        tokens: total.tokens,
        cost_usd: total.cost_usd,
        seconds: total.seconds,
        finished: ended.halted.is_none(),
        stopped,
        patch: Some(job.bundle.join(PATCH))
            .filter(|it| it.is_file())
            .map(|it| it.display().to_string()),
    })
}

/// Where the patch is for the files that the run began with, and how it is applied.
fn patch(job: &Job, out: &mut Out) -> std::io::Result<()> {
    let Some(base) = journal::read(&job.bundle).and_then(|before| before.progress.base) else {
        return Ok(());
    };
    let path = absolute(&job.bundle.join(PATCH));
    let patch = std::fs::read(&path).unwrap_or_default();
    if patch.is_empty() {
        return out.line("patch: the agent changed no files");
    }
    let starts = |line: &&[u8]| line.starts_with(b"diff --git ");
    let files = patch.split(|byte| *byte == b'\n').filter(starts).count();
    out.line(&format!("patch: {} ({})", path.display(), at::counted(files, "file")))?;
    let shell = |words: &[&str]| trajview_live::command_line::shell_words(words);
    let path = path.to_string_lossy();
    let source = base.source.unwrap_or_default();
    match source.repository {
        Some(_) => {
            let place =
                beginning::folder_of(job.setup.folders.start.from.as_deref().unwrap_or("."));
            let place = absolute(&place).to_string_lossy().into_owned();
            out.line(&format!("apply it: {}", shell(&["git", "-C", &place, "apply", &path])))
        }
        None => out.line(&format!(
            "apply it in a copy of the folder: {}",
            shell(&["git", "apply", &path])
        )),
    }
}

#[derive(Serialize)]
struct Planned<'a> {
    schema: &'static str,
    #[serde(flatten)]
    plan: &'a Plan,
}

pub fn plan(plan: &Plan, json: bool, out: &mut Out) -> std::io::Result<()> {
    if json {
        return out.json(&Planned { schema: "trajview.live-plan/1", plan });
    }
    let shell = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        trajview_live::command_line::shell_words(&words)
    };
    out.line(&format!("{}: {}", plan.agent, plan.about))?;
    out.line(&format!("works in  {}", plan.workspace))?;
    out.line(&format!("first     {}", shell(&plan.first.command)))?;
    out.line(&format!("          the request {}", plan.first.request))?;
    out.line(&format!("next      {}", shell(&plan.next.command)))?;
    out.line(&format!("          the request {}", plan.next.request))?;
    if let Some(export) = &plan.export {
        out.line(&format!("after     {}", shell(export)))?;
    }
    out.line(&format!("session   {}", plan.session))?;
    out.line(&format!("over      {}", plan.turn_ends))?;
    out.line(&format!("again     {}", plan.done_again))?;
    plan.logs.iter().try_for_each(|log| out.line(&format!("log       {log}")))?;
    plan.not_recorded.iter().try_for_each(|it| out.line(&format!("left out  {it}")))?;
    for layer in &plan.layers {
        out.line(&format!("layer     {}: its words {}", layer.name, layer.ways.join(", ")))?;
        layer.lacks.iter().try_for_each(|lack| out.line(&format!("          {lack}")))?;
    }
    for (name, value) in &plan.environment {
        out.line(&format!("env       {name}={value}"))?;
    }
    for file in &plan.files {
        out.line(&format!("file      {}", file.path))?;
        file.content.lines().try_for_each(|line| out.line(&format!("          {line}")))?;
    }
    Ok(())
}
