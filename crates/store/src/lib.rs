//! Disk and git: finding runs, reading bytes, blobs of a commit.
//!
//! [`open()`] turns a path into an index ([`Run`](trajview_run::Run)) and an [`Archive`], which reads the words of a step, the files of a
//! turn or the hits of a search when they are wanted. Recordings are only ever read, and nothing outside a
//! recording's own folder is followed. [`import`] makes a bundle of one, elsewhere, through [`write`](mod@write).
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

mod absence;
mod archive;
mod bare;
pub mod beginning;
mod bytes;
mod cache;
pub mod cards;
pub mod checks;
pub mod config;
pub mod dataset;
pub mod decisions;
mod digest;
pub mod disk;
mod entries;
mod error;
mod executor;
pub mod export;
pub mod exported_runs;
mod find;
mod folder;
mod follow;
pub mod forms;
pub mod gold;
pub mod guarded;
mod harness;
mod head;
mod heads;
mod history;
pub mod import;
mod inside;
mod joined;
pub mod judgements;
mod kept_cards;
mod kept_facts;
pub mod labels;
pub mod layers;
mod lifeline;
pub mod lookup;
mod memory;
pub mod memory_events;
mod meta;
mod objects;
mod open;
mod pack;
#[cfg(feature = "parquet")]
mod parquet_footer;
pub mod parts;
pub mod piped;
pub mod places;
pub mod prices;
mod process;
mod reading;
mod reason;
pub mod redaction_key;
pub mod remote;
mod replaced;
mod repo;
mod reuse;
pub mod rubric;
mod rubric_tree;
pub mod rules;
mod score;
mod search;
mod session_watch;
mod siblings;
mod slopcodebench;
mod snapshot;
pub mod study;
pub mod tables;
mod timeline;
mod user_folders;
pub mod usual_places;
mod walk;
pub mod workspace;
pub mod write;

pub use archive::{ADDED, Archive, Contents, Opened, let_go};
pub use cache::Cache;
pub use digest::sha256;
pub use error::OpenError;
pub use executor::stand_back;
pub use follow::{Follower, follow};
pub use head::open as open_head;
pub use heads::KnownHeads;
pub use history::history;
pub use inside::{forget_copies, set_columns};
pub use kept_cards::{KeptCards, key as card_key};
pub use memory::give_back_with;
pub use open::{open, open_among};
pub use process::{
    ScoreFile, observed, processed, processed_of, report, score_file, scores_beside,
};
pub use reuse::ReuseReader;
pub use score::{GoesOn, Scorer};
pub use session_watch::SessionWatch;
pub use siblings::Siblings;
pub use walk::{WORK_MARK, holds_runs, holds_several, newest, runs_below, walk, walk_knowing};
