//! The rules of this house, compiled in.

/// The files of `assets/rules`: name and text.
pub static BUILT_IN: &[(&str, &str)] = &[];
