//! Plays back recorded coding-agent runs.

pub mod app;
pub mod code;
pub mod formats;
pub mod run;
pub mod store;
