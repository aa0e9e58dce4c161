//! The shapes of a figure, at their places: what SVG and PDF are drawn from.

use crate::{
    description::{
        Figure, HeatCell, LegendEntry, Mark, Panel, band_outline, marked_points, measured_parts,
        step_corners,
    },
    layout::{
        LABEL_TEXT, Layout, LegendPlace, PanelLayout, SAMPLE_GAP, SAMPLE_LENGTH, SMALL_TEXT,
        TICK_GAP, TICK_LENGTH,
    },
    style::{
        AXIS_WIDTH, BAND_OPACITY, BAR_WIDTH, CURVE_WIDTH, GRID, INK, MARK_RADIUS, MarkShape, Rgb,
        Style, WHITE, shade_rgb, text_on_shade,
    },
};

type Place = (f64, f64);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Line { points: Vec<Place>, rgb: Rgb, width: f64, dashes: &'static [f64] },
    Area { points: Vec<Place>, rgb: Rgb, opacity: f64 },
    Disc { centre: Place, radius: f64, rgb: Rgb },
    Text(TextShape),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextShape {
    pub text: String,
    /// The base line.
    pub at: Place,
    pub size: f64,
    pub anchor: Anchor,
    /// True for text that is read from the bottom to the top.
    pub is_upright: bool,
    pub rgb: Rgb,
}

/// The part of a text that is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Lowers text so that its digits are centred.
const DIGIT_DROP: f64 = 0.35;

/// Returns the shapes, the first at the back.
pub(crate) fn scene_shapes(figure: &Figure, layout: &Layout) -> Vec<Shape> {
    let mut shapes = vec![];
    for (panel, place) in figure.panels.iter().zip(&layout.panels) {
        add_grid(place, panel, &mut shapes);
        panel.marks.iter().for_each(|mark| add_mark(mark, place, &mut shapes));
        add_axes(panel, place, &mut shapes);
    }
    for (entry, place) in figure.legend.iter().zip(&layout.legend.entries) {
        add_legend_entry(entry, place, &mut shapes);
    }
    shapes
}

fn plain_line(points: Vec<Place>, rgb: Rgb, width: f64) -> Shape {
    Shape::Line { points, rgb, width, dashes: &[] }
}

fn text_shape(words: &str, at: Place, size: f64, anchor: Anchor) -> TextShape {
    TextShape { text: words.to_owned(), at, size, anchor, is_upright: false, rgb: INK }
}

fn add_grid(place: &PanelLayout, panel: &Panel, shapes: &mut Vec<Shape>) {
    if !panel.x.name_list().is_empty() {
        return;
    }
    let area = &place.area;
    if panel.y.name_list().is_empty() {
        for tick in &place.y_ticks {
            let y = place.y_place(tick.at);
            shapes.push(plain_line(vec![(area.left, y), (area.right(), y)], GRID, AXIS_WIDTH));
        }
    } else {
        for tick in &place.x_ticks {
            let x = place.x_place(tick.at);
            shapes.push(plain_line(vec![(x, area.top), (x, area.bottom())], GRID, AXIS_WIDTH));
        }
    }
}

fn add_axes(panel: &Panel, place: &PanelLayout, shapes: &mut Vec<Shape>) {
    let area = &place.area;
    let (left, bottom) = (area.left, area.bottom());
    let corner = vec![(left, area.top), (left, bottom), (area.right(), bottom)];
    shapes.push(plain_line(corner, INK, AXIS_WIDTH));
    for tick in &place.x_ticks {
        let x = place.x_place(tick.at);
        shapes.push(plain_line(vec![(x, bottom), (x, bottom + TICK_LENGTH)], INK, AXIS_WIDTH));
        let at = (x, bottom + TICK_LENGTH + TICK_GAP + SMALL_TEXT * 0.75);
        shapes.push(Shape::Text(text_shape(&tick.label, at, SMALL_TEXT, Anchor::Middle)));
    }
    for tick in &place.y_ticks {
        let y = place.y_place(tick.at);
        shapes.push(plain_line(vec![(left - TICK_LENGTH, y), (left, y)], INK, AXIS_WIDTH));
        let at = (left - TICK_LENGTH - TICK_GAP, y + SMALL_TEXT * DIGIT_DROP);
        shapes.push(Shape::Text(text_shape(&tick.label, at, SMALL_TEXT, Anchor::End)));
    }
    let middle = left + area.width / 2.0;
    if !panel.x.label.is_empty() {
        let at = (middle, place.x_label);
        shapes.push(Shape::Text(text_shape(&panel.x.label, at, LABEL_TEXT, Anchor::Middle)));
    }
    if !panel.y.label.is_empty() {
        let at = (place.y_label, area.top + area.height / 2.0);
        let label = text_shape(&panel.y.label, at, LABEL_TEXT, Anchor::Middle);
        shapes.push(Shape::Text(TextShape { is_upright: true, ..label }));
    }
    if !panel.title.is_empty() {
        let at = (middle, place.title);
        shapes.push(Shape::Text(text_shape(&panel.title, at, LABEL_TEXT, Anchor::Middle)));
    }
}

fn add_mark(mark: &Mark, place: &PanelLayout, shapes: &mut Vec<Shape>) {
    let to_page = |points: &[Place]| -> Vec<Place> {
        points.iter().map(|(x, y)| (place.x_place(*x), place.y_place(*y))).collect()
    };
    match mark {
        Mark::Band { style, points, is_step } => {
            for part in measured_parts(points) {
                shapes.push(match part.as_slice() {
                    [(x, (low, high))] => {
                        plain_line(to_page(&[(*x, *low), (*x, *high)]), style.rgb(), AXIS_WIDTH)
                    }
                    part => Shape::Area {
                        points: to_page(&band_outline(part, *is_step)),
                        rgb: style.rgb(),
                        opacity: BAND_OPACITY,
                    },
                });
            }
        }
        Mark::Curve { style, points, is_step } => {
            for part in measured_parts(points).iter().filter(|part| part.len() > 1) {
                let corners = if *is_step { step_corners(part) } else { part.clone() };
                shapes.push(Shape::Line {
                    points: to_page(&corners),
                    rgb: style.rgb(),
                    width: CURVE_WIDTH,
                    dashes: style.dashes(),
                });
            }
            let marked = if *is_step { vec![] } else { marked_points(points) };
            add_points(&to_page(&marked), style.shape(), *style, shapes);
        }
        Mark::Points { style, shape, points } => {
            add_points(&to_page(points), *shape, *style, shapes);
        }
        Mark::Bar { style, y, from, to } => {
            shapes.push(plain_line(to_page(&[(*from, *y), (*to, *y)]), style.rgb(), BAR_WIDTH));
        }
        Mark::Interval { style, y, value, ends } => {
            if let Some((low, high)) = ends {
                let line = to_page(&[(*low, *y), (*high, *y)]);
                shapes.push(plain_line(line, style.rgb(), CURVE_WIDTH));
            }
            add_points(&to_page(&[(*value, *y)]), style.shape(), *style, shapes);
        }
        Mark::Cell(cell) => add_cell(cell, place, shapes),
    }
}

fn add_cell(cell: &HeatCell, place: &PanelLayout, shapes: &mut Vec<Shape>) {
    let corner = |x: f64, y: f64| (place.x_place(cell.x + x), place.y_place(cell.y + y));
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let points: Vec<Place> = corners.into_iter().map(|(x, y)| corner(x, y)).collect();
    let outline = points.iter().chain(points.first()).copied().collect();
    shapes.push(Shape::Area { points, rgb: shade_rgb(cell.shade), opacity: 1.0 });
    shapes.push(plain_line(outline, WHITE, AXIS_WIDTH));
    let (x, y) = corner(0.0, 0.0);
    let words =
        text_shape(&cell.text, (x, y + SMALL_TEXT * DIGIT_DROP), SMALL_TEXT, Anchor::Middle);
    shapes.push(Shape::Text(TextShape { rgb: text_on_shade(cell.shade), ..words }));
}

fn add_points(points: &[Place], shape: MarkShape, style: Style, shapes: &mut Vec<Shape>) {
    shapes.extend(points.iter().flat_map(|at| mark_shapes(*at, shape, style)));
}

/// Returns the shapes of one mark.
fn mark_shapes((x, y): Place, shape: MarkShape, style: Style) -> Vec<Shape> {
    let r = MARK_RADIUS;
    let rgb = style.rgb();
    let at = |corners: &[Place]| corners.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)).collect();
    let area = |corners: &[Place]| Shape::Area { points: at(corners), rgb, opacity: 1.0 };
    let line = |ends: [Place; 2]| plain_line(at(&ends), rgb, CURVE_WIDTH);
    match shape {
        MarkShape::Circle => vec![Shape::Disc { centre: (x, y), radius: r, rgb }],
        MarkShape::Square => {
            vec![area(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)])]
        }
        MarkShape::Triangle => vec![area(&[(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)])],
        MarkShape::Down => vec![area(&[(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)])],
        MarkShape::Diamond => {
            vec![area(&[(0.0, -1.35), (1.2, 0.0), (0.0, 1.35), (-1.2, 0.0)])]
        }
        MarkShape::Cross => {
            vec![line([(-1.2, -1.2), (1.2, 1.2)]), line([(-1.2, 1.2), (1.2, -1.2)])]
        }
        MarkShape::Tick => vec![line([(0.0, -1.5), (0.0, 1.5)])],
    }
}

fn add_legend_entry(entry: &LegendEntry, place: &LegendPlace, shapes: &mut Vec<Shape>) {
    let (from, to) = (place.left, place.left + SAMPLE_LENGTH);
    let y = place.middle;
    let middle = (from + SAMPLE_LENGTH / 2.0, y);
    match entry.shape {
        Some(shape) => add_points(&[middle], shape, entry.style, shapes),
        None => {
            shapes.push(Shape::Line {
                points: vec![(from, y), (to, y)],
                rgb: entry.style.rgb(),
                width: CURVE_WIDTH,
                dashes: entry.style.dashes(),
            });
            if entry.has_marks {
                add_points(&[middle], entry.style.shape(), entry.style, shapes);
            }
        }
    }
    let at = (to + SAMPLE_GAP, y + SMALL_TEXT * DIGIT_DROP);
    shapes.push(Shape::Text(text_shape(&place.label, at, SMALL_TEXT, Anchor::Start)));
}
