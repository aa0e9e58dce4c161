//! The verdict on the chosen component, its evidence in the code, and what the judge looked at.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    run::rubric::Look,
    session::Session,
    views::{
        scores::{
            Scores,
            components::{
                Part,
                areas::Areas,
                verdict::{FIELD, Row},
            },
        },
        source::{self, Mark},
    },
    widgets::{
        line::{bytes, fit, fit_end, own, recorded, safe, width_of},
        panel::{position, put_row, sentence, titled},
        theme::{Meaning, Theme},
    },
};

use super::{name, score};

pub fn draw(view: &Scores, session: &Session, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let Some(area) = areas.verdict else { return };
    let is_focused = view.components.has_part(Part::Verdict);
    let width = areas.verdict_width();
    let titles = [
        Line::from(fit(title(view, session, theme, width), width)),
        Line::default(),
        Line::default(),
    ];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let rows = view.components.verdict_rows(session, areas);
    if rows.is_empty() {
        return sentence("no component is chosen", theme.of(Meaning::Muted), inner, buffer);
    }
    let scroll = view.components.verdict;
    let selected = theme.of(Meaning::Selected);
    let seen = rows.iter().enumerate().skip(scroll.top).take(usize::from(inner.height));
    for (index, row) in seen {
        let style = (index == scroll.cursor && is_focused).then_some(selected);
        let line = say(row, session, theme, width);
        put_row(line, style, inner, (index - scroll.top) as u16, buffer);
    }
    position(scroll.top, rows.len(), theme, area, buffer);
}

/// ` C10 Cosine noise schedule (CosineSchedule) `
fn title(view: &Scores, session: &Session, theme: Theme, width: usize) -> Vec<Span<'static>> {
    let is_focused = view.components.has_part(Part::Verdict);
    let Some(row) = view.components.component_row(session) else {
        return vec![name(is_focused, "verdict", theme)];
    };
    let words = format!("{} {}", safe(&row.id), safe(&row.name));
    let kept = fit(vec![Span::raw(words)], width.saturating_sub(3));
    let kept: String = kept.into_iter().map(|span| span.content.into_owned()).collect();
    vec![name(is_focused, kept.trim_end(), theme)]
}

/// A row as it is drawn, in `width` cells.
pub(crate) fn say(row: &Row, session: &Session, theme: Theme, width: usize) -> Line<'static> {
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
    let facts = [look.bytes.map(|count| format!("  {}", bytes(count))), sha];
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
