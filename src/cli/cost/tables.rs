//! Costs for people, and for spreadsheets.

use std::io;

use crate::cli::output::{Out, OutputTable, TableColumn, cell_or_dash};
use trajview_metrics::cost::price_table::PriceRow;
use trajview_run::format_number::with_thousands;

use super::document::{CostDocument, CostPartRow, CostRow, price_source};

pub(crate) const CSV_COLUMNS: &str = "run turn step agent agent_id model counts responses input=tokens.input cached_input=tokens.cached_input \
                       cache_write=tokens.cache_write? output=tokens.output recorded_usd computed_usd computed_at_least_usd \
                       not_priced_tokens not_priced notes";

pub(crate) fn print_costs(document: &CostDocument, out: &mut Out) -> io::Result<()> {
    part_table(document).print_columns(out)?;
    out.print_line("")?;
    if let [run] = document.runs.as_slice() {
        out.print_sentence(&cost_line(&run.run, &run.cost))?;
    } else {
        out.print_sentence(&total_line(document))?;
    }
    let repeated = &document.repeated;
    if repeated.responses > 0 {
        let tokens =
            repeated.tokens.total().map(|it| format!(" with {} tokens", with_thousands(it)));
        out.print_sentence(&format!(
            "{} responses{} are also in a recording that was read before and count once",
            repeated.responses,
            tokens.unwrap_or_default(),
        ))?;
    }
    for row in &document.total.not_priced {
        out.print_sentence(&format!(
            "not priced: {} tokens: {}",
            with_thousands(row.tokens),
            row.why
        ))?;
    }
    if let Some(how) = document.total.how_to_price() {
        out.print_sentence(&how)?;
    }
    document
        .total
        .notes
        .iter()
        .try_for_each(|note| out.print_sentence(&format!("note: {note}")))?;
    document.prices.iter().try_for_each(|row| out.print_sentence(&price_line(row)))?;
    document
        .problems
        .iter()
        .try_for_each(|it| out.print_sentence(&format!("warning: {}: {}", it.place, it.what)))
}

/// Returns `3 runs: recorded 0.1234 USD, computed 0.1300 USD, 12 responses`; where only some runs record a cost, how
/// many.
fn total_line(document: &CostDocument) -> String {
    let runs = document.runs.len();
    let recording = document.runs.iter().filter(|run| run.cost.recorded_usd.is_some()).count();
    let (total, what) = (&document.total, format!("{runs} runs"));
    if total.recorded_usd.is_some() || recording == 0 {
        return cost_line(&what, total);
    }
    let some = format!("{recording} of them have recorded cost; not added");
    format!("{what}: {some}, {}, {} responses", total.computed_text(), total.responses)
}

/// Returns `abc: recorded 0.1234 USD, computed 0.1300 USD, 12 responses`.
fn cost_line(what: &str, cost: &CostRow) -> String {
    let recorded = cost.recorded_usd.map(|usd| format!("recorded {usd:.4} USD"));
    format!(
        "{what}: {}, {}, {} responses",
        recorded.unwrap_or_else(|| "cost not recorded".into()),
        cost.computed_text(),
        cost.responses
    )
}

impl CostRow {
    /// Returns `computed 0.1300 USD`, `computed at least 0.0800 USD`, `cost not computed: no tokens are recorded`.
    pub(crate) fn computed_text(&self) -> String {
        let not_priced = with_thousands(self.not_priced_tokens);
        match (self.computed_usd, self.computed_at_least_usd) {
            (Some(usd), _) => format!("computed {usd:.4} USD"),
            (None, Some(usd)) => {
                format!("computed at least {usd:.4} USD ({not_priced} tokens not priced)")
            }
            (None, None) if self.responses == 0 => {
                "cost not computed: no tokens are recorded".into()
            }
            (None, None) => format!("cost not computed ({not_priced} tokens not priced)"),
        }
    }

    /// Returns the computed cost in a table.
    pub(crate) fn computed_cell(&self) -> String {
        match (self.computed_usd, self.computed_at_least_usd) {
            (Some(usd), _) => format!("{usd:.4}"),
            (None, Some(usd)) => format!("≥ {usd:.4}"),
            (None, None) if self.responses == 0 => "—".into(),
            (None, None) => "not priced".into(),
        }
    }
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

/// Columns that no row has something in are left out.
fn part_table(document: &CostDocument) -> OutputTable {
    let rows: Vec<&CostPartRow> = document.part_rows().collect();
    let several = document.runs.len() > 1 || document.part_rows().all(|row| row.is_whole_run());
    let columns: [(bool, TableColumn<'_, CostPartRow>); 12] = [
        (several, ("run", &|it| it.run.clone())),
        (has_any(&rows, |it| it.turn.is_some()), (">turn", &|it| turn_cell(it))),
        (has_any(&rows, |it| it.step.is_some()), ("step", &|it| cell_or_dash(it.step.as_ref()))),
        (has_any(&rows, |it| it.agent.is_some()), ("agent", &|it| cell_or_dash(it.agent.as_ref()))),
        (has_any(&rows, |it| it.model.is_some()), ("model", &|it| cell_or_dash(it.model.as_ref()))),
        (true, (">responses", &|it| it.cost.responses.to_string())),
        (true, (">in", &|it| cell_or_dash(it.cost.tokens.input))),
        (true, (">cached", &|it| cell_or_dash(it.cost.tokens.cached_input))),
        (
            has_any(&rows, |it| it.cost.tokens.cache_write.is_some()),
            (">to cache", &|it| cell_or_dash(it.cost.tokens.cache_write)),
        ),
        (true, (">out", &|it| cell_or_dash(it.cost.tokens.output))),
        (
            has_any(&rows, |it| it.cost.recorded_usd.is_some()),
            (">recorded", &|it| cell_or_dash(it.cost.recorded_usd.map(|usd| format!("{usd:.4}")))),
        ),
        (true, (">computed", &|it| it.cost.computed_cell())),
    ];
    let shown: Vec<TableColumn<'_, CostPartRow>> =
        columns.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, column)| column).collect();
    OutputTable::from_rows(&shown, rows)
}

fn has_any(rows: &[&CostPartRow], has_value: impl Fn(&CostPartRow) -> bool) -> bool {
    rows.iter().any(|row| has_value(row))
}

fn turn_cell(row: &CostPartRow) -> String {
    let mark = if row.counts { "" } else { " (does not count)" };
    cell_or_dash(row.turn) + mark
}

impl CostPartRow {
    /// Returns whether the row covers a whole run.
    fn is_whole_run(&self) -> bool {
        self.turn.is_none() && self.agent.is_none() && self.model.is_none()
    }
}
