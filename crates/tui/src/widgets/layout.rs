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
    /// The request of the turn.
    Request,
    Diff,
    Steps,
    Files,
}

impl ReplayPanel {
    pub const ALL: [Self; 5] = [Self::Turns, Self::Request, Self::Diff, Self::Steps, Self::Files];

    pub(crate) const fn panel_name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Request => "request",
            Self::Diff => "diff",
            Self::Steps => "steps",
            Self::Files => "files",
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

/// Rows that the panel with the text of the chosen step has at least, borders included.
const MIN_STEP_ROWS: u16 = 8;

/// Rows of a panel at least, borders included.
const MIN_PANEL_ROWS: u16 = 5;

/// Rows of the single panel from which on the request is above the diff.
const REQUEST_ABOVE_FROM: u16 = 12;

const TURNS_WIDTH: u16 = 34;

const TURN_STATS_WIDTH: u16 = 40;

/// The areas of one frame; they do not overlap and lie inside `0, 0, size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScreenLayout {
    pub is_too_small: bool,
    /// On while the part with the keyboard has all the space.
    pub zoom: Zoom,
    pub title: Rect,
    /// The row of tabs, where panels are not side by side.
    pub tabs: Option<Rect>,
    pub footer: Rect,
    /// Everything between title and footer, without the timeline.
    pub body: Rect,
    /// The strip of turns below the views, where it is shown.
    pub timeline: Option<Rect>,
    panels: [Rect; ReplayPanel::ALL.len()],
    /// The turn in numbers, where it is shown.
    pub now: Option<Rect>,
    /// The area of the full text of the chosen step, where there is room below the steps.
    pub step: Option<Rect>,
    /// Everything between title and footer, the timeline and the pane at the right included.
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

/// What the panels of the replay have to show.
#[derive(Clone, Copy)]
pub struct PanelNeeds<'a> {
    /// Rows of the list of files.
    pub files: usize,
    /// True if the list of files is on screen where there is no room for it by default.
    pub has_files_open: bool,
    /// Rows of the list of steps.
    pub steps: usize,
    /// False if no file changed: the text of the steps is shown instead of a diff.
    pub has_diff: bool,
    /// Returns the rows of the request in a panel this wide inside its borders, as far as so many rows at most.
    pub request: &'a dyn Fn(usize, usize) -> usize,
    /// Returns the rows of the result of a trial without a log in a panel this wide inside its borders. None for any other run.
    /// Such a trial has no panels of turns and files.
    pub trial_result: Option<&'a dyn Fn(usize) -> usize>,
}

impl Default for PanelNeeds<'_> {
    fn default() -> Self {
        Self {
            files: 0,
            has_files_open: false,
            steps: 0,
            has_diff: true,
            request: &|_, _| 0,
            trial_result: None,
        }
    }
}

impl PanelNeeds<'_> {
    /// Splits an area between the request, as high as its text up to a third of the area, and the rest.
    fn split_off_request(&self, area: Rect, focus: ReplayPanel) -> [Rect; 2] {
        let most = (area.height / 3).max(3);
        let rows = (self.request)(usize::from(area.width.saturating_sub(2)), usize::from(most - 2));
        let rows = if focus == ReplayPanel::Request { rows.max(1) } else { rows };
        let height = if rows == 0 { 0 } else { rows as u16 + 2 };
        Split::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(area)
    }

    /// Splits an area between the diff and the steps below it, which get as many rows as they have, up to two fifths.
    /// Where no file changed the steps come first, with their text below them.
    fn split_diff_and_steps(&self, area: Rect) -> [Rect; 2] {
        let most = if self.has_diff { area.height * 2 / 5 } else { area.height / 2 };
        let steps = Constraint::Length(rows_of_list(self.steps, most));
        if self.has_diff {
            return Split::vertical([Constraint::Fill(1), steps]).areas(area);
        }
        let [steps, diff] = Split::vertical([steps, Constraint::Fill(1)]).areas(area);
        [diff, steps]
    }
}

