//! Draws the fields of the form and the plan.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::Session,
    views::{
        form::field_row,
        judge::{JudgePane, areas::JudgeAreas},
    },
    widgets::{
        line::{fit_spans, recorded_span, spans_width, trusted_span},
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_run::{
    format_number,
    judging::{JudgingPlan, JudgingRequest, JudgingScale},
};

use super::put_lines;

/// Cells of the name of a line below.
const NAME_CELLS: usize = 11;

pub fn draw(
    view: &JudgePane,
    session: &Session,
    is_focused: bool,
    theme: Theme,
    areas: &JudgeAreas,
    buffer: &mut Buffer,
) {
    if view.form.judges.is_empty() {
        let area = areas.list.union(areas.below);
        return put_lines(no_judge_lines(view, theme, area), area, buffer);
    }
    let form = &view.form;
    let selected = theme.chosen_row(is_focused);
    let (fields, width) = (form.visible_fields(), areas.list_width());
    form.rows.draw_rows(Some(selected), theme, buffer, |row| match fields.get(row) {
        Some(field) => {
            let types = form.typing == Some(*field);
            field_row(&view.form_field(session, *field), (types, false), theme, width)
        }
        None => mark_row(row - fields.len(), view, session, theme, width),
    });
    put_lines(plan_lines(view, session, theme, width), areas.below, buffer);
}

/// ` [x] C07 Joint loss`
fn mark_row(
    at: usize,
    view: &JudgePane,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let all = view.judgeable_items(session);
    let Some(item) = all.get(at) else { return Line::default() };
    let is_marked = view.form.marked.contains(&item.id);
    let cells = all
        .iter()
        .map(|it| spans_width(&[recorded_span(&it.id, theme.style_for(Meaning::Text))]) + 2);
    let gap = cells.max().unwrap_or_default();
    let sign = if is_marked { " [x] " } else { " [ ] " };
    let spans = vec![
        trusted_span(sign, theme.style_for(Meaning::Key)),
        recorded_span(&format!("{:<gap$}", item.id), theme.style_for(Meaning::Muted)),
        recorded_span(&item.name, theme.style_for(Meaning::Text)),
    ];
    Line::from(fit_spans(spans, width))
}

/// Returns the plan, or the reason why it is impossible, and how to start.
fn plan_lines(
    view: &JudgePane,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let warn = |words: &str| wrapped_lines(words, Meaning::Warning, theme, width);
    let rule = Line::styled("─".repeat(width), theme.style_for(Meaning::Border));
    let mut lines = vec![rule];
    let judging_request = match view.judging_request(session) {
        Err(why) => {
            lines.extend(warn(&why));
            return lines;
        }
        Ok(judging_request) => judging_request,
    };
    match view.plan_for(&judging_request) {
        None => lines.push(Line::styled(" estimating the cost…", muted)),
        Some(Err(why)) => lines.extend(warn(why)),
        Some(Ok(plan)) => {
            lines.extend(plan_detail_lines(plan, &judging_request, theme, width));
            match &plan.lacks {
                Some(why) => lines.extend(warn(why)),
                None => lines.push(start_hint_line(view, theme)),
            }
        }
    }
    lines
}

fn plan_detail_lines(
    plan: &JudgingPlan,
    judging_request: &JudgingRequest,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let cost = match (plan.cost, plan.bound) {
        (Some(cost), Some(bound)) => {
            format!(
                "{} at most; the bound is {}",
                format_number::dollars_text(cost),
                format_number::dollars_text(bound)
            )
        }
        (Some(cost), None) => {
            format!("{} at most; max_cost_usd would bound it", format_number::dollars_text(cost))
        }
        (None, _) => "no price known".into(),
    };
    let tokens = format!(
        "at most {} in, {} out; usually far fewer",
        format_number::short_count(plan.input_tokens),
        format_number::short_count(plan.output_tokens)
    );
    let answers = judging_request.repeats * plan.answers;
    let answered = match judging_request.scale {
        JudgingScale::Levels
        | JudgingScale::Codebook
        | JudgingScale::Decisions
        | JudgingScale::Process => "verdicts",
        JudgingScale::Flags => "answers",
    };
    let key = plan.key.as_ref().map(|variable| format!(", key in {variable}"));
    let sent = match judging_request.scale {
        JudgingScale::Levels | JudgingScale::Codebook => {
            "prompt, component, and the code that it reads"
        }
        JudgingScale::Flags => "prompt, criteria, and the code that it reads",
        JudgingScale::Decisions => "prompt, decision, and the code that it reads",
        JudgingScale::Process => "prompt, plan, commits or requests, and the code that it reads",
    };
    let mut rows = vec![
        ("sent to", plan.place.clone() + &key.unwrap_or_default()),
        ("sent", sent.into()),
        (answered, answers.to_string()),
        ("requests", format!("at most {}, without retries", plan.requests)),
        ("tokens", tokens),
        ("cost", cost),
        ("prompt", format!("sha256 {}", plan.prompt)),
    ];
    if !plan.left_out.is_empty() {
        let turns: Vec<String> = plan.left_out.iter().map(ToString::to_string).collect();
        rows.push(("skipped", format!("nothing to judge after turn {}", turns.join(", "))));
    }
    let criteria = plan.criteria.as_ref();
    rows.extend(criteria.map(|digits| ("criteria", format!("sha256 {digits}"))));
    rows.iter().flat_map(|(name, words)| plan_row_lines(name, words, theme, width)).collect()
}

/// Returns a name and text over as many rows as they take.
fn plan_row_lines(name: &str, words: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut name = format!(" {name:<NAME_CELLS$} ");
    let room = width.saturating_sub(NAME_CELLS + 3).max(1);
    let rows = wrap_line(words, room).into_iter().map(|range| {
        let name = std::mem::replace(&mut name, " ".repeat(NAME_CELLS + 2));
        let words = recorded_span(words[range].trim_end(), theme.style_for(Meaning::Text));
        Line::from(vec![trusted_span(name, theme.style_for(Meaning::Muted)), words])
    });
    rows.collect()
}

fn start_hint_line(view: &JudgePane, theme: Theme) -> Line<'static> {
    let words = match view.judging_under_way() {
        Some(_) => "  another judge is running",
        None => "  send",
    };
    Line::from(vec![
        trusted_span(theme.spell_out(" ⏎"), theme.style_for(Meaning::Key)),
        trusted_span(words, theme.style_for(Meaning::Muted)),
    ])
}

