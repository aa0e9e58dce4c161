#![no_main]

use trajview::study::design;

// Whatever the text, a mistake has a line of it; what was read without one is read again from what is written of it.
libfuzzer_sys::fuzz_target!(|text: &str| {
    let (read, mistakes) = design::parse_study_file(text);
    let lines = text.lines().count().max(1);
    assert!(mistakes.iter().all(|it| (1..=lines + 1).contains(&it.line)));
    if mistakes.is_empty() {
        let again = design::parse_study_file(&design::study_file_text(&read));
        // A codebook is not written.
        assert_eq!(again, (design::StudyDesign { codebook: None, ..read }, vec![]));
    }
});
