//! Every response of a run with its price.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use trajview_run::{Run, StepId, Time, Tokens};

use super::{
    charge::{Charge, Priced},
    price,
    prices::Prices,
    sum::Sum,
    why::Why,
};

/// All that a run was charged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunCost {
    /// By turn, in playing order; what is on no step follows those of its turn.
    pub charges: Vec<Charge>,
    /// By turn, whether it belongs to what the run did; one more for what is of no turn.
    counts: Vec<bool>,
    by_step: HashMap<StepId, usize>,
}

/// Responses that were counted in another run: a session that goes on in another file brings what was said before with it.
#[derive(Debug, Default)]
pub struct Told(HashSet<Response>);

/// By what a response is known in another file: its time, its model, its tokens and its first words.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Response(Time, Option<Arc<str>>, [Option<u64>; 5], Box<str>);

impl RunCost {
    pub fn of(run: &Run, prices: &Prices) -> Self {
        Self::of_new(run, prices, &mut Told::default()).0
    }

    /// As [`RunCost::of`], without the responses that another run told before, and what those were. A response without a time,
    /// and one that is on no step, cannot be known again and is always counted.
    pub fn of_new(run: &Run, prices: &Prices, told: &mut Told) -> (Self, Sum) {
        let mut all = Charging {
            run,
            prices,
            only_model: only_model(run),
            rows: HashMap::new(),
            charges: vec![],
        };
        let agents = agents_by_turn(run);
        (0..run.turns.len()).for_each(|turn| all.turn(turn, &agents[turn]));
        all.beyond_turns();
        let mut charges = all.charges;
        let mut repeated = Sum::default();
        let mut here = vec![];
        charges.retain(|charge| {
            let Some(response) = response(run, charge) else { return true };
            let is_known = told.0.contains(&response);
            if is_known {
                repeated.add(charge);
            } else {
                here.push(response);
            }
            !is_known
        });
        // Only now: two responses of one run are two, however alike.
        told.0.extend(here);
        let step_of = |(at, charge): (usize, &Charge)| Some((charge.id()?, at));
        let by_step = charges.iter().enumerate().filter_map(step_of).collect();
        // What is stated of the run alone counts, and stands after the turns.
        let counts = run.turns.iter().map(trajview_run::Turn::counts).chain([true]).collect();
        (Self { charges, counts, by_step }, repeated)
    }

    /// What the response of a step costs; None where the recording has no tokens of it on this step.
    pub fn of_step(&self, id: StepId) -> Option<&Charge> {
        self.charges.get(*self.by_step.get(&id)?)
    }

    /// Of one turn, whether it counts or not.
    pub fn of_turn(&self, turn: usize) -> Sum {
        let first = self.charges.partition_point(|charge| charge.turn < turn);
        Sum::of(self.charges[first..].iter().take_while(|charge| charge.turn == turn))
    }

    /// Of the main agent, in one turn or in all, or of a sub-agent, in whichever turn; without the agents that it started.
    pub fn of_agent(&self, agent: Option<usize>, turn: Option<usize>) -> Sum {
        let turn = turn.filter(|_| agent.is_none());
        let is_in = |charge: &&Charge| turn.is_none_or(|turn| charge.turn == turn);
        Sum::of(self.charges.iter().filter(|charge| charge.agent == agent).filter(is_in))
    }

    /// Of the turns that count.
    pub fn total(&self) -> Sum {
        Sum::of(self.counted())
    }

    /// Of each turn, whether it counts or not.
    pub fn by_turn(&self) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); self.counts.len().saturating_sub(1)];
        for charge in &self.charges {
            if let Some(sum) = sums.get_mut(charge.turn) {
                sum.add(charge);
            }
        }
        sums
    }

    /// Of the main agent, where it has some, and of each sub-agent, in order; over the turns that count.
    pub fn by_agent(&self) -> BTreeMap<Option<usize>, Sum> {
        self.grouped(|charge| charge.agent)
    }

    /// Of each model, over the turns that count.
    pub fn by_model(&self) -> BTreeMap<Option<Arc<str>>, Sum> {
        self.grouped(|charge| charge.model.clone())
    }

    /// Those of turns that count.
    pub fn counted(&self) -> impl Iterator<Item = &Charge> {
        self.charges.iter().filter(|charge| self.counts.get(charge.turn) == Some(&true))
    }

    fn grouped<K: Ord>(&self, of: impl Fn(&Charge) -> K) -> BTreeMap<K, Sum> {
        let mut groups: BTreeMap<K, Sum> = BTreeMap::new();
        self.counted().for_each(|charge| groups.entry(of(charge)).or_default().add(charge));
        groups
    }
}

/// Whose model is meant where a step does not say: the run's, where it has one alone.
fn only_model(run: &Run) -> Result<Arc<str>, Why> {
    let named =
        run.model.as_deref().filter(|model| !model.trim().is_empty()).ok_or(Why::NoModel)?;
    if named.contains(", ") { Err(Why::WhichModel) } else { Ok(named.into()) }
}

