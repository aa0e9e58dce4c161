//! Two runs set side by side, or more as columns: numbers, components, code, curves and files of both.
//!
//! [`table`] is the list of components, [`code`] the lines a judge named in each run, [`chart`] the overlaid curves,
//! [`trees`] the files both ended with, [`areas`] where they stand, `asking` what is wanted of the world, `around` what
//! a comparison is to the rest of the program. It holds plain data only: no run is open here, and the one that is
//! opened from it lies beside it.

pub mod areas;
pub mod asking;
pub mod chart;
pub mod code;
pub mod draw;
pub mod facts;
pub mod pointing;
mod said;
pub mod table;
pub mod trees;

use std::path::PathBuf;

use crate::{
    session::{
        ask::{Answers, Loading, Pending},
        context::Context,
        measured::RulerName,
        parties::Measured,
    },
    study::compare::{self, Party, Subtraction},
    widgets::scroll::Motion,
};

use areas::Areas;
use chart::Chart;
use code::Code;
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
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
    /// Id of the component to begin with.
    wanted: Option<String>,
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
            ruler: None,
            before: None,
            failed: None,
            progress: None,
            is_stopped: false,
            notice: None,
            wanted: None,
            measuring: Pending::default(),
        }
    }

    /// With this component chosen, where the checklists have it.
    #[must_use]
    pub fn with_component(self, id: Option<String>) -> Self {
        Self { wanted: id, ..self }
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

    pub(crate) fn update(&mut self, message: Message, areas: &Areas) {
        match message {
            Message::Move(motion) => self.go(self.part, motion, areas),
            Message::Turn(part, motion) => self.turn(part, motion, areas),
            Message::Next => self.focus(self.part.other(1)),
            Message::Previous => self.focus(self.part.other(Part::ALL.len() - 1)),
            Message::To(part) => self.focus(part),
            Message::Beside => self.show_next_beside(),
            Message::SwitchSide => self.side = 1 - self.side,
            Message::Side(side) => self.side = side.min(1),
            Message::NextPair => self.next_pair(),
            Message::Sort if self.part == Part::Files => self.files.sort_otherwise(),
            Message::Sort => self.sort_components(),
            Message::Axis => self.chart.next_axis(),
            Message::Point(motion) => self.go_by_point(motion),
            Message::Number(motion) => self.chart.choose(motion),
            Message::Step(motion) => self.step(motion),
            Message::Sideways(motion) => self.go_sideways(motion),
            Message::Back => self.back(),
            Message::StopOrGoOn => self.stop_or_go_on(),
            Message::Show | Message::Enter => {} // need the rest of the program, see `around`
        }
    }

    fn focus(&mut self, part: Part) {
        self.part = part;
        if matches!(part, Part::Code | Part::Curves | Part::Files) {
            self.beside = part;
        }
    }

    fn show_next_beside(&mut self) {
        let next = match self.beside {
            Part::Code => Part::Curves,
            Part::Curves => Part::Files,
            _ => Part::Code,
        };
        let is_there = self.part == self.beside;
        self.beside = next;
        if is_there {
            self.part = next;
        }
    }

    fn go(&mut self, part: Part, motion: Motion, areas: &Areas) {
        let height = areas.height(part);
        match part {
            Part::Numbers | Part::Curves => self.chart.choose(motion),
            Part::Components => self.table.go(motion, height),
            Part::Code => self.code.go(self.side, motion, height),
            Part::Files => self.files.go(motion, height),
        }
    }

    /// As a wheel does: the window moves and takes the cursor along only as far as it must.
    fn turn(&mut self, part: Part, motion: Motion, areas: &Areas) {
        let height = areas.height(part);
        match part {
            Part::Components => self.table.turn(motion, height),
            Part::Files => self.files.turn(motion, height),
            part => self.go(part, motion, areas),
        }
    }

    fn step(&mut self, motion: Motion) {
        match self.part {
            Part::Files => self.files.step(motion),
            _ => self.next_evidence(motion),
        }
    }

    const fn go_sideways(&mut self, motion: Motion) {
        match self.part {
            Part::Files => self.files.go_sideways(motion),
            _ => self.code.go_sideways(motion),
        }
    }

    fn back(&mut self) {
        match (self.part, self.files.is_open()) {
            (Part::Files, true) => self.files.close(),
            (Part::Components, _) => {}
            _ => self.part = Part::Components,
        }
    }

    /// Pairs in the order ab, ac, bc, ad …
    fn next_pair(&mut self) {
        let count = self.paths.len();
        if count < 3 {
            self.notice = Some("there are two runs; `trajview A B C` compares more".into());
            return;
        }
        let [a, b] = self.pair;
        self.pair = match (a + 1 < b, b + 1 < count) {
            (true, _) => [a + 1, b],
            (false, true) => [0, b + 1],
            (false, false) => [0, 1],
        };
        self.files = Files::default();
        self.code.forget_places();
        self.sort_again();
    }

    fn stop_or_go_on(&mut self) {
        self.is_stopped = !self.is_stopped;
        if self.is_stopped {
            self.measuring.forget();
            self.progress = None;
        }
    }

    /// Brings every part in step with what is chosen.
    pub(crate) fn settle(&mut self, areas: &Areas) {
        self.table.settle(areas.height(Part::Components));
        self.settle_code(areas.height(Part::Code));
        self.files.settle(areas.height(Part::Files));
        self.settle_chart();
    }

    fn put_measures(&mut self, run: usize, measured: Vec<Measured>) {
        if let Loading::Ready(parties) = &mut self.parties
            && let Some(party) = parties.get_mut(run)
        {
            party.reuse.extend(measured.iter().map(|it| (it.done, it.dir)));
            party.measured.extend(measured.into_iter().map(|it| (it.done, it.code)));
        }
    }

    /// Measures everything anew, with another profile or other rules; what is known stays as what was before.
    pub(crate) fn measure_again(&mut self) {
        self.measuring.forget();
        (self.failed, self.progress) = (None, None);
        let Loading::Ready(parties) = &mut self.parties else { return };
        if let Some(ruler) = self.ruler.take() {
            self.before = Some((ruler, parties.clone()));
        }
        parties.iter_mut().for_each(|party| party.measured.clear());
    }

    /// Runs are read: the table can be made.
    fn begin(&mut self, parties: Vec<Party>) {
        self.table.rows = table::rows_of(&parties);
        self.parties = Loading::Ready(parties);
        self.sort_again();
        let warnings = self.warnings();
        if let Some(first) = warnings.first() {
            let more = if warnings.len() > 1 { "; e lists more" } else { "" };
            self.notice = Some(format!("{first}{more}"));
        }
        let Some(id) = self.wanted.take() else { return };
        let rows = &self.table.rows;
        match self.table.order.iter().position(|at| rows[*at].id == id) {
            Some(at) => self.table.scroll.cursor = at,
            None => self.notice = Some(format!("no component {id} in these checklists")),
        }
    }
}

/// Comparisons of files and texts of files that are kept.
const KEPT: usize = 32;

fn answers<K: Eq + std::hash::Hash + Clone, V>() -> Answers<K, V> {
    Answers::of(KEPT)
}
