//! Process: the signals of a run of 4,000 steps, and a folder of RigorBench's results as a table.

mod logs;
mod measure;

use std::{fs, io, path::PathBuf, process::Command, sync::Arc};

use trajview::{
    analysis,
    metrics::process::ProcessReport,
    store::{self, DiskCache},
};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};

/// Results in the folder: as many as the benchmark published.
const RESULTS: usize = 409;

const STEPS: usize = 4_000;

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let rounds = if in_full { 7 } else { 1 };
    let mut table = Table::new();
    let path = log_path().expect("there is room for a log");
    let opened = store::open(&path).expect("the log reads");
    let count: usize = opened.run.turns.iter().map(|turn| turn.steps.len()).sum();
    let work = |opened: &store::OpenedRecording| {
        ProcessReport::new(&opened.run, &analysis::observe_run(&opened.archive, &opened.run))
    };
    // A run that was just opened: nothing of its files is known yet.
    let fresh = || store::open(&path).expect("the log reads");
    let name = format!("{count} steps: everything of the process");
    let began_fresh = |cache: Option<Arc<DiskCache>>| {
        let opened = fresh();
        if let Some(cache) = cache {
            opened.archive.set_cache(cache);
        }
        opened
    };
    table.prepared_row(
        &format!("{name}, first time"),
        from_millis(200),
        rounds,
        || began_fresh(None),
        work,
    );
    let cache = measure::bench_folder().join("process.sqlite");
    let cache = Arc::new(DiskCache::open(&cache).expect("there is room for a cache"));
    work(&began_fresh(Some(cache.clone())));
    let again = || began_fresh(Some(cache.clone()));
    table.prepared_row(&format!("{name}, from the cache"), from_millis(200), rounds, again, work);
    let folder = results_folder().expect("there is room for results");
    table.row(&format!("{RESULTS} results as a table"), from_millis(500), rounds, || {
        let arguments = ["--view", "collection", "--snapshot", "120x40"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(arguments).arg(&folder).output().expect("the program runs")
    });
    table.end();
}

/// A log of at least so many steps.
fn log_path() -> io::Result<PathBuf> {
    let mut bytes = 1_000_000;
    loop {
        let options = LogOptions::with_size(Tool::Claude, bytes);
        let path = logs::make_log(&measure::bench_folder(), &format!("process-{bytes}"), options)?;
        let run = store::open(&path).map_err(io::Error::other)?.run;
        if run.turns.iter().map(|turn| turn.steps.len()).sum::<usize>() >= STEPS {
            return Ok(path);
        }
        bytes *= 2;
    }
}

fn results_folder() -> io::Result<PathBuf> {
    let folder = measure::bench_folder().join("rigorbench");
    fs::create_dir_all(&folder)?;
    for number in 0..RESULTS {
        let action = "  - type: file_modified\n    timestamp: '2026-06-20T21:19:20'\n    metadata:\n      file: /w/a.py\n";
        let text = format!(
            "task_id: task_{:03}\nagent_name: harness-{}\ntotal_tokens: 0\nphases:\n- name: execution\n  actions:\n{}",
            number / 4,
            number % 4,
            action.repeat(12)
        );
        fs::write(folder.join(format!("r{number}.yaml")), text)?;
    }
    Ok(folder)
}
