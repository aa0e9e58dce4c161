#![no_main]

mod read;

use trajview::{
    formats::{field_names, with_run_field},
    metrics::test_losses::{followed_tests, test_losses},
};

// Whatever the bytes, the results of a task are read for each of its models, and lost tests are among those that are followed.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read::read("evocodebench", bytes);
    let format = trajview::formats::format_by_name("evocodebench").expect("a format of the list");
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for model in field_names(text, "models").unwrap_or_default().iter().take(4) {
        let document = with_run_field(text, model);
        read::read("evocodebench", &document);
        let source = trajview::formats::SourceBytes { name: "fuzz.json", bytes: &document };
        let Ok(run) = format.index_run(&[source]) else { continue };
        let lost = test_losses(&run);
        assert!(lost.is_empty() || followed_tests(&run) > 0);
        assert!(lost.iter().all(|it| it.passed.turns_done < it.failed.turns_done));
    }
});
