//! Curves and lifelines as SVG within a page: shapes and words, no colours alone; the theme of the page colours them.

use std::fmt::Write;

use super::{
    html_text::{escape_html, slug},
    report_data::{ComponentLife, CurvePoint, RunCurves, RunPart},
};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 92.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;

/// A number along the run.
struct ChartSeries {
    name: &'static str,
    class: &'static str,
    value_of_point: fn(&CurvePoint) -> Option<f64>,
}

const SERIES: [ChartSeries; 2] = [
    ChartSeries { name: "erosion", class: "one", value_of_point: |it| it.erosion },
    ChartSeries { name: "verbosity", class: "two", value_of_point: |it| it.verbosity },
];

/// Returns the largest value of both series. None if nothing was measured. Charts next to each other have the same
/// axis.
pub(crate) fn largest_value(curves: &RunCurves) -> Option<f64> {
    let points = curves.points.iter();
    points.flat_map(|it| SERIES.iter().filter_map(|one| (one.value_of_point)(it))).reduce(f64::max)
}

/// Draws erosion and verbosity, on an axis that contains `most`. Empty if neither was measured.
pub(crate) fn curves_svg(curves: &RunCurves, name: &str, most: Option<f64>) -> String {
    let points = &curves.points;
    let (Some(most), Some(_)) = (most, self::largest_value(curves)) else { return String::new() };
    let top = top_of_axis(most);
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Erosion and verbosity of {}, by {}\">",
        escape_html(name),
        escape_html(&curves.each)
    );
    write_axes(&mut svg, top, points);
    let mut ends = vec![];
    for series in &SERIES {
        write_series(&mut svg, series, points, top);
        let last = points
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, it)| Some((at, (series.value_of_point)(it)?)));
        ends.extend(
            last.map(|(at, value)| (series, point_x(at, points.len()), point_y(value, top))),
        );
    }
    if let [(.., one), (.., two)] = &mut ends[..] {
        move_apart(one, two);
    }
    for (series, x, y) in ends {
        let _ = write!(
            svg, // a String takes everything
            "<text class=\"{}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            series.class,
            x + 8.0,
            y + 4.0,
            series.name
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The least distance of two names.
const NAME_HEIGHT: f64 = 16.0;

/// Moves names apart that would overlap, and neither of them onto the names of the points below the axis.
fn move_apart(one: &mut f64, two: &mut f64) {
    if (*one - *two).abs() >= NAME_HEIGHT {
        return;
    }
    let lowest = HEIGHT - BOTTOM - 6.0;
    let lower = f64::midpoint(*one, *two) + NAME_HEIGHT / 2.0;
    let lower = lower.min(lowest);
    let upper = lower - NAME_HEIGHT;
    (*one, *two) = if one <= two { (upper, lower) } else { (lower, upper) };
}

/// Returns a round number above all values.
fn top_of_axis(most: f64) -> f64 {
    let steps = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8];
    steps.into_iter().find(|step| most <= *step).unwrap_or(1.0)
}

fn point_x(at: usize, count: usize) -> f64 {
    let share = if count > 1 { at as f64 / (count - 1) as f64 } else { 0.5 };
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn point_y(value: f64, top: f64) -> f64 {
    HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)
}

fn write_axes(svg: &mut String, top: f64, points: &[CurvePoint]) {
    let decimals = if top < 0.2 { 3 } else { 2 };
    for part in 0..=4 {
        let value = top * f64::from(part) / 4.0;
        let y = point_y(value, top);
        let (end, text) = (WIDTH - RIGHT, LEFT - 6.0);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"tick end\" x=\"{text}\" y=\"{:.1}\">{value:.decimals$}</text>",
            y + 4.0
        );
    }
    let every = points.len().div_ceil(12).max(1);
    for (at, point) in points.iter().enumerate().step_by(every) {
        let (x, y) = (point_x(at, points.len()), HEIGHT - BOTTOM + 18.0);
        let label: String = point.label.chars().take(10).collect();
        let label = escape_html(&label);
        let _ = write!(svg, "<text class=\"tick middle\" x=\"{x:.1}\" y=\"{y:.1}\">{label}</text>");
    }
}

/// Writes a line that has a gap where nothing was measured, and a mark at each point.
fn write_series(svg: &mut String, series: &ChartSeries, points: &[CurvePoint], top: f64) {
    let mut path = String::new();
    let mut is_open = false;
    let mut marks = String::new();
    for (at, point) in points.iter().enumerate() {
        let Some(value) = (series.value_of_point)(point) else {
            is_open = false;
            continue;
        };
        let (x, y) = (point_x(at, points.len()), point_y(value, top));
        let _ = write!(path, "{}{x:.1} {y:.1}", if is_open { 'L' } else { 'M' });
        is_open = true;
        let title =
            format!("{} after {} (turn {}): {value:.4}", series.name, point.label, point.turn);
        let shape = match series.class {
            "one" => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\">"),
            _ => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"5.6\" height=\"5.6\">",
                x - 2.8,
                y - 2.8
            ),
        };
        let end = if series.class == "one" { "</circle>" } else { "</rect>" };
        let _ = write!(marks, "{shape}<title>{}</title>{end}", escape_html(&title));
    }
    let class = series.class;
    let _ =
        write!(svg, "<path class=\"line {class}\" d=\"{path}\"/><g class=\"{class}\">{marks}</g>");
}

