//! Draws an image of the recording in a box over the panels: two pixels a cell, one above the other.

use crate::session::context::KeyContext;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::Line,
    widgets::{Block, Clear, Widget},
};

use crate::shell::keys::UserKeys;
use crate::widgets::{
    display_options::Alphabet,
    layout::ScreenLayout,
    line::{fit_text_end, safe_string},
    panel::draw_sentence,
    theme::{Meaning, Theme},
};
use trajview_run::pictures::raster::{DecodedImage, Raster};

/// Draws the image with this index, or a sentence when that is impossible.
pub fn draw(
    images: &[DecodedImage],
    index: usize,
    keys: &UserKeys,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let Some(image) = images.get(index) else { return };
    let title = match images.len() {
        1 => " image ".to_owned(),
        count => format!(" image {} of {count} ", index + 1),
    };
    let facts = Line::styled(image_facts(image, layout.whole), theme.style_for(Meaning::Muted));
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(Line::styled(title, theme.style_for(Meaning::Title)))
        .title_bottom(facts.right_aligned());
    let inner = block.inner(layout.whole);
    Clear.render(layout.whole, buffer);
    block.render(layout.whole, buffer);
    let unseen = match &image.raster {
        Ok(_) if !theme.has_colours() => "images need colours".into(),
        Ok(raster) => return draw_raster(raster, theme, inner, buffer),
        Err(why) => why.clone(),
    };
    let open = keys.key_text(KeyContext::Images, "open-image");
    let words = format!("{}; {open} opens it outside of the terminal", safe_string(&unseen));
    draw_sentence(&theme.spell_out(&words), theme.style_for(Meaning::Muted), inner, buffer);
}

/// Returns ` image/png, 640×480, 12345 bytes `.
fn image_facts(image: &DecodedImage, area: Rect) -> String {
    let size = image.raster.as_ref().ok().map(|it| it.recorded);
    let size = size.map(|it| format!(", {}×{}", it.width, it.height)).unwrap_or_default();
    let picture = &image.picture;
    let words =
        format!(" {}{size}, {} bytes ", safe_string(&picture.media_type), picture.bytes.len());
    fit_text_end(&words, usize::from(area.width.saturating_sub(4)))
}

fn draw_raster(raster: &Raster, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let (width, height) = (u32::from(area.width), u32::from(area.height));
    let rows = raster.scaled_within(width, height * 2);
    let columns = rows.first().map_or(0, Vec::len);
    let left = area.x + (area.width.saturating_sub(columns as u16)) / 2;
    let top = area.y + area.height.saturating_sub(rows.len().div_ceil(2) as u16) / 2;
    for (y, pair) in rows.chunks(2).enumerate() {
        for (x, above) in pair[0].iter().enumerate() {
            let below = pair.get(1).and_then(|row| row.get(x)).copied();
            let cell = &mut buffer[(left + x as u16, top + y as u16)];
            match theme.alphabet() {
                Alphabet::Unicode => {
                    let ground =
                        below.map_or(Style::new(), |it| Style::new().bg(theme.pixel_colour(it)));
                    cell.set_symbol("▀").set_style(ground.fg(theme.pixel_colour(*above)));
                }
                // One pixel a cell, of both.
                Alphabet::Ascii => {
                    let below = below.unwrap_or(*above);
                    let middle = |part: usize| above[part].midpoint(below[part]);
                    let pixel = [middle(0), middle(1), middle(2)];
                    cell.set_symbol(" ").set_style(Style::new().bg(theme.pixel_colour(pixel)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::{layout::Size, style::Color};

    use crate::widgets::{
        display_options::{ColourDepth, DisplayOptions},
        export,
        layout::{PanelNeeds, ReplayPanel, Zoom},
    };
    use trajview_run::pictures::RecordedImage;

    use super::*;

    /// Two pixels, red above blue, as a GIF.
    const GIF: &[u8] =
        b"GIF89a\x01\0\x02\0\x80\0\0\xff\0\0\0\0\xff,\0\0\0\0\x01\0\x02\0\0\x02\x02D\n\0;";

    fn drawn_image(looks: DisplayOptions) -> Buffer {
        let size = Size { width: 60, height: 9 };
        let picture = RecordedImage { media_type: "image/gif".into(), bytes: GIF.to_vec() };
        let layout = ScreenLayout::new(size, ReplayPanel::Turns, Zoom::Off, &PanelNeeds::default());
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 9));
        let keys = UserKeys::default();
        draw(&[picture.into()], 0, &keys, Theme::from_options(looks), &layout, &mut buffer);
        buffer
    }

    fn coloured_cells(buffer: &Buffer) -> Vec<(&str, Color, Color)> {
        let cells = buffer.content.iter().filter(|it| !matches!(it.bg, Color::Reset));
        cells.map(|it| (it.symbol(), it.fg, it.bg)).collect()
    }

    #[test]
    fn a_cell_has_two_pixels_in_the_colours_that_the_terminal_has() {
        let looks = DisplayOptions { depth: ColourDepth::Direct, ..DisplayOptions::default() };
        let (red, blue) = (Color::Rgb(255, 0, 0), Color::Rgb(0, 0, 255));
        assert_eq!(coloured_cells(&drawn_image(looks)), [("▀", red, blue)]);
        let (red, blue) = (Color::Indexed(196), Color::Indexed(21));
        assert_eq!(coloured_cells(&drawn_image(DisplayOptions::default())), [("▀", red, blue)]);
        let ascii = DisplayOptions { alphabet: Alphabet::Ascii, ..looks };
        assert_eq!(
            coloured_cells(&drawn_image(ascii)),
            [(" ", Color::Reset, Color::Rgb(127, 0, 127))]
        );
    }

    #[test]
    fn without_colours_there_is_a_sentence() {
        let text = export::frame_text(&drawn_image(DisplayOptions {
            has_colours: false,
            ..DisplayOptions::default()
        }));
        assert!(text.contains("images need colours"), "{text}");
    }
}
