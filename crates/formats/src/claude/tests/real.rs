//! Recorded logs of every version.

#![allow(clippy::disallowed_methods)] // tests may read the disk

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{head_of_file, index_all};
use crate::{Format, claude_session::ClaudeSession, claude_stream::ClaudeStream};
use trajview_run::{
    Edit, EditKind, Run, Step, StepKind,
    files::{RecordedChange, RecordedEdit},
};
use trajview_testing::real_data;

/// A recording: its main file and its companions.
struct RealRecording {
    files: Vec<(String, Vec<u8>)>,
    run: Run,
}

impl RealRecording {
    fn open(format: &dyn Format, main: &Path) -> Self {
        let name = main.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(main).unwrap();
        assert!(format.claims_file(&head_of_file(&name, &bytes)), "{name} is not claimed");
        let mut files = vec![(name.clone(), bytes)];
        let below = main.with_extension("");
        let near = [main.parent().unwrap().to_owned(), below.clone(), below.join("subagents")];
        for folder in near {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            for path in paths.into_iter().filter(|path| path.is_file() && path != main) {
                let other = path.file_name().unwrap().to_string_lossy().into_owned();
                let bytes = std::fs::read(&path).unwrap();
                if format
                    .is_companion(&head_of_file(&name, &files[0].1), &head_of_file(&other, &bytes))
                {
                    files.push((other, bytes));
                }
            }
        }
        let borrowed: Vec<(&str, &[u8])> =
            files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let run = index_all(format, &borrowed);
        Self { files, run }
    }

    fn all_steps(&self) -> impl Iterator<Item = &Step> {
        let turns = self.run.turns.iter().flat_map(|turn| &turn.steps);
        turns.chain(self.run.subagents.iter().flat_map(|agent| &agent.steps))
    }

    fn all_edits(&self) -> impl Iterator<Item = &Edit> {
        self.all_steps().flat_map(|step| &step.edits)
    }

    fn edit_body(&self, format: &dyn Format, edit: &Edit) -> Option<RecordedEdit> {
        format.recorded_edit(edit.place.bytes_in(&self.files[edit.place.source.0 as usize].1), edit)
    }

    fn summary_line(&self) -> String {
        let count = |kind| self.all_steps().filter(|step| step.kind == kind).count();
        let tokens = self.run.tokens();
        format!(
            "{}: {} turns, {} steps, {} edits, {} agents, {} compactions, {} unknown, out {:?}, in {:?}, {} warnings",
            self.files[0].0,
            self.run.turns.len(),
            self.all_steps().count(),
            self.all_edits().count(),
            self.run.subagents.len(),
            count(StepKind::Compaction),
            count(StepKind::Unknown),
            tokens.output.unwrap_or_default(),
            tokens.input.unwrap_or_default(),
            self.run.warnings.len(),
        )
    }
}

