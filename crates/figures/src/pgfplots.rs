//! A figure as a `tikzpicture` with axes of pgfplots, at the places that the other formats have.
//!
//! Axes are at absolute places with the width of their area, and the bounding box is set: whatever a font makes of the
//! labels, the figure is as wide as it says. The legend is centred by LaTeX, in the middle of the figure.

use crate::{
    description::{
        Figure, HeatCell, LegendEntry, Mark, Panel, band_outline, marked_points, measured_parts,
        step_corners,
    },
    layout::{
        LABEL_TEXT, Layout, LegendLayout, PanelLayout, SAMPLE_LENGTH, SMALL_TEXT, TICK_GAP,
        TICK_LENGTH,
    },
    scale::Tick,
    style::{
        BAND_OPACITY, BAR_WIDTH, CURVE_WIDTH, GRID, MARK_RADIUS, MarkShape, Style, named_colours,
        shade_rgb, text_on_shade,
    },
    svg::figure_text,
};

pub(crate) fn pgfplots_text(figure: &Figure) -> String {
    let layout = Layout::for_latex(figure);
    let mut lines = vec![format!("% {}", comment_line(&figure.title))];
    lines.extend(figure.caption.lines().map(|line| format!("% {}", comment_line(line))));
    lines.push("% Needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16}.".into());
    lines.push("\\begin{tikzpicture}[x=1bp,y=1bp]".into());
    let colours = named_colours().chain([("trajviewgrid".to_owned(), GRID)]);
    lines.extend(colours.map(|(name, [red, green, blue])| {
        format!("\\definecolor{{{name}}}{{RGB}}{{{red},{green},{blue}}}")
    }));
    let (width, height) = (figure_text(layout.width), figure_text(layout.height));
    lines.push(format!("\\useasboundingbox (0,0) rectangle ({width},{height});"));
    for (at, (panel, place)) in figure.panels.iter().zip(&layout.panels).enumerate() {
        lines.push(axis_options(panel, place, &layout, at == 0));
        panel.marks.iter().for_each(|mark| lines.extend(mark_lines(mark)));
        if at == 0 {
            lines.extend(figure.legend.iter().flat_map(legend_lines));
        }
        lines.push("\\end{axis}".into());
    }
    lines.push("\\end{tikzpicture}%".into());
    lines.join("\n") + "\n"
}

/// Returns a line of a comment; nothing in it ends the comment.
fn comment_line(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_control()).collect()
}

fn font_option(size: f64) -> String {
    format!("font=\\fontsize{{{}}}{{{}}}\\selectfont", figure_text(size), figure_text(size * 1.2))
}

fn axis_options(panel: &Panel, place: &PanelLayout, layout: &Layout, is_first: bool) -> String {
    let area = &place.area;
    let ((x_low, x_high), (y_low, y_high)) = (panel.x.ends(), panel.y.ends());
    let bp = |length: f64| format!("{}bp", figure_text(length));
    let mut options = vec![
        format!("at={{({},{})}}", bp(area.left), bp(layout.height - area.bottom())),
        "anchor=south west,scale only axis".into(),
        format!("width={},height={}", bp(area.width), bp(area.height)),
        format!("xmin={x_low},xmax={x_high},ymin={y_low},ymax={y_high}"),
        "axis x line*=bottom,axis y line*=left,tick align=outside".into(),
        format!("major tick length={},clip marker paths=false,clip=false", bp(TICK_LENGTH)),
        "axis line style={line width=0.5bp},tick style={line width=0.5bp,black}".into(),
        format!("tick label style={{{},inner sep={}}}", font_option(SMALL_TEXT), bp(TICK_GAP)),
        format!("label style={{{}}}", font_option(LABEL_TEXT)),
        "grid style={trajviewgrid,line width=0.5bp}".into(),
        tick_options('x', &place.x_ticks),
        tick_options('y', &place.y_ticks),
    ];
    if !panel.y.name_list().is_empty() {
        options.push("y dir=reverse".into());
    }
    if panel.x.name_list().is_empty() {
        let grid = if panel.y.name_list().is_empty() { 'y' } else { 'x' };
        options.push(format!("{grid}majorgrids"));
    }
    let label = |axis: char, words: &str| format!("{axis}label={{{}}}", escape_tex(words));
    if !panel.x.label.is_empty() {
        options.push(label('x', &panel.x.label));
        options.push("xlabel style={inner sep=1bp}".into());
    }
    if !panel.y.label.is_empty() {
        options.push(label('y', &panel.y.label));
        options.push("ylabel style={inner sep=1bp}".into());
    }
    if !panel.title.is_empty() {
        let title = escape_tex(&panel.title);
        options.push(format!("title={{{title}}}"));
        options.push(format!(
            "title style={{{},at={{(0.5,1)}},anchor=south,yshift=3bp,inner sep=0bp}}",
            font_option(LABEL_TEXT)
        ));
    }
    if is_first && !layout.legend.entries.is_empty() {
        options.push(legend_options(place, layout));
    }
    format!("\\begin{{axis}}[\n  {}]", options.join(",\n  "))
}

