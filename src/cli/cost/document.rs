//! The JSON of `cost`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::{BTreeSet, HashMap};

use clap::ValueEnum;
use serde::Serialize;

use trajview_metrics::cost::{Charge, Prices, RunCost, Sum, Told, day::Day, prices::Row};
use trajview_run::{Run, StepId, Tokens, Warning};

/// What has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A row a run
    Run,
    /// A row a turn
    Turn,
    /// A row a response of the model, by the step that holds its tokens
    Step,
    /// A row an agent: the main one, and each that it started
    Agent,
    /// A row a model
    Model,
}

#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    /// What has a row.
    by: &'static str,
    pub runs: Vec<RunRow>,
    /// Of all runs together; its recorded cost is null where a run records none, and where responses were told twice.
    pub total: CostRow,
    /// Responses that a run has from another one before it, which count there alone.
    pub repeated: RepeatedRow,
    /// The rows of the table that were used.
    pub prices: Vec<Row>,
    pub problems: Vec<Warning>,
    #[serde(skip)]
    sums: Sums,
}

/// What is added up over runs.
#[derive(Default)]
struct Sums {
    computed: Sum,
    repeated: Sum,
    recorded: Vec<Option<f64>>,
    rows: BTreeSet<usize>,
}

#[derive(Serialize, Default)]
pub struct RepeatedRow {
    pub responses: usize,
    pub tokens: Tokens,
}

#[derive(Serialize)]
pub struct RunRow {
    pub run: String,
    pub path: String,
    pub format: &'static str,
    pub model: Option<String>,
    #[serde(flatten)]
    pub cost: CostRow,
    pub rows: Vec<PartRow>,
    #[serde(skip)]
    computed: Sum,
    #[serde(skip)]
    repeated: Sum,
    #[serde(skip)]
    used: BTreeSet<usize>,
}

/// A part of a run: what it is of is null where it is of all.
#[derive(Serialize)]
pub struct PartRow {
    pub run: String,
    /// Counts from 1.
    pub turn: Option<usize>,
    /// `12.7`; null for what is on no step.
    pub step: Option<String>,
    /// `main`, or the sub-agent's name.
    pub agent: Option<String>,
    /// The sub-agent's id.
    pub agent_id: Option<String>,
    /// As recorded.
    pub model: Option<String>,
    /// Whether it is part of the run's sum: not in a turn that was cut, failed or skipped.
    pub counts: bool,
    #[serde(flatten)]
    pub cost: CostRow,
}

/// What was recorded and what is computed, side by side.
#[derive(Serialize, Default)]
pub struct CostRow {
    pub recorded_usd: Option<f64>,
    /// Null where a token has no price, and without tokens.
    pub computed_usd: Option<f64>,
    /// Of the tokens that have a price.
    pub computed_at_least_usd: Option<f64>,
    pub responses: usize,
    pub tokens: Tokens,
    pub not_priced_tokens: u64,
    pub not_priced: Vec<NotPricedRow>,
    /// What was not recorded, and what it is taken for.
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
    pub fn of(sum: &Sum, recorded_usd: Option<f64>) -> Self {
        let why = |(why, tokens): (&trajview_metrics::cost::Why, &u64)| NotPricedRow {
            why: why.sentence(),
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
            notes: sum.notes.sentences(),
            models_without_price: sum.models_without_price(),
        }
    }

    /// `no price for m-1, m-2: …`; None where each model has one.
    pub fn without_price(&self) -> Option<String> {
        /// So many models are named.
        const MOST: usize = 3;
        let models = &self.models_without_price;
        let named = models.get(..MOST).unwrap_or(models).join(", ");
        let more = if models.len() > MOST { ", …" } else { "" };
        (!models.is_empty()).then(|| {
            format!(
                "no price for {named}{more}; `trajview cost` says what is missing and how to add it"
            )
        })
    }

