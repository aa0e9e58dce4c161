//! The list of what a memory gave the agent, in the process view.

use crate::common::{project_path, remembered, run_cli};

fn memory_frame(size: &str, keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    remembered::make_bundle(folder.path());
    let run = folder.path().to_str().unwrap();
    let ran = run_cli(&[run, "--view", "process", "--snapshot", size, "--keys", keys]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

#[test]
fn events_and_cards_with_the_state_of_what_they_cite() {
    insta::assert_snapshot!("memory_120x40", memory_frame("120x40", "v v v v"));
    insta::assert_snapshot!("memory_80x24", memory_frame("80x24", "v v v v"));
    insta::assert_snapshot!("memory_200x50", memory_frame("200x50", "v v v v"));
}

#[test]
fn a_card_opens_the_cited_line_in_the_file_at_the_commit_that_it_cites() {
    // The limit that was given in turn 4, as it stood after turn 2; it is gone since.
    let seen = memory_frame("120x40", "v v v v G k k <enter>");
    assert!(seen.contains("turn 2/4") && seen.contains("LIMIT = 3"), "{seen}");
}

#[test]
fn another_event_opens_at_the_request_of_its_turn() {
    let seen = memory_frame("120x40", "v v v v j j j <enter>");
    assert!(seen.contains("turn 2/4") && seen.contains("Request 2 of the test."), "{seen}");
}

#[test]
fn the_playhead_goes_along_with_the_rows() {
    let seen = memory_frame("120x40", "v v v v G");
    assert!(seen.contains("turn 4/4"), "{seen}");
}

#[test]
fn a_run_without_a_memory_says_so() {
    let run = project_path("sample-runs/codex-p12");
    let arguments = ["--view", "process", "--snapshot", "120x40", "--keys", "v v v v"];
    let ran = run_cli(&[&[run.to_str().unwrap()], &arguments[..]].concat());
    assert!(ran.out.contains("this run has no memory events"), "{}", ran.out);
}

/// The curves of the same run.
fn curves_frame(size: &str, keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    remembered::make_bundle(folder.path());
    let run = folder.path().to_str().unwrap();
    let ran = run_cli(&[run, "--view", "curves", "--snapshot", size, "--keys", keys]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

#[test]
fn the_share_of_stale_cards_is_a_curve_of_a_run_with_a_memory_alone() {
    insta::assert_snapshot!("stale_curve_120x40", curves_frame("120x40", "20j"));
    insta::assert_snapshot!("stale_curve_80x24", curves_frame("80x24", "20j"));

    let run = project_path("sample-runs/codex-p12");
    let ran = run_cli(&[run.to_str().unwrap(), "--view", "curves", "--snapshot", "200x50"]);
    assert!(!ran.out.contains("stale cards"), "{}", ran.out);
}
