//! The list of everything that was begun from the screen.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::{
        App,
        jobs::list::{Job, State},
    },
    widgets::{
        layout::Layout,
        line::{fit, own, recorded, sides, width_of},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_run::figures;

/// Cells of the state.
const STATE: usize = 9;

/// Cells of a bar.
const BAR: usize = 10;

/// Less wide than this there is no room for bars.
const NARROW: usize = 80;

const NOTHING: &str = "Nothing was begun yet: r asks a judge, U measures again.";

pub fn draw(app: &App, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let Some(list) = &app.jobs.list else { return };
    let jobs = app.jobs.all(&app.screens);
    let width = usize::from(layout.overlay().width.saturating_sub(2));
    let below = jobs.get(list.rows.cursor).map(|it| it.words.as_str());
    let below = below.filter(|words| !words.is_empty());
    let below = below.map(|words| sentence(words, theme, width)).unwrap_or_default();
    let area = layout.box_of(jobs.len().max(1) + below.len());
    let block = Block::bordered()
        .border_style(theme.of(Meaning::FocusedBorder))
        .title(Line::styled(" jobs ", theme.of(Meaning::Title)));
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    if jobs.is_empty() {
        let line = Line::styled(format!(" {NOTHING}"), theme.of(Meaning::Muted));
        return put_row(line, None, inner, 0, buffer);
    }
    let height = usize::from(inner.height).saturating_sub(below.len()).max(1);
    let top = (list.rows.cursor + 1).saturating_sub(height);
    let of_job = |(at, job): (usize, &Job)| {
        let is_chosen = at == list.rows.cursor;
        let style = is_chosen.then(|| theme.of(Meaning::Selected));
        let words = if is_chosen { below.clone() } else { vec![] };
        let words = words.into_iter().map(|line| (line, None));
        std::iter::once((row(job, theme, width), style)).chain(words).collect::<Vec<_>>()
    };
    let rows = jobs.iter().enumerate().skip(top).take(height).flat_map(of_job);
    for (y, (line, style)) in rows.enumerate() {
        put_row(line, style, inner, y as u16, buffer);
    }
}

/// ` running  judging codex-p12, by stub m-1   ███······· 7/24  4.4k tokens  0.0312 USD  2 min `
fn row(job: &Job, theme: Theme, width: usize) -> Line<'static> {
    let meaning = match job.state {
        State::Running => Meaning::Playing,
        State::Waiting | State::Stopped => Meaning::Warning,
        State::Ended => Meaning::Added,
        State::Failed => Meaning::Error,
    };
    let mut right = took(job, theme, width);
    right.push(Span::raw(" "));
    let state = own(format!(" {:<STATE$}", job.state.word()), theme.of(meaning));
    let room = width.saturating_sub(width_of(&right) + STATE + 2);
    let what = fit(vec![recorded(&job.what, theme.of(Meaning::Text))], room);
    sides(std::iter::once(state).chain(what).collect(), right, width)
}

/// How far it is, what it cost, and for how long it has gone on; what nobody knows is left out.
fn took(job: &Job, theme: Theme, width: usize) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    let mut spans = vec![];
    if let Some((done, all)) = job.progress {
        if width >= NARROW {
            let full = (done * BAR).checked_div(all).unwrap_or_default().min(BAR);
            let bar = "█".repeat(full) + &"·".repeat(BAR - full);
            spans.push(own(bar, theme.of(Meaning::Playing)));
        }
        spans.push(own(format!(" {done}/{all}"), theme.of(Meaning::Title)));
    }
    let tokens = job.tokens.filter(|_| width >= NARROW);
    let tokens = tokens.map(|it| format!("  {} tokens", figures::short(it)));
    let cost = job.cost.map(|it| format!("  {}", figures::dollars(it)));
    let time = job.seconds.filter(|it| *it >= 1.0).map(|it| format!("  {}", figures::duration(it)));
    spans.extend([tokens, cost, time].into_iter().flatten().map(|words| own(words, muted)));
    spans
}

fn sentence(words: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let muted = theme.of(Meaning::Muted);
    let rows = wrap(words, width.saturating_sub(STATE + 2).max(1)).into_iter().take(3);
    let blank = " ".repeat(STATE + 1);
    rows.map(|range| {
        Line::from(vec![own(blank.clone(), muted), recorded(words[range].trim_end(), muted)])
    })
    .collect()
}
