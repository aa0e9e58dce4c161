//! `trajview man`: the manual page.

use clap::CommandFactory;

use super::{CommandLine, CommandResult, Exit, help::examples_of, output::Out};

/// Print the manual page, for `man -l -`
#[derive(Debug, clap::Args)]
pub struct ManArgs {}

pub fn run(_args: &ManArgs, out: &mut Out) -> CommandResult {
    let mut page = vec![];
    let command = CommandLine::command();
    let name = command.get_name().to_owned();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for child in command.get_subcommands().filter(|child| !child.is_hide_set()) {
        page.extend(format!(".SH \"{name} {}\"\n", child.get_name()).bytes());
        let man = clap_mangen::Man::new(child.clone());
        let mut sections = vec![];
        man.render_description_section(&mut sections)?;
        man.render_options_section(&mut sections)?;
        // A section of its own page is a part of a section of ours.
        page.extend(String::from_utf8_lossy(&sections).replace("\n.SH ", "\n.SS ").bytes());
        page.extend(example_section(child.get_name()).bytes());
    }
    out.print_bytes(&page)?;
    Ok(Exit::Fine)
}

/// Returns the examples of a command in the form of a manual page.
fn example_section(command: &str) -> String {
    let examples = examples_of(command).iter();
    let lines: Vec<String> =
        examples.map(|line| line.replace('\\', "\\e").replace('-', "\\-") + "\n").collect();
    format!(".SS EXAMPLES\n.nf\n{}.fi\n", lines.concat())
}
