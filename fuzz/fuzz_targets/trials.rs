#![no_main]

mod read;

use trajview::{
    formats::{
        SourceBytes,
        harness::{HARNESSES, RecordFile, TrialFiles},
    },
    run::Run,
};

// NUL bytes part the files of one trial: the record, then these; what is missing is not there.
const NAMES: [&str; 6] = [
    "verifier/ctrf.json",
    "verifier/reward.txt",
    "exception.txt",
    "agent/trajectory.json",
    "sessions/agent.cast",
    "panes/post-agent.txt",
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.split(|byte| *byte == 0);
    let bytes = parts.next().unwrap_or_default();
    let sidecars: Vec<SourceBytes<'_>> =
        NAMES.iter().zip(parts).map(|(name, bytes)| SourceBytes { name, bytes }).collect();
    for harness in HARNESSES {
        for name in harness.record_names() {
            let record = RecordFile::new(*name, bytes.to_vec());
            let log = "agent/trajectory.json";
            let _ = harness.claims_record(&record, log);
            let _ = harness.read_repeat(&record);
            let mut run = Run::default();
            let sidecars = sidecars.iter().map(|it| RecordFile::new(it.name, it.bytes.to_vec()));
            let files = TrialFiles { log, record: &record, sidecars: sidecars.collect() };
            if let Ok(Some(facts)) = harness.read_trial(&files, &run) {
                assert!(facts.result.reward.is_none_or(f64::is_finite));
                facts.apply_to(&mut run, harness.name());
                assert!(run.trial.is_some());
            }
        }
    }
    for format in ["harbor", "terminal-bench"] {
        let main = SourceBytes { name: "result.json", bytes };
        let sources: Vec<_> = std::iter::once(main).chain(sidecars.iter().copied()).collect();
        read::read_sources(format, &sources);
    }
});
