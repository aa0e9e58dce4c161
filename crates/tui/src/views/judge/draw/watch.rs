//! A judging: how far it is, its components, the calls as they happen, and everything about one component.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        judge::{
            JudgePane, WatchedList,
            areas::JudgeAreas,
            item_rows::JudgeRow,
            watched::{ItemState, JudgeCall, WatchedItem, WatchedJudging},
        },
        verdict::{arguments_text, level_spans},
    },
    widgets::{
        line::{
            fit_spans, fit_text_end, left_and_right, recorded_span, safe_string, spans_width,
            trusted_span,
        },
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_run::{
    flags::FlagCounts,
    format_number,
    judging::{JudgeAnswer, JudgingEnd, JudgingOutcome},
    rubric::CANNOT_TELL,
};

use super::put_lines;

/// The fewest cells of an id.
const MIN_ID_CELLS: usize = 5;

/// Cells of the bar.
const BAR_CELLS: usize = 20;

pub fn draw(
    view: &JudgePane,
    session: &Session,
    is_focused: bool,
    theme: Theme,
    areas: &JudgeAreas,
    buffer: &mut Buffer,
) {
    let Some(watched) = &view.watched else { return };
    put_lines(head_lines(watched, theme, areas), areas.head, buffer);
    let (selected, marked) = (theme.style_for(Meaning::Selected), theme.style_for(Meaning::Marked));
    let chosen = |part| (is_focused && view.part == part).then_some(selected);
    let entry = chosen(WatchedList::Components).unwrap_or(marked);
    view.rows.draw_rows(Some(entry), theme, buffer, |at| {
        entry_line(&watched.entries[at], view, session, watched, theme, areas.list_width())
    });
    let words = format!("── calls ({}) ", watched.calls.len());
    let rest = "─".repeat(areas.list_width().saturating_sub(words.chars().count()));
    let rule = Line::styled(words + &rest, theme.style_for(Meaning::Border));
    put_lines([rule], areas.below, buffer);
    let id = id_width(watched);
    view.calls.draw_rows(chosen(WatchedList::Calls), theme, buffer, |at| {
        call_line(&watched.calls[at], id, theme, areas.list_width())
    });
}

pub(crate) fn draw_detail(
    view: &JudgePane,
    session: &Session,
    theme: Theme,
    areas: &JudgeAreas,
    buffer: &mut Buffer,
) {
    let Some(watched) = &view.watched else { return };
    put_lines(head_lines(watched, theme, areas), areas.head, buffer);
    let rows = view.entry_rows(session, areas);
    view.words.draw_rows(theme, buffer, |at| row_line(&rows[at], theme, areas.list_width()));
}

/// Returns the progress, the usage, the file and the outcome.
fn head_lines(watched: &WatchedJudging, theme: Theme, areas: &JudgeAreas) -> Vec<Line<'static>> {
    let (muted, plain) = (theme.style_for(Meaning::Muted), theme.style_for(Meaning::Text));
    let width = areas.list_width();
    let mut lines = vec![progress_line(watched, theme, width)];
    let facts = usage_spans(watched, plain, muted);
    lines.push(Line::from(fit_spans(facts, width)));
    if !watched.panel.is_empty() {
        lines.push(judges_line(watched, theme, width));
    }
    match &watched.outcome {
        None => {
            let words = match &watched.file {
                None => "starting the judge".into(),
                Some(file) => format!("judgements/{}", file.name()),
            };
            let words = fit_text_end(&safe_string(&words), width.saturating_sub(1));
            lines.push(Line::from(vec![trusted_span(" ", muted), trusted_span(words, muted)]));
        }
        Some(outcome) => lines.extend(outcome_lines(outcome, theme, width).into_iter().take(2)),
    }
    lines
}

