//! Draws a form over the view: its fields, the plan of the work, and what is wrong.

use ratatui::{
    buffer::Buffer,
    text::Line,
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::jobs::JobDialog,
    views::form::{LABEL_CELLS, field_row},
    widgets::{
        layout::ScreenLayout,
        line::{recorded_span, safe_string, trusted_span},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};

pub fn draw(dialog: &JobDialog, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    let room = usize::from(layout.overlay_area().width.saturating_sub(2));
    let below = plan_lines(dialog, theme, room);
    let rows_below = below.len() + usize::from(!below.is_empty());
    let (fields, at) = field_rows(dialog, theme, room);
    let area = layout.box_area(fields.len() + rows_below);
    let block = Block::bordered().border_style(theme.style_for(Meaning::FocusedBorder)).title(
        Line::styled(format!(" {} ", dialog.purpose.title()), theme.style_for(Meaning::Title)),
    );
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    let height = usize::from(inner.height);
    let least = fields.len().min(height * 2 / 3); // what it would do has the last third, where not all fits
    let list = height.saturating_sub(rows_below).max(least);
    let top = (at + 1).saturating_sub(list);
    let selected = theme.style_for(Meaning::Selected);
    let fields = fields.into_iter().skip(top).take(list);
    let fields = fields.map(|(line, is_chosen)| (line, is_chosen.then_some(selected)));
    let below = part_of_plan(below, dialog.plan_top, height.saturating_sub(list), room, theme);
    let below = below.into_iter().map(|line| (line, None));
    for (y, (line, style)) in fields.chain(below).enumerate() {
        put_row(line, style, inner, y as u16, buffer);
    }
}

/// Returns the part of the plan that fits in `height` rows, from row `top` on, under a rule that says how much more there
/// is.
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
    let rule = vec![
        trusted_span(line, theme.style_for(Meaning::Border)),
        trusted_span(words, theme.style_for(Meaning::Muted)),
    ];
    std::iter::once(Line::from(rule)).chain(below.into_iter().skip(top).take(seen)).collect()
}

/// Returns the rows of the fields, whether each belongs to the chosen field, and the index of the last row of the chosen
/// field.
fn field_rows(
    dialog: &JobDialog,
    theme: Theme,
    width: usize,
) -> (Vec<(Line<'static>, bool)>, usize) {
    let mut rows = vec![];
    let mut at = 0;
    for (index, field) in dialog.form.fields.iter().enumerate() {
        let is_chosen = index == dialog.form.rows.cursor();
        let types = is_chosen && dialog.form.typing.is_some();
        rows.push((
            field_row(field, (types, dialog.is_finding_choices()), theme, width),
            is_chosen,
        ));
        let why = dialog.field_complaint(field.id);
        let wrong = why.map(|why| sentence_rows(&why, Meaning::Error, LABEL_CELLS, theme, width));
        rows.extend(wrong.into_iter().flatten().map(|line| (line, false)));
        if is_chosen {
            at = rows.len() - 1;
        }
    }
    (rows, at)
}

/// Returns the plan of the work, or why it cannot start.
fn plan_lines(dialog: &JobDialog, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let refusal = dialog.current_refusal();
    if let Some(refusal) = refusal {
        return match refusal.field {
            Some(_) => vec![],
            None => sentence_rows(&refusal.why, Meaning::Error, 1, theme, width),
        };
    }
    match dialog.current_plan() {
        Some(Ok(plan)) => {
            let row = |(name, value): &(String, String)| planned_rows(name, value, theme, width);
            plan.rows.iter().flat_map(row).collect()
        }
        _ => {
            let words = match dialog.is_finding_choices() {
                true => " looking for agents on this machine…",
                false => " preparing the plan…",
            };
            vec![Line::styled(words, theme.style_for(Meaning::Muted))]
        }
    }
}

/// Returns ` rules          137, built in`, over as many rows as needed.
fn planned_rows(name: &str, value: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(LABEL_CELLS + 1).max(1);
    let mut name = format!(" {:<1$}", safe_string(name), LABEL_CELLS - 1);
    let rows = wrap_line(value, room).into_iter().map(|range| {
        let name = std::mem::replace(&mut name, " ".repeat(LABEL_CELLS));
        let value = recorded_span(value[range].trim_end(), theme.style_for(Meaning::Text));
        Line::from(vec![trusted_span(name, theme.style_for(Meaning::Muted)), value])
    });
    rows.collect()
}

/// Returns a sentence over as many rows as needed, indented by `from` cells.
fn sentence_rows(
    words: &str,
    looks: Meaning,
    from: usize,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let rows = wrap_line(words, width.saturating_sub(from + 1).max(1)).into_iter();
    let line = |range: std::ops::Range<usize>| {
        let blank = trusted_span(" ".repeat(from), theme.style_for(Meaning::Text));
        Line::from(vec![blank, recorded_span(words[range].trim_end(), theme.style_for(looks))])
    };
    rows.map(line).collect()
}
