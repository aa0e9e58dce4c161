#![no_main]

mod read;

use std::sync::LazyLock;

use trajview::formats::{self, FORMATS, Format, HEAD_BYTES, Head};

// The formats whose records are read one by one. The first byte says which of them reads what follows; a star: whichever
// claims it. fuzz/run starts from the samples of all of them.
static READ: LazyLock<Vec<&'static dyn Format>> = LazyLock::new(|| {
    FORMATS.iter().copied().filter(|format| format.sample().starts_with("logs/")).collect()
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let head = Head { name: "fuzz", bytes: &bytes[..bytes.len().min(HEAD_BYTES)], is_whole: true };
    let format = match first {
        b'*' => formats::claim(&head),
        first => Some(READ[usize::from(*first) % READ.len()]),
    };
    let Some(format) = format.filter(|format| format.sample().starts_with("logs/")) else { return };
    match format.preparation(&head).and_then(|prepare| prepare(bytes)) {
        Some(prepared) => read::read(format.name(), &prepared),
        None => read::read(format.name(), bytes),
    }
});
