//! Draws the verdict on a component row by row, for the views of scores and of the audit.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::source::{self, SourceMark},
    widgets::{
        line::{fit_spans, fit_text_end, recorded_span, safe_string, spans_width, trusted_span},
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_run::{
    format_number,
    rubric::{
        CANNOT_TELL, COMPONENT_LEVELS, Component, Evidence, FULL_SCORE, JudgeToolCall, LEVELS,
        Label, LabelUnit, QuoteCheck, RubricLevels, SEVERE, ScoreScale, Verdict, VerdictDoubt,
        score_text,
    },
};
use trajview_study::audit_items::component_fields;

/// One row of the panel.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictRow {
    Blank,
    /// A part of the panel begins.
    Heading(String),
    /// A field of the component, cut to the width; the name is empty if the words go on.
    Field {
        name: &'static str,
        words: String,
    },
    /// The score of a judge or of a rater.
    Score {
        by: String,
        score: Option<ShownScore>,
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
        /// The result of looking for the judge's quote; None where there is none.
        quote: Option<QuoteCheck>,
    },
    /// A line of a file at the judged turn; counts from 1.
    Code {
        path: String,
        line: usize,
    },
    /// A call of the judge's tools; counts from 1.
    Look {
        number: usize,
        look: JudgeToolCall,
    },
    Excerpt(String),
    /// One of several answers to a question: begins with the key that gives it.
    Choice(String),
}

/// A score as it is shown: by the length of a bar, its number and its word.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownScore {
    text: String,
    /// Cells that are full, and all of them.
    bar: (usize, usize),
    meaning: Meaning,
}

/// Cells of the bar of a score that may be any number of its scale.
const SHARE_BAR_CELLS: f64 = 4.0;

impl ShownScore {
    /// Returns a score on a scale. The name of the level is empty if the level has none.
    pub(crate) fn for_scale(score: f64, scale: ScoreScale, name: &str) -> Self {
        let (low, high) = scale.lowest_and_highest();
        let span = f64::from(high - low);
        let part = (score - f64::from(low)) / span;
        let cells = if scale == ScoreScale::Share { SHARE_BAR_CELLS } else { span };
        let meaning = match part {
            part if part <= f64::from(SEVERE) / f64::from(FULL_SCORE) => Meaning::Error,
            part if part >= 1.0 => Meaning::Added,
            _ => Meaning::Warning,
        };
        let words = format!("{} {name}", score_text(score)).trim_end().to_owned();
        Self { text: words, bar: ((part * cells).round() as usize, cells as usize), meaning }
    }

    /// Returns the score of a component.
    pub(crate) fn component_level(score: u8) -> Self {
        Self::for_scale(
            score.into(),
            LabelUnit::Component.default_scale(),
            LEVELS.get(usize::from(score)).unwrap_or(&""),
        )
    }

    /// Returns the label of a rater who looked and cannot tell.
    pub fn cannot_tell() -> Self {
        Self { text: CANNOT_TELL.into(), bar: (0, 0), meaning: Meaning::Muted }
    }

    fn score_spans(&self, theme: Theme) -> Vec<Span<'static>> {
        let (full, cells) = self.bar;
        let bar = "█".repeat(full) + &"·".repeat(cells.saturating_sub(full));
        let space = if cells == 0 { "" } else { " " };
        vec![
            trusted_span(bar, theme.style_for(self.meaning)),
            recorded_span(&format!("{space}{}", self.text), theme.style_for(Meaning::Text)),
        ]
    }
}

/// Cells of the name of a field.
pub(crate) const FIELD_CELLS: usize = 11;

/// Lines shown of one excerpt.
const MOST_EXCERPT_LINES: usize = 12;

/// Adds the request of a turn in full, with a heading. The turn counts from 0.
pub(crate) fn push_request_rows(
    session: &Session,
    turn: usize,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let Some(words) = session.request_words(turn) else { return };
    rows.push(VerdictRow::Heading(format!("turn {}: request", turn + 1)));
    let (words, row): (_, fn(String) -> VerdictRow) = match words {
        Ok(words) => (words, VerdictRow::Words),
        Err(why) => (why, VerdictRow::Problem),
    };
    rows.extend(words_in_rows(words, width).into_iter().map(row));
}

