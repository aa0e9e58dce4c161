//! The judged code: where to look, and the file on screen with the turns that wrote its lines.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, context::KeyContext},
    views::{
        audit::{
            AuditPart, AuditView,
            areas::AuditAreas,
            judged_code::{CodeSpot, SpotKind},
        },
        file_tree::FileTreeRow,
        source::{self, SourceMark},
    },
    widgets::{
        line::{fit_spans, fit_text_end, left_and_right, safe_string, spans_width, trusted_span},
        panel::{draw_scroll_position, draw_sentence, put_row},
        scroll::centred_top,
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::LabelUnit;

use super::draw_frame;

pub fn draw(
    view: &AuditView,
    session: &Session,
    theme: Theme,
    areas: &AuditAreas,
    area: Rect,
    buffer: &mut Buffer,
) {
    if super::super::study_queue::why_item_not_shown(session).is_some() {
        draw_frame(view, AuditPart::Code, ["code", ""], theme, area, buffer);
        return; // the part of the component says why
    }
    let turn = view.audited_item(session).and_then(|item| session.turn_of_item(item));
    let Some(turn) = turn else {
        let inner = draw_frame(view, AuditPart::Code, ["code", ""], theme, area, buffer);
        let words = match session.run.turns.is_empty() {
            true => "a graded tree has no code",
            false => "the judged commit is not a turn of this run: no code to show",
        };
        return draw_sentence(words, theme.style_for(Meaning::Warning), inner, buffer);
    };
    let when = format!("after turn {}", turn + 1);
    if view.code.tree.is_shown {
        return draw_file_tree(view, &when, theme, area, buffer);
    }
    let inner =
        draw_frame(view, AuditPart::Code, [&title_text(view, session), &when], theme, area, buffer);
    let rows = view.code_rows(session, areas);
    let spots = view.code_spots(session);
    let width = usize::from(inner.width);
    for (y, (at, spot)) in
        spots.iter().enumerate().skip(rows.first_spot).take(rows.spots).enumerate()
    {
        let is_here = at == view.code.spot && view.code.file.is_none();
        let style = is_here.then(|| theme.style_for(Meaning::Marked));
        put_row(spot_line(at, spot, is_here, theme, width), style, inner, y as u16, buffer);
    }
    let below = (rows.spots as u16).min(inner.height);
    let rest = Rect { y: inner.y + below, height: inner.height - below, ..inner };
    draw_file(view, session, theme, rest, buffer);
}

/// Returns `places that look like it, 3 of 8`.
fn title_text(view: &AuditView, session: &Session) -> String {
    let spots = view.code_spots(session);
    let number = view.code.spot + 1;
    let count = spots.len();
    let has = |is: &dyn Fn(&SpotKind) -> bool| spots.iter().any(|spot| is(&spot.kind));
    let has_evidence = has(&|kind| *kind == SpotKind::Evidence);
    let has_places = has(&|kind| matches!(kind, SpotKind::Place { .. }));
    let has_own = has(&|kind| *kind == SpotKind::Item);
    let words = match (view.revealed_verdict(session).is_some(), has_evidence, has_places) {
        _ if has_own && !has_evidence && !has_places => "candidate",
        (false, ..) => "candidate code",
        (true, true, false) => "evidence",
        (true, true, true) if view.is_low_score(session) => "evidence, code never opened",
        (true, true, true) => "evidence, candidate code",
        (true, false, _) if view.is_low_score(session) => "code the judge never opened",
        (true, false, _) => "candidate code",
    };
    match (count, &view.code.file) {
        (0, _) => "code".into(),
        (count, Some(_)) => format!("a file of the list; {count} {words}: ]"),
        (count, None) => format!("{words}, {number} of {count}"),
    }
}

/// Returns `▌2 place ppdiff/losses.py:7–22 compute_losses   defines compute_losses; mentions weight`.
fn spot_line(
    at: usize,
    spot: &CodeSpot,
    is_here: bool,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let lines = match spot.lines {
        Some((first, last)) if first == last => format!(":{first}"),
        Some((first, last)) => format!(":{first}–{last}"),
        None => String::new(),
    };
    let mut spans = vec![
        trusted_span(if is_here { "▌" } else { " " }, muted),
        trusted_span(format!("{:>2} ", at + 1), muted),
    ];
    match &spot.kind {
        SpotKind::Item | SpotKind::Missed(_) => {
            spans.push(trusted_span("▸ ", theme.style_for(Meaning::Key)));
            spans.push(trusted_span(safe_string(&spot.path), plain));
            spans.push(trusted_span(lines, theme.style_for(Meaning::Hunk)));
            if let SpotKind::Missed(criterion) = &spot.kind {
                spans.push(trusted_span(format!("  missed: {}", safe_string(criterion)), muted));
            }
        }
        SpotKind::Evidence => {
            spans.push(trusted_span("◆ ", theme.style_for(Meaning::Hunk)));
            spans.push(trusted_span(safe_string(&spot.path), plain));
            spans.push(trusted_span(lines, theme.style_for(Meaning::Hunk)));
            spans.push(trusted_span("  evidence", muted));
        }
        SpotKind::Place { name, why, is_opened } => {
            spans.push(trusted_span("? ", theme.style_for(Meaning::Key)));
            spans.push(trusted_span(safe_string(&spot.path), plain));
            spans.push(trusted_span(lines, theme.style_for(Meaning::Hunk)));
            if let Some(name) = name {
                spans.push(trusted_span(
                    format!(" {}", safe_string(name)),
                    theme.style_for(Meaning::Title),
                ));
            }
            let opened = if *is_opened { "opened by the judge; " } else { "" };
            spans.push(trusted_span(format!("  {opened}{}", safe_string(why)), muted));
        }
    }
    Line::from(fit_spans(spans, width))
}

/// Draws the name of the shown file, then its lines.
fn draw_file(view: &AuditView, session: &Session, theme: Theme, rest: Rect, buffer: &mut Buffer) {
    let muted = theme.style_for(Meaning::Muted);
    let Some(key) = view.audit_file(session) else {
        return draw_sentence(&why_no_file(view, session), muted, rest, buffer);
    };
    let width = usize::from(rest.width);
    let path = fit_text_end(&safe_string(key.path.as_str()), width.saturating_sub(2));
    let rule = "─".repeat(width.saturating_sub(crate::widgets::text::width(&path) + 1));
    let heading = vec![
        trusted_span(path, theme.style_for(Meaning::Heading)),
        trusted_span(format!(" {rule}"), muted),
    ];
    put_row(Line::from(fit_spans(heading, width)), None, rest, 0, buffer);
    let body = Rect { y: rest.y + 1, height: rest.height.saturating_sub(1), ..rest };
    match session.files.compared_file(&key) {
        None => return draw_sentence("reading…", muted, body, buffer),
        Some(Err(why)) => {
            return draw_sentence(&safe_string(why), theme.style_for(Meaning::Error), body, buffer);
        }
        Some(Ok(compared)) if compared.text_diff().is_none() => {
            let words = "no such text file in the judged code";
            return draw_sentence(words, theme.style_for(Meaning::Warning), body, buffer);
        }
        // The pane still has the rows of the file before.
        Some(Ok(compared)) if compared.line_count() == 0 => return,
        Some(Ok(_)) => {}
    }
    let code = &view.code;
    let meant = spot_lines(view, session);
    let is_focused = view.part == AuditPart::Code;
    let selected = theme.chosen_row(is_focused);
    code.lines.draw_rows(Some(selected), theme, buffer, |index| {
        let mark = if meant.contains(&(index + 1)) { SourceMark::Meant } else { SourceMark::Plain };
        source::source_line(session, &key, (index + 1, mark), code.column, theme, width)
    });
}

/// Returns the lines of the shown spot; empty for a file of the list.
fn spot_lines(view: &AuditView, session: &Session) -> std::ops::RangeInclusive<usize> {
    let code = &view.code;
    let lines = match code.file {
        None => view.code_spots(session).get(code.spot).and_then(|spot| spot.lines),
        Some(_) => None,
    };
    let (first, last) = lines.unwrap_or((1, 0));
    first..=last
}

/// Returns the reason why no file is shown.
fn why_no_file(view: &AuditView, session: &Session) -> String {
    let why = match view.similar_places(session) {
        Some(Err(why)) => return safe_string(why),
        Some(Ok(_)) => "no candidate code for this component",
        None if session.audit.unit() != LabelUnit::Component => "no code location",
        None if view.audited_component(session).is_none() => "no checklist, so no candidate code",
        None => return "searching candidate code…".into(),
    };
    format!("{why}; {} lists the files", session.keys.key_text(KeyContext::Audit, "file-tree"))
}

/// Draws all files of the judged code.
fn draw_file_tree(view: &AuditView, when: &str, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let tree = &view.code.tree;
    let title = format!("{} files", tree.file_count());
    let inner = draw_frame(view, AuditPart::Code, [&title, when], theme, area, buffer);
    let rows = tree.tree_rows();
    if rows.is_empty() {
        let words = "no files known at this turn";
        return draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let height = usize::from(inner.height);
    let top = centred_top(tree.cursor, rows.len(), height);
    let selected = theme.style_for(Meaning::Selected);
    for (y, (index, row)) in rows.iter().enumerate().skip(top).take(height).enumerate() {
        let style = (index == tree.cursor).then_some(selected);
        put_row(
            tree_entry_line(row, theme, usize::from(inner.width)),
            style,
            inner,
            y as u16,
            buffer,
        );
    }
    draw_scroll_position(top, rows.len(), theme, area, buffer);
}

/// Returns `▸ src/          12`.
fn tree_entry_line(row: &FileTreeRow, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let (depth, sign, name, right) = match row {
        FileTreeRow::Folder { path, depth, files, is_open } => {
            let name = path.trim_end_matches('/');
            let name = &path[name.rfind('/').map_or(0, |at| at + 1)..];
            (*depth, if *is_open { "▾ " } else { "▸ " }, name, files.to_string())
        }
        FileTreeRow::File { path, depth } => (*depth, "  ", path.name(), String::new()),
    };
    let mut left: Vec<Span> =
        vec![trusted_span("  ".repeat(depth.min(width / 4)), muted), trusted_span(sign, muted)];
    let room = width.saturating_sub(spans_width(&left) + right.len() + 1);
    left.push(trusted_span(fit_text_end(&safe_string(name), room), theme.style_for(Meaning::Text)));
    left_and_right(left, vec![trusted_span(right, muted)], width)
}
