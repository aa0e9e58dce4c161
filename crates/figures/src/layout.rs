//! The places of panels, axes and legend, in points from the top left corner of the figure.

use crate::{
    description::{Figure, Panel},
    font::{fitting_text, text_width},
    scale::{Tick, axis_ticks},
};

/// The size of ticks and legend.
pub(crate) const SMALL_TEXT: f64 = 7.0;
/// The size of labels of axes and titles of panels.
pub(crate) const LABEL_TEXT: f64 = 8.0;
pub(crate) const LINE_HEIGHT: f64 = 10.0;
pub(crate) const TICK_LENGTH: f64 = 2.5;
/// The distance between a tick and its label.
pub(crate) const TICK_GAP: f64 = 2.0;
/// The length of a sample in the legend.
pub(crate) const SAMPLE_LENGTH: f64 = 18.0;
pub(crate) const SAMPLE_GAP: f64 = 4.0;
/// The distance between two entries of the legend.
pub(crate) const ENTRY_GAP: f64 = 12.0;
const MARGIN: f64 = 3.0;
const PANEL_GAP: f64 = 8.0;
/// The height of a panel of numbers, as a share of its width.
const PANEL_RATIO: f64 = 0.62;
/// The height of a row of names.
const NAME_ROW: f64 = 10.0;
const LARGEST_CELL: f64 = 26.0;
/// The most that names beside an axis take of a panel.
const NAMES_SHARE: f64 = 0.42;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub width: f64,
    pub height: f64,
    pub panels: Vec<PanelLayout>,
    pub legend: LegendLayout,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PanelLayout {
    /// The area between the axes.
    pub area: Rect,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    /// The place of the y axis' label, its middle.
    pub y_label: f64,
    /// The base line of the x axis' label.
    pub x_label: f64,
    /// The base line of the title.
    pub title: f64,
    x_ends: (f64, f64),
    y_ends: (f64, f64),
    is_from_top: bool,
}

impl PanelLayout {
    pub(crate) fn x_place(&self, x: f64) -> f64 {
        let (low, high) = self.x_ends;
        self.area.left + (x - low) / (high - low) * self.area.width
    }

    /// Returns the distance of a value from the top of the page.
    pub(crate) fn y_place(&self, y: f64) -> f64 {
        let (low, high) = self.y_ends;
        let share = (y - low) / (high - low);
        let share = if self.is_from_top { share } else { 1.0 - share };
        self.area.top + share * self.area.height
    }
}

/// The rows of the legend, each in the middle of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LegendLayout {
    /// The middle of each row, from the top of the figure, with the left end and the text of its entries.
    pub entries: Vec<LegendPlace>,
    /// The number of entries in a row.
    pub columns: usize,
    pub top: f64,
    pub height: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LegendPlace {
    pub left: f64,
    pub middle: f64,
    pub label: String,
}

/// The room around the area of a panel.
struct PanelMargins {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// How much wider text may be in the fonts of LaTeX.
const LATEX_WIDTH: f64 = 1.25;

impl Layout {
    pub(crate) fn new(figure: &Figure) -> Self {
        Self::with_text_scale(figure, 1.0)
    }

    /// Lays a figure out with more room for names, since letters are wider in the fonts of LaTeX.
    pub(crate) fn for_latex(figure: &Figure) -> Self {
        Self::with_text_scale(figure, LATEX_WIDTH)
    }

