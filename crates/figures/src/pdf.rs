//! A figure as PDF: one page of its size, with the glyphs that it needs as an embedded font.

use std::collections::BTreeMap;

use pdf_writer::{
    Content, Finish, Name, Pdf, Rect as PdfRect, Ref, Str, TextStr,
    types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap},
};
use subsetter::GlyphRemapper;
use ttf_parser::GlyphId;

use crate::{
    description::Figure,
    font::{FACE, glyph_advance, letter_glyph, text_width},
    layout::Layout,
    scene::{Anchor, Shape, TextShape, scene_shapes},
    style::Rgb,
};

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const FONT: Ref = Ref::new(5);
const CID_FONT: Ref = Ref::new(6);
const DESCRIPTOR: Ref = Ref::new(7);
const FONT_FILE: Ref = Ref::new(8);
const TO_UNICODE: Ref = Ref::new(9);
const INFO: Ref = Ref::new(10);
/// The first of the graphics states, one for each opacity.
const FIRST_STATE: i32 = 11;

const FONT_NAME: Name<'_> = Name(b"F");
const SYSTEM_INFO: SystemInfo<'_> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Half the length of a side at which a curve is nearest to a quarter of a circle.
const QUARTER: f64 = 0.552_284_75;

/// The page while it is drawn.
struct PdfPage {
    height: f64,
    content: Content,
    glyphs: GlyphRemapper,
    /// The letter of each glyph of the embedded font.
    letters: BTreeMap<u16, char>,
    /// Opacities in thousandths, in the order of their graphics states.
    opacities: Vec<u32>,
}

pub(crate) fn pdf_bytes(figure: &Figure) -> Vec<u8> {
    let layout = Layout::new(figure);
    let mut page = PdfPage {
        height: layout.height,
        content: Content::new(),
        glyphs: GlyphRemapper::new(),
        letters: BTreeMap::new(),
        opacities: vec![],
    };
    for shape in scene_shapes(figure, &layout) {
        page.draw_shape(&shape);
    }
    let mut pdf = Pdf::new();
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.pages(PAGES).kids([PAGE]).count(1);
    pdf.document_info(INFO)
        .title(TextStr(&figure.title))
        .subject(TextStr(&figure.caption))
        .creator(TextStr("trajview"));
    let state = |at: usize| Ref::new(FIRST_STATE + at as i32);
    let mut out = pdf.page(PAGE);
    out.media_box(PdfRect::new(0.0, 0.0, layout.width as f32, layout.height as f32));
    out.parent(PAGES).contents(CONTENT);
    let mut resources = out.resources();
    resources.fonts().pair(FONT_NAME, FONT);
    let mut states = resources.ext_g_states();
    for (at, opacity) in page.opacities.iter().enumerate() {
        states.pair(Name(state_name(*opacity).as_bytes()), state(at));
    }
    states.finish();
    resources.finish();
    out.finish();
    for (at, opacity) in page.opacities.iter().enumerate() {
        pdf.ext_graphics(state(at)).non_stroking_alpha(*opacity as f32 / 1000.0);
    }
    write_font(&mut pdf, &page.glyphs, &page.letters);
    pdf.stream(CONTENT, &page.content.finish());
    pdf.finish()
}

fn state_name(opacity: u32) -> String {
    format!("O{opacity}")
}

impl PdfPage {
    /// Returns a place of the page, whose first line is the lowest in PDF.
    fn page_point(&self, (x, y): (f64, f64)) -> (f32, f32) {
        (x as f32, (self.height - y) as f32)
    }

