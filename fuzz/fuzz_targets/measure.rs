#![no_main]

use std::sync::LazyLock;

use trajview::metrics::{
    quality::{QualityProfile, Ruler, SnapshotFile, combine_with_detail, measure_file},
    rules::RuleSet,
};

static RULERS: LazyLock<Vec<Ruler>> = LazyLock::new(|| {
    let ruler = |profile| Ruler::new(profile, RuleSet::built_in());
    QualityProfile::ALL.into_iter().map(ruler).collect()
});

const NAMES: [&str; 9] =
    ["a.py", "a.py", "a.c", "a.cpp", "a.go", "a.java", "a.js", "a.rs", "a.tsx"];

// The first byte chooses the profile and the language, the rest is the file: its measure counts nothing twice, and a
// snapshot of it has shares for shares.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let choice = usize::from(*choice);
    let (ruler, path) =
        (&RULERS[choice % RULERS.len()], NAMES[choice / RULERS.len() % NAMES.len()]);
    let measured = measure_file(path, text, ruler);
    assert!(measured.callables.iter().all(|callable| callable.cc >= 1));
    let files = [SnapshotFile { path, measure: &measured }];
    let (snapshot, _) = combine_with_detail(&files, ruler.profile());
    for share in [snapshot.erosion, snapshot.verbosity, snapshot.gini] {
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
});
