//! Draws the list of everything that was started from the screen.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    session::context::KeyContext,
    shell::{
        App,
        jobs::job_list::{JobRow, JobState},
    },
    widgets::{
        layout::{ScreenLayout, inside_border},
        line::{fit_spans, left_and_right, recorded_span, spans_width, trusted_span},
        mouse::Mouse,
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

/// The places of the rows on the screen.
struct ListAreas {
    frame: Rect,
    inner: Rect,
    /// The first job on the screen.
    top: usize,
    cursor: usize,
    /// The rows of the sentence below the job at the cursor.
    sentence: usize,
}

impl ListAreas {
    fn new(jobs: &[JobRow], cursor: usize, layout: &ScreenLayout) -> Self {
        let width = usize::from(layout.overlay_area().width.saturating_sub(2));
        let sentence = jobs.get(cursor).map_or(0, |job| sentence_rows(&job.words, width).len());
        let frame = layout.box_area(jobs.len().max(1) + sentence);
        let inner = inside_border(frame);
        let height = usize::from(inner.height).saturating_sub(sentence).max(1);
        Self { frame, inner, top: (cursor + 1).saturating_sub(height), cursor, sentence }
    }

    /// Returns the job of a row; rows below the job at the cursor are its sentence.
    fn job_of_row(&self, row: usize) -> usize {
        let row = self.top + row;
        if row <= self.cursor { row } else { row.saturating_sub(self.sentence).max(self.cursor) }
    }
}

/// What is under the mouse while the list is on the screen.
pub(crate) enum UnderMouse {
    Job(usize),
    Nothing,
    Outside,
}

/// Returns what is under the mouse; None without a list.
pub(crate) fn under_mouse(app: &App, mouse: Mouse, layout: &ScreenLayout) -> Option<UnderMouse> {
    let list = app.jobs.list.as_ref()?;
    let jobs = app.jobs.all_jobs(&app.screens);
    let areas = ListAreas::new(&jobs, list.rows.cursor(), layout);
    if !mouse.is_in(areas.frame) {
        return Some(UnderMouse::Outside);
    }
    let row = mouse.is_in(areas.inner).then(|| usize::from(mouse.row - areas.inner.y));
    let job = row.map(|row| areas.job_of_row(row)).filter(|job| *job < jobs.len());
    Some(job.map_or(UnderMouse::Nothing, UnderMouse::Job))
}

pub fn draw(app: &App, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    let Some(list) = &app.jobs.list else { return };
    let jobs = app.jobs.all_jobs(&app.screens);
    let ListAreas { frame, inner, top, cursor, .. } =
        ListAreas::new(&jobs, list.rows.cursor(), layout);
    let width = usize::from(inner.width);
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(Line::styled(" jobs ", theme.style_for(Meaning::Title)));
    Clear.render(frame, buffer);
    block.render(frame, buffer);
    if jobs.is_empty() {
        let key = |id| app.shell.keys.key_text(KeyContext::InRun, id);
        let words =
            format!(" No jobs. {}: ask a judge · {}: re-score", key("judge"), key("rescore"));
        let line = Line::styled(words, theme.style_for(Meaning::Muted));
        return put_row(line, None, inner, 0, buffer);
    }
    let of_job = |(at, job): (usize, &JobRow)| {
        let is_chosen = at == cursor;
        let style = is_chosen.then(|| theme.style_for(Meaning::Selected));
        let words = if is_chosen { sentence_lines(&job.words, theme, width) } else { vec![] };
        let words = words.into_iter().map(|line| (line, None));
        std::iter::once((job_line(job, theme, width), style)).chain(words).collect::<Vec<_>>()
    };
    let rows = jobs.iter().enumerate().skip(top).flat_map(of_job);
    for (y, (line, style)) in rows.take(usize::from(inner.height)).enumerate() {
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
    let blank = " ".repeat(STATE_WIDTH + 1);
    let row = |words: &str| {
        Line::from(vec![trusted_span(blank.clone(), muted), recorded_span(words, muted)])
    };
    sentence_rows(words, width).into_iter().map(row).collect()
}

/// Returns up to three rows of a sentence about a job; none of an empty one.
fn sentence_rows(words: &str, width: usize) -> Vec<&str> {
    if words.is_empty() {
        return vec![];
    }
    let rows = wrap_line(words, width.saturating_sub(STATE_WIDTH + 2).max(1)).into_iter().take(3);
    rows.map(|range| words[range].trim_end()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_on_a_long_sentence_of_the_first_job_is_on_that_job() {
        let areas = ListAreas {
            frame: Rect::default(),
            inner: Rect::default(),
            top: 0,
            cursor: 0,
            sentence: 3,
        };

        let jobs: Vec<usize> = (0..6).map(|row| areas.job_of_row(row)).collect();
        assert_eq!(jobs, [0, 0, 0, 0, 1, 2]);
    }
}
