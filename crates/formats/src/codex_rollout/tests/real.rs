//! Real logs, where there are some: `TRAJVIEW_REAL_DATA` names their folder.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // tests may read the disk

use std::{collections::BTreeSet, fs};

use super::{head_of_log, index_log, run_text};
use crate::{Format, SourceBytes, codex_rollout::CodexRollout, format_for_head};
use trajview_run::{EditKind, Run, StepKind};
use trajview_testing::real_data;

/// Returns the real log of that name.
fn read_real_log(name: &str) -> String {
    fs::read_to_string(real_data().join(name)).unwrap()
}

const CODE_MODE: &str = "recorded/codex-0.169.0-12turn-gpt-6-sol-codemode.rollout0.jsonl";
const CODE_MODE_CHILD: &str = "recorded/codex-0.169.0-12turn-gpt-6-sol-codemode.rollout1.jsonl";
const WITH_CHILD: &str = "recorded/codex-0.130.0-12turn.rollout0.jsonl";
const CHILD: &str = "recorded/codex-0.130.0-12turn.rollout1.jsonl";
const EVERY_KIND: &str = "codex/rollout-every-record-kind.jsonl";
const DRIFTING: &str = "codex/rollout-schema-drift.jsonl";

/// The same session, as seven versions tell it.
const TWELVE: [&str; 7] = [
    "recorded/codex-0.50.0-12turn.rollout0.jsonl",
    "recorded/codex-0.80.0-12turn.rollout0.jsonl",
    "recorded/codex-0.104.0-12turn.rollout0.jsonl",
    WITH_CHILD,
    "recorded/codex-0.150.0-12turn.rollout0.jsonl",
    "recorded/codex-0.169.0-12turn-gpt-5.5.rollout0.jsonl",
    CODE_MODE,
];

const OTHERS: [&str; 6] = [
    CODE_MODE_CHILD,
    CHILD,
    "recorded/codex-0.104.0-autocompact.rollout0.jsonl",
    "recorded/codex-0.169.0-autocompact-gpt-5.5.rollout0.jsonl",
    EVERY_KIND,
    DRIFTING,
];

const REQUESTS: [&str; 12] = [
    "Create a Python package called tinycalc with add and sub in a core module.",
    "Now add unit tests for both functions and run them.",
    "Add a div function. Division by zero should raise ValueError, not ZeroDivisionError. Test it.",
    "Rename core.py to ops.py; core is too vague a name.",
    "Let's plan before we go on: I want a command line, an expression parser and documentation.",
    "Do the command line first: `python -m tinycalc add 2 3` prints 5.",
    "I never asked for legacy_cli.sh. Delete it.",
    "Have someone else review the package for missing edge cases before the parser.",
    "Now the parser: evaluate(\"1 + 6 / 2\") must give 4.0.",
    "Which Python versions does this need? Just answer, don't change anything.",
    "Write a README with usage examples, and show me a big multiplication-free table to check nothing is slow.",
    "Run everything one last time and tell me whether we are done.",
];

fn index_family(main: &str, child: &str) -> Run {
    let (main, child) = (read_real_log(main), read_real_log(child));
    let sources = [
        SourceBytes { name: "main.jsonl", bytes: main.as_bytes() },
        SourceBytes { name: "child.jsonl", bytes: child.as_bytes() },
    ];
    CodexRollout.index_run(&sources).unwrap()
}

