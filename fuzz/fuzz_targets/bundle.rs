#![no_main]

mod read;

use trajview::formats::SourceBytes;

// The first NUL byte parts run.json from the log, the second the log from script.json.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let mut part = || parts.next().unwrap_or_default();
    let (manifest, log, script) = (part(), part(), part());
    let sources = [
        SourceBytes { name: "run.json", bytes: manifest },
        SourceBytes { name: "session/a.jsonl", bytes: log },
        SourceBytes { name: "script.json", bytes: script },
    ];
    read::read_sources("bundle", &sources);
});
