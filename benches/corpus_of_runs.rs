//! 100,000 small runs, three million turns: writing them as tables, by four shards and joined, asking the tables in SQL, and opening
//! them as the table of runs, with the memory that each takes. The shipped program, on runs that are made up once; with
//! `-- FOLDER COUNT` they are made there, and nothing is measured.

mod many_runs;
mod measure;
mod terminal;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use measure::{ProgramRun, Table, from_millis, run_program};
use terminal::Tui;

/// Memory at most, whatever is done.
const MOST_MEGABYTES: f64 = 500.0;

const SHARDS: usize = 4;

const GROUPED: &str = "select task_id, count(*), avg(input_tokens), sum(output_tokens) from turns \
                       group by task_id order by task_id";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    if let [folder, count] = words.as_slice() {
        let count = count.parse().expect("a number of runs");
        return many_runs::make_runs(Path::new(folder), count).expect("there is room for runs");
    }
    let in_full = std::env::args().any(|word| word == "--bench");
    let (count, rounds) = if in_full { (100_000, 3) } else { (40, 1) };
    let runs = measure::bench_folder().join(format!("runs-{count}"));
    many_runs::make_runs(&runs, count).expect("there is room for runs");
    let runs = runs.to_str().expect("the folder of temporary files has a plain name");
    let out = |name: &str| measure::bench_folder().join(format!("tables-{count}-{name}"));
    let [whole, parts, joined] = ["whole", "parts", "joined"].map(out);
    [&whole, &parts, &joined].into_iter().for_each(|it| drop(fs::remove_dir_all(it)));
    let mut table = Table::new();
    let of = |what: &str| format!("{count} runs: {what}");

    let one = run_program(&["export", runs, "--parquet", path_text(&whole)], &[]);
    print_run(&one, &mut table, &of("exported whole"), from_millis(600_000));
    let shards: Vec<ProgramRun> = (1..=SHARDS)
        .map(|shard| {
            let shard = format!("{shard}/{SHARDS}");
            run_program(&["export", runs, "--parquet", path_text(&parts), "--shard", &shard], &[])
        })
        .collect();
    for (shard, number) in shards.iter().zip(1..) {
        let what = of(&format!("shard {number} of {SHARDS}"));
        print_run(shard, &mut table, &what, from_millis(300_000));
    }
    let merged = run_program(&["merge", path_text(&parts), "--out", path_text(&joined)], &[]);
    print_run(&merged, &mut table, &of("shards joined"), from_millis(60_000));
    assert_eq!(
        folder_contents(&whole),
        folder_contents(&joined),
        "shards joined are not what one export wrote"
    );

    let asked: Vec<ProgramRun> =
        (0..rounds).map(|_| run_program(&["sql", GROUPED, path_text(&joined)], &[])).collect();
    let times = asked.iter().map(|it| it.took).collect();
    table.taken_with_cpu(&of("turns grouped by task in SQL"), from_millis(1_000), times);
    let memory = asked.iter().map(|it| it.megabytes).fold(0.0, f64::max);
    table.memory(&of("turns grouped by task in SQL, memory"), MOST_MEGABYTES, memory);
    for (what, path) in [("of the export", path_text(&joined)), ("of the folder", runs)] {
        let opened: Vec<Opened> = (0..rounds).map(|_| open_table(path, count)).collect();
        let first = opened.iter().map(|it| it.first).collect();
        table.taken(&of(&format!("table {what}, first rows")), from_millis(500), first);
        let all = opened.iter().map(|it| it.all).collect();
        table.taken(&of(&format!("table {what}, all listed")), from_millis(60_000), all);
        let keys = opened.iter().flat_map(|it| it.keys.iter().copied()).collect();
        table.taken(&of(&format!("table {what}, a key in W")), from_millis(16), keys);
        let memory = opened.iter().map(|it| it.megabytes).fold(0.0, f64::max);
        table.memory(&of(&format!("table {what}, memory")), MOST_MEGABYTES, memory);
    }
    table.end();
}

fn path_text(path: &Path) -> &str {
    path.to_str().expect("the folder of temporary files has a plain name")
}

fn print_run(ran: &ProgramRun, table: &mut Table, what: &str, bar: Duration) {
    table.taken_with_cpu(what, bar, vec![ran.took]);
    table.memory(&format!("{what}, memory"), MOST_MEGABYTES, ran.megabytes);
}

/// Every file of a folder by its name, with its bytes.
fn folder_contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("it was just written");
    let mut files: Vec<(PathBuf, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("it can be read").path();
            let bytes = fs::read(&path).expect("it can be read");
            (path.file_name().map(PathBuf::from).unwrap_or_default(), bytes)
        })
        .collect();
    files.sort();
    files
}

/// How a table opened.
struct Opened {
    first: Duration,
    all: Duration,
    /// From each key of a condition to the frame that shows it.
    keys: Vec<Duration>,
    megabytes: f64,
}

fn open_table(path: &str, count: usize) -> Opened {
    let mut tui = Tui::start_program(&["--view", "collection", path]);
    let first = tui.wait_until(|screen| screen.contains("run-0000"));
    let listed = format!("{count} runs");
    let is_listed = |screen: &str| screen.contains(&listed) && !screen.contains("searching runs");
    let all = if is_listed(&tui.contents()) { first } else { tui.wait_until(is_listed) };
    let (first, all) = (first - tui.started, all - tui.started);
    tui.settle();
    tui.press("W");
    tui.settle();
    let mut typed = String::new();
    let mut keys = vec![];
    for key in "turns > 30 and agent = 'codex'".chars() {
        typed.push(key);
        let shown = typed.trim_end().to_owned();
        keys.push(tui.time_of(&key.to_string(), |screen| screen.contains(&shown)));
    }
    tui.settle();
    Opened { first, all, keys, megabytes: tui.peak_memory() }
}
