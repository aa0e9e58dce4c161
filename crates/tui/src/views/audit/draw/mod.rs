//! The audit of a judge: the queue, the item with its verdict once that may be seen, what the levels mean, the judged code,
//! the agreement so far.

mod agreement;
mod code;
mod codebook;
mod header;
mod item;
mod queue;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::{Session, context::KeyContext},
    views::{
        audit::{AuditPart, AuditView, areas::AuditAreas},
        empty_panels::{EmptyReason, draw_reason_and_run},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, safe_string, trusted_span},
        pane::ListPane,
        panel::{PanelTitles, draw_sentence, draw_titled_panel, panel_title_span},
        theme::{Meaning, Theme},
    },
};
use trajview_formats as formats;
use trajview_formats::RecordingShape;
use trajview_run::rubric::LabelUnit;

pub fn draw(
    view: &AuditView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    if let Some(why) = why_nothing_to_audit(session).filter(|_| session.study_queue().is_none()) {
        return match why {
            Ok(words) => {
                draw_sentence(&words, theme.style_for(Meaning::Muted), layout.body, buffer);
            }
            Err(reason) => draw_reason_and_run(session, &reason, theme, layout.body, buffer),
        };
    }
    let areas = view.part_areas(layout);
    header::draw(view, session, theme, areas.header, buffer);
    draw_tabs(view, theme, &areas, buffer);
    for part in AuditPart::ALL {
        let Some(area) = areas.part_area(part) else { continue };
        match part {
            AuditPart::Queue => queue::draw(view, session, theme, area, buffer),
            AuditPart::Item => item::draw(view, session, theme, &areas, area, buffer),
            AuditPart::Codebook => codebook::draw(view, session, theme, &areas, area, buffer),
            AuditPart::Code => code::draw(view, session, theme, &areas, area, buffer),
            AuditPart::Agreement => agreement::draw(view, session, theme, &areas, area, buffer),
        }
    }
}

/// Returns why there is nothing to audit: a sentence while something is read or cannot be read, else what would fill the view.
fn why_nothing_to_audit(session: &Session) -> Option<Result<String, EmptyReason<'static>>> {
    use crate::session::pending::Loading;
    match session.rubric.loading_rubric() {
        Loading::Nothing | Loading::Waiting(_) => {
            return Some(Ok("reading the rubric of this run…".into()));
        }
        Loading::Failed(why) => return Some(Ok(safe_string(why))),
        Loading::Ready(_) => {}
    }
    if let Some(why) = session.labels.why_not_read() {
        return Some(Ok(safe_string(why)));
    }
    if session.audit_source().is_some() {
        return None;
    }
    let unit = session.audit.unit();
    if let (LabelUnit::Signal, None) = (unit, session.scores.process.report()) {
        return Some(Ok("computing signals…".into()));
    }
    let others = session.units_to_audit();
    let has_others =
        others.iter().any(|it| !matches!(it, LabelUnit::Component | LabelUnit::Signal));
    let is_bundle =
        matches!(formats::shape_by_name(session.run.origin.format), Some(RecordingShape::Bundle));
    let why = match unit {
        LabelUnit::Component if has_others => "No judgement of this run's components.".to_owned(),
        LabelUnit::Component if is_bundle => "No judgements to audit.".to_owned(),
        LabelUnit::Component => {
            "Not a run bundle (a folder with run.json): it cannot be judged or labelled.".to_owned()
        }
        unit => format!("This run has no judged {}.", unit.plural_word()),
    };
    let key = |id| session.keys.key_text(KeyContext::Audit, id);
    let mut remedies = vec![];
    if has_others || unit != LabelUnit::Component {
        remedies
            .push((key("audit-kind"), "shows other items: components, flags, signals, decisions"));
    }
    if is_bundle {
        remedies.push((key("judge"), "asks a judge; in a shell: `trajview judge RUN`"));
    } else {
        let command = "trajview import RECORDING --out DIR".to_owned();
        remedies.push((command, "makes a run bundle, which can be judged"));
    }
    Some(Err(EmptyReason { title: "nothing to audit", why, remedies }))
}

fn draw_tabs(view: &AuditView, theme: Theme, areas: &AuditAreas, buffer: &mut Buffer) {
    for part in AuditPart::ALL {
        let Some(area) = areas.tab_area(part) else { continue };
        let is_here = view.part == part;
        let style = theme.style_for(if is_here { Meaning::Selected } else { Meaning::Muted });
        Line::from(trusted_span(format!(" {} ", part.part_name()), style)).render(area, buffer);
    }
}

/// Draws the border of a part with a title at its left and one at its right; gives the room inside.
fn draw_frame(
    view: &AuditView,
    part: AuditPart,
    [left, right]: [&str; 2],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let is_focused = view.part == part;
    let room = usize::from(area.width).saturating_sub(right.chars().count() + 6);
    let left = fit_spans(vec![Span::raw(left.to_owned())], room);
    let left: String = left.into_iter().map(|span| span.content.into_owned()).collect();
    let right = if right.is_empty() { String::new() } else { format!(" {right} ") };
    let titles = PanelTitles::from(panel_title_span(is_focused, left.trim_end(), theme))
        .with_right(trusted_span(right, theme.style_for(Meaning::Muted)));
    draw_titled_panel(is_focused, titles, theme, area, buffer)
}

/// Draws lines that are read; the one at the cursor is marked where the part has the keyboard.
fn draw_lines(
    is_focused: bool,
    pane: &ListPane,
    lines: &[Line<'static>],
    theme: Theme,
    buffer: &mut Buffer,
) {
    let chosen = is_focused.then(|| theme.style_for(Meaning::Selected));
    pane.draw_rows(chosen, theme, buffer, |index| lines[index].clone());
}
