//! The fields of what is wanted, and what it would take.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{
        Session,
        judging::{JudgingRequest, Plan, Scale},
    },
    views::{
        form::field_row,
        judge::{Judging, areas::Areas},
    },
    widgets::{
        line::{fit, own, recorded, width_of},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_run::figures;

use super::put_lines;

/// Cells of the name of a line below.
const NAME: usize = 11;

pub fn draw(
    view: &Judging,
    session: &Session,
    is_focused: bool,
    theme: Theme,
    areas: &Areas,
    buffer: &mut Buffer,
) {
    if view.form.judges.is_empty() {
        let area = areas.list.union(areas.below);
        return put_lines(no_judge(view, theme, area), area, buffer);
    }
    let form = &view.form;
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen = form.rows.top..view.form_rows(session).min(form.rows.top + areas.list_height());
    for (y, row) in seen.enumerate() {
        let line = match form.fields().get(row) {
            Some(field) => {
                let types = form.typing == Some(*field);
                field_row(&view.shown_field(session, *field), (types, false), theme, areas.width())
            }
            None => mark_row(row - form.fields().len(), view, session, theme, areas.width()),
        };
        let style = (row == form.rows.cursor).then_some(selected);
        put_row(line, style, areas.list, y as u16, buffer);
    }
    put_lines(below(view, session, theme, areas.width()), areas.below, buffer);
}

/// ` [x] C07 Joint loss`
fn mark_row(
    at: usize,
    view: &Judging,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let all = view.judgeable(session);
    let Some(item) = all.get(at) else { return Line::default() };
    let is_marked = view.form.marked.contains(&item.id);
    let cells = all.iter().map(|it| width_of(&[recorded(&it.id, theme.of(Meaning::Text))]) + 2);
    let gap = cells.max().unwrap_or_default();
    let sign = if is_marked { " [x] " } else { " [ ] " };
    let spans = vec![
        own(sign, theme.of(Meaning::Key)),
        recorded(&format!("{:<gap$}", item.id), theme.of(Meaning::Muted)),
        recorded(&item.name, theme.of(Meaning::Text)),
    ];
    Line::from(fit(spans, width))
}

/// What it would take, or why it cannot be done, and how to begin.
fn below(view: &Judging, session: &Session, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let muted = theme.of(Meaning::Muted);
    let warn = |words: &str| said(words, Meaning::Warning, theme, width);
    let rule = Line::styled("─".repeat(width), theme.of(Meaning::Border));
    let mut lines = vec![rule];
    let wish = match view.judge_wish(session) {
        Err(why) => {
            lines.extend(warn(&why));
            return lines;
        }
        Ok(wish) => wish,
    };
    match view.plan(&wish) {
        None => lines.push(Line::styled(" working out what it would take…", muted)),
        Some(Err(why)) => lines.extend(warn(why)),
        Some(Ok(plan)) => {
            lines.extend(planned(plan, &wish, theme, width));
            match &plan.lacks {
                Some(why) => lines.extend(warn(why)),
                None => lines.push(go(view, theme)),
            }
        }
    }
    lines
}

fn planned(plan: &Plan, wish: &JudgingRequest, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let cost = match (plan.cost, plan.bound) {
        (Some(cost), Some(bound)) => {
            format!("{} at most; the bound is {}", figures::dollars(cost), figures::dollars(bound))
        }
        (Some(cost), None) => {
            format!("{} at most; max_cost_usd would bound it", figures::dollars(cost))
        }
        (None, _) => "not priced: what it will cost is not known".into(),
    };
    let tokens = format!(
        "{} in, {} out at most; usually far fewer",
        figures::short(plan.input_tokens),
        figures::short(plan.output_tokens)
    );
    let answers = wish.repeats * plan.answers;
    let answered = match wish.scale {
        Scale::Levels | Scale::Decisions | Scale::Process => "verdicts",
        Scale::Flags => "answers",
    };
    let key = plan.key.as_ref().map(|variable| format!(", key in {variable}"));
    let sent = match wish.scale {
        Scale::Levels => "prompt, component, and the code it looks at",
        Scale::Flags => "prompt, criteria, and the code it looks at",
        Scale::Decisions => "prompt, decision, and the code it looks at",
        Scale::Process => "prompt, plan, commits or requests, and the code it looks at",
    };
    let mut rows = vec![
        ("sent to", plan.place.clone() + &key.unwrap_or_default()),
        ("sent", sent.into()),
        (answered, answers.to_string()),
        ("requests", format!("{} at most, retries aside", plan.requests)),
        ("tokens", tokens),
        ("cost", cost),
        ("prompt", format!("sha256 {}", plan.prompt)),
    ];
    if !plan.left_out.is_empty() {
        let turns: Vec<String> = plan.left_out.iter().map(ToString::to_string).collect();
        rows.push(("left out", format!("nothing to judge after turn {}", turns.join(", "))));
    }
    let criteria = plan.criteria.as_ref();
    rows.extend(criteria.map(|digits| ("criteria", format!("sha256 {digits}"))));
    rows.iter().flat_map(|(name, words)| planned_row(name, words, theme, width)).collect()
}

/// A name and words over as many rows as they take.
fn planned_row(name: &str, words: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut name = format!(" {name:<NAME$} ");
    let room = width.saturating_sub(NAME + 3).max(1);
    let rows = wrap(words, room).into_iter().map(|range| {
        let name = std::mem::replace(&mut name, " ".repeat(NAME + 2));
        let words = recorded(words[range].trim_end(), theme.of(Meaning::Text));
        Line::from(vec![own(name, theme.of(Meaning::Muted)), words])
    });
    rows.collect()
}

fn go(view: &Judging, theme: Theme) -> Line<'static> {
    let words = match view.under_way() {
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

/// What would make somebody be there.
fn no_judge(view: &Judging, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    if view.is_searching() {
        return said("looking for somebody to ask…", Meaning::Muted, theme, width);
    }
    let file = view.form.settings.as_deref().unwrap_or("the file of --config");
    let mut lines =
        said("No judge is set up. Any of these is enough:", Meaning::Warning, theme, width);
    lines.push(Line::default());
    lines.extend(
        MAKES_IT_WORK.iter().flat_map(|(name, words)| planned_row(name, words, theme, width)),
    );
    lines.push(Line::default());
    let after = format!(
        "So is a table [judges.NAME] in {file}. r closes this, and r again looks once more."
    );
    lines.extend(said(&after, Meaning::Muted, theme, width));
    lines
}

/// A line each.
const MAKES_IT_WORK: [(&str, &str); 3] = [
    ("key", "OPENAI_, ANTHROPIC_, GEMINI_ or OPENROUTER_API_KEY"),
    ("server", "Ollama (port 11434), llama.cpp (8080), vLLM (8000) here"),
    ("program", "claude, codex or gemini on the PATH"),
];
