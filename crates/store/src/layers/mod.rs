//! Layers of project state over what is on the disk: a recorded run fed to a layer ([`RunFeed`]), the record of a layer
//! in a bundle ([`layer_history`]), and what such records say over a run (`records`).

mod run_feed;
pub mod layer_history;
#[cfg(test)]
mod memory_over_sample;
mod layer_records;

pub use run_feed::RunFeed;
