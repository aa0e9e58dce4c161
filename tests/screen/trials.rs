//! Trials without a log: they open on their result, and on what the harness wrote.

use ratatui::layout::Size;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    widgets::{export, layout::ReplayPanel},
};

use crate::common::project_path;

const TRIAL: &str = "sample-runs/jobs/harbor/parse-dates__Qm3vTzK";

fn opened((width, height): (u16, u16), view: View) -> HeadlessScreen {
    let place = StartPlace { view, ..StartPlace::default() };
    let (size, options) = (Size { width, height }, ScreenOptions::default());
    let paths = [project_path(TRIAL)];
    HeadlessScreen::open(RunOpener::Disk, &paths, size, place, options).unwrap()
}

fn after(screen: &mut HeadlessScreen, keys: &str) -> String {
    screen.press_keys(keys).unwrap();
    export::frame_text(&screen.draw_frame())
}

#[test]
fn a_trial_without_a_log_opens_on_its_result_and_the_texts_of_the_harness_in_full_width() {
    for size in [(120, 40), (80, 24), (200, 50)] {
        let seen = after(&mut opened(size, View::Replay), "");

        for part in
            ["┌ result ─", "outcome: ! error", "error: VerifierTimeoutError", "connection refused"]
        {
            assert!(seen.contains(part), "{part}: {seen}");
        }
        assert!(!seen.contains("no edits or commands") && !seen.contains("actions 0"), "{seen}");
        let body: Vec<&str> = seen.lines().skip(1).take(usize::from(size.1) / 2).collect();
        let is_full = |row: &&str| row.chars().count() == usize::from(size.0);
        assert!(body.iter().all(is_full), "{seen}");
    }
}

#[test]
fn the_text_follows_the_chosen_step_and_the_keyboard_goes_to_panels_that_are_there() {
    let mut screen = opened((80, 24), View::Replay);
    let second = after(&mut screen, "j j");
    assert!(
        second.contains("text of step 2 and later") && second.contains("Traceback"),
        "{second}"
    );

    let mut panels = vec![];
    for _ in 0..3 {
        panels.push(screen.app_mut().screens.open_run().unwrap().replay.focus);
        after(&mut screen, "<tab>");
    }
    assert_eq!(panels, [ReplayPanel::Steps, ReplayPanel::Diff, ReplayPanel::Steps]);
}

#[test]
fn the_other_views_say_in_one_sentence_what_the_trial_lacks() {
    for view in [View::Curves, View::Scores, View::Audit, View::Process, View::Layers] {
        let seen = after(&mut opened((120, 40), view), "");
        let words = ["no ", "not "];
        assert!(words.iter().any(|word| seen.contains(word)), "{view:?}: {seen}");
    }
}
