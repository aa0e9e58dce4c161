//! Disk and git: finding runs, reading bytes, blobs of a commit.
//!
//! [`open()`] turns a path into an index ([`Run`](trajview_run::Run)) and an [`Archive`], which reads the words of a
//! step, the files of a turn or the hits of a search when they are wanted. Recordings are only ever read, and nothing
//! outside a recording's own folder is followed. [`import`] makes a bundle of one, elsewhere, through
//! [`write`](mod@write).
//!
//! # Of this crate
//!
//! - **Knows** disk and git: where recordings are, archives, caches, remote stores, data sets.
//! - **Must not know** the screen, and agents at work.
//! - **Used by** `judge`, `live` and the program. `tui` is given its answers by the program.
//!
//! Always true:
//!
//! - A recording is only ever read; nothing is followed out of its folder.
//! - What a cache keeps can be made anew: to lose it costs time alone.
//! - git, SQLite and connections to stores are named here and nowhere below or beside.

mod absence_check;
mod archive;
mod bare_repo;
pub mod start_files;
mod file_bytes;
mod cache;
pub mod cards;
pub mod checks;
pub mod settings_file;
pub mod dataset;
pub mod decisions;
mod digest;
pub mod disk;
mod entries;
mod error;
mod executor;
pub mod export;
pub mod exported_runs;
mod recording_files;
mod plain_folder;
mod follower;
pub mod saved_forms;
pub mod gold;
pub mod panic_guard;
mod diff_json;
mod first_screen;
mod file_head_cache;
mod file_history;
pub mod import;
mod containers;
mod commit_link;
pub mod judgements;
mod card_cache;
mod fact_cache;
pub mod labels;
pub mod layers;
mod lifeline;
pub mod lookup;
mod memory_trim;
pub mod memory_events;
mod path_meta;
mod objects;
mod open;
mod pack_writer;
#[cfg(feature = "parquet")]
mod parquet_footer;
pub mod process_inputs;
pub mod standard_input;
pub mod session_folders;
pub mod prices;
mod process;
mod path_bytes;
mod failure_reason;
pub mod redaction_key;
pub mod remote;
mod atomic_file;
mod repo;
mod reuse;
pub mod rubric;
mod rubric_tree;
pub mod rule_files;
mod score;
mod run_search;
mod session_watch;
mod siblings;
mod slopcodebench;
mod snapshot;
pub mod study;
pub mod table_state;
mod timeline;
mod user_folders;
pub mod agent_folders;
mod walk;
pub mod workspace;
pub mod write;

pub use archive::{ADDED_HEADING, Archive, RunContents, OpenedRecording, free_recording};
pub use cache::DiskCache;
pub use digest::sha256;
pub use error::OpenError;
pub use executor::lower_priority;
pub use follower::{Follower, follow_recording};
pub use first_screen::open_head;
pub use file_head_cache::FileHeadCache;
pub use file_history::file_history;
pub use containers::{remove_copies, set_columns};
pub use card_cache::{CardCache, card_key};
pub use memory_trim::set_allocator_trim;
pub use open::{open, open_among};
pub use process::{
    ScoreFile, observe_run, process_numbers, numbers_of_report, process_report, read_score_file, scores_beside,
};
pub use reuse::ReuseReader;
pub use score::{ProgressCheck, Scorer};
pub use session_watch::SessionWatch;
pub use siblings::Siblings;
pub use walk::{WORK_MARK_FILE, may_contain_runs, contains_several_runs, newest_runs, runs_below, walk_runs, walk_with_heads};
