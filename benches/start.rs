//! The start view: `trajview` alone, in a home folder with the sessions of five agents. How soon the first rows say when, what was
//! asked, and which agent; how soon they have everything; how soon all of them do, with and without what was kept from before. In the shipped program, in a terminal, on sessions that are
//! made up once.

mod logs;
mod measure;
mod terminal;

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant, UNIX_EPOCH},
};

use logs::{LogOptions, Tool};
use measure::{Table, Took, from_millis};
use terminal::Tui;

/// Columns and rows of the terminal: [`FIRST`] sessions fit on it.
const SIZE: [u16; 2] = [160, 66];

/// Rows that are there first.
const FIRST: usize = 50;

/// Bytes of a session: one of eleven is long.
const SHORT: usize = 500_000;
const LONG: usize = 6_000_000;

/// An agent: where it keeps sessions below the home folder, and what its logs are made from.
const AGENTS: [(&str, Shape); 5] = [
    (".claude/projects/-home-dev-{project}/{id}.jsonl", Shape::Made(Tool::Claude)),
    (".codex/sessions/2026/{day}/rollout-{id}.jsonl", Shape::Made(Tool::Codex)),
    (".pi/agent/sessions/{project}/{id}.jsonl", Shape::Repeated("pi.jsonl")),
    (".qwen/projects/{project}/chats/{id}.jsonl", Shape::Repeated("qwen-code.jsonl")),
    (".factory/sessions/{id}.jsonl", Shape::Repeated("droid.jsonl")),
];

#[derive(Clone, Copy)]
enum Shape {
    Made(Tool),
    /// The records of a sample again and again, with what commands print in them.
    Repeated(&'static str),
}

const PROJECTS: [&str; 6] = ["shop", "ledger", "router", "atlas", "mailer", "tinycalc"];

/// 2026-01-01 in seconds since 1970.
const FIRST_DAY: u64 = 1_767_225_600;

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let (sessions, first, rounds) = if in_full { (1_000, FIRST, 5) } else { (20, 10, 1) };
    let home = home_of(sessions).expect("there is room for sessions");
    let mut table = Table::new();
    let megabytes = size_of(&home) / 1_000_000;
    let of = |what: &str| format!("{sessions} sessions, {megabytes} MB, {what}");
    for (kept, bar) in [(Kept::Nothing, from_millis(2_000)), (Kept::All, from_millis(100))] {
        let opened: Vec<[Took; 3]> =
            (0..rounds).map(|_| open_home(&home, sessions, first, kept)).collect();
        let part = |at: usize| opened.iter().map(|took| took[at]).collect();
        let words = kept.words();
        table.taken_with_cpu(&of(&format!("{words}: {first} rows")), from_millis(100), part(0));
        table.taken_with_cpu(&of(&format!("{words}: {first} rows read whole")), bar, part(1));
        table.taken_with_cpu(&of(&format!("{words}: all rows read whole")), bar, part(2));
    }
    table.end();
}

/// What is known from the time before.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Nothing,
    All,
}

impl Kept {
    const fn words(self) -> &'static str {
        match self {
            Self::Nothing => "nothing kept",
            Self::All => "kept",
        }
    }
}

/// How the agents are called in their rows.
const NAMES: [&str; 5] = [" claude-code ", " codex ", " pi ", " qwen-code ", " droid "];

/// To the first rows that say when, what was asked and which agent; to the first that have everything; until the last does.
fn open_home(home: &Path, sessions: usize, first: usize, kept: Kept) -> [Took; 3] {
    if kept == Kept::Nothing {
        let _ = fs::remove_dir_all(home.join(".cache")); // it may not be there
    }
    let folder = home.to_str().expect("the folder of temporary files has a plain name");
    let cache = format!("{folder}/.cache");
    let variables = [("HOME", folder), ("XDG_CACHE_HOME", &cache), ("XDG_DATA_HOME", folder)];
    let mut tui = Tui::start_with(&[], SIZE, &variables);
    let is_told = |line: &&str| {
        let begins = line.trim_start_matches([' ', '▌']).starts_with("26-");
        begins && NAMES.iter().any(|name| line.contains(name))
    };
    let is_told = |screen: &str| screen.lines().filter(is_told).count() >= first;
    // The state is told once a session is read whole.
    let is_filled = |line: &&str| line.contains(" stopped ");
    let has_first = |screen: &str| screen.lines().filter(is_filled).count() >= first;
    let all = format!("{sessions} sessions");
    let is_read = |screen: &str| {
        let goes_on = screen.contains("reading") || screen.contains("searching");
        screen.contains(&all) && !goes_on && has_first(screen)
    };
    let took = |tui: &Tui, at: Instant| Took { clock: at - tui.started, cpu: tui.cpu_time() };
    let mut last = None;
    let mut at = |is_so: &dyn Fn(&str) -> bool| {
        let before = last.filter(|_| is_so(&tui.contents()));
        let now = before.unwrap_or_else(|| {
            let at = tui.wait_until(is_so);
            took(&tui, at)
        });
        last = Some(now);
        now
    };
    [at(&is_told), at(&has_first), at(&is_read)]
}

/// A home folder with so many sessions, each agent and project in turn, an hour between them; made once.
fn home_of(sessions: usize) -> io::Result<PathBuf> {
    let home = measure::bench_folder().join(format!("home-{sessions}"));
    for number in 0..sessions {
        let (place, shape) = AGENTS[number % AGENTS.len()];
        let project = PROJECTS[number / 7 % PROJECTS.len()];
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let day = format!("{:02}/{:02}", 1 + number / 28 % 12, 1 + number % 28);
        let place = place.replace("{project}", project).replace("{id}", &id).replace("{day}", &day);
        let path = home.join(place);
        if path.exists() {
            continue;
        }
        fs::create_dir_all(path.parent().expect("it is below the home folder"))?;
        let bytes = if number % 11 == 3 { LONG } else { SHORT };
        let text = match shape {
            Shape::Made(tool) => made_session(tool, number, bytes)?.replace(logs::SESSION, &id),
            Shape::Repeated(sample) => {
                repeat_sample(sample, bytes)?.replace("\"made\"", &format!("\"{id}\""))
            }
        };
        let text = text.replace("/home/dev/ledger", &format!("/home/dev/{project}"));
        let text = text.replace("/work/tinycalc", &format!("/home/dev/{project}"));
        let mut file = File::create(&path)?;
        file.write_all(text.as_bytes())?;
        let written = FIRST_DAY + number as u64 * 3_600;
        file.set_modified(UNIX_EPOCH + Duration::from_secs(written))?;
    }
    Ok(home)
}

fn made_session(tool: Tool, number: usize, bytes: usize) -> io::Result<String> {
    let options = LogOptions { seed: number as u64 + 1, ..LogOptions::with_size(tool, bytes) };
    let mut log = vec![];
    logs::write_log(&mut log, options)?;
    Ok(String::from_utf8_lossy(&log).into_owned())
}

/// The sample's records until there are so many bytes; with what a command printed there are three kilobytes a record, as in
/// real sessions.
fn repeat_sample(sample: &str, bytes: usize) -> io::Result<String> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs/logs").join(sample);
    let records = fs::read_to_string(sample)?;
    let (first, rest) = records.split_once('\n').unwrap_or_default();
    let printed = "tests/basket.py::test_total of an empty basket passed ".repeat(440);
    let rest = rest.replace("ZeroDivisionError: division by zero", &printed);
    let times = bytes / rest.len();
    Ok(format!("{first}\n{}", rest.repeat(times.max(1))))
}

fn size_of(folder: &Path) -> u64 {
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_of(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(size).sum()
}
