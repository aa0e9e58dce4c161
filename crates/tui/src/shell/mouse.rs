//! Handles the mouse: finds the target under the pointer from the layout.

use ratatui::layout::Rect;

use crate::{
    session::{context::KeyContext, effect::Effect, views::ViewMessage},
    shell::{
        App, AppMessage,
        draw::tabs,
        jobs::{
            JobsMessage,
            draw_list::{self, UnderMouse},
            job_list::JobListMessage,
        },
        open_run::RunMessage,
        overlay,
    },
    views::replay::{
        self,
        chooser::{self, ChooserKind as Choices},
    },
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        scroll::{Motion, centred_top},
    },
};

use super::{palette, state::ENTER_KEY};

/// The program that gets the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseCapture {
    #[default]
    On,
    /// The terminal has it.
    Off,
}

impl MouseCapture {
    pub const fn switched(self) -> Self {
        match self {
            Self::On => Self::Off,
            Self::Off => Self::On,
        }
    }
}

/// Returns the area of the palette with so many rows to choose from: a border, the typed line, the rows. One row says that
/// there is none.
pub(crate) fn palette_area(layout: &ScreenLayout, rows: usize) -> Rect {
    let area = layout.overlay_area();
    let rows = u16::try_from(rows.max(1)).unwrap_or(u16::MAX);
    let height = rows.saturating_add(3).min(area.height);
    Rect { height, ..area }
}

impl App {
    pub(crate) fn on_mouse(&mut self, mouse: Mouse, layout: &ScreenLayout) -> Vec<Effect> {
        let is_asked = self.key_context() == KeyContext::LiveQuestion;
        let is_covered = is_asked || self.overlay.is_some() || self.shell.palette.is_some();
        let is_free = !is_covered && self.jobs.list.is_none() && self.jobs.dialog.is_none();
        if mouse.kind == MouseKind::Click
            && is_free
            && let Some(view) =
                tabs::view_at(&self.screens, mouse, self.screens.whole_layout().title)
        {
            self.shell.pending = None;
            self.screens.clear_notices();
            self.screens.go_to_view(&ViewMessage::To(view));
            return vec![];
        }
        if let Some(effects) = (!is_covered).then(|| self.screens.point_at_live(mouse)).flatten() {
            return effects;
        }
        if mouse.kind == MouseKind::Move {
            let is_free = self.overlay.is_none()
                && self.shell.palette.is_none()
                && self.screens.shown_table().is_none();
            self.screens.on_open_run(|open| {
                let is_free = is_free && open.replay.chooser.is_none();
                open.curves.set_hovered(&mut open.session, mouse, layout, is_free);
            });
            return vec![];
        }
        if matches!(mouse.kind, MouseKind::Release | MouseKind::Drag) {
            self.screens.point_at_timeline(mouse, layout);
            return vec![];
        }
        self.screens.on_open_run(|open| open.session.notice = None);
        self.shell.pending = None;
        if layout.is_too_small {
            return vec![];
        }
        if self.shell.palette.is_some() {
            return self.on_mouse_over_palette(mouse, layout);
        }
        if self.overlay.is_some() {
            return self.on_mouse_over_overlay(mouse, layout);
        }
        if is_asked {
            return vec![]; // a key answers
        }
        if self.jobs.list.is_some() || self.jobs.dialog.is_some() {
            let message = match &self.jobs.dialog {
                Some(_) => self.jobs.message_for_mouse(mouse),
                None => self.message_for_mouse_over_jobs(mouse),
            };
            return message.map_or(vec![], |it| self.apply_message(AppMessage::Jobs(it)));
        }
        let has_chooser = self.screens.open_run().is_some_and(|open| open.replay.chooser.is_some());
        if !has_chooser && self.screens.point_at_timeline(mouse, layout) {
            return vec![];
        }
        if self.screens.shown_comparison().is_some() {
            let areas = self.screens.comparison_areas(layout);
            let message =
                self.screens.compared.as_mut().and_then(|it| it.message_for_mouse(mouse, &areas));
            return message.map_or(vec![], |it| self.screens.update_comparison(it, layout));
        }
        if self.screens.shown_table().is_some() {
            let message =
                self.screens.shown_table().and_then(|it| it.message_for_mouse(mouse, layout));
            return message.map_or(vec![], |it| self.apply_message(AppMessage::Collection(it)));
        }
        if has_chooser {
            return self.on_mouse_over_chooser(mouse, layout);
        }
        let mut is_in_pane = false;
        self.screens.on_open_run(|open| {
            is_in_pane = open.judging.handle_mouse(&mut open.session, mouse, layout)
        });
        if is_in_pane {
            return vec![];
        }
        let mut is_enter = false;
        self.screens.on_open_run(|open| is_enter = open.on_mouse(mouse, layout));
        if is_enter { self.press_key(ENTER_KEY.into()) } else { vec![] }
    }

