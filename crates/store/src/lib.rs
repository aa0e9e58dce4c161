//! Disk and git: finding runs, reading bytes, blobs of a commit.
//!
//! [`open()`] turns a path into an index ([`Run`](trajview_run::Run)) and an [`Archive`], which reads the texts of a
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
pub mod agent_folders;
mod archive;
mod atomic_file;
mod bare_repo;
mod cache;
mod card_cache;
pub mod cards;
pub mod checks;
mod commit_link;
mod containers;
pub mod dataset;
pub mod decisions;
mod diff_json;
mod digest;
pub mod disk;
mod entries;
mod error;
mod executor;
pub mod export;
pub mod exported_runs;
mod fact_cache;
mod failure_reason;
mod file_bytes;
mod file_head_cache;
mod file_history;
mod first_screen;
mod follower;
pub mod gold;
pub mod import;
pub mod judgements;
pub mod labels;
pub mod layers;
mod lifeline;
pub mod lookup;
pub mod memory_events;
mod memory_trim;
mod objects;
mod open;
mod pack_writer;
pub mod panic_guard;
#[cfg(feature = "parquet")]
mod parquet_footer;
mod path_bytes;
mod path_meta;
mod plain_folder;
pub mod prices;
mod process;
pub mod process_inputs;
mod recording_files;
pub mod redaction_key;
pub mod remote;
mod repo;
mod reuse;
pub mod rubric;
mod rubric_tree;
pub mod rule_files;
mod run_search;
pub mod saved_forms;
mod score;
pub mod session_folders;
mod session_watch;
pub mod settings_file;
mod siblings;
mod slopcodebench;
mod snapshot;
pub mod standard_input;
pub mod start_files;
pub mod study;
pub mod table_state;
mod timeline;
mod user_folders;
mod walk;
pub mod workspace;
pub mod write;

pub use archive::{ADDED_HEADING, Archive, OpenedRecording, RunContents, free_recording};
pub use cache::DiskCache;
pub use card_cache::{CardCache, card_key};
pub use containers::{remove_copies, set_columns};
pub use digest::sha256;
pub use error::OpenError;
pub use executor::lower_priority;
pub use file_head_cache::FileHeadCache;
pub use file_history::file_history;
pub use first_screen::open_head;
pub use follower::{Follower, follow_recording};
pub use memory_trim::set_allocator_trim;
pub use open::{open, open_among};
pub use process::{
    ScoreFile, numbers_of_report, observe_run, process_numbers, process_report, read_score_file,
    scores_beside,
};
pub use reuse::ReuseReader;
pub use score::{ProgressCheck, Scorer};
pub use session_watch::SessionWatch;
pub use siblings::Siblings;
pub use walk::{
    WORK_MARK_FILE, contains_several_runs, may_contain_runs, newest_runs, runs_below, walk_runs,
    walk_with_heads,
};
