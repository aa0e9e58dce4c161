//! The shipped program in a terminal: how soon it is there, what it costs at rest, how soon it answers while it works.

mod logs;
mod measure;
mod terminal;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};
use terminal::Tui;

/// How long it is watched at rest.
const REST: Duration = Duration::from_secs(5);

/// More keys than anybody types while something is worked out.
const MOST_KEYS: usize = 400;

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let (size, rounds) = if in_full { (200, 5) } else { (1, 1) };
    let mut table = Table::new();
    measure_start(&mut table);
    for tool in Tool::ALL {
        let log = log_path(tool, size);
        let log = log.to_str().expect("the folder of temporary files has a plain name");
        let of = |what: &str| format!("{} {size} MB: {what}", tool.name());
        measure_rest(&mut table, &of("at rest for 5 s"), &[log]);
        measure_rest(&mut table, &of("following, at rest for 5 s"), &["--follow", log]);
        let (all, slowest) = rounds_of(rounds, || keys_while_opening(log));
        table.taken(&of("a key while it is indexed"), from_millis(16), all);
        table.taken(&of("the slowest of each time"), from_millis(16), slowest);
        let (all, slowest) = rounds_of(rounds, || keys_while_searching(log));
        table.taken(&of("a key while it is searched"), from_millis(16), all);
        table.taken(&of("the slowest of each search"), from_millis(16), slowest);
    }
    table.end();
}

fn log_path(tool: Tool, megabytes: usize) -> PathBuf {
    let options = LogOptions::with_size(tool, megabytes << 20);
    logs::make_log(&measure::bench_folder(), &megabytes.to_string(), options)
        .expect("there is room for a log")
}

/// In a folder without recordings a sentence is all there is to see.
fn measure_start(table: &mut Table) {
    let empty = tempfile::tempdir().expect("there is room for a folder");
    let folder = empty.path().to_str().expect("the folder of temporary files has a plain name");
    let started = || {
        let mut tui = Tui::start_program(&[folder]);
        tui.wait_until(|screen| screen.contains("trajview:")) - tui.started
    };
    table.taken(
        "start to the first words, empty folder",
        from_millis(20),
        (0..21).map(|_| started()).collect(),
    );
    let small = log_path(Tool::Claude, 1);
    let small = small.to_str().expect("the folder of temporary files has a plain name");
    let opened = || {
        let mut tui = Tui::start_program(&[small]);
        tui.wait_until(|screen| screen.contains("turn 1/")) - tui.started
    };
    table.taken(
        "start to the first frame, 1 MB",
        from_millis(50),
        (0..21).map(|_| opened()).collect(),
    );
}

/// Prints the ticks of all cores that pass while nothing happens.
fn measure_rest(table: &mut Table, what: &str, arguments: &[&str]) {
    let mut tui = Tui::start_program(arguments);
    tui.wait_until(|screen| screen.contains("turn "));
    tui.settle();
    let Some(before) = tui.ticks() else { return };
    let is_silent = tui.is_silent_for(REST);
    let after = tui.ticks().unwrap_or(before);
    assert!(is_silent, "something was drawn at rest");
    table.count(what, "ticks", 0, after - before);
}

/// The times of all rounds, and the longest of each.
fn rounds_of(
    rounds: usize,
    mut round: impl FnMut() -> Vec<Duration>,
) -> (Vec<Duration>, Vec<Duration>) {
    let times: Vec<Vec<Duration>> = (0..rounds).map(|_| round()).collect();
    let slowest = times.iter().filter_map(|times| times.iter().max().copied()).collect();
    (times.concat(), slowest)
}

/// Opens and closes the help until the recording is open.
fn keys_while_opening(log: &str) -> Vec<Duration> {
    let mut tui = Tui::start_program(&[log]);
    tui.wait_until(|screen| !screen.trim().is_empty());
    let mut times = vec![];
    for is_open in [true, false].into_iter().cycle().take(MOST_KEYS) {
        let key = if is_open { "?" } else { "q" };
        times.push(tui.time_of(key, |screen| screen.contains("next turn") == is_open));
        let is_read = tui.contents().contains("turn 1/") && !tui.contents().contains("reading");
        if !is_open && is_read {
            break;
        }
    }
    times
}

/// Goes from turn to turn until a search that finds nothing has ended.
fn keys_while_searching(log: &str) -> Vec<Duration> {
    let mut tui = Tui::start_program(&[log]);
    tui.wait_until(|screen| screen.contains("turn 1/"));
    tui.settle();
    tui.press("\\[wxyz]{9}\\d+\r");
    let begun = Instant::now();
    let mut times = vec![];
    for turn in [2, 1].into_iter().cycle().take(MOST_KEYS) {
        let (key, title) = (if turn == 2 { "l" } else { "h" }, format!("turn {turn}/"));
        times.push(tui.time_of(key, |screen| screen.contains(&title)));
        if !tui.contents().contains("searching") || begun.elapsed() > Duration::from_secs(2) {
            break;
        }
    }
    times
}
