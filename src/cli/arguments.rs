//! The words of the command line before they are parsed: options before a command.

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, Command};

/// The words to parse, and what was taken out of them.
#[derive(Debug, PartialEq)]
pub struct ArrangedArguments {
    pub words: Vec<OsString>,
    /// The settings file that was named before a command without an option for one.
    pub settings_file: Option<PathBuf>,
}

/// Moves options before a command behind its name, since every option belongs to a command:
/// `trajview --config FILE show RUN` is `trajview show --config FILE RUN`. All commands read the settings, so that
/// `--config FILE` before one that has no such option names the file for the whole program.
pub(crate) fn arrange_arguments(
    command_line: &Command,
    words: impl IntoIterator<Item = OsString>,
) -> ArrangedArguments {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let mut settings_file = None;
    let options = leading_options(command_line, &words);
    let end = 1 + options.iter().sum::<usize>();
    let command = words.get(end).and_then(|word| command_line.find_subcommand(word));
    if let Some(command) = command.filter(|_| !options.is_empty()) {
        let takes_file = |arg: &Arg| arg.get_long() == Some("config") && takes_value(arg);
        let is_moved = command.get_arguments().any(takes_file);
        let mut option_words = words.drain(1..end);
        let mut moved = vec![];
        for count in options {
            let option: Vec<OsString> = option_words.by_ref().take(count).collect();
            match config_file(&option).filter(|_| !is_moved) {
                Some(file) => settings_file = Some(file),
                None => moved.extend(option),
            }
        }
        drop(option_words);
        words.splice(2..2, moved);
    }
    ArrangedArguments { words, settings_file }
}

/// Returns the numbers of words of the options at the beginning of a command line: 2 for an option with its value.
fn leading_options(command_line: &Command, words: &[OsString]) -> Vec<usize> {
    let mut options = vec![];
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        if !word.starts_with('-') || matches!(word, "-" | "--") {
            break;
        }
        let with_value = command_line.get_arguments().any(|arg| {
            let is_long = arg.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long));
            let aliases = arg.get_all_aliases().unwrap_or_default();
            let is_alias = aliases.iter().any(|alias| word.strip_prefix("--") == Some(*alias));
            (is_long || is_alias) && takes_value(arg)
        });
        let count = if with_value { 2 } else { 1 };
        options.push(count);
        at += count;
    }
    options
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// Returns the file that `--config FILE` or `--config=FILE` names.
fn config_file(option: &[OsString]) -> Option<PathBuf> {
    match option {
        [name, file] if name == "--config" => Some(file.into()),
        [word] => word.to_str()?.strip_prefix("--config=").map(PathBuf::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help::command_line;

    fn arranged(line: &str) -> (String, Option<PathBuf>) {
        let words = line.split(' ').map(OsString::from);
        let arranged = arrange_arguments(&command_line(), words);
        let words: Vec<_> = arranged.words.iter().map(|word| word.to_string_lossy()).collect();
        (words.join(" "), arranged.settings_file)
    }

    #[test]
    fn options_before_a_command_stand_behind_its_name() {
        let file = Some(PathBuf::from("f"));
        for (line, words, settings_file) in [
            ("trajview --config f show RUN", "trajview show RUN", file.clone()),
            ("trajview --config=f show RUN", "trajview show RUN", file),
            ("trajview --config f judge RUN", "trajview judge --config f RUN", None),
            ("trajview --profile p score RUN", "trajview score --profile p RUN", None),
            ("trajview --help show", "trajview show --help", None),
            ("trajview --theme dark RUN show", "trajview --theme dark RUN show", None),
            ("trajview --config show RUN", "trajview --config show RUN", None),
            ("trajview -- show", "trajview -- show", None),
            ("trajview show RUN", "trajview show RUN", None),
        ] {
            assert_eq!(arranged(line), (words.to_owned(), settings_file), "{line}");
        }
    }
}
