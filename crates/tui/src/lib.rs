//! The screen of trajview, from state to cells, without a terminal.
//!
//! [`widgets`] is what views draw with; [`session`] is what is open and what is known of it; [`views`] has one folder a view;
//! [`shell`] is which screen is on, overlays, keys, palette, help. A message changes the state and may ask for an effect, and
//! whoever runs the program carries the effect out and sends its answer as a message.
//!
//! # Of this crate
//!
//! - **Knows** what is shown and what a key does.
//! - **Must not know** disks, clocks, threads, processes, connections: `store`, `judge` and `live` are no dependencies.
//! - **Used by** the program, which has the terminal and the threads.
//! - **Always true**: a state and a message give the same state and effects again, so that each frame can be tested. A module
//!   imports only those before it in the list above, `session` knows no widgets, and no view imports another; the
//!   layout test, `tests/layout/main.rs` of the project, checks that.

pub mod session;
pub mod shell;
pub mod views;
pub mod widgets;
