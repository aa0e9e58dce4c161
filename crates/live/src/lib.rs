//! An agent at work: asked request by request, recorded turn by turn, as a run bundle that can be opened at any moment.
//!
//! [`run()`] carries out a [`Job`]: plain values that say which agent ([`drivers`]), which requests ([`script`]) and how
//! far ([`setup`]). It waits until the run is over, so a screen calls it on a thread:
//!
//! ```text
//! live::run(&job, Start::Anew | Start::Resume, &control, &mut |event| ...) -> Result<Ended, CannotStart>
//! ```
//!
//! What happens comes as an [`Event`]: the bundle is open, a request waits for a person, a turn began, bytes of the agent's
//! terminal, lines of an agent without one, the log grew (the bundle on the disk has more to show), the turn ended with its
//! row, changed paths and totals, tests were run. What a person wants goes in as a [`LiveCommand`] through a [`Control`], whose
//! clones may be used from any thread: pause, go on, step by step, skip, edit, retry, end the turn, stop, keys and size of
//! the terminal. While an event is taken in, the agent waits: that is how a flood is held back.
//!
//! [`under_way::patch`] says what the turn under way has changed so far. [`setup::Setup::in_terminal`] gives an agent that has a
//! screen of its own (Codex) a terminal, so that there is something to be seen and typed to.
//!
//! With [`Job::has_person`] a failed turn waits for a wish instead of ending the run, and the questions that programs ask
//! their terminal are left to whoever draws it; the answers are typed with [`LiveCommand::Keys`].
//!
//! # How a turn goes
//!
//! [`layers`] may put words before the request. [`turn`] sends it through a [`process`]; the [`listener`] reads what it writes. Then the agent's
//! [`logs`] are copied, the files become a commit ([`trajview_store::workspace`]), the [`journal`] gets its line, and
//! `run.json` ([`manifest`]) is written anew. A turn counts from its line in the journal on: one that was begun and does not
//! count is done again, from the files and logs before it. At the end of a checkpoint [`checks`] runs the tests; [`recheck`] runs some for a run that was recorded before,
//! [`states`] builds and tests the files of its moments.
//!
//! [`batch`] makes many runs from one plan, each in a process of its own.
//!
//! The agent sees a small environment and folders of its own ([`stage`]); keys that it gets are kept out of everything that
//! is written ([`secrets`]).
//!
//! # Of this crate
//!
//! - **Knows** agents at work: drivers, terminals, sandboxes, batches, and how their turns are recorded.
//! - **Must not know** the screen: it hears of events and gives commands through values.
//! - **Used by** the program.
//!
//! Always true:
//!
//! - The bundle on the disk can be opened at any moment of a run.
//! - An agent waits while an event is taken in.
//! - No process of a run is left behind when it ends.

pub mod agents;
pub mod base;
pub mod batch;
mod beginning;
pub mod budget;
pub mod cast;
mod chat;
pub mod checks;
pub mod command_line;
pub mod confine;
pub mod control;
pub mod drivers;
pub mod event;
pub mod isolation;
pub mod journal;
pub mod layers;
pub mod listener;
pub mod logs;
pub mod loopback;
pub mod manifest;
mod orphans;
pub mod plan;
pub mod prepare;
pub mod process;
mod pty;
mod queued;
pub mod recheck;
mod recorder;
mod refused;
pub mod run;
mod sandbox;
pub mod script;
pub mod seal;
pub mod secrets;
pub mod setup;
mod socket;
pub mod stage;
pub mod states;
pub mod turn;
mod typing;
pub mod under_way;
mod unsent;
mod version;

pub use control::{Control, LiveCommand};
pub use event::{Event, Total, Why};
pub use orphans::adopt_orphans;
pub use run::{CannotStart, Ended, Halt, Job, Start, run};
