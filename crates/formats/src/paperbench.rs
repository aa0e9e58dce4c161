//! PaperBench: rubrics as they are published, rubrics as they were graded, and the results around them.
//!
//! | file | holds |
//! |---|---|
//! | `rubric.json` | a tree of requirements with weights |
//! | a graded tree | the same with a score, an explanation and the judge's answer a node |
//! | `grader_output.json` | a graded tree in `graded_task_tree`, who judged it, and the score |
//! | `grade.json`, `pb_result.json` | that in `judge_output`, in some in `paperbench_result` as well |
//!
//! Such a file has no turns: it becomes a [`Run`] with [`Run::rubric_tree`] and nothing else. [`node`] reads nodes as
//! they come, [`document`] the document around the tree, [`field_values`] single fields; [`tree_checks`] looks at the
//! tree as a whole. A node that cannot be used is a warning with its path from the root (`0/3/1`), and the rest counts.

mod document;
mod field_values;
mod json_literals;
mod node;
mod tree_checks;

use std::collections::BTreeSet;

use trajview_run::{
    Run, RunOrigin, Task, Time, TrialResult, Warning,
    checkpoint_record::{MeasureValue, RecordedMeasure},
    first_line_label,
    rubric_tree::{NodeId, RubricTree},
};

use super::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, SourceBytes,
};

pub struct PaperBench;

impl Format for PaperBench {
    fn name(&self) -> &'static str {
        "paperbench"
    }

    fn short_description(&self) -> &'static str {
        "PaperBench rubric, graded tree or result: rubric.json, grader_output.json, grade.json, pb_result.json"
    }

    fn sample_path(&self) -> &'static str {
        "paperbench"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::NotALog)
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let keys = json_literals::outer_keys(head.bytes);
        let has = |key: &str| keys.contains(&key.as_bytes());
        (has("sub_tasks") && (has("requirements") || has("weight")))
            || has("graded_task_tree")
            || has("paperbench_result")
            || (has("judge_output") && has("paper_id"))
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        _: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let source = sources.first().ok_or_else(|| NotUnderstood("no such file".into()))?;
        let (tree, warnings) = read_tree(source)?;
        Ok(run_from_tree(tree, warnings))
    }
}

