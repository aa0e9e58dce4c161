//! `trajview metrics`: the numbers there are, and what counts as a branch in which language.

use serde::Serialize;

use trajview_metrics::{
    BetterDirection, Number,
    quality::{MeasuredLanguage, QualityProfile, ROWS},
};

use super::{
    CommandResult, Exit,
    output::{Out, OutputTable},
};

/// List the numbers that are computed
#[derive(Debug, clap::Args)]
pub struct MetricsArgs {
    /// What adds a path in each language instead, and why; functions and clones are in the JSON
    #[arg(long)]
    languages: bool,
    /// Print JSON (schema trajview.metrics/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct MetricsDocument {
    schema: &'static str,
    metrics: Vec<MetricRow>,
    languages: Vec<LanguageRow>,
    profiles: Vec<MetricProfileRow>,
}

/// A row of the list of numbers.
#[derive(Serialize)]
struct MetricRow {
    name: &'static str,
    /// The label for people, where it is not the name.
    label: &'static str,
    unit: &'static str,
    range: &'static str,
    better: BetterDirection,
    of: &'static str,
    source: &'static str,
    definition: &'static str,
    /// The parts that the number opens.
    opens: &'static str,
}

/// A profile and what is known to differ from its reference.
#[derive(Serialize)]
struct MetricProfileRow {
    name: &'static str,
    differs: &'static [&'static str],
}

/// A row of the table of languages.
#[derive(Serialize)]
struct LanguageRow {
    names: Vec<&'static str>,
    /// False if the grammar is not compiled in.
    available: bool,
    branches: Vec<&'static str>,
    operators: &'static [&'static str],
    callables: Vec<&'static str>,
    clones: Vec<&'static str>,
    why: &'static str,
}

pub fn run(args: &MetricsArgs, out: &mut Out) -> CommandResult {
    let languages = || ROWS.iter().map(language_row).collect::<Vec<_>>();
    if args.json {
        let schema = "trajview.metrics/1";
        let profile = |profile: QualityProfile| MetricProfileRow {
            name: profile.name(),
            differs: profile.known_differences(),
        };
        let profiles = QualityProfile::ALL.map(profile).into();
        let metrics = Number::ALL.map(metric_row).into();
        out.print_json(&MetricsDocument { schema, metrics, languages: languages(), profiles })?;
        return Ok(Exit::Fine);
    }
    let table = if args.languages { language_table(languages()) } else { metric_table() };
    table.write_table(args.md, out)?;
    if !args.languages {
        print_differences(args.md, out)?;
    }
    Ok(Exit::Fine)
}

fn print_differences(is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut table = OutputTable::new(&["profile", "known to differ from its reference"]);
    for profile in QualityProfile::ALL {
        for what in profile.known_differences() {
            table.add_row(vec![profile.name().into(), (*what).into()]);
        }
    }
    out.print_line("")?;
    table.write_table(is_markdown, out)
}

fn language_row(row: &MeasuredLanguage) -> LanguageRow {
    let words = |list: &'static str| list.split_ascii_whitespace().collect::<Vec<_>>();
    LanguageRow {
        names: row.grammars.iter().map(|grammar| grammar.name()).collect(),
        available: row.grammars.iter().all(|grammar| grammar.is_compiled_in()),
        branches: [words(row.names.branches), words(row.names.cases)].concat(),
        operators: row.operators,
        callables: words(row.names.callables),
        clones: words(row.names.clones),
        why: row.why,
    }
}

fn metric_row(number: Number) -> MetricRow {
    let row = number.row();
    MetricRow {
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

fn metric_table() -> OutputTable {
    let mut table =
        OutputTable::new(&["metric", "of", "unit", "range", "better", "source", "what it is"]);
    for MetricRow { name, of, unit, range, better, source, definition, .. } in
        Number::ALL.map(metric_row)
    {
        let better = better.word();
        table.add_row(
            [name, of, unit, range, better, source, definition].map(str::to_owned).to_vec(),
        );
    }
    table
}

fn language_table(languages: Vec<LanguageRow>) -> OutputTable {
    let mut table = OutputTable::new(&["language", "adds a path", "why"]);
    for language in languages {
        let without = if language.available { "" } else { " (not in this build)" };
        table.add_row(vec![
            language.names.join(", ") + without,
            [language.branches.as_slice(), language.operators].concat().join(" "),
            language.why.into(),
        ]);
    }
    table
}