/// Returns the rows of a panel with a list of `rows` rows, borders included, at most `most`.
fn rows_of_list(rows: usize, most: u16) -> u16 {
    let wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    wanted.clamp(MIN_PANEL_ROWS, most.max(MIN_PANEL_ROWS))
}

/// The choice of giving one panel all the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    #[default]
    Off,
    On,
}

impl ScreenLayout {
    /// Computes the areas without a timeline.
    pub fn new(size: Size, focus: ReplayPanel, zoom: Zoom, needs: &PanelNeeds<'_>) -> Self {
        Self::with_timeline(size, focus, zoom, needs, 0)
    }

    /// Computes the areas above a timeline of so many rows; 0 for none.
    pub(crate) fn with_timeline(
        size: Size,
        focus: ReplayPanel,
        zoom: Zoom,
        needs: &PanelNeeds<'_>,
        rows: u16,
    ) -> Self {
        let screen = Rect::new(0, 0, size.width, size.height);
        if size.width < MIN_SIZE.width || size.height < MIN_SIZE.height {
            return Self { is_too_small: true, body: screen, whole: screen, ..Self::default() };
        }
        let heights = [
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(rows),
            Constraint::Length(1),
        ];
        let [title, body, timeline, footer] = Split::vertical(heights).areas(screen);
        let whole = body.union(timeline);
        let timeline = (rows > 0).then_some(timeline);
        let base = Self { zoom, title, body, timeline, footer, whole, ..Self::default() };
        if let Some(rows) = needs.trial_result.filter(|_| zoom == Zoom::Off) {
            return base.with_trial_result(rows, focus, needs);
        }
        let has_room =
            size.width >= SIDE_BY_SIDE_FROM.width && size.height >= SIDE_BY_SIDE_FROM.height;
        if !has_room || zoom == Zoom::On {
            return base.with_tabs(focus, zoom, needs);
        }
        if size.width >= THREE_COLUMNS_FROM {
            return base.with_three_columns(focus, needs);
        }
        Self { panels: two_columns(body, focus, needs), ..base }
    }

    /// Returns the same layout moved right and down, with another footer.
    pub fn moved_by(self, x: u16, y: u16, footer: Rect) -> Self {
        let moved = |area: Rect| Rect { x: area.x + x, y: area.y + y, ..area };
        Self {
            is_too_small: self.is_too_small,
            zoom: self.zoom,
            title: moved(self.title),
            tabs: self.tabs.map(moved),
            footer,
            body: moved(self.body),
            timeline: self.timeline.map(moved),
            panels: self.panels.map(moved),
            now: self.now.map(moved),
            step: self.step.map(moved),
            whole: moved(self.whole),
            pane: self.pane.map(moved),
        }
    }

    /// Arranges the request, the result and the steps over the full width, with the text of the chosen step below them.
    fn with_trial_result(
        self,
        rows: &dyn Fn(usize) -> usize,
        focus: ReplayPanel,
        needs: &PanelNeeds<'_>,
    ) -> Self {
        let mut panels = [Rect::default(); ReplayPanel::ALL.len()];
        let [request, body] = needs.split_off_request(self.body, focus);
        panels[ReplayPanel::Request as usize] = request;
        if needs.steps == 0 {
            panels[ReplayPanel::Diff as usize] = body;
            return Self { panels, ..self };
        }
        let rows = rows(usize::from(body.width.saturating_sub(2)));
        let heights = [
            Constraint::Length(rows_of_list(rows, body.height * 2 / 5)),
            Constraint::Length(rows_of_list(needs.steps, body.height / 3)),
            Constraint::Fill(1),
        ];
        let [result, steps, text] = Split::vertical(heights).areas(body);
        panels[ReplayPanel::Diff as usize] = result;
        let has_text = text.height >= MIN_PANEL_ROWS;
        panels[ReplayPanel::Steps as usize] = if has_text { steps } else { steps.union(text) };
        Self { panels, step: has_text.then_some(text), ..self }
    }