    fn draw_shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, rgb, width, dashes } => {
                let [red, green, blue] = rgb_shares(*rgb);
                self.content.set_stroke_rgb(red, green, blue).set_line_width(*width as f32);
                self.content.set_dash_pattern(dashes.iter().map(|it| *it as f32), 0.0);
                self.trace_points(points);
                self.content.stroke();
            }
            Shape::Area { points, rgb, opacity } => {
                self.content.save_state();
                self.set_fill(*rgb);
                if *opacity < 1.0 {
                    self.set_opacity(*opacity);
                }
                self.trace_points(points);
                self.content.close_path().fill_nonzero().restore_state();
            }
            Shape::Disc { centre, radius, rgb } => {
                self.set_fill(*rgb);
                self.trace_circle(*centre, *radius);
                self.content.fill_nonzero();
            }
            Shape::Text(text) => self.draw_text(text),
        }
    }

    fn set_fill(&mut self, rgb: Rgb) {
        let [red, green, blue] = rgb_shares(rgb);
        self.content.set_fill_rgb(red, green, blue);
    }

    fn set_opacity(&mut self, opacity: f64) {
        let thousandths = (opacity * 1000.0).round() as u32;
        if !self.opacities.contains(&thousandths) {
            self.opacities.push(thousandths);
        }
        self.content.set_parameters(Name(state_name(thousandths).as_bytes()));
    }

    fn trace_points(&mut self, points: &[(f64, f64)]) {
        for (at, point) in points.iter().enumerate() {
            let (x, y) = self.page_point(*point);
            match at {
                0 => self.content.move_to(x, y),
                _ => self.content.line_to(x, y),
            };
        }
    }

    fn trace_circle(&mut self, (x, y): (f64, f64), radius: f64) {
        let (r, c) = (radius, radius * QUARTER);
        let at = |dx: f64, dy: f64| self.page_point((x + dx, y + dy));
        let quarters = [
            [at(r, c), at(c, r), at(0.0, r)],
            [at(-c, r), at(-r, c), at(-r, 0.0)],
            [at(-r, -c), at(-c, -r), at(0.0, -r)],
            [at(c, -r), at(r, -c), at(r, 0.0)],
        ];
        let (first_x, first_y) = at(r, 0.0);
        self.content.move_to(first_x, first_y);
        for [(x1, y1), (x2, y2), (x3, y3)] in quarters {
            self.content.cubic_to(x1, y1, x2, y2, x3, y3);
        }
        self.content.close_path();
    }

    fn draw_text(&mut self, text: &TextShape) {
        let width = text_width(&text.text, text.size);
        let before = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let (x, y) = self.page_point(text.at);
        let before = before as f32;
        let matrix = match text.is_upright {
            true => [0.0, 1.0, -1.0, 0.0, x, y - before],
            false => [1.0, 0.0, 0.0, 1.0, x - before, y],
        };
        let mut codes = vec![];
        for letter in text.text.chars() {
            let glyph = self.glyphs.remap(letter_glyph(letter).0);
            self.letters.entry(glyph).or_insert(letter);
            codes.extend(glyph.to_be_bytes());
        }
        self.set_fill(text.rgb);
        self.content
            .begin_text()
            .set_font(FONT_NAME, text.size as f32)
            .set_text_matrix(matrix)
            .show(Str(&codes))
            .end_text();
    }
}

fn rgb_shares(rgb: Rgb) -> [f32; 3] {
    rgb.map(|it| f32::from(it) / 255.0)
}

/// Writes the font: glyphs are named by their number in the embedded font, a map says which letters they are.
fn write_font(pdf: &mut Pdf, glyphs: &GlyphRemapper, letters: &BTreeMap<u16, char>) {
    let bytes = subsetter::subset(trajview_assets::FIGURE_FONT, 0, glyphs)
        .expect("the font that is compiled in has its tables");
    let name = format!("{}+LiberationSans", subset_tag(&bytes));
    let name = Name(name.as_bytes());
    pdf.type0_font(FONT)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(CID_FONT)
        .to_unicode(TO_UNICODE);
    let mut font = pdf.cid_font(CID_FONT);
    font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM_INFO);
    font.font_descriptor(DESCRIPTOR)
        .default_width(0.0)
        .cid_to_gid_map_predefined(Name(b"Identity"));
    let advances = glyphs.remapped_gids().map(|glyph| glyph_advance(GlyphId(glyph)) as f32);
    font.widths().consecutive(0, advances);
    font.finish();
    let scale = 1000.0 / f32::from(FACE.units_per_em());
    let bounds = FACE.global_bounding_box();
    let [left, bottom, right, top] =
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|it| f32::from(it) * scale);
    pdf.font_descriptor(DESCRIPTOR)
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(PdfRect::new(left, bottom, right, top))
        .italic_angle(0.0)
        .ascent(f32::from(FACE.ascender()) * scale)
        .descent(f32::from(FACE.descender()) * scale)
        .cap_height(f32::from(FACE.capital_height().unwrap_or_default()) * scale)
        .stem_v(80.0)
        .font_file2(FONT_FILE);
    pdf.stream(FONT_FILE, &bytes).pair(Name(b"Length1"), bytes.len() as i32);
    let mut map = UnicodeCmap::new(Name(b"Custom"), SYSTEM_INFO);
    letters.iter().for_each(|(glyph, letter)| map.pair(*glyph, *letter));
    pdf.cmap(TO_UNICODE, &map.finish()).name(Name(b"Custom")).system_info(SYSTEM_INFO);
}

/// Returns six capitals that follow from the bytes, by FNV-1a: PDF wants a tag before the name of a part of a font.
fn subset_tag(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    let letter = |at: u32| char::from(b'A' + (hash / 26_u64.pow(at) % 26) as u8);
    (0..6).map(letter).collect()
}
