//! The words of the chosen node.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::scores::tree::{
        Part, Tree,
        detail::{self, Kind},
    },
    widgets::{
        line::{fit, own, safe},
        panel::{position, put_row, titled},
        theme::{Meaning, Theme},
    },
};

use super::marked;

pub fn draw(tree: &Tree, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = tree.part == Part::Detail;
    let name = theme.of(if is_focused { Meaning::Title } else { Meaning::Text });
    let width = usize::from(area.width.saturating_sub(2));
    let title = Line::from(fit(vec![own(tree.tab(Part::Detail), name)], width));
    let titles = [title, Line::default(), Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let lines = &tree.detail.lines;
    for (y, line) in lines.iter().skip(tree.detail.top).take(usize::from(inner.height)).enumerate()
    {
        put_row(Line::from(fit(shown(tree, line, theme), width)), None, inner, y as u16, buffer);
    }
    position(tree.detail.top, lines.len(), theme, area, buffer);
}

fn shown(tree: &Tree, line: &detail::Line, theme: Theme) -> Vec<Span<'static>> {
    let meaning = match line.kind {
        Kind::Heading => Meaning::Heading,
        Kind::Fact | Kind::Text => Meaning::Text,
        Kind::Warning => Meaning::Warning,
        Kind::Section => Meaning::Hunk,
        Kind::Note => Meaning::Muted,
    };
    marked(tree, &safe(&line.words), theme.of(meaning), theme)
}
