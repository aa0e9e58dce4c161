//! Whether a judge can be used: consensus of a panel, the alternative annotator test, stated confidence, abstention.
//!
//! Pure functions over positions on a scale or over scores. The command `agree` prints them; `tests/vectors/fitness.py` has
//! the values of other programs.

pub mod abstention;
pub mod alternative_test;
pub mod dawid_skene;
pub mod reliability;
#[cfg(test)]
mod tests;
