//! A whole file: who wrote each line, to the left of its number.

use ratatui::text::Line;

use crate::{
    session::{
        Session,
        files::blame::{BlamedFile, FileAt},
    },
    views::{diff_gutter::BlameGutter, replay::ReplayView},
    widgets::{
        layout::ReplayPanel,
        line::{fit_spans, fit_text_end, safe_string, spans_width, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_run::files::blame::LineOrigin;

use super::super::name_span;

/// Returns the gutter with the writers of the lines of the shown file.
pub(super) fn blame_gutter<'a>(
    view: &'a ReplayView,
    session: &'a Session,
    theme: Theme,
) -> BlameGutter<'a> {
    let blamed = view.shown_blame(session).and_then(|blamed| blamed.as_ref().ok());
    let largest = blamed.map_or(0, |blamed| blamed.largest_number());
    BlameGutter {
        blamed,
        moment: view.shown_moment(session),
        theme,
        turn_digits: session.run.turns.len().to_string().len(),
        step_digits: largest.to_string().len(),
    }
}

/// Returns `src/loss.py  after turn 26  112 lines  turn.step that wrote each, · before the run`.
pub(super) fn blame_title(
    view: &ReplayView,
    session: &Session,
    file: &FileAt,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut facts = vec![trusted_span(format!(" {}", view.moment_text(session)), plain)];
    if let Some(Ok(compared)) = view.shown_comparison(session)
        && compared.text_diff().is_some()
    {
        let lines = compared.line_count();
        let word = if lines == 1 { "line" } else { "lines" };
        facts.push(trusted_span(format!("  {lines} {word}"), muted));
    }
    let before_legend = spans_width(&facts);
    let legend = match view.shown_blame(session) {
        None => String::new(),
        Some(Err(why)) => format!("  {}", safe_string(why)),
        Some(Ok(blamed)) => legend_text(blamed),
    };
    facts.push(trusted_span(legend, muted));
    facts.push(trusted_span(" ", plain));
    let room = width.saturating_sub(before_legend + 4).min(path_width(file, width));
    let mut spans = vec![name_span(
        view,
        ReplayPanel::Diff,
        fit_text_end(&safe_string(file.path.as_str()), room),
        theme,
    )];
    spans.extend(facts);
    Line::from(fit_spans(spans, width))
}

/// Returns the width in cells of the path, which is cut at half of the panel.
fn path_width(file: &FileAt, width: usize) -> usize {
    file.path.as_str().len().min(width / 2).max(8)
}

fn legend_text(blamed: &BlamedFile) -> String {
    let mut words = String::from("  turn.step");
    for origin in [LineOrigin::Outside, LineOrigin::BeforeRun, LineOrigin::NotRecorded] {
        let short = match origin {
            LineOrigin::Recorded => continue,
            LineOrigin::Outside => "outside edits",
            LineOrigin::BeforeRun => "before the run",
            LineOrigin::NotRecorded => "not recorded",
        };
        if blamed.has_origin(origin) {
            words += &format!(", {} {short}", origin.gutter_mark());
        }
    }
    words
}
