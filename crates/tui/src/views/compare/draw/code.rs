//! The lines that the judge named for the chosen component, in both runs side by side.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Paragraph, Widget, Wrap},
};
use std::{ops::Range, sync::Arc};

use crate::{
    session::files::coloured_texts::ColouredSides,
    views::compare::{
        ComparePart, ComparisonView,
        areas::{CODE_HEADS, CompareAreas},
        code::{CodeKey, FileLines, SideCode},
    },
    widgets::{
        line::{fit_spans, fit_text_end, left_and_right, safe_string, spans_width, trusted_span},
        paint::{StyleLayer, paint_text, paintable_prefix, scrolled_line},
        panel::{draw_sentence, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::{Evidence, LEVELS};
use trajview_study::compare::run_letter;

use super::{draw_frame, muted_spans, part_name_span};

pub fn draw(
    compared: &ComparisonView,
    areas: &CompareAreas,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let component = compared.table.selected_row();
    let words =
        component.map(|row| format!("code of {} {}", safe_string(&row.id), safe_string(&row.name)));
    let title = words.unwrap_or_else(|| "code".into());
    let title = vec![part_name_span(compared, ComparePart::Code, &title, theme)];
    let hint = muted_spans("▐ lines the judge cited", theme);
    let is_focused = compared.part == ComparePart::Code;
    draw_frame(is_focused, [title, vec![], hint], theme, area, buffer);
    let Some(halves) = areas.code_sides() else { return };
    let middle = halves[0].right();
    for y in halves[0].y..halves[0].bottom() {
        if let Some(cell) = buffer.cell_mut((middle, y)) {
            cell.set_symbol("│").set_style(theme.style_for(Meaning::Border));
        }
    }
    for (side, half) in halves.into_iter().enumerate() {
        draw_side(compared, side, theme, half, buffer);
    }
}

fn draw_side(
    compared: &ComparisonView,
    side: usize,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let shown = compared.side_code(side);
    put_row(head_line(compared, side, &shown, theme, area), None, area, 0, buffer);
    let why = Rect { y: area.y + 1, height: CODE_HEADS - 1, ..area }.intersection(area);
    draw_rationale(compared, side, theme, why, buffer);
    let rest = CODE_HEADS.min(area.height);
    let body = Rect { y: area.y + rest, height: area.height - rest, ..area };
    match shown {
        SideCode::Nothing(words) => {
            draw_sentence(&safe_string(&words), theme.style_for(Meaning::Muted), body, buffer)
        }
        SideCode::Place { evidence, key, .. } => match compared.code.file_text(&key) {
            None => {} // a blink away
            Some(Err(why)) => {
                draw_sentence(&safe_string(why), theme.style_for(Meaning::Error), body, buffer)
            }
            Some(Ok(text)) => {
                draw_lines(compared, side, (text, &key, evidence), theme, body, buffer)
            }
        },
    }
}

/// Returns `▸a 1 Wrong  …/schedule.py:12–40   1/2`.
fn head_line(
    compared: &ComparisonView,
    side: usize,
    shown: &SideCode<'_>,
    theme: Theme,
    area: Rect,
) -> Line<'static> {
    let run = compared.pair[side];
    let score = compared.table.selected_row().and_then(|row| row.score_in(run));
    let label = score.and_then(|score| Some((score, LEVELS.get(usize::from(score))?)));
    let label = label.map(|(score, label)| format!(" {score} {label} ")).unwrap_or_default();
    let is_here = compared.side == side;
    let mark = if is_here { "▸" } else { " " };
    let meaning = if is_here { Meaning::Key } else { Meaning::Text };
    let mut left = vec![
        trusted_span(format!("{mark}{}", run_letter(run)), theme.style_for(meaning)),
        trusted_span(label, theme.style_for(Meaning::Title)),
    ];
    let width = usize::from(area.width);
    let mut right = vec![];
    if let SideCode::Place { evidence, number, count, key } = shown {
        if *count > 1 {
            right
                .push(trusted_span(format!(" {number}/{count} "), theme.style_for(Meaning::Muted)));
        }
        let room = width.saturating_sub(spans_width(&left) + spans_width(&right) + 2);
        let lines = evidence.lines.map(|(first, last)| match first == last {
            true => format!(":{first}"),
            false => format!(":{first}–{last}"),
        });
        let place = format!("{}{}", safe_string(&evidence.path), lines.unwrap_or_default());
        left.push(trusted_span(fit_text_end(&place, room), theme.style_for(Meaning::Text)));
        let turn = format!("turn {}", key.done);
        if spans_width(&left) + spans_width(&right) + turn.len() + 2 < width {
            right.insert(0, trusted_span(turn, theme.style_for(Meaning::Muted)));
        }
    }
    left_and_right(left, right, width)
}

fn draw_rationale(
    compared: &ComparisonView,
    side: usize,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let said = compared
        .verdict_of_side(side)
        .map(|verdict| safe_string(&verdict.rationale))
        .unwrap_or_default();
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    Paragraph::new(Line::styled(said, theme.style_for(Meaning::Muted)))
        .wrap(Wrap { trim: true })
        .render(inner.intersection(buffer.area), buffer);
}

fn draw_lines(
    compared: &ComparisonView,
    side: usize,
    (text, key, evidence): (&Arc<FileLines>, &CodeKey, &Evidence),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if text.lines.is_empty() {
        return draw_sentence("an empty file", theme.style_for(Meaning::Muted), area, buffer);
    }
    let view = &compared.code.views[side];
    let is_focused = compared.part == ComparePart::Code && compared.side == side;
    let named = evidence.lines.map(|(first, last)| first..last + 1);
    let rows = CodeRows {
        text,
        colours: compared.code.colours_of(key),
        evidence_lines: named.unwrap_or(0..0),
        digits: text.lines.len().to_string().len(),
        column: compared.code.column,
        width: usize::from(area.width),
        theme,
    };
    view.lines.draw_rows(None, theme, buffer, |index| {
        rows.code_line(index, is_focused && index == view.lines.cursor())
    });
}

struct CodeRows<'a> {
    text: &'a FileLines,
    colours: Option<&'a ColouredSides>,
    /// Lines that the judge named, counting from 1.
    evidence_lines: Range<usize>,
    digits: usize,
    column: usize,
    width: usize,
    theme: Theme,
}

impl CodeRows<'_> {
    /// Returns `▌ 12▐ return loss`.
    fn code_line(&self, index: usize, is_cursor: bool) -> Line<'static> {
        let digits = self.digits;
        let is_named = self.evidence_lines.contains(&(index + 1));
        let cursor = if is_cursor { "▌" } else { " " };
        let mark = if is_named { "▐" } else { " " };
        let number = if is_named { Meaning::Title } else { Meaning::Muted };
        let mut spans: Vec<Span> = vec![
            trusted_span(cursor, self.theme.style_for(Meaning::FocusedBorder)),
            trusted_span(format!("{:>digits$}", index + 1), self.theme.style_for(number)),
            trusted_span(mark, self.theme.style_for(Meaning::Warning)),
            trusted_span(" ", self.theme.style_for(Meaning::Text)),
        ];
        let room = self.width.saturating_sub(spans_width(&spans));
        let coloured = self.colours.and_then(|sides| sides.new.as_ref()?.get(index));
        let coloured = coloured.map_or(&[][..], Vec::as_slice);
        let layers: Vec<StyleLayer> = coloured
            .iter()
            .map(|span| (span.range.clone(), self.theme.syntax_style(span.class)))
            .collect();
        let words = paintable_prefix(self.text.line_text(index), self.column);
        let painted = paint_text(
            words,
            self.theme.style_for(Meaning::Text),
            &layers,
            self.theme.line_display(),
        );
        spans.extend(
            scrolled_line(painted, self.column, room, self.theme.style_for(Meaning::Muted)).spans,
        );
        Line::from(fit_spans(spans, self.width))
    }
}
