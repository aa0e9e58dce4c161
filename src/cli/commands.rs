//! `trajview commands`: every command with its arguments and options, from the definitions that parse them. It is not
//! listed in the help: `docs/commands.md` is made of it.

use clap::{Arg, CommandFactory};

use super::{
    CommandLine, CommandResult, Exit,
    help::examples_of,
    output::{Out, OutputTable},
};

/// Print every command with its arguments and options, as Markdown
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct CommandsArgs {}

pub fn run(_args: &CommandsArgs, out: &mut Out) -> CommandResult {
    let mut cli = CommandLine::command();
    cli.build();
    print_command(&cli, "trajview PATH...", out)?;
    // The screen's options are those of the program.
    let is_listed =
        |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "open";
    for command in cli.get_subcommands().filter(is_listed) {
        out.print_line("")?;
        print_command(command, &format!("trajview {}", command.get_name()), out)?;
    }
    Ok(Exit::Fine)
}

fn print_command(command: &clap::Command, title: &str, out: &mut Out) -> std::io::Result<()> {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let text = format!("## {title}\n\n{about}\n\n```text\n{usage}\n```");
    text.lines().try_for_each(|line| out.print_line(line))?;
    let arguments: Vec<&Arg> = command.get_arguments().filter(|arg| is_specific(arg)).collect();
    if !arguments.is_empty() {
        out.print_line("")?;
        argument_table(&arguments).print_markdown(out)?;
    }
    if let Some(after) = command.get_after_help() {
        format!("\n{after}").lines().try_for_each(|line| out.print_line(line))?;
    }
    print_examples(command, out)?;
    let mut below = command.get_subcommands().filter(|it| !it.is_hide_set() && !is_root(command));
    below.try_for_each(|it| {
        out.print_line("")?;
        print_command(it, &format!("{title} {}", it.get_name()), out)
    })
}

fn is_root(command: &clap::Command) -> bool {
    command.get_name() == "trajview"
}

fn print_examples(command: &clap::Command, out: &mut Out) -> std::io::Result<()> {
    let name = if is_root(command) { "open" } else { command.get_name() };
    let examples = examples_of(name);
    if examples.is_empty() {
        return Ok(());
    }
    let text = format!("\nExamples:\n\n```text\n{}\n```", examples.join("\n"));
    text.lines().try_for_each(|line| out.print_line(line))
}

/// Returns whether the argument deserves a row: every command has `--help`.
fn is_specific(argument: &Arg) -> bool {
    !argument.is_hide_set() && !matches!(argument.get_id().as_str(), "help" | "version")
}

fn argument_table(arguments: &[&Arg]) -> OutputTable {
    let mut argument_table = OutputTable::new(&["argument", "does"]);
    for argument in arguments {
        argument_table
            .add_row(vec![format!("`{}`", argument_usage(argument)), argument_help(argument)]);
    }
    argument_table
}

/// Returns `--at <TURN>`, `-n <N>`, `<PATH>...`.
fn argument_usage(argument: &Arg) -> String {
    let long = argument.get_long().map(|long| format!("--{long}"));
    let name = long.or_else(|| argument.get_short().map(|short| format!("-{short}")));
    let takes_value = argument.get_action().takes_values();
    match (name, takes_value) {
        (Some(name), false) => name,
        (Some(name), true) => format!("{name} {}", value_placeholder(argument)),
        (None, _) => value_placeholder(argument),
    }
}

fn value_placeholder(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<String> = names.iter().map(|name| format!("<{name}>")).collect();
    let many = argument.get_num_args().is_some_and(|count| count.max_values() > names.len().max(1));
    let most = if many { "..." } else { "" };
    if names.is_empty() {
        return format!("<{}>{most}", argument.get_id().as_str().to_uppercase());
    }
    names.join(" ") + most
}

/// Returns the help of an argument, with its possible values.
fn argument_help(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut argument_help = help.map(ToString::to_string).unwrap_or_default().replace('\n', " ");
    if argument.get_action().takes_values() {
        let choices = argument.get_possible_values();
        let choices: Vec<&str> = choices.iter().map(|choice| choice.get_name()).collect();
        if !choices.is_empty() && !argument.is_hide_possible_values_set() {
            argument_help += &format!(" [possible values: {}]", choices.join(", "));
        }
        let usual = argument.get_default_values().iter().map(|value| value.to_string_lossy());
        let usual: Vec<_> = usual.collect();
        if !usual.is_empty() && !argument.is_hide_default_value_set() {
            argument_help += &format!(" [default: {}]", usual.join(", "));
        }
    }
    argument_help
}
