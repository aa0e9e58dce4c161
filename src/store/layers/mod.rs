//! Layers of project state over what is on the disk: a recorded run fed to a layer ([`Feed`]).

mod feed;

pub use feed::Feed;