fn tick_options(axis: char, ticks: &[Tick]) -> String {
    let places: Vec<String> = ticks.iter().map(|tick| number_text(tick.at)).collect();
    let labels: Vec<String> =
        ticks.iter().map(|tick| format!("{{{}}}", escape_tex(&tick.label))).collect();
    format!("{axis}tick={{{}}},{axis}ticklabels={{{}}}", places.join(","), labels.join(","))
}

/// Returns the options of the legend: its middle is that of the figure, in shares of the first panel's area.
fn legend_options(place: &PanelLayout, layout: &Layout) -> String {
    let LegendLayout { columns, top, .. } = &layout.legend;
    let area = &place.area;
    let x = (layout.width / 2.0 - area.left) / area.width;
    let y = (area.bottom() - top) / area.height;
    format!(
        "legend columns={columns},legend cell align=left,\
         legend style={{at={{({x:.4},{y:.4})}},anchor=north,draw=none,fill=none,inner sep=0bp,\
         {},/tikz/every even column/.append style={{column sep=8bp}}}},\
         legend image post style={{xscale=1}}",
        font_option(SMALL_TEXT)
    )
}

/// Returns a position on an axis.
fn number_text(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn coordinates_text(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("({},{})", number_text(*x), number_text(*y))).collect()
}

fn line_options(style: Style) -> String {
    let dashes = style.dashes();
    let part = |(at, length): (usize, &f64)| {
        format!("{} {}bp", if at % 2 == 0 { "on" } else { "off" }, figure_text(*length))
    };
    let dashes: Vec<String> = dashes.iter().enumerate().map(part).collect();
    let dashes = match dashes.as_slice() {
        [] => "solid".to_owned(),
        dashes => format!("dash pattern={}", dashes.join(" ")),
    };
    format!("{},line width={}bp,{dashes}", style.colour_name(), figure_text(CURVE_WIDTH))
}

fn mark_options(shape: MarkShape, style: Style) -> String {
    let (name, more) = match shape {
        MarkShape::Circle => ("*", ""),
        MarkShape::Square => ("square*", ""),
        MarkShape::Triangle => ("triangle*", ""),
        MarkShape::Diamond => ("diamond*", ""),
        MarkShape::Down => ("triangle*", ",rotate=180"),
        MarkShape::Cross => ("x", ",line width=1bp"),
        MarkShape::Tick => ("|", ",line width=1bp"),
    };
    let colour = style.colour_name();
    format!(
        "mark={name},mark size={}bp,mark options={{solid,{colour},fill={colour}{more}}}",
        figure_text(MARK_RADIUS)
    )
}

fn plot_line(options: &str, points: &[(f64, f64)]) -> String {
    format!("\\addplot[forget plot,{options}] coordinates {{{}}};", coordinates_text(points))
}

fn mark_lines(mark: &Mark) -> Vec<String> {
    match mark {
        Mark::Band { style, points, is_step } => {
            let colour = style.colour_name();
            let lines = measured_parts(points).into_iter().map(|part| match part.as_slice() {
                [(x, (low, high))] => {
                    plot_line(&format!("{colour},line width=0.5bp"), &[(*x, *low), (*x, *high)])
                }
                part => {
                    let options = format!("draw=none,fill={colour},fill opacity={BAND_OPACITY}");
                    plot_line(&options, &band_outline(part, *is_step)).replace("};", "} -- cycle;")
                }
            });
            lines.collect()
        }
        Mark::Curve { style, points, is_step } => {
            let parts = measured_parts(points).into_iter().filter(|part| part.len() > 1);
            let lines = parts.map(|part| {
                let corners = if *is_step { step_corners(&part) } else { part };
                plot_line(&line_options(*style), &corners)
            });
            let marked = if *is_step { vec![] } else { marked_points(points) };
            lines.chain(points_lines(*style, style.shape(), &marked)).collect()
        }
        Mark::Points { style, shape, points } => points_lines(*style, *shape, points),
        Mark::Bar { style, y, from, to } => {
            let (colour, width) = (style.colour_name(), figure_text(BAR_WIDTH));
            let options = format!("{colour},line width={width}bp");
            vec![plot_line(&options, &[(*from, *y), (*to, *y)])]
        }
        Mark::Interval { style, y, value, ends } => {
            let line = ends.map(|(low, high)| {
                let options = format!("{},line width=1bp", style.colour_name());
                plot_line(&options, &[(low, *y), (high, *y)])
            });
            line.into_iter().chain(points_lines(*style, style.shape(), &[(*value, *y)])).collect()
        }
        Mark::Cell(cell) => cell_lines(cell),
    }
}

