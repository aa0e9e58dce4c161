//! One row a thing of a study: which run, what it is, and how its label stands.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{Session, study::Mode},
    views::audit::{
        Audit, Part,
        over_runs::{StudyEntry, entry_at},
    },
    widgets::{
        line::{own, safe, sides},
        panel::{position, put_row, sentence},
        text,
        theme::{Meaning, Theme},
    },
};

use super::{super::frame, named, standing};

/// Of the width, as much as the names of runs may have at most: a third.
const RUNS: usize = 3;

pub fn draw(view: &Audit, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(study) = session.study() else { return };
    let title = match study.mode {
        Mode::Labelling => "queue",
        Mode::Adjudicating => "to be settled",
    };
    let inner = frame(view, Part::Queue, [title, ""], theme, area, buffer);
    if study.is_empty() {
        let words = match study.mode {
            Mode::Labelling => "nothing to label",
            Mode::Adjudicating => "no two raters differ",
        };
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    let is_focused = view.part == Part::Queue;
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let (scroll, width) = (view.rows, usize::from(inner.width));
    let seen = scroll.top..(scroll.top + usize::from(inner.height)).min(study.len());
    let entries: Vec<(usize, StudyEntry)> =
        seen.filter_map(|at| Some((at, entry_at(session, at)?))).collect();
    let runs = entries.iter().map(|(_, it)| text::width(&safe(&it.run))).max().unwrap_or_default();
    let runs = runs.min(width / RUNS);
    for (at, entry) in &entries {
        let is_here = *at == scroll.cursor;
        let line = row(entry, is_here, theme, (width, runs));
        put_row(line, is_here.then_some(chosen), inner, (at - scroll.top) as u16, buffer);
    }
    position(scroll.top, study.len(), theme, area, buffer);
}

/// `▌one     C07 Relative position…   ✓ 3 agrees`
fn row(
    of: &StudyEntry,
    is_here: bool,
    theme: Theme,
    (width, runs): (usize, usize),
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let run = text::truncate(&safe(&of.run), runs, "…").into_owned();
    let gap = " ".repeat(runs.saturating_sub(text::width(&run)) + 1);
    let mut left =
        vec![own(if is_here { "▌" } else { " " }, muted), own(format!("{run}{gap}"), plain)];
    left.extend(named(&of.entry, theme, width / 2));
    sides(left, standing(&of.entry, theme), width)
}
