//! What a layer is asked and told, and what it answers.

use std::collections::BTreeMap;

use super::{
    brief::Brief,
    helper::Helper,
    project::{Change, Project},
    spec::Spec,
};
use trajview_metrics::decisions;

/// What a layer knows, as text files by path (`/` between parts). Equal knowledge gives equal files.
pub type State = BTreeMap<String, String>;

/// The moment before a request.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// Of the request; counts from 1.
    pub turn: usize,
    /// As the script, or a person, has it.
    pub request: &'a str,
    /// The requests of the turns before, the first turn's first.
    pub earlier: &'a [String],
    /// The files as they are before the request.
    pub project: &'a Project,
    pub context: Context,
}

/// How full the agent's context is; None where the recording does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// Tokens of the last request to the model, cached ones included.
    pub used: Option<u64>,
    /// Tokens that fit.
    pub window: Option<u64>,
}

/// A turn that is done.
#[derive(Clone, Copy)]
pub struct TurnDone<'a> {
    /// Counts from 1.
    pub turn: usize,
    pub request: &'a str,
    /// In playing order.
    pub steps: &'a [StepSeen],
    /// The files after the turn.
    pub project: &'a Project,
    /// What the turn did to the files, by path.
    pub changes: &'a [Change],
}

/// A step of a turn, as far as layers need it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepSeen {
    /// Counts from 1 in its turn, sub-agents' steps included.
    pub number: usize,
    pub who: Who,
    /// What was said, or the arguments of the call.
    pub text: String,
    /// The tool's name; None where it is no call.
    pub tool: Option<String>,
    /// What came back; empty where nothing did.
    pub result: String,
    /// The files that it reads or changes, as the project calls them.
    pub paths: Vec<String>,
    /// Whether it changes files.
    pub edits: bool,
    pub failed: bool,
}

/// Whose step it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Who {
    Person,
    #[default]
    Agent,
}

/// A call that is about to touch files, or has.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub turn: usize,
    pub tool: &'a str,
    /// As the project calls them.
    pub paths: &'a [String],
    pub arguments: &'a str,
}

/// What of a layer can reach the agent beside its requests, where the agent can be given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offers {
    /// As the answer of a tool that the agent may call: [`Layer::search`].
    pub search: bool,
    /// With calls that touch files: [`Layer::on_call`].
    pub calls: bool,
}

impl Offers {
    /// What both offer together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { search: self.search || other.search, calls: self.calls || other.calls }
    }

    pub const fn is_empty(self) -> bool {
        !self.search && !self.calls
    }
}

/// A layer of project state. An error is a sentence; what was asked then goes on without the layer.
pub trait Layer: Send {
    /// With its parts: `projectguard:structural`.
    fn name(&self) -> &str;

    /// What it does where no helper model is set up; None where it needs none.
    fn without_helper(&self) -> Option<&'static str> {
        None
    }

    /// What of it reaches the agent beside its requests.
    fn offers(&self) -> Offers {
        Offers::default()
    }

    /// What the agent is told before a request; None for nothing.
    fn before(
        &mut self,
        moment: &Moment<'_>,
        helper: &mut dyn Helper,
    ) -> Result<Option<Brief>, String>;

    /// Takes in a turn that is done.
    fn after(&mut self, done: &TurnDone<'_>, helper: &mut dyn Helper) -> Result<(), String>;

    /// What the agent is told with a call that touches files; None for nothing.
    fn on_call(&mut self, _call: &Call<'_>) -> Result<Option<Brief>, String> {
        Ok(None)
    }

    /// What it answers where the agent asks by itself; None where it offers no search.
    fn search(&mut self, _query: &str) -> Option<Result<Brief, String>> {
        None
    }

    fn state(&self) -> State;

    /// Goes on from what [`Self::state`] gave earlier, whatever has become of it; what cannot be read is left out.
    fn restore(&mut self, state: &State);
}

/// What layers are made with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The decisions of the project, for layers that deliver them.
    pub decisions: decisions::Store,
}

/// A layer that can be asked for.
#[derive(Debug, Clone, Copy)]
pub struct Offered {
    pub name: &'static str,
    /// The parts that may stand behind its name; without one all of it works.
    pub parts: &'static [&'static str],
    pub what: &'static str,
    pub(super) make: fn(&Spec, &Options) -> Box<dyn Layer>,
}
