//! Figures for papers: one description, written as SVG, PDF and pgfplots.
//!
//! A caller describes a [`Figure`]: panels with axes, and what is in them ([`Mark`]): curves with bands, steps, marks,
//! bars, intervals, cells of a heat map. [`Figure::render`] writes it. [`layout`] computes the positions, in points
//! (1/72 inch); SVG and PDF are drawn from the shapes of [`scene`], pgfplots sets axes at the positions and leaves more room
//! for names. To add a kind of mark, add a variant to [`Mark`], its shapes to `scene.rs` and its lines to
//! `pgfplots.rs`; to add a format, add a variant to [`FigureFormat`] and a module beside `svg.rs`.
//!
//! # Of this crate
//!
//! - **Knows** axes, curves, bands, legends, the palette, the width of letters, three formats of files.
//! - **Must not know** what a run is, what a number means, where a file is written.
//! - **Used by** the program.
//!
//! Always true:
//!
//! - The same description gives the same bytes.
//! - What was not measured is a gap: no line and no band crosses it.
//! - A figure is as wide as its columns of a page, and nothing is drawn outside.
//! - Groups differ by colour (Okabe and Ito's palette), by dashes and by the shape of marks.
//! - A PDF has the glyphs that it needs, embedded.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod description;
mod font;
mod layout;
mod pdf;
mod pgfplots;
mod scale;
mod scene;
mod style;
mod svg;

pub use description::{
    Axis, AxisScale, Figure, FigureFormat, HeatCell, LegendEntry, Mark, PageColumns, Panel,
};
pub use pgfplots::escape_tex;
pub use style::{MarkShape, Style};

impl Figure {
    /// Returns the bytes of the figure's file.
    pub fn render(&self, format: FigureFormat) -> Vec<u8> {
        match format {
            FigureFormat::Svg => svg::svg_text(self).into_bytes(),
            FigureFormat::Pdf => pdf::pdf_bytes(self),
            FigureFormat::Pgf => pgfplots::pgfplots_text(self).into_bytes(),
        }
    }
}

#[cfg(test)]
mod tests;
