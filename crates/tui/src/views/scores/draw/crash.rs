//! The card of a crash test, and the edit at the cursor with both verdicts.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::scores::{
        ScoresView,
        crash::{CardRow, CrashAreas, CrashView, DetailMeaning, level_text, unedited_trial},
    },
    widgets::{
        layout::ScreenLayout,
        line::{padded_spans, recorded_span, safe_string, trusted_span},
        panel::{PanelTitles, draw_sentence, panel_title_span, put_row},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number::{self, count_with_noun};
use trajview_study::{
    Interval,
    crash_test::{CrashReport, CrashShift, CrashVerdict},
};

/// Cells of the columns; the verdict has what is left.
const KIND_CELLS: usize = 19;
const COUNT_CELLS: usize = 5;
const SHIFT_CELLS: usize = 22;
const CHANGED_CELLS: usize = 22;
const DETECTABLE_CELLS: usize = 12;

/// From this width on the card has its intervals and the smallest effect.
const WIDE_FROM: u16 = 100;

pub(crate) fn draw_crash(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let view = &view.crash;
    let muted = theme.style_for(Meaning::Muted);
    let rows = view.card_rows(session);
    let areas = CrashAreas::for_layout(layout, rows.len(), view.is_in_detail);
    let Some(test) = view.shown_test(session) else {
        return draw_sentence(&why_empty(session), muted, layout.body, buffer);
    };
    if let Some(area) = areas.card {
        let title = format!("crash test of {}", safe_string(&test.judge));
        let is_focused = !view.is_in_detail;
        let titles = PanelTitles::from(panel_title_span(is_focused, &title, theme))
            .with_right(trusted_span(state_text(test, &title, area.width), muted));
        let inner = view.rows.draw_frame(titles, is_focused, theme, buffer);
        let is_wide = inner.width >= WIDE_FROM;
        put_row(head_line(is_wide, theme), None, inner, 0, buffer);
        view.rows.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |index| {
            row_line(&rows[index], test, is_wide, view, theme)
        });
    }
    if areas.detail.is_none() {
        return;
    }
    let title = match rows.get(view.rows.cursor()) {
        Some(CardRow::Trial(trial)) => format!("planted in {}", safe_string(&trial.component)),
        Some(CardRow::Kind(row)) => row.kind.word().to_owned(),
        Some(CardRow::Noise) | None => "this test".to_owned(),
    };
    let titles = PanelTitles::from(panel_title_span(view.is_in_detail, &title, theme));
    view.detail.draw_frame(titles, view.is_in_detail, theme, buffer);
    let lines = view.detail_lines();
    view.detail.draw_rows(None, theme, buffer, |index| {
        let (meaning, words) = &lines[index];
        let meaning = match meaning {
            DetailMeaning::Heading => Meaning::Heading,
            DetailMeaning::Text => Meaning::Text,
            DetailMeaning::Added => Meaning::Added,
            DetailMeaning::Removed => Meaning::Removed,
            DetailMeaning::Hunk => Meaning::Hunk,
        };
        Line::from(recorded_span(words, theme.style_for(meaning)))
    });
}

/// Returns ` 12 components · 132 of 132 verdicts · passes all 11 kinds `, without its beginning where the title leaves too little
/// room.
fn state_text(test: &CrashReport, title: &str, width: u16) -> String {
    let card = &test.card;
    let summary = if test.is_finished { card.summary_text() } else { "not finished".to_owned() };
    let counts = format!(
        "{} · {} of {}",
        count_with_noun(card.components, "component"),
        card.answered,
        count_with_noun(card.trials, "verdict")
    );
    let room = usize::from(width).saturating_sub(text::width(title) + 6);
    let texts = [format!(" {counts} · {summary} "), format!(" {summary} ")];
    texts.into_iter().find(|it| text::width(it) <= room).unwrap_or_default()
}

fn why_empty(session: &Session) -> String {
    match session.rubric.crash_tests.known_tests() {
        None => "reading the crash tests…".into(),
        Some(Err(why)) => safe_string(why),
        Some(Ok(_)) => {
            "no crash test of a judge of this run; `trajview judge RUN --judge NAME --crash-test` makes one".into()
        }
    }
}

