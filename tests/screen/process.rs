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
    let decisions = frame("120x40", "v v");
    assert!(decisions.contains("no decisions.json"), "{decisions}");
    let recording = frame("120x40", "v v v v");
    assert!(recording.contains("nothing speaks against the recording"), "{recording}");
}
