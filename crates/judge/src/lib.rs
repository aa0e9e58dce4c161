//! Asking a model for a verdict: one component at a time, with a few looks at one state of the code.
//!
//! A judging visits the components of a checklist, the groups of [`criteria`] by which places are flagged, the
//! decisions of a project, or [`pillar_parts`] of the pillars of process; [`scale`] has the rubrics,
//! [`codebook_scores`] the scales of a codebook, and an [`item`] is the subject of one conversation. For each there is
//! a [`component`] conversation: it sends the [`prompt`], the judge may use the [`tools`] a bounded number of times,
//! and [`answer`] or [`flags`] reads its last reply. The tools see a [`snapshot`] and nothing else. [`settings`]
//! defines a judge; a [`client`] reaches it, in one of the protocols of [`wire`]. [`judging`] does this for many components
//! at a time and saves a [`document`] after each; [`plan`] estimates its cost beforehand.
//!
//! [`crash_test`] judges a sample of components again on copies of the tree with planted edits; [`crash_document`] is its file.
//!
//! [`discover`] finds judges without settings.
//!
//! [`unchanged_flags`] carries flags on from an earlier state whose lines did not change.
//!
//! [`job`] prepares [`judging`] from a request; [`judge_states`] judges several states of one run in order, and a
//! [`judging_batch`] is several judgings that are resumed together. A screen that watches calls
//! [`judging::run_judging`] on a thread, passes its [`trajview_run::judging::JudgeEvent`]s on, and keeps a clone of the [`stop_flag::StopFlag`].
//!
//! The output of a judge is untrusted: bounded in size, never trusted to name a place that exists.
//!
//! # Of this crate
//!
//! - **Knows** the requests to a model, the tools it may use, and the form of its answer.
//! - **Must not know** the screen, and agents at work.
//! - **Used by** `live`, and the program for commands and screen.
//!
//! Always true:
//!
//! - A judge sees one snapshot of code and its question, nothing else.
//! - The output of a judge is bounded in size and never trusted to name a place that exists.
//! - Each verdict is saved before the next is requested.

pub mod answer;
mod answer_schema;
pub mod client;
pub mod codebook_scores;
pub mod command;
pub mod component;
pub mod conversation;
pub mod cost;
pub mod crash_document;
pub mod crash_test;
pub mod criteria;
pub mod discover;
pub mod document;
pub mod env_allowlist;
pub mod fault;
pub mod flags;
pub mod helper;
#[cfg(feature = "judge")]
pub mod http;
#[cfg(not(feature = "judge"))]
#[path = "http_missing.rs"]
pub mod http;
pub mod item;
pub mod job;
pub mod judge_key;
pub mod judge_states;
pub mod judging;
pub mod judging_batch;
pub mod pillar_parts;
pub mod plan;
pub mod prompt;
mod quotes;
pub mod scale;
pub mod settings;
pub mod snapshot;
pub mod stop_flag;
pub mod tools;
pub mod unchanged_flags;
pub mod user_file;
pub mod wire;
mod worker;
