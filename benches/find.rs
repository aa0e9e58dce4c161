//! Words in many sessions: how fast the index is made and with how much memory, how soon it answers, and what reading
//! everything takes, beside ripgrep where there is one.
//!
//! On logs that are made up once; `TRAJVIEW_BENCH_SESSIONS` names a folder of real ones in their place, and
//! `TRAJVIEW_BENCH_GB` says how many gigabytes are made up.

mod logs;
mod measure;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use logs::{LogOptions, NEEDLE, Tool};
use measure::{Table, from_millis};
use trajview::{
    run::{
        Time,
        lookup::{Lookup, LookupTotals},
    },
    store::lookup::{BuildOutcome, LookupMessage, RunFinder, build_index, delete_index},
};

/// Bytes of a log.
const LOG: usize = 4 << 20;

/// Bytes that are to be indexed in a second.
const BAR: u64 = 100_000_000;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let [_, word, index, folder] = &words[..]
        && word == "index"
    {
        return index_alone(Path::new(index), Path::new(folder));
    }
    let in_full = words.iter().any(|word| word == "--bench");
    let folder = sessions_folder(in_full).expect("there is room for logs");
    let index = measure::bench_folder().join("find/words.sqlite");
    let bytes = size_of(&folder);
    let of = |what: &str| format!("{} MB of sessions: {what}", bytes / 1_000_000);
    let mut table = Table::new();

    let bar = Duration::from_secs_f64(bytes as f64 / BAR as f64);
    delete_index(&index).expect("the index of the bench is ours");
    let [path, below] = [&index, &folder].map(|path| path.to_str().expect("a plain name"));
    let told = measure::in_a_fresh_process(&["index", path, below]);
    let [seconds, peak] = told[..] else { panic!("the process that indexes has failed: {told:?}") };
    table.taken(&of("indexed, at 100 MB/s"), bar, vec![Duration::from_secs_f64(seconds)]);
    table.memory(&of("memory while it is indexed, at most"), 300.0, peak / 1024.0);
    let made = fs::metadata(&index).map_or(0, |meta| meta.len());
    println!("{:<58} {:>10.1} MB", of("the index"), made as f64 / 1e6);

    let rounds = if in_full { 7 } else { 1 };
    for (what, lookup) in [
        ("words of one place", NEEDLE),
        ("a word that is everywhere", "harbour"),
        ("a word of one place that failed", "error: needlework"),
        ("a word that is nowhere", "nowhereatall"),
    ] {
        let asked: Vec<Asked> =
            (0..rounds).map(|_| ask_lookup(&folder, Some(&index), lookup)).collect();
        let first = asked.iter().map(|asked| asked.first.unwrap_or(asked.indexed)).collect();
        table.taken(&of(&format!("{what}, answered")), from_millis(50), first);
        let whole = asked.iter().map(|asked| asked.whole).collect();
        table.taken(&of(&format!("{what}, and all files looked at")), from_millis(3_000), whole);
    }
    beside_ripgrep(&folder, &of);
    table.end();
}

/// Indexes and prints the seconds that took and the most memory (kB).
fn index_alone(index: &Path, folder: &Path) {
    let begun = Instant::now();
    let built = build_index(index, &[folder.to_owned()], &|| true, &mut |_| {});
    assert!(matches!(built, Ok(BuildOutcome::Done(_))), "{built:?}");
    let peak = measure::peak_memory_of(std::process::id()).unwrap_or_default();
    println!("{} {peak}", begun.elapsed().as_secs_f64());
}

/// How long a question took.
struct Asked {
    /// To the first run with hits; None where there is none.
    first: Option<Duration>,
    /// Until the index had nothing more to say.
    indexed: Duration,
    whole: Duration,
    looked: LookupTotals,
}

fn ask_lookup(folder: &Path, index: Option<&Path>, lookup: &str) -> Asked {
    let lookup = Lookup::parse(lookup, Time(0)).expect("it can be looked for");
    let begun = Instant::now();
    let (mut first, mut last) = (None, None);
    let finder = RunFinder { lookup: &lookup, index, keep_going: &|| true };
    let looked = finder.find_in_runs(&[folder.to_owned()], &mut |told| {
        if let LookupMessage::Found(_) = told {
            first.get_or_insert_with(|| begun.elapsed());
            last = Some(begun.elapsed());
        }
        true
    });
    let whole = begun.elapsed();
    Asked { first, indexed: last.unwrap_or(whole), whole, looked }
}

/// What reading everything takes, here and there. ripgrep reads the files as they lie there: it knows no turns, and finds a
/// word also where it stands in what no turn says.
fn beside_ripgrep(folder: &Path, of: &dyn Fn(&str) -> String) {
    let said = |what: &str, took: Duration, lines: usize| {
        println!("{:<58} {:>10.2} s {lines:>10} lines", of(what), took.as_secs_f64());
    };
    for lookup in [NEEDLE, "harbour"] {
        let asked = ask_lookup(folder, None, lookup);
        said(&format!("`{lookup}`, without an index"), asked.whole, asked.looked.hits);
        let begun = Instant::now();
        let search =
            ["--ignore-case", "--word-regexp", "--fixed-strings", "--no-ignore", "--json", lookup];
        match Command::new("rg").args(search).arg(folder).output() {
            Ok(output) => {
                let took = begun.elapsed();
                let is_match = |line: &&[u8]| line.starts_with(b"{\"type\":\"match\"");
                let lines = output.stdout.split(|byte| *byte == b'\n').filter(is_match).count();
                said(&format!("`{lookup}`, ripgrep"), took, lines);
            }
            Err(_) => println!("{:<58} rg is not installed", of(&format!("`{lookup}`, ripgrep"))),
        }
    }
}

/// The folder of the sessions that are measured with.
fn sessions_folder(in_full: bool) -> io::Result<PathBuf> {
    if let Some(folder) = std::env::var_os("TRAJVIEW_BENCH_SESSIONS") {
        return Ok(folder.into());
    }
    let gigabytes = std::env::var("TRAJVIEW_BENCH_GB").ok().and_then(|words| words.parse().ok());
    let (logs, bytes) = match in_full {
        true => ((gigabytes.unwrap_or(1.0) * 1e9 / LOG as f64) as usize, LOG),
        false => (4, 200_000),
    };
    let folder = measure::bench_folder().join(format!("find/sessions-{logs}"));
    fs::create_dir_all(&folder)?;
    for number in 0..logs {
        let path = folder.join(format!("{number:08x}.jsonl"));
        if path.exists() {
            continue;
        }
        let tool = Tool::ALL[number % Tool::ALL.len()];
        let options = LogOptions { seed: number as u64 + 1, ..LogOptions::with_size(tool, bytes) };
        let mut log = vec![];
        logs::write_log(&mut log, options)?;
        let session = format!("{number:08x}-0000-4000-8000-000000000000");
        let mut text = String::from_utf8_lossy(&log).replace(logs::SESSION, &session);
        // One of them has the words of one place.
        if number > 0 {
            text = text.replace(NEEDLE, "nothing of the kind");
        }
        fs::write(path, text)?;
    }
    Ok(folder)
}

fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_of(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
