//! What somebody waits for once a recording is open: a step's words, a search, a diff.

mod logs;
mod measure;

use logs::{LogOptions, NEEDLE, Tool};
use measure::{Table, from_millis};
use trajview::{
    run::search::{QuerySyntax, SearchQuery},
    store,
};

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let size = if in_full { 200 } else { 1 };
    let mut table = Table::new();
    for tool in Tool::ALL {
        measure_jump(&mut table, tool);
        measure_search(&mut table, tool, size);
        measure_diff(&mut table, tool);
    }
    table.end();
}

fn open_log(tool: Tool, name: &str, options: LogOptions) -> store::OpenedRecording {
    let path =
        logs::make_log(&measure::bench_folder(), name, options).expect("there is room for a log");
    store::open(&path).unwrap_or_else(|why| panic!("{}: {why}", tool.name()))
}

fn measure_jump(table: &mut Table, tool: Tool) {
    let options = LogOptions { last_output: 2 << 20, ..LogOptions::with_size(tool, 3 << 20) };
    let opened = open_log(tool, "big-step", options);
    let last = opened.run.turns.len() - 1;
    let steps = opened.run.steps_of_turn(last);
    let size = |id| opened.archive.step_text(&opened.run, id).result.map_or(0, |text| text.len());
    let big = steps.iter().copied().max_by_key(|id| size(*id)).expect("a turn has steps");
    assert!(size(big) >= 2 << 20);
    table.row(
        &format!("{}: words of a step with 2 MB of output", tool.name()),
        from_millis(33),
        21,
        || opened.archive.step_text(&opened.run, big),
    );
    table.row(
        &format!("{}: last turn, every label and request", tool.name()),
        from_millis(33),
        21,
        || (opened.run.steps_of_turn(last), opened.archive.request_with_added(&opened.run, last)),
    );
}

fn measure_search(table: &mut Table, tool: Tool, size: usize) {
    let opened = open_log(tool, &size.to_string(), LogOptions::with_size(tool, size << 20));
    let patterns = [
        ("a word, once", NEEDLE, QuerySyntax::Literal),
        ("a regex, once", r"needle of \w+ under", QuerySyntax::Regex),
        ("a regex without a literal, nowhere", r"[wxyz]{9}\d+", QuerySyntax::Regex),
    ];
    for (what, pattern, syntax) in patterns {
        let query = SearchQuery { pattern: pattern.into(), syntax };
        let what = format!("{} {size} MB: search to the end, {what}", tool.name());
        table.row(&what, from_millis(500), 7, || {
            let mut hits = 0;
            let searched = opened.archive.search(&opened.run, &query, &mut |_| {
                hits += 1;
                true
            });
            assert!(searched.is_ok() && hits == usize::from(pattern.contains("needle")));
        });
    }
}

fn measure_diff(table: &mut Table, tool: Tool) {
    let options = LogOptions { file_lines: 5_000, ..LogOptions::with_size(tool, 6 << 20) };
    let opened = open_log(tool, "long-files", options);
    let timeline = opened.archive.timeline(&opened.run).expect("it has edits");
    let mut all = timeline.turns.iter().flat_map(|turn| &turn.changes);
    let edited = all.rfind(|change| change.file_before().is_some()).expect("files were edited");
    table.row(
        &format!("{}: diff of a file of 5,000 lines", tool.name()),
        from_millis(10),
        21,
        || opened.archive.file_diff(&opened.run, edited, 3),
    );
}
