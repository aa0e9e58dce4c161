//! A screen on which nothing happens: it takes no processor and writes nothing.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::pty::{PATIENCE, Tui};

/// How long the screen is watched.
const WATCHED: Duration = Duration::from_secs(1);

/// The most ticks of 10 ms in that time: one that began before it may end in it.
const MOST_TICKS: u64 = 1;

/// Waits until the program has computed everything that it computes unasked: two looks in a row find the same.
fn wait_for_rest(tui: &Tui) {
    let begun = Instant::now();
    let mut before = None;
    loop {
        let now = Some((tui.cpu_ticks(), tui.written_bytes()));
        if now == before {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "never at rest: {now:?} after {before:?}");
        before = now;
        thread::sleep(Duration::from_millis(300));
    }
}

/// Returns the ticks and the bytes of a while without a key.
fn watch(tui: &Tui) -> (u64, usize) {
    let (ticks, bytes) = (tui.cpu_ticks(), tui.written_bytes());
    thread::sleep(WATCHED);
    (tui.cpu_ticks() - ticks, tui.written_bytes() - bytes)
}

#[test]
fn a_screen_at_rest_uses_no_processor_and_writes_nothing_in_any_view() {
    let mut tui = Tui::open_path("sample-runs/codex-p12", 120, 40, &[]);
    for (keys, shown) in [("", "timeline"), ("gc", "curves"), ("gs", "components")] {
        tui.press(keys);
        tui.wait_for(shown);
        wait_for_rest(&tui);
        let (ticks, bytes) = watch(&tui);
        assert!(ticks <= MOST_TICKS, "{shown}: {ticks} ticks in {WATCHED:?}");
        assert_eq!(bytes, 0, "{shown}");
    }
}

#[test]
fn a_run_that_is_followed_and_does_not_grow_uses_no_processor_either() {
    let tui = Tui::start_at(120, 40, &[], &["--follow", "sample-runs/claude-code"]);
    wait_for_rest(&tui);
    let (ticks, bytes) = watch(&tui);
    assert!(ticks <= MOST_TICKS + 1, "{ticks} ticks in {WATCHED:?}");
    assert_eq!(bytes, 0);
}
