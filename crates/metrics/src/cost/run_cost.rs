//! Prices every response of a run.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use trajview_run::{Run, StepId, Time, Tokens};

use super::{
    charge::{Charge, ResponsePrice},
    cost_sum::CostSum,
    price_reasons::NoPriceReason,
    price_table::Prices,
    token_price,
};

/// The charges of a run: every response with its price.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunCost {
    /// Charges by turn, in playing order; tokens that are on no step follow the charges of their turn.
    pub charges: Vec<Charge>,
    /// One flag per turn, true where the turn counts as work of the run; one more for tokens that belong to no turn.
    counts: Vec<bool>,
    by_step: HashMap<StepId, usize>,
}

/// Responses that were already counted in another run: a session that continues in another file repeats the earlier
/// messages there.
#[derive(Debug, Default)]
pub struct SeenResponses(HashSet<ResponseKey>);

/// The parts by which a response is recognised in another file: its time, its model, its tokens and its first words.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ResponseKey(Time, Option<Arc<str>>, [Option<u64>; 5], Box<str>);

impl RunCost {
    /// Prices every response of a run.
    pub fn new(run: &Run, prices: &Prices) -> Self {
        Self::without_seen(run, prices, &mut SeenResponses::default()).0
    }

    /// Prices a run without the responses that another run already had, and returns the sum of those separately. A
    /// response without a time, and one that is on no step, cannot be recognised and is always counted.
    pub fn without_seen(run: &Run, prices: &Prices, seen: &mut SeenResponses) -> (Self, CostSum) {
        let mut all = RunPricing {
            run,
            prices,
            only_model: only_model(run),
            rows: HashMap::new(),
            charges: vec![],
        };
        let agents = agents_by_turn(run);
        (0..run.turns.len()).for_each(|turn| all.charge_turn(turn, &agents[turn]));
        all.beyond_turns();
        let mut charges = all.charges;
        let mut repeated = CostSum::default();
        let mut here = vec![];
        charges.retain(|charge| {
            let Some(response) = response_key(run, charge) else { return true };
            let is_known = seen.0.contains(&response);
            if is_known {
                repeated.add_charge(charge);
            } else {
                here.push(response);
            }
            !is_known
        });
        // Only now: two responses of one run are two, however alike.
        seen.0.extend(here);
        let step_of = |(at, charge): (usize, &Charge)| Some((charge.step_id()?, at));
        let by_step = charges.iter().enumerate().filter_map(step_of).collect();
        // Tokens that are stated for the run alone count, and come after the turns.
        let counts = run.turns.iter().map(trajview_run::Turn::is_counted).chain([true]).collect();
        (Self { charges, counts, by_step }, repeated)
    }

    /// Returns the charge of a step; None where the recording has no tokens on this step.
    pub fn charge_of_step(&self, id: StepId) -> Option<&Charge> {
        self.charges.get(*self.by_step.get(&id)?)
    }

    /// Returns the sum of one turn, whether the turn counts or not.
    pub fn sum_of_turn(&self, turn: usize) -> CostSum {
        let first = self.charges.partition_point(|charge| charge.turn < turn);
        CostSum::from_charges(self.charges[first..].iter().take_while(|charge| charge.turn == turn))
    }

    /// Returns the sum of the main agent (in one turn or in all) or of a sub-agent (always in all turns), without the
    /// agents that it started.
    pub fn sum_of_agent(&self, agent: Option<usize>, turn: Option<usize>) -> CostSum {
        let turn = turn.filter(|_| agent.is_none());
        let is_in = |charge: &&Charge| turn.is_none_or(|turn| charge.turn == turn);
        CostSum::from_charges(
            self.charges.iter().filter(|charge| charge.agent == agent).filter(is_in),
        )
    }

    /// Returns the sum of the turns that count.
    pub fn total_sum(&self) -> CostSum {
        CostSum::from_charges(self.counted_charges())
    }

