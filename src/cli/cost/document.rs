//! The rows of `cost`: JSON, CSV and table. Field names are fixed by the contract, adding some is fine. Absent values are
//! null, never 0.

use std::{
    collections::{BTreeSet, HashMap},
    io,
};

use clap::ValueEnum;

use crate::cli::output::{Json, Out, OutputTable, TableColumn, record};
use trajview_metrics::cost::{
    Charge, CostSum, NoPriceReason, Prices, RunCost, SeenResponses, price_table::PriceRow,
};
use trajview_run::{
    Run, StepId, Turn, Warning,
    format_number::{self, with_thousands},
};

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

impl CostGrouping {
    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Turn => "turn",
            Self::Step => "step",
            Self::Agent => "agent",
            Self::Model => "model",
        }
    }
}

/// Adds up the costs of runs.
pub struct CostReport<'a> {
    by: CostGrouping,
    prices: &'a Prices,
    runs: Vec<Json>,
    seen: SeenResponses,
    total: CostSum,
    /// Responses that a run has from another one before it, which count there alone.
    repeated: CostSum,
    recorded: Vec<Option<f64>>,
    /// The rows of the table of prices that were used.
    used_prices: BTreeSet<usize>,
    pub problems: Vec<Warning>,
}

impl<'a> CostReport<'a> {
    pub fn new(by: CostGrouping, prices: &'a Prices) -> Self {
        Self {
            by,
            prices,
            runs: vec![],
            seen: SeenResponses::default(),
            total: CostSum::default(),
            repeated: CostSum::default(),
            recorded: vec![],
            used_prices: BTreeSet::new(),
            problems: vec![],
        }
    }

    pub fn add_run(&mut self, path: &str, run: &Run) {
        let (cost, repeated) = RunCost::without_seen(run, self.prices, &mut self.seen);
        let total = cost.total_sum();
        self.runs.push(record! {
            run: run.id,
            path: path,
            format: run.origin.format,
            model: run.model,
            ..cost_record(&total, run.cost_usd()),
            rows: part_rows(run, &cost, self.by),
        });
        self.total.merge(&total);
        self.repeated.merge(&repeated);
        self.recorded.push(run.cost_usd());
        let used = cost.counted_charges().filter_map(|it| Some(it.priced.as_ref().ok()?.row));
        self.used_prices.extend(used);
    }

    pub fn to_json(&self) -> Json {
        let is_once = self.repeated.responses == 0;
        let recorded: Option<Vec<f64>> = self.recorded.iter().copied().collect();
        let recorded = recorded.filter(|all| is_once && !all.is_empty());
        record! {
            schema: "trajview.cost/1",
            // The grouping of the rows.
            by: self.by.word(),
            runs: self.runs,
            // The sum over all runs; its recorded cost is null if a run records none, and where responses repeat those of
            // another run.
            total: cost_record(&self.total, recorded.map(|all| all.iter().sum())),
            repeated: record! {
                responses: self.repeated.responses,
                tokens: self.repeated.tokens,
            },
            prices: self.used_price_rows().collect::<Vec<_>>(),
            problems: self.problems,
        }
    }

    fn used_price_rows(&self) -> impl Iterator<Item = &PriceRow> {
        self.used_prices.iter().filter_map(|at| self.prices.rows().get(*at))
    }
}

/// Makes the fields of recorded and computed cost, next to each other.
pub(crate) fn cost_record(sum: &CostSum, recorded_usd: Option<f64>) -> Json {
    record! {
        recorded_usd: recorded_usd,
        // Null if a token has no price, and without tokens.
        computed_usd: sum.usd(),
        // The computed cost of the tokens that have a price.
        computed_at_least_usd: sum.at_least_usd,
        responses: sum.responses,
        tokens: sum.tokens,
        not_priced_tokens: sum.not_priced_tokens(),
        not_priced: Json::list(&sum.not_priced, |(why, tokens): (&NoPriceReason, &u64)| {
            record! { why: why.reason_sentence(), tokens: tokens }
        }),
        // Values that were not recorded, and the assumption made for each.
        notes: sum.notes.note_sentences(),
    }
}

