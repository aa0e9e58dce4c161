//! The agent's logs of one checkpoint, as one turn.
//!
//! A log is read by whichever format claims it. Where the same work was written down twice (what Claude Code printed,
//! and its own session log), the fuller one is taken, and the cost from the one that has it. Several processes of one
//! checkpoint are one turn: the harness asked once, and what else was asked is a message among the steps. A second pass
//! over the checkpoint ([`Passes::second`]) was asked by the harness again, and is a turn of its own.

use trajview_run::{Place, Role, Run, SourceId, Step, StepKind, SubAgent, Turn, Warning};

use super::{
    super::{
        Executor, Format, Source, by_name, claim, companions,
        nested::{head_of, move_places},
    },
    unclaimed,
};

/// What the logs of a checkpoint told.
#[derive(Default)]
pub struct LogFacts {
    /// In playing order, all of one format.
    runs: Vec<Run>,
    pub cost_usd: Option<f64>,
    /// Which sources were read, and by whom.
    pub read_by: Vec<(usize, &'static str)>,
}

/// The sessions on a checkpoint: the one that was asked for it, and a second pass over what that left.
#[derive(Default)]
pub struct Passes {
    pub first: LogFacts,
    pub second: Option<LogFacts>,
}

/// What is known of a second pass before its log is found.
pub struct SecondPass<'a> {
    /// What it was asked, its blanks as they are; empty where nobody says.
    pub prompt: &'a str,
    /// Whether it left something beside its log.
    pub is_there: bool,
}

/// Reads those of the sources that are logs, and tells the passes apart.
pub fn read_passes(
    sources: &[Source<'_>],
    members: &[usize],
    second: &SecondPass<'_>,
    executor: &dyn Executor,
    warnings: &mut Vec<Warning>,
) -> Passes {
    let (mut first, mut found) = found(sources, members, executor, warnings);
    let later = second.take_from(sources, &mut found);
    if found.is_empty() && later.is_empty() {
        let all =
            members.iter().filter_map(|&at| unclaimed::read(sources[at], SourceId(at as u32)));
        found.extend(all.max_by_key(steps_of));
    }
    first.choose(found, warnings);
    let second = (!later.is_empty()).then(|| {
        let mut told = LogFacts::default();
        told.choose(later, warnings);
        told
    });
    Passes { first, second }
}

impl SecondPass<'_> {
    /// Takes the accounts of the second pass out of all that were found, with everything else that is of their sessions.
    fn take_from(&self, sources: &[Source<'_>], found: &mut Vec<Run>) -> Vec<Run> {
        let picked = self.pick(sources, found);
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

    /// Those that were asked what the second pass was asked, else whose file is named after it, else a session that the
    /// agent's printed output does not know, else the one that began last.
    fn pick(&self, sources: &[Source<'_>], found: &[Run]) -> Vec<usize> {
        let all = |is: &dyn Fn(&Run) -> bool| -> Vec<usize> {
            (0..found.len()).filter(|&at| is(&found[at])).collect()
        };
        let asked = all(&|run| self.is_asked(sources, run));
        if !asked.is_empty() || !self.is_there {
            return asked;
        }
        let named = all(&|run| file_of(sources, run).contains("skill"));
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
            (found[at].started_at, !file_of(sources, &found[at]).starts_with("stdout."), at)
        });
        last.filter(|_| kind.len() > 1).into_iter().collect()
    }

    fn is_asked(&self, sources: &[Source<'_>], run: &Run) -> bool {
        let wanted = words_of(self.prompt);
        let Some(place) =
            run.turns.iter().find_map(|turn| turn.request).filter(|_| !wanted.is_empty())
        else {
            return false;
        };
        let record = sources.get(place.source.0 as usize).map(|source| place.of(source.bytes));
        let format = by_name(run.origin.format).zip(record);
        format.is_some_and(|(format, record)| words_of(&format.request(record)) == wanted)
    }
}

/// Whether this is what the agent printed, which its own log may hold once more.
fn is_printed(run: &Run) -> bool {
    matches!(run.origin.format, "claude-stream-json" | "codex-exec")
}

/// The file that an account was read from.
fn file_of<'a>(sources: &[Source<'a>], run: &Run) -> &'a str {
    let step = run.turns.iter().flat_map(|turn| &turn.steps).next();
    let source = step.and_then(|step| sources.get(step.place.source.0 as usize));
    source.map_or("", |source| source.name.rsplit('/').next().unwrap_or(source.name))
}

fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every account, and who read which source.
fn found(
    sources: &[Source<'_>],
    members: &[usize],
    executor: &dyn Executor,
    warnings: &mut Vec<Warning>,
) -> (LogFacts, Vec<Run>) {
    let head_of = |at: usize| head_of(sources[members[at]]);
    let claimed: Vec<(usize, &'static dyn Format)> = (0..members.len())
        .filter_map(|at| claim(&head_of(at)).map(|format| (at, format)))
        .filter(|(_, format)| format.offers().is_log())
        .collect();
    let mains = companions::mains_among(&claimed, head_of);
    let all: Vec<usize> = (0..members.len()).collect();
    let parts = companions::companions(mains.iter().map(|(_, format)| *format), &all, head_of);
    let mut told = LogFacts::default();
    let mut found: Vec<Run> = vec![];
    for (at, format) in mains {
        let mut parts = parts[format.name()].of(&format.names(&head_of(at)));
        parts.remove(&at);
        let group: Vec<usize> = std::iter::once(at).chain(parts).map(|at| members[at]).collect();
        told.read_by.extend(group.iter().map(|&at| (at, format.name())));
        let subset: Vec<Source<'_>> = group.iter().map(|&at| sources[at]).collect();
        match format.index_with(&subset, executor) {
            Ok(mut run) => {
                let ids: Vec<SourceId> = group.iter().map(|&at| SourceId(at as u32)).collect();
                move_places(&mut run, &ids);
                found.push(run);
            }
            Err(why) => warnings
                .push(Warning { place: sources[members[at]].name.into(), what: why.to_string() }),
        }
    }
    (told, found)
}

impl LogFacts {
    /// Keeps the fullest account; its warnings are the run's.
    fn choose(&mut self, mut found: Vec<Run>, warnings: &mut Vec<Warning>) {
        self.cost_usd = sum(found.iter().flat_map(|run| &run.turns).map(|turn| turn.cost_usd));
        let mut formats: Vec<&'static str> = vec![];
        for run in &found {
            if !formats.contains(&run.origin.format) {
                formats.push(run.origin.format);
            }
        }
        let steps = |format: &str| -> usize {
            let own = found.iter().filter(|run| run.origin.format == format);
            own.map(steps_of).sum()
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

    /// All of it as the turn with index `at`; agents are added to those of the run.
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

fn steps_of(run: &Run) -> usize {
    let agents = run.subagents.iter().map(|agent| agent.steps.len());
    run.turns.iter().map(|turn| turn.steps.len()).chain(agents).sum()
}

fn sum(costs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
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
        Some(place) => whole.steps.push(asked(place, turn.title)),
        None => {}
    }
    let before = whole.steps.len();
    whole.started_at = whole.started_at.or(turn.started_at);
    whole.ended_at = turn.ended_at.or(whole.ended_at);
    whole.tokens = whole.tokens + turn.tokens;
    whole.cost_usd = sum([whole.cost_usd, turn.cost_usd].into_iter());
    whole.steps.extend(turn.steps.into_iter().map(|mut step| {
        step.subagent = step.subagent.map(|agent| agent + first_agent);
        step
    }));
    before
}

fn asked(place: Place, label: Box<str>) -> Step {
    Step { kind: StepKind::Message, role: Role::User, label, place, ..Step::default() }
}
