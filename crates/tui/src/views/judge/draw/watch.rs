//! A judging: how far it is, its components, the calls as they happen, and everything about one component.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        judging::{Given, How, Outcome},
    },
    views::{
        judge::{
            Judging, Part,
            areas::Areas,
            rows::Row,
            watched::{Call, Entry, State, Watched},
        },
        verdict::{arguments, level},
    },
    widgets::{
        line::{fit, fit_end, own, recorded, safe, sides, width_of},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_run::{figures, flags::Counts, rubric::CANNOT_TELL};

use super::put_lines;

/// The fewest cells of an id.
const ID: usize = 5;

/// Cells of the bar.
const BAR: usize = 20;

pub fn draw(
    view: &Judging,
    session: &Session,
    is_focused: bool,
    theme: Theme,
    areas: &Areas,
    buffer: &mut Buffer,
) {
    let Some(watched) = &view.watched else { return };
    put_lines(head(watched, theme, areas), areas.head, buffer);
    let judging = view;
    let chosen = |part| {
        let has = is_focused && judging.part == part;
        theme.of(if has { Meaning::Selected } else { Meaning::Marked })
    };
    let rows = judging.rows;
    let seen = watched.entries.iter().enumerate().skip(rows.top).take(areas.list_height());
    for (at, entry) in seen {
        let style = (at == rows.cursor).then_some(chosen(Part::Components));
        let line = component(entry, view, session, watched, theme, areas.width());
        put_row(line, style, areas.list, (at - rows.top) as u16, buffer);
    }
    calls(view, watched, theme, areas, buffer);
    let calls = judging.calls;
    if is_focused && judging.part == Part::Calls && !watched.calls.is_empty() {
        let y = (calls.cursor.saturating_sub(calls.top) + 1) as u16;
        let line = call_of(
            &watched.calls[calls.cursor.min(watched.calls.len() - 1)],
            id_cells(watched),
            theme,
            areas.width(),
        );
        put_row(line, Some(theme.of(Meaning::Selected)), areas.below, y, buffer);
    }
}

pub fn draw_detail(
    view: &Judging,
    session: &Session,
    theme: Theme,
    areas: &Areas,
    buffer: &mut Buffer,
) {
    let Some(watched) = &view.watched else { return };
    put_lines(head(watched, theme, areas), areas.head, buffer);
    let rows = view.entry_rows(session, areas);
    let top = view.words.top;
    let lines = rows.iter().skip(top).map(|row| said(row, theme, areas.width()));
    put_lines(lines, areas.list, buffer);
    let seen = areas.pane;
    let hidden =
        Rect { y: seen.y + areas.head.height, height: seen.height - areas.head.height, ..seen };
    crate::widgets::panel::position(top, rows.len(), theme, hidden, buffer);
}

/// How far it is, what it took, where it goes, and how it ended.
fn head(watched: &Watched, theme: Theme, areas: &Areas) -> Vec<Line<'static>> {
    let (muted, plain) = (theme.of(Meaning::Muted), theme.of(Meaning::Text));
    let width = areas.width();
    let mut lines = vec![progress(watched, theme, width)];
    let facts = took(watched, plain, muted);
    lines.push(Line::from(fit(facts, width)));
    if !watched.panel.is_empty() {
        lines.push(judges(watched, theme, width));
    }
    match &watched.outcome {
        None => {
            let words = match &watched.file {
                None => "the judging begins".into(),
                Some(file) => format!("judgements/{}", file.name),
            };
            let words = fit_end(&safe(&words), width.saturating_sub(1));
            lines.push(Line::from(vec![own(" ", muted), own(words, muted)]));
        }
        Some(outcome) => lines.extend(ended(outcome, theme, width).into_iter().take(2)),
    }
    lines
}

/// ` ▸gpt 7/24 · 0.12 USD   claude 3/24`: each judge of a panel, the one that is looked at first.
fn judges(watched: &Watched, theme: Theme, width: usize) -> Line<'static> {
    let mut names: Vec<&Watched> = watched.all().collect();
    names.sort_by_key(|it| it.judge.clone());
    let mut spans = vec![];
    for it in names {
        let is_looked_at = it.judge == watched.judge;
        let (sign, meaning) =
            if is_looked_at { (" ▸", Meaning::Title) } else { ("  ", Meaning::Muted) };
        let (done, total) = it.own_progress();
        let spent = it.spent.map(|spent| format!(" {}", figures::dollars(spent)));
        spans.push(own(sign, theme.of(Meaning::Key)));
        spans.push(recorded(&it.judge, theme.of(meaning)));
        let words = format!(" {done}/{total}{} ", spent.unwrap_or_default());
        spans.push(own(words, theme.of(meaning)));
    }
    spans.push(own("  f the next", theme.of(Meaning::Muted)));
    Line::from(fit(spans, width))
}

