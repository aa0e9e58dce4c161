//! Computes the areas of a frame as a pure function: `update` uses it for the number of rows of a panel, `draw` for
//! positions.

use ratatui::layout::{Constraint, Layout as Split, Rect, Size};

/// The choice of showing the panel of turn statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnStatsVisibility {
    /// Shows the panel where there is room.
    #[default]
    Auto,
    Yes,
    No,
}

/// Blanks before the first tab and between tabs.
pub(crate) const TAB_GAP: u16 = 1;

/// The panels of the replay view, in the order of the tab key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReplayPanel {
    #[default]
    Turns,
    Files,
    Diff,
    Steps,
}

impl ReplayPanel {
    pub const ALL: [Self; 4] = [Self::Turns, Self::Files, Self::Diff, Self::Steps];

    pub(crate) const fn panel_name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Files => "files",
            Self::Diff => "diff",
            Self::Steps => "steps",
        }
    }

    pub const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    pub const fn previous(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }
}

/// The smallest terminal we draw in.
pub const MIN_SIZE: Size = Size { width: 60, height: 15 };

/// From this size on panels are side by side; below it they are tabs.
const SIDE_BY_SIDE_FROM: Size = Size { width: 100, height: 30 };

/// From this width on the steps are to the right of the diff.
const THREE_COLUMNS_FROM: u16 = 160;

/// From this width on the chosen step is shown below the list of steps, where the list has at least [`STEP_PANEL_FROM`]
/// rows.
const VERY_WIDE_FROM: u16 = 240;
const STEP_PANEL_FROM: u16 = 24;

const TURNS_WIDTH: u16 = 34;

const TURN_STATS_WIDTH: u16 = 40;

/// The areas of one frame; they do not overlap and lie inside `0, 0, size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScreenLayout {
    pub is_too_small: bool,
    pub title: Rect,
    /// The row of tabs, where panels are not side by side.
    pub tabs: Option<Rect>,
    pub footer: Rect,
    /// Everything between title and footer.
    pub body: Rect,
    panels: [Rect; 4],
    /// The turn in numbers, where it is shown.
    pub now: Option<Rect>,
    /// The area of the full text of the chosen step, where there is room below the steps.
    pub step: Option<Rect>,
    /// Everything between title and footer, the pane at the right included.
    pub whole: Rect,
    /// The area of the judge pane, borders included; where it equals [`Self::whole`], the views are hidden.
    pub pane: Option<Rect>,
}

/// From this width on a pane is beside the views; below it the pane replaces them.
const PANE_BESIDE_FROM: u16 = 120;

/// Cells of such a pane at least and at most, borders included.
const PANE_WIDTH: (u16, u16) = (56, 92);

/// Returns the size that remains for the views when a pane is open.
pub(crate) fn views_size_with_pane(size: Size) -> Size {
    let pane = (size.width * 2 / 5).clamp(PANE_WIDTH.0, PANE_WIDTH.1);
    match size.width >= PANE_BESIDE_FROM {
        true => Size { width: size.width - pane, ..size },
        false => size,
    }
}

/// The choice of giving one panel all the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    #[default]
    Off,
    On,
}

impl ScreenLayout {
    /// Computes the areas; `files` is the number of listed files.
    pub fn new(size: Size, focus: ReplayPanel, zoom: Zoom, files: usize) -> Self {
        let screen = Rect::new(0, 0, size.width, size.height);
        if size.width < MIN_SIZE.width || size.height < MIN_SIZE.height {
            return Self { is_too_small: true, body: screen, whole: screen, ..Self::default() };
        }
        let [title, body, footer] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
                .areas(screen);
        let base = Self { title, body, footer, whole: body, ..Self::default() };
        let has_room =
            size.width >= SIDE_BY_SIDE_FROM.width && size.height >= SIDE_BY_SIDE_FROM.height;
        if !has_room || zoom == Zoom::On {
            return base.with_tabs(focus);
        }
        let panels = if size.width >= THREE_COLUMNS_FROM {
            three_columns(body, files)
        } else {
            two_columns(body, files)
        };
        Self { panels, ..base }
    }

    /// Returns the same layout moved right and down, with another footer.
    pub fn moved_by(self, x: u16, y: u16, footer: Rect) -> Self {
        let moved = |area: Rect| Rect { x: area.x + x, y: area.y + y, ..area };
        Self {
            is_too_small: self.is_too_small,
            title: moved(self.title),
            tabs: self.tabs.map(moved),
            footer,
            body: moved(self.body),
            panels: self.panels.map(moved),
            now: self.now.map(moved),
            step: self.step.map(moved),
            whole: moved(self.whole),
            pane: self.pane.map(moved),
        }
    }

