//! `trajview formats`: what can be read.

use serde::Serialize;

use crate::formats::FORMATS;

use super::{
    Exit, Outcome,
    output::{Out, Table},
};

/// List the formats that can be read
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON (schema trajview.formats/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    sample: String,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let rows: Vec<Row> = FORMATS
        .iter()
        .map(|format| Row {
            name: format.name(),
            about: format.about(),
            sample: format!("sample-runs/{}", format.sample()),
        })
        .collect();
    if args.json {
        out.json_list("trajview.formats/1", ("formats", &rows))?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["format", "what it is", "sample"]);
    rows.into_iter().for_each(|row| table.row(vec![row.name.into(), row.about.into(), row.sample]));
    table.write(args.md, out)?;
    Ok(Exit::Fine)
}
