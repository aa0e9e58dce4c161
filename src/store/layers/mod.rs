//! Layers of project state over what is on the disk: the record of a layer in a bundle ([`history`]).

pub mod history;
