//! The words beside the list: what the chosen node requires, what it counts for, and what the judge said.

use crate::widgets::{
    scroll::{Motion, Scroll},
    wrap::wrap,
};
use trajview_metrics::rubric_tree::Counting;
use trajview_run::{
    figures,
    rubric_tree::{Category, Grading, ModelTokens, Node, NodeId, RubricTree, sum},
};

use super::{Tree, answer, areas::Areas};

/// Lines cut to the width they are shown in.
#[derive(Debug, Default)]
pub struct Detail {
    pub lines: Vec<Line>,
    /// The first line that is shown.
    pub top: usize,
    /// What the lines are made for.
    of: Option<(NodeId, usize)>,
}

/// A line of recorded words or ours; to be drawn as recorded either way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub kind: Kind,
    pub words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Heading,
    Fact,
    /// A fact that should be noticed.
    Warning,
    Text,
    /// The name of a part of the judge's answer.
    Section,
    Note,
}

/// A bound on memory, far beyond what anybody scrolls through.
const MOST_LINES: usize = 20_000;

impl Detail {
    pub(super) fn go(&mut self, motion: Motion, areas: &Areas) {
        let height = areas.detail_rows().map_or(0, |area| usize::from(area.height));
        let mut scroll = Scroll { cursor: 0, top: self.top };
        scroll.turn(motion, self.lines.len(), height);
        self.top = scroll.top;
    }

    pub(super) fn forget(&mut self) {
        self.of = None;
    }
}

impl Tree {
    /// Makes the lines of the chosen node, where they are not made yet.
    pub(super) fn settle_detail(&mut self, areas: &Areas) {
        let Some(area) = areas.detail_rows() else { return };
        let (Some(tree), Some(id)) = (self.of.clone(), self.selected()) else {
            self.detail = Detail::default();
            return;
        };
        let width = usize::from(area.width);
        if self.detail.of == Some((id, width)) {
            return;
        }
        let is_other = self.detail.of.is_none_or(|(other, _)| other != id);
        let top = if is_other { 0 } else { self.detail.top };
        let lines = Writer::of(self, &tree, id, width);
        let most = lines.len().saturating_sub(usize::from(area.height));
        self.detail = Detail { lines, top: top.min(most), of: Some((id, width)) };
    }
}

/// Writes lines, each as many rows as it needs.
struct Writer {
    lines: Vec<Line>,
    width: usize,
}

impl Writer {
    fn of(state: &Tree, tree: &RubricTree, id: NodeId, width: usize) -> Vec<Line> {
        let mut writer = Self { lines: vec![], width };
        let Some(node) = tree.node(id) else { return vec![] };
        writer.facts(state, tree, id, node);
        writer.part("what it requires", &node.requirements);
        if node.parent.is_none() {
            writer.result(&tree.result);
        }
        writer.judged(state, id, node);
        writer.lines
    }

    fn push(&mut self, kind: Kind, words: &str) {
        for line in words.lines() {
            for range in wrap(line, self.width) {
                if self.lines.len() < MOST_LINES {
                    self.lines.push(Line { kind, words: line[range].to_owned() });
                }
            }
        }
        if self.lines.len() == MOST_LINES {
            let words = "the rest is too long to be shown here".to_owned();
            self.lines.push(Line { kind: Kind::Note, words });
        }
    }

    fn warn(&mut self, words: &str) {
        self.push(Kind::Warning, &format!("⊘ {words}"));
    }

    /// An empty line, but not after another or a heading.
    fn gap(&mut self) {
        let is_needed = |line: &Line| !line.words.is_empty() && line.kind != Kind::Heading;
        if self.lines.last().is_some_and(is_needed) {
            self.push_empty();
        }
    }

    fn push_empty(&mut self) {
        if self.lines.len() < MOST_LINES {
            self.lines.push(Line { kind: Kind::Text, words: String::new() });
        }
    }

    /// A heading and the text below it; nothing where there is no text.
    fn part(&mut self, heading: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.gap();
        self.push(Kind::Heading, heading);
        self.push(Kind::Text, text.trim());
    }

    fn facts(&mut self, state: &Tree, tree: &RubricTree, id: NodeId, node: &Node) {
        let category = node.category.as_ref().map(Category::words);
        let kinds = [category, node.finegrained.as_deref()];
        let kinds: Vec<&str> = kinds.into_iter().flatten().collect();
        if !kinds.is_empty() {
            self.push(Kind::Fact, &kinds.join(" · "));
        }
        self.push(Kind::Fact, &weight(state, tree, id, node));
        self.score(state, id, node);
        self.validity(state, id);
        if let Some(answer) = node.answer.as_ref().filter(|answer| !answer.tokens.is_empty()) {
            self.push(Kind::Fact, &format!("judging took {}", tokens(&answer.tokens)));
        }
        if !node.id.is_empty() {
            self.push(Kind::Note, &format!("id {}", node.id));
        }
    }

