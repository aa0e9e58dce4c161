//! Tests that failed after they had passed: on the timeline, in the table of losses, among the failures, and in a comparison.

use ratatui::layout::Size;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    widgets::export,
};

use crate::common::project_path;

const RUN: &str = "sample-runs/evocodebench/tinycalc.json/made-a";
const OTHER: &str = "sample-runs/evocodebench/tinycalc.json/made-b";

fn opened(runs: &[&str], (width, height): (u16, u16), view: View) -> HeadlessScreen {
    let paths: Vec<_> = runs.iter().map(|run| project_path(run)).collect();
    let place = StartPlace { view, ..StartPlace::default() };
    let (size, options) = (Size { width, height }, ScreenOptions::default());
    HeadlessScreen::open(RunOpener::Disk, &paths, size, place, options).unwrap()
}

fn after(screen: &mut HeadlessScreen, keys: &str) -> String {
    screen.press_keys(keys).unwrap();
    export::frame_text(&screen.draw_frame())
}

#[track_caller]
fn assert_has(frame: &str, parts: &[&str]) {
    for part in parts {
        assert!(frame.contains(part), "{part}: {frame}");
    }
}

#[test]
fn the_scores_of_a_run_with_tests_alone_are_its_lost_tests() {
    for size in [(120, 40), (80, 24), (200, 50)] {
        let mut screen = opened(&[RUN], size, View::Scores);
        let seen = after(&mut screen, "");

        assert_has(&seen, &["lost tests", "3 of 4 tests lost", "kind", "checkpoints"]);
        assert_has(&seen, &["test      ", "passed → failed", "round-2 → round-4"]);
        // The keys that close a page close nothing: there is no page before.
        assert_has(&after(&mut screen, "!"), &["3 of 4 tests lost"]);
    }
}

#[test]
fn the_text_below_has_the_checkpoints_and_the_reason() {
    let seen = after(&mut opened(&[RUN], (120, 40), View::Scores), "G");

    assert_has(&seen, &["passed at round-2, after turn 2", "failed at round-4, after turn 4"]);
}

#[test]
fn the_command_opens_the_table_from_any_view_and_enter_opens_the_turn() {
    let mut screen = opened(&[RUN], (120, 40), View::Replay);
    assert_has(&after(&mut screen, "2w : l o s s e s <enter>"), &["3 of 4 tests lost"]);

    let turn = after(&mut screen, "G <enter>");
    assert_has(&turn, &["turn 4/", "lost at turn 4: passed at round-2, failed at round-4"]);
}

#[test]
fn the_timeline_names_the_tests_that_the_turn_loses() {
    for size in [(120, 40), (80, 24)] {
        let mut screen = opened(&[RUN], size, View::Replay);
        assert!(!after(&mut screen, "1G").contains("lost here"));
        assert_has(&after(&mut screen, "4G"), &["lost here: ", "test"]);
    }
}

#[test]
fn the_key_for_failures_stops_at_each_lost_test() {
    let mut screen = opened(&[RUN], (120, 40), View::Replay);

    assert_has(&after(&mut screen, "gg x"), &["(loss 1 of 3)"]);
    assert_has(&after(&mut screen, "x"), &["(loss 2 of 3)"]);
    assert_has(&after(&mut screen, "x"), &["(loss 3 of 3)", "turn 4/"]);
    assert_has(&after(&mut screen, "<c-x>"), &["(loss 2 of 3)"]);
    assert_has(&after(&mut screen, ": n e x t - l o s s <enter>"), &["(loss 3 of 3)"]);
}

#[test]
fn two_runs_have_their_lost_tests_in_one_table() {
    let seen = after(&mut opened(&[RUN, OTHER], (200, 50), View::Replay), "v");

    assert_has(&seen, &["lost components and tests", "component or test", "passed → failed"]);
}

#[test]
fn from_a_loss_that_the_table_opened_the_next_one_of_its_turn_follows() {
    let mut screen = opened(&[RUN], (120, 40), View::Scores);
    assert_has(&after(&mut screen, "j <enter>"), &["lost at turn 4"]);

    assert_has(&after(&mut screen, ": n e x t - l o s s <enter>"), &["(loss 3 of 3)"]);
}
