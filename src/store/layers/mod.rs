//! Layers of project state over what is on the disk: a recorded run fed to a layer ([`Feed`]).

mod feed;
#[cfg(test)]
mod memory_over_sample;

pub use feed::Feed;
