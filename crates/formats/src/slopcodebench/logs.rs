//! The agent's logs of one checkpoint, as one turn.
//!
//! A log is read by whichever format claims it. Where the same work was written down twice (what Claude Code printed,
//! and its own session log), the fuller one is taken, and the cost from the one that has it. Several processes of one
//! checkpoint are one turn: the harness made one request, and other requests are messages among the steps. A second pass
//! over the checkpoint ([`CheckpointPasses::second`]) has a request of the harness of its own, and is a turn of its own.

use crate::format::file_name;
use trajview_run::{RecordPlace, Role, Run, SourceId, Step, StepKind, SubAgent, Turn, Warning};

use super::{
    super::{
        Format, PieceExecutor, SourceBytes, companion_files, format_by_name, format_for_head,
        nested_logs::{head_of, move_places},
    },
    unclaimed_log,
};

/// The content of the logs of a checkpoint.
#[derive(Default)]
pub struct LogFacts {
    /// The runs in playing order, all of one format.
    runs: Vec<Run>,
    pub cost_usd: Option<f64>,
    /// The sources that were read, each with its format.
    pub read_by: Vec<(usize, &'static str)>,
}

/// The sessions on a checkpoint: the one for the checkpoint itself, and a second pass over its result.
#[derive(Default)]
pub struct CheckpointPasses {
    pub first: LogFacts,
    pub second: Option<LogFacts>,
}

/// The facts about a second pass before its log is found.
pub struct SecondPass<'a> {
    /// The request of the second pass, with its blanks; empty where it is not recorded.
    pub prompt: &'a str,
    /// Is true where the second pass left files beside its log.
    pub is_there: bool,
}

/// Reads the sources that are logs, and separates the passes.
pub fn read_passes(
    sources: &[SourceBytes<'_>],
    members: &[usize],
    second: &SecondPass<'_>,
    executor: &dyn PieceExecutor,
    warnings: &mut Vec<Warning>,
) -> CheckpointPasses {
    let (mut first, mut found) = read_all_logs(sources, members, executor, warnings);
    let later = second.take_second_pass(sources, &mut found);
    if found.is_empty() && later.is_empty() {
        let all = members
            .iter()
            .filter_map(|&at| unclaimed_log::read_unclaimed(sources[at], SourceId(at as u32)));
        found.extend(all.max_by_key(step_count));
    }
    first.choose_fullest(found, warnings);
    let second = (!later.is_empty()).then(|| {
        let mut facts = LogFacts::default();
        facts.choose_fullest(later, warnings);
        facts
    });
    CheckpointPasses { first, second }
}

impl SecondPass<'_> {
    /// Takes the accounts of the second pass out of all that were found, with everything else that is of their sessions.
    fn take_second_pass(&self, sources: &[SourceBytes<'_>], found: &mut Vec<Run>) -> Vec<Run> {
        let picked = self.pick_runs(sources, found);
        let ids: Vec<String> = picked.iter().map(|&at| found[at].id.clone()).collect();
        let is_all = found.iter().all(|run| ids.contains(&run.id));
        let is_of_it = |at: usize, run: &Run| {
            // A session that was gone on with has one id for both passes.
            picked.contains(&at) || (!is_all && ids.contains(&run.id))
        };
        let (later, first): (Vec<_>, Vec<_>) =
            std::mem::take(found).into_iter().enumerate().partition(|(at, run)| is_of_it(*at, run));
        *found = first.into_iter().map(|(_, run)| run).collect();
        later.into_iter().map(|(_, run)| run).collect()
    }

    /// Returns the runs with the request of the second pass, else those whose file is named after it, else a session that
    /// the agent's printed output does not contain, else the one that began last.
    fn pick_runs(&self, sources: &[SourceBytes<'_>], found: &[Run]) -> Vec<usize> {
        let all = |is: &dyn Fn(&Run) -> bool| -> Vec<usize> {
            (0..found.len()).filter(|&at| is(&found[at])).collect()
        };
        let with_request = all(&|run| self.is_asked(sources, run));
        if !with_request.is_empty() || !self.is_there {
            return with_request;
        }
        let named = all(&|run| file_name_of(sources, run).contains("skill"));
        if !named.is_empty() {
            return named;
        }
        let (printed, sessions) = (all(&is_printed), all(&|run| !is_printed(run)));
        let is_known = |at: &usize| printed.iter().any(|&other| found[other].id == found[*at].id);
        let new: Vec<usize> = sessions.iter().copied().filter(|at| !is_known(at)).collect();
        if !printed.is_empty() && !new.is_empty() {
            return new;
        }
        let kind = if sessions.len() > 1 { sessions } else { printed };
        let last = kind.iter().copied().max_by_key(|&at| {
            (found[at].started_at, !file_name_of(sources, &found[at]).starts_with("stdout."), at)
        });
        last.filter(|_| kind.len() > 1).into_iter().collect()
    }

    fn is_asked(&self, sources: &[SourceBytes<'_>], run: &Run) -> bool {
        let wanted = normalized_text(self.prompt);
        let Some(place) =
            run.turns.iter().find_map(|turn| turn.request).filter(|_| !wanted.is_empty())
        else {
            return false;
        };
        let record =
            sources.get(place.source.0 as usize).map(|source| place.bytes_in(source.bytes));
        let format = format_by_name(run.origin.format).zip(record);
        format
            .is_some_and(|(format, record)| normalized_text(&format.request_text(record)) == wanted)
    }
}

/// Returns whether a run is the agent's printed output, which its own log may contain again.
fn is_printed(run: &Run) -> bool {
    matches!(run.origin.format, "claude-stream-json" | "codex-exec")
}

/// Returns the file that an account was read from.
fn file_name_of<'a>(sources: &[SourceBytes<'a>], run: &Run) -> &'a str {
    let step = run.turns.iter().flat_map(|turn| &turn.steps).next();
    let source = step.and_then(|step| sources.get(step.place.source.0 as usize));
    source.map_or("", |source| file_name(source.name))
}

