//! What is on the screen: keys in, frames out, without a terminal.

#[path = "../common/mod.rs"]
mod common;
mod story;
mod study_view;

mod audit_units;
mod audit_view;
mod collection;
mod compare_view;
mod corrected_means;
mod crash_test;
mod curves;
mod diff_panel;
mod finding;
mod flags_view;
mod history;
mod images;
mod journeys;
mod judges_view;
mod judging;
mod layers;
mod live_view;
mod looks;
mod lost_tests;
mod memory;
mod one_request;
mod palette;
mod playback;
mod printed;
mod process;
mod rebound_keys;
mod recorded_terminal;
mod room;
mod rubric_view;
mod safe_text;
mod scores;
mod shell;
mod start_view;
mod steps_in_time;
mod tabs;
mod timeline;
mod trials;
