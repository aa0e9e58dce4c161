//! What a commit of a live run costs: 50,000 small files that are new, and the same when nothing changed.

mod measure;

use std::{fs, path::Path, time::Duration, time::Instant};

use measure::Table;
use trajview::{
    run::Time,
    store::workspace::{CommitNote, RecordingObserver, RecordingRules, WorkspaceHistory},
};

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let (count, rounds) = if in_full { (50_000, 3) } else { (500, 1) };
    let workspace = tempfile::tempdir().expect("there is room for a folder");
    make_files(workspace.path(), count);
    let mut table = Table::new();
    let (mut first, mut second) = (vec![], vec![]);
    for _ in 0..rounds {
        let bundle = tempfile::tempdir().expect("there is room for a folder");
        let rules =
            RecordingRules::new(&["**/__pycache__"], false, 16 << 20).expect("a plain pattern");
        let history = WorkspaceHistory::create(bundle.path(), rules)
            .expect("a new folder takes a repository");
        let mut parent = None;
        for times in [&mut first, &mut second] {
            let began = Instant::now();
            let note = CommitNote { title: "turn", trailers: &[], at: Time(0) };
            let onlooker = RecordingObserver { cover: &|_| false, count: &mut |_| {} };
            let taken = history.record_commit(workspace.path(), parent.as_deref(), &note, onlooker);
            parent = Some(taken.expect("a workspace can be recorded").commit);
            times.push(began.elapsed());
        }
    }
    let bar = Duration::from_secs(10);
    table.taken(&format!("{count} new files"), bar, first);
    table.taken(&format!("{count} files, nothing changed"), bar, second);
    table.end();
}

/// Small files of source, 50 in a folder, with a list of ignored ones as projects have it.
fn make_files(folder: &Path, count: usize) {
    fs::write(folder.join(".gitignore"), "*.log\nbuild/\n").expect("there is room for a file");
    for number in 0..count {
        let inner = folder.join(format!("package{}/part{}", number / 2_500, number / 50));
        fs::create_dir_all(&inner).expect("there is room for a folder");
        let text = format!("def function_{number}(a, b):\n    return a + b * {number}\n").repeat(8);
        fs::write(inner.join(format!("file{number}.py")), text).expect("there is room for a file");
    }
}
