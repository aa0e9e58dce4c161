//! Drives a coding agent request by request and records every turn as a run bundle, which can be opened at any moment.
//!
//! [`run_job`] runs a [`RunJob`]: plain values that name the agent ([`drivers`]), the requests ([`script`]) and the limits
//! ([`setup`]). It returns when the run is over, so a screen calls it on a thread of its own:
//!
//! ```text
//! live::run_job(&job, StartMode::Anew | StartMode::Resume, &control, &mut |event| ...) -> Result<LiveRunEnd, CannotStart>
//! ```
//!
//! The caller gets a [`trajview_run::live::LiveEvent`] for everything that happens: the bundle is open, a request waits for
//! a person, a turn began, bytes of the agent's terminal, lines of an agent without one, the log grew (the bundle on the
//! disk has more to show), the turn ended with its result, changed paths and totals, tests were run. A person's commands go in as a
//! [`trajview_run::live::LiveCommand`] through a [`RunControl`], whose clones may be used from any thread: pause, go on, step by step, skip,
//! edit, retry, end the turn, stop, keys and size of the terminal. The agent waits while the caller handles an event: that
//! limits a flood of output.
//!
//! [`live_changes::patch_so_far`] gives the changes of the turn under way. [`setup::RunSetup::in_terminal`] gives an agent
//! that has a screen of its own (Codex) a terminal, so that a person can watch it and type.
//!
//! With [`RunJob::has_person`] a failed turn waits for a command instead of ending the run, and the questions that programs
//! ask their terminal are left to the caller that draws it; the answers are typed with [`trajview_run::live::LiveCommand::Keys`].
//!
//! # How a turn goes
//!
//! [`layers`] may put text before the request. [`turn`] sends it through a [`process`]; the [`listener`] reads the output.
//! Then the agent's [`logs`] are copied, the files become a commit ([`trajview_store::workspace`]), the [`journal`] gets
//! its line, and `run.json` ([`manifest`]) is written anew. A turn counts once its line is in the journal: a turn that was
//! begun and does not count is done again, from the files and logs before it. At the end of a checkpoint
//! [`checkpoint_tests`] runs the tests; [`recheck`] tests a run that was recorded before, [`check_history`] builds and
//! tests the files at its moments.
//!
//! [`batch`] makes many runs from one plan, each in a process of its own.
//!
//! The agent sees a small environment and folders of its own ([`run_folders`]); the keys that it gets are covered in
//! everything that is written ([`secrets`]).
//!
//! # Of this crate
//!
//! - **Knows** agents at work: drivers, terminals, sandboxes, batches, and how their turns are recorded.
//! - **Must not know** the screen: events go out and commands come in as plain values.
//!
//! Always true:
//!
//! - The bundle on the disk can be opened at any moment of a run.
//! - An agent waits while the caller handles an event.
//! - No process of a run is left behind when it ends.

pub mod agents;
pub mod batch;
pub mod budget;
mod chat;
pub mod check_history;
pub mod checkpoint_tests;
pub mod checksum;
pub mod command_line;
pub mod confine;
pub mod control;
pub mod drivers;
mod input_line;
pub mod isolation;
pub mod journal;
pub mod layers;
pub mod listener;
pub mod live_changes;
pub mod logs;
pub mod loopback;
pub mod manifest;
mod orphans;
mod pasted_request;
pub mod plan;
pub mod prepare;
pub mod process;
mod pty;
mod queued_prompts;
mod rate_limit;
pub mod recheck;
mod recorder;
pub mod run;
pub mod run_folders;
mod sandbox;
pub mod script;
pub mod secrets;
pub mod setup;
mod socket;
pub mod start_files;
mod start_files_recorder;
pub mod terminal_recording;
pub mod turn;
mod version;

pub use control::RunControl;
pub use orphans::adopt_orphans;
pub use run::{CannotStart, LiveRunEnd, RunHalt, RunJob, StartMode, run_job};
