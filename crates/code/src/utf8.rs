//! Tests whether bytes are text, many bytes at a time: logs of hundreds of megabytes are tested, and every version of
//! their files.

use std::borrow::Cow;

/// Returns the text that bytes are; None where they are none.
pub fn as_text(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// Returns the text that bytes are, with what is none replaced by U+FFFD.
pub fn lossy_text(bytes: &[u8]) -> Cow<'_, str> {
    // The check alone is several times faster than the replacing reader, and almost always enough.
    as_text(bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy as _;

    use super::*;

    proptest::proptest! {
        #[test]
        fn whatever_the_bytes_they_are_text_where_the_standard_library_says_so(
            parts in proptest::collection::vec(proptest::prop_oneof![
                "[a-z]{0,40}".prop_map(String::into_bytes),
                "\\PC{0,20}".prop_map(String::into_bytes),
                proptest::collection::vec(proptest::prelude::any::<u8>(), 0..3),
            ], 0..6),
        ) {
            let bytes = parts.concat();
            proptest::prop_assert_eq!(as_text(&bytes), std::str::from_utf8(&bytes).ok());
            proptest::prop_assert_eq!(lossy_text(&bytes), String::from_utf8_lossy(&bytes));
        }
    }
}
