//! A row a node: what share of the root hangs on it, its score, its weight, its kind, and what it requires.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::scores::tree::{
        NodeOrder, TreePart, TreeView,
        areas::{SCORE_CELLS, SHARE_CELLS, TreeColumns},
    },
    widgets::{
        display_options::Alphabet,
        line::{fit_spans, fitting_prefix, safe_string, spans_width, trusted_span},
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_metrics::rubric_tree::{NodeMeasure, Validity};
use trajview_run::{
    first_line_label, format_number,
    rubric_tree::{LeafCategory, NodeId, RubricNode},
};

use super::marked_spans;

pub(crate) fn draw_tree_rows(
    tree: &TreeView,
    theme: Theme,
    heads: Rect,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width);
    let columns = TreeColumns::for_width(width);
    put_row(head_row(tree, columns, theme, width), None, heads, 0, buffer);
    let is_focused = tree.part == TreePart::List;
    let selected = theme.chosen_row(is_focused);
    let seen = tree.rows.iter().enumerate().skip(tree.list.top()).take(usize::from(area.height));
    let heights = tree.row_heights(area);
    let mut y = 0;
    for (index, id) in seen {
        let style = (index == tree.list.cursor()).then_some(selected);
        for line in node_lines(tree, *id, heights[index], theme, width) {
            put_row(line, style, area, y, buffer);
            y += 1;
        }
    }
}

fn head_row(tree: &TreeView, columns: TreeColumns, theme: Theme, width: usize) -> Line<'static> {
    let first = if tree.order == NodeOrder::Loss { "costs" } else { "share" };
    let kind = if columns.kind > 0 { "kind" } else { "" };
    let (weight, kinds) = (columns.bar + columns.weight, columns.kind);
    let words = format!(
        "{first:>SHARE_CELLS$}{:>SCORE_CELLS$}{:>weight$}   {kind:<kinds$}requirement",
        "score", "weight"
    );
    Line::from(fit_spans(vec![trusted_span(words, theme.style_for(Meaning::Muted))], width))
}

/// Returns the lines of a node, as many as it has.
fn node_lines(
    tree: &TreeView,
    id: NodeId,
    height: usize,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let columns = TreeColumns::for_width(width);
    let Some(node) = tree.shown_tree().and_then(|shown| shown.node(id)) else { return vec![] };
    let measure = tree.measures.get(id);
    let muted = theme.style_for(Meaning::Muted);
    let first = if tree.order == NodeOrder::Loss { measure.score_loss() } else { measure.share };
    let mut spans = vec![trusted_span(
        format!("{:>SHARE_CELLS$}", format_number::percent_with_tenth(first)),
        muted,
    )];
    spans.push(trusted_span(
        format!("{:>SCORE_CELLS$}", score_text(&measure)),
        theme.style_for(score_meaning(&measure)),
    ));
    if columns.bar > 0 {
        spans.push(trusted_span(
            format!(" {}", score_bar(&measure, columns.bar - 1, theme)),
            theme.style_for(Meaning::Hunk),
        ));
    }
    let weight = format!("{:>1$} ", format_number::weight_text(node.weight), columns.weight);
    spans.push(trusted_span(weight, theme.style_for(Meaning::Text)));
    spans.push(node_sign(tree, id, &measure, theme));
    if columns.kind > 0 {
        spans.push(trusted_span(format!("{:<1$}", kind_text(node), columns.kind), muted));
    }
    spans.push(trusted_span(before_words(tree, id), muted));
    let plain = theme.style_for(if tree.is_leaf(id) { Meaning::Text } else { Meaning::Heading });
    let text = safe_string(&first_line_label(&node.requirements));
    let end = match height {
        0 | 1 => text.len(),
        _ => wrap_line(&text, tree.words_room(id, width)).first().map_or(text.len(), |row| row.end),
    };
    let (first, second) = text.split_at(end);
    let indent = spans_width(&spans);
    spans.extend(marked_spans(tree, first.trim_end(), plain, theme));
    let mut lines = vec![Line::from(fit_spans(spans, width))];
    if height > 1 {
        let mut spans = vec![trusted_span(" ".repeat(indent), muted)];
        spans.extend(marked_spans(tree, second.trim_start(), plain, theme));
        lines.push(Line::from(fit_spans(spans, width)));
    }
    lines
}

fn score_text(measure: &NodeMeasure) -> String {
    measure.score.map_or_else(|| "-".into(), format_number::three_decimals)
}

fn score_meaning(measure: &NodeMeasure) -> Meaning {
    match (measure.score, measure.validity()) {
        (_, Some(Validity::Invalid)) => Meaning::Warning,
        (Some(score), _) if score >= 1.0 => Meaning::Added,
        (Some(score), _) if score <= 0.0 => Meaning::Removed,
        (Some(_), _) => Meaning::Text,
        (None, _) => Meaning::Muted,
    }
}

/// Returns a bar in eighths of a cell. It is never full below 1 and never empty above 0.
fn score_bar(measure: &NodeMeasure, cells: usize, theme: Theme) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let Some(score) = measure.score else { return " ".repeat(cells) };
    let parts = match theme.alphabet() {
        Alphabet::Unicode => 8,
        Alphabet::Ascii => 1,
    };
    let most = cells * parts;
    let filled = match score {
        score if score >= 1.0 => most,
        score if score <= 0.0 => 0,
        score => ((score * most as f64).round() as usize).clamp(1, most - 1),
    };
    let (whole, rest) = (filled / parts, filled % parts);
    let blank = cells - whole - usize::from(rest > 0);
    format!("{}{}{}", "█".repeat(whole), EIGHTHS[rest], "·".repeat(blank))
}

/// Returns the sign of a node: for a leaf whether it is fulfilled, for other nodes whether leaves below are invalid.
fn node_sign(tree: &TreeView, id: NodeId, measure: &NodeMeasure, theme: Theme) -> Span<'static> {
    let (sign, meaning) = match (measure.score, measure.invalid > 0, tree.is_leaf(id)) {
        (None, ..) => (" ", Meaning::Text),
        (_, true, _) => ("⊘", Meaning::Warning),
        (_, _, false) => (" ", Meaning::Text),
        (Some(score), ..) if score >= 1.0 => ("✓", Meaning::Added),
        (Some(score), ..) if score <= 0.0 => ("✗", Meaning::Removed),
        _ => ("◈", Meaning::Text),
    };
    trusted_span(format!("{sign} "), theme.style_for(meaning))
}

fn kind_text(node: &RubricNode) -> String {
    match &node.category {
        None => String::new(),
        Some(LeafCategory::CodeDevelopment) => "code".into(),
        Some(LeafCategory::CodeExecution) => "run".into(),
        Some(LeafCategory::ResultAnalysis) => "result".into(),
        Some(LeafCategory::Subtree) => "tree".into(),
        Some(LeafCategory::Other(words)) => fitting_prefix(&safe_string(words), 6).to_owned(),
    }
}

/// Returns the fold mark. In the list by loss, returns the node's path from the root.
fn before_words(tree: &TreeView, id: NodeId) -> String {
    match tree.order {
        NodeOrder::Loss => {
            let path =
                tree.shown_tree().map(|shown| shown.node_path(id).to_string()).unwrap_or_default();
            format!("{path:<9} ")
        }
        NodeOrder::Tree => {
            let fold = match (tree.is_leaf(id), tree.is_open(id)) {
                (true, _) => " ",
                (_, true) => "▾",
                (_, false) => "▸",
            };
            format!("{}{fold} ", " ".repeat(tree.node_indent(id)))
        }
    }
}