const ROW_HEIGHT: f64 = 18.0;
const NAMES_WIDTH: f64 = 64.0;

/// Draws the lifeline of each component. Empty if none is followed.
pub(crate) fn lifelines_svg(run: &RunPart) -> String {
    if run.lifelines.is_empty() || run.turn_count == 0 {
        return String::new();
    }
    let height = ROW_HEIGHT * run.lifelines.len() as f64 + 26.0;
    let mut svg = format!(
        "<svg class=\"chart lives\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Lifelines of the components of {}\">",
        escape_html(&run.id)
    );
    let turn_x = |turn: usize| {
        NAMES_WIDTH + (turn as f64 / run.turn_count as f64) * (WIDTH - NAMES_WIDTH - 12.0)
    };
    let every = run.turn_count.div_ceil(14).max(1);
    for turn in (0..=run.turn_count).step_by(every) {
        let x = turn_x(turn);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{:.1}\"/><text class=\"tick middle\" x=\"{x:.1}\" y=\"{:.1}\">{turn}</text>",
            height - 22.0,
            height - 6.0
        );
    }
    for (at, life) in run.lifelines.iter().enumerate() {
        write_life(&mut svg, run, life, ROW_HEIGHT * at as f64 + ROW_HEIGHT / 2.0, &turn_x);
    }
    svg.push_str("</svg>");
    svg
}

fn write_life(
    svg: &mut String,
    run: &RunPart,
    life: &ComponentLife,
    y: f64,
    turn_x: &impl Fn(usize) -> f64,
) {
    let firsts = life.symbols.iter().filter_map(|it| it.first);
    let ends = life.symbols.iter().filter(|it| it.first.is_some());
    let end = ends.map(|it| it.vanished.unwrap_or(run.turn_count)).max();
    let used = life.symbols.iter().filter_map(|it| it.last_used).max();
    let title = life.symbols.iter().map(|it| format!("{}: {}", it.name, it.state));
    let title = escape_html(&title.collect::<Vec<_>>().join("; "));
    let (id, name) = (slug(&life.component), escape_html(&life.component));
    let _ = write!(
        svg,
        "<a href=\"#{}component-{id}\"><title>{title}</title><text class=\"tick\" x=\"0\" y=\"{:.1}\">{name}</text>",
        run.prefix,
        y + 4.0
    );
    if let (Some(first), Some(end)) = (firsts.min(), end) {
        let _ = write!(
            svg,
            "<line class=\"defined\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            turn_x(first),
            turn_x(end)
        );
        if let Some(used) = used {
            let _ = write!(
                svg,
                "<line class=\"used\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
                turn_x(first),
                turn_x(used)
            );
        }
    }
    if let Some(turn) = life.committed {
        let x = turn_x(turn);
        let _ = write!(svg, "<circle class=\"committed\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>");
    }
    if let Some(turn) = life.lost_at {
        let _ = write!(
            svg,
            "<text class=\"lost middle\" x=\"{:.1}\" y=\"{:.1}\">✗</text>",
            turn_x(turn),
            y + 4.5
        );
    }
    svg.push_str("</a>");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the heights of the names of both series.
    fn name_heights(erosion: f64, verbosity: f64) -> [f64; 2] {
        let point = CurvePoint {
            label: "c1".into(),
            turn: 1,
            erosion: Some(erosion),
            verbosity: Some(verbosity),
        };
        let curves = RunCurves { points: vec![point], ..RunCurves::default() };
        let svg = curves_svg(&curves, "a run", largest_value(&curves));
        ["one", "two"].map(|class| {
            let after = svg.split(&format!("<text class=\"{class}\"")).nth(1).unwrap();
            let y = after.split("y=\"").nth(1).unwrap().split('"').next().unwrap();
            y.parse().unwrap()
        })
    }

    #[test]
    fn the_names_of_a_run_with_one_point_overlap_neither_each_other_nor_the_name_of_the_point() {
        for (erosion, verbosity) in [(0.0, 0.017), (0.017, 0.0), (0.0, 0.0), (0.3, 0.31)] {
            let [one, two] = name_heights(erosion, verbosity);
            assert!((one - two).abs() >= NAME_HEIGHT, "{one} {two}");
            assert!(one.max(two) <= HEIGHT - BOTTOM + 4.0, "on the name of the point: {one} {two}");
        }
    }
}