/// Returns the changed files turn by turn; a second Add of the same file counts as one.
fn changed_files(run: &Run) -> Vec<Vec<(EditKind, String)>> {
    let of_turn = |turn: &trajview_run::Turn| {
        let edits = turn.steps.iter().flat_map(|step| &step.edits);
        edits.map(|edit| (edit.kind, edit.path.to_string())).collect()
    };
    run.turns.iter().map(of_turn).collect()
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_real_log_is_claimed_and_read_without_a_warning() {
    for name in TWELVE.iter().chain(&OTHERS) {
        let log = read_real_log(name);

        let file = name.rsplit('/').next().unwrap();
        let claimed = format_for_head(&head_of_log(file, &log)).map(Format::name);
        assert_eq!(claimed, Some("codex-rollout"), "{name}");
        assert_eq!(index_log(&log).warnings, [], "{name}");
        assert!(index_log(&log).turns.iter().all(|turn| turn.request.is_some()), "{name}");
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_version_tells_the_same_twelve_requests_and_files() {
    let log = read_real_log(TWELVE[0]);
    let first = index_log(&log);

    for name in TWELVE {
        let log = read_real_log(name);
        let run = index_log(&log);
        let titles: Vec<_> = run.turns.iter().map(|turn| &*turn.title).collect();
        assert_eq!(titles, REQUESTS, "{name}");
        assert_eq!(changed_files(&run), changed_files(&first), "{name}");
        assert!(changed_files(&run).iter().flatten().count() > 10, "{name}");
        for (turn, wanted) in run.turns.iter().zip(REQUESTS) {
            let place = turn.request.unwrap();
            assert_eq!(CodexRollout.request_text(place.bytes_in(log.as_bytes())), wanted, "{name}");
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn no_record_kind_of_a_real_log_is_unknown() {
    for name in TWELVE.iter().chain(&OTHERS) {
        let log = read_real_log(name);
        let run = index_log(&log);
        let steps = run.turns.iter().flat_map(|turn| &turn.steps);
        let unknown = steps.filter(|step| step.kind == StepKind::Unknown);
        assert_eq!(
            unknown.map(|step| &step.label).collect::<BTreeSet<_>>(),
            BTreeSet::new(),
            "{name}"
        );
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn the_size_of_an_observation_is_that_of_its_text() {
    for name in TWELVE.iter().chain(&OTHERS) {
        let log = read_real_log(name);
        let run = index_log(&log);
        for result in
            run.turns.iter().flat_map(|turn| &turn.steps).filter_map(|step| step.tool_result())
        {
            let text = CodexRollout.result_text(result.place.bytes_in(log.as_bytes()), result);
            assert_eq!(text.len() as u64, result.bytes, "{name}:{}", result.place.line);
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_edit_of_a_real_log_has_a_body() {
    use trajview_run::files::RecordedChange;
    for name in TWELVE {
        let log = read_real_log(name);
        let run = index_log(&log);
        for edit in run.turns.iter().flat_map(|turn| &turn.steps).flat_map(|step| &step.edits) {
            let body =
                CodexRollout.recorded_edit(edit.place.bytes_in(log.as_bytes()), edit).unwrap();
            let is_right = match (&body.change, edit.kind) {
                (RecordedChange::Write(text), EditKind::Create) => !text.is_empty(),
                (RecordedChange::Patch(hunks), EditKind::Modify) => !hunks.is_empty(),
                _ => false,
            };
            assert!(is_right, "{name}:{} {body:?}", edit.place.line);
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn recorded_edits_replayed_give_the_same_file_in_every_version() {
    use trajview_run::files::RecordedChange;
    let mut last: Option<String> = None;
    for name in TWELVE {
        let log = read_real_log(name);
        let run = index_log(&log);
        let mut text = String::new();
        let edits = run.turns[..3].iter().flat_map(|turn| &turn.steps).flat_map(|step| &step.edits);
        for edit in edits.filter(|edit| edit.path.as_str() == "tinycalc/core.py") {
            match CodexRollout
                .recorded_edit(edit.place.bytes_in(log.as_bytes()), edit)
                .unwrap()
                .change
            {
                RecordedChange::Write(content) => text = content,
                RecordedChange::Patch(hunks) => {
                    text = trajview_code::patch::apply_hunks(&text, &hunks).unwrap()
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(text.contains("raise ValueError"), "{name}: {text}");
        assert_eq!(*last.get_or_insert(text.clone()), text, "{name}");
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_childs_log_is_a_companion_of_its_parents_only() {
    let (main, child) = (read_real_log(CODE_MODE), read_real_log(CODE_MODE_CHILD));
    let (old, old_child) = (read_real_log(WITH_CHILD), read_real_log(CHILD));
    let is = |main: &str, other: &str| {
        CodexRollout.is_companion(&head_of_log("a", main), &head_of_log("b", other))
    };

    assert!(is(&main, &child) && is(&old, &old_child));
    assert!(!is(&child, &main) && !is(&main, &old_child) && !is(&main, &main));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_sub_agent_hangs_on_the_step_that_started_it_without_its_parents_history() {
    for (main, child) in [(CODE_MODE, CODE_MODE_CHILD), (WITH_CHILD, CHILD)] {
        let run = index_family(main, child);

        let alone = index_log(&read_real_log(main));
        let agent = &run.subagents[0];
        let parent = agent.parent.unwrap();
        let step = &run.turns[parent.turn].steps[parent.step];
        assert_eq!(
            (parent.turn, step.kind, step.subagent),
            (7, StepKind::SubAgent, Some(0)),
            "{main}"
        );
        assert!(agent.title.starts_with("Review the tinycalc package"), "{}", agent.title);
        assert_eq!(agent.steps.len(), 3, "{main}");
        let grown = run.turns[7].tokens.output.unwrap() - alone.turns[7].tokens.output.unwrap();
        assert_eq!(Some(grown), agent.tokens.output, "{main}");
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_session_with_a_sub_agent_reads_well() {
    let run = index_family(CODE_MODE, CODE_MODE_CHILD);

    insta::assert_snapshot!(run_text(&run));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_compacted_session_reads_well() {
    let log = read_real_log(OTHERS[3]);

    insta::assert_snapshot!(run_text(&index_log(&log)));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn an_early_session_reads_well() {
    let log = read_real_log(TWELVE[0]);

    insta::assert_snapshot!(run_text(&index_log(&log)));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_log_of_every_record_kind_reads_well() {
    let log = read_real_log(EVERY_KIND);

    insta::assert_snapshot!(run_text(&index_log(&log)));
}
