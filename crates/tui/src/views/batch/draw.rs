//! A line of what all runs come to, a row a run, what is to be known of the chosen one, and the keys.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::widgets::{
    line::{fit_spans, left_and_right, recorded_span, spans_width, trusted_span},
    panel::{draw_sentence, put_row},
    theme::{Meaning, Theme},
};
use trajview_metrics::{Number, numbers::NumberStyle};
use trajview_run::{
    batch::{BatchRow, BatchState, BatchUsage},
    format_number::{count_with_noun, dollars_text, duration_text, short_count},
};

use super::{BATCH_KEYS, BatchTable};

/// Rows that hold no run.
pub(crate) const ROWS_AROUND_LIST: u16 = 4;

/// A column of the table: its title, its width in cells, and the screen width from which it is shown.
struct BatchColumn {
    head: &'static str,
    width: usize,
    /// Columns of the terminal from which on it is shown.
    shown_from_width: u16,
    cell: fn(&BatchRow) -> Option<String>,
}

const BATCH_COLUMNS: [BatchColumn; 8] = [
    BatchColumn { head: "turns", width: 7, shown_from_width: 0, cell: |row| Some(turns_cell(row)) },
    BatchColumn {
        head: "time",
        width: 7,
        shown_from_width: 0,
        cell: |row| time_cell(row.progress.used),
    },
    BatchColumn {
        head: "tokens",
        width: 6,
        shown_from_width: 60,
        cell: |row| row.progress.used.tokens.total().map(short_count),
    },
    BatchColumn {
        head: "cost",
        width: 7,
        shown_from_width: 70,
        cell: |row| row.progress.used.cost_usd.map(dollars_text),
    },
    BatchColumn {
        head: "failed",
        width: 6,
        shown_from_width: 100,
        cell: |row| nonzero_text(row.progress.failures),
    },
    BatchColumn {
        head: "tests",
        width: 7,
        shown_from_width: 100,
        cell: |row| row.tests.map(|(passed, all)| format!("{passed}/{all}")),
    },
    BatchColumn {
        head: "erosion",
        width: 7,
        shown_from_width: 110,
        cell: |row| score_cell(row, "erosion"),
    },
    BatchColumn {
        head: "mcf",
        width: 5,
        shown_from_width: 110,
        cell: |row| score_cell(row, "mcf"),
    },
];

const STATE_CELLS: usize = 9;

fn nonzero_text(count: usize) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

fn turns_cell(row: &BatchRow) -> String {
    format!("{}/{}", row.progress.turns, row.progress.requests)
}

fn time_cell(used: BatchUsage) -> Option<String> {
    (used.seconds > 0.0).then(|| duration_text(used.seconds))
}

/// Returns the last one that there is.
fn score_cell(row: &BatchRow, number: &str) -> Option<String> {
    let last =
        row.scores.iter().rev().find(|score| score.number == number && score.value.is_some());
    let value = last.and_then(|score| score.value)?;
    Some(Number::find_by_id(number)?.format_value(value, NumberStyle::Digits(3)))
}

/// Returns the area of the runs within the screen.
pub(super) fn list_area(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(ROWS_AROUND_LIST), ..area }
}

pub fn draw_batch(table: &BatchTable, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let row = |y: u16| Rect { y: area.y + y.min(area.height.saturating_sub(1)), height: 1, ..area };
    put_row(batch_title(table, theme, area.width), None, row(0), 0, buffer);
    put_row(heading_line(theme, area.width), None, row(1), 0, buffer);
    if table.rows.is_empty() {
        draw_sentence(
            "this shard has no runs",
            theme.style_for(Meaning::Muted),
            list_area(area),
            buffer,
        );
    }
    let (list, chosen) = (&table.list, theme.style_for(Meaning::Selected));
    list.draw_rows(Some(chosen), theme, buffer, |at| {
        batch_row_line(&table.rows[at], at == list.cursor(), theme, area.width)
    });
    if area.height >= ROWS_AROUND_LIST {
        put_row(about_line(table, theme, area.width), None, row(area.height - 2), 0, buffer);
        put_row(keys_line(table, theme, area.width), None, row(area.height - 1), 0, buffer);
    }
}

