//! The judged code: where to look, and the file on screen with the turns that wrote its lines.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        audit::{
            Audit, Part,
            areas::Areas,
            code::{Spot, SpotKind},
        },
        file_tree::Row,
        source::{self, Mark},
    },
    widgets::{
        line::{fit, fit_end, own, safe, sides, width_of},
        panel::{position, put_row, sentence},
        scroll::centred,
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::Unit;

use super::frame;

pub fn draw(
    view: &Audit,
    session: &Session,
    theme: Theme,
    areas: &Areas,
    area: Rect,
    buffer: &mut Buffer,
) {
    if super::super::over_runs::why_not_here(session).is_some() {
        frame(view, Part::Code, ["code", ""], theme, area, buffer);
        return; // the part of the component says why
    }
    let turn = view.audited_item(session).and_then(|item| session.turn_of_item(item));
    let Some(turn) = turn else {
        let inner = frame(view, Part::Code, ["code", ""], theme, area, buffer);
        let words = "the judged commit is no turn of this run, so its code cannot be shown";
        return sentence(words, theme.of(Meaning::Warning), inner, buffer);
    };
    let when = format!("after turn {}", turn + 1);
    if view.code.tree.is_shown {
        return files(view, &when, theme, area, buffer);
    }
    let inner = frame(view, Part::Code, [&title(view, session), &when], theme, area, buffer);
    let rows = view.code_rows(session, areas);
    let spots = view.spots(session);
    let width = usize::from(inner.width);
    for (y, (at, spot)) in
        spots.iter().enumerate().skip(rows.first_spot).take(rows.spots).enumerate()
    {
        let is_here = at == view.code.spot && view.code.file.is_none();
        let style = is_here.then(|| theme.of(Meaning::Marked));
        put_row(spot_line(at, spot, is_here, theme, width), style, inner, y as u16, buffer);
    }
    let below = (rows.spots as u16).min(inner.height);
    let rest = Rect { y: inner.y + below, height: inner.height - below, ..inner };
    file(view, session, rows.lines, theme, [area, rest], buffer);
}

/// `places that look like it, 3 of 8`
fn title(view: &Audit, session: &Session) -> String {
    let spots = view.spots(session);
    let number = view.code.spot + 1;
    let count = spots.len();
    let has = |is: &dyn Fn(&SpotKind) -> bool| spots.iter().any(|spot| is(&spot.kind));
    let has_evidence = has(&|kind| *kind == SpotKind::Evidence);
    let has_places = has(&|kind| matches!(kind, SpotKind::Place { .. }));
    let has_own = has(&|kind| *kind == SpotKind::Item);
    let words = match (view.revealed(session).is_some(), has_evidence, has_places) {
        _ if has_own && !has_evidence && !has_places => "the place",
        (false, ..) => "places that look like it",
        (true, true, false) => "evidence",
        (true, true, true) if view.found_little(session) => "evidence, places never opened",
        (true, true, true) => "evidence, places like it",
        (true, false, _) if view.found_little(session) => "places never opened by the judge",
        (true, false, _) => "places that look like it",
    };
    match (count, &view.code.file) {
        (0, _) => "code".into(),
        (count, Some(_)) => format!("a file of the list; {count} {words}: ]"),
        (count, None) => format!("{words}, {number} of {count}"),
    }
}

/// `▌2 place ppdiff/losses.py:7–22 compute_losses   defines compute_losses; says weight`
fn spot_line(at: usize, spot: &Spot, is_here: bool, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let lines = match spot.lines {
        Some((first, last)) if first == last => format!(":{first}"),
        Some((first, last)) => format!(":{first}–{last}"),
        None => String::new(),
    };
    let mut spans =
        vec![own(if is_here { "▌" } else { " " }, muted), own(format!("{:>2} ", at + 1), muted)];
    match &spot.kind {
        SpotKind::Item | SpotKind::Missed(_) => {
            spans.push(own("▸ ", theme.of(Meaning::Key)));
            spans.push(own(safe(&spot.path), plain));
            spans.push(own(lines, theme.of(Meaning::Hunk)));
            if let SpotKind::Missed(criterion) = &spot.kind {
                spans.push(own(format!("  missed: {}", safe(criterion)), muted));
            }
        }
        SpotKind::Evidence => {
            spans.push(own("◆ ", theme.of(Meaning::Hunk)));
            spans.push(own(safe(&spot.path), plain));
            spans.push(own(lines, theme.of(Meaning::Hunk)));
            spans.push(own("  evidence", muted));
        }
        SpotKind::Place { name, why, is_opened } => {
            spans.push(own("? ", theme.of(Meaning::Key)));
            spans.push(own(safe(&spot.path), plain));
            spans.push(own(lines, theme.of(Meaning::Hunk)));
            if let Some(name) = name {
                spans.push(own(format!(" {}", safe(name)), theme.of(Meaning::Title)));
            }
            let opened = if *is_opened { "opened by the judge; " } else { "" };
            spans.push(own(format!("  {opened}{}", safe(why)), muted));
        }
    }
    Line::from(fit(spans, width))
}

/// The name of the file on screen, then its lines.
fn file(
    view: &Audit,
    session: &Session,
    lines: usize,
    theme: Theme,
    [area, rest]: [Rect; 2],
    buffer: &mut Buffer,
) {
    let muted = theme.of(Meaning::Muted);
    let Some(key) = view.audit_file(session) else {
        return sentence(&nothing(view, session), muted, rest, buffer);
    };
    let width = usize::from(rest.width);
    let path = fit_end(&safe(key.path.as_str()), width.saturating_sub(2));
    let rule = "─".repeat(width.saturating_sub(crate::widgets::text::width(&path) + 1));
    let heading = vec![own(path, theme.of(Meaning::Heading)), own(format!(" {rule}"), muted)];
    put_row(Line::from(fit(heading, width)), None, rest, 0, buffer);
    let body = Rect { y: rest.y + 1, height: rest.height.saturating_sub(1), ..rest };
    match session.files.compared(&key) {
        None => return sentence("reading…", muted, body, buffer),
        Some(Err(why)) => return sentence(&safe(why), theme.of(Meaning::Error), body, buffer),
        Some(Ok(compared)) if compared.text().is_none() => {
            let words = "there is no such text file in the judged code";
            return sentence(words, theme.of(Meaning::Warning), body, buffer);
        }
        Some(Ok(_)) => {}
    }
    let (code, len) = (&view.code, view.audit_line_count(session));
    let meant = meant(view, session);
    let is_focused = view.part == Part::Code;
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    for (y, index) in (code.scroll.top..len).take(lines).enumerate() {
        let style = (index == code.scroll.cursor).then_some(selected);
        let mark = if meant.contains(&(index + 1)) { Mark::Meant } else { Mark::Plain };
        let line = source::line(session, &key, (index + 1, mark), code.column, theme, width);
        put_row(line, style, body, y as u16, buffer);
    }
    let frame = Rect { height: body.height + 2, y: body.y.saturating_sub(1), ..area };
    position(code.scroll.top, len, theme, frame, buffer);
}

/// The lines of the spot on screen; none of a file of the list.
fn meant(view: &Audit, session: &Session) -> std::ops::RangeInclusive<usize> {
    let code = &view.code;
    let lines = match code.file {
        None => view.spots(session).get(code.spot).and_then(|spot| spot.lines),
        Some(_) => None,
    };
    let (first, last) = lines.unwrap_or((1, 0));
    first..=last
}

/// Why no file is on screen.
fn nothing(view: &Audit, session: &Session) -> String {
    match view.places_alike(session) {
        Some(Err(why)) => safe(why),
        Some(Ok(_)) => {
            "no place in the judged code looks like this component; t lists its files".into()
        }
        None if session.audited.unit() != Unit::Component => {
            "nothing names a place in the code for it; t lists the files".into()
        }
        None if view.audited_component(session).is_none() => {
            "without a checklist nothing can look like the component; t lists the files".into()
        }
        None => "looking for places that look like it…".into(),
    }
}

/// All files of the judged code.
fn files(view: &Audit, when: &str, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let tree = &view.code.tree;
    let title = format!("{} files", tree.file_count());
    let inner = frame(view, Part::Code, [&title, when], theme, area, buffer);
    let rows = tree.rows();
    if rows.is_empty() {
        let words = "no file is known at this turn";
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    let height = usize::from(inner.height);
    let top = centred(tree.cursor, rows.len(), height);
    let selected = theme.of(Meaning::Selected);
    for (y, (index, row)) in rows.iter().enumerate().skip(top).take(height).enumerate() {
        let style = (index == tree.cursor).then_some(selected);
        put_row(entry(row, theme, usize::from(inner.width)), style, inner, y as u16, buffer);
    }
    position(top, rows.len(), theme, area, buffer);
}

/// `▸ src/          12`
fn entry(row: &Row, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let (depth, sign, name, right) = match row {
        Row::Folder { path, depth, files, is_open } => {
            let name = path.trim_end_matches('/');
            let name = &path[name.rfind('/').map_or(0, |at| at + 1)..];
            (*depth, if *is_open { "▾ " } else { "▸ " }, name, files.to_string())
        }
        Row::File { path, depth } => (*depth, "  ", path.name(), String::new()),
    };
    let mut left: Vec<Span> = vec![own("  ".repeat(depth.min(width / 4)), muted), own(sign, muted)];
    let room = width.saturating_sub(width_of(&left) + right.len() + 1);
    left.push(own(fit_end(&safe(name), room), theme.of(Meaning::Text)));
    sides(left, vec![own(right, muted)], width)
}
