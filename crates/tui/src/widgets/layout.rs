//! Where everything stands, as a pure function: `update` asks it how many rows a panel has, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Rect, Size};

/// Whether the panel of numbers is on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// Where there is room.
    #[default]
    Auto,
    Yes,
    No,
}

/// Blanks before the first tab and between tabs.
pub const TAB_GAP: u16 = 1;

/// The panels of the replay view, in the order in which tab goes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Panel {
    #[default]
    Turns,
    Files,
    Diff,
    Steps,
}

impl Panel {
    pub const ALL: [Self; 4] = [Self::Turns, Self::Files, Self::Diff, Self::Steps];

    pub const fn word(self) -> &'static str {
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
pub const LEAST: Size = Size { width: 60, height: 15 };

/// From here on panels stand beside each other; below they are tabs.
const SIDE_BY_SIDE: Size = Size { width: 100, height: 30 };

/// From here on the steps stand to the right of the diff.
const THREE_COLUMNS: u16 = 160;

/// From here on the chosen step is read beside the list of steps, where that has so many rows.
const VERY_WIDE: u16 = 240;
const WITH_STEP: u16 = 24;

const TURNS_WIDTH: u16 = 34;

const NOW_WIDTH: u16 = 40;

/// The areas of one frame; they do not overlap and lie inside `0, 0, size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    pub is_too_small: bool,
    pub title: Rect,
    /// The row of tabs, where panels do not stand beside each other.
    pub tabs: Option<Rect>,
    pub footer: Rect,
    /// Everything between title and footer.
    pub body: Rect,
    panels: [Rect; 4],
    /// The turn in numbers, where it is shown.
    pub now: Option<Rect>,
    /// What the chosen step says in full, where there is room below the steps.
    pub step: Option<Rect>,
    /// Everything between title and footer, the pane at the right included.
    pub whole: Rect,
    /// Where a judge is asked, borders included; where it has all of [`Self::whole`], the views are not seen.
    pub pane: Option<Rect>,
}

/// From here on a pane stands beside the views; below it has their room.
const BESIDE: u16 = 120;

/// Cells of such a pane at least and at most, borders included.
const PANE_WIDTH: (u16, u16) = (56, 92);

/// What is left of a screen for the views when a pane is open.
pub fn beside_pane(size: Size) -> Size {
    let pane = (size.width * 2 / 5).clamp(PANE_WIDTH.0, PANE_WIDTH.1);
    match size.width >= BESIDE {
        true => Size { width: size.width - pane, ..size },
        false => size,
    }
}

/// Whether one panel has all the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    #[default]
    Off,
    On,
}

impl Layout {
    /// `files` is how many files there are to list.
    pub fn of(size: Size, focus: Panel, zoom: Zoom, files: usize) -> Self {
        let screen = Rect::new(0, 0, size.width, size.height);
        if size.width < LEAST.width || size.height < LEAST.height {
            return Self { is_too_small: true, body: screen, whole: screen, ..Self::default() };
        }
        let [title, body, footer] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
                .areas(screen);
        let base = Self { title, body, footer, whole: body, ..Self::default() };
        let has_room = size.width >= SIDE_BY_SIDE.width && size.height >= SIDE_BY_SIDE.height;
        if !has_room || zoom == Zoom::On {
            return base.tabbed(focus);
        }
        let panels =
            if size.width >= THREE_COLUMNS { wide(body, files) } else { medium(body, files) };
        Self { panels, ..base }
    }

