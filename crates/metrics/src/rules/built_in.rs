//! The built-in rules: one file per category, each rule with its example code, before and after.

/// The files of `assets/rules`: name and text.
pub use trajview_assets::RULES as BUILT_IN;
