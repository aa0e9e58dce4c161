//! `trajview list metrics`: the numbers there are, and what counts as a branch in which language.

use trajview_metrics::{
    Number,
    quality::{MeasuredLanguage, QualityProfile, ROWS},
};

use super::{
    CommandResult, Exit,
    output::{Json, Out, OutputTable, TableColumn, record},
};

/// List the computed numbers
#[derive(Debug, clap::Args)]
pub struct MetricsArgs {
    /// Instead list what adds a path in each language, and why; functions and clones are in the JSON
    #[arg(long)]
    languages: bool,
    /// Print JSON (schema trajview.metrics/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    md: bool,
}

pub fn run(args: &MetricsArgs, out: &mut Out) -> CommandResult {
    let metrics = || Number::ALL.into_iter().map(metric_row).collect::<Vec<_>>();
    let languages = || ROWS.iter().map(language_row).collect::<Vec<_>>();
    if args.json {
        out.print_json(&record! {
            schema: "trajview.metrics/1",
            metrics: metrics(),
            languages: languages(),
            profiles: Json::list(QualityProfile::ALL, |profile| {
                record! { name: profile.name(), differs: profile.known_differences() }
            }),
        })?;
        return Ok(Exit::Fine);
    }
    let table =
        if args.languages { language_table(&languages()) } else { metric_table(&metrics()) };
    table.write_table(args.md, out)?;
    if !args.languages {
        print_differences(args.md, out)?;
    }
    Ok(Exit::Fine)
}

fn print_differences(is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut table = OutputTable::new(&["profile", "known differences from its reference"]);
    for profile in QualityProfile::ALL {
        for what in profile.known_differences() {
            table.add_row(vec![profile.name().into(), (*what).into()]);
        }
    }
    out.print_line("")?;
    table.write_table(is_markdown, out)
}

/// Returns the JSON of a row of the table of languages; `available` is false if the grammar is not compiled in.
fn language_row(row: &MeasuredLanguage) -> Json {
    let words = |list: &'static str| list.split_ascii_whitespace().collect::<Vec<_>>();
    record! {
        names: Json::list(row.grammars, |grammar| Json::new(grammar.name())),
        available: row.grammars.iter().all(|grammar| grammar.is_compiled_in()),
        branches: [words(row.names.branches), words(row.names.cases)].concat(),
        operators: row.operators,
        callables: words(row.names.callables),
        clones: words(row.names.clones),
        why: row.why,
    }
}

/// Returns the JSON of a row of the list of numbers; `opens` are the parts that the number opens.
fn metric_row(number: Number) -> Json {
    let row = number.row();
    record! {
        name: row.id,
        label: row.label,
        unit: row.unit,
        range: row.range,
        better: row.better,
        of: row.input.input_word(),
        source: row.source,
        definition: row.definition,
        opens: row.evidence.evidence_word(),
    }
}

fn metric_table(metrics: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 7] = [
        ("metric", &|it| it.cell("name")),
        ("of", &|it| it.cell("of")),
        ("unit", &|it| it.cell("unit")),
        ("range", &|it| it.cell("range")),
        ("better", &|it| it.cell("better")),
        ("source", &|it| it.cell("source")),
        ("description", &|it| it.cell("definition")),
    ];
    OutputTable::from_rows(&columns, metrics)
}

fn language_table(languages: &[Json]) -> OutputTable {
    let list = |it: &Json, field: &str| it.rows(field).iter().map(Json::csv_cell).collect();
    let columns: [TableColumn<'_, Json>; 3] = [
        ("language", &|it| {
            let is_missing = *it.field("available") == Json::Flag(false);
            let names: Vec<String> = list(it, "names");
            names.join(", ") + if is_missing { " (not in this build)" } else { "" }
        }),
        ("adds a path", &|it| [list(it, "branches"), list(it, "operators")].concat().join(" ")),
        ("why", &|it| it.cell("why")),
    ];
    OutputTable::from_rows(&columns, languages)
}
