//! Reads the state before the first turn from `run.json`: the files, their origin, and the commands that prepared them.

use serde_json::{Map, Value};

use trajview_run::Run;

use super::turn_values::non_blank_field;
use crate::json_object::JsonFields;

/// Adds the commit that the run starts from, and sentences that describe it.
pub fn complete_start(run: &mut Run, start: Option<&Value>) {
    let Some(start) = start.and_then(Value::as_object) else { return };
    let setup = || start.elements_of("setup").iter();
    let made = setup().rev().find_map(|row| non_blank_field(row.as_object()?, "commit"));
    run.origin.start_commit = made.or_else(|| non_blank_field(start, "commit"));
    let mut sentences: Vec<String> = vec![];
    if let Some(source) = start.object("source") {
        sentences.extend(origin_sentences(source));
    }
    sentences.extend(left_out_sentence(
        start.get("not_recorded"),
        "not recorded, as .gitignore names them",
    ));
    sentences.extend(setup().filter_map(|row| command_sentence(row.as_object()?)));
    run.origin.record.start = sentences;
}

fn origin_sentences(source: &Map<String, Value>) -> Vec<String> {
    let mut parts = vec![];
    let place = non_blank_field(source, "repository").or_else(|| non_blank_field(source, "folder"));
    parts.extend(place.map(|place| match non_blank_field(source, "revision") {
        Some(revision) => format!("{place} at {revision}"),
        None => place,
    }));
    parts.extend(non_blank_field(source, "asked").map(|asked| format!("asked for as {asked}")));
    let count = |name: &str| source.number(name);
    parts.extend(count("changed").map(|count| match count {
        0 => "unchanged since".to_owned(),
        1 => "1 file changed since".to_owned(),
        count => format!("{count} files changed since"),
    }));
    parts.extend(count("files").map(|count| format!("{count} files")));
    let has_history = source.flag("has_history") == Some(true);
    parts.extend(has_history.then(|| "with its history".to_owned()));
    let mut sentences = vec![];
    sentences.extend((!parts.is_empty()).then(|| parts.join(", ")));
    sentences.extend(left_out_sentence(source.get("ignored"), "ignored and not copied"));
    sentences
}

/// The number of names in a sentence.
const MAX_NAMES: usize = 5;

fn left_out_sentence(value: Option<&Value>, words: &str) -> Option<String> {
    let count = value?.number("count").filter(|count| *count > 0)?;
    let names = value?.elements_of("names").iter();
    let names: Vec<&str> = names.filter_map(Value::as_str).take(MAX_NAMES).collect();
    let more = if count > names.len() as u64 { ", …" } else { "" };
    Some(format!("{count} {words}: {}{more}", names.join(", ")))
}

fn command_sentence(row: &Map<String, Value>) -> Option<String> {
    let command = non_blank_field(row, "command")?;
    let mut parts = vec![format!("setup `{command}`")];
    parts.extend(non_blank_field(row, "exit"));
    let seconds = row.float("seconds").filter(|it| it.is_finite());
    parts.extend(seconds.map(|seconds| format!("{seconds:.1} s")));
    let changed = row.list("changed").map(Vec::len);
    parts.extend(changed.map(|count| match count {
        1 => "1 file changed".to_owned(),
        count => format!("{count} files changed"),
    }));
    Some(parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_start(text: &str) -> (Option<String>, Vec<String>) {
        let mut run = Run::default();
        complete_start(&mut run, serde_json::from_str::<Value>(text).unwrap().get("start"));
        (run.origin.start_commit, run.origin.record.start)
    }

    #[test]
    fn the_state_before_turn_1_is_told_with_where_it_came_from_and_what_prepared_it() {
        let (commit, sentences) = read_start(
            r#"{"start": {"commit": "b", "not_recorded": {"count": 0, "names": []},
                "source": {"repository": "../r", "revision": "4f", "changed": 1, "files": 7, "has_history": true,
                           "ignored": {"count": 7, "names": ["a/", "b", "c", "d", "e", "f"]}},
                "setup": [{"command": "make", "exit": "exit code 0", "seconds": 1.25, "commit": "s", "changed": ["x"]},
                          {"command": "no", "exit": "exit code 1", "seconds": 0.5, "commit": null}]}}"#,
        );

        assert_eq!(commit.as_deref(), Some("s"));
        assert_eq!(
            sentences,
            [
                "../r at 4f, 1 file changed since, 7 files, with its history",
                "7 ignored and not copied: a/, b, c, d, e, …",
                "setup `make`, exit code 0, 1.2 s, 1 file changed",
                "setup `no`, exit code 1, 0.5 s",
            ]
        );
    }

    #[test]
    fn whatever_stands_there_is_read_without_harm() {
        assert_eq!(read_start(r#"{"start": 3}"#), (None, vec![]));
        assert_eq!(read_start(r#"{"start": {"setup": [1, {}], "source": []}}"#), (None, vec![]));
        let text =
            r#"{"start": {"commit": 4, "not_recorded": {"count": -1}, "source": {"files": "x"}}}"#;
        assert_eq!(read_start(text), (None, vec![]));
    }
}
