//! What was said of a component, row by row: the views of scores and of the audit show the same.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::{
    run::figures,
    run::rubric::{COMPONENTS, Component, FULL, Levels, Look, SEVERE, Verdict},
    session::{Session, rubric::score_said},
    views::source::{self, Mark},
    widgets::{
        line::{fit, fit_end, own, recorded, safe, width_of},
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};

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
        score: Option<u8>,
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
    let fields = [
        ("intent", component.intent.clone()),
        ("formula", component.formula.clone()),
        ("inputs", component.inputs.clone()),
        ("outputs", component.outputs.clone()),
        ("connects to", component.connects_to.join(", ")),
    ];
    let fields = fields.into_iter().chain(more.iter().cloned());
    for (name, words) in fields.filter(|(_, words)| !words.is_empty()) {
        let cut = cut(&words, width.saturating_sub(FIELD + 2));
        for (at, words) in cut.into_iter().enumerate() {
            rows.push(Row::Field { name: if at == 0 { name } else { "" }, words });
        }
    }
}

pub fn say_trace(verdict: &Verdict, width: usize, rows: &mut Vec<Row>) {
    rows.push(Row::Blank);
    if verdict.trace.is_empty() {
        rows.push(Row::Note("what the judge looked at is not recorded".into()));
        return;
    }
    let calls = match verdict.trace.len() {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    rows.push(Row::Heading(format!("what the judge looked at, {calls}")));
    for (look, number) in verdict.trace.iter().zip(1..) {
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
            scored(by, *given, label.as_deref(), words, theme)
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
    given: Option<u8>,
    label: Option<&str>,
    words: &str,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut spans = match given {
        Some(given) => score(given, theme),
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
    let mut spans = vec![bar(score, FULL, theme.of(score_meaning(score)))];
    spans.push(own(format!(" {}", score_said(score)), theme.of(Meaning::Text)));
    spans
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
