//! `trajview metrics`: the numbers there are, and what counts as a branch in which language.

use serde::Serialize;

use trajview_metrics::{
    Better, Number,
    quality::{Profile, ROWS, Row},
};

use super::{
    Exit, Outcome,
    output::{Out, Table},
};

/// List the numbers that are computed
#[derive(Debug, clap::Args)]
pub struct Args {
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
struct Document {
    schema: &'static str,
    metrics: Vec<Metric>,
    languages: Vec<Language>,
    profiles: Vec<ProfileRow>,
}

/// A row of the list of numbers.
#[derive(Serialize)]
struct Metric {
    name: &'static str,
    /// What people read, where it is not the name.
    label: &'static str,
    unit: &'static str,
    range: &'static str,
    better: Better,
    of: &'static str,
    source: &'static str,
    definition: &'static str,
    /// What it is made of.
    opens: &'static str,
}

/// A profile and what is known to differ from its reference.
#[derive(Serialize)]
struct ProfileRow {
    name: &'static str,
    differs: &'static [&'static str],
}

/// A row of the table of languages.
#[derive(Serialize)]
struct Language {
    names: Vec<&'static str>,
    /// False where the grammar is not compiled in.
    available: bool,
    branches: Vec<&'static str>,
    operators: &'static [&'static str],
    callables: Vec<&'static str>,
    clones: Vec<&'static str>,
    why: &'static str,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let languages = || ROWS.iter().map(language).collect::<Vec<_>>();
    if args.json {
        let schema = "trajview.metrics/1";
        let profile =
            |profile: Profile| ProfileRow { name: profile.name(), differs: profile.differs() };
        let profiles = Profile::ALL.map(profile).into();
        let metrics = Number::ALL.map(metric).into();
        out.json(&Document { schema, metrics, languages: languages(), profiles })?;
        return Ok(Exit::Fine);
    }
    let table = if args.languages { language_table(languages()) } else { metric_table() };
    table.write(args.md, out)?;
    if !args.languages {
        print_differences(args.md, out)?;
    }
    Ok(Exit::Fine)
}

fn print_differences(is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut table = Table::new(&["profile", "known to differ from its reference"]);
    for profile in Profile::ALL {
        for what in profile.differs() {
            table.row(vec![profile.name().into(), (*what).into()]);
        }
    }
    out.line("")?;
    table.write(is_markdown, out)
}

fn language(row: &Row) -> Language {
    let words = |list: &'static str| list.split_ascii_whitespace().collect::<Vec<_>>();
    Language {
        names: row.grammars.iter().map(|grammar| grammar.name()).collect(),
        available: row.grammars.iter().all(|grammar| grammar.is_compiled_in()),
        branches: [words(row.names.branches), words(row.names.cases)].concat(),
        operators: row.operators,
        callables: words(row.names.callables),
        clones: words(row.names.clones),
        why: row.why,
    }
}

fn metric(number: Number) -> Metric {
    let row = number.row();
    Metric {
        name: row.id,
        label: row.label,
        unit: row.unit,
        range: row.range,
        better: row.better,
        of: row.of.word(),
        source: row.source,
        definition: row.definition,
        opens: row.opens.word(),
    }
}

fn metric_table() -> Table {
    let mut table =
        Table::new(&["metric", "of", "unit", "range", "better", "source", "what it is"]);
    for Metric { name, of, unit, range, better, source, definition, .. } in Number::ALL.map(metric)
    {
        let better = better.word();
        table.row([name, of, unit, range, better, source, definition].map(str::to_owned).to_vec());
    }
    table
}

fn language_table(languages: Vec<Language>) -> Table {
    let mut table = Table::new(&["language", "adds a path", "why"]);
    for language in languages {
        let without = if language.available { "" } else { " (not in this build)" };
        table.row(vec![
            language.names.join(", ") + without,
            [language.branches.as_slice(), language.operators].concat().join(" "),
            language.why.into(),
        ]);
    }
    table
}