    /// Returns one sum per turn, whether the turn counts or not.
    pub fn sums_by_turn(&self) -> Vec<CostSum> {
        let mut sums = vec![CostSum::default(); self.counts.len().saturating_sub(1)];
        for charge in &self.charges {
            if let Some(sum) = sums.get_mut(charge.turn) {
                sum.add_charge(charge);
            }
        }
        sums
    }

    /// Returns the sums of the main agent (key None; absent where it has no charges) and of each sub-agent, over the
    /// turns that count.
    pub fn sums_by_agent(&self) -> BTreeMap<Option<usize>, CostSum> {
        self.sums_by_key(|charge| charge.agent)
    }

    /// Returns one sum per model, over the turns that count.
    pub fn sums_by_model(&self) -> BTreeMap<Option<Arc<str>>, CostSum> {
        self.sums_by_key(|charge| charge.model.clone())
    }

    /// Returns the charges of turns that count.
    pub fn counted_charges(&self) -> impl Iterator<Item = &Charge> {
        self.charges.iter().filter(|charge| self.counts.get(charge.turn) == Some(&true))
    }

    fn sums_by_key<K: Ord>(&self, key: impl Fn(&Charge) -> K) -> BTreeMap<K, CostSum> {
        let mut groups: BTreeMap<K, CostSum> = BTreeMap::new();
        self.counted_charges()
            .for_each(|charge| groups.entry(key(charge)).or_default().add_charge(charge));
        groups
    }
}

/// Returns the model of steps that name none: the run's model, where the run has exactly one.
fn only_model(run: &Run) -> Result<Arc<str>, NoPriceReason> {
    let named = run
        .model
        .as_deref()
        .filter(|model| !model.trim().is_empty())
        .ok_or(NoPriceReason::NoModel)?;
    if named.contains(", ") { Err(NoPriceReason::WhichModel) } else { Ok(named.into()) }
}

/// Returns the sub-agents of each turn: by the step that started them, else by the turn in which they first appear.
fn agents_by_turn(run: &Run) -> Vec<Vec<usize>> {
    let mut turns: Vec<Option<usize>> =
        run.subagents.iter().map(|agent| agent.parent.map(|parent| parent.turn)).collect();
    for turn in 0..run.turns.len() {
        for agent in run.steps_of_turn(turn).into_iter().filter_map(|id| id.subagent) {
            if let Some(agent_turn) = turns.get_mut(agent) {
                agent_turn.get_or_insert(turn);
            }
        }
    }
    let mut agents = vec![vec![]; run.turns.len()];
    for (agent, turn) in turns.into_iter().enumerate() {
        if let Some(of_turn) = agents.get_mut(turn.unwrap_or(0)) {
            of_turn.push(agent);
        }
    }
    agents
}

fn response_key(run: &Run, charge: &Charge) -> Option<ResponseKey> {
    let step = run.step(charge.step_id()?)?;
    let Tokens { input, cached_input, output, reasoning, cache_write, .. } = charge.tokens;
    let tokens = [input, cached_input, output, reasoning, cache_write];
    Some(ResponseKey(step.started_at?, charge.model.clone(), tokens, step.label.clone()))
}

/// The run being priced.
struct RunPricing<'a> {
    run: &'a Run,
    prices: &'a Prices,
    only_model: Result<Arc<str>, NoPriceReason>,
    /// The rows of the models that were charged so far: a run has a few, and thousands of charges.
    rows: HashMap<Arc<str>, Vec<usize>>,
    charges: Vec<Charge>,
}

