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
//! they come, [`document`] what stands around the tree, [`value`] single fields; [`check`] looks at the tree as a
//! whole. A node that cannot be used as it stands is a warning with its way from the root (`0/3/1`), and the rest
//! counts.

mod check;
mod document;
mod literals;
mod node;
mod value;

use std::collections::BTreeSet;

use trajview_run::{
    Run, RunOrigin, Task, Time, Warning, label,
    recorded::{Recorded, Value},
    rubric_tree::{NodeId, RubricTree},
};

use super::{EditsTold, Executor, Format, Head, NotUnderstood, Offers, Shape, Source};

pub struct PaperBench;

impl Format for PaperBench {
    fn name(&self) -> &'static str {
        "paperbench"
    }

    fn about(&self) -> &'static str {
        "PaperBench rubric, graded tree or result: rubric.json, grader_output.json, grade.json, pb_result.json"
    }

    fn sample(&self) -> &'static str {
        "paperbench"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Nowhere)
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let keys = literals::outer_keys(head.bytes);
        let has = |key: &str| keys.contains(&key.as_bytes());
        (has("sub_tasks") && (has("requirements") || has("weight")))
            || has("graded_task_tree")
            || has("paperbench_result")
            || (has("judge_output") && has("paper_id"))
    }

    fn index_with(&self, sources: &[Source<'_>], _: &dyn Executor) -> Result<Run, NotUnderstood> {
        let source = sources.first().ok_or_else(|| NotUnderstood("there is no file".into()))?;
        let (tree, warnings) = read(source)?;
        Ok(run_of(tree, warnings))
    }
}

/// The tree of a file, and what in it could not be used. The error says why there is none.
pub fn read(source: &Source<'_>) -> Result<(RubricTree, Vec<Warning>), NotUnderstood> {
    let text = String::from_utf8_lossy(source.bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (text, strange) = literals::without_strange_numbers(text);
    let mut reader = Reader::new(source.name);
    reader.note_strange(strange);
    let outcome = reader.document(&text);
    if !reader.has_tree {
        return Err(NotUnderstood(reader.why_no_tree(outcome.err())));
    }
    if let Err(why) = outcome {
        reader.broken(&why);
    }
    reader.close_all();
    check::check(&mut reader);
    Ok((reader.tree, reader.warnings.all))
}

/// What is read so far.
struct Reader {
    tree: RubricTree,
    warnings: Warnings,
    /// Whether a tree was found at all.
    has_tree: bool,
    /// Why a result holds no tree.
    absent: Option<String>,
    has_too_many: bool,
    /// Leaves of which it was said that their score is none.
    scoreless: BTreeSet<NodeId>,
}

/// A file may be wrong in every node.
const MOST_WARNINGS: usize = 1_000;

struct Warnings {
    file: String,
    all: Vec<Warning>,
}

impl Warnings {
    fn say(&mut self, what: String) {
        match self.all.len() {
            len if len < MOST_WARNINGS => {
                self.all.push(Warning { place: self.file.clone(), what });
            }
            MOST_WARNINGS => {
                let what = format!("more than {MOST_WARNINGS} warnings; the rest is left out");
                self.all.push(Warning { place: self.file.clone(), what });
            }
            _ => {}
        }
    }
}

impl Reader {
    fn new(file: &str) -> Self {
        Self {
            tree: RubricTree { file: file.to_owned(), ..RubricTree::default() },
            warnings: Warnings { file: file.to_owned(), all: vec![] },
            has_tree: false,
            absent: None,
            has_too_many: false,
            scoreless: BTreeSet::new(),
        }
    }

    /// About a node.
    fn warn(&mut self, id: NodeId, what: &str) {
        let path = self.tree.path(id);
        self.warnings.say(format!("node {path}: {what}"));
    }

    fn note_strange(&mut self, count: usize) {
        if count > 0 {
            let what = format!("NaN or Infinity stands where a number should, times {count}");
            self.warnings.say(what);
        }
    }

    /// The file does not end as JSON should.
    fn broken(&mut self, why: &serde_json::Error) {
        let (line, column) = (why.line(), why.column());
        let what = format!(
            "is not JSON from line {line}, column {column} on; the {} nodes before it count",
            self.tree.nodes.len()
        );
        self.warnings.say(what);
    }

    /// A file that breaks off leaves nodes open.
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

/// Everything but the tree is what `trajview show` and the facts say of any run.
fn run_of(tree: RubricTree, warnings: Vec<Warning>) -> Run {
    let result = &tree.result;
    let root = tree.root();
    let title = root.map(|root| label(&root.requirements)).unwrap_or_default();
    let id = result.run.as_deref().or(root.map(|root| &*root.id)).unwrap_or_default();
    Run {
        id: id.to_owned(),
        title: title.into_string(),
        task: result.paper.as_ref().map(|paper| Task { id: paper.to_string(), ..Task::default() }),
        recorded: recorded(&tree),
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

fn recorded(tree: &RubricTree) -> Vec<Recorded> {
    let result = &tree.result;
    let words = |words: &Option<Box<str>>| words.clone().map(Value::Text);
    let number = |number: Option<f64>| number.map(Value::Number);
    let values = [
        ("score", number(result.score)),
        ("judge_type", words(&result.judge)),
        ("model", words(&result.model)),
        ("graded_at", words(&result.graded_at)),
        ("num_leaf_nodes", number(result.leaves.map(|count| count as f64))),
        ("num_invalid_leaf_nodes", number(result.invalid.map(|count| count as f64))),
        ("submission_exists", result.has_submission.map(Value::Flag)),
        ("code_only", result.is_code_only.map(Value::Flag)),
    ];
    let named = |(name, value): (&str, Option<Value>)| {
        let (source, name) = (tree.file.as_str().into(), name.into());
        Some(Recorded { source, name, value: value?, metric: None, doubt: None })
    };
    values.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests;
