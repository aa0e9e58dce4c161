//! What was said of a component, row by row: the views of scores and of the audit show the same.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::source::{self, Mark},
    widgets::{
        line::{fit, fit_end, own, recorded, safe, width_of},
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_run::{
    figures,
    rubric::{
        CANNOT_TELL, COMPONENTS, Component, FULL, LEVELS, Label, Levels, Look, SEVERE, Scale, Unit,
        Verdict, written,
    },
};
use trajview_study::items::fields_of;

/// One row of the panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Blank,
    /// A part of the panel begins.
    Heading(String),
    /// A field of the component, cut to the width; the name is empty where the words go on.
    Field {
        name: &'static str,
        words: String,
    },
    /// The score of a judge or of a rater.
    Score {
        by: String,
        score: Option<Given>,
        label: Option<String>,
        words: String,
    },
    /// Somebody else's words, cut to the width.
    Words(String),
    /// Our own.
    Note(String),
    /// Something could not be had.
    Problem(String),
    /// Lines of a file begin.
    Evidence {
        path: String,
        lines: Option<(usize, usize)>,
    },
    /// A line of a file at the judged turn; counts from 1.
    Code {
        path: String,
        line: usize,
    },
    /// A call of the judge's tools; counts from 1.
    Look {
        number: usize,
        look: Look,
    },
    Excerpt(String),
    /// One of several answers to a question: begins with the key that gives it.
    Choice(String),
}

/// A score as it is shown: by the length of a bar, its number and its word.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    words: String,
    /// Cells that are full, and all of them.
    bar: (usize, usize),
    meaning: Meaning,
}

/// Cells of the bar of a score that may be any number of its scale.
const SHARE_CELLS: f64 = 4.0;

impl Given {
    /// The name of the level is empty where it has none.
    pub fn of(score: f64, scale: Scale, name: &str) -> Self {
        let (low, high) = scale.ends();
        let span = f64::from(high - low);
        let part = (score - f64::from(low)) / span;
        let cells = if scale == Scale::Share { SHARE_CELLS } else { span };
        let meaning = match part {
            part if part <= f64::from(SEVERE) / f64::from(FULL) => Meaning::Error,
            part if part >= 1.0 => Meaning::Added,
            _ => Meaning::Warning,
        };
        let words = format!("{} {name}", written(score)).trim_end().to_owned();
        Self { words, bar: ((part * cells).round() as usize, cells as usize), meaning }
    }

    /// Of a component.
    pub fn level(score: u8) -> Self {
        Self::of(
            score.into(),
            Unit::Component.scale(),
            LEVELS.get(usize::from(score)).unwrap_or(&""),
        )
    }

    /// A rater looked and cannot tell.
    pub fn open() -> Self {
        Self { words: CANNOT_TELL.into(), bar: (0, 0), meaning: Meaning::Muted }
    }

    fn spans(&self, theme: Theme) -> Vec<Span<'static>> {
        let (full, cells) = self.bar;
        let bar = "█".repeat(full) + &"·".repeat(cells.saturating_sub(full));
        let space = if cells == 0 { "" } else { " " };
        vec![
            own(bar, theme.of(self.meaning)),
            recorded(&format!("{space}{}", self.words), theme.of(Meaning::Text)),
        ]
    }
}

/// Cells of the name of a field.
pub const FIELD: usize = 11;

/// Lines shown of one excerpt.
const MOST_EXCERPT: usize = 12;

