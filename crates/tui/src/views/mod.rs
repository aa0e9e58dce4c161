//! The views. Each has its own folder with its state, its key handling, the areas of its parts (`areas`) and its
//! drawing (`draw`).

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod audit;
pub mod batch;
pub mod compare;
pub mod curves;
pub mod diff_columns;
pub mod diff_gutter;
pub mod diff_rows;
pub(crate) mod empty_panels;
pub mod file_tree;
pub mod form;
pub mod judge;
pub mod layers;
pub mod line_marks;
pub mod live;
pub mod process;
pub mod replay;
pub mod scores;
pub mod source;
pub mod table;
pub mod timeline;
pub mod verdict;
pub mod view;