/// The part of a run that a row covers. None stands for all turns, steps, agents or models.
#[derive(Default)]
struct CostPart<'a> {
    turn: Option<usize>,
    /// The number of the step in its turn.
    step: Option<usize>,
    /// The index of the sub-agent; the inner None is the main agent.
    agent: Option<Option<usize>>,
    model: Option<&'a str>,
}

fn part_rows(run: &Run, cost: &RunCost, by: CostGrouping) -> Vec<Json> {
    let row = |part: CostPart<'_>, sum: &CostSum| part_row(run, part, sum, None);
    match by {
        CostGrouping::Run => {
            vec![part_row(run, CostPart::default(), &cost.total_sum(), run.cost_usd())]
        }
        CostGrouping::Turn => {
            let turns = run.turns.iter().zip(cost.sums_by_turn()).enumerate();
            let row = |(at, (turn, sum)): (usize, (&Turn, CostSum))| {
                let part = CostPart { turn: Some(at), ..CostPart::default() };
                part_row(run, part, &sum, turn.cost_usd)
            };
            turns.map(row).collect()
        }
        CostGrouping::Step => {
            let numbers: HashMap<StepId, usize> = run.numbered_steps().into_iter().collect();
            let charge_row = |charge: &Charge| {
                let part = CostPart {
                    turn: Some(charge.turn),
                    step: charge.step_id().and_then(|id| numbers.get(&id).copied()),
                    agent: Some(charge.agent),
                    model: charge.model.as_deref(),
                };
                row(part, &CostSum::from_charges([charge]))
            };
            cost.charges.iter().map(charge_row).collect()
        }
        CostGrouping::Agent => {
            let part = |agent| CostPart { agent: Some(agent), ..CostPart::default() };
            cost.sums_by_agent().iter().map(|(agent, sum)| row(part(*agent), sum)).collect()
        }
        CostGrouping::Model => {
            let sums = cost.sums_by_model();
            let rows = sums.iter().map(|(model, sum)| {
                row(CostPart { model: model.as_deref(), ..CostPart::default() }, sum)
            });
            rows.collect()
        }
    }
}

fn part_row(run: &Run, part: CostPart<'_>, sum: &CostSum, recorded_usd: Option<f64>) -> Json {
    let subagent = part.agent.flatten().and_then(|agent| run.subagents.get(agent));
    let turn = part.turn.and_then(|turn| Some((turn + 1, run.turns.get(turn)?)));
    let step = part.turn.zip(part.step).map(|(turn, step)| format!("{}.{step}", turn + 1));
    record! {
        run: run.id,
        // Counts from 1.
        turn: turn.map(|(number, _)| number),
        // `12.7`; null for what is on no step.
        step: step,
        // `main`, or the sub-agent's name.
        agent: part.agent.map(|_| subagent.map_or("main", |agent| &agent.name)),
        agent_id: subagent.map(|agent| &agent.id),
        // The model, as recorded.
        model: part.model,
        // True if the part counts in the run's sum: not in a turn that was cut, failed or skipped.
        counts: turn.is_none_or(|(_, turn)| turn.is_counted()),
        ..cost_record(sum, recorded_usd),
    }
}

pub(crate) const CSV_COLUMNS: &str = "run turn step agent agent_id model counts responses input=tokens.input cached_input=tokens.cached_input \
                       cache_write=tokens.cache_write? output=tokens.output recorded_usd computed_usd computed_at_least_usd \
                       not_priced_tokens not_priced notes";

pub(crate) fn document_parts(document: &Json) -> impl Iterator<Item = &Json> {
    document.rows("runs").iter().flat_map(|run| run.rows("rows"))
}

