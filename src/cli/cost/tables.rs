//! Costs for people, and for spreadsheets.

use std::io;

use crate::cli::output::{Column, Out, Table, dash};
use trajview_metrics::cost::prices::Row;
use trajview_run::figures::count;

use super::document::{CostRow, Document, PartRow, source_of};

pub const CSV: &str = "run turn step agent agent_id model counts responses input=tokens.input cached_input=tokens.cached_input \
                       cache_write=tokens.cache_write output=tokens.output recorded_usd computed_usd computed_at_least_usd \
                       not_priced_tokens not_priced notes";

pub fn print(document: &Document, out: &mut Out) -> io::Result<()> {
    table(document).print(out)?;
    out.line("")?;
    if let [run] = document.runs.as_slice() {
        out.sentence(&said(&run.run, &run.cost))?;
    } else {
        out.sentence(&of_all(document))?;
    }
    let repeated = &document.repeated;
    if repeated.responses > 0 {
        out.sentence(&format!(
            "{} responses with {} tokens were told by a recording before and count once",
            repeated.responses,
            count(repeated.tokens.total().unwrap_or(0)),
        ))?;
    }
    for row in &document.total.not_priced {
        out.sentence(&format!("not priced: {} tokens: {}", count(row.tokens), row.why))?;
    }
    if let Some(how) = document.total.how_to_price() {
        out.sentence(&how)?;
    }
    document.total.notes.iter().try_for_each(|note| out.sentence(&format!("note: {note}")))?;
    document.prices.iter().try_for_each(|row| out.sentence(&price(row)))?;
    document
        .problems
        .iter()
        .try_for_each(|it| out.sentence(&format!("warning: {}: {}", it.place, it.what)))
}

/// `3 runs: recorded 0.1234 USD, computed 0.1300 USD, 12 responses`; where only some runs record a cost, how many.
fn of_all(document: &Document) -> String {
    let runs = document.runs.len();
    let recording = document.runs.iter().filter(|run| run.cost.recorded_usd.is_some()).count();
    let (total, what) = (&document.total, format!("{runs} runs"));
    if total.recorded_usd.is_some() || recording == 0 {
        return said(&what, total);
    }
    let some = format!("cost recorded by {recording} of them and not added up");
    format!("{what}: {some}, {}, {} responses", total.said(), total.responses)
}

/// `abc: recorded 0.1234 USD, computed 0.1300 USD, 12 responses`
fn said(what: &str, cost: &CostRow) -> String {
    let recorded = cost.recorded_usd.map(|usd| format!("recorded {usd:.4} USD"));
    format!(
        "{what}: {}, {}, {} responses",
        recorded.unwrap_or_else(|| "cost not recorded".into()),
        cost.said(),
        cost.responses
    )
}

impl CostRow {
    /// `computed 0.1300 USD`, `computed at least 0.0800 USD`, `cost not computed: no tokens are recorded`.
    pub fn said(&self) -> String {
        let not_priced = count(self.not_priced_tokens);
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

    /// The computed cost in a table.
    pub fn cell(&self) -> String {
        match (self.computed_usd, self.computed_at_least_usd) {
            (Some(usd), _) => format!("{usd:.4}"),
            (None, Some(usd)) => format!("≥ {usd:.4}"),
            (None, None) if self.responses == 0 => "—".into(),
            (None, None) => "not priced".into(),
        }
    }
}

/// `price: m 3 in, 15 out, 0.3 cached, 3.75 to the cache (6 for one hour) USD a million tokens; source`
fn price(row: &Row) -> String {
    let rates = &row.usd_per_million;
    let mut parts = vec![format!("{} in", rates.input)];
    parts.extend(rates.cached_input.map(|rate| format!("{rate} cached")));
    parts.extend(rates.cache_write.map(|rate| format!("{rate} to the cache")));
    parts.extend(rates.cache_write_1h.map(|rate| format!("{rate} to the cache for one hour")));
    parts.push(format!("{} out", rates.output));
    let above =
        row.above.map(|above| format!("; another above {} tokens read", count(above.input_tokens)));
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
        source_of(row)
    )
}

/// Columns that no row has something in are left out.
fn table(document: &Document) -> Table {
    let rows: Vec<&PartRow> = document.parts().collect();
    let several = document.runs.len() > 1 || document.parts().all(|row| row.is_of_all());
    let columns: [(bool, Column<'_, PartRow>); 12] = [
        (several, ("run", &|it| it.run.clone())),
        (has(&rows, |it| it.turn.is_some()), (">turn", &|it| turn(it))),
        (has(&rows, |it| it.step.is_some()), ("step", &|it| dash(it.step.as_ref()))),
        (has(&rows, |it| it.agent.is_some()), ("agent", &|it| dash(it.agent.as_ref()))),
        (has(&rows, |it| it.model.is_some()), ("model", &|it| dash(it.model.as_ref()))),
        (true, (">responses", &|it| it.cost.responses.to_string())),
        (true, (">in", &|it| dash(it.cost.tokens.input))),
        (true, (">cached", &|it| dash(it.cost.tokens.cached_input))),
        (
            has(&rows, |it| it.cost.tokens.cache_write.is_some()),
            (">to cache", &|it| dash(it.cost.tokens.cache_write)),
        ),
        (true, (">out", &|it| dash(it.cost.tokens.output))),
        (
            has(&rows, |it| it.cost.recorded_usd.is_some()),
            (">recorded", &|it| dash(it.cost.recorded_usd.map(|usd| format!("{usd:.4}")))),
        ),
        (true, (">computed", &|it| it.cost.cell())),
    ];
    let shown: Vec<Column<'_, PartRow>> =
        columns.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, column)| column).collect();
    Table::of(&shown, rows)
}

fn has(rows: &[&PartRow], of: impl Fn(&PartRow) -> bool) -> bool {
    rows.iter().any(|row| of(row))
}

fn turn(row: &PartRow) -> String {
    let mark = if row.counts { "" } else { " (does not count)" };
    dash(row.turn) + mark
}

impl PartRow {
    /// Whether it is of a run as a whole.
    fn is_of_all(&self) -> bool {
        self.turn.is_none() && self.agent.is_none() && self.model.is_none()
    }
}