    /// Returns what a mouse event over the list of jobs means: a click chooses a job, a second one opens it, the wheel moves, and
    /// a click outside closes the list.
    fn message_for_mouse_over_jobs(&self, mouse: Mouse) -> Option<JobsMessage> {
        let under = draw_list::under_mouse(self, mouse, &self.screens.whole_layout())?;
        let message = match (mouse.kind, under) {
            (MouseKind::Click, UnderMouse::Job(job)) => JobListMessage::Move(Motion::To(job + 1)),
            (MouseKind::DoubleClick, UnderMouse::Job(_)) => JobListMessage::Enter,
            (MouseKind::Click, UnderMouse::Outside) => JobListMessage::Toggle,
            _ => JobListMessage::Move(mouse.wheel_motion(1)?),
        };
        Some(JobsMessage::List(message))
    }

    fn on_mouse_over_overlay(&mut self, mouse: Mouse, layout: &ScreenLayout) -> Vec<Effect> {
        let Some(overlay) = &self.overlay else { return vec![] };
        let area = overlay.box_area(self.screens.overlay_subject(), &self.shell.keys, layout);
        let message = match mouse.kind {
            MouseKind::WheelUp => overlay::OverlayMessage::Move(Motion::Up(ROWS_PER_WHEEL_NOTCH)),
            MouseKind::WheelDown => {
                overlay::OverlayMessage::Move(Motion::Down(ROWS_PER_WHEEL_NOTCH))
            }
            MouseKind::Click if !mouse.is_in(area) => overlay::OverlayMessage::Close,
            _ => return vec![],
        };
        self.apply_message(AppMessage::Overlay(message))
    }

    fn on_mouse_over_chooser(&mut self, mouse: Mouse, layout: &ScreenLayout) -> Vec<Effect> {
        let Some(open) = self.screens.open_run() else { return vec![] };
        let (Some(chooser), Some(areas)) =
            (&open.replay.chooser, open.replay.chooser_areas(layout))
        else {
            return vec![];
        };
        let is_switched = chooser.kind == Choices::Stops;
        let row = chooser.list.row_at(mouse);
        let choose = |app: &mut Self, message| {
            app.apply_message(AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::Choose(
                message,
            ))))
        };
        match (mouse.kind, row) {
            (MouseKind::WheelUp, _) => {
                choose(self, chooser::ChooserMessage::Turn(Motion::Up(ROWS_PER_WHEEL_NOTCH)))
            }
            (MouseKind::WheelDown, _) => {
                choose(self, chooser::ChooserMessage::Turn(Motion::Down(ROWS_PER_WHEEL_NOTCH)))
            }
            (MouseKind::Click, Some(row)) => {
                choose(self, chooser::ChooserMessage::Move(Motion::To(row + 1)));
                if is_switched { choose(self, chooser::ChooserMessage::Accept) } else { vec![] }
            }
            (MouseKind::DoubleClick, Some(_)) => choose(self, chooser::ChooserMessage::Accept),
            (MouseKind::Click, None) if !mouse.is_in(areas.frame) => {
                choose(self, chooser::ChooserMessage::Close)
            }
            _ => vec![],
        }
    }

    fn on_mouse_over_palette(&mut self, mouse: Mouse, layout: &ScreenLayout) -> Vec<Effect> {
        let Some(mut palette) = self.shell.palette.take() else { return vec![] };
        let rows = self.palette_items(&palette).len();
        let above = palette.complaint_rows(layout).len();
        let area = palette_area(layout, rows + above);
        if mouse.kind == MouseKind::Click {
            let height = usize::from(area.height.saturating_sub(3)).saturating_sub(above);
            let top = centred_top(palette.selected.unwrap_or_default(), rows, height);
            let row = mouse.row_inside(area).and_then(|row| row.checked_sub(1 + above));
            if let Some(index) = row.map(|row| top + row).filter(|index| *index < rows) {
                palette.selected = Some(index);
            }
        }
        self.shell.palette = Some(palette);
        let message = match mouse.kind {
            MouseKind::WheelUp => palette::PaletteMessage::Move(Motion::Up(ROWS_PER_WHEEL_NOTCH)),
            MouseKind::WheelDown => {
                palette::PaletteMessage::Move(Motion::Down(ROWS_PER_WHEEL_NOTCH))
            }
            MouseKind::Click if !mouse.is_in(area) => palette::PaletteMessage::Close,
            MouseKind::DoubleClick if mouse.is_in(area) => palette::PaletteMessage::Accept,
            _ => return vec![],
        };
        self.update_palette(message)
    }
}
