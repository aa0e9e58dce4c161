//! Draws the list of everything that was started from the screen.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::{
        App,
        jobs::job_list::{JobRow, JobState},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, left_and_right, recorded_span, spans_width, trusted_span},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_run::format_number;

/// The width of the state (cells).
const STATE_WIDTH: usize = 9;

/// The width of a bar (cells).
const BAR_WIDTH: usize = 10;

/// The narrowest screen with bars (cells).
const MIN_BAR_SCREEN: usize = 80;

const NO_JOBS: &str = "No jobs. r: ask a judge · U: re-score";

pub fn draw(app: &App, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    let Some(list) = &app.jobs.list else { return };
    let jobs = app.jobs.all_jobs(&app.screens);
    let width = usize::from(layout.overlay_area().width.saturating_sub(2));
    let below = jobs.get(list.rows.cursor()).map(|it| it.words.as_str());
    let below = below.filter(|words| !words.is_empty());
    let below = below.map(|words| sentence_lines(words, theme, width)).unwrap_or_default();
    let area = layout.box_area(jobs.len().max(1) + below.len());
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(Line::styled(" jobs ", theme.style_for(Meaning::Title)));
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    if jobs.is_empty() {
        let line = Line::styled(format!(" {NO_JOBS}"), theme.style_for(Meaning::Muted));
        return put_row(line, None, inner, 0, buffer);
    }
    let height = usize::from(inner.height).saturating_sub(below.len()).max(1);
    let top = (list.rows.cursor() + 1).saturating_sub(height);
    let of_job = |(at, job): (usize, &JobRow)| {
        let is_chosen = at == list.rows.cursor();
        let style = is_chosen.then(|| theme.style_for(Meaning::Selected));
        let words = if is_chosen { below.clone() } else { vec![] };
        let words = words.into_iter().map(|line| (line, None));
        std::iter::once((job_line(job, theme, width), style)).chain(words).collect::<Vec<_>>()
    };
    let rows = jobs.iter().enumerate().skip(top).take(height).flat_map(of_job);
    for (y, (line, style)) in rows.enumerate() {
        put_row(line, style, inner, y as u16, buffer);
    }
}

/// Draws one row: ` running  judging codex-p12, by stub m-1   ███······· 7/24  4.4k tokens  0.0312 USD  2 min `
fn job_line(job: &JobRow, theme: Theme, width: usize) -> Line<'static> {
    let meaning = match job.state {
        JobState::Running => Meaning::Playing,
        JobState::Waiting | JobState::Stopped => Meaning::Warning,
        JobState::Ended => Meaning::Added,
        JobState::Failed => Meaning::Error,
    };
    let mut right = progress_spans(job, theme, width);
    right.push(Span::raw(" "));
    let state =
        trusted_span(format!(" {:<STATE_WIDTH$}", job.state.word()), theme.style_for(meaning));
    let room = width.saturating_sub(spans_width(&right) + STATE_WIDTH + 2);
    let what = fit_spans(vec![recorded_span(&job.what, theme.style_for(Meaning::Text))], room);
    left_and_right(std::iter::once(state).chain(what).collect(), right, width)
}

/// Returns progress, cost and duration; unknown parts are left out.
fn progress_spans(job: &JobRow, theme: Theme, width: usize) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let mut spans = vec![];
    if let Some((done, all)) = job.progress {
        if width >= MIN_BAR_SCREEN {
            let full = (done * BAR_WIDTH).checked_div(all).unwrap_or_default().min(BAR_WIDTH);
            let bar = "█".repeat(full) + &"·".repeat(BAR_WIDTH - full);
            spans.push(trusted_span(bar, theme.style_for(Meaning::Playing)));
        }
        spans.push(trusted_span(format!(" {done}/{all}"), theme.style_for(Meaning::Title)));
    }
    let tokens = job.tokens.filter(|_| width >= MIN_BAR_SCREEN);
    let tokens = tokens.map(|it| format!("  {} tokens", format_number::short_count(it)));
    let cost = job.cost.map(|it| format!("  {}", format_number::dollars_text(it)));
    let time = job
        .seconds
        .filter(|it| *it >= 1.0)
        .map(|it| format!("  {}", format_number::duration_text(it)));
    spans
        .extend([tokens, cost, time].into_iter().flatten().map(|words| trusted_span(words, muted)));
    spans
}

fn sentence_lines(words: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let rows = wrap_line(words, width.saturating_sub(STATE_WIDTH + 2).max(1)).into_iter().take(3);
    let blank = " ".repeat(STATE_WIDTH + 1);
    rows.map(|range| {
        Line::from(vec![
            trusted_span(blank.clone(), muted),
            recorded_span(words[range].trim_end(), muted),
        ])
    })
    .collect()
}
