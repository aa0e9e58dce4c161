//! `trajview list formats`: what can be read.

use serde::Serialize;

use trajview_formats::{FORMATS, Format};

use super::{
    CommandResult, Exit,
    output::{Out, OutputTable},
};

/// List the readable formats
#[derive(Debug, clap::Args)]
pub struct FormatsArgs {
    /// Print JSON (schema trajview.formats/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct FormatRow {
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

impl FormatRow {
    fn new(format: &dyn Format) -> Self {
        let offers = format.capabilities();
        Self {
            name: format.name(),
            about: format.short_description(),
            sample: format!("sample-runs/{}", format.sample_path()),
            shape: offers.shape.as_str(),
            edits: offers.edits.as_str(),
            tokens: offers.tokens,
            cost: offers.cost,
            times: offers.times,
            subagents: offers.subagents,
        }
    }

    /// Lists the recorded facts apart from steps, in few words.
    fn recorded_facts(&self) -> String {
        let edits = match self.edits {
            "none" => None,
            "text" => Some("edits"),
            "names" => Some("names of edited files"),
            "commits" => Some("files of the commits"),
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

pub fn run(args: &FormatsArgs, out: &mut Out) -> CommandResult {
    let rows: Vec<FormatRow> = FORMATS.iter().map(|format| FormatRow::new(*format)).collect();
    if args.json {
        out.print_json_list("trajview.formats/1", ("formats", &rows))?;
        return Ok(Exit::Fine);
    }
    let mut table = OutputTable::new(&["format", "description", "contains", "sample"]);
    for row in rows {
        let tells = row.recorded_facts();
        table.add_row(vec![row.name.into(), row.about.into(), tells, row.sample]);
    }
    table.write_table(args.md, out)?;
    Ok(Exit::Fine)
}
