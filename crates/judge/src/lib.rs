//! Asking a model for a verdict: one component at a time, with a few looks at one state of the code.
//!
//! A judging goes over the components of a checklist, over the groups of [`criteria`] that places are flagged by, over the
//! decisions of a project, or over [`parts`] of the pillars of process; [`scale`] has the rubrics, [`given`] the scales of a codebook, and an [`item`] is what one
//! conversation is about. For each, a [`component`] conversation is held: the
//! [`prompt`] is sent, the judge may use the [`tools`] a bounded number of times, and what it says in the end is read
//! by [`answer`] or [`flags`]. The tools see a [`snapshot`] and nothing else. What a judge is, is told by [`settings`]; it is reached
//! through a [`client`], in one of the protocols of [`wire`]. [`run`] does this for many components at a time and saves
//! a [`document`] after each; [`plan`] says beforehand what it would do.
//!
//! Judges that nobody wrote down are found by [`found`].
//!
//! Flags whose lines did not change are carried on from an earlier state: [`carry`].
//!
//! [`job`] makes of a wish what [`run`] needs; [`each`] runs several states of one run in order. A screen that wants to watch runs [`run::judge`] on a thread, hands its [`run::Event`]s on, and keeps a clone of the
//! [`stop::Stop`].
//!
//! Whatever comes from a judge is somebody else's words: bounded in size, never trusted to name a place that exists.
//!
//! # Of this crate
//!
//! - **Knows** how a model is asked, what it may look at, and how its answer is read.
//! - **Must not know** the screen, and agents at work.
//! - **Used by** `live`, and the program for commands and screen.
//!
//! Always true:
//!
//! - A judge sees one snapshot of code and what it is asked, nothing else.
//! - What a judge says is bounded in size and never trusted to name a place that exists.
//! - Each verdict is saved before the next is asked for.

pub mod answer;
pub mod carry;
pub mod client;
pub mod command;
pub mod component;
pub mod conversation;
pub mod cost;
pub mod criteria;
pub mod document;
pub mod each;
pub mod fault;
pub mod flags;
pub mod found;
pub mod given;
pub mod helper;
#[cfg(feature = "judge")]
pub mod http;
#[cfg(not(feature = "judge"))]
#[path = "http_missing.rs"]
pub mod http;
pub mod inherited;
pub mod item;
pub mod job;
pub mod own;
pub mod parts;
pub mod plan;
pub mod prompt;
pub mod run;
pub mod scale;
pub mod secret;
pub mod settings;
pub mod snapshot;
pub mod stop;
pub mod tools;
pub mod wire;
mod worker;