/// Returns ` ▸gpt 7/24 · 0.12 USD   claude 3/24`: each judge of a panel, the shown one first.
fn judges_line(watched: &WatchedJudging, theme: Theme, width: usize) -> Line<'static> {
    let mut names: Vec<&WatchedJudging> = watched.all_judges().collect();
    names.sort_by_key(|it| it.judge.clone());
    let mut spans = vec![];
    for it in names {
        let is_looked_at = it.judge == watched.judge;
        let (sign, meaning) =
            if is_looked_at { (" ▸", Meaning::Title) } else { ("  ", Meaning::Muted) };
        let (done, total) = it.judge_progress();
        let spent = it.spent.map(|spent| format!(" {}", format_number::dollars_text(spent)));
        spans.push(trusted_span(sign, theme.style_for(Meaning::Key)));
        spans.push(recorded_span(&it.judge, theme.style_for(meaning)));
        let words = format!(" {done}/{total}{} ", spent.unwrap_or_default());
        spans.push(trusted_span(words, theme.style_for(meaning)));
    }
    spans.push(trusted_span("  f: next", theme.style_for(Meaning::Muted)));
    Line::from(fit_spans(spans, width))
}

/// Returns ` ████████░░░░ 7/24 · 3.1 a minute · 5 min left`.
fn progress_line(watched: &WatchedJudging, theme: Theme, width: usize) -> Line<'static> {
    let (done, total) = watched.progress();
    let cells = BAR_CELLS.min(width / 3);
    let full = (done * cells).checked_div(total).unwrap_or_default().min(cells);
    let bar = "█".repeat(full) + &"·".repeat(cells - full);
    let mut spans = vec![
        trusted_span(" ", theme.style_for(Meaning::Text)),
        trusted_span(bar, theme.style_for(Meaning::Playing)),
        trusted_span(format!(" {done}/{total}"), theme.style_for(Meaning::Title)),
    ];
    if watched.is_under_way() {
        let rate = watched.items_per_minute().map(|rate| {
            format!(" · {}/min", format_number::with_decimals(rate, usize::from(rate < 10.0)))
        });
        let left = watched
            .seconds_left()
            .map(|left| format!(" · {} left", format_number::duration_text(left)));
        let stopping = watched.is_stopping.then(|| " · stopping".to_owned());
        let words: String = [rate, left, stopping].into_iter().flatten().collect();
        spans.push(trusted_span(words, theme.style_for(Meaning::Muted)));
    }
    Line::from(fit_spans(spans, width))
}

fn usage_spans(
    watched: &WatchedJudging,
    plain: ratatui::style::Style,
    muted: ratatui::style::Style,
) -> Vec<Span<'static>> {
    let tokens = match watched.total_tokens() {
        Some(tokens) => format!(" {} tokens", format_number::short_count(tokens)),
        None => " tokens not reported yet".into(),
    };
    let cost = watched
        .total_spent()
        .map(|it| format!(" · {}", format_number::dollars_text(it)))
        .unwrap_or_default();
    let time = match watched.seconds {
        seconds if seconds >= 1.0 => format!(" · {}", format_number::duration_text(seconds)),
        _ => String::new(),
    };
    vec![trusted_span(tokens, plain), trusted_span(cost, plain), trusted_span(time, muted)]
}

fn outcome_lines(outcome: &JudgingOutcome, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let meaning = match outcome.end {
        JudgingEnd::Finished => Meaning::Added,
        JudgingEnd::Stopped => Meaning::Warning,
        JudgingEnd::Failed => Meaning::Error,
    };
    let mut words = outcome.text.clone();
    if outcome.end == JudgingEnd::Finished {
        let files: Vec<&str> = outcome.files.iter().map(|(name, _)| name.as_str()).collect();
        match files.as_slice() {
            [] => {}
            [one] => words.push_str(&format!(": judgements/{one}")),
            [.., last] => {
                words.push_str(&format!(", in {} files, the last {last}", files.len()));
            }
        }
    }
    let rows = wrap_line(&words, width.saturating_sub(2));
    rows.into_iter()
        .map(|range| {
            Line::from(vec![
                trusted_span(" ", theme.style_for(meaning)),
                recorded_span(&words[range], theme.style_for(meaning)),
            ])
        })
        .collect()
}