/// The sub-agents whose tokens are of each turn: by the step that started them, else by where they are met first.
fn agents_by_turn(run: &Run) -> Vec<Vec<usize>> {
    let mut turns: Vec<Option<usize>> =
        run.subagents.iter().map(|agent| agent.parent.map(|parent| parent.turn)).collect();
    for turn in 0..run.turns.len() {
        for agent in run.steps_of_turn(turn).into_iter().filter_map(|id| id.subagent) {
            if let Some(of) = turns.get_mut(agent) {
                of.get_or_insert(turn);
            }
        }
    }
    let mut agents = vec![vec![]; run.turns.len()];
    for (agent, turn) in turns.into_iter().enumerate() {
        if let Some(of) = agents.get_mut(turn.unwrap_or(0)) {
            of.push(agent);
        }
    }
    agents
}

fn response(run: &Run, charge: &Charge) -> Option<Response> {
    let step = run.step(charge.id()?)?;
    let Tokens { input, cached_input, output, reasoning, cache_write, .. } = charge.tokens;
    let tokens = [input, cached_input, output, reasoning, cache_write];
    Some(Response(step.started_at?, charge.model.clone(), tokens, step.label.clone()))
}

/// The run being priced.
struct Charging<'a> {
    run: &'a Run,
    prices: &'a Prices,
    only_model: Result<Arc<str>, Why>,
    /// The rows of the models that were charged so far: a run has a few, and thousands of charges.
    rows: HashMap<Arc<str>, Vec<usize>>,
    charges: Vec<Charge>,
}

impl Charging<'_> {
    fn turn(&mut self, turn: usize, agents: &[usize]) {
        let first = self.charges.len();
        let mut seen = HashSet::new();
        for id in self.run.steps_of_turn(turn) {
            if id.subagent.is_none_or(|agent| agents.contains(&agent)) {
                self.step(id);
                seen.extend(id.subagent);
            }
        }
        for &agent in agents {
            if !seen.contains(&agent) {
                let steps = self.run.subagents[agent].steps.len();
                (0..steps).for_each(|step| self.step(StepId { turn, subagent: Some(agent), step }));
            }
            let of_agent = |charge: &&Charge| charge.agent == Some(agent);
            let on_steps = tokens(self.charges[first..].iter().filter(of_agent));
            self.rest(turn, Some(agent), self.run.subagents[agent].tokens, on_steps, first);
        }
        let told = tokens(&self.charges[first..]);
        self.rest(turn, None, self.run.turns[turn].tokens, told, first);
    }

    fn step(&mut self, id: StepId) {
        let Some(step) = self.run.step(id).filter(|step| step.tokens.total() > Some(0)) else {
            return;
        };
        let model = step.model.clone().map_or_else(|| self.only_model.clone(), Ok);
        let at = step.started_at.or_else(|| self.time_of(id.turn));
        self.charge(id.turn, (id.subagent, Some(id.step)), model, (step.tokens, at));
    }

    /// What a turn or an agent has beyond its steps.
    fn rest(
        &mut self,
        turn: usize,
        agent: Option<usize>,
        all: Tokens,
        on_steps: Tokens,
        first: usize,
    ) {
        let rest = all.since(on_steps);
        if rest.total() > Some(0) {
            let model = self.model_of_rest(agent, first);
            self.charge(turn, (agent, None), model, (rest, self.time_of(turn)));
        }
    }

    /// What the recording states of the run beyond its turns.
    fn beyond_turns(&mut self) {
        let rest = self.run.tokens().since(self.run.tokens_of_turns());
        if rest.total() > Some(0) {
            let turns = self.run.turns.len();
            let model = self.model_of_rest(None, 0);
            self.charge(turns, (None, None), model, (rest, self.run.started_at));
        }
    }

    /// That of the steps of the same agent in the turn, where they have one alone.
    fn model_of_rest(&self, agent: Option<usize>, first: usize) -> Result<Arc<str>, Why> {
        let of_agent = self.charges[first..].iter().filter(|charge| charge.agent == agent);
        let mut models: Vec<&Arc<str>> =
            of_agent.filter_map(|charge| charge.model.as_ref()).collect();
        models.sort_unstable();
        models.dedup();
        match models.as_slice() {
            [] => self.only_model.clone(),
            [one] => Ok(Arc::clone(one)),
            _ => Err(Why::WhichModel),
        }
    }

    fn time_of(&self, turn: usize) -> Option<Time> {
        self.run.turns.get(turn).and_then(|turn| turn.started_at).or(self.run.started_at)
    }

    fn charge(
        &mut self,
        turn: usize,
        (agent, step): (Option<usize>, Option<usize>),
        model: Result<Arc<str>, Why>,
        (tokens, at): (Tokens, Option<Time>),
    ) {
        let prices = self.prices;
        let priced = model.clone().and_then(|model| {
            let rows = self.rows.entry(Arc::clone(&model));
            let rows = rows.or_insert_with(|| prices.rows_called(&model));
            let row = prices.row_among(rows, &model, at)?;
            let (usd, notes) = price::of(&prices.rows()[row], tokens, step.is_some())?;
            Ok(Priced { usd, row, notes })
        });
        self.charges.push(Charge { turn, agent, step, model: model.ok(), tokens, priced });
    }
}

fn tokens<'a>(charges: impl IntoIterator<Item = &'a Charge>) -> Tokens {
    charges.into_iter().fold(Tokens::default(), |sum, charge| sum + charge.tokens)
}
