//! A run turn by turn: its turns, the files a turn changed, their differences, its steps; playback and search.

pub mod base;
pub mod chooser;
pub mod choosing;
pub mod diff;
pub mod draw;
pub mod files;
pub mod looking;
pub mod marks;
pub mod now;
pub mod opening;
pub mod playback;
pub mod playing;
pub mod pointing;
pub mod search;
pub mod spot;
pub mod steps;
pub mod stops;
pub mod tree;
