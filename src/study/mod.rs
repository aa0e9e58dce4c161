//! Several runs and several raters. [`compare`] sets runs of one task side by side.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod compare;