fn head_line(is_wide: bool, theme: Theme) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let wide = |cells| if is_wide { cells } else { cells / 3 };
    let heads = [
        ("kind", KIND_CELLS),
        ("n", COUNT_CELLS),
        ("shift", wide(SHIFT_CELLS)),
        ("changed", wide(CHANGED_CELLS) + usize::from(!is_wide)),
        ("detectable", if is_wide { DETECTABLE_CELLS } else { 0 }),
        ("verdict", 30),
    ];
    let cells = heads.map(|(word, cells)| padded_spans(vec![trusted_span(word, muted)], cells));
    Line::from(cells.into_iter().flatten().collect::<Vec<_>>())
}

fn row_line(
    row: &CardRow<'_>,
    test: &CrashReport,
    is_wide: bool,
    view: &CrashView,
    theme: Theme,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let spans: Vec<Span<'static>> = match row {
        CardRow::Noise => {
            let kind = trusted_span("  repeat, no edit", muted);
            shift_spans(kind, &test.card.noise, is_wide, theme)
                .into_iter()
                .chain([trusted_span("the judge's own noise", muted)])
                .collect()
        }
        CardRow::Kind(row) => {
            let sign = if view.is_unfolded(row.kind) { "▾ " } else { "▸ " };
            let meaning = match row.verdict {
                CrashVerdict::Moves | CrashVerdict::DoesNotMove => Meaning::Error,
                CrashVerdict::Passes => Meaning::Added,
                CrashVerdict::TooSmall => Meaning::Warning,
                CrashVerdict::NotApplicable => Meaning::Muted,
            };
            let kind = trusted_span(format!("{sign}{}", row.kind.word()), plain);
            let verdict = trusted_span(row.verdict.words(), theme.style_for(meaning));
            shift_spans(kind, &row.shift, is_wide, theme).into_iter().chain([verdict]).collect()
        }
        CardRow::Trial(trial) => {
            let id =
                recorded_span(&format!("    {}", trial.component), theme.style_for(Meaning::Key));
            let words = match &trial.not_applicable {
                Some(why) => recorded_span(&format!("not planted: {why}"), muted),
                None => {
                    let before = unedited_trial(test, &trial.component);
                    let before = level_text(before.and_then(|it| it.answer.as_ref()));
                    let after = level_text(trial.answer.as_ref());
                    let summary = trial.summary.as_deref().unwrap_or_default();
                    recorded_span(&format!("{before} → {after}  {summary}"), plain)
                }
            };
            padded_spans(vec![id], KIND_CELLS).into_iter().chain([words]).collect()
        }
    };
    Line::from(spans)
}

/// Returns a row with the kind and the numbers of a shift, padded to the columns.
fn shift_spans(
    kind: Span<'static>,
    shift: &CrashShift,
    is_wide: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let style = theme.style_for(Meaning::Text);
    let number = |it: Option<f64>| {
        it.map_or_else(
            || format_number::MISSING_SIGN.to_owned(),
            |it| format_number::with_decimals(it, 2),
        )
    };
    let with_interval = |it: Option<f64>, interval: Option<Interval>| match interval {
        Some(at) if is_wide => {
            format!("{} [{}, {}]", number(it), number(Some(at.low)), number(Some(at.high)))
        }
        _ => number(it),
    };
    let wide = |cells| if is_wide { cells } else { cells / 3 };
    let cells = [
        (shift.counted.to_string(), COUNT_CELLS),
        (with_interval(shift.shift, shift.shift_interval), wide(SHIFT_CELLS)),
        (
            with_interval(shift.changed_share(), shift.changed_interval),
            wide(CHANGED_CELLS) + usize::from(!is_wide),
        ),
        (number(shift.detectable), if is_wide { DETECTABLE_CELLS } else { 0 }),
    ];
    let mut spans = padded_spans(vec![kind], KIND_CELLS);
    for (words, width) in cells {
        spans.extend(padded_spans(vec![trusted_span(words, style)], width));
    }
    spans
}
