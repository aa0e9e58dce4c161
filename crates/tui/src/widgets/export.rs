//! A drawn frame as text, as text with colours, and as a picture: for `--snapshot`, READMEs and bug reports.

use std::fmt::Write;

use ratatui::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};

use super::{palette, text};

/// Returns the characters alone; blanks at the end of a row are left out.
pub fn frame_text(buffer: &Buffer) -> String {
    cell_rows(buffer)
        .map(|row| {
            let line: String = row.map(|(_, cell)| cell.symbol()).collect();
            format!("{}\n", line.trim_end())
        })
        .collect()
}

/// Returns the characters with their colours, as escape sequences that any terminal understands.
pub fn frame_ansi(buffer: &Buffer) -> String {
    let mut out = String::new();
    for row in cell_rows(buffer) {
        let mut last = CellLook::default();
        let cells: Vec<_> = row.collect();
        let end = cells.iter().rposition(|(_, cell)| !is_blank(cell)).map_or(0, |at| at + 1);
        for (_, cell) in &cells[..end] {
            let look = CellLook::for_cell(cell);
            if look != last {
                out.push_str(&look.sgr_sequence());
                last = look;
            }
            out.push_str(cell.symbol());
        }
        out.push_str(if last == CellLook::default() { "\n" } else { "\x1b[0m\n" });
    }
    out
}

