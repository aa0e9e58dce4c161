#![no_main]

use trajview::widgets::text;

// Whatever a recording says, nothing of it can drive the terminal.
libfuzzer_sys::fuzz_target!(|words: &str| {
    let safe = text::safe(words).to_string();
    assert!(
        !safe.chars().any(|c| c.is_control() || "\u{202e}\u{2066}\u{200b}\u{feff}".contains(c))
    );
    assert!(text::width(&text::truncate(words, 10, "…")) <= 10);
});
