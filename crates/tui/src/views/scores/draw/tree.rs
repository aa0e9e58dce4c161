//! Draws the rubric tree: one row for each node, and the texts of the chosen node next to it.

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
    session::{Session, context::KeyContext},
    views::scores::{
        ScoresView,
        tree::{NodeOrder, TreePart, TreeView, areas::TreeAreas},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, safe_string, trusted_span},
        panel::{PanelTitles, draw_sentence},
        search_hits,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::rubric_tree::{LeafCounting, NodeMeasure};
use trajview_run::{format_number, rubric_tree::NodeId};

pub(crate) fn draw_tree(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let tree = &view.tree;
    let areas = TreeAreas::for_layout(layout, tree.part);
    if let Some(area) = areas.tabs {
        draw_tree_tabs(tree, theme, area, buffer);
    }
    if let Some(area) = areas.list {
        draw_tree_list(tree, session, theme, area, &areas, buffer);
    }
    if let Some(area) = areas.detail {
        detail::draw_node_detail(tree, theme, area, buffer);
    }
}

fn draw_tree_tabs(tree: &TreeView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let mut spans = vec![trusted_span(" ", theme.style_for(Meaning::Text))];
    for part in [TreePart::List, TreePart::Detail] {
        let is_here = tree.part == part;
        let style = theme.style_for(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.push(trusted_span(tree.tab_title(part), style));
        spans.push(trusted_span(" ", theme.style_for(Meaning::Text)));
    }
    Line::from(fit_spans(spans, usize::from(area.width))).render(area, buffer);
}

fn draw_tree_list(
    tree: &TreeView,
    session: &Session,
    theme: Theme,
    area: Rect,
    areas: &TreeAreas,
    buffer: &mut Buffer,
) {
    let is_focused = tree.part == TreePart::List;
    let width = usize::from(area.width.saturating_sub(2));
    let right = Line::from(fit_spans(choice_spans(tree, theme), width / 2));
    let room = width.saturating_sub(right.width());
    let titles = PanelTitles::from(fit_spans(tree_title(tree, theme), room)).with_right(right);
    let inner = tree.list.draw_frame(titles, is_focused, theme, buffer);
    let Some(rows) = areas.list_rows() else { return };
    if tree.rows.is_empty() {
        let cancel = session.keys.key_text(KeyContext::RubricFind, "cancel");
        let words =
            format!("no match for \"{}\"; {cancel} shows all", safe_string(&tree.find.text));
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    rows::draw_tree_rows(tree, theme, Rect { height: 1.min(inner.height), ..inner }, rows, buffer);
    tree.list.draw_position(theme, buffer);
}

/// Returns ` rubric tree  0.673 · 27 leaves, 2 invalid `.
fn tree_title(tree: &TreeView, theme: Theme) -> Vec<Span<'static>> {
    let is_focused = tree.part == TreePart::List;
    let name = theme.style_for(if is_focused { Meaning::Title } else { Meaning::Text });
    let root = tree.measures.get(NodeId::default());
    let words = match tree.order {
        NodeOrder::Tree => " rubric tree ",
        NodeOrder::Loss => " largest losses first ",
    };
    let mut spans = vec![
        trusted_span(words, name),
        trusted_span(format!(" {} ", tree_sums(&root)), theme.style_for(Meaning::Text)),
    ];
    if root.score.is_some() && root.invalid > 0 {
        let without = tree
            .valid_measures
            .get(NodeId::default())
            .score
            .filter(|_| tree.counting == LeafCounting::All);
        let without = without
            .map(|score| format!(", {} without", format_number::three_decimals(score)))
            .unwrap_or_default();
        let words = format!("⊘ {} invalid{without} ", root.invalid);
        spans.push(trusted_span(words, theme.style_for(Meaning::Warning)));
    }
    spans
}

fn tree_sums(root: &NodeMeasure) -> String {
    let leaves = if root.leaves == 1 { "leaf" } else { "leaves" };
    match root.score {
        Some(score) => {
            format!("{} · {} {leaves}", format_number::three_decimals(score), root.leaves)
        }
        None => format!("not graded · {} {leaves}", root.leaves),
    }
}

/// Returns ` code only  "loss": 3 nodes `.
fn choice_spans(tree: &TreeView, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![];
    if tree.counting == LeafCounting::CodeOnly {
        spans.push(trusted_span(" code only ", theme.style_for(Meaning::Warning)));
    }
    if tree.find.is_active() {
        let count = tree.find.hit_count();
        let nodes = if count == 1 { "node" } else { "nodes" };
        let words = format!(" \"{}\": {count} {nodes} ", safe_string(&tree.find.text));
        spans.push(trusted_span(words, theme.style_for(Meaning::Hit)));
    }
    spans
}

/// Returns the words with what is looked for marked in them.
fn marked_spans(tree: &TreeView, text: &str, plain: Style, theme: Theme) -> Vec<Span<'static>> {
    let found =
        tree.find.find_regex().map(|regex| search_hits::hits_in_row(regex, text, &(0..text.len())));
    let (mut spans, mut done) = (vec![], 0);
    for hit in found.unwrap_or_default() {
        let (before, words) = (text.get(done..hit.in_row.start), text.get(hit.in_row.clone()));
        spans.push(trusted_span(before.unwrap_or_default(), plain));
        spans.push(trusted_span(words.unwrap_or_default(), theme.style_for(Meaning::Hit)));
        done = hit.in_row.end;
    }
    spans.push(trusted_span(text.get(done..).unwrap_or_default(), plain));
    spans
}