fn wrapped_lines(words: &str, meaning: Meaning, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let rows = wrap_line(words, width.saturating_sub(2));
    rows.into_iter()
        .map(|range| {
            Line::from(vec![
                trusted_span(" ", theme.style_for(meaning)),
                recorded_span(&words[range], theme.style_for(meaning)),
            ])
        })
        .collect()
}

/// Returns the ways to make a judge available.
fn no_judge_lines(view: &JudgePane, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    if view.is_searching() {
        return wrapped_lines("searching judges…", Meaning::Muted, theme, width);
    }
    let file = view.form.settings.as_deref().unwrap_or("the file of --config");
    let mut lines = wrapped_lines(
        "No judge is configured. One of these is enough:",
        Meaning::Warning,
        theme,
        width,
    );
    lines.push(Line::default());
    lines.extend(
        JUDGE_SOURCES.iter().flat_map(|(name, words)| plan_row_lines(name, words, theme, width)),
    );
    lines.push(Line::default());
    let after =
        format!("Or a table [judges.NAME] in {file}. r closes this; r again searches again.");
    lines.extend(wrapped_lines(&after, Meaning::Muted, theme, width));
    lines
}

/// A line each.
const JUDGE_SOURCES: [(&str, &str); 3] = [
    ("key", "OPENAI_, ANTHROPIC_, GEMINI_ or OPENROUTER_API_KEY"),
    ("server", "Ollama (port 11434), llama.cpp (8080), vLLM (8000) here"),
    ("program", "claude, codex or gemini on the PATH"),
];
