//! Layers of project state over what is on the disk: a recorded run fed to a layer ([`Feed`]), and the record of a layer in a
//! bundle ([`history`]).

mod feed;
pub mod history;
#[cfg(test)]
mod memory_over_sample;

pub use feed::Feed;
