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
//! - **Must not know** the screen, agents at work, and how runs are scored.
//! - **Used by** `analysis`, `judge`, `live` and the program. `tui` is given its answers by the program.
//!
//! Always true:
//!
//! - A recording is only ever read; nothing is followed out of its folder.
//! - What a cache keeps can be made anew: to lose it costs time alone.
//! - git, SQLite and connections to stores are named here and nowhere below or beside.

mod archive;
mod atomic_file;
mod bare_repo;
mod cache;
mod card_cache;
pub mod cards;
mod cast_scan;
pub mod checks;
pub mod code_repository;
mod commit_link;
mod containers;
pub mod dataset;
pub mod decisions;
mod diff_json;
mod digest;
pub mod disk;
mod entries;
mod error;
mod evaluations;
mod executor;
pub mod export;
pub mod exported_runs;
mod failure_reason;
mod file_bytes;
mod file_head_cache;
mod first_screen;
mod folder_names;
mod follower;
pub mod gold;
pub mod import;
pub mod inspect_log;
pub mod judgements;
pub mod labels;
pub mod layers;
mod links;
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
mod path_memo;
mod path_meta;
pub mod plain_folder;
pub mod prices;
mod record_files;
mod recording_files;
pub mod redaction_key;
pub mod remote;
mod repo;
pub mod rubric;
mod rubric_tree;
pub mod rule_files;
mod run_search;
pub mod saved_forms;
pub mod score_files;
pub mod session_folders;
mod session_watch;
pub mod settings_file;
mod siblings;
mod slopcodebench;
mod snapshot;
pub mod standard_input;
pub mod start_files;
pub mod table_state;
mod terminal_alignment;
mod terminal_recordings;
mod timeline;
mod trial_sidecars;
mod user_folders;
mod walk;
pub mod working_copy;
pub mod workspace;
pub mod write;

pub use archive::{ADDED_HEADING, Archive, OpenedRecording, RunContents, free_recording};
pub use cache::{DiskCache, build_id};
pub use card_cache::CardCache;
pub use containers::{remove_copies, set_columns};
pub use digest::sha256;
pub use entries::{entries_of, is_folder};
pub use error::OpenError;
pub use executor::{for_each_parallel, lower_priority};
pub use failure_reason::error_reason;
pub use file_head_cache::FileHeadCache;
pub use first_screen::open_head;
pub use follower::{Follower, follow_recording};
pub use links::outside_link_notes;
pub use memory_trim::set_allocator_trim;
pub use open::{open, open_among};
pub use session_watch::SessionWatch;
pub use siblings::Siblings;
pub use walk::{
    WORK_MARK_FILE, contains_several_runs, may_contain_runs, newest_runs, runs_below, walk_runs,
};
