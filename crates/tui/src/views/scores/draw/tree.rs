//! The rubric tree: a row a node, and the words of the chosen one beside it.

mod detail;
mod rows;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    views::scores::{
        Scores,
        tree::{Order, Part, Tree, areas::Areas},
    },
    widgets::{
        hits,
        layout::Layout,
        line::{fit, own, safe},
        panel::{sentence, titled},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::rubric_tree::{Counting, Measure};
use trajview_run::{figures, rubric_tree::NodeId};

pub fn draw(view: &Scores, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let tree = &view.tree;
    let areas = Areas::of(layout, tree.part);
    if let Some(area) = areas.tabs {
        tabs(tree, theme, area, buffer);
    }
    if let Some(area) = areas.list {
        list(tree, theme, area, &areas, buffer);
    }
    if let Some(area) = areas.detail {
        detail::draw(tree, theme, area, buffer);
    }
}

fn tabs(tree: &Tree, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let mut spans = vec![own(" ", theme.of(Meaning::Text))];
    for part in [Part::List, Part::Detail] {
        let is_here = tree.part == part;
        let style = theme.of(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.push(own(tree.tab(part), style));
        spans.push(own(" ", theme.of(Meaning::Text)));
    }
    Line::from(fit(spans, usize::from(area.width))).render(area, buffer);
}

fn list(tree: &Tree, theme: Theme, area: Rect, areas: &Areas, buffer: &mut Buffer) {
    let is_focused = tree.part == Part::List;
    let width = usize::from(area.width.saturating_sub(2));
    let right = Line::from(fit(choice(tree, theme), width / 2));
    let room = width.saturating_sub(right.width());
    let titles = [Line::from(fit(title(tree, theme), room)), right, Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let Some(rows) = areas.list_rows() else { return };
    if tree.rows.is_empty() {
        let words = format!("no node says \"{}\"; esc lists all again", safe(&tree.find.text));
        return sentence(&words, theme.of(Meaning::Muted), inner, buffer);
    }
    rows::draw(tree, theme, Rect { height: 1.min(inner.height), ..inner }, rows, buffer);
    crate::widgets::panel::position(
        tree.scroll.top,
        tree.rows.len(),
        theme,
        below_heads(area),
        buffer,
    );
}

/// The area without the row of the heads, for counting rows.
fn below_heads(area: Rect) -> Rect {
    Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area }
}

/// ` rubric tree  0.673 · 27 leaves, 2 invalid `
fn title(tree: &Tree, theme: Theme) -> Vec<Span<'static>> {
    let is_focused = tree.part == Part::List;
    let name = theme.of(if is_focused { Meaning::Title } else { Meaning::Text });
    let root = tree.measures.get(NodeId::default());
    let words = match tree.order {
        Order::Tree => " rubric tree ",
        Order::Loss => " largest losses first ",
    };
    let mut spans =
        vec![own(words, name), own(format!(" {} ", sums(&root)), theme.of(Meaning::Text))];
    if root.score.is_some() && root.invalid > 0 {
        let without =
            tree.valid.get(NodeId::default()).score.filter(|_| tree.counting == Counting::All);
        let without =
            without.map(|score| format!(", {} without", figures::share(score))).unwrap_or_default();
        let words = format!("⊘ {} invalid{without} ", root.invalid);
        spans.push(own(words, theme.of(Meaning::Warning)));
    }
    spans
}

fn sums(root: &Measure) -> String {
    let leaves = if root.leaves == 1 { "leaf" } else { "leaves" };
    match root.score {
        Some(score) => format!("{} · {} {leaves}", figures::share(score), root.leaves),
        None => format!("not graded · {} {leaves}", root.leaves),
    }
}

/// ` code only  "loss": 3 nodes `
fn choice(tree: &Tree, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![];
    if tree.counting == Counting::CodeOnly {
        spans.push(own(" code only ", theme.of(Meaning::Warning)));
    }
    if tree.find.is_active() {
        let count = tree.find.count();
        let nodes = if count == 1 { "node" } else { "nodes" };
        let words = format!(" \"{}\": {count} {nodes} ", safe(&tree.find.text));
        spans.push(own(words, theme.of(Meaning::Hit)));
    }
    spans
}

/// Words with what is looked for marked in them.
fn marked(tree: &Tree, text: &str, plain: Style, theme: Theme) -> Vec<Span<'static>> {
    let found = tree.find.regex().map(|regex| hits::in_row(regex, text, &(0..text.len())));
    let (mut spans, mut done) = (vec![], 0);
    for hit in found.unwrap_or_default() {
        let (before, words) = (text.get(done..hit.in_row.start), text.get(hit.in_row.clone()));
        spans.push(own(before.unwrap_or_default(), plain));
        spans.push(own(words.unwrap_or_default(), theme.of(Meaning::Hit)));
        done = hit.in_row.end;
    }
    spans.push(own(text.get(done..).unwrap_or_default(), plain));
    spans
}