/// Makes the table of the parts. Columns that no row has something in are left out.
fn part_table(document: &Json) -> OutputTable {
    let rows: Vec<&Json> = document_parts(document).collect();
    let has_any = |field: &str| rows.iter().any(|row| !row.field(field).is_null());
    let has_parts = ["turn", "agent", "model"].into_iter().any(has_any);
    let has_runs = document.rows("runs").len() > 1 || !has_parts;
    let columns: [(bool, TableColumn<'_, Json>); 12] = [
        (has_runs, ("run", &|it| it.cell("run"))),
        (
            has_any("turn"),
            (">turn", &|it| {
                it.cell("turn") + if it.flag("counts") { "" } else { " (does not count)" }
            }),
        ),
        (has_any("step"), ("step", &|it| it.cell("step"))),
        (has_any("agent"), ("agent", &|it| it.cell("agent"))),
        (has_any("model"), ("model", &|it| it.cell("model"))),
        (true, (">responses", &|it| it.cell("responses"))),
        (true, (">in", &|it| it.cell("tokens.input"))),
        (true, (">cached", &|it| it.cell("tokens.cached_input"))),
        (has_any("tokens.cache_write?"), (">to cache", &|it| it.cell("tokens.cache_write?"))),
        (true, (">out", &|it| it.cell("tokens.output"))),
        (has_any("recorded_usd"), (">recorded", &|it| it.digits_cell("recorded_usd", 4))),
        (true, (">computed", &computed_cell)),
    ];
    OutputTable::from_shown(columns, rows)
}

impl CostReport<'_> {
    pub(crate) fn print_costs(&self, document: &Json, out: &mut Out) -> io::Result<()> {
        part_table(document).print_columns(out)?;
        out.print_line("")?;
        let total = document.field("total");
        out.print_sentence(&match document.rows("runs") {
            [run] => cost_line(&run.cell("run"), run),
            runs => total_line(runs, total),
        })?;
        let mut lines: Vec<String> = vec![];
        if self.repeated.responses > 0 {
            let tokens = self.repeated.tokens.total().map(with_thousands);
            let tokens = tokens.map(|it| format!(" with {it} tokens")).unwrap_or_default();
            let count = self.repeated.responses;
            lines.push(format!(
                "{count} responses{tokens} are also in a recording that was read before and count once"
            ));
        }
        lines.extend(total.rows("not_priced").iter().map(|row| {
            format!("not priced: {} tokens: {}", row.thousands_cell("tokens"), row.cell("why"))
        }));
        lines.extend(how_to_price(&self.total));
        lines.extend(self.total.notes.note_sentences().iter().map(|note| format!("note: {note}")));
        lines.extend(self.used_price_rows().map(price_line));
        let problems = self.problems.iter();
        lines.extend(problems.map(|it| format!("warning: {}: {}", it.place, it.what)));
        lines.iter().try_for_each(|line| out.print_sentence(line))
    }
}

/// Returns `3 runs: recorded 0.1234 USD, computed 0.1300 USD, 12 responses`; where only some runs record a cost, how
/// many.
fn total_line(runs: &[Json], total: &Json) -> String {
    let has_cost = |cost: &Json| !cost.field("recorded_usd").is_null();
    let recording = runs.iter().filter(|run| has_cost(run)).count();
    let what = format!("{} runs", runs.len());
    if has_cost(total) || recording == 0 {
        return cost_line(&what, total);
    }
    let some = format!("{recording} of them have recorded cost; not added");
    format!("{what}: {some}, {}, {} responses", computed_text(total), total.cell("responses"))
}

/// Returns `abc: recorded 0.1234 USD, computed 0.1300 USD, 12 responses`.
fn cost_line(what: &str, cost: &Json) -> String {
    let recorded = cost.number("recorded_usd").map(|usd| format!("recorded {usd:.4} USD"));
    let recorded = recorded.unwrap_or_else(|| "cost not recorded".into());
    format!("{what}: {recorded}, {}, {} responses", computed_text(cost), cost.cell("responses"))
}

