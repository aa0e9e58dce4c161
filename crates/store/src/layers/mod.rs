//! Layers of project state over what is on the disk: a recorded run fed to a layer ([`RunFeed`]), the record of a layer
//! in a bundle ([`layer_history`]), and what such records have over a run (`layer_records`).

pub mod layer_history;
mod layer_records;
#[cfg(test)]
mod memory_over_sample;
mod run_feed;

pub use run_feed::RunFeed;