    fn with_tabs(self, focus: ReplayPanel) -> Self {
        let [tabs, rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(self.body);
        let mut panels = [Rect::default(); 4];
        panels[focus as usize] = rest;
        Self { tabs: Some(tabs), panels, ..self }
    }

    /// Adds the panel of turn statistics, `rows` rows high, where it is shown: above the steps, beside them, or below
    /// the one panel.
    pub(crate) fn with_turn_stats(
        mut self,
        shown: TurnStatsVisibility,
        size: Size,
        focus: ReplayPanel,
        rows: usize,
    ) -> Self {
        let is_wide = size.width >= THREE_COLUMNS_FROM && self.tabs.is_none();
        let is_shown =
            shown == TurnStatsVisibility::Yes || (shown == TurnStatsVisibility::Auto && is_wide);
        if !is_shown || self.is_too_small {
            return self;
        }
        let host = if self.tabs.is_some() { focus } else { ReplayPanel::Steps };
        let area = self.panels[host as usize];
        let wanted = Constraint::Length(
            (u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2)).min(area.height / 2),
        );
        let (now, rest) = if is_wide {
            let [now, rest] = Split::vertical([wanted, Constraint::Fill(1)]).areas(area);
            (now, rest)
        } else if self.tabs.is_some() {
            let [rest, now] = Split::vertical([Constraint::Fill(1), wanted]).areas(area);
            (now, rest)
        } else {
            let sides = [Constraint::Fill(1), Constraint::Length(TURN_STATS_WIDTH)];
            let [rest, now] = Split::horizontal(sides).areas(area);
            (now, rest)
        };
        self.panels[host as usize] = rest;
        self.now = Some(now);
        self
    }

    /// Splits the column of steps on a very wide screen between the list and the text of the chosen step.
    pub(crate) fn with_step(mut self, size: Size) -> Self {
        let area = self.panels[ReplayPanel::Steps as usize];
        if size.width < VERY_WIDE_FROM || self.tabs.is_some() || area.height < STEP_PANEL_FROM {
            return self;
        }
        let [steps, step] = Split::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(area);
        self.panels[ReplayPanel::Steps as usize] = steps;
        self.step = Some(step);
        self
    }

    /// Adds a pane in the space that [`views_size_with_pane`] left on a screen of this size.
    pub(crate) fn with_pane(self, size: Size) -> Self {
        if self.is_too_small {
            return self;
        }
        let wide = |area: Rect| Rect { width: size.width, ..area };
        let whole = wide(self.body);
        let left = self.body.width;
        let pane = match left < size.width {
            true => Rect { x: left, width: size.width - left, ..whole },
            false => whole,
        };
        let (title, footer) = (wide(self.title), wide(self.footer));
        Self { title, footer, whole, pane: Some(pane), ..self }
    }

    /// Returns whether a pane hides the views.
    pub fn is_covered(&self) -> bool {
        self.pane.is_some_and(|pane| pane == self.whole)
    }

    /// Returns the area of a panel, borders included; None where it is not shown.
    pub fn panel_area(&self, panel: ReplayPanel) -> Option<Rect> {
        Some(self.panels[panel as usize]).filter(|area| !area.is_empty())
    }

    /// Returns the rows and columns inside a panel's border; for a hidden panel those it would have.
    pub(crate) fn inner_size(&self, panel: ReplayPanel) -> Size {
        let area = self.panel_area(panel).unwrap_or(self.body);
        Size { width: area.width.saturating_sub(2), height: area.height.saturating_sub(2) }
    }

    /// Puts the diff above the steps where they are side by side: two columns of text need the width of both.
    pub(crate) fn with_wide_diff(self) -> Self {
        let (Some(diff), Some(steps)) =
            (self.panel_area(ReplayPanel::Diff), self.panel_area(ReplayPanel::Steps))
        else {
            return self;
        };
        let column = self.now.map_or(steps, |now| now.union(steps));
        let column = self.step.map_or(column, |step| step.union(column));
        if diff.y != column.y || diff.height != column.height {
            return self;
        }
        let [diff, below] =
            Split::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(diff.union(column));
        let sides = [Constraint::Fill(1), Constraint::Length(TURN_STATS_WIDTH)];
        let [steps, now] = match self.now {
            Some(_) => Split::horizontal(sides).areas(below),
            None => [below, Rect::default()],
        };
        let mut panels = self.panels;
        panels[ReplayPanel::Diff as usize] = diff;
        panels[ReplayPanel::Steps as usize] = steps;
        Self { panels, now: self.now.map(|_| now), step: None, ..self }
    }

    /// Makes the list of files as tall as the list of turns, if it needs that: a tree has more to show than a turn.
    pub(crate) fn with_tall_files(self, rows: usize) -> Self {
        let (Some(turns), Some(files)) =
            (self.panel_area(ReplayPanel::Turns), self.panel_area(ReplayPanel::Files))
        else {
            return self;
        };
        let both = turns.union(files);
        let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
        let wanted = rows.clamp(files.height, (both.height / 2).max(files.height));
        let mut panels = self.panels;
        let [turns, files] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(wanted)]).areas(both);
        panels[ReplayPanel::Turns as usize] = turns;
        panels[ReplayPanel::Files as usize] = files;
        Self { panels, ..self }
    }

    /// Returns the area of a box over the whole screen.
    pub fn overlay_area(&self) -> Rect {
        let area = self.whole;
        let margin = if area.width > 100 { (area.width - 92) / 2 } else { 2 };
        Rect {
            x: area.x + margin.min(area.width / 2),
            width: area.width.saturating_sub(2 * margin),
            ..area
        }
    }

    /// Returns the area of a box over the whole screen, borders included, no higher than `rows` rows need.
    pub(crate) fn box_area(&self, rows: usize) -> Rect {
        let area = self.overlay_area();
        let height = u16::try_from(rows.saturating_add(2)).unwrap_or(u16::MAX).min(area.height);
        Rect { y: area.y + (area.height - height) / 2, height, ..area }
    }
}