/// Reads the tree of a file, and warnings about the parts that cannot be used. The error is the reason why there is no
/// tree.
pub fn read_tree(source: &SourceBytes<'_>) -> Result<(RubricTree, Vec<Warning>), NotUnderstood> {
    let text = String::from_utf8_lossy(source.bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (text, strange) = json_literals::without_strange_numbers(text);
    let mut reader = PaperReader::new(source.name);
    reader.note_strange(strange);
    let outcome = reader.read_document(&text);
    if !reader.has_tree {
        return Err(NotUnderstood(reader.why_no_tree(outcome.err())));
    }
    if let Err(why) = outcome {
        reader.warn_of_broken_json(&why);
    }
    reader.close_all();
    tree_checks::check_tree(&mut reader);
    Ok((reader.tree, reader.warnings.all))
}

/// The state of reading one file.
struct PaperReader {
    tree: RubricTree,
    warnings: WarningList,
    /// Is true once a tree was found.
    has_tree: bool,
    /// The reason why a result contains no tree.
    absent: Option<String>,
    has_too_many: bool,
    /// Leaves with a warning that their score is invalid.
    scoreless: BTreeSet<NodeId>,
}

/// A file may be wrong in every node.
const MAX_WARNINGS: usize = 1_000;

struct WarningList {
    file: String,
    all: Vec<Warning>,
}

impl WarningList {
    fn add_warning(&mut self, what: String) {
        match self.all.len() {
            len if len < MAX_WARNINGS => {
                self.all.push(Warning { place: self.file.clone(), what });
            }
            MAX_WARNINGS => {
                let what = format!("more than {MAX_WARNINGS} warnings; the rest is left out");
                self.all.push(Warning { place: self.file.clone(), what });
            }
            _ => {}
        }
    }
}

impl PaperReader {
    fn new(file: &str) -> Self {
        Self {
            tree: RubricTree { file: file.to_owned(), ..RubricTree::default() },
            warnings: WarningList { file: file.to_owned(), all: vec![] },
            has_tree: false,
            absent: None,
            has_too_many: false,
            scoreless: BTreeSet::new(),
        }
    }

    /// Adds a warning about a node.
    fn warn_of_node(&mut self, id: NodeId, what: &str) {
        let path = self.tree.node_path(id);
        self.warnings.add_warning(format!("node {path}: {what}"));
    }

    fn note_strange(&mut self, count: usize) {
        if count > 0 {
            let what = format!("NaN or Infinity instead of a number, {count} times");
            self.warnings.add_warning(what);
        }
    }

    /// Warns that the file does not end as JSON should.
    fn warn_of_broken_json(&mut self, why: &serde_json::Error) {
        let (line, column) = (why.line(), why.column());
        let what = format!(
            "is not JSON from line {line}, column {column} on; the {} nodes before it count",
            self.tree.nodes.len()
        );
        self.warnings.add_warning(what);
    }

    /// Closes the nodes that a file which is cut off leaves open.
    fn close_all(&mut self) {
        let end = self.tree.nodes.len() as u32;
        for node in self.tree.nodes.iter_mut().filter(|node| node.end == 0) {
            node.end = end;
        }
    }

    fn why_no_tree(&self, why: Option<serde_json::Error>) -> String {
        let place =
            |why: &serde_json::Error| format!("line {}, column {}", why.line(), why.column());
        match (why, &self.absent) {
            (Some(why), _) if why.is_data() => {
                format!("a result of PaperBench whose tree is not an object, at {}", place(&why))
            }
            (Some(why), _) => {
                format!("a file of PaperBench that is not JSON from {} on", place(&why))
            }
            (None, Some(what)) => format!("a result of PaperBench without a graded tree: {what}"),
            (None, None) => {
                "a file of PaperBench without a tree: no sub_tasks, no graded_task_tree".into()
            }
        }
    }
}

/// Creates the run of a tree; its other fields are those that `trajview show` prints of any run.
fn run_from_tree(tree: RubricTree, warnings: Vec<Warning>) -> Run {
    let result = &tree.result;
    let root = tree.root();
    let title = root.map(|root| first_line_label(&root.requirements)).unwrap_or_default();
    let id = result.run.as_deref().or(root.map(|root| &*root.id)).unwrap_or_default();
    Run {
        id: id.to_owned(),
        title: title.into_string(),
        task: result.paper.as_ref().map(|paper| Task { id: paper.to_string(), ..Task::default() }),
        recorded: recorded_values(&tree),
        trial: trial_of_tree(&tree).map(Box::new),
        ended_at: result.graded_at.as_deref().and_then(Time::parse),
        rubric_tree: Some(std::sync::Arc::new(tree)),
        warnings,
        origin: RunOrigin {
            format: PaperBench.name(),
            harness: Some("PaperBench".into()),
            ..RunOrigin::default()
        },
        ..Run::default()
    }
}

/// Returns the result that a graded tree is: the score of its root, without an outcome, since PaperBench has no threshold.
/// None for a tree without a score.
pub fn trial_of_tree(tree: &RubricTree) -> Option<TrialResult> {
    let root = tree.root().and_then(|root| root.score);
    let score = tree.result.score.or(root).filter(|score| score.is_finite())?;
    Some(TrialResult {
        task: tree.result.paper.clone(),
        reward: Some(score),
        reward_name: Some("score".into()),
        source: tree.file.as_str().into(),
        ..TrialResult::default()
    })
}

fn recorded_values(tree: &RubricTree) -> Vec<RecordedMeasure> {
    let result = &tree.result;
    let words = |words: &Option<Box<str>>| words.clone().map(MeasureValue::Text);
    let number = |number: Option<f64>| number.map(MeasureValue::Number);
    let values = [
        ("score", number(result.score)),
        ("judge_type", words(&result.judge)),
        ("model", words(&result.model)),
        ("graded_at", words(&result.graded_at)),
        ("num_leaf_nodes", number(result.leaves.map(|count| count as f64))),
        ("num_invalid_leaf_nodes", number(result.invalid.map(|count| count as f64))),
        ("submission_exists", result.has_submission.map(MeasureValue::Flag)),
        ("code_only", result.is_code_only.map(MeasureValue::Flag)),
    ];
    let named = |(name, value): (&str, Option<MeasureValue>)| {
        let (source, name) = (tree.file.as_str().into(), name.into());
        Some(RecordedMeasure { source, name, value: value?, metric: None, doubt: None })
    };
    values.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests;
