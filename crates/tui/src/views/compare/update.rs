//! What a message or a click changes.

use ratatui::layout::Rect;

use crate::{
    session::{ask::Loading, parties::Measured},
    widgets::{
        mouse::{Kind, Mouse, NOTCH},
        scroll::Motion,
    },
};
use trajview_study::compare::Party;

use super::{
    Comparison, Message, Part,
    areas::{Areas, heads},
    judging, table,
    trees::Files,
};

impl Comparison {
    pub fn update(&mut self, message: Message, areas: &Areas) {
        match message {
            Message::Move(motion) => self.go(self.part, motion, areas),
            Message::Turn(part, motion) => self.turn(part, motion, areas),
            Message::Next => self.focus(self.part.other(1)),
            Message::Previous => self.focus(self.part.other(Part::ALL.len() - 1)),
            Message::To(part) => self.focus(part),
            Message::Beside => self.show_next_beside(areas),
            Message::SwitchSide => self.side = 1 - self.side,
            Message::Side(side) => self.side = side.min(1),
            Message::NextPair => self.next_pair(),
            Message::Sort if self.part == Part::Files => self.files.sort_otherwise(),
            Message::Sort => self.sort_components(),
            Message::Axis => self.chart.next_axis(),
            Message::Point(motion) => self.go_by_point(motion),
            Message::Number(motion) => self.choose_number(motion),
            Message::Step(motion) => self.step(motion),
            Message::Sideways(motion) => self.go_sideways(motion),
            Message::Back => self.back(),
            Message::StopOrGoOn => self.stop_or_go_on(),
            Message::Judge => judging::next_judge(self),
            Message::Pool => judging::next_pool(self),
            Message::Show | Message::Enter => {} // need the rest of the program, see `shell::screens::compare`
        }
    }

    fn focus(&mut self, part: Part) {
        self.part = part;
        if matches!(part, Part::Code | Part::Curves | Part::Files) {
            self.beside = part;
        }
    }

    fn show_next_beside(&mut self, areas: &Areas) {
        let has_curves = areas.of(Part::Curves).is_some() && areas.of(Part::Code).is_some();
        let next = match self.beside {
            // On a wide screen the curves are seen already.
            Part::Code if has_curves => Part::Files,
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
            Part::Numbers | Part::Curves => self.choose_number(motion),
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
        self.measures.is_stopped = !self.measures.is_stopped;
        if self.measures.is_stopped {
            self.measures.measuring.forget();
            self.measures.progress = None;
        }
    }

    /// Brings every part in step with what is chosen.
    pub fn settle(&mut self, areas: &Areas) {
        self.table.settle(areas.height(Part::Components));
        self.settle_code(areas.height(Part::Code));
        self.files.settle(areas.height(Part::Files));
        self.settle_chart();
        judging::settle_intervals(self);
    }

    pub(super) fn put_measures(&mut self, run: usize, measured: Vec<Measured>) {
        if let Loading::Ready(parties) = &mut self.parties
            && let Some(party) = parties.get_mut(run)
        {
            party.reuse.extend(measured.iter().map(|it| (it.done, it.reuse)));
            party.measured.extend(measured.into_iter().map(|it| (it.done, it.code)));
        }
    }

    /// Measures everything anew, with another profile or other rules; what is known stays as what was before.
    pub(crate) fn measure_again(&mut self) {
        self.measures.measuring.forget();
        (self.measures.failed, self.measures.progress) = (None, None);
        let Loading::Ready(parties) = &mut self.parties else { return };
        if let Some(ruler) = self.measures.ruler.take() {
            self.measures.before = Some((ruler, parties.clone()));
        }
        parties.iter_mut().for_each(|party| party.measured.clear());
    }

    /// Runs are read: the table can be made.
    pub(super) fn begin(&mut self, parties: Vec<Party>) {
        self.table.rows = table::rows_of(&parties);
        self.parties = Loading::Ready(parties);
        if self.is_plain() {
            self.beside = Part::Files;
        }
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

    /// What a click or the wheel wants; a click selects at once.
    pub fn pointed_at(&mut self, mouse: Mouse, areas: &Areas) -> Option<Message> {
        if let Some(part) = tab_at(areas, mouse) {
            return (mouse.kind == Kind::Click).then_some(Message::To(part));
        }
        let part = areas.part_at(mouse.column, mouse.row)?;
        match mouse.kind {
            Kind::WheelUp => Some(Message::Turn(part, Motion::Up(NOTCH))),
            Kind::WheelDown => Some(Message::Turn(part, Motion::Down(NOTCH))),
            Kind::WheelLeft => Some(Message::Sideways(Motion::Up(NOTCH))),
            Kind::WheelRight => Some(Message::Sideways(Motion::Down(NOTCH))),
            Kind::DoubleClick => Some(Message::Enter),
            Kind::Click => {
                self.click(part, mouse, areas);
                None
            }
            Kind::Move | Kind::Release | Kind::Drag => None,
        }
    }

    /// Selects what is under the pointer.
    fn click(&mut self, part: Part, mouse: Mouse, areas: &Areas) {
        self.focus(part);
        let Some(area) = areas.of(part) else { return };
        let Some(row) = row_below(area, heads(part), mouse) else { return };
        match part {
            Part::Components => {
                let wanted = self.table.scroll.top + row;
                if wanted < self.table.order.len() {
                    self.table.scroll.cursor = wanted;
                }
            }
            Part::Files => {
                let count = self.files.order.len();
                match &mut self.files.open {
                    Some(open) => open.scroll.cursor = open.scroll.top + row,
                    None if self.files.scroll.top + row < count => {
                        self.files.scroll.cursor = self.files.scroll.top + row;
                    }
                    None => {}
                }
            }
            Part::Code => {
                let middle = areas.code_sides().map_or(0, |[_, b]| b.x);
                self.side = usize::from(mouse.column >= middle);
                let view = &mut self.code.views[self.side];
                view.scroll.cursor = view.scroll.top + row;
            }
            Part::Numbers => self.choose_number(Motion::To(row + 1)),
            Part::Curves => {
                let plot = super::chart::plot(area);
                let places = self.places();
                let width = f64::from(plot.width.saturating_sub(1).max(1));
                let at = f64::from(mouse.column.saturating_sub(plot.x)) / width;
                let nearest = (0..places.len()).min_by(|one, other| {
                    let away = |index: usize| (places[index].at - at).abs();
                    away(*one).total_cmp(&away(*other))
                });
                if let Some(point) = nearest {
                    self.chart.go_to(point);
                }
            }
        }
    }
}

/// What a tab says.
pub fn tab(part: Part) -> String {
    format!(" {} ", part.word())
}

fn tab_at(areas: &Areas, mouse: Mouse) -> Option<Part> {
    let at = mouse.tab(areas.tabs?, Part::ALL.map(|part| tab(part).len()))?;
    Some(Part::ALL[at])
}

/// The row inside the border of an area below its heads; None elsewhere.
fn row_below(area: Rect, heads: u16, mouse: Mouse) -> Option<usize> {
    let first = area.y + 1 + heads;
    let is_inside = (first..area.bottom().saturating_sub(1)).contains(&mouse.row)
        && mouse.column > area.x
        && mouse.column + 1 < area.right();
    is_inside.then(|| usize::from(mouse.row - first))
}
