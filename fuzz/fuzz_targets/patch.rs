#![no_main]

use trajview::code::patch;

// The first NUL byte separates the file from the patch.
libfuzzer_sys::fuzz_target!(|text: &str| {
    let (old, written) = text.split_once('\0').unwrap_or(("", text));
    let hunks = patch::parse_unified(written);
    let _ = patch::apply_hunks(old, &hunks);
    for file in patch::patches_in_call(written) {
        if let patch::PatchedFile::Update(hunks) = file.change {
            let _ = patch::apply_hunks(old, &hunks);
        }
    }
});
