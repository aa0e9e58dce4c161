//! A bundle of 5,000 turns and 20,000 files: how soon there is something to see, what `show` costs, and the memory of
//! both; spread over folders and all in one, made bit by bit and changed one or many at a time. In the shipped program;
//! the bundles are made up once, by `git fast-import`, which takes a minute for those with everything in one folder.

mod measure;
mod terminal;

use std::{
    fmt::Write as _,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use measure::{Table, from_millis};
use terminal::Tui;

/// A made-up run.
#[derive(Clone, Copy)]
struct Shape {
    turns: usize,
    files: usize,
    layout: Layout,
    work: Work,
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// A hundred files a folder.
    Spread,
    OneFolder,
}

/// What each turn does.
#[derive(Clone, Copy)]
enum Work {
    /// It makes its share of the files and adds to one that is there.
    Makes,
    /// It adds to so many of the files, all of which are there after the first turn.
    Changes(usize),
}

impl Shape {
    fn words(self) -> String {
        let layout = if self.layout == Layout::Spread { "spread" } else { "one folder" };
        let work = match self.work {
            Work::Makes => "made".to_owned(),
            Work::Changes(count) => format!("{count} changed"),
        };
        format!("{}, {layout}, {work}", self.turns)
    }
}

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let (turns, files, rounds) = if in_full { (5_000, 20_000, 3) } else { (50, 200, 1) };
    let mut table = Table::new();
    for layout in [Layout::Spread, Layout::OneFolder] {
        for work in [Work::Makes, Work::Changes(1), Work::Changes(files / 100)] {
            let turns = if let Work::Changes(200) = work { 1_000 } else { turns };
            measure_shape(Shape { turns, files, layout, work }, rounds, &mut table);
        }
    }
    table.end();
}

fn measure_shape(shape: Shape, rounds: usize, table: &mut Table) {
    let bundle = make_bundle(shape).expect("there is room for a bundle, and git to make it");
    let path = bundle.to_str().expect("the folder of temporary files has a plain name");
    let of = |what: &str| format!("{}: {what}", shape.words());
    let first: Vec<Seen> = (0..rounds).map(|_| first_frame(path)).collect();
    table.taken(&of("first frame"), from_millis(300), first.iter().map(|it| it.took).collect());
    table.taken(
        &of("first frame, all cores"),
        from_millis(300),
        first.iter().map(|it| it.cpu).collect(),
    );
    let shown: Vec<Shown> = (0..rounds).map(|_| run_show(path)).collect();
    let most = most_of_show(shape, &bundle);
    table.taken(&of("show"), most, shown.iter().map(|it| it.took).collect());
    table.taken(&of("show, all cores"), 2 * most, shown.iter().map(|it| it.cpu).collect());
    table.memory(&of("memory of show, at most"), 300.0, shown[0].megabytes);
    table.memory(&of("memory of the screen at rest"), 300.0, memory_at_rest(path));
}

/// The bar of `show`: two seconds; where many files changed at each turn, so that it has as many differences to count as
/// `git log --numstat`, twice what that takes.
fn most_of_show(shape: Shape, bundle: &Path) -> Duration {
    let many = matches!(shape.work, Work::Changes(count) if count > 1);
    if !many {
        return from_millis(2_000);
    }
    let begun = Instant::now();
    let mut counted = git_command(&bundle.join("workspace.git"), &["log", "--all", "--numstat"]);
    let ended = counted.stdout(Stdio::null()).status();
    assert!(ended.is_ok_and(|it| it.success()), "git counts the lines of the bundle");
    2 * begun.elapsed()
}

struct Seen {
    took: Duration,
    cpu: Duration,
}

fn first_frame(bundle: &str) -> Seen {
    let mut tui = Tui::start_program(&[bundle]);
    let seen = tui.wait_until(|screen| screen.contains("request 2"));
    Seen { took: seen - tui.started, cpu: from_millis(tui.ticks().unwrap_or_default() * 10) }
}

/// With the files over time and the scores of what is on screen.
fn memory_at_rest(bundle: &str) -> f64 {
    let mut tui = Tui::start_program(&[bundle]);
    tui.wait_until(|screen| screen.contains("request 2"));
    tui.settle();
    tui.peak_memory()
}

struct Shown {
    took: Duration,
    cpu: Duration,
    megabytes: f64,
}

fn run_show(bundle: &str) -> Shown {
    let (cpu, begun) = (cpu_of_children(), Instant::now());
    let mut child = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["show", bundle])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program was built with this bench");
    let mut kilobytes = 0.0;
    while child.try_wait().is_ok_and(|ended| ended.is_none()) {
        kilobytes = measure::peak_memory_of(child.id()).unwrap_or(kilobytes);
        std::thread::sleep(from_millis(2));
    }
    Shown {
        took: begun.elapsed(),
        cpu: cpu_of_children().saturating_sub(cpu),
        megabytes: kilobytes / 1024.0,
    }
}

