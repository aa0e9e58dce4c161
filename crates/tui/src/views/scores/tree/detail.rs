//! The texts next to the list: the requirement of the chosen node, its weight, and the judge's answer.

use crate::widgets::{
    pane::{PaneRoom, TextPane},
    wrap::wrap_line,
};
use trajview_metrics::rubric_tree::LeafCounting;
use trajview_run::{
    format_number,
    rubric_tree::{
        LeafCategory, ModelTokens, NodeId, RubricNode, RubricTree, TreeGrading, sum_tokens,
    },
};

use super::{TreeView, answer, areas::TreeAreas};

/// Lines cut to the width they are shown in.
#[derive(Debug, Default)]
pub struct NodeDetail {
    pub lines: Vec<DetailLine>,
    pub pane: TextPane,
    /// The node and the width for which the lines were built.
    built_for: Option<(NodeId, usize)>,
}

/// A line of recorded text or of our own. Both are drawn like recorded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetailLine {
    pub kind: DetailLineKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailLineKind {
    Heading,
    Fact,
    /// A fact that should be noticed.
    Warning,
    Text,
    /// The name of a part of the judge's answer.
    Section,
    Note,
}

/// Most lines, as a bound on memory. Far more than a user scrolls through.
const MOST_DETAIL_LINES: usize = 20_000;

impl NodeDetail {
    pub(super) fn forget_lines(&mut self) {
        self.built_for = None;
    }
}

impl TreeView {
    /// Makes the lines of the chosen node, where they are not made yet.
    pub(super) fn settle_detail(&mut self, areas: &TreeAreas) {
        let Some(area) = areas.detail_rows() else {
            return self.detail.pane.settle(PaneRoom::default(), self.detail.lines.len());
        };
        let (Some(tree), Some(id)) = (self.tree.clone(), self.selected_node()) else {
            self.detail = NodeDetail::default();
            return self.detail.pane.settle(PaneRoom::framed(areas.detail), 0);
        };
        let width = usize::from(area.width);
        if self.detail.built_for.is_none_or(|(other, _)| other != id) {
            self.detail.pane.restart();
        }
        if self.detail.built_for != Some((id, width)) {
            self.detail.lines = DetailWriter::node_lines(self, &tree, id, width);
            self.detail.built_for = Some((id, width));
        }
        self.detail.pane.settle(PaneRoom::framed(areas.detail), self.detail.lines.len());
    }
}

/// Writes lines, each as many rows as it needs.
struct DetailWriter {
    lines: Vec<DetailLine>,
    width: usize,
}

impl DetailWriter {
    fn node_lines(
        state: &TreeView,
        tree: &RubricTree,
        id: NodeId,
        width: usize,
    ) -> Vec<DetailLine> {
        let mut writer = Self { lines: vec![], width };
        let Some(node) = tree.node(id) else { return vec![] };
        writer.push_facts(state, tree, id, node);
        writer.push_part("requirement", &node.requirements);
        if node.parent.is_none() {
            writer.push_result(&tree.result);
        }
        writer.push_judgement(state, id, node);
        writer.lines
    }

    fn push_words(&mut self, kind: DetailLineKind, words: &str) {
        for line in words.lines() {
            for range in wrap_line(line, self.width) {
                if self.lines.len() < MOST_DETAIL_LINES {
                    self.lines.push(DetailLine { kind, text: line[range].to_owned() });
                }
            }
        }
        if self.lines.len() == MOST_DETAIL_LINES {
            let words = "the rest is too long to show".to_owned();
            self.lines.push(DetailLine { kind: DetailLineKind::Note, text: words });
        }
    }

    fn push_warning(&mut self, words: &str) {
        self.push_words(DetailLineKind::Warning, &format!("⊘ {words}"));
    }

    /// Adds an empty line, but not after another or a heading.
    fn push_gap(&mut self) {
        let is_needed =
            |line: &DetailLine| !line.text.is_empty() && line.kind != DetailLineKind::Heading;
        if self.lines.last().is_some_and(is_needed) {
            self.push_empty();
        }
    }

    fn push_empty(&mut self) {
        if self.lines.len() < MOST_DETAIL_LINES {
            self.lines.push(DetailLine { kind: DetailLineKind::Text, text: String::new() });
        }
    }

    /// Adds a heading and the text below it. Adds nothing if there is no text.
    fn push_part(&mut self, heading: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.push_gap();
        self.push_words(DetailLineKind::Heading, heading);
        self.push_words(DetailLineKind::Text, text.trim());
    }

    fn push_facts(&mut self, state: &TreeView, tree: &RubricTree, id: NodeId, node: &RubricNode) {
        let category = node.category.as_ref().map(LeafCategory::file_text);
        let kinds = [category, node.finegrained.as_deref()];
        let kinds: Vec<&str> = kinds.into_iter().flatten().collect();
        if !kinds.is_empty() {
            self.push_words(DetailLineKind::Fact, &kinds.join(" · "));
        }
        self.push_words(DetailLineKind::Fact, &weight_text(state, tree, id, node));
        self.push_score(state, id, node);
        self.push_validity(state, id);
        if let Some(answer) = node.answer.as_ref().filter(|answer| !answer.tokens.is_empty()) {
            self.push_words(
                DetailLineKind::Fact,
                &format!("judging took {}", tokens_text(&answer.tokens)),
            );
        }
        if !node.id.is_empty() {
            self.push_words(DetailLineKind::Note, &format!("id {}", node.id));
        }
    }

