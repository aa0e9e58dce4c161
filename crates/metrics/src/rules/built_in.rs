//! The rules of this house: one file a category, each rule with the code it is about, before and after.

/// The files of `assets/rules`: name and text.
pub use trajview_assets::RULES as BUILT_IN;