    /// The same, further to the right and below, above a footer of its own.
    pub fn moved(self, x: u16, y: u16, footer: Rect) -> Self {
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

    fn tabbed(self, focus: Panel) -> Self {
        let [tabs, rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(self.body);
        let mut panels = [Rect::default(); 4];
        panels[focus as usize] = rest;
        Self { tabs: Some(tabs), panels, ..self }
    }

    /// Makes room for the turn in numbers, where it is wanted: above the steps, beside them, or below the one panel.
    /// It has so many rows.
    pub fn with_now(mut self, shown: Shown, size: Size, focus: Panel, rows: usize) -> Self {
        let is_wide = size.width >= THREE_COLUMNS && self.tabs.is_none();
        let is_shown = shown == Shown::Yes || (shown == Shown::Auto && is_wide);
        if !is_shown || self.is_too_small {
            return self;
        }
        let host = if self.tabs.is_some() { focus } else { Panel::Steps };
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
            let sides = [Constraint::Fill(1), Constraint::Length(NOW_WIDTH)];
            let [rest, now] = Split::horizontal(sides).areas(area);
            (now, rest)
        };
        self.panels[host as usize] = rest;
        self.now = Some(now);
        self
    }

    /// On a very wide screen the list of steps shares its room with the words of the chosen one.
    pub fn with_step(mut self, size: Size) -> Self {
        let area = self.panels[Panel::Steps as usize];
        if size.width < VERY_WIDE || self.tabs.is_some() || area.height < WITH_STEP {
            return self;
        }
        let [steps, step] = Split::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(area);
        self.panels[Panel::Steps as usize] = steps;
        self.step = Some(step);
        self
    }

    /// With a pane in what the views left of a screen of this size; see [`beside_pane`].
    pub fn with_pane(self, size: Size) -> Self {
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

    /// Whether a pane has the room of the views.
    pub fn is_covered(&self) -> bool {
        self.pane.is_some_and(|pane| pane == self.whole)
    }

    /// Where a panel stands, borders included; None where it is not shown.
    pub fn panel(&self, panel: Panel) -> Option<Rect> {
        Some(self.panels[panel as usize]).filter(|area| !area.is_empty())
    }

    /// Rows and columns inside a panel's border; of a hidden panel those it would have.
    pub fn room(&self, panel: Panel) -> Size {
        let area = self.panel(panel).unwrap_or(self.body);
        Size { width: area.width.saturating_sub(2), height: area.height.saturating_sub(2) }
    }

    /// The diff above the steps where they stand side by side: two columns of text need the width of both.
    pub fn wide_diff(self) -> Self {
        let (Some(diff), Some(steps)) = (self.panel(Panel::Diff), self.panel(Panel::Steps)) else {
            return self;
        };
        let column = self.now.map_or(steps, |now| now.union(steps));
        let column = self.step.map_or(column, |step| step.union(column));
        if diff.y != column.y || diff.height != column.height {
            return self;
        }
        let [diff, below] =
            Split::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(diff.union(column));
        let sides = [Constraint::Fill(1), Constraint::Length(NOW_WIDTH)];
        let [steps, now] = match self.now {
            Some(_) => Split::horizontal(sides).areas(below),
            None => [below, Rect::default()],
        };
        let mut panels = self.panels;
        panels[Panel::Diff as usize] = diff;
        panels[Panel::Steps as usize] = steps;
        Self { panels, now: self.now.map(|_| now), step: None, ..self }
    }

    /// The list of files as tall as the list of turns, if it needs that: a tree has more to show than a turn.
    pub fn tall_files(self, rows: usize) -> Self {
        let (Some(turns), Some(files)) = (self.panel(Panel::Turns), self.panel(Panel::Files))
        else {
            return self;
        };
        let both = turns.union(files);
        let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
        let wanted = rows.clamp(files.height, (both.height / 2).max(files.height));
        let mut panels = self.panels;
        let [turns, files] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(wanted)]).areas(both);
        panels[Panel::Turns as usize] = turns;
        panels[Panel::Files as usize] = files;
        Self { panels, ..self }
    }

    /// Where a box over everything stands.
    pub fn overlay(&self) -> Rect {
        let area = self.whole;
        let margin = if area.width > 100 { (area.width - 92) / 2 } else { 2 };
        Rect {
            x: area.x + margin.min(area.width / 2),
            width: area.width.saturating_sub(2 * margin),
            ..area
        }
    }

    /// Where a box over everything stands, borders included, no higher than so many rows need.
    pub fn box_of(&self, rows: usize) -> Rect {
        let area = self.overlay();
        let height = u16::try_from(rows.saturating_add(2)).unwrap_or(u16::MAX).min(area.height);
        Rect { y: area.y + (area.height - height) / 2, height, ..area }
    }
}

/// The room inside the border of an area; an area too small for a border has none.
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + 1.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// Turns and files to the left, the diff above the steps.
fn medium(body: Rect, files: usize) -> [Rect; 4] {
    let [left, right] =
        Split::horizontal([Constraint::Length(TURNS_WIDTH), Constraint::Fill(1)]).areas(body);
    let [turns, files] = left_column(left, files);
    let [diff, steps] = Split::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(right);
    [turns, files, diff, steps]
}

/// Turns and files to the left, the diff in the middle, the steps to the right.
fn wide(body: Rect, files: usize) -> [Rect; 4] {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_size_panels_lie_inside_the_screen_and_apart() {
        for (width, height) in [(0, 0), (1, 1), (60, 15), (80, 24), (99, 40), (100, 30), (300, 100)]
        {
            for focus in Panel::ALL {
                let layout = Layout::of(Size { width, height }, focus, Zoom::Off, 7);
                let screen = Rect::new(0, 0, width, height);
                let mut areas: Vec<Rect> =
                    Panel::ALL.iter().filter_map(|panel| layout.panel(*panel)).collect();
                areas.extend([layout.title, layout.footer]);
                areas.extend(layout.tabs);
                for (i, area) in areas.iter().enumerate() {
                    assert_eq!(area.intersection(screen), *area);
                    assert!(areas[..i].iter().all(|other| !area.intersects(*other)));
                }
            }
        }
    }

    #[test]
    fn a_pane_stands_beside_the_views_or_in_their_place() {
        for (width, height) in [(59, 20), (60, 15), (80, 24), (119, 40), (120, 40), (300, 100)] {
            let size = Size { width, height };
            let layout = Layout::of(beside_pane(size), Panel::Diff, Zoom::Off, 3).with_pane(size);
            let Some(pane) = layout.pane else {
                assert!(layout.is_too_small);
                continue;
            };
            assert_eq!((layout.title.width, layout.footer.width), (width, width));
            assert_eq!(layout.is_covered(), width < BESIDE);
            assert_eq!(pane.union(layout.body), layout.whole);
            assert!(layout.is_covered() || !pane.intersects(layout.body), "{width}");
            assert!(layout.body.width >= LEAST.width && pane.width >= 56);
        }
    }

    #[test]
    fn the_focused_panel_is_always_shown() {
        for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 50)] {
            for focus in Panel::ALL {
                for zoom in [Zoom::Off, Zoom::On] {
                    let layout = Layout::of(Size { width, height }, focus, zoom, 0);
                    assert!(layout.panel(focus).is_some());
                }
            }
        }
    }
}