/// What the checklist says of a component, then more of it; a field without words is left out.
pub fn say_fields(
    component: &Component,
    more: &[(&'static str, String)],
    width: usize,
    rows: &mut Vec<Row>,
) {
    let fields: Vec<_> = fields_of(component).into_iter().chain(more.iter().cloned()).collect();
    say_facts(&fields, width, rows);
}

/// Words under names; those without words are left out.
pub fn say_facts(fields: &[(&'static str, String)], width: usize, rows: &mut Vec<Row>) {
    for (name, words) in fields.iter().filter(|(_, words)| !words.is_empty()) {
        let cut = cut(words, width.saturating_sub(FIELD + 2));
        for (at, words) in cut.into_iter().enumerate() {
            rows.push(Row::Field { name: if at == 0 { name } else { "" }, words });
        }
    }
}

pub fn say_trace(verdict: &Verdict, width: usize, rows: &mut Vec<Row>) {
    say_looks(&verdict.trace, width, rows);
}

/// The calls of a judge, after a blank row.
pub fn say_looks(trace: &[Look], width: usize, rows: &mut Vec<Row>) {
    rows.push(Row::Blank);
    if trace.is_empty() {
        rows.push(Row::Note("what the judge looked at is not recorded".into()));
        return;
    }
    let calls = match trace.len() {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    rows.push(Row::Heading(format!("what the judge looked at, {calls}")));
    for (look, number) in trace.iter().zip(1..) {
        rows.push(Row::Look { number, look: Look { excerpt: None, ..look.clone() } });
        let excerpt = look.excerpt.as_deref().unwrap_or_default();
        let lines = excerpt.lines().flat_map(|line| cut(line, width.saturating_sub(4)));
        rows.extend(lines.take(MOST_EXCERPT).map(Row::Excerpt));
        if excerpt.lines().count() > MOST_EXCERPT {
            rows.push(Row::Excerpt("…".into()));
        }
    }
}

/// Words in rows of a width; none for no words.
pub fn cut(words: &str, width: usize) -> Vec<String> {
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    let rows =
        lines.flat_map(|line| wrap(line, width).into_iter().map(|range| line[range].to_owned()));
    rows.collect()
}

/// What a rater gave, in the words of the unit's own levels where the label names no other scale.
pub fn given_label(label: &Label) -> Given {
    let Some(score) = label.score else { return Given::open() };
    let names = if label.scale.is_none() { label.unit.levels().names } else { &[] };
    let name = names.get(score as usize).copied().unwrap_or_default();
    Given::of(score, label.scale_of(), name)
}

/// Whose label it is, as it stands beside a score.
pub fn label_by(annotator: Option<&str>) -> String {
    format!("{} (you)", annotator.unwrap_or("nobody"))
}

/// A row as it is drawn, in `width` cells.
pub fn say(row: &Row, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let spans = match row {
        Row::Blank => vec![],
        Row::Heading(words) => vec![own(words.clone(), theme.of(Meaning::Heading))],
        Row::Field { name, words } => {
            vec![own(format!(" {name:<FIELD$} "), muted), recorded(words, plain)]
        }
        Row::Score { by, score: given, label, words } => {
            scored(by, given.as_ref(), label.as_deref(), words, theme)
        }
        Row::Words(words) => vec![recorded(words, plain)],
        Row::Note(words) => vec![own(words.clone(), muted)],
        Row::Problem(words) => vec![recorded(words, theme.of(Meaning::Warning))],
        Row::Evidence { path, lines } => evidence(path, *lines, theme, width),
        Row::Code { path, line } => {
            return match session.judged_file(path) {
                Some(key) => source::line(session, &key, (*line, Mark::Plain), 0, theme, width),
                None => Line::default(),
            };
        }
        Row::Look { number, look } => looked(*number, look, theme, width),
        Row::Choice(words) => vec![own(words.clone(), theme.of(Meaning::Key))],
        Row::Excerpt(words) => vec![own("  │ ", muted), recorded(words, muted)],
    };
    Line::from(fit(spans, width))
}

/// `██·· 2 Simplified  by gpt-5`
fn scored(
    by: &str,
    given: Option<&Given>,
    label: Option<&str>,
    words: &str,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut spans = match given {
        Some(given) => given.spans(theme),
        None => vec![own("no score", theme.of(Meaning::Warning))],
    };
    let said: String = spans.iter().map(|span| span.content.as_ref()).collect();
    // The judge's own word, where it is another than the rubric's.
    if let Some(label) = label.filter(|label| !said.to_lowercase().ends_with(&label.to_lowercase()))
    {
        spans.push(recorded(&format!(" “{label}”"), plain));
    }
    spans.push(own("  by ", muted));
    spans.push(recorded(by, theme.of(Meaning::Title)));
    if !words.is_empty() {
        spans.push(recorded(&format!("  {words}"), muted));
    }
    spans
}

fn evidence(
    path: &str,
    lines: Option<(usize, usize)>,
    theme: Theme,
    width: usize,
) -> Vec<Span<'static>> {
    let lines = match lines {
        Some((first, last)) if first == last => format!(":{first}"),
        Some((first, last)) => format!(":{first}–{last}"),
        None => String::new(),
    };
    let path = fit_end(&safe(path), width.saturating_sub(lines.chars().count() + 2));
    vec![
        own("◆ ", theme.of(Meaning::Hunk)),
        own(path, theme.of(Meaning::Text)),
        own(lines, theme.of(Meaning::Hunk)),
    ]
}

/// `path ppdiff/losses.py, pattern snr` for an object in JSON; else as it stands.
pub fn arguments(written: &str) -> String {
    let read = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(written);
    let Ok(object) = read else { return written.to_owned() };
    let said = object.into_iter().map(|(name, value)| match value {
        serde_json::Value::String(words) => format!("{name} {words}"),
        other => format!("{name} {other}"),
    });
    said.collect::<Vec<_>>().join(", ")
}

/// `1 read ppdiff/losses.py  1.2 kB  sha 3fa9c1b2`
fn looked(number: usize, look: &Look, theme: Theme, width: usize) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let sha = look
        .sha256
        .as_ref()
        .map(|sha| format!("  sha256 {}", sha.chars().take(8).collect::<String>()));
    let facts = [look.bytes.map(|count| format!("  {}", figures::bytes(count))), sha];
    let facts = vec![recorded(&facts.into_iter().flatten().collect::<String>(), muted)];
    let left = vec![
        own(format!("{number:>2} "), muted),
        recorded(&look.tool, theme.of(Meaning::Hunk)),
        recorded(&format!(" {}", arguments(&look.arguments)), plain),
    ];
    let mut spans = fit(left, width.saturating_sub(width_of(&facts)));
    spans.extend(facts);
    spans
}

/// A component's name without the symbol in parentheses, where it has both: `Joint loss (joint_loss)` is `Joint loss`.
pub fn plain_name(name: &str) -> &str {
    let plain = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    plain.map_or(name, |(plain, _)| plain.trim_end()).trim_end_matches(',')
}

/// The colour of a score, wherever it stands.
pub const fn score_meaning(score: u8) -> Meaning {
    match score {
        low if low <= SEVERE => Meaning::Error,
        FULL => Meaning::Added,
        _ => Meaning::Warning,
    }
}

/// `██·· 2 Simplified`: told by its length, its number and its word.
pub fn score(score: u8, theme: Theme) -> Vec<Span<'static>> {
    Given::level(score.min(FULL)).spans(theme)
}

/// As [`score`], of a pooled one that lies between two levels: `███· 2.67 pooled`.
pub fn exact_score(nearest: u8, exact: f64, theme: Theme) -> Vec<Span<'static>> {
    let words = own(format!(" {} pooled", figures::share(exact)), theme.of(Meaning::Text));
    vec![bar(nearest, FULL, theme.of(score_meaning(nearest))), words]
}

/// As [`score`], by the levels of a rubric: `██· 2 fair`; `broken` where they are words.
pub fn level(score: u8, levels: &Levels, theme: Theme) -> Vec<Span<'static>> {
    if *levels == COMPONENTS {
        return self::score(score, theme);
    }
    let meaning = match (score, score == levels.full()) {
        (0, _) => Meaning::Error,
        (_, true) => Meaning::Added,
        (_, false) => Meaning::Warning,
    };
    let name = levels.name(score).unwrap_or_default();
    if levels.in_words {
        return vec![own(name, theme.of(meaning))];
    }
    let words = own(format!(" {score} {name}"), theme.of(Meaning::Text));
    vec![bar(score, levels.full(), theme.of(meaning)), words]
}

fn bar(score: u8, most: u8, style: Style) -> Span<'static> {
    let full = usize::from(score.min(most));
    own("█".repeat(full) + &"·".repeat(usize::from(most) - full), style)
}