/// Returns `24 runs in runs: 3 done, 4 running · 1.2M tokens · $0.50 · 12m 30s`.
fn batch_title(table: &BatchTable, theme: Theme, width: u16) -> Line<'static> {
    let states = STATE_ORDER.into_iter().filter_map(|state| {
        let count = table.count_in_state(state);
        (count > 0).then(|| format!("{count} {}", state_words(state)))
    });
    let states: Vec<String> = states.collect();
    let used =
        table.rows.iter().fold(BatchUsage::default(), |sum, row| sum.plus_usage(row.progress.used));
    let facts = [
        used.tokens.total().map(|it| format!("{} tokens", short_count(it))),
        used.cost_usd.map(dollars_text),
        time_cell(used),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let runs = count_with_noun(table.rows.len(), "run");
    let paused = if table.is_paused { "paused · " } else { "" };
    let left = vec![
        trusted_span(format!(" {paused}{runs}"), theme.style_for(Meaning::Title)),
        trusted_span(format!(": {}", states.join(", ")), theme.style_for(Meaning::Text)),
    ];
    let right =
        vec![trusted_span(format!("{} ", facts.join(" · ")), theme.style_for(Meaning::Muted))];
    let fits = spans_width(&left) + 1 + spans_width(&right) <= usize::from(width);
    left_and_right(left, if fits { right } else { vec![] }, usize::from(width))
}

/// States in the order of their urgency.
const STATE_ORDER: [BatchState; 9] = [
    BatchState::Done,
    BatchState::Failed,
    BatchState::Stopped,
    BatchState::Budget,
    BatchState::Running,
    BatchState::Judging,
    BatchState::Resting,
    BatchState::Elsewhere,
    BatchState::Waiting,
];

/// Returns the state as it is read by a person.
const fn state_words(state: BatchState) -> &'static str {
    match state {
        BatchState::Budget => "at a limit",
        _ => state.word(),
    }
}

fn fitting_columns(width: u16) -> impl Iterator<Item = &'static BatchColumn> {
    BATCH_COLUMNS.iter().filter(move |column| column.shown_from_width <= width)
}

fn heading_line(theme: Theme, width: u16) -> Line<'static> {
    let mut words = format!("  {:STATE_CELLS$}", "state");
    for column in fitting_columns(width) {
        words += &format!(" {:>1$}", column.head, column.width);
    }
    words += "  run";
    Line::from(fit_spans(
        vec![trusted_span(words, theme.style_for(Meaning::Heading))],
        usize::from(width),
    ))
}

fn batch_row_line(row: &BatchRow, is_chosen: bool, theme: Theme, width: u16) -> Line<'static> {
    let state = row.progress.state;
    let meaning = match state {
        BatchState::Done => Meaning::Added,
        BatchState::Running | BatchState::Judging => Meaning::Playing,
        BatchState::Failed => Meaning::Error,
        BatchState::Stopped | BatchState::Budget | BatchState::Resting => Meaning::Warning,
        BatchState::Waiting | BatchState::Elsewhere => Meaning::Muted,
    };
    let mark = if is_chosen { "▌ " } else { "  " };
    let mut spans = vec![
        trusted_span(mark, theme.style_for(Meaning::FocusedBorder)),
        trusted_span(format!("{:STATE_CELLS$}", state.word()), theme.style_for(meaning)),
    ];
    for column in fitting_columns(width) {
        let cell = (column.cell)(row).unwrap_or_else(|| "-".into());
        spans.push(trusted_span(
            format!(" {cell:>0$}", column.width),
            theme.style_for(Meaning::Text),
        ));
    }
    spans.push(Span::raw("  "));
    spans.push(recorded_span(&run_label(row), theme.style_for(Meaning::Text)));
    Line::from(fit_spans(spans, usize::from(width)))
}

/// Returns `ppdiff codex gpt-5.5 emergent 1`.
fn run_label(row: &BatchRow) -> String {
    let combination = &row.combination;
    let model = combination.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
    format!(
        "{} {}{model} {} {}",
        combination.script, combination.agent, combination.condition, combination.repeat
    )
}

/// Returns the last notice, or else the reason for the state of the chosen run.
fn about_line(table: &BatchTable, theme: Theme, width: u16) -> Line<'static> {
    let row = table.chosen_row();
    let why = row.and_then(|row| row.progress.why.clone());
    let spans = match (&table.notice, why, row) {
        (Some(said), _, _) => {
            vec![trusted_span(format!(" {said}"), theme.style_for(Meaning::Warning))]
        }
        (None, Some(why), _) => {
            vec![recorded_span(&format!(" {why}"), theme.style_for(Meaning::Text))]
        }
        (None, None, Some(row)) => {
            vec![recorded_span(&format!(" {}", row.folder), theme.style_for(Meaning::Muted))]
        }
        (None, None, None) => vec![],
    };
    Line::from(fit_spans(spans, usize::from(width)))
}

fn keys_line(table: &BatchTable, theme: Theme, width: u16) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = vec![];
    for (key, does) in BATCH_KEYS {
        let does = if key == "space" && table.is_paused { "resume" } else { does };
        let next = vec![
            trusted_span(format!(" {key}"), theme.style_for(Meaning::Key)),
            trusted_span(format!(" {does} "), theme.style_for(Meaning::Muted)),
        ];
        if spans_width(&spans) + spans_width(&next) > usize::from(width) {
            continue;
        }
        spans.extend(next);
    }
    Line::from(spans)
}
