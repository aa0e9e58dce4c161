//! The building blocks of the views: safe text, lines that fit, panels, lists, colours by meaning, scrolling, keys.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod ansi_style;
pub mod ascii_signs;
pub mod braille;
pub mod display_options;
pub mod export;
pub mod fact_rows;
pub mod key;
pub mod key_event;
pub mod layout;
pub mod line;
pub mod mouse;
pub mod paint;
pub mod palette;
pub mod pane;
pub mod panel;
pub mod plot;
pub mod scroll;
pub mod search_hits;
pub mod sparkline;

pub mod axis_ticks;
pub mod text;
pub mod theme;
pub mod timeline;
pub mod wrap;
