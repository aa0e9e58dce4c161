//! From a path to the first frame: starting, finding, indexing beside looking for the line ends, and the memory that
//! stays. `TRAJVIEW_BENCH_GB=2` adds logs of so many gigabytes.

mod logs;
mod measure;

use std::{fs::File, io::Read, path::Path, process::Command, time::Duration};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};
use trajview::{run::Run, store};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["memory", path] => memory_after_opening(Path::new(path)),
        ["index", path] => drop(store::open(Path::new(path))),
        words => measure_opening(words.contains(&"--bench")),
    }
}

fn measure_opening(in_full: bool) {
    let sizes: &[(usize, u64, u64, f64)] =
        &[(1, 50, 25, 30.0), (20, 50, 50, 30.0), (200, 100, 250, 60.0)];
    let sizes = if in_full { sizes } else { &sizes[..1] };
    let mut table = Table::new();
    let empty = tempfile::tempdir().expect("there is room for a folder");
    table.row("start and stop the program", from_millis(20), 20, || {
        Command::new(env!("CARGO_BIN_EXE_trajview")).arg("ls").arg(empty.path()).output()
    });
    for tool in Tool::ALL {
        for &(size, first_frame, index, memory) in sizes {
            let options = LogOptions::with_size(tool, size << 20);
            let path = logs::make_log(&measure::bench_folder(), &size.to_string(), options)
                .expect("there is room for a log");
            let of = format!("{} {size} MB", tool.name());
            table.row(
                &format!("{of}: open, first turn's words"),
                from_millis(first_frame),
                11,
                || {
                    let head = store::open_head(&path);
                    let opened = head.unwrap_or_else(|| store::open(&path).expect("it is a log"));
                    let words = opened.archive.request_with_added(&opened.run, 0);
                    (first_words(&opened), words)
                },
            );
            table.row(&format!("{of}: index complete"), from_millis(index), 11, || {
                store::open(&path)
            });
            table.row(&format!("{of}: its line ends found"), from_millis(index), 11, || {
                line_ends(&path)
            });
            let shown = path.to_string_lossy();
            let used = measure::in_a_fresh_process(&["memory", &shown]);
            table.memory(&format!("{of}: private memory, opened"), memory, used[0]);
            table.memory(
                &format!("{of}: private memory, with the files over time"),
                memory,
                used[1],
            );
        }
    }
    let (sizes, times): (&[usize], _) = if in_full { (&[100, 200], 11) } else { (&[1], 1) };
    for megabytes in sizes {
        mini_swe_agent(&mut table, *megabytes, times);
    }
    let gigabytes = std::env::var("TRAJVIEW_BENCH_GB").ok().and_then(|words| words.parse().ok());
    if let Some(gigabytes) = gigabytes.filter(|_| in_full) {
        measure_huge(&mut table, gigabytes);
    }
    table.end();
}

/// A trajectory is one value. One of more than 128 MiB is read message by message.
fn mini_swe_agent(table: &mut Table, megabytes: usize, times: usize) {
    let path =
        logs::make_mini(&measure::bench_folder(), megabytes).expect("there is room for a log");
    let of = format!("mini-swe-agent {megabytes} MB");
    let bar = Duration::from_micros(1250 * megabytes as u64);
    table.row(&format!("{of}: index complete"), bar, times, || store::open(&path));
    table.row(&format!("{of}: its line ends found"), bar, times, || line_ends(&path));
}

/// Logs of so many gigabytes: the first words, a gigabyte of index a second, and the memory that stays.
fn measure_huge(table: &mut Table, gigabytes: usize) {
    for tool in Tool::ALL {
        let options = LogOptions::with_size(tool, gigabytes << 30);
        let path = logs::make_log(&measure::bench_folder(), &format!("{gigabytes}-gb"), options);
        let path = path.expect("there is room for a log");
        let of = format!("{} {gigabytes} GB", tool.name());
        table.row(&format!("{of}: open, first turn's words"), from_millis(100), 3, || {
            store::open_head(&path).map(|opened| opened.archive.request_with_added(&opened.run, 0))
        });
        let a_gigabyte_a_second = Duration::from_secs(gigabytes as u64);
        table.row(&format!("{of}: index complete"), a_gigabyte_a_second, 3, || store::open(&path));
        table.row(&format!("{of}: its line ends found"), a_gigabyte_a_second, 3, || {
            line_ends(&path)
        });
        let used = measure::in_a_fresh_process(&["memory", &path.to_string_lossy()]);
        table.memory(&format!("{of}: private memory, opened"), 300.0, used[0]);
        table.memory(&format!("{of}: private memory, with the files over time"), 300.0, used[1]);
    }
    mini_swe_agent(table, gigabytes << 10, 3);
}

/// What nobody who reads a log by lines can be quicker than.
fn line_ends(path: &Path) -> usize {
    let mut file = File::open(path).expect("it was made");
    let (mut block, mut ends) = (vec![0; 1 << 20], 0);
    loop {
        match file.read(&mut block) {
            Ok(0) | Err(_) => return ends,
            Ok(read) => ends += memchr::memchr_iter(b'\n', &block[..read]).count(),
        }
    }
}

fn first_words(opened: &store::OpenedRecording) -> Option<trajview::run::StepText> {
    let step = opened.run.steps_of_turn(0).into_iter().next()?;
    Some(opened.archive.step_text(&opened.run, step))
}

fn memory_after_opening(path: &Path) {
    measure::set_up_allocator();
    let opened = store::open(path).expect("it is a log");
    print!("{} ", measure::private_memory_at_rest());
    let timeline = opened.archive.timeline(&opened.run).expect("it has edits");
    print!("{} ", measure::private_memory_at_rest());
    drop((timeline, size_of::<Run>()));
}
