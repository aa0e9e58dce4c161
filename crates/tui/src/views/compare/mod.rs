//! Two runs set side by side, or more as columns: numbers, components, code, curves, files and transcripts.
//!
//! [`table`] is the list of components, [`code`] the lines of evidence in each run, [`chart`] the overlaid curves,
//! [`verdict_source`] the source of the verdicts, [`final_trees`] the files at the end of both, [`losses`] the lost components, [`transcripts`] the
//! aligned transcripts, [`columns`] the columns of more than two runs, [`areas`] the areas of
//! the parts, [`questions`] the requests for missing data. The comparison contains plain data only: no run is open
//! here, and a run that is opened from it is separate.

pub mod areas;
pub mod chart;
pub mod clipboard_text;
pub mod code;
mod columns;
mod corrections;
pub mod draw;
pub mod final_trees;
pub mod losses;
pub mod questions;
pub mod run_facts;
pub mod table;
pub mod timelines;
pub mod transcripts;
pub mod update;
pub mod verdict_source;

use std::path::PathBuf;

use crate::{
    session::{
        code_measures::RulerName,
        context::KeyContext,
        key_texts::KeyTexts,
        pending::{CachedAnswers, Loading, Pending},
    },
    widgets::scroll::Motion,
};
use trajview_study::compare::{self, ComparedRun, Subtraction};

use chart::CompareChart;
use code::CompareCode;
use corrections::ComparisonCorrections;
use final_trees::CompareFiles;
use losses::CompareLosses;
use table::ComponentTable;
use timelines::CompareTimelines;
use transcripts::CompareTranscripts;
use verdict_source::{ComparisonIntervals, VerdictSource};

/// Everything that is known of some runs beside each other.
#[derive(Debug)]
pub struct ComparisonView {
    /// The paths of the runs, in the user's order: a, b, c …
    pub paths: Vec<PathBuf>,
    /// One a path.
    pub parties: Loading<Vec<ComparedRun>>,
    /// The positions of the two compared runs, the lower first.
    pub pair: [usize; 2],
    /// The side that has the keyboard: 0 or 1.
    pub side: usize,
    pub part: ComparePart,
    /// The part beside the components where there is no room for all.
    pub beside: ComparePart,
    pub table: ComponentTable,
    pub code: CompareCode,
    pub chart: CompareChart,
    pub files: CompareFiles,
    pub timelines: CompareTimelines,
    pub losses: CompareLosses,
    pub transcripts: CompareTranscripts,
    /// The run that the others are compared with, where there are more than two.
    pub base: usize,
    /// Runs to the left of the first shown column, the base not counted.
    pub first_column: usize,
    pub measures: MeasureProgress,
    pub verdict_source: VerdictSource,
    pub intervals: ComparisonIntervals,
    corrections: ComparisonCorrections,
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
    /// The keys that notices and hints name.
    pub(crate) keys: KeyTexts,
    /// Id of the component to begin with.
    first_component: Option<String>,
    /// True if the user named that component.
    is_component_requested: bool,
    /// The columns beside the base that fit into the narrowest table on screen.
    column_room: usize,
    /// The part that had the keyboard before the transcripts.
    part_before: ComparePart,
}

/// The state of the measurement of the code, and the measures before.
#[derive(Debug)]
pub struct MeasureProgress {
    /// The profile and rules that measure the code; None until something is measured.
    pub ruler: Option<RulerName>,
    /// The measures with an earlier profile or other rules; until the user dismisses them. One per path.
    pub before: Option<(RulerName, Vec<ComparedRun>)>,
    /// The reason why nothing can be measured.
    pub failed: Option<String>,
    /// Contents read, and contents that the pending question needs.
    pub progress: Option<(usize, usize)>,
    /// True where the user stopped the measurement.
    pub is_stopped: bool,
    /// The run that is being measured.
    pending_run: Pending<usize>,
}

/// The parts of the view, in the order of the tab key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ComparePart {
    Numbers,
    #[default]
    Components,
    Code,
    Curves,
    Files,
    /// The components that a run lost.
    Losses,
    /// The aligned transcripts of the two.
    Transcripts,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CompareMessage {
    /// Moves in the part that has the keyboard.
    Move(Motion),
    /// The wheel was turned over a part.
    Turn(ComparePart, Motion),
    Next,
    Previous,
    To(ComparePart),
    /// Shows the next part beside the components: code, curves, files, losses.
    Beside,
    /// Shows the losses of both runs, then goes so many losses further.
    NextLoss(usize),
    /// The other of the two runs.
    SwitchSide,
    Side(usize),
    /// Goes to the next pair of more than two runs.
    NextPair,
    /// Makes the next of more than two runs the base of the differences.
    NextBase,
    /// Goes to the next or previous difference of the transcripts.
    Difference(Motion),
    /// Changes the order of components or files.
    Sort,
    /// Switches the axis between phases, checkpoints and turns.
    Axis,
    /// Moves along the points of the curves.
    Point(Motion),
    /// Another number.
    Number(Motion),
    /// Moves by evidence, or by hunk of a file.
    Step(Motion),
    Sideways(Motion),
    /// Opens the run, or the file.
    Enter,
    StopOrGoOn,
    /// The next judge's verdicts.
    Judge,
    /// The next method to pool the verdicts of all judges.
    Pool,
    /// Opens this view from an open run.
    Show,
}

