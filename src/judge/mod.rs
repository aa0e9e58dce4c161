//! Asking a model for a verdict: one component at a time, with a few looks at one state of the code.
//!
//! A judging goes over the components of a checklist. For each, a [`component`] conversation is held: the
//! [`prompt`] is sent, the judge may use the [`tools`] a bounded number of times, and what it says in the end is read
//! by [`answer`]. The tools see a [`snapshot`] and nothing else. What a judge is, is told by [`settings`].
//!
//! Whatever comes from a judge is somebody else's words: bounded in size, never trusted to name a place that exists.

pub mod answer;
pub mod client;
pub mod command;
pub mod component;
pub mod conversation;
pub mod cost;
pub mod fault;
#[cfg(feature = "judge")]
pub mod http;
#[cfg(not(feature = "judge"))]
#[path = "http_missing.rs"]
pub mod http;
pub mod prompt;
pub mod secret;
pub mod settings;
pub mod snapshot;
pub mod stop;
pub mod tools;
pub mod wire;
