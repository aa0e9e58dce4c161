//! The help: `trajview --help` with the commands in groups, examples at the end of the help of each command, and
//! `trajview help`.
//!
//! A new command has a row in [`GROUPS`], with two examples; a test runs the examples on the sample runs.

use clap::{Command, CommandFactory, builder::StyledStr};

use trajview_run::closest_word::closest_word;
use trajview_tui::shell::glossary;

use super::{
    CommandFailure, CommandLine, CommandResult, Exit,
    output::{Out, terminal_columns},
    version::version_text,
};

/// A part of the list of commands in `trajview --help`.
struct CommandGroup {
    title: &'static str,
    commands: &'static [CommandExamples],
}

/// The name of a command, and two command lines that show what it is for.
struct CommandExamples(&'static str, [&'static str; 2]);

/// The commands in the order of the help.
const GROUPS: [CommandGroup; 8] = [
    CommandGroup {
        title: "open",
        commands: &[
            CommandExamples(
                "open",
                [
                    "trajview open sample-runs/codex-p12 --at 26",
                    "trajview sample-runs/codex-p12 sample-runs/codex-p12-single-shot --view compare",
                ],
            ),
            CommandExamples(
                "new",
                [
                    "trajview new checklist --out components.json",
                    "trajview new judgement sample-runs/codex-p12 --at 12",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "read",
        commands: &[
            CommandExamples(
                "show",
                [
                    "trajview show sample-runs/codex-p12",
                    "trajview show sample-runs/codex-p12 --turn 12",
                ],
            ),
            CommandExamples(
                "diff",
                [
                    "trajview diff sample-runs/codex-p12 --turn 12",
                    "trajview diff sample-runs/codex-p12 --from c1 --to final --stat",
                ],
            ),
            CommandExamples(
                "cat",
                [
                    "trajview cat sample-runs/codex-p12 ppdiff/train.py",
                    "trajview cat sample-runs/codex-p12 ppdiff/train.py --at 46",
                ],
            ),
            CommandExamples(
                "ls",
                [
                    "trajview ls sample-runs/codex-p12",
                    "trajview ls sample-runs/codex-p12 --at 12 --json",
                ],
            ),
            CommandExamples(
                "find",
                [
                    "trajview find '\"def add\" tool:bash' sample-runs",
                    "trajview find error: sample-runs --max-count 3",
                ],
            ),
            CommandExamples(
                "blame",
                [
                    "trajview blame sample-runs/codex-p12 ppdiff/train.py",
                    "trajview blame sample-runs/codex-p12 ppdiff/train.py --line 1-20 --at 46",
                ],
            ),
            CommandExamples(
                "history",
                [
                    "trajview history sample-runs/claude-code tinycalc/core.py",
                    "trajview history sample-runs/codex-p12 ppdiff/train.py:40",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "score",
        commands: &[
            CommandExamples(
                "score",
                [
                    "trajview score sample-runs/codex-p12 --each checkpoint",
                    "trajview score sample-runs/codex-p12 --against c8 --max-erosion +0.2 --max-cc 45",
                ],
            ),
            CommandExamples(
                "losses",
                [
                    "trajview losses sample-runs/codex-p12",
                    "trajview losses sample-runs/codex-p12 --diff",
                ],
            ),
            CommandExamples(
                "process",
                [
                    "trajview process sample-runs/codex-p12",
                    "trajview process sample-runs/codex-p12 --signals",
                ],
            ),
            CommandExamples(
                "decisions",
                [
                    "trajview decisions sample-runs/codex-p12 --extract --out decisions.json",
                    "trajview decisions sample-runs/codex-p12 --decisions decisions.json",
                ],
            ),
            CommandExamples(
                "memory",
                [
                    "trajview memory sample-runs/codex-p12",
                    "trajview memory sample-runs/codex-p12 --at 39 --json",
                ],
            ),
            CommandExamples(
                "cost",
                [
                    "trajview cost sample-runs/codex-p12",
                    "trajview cost sample-runs/codex-p12 --by model",
                ],
            ),
            CommandExamples(
                "layer",
                [
                    "trajview layer sample-runs/codex-p12 projectguard --lost",
                    "trajview layer sample-runs/codex-p12 projectguard:structural --turn 46",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "judge and audit",
        commands: &[
            CommandExamples(
                "judge",
                [
                    "trajview judge sample-runs/codex-p12 --judge gpt --dry-run",
                    "trajview judge sample-runs/codex-p12 --judge gpt --components C17,C18 --at 46 --dry-run",
                ],
            ),
            CommandExamples(
                "audit",
                [
                    "trajview audit sample-runs/codex-p12 --annotator ana",
                    "trajview audit sample-runs/codex-p12 --annotator ana --export --blank",
                ],
            ),
            CommandExamples(
                "agree",
                [
                    "trajview agree sample-runs/codex-p12",
                    "trajview agree sample-runs/codex-p12 --json",
                ],
            ),
            CommandExamples(
                "annotations",
                [
                    "trajview annotations sample-runs/codex-p12 --export-to phoenix --judgements",
                    "trajview annotations sample-runs/codex-p12 --config",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "compare",
        commands: &[
            CommandExamples(
                "compare",
                [
                    "trajview compare sample-runs/codex-p12 sample-runs/codex-p12-single-shot",
                    "trajview compare sample-runs/codex-p12 sample-runs/claude-code sample-runs/codex-rollout --csv",
                ],
            ),
            CommandExamples(
                "corpus",
                [
                    "trajview corpus sample-runs",
                    "trajview corpus sample-runs/jobs/harbor --outcomes --by model --errors apart",
                ],
            ),
            CommandExamples(
                "clusters",
                [
                    "trajview clusters sample-runs",
                    "trajview clusters sample-runs --by calls --detail",
                ],
            ),
            CommandExamples(
                "sample",
                [
                    "trajview sample sample-runs --per-stratum 1",
                    "trajview sample sample-runs --size 5 --paths",
                ],
            ),
            CommandExamples(
                "report",
                [
                    "trajview report sample-runs/codex-p12 --out report.html",
                    "trajview report sample-runs/codex-p12 --markdown",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "run agents",
        commands: &[
            CommandExamples(
                "live",
                [
                    "trajview live --agent codex --script sample-runs/codex-p12/script.json --print-plan",
                    "trajview live --agent command --prompt 'Say hello.' --out hello --headless -- tee hello.txt",
                ],
            ),
            CommandExamples(
                "batch",
                [
                    "trajview batch plan.toml --print-plan",
                    "trajview batch plan.toml --jobs 2 --headless",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "data",
        commands: &[
            CommandExamples(
                "import",
                [
                    "trajview import sample-runs/claude-code --out bundle",
                    "cat sample-runs/claude-code/*.jsonl | trajview import - --out piped",
                ],
            ),
            CommandExamples(
                "export",
                [
                    "trajview export sample-runs --csv tables --columns task_id,agent,erosion",
                    "trajview export sample-runs/jobs --sft --out passed.jsonl",
                ],
            ),
            CommandExamples(
                "figure",
                [
                    "trajview figure curves sample-runs --by condition --out curves.pdf",
                    "trajview figure survival sample-runs/codex-p12 --columns 2 --format pgf",
                ],
            ),
            CommandExamples(
                "merge",
                [
                    "trajview merge parts --out all",
                    "trajview merge machine-1 machine-2 --out joined --overwrite",
                ],
            ),
            #[cfg(feature = "sql")]
            CommandExamples(
                "sql",
                [
                    "trajview sql 'select agent, count(*) as runs from runs group by agent' sample-runs",
                    "trajview sql 'select tool, count(*) from steps group by tool' sample-runs/codex-p12 --csv",
                ],
            ),
            CommandExamples(
                "check",
                ["trajview check sample-runs/codex-p12", "trajview check components.json --json"],
            ),
            CommandExamples(
                "mcp",
                [
                    "trajview mcp sample-runs",
                    "trajview mcp sample-runs/codex-p12 --redact-name Joe",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "reference",
        commands: &[
            CommandExamples("list", ["trajview list keys", "trajview list metrics --json"]),
            CommandExamples("help", ["trajview help score", "trajview help erosion"]),
            CommandExamples("skill", ["trajview skill", "trajview skill > SKILL.md"]),
            CommandExamples(
                "completions",
                [
                    "trajview completions bash > trajview.bash",
                    "trajview completions fish > trajview.fish",
                ],
            ),
            CommandExamples("man", ["trajview man", "trajview man > trajview.1"]),
        ],
    },
];

/// Returns the examples of a command; none of a hidden one.
pub(crate) fn examples_of(command: &str) -> &'static [&'static str] {
    let mut rows = GROUPS.iter().flat_map(|group| group.commands);
    rows.find(|row| row.0 == command).map_or(&[], |row| &row.1)
}

/// Returns the definition of the command line with its help.
pub(crate) fn command_line() -> Command {
    let mut command_line = CommandLine::command();
    let names: Vec<String> =
        command_line.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names {
        let examples = examples_of(&name);
        if !examples.is_empty() {
            command_line =
                command_line.mut_subcommand(name, |command| with_examples(command, examples));
        }
    }
    let help = overview(&command_line, terminal_columns().unwrap_or(100).min(100));
    command_line.long_version(version_text()).override_help(help)
}

fn with_examples(command: Command, examples: &[&str]) -> Command {
    let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let lines: Vec<String> = examples.iter().map(|line| format!("  {line}")).collect();
    command.after_help(format!("{before}Examples:\n{}", lines.join("\n")))
}

const USAGE: &str = "\
Usage: trajview [PATH]... opens the screen; trajview COMMAND [OPTIONS] [RUN]...
";

const AFTER_OVERVIEW: &str = "\
`trajview help COMMAND` lists options, `trajview help open` those of the screen.
Exit: 0 success, 1 failed check, 2 wrong arguments, 3 unreadable, 4 unparsable
";

/// Returns the help of the program: what it is for, and a line for each command, in groups.
fn overview(command_line: &Command, columns: usize) -> StyledStr {
    let all = || GROUPS.iter().flat_map(|group| group.commands.iter());
    let title_width = GROUPS.iter().map(|group| group.title.len()).max().unwrap_or_default() + 2;
    let name_width = all().map(|row| row.0.len()).max().unwrap_or_default() + 2;
    let about_width = columns.saturating_sub(title_width + name_width).max(20);
    let about_of = |command: Option<&Command>| {
        command.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
    };
    let mut text = format!("{}\n{USAGE}\n", about_of(Some(command_line)));
    for group in &GROUPS {
        let mut title = group.title;
        for row in group.commands {
            let mut name = row.0;
            for line in wrapped(&about_of(command_line.find_subcommand(row.0)), about_width) {
                text += &format!("{title:title_width$}{name:name_width$}{line}\n");
                (title, name) = ("", "");
            }
        }
    }
    text += &format!("\n{AFTER_OVERVIEW}");
    text.into()
}

/// Divides a sentence into lines of at most so many columns, if no word is longer.
fn wrapped(sentence: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            word.clone_into(line);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            *line = format!("{line} {word}");
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Print the help of a command, or explain a word
///
/// Words are the numbers, signs and terms of the screen, such as `erosion` or `◈`. Without a name this is `trajview --help`.
#[derive(Debug, clap::Args)]
pub struct HelpArgs {
    /// The name of a command, and of a command below it, such as `list keys`; or a word
    #[arg(value_name = "COMMAND|WORD")]
    names: Vec<String>,
}

pub fn run(args: &HelpArgs, out: &mut Out) -> CommandResult {
    let mut command_line = command_line();
    let mut command = &command_line;
    for name in &args.names {
        match command.find_subcommand(name) {
            Some(below) => command = below,
            None => return explain_word(&args.names.join(" "), command, out),
        }
    }
    let words = ["trajview"].into_iter().chain(args.names.iter().map(String::as_str));
    let help = command_line.try_get_matches_from_mut(words.chain(["--help"]));
    help.map_or_else(|help| help.print(), |_| Ok(()))?;
    Ok(Exit::Fine)
}

/// Prints the meanings of a word. The error names a similar command or word.
fn explain_word(word: &str, command: &Command, out: &mut Out) -> CommandResult {
    let explanations = glossary::explanations(word);
    if explanations.is_empty() {
        let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
        let known = commands.map(Command::get_name).chain(glossary::words());
        let near = closest_word(word, known).map(|near| format!("did you mean {near}? "));
        return Err(CommandFailure::wrong_arguments(format!(
            "no command or word is called {word}; {}`trajview help` lists the commands",
            near.unwrap_or_default()
        )));
    }
    for explanation in explanations {
        out.print_line(&format!("{}: {}", explanation.word, explanation.meaning))?;
        out.print_line(&format!("  {}", explanation.reference))?;
    }
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_place_in_the_groups_and_two_examples_of_its_own() {
        let listed: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).map(|row| row.0).collect();
        let mut defined = crate::cli::command_names();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        defined.sort();

        assert_eq!(sorted, defined);
        for name in listed.into_iter().filter(|name| *name != "open") {
            let examples = examples_of(name).iter();
            let is_own = |line: &&str| line.contains(&format!("trajview {name}"));
            assert_eq!(examples.filter(|line| is_own(line)).count(), 2, "{name}");
        }
    }

    #[test]
    fn the_overview_is_one_screen_at_100_columns_and_no_line_is_wider_than_80_there() {
        for (columns, rows) in [(100, 45), (80, 80)] {
            let text = overview(&CommandLine::command(), columns).to_string();
            assert!(text.lines().count() <= rows, "{} lines\n{text}", text.lines().count());
            let is_wide = |line: &&str| line.chars().count() > columns;
            assert_eq!(text.lines().find(is_wide), None);
        }
    }
}
