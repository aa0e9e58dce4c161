//! `trajview list keys`: every key of the screen, from the keymap.

use serde::Serialize;

use trajview_tui::{
    session::context::KeyContext,
    shell::{
        help::TWELVE_KEYS,
        keymap::{KeyBinding, all_bindings},
    },
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
    /// Print Markdown: the first keys, and one folded table per view
    #[arg(long)]
    md: bool,
}

#[derive(Serialize)]
struct KeyRow {
    /// The id in the settings and on the command line.
    command: &'static str,
    /// The place where the key works.
    place: &'static str,
    keys: Vec<String>,
    does: &'static str,
}

pub fn run(args: &KeysArgs, out: &mut Out) -> CommandResult {
    let row = |binding: &KeyBinding| KeyRow {
        command: binding.id,
        place: binding.context.title(),
        keys: binding.keys.iter().map(ToString::to_string).collect(),
        does: binding.help,
    };
    let rows: Vec<KeyRow> = all_bindings().map(row).collect();
    if args.json {
        out.print_json_list("trajview.keys/1", ("keys", &rows))?;
    } else if args.md {
        print_pages(&rows, out)?;
    } else {
        print_text(&rows, out)?;
    }
    Ok(Exit::Fine)
}

/// Prints the twelve keys to begin with, then those of each place below its name, wrapped to the terminal.
fn print_text(rows: &[KeyRow], out: &mut Out) -> std::io::Result<()> {
    out.print_line("first")?;
    let mut first = OutputTable::new(&["key", "does"]);
    for (keys, does) in TWELVE_KEYS {
        first.add_row(vec![keys.into(), does.into()]);
    }
    first.print_columns(out)?;
    for context in KeyContext::ALL {
        let mut table = OutputTable::new(&["key", "command", "does"]).with_keys(2);
        for row in rows.iter().filter(|row| row.place == context.title()) {
            table.add_row(vec![row.keys.join(" "), row.command.into(), row.does.into()]);
        }
        out.print_line("")?;
        out.print_line(context.title())?;
        table.print_columns(out)?;
    }
    Ok(())
}

/// Prints the twelve keys to begin with as a page, then a table for each place, folded.
fn print_pages(rows: &[KeyRow], out: &mut Out) -> std::io::Result<()> {
    let mut first = OutputTable::new(&["key", "does"]);
    for (keys, does) in TWELVE_KEYS {
        let keys: Vec<String> = keys.split(' ').map(|key| format!("`{key}`")).collect();
        first.add_row(vec![keys.join(" "), does.into()]);
    }
    out.print_line("## Twelve keys to begin with")?;
    out.print_line("")?;
    first.print_markdown(out)?;
    for context in KeyContext::ALL {
        print_section(context, rows, out)?;
    }
    Ok(())
}

/// Prints the keys of one place under its name, in a table that is folded.
fn print_section(context: KeyContext, rows: &[KeyRow], out: &mut Out) -> std::io::Result<()> {
    let mut table = OutputTable::new(&["key", "does", "command"]);
    for row in rows.iter().filter(|row| row.place == context.title()) {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        table.add_row(vec![keys.join(" "), row.does.into(), row.command.into()]);
    }
    let mut title = context.title().to_owned();
    title[..1].make_ascii_uppercase();
    for line in ["", &format!("## {title}"), "", "<details><summary>keys</summary>", ""] {
        out.print_line(line)?;
    }
    table.print_markdown(out)?;
    out.print_line("")?;
    out.print_line("</details>")
}
