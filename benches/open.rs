//! From a path to the first frame: starting, finding, indexing, and the memory that stays.

mod logs;
mod measure;

use std::{path::Path, process::Command};

use logs::{LogOptions, Tool};
use measure::{Table, ms};
use trajview::{run::Run, store};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["memory", path] => memory_after_opening(Path::new(path)),
        ["index", path] => drop(store::open(Path::new(path))),
        words => bench(words.contains(&"--bench")),
    }
}

fn bench(in_full: bool) {
    let sizes: &[(usize, u64, u64, f64)] =
        &[(1, 50, 25, 30.0), (20, 50, 50, 30.0), (200, 100, 250, 60.0)];
    let sizes = if in_full { sizes } else { &sizes[..1] };
    let mut table = Table::new();
    let empty = tempfile::tempdir().expect("there is room for a folder");
    table.row("start and stop the program", ms(20), 20, || {
        Command::new(env!("CARGO_BIN_EXE_trajview")).arg("ls").arg(empty.path()).output()
    });
    for tool in Tool::ALL {
        for &(size, first_frame, index, memory) in sizes {
            let options = LogOptions::of(tool, size << 20);
            let path = logs::make(&measure::folder(), &size.to_string(), options)
                .expect("there is room for a log");
            let of = format!("{} {size} MB", tool.name());
            table.row(&format!("{of}: open, first turn's words"), ms(first_frame), 11, || {
                let head = store::open_head(&path);
                let opened = head.unwrap_or_else(|| store::open(&path).expect("it is a log"));
                let words = opened.archive.request(&opened.run, 0);
                (first_words(&opened), words)
            });
            table.row(&format!("{of}: index complete"), ms(index), 11, || store::open(&path));
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
    table.end();
}

fn first_words(opened: &store::Opened) -> Option<trajview::run::StepText> {
    let step = opened.run.steps_of_turn(0).into_iter().next()?;
    Some(opened.archive.step_text(&opened.run, step))
}

fn memory_after_opening(path: &Path) {
    measure::give_back_soon();
    let opened = store::open(path).expect("it is a log");
    print!("{} ", measure::private_memory_at_rest());
    let timeline = opened.archive.timeline(&opened.run).expect("it has edits");
    print!("{} ", measure::private_memory_at_rest());
    drop((timeline, size_of::<Run>()));
}
