//! Layers of project state over a run: a recorded run fed to a layer ([`RunFeed`]), and what the records of layers in
//! its bundle have over it ([`layer_records()`]).

mod layer_records;
#[cfg(test)]
mod memory_over_sample;
mod run_feed;

pub use layer_records::layer_records;
pub use run_feed::RunFeed;
