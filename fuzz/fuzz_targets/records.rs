#![no_main]

mod read;

use std::sync::LazyLock;

use trajview::formats::{self, FORMATS, FileHead, Format, HEAD_BYTES};

// The formats whose records are read one by one: the one that FUZZ_FORMAT names, whatever the bytes, else whichever claims
// them. fuzz/run takes one after the other, each from its own samples.
static ONE: LazyLock<Option<&'static dyn Format>> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_FORMAT").ok()?;
    Some(*FORMATS.iter().find(|format| format.name() == name).expect("a format has that name"))
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let head =
        FileHead { name: "fuzz", bytes: &bytes[..bytes.len().min(HEAD_BYTES)], is_whole: true };
    let Some(format) = ONE.or_else(|| formats::format_for_head(&head)) else { return };
    match format.preparation_for(&head).and_then(|prepare| prepare(bytes)) {
        Some(prepared) => read::read(format.name(), &prepared),
        None => read::read(format.name(), bytes),
    }
});