/// Returns the width in cells of the longest id and a gap.
fn id_width(watched: &WatchedJudging) -> usize {
    let longest = watched.entries.iter().map(|it| it.id.chars().count()).max();
    MIN_ID_CELLS.max(longest.unwrap_or_default() + 2)
}

/// Returns ` C07  Joint loss           ██·· 2 Simplified` or ` shape  Mixed levels, …   3 flags (1 carried)`.
fn entry_line(
    entry: &WatchedItem,
    view: &JudgePane,
    session: &Session,
    watched: &WatchedJudging,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let id = id_width(watched);
    let right = state_spans(entry, view, session, watched, theme);
    let right = fit_spans(right, (width * 3 / 5).max(24).min(width.saturating_sub(id + 2)));
    let room = width.saturating_sub(spans_width(&right) + 2);
    let left = vec![
        recorded_span(&format!(" {:<id$}", entry.id), theme.style_for(Meaning::Muted)),
        recorded_span(&entry.name, theme.style_for(Meaning::Text)),
    ];
    let mut line = left_and_right(fit_spans(left, room), right, width.saturating_sub(1));
    line.spans.push(Span::raw(" "));
    line
}

fn state_spans(
    entry: &WatchedItem,
    view: &JudgePane,
    session: &Session,
    watched: &WatchedJudging,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (muted, warn) = (theme.style_for(Meaning::Muted), theme.style_for(Meaning::Warning));
    let mut spans = vec![];
    if !entry.before.is_empty() {
        let answer_text = |given: &Option<JudgeAnswer>| match given {
            None => format_number::MISSING_SIGN.into(),
            Some(JudgeAnswer::CannotTell) => "?".into(),
            Some(JudgeAnswer::Level { level: score, .. }) => match view.rubric_levels() {
                levels if levels.in_words => levels.name(*score).unwrap_or_default().to_owned(),
                _ => score.to_string(),
            },
            Some(JudgeAnswer::Scores(words)) => words.clone(),
            Some(JudgeAnswer::Flags(counts)) => counts.all.to_string(),
        };
        let before: Vec<String> = entry.before.iter().map(answer_text).collect();
        spans.push(trusted_span(format!("{} › ", before.join(" ")), muted));
    }
    match view.entry_state(session, entry) {
        ItemState::Waiting if watched.is_under_way() => spans.push(trusted_span("waiting", muted)),
        ItemState::Waiting => spans.push(trusted_span("not asked", muted)),
        ItemState::Looking => {
            spans.push(trusted_span(
                format!("tool calls {}/{}", entry.call_count(), watched.judging_request.budget),
                theme.style_for(Meaning::Playing),
            ));
            if let Some(call) = entry.last_call() {
                spans.push(trusted_span("  ", muted));
                spans.push(recorded_span(&call.look.tool, theme.style_for(Meaning::Hunk)));
            }
        }
        ItemState::Retries { why, until } => {
            let left = (until - watched.seconds).max(0.0).ceil();
            spans.push(recorded_span(&format!("retry in {left} s: {why}"), warn));
        }
        ItemState::Done { given: Some(JudgeAnswer::Level { level: score, .. }), .. } => {
            let levels = view.rubric_levels();
            let mut level_cells = level_spans(score, levels, theme);
            let longest = levels.names.iter().map(|it| it.len()).max().unwrap_or_default();
            let longest =
                longest + if levels.in_words { 0 } else { usize::from(levels.highest_score()) + 3 };
            let blank = longest.saturating_sub(spans_width(&level_cells));
            level_cells.push(trusted_span(" ".repeat(blank), muted));
            spans.extend(level_cells);
        }
        ItemState::Done { given: Some(JudgeAnswer::CannotTell), .. } => {
            spans.push(trusted_span(CANNOT_TELL, warn))
        }
        ItemState::Done { given: Some(JudgeAnswer::Scores(words)), .. } => {
            spans.push(recorded_span(&words, theme.style_for(Meaning::Text)));
        }
        ItemState::Done { given: Some(JudgeAnswer::Flags(counts)), .. } => {
            spans.extend(flag_spans(counts, theme));
        }
        ItemState::Done { given: None, error } => {
            let nothing = watched.judging_request.scale.no_answer();
            spans.push(recorded_span(&format!("{nothing}: {error}"), warn));
        }
    }
    spans
}

