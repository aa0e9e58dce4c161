//! The panels of the replay, one file each.

pub mod chooser;
pub mod diff;
pub mod files;
pub mod now;
pub mod steps;
pub mod tabs;
pub mod tree;
pub mod turns;
