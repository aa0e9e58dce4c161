//! `trajview keys`: every key of the screen, from the keymap.

use serde::Serialize;

use crate::app::{
    keymap::{Binding, bindings},
    shell::keys::command_of,
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
    /// Print a Markdown table
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct Keys {
    schema: &'static str,
    keys: Vec<Row>,
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
        out.json(&Keys { schema: "trajview.keys/1", keys: rows })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["where", "key", "does", "command"]);
    for row in rows {
        let quote = |key: &String| if args.md { format!("`{key}`") } else { key.clone() };
        table.row(vec![
            row.place.into(),
            row.keys.iter().map(quote).collect::<Vec<_>>().join(" "),
            row.does.into(),
            row.command,
        ]);
    }
    if args.md {
        table.markdown(out)?
    } else {
        table.print(out)?
    }
    Ok(Exit::Fine)
}