/// Adds the checklist's fields of the component, then further fields. Empty fields are left out.
pub(crate) fn push_field_rows(
    component: &Component,
    more: &[(&'static str, String)],
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let fields: Vec<_> =
        component_fields(component).into_iter().chain(more.iter().cloned()).collect();
    push_fact_rows(&fields, width, rows);
}

/// Adds rows of words under names; those without words are left out.
pub(crate) fn push_fact_rows(
    fields: &[(&'static str, String)],
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    for (name, words) in fields.iter().filter(|(_, words)| !words.is_empty()) {
        let cut = words_in_rows(words, width.saturating_sub(FIELD_CELLS + 2));
        for (at, words) in cut.into_iter().enumerate() {
            rows.push(VerdictRow::Field { name: if at == 0 { name } else { "" }, words });
        }
    }
}

pub(crate) fn push_trace_rows(verdict: &Verdict, width: usize, rows: &mut Vec<VerdictRow>) {
    push_look_rows(&verdict.trace, verdict.looks, width, rows);
}

/// Adds the calls of a judge, after a blank row. The number of looks is None where it is not recorded.
pub(crate) fn push_look_rows(
    trace: &[JudgeToolCall],
    looks: Option<usize>,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    rows.push(VerdictRow::Blank);
    if trace.is_empty() {
        let text = match looks {
            None => "the judge's tool calls are not recorded",
            Some(_) => "the judge called no tool",
        };
        rows.push(VerdictRow::Note(text.into()));
        return;
    }
    let calls = match trace.len() {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    rows.push(VerdictRow::Heading(format!("tool calls of the judge: {calls}")));
    for (look, number) in trace.iter().zip(1..) {
        rows.push(VerdictRow::Look {
            number,
            look: JudgeToolCall { excerpt: None, ..look.clone() },
        });
        let excerpt = look.excerpt.as_deref().unwrap_or_default();
        let lines = excerpt.lines().flat_map(|line| words_in_rows(line, width.saturating_sub(4)));
        rows.extend(lines.take(MOST_EXCERPT_LINES).map(VerdictRow::Excerpt));
        if excerpt.lines().count() > MOST_EXCERPT_LINES {
            rows.push(VerdictRow::Excerpt("…".into()));
        }
    }
}

/// Wraps text into rows of a width. Returns none for empty text.
pub(crate) fn words_in_rows(words: &str, width: usize) -> Vec<String> {
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    let rows = lines
        .flat_map(|line| wrap_line(line, width).into_iter().map(|range| line[range].to_owned()));
    rows.collect()
}

/// Returns the label of a rater, with the names of the unit's own levels if the label names no other scale.
pub(crate) fn label_score(label: &Label) -> ShownScore {
    let Some(score) = label.score else { return ShownScore::cannot_tell() };
    let names = if label.scale.is_none() { label.unit.rubric_levels().names } else { &[] };
    let name = names.get(score as usize).copied().unwrap_or_default();
    ShownScore::for_scale(score, label.label_scale(), name)
}

/// Returns the text that names the rater of a label next to a score.
pub(crate) fn label_author_text(annotator: Option<&str>) -> String {
    format!("{} (you)", annotator.unwrap_or("nobody"))
}

/// Returns a row as it is drawn, in `width` cells.
pub(crate) fn verdict_row_line(
    row: &VerdictRow,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let spans = match row {
        VerdictRow::Blank => vec![],
        VerdictRow::Heading(words) => {
            vec![trusted_span(words.clone(), theme.style_for(Meaning::Heading))]
        }
        VerdictRow::Field { name, words } => {
            vec![
                trusted_span(format!(" {name:<FIELD_CELLS$} "), muted),
                recorded_span(words, plain),
            ]
        }
        VerdictRow::Score { by, score: given, label, words } => {
            scored_spans(by, given.as_ref(), label.as_deref(), words, theme)
        }
        VerdictRow::Words(words) => vec![recorded_span(words, plain)],
        VerdictRow::Note(words) => vec![trusted_span(words.clone(), muted)],
        VerdictRow::Problem(words) => vec![recorded_span(words, theme.style_for(Meaning::Warning))],
        VerdictRow::Evidence { path, lines, quote } => {
            evidence_spans(path, *lines, *quote, theme, width)
        }
        VerdictRow::Code { path, line } => {
            return match session.judged_file(path) {
                Some(key) => {
                    source::source_line(session, &key, (*line, SourceMark::Plain), 0, theme, width)
                }
                None => Line::default(),
            };
        }
        VerdictRow::Look { number, look } => look_spans(*number, look, theme, width),
        VerdictRow::Choice(words) => {
            vec![trusted_span(words.clone(), theme.style_for(Meaning::Key))]
        }
        VerdictRow::Excerpt(words) => {
            vec![trusted_span("  │ ", muted), recorded_span(words, muted)]
        }
    };
    Line::from(fit_spans(spans, width))
}

/// Returns `██·· 2 Simplified  by gpt-5`.
fn scored_spans(
    by: &str,
    given: Option<&ShownScore>,
    label: Option<&str>,
    words: &str,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut spans = match given {
        Some(given) => given.score_spans(theme),
        None => vec![trusted_span("no score", theme.style_for(Meaning::Warning))],
    };
    let drawn_text: String = spans.iter().map(|span| span.content.as_ref()).collect();
    // The judge's own word, where it is another than the rubric's.
    if let Some(label) =
        label.filter(|label| !drawn_text.to_lowercase().ends_with(&label.to_lowercase()))
    {
        spans.push(recorded_span(&format!(" “{label}”"), plain));
    }
    spans.push(trusted_span("  by ", muted));
    spans.push(recorded_span(by, theme.style_for(Meaning::Title)));
    if !words.is_empty() {
        spans.push(recorded_span(&format!("  {words}"), muted));
    }
    spans
}

/// Returns `◆ src/a.py:3–9  quote found` of a piece of evidence.
pub(crate) fn evidence_spans(
    path: &str,
    lines: Option<(usize, usize)>,
    quote: Option<QuoteCheck>,
    theme: Theme,
    width: usize,
) -> Vec<Span<'static>> {
    let lines = lines.map(|lines| format!(":{}", lines_text(lines))).unwrap_or_default();
    let (quote_text, meaning) = match quote {
        None => (String::new(), Meaning::Muted),
        Some(QuoteCheck::Found) => ("  quote found".to_owned(), Meaning::Muted),
        Some(QuoteCheck::Moved(start, end)) => {
            (format!("  quote at {}", lines_text((start, end))), Meaning::Muted)
        }
        Some(QuoteCheck::Missing) => ("  quote not in the file".to_owned(), Meaning::Warning),
    };
    let taken = lines.chars().count() + quote_text.chars().count() + 2;
    let path = fit_text_end(&safe_string(path), width.saturating_sub(taken));
    vec![
        trusted_span("◆ ", theme.style_for(Meaning::Hunk)),
        trusted_span(path, theme.style_for(Meaning::Text)),
        trusted_span(lines, theme.style_for(Meaning::Hunk)),
        trusted_span(quote_text, theme.style_for(meaning)),
    ]
}

/// Returns `3–9`, or `3` for one line.
fn lines_text((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}–{last}") }
}

/// Returns the row of a piece of evidence.
pub(crate) fn evidence_row(evidence: &Evidence) -> VerdictRow {
    VerdictRow::Evidence {
        path: evidence.path.clone(),
        lines: evidence.lines,
        quote: evidence.quote.as_ref().map(|quote| quote.check),
    }
}

/// Returns the sign of a level that is in doubt.
pub(crate) const fn doubt_sign(doubt: VerdictDoubt) -> &'static str {
    match doubt {
        VerdictDoubt::Unlooked => "∅",
        VerdictDoubt::Unsupported => "‽",
    }
}

/// Returns the sentence on a level that is in doubt.
pub(crate) fn doubt_text(doubt: VerdictDoubt) -> String {
    let sign = doubt_sign(doubt);
    match doubt {
        VerdictDoubt::Unlooked => {
            format!("{sign} unlooked: the judge gave this level without a look at the code")
        }
        VerdictDoubt::Unsupported => {
            format!("{sign} unsupported: the code has no quote that this level rests on")
        }
    }
}

/// Returns `path ppdiff/losses.py, pattern snr` for an object in JSON, and other text unchanged.
pub fn arguments_text(written: &str) -> String {
    let read = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(written);
    let Ok(object) = read else { return written.to_owned() };
    let parts = object.into_iter().map(|(name, value)| match value {
        serde_json::Value::String(words) => format!("{name} {words}"),
        other => format!("{name} {other}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns `1 read ppdiff/losses.py  1.2 kB  sha 3fa9c1b2`.
fn look_spans(
    number: usize,
    look: &JudgeToolCall,
    theme: Theme,
    width: usize,
) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let sha = look
        .sha256
        .as_ref()
        .map(|sha| format!("  sha256 {}", sha.chars().take(8).collect::<String>()));
    let facts = [look.bytes.map(|count| format!("  {}", format_number::byte_size(count))), sha];
    let facts = vec![recorded_span(&facts.into_iter().flatten().collect::<String>(), muted)];
    let left = vec![
        trusted_span(format!("{number:>2} "), muted),
        recorded_span(&look.tool, theme.style_for(Meaning::Hunk)),
        recorded_span(&format!(" {}", arguments_text(&look.arguments)), plain),
    ];
    let mut spans = fit_spans(left, width.saturating_sub(spans_width(&facts)));
    spans.extend(facts);
    spans
}

/// Returns a component's name without the symbol in parentheses, where it has both: `Joint loss (joint_loss)` is `Joint
/// loss`.
pub(crate) fn plain_name(name: &str) -> &str {
    let plain = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    plain.map_or(name, |(plain, _)| plain.trim_end()).trim_end_matches(',')
}

/// Returns the colour of a score.
pub(crate) const fn score_meaning(score: u8) -> Meaning {
    match score {
        low if low <= SEVERE => Meaning::Error,
        FULL_SCORE => Meaning::Added,
        _ => Meaning::Warning,
    }
}

/// Returns `██·· 2 Simplified`, with the length of the bar, the number and the level's name.
pub(crate) fn score_spans(score: u8, theme: Theme) -> Vec<Span<'static>> {
    ShownScore::component_level(score.min(FULL_SCORE)).score_spans(theme)
}

/// Returns the bar and the words of a pooled score between two levels: `███· 2.67 pooled`.
pub(crate) fn exact_score(nearest: u8, exact: f64, theme: Theme) -> Vec<Span<'static>> {
    let words = trusted_span(
        format!(" {} pooled", format_number::three_decimals(exact)),
        theme.style_for(Meaning::Text),
    );
    vec![score_bar(nearest, FULL_SCORE, theme.style_for(score_meaning(nearest))), words]
}

/// Returns the bar and the words of a score by the levels of a rubric: `██· 2 fair`. Levels in words are drawn as the
/// word alone, such as `broken`.
pub(crate) fn level_spans(score: u8, levels: &RubricLevels, theme: Theme) -> Vec<Span<'static>> {
    if *levels == COMPONENT_LEVELS {
        return self::score_spans(score, theme);
    }
    let meaning = match (score, score == levels.highest_score()) {
        (0, _) => Meaning::Error,
        (_, true) => Meaning::Added,
        (_, false) => Meaning::Warning,
    };
    let name = levels.name(score).unwrap_or_default();
    if levels.in_words {
        return vec![trusted_span(name, theme.style_for(meaning))];
    }
    let words = trusted_span(format!(" {score} {name}"), theme.style_for(Meaning::Text));
    vec![score_bar(score, levels.highest_score(), theme.style_for(meaning)), words]
}

fn score_bar(score: u8, most: u8, style: Style) -> Span<'static> {
    let full = usize::from(score.min(most));
    trusted_span("█".repeat(full) + &"·".repeat(usize::from(most) - full), style)
}