    /// How to give a price to the first of the models that have none; None where each has one.
    pub fn how_to_price(&self) -> Option<String> {
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

impl Document {
    pub fn new(by: By) -> Self {
        Self {
            schema: "trajview.cost/1",
            by: by.word(),
            runs: vec![],
            total: CostRow::default(),
            repeated: RepeatedRow::default(),
            prices: vec![],
            problems: vec![],
            sums: Sums::default(),
        }
    }

    pub fn push(&mut self, run: RunRow) {
        self.sums.computed.merge(&run.computed);
        self.sums.repeated.merge(&run.repeated);
        self.sums.recorded.push(run.cost.recorded_usd);
        self.sums.rows.extend(&run.used);
        self.runs.push(run);
    }

    pub fn problem(&mut self, place: String, what: String) {
        self.problems.push(Warning { place, what });
    }

    /// Adds up what was pushed.
    pub fn finish(&mut self, prices: &Prices) {
        let Sums { computed, repeated, recorded, rows } = &self.sums;
        let recorded: Option<Vec<f64>> = recorded.iter().copied().collect();
        let is_once = repeated.responses == 0;
        let recorded = recorded.filter(|all| is_once && !all.is_empty());
        self.total = CostRow::of(computed, recorded.map(|all| all.iter().sum()));
        self.repeated = RepeatedRow { responses: repeated.responses, tokens: repeated.tokens };
        self.prices = rows.iter().filter_map(|at| prices.rows().get(*at)).cloned().collect();
    }

    pub fn parts(&self) -> impl Iterator<Item = &PartRow> {
        self.runs.iter().flat_map(|run| &run.rows)
    }
}

impl By {
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

impl RunRow {
    pub fn of(path: String, run: &Run, prices: &Prices, by: By, told: &mut Told) -> Self {
        let (cost, repeated) = RunCost::of_new(run, prices, told);
        let computed = cost.total();
        let used = cost.counted().filter_map(|it| Some(it.priced.as_ref().ok()?.row)).collect();
        Self {
            run: run.id.clone(),
            path,
            format: run.origin.format,
            model: run.model.clone(),
            cost: CostRow::of(&computed, run.cost_usd()),
            rows: Parts { run, cost: &cost }.of(by),
            computed,
            repeated,
            used,
        }
    }
}

/// The rows of a run.
struct Parts<'a> {
    run: &'a Run,
    cost: &'a RunCost,
}

impl Parts<'_> {
    fn of(&self, by: By) -> Vec<PartRow> {
        match by {
            By::Run => vec![self.row(&self.cost.total(), self.run.cost_usd())],
            By::Turn => self.turns(),
            By::Step => self.steps(),
            By::Agent => self.agents(),
            By::Model => self.models(),
        }
    }

    fn row(&self, sum: &Sum, recorded_usd: Option<f64>) -> PartRow {
        PartRow {
            run: self.run.id.clone(),
            turn: None,
            step: None,
            agent: None,
            agent_id: None,
            model: None,
            counts: true,
            cost: CostRow::of(sum, recorded_usd),
        }
    }

    fn turns(&self) -> Vec<PartRow> {
        let sums = self.cost.by_turn();
        let rows = self.run.turns.iter().zip(&sums).zip(1..).map(|((turn, sum), number)| PartRow {
            turn: Some(number),
            counts: turn.counts(),
            ..self.row(sum, turn.cost_usd)
        });
        rows.collect()
    }

    fn steps(&self) -> Vec<PartRow> {
        let numbers: HashMap<StepId, usize> = self.run.numbered_steps().into_iter().collect();
        let row = |charge: &Charge| {
            let number = charge.id().and_then(|id| numbers.get(&id));
            let turn = self.run.turns.get(charge.turn);
            PartRow {
                turn: turn.map(|_| charge.turn + 1),
                step: number.map(|number| format!("{}.{number}", charge.turn + 1)),
                model: charge.model.as_deref().map(str::to_owned),
                counts: turn.is_none_or(trajview_run::Turn::counts),
                ..self.named(charge.agent, self.row(&Sum::of([charge]), None))
            }
        };
        self.cost.charges.iter().map(row).collect()
    }

    fn agents(&self) -> Vec<PartRow> {
        let sums = self.cost.by_agent();
        sums.iter().map(|(agent, sum)| self.named(*agent, self.row(sum, None))).collect()
    }

    fn models(&self) -> Vec<PartRow> {
        let row = |(model, sum): (&Option<std::sync::Arc<str>>, &Sum)| PartRow {
            model: model.as_deref().map(str::to_owned),
            ..self.row(sum, None)
        };
        self.cost.by_model().iter().map(row).collect()
    }

    fn named(&self, agent: Option<usize>, row: PartRow) -> PartRow {
        let found = agent.and_then(|agent| self.run.subagents.get(agent));
        PartRow {
            agent: Some(found.map_or_else(|| "main".to_owned(), |agent| agent.name.clone())),
            agent_id: found.map(|agent| agent.id.clone()),
            ..row
        }
    }
}

/// `https://..., read 2026-11-25`
pub fn source_of(row: &Row) -> String {
    let read = row.read.map(|day: Day| format!("read {day}"));
    let parts = [row.source.clone(), read].into_iter().flatten();
    let words: Vec<String> = parts.collect();
    if words.is_empty() { "a table of your own".into() } else { words.join(", ") }
}
