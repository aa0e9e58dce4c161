#![no_main]

mod read;

use trajview::formats::{self, SourceBytes};

// NUL bytes part the files of one problem, in this order; what is missing is not there.
const NAMES: [&str; 12] = [
    "p/checkpoint_1/agent/stdout.jsonl",
    "p/checkpoint_1/diff.json",
    "p/checkpoint_1/evaluation.json",
    "p/checkpoint_1/evaluation/report.json",
    "p/checkpoint_1/rubric.jsonl",
    "p/checkpoint_1/inference_result.json",
    "p/checkpoint_1/quality_analysis/overall_quality.json",
    "p/checkpoint_10/agent/trajectory.json",
    "p/checkpoint_10/rubric.jsonl",
    "p/run_info.yaml",
    "config.yaml",
    "checkpoint_results.jsonl",
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let parts = bytes.split(|byte| *byte == 0);
    let sources: Vec<SourceBytes<'_>> =
        NAMES.iter().zip(parts).map(|(name, bytes)| SourceBytes { name, bytes }).collect();
    read::read_sources("slopcodebench", &sources);
    let format =
        formats::format_by_name("slopcodebench").expect("the target names a format of the list");
    let Ok(run) = format.index_run(&sources) else { return };
    let records = run.checkpoints.iter().filter_map(|checkpoint| checkpoint.recorded.as_ref());
    for record in records {
        for file in record.changes.iter().flat_map(|changes| &changes.files) {
            let source = sources[file.edit.place.source.0 as usize].bytes;
            let _ = format.recorded_edit(file.edit.place.bytes_in(source), &file.edit);
        }
        for case in record.tests.iter().flat_map(|tests| &tests.cases) {
            if let Some(place) = case.failure {
                let _ = format.failure_text(place.bytes_in(sources[place.source.0 as usize].bytes));
            }
        }
        for value in &record.values {
            assert!(value.value.as_number().is_none_or(f64::is_finite));
        }
    }
});