    fn push_score(&mut self, state: &TreeView, id: NodeId, node: &RubricNode) {
        let measure = state.measures.get(id);
        let Some(score) = measure.score else {
            return self.push_words(DetailLineKind::Fact, "not graded");
        };
        let is_whole = state.counting == LeafCounting::All && !state.is_leaf(id);
        let recorded = node.score.filter(|_| is_whole);
        let differs = recorded.filter(|recorded| (recorded - score).abs() > 1e-9);
        let as_recorded =
            if recorded.is_some() && differs.is_none() { ", as recorded" } else { "" };
        let costs = match measure.score_loss() {
            loss if loss > 0.0 && node.parent.is_some() => {
                format!("; costs the root {}", format_number::percent_with_tenth(loss))
            }
            _ => String::new(),
        };
        self.push_words(
            DetailLineKind::Fact,
            &format!("scores {}{as_recorded}{costs}", format_number::three_decimals(score)),
        );
        if let Some(recorded) = differs {
            let words = format!("recorded as {recorded}, which differs from its sub-tasks");
            self.push_warning(&words);
        } else if node.score.is_none() && state.is_leaf(id) {
            self.push_warning("no usable score is recorded: it counts as 0");
        }
    }

    fn push_validity(&mut self, state: &TreeView, id: NodeId) {
        let measure = state.measures.get(id);
        if measure.score.is_none() || measure.invalid == 0 {
            return;
        }
        if state.is_leaf(id) {
            return self.push_warning("invalid: its judging failed, and it counts as 0");
        }
        let without = state.valid_measures.get(id).score;
        let without = match (without, state.counting) {
            (Some(score), LeafCounting::All) => {
                format!("; without them it scores {}", format_number::three_decimals(score))
            }
            (None, LeafCounting::All) => "; no other nodes below".into(),
            _ => String::new(),
        };
        let words = format!(
            "{} of {} leaves invalid, counted as 0{without}",
            measure.invalid, measure.leaves
        );
        self.push_warning(&words);
    }

    /// Adds the facts of the result that contains the tree.
    fn push_result(&mut self, result: &TreeGrading) {
        let judge: Vec<&str> =
            [&result.judge, &result.model].into_iter().flatten().map(|it| &**it).collect();
        let facts = [
            result.paper.as_ref().map(|paper| format!("paper {paper}")),
            result.run.as_ref().map(|run| format!("run {run}")),
            (!judge.is_empty()).then(|| format!("judged by {}", judge.join(", "))),
            result.graded_at.as_ref().map(|at| format!("graded at {at}")),
            (!result.tokens.is_empty())
                .then(|| format!("judging took {}", tokens_text(&result.tokens))),
            (result.has_submission == Some(false)).then(|| "there was no submission".to_owned()),
            (result.is_code_only == Some(true)).then(|| "only code was graded".to_owned()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        if !facts.is_empty() {
            self.push_gap();
            self.push_words(DetailLineKind::Heading, "the grading");
            facts.iter().for_each(|fact| self.push_words(DetailLineKind::Fact, fact));
        }
    }

    /// Adds the explanation, and the judge's whole answer in its sections if it has more.
    fn push_judgement(&mut self, state: &TreeView, id: NodeId, node: &RubricNode) {
        let response = node.answer.as_ref().map(|answer| &*answer.response).unwrap_or_default();
        let is_repeated = response.trim() == node.explanation.trim();
        let is_aggregate = !state.is_leaf(id) && node.answer.is_none();
        if !is_repeated && !is_aggregate {
            self.push_part("explanation", &node.explanation);
        }
        let response = if response.trim().is_empty() { "" } else { response };
        if response.is_empty() {
            return;
        }
        self.push_gap();
        self.push_words(DetailLineKind::Heading, "explanation of the judge");
        let mut last = None;
        for (section, line) in answer::lines_by_section(response.trim()) {
            if let Some(section) = section.filter(|_| section != last) {
                self.push_gap();
                self.push_words(DetailLineKind::Section, &format!("– {}", section.section_name()));
            }
            last = section;
            if line.trim().is_empty() {
                self.push_gap()
            } else {
                self.push_words(DetailLineKind::Text, line)
            }
        }
    }
}

/// Returns `weight 3 of 6 among 3 siblings; 5.0 % of the root's score`.
fn weight_text(state: &TreeView, tree: &RubricTree, id: NodeId, node: &RubricNode) -> String {
    let share = format_number::percent_with_tenth(state.measures.get(id).share);
    let Some(parent) = node.parent else {
        let measure = state.measures.get(id);
        let leaves = if measure.leaves == 1 { "leaf" } else { "leaves" };
        return format!("the whole rubric: {} {leaves}", measure.leaves);
    };
    let siblings = || tree.child_nodes(parent).filter(|child| state.measures.get(*child).counts);
    let total: f64 = siblings().filter_map(|child| tree.node(child)).map(|node| node.weight).sum();
    let among = match siblings().count() {
        1 => "alone".to_owned(),
        count => format!("of {total} among {count} siblings"),
    };
    format!("weight {} {among}; {share} of the root's score", node.weight)
}

/// Returns `9123 tokens in, 210 out (o3-mini)`.
fn tokens_text(tokens: &[ModelTokens]) -> String {
    let (input, output) = sum_tokens(tokens);
    let models: Vec<&str> = tokens.iter().map(|of| &*of.model).collect();
    format!(
        "{} tokens in, {} out ({})",
        format_number::with_thousands(input),
        format_number::with_thousands(output),
        models.join(", ")
    )
}
