//! The screen of trajview, from state to cells, without a terminal.
//!
//! [`widgets`] are the parts that views draw with; [`session`] is the open run and everything computed from it; [`views`]
//! has one folder a view; [`shell`] has the visible screen, overlays, keys, palette and help. A message changes the state
//! and may ask for an effect; the program runs the effect and sends its result as a message.
//!
//! # Of this crate
//!
//! - **Knows** everything that is drawn and the meaning of every key.
//! - **Must not know** disks, clocks, threads, processes, connections: `store`, `analysis`, `judge` and `live` are no dependencies.
//! - **Used by** the program, which has the terminal and the threads.
//! - **Always true**: a state and a message give the same state and effects again, so that each frame can be tested. A module
//!   imports only those before it in the list above, `session` knows no widgets, and no view imports another; the
//!   layout test, `tests/layout/main.rs` of the project, checks that.

pub mod session;
pub mod shell;
pub mod views;
pub mod widgets;