    fn with_tabs(self, focus: ReplayPanel, zoom: Zoom, needs: &PanelNeeds<'_>) -> Self {
        let [tabs, mut rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(self.body);
        let mut panels = [Rect::default(); ReplayPanel::ALL.len()];
        let has_room = rest.height >= REQUEST_ABOVE_FROM && zoom == Zoom::Off;
        if focus == ReplayPanel::Diff && has_room {
            [panels[ReplayPanel::Request as usize], rest] = needs.split_off_request(rest, focus);
        }
        panels[focus as usize] = rest;
        Self { tabs: Some(tabs), panels, ..self }
    }

    /// Arranges turns to the left, the request above the diff in the middle, files and steps to the right. The text of
    /// the chosen step is below the steps where they leave room for it.
    fn with_three_columns(self, focus: ReplayPanel, needs: &PanelNeeds<'_>) -> Self {
        let sides = [Constraint::Length(TURNS_WIDTH + 4), Constraint::Fill(5), Constraint::Fill(4)];
        let [turns, middle, right] = Split::horizontal(sides).areas(self.body);
        let [request, diff] = needs.split_off_request(middle, focus);
        let files = Constraint::Length(rows_of_list(
            needs.files,
            right.height / if needs.has_files_open { 2 } else { 3 },
        ));
        let [files, steps] = Split::vertical([files, Constraint::Fill(1)]).areas(right);
        Self { panels: [turns, request, diff, steps, files], ..self }
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
        // Where the text of a step is there already, the run has no turns with numbers.
        if !is_shown || self.is_too_small || self.step.is_some() {
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

    /// Splits a column of steps between the list and the text of the chosen step, where no other panel shows it.
    pub(crate) fn with_step(mut self, needs: &PanelNeeds<'_>) -> Self {
        let area = self.panels[ReplayPanel::Steps as usize];
        let list = rows_of_list(needs.steps, area.height / 2);
        let is_column = self.is_in_columns() && needs.has_diff;
        if !is_column || area.height < list + MIN_STEP_ROWS {
            return self;
        }
        let rows = [Constraint::Length(list), Constraint::Fill(1)];
        let [steps, step] = Split::vertical(rows).areas(area);
        self.panels[ReplayPanel::Steps as usize] = steps;
        self.step = Some(step);
        self
    }

    /// Returns whether the steps are to the right of the diff.
    fn is_in_columns(&self) -> bool {
        let (diff, steps) =
            (self.panel_area(ReplayPanel::Diff), self.panel_area(ReplayPanel::Steps));
        diff.zip(steps).is_some_and(|(diff, steps)| steps.x > diff.x)
    }

    /// Adds a pane in the space that [`views_size_with_pane`] left on a screen of this size.
    pub(crate) fn with_pane(self, size: Size) -> Self {
        if self.is_too_small {
            return self;
        }
        let wide = |area: Rect| Rect { width: size.width, ..area };
        let whole = wide(self.whole);
        let left = self.body.width;
        let (pane, timeline) = match left < size.width {
            true => (Rect { x: left, width: size.width - left, ..whole }, self.timeline),
            false => (whole, None),
        };
        let (title, footer) = (wide(self.title), wide(self.footer));
        Self { title, footer, whole, timeline, pane: Some(pane), ..self }
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
        if !self.is_in_columns() {
            return self;
        }
        let area = |panel: ReplayPanel| self.panels[panel as usize];
        let (turns, request) = (area(ReplayPanel::Turns), area(ReplayPanel::Request));
        let width = self.body.right().saturating_sub(turns.right());
        let all = Rect { x: turns.right(), width, ..self.body };
        let rows = [Constraint::Length(request.height), Constraint::Fill(3), Constraint::Fill(2)];
        let [request, diff, below] = Split::vertical(rows).areas(all);
        let sides = [Constraint::Fill(1), Constraint::Length(TURN_STATS_WIDTH)];
        let [steps, right] = Split::horizontal(sides).areas(below);
        let [files, now] = match self.now {
            Some(_) => Split::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(right),
            None => [right, Rect::default()],
        };
        let panels = [turns, request, diff, steps, files];
        Self { panels, now: self.now.map(|_| now), step: None, ..self }
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

/// Arranges turns to the left over the full height, with the files below them while those are open; to the right the
/// request, the diff and the steps.
fn two_columns(
    body: Rect,
    focus: ReplayPanel,
    needs: &PanelNeeds<'_>,
) -> [Rect; ReplayPanel::ALL.len()] {
    let [left, right] =
        Split::horizontal([Constraint::Length(TURNS_WIDTH), Constraint::Fill(1)]).areas(body);
    let files = match needs.has_files_open {
        true => rows_of_list(needs.files, left.height / 2),
        false => 0,
    };
    let [turns, files] =
        Split::vertical([Constraint::Fill(1), Constraint::Length(files)]).areas(left);
    let [request, rest] = needs.split_off_request(right, focus);
    let [diff, steps] = needs.split_diff_and_steps(rest);
    [turns, request, diff, steps, files]
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
        ScreenLayout::new(
            Size { width, height },
            ReplayPanel::Turns,
            Zoom::Off,
            &PanelNeeds::default(),
        )
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
                let layout = ScreenLayout::new(
                    Size { width, height },
                    focus,
                    Zoom::Off,
                    &PanelNeeds { files: 7, ..PanelNeeds::default() },
                );
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
            let layout = ScreenLayout::new(
                views_size_with_pane(size),
                ReplayPanel::Diff,
                Zoom::Off,
                &PanelNeeds::default(),
            )
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
    fn the_timeline_lies_below_the_views_and_boxes_may_cover_it() {
        for (width, height) in [(80, 24), (120, 40), (200, 50)] {
            let size = Size { width, height };
            let views = views_size_with_pane(size);
            let needs = PanelNeeds::default();
            let plain = ScreenLayout::new(size, ReplayPanel::Diff, Zoom::Off, &needs);
            let layout = ScreenLayout::with_timeline(size, ReplayPanel::Diff, Zoom::Off, &needs, 6);
            let with_pane =
                ScreenLayout::with_timeline(views, ReplayPanel::Diff, Zoom::Off, &needs, 6)
                    .with_pane(size);

            let timeline = layout.timeline.unwrap();
            assert_eq!((timeline.height, timeline.bottom()), (6, layout.footer.y));
            assert_apart(layout.whole, [layout.body, timeline]);
            assert_eq!((layout.whole, plain.timeline), (plain.whole, None));
            assert_eq!(with_pane.timeline.is_none(), with_pane.is_covered());
        }
    }

    #[test]
    fn a_trial_without_a_log_has_the_whole_width_and_panels_that_lie_apart() {
        for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 50)] {
            for steps in [0, 1, 300] {
                let rows: &dyn Fn(usize) -> usize = &|_| 40;
                let needs = PanelNeeds { steps, trial_result: Some(rows), ..PanelNeeds::default() };
                let size = Size { width, height };
                let layout = ScreenLayout::new(size, ReplayPanel::Steps, Zoom::Off, &needs);
                let panels = [ReplayPanel::Diff, ReplayPanel::Steps];
                let shown = panels.map(|panel| layout.panel_area(panel));

                assert!(shown.iter().flatten().all(|area| area.width == width), "{shown:?}");
                assert_eq!(shown.map(|area| area.is_some()), [true, steps > 0]);
                assert_apart(layout.body, shown.into_iter().chain([layout.step]).flatten());
            }
        }
    }

    #[test]
    fn the_focused_panel_is_always_shown() {
        for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 50)] {
            for focus in ReplayPanel::ALL {
                for zoom in [Zoom::Off, Zoom::On] {
                    let has_files_open = focus == ReplayPanel::Files;
                    let request = &|_, _| 3;
                    let needs = PanelNeeds { has_files_open, request, ..PanelNeeds::default() };
                    let layout = ScreenLayout::new(Size { width, height }, focus, zoom, &needs);
                    assert!(layout.panel_area(focus).is_some(), "{focus:?} {width} {zoom:?}");
                }
            }
        }
    }
}
