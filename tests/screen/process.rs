//! The process view over the sample run, as the program draws it.

use crate::common::{project, trajview};

fn frame(size: &str, keys: &str) -> String {
    let run = project("sample-runs/codex-p12");
    let run = run.to_str().unwrap();
    let ran = trajview(&[run, "--view", "process", "--snapshot", size, "--keys", keys]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

#[test]
fn pillars_what_one_is_made_of_and_signals_on_one_screen() {
    insta::assert_snapshot!("process_120x40", frame("120x40", ""));
    insta::assert_snapshot!("process_200x50", frame("200x50", "p"));
    insta::assert_snapshot!("process_80x24", frame("80x24", ""));
}

#[test]
fn a_small_screen_shows_what_a_pillar_is_made_of_in_the_place_of_the_pillars() {
    let seen = frame("80x24", "j j <enter>");
    assert!(seen.contains("recovery efficiency") && seen.contains("RAC"), "{seen}");
    assert!(!seen.contains("RigorScore"), "{seen}");
}

#[test]
fn a_signal_opens_at_its_step() {
    let seen = frame("120x40", "<tab> <tab> j <enter>");
    assert!(seen.contains("turn 46/56") && seen.contains("step 3/5"), "{seen}");
    assert!(seen.contains("def snr_weight"), "{seen}");
}

#[test]
fn a_counted_event_opens_at_its_step() {
    // The first of the errors.
    let seen = frame("120x40", "j j <enter> 5G <enter>");
    assert!(seen.contains("turn 3/56"), "{seen}");
}

#[test]
fn weights_are_moved_and_put_back() {
    let before = frame("120x40", "");
    let moved = frame("120x40", "5>");
    assert!(moved.contains("(+50 %)"), "{moved}");
    assert_ne!(before, moved);
    assert_eq!(before, frame("120x40", "5> u"));
}

#[test]
fn the_scorers_defaults_are_marked() {
    let seen = frame("120x40", "p");
    assert!(seen.contains("rigor-shipped") && seen.contains("0.200*"), "{seen}");
}

#[test]
fn the_lists_say_what_there_is_not() {
    let plan = frame("120x40", "v");
    assert!(plan.contains("recovered at 3.7") && plan.contains("Layers"), "{plan}");
    let states = frame("120x40", "v v");
    assert!(states.contains("nothing was built or tested on request"), "{states}");
    let decisions = frame("120x40", "v v v");
    assert!(decisions.contains("no decisions.json"), "{decisions}");
    let recording = frame("120x40", "v v v v");
    assert!(recording.contains("nothing speaks against the recording"), "{recording}");
}

#[test]
fn what_is_built_and_tested_is_asked_for_in_a_form() {
    let empty = frame("120x40", "B");
    assert!(empty.contains("build and test the files of every turn"), "{empty}");
    assert!(empty.contains("which command?"), "{empty}");
    let filled = frame("120x40", "B <space> t r u e <enter>");
    assert!(filled.contains("sh -c 'true'") && filled.contains("checks.jsonl"), "{filled}");
}

#[test]
fn states_that_were_built_are_a_list_that_opens_at_their_turns() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let sample = project("sample-runs/codex-p12");
    let copied = std::process::Command::new("cp").arg("-r").arg(sample).arg(&run).status();
    assert!(copied.unwrap().success());
    let run = run.to_str().unwrap();
    let ran = trajview(&["process", run, "--build", "test -e ppdiff/losses.py"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let seen = |keys: &str| {
        let view = ["--view", "process", "--snapshot", "200x50", "--keys", keys];
        trajview(&[&[run], &view[..]].concat()).out
    };

    let list = seen("v v");
    let opened = seen("v v j j <enter>");

    assert!(list.contains("not good") && list.contains("build failed (exit code 1)"), "{list}");
    assert!(opened.contains("turn 3/56"), "{opened}");
    let pillar = seen("4j <enter>");
    assert!(pillar.contains("built on request with `test -e ppdiff/losses.py`"), "{pillar}");
    // Begun from the form, another command takes its place, and the list shows it at once.
    let again = seen("v v B <space> t r u e <enter> <enter>");
    assert!(again.contains("builds and tests done: 49 run and kept in"), "{again}");
    assert!(again.contains("build ok") && !again.contains("not good"), "{again}");
}

#[test]
fn a_key_goes_from_signal_to_signal_in_every_view_and_says_why() {
    let run = project("sample-runs/codex-p12");
    let seen = |view: &str, keys: &str| {
        let run = run.to_str().unwrap();
        trajview(&[run, "--view", view, "--snapshot", "120x40", "--keys", keys]).out
    };

    let first = seen("replay", ")");
    assert!(first.contains("turn 42/56") && first.contains("step 5/"), "{first}");
    assert!(first.contains("last use lost: nothing uses CosineSchedule"), "{first}");
    assert!(first.contains("• last use lost"), "{first}");
    let third = seen("curves", ") 2)");
    assert!(third.contains("turn 46/56") && third.contains("last use lost: snr_weight"), "{third}");
    assert!(seen("scores", ") ) (").contains("turn 42/56"));
    assert!(seen("replay", "9)").contains("no signal after this one"));
    assert!(seen("replay", "(").contains("no signal before this one"));
}
