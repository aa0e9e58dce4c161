//! `trajview keys`: every key of the screen, from the keymap.

use serde::Serialize;

use trajview_tui::{
    session::context::Context,
    shell::{
        keymap::{Binding, bindings},
        keys::command_of,
    },
};

use super::{
    Exit, Outcome,
    output::{Out, Table},
};

/// List the keys of the screen
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON (schema trajview.keys/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print Markdown: a table for each place
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct Row {
    /// What the settings call it.
    command: String,
    /// Where the key holds.
    place: &'static str,
    keys: Vec<String>,
    does: &'static str,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let row = |binding: &Binding| Row {
        command: command_of(binding),
        place: binding.context.title(),
        keys: binding.keys.iter().map(ToString::to_string).collect(),
        does: binding.help,
    };
    let rows: Vec<Row> = bindings().map(row).collect();
    if args.json {
        out.json_list("trajview.keys/1", ("keys", &rows))?;
        return Ok(Exit::Fine);
    }
    if args.md {
        for context in Context::ALL {
            print_section(context, &rows, out)?;
        }
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["where", "key", "does", "command"]);
    for row in rows {
        table.row(vec![row.place.into(), row.keys.join(" "), row.does.into(), row.command]);
    }
    table.print(out)?;
    Ok(Exit::Fine)
}

/// The keys of one place under its name.
fn print_section(context: Context, rows: &[Row], out: &mut Out) -> std::io::Result<()> {
    let mut table = Table::new(&["key", "does", "command"]);
    for row in rows.iter().filter(|row| row.place == context.title()) {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        table.row(vec![keys.join(" "), row.does.into(), row.command.clone()]);
    }
    let mut title = context.title().to_owned();
    title[..1].make_ascii_uppercase();
    if context != Context::ALL[0] {
        out.line("")?;
    }
    out.line(&format!("## {title}"))?;
    out.line("")?;
    table.markdown(out)
}