/// ` ████████░░░░ 7/24 · 3.1 a minute · 5 min left`
fn progress(watched: &Watched, theme: Theme, width: usize) -> Line<'static> {
    let (done, total) = watched.progress();
    let cells = BAR.min(width / 3);
    let full = (done * cells).checked_div(total).unwrap_or_default().min(cells);
    let bar = "█".repeat(full) + &"·".repeat(cells - full);
    let mut spans = vec![
        own(" ", theme.of(Meaning::Text)),
        own(bar, theme.of(Meaning::Playing)),
        own(format!(" {done}/{total}"), theme.of(Meaning::Title)),
    ];
    if watched.is_under_way() {
        let rate = watched.rate().map(|rate| format!(" · {} a minute", figures::tenths(rate)));
        let left = watched.left().map(|left| format!(" · {} left", figures::duration(left)));
        let stopping = watched.is_stopping.then(|| " · stopping".to_owned());
        let words: String = [rate, left, stopping].into_iter().flatten().collect();
        spans.push(own(words, theme.of(Meaning::Muted)));
    }
    Line::from(fit(spans, width))
}

fn took(
    watched: &Watched,
    plain: ratatui::style::Style,
    muted: ratatui::style::Style,
) -> Vec<Span<'static>> {
    let tokens = match watched.all_tokens() {
        Some(tokens) => format!(" {} tokens", figures::short(tokens)),
        None => " no tokens told so far".into(),
    };
    let cost =
        watched.all_spent().map(|it| format!(" · {}", figures::dollars(it))).unwrap_or_default();
    let time = match watched.seconds {
        seconds if seconds >= 1.0 => format!(" · {}", figures::duration(seconds)),
        _ => String::new(),
    };
    vec![own(tokens, plain), own(cost, plain), own(time, muted)]
}

fn ended(outcome: &Outcome, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let meaning = match outcome.how {
        How::Finished => Meaning::Added,
        How::Stopped => Meaning::Warning,
        How::Failed => Meaning::Error,
    };
    let mut words = outcome.words.clone();
    if outcome.how == How::Finished {
        let files: Vec<&str> = outcome.files.iter().map(|(name, _)| name.as_str()).collect();
        match files.as_slice() {
            [] => {}
            [one] => words.push_str(&format!(": judgements/{one}")),
            [.., last] => {
                words.push_str(&format!(", in {} files, the last {last}", files.len()));
            }
        }
    }
    let rows = wrap(&words, width.saturating_sub(2));
    rows.into_iter()
        .map(|range| {
            Line::from(vec![
                own(" ", theme.of(meaning)),
                recorded(&words[range], theme.of(meaning)),
            ])
        })
        .collect()
}

/// Cells of the longest id and a gap.
fn id_cells(watched: &Watched) -> usize {
    let longest = watched.entries.iter().map(|it| it.id.chars().count()).max();
    ID.max(longest.unwrap_or_default() + 2)
}

/// ` C07  Joint loss           ██·· 2 Simplified`, ` shape  Mixed levels, …   3 flags (1 carried)`
fn component(
    entry: &Entry,
    view: &Judging,
    session: &Session,
    watched: &Watched,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let id = id_cells(watched);
    let right = standing(entry, view, session, watched, theme);
    let right = fit(right, (width * 3 / 5).max(24).min(width.saturating_sub(id + 2)));
    let room = width.saturating_sub(width_of(&right) + 2);
    let left = vec![
        recorded(&format!(" {:<id$}", entry.id), theme.of(Meaning::Muted)),
        recorded(&entry.name, theme.of(Meaning::Text)),
    ];
    let mut line = sides(fit(left, room), right, width.saturating_sub(1));
    line.spans.push(Span::raw(" "));
    line
}