/// Files below `folder` whose path ends with `ending`, sorted.
fn files_below(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if wanted(&path.to_string_lossy()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn recorded_sessions(data: &Path) -> Vec<RealRecording> {
    let recorded = files_below(&data.join("recorded"), &|path| {
        path.contains("claude-") && path.ends_with(".session.jsonl")
    });
    recorded.iter().map(|path| RealRecording::open(&ClaudeSession, path)).collect()
}

fn collected_sessions(data: &Path) -> Vec<RealRecording> {
    let found = files_below(&data.join("claude-code"), &|path| {
        path.ends_with(".jsonl") && !path.contains("/subagents/")
    });
    found.iter().map(|path| RealRecording::open(&ClaudeSession, path)).collect()
}

fn recorded_streams(data: &Path) -> Vec<RealRecording> {
    let mut found = files_below(&data.join("recorded"), &|path| path.contains(".stream-"));
    found.extend(files_below(&data.join("slopcodebench"), &|path| {
        path.ends_with("agent/stdout.jsonl")
    }));
    found.iter().map(|path| RealRecording::open(&ClaudeStream, path)).collect()
}

fn all_recordings(data: &Path) -> Vec<RealRecording> {
    let mut all = recorded_sessions(data);
    all.extend(collected_sessions(data));
    all.extend(recorded_streams(data));
    all
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_recorded_log_is_read_without_a_warning_or_an_unknown_step() {
    let data = real_data();

    for recording in all_recordings(&data) {
        println!("{}", recording.summary_line());
        assert_eq!(recording.run.warnings, [], "{}", recording.files[0].0);
        let unknown: Vec<_> =
            recording.all_steps().filter(|step| step.kind == StepKind::Unknown).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", recording.files[0].0);
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn recorded_runs_look_as_they_did() {
    let data = real_data();
    let recorded = data.join("recorded");

    for version in ["1.0.128", "2.1.330"] {
        let session = recorded.join(format!("claude-{version}.session.jsonl"));
        let session = RealRecording::open(&ClaudeSession, &session).run;
        insta::assert_snapshot!(format!("session-{version}"), super::run_summary(&session));
        let stream = recorded.join(format!("claude-{version}.stream-turn8-compact.jsonl"));
        let stream = RealRecording::open(&ClaudeStream, &stream).run;
        insta::assert_snapshot!(format!("stream-{version}"), super::run_summary(&stream));
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn the_same_twelve_requests_are_read_from_every_version() {
    let data = real_data();
    let full = recorded_sessions(&data)
        .into_iter()
        .filter(|recording| !recording.files[0].0.contains("autocompact"));

    let titles: Vec<Vec<Box<str>>> = full
        .map(|recording| recording.run.turns.iter().map(|turn| turn.title.clone()).collect())
        .collect();

    assert_eq!(titles.len(), 6);
    assert_eq!(titles[0].len(), 12);
    assert!(titles.iter().all(|others| *others == titles[0]), "{titles:#?}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_version_tells_of_the_same_files_as_far_as_it_sees_them() {
    let data = real_data();
    let full = recorded_sessions(&data)
        .into_iter()
        .filter(|recording| !recording.files[0].0.contains("autocompact"));
    let by_tool = |recording: &RealRecording| -> BTreeSet<String> {
        let steps = recording.all_steps().filter(|step| {
            step.tool.as_ref().is_some_and(|tool| ["Write", "Edit"].contains(&&*tool.name))
        });
        steps.flat_map(|step| &step.edits).map(|edit| edit.path.to_string()).collect()
    };

    let files: Vec<BTreeSet<String>> = full.map(|recording| by_tool(&recording)).collect();

    assert!(!files[0].is_empty());
    assert!(files.iter().all(|others| *others == files[0]), "{files:#?}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_edit_has_a_body_and_every_place_a_record() {
    let data = real_data();

    for recording in all_recordings(&data) {
        let format: &dyn Format = if recording.run.origin.format == "claude-code" {
            &ClaudeSession
        } else {
            &ClaudeStream
        };
        for edit in recording.all_edits() {
            let body = recording.edit_body(format, edit);
            assert!(body.is_some(), "{}: {edit:?}", recording.files[0].0);
        }
        for step in recording.all_steps() {
            let of = |place: trajview_run::RecordPlace| {
                place.bytes_in(&recording.files[place.source.0 as usize].1)
            };
            let words = format.step_text(of(step.place), step);
            let said =
                [words.text.as_str(), words.arguments.as_deref().unwrap_or_default()].concat();
            assert!(!said.is_empty(), "{}: {step:?}", recording.files[0].0);
            if let Some(result) = step.tool_result() {
                let shown = format.result_text(of(result.place), result);
                assert_eq!(shown.len() as u64, result.bytes, "{step:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn edits_replayed_one_after_the_other_give_the_recorded_originals() {
    let data = real_data();

    for recording in all_recordings(&data) {
        let format: &dyn Format = if recording.run.origin.format == "claude-code" {
            &ClaudeSession
        } else {
            &ClaudeStream
        };
        let mut files = std::collections::BTreeMap::<String, String>::new();
        let (mut same, mut different, mut first_seen) = (0, 0, 0);
        for edit in recording.all_edits() {
            let body = recording.edit_body(format, edit).unwrap();
            let path = edit.path.to_string();
            if let Some(before) = &body.before {
                match files.get(&path) {
                    Some(known) if known == before => same += 1,
                    Some(_) => different += 1,
                    None => first_seen += 1,
                }
            }
            if let Some(from) = &edit.from
                && let Some(content) = files.remove(&from.to_string())
            {
                files.insert(path.clone(), content);
            }
            let before = body.before.or_else(|| files.get(&path).cloned());
            match body.change {
                RecordedChange::Write(content) => drop(files.insert(path, content)),
                RecordedChange::Replace(swaps) => {
                    let mut content = before.unwrap_or_default();
                    for swap in swaps {
                        content = if swap.all {
                            content.replace(&swap.old, &swap.new)
                        } else {
                            content.replacen(&swap.old, &swap.new, 1)
                        };
                    }
                    files.insert(path, content);
                }
                RecordedChange::Delete => drop(files.remove(&path)),
                // Not ours to apply: forget what we knew.
                RecordedChange::Patch(_) if edit.kind == EditKind::Rename => {}
                RecordedChange::Patch(_) | RecordedChange::NotRecorded | RecordedChange::Binary => {
                    drop(files.remove(&path))
                }
            }
        }
        println!(
            "{}: {same} same, {different} different, {first_seen} first seen",
            recording.files[0].0
        );
        assert_eq!(different, 0, "{}", recording.files[0].0);
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn tokens_of_a_long_session_are_counted_once_a_message() {
    let data = real_data();

    let music =
        RealRecording::open(&ClaudeSession, &data.join("claude-code/session-ai-music.jsonl"));

    // 73 assistant lines of 62 messages; every line counted, it would be 16,805.
    assert_eq!(music.run.tokens().output, Some(16_769));
}
