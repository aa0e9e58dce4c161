//! What views draw with: safe text, lines that fit, panels, lists, colours by meaning, scrolling, keys.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod dots;
pub mod export;
pub mod facts;
pub mod hits;
pub mod key;
pub mod key_event;
pub mod layout;
pub mod line;
pub mod looks;
pub mod mouse;
pub mod paint;
pub mod palette;
pub mod panel;
pub mod plot;
pub mod printed;
pub mod scroll;
pub mod signs;
pub mod spark;

pub mod text;
pub mod theme;
pub mod ticks;
pub mod wrap;
