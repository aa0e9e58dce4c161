//! The fields of what is wanted, and what it would take.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use super::{name_of, put_lines};
use crate::{
    app::{
        judging::{areas::Areas, asking::Plan, form::Field},
        replay::Replay,
        wrap::wrap,
    },
    ui::{
        line::{amount, fit, fit_end, own, recorded, safe, width_of},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};

/// Cells of the name of a field.
const NAME: usize = 11;

pub fn draw(replay: &Replay, is_focused: bool, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    if replay.judging.form.judges.is_empty() {
        let area = areas.list.union(areas.below);
        return put_lines(no_judge(replay, theme, area), area, buffer);
    }
    let form = &replay.judging.form;
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen = form.rows.top..replay.form_rows().min(form.rows.top + areas.list_height());
    for (y, row) in seen.enumerate() {
        let line = match Field::ALL.get(row) {
            Some(field) => field_row(*field, replay, theme, areas.width()),
            None => mark_row(row - Field::ALL.len(), replay, theme, areas.width()),
        };
        let style = (row == form.rows.cursor).then_some(selected);
        put_row(line, style, areas.list, y as u16, buffer);
    }
    put_lines(below(replay, theme, areas.width()), areas.below, buffer);
}

/// ` judge       ‹ stub ›  chat, m-1`
fn field_row(field: Field, replay: &Replay, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let (value, remark) = replay.field_said(field);
    let form = &replay.judging.form;
    let mut spans = vec![own(format!(" {:<NAME$} ", field.word()), muted)];
    if field == Field::Prompt && form.has_own_prompt {
        let room = width.saturating_sub(NAME + 5);
        spans.push(own(fit_end(&safe(&value), room), plain));
        if form.is_typing {
            spans.push(own("▏", theme.of(Meaning::Key)));
        }
        return Line::from(spans);
    }
    spans.push(own("‹ ", muted));
    spans.push(recorded(&value, theme.of(Meaning::Title)));
    spans.push(own(" ›", muted));
    if !remark.is_empty() {
        spans.push(recorded(&format!("  {remark}"), muted));
    }
    Line::from(fit(spans, width))
}

/// ` [x] C07 Joint loss`
fn mark_row(at: usize, replay: &Replay, theme: Theme, width: usize) -> Line<'static> {
    let all = replay.judgeable();
    let Some((id, _)) = all.get(at) else { return Line::default() };
    let is_marked = replay.judging.form.marked.contains(*id);
    let sign = if is_marked { " [x] " } else { " [ ] " };
    let spans = vec![
        own(sign, theme.of(Meaning::Key)),
        recorded(&format!("{id:<5}"), theme.of(Meaning::Muted)),
        recorded(name_of(replay, id), theme.of(Meaning::Text)),
    ];
    Line::from(fit(spans, width))
}

/// What it would take, or why it cannot be done, and how to begin.
fn below(replay: &Replay, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let muted = theme.of(Meaning::Muted);
    let warn = |words: &str| said(words, Meaning::Warning, theme, width);
    let rule = Line::styled("─".repeat(width), theme.of(Meaning::Border));
    let mut lines = vec![rule];
    let wish = match replay.judge_wish() {
        Err(why) => {
            lines.extend(warn(&why));
            return lines;
        }
        Ok(wish) => wish,
    };
    match replay.judging.plan(&wish) {
        None => lines.push(Line::styled(" working out what it would take…", muted)),
        Some(Err(why)) => lines.extend(warn(why)),
        Some(Ok(plan)) => {
            let scores = wish.moments.len() * wish.repeats * plan.components;
            lines.extend(planned(plan, scores, theme, width));
            match &plan.lacks {
                Some(why) => lines.extend(warn(why)),
                None => lines.push(go(replay, theme)),
            }
        }
    }
    lines
}

fn planned(plan: &Plan, scores: usize, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let cost = match (plan.cost, plan.bound) {
        (Some(cost), Some(bound)) => {
            format!("{cost:.2} USD at most; the bound is {bound:.2}")
        }
        (Some(cost), None) => format!("{cost:.2} USD at most; max_cost_usd would bound it"),
        (None, _) => "not known: the settings name no prices".into(),
    };
    let tokens = format!(
        "{} in, {} out at most; usually far fewer",
        amount(plan.input_tokens, ""),
        amount(plan.output_tokens, "")
    );
    let rows = [
        ("asked at", plan.place.clone()),
        ("verdicts", scores.to_string()),
        ("requests", format!("{} at most, retries aside", plan.requests)),
        ("tokens", tokens),
        ("cost", cost),
        ("prompt", format!("sha256 {}", plan.prompt)),
    ];
    let row = |(name, words): (&str, String)| -> Line<'static> {
        let name: Span<'static> = own(format!(" {name:<NAME$} "), muted);
        let room = width.saturating_sub(width_of(std::slice::from_ref(&name)));
        let mut spans = vec![name];
        spans.extend(fit(vec![recorded(&words, plain)], room));
        Line::from(spans)
    };
    rows.into_iter().map(row).collect()
}

fn go(replay: &Replay, theme: Theme) -> Line<'static> {
    let words = match replay.judging.under_way() {
        Some(_) => "  another judging is under way",
        None => "  asks; nothing was sent so far",
    };
    Line::from(vec![
        own(theme.spelled(" ⏎"), theme.of(Meaning::Key)),
        own(words, theme.of(Meaning::Muted)),
    ])
}

fn said(words: &str, meaning: Meaning, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let rows = wrap(words, width.saturating_sub(2));
    rows.into_iter()
        .map(|range| {
            Line::from(vec![
                own(" ", theme.of(meaning)),
                recorded(&words[range], theme.of(meaning)),
            ])
        })
        .collect()
}

/// What to write where; on a low screen the least of it.
fn no_judge(replay: &Replay, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let is_low = usize::from(area.height) < 2 * TOML.len();
    let file = replay.judging.form.settings.as_deref();
    let into = match file {
        Some(file) => format!("A judge is a table in the settings file, {file}, such as:"),
        None => "A judge is a table in the settings file (--config FILE), such as:".into(),
    };
    let words = "The settings name no judge: nobody can be asked yet.";
    let after = "The key stays in the variable that key_env names. The README has every setting; they count when trajview \
                 starts again.";
    let rows = TOML.len() - if is_low { PRICES } else { 0 };
    let blank = (!is_low).then(Line::default);
    let toml = |row: &&'static str| Line::from(own(format!("   {row}"), theme.of(Meaning::Title)));
    let mut lines = said(words, Meaning::Warning, theme, width);
    lines.extend(blank.clone());
    lines.extend(said(&into, Meaning::Text, theme, width));
    lines.extend(blank.clone());
    lines.extend(TOML.iter().take(rows).map(toml));
    lines.extend(blank);
    lines.extend(said(after, Meaning::Text, theme, width));
    lines
}

/// A judge, and last what its bound on the cost needs.
const TOML: [&str; 8] = [
    "[judges.gpt]",
    "kind = \"chat\"   # or responses, messages, command",
    "model = \"gpt-5.1\"",
    "base_url = \"https://api.openai.com/v1\"",
    "key_env = \"OPENAI_API_KEY\"",
    "price_input = 1.25   # USD for a million tokens",
    "price_output = 10.0",
    "max_cost_usd = 5.0",
];
const PRICES: usize = 3;
