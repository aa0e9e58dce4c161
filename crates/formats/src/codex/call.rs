//! Tool calls as a person reads them: the main argument for a label, all of them for the page.

use std::borrow::Cow;

use crate::object::{self as json, Object};
use crate::tape::{Tape, Value};
use trajview_code::patch::{self, FilePatch};

/// The arguments that say what a call is about, best first.
const MAIN: &str = "cmd command input patch path file_path query q explanation message prompt \
    objective url pattern code script chars text name task_name ref_id plan questions items target \
    agent_id id";

/// The call's main argument: the command without its shell, the files of a patch, the question asked.
pub fn main_argument(arguments: &str) -> String {
    let tape = Tape::read(arguments);
    main_argument_of(arguments, &patch::in_call(arguments), Object::on(&tape))
}

/// As [`main_argument`], where the patch in them and the object they are were looked for before.
pub fn main_argument_of(
    arguments: &str,
    files: &[FilePatch],
    object: Option<Object<'_>>,
) -> String {
    if !files.is_empty() {
        return paths(files);
    }
    match object {
        Some(fields) => of_fields(&fields),
        None if arguments.contains("tools.") => of_script(arguments),
        None => arguments.to_owned(),
    }
}

fn of_fields(fields: &Object<'_>) -> String {
    let main = MAIN.split_ascii_whitespace().find_map(|key| fields.get(key)).map(value);
    let first = || fields.fields().find_map(|(_, raw)| json::text(raw)).map(Cow::into_owned);
    main.filter(|text| !text.trim().is_empty()).or_else(first).unwrap_or_default()
}

fn value(raw: Value<'_>) -> String {
    if raw.is_list() {
        return match json::array(raw)
            .iter()
            .map(|item| json::text(*item))
            .collect::<Option<Vec<_>>>()
        {
            Some(argv) => command(&argv),
            None => steps(raw),
        };
    }
    json::text(raw).map_or_else(|| raw.get().to_owned(), |text| unwrapped(&text).to_owned())
}

/// The item of a plan that is being worked on, else the first.
fn steps(raw: Value<'_>) -> String {
    let items: Vec<_> = json::array(raw).into_iter().filter_map(Object::of).collect();
    let is_current = |item: &&Object<'_>| item.text("status").as_deref() == Some("in_progress");
    let item = items.iter().find(is_current).or(items.first());
    let text = item.and_then(|item| item.text_of(&["step", "text", "question", "title"]));
    text.map(Cow::into_owned).unwrap_or_default()
}

/// An argument list as one line, without the shell that runs it.
pub fn command(argv: &[Cow<'_, str>]) -> String {
    match argv {
        [shell, flag, script] if is_shell(shell) && flag.starts_with('-') => script.to_string(),
        argv => argv.join(" "),
    }
}

/// An argument list of a record's field, or the command where it is one string.
pub fn command_of(raw: Value<'_>) -> String {
    value(raw)
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    matches!(name.trim_end_matches(".exe"), "bash" | "sh" | "zsh" | "fish" | "pwsh" | "powershell")
}

/// `/bin/bash -lc 'ls'` as `ls`.
pub fn unwrapped(command: &str) -> &str {
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

/// What a code-mode script does first: the command it runs, or the tool it calls.
fn of_script(script: &str) -> String {
    if let Some(command) = commands_in_script(script).into_iter().next() {
        return command;
    }
    let plain = patch::without_comments(script);
    let call = plain.split("tools.").nth(1).unwrap_or(script);
    call.lines().next().unwrap_or_default().to_owned()
}

/// The commands that a code-mode script hands to `exec_command`.
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

/// `a.py` or `a.py and 2 more`.
pub fn paths(files: &[FilePatch]) -> String {
    listed(files.iter().map(|file| file.path.as_str()))
}

/// The first path and how many more there are.
pub fn listed<'a>(mut paths: impl Iterator<Item = &'a str>) -> String {
    let first = paths.next().unwrap_or_default();
    match paths.count() {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    }
}

/// All arguments as a person would read them: a command or a patch as it is, else indented JSON.
pub fn readable(arguments: &str) -> String {
    let tape = Tape::read(arguments);
    let Some(fields) = Object::on(&tape) else { return arguments.to_owned() };
    let told = ["cmd", "command", "input", "patch"].iter().find_map(|key| fields.get(key));
    match told {
        Some(raw) => value(raw),
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
        assert_eq!(unwrapped("/bin/bash -lc 'ls -la'"), "ls -la");
        assert_eq!(unwrapped("/bin/bash -lc true"), "true");
        assert_eq!(unwrapped("git log"), "git log");
    }
}
