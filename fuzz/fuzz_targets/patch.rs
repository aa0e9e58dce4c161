#![no_main]

use trajview::code::patch;

// The first NUL byte parts the file from the patch.
libfuzzer_sys::fuzz_target!(|text: &str| {
    let (old, written) = text.split_once('\0').unwrap_or(("", text));
    let hunks = patch::unified(written);
    let _ = patch::apply(old, &hunks);
    for file in patch::in_call(written) {
        if let patch::FileChange::Update(hunks) = file.change {
            let _ = patch::apply(old, &hunks);
        }
    }
});
