//! From the moment a turn is written to the run that has it.

mod logs;
mod measure;

use std::{
    fs,
    io::Write,
    path::Path,
    sync::mpsc::{Receiver, channel},
};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};
use trajview::store::{self, Follower};

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let sizes: &[usize] = if in_full { &[1, 20, 200] } else { &[1] };
    let mut table = Table::new();
    for tool in Tool::ALL {
        for &size in sizes {
            let log = logs::make_log(
                &measure::bench_folder(),
                &size.to_string(),
                LogOptions::with_size(tool, size << 20),
            );
            let folder = tempfile::tempdir().expect("there is room for a folder");
            let path = folder.path().join("rollout-live.jsonl");
            fs::copy(log.expect("there is room for a log"), &path)
                .expect("there is room for a copy");
            let mut more = vec![];
            logs::write_log(&mut more, LogOptions::with_size(tool, 1))
                .expect("memory takes everything");
            let (mut follower, changes) = start_follower(&path);
            let what = format!("{} {size} MB: from the write to the run", tool.name());
            table.row(&what, from_millis(200), 11, || {
                append_lines(&path, &more, &mut follower, &changes)
            });
        }
    }
    table.end();
}

fn start_follower(path: &Path) -> (Follower, Receiver<()>) {
    let (sender, changes) = channel();
    let told = move || sender.send(()).unwrap_or_default();
    let mut follower = store::follow_recording(path, told).expect("it is a log");
    follower.open().expect("it is a log");
    (follower, changes)
}

fn append_lines(path: &Path, more: &[u8], follower: &mut Follower, changes: &Receiver<()>) {
    while changes.try_recv().is_ok() {}
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("it is our own file");
    file.write_all(more).expect("there is room for a turn");
    changes.recv().expect("the follower lives");
    follower.open().expect("it is a log");
}
