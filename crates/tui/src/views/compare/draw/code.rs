//! The lines that the judge named for the chosen component, in both runs side by side.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Paragraph, Widget, Wrap},
};
use std::{ops::Range, sync::Arc};

use crate::{
    session::files::texts::Sides,
    views::compare::{
        Comparison, Part,
        areas::{Areas, CODE_HEADS},
        code::{CodeKey, Shown, Text},
    },
    widgets::{
        line::{fit, fit_end, own, safe, sides, width_of},
        paint::{Layer, paint, visible, window},
        panel::{put_row, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::{Evidence, LEVELS};
use trajview_study::compare::letter;

use super::{frame, muted, name};

pub fn draw(compared: &Comparison, areas: &Areas, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let component = compared.table.selected();
    let words = component.map(|row| format!("code of {} {}", safe(&row.id), safe(&row.name)));
    let title = words.unwrap_or_else(|| "code".into());
    let title = vec![name(compared, Part::Code, &title, theme)];
    let hint = muted("▐ lines the judge named", theme);
    let is_focused = compared.part == Part::Code;
    frame(is_focused, [title, vec![], hint], theme, area, buffer);
    let Some(halves) = areas.code_sides() else { return };
    let middle = halves[0].right();
    for y in halves[0].y..halves[0].bottom() {
        if let Some(cell) = buffer.cell_mut((middle, y)) {
            cell.set_symbol("│").set_style(theme.of(Meaning::Border));
        }
    }
    for (side, half) in halves.into_iter().enumerate() {
        draw_side(compared, side, theme, half, buffer);
    }
}

fn draw_side(compared: &Comparison, side: usize, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let shown = compared.code_of(side);
    put_row(head(compared, side, &shown, theme, area), None, area, 0, buffer);
    let why = Rect { y: area.y + 1, height: CODE_HEADS - 1, ..area }.intersection(area);
    rationale(compared, side, theme, why, buffer);
    let rest = CODE_HEADS.min(area.height);
    let body = Rect { y: area.y + rest, height: area.height - rest, ..area };
    match shown {
        Shown::Nothing(words) => sentence(&safe(&words), theme.of(Meaning::Muted), body, buffer),
        Shown::Place { evidence, key, .. } => match compared.code.text(&key) {
            None => {} // a blink away
            Some(Err(why)) => sentence(&safe(why), theme.of(Meaning::Error), body, buffer),
            Some(Ok(text)) => lines(compared, side, (text, &key, evidence), theme, body, buffer),
        },
    }
}

/// `▸a 1 Wrong  …/schedule.py:12–40   1/2`
fn head(
    compared: &Comparison,
    side: usize,
    shown: &Shown<'_>,
    theme: Theme,
    area: Rect,
) -> Line<'static> {
    let run = compared.pair[side];
    let score = compared.table.selected().and_then(|row| row.score(run));
    let label = score.and_then(|score| Some((score, LEVELS.get(usize::from(score))?)));
    let label = label.map(|(score, label)| format!(" {score} {label} ")).unwrap_or_default();
    let is_here = compared.side == side;
    let mark = if is_here { "▸" } else { " " };
    let meaning = if is_here { Meaning::Key } else { Meaning::Text };
    let mut left = vec![
        own(format!("{mark}{}", letter(run)), theme.of(meaning)),
        own(label, theme.of(Meaning::Title)),
    ];
    let width = usize::from(area.width);
    let mut right = vec![];
    if let Shown::Place { evidence, number, count, key } = shown {
        if *count > 1 {
            right.push(own(format!(" {number}/{count} "), theme.of(Meaning::Muted)));
        }
        let room = width.saturating_sub(width_of(&left) + width_of(&right) + 2);
        let lines = evidence.lines.map(|(first, last)| match first == last {
            true => format!(":{first}"),
            false => format!(":{first}–{last}"),
        });
        let place = format!("{}{}", safe(&evidence.path), lines.unwrap_or_default());
        left.push(own(fit_end(&place, room), theme.of(Meaning::Text)));
        let turn = format!("turn {}", key.done);
        if width_of(&left) + width_of(&right) + turn.len() + 2 < width {
            right.insert(0, own(turn, theme.of(Meaning::Muted)));
        }
    }
    sides(left, right, width)
}

fn rationale(compared: &Comparison, side: usize, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let said = compared.verdict(side).map(|verdict| safe(&verdict.rationale)).unwrap_or_default();
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    Paragraph::new(Line::styled(said, theme.of(Meaning::Muted)))
        .wrap(Wrap { trim: true })
        .render(inner.intersection(buffer.area), buffer);
}

fn lines(
    compared: &Comparison,
    side: usize,
    (text, key, evidence): (&Arc<Text>, &CodeKey, &Evidence),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if text.lines.is_empty() {
        return sentence("an empty file", theme.of(Meaning::Muted), area, buffer);
    }
    let view = &compared.code.views[side];
    let is_focused = compared.part == Part::Code && compared.side == side;
    let named = evidence.lines.map(|(first, last)| first..last + 1);
    let rows = Rows {
        text,
        colours: compared.code.colours_of(key),
        named: named.unwrap_or(0..0),
        digits: text.lines.len().to_string().len(),
        column: compared.code.column,
        width: usize::from(area.width),
        theme,
    };
    let seen = (view.scroll.top..text.lines.len()).take(usize::from(area.height));
    for (y, index) in seen.enumerate() {
        let is_cursor = is_focused && index == view.scroll.cursor;
        put_row(rows.line(index, is_cursor), None, area, y as u16, buffer);
    }
}

struct Rows<'a> {
    text: &'a Text,
    colours: Option<&'a Sides>,
    /// Lines that the judge named, counting from 1.
    named: Range<usize>,
    digits: usize,
    column: usize,
    width: usize,
    theme: Theme,
}

impl Rows<'_> {
    /// `▌ 12▐ return loss`
    fn line(&self, index: usize, is_cursor: bool) -> Line<'static> {
        let digits = self.digits;
        let is_named = self.named.contains(&(index + 1));
        let cursor = if is_cursor { "▌" } else { " " };
        let mark = if is_named { "▐" } else { " " };
        let number = if is_named { Meaning::Title } else { Meaning::Muted };
        let mut spans: Vec<Span> = vec![
            own(cursor, self.theme.of(Meaning::FocusedBorder)),
            own(format!("{:>digits$}", index + 1), self.theme.of(number)),
            own(mark, self.theme.of(Meaning::Warning)),
            own(" ", self.theme.of(Meaning::Text)),
        ];
        let room = self.width.saturating_sub(width_of(&spans));
        let coloured = self.colours.and_then(|sides| sides.new.as_ref()?.get(index));
        let coloured = coloured.map_or(&[][..], Vec::as_slice);
        let layers: Vec<Layer> = coloured
            .iter()
            .map(|span| (span.range.clone(), self.theme.syntax(span.class)))
            .collect();
        let words = visible(self.text.line(index), self.column);
        let painted = paint(words, self.theme.of(Meaning::Text), &layers, self.theme.writing());
        spans.extend(window(painted, self.column, room, self.theme.of(Meaning::Muted)).spans);
        Line::from(fit(spans, self.width))
    }
}
