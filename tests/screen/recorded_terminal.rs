//! Recorded terminals of trials: keys in, frames out.

use ratatui::layout::Size;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    widgets::export,
};

use crate::common::{judged::copy_folder, project_path};

const TRIAL: &str = "sample-runs/jobs/terminal-bench/hello-shell/hello-shell.1-of-1.sample";
const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (200, 50)];

fn opened(path: &str, (width, height): (u16, u16), view: View) -> HeadlessScreen {
    let place = StartPlace { view, ..StartPlace::default() };
    let (size, options) = (Size { width, height }, ScreenOptions::default());
    HeadlessScreen::open(RunOpener::Disk, &[project_path(path)], size, place, options).unwrap()
}

fn after(screen: &mut HeadlessScreen, keys: &str) -> String {
    screen.press_keys(keys).unwrap();
    export::frame_text(&screen.draw_frame())
}

/// Lets the time pass until something moves by itself, so many times.
fn pass_time(screen: &mut HeadlessScreen, times: usize) -> String {
    for _ in 0..times {
        let message = screen.app_mut().screens.after_deadline();
        screen.send_message(message);
    }
    export::frame_text(&screen.draw_frame())
}

fn chosen_step(screen: &mut HeadlessScreen) -> usize {
    screen.app_mut().screens.open_run().unwrap().replay.step_number()
}

#[test]
fn a_trial_without_a_log_opens_on_its_result_and_offers_its_terminal() {
    for size in SIZES {
        let mut screen = opened(TRIAL, size, View::Replay);
        let seen = after(&mut screen, "");
        assert!(seen.contains("┌ result ─"), "{seen}");
        assert!(
            seen.contains("terminal: g t plays sessions/agent.cast, sessions/tests.cast"),
            "{seen}"
        );

        for way in ["g t", "<f7>", ": t e r m i n a l <enter>"] {
            let seen = after(&mut opened(TRIAL, size, View::Replay), way);
            assert!(
                seen.contains("┌ terminal sessions/agent.cast · 80×24 recorded ─"),
                "{way} {seen}"
            );
            assert!(
                seen.contains("[Live]") && seen.contains("▷ recorded terminal  1 turn"),
                "{seen}"
            );
            assert!(
                seen.contains(" 4s ━") && seen.contains("│hello "),
                "it is after the turn: {seen}"
            );
        }
    }
}

#[test]
fn steps_lead_through_the_terminal_and_the_terminal_through_the_steps() {
    for size in SIZES {
        let mut screen = opened(TRIAL, size, View::Live);

        assert!(after(&mut screen, "gg").contains(" 0s ─"));
        let first = after(&mut screen, "l");
        assert!(first.contains("│$ echo \"echo hello\" > hello.sh"), "{first}");
        assert!(!first.contains("│$ sh hello.sh"), "{first}");
        assert_eq!(chosen_step(&mut screen), 1);
        let second = after(&mut screen, "l");
        assert!(second.contains("│$ sh hello.sh") && second.contains("│hello "), "{second}");
        assert_eq!(chosen_step(&mut screen), 2);
        assert_eq!(after(&mut screen, "h"), first, "back is the same");

        after(&mut screen, "g r .");
        let seen = after(&mut screen, "g t");
        assert!(seen.contains("│$ sh hello.sh") && seen.contains("│hello "), "the step: {seen}");
    }
}

#[test]
fn the_terminal_plays_with_its_own_timing_in_the_speed_of_the_playback() {
    let mut screen = opened(TRIAL, (120, 40), View::Live);

    after(&mut screen, "gg <space>");
    let seen = pass_time(&mut screen, 16);
    assert!(seen.contains("▶ 1×") && seen.contains(" 2s ━"), "{seen}");
    assert!(seen.contains("│$ echo") && chosen_step(&mut screen) == 1, "{seen}");
    after(&mut screen, "+");
    let seen = pass_time(&mut screen, 9);
    assert!(seen.contains("▶ 2×") && seen.contains("$ sh hello.sh"), "{seen}");
    assert_eq!(chosen_step(&mut screen), 2);
    let seen = pass_time(&mut screen, 20);
    assert!(seen.contains("the end of the recorded terminal") && !seen.contains('▶'), "{seen}");
    assert_eq!(screen.app_mut().screens.next_deadline(), None);
    after(&mut screen, "<space>");
    let seen = pass_time(&mut screen, 3);
    assert!(seen.contains(" 1s ━") && !seen.contains("hello.sh\""), "from the start: {seen}");
}

#[test]
fn the_terminal_of_the_tests_is_the_next_one_and_a_terminal_can_have_the_whole_screen() {
    let mut screen = opened(TRIAL, (120, 40), View::Live);

    let seen = after(&mut screen, "Y");
    assert!(seen.contains("terminal sessions/tests.cast · 80×24 recorded"), "{seen}");
    assert!(after(&mut screen, "Y").contains("terminal sessions/agent.cast"));
    let seen = after(&mut screen, "m");
    let title = seen.lines().find(|line| line.contains("┌ terminal")).unwrap();
    assert!(title.ends_with('┐') && title.matches('┐').count() == 1, "{seen}");
    assert!(after(&mut screen, "?").contains("next recorded terminal of the run"));
}

#[test]
fn a_run_without_a_recording_says_so_in_one_sentence() {
    let seen = after(&mut opened("sample-runs/codex-p12", (120, 40), View::Live), "");

    assert!(seen.contains("this run has no recorded terminal"), "{seen}");
    assert!(!seen.contains("plays with"), "{seen}");
}

#[test]
fn a_damaged_recording_says_why_it_is_not_played_and_wakes_nothing() {
    let trial = tempfile::tempdir().unwrap();
    copy_folder(&project_path(TRIAL), trial.path());
    std::fs::write(trial.path().join("sessions/agent.cast"), "broken\n").unwrap();
    let mut screen = opened(trial.path().to_str().unwrap(), (120, 40), View::Live);

    let seen = after(&mut screen, "<space>");

    assert!(seen.contains("cannot be played: not a terminal recording"), "{seen}");
    assert_eq!(screen.app_mut().screens.next_deadline(), None);
}
