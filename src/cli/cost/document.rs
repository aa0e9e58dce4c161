//! The JSON of `cost`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::{BTreeSet, HashMap};

use clap::ValueEnum;
use serde::Serialize;

use trajview_metrics::cost::{
    Charge, CostSum, Prices, RunCost, SeenResponses, day::Day, price_table::PriceRow,
};
use trajview_run::{Run, StepId, Tokens, Warning};

/// What has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CostGrouping {
    /// A row a run
    Run,
    /// One row per turn
    Turn,
    /// One row per response of the model, at the step that has its tokens
    Step,
    /// One row per agent: the main agent and its sub-agents
    Agent,
    /// One row per model
    Model,
}

#[derive(Serialize)]
pub struct CostDocument {
    schema: &'static str,
    /// The grouping of the rows.
    by: &'static str,
    pub runs: Vec<RunCostRow>,
    /// The sum over all runs; its recorded cost is null if a run records none, and where responses repeat those of
    /// another run.
    pub total: CostRow,
    /// Responses that a run has from another one before it, which count there alone.
    pub repeated: RepeatedResponses,
    /// The rows of the table that were used.
    pub prices: Vec<PriceRow>,
    pub problems: Vec<Warning>,
    #[serde(skip)]
    sums: CostSums,
}

/// Sums over runs.
#[derive(Default)]
struct CostSums {
    computed: CostSum,
    repeated: CostSum,
    recorded: Vec<Option<f64>>,
    rows: BTreeSet<usize>,
}

#[derive(Serialize, Default)]
pub struct RepeatedResponses {
    pub responses: usize,
    pub tokens: Tokens,
}

#[derive(Serialize)]
pub struct RunCostRow {
    pub run: String,
    pub path: String,
    pub format: &'static str,
    pub model: Option<String>,
    #[serde(flatten)]
    pub cost: CostRow,
    pub rows: Vec<CostPartRow>,
    #[serde(skip)]
    computed: CostSum,
    #[serde(skip)]
    repeated: CostSum,
    #[serde(skip)]
    used: BTreeSet<usize>,
}

/// A part of a run; a field is null if the part covers all of its values.
#[derive(Serialize)]
pub struct CostPartRow {
    pub run: String,
    /// Counts from 1.
    pub turn: Option<usize>,
    /// `12.7`; null for what is on no step.
    pub step: Option<String>,
    /// `main`, or the sub-agent's name.
    pub agent: Option<String>,
    /// The sub-agent's id.
    pub agent_id: Option<String>,
    /// The model, as recorded.
    pub model: Option<String>,
    /// True if the part counts in the run's sum: not in a turn that was cut, failed or skipped.
    pub counts: bool,
    #[serde(flatten)]
    pub cost: CostRow,
}

/// Recorded and computed cost, next to each other.
#[derive(Serialize, Default)]
pub struct CostRow {
    pub recorded_usd: Option<f64>,
    /// Null if a token has no price, and without tokens.
    pub computed_usd: Option<f64>,
    /// The computed cost of the tokens that have a price.
    pub computed_at_least_usd: Option<f64>,
    pub responses: usize,
    pub tokens: Tokens,
    pub not_priced_tokens: u64,
    pub not_priced: Vec<NotPricedRow>,
    /// Values that were not recorded, and the assumption made for each.
    pub notes: Vec<&'static str>,
    /// Models whose price is missing.
    #[serde(skip)]
    pub models_without_price: Vec<String>,
}

#[derive(Serialize)]
pub struct NotPricedRow {
    pub why: String,
    pub tokens: u64,
}

impl CostRow {
    pub fn new(sum: &CostSum, recorded_usd: Option<f64>) -> Self {
        let why = |(why, tokens): (&trajview_metrics::cost::NoPriceReason, &u64)| NotPricedRow {
            why: why.reason_sentence(),
            tokens: *tokens,
        };
        Self {
            recorded_usd,
            computed_usd: sum.usd(),
            computed_at_least_usd: sum.at_least_usd,
            responses: sum.responses,
            tokens: sum.tokens,
            not_priced_tokens: sum.not_priced_tokens(),
            not_priced: sum.not_priced.iter().map(why).collect(),
            notes: sum.notes.note_sentences(),
            models_without_price: sum.models_without_price(),
        }
    }

    /// Returns `no price for m-1, m-2: …`. None if each model has one.
    pub(crate) fn without_price(&self) -> Option<String> {
        /// The most models that are named.
        const MOST: usize = 3;
        let models = &self.models_without_price;
        let named = models.get(..MOST).unwrap_or(models).join(", ");
        let more = if models.len() > MOST { ", …" } else { "" };
        (!models.is_empty()).then(|| {
            format!(
                "no price for {named}{more}; `trajview cost` shows what is missing and how to add it"
            )
        })
    }

    /// Explains how to give a price to the first model without one. None if each has one.
    pub(crate) fn how_to_price(&self) -> Option<String> {
        let model = self.models_without_price.first()?;
        let row = serde_json::json!({ "model": model });
        let row = row.to_string();
        let row = row.trim_end_matches('}');
        Some(format!(
            "to add a price: a file with {{\"rows\": [{row}, \"usd_per_million\": {{\"input\": 1, \"output\": 2}}}}]}} and its prices, \
             named by --prices FILE or by `prices` in the settings"
        ))
    }
}

impl CostDocument {
    pub fn new(by: CostGrouping) -> Self {
        Self {
            schema: "trajview.cost/1",
            by: by.word(),
            runs: vec![],
            total: CostRow::default(),
            repeated: RepeatedResponses::default(),
            prices: vec![],
            problems: vec![],
            sums: CostSums::default(),
        }
    }