fn standing(
    entry: &Entry,
    view: &Judging,
    session: &Session,
    watched: &Watched,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (muted, warn) = (theme.of(Meaning::Muted), theme.of(Meaning::Warning));
    let mut spans = vec![];
    if !entry.before.is_empty() {
        let said = |given: &Option<Given>| match given {
            None => "–".into(),
            Some(Given::CannotTell) => "?".into(),
            Some(Given::Level(score)) => match view.levels() {
                levels if levels.in_words => levels.name(*score).unwrap_or_default().to_owned(),
                _ => score.to_string(),
            },
            Some(Given::Scores(words)) => words.clone(),
            Some(Given::Flags(counts)) => counts.all.to_string(),
        };
        let before: Vec<String> = entry.before.iter().map(said).collect();
        spans.push(own(format!("{} › ", before.join(" ")), muted));
    }
    match view.entry_state(session, entry) {
        State::Waiting if watched.is_under_way() => spans.push(own("waiting", muted)),
        State::Waiting => spans.push(own("not asked", muted)),
        State::Looking => {
            spans.push(own(
                format!("looks {}/{}", entry.looks(), watched.wish.budget),
                theme.of(Meaning::Playing),
            ));
            if let Some(call) = entry.last_call() {
                spans.push(own("  ", muted));
                spans.push(recorded(&call.look.tool, theme.of(Meaning::Hunk)));
            }
        }
        State::Retries { why, until } => {
            let left = (until - watched.seconds).max(0.0).ceil();
            spans.push(recorded(&format!("again in {left} s: {why}"), warn));
        }
        State::Done { given: Some(Given::Level(score)), .. } => {
            let levels = view.levels();
            let mut said = level(score, levels, theme);
            let longest = levels.names.iter().map(|it| it.len()).max().unwrap_or_default();
            let longest =
                longest + if levels.in_words { 0 } else { usize::from(levels.full()) + 3 };
            let blank = longest.saturating_sub(width_of(&said));
            said.push(own(" ".repeat(blank), muted));
            spans.extend(said);
        }
        State::Done { given: Some(Given::CannotTell), .. } => spans.push(own(CANNOT_TELL, warn)),
        State::Done { given: Some(Given::Scores(words)), .. } => {
            spans.push(recorded(&words, theme.of(Meaning::Text)));
        }
        State::Done { given: Some(Given::Flags(counts)), .. } => {
            spans.extend(flagged(counts, theme));
        }
        State::Done { given: None, error } => {
            let nothing = watched.wish.scale.nothing();
            spans.push(recorded(&format!("{nothing}: {error}"), warn));
        }
    }
    spans
}

/// `3 flags (1 carried)`
fn flagged(counts: Counts, theme: Theme) -> Vec<Span<'static>> {
    let all = match counts.all {
        1 => "1 flag".into(),
        all => format!("{all} flags"),
    };
    let meaning = if counts.all == 0 { Meaning::Muted } else { Meaning::Title };
    let carried = (counts.carried > 0).then(|| format!(" ({} carried)", counts.carried));
    let carried = carried.map(|words| own(words, theme.of(Meaning::Muted)));
    std::iter::once(own(all, theme.of(meaning))).chain(carried).collect()
}

fn calls(view: &Judging, watched: &Watched, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let words = format!("── calls ({}) ", watched.calls.len());
    let rest = "─".repeat(areas.width().saturating_sub(words.chars().count()));
    let rule = Line::styled(words + &rest, theme.of(Meaning::Border));
    let top = view.calls.top;
    let shown = watched.calls.iter().skip(top);
    let id = id_cells(watched);
    let shown = shown.map(|call| call_of(call, id, theme, areas.width()));
    put_lines(std::iter::once(rule).chain(shown), areas.below, buffer);
}

/// ` C07 read path src/joint.py  1.2 kB`
fn call_of(
    (component, call): &(String, Call),
    id: usize,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let head = vec![recorded(&format!(" {component:<id$}"), theme.of(Meaning::Muted))];
    called(head, call, theme, width)
}

fn called(head: Vec<Span<'static>>, call: &Call, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut left = head;
    left.push(recorded(&call.look.tool, theme.of(Meaning::Hunk)));
    left.push(recorded(&format!(" {}", arguments(&call.look.arguments)), plain));
    let right = match call.is_refused {
        true => vec![own("refused ", theme.of(Meaning::Warning))],
        false => {
            let size = call.look.bytes.map(figures::bytes).unwrap_or_default();
            vec![own(format!("{size} "), muted)]
        }
    };
    sides(left, right, width)
}

fn said(row: &Row, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut spans = match row {
        Row::Blank => vec![],
        Row::Heading(words) => vec![own(words.clone(), theme.of(Meaning::Heading))],
        Row::Score(score, levels) => level(*score, levels, theme),
        Row::Flags(counts) => flagged(*counts, theme),
        Row::Criterion(words) => vec![recorded(words, theme.of(Meaning::Heading))],
        Row::Words(words) => vec![recorded(words, plain)],
        Row::Note(words) => vec![own(words.clone(), muted)],
        Row::Problem(words) => vec![recorded(words, theme.of(Meaning::Warning))],
        Row::Evidence(evidence) => {
            let lines = match evidence.lines {
                Some((first, last)) if first == last => format!(":{first}"),
                Some((first, last)) => format!(":{first}–{last}"),
                None => String::new(),
            };
            let path =
                fit_end(&safe(&evidence.path), width.saturating_sub(lines.chars().count() + 3));
            vec![
                own("◆ ", theme.of(Meaning::Hunk)),
                own(path, plain),
                own(lines, theme.of(Meaning::Hunk)),
            ]
        }
        Row::Call(number, call) => {
            return called(vec![own(format!(" {number:>2} "), muted)], call, theme, width);
        }
        Row::Excerpt(words) => vec![own("  │ ", muted), recorded(words, muted)],
    };
    spans.insert(0, own(" ", plain));
    Line::from(fit(spans, width))
}
