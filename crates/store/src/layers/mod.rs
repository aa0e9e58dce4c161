//! Layers of project state over what is on the disk: a recorded run fed to a layer ([`Feed`]), the record of a layer in a
//! bundle ([`history`]), and what such records say over a run (`records`).

mod feed;
pub mod history;
#[cfg(test)]
mod memory_over_sample;
mod records;

pub use feed::Feed;