/// Returns `3 flags (1 carried)`.
fn flag_spans(counts: FlagCounts, theme: Theme) -> Vec<Span<'static>> {
    let all = match counts.all {
        1 => "1 flag".into(),
        all => format!("{all} flags"),
    };
    let meaning = if counts.all == 0 { Meaning::Muted } else { Meaning::Title };
    let carried = (counts.carried > 0).then(|| format!(" ({} carried)", counts.carried));
    let carried = carried.map(|words| trusted_span(words, theme.style_for(Meaning::Muted)));
    std::iter::once(trusted_span(all, theme.style_for(meaning))).chain(carried).collect()
}

/// Returns ` C07 read path src/joint.py  1.2 kB`.
fn call_line(
    (component, call): &(String, JudgeCall),
    id: usize,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let head = vec![recorded_span(&format!(" {component:<id$}"), theme.style_for(Meaning::Muted))];
    call_line_after(head, call, theme, width)
}

fn call_line_after(
    head: Vec<Span<'static>>,
    call: &JudgeCall,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut left = head;
    left.push(recorded_span(&call.look.tool, theme.style_for(Meaning::Hunk)));
    left.push(recorded_span(&format!(" {}", arguments_text(&call.look.arguments)), plain));
    let right = match call.is_refused {
        true => vec![trusted_span("refused ", theme.style_for(Meaning::Warning))],
        false => {
            let size = call.look.bytes.map(format_number::byte_size).unwrap_or_default();
            vec![trusted_span(format!("{size} "), muted)]
        }
    };
    left_and_right(left, right, width)
}

fn row_line(row: &JudgeRow, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut spans = match row {
        JudgeRow::Blank => vec![],
        JudgeRow::Heading(words) => {
            vec![trusted_span(words.clone(), theme.style_for(Meaning::Heading))]
        }
        JudgeRow::Score(score, levels) => level_spans(*score, levels, theme),
        JudgeRow::Flags(counts) => flag_spans(*counts, theme),
        JudgeRow::Criterion(words) => vec![recorded_span(words, theme.style_for(Meaning::Heading))],
        JudgeRow::Words(words) => vec![recorded_span(words, plain)],
        JudgeRow::Note(words) => vec![trusted_span(words.clone(), muted)],
        JudgeRow::Problem(words) => vec![recorded_span(words, theme.style_for(Meaning::Warning))],
        JudgeRow::Evidence(evidence) => {
            let lines = match evidence.lines {
                Some((first, last)) if first == last => format!(":{first}"),
                Some((first, last)) => format!(":{first}–{last}"),
                None => String::new(),
            };
            let path = fit_text_end(
                &safe_string(&evidence.path),
                width.saturating_sub(lines.chars().count() + 3),
            );
            vec![
                trusted_span("◆ ", theme.style_for(Meaning::Hunk)),
                trusted_span(path, plain),
                trusted_span(lines, theme.style_for(Meaning::Hunk)),
            ]
        }
        JudgeRow::Call(number, call) => {
            return call_line_after(
                vec![trusted_span(format!(" {number:>2} "), muted)],
                call,
                theme,
                width,
            );
        }
        JudgeRow::Excerpt(words) => vec![trusted_span("  │ ", muted), recorded_span(words, muted)],
    };
    spans.insert(0, trusted_span(" ", plain));
    Line::from(fit_spans(spans, width))
}
