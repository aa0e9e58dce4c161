//! The record of a layer of project state in a bundle.

pub mod layer_history;