    pub fn add_run(&mut self, run: RunCostRow) {
        self.sums.computed.merge(&run.computed);
        self.sums.repeated.merge(&run.repeated);
        self.sums.recorded.push(run.cost.recorded_usd);
        self.sums.rows.extend(&run.used);
        self.runs.push(run);
    }

    pub(crate) fn add_problem(&mut self, place: String, what: String) {
        self.problems.push(Warning { place, what });
    }

    /// Adds up what was pushed.
    pub(crate) fn sum_up(&mut self, prices: &Prices) {
        let CostSums { computed, repeated, recorded, rows } = &self.sums;
        let recorded: Option<Vec<f64>> = recorded.iter().copied().collect();
        let is_once = repeated.responses == 0;
        let recorded = recorded.filter(|all| is_once && !all.is_empty());
        self.total = CostRow::new(computed, recorded.map(|all| all.iter().sum()));
        self.repeated =
            RepeatedResponses { responses: repeated.responses, tokens: repeated.tokens };
        self.prices = rows.iter().filter_map(|at| prices.rows().get(*at)).cloned().collect();
    }

    pub(crate) fn part_rows(&self) -> impl Iterator<Item = &CostPartRow> {
        self.runs.iter().flat_map(|run| &run.rows)
    }
}

impl CostGrouping {
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Turn => "turn",
            Self::Step => "step",
            Self::Agent => "agent",
            Self::Model => "model",
        }
    }
}

impl RunCostRow {
    pub fn new(
        path: String,
        run: &Run,
        prices: &Prices,
        by: CostGrouping,
        seen_responses: &mut SeenResponses,
    ) -> Self {
        let (cost, repeated) = RunCost::without_seen(run, prices, seen_responses);
        let computed = cost.total_sum();
        let used =
            cost.counted_charges().filter_map(|it| Some(it.priced.as_ref().ok()?.row)).collect();
        Self {
            run: run.id.clone(),
            path,
            format: run.origin.format,
            model: run.model.clone(),
            cost: CostRow::new(&computed, run.cost_usd()),
            rows: RunCostParts { run, cost: &cost }.rows_by(by),
            computed,
            repeated,
            used,
        }
    }
}

/// The rows of a run.
struct RunCostParts<'a> {
    run: &'a Run,
    cost: &'a RunCost,
}

impl RunCostParts<'_> {
    fn rows_by(&self, by: CostGrouping) -> Vec<CostPartRow> {
        match by {
            CostGrouping::Run => vec![self.part_row(&self.cost.total_sum(), self.run.cost_usd())],
            CostGrouping::Turn => self.turn_rows(),
            CostGrouping::Step => self.step_rows(),
            CostGrouping::Agent => self.agent_rows(),
            CostGrouping::Model => self.model_rows(),
        }
    }

    fn part_row(&self, sum: &CostSum, recorded_usd: Option<f64>) -> CostPartRow {
        CostPartRow {
            run: self.run.id.clone(),
            turn: None,
            step: None,
            agent: None,
            agent_id: None,
            model: None,
            counts: true,
            cost: CostRow::new(sum, recorded_usd),
        }
    }

    fn turn_rows(&self) -> Vec<CostPartRow> {
        let sums = self.cost.sums_by_turn();
        let rows =
            self.run.turns.iter().zip(&sums).zip(1..).map(|((turn, sum), number)| CostPartRow {
                turn: Some(number),
                counts: turn.is_counted(),
                ..self.part_row(sum, turn.cost_usd)
            });
        rows.collect()
    }

    fn step_rows(&self) -> Vec<CostPartRow> {
        let numbers: HashMap<StepId, usize> = self.run.numbered_steps().into_iter().collect();
        let row = |charge: &Charge| {
            let number = charge.step_id().and_then(|id| numbers.get(&id));
            let turn = self.run.turns.get(charge.turn);
            CostPartRow {
                turn: turn.map(|_| charge.turn + 1),
                step: number.map(|number| format!("{}.{number}", charge.turn + 1)),
                model: charge.model.as_deref().map(str::to_owned),
                counts: turn.is_none_or(trajview_run::Turn::is_counted),
                ..self.row_with_agent(
                    charge.agent,
                    self.part_row(&CostSum::from_charges([charge]), None),
                )
            }
        };
        self.cost.charges.iter().map(row).collect()
    }

    fn agent_rows(&self) -> Vec<CostPartRow> {
        let sums = self.cost.sums_by_agent();
        sums.iter()
            .map(|(agent, sum)| self.row_with_agent(*agent, self.part_row(sum, None)))
            .collect()
    }

    fn model_rows(&self) -> Vec<CostPartRow> {
        let row = |(model, sum): (&Option<std::sync::Arc<str>>, &CostSum)| CostPartRow {
            model: model.as_deref().map(str::to_owned),
            ..self.part_row(sum, None)
        };
        self.cost.sums_by_model().iter().map(row).collect()
    }

    fn row_with_agent(&self, agent: Option<usize>, row: CostPartRow) -> CostPartRow {
        let found = agent.and_then(|agent| self.run.subagents.get(agent));
        CostPartRow {
            agent: Some(found.map_or_else(|| "main".to_owned(), |agent| agent.name.clone())),
            agent_id: found.map(|agent| agent.id.clone()),
            ..row
        }
    }
}

/// Returns `https://..., read 2026-11-25`.
pub(crate) fn price_source(row: &PriceRow) -> String {
    let read = row.read.map(|day: Day| format!("read {day}"));
    let parts = [row.source.clone(), read].into_iter().flatten();
    let words: Vec<String> = parts.collect();
    if words.is_empty() { "your own table".into() } else { words.join(", ") }
}