fn points_lines(style: Style, shape: MarkShape, points: &[(f64, f64)]) -> Vec<String> {
    if points.is_empty() {
        return vec![];
    }
    vec![plot_line(&format!("only marks,{}", mark_options(shape, style)), points)]
}

fn cell_lines(cell: &HeatCell) -> Vec<String> {
    let rgb =
        |[red, green, blue]: [u8; 3]| format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}");
    let HeatCell { x, y, shade, text } = cell;
    let corner =
        |dx: f64, dy: f64| format!("(axis cs:{},{})", number_text(x + dx), number_text(y + dy));
    vec![
        format!(
            "\\draw[white,line width=0.5bp,fill={}] {} rectangle {};",
            rgb(shade_rgb(*shade)),
            corner(-0.5, -0.5),
            corner(0.5, 0.5)
        ),
        format!(
            "\\node[text={},{},inner sep=0bp] at {} {{{}}};",
            rgb(text_on_shade(*shade)),
            font_option(SMALL_TEXT),
            corner(0.0, 0.0),
            escape_tex(text)
        ),
    ]
}

fn legend_lines(entry: &LegendEntry) -> [String; 2] {
    let mark = |shape| mark_options(shape, entry.style);
    let options = match (entry.shape, entry.has_marks) {
        (Some(shape), _) => format!("only marks,{}", mark(shape)),
        (None, true) => format!("{},{}", line_options(entry.style), mark(entry.style.shape())),
        (None, false) => line_options(entry.style),
    };
    let half = SAMPLE_LENGTH / 2.0;
    let code = match entry.shape {
        Some(_) => {
            format!("\\draw[mark repeat=2,mark phase=2] plot coordinates {{({half}bp,0bp)}};")
        }
        None => format!(
            "\\draw[mark repeat=2,mark phase=2] plot coordinates {{(0bp,0bp) ({half}bp,0bp) ({}bp,0bp)}};",
            figure_text(SAMPLE_LENGTH)
        ),
    };
    let code =
        if entry.shape.is_some() { code.replace("mark repeat=2,mark phase=2", "") } else { code };
    [
        format!("\\addlegendimage{{legend image code/.code={{{code}}},{options}}}"),
        format!("\\addlegendentry{{{}}}", escape_tex(&entry.label)),
    ]
}

/// Escapes text for LaTeX with its default fonts and input encoding. A line break is a space, and other control characters are
/// left out.
pub fn escape_tex(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => shown.extend(['\\', letter]),
            '\\' => shown.push_str("\\textbackslash{}"),
            '~' => shown.push_str("\\textasciitilde{}"),
            '^' => shown.push_str("\\textasciicircum{}"),
            '<' => shown.push_str("\\textless{}"),
            '>' => shown.push_str("\\textgreater{}"),
            '|' => shown.push_str("\\textbar{}"),
            '"' => shown.push_str("\\textquotedbl{}"),
            '→' => shown.push_str("$\\rightarrow$"),
            '↑' => shown.push_str("$\\uparrow$"),
            '↓' => shown.push_str("$\\downarrow$"),
            '−' => shown.push_str("$-$"),
            '≥' => shown.push_str("$\\geq$"),
            '≤' => shown.push_str("$\\leq$"),
            '×' => shown.push_str("$\\times$"),
            'κ' => shown.push_str("$\\kappa$"),
            '·' => shown.push_str("\\textperiodcentered{}"),
            '…' => shown.push_str("\\ldots{}"),
            '\n' | '\r' | '\t' => shown.push(' '),
            other if other.is_control() => {}
            other => shown.push(other),
        }
    }
    shown
}
