//! The six journeys that people made at the screen, each with its keys, which are as few as the test counts. No frame
//! between the first and the last has to be read.

use ratatui::layout::Size;
use trajview::{
    runtime::{self, RunOpener},
    session::start_place::StartPlace,
    widgets::export,
};

use crate::{
    audit_view::{Bundle, assert_has, audit_screen, frame_after},
    common::project_path,
};

const EMERGENT: &str = "sample-runs/codex-p12";
const SINGLE_SHOT: &str = "sample-runs/codex-p12-single-shot";

/// The frame that keys lead to, at the size of most terminals.
fn frame_of(runs: &[&str], keys: &str) -> String {
    let paths: Vec<_> = runs.iter().map(|run| project_path(run)).collect();
    let size = Size { width: 120, height: 40 };
    let place = StartPlace::default();
    let frame = runtime::headless_frame_with(RunOpener::Disk, &paths, size, keys, place);
    export::frame_text(&frame.unwrap())
}

/// Presses keys, at most so many, and expects words in the frame.
fn assert_journey(runs: &[&str], keys: &str, most: usize, expected: &[&str]) {
    let count = keys.split_whitespace().count();
    assert!(count <= most, "{count} keys: {keys}");
    let frame = frame_of(runs, keys);
    expected.iter().for_each(|words| assert_has(&frame, words));
}

#[test]
fn what_changed_in_turn_12_takes_three_keys() {
    assert_journey(
        &[EMERGENT],
        "1 2 G",
        3,
        &[
            "turn 12: request",
            "On reflection plain messages will not do",
            "diff: turn 11 → 12",
            "class EGNNLayer:",
        ],
    );
}

#[test]
fn which_component_was_lost_when_and_by_which_request_takes_three_keys() {
    assert_journey(
        &[EMERGENT],
        "g s !",
        3,
        &[
            "4 of 24 lost",
            "C18 Interface weights of the losses 46",
            "request of turn 42",
            "Training is too slow to iterate on.",
        ],
    );
}

#[test]
fn why_a_component_has_its_score_takes_four_keys() {
    assert_journey(
        &[EMERGENT],
        "g s 7 G",
        4,
        &[
            "C07 Relative position with one cross-chain bin",
            "████ 4 Faithful  by authors-reading",
            "j - i is clipped to plus or minus 16",
        ],
    );
}

#[test]
fn which_function_made_erosion_rise_takes_three_keys() {
    assert_journey(
        &[EMERGENT],
        "g c x",
        3,
        &["turn 53/56", "+0.127", "main  __main__.py:15  mass 165.4 → 437.8, CC 21 → 41"],
    );
}

#[test]
fn ten_labels_take_two_keys_each_with_each_verdict_seen() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    let scores = "4 4 3 4 4 3 4 3 1 4";
    let keys = scores.replace(' ', " ; ");
    assert_eq!(keys.split_whitespace().count(), 19);

    let frame = frame_after(&mut screen, &keys);

    assert_has(&frame, "10/24");
    assert_eq!(bundle.labels("ann").len(), 10);
    assert!(bundle.labels("ann").iter().all(|label| label.contains(" blind ")));
}

#[test]
fn ten_labels_take_one_key_each_and_one_for_a_reason_where_the_next_item_follows_a_label() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    let first = frame_after(&mut screen, ">");
    assert_has(&first, "after a label the next unlabelled item follows");
    assert_has(&first, "a label goes on to the next item");

    let mut keys = 0;
    for score in "4 4 3 4 4 3 4 3 1 4".split(' ') {
        let seen = frame_after(&mut screen, score);
        keys += 1;
        if seen.contains("false-absence") {
            frame_after(&mut screen, "<enter>");
            keys += 1;
        }
    }

    assert!(keys < 19, "{keys}");
    assert_has(&frame_after(&mut screen, ""), "10/24");
    let labels = bundle.labels("ann");
    assert_eq!(labels.len(), 10);
    assert!(labels.iter().all(|label| label.contains(" blind ")), "{labels:?}");
}

#[test]
fn the_turn_of_a_loss_is_found_from_the_comparison_by_one_key() {
    let pair = [EMERGENT, SINGLE_SHOT];
    assert_journey(
        &pair,
        "x",
        1,
        &[
            "4 lost, 4 only in a",
            "C10 Cosine noise schedule lost in a at turn 42",
            "4 at 39 → 1 at 56",
            "request: Training is too slow to iterate on.",
        ],
    );
    assert_journey(
        &pair,
        "x x",
        2,
        &["C17 Min-SNR time weight lost in a at turn 46", "request: The losses are hard to log"],
    );
    assert_journey(&pair, "x x <enter>", 3, &["[Replay]", "turn 46/56", "ppdiff/losses.py"]);
}

#[test]
fn the_run_that_lost_a_component_is_opened_in_whichever_order_the_runs_are_named() {
    let turned = [SINGLE_SHOT, EMERGENT];
    assert_journey(&turned, "x", 1, &["4 lost, 4 only in b", "lost in b at turn 42"]);
    assert_journey(&turned, "x <enter>", 2, &["[Replay]", "codex-p12 ", "turn 42/56"]);
}

#[test]
fn losses_are_a_command_in_the_comparison_too() {
    let frame = frame_of(&[EMERGENT, SINGLE_SHOT], ":losses<enter>");
    assert_has(&frame, "4 lost, 4 only in a");
    assert_has(&frame, "[Compare]");
}
