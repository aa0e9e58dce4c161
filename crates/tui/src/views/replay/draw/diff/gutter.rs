//! A whole file: who wrote each line, to the left of its number.

use ratatui::text::Line;

use crate::{
    session::{
        Session,
        files::blame::{Blamed, FileAt},
    },
    views::{diff_gutter::Gutter, replay::Replay},
    widgets::{
        layout::Panel,
        line::{fit, fit_end, own, safe, width_of},
        theme::{Meaning, Theme},
    },
};
use trajview_run::files::blame::LineOrigin;

use super::super::name;

/// Who wrote the lines of the file that is looked at.
pub(super) fn of<'a>(view: &'a Replay, session: &'a Session, theme: Theme) -> Gutter<'a> {
    let blamed = view.blamed(session).and_then(|blamed| blamed.as_ref().ok());
    let largest = blamed.map_or(0, |blamed| blamed.largest_number());
    Gutter {
        blamed,
        moment: view.moment(session),
        theme,
        turn_digits: session.run.turns.len().to_string().len(),
        step_digits: largest.to_string().len(),
    }
}

/// `src/loss.py  after turn 26  112 lines  turn.step that wrote each, · before the run`
pub(super) fn title(
    view: &Replay,
    session: &Session,
    file: &FileAt,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut facts = vec![own(format!(" {}", view.moment_said(session)), plain)];
    if let Some(Ok(compared)) = view.compared(session)
        && compared.text().is_some()
    {
        let lines = compared.line_count();
        let word = if lines == 1 { "line" } else { "lines" };
        facts.push(own(format!("  {lines} {word}"), muted));
    }
    let before_legend = width_of(&facts);
    let legend = match view.blamed(session) {
        None => String::new(),
        Some(Err(why)) => format!("  {}", safe(why)),
        Some(Ok(blamed)) => legend(blamed),
    };
    facts.push(own(legend, muted));
    facts.push(own(" ", plain));
    let room = width.saturating_sub(before_legend + 4).min(text_room(file, width));
    let mut spans = vec![name(view, Panel::Diff, fit_end(&safe(file.path.as_str()), room), theme)];
    spans.extend(facts);
    Line::from(fit(spans, width))
}

/// The path is cut before half of the panel is its own.
fn text_room(file: &FileAt, width: usize) -> usize {
    file.path.as_str().len().min(width / 2).max(8)
}

fn legend(blamed: &Blamed) -> String {
    let mut words = String::from("  turn.step");
    for origin in [LineOrigin::Outside, LineOrigin::BeforeRun, LineOrigin::NotRecorded] {
        let short = match origin {
            LineOrigin::Recorded => continue,
            LineOrigin::Outside => "outside edits",
            LineOrigin::BeforeRun => "before the run",
            LineOrigin::NotRecorded => "not recorded",
        };
        if blamed.has(origin) {
            words += &format!(", {} {short}", origin.mark());
        }
    }
    words
}
