//! How it looks.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod text;