impl ComparePart {
    /// Returns the context of the key bindings while this part has the keyboard.
    pub(crate) const fn keyboard_context(self) -> KeyContext {
        match self {
            Self::Numbers | Self::Components | Self::Code | Self::Losses => KeyContext::Pair,
            Self::Curves => KeyContext::Overlaid,
            Self::Files => KeyContext::Ended,
            Self::Transcripts => KeyContext::Transcripts,
        }
    }

    pub const ALL: [Self; 7] = [
        Self::Numbers,
        Self::Components,
        Self::Code,
        Self::Curves,
        Self::Files,
        Self::Losses,
        Self::Transcripts,
    ];

    pub const fn part_name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Components => "components",
            Self::Code => "code",
            Self::Curves => "curves",
            Self::Files => "files",
            Self::Losses => "losses",
            Self::Transcripts => "transcripts",
        }
    }

    /// Returns the part `by` places further in the ring.
    fn part_after(self, by: usize) -> Self {
        Self::ALL[(self as usize + by) % Self::ALL.len()]
    }
}

impl ComparisonView {
    /// Creates a comparison of at least two runs; nothing is loaded yet.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            parties: Loading::Nothing,
            pair: [0, 1],
            side: 0,
            part: ComparePart::default(),
            beside: ComparePart::Code,
            table: ComponentTable::default(),
            code: CompareCode::default(),
            chart: CompareChart::default(),
            files: CompareFiles::default(),
            timelines: CompareTimelines::default(),
            losses: CompareLosses::default(),
            transcripts: CompareTranscripts::default(),
            base: 0,
            first_column: 0,
            verdict_source: VerdictSource::default(),
            intervals: ComparisonIntervals::default(),
            corrections: ComparisonCorrections::default(),
            notice: None,
            keys: KeyTexts::default(),
            first_component: None,
            is_component_requested: false,
            column_room: 0,
            part_before: ComparePart::default(),
            measures: MeasureProgress {
                ruler: None,
                before: None,
                failed: None,
                progress: None,
                is_stopped: false,
                pending_run: Pending::default(),
            },
        }
    }

    /// Chooses this component first, where the checklists have it. Where they do not, one that the user named is reported.
    #[must_use]
    pub(crate) fn with_component(self, id: Option<String>, is_requested: bool) -> Self {
        Self { first_component: id, is_component_requested: is_requested, ..self }
    }

    /// Returns whether no run has components, so that only the sessions can be compared.
    pub(crate) fn has_no_components(&self) -> bool {
        compare::lack_judgements(self.all_parties())
    }

    /// Returns all runs; empty until they are loaded.
    pub(crate) fn all_parties(&self) -> &[ComparedRun] {
        self.parties.ready().map_or(&[], Vec::as_slice)
    }

    /// Returns the two compared runs.
    pub fn compared_parties(&self) -> Option<[&ComparedRun; 2]> {
        let all = self.all_parties();
        let [a, b] = self.pair;
        Some([all.get(a)?, all.get(b)?])
    }

    /// Returns the position of the run with the keyboard.
    pub(crate) const fn focused_run(&self) -> usize {
        self.pair[self.side]
    }

    pub fn subtraction(&self) -> Subtraction {
        let condition =
            |at: usize| self.all_parties().get(at).and_then(|it| it.run.condition.as_deref());
        let [a, b] = self.pair;
        Subtraction::by_conditions((a, b), (condition(a), condition(b)))
    }

    /// Returns the warnings about the comparison, as sentences.
    pub fn warnings(&self) -> Vec<String> {
        compare::comparison_warnings(self.all_parties())
    }
}

/// Comparisons of files and texts of files that are kept.
const MAX_KEPT_ANSWERS: usize = 32;

fn empty_answers<K: Eq + std::hash::Hash + Clone, V>() -> CachedAnswers<K, V> {
    CachedAnswers::with_limit(MAX_KEPT_ANSWERS)
}