/// Returns the room inside the border of an area; an area too small for a border has none.
pub(crate) fn inside_border(area: Rect) -> Rect {
    Rect {
        x: area.x + 1.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// Turns and files to the left, the diff above the steps.
fn two_columns(body: Rect, files: usize) -> [Rect; 4] {
    let [left, right] =
        Split::horizontal([Constraint::Length(TURNS_WIDTH), Constraint::Fill(1)]).areas(body);
    let [turns, files] = left_column(left, files);
    let [diff, steps] = Split::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(right);
    [turns, files, diff, steps]
}

/// Turns and files to the left, the diff in the middle, the steps to the right.
fn three_columns(body: Rect, files: usize) -> [Rect; 4] {
    let [left, diff, steps] = Split::horizontal([
        Constraint::Length(TURNS_WIDTH + 4),
        Constraint::Fill(5),
        Constraint::Fill(4),
    ])
    .areas(body);
    let [turns, files] = left_column(left, files);
    [turns, files, diff, steps]
}

fn left_column(area: Rect, files: usize) -> [Rect; 2] {
    let most = area.height / 3;
    let wanted = u16::try_from(files).unwrap_or(u16::MAX).saturating_add(2).clamp(5, most.max(5));
    Split::vertical([Constraint::Fill(1), Constraint::Length(wanted)]).areas(area)
}

/// Returns layouts of terminals from too small to very large, on which the areas of each view are tested.
#[cfg(test)]
pub(crate) fn layouts_to_test() -> impl Iterator<Item = ScreenLayout> {
    const SIZES: [(u16, u16); 12] = [
        (0, 0),
        (60, 15),
        (80, 24),
        (100, 15),
        (100, 30),
        (100, 40),
        (109, 19),
        (110, 19),
        (120, 40),
        (160, 44),
        (200, 50),
        (300, 100),
    ];
    let layout = |(width, height)| {
        ScreenLayout::new(Size { width, height }, ReplayPanel::Turns, Zoom::Off, 0)
    };
    SIZES.into_iter().map(layout)
}

/// Fails if an area is not inside the body, or overlaps another.
#[cfg(test)]
#[track_caller]
pub(crate) fn assert_apart(body: Rect, areas: impl IntoIterator<Item = Rect>) {
    let areas: Vec<Rect> = areas.into_iter().filter(|area| !area.is_empty()).collect();
    for (at, area) in areas.iter().enumerate() {
        assert_eq!(area.intersection(body), *area);
        assert!(areas[..at].iter().all(|other| !area.intersects(*other)), "{areas:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_size_panels_lie_inside_the_screen_and_apart() {
        for (width, height) in [(0, 0), (1, 1), (60, 15), (80, 24), (99, 40), (100, 30), (300, 100)]
        {
            for focus in ReplayPanel::ALL {
                let layout = ScreenLayout::new(Size { width, height }, focus, Zoom::Off, 7);
                let screen = Rect::new(0, 0, width, height);
                let mut areas: Vec<Rect> =
                    ReplayPanel::ALL.iter().filter_map(|panel| layout.panel_area(*panel)).collect();
                areas.extend([layout.title, layout.footer]);
                areas.extend(layout.tabs);
                assert_apart(screen, areas);
            }
        }
    }

    #[test]
    fn a_pane_stands_beside_the_views_or_in_their_place() {
        for (width, height) in [(59, 20), (60, 15), (80, 24), (119, 40), (120, 40), (300, 100)] {
            let size = Size { width, height };
            let layout =
                ScreenLayout::new(views_size_with_pane(size), ReplayPanel::Diff, Zoom::Off, 3)
                    .with_pane(size);
            let Some(pane) = layout.pane else {
                assert!(layout.is_too_small);
                continue;
            };
            assert_eq!((layout.title.width, layout.footer.width), (width, width));
            assert_eq!(layout.is_covered(), width < PANE_BESIDE_FROM);
            assert_eq!(pane.union(layout.body), layout.whole);
            assert!(layout.is_covered() || !pane.intersects(layout.body), "{width}");
            assert!(layout.body.width >= MIN_SIZE.width && pane.width >= 56);
        }
    }

    #[test]
    fn the_focused_panel_is_always_shown() {
        for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 50)] {
            for focus in ReplayPanel::ALL {
                for zoom in [Zoom::Off, Zoom::On] {
                    let layout = ScreenLayout::new(Size { width, height }, focus, zoom, 0);
                    assert!(layout.panel_area(focus).is_some());
                }
            }
        }
    }
}