/// Returns `computed 0.1300 USD`, `computed at least 0.0800 USD`, `cost not computed: no tokens are recorded`.
pub(crate) fn computed_text(cost: &Json) -> String {
    let not_priced = cost.thousands_cell("not_priced_tokens");
    match (cost.number("computed_usd"), cost.number("computed_at_least_usd")) {
        (Some(usd), _) => format!("computed {usd:.4} USD"),
        (None, Some(usd)) => {
            format!("computed at least {usd:.4} USD ({not_priced} tokens not priced)")
        }
        (None, None) if cost.count("responses") == 0 => {
            "cost not computed: no tokens are recorded".into()
        }
        (None, None) => format!("cost not computed ({not_priced} tokens not priced)"),
    }
}

/// Returns the computed cost in a table.
pub(crate) fn computed_cell(cost: &Json) -> String {
    match (cost.number("computed_usd"), cost.number("computed_at_least_usd")) {
        (Some(usd), _) => format!("{usd:.4}"),
        (None, Some(usd)) => format!("≥ {usd:.4}"),
        (None, None) if cost.count("responses") == 0 => format_number::MISSING_SIGN.into(),
        (None, None) => "not priced".into(),
    }
}

/// Returns `no price for m-1, m-2: …`. None if each model has one.
pub(crate) fn without_price(sum: &CostSum) -> Option<String> {
    /// The most models that are named.
    const MOST: usize = 3;
    let models = sum.models_without_price();
    let named = models.get(..MOST).unwrap_or(&models).join(", ");
    let more = if models.len() > MOST { ", …" } else { "" };
    (!models.is_empty()).then(|| {
        format!(
            "no price for {named}{more}; add rows in a file (`prices = \"FILE\"` in the settings, or --prices FILE): \
             `trajview cost` prints an example"
        )
    })
}

/// Explains how to give a price to the first model without one: the file, its keys, and where it is named. None if each has
/// one.
fn how_to_price(sum: &CostSum) -> Option<String> {
    let model = sum.models_without_price().into_iter().next()?;
    let row = serde_json::json!({ "model": model });
    let row = row.to_string();
    let row = row.trim_end_matches('}');
    Some(format!(
        "to add a price: write prices.json with {{\"rows\": [{row}, \"usd_per_million\": {{\"input\": 1.2, \"output\": 6, \
         \"cached_input\": 0.12}}}}]}} and the vendor's prices in US dollars per million tokens in place of these; then --prices \
         prices.json, or prices = \"/path/to/prices.json\" in the settings"
    ))
}

/// Returns `price: m 3 in, 15 out, 0.3 cached, 3.75 to the cache (6 for one hour) USD a million tokens; source`.
fn price_line(row: &PriceRow) -> String {
    let rates = &row.usd_per_million;
    let mut parts = vec![format!("{} in", rates.input)];
    parts.extend(rates.cached_input.map(|rate| format!("{rate} cached")));
    parts.extend(rates.cache_write.map(|rate| format!("{rate} to the cache")));
    parts.extend(rates.cache_write_1h.map(|rate| format!("{rate} to the cache for one hour")));
    parts.push(format!("{} out", rates.output));
    let above = row
        .above
        .map(|above| format!("; another above {} tokens read", with_thousands(above.input_tokens)));
    let days = match (row.from, row.until) {
        (None, None) => String::new(),
        (Some(from), None) => format!(" from {from}"),
        (None, Some(until)) => format!(" until {until}"),
        (Some(from), Some(until)) => format!(" from {from} until {until}"),
    };
    format!(
        "price of {}{days}: {} USD a million tokens{}; {}",
        row.model,
        parts.join(", "),
        above.unwrap_or_default(),
        price_source(row)
    )
}

/// Returns `https://..., read 2026-11-25`.
fn price_source(row: &PriceRow) -> String {
    let read = row.read.map(|day| format!("read {day}"));
    let parts = [row.source.clone(), read].into_iter().flatten();
    let words: Vec<String> = parts.collect();
    if words.is_empty() { "your own table".into() } else { words.join(", ") }
}
