//! Plays back recorded coding-agent runs.

pub mod cli;
pub mod code;
pub mod formats;
pub mod run;
pub mod store;
pub mod ui;
