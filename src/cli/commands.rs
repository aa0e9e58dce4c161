//! `trajview commands`: every command with its arguments and options, from the definitions that parse them. It is not
//! listed in the help: `docs/commands.md` is made of it.

use clap::{Arg, CommandFactory};

use super::{
    Cli, Exit, Outcome,
    output::{Out, Table},
};

/// Print every command with its arguments and options, as Markdown
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct Args {}

pub fn run(_args: &Args, out: &mut Out) -> Outcome {
    let mut cli = Cli::command();
    cli.build();
    print(&cli, "trajview PATH...", out)?;
    for command in cli.get_subcommands().filter(|command| !command.is_hide_set()) {
        out.line("")?;
        print(command, &format!("trajview {}", command.get_name()), out)?;
    }
    Ok(Exit::Fine)
}

fn print(command: &clap::Command, title: &str, out: &mut Out) -> std::io::Result<()> {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let text = format!("## {title}\n\n{about}\n\n```text\n{usage}\n```");
    text.lines().try_for_each(|line| out.line(line))?;
    let arguments: Vec<&Arg> = command.get_arguments().filter(|arg| is_own(arg)).collect();
    if !arguments.is_empty() {
        out.line("")?;
        table(&arguments).markdown(out)?;
    }
    match command.get_after_help() {
        Some(after) => format!("\n{after}").lines().try_for_each(|line| out.line(line)),
        None => Ok(()),
    }
}

/// Whether the row says something: every command has `--help`.
fn is_own(argument: &Arg) -> bool {
    !argument.is_hide_set() && !matches!(argument.get_id().as_str(), "help" | "version")
}

fn table(arguments: &[&Arg]) -> Table {
    let mut table = Table::new(&["argument", "does"]);
    for argument in arguments {
        table.row(vec![format!("`{}`", written(argument)), sentence(argument)]);
    }
    table
}

/// `--at <TURN>`, `-n <N>`, `<PATH>...`
fn written(argument: &Arg) -> String {
    let long = argument.get_long().map(|long| format!("--{long}"));
    let name = long.or_else(|| argument.get_short().map(|short| format!("-{short}")));
    let takes_value = argument.get_action().takes_values();
    match (name, takes_value) {
        (Some(name), false) => name,
        (Some(name), true) => format!("{name} {}", value(argument)),
        (None, _) => value(argument),
    }
}

fn value(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<String> = names.iter().map(|name| format!("<{name}>")).collect();
    let many = argument.get_num_args().is_some_and(|count| count.max_values() > names.len().max(1));
    let most = if many { "..." } else { "" };
    if names.is_empty() {
        return format!("<{}>{most}", argument.get_id().as_str().to_uppercase());
    }
    names.join(" ") + most
}

/// Its help, and what may stand there.
fn sentence(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut sentence = help.map(ToString::to_string).unwrap_or_default().replace('\n', " ");
    if argument.get_action().takes_values() {
        let choices = argument.get_possible_values();
        let choices: Vec<&str> = choices.iter().map(|choice| choice.get_name()).collect();
        if !choices.is_empty() {
            sentence += &format!(" [one of: {}]", choices.join(", "));
        }
        let usual = argument.get_default_values().iter().map(|value| value.to_string_lossy());
        let usual: Vec<_> = usual.collect();
        if !usual.is_empty() && !argument.is_hide_default_value_set() {
            sentence += &format!(" [unless said: {}]", usual.join(", "));
        }
    }
    sentence
}
