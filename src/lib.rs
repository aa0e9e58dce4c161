//! Plays back recorded coding-agent runs.

pub mod app;
pub mod cli;
pub mod code;
pub mod formats;
pub mod run;
pub mod store;
pub mod tui;
pub mod ui;
