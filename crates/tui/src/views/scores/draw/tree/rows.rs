//! A row a node: what share of the root hangs on it, its score, its weight, its kind, and what it requires.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::scores::tree::{
        Order, Part, Tree,
        areas::{Columns, SCORE, SHARE},
    },
    widgets::{
        line::{fit, head, own, safe, width_of},
        looks::Alphabet,
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_metrics::rubric_tree::{Measure, Validity};
use trajview_run::{
    figures, label,
    rubric_tree::{Category, Node, NodeId},
};

use super::marked;

pub fn draw(tree: &Tree, theme: Theme, heads: Rect, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let columns = Columns::of(width);
    put_row(head_row(tree, columns, theme, width), None, heads, 0, buffer);
    let is_focused = tree.part == Part::List;
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen = tree.rows.iter().enumerate().skip(tree.scroll.top).take(usize::from(area.height));
    let heights = tree.heights(area);
    let mut y = 0;
    for (index, id) in seen {
        let style = (index == tree.scroll.cursor).then_some(selected);
        for line in row(tree, *id, heights[index], theme, width) {
            put_row(line, style, area, y, buffer);
            y += 1;
        }
    }
}

fn head_row(tree: &Tree, columns: Columns, theme: Theme, width: usize) -> Line<'static> {
    let first = if tree.order == Order::Loss { "costs" } else { "share" };
    let kind = if columns.kind > 0 { "kind" } else { "" };
    let (weight, kinds) = (columns.bar + columns.weight, columns.kind);
    let words = format!(
        "{first:>SHARE$}{:>SCORE$}{:>weight$}   {kind:<kinds$}requirement",
        "score", "weight"
    );
    Line::from(fit(vec![own(words, theme.of(Meaning::Muted))], width))
}

/// The lines of a node, as many as it has.
fn row(tree: &Tree, id: NodeId, height: usize, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let columns = Columns::of(width);
    let Some(node) = tree.shown().and_then(|shown| shown.node(id)) else { return vec![] };
    let measure = tree.measures.get(id);
    let muted = theme.of(Meaning::Muted);
    let first = if tree.order == Order::Loss { measure.loss() } else { measure.share };
    let mut spans = vec![own(format!("{:>SHARE$}", figures::part(first)), muted)];
    spans.push(own(format!("{:>SCORE$}", score(&measure)), theme.of(meaning(&measure))));
    if columns.bar > 0 {
        spans.push(own(
            format!(" {}", bar(&measure, columns.bar - 1, theme)),
            theme.of(Meaning::Hunk),
        ));
    }
    let weight = format!("{:>1$} ", figures::weight(node.weight), columns.weight);
    spans.push(own(weight, theme.of(Meaning::Text)));
    spans.push(sign(tree, id, &measure, theme));
    if columns.kind > 0 {
        spans.push(own(format!("{:<1$}", kind(node), columns.kind), muted));
    }
    spans.push(own(before_words(tree, id), muted));
    let plain = theme.of(if tree.is_leaf(id) { Meaning::Text } else { Meaning::Heading });
    let text = safe(&label(&node.requirements));
    let end = match height {
        0 | 1 => text.len(),
        _ => wrap(&text, tree.words_room(id, width)).first().map_or(text.len(), |row| row.end),
    };
    let (first, second) = text.split_at(end);
    let indent = width_of(&spans);
    spans.extend(marked(tree, first.trim_end(), plain, theme));
    let mut lines = vec![Line::from(fit(spans, width))];
    if height > 1 {
        let mut spans = vec![own(" ".repeat(indent), muted)];
        spans.extend(marked(tree, second.trim_start(), plain, theme));
        lines.push(Line::from(fit(spans, width)));
    }
    lines
}

fn score(measure: &Measure) -> String {
    measure.score.map_or_else(|| "-".into(), figures::share)
}

fn meaning(measure: &Measure) -> Meaning {
    match (measure.score, measure.validity()) {
        (_, Some(Validity::Invalid)) => Meaning::Warning,
        (Some(score), _) if score >= 1.0 => Meaning::Added,
        (Some(score), _) if score <= 0.0 => Meaning::Removed,
        (Some(_), _) => Meaning::Text,
        (None, _) => Meaning::Muted,
    }
}

/// In eighths of a cell; never full for less than 1, never empty for more than 0.
fn bar(measure: &Measure, cells: usize, theme: Theme) -> String {
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

/// Of a leaf whether it is fulfilled; of any other whether leaves below it are invalid.
fn sign(tree: &Tree, id: NodeId, measure: &Measure, theme: Theme) -> Span<'static> {
    let (sign, meaning) = match (measure.score, measure.invalid > 0, tree.is_leaf(id)) {
        (None, ..) => (" ", Meaning::Text),
        (_, true, _) => ("⊘", Meaning::Warning),
        (_, _, false) => (" ", Meaning::Text),
        (Some(score), ..) if score >= 1.0 => ("✓", Meaning::Added),
        (Some(score), ..) if score <= 0.0 => ("✗", Meaning::Removed),
        _ => ("◈", Meaning::Text),
    };
    own(format!("{sign} "), theme.of(meaning))
}

fn kind(node: &Node) -> String {
    match &node.category {
        None => String::new(),
        Some(Category::CodeDevelopment) => "code".into(),
        Some(Category::CodeExecution) => "run".into(),
        Some(Category::ResultAnalysis) => "result".into(),
        Some(Category::Subtree) => "tree".into(),
        Some(Category::Other(words)) => head(&safe(words), 6).to_owned(),
    }
}

/// The fold mark; in the list by loss the node's way from the root.
fn before_words(tree: &Tree, id: NodeId) -> String {
    match tree.order {
        Order::Loss => {
            let path = tree.shown().map(|shown| shown.path(id).to_string()).unwrap_or_default();
            format!("{path:<9} ")
        }
        Order::Tree => {
            let fold = match (tree.is_leaf(id), tree.is_open(id)) {
                (true, _) => " ",
                (_, true) => "▾",
                (_, false) => "▸",
            };
            format!("{}{fold} ", " ".repeat(tree.indent(id)))
        }
    }
}
