//! Disk and git: finding runs, reading bytes, blobs of a commit.
//!
//! [`open()`] turns a path into an index ([`Run`](crate::run::Run)) and an [`Archive`], which reads the words of a step, the files of a
//! turn or the hits of a search when they are wanted. Recordings are only ever read, and nothing outside a
//! recording's own folder is followed. [`import`] makes a bundle of one, elsewhere, through [`write`](mod@write).

mod absence;
mod archive;
mod bare;
mod bytes;
mod cache;
pub mod cards;
pub mod checks;
pub mod config;
pub mod decisions;
mod digest;
mod disk;
mod entries;
mod error;
mod executor;
pub mod export;
mod find;
mod folder;
mod follow;
pub mod forms;
pub mod gold;
mod harness;
mod head;
pub mod import;
mod inside;
mod joined;
pub mod judgements;
mod kept_cards;
pub mod labels;
pub mod layers;
mod lifeline;
mod memory;
pub mod memory_events;
mod objects;
mod open;
mod pack;
pub mod parts;
pub mod piped;
pub mod places;
mod process;
mod reading;
mod replaced;
mod repo;
mod reuse;
pub mod rubric;
mod rubric_tree;
pub mod rules;
mod score;
mod search;
mod siblings;
mod slopcodebench;
mod snapshot;
pub mod study;
mod timeline;
mod walk;
pub mod workspace;
pub mod write;

pub use archive::{ADDED, Archive, Contents, Opened};
pub use cache::Cache;
pub use digest::sha256;
pub use error::OpenError;
pub use executor::stand_back;
pub use follow::{Follower, follow};
pub use head::open as open_head;
pub use inside::set_columns;
pub use kept_cards::{KeptCards, key as card_key};
pub use memory::give_back_with;
pub use open::{open, open_among};
pub use process::{observed, processed, processed_of, report, scores_beside};
pub use reuse::ReuseReader;
pub use score::{GoesOn, Scorer};
pub use siblings::Siblings;
pub use walk::{WORK_MARK, holds_runs, holds_several, runs_below, walk};
