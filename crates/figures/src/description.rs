//! The description of a figure, which says nothing about a format.

use crate::style::{MarkShape, Style};

/// A figure: its panels, one legend for all of them, and the sentences that belong below it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    pub title: String,
    /// What a reader must know: groups, intervals, what was left out. It is in the file as its description.
    pub caption: String,
    pub columns: PageColumns,
    pub panels: Vec<Panel>,
    pub legend: Vec<LegendEntry>,
}

/// The width of a figure, in columns of a page with two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageColumns {
    /// 84 mm.
    #[default]
    One,
    /// 174 mm.
    Two,
}

impl PageColumns {
    /// Returns the width in points.
    pub(crate) fn width(self) -> f64 {
        let millimetres = match self {
            Self::One => 84.0,
            Self::Two => 174.0,
        };
        millimetres / 25.4 * 72.0
    }

    /// Returns the number of panels that are beside each other.
    pub(crate) const fn panels_in_row(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// The format of a figure's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureFormat {
    Svg,
    Pdf,
    /// A `tikzpicture` for LaTeX with the package pgfplots.
    Pgf,
}

impl FigureFormat {
    pub const ALL: [Self; 3] = [Self::Svg, Self::Pdf, Self::Pgf];

    /// Returns the name, which is the usual end of a file's name as well.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Pgf => "pgf",
        }
    }

    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

/// A pair of axes with marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Empty for none.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// The marks, the first at the back.
    pub marks: Vec<Mark>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Empty for none.
    pub label: String,
    pub scale: AxisScale,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AxisScale {
    /// From the low end to the high end; ticks are at round numbers.
    Numbers { low: f64, high: f64 },
    /// The same with ticks at whole numbers only.
    Counts { low: f64, high: f64 },
    /// A place for each name, at 0, 1, 2...; from the left, or from the top.
    Names(Vec<String>),
}

impl Axis {
    pub fn with_numbers(label: impl Into<String>, low: f64, high: f64) -> Self {
        Self { label: label.into(), scale: AxisScale::Numbers { low, high } }
    }

    pub fn with_counts(label: impl Into<String>, low: f64, high: f64) -> Self {
        Self { label: label.into(), scale: AxisScale::Counts { low, high } }
    }

    pub fn with_names(label: impl Into<String>, names: Vec<String>) -> Self {
        Self { label: label.into(), scale: AxisScale::Names(names) }
    }

    /// Returns the names; empty for an axis of numbers.
    pub(crate) fn name_list(&self) -> &[String] {
        match &self.scale {
            AxisScale::Names(names) => names,
            AxisScale::Numbers { .. } | AxisScale::Counts { .. } => &[],
        }
    }

    /// Returns the low and the high end of the axis, which differ also where the values do not.
    pub(crate) fn ends(&self) -> (f64, f64) {
        match &self.scale {
            AxisScale::Numbers { low, high } | AxisScale::Counts { low, high } => {
                if high > low {
                    (*low, *high)
                } else {
                    (low - 0.5, low + 0.5)
                }
            }
            AxisScale::Names(names) => (-0.5, names.len().max(1) as f64 - 0.5),
        }
    }
}

/// Something in a panel, at positions of its axes.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// The area between a low and a high value; None where there is none. A lone place is a vertical line.
    Band { style: Style, points: Vec<(f64, Option<(f64, f64)>)>, is_step: bool },
    /// A line with marks at its points; None is a gap. A step keeps its value up to the next point, and has no marks.
    Curve { style: Style, points: Vec<(f64, Option<f64>)>, is_step: bool },
    /// Marks without a line.
    Points { style: Style, shape: MarkShape, points: Vec<(f64, f64)> },
    /// A thick horizontal bar.
    Bar { style: Style, y: f64, from: f64, to: f64 },
    /// A mark at a value with a horizontal interval, if there is one.
    Interval { style: Style, y: f64, value: f64, ends: Option<(f64, f64)> },
    /// A cell of a heat map.
    Cell(HeatCell),
}

#[derive(Debug, Clone, PartialEq)]
pub struct HeatCell {
    pub x: f64,
    pub y: f64,
    /// 0 is white, 1 the darkest.
    pub shade: f64,
    pub text: String,
}

/// A line of the legend: a sample of a style, and its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendEntry {
    pub label: String,
    pub style: Style,
    /// The shape of a mark alone; None for a line as curves have it.
    pub shape: Option<MarkShape>,
    /// True if the line has marks.
    pub has_marks: bool,
}

/// Returns the parts of points that follow each other without a gap.
pub(crate) fn measured_parts<T: Copy>(points: &[(f64, Option<T>)]) -> Vec<Vec<(f64, T)>> {
    let parts = points.split(|(_, value)| value.is_none());
    let measured = |part: &[(f64, Option<T>)]| -> Vec<(f64, T)> {
        part.iter().filter_map(|(x, value)| Some((*x, (*value)?))).collect()
    };
    parts.map(measured).filter(|part| !part.is_empty()).collect()
}

/// Returns the corners of a step line: each value lasts up to the next place.
pub(crate) fn step_corners(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = vec![];
    for (x, y) in points {
        if let Some((_, before)) = corners.last().copied().filter(|(_, before)| before != y) {
            corners.push((*x, before));
        }
        corners.push((*x, *y));
    }
    corners
}

/// Returns the outline of a band: along its low ends, and back along its high ends.
pub(crate) fn band_outline(points: &[(f64, (f64, f64))], is_step: bool) -> Vec<(f64, f64)> {
    let side = |end: fn(&(f64, f64)) -> f64| {
        let side: Vec<(f64, f64)> = points.iter().map(|(x, ends)| (*x, end(ends))).collect();
        if is_step { step_corners(&side) } else { side }
    };
    let (low, high) = (side(|ends| ends.0), side(|ends| ends.1));
    low.into_iter().chain(high.into_iter().rev()).collect()
}

/// The most points of a curve that all have marks.
const MOST_MARKED: usize = 24;

/// Returns the points of a curve that have marks: all, or of many those at even distances and the lone ones.
pub(crate) fn marked_points(points: &[(f64, Option<f64>)]) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(MOST_MARKED).max(1);
    let parts = measured_parts(points);
    let of_part = |part: Vec<(f64, f64)>| part.into_iter().step_by(every).collect::<Vec<_>>();
    parts.into_iter().flat_map(of_part).collect()
}
