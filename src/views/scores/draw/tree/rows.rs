//! A row a node: what share of the root hangs on it, its score, its weight, its kind, and what it requires.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    metrics::rubric_tree::{Measure, Validity},
    run::{
        label,
        rubric_tree::{Category, Node, NodeId},
    },
    views::scores::tree::{Order, Part, Tree},
    widgets::{
        line::{fit, head, own, safe},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};

use super::marked;

/// The cells of each column; none of one that has no room.
#[derive(Clone, Copy)]
struct Columns {
    bar: usize,
    weight: usize,
    kind: usize,
}

const SHARE: usize = 5;
const SCORE: usize = 6;

impl Columns {
    fn of(width: usize) -> Self {
        let bar = match width {
            ..66 => 0,
            66..80 => 5,
            _ => 11,
        };
        let kind = if width < 60 { 0 } else { 7 };
        Self { bar, weight: if bar == 0 { 7 } else { 5 }, kind }
    }
}

pub fn draw(tree: &Tree, theme: Theme, heads: Rect, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let columns = Columns::of(width);
    put_row(head_row(tree, columns, theme, width), None, heads, 0, buffer);
    let is_focused = tree.part == Part::List;
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen = tree.rows.iter().enumerate().skip(tree.scroll.top).take(usize::from(area.height));
    for (index, id) in seen {
        let style = (index == tree.scroll.cursor).then_some(selected);
        let line = row(tree, *id, columns, theme, width);
        put_row(line, style, area, (index - tree.scroll.top) as u16, buffer);
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

fn row(tree: &Tree, id: NodeId, columns: Columns, theme: Theme, width: usize) -> Line<'static> {
    let Some(node) = tree.shown().and_then(|shown| shown.node(id)) else { return Line::default() };
    let measure = tree.measures.get(id);
    let muted = theme.of(Meaning::Muted);
    let first = if tree.order == Order::Loss { measure.loss() } else { measure.share };
    let mut spans = vec![own(format!("{:>SHARE$}", percent(first)), muted)];
    spans.push(own(format!("{:>SCORE$}", score(&measure)), theme.of(meaning(&measure))));
    if columns.bar > 0 {
        spans.push(own(format!(" {}", bar(&measure, columns.bar - 1)), theme.of(Meaning::Hunk)));
    }
    let weight = format!("{:>1$} ", weight(node.weight), columns.weight);
    spans.push(own(weight, theme.of(Meaning::Text)));
    spans.push(sign(tree, id, &measure, theme));
    if columns.kind > 0 {
        spans.push(own(format!("{:<1$}", kind(node), columns.kind), muted));
    }
    spans.extend(words(tree, id, node, theme));
    Line::from(fit(spans, width))
}

/// `100%`, `20.0%`, `7.41%`
fn percent(share: f64) -> String {
    match share * 100.0 {
        share if share >= 99.95 => "100%".into(),
        share if share >= 9.995 || share == 0.0 => format!("{share:.1}%"),
        share => format!("{share:.2}%"),
    }
}

fn score(measure: &Measure) -> String {
    measure.score.map_or_else(|| "-".into(), |score| format!("{score:.3}"))
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

/// Never full for less than 1, never empty for more than 0.
fn bar(measure: &Measure, cells: usize) -> String {
    let Some(score) = measure.score else { return " ".repeat(cells) };
    let rounded = (score * cells as f64).round() as usize;
    let full = match score {
        score if score >= 1.0 => cells,
        score if score <= 0.0 => 0,
        _ => rounded.clamp(1, cells - 1),
    };
    format!("{}{}", "█".repeat(full), "·".repeat(cells - full))
}

/// As written where that is short: four characters at most.
fn weight(weight: f64) -> String {
    let words = weight.to_string();
    match words.len() {
        ..5 => words,
        _ if weight < 9.995 => format!("{weight:.2}"),
        _ if weight < 9_999.5 => format!("{weight:.0}"),
        _ => format!("{weight:.0e}"),
    }
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

/// The fold mark, and what the node requires, what is looked for marked in it.
fn words(tree: &Tree, id: NodeId, node: &Node, theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    let before = match tree.order {
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
    };
    let text = safe(&label(&node.requirements));
    let plain = theme.of(if tree.is_leaf(id) { Meaning::Text } else { Meaning::Heading });
    let mut spans = vec![own(before, muted)];
    spans.extend(marked(tree, &text, plain, theme));
    spans
}
