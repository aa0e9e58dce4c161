//! Logs of lines by how many bytes a second they are indexed, archives beside what unpacking them takes, and a table of
//! Parquet rows: all of them, one of them, and the memory that takes.

mod measure;

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use measure::{Table, from_millis};
use trajview::{
    formats::{FORMATS, RecordingShape},
    store,
};

/// Of what a command prints, so much stands in every log: two to three kilobytes a line then, as in real sessions.
const PRINTED: usize = 24_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["rows", path] => memory_of_rows(Path::new(path)),
        words => measure_formats(words.contains(&"--bench")),
    }
}

fn measure_formats(in_full: bool) {
    let (size, rows) = if in_full { (100 << 20, 80_000) } else { (1 << 20, 1_000) };
    let folder = measure::bench_folder();
    fs::create_dir_all(&folder).expect("there is room for a folder");
    let mut table = Table::new();
    for format in FORMATS {
        let sample =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs").join(format.sample_path());
        if format.capabilities().shape != RecordingShape::Lines
            || !sample.to_string_lossy().ends_with(".jsonl")
        {
            continue;
        }
        let log =
            repeat_sample(&sample, &folder.join(format!("{size}-{}.jsonl", format.name())), size);
        // 400 MB a second.
        let bar = Duration::from_secs_f64(size as f64 / 400e6);
        table.row(&format!("{}: index of {} MB", format.name(), size >> 20), bar, 5, || {
            store::open(&log).expect("it is a log")
        });
    }
    measure_archive(&mut table, &folder, size);
    parquet_rows(&mut table, &folder, rows);
    table.end();
}

/// A log of that size: the sample's lines again and again, with what commands print in them.
fn repeat_sample(sample: &Path, path: &Path, size: usize) -> PathBuf {
    if path.exists() {
        return path.to_owned();
    }
    let text = fs::read_to_string(sample).expect("there is a sample");
    // Words in no order, so that an archive of them is no smaller than one of what programs print.
    let mut seed = 1_u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:04x} ", (seed >> 33) % 40_009)
    };
    let (first, rest) = text.split_once('\n').expect("it has lines");
    let mut log = File::create(path).expect("there is room for a log");
    writeln!(log, "{first}").expect("there is room");
    let mut written = 0;
    while written < size {
        let printed: String = (0..PRINTED / 5).map(|_| word()).collect();
        let more = rest.replace("ZeroDivisionError: division by zero", &printed);
        log.write_all(more.as_bytes()).expect("there is room");
        written += more.len();
    }
    path.to_owned()
}

fn measure_archive(table: &mut Table, folder: &Path, size: usize) {
    let (log, path) = (folder.join(format!("{size}-pi.jsonl")), folder.join(format!("{size}.zip")));
    let content = fs::read(&log).expect("it was made above");
    if !path.exists() {
        let mut zip = zip::ZipWriter::new(File::create(&path).expect("there is room"));
        let options = zip::write::SimpleFileOptions::default();
        for number in 0..4 {
            zip.start_file(format!("run-{number}/pi.jsonl"), options).expect("there is room");
            zip.write_all(&content[..content.len() / 4]).expect("there is room");
        }
        zip.finish().expect("there is room");
    }
    let unpacked = || {
        let mut zip = zip::ZipArchive::new(File::open(&path).expect("it is there")).expect("a zip");
        let mut bytes = vec![];
        for at in 0..zip.len() {
            bytes.clear();
            zip.by_index(at).expect("it is there").read_to_end(&mut bytes).expect("it unpacks");
        }
        bytes.len()
    };
    let mut taken: Vec<Duration> = (0..5)
        .map(|_| {
            let begun = Instant::now();
            unpacked();
            begun.elapsed()
        })
        .collect();
    taken.sort();
    let what = format!("zip of {} MB: every run indexed (bar: twice to unpack it)", size >> 20);
    table.row(&what, taken[2] * 2, 3, || {
        let runs = store::runs_below(&path);
        runs.iter().map(|run| store::open(run).expect("it is a log").run.turns.len()).sum::<usize>()
    });
}

/// A table in the layout of a published set, about 12 KB a row, kept uncompressed: a gigabyte of 80,000.
fn parquet_rows(table: &mut Table, folder: &Path, rows: usize) {
    let path = folder.join(format!("{rows}.parquet"));
    if !path.exists() {
        write_rows(&path, rows);
    }
    let size = fs::metadata(&path).map_or(0, |it| it.len() >> 20);
    let of = format!("Parquet, {rows} rows, {size} MB");
    let shown = path.to_string_lossy();
    let used = measure::in_a_fresh_process(&["rows", &shown]);
    // What was opened once is known: in a process of its own.
    table.taken(
        &format!("{of}: the names of all"),
        from_millis(500),
        vec![Duration::from_secs_f64(used[0])],
    );
    let last = store::runs_below(&path).pop().expect("it has rows");
    table.row(&format!("{of}: a row"), from_millis(100), 11, || {
        store::open(&last).expect("it is a run")
    });
    table.memory(&format!("{of}: memory at most"), 200.0, used[1]);
}

fn write_rows(path: &Path, rows: usize) {
    let text = |number: usize| {
        let step = |at: usize| {
            let words =
                format!("{number:08} {at:04} what was said and done in this step; ").repeat(12);
            format!("{{\"role\": \"assistant\", \"content\": \"{words}\"}}")
        };
        let steps: Vec<String> = (0..18).map(step).collect();
        format!("[{{\"role\": \"user\", \"content\": \"mend it\"}}, {}]", steps.join(", "))
    };
    let batch = |first: usize, count: usize| {
        let numbers = first..first + count;
        let ids: ArrayRef =
            Arc::new(StringArray::from_iter_values(numbers.clone().map(|it| format!("task-{it}"))));
        let said: ArrayRef = Arc::new(StringArray::from_iter_values(numbers.clone().map(text)));
        let solved: ArrayRef =
            Arc::new(BooleanArray::from(numbers.map(|it| it % 3 == 0).collect::<Vec<bool>>()));
        RecordBatch::try_from_iter([("instance_id", ids), ("messages", said), ("resolved", solved)])
            .expect("columns of one length")
    };
    let groups = parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(1_000))
        .set_dictionary_enabled(false)
        .build();
    let file = File::create(path).expect("there is room");
    let schema = batch(0, 1).schema();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, schema, Some(groups)).expect("a file");
    for first in (0..rows).step_by(1_000) {
        writer.write(&batch(first, 1_000.min(rows - first))).expect("there is room");
    }
    writer.close().expect("there is room");
}

/// Seconds until all rows have their names, and the memory at most until one of them is open, in MB.
fn memory_of_rows(path: &Path) {
    let begun = Instant::now();
    let runs = store::runs_below(path);
    print!("{} ", begun.elapsed().as_secs_f64());
    store::open(&runs[runs.len() / 2]).expect("it is a run");
    print!("{} ", measure::peak_memory_of(std::process::id()).unwrap_or_default() / 1024.0);
}
