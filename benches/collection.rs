//! The table of a thousand runs: how soon there is something to see, how soon all of it was read, and whether keys wait
//! meanwhile. In the shipped program, in a terminal, on bundles that are made up once.

mod logs;
mod measure;
mod terminal;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};
use terminal::Tui;

/// Bytes of the log in each bundle: a few turns with their edits.
const LOG: usize = 12_000;

/// More keys than anybody types while a table fills in.
const MOST_KEYS: usize = 400;

const TASKS: usize = 50;

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let (runs, rounds) = if in_full { (1_000, 5) } else { (20, 1) };
    let folder = make_bundles(runs).expect("there is room for bundles");
    let folder = folder.to_str().expect("the folder of temporary files has a plain name");
    let mut table = Table::new();
    let of = |what: &str| format!("{runs} bundles: {what}");
    let opened: Vec<[Duration; 2]> = (0..rounds).map(|_| open_table(folder, runs)).collect();
    let part = |at: usize| opened.iter().map(|times| times[at]).collect();
    table.taken(&of("first frame with runs in it"), from_millis(300), part(0));
    table.taken(&of("all found and read"), from_millis(3_000), part(1));
    table.taken(&of("a key while they are read"), from_millis(16), keys_while_reading(folder));
    for (logs, bar) in
        if in_full { [(3_000, 2_000), (10_000, 6_000)] } else { [(20, 300), (40, 300)] }
    {
        let folder = logs_side_by_side(logs).expect("there is room for logs");
        let folder = folder.to_str().expect("the folder of temporary files has a plain name");
        let read: Vec<Duration> = (0..rounds).map(|_| read_all(folder, logs)).collect();
        table.taken(
            &format!("{logs} logs side by side: all found and read"),
            from_millis(bar),
            read,
        );
    }
    table.end();
}

fn read_all(folder: &str, runs: usize) -> Duration {
    let mut tui = Tui::start_program(&["--view", "collection", folder]);
    let all = format!("{runs} runs");
    let read = tui.wait_until(|screen| {
        screen.contains(&all) && !screen.contains("reading") && !screen.contains("searching")
    });
    read - tui.started
}

/// So many logs of Claude Code in one folder, each a session of its own; made once.
fn logs_side_by_side(count: usize) -> io::Result<PathBuf> {
    let folder = measure::bench_folder().join(format!("logs-{count}"));
    fs::create_dir_all(&folder)?;
    for number in 0..count {
        let path = folder.join(format!("{number:08x}.jsonl"));
        if !path.exists() {
            let mut log = vec![];
            logs::write_log(&mut log, LogOptions::small_session(Tool::Claude, LOG, number))?;
            let session = format!("{number:08x}-0000-4000-8000-000000000000");
            let text = String::from_utf8_lossy(&log).replace(logs::SESSION, &session);
            fs::write(path, text)?;
        }
    }
    Ok(folder)
}

/// To the first rows, and until the last is read.
fn open_table(folder: &str, runs: usize) -> [Duration; 2] {
    let mut tui = Tui::start_program(&[folder]);
    let first = tui.wait_until(|screen| screen.contains("run-0000"));
    let all = format!("{runs} runs");
    let is_read = |screen: &str| {
        screen.contains(&all) && !screen.contains("reading") && !screen.contains("searching")
    };
    let read = if is_read(&tui.contents()) { first } else { tui.wait_until(is_read) };
    [first - tui.started, read - tui.started]
}

/// Opens and closes the help until every run is read.
fn keys_while_reading(folder: &str) -> Vec<Duration> {
    let mut tui = Tui::start_program(&[folder]);
    tui.wait_until(|screen| screen.contains("run-0000"));
    let mut times = vec![];
    for is_open in [true, false].into_iter().cycle().take(MOST_KEYS) {
        let key = if is_open { "?" } else { "q" };
        times.push(tui.time_of(key, |screen| screen.contains("in the replay") == is_open));
        if !is_open && !tui.contents().contains("reading") {
            break;
        }
    }
    times
}

/// So many bundles in one folder, each with a log of its own; made once.
fn make_bundles(runs: usize) -> io::Result<PathBuf> {
    let folder = measure::bench_folder().join(format!("bundles-{runs}"));
    for run in 0..runs {
        let bundle = folder.join(format!("run-{run:04}"));
        if !bundle.join("run.json").exists() {
            bundle_at(&bundle, run)?;
        }
    }
    Ok(folder)
}

fn bundle_at(bundle: &Path, run: usize) -> io::Result<()> {
    let session = bundle.join("session");
    fs::create_dir_all(&session)?;
    let mut log = vec![];
    logs::write_log(&mut log, LogOptions::small_session(Tool::Codex, LOG, run))?;
    fs::write(session.join("rollout.jsonl"), log)?;
    let condition = if run.is_multiple_of(2) { "emergent" } else { "single-shot" };
    let task = run / 2 % TASKS;
    let manifest = format!(
        "{{\"schema\": \"trajview.run/1\", \"id\": \"run-{run:04}\", \"title\": \"made-up run {run}\", \"task\": \
         {{\"id\": \"task-{task}\"}}, \"condition\": \"{condition}\", \"agent\": {{\"name\": \"codex\", \"version\": \
         \"0.150.0\"}}, \"model\": \"made-up\", \"turns\": []}}\n"
    );
    fs::write(bundle.join("run.json"), manifest) // last: with it the bundle is whole
}