fn normalized_text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads all logs, and returns what read which source, and a run for each account. Adds warnings for what cannot be
/// read.
fn read_all_logs(
    sources: &[SourceBytes<'_>],
    members: &[usize],
    executor: &dyn PieceExecutor,
    warnings: &mut Vec<Warning>,
) -> (LogFacts, Vec<Run>) {
    let head_of = |at: usize| head_of(sources[members[at]]);
    let claimed: Vec<(usize, &'static dyn Format)> = (0..members.len())
        .filter_map(|at| format_for_head(&head_of(at)).map(|format| (at, format)))
        .filter(|(_, format)| format.capabilities().is_log())
        .collect();
    let mains = companion_files::main_files_among(&claimed, head_of);
    let all: Vec<usize> = (0..members.len()).collect();
    let parts = companion_files::companions_by_format(
        mains.iter().map(|(_, format)| *format),
        &all,
        head_of,
    );
    let mut facts = LogFacts::default();
    let mut found: Vec<Run> = vec![];
    for (at, format) in mains {
        let mut parts = parts[format.name()].parts_of(&format.names_in_parts(&head_of(at)));
        parts.remove(&at);
        let group: Vec<usize> = std::iter::once(at).chain(parts).map(|at| members[at]).collect();
        facts.read_by.extend(group.iter().map(|&at| (at, format.name())));
        let subset: Vec<SourceBytes<'_>> = group.iter().map(|&at| sources[at]).collect();
        match format.index_run_with(&subset, executor) {
            Ok(mut run) => {
                let ids: Vec<SourceId> = group.iter().map(|&at| SourceId(at as u32)).collect();
                move_places(&mut run, &ids);
                found.push(run);
            }
            Err(why) => warnings
                .push(Warning { place: sources[members[at]].name.into(), what: why.to_string() }),
        }
    }
    (facts, found)
}

impl LogFacts {
    /// Keeps the fullest account; its warnings are the run's.
    fn choose_fullest(&mut self, mut found: Vec<Run>, warnings: &mut Vec<Warning>) {
        self.cost_usd =
            sum_costs(found.iter().flat_map(|run| &run.turns).map(|turn| turn.cost_usd));
        let mut formats: Vec<&'static str> = vec![];
        for run in &found {
            if !formats.contains(&run.origin.format) {
                formats.push(run.origin.format);
            }
        }
        let steps = |format: &str| -> usize {
            let own = found.iter().filter(|run| run.origin.format == format);
            own.map(step_count).sum()
        };
        // Between equals the session log, which knows times, and else the first.
        let rank = |format: &&&str| (steps(format), ***format == *"claude-code");
        let best = formats.iter().rev().max_by_key(rank).copied();
        found.retain(|run| Some(run.origin.format) == best);
        found.sort_by_key(|run| run.started_at);
        for run in &mut found {
            warnings.append(&mut run.warnings);
        }
        self.runs = found;
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Joins all runs to one turn with index `at`, and adds their agents to those of the whole run.
    pub fn into_turn(self, at: usize, agents: &mut Vec<SubAgent>) -> Turn {
        let mut whole = Turn::default();
        for run in self.runs {
            let first_agent = agents.len();
            // Steps before each turn of the log.
            let mut before = vec![];
            for turn in run.turns {
                before.push(add_turn(&mut whole, turn, first_agent));
            }
            for mut agent in run.subagents {
                if let Some(parent) = &mut agent.parent {
                    match &mut parent.subagent {
                        Some(outer) => *outer += first_agent,
                        None => parent.step += before.get(parent.turn).copied().unwrap_or(0),
                    }
                    parent.turn = at;
                }
                for step in &mut agent.steps {
                    step.subagent = step.subagent.map(|inner| inner + first_agent);
                }
                agents.push(agent);
            }
        }
        whole.cost_usd = whole.cost_usd.or(self.cost_usd);
        whole
    }
}

fn step_count(run: &Run) -> usize {
    let agents = run.subagents.iter().map(|agent| agent.steps.len());
    run.turns.iter().map(|turn| turn.steps.len()).chain(agents).sum()
}

fn sum_costs(costs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    costs.flatten().reduce(|sum, more| sum + more)
}

/// Adds a turn of the log; gives the number of steps before its own.
fn add_turn(whole: &mut Turn, turn: Turn, first_agent: usize) -> usize {
    match turn.request {
        Some(place) if whole.request.is_none() && whole.steps.is_empty() => {
            whole.request = Some(place);
            whole.added = turn.added;
            whole.title = turn.title;
        }
        Some(place) => whole.steps.push(request_step(place, turn.title)),
        None => {}
    }
    let before = whole.steps.len();
    whole.started_at = whole.started_at.or(turn.started_at);
    whole.ended_at = turn.ended_at.or(whole.ended_at);
    whole.tokens = whole.tokens + turn.tokens;
    whole.cost_usd = sum_costs([whole.cost_usd, turn.cost_usd].into_iter());
    whole.steps.extend(turn.steps.into_iter().map(|mut step| {
        step.subagent = step.subagent.map(|agent| agent + first_agent);
        step
    }));
    before
}

fn request_step(place: RecordPlace, label: Box<str>) -> Step {
    Step { kind: StepKind::Message, role: Role::User, label, place, ..Step::default() }
}
