//! The audit of a judge: the queue, the item with its verdict once that may be seen, what the levels mean, the judged code,
//! the agreement so far.

mod agreement;
mod code;
mod codebook;
mod header;
mod item;
mod queue;

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::Session,
    views::audit::{Audit, Part, areas::Areas},
    widgets::{
        layout::Layout,
        line::{own, safe},
        panel::{name, position, sentence, titled},
        scroll::Scroll,
        theme::{Meaning, Theme},
    },
};
use trajview_formats as formats;
use trajview_formats::Shape;
use trajview_run::rubric::Unit;

pub fn draw(view: &Audit, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    if let Some(why) = why_none(session).filter(|_| session.study().is_none()) {
        return sentence(&why, theme.of(Meaning::Muted), layout.body, buffer);
    }
    let areas = view.areas(layout);
    header::draw(view, session, theme, areas.header, buffer);
    tabs(view, theme, &areas, buffer);
    for part in Part::ALL {
        let Some(area) = areas.of_part(part) else { continue };
        match part {
            Part::Queue => queue::draw(view, session, theme, area, buffer),
            Part::Item => item::draw(view, session, theme, &areas, area, buffer),
            Part::Codebook => codebook::draw(view, session, theme, &areas, area, buffer),
            Part::Code => code::draw(view, session, theme, &areas, area, buffer),
            Part::Agreement => agreement::draw(view, session, theme, &areas, area, buffer),
        }
    }
}

/// Why there is nothing to audit.
fn why_none(session: &Session) -> Option<String> {
    use crate::session::ask::Loading;
    match session.rubric.reading() {
        Loading::Nothing | Loading::Waiting(_) => {
            return Some("reading what this run is judged by…".into());
        }
        Loading::Failed(why) => return Some(safe(why)),
        Loading::Ready(_) => {}
    }
    if let Some(why) = session.labels.why_not_read() {
        return Some(safe(why));
    }
    if session.audit_source().is_some() {
        return None;
    }
    let unit = session.audited.unit();
    if unit != Unit::Component {
        let why = match (unit, session.scores.worked.report()) {
            (Unit::Signal, None) => "looking for signals…".to_owned(),
            _ => format!("this run has no {} that were judged; v audits others", unit.plural()),
        };
        return Some(why);
    }
    if session.units_to_audit().iter().any(|it| !matches!(it, Unit::Component | Unit::Signal)) {
        let words = "nothing has judged the components of this run, so there is none to audit; v audits other things";
        return Some(words.into());
    }
    Some(match formats::shape_of(session.run.origin.format) {
        Some(Shape::Bundle) => "nothing has judged this run yet, so there is nothing to audit: `trajview judge RUN` asks a judge".into(),
        _ => "this recording is no bundle (a folder with run.json): nothing here can judge it, and there is no \
            place for labels"
            .into(),
    })
}

fn tabs(view: &Audit, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    for part in Part::ALL {
        let Some(area) = areas.tab(part) else { continue };
        let is_here = view.part == part;
        let style = theme.of(if is_here { Meaning::Selected } else { Meaning::Muted });
        Line::from(own(format!(" {} ", part.word()), style)).render(area, buffer);
    }
}

/// Draws the border of a part with a title at its left and one at its right; gives the room inside.
fn frame(
    view: &Audit,
    part: Part,
    [left, right]: [&str; 2],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let is_focused = view.part == part;
    let room = usize::from(area.width).saturating_sub(right.chars().count() + 6);
    let left = crate::widgets::line::fit(vec![ratatui::text::Span::raw(left.to_owned())], room);
    let left: String = left.into_iter().map(|span| span.content.into_owned()).collect();
    let right = match right.is_empty() {
        true => Line::default(),
        false => Line::styled(format!(" {right} "), theme.of(Meaning::Muted)),
    };
    let titles = [Line::from(name(is_focused, left.trim_end(), theme)), right, Line::default()];
    titled(is_focused, titles, theme, area, buffer)
}

/// Draws rows with a window over them; the one at the cursor is marked where the part has the keyboard.
fn rows(
    view: &Audit,
    part: Part,
    lines: Vec<Line<'static>>,
    scroll: Scroll,
    theme: Theme,
    [area, inner]: [Rect; 2],
    buffer: &mut Buffer,
) {
    let len = lines.len();
    let is_focused = view.part == part;
    let seen = lines.into_iter().enumerate().skip(scroll.top).take(usize::from(inner.height));
    for (index, line) in seen {
        let style = (index == scroll.cursor && is_focused).then(|| theme.of(Meaning::Selected));
        crate::widgets::panel::put_row(line, style, inner, (index - scroll.top) as u16, buffer);
    }
    position(scroll.top, len, theme, area, buffer);
}
