//! What stands under the pointer, worked out from the layout.

use ratatui::layout::Rect;

use crate::{
    session::effect::Effect,
    shell::{App, Message as Wish, open_run::RunMessage, overlay},
    views::replay::{
        self,
        chooser::{self, Kind as Choices},
    },
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse, NOTCH},
        scroll::{Motion, centred},
    },
};

use super::{palette, state::ENTER};

/// Who has the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Capture {
    #[default]
    On,
    /// The terminal.
    Off,
}

impl Capture {
    pub const fn other(self) -> Self {
        match self {
            Self::On => Self::Off,
            Self::Off => Self::On,
        }
    }
}

/// Where the palette stands, with so many rows to choose from: a border, the line that is typed, the rows. One row says
/// that there is none.
pub fn palette_area(layout: &Layout, rows: usize) -> Rect {
    let area = layout.overlay();
    let rows = u16::try_from(rows.max(1)).unwrap_or(u16::MAX);
    let height = rows.saturating_add(3).min(area.height);
    Rect { height, ..area }
}

impl App {
    pub(crate) fn point(&mut self, mouse: Mouse, layout: &Layout) -> Vec<Effect> {
        let is_covered = self.overlay.is_some() || self.shell.palette.is_some();
        if let Some(effects) = (!is_covered).then(|| self.screens.point_at_live(mouse)).flatten() {
            return effects;
        }
        if mouse.kind == Kind::Move {
            let is_free = self.overlay.is_none()
                && self.shell.palette.is_none()
                && self.screens.table().is_none();
            self.screens.on_open_run(|open| {
                let is_free = is_free && open.replay.chooser.is_none();
                open.curves.hover(&mut open.session, mouse, layout, is_free);
            });
            return vec![];
        }
        if matches!(mouse.kind, Kind::Release | Kind::Drag) {
            return vec![];
        }
        self.screens.on_open_run(|open| open.session.notice = None);
        self.shell.pending = None;
        if layout.is_too_small {
            return vec![];
        }
        if self.shell.palette.is_some() {
            return self.point_at_palette(mouse, layout);
        }
        if self.overlay.is_some() {
            return self.point_at_overlay(mouse, layout);
        }
        if self.jobs.list.is_some() || self.jobs.dialog.is_some() {
            return vec![]; // the keyboard has it
        }
        if self.screens.comparison().is_some() {
            let areas = self.screens.comparison_areas(layout);
            let message =
                self.screens.compared.as_mut().and_then(|it| it.pointed_at(mouse, &areas));
            return message.map_or(vec![], |it| self.screens.update_comparison(it, layout));
        }
        if self.screens.table().is_some() {
            let message = self.screens.table().and_then(|it| it.pointed_at(mouse, layout));
            return message.map_or(vec![], |it| self.take(Wish::Collection(it)));
        }
        if self.screens.open_run().is_some_and(|open| open.replay.chooser.is_some()) {
            return self.point_at_chooser(mouse, layout);
        }
        let mut is_in_pane = false;
        self.screens.on_open_run(|open| {
            is_in_pane = open.judging.point_at_judging(&mut open.session, mouse, layout)
        });
        if is_in_pane {
            return vec![];
        }
        let mut is_enter = false;
        self.screens.on_open_run(|open| is_enter = open.point(mouse, layout));
        if is_enter { self.press(ENTER.into()) } else { vec![] }
    }

    fn point_at_overlay(&mut self, mouse: Mouse, layout: &Layout) -> Vec<Effect> {
        let Some(overlay) = &self.overlay else { return vec![] };
        let area = overlay.area(self.screens.subject(), &self.shell.keys, layout);
        let message = match mouse.kind {
            Kind::WheelUp => overlay::Message::Move(Motion::Up(NOTCH)),
            Kind::WheelDown => overlay::Message::Move(Motion::Down(NOTCH)),
            Kind::Click if !mouse.is_in(area) => overlay::Message::Close,
            _ => return vec![],
        };
        self.take(Wish::Overlay(message))
    }

    fn point_at_chooser(&mut self, mouse: Mouse, layout: &Layout) -> Vec<Effect> {
        let Some(open) = self.screens.open_run() else { return vec![] };
        let (Some(chooser), Some(areas)) =
            (&open.replay.chooser, open.replay.chooser_areas(layout))
        else {
            return vec![];
        };
        let is_switched = chooser.kind == Choices::Stops;
        let row = mouse.is_in(areas.list).then(|| usize::from(mouse.row - areas.list.y));
        let row = row.filter(|row| chooser.scroll.top + row < open.replay.choices());
        let choose = |app: &mut Self, message| {
            app.take(Wish::Run(RunMessage::Replay(replay::Message::Choose(message))))
        };
        match (mouse.kind, row) {
            (Kind::WheelUp, _) => choose(self, chooser::Message::Turn(Motion::Up(NOTCH))),
            (Kind::WheelDown, _) => choose(self, chooser::Message::Turn(Motion::Down(NOTCH))),
            (Kind::Click, Some(row)) => {
                choose(self, chooser::Message::PointAt(row));
                if is_switched { choose(self, chooser::Message::Accept) } else { vec![] }
            }
            (Kind::DoubleClick, Some(_)) => choose(self, chooser::Message::Accept),
            (Kind::Click, None) if !mouse.is_in(areas.frame) => {
                choose(self, chooser::Message::Close)
            }
            _ => vec![],
        }
    }

    fn point_at_palette(&mut self, mouse: Mouse, layout: &Layout) -> Vec<Effect> {
        let Some(mut palette) = self.shell.palette.take() else { return vec![] };
        let rows = self.commands_found(&palette).len();
        let area = palette_area(layout, rows);
        if mouse.kind == Kind::Click {
            let height = usize::from(area.height.saturating_sub(3));
            let top = centred(palette.selected, rows, height);
            let row = mouse.row_inside(area).and_then(|row| row.checked_sub(1));
            if let Some(index) = row.map(|row| top + row).filter(|index| *index < rows) {
                palette.selected = index;
            }
        }
        self.shell.palette = Some(palette);
        let message = match mouse.kind {
            Kind::WheelUp => palette::Message::Move(Motion::Up(NOTCH)),
            Kind::WheelDown => palette::Message::Move(Motion::Down(NOTCH)),
            Kind::Click if !mouse.is_in(area) => palette::Message::Close,
            Kind::DoubleClick if mouse.is_in(area) => palette::Message::Accept,
            _ => return vec![],
        };
        self.update_palette(message)
    }
}
