//! The interface of a layer: what it receives, and what it answers.

use std::collections::BTreeMap;

use super::{
    brief::Brief,
    helper::HelperModel,
    project::{LayerProject, ProjectChange},
    spec::LayerSpec,
};
use trajview_metrics::decisions;

/// The memory of a layer, as text files by path (`/` between parts). Equal memory gives equal files.
pub type LayerState = BTreeMap<String, String>;

/// The moment before a request.
#[derive(Clone, Copy)]
pub struct RequestMoment<'a> {
    /// The turn of the request; counts from 1.
    pub turn: usize,
    /// The request as the script, or a person, has it.
    pub request: &'a str,
    /// The requests of the turns before, the first turn's first.
    pub earlier: &'a [String],
    /// The files as they are before the request.
    pub project: &'a LayerProject,
    pub context: ContextUse,
}

/// The use of the agent's context; None where the recording does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContextUse {
    /// Tokens of the last request to the model, cached ones included.
    pub used: Option<u64>,
    /// Tokens that fit.
    pub window: Option<u64>,
}

/// A turn that is done.
#[derive(Clone, Copy)]
pub struct TurnDone<'a> {
    /// The turn, counted from 1.
    pub turn: usize,
    pub request: &'a str,
    /// The steps in playing order.
    pub steps: &'a [StepSeen],
    /// The files after the turn.
    pub project: &'a LayerProject,
    /// The changes of the turn to the files, by path.
    pub changes: &'a [ProjectChange],
}

/// A step of a turn, as far as layers need it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepSeen {
    /// The number in its turn, counted from 1, sub-agents' steps included.
    pub number: usize,
    pub who: StepAuthor,
    /// The text of the message, or the arguments of the call.
    pub text: String,
    /// The tool's name; None where it is no call.
    pub tool: Option<String>,
    /// The result of the call; empty where there is none.
    pub result: String,
    /// The files that it reads or changes, as the project calls them.
    pub paths: Vec<String>,
    /// True where the step changes files.
    pub edits: bool,
    pub failed: bool,
}

/// The author of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepAuthor {
    Person,
    #[default]
    Agent,
}

/// A call that is about to touch files, or has.
#[derive(Debug, Clone, Copy)]
pub struct FileCall<'a> {
    pub turn: usize,
    pub tool: &'a str,
    /// The paths as the project calls them.
    pub paths: &'a [String],
    pub arguments: &'a str,
}

/// The ways in which a layer can reach the agent beside its requests, where the agent supports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryOffers {
    /// True for answers of a tool that the agent may call: [`Layer::search`].
    pub search: bool,
    /// True for text with calls that touch files: [`Layer::on_call`].
    pub calls: bool,
}

impl DeliveryOffers {
    /// Returns the ways that either offers.
    #[must_use]
    pub const fn combined_with(self, other: Self) -> Self {
        Self { search: self.search || other.search, calls: self.calls || other.calls }
    }

    pub const fn is_empty(self) -> bool {
        !self.search && !self.calls
    }
}

/// A layer of project state. An error is a sentence; the request or call then goes on without the layer.
pub trait Layer: Send {
    /// Returns the name with its parts: `projectguard:structural`.
    fn name(&self) -> &str;

    /// Returns how the layer works where no helper model is set up; None where it needs none.
    fn without_helper(&self) -> Option<&'static str> {
        None
    }

    /// Returns the ways in which the layer reaches the agent beside its requests.
    fn delivery_offers(&self) -> DeliveryOffers {
        DeliveryOffers::default()
    }

    /// Returns the text for the agent before a request; None for nothing.
    fn before_request(
        &mut self,
        moment: &RequestMoment<'_>,
        helper: &mut dyn HelperModel,
    ) -> Result<Option<Brief>, String>;

    /// Takes in a turn that is done.
    fn after_turn(
        &mut self,
        done: &TurnDone<'_>,
        helper: &mut dyn HelperModel,
    ) -> Result<(), String>;

    /// Returns the text for the agent with a call that touches files; None for nothing.
    fn on_call(&mut self, _call: &FileCall<'_>) -> Result<Option<Brief>, String> {
        Ok(None)
    }

    /// Answers a query of the agent; None where the layer offers no search.
    fn search(&mut self, _query: &str) -> Option<Result<Brief, String>> {
        None
    }

    fn state(&self) -> LayerState;

    /// Goes on from what [`Self::state`] gave earlier, whatever has become of it; what cannot be read is left out.
    fn restore(&mut self, state: &LayerState);
}

/// The inputs for making layers.
#[derive(Debug, Clone, Default)]
pub struct LayerSetup {
    /// The decisions of the project, for layers that deliver them.
    pub decisions: decisions::DecisionStore,
}

/// A layer that can be requested by name.
#[derive(Debug, Clone, Copy)]
pub struct LayerOffer {
    pub name: &'static str,
    /// The parts that may follow its name; without one all of them work.
    pub parts: &'static [&'static str],
    pub what: &'static str,
    pub(super) make: fn(&LayerSpec, &LayerSetup) -> Box<dyn Layer>,
}