/// Returns a picture: monospaced text on the theme's background, a dark one where it is the terminal's. Blanks count in it: new
/// browsers follow the `white-space` of a text alone, other programs `xml:space`.
pub fn frame_svg(buffer: &Buffer) -> String {
    let ground =
        hex_colour(commonest_background(buffer)).unwrap_or_else(|| DEFAULT_BACKGROUND.into());
    let (width, height) = (f32::from(buffer.area.width), f32::from(buffer.area.height));
    let (picture_width, picture_height) =
        (width * CELL_WIDTH + 2.0 * MARGIN, height * CELL_HEIGHT + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {picture_width} {picture_height}\" \
         width=\"{picture_width}\" height=\"{picture_height}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', \
         Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n\
         <style>text{{white-space:pre}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{ground}\"/>\n"
    );
    for (y, row) in cell_rows(buffer).enumerate() {
        for run in cell_runs(row) {
            write_svg_run(&mut out, &run, y);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Returns the background that most cells have.
fn commonest_background(buffer: &Buffer) -> Color {
    let mut counts: Vec<(Color, usize)> = vec![];
    for cell in &buffer.content {
        match counts.iter_mut().find(|(ground, _)| *ground == cell.bg) {
            Some((_, count)) => *count += 1,
            None => counts.push((cell.bg, 1)),
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(Color::Reset, |(ground, _)| ground)
}

const CELL_WIDTH: f32 = 8.4;
const CELL_HEIGHT: f32 = 17.0;
const MARGIN: f32 = 12.0;
/// Distance from the top of a cell to the baseline of the text.
const BASELINE: f32 = 13.0;
const DEFAULT_BACKGROUND: &str = "#16181d";
const DEFAULT_FOREGROUND: &str = "#d7dae0";

/// Cells beside each other that look the same.
struct CellRun {
    x: u16,
    cells: u16,
    words: String,
    look: CellLook,
}

/// Returns each row as its cells with their columns, from 0; what a wide character covers is left out.
fn cell_rows(buffer: &Buffer) -> impl Iterator<Item = impl Iterator<Item = (u16, &Cell)>> {
    let width = buffer.area.width;
    (0..buffer.area.height).map(move |y| {
        let mut covered = 0;
        (0..width).filter_map(move |x| {
            let cell = &buffer[(buffer.area.x + x, buffer.area.y + y)];
            if covered > 0 {
                covered -= 1;
                return None;
            }
            covered = text::width(cell.symbol()).saturating_sub(1);
            Some((x, cell))
        })
    })
}

/// Splits a row into runs of equal style. Wide characters are runs of their own, so that a font which draws them wider
/// does not push the rest.
fn cell_runs<'a>(row: impl Iterator<Item = (u16, &'a Cell)>) -> Vec<CellRun> {
    let mut runs: Vec<CellRun> = vec![];
    for (x, cell) in row {
        let look = CellLook::for_cell(cell);
        let cells = text::width(cell.symbol()).max(1) as u16;
        match runs.last_mut() {
            Some(run)
                if run.look == look
                    && is_fixed_width(&run.words)
                    && is_fixed_width(cell.symbol()) =>
            {
                run.words.push_str(cell.symbol());
                run.cells += cells;
            }
            _ => runs.push(CellRun { x, cells, words: cell.symbol().into(), look }),
        }
    }
    runs
}

/// Returns whether every character has the width of a letter in every monospaced font.
fn is_fixed_width(words: &str) -> bool {
    words.chars().all(|c| c.is_ascii() || ('\u{2500}'..='\u{257f}').contains(&c))
}

fn write_svg_run(out: &mut String, run: &CellRun, y: usize) {
    let (x, top) = (MARGIN + f32::from(run.x) * CELL_WIDTH, MARGIN + y as f32 * CELL_HEIGHT);
    let width = f32::from(run.cells) * CELL_WIDTH;
    let (ink, ground) = run.look.svg_colours();
    if let Some(ground) = ground {
        let _ = writeln!(
            out, // a String takes everything
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" fill=\"{ground}\"/>"
        );
    }
    let words = run.words.trim();
    if words.is_empty() {
        return;
    }
    // Blanks at the ends of a text count for some programs and not for others.
    let blanks = run.words.len() - run.words.trim_start().len();
    let x = x + blanks as f32 * CELL_WIDTH;
    let width = text::width(words) as f32 * CELL_WIDTH;
    let bold = run.look.modifier.contains(Modifier::BOLD);
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let underlined = run.look.modifier.contains(Modifier::UNDERLINED);
    let line = if underlined { " text-decoration=\"underline\"" } else { "" };
    let slanted = run.look.modifier.contains(Modifier::ITALIC);
    let slant = if slanted { " font-style=\"italic\"" } else { "" };
    let baseline = top + BASELINE;
    let words = xml_text_escaped(words);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{ink}\"{weight}{line}{slant}>{words}</text>"
    );
}

fn xml_text_escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The colours and modifiers of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CellLook {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl CellLook {
    fn for_cell(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    fn sgr_sequence(self) -> String {
        let mut codes = vec!["0".to_owned()];
        let modifiers =
            MODIFIER_CODES.iter().filter(|(modifier, _)| self.modifier.contains(*modifier));
        codes.extend(modifiers.map(|(_, code)| (*code).to_owned()));
        codes.extend(colour_code(self.fg, 30));
        codes.extend(colour_code(self.bg, 40));
        format!("\x1b[{}m", codes.join(";"))
    }

    /// Returns the colours of the text and, where it is not the picture's own, of the background.
    fn svg_colours(self) -> (String, Option<String>) {
        let fg = hex_colour(self.fg).unwrap_or_else(|| DEFAULT_FOREGROUND.into());
        let bg = hex_colour(self.bg);
        if self.modifier.contains(Modifier::REVERSED) {
            return (bg.unwrap_or_else(|| DEFAULT_BACKGROUND.into()), Some(fg));
        }
        (fg, bg)
    }
}

const MODIFIER_CODES: &[(Modifier, &str)] = &[
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::REVERSED, "7"),
];

/// The terminal's sixteen colours in their order, as most dark terminals show them.
const ANSI_HEX: [(Color, &str); 16] = [
    (Color::Black, "#2a2d34"),
    (Color::Red, "#e06c75"),
    (Color::Green, "#8cc570"),
    (Color::Yellow, "#dcb66e"),
    (Color::Blue, "#61a3ee"),
    (Color::Magenta, "#c583dc"),
    (Color::Cyan, "#56b6c2"),
    (Color::Gray, "#abb2bf"),
    (Color::DarkGray, "#7a8190"),
    (Color::LightRed, "#ff8a92"),
    (Color::LightGreen, "#a9e38a"),
    (Color::LightYellow, "#f2d28b"),
    (Color::LightBlue, "#86bdfa"),
    (Color::LightMagenta, "#dda4f0"),
    (Color::LightCyan, "#7fd6e0"),
    (Color::White, "#ffffff"),
];

fn hex_colour(colour: Color) -> Option<String> {
    match colour {
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Indexed(index) => {
            palette::rgb_of_index(index).map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"))
        }
        colour => {
            ANSI_HEX.iter().find(|(other, _)| *other == colour).map(|(_, hex)| (*hex).to_owned())
        }
    }
}

/// Returns the escape code of a colour; `first` is 30 for text, 40 for the background.
fn colour_code(colour: Color, first: usize) -> Option<String> {
    match colour {
        Color::Reset => None,
        Color::Indexed(index) => Some(format!("{};5;{index}", first + 8)),
        Color::Rgb(r, g, b) => Some(format!("{};2;{r};{g};{b}", first + 8)),
        colour => {
            let index = ANSI_HEX.iter().position(|(other, _)| *other == colour)?;
            Some((if index < 8 { first + index } else { first + 60 + index - 8 }).to_string())
        }
    }
}

fn is_blank(cell: &Cell) -> bool {
    cell.symbol().trim().is_empty()
        && cell.bg == Color::Reset
        && !cell.modifier.contains(Modifier::REVERSED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{layout::Rect, style::Stylize, text::Line, widgets::Widget};

    fn sample_buffer() -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        Line::from(vec!["−".red(), " a < b".red().bold()])
            .render(Rect::new(0, 0, 12, 1), &mut buffer);
        Line::from("漢 ok".reversed()).render(Rect::new(0, 1, 12, 1), &mut buffer);
        buffer
    }

    #[test]
    fn text_has_neither_colours_nor_trailing_blanks() {
        assert_eq!(frame_text(&sample_buffer()), "− a < b\n漢 ok\n");
    }

    #[test]
    fn ansi_changes_colour_only_where_the_frame_does() {
        let expected = "\x1b[0;31m−\x1b[0;1;31m a < b\x1b[0m\n\x1b[0;7m漢 ok\x1b[0m\n";
        assert_eq!(frame_ansi(&sample_buffer()), expected);
    }

    #[test]
    fn a_picture_escapes_what_xml_would_read() {
        let svg = frame_svg(&sample_buffer());
        assert!(svg.contains(">a &lt; b</text>"), "{svg}");
        assert!(svg.contains(">漢</text>"), "{svg}");
    }
}
