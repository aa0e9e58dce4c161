//! The words of the chosen node.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::scores::tree::{
        TreePart, TreeView,
        detail::{self, DetailLineKind},
    },
    widgets::{
        line::{fit_spans, safe_string, trusted_span},
        theme::{Meaning, Theme},
    },
};

use super::marked_spans;

pub(crate) fn draw_node_detail(tree: &TreeView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = tree.part == TreePart::Detail;
    let name = theme.style_for(if is_focused { Meaning::Title } else { Meaning::Text });
    let width = usize::from(area.width.saturating_sub(2));
    let title =
        Line::from(fit_spans(vec![trusted_span(tree.tab_title(TreePart::Detail), name)], width));
    tree.detail.pane.draw(title, is_focused, theme, buffer, |index| {
        Line::from(fit_spans(detail_spans(tree, &tree.detail.lines[index], theme), width))
    });
}

fn detail_spans(tree: &TreeView, line: &detail::DetailLine, theme: Theme) -> Vec<Span<'static>> {
    let meaning = match line.kind {
        DetailLineKind::Heading => Meaning::Heading,
        DetailLineKind::Fact | DetailLineKind::Text => Meaning::Text,
        DetailLineKind::Warning => Meaning::Warning,
        DetailLineKind::Section => Meaning::Hunk,
        DetailLineKind::Note => Meaning::Muted,
    };
    marked_spans(tree, &safe_string(&line.text), theme.style_for(meaning), theme)
}