    fn with_text_scale(figure: &Figure, scale: f64) -> Self {
        let width = figure.columns.width();
        let in_row = figure.columns.panels_in_row().min(figure.panels.len()).max(1);
        let cell_width = (width - 2.0 * MARGIN - PANEL_GAP * (in_row - 1) as f64) / in_row as f64;
        let mut panels = vec![];
        let mut top = MARGIN;
        for row in figure.panels.chunks(in_row) {
            let margins: Vec<PanelMargins> =
                row.iter().map(|panel| panel_margins(panel, cell_width, scale)).collect();
            // The areas of a row begin at one height and end at one.
            let above = margins.iter().map(|it| it.top).fold(0.0, f64::max);
            let below = margins.iter().map(|it| it.bottom).fold(0.0, f64::max);
            let height = row.iter().zip(&margins).map(|(panel, margins)| {
                area_height(panel, cell_width - margins.left - margins.right)
            });
            let height = height.fold(0.0, f64::max);
            let mut left = MARGIN;
            for (panel, margins) in row.iter().zip(&margins) {
                let area = Rect {
                    left: left + margins.left,
                    top: top + above,
                    width: cell_width - margins.left - margins.right,
                    height,
                };
                panels.push(panel_layout(panel, area, left, scale));
                left += cell_width + PANEL_GAP;
            }
            top += above + height + below + PANEL_GAP;
        }
        let legend = legend_layout(figure, width, top - PANEL_GAP, scale);
        Self { width, height: legend.top + legend.height + MARGIN, panels, legend }
    }
}

fn area_height(panel: &Panel, width: f64) -> f64 {
    let (columns, rows) = (panel.x.name_list().len(), panel.y.name_list().len());
    match (columns, rows) {
        (_, 0) => width * PANEL_RATIO,
        (0, rows) => rows as f64 * NAME_ROW + 4.0,
        (columns, rows) => (width / columns as f64).min(LARGEST_CELL) * rows as f64,
    }
}

/// Returns about as many ticks as have room.
fn x_ticks(panel: &Panel, width: f64) -> Vec<Tick> {
    axis_ticks(&panel.x, (width / 36.0) as usize)
}

fn y_ticks(panel: &Panel, cell_width: f64, scale: f64) -> Vec<Tick> {
    let most = cell_width * NAMES_SHARE / scale;
    let ticks = axis_ticks(&panel.y, 5).into_iter();
    ticks.map(|tick| Tick { label: fitting_text(&tick.label, SMALL_TEXT, most), ..tick }).collect()
}

fn panel_margins(panel: &Panel, cell_width: f64, scale: f64) -> PanelMargins {
    let ticks = y_ticks(panel, cell_width, scale);
    let widest = ticks.iter().map(|tick| text_width(&tick.label, SMALL_TEXT)).fold(0.0, f64::max);
    let label = |words: &str| if words.is_empty() { 0.0 } else { LINE_HEIGHT + 1.0 };
    PanelMargins {
        left: label(&panel.y.label) + widest * scale + TICK_LENGTH + TICK_GAP + 1.0,
        // Half of the last tick's label of the x axis.
        right: 8.0,
        top: if panel.title.is_empty() { SMALL_TEXT / 2.0 } else { LINE_HEIGHT + 3.0 },
        bottom: TICK_LENGTH + TICK_GAP + SMALL_TEXT + 1.0 + label(&panel.x.label),
    }
}

fn panel_layout(panel: &Panel, area: Rect, left: f64, scale: f64) -> PanelLayout {
    let cell_width = area.right() + 8.0 - left;
    let x_ticks = x_ticks(panel, area.width).into_iter();
    let name_width = area.width / panel.x.name_list().len().max(1) as f64 / scale - 2.0;
    let shorten = |tick: Tick| match panel.x.name_list() {
        [] => tick,
        _ => Tick { label: fitting_text(&tick.label, SMALL_TEXT, name_width), ..tick },
    };
    PanelLayout {
        area,
        x_ticks: x_ticks.map(shorten).collect(),
        y_ticks: y_ticks(panel, cell_width, scale),
        y_label: left + LABEL_TEXT * 0.8,
        x_label: area.bottom() + TICK_LENGTH + TICK_GAP + SMALL_TEXT + LINE_HEIGHT,
        title: area.top - 5.0,
        x_ends: panel.x.ends(),
        y_ends: panel.y.ends(),
        is_from_top: !panel.y.name_list().is_empty(),
    }
}

/// Returns the legend: as many entries in each row as fit, in columns of one width, the whole in the middle.
fn legend_layout(figure: &Figure, width: f64, below: f64, scale: f64) -> LegendLayout {
    if figure.legend.is_empty() {
        return LegendLayout { top: below, ..LegendLayout::default() };
    }
    let room = width - 2.0 * MARGIN - 6.0;
    let most = (room - SAMPLE_LENGTH - SAMPLE_GAP) / scale;
    let labels: Vec<String> =
        figure.legend.iter().map(|it| fitting_text(&it.label, SMALL_TEXT, most)).collect();
    let entry_width =
        |label: &String| SAMPLE_LENGTH + SAMPLE_GAP + text_width(label, SMALL_TEXT) * scale;
    let columns_of = |count: usize| -> Vec<f64> {
        let widest = |column: usize| {
            let labels = labels.iter().skip(column).step_by(count);
            labels.map(entry_width).fold(0.0, f64::max)
        };
        (0..count).map(widest).collect()
    };
    let total = |widths: &[f64]| widths.iter().sum::<f64>() + ENTRY_GAP * (widths.len() - 1) as f64;
    let columns = (1..=labels.len()).rev().find(|count| total(&columns_of(*count)) <= room);
    let columns = columns.unwrap_or(1);
    let widths = columns_of(columns);
    let first = (width - total(&widths)) / 2.0;
    let top = below + 4.0;
    let place = |(at, label): (usize, String)| LegendPlace {
        left: first + widths.iter().take(at % columns).map(|width| width + ENTRY_GAP).sum::<f64>(),
        middle: top + ((at / columns) as f64 + 0.5) * LINE_HEIGHT,
        label,
    };
    let height = labels.len().div_ceil(columns) as f64 * LINE_HEIGHT;
    LegendLayout {
        entries: labels.into_iter().enumerate().map(place).collect(),
        columns,
        top,
        height,
    }
}
