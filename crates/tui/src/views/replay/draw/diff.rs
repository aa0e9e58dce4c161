//! Draws the change of one file: its name, the base, the number of lines; the rows are [`crate::views::diff_rows`].

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{
        Session,
        files::{DiffScope, compared_file::ComparedFile},
        judged_marks::{evidence_marks, flag_marks},
    },
    views::{
        diff_rows::{ComparisonRows, line_number_digits},
        replay::{ReplayView, activity, line_marks},
    },
    widgets::{
        layout::ReplayPanel,
        line::{fit_spans, fit_text_end, safe_string, spans_width, trusted_span},
        panel::draw_sentence,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    EditKind,
    files::{FileChange, FileDiff},
    format_number,
};

use super::{draw_frame, files, name_span, step_text, trial_result, turns::line_counts};

mod blame_gutter;

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if activity::is_trial_without_log(&session.run) {
        return trial_result::draw(view, session, theme, area, buffer);
    }
    if view.diff_key(session).is_none() || view.step_instead_of_diff(session).is_some() {
        return draw_step_instead(view, session, theme, area, buffer);
    }
    let width = usize::from(area.width.saturating_sub(2));
    let title = match view.shown_file(session) {
        Some(file) => blame_gutter::blame_title(view, session, &file, theme, width),
        None => title_line(view, session, theme, width),
    };
    let inner = draw_frame(view, ReplayPanel::Diff, title, theme, area, buffer);
    match view.shown_comparison(session) {
        None => {} // on its way, a blink away: an empty panel is calmer than a word that flashes
        Some(Err(why)) => {
            draw_sentence(&safe_string(why), theme.style_for(Meaning::Error), inner, buffer)
        }
        Some(Ok(compared)) => {
            draw_body(view, session, compared, theme, inner, buffer);
        }
    }
}

/// Draws the texts of the steps from the chosen one on, where no file changed.
fn draw_step_instead(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let why = text_instead_of_lines(view, session);
    let muted = theme.style_for(Meaning::Muted);
    if view.step_instead_of_diff(session).is_none() {
        let title = Line::from(name_span(view, ReplayPanel::Diff, "diff".into(), theme));
        let inner = draw_frame(view, ReplayPanel::Diff, title, theme, area, buffer);
        return draw_sentence(&why, muted, inner, buffer);
    }
    let title = vec![
        name_span(view, ReplayPanel::Diff, step_text::title_text(view), theme),
        trusted_span(format!(" {why} "), muted),
    ];
    let title = fit_spans(title, usize::from(area.width.saturating_sub(2)));
    let inner = draw_frame(view, ReplayPanel::Diff, Line::from(title), theme, area, buffer);
    step_text::draw_texts(view, session, theme, inner, buffer);
}

/// Returns why there are no lines: of the selected file, or that no file changed.
fn text_instead_of_lines(view: &ReplayView, session: &Session) -> String {
    let Some((index, change)) = view.selected_change(session) else {
        return files::why_empty(view, session);
    };
    let compared = view.shown_comparison(session).and_then(|compared| compared.as_ref().ok());
    let why = compared.and_then(|compared| match &*compared.diff {
        // The title names the file.
        FileDiff::NotRecorded(_) => None,
        _ => text_instead_of_rows(view, session, compared),
    });
    let why = why.unwrap_or_else(|| "the change is not recorded".into());
    let count = view.listed_changes(session).len();
    format!("{} ({}/{count}): {why}", safe_string(&path_text(change)), index + 1)
}

/// Room that a path has before other words grow shorter.
const MIN_PATH_CELLS: usize = 24;

/// Returns `src/loss.py  +34 −8   diff: turn 22 → 23   file 2/5   changed by a command`.
fn title_line(view: &ReplayView, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let Some((index, change)) = view.selected_change(session) else {
        return Line::from(name_span(view, ReplayPanel::Diff, "diff".into(), theme));
    };
    let plain = theme.style_for(Meaning::Text);
    let muted = theme.style_for(Meaning::Muted);
    let mut facts = vec![];
    for count in view
        .changed_lines(session, change)
        .map(|lines| line_counts(lines, theme))
        .unwrap_or_default()
    {
        facts.extend([trusted_span(" ", plain), count]);
    }
    let base = format!("   {}", base_text(view, session));
    let file = format!("   file {}/{}", index + 1, view.listed_changes(session).len());
    let path = text::width(&path_text(change)).min(MIN_PATH_CELLS);
    let others = spans_width(&facts) + text::width(&base) + text::width(&file) + path + 3;
    let lost = session.losses_in_file(&change.path);
    if !lost.is_empty() {
        let words = lost_text(&lost, width.saturating_sub(others));
        facts.push(trusted_span(words, theme.style_for(Meaning::Error)));
    }
    facts.push(trusted_span(base, plain));
    facts.push(trusted_span(file, muted));
    let before_origin = spans_width(&facts) + 3;
    if let Some(mark) = files::origin_mark(change.origin) {
        let full = format!("  {mark} {}", change.origin.display_text());
        let fits = before_origin + text::width(&full) + path <= width;
        let words = if fits { full } else { format!("  {mark} outside") };
        facts.push(trusted_span(words, theme.style_for(Meaning::Warning)));
    }
    facts.push(trusted_span(" ", plain));
    let room = width.saturating_sub(spans_width(&facts) + 3).max(width / 4);
    let path = fit_text_end(&safe_string(&path_text(change)), room);
    let mut spans = vec![name_span(view, ReplayPanel::Diff, path, theme)];
    spans.extend(facts);
    Line::from(fit_spans(spans, width))
}

