//! Two runs set side by side, or more as columns: numbers, components, code, curves and files of both.
//!
//! [`table`] is the list of components, [`code`] the lines a judge named in each run, [`chart`] the overlaid curves,
//! [`judging`] whose verdicts speak, [`trees`] the files both ended with, [`areas`] where they stand, `asking` what is wanted of the world, `around` what
//! a comparison is to the rest of the program. It holds plain data only: no run is open here, and the one that is
//! opened from it lies beside it.

pub mod areas;
pub mod asking;
pub mod chart;
pub mod code;
pub mod draw;
pub mod facts;
pub mod judging;
pub mod said;
pub mod table;
pub mod trees;
pub mod update;

use std::path::PathBuf;

use crate::{
    session::{
        ask::{Answers, Loading, Pending},
        context::Context,
        measured::RulerName,
    },
    widgets::scroll::Motion,
};
use trajview_study::compare::{self, Party, Subtraction};

use chart::Chart;
use code::Code;
use judging::{Intervals, Speaks};
use table::Table;
use trees::Files;

/// Everything that is known of some runs beside each other.
#[derive(Debug)]
pub struct Comparison {
    /// As the user named them: a, b, c …
    pub paths: Vec<PathBuf>,
    /// One a path.
    pub parties: Loading<Vec<Party>>,
    /// Which two of them are compared: positions, the lower first.
    pub pair: [usize; 2],
    /// Which of the two has the keyboard: 0 or 1.
    pub side: usize,
    pub part: Part,
    /// What stands beside the components where there is no room for all.
    pub beside: Part,
    pub table: Table,
    pub code: Code,
    pub chart: Chart,
    pub files: Files,
    pub measures: Measures,
    pub speaks: Speaks,
    pub intervals: Intervals,
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
    /// Id of the component to begin with.
    wanted: Option<String>,
}

/// What measures the code, how far it is, and what was measured before.
#[derive(Debug)]
pub struct Measures {
    /// What measures; None until something is measured.
    pub ruler: Option<RulerName>,
    /// What another profile or other rules measured, and which; until somebody dismisses it. One a path.
    pub before: Option<(RulerName, Vec<Party>)>,
    /// Why nothing can be measured.
    pub failed: Option<String>,
    /// Contents read of those that the question under way needs.
    pub progress: Option<(usize, usize)>,
    /// Whether the user does not want any more measured.
    pub is_stopped: bool,
    /// Which run is being measured.
    measuring: Pending<usize>,
}

/// The parts of the view, in the order in which tab goes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Part {
    Numbers,
    #[default]
    Components,
    Code,
    Curves,
    Files,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// In the part that has the keyboard.
    Move(Motion),
    /// The wheel was turned over a part.
    Turn(Part, Motion),
    Next,
    Previous,
    To(Part),
    /// What stands beside the components: the next of code, curves and files.
    Beside,
    /// The other of the two runs.
    SwitchSide,
    Side(usize),
    /// Among the pairs of more than two runs.
    NextPair,
    /// How components and files are sorted.
    Sort,
    /// Over phases, checkpoints or turns.
    Axis,
    /// Along the points of the curves.
    Point(Motion),
    /// Another number.
    Number(Motion),
    /// By evidence, or by hunk of a file.
    Step(Motion),
    Sideways(Motion),
    /// Opens the run, or the file.
    Enter,
    Back,
    StopOrGoOn,
    /// The next judge's verdicts.
    Judge,
    /// The next way to pool the verdicts of all judges.
    Pool,
    /// To this view, from a run that was opened.
    Show,
}

impl Part {
    /// Where the keyboard is while this part has it.
    pub const fn context(self) -> Context {
        match self {
            Self::Numbers | Self::Components | Self::Code => Context::Pair,
            Self::Curves => Context::Overlaid,
            Self::Files => Context::Ended,
        }
    }

    pub const ALL: [Self; 5] =
        [Self::Numbers, Self::Components, Self::Code, Self::Curves, Self::Files];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Components => "components",
            Self::Code => "code",
            Self::Curves => "curves",
            Self::Files => "files",
        }
    }

    /// The one `by` places further in the ring.
    fn other(self, by: usize) -> Self {
        Self::ALL[(self as usize + by) % Self::ALL.len()]
    }
}

impl Comparison {
    /// Of these runs, two at least; nothing is read yet.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            parties: Loading::Nothing,
            pair: [0, 1],
            side: 0,
            part: Part::default(),
            beside: Part::Code,
            table: Table::default(),
            code: Code::default(),
            chart: Chart::default(),
            files: Files::default(),
            speaks: Speaks::default(),
            intervals: Intervals::default(),
            notice: None,
            wanted: None,
            measures: Measures {
                ruler: None,
                before: None,
                failed: None,
                progress: None,
                is_stopped: false,
                measuring: Pending::default(),
            },
        }
    }

    /// With this component chosen, where the checklists have it.
    #[must_use]
    pub fn with_component(self, id: Option<String>) -> Self {
        Self { wanted: id, ..self }
    }

    /// Whether there is no component in any of them, and what the sessions did is all there is to compare.
    pub fn is_plain(&self) -> bool {
        compare::are_plain(self.all())
    }

    /// All runs; none until they are read.
    pub fn all(&self) -> &[Party] {
        self.parties.ready().map_or(&[], Vec::as_slice)
    }

    /// The two that are compared.
    pub fn sides(&self) -> Option<[&Party; 2]> {
        let all = self.all();
        let [a, b] = self.pair;
        Some([all.get(a)?, all.get(b)?])
    }

    /// The run with the keyboard, by position.
    pub const fn here(&self) -> usize {
        self.pair[self.side]
    }

    pub fn subtraction(&self) -> Subtraction {
        let condition = |at: usize| self.all().get(at).and_then(|it| it.run.condition.as_deref());
        let [a, b] = self.pair;
        Subtraction::of((a, b), (condition(a), condition(b)))
    }

    /// What weakens the comparison, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        compare::warnings(self.all())
    }
}

/// Comparisons of files and texts of files that are kept.
const KEPT: usize = 32;

fn answers<K: Eq + std::hash::Hash + Clone, V>() -> Answers<K, V> {
    Answers::of(KEPT)
}