impl RunPricing<'_> {
    /// Charges the responses of a turn: those on steps, then the rest of each agent.
    fn charge_turn(&mut self, turn: usize, agents: &[usize]) {
        let first = self.charges.len();
        let mut seen = HashSet::new();
        for id in self.run.steps_of_turn(turn) {
            if id.subagent.is_none_or(|agent| agents.contains(&agent)) {
                self.charge_step(id);
                seen.extend(id.subagent);
            }
        }
        for &agent in agents {
            if !seen.contains(&agent) {
                let steps = self.run.subagents[agent].steps.len();
                (0..steps).for_each(|step| {
                    self.charge_step(StepId { turn, subagent: Some(agent), step })
                });
            }
            let of_agent = |charge: &&Charge| charge.agent == Some(agent);
            let on_steps = total_tokens(self.charges[first..].iter().filter(of_agent));
            self.charge_rest(turn, Some(agent), self.run.subagents[agent].tokens, on_steps, first);
        }
        let charged = total_tokens(&self.charges[first..]);
        self.charge_rest(turn, None, self.run.turns[turn].tokens, charged, first);
    }

    fn charge_step(&mut self, id: StepId) {
        let Some(step) = self.run.step(id).filter(|step| step.tokens.recorded_sum() > Some(0))
        else {
            return;
        };
        let model = step.model.clone().map_or_else(|| self.only_model.clone(), Ok);
        let at = step.started_at.or_else(|| self.time_of(id.turn));
        self.add_charge(id.turn, (id.subagent, Some(id.step)), model, (step.tokens, at));
    }

    /// Charges the tokens that a turn or an agent has beyond those on its steps.
    fn charge_rest(
        &mut self,
        turn: usize,
        agent: Option<usize>,
        all: Tokens,
        on_steps: Tokens,
        first: usize,
    ) {
        let rest = all.difference_from(on_steps);
        if rest.recorded_sum() > Some(0) {
            let model = self.model_of_rest(agent, first);
            self.add_charge(turn, (agent, None), model, (rest, self.time_of(turn)));
        }
    }

    /// Charges the tokens that the recording states for the run beyond those of its turns.
    fn beyond_turns(&mut self) {
        let rest = self.run.tokens().difference_from(self.run.tokens_of_turns());
        if rest.recorded_sum() > Some(0) {
            let turns = self.run.turns.len();
            let model = self.model_of_rest(None, 0);
            self.add_charge(turns, (None, None), model, (rest, self.run.started_at));
        }
    }

    /// Returns the model of the same agent's steps in the turn, where they have exactly one.
    fn model_of_rest(&self, agent: Option<usize>, first: usize) -> Result<Arc<str>, NoPriceReason> {
        let of_agent = self.charges[first..].iter().filter(|charge| charge.agent == agent);
        let mut models: Vec<&Arc<str>> =
            of_agent.filter_map(|charge| charge.model.as_ref()).collect();
        models.sort_unstable();
        models.dedup();
        match models.as_slice() {
            [] => self.only_model.clone(),
            [one] => Ok(Arc::clone(one)),
            _ => Err(NoPriceReason::WhichModel),
        }
    }

    fn time_of(&self, turn: usize) -> Option<Time> {
        self.run.turns.get(turn).and_then(|turn| turn.started_at).or(self.run.started_at)
    }

    /// Prices tokens and adds them as a charge.
    fn add_charge(
        &mut self,
        turn: usize,
        (agent, step): (Option<usize>, Option<usize>),
        model: Result<Arc<str>, NoPriceReason>,
        (tokens, at): (Tokens, Option<Time>),
    ) {
        let prices = self.prices;
        let priced = model.clone().and_then(|model| {
            let rows = self.rows.entry(Arc::clone(&model));
            let rows = rows.or_insert_with(|| prices.rows_called(&model));
            let row = prices.row_among(rows, &model, at)?;
            let (usd, notes) =
                token_price::price_tokens(&prices.rows()[row], tokens, step.is_some())?;
            Ok(ResponsePrice { usd, row, notes })
        });
        self.charges.push(Charge { turn, agent, step, model: model.ok(), tokens, priced });
    }
}

fn total_tokens<'a>(charges: impl IntoIterator<Item = &'a Charge>) -> Tokens {
    charges.into_iter().fold(Tokens::default(), |sum, charge| sum + charge.tokens)
}
