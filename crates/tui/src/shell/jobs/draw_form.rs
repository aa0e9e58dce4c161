//! A form over the view: its fields, what beginning it would do, and what is wrong.

use ratatui::{
    buffer::Buffer,
    text::Line,
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::jobs::Dialog,
    views::form::{LABEL, field_row},
    widgets::{
        layout::Layout,
        line::{own, recorded, safe},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};

pub fn draw(dialog: &Dialog, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let room = usize::from(layout.overlay().width.saturating_sub(2));
    let below = below(dialog, theme, room);
    let rows_below = below.len() + usize::from(!below.is_empty());
    let (fields, at) = fields(dialog, theme, room);
    let area = layout.box_of(fields.len() + rows_below);
    let block = Block::bordered()
        .border_style(theme.of(Meaning::FocusedBorder))
        .title(Line::styled(format!(" {} ", dialog.purpose.title()), theme.of(Meaning::Title)));
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    let height = usize::from(inner.height);
    let least = fields.len().min(height * 2 / 3); // what it would do has the last third, where not all fits
    let list = height.saturating_sub(rows_below).max(least);
    let top = (at + 1).saturating_sub(list);
    let selected = theme.of(Meaning::Selected);
    let fields = fields.into_iter().skip(top).take(list);
    let fields = fields.map(|(line, is_chosen)| (line, is_chosen.then_some(selected)));
    let below = part_of_plan(below, dialog.plan_top, height.saturating_sub(list), room, theme);
    let below = below.into_iter().map(|line| (line, None));
    for (y, (line, style)) in fields.chain(below).enumerate() {
        put_row(line, style, inner, y as u16, buffer);
    }
}

/// As much of the plan as fits in so many rows, from a row on, under a rule that says how much more there is.
fn part_of_plan(
    below: Vec<Line<'static>>,
    top: usize,
    height: usize,
    width: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    if below.is_empty() || height == 0 {
        return vec![];
    }
    let seen = height - 1;
    let top = top.min(below.len().saturating_sub(seen));
    let after = below.len().saturating_sub(top + seen);
    let words = match (top, after) {
        (0, 0) => String::new(),
        (_, 0) => " pgup pgdn: the rest is above ".into(),
        (_, after) => format!(" pgup pgdn: {after} more below "),
    };
    let line = "─".repeat(width.saturating_sub(words.chars().count()));
    let rule = vec![own(line, theme.of(Meaning::Border)), own(words, theme.of(Meaning::Muted))];
    std::iter::once(Line::from(rule)).chain(below.into_iter().skip(top).take(seen)).collect()
}

/// The rows of the fields, whether each is the chosen one, and where the last row of the chosen field stands.
fn fields(dialog: &Dialog, theme: Theme, width: usize) -> (Vec<(Line<'static>, bool)>, usize) {
    let mut rows = vec![];
    let mut at = 0;
    for (index, field) in dialog.form.fields.iter().enumerate() {
        let is_chosen = index == dialog.form.rows.cursor;
        let types = is_chosen && dialog.form.typing.is_some();
        rows.push((field_row(field, (types, dialog.is_looking()), theme, width), is_chosen));
        let why = dialog.complaint(field.id);
        let wrong = why.map(|why| sentence(&why, Meaning::Error, LABEL, theme, width));
        rows.extend(wrong.into_iter().flatten().map(|line| (line, false)));
        if is_chosen {
            at = rows.len() - 1;
        }
    }
    (rows, at)
}

/// What beginning would do, or why it cannot.
fn below(dialog: &Dialog, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let refusal = dialog.refusal();
    if let Some(refusal) = refusal {
        return match refusal.field {
            Some(_) => vec![],
            None => sentence(&refusal.why, Meaning::Error, 1, theme, width),
        };
    }
    match dialog.plan() {
        Some(Ok(plan)) => {
            let row = |(name, value): &(String, String)| planned(name, value, theme, width);
            plan.rows.iter().flat_map(row).collect()
        }
        _ => {
            let words = match dialog.is_looking() {
                true => " looking for agents on this machine…",
                false => " working out what it would do…",
            };
            vec![Line::styled(words, theme.of(Meaning::Muted))]
        }
    }
}

/// ` rules          137, built in`, over as many rows as it takes.
fn planned(name: &str, value: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(LABEL + 1).max(1);
    let mut name = format!(" {:<1$}", safe(name), LABEL - 1);
    let rows = wrap(value, room).into_iter().map(|range| {
        let name = std::mem::replace(&mut name, " ".repeat(LABEL));
        let value = recorded(value[range].trim_end(), theme.of(Meaning::Text));
        Line::from(vec![own(name, theme.of(Meaning::Muted)), value])
    });
    rows.collect()
}

/// A sentence over as many rows as it takes, so many cells from the left.
fn sentence(
    words: &str,
    looks: Meaning,
    from: usize,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let rows = wrap(words, width.saturating_sub(from + 1).max(1)).into_iter();
    let line = |range: std::ops::Range<usize>| {
        let blank = own(" ".repeat(from), theme.of(Meaning::Text));
        Line::from(vec![blank, recorded(words[range].trim_end(), theme.of(looks))])
    };
    rows.map(line).collect()
}