    fn score(&mut self, state: &Tree, id: NodeId, node: &Node) {
        let measure = state.measures.get(id);
        let Some(score) = measure.score else {
            return self.push(Kind::Fact, "not graded");
        };
        let is_whole = state.counting == Counting::All && !state.is_leaf(id);
        let recorded = node.score.filter(|_| is_whole);
        let differs = recorded.filter(|recorded| (recorded - score).abs() > 1e-9);
        let as_recorded =
            if recorded.is_some() && differs.is_none() { ", as recorded" } else { "" };
        let costs = match measure.loss() {
            loss if loss > 0.0 && node.parent.is_some() => {
                format!("; costs the root {}", figures::part(loss))
            }
            _ => String::new(),
        };
        self.push(Kind::Fact, &format!("scores {}{as_recorded}{costs}", figures::share(score)));
        if let Some(recorded) = differs {
            let words = format!("recorded as {recorded}, which its sub-tasks do not come to");
            self.warn(&words);
        } else if node.score.is_none() && state.is_leaf(id) {
            self.warn("no score that can be used is recorded: it counts as 0");
        }
    }

    fn validity(&mut self, state: &Tree, id: NodeId) {
        let measure = state.measures.get(id);
        if measure.score.is_none() || measure.invalid == 0 {
            return;
        }
        if state.is_leaf(id) {
            return self.warn("invalid: its judging failed, and it counts as 0");
        }
        let without = state.valid.get(id).score;
        let without = match (without, state.counting) {
            (Some(score), Counting::All) => {
                format!("; without them it scores {}", figures::share(score))
            }
            (None, Counting::All) => "; nothing else is below it".into(),
            _ => String::new(),
        };
        let words = format!(
            "{} of {} leaves invalid, counted as 0{without}",
            measure.invalid, measure.leaves
        );
        self.warn(&words);
    }

    /// What the result around the tree says.
    fn result(&mut self, result: &Grading) {
        let judge: Vec<&str> =
            [&result.judge, &result.model].into_iter().flatten().map(|it| &**it).collect();
        let facts = [
            result.paper.as_ref().map(|paper| format!("paper {paper}")),
            result.run.as_ref().map(|run| format!("run {run}")),
            (!judge.is_empty()).then(|| format!("judged by {}", judge.join(", "))),
            result.graded_at.as_ref().map(|at| format!("graded at {at}")),
            (!result.tokens.is_empty()).then(|| format!("judging took {}", tokens(&result.tokens))),
            (result.has_submission == Some(false)).then(|| "there was no submission".to_owned()),
            (result.is_code_only == Some(true)).then(|| "only code was graded".to_owned()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        if !facts.is_empty() {
            self.gap();
            self.push(Kind::Heading, "the grading");
            facts.iter().for_each(|fact| self.push(Kind::Fact, fact));
        }
    }

    /// The explanation, and the judge's whole answer by its parts where it says more.
    fn judged(&mut self, state: &Tree, id: NodeId, node: &Node) {
        let response = node.answer.as_ref().map(|answer| &*answer.response).unwrap_or_default();
        let is_repeated = response.trim() == node.explanation.trim();
        let is_aggregate = !state.is_leaf(id) && node.answer.is_none();
        if !is_repeated && !is_aggregate {
            self.part("explanation", &node.explanation);
        }
        let response = if response.trim().is_empty() { "" } else { response };
        if response.is_empty() {
            return;
        }
        self.gap();
        self.push(Kind::Heading, "what the judge said");
        let mut last = None;
        for (section, line) in answer::lines(response.trim()) {
            if let Some(section) = section.filter(|_| section != last) {
                self.gap();
                self.push(Kind::Section, &format!("– {}", section.words()));
            }
            last = section;
            if line.trim().is_empty() { self.gap() } else { self.push(Kind::Text, line) }
        }
    }
}

/// `weight 3 of 6 among 3 siblings; 5.0 % of the root's score`
fn weight(state: &Tree, tree: &RubricTree, id: NodeId, node: &Node) -> String {
    let share = figures::part(state.measures.get(id).share);
    let Some(parent) = node.parent else {
        let measure = state.measures.get(id);
        let leaves = if measure.leaves == 1 { "leaf" } else { "leaves" };
        return format!("the whole rubric: {} {leaves}", measure.leaves);
    };
    let siblings = || tree.children(parent).filter(|child| state.measures.get(*child).counts);
    let total: f64 = siblings().filter_map(|child| tree.node(child)).map(|node| node.weight).sum();
    let among = match siblings().count() {
        1 => "alone".to_owned(),
        count => format!("of {total} among {count} siblings"),
    };
    format!("weight {} {among}; {share} of the root's score", node.weight)
}

/// `9123 tokens in, 210 out (o3-mini)`
fn tokens(tokens: &[ModelTokens]) -> String {
    let (input, output) = sum(tokens);
    let models: Vec<&str> = tokens.iter().map(|of| &*of.model).collect();
    format!(
        "{} tokens in, {} out ({})",
        figures::count(input),
        figures::count(output),
        models.join(", ")
    )
}
