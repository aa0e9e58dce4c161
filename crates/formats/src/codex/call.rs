//! Tool calls as a person reads them: the main argument for a label, all of them for the page.

use std::borrow::Cow;

use crate::json_object::{self as json, JsonObject};
use crate::tape::{JsonTape, TapeValue};
use trajview_code::patch::{self, FilePatch};

/// The arguments that say what a call is about, best first.
const MAIN_ARGUMENT_KEYS: &str = "cmd command input patch path file_path query q explanation message prompt \
    objective url pattern code script chars text name task_name ref_id plan questions items target \
    agent_id id";

/// Returns the main argument of a call: the command without its shell, the files of a patch, the question.
pub fn main_argument(arguments: &str) -> String {
    let tape = JsonTape::parse(arguments);
    main_argument_of(arguments, &patch::patches_in_call(arguments), JsonObject::from_tape(&tape))
}

/// Returns the main argument as [`main_argument`] does, from a patch and an object that the caller has parsed.
pub fn main_argument_of(
    arguments: &str,
    files: &[FilePatch],
    object: Option<JsonObject<'_>>,
) -> String {
    if !files.is_empty() {
        return patch_paths(files);
    }
    match object {
        Some(fields) => main_argument_of_fields(&fields),
        None if arguments.contains("tools.") => main_call_of_script(arguments),
        None => arguments.to_owned(),
    }
}

fn main_argument_of_fields(fields: &JsonObject<'_>) -> String {
    let main = MAIN_ARGUMENT_KEYS
        .split_ascii_whitespace()
        .find_map(|key| fields.get(key))
        .map(argument_text);
    let first = || fields.fields().find_map(|(_, raw)| json::string_text(raw)).map(Cow::into_owned);
    main.filter(|text| !text.trim().is_empty()).or_else(first).unwrap_or_default()
}

/// Returns an argument as text: a command without the shell that runs it, of a plan its current item, other values as
/// JSON.
fn argument_text(raw: TapeValue<'_>) -> String {
    if raw.is_list() {
        return match json::list_elements(raw)
            .iter()
            .map(|item| json::string_text(*item))
            .collect::<Option<Vec<_>>>()
        {
            Some(argv) => command_without_shell(&argv),
            None => current_plan_item(raw),
        };
    }
    json::string_text(raw)
        .map_or_else(|| raw.get().to_owned(), |text| unwrap_shell(&text).to_owned())
}

/// Returns the item of a plan that is being worked on, else the first.
fn current_plan_item(raw: TapeValue<'_>) -> String {
    let items: Vec<_> =
        json::list_elements(raw).into_iter().filter_map(JsonObject::from_value).collect();
    let is_current = |item: &&JsonObject<'_>| item.text("status").as_deref() == Some("in_progress");
    let item = items.iter().find(is_current).or(items.first());
    let text = item.and_then(|item| item.first_text(&["step", "text", "question", "title"]));
    text.map(Cow::into_owned).unwrap_or_default()
}

/// Returns an argument list as one line, without the shell that runs it.
pub fn command_without_shell(argv: &[Cow<'_, str>]) -> String {
    match argv {
        [shell, flag, script] if is_shell(shell) && flag.starts_with('-') => script.to_string(),
        argv => argv.join(" "),
    }
}

/// Returns an argument list of a record's field, or the command where it is one string.
pub fn command_text(raw: TapeValue<'_>) -> String {
    argument_text(raw)
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    matches!(name.trim_end_matches(".exe"), "bash" | "sh" | "zsh" | "fish" | "pwsh" | "powershell")
}

/// Returns `ls` for `/bin/bash -lc 'ls'`.
pub fn unwrap_shell(command: &str) -> &str {
    let mut words = command.splitn(3, ' ');
    let (Some(shell), Some(flag), Some(script)) = (words.next(), words.next(), words.next()) else {
        return command;
    };
    if !is_shell(shell) || !matches!(flag, "-lc" | "-c" | "-Command") {
        return command;
    }
    let quoted = ['\'', '"'].into_iter().find_map(|quote| {
        script
            .trim()
            .strip_prefix(quote)?
            .strip_suffix(quote)
            .filter(|inner| !inner.contains(quote))
    });
    quoted.unwrap_or(script)
}

/// Returns the first action of a code-mode script: the command that it runs, or the tool that it calls.
fn main_call_of_script(script: &str) -> String {
    if let Some(command) = commands_in_script(script).into_iter().next() {
        return command;
    }
    let plain = patch::without_comments(script);
    let call = plain.split("tools.").nth(1).unwrap_or(script);
    call.lines().next().unwrap_or_default().to_owned()
}

/// Returns the commands that a code-mode script passes to `exec_command`.
pub fn commands_in_script(script: &str) -> Vec<String> {
    let script = patch::without_comments(script);
    let calls = script.split("exec_command(").skip(1);
    calls
        .filter_map(|call| {
            let argument = call.split_once("cmd")?.1.trim_start_matches(['"', '\'']);
            let literal = argument.trim_start().strip_prefix(':')?.trim_start();
            patch::string_literal(literal)
        })
        .collect()
}

/// Returns the paths of a patch in short: `a.py` or `a.py and 2 more`.
pub fn patch_paths(files: &[FilePatch]) -> String {
    first_and_count(files.iter().map(|file| file.path.as_str()))
}

/// Returns the first path and how many more there are.
pub fn first_and_count<'a>(mut paths: impl Iterator<Item = &'a str>) -> String {
    let first = paths.next().unwrap_or_default();
    match paths.count() {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    }
}

/// Returns all arguments as a person would read them: a command or a patch as it is, else indented JSON.
pub fn readable_arguments(arguments: &str) -> String {
    let tape = JsonTape::parse(arguments);
    let Some(fields) = JsonObject::from_tape(&tape) else { return arguments.to_owned() };
    let main_value = ["cmd", "command", "input", "patch"].iter().find_map(|key| fields.get(key));
    match main_value {
        Some(raw) => argument_text(raw),
        None => serde_json::from_str::<serde_json::Value>(arguments)
            .map_or_else(|_| arguments.to_owned(), |value| format!("{value:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_labelled_by_what_it_does() {
        let labels = [
            (r#"{"command":["bash","-lc","ls -la"]}"#, "ls -la"),
            (r#"{"command":["ls","-la"]}"#, "ls -la"),
            (r#"{"workdir":"/w","cmd":"make"}"#, "make"),
            (
                "{\"plan\":[{\"step\":\"a\",\"status\":\"completed\"},{\"step\":\"b\",\"status\":\"in_progress\"}]}",
                "b",
            ),
            ("const r = await tools.exec_command({cmd: \"ls \\\"x\\\"\"});\ntext(r)", "ls \"x\""),
            (
                "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch",
                "a and 1 more",
            ),
        ];
        for (arguments, label) in labels {
            assert_eq!(main_argument(arguments), label, "{arguments}");
        }
    }

    #[test]
    fn a_command_is_shown_without_the_shell_that_runs_it() {
        assert_eq!(unwrap_shell("/bin/bash -lc 'ls -la'"), "ls -la");
        assert_eq!(unwrap_shell("/bin/bash -lc true"), "true");
        assert_eq!(unwrap_shell("git log"), "git log");
    }
}
