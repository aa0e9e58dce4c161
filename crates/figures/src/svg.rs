//! A figure as SVG 1.1. Text is text: it can be searched, and set in another font.

use std::fmt::Write;

use crate::{
    description::Figure,
    layout::Layout,
    scene::{Anchor, Shape, TextShape, scene_shapes},
    style::Rgb,
};

/// The fonts have the same widths; the last is whatever there is.
const FONTS: &str = "Liberation Sans, Arial, Helvetica, sans-serif";

pub(crate) fn svg_text(figure: &Figure) -> String {
    let layout = Layout::new(figure);
    let (width, height) = (figure_text(layout.width), figure_text(layout.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}pt\" height=\"{height}pt\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escape_xml(&figure.title),
        escape_xml(&figure.caption)
    );
    for shape in scene_shapes(figure, &layout) {
        write_shape(&shape, &mut out);
    }
    out + "</svg>\n"
}

fn write_shape(shape: &Shape, out: &mut String) {
    let written = match shape {
        Shape::Line { points, rgb, width, dashes } => {
            let dashes: Vec<String> = dashes.iter().map(|it| figure_text(*it)).collect();
            let dashes = match dashes.as_slice() {
                [] => String::new(),
                dashes => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
            };
            writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
                 stroke-linejoin=\"round\"{dashes}/>",
                points_text(points),
                hex_colour(*rgb),
                figure_text(*width)
            )
        }
        Shape::Area { points, rgb, opacity } => {
            let opacity = match *opacity < 1.0 {
                true => format!(" fill-opacity=\"{}\"", figure_text(*opacity)),
                false => String::new(),
            };
            let (points, fill) = (points_text(points), hex_colour(*rgb));
            writeln!(out, "<polygon points=\"{points}\" fill=\"{fill}\"{opacity}/>")
        }
        Shape::Disc { centre: (x, y), radius, rgb } => writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>",
            figure_text(*x),
            figure_text(*y),
            figure_text(*radius),
            hex_colour(*rgb)
        ),
        Shape::Text(text) => write_text(text, out),
    };
    written.expect("a String takes every text");
}

fn write_text(text: &TextShape, out: &mut String) -> std::fmt::Result {
    let (x, y) = (figure_text(text.at.0), figure_text(text.at.1));
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let turn = match text.is_upright {
        true => format!(" transform=\"rotate(-90 {x} {y})\""),
        false => String::new(),
    };
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"{anchor}{turn}>{}</text>",
        figure_text(text.size),
        hex_colour(text.rgb),
        escape_xml(&text.text)
    )
}

/// Returns a length with at most two decimals.
pub(crate) fn figure_text(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn points_text(points: &[(f64, f64)]) -> String {
    let point = |(x, y): &(f64, f64)| format!("{},{}", figure_text(*x), figure_text(*y));
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}

fn hex_colour([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Escapes text; XML has no way to write control characters, which are left out.
fn escape_xml(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\n' => shown.push('\n'),
            letter if letter.is_control() => {}
            letter => shown.push(letter),
        }
    }
    shown
}
