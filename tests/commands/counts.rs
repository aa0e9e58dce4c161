//! What the real logs tell, against tests/vectors/counts.json: `tests/vectors/counts.py` counts the same without us.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde::Deserialize;
use trajview::{
    run::{Role, Run, Step, StepKind},
    store,
};

use crate::common::{project_path, real_data};

/// Of one run; None for what the log does not tell, or what the script does not count.
#[derive(Debug, PartialEq, Deserialize)]
struct Counts {
    turns: Option<usize>,
    said: Option<usize>,
    thought: Option<usize>,
    tools: Option<usize>,
    edits: Option<usize>,
    input: Option<u64>,
    output: Option<u64>,
}

/// What no script counts: files that were made to hold one record of every kind, or whose ids were all made the same, so that
/// to count them is to read them as we do; and a folder of a harness, whose logs are counted where they stand alone.
const UNCOUNTED: [&str; 7] = [
    "antigravity/transcript.jsonl",
    "claude-code/session-schema-drift.jsonl",
    "codex/rollout-every-record-kind.jsonl",
    "codex/rollout-schema-drift.jsonl",
    "copilot-cli/events.jsonl",
    "kimi/wire.jsonl",
    "slopcodebench/run/file_backup",
];

fn count_run(run: &Run) -> Counts {
    let own = || run.turns.iter().flat_map(|turn| &turn.steps);
    let all = || own().chain(run.subagents.iter().flat_map(|agent| &agent.steps));
    let is_said = |step: &&Step| step.kind == StepKind::Message && step.role == Role::Assistant;
    let sum = |of: fn(&trajview::run::Tokens) -> Option<u64>| {
        run.turns.iter().filter_map(|turn| of(&turn.tokens)).reduce(|a, b| a + b)
    };
    Counts {
        turns: Some(run.turns.len()),
        said: Some(own().filter(is_said).count()),
        thought: Some(own().filter(|step| step.kind == StepKind::Thinking).count()),
        tools: Some(all().filter(|step| step.tool.is_some()).count()),
        edits: Some(all().map(|step| step.edits.len()).sum()),
        input: sum(|tokens| tokens.input),
        output: sum(|tokens| tokens.output),
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn what_is_read_of_real_logs_is_what_a_script_counts() {
    let folder = real_data();
    let vectors = fs::read(project_path("tests/vectors/counts.json")).unwrap();
    let mut vectors: BTreeMap<String, Counts> = serde_json::from_slice(&vectors).unwrap();
    let folders: BTreeSet<String> =
        vectors.keys().filter_map(|name| name.split('/').next()).map(str::to_owned).collect();
    let mut wrong = vec![];
    for path in store::runs_below(&folder) {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
        // Folders that the script knows nothing of have checks of their own.
        if !folders.contains(name.split('/').next().unwrap_or_default()) {
            continue;
        }
        let opened = store::open(&path).unwrap_or_else(|why| panic!("{why}"));
        if opened.run.turns.is_empty() || UNCOUNTED.contains(&name.as_str()) {
            continue;
        }
        let Some(expected) =
            vectors.remove(&name).or_else(|| vectors.remove(&format!("{name}.json")))
        else {
            wrong.push(format!("{name}: nobody counted it"));
            continue;
        };
        let mut found = count_run(&opened.run);
        let pairs = [
            (&mut found.said, expected.said),
            (&mut found.thought, expected.thought),
            (&mut found.edits, expected.edits),
        ];
        pairs.into_iter().filter(|(_, it)| it.is_none()).for_each(|(found, _)| *found = None);
        if found != expected {
            wrong.push(format!("{name}: {found:?}, counted {expected:?}"));
        }
    }
    wrong.extend(vectors.into_keys().map(|name| format!("{name}: counted, and not found")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA and python3"]
fn the_script_still_counts_what_its_vectors_say() {
    let ran = std::process::Command::new("python3")
        .args([project_path("tests/vectors/counts.py").as_path(), &real_data()] as [&Path; 2])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let read = |bytes: &[u8]| serde_json::from_slice::<BTreeMap<String, Counts>>(bytes).unwrap();
    assert_eq!(
        read(&ran.stdout),
        read(&fs::read(project_path("tests/vectors/counts.json")).unwrap())
    );
}