/// Of processes that have ended.
fn cpu_of_children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let words = after_name.split_whitespace().skip(13).take(2);
    let ticks: u64 = words.filter_map(|word| word.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Made once.
fn make_bundle(shape: Shape) -> io::Result<PathBuf> {
    let Shape { turns, files, .. } = shape;
    let name = shape.words().replace(", ", "-").replace(' ', "-");
    let bundle = measure::bench_folder().join(format!("large-{files}-{name}"));
    if bundle.join("run.json").exists() {
        return Ok(bundle);
    }
    let repository = bundle.join("workspace.git");
    fs::create_dir_all(bundle.join("session"))?;
    git_command(&repository, &["init", "-q", "--bare"]).status()?;
    let mut import =
        git_command(&repository, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
    let mut input = import.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut log = String::from(META);
    for turn in 0..turns {
        write_commit(&mut input, turn, shape)?;
        write_turn(&mut log, turn);
    }
    drop(input);
    import.wait()?;
    fs::write(bundle.join("session/rollout.jsonl"), log)?;
    write_manifest(&bundle, &repository, turns)?; // last: with it the bundle is whole
    Ok(bundle)
}

fn git_command(repository: &Path, words: &[&str]) -> Command {
    fs::create_dir_all(repository).unwrap_or_default(); // git says what is wrong then
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(repository).args(words);
    command
}

fn file_name(file: usize, layout: Layout) -> String {
    match layout {
        Layout::Spread => format!("src/part_{:03}/file_{file:05}.py", file / 100),
        Layout::OneFolder => format!("file_{file:05}.py"),
    }
}

fn file_content(file: usize, additions: usize) -> String {
    let functions = 0..8 + additions;
    functions.map(|at| format!("def f_{file}_{at}(a, b):\n    return a * {at} + b\n\n")).collect()
}

fn write_commit(input: &mut impl io::Write, turn: usize, shape: Shape) -> io::Result<()> {
    writeln!(input, "commit refs/heads/main\ncommitter a <a@b> {} +0000", 1_700_000_000 + turn)?;
    write!(input, "data 4\nturn\n")?;
    for (file, additions) in changed_files(turn, shape) {
        let text = file_content(file, additions);
        let name = file_name(file, shape.layout);
        write!(input, "M 100644 inline {name}\ndata {}\n{text}\n", text.len())?;
    }
    Ok(())
}

/// The files a turn writes, and how much was added to each so far.
fn changed_files(turn: usize, Shape { turns, files, work, .. }: Shape) -> Vec<(usize, usize)> {
    /// No divisor of any count of files here: the changes go all over the place.
    const STRIDE: usize = 7_919;
    match (work, turn) {
        (Work::Makes, turn) => {
            let each = files / turns;
            let new = (turn * each..(turn + 1) * each).map(|file| (file, 0));
            new.chain(turn.checked_sub(1).map(|before| (before * each / 2, 1))).collect()
        }
        (Work::Changes(_), 0) => (0..files).map(|file| (file, 0)).collect(),
        (Work::Changes(count), turn) => {
            (0..count).map(|at| ((turn * count + at) * STRIDE % files, turn % 40 + 1)).collect()
        }
    }
}

const META: &str = "{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\
    \"01a2006a-f29d-7d63-a9a5-2723685d1219\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/w\",\"originator\":\
    \"codex_exec\",\"cli_version\":\"0.150.0\",\"source\":\"exec\"}}\n";

fn write_turn(log: &mut String, turn: usize) {
    let records = [
        format!("\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"request {}\"}}", turn + 1),
        format!(
            "\"response_item\",\"payload\":{{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":\"{{\\\"command\\\":\
             [\\\"make\\\"]}}\",\"call_id\":\"c{turn}\"}}"
        ),
        format!(
            "\"response_item\",\"payload\":{{\"type\":\"function_call_output\",\"call_id\":\"c{turn}\",\"output\":\"ok\"}}"
        ),
        "\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\
         \"text\":\"done\"}]}"
            .to_owned(),
    ];
    for record in records {
        writeln!(log, "{{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"type\":{record}}}")
            .expect("writing to memory does not fail");
    }
}

/// Records of one turn in the log.
const RECORDS: usize = 4;

fn write_manifest(bundle: &Path, repository: &Path, turns: usize) -> io::Result<()> {
    let listed = git_command(repository, &["rev-list", "--reverse", "refs/heads/main"]).output()?;
    let commits = String::from_utf8_lossy(&listed.stdout).into_owned();
    let row = |(turn, commit): (usize, &str)| {
        let (first, last) = (turn * RECORDS + 2, turn * RECORDS + RECORDS + 1);
        format!(
            "{{\"turn\":{},\"commit\":\"{commit}\",\"session\":\"rollout.jsonl\",\"first_line\":{first},\
             \"last_line\":{last}}}",
            turn + 1
        )
    };
    let rows: Vec<String> = commits.lines().take(turns).enumerate().map(row).collect();
    let mut file = fs::File::create(bundle.join("run.json"))?;
    writeln!(
        file,
        "{{\"schema\":\"trajview.run/1\",\"id\":\"large\",\"title\":\"made-up run\",\"agent\":{{\"name\":\"codex\",\
         \"version\":\"0.150.0\"}},\"model\":\"made-up\",\"turns\":[{}]}}",
        rows.join(",")
    )
}
