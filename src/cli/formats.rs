//! `trajview formats`: what can be read.

use serde::Serialize;

use trajview_formats::{FORMATS, Format};

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
    /// `lines`, `document`, `snapshots`, `bundle`.
    shape: &'static str,
    /// `text`, `names`, `at the end`, `none`.
    edits: &'static str,
    tokens: bool,
    cost: bool,
    times: bool,
    subagents: bool,
}

impl Row {
    fn of(format: &dyn Format) -> Self {
        let offers = format.offers();
        Self {
            name: format.name(),
            about: format.about(),
            sample: format!("sample-runs/{}", format.sample()),
            shape: offers.shape.word(),
            edits: offers.edits.word(),
            tokens: offers.tokens,
            cost: offers.cost,
            times: offers.times,
            subagents: offers.subagents,
        }
    }

    /// What it tells beside steps, in few words.
    fn tells(&self) -> String {
        let edits = match self.edits {
            "none" => None,
            "text" => Some("edits"),
            "names" => Some("names of edited files"),
            _ => Some("a diff at the end"),
        };
        let flags = [
            (self.tokens, "tokens"),
            (self.cost, "cost"),
            (self.times, "times"),
            (self.subagents, "sub-agents"),
        ];
        let flags = flags.iter().filter(|(is_told, _)| *is_told).map(|(_, word)| *word);
        edits.into_iter().chain(flags).collect::<Vec<_>>().join(", ")
    }
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let rows: Vec<Row> = FORMATS.iter().map(|format| Row::of(*format)).collect();
    if args.json {
        out.json_list("trajview.formats/1", ("formats", &rows))?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["format", "what it is", "tells", "sample"]);
    for row in rows {
        let tells = row.tells();
        table.row(vec![row.name.into(), row.about.into(), tells, row.sample]);
    }
    table.write(args.md, out)?;
    Ok(Exit::Fine)
}
