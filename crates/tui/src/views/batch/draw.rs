//! A line of what all runs come to, a row a run, what is to be known of the chosen one, and the keys.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::widgets::{
    line::{fit, own, recorded, sides, width_of},
    panel::{put_row, sentence},
    theme::{Meaning, Theme},
};
use trajview_metrics::{Number, numbers::Style};
use trajview_run::{
    batch::{BatchRow, BatchState, Used},
    figures::{counted, dollars, duration, short},
};

use super::{BatchTable, KEYS};

/// Rows that hold no run.
pub const AROUND: u16 = 4;

/// A column: its head, its width, and whether it stands at the right.
struct Column {
    head: &'static str,
    width: usize,
    /// Columns of the terminal from which on it is shown.
    from: u16,
    cell: fn(&BatchRow) -> Option<String>,
}

const COLUMNS: [Column; 8] = [
    Column { head: "turns", width: 7, from: 0, cell: |row| Some(turns(row)) },
    Column { head: "time", width: 7, from: 0, cell: |row| time(row.progress.used) },
    Column {
        head: "tokens",
        width: 6,
        from: 60,
        cell: |row| row.progress.used.tokens.total().map(short),
    },
    Column {
        head: "cost",
        width: 7,
        from: 70,
        cell: |row| row.progress.used.cost_usd.map(dollars),
    },
    Column { head: "failed", width: 6, from: 100, cell: |row| some(row.progress.failures) },
    Column {
        head: "tests",
        width: 7,
        from: 100,
        cell: |row| row.tests.map(|(passed, all)| format!("{passed}/{all}")),
    },
    Column { head: "erosion", width: 7, from: 110, cell: |row| score(row, "erosion") },
    Column { head: "mcf", width: 5, from: 110, cell: |row| score(row, "mcf") },
];

const STATE: usize = 9;

fn some(count: usize) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

fn turns(row: &BatchRow) -> String {
    format!("{}/{}", row.progress.turns, row.progress.requests)
}

fn time(used: Used) -> Option<String> {
    (used.seconds > 0.0).then(|| duration(used.seconds))
}

/// The last one that there is.
fn score(row: &BatchRow, number: &str) -> Option<String> {
    let last =
        row.scores.iter().rev().find(|score| score.number == number && score.value.is_some());
    let value = last.and_then(|score| score.value)?;
    Some(Number::find(number)?.written(value, Style::Digits(3)))
}

pub fn draw(table: &BatchTable, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let row = |y: u16| Rect { y: area.y + y.min(area.height.saturating_sub(1)), height: 1, ..area };
    put_row(title(table, theme, area.width), None, row(0), 0, buffer);
    put_row(head(theme, area.width), None, row(1), 0, buffer);
    let list = Rect { y: area.y + 2, height: area.height.saturating_sub(AROUND), ..area };
    if table.rows.is_empty() {
        sentence(
            "no run of the plan belongs to this shard",
            theme.of(Meaning::Muted),
            list,
            buffer,
        );
    }
    let shown = table.rows.iter().enumerate().skip(table.scroll.top);
    for (y, (at, run)) in (0..list.height).zip(shown) {
        let is_chosen = at == table.scroll.cursor;
        let style = is_chosen.then(|| theme.of(Meaning::Selected));
        put_row(line(run, is_chosen, theme, area.width), style, list, y, buffer);
    }
    if area.height >= AROUND {
        put_row(about(table, theme, area.width), None, row(area.height - 2), 0, buffer);
        put_row(keys(table, theme, area.width), None, row(area.height - 1), 0, buffer);
    }
}

/// `24 runs in runs: 3 done, 4 running · 1.2M tokens · $0.50 · 12m 30s`
fn title(table: &BatchTable, theme: Theme, width: u16) -> Line<'static> {
    let states = ORDER.into_iter().filter_map(|state| {
        let count = table.count(state);
        (count > 0).then(|| format!("{count} {}", words(state)))
    });
    let states: Vec<String> = states.collect();
    let used = table.rows.iter().fold(Used::default(), |sum, row| sum.and(row.progress.used));
    let facts = [
        used.tokens.total().map(|it| format!("{} tokens", short(it))),
        used.cost_usd.map(dollars),
        time(used),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let runs = counted(table.rows.len(), "run");
    let paused = if table.is_paused { "paused · " } else { "" };
    let left = vec![
        own(format!(" {paused}{runs}"), theme.of(Meaning::Title)),
        own(format!(": {}", states.join(", ")), theme.of(Meaning::Text)),
    ];
    let right = vec![own(format!("{} ", facts.join(" · ")), theme.of(Meaning::Muted))];
    let fits = width_of(&left) + 1 + width_of(&right) <= usize::from(width);
    sides(left, if fits { right } else { vec![] }, usize::from(width))
}

/// What has to be known first comes first.
const ORDER: [BatchState; 9] = [
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

/// The state as it is read by a person.
const fn words(state: BatchState) -> &'static str {
    match state {
        BatchState::Budget => "at a limit",
        _ => state.word(),
    }
}

fn columns(width: u16) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(move |column| column.from <= width)
}

fn head(theme: Theme, width: u16) -> Line<'static> {
    let mut words = format!("  {:STATE$}", "state");
    for column in columns(width) {
        words += &format!(" {:>1$}", column.head, column.width);
    }
    words += "  run";
    Line::from(fit(vec![own(words, theme.of(Meaning::Heading))], usize::from(width)))
}

fn line(row: &BatchRow, is_chosen: bool, theme: Theme, width: u16) -> Line<'static> {
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
        own(mark, theme.of(Meaning::FocusedBorder)),
        own(format!("{:STATE$}", state.word()), theme.of(meaning)),
    ];
    for column in columns(width) {
        let cell = (column.cell)(row).unwrap_or_else(|| "-".into());
        spans.push(own(format!(" {cell:>0$}", column.width), theme.of(Meaning::Text)));
    }
    spans.push(Span::raw("  "));
    spans.push(recorded(&named(row), theme.of(Meaning::Text)));
    Line::from(fit(spans, usize::from(width)))
}

/// `ppdiff codex gpt-5.5 emergent 1`
fn named(row: &BatchRow) -> String {
    let of = &row.combination;
    let model = of.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
    format!("{} {}{model} {} {}", of.script, of.agent, of.condition, of.repeat)
}

/// What was said last, or else why the chosen run is as it is.
fn about(table: &BatchTable, theme: Theme, width: u16) -> Line<'static> {
    let row = table.chosen();
    let why = row.and_then(|row| row.progress.why.clone());
    let spans = match (&table.said, why, row) {
        (Some(said), _, _) => vec![own(format!(" {said}"), theme.of(Meaning::Warning))],
        (None, Some(why), _) => vec![recorded(&format!(" {why}"), theme.of(Meaning::Text))],
        (None, None, Some(row)) => {
            vec![recorded(&format!(" {}", row.folder), theme.of(Meaning::Muted))]
        }
        (None, None, None) => vec![],
    };
    Line::from(fit(spans, usize::from(width)))
}

fn keys(table: &BatchTable, theme: Theme, width: u16) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = vec![];
    for (key, does) in KEYS {
        let does = if key == "p" && table.is_paused { "go on" } else { does };
        let next = vec![
            own(format!(" {key}"), theme.of(Meaning::Key)),
            own(format!(" {does} "), theme.of(Meaning::Muted)),
        ];
        if width_of(&spans) + width_of(&next) > usize::from(width) {
            continue;
        }
        spans.extend(next);
    }
    Line::from(spans)
}