/// Returns `  ✖ C17, C18 lost here`; shorter where the room is small, at last `  ✖ 2 lost`.
fn lost_text<T: AsRef<str>>(lost: &[T], room: usize) -> String {
    let ids: Vec<&str> = lost.iter().map(AsRef::as_ref).collect();
    let ids = safe_string(&ids.join(", "));
    let shortest = format!("  ✖ {} lost", lost.len());
    let longer = [format!("  ✖ {ids} lost here"), format!("  ✖ {ids} lost")];
    longer.into_iter().find(|words| text::width(words) <= room).unwrap_or(shortest)
}

fn path_text(change: &FileChange) -> String {
    match &change.from {
        Some(from) => format!("{from} → {}", change.path),
        None => change.path.to_string(),
    }
}

/// Returns the words for the base of the diff.
fn base_text(view: &ReplayView, session: &Session) -> String {
    match view.diff_scope(session) {
        DiffScope::Step(step) => format!("diff of step {}", view.number_in_turn(step)),
        DiffScope::Turn(_) | DiffScope::Since { .. } | DiffScope::At(_) => {
            view.bases.span_text(&session.run, session.turn)
        }
    }
}

fn draw_body(
    view: &ReplayView,
    session: &Session,
    compared: &ComparedFile,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if let Some(words) = text_instead_of_rows(view, session, compared) {
        return draw_sentence(&words, theme.style_for(Meaning::Muted), area, buffer);
    }
    let rows = diff_rows(view, session, compared, theme, area);
    let list = &view.diff.list;
    let cursor = (view.focus == ReplayPanel::Diff).then_some(list.cursor());
    list.draw_rows(None, theme, buffer, rows.visible_lines(list.visible_rows(), cursor));
}

/// Returns the sentence for a change that has no lines to show.
fn text_instead_of_rows(
    view: &ReplayView,
    session: &Session,
    compared: &ComparedFile,
) -> Option<String> {
    let size = |side: &Option<u64>| side.map_or("nothing".into(), format_number::byte_size);
    match &*compared.diff {
        FileDiff::Binary { new, .. } if compared.is_whole_file() => {
            Some(format!("not text: {}", size(new)))
        }
        FileDiff::TooBig { new, .. } if compared.is_whole_file() => {
            Some(format!("too big to show: {}", size(new)))
        }
        FileDiff::Binary { old, new } => {
            Some(format!("not text: {} before, {} after", size(old), size(new)))
        }
        FileDiff::TooBig { old, new } => Some(format!(
            "too big to compare line by line: {} before, {} after",
            size(old),
            size(new)
        )),
        FileDiff::NotRecorded(why) => Some(safe_string(why)),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_)
            if !compared.rows.is_empty() =>
        {
            None
        }
        FileDiff::Text { .. } if compared.is_whole_file() => Some("an empty file".into()),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_) => {
            Some(why_no_lines(view, session))
        }
    }
}

fn why_no_lines(view: &ReplayView, session: &Session) -> String {
    let Some((_, change)) = view.selected_change(session) else { return String::new() };
    match change.kind {
        EditKind::Create => "a new empty file".into(),
        EditKind::Delete => "an empty file was deleted".into(),
        EditKind::Rename => "renamed, no line changed".into(),
        EditKind::Modify => match (change.file_before(), change.file_after()) {
            (Some(old), Some(new)) if old.mode != new.mode => {
                format!("only the mode changed, from {} to {}", old.mode.octal(), new.mode.octal())
            }
            _ => "no line changed".into(),
        },
    }
}

fn diff_rows<'a>(
    view: &'a ReplayView,
    session: &'a Session,
    compared: &'a ComparedFile,
    theme: Theme,
    area: Rect,
) -> ComparisonRows<'a> {
    let marked = line_marks::marked_diff_key(view, session);
    let key = marked.as_ref();
    ComparisonRows {
        compared,
        colours: view.diff_key(session).and_then(|key| session.files.colours.colours_of(&key)),
        theme,
        digits: line_number_digits(compared),
        column: view.diff.column,
        width: usize::from(area.width),
        gutter: compared.is_whole_file().then(|| blame_gutter::blame_gutter(view, session, theme)),
        marks: line_marks::shown_marks(view, session),
        evidence: key.map(|key| evidence_marks(session, key)).unwrap_or_default(),
        flags: key.map(|key| flag_marks(session, key)).unwrap_or_default(),
    }
}
