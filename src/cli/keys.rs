//! `trajview keys`: every key of the screen, from the keymap.

use serde::Serialize;

use trajview_tui::{
    session::context::KeyContext,
    shell::keymap::{KeyBinding, all_bindings},
};

use super::{
    CommandResult, Exit,
    output::{Out, OutputTable},
};

/// List the keys of the screen
#[derive(Debug, clap::Args)]
pub struct KeysArgs {
    /// Print JSON (schema trajview.keys/1)
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print Markdown: one table per view
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct KeyRow {
    /// The command's name in the settings.
    command: String,
    /// The place where the key works.
    place: &'static str,
    keys: Vec<String>,
    does: &'static str,
}

pub fn run(args: &KeysArgs, out: &mut Out) -> CommandResult {
    let row = |binding: &KeyBinding| KeyRow {
        command: binding.id.to_owned(),
        place: binding.context.title(),
        keys: binding.keys.iter().map(ToString::to_string).collect(),
        does: binding.help,
    };
    let rows: Vec<KeyRow> = all_bindings().map(row).collect();
    if args.json {
        out.print_json_list("trajview.keys/1", ("keys", &rows))?;
        return Ok(Exit::Fine);
    }
    if args.md {
        for context in KeyContext::ALL {
            print_section(context, &rows, out)?;
        }
        return Ok(Exit::Fine);
    }
    let mut table = OutputTable::new(&["where", "key", "does", "command"]);
    for row in rows {
        table.add_row(vec![row.place.into(), row.keys.join(" "), row.does.into(), row.command]);
    }
    table.print_columns(out)?;
    Ok(Exit::Fine)
}

/// Prints the keys of one place under its name.
fn print_section(context: KeyContext, rows: &[KeyRow], out: &mut Out) -> std::io::Result<()> {
    let mut table = OutputTable::new(&["key", "does", "command"]);
    for row in rows.iter().filter(|row| row.place == context.title()) {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        table.add_row(vec![keys.join(" "), row.does.into(), row.command.clone()]);
    }
    let mut title = context.title().to_owned();
    title[..1].make_ascii_uppercase();
    if context != KeyContext::ALL[0] {
        out.print_line("")?;
    }
    out.print_line(&format!("## {title}"))?;
    out.print_line("")?;
    table.print_markdown(out)
}
